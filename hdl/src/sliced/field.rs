//! The sliced memory whose slice 0 has a field for the mask.

use super::shape::WA;
use super::{DataSlices, MaskPlace, Packed, Reply, Restore, Row, Select, SlicedShape, Wait};
use heddle_kernel::prelude::*;

/// Sparse-aware memory whose mask is a field of slice 0: mask and first packed units are one row,
/// which every request accesses. The slices from 1 on are accessed if the mask names them.
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
pub struct SlicedField<const UB: usize> {
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
    #[new(Packed::new(&shape))]
    request: Packed<UB>,
    /// Rows of slice 0, with the masks.
    #[new(Row::new(shape.words, units + first * UB, shape.mask_stages()))]
    pub row: Row,
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

#[kernel]
impl<const UB: usize> SlicedField<UB> {
    fn update(&mut self) {
        self.take_request();
        self.fill_row();
        self.first_slice();
        self.access_slices();
        self.wait_for_slices();
        self.restore_word();
        self.reply_word();
    }

    parts!(take_request, row_and_slices, reply_word);
    parts!(first_slice);

    /// The row of a word: its units of slice 0, then its mask.
    fn fill_row(&mut self) {
        comment!("Slice 0 and the mask, in one row");
        self.access_row();
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
        self.read_slices();
        for k in 1..self._shape.slices() {
            self.slices.wen_i[k - 1] = self.request.wen_o & self.request.need_o[k];
            self.slices.named_i[k - 1].follow(&self.read_select.slice_o[k - 1]);
        }
        for p in self._first..self._units {
            self.slices.unit_i[p - self._first].follow(&self.request.packed_o[p]);
            self.restore.packed_i[p].follow(&self.slices.unit_o[p - self._first]);
        }
    }

    /// The units of slice 0 wait for those of the others.
    fn wait_for_slices(&mut self) {
        comment!("The units of slice 0 wait for those of the others");
        self.unit_wait.valid_i.follow(&self.row.read_o);
        for i in 0..self._first {
            let unit = self._shape.place(self._first, i) * UB;
            self.first_unit[i] = 0.into();
            for b in 0..UB {
                let bit = self.row.bit_o[unit + b].get_bit(0);
                self.first_unit[i] = self.first_unit[i].replace_bit(b, bit);
            }
            self.unit_wait.unit_i[i].follow(&self.first_unit[i]);
            self.restore.packed_i[i].follow(&self.unit_wait.unit_o[i]);
        }
        self.reply.word_i.follow(&self.restore.word_o);
        self.reply.mask_i.follow(&self.restore.mask_o);
    }
}
