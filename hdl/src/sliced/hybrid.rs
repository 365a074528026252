//! The sliced memory whose slice 0 holds masks or raw units.

use super::shape::WA;
use super::{DataSlices, MaskPlace, Packed, Reply, Restore, Row, SlicedShape, Wait};
use crate::prelude::*;

/// Sparse-aware memory without a place for masks. A word whose non-zero units fit in slice 0 behind
/// their own mask is stored there, with a flag; any other word is stored as it is, in all
/// slices. Every request accesses slice 0, a raw row the others too.
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
pub struct SlicedHybrid<const UB: usize> {
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
    unit_wait: Wait<UB>,
    flag_wait: Wait<1>,

    write_raw: Signal<Local, Bit>,
    /// Slice 0 of the word to write, unit by unit.
    write_bit: Vec<Signal<Local, Bits<1>>>,
    /// Slice 0 of the word read, unit by unit.
    read_bit: Vec<Signal<Local, Bits<1>>>,
    /// The word read, if its row is raw.
    raw: Vec<Signal<Local, Bits<UB>>>,
    /// Slice 0 of the word read.
    first_unit: Vec<Signal<Local, Bits<UB>>>,
    _shape: SlicedShape,
    _units: usize,
    _slices: usize,
    _first: usize,
    _right: usize,
    _unit_bits: usize,
    _mask_units: usize,
}

