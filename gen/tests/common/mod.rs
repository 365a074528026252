//! Small blocks that between them use everything a kernel may contain.

// Every test file uses some of them.
#![allow(dead_code)]

use heddle_gen::{Design, EmitOptions, emit};
use heddle_hdl::prelude::*;

/// Prints a block with fixed options.
pub fn print(block: &dyn Block) -> Design {
    emit(block, &options()).expect("the block is legal")
}

/// Fixed options, so that golden files never change by themselves.
pub fn options() -> EmitOptions {
    EmitOptions {
        configuration: "test".into(),
        version: "0.0.0".into(),
        ..EmitOptions::default()
    }
}

/// One processing cell: stores a weight, adds operand times weight to a passing sum.
///
/// # Timing
/// One cycle from `x_i` to `x_o` and from `sum_i` to `sum_o`.
#[derive(LogicBlock, Default)]
pub struct Cell {
    /// Clock.
    pub clk: Signal<In, Clock>,
    /// Reset, active low.
    pub rst_n: Signal<In, Bit>,
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
    /// Stored weight.
    weight: RegEn<Signed<8>>,
    x: Delay<Signed<8>>,
    sum: Reg<Signed<24>>,
    mul: MulS<8, 8, 16>,
}

impl Logic for Cell {
    #[hdl_gen]
    fn update(&mut self) {
        self.weight.clk.next = self.clk.val();
        self.weight.rst_n.next = self.rst_n.val();
        self.weight.en_i.next = self.load_i.val();
        self.weight.d_i.next = self.weight_i.val();

        self.x.clk.next = self.clk.val();
        self.x.d_i.next = self.x_i.val();
        self.x_o.next = self.x.q_o.val();

        self.mul.a_i.next = self.x_i.val();
        self.mul.b_i.next = self.weight.q_o.val();
        self.sum.clk.next = self.clk.val();
        self.sum.rst_n.next = self.rst_n.val();
        self.sum.d_i.next = self.sum_i.val() + bit_cast_signed::<24, 16>(self.mul.p_o.val());
        self.sum_o.next = self.sum.q_o.val();
    }
    module!(|_this| Meta::module("cell"));
}

/// A row of cells. Operands and sums move one cell per cycle.
#[derive(LogicBlock)]
pub struct Row {
    /// Clock.
    pub clk: Signal<In, Clock>,
    /// Reset, active low.
    pub rst_n: Signal<In, Bit>,
    /// Stores the weights.
    pub load_i: Signal<In, Bit>,
    /// One weight per cell.
    pub weight_i: Vec<Signal<In, Signed<8>>>,
    /// Operand entering the first cell.
    pub x_i: Signal<In, Signed<8>>,
    /// Sum leaving the last cell.
    pub sum_o: Signal<Out, Signed<24>>,
    cell: Vec<Cell>,
    x: Vec<Signal<Local, Signed<8>>>,
    sum: Vec<Signal<Local, Signed<24>>>,
    _cols: usize,
}

impl Row {
    /// A row of `cols` cells.
    pub fn new(cols: usize) -> Self {
        Self {
            clk: Default::default(),
            rst_n: Default::default(),
            load_i: Default::default(),
            weight_i: v(cols),
            x_i: Default::default(),
            sum_o: Default::default(),
            cell: v(cols),
            x: v(cols + 1),
            sum: v(cols + 1),
            _cols: cols,
        }
    }
}

impl Logic for Row {
    #[hdl_gen]
    fn update(&mut self) {
        self.x[0].next = self.x_i.val();
        self.sum[0].next = 0.into();
        for i in 0..self._cols {
            self.cell[i].clk.next = self.clk.val();
            self.cell[i].rst_n.next = self.rst_n.val();
            self.cell[i].load_i.next = self.load_i.val();
            self.cell[i].weight_i.next = self.weight_i[i].val();
            self.cell[i].x_i.next = self.x[i].val();
            self.cell[i].sum_i.next = self.sum[i].val();
            self.x[i + 1].next = self.cell[i].x_o.val();
            self.sum[i + 1].next = self.cell[i].sum_o.val();
        }
        self.sum_o.next = self.sum[self._cols].val();
    }
    module!(|this| Meta::module("row").param("cols", "c", this._cols, "cells"));
}

