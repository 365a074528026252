//! Cells of maps with nearly the same of what counts, and the units that take them.

use heddle_compiler::sparse::{Balance, Counts, Goal, Metric, assign, balance};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

const METRICS: [Metric; 4] = [
    Metric::NonZeros,
    Metric::Zeros,
    Metric::NonZeroShare,
    Metric::ZeroShare,
];

/// The borders of the cells of each band.
type Columns = Vec<Vec<usize>>;

/// A map of one value for each position, that is zero or not.
struct Map {
    size: [u32; 2],
    bits: Vec<u32>,
}

impl Map {
    fn of(size: [u32; 2], mut is_set: impl FnMut(u32, u32) -> bool) -> Self {
        let rows = 0..size[0];
        let places = rows.flat_map(|row| (0..size[1]).map(move |col| (row, col)));
        let bits = places.map(|(row, col)| is_set(row, col).into());
        Self {
            size,
            bits: bits.collect(),
        }
    }

    /// Each quarter has a density of its own.
    fn random(size: [u32; 2], rng: &mut ChaCha8Rng) -> Self {
        let densities: [f64; 16] = std::array::from_fn(|_| rng.random_range(0.05..0.45));
        Self::of(size, |row, col| {
            let quarter = 4 * (4 * row / size[0]) + 4 * col / size[1];
            rng.random_bool(densities[quarter as usize])
        })
    }

    fn cut(&self, grid: [u32; 2], goal: Goal) -> Balance {
        let counts = Counts {
            size: self.size,
            values: 1,
            counts: &self.bits,
        };
        balance(&counts, grid, goal).unwrap()
    }

    fn count(&self, rows: [usize; 2], cols: [usize; 2]) -> u64 {
        let width = self.size[1] as usize;
        let row = |row: usize| &self.bits[row * width + cols[0]..row * width + cols[1]];
        let rows = (rows[0]..rows[1]).map(row);
        rows.flatten().map(|bit| u64::from(*bit)).sum()
    }

    /// How much the cells differ, in per cent, from the definition of the metric.
    fn spread(&self, found: &Balance, metric: Metric) -> f64 {
        let nominal = f64::from(self.size[0] * self.size[1]) / found.cells.len() as f64;
        let amount = |[rows, cols]: &[std::ops::Range<u32>; 2]| {
            let area = (rows.len() * cols.len()) as f64;
            let [rows, cols] = [rows, cols].map(|side| [side.start as usize, side.end as usize]);
            let set = self.count(rows, cols) as f64;
            match metric {
                Metric::NonZeros => set / nominal,
                Metric::Zeros => (area - set) / nominal,
                Metric::NonZeroShare => set / area,
                Metric::ZeroShare => (area - set) / area,
            }
        };
        let amounts = found.cells.iter().map(amount);
        let largest = amounts.clone().fold(f64::MIN, f64::max);
        100.0 * (largest - amounts.fold(f64::MAX, f64::min))
    }

    /// Each position has one cell.
    fn check_cells(&self, found: &Balance) {
        let mut cells = vec![0; self.bits.len()];
        for [rows, cols] in &found.cells {
            for row in rows.clone() {
                for col in cols.clone() {
                    cells[(row * self.size[1] + col) as usize] += 1;
                }
            }
        }
        assert!(cells.iter().all(|count| *count == 1), "{found:?}");
    }

