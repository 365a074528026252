//! The memory that a shape asks for.

use super::{MaskPlace, PlainMemory, Sliced, SlicedField, SlicedHybrid, SlicedShape, ports::*};
use heddle_kernel::prelude::*;

/// A sliced memory whose mask is where the shape wants it, or a plain memory.
///
/// # Timing
/// That of the memory inside.
#[module(describe)]
pub struct SlicedChoice<const UB: usize> {
    /// A write and a read.
    pub ports_i: MemoryRequest<In>,
    /// Word to write, unit 0 in the low bits.
    pub wdata_i: [Signal<In, Bits<UB>>; shape.units],
    /// The word of an earlier read.
    #[new(MemoryAnswer::new(&shape))]
    pub wave_o: MemoryAnswer<Out, UB>,
    /// Accesses of the mask slice.
    pub mask_o: MaskAccess<Out>,
    /// Accesses of the data slices.
    #[new(SliceAccess::new(shape.slices(), shape.units))]
    pub ports_o: SliceAccess<Out>,
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
    fn describe(&self, meta: Meta) -> Meta {
        self._shape.describe_kind(meta)
    }
}

/// The memory that is there has the ports of this module.
macro_rules! choose {
    ($($memory:ident)*) => {
        #[kernel]
        impl<const UB: usize> SlicedChoice<UB> {
            fn update(&mut self) {
                $(for m in 0..self.$memory.len() {
                    self.$memory[m].ports_i.follow(&self.ports_i);
                    self.$memory[m].wdata_i.follow(&self.wdata_i);
                    self.wave_o.follow(&self.$memory[m].wave_o);
                    self.mask_o.follow(&self.$memory[m].mask_o);
                    self.ports_o.follow(&self.$memory[m].ports_o);
                })*
            }
        }
    };
}
choose!(slice field hybrid plain);
