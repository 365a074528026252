//! Cells of a map that have nearly the same of what counts.
//!
//! Bands of rows are each cut into cells by columns of their own, so that all cells are rectangles and cover the map once. In each step
//! that border moves which helps most, by as many rows or columns as is best, until no two cells differ by more than is allowed or no border
//! helps.

use super::axis::Span;
use super::counts::{Counts, Metric};
use super::cuts::Cuts;
use super::error::{PlanError, check};
use super::table::Table;

/// When cells are equal enough.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Goal {
    /// What is compared.
    pub metric: Metric,
    /// How much any two cells may differ, in thousandths: numbers of all values of a cell of mean size, shares of 1.
    pub permille: u32,
    /// Positions of a cell that grows at most, so that it fits a memory.
    pub positions: u32,
}

impl Default for Goal {
    /// Numbers of values that are not zero, 3 %, cells of any size.
    fn default() -> Self {
        Self {
            metric: Metric::NonZeros,
            permille: 30,
            positions: u32::MAX,
        }
    }
}

impl Goal {
    /// As equal numbers of values that are not zero as can be reached.
    pub const BEST: Self = Self {
        metric: Metric::NonZeros,
        permille: 0,
        positions: u32::MAX,
    };
}

/// A map in cells.
#[derive(Debug, Clone, PartialEq)]
pub struct Balance {
    /// Rows and columns of the cells, band by band.
    pub cells: Vec<[Span; 2]>,
    /// How much the largest cell has more than the smallest one, in per cent as the goal has it.
    pub spread: f64,
    /// No two cells differ by more than the goal allows.
    pub is_reached: bool,
    /// Borders that were moved.
    pub moves: u32,
}

/// Most moves: each one makes the cells more equal, so that they end; the limit says when at the latest.
const MOVES: u32 = 100_000;

/// Cuts a map into so many bands of so many cells (FSA-07, 08, 10). Cells are empty only if there are more of them than rows or columns.
///
/// Borders begin where cells have equal size. If that leads nowhere and numbers are compared, they begin again where their sums are equal,
/// first of the rows and then of the columns of each band, and the better result counts.
///
/// # Errors
/// The map has no rows or columns or too many, there is another number of counts, or one is larger than its position; bands or cells of a
/// band are not 1 to 256.
pub fn balance(map: &Counts, grid: [u32; 2], goal: Goal) -> Result<Balance, PlanError> {
    check("bands", grid[0], 1..=256)?;
    check("cells of a band", grid[1], 1..=256)?;
    let table = Table::new(map, goal.metric)?;
    let equal = Cuts::equal(map.size, grid);
    let found = Search::new(&table, equal, goal).run();
    if found.is_reached || table.is_share() {
        return Ok(found);
    }
    let other = Search::new(&table, Cuts::of_sums(&table, grid), goal).run();
    let fits = |[rows, cols]: &[Span; 2]| rows.len() * cols.len() <= goal.positions as usize;
    Ok(
        match other.spread < found.spread && other.cells.iter().all(fits) {
            true => other,
            false => found,
        },
    )
}

/// A border: of bands, or of cells in a band.
#[derive(Debug, Clone, Copy)]
enum Border {
    Row(usize),
    Col(usize, usize),
}

/// What the cells have.
#[derive(Debug, Clone, Copy, Default)]
struct Sums {
    sum: u128,
    squares: u128,
}

impl Sums {
    fn exchange(&mut self, from: u64, to: u64) {
        let [from, to] = [from, to].map(u128::from);
        self.sum = self.sum + to - from;
        self.squares = self.squares + to * to - from * from;
    }

    /// Squares of the deviations from the mean of so many cells, times their number squared.
    fn deviation(&self, cells: usize) -> u128 {
        cells as u128 * self.squares - self.sum * self.sum
    }
}

/// Borders that move.
struct Search<'a> {
    table: &'a Table,
    goal: Goal,
    cuts: Cuts,
    /// What each cell has.
    amounts: Vec<u64>,
    sums: Sums,
}

impl<'a> Search<'a> {
    fn new(table: &'a Table, cuts: Cuts, goal: Goal) -> Self {
        let mut search = Self {
            table,
            goal,
            amounts: Vec::new(),
            sums: Sums::default(),
            cuts,
        };
        search.measure();
        search
    }

