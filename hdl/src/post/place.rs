//! From the columns that drain to the partitions.

use super::DrainTurn;
use crate::prelude::*;
use heddle_arch::params::common_divisor;

/// Hands the words of the columns to the partitions: column c to partition (g * `turn_i` + c) modulo
/// the number of partitions, where g is the greatest common divisor of rows and columns.
///
/// The columns that drain at the same time are at most as many as the partitions, one behind another, so
/// that no two of them meet.
///
/// # Timing
/// A word on `valid_i` in cycle T is on `valid_o` in T+1. `turn_i` is stable while a drain is active.
#[derive(LogicBlock)]
pub struct DrainPlace {
    /// Clock.
    pub clk: Signal<In, Clock>,
    /// Reset, active low.
    pub rst_n: Signal<In, Bit>,
    /// Steps by which the columns are turned.
    pub turn_i: Signal<In, Bits<8>>,
    /// One per column: there is a word.
    pub valid_i: Vec<Signal<In, Bit>>,
    /// Word addresses.
    pub word_i: Vec<Signal<In, Bits<13>>>,
    /// Words of eight bytes.
    pub data_i: Vec<Vec<Signal<In, Bits<8>>>>,
    /// One per partition: there is a word.
    pub valid_o: Vec<Signal<Out, Bit>>,
    /// Word addresses.
    pub word_o: Vec<Signal<Out, Bits<13>>>,
    /// Words of eight bytes.
    pub data_o: Vec<Vec<Signal<Out, Bits<8>>>>,
    /// Columns, and as many that do not exist as make a multiple of the partitions.
    column_valid: Vec<Signal<Local, Bit>>,
    column_word: Vec<Signal<Local, Bits<13>>>,
    column_data: Vec<Vec<Signal<Local, Bits<8>>>>,
    /// Columns beyond the number of partitions begin with partition 0 again.
    lane_valid: Vec<Signal<Local, Bit>>,
    lane_word: Vec<Signal<Local, Bits<13>>>,
    lane_data: Vec<Vec<Signal<Local, Bits<8>>>>,
    turn: Vec<DrainTurn>,
    valid: Vec<Reg<Bit>>,
    word: Vec<Delay<Bits<13>>>,
    data: Vec<Vec<Delay<Bits<8>>>>,
    _rows: usize,
    _cols: usize,
    _rounds: usize,
    _padded: usize,
    _turns: usize,
}

impl DrainPlace {
    /// From `cols` columns to `rows` partitions.
    pub fn new(rows: usize, cols: usize) -> Self {
        let step = common_divisor(rows as u32, cols as u32) as usize;
        let places = rows / step;
        // Bit b of the turn shifts by 2^b steps.
        let turn: Vec<DrainTurn> = (0..usize::BITS - (places - 1).leading_zeros())
            .map(|bit| DrainTurn::new(rows, (step << bit) % rows))
            .collect();
        Self {
            clk: Default::default(),
            rst_n: Default::default(),
            turn_i: Default::default(),
            valid_i: v(cols),
            word_i: v(cols),
            data_i: (0..cols).map(|_| v(8)).collect(),
            valid_o: v(rows),
            word_o: v(rows),
            data_o: (0..rows).map(|_| v(8)).collect(),
            column_valid: v(cols.next_multiple_of(rows)),
            column_word: v(cols.next_multiple_of(rows)),
            column_data: (0..cols.next_multiple_of(rows)).map(|_| v(8)).collect(),
            lane_valid: v(rows),
            lane_word: v(rows),
            lane_data: (0..rows).map(|_| v(8)).collect(),
            valid: v(rows),
            word: v(rows),
            data: (0..rows).map(|_| v(8)).collect(),
            _rows: rows,
            _cols: cols,
            _rounds: cols.div_ceil(rows),
            _padded: cols.next_multiple_of(rows),
            _turns: turn.len(),
            turn,
        }
    }
}

impl Logic for DrainPlace {
    #[hdl_gen]
    fn update(&mut self) {
        for i in 0..self._padded {
            if i < self._cols {
                self.column_valid[i].next = self.valid_i[i].val();
                self.column_word[i].next = self.word_i[i].val();
            } else {
                self.column_valid[i].next = false;
                self.column_word[i].next = 0.into();
            }
            for k in 0..8 {
                if i < self._cols {
                    self.column_data[i][k].next = self.data_i[i][k].val();
                } else {
                    self.column_data[i][k].next = 0.into();
                }
            }
        }
        for r in 0..self._rows {
            self.lane_valid[r].next = false;
            self.lane_word[r].next = 0.into();
            for n in 0..self._rounds {
                if self.column_valid[n * self._rows + r].val() {
                    self.lane_valid[r].next = true;
                    self.lane_word[r].next = self.column_word[n * self._rows + r].val();
                }
            }
            for k in 0..8 {
                self.lane_data[r][k].next = 0.into();
                for n in 0..self._rounds {
                    if self.column_valid[n * self._rows + r].val() {
                        self.lane_data[r][k].next = self.column_data[n * self._rows + r][k].val();
                    }
                }
            }
        }

        for b in 0..self._turns {
            self.turn[b].turn_i.next = self.turn_i.val().get_bit(b);
            for r in 0..self._rows {
                if b > 0 {
                    self.turn[b].valid_i[r].next = self.turn[b - 1].valid_o[r].val();
                    self.turn[b].word_i[r].next = self.turn[b - 1].word_o[r].val();
                } else {
                    self.turn[b].valid_i[r].next = self.lane_valid[r].val();
                    self.turn[b].word_i[r].next = self.lane_word[r].val();
                }
                for k in 0..8 {
                    if b > 0 {
                        self.turn[b].data_i[r][k].next = self.turn[b - 1].data_o[r][k].val();
                    } else {
                        self.turn[b].data_i[r][k].next = self.lane_data[r][k].val();
                    }
                }
            }
        }

        for r in 0..self._rows {
            self.valid[r].clk.next = self.clk.val();
            self.valid[r].rst_n.next = self.rst_n.val();
            self.word[r].clk.next = self.clk.val();
            if self._turns > 0 {
                self.valid[r].d_i.next = self.turn[self._turns - 1].valid_o[r].val();
                self.word[r].d_i.next = self.turn[self._turns - 1].word_o[r].val();
            } else {
                self.valid[r].d_i.next = self.lane_valid[r].val();
                self.word[r].d_i.next = self.lane_word[r].val();
            }
            self.valid_o[r].next = self.valid[r].q_o.val();
            self.word_o[r].next = self.word[r].q_o.val();
            for k in 0..8 {
                self.data[r][k].clk.next = self.clk.val();
                if self._turns > 0 {
                    self.data[r][k].d_i.next = self.turn[self._turns - 1].data_o[r][k].val();
                } else {
                    self.data[r][k].d_i.next = self.lane_data[r][k].val();
                }
                self.data_o[r][k].next = self.data[r][k].q_o.val();
            }
        }
    }
    module!(|this| Meta::module("drain_place")
        .param("rows", "r", this._rows, "partitions")
        .param("cols", "c", this._cols, "columns")
        .hidden("rounds", this._rounds, "columns for each partition")
        .hidden(
            "padded",
            this._padded,
            "columns, also those that do not exist"
        )
        .hidden("turns", this._turns, "bits of a turn"));
}