/// A grid of cells: weights enter by row and column, sums leave by row.
#[derive(LogicBlock)]
pub struct Grid {
    /// Clock.
    pub clk: Signal<In, Clock>,
    /// Reset, active low.
    pub rst_n: Signal<In, Bit>,
    /// Stores the weights of a row.
    pub load_i: Vec<Signal<In, Bit>>,
    /// Weights by row and column.
    pub weight_i: Vec<Vec<Signal<In, Signed<8>>>>,
    /// Operands by row.
    pub x_i: Vec<Signal<In, Signed<8>>>,
    /// Sums by row.
    pub sum_o: Vec<Signal<Out, Signed<24>>>,
    cell: Vec<Vec<Cell>>,
    x: Vec<Vec<Signal<Local, Signed<8>>>>,
    sum: Vec<Vec<Signal<Local, Signed<24>>>>,
    _rows: usize,
    _cols: usize,
}

impl Grid {
    /// A grid of `rows` by `cols` cells.
    pub fn new(rows: usize, cols: usize) -> Self {
        Self {
            clk: Default::default(),
            rst_n: Default::default(),
            load_i: v(rows),
            weight_i: (0..rows).map(|_| v(cols)).collect(),
            x_i: v(rows),
            sum_o: v(rows),
            cell: (0..rows).map(|_| v(cols)).collect(),
            x: (0..rows).map(|_| v(cols + 1)).collect(),
            sum: (0..rows).map(|_| v(cols + 1)).collect(),
            _rows: rows,
            _cols: cols,
        }
    }
}

impl Logic for Grid {
    #[hdl_gen]
    fn update(&mut self) {
        for r in 0..self._rows {
            self.x[r][0].next = self.x_i[r].val();
            self.sum[r][0].next = 0.into();
            for c in 0..self._cols {
                self.cell[r][c].clk.next = self.clk.val();
                self.cell[r][c].rst_n.next = self.rst_n.val();
                self.cell[r][c].load_i.next = self.load_i[r].val();
                self.cell[r][c].weight_i.next = self.weight_i[r][c].val();
                self.cell[r][c].x_i.next = self.x[r][c].val();
                self.cell[r][c].sum_i.next = self.sum[r][c].val();
                self.x[r][c + 1].next = self.cell[r][c].x_o.val();
                self.sum[r][c + 1].next = self.cell[r][c].sum_o.val();
            }
            self.sum_o[r].next = self.sum[r][self._cols].val();
        }
    }
    module!(|this| Meta::module("grid")
        .param("rows", "r", this._rows, "rows of cells")
        .param("cols", "c", this._cols, "cells of a row"));
}

/// What the controller is doing.
#[derive(Copy, Clone, Debug, PartialEq, LogicState)]
pub enum State {
    /// Nothing.
    Idle,
    /// Counting.
    Run,
    /// Waiting for the consumer.
    Done,
}

/// Counts up to a limit after a start, then waits for an acknowledgement.
#[derive(LogicBlock, Default)]
pub struct Machine {
    /// Clock.
    pub clk: Signal<In, Clock>,
    /// Reset, active low.
    pub rst_n: Signal<In, Bit>,
    /// Begins a run; ignored while one is under way.
    pub start_i: Signal<In, Bit>,
    /// Number of steps of a run.
    pub limit_i: Signal<In, Bits<6>>,
    /// Takes the result.
    pub ack_i: Signal<In, Bit>,
    /// A run is under way.
    pub busy_o: Signal<Out, Bit>,
    /// The run has ended.
    pub done_o: Signal<Out, Bit>,
    /// Steps so far.
    pub count_o: Signal<Out, Bits<6>>,
    /// Phase of the run.
    state: Reg<State>,
    /// Steps so far.
    count: Reg<Bits<6>>,
}

impl Logic for Machine {
    #[hdl_gen]
    fn update(&mut self) {
        self.state.clk.next = self.clk.val();
        self.state.rst_n.next = self.rst_n.val();
        self.count.clk.next = self.clk.val();
        self.count.rst_n.next = self.rst_n.val();
        self.state.d_i.next = self.state.q_o.val();
        self.count.d_i.next = self.count.q_o.val();
        self.busy_o.next = true;
        self.done_o.next = false;
        match self.state.q_o.val() {
            State::Idle => {
                self.busy_o.next = false;
                if self.start_i.val() {
                    self.state.d_i.next = State::Run;
                    self.count.d_i.next = 0.into();
                }
            }
            State::Run => {
                if self.count.q_o.val() == self.limit_i.val() {
                    self.state.d_i.next = State::Done;
                } else {
                    self.count.d_i.next = self.count.q_o.val() + 1;
                }
            }
            State::Done => {
                self.done_o.next = true;
                if self.ack_i.val() {
                    self.state.d_i.next = State::Idle;
                }
            }
        }
        self.count_o.next = self.count.q_o.val();
    }
    module!(|_this| Meta::module("machine"));
}

