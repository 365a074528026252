//! Arrays of registers.

use heddle_hdl::prelude::*;

/// Delay lines, register arrays and unread bits.
#[derive(LogicBlock)]
pub struct Lanes {
    /// Clock.
    pub clk: Signal<In, Clock>,
    /// Reset, active low.
    pub rst_n: Signal<In, Bit>,
    /// Enable by lane.
    pub en_i: Vec<Signal<In, Bit>>,
    /// Value by lane; the low nibble is stored.
    pub x_i: Vec<Signal<In, Bits<8>>>,
    /// Clears all lanes.
    pub clear_i: Signal<In, Bit>,
    /// Stored by lane.
    pub y_o: Vec<Signal<Out, Bits<4>>>,
    /// First lane, some cycles later.
    pub late_o: Signal<Out, Bits<8>>,
    /// Running count by lane.
    pub count_o: Vec<Signal<Out, Bits<6>>>,
    lane: Vec<RegEn<Bits<4>>>,
    count: Vec<Reg<Bits<6>>>,
    line: Vec<Delay<Bits<8>>>,
    _lanes: usize,
}

impl Lanes {
    /// A block of `lanes` lanes.
    pub fn new(lanes: usize) -> Self {
        Self {
            clk: Default::default(),
            rst_n: Default::default(),
            en_i: v(lanes),
            x_i: v(lanes),
            clear_i: Default::default(),
            y_o: v(lanes),
            late_o: Default::default(),
            count_o: v(lanes),
            lane: (0..lanes).map(|_| RegEn::with_init(9.into())).collect(),
            count: v(lanes),
            line: v(lanes),
            _lanes: lanes,
        }
    }
}

impl Logic for Lanes {
    #[hdl_gen]
    fn update(&mut self) {
        for i in 0..self._lanes {
            self.lane[i].clk.next = self.clk.val();
            self.lane[i].rst_n.next = self.rst_n.val();
            self.lane[i].en_i.next = self.en_i[i].val() | self.clear_i.val();
            self.lane[i].d_i.next = self.x_i[i].val().get_bits::<4>(0);
            if self.clear_i.val() {
                self.lane[i].d_i.next = 0.into();
            }
            self.y_o[i].next = self.lane[i].q_o.val();
            self.count[i].clk.next = self.clk.val();
            self.count[i].rst_n.next = self.rst_n.val();
            self.count[i].d_i.next = self.count[i].q_o.val();
            if self.clear_i.val() {
                self.count[i].d_i.next = 0.into();
            } else if self.en_i[i].val() {
                self.count[i].d_i.next = self.count[i].q_o.val() + 1;
            }
            self.count_o[i].next = self.count[i].q_o.val();
            self.line[i].clk.next = self.clk.val();
        }
        self.line[0].d_i.next = self.x_i[0].val();
        for i in 1..self._lanes {
            self.line[i].d_i.next = self.line[i - 1].q_o.val();
        }
        for i in (self._lanes - 1)..self._lanes {
            self.late_o.next = self.line[i].q_o.val();
        }
    }
    module!(|this| Meta::module("lanes").param("lanes", "n", this._lanes, "lanes"));
}
