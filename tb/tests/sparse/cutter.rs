//! Cuts of maps: the worked examples, and random maps against prefix sums.

use std::fmt::Debug;
use std::sync::LazyLock;

use heddle_hdl::sparse::Cutter;
use heddle_sim::sparse::{Cell, Cuts, Cutting};
use heddle_tb::verilate::Sources;
use rand::Rng;
use rand_chacha::ChaCha8Rng;

use crate::rtl::{Checked, Coverage, Dut, OrPanic, check_mutants, emitted, faults, run_seeds};

/// 3 % of a cell of 32 x 32.
const THREE_PERCENT: i64 = 30;
/// Addresses of counts.
const ADDRESSES: usize = 1 << 16;

static CUTTER: LazyLock<Sources> = LazyLock::new(|| emitted(Cutter::default()));

fn drive(dut: &mut Dut, map: &Cutting, first: usize, spread_max: i64) {
    dut.set("rows_i", map.size.0 as u64);
    dut.set("cols_i", map.size.1 as u64);
    dut.set("bands_i", map.bands as u64 - 1);
    dut.set("cells_i", map.cells as u64 - 1);
    dut.set("band_max_i", map.band_max as u64);
    dut.set("cell_max_i", map.cell_max as u64);
    dut.set("zeros_i", map.zeros_of.is_some());
    dut.set("full_i", map.zeros_of.unwrap_or(0) as u64);
    dut.set("first_i", first as u64);
    dut.set("spread_max_i", spread_max as u64);
}

/// The cell on the outputs, if its number is the next one.
fn cell(dut: &Dut, number: usize) -> Checked<Cell> {
    dut.check("cell_o", number as u64)?;
    let place = |port| dut.get(port) as usize;
    Ok(Cell {
        rows: (place("part_row0_o"), place("part_row1_o")),
        cols: (place("part_col0_o"), place("part_col1_o")),
        sum: dut.get("sum_o") as i64,
    })
}

/// Cuts a map whose counts begin at `first`. Between reads `count_i` is noise.
fn cut(
    dut: &mut Dut,
    map: &Cutting,
    first: usize,
    spread_max: i64,
    rng: &mut ChaCha8Rng,
) -> Checked<Cuts> {
    drive(dut, map, first, spread_max);
    let limit = 2 * map.cut().steps;
    let mut cells = Vec::new();
    for cycle in 0..limit {
        // A start is not looked at while a cut is under way.
        let busy = cycle > 0;
        dut.set(
            "start_i",
            cycle == 0 || dut.get("busy_o") == 1 && rng.random(),
        );
        dut.settle();
        if busy && dut.get("done_o") == 1 {
            dut.check("busy_o", false)?;
            dut.check("steps_o", cycle as u64 - 1)?;
            let spread = dut.get("spread_o") as i64;
            dut.check("ok_o", spread <= spread_max)?;
            return Ok(Cuts {
                cells,
                spread,
                steps: cycle - 1,
            });
        }
        dut.check("busy_o", busy)?;
        if dut.get("valid_o") == 1 {
            cells.push(cell(dut, cells.len())?);
        }
        let asked = dut.get("count_addr_o") as usize;
        let asked = (dut.get("count_en_o") == 1).then_some(asked);
        dut.clock();
        let place = asked.map(|addr| (addr + ADDRESSES - first) % ADDRESSES);
        let count = match place {
            Some(place) if place >= map.counts.len() => {
                return Err(dut.message(&format!("reads count {place}")));
            }
            Some(place) => map.counts[place] as u64,
            None => rng.random_range(0..4096),
        };
        dut.set("count_i", count);
    }
    Err(dut.message(&format!("not done in {limit} cycles")))
}

