//! Faults planted in the memories, one each, all side by side: the traffic finds every one.

use super::random::traffic;
use super::sides::design;
use super::variants::VARIANTS;
use crate::beside::faults::{Fault, check_faults};

/// Cycles of traffic, with each seed.
const CYCLES: usize = 3000;

const FAULTS: [Fault; 28] = [
    // A read that meets the write of its word.
    ("even2", "data", "if (take) bypass_q", "if (1'b0) bypass_q"),
    (
        "even4",
        "data",
        "bypassed_q ? bypass_next_q",
        "1'b0 ? bypass_next_q",
    ),
    ("even2", "row", "meet_q ? bypass_q[i]", "1'b0 ? bypass_q[i]"),
    ("even3", "row", "= ren_i & !meet_i", "= ren_i"),
    ("even5", "data", "reading[1] & !with_write[1]", "reading[1]"),
    // Ports that move without an access.
    (
        "even2",
        "data",
        "reading ? raddr_i : raddr_held_q",
        "raddr_i",
    ),
    ("even6", "data", "if (write[0]) begin", "if (1'b1) begin"),
    // Thresholds.
    ("even2", "select", "above_1_0 = 1'b0", "above_1_0 = 1'b1"),
    (
        "thresholds",
        "select_u8_t3.",
        "above_0_0 = 1'b0",
        "above_0_0 = 1'b1",
    ),
    ("turn", "select", "above_2_0 = 1'b0", "above_2_0 = 1'b1"),
    ("even5", "data", "ren_q <= reading[0]", "ren_q <= read_i"),
    // Packing and unpacking.
    ("even3", "route", "move_o[0] = rest_2_0", "move_o[0] = 1'b0"),
    (
        "half",
        "route",
        "move_o[16] = rest_2_16",
        "move_o[16] = 1'b1",
    ),
    ("even2", "unpack", "mask_i[3] ? word_0_3 : 8'd0", "word_0_3"),
    ("exact", "data", "wen_i & lane_i[i]", "wen_i & lane_i[0]"),
    // Registers left out.
    (
        "even6",
        "reply",
        "assign unit = word_q",
        "assign unit = word_i",
    ),
    (
        "turn",
        "data_d8_w2_f1",
        "waiting_q[23:16] <= read_unit[23:16]",
        "waiting_q[23:16] <= read_unit[7:0]",
    ),
    // A mask in slice 0.
    (
        "hybrid",
        "hybrid",
        "if (flag_wait_unit_o)",
        "if (!flag_wait_unit_o)",
    ),
    (
        "hybrid",
        "hybrid",
        "slices_named_i = !row_stored_o[32]",
        "slices_named_i = 1'b1",
    ),
    (
        "field",
        "field",
        "request_wen_o & request_need_o[1]",
        "request_wen_o",
    ),
    // The register between finding the moves and moving.
    (
        "field_right",
        "packed",
        ".move_i  (moved_q)",
        ".move_i  (route_move_o)",
    ),
    (
        "field_late",
        "packed",
        "mask_q <= found_mask",
        "mask_q <= request_mask_o",
    ),
    (
        "field_late",
        "packed",
        "write_select_slice_o[0] ? request_mask_o[i]",
        "1'b1 ? request_mask_o[i]",
    ),
    (
        "hybrid_late",
        "packed",
        "meet_q <= request_meet_o",
        "meet_q <= 1'b0",
    ),
    (
        "hybrid_late",
        "packed",
        "assign need_o = need_q",
        "assign need_o = write_select_slice_o",
    ),
    // Packing without a word to store.
    (
        "even5",
        "d8",
        "found_q <= request_wen_o & write_any",
        "found_q <= request_wen_o",
    ),
    (
        "even2",
        "hold",
        "word_o[8*i+:8] = word_q[8*i+:8];",
        "word_o[8*i+:8] = word_i[8*i+:8];",
    ),
    (
        "field",
        "packed",
        "take = request_wen_o & any",
        "take = request_wen_o",
    ),
];

#[test]
fn faults_are_noticed() {
    check_faults(&VARIANTS, "sliced_", &FAULTS, 5, design, |design, seed| {
        let (bench, _) = traffic(design, seed, CYCLES);
        let failures = bench.failures();
        failures
            .map(|(name, text)| (name.into(), text.into()))
            .collect()
    });
}
