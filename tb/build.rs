//! Emits, verilates and compiles the designs of `designs.rs` and links them into the crate.
//!
//! Only with the feature `testing`; the `heddle` program links no design. A design is compiled
//! again only if its Verilog changed.

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    #[cfg(feature = "testing")]
    if let Err(error) = linked::build() {
        eprintln!("heddle-tb: {error}");
        std::process::exit(2);
    }
}

#[cfg(feature = "testing")]
#[path = "designs/mod.rs"]
mod designs;

#[cfg(feature = "testing")]
mod linked {
    use std::env;
    use std::error::Error;
    use std::fmt::Write;
    use std::fs;
    use std::path::{Path, PathBuf};

    use heddle_gen::{Direction, EmitOptions, emit};
    use heddle_verilate::{Options, Port, Sources, build_objects};

    use crate::designs::{DESIGNS, Design};

    /// Compiler processes at a time.
    const JOBS: usize = 2;

    pub fn build() -> Result<(), Box<dyn Error>> {
        println!("cargo:rerun-if-changed=designs");
        for variable in ["VERILATOR", "VERILATOR_ROOT", "PATH", "CXX"] {
            println!("cargo:rerun-if-env-changed={variable}");
        }
        let folder = PathBuf::from(env::var_os("OUT_DIR").ok_or("OUT_DIR is not set")?);
        // Clippy reads the crate and links nothing: two minutes of C++ for no result.
        let wrapper = env::var("RUSTC_WORKSPACE_WRAPPER").unwrap_or_default();
        if wrapper.contains("clippy-driver") {
            return write_table(&folder.join("linked.rs"), &[]);
        }
        let mut designs = Vec::new();
        for design in DESIGNS {
            designs.push((design.name.to_string(), sources(design)?));
        }
        let options = Options {
            opt_level: 1,
            jobs: JOBS,
            ..Options::default()
        };
        let linkable = build_objects(&designs, &options, &folder.join("designs"))?;
        // The archive keeps only what a test uses; cc finds ar and the C++ run-time library.
        let mut archive = cc::Build::new();
        archive.cpp(true).cargo_warnings(false);
        archive.objects(&linkable.objects);
        archive.try_compile("heddle_designs")?;
        println!("cargo:rustc-link-lib=pthread");
        write_table(&folder.join("linked.rs"), &linkable.designs)?;
        Ok(())
    }

    fn sources(design: &Design) -> Result<Sources, Box<dyn Error>> {
        let options = EmitOptions {
            configuration: design.name.to_string(),
            version: "test".to_string(),
            ..EmitOptions::default()
        };
        let block = (design.block)();
        let emitted = emit(block.as_ref(), &options)
            .map_err(|error| format!("design {}: {error}", design.name))?;
        let port = |port: &heddle_gen::Port| Port {
            name: port.name.clone(),
            width: port.width as u32,
            output: port.direction == Direction::Output,
        };
        Ok(Sources {
            files: emitted.verilog(),
            ports: emitted.top_module().ports.iter().map(port).collect(),
            top: emitted.top,
        })
    }

    /// The Rust side: declarations of the C functions and a list of names.
    fn write_table(path: &Path, designs: &[(String, String)]) -> Result<(), Box<dyn Error>> {
        let mut text = String::from("unsafe extern \"C\" {\n");
        for (_, symbol) in designs {
            writeln!(text, "    fn {symbol}() -> *const crate::Api;")?;
        }
        text += "}\n\nconst LINKED: &[(&str, crate::api::ApiFunction)] = &[\n";
        for (name, symbol) in designs {
            writeln!(text, "    (\"{name}\", {symbol}),")?;
        }
        text += "];\n";
        fs::write(path, text)?;
        Ok(())
    }
}
