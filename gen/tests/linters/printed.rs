//! Printed designs: emitting with fixed options, writing into a folder, checking the text.
use heddle_arch::Params;
use heddle_gen::{Design, EmitOptions, emit};
use heddle_hdl::catalog;
use rust_hdl_core::prelude::Block;
use std::path::{Path, PathBuf};

/// Columns of a line.
const COLUMNS: usize = 100;

/// The configuration `tiny`.
pub fn tiny() -> Params {
    Params::from_json(include_str!("../../../configs/tiny.json")).expect("legal")
}

/// The text of a block.
#[track_caller]
pub fn emitted(name: &str, block: &dyn Block) -> Design {
    emitted_for("variant", name, block)
}

#[track_caller]
fn emitted_for(configuration: &str, name: &str, block: &dyn Block) -> Design {
    let options = EmitOptions {
        configuration: configuration.into(),
        version: "0.0.0".into(),
        ..EmitOptions::default()
    };
    emit(block, &options).unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// The text of a block of the catalogue.
#[track_caller]
pub fn of_catalog(top: &str, params: &Params) -> Design {
    params.validate().expect("a legal configuration");
    let block = catalog::build(top, params).expect("the catalogue has it");
    emitted_for(&params.name, top, block.as_ref())
}

/// Writes a design into a folder of its own.
pub fn write(name: &str, design: &Design) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::create_dir_all(&folder).expect("the folder can be made");
    for (file, text) in design.files() {
        std::fs::write(folder.join(file), text).expect("the file can be written");
    }
    folder
}

/// The Verilog files of a design.
pub fn files(design: &Design) -> Vec<String> {
    design.verilog().into_iter().map(|file| file.0).collect()
}

/// Writes a design into a folder of its own, which it returns, and checks it with every tool there is.
#[track_caller]
pub fn clean(name: &str, design: &Design) -> PathBuf {
    for (file, text) in design.verilog() {
        assert!(text.is_ascii() && text.ends_with('\n'), "{name}: {file}");
        let long = text.lines().find(|line| line.len() > COLUMNS);
        assert_eq!(long, None, "{name}: {file}");
        let words = text.replace("$signed", "").replace("$unsigned", "");
        assert!(!words.contains('$'), "{name}: {file} calls the simulator");
        assert!(!words.contains("lint_off"), "{name}: {file} has a waiver");
    }
    let folder = write(name, design);
    super::lint(&folder, &design.top, &files(design));
    folder
}

/// Text of the first module whose name begins so.
#[track_caller]
pub fn text_of(design: &Design, name: &str) -> String {
    let mut files = design.verilog().into_iter();
    let found = files.find(|(file, _)| file.starts_with(name));
    found.unwrap_or_else(|| panic!("no {name}")).1
}
