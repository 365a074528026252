//! Counters of a run.

use heddle_kernel::prelude::*;

/// Adds up a bit of each row as the wave passes: how many rows have read in a slot.
///
/// # Timing
/// One cycle.
#[module]
pub struct ReadCount {
    /// This row has read.
    pub read_i: Signal<In, Bit>,
    /// Reads of the rows above.
    pub total_i: Signal<In, Bits<9>>,
    /// Reads down to this row.
    pub total: OutReg<Bits<9>>,
}

#[kernel]
impl ReadCount {
    fn update(&mut self) {
        self.total.d_i.next = self.total_i.val();
        if self.read_i.val() {
            self.total.d_i.next = self.total_i.val() + 1;
        }
    }
}

/// Operand reads and waiting clocks of a run.
///
/// # Timing
/// Reads of row r in cycle T+r are counted in T+rows+1. `clear_reads_i` and `clear_stalls_i` win over
/// what is counted in the same cycle.
#[module]
pub struct GemmCounters {
    /// Begins to count reads.
    pub clear_reads_i: Signal<In, Bit>,
    /// Begins to count waiting clocks.
    pub clear_stalls_i: Signal<In, Bit>,
    /// One per row: it has read an operand.
    pub read_i: [Signal<In, Bit>; rows],
    /// Rows wait for a bank.
    pub wait_i: Signal<In, Bit>,
    /// Operands read.
    pub reads: OutReg<Bits<32>>,
    /// Clocks waited.
    pub stalls: OutRegEn<Bits<32>>,
    row: [ReadCount; rows],
    total: [Signal<Local, Bits<9>>; rows + 1],
    /// Rows.
    _rows: Param<'r'>,
}

#[kernel]
impl GemmCounters {
    fn update(&mut self) {
        self.total[0].next = 0.into();
        for i in 0..self._rows {
            self.row[i].read_i.next = self.read_i[i].val();
            self.row[i].total_i.next = self.total[i].val();
            self.total[i + 1].next = self.row[i].total_o.val();
        }
        self.reads.d_i.next = self.reads.q_o.val() + self.total[self._rows].val().get_bits::<32>(0);
        if self.clear_reads_i.val() {
            self.reads.d_i.next = 0.into();
        }
        self.stalls.en_i.next = self.wait_i.val() | self.clear_stalls_i.val();
        self.stalls.d_i.next = self.stalls.q_o.val() + 1;
        if self.clear_stalls_i.val() {
            self.stalls.d_i.next = 0.into();
        }
    }
}
