//! Which result of which channel leaves the array.

use heddle_kernel::prelude::*;

/// Turns the tags that leave the array into slots of the results buffer and into the names of the
/// results.
///
/// # Timing
/// Tag in cycle T: the pass is popped in T, the entry is on the inputs in T+1 and the slot of the
/// results buffer on the outputs, the name of the result of column 0 in T+3. The sum of
/// column 0 leaves the array in T+3, the result is there in T+4, when the name has entered the
/// first [`ResultName`].
#[module]
pub struct ResultIssue {
    /// A sum leaves.
    pub sum_i: Signal<In, Bit>,
    /// It is the first one of a pass.
    pub first_i: Signal<In, Bit>,
    /// It is the last one of a run.
    pub end_i: Signal<In, Bit>,
    /// GEMM row of the first sum of the pass.
    pub start_i: Signal<In, Bits<16>>,
    /// First output channel.
    pub cols_i: Signal<In, Bits<16>>,
    /// Enabled rows.
    pub rows_i: Signal<In, Bits<9>>,
    /// Enabled columns.
    pub width_i: Signal<In, Bits<9>>,
    /// Weights stay: rows follow upwards, and sums of K tiles are added.
    pub stay_i: Signal<In, Bit>,
    /// The sums are added to stored ones.
    pub add_i: Signal<In, Bit>,
    /// The sums are stored: no results yet.
    pub store_i: Signal<In, Bit>,
    /// They are results all the same; only with `store_each`.
    pub each_i: [Signal<In, Bit>; store_each.into()],
    /// Slot of the results buffer.
    pub slot_valid_o: Signal<Out, Bit>,
    /// Its bank.
    pub slot_bank_o: Signal<Out, Bit>,
    /// Its address.
    pub slot_addr_o: Signal<Out, Bits<12>>,
    /// Add the stored sum.
    pub slot_add_o: Signal<Out, Bit>,
    /// Store the sum.
    pub slot_write_o: Signal<Out, Bit>,
    /// The slot is a result.
    pub valid_o: Signal<Out, Bit>,
    /// Its GEMM row.
    pub row_o: Signal<Out, Bits<16>>,
    /// Output channel of column 0, less 1.
    pub col_o: Signal<Out, Bits<16>>,
    /// Columns that give a result.
    pub width_o: Signal<Out, Bits<9>>,
    /// Last slot of the run.
    pub end_o: Signal<Out, Bit>,
    sum: Reg<Bit>,
    first: Reg<Bit>,
    end_flag: Reg<Bit>,
    row: Delay<Bits<16>>,
    /// Array row of the sum.
    place: Delay<Bits<9>>,
    result: Reg<Bit>,
    col: Delay<Bits<16>>,
    width: Delay<Bits<9>>,
    slot_end: Reg<Bit>,
    named: Reg<Bit>,
    named_row: Delay<Bits<16>>,
    named_col: Delay<Bits<16>>,
    named_width: Delay<Bits<9>>,
    named_end: Reg<Bit>,
    this_row: Signal<Local, Bits<16>>,
    this_place: Signal<Local, Bits<9>>,
    /// The sum is a result, if its row is one.
    shown: Signal<Local, Bit>,
    /// Rows.
    _rows: Param<'r'>,
    /// 1: sums may leave behind each step.
    _store_each: Optional<'k', bool>,
}

#[kernel]
impl ResultIssue {
    fn update(&mut self) {
        comment!("The pass is read");
        self.sum = self.sum_i;
        self.first = self.first_i;
        self.end_flag = self.end_i;

        comment!("Slot of the results buffer");
        self.slot_valid_o = self.sum;
        self.this_row = self.row;
        self.this_place = self.place;
        if self.first {
            self.this_row = self.start_i;
            self.this_place = (self._rows - 1).to_bits::<9>();
        } else if self.sum {
            self.this_row = mux(self.stay_i, self.row + 1, self.row - 1);
            self.this_place = self.place - 1;
        }
        self.row = self.this_row;
        self.place = self.this_place;
        self.slot_bank_o = self.this_row.get_bit(0);
        self.slot_addr_o = self.this_row.get_bits::<12>(1);
        self.slot_add_o = self.add_i;
        self.slot_write_o = self.store_i;

        // Its name
        if self._store_each {
            self.shown = !self.store_i | self.each_i[0];
        } else {
            self.shown = !self.store_i;
        }
        self.result = self.sum & self.shown & (self.stay_i | (self.this_place < self.rows_i));
        self.col = self.cols_i - 1;
        self.width = self.width_i;
        self.slot_end = self.end_flag;
        self.named = self.result;
        self.valid_o = self.named;
        self.named_row = self.row;
        self.row_o = self.named_row;
        self.named_col = self.col;
        self.col_o = self.named_col;
        self.named_width = self.width;
        self.width_o = self.named_width;
        self.named_end = self.slot_end;
        self.end_o = self.named_end;
    }
}

/// Name of the results of one column: it travels with the slot of the results buffer, three cycles
/// behind it.
///
/// # Timing
/// One cycle. All outputs are registered, those for the next column are those of this one.
#[module]
pub struct ResultName {
    /// The slot is a result.
    pub valid_i: Signal<In, Bit>,
    /// Its GEMM row.
    pub row_i: Signal<In, Bits<16>>,
    /// Output channel of the column before.
    pub col_i: Signal<In, Bits<16>>,
    /// Columns that still give a result, this one included.
    pub width_i: Signal<In, Bits<9>>,
    /// Last slot of the run.
    pub end_i: Signal<In, Bit>,
    /// The slot is a result, to the next column.
    pub valid_o: Signal<Out, Bit>,
    /// GEMM row.
    pub row_o: Signal<Out, Bits<16>>,
    /// Output channel.
    pub col_o: Signal<Out, Bits<16>>,
    /// Columns that still give a result, to the next column.
    pub width_o: Signal<Out, Bits<9>>,
    /// Last slot of the run, to the next column.
    pub end_o: Signal<Out, Bit>,
    /// This column gives a result.
    pub result_o: Signal<Out, Bit>,
    valid: Reg<Bit>,
    row: Delay<Bits<16>>,
    col: Delay<Bits<16>>,
    width: Delay<Bits<9>>,
    end_flag: Reg<Bit>,
    result: Reg<Bit>,
}

#[kernel]
impl ResultName {
    fn update(&mut self) {
        self.valid = self.valid_i;
        self.valid_o = self.valid;
        self.row = self.row_i;
        self.row_o = self.row;
        self.col = self.col_i + 1;
        self.col_o = self.col;
        self.width = mux(self.width_i != 0, self.width_i - 1, 0.into());
        self.width_o = self.width;
        self.end_flag = self.end_i;
        self.end_o = self.end_flag;
        self.result = self.valid_i & (self.width_i != 0);
        self.result_o = self.result;
    }
}
