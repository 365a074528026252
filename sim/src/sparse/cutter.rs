//! Cuts of a map by prefix sums.

/// A map and how it is to be cut.
#[derive(Debug, Clone)]
pub struct Cutting {
    /// Rows and columns of the map.
    pub size: (usize, usize),
    /// Counts, row by row.
    pub counts: Vec<i64>,
    /// Bands of rows.
    pub bands: usize,
    /// Cells of a band.
    pub cells: usize,
    /// Most rows of a band.
    pub band_max: i64,
    /// Most columns of a cell.
    pub cell_max: i64,
    /// Balances what the counts leave of this one.
    pub zeros_of: Option<i64>,
}

/// A cell: rows, columns, and the sum of its counts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cell {
    /// First row, and the row behind the last one.
    pub rows: (usize, usize),
    /// First column, and the column behind the last one.
    pub cols: (usize, usize),
    /// Sum of its counts.
    pub sum: i64,
}

/// Cells of a map, band by band.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cuts {
    /// The cells.
    pub cells: Vec<Cell>,
    /// The largest sum of a cell less the smallest one.
    pub spread: i64,
    /// Clock cycles that the cutter takes.
    pub steps: usize,
}

impl Cutting {
    /// The cells.
    pub fn cut(&self) -> Cuts {
        let (rows, cols) = self.size;
        let sums: Vec<i64> = (0..rows).map(|r| self.sum((r, r + 1), (0, cols))).collect();
        let mut steps = 11 + rows * cols + rows + self.bands;
        let mut cells = Vec::new();
        for rows in parts(&sums, self.bands, self.band_max) {
            let sums: Vec<i64> = (0..cols).map(|c| self.sum(rows, (c, c + 1))).collect();
            let parts = parts(&sums, self.cells, self.cell_max).into_iter();
            cells.extend(parts.map(|cols| Cell {
                rows,
                cols,
                sum: self.sum(rows, cols),
            }));
            steps += 10 + cols * (rows.1 - rows.0).max(1) + cols + self.cells;
        }
        let sums = cells.iter().map(|cell| cell.sum);
        let spread = sums.clone().max().unwrap_or(0) - sums.min().unwrap_or(0);
        Cuts {
            cells,
            spread,
            steps,
        }
    }

    /// What a rectangle holds.
    fn sum(&self, rows: (usize, usize), cols: (usize, usize)) -> i64 {
        let places = (rows.0..rows.1)
            .flat_map(|row| (cols.0..cols.1).map(move |col| row * self.size.1 + col));
        let value = |place: usize| match self.zeros_of {
            Some(full) => full - self.counts[place],
            None => self.counts[place],
        };
        places.map(value).sum()
    }
}

/// Cuts lines into n parts: the border whose prefix sum is nearest to i of n parts of the whole, the later one of two that are equally
/// near; the first one of those with equal prefix sums, as far as the limit allows.
fn parts(lines: &[i64], n: usize, limit: i64) -> Vec<(usize, usize)> {
    let mut prefix = vec![0];
    for line in lines {
        prefix.push(prefix[prefix.len() - 1] + line);
    }
    let total = prefix[lines.len()];
    let scale = n as i64;
    let mut before = 0;
    let mut part = |i: i64| {
        let reached = prefix.partition_point(|sum| scale * sum < i * total);
        let distance = |at: usize| (scale * prefix[at] - i * total).abs();
        let is_before_nearer = reached > 0 && distance(reached - 1) < distance(reached);
        let nearest = (reached - usize::from(is_before_nearer)) as i64;
        let latest = before + limit;
        let earliest = lines.len() as i64 - (scale - i) * limit;
        let cut = nearest.min(latest).max(earliest).max(before);
        let part = (before as usize, cut as usize);
        before = cut;
        part
    };
    (1..=scale).map(&mut part).collect()
}
