//! Parts of the unit that works tile by tile, on their own.

use heddle_hdl::sparse::tile::{TileAdd, TileArbiter, TileSelect, TileSort, TileSums};
use heddle_sim::sparse::tile::rounds::{self, TileProduct};
use rand::Rng;
use rand_chacha::ChaCha8Rng;

use crate::rtl::{Checked, Coverage, Dut, OrPanic, emitted, run_seeds};

/// What lies in a lane.
type Lane = Option<TileProduct>;

pub(super) fn product(row: usize, col: usize, value: i32) -> Option<TileProduct> {
    let place = (row, col);
    Some(TileProduct { place, value })
}

/// Lanes without a product have anything.
pub(super) fn set_products(dut: &mut Dut, lanes: &[Option<TileProduct>]) {
    let valid = lanes.iter().map(|lane| u64::from(lane.is_some()));
    dut.set_all("product_valid_i", valid);
    let lanes = lanes.iter();
    let lanes: Vec<_> = lanes
        .map(|lane| lane.or(product(5, 2, 77)).unwrap())
        .collect();
    dut.set_all(
        "product_row_i",
        lanes.iter().map(|lane| lane.place.0 as u64),
    );
    dut.set_all(
        "product_col_i",
        lanes.iter().map(|lane| lane.place.1 as u64),
    );
    dut.set_all(
        "product_value_i",
        lanes.iter().map(|lane| lane.value as u64),
    );
}

fn check_products(dut: &Dut, lanes: &[Lane]) -> Checked {
    for (at, lane) in lanes.iter().enumerate() {
        let element = |port, value: u64| dut.check_element(port, at, lanes.len(), value);
        element("product_valid_o", u64::from(lane.is_some()))?;
        if let Some(product) = lane {
            element("product_row_o", product.place.0 as u64)?;
            element("product_col_o", product.place.1 as u64)?;
            element("product_value_o", product.value as u64)?;
        }
    }
    Ok(())
}

/// New products of a round, lanes that have none for them because products wait there, and products that go on.
type Round = ([Lane; 3], u64, [Lane; 3]);

#[track_caller]
fn check_arbiter(rounds: &[Round]) {
    let mut dut = Dut::new(&emitted(TileArbiter::new(3, 1)), 1);
    dut.set("earlier_waits_i", false);
    for (new, queued, sent) in rounds {
        set_products(&mut dut, new);
        dut.settle();
        dut.check("queued_o", *queued).or_panic();
        dut.clock();
        check_products(&dut, sent).or_panic();
    }
    set_products(&mut dut, &[None; 3]);
    dut.settle();
    dut.check("queued_o", 0u64).or_panic();
}

/// The rounds of tile 1905j. What has waited is in the last lane.
#[proves("FSA-68", "FSA-71")]
#[test]
fn the_arbiter_of_figure_20_queues_a_product_and_takes_two() {
    let none = None;
    let first = [product(4, 2, 54), product(5, 2, -54), product(5, 2, -54)];
    let second = [product(6, 2, 54), product(4, 3, 81), product(5, 2, -54)];
    let third = [product(5, 3, -81), product(5, 3, -27), product(6, 3, 27)];
    check_arbiter(&[
        (first, 0b000, [first[0], first[1], none]),
        ([second[0], second[1], none], 0b100, second),
        (third, 0b000, [third[0], none, third[2]]),
        ([none; 3], 0b100, [none, none, third[1]]),
    ]);
}

#[proves("FSA-70")]
#[test]
fn of_three_products_of_a_sum_two_wait() {
    let [a, b, c] = [1, 2, 4].map(|value| product(1, 2, value));
    let other = product(1, 1, 8);
    check_arbiter(&[
        ([a, b, c], 0b000, [a, None, None]),
        ([other, None, None], 0b110, [other, None, b]),
        ([None; 3], 0b100, [None, None, c]),
    ]);
}

fn random_lanes(rng: &mut ChaCha8Rng, lanes: usize) -> Vec<Lane> {
    let mut lane = |_| {
        let [row, col] = [4, 3].map(|end| rng.random_range(0..end));
        let value = rng.random_range(-65280..65281);
        product(row, col, value).filter(|_| rng.random_bool(0.7))
    };
    (0..lanes).map(&mut lane).collect()
}

