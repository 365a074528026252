//! What sums become on their way out, from the specification alone.

/// What the sums of a rectangle become one of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum TilePool {
    /// They stay apart.
    #[default]
    None,
    /// The largest one.
    Max,
    /// All added.
    Add,
}

/// What sums become.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct TileResults {
    /// Those below 0 become 0.
    pub relu: bool,
    /// They become one.
    pub pool: TilePool,
    /// Results are divided by this power of two, rounded down.
    pub shift: u32,
    /// Results that are 0 are left out.
    pub nonzero: bool,
}

/// A sum, and the word in which it lay.
pub type Sum = (i32, usize);

/// What remains of the sums of a rectangle, which come one after the other.
#[derive(Debug, Clone, Default)]
pub struct ResultModel {
    /// Sums of the rectangle so far.
    sums: Vec<Sum>,
}

impl ResultModel {
    /// A sum, which may be the last one of its rectangle, and the result that it completes.
    pub fn take(&mut self, results: &TileResults, sum: Sum, last: bool) -> Option<Sum> {
        let positive = if results.relu { sum.0.max(0) } else { sum.0 };
        self.sums.push((positive, sum.1));
        if results.pool != TilePool::None && !last {
            return None;
        }
        let sums = std::mem::take(&mut self.sums);
        let values = sums.iter().map(|sum| sum.0);
        let pooled = match results.pool {
            TilePool::Add => values.fold(0, i32::wrapping_add),
            _ => values.max()?,
        };
        Some((pooled >> results.shift, sums[0].1))
    }
}
