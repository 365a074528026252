//! The order of a layer's instructions, which is that of its drains.
//!
//! A drain waits until the one before has written its last result. So it comes after its product, whose first result leaves time for
//! its instruction. If the K tiles before the last one do not take long enough for the drain before as well, the product waits for that.
//! Where products have a single K tile each, one drain may take the results of several.

use heddle_arch::isa::Instruction;
use heddle_arch::params::MachineUnit;
use heddle_arch::word::WORD_BYTES;

use super::column_run::{ColumnRun, ColumnTile, column_runs};
use super::layer::PlacedLayer;
use super::pixel_tiles::{PixelTile, pixel_tiles};
use crate::cost;

/// Cycles from a product's start to its first result, besides the rows, less those of the instruction of a drain behind it, besides its words: 5 until the
/// first vector and 11 for its result, less 2 until the instruction is read and 4 until the first address.
const EARLY_CYCLES: u64 = 10;

/// Cycles from the last vector of a product to the first address of the drain behind the next one, less those to the first vector of that, besides the columns, the options of
/// post-processing and the words of both: 13 until the drain before is idle and 4 until the first address, less 1 until the stream is idle and 5.
const LATE_CYCLES: u64 = 11;

impl PlacedLayer<'_> {
    /// All instructions of the layer, HALT excluded.
    pub fn instructions(&self) -> Vec<Instruction> {
        let apart = self.drained_apart();
        let cycles = |instructions: &[Instruction]| cost::alone(instructions.to_vec(), self.params);
        match self.drained_together() {
            Some(together) if cycles(&together) < cycles(&apart) => together,
            _ => apart,
        }
    }

    /// Sums of a plane that a results bank holds.
    fn depth(&self) -> u32 {
        self.params.results_buffer.depth / self.weights.window()
    }

    /// A drain for each product.
    fn drained_apart(&self) -> Vec<Instruction> {
        let plan = self.weights;
        let runs = || plan.runs.iter().enumerate();
        let mut instructions = Vec::new();
        let mut bank = false;
        for part in 0..plan.orders.parts() {
            let [height, width] = self.extent(part);
            let of_part = |run: &ColumnRun| plan.part(run.tiles.start) == part;
            for tile in &pixel_tiles(height, width, self.depth()) {
                for (index, run) in runs().filter(|(_, run)| of_part(run)) {
                    let between = plan.streaming.map_or(tile.pixels(), |s| s.period);
                    let slots = (run.k_tiles - 1) * u64::from(between);
                    let drain = self.drain(run, tile);
                    instructions.push(self.load_weights(run, plan.offset(index)));
                    let products = self.matmuls(run, tile, bank);
                    instructions.extend(self.with_drain(products, drain, slots));
                    bank = !bank;
                }
            }
        }
        instructions
    }

    /// A drain for all products of equal column tiles, one column tile behind the other; none if they have several K tiles.
    fn drained_together(&self) -> Option<Vec<Instruction>> {
        let plan = self.weights;
        let single = plan.runs.iter().all(|run| run.k_tiles == 1) && plan.streaming.is_none();
        let mut instructions = Vec::new();
        let mut bank = false;
        for equal in self.equal_tiles(single)? {
            let [height, width] = self.extent(plan.part(equal.tiles.start));
            let mut drain = Some(self.drain(&equal, &PixelTile::whole(height, width)));
            let tiles = pixel_tiles(height, width, self.depth());
            for column_tile in equal.tiles {
                let run = ColumnRun {
                    tiles: column_tile..column_tile + 1,
                    k_tiles: 1,
                    plane_step: 0,
                };
                let offset = u64::from(WORD_BYTES * column_tile * plan.tile_words);
                for tile in &tiles {
                    instructions.push(self.load_weights(&run, offset));
                    let products = self.matmuls(&run, tile, bank);
                    instructions.extend(match drain.take() {
                        Some(drain) => self.with_drain(products, drain, 0),
                        None => products,
                    });
                    bank = !bank;
                }
            }
        }
        Some(instructions)
    }

    /// Column tiles of single K tiles whose results lie at equal distances, those of other parts too.
    fn equal_tiles(&self, single: bool) -> Option<Vec<ColumnRun>> {
        let plan = self.weights;
        let parts = 0..plan.orders.parts();
        let rows_apart = parts
            .clone()
            .any(|part| self.extent(part)[1] > self.depth());
        if !single || rows_apart {
            return None;
        }
        let tiles = (0..plan.column_tiles).map(|tile| {
            let [height, width] = self.extent(plan.part(tile));
            let alike = |&part: &u32| self.extent(part) == [height, width];
            ColumnTile {
                part: parts.clone().find(alike).unwrap_or(0),
                columns: plan.columns(tile),
                k_tiles: 1,
                plane: self.result(tile, &PixelTile::whole(height, width)),
            }
        });
        let loops = self.params.traversal.row_loops(MachineUnit::Drain, 0);
        Some(column_runs(&tiles.collect::<Vec<_>>(), loops > 2))
    }

    /// The drain comes after the product if it is there in time for the first result, so many slots after the first vector; else in front of it.
    fn with_drain(
        &self,
        mut products: Vec<Instruction>,
        drain: Instruction,
        slots: u64,
    ) -> Vec<Instruction> {
        let params = self.params;
        let [own, words] = [&products[0], &drain].map(|of| of.words() as u64);
        let before = u64::from(params.array.cols + params.post.extra_cycles()) + LATE_CYCLES;
        let in_time = words <= slots + u64::from(params.array.rows) + EARLY_CYCLES;
        products[0].wait_mut().drain = in_time && before + words > slots + own;
        products.insert(usize::from(in_time), drain);
        products
    }
}
