//! The clocked bias memories: what enters the array at the top.

use crate::delay::DelayLine;

/// A bias on its way to the memory of one column.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct BiasWrite {
    /// The write is valid.
    pub valid: bool,
    /// Columns still to pass; taken where it is 0.
    pub column: u8,
    /// Column tile.
    pub tile: u8,
    /// Bias.
    pub data: i32,
}

/// Inputs of one clock cycle, travelling from column to column.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct BiasInputs {
    /// Prologue slot: load the bias of `tile`.
    pub load: bool,
    /// Column tile of the prologue slot.
    pub tile: u8,
    /// Tensor slot of a first K tile.
    pub first: bool,
    /// Write port.
    pub write: BiasWrite,
}

/// Outputs of one column.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct BiasColumnOutputs {
    /// Inputs as the next column gets them.
    pub next: BiasInputs,
    /// Bias two cycles after a first slot, else 0.
    pub psum: i32,
}

/// One column: a memory of biases, one per column tile.
#[derive(Debug, Clone)]
pub struct BiasColumnModel {
    biases: Vec<i32>,
    current: i32,
    next: DelayLine<BiasInputs>,
    sums: DelayLine<i32>,
}

impl BiasColumnModel {
    /// A column with `tiles` biases.
    pub fn new(tiles: usize) -> Self {
        Self {
            biases: vec![0; tiles],
            current: 0,
            next: DelayLine::new(1),
            sums: DelayLine::new(2),
        }
    }

    /// One clock cycle: returns the outputs of this cycle, then takes the clock edge. A slot is
    /// either a load or a first, never both.
    pub fn step(&mut self, inputs: &BiasInputs) -> BiasColumnOutputs {
        let start = if inputs.first { self.current } else { 0 };
        if inputs.load {
            self.current = self.biases[usize::from(inputs.tile)];
        }
        let write = inputs.write;
        if write.valid && write.column == 0 {
            self.biases[usize::from(write.tile)] = write.data;
        }
        let mut next = *inputs;
        next.write.column = write.column.wrapping_sub(1);
        BiasColumnOutputs {
            next: self.next.shift(next),
            psum: self.sums.shift(start),
        }
    }
}

/// The chain of columns.
#[derive(Debug, Clone)]
pub struct BiasRowModel {
    columns: Vec<BiasColumnModel>,
}

impl BiasRowModel {
    /// `cols` columns with `tiles` biases each.
    pub fn new(cols: usize, tiles: usize) -> Self {
        Self {
            columns: vec![BiasColumnModel::new(tiles); cols],
        }
    }

    /// One clock cycle: returns the value of each column, then takes the clock edge.
    pub fn step(&mut self, inputs: &BiasInputs) -> Vec<i32> {
        let mut travelling = *inputs;
        let mut sums = Vec::with_capacity(self.columns.len());
        for column in &mut self.columns {
            let outputs = column.step(&travelling);
            travelling = outputs.next;
            sums.push(outputs.psum);
        }
        sums
    }
}
