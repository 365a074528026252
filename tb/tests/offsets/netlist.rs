//! What the unit is made of: its ports, registers and cells.

use super::bench::Bench;
use super::driven::Op;
use super::sides::{ports, unit};
use super::variants::VARIANTS;
use crate::rtl::mutated;
use heddle_sim::offsets::{Stepping, UnitOptions, Write};
use heddle_tb::verilate::Sources;
use std::collections::BTreeSet;
use std::process::Command;

/// Registers of the unit with everything: module and name without `_q`. Counts, pointers, their
/// sums, entries on their way, the pass, and the numbers of the expander.
const REGISTERS: [(&str, &str); 12] = [
    ("offsets_r", "refused busy done error"),
    (
        "registers",
        "a_origin number end shift mode shift_beyond mode_beyond",
    ),
    (
        "expander",
        "of_bases of_offsets start_entry start_value count addend busy repeats phase left entry \
         source value row col",
    ),
    (
        "sequencer",
        "active loading first rows_left held_left held_entry steps_left step_entry cols_left \
         inner_first outer_first",
    ),
    (
        "entry",
        "valid tag origin sum keep base base_row base_col offset offset_row offset_col value row col",
    ),
    ("head", "valid tag value row col sum"),
    (
        "row_a",
        "took enabled held held_row held_col valid ren first last addr",
    ),
    ("rows", "last_step"),
    ("wave", "load step first last mark value row col"),
    (
        "pass",
        "b_valid b_addr b_row held channel sum_first sum_last",
    ),
    ("table", ""),
    ("kept", "tile stored"),
];

/// What rows that keep their entries have and have not.
const PREFETCH: [&str; 1] = ["fetched"];
const NO_PREFETCH: [&str; 4] = ["enabled", "held", "held_row", "held_col"];

fn everything(broadcast: bool) -> UnitOptions {
    UnitOptions {
        taps: 4,
        broadcast,
        running: true,
        expand: true,
        ..UnitOptions::new(4, 2)
    }
}

/// The same with rows that keep their entries, and the index stepped before a read.
fn ahead(broadcast: bool) -> UnitOptions {
    UnitOptions {
        stepping: Stepping::BeforeRead,
        prefetch: true,
        ..everything(broadcast)
    }
}

fn all() -> [UnitOptions; 4] {
    [
        everything(false),
        everything(true),
        ahead(false),
        ahead(true),
    ]
}

/// The registers of a file; what distinguishes its sizes does not count.
fn registers_of(file: &str, prefetch: bool) -> BTreeSet<&'static str> {
    let name = file.strip_prefix("heddle_").unwrap_or(file);
    let kind = REGISTERS.iter().find(|(kind, _)| match *kind {
        "offsets_r" => name.starts_with("offsets_r4"),
        kind => name.starts_with(&format!("offsets_{kind}")),
    });
    let (kind, registers) = kind.unwrap_or_else(|| panic!("{file} is not known"));
    let mut registers: BTreeSet<&str> = registers.split_whitespace().collect();
    if prefetch && *kind == "row_a" {
        registers.retain(|name| !NO_PREFETCH.contains(name));
    }
    if prefetch && *kind == "sequencer" {
        registers.extend(PREFETCH);
    }
    registers
}

#[test]
fn sgcr_31_the_unit_has_the_documented_ports_and_no_register_for_a_shape() {
    for options in all() {
        let sources = unit(&options);
        for (file, text) in &sources.files {
            if file == "heddle_ram_1r1w.v" {
                continue;
            }
            let found: BTreeSet<&str> = text
                .lines()
                .filter_map(|line| line.trim().strip_prefix("reg "))
                .filter_map(|line| line.split(';').next()?.split(' ').next_back())
                .filter_map(|name| name.strip_suffix("_q"))
                .collect();
            assert_eq!(found, registers_of(file, options.prefetch), "{file}");
        }
        let top = sources
            .files
            .iter()
            .find(|file| file.0 == format!("{}.v", sources.top));
        let text = &top.expect("the module of the unit").1;
        let found: BTreeSet<&str> = text
            .lines()
            .map(str::trim)
            .filter(|line| line.starts_with("input ") || line.starts_with("output "))
            .filter_map(|line| line.split([',', ';']).next()?.split(' ').next_back())
            .collect();
        let documented = ports(&options).into_iter().map(|port| port.0);
        let documented: BTreeSet<&str> = documented.chain(["clk", "rst_n"]).collect();
        assert_eq!(found, documented);
    }
}

