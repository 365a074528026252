//! Cores and units whole through synthesis for Lattice ECP5.

use super::netlist::yosys;
use super::sides::{core, shape};
use super::variants::options;
use crate::rtl::{OrPanic, emitted, faults, mutated};
use heddle_hdl::blocks::offsets::OffsetUnit;
use heddle_sim::blocks::gemm::GemmOptions;
use heddle_tb::verilate::Sources;

/// Products before anything is mapped: none but those of the cells. Then the whole design: no latch,
/// no memory made of flip-flops, no loop, a multiplier for each cell and no other.
fn synthesise(sources: &Sources, cells: usize) -> Result<(), String> {
    let top = &sources.top;
    let ecp5 = format!("synth_ecp5 -no-rw-check -top {top}");
    let cell = match cells {
        0 => "",
        _ => "heddle_dual_pe_*/t:$mul %d",
    };
    let script = format!(
        "proc; opt; \
         select -assert-none t:$mul {cell}; \
         select -assert-none t:$div t:$mod t:$divfloor t:$modfloor t:$pow t:$macc; \
         check -assert; \
         {ecp5} -run begin:map_ffram; \
         select -assert-none t:$mem* r:WR_PORTS>=1 %i; \
         select -assert-none t:$dlatch* t:$adlatch* t:$sr; \
         {ecp5} -run map_ffram:; \
         check -assert; \
         select -assert-none t:$* t:*LATCH*; \
         select -assert-min 1 t:TRELLIS_FF; \
         select -assert-count {cells} t:MULT18X18D"
    );
    yosys(sources, &script).map(|_| ())
}

fn small(broadcast: bool, banks: usize) -> GemmOptions {
    options(2, 2, |options| {
        options.unit.expand = true;
        options.unit.broadcast = broadcast;
        options.banks = banks;
        options.store_each = true;
    })
}

#[proves("SGCR-30", "SGCR-40")]
#[test]
fn a_whole_core_becomes_cells_of_an_fpga() {
    let sources = core(&small(false, 0));
    synthesise(&sources, 4).or_panic();
}

#[proves("SGCR-30", "SGCR-40")]
#[test]
fn a_whole_core_with_banks_becomes_cells_of_an_fpga_slow() {
    let sources = core(&small(true, 2));
    synthesise(&sources, 4).or_panic();
}

#[proves("SGCR-30", "SGCR-40")]
#[test]
fn a_whole_offset_unit_becomes_cells_of_an_fpga() {
    for broadcast in [false, true] {
        let shape = shape(&small(broadcast, 0));
        let sources = emitted(OffsetUnit::<16>::new(&shape.unit));
        synthesise(&sources, 0).unwrap_or_else(|error| panic!("broadcast {broadcast}: {error}"));
    }
}

#[proves("SGCR-40")]
#[test]
fn what_synthesis_must_not_find_is_found() {
    let sources = core(&small(false, 0));
    // A multiplier in the address path; a latch; a wire that nobody drives.
    let list = r"
        heddle_offsets_row_a: held_q + value_i => held_q * value_i
        heddle_operand_row_a: assign nz_o = nz_q; => reg held; always @* if (ren_i) held = nz_q; assign nz_o = held;
        heddle_gemm_r2: assign done_o = done_q; =>";
    let messages = [
        "selection is not empty: t:$mul",
        "selection is not empty: t:$dlatch",
        "check -assert",
    ];
    for ((module, from, to), message) in faults(list).into_iter().zip(messages) {
        let broken = mutated(&sources, module, from, to);
        let found = synthesise(&broken, 4).expect_err(to);
        assert!(found.contains(message), "{module}: {found}");
    }
}
