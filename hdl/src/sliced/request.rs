//! Requests on their way in.

use super::SlicedShape;
use super::shape::{WA, place};
use heddle_kernel::prelude::*;

/// Takes a write and a read, puts the units of the word to write in the order of packing, finds
/// those that are not zero, and sees when both are for the same word.
///
/// # Timing
/// Combinational, or one register behind all inputs.
#[module(name = "sliced_request")]
pub struct Request<const UB: usize> {
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
    /// A word is written.
    pub wen_o: Signal<Out, Bit>,
    /// Its address.
    pub waddr_o: Signal<Out, Bits<WA>>,
    /// Its units by position.
    pub word_o: [Signal<Out, Bits<UB>>; units],
    /// One bit per position: the unit is not zero.
    pub mask_o: [Signal<Out, Bits<1>>; units],
    /// A word is read.
    pub ren_o: Signal<Out, Bit>,
    /// Its address.
    pub raddr_o: Signal<Out, Bits<WA>>,
    /// The word that is written is read.
    pub meet_o: Signal<Out, Bit>,
    wen: [Reg<Bit>; stages],
    waddr: [RegData<Bits<WA>>; stages],
    wdata: [RegData<Bits<UB>>; stages * units],
    ren: [Reg<Bit>; stages],
    raddr: [RegData<Bits<WA>>; stages],
    write: Signal<Local, Bit>,
    write_address: Signal<Local, Bits<WA>>,
    /// Word to write, unit 0 first.
    unit: [Signal<Local, Bits<UB>>; units],
    read: Signal<Local, Bit>,
    read_address: Signal<Local, Bits<WA>>,
    /// What the memory is built from.
    #[argument]
    _shape: &SlicedShape,
    /// Units in a word.
    #[new(shape.units)]
    _units: Param<'w'>,
    /// Bits of a unit.
    _unit_bits: Generic<UB>,
    /// Words that an address can reach.
    #[new(1 << address_bits(shape.words))]
    _depth: Param<'d'>,
    /// 1: the first position is the least significant unit.
    #[new(shape.right)]
    _right: Optional<'r', bool>,
    /// Registers behind the inputs.
    _stages: Optional<'s'>,
}

#[kernel]
impl<const UB: usize> Request<UB> {
    fn update(&mut self) {
        if self._stages > 0 {
            self.wen[0].follow(&self.wen_i);
            self.waddr[0].load(self.wen_i, self.waddr_i);
            self.ren[0].follow(&self.ren_i);
            self.raddr[0].load(self.ren_i, self.raddr_i);
            self.write.follow(&self.wen[0]);
            self.write_address.follow(&self.waddr[0]);
            self.read.follow(&self.ren[0]);
            self.read_address.follow(&self.raddr[0]);
            for k in 0..self._units {
                self.wdata[k].load(self.wen_i, self.wdata_i[k]);
            }
            self.unit.follow(&self.wdata);
        } else {
            self.write.follow(&self.wen_i);
            self.write_address.follow(&self.waddr_i);
            self.read.follow(&self.ren_i);
            self.read_address.follow(&self.raddr_i);
            self.unit.follow(&self.wdata_i);
        }

        self.wen_o.follow(&self.write);
        self.waddr_o.follow(&self.write_address);
        self.ren_o.follow(&self.read);
        self.raddr_o.follow(&self.read_address);
        let written = self.write_address & (self._depth - 1).to_bits::<WA>();
        let wanted = self.read_address & (self._depth - 1).to_bits::<WA>();
        self.meet_o = self.write & self.read & (written == wanted);
        for p in 0..self._units {
            let unit = self.unit[place(self._right, self._units, p)];
            self.word_o[p] = unit;
            self.mask_o[p] = unit.any().into();
        }
    }
}
