//! Rounds of a tile, from the specification alone.

/// A value in its tile, or a weight in its kernel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TileItem {
    /// The value.
    pub value: i32,
    /// Its row.
    pub row: usize,
    /// Its column.
    pub col: usize,
}

/// A product and the sum to which it belongs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TileProduct {
    /// Row and column of the sum.
    pub place: (usize, usize),
    /// The product.
    pub value: i32,
}

/// The product of a value and a weight of a kernel of so many rows and columns.
pub fn product(value: &TileItem, weight: &TileItem, kernel: (usize, usize)) -> TileProduct {
    let row = value.row + (kernel.0 - 1) - weight.row;
    let col = value.col + (kernel.1 - 1) - weight.col;
    TileProduct {
        place: (row, col),
        value: value.value * weight.value,
    }
}

/// The products of a weight and of values of a tile of so many rows and columns, row by row.
pub fn matrix(values: &[TileItem], weight: &TileItem, side: usize) -> Vec<i32> {
    let mut matrix = vec![0; side * side];
    for value in values {
        matrix[value.row * side + value.col] = value.value * weight.value;
    }
    matrix
}

/// Where the window of a weight begins in the sums of a tile: the last weight's is at the top left.
pub fn window(weight: &TileItem, kernel: (usize, usize)) -> (usize, usize) {
    (kernel.0 - 1 - weight.row, kernel.1 - 1 - weight.col)
}

/// Numbers of value and weight of the pairs of a round that begins with pair `at`: all values with a weight, then all with the next one, at
/// most `limit` weights.
pub fn issue(
    at: usize,
    room: usize,
    limit: usize,
    values: usize,
    weights: usize,
) -> Vec<(usize, usize)> {
    let mut pairs = Vec::new();
    for pair in at..values * weights {
        let (weight, value) = (pair / values, pair % values);
        if pairs.len() == room || weight - at / values == limit {
            break;
        }
        pairs.push((value, weight));
    }
    pairs
}

/// Those of a round that go on: of a sum at most `limit`. The others are left in the queue.
pub fn merge(
    queue: &mut Vec<TileProduct>,
    new: Vec<TileProduct>,
    limit: usize,
    earlier_waits: bool,
) -> Vec<TileProduct> {
    let old = queue.len();
    let all: Vec<TileProduct> = queue.drain(..).chain(new).collect();
    let mut order: Vec<usize> = (0..all.len()).collect();
    if earlier_waits {
        order[old..].reverse();
    }
    let mut sent: Vec<usize> = Vec::new();
    for at in order {
        let same = sent
            .iter()
            .filter(|sent| all[**sent].place == all[at].place);
        if same.count() < limit {
            sent.push(at);
        }
    }
    let waits = (0..all.len()).filter(|at| !sent.contains(at));
    queue.extend(waits.map(|at| all[at]));
    sent.sort_unstable();
    sent.into_iter().map(|at| all[at]).collect()
}

/// Sums of each lane with the next one, in a ring.
pub fn neighbour_sums(lanes: &[i32]) -> Vec<i32> {
    let next = lanes.iter().cycle().skip(1);
    lanes.iter().zip(next).map(|(a, b)| a + b).collect()
}

/// What goes on where two neighbours are of one sum: both lanes have their sum, and the second one does not count.
pub fn select(lanes: &[Option<TileProduct>]) -> Vec<(i32, Option<TileProduct>)> {
    let value = |lane: &Option<TileProduct>| lane.map_or(0, |product| product.value);
    let values: Vec<i32> = lanes.iter().map(value).collect();
    let sums = neighbour_sums(&values);
    let count = lanes.len();
    let meets = |a: usize, b: usize| {
        let places = lanes[a].zip(lanes[b]);
        a != b && places.is_some_and(|(a, b)| a.place == b.place)
    };
    let mut selected = Vec::new();
    for i in 0..count {
        let (before, next) = ((i + count - 1) % count, (i + 1) % count);
        let result = match (meets(i, next), meets(i, before)) {
            (true, _) => sums[i],
            (_, true) => sums[before],
            _ => values[i],
        };
        let counts = lanes[i].filter(|_| i == 0 || !meets(i, before));
        let product = counts.map(|product| TileProduct {
            value: result,
            ..product
        });
        selected.push((result, product));
    }
    selected
}
