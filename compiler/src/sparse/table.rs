//! What any rectangle of a map has.

use super::axis::Span;
use super::counts::{Counts, Metric};
use super::error::{PlanError, check};

/// What a share of 1 is.
const ONE: u64 = 1 << 32;

/// Sums of all rectangles that begin at the first position.
pub(super) struct Table {
    pub(super) size: [u32; 2],
    metric: Metric,
    /// Values of a position.
    values: u64,
    sums: Vec<u64>,
}

impl Table {
    /// # Errors
    /// The size, the number of counts or one of them is out of range.
    pub(super) fn new(map: &Counts, metric: Metric) -> Result<Self, PlanError> {
        let [rows, cols] = map.size;
        check("rows of counts", rows, 1..=65535)?;
        check("columns of counts", cols, 1..=65535)?;
        check("values of a position", map.values, 1..=1 << 20)?;
        let positions = i64::from(rows) * i64::from(cols);
        let found = i64::try_from(map.counts.len()).unwrap_or(i64::MAX);
        check("counts", found, positions..=positions)?;
        let mut sums = vec![0; cols as usize + 1];
        for row in map.counts.chunks(cols as usize) {
            let above = sums.len() - cols as usize - 1;
            let mut sum = 0;
            sums.push(0);
            for (col, count) in row.iter().enumerate() {
                check("count of a position", *count, 0..=map.values.into())?;
                sum += u64::from(*count);
                sums.push(sum + sums[above + col + 1]);
            }
        }
        Ok(Self {
            size: map.size,
            metric,
            values: map.values.into(),
            sums,
        })
    }

    /// Shares are compared, not numbers.
    pub(super) fn is_share(&self) -> bool {
        matches!(self.metric, Metric::NonZeroShare | Metric::ZeroShare)
    }

    /// What is compared, of a rectangle. Cells whose shares of zeros are equal have equal shares of other values: one is as good as the other.
    pub(super) fn amount(&self, cell: [Span; 2]) -> u64 {
        if !self.is_share() {
            return self.number(cell);
        }
        let values = self.values_of(&cell);
        match values {
            0 => 0,
            _ => (u128::from(self.non_zeros(&cell)) * u128::from(ONE) / u128::from(values)) as u64,
        }
    }

    /// The zeros of a rectangle, or the other values if they count.
    pub(super) fn number(&self, cell: [Span; 2]) -> u64 {
        match self.metric {
            Metric::Zeros => self.values_of(&cell) - self.non_zeros(&cell),
            _ => self.non_zeros(&cell),
        }
    }

    /// All values of the map, or a share of 1.
    pub(super) fn whole(&self) -> f64 {
        match self.is_share() {
            true => ONE as f64,
            false => self.values_of(&self.size.map(|side| 0..side)) as f64,
        }
    }

    fn values_of(&self, cell: &[Span; 2]) -> u64 {
        self.values * cell[0].len() as u64 * cell[1].len() as u64
    }

    fn non_zeros(&self, [rows, cols]: &[Span; 2]) -> u64 {
        let at = |row: u32, col: u32| {
            self.sums[row as usize * (self.size[1] as usize + 1) + col as usize]
        };
        at(rows.end, cols.end) + at(rows.start, cols.start)
            - at(rows.start, cols.end)
            - at(rows.end, cols.start)
    }
}
