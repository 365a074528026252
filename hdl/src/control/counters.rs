//! The machine's event counters.

use crate::prelude::*;

/// Number of counters, in the order of the host's register map from CYCLES on.
pub const COUNTERS: usize = 13;

/// Counters of 32 bits, each with its own increment per clock; they wrap.
///
/// # Timing
/// An increment of cycle t is counted in t + 1. `clear_i` wins.
#[derive(LogicBlock)]
pub struct Counters {
    /// Clock.
    pub clk: Signal<In, Clock>,
    /// Reset, active low.
    pub rst_n: Signal<In, Bit>,
    /// Sets all counters to 0.
    pub clear_i: Signal<In, Bit>,
    /// Increment of each counter in this cycle.
    pub increment_i: Vec<Signal<In, Bits<17>>>,
    /// Value of each counter.
    pub count_o: Vec<Signal<Out, Bits<32>>>,
    count: Vec<Reg<Bits<32>>>,
}

impl Default for Counters {
    fn default() -> Self {
        Self {
            clk: Default::default(),
            rst_n: Default::default(),
            clear_i: Default::default(),
            increment_i: v(COUNTERS),
            count_o: v(COUNTERS),
            count: v(COUNTERS),
        }
    }
}

impl Logic for Counters {
    #[hdl_gen]
    fn update(&mut self) {
        for i in 0..COUNTERS {
            self.count[i].clk.next = self.clk.val();
            self.count[i].rst_n.next = self.rst_n.val();
            self.count[i].d_i.next =
                self.count[i].q_o.val() + self.increment_i[i].val().get_bits::<32>(0);
            if self.clear_i.val() {
                self.count[i].d_i.next = 0.into();
            }
            self.count_o[i].next = self.count[i].q_o.val();
        }
    }
    module!(|_this| Meta::module("counters"));
}
