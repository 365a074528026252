//! Products of matrices in the state buffer.

use heddle_arch::isa::{
    Drain, DrainPlace, Instruction, LoadWeights, Matmul, ROW_EPILOGUE, ROW_PROLOGUE, ROW_TENSOR,
    Record, RowBlock, Wait,
};
use heddle_arch::params::Params;
use heddle_arch::requantise::Rounding;
use heddle_arch::word::WORD_BYTES;

use super::check::{MatrixError, apart, legal, places, shape};
use super::drain_form::Pause;
use super::pieces::{Piece, pieces};
use crate::layout::{MatrixPlace, Run};
use crate::loops::Count;

/// How operands are decoded and sums become bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Scaling {
    /// Zero point of the moving matrix.
    pub zero_point: i8,
    /// Column tile of bias, multiplier and shift, the same for all groups of columns of the weights.
    pub tile: u16,
    /// Each group of columns of the weights, that is of rows of the result, has a column tile of its own, from `tile` on.
    pub tile_per_group: bool,
    /// Rounding of the scaled sums.
    pub rounding: Rounding,
    /// Bounds of the results less their zero point.
    pub bounds: (i16, i16),
}

impl Scaling {
    /// Sums of -128 to 127 go through unchanged; the tile has bias 0 and scale 1.
    #[must_use]
    pub fn unchanged(tile: u16) -> Self {
        Self {
            zero_point: 0,
            tile,
            tile_per_group: false,
            rounding: Rounding::Double,
            bounds: (-128, 127),
        }
    }
}

/// The product of W transposed and X: W is loaded as weights (as int8, zero point 0), X is streamed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Product {
    /// W, k x n.
    pub weights: MatrixPlace,
    /// X, k x t; no bank holds both matrices.
    pub moving: MatrixPlace,
    /// The product, n x t; no part of W or X.
    pub result: MatrixPlace,
    /// Decoding and scaling.
    pub scaling: Scaling,
}

impl Product {
    /// The instructions; the first one waits until all units are idle.
    ///
    /// # Errors
    /// If the shapes do not belong together, the matrices do not fit, or results would overwrite what is
    /// still to be read.
    pub fn instructions(&self, params: &Params) -> Result<Vec<Instruction>, MatrixError> {
        let weights = ("weights", &self.weights);
        let moving = ("moving matrix", &self.moving);
        let result = ("result", &self.result);
        self.check_shapes()?;
        places(weights, moving, result, params)?;
        apart(result, weights)?;
        apart(result, moving)?;
        self.unplaced(params)
    }

    /// The same, wherever the matrices lie: as many words and cycles.
    pub(crate) fn unplaced(&self, params: &Params) -> Result<Vec<Instruction>, MatrixError> {
        self.check_shapes()?;
        let w = self.weights.shape;
        let bands = w.rows.div_ceil(params.array.rows);
        let mut pass = Pass::new(self.scaling, params);
        for piece in pieces(&self.weights, params) {
            if self.scaling.tile_per_group {
                pass.set_tile(self.scaling.tile + piece.group as u16);
            }
            pass.drain(&piece, &self.result);
            // The runs of all bands are alike but for their addresses.
            let parts = |band| {
                let runs = self.moving.runs(band).into_iter();
                runs.flat_map(|run| run.parts(params.results_buffer.depth))
            };
            for part in 0..parts(0).count() {
                for band in 0..bands {
                    let run = parts(band).nth(part).expect("as many as in band 0");
                    let rows = params.array.rows.min(w.rows - band * params.array.rows);
                    pass.load(&self.weights, band, &piece, rows);
                    pass.stream(&run, &piece, rows, band == 0, band + 1 == bands);
                }
                pass.next_bank();
            }
        }
        legal(pass.instructions, params)
    }

    fn check_shapes(&self) -> Result<(), MatrixError> {
        let (w, x) = (self.weights.shape, self.moving.shape);
        shape(("moving matrix", &self.moving), w.rows, x.cols)?;
        shape(("result", &self.result), w.cols, x.cols)
    }
}

/// Instructions of passes through the array.
pub(super) struct Pass<'p> {
    pub instructions: Vec<Instruction>,
    scaling: Scaling,
    params: &'p Params,
    bank: bool,
    /// The bias of the column tile is loaded.
    biased: bool,
    /// The instruction with this number waits for all units.
    settled: usize,
}

impl<'p> Pass<'p> {
    pub fn new(scaling: Scaling, params: &'p Params) -> Self {
        Self {
            instructions: Vec::new(),
            scaling,
            params,
            bank: false,
            biased: false,
            settled: 0,
        }
    }

    /// The next instruction waits for all units.
    pub fn settle(&mut self) {
        self.settled = self.instructions.len();
    }

    /// The first instruction waits for all units, the others for the unit they start.
    fn wait(&self) -> Wait {
        let first = self.instructions.len() == self.settled;
        Wait {
            weights: first,
            stream: first,
            drain: first,
            ..Wait::default()
        }
    }