fn check_cuts(dut: &Dut, cuts: &Cuts, expected: &Cuts) -> Checked {
    let differs = |what: &str, found: &dyn Debug, expected: &dyn Debug| {
        Err(dut.message(&format!("{what} is {found:?}, model has {expected:?}")))
    };
    for (number, pair) in cuts.cells.iter().zip(&expected.cells).enumerate() {
        if pair.0 != pair.1 {
            return differs(&format!("cell {number}"), pair.0, pair.1);
        }
    }
    let all = |cuts: &Cuts| (cuts.cells.len(), cuts.spread, cuts.steps);
    if all(cuts) != all(expected) {
        let what = "number of cells, spread, steps";
        return differs(what, &all(cuts), &all(expected));
    }
    Ok(())
}

/// A map of 32 rows and 64 columns of zeros and ones: so many ones in each column, from above.
fn two_cells(ones: impl Fn(usize) -> usize) -> Cutting {
    let count = |place: usize| i64::from(place / 64 < ones(place % 64));
    Cutting {
        size: (32, 64),
        counts: (0..32 * 64).map(count).collect(),
        bands: 1,
        cells: 2,
        band_max: 511,
        cell_max: 511,
        zeros_of: None,
    }
}

/// Ones of column i if n are spread evenly over `columns`.
fn evenly(i: usize, n: usize, columns: usize) -> usize {
    (i + 1) * n / columns - i * n / columns
}

#[track_caller]
fn check_two_cells(map: &Cutting, border: usize, sums: (i64, i64), ok: bool) {
    let mut dut = Dut::new(&CUTTER, 1);
    let mut rng = dut.rng();
    let cuts = cut(&mut dut, map, 0, THREE_PERCENT, &mut rng).or_panic();
    let cell = |cols, sum| Cell {
        rows: (0, 32),
        cols,
        sum,
    };
    assert_eq!(
        cuts.cells,
        [cell((0, border), sums.0), cell((border, 64), sums.1)]
    );
    assert_eq!(cuts.spread, (sums.0 - sums.1).abs());
    assert_eq!(dut.get("ok_o") == 1, ok);
    assert_eq!(cuts, map.cut());
}

#[proves("FSA-06", "FSA-07")]
#[test]
fn columns_move_to_the_cell_that_has_less() {
    let map = two_cells(|col| match col {
        0..32 => evenly(col, 410, 32),
        32..35 => 32,
        _ => evenly(col - 35, 518, 29),
    });
    check_two_cells(&map, 35, (506, 518), true);
    let map = two_cells(|col| match col {
        0..32 => evenly(col, 410, 32),
        _ => evenly(col - 32, 614, 32),
    });
    check_two_cells(&map, 37, (505, 519), true);
}

#[proves("FSA-06")]
#[test]
fn a_balanced_map_keeps_its_cut() {
    check_two_cells(&two_cells(|_| 16), 32, (512, 512), true);
}

#[proves("FSA-06", "FSA-09")]
#[test]
fn a_map_that_cannot_be_balanced_ends_and_says_so() {
    check_two_cells(
        &two_cells(|col| 32 * usize::from(col == 5)),
        6,
        (32, 0),
        false,
    );
}

#[proves("FSA-06")]
#[test]
fn empty_columns_do_not_block_a_cut() {
    check_two_cells(
        &two_cells(|col| 32 * usize::from(col < 20)),
        10,
        (320, 320),
        true,
    );
}

#[proves("FSA-06", "FSA-09")]
#[test]
fn a_checkerboard_is_cut_as_well_as_its_lines_allow() {
    let mut dut = Dut::new(&CUTTER, 1);
    let mut rng = dut.rng();
    // Rows and columns, sides of a field, bands and cells, and how much the cells differ then.
    for (size, field, [bands, cells], spread) in [
        ((8, 8), 1, [2, 2], 0),
        ((9, 9), 1, [2, 2], 5 * 4095),
        ((3, 3), 1, [3, 3], 4095),
        ((12, 12), 4, [2, 2], 0),
        ((5, 5), 1, [16, 16], 4095),
    ] {
        let is_dark = |at: usize| (at / size.1 / field + at % size.1 / field) % 2 == 0;
        let count = |at: usize| if is_dark(at) { 4095 } else { 0 };
        let map = Cutting {
            size,
            counts: (0..size.0 * size.1).map(count).collect(),
            bands,
            cells,
            band_max: 511,
            cell_max: 511,
            zeros_of: None,
        };
        let cuts = cut(&mut dut, &map, 0, 0, &mut rng).or_panic();
        check_cuts(&dut, &cuts, &map.cut()).or_panic();
        assert!(covered(&map, &cuts.cells).iter().all(|times| *times == 1));
        assert_eq!(cuts.spread, spread, "{size:?}, {field}, {bands} x {cells}");
        dut.clock();
    }
}