/// A command of two fields.
#[derive(Copy, Clone, Debug, Default, PartialEq, LogicStruct)]
pub struct Command {
    op: Bits<4>,
    addr: Bits<12>,
}

/// Every kind of operator.
#[derive(LogicBlock)]
pub struct Operators {
    /// Operand.
    pub a_i: Signal<In, Bits<8>>,
    /// Operand.
    pub b_i: Signal<In, Bits<8>>,
    /// Signed operand.
    pub s_i: Signal<In, Signed<8>>,
    /// Wide signed operand.
    pub w_i: Signal<In, Signed<32>>,
    /// Shift amount.
    pub n_i: Signal<In, Bits<6>>,
    /// Selector.
    pub sel_i: Signal<In, Bits<3>>,
    /// Elements to choose from.
    pub x_i: Vec<Signal<In, Bits<8>>>,
    /// Fields.
    pub cmd_i: Signal<In, Command>,
    /// Sum without its carry.
    pub sum_o: Signal<Out, Bits<8>>,
    /// The carry.
    pub carry_o: Signal<Out, Bit>,
    /// Unsigned comparison.
    pub less_o: Signal<Out, Bit>,
    /// Signed comparison.
    pub less_s_o: Signal<Out, Bit>,
    /// Comparison with a wrapped sum.
    pub wrap_o: Signal<Out, Bit>,
    /// Sign-extended operand.
    pub ext_o: Signal<Out, Signed<16>>,
    /// Arithmetic right shift.
    pub sar_o: Signal<Out, Signed<32>>,
    /// Arithmetic right shift plus one.
    pub sar1_o: Signal<Out, Signed<32>>,
    /// Left shift.
    pub shl_o: Signal<Out, Signed<32>>,
    /// Logical right shift.
    pub shr_o: Signal<Out, Bits<8>>,
    /// Shift by a constant.
    pub shr3_o: Signal<Out, Bits<8>>,
    /// Selected element.
    pub mux_o: Signal<Out, Bits<8>>,
    /// Selected bit.
    pub bit_o: Signal<Out, Bit>,
    /// Bit chosen by a number that may be too large.
    pub far_o: Signal<Out, Bit>,
    /// All elements joined, element 7 in the low byte.
    pub join_o: Signal<Out, Bits<64>>,
    /// The middle of a sum.
    pub mid_o: Signal<Out, Bits<4>>,
    /// Address of the command.
    pub addr_o: Signal<Out, Bits<12>>,
    /// Command with its address incremented.
    pub cmd_o: Signal<Out, Command>,
    /// Bit reversal.
    pub rev_o: Signal<Out, Bits<8>>,
    /// Reductions: all, any, odd.
    pub red_o: Vec<Signal<Out, Bit>>,
    /// Number of ones.
    pub ones_o: Signal<Out, Bits<4>>,
    /// Element by element.
    pub and_o: Vec<Signal<Out, Bits<8>>>,
    /// One bit high.
    pub hot_o: Vec<Signal<Out, Bit>>,
    /// Largest element.
    pub max_o: Signal<Out, Bits<8>>,
    /// Product.
    pub mul_o: Signal<Out, Signed<40>>,
    /// Constant.
    pub k_o: Signal<Out, Bits<8>>,
    acc: Signal<Local, Bits<64>>,
    max: Signal<Local, Bits<8>>,
    ones: Signal<Local, Bits<4>>,
    magic: Constant<Bits<8>>,
    mul: MulS<32, 8, 40>,
}

