//! Arrays of registers.

use heddle_kernel::prelude::*;

/// Delay lines, register arrays and unread bits.
#[module]
pub struct Lanes {
    /// Enable by lane.
    pub en_i: [Signal<In, Bit>; lanes],
    /// Value by lane; the low nibble is stored.
    pub x_i: [Signal<In, Bits<8>>; lanes],
    /// Clears all lanes.
    pub clear_i: Signal<In, Bit>,
    /// Stored by lane.
    pub y_o: [Signal<Out, Bits<4>>; lanes],
    /// First lane, some cycles later.
    pub late_o: Signal<Out, Bits<8>>,
    /// Running count by lane.
    pub count_o: [Signal<Out, Bits<6>>; lanes],
    #[new(RegEn::with_init(9.into()))]
    lane: [RegEn<Bits<4>>; lanes],
    count: [Reg<Bits<6>>; lanes],
    line: [Delay<Bits<8>>; lanes],
    /// Lanes.
    _lanes: Param<'n'>,
}

#[kernel]
impl Lanes {
    fn update(&mut self) {
        for i in 0..self._lanes {
            self.lane[i].en_i = self.en_i[i] | self.clear_i;
            self.lane[i] = self.x_i[i].get_bits::<4>(0);
            if self.clear_i {
                self.lane[i] = 0.into();
            }
            self.y_o[i] = self.lane[i];
            self.count[i] = self.count[i];
            if self.clear_i {
                self.count[i] = 0.into();
            } else if self.en_i[i] {
                self.count[i] = self.count[i] + 1;
            }
            self.count_o[i] = self.count[i];
        }
        self.line[0] = self.x_i[0];
        for i in 1..self._lanes {
            self.line[i] = self.line[i - 1];
        }
        for i in (self._lanes - 1)..self._lanes {
            self.late_o = self.line[i];
        }
    }
}
