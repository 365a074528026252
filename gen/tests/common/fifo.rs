//! A block with a memory.

use heddle_hdl::prelude::*;

/// Single-clock FIFO with a ready/valid handshake on both sides.
///
/// # Timing
/// 2 cycles from push to pop. Reset clears the pointers, not the stored data.
#[derive(LogicBlock)]
pub struct Fifo {
    /// Clock.
    pub clk: Signal<In, Clock>,
    /// Reset, active low.
    pub rst_n: Signal<In, Bit>,
    /// An element is offered.
    pub in_valid_i: Signal<In, Bit>,
    /// The element is taken.
    pub in_ready_o: Signal<Out, Bit>,
    /// The element, as bytes.
    pub in_data_i: Vec<Signal<In, Bits<8>>>,
    /// An element is offered.
    pub out_valid_o: Signal<Out, Bit>,
    /// The element is taken.
    pub out_ready_i: Signal<In, Bit>,
    /// The element, as bytes.
    pub out_data_o: Vec<Signal<Out, Bits<8>>>,
    /// Number of stored elements.
    pub level_o: Signal<Out, Bits<4>>,
    /// Next element to write.
    wr_ptr: RegEn<Bits<4>>,
    /// Next element to read.
    rd_ptr: RegEn<Bits<4>>,
    valid: RegEn<Bit>,
    ram: Ram1r1w<4, 8>,
    push: Signal<Local, Bit>,
    fetch: Signal<Local, Bit>,
    _bytes: usize,
}

impl Fifo {
    /// A FIFO of 8 elements of `bytes` bytes.
    pub fn new(bytes: usize) -> Self {
        Self {
            clk: Default::default(),
            rst_n: Default::default(),
            in_valid_i: Default::default(),
            in_ready_o: Default::default(),
            in_data_i: v(bytes),
            out_valid_o: Default::default(),
            out_ready_i: Default::default(),
            out_data_o: v(bytes),
            level_o: Default::default(),
            wr_ptr: Default::default(),
            rd_ptr: Default::default(),
            valid: Default::default(),
            ram: Ram1r1w::new(bytes, 8),
            push: Default::default(),
            fetch: Default::default(),
            _bytes: bytes,
        }
    }
}

impl Logic for Fifo {
    #[hdl_gen]
    fn update(&mut self) {
        self.wr_ptr.clk.next = self.clk.val();
        self.wr_ptr.rst_n.next = self.rst_n.val();
        self.rd_ptr.clk.next = self.clk.val();
        self.rd_ptr.rst_n.next = self.rst_n.val();
        self.valid.clk.next = self.clk.val();
        self.valid.rst_n.next = self.rst_n.val();
        self.ram.clk.next = self.clk.val();

        self.in_ready_o.next = (self.wr_ptr.q_o.val() - self.rd_ptr.q_o.val()) != 8;
        self.push.next = self.in_valid_i.val() & self.in_ready_o.val();
        comment!("Fetch the next element while the output is empty or being taken");
        self.fetch.next = (self.wr_ptr.q_o.val() != self.rd_ptr.q_o.val())
            & (!self.valid.q_o.val() | self.out_ready_i.val());

        self.wr_ptr.en_i.next = self.push.val();
        self.wr_ptr.d_i.next = self.wr_ptr.q_o.val() + 1;
        self.rd_ptr.en_i.next = self.fetch.val();
        self.rd_ptr.d_i.next = self.rd_ptr.q_o.val() + 1;
        self.valid.en_i.next = self.fetch.val() | self.out_ready_i.val();
        self.valid.d_i.next = self.fetch.val();

        self.ram.wen_i.next = self.push.val();
        self.ram.waddr_i.next = self.wr_ptr.q_o.val();
        self.ram.ren_i.next = self.fetch.val();
        self.ram.raddr_i.next = self.rd_ptr.q_o.val();
        for i in 0..self._bytes {
            self.ram.wdata_i[i].next = self.in_data_i[i].val();
            self.out_data_o[i].next = self.ram.rdata_o[i].val();
        }
        self.out_valid_o.next = self.valid.q_o.val();
        self.level_o.next = self.wr_ptr.q_o.val() - self.rd_ptr.q_o.val();
    }
    module!(|this| Meta::module("fifo").param("bytes", "b", this._bytes, "bytes of an element"));
}
