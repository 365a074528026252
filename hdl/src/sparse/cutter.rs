//! Cuts of a map by counts.

use super::{CutterSums, CutterWalk, waves::*};
use heddle_kernel::prelude::*;

/// Cuts a map into bands of rows and each band into cells of columns, so that all cells have nearly the same sum of counts.
/// Adders alone: no multiplier and no divider.
///
/// It passes over the counts twice: once by rows to find the bands, then by columns of each band. Cells come band by band, left to right;
/// together they cover the map, each position once. A cell may be empty.
///
/// # Timing
/// `start_i` in cycle T, not looked at while `busy_o` is high: `done_o` is high for one cycle in T + 1 + steps, and the results stay until
/// the next start. The map takes 11 + rows x cols + rows + bands steps, and each band 10 + cols x max(1, its rows) + cols + cells.
/// A count is asked for in one cycle, on `count_i` in the next, and in a register in the one after.
/// Inputs are stable from `start_i` to `done_o`.
#[module(name = "sparse_cutter")]
pub struct Cutter {
    /// Begins.
    pub start_i: Signal<In, Bit>,
    /// Rows of the map, at least 1.
    pub rows_i: Signal<In, Bits<9>>,
    /// Its columns, at least 1.
    pub cols_i: Signal<In, Bits<9>>,
    /// Bands - 1.
    pub bands_i: Signal<In, Bits<4>>,
    /// Cells of a band - 1.
    pub cells_i: Signal<In, Bits<4>>,
    /// Most rows of a band. Bands that cannot hold all rows are exceeded, the first ones first.
    pub band_max_i: Signal<In, Bits<9>>,
    /// Most columns of a cell, likewise.
    pub cell_max_i: Signal<In, Bits<9>>,
    /// Balances what the counts leave of `full_i`: zeros.
    pub zeros_i: Signal<In, Bit>,
    /// Largest count of a position.
    pub full_i: Signal<In, Bits<12>>,
    /// Address of the count of the first position; the others follow row by row.
    pub first_i: Signal<In, Bits<16>>,
    /// Largest spread that is good.
    pub spread_max_i: Signal<In, Bits<32>>,
    /// A count is read.
    pub count_en_o: Signal<Out, Bit>,
    /// Its address.
    pub count_addr_o: Signal<Out, Bits<16>>,
    /// The count that was asked for in the cycle before.
    pub count_i: Signal<In, Bits<12>>,
    /// There is a cell.
    pub valid_o: Signal<Out, Bit>,
    /// Its number.
    pub cell: OutRegData<Bits<8>>,
    /// Its rows and columns.
    pub part_o: Rectangle<Out>,
    /// Sum of its counts.
    pub sum_o: Signal<Out, Bits<32>>,
    /// The largest sum of a cell less the smallest one.
    pub spread: OutRegData<Bits<32>>,
    /// The spread is good.
    pub ok_o: Signal<Out, Bit>,
    /// Cycles that the cuts took.
    pub steps: OutRegData<Bits<20>>,
    /// Event: all cells have come.
    pub done: OutReg<Bit>,
    /// Cuts are under way.
    pub busy_o: Signal<Out, Bit>,
    sums: CutterSums,
    walk: CutterWalk,
    /// Where each band ends.
    #[new(Ram1r1w::new(1, 16))]
    ends: Ram1r1w<4, 9>,
    begins: Signal<Local, Bit>,
    busy: Signal<Local, Bit>,
    /// Each of the three cycles before a pass.
    prepares: [Reg<Bit>; 3],
    /// A pass is under way.
    passes: Reg<Bit>,
    /// The last one has ended.
    finishes: Reg<Bit>,
    /// The pass goes by columns of a band.
    by_cols: RegData<Bit>,
    band: RegData<Bits<4>>,
    /// Its first row, and the row behind its last one.
    row0: RegData<Bits<9>>,
    row1: RegData<Bits<9>>,
    /// Its rows.
    height: Delay<Bits<9>>,
    /// Address of its first count.
    base: RegData<Bits<16>>,
    /// A pass ends.
    pass_ends: Signal<Local, Bit>,
    /// It was that of a band.
    band_ends: Signal<Local, Bit>,
    /// It was that of the last band.
    map_ends: Signal<Local, Bit>,
    lines: Signal<Local, Bits<9>>,
    is_cell: Signal<Local, Bit>,
    largest: RegData<Bits<32>>,
    smallest: RegData<Bits<32>>,
}