impl Default for Operators {
    fn default() -> Self {
        Self {
            a_i: Default::default(),
            b_i: Default::default(),
            s_i: Default::default(),
            w_i: Default::default(),
            n_i: Default::default(),
            sel_i: Default::default(),
            x_i: v(8),
            cmd_i: Default::default(),
            sum_o: Default::default(),
            carry_o: Default::default(),
            less_o: Default::default(),
            less_s_o: Default::default(),
            wrap_o: Default::default(),
            ext_o: Default::default(),
            sar_o: Default::default(),
            sar1_o: Default::default(),
            shl_o: Default::default(),
            shr_o: Default::default(),
            shr3_o: Default::default(),
            mux_o: Default::default(),
            bit_o: Default::default(),
            far_o: Default::default(),
            join_o: Default::default(),
            mid_o: Default::default(),
            addr_o: Default::default(),
            cmd_o: Default::default(),
            rev_o: Default::default(),
            red_o: v(3),
            ones_o: Default::default(),
            and_o: v(8),
            hot_o: v(8),
            max_o: Default::default(),
            mul_o: Default::default(),
            k_o: Default::default(),
            acc: Default::default(),
            max: Default::default(),
            ones: Default::default(),
            magic: Constant::new(0xa5.into()),
            mul: Default::default(),
        }
    }
}

impl Logic for Operators {
    #[hdl_gen]
    fn update(&mut self) {
        self.sum_o.next = self.a_i.val() + self.b_i.val();
        self.carry_o.next =
            (bit_cast::<9, 8>(self.a_i.val()) + bit_cast::<9, 8>(self.b_i.val())).get_bit(8);
        self.less_o.next = self.a_i.val() < self.b_i.val();
        self.less_s_o.next =
            self.s_i.val() < signed_cast(self.a_i.val()) && self.s_i.val() >= (-3).into();
        self.wrap_o.next = (self.a_i.val() + 1) < self.b_i.val();
        self.ext_o.next = bit_cast_signed::<16, 8>(self.s_i.val());
        self.sar_o.next = signed_cast_arith(self.w_i.val()) >> self.n_i.val();
        self.sar1_o.next = (signed_cast_arith(self.w_i.val()) >> self.n_i.val())
            + signed_cast_to::<32, 8>(self.s_i.val());
        self.shl_o.next = signed_cast(unsigned_cast(self.w_i.val()) << self.n_i.val());
        self.shr_o.next = self.a_i.val() >> self.sel_i.val();
        self.shr3_o.next = self.a_i.val() >> 3;
        self.mux_o.next = 0.into();
        for i in 0..8 {
            if self.sel_i.val() == i.to_bits::<3>() {
                self.mux_o.next = self.x_i[i].val();
            }
        }
        self.bit_o.next = self.a_i.val().get_bit(self.sel_i.val().index());
        self.far_o.next = self.a_i.val().get_bit(self.n_i.val().index());
        self.acc.next = 0.into();
        for i in 0..8 {
            self.acc.next = (self.acc.val() << 8) | self.x_i[i].val().get_bits::<64>(0);
        }
        self.join_o.next = self.acc.val();
        self.mid_o.next = (self.a_i.val() + self.b_i.val()).get_bits::<4>(2);
        self.addr_o.next = self.cmd_i.val().addr;
        self.cmd_o.next.op = self.cmd_i.val().op;
        self.cmd_o.next.addr = self.cmd_i.val().addr + 1;
        self.rev_o.next = 0.into();
        for i in 0..8 {
            self.rev_o.next = self
                .rev_o
                .val()
                .replace_bit(i, self.a_i.val().get_bit(7 - i));
        }
        self.red_o[0].next = self.a_i.val().all();
        self.red_o[1].next = self.a_i.val().any();
        self.red_o[2].next = !self.a_i.val().xor();
        self.ones.next = 0.into();
        for i in 0..8 {
            if self.a_i.val().get_bit(i) {
                self.ones.next = self.ones.val() + 1;
            }
        }
        self.ones_o.next = self.ones.val();
        for i in 0..8 {
            if i == 0 {
                self.and_o[i].next = self.x_i[i].val() & !self.a_i.val();
            } else {
                self.and_o[i].next = self.x_i[i].val() & self.x_i[i - 1].val();
            }
        }
        for i in 0..8 {
            self.hot_o[i].next = self.sel_i.val() == i.to_bits::<3>();
        }
        self.max.next = self.x_i[0].val();
        for i in 1..8 {
            if self.x_i[i].val() > self.max.val() {
                self.max.next = self.x_i[i].val();
            }
        }
        self.max_o.next = self.max.val();
        self.mul.a_i.next = self.w_i.val();
        self.mul.b_i.next = self.s_i.val();
        self.mul_o.next = self.mul.p_o.val();
        self.k_o.next = self.magic.val() ^ self.a_i.val();
    }
    module!(|_this| Meta::module("operators"));
}