#[proves("FSA-64")]
#[test]
fn products_are_sorted_by_their_sums() {
    let sources = emitted(TileSort::new(5));
    run_seeds(|seed| {
        let mut dut = Dut::new(&sources, seed);
        let mut rng = dut.rng();
        let mut coverage = Coverage::default();
        for _ in 0..2000 {
            let lanes = random_lanes(&mut rng, 5);
            set_products(&mut dut, &lanes);
            dut.clock();
            let mut sorted: Vec<Lane> = lanes.iter().copied().filter(Option::is_some).collect();
            // Those of one sum keep their order.
            sorted.sort_by_key(|lane| lane.map(|product| product.place));
            let same = |pair: &[Lane]| pair[0].map(|a| a.place) == pair[1].map(|b| b.place);
            coverage.event("products of one sum", sorted.windows(2).any(same));
            coverage.event("none", sorted.is_empty());
            sorted.resize(5, None);
            check_products(&dut, &sorted)?;
        }
        Ok(coverage)
    });
}

/// Products, sums of neighbours, what is selected, and which of these count.
type Added = ([Lane; 3], [i32; 3], [i32; 3], u64);

/// The three rounds of tile 1905j: products, sums of neighbours, and what is selected for each lane.
#[proves("FSA-73", "FSA-74")]
#[test]
fn neighbours_are_added_and_selected() {
    let [mut add, mut select] = [emitted(TileAdd::new(3)), emitted(TileSelect::new(3))]
        .map(|sources| Dut::new(&sources, 1));
    let worked: [Added; 3] = [
        (
            [product(4, 2, 54), product(5, 2, -54), product(5, 2, -54)],
            [0, -108, 0],
            [54, -108, -108],
            0b011,
        ),
        (
            [product(4, 3, 81), product(5, 3, -81), product(6, 2, 54)],
            [0, -27, 135],
            [81, -81, 54],
            0b111,
        ),
        (
            [product(5, 3, -27), product(6, 3, 27), None],
            [0, 27, -27],
            [-27, 27, 0],
            0b011,
        ),
    ];
    for (lanes, sums, selected, valid) in worked {
        let values = lanes.map(|lane| lane.map_or(0, |lane| lane.value));
        assert_eq!(rounds::neighbour_sums(&values), sums);
        add.set_all("value_i", values.iter().map(|value| *value as u64));
        add.settle();
        set_products(&mut select, &lanes);
        for (at, sum) in sums.iter().enumerate() {
            add.check_element("sum_o", at, 3, *sum as u64).or_panic();
        }
        let sums = (0..3).map(|at| add.get_element("sum_o", at, 3));
        select.set_all("sum_i", sums.collect::<Vec<_>>().into_iter());
        select.clock();
        select.check("product_valid_o", valid).or_panic();
        for at in (0..3).filter(|at| lanes[*at].is_some()) {
            let value = selected[at] as u64;
            select
                .check_element("product_value_o", at, 3, value)
                .or_panic();
        }
        let model: Vec<Lane> = rounds::select(&lanes).iter().map(|lane| lane.1).collect();
        check_products(&select, &model).or_panic();
    }
}

/// Each lane in turn at each sum, all in one clock; no other sum changes.
#[proves("FSA-61", "FSA-62")]
#[test]
fn any_different_sums_are_read_and_written_in_a_clock() {
    let mut dut = Dut::new(&emitted(TileSums::new(3, 3)), 1);
    let mut sums = [0i32; 9];
    set_products(&mut dut, &[None; 3]);
    dut.set("shift_i", true);
    dut.set("data_i", 0u64);
    (0..9).for_each(|_| dut.clock());
    dut.set("shift_i", false);
    let mut steps = 0;
    for places in (0..729).map(|at| [at % 9, at / 9 % 9, at / 81]) {
        if places[0] == places[1] || places[1] == places[2] || places[0] == places[2] {
            continue;
        }
        let mut lanes = [None; 3];
        for (lane, place) in places.into_iter().enumerate() {
            let value = (steps % 97 + 1) << (4 * lane);
            lanes[lane] = product(place / 3, place % 3, value);
            sums[place] += value;
        }
        set_products(&mut dut, &lanes);
        dut.clock();
        for (at, sum) in sums.iter().enumerate() {
            dut.check_element("sum_o", at, 9, *sum as u64).or_panic();
        }
        steps += 1;
    }
    assert_eq!(steps, 9 * 8 * 7);
}
