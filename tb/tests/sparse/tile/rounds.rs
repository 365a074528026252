//! Worked rounds of the specification: the sums of the tile after each of them.

use heddle_arch::params::TileKind;
use heddle_sim::sparse::tile::TileSettings;
use heddle_sim::sparse::tile::rounds::TileItem;

use super::scatter::Pair;
use super::{beats, item, sizes};
use crate::rtl::OrPanic;

/// A value or a weight, its row and its column.
type Items<'a> = &'a [(i32, usize, usize)];

/// The four values of figure 18.
const FIGURE_18: Items = &[(3, 0, 0), (9, 0, 1), (6, 1, 0), (-5, 1, 1)];
/// Its weights: row by row, and as figure 19e has them.
const WEIGHTS_A: Items = &[(-6, 0, 0), (6, 0, 1), (-9, 1, 0), (3, 1, 1)];
const WEIGHTS_C: Items = &[(-6, 1, 1), (6, 0, 1), (-9, 1, 0), (3, 0, 0)];
/// Tiles 1905a, 1905c and 1905j.
const TILE_A: Items = &[(9, 0, 0), (-5, 1, 1)];
const TILE_C: Items = &[(-2, 0, 0)];
const TILE_J: Items = &[(-9, 0, 0), (9, 1, 0)];

/// The figures have three lanes; one arbiter does for two and three weights of a round.
const WINDOW: (TileKind, usize, usize) = (TileKind::Window, 3, 1);
const INDEXED: (TileKind, usize, usize) = (TileKind::Indexed, 3, 1);
const ARBITER: (TileKind, usize, usize) = (TileKind::Arbiter, 3, 3);
const SELECT: (TileKind, usize, usize) = (TileKind::Select, 3, 2);

/// Runs a tile and compares its sums after each round, which must follow each other without a gap, and be all.
#[track_caller]
fn check(
    (kind, lanes, weights_max): (TileKind, usize, usize),
    (limit, earlier_waits): (usize, bool),
    values: Items,
    weights: Items,
    expected: &[[i32; 9]],
) {
    let mut pair = Pair::new(sizes(kind, lanes, 2, weights_max), 1);
    pair.load(&[0; 9]).or_panic();
    let settings = TileSettings {
        kernel: (2, 2),
        limit,
        earlier_waits,
    };
    let items = |items: Items| items.iter().copied().map(item).collect::<Vec<TileItem>>();
    let values = beats(&items(values), lanes, true);
    let weights = beats(&items(weights), lanes, true);
    let mut sums = Vec::new();
    for cycle in 0..expected.len() + 12 {
        let values = values.get(cycle).cloned();
        let weights = weights.get(cycle).cloned();
        pair.step(settings, (values, weights), true, None)
            .or_panic();
        sums.push(pair.sums());
    }
    let first = sums.iter().position(|sums| *sums != [0; 9]).unwrap();
    for (round, expected) in expected.iter().enumerate() {
        assert_eq!(sums[first + round], expected, "round {}", round + 1);
    }
    let last = expected.last().unwrap();
    let behind = &sums[first + expected.len()..];
    assert!(behind.len() > 3 && behind.iter().all(|sums| sums == last));
}

/// The first weight and the third one are 0: their matrices change nothing.
#[proves("FSA-49")]
#[test]
fn the_sums_of_figure_11_after_each_weight() {
    let weights = [(0, 0, 0), (1, 0, 1), (0, 1, 1), (-1, 1, 0)];
    let expected = [
        [0, 0, 0, 0, 0, 0, 0, 5, 0],
        [0, 0, 0, 0, 0, 0, 0, 5, 0],
        [0, 0, 0, 0, 0, -5, 0, 5, 0],
    ];
    check(WINDOW, (1, false), &[(5, 1, 1)], &weights, &expected);
}

#[proves("FSA-61", "FSA-63")]
#[test]
fn figure_18_takes_two_rounds_for_each_weight() {
    // Sums at the places of the products alone change, and change again in the very next round.
    let vector_a = [
        [0, 0, 0, 0, -18, -54, 0, -36, 0],
        [0, 0, 0, 0, -18, -54, 0, -36, 30],
        [0, 0, 0, 18, 36, -54, 36, -36, 30],
        [0, 0, 0, 18, 36, -54, 36, -66, 30],
        [0, -27, -81, 18, -18, -54, 36, -66, 30],
        [0, -27, -81, 18, -18, -9, 36, -66, 30],
        [9, 0, -81, 36, -18, -9, 36, -66, 30],
        [9, 0, -81, 36, -33, -9, 36, -66, 30],
    ];
    check(INDEXED, (1, false), FIGURE_18, WEIGHTS_A, &vector_a);
    check(WINDOW, (1, false), FIGURE_18, WEIGHTS_A, &vector_a);
    let vector_c = [
        [-18, -54, 0, -36, 0, 0, 0, 0, 0],
        [-18, -54, 0, -36, 30, 0, 0, 0, 0],
        [-18, -54, 0, -18, 84, 0, 36, 0, 0],
        [-18, -54, 0, -18, 84, 0, 36, -30, 0],
        [-18, -81, -81, -18, 30, 0, 36, -30, 0],
        [-18, -81, -81, -18, 30, 45, 36, -30, 0],
        [-18, -81, -81, -18, 39, 72, 36, -12, 0],
        [-18, -81, -81, -18, 39, 72, 36, -12, -15],
    ];
    check(INDEXED, (1, false), FIGURE_18, WEIGHTS_C, &vector_c);
    check(WINDOW, (1, false), FIGURE_18, WEIGHTS_C, &vector_c);
}

