//! The sliced memory with a mask slice.

use super::shape::WA;
use super::{
    DataSlices, Hold, MaskPlace, Pack, Reply, Request, Restore, Route, Row, Select, SlicedShape,
    moves,
};
use crate::prelude::*;

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
#[derive(LogicBlock)]
pub struct Sliced<const UB: usize> {
    /// Clock.
    pub clk: Signal<In, Clock>,
    /// Reset, active low.
    pub rst_n: Signal<In, Bit>,

    /// Writes a word.
    pub wen_i: Signal<In, Bit>,
    /// Address of the word to write.
    pub waddr_i: Signal<In, Bits<WA>>,
    /// Word to write, unit 0 in the low bits.
    pub wdata_i: Vec<Signal<In, Bits<UB>>>,

    /// Reads a word.
    pub ren_i: Signal<In, Bit>,
    /// Address of the word to read.
    pub raddr_i: Signal<In, Bits<WA>>,
    /// The word of an earlier read is on `rdata_o`.
    pub rvalid_o: Signal<Out, Bit>,
    /// Word, unit 0 in the low bits; only defined with `rvalid_o`.
    pub rdata_o: Vec<Signal<Out, Bits<UB>>>,
    /// Its mask: bit k is 1 if unit k is not zero.
    pub rmask_o: Vec<Signal<Out, Bits<1>>>,

    /// The mask slice is read in this cycle.
    pub mask_ren_o: Signal<Out, Bit>,
    /// The mask slice is written in this cycle.
    pub mask_wen_o: Signal<Out, Bit>,
    /// One per data slice: it is read in this cycle.
    pub slice_ren_o: Vec<Signal<Out, Bit>>,
    /// One per data slice: it is written in this cycle.
    pub slice_wen_o: Vec<Signal<Out, Bit>>,
    /// Units of the data slices written in this cycle, by position.
    pub lane_wen_o: Vec<Signal<Out, Bits<1>>>,

    request: Request<UB>,
    /// Non-zero units decide whether the word is kept; only with a write threshold.
    keep: Vec<Select>,
    /// Without a cycle of its own to find the units.
    hold: Vec<Hold<UB>>,
    write_select: Select,
    route: Route,
    pack: Pack<UB>,
    /// Masks of all words.
    pub row: Row,
    read_select: Select,
    /// Data slices.
    pub slices: DataSlices<UB>,
    restore: Restore<UB>,
    reply: Reply<UB>,

    found: Vec<Reg<Bit>>,
    found_waddr: Vec<RegData<Bits<WA>>>,
    found_word: Vec<RegData<Bits<UB>>>,
    found_mask: Vec<RegData<Bits<1>>>,
    routed: Vec<Reg<Bit>>,
    routed_waddr: Vec<RegData<Bits<WA>>>,
    routed_word: Vec<RegData<Bits<UB>>>,
    routed_mask: Vec<RegData<Bits<1>>>,
    routed_move: Vec<RegData<Bits<1>>>,

    /// The mask to store.
    write_mask: Vec<Signal<Local, Bits<1>>>,
    write_any: Signal<Local, Bit>,
    /// A word with units to store.
    write: Signal<Local, Bit>,
    route_waddr: Signal<Local, Bits<WA>>,
    route_word: Vec<Signal<Local, Bits<UB>>>,
    route_mask: Vec<Signal<Local, Bits<1>>>,
    /// The slices it needs.
    need: Vec<Signal<Local, Bit>>,
    _shape: SlicedShape,
    _units: usize,
    _slices: usize,
    _moves: usize,
    _exact: usize,
    _right: usize,
    _keep: usize,
    _find: usize,
    _split: usize,
}

