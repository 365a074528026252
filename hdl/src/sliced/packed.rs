//! Requests on their way into a memory whose slice 0 is packed before it is written.

use super::{Hold, Meet, Pack, Route, Select, SlicedRequest, SlicedShape, moves, ports::*};
use heddle_kernel::prelude::*;

/// Takes a write and a read and packs the word to write, for memories that keep the mask in slice 0:
/// that slice is accessed with the request, so that packing comes before everything else. Packing
/// stands still without a write, and for a word of zeros.
///
/// # Timing
/// Combinational, or one register between finding the moves and moving the units, the longest
/// way of a write cut in the middle.
#[module(name = "sliced_packed")]
pub struct Packed<const UB: usize> {
    /// A write and a read.
    pub ports_i: MemoryRequest<In>,
    /// Word to write, unit 0 in the low bits.
    pub wdata_i: [Signal<In, Bits<UB>>; units],
    /// The write and the read, when the word is packed.
    pub ports_o: MemoryRequest<Out>,
    /// The mask to store, by position.
    pub mask_o: [Signal<Out, Bits<1>>; units],
    /// Slices that the word needs.
    pub need_o: [Signal<Out, Bit>; shape.slices()],
    /// Its units by position, as they came.
    pub word_o: [Signal<Out, Bits<UB>>; units],
    /// Its units by position, packed; 0 if none is stored.
    pub packed_o: [Signal<Out, Bits<UB>>; units],
    /// The word that is written is read.
    pub meet_o: [Signal<Out, Bit>; bypass],
    #[new(SlicedRequest::new(shape))]
    request: SlicedRequest<UB>,
    #[new(Meet::new(shape, 0))]
    meets: [Meet; bypass],
    /// Without a register behind the moves.
    #[new((stages..1).map(|_| Hold::new(units)).collect())]
    hold: Vec<Hold<UB>>,
    #[new(Select::new(units, shape.write_thresholds()))]
    write_select: Select,
    #[new(Route::new(units, shape.network))]
    route: Route,
    #[new(Pack::new(units, shape.network))]
    pack: Pack<UB>,
    wen: [Reg<Bit>; stages],
    waddr: [RegData<Bits<WA>>; stages],
    word: [RegData<Bits<UB>>; stages * units],
    mask: [RegData<Bits<1>>; stages * units],
    need: [RegData<Bit>; stages * shape.slices()],
    moved: [RegData<Bits<1>>; stages * moves(units, shape.network)],
    ren: [Reg<Bit>; stages],
    raddr: [RegData<Bits<WA>>; stages],
    meet: [Reg<Bit>; bypass * stages],
    /// The mask to store.
    found_mask: [Signal<Local, Bits<1>>; units],
    /// The word has a unit that is not zero.
    any: Signal<Local, Bit>,
    /// A word is packed.
    take: Signal<Local, Bit>,
    stored: Signal<Local, Bit>,
    /// What the memory is built from.
    #[argument]
    _shape: &SlicedShape,
    /// Units in a word.
    #[new(shape.units)]
    _units: Param<'w'>,
    /// Bits of a unit.
    _unit_bits: Generic<UB>,
    /// Registers behind the moves.
    #[new(shape.input_stages())]
    _stages: Optional<'s'>,
    #[new(shape.bypass.into())]
    _bypass: usize,
}

#[kernel]
impl<const UB: usize> Packed<UB> {
    fn update(&mut self) {
        for b in 0..self._bypass {
            self.meets[b].wen_i[b].follow(&self.ports_i.wen);
            self.meets[b].waddr_i[b].follow(&self.ports_i.waddr);
            self.meets[b].ren_i.follow(&self.ports_i.ren);
            self.meets[b].raddr_i.follow(&self.ports_i.raddr);
        }
        self.request.wdata_i.follow(&self.wdata_i);
        self.find_mask();
        if self._stages > 0 {
            self.in_two_cycles();
        } else {
            self.at_once();
        }
        for p in 0..self._units {
            self.packed_o[p] = 0.into();
            if self.stored {
                self.packed_o[p].follow(&self.pack.packed_o[p]);
            }
        }
    }

    /// The mask to store.
    fn find_mask(&mut self) {
        comment!("The mask to store, and the moves");
        self.any = false;
        self.write_select.mask_i.follow(&self.request.mask_o);
        for p in 0..self._units {
            self.any = self.any | self.request.mask_o[p].get_bit(0);
            self.found_mask[p] = 0.into();
            if self.write_select.slice_o[0] {
                self.found_mask[p].follow(&self.request.mask_o[p]);
            }
        }
        self.take = self.ports_i.wen & self.any;
    }

    /// A register behind the moves.
    fn in_two_cycles(&mut self) {
        let wen = self.ports_i.wen;
        let ren = self.ports_i.ren;
        self.wen[0] = wen;
        self.waddr[0].load(wen, self.ports_i.waddr);
        self.ren[0] = ren;
        self.raddr[0].load(ren, self.ports_i.raddr);
        for b in 0..self._bypass {
            self.meet[0].follow(&self.meets[b].meet_o[b]);
            self.meet_o[b].follow(&self.meet[0]);
        }
        self.ports_o.wen.follow(&self.wen[0]);
        self.ports_o.waddr.follow(&self.waddr[0]);
        self.ports_o.ren.follow(&self.ren[0]);
        self.ports_o.raddr.follow(&self.raddr[0]);
        self.route.mask_i.follow(&self.request.mask_o);
        for p in 0..self._units {
            self.word[p].load(self.take, self.request.word_o[p]);
            self.mask[p].load(wen, self.found_mask[p]);
        }
        self.word_o.follow(&self.word);
        self.mask_o.follow(&self.mask);
        self.pack.word_i.follow(&self.word);
        self.pack.mask_i.follow(&self.mask);
        for k in 0..self.need.len() {
            self.need[k].load(wen, self.write_select.slice_o[k]);
        }
        self.need_o.follow(&self.need);
        self.stored.follow(&self.need[0]);
        for k in 0..self.moved.len() {
            self.moved[k].load(self.take, self.route.move_o[k]);
        }
        self.pack.move_i.follow(&self.moved);
    }

    /// Everything in the cycle of the request.
    fn at_once(&mut self) {
        self.ports_o.follow(&self.ports_i);
        for b in 0..self._bypass {
            self.meet_o[b].follow(&self.meets[b].meet_o[b]);
        }
        self.hold[0].take_i.follow(&self.take);
        self.hold[0].word_i.follow(&self.request.word_o);
        self.hold[0].mask_i.follow(&self.request.mask_o);
        self.route.mask_i.follow(&self.hold[0].mask_o);
        self.word_o.follow(&self.hold[0].word_o);
        self.mask_o.follow(&self.found_mask);
        self.pack.word_i.follow(&self.hold[0].word_o);
        self.pack.mask_i.follow(&self.hold[0].mask_o);
        self.need_o.follow(&self.write_select.slice_o);
        self.stored.follow(&self.write_select.slice_o[0]);
        self.pack.move_i.follow(&self.route.move_o);
    }
}
