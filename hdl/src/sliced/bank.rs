//! A bank of the state buffer.

use super::{SlicedChoice, SlicedShape, ports::*};
use heddle_kernel::prelude::*;

/// Sliced or plain memory of words of eight bytes, with units of any size inside. Beside the word
/// it says which of its bytes are not zero: that is the mask if units are no larger than bytes.
///
/// # Timing
/// That of the memory inside.
#[module(describe)]
pub struct SlicedBank {
    /// A write and a read.
    pub ports_i: MemoryRequest<In>,
    /// Word to write, byte 0 in the low bits.
    pub wdata_i: [Signal<In, Bits<8>>; 8],
    /// The word of an earlier read.
    #[new(MemoryAnswer::new(&shape))]
    pub wave_o: MemoryAnswer<Out, 8>,
    /// One per byte of the word: it is not zero.
    pub nz_o: [Signal<Out, Bit>; 8],
    /// Accesses of the mask slice.
    pub mask_o: MaskAccess<Out>,
    /// Accesses of the data slices.
    #[new(SliceAccess::new(shape.slices(), shape.units))]
    pub ports_o: SliceAccess<Out>,
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
    assert_eq!(shape.word_bits(), 64, "a bank has words of 8 bytes");
    (shape.unit_bits == bits).into()
}

impl SlicedBank {
    fn describe(&self, meta: Meta) -> Meta {
        self._shape.describe_kind(meta)
    }
}

/// The memory that is there has the ports of this module, but for the words.
macro_rules! choose {
    ($($memory:ident)*) => {
        #[kernel]
        impl SlicedBank {
            fn choose(&mut self) {
                $(for m in 0..self.$memory.len() {
                    self.$memory[m].ports_i.follow(&self.ports_i);
                    self.wave_o.rvalid.follow(&self.$memory[m].wave_o.rvalid);
                    self.wave_o.rmask.follow(&self.$memory[m].wave_o.rmask);
                    self.mask_o.follow(&self.$memory[m].mask_o);
                    self.ports_o.follow(&self.$memory[m].ports_o);
                })*
            }
        }
    };
}
choose!(half single double quad);

#[kernel]
impl SlicedBank {
    fn update(&mut self) {
        self.choose();
        match self._shape.unit_bits {
            4 => self.half_bytes(),
            8 => self.bytes(),
            16 => self.byte_pairs(),
            _ => self.byte_quads(),
        }
    }

    /// Two units are a byte.
    fn half_bytes(&mut self) {
        for k in 0..8 {
            for h in 0..2 {
                self.half[0].wdata_i[2 * k + h] = self.wdata_i[k].get_bits::<4>(4 * h);
            }
            let low = self.half[0].wave_o.rdata[2 * k].get_bits::<8>(0);
            let high = self.half[0].wave_o.rdata[2 * k + 1].get_bits::<8>(0);
            self.wave_o.rdata[k] = (high << 4) | low;
            self.nz_o[k] =
                self.half[0].wave_o.rmask[2 * k].any() | self.half[0].wave_o.rmask[2 * k + 1].any();
        }
    }

    /// A unit is a byte.
    fn bytes(&mut self) {
        self.single[0].wdata_i.follow(&self.wdata_i);
        self.wave_o.rdata.follow(&self.single[0].wave_o.rdata);
        for k in 0..8 {
            self.nz_o[k] = self.single[0].wave_o.rmask[k].any();
        }
    }

    /// A unit is two bytes.
    fn byte_pairs(&mut self) {
        for k in 0..4 {
            self.double[0].wdata_i[k] = (self.wdata_i[2 * k + 1].get_bits::<16>(0) << 8)
                | self.wdata_i[2 * k].get_bits::<16>(0);
            for b in 0..2 {
                let byte = self.double[0].wave_o.rdata[k].get_bits::<8>(b * 8);
                self.wave_o.rdata[2 * k + b] = byte;
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
                let byte = self.quad[0].wave_o.rdata[k].get_bits::<8>(b * 8);
                self.wave_o.rdata[4 * k + b] = byte;
                self.nz_o[4 * k + b] = byte.any();
            }
        }
    }
}
