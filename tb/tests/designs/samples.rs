//! Blocks that use every primitive, to test the emitter and the agreement harness with.

use heddle_kernel::prelude::*;

/// One cell: registers its operand and adds a weighted copy to the sum passing through.
///
/// # Timing
/// One cycle from `x_i` to `x_o` and from `sum_i` to `sum_o`.
#[module(name = "sample_cell")]
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

#[kernel]
impl Cell {
    fn update(&mut self) {
        self.weight.en_i = self.load_i;
        self.weight = self.weight_i;

        self.x = self.x_i;
        self.x_o = self.x;

        self.mul.a_i = self.x_i;
        self.mul.b_i = self.weight;
        self.sum = self.sum_i + bit_cast_signed::<24, 16>(self.mul.p_o);
        self.sum_o = self.sum;
    }
}

/// A row of cells. Operands and sums move one cell per cycle.
#[module(name = "sample_chain")]
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
    /// Cells.
    _cols: Param<'c'>,
}

#[kernel]
impl Chain {
    fn update(&mut self) {
        self.x[0] = self.x_i;
        self.sum[0] = 0.into();
        for i in 0..self._cols {
            self.cell[i].load_i = self.load_i;
            self.cell[i].weight_i = self.weight_i[i];
            self.cell[i].x_i = self.x[i];
            self.cell[i].sum_i = self.sum[i];
            self.x[i + 1] = self.cell[i].x_o;
            self.x_o[i] = self.cell[i].x_o;
            self.sum[i + 1] = self.cell[i].sum_o;
        }
        self.sum_o = self.sum[self._cols];
    }
}

/// A memory with an exclusive-or over the word read last.
///
/// # Timing
/// One cycle from `ren_i` to `rdata_o`, which then holds.
#[module(name = "sample_memory", no_reset)]
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
    /// Bytes.
    _elems: Param<'e'>,
    #[argument]
    _depth: usize,
}

#[kernel]
impl Memory {
    fn update(&mut self) {
        self.ram.wen_i = self.wen_i;
        self.ram.waddr_i = self.waddr_i;
        self.ram.ren_i = self.ren_i;
        self.ram.raddr_i = self.raddr_i;
        self.check_o = 0.into();
        for i in 0..self._elems {
            self.ram.wdata_i[i] = self.wdata_i[i];
            self.rdata_o[i] = self.ram.rdata_o[i];
            self.check_o = self.check_o ^ self.ram.rdata_o[i];
        }
    }
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
#[module(name = "sample_shifter")]
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
#[kernel]
impl Shifter {
    fn update(&mut self) {
        self.direct_o = signed_cast_arith(self.x_i) >> self.places_i;
        self.bound = (-1000).into();
        self.low_o = self.x_i < self.bound;

        self.mode = self.mode;
        self.y.en_i = false;
        self.y = self.x_i;
        self.left.en_i = false;
        self.left = self.places_i;
        self.done_o = false;
        match self.mode {
            Mode::Idle => {
                if self.start_i {
                    self.y.en_i = true;
                    self.left.en_i = true;
                    self.mode = Mode::Shift;
                }
            }
            Mode::Shift => {
                self.y = signed_cast_arith(self.y) >> 1;
                self.left = self.left - 1;
                if self.left == 0 {
                    self.mode = Mode::Done;
                } else {
                    self.y.en_i = true;
                    self.left.en_i = true;
                }
            }
            Mode::Done => {
                self.done_o = true;
                self.mode = Mode::Idle;
            }
            _ => {}
        }
        self.y_o = self.y;
    }
}
