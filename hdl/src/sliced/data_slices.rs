//! All data slices of a memory, or those behind the first.

use super::shape::WA;
use super::{DataSlice, DataSliceShape, MaskPlace, SlicedShape};
use crate::prelude::*;

/// The data slices side by side, with one address each for writes and reads. In a memory whose
/// first slice holds the mask, these are the slices from 1 on. Units, lanes and slices are
/// counted from the first one here, in the order of packing.
///
/// # Timing
/// That of the slices; in turn, each is accessed one cycle after the one before.
#[derive(LogicBlock)]
pub struct DataSlices<const UB: usize> {
    /// Clock.
    pub clk: Signal<In, Clock>,
    /// Reset, active low.
    pub rst_n: Signal<In, Bit>,

    /// One per slice: it is written.
    pub wen_i: Vec<Signal<In, Bit>>,
    /// Address of the word to write.
    pub waddr_i: Signal<In, Bits<WA>>,
    /// Its units by position.
    pub unit_i: Vec<Signal<In, Bits<UB>>>,
    /// Lanes to write, by position; only where lanes are written one by one.
    pub lane_i: Vec<Signal<In, Bits<1>>>,

    /// A word is read.
    pub read_i: Signal<In, Bit>,
    /// Its address.
    pub raddr_i: Signal<In, Bits<WA>>,
    /// One per slice: the mask in the memory names it.
    pub named_i: Vec<Signal<In, Bit>>,
    /// The word was written in the cycle of the read.
    pub meet_i: Signal<In, Bit>,
    /// Units of the word by position; undefined in slices that are not read.
    pub unit_o: Vec<Signal<Out, Bits<UB>>>,

    /// One per slice: it is read in this cycle.
    pub slice_ren_o: Vec<Signal<Out, Bit>>,
    /// One per slice: it is written in this cycle.
    pub slice_wen_o: Vec<Signal<Out, Bit>>,
    /// Lanes written in this cycle, by position.
    pub lane_wen_o: Vec<Signal<Out, Bits<1>>>,

    slice0: Vec<DataSlice<UB>>,
    slice1: Vec<DataSlice<UB>>,
    slice2: Vec<DataSlice<UB>>,
    slice3: Vec<DataSlice<UB>>,
    slice4: Vec<DataSlice<UB>>,
    slice5: Vec<DataSlice<UB>>,
    slice6: Vec<DataSlice<UB>>,
    slice7: Vec<DataSlice<UB>>,
    _slices: usize,
    _first: usize,
    _depth: usize,
    _exact: usize,
    _right: usize,
    _turn: usize,
    _latency: usize,
    _width0: usize,
    _width1: usize,
    _width2: usize,
    _width3: usize,
    _width4: usize,
    _width5: usize,
    _width6: usize,
    _width7: usize,
    _from1: usize,
    _from2: usize,
    _from3: usize,
    _from4: usize,
    _from5: usize,
    _from6: usize,
    _from7: usize,
}

