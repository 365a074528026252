//! Figure 11: the product matrix, its window, and the register bank.

use heddle_arch::params::TileKind;
use heddle_hdl::sparse::tile::{TileBank, TileMatrix, TileUnit, TileWindow};
use heddle_sim::sparse::tile::rounds::TileItem;
use heddle_sim::sparse::tile::{TileCommand, TileSide, TileSizes};
use rand::Rng;
use rand::seq::SliceRandom;

use super::parts::{product, set_products};
use super::unit::Bench;
use super::{beats, item, random_items, shape, sizes};
use crate::rtl::{Dut, OrPanic, emitted};

/// Four lanes, a kernel of 2 x 2, a bank of 7 x 7.
const FIGURE: TileSizes = sizes(TileKind::Window, 4, 2, 1);

/// The weights of the figure in their order, each with its row and column.
const WEIGHTS: [(i32, usize, usize); 4] = [(0, 0, 0), (1, 0, 1), (0, 1, 1), (-1, 1, 0)];

/// The word of a place.
const fn word(row: usize, col: usize) -> usize {
    256 * row + col
}

#[track_caller]
fn check_sums(dut: &Dut, sums: &[i32]) {
    for (at, sum) in sums.iter().enumerate() {
        dut.check_element("sum_o", at, sums.len(), *sum as u64)
            .or_panic();
    }
}

/// Iteration by iteration: the product matrix, and the window: bottom right, left, up, right.
#[proves("FSA-49")]
#[test]
fn the_matrices_of_figure_11_and_their_windows() {
    let mut dut = Dut::new(&emitted(TileMatrix::new(4, 2)), 1);
    dut.set_all("tap_row_i", WEIGHTS.iter().map(|weight| weight.1 as u64));
    dut.set_all("tap_col_i", WEIGHTS.iter().map(|weight| weight.2 as u64));
    dut.set("kernel_rows_i", 1u64);
    dut.set("kernel_cols_i", 1u64);
    let windows = [(1, 1), (1, 0), (0, 0), (0, 1)];
    for (at, (window, weight)) in windows.into_iter().zip(WEIGHTS).enumerate() {
        dut.set("weight_i", at as u64);
        // The values 0, 0, 0 and 5, as in the figure; lanes have them in another order.
        let places = [(1, 1, 5 * weight.0), (0, 1, 0), (1, 0, 0), (0, 0, 0)];
        set_products(&mut dut, &places.map(|(r, c, v)| product(r, c, v)));
        dut.clock();
        dut.check("valid_o", true).or_panic();
        dut.check("row_o", window.0 as u64).or_panic();
        dut.check("col_o", window.1 as u64).or_panic();
        for (place, value) in [0, 0, 0, 5 * weight.0].into_iter().enumerate() {
            dut.check_element("value_o", place, 4, value as u64)
                .or_panic();
        }
    }
    // Without products there is no matrix.
    set_products(&mut dut, &[None; 4]);
    dut.clock();
    dut.check("valid_o", false).or_panic();
}

/// Windows of a kernel of three rows in the order in which they move by one: sums outside keep what they are.
#[proves("FSA-49")]
#[test]
fn a_matrix_is_added_to_its_window_alone() {
    let mut dut = Dut::new(&emitted(TileWindow::new(3)), 1);
    dut.set("valid_i", false);
    dut.set("shift_i", true);
    let mut sums = [0i32; 25];
    for (at, sum) in sums.iter_mut().enumerate() {
        *sum = 1000 - 100 * at as i32;
        dut.set("data_i", *sum as u64);
        dut.clock();
    }
    dut.set("shift_i", false);
    check_sums(&dut, &sums);
    let walk = [
        (2, 2),
        (2, 1),
        (2, 0),
        (1, 0),
        (1, 1),
        (1, 2),
        (0, 2),
        (0, 1),
        (0, 0),
    ];
    for (row, col) in walk {
        let matrix: [i32; 9] = std::array::from_fn(|at| 7 - 3 * at as i32);
        dut.set("valid_i", true);
        dut.set("row_i", row as u64);
        dut.set("col_i", col as u64);
        dut.set_all("value_i", matrix.iter().map(|value| *value as u64));
        for (at, value) in matrix.iter().enumerate() {
            sums[(row + at / 3) * 5 + col + at % 3] += value;
        }
        dut.clock();
        check_sums(&dut, &sums);
        dut.set("valid_i", false);
        dut.clock();
        check_sums(&dut, &sums);
    }
}

