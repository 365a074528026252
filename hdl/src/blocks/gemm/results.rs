//! Which result of which channel leaves the array.

use super::waves::*;
use crate::buffer::ResultSlot;
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
    /// What the sums of the pass are for.
    #[new(Pass::new(store_each.into()))]
    pub ports_i: Pass<In>,
    /// Slot of the results buffer.
    #[new(ResultSlot::new(0))]
    pub slot_o: ResultSlot<Out>,
    /// Name of the result, the column before column 0.
    pub wave_o: ResultTag<Out>,
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
    named: ResultTagReg,
    this_row: Signal<Local, Bits<16>>,
    this_place: Signal<Local, Bits<9>>,
    /// The sum is a result, if its row is one.
    shown: Signal<Local, Bit>,
    /// Rows.
    _rows: Param<'r'>,
    /// 1: sums may leave after each step.
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
        self.slot_o.valid = self.sum;
        self.this_row = self.row;
        self.this_place = self.place;
        if self.first {
            self.this_row = self.ports_i.start;
            self.this_place = (self._rows - 1).to_bits::<9>();
        } else if self.sum {
            self.this_row = mux(self.ports_i.stay, self.row + 1, self.row - 1);
            self.this_place = self.place - 1;
        }
        self.row = self.this_row;
        self.place = self.this_place;
        self.slot_o.bank = self.this_row.get_bit(0);
        self.slot_o.addr = self.this_row.get_bits::<12>(1);
        self.slot_o.add = self.ports_i.add;
        self.slot_o.sum_en = true;
        self.slot_o.write = self.ports_i.store;

        // Its name
        if self._store_each {
            self.shown = !self.ports_i.store | self.ports_i.each[0];
        } else {
            self.shown = !self.ports_i.store;
        }
        self.result =
            self.sum & self.shown & (self.ports_i.stay | (self.this_place < self.ports_i.rows));
        self.col = self.ports_i.cols - 1;
        self.width = self.ports_i.width;
        self.slot_end = self.end_flag;
        self.named.valid = self.result;
        self.named.row = self.row;
        self.named.col = self.col;
        self.named.width = self.width;
        self.named.end = self.slot_end;
        self.wave_o.follow(&self.named);
    }
}

/// Name of the results of one column: it travels with the slot of the results buffer, three cycles
/// behind it.
///
/// # Timing
/// One cycle. All outputs are registered, those for the next column are those of this one.
#[module]
pub struct ResultName {
    /// Name of the result, the column before, and for the next column.
    pub wave: Wave<ResultTag>,
    /// This column gives a result.
    pub result_o: Signal<Out, Bit>,
    result: Reg<Bit>,
}

#[kernel]
impl ResultName {
    fn update(&mut self) {
        self.wave
            .pass_on(col = self.wave_i.col + 1, width = 0.into());
        if self.wave_i.width != 0 {
            self.wave.width = self.wave_i.width - 1;
        }
        self.result = self.wave_i.valid & (self.wave_i.width != 0);
        self.result_o = self.result;
    }
}
