//! The memory that every request accesses.

use super::shape::WA;
use crate::prelude::*;

/// Slice that is accessed by every request, in the cycle of the request: it holds the masks,
/// and in some memories the first units too. Rows are single bits.
///
/// # Timing
/// The row is there one cycle after `ren_i`, or two with the register behind the memory, with
/// `read_o`. A read that meets a write of the same word gets the new row by way of a register.
#[derive(LogicBlock)]
pub struct Row {
    /// Clock.
    pub clk: Signal<In, Clock>,
    /// Reset, active low.
    pub rst_n: Signal<In, Bit>,

    /// Writes a row.
    pub wen_i: Signal<In, Bit>,
    /// Its address.
    pub waddr_i: Signal<In, Bits<WA>>,
    /// Its bits.
    pub bit_i: Vec<Signal<In, Bits<1>>>,
    /// Reads a row.
    pub ren_i: Signal<In, Bit>,
    /// Its address.
    pub raddr_i: Signal<In, Bits<WA>>,
    /// The row that is written is read.
    pub meet_i: Signal<In, Bit>,

    /// A row was read.
    pub read_o: Signal<Out, Bit>,
    /// Its address.
    pub raddr_o: Signal<Out, Bits<WA>>,
    /// It was written in the cycle of the read.
    pub meet_o: Signal<Out, Bit>,
    /// The row, if it was not written in the cycle of the read: for what must be fast.
    pub stored_o: Vec<Signal<Out, Bits<1>>>,
    /// The row.
    pub bit_o: Vec<Signal<Out, Bits<1>>>,

    /// The rows of all words.
    pub ram: Ram1r1w<WA, 1>,
    read: Vec<Reg<Bit>>,
    raddr: Vec<RegData<Bits<WA>>>,
    meet: Vec<RegData<Bit>>,
    bypass: Vec<RegData<Bits<1>>>,
    stored: Vec<RegData<Bits<1>>>,
    _bits: usize,
    _depth: usize,
    _stages: usize,
}

impl Row {
    /// `words` rows of `bits` bits with `stages` (0 or 1) registers behind the memory.
    pub fn new(words: usize, bits: usize, stages: usize) -> Self {
        Self {
            clk: Default::default(),
            rst_n: Default::default(),
            wen_i: Default::default(),
            waddr_i: Default::default(),
            bit_i: v(bits),
            ren_i: Default::default(),
            raddr_i: Default::default(),
            meet_i: Default::default(),
            read_o: Default::default(),
            raddr_o: Default::default(),
            meet_o: Default::default(),
            stored_o: v(bits),
            bit_o: v(bits),
            ram: Ram1r1w::new(bits, words),
            read: v(1 + stages),
            raddr: v(1 + stages),
            meet: v(1 + stages),
            bypass: v((1 + stages) * bits),
            stored: v(stages * bits),
            _bits: bits,
            _depth: words,
            _stages: stages,
        }
    }
}

impl Logic for Row {
    #[hdl_gen]
    fn update(&mut self) {
        self.ram.clk.next = self.clk.val();
        self.ram.wen_i.next = self.wen_i.val();
        self.ram.waddr_i.next = self.waddr_i.val();
        self.ram.ren_i.next = self.ren_i.val() & !self.meet_i.val();
        self.ram.raddr_i.next = self.raddr_i.val();

        self.read[0].clk.next = self.clk.val();
        self.read[0].rst_n.next = self.rst_n.val();
        self.read[0].d_i.next = self.ren_i.val();
        self.raddr[0].clk.next = self.clk.val();
        self.raddr[0].en_i.next = self.ren_i.val();
        self.raddr[0].d_i.next = self.raddr_i.val();
        self.meet[0].clk.next = self.clk.val();
        self.meet[0].en_i.next = self.ren_i.val();
        self.meet[0].d_i.next = self.meet_i.val();
        for k in 0..self._bits {
            self.ram.wdata_i[k].next = self.bit_i[k].val();
            self.bypass[k].clk.next = self.clk.val();
            self.bypass[k].en_i.next = self.meet_i.val();
            self.bypass[k].d_i.next = self.bit_i[k].val();
        }
        if self._stages > 0 {
            comment!("Nothing stands between the memory and its register");
            self.read[1].clk.next = self.clk.val();
            self.read[1].rst_n.next = self.rst_n.val();
            self.read[1].d_i.next = self.read[0].q_o.val();
            self.raddr[1].clk.next = self.clk.val();
            self.raddr[1].en_i.next = self.read[0].q_o.val();
            self.raddr[1].d_i.next = self.raddr[0].q_o.val();
            self.meet[1].clk.next = self.clk.val();
            self.meet[1].en_i.next = self.read[0].q_o.val();
            self.meet[1].d_i.next = self.meet[0].q_o.val();
            for k in 0..self._bits {
                self.stored[k].clk.next = self.clk.val();
                self.stored[k].en_i.next = self.read[0].q_o.val() & !self.meet[0].q_o.val();
                self.stored[k].d_i.next = self.ram.rdata_o[k].val();
                self.bypass[self._bits + k].clk.next = self.clk.val();
                self.bypass[self._bits + k].en_i.next =
                    self.read[0].q_o.val() & self.meet[0].q_o.val();
                self.bypass[self._bits + k].d_i.next = self.bypass[k].q_o.val();
                self.stored_o[k].next = self.stored[k].q_o.val();
                self.bit_o[k].next = self.stored[k].q_o.val();
                if self.meet[1].q_o.val() {
                    self.bit_o[k].next = self.bypass[self._bits + k].q_o.val();
                }
            }
        } else {
            for k in 0..self._bits {
                self.stored_o[k].next = self.ram.rdata_o[k].val();
                self.bit_o[k].next = self.ram.rdata_o[k].val();
                if self.meet[0].q_o.val() {
                    self.bit_o[k].next = self.bypass[k].q_o.val();
                }
            }
        }
        self.read_o.next = self.read[self._stages].q_o.val();
        self.raddr_o.next = self.raddr[self._stages].q_o.val();
        self.meet_o.next = self.meet[self._stages].q_o.val();
    }
    module!(|this| Meta::module("sliced_row")
        .param("depth", "d", this._depth, "words")
        .param("bits", "b", this._bits, "bits of a row")
        .option("stages", "s", this._stages, "registers behind the memory"));
}
