//! Requests on their way in.

use super::SlicedShape;
use super::data_slice::RIGHT;
use super::shape::{WA, place};
use heddle_kernel::prelude::*;

/// Takes a write and a read, puts the units of the word to write in the order of packing, finds
/// those that are not zero, and sees when both are for the same word.
///
/// # Timing
/// Combinational, or one register behind all inputs.
#[module(name = "sliced_request", describe)]
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
    /// Registers behind the inputs: 0 or 1.
    _stages: usize,
    /// Units in a word.
    #[new(shape.units)]
    _units: Param<'w'>,
    #[new(shape.right)]
    _right: bool,
    /// Words that an address can reach.
    #[new(1 << address_bits(shape.words))]
    _depth: usize,
}

impl<const UB: usize> Request<UB> {
    fn describe(&self, meta: Meta) -> Meta {
        meta.hidden("unit_bits", UB, "bits of a unit")
            .param("depth", "d", self._depth, "words that an address can reach")
            .option("right", "r", self._right.into(), RIGHT)
            .option("stages", "s", self._stages, "registers behind the inputs")
    }
}

#[kernel]
impl<const UB: usize> Request<UB> {
    fn update(&mut self) {
        if self._stages > 0 {
            self.wen[0].follow(&self.wen_i);
            self.waddr[0].load(self.wen_i.val(), self.waddr_i.val());
            self.ren[0].follow(&self.ren_i);
            self.raddr[0].load(self.ren_i.val(), self.raddr_i.val());
            self.write.follow(&self.wen[0]);
            self.write_address.follow(&self.waddr[0]);
            self.read.follow(&self.ren[0]);
            self.read_address.follow(&self.raddr[0]);
            for k in 0..self._units {
                self.wdata[k].load(self.wen_i.val(), self.wdata_i[k].val());
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
        let written = self.write_address.val() & (self._depth - 1).to_bits::<WA>();
        let wanted = self.read_address.val() & (self._depth - 1).to_bits::<WA>();
        self.meet_o.next = self.write.val() & self.read.val() & (written == wanted);
        for p in 0..self._units {
            let unit = self.unit[place(self._right, self._units, p)].val();
            self.word_o[p].next = unit;
            self.mask_o[p].next = unit.any().into();
        }
    }
}
