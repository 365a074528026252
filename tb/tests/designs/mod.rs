//! The designs that the agreement tests drive.

use crate::agreement::pins;
use heddle_arch::params::{self, Params};
use heddle_hdl::blocks::offsets::{OffsetShape, OffsetUnit};
use heddle_hdl::top::Top;
use heddle_hdl::traversal::{TraversalShape, TraversalUnit};
use samples::Shifter;

pub mod samples;

/// Three rows of two loops with all options and four stages in the address sum.
pub fn traversal_unit() -> TraversalUnit<6, 7, 10> {
    TraversalUnit::new(TraversalShape {
        double: true,
        equality: true,
        trips: true,
        attach: true,
        stages: 4,
        group: true,
        check: true,
        ..TraversalShape::plain(3, 2)
    })
}

/// Three rows, two columns, tables of 16 entries, masks, running sum, expander. A slot moves from row
/// to row; with broadcast it is in all rows at once, which keep their bases, and indices step before a
/// read.
pub fn offset_unit(broadcast: bool) -> OffsetUnit<16> {
    OffsetUnit::new(&OffsetShape {
        bases: 16,
        offsets: 16,
        taps: 4,
        broadcast,
        running: true,
        before: broadcast,
        prefetch: broadcast,
        expand: true,
        ..OffsetShape::new(3, 2)
    })
}

/// The machine of the configuration `tiny` with an input bank and all options of post-processing.
pub fn top() -> Top<16, 17, 16> {
    let mut params = tiny();
    params.state_buffer.banks = 4;
    params.state_buffer.input_banks = 1;
    params.post = params::Post {
        pooling: true,
        product: true,
        median: 9,
        activations: 3,
        left_shift: true,
        dual_scale: true,
        columns_per_multiplier: 2,
    };
    params.validate().expect("two other banks are left");
    Top::new(&params)
}

/// The configuration `tiny`.
///
/// # Panics
/// If the file in `configs` is no legal configuration.
pub fn tiny() -> Params {
    let text = include_str!("../../../configs/tiny.json");
    Params::from_json(text).expect("configs/tiny.json is legal")
}

pins! { Shifter {
    clock: clk; in: rst_n, start_i, x_i, places_i; out: direct_o, y_o, done_o, low_o
} }

pins! { OffsetUnit<16> {
    clock: clk;
    in: rst_n, wr_valid_i, wr_kind_i, wr_index_i, wr_data_i, wr_row_i, wr_col_i, start_i, ready_i;
    out: wr_ready_o, refused_o, busy_o, done_o, error_o, row_valid_o, row_ren_o, row_addr_o,
        row_first_o, row_last_o, b_valid_o, b_addr_o, b_row_o, pass_held_o, pass_cols_o,
        pass_sum_first_o, pass_sum_last_o
} }

pins! { Top<16, 17, 16> {
    clock: clk;
    in: rst_n, host_i.valid, host_i.write, host_i.addr, host_i.wdata;
    out: host_ready_o, host_o.rvalid, host_o.rdata, running_o, done_o, error_o
} }

pins! { TraversalUnit<6, 7, 10> {
    clock: clk;
    in: rst_n, clear_i, pause_i, demand_i, instr_valid_i, instr_data_i, ready_i;
    out: demand_ready_o, instr_ready_o, valid_o, addr_o, row_o, kind_o, final_o, last_o, end_o,
        busy_o, error_o, error_code_o, error_word_o
} }
