//! The operand memory that all rows share.

use super::OperandBank;
use crate::prelude::*;

/// Operand memory in banks, for rows that want their operands at once. Byte address a lies in bank
/// a modulo the number of banks. A bank serves one address per clock; a step takes as many clocks
/// as the bank that is wanted most often.
///
/// # Timing
/// `offer_i`, `ren_i` and `addr_i` must stay until `served_o` is high with `offer_i`: the last
/// operand is read in that cycle T. All of them are on `x_o`, `nz_o` and `read_o` in T+2. The next
/// step may be offered in T+1. A byte written in T may be read in T+2. Addresses count modulo the
/// bytes of the memory.
#[derive(LogicBlock)]
pub struct OperandBanks<const A: usize> {
    /// Clock.
    pub clk: Signal<In, Clock>,
    /// Reset, active low.
    pub rst_n: Signal<In, Bit>,
    /// Writes an operand.
    pub wen_i: Signal<In, Bit>,
    /// Byte address to write.
    pub waddr_i: Signal<In, Bits<A>>,
    /// Operand to write.
    pub wdata_i: Signal<In, Bits<8>>,
    /// The rows want the operands of a step.
    pub offer_i: Signal<In, Bit>,
    /// One per row: it wants an operand.
    pub ren_i: Vec<Signal<In, Bit>>,
    /// One per row: byte address to read.
    pub addr_i: Vec<Signal<In, Bits<A>>>,
    /// All operands of the step are read with this cycle.
    pub served_o: Signal<Out, Bit>,
    /// The step waits for a bank.
    pub wait_o: Signal<Out, Bit>,
    /// One per row: the last operand that was not zero.
    pub x_o: Vec<Signal<Out, Bits<8>>>,
    /// One per row: an operand was read for the step and is not zero.
    pub nz_o: Vec<Signal<Out, Bit>>,
    /// One per row: an operand was read for the step.
    pub read_o: Vec<Signal<Out, Bit>>,
    bank: Vec<OperandBank>,
    wen: Reg<Bit>,
    waddr: Delay<Bits<A>>,
    wdata: Delay<Bits<8>>,
    /// Rows whose operand of this step is read.
    served: Vec<Reg<Bit>>,
    /// Rows whose operand is on the outputs of the banks, and the bank.
    arrives: Vec<Reg<Bit>>,
    from: Vec<Delay<Bits<4>>>,
    x: Vec<RegData<Bits<8>>>,
    /// The operand read last is not zero.
    not_zero: Vec<RegData<Bit>>,
    /// Reads of the step that was served last, and of the one before.
    reading: Vec<Reg<Bit>>,
    read: Vec<Reg<Bit>>,
    /// Bank that a row wants.
    wanted: Vec<Signal<Local, Bits<4>>>,
    /// Address in it.
    word: Vec<Signal<Local, Bits<16>>>,
    missing: Vec<Signal<Local, Bit>>,
    granted: Vec<Signal<Local, Bit>>,
    data: Vec<Signal<Local, Bits<8>>>,
    write_bank: Signal<Local, Bits<4>>,
    complete: Signal<Local, Bit>,
    _rows: usize,
    _bytes: usize,
    _banks: usize,
    _top_bank: usize,
    _bank_bits: usize,
    _top_byte: usize,
    _merge: usize,
}

impl<const A: usize> OperandBanks<A> {
    /// A memory of `bytes` bytes in `banks` (2, 4, 8 or 16) banks for `rows` rows.
    pub fn new(rows: usize, bytes: usize, banks: usize, merge: bool) -> Self {
        let bank = |_| OperandBank::new(rows, bytes / banks, merge);
        Self {
            clk: Default::default(),
            rst_n: Default::default(),
            wen_i: Default::default(),
            waddr_i: Default::default(),
            wdata_i: Default::default(),
            offer_i: Default::default(),
            ren_i: v(rows),
            addr_i: v(rows),
            served_o: Default::default(),
            wait_o: Default::default(),
            x_o: v(rows),
            nz_o: v(rows),
            read_o: v(rows),
            bank: (0..banks).map(bank).collect(),
            wen: Default::default(),
            waddr: Default::default(),
            wdata: Default::default(),
            served: v(rows),
            arrives: v(rows),
            from: v(rows),
            x: v(rows),
            not_zero: v(rows),
            reading: v(rows),
            read: v(rows),
            wanted: v(rows),
            word: v(rows),
            missing: v(rows),
            granted: v(rows),
            data: v(rows),
            write_bank: Default::default(),
            complete: Default::default(),
            _rows: rows,
            _bytes: bytes,
            _banks: banks,
            _top_bank: banks - 1,
            _bank_bits: banks.ilog2() as usize,
            _top_byte: bytes / banks - 1,
            _merge: merge.into(),
        }
    }
}

