//! The sliced memory whose slice 0 has a field for the mask.

use super::{
    DataSlices, MaskPlace, Packed, Reply, Restore, Select, SlicedRow, SlicedShape, Wait, ports::*,
};
use heddle_kernel::prelude::*;

/// Sparse-aware memory whose mask is a field of slice 0: mask and first packed units are one row,
/// which every request accesses. The slices from 1 on are accessed if the mask names them.
///
/// # Timing
/// `rdata_o` follows `ren_i` after the cycles of the latency, in turn one more for each slice but the
/// first. One read and one write per clock, at any addresses. A read behind the write of its word returns the new
/// word.
///
/// # Rules
/// A word must be written before it is read.
#[module(describe)]
pub struct SlicedField<const UB: usize> {
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
    #[new(Packed::new(&shape))]
    request: Packed<UB>,
    /// Rows of slice 0, with the masks.
    #[new(SlicedRow::new(shape.words, units + first * UB, shape.mask_stages(), shape.bypass.into()))]
    pub row: SlicedRow,
    /// Data slices from 1 on.
    #[new(DataSlices::new(&shape))]
    pub slices: DataSlices<UB>,
    #[new(Restore::new(&shape))]
    restore: Restore<UB>,
    #[new(Reply::new(&shape))]
    reply: Reply<UB>,
    #[new(Select::new(units, shape.read_thresholds().split_off(1)))]
    read_select: Select,
    #[new(Wait::new(first, shape.mask_to_data()))]
    unit_wait: Wait<UB>,
    /// Slice 0 of the word read.
    first_unit: [Signal<Local, Bits<UB>>; first],
    /// What the memory is built from.
    _shape: SlicedShape,
    #[new(shape.checked(UB, MaskPlace::Field))]
    _units: usize,
    #[new(shape.widths[0])]
    _first: usize,
}

impl<const UB: usize> SlicedField<UB> {
    fn describe(&self, meta: Meta) -> Meta {
        self._shape.describe_meetings(self._shape.describe(meta))
    }
}

#[kernel]
impl<const UB: usize> SlicedField<UB> {
    fn update(&mut self) {
        self.pass_through();
        self.fill_row();
        self.access_slices();
        self.wait_for_slices();
        self.restore_word();
        self.tell_accesses();
    }

    mask_in_first_slice!();

    /// The row of a word: its units of slice 0, then its mask.
    fn fill_row(&mut self) {
        comment!("Slice 0 and the mask, in one row");
        for i in 0..self._first {
            let unit = self._shape.place(self._first, i) * UB;
            for b in 0..UB {
                self.row.bit_i[unit + b] = self.request.packed_o[i].get_bits::<1>(b);
            }
        }
        for p in 0..self._units {
            let bit = self._first * UB + self._shape.place(self._units, p);
            self.row.bit_i[bit].follow(&self.request.mask_o[p]);
            self.read_select.mask_i[p].follow(&self.row.stored_o[bit]);
            self.restore.mask_i[p].follow(&self.row.bit_o[bit]);
        }
    }

    /// The slices from 1 on that the mask names.
    fn access_slices(&mut self) {
        comment!("The slices from 1 on that the mask names");
        for k in 1..self._shape.slices() {
            self.slices.wen_i[k - 1] = self.request.ports_o.wen & self.request.need_o[k];
            self.slices.named_i[k - 1].follow(&self.read_select.slice_o[k - 1]);
        }
        for p in self._first..self._units {
            self.slices.unit_i[p - self._first].follow(&self.request.packed_o[p]);
            self.restore.packed_i[p].follow(&self.slices.unit_o[p - self._first]);
        }
    }

    /// The word, from slice 0 and the others.
    fn restore_word(&mut self) {
        for i in 0..self._first {
            self.restore.packed_i[i].follow(&self.unit_wait.unit_o[i]);
        }
        self.reply.ports_i.follow(&self.restore.ports_o);
    }
}
