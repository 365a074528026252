//! From the word to write to its mask and its packed units.

use super::{Hold, Pack, Route, Select, SlicedRequest, SlicedShape, moves, ports::*};
use heddle_kernel::prelude::*;

/// Packs words for a memory with a mask slice, or for several of which one is written at a time.
/// The packing network stands still unless a word with units to store has come.
///
/// # Timing
/// A word in cycle T: its mask in T, or T+1 with the register at the input; its packed units as many cycles
/// later as there are registers for finding the units and for moving them.
#[module(name = "sliced_writer", describe = _shape)]
pub struct Writer<const UB: usize> {
    /// Writes a word.
    pub wen_i: Signal<In, Bit>,
    /// Address of the word to write.
    pub waddr_i: Signal<In, Bits<WA>>,
    /// Word to write, unit 0 in the low bits.
    pub wdata_i: [Signal<In, Bits<UB>>; units],
    /// The word for the slices.
    #[new(PackedWrite::new(&shape))]
    pub ports_o: PackedWrite<Out, UB>,
    /// Positions at which a non-zero unit arrived.
    pub lane_o: [Signal<Out, Bits<1>>; units],
    #[new(SlicedRequest::new(&shape))]
    request: SlicedRequest<UB>,
    /// Non-zero units decide whether the word is kept; only with a write threshold.
    #[new(Select::new(units, vec![shape.write_threshold]))]
    keep: [Select; keep],
    /// Without a cycle of its own to find the units.
    #[new((input..1).map(|_| Hold::new(units)).collect())]
    hold: Vec<Hold<UB>>,
    #[new(Select::new(units, shape.write_thresholds()))]
    write_select: Select,
    #[new(Route::new(units, shape.network))]
    route: Route,
    #[new(Pack::new(units, shape.network))]
    pack: Pack<UB>,
    taken: [Reg<Bit>; input],
    taken_waddr: [RegData<Bits<WA>>; input],
    /// The word has units to store.
    taken_any: [RegData<Bit>; input],
    taken_word: [RegData<Bits<UB>>; input * units],
    taken_mask: [RegData<Bits<1>>; input * units],
    found: [Reg<Bit>; find],
    found_waddr: [RegData<Bits<WA>>; find],
    found_word: [RegData<Bits<UB>>; find * units],
    found_mask: [RegData<Bits<1>>; find * units],
    routed: [Reg<Bit>; split * shape.slices()],
    routed_waddr: [RegData<Bits<WA>>; split],
    routed_word: [RegData<Bits<UB>>; split * units],
    routed_mask: [RegData<Bits<1>>; split * units],
    routed_move: [RegData<Bits<1>>; split * moves(units, shape.network)],
    /// The units to store.
    store_mask: [Signal<Local, Bits<1>>; units],
    any: Signal<Local, Bit>,
    /// A word with units to store.
    write: Signal<Local, Bit>,
    route_waddr: Signal<Local, Bits<WA>>,
    route_word: [Signal<Local, Bits<UB>>; units],
    route_mask: [Signal<Local, Bits<1>>; units],
    /// The slices it needs.
    need: [Signal<Local, Bit>; shape.slices()],
    /// What the memory is built from.
    _shape: SlicedShape,
    #[new(shape.units)]
    _units: usize,
    #[new((shape.write_threshold > 0).into())]
    _keep: usize,
    /// Words are taken into a register.
    #[new(shape.input_stages())]
    _input: usize,
    /// Packing takes a cycle more to find non-zero units.
    #[new(shape.enable_stages())]
    _find: usize,
    /// Packing takes a cycle to move them.
    #[new(shape.mask_stages())]
    _split: usize,
}

#[kernel]
impl<const UB: usize> Writer<UB> {
    fn update(&mut self) {
        self.mask();
        if self._input > 0 {
            self.take_word();
        } else {
            self.hold_word();
        }
        self.move_units();
    }

