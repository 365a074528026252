//! Head of the sums wave: which stored sums enter the array at the top, and when they are there.

use crate::prelude::*;

/// Sends the result addresses of slots that start from stored sums, and says who has to wait for one.
///
/// A sum is stored Rows + 7 cycles behind its slot, and read 5 cycles behind the slot that starts from
/// it: Rows + 3 slots must lie between the two at least. A tile has no gaps and
/// its vectors use addresses 0, 1, 2 and so on, so that all of them are late enough if the first one is. Slots of an
/// epilogue may ask for any address: they wait until the last vector stored is far enough.
///
/// # Timing
/// Slot (`read_i`, `bank_i`, `addr_i`) in the cycle t in which it is accepted: on the outputs in t + 6,
/// which is 5 cycles behind the operand wave. A vector stored (`store_i`) in t: `slot_wait_o` is high from t + 1
/// to t + Rows + 2, `tile_wait_o` if it is the first of its tile (`begin_i`).
#[derive(LogicBlock)]
pub struct SumsHead {
    /// Clock.
    pub clk: Signal<In, Clock>,
    /// Reset, active low.
    pub rst_n: Signal<In, Bit>,
    /// A vector is accepted whose sums will be stored.
    pub store_i: Signal<In, Bit>,
    /// A vector that is accepted is the first of its K tile.
    pub begin_i: Signal<In, Bit>,
    /// A K tile that starts from stored sums must not begin.
    pub tile_wait_o: Signal<Out, Bit>,
    /// An epilogue slot must not be accepted.
    pub slot_wait_o: Signal<Out, Bit>,
    /// A slot is accepted that starts from stored sums.
    pub read_i: Signal<In, Bit>,
    /// Results bank.
    pub bank_i: Signal<In, Bit>,
    /// Result address.
    pub addr_i: Signal<In, Bits<12>>,
    /// Sums wave: the slot starts from stored sums.
    pub read_o: Signal<Out, Bit>,
    /// Sums wave: results bank.
    pub bank_o: Signal<Out, Bit>,
    /// Sums wave: result address.
    pub addr_o: Signal<Out, Bits<12>>,
    /// Cycles until a tile may begin.
    tile_left: Reg<Bits<9>>,
    tile_wait: Reg<Bit>,
    /// Cycles until an epilogue slot may be accepted.
    slot_left: Reg<Bits<9>>,
    slot_wait: Reg<Bit>,
    read: Vec<Reg<Bit>>,
    bank: Vec<Delay<Bit>>,
    addr: Vec<Delay<Bits<12>>>,
    _rows: usize,
}

impl SumsHead {
    /// A head for an array of `rows` (1..=256) rows.
    pub fn new(rows: usize) -> Self {
        Self {
            clk: Default::default(),
            rst_n: Default::default(),
            store_i: Default::default(),
            begin_i: Default::default(),
            tile_wait_o: Default::default(),
            slot_wait_o: Default::default(),
            read_i: Default::default(),
            bank_i: Default::default(),
            addr_i: Default::default(),
            read_o: Default::default(),
            bank_o: Default::default(),
            addr_o: Default::default(),
            tile_left: Default::default(),
            tile_wait: Default::default(),
            slot_left: Default::default(),
            slot_wait: Default::default(),
            read: v(6),
            bank: v(6),
            addr: v(6),
            _rows: rows,
        }
    }
}

impl Logic for SumsHead {
    #[hdl_gen]
    fn update(&mut self) {
        self.tile_left.clk.next = self.clk.val();
        self.tile_left.rst_n.next = self.rst_n.val();
        self.tile_wait.clk.next = self.clk.val();
        self.tile_wait.rst_n.next = self.rst_n.val();
        self.slot_left.clk.next = self.clk.val();
        self.slot_left.rst_n.next = self.rst_n.val();
        self.slot_wait.clk.next = self.clk.val();
        self.slot_wait.rst_n.next = self.rst_n.val();

        // The flags are registers beside the counts: they decide about the slot of this cycle.
        self.tile_left.d_i.next = self.tile_left.q_o.val();
        self.tile_wait.d_i.next = (self.tile_left.q_o.val() >> 1) != 0;
        if self.tile_left.q_o.val() != 0 {
            self.tile_left.d_i.next = self.tile_left.q_o.val() - 1;
        }
        if self.store_i.val() & self.begin_i.val() {
            self.tile_left.d_i.next = (self._rows + 2).to_bits::<9>();
            self.tile_wait.d_i.next = true;
        }
        self.tile_wait_o.next = self.tile_wait.q_o.val();
        self.slot_left.d_i.next = self.slot_left.q_o.val();
        self.slot_wait.d_i.next = (self.slot_left.q_o.val() >> 1) != 0;
        if self.slot_left.q_o.val() != 0 {
            self.slot_left.d_i.next = self.slot_left.q_o.val() - 1;
        }
        if self.store_i.val() {
            self.slot_left.d_i.next = (self._rows + 2).to_bits::<9>();
            self.slot_wait.d_i.next = true;
        }
        self.slot_wait_o.next = self.slot_wait.q_o.val();

        for i in 0..6 {
            self.read[i].clk.next = self.clk.val();
            self.read[i].rst_n.next = self.rst_n.val();
            self.bank[i].clk.next = self.clk.val();
            self.addr[i].clk.next = self.clk.val();
        }
        self.read[0].d_i.next = self.read_i.val();
        self.bank[0].d_i.next = self.bank_i.val();
        self.addr[0].d_i.next = self.addr_i.val();
        for i in 1..6 {
            self.read[i].d_i.next = self.read[i - 1].q_o.val();
            self.bank[i].d_i.next = self.bank[i - 1].q_o.val();
            self.addr[i].d_i.next = self.addr[i - 1].q_o.val();
        }
        self.read_o.next = self.read[5].q_o.val();
        self.bank_o.next = self.bank[5].q_o.val();
        self.addr_o.next = self.addr[5].q_o.val();
    }
    module!(|this| Meta::module("sums_head").param("rows", "r", this._rows, "rows of the array"));
}