/// Every place has a register of its own; rows and columns are rings.
#[proves("FSA-47")]
#[test]
fn the_bank_moves_by_one_to_each_side() {
    for (rows, cols) in [(7, 7), (3, 5)] {
        let mut dut = Dut::new(&emitted(TileBank::new(rows, cols)), 1);
        dut.set("ren_i", false);
        dut.set("shift_i", false);
        dut.set("wen_i", true);
        let mut sums = vec![0; rows * cols];
        // Beyond the last row and column nothing is written.
        for (row, col) in (0..rows + 2).flat_map(|row| (0..cols + 2).map(move |col| (row, col))) {
            let value = 20 * row as i32 - col as i32 - 30;
            dut.set("row_i", row as u64);
            dut.set("col_i", col as u64);
            dut.set("data_i", value as u64);
            dut.clock();
            if row < rows && col < cols {
                sums[row * cols + col] = value;
            }
        }
        dut.set("wen_i", false);
        check_sums(&dut, &sums);
        let moves = [(0, 1), (0, cols - 1), (1, 0), (rows - 1, 0)];
        for (direction, (down, right)) in moves.into_iter().enumerate() {
            let before = sums.clone();
            for (at, sum) in before.into_iter().enumerate() {
                let (row, col) = ((at / cols + down) % rows, (at % cols + right) % cols);
                sums[row * cols + col] = sum;
            }
            dut.set("shift_i", true);
            dut.set("direction_i", direction as u64);
            dut.clock();
            check_sums(&dut, &sums);
            dut.set("shift_i", false);
            dut.clock();
            check_sums(&dut, &sums);
        }
    }
}

fn bench(sizes: TileSizes) -> Bench {
    Bench::new(&emitted(TileUnit::new(shape(&sizes))), sizes, 256, 1)
}

/// Adds the products of a tile.
fn add(bench: &mut Bench, first: usize, values: &[TileItem], weights: &[TileItem]) {
    let lanes = FIGURE.lanes;
    bench.commands.push_back(TileCommand::Tile(first));
    bench.values.extend(beats(values, lanes, true));
    bench.weights.extend(beats(weights, lanes, true));
    bench.run(1.0, |_| ()).or_panic();
}

/// All sums of the bank.
fn map(bench: &mut Bench) -> Vec<i32> {
    bench.commands.push_back(TileCommand::Send(0, 7, 7));
    bench.run(1.0, |_| ()).or_panic();
    std::mem::take(&mut bench.sums)
}

fn shift(bench: &mut Bench, side: TileSide, steps: usize) {
    bench.commands.push_back(TileCommand::Shift(side, steps));
    bench.run(1.0, |_| ()).or_panic();
}

/// A map of zeros but for these places.
fn sparse(places: &[(usize, usize, i32)]) -> Vec<i32> {
    let mut map = vec![0; 49];
    for (row, col, value) in places {
        map[7 * row + col] = *value;
    }
    map
}

/// The bank of figure 11 from 1130 to 1155: zeros, written back, shifted.
#[proves("FSA-47", "FSA-50")]
#[test]
fn the_bank_of_figure_11() {
    let mut bench = bench(FIGURE);
    bench.clear().or_panic();
    assert_eq!(map(&mut bench), sparse(&[]));
    add(
        &mut bench,
        word(0, 0),
        &[item((5, 1, 1))],
        &WEIGHTS.map(item),
    );
    assert_eq!(map(&mut bench), sparse(&[(1, 2, -5), (2, 1, 5)]));
    shift(&mut bench, TileSide::Right, 1);
    assert_eq!(map(&mut bench), sparse(&[(1, 3, -5), (2, 2, 5)]));
    // The last column comes round to the first one.
    add(
        &mut bench,
        word(0, 5),
        &[item((9, 0, 0))],
        &[item((1, 1, 0))],
    );
    let mut places = [(0, 6, 9), (1, 3, -5), (2, 2, 5)];
    assert_eq!(map(&mut bench), sparse(&places));
    shift(&mut bench, TileSide::Right, 1);
    places = [(0, 0, 9), (1, 4, -5), (2, 3, 5)];
    assert_eq!(map(&mut bench), sparse(&places));
    shift(&mut bench, TileSide::Left, 2);
    places = [(0, 5, 9), (1, 2, -5), (2, 1, 5)];
    assert_eq!(map(&mut bench), sparse(&places));
    shift(&mut bench, TileSide::Up, 1);
    places = [(6, 5, 9), (0, 2, -5), (1, 1, 5)];
    assert_eq!(map(&mut bench), sparse(&places));
    shift(&mut bench, TileSide::Down, 3);
    places = [(2, 5, 9), (3, 2, -5), (4, 1, 5)];
    assert_eq!(map(&mut bench), sparse(&places));
}

