//! Cuts of a map become parts and windows of the units.

use super::{Cutter, waves::*};
use heddle_arch::isa::fields::sparse::{
    cut, cut_cols, cut_good, cut_limits, cut_place, cut_rows, cut_size,
};
use heddle_kernel::prelude::*;

/// SPARSE_CUT: cuts a map by its counts, and writes four registers of each unit: the rows and columns that it takes of a map, and those of the
/// results that it keeps in a region. Unit u has cell u modulo the number of cells.
///
/// # Timing
/// `start_i` in cycle T, the last word of the command in T-1 at the latest: `busy_o` is high from T+1 on. The cutter takes `steps_o` cycles; then a
/// unit takes eight, and the last register is on `write_o` in T + `steps_o` + 8 units + 3, when `busy_o` has fallen.
#[module(name = "sparse_cut")]
pub struct CutEngine {
    /// A word of SPARSE_CUT.
    pub command_i: CommandWord<In>,
    /// The command starts.
    pub start_i: Signal<In, Bit>,
    /// There may be no words of another command, and no other writes of registers.
    pub busy: OutReg<Bit>,
    /// A count is read.
    pub count_en_o: Signal<Out, Bit>,
    /// Its position.
    pub count_addr_o: Signal<Out, Bits<16>>,
    /// The count that was asked for in the cycle before.
    pub count_i: Signal<In, Bits<12>>,
    /// A register of a unit.
    pub write_o: UnitWrite<Out>,
    /// Of the last cut: the largest sum of a cell less the smallest one.
    pub spread_o: Signal<Out, Bits<32>>,
    /// Cycles that the cutter took.
    pub steps_o: Signal<Out, Bits<20>>,
    /// The spread is good.
    pub ok_o: Signal<Out, Bit>,
    cutter: Cutter,
    /// Rows and columns of the cells that units have.
    #[new(Ram1r1w::new(4, places))]
    cells: Ram1r1w<8, 9>,
    write: UnitWriteReg,
    /// Words 1 to 7 of a command.
    word: [RegData<Bits<32>>; 7],
    /// Cells that there are, modulo 256.
    count: RegData<Bits<8>>,
    /// Units are given their cells.
    gives: Reg<Bit>,
    /// What happens to a unit in this cycle: 0 its cell is read, 3 and 4 rows and columns become those of values, 4 to 7 registers are found.
    step: RegData<Bits<3>>,
    unit: RegData<Bits<6>>,
    /// Its cell.
    cell: RegData<Bits<8>>,
    /// First row, the row behind the last, first column, the column behind the last, of counts.
    border: [RegData<Bits<9>>; 4],
    /// Rows, columns, of values.
    first: [RegData<Bits<9>>; 2],
    end: [RegData<Bits<9>>; 2],
    /// The cell has the last row, column of the map.
    is_last: [RegData<Bit>; 2],
    /// A step is of columns.
    by_cols: Signal<Local, Bit>,
    /// What converts borders: the first one and the end, the size of the map, its padding.
    lower: Delay<Bits<9>>,
    upper: Delay<Bits<9>>,
    size: Delay<Bits<9>>,
    padding: Delay<Bits<4>>,
    stride: Signal<Local, Bits<2>>,
    lower_padded: Signal<Local, Bits<9>>,
    upper_padded: Signal<Local, Bits<9>>,
    last_padded: Signal<Local, Bits<9>>,
    /// The last register is found.
    ended: Reg<Bit>,
    /// A register is written in the next cycle: of a window, of columns, of this unit.
    writes: Reg<Bit>,
    is_window: Delay<Bit>,
    is_col: Delay<Bit>,
    number: Delay<Bits<6>>,
    /// Its rows or columns, and what changes them.
    side_first: Delay<Bits<9>>,
    side_end: Delay<Bits<9>>,
    side_last: Delay<Bit>,
    halo: Delay<Bits<4>>,
    tail: Delay<Bits<4>>,
    lo: Delay<Bits<9>>,
    hi: Delay<Bits<9>>,
    /// With one bit more, for a sign.
    reach: Signal<Local, Bits<10>>,
    span_first: Signal<Local, Bits<9>>,
    span_end: Signal<Local, Bits<9>>,
    is_empty: Signal<Local, Bit>,
    /// Units.
    _units: Param<'u'>,
    #[new(units.next_power_of_two())]
    _places: usize,
}