#[proves("FSA-66")]
#[test]
fn figure_19a_begins_the_next_weight_in_the_lanes_that_are_left() {
    let expected = [
        [-54, 0, 0, 54, 30, 0, 0, 0, 0],
        [-54, -81, 0, 54, 30, 45, 0, -30, 0],
        [-54, -81, 0, 54, 57, 45, 0, -30, -15],
    ];
    check(ARBITER, (2, false), TILE_A, WEIGHTS_C, &expected);
    check(SELECT, (2, false), TILE_A, WEIGHTS_C, &expected);
}

#[proves("FSA-67")]
#[test]
fn figure_19c_leaves_a_lane_idle_if_a_round_may_have_two_weights() {
    let three = [
        [12, 18, 0, -12, 0, 0, 0, 0, 0],
        [12, 18, 0, -12, -6, 0, 0, 0, 0],
    ];
    check(ARBITER, (3, false), TILE_C, WEIGHTS_C, &three);
    let two = [
        [12, 0, 0, -12, 0, 0, 0, 0, 0],
        [12, 18, 0, -12, -6, 0, 0, 0, 0],
    ];
    check(ARBITER, (2, false), TILE_C, WEIGHTS_C, &two);
    check(SELECT, (2, false), TILE_C, WEIGHTS_C, &two);
}

/// Figures 19e and 20: of two products of a sum one waits, takes a lane of the next round, and is added before the tile ends.
#[proves("FSA-68", "FSA-71", "FSA-72")]
#[test]
fn figure_20_queues_the_second_product_of_a_sum() {
    let expected = [
        [54, 0, 0, -54, 0, 0, 0, 0, 0],
        [54, 81, 0, -108, 0, 0, 54, 0, 0],
        [54, 81, 0, -108, -81, 0, 54, 27, 0],
        [54, 81, 0, -108, -108, 0, 54, 27, 0],
    ];
    check(ARBITER, (2, false), TILE_J, WEIGHTS_C, &expected);
}

#[proves("FSA-69")]
#[test]
fn the_product_of_the_later_or_of_the_earlier_weight_waits() {
    // As figure 20 but with 5 for the second weight, else both products are -54.
    let weights = [(-6, 1, 1), (5, 0, 1), (-9, 1, 0), (3, 0, 0)];
    let later = [
        [54, 0, 0, -54, 0, 0, 0, 0, 0],
        [54, 81, 0, -99, 0, 0, 45, 0, 0],
        [54, 81, 0, -99, -81, 0, 45, 27, 0],
        [54, 81, 0, -99, -108, 0, 45, 27, 0],
    ];
    check(ARBITER, (2, false), TILE_J, &weights, &later);
    let earlier = [
        [54, 0, 0, -45, 0, 0, 0, 0, 0],
        [54, 81, 0, -99, 0, 0, 45, 0, 0],
        [54, 81, 0, -99, -27, 0, 45, 27, 0],
        [54, 81, 0, -99, -108, 0, 45, 27, 0],
    ];
    check(ARBITER, (2, true), TILE_J, &weights, &earlier);
}

#[proves("FSA-74")]
#[test]
fn tile_1905j_takes_three_rounds_if_products_of_a_sum_are_added() {
    let expected = [
        [54, 0, 0, -108, 0, 0, 0, 0, 0],
        [54, 81, 0, -108, -81, 0, 54, 0, 0],
        [54, 81, 0, -108, -108, 0, 54, 27, 0],
    ];
    check(SELECT, (2, false), TILE_J, WEIGHTS_C, &expected);
}

#[proves("FSA-44")]
#[test]
fn values_take_further_rounds_and_lanes_take_further_weights() {
    // Three values and two lanes: two rounds. Sums of one weight at (1, 1) are those of its values.
    let values = &FIGURE_18[..3];
    let expected = [
        [-18, -54, 0, 0, 0, 0, 0, 0, 0],
        [-18, -54, 0, -36, 0, 0, 0, 0, 0],
    ];
    let two = (TileKind::Indexed, 2, 1);
    check(two, (1, false), values, &WEIGHTS_C[..1], &expected);
    // Four lanes, three values, two weights: the fourth lane has the first value again.
    let expected = [
        [-18, -54, 0, -36, 0, 0, 0, 0, 0],
        [-18, -54, 0, -18, 54, 0, 36, 0, 0],
    ];
    let four = (TileKind::Arbiter, 4, 2);
    check(four, (2, false), values, &WEIGHTS_C[..2], &expected);
}
