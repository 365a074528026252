//! The sparse cluster.

mod cell;
mod census;
mod cluster;
mod commands;
mod cut_engine;
mod cutter;
mod cycles;
mod dispatch;
mod drain;
mod drain_bench;
mod drain_engine;
mod fill;
mod flow;
mod head;
mod layers;
mod load;
pub mod machine;
mod map;
mod memories;
mod memories_bench;
mod memories_lists;
mod net;
mod orders;
mod slots;
mod slots_worked;
mod sums;
mod tile;
mod unit;
mod units;
mod weights;

use std::ops::Range;

use heddle_arch::Params;
use heddle_arch::params::Sparse;
use heddle_sim::sparse::reference::Tap;
use heddle_sim::sparse::{Fill, FillWord};

use crate::generator;
use crate::rtl::Dut;

/// A machine with this cluster.
fn with(cluster: Sparse) -> Params {
    Params {
        sparse: Some(cluster),
        ..generator::preset("edge")
    }
}

/// Rows and columns of rectangles, one after the other.
fn set_rectangles(dut: &mut Dut, port: &str, rectangles: &[[Range<i32>; 2]]) {
    for (side, name) in ["row", "col"].into_iter().enumerate() {
        let starts = rectangles.iter().map(|sides| sides[side].start as u64);
        dut.set_all(&format!("{port}_{name}0_i"), starts);
        let ends = rectangles.iter().map(|sides| sides[side].end as u64);
        dut.set_all(&format!("{port}_{name}1_i"), ends);
    }
}

/// The words of lists, with pauses; an empty list is a word of zeros.
fn fills(lists: &[Vec<Tap>], lanes: usize) -> Vec<Fill> {
    let empty = Tap {
        row: 0,
        col: 0,
        group: 0,
        weights: vec![0; lanes],
    };
    let mut fills = Vec::new();
    for list in lists {
        let list = match list.is_empty() {
            true => std::slice::from_ref(&empty),
            false => list,
        };
        for (at, tap) in list.iter().enumerate() {
            fills.push(Fill {
                begin: None,
                word: Some(FillWord::new(tap, at + 1 == list.len())),
            });
            // Words may come at any time.
            if at % 5 == 4 {
                fills.push(Fill::default());
            }
        }
    }
    // The last one is written.
    fills.extend([Fill::default(), Fill::default()]);
    fills
}

/// What fills the memory of weights in a clock.
fn set_fill(dut: &mut Dut, fill: &Fill) {
    dut.set("fill_begin_i", fill.begin.is_some());
    let (word, list) = fill.begin.unwrap_or_default();
    dut.set("fill_word_i", word as u64);
    dut.set("fill_first_list_i", list as u64);
    dut.set("fill_valid_i", fill.word.is_some());
    if let Some(word) = &fill.word {
        let weights = word.weights.iter().map(|weight| *weight as u64);
        dut.set_all("fill_weight_i", weights);
        dut.set("fill_index_i", word.index);
    }
}