#[kernel]
impl CutEngine {
    fn update(&mut self) {
        self.command();
        self.cut();
        self.steps();
        self.convert();
        self.span();
        self.tell();
    }

    fn command(&mut self) {
        for i in 0..7 {
            let is_word = self.command_i.index == (i + 1).to_bits::<3>();
            self.word[i].load(self.command_i.valid & is_word, self.command_i.data);
        }
    }

    /// Cells are kept if a unit has them.
    fn cut(&mut self) {
        self.cutter.start_i = self.start_i;
        self.cutter.rows_i = field!(self.word[2], cut_size::ROWS);
        self.cutter.cols_i = field!(self.word[2], cut_size::COLS);
        self.cutter.bands_i = field!(self.word[0], cut::BANDS);
        self.cutter.cells_i = field!(self.word[0], cut::CELLS);
        self.cutter.band_max_i = field!(self.word[1], cut_limits::BAND);
        self.cutter.cell_max_i = field!(self.word[1], cut_limits::CELL);
        self.cutter.zeros_i = false;
        self.cutter.full_i = 0.into();
        self.cutter.first_i = 0.into();
        self.cutter.spread_max_i = field!(self.word[6], cut_good::SPREAD);
        self.count_en_o = self.cutter.count_en_o;
        self.count_addr_o = self.cutter.count_addr_o;
        self.cutter.count_i = self.count_i;
        self.cells.wen_i = self.cutter.valid_o & (self.cutter.cell_o < self._places.to_bits::<8>());
        self.cells.waddr_i = self.cutter.cell_o;
        self.cells.wdata_i[0] = self.cutter.part_o.row0;
        self.cells.wdata_i[1] = self.cutter.part_o.row1;
        self.cells.wdata_i[2] = self.cutter.part_o.col0;
        self.cells.wdata_i[3] = self.cutter.part_o.col1;
        self.spread_o = self.cutter.spread_o;
        self.steps_o = self.cutter.steps_o;
        self.ok_o = self.cutter.ok_o;
    }

    /// Eight for each unit.
    fn steps(&mut self) {
        let ends = self.gives & self.step.all();
        let is_last = self.unit == (self._units - 1).to_bits::<6>();
        self.busy = self.start_i | (self.busy & !self.ended);
        self.ended = ends & is_last;
        self.gives = self.cutter.done_o | (self.gives & !(ends & is_last));
        self.count.load(self.cutter.done_o, self.cutter.cell_o);
        self.step.load(
            self.cutter.done_o | self.gives,
            mux(self.cutter.done_o, 0.into(), self.step + 1),
        );
        self.unit.load(
            self.cutter.done_o | ends,
            mux(self.cutter.done_o, 0.into(), self.unit + 1),
        );
        let is_last_cell = (self.cell + 1) == self.count;
        self.cell.load(
            self.cutter.done_o | ends,
            mux(self.cutter.done_o | is_last_cell, 0.into(), self.cell + 1),
        );
        self.cells.ren_i = self.gives & (self.step == 0);
        self.cells.raddr_i = self.cell;
        for i in 0..4 {
            self.border[i].load(self.step == 1, self.cells.rdata_o[i]);
        }
    }