#[test]
fn sgcr_31_only_the_documented_registers_can_be_written() {
    let mut bench = Bench::new(&VARIANTS, 1);
    let mut accepted = Vec::new();
    // One at a time: `refused_o` stays until the next start.
    for index in (0..64).chain((6..16).map(|bit| 1 << bit)) {
        let counts = (2..5).map(|count| Op::Write(Write::register(count, 1)));
        let entries = heddle_sim::offsets::examples::Lists::plain(&[0], &[0]).writes(0, 0);
        let mut ops: Vec<Op> = entries.into_iter().map(Op::Write).chain(counts).collect();
        let clean = [5, 6, 7, 8].map(|register| Op::Write(Write::register(register, 0)));
        ops.extend(clean);
        ops.extend([Op::Start, Op::Wait]);
        ops.extend([Op::Write(Write::register(index, 1)), Op::Clocks(2)]);
        let unit = bench.play("plain", ops);
        if !unit.state.refused {
            accepted.push(index);
        }
    }
    assert_eq!(accepted, [0, 1, 2, 3, 4, 5, 6, 7, 8]);
}

/// Runs yosys on the unit with a list of checks.
fn yosys(sources: &Sources, checks: &str) -> Result<(), String> {
    let folder = tempfile::tempdir().expect("a temporary folder");
    for (name, text) in &sources.files {
        std::fs::write(folder.path().join(name), text).expect("a file of the unit");
    }
    let names: Vec<&str> = sources.files.iter().map(|file| file.0.as_str()).collect();
    let script = format!(
        "read_verilog {}; hierarchy -check -top {}; proc; opt; {checks}",
        names.join(" "),
        sources.top
    );
    let output = Command::new("yosys")
        .args(["-q", "-p", &script])
        .current_dir(folder.path())
        .output()
        .expect("yosys not found: run scripts/setup.sh");
    match output.status.success() {
        true => Ok(()),
        false => Err(String::from_utf8_lossy(&output.stderr).into_owned()),
    }
}

/// No multiplier, divider or power anywhere; one adder in a row.
const CHECKS: &str = "select -assert-none t:$mul t:$div t:$mod t:$divfloor t:$modfloor t:$pow \
                      t:$macc t:$alu; select -assert-count 1 heddle_offsets_row_*/t:$add";

#[test]
fn sgcr_30_no_multiplier_or_divider_and_one_adder_a_row() {
    for options in all() {
        let sources = unit(&options);
        yosys(&sources, CHECKS).unwrap_or_else(|error| panic!("{error}"));
        // The check can fail.
        let row = "heddle_offsets_row_a";
        let multiplied = mutated(&sources, row, "+ value_i", "* value_i");
        assert!(yosys(&multiplied, CHECKS).is_err());
        let two = mutated(&sources, row, "+ value_i", "+ value_i + {15'd0, took_q}");
        assert!(yosys(&two, CHECKS).is_err());
    }
}

/// One module that makes weight addresses, one register in it, one adder behind that, one place
/// where it takes the origin.
const POINTER: &str = "select -assert-count 1 t:heddle_offsets_pass_*; \
                       select -assert-count 1 */w:*b_addr_q; \
                       select -assert-count 1 heddle_offsets_pass_*/w:b_addr_q %ci7 \
                       heddle_offsets_pass_*/t:$add %i; \
                       select -assert-count 1 */w:b_origin_i %co1 */c:* %i";

#[test]
fn sgcr_16_one_pointer_makes_the_weight_addresses_of_all_rows() {
    for options in all() {
        let sources = unit(&options);
        yosys(&sources, POINTER).unwrap_or_else(|error| panic!("{error}"));
        // The check can fail.
        let pass = "heddle_offsets_pass";
        let step = "b_addr_q + 16'd1";
        let added = mutated(&sources, pass, step, "b_addr_q + 16'd1 + {7'd0, b_row_q}");
        assert!(yosys(&added, POINTER).is_err());
        let (from, to) = ("b_addr_o = b_addr_q", "b_addr_o = b_addr_q ^ b_origin_i");
        let mixed = mutated(&sources, pass, from, to);
        assert!(yosys(&mixed, POINTER).is_err());
    }
}