    /// `balance()` of the specification for numbers of values that are not zero, step by step as it is written there: borders of bands, and
    /// of the cells of each band; whether the goal is reached.
    fn reference(&self, [gr, gc]: [usize; 2], percent: u64) -> (Vec<usize>, Columns, bool) {
        let [h, w] = self.size.map(|side| side as usize);
        let cells = |r: &[usize], c: &[Vec<usize>]| -> Vec<u64> {
            let bands = (0..gr).flat_map(|b| (0..gc).map(move |j| (b, j)));
            let cell =
                |(b, j): (usize, usize)| self.count([r[b], r[b + 1]], [c[b][j], c[b][j + 1]]);
            bands.map(cell).collect()
        };
        let sse = |v: &[u64]| {
            let sum: u64 = v.iter().sum();
            let squares: u64 = v.iter().map(|x| x * x).sum();
            v.len() as u64 * squares - sum * sum
        };
        let is_reached = |v: &[u64]| {
            let spread = v.iter().max().unwrap() - v.iter().min().unwrap();
            100 * spread * (gr * gc) as u64 <= percent * (h * w) as u64
        };
        let mut r: Vec<usize> = (0..=gr).map(|i| i * h / gr).collect();
        let mut c = vec![(0..=gc).map(|j| j * w / gc).collect::<Vec<_>>(); gr];
        let mut now = cells(&r, &c);
        while !is_reached(&now) {
            let mut best: Option<(u64, Vec<usize>, Columns, Vec<u64>)> = None;
            let mut look = |r2: Vec<usize>, c2: Vec<Vec<usize>>| {
                let v = cells(&r2, &c2);
                if best.as_ref().is_none_or(|(least, ..)| sse(&v) < *least) {
                    best = Some((sse(&v), r2, c2, v));
                }
            };
            for b in 1..gr {
                for position in r[b - 1] + 1..r[b + 1] {
                    let mut r2 = r.clone();
                    r2[b] = position;
                    look(r2, c.clone());
                }
            }
            for b in 0..gr {
                for j in 1..gc {
                    for position in c[b][j - 1] + 1..c[b][j + 1] {
                        let mut c2 = c.clone();
                        c2[b][j] = position;
                        look(r.clone(), c2);
                    }
                }
            }
            match best {
                Some((least, r2, c2, v)) if least < sse(&now) => (r, c, now) = (r2, c2, v),
                _ => break,
            }
        }
        let reached = is_reached(&now);
        (r, c, reached)
    }
}

/// Values of 32 rows of 64 columns, so many in each column of the left half and of the right one.
fn halves(left: impl Fn(u32) -> u32, right: impl Fn(u32) -> u32) -> Map {
    Map::of([32, 64], |row, col| {
        row < if col < 32 { left(col) } else { right(col - 32) }
    })
}

/// So many values spread evenly over 32 columns.
fn even(n: u32) -> impl Fn(u32) -> u32 {
    move |i| (i + 1) * n / 32 - i * n / 32
}

#[proves("FSA-06", "FSA-07", "FSA-09")]
#[test]
fn the_maps_of_the_specification_are_cut_where_it_says() {
    let rest = |col: u32| (col + 1) * 518 / 29 - col * 518 / 29;
    let full_columns = |col: u32| if col < 3 { 32 } else { rest(col - 3) };
    for (name, map, border, spread, is_reached) in [
        ("BAL-1", halves(even(410), full_columns), 35, 1.17, true),
        ("BAL-2", halves(even(410), even(614)), 37, 1.37, true),
        ("BAL-3", halves(even(512), even(520)), 32, 0.78, true),
        (
            "BAL-4",
            Map::of([32, 64], |_, col| col == 5),
            32,
            3.125,
            false,
        ),
        ("BAL-5", Map::of([32, 64], |_, col| col < 20), 10, 0.0, true),
    ] {
        let found = map.cut([1, 2], Goal::default());
        assert_eq!(found.cells[0], [0..32, 0..border], "{name}");
        assert_eq!(found.cells[1], [0..32, border..64], "{name}");
        assert!(
            (found.spread - spread).abs() < 0.005,
            "{name}: {}",
            found.spread
        );
        assert_eq!(found.is_reached, is_reached, "{name}");
        assert_eq!(found.moves > 0, border != 32, "{name}");
    }
}

#[proves("FSA-08")]
#[test]
fn a_cell_receives_columns_and_a_row_of_two_neighbours() {
    // Of 18 rows and columns cell 0 needs a row of cell 2 and two columns of cell 1: then each has 45 values, spread evenly.
    let borders = |row: u32| if row < 10 { (0, 10, 11) } else { (10, 18, 9) };
    let map = Map::of([18, 18], |row, col| {
        let (top, bottom, border) = borders(row);
        let (left, right) = if col < border {
            (0, border)
        } else {
            (border, 18)
        };
        let area = (bottom - top) * (right - left);
        let place = (row - top) * (right - left) + col - left;
        (place + 1) * 45 / area > place * 45 / area
    });
    let goal = Goal::default();
    let equal = [[0..9, 0..9], [0..9, 9..18], [9..18, 0..9], [9..18, 9..18]];
    let found = map.cut([2, 2], goal);
    let expected = [
        [0..10, 0..11],
        [0..10, 11..18],
        [10..18, 0..9],
        [10..18, 9..18],
    ];
    assert_eq!(found.cells, expected);
    assert!(found.is_reached && found.moves >= 2, "{found:?}");
    // Neither the row nor the columns alone are enough.
    for cells in [
        equal.clone(),
        [
            [0..10, 0..9],
            [0..10, 9..18],
            [10..18, 0..9],
            [10..18, 9..18],
        ],
        [[0..9, 0..11], [0..9, 11..18], [9..18, 0..9], [9..18, 9..18]],
    ] {
        let other = Balance {
            cells: cells.to_vec(),
            ..found.clone()
        };
        assert!(map.spread(&other, goal.metric) > 3.0, "{cells:?}");
    }
}

