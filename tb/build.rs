//! Emits, verilates and links test designs; none yet.

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
}
