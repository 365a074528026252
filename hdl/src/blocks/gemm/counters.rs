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
        self.total = mux(self.read_i, self.total_i + 1, self.total_i);
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
        self.total[0] = 0.into();
        for i in 0..self._rows {
            self.row[i].read_i = self.read_i[i];
            self.row[i].total_i = self.total[i];
            self.total[i + 1] = self.row[i].total_o;
        }
        self.reads = self.reads + self.total[self._rows].get_bits::<32>(0);
        if self.clear_reads_i {
            self.reads = 0.into();
        }
        self.stalls.en_i = self.wait_i | self.clear_stalls_i;
        self.stalls = mux(self.clear_stalls_i, 0.into(), self.stalls + 1);
    }
}
