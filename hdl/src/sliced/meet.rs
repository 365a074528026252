//! Reads on their way in.

use super::{SlicedShape, ports::*};
use heddle_kernel::prelude::*;

/// Takes a read and, in a memory with a bypass, sees when it is for the word that is written.
///
/// # Timing
/// Combinational, or one register behind the read; a write is that of the outputs' cycle.
#[module(name = "sliced_meet")]
pub struct Meet {
    /// Writes a word.
    pub wen_i: [Signal<In, Bit>; bypass],
    /// Address of the word to write.
    pub waddr_i: [Signal<In, Bits<WA>>; bypass],
    /// Reads a word.
    pub ren_i: Signal<In, Bit>,
    /// Address of the word to read.
    pub raddr_i: Signal<In, Bits<WA>>,
    /// A word is read.
    pub ren_o: Signal<Out, Bit>,
    /// Its address.
    pub raddr_o: Signal<Out, Bits<WA>>,
    /// The word that is written is read.
    pub meet_o: [Signal<Out, Bit>; bypass],
    ren: [Reg<Bit>; stages],
    raddr: [RegData<Bits<WA>>; stages],
    read: Signal<Local, Bit>,
    read_address: Signal<Local, Bits<WA>>,
    /// What the memory is built from.
    #[argument]
    _shape: &SlicedShape,
    /// Words that an address can reach.
    #[new(1 << address_bits(shape.words))]
    _depth: Param<'d'>,
    /// Registers behind the read.
    _stages: Optional<'s'>,
    #[new(shape.bypass.into())]
    _bypass: usize,
}

#[kernel]
impl Meet {
    fn update(&mut self) {
        if self._stages > 0 {
            self.ren[0].follow(&self.ren_i);
            self.raddr[0].load(self.ren_i, self.raddr_i);
            self.read.follow(&self.ren[0]);
            self.read_address.follow(&self.raddr[0]);
        } else {
            self.read.follow(&self.ren_i);
            self.read_address.follow(&self.raddr_i);
        }
        self.ren_o.follow(&self.read);
        self.raddr_o.follow(&self.read_address);
        for b in 0..self._bypass {
            let written = self.waddr_i[b] & (self._depth - 1).to_bits::<WA>();
            let wanted = self.read_address & (self._depth - 1).to_bits::<WA>();
            self.meet_o[b] = self.wen_i[b] & self.read & (written == wanted);
        }
    }
}