/// Columns with few values, with many, and then with as many as those before have on average: there is a border with equal shares.
fn stripes(rng: &mut ChaCha8Rng) -> Map {
    let [few, many] = [0, 1].map(|_| rng.random_range(38..=56));
    let rest = (13 * few + 51 * many) / (few + many);
    let counts = [(few, 13), (many, 51), (128 - few - many, rest)];
    let counts = counts.into_iter();
    let counts = counts.flat_map(|(columns, count)| (0..columns).map(move |_| count));
    let counts: Vec<u32> = counts.collect();
    let first: Vec<u32> = counts.iter().map(|_| rng.random_range(0..128)).collect();
    Map::of([128, 128], |row, col| {
        (row + first[col as usize]) % 128 < counts[col as usize]
    })
}

#[proves("FSA-10")]
#[test]
fn each_metric_ends_within_what_it_allows() {
    let mut moved = [0; 4];
    let (mut numbers_differ, mut shares_differ) = (0, 0);
    for seed in 0..30 {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let map = stripes(&mut rng);
        let found = METRICS.map(|metric| {
            let goal = Goal {
                metric,
                ..Goal::default()
            };
            let found = map.cut([1, 2], goal);
            map.check_cells(&found);
            let spread = map.spread(&found, metric);
            assert!((found.spread - spread).abs() < 1e-6, "{found:?} {spread}");
            assert!(
                found.is_reached && spread <= 3.0,
                "seed {seed}: {metric:?} {found:?}"
            );
            moved[metric as usize] += u32::from(found.moves > 0);
            found
        });
        numbers_differ += u32::from(found[0].cells != found[1].cells);
        shares_differ += u32::from(found[0].cells != found[2].cells);
        assert_eq!(found[2].cells, found[3].cells, "shares");
    }
    assert!(moved.iter().all(|count| *count >= 10), "{moved:?} of 30");
    assert!(
        numbers_differ > 20 && shares_differ > 20,
        "{numbers_differ} {shares_differ}"
    );
}

#[proves("FSA-07", "FSA-09")]
#[test]
fn random_maps_are_cut_as_the_specification_does_or_better() {
    let (mut equal, mut stuck) = (0, 0);
    for seed in 0..40 {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let size = [0, 1].map(|_| rng.random_range(5..=24));
        let map = match seed % 3 {
            0 => Map::of(size, |_, _| rng.random_bool(0.1)),
            _ => Map::random(size, &mut rng),
        };
        let grid: [usize; 2] = [0, 1].map(|_| rng.random_range(1..=4));
        let (rows, cols, is_reached) = map.reference(grid, 3);
        let bands = (0..grid[0]).flat_map(|b| (0..grid[1]).map(move |j| (b, j)));
        let span = |borders: &[usize], at: usize| borders[at] as u32..borders[at + 1] as u32;
        let expected: Vec<_> = bands
            .map(|(b, j)| [span(&rows, b), span(&cols[b], j)])
            .collect();
        let found = map.cut(grid.map(|side| side as u32), Goal::default());
        map.check_cells(&found);
        if found.cells == expected {
            equal += 1;
            continue;
        }
        // It begins again where the specification ends.
        stuck += 1;
        assert!(!is_reached, "seed {seed}");
        let expected = Balance {
            cells: expected,
            ..found.clone()
        };
        assert!(
            found.spread < map.spread(&expected, Metric::NonZeros),
            "seed {seed}"
        );
    }
    assert!(equal > 10 && stuck > 0, "{equal} equal, {stuck} better");
}

#[test]
fn cells_grow_to_so_many_positions_and_no_more() {
    let map = Map::of([16, 16], |row, _| row < 2);
    let sizes = |positions: u32| {
        let goal = Goal {
            positions,
            ..Goal::BEST
        };
        let cells = map.cut([2, 1], goal).cells;
        cells
            .into_iter()
            .map(|[rows, _]| rows.len())
            .collect::<Vec<_>>()
    };
    assert_eq!(sizes(u32::MAX), [1, 15]);
    assert_eq!(sizes(16 * 15), [1, 15]);
    // No place that is allowed is better than that of equal cells.
    assert_eq!(sizes(16 * 14), [8, 8]);
}

