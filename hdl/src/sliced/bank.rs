//! A bank of the state buffer.

use super::shape::WA;
use super::{SlicedChoice, SlicedShape};
use crate::prelude::*;

/// Sliced or plain memory of words of eight bytes, with units of any size inside. Beside the word
/// it says which of its bytes are not zero: that is the mask if units are no larger than bytes.
///
/// # Timing
/// That of the memory inside.
#[derive(LogicBlock)]
pub struct SlicedBank {
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
    /// The word of an earlier read is on `rdata_o`.
    pub rvalid_o: Signal<Out, Bit>,
    /// Word, byte 0 in the low bits; only defined with `rvalid_o`.
    pub rdata_o: Vec<Signal<Out, Bits<8>>>,
    /// Its mask: bit k is 1 if unit k is not zero.
    pub rmask_o: Vec<Signal<Out, Bits<1>>>,
    /// One per byte of the word: it is not zero.
    pub nz_o: Vec<Signal<Out, Bit>>,

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

    half: Vec<SlicedChoice<4>>,
    single: Vec<SlicedChoice<8>>,
    double: Vec<SlicedChoice<16>>,
    quad: Vec<SlicedChoice<32>>,
    _shape: SlicedShape,
    _units: usize,
    _slices: usize,
    _halfs: usize,
    _singles: usize,
    _doubles: usize,
    _quads: usize,
}

impl SlicedBank {
    /// A bank of this shape.
    ///
    /// # Panics
    /// If the shape is not allowed, or its words do not have eight bytes.
    pub fn new(shape: SlicedShape) -> Self {
        assert_eq!(shape.word_bytes(), 8, "a bank has words of 8 bytes");
        let (units, slices) = (shape.units, shape.slices());
        let sized = |bits| usize::from(shape.unit_bits == bits);
        let (halfs, singles, doubles, quads) = (sized(4), sized(8), sized(16), sized(32));
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
            rmask_o: v(units),
            nz_o: v(8),
            mask_ren_o: Default::default(),
            mask_wen_o: Default::default(),
            slice_ren_o: v(slices),
            slice_wen_o: v(slices),
            lane_wen_o: v(units),
            half: (0..halfs)
                .map(|_| SlicedChoice::new(shape.clone()))
                .collect(),
            single: (0..singles)
                .map(|_| SlicedChoice::new(shape.clone()))
                .collect(),
            double: (0..doubles)
                .map(|_| SlicedChoice::new(shape.clone()))
                .collect(),
            quad: (0..quads)
                .map(|_| SlicedChoice::new(shape.clone()))
                .collect(),
            _units: units,
            _slices: slices,
            _halfs: halfs,
            _singles: singles,
            _doubles: doubles,
            _quads: quads,
            _shape: shape,
        }
    }
}

