//! The sliced memory with a mask slice.

use super::shape::WA;
use super::{
    DataSlices, Hold, MaskPlace, Pack, Reply, Request, Restore, Route, Row, Select, SlicedShape,
    moves,
};
use heddle_kernel::prelude::*;

/// Sparse-aware memory: a mask slice with one bit for each unit of a word, and data slices. The
/// non-zero units are stored packed, the first ones in slice 0 and the rest in the slices behind
/// it; a slice that gets none is not accessed. A read fetches the mask first and then only the
/// slices it names. Zero units come from the mask.
///
/// # Timing
/// `rdata_o` follows `ren_i` after the cycles of the latency, in turn one more for each slice but the
/// first. One read and one write per clock, at any addresses. A read in the cycle of a write to the same word, or
/// later, returns the new word; bypass registers see to it, so that what a slice reads from a
/// word that is being written is never used.
///
/// # Rules
/// A word must be written before it is read.
#[module(describe = _shape)]
pub struct Sliced<const UB: usize> {
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
    /// The word of an earlier read is on `rdata_o`.
    pub rvalid_o: Signal<Out, Bit>,
    /// Word, unit 0 in the low bits; only defined with `rvalid_o`.
    pub rdata_o: [Signal<Out, Bits<UB>>; units],
    /// Its mask: bit k is 1 if unit k is not zero.
    pub rmask_o: [Signal<Out, Bits<1>>; units],
    /// The mask slice is read in this cycle.
    pub mask_ren_o: Signal<Out, Bit>,
    /// The mask slice is written in this cycle.
    pub mask_wen_o: Signal<Out, Bit>,
    /// One per data slice: it is read in this cycle.
    pub slice_ren_o: [Signal<Out, Bit>; shape.slices()],
    /// One per data slice: it is written in this cycle.
    pub slice_wen_o: [Signal<Out, Bit>; shape.slices()],
    /// Units of the data slices written in this cycle, by position.
    pub lane_wen_o: [Signal<Out, Bits<1>>; units],
    #[new(Request::new(&shape, shape.input_stages()))]
    request: Request<UB>,
    /// Non-zero units decide whether the word is kept; only with a write threshold.
    #[new(Select::new(units, vec![shape.write_threshold]))]
    keep: [Select; keep],
    /// Without a cycle of its own to find the units.
    #[new((find..1).map(|_| Hold::new(units)).collect())]
    hold: Vec<Hold<UB>>,
    #[new(Select::new(units, shape.write_thresholds()))]
    write_select: Select,
    #[new(Route::new(units, shape.network))]
    route: Route,
    #[new(Pack::new(units, shape.network))]
    pack: Pack<UB>,
    /// Masks of all words.
    #[new(Row::new(shape.words, units, shape.mask_stages()))]
    pub row: Row,
    #[new(Select::new(units, shape.read_thresholds()))]
    read_select: Select,
    /// Data slices.
    #[new(DataSlices::new(&shape))]
    pub slices: DataSlices<UB>,
    #[new(Restore::new(&shape))]
    restore: Restore<UB>,
    #[new(Reply::new(&shape))]
    reply: Reply<UB>,
    found: [Reg<Bit>; find],
    found_waddr: [RegData<Bits<WA>>; find],
    found_word: [RegData<Bits<UB>>; find * units],
    found_mask: [RegData<Bits<1>>; find * units],
    routed: [Reg<Bit>; split * shape.slices()],
    routed_waddr: [RegData<Bits<WA>>; split],
    routed_word: [RegData<Bits<UB>>; split * units],
    routed_mask: [RegData<Bits<1>>; split * units],
    routed_move: [RegData<Bits<1>>; split * moves(units, shape.network)],
    /// The mask to store.
    write_mask: [Signal<Local, Bits<1>>; units],
    write_any: Signal<Local, Bit>,
    /// A word with units to store.
    write: Signal<Local, Bit>,
    route_waddr: Signal<Local, Bits<WA>>,
    route_word: [Signal<Local, Bits<UB>>; units],
    route_mask: [Signal<Local, Bits<1>>; units],
    /// The slices it needs.
    need: [Signal<Local, Bit>; shape.slices()],
    /// What the memory is built from.
    _shape: SlicedShape,
    #[new(shape.checked(UB, MaskPlace::Slice))]
    _units: usize,
    #[new((shape.write_threshold > 0).into())]
    _keep: usize,
    /// Packing takes a cycle to find non-zero units.
    #[new(shape.enable_stages())]
    _find: usize,
    /// Packing takes a cycle to move them.
    #[new(shape.mask_stages())]
    _split: usize,
}