    /// The mask, and whether there is anything to store.
    fn mask(&mut self) {
        comment!("A word without units to store changes the mask alone");
        self.request.wdata_i.follow(&self.wdata_i);
        for p in 0..self._units {
            self.store_mask[p].follow(&self.request.mask_o[p]);
            if self._keep > 0 {
                self.keep[0].mask_i[p].follow(&self.request.mask_o[p]);
                if !self.keep[0].slice_o[0] {
                    self.store_mask[p] = 0.into();
                }
            }
        }
        self.any = false;
        for p in 0..self._units {
            self.any = self.any | self.store_mask[p].get_bit(0);
        }
    }

    /// Words are taken into a register; those without units to store go no further.
    fn take_word(&mut self) {
        self.taken[0].follow(&self.wen_i);
        self.taken_waddr[0].load(self.wen_i, self.waddr_i);
        self.taken_any[0].load(self.wen_i, self.any);
        for p in 0..self._units {
            self.taken_word[p].load(self.wen_i, self.request.word_o[p]);
            self.taken_mask[p].load(self.wen_i, self.store_mask[p]);
        }
        self.ports_o.mask.follow(&self.taken_mask);
        self.ports_o.mask_wen.follow(&self.taken[0]);
        self.ports_o.mask_waddr.follow(&self.taken_waddr[0]);
        let write = self.taken[0] & self.taken_any[0];
        if self._find > 0 {
            self.found[0] = write;
            self.found_waddr[0].load(write, self.taken_waddr[0]);
            self.write.follow(&self.found[0]);
            self.route_waddr.follow(&self.found_waddr[0]);
            for p in 0..self._units {
                self.found_word[p].load(write, self.taken_word[p]);
                self.found_mask[p].load(write, self.taken_mask[p]);
            }
            self.route_word.follow(&self.found_word);
            self.route_mask.follow(&self.found_mask);
        } else {
            self.write = write;
            self.route_waddr.follow(&self.taken_waddr[0]);
            self.route_word.follow(&self.taken_word);
            self.route_mask.follow(&self.taken_mask);
        }
    }

    /// Words are packed in the cycle in which they come.
    fn hold_word(&mut self) {
        self.ports_o.mask_wen.follow(&self.wen_i);
        self.ports_o.mask_waddr.follow(&self.waddr_i);
        self.ports_o.mask.follow(&self.store_mask);
        self.write = self.wen_i & self.any;
        self.route_waddr.follow(&self.waddr_i);
        self.hold[0].take_i = self.write;
        self.hold[0].word_i.follow(&self.request.word_o);
        self.hold[0].mask_i.follow(&self.store_mask);
        self.route_word.follow(&self.hold[0].word_o);
        self.route_mask.follow(&self.hold[0].mask_o);
    }

    /// Packs it.
    fn move_units(&mut self) {
        self.route.mask_i.follow(&self.route_mask);
        self.write_select.mask_i.follow(&self.route_mask);
        for k in 0..self._shape.slices() {
            self.need[k] = self.write & self.write_select.slice_o[k];
        }
        if self._split > 0 {
            self.routed_waddr[0].load(self.write, self.route_waddr);
            self.ports_o.slice_waddr.follow(&self.routed_waddr[0]);
            self.routed.follow(&self.need);
            self.ports_o.slice_wen.follow(&self.routed);
            for p in 0..self._units {
                self.routed_word[p].load(self.write, self.route_word[p]);
                self.routed_mask[p].load(self.write, self.route_mask[p]);
            }
            for k in 0..self.routed_move.len() {
                self.routed_move[k].load(self.write, self.route.move_o[k]);
            }
            self.pack.word_i.follow(&self.routed_word);
            self.pack.mask_i.follow(&self.routed_mask);
            self.pack.move_i.follow(&self.routed_move);
        } else {
            self.ports_o.slice_waddr.follow(&self.route_waddr);
            self.ports_o.slice_wen.follow(&self.need);
            self.pack.word_i.follow(&self.route_word);
            self.pack.mask_i.follow(&self.route_mask);
            self.pack.move_i.follow(&self.route.move_o);
        }
        self.ports_o.packed.follow(&self.pack.packed_o);
        self.lane_o.follow(&self.pack.lane_o);
    }
}