#[kernel]
impl Cutter {
    fn update(&mut self) {
        self.sequence();
        self.band();
        self.pass();
        self.cell();
        self.measure();
    }

    fn sequence(&mut self) {
        self.busy =
            self.prepares[0] | self.prepares[1] | self.prepares[2] | self.passes | self.finishes;
        self.busy_o = self.busy;
        self.begins = self.start_i & !self.busy;
        self.pass_ends = self.walk.valid_o & self.walk.last_o;
        self.band_ends = self.pass_ends & self.by_cols;
        self.map_ends = self.band_ends & (self.band == self.bands_i);
        self.prepares
            .shift_in(self.begins | (self.pass_ends & !self.map_ends));
        self.passes = self.prepares[2] | (self.passes & !self.pass_ends);
        self.finishes = self.map_ends;
        self.done = self.finishes;
        self.steps.load(
            self.begins | self.busy,
            mux(self.begins, 0.into(), self.steps + 1),
        );
    }

    /// The rows of a band: from the end of the one before to its own.
    fn band(&mut self) {
        self.by_cols
            .load(self.begins | self.pass_ends, self.pass_ends);
        self.band.load(
            self.begins | self.pass_ends | (self.walk.valid_o & !self.by_cols),
            mux(
                self.begins | (self.pass_ends & !self.by_cols),
                0.into(),
                self.band + 1,
            ),
        );
        self.ends.wen_i = self.walk.valid_o & !self.by_cols;
        self.ends.waddr_i = self.band;
        self.ends.wdata_i[0] = self.walk.end_o;
        self.ends.ren_i = self.prepares[0] & self.by_cols;
        self.ends.raddr_i = self.band;
        self.row0
            .load(self.prepares[1], mux(self.by_cols, self.row1, 0.into()));
        self.row1.load(
            self.prepares[1],
            mux(self.by_cols, self.ends.rdata_o[0], 0.into()),
        );
        self.height = self.row1 - self.row0;
        self.base.load(
            self.begins | (self.band_ends & self.height.any()),
            mux(self.begins, self.first_i, self.sums.next_o),
        );
    }

    fn pass(&mut self) {
        self.lines = mux(self.by_cols, self.cols_i, self.rows_i);
        self.sums.begin_i = self.prepares[2];
        self.sums.base_i = self.base;
        self.sums.lines_i = self.lines;
        self.sums.length_i = mux(self.by_cols, self.height, self.cols_i);
        self.sums.step_i = mux(self.by_cols, self.cols_i, 1.into());
        self.sums.line_step_i = mux(self.by_cols, 1.into(), self.cols_i);
        self.sums.zeros_i = self.zeros_i;
        self.sums.full_i = self.full_i;
        self.sums.count_i = self.count_i;
        self.count_en_o = self.sums.count_en_o;
        self.count_addr_o = self.sums.count_addr_o;

        self.walk.begin_i = self.prepares[2];
        self.walk.valid_i = self.sums.valid_o;
        self.walk.line_i = self.sums.line_o;
        self.walk.lines_i = self.lines;
        self.walk.parts_i = mux(self.by_cols, self.cells_i, self.bands_i);
        self.walk.limit_i = mux(self.by_cols, self.cell_max_i, self.band_max_i);
    }

    fn cell(&mut self) {
        self.is_cell = self.walk.valid_o & self.by_cols;
        self.valid_o = self.is_cell;
        self.cell.load(
            self.begins | self.is_cell,
            mux(self.begins, 0.into(), self.cell + 1),
        );
        self.part_o.row0 = self.row0;
        self.part_o.row1 = self.row1;
        self.part_o.col0 = self.walk.first_o;
        self.part_o.col1 = self.walk.end_o;
        self.sum_o = self.walk.sum_o;
    }

    fn measure(&mut self) {
        self.largest.load(
            self.begins | (self.is_cell & (self.walk.sum_o > self.largest)),
            mux(self.begins, 0.into(), self.walk.sum_o),
        );
        self.smallest.load(
            self.begins | (self.is_cell & (self.walk.sum_o < self.smallest)),
            mux(
                self.begins,
                0xffff_ffff_usize.to_bits::<32>(),
                self.walk.sum_o,
            ),
        );
        self.spread
            .load(self.finishes, self.largest - self.smallest);
        self.ok_o = self.spread <= self.spread_max_i;
    }
}