#[kernel]
impl<const UB: usize> Sliced<UB> {
    fn update(&mut self) {
        self.take_request();
        self.mask();
        self.find();
        self.move_units();
        self.access_slices();
        self.restore_word();
        self.reply_word();
    }

    parts!(take_request, row_and_slices, reply_word);

    /// The mask, as it is stored.
    fn mask(&mut self) {
        comment!("The mask slice, in the cycle of the request");
        self.access_row();
        for p in 0..self._units {
            self.write_mask[p].follow(&self.request.mask_o[p]);
            if self._keep > 0 {
                self.keep[0].mask_i[p].follow(&self.request.mask_o[p]);
                if !self.keep[0].slice_o[0] {
                    self.write_mask[p] = 0.into();
                }
            }
            self.row.bit_i[self._shape.place(self._units, p)].follow(&self.write_mask[p]);
        }
        self.mask_ren_o.follow(&self.request.ren_o);
        self.mask_wen_o.follow(&self.request.wen_o);
    }

    /// The word to pack.
    fn find(&mut self) {
        comment!("Packing: a word without units to store changes nothing");
        self.write_any = false;
        for p in 0..self._units {
            self.write_any = self.write_any | self.write_mask[p].get_bit(0);
        }
        let take = self.request.wen_o & self.write_any;
        if self._find > 0 {
            self.found[0] = take;
            self.found_waddr[0].load(take, self.request.waddr_o);
            self.write.follow(&self.found[0]);
            self.route_waddr.follow(&self.found_waddr[0]);
            for p in 0..self._units {
                self.found_word[p].load(take, self.request.word_o[p]);
                self.found_mask[p].load(take, self.write_mask[p]);
            }
            self.route_word.follow(&self.found_word);
            self.route_mask.follow(&self.found_mask);
        } else {
            self.write = take;
            self.route_waddr.follow(&self.request.waddr_o);
            self.hold[0].take_i = take;
            self.hold[0].word_i.follow(&self.request.word_o);
            self.hold[0].mask_i.follow(&self.write_mask);
            self.route_word.follow(&self.hold[0].word_o);
            self.route_mask.follow(&self.hold[0].mask_o);
        }
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
            self.slices.waddr_i.follow(&self.routed_waddr[0]);
            self.routed.follow(&self.need);
            self.slices.wen_i.follow(&self.routed);
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
            self.slices.waddr_i.follow(&self.route_waddr);
            self.slices.wen_i.follow(&self.need);
            self.pack.word_i.follow(&self.route_word);
            self.pack.mask_i.follow(&self.route_mask);
            self.pack.move_i.follow(&self.route.move_o);
        }
    }

    /// The data slices that the mask names, and the word from them.
    fn access_slices(&mut self) {
        comment!("The data slices that the mask names");
        self.read_slices();
        self.slices.unit_i.follow(&self.pack.packed_o);
        if self._shape.exact {
            self.slices.lane_i.follow(&self.pack.lane_o);
        }
        for p in 0..self._units {
            let place = self._shape.place(self._units, p);
            self.read_select.mask_i[p].follow(&self.row.stored_o[place]);
            self.restore.mask_i[p].follow(&self.row.bit_o[place]);
        }
        self.restore.packed_i.follow(&self.slices.unit_o);
        self.lane_wen_o.follow(&self.slices.lane_wen_o);
        self.slices.named_i.follow(&self.read_select.slice_o);
        self.slice_ren_o.follow(&self.slices.slice_ren_o);
        self.slice_wen_o.follow(&self.slices.slice_wen_o);
        self.reply.word_i.follow(&self.restore.word_o);
        self.reply.mask_i.follow(&self.restore.mask_o);
    }
}
