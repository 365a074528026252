//! Delay of what is read before the data slices.

use crate::prelude::*;

/// Delays values that come with a valid bit. Registers change only with a value.
///
/// # Timing
/// `unit_o` is what `unit_i` was `waits` cycles ago.
#[derive(LogicBlock)]
pub struct Wait<const UB: usize> {
    /// Clock.
    pub clk: Signal<In, Clock>,
    /// Reset, active low.
    pub rst_n: Signal<In, Bit>,
    /// There are values.
    pub valid_i: Signal<In, Bit>,
    /// Values.
    pub unit_i: Vec<Signal<In, Bits<UB>>>,
    /// The values, later.
    pub unit_o: Vec<Signal<Out, Bits<UB>>>,
    waited: Vec<Reg<Bit>>,
    waiting: Vec<RegData<Bits<UB>>>,
    valid: Vec<Signal<Local, Bit>>,
    unit: Vec<Signal<Local, Bits<UB>>>,
    _units: usize,
    _waits: usize,
}

impl<const UB: usize> Wait<UB> {
    /// A delay of `units` values by `waits` cycles, at least 1.
    pub fn new(units: usize, waits: usize) -> Self {
        assert!(waits > 0, "a delay takes at least one cycle");
        Self {
            clk: Default::default(),
            rst_n: Default::default(),
            valid_i: Default::default(),
            unit_i: v(units),
            unit_o: v(units),
            waited: v(waits - 1),
            waiting: v(waits * units),
            valid: v(waits),
            unit: v((waits + 1) * units),
            _units: units,
            _waits: waits,
        }
    }
}

impl<const UB: usize> Logic for Wait<UB> {
    #[hdl_gen]
    fn update(&mut self) {
        self.valid[0].next = self.valid_i.val();
        for s in 0..(self._waits - 1) {
            self.waited[s].clk.next = self.clk.val();
            self.waited[s].rst_n.next = self.rst_n.val();
            self.waited[s].d_i.next = self.valid[s].val();
            self.valid[s + 1].next = self.waited[s].q_o.val();
        }
        for i in 0..self._units {
            self.unit[i].next = self.unit_i[i].val();
            self.unit_o[i].next = self.unit[self._waits * self._units + i].val();
        }
        for s in 0..self._waits {
            for i in 0..self._units {
                self.waiting[s * self._units + i].clk.next = self.clk.val();
                self.waiting[s * self._units + i].en_i.next = self.valid[s].val();
                self.waiting[s * self._units + i].d_i.next = self.unit[s * self._units + i].val();
                self.unit[(s + 1) * self._units + i].next =
                    self.waiting[s * self._units + i].q_o.val();
            }
        }
    }
    module!(|this| {
        let flag = if UB == 8 { "" } else { "u" };
        Meta::module("sliced_wait")
            .param("units", "w", this._units, "values")
            .param("unit_bits", flag, UB, "bits of a value")
            .param("waits", "t", this._waits, "cycles")
    });
}