impl<const UB: usize> SlicedHybrid<UB> {
    /// A memory of this shape.
    ///
    /// # Panics
    /// If the shape is not allowed, or has other units or another place for the mask.
    pub fn new(shape: SlicedShape) -> Self {
        shape.check();
        assert_eq!((UB, shape.mask), (shape.unit_bits, MaskPlace::Hybrid));
        let (units, slices) = (shape.units, shape.slices());
        let first = shape.widths[0];
        let bits = 1 + first * UB;
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
            unit_wait: Wait::new(first, shape.mask_to_data()),
            flag_wait: Wait::new(1, shape.mask_to_data()),
            write_raw: Default::default(),
            write_bit: v(first * UB),
            read_bit: v(first * UB),
            raw: v(units),
            _mask_units: shape.mask_units(),
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

impl<const UB: usize> Logic for SlicedHybrid<UB> {
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

        comment!("Words that do not fit stay raw");
        self.write_raw.next = self.request.need_o[1].val();
        for i in 0..self._first {
            for b in 0..UB {
                if i < self._mask_units {
                    if i * self._unit_bits + self._unit_bits - 1 - b < self._units {
                        self.write_bit[i * self._unit_bits + b].next = self.request.mask_o
                            [i * self._unit_bits + self._unit_bits - 1 - b]
                            .val();
                    } else {
                        self.write_bit[i * self._unit_bits + b].next = 0.into();
                    }
                } else {
                    self.write_bit[i * self._unit_bits + b].next = self.request.packed_o
                        [i - self._mask_units]
                        .val()
                        .get_bits::<1>(b);
                }
                if self.write_raw.val() {
                    self.write_bit[i * self._unit_bits + b].next =
                        self.request.word_o[i].val().get_bits::<1>(b);
                }
            }
        }

        comment!("Slice 0 and its flag, in one row");
        self.row.clk.next = self.clk.val();
        self.row.rst_n.next = self.rst_n.val();
        self.row.wen_i.next = self.request.wen_o.val();
        self.row.waddr_i.next = self.request.waddr_o.val();
        self.row.ren_i.next = self.request.ren_o.val();
        self.row.raddr_i.next = self.request.raddr_o.val();
        self.row.meet_i.next = self.request.meet_o.val();
        self.row.bit_i[self._first * self._unit_bits].next = (!self.write_raw.val()).into();
        for i in 0..self._first {
            for b in 0..UB {
                if self._right > 0 {
                    self.row.bit_i[i * self._unit_bits + b].next =
                        self.write_bit[i * self._unit_bits + b].val();
                    self.read_bit[i * self._unit_bits + b].next =
                        self.row.bit_o[i * self._unit_bits + b].val();
                } else {
                    self.row.bit_i[(self._first - 1 - i) * self._unit_bits + b].next =
                        self.write_bit[i * self._unit_bits + b].val();
                    self.read_bit[i * self._unit_bits + b].next =
                        self.row.bit_o[(self._first - 1 - i) * self._unit_bits + b].val();
                }
            }
        }
        for i in 0..self._mask_units {
            for b in 0..UB {
                if i * self._unit_bits + b < self._units {
                    self.restore.mask_i[i * self._unit_bits + b].next =
                        self.read_bit[i * self._unit_bits + self._unit_bits - 1 - b].val();
                }
            }
        }
        self.mask_ren_o.next = false;
        self.mask_wen_o.next = false;
        self.slice_ren_o[0].next = self.request.ren_o.val();
        self.slice_wen_o[0].next = self.request.wen_o.val();
        for p in 0..self._first {
            self.lane_wen_o[p].next = self.request.wen_o.val().into();
        }

        comment!("The slices from 1 on, if the row is raw");
        self.slices.clk.next = self.clk.val();
        self.slices.rst_n.next = self.rst_n.val();
        self.slices.read_i.next = self.row.read_o.val();
        self.slices.raddr_i.next = self.row.raddr_o.val();
        self.slices.meet_i.next = self.row.meet_o.val();
        self.slices.waddr_i.next = self.request.waddr_o.val();
        for k in 1..self._slices {
            self.slices.wen_i[k - 1].next = self.request.wen_o.val() & self.write_raw.val();
            self.slices.named_i[k - 1].next = !self.row.stored_o[self._first * self._unit_bits]
                .val()
                .get_bit(0);
            self.slice_ren_o[k].next = self.slices.slice_ren_o[k - 1].val();
            self.slice_wen_o[k].next = self.slices.slice_wen_o[k - 1].val();
        }
        for p in self._first..self._units {
            self.slices.unit_i[p - self._first].next = self.request.word_o[p].val();
            self.raw[p].next = self.slices.unit_o[p - self._first].val();
            self.lane_wen_o[p].next = self.slices.lane_wen_o[p - self._first].val();
        }

        comment!("The units of slice 0 wait for those of the others");
        self.unit_wait.clk.next = self.clk.val();
        self.unit_wait.rst_n.next = self.rst_n.val();
        self.unit_wait.valid_i.next = self.row.read_o.val();
        self.flag_wait.clk.next = self.clk.val();
        self.flag_wait.rst_n.next = self.rst_n.val();
        self.flag_wait.valid_i.next = self.row.read_o.val();
        self.flag_wait.unit_i[0].next = self.row.bit_o[self._first * self._unit_bits].val();
        for i in 0..self._first {
            self.first_unit[i].next = 0.into();
            for b in 0..UB {
                self.first_unit[i].next = self.first_unit[i]
                    .val()
                    .replace_bit(b, self.read_bit[i * self._unit_bits + b].val().get_bit(0));
            }
            self.unit_wait.unit_i[i].next = self.first_unit[i].val();
            self.raw[i].next = self.unit_wait.unit_o[i].val();
        }
        for p in 0..self._units {
            self.restore.packed_i[p].next = 0.into();
            if p + self._mask_units < self._first {
                self.restore.packed_i[p].next = self.unit_wait.unit_o[p + self._mask_units].val();
            }
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
            self.reply.word_i[k].next = self.raw[k].val();
            self.reply.mask_i[k].next = self.raw[k].val().any().into();
            if self.flag_wait.unit_o[0].val().get_bit(0) {
                self.reply.word_i[k].next = self.restore.word_o[k].val();
                self.reply.mask_i[k].next = self.restore.mask_o[k].val();
            }
            self.rdata_o[k].next = self.reply.rdata_o[k].val();
            self.rmask_o[k].next = self.reply.rmask_o[k].val();
        }
    }
    module!(|this| this
        ._shape
        .meta("sliced_hybrid")
        .hidden("first", this._first, "units in slice 0")
        .hidden(
            "mask_units",
            this._mask_units,
            "units of slice 0 that hold a mask"
        ));
}
