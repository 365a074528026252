//! From a stream of bytes to the slots of a map.

use super::{SlotPlaces, waves::*};
use heddle_arch::isa::fields::sparse::load;
use heddle_kernel::prelude::*;

/// Carries out SPARSE_LOAD: each position of the map takes a slot of bytes from the stream, in as many words as its lanes need, lane 0 in bits 7..0 of the
/// first one, or in a single one if slots come whole. A byte above the threshold is negative; a lane that is not loaded has no entry.
///
/// The words of the next slot may be taken before its chunk begins, those of the next command never are.
///
/// # Timing
/// `start_i` in cycle T, T-1 has the last word of the command at the latest: the first word of the stream is taken in T+1.
/// If nothing waits, a slot of w words follows the one before after w cycles; the last word of the first one is taken in T+w and the slot
/// in T+w+1. A chunk that begins a load costs a cycle if w is 1, but for the first one. So n slots that `Load` takes
/// at once keep `busy_o` high from T+1 to T + n w + 3, and a cycle longer for each such chunk.
///
/// `busy_o` falls in the cycle in which the last entries are on the wave of `Load`: two cycles after the first one after the
/// last slot in which `slot_ready_i` is high. What comes for `mask_o` from then on does not change it for them.
#[module(name = "sparse_slots")]
pub struct Slots {
    /// A word of SPARSE_LOAD.
    pub command_i: CommandWord<In>,
    /// Begins.
    pub start_i: Signal<In, Bit>,
    /// A command is under way.
    pub busy_o: Signal<Out, Bit>,
    /// A word of the map is offered.
    pub map_valid_i: Signal<In, Bit>,
    /// It is taken.
    pub map_ready_o: Signal<Out, Bit>,
    /// Its bytes.
    pub map_data_i: [Signal<In, Bits<8>>; bytes],
    /// Values of a position.
    #[new(LoadSlot::new(lanes))]
    pub slot_o: LoadSlot<Out>,
    /// They are taken.
    pub slot_ready_i: Signal<In, Bit>,
    /// Units that the entries are for.
    pub mask: [OutRegData<Bit>; units],
    /// A chunk is to begin, in `set_o`.
    pub asks_o: Signal<Out, Bit>,
    /// Its set.
    pub set_o: Signal<Out, Bits<2>>,
    /// The set is free, in all units of the mask.
    pub free_i: Signal<In, Bit>,
    /// The chunk begins.
    pub begins_o: Signal<Out, Bit>,
    #[new(SlotPlaces::new(lanes, sets))]
    places: SlotPlaces,
    /// Lanes that are loaded: how many, and whether each is.
    loaded: RegData<Bits<7>>,
    is_loaded: [Signal<Local, Bit>; lanes],
    threshold: RegData<Bits<8>>,
    /// Each word of a slot but the last one: it has come, and more are to come.
    came: [RegEn<Bit>; words - 1],
    /// All words of a slot have come.
    full: Reg<Bit>,
    value: [RegData<Bits<9>>; lanes],
    nz: [RegData<Bit>; lanes],
    /// Bytes of the word: value, not zero.
    decoded: [Signal<Local, Bits<9>>; bytes],
    decoded_nz: [Signal<Local, Bit>; bytes],
    map_ready: Signal<Local, Bit>,
    takes: Signal<Local, Bit>,
    /// Each word of a slot: it is taken.
    takes_word: [Signal<Local, Bit>; words],
    /// The slot is offered, and taken.
    offers: Signal<Local, Bit>,
    taken: Signal<Local, Bit>,
    /// The last slot is picked; its last entries are not on the wave.
    leaves: [Reg<Bit>; 2],
    /// Lanes of a slot, at most 64.
    _lanes: Param<'r'>,
    /// Sets.
    _sets: Param<'s'>,
    /// Units.
    _units: Param<'u'>,
    /// Slots come whole.
    _whole: Feature<"wh">,
    /// Bytes of a word of the stream.
    #[new(if whole > 0 { lanes } else { 8 })]
    _bytes: usize,
    #[new(lanes.div_ceil(bytes))]
    _words: usize,
}

