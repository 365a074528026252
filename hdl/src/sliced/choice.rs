//! The memory that a shape asks for.

use super::shape::WA;
use super::{MaskPlace, PlainMemory, Sliced, SlicedField, SlicedHybrid, SlicedShape};
use crate::prelude::*;

/// A sliced memory whose mask is where the shape wants it, or a plain memory.
///
/// # Timing
/// That of the memory inside.
#[derive(LogicBlock)]
pub struct SlicedChoice<const UB: usize> {
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

    slice: Vec<Sliced<UB>>,
    field: Vec<SlicedField<UB>>,
    hybrid: Vec<SlicedHybrid<UB>>,
    plain: Vec<PlainMemory<UB>>,
    _shape: SlicedShape,
    _units: usize,
    _slices: usize,
    _in_slice: usize,
    _fields: usize,
    _hybrids: usize,
    _plains: usize,
}

impl<const UB: usize> SlicedChoice<UB> {
    /// The memory of this shape.
    ///
    /// # Panics
    /// If the shape is not allowed, or has other units.
    pub fn new(shape: SlicedShape) -> Self {
        let (units, slices) = (shape.units, shape.slices());
        let kind = |place| usize::from(!shape.plain && shape.mask == place);
        let in_slice = kind(MaskPlace::Slice);
        let fields = kind(MaskPlace::Field);
        let hybrids = kind(MaskPlace::Hybrid);
        let plains = usize::from(shape.plain);
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
            slice: (0..in_slice).map(|_| Sliced::new(shape.clone())).collect(),
            field: (0..fields)
                .map(|_| SlicedField::new(shape.clone()))
                .collect(),
            hybrid: (0..hybrids)
                .map(|_| SlicedHybrid::new(shape.clone()))
                .collect(),
            plain: (0..plains)
                .map(|_| PlainMemory::new(shape.clone()))
                .collect(),
            _units: units,
            _slices: slices,
            _in_slice: in_slice,
            _fields: fields,
            _hybrids: hybrids,
            _plains: plains,
            _shape: shape,
        }
    }
}

impl<const UB: usize> Logic for SlicedChoice<UB> {
    #[hdl_gen]
    fn update(&mut self) {
        for m in 0..self._in_slice {
            self.slice[m].clk.next = self.clk.val();
            self.slice[m].rst_n.next = self.rst_n.val();
            self.slice[m].wen_i.next = self.wen_i.val();
            self.slice[m].waddr_i.next = self.waddr_i.val();
            self.slice[m].ren_i.next = self.ren_i.val();
            self.slice[m].raddr_i.next = self.raddr_i.val();
            self.rvalid_o.next = self.slice[m].rvalid_o.val();
            self.mask_ren_o.next = self.slice[m].mask_ren_o.val();
            self.mask_wen_o.next = self.slice[m].mask_wen_o.val();
            for k in 0..self._slices {
                self.slice_ren_o[k].next = self.slice[m].slice_ren_o[k].val();
                self.slice_wen_o[k].next = self.slice[m].slice_wen_o[k].val();
            }
            for k in 0..self._units {
                self.rmask_o[k].next = self.slice[m].rmask_o[k].val();
                self.lane_wen_o[k].next = self.slice[m].lane_wen_o[k].val();
                self.slice[m].wdata_i[k].next = self.wdata_i[k].val();
                self.rdata_o[k].next = self.slice[m].rdata_o[k].val();
            }
        }
        for m in 0..self._fields {
            self.field[m].clk.next = self.clk.val();
            self.field[m].rst_n.next = self.rst_n.val();
            self.field[m].wen_i.next = self.wen_i.val();
            self.field[m].waddr_i.next = self.waddr_i.val();
            self.field[m].ren_i.next = self.ren_i.val();
            self.field[m].raddr_i.next = self.raddr_i.val();
            self.rvalid_o.next = self.field[m].rvalid_o.val();
            self.mask_ren_o.next = self.field[m].mask_ren_o.val();
            self.mask_wen_o.next = self.field[m].mask_wen_o.val();
            for k in 0..self._slices {
                self.slice_ren_o[k].next = self.field[m].slice_ren_o[k].val();
                self.slice_wen_o[k].next = self.field[m].slice_wen_o[k].val();
            }
            for k in 0..self._units {
                self.rmask_o[k].next = self.field[m].rmask_o[k].val();
                self.lane_wen_o[k].next = self.field[m].lane_wen_o[k].val();
                self.field[m].wdata_i[k].next = self.wdata_i[k].val();
                self.rdata_o[k].next = self.field[m].rdata_o[k].val();
            }
        }
        for m in 0..self._hybrids {
            self.hybrid[m].clk.next = self.clk.val();
            self.hybrid[m].rst_n.next = self.rst_n.val();
            self.hybrid[m].wen_i.next = self.wen_i.val();
            self.hybrid[m].waddr_i.next = self.waddr_i.val();
            self.hybrid[m].ren_i.next = self.ren_i.val();
            self.hybrid[m].raddr_i.next = self.raddr_i.val();
            self.rvalid_o.next = self.hybrid[m].rvalid_o.val();
            self.mask_ren_o.next = self.hybrid[m].mask_ren_o.val();
            self.mask_wen_o.next = self.hybrid[m].mask_wen_o.val();
            for k in 0..self._slices {
                self.slice_ren_o[k].next = self.hybrid[m].slice_ren_o[k].val();
                self.slice_wen_o[k].next = self.hybrid[m].slice_wen_o[k].val();
            }
            for k in 0..self._units {
                self.rmask_o[k].next = self.hybrid[m].rmask_o[k].val();
                self.lane_wen_o[k].next = self.hybrid[m].lane_wen_o[k].val();
                self.hybrid[m].wdata_i[k].next = self.wdata_i[k].val();
                self.rdata_o[k].next = self.hybrid[m].rdata_o[k].val();
            }
        }
        for m in 0..self._plains {
            self.plain[m].clk.next = self.clk.val();
            self.plain[m].rst_n.next = self.rst_n.val();
            self.plain[m].wen_i.next = self.wen_i.val();
            self.plain[m].waddr_i.next = self.waddr_i.val();
            self.plain[m].ren_i.next = self.ren_i.val();
            self.plain[m].raddr_i.next = self.raddr_i.val();
            self.rvalid_o.next = self.plain[m].rvalid_o.val();
            self.mask_ren_o.next = self.plain[m].mask_ren_o.val();
            self.mask_wen_o.next = self.plain[m].mask_wen_o.val();
            for k in 0..self._slices {
                self.slice_ren_o[k].next = self.plain[m].slice_ren_o[k].val();
                self.slice_wen_o[k].next = self.plain[m].slice_wen_o[k].val();
            }
            for k in 0..self._units {
                self.rmask_o[k].next = self.plain[m].rmask_o[k].val();
                self.lane_wen_o[k].next = self.plain[m].lane_wen_o[k].val();
                self.plain[m].wdata_i[k].next = self.wdata_i[k].val();
                self.rdata_o[k].next = self.plain[m].rdata_o[k].val();
            }
        }
    }
    module!(|this| this
        ._shape
        .meta("sliced_choice")
        .option(
            "in_field",
            "mf",
            this._fields,
            "1: the mask is a field of slice 0"
        )
        .option(
            "in_hybrid",
            "mh",
            this._hybrids,
            "1: slice 0 holds masks or raw units"
        )
        .option("is_plain", "mp", this._plains, "1: plain memory"));
}
