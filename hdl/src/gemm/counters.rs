//! Counters of a run.

use crate::prelude::*;

/// Adds up a bit of each row as the wave passes: how many rows have read in a slot.
///
/// # Timing
/// One cycle.
#[derive(LogicBlock, Default)]
pub struct ReadCount {
    /// Clock.
    pub clk: Signal<In, Clock>,
    /// Reset, active low.
    pub rst_n: Signal<In, Bit>,
    /// This row has read.
    pub read_i: Signal<In, Bit>,
    /// Reads of the rows above.
    pub total_i: Signal<In, Bits<9>>,
    /// Reads down to this row.
    pub total_o: Signal<Out, Bits<9>>,
    total: Reg<Bits<9>>,
}

impl Logic for ReadCount {
    #[hdl_gen]
    fn update(&mut self) {
        self.total.clk.next = self.clk.val();
        self.total.rst_n.next = self.rst_n.val();
        self.total.d_i.next = self.total_i.val();
        if self.read_i.val() {
            self.total.d_i.next = self.total_i.val() + 1;
        }
        self.total_o.next = self.total.q_o.val();
    }
    module!(|_this| Meta::module("read_count"));
}

/// Operand reads and waiting clocks of a run.
///
/// # Timing
/// Reads of row r in cycle T+r are counted in T+rows+1. `clear_reads_i` and `clear_stalls_i` win over
/// what is counted in the same cycle.
#[derive(LogicBlock)]
pub struct GemmCounters {
    /// Clock.
    pub clk: Signal<In, Clock>,
    /// Reset, active low.
    pub rst_n: Signal<In, Bit>,
    /// Begins to count reads.
    pub clear_reads_i: Signal<In, Bit>,
    /// Begins to count waiting clocks.
    pub clear_stalls_i: Signal<In, Bit>,
    /// One per row: it has read an operand.
    pub read_i: Vec<Signal<In, Bit>>,
    /// Rows wait for a bank.
    pub wait_i: Signal<In, Bit>,
    /// Operands read.
    pub reads_o: Signal<Out, Bits<32>>,
    /// Clocks waited.
    pub stalls_o: Signal<Out, Bits<32>>,
    row: Vec<ReadCount>,
    reads: Reg<Bits<32>>,
    stalls: RegEn<Bits<32>>,
    total: Vec<Signal<Local, Bits<9>>>,
    _rows: usize,
}

impl GemmCounters {
    /// Counters for `rows` rows.
    pub fn new(rows: usize) -> Self {
        Self {
            clk: Default::default(),
            rst_n: Default::default(),
            clear_reads_i: Default::default(),
            clear_stalls_i: Default::default(),
            read_i: v(rows),
            wait_i: Default::default(),
            reads_o: Default::default(),
            stalls_o: Default::default(),
            row: v(rows),
            reads: Default::default(),
            stalls: Default::default(),
            total: v(rows + 1),
            _rows: rows,
        }
    }
}

impl Logic for GemmCounters {
    #[hdl_gen]
    fn update(&mut self) {
        self.total[0].next = 0.into();
        for i in 0..self._rows {
            self.row[i].clk.next = self.clk.val();
            self.row[i].rst_n.next = self.rst_n.val();
            self.row[i].read_i.next = self.read_i[i].val();
            self.row[i].total_i.next = self.total[i].val();
            self.total[i + 1].next = self.row[i].total_o.val();
        }
        self.reads.clk.next = self.clk.val();
        self.reads.rst_n.next = self.rst_n.val();
        self.reads.d_i.next = self.reads.q_o.val() + self.total[self._rows].val().get_bits::<32>(0);
        if self.clear_reads_i.val() {
            self.reads.d_i.next = 0.into();
        }
        self.reads_o.next = self.reads.q_o.val();
        self.stalls.clk.next = self.clk.val();
        self.stalls.rst_n.next = self.rst_n.val();
        self.stalls.en_i.next = self.wait_i.val() | self.clear_stalls_i.val();
        self.stalls.d_i.next = self.stalls.q_o.val() + 1;
        if self.clear_stalls_i.val() {
            self.stalls.d_i.next = 0.into();
        }
        self.stalls_o.next = self.stalls.q_o.val();
    }
    module!(|this| Meta::module("gemm_counters").param("rows", "r", this._rows, "rows"));
}