impl<const A: usize> Logic for OperandBanks<A> {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("Writes");
        self.wen.clk.next = self.clk.val();
        self.wen.rst_n.next = self.rst_n.val();
        self.wen.d_i.next = self.wen_i.val();
        self.waddr.clk.next = self.clk.val();
        self.waddr.d_i.next = self.waddr_i.val();
        self.wdata.clk.next = self.clk.val();
        self.wdata.d_i.next = self.wdata_i.val();
        self.write_bank.next =
            self.waddr.q_o.val().get_bits::<4>(0) & self._top_bank.to_bits::<4>();
        for b in 0..self._banks {
            self.bank[b].clk.next = self.clk.val();
            self.bank[b].wen_i.next =
                self.wen.q_o.val() & (self.write_bank.val() == b.to_bits::<4>());
            self.bank[b].waddr_i.next =
                (self.waddr.q_o.val() >> self._bank_bits.to_bits::<4>()).get_bits::<16>(0);
            self.bank[b].wdata_i.next = self.wdata.q_o.val();
        }

        comment!("What the rows want, and who is served");
        for r in 0..self._rows {
            self.wanted[r].next =
                self.addr_i[r].val().get_bits::<4>(0) & self._top_bank.to_bits::<4>();
            self.missing[r].next = self.ren_i[r].val() & !self.served[r].q_o.val();
            self.word[r].next = (self.addr_i[r].val() >> self._bank_bits.to_bits::<4>())
                .get_bits::<16>(0)
                & self._top_byte.to_bits::<16>();
            self.granted[r].next = false;
            for b in 0..self._banks {
                self.bank[b].addr_i[r].next = self.word[r].val();
                self.bank[b].want_i[r].next = self.offer_i.val()
                    & self.missing[r].val()
                    & (self.wanted[r].val() == b.to_bits::<4>());
                if self.bank[b].grant_o[r].val() {
                    self.granted[r].next = true;
                }
            }
        }
        self.complete.next = true;
        for r in 0..self._rows {
            if self.missing[r].val() & !self.granted[r].val() {
                self.complete.next = false;
            }
        }
        self.served_o.next = self.complete.val();
        self.wait_o.next = self.offer_i.val() & !self.complete.val();

        comment!("Operands");
        for r in 0..self._rows {
            self.served[r].clk.next = self.clk.val();
            self.served[r].rst_n.next = self.rst_n.val();
            self.served[r].d_i.next =
                (self.served[r].q_o.val() | self.granted[r].val()) & !self.complete.val();
            self.arrives[r].clk.next = self.clk.val();
            self.arrives[r].rst_n.next = self.rst_n.val();
            self.arrives[r].d_i.next = self.granted[r].val();
            self.from[r].clk.next = self.clk.val();
            self.from[r].d_i.next = self.wanted[r].val();
            self.data[r].next = 0.into();
            for b in 0..self._banks {
                if self.from[r].q_o.val() == b.to_bits::<4>() {
                    self.data[r].next = self.data[r].val() | self.bank[b].data_o.val();
                }
            }
            self.x[r].clk.next = self.clk.val();
            self.x[r].en_i.next = self.arrives[r].q_o.val() & self.data[r].val().any();
            self.x[r].d_i.next = self.data[r].val();
            self.x_o[r].next = self.x[r].q_o.val();
            self.not_zero[r].clk.next = self.clk.val();
            self.not_zero[r].en_i.next = self.arrives[r].q_o.val();
            self.not_zero[r].d_i.next = self.data[r].val().any();
            self.reading[r].clk.next = self.clk.val();
            self.reading[r].rst_n.next = self.rst_n.val();
            self.reading[r].d_i.next =
                self.offer_i.val() & self.complete.val() & self.ren_i[r].val();
            self.read[r].clk.next = self.clk.val();
            self.read[r].rst_n.next = self.rst_n.val();
            self.read[r].d_i.next = self.reading[r].q_o.val();
            self.read_o[r].next = self.read[r].q_o.val();
            self.nz_o[r].next = self.read[r].q_o.val() & self.not_zero[r].q_o.val();
        }
    }
    module!(|this| Meta::module("operand_banks")
        .param("rows", "r", this._rows, "rows")
        .param("A", "a", A, "bits of an address")
        .param("bytes", "d", this._bytes, "bytes of the memory")
        .param("banks", "b", this._banks, "banks")
        .option(
            "merge",
            "e",
            this._merge,
            "rows that want one operand are served together"
        )
        .hidden(
            "bank_bits",
            this._bank_bits,
            "address bits that name the bank"
        )
        .hidden("top_byte", this._top_byte, "last byte of a bank")
        .hidden("top_bank", this._top_bank, "last bank"));
}
