//! The sliced memory.

use super::old::{Count, Pack, Unpack};
use crate::prelude::*;

/// Bits of a word address.
const WA: usize = 13;

/// Sparse-aware memory of 64-bit words in three slices: an 8-bit mask slice and two data
/// slices. The mask has a bit for every non-zero byte. These bytes are stored packed, the first
/// ones in slice a and the rest in slice b; a slice that gets none is not accessed. A read
/// fetches the mask first and then only the slices it names. Zero bytes come from the mask.
///
/// # Timing
/// Word 2 cycles after `ren_i`. One read and one write per clock, at any addresses. The mask
/// slice is accessed in the cycle of the request, the data slices one cycle later. A read in the
/// cycle of a write to the same word, or later, returns the new word; bypass registers see to
/// it, so that what a slice reads from a word that is being written is never used.
///
/// # Rules
/// Addresses are below the number of words. A word must be written before it is read.
#[derive(LogicBlock)]
pub struct Sliced {
    /// Clock.
    pub clk: Signal<In, Clock>,
    /// Reset, active low.
    pub rst_n: Signal<In, Bit>,

    /// Writes a word.
    pub wen_i: Signal<In, Bit>,
    /// Address of the word to write.
    pub waddr_i: Signal<In, Bits<WA>>,
    /// Word to write, byte 0 in the low bits.
    pub wdata_i: Vec<Signal<In, Bits<8>>>,

    /// Reads a word.
    pub ren_i: Signal<In, Bit>,
    /// Address of the word to read.
    pub raddr_i: Signal<In, Bits<WA>>,
    /// The word of the read two cycles ago is on `rdata_o`.
    pub rvalid_o: Signal<Out, Bit>,
    /// Word, byte 0 in the low bits; only defined with `rvalid_o`.
    pub rdata_o: Vec<Signal<Out, Bits<8>>>,

    /// The mask slice is read in this cycle.
    pub mask_ren_o: Signal<Out, Bit>,
    /// The mask slice is written in this cycle.
    pub mask_wen_o: Signal<Out, Bit>,
    /// Slice a is read in this cycle.
    pub a_ren_o: Signal<Out, Bit>,
    /// Slice a is written in this cycle.
    pub a_wen_o: Signal<Out, Bit>,
    /// Slice b is read in this cycle.
    pub b_ren_o: Signal<Out, Bit>,
    /// Slice b is written in this cycle.
    pub b_wen_o: Signal<Out, Bit>,

    /// Masks of all words.
    pub mask_slice: Ram1r1w<WA, 1>,
    /// Slice a: the first packed bytes of all words.
    pub a_slice: Ram1r1w<WA, 8>,
    /// Slice b: the packed bytes that follow.
    pub b_slice: Ram1r1w<WA, 8>,
    write_count: Count,
    read_count: Count,
    pack: Pack,
    unpack: Unpack,

    a_wen: Reg<Bit>,
    a_waddr: RegData<Bits<WA>>,
    b_wen: Reg<Bit>,
    b_waddr: RegData<Bits<WA>>,
    /// A read whose data slices are accessed in this cycle.
    read: Reg<Bit>,
    raddr: RegData<Bits<WA>>,
    /// A write of the same word entered together with that read.
    meet: RegEn<Bit>,
    /// The mask that write stored.
    mask_bypass: Vec<RegData<Bits<1>>>,
    rvalid: Reg<Bit>,
    /// The word on `rdata_o` comes from the bypass registers.
    data_meet: RegEn<Bit>,
    a_bypass: Vec<RegData<Bits<8>>>,
    b_bypass: Vec<RegData<Bits<8>>>,

    write_mask: Vec<Signal<Local, Bits<1>>>,
    read_mask: Vec<Signal<Local, Bits<1>>>,
    write_a: Signal<Local, Bit>,
    write_b: Signal<Local, Bit>,
    read_a: Signal<Local, Bit>,
    read_b: Signal<Local, Bit>,
    same_word: Signal<Local, Bit>,
    _depth: usize,
    _first: usize,
}

