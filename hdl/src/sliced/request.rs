//! Requests on their way in.

use super::SlicedShape;
use super::shape::WA;
use crate::prelude::*;

/// Takes a write and a read, puts the units of the word to write in the order of packing, finds
/// those that are not zero, and sees when both are for the same word.
///
/// # Timing
/// Combinational, or one register behind all inputs.
#[derive(LogicBlock)]
pub struct Request<const UB: usize> {
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
    /// Its units by position.
    pub word_o: Vec<Signal<Out, Bits<UB>>>,
    /// One bit per position: the unit is not zero.
    pub mask_o: Vec<Signal<Out, Bits<1>>>,
    /// A word is read.
    pub ren_o: Signal<Out, Bit>,
    /// Its address.
    pub raddr_o: Signal<Out, Bits<WA>>,
    /// The word that is written is read.
    pub meet_o: Signal<Out, Bit>,

    wen: Vec<Reg<Bit>>,
    waddr: Vec<RegData<Bits<WA>>>,
    wdata: Vec<RegData<Bits<UB>>>,
    ren: Vec<Reg<Bit>>,
    raddr: Vec<RegData<Bits<WA>>>,
    write: Signal<Local, Bit>,
    write_address: Signal<Local, Bits<WA>>,
    /// Word to write, unit 0 first.
    unit: Vec<Signal<Local, Bits<UB>>>,
    read: Signal<Local, Bit>,
    read_address: Signal<Local, Bits<WA>>,
    _units: usize,
    _right: usize,
    _stages: usize,
    _address: u64,
}

impl<const UB: usize> Request<UB> {
    /// The way into a memory of this shape, with 0 or 1 registers behind the inputs.
    pub fn new(shape: &SlicedShape, stages: usize) -> Self {
        let units = shape.units;
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
            word_o: v(units),
            mask_o: v(units),
            ren_o: Default::default(),
            raddr_o: Default::default(),
            meet_o: Default::default(),
            wen: v(stages),
            waddr: v(stages),
            wdata: v(stages * units),
            ren: v(stages),
            raddr: v(stages),
            write: Default::default(),
            write_address: Default::default(),
            unit: v(units),
            read: Default::default(),
            read_address: Default::default(),
            _units: units,
            _right: shape.right.into(),
            _stages: stages,
            _address: (1 << address_bits(shape.words)) - 1,
        }
    }
}

impl<const UB: usize> Logic for Request<UB> {
    #[hdl_gen]
    fn update(&mut self) {
        if self._stages > 0 {
            self.wen[0].clk.next = self.clk.val();
            self.wen[0].rst_n.next = self.rst_n.val();
            self.wen[0].d_i.next = self.wen_i.val();
            self.waddr[0].clk.next = self.clk.val();
            self.waddr[0].en_i.next = self.wen_i.val();
            self.waddr[0].d_i.next = self.waddr_i.val();
            self.ren[0].clk.next = self.clk.val();
            self.ren[0].rst_n.next = self.rst_n.val();
            self.ren[0].d_i.next = self.ren_i.val();
            self.raddr[0].clk.next = self.clk.val();
            self.raddr[0].en_i.next = self.ren_i.val();
            self.raddr[0].d_i.next = self.raddr_i.val();
            self.write.next = self.wen[0].q_o.val();
            self.write_address.next = self.waddr[0].q_o.val();
            self.read.next = self.ren[0].q_o.val();
            self.read_address.next = self.raddr[0].q_o.val();
            for k in 0..self._units {
                self.wdata[k].clk.next = self.clk.val();
                self.wdata[k].en_i.next = self.wen_i.val();
                self.wdata[k].d_i.next = self.wdata_i[k].val();
                self.unit[k].next = self.wdata[k].q_o.val();
            }
        } else {
            self.write.next = self.wen_i.val();
            self.write_address.next = self.waddr_i.val();
            self.read.next = self.ren_i.val();
            self.read_address.next = self.raddr_i.val();
            for k in 0..self._units {
                self.unit[k].next = self.wdata_i[k].val();
            }
        }

        self.wen_o.next = self.write.val();
        self.waddr_o.next = self.write_address.val();
        self.ren_o.next = self.read.val();
        self.raddr_o.next = self.read_address.val();
        self.meet_o.next = self.write.val()
            & self.read.val()
            & ((self.write_address.val() & self._address)
                == (self.read_address.val() & self._address));
        for p in 0..self._units {
            if self._right > 0 {
                self.word_o[p].next = self.unit[p].val();
                self.mask_o[p].next = self.unit[p].val().any().into();
            } else {
                self.word_o[p].next = self.unit[self._units - 1 - p].val();
                self.mask_o[p].next = self.unit[self._units - 1 - p].val().any().into();
            }
        }
    }
    module!(|this| Meta::module("sliced_request")
        .param("units", "w", this._units, "units in a word")
        .hidden("unit_bits", UB, "bits of a unit")
        .param(
            "depth",
            "d",
            this._address as usize + 1,
            "words that an address can reach"
        )
        .hidden(
            "address",
            this._address as usize,
            "bits of an address that count"
        )
        .option(
            "right",
            "r",
            this._right,
            "1: position 0 is unit 0, not the last one"
        )
        .option("stages", "s", this._stages, "registers behind the inputs"));
}
