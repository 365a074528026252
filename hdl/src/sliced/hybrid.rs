//! The sliced memory whose slice 0 holds masks or raw units.

use super::{
    DataSlices, MaskPlace, Packed, Reply, Restore, SlicedRow, SlicedShape, Wait, ports::*,
};
use heddle_kernel::prelude::*;

/// Sparse-aware memory without a place for masks. A word whose non-zero units fit in slice 0 behind
/// their own mask is stored there, with a flag; any other word is stored as it is, in all
/// slices. Every request accesses slice 0, a raw row the others too.
///
/// # Timing
/// `rdata_o` follows `ren_i` after the cycles of the latency, in turn one more for each slice but the
/// first. One read and one write per clock, at any addresses. A read behind the write of its word returns the new
/// word.
///
/// # Rules
/// A word must be written before it is read.
#[module(describe)]
pub struct SlicedHybrid<const UB: usize> {
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
    #[new(SlicedRow::new(shape.words, 1 + first * UB, shape.mask_stages(), shape.bypass.into()))]
    pub row: SlicedRow,
    /// Data slices from 1 on.
    #[new(DataSlices::new(&shape))]
    pub slices: DataSlices<UB>,
    #[new(Restore::new(&shape))]
    restore: Restore<UB>,
    #[new(Reply::new(&shape))]
    reply: Reply<UB>,
    #[new(Wait::new(first, shape.mask_to_data()))]
    unit_wait: Wait<UB>,
    #[new(Wait::new(1, shape.mask_to_data()))]
    flag_wait: Wait<1>,
    write_raw: Signal<Local, Bit>,
    /// Slice 0 of the word to write, unit by unit.
    write_bit: [Signal<Local, Bits<1>>; first * UB],
    /// The word read, if its row is raw.
    raw: [Signal<Local, Bits<UB>>; units],
    /// Slice 0 of the word read.
    first_unit: [Signal<Local, Bits<UB>>; first],
    /// What the memory is built from.
    _shape: SlicedShape,
    #[new(shape.checked(UB, MaskPlace::Hybrid))]
    _units: usize,
    #[new(shape.widths[0])]
    _first: usize,
    #[new(shape.mask_units())]
    _mask_units: usize,
}

impl<const UB: usize> SlicedHybrid<UB> {
    fn describe(&self, meta: Meta) -> Meta {
        self._shape.describe_meetings(self._shape.describe(meta))
    }
}

#[kernel]
impl<const UB: usize> SlicedHybrid<UB> {
    fn update(&mut self) {
        self.pass_through();
        self.fill_row();
        self.access_slices();
        self.wait_for_slices();
        self.restore_word();
        self.tell_accesses();
    }

    mask_in_first_slice!();

    /// The row of a word, unit by unit: its mask and its packed units, or raw units.
    fn fill_row(&mut self) {
        comment!("Words that do not fit stay raw");
        self.write_raw.follow(&self.request.need_o[1]);
        for i in 0..self._first {
            for b in 0..UB {
                let masked = i * UB + UB - 1 - b;
                if i >= self._mask_units {
                    let packed = self.request.packed_o[i - self._mask_units];
                    self.write_bit[i * UB + b] = packed.get_bits::<1>(b);
                } else if masked < self._units {
                    self.write_bit[i * UB + b].follow(&self.request.mask_o[masked]);
                } else {
                    self.write_bit[i * UB + b] = 0.into();
                }
                if self.write_raw {
                    let raw = self.request.word_o[i];
                    self.write_bit[i * UB + b] = raw.get_bits::<1>(b);
                }
            }
        }

        comment!("Slice 0 and its flag, in one row");
        self.row.bit_i[self._first * UB] = (!self.write_raw).into();
        for i in 0..self._first {
            for b in 0..UB {
                let bit = self._shape.place(self._first, i) * UB + b;
                self.row.bit_i[bit].follow(&self.write_bit[i * UB + b]);
            }
        }
        for i in 0..self._mask_units {
            for b in 0..UB {
                if i * UB + b < self._units {
                    let bit = self._shape.place(self._first, i) * UB + UB - 1 - b;
                    self.restore.mask_i[i * UB + b].follow(&self.row.bit_o[bit]);
                }
            }
        }
    }

    /// The slices from 1 on, if the row is raw.
    fn access_slices(&mut self) {
        comment!("The slices from 1 on, if the row is raw");
        for k in 1..self._shape.slices() {
            self.slices.wen_i[k - 1] = self.request.ports_o.wen & self.write_raw;
            let flag = self.row.stored_o[self._first * UB];
            self.slices.named_i[k - 1] = !flag.get_bit(0);
        }
        for p in self._first..self._units {
            self.slices.unit_i[p - self._first].follow(&self.request.word_o[p]);
            self.raw[p].follow(&self.slices.unit_o[p - self._first]);
        }
    }

    /// The word, which is raw or restored.
    fn restore_word(&mut self) {
        self.flag_wait.valid_i.follow(&self.row.ports_o.read);
        self.flag_wait.unit_i[0].follow(&self.row.bit_o[self._first * UB]);
        for i in 0..self._first {
            self.raw[i].follow(&self.unit_wait.unit_o[i]);
        }
        for p in 0..self._units {
            self.restore.packed_i[p] = 0.into();
            if p + self._mask_units < self._first {
                self.restore.packed_i[p].follow(&self.unit_wait.unit_o[p + self._mask_units]);
            }
        }
        self.reply.ports_i.valid.follow(&self.restore.ports_o.valid);
        for k in 0..self._units {
            self.reply.ports_i.word[k].follow(&self.raw[k]);
            self.reply.ports_i.mask[k] = self.raw[k].any().into();
            if self.flag_wait.unit_o[0].get_bit(0) {
                self.reply.ports_i.word[k].follow(&self.restore.ports_o.word[k]);
                self.reply.ports_i.mask[k].follow(&self.restore.ports_o.mask[k]);
            }
        }
    }
}
