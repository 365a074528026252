//! An identity matrix made of a stored 1 and a stored 0, by instructions that exist.

use heddle_arch::isa::{
    Drain, DrainPlace, Instruction, LoadWeights, Matmul, ROW_EPILOGUE, ROW_PROLOGUE, ROW_TENSOR,
    Record, RowBlock, Wait,
};
use heddle_arch::params::Params;
use heddle_arch::word::WORD_BYTES;

use super::check::{MatrixError, aligned, apart, at_work, depth, inside, legal, shape};
use crate::layout::{MatrixPlace, MatrixShape};
use crate::loops::Count;

/// Builds the identity of R x R in the state buffer.
///
/// Two constants are stored in partition 0: a word with 1 in its first element and 0 in the others.
/// Loaded as weights it gives a 1 to column 0, which drains as words of ones. Loaded in turn they give a
/// 1 to every column. The sums 1 and 0 of all columns are stored once; then each column in turn drains
/// them into its own partition, where its row of the identity wants them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct IdentityBuild {
    /// Where it is wanted, R x R.
    pub identity: MatrixPlace,
    /// Byte address in partition 0 of the word 1, 0, 0, 0, 0, 0, 0, 0: a multiple of the words of a row of
    /// weights.
    pub constants: u32,
    /// Byte address of the words of ones, as many as a row of weights has; what is there is lost.
    pub scratch: u32,
    /// Column tile with bias 0 and scale 1.
    pub tile: u16,
}

impl IdentityBuild {
    /// The instructions; the first one waits until all units are idle.
    ///
    /// # Errors
    /// If the matrix has another shape, or something does not fit.
    pub fn instructions(&self, params: &Params) -> Result<Vec<Instruction>, MatrixError> {
        self.check(params)?;
        self.unplaced(params)
    }

    /// The same, wherever it lies: as many words and cycles.
    pub(crate) fn unplaced(&self, params: &Params) -> Result<Vec<Instruction>, MatrixError> {
        let mut steps = Steps {
            instructions: Vec::new(),
            tile: self.tile,
            params,
        };
        let words = params.weight_words();
        // Sum 0 of column 0 is 1.
        steps.load(self.constants);
        steps.store(self.constants, 1);
        let ones = WORD_BYTES * words;
        steps.drain(DrainPlace::default(), &[(self.scratch, ones, 1)]);
        for _ in 0..ones {
            steps.send(0, 1);
        }
        // Sum 0 of every column is 1, sums 1 to 7 are 0.
        steps.load(self.scratch);
        steps.store(self.constants, WORD_BYTES);
        for row in 0..params.array.rows {
            self.row(row, &mut steps);
        }
        legal(steps.instructions, params)
    }

    /// A 1 and, in the other words, zeros; the rest of a word becomes 0 when it is written.
    fn row(&self, row: u32, steps: &mut Steps) {
        let step = steps.params.partition_step();
        let place = DrainPlace {
            first_column: row % step,
            rotate: row / step,
        };
        let one = self.identity.element(row, row).1;
        let first = self.identity.element(row, 0).1;
        let end = self.identity.end();
        let behind = (one / WORD_BYTES + 1) * WORD_BYTES;
        let (before, after) = ((one - first) / WORD_BYTES, (end - behind) / WORD_BYTES);
        let runs = [
            (one, 1, WORD_BYTES),
            (first, before, WORD_BYTES),
            (behind, after, WORD_BYTES),
        ];
        let runs: Vec<_> = runs.into_iter().filter(|run| run.1 > 0).collect();
        steps.drain(place, &runs);
        // The 1 and the first seven zeros follow one another.
        let mut left = 1 + before + after;
        steps.send(0, left.min(WORD_BYTES));
        left -= left.min(WORD_BYTES);
        while left > 0 {
            let zeros = left.min(WORD_BYTES - 1);
            steps.send(1, zeros);
            left -= zeros;
        }
    }

