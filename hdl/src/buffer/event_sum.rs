//! Counting what happens in the banks.

use heddle_kernel::prelude::*;

/// Adds the events of one partition, mostly one of each bank, to those of the partitions before.
///
/// # Timing
/// An event is in the sum two cycles later, the events of the partitions before one. A sum has as many bits as the most events of a clock
/// need; the others stay 0.
#[module]
pub struct EventSum {
    /// Events of the banks in this cycle.
    pub event_i: [Signal<In, Bit>; banks],
    /// Events of the partitions before.
    pub total_i: Signal<In, Bits<10>>,
    /// Events up to this partition.
    pub total: OutReg<Bits<10>>,
    happens: [Delay<Bit>; banks],
    /// Events in the banks below each bank, last: in all banks.
    count: [Signal<Local, Bits<4>>; banks + 1],
    /// Banks.
    _banks: Param<'b'>,
    /// Most events of a clock in all partitions.
    _most: Param<'m'>,
}

#[kernel]
impl EventSum {
    fn update(&mut self) {
        self.happens.follow(&self.event_i);
        self.count[0] = 0.into();
        for b in 0..self._banks {
            self.count[b + 1] = mux(self.happens[b], self.count[b] + 1, self.count[b]);
        }
        let used = ((self._most + 1).next_power_of_two() - 1).to_bits::<10>();
        self.total = (self.total_i + self.count[self._banks].get_bits::<10>(0)) & used;
    }
}
