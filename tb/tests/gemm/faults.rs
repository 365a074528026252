//! Faults planted in the cores, one each, all side by side: random layers find every one.

use crate::random::{traffic, wrong};
use crate::rtl::seeds;
use crate::sides::{Design, Side};
use crate::variants::VARIANTS;
use std::collections::{BTreeMap, BTreeSet};

/// Layers of each core, with each seed.
const LAYERS: usize = 12;

/// A fault: the variant, the module, the text and what stands there instead.
const FAULTS: [(&str, &str, &str, &str); 18] = [
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
    // Banks.
    (
        "two",
        "operand_bank_r",
        "want_i[n] & !below[n]",
        "want_i[n]",
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

/// The faults, and their variants without a fault.
fn design() -> (Design, BTreeMap<String, String>) {
    let mut sides = Vec::new();
    let mut faults = BTreeMap::new();
    let mut sound = BTreeSet::new();
    for (number, (variant, module, from, to)) in FAULTS.into_iter().enumerate() {
        let found = VARIANTS.sides.iter().find(|side| side.name == variant);
        let side = found.unwrap_or_else(|| panic!("no side {variant}"));
        let name = format!("fault{number}");
        faults.insert(name.clone(), format!("{variant}: \"{to}\" for \"{from}\""));
        sides.push(Side {
            name,
            mutant: Some((format!("heddle_{module}"), from, to)),
            ..side.clone()
        });
        if sound.insert(variant) {
            sides.push(side.clone());
        }
    }
    (Design::new(sides), faults)
}

#[test]
fn faults_are_noticed() {
    let (design, faults) = design();
    let mut found = BTreeMap::new();
    for seed in seeds() {
        let (bench, shapes) = traffic(&design, seed, LAYERS);
        for (name, failure) in bench.failures() {
            found.insert(name.to_string(), failure.to_string());
        }
        // The model alone must not be what finds a fault: a core without one gives the loops' sums.
        for (side, shapes) in bench.sides.iter().zip(&shapes) {
            if side.failure.is_none() {
                assert_eq!(wrong(side, shapes), None, "{}", side.name);
            }
        }
        if found.len() == faults.len() {
            break;
        }
    }
    for (name, fault) in &faults {
        let failure = found.get(name).map_or("goes unnoticed", String::as_str);
        let failure: String = failure.chars().take(200).collect();
        println!("{fault}: {failure}");
    }
    // Nothing else: a core without a fault does not suffer from its neighbours.
    let names: Vec<_> = found.keys().collect();
    assert_eq!(names, faults.keys().collect::<Vec<_>>());
}
