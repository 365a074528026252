//! The sliced memory with a mask slice.

use super::shape::WA;
use super::{MaskPlace, Reply, Restore, SlicedShape, Store, Writer};
use heddle_kernel::prelude::*;

/// Sparse-aware memory: a mask slice with one bit for each unit of a word, and data slices. The
/// non-zero units are stored packed, the first ones in slice 0 and the rest in the slices behind
/// it; a slice that gets none is not accessed. A read fetches the mask first and then only the
/// slices it names. Zero units come from the mask.
///
/// # Timing
/// `rdata_o` follows `ren_i` after the cycles of the latency, in turn one more for each slice but the
/// first. One read and one write per clock, at any addresses. A read in the cycle of a write to the same word, or
/// later, returns the new word; bypass registers see to it, so that what a slice reads from a
/// word that is being written is never used.
///
/// # Rules
/// A word must be written before it is read.
#[module(describe = _shape)]
pub struct Sliced<const UB: usize> {
    /// Writes a word.
    pub wen_i: Signal<In, Bit>,
    /// Address of the word to write.
    pub waddr_i: Signal<In, Bits<WA>>,
    /// Word to write, unit 0 in the low bits.
    pub wdata_i: [Signal<In, Bits<UB>>; units],
    /// Reads a word.
    pub ren_i: Signal<In, Bit>,
    /// Address of the word to read.
    pub raddr_i: Signal<In, Bits<WA>>,
    /// The word of an earlier read is on `rdata_o`.
    pub rvalid_o: Signal<Out, Bit>,
    /// Word, unit 0 in the low bits; only defined with `rvalid_o`.
    pub rdata_o: [Signal<Out, Bits<UB>>; units],
    /// Its mask: bit k is 1 if unit k is not zero.
    pub rmask_o: [Signal<Out, Bits<1>>; units],
    /// The mask slice is read in this cycle.
    pub mask_ren_o: Signal<Out, Bit>,
    /// The mask slice is written in this cycle.
    pub mask_wen_o: Signal<Out, Bit>,
    /// One per data slice: it is read in this cycle.
    pub slice_ren_o: [Signal<Out, Bit>; shape.slices()],
    /// One per data slice: it is written in this cycle.
    pub slice_wen_o: [Signal<Out, Bit>; shape.slices()],
    /// Units of the data slices written in this cycle, by position.
    pub lane_wen_o: [Signal<Out, Bits<1>>; units],
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

#[kernel]
impl<const UB: usize> Sliced<UB> {
    fn update(&mut self) {
        self.writer.wen_i.follow(&self.wen_i);
        self.writer.waddr_i.follow(&self.waddr_i);
        self.writer.wdata_i.follow(&self.wdata_i);
        self.store.mask_wen_i.follow(&self.writer.mask_wen_o);
        self.store.mask_waddr_i.follow(&self.writer.mask_waddr_o);
        self.store.mask_i.follow(&self.writer.mask_o);
        self.store.slice_wen_i.follow(&self.writer.slice_wen_o);
        self.store.slice_waddr_i.follow(&self.writer.slice_waddr_o);
        self.store.packed_i.follow(&self.writer.packed_o);
        if self._shape.exact {
            self.store.lane_i.follow(&self.writer.lane_o);
        }
        self.store.ren_i.follow(&self.ren_i);
        self.store.raddr_i.follow(&self.raddr_i);
        self.mask_ren_o.follow(&self.store.mask_ren_o);
        self.mask_wen_o.follow(&self.writer.mask_wen_o);
        self.slice_ren_o.follow(&self.store.slice_ren_o);
        self.slice_wen_o.follow(&self.store.slice_wen_o);
        self.lane_wen_o.follow(&self.store.lane_wen_o);
        self.restore.valid_i.follow(&self.store.read_o);
        self.restore.mask_i.follow(&self.store.mask_o);
        self.restore.packed_i.follow(&self.store.packed_o);
        self.reply.valid_i.follow(&self.restore.valid_o);
        self.reply.word_i.follow(&self.restore.word_o);
        self.reply.mask_i.follow(&self.restore.mask_o);
        self.reply_word();
    }

    parts!(reply_word);
}
