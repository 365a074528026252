//! Requests on their way into a memory whose slice 0 is packed before it is written.

use super::shape::WA;
use super::{Hold, Pack, Request, Route, Select, SlicedShape, moves};
use crate::prelude::*;

/// Takes a write and a read and packs the word to write, for memories that keep the mask in slice 0:
/// that slice is accessed with the request, so that packing comes before everything else. Packing
/// stands still without a write, and for a word of zeros.
///
/// # Timing
/// Combinational, or one register between finding the moves and moving the units, the longest
/// way of a write cut in the middle.
#[derive(LogicBlock)]
pub struct Packed<const UB: usize> {
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

    /// A word is written.
    pub wen_o: Signal<Out, Bit>,
    /// Its address.
    pub waddr_o: Signal<Out, Bits<WA>>,
    /// The mask to store, by position.
    pub mask_o: Vec<Signal<Out, Bits<1>>>,
    /// Slices that the word needs.
    pub need_o: Vec<Signal<Out, Bit>>,
    /// Its units by position, as they came.
    pub word_o: Vec<Signal<Out, Bits<UB>>>,
    /// Its units by position, packed; 0 if none is stored.
    pub packed_o: Vec<Signal<Out, Bits<UB>>>,
    /// A word is read.
    pub ren_o: Signal<Out, Bit>,
    /// Its address.
    pub raddr_o: Signal<Out, Bits<WA>>,
    /// The word that is written is read.
    pub meet_o: Signal<Out, Bit>,

    request: Request<UB>,
    /// Without a register behind the moves.
    hold: Vec<Hold<UB>>,
    write_select: Select,
    route: Route,
    pack: Pack<UB>,
    wen: Vec<Reg<Bit>>,
    waddr: Vec<RegData<Bits<WA>>>,
    word: Vec<RegData<Bits<UB>>>,
    mask: Vec<RegData<Bits<1>>>,
    need: Vec<RegData<Bit>>,
    moved: Vec<RegData<Bits<1>>>,
    ren: Vec<Reg<Bit>>,
    raddr: Vec<RegData<Bits<WA>>>,
    meet: Vec<Reg<Bit>>,
    /// The mask to store.
    found_mask: Vec<Signal<Local, Bits<1>>>,
    /// The word has a unit that is not zero.
    any: Signal<Local, Bit>,
    /// A word is packed.
    take: Signal<Local, Bit>,
    stored: Signal<Local, Bit>,
    _units: usize,
    _slices: usize,
    _moves: usize,
    _stages: usize,
}

impl<const UB: usize> Packed<UB> {
    /// The way into a memory of this shape.
    pub fn new(shape: &SlicedShape) -> Self {
        let (units, slices) = (shape.units, shape.slices());
        let moves = moves(units, shape.network);
        let stages = shape.input_stages();
        Self {
            clk: Default::default(),
            rst_n: Default::default(),
            wen_i: Default::default(),
            waddr_i: Default::default(),
            wdata_i: v(units),
            ren_i: Default::default(),
            raddr_i: Default::default(),
            wen_o: Default::default(),
            waddr_o: Default::default(),
            mask_o: v(units),
            need_o: v(slices),
            word_o: v(units),
            packed_o: v(units),
            ren_o: Default::default(),
            raddr_o: Default::default(),
            meet_o: Default::default(),
            request: Request::new(shape, 0),
            hold: (stages..1).map(|_| Hold::new(units)).collect(),
            write_select: Select::new(units, shape.write_thresholds()),
            route: Route::new(units, shape.network),
            pack: Pack::new(units, shape.network),
            wen: v(stages),
            waddr: v(stages),
            word: v(stages * units),
            mask: v(stages * units),
            need: v(stages * slices),
            moved: v(stages * moves),
            ren: v(stages),
            raddr: v(stages),
            meet: v(stages),
            found_mask: v(units),
            any: Default::default(),
            take: Default::default(),
            stored: Default::default(),
            _units: units,
            _slices: slices,
            _moves: moves,
            _stages: stages,
        }
    }
}

impl<const UB: usize> Logic for Packed<UB> {
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

