//! A block with a memory.

use heddle_kernel::prelude::*;

/// Single-clock FIFO with a ready/valid handshake on both sides.
///
/// # Timing
/// 2 cycles from push to pop. Reset clears the pointers, not the stored data.
#[module]
pub struct Fifo {
    /// An element is offered.
    pub in_valid_i: Signal<In, Bit>,
    /// The element is taken.
    pub in_ready_o: Signal<Out, Bit>,
    /// The element, as bytes.
    pub in_data_i: [Signal<In, Bits<8>>; bytes],
    /// An element is offered.
    pub out_valid_o: Signal<Out, Bit>,
    /// The element is taken.
    pub out_ready_i: Signal<In, Bit>,
    /// The element, as bytes.
    pub out_data_o: [Signal<Out, Bits<8>>; bytes],
    /// Number of stored elements.
    pub level_o: Signal<Out, Bits<4>>,
    /// Next element to write.
    wr_ptr: RegEn<Bits<4>>,
    /// Next element to read.
    rd_ptr: RegEn<Bits<4>>,
    valid: RegEn<Bit>,
    #[new(Ram1r1w::new(bytes, 8))]
    ram: Ram1r1w<4, 8>,
    push: Signal<Local, Bit>,
    fetch: Signal<Local, Bit>,
    _bytes: usize,
}

impl Logic for Fifo {
    #[kernel]
    fn update(&mut self) {
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
        self.ram.wdata_i.follow(&self.in_data_i);
        self.out_data_o.follow(&self.ram.rdata_o);
        self.out_valid_o.next = self.valid.q_o.val();
        self.level_o.next = self.wr_ptr.q_o.val() - self.rd_ptr.q_o.val();
    }
    describe!(|this| Meta::module("fifo").param("bytes", "b", this._bytes, "bytes of an element"));
}
