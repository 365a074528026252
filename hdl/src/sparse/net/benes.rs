//! A Benes network.

use super::{BenesColumn, StreamStage};
use heddle_kernel::prelude::*;

/// Brings the stream of each port to any port, in any permutation, by 2 log2(n) - 1 columns of switches. The ports of a switch are n / 2
/// apart in the first column, half of that in the next one, down to 1, then up to n / 2 again.
///
/// # Timing
/// Registers behind the first column and behind every second one from there on: a word in cycle T is at the output in T + log2(n) if none is
/// before it. The switches stay as they are while there are words. A word moves on if there is room before it, so that streams do not
/// wait for each other.
#[module(name = "sparse_benes")]
pub struct Benes {
    /// Switches that are crossed, column by column, as in [`BenesColumn`].
    pub cross_i: [[Signal<In, Bit>; ports / 2]; columns],
    /// There is a word.
    pub valid_i: [Signal<In, Bit>; ports],
    /// It is taken.
    pub ready_o: [Signal<Out, Bit>; ports],
    /// The word.
    pub word_i: [[Signal<In, Bits<9>>; 4]; ports],
    /// There is a word.
    pub valid_o: [Signal<Out, Bit>; ports],
    /// It is taken.
    pub ready_i: [Signal<In, Bit>; ports],
    /// The word.
    pub word_o: [[Signal<Out, Bits<9>>; 4]; ports],
    /// There are words on their way.
    pub busy_o: Signal<Out, Bit>,
    #[new((0..columns).map(|column| BenesColumn::new(ports, 1 << column.abs_diff(stages - 1))).collect())]
    column: Vec<BenesColumn>,
    #[new(StreamStage::new(ports))]
    stage: [StreamStage; stages],
    busy: [Signal<Local, Bit>; stages + 1],
    /// Ports, a power of two from 2 on.
    _ports: Param<'n'>,
    #[new(ports.ilog2() as usize)]
    _stages: usize,
    #[new(2 * stages - 1)]
    _columns: usize,
}

#[kernel]
impl Benes {
    fn update(&mut self) {
        self.ends();
        for s in 0..self._stages {
            self.to_stage(s);
        }
        for s in 1..self._stages {
            self.from_stage(s);
        }
        self.busy[0] = false;
        for s in 0..self._stages {
            self.busy[s + 1] = self.busy[s] | self.stage[s].busy_o;
        }
        self.busy_o = self.busy[self._stages];
        for c in 0..self._columns {
            for i in 0..(self._ports / 2) {
                self.column[c].cross_i[i] = self.cross_i[c][i];
            }
        }
    }

    /// The first column, and the last registers.
    fn ends(&mut self) {
        for i in 0..self._ports {
            self.column[0].valid_i[i] = self.valid_i[i];
            self.ready_o[i] = self.column[0].ready_o[i];
            self.valid_o[i] = self.stage[self._stages - 1].valid_o[i];
            self.stage[self._stages - 1].ready_i[i] = self.ready_i[i];
            for k in 0..4 {
                self.column[0].word_i[i][k] = self.word_i[i][k];
                self.word_o[i][k] = self.stage[self._stages - 1].word_o[i][k];
            }
        }
    }

    /// A column and the registers behind it.
    fn to_stage(&mut self, s: usize) {
        for i in 0..self._ports {
            self.stage[s].valid_i[i] = self.column[2 * s].valid_o[i];
            self.column[2 * s].ready_i[i] = self.stage[s].ready_o[i];
            for k in 0..4 {
                self.stage[s].word_i[i][k] = self.column[2 * s].word_o[i][k];
            }
        }
    }

    /// The registers before a column, and the column behind it.
    fn from_stage(&mut self, s: usize) {
        for i in 0..self._ports {
            self.column[2 * s - 1].valid_i[i] = self.stage[s - 1].valid_o[i];
            self.stage[s - 1].ready_i[i] = self.column[2 * s - 1].ready_o[i];
            self.column[2 * s].valid_i[i] = self.column[2 * s - 1].valid_o[i];
            self.column[2 * s - 1].ready_i[i] = self.column[2 * s].ready_o[i];
            for k in 0..4 {
                self.column[2 * s - 1].word_i[i][k] = self.stage[s - 1].word_o[i][k];
                self.column[2 * s].word_i[i][k] = self.column[2 * s - 1].word_o[i][k];
            }
        }
    }
}
