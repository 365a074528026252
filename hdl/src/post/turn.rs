//! One step of the way from the columns to the partitions.

use crate::prelude::*;

/// Hands every word on to the partition of its number, or to the one `shift` places further.
///
/// # Timing
/// Combinational.
#[derive(LogicBlock)]
pub struct DrainTurn {
    /// Further, else straight on.
    pub turn_i: Signal<In, Bit>,
    /// There is a word.
    pub valid_i: Vec<Signal<In, Bit>>,
    /// Word addresses.
    pub word_i: Vec<Signal<In, Bits<13>>>,
    /// Words of eight bytes.
    pub data_i: Vec<Vec<Signal<In, Bits<8>>>>,
    /// There is a word.
    pub valid_o: Vec<Signal<Out, Bit>>,
    /// Word addresses.
    pub word_o: Vec<Signal<Out, Bits<13>>>,
    /// Words of eight bytes.
    pub data_o: Vec<Vec<Signal<Out, Bits<8>>>>,
    _rows: usize,
    _shift: usize,
}

impl DrainTurn {
    /// For `rows` partitions; `shift` is below `rows`.
    pub fn new(rows: usize, shift: usize) -> Self {
        Self {
            turn_i: Default::default(),
            valid_i: v(rows),
            word_i: v(rows),
            data_i: (0..rows).map(|_| v(8)).collect(),
            valid_o: v(rows),
            word_o: v(rows),
            data_o: (0..rows).map(|_| v(8)).collect(),
            _rows: rows,
            _shift: shift,
        }
    }
}

impl Logic for DrainTurn {
    #[hdl_gen]
    fn update(&mut self) {
        for r in 0..self._rows {
            self.valid_o[r].next = self.valid_i[r].val();
            self.word_o[r].next = self.word_i[r].val();
            if self.turn_i.val() {
                if r < self._shift {
                    self.valid_o[r].next = self.valid_i[r + self._rows - self._shift].val();
                    self.word_o[r].next = self.word_i[r + self._rows - self._shift].val();
                } else {
                    self.valid_o[r].next = self.valid_i[r - self._shift].val();
                    self.word_o[r].next = self.word_i[r - self._shift].val();
                }
            }
            for k in 0..8 {
                self.data_o[r][k].next = self.data_i[r][k].val();
                if self.turn_i.val() {
                    if r < self._shift {
                        self.data_o[r][k].next = self.data_i[r + self._rows - self._shift][k].val();
                    } else {
                        self.data_o[r][k].next = self.data_i[r - self._shift][k].val();
                    }
                }
            }
        }
    }
    module!(|this| Meta::module("drain_turn")
        .param("rows", "r", this._rows, "partitions")
        .param("shift", "s", this._shift, "places"));
}