    /// Products and drains from now on have another column tile.
    pub fn set_tile(&mut self, tile: u16) {
        self.scaling.tile = tile;
        self.biased = false;
    }

    /// The drains from now on clamp to other bounds.
    pub fn set_bounds(&mut self, bounds: (i16, i16)) {
        self.scaling.bounds = bounds;
    }

    pub fn next_bank(&mut self) {
        self.bank = !self.bank;
    }

    /// Results of a piece go to the rows of a band, all columns.
    pub fn drain(&mut self, piece: &Piece, result: &MatrixPlace) {
        let bits = self.params.traversal.offset_bits;
        let runs = result.runs(piece.band).into_iter().zip(0..);
        let place = (piece.place != DrainPlace::default()).then_some(piece.place);
        self.instructions.push(Instruction::Drain(Drain {
            wait: self.wait(),
            columns: piece.columns,
            single: self.scaling.rounding == Rounding::Single,
            dual: false,
            tile: self.scaling.tile,
            lo: self.scaling.bounds.0,
            hi: self.scaling.bounds.1,
            place,
            activation: 0,
            pooling: None,
            advance: None,
            record: Record {
                rows: runs.map(|(run, row)| run.block(row, bits)).collect(),
            },
        }));
    }

    /// A band of rows of a matrix becomes the weights, the columns of the piece's group.
    pub fn load(&mut self, weights: &MatrixPlace, band: u32, piece: &Piece, rows: u32) {
        let (base, flip, words) = weights.weight_words(band, piece.group);
        self.instructions
            .push(Instruction::LoadWeights(LoadWeights {
                wait: self.wait(),
                rows,
                tile_level: 0,
                flip,
                streamed: false,
                record: Record {
                    rows: vec![RowBlock {
                        row: 0,
                        base,
                        loops: vec![
                            Count::new(words, WORD_BYTES)
                                .registers(self.params.traversal.offset_bits),
                        ],
                    }],
                },
            }));
    }

    /// Streams the columns of a run.
    pub fn stream(&mut self, run: &Run, piece: &Piece, rows: u32, first: bool, last: bool) {
        let mut blocks = vec![self.tensor(run)];
        if first {
            blocks.insert(0, self.prologue(&[]));
        }
        self.matmul(blocks, rows, piece.columns, (first, last));
    }

    /// Streams the columns of a run, stores their sums, and sends them to post after a pause.
    pub fn stream_stored(&mut self, run: &Run, piece: &Piece, rows: u32, pause: &Pause) {
        let bits = self.params.traversal.offset_bits;
        let stored = RowBlock {
            row: ROW_EPILOGUE,
            base: 0,
            loops: vec![Count::new(run.columns(), 1).registers(bits)],
        };
        let tensor = self.tensor(run);
        let columns = piece.columns;
        match pause {
            Pause::Slots(loops) if loops.is_empty() => {
                let blocks = vec![self.prologue(&[]), tensor, stored];
                self.matmul(blocks, rows, columns, (true, false));
            }
            Pause::Slots(loops) => {
                // The slots of the pause load the bias that the next sub-block starts from.
                if !self.biased {
                    self.matmul(vec![self.prologue(&[])], rows, columns, (true, false));
                    self.biased = true;
                }
                let blocks = vec![tensor, self.prologue(loops), stored];
                self.matmul(blocks, rows, columns, (true, false));
            }
            Pause::Words(more) => {
                let blocks = vec![self.prologue(&[]), tensor];
                self.matmul(blocks, rows, columns, (true, false));
                let blocks = Pause::lengthen(*more, stored);
                self.matmul(blocks, rows, 0, (false, true));
            }
        }
    }

    fn tensor(&self, run: &Run) -> RowBlock {
        run.block(ROW_TENSOR, self.params.traversal.offset_bits)
    }

    /// Prologue slots, the last of them for the column tile.
    fn prologue(&self, loops: &[Count]) -> RowBlock {
        let bits = self.params.traversal.offset_bits;
        let steps: u32 = loops.iter().map(|count| count.trips - 1).sum();
        RowBlock {
            row: ROW_PROLOGUE,
            base: u32::from(self.scaling.tile) - steps,
            loops: loops.iter().map(|count| count.registers(bits)).collect(),
        }
    }

    /// A MATMUL of these rows; it is the first, the last of its sums.
    fn matmul(&mut self, blocks: Vec<RowBlock>, rows: u32, columns: u32, ends: (bool, bool)) {
        let tensor = blocks.iter().find(|block| block.row == ROW_TENSOR);
        let tile_level = tensor.map_or(0, |tensor| tensor.loops.len() as u32 - 1);
        self.instructions.push(Instruction::Matmul(Matmul {
            wait: self.wait(),
            rows,
            first: ends.0,
            last: ends.1,
            bank: self.bank,
            raised: false,
            cluster: false,
            tile_level,
            threshold: (127 - i16::from(self.scaling.zero_point)) as u8,
            macs: rows * columns,
            table: None,
            repeat: None,
            record: Record { rows: blocks },
        }));
    }
}