impl<const UB: usize> DataSlices<UB> {
    /// The data slices of a memory of this shape that stand beside no mask.
    pub fn new(shape: &SlicedShape) -> Self {
        let beside_mask = shape.mask != MaskPlace::Slice;
        let first = usize::from(beside_mask);
        let widths = &shape.widths[first..];
        let (slices, units) = (widths.len(), widths.iter().sum());
        // What is packed at once waits here for its turn; a mask slice's words come packed.
        let (writes, offset) = match beside_mask {
            true => (shape.distance(), shape.distance() - shape.enable_stages()),
            false => (1, 1 - shape.enable_stages()),
        };
        // One slice, or none: slices differ in width, so that each has a name of its own.
        let slice = |k: usize| {
            let Some(width) = widths.get(k).copied() else {
                return Vec::new();
            };
            let turn = if shape.in_turn { first + k } else { 0 };
            vec![DataSlice::new(DataSliceShape {
                words: shape.words,
                width,
                exact: shape.exact,
                right: shape.right,
                write_stages: writes + turn,
                read_stages: shape.enable_stages() + turn,
                offset,
                data_stages: shape.data_stages(),
                wait_stages: shape.turns() - turn,
            })]
        };
        let width = |k: usize| widths.get(k).copied().unwrap_or(0);
        let from = |k: usize| widths.iter().take(k).sum();
        Self {
            clk: Default::default(),
            rst_n: Default::default(),
            wen_i: v(slices),
            waddr_i: Default::default(),
            unit_i: v(units),
            lane_i: v(if shape.exact { units } else { 0 }),
            read_i: Default::default(),
            raddr_i: Default::default(),
            named_i: v(slices),
            meet_i: Default::default(),
            unit_o: v(units),
            slice_ren_o: v(slices),
            slice_wen_o: v(slices),
            lane_wen_o: v(units),
            slice0: slice(0),
            slice1: slice(1),
            slice2: slice(2),
            slice3: slice(3),
            slice4: slice(4),
            slice5: slice(5),
            slice6: slice(6),
            slice7: slice(7),
            _slices: slices,
            _first: first,
            _depth: shape.words,
            _exact: shape.exact.into(),
            _right: shape.right.into(),
            _turn: shape.in_turn.into(),
            _latency: shape.latency,
            _width0: width(0),
            _width1: width(1),
            _width2: width(2),
            _width3: width(3),
            _width4: width(4),
            _width5: width(5),
            _width6: width(6),
            _width7: width(7),
            _from1: from(1),
            _from2: from(2),
            _from3: from(3),
            _from4: from(4),
            _from5: from(5),
            _from6: from(6),
            _from7: from(7),
        }
    }

    /// The slices.
    pub fn slices(&self) -> Vec<&DataSlice<UB>> {
        let all = [
            &self.slice0,
            &self.slice1,
            &self.slice2,
            &self.slice3,
            &self.slice4,
            &self.slice5,
            &self.slice6,
            &self.slice7,
        ];
        all.into_iter().flatten().collect()
    }
}