impl<const UB: usize> Sliced<UB> {
    /// A memory of this shape.
    ///
    /// # Panics
    /// If the shape is not allowed, or has other units or another place for the mask.
    pub fn new(shape: SlicedShape) -> Self {
        shape.check();
        assert_eq!((UB, shape.mask), (shape.unit_bits, MaskPlace::Slice));
        let (units, slices, network) = (shape.units, shape.slices(), shape.network);
        let moves = moves(units, network);
        let keep = usize::from(shape.write_threshold > 0);
        let (find, split) = (shape.enable_stages(), shape.mask_stages());
        Self {
            clk: Default::default(),
            rst_n: Default::default(),
            wen_i: Default::default(),
            waddr_i: Default::default(),
            wdata_i: v(units),
            ren_i: Default::default(),
            raddr_i: Default::default(),
            rvalid_o: Default::default(),
            rdata_o: v(units),
            rmask_o: v(units),
            mask_ren_o: Default::default(),
            mask_wen_o: Default::default(),
            slice_ren_o: v(slices),
            slice_wen_o: v(slices),
            lane_wen_o: v(units),
            request: Request::new(&shape, shape.input_stages()),
            keep: (0..keep)
                .map(|_| Select::new(units, vec![shape.write_threshold]))
                .collect(),
            hold: (find..1).map(|_| Hold::new(units)).collect(),
            write_select: Select::new(units, shape.write_thresholds()),
            route: Route::new(units, network),
            pack: Pack::new(units, network),
            row: Row::new(shape.words, units, shape.mask_stages()),
            read_select: Select::new(units, shape.read_thresholds()),
            slices: DataSlices::new(&shape),
            restore: Restore::new(&shape),
            reply: Reply::new(&shape),
            found: v(find),
            found_waddr: v(find),
            found_word: v(find * units),
            found_mask: v(find * units),
            routed: v(split * slices),
            routed_waddr: v(split),
            routed_word: v(split * units),
            routed_mask: v(split * units),
            routed_move: v(split * moves),
            write_mask: v(units),
            write_any: Default::default(),
            write: Default::default(),
            route_waddr: Default::default(),
            route_word: v(units),
            route_mask: v(units),
            need: v(slices),
            _units: units,
            _slices: slices,
            _moves: moves,
            _exact: shape.exact.into(),
            _right: shape.right.into(),
            _keep: keep,
            _find: find,
            _split: split,
            _shape: shape,
        }
    }
}

