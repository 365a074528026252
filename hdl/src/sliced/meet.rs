//! Reads on their way in.

use super::{SlicedShape, ports::*};
use heddle_kernel::prelude::*;

/// Takes a read and sees when it is for the word that is written.
///
/// # Timing
/// Combinational, or one register behind the read; the write is that of the outputs' cycle.
#[module(name = "sliced_meet")]
pub struct Meet {
    /// A write and a read.
    pub ports_i: MemoryRequest<In>,
    /// A word is read.
    pub ren_o: Signal<Out, Bit>,
    /// Its address.
    pub raddr_o: Signal<Out, Bits<WA>>,
    /// The word that is written is read.
    pub meet_o: Signal<Out, Bit>,
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
}

#[kernel]
impl Meet {
    fn update(&mut self) {
        if self._stages > 0 {
            self.ren[0].follow(&self.ports_i.ren);
            self.raddr[0].load(self.ports_i.ren, self.ports_i.raddr);
            self.read.follow(&self.ren[0]);
            self.read_address.follow(&self.raddr[0]);
        } else {
            self.read.follow(&self.ports_i.ren);
            self.read_address.follow(&self.ports_i.raddr);
        }
        self.ren_o.follow(&self.read);
        self.raddr_o.follow(&self.read_address);
        let written = self.ports_i.waddr & (self._depth - 1).to_bits::<WA>();
        let wanted = self.read_address & (self._depth - 1).to_bits::<WA>();
        self.meet_o = self.ports_i.wen & self.read & (written == wanted);
    }
}
