//! A bank of the state buffer.

use super::shape::WA;
use super::{SlicedChoice, SlicedShape};
use heddle_kernel::prelude::*;

/// Sliced or plain memory of words of eight bytes, with units of any size inside. Beside the word
/// it says which of its bytes are not zero: that is the mask if units are no larger than bytes.
///
/// # Timing
/// That of the memory inside.
#[module(describe)]
pub struct SlicedBank {
    /// Writes a word.
    pub wen_i: Signal<In, Bit>,
    /// Address of the word to write.
    pub waddr_i: Signal<In, Bits<WA>>,
    /// Word to write, byte 0 in the low bits.
    pub wdata_i: [Signal<In, Bits<8>>; 8],
    /// Reads a word.
    pub ren_i: Signal<In, Bit>,
    /// Address of the word to read.
    pub raddr_i: Signal<In, Bits<WA>>,
    /// The word of an earlier read is on `rdata_o`.
    pub rvalid_o: Signal<Out, Bit>,
    /// Word, byte 0 in the low bits; only defined with `rvalid_o`.
    pub rdata_o: [Signal<Out, Bits<8>>; 8],
    /// Its mask: bit k is 1 if unit k is not zero.
    pub rmask_o: [Signal<Out, Bits<1>>; shape.units],
    /// One per byte of the word: it is not zero.
    pub nz_o: [Signal<Out, Bit>; 8],
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
    #[new(SlicedChoice::new(shape.clone()))]
    half: [SlicedChoice<4>; of_bits(&shape, 4)],
    #[new(SlicedChoice::new(shape.clone()))]
    single: [SlicedChoice<8>; of_bits(&shape, 8)],
    #[new(SlicedChoice::new(shape.clone()))]
    double: [SlicedChoice<16>; of_bits(&shape, 16)],
    #[new(SlicedChoice::new(shape.clone()))]
    quad: [SlicedChoice<32>; of_bits(&shape, 32)],
    /// What the bank is built from.
    _shape: SlicedShape,
}

/// 1 for units of this size.
///
/// # Panics
/// If the words do not have eight bytes.
fn of_bits(shape: &SlicedShape, bits: usize) -> usize {
    assert_eq!(shape.word_bytes(), 8, "a bank has words of 8 bytes");
    (shape.unit_bits == bits).into()
}

impl SlicedBank {
    fn describe(&self, meta: Meta) -> Meta {
        self._shape.describe_kind(meta)
    }
}

#[kernel]
impl SlicedBank {
    fn update(&mut self) {
        self.half();
        self.single();
        self.double();
        self.quad();
        match self._shape.unit_bits {
            4 => self.half_bytes(),
            8 => self.bytes(),
            16 => self.byte_pairs(),
            _ => self.byte_quads(),
        }
    }

    parts!(through half);
    parts!(through single);
    parts!(through double);
    parts!(through quad);

    /// Two units are a byte.
    fn half_bytes(&mut self) {
        for k in 0..8 {
            for h in 0..2 {
                self.half[0].wdata_i[2 * k + h] = self.wdata_i[k].get_bits::<4>(4 * h);
            }
            let low = self.half[0].rdata_o[2 * k].get_bits::<8>(0);
            let high = self.half[0].rdata_o[2 * k + 1].get_bits::<8>(0);
            self.rdata_o[k] = (high << 4) | low;
            self.nz_o[k] =
                self.half[0].rmask_o[2 * k].any() | self.half[0].rmask_o[2 * k + 1].any();
        }
    }

    /// A unit is a byte.
    fn bytes(&mut self) {
        self.single[0].wdata_i.follow(&self.wdata_i);
        self.rdata_o.follow(&self.single[0].rdata_o);
        for k in 0..8 {
            self.nz_o[k] = self.single[0].rmask_o[k].any();
        }
    }

    /// A unit is two bytes.
    fn byte_pairs(&mut self) {
        for k in 0..4 {
            self.double[0].wdata_i[k] = (self.wdata_i[2 * k + 1].get_bits::<16>(0) << 8)
                | self.wdata_i[2 * k].get_bits::<16>(0);
            for b in 0..2 {
                let byte = self.double[0].rdata_o[k].get_bits::<8>(b * 8);
                self.rdata_o[2 * k + b] = byte;
                self.nz_o[2 * k + b] = byte.any();
            }
        }
    }

    /// A unit is four bytes.
    fn byte_quads(&mut self) {
        for k in 0..2 {
            self.quad[0].wdata_i[k] = (self.wdata_i[4 * k + 3].get_bits::<32>(0) << 24)
                | (self.wdata_i[4 * k + 2].get_bits::<32>(0) << 16)
                | (self.wdata_i[4 * k + 1].get_bits::<32>(0) << 8)
                | self.wdata_i[4 * k].get_bits::<32>(0);
            for b in 0..4 {
                let byte = self.quad[0].rdata_o[k].get_bits::<8>(b * 8);
                self.rdata_o[4 * k + b] = byte;
                self.nz_o[4 * k + b] = byte.any();
            }
        }
    }
}
