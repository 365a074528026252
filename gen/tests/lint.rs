//! The printed text in other people's tools, where they are installed.

use crate::common::cells::{Grid, Row};
use crate::common::counts::Counts;
use crate::common::fifo::Fifo;
use crate::common::lanes::Lanes;
use crate::common::machine::Machine;
use crate::common::operators::Operators;
use crate::common::options;
use crate::linters;
use crate::linters::printed::{clean, write};
use heddle_gen::{Design, EmitOptions, Reset, ResetLevel, emit};
use heddle_kernel::prelude::*;
use std::path::Path;

/// Proves two texts of one design equal.
#[track_caller]
fn equal(name: &str, a: &Design, b: &Design, instances: &[(String, String)]) {
    let (fa, fb) = (
        write(&format!("{name}_a"), a),
        write(&format!("{name}_b"), b),
    );
    // Registers are matched by name: instances get the names they have in a loop.
    let load = |folder: &Path, d: &Design, to: &str| {
        let renames: String = match to {
            "gate" => instances
                .iter()
                .map(|(old, new)| format!("cd {}; rename {old} {new}; cd ..; ", d.top))
                .collect(),
            _ => String::new(),
        };
        let files: Vec<String> = d
            .verilog()
            .iter()
            .map(|(f, _)| folder.join(f).display().to_string())
            .collect();
        format!(
            "read_verilog {}; hierarchy -check -top {top}; proc; {renames}flatten; memory -nomap; opt_clean; \
             rename {top} {to}; design -stash {to}; ",
            files.join(" "),
            top = d.top
        )
    };
    let script = format!(
        "{}{}design -copy-from gold -as gold gold; design -copy-from gate -as gate gate; \
         equiv_make gold gate both; hierarchy -top both; equiv_struct; equiv_simple -undef; equiv_induct; \
         equiv_status -assert",
        load(&fa, a, "gold"),
        load(&fb, b, "gate")
    );
    if let Some(yosys) = linters::program("yosys") {
        yosys.prove(&fa, &["-q", "-p", &script]);
    }
}

fn samples() -> Vec<(&'static str, Box<dyn Block>)> {
    vec![
        ("row", Box::new(Row::new(4))),
        ("grid", Box::new(Grid::new(3, 4))),
        ("machine", Box::new(Machine::default())),
        ("operators", Box::new(Operators::default())),
        ("fifo", Box::new(Fifo::new(4))),
        ("lanes", Box::new(Lanes::new(4))),
        ("lane", Box::new(Lanes::new(1))),
        ("counts", Box::new(Counts::new(5))),
    ]
}

/// A style of the text, and what it changes of the options.
type Style = (&'static str, fn(&mut EmitOptions));

const STYLES: [Style; 4] = [
    ("usual", |_| ()),
    ("unrolled", |o| o.unrolled = true),
    ("async", |o| o.reset = Reset::Async),
    ("high", |o| o.reset_level = ResetLevel::High),
];

#[test]
fn every_style_is_clean() {
    for (name, block) in samples() {
        for (style, change) in STYLES {
            let mut options = options();
            change(&mut options);
            let design = emit(block.as_ref(), &options).expect("legal");
            clean(&format!("{name}_{style}"), &design);
        }
    }
}

#[test]
fn loops_and_unrolled_text_are_equivalent() {
    for (name, block) in samples() {
        let unrolled = EmitOptions {
            unrolled: true,
            ..options()
        };
        let a = emit(block.as_ref(), &options()).expect("legal");
        let b = emit(block.as_ref(), &unrolled).expect("legal");
        let mut instances = Vec::new();
        for i in 0..4 {
            match name {
                "row" => instances.push((format!("u_cell_{i}"), format!("gen_cell[{i}].u_cell"))),
                "grid" => instances.extend((0..3).map(|r| {
                    let new = format!("gen_cell_row[{r}].gen_cell[{i}].u_cell");
                    (format!("u_cell_{r}_{i}"), new)
                })),
                _ => {}
            }
        }
        equal(name, &a, &b, &instances);
    }
}