        comment!("The mask to store, and the moves");
        self.any.next = false;
        for p in 0..self._units {
            self.any.next = self.any.val() | self.request.mask_o[p].val().get_bit(0);
            self.write_select.mask_i[p].next = self.request.mask_o[p].val();
            self.found_mask[p].next = 0.into();
            if self.write_select.slice_o[0].val() {
                self.found_mask[p].next = self.request.mask_o[p].val();
            }
        }
        self.take.next = self.request.wen_o.val() & self.any.val();
        if self._stages > 0 {
            self.wen[0].clk.next = self.clk.val();
            self.wen[0].rst_n.next = self.rst_n.val();
            self.wen[0].d_i.next = self.request.wen_o.val();
            self.waddr[0].clk.next = self.clk.val();
            self.waddr[0].en_i.next = self.request.wen_o.val();
            self.waddr[0].d_i.next = self.request.waddr_o.val();
            self.ren[0].clk.next = self.clk.val();
            self.ren[0].rst_n.next = self.rst_n.val();
            self.ren[0].d_i.next = self.request.ren_o.val();
            self.raddr[0].clk.next = self.clk.val();
            self.raddr[0].en_i.next = self.request.ren_o.val();
            self.raddr[0].d_i.next = self.request.raddr_o.val();
            self.meet[0].clk.next = self.clk.val();
            self.meet[0].rst_n.next = self.rst_n.val();
            self.meet[0].d_i.next = self.request.meet_o.val();
            self.wen_o.next = self.wen[0].q_o.val();
            self.waddr_o.next = self.waddr[0].q_o.val();
            self.ren_o.next = self.ren[0].q_o.val();
            self.raddr_o.next = self.raddr[0].q_o.val();
            self.meet_o.next = self.meet[0].q_o.val();
            for p in 0..self._units {
                self.route.mask_i[p].next = self.request.mask_o[p].val();
                self.word[p].clk.next = self.clk.val();
                self.word[p].en_i.next = self.take.val();
                self.word[p].d_i.next = self.request.word_o[p].val();
                self.mask[p].clk.next = self.clk.val();
                self.mask[p].en_i.next = self.request.wen_o.val();
                self.mask[p].d_i.next = self.found_mask[p].val();
                self.word_o[p].next = self.word[p].q_o.val();
                self.mask_o[p].next = self.mask[p].q_o.val();
                self.pack.word_i[p].next = self.word[p].q_o.val();
                self.pack.mask_i[p].next = self.mask[p].q_o.val();
            }
            for k in 0..self._slices {
                self.need[k].clk.next = self.clk.val();
                self.need[k].en_i.next = self.request.wen_o.val();
                self.need[k].d_i.next = self.write_select.slice_o[k].val();
                self.need_o[k].next = self.need[k].q_o.val();
            }
            self.stored.next = self.need[0].q_o.val();
            for k in 0..self._moves {
                self.moved[k].clk.next = self.clk.val();
                self.moved[k].en_i.next = self.take.val();
                self.moved[k].d_i.next = self.route.move_o[k].val();
                self.pack.move_i[k].next = self.moved[k].q_o.val();
            }
        } else {
            self.wen_o.next = self.request.wen_o.val();
            self.waddr_o.next = self.request.waddr_o.val();
            self.ren_o.next = self.request.ren_o.val();
            self.raddr_o.next = self.request.raddr_o.val();
            self.meet_o.next = self.request.meet_o.val();
            self.hold[0].clk.next = self.clk.val();
            self.hold[0].take_i.next = self.take.val();
            for p in 0..self._units {
                self.hold[0].word_i[p].next = self.request.word_o[p].val();
                self.hold[0].mask_i[p].next = self.request.mask_o[p].val();
                self.route.mask_i[p].next = self.hold[0].mask_o[p].val();
                self.word_o[p].next = self.hold[0].word_o[p].val();
                self.mask_o[p].next = self.found_mask[p].val();
                self.pack.word_i[p].next = self.hold[0].word_o[p].val();
                self.pack.mask_i[p].next = self.hold[0].mask_o[p].val();
            }
            for k in 0..self._slices {
                self.need_o[k].next = self.write_select.slice_o[k].val();
            }
            self.stored.next = self.write_select.slice_o[0].val();
            for k in 0..self._moves {
                self.pack.move_i[k].next = self.route.move_o[k].val();
            }
        }
        for p in 0..self._units {
            self.packed_o[p].next = 0.into();
            if self.stored.val() {
                self.packed_o[p].next = self.pack.packed_o[p].val();
            }
        }
    }
    module!(|this| Meta::module("sliced_packed")
        .param("units", "w", this._units, "units in a word")
        .hidden("unit_bits", UB, "bits of a unit")
        .hidden("slices", this._slices, "data slices")
        .hidden("moves", this._moves, "moves of the network")
        .option(
            "stages",
            "s",
            this._stages,
            "registers between finding the moves and moving"
        ));
}
