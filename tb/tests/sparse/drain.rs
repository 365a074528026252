//! A link of the drain chain.

use std::sync::LazyLock;

use heddle_hdl::sparse::DrainLink;
use heddle_sim::sparse::{Layout, LinkModel, Position, Window};
use heddle_tb::verilate::Sources;
use rand::Rng;

use crate::rtl::{Checked, Coverage, Dut, check_mutants, emitted, faults, run_seeds};

const LANES: usize = 3;

static LINK_3: LazyLock<Sources> = LazyLock::new(|| emitted(DrainLink::new(LANES)));

fn random_positions(sources: &Sources, seed: u64) -> Checked<Coverage> {
    let mut dut = Dut::new(sources, seed);
    let mut rng = dut.rng();
    let mut coverage = Coverage::default();
    let (row, col) = (rng.random_range(0..=508), rng.random_range(0..=508));
    let window = Window {
        kernel: (1, 1),
        rows: row..row + 3,
        cols: col..col + 3,
        layout: Layout {
            pitch: 2,
            area: 4,
            words: 1 << 16,
        },
    };
    let share = rng.random_range(0..64);
    super::set_window(&mut dut, &window.rows, &window.cols);
    dut.set("share_i", share as u64);
    let mut model = LinkModel::new(window.clone(), share);
    for cycle in 0..3000 {
        let place = Position {
            row: rng.random_range((row - 1).max(0)..=row + 3),
            col: rng.random_range((col - 1).max(0)..=col + 3),
            // One bit differs, or none.
            share: share ^ [0, 1 << rng.random_range(0..6)][rng.random_range(0..2)],
            region: rng.random(),
            word: rng.random_range(0..1 << 16),
            keep: rng.random(),
        };
        let position = Some(place).filter(|_| rng.random_bool(0.9));
        let mut words = || {
            let sum = |_| rng.random::<i32>();
            (0..LANES).map(sum).collect::<Vec<i32>>()
        };
        let (stored, sums) = (words(), words());
        dut.set("position_valid_i", position.is_some());
        dut.set("position_share_i", place.share as u64);
        dut.set("position_region_i", place.region);
        dut.set("position_row_i", place.row as u64);
        dut.set("position_col_i", place.col as u64);
        dut.set("position_addr_i", place.word as u64);
        dut.set("position_keep_i", place.keep);
        dut.set_all("stored_i", stored.iter().map(|sum| *sum as u64));
        dut.set_all("sum_i", sums.iter().map(|sum| *sum as u64));
        dut.settle();
        let outputs = model.step(position, &stored, &sums);
        dut.check("drain_valid_o", outputs.drain.is_some())?;
        if let Some((word, keep)) = outputs.drain {
            dut.check("drain_addr_o", word as u64)?;
            dut.check("drain_keep_o", keep)?;
        }
        for (lane, sum) in outputs.sums.iter().enumerate() {
            // Sums begin with any value.
            if cycle > 1 {
                dut.check_element("sum_o", lane, LANES, *sum as u64)?;
            }
        }
        dut.clock();
        let has = place.share == share;
        let inside = window.contains((0, place.row, place.col));
        coverage.event("position of the unit", has && inside);
        coverage.event("position outside the window", has && !inside);
        coverage.event("share of another unit", !has && inside);
    }
    Ok(coverage)
}

#[test]
fn a_link_adds_the_sums_of_its_unit_to_those_of_its_neighbours() {
    run_seeds(|seed| random_positions(&LINK_3, seed));
}

#[test]
fn faults_of_a_link_are_noticed() {
    let mutants = r"
        // The last row of a window is left out.
        heddle_in_window: row_i < window_row1_i => row_i + 9'd1 < window_row1_i
        // A share of another unit is taken.
        heddle_drain_link: position_share_i == share_i => position_share_i[4:0] == share_i[4:0]
        // Sums of the position before.
        heddle_drain_link: has_q[1] => has_q[0]";
    check_mutants(&LINK_3, &faults(mutants), random_positions);
}
