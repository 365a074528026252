//! The way of a slot from one row to the next.

use heddle_kernel::prelude::*;

/// Passes a slot on to the next row. A load slot that its row takes goes no further; the one
/// behind it is marked for the next row.
///
/// # Timing
/// One clock; a slot never stops.
#[module(name = "offsets_wave")]
pub struct OffsetWave<const A: usize> {
    /// The row took the load slot before this one.
    pub took_i: Signal<In, Bit>,
    /// Load slot.
    pub load_i: Signal<In, Bit>,
    /// Step.
    pub step_i: Signal<In, Bit>,
    /// Load slot: it is for this row. Step: it is the first one of a pass.
    pub first_i: Signal<In, Bit>,
    /// Last step of a pass.
    pub last_i: Signal<In, Bit>,
    /// Load slot: its row is used. Step: it is the last one of the run.
    pub mark_i: Signal<In, Bit>,
    /// Value of the entry.
    pub value_i: Signal<In, Bits<A>>,
    /// Its row bits.
    pub row_i: [Signal<In, Bits<1>>; taps],
    /// Its column bits.
    pub col_i: [Signal<In, Bits<1>>; taps],
    /// Load slot.
    pub load: OutReg<Bit>,
    /// Step.
    pub step: OutReg<Bit>,
    /// Load slot: it is for the next row. Step: it is the first one of a pass.
    pub first: OutRegData<Bit>,
    /// Last step of a pass.
    pub last: OutRegData<Bit>,
    /// Load slot: its row is used. Step: it is the last one of the run.
    pub mark: OutRegData<Bit>,
    /// Value of the entry.
    pub value: OutRegData<Bits<A>>,
    /// Its row bits.
    pub row: [OutRegData<Bits<1>>; taps],
    /// Its column bits.
    pub col: [OutRegData<Bits<1>>; taps],
    passes: Signal<Local, Bit>,
    first_behind: Signal<Local, Bit>,
    /// Bits of a value.
    _address_bits: Generic<'a', A>,
    /// Row bits of an entry, and column bits.
    _taps: Optional<'t'>,
}

#[kernel]
impl<const A: usize> OffsetWave<A> {
    fn update(&mut self) {
        self.passes = self.step_i | (self.load_i & !self.first_i);
        self.first_behind = mux(self.load_i, self.took_i, self.first_i);
        self.load = self.load_i & !self.first_i;
        self.step = self.step_i;
        self.first.load(self.passes, self.first_behind);
        self.last.load(self.passes, self.last_i);
        self.mark.load(self.passes, self.mark_i);
        self.value.load(self.passes, self.value_i);
        for i in 0..self._taps {
            self.row[i].load(self.passes, self.row_i[i]);
            self.col[i].load(self.passes, self.col_i[i]);
        }
    }
}
