//! Whole maps: tiles of a map, one after the other, against the convolution of the specification.

use heddle_arch::params::TileKind;
use heddle_hdl::sparse::tile::TileUnit;
use heddle_sim::sparse::reference::{Entry, Tap, scatter};
use heddle_sim::sparse::tile::TileCommand;
use heddle_sim::sparse::tile::TileSizes;
use heddle_tb::verilate::Sources;
use rand::seq::SliceRandom;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::unit::Bench;
use super::{KINDS, beats, item, random_items, shape};
use crate::rtl::{OrPanic, emitted};

fn sizes(kind: TileKind, lanes: usize) -> TileSizes {
    TileSizes {
        words: 2048,
        bank: (34, 37),
        ..super::sizes(kind, lanes, 3, 2)
    }
}

/// A map and the weights of its channels.
struct Layer {
    rows: usize,
    cols: usize,
    kernel: (usize, usize),
    /// Rows and columns of a tile.
    tile: (usize, usize),
    entries: Vec<Entry>,
    lists: Vec<Vec<Tap>>,
}

impl Layer {
    fn random(
        rng: &mut ChaCha8Rng,
        (rows, cols): (usize, usize),
        kernel: (usize, usize),
        tile: (usize, usize),
        channels: usize,
    ) -> Self {
        let density = [0.1, 0.4, 0.9][rng.random_range(0..3)];
        let (mut entries, mut lists) = (Vec::new(), Vec::new());
        for channel in 0..channels {
            let values = random_items(rng, (rows, cols), density, 255);
            entries.extend(values.into_iter().map(|item| Entry {
                value: item.value,
                channel,
                row: item.row as i32,
                col: item.col as i32,
            }));
            let weights = random_items(rng, kernel, 0.9, 127);
            let taps = weights.into_iter().map(|item| Tap {
                row: item.row as i32,
                col: item.col as i32,
                group: 0,
                weights: vec![item.value],
            });
            lists.push(taps.collect());
        }
        Self {
            rows,
            cols,
            kernel,
            tile,
            entries,
            lists,
        }
    }

    /// First rows and columns of the tiles; those at the edges are smaller.
    fn tiles(&self) -> Vec<(usize, usize)> {
        let rows = (0..self.rows).step_by(self.tile.0);
        rows.flat_map(|row| {
            (0..self.cols)
                .step_by(self.tile.1)
                .map(move |col| (row, col))
        })
        .collect()
    }

    fn out(&self) -> (usize, usize) {
        let (rows, cols) = self.kernel;
        (self.rows + rows - 1, self.cols + cols - 1)
    }

    /// Offers these tiles and returns the map.
    fn run(&self, unit: &Unit, tiles: &[(usize, usize)]) -> Vec<i32> {
        let sizes = unit.sizes;
        let (rows, cols) = self.out();
        // Sums beyond those of a smaller kernel need words, too. In a bank a word is a row and a column.
        let pitch = match sizes.kind {
            TileKind::Window => 256,
            _ => self.cols + sizes.side(),
        };
        let mut bench = Bench::new(&unit.sources, sizes, pitch, 1);
        bench.settings.kernel = self.kernel;
        bench.clear().or_panic();
        for (row, col) in tiles {
            let first = row * pitch + col;
            bench.commands.push_back(TileCommand::Tile(first));
            for (channel, taps) in self.lists.iter().enumerate() {
                let inside = |entry: &&Entry| {
                    let (down, right) = (entry.row as usize, entry.col as usize);
                    entry.channel == channel
                        && (*row..row + self.tile.0).contains(&down)
                        && (*col..col + self.tile.1).contains(&right)
                };
                let values = self.entries.iter().filter(inside);
                let values = values.map(|entry| {
                    let (down, right) = (entry.row as usize, entry.col as usize);
                    item((entry.value, down - row, right - col))
                });
                let values: Vec<_> = values.collect();
                let last = channel + 1 == self.lists.len();
                bench.values.extend(beats(&values, sizes.lanes, last));
                let weights = taps.iter();
                let weights =
                    weights.map(|tap| item((tap.weights[0], tap.row as usize, tap.col as usize)));
                let weights: Vec<_> = weights.collect();
                bench.weights.extend(beats(&weights, sizes.lanes, false));
            }
        }
        bench.commands.push_back(TileCommand::Send(0, rows, cols));
        bench.run(1.0, |_| ()).or_panic();
        bench.sums
    }