/// A map of any size, its ones spread or crowded.
fn random_map(rng: &mut ChaCha8Rng) -> Cutting {
    let line = |rng: &mut ChaCha8Rng| match rng.random_range(0..6) {
        0 => 1,
        1 => rng.random_range(100..=140),
        _ => rng.random_range(2..=20),
    };
    let size = (line(rng), line(rng));
    let full = [1, 4, 64, 4095][rng.random_range(0..4)];
    let kind = rng.random_range(0..5);
    let share = f64::from(rng.random_range(0..=10)) / 10.0;
    let corner = (rng.random_range(0..=size.0), rng.random_range(0..=size.1));
    let mut count = |place: usize| match kind {
        // Equal counts: ties.
        0 => full,
        1 => 0,
        2 if place / size.1 >= corner.0 || place % size.1 >= corner.1 => 0,
        _ if rng.random_bool(share) => rng.random_range(0..=full),
        _ => 0,
    };
    let counts = (0..size.0 * size.1).map(&mut count).collect();
    let (bands, cells) = (rng.random_range(1..=16), rng.random_range(1..=16));
    let mut limit = |lines: usize, parts: usize| {
        let even = lines.div_ceil(parts);
        let range = [0..=511, even..=even + 3, 0..=even][rng.random_range(0..3)].clone();
        rng.random_range(range) as i64
    };
    Cutting {
        band_max: limit(size.0, bands),
        cell_max: limit(size.1, cells),
        zeros_of: rng.random_bool(0.4).then_some(full),
        size,
        counts,
        bands,
        cells,
    }
}

/// How often each position of the map lies in a cell.
fn covered(map: &Cutting, cells: &[Cell]) -> Vec<usize> {
    let mut covered = vec![0; map.counts.len()];
    for cell in cells {
        for row in cell.rows.0..cell.rows.1 {
            for col in cell.cols.0..cell.cols.1 {
                covered[row * map.size.1 + col] += 1;
            }
        }
    }
    covered
}

/// What a cut has shown.
fn watch(coverage: &mut Coverage, map: &Cutting, cuts: &Cuts) {
    let (rows, cols) = map.size;
    let free = Cutting {
        band_max: 511,
        cell_max: 511,
        ..map.clone()
    };
    let free = free.cut();
    let cells = cuts.cells.len();
    coverage.event("one row", rows == 1);
    coverage.event("one column", cols == 1);
    coverage.event("one position", rows * cols == 1);
    coverage.event("map without a count", map.counts.iter().all(|n| *n == 0));
    coverage.event("map without a zero, by zeros", {
        map.zeros_of
            .is_some_and(|full| map.counts.iter().all(|n| *n == full))
    });
    coverage.event(
        "equal cells",
        cells > 1 && cuts.spread == 0 && cuts.cells[0].sum > 0,
    );
    coverage.event("one cell", cells == 1);
    coverage.event("2 cells", cells == 2);
    coverage.event("5 cells", cells == 5);
    coverage.event("16 cells", cells == 16);
    coverage.event("256 cells", cells == 256);
    coverage.event(
        "empty band",
        cuts.cells.iter().any(|c| c.rows.0 == c.rows.1),
    );
    coverage.event(
        "empty cell",
        cuts.cells.iter().any(|c| c.cols.0 == c.cols.1),
    );
    coverage.event("limit that moves a cut", free.cells != cuts.cells);
    coverage.event("limits that hold", {
        free.cells != cuts.cells
            && cuts.cells.iter().all(|c| {
                (c.rows.1 - c.rows.0) as i64 <= map.band_max
                    && (c.cols.1 - c.cols.0) as i64 <= map.cell_max
            })
    });
    coverage.event("limit too small", {
        map.bands as i64 * map.band_max < rows as i64
    });
    coverage.event("limit 0", map.band_max == 0 || map.cell_max == 0);
}

