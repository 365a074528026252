//! How long the other side of a channel may take.

use heddle_kernel::prelude::*;

/// Counts the clocks in a row in which a channel waits.
///
/// # Timing
/// A channel that has waited for 2^`limit_i` clocks shows on `expired_o` in the next eighth of that time, at least 8 clocks and at most
/// 9: its waits are counted in eighths. It shows again if it goes on to wait. With `limit_i` 0 there is no end.
#[module]
pub struct TimeOut {
    /// Logarithm of the clocks, 0: none.
    pub limit_i: Signal<In, Bits<5>>,
    /// Each channel waits.
    pub waits_i: [Signal<In, Bit>; channels],
    /// It has waited for too long.
    pub expired: [OutReg<Bit>; channels],
    clocks: Reg<Bits<29>>,
    /// The bit of `clocks` that turns over with each eighth.
    turned: Reg<Bit>,
    age: [Reg<Bits<4>>; channels],
    eighth: Signal<Local, Bit>,
    ticks: Reg<Bit>,
    waits: [Reg<Bit>; channels],
    number: Signal<Local, Bits<5>>,
    /// Channels.
    _channels: Param<'n'>,
}

#[kernel]
impl TimeOut {
    fn update(&mut self) {
        self.clocks = self.clocks + 1;
        self.number = mux(self.limit_i > 3, self.limit_i - 3, 0.into());
        self.eighth = (self.clocks >> self.number).get_bit(0);
        self.turned = self.eighth;
        self.ticks = self.eighth != self.turned;
        for i in 0..self._channels {
            self.age[i] = mux(self.ticks, self.age[i] + 1, self.age[i]);
            let is_old = self.age[i] == 9;
            self.waits[i] = self.waits_i[i];
            self.expired[i] = self.waits[i] & (is_old) & self.limit_i.any();
            if !self.waits[i] | (is_old) {
                self.age[i] = 0.into();
            }
        }
    }
}