impl<const UB: usize> Logic for Sliced<UB> {
    #[hdl_gen]
    fn update(&mut self) {
        self.request.clk.next = self.clk.val();
        self.request.rst_n.next = self.rst_n.val();
        self.request.wen_i.next = self.wen_i.val();
        self.request.waddr_i.next = self.waddr_i.val();
        self.request.ren_i.next = self.ren_i.val();
        self.request.raddr_i.next = self.raddr_i.val();
        for k in 0..self._units {
            self.request.wdata_i[k].next = self.wdata_i[k].val();
        }

        comment!("The mask slice, in the cycle of the request");
        self.row.clk.next = self.clk.val();
        self.row.rst_n.next = self.rst_n.val();
        self.row.wen_i.next = self.request.wen_o.val();
        self.row.waddr_i.next = self.request.waddr_o.val();
        self.row.ren_i.next = self.request.ren_o.val();
        self.row.raddr_i.next = self.request.raddr_o.val();
        self.row.meet_i.next = self.request.meet_o.val();
        for p in 0..self._units {
            self.write_mask[p].next = self.request.mask_o[p].val();
            if self._keep > 0 {
                self.keep[0].mask_i[p].next = self.request.mask_o[p].val();
                if !self.keep[0].slice_o[0].val() {
                    self.write_mask[p].next = 0.into();
                }
            }
            if self._right > 0 {
                self.row.bit_i[p].next = self.write_mask[p].val();
            } else {
                self.row.bit_i[self._units - 1 - p].next = self.write_mask[p].val();
            }
        }
        self.mask_ren_o.next = self.request.ren_o.val();
        self.mask_wen_o.next = self.request.wen_o.val();

        comment!("Packing: a word without units to store changes nothing");
        self.write_any.next = false;
        for p in 0..self._units {
            self.write_any.next = self.write_any.val() | self.write_mask[p].val().get_bit(0);
        }
        if self._find > 0 {
            self.found[0].clk.next = self.clk.val();
            self.found[0].rst_n.next = self.rst_n.val();
            self.found[0].d_i.next = self.request.wen_o.val() & self.write_any.val();
            self.found_waddr[0].clk.next = self.clk.val();
            self.found_waddr[0].en_i.next = self.request.wen_o.val() & self.write_any.val();
            self.found_waddr[0].d_i.next = self.request.waddr_o.val();
            self.write.next = self.found[0].q_o.val();
            self.route_waddr.next = self.found_waddr[0].q_o.val();
            for p in 0..self._units {
                self.found_word[p].clk.next = self.clk.val();
                self.found_word[p].en_i.next = self.request.wen_o.val() & self.write_any.val();
                self.found_word[p].d_i.next = self.request.word_o[p].val();
                self.found_mask[p].clk.next = self.clk.val();
                self.found_mask[p].en_i.next = self.request.wen_o.val() & self.write_any.val();
                self.found_mask[p].d_i.next = self.write_mask[p].val();
                self.route_word[p].next = self.found_word[p].q_o.val();
                self.route_mask[p].next = self.found_mask[p].q_o.val();
            }
        } else {
            self.write.next = self.request.wen_o.val() & self.write_any.val();
            self.route_waddr.next = self.request.waddr_o.val();
            self.hold[0].clk.next = self.clk.val();
            self.hold[0].take_i.next = self.request.wen_o.val() & self.write_any.val();
            for p in 0..self._units {
                self.hold[0].word_i[p].next = self.request.word_o[p].val();
                self.hold[0].mask_i[p].next = self.write_mask[p].val();
                self.route_word[p].next = self.hold[0].word_o[p].val();
                self.route_mask[p].next = self.hold[0].mask_o[p].val();
            }
        }
        for p in 0..self._units {
            self.route.mask_i[p].next = self.route_mask[p].val();
            self.write_select.mask_i[p].next = self.route_mask[p].val();
        }
        for k in 0..self._slices {
            self.need[k].next = self.write.val() & self.write_select.slice_o[k].val();
        }
        if self._split > 0 {
            self.routed_waddr[0].clk.next = self.clk.val();
            self.routed_waddr[0].en_i.next = self.write.val();
            self.routed_waddr[0].d_i.next = self.route_waddr.val();
            self.slices.waddr_i.next = self.routed_waddr[0].q_o.val();
            for k in 0..self._slices {
                self.routed[k].clk.next = self.clk.val();
                self.routed[k].rst_n.next = self.rst_n.val();
                self.routed[k].d_i.next = self.need[k].val();
                self.slices.wen_i[k].next = self.routed[k].q_o.val();
            }
            for p in 0..self._units {
                self.routed_word[p].clk.next = self.clk.val();
                self.routed_word[p].en_i.next = self.write.val();
                self.routed_word[p].d_i.next = self.route_word[p].val();
                self.routed_mask[p].clk.next = self.clk.val();
                self.routed_mask[p].en_i.next = self.write.val();
                self.routed_mask[p].d_i.next = self.route_mask[p].val();
                self.pack.word_i[p].next = self.routed_word[p].q_o.val();
                self.pack.mask_i[p].next = self.routed_mask[p].q_o.val();
            }
            for k in 0..self._moves {
                self.routed_move[k].clk.next = self.clk.val();
                self.routed_move[k].en_i.next = self.write.val();
                self.routed_move[k].d_i.next = self.route.move_o[k].val();
                self.pack.move_i[k].next = self.routed_move[k].q_o.val();
            }
        } else {
            self.slices.waddr_i.next = self.route_waddr.val();
            for k in 0..self._slices {
                self.slices.wen_i[k].next = self.need[k].val();
            }
            for p in 0..self._units {
                self.pack.word_i[p].next = self.route_word[p].val();
                self.pack.mask_i[p].next = self.route_mask[p].val();
            }
            for k in 0..self._moves {
                self.pack.move_i[k].next = self.route.move_o[k].val();
            }
        }

        comment!("The data slices that the mask names");
        self.slices.clk.next = self.clk.val();
        self.slices.rst_n.next = self.rst_n.val();
        self.slices.read_i.next = self.row.read_o.val();
        self.slices.raddr_i.next = self.row.raddr_o.val();
        self.slices.meet_i.next = self.row.meet_o.val();
        for p in 0..self._units {
            self.slices.unit_i[p].next = self.pack.packed_o[p].val();
            if self._exact > 0 {
                self.slices.lane_i[p].next = self.pack.lane_o[p].val();
            }
            if self._right > 0 {
                self.read_select.mask_i[p].next = self.row.stored_o[p].val();
                self.restore.mask_i[p].next = self.row.bit_o[p].val();
            } else {
                self.read_select.mask_i[p].next = self.row.stored_o[self._units - 1 - p].val();
                self.restore.mask_i[p].next = self.row.bit_o[self._units - 1 - p].val();
            }
            self.restore.packed_i[p].next = self.slices.unit_o[p].val();
            self.lane_wen_o[p].next = self.slices.lane_wen_o[p].val();
        }
        for k in 0..self._slices {
            self.slices.named_i[k].next = self.read_select.slice_o[k].val();
            self.slice_ren_o[k].next = self.slices.slice_ren_o[k].val();
            self.slice_wen_o[k].next = self.slices.slice_wen_o[k].val();
        }

        comment!("The word");
        self.restore.clk.next = self.clk.val();
        self.restore.rst_n.next = self.rst_n.val();
        self.restore.valid_i.next = self.row.read_o.val();
        self.reply.clk.next = self.clk.val();
        self.reply.rst_n.next = self.rst_n.val();
        self.reply.valid_i.next = self.restore.valid_o.val();
        self.rvalid_o.next = self.reply.rvalid_o.val();
        for k in 0..self._units {
            self.reply.word_i[k].next = self.restore.word_o[k].val();
            self.reply.mask_i[k].next = self.restore.mask_o[k].val();
            self.rdata_o[k].next = self.reply.rdata_o[k].val();
            self.rmask_o[k].next = self.reply.rmask_o[k].val();
        }
    }
    module!(|this| this
        ._shape
        .meta("sliced")
        .hidden("moves", this._moves, "moves of the network")
        .hidden("keep", this._keep, "1: there is a write threshold")
        .hidden(
            "find",
            this._find,
            "1: packing takes a cycle to find non-zero units"
        )
        .hidden(
            "split",
            this._split,
            "1: packing takes a cycle to move them"
        ));
}