#[kernel]
impl Slots {
    fn update(&mut self) {
        self.command();
        self.lanes();
        self.gather();
        self.offer();
        self.leave();
    }

    fn command(&mut self) {
        let is_word = self.command_i.valid & (self.command_i.index == 1);
        self.loaded
            .load(is_word, field!(self.command_i.data, load::LANES));
        self.threshold
            .load(is_word, field!(self.command_i.data, load::THRESHOLD));
        for i in 0..self._units {
            self.mask[i].load(
                self.command_i.valid & (self.command_i.index == (5 + i / 32).to_bits::<3>()),
                self.command_i.data.get_bit(i % 32),
            );
        }
        self.places.command_i.follow(&self.command_i);
        self.places.start_i = self.start_i;
        self.places.free_i = self.free_i;
        self.asks_o = self.places.asks_o;
        self.set_o = self.places.set_o;
        self.begins_o = self.places.begins_o;
    }

    /// Which lanes are loaded: those whose number is less, compared without a carry chain, from the lowest bit on.
    fn lanes(&mut self) {
        for i in 0..self._lanes {
            self.is_loaded[i] = false;
            for b in 0..7 {
                if (i >> b) % 2 == 1 {
                    self.is_loaded[i] = self.is_loaded[i] & self.loaded.get_bit(b);
                } else {
                    self.is_loaded[i] = self.is_loaded[i] | self.loaded.get_bit(b);
                }
            }
        }
    }

    /// The words of a slot.
    fn gather(&mut self) {
        self.map_ready = self.places.busy_o & (!self.full | (self.taken & !self.places.ends_o));
        self.map_ready_o = self.rst_n & self.map_ready;
        self.takes = self.map_valid_i & self.map_ready;
        for i in 0..self._words {
            self.takes_word[i] = self.takes;
            if i > 0 {
                self.takes_word[i] = self.takes_word[i] & self.came[i - 1];
            }
            if i + 1 < self._words {
                self.takes_word[i] = self.takes_word[i] & !self.came[i];
                self.came[i].load(
                    self.takes_word[i] | self.takes_word[self._words - 1],
                    self.takes_word[i],
                );
            }
        }
        self.full = self.takes_word[self._words - 1] | (self.full & !self.taken);
        for i in 0..self._bytes {
            self.decoded[i] = bit_cast::<9, 8>(self.map_data_i[i]);
            if self.map_data_i[i] > self.threshold {
                self.decoded[i] = bit_cast::<9, 8>(self.map_data_i[i]) | 256;
            }
            self.decoded_nz[i] = self.map_data_i[i].any();
        }
        for i in 0..self._lanes {
            self.value[i].load(
                self.takes_word[i / self._bytes],
                self.decoded[i % self._bytes],
            );
            self.nz[i].load(
                self.takes_word[i / self._bytes],
                self.decoded_nz[i % self._bytes] & self.is_loaded[i],
            );
        }
    }

    fn offer(&mut self) {
        self.offers = self.full & self.places.valid_o;
        self.taken = self.offers & self.slot_ready_i;
        self.places.next_i = self.taken;
        self.slot_o.valid = self.offers;
        self.slot_o.row = self.places.row_o;
        self.slot_o.col = self.places.col_o;
        self.slot_o.list = self.places.list_o;
        self.slot_o.first = self.places.first_o;
        self.slot_o.last = self.places.last_o;
        self.slot_o.set = self.places.set_o;
        for i in 0..self._lanes {
            self.slot_o.value[i] = self.value[i];
            self.slot_o.nz[i] = self.nz[i];
        }
    }

    /// Entries are picked until the next slot would be taken, and then are two cycles away from the wave.
    fn leave(&mut self) {
        self.leaves[0] = (self.taken & self.places.ends_o) | (self.leaves[0] & !self.slot_ready_i);
        self.leaves[1] = self.leaves[0] & self.slot_ready_i;
        self.busy_o = self.places.busy_o | self.leaves[0] | self.leaves[1];
    }
}
