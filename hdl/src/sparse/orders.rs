//! The registers of a unit, and its runs.

use super::waves::*;
use heddle_arch::isa::fields::sparse::{range, run, share};
use heddle_kernel::prelude::*;

/// Keeps what a unit has of a map and of its results, and two runs: one is under way, one waits.
///
/// A run has its sets read one after the other, each when it is full. A set that has been read is released, unless the run keeps
/// it: it may be loaded again. A set that is read may be named again, by the same run or the next one, but is not handed over before
/// it has been read.
///
/// # Timing
/// Register in cycle T: it has its value from T+1 on. Run in T, which `run_ready_o` allows: it is told from T+1 on (`running_o`,
/// `half_busy_o`, `region_busy_o`). With nothing before it, it is under way from T+2 on, and its first set is handed over then, the next ones as
/// they are taken. The last entries of a load in T: their set is full from T+2 on. A set that has been read in T is released in T+1. A run ends in
/// the first cycle in which all its sets are handed over and `busy_i` is low; the next one is under way in the cycle behind.
#[module]
pub struct UnitOrders {
    /// A word for a register, or a run.
    pub order_i: UnitOrder<In>,
    /// A register of this unit is written.
    pub write_i: Signal<In, Bit>,
    /// A run is given.
    pub run_i: Signal<In, Bit>,
    /// The last entries of a load come to this unit.
    pub filled_i: Signal<In, Bit>,
    /// Their set.
    pub filled_set_i: Signal<In, Bits<2>>,
    /// A set is to be read.
    pub read_valid_o: Signal<Out, Bit>,
    /// It is taken.
    pub read_ready_i: Signal<In, Bit>,
    /// Its number.
    pub read_set: OutRegData<Bits<2>>,
    /// Event: a set has been read.
    pub read_done_i: Signal<In, Bit>,
    /// Its number.
    pub done_set_i: Signal<In, Bits<2>>,
    /// Sets are read, or values or products are on their way.
    pub busy_i: Signal<In, Bit>,
    /// What the unit takes of a map.
    pub part_o: Rectangle<Out>,
    /// Results that it keeps, by region.
    pub window_o: [Rectangle<Out>; 2],
    /// Whose output channels it has.
    pub share: OutRegEn<Bits<6>>,
    /// Kernel rows less 1, of the run under way as all that follows.
    pub kernel_rows_o: Signal<Out, Bits<4>>,
    /// Kernel columns less 1.
    pub kernel_cols_o: Signal<Out, Bits<4>>,
    /// How its results lie in the memory of sums.
    pub layout_o: SumLayout<Out>,
    /// Their region.
    pub region_o: Signal<Out, Bit>,
    /// A run may be given.
    pub run_ready_o: Signal<Out, Bit>,
    /// A run names this half of the weights.
    pub half_busy_o: [Signal<Out, Bit>; 2],
    /// A run names this region of the sums.
    pub region_busy_o: [Signal<Out, Bit>; 2],
    /// There is a run.
    pub running_o: Signal<Out, Bit>,
    /// The run under way waits for a set that is not full.
    pub waits_o: Signal<Out, Bit>,
    /// Changes when a set is released.
    pub released: [OutReg<Bit>; sets],
    /// First row and column, and the ones behind the last, of the part and of the window of each region.
    first: [[RegEn<Bits<9>>; 2]; 3],
    end: [[RegEn<Bits<9>>; 2]; 3],
    /// The run that follows.
    follows: Reg<Bit>,
    next_run: RegData<Bits<32>>,
    /// The run under way.
    runs: Reg<Bit>,
    run: RegData<Bits<32>>,
    /// It has sets that are not handed over, and so many that are.
    has_sets: Reg<Bit>,
    given: RegData<Bits<8>>,
    begins: Signal<Local, Bit>,
    ends: Signal<Local, Bit>,
    /// A set is handed over.
    gives: Signal<Local, Bit>,
    /// The last entries of a load are counted.
    filled: Reg<Bit>,
    filled_set: Delay<Bits<2>>,
    /// Sets with entries, and those of them that are handed over and not read.
    full: [Reg<Bit>; sets],
    claimed: [Reg<Bit>; sets],
    /// The same, of the set that is to be read.
    is_full: Signal<Local, Bit>,
    is_claimed: Signal<Local, Bit>,
    /// The set that has been read is released.
    releases: Signal<Local, Bit>,
    /// Sets of entries.
    _sets: Param<'s'>,
}

