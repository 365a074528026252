//! Every module of the machine can be printed, in every style.

use heddle_arch::Params;
use heddle_gen::{EmitOptions, Reset, ResetLevel, emit};
use heddle_hdl::catalog;
use std::path::Path;

fn params(name: &str) -> Params {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../configs/{name}.json"));
    let text = std::fs::read_to_string(&file).expect("the preset exists");
    Params::from_json(&text).expect("the preset is valid")
}

fn options(name: &str) -> EmitOptions {
    EmitOptions {
        configuration: name.into(),
        version: "0.0.0".into(),
        ..EmitOptions::default()
    }
}

#[test]
fn equal_blocks_give_equal_bytes_and_other_reset_styles_are_printed() {
    let params = params("tiny");
    let print = |options: &EmitOptions| {
        let block = catalog::build("top", &params).expect("the machine is in the list");
        emit(block.as_ref(), options).expect("legal").files()
    };
    let usual = options("tiny");
    assert_eq!(print(&usual), print(&usual));
    let other = EmitOptions {
        reset: Reset::Async,
        reset_level: ResetLevel::High,
        ..options("tiny")
    };
    let files = print(&other);
    assert!(files.iter().all(|(_, text)| !text.contains("rst_n")));
    let sensitive = "always @(posedge clk or posedge rst)";
    assert!(files.iter().any(|(_, text)| text.contains(sensitive)));
}

#[test]
fn every_preset_is_printed_with_equally_many_modules() {
    let mut counts = Vec::new();
    for name in ["tiny", "edge", "default", "large", "huge"] {
        let mut params = params(name);
        // Rows and counters of each size are a module.
        params.traversal.units = None;
        let start = std::time::Instant::now();
        let block = catalog::build("top", &params).expect("the machine is in the list");
        let design = emit(block.as_ref(), &options(name));
        let design = design.unwrap_or_else(|error| panic!("{name}: {error}"));
        println!("{name}: {:?}", start.elapsed());
        counts.push(design.modules.len() - usize::from(params.post.left_shift));
    }
    // The first slice differs in kind, not in number, between the presets; a left shift is a module more.
    assert!(counts.iter().all(|c| *c == counts[0]), "{counts:?}");
}

#[test]
fn every_module_is_printed_and_refused_by_no_check() {
    let params = params("tiny");
    let mut faults = Vec::new();
    for entry in catalog::MODULES {
        let block = catalog::build(entry.name, &params).expect("the list names modules");
        if let Err(error) = emit(block.as_ref(), &options("tiny")) {
            faults.push(format!("{}: {error}", entry.name));
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}