    fn check(&self, params: &Params) -> Result<(), MatrixError> {
        let rows = params.array.rows;
        shape(("identity", &self.identity), rows, rows)?;
        depth(params)?;
        // The constants and the ones lie like a matrix with a row of weights.
        let weights = MatrixShape {
            rows: 1,
            cols: params.array.cols,
        };
        let constants = MatrixPlace::new(weights, self.constants, params);
        let scratch = MatrixPlace::new(weights, self.scratch, params);
        let constants = ("constants", &constants);
        let scratch = ("scratch", &scratch);
        let identity = ("identity", &self.identity);
        for (named, base) in [(constants, self.constants), (scratch, self.scratch)] {
            aligned(named, base)?;
        }
        for named in [constants, scratch, identity] {
            inside(named, params)?;
            at_work(named, params)?;
        }
        apart(scratch, constants)?;
        apart(identity, constants)?;
        apart(identity, scratch)
    }
}

/// The instructions so far.
struct Steps<'p> {
    instructions: Vec<Instruction>,
    tile: u16,
    params: &'p Params,
}

impl Steps<'_> {
    /// The first waits for all units, a load for what drains write, a product for the load: operands and
    /// weights may lie in one bank.
    fn wait(&self, weights: bool, drain: bool) -> Wait {
        let first = self.instructions.is_empty();
        Wait {
            weights: weights || first,
            stream: first,
            drain: drain || first,
            ..Wait::default()
        }
    }

    fn counted(&self, row: u8, base: u32, trips: u32, step: u32) -> RowBlock {
        let bits = self.params.traversal.offset_bits;
        let loops = match trips {
            1 => Vec::new(),
            _ => vec![Count::new(trips, step).registers(bits)],
        };
        RowBlock { row, base, loops }
    }

    /// Words of row 0, the one at `base` last: it belongs to column 0.
    fn load(&mut self, base: u32) {
        let words = self.params.weight_words();
        let whole = words.next_power_of_two();
        let record = Record {
            rows: vec![self.counted(0, base + WORD_BYTES * (whole - words), words, WORD_BYTES)],
        };
        self.instructions
            .push(Instruction::LoadWeights(LoadWeights {
                wait: self.wait(false, true),
                rows: 1,
                tile_level: 0,
                flip: whole - 1,
                streamed: false,
                record,
            }));
    }

    /// Streams elements of partition 0 and stores the sums from address 0 on.
    fn store(&mut self, base: u32, count: u32) {
        let prologue = RowBlock {
            row: ROW_PROLOGUE,
            base: self.tile.into(),
            loops: Vec::new(),
        };
        let record = Record {
            rows: vec![prologue, self.counted(ROW_TENSOR, base, count, 1)],
        };
        let wait = self.wait(true, false);
        self.matmul(wait, (true, false), record);
    }

    /// Sends stored sums to post.
    fn send(&mut self, first: u32, count: u32) {
        let record = Record {
            rows: vec![self.counted(ROW_EPILOGUE, first, count, 1)],
        };
        let wait = self.wait(false, false);
        self.matmul(wait, (false, true), record);
    }

    fn matmul(&mut self, wait: Wait, (first, last): (bool, bool), record: Record) {
        self.instructions.push(Instruction::Matmul(Matmul {
            wait,
            rows: 1,
            first,
            last,
            bank: false,
            raised: false,
            cluster: false,
            tile_level: 0,
            threshold: 127,
            macs: u32::from(first) * self.params.array.cols,
            table: None,
            repeat: None,
            record,
        }));
    }

    /// One column writes runs of addresses: base, count, step.
    fn drain(&mut self, place: DrainPlace, runs: &[(u32, u32, u32)]) {
        let runs = runs.iter().zip(0..);
        let rows = runs.map(|(&(base, count, step), row)| self.counted(row, base, count, step));
        let record = Record {
            rows: rows.collect(),
        };
        self.instructions.push(Instruction::Drain(Drain {
            wait: self.wait(false, false),
            columns: 1,
            single: false,
            dual: false,
            tile: self.tile,
            lo: -128,
            hi: 127,
            place: (place != DrainPlace::default()).then_some(place),
            activation: 0,
            pooling: None,
            advance: None,
            record,
        }));
    }
}
