//! Every module of the machine can be printed, in every style.

use heddle_arch::Params;
use heddle_arch::params::{PartialSums, ProgramMemory};
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

/// Numbers in headers come from constants of the hardware: none is left as its name in braces.
#[test]
fn headers_have_numbers_in_place_of_their_names() {
    let mut banks = params("tiny");
    banks.state_buffer.banks = 8;
    banks.program.memory = ProgramMemory::Banks;
    let mut top = params("tiny");
    top.array.partial_sums = PartialSums::Top;
    let mut found = 0;
    for params in [params("tiny"), banks, top] {
        params.validate().expect("legal");
        let block = catalog::build("top", &params).expect("the machine is in the list");
        for (name, text) in emit(block.as_ref(), &options("tiny"))
            .expect("legal")
            .files()
        {
            let header = text.split("\nmodule ").next().expect("a text");
            assert!(
                !name.ends_with(".v") || !header.contains(['{', '}']),
                "{name}: {header}"
            );
            found += usize::from(header.contains("first pair is asked for in t + 2,"));
            found += usize::from(header.contains("A sum is stored 14 cycles after its slot"));
        }
    }
    assert_eq!(
        found, 2,
        "one with the program in banks, one with sums at the top"
    );
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
