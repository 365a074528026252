//! What happens to the slots of the unit on their way into the array.

use super::waves::*;
use crate::array::{DualSlot, DualSlotReg};
use heddle_kernel::prelude::*;

/// Takes steps and load slots from the unit, makes the draining slots after the last step of sums
/// that stay, and says what each slot's result is for.
///
/// # Timing
/// A step is taken in the cycle in which it is on the row outputs: with skew always, with broadcast
/// when `served_i` is high and no sums are drained. The control of the slot is on the outputs for
/// the array one cycle later. After the last step of a pass of sums that stay, rows - 1 cycles
/// pass until the next step is taken. `ready_o`, `offer_o`, `taken_o`, `read_o` and the entry of the
/// pass follow their inputs in the same cycle. With `each_i` every step of sums that stay is a pass:
/// its products leave at once and are added up in the results memory.
#[module]
pub struct GemmIssue {
    /// A run begins.
    pub start_i: Signal<In, Bit>,
    /// Weights stay, sums move; else sums stay.
    pub stay_i: Signal<In, Bit>,
    /// GEMM rows of the run, T.
    pub total_i: Signal<In, Bits<16>>,
    /// Output channels of the run, N.
    pub channels_i: Signal<In, Bits<16>>,
    /// Sums leave after each step, or K tile; only with `store_each`.
    pub each_i: [Signal<In, Bit>; store_each.into()],
    /// A step is on the outputs of row 0.
    pub step_i: Signal<In, Bit>,
    /// First step of a pass.
    pub first_i: Signal<In, Bit>,
    /// Last step of a pass.
    pub last_i: Signal<In, Bit>,
    /// A weight word belongs to the slot.
    pub b_valid_i: Signal<In, Bit>,
    /// Row that the word is for.
    pub b_row_i: Signal<In, Bits<9>>,
    /// First row entry of the pass.
    pub held_i: Signal<In, Bits<16>>,
    /// First output channel of the pass.
    pub cols_i: Signal<In, Bits<16>>,
    /// First K tile.
    pub sum_first_i: Signal<In, Bit>,
    /// Last K tile.
    pub sum_last_i: Signal<In, Bit>,
    /// All operands of the step are read with this cycle.
    pub served_i: Signal<In, Bit>,
    /// The unit may go on.
    pub ready_o: Signal<Out, Bit>,
    /// The operands of the step may be read.
    pub offer_o: Signal<Out, Bit>,
    /// The step is taken.
    pub taken_o: Signal<Out, Bit>,
    /// The weight word of the slot is read.
    pub read_o: Signal<Out, Bit>,
    /// Slot for the array.
    pub slot_o: DualSlot<Out>,
    /// First sum of a pass: the entry below is stored.
    pub pass_valid_o: Signal<Out, Bit>,
    /// The entry.
    #[new(Pass::new(store_each.into()))]
    pub pass_o: Pass<Out>,
    /// Draining slots still to come.
    gap: Reg<Bits<9>>,
    /// The pass taken last is the last one of its run.
    run_ends: RegData<Bit>,
    slot: DualSlotReg,
    gapless: Signal<Local, Bit>,
    /// Sums that stay leave behind the step.
    leave: Signal<Local, Bit>,
    ends: Signal<Local, Bit>,
    taken: Signal<Local, Bit>,
    begins: Signal<Local, Bit>,
    rows_left: Signal<Local, Bits<16>>,
    cols_left: Signal<Local, Bits<16>>,
    last_rows: Signal<Local, Bit>,
    last_cols: Signal<Local, Bit>,
    last_pass: Signal<Local, Bit>,
    mark: Signal<Local, Bits<4>>,
    /// Rows.
    _rows: Param<'r'>,
    /// Columns.
    _cols: Param<'c'>,
    /// 1: a slot is in all rows at once.
    _broadcast: Optional<'x', bool>,
    /// 1: sums may leave after each step.
    _store_each: Optional<'k', bool>,
    /// Draining slots of a pass.
    #[new(rows - 1)]
    _drains: usize,
}