#[test]
fn a_cell_whose_share_would_be_better_without_positions_keeps_one() {
    let map = Map::of([1, 4], |_, col| col == 0);
    let cols = |positions: u32| {
        let goal = Goal {
            metric: Metric::NonZeroShare,
            positions,
            ..Goal::BEST
        };
        let cells = map.cut([1, 2], goal).cells;
        cells.into_iter().map(|[_, cols]| cols).collect::<Vec<_>>()
    };
    // Shares of 1/3 and 0; an empty cell beside one of 1/4 would differ less.
    assert_eq!(cols(u32::MAX), [0..3, 3..4]);
    assert_eq!(cols(3), [0..3, 3..4]);
    assert_eq!(cols(2), [0..2, 2..4]);
}

#[test]
fn maps_that_cannot_be_cut_are_refused() {
    let refused = |size: [u32; 2], values: u32, counts: &[u32], grid: [u32; 2], message: &str| {
        let map = Counts {
            size,
            values,
            counts,
        };
        let error = balance(&map, grid, Goal::default()).unwrap_err();
        assert_eq!(error.to_string(), message);
    };
    refused([2, 2], 1, &[0; 3], [1, 1], "counts is 3, expected 4");
    refused(
        [0, 2],
        1,
        &[],
        [1, 1],
        "rows of counts is 0, expected 1 to 65535",
    );
    refused([2, 2], 1, &[0; 4], [0, 1], "bands is 0, expected 1 to 256");
    refused(
        [2, 2],
        1,
        &[0; 4],
        [1, 257],
        "cells of a band is 257, expected 1 to 256",
    );
    refused(
        [1, 2],
        3,
        &[3, 4],
        [1, 1],
        "count of a position is 4, expected 0 to 3",
    );
    // More cells than rows: some are empty.
    let map = Map::of([2, 3], |_, _| true);
    map.check_cells(&map.cut([5, 7], Goal::default()));
    map.check_cells(&Map::of([2, 3], |_, _| false).cut([5, 7], Goal::default()));
}

/// The least sum of distances over all ways to give partitions units.
fn least(distances: &[Vec<u32>], taken: u64) -> u64 {
    let Some((first, rest)) = distances.split_first() else {
        return 0;
    };
    let free = (0..first.len()).filter(|unit| taken >> unit & 1 == 0);
    let sums = free.map(|unit| u64::from(first[unit]) + least(rest, taken | 1 << unit));
    sums.min().unwrap()
}

#[proves("FSA-22")]
#[test]
fn partitions_take_the_nearest_units() {
    let mut contended = 0;
    for seed in 0..200 {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let partitions = rng.random_range(1..=6);
        let units = rng.random_range(partitions..=7);
        let largest = [2, 20, u32::MAX][seed as usize % 3];
        let row =
            |rng: &mut ChaCha8Rng| (0..units).map(|_| rng.random_range(0..=largest)).collect();
        let distances: Vec<Vec<u32>> = (0..partitions).map(|_| row(&mut rng)).collect();
        let found = assign(&distances).unwrap();
        let mut distinct = found.clone();
        distinct.sort_unstable();
        distinct.dedup();
        assert_eq!(distinct.len(), partitions, "{found:?}");
        let own = distances.iter().zip(&found);
        let own: Vec<u32> = own.map(|(row, unit)| row[*unit as usize]).collect();
        let sum: u64 = own.iter().map(|distance| u64::from(*distance)).sum();
        assert_eq!(sum, least(&distances, 0), "{distances:?} {found:?}");
        let nearest: Vec<u32> = distances
            .iter()
            .map(|row| *row.iter().min().unwrap())
            .collect();
        contended += u32::from(own != nearest);
    }
    assert!(
        (20..180).contains(&contended),
        "{contended} of 200 contended"
    );
    // No contention: each has the unit that is nearest.
    let found = assign(&[vec![5, 1, 9], vec![3, 8, 2], vec![1, 7, 7]]).unwrap();
    assert_eq!(found, [1, 2, 0]);
}

#[test]
fn distances_that_are_no_table_are_refused() {
    let refused = |distances: &[Vec<u32>], message: &str| {
        assert_eq!(assign(distances).unwrap_err().to_string(), message);
    };
    refused(&[], "partitions is 0, expected 1 to 256");
    refused(&[vec![1], vec![2]], "units is 1, expected 2 to 256");
    refused(
        &[vec![1, 2], vec![2]],
        "units of a partition is 1, expected 2",
    );
    refused(&[vec![]], "units is 0, expected 1 to 256");
}
