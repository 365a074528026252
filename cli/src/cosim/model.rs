//! The model of the machine: its Verilog, verilated and compiled.

use std::time::Duration;

use heddle_arch::Params;
use heddle_gen::TextStyle;
use heddle_tb::Model;
use heddle_tb::verilate::{self, Options, Sources, Trace, VerilateError};
use indicatif::ProgressBar;

use crate::design::{self, Design};
use crate::failure::{BAD_INPUT, Failure};

/// From so many partitions on, one partition that is called instead of its copies saves more minutes of
/// building than it costs in a run of some hundred thousand clocks; `benches/loops.md` has the times.
const PARTITIONS_MIN: u32 = 32;

/// Trips of a loop that Verilator unrolls at most. With its own limit of 64 the array takes four times as
/// long to compile and is not faster.
const UNROLL_COUNT: u32 = 16;

/// Generates the machine and builds its model, or takes the model from the cache.
pub fn verilated(params: &Params, style: TextStyle, trace: Trace) -> Result<Model, Failure> {
    let design = design::generate(params, design::machine(params), &printed(style))?;
    let options = options(&design, params, style, trace);
    let sources = Sources {
        files: design.verilog(),
        top: design.top,
        ports: Vec::new(),
    };
    let progress = ProgressBar::new_spinner().with_message("building the model of the Verilog");
    progress.enable_steady_tick(Duration::from_millis(100));
    let library = verilate::build_shared(&sources, &options);
    progress.finish_and_clear();
    let library = library.map_err(|error| refused(&error))?;
    Model::load(&library).map_err(Failure::new)
}

fn printed(style: TextStyle) -> design::Text {
    design::Text {
        style,
        ..design::Text::default()
    }
}

/// What the tools have said, line by line.
fn refused(error: &VerilateError) -> Failure {
    Failure {
        code: u8::try_from(error.exit_code()).unwrap_or(BAD_INPUT),
        lines: error.to_string().lines().map(str::to_string).collect(),
    }
}

/// A structural machine is translated as it stands; one in loop style is made for size.
fn options(design: &Design, params: &Params, style: TextStyle, trace: Trace) -> Options {
    let mut options = Options {
        trace,
        ..Options::default()
    };
    if style == TextStyle::Loops {
        options.unroll_count = Some(UNROLL_COUNT);
        if params.array.rows >= PARTITIONS_MIN {
            let names = design.modules.iter().map(|module| &module.name);
            let partitions = names.filter(|name| name.starts_with("heddle_partition_"));
            options.hier_blocks = partitions.cloned().collect();
            // The calls take most of the time, whatever the compiler does.
            options.opt_level = 1;
        }
    }
    options
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_tool_says_keeps_its_lines() {
        let failure = refused(&VerilateError::Compile {
            top: "top".to_string(),
            message: "a.cpp:1: first\nsecond".to_string(),
        });
        let expected = ["c++ compiler failed for top:", "a.cpp:1: first", "second"];
        assert_eq!(
            (failure.code, failure.lines),
            (1, expected.map(String::from).to_vec())
        );
    }

    #[test]
    fn large_machines_in_loop_style_translate_the_partition_once() {
        let text = include_str!("../../../configs/tiny.json");
        let mut params = Params::from_json(text).expect("a legal configuration");
        let mut blocks = |rows: u32, style: TextStyle| {
            params.array.rows = rows;
            let design =
                design::generate(&params, design::TOP, &printed(style)).expect("it is printed");
            options(&design, &params, style, Trace::None).hier_blocks
        };
        let partition = blocks(PARTITIONS_MIN, TextStyle::Loops);
        assert_eq!(partition.len(), 1);
        assert!(partition[0].starts_with(&format!("heddle_partition_b2_e32_r{PARTITIONS_MIN}_")));
        assert_eq!(blocks(PARTITIONS_MIN - 1, TextStyle::Loops), [""; 0]);
        assert_eq!(blocks(PARTITIONS_MIN, TextStyle::Structural), [""; 0]);
    }
}