#[kernel]
impl GemmIssue {
    fn gap(&mut self) {
        comment!("Which steps are taken, and the gap in which sums leave");
        self.gapless = self.gap == 0;
        self.leave = mux(self._store_each, self.last_i | self.each_i[0], self.last_i);
        self.ends = self.step_i & self.leave & !self.stay_i;
        if self._broadcast {
            self.taken = self.step_i & self.gapless & self.served_i;
            self.ready_o = self.gapless & self.served_i;
        } else {
            self.taken = self.step_i;
            if self._drains > 0 {
                // A slot taken at the head now is in row 0 one cycle later.
                self.ready_o = !self.ends & (self.gapless | (self.gap == 1));
            } else {
                self.ready_o = true;
            }
        }
        self.offer_o = self.step_i & self.gapless;
        self.taken_o = self.taken;
        self.read_o = self.b_valid_i & (self.taken | !self.step_i);
        self.gap = mux(!self.gapless, self.gap - 1, 0.into());
        if self.taken & self.ends {
            self.gap = self._drains.to_bits::<9>();
        }
    }

    fn pass(&mut self) {
        comment!("The pass");
        self.begins = self.taken & ((self.stay_i & self.first_i) | (!self.stay_i & self.leave));
        self.rows_left = self.total_i - self.held_i;
        self.cols_left = self.channels_i - self.cols_i;
        self.last_rows = self.rows_left <= self._rows.to_bits::<16>();
        self.last_cols = self.cols_left <= self._cols.to_bits::<16>();
        self.last_pass =
            self.last_cols & ((self.stay_i & self.sum_last_i) | (!self.stay_i & self.last_rows));
        self.run_ends.en_i = self.taken;
        if self._store_each {
            self.run_ends = self.last_pass & self.last_i;
        } else {
            self.run_ends = self.last_pass;
        }
        self.pass_valid_o = self.begins;
        self.pass_o.start = self.held_i + self._drains.to_bits::<16>();
        if self.stay_i {
            self.pass_o.start = 0.into();
        }
        self.pass_o.cols = self.cols_i;
        self.pass_o.rows = self._rows.to_bits::<9>();
        if self.last_rows {
            self.pass_o.rows = self.rows_left.get_bits::<9>(0);
        }
        self.pass_o.width = self._cols.to_bits::<9>();
        if self.last_cols {
            self.pass_o.width = self.cols_left.get_bits::<9>(0);
        }
        self.pass_o.stay = self.stay_i;
        if self._store_each {
            self.pass_o.add = !self.sum_first_i | (self.each_i[0] & !self.first_i);
            self.pass_o.store = !self.sum_last_i | (self.each_i[0] & !self.stay_i & !self.last_i);
            self.pass_o.each[0] = self.each_i[0];
        } else {
            self.pass_o.add = !self.sum_first_i;
            self.pass_o.store = !self.sum_last_i;
        }
    }

    fn slot(&mut self) {
        comment!("The slot");
        self.slot.step = self.taken;
        self.slot.stay = self.stay_i;
        self.slot.first = mux(
            self._store_each,
            self.first_i | self.each_i[0],
            self.first_i,
        );
        self.slot.load = self.b_valid_i & self.stay_i;
        self.slot.drain = !self.gapless;
        self.slot.row = self.b_row_i;
        self.slot.wait = self.gap;
        self.slot.tag = self.mark;
        self.slot_o.follow(&self.slot);
    }

    fn mark(&mut self) {
        comment!("Its tag");
        self.mark = 0.into();
        if (self.taken & (self.stay_i | self.leave)) | !self.gapless {
            self.mark = self.mark | 1;
        }
        if self.begins {
            self.mark = self.mark | 2;
        }
        if (self.gap == 1) & self.run_ends {
            self.mark = self.mark | 4;
        }
        if self.taken & self.last_i & self.last_pass {
            if self._drains > 0 {
                if self.stay_i {
                    self.mark = self.mark | 4;
                }
            } else {
                self.mark = self.mark | 4;
            }
        }
        if self.start_i {
            self.mark = self.mark | 8;
        }
    }

    fn update(&mut self) {
        self.gap();
        self.pass();
        self.slot();
        self.mark();
    }
}