#[kernel]
impl UnitOrders {
    fn update(&mut self) {
        self.registers();
        self.runs();
        self.read();
        self.sets();
        self.tell();
    }

    fn registers(&mut self) {
        for k in 0..3 {
            for side in 0..2 {
                let register = if k == 0 { side } else { 2 + 2 * k + side };
                let writes = self.write_i & (self.order_i.register == register.to_bits::<3>());
                self.first[k][side].load(writes, field!(self.order_i.data, range::FIRST));
                self.end[k][side].load(writes, field!(self.order_i.data, range::END));
            }
        }
        self.share.load(
            self.write_i & (self.order_i.register == 2),
            field!(self.order_i.data, share::SHARE),
        );
        self.part_o.row0 = self.first[0][0];
        self.part_o.row1 = self.end[0][0];
        self.part_o.col0 = self.first[0][1];
        self.part_o.col1 = self.end[0][1];
        for r in 0..2 {
            self.window_o[r].row0 = self.first[r + 1][0];
            self.window_o[r].row1 = self.end[r + 1][0];
            self.window_o[r].col0 = self.first[r + 1][1];
            self.window_o[r].col1 = self.end[r + 1][1];
        }
    }

    /// One is under way, one waits.
    fn runs(&mut self) {
        self.ends = self.runs & !self.has_sets & !self.busy_i;
        self.begins = self.follows & (!self.runs | self.ends);
        self.follows = self.run_i | (self.follows & !self.begins);
        self.next_run.load(self.run_i, self.order_i.data);
        self.runs = self.begins | (self.runs & !self.ends);
        self.run.load(self.begins, self.next_run);
        self.kernel_rows_o = field!(self.run, run::KERNEL_ROWS);
        self.kernel_cols_o = field!(self.run, run::KERNEL_COLS);
        self.layout_o.pitch = field!(self.run, run::PITCH);
        self.layout_o.area = field!(self.run, run::AREA);
        self.region_o = flag!(self.run, run::REGION);
    }

    /// Its sets are handed over.
    fn read(&mut self) {
        self.is_full = false;
        self.is_claimed = false;
        for s in 0..self._sets {
            if self.read_set == s.to_bits::<2>() {
                self.is_full = self.full[s];
                self.is_claimed = self.claimed[s];
            }
        }
        self.read_valid_o = self.has_sets & self.is_full & !self.is_claimed;
        self.gives = self.read_valid_o & self.read_ready_i;
        let moves = self.begins | self.gives;
        let is_last = self.given == field!(self.run, run::CHUNKS);
        self.has_sets = self.begins | (self.has_sets & !(self.gives & is_last));
        self.given
            .load(moves, mux(self.begins, 0.into(), self.given + 1));
        self.read_set.load(
            moves,
            mux(
                self.begins,
                field!(self.next_run, run::SET),
                (self.read_set + 1) & (self._sets - 1).to_bits::<2>(),
            ),
        );
    }

    /// They are filled, and released.
    fn sets(&mut self) {
        self.filled = self.filled_i;
        self.filled_set = self.filled_set_i;
        self.releases = self.read_done_i & !flag!(self.run, run::KEEP);
        for s in 0..self._sets {
            let is_done = self.done_set_i == s.to_bits::<2>();
            self.claimed[s] = (self.gives & (self.read_set == s.to_bits::<2>()))
                | (self.claimed[s] & !(self.read_done_i & is_done));
            self.full[s] = (self.filled & (self.filled_set == s.to_bits::<2>()))
                | (self.full[s] & !(self.releases & is_done));
            self.released[s] = self.released[s] ^ (self.releases & is_done);
        }
    }

    fn tell(&mut self) {
        self.run_ready_o = self.rst_n & !self.follows;
        self.running_o = self.runs | self.follows;
        self.waits_o = self.has_sets & !self.is_full;
        for i in 0..2 {
            let is_set = i == 1;
            self.half_busy_o[i] = (self.runs & (flag!(self.run, run::HALF) == is_set))
                | (self.follows & (flag!(self.next_run, run::HALF) == is_set));
            self.region_busy_o[i] = (self.runs & (flag!(self.run, run::REGION) == is_set))
                | (self.follows & (flag!(self.next_run, run::REGION) == is_set));
        }
    }
}
