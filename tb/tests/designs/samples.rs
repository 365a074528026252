//! Blocks that use every primitive, to test the emitter and the agreement harness with.

use heddle_kernel::prelude::*;

/// One cell: registers its operand and adds a weighted copy to the sum passing through.
///
/// # Timing
/// One cycle from `x_i` to `x_o` and from `sum_i` to `sum_o`.
#[module]
pub struct Cell {
    /// High while `weight_i` is to be stored.
    pub load_i: Signal<In, Bit>,
    /// Weight.
    pub weight_i: Signal<In, Signed<8>>,
    /// Operand from the left.
    pub x_i: Signal<In, Signed<8>>,
    /// Operand to the right.
    pub x_o: Signal<Out, Signed<8>>,
    /// Sum from the left.
    pub sum_i: Signal<In, Signed<24>>,
    /// Sum to the right.
    pub sum_o: Signal<Out, Signed<24>>,
    weight: RegEn<Signed<8>>,
    x: Delay<Signed<8>>,
    sum: Reg<Signed<24>>,
    mul: MulS<8, 8, 16>,
}

impl Logic for Cell {
    #[kernel]
    fn update(&mut self) {
        self.weight.en_i.next = self.load_i.val();
        self.weight.d_i.next = self.weight_i.val();

        self.x.d_i.next = self.x_i.val();
        self.x_o.next = self.x.q_o.val();

        self.mul.a_i.next = self.x_i.val();
        self.mul.b_i.next = self.weight.q_o.val();
        self.sum.d_i.next = self.sum_i.val() + bit_cast_signed::<24, 16>(self.mul.p_o.val());
        self.sum_o.next = self.sum.q_o.val();
    }
    describe!(|_this| Meta::module("sample_cell"));
}

/// A row of cells. Operands and sums move one cell per cycle.
#[module]
pub struct Chain {
    /// Stores the weights.
    pub load_i: Signal<In, Bit>,
    /// One weight per cell.
    pub weight_i: [Signal<In, Signed<8>>; cols],
    /// Operand entering the first cell.
    pub x_i: Signal<In, Signed<8>>,
    /// Operands leaving the cells.
    pub x_o: [Signal<Out, Signed<8>>; cols],
    /// Sum leaving the last cell.
    pub sum_o: Signal<Out, Signed<24>>,
    cell: [Cell; cols],
    x: [Signal<Local, Signed<8>>; cols + 1],
    sum: [Signal<Local, Signed<24>>; cols + 1],
    _cols: usize,
}

impl Logic for Chain {
    #[kernel]
    fn update(&mut self) {
        self.x[0].next = self.x_i.val();
        self.sum[0].next = 0.into();
        for i in 0..self._cols {
            self.cell[i].load_i.next = self.load_i.val();
            self.cell[i].weight_i.next = self.weight_i[i].val();
            self.cell[i].x_i.next = self.x[i].val();
            self.cell[i].sum_i.next = self.sum[i].val();
            self.x[i + 1].next = self.cell[i].x_o.val();
            self.x_o[i].next = self.cell[i].x_o.val();
            self.sum[i + 1].next = self.cell[i].sum_o.val();
        }
        self.sum_o.next = self.sum[self._cols].val();
    }
    describe!(|this| Meta::module("sample_chain").param("cols", "c", this._cols, "cells"));
}

/// A memory with an exclusive-or over the word read last.
///
/// # Timing
/// One cycle from `ren_i` to `rdata_o`, which then holds.
#[module(no_reset)]
pub struct Memory {
    /// Write enable.
    pub wen_i: Signal<In, Bit>,
    /// Write address in words.
    pub waddr_i: Signal<In, Bits<16>>,
    /// Word to write, one byte per element.
    pub wdata_i: [Signal<In, Bits<8>>; elems],
    /// Read enable.
    pub ren_i: Signal<In, Bit>,
    /// Read address in words.
    pub raddr_i: Signal<In, Bits<16>>,
    /// Word read last.
    pub rdata_o: [Signal<Out, Bits<8>>; elems],
    /// Exclusive-or of the bytes of the word read last.
    pub check_o: Signal<Out, Bits<8>>,
    #[new(Ram1r1w::new(elems, depth))]
    ram: Ram1r1w<16, 8>,
    _elems: usize,
    #[argument]
    _depth: usize,
}

