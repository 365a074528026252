//! The sliced memory whose slice 0 has a field for the mask.

use super::shape::WA;
use super::{DataSlices, MaskPlace, Packed, Reply, Restore, Row, Select, SlicedShape, Wait};
use crate::prelude::*;

/// Sparse-aware memory whose mask is a field of slice 0: mask and first packed units are one row,
/// which every request accesses. The slices from 1 on are accessed if the mask names them.
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
pub struct SlicedField<const UB: usize> {
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

    request: Packed<UB>,
    /// Rows of slice 0, with the masks.
    pub row: Row,
    /// Data slices from 1 on.
    pub slices: DataSlices<UB>,
    restore: Restore<UB>,
    reply: Reply<UB>,
    read_select: Select,
    unit_wait: Wait<UB>,

    /// Slice 0 of the word read.
    first_unit: Vec<Signal<Local, Bits<UB>>>,
    _shape: SlicedShape,
    _units: usize,
    _slices: usize,
    _first: usize,
    _right: usize,
    _unit_bits: usize,
}

impl<const UB: usize> SlicedField<UB> {
    /// A memory of this shape.
    ///
    /// # Panics
    /// If the shape is not allowed, or has other units or another place for the mask.
    pub fn new(shape: SlicedShape) -> Self {
        shape.check();
        assert_eq!((UB, shape.mask), (shape.unit_bits, MaskPlace::Field));
        let (units, slices) = (shape.units, shape.slices());
        let first = shape.widths[0];
        let bits = units + first * UB;
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
            request: Packed::new(&shape),
            row: Row::new(shape.words, bits, shape.mask_stages()),
            slices: DataSlices::new(&shape),
            restore: Restore::new(&shape),
            reply: Reply::new(&shape),
            read_select: Select::new(units, shape.read_thresholds().split_off(1)),
            unit_wait: Wait::new(first, shape.mask_to_data()),
            first_unit: v(first),
            _units: units,
            _slices: slices,
            _first: first,
            _right: shape.right.into(),
            _unit_bits: UB,
            _shape: shape,
        }
    }
}

impl<const UB: usize> Logic for SlicedField<UB> {
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

        comment!("Slice 0 and the mask, in one row");
        self.row.clk.next = self.clk.val();
        self.row.rst_n.next = self.rst_n.val();
        self.row.wen_i.next = self.request.wen_o.val();
        self.row.waddr_i.next = self.request.waddr_o.val();
        self.row.ren_i.next = self.request.ren_o.val();
        self.row.raddr_i.next = self.request.raddr_o.val();
        self.row.meet_i.next = self.request.meet_o.val();
        for i in 0..self._first {
            for b in 0..UB {
                if self._right > 0 {
                    self.row.bit_i[i * self._unit_bits + b].next =
                        self.request.packed_o[i].val().get_bits::<1>(b);
                } else {
                    self.row.bit_i[(self._first - 1 - i) * self._unit_bits + b].next =
                        self.request.packed_o[i].val().get_bits::<1>(b);
                }
            }
        }
        for p in 0..self._units {
            if self._right > 0 {
                self.row.bit_i[self._first * self._unit_bits + p].next =
                    self.request.mask_o[p].val();
                self.read_select.mask_i[p].next =
                    self.row.stored_o[self._first * self._unit_bits + p].val();
                self.restore.mask_i[p].next =
                    self.row.bit_o[self._first * self._unit_bits + p].val();
            } else {
                self.row.bit_i[self._first * self._unit_bits + self._units - 1 - p].next =
                    self.request.mask_o[p].val();
                self.read_select.mask_i[p].next =
                    self.row.stored_o[self._first * self._unit_bits + self._units - 1 - p].val();
                self.restore.mask_i[p].next =
                    self.row.bit_o[self._first * self._unit_bits + self._units - 1 - p].val();
            }
        }
        self.mask_ren_o.next = false;
        self.mask_wen_o.next = false;
        self.slice_ren_o[0].next = self.request.ren_o.val();
        self.slice_wen_o[0].next = self.request.wen_o.val();
        for p in 0..self._first {
            self.lane_wen_o[p].next = self.request.wen_o.val().into();
        }

        comment!("The slices from 1 on that the mask names");
        self.slices.clk.next = self.clk.val();
        self.slices.rst_n.next = self.rst_n.val();
        self.slices.read_i.next = self.row.read_o.val();
        self.slices.raddr_i.next = self.row.raddr_o.val();
        self.slices.meet_i.next = self.row.meet_o.val();
        self.slices.waddr_i.next = self.request.waddr_o.val();
        for k in 1..self._slices {
            self.slices.wen_i[k - 1].next = self.request.wen_o.val() & self.request.need_o[k].val();
            self.slices.named_i[k - 1].next = self.read_select.slice_o[k - 1].val();
            self.slice_ren_o[k].next = self.slices.slice_ren_o[k - 1].val();
            self.slice_wen_o[k].next = self.slices.slice_wen_o[k - 1].val();
        }
        for p in self._first..self._units {
            self.slices.unit_i[p - self._first].next = self.request.packed_o[p].val();
            self.restore.packed_i[p].next = self.slices.unit_o[p - self._first].val();
            self.lane_wen_o[p].next = self.slices.lane_wen_o[p - self._first].val();
        }

        comment!("The units of slice 0 wait for those of the others");
        self.unit_wait.clk.next = self.clk.val();
        self.unit_wait.rst_n.next = self.rst_n.val();
        self.unit_wait.valid_i.next = self.row.read_o.val();
        for i in 0..self._first {
            self.first_unit[i].next = 0.into();
            for b in 0..UB {
                if self._right > 0 {
                    self.first_unit[i].next = self.first_unit[i]
                        .val()
                        .replace_bit(b, self.row.bit_o[i * self._unit_bits + b].val().get_bit(0));
                } else {
                    self.first_unit[i].next = self.first_unit[i].val().replace_bit(
                        b,
                        self.row.bit_o[(self._first - 1 - i) * self._unit_bits + b]
                            .val()
                            .get_bit(0),
                    );
                }
            }
            self.unit_wait.unit_i[i].next = self.first_unit[i].val();
            self.restore.packed_i[i].next = self.unit_wait.unit_o[i].val();
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
    module!(|this| this._shape.meta("sliced_field").hidden(
        "first",
        this._first,
        "units in slice 0"
    ));
}
