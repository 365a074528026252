//! Tells `module!` where the paths of `file!()` begin: they are relative to the workspace, or
//! absolute where this package is a dependency of another workspace.

fn main() {
    let here = concat!(env!("CARGO_MANIFEST_DIR"), "/build.rs").replace('\\', "/");
    let relative = file!().replace('\\', "/");
    let root = here
        .strip_suffix(&relative)
        .expect("the path of this file ends as the compiler saw it");
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rustc-check-cfg=cfg(heddle_source_root)");
    println!("cargo:rustc-cfg=heddle_source_root");
    println!("cargo:rustc-env=HEDDLE_SOURCE_ROOT={root}");
}
