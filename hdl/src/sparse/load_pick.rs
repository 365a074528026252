//! One value of a slot.

use heddle_kernel::prelude::*;

/// Gives the value of the lane that is picked, and its number; 0 if none is picked.
///
/// # Timing
/// Combinational.
#[module(combinational)]
pub struct LoadPick {
    /// Values by lane.
    pub value_i: [Signal<In, Bits<9>>; lanes],
    /// The lane is picked; at most one is.
    pub pick_i: [Signal<In, Bit>; lanes],
    /// Its value.
    pub value_o: Signal<Out, Bits<9>>,
    /// Its number.
    pub lane_o: Signal<Out, Bits<6>>,
    value: Signal<Local, Bits<9>>,
    lane: Signal<Local, Bits<6>>,
    /// Lanes, at most 64.
    _lanes: Param<'r'>,
}

#[kernel]
impl LoadPick {
    fn update(&mut self) {
        comment!("Joined, not selected one after the other: no lane waits for those below it");
        self.value = 0.into();
        self.lane = 0.into();
        for i in 0..self._lanes {
            if self.pick_i[i] {
                self.value = self.value | self.value_i[i];
                if i > 0 {
                    self.lane = self.lane | i.to_bits::<6>();
                }
            }
        }
        self.value_o = self.value;
        self.lane_o = self.lane;
    }
}