    fn expected(&self) -> Vec<i32> {
        let kernel = (self.kernel.0 as i32, self.kernel.1 as i32);
        let sums = scatter(&self.entries, &self.lists, kernel);
        let (rows, cols) = self.out();
        let places = (0..rows).flat_map(|row| (0..cols).map(move |col| (row, col)));
        let sum = |(row, col)| {
            sums.get(&(0, row as i32, col as i32))
                .map_or(0, |sum| sum[0])
        };
        places.map(sum).collect()
    }
}

/// The Verilog of a unit.
struct Unit {
    sources: Sources,
    sizes: TileSizes,
}

fn unit(kind: TileKind, lanes: usize) -> Unit {
    let sizes = sizes(kind, lanes);
    let sources = emitted(TileUnit::new(shape(&sizes)));
    Unit { sources, sizes }
}

#[proves("FSA-60", "FSA-76", "FSA-77")]
#[test]
fn units_of_all_kinds_make_the_map_of_the_convolution() {
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    let units = KINDS.map(|kind| unit(kind, 4));
    for kernel in [(1, 1), (2, 2), (3, 3), (3, 1), (2, 3)] {
        let size = (rng.random_range(3..12), rng.random_range(3..12));
        let tile = (rng.random_range(1..=3), rng.random_range(1..=3));
        let layer = Layer::random(&mut rng, size, kernel, tile, 3);
        for unit in &units {
            let map = layer.run(unit, &layer.tiles());
            let kind = unit.sizes.kind;
            assert_eq!(map, layer.expected(), "{kind:?}, {kernel:?}, {tile:?}");
        }
    }
}

/// 32 rows and 35 columns: tiles at the edges are smaller, and tiles differ from the kernel.
#[proves("FSA-83")]
#[test]
fn tiles_at_the_edges_of_a_map_may_be_smaller() {
    let mut rng = ChaCha8Rng::seed_from_u64(2);
    for unit in KINDS.map(|kind| unit(kind, 4)) {
        for (kernel, tile) in [((2, 2), (2, 2)), ((3, 3), (3, 3)), ((2, 2), (3, 3))] {
            let layer = Layer::random(&mut rng, (32, 35), kernel, tile, 1);
            let map = layer.run(&unit, &layer.tiles());
            let kind = unit.sizes.kind;
            assert_eq!(map, layer.expected(), "{kind:?}, {kernel:?}, {tile:?}");
        }
    }
}

#[proves("FSA-82")]
#[test]
fn tiles_and_values_may_come_in_any_order_and_in_several_units() {
    let mut rng = ChaCha8Rng::seed_from_u64(3);
    for unit in KINDS.map(|kind| unit(kind, 4)) {
        let mut layer = Layer::random(&mut rng, (10, 11), (3, 3), (3, 3), 2);
        let expected = layer.expected();
        let mut tiles = layer.tiles();
        assert_eq!(layer.run(&unit, &tiles), expected);
        tiles.shuffle(&mut rng);
        layer.entries.shuffle(&mut rng);
        assert_eq!(layer.run(&unit, &tiles), expected);
        let (one, other) = tiles.split_at(tiles.len() / 2);
        let maps = [one, other].map(|tiles| layer.run(&unit, tiles));
        assert_eq!(added(&maps), expected);
    }
}

#[proves("FSA-45")]
#[test]
fn units_of_different_lanes_share_a_map_slow() {
    let mut rng = ChaCha8Rng::seed_from_u64(4);
    let lanes = [(1, KINDS[3]), (3, KINDS[1]), (4, KINDS[0]), (7, KINDS[2])];
    let units = lanes.map(|(lanes, kind)| unit(kind, lanes));
    let layer = Layer::random(&mut rng, (10, 11), (3, 3), (3, 3), 2);
    let mut tiles = layer.tiles();
    tiles.shuffle(&mut rng);
    let shares = tiles.chunks(tiles.len().div_ceil(units.len()));
    let maps: Vec<_> = units
        .iter()
        .zip(shares)
        .map(|(unit, tiles)| layer.run(unit, tiles))
        .collect();
    assert_eq!(maps.len(), units.len());
    assert_eq!(added(&maps), layer.expected());
}

/// The sum of maps.
fn added(maps: &[Vec<i32>]) -> Vec<i32> {
    let sum = |at| maps.iter().map(|map| map[at]).sum();
    (0..maps[0].len()).map(sum).collect()
}