impl Logic for Memory {
    #[kernel]
    fn update(&mut self) {
        self.ram.wen_i.next = self.wen_i.val();
        self.ram.waddr_i.next = self.waddr_i.val();
        self.ram.ren_i.next = self.ren_i.val();
        self.ram.raddr_i.next = self.raddr_i.val();
        self.check_o.next = 0.into();
        for i in 0..self._elems {
            self.ram.wdata_i[i].next = self.wdata_i[i].val();
            self.rdata_o[i].next = self.ram.rdata_o[i].val();
            self.check_o.next = self.check_o.val() ^ self.ram.rdata_o[i].val();
        }
    }
    describe!(|this| Meta::module("sample_memory").param("elems", "e", this._elems, "bytes"));
}

/// What the shifter does.
#[derive(LogicState, Copy, Clone, PartialEq, Debug)]
pub enum Mode {
    /// Waits for an operand.
    Idle,
    /// Shifts one place per cycle.
    Shift,
    /// Shows the result for one cycle.
    Done,
}

/// Shifts a signed operand right by a number of places, once at a time and all at once.
///
/// # Timing
/// `done_o` is high for one cycle, `places_i` + 2 cycles after `start_i`.
#[module]
pub struct Shifter {
    /// Takes the operand, if idle.
    pub start_i: Signal<In, Bit>,
    /// Operand.
    pub x_i: Signal<In, Signed<32>>,
    /// Places to shift by.
    pub places_i: Signal<In, Bits<5>>,
    /// Operand shifted at once.
    pub direct_o: Signal<Out, Signed<32>>,
    /// Operand shifted step by step.
    pub y_o: Signal<Out, Signed<32>>,
    /// High for one cycle when `y_o` is final.
    pub done_o: Signal<Out, Bit>,
    /// High if the operand is less than -1000.
    pub low_o: Signal<Out, Bit>,
    mode: Reg<Mode>,
    y: RegData<Signed<32>>,
    left: RegData<Bits<5>>,
    bound: Signal<Local, Signed<32>>,
}

// A kernel has no match guards.
#[allow(clippy::collapsible_match)]
impl Logic for Shifter {
    #[kernel]
    fn update(&mut self) {
        self.direct_o.next = signed_cast_arith(self.x_i.val()) >> self.places_i.val();
        self.bound.next = (-1000).into();
        self.low_o.next = self.x_i.val() < self.bound.val();

        self.mode.d_i.next = self.mode.q_o.val();
        self.y.en_i.next = false;
        self.y.d_i.next = self.x_i.val();
        self.left.en_i.next = false;
        self.left.d_i.next = self.places_i.val();
        self.done_o.next = false;
        match self.mode.q_o.val() {
            Mode::Idle => {
                if self.start_i.val() {
                    self.y.en_i.next = true;
                    self.left.en_i.next = true;
                    self.mode.d_i.next = Mode::Shift;
                }
            }
            Mode::Shift => {
                self.y.d_i.next = signed_cast_arith(self.y.q_o.val()) >> 1;
                self.left.d_i.next = self.left.q_o.val() - 1;
                if self.left.q_o.val() == 0 {
                    self.mode.d_i.next = Mode::Done;
                } else {
                    self.y.en_i.next = true;
                    self.left.en_i.next = true;
                }
            }
            Mode::Done => {
                self.done_o.next = true;
                self.mode.d_i.next = Mode::Idle;
            }
            _ => {}
        }
        self.y_o.next = self.y.q_o.val();
    }
    describe!(|_this| Meta::module("sample_shifter"));
}
