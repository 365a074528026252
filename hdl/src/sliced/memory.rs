//! The sliced memory with a mask slice.

use super::{MaskPlace, Reply, Restore, SlicedShape, Store, Writer, ports::*};
use heddle_kernel::prelude::*;

/// Sparse-aware memory: a mask slice with one bit for each unit of a word, and data slices. The
/// non-zero units are stored packed, the first ones in slice 0 and the rest in the slices behind
/// it; a slice that gets none is not accessed. A read fetches the mask first and then only the
/// slices it names. Zero units come from the mask.
///
/// # Timing
/// `rdata_o` follows `ren_i` after the cycles of the latency, in turn one more for each slice but the
/// first. One read and one write per clock, at any addresses. A read behind the write of its word returns the new
/// word.
///
/// # Rules
/// A word must be written before it is read.
#[module(describe)]
pub struct Sliced<const UB: usize> {
    /// A write and a read.
    pub ports_i: MemoryRequest<In>,
    /// Word to write, unit 0 in the low bits.
    pub wdata_i: [Signal<In, Bits<UB>>; units],
    /// The word of an earlier read.
    #[new(MemoryAnswer::new(&shape))]
    pub wave_o: MemoryAnswer<Out, UB>,
    /// Accesses of the mask slice.
    pub mask_o: MaskAccess<Out>,
    /// Accesses of the data slices.
    #[new(SliceAccess::new(shape.slices(), units))]
    pub ports_o: SliceAccess<Out>,
    #[new(Writer::new(shape.clone()))]
    writer: Writer<UB>,
    #[new(Store::new(shape.clone()))]
    /// Mask slice and data slices.
    pub store: Store<UB>,
    #[new(Restore::new(&shape))]
    restore: Restore<UB>,
    #[new(Reply::new(&shape))]
    reply: Reply<UB>,
    /// What the memory is built from.
    _shape: SlicedShape,
    #[new(shape.checked(UB, MaskPlace::Slice))]
    _units: usize,
}

impl<const UB: usize> Sliced<UB> {
    fn describe(&self, meta: Meta) -> Meta {
        self._shape.describe_meetings(self._shape.describe(meta))
    }
}

#[kernel]
impl<const UB: usize> Sliced<UB> {
    fn update(&mut self) {
        self.writer.wen_i.follow(&self.ports_i.wen);
        self.writer.waddr_i.follow(&self.ports_i.waddr);
        self.writer.wdata_i.follow(&self.wdata_i);
        self.store.ports_i.follow(&self.writer.ports_o);
        if self._shape.exact {
            self.store.lane_i.follow(&self.writer.lane_o);
        }
        self.store.ren_i.follow(&self.ports_i.ren);
        self.store.raddr_i.follow(&self.ports_i.raddr);
        self.mask_o.ren.follow(&self.store.mask_ren_o);
        self.mask_o.wen.follow(&self.writer.ports_o.mask_wen);
        self.ports_o.follow(&self.store.ports_o);
        self.restore.valid_i.follow(&self.store.read_o);
        self.restore.mask_i.follow(&self.store.mask_o);
        self.restore.packed_i.follow(&self.store.packed_o);
        self.reply.ports_i.follow(&self.restore.ports_o);
        self.wave_o.follow(&self.reply.ports_o);
    }
}