/// Single-clock FIFO with a ready/valid handshake on both sides.
///
/// # Timing
/// 2 cycles from push to pop. Reset clears the pointers, not the stored data.
#[derive(LogicBlock)]
pub struct Fifo {
    /// Clock.
    pub clk: Signal<In, Clock>,
    /// Reset, active low.
    pub rst_n: Signal<In, Bit>,
    /// An element is offered.
    pub in_valid_i: Signal<In, Bit>,
    /// The element is taken.
    pub in_ready_o: Signal<Out, Bit>,
    /// The element, as bytes.
    pub in_data_i: Vec<Signal<In, Bits<8>>>,
    /// An element is offered.
    pub out_valid_o: Signal<Out, Bit>,
    /// The element is taken.
    pub out_ready_i: Signal<In, Bit>,
    /// The element, as bytes.
    pub out_data_o: Vec<Signal<Out, Bits<8>>>,
    /// Number of stored elements.
    pub level_o: Signal<Out, Bits<4>>,
    /// Next element to write.
    wr_ptr: RegEn<Bits<4>>,
    /// Next element to read.
    rd_ptr: RegEn<Bits<4>>,
    valid: RegEn<Bit>,
    ram: Ram1r1w<4, 8>,
    push: Signal<Local, Bit>,
    fetch: Signal<Local, Bit>,
    _bytes: usize,
}

impl Fifo {
    /// A FIFO of 8 elements of `bytes` bytes.
    pub fn new(bytes: usize) -> Self {
        Self {
            clk: Default::default(),
            rst_n: Default::default(),
            in_valid_i: Default::default(),
            in_ready_o: Default::default(),
            in_data_i: v(bytes),
            out_valid_o: Default::default(),
            out_ready_i: Default::default(),
            out_data_o: v(bytes),
            level_o: Default::default(),
            wr_ptr: Default::default(),
            rd_ptr: Default::default(),
            valid: Default::default(),
            ram: Ram1r1w::new(bytes, 8),
            push: Default::default(),
            fetch: Default::default(),
            _bytes: bytes,
        }
    }
}

impl Logic for Fifo {
    #[hdl_gen]
    fn update(&mut self) {
        self.wr_ptr.clk.next = self.clk.val();
        self.wr_ptr.rst_n.next = self.rst_n.val();
        self.rd_ptr.clk.next = self.clk.val();
        self.rd_ptr.rst_n.next = self.rst_n.val();
        self.valid.clk.next = self.clk.val();
        self.valid.rst_n.next = self.rst_n.val();
        self.ram.clk.next = self.clk.val();

        self.in_ready_o.next = (self.wr_ptr.q_o.val() - self.rd_ptr.q_o.val()) != 8;
        self.push.next = self.in_valid_i.val() & self.in_ready_o.val();
        comment!("Fetch the next element while the output is empty or being taken");
        self.fetch.next = (self.wr_ptr.q_o.val() != self.rd_ptr.q_o.val())
            & (!self.valid.q_o.val() | self.out_ready_i.val());

        self.wr_ptr.en_i.next = self.push.val();
        self.wr_ptr.d_i.next = self.wr_ptr.q_o.val() + 1;
        self.rd_ptr.en_i.next = self.fetch.val();
        self.rd_ptr.d_i.next = self.rd_ptr.q_o.val() + 1;
        self.valid.en_i.next = self.fetch.val() | self.out_ready_i.val();
        self.valid.d_i.next = self.fetch.val();

        self.ram.wen_i.next = self.push.val();
        self.ram.waddr_i.next = self.wr_ptr.q_o.val();
        self.ram.ren_i.next = self.fetch.val();
        self.ram.raddr_i.next = self.rd_ptr.q_o.val();
        for i in 0..self._bytes {
            self.ram.wdata_i[i].next = self.in_data_i[i].val();
            self.out_data_o[i].next = self.ram.rdata_o[i].val();
        }
        self.out_valid_o.next = self.valid.q_o.val();
        self.level_o.next = self.wr_ptr.q_o.val() - self.rd_ptr.q_o.val();
    }
    module!(|this| Meta::module("fifo").param("bytes", "b", this._bytes, "bytes of an element"));
}

