//! Counting what happens in the banks.

use crate::prelude::*;

/// Adds the events of one partition, mostly one of each bank, to those of the partitions before.
///
/// # Timing
/// One cycle. Sums wrap at 10 bits.
#[derive(LogicBlock)]
pub struct EventSum {
    /// Clock.
    pub clk: Signal<In, Clock>,
    /// Reset, active low.
    pub rst_n: Signal<In, Bit>,
    /// Events of the banks in this cycle.
    pub event_i: Vec<Signal<In, Bit>>,
    /// Events of the partitions before.
    pub total_i: Signal<In, Bits<10>>,
    /// Events up to this partition.
    pub total_o: Signal<Out, Bits<10>>,
    total: Reg<Bits<10>>,
    /// Events in the banks below each bank, last: in all banks.
    count: Vec<Signal<Local, Bits<4>>>,
    _banks: usize,
}

impl EventSum {
    /// A sum over `banks` (1..=8) banks.
    pub fn new(banks: usize) -> Self {
        Self {
            clk: Default::default(),
            rst_n: Default::default(),
            event_i: v(banks),
            total_i: Default::default(),
            total_o: Default::default(),
            total: Default::default(),
            count: v(banks + 1),
            _banks: banks,
        }
    }
}

impl Logic for EventSum {
    #[hdl_gen]
    fn update(&mut self) {
        self.count[0].next = 0.into();
        for b in 0..self._banks {
            self.count[b + 1].next = self.count[b].val();
            if self.event_i[b].val() {
                self.count[b + 1].next = self.count[b].val() + 1;
            }
        }
        self.total.clk.next = self.clk.val();
        self.total.rst_n.next = self.rst_n.val();
        self.total.d_i.next = self.total_i.val() + self.count[self._banks].val().get_bits::<10>(0);
        self.total_o.next = self.total.q_o.val();
    }
    module!(|this| Meta::module("event_sum").param("banks", "b", this._banks, "banks"));
}