/// Tiles with any first value: the bank loads and stores where row and column of that value say, and all other sums stay as they are.
#[proves("FSA-48", "FSA-85")]
#[test]
fn the_bank_finds_the_sums_of_a_tile_by_its_first_value() {
    let mut bench = bench(FIGURE);
    let mut rng = bench.dut.rng();
    bench.clear().or_panic();
    let mut expected = vec![0; 49];
    let mut firsts: Vec<_> = (0..49).map(|at| (at / 7, at % 7)).collect();
    firsts.shuffle(&mut rng);
    for (first_row, first_col) in firsts {
        let values = random_items(&mut rng, (2, 2), 0.8, 255);
        let weights = random_items(&mut rng, (2, 2), 0.8, 127);
        add(&mut bench, word(first_row, first_col), &values, &weights);
        for (value, weight) in values
            .iter()
            .flat_map(|v| weights.iter().map(move |w| (v, w)))
        {
            let row = first_row + value.row + 1 - weight.row;
            let col = first_col + value.col + 1 - weight.col;
            if row < 7 && col < 7 {
                expected[7 * row + col] += value.value * weight.value;
            }
        }
        assert_eq!(map(&mut bench), expected, "{first_row}, {first_col}");
    }
}

/// 5 x 5 values in a ring of zeros, whose last row and column are in no tile: nine tiles, and the results of the values lie in one square.
#[proves("FSA-14", "FSA-15", "FSA-50")]
#[test]
fn a_padded_map_has_results_of_its_own_size() {
    let mut bench = bench(FIGURE);
    let mut rng = bench.dut.rng();
    let input: [[i32; 5]; 5] =
        [[(); 5]; 5].map(|row| row.map(|()| rng.random_range(-2i32..9).max(0)));
    let kernel: [[i32; 2]; 2] = [[2, -3], [5, 7]];
    let padded = |row: usize, col: usize| match (1..6).contains(&row) && (1..6).contains(&col) {
        true => input[row - 1][col - 1],
        false => 0,
    };
    let order = [(0, 0), (0, 1), (1, 1), (1, 0)];
    let weights = order.map(|(row, col)| item((kernel[row][col], row, col)));
    bench.clear().or_panic();
    for (row, col) in (0..9).map(|tile| (tile / 3 * 2, tile % 3 * 2)) {
        let values = [(0, 0), (0, 1), (1, 0), (1, 1)];
        let values = values.map(|(r, c)| item((padded(row + r, col + c), r, c)));
        let values: Vec<_> = values.into_iter().filter(|item| item.value != 0).collect();
        add(&mut bench, word(row, col), &values, &weights);
    }
    shift(&mut bench, TileSide::Right, 1);
    // Rows and columns 1 to 5, and the shift.
    bench
        .commands
        .push_back(TileCommand::Send(word(1, 2), 5, 5));
    bench.run(1.0, |_| ()).or_panic();
    let result = |at: usize| {
        let places = [(0, 0), (0, 1), (1, 0), (1, 1)];
        let products = places.map(|(a, b)| padded(at / 5 + a, at % 5 + b) * kernel[a][b]);
        products.iter().sum::<i32>()
    };
    assert_eq!(bench.sums, (0..25).map(result).collect::<Vec<_>>());
}
