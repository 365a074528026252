//! The clocked engine of SPARSE_CUT.

use std::collections::VecDeque;

use heddle_arch::isa::fields::sparse::{
    cut, cut_cols, cut_good, cut_limits, cut_place, cut_rows, cut_size, range,
};

use super::cutter::{Cell, Cuts, Cutting};

/// Inputs in one clock cycle.
#[derive(Debug, Clone, Copy, Default)]
pub struct CutInputs {
    /// A word of a command, and its place in it.
    pub word: Option<(usize, u32)>,
    /// The command starts.
    pub start: bool,
}

/// A register of a unit: unit, number, value.
pub type UnitWrite = (usize, u32, u32);

/// Outputs in one clock cycle.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CutOutputs {
    /// A cut is under way.
    pub busy: bool,
    /// A register is written.
    pub write: Option<UnitWrite>,
}

/// What a cut came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CutResult {
    /// The largest sum of a cell less the smallest one.
    pub spread: u32,
    /// Cycles of the cutter.
    pub steps: u32,
    /// The spread is good.
    pub ok: bool,
}

/// Rows or columns: the first one, and the one after the last.
type Span = (i64, i64);

/// The words of SPARSE_CUT; the header is word 0.
#[derive(Debug, Clone, Copy, Default)]
pub struct CutWords(pub [u32; 8]);

impl CutWords {
    /// The cells, by the count of each position.
    pub fn cuts(&self, count: impl Fn(usize) -> u32) -> Cuts {
        let [_, command, limits, size, ..] = self.0;
        let size = (
            cut_size::ROWS.get(size) as usize,
            cut_size::COLS.get(size) as usize,
        );
        let counts = 0..size.0 * size.1;
        let cutting = Cutting {
            size,
            counts: counts.map(|position| i64::from(count(position))).collect(),
            bands: cut::BANDS.get(command) as usize + 1,
            cells: cut::CELLS.get(command) as usize + 1,
            band_max: cut_limits::BAND.get(limits).into(),
            cell_max: cut_limits::CELL.get(limits).into(),
            zeros_of: None,
        };
        cutting.cut()
    }

    /// The registers of a unit that has this cell: number and value.
    pub fn registers(&self, cell: &Cell) -> [(u32, u32); 4] {
        let [_, command, _, size, place, rows, cols, _] = self.0;
        let of_rows = Side {
            size: cut_size::ROWS.get(size).into(),
            padding: cut_place::ABOVE.get(place),
            stride: cut_place::STRIDE.get(place),
            halo: cut::HALO_ROWS.get(command).into(),
            tail: cut_place::TAIL_ROWS.get(place).into(),
            results: (
                cut_rows::FIRST.get(rows).into(),
                cut_rows::END.get(rows).into(),
            ),
        };
        let of_cols = Side {
            size: cut_size::COLS.get(size).into(),
            padding: cut_place::LEFT.get(place),
            stride: of_rows.stride,
            halo: cut::HALO_COLS.get(command).into(),
            tail: cut_place::TAIL_COLS.get(place).into(),
            results: (
                cut_cols::FIRST.get(cols).into(),
                cut_cols::END.get(cols).into(),
            ),
        };
        let window = if cut::REGION.is_set(command) { 6 } else { 4 };
        let sides = [(of_rows, cell.rows), (of_cols, cell.cols)];
        let is_empty = sides.iter().any(|(side, (from, to))| {
            let (first, end) = side.values((*from as i64, *to as i64));
            first == end
        });
        let word = |(first, end): Span| match is_empty {
            true => 0,
            false => range::FIRST.put(first as u32) | range::END.put(end as u32),
        };
        let [(rows, cell_rows), (cols, cell_cols)] =
            sides.map(|(side, (from, to))| (side, (from as i64, to as i64)));
        [
            (0, word(rows.part(cell_rows))),
            (1, word(cols.part(cell_cols))),
            (window, word(rows.window(cell_rows))),
            (window + 1, word(cols.window(cell_cols))),
        ]
    }

    fn spread_max(&self) -> u32 {
        cut_good::SPREAD.get(self.0[7])
    }
}

/// Rows, or columns.
struct Side {
    /// Counts.
    size: i64,
    padding: u32,
    stride: u32,
    halo: i64,
    tail: i64,
    /// Results that will be drained.
    results: Span,
}

impl Side {
    /// The values of counts.
    fn values(&self, (from, to): Span) -> Span {
        let place = |at: i64| (at + i64::from(self.padding)) >> self.stride;
        let border = |at: i64| match at {
            0 => 0,
            at if at == self.size => place(at - 1) + 1,
            at => place(at),
        };
        (border(from), border(to))
    }

    /// The values that a unit takes.
    fn part(&self, cell: Span) -> Span {
        let (first, end) = self.values(cell);
        ((first - self.halo).max(0), end)
    }

    /// The results that it keeps.
    fn window(&self, cell: Span) -> Span {
        let (first, end) = self.values(cell);
        let halo = if cell.1 == self.size { 0 } else { self.halo };
        let (lo, hi) = self.results;
        (first.max(lo), (end + self.tail - halo).clamp(0, hi))
    }
}

/// The engine.
#[derive(Debug, Clone)]
pub struct CutModel {
    units: usize,
    words: CutWords,
    /// What happens in the cycles to come: whether it is busy, and a register that is written.
    plan: VecDeque<CutOutputs>,
    /// What the last cut came to.
    pub result: Option<CutResult>,
}

impl CutModel {
    /// For so many units.
    pub fn new(units: usize) -> Self {
        Self {
            units,
            words: CutWords::default(),
            plan: VecDeque::new(),
            result: None,
        }
    }

    /// One clock cycle: returns the outputs of this cycle, then takes the clock edge. `count` is what has been counted of a position.
    pub fn step(&mut self, inputs: &CutInputs, count: impl Fn(usize) -> u32) -> CutOutputs {
        let quiet = CutOutputs {
            busy: false,
            write: None,
        };
        let outputs = self.plan.pop_front().unwrap_or(quiet);
        if let Some((index, word)) = inputs.word {
            self.words.0[index] = word;
        }
        if inputs.start {
            self.plan(self.words.cuts(count));
        }
        outputs
    }

    /// The cutter, then eight cycles for each unit, its registers written after the last four.
    fn plan(&mut self, cuts: Cuts) {
        let spread = cuts.spread as u32;
        self.result = Some(CutResult {
            spread,
            steps: cuts.steps as u32,
            ok: spread <= self.words.spread_max(),
        });
        let busy = |write| CutOutputs { busy: true, write };
        self.plan = vec![busy(None); cuts.steps + 3].into();
        for unit in 0..self.units {
            let registers = self.words.registers(&cuts.cells[unit % cuts.cells.len()]);
            self.plan.extend([busy(None); 4]);
            let write = |(number, value)| busy(Some((unit, number, value)));
            self.plan.extend(registers.map(write));
        }
        self.plan.back_mut().expect("there is a unit").busy = false;
    }
}
