//! Faults planted in the cores, one each, all side by side: random layers find every one.

use super::random::{traffic, wrong};
use super::sides::design;
use super::variants::VARIANTS;
use crate::beside::faults::{Fault, check_faults};

/// Layers of each core, with each seed.
const LAYERS: usize = 12;

const FAULTS: [Fault; 30] = [
    // The head: gaps, tiles, passes.
    ("square", "gemm_head", "gap_q <= 9'd3", "gap_q <= 9'd2"),
    (
        "square",
        "gemm_head",
        "rows_left <= 16'd4",
        "rows_left < 16'd4",
    ),
    (
        "square",
        "gemm_head",
        "pass_add_o = !sum_first_i",
        "pass_add_o = 1'b0",
    ),
    (
        "square",
        "gemm_head",
        "cols_left[8:0] : 9'd4",
        "9'd4 : 9'd4",
    ),
    ("square", "pass_queue", "popped_q + 2'd1", "popped_q + 2'd2"),
    ("pair", "gemm_head", "gap_q <= 9'd1", "gap_q <= 9'd0"),
    ("pair", "gemm_head", "each_i & !first_i", "1'b0"),
    // What the rows read.
    (
        "pair",
        "operand_rows",
        "(addr_i[16*i+:16])",
        "(addr_i[15:0])",
    ),
    // The array.
    (
        "square",
        "dual_pe",
        "if (zero_q) addend",
        "if (zero_q & above_q) addend",
    ),
    (
        "square",
        "dual_pe",
        "if (nz_q) product_q",
        "if (1'b1) product_q",
    ),
    (
        "square",
        "dual_pe",
        "{{16{product_q[15]}}, product_q}",
        "{16'd0, product_q}",
    ),
    // Weights and operands.
    (
        "square",
        "weight_column",
        "addr_q <= addr_i",
        "addr_q <= {addr_i[15:1], 1'b0}",
    ),
    (
        "square",
        "operand_row_a",
        "reading_q <= ren_i",
        "reading_q <= 1'b1",
    ),
    // Results.
    ("square", "result_head", "place_q - 9'd1", "place_q - 9'd2"),
    (
        "square",
        "result_head",
        "row_q <= row_q + 16'd1",
        "row_q <= row_q",
    ),
    ("square", "result_name", "col_i + 16'd1", "col_i + 16'd2"),
    (
        "square",
        "result_column",
        "if (add_q) begin",
        "if (1'b0) begin",
    ),
    // Each iteration stored.
    (
        "square",
        "gemm_head",
        "first_q <= first_i | each_i",
        "first_q <= first_i",
    ),
    (
        "square",
        "gemm_head",
        "leave = last_i | each_i",
        "leave = last_i",
    ),
    ("square", "gemm_head", "each_i & !first_i", "1'b0"),
    ("square", "gemm_head", "each_i & !stay_i & !last_i", "1'b0"),
    (
        "square",
        "gemm_head",
        "run_ends_q <= last_pass & last_i",
        "run_ends_q <= last_pass",
    ),
    (
        "square",
        "gemm_settings",
        "each_q <= data_i[3]",
        "each_q <= data_i[0]",
    ),
    (
        "square",
        "gemm_r4",
        "(wr_kind_i == 2'd0) & (wr_index_i == 16'd8)",
        "(wr_index_i == 16'd8)",
    ),
    (
        "square",
        "pass_queue",
        "each_o = flags_rdata_o[3]",
        "each_o = flags_rdata_o[2]",
    ),
    ("square", "result_head", "!store_i | each_i", "!store_i"),
    // Banks.
    (
        "two",
        "operand_bank_r",
        "if (want_i[1] & !below_1) pick",
        "if (want_i[1]) pick",
    ),
    (
        "two",
        "operand_banks",
        "missing[n] & !granted[n]",
        "missing[n] & !missing[n]",
    ),
    (
        "two",
        "operand_banks",
        "(served_q[i] | granted[i]) & !complete",
        "granted[i] & !complete",
    ),
    (
        "two",
        "operand_banks",
        "offer_i & complete & ren_i[i]",
        "offer_i & complete",
    ),
];

#[test]
fn faults_are_noticed() {
    check_faults(&VARIANTS, "", &FAULTS, 1, design, |design, seed| {
        let (bench, shapes) = traffic(design, seed, LAYERS);
        // The model alone must not be what finds a fault: a core without one gives the loops' sums.
        for (side, shapes) in bench.sides.iter().zip(&shapes) {
            if side.failure.is_none() {
                assert_eq!(wrong(side, shapes), None, "{}", side.name);
            }
        }
        bench.failures()
    });
}