impl<const UB: usize> Logic for DataSlices<UB> {
    #[hdl_gen]
    fn update(&mut self) {
        if self._slices > 0 {
            self.slice0[0].clk.next = self.clk.val();
            self.slice0[0].rst_n.next = self.rst_n.val();
            self.slice0[0].wen_i.next = self.wen_i[0].val();
            self.slice0[0].waddr_i.next = self.waddr_i.val();
            self.slice0[0].read_i.next = self.read_i.val();
            self.slice0[0].raddr_i.next = self.raddr_i.val();
            self.slice0[0].named_i.next = self.named_i[0].val();
            self.slice0[0].meet_i.next = self.meet_i.val();
            self.slice_ren_o[0].next = self.slice0[0].slice_ren_o.val();
            self.slice_wen_o[0].next = self.slice0[0].slice_wen_o.val();
            for i in 0..self._width0 {
                self.slice0[0].unit_i[i].next = self.unit_i[i].val();
                self.unit_o[i].next = self.slice0[0].unit_o[i].val();
                self.lane_wen_o[i].next = self.slice0[0].lane_wen_o[i].val();
                if self._exact > 0 {
                    self.slice0[0].lane_i[i].next = self.lane_i[i].val();
                }
            }
        }
        if self._slices > 1 {
            self.slice1[0].clk.next = self.clk.val();
            self.slice1[0].rst_n.next = self.rst_n.val();
            self.slice1[0].wen_i.next = self.wen_i[1].val();
            self.slice1[0].waddr_i.next = self.waddr_i.val();
            self.slice1[0].read_i.next = self.read_i.val();
            self.slice1[0].raddr_i.next = self.raddr_i.val();
            self.slice1[0].named_i.next = self.named_i[1].val();
            self.slice1[0].meet_i.next = self.meet_i.val();
            self.slice_ren_o[1].next = self.slice1[0].slice_ren_o.val();
            self.slice_wen_o[1].next = self.slice1[0].slice_wen_o.val();
            for i in 0..self._width1 {
                self.slice1[0].unit_i[i].next = self.unit_i[self._from1 + i].val();
                self.unit_o[self._from1 + i].next = self.slice1[0].unit_o[i].val();
                self.lane_wen_o[self._from1 + i].next = self.slice1[0].lane_wen_o[i].val();
                if self._exact > 0 {
                    self.slice1[0].lane_i[i].next = self.lane_i[self._from1 + i].val();
                }
            }
        }
        if self._slices > 2 {
            self.slice2[0].clk.next = self.clk.val();
            self.slice2[0].rst_n.next = self.rst_n.val();
            self.slice2[0].wen_i.next = self.wen_i[2].val();
            self.slice2[0].waddr_i.next = self.waddr_i.val();
            self.slice2[0].read_i.next = self.read_i.val();
            self.slice2[0].raddr_i.next = self.raddr_i.val();
            self.slice2[0].named_i.next = self.named_i[2].val();
            self.slice2[0].meet_i.next = self.meet_i.val();
            self.slice_ren_o[2].next = self.slice2[0].slice_ren_o.val();
            self.slice_wen_o[2].next = self.slice2[0].slice_wen_o.val();
            for i in 0..self._width2 {
                self.slice2[0].unit_i[i].next = self.unit_i[self._from2 + i].val();
                self.unit_o[self._from2 + i].next = self.slice2[0].unit_o[i].val();
                self.lane_wen_o[self._from2 + i].next = self.slice2[0].lane_wen_o[i].val();
                if self._exact > 0 {
                    self.slice2[0].lane_i[i].next = self.lane_i[self._from2 + i].val();
                }
            }
        }
        if self._slices > 3 {
            self.slice3[0].clk.next = self.clk.val();
            self.slice3[0].rst_n.next = self.rst_n.val();
            self.slice3[0].wen_i.next = self.wen_i[3].val();
            self.slice3[0].waddr_i.next = self.waddr_i.val();
            self.slice3[0].read_i.next = self.read_i.val();
            self.slice3[0].raddr_i.next = self.raddr_i.val();
            self.slice3[0].named_i.next = self.named_i[3].val();
            self.slice3[0].meet_i.next = self.meet_i.val();
            self.slice_ren_o[3].next = self.slice3[0].slice_ren_o.val();
            self.slice_wen_o[3].next = self.slice3[0].slice_wen_o.val();
            for i in 0..self._width3 {
                self.slice3[0].unit_i[i].next = self.unit_i[self._from3 + i].val();
                self.unit_o[self._from3 + i].next = self.slice3[0].unit_o[i].val();
                self.lane_wen_o[self._from3 + i].next = self.slice3[0].lane_wen_o[i].val();
                if self._exact > 0 {
                    self.slice3[0].lane_i[i].next = self.lane_i[self._from3 + i].val();
                }
            }
        }
        if self._slices > 4 {
            self.slice4[0].clk.next = self.clk.val();
            self.slice4[0].rst_n.next = self.rst_n.val();
            self.slice4[0].wen_i.next = self.wen_i[4].val();
            self.slice4[0].waddr_i.next = self.waddr_i.val();
            self.slice4[0].read_i.next = self.read_i.val();
            self.slice4[0].raddr_i.next = self.raddr_i.val();
            self.slice4[0].named_i.next = self.named_i[4].val();
            self.slice4[0].meet_i.next = self.meet_i.val();
            self.slice_ren_o[4].next = self.slice4[0].slice_ren_o.val();
            self.slice_wen_o[4].next = self.slice4[0].slice_wen_o.val();
            for i in 0..self._width4 {
                self.slice4[0].unit_i[i].next = self.unit_i[self._from4 + i].val();
                self.unit_o[self._from4 + i].next = self.slice4[0].unit_o[i].val();
                self.lane_wen_o[self._from4 + i].next = self.slice4[0].lane_wen_o[i].val();
                if self._exact > 0 {
                    self.slice4[0].lane_i[i].next = self.lane_i[self._from4 + i].val();
                }
            }
        }
        if self._slices > 5 {
            self.slice5[0].clk.next = self.clk.val();
            self.slice5[0].rst_n.next = self.rst_n.val();
            self.slice5[0].wen_i.next = self.wen_i[5].val();
            self.slice5[0].waddr_i.next = self.waddr_i.val();
            self.slice5[0].read_i.next = self.read_i.val();
            self.slice5[0].raddr_i.next = self.raddr_i.val();
            self.slice5[0].named_i.next = self.named_i[5].val();
            self.slice5[0].meet_i.next = self.meet_i.val();
            self.slice_ren_o[5].next = self.slice5[0].slice_ren_o.val();
            self.slice_wen_o[5].next = self.slice5[0].slice_wen_o.val();
            for i in 0..self._width5 {
                self.slice5[0].unit_i[i].next = self.unit_i[self._from5 + i].val();
                self.unit_o[self._from5 + i].next = self.slice5[0].unit_o[i].val();
                self.lane_wen_o[self._from5 + i].next = self.slice5[0].lane_wen_o[i].val();
                if self._exact > 0 {
                    self.slice5[0].lane_i[i].next = self.lane_i[self._from5 + i].val();
                }
            }
        }
        if self._slices > 6 {
            self.slice6[0].clk.next = self.clk.val();
            self.slice6[0].rst_n.next = self.rst_n.val();
            self.slice6[0].wen_i.next = self.wen_i[6].val();
            self.slice6[0].waddr_i.next = self.waddr_i.val();
            self.slice6[0].read_i.next = self.read_i.val();
            self.slice6[0].raddr_i.next = self.raddr_i.val();
            self.slice6[0].named_i.next = self.named_i[6].val();
            self.slice6[0].meet_i.next = self.meet_i.val();
            self.slice_ren_o[6].next = self.slice6[0].slice_ren_o.val();
            self.slice_wen_o[6].next = self.slice6[0].slice_wen_o.val();
            for i in 0..self._width6 {
                self.slice6[0].unit_i[i].next = self.unit_i[self._from6 + i].val();
                self.unit_o[self._from6 + i].next = self.slice6[0].unit_o[i].val();
                self.lane_wen_o[self._from6 + i].next = self.slice6[0].lane_wen_o[i].val();
                if self._exact > 0 {
                    self.slice6[0].lane_i[i].next = self.lane_i[self._from6 + i].val();
                }
            }
        }
        if self._slices > 7 {
            self.slice7[0].clk.next = self.clk.val();
            self.slice7[0].rst_n.next = self.rst_n.val();
            self.slice7[0].wen_i.next = self.wen_i[7].val();
            self.slice7[0].waddr_i.next = self.waddr_i.val();
            self.slice7[0].read_i.next = self.read_i.val();
            self.slice7[0].raddr_i.next = self.raddr_i.val();
            self.slice7[0].named_i.next = self.named_i[7].val();
            self.slice7[0].meet_i.next = self.meet_i.val();
            self.slice_ren_o[7].next = self.slice7[0].slice_ren_o.val();
            self.slice_wen_o[7].next = self.slice7[0].slice_wen_o.val();
            for i in 0..self._width7 {
                self.slice7[0].unit_i[i].next = self.unit_i[self._from7 + i].val();
                self.unit_o[self._from7 + i].next = self.slice7[0].unit_o[i].val();
                self.lane_wen_o[self._from7 + i].next = self.slice7[0].lane_wen_o[i].val();
                if self._exact > 0 {
                    self.slice7[0].lane_i[i].next = self.lane_i[self._from7 + i].val();
                }
            }
        }
    }
    module!(|this| {
        let widths = [
            (this._width0, 0),
            (this._width1, this._from1),
            (this._width2, this._from2),
            (this._width3, this._from3),
            (this._width4, this._from4),
            (this._width5, this._from5),
            (this._width6, this._from6),
            (this._width7, this._from7),
        ];
        let usual = |value, usual, flag| if value == usual { "" } else { flag };
        let mut meta = Meta::module("sliced_slices")
            .param("depth", "d", this._depth, "words")
            .hidden("slices", this._slices, "data slices");
        for (k, (width, from)) in widths.into_iter().take(this._slices).enumerate() {
            meta = meta
                .param(&format!("width{k}"), "w", width, "units of a slice")
                .hidden(&format!("from{k}"), from, "its first position");
        }
        meta.param("unit_bits", usual(UB, 8, "u"), UB, "bits of a unit")
            .option(
                "first",
                "m",
                this._first,
                "1: slice 0 stands beside the mask",
            )
            .option("exact", "e", this._exact, "1: lanes are written one by one")
            .option(
                "right",
                "r",
                this._right,
                "1: the first position is the least significant unit",
            )
            .option("turn", "o", this._turn, "1: slices are accessed in turn")
            .param(
                "latency",
                usual(this._latency, 2, "l"),
                this._latency,
                "cycles from the read to the word",
            )
    });
}
