//! A plain memory, to compare with.

use super::shape::WA;
use super::{DataSlice, DataSliceShape, Reply, Request, SlicedShape};
use crate::prelude::*;

/// Plain memory with the ports and the latency of a sliced one: a single slice, as wide as a word,
/// that every request accesses.
///
/// # Timing
/// `rdata_o` follows `ren_i` after the cycles of the latency. One read
/// and one write per clock, at any addresses. A read in the cycle of a write to the same word, or
/// later, returns the new word; a bypass register sees to it.
///
/// # Rules
/// A word must be written before it is read.
#[derive(LogicBlock)]
pub struct PlainMemory<const UB: usize> {
    /// Clock.
    pub clk: Signal<In, Clock>,
    /// Reset, active low.
    pub rst_n: Signal<In, Bit>,

    /// Writes a word.
    pub wen_i: Signal<In, Bit>,
    /// Address of the word to write.
    pub waddr_i: Signal<In, Bits<WA>>,
    /// Word to write, unit 0 in the low bits.
    pub wdata_i: Vec<Signal<In, Bits<UB>>>,

    /// Reads a word.
    pub ren_i: Signal<In, Bit>,
    /// Address of the word to read.
    pub raddr_i: Signal<In, Bits<WA>>,
    /// The word of an earlier read is on `rdata_o`.
    pub rvalid_o: Signal<Out, Bit>,
    /// Word, unit 0 in the low bits; only defined with `rvalid_o`.
    pub rdata_o: Vec<Signal<Out, Bits<UB>>>,
    /// Its mask: bit k is 1 if unit k is not zero.
    pub rmask_o: Vec<Signal<Out, Bits<1>>>,

    /// The mask slice is read in this cycle.
    pub mask_ren_o: Signal<Out, Bit>,
    /// The mask slice is written in this cycle.
    pub mask_wen_o: Signal<Out, Bit>,
    /// One per data slice: it is read in this cycle.
    pub slice_ren_o: Vec<Signal<Out, Bit>>,
    /// One per data slice: it is written in this cycle.
    pub slice_wen_o: Vec<Signal<Out, Bit>>,
    /// Units of the data slices written in this cycle, by position.
    pub lane_wen_o: Vec<Signal<Out, Bits<1>>>,

    request: Request<UB>,
    /// The words.
    pub data: DataSlice<UB>,
    reply: Reply<UB>,
    read: Vec<Reg<Bit>>,
    _shape: SlicedShape,
    _units: usize,
    _reads: usize,
}

impl<const UB: usize> PlainMemory<UB> {
    /// A memory of this shape.
    ///
    /// # Panics
    /// If the shape is not allowed, or has other units.
    pub fn new(shape: SlicedShape) -> Self {
        shape.check();
        assert_eq!((UB, shape.plain), (shape.unit_bits, true));
        let (units, slices) = (shape.units, 1);
        let reads = shape.distance() + shape.data_stages();
        let data = DataSliceShape {
            words: shape.words,
            width: units,
            exact: false,
            right: shape.right,
            write_stages: shape.distance(),
            read_stages: shape.distance(),
            offset: 0,
            data_stages: shape.data_stages(),
            wait_stages: 0,
        };
        Self {
            clk: Default::default(),
            rst_n: Default::default(),
            wen_i: Default::default(),
            waddr_i: Default::default(),
            wdata_i: v(units),
            ren_i: Default::default(),
            raddr_i: Default::default(),
            rvalid_o: Default::default(),
            rdata_o: v(units),
            rmask_o: v(units),
            mask_ren_o: Default::default(),
            mask_wen_o: Default::default(),
            slice_ren_o: v(slices),
            slice_wen_o: v(slices),
            lane_wen_o: v(units),
            request: Request::new(&shape, shape.input_stages()),
            data: DataSlice::new(data),
            reply: Reply::new(&shape),
            read: v(reads),
            _units: units,
            _reads: reads,
            _shape: shape,
        }
    }
}

impl<const UB: usize> Logic for PlainMemory<UB> {
    #[hdl_gen]
    fn update(&mut self) {
        self.request.clk.next = self.clk.val();
        self.request.rst_n.next = self.rst_n.val();
        self.request.wen_i.next = self.wen_i.val();
        self.request.waddr_i.next = self.waddr_i.val();
        self.request.ren_i.next = self.ren_i.val();
        self.request.raddr_i.next = self.raddr_i.val();
        for k in 0..self._units {
            self.request.wdata_i[k].next = self.wdata_i[k].val();
        }

        self.data.clk.next = self.clk.val();
        self.data.rst_n.next = self.rst_n.val();
        self.data.wen_i.next = self.request.wen_o.val();
        self.data.waddr_i.next = self.request.waddr_o.val();
        self.data.read_i.next = self.request.ren_o.val();
        self.data.raddr_i.next = self.request.raddr_o.val();
        self.data.named_i.next = true;
        self.data.meet_i.next = self.request.meet_o.val();
        self.mask_ren_o.next = false;
        self.mask_wen_o.next = false;
        self.slice_ren_o[0].next = self.data.slice_ren_o.val();
        self.slice_wen_o[0].next = self.data.slice_wen_o.val();

        for s in 0..self._reads {
            self.read[s].clk.next = self.clk.val();
            self.read[s].rst_n.next = self.rst_n.val();
            if s == 0 {
                self.read[s].d_i.next = self.request.ren_o.val();
            } else {
                self.read[s].d_i.next = self.read[s - 1].q_o.val();
            }
        }
        self.reply.clk.next = self.clk.val();
        self.reply.rst_n.next = self.rst_n.val();
        self.reply.valid_i.next = self.read[self._reads - 1].q_o.val();
        self.rvalid_o.next = self.reply.rvalid_o.val();
        for k in 0..self._units {
            self.data.unit_i[k].next = self.request.word_o[k].val();
            self.lane_wen_o[k].next = self.data.lane_wen_o[k].val();
            self.reply.word_i[k].next = self.data.unit_o[k].val();
            self.reply.mask_i[k].next = self.data.unit_o[k].val().any().into();
            self.rdata_o[k].next = self.reply.rdata_o[k].val();
            self.rmask_o[k].next = self.reply.rmask_o[k].val();
        }
    }
    module!(|this| this._shape.meta("sliced_plain").hidden(
        "reads",
        this._reads,
        "cycles to the word"
    ));
}