    /// From counts to values: behind the padding, divided by the stride.
    fn convert(&mut self) {
        self.by_cols = self.step.get_bit(0);
        self.stride = field!(self.word[3], cut_place::STRIDE);
        self.lower = mux(self.by_cols, self.border[2], self.border[0]);
        self.upper = mux(self.by_cols, self.border[3], self.border[1]);
        self.size = mux(
            self.by_cols,
            field!(self.word[2], cut_size::COLS),
            field!(self.word[2], cut_size::ROWS),
        );
        self.padding = mux(
            self.by_cols,
            field!(self.word[3], cut_place::LEFT),
            field!(self.word[3], cut_place::ABOVE),
        );
        self.lower_padded = (self.lower + bit_cast::<9, 4>(self.padding)) >> self.stride;
        self.upper_padded = (self.upper + bit_cast::<9, 4>(self.padding)) >> self.stride;
        self.last_padded = (self.size + bit_cast::<9, 4>(self.padding) - 1) >> self.stride;
        comment!("The first cell begins with the padding");
        if !self.lower.any() {
            self.lower_padded = 0.into();
        }
        if !self.upper.any() {
            self.upper_padded = 0.into();
        }
        comment!("The last one ends behind the last value");
        let ends_map = self.upper == self.size;
        if self.lower == self.size {
            self.lower_padded = self.last_padded + 1;
        }
        if ends_map {
            self.upper_padded = self.last_padded + 1;
        }
        for side in 0..2 {
            let is_step = self.step == (3 + side).to_bits::<3>();
            self.first[side].load(is_step, self.lower_padded);
            self.end[side].load(is_step, self.upper_padded);
            self.is_last[side].load(is_step, ends_map);
        }
    }

    /// Rows or columns of the part, and of the window.
    fn span(&mut self) {
        self.writes = self.gives & self.step.get_bit(2);
        self.is_window = self.step.get_bit(1);
        self.is_col = self.by_cols;
        self.number = self.unit;
        self.side_first = mux(self.by_cols, self.first[1], self.first[0]);
        self.side_end = mux(self.by_cols, self.end[1], self.end[0]);
        self.side_last = mux(self.by_cols, self.is_last[1], self.is_last[0]);
        self.halo = mux(
            self.by_cols,
            field!(self.word[0], cut::HALO_COLS),
            field!(self.word[0], cut::HALO_ROWS),
        );
        self.tail = mux(
            self.by_cols,
            field!(self.word[3], cut_place::TAIL_COLS),
            field!(self.word[3], cut_place::TAIL_ROWS),
        );
        self.lo = mux(
            self.by_cols,
            field!(self.word[5], cut_cols::FIRST),
            field!(self.word[4], cut_rows::FIRST),
        );
        self.hi = mux(
            self.by_cols,
            field!(self.word[5], cut_cols::END),
            field!(self.word[4], cut_rows::END),
        );
        comment!("The results that come last have no other unit");
        self.reach = bit_cast::<10, 9>(self.side_end) + bit_cast::<10, 4>(self.tail);
        if !self.side_last {
            self.reach = bit_cast::<10, 9>(self.side_end) + bit_cast::<10, 4>(self.tail)
                - bit_cast::<10, 4>(self.halo);
        }
        self.span_first = 0.into();
        self.span_end = self.side_end;
        if !self.is_window {
            if self.side_first > bit_cast::<9, 4>(self.halo) {
                self.span_first = self.side_first - bit_cast::<9, 4>(self.halo);
            }
        } else {
            self.span_first = mux(self.side_first > self.lo, self.side_first, self.lo);
            self.span_end = mux(
                self.reach < bit_cast::<10, 9>(self.hi),
                self.reach.get_bits::<9>(0),
                self.hi,
            );
            if self.reach.get_bit(9) {
                self.span_end = 0.into();
            }
        }
        self.is_empty = (self.first[0] == self.end[0]) | (self.first[1] == self.end[1]);
        if self.is_empty {
            self.span_first = 0.into();
            self.span_end = 0.into();
        }
    }

    fn tell(&mut self) {
        self.write.valid = self.writes;
        self.write.unit = self.number;
        self.write.register = bit_cast::<3, 1>(self.is_col.into());
        if self.is_window {
            self.write.register = mux(flag!(self.word[0], cut::REGION), 6.into(), 4.into());
            if self.is_col {
                self.write.register = mux(flag!(self.word[0], cut::REGION), 7.into(), 5.into());
            }
        }
        self.write.data = (bit_cast::<32, 9>(self.span_end) << 16u8.to_bits::<5>())
            | bit_cast::<32, 9>(self.span_first);
        self.write_o.follow(&self.write);
    }
}
