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
    _lanes: usize,
}

impl Logic for Lanes {
    #[kernel]
    fn update(&mut self) {
        for i in 0..self._lanes {
            self.lane[i].en_i.next = self.en_i[i].val() | self.clear_i.val();
            self.lane[i].d_i.next = self.x_i[i].val().get_bits::<4>(0);
            if self.clear_i.val() {
                self.lane[i].d_i.next = 0.into();
            }
            self.y_o[i].next = self.lane[i].q_o.val();
            self.count[i].d_i.next = self.count[i].q_o.val();
            if self.clear_i.val() {
                self.count[i].d_i.next = 0.into();
            } else if self.en_i[i].val() {
                self.count[i].d_i.next = self.count[i].q_o.val() + 1;
            }
            self.count_o[i].next = self.count[i].q_o.val();
        }
        self.line[0].d_i.next = self.x_i[0].val();
        for i in 1..self._lanes {
            self.line[i].d_i.next = self.line[i - 1].q_o.val();
        }
        for i in (self._lanes - 1)..self._lanes {
            self.late_o.next = self.line[i].q_o.val();
        }
    }
    describe!(|this| Meta::module("lanes").param("lanes", "n", this._lanes, "lanes"));
}
