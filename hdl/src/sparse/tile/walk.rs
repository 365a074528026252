//! The words of a rectangle.

use heddle_kernel::prelude::*;

/// Names the words of a rectangle, row by row.
///
/// # Timing
/// `start_i` in cycle T: `busy_o` is high and the first word is at the output from T+1 on; `step_i` goes to the next one.
#[module]
pub struct TileWalk {
    /// A rectangle begins, if none is under way.
    pub start_i: Signal<In, Bit>,
    /// Its first word.
    pub first_i: Signal<In, Bits<16>>,
    /// Its rows, at least 1.
    pub rows_i: Signal<In, Bits<8>>,
    /// Its columns, at least 1.
    pub cols_i: Signal<In, Bits<8>>,
    /// Words from row to row.
    pub pitch_i: Signal<In, Bits<16>>,
    /// The next word.
    pub step_i: Signal<In, Bit>,
    /// There is a word.
    pub busy: OutReg<Bit>,
    /// The word.
    pub addr: OutRegData<Bits<16>>,
    /// It is the last one.
    pub last_o: Signal<Out, Bit>,
    /// First word of the row.
    row_addr: RegData<Bits<16>>,
    cols: RegData<Bits<8>>,
    /// Rows and columns that are left, with those of the word.
    rows_left: RegData<Bits<8>>,
    cols_left: RegData<Bits<8>>,
    ends_row: Signal<Local, Bit>,
    last: Signal<Local, Bit>,
    next_row: Signal<Local, Bits<16>>,
}

#[kernel]
impl TileWalk {
    fn update(&mut self) {
        self.ends_row = self.cols_left == 1;
        self.last = self.ends_row & (self.rows_left == 1);
        self.last_o = self.busy & self.last;
        self.busy = self.start_i | (self.busy & !(self.step_i & self.last));
        self.next_row = mux(self.start_i, self.first_i, self.row_addr + self.pitch_i);
        self.row_addr
            .load(self.start_i | (self.step_i & self.ends_row), self.next_row);
        self.addr.load(
            self.start_i | self.step_i,
            mux(self.start_i | self.ends_row, self.next_row, self.addr + 1),
        );
        self.cols.load(self.start_i, self.cols_i);
        self.cols_left.load(
            self.start_i | self.step_i,
            mux(self.ends_row, self.cols, self.cols_left - 1),
        );
        self.rows_left.load(
            self.start_i | (self.step_i & self.ends_row),
            self.rows_left - 1,
        );
        if self.start_i {
            self.cols_left = self.cols_i;
            self.rows_left = self.rows_i;
        }
    }
}