    fn measure(&mut self) {
        let cells = self.cuts.cells();
        let amounts = cells.map(|cell| self.table.amount(cell));
        self.amounts = amounts.collect();
        self.sums = Sums::default();
        for amount in &self.amounts {
            self.sums.exchange(0, *amount);
        }
    }

    fn run(mut self) -> Balance {
        let mut moves = 0;
        while !self.is_reached() && moves < MOVES {
            let Some((border, place)) = self.best() else {
                break;
            };
            *self.border(border) = place;
            self.measure();
            moves += 1;
        }
        Balance {
            cells: self.cuts.cells().collect(),
            spread: 100.0 * self.spread() as f64 / self.table.whole() * self.parts(),
            is_reached: self.is_reached(),
            moves,
        }
    }

    /// Cells among which numbers are shared; a share is of 1 in each.
    fn parts(&self) -> f64 {
        match self.table.is_share() {
            true => 1.0,
            false => self.amounts.len() as f64,
        }
    }

    /// What the largest cell has more than the smallest one.
    fn spread(&self) -> u64 {
        let amounts = self.amounts.iter();
        let largest = amounts.clone().max().unwrap_or(&0);
        largest - amounts.min().unwrap_or(&0)
    }

    fn is_reached(&self) -> bool {
        let found = 1000.0 * self.spread() as f64 * self.parts();
        found <= f64::from(self.goal.permille) * self.table.whole()
    }

    fn border(&mut self, border: Border) -> &mut u32 {
        match border {
            Border::Row(band) => &mut self.cuts.rows[band],
            Border::Col(band, cell) => &mut self.cuts.cols[band][cell],
        }
    }

    /// The border that helps most, and its place: the first one of those that are equal.
    fn best(&self) -> Option<(Border, u32)> {
        let inner = |borders: &[u32]| 1..borders.len() - 1;
        let rows = inner(&self.cuts.rows).map(Border::Row);
        let bands = self.cuts.cols.iter().enumerate();
        let cols =
            bands.flat_map(|(band, cols)| inner(cols).map(move |cell| Border::Col(band, cell)));
        let moves = rows.chain(cols).flat_map(|border| {
            let places = self.between(border);
            places.filter_map(move |place| Some((self.deviation(border, place)?, border, place)))
        });
        let (deviation, border, place) = moves.min_by_key(|(deviation, ..)| *deviation)?;
        (deviation < self.sums.deviation(self.amounts.len())).then_some((border, place))
    }

    /// Places of a border at which no cell beside it is empty.
    fn between(&self, border: Border) -> Span {
        let (borders, at) = match border {
            Border::Row(band) => (&self.cuts.rows, band),
            Border::Col(band, cell) => (&self.cuts.cols[band], cell),
        };
        borders[at - 1] + 1..borders[at + 1]
    }

    /// The deviation with a border at a place, if no cell grows beyond the goal.
    fn deviation(&self, border: Border, place: u32) -> Option<u128> {
        let mut sums = self.sums;
        let mut fits = true;
        let mut exchange = |band: usize, cell: usize, side: usize, span: Span| {
            let mut rectangle = self.cuts.cell(band, cell);
            let before = std::mem::replace(&mut rectangle[side], span);
            let [rows, cols] = rectangle.each_ref().map(|span| span.len() as u64);
            fits &=
                rectangle[side].len() <= before.len() || rows * cols <= self.goal.positions.into();
            let index = band * (self.cuts.cols[band].len() - 1) + cell;
            sums.exchange(self.amounts[index], self.table.amount(rectangle));
        };
        match border {
            Border::Row(band) => {
                let rows = &self.cuts.rows;
                for cell in 0..self.cuts.cols[band].len() - 1 {
                    exchange(band - 1, cell, 0, rows[band - 1]..place);
                    exchange(band, cell, 0, place..rows[band + 1]);
                }
            }
            Border::Col(band, cell) => {
                let cols = &self.cuts.cols[band];
                exchange(band, cell - 1, 1, cols[cell - 1]..place);
                exchange(band, cell, 1, place..cols[cell + 1]);
            }
        }
        fits.then(|| sums.deviation(self.amounts.len()))
    }
}
