//! A column of the results buffer whose stored sums go back to the top of the array.

use crate::prelude::*;

/// One column of the results buffer without an adder: a stored sum enters the array at the top as first
/// partial sum, what leaves the array at the foot is stored.
///
/// Two waves use the memory, one its read port and one its write port. The bank is the lowest bit of the
/// memory address. Nothing is forwarded: a sum may be read in the cycle after it was written.
///
/// # Timing
/// At the top, slot (`read_i`, `read_bank_i`, `read_addr_i`) in cycle T: the memory is read in T,
/// `psum_o` is the stored sum in T+2. It is 0 two cycles behind every slot that does not read.
/// At the foot, slot (`valid_i`, `bank_i`, `addr_i`, `write_i`) in cycle T: `sum_i` is taken in T+1 and
/// written at the end of T+1 if `write_i`; `acc_o` has it from T+2 on, until the next slot's.
/// Slots are on the outputs for the next column in T+1.
#[derive(LogicBlock)]
pub struct PsumColumn {
    /// Clock.
    pub clk: Signal<In, Clock>,
    /// Reset, active low.
    pub rst_n: Signal<In, Bit>,
    /// Top: the slot reads a stored sum.
    pub read_i: Signal<In, Bit>,
    /// Top: bank.
    pub read_bank_i: Signal<In, Bit>,
    /// Top: address in the bank.
    pub read_addr_i: Signal<In, Bits<12>>,
    /// Top: the slot reads, for the next column.
    pub read_o: Signal<Out, Bit>,
    /// Top: bank for the next column.
    pub read_bank_o: Signal<Out, Bit>,
    /// Top: address for the next column.
    pub read_addr_o: Signal<Out, Bits<12>>,
    /// Stored sum, or 0.
    pub psum_o: Signal<Out, Bits<32>>,
    /// Foot: the slot holds a result.
    pub valid_i: Signal<In, Bit>,
    /// Foot: bank.
    pub bank_i: Signal<In, Bit>,
    /// Foot: address in the bank.
    pub addr_i: Signal<In, Bits<12>>,
    /// Foot: store the result.
    pub write_i: Signal<In, Bit>,
    /// Foot: the slot holds a result, for the next column.
    pub valid_o: Signal<Out, Bit>,
    /// Foot: bank for the next column.
    pub bank_o: Signal<Out, Bit>,
    /// Foot: address for the next column.
    pub addr_o: Signal<Out, Bits<12>>,
    /// Foot: store flag for the next column.
    pub write_o: Signal<Out, Bit>,
    /// Sum leaving the array.
    pub sum_i: Signal<In, Bits<32>>,
    /// Result.
    pub acc_o: Signal<Out, Bits<32>>,
    read: Reg<Bit>,
    read_bank: Delay<Bit>,
    read_addr: Delay<Bits<12>>,
    valid: Reg<Bit>,
    bank: Delay<Bit>,
    addr: Delay<Bits<12>>,
    write: Delay<Bit>,
    /// Stored sum of the slot of two cycles ago.
    psum: Delay<Bits<32>>,
    /// Result of the slot of two cycles ago.
    acc: RegData<Bits<32>>,
    ram: Ram1r1w<13, 32>,
    _depth: usize,
}

impl PsumColumn {
    /// A column with `depth` (16..=4096) sums in each bank.
    pub fn new(depth: usize) -> Self {
        Self {
            clk: Default::default(),
            rst_n: Default::default(),
            read_i: Default::default(),
            read_bank_i: Default::default(),
            read_addr_i: Default::default(),
            read_o: Default::default(),
            read_bank_o: Default::default(),
            read_addr_o: Default::default(),
            psum_o: Default::default(),
            valid_i: Default::default(),
            bank_i: Default::default(),
            addr_i: Default::default(),
            write_i: Default::default(),
            valid_o: Default::default(),
            bank_o: Default::default(),
            addr_o: Default::default(),
            write_o: Default::default(),
            sum_i: Default::default(),
            acc_o: Default::default(),
            read: Default::default(),
            read_bank: Default::default(),
            read_addr: Default::default(),
            valid: Default::default(),
            bank: Default::default(),
            addr: Default::default(),
            write: Default::default(),
            psum: Default::default(),
            acc: Default::default(),
            ram: Ram1r1w::new(1, 2 * depth),
            _depth: depth,
        }
    }
}

impl Logic for PsumColumn {
    #[hdl_gen]
    fn update(&mut self) {
        // The waves
        self.read.clk.next = self.clk.val();
        self.read.rst_n.next = self.rst_n.val();
        self.read.d_i.next = self.read_i.val();
        self.read_o.next = self.read.q_o.val();
        self.read_bank.clk.next = self.clk.val();
        self.read_bank.d_i.next = self.read_bank_i.val();
        self.read_bank_o.next = self.read_bank.q_o.val();
        self.read_addr.clk.next = self.clk.val();
        self.read_addr.d_i.next = self.read_addr_i.val();
        self.read_addr_o.next = self.read_addr.q_o.val();
        self.valid.clk.next = self.clk.val();
        self.valid.rst_n.next = self.rst_n.val();
        self.valid.d_i.next = self.valid_i.val();
        self.valid_o.next = self.valid.q_o.val();
        self.bank.clk.next = self.clk.val();
        self.bank.d_i.next = self.bank_i.val();
        self.bank_o.next = self.bank.q_o.val();
        self.addr.clk.next = self.clk.val();
        self.addr.d_i.next = self.addr_i.val();
        self.addr_o.next = self.addr.q_o.val();
        self.write.clk.next = self.clk.val();
        self.write.d_i.next = self.write_i.val();
        self.write_o.next = self.write.q_o.val();

        // Top
        self.ram.clk.next = self.clk.val();
        self.ram.ren_i.next = self.read_i.val();
        self.ram.raddr_i.next = (bit_cast::<13, 12>(self.read_addr_i.val()) << 1)
            .replace_bit(0, self.read_bank_i.val());
        self.psum.clk.next = self.clk.val();
        self.psum.d_i.next = 0.into();
        if self.read.q_o.val() {
            self.psum.d_i.next = self.ram.rdata_o[0].val();
        }
        self.psum_o.next = self.psum.q_o.val();

        // Foot
        self.ram.wen_i.next = self.valid.q_o.val() & self.write.q_o.val();
        self.ram.waddr_i.next =
            (bit_cast::<13, 12>(self.addr.q_o.val()) << 1).replace_bit(0, self.bank.q_o.val());
        self.ram.wdata_i[0].next = self.sum_i.val();
        self.acc.clk.next = self.clk.val();
        self.acc.en_i.next = self.valid.q_o.val();
        self.acc.d_i.next = self.sum_i.val();
        self.acc_o.next = self.acc.q_o.val();
    }
    module!(|this| Meta::module("psum_column").param(
        "depth",
        "d",
        this._depth,
        "sums in each bank"
    ));
}
