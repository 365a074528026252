//! The unit that works tile by tile.

mod faults;
mod layers;
mod pairs;
mod parts;
mod results;
mod rounds;
mod scatter;
mod states;
mod unit;
mod window;

use heddle_arch::params::TileKind;
use heddle_hdl::sparse::tile::TileShape;
use heddle_sim::sparse::tile::rounds::TileItem;
use heddle_sim::sparse::tile::{TileBeat, TileSettings, TileSizes};
use rand::Rng;
use rand_chacha::ChaCha8Rng;

use crate::rtl::Dut;

const KINDS: [TileKind; 4] = [
    TileKind::Window,
    TileKind::Indexed,
    TileKind::Arbiter,
    TileKind::Select,
];

const fn sizes(kind: TileKind, lanes: usize, kernel: usize, weights: usize) -> TileSizes {
    TileSizes {
        kind,
        lanes,
        kernel,
        weights,
        words: 64,
        bank: (7, 7),
    }
}

fn shape(sizes: &TileSizes) -> TileShape {
    let windows = usize::from(sizes.kind == TileKind::Window);
    TileShape {
        kind: sizes.kind,
        lanes: sizes.lanes,
        kernel: sizes.kernel,
        weights: sizes.weights,
        words: sizes.words * (1 - windows),
        bank_rows: sizes.bank.0 * windows,
        bank_cols: sizes.bank.1 * windows,
    }
}

fn item((value, row, col): (i32, usize, usize)) -> TileItem {
    TileItem { value, row, col }
}

/// The items of a channel, as many in a clock as there are lanes.
fn beats(items: &[TileItem], lanes: usize, tile_last: bool) -> Vec<TileBeat> {
    let mut beats: Vec<TileBeat> = items
        .chunks(lanes)
        .map(|items| TileBeat {
            items: items.to_vec(),
            last: false,
            tile_last,
        })
        .collect();
    if beats.is_empty() {
        beats.push(TileBeat {
            tile_last,
            ..TileBeat::default()
        });
    }
    beats.last_mut().unwrap().last = true;
    beats
}

fn set_settings(dut: &mut Dut, settings: &TileSettings) {
    let (rows, cols) = settings.kernel;
    dut.set("settings_kernel_rows_i", rows as u64 - 1);
    dut.set("settings_kernel_cols_i", cols as u64 - 1);
    dut.set("settings_limit_i", settings.limit as u64);
    dut.set("settings_earlier_waits_i", settings.earlier_waits);
}

/// What a stream offers; lanes without an item have anything.
fn set_beat(dut: &mut Dut, port: &str, beat: Option<&TileBeat>, lanes: usize) {
    dut.set(&format!("{port}_valid_i"), beat.is_some());
    let beat = beat.cloned().unwrap_or_default();
    dut.set(&format!("{port}_count_i"), beat.items.len() as u64);
    dut.set(&format!("{port}_last_i"), beat.last);
    let mut items = beat.items;
    items.resize(lanes, item((-86, 1, 2)));
    let values = items.iter().map(|item| item.value as u64);
    dut.set_all(&format!("{port}_item_i"), values);
    let rows = items.iter().map(|item| item.row as u64);
    dut.set_all(&format!("{port}_row_i"), rows);
    let cols = items.iter().map(|item| item.col as u64);
    dut.set_all(&format!("{port}_col_i"), cols);
    if port == "value" {
        dut.set("value_tile_last_i", beat.tile_last);
    }
}

/// Different places of a tile or a kernel in any order, each with a value.
fn random_items(
    rng: &mut ChaCha8Rng,
    (rows, cols): (usize, usize),
    density: f64,
    value: i32,
) -> Vec<TileItem> {
    let mut items = Vec::new();
    for at in 0..rows * cols {
        if rng.random_bool(density) {
            let value = match rng.random_bool(0.2) {
                true => [-value - 1, value][rng.random_range(0..2)],
                false => rng.random_range(1..value),
            };
            let at = item((value, at / cols, at % cols));
            items.insert(rng.random_range(0..=items.len()), at);
        }
    }
    items
}
