//! The memory that a shape asks for.

use super::shape::WA;
use super::{MaskPlace, PlainMemory, Sliced, SlicedField, SlicedHybrid, SlicedShape};
use heddle_kernel::prelude::*;

/// A sliced memory whose mask is where the shape wants it, or a plain memory.
///
/// # Timing
/// That of the memory inside.
#[module(describe)]
pub struct SlicedChoice<const UB: usize> {
    /// Writes a word.
    pub wen_i: Signal<In, Bit>,
    /// Address of the word to write.
    pub waddr_i: Signal<In, Bits<WA>>,
    /// Word to write, unit 0 in the low bits.
    pub wdata_i: [Signal<In, Bits<UB>>; shape.units],
    /// Reads a word.
    pub ren_i: Signal<In, Bit>,
    /// Address of the word to read.
    pub raddr_i: Signal<In, Bits<WA>>,
    /// The word of an earlier read is on `rdata_o`.
    pub rvalid_o: Signal<Out, Bit>,
    /// Word, unit 0 in the low bits; only defined with `rvalid_o`.
    pub rdata_o: [Signal<Out, Bits<UB>>; shape.units],
    /// Its mask: bit k is 1 if unit k is not zero.
    pub rmask_o: [Signal<Out, Bits<1>>; shape.units],
    /// The mask slice is read in this cycle.
    pub mask_ren_o: Signal<Out, Bit>,
    /// The mask slice is written in this cycle.
    pub mask_wen_o: Signal<Out, Bit>,
    /// One per data slice: it is read in this cycle.
    pub slice_ren_o: [Signal<Out, Bit>; shape.slices()],
    /// One per data slice: it is written in this cycle.
    pub slice_wen_o: [Signal<Out, Bit>; shape.slices()],
    /// Units of the data slices written in this cycle, by position.
    pub lane_wen_o: [Signal<Out, Bits<1>>; shape.units],
    #[new(Sliced::new(shape.clone()))]
    slice: [Sliced<UB>; has(&shape, MaskPlace::Slice)],
    #[new(SlicedField::new(shape.clone()))]
    field: [SlicedField<UB>; has(&shape, MaskPlace::Field)],
    #[new(SlicedHybrid::new(shape.clone()))]
    hybrid: [SlicedHybrid<UB>; has(&shape, MaskPlace::Hybrid)],
    #[new(PlainMemory::new(shape.clone()))]
    plain: [PlainMemory<UB>; usize::from(shape.plain)],
    /// What the memory is built from.
    _shape: SlicedShape,
}

/// 1 for a sliced memory whose mask is there.
fn has(shape: &SlicedShape, mask: MaskPlace) -> usize {
    (!shape.plain && shape.mask == mask).into()
}

impl<const UB: usize> SlicedChoice<UB> {
    parts!(through slice, wdata_i, rdata_o);
    parts!(through field, wdata_i, rdata_o);
    parts!(through hybrid, wdata_i, rdata_o);
    parts!(through plain, wdata_i, rdata_o);
}

impl<const UB: usize> SlicedChoice<UB> {
    fn describe(&self, meta: Meta) -> Meta {
        self._shape.describe_kind(meta)
    }
}

#[kernel]
impl<const UB: usize> SlicedChoice<UB> {
    fn update(&mut self) {
        self.slice();
        self.field();
        self.hybrid();
        self.plain();
    }
}
