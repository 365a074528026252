//! One run of a core: tables, registers, operands, weights.

use heddle_blocks::offsets::pack::Weights;
use heddle_sim::blocks::gemm::GemmOptions;
use heddle_sim::blocks::offsets::Write;
use heddle_sim::blocks::offsets::examples::Lists;

/// Weight stationary.
pub const WEIGHTS: u32 = 1;
/// Offsets are steps.
pub const STEPS: u32 = 2;
/// Masks are used.
pub const MASKS: u32 = 4;
/// Each iteration is stored.
pub const EACH: u32 = 8;

/// What is run.
#[derive(Debug, Clone)]
pub struct Layer {
    /// Tables.
    pub lists: Lists,
    /// Output channels.
    pub outputs: usize,
    /// Mode register.
    pub mode: u32,
    /// Unit shift.
    pub shift: u32,
    /// Byte address of the first operand.
    pub a_origin: u32,
    /// Address of the first weight word.
    pub b_origin: u16,
    /// Operands with their byte addresses from the origin on.
    pub operands: Vec<(u32, i8)>,
    /// Weight (channel, position): channel * taps + position.
    pub weights: Vec<i8>,
    /// Of each tap of the table the position of its weight.
    pub order: Vec<u32>,
}

impl Layer {
    /// One-byte operands that lie one after the other.
    pub fn new(lists: Lists, operands: &[i8], weights: &[i8], mode: u32) -> Self {
        Self {
            outputs: weights.len() / lists.offsets.len(),
            order: (0..lists.offsets.len() as u32).collect(),
            lists,
            mode,
            shift: 0,
            a_origin: 0,
            b_origin: 0,
            operands: (0..).zip(operands.iter().copied()).collect(),
            weights: weights.to_vec(),
        }
    }

    /// The same with another mode.
    pub fn with_mode(&self, mode: u32) -> Self {
        Self {
            mode,
            ..self.clone()
        }
    }

    /// Weight stationary.
    pub fn weight_stationary(&self) -> bool {
        self.mode & WEIGHTS != 0
    }

    /// How often each result leaves an array of so many rows.
    pub fn iterations(&self, rows: usize) -> usize {
        let taps = self.lists.offsets.len();
        match (self.mode & EACH != 0, self.weight_stationary()) {
            (false, _) => 1,
            (true, false) => taps,
            (true, true) => taps.div_ceil(rows),
        }
    }

    /// Writes of the tables from entry 0 on.
    pub fn tables(&self) -> Vec<Write> {
        self.lists.writes(0, 0)
    }

    /// Writes of all registers.
    pub fn registers(&self) -> Vec<Write> {
        let values = [
            self.a_origin,
            self.b_origin.into(),
            self.lists.bases.len() as u32,
            self.lists.offsets.len() as u32,
            self.outputs as u32,
            0,
            0,
            self.shift,
            self.mode,
        ];
        (0..)
            .zip(values)
            .map(|(index, value)| Write::register(index, value))
            .collect()
    }

    /// Operands at their places in the memory.
    pub fn placed_operands(&self) -> Vec<(u32, i8)> {
        let place =
            |(address, operand): &(u32, i8)| (self.a_origin.wrapping_add(*address), *operand);
        self.operands.iter().map(place).collect()
    }

    /// Weight words of a core with their addresses, as the compiler packs them.
    pub fn words(&self, options: &GemmOptions) -> Vec<(u16, Vec<i8>)> {
        let (rows, cols) = (options.unit.rows, options.unit.cols);
        let weights = Weights {
            values: &self.weights,
            order: &self.order,
        };
        let bytes = match self.weight_stationary() {
            true => weights.weight_stationary(rows, cols),
            false => weights.output_stationary(cols),
        };
        let words = bytes.chunks(cols).map(<[i8]>::to_vec);
        (self.b_origin..).zip(words).collect()
    }
}
