//! The machine's event counters.

use crate::prelude::*;

/// Slices that a memory has unless it is configured otherwise.
const USUAL_SLICES: usize = 2;

/// Number of counters of a machine with so many data slices: ZERO_OPERANDS, those of the units,
/// reads and writes of the mask slice and of each data slice.
pub const fn counters(slices: usize) -> usize {
    9 + 2 * slices
}

/// Adds the number of counters; in the module name only if it is not the usual one.
pub(super) fn describe(meta: Meta, counts: usize) -> Meta {
    meta.choice("counts", "n", counts, counters(USUAL_SLICES), "counters")
}

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
    _counts: usize,
}

impl Counters {
    /// The counters of a machine with so many data slices, in the order of the host's register map
    /// from index 7 on.
    pub fn new(slices: usize) -> Self {
        Self::of(counters(slices))
    }

    /// The same with STALL_SUMS behind them.
    pub fn with_stall_sums(slices: usize) -> Self {
        Self::of(counters(slices) + 1)
    }

    fn of(counts: usize) -> Self {
        Self {
            clk: Default::default(),
            rst_n: Default::default(),
            clear_i: Default::default(),
            increment_i: v(counts),
            count_o: v(counts),
            count: v(counts),
            _counts: counts,
        }
    }
}

impl Logic for Counters {
    #[hdl_gen]
    fn update(&mut self) {
        for i in 0..self._counts {
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
    module!(|this| describe(Meta::module("counters"), this._counts));
}