impl Sliced {
    /// A memory of `depth` words whose slice a holds `first` bytes and slice b 8 - `first`.
    ///
    /// # Panics
    /// If `depth` is not in 1..=8192 or `first` is not in 1..=7.
    pub fn new(depth: usize, first: usize) -> Self {
        assert!(
            (1..=1 << WA).contains(&depth),
            "depth is {depth}, allowed 1 to 8192 words"
        );
        assert!(
            (1..=7).contains(&first),
            "first is {first}, allowed 1 to 7 bytes"
        );
        Self {
            clk: Default::default(),
            rst_n: Default::default(),
            wen_i: Default::default(),
            waddr_i: Default::default(),
            wdata_i: v(8),
            ren_i: Default::default(),
            raddr_i: Default::default(),
            rvalid_o: Default::default(),
            rdata_o: v(8),
            mask_ren_o: Default::default(),
            mask_wen_o: Default::default(),
            a_ren_o: Default::default(),
            a_wen_o: Default::default(),
            b_ren_o: Default::default(),
            b_wen_o: Default::default(),
            mask_slice: Ram1r1w::new(8, depth),
            a_slice: Ram1r1w::new(first, depth),
            b_slice: Ram1r1w::new(8 - first, depth),
            write_count: Count::new(first),
            read_count: Count::new(first),
            pack: Pack::new(first),
            unpack: Unpack::new(first),
            a_wen: Default::default(),
            a_waddr: Default::default(),
            b_wen: Default::default(),
            b_waddr: Default::default(),
            read: Default::default(),
            raddr: Default::default(),
            meet: Default::default(),
            mask_bypass: v(8),
            rvalid: Default::default(),
            data_meet: Default::default(),
            a_bypass: v(first),
            b_bypass: v(8 - first),
            write_mask: v(8),
            read_mask: v(8),
            write_a: Default::default(),
            write_b: Default::default(),
            read_a: Default::default(),
            read_b: Default::default(),
            same_word: Default::default(),
            _depth: depth,
            _first: first,
        }
    }
}

impl Logic for Sliced {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("Cycle 0 of a write: mask, and the slices the word needs");
        for k in 0..8 {
            self.write_mask[k].next = self.wdata_i[k].val().any().into();
            self.write_count.mask_i[k].next = self.write_mask[k].val();
            self.pack.mask_i[k].next = self.write_mask[k].val();
            self.pack.word_i[k].next = self.wdata_i[k].val();
            self.mask_slice.wdata_i[k].next = self.write_mask[k].val();
        }
        self.write_a.next = self.wen_i.val() & self.write_count.a_o.val();
        self.write_b.next = self.wen_i.val() & self.write_count.b_o.val();
        self.pack.clk.next = self.clk.val();
        self.pack.a_en_i.next = self.write_a.val();
        self.pack.b_en_i.next = self.write_b.val();

        comment!("Cycle 1 of a write: data slices");
        self.a_wen.clk.next = self.clk.val();
        self.a_wen.rst_n.next = self.rst_n.val();
        self.a_wen.d_i.next = self.write_a.val();
        self.a_waddr.clk.next = self.clk.val();
        self.a_waddr.en_i.next = self.write_a.val();
        self.a_waddr.d_i.next = self.waddr_i.val();
        self.b_wen.clk.next = self.clk.val();
        self.b_wen.rst_n.next = self.rst_n.val();
        self.b_wen.d_i.next = self.write_b.val();
        self.b_waddr.clk.next = self.clk.val();
        self.b_waddr.en_i.next = self.write_b.val();
        self.b_waddr.d_i.next = self.waddr_i.val();

        comment!("Cycle 0 of a read: mask slice");
        self.mask_slice.clk.next = self.clk.val();
        self.mask_slice.wen_i.next = self.wen_i.val();
        self.mask_slice.waddr_i.next = self.waddr_i.val();
        self.mask_slice.ren_i.next = self.ren_i.val() & !self.same_word.val();
        self.mask_slice.raddr_i.next = self.raddr_i.val();

        self.same_word.next =
            self.wen_i.val() & self.ren_i.val() & (self.waddr_i.val() == self.raddr_i.val());
        self.meet.clk.next = self.clk.val();
        self.meet.rst_n.next = self.rst_n.val();
        self.meet.en_i.next = self.ren_i.val();
        self.meet.d_i.next = self.same_word.val();