/// Delay lines, register arrays and unread bits.
#[derive(LogicBlock)]
pub struct Lanes {
    /// Clock.
    pub clk: Signal<In, Clock>,
    /// Reset, active low.
    pub rst_n: Signal<In, Bit>,
    /// Enable by lane.
    pub en_i: Vec<Signal<In, Bit>>,
    /// Value by lane; the low nibble is stored.
    pub x_i: Vec<Signal<In, Bits<8>>>,
    /// Clears all lanes.
    pub clear_i: Signal<In, Bit>,
    /// Stored by lane.
    pub y_o: Vec<Signal<Out, Bits<4>>>,
    /// First lane, some cycles later.
    pub late_o: Signal<Out, Bits<8>>,
    /// Running count by lane.
    pub count_o: Vec<Signal<Out, Bits<6>>>,
    lane: Vec<RegEn<Bits<4>>>,
    count: Vec<Reg<Bits<6>>>,
    line: Vec<Delay<Bits<8>>>,
    _lanes: usize,
}

impl Lanes {
    /// A block of `lanes` lanes.
    pub fn new(lanes: usize) -> Self {
        Self {
            clk: Default::default(),
            rst_n: Default::default(),
            en_i: v(lanes),
            x_i: v(lanes),
            clear_i: Default::default(),
            y_o: v(lanes),
            late_o: Default::default(),
            count_o: v(lanes),
            lane: (0..lanes).map(|_| RegEn::with_init(9.into())).collect(),
            count: v(lanes),
            line: v(lanes),
            _lanes: lanes,
        }
    }
}

impl Logic for Lanes {
    #[hdl_gen]
    fn update(&mut self) {
        for i in 0..self._lanes {
            self.lane[i].clk.next = self.clk.val();
            self.lane[i].rst_n.next = self.rst_n.val();
            self.lane[i].en_i.next = self.en_i[i].val() | self.clear_i.val();
            self.lane[i].d_i.next = self.x_i[i].val().get_bits::<4>(0);
            if self.clear_i.val() {
                self.lane[i].d_i.next = 0.into();
            }
            self.y_o[i].next = self.lane[i].q_o.val();
            self.count[i].clk.next = self.clk.val();
            self.count[i].rst_n.next = self.rst_n.val();
            self.count[i].d_i.next = self.count[i].q_o.val();
            if self.clear_i.val() {
                self.count[i].d_i.next = 0.into();
            } else if self.en_i[i].val() {
                self.count[i].d_i.next = self.count[i].q_o.val() + 1;
            }
            self.count_o[i].next = self.count[i].q_o.val();
            self.line[i].clk.next = self.clk.val();
        }
        self.line[0].d_i.next = self.x_i[0].val();
        for i in 1..self._lanes {
            self.line[i].d_i.next = self.line[i - 1].q_o.val();
        }
        for i in (self._lanes - 1)..self._lanes {
            self.late_o.next = self.line[i].q_o.val();
        }
    }
    module!(|this| Meta::module("lanes").param("lanes", "n", this._lanes, "lanes"));
}

/// Ones at the positions below each, counted with saturation.
#[derive(LogicBlock)]
pub struct Counts {
    /// Bits to count.
    pub x_i: Vec<Signal<In, Bit>>,
    /// All counts.
    pub below_o: Vec<Signal<Out, Bits<4>>>,
    /// The last two counts are odd.
    pub odd_o: Signal<Out, Bit>,
    /// Ones below each position.
    below: Vec<Signal<Local, Bits<4>>>,
    _bits: usize,
}

impl Counts {
    /// Counts of `bits` bits.
    pub fn new(bits: usize) -> Self {
        Self {
            x_i: v(bits),
            below_o: v(bits),
            odd_o: Default::default(),
            below: v(bits),
            _bits: bits,
        }
    }
}

impl Logic for Counts {
    #[hdl_gen]
    fn update(&mut self) {
        self.below[0].next = 0.into();
        for i in 1..self._bits {
            self.below[i].next = self.below[i - 1].val();
            if self.x_i[i - 1].val() & !self.below[i - 1].val().all() {
                self.below[i].next = self.below[i - 1].val() + 1;
            }
        }
        for i in 0..self._bits {
            self.below_o[i].next = self.below[i].val();
        }
        for i in (self._bits - 1)..self._bits {
            self.odd_o.next = self.below[i].val().get_bit(0) & self.below[i - 1].val().get_bit(0);
        }
    }
    module!(|this| Meta::module("counts").param("bits", "n", this._bits, "bits"));
}
