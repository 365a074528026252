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
    /// Bytes of an element.
    _bytes: Param<'b'>,
}

#[kernel]
impl Fifo {
    fn update(&mut self) {
        self.in_ready_o = (self.wr_ptr - self.rd_ptr) != 8;
        self.push = self.in_valid_i & self.in_ready_o;
        comment!("Fetch the next element while the output is empty or being taken");
        self.fetch = (self.wr_ptr != self.rd_ptr) & (!self.valid | self.out_ready_i);

        self.wr_ptr.en_i = self.push;
        self.wr_ptr = self.wr_ptr + 1;
        self.rd_ptr.en_i = self.fetch;
        self.rd_ptr = self.rd_ptr + 1;
        self.valid.en_i = self.fetch | self.out_ready_i;
        self.valid = self.fetch;

        self.ram.wen_i = self.push;
        self.ram.waddr_i = self.wr_ptr;
        self.ram.ren_i = self.fetch;
        self.ram.raddr_i = self.rd_ptr;
        self.ram.wdata_i.follow(&self.in_data_i);
        self.out_data_o.follow(&self.ram.rdata_o);
        self.out_valid_o = self.valid;
        self.level_o = self.wr_ptr - self.rd_ptr;
    }
}