        self.read.clk.next = self.clk.val();
        self.read.rst_n.next = self.rst_n.val();
        self.read.d_i.next = self.ren_i.val();
        self.raddr.clk.next = self.clk.val();
        self.raddr.en_i.next = self.ren_i.val();
        self.raddr.d_i.next = self.raddr_i.val();

        comment!("Cycle 1 of a read: the slices that the mask names");
        for k in 0..8 {
            self.mask_bypass[k].clk.next = self.clk.val();
            self.mask_bypass[k].en_i.next = self.same_word.val();
            self.mask_bypass[k].d_i.next = self.write_mask[k].val();
            self.read_mask[k].next = self.mask_slice.rdata_o[k].val();
            if self.meet.q_o.val() {
                self.read_mask[k].next = self.mask_bypass[k].q_o.val();
            }
            self.read_count.mask_i[k].next = self.read_mask[k].val();
            self.unpack.mask_i[k].next = self.read_mask[k].val();
        }
        self.read_a.next = self.read.q_o.val() & self.read_count.a_o.val();
        self.read_b.next = self.read.q_o.val() & self.read_count.b_o.val();

        self.a_slice.clk.next = self.clk.val();
        self.a_slice.wen_i.next = self.a_wen.q_o.val();
        self.a_slice.waddr_i.next = self.a_waddr.q_o.val();
        self.a_slice.ren_i.next = self.read_a.val() & !self.meet.q_o.val();
        self.a_slice.raddr_i.next = self.raddr.q_o.val();
        self.b_slice.clk.next = self.clk.val();
        self.b_slice.wen_i.next = self.b_wen.q_o.val();
        self.b_slice.waddr_i.next = self.b_waddr.q_o.val();
        self.b_slice.ren_i.next = self.read_b.val() & !self.meet.q_o.val();
        self.b_slice.raddr_i.next = self.raddr.q_o.val();

        comment!("Cycle 2 of a read: unpacking");
        self.unpack.clk.next = self.clk.val();
        self.unpack.en_i.next = self.read.q_o.val();
        self.rvalid.clk.next = self.clk.val();
        self.rvalid.rst_n.next = self.rst_n.val();
        self.rvalid.d_i.next = self.read.q_o.val();
        self.data_meet.clk.next = self.clk.val();
        self.data_meet.rst_n.next = self.rst_n.val();
        self.data_meet.en_i.next = self.read.q_o.val();
        self.data_meet.d_i.next = self.meet.q_o.val();

        for i in 0..self._first {
            self.a_slice.wdata_i[i].next = self.pack.a_data_o[i].val();
            self.a_bypass[i].clk.next = self.clk.val();
            self.a_bypass[i].en_i.next = self.read_a.val() & self.meet.q_o.val();
            self.a_bypass[i].d_i.next = self.pack.a_data_o[i].val();
            self.unpack.a_data_i[i].next = self.a_slice.rdata_o[i].val();
            if self.data_meet.q_o.val() {
                self.unpack.a_data_i[i].next = self.a_bypass[i].q_o.val();
            }
        }
        for i in 0..(8 - self._first) {
            self.b_slice.wdata_i[i].next = self.pack.b_data_o[i].val();
            self.b_bypass[i].clk.next = self.clk.val();
            self.b_bypass[i].en_i.next = self.read_b.val() & self.meet.q_o.val();
            self.b_bypass[i].d_i.next = self.pack.b_data_o[i].val();
            self.unpack.b_data_i[i].next = self.b_slice.rdata_o[i].val();
            if self.data_meet.q_o.val() {
                self.unpack.b_data_i[i].next = self.b_bypass[i].q_o.val();
            }
        }

        self.rvalid_o.next = self.rvalid.q_o.val();
        for k in 0..8 {
            self.rdata_o[k].next = self.unpack.word_o[k].val();
        }
        self.mask_ren_o.next = self.ren_i.val();
        self.mask_wen_o.next = self.wen_i.val();
        self.a_ren_o.next = self.read_a.val();
        self.a_wen_o.next = self.a_wen.q_o.val();
        self.b_ren_o.next = self.read_b.val();
        self.b_wen_o.next = self.b_wen.q_o.val();
    }
    module!(|this| Meta::module("sliced")
        .param("depth", "d", this._depth, "words")
        .param("first", "f", this._first, "bytes in slice a"));
}
