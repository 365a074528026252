//! Which result of which channel leaves the array.

use heddle_kernel::prelude::*;

/// Turns the tags that leave the array into slots of the results buffer and into the names of the
/// results.
///
/// # Timing
/// Tag in cycle T: the pass is popped in T, the entry is on the inputs in T+1, the slot of the
/// results buffer on the outputs in T+2, the name of the result of column 0 in T+3. The sum of
/// column 0 leaves the array in T+3, the result is there in T+4, when the name has entered the
/// first [`ResultName`].
#[module]
pub struct ResultHead {
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
    slot: Reg<Bit>,
    row: Delay<Bits<16>>,
    /// Array row of the sum.
    place: Delay<Bits<9>>,
    add: Delay<Bit>,
    store: Delay<Bit>,
    result: Reg<Bit>,
    col: Delay<Bits<16>>,
    width: Delay<Bits<9>>,
    slot_end: Reg<Bit>,
    named: Reg<Bit>,
    named_row: Delay<Bits<16>>,
    named_col: Delay<Bits<16>>,
    named_width: Delay<Bits<9>>,
    named_end: Reg<Bit>,
    this_place: Signal<Local, Bits<9>>,
    /// The sum is a result, if its row is one.
    shown: Signal<Local, Bit>,
    /// Rows.
    _rows: Param<'r'>,
    /// 1: sums may leave behind each step.
    _store_each: Optional<'k', bool>,
}

#[kernel]
impl ResultHead {
    fn update(&mut self) {
        comment!("The pass is read");
        self.sum.d_i.next = self.sum_i.val();
        self.first.d_i.next = self.first_i.val();
        self.end_flag.d_i.next = self.end_i.val();

        comment!("Slot of the results buffer");
        self.slot.d_i.next = self.sum.q_o.val();
        self.slot_valid_o.next = self.slot.q_o.val();
        self.row.d_i.next = self.row.q_o.val();
        self.this_place.next = self.place.q_o.val();
        if self.first.q_o.val() {
            self.row.d_i.next = self.start_i.val();
            self.this_place.next = (self._rows - 1).to_bits::<9>();
        } else if self.sum.q_o.val() {
            self.row.d_i.next = self.row.q_o.val() - 1;
            if self.stay_i.val() {
                self.row.d_i.next = self.row.q_o.val() + 1;
            }
            self.this_place.next = self.place.q_o.val() - 1;
        }
        self.place.d_i.next = self.this_place.val();
        self.slot_bank_o.next = self.row.q_o.val().get_bit(0);
        self.slot_addr_o.next = self.row.q_o.val().get_bits::<12>(1);
        self.add.d_i.next = self.add_i.val();
        self.slot_add_o.next = self.add.q_o.val();
        self.store.d_i.next = self.store_i.val();
        self.slot_write_o.next = self.store.q_o.val();

        // Its name
        if self._store_each {
            self.shown.next = !self.store_i.val() | self.each_i[0].val();
        } else {
            self.shown.next = !self.store_i.val();
        }
        self.result.d_i.next = self.sum.q_o.val()
            & self.shown.val()
            & (self.stay_i.val() | (self.this_place.val() < self.rows_i.val()));
        self.col.d_i.next = self.cols_i.val() - 1;
        self.width.d_i.next = self.width_i.val();
        self.slot_end.d_i.next = self.end_flag.q_o.val();
        self.named.d_i.next = self.result.q_o.val();
        self.valid_o.next = self.named.q_o.val();
        self.named_row.d_i.next = self.row.q_o.val();
        self.row_o.next = self.named_row.q_o.val();
        self.named_col.d_i.next = self.col.q_o.val();
        self.col_o.next = self.named_col.q_o.val();
        self.named_width.d_i.next = self.width.q_o.val();
        self.width_o.next = self.named_width.q_o.val();
        self.named_end.d_i.next = self.slot_end.q_o.val();
        self.end_o.next = self.named_end.q_o.val();
    }
}

/// Name of the results of one column: it travels with the slot of the results buffer, two cycles
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
        self.valid.d_i.next = self.valid_i.val();
        self.valid_o.next = self.valid.q_o.val();
        self.row.d_i.next = self.row_i.val();
        self.row_o.next = self.row.q_o.val();
        self.col.d_i.next = self.col_i.val() + 1;
        self.col_o.next = self.col.q_o.val();
        self.width.d_i.next = 0.into();
        if self.width_i.val() != 0 {
            self.width.d_i.next = self.width_i.val() - 1;
        }
        self.width_o.next = self.width.q_o.val();
        self.end_flag.d_i.next = self.end_i.val();
        self.end_o.next = self.end_flag.q_o.val();
        self.result.d_i.next = self.valid_i.val() & (self.width_i.val() != 0);
        self.result_o.next = self.result.q_o.val();
    }
}
