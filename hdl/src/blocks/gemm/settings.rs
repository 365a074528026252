//! What the results need to know of the registers of the unit.

use heddle_kernel::prelude::*;

/// Copies of the registers T, N and of the mode, taken from the write port of the unit; refuses a
/// start with more GEMM rows than the results memory holds.
///
/// # Timing
/// A write in cycle T is seen in T+1. `start_o` follows `start_i` in the same cycle; `refused_o`
/// tells from the next cycle on whether the last start was refused.
#[module]
pub struct GemmSettings {
    /// A write is offered.
    pub write_i: Signal<In, Bit>,
    /// 0: of a register.
    pub kind_i: Signal<In, Bits<2>>,
    /// Register.
    pub index_i: Signal<In, Bits<16>>,
    /// Value.
    pub data_i: Signal<In, Bits<16>>,
    /// A run shall begin.
    pub start_i: Signal<In, Bit>,
    /// A run is under way.
    pub busy_i: Signal<In, Bit>,
    /// The unit takes writes: the expander does not work.
    pub ready_i: Signal<In, Bit>,
    /// The unit shall begin.
    pub start_o: Signal<Out, Bit>,
    /// Too many GEMM rows for weights that stay.
    pub refused_o: Signal<Out, Bit>,
    /// GEMM rows, T.
    pub total_o: Signal<Out, Bits<16>>,
    /// Output channels, N.
    pub channels_o: Signal<Out, Bits<16>>,
    /// Weights stay.
    pub stay_o: Signal<Out, Bit>,
    /// Sums leave after each step, or K tile; only with `store_each`.
    pub each_o: [Signal<Out, Bit>; store_each.into()],
    total: RegEn<Bits<16>>,
    channels: RegEn<Bits<16>>,
    stay: RegEn<Bit>,
    each: [RegEn<Bit>; store_each.into()],
    refused: RegEn<Bit>,
    stored: Signal<Local, Bit>,
    start: Signal<Local, Bit>,
    beyond: Signal<Local, Bit>,
    accepted: Signal<Local, Bit>,
    /// Sums of each column.
    _results: Param<'d'>,
    /// 1: sums may leave after each step.
    _store_each: Optional<'k', bool>,
}

#[kernel]
impl GemmSettings {
    fn update(&mut self) {
        // The unit refuses writes of a run and of the clock in which it begins.
        self.start = self.start_i & self.ready_i & !self.busy_i;
        self.beyond = self.stay & (self.total > self._results.to_bits::<16>());
        self.accepted = self.start & !self.beyond;
        self.start_o = self.accepted;
        self.refused.load(self.start, self.beyond);
        self.refused_o = self.refused;

        self.stored =
            self.write_i & self.ready_i & !self.busy_i & !self.accepted & (self.kind_i == 0);
        self.total.en_i = self.stored & (self.index_i == 2);
        self.total = self.data_i;
        self.total_o = self.total;
        self.channels.en_i = self.stored & (self.index_i == 4);
        self.channels = self.data_i;
        self.channels_o = self.channels;
        self.stay.en_i = self.stored & (self.index_i == 8);
        self.stay = self.data_i.get_bit(0);
        self.stay_o = self.stay;
        if self._store_each {
            self.each[0].load(self.stored & (self.index_i == 8), self.data_i.get_bit(3));
            self.each_o[0] = self.each[0];
        }
    }
}