fn random_maps(sources: &Sources, seed: u64) -> Checked<Coverage> {
    let mut dut = Dut::new(sources, seed);
    let mut rng = dut.rng();
    let mut coverage = Coverage::default();
    for _ in 0..300 {
        let map = random_map(&mut rng);
        let first = rng.random_range(0..ADDRESSES);
        let expected = map.cut();
        let spread_max = (expected.spread + rng.random_range(-1..=1)).max(0);
        let cuts = cut(&mut dut, &map, first, spread_max, &mut rng)?;
        check_cuts(&dut, &cuts, &expected)?;
        if covered(&map, &cuts.cells).iter().any(|times| *times != 1) {
            return Err(dut.message("cells that do not cover the map once"));
        }
        watch(&mut coverage, &map, &cuts);
        coverage.event("spread as large as allowed", cuts.spread == spread_max);
        coverage.event("spread too large by 1", cuts.spread == spread_max + 1);
        coverage.event("addresses that wrap", first + map.counts.len() > ADDRESSES);
        for _ in 0..rng.random_range(0..3) {
            dut.set("start_i", false);
            dut.clock();
            dut.check("done_o", false)?;
            dut.check("spread_o", cuts.spread as u64)?;
        }
    }
    Ok(coverage)
}

#[proves("FSA-05", "FSA-07", "FSA-09")]
#[test]
fn cells_cover_any_map_once_in_the_stated_steps() {
    run_seeds(|seed| random_maps(&CUTTER, seed));
}

#[proves("FSA-05", "FSA-09")]
#[test]
fn the_largest_maps_have_room_in_all_sums() {
    let mut dut = Dut::new(&CUTTER, 1);
    let mut rng = dut.rng();
    for size in [(511, 128), (128, 511)] {
        let map = Cutting {
            size,
            counts: vec![4095; size.0 * size.1],
            bands: 16,
            cells: 16,
            band_max: 511,
            cell_max: 511,
            zeros_of: None,
        };
        let cuts = cut(&mut dut, &map, 0, 0, &mut rng).or_panic();
        check_cuts(&dut, &cuts, &map.cut()).or_panic();
        dut.clock();
    }
}

#[test]
fn faults_of_the_cutter_are_noticed() {
    let mutants = r"
        // Of two borders that are equally near the first one.
        heddle_cutter_walk: 1'b0} >= times_q => 1'b0} > times_q
        // No limit.
        heddle_cutter_walk: < latest_q) & nearer => < 10'd1023) & nearer
        heddle_cutter_walk: !earliest_q[13] & ( => (part_q == parts_i) & !earliest_q[13] & (
        // The last part ends one line early.
        heddle_cutter_walk: {5'd0, limit_i} - times_q => {5'd0, limit_i} - 14'd1 - times_q
        // Another number of parts.
        heddle_cutter_walk: parts_i[3] ? => parts_i[2] ?
        // Empty bands have counts, or rows of their own.
        heddle_cutter_sums: if (!(|length_i)) value_q <= 12'd0; =>
        heddle_sparse_cutter: band_ends & (|height_q) => band_ends
        // Zeros are what the counts are.
        heddle_cutter_sums: full_i - count_q => count_q
        // A start breaks off what is under way.
        heddle_sparse_cutter: start_i & !busy => start_i
        // The smallest cell is not the smallest.
        heddle_sparse_cutter: walk_sum < smallest_q => walk_sum != smallest_q";
    check_mutants(&CUTTER, &faults(mutants), random_maps);
}
