//! Clocks of a layer on an array of R rows and Q columns.
//!
//! The clocks of a run are those that `docs/offsets.md` promises, for skew: from the first slot at the
//! head to the last one on the last row. One operand for each row and clock, no bank conflicts.

use serde::Serialize;

use crate::workload::Layer;

/// Registers of the unit written for a run: 0 to 8.
const REGISTERS: u64 = 9;
/// Registers of `benches/offsets/im2col.v` without multipliers.
const PEER_REGISTERS: u64 = 21;

/// An array.
#[derive(Debug, Clone, Copy)]
pub struct Array {
    /// R.
    pub rows: u64,
    /// Q.
    pub columns: u64,
}

/// Clocks of one layer and one input.
#[derive(Debug, Clone, Copy, Default, Serialize)]
pub struct Clocks {
    /// Writing registers and tables, one value in a clock. Once for a shape.
    pub load: u64,
    /// Runs from tables.
    pub output_stationary: u64,
    pub weight_stationary: u64,
    /// The quicker one of each layer.
    pub best: u64,
    /// Copying the tensor to the im2col matrix, one element or 8 bytes in a clock.
    pub copy_elements: u64,
    pub copy_words: u64,
    /// Runs on the im2col matrix.
    pub matrix_output_stationary: u64,
    pub matrix_best: u64,
    /// Writing the registers of the address generator, once for a shape.
    pub generator_load: u64,
    /// Runs with it.
    pub generator: u64,
}

impl Array {
    /// Clocks of a layer.
    pub fn clocks(self, layer: &Layer) -> Clocks {
        let (t, k, groups) = (layer.rows(), layer.taps(), layer.groups);
        let tiles = layer.outputs().div_ceil(self.columns);
        let row_tiles = t.div_ceil(self.rows);
        let output_stationary = groups * (row_tiles * (self.rows + tiles * k) + self.rows);
        let weight_stationary =
            groups * (tiles * k.div_ceil(self.rows) * (self.rows + t) + self.rows);
        // Rows of a matrix lie at equal distances: their first addresses need no slots. Weights do.
        let matrix_output_stationary = groups * (row_tiles * tiles * k + self.rows);
        let copied = if layer.is_matrix() { 0 } else { groups * t * k };
        Clocks {
            load: REGISTERS + t + k,
            output_stationary,
            weight_stationary,
            best: output_stationary.min(weight_stationary),
            copy_elements: copied,
            copy_words: copied.div_ceil(8),
            matrix_output_stationary,
            matrix_best: matrix_output_stationary.min(weight_stationary),
            generator_load: PEER_REGISTERS,
            // Broadcast: no wave down the rows.
            generator: groups * (row_tiles * (self.rows + tiles * k) + 1),
        }
    }
}

impl Clocks {
    /// Sums; `load` only of layers whose tables are not those of a layer before.
    pub fn add(&mut self, layer: &Clocks, loaded: bool) {
        if loaded {
            self.load += layer.load;
            self.generator_load += layer.generator_load;
        }
        self.output_stationary += layer.output_stationary;
        self.weight_stationary += layer.weight_stationary;
        self.best += layer.best;
        self.copy_elements += layer.copy_elements;
        self.copy_words += layer.copy_words;
        self.matrix_output_stationary += layer.matrix_output_stationary;
        self.matrix_best += layer.matrix_best;
        self.generator += layer.generator;
    }
}