impl Logic for SlicedBank {
    #[hdl_gen]
    fn update(&mut self) {
        for m in 0..self._halfs {
            self.half[m].clk.next = self.clk.val();
            self.half[m].rst_n.next = self.rst_n.val();
            self.half[m].wen_i.next = self.wen_i.val();
            self.half[m].waddr_i.next = self.waddr_i.val();
            self.half[m].ren_i.next = self.ren_i.val();
            self.half[m].raddr_i.next = self.raddr_i.val();
            self.rvalid_o.next = self.half[m].rvalid_o.val();
            self.mask_ren_o.next = self.half[m].mask_ren_o.val();
            self.mask_wen_o.next = self.half[m].mask_wen_o.val();
            for k in 0..self._slices {
                self.slice_ren_o[k].next = self.half[m].slice_ren_o[k].val();
                self.slice_wen_o[k].next = self.half[m].slice_wen_o[k].val();
            }
            for k in 0..self._units {
                self.rmask_o[k].next = self.half[m].rmask_o[k].val();
                self.lane_wen_o[k].next = self.half[m].lane_wen_o[k].val();
            }
            for k in 0..8 {
                self.half[m].wdata_i[2 * k].next = self.wdata_i[k].val().get_bits::<4>(0);
                self.half[m].wdata_i[2 * k + 1].next = self.wdata_i[k].val().get_bits::<4>(4);
                self.rdata_o[k].next = (self.half[m].rdata_o[2 * k + 1].val().get_bits::<8>(0)
                    << 4)
                    | self.half[m].rdata_o[2 * k].val().get_bits::<8>(0);
                self.nz_o[k].next = self.half[m].rmask_o[2 * k].val().any()
                    | self.half[m].rmask_o[2 * k + 1].val().any();
            }
        }
        for m in 0..self._singles {
            self.single[m].clk.next = self.clk.val();
            self.single[m].rst_n.next = self.rst_n.val();
            self.single[m].wen_i.next = self.wen_i.val();
            self.single[m].waddr_i.next = self.waddr_i.val();
            self.single[m].ren_i.next = self.ren_i.val();
            self.single[m].raddr_i.next = self.raddr_i.val();
            self.rvalid_o.next = self.single[m].rvalid_o.val();
            self.mask_ren_o.next = self.single[m].mask_ren_o.val();
            self.mask_wen_o.next = self.single[m].mask_wen_o.val();
            for k in 0..self._slices {
                self.slice_ren_o[k].next = self.single[m].slice_ren_o[k].val();
                self.slice_wen_o[k].next = self.single[m].slice_wen_o[k].val();
            }
            for k in 0..self._units {
                self.rmask_o[k].next = self.single[m].rmask_o[k].val();
                self.lane_wen_o[k].next = self.single[m].lane_wen_o[k].val();
            }
            for k in 0..8 {
                self.single[m].wdata_i[k].next = self.wdata_i[k].val();
                self.rdata_o[k].next = self.single[m].rdata_o[k].val();
                self.nz_o[k].next = self.single[m].rmask_o[k].val().any();
            }
        }
        for m in 0..self._doubles {
            self.double[m].clk.next = self.clk.val();
            self.double[m].rst_n.next = self.rst_n.val();
            self.double[m].wen_i.next = self.wen_i.val();
            self.double[m].waddr_i.next = self.waddr_i.val();
            self.double[m].ren_i.next = self.ren_i.val();
            self.double[m].raddr_i.next = self.raddr_i.val();
            self.rvalid_o.next = self.double[m].rvalid_o.val();
            self.mask_ren_o.next = self.double[m].mask_ren_o.val();
            self.mask_wen_o.next = self.double[m].mask_wen_o.val();
            for k in 0..self._slices {
                self.slice_ren_o[k].next = self.double[m].slice_ren_o[k].val();
                self.slice_wen_o[k].next = self.double[m].slice_wen_o[k].val();
            }
            for k in 0..self._units {
                self.rmask_o[k].next = self.double[m].rmask_o[k].val();
                self.lane_wen_o[k].next = self.double[m].lane_wen_o[k].val();
            }
            for k in 0..4 {
                self.double[m].wdata_i[k].next = (self.wdata_i[2 * k + 1].val().get_bits::<16>(0)
                    << 8)
                    | self.wdata_i[2 * k].val().get_bits::<16>(0);
                for b in 0..2 {
                    self.rdata_o[2 * k + b].next =
                        self.double[m].rdata_o[k].val().get_bits::<8>(b * 8);
                    self.nz_o[2 * k + b].next =
                        self.double[m].rdata_o[k].val().get_bits::<8>(b * 8).any();
                }
            }
        }
        for m in 0..self._quads {
            self.quad[m].clk.next = self.clk.val();
            self.quad[m].rst_n.next = self.rst_n.val();
            self.quad[m].wen_i.next = self.wen_i.val();
            self.quad[m].waddr_i.next = self.waddr_i.val();
            self.quad[m].ren_i.next = self.ren_i.val();
            self.quad[m].raddr_i.next = self.raddr_i.val();
            self.rvalid_o.next = self.quad[m].rvalid_o.val();
            self.mask_ren_o.next = self.quad[m].mask_ren_o.val();
            self.mask_wen_o.next = self.quad[m].mask_wen_o.val();
            for k in 0..self._slices {
                self.slice_ren_o[k].next = self.quad[m].slice_ren_o[k].val();
                self.slice_wen_o[k].next = self.quad[m].slice_wen_o[k].val();
            }
            for k in 0..self._units {
                self.rmask_o[k].next = self.quad[m].rmask_o[k].val();
                self.lane_wen_o[k].next = self.quad[m].lane_wen_o[k].val();
            }
            for k in 0..2 {
                self.quad[m].wdata_i[k].next = (self.wdata_i[4 * k + 3].val().get_bits::<32>(0)
                    << 24)
                    | (self.wdata_i[4 * k + 2].val().get_bits::<32>(0) << 16)
                    | (self.wdata_i[4 * k + 1].val().get_bits::<32>(0) << 8)
                    | self.wdata_i[4 * k].val().get_bits::<32>(0);
                for b in 0..4 {
                    self.rdata_o[4 * k + b].next =
                        self.quad[m].rdata_o[k].val().get_bits::<8>(b * 8);
                    self.nz_o[4 * k + b].next =
                        self.quad[m].rdata_o[k].val().get_bits::<8>(b * 8).any();
                }
            }
        }
    }
    module!(|this| this._shape.describe_kind(Meta::module("sliced_bank")));
}
