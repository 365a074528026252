//! Reads, bank conflicts and cache lines: 5.4, 5.8 and 5.9.

use heddle_arch::params::Spread;
use heddle_blocks::offsets::access::{Banks, Mapping, Rows, Step, line_fills, line_reads};
use heddle_blocks::offsets::{Convolution, Tables};
use heddle_sim::blocks::offsets::examples;

use super::{asymmetric, convolution, figure13, request, tables};

fn rows(rows: usize, spread: Spread) -> Rows {
    Rows {
        rows,
        mapping: Mapping::OutputStationary,
        spread,
    }
}

fn banks(count: u32, merge: bool) -> Banks {
    Banks {
        count,
        element_bytes: 1,
        merge,
    }
}

/// The steps of rows that take one address from all.
fn broadcast(count: usize, tables: &Tables) -> Vec<Step> {
    rows(count, Spread::Broadcast).steps(tables).collect()
}

fn reads(steps: &[Step]) -> usize {
    steps.iter().flatten().flatten().count()
}

#[test]
fn tiles_of_5_4_read_what_they_use() {
    let steps = broadcast(3, &tables(&request(figure13())));
    assert_eq!((steps.len(), reads(&steps)), (18, 36));
    assert!(steps[9..].iter().all(|step| step[1..] == [None, None]));
    let steps = broadcast(16, &tables(&asymmetric()));
    assert_eq!((steps.len(), reads(&steps)), (24, 288));
}

#[test]
fn trace_of_5_8_1() {
    let steps = broadcast(2, &tables(&request(figure13())));
    let first = [0, 1, 2, 4, 5, 6, 8, 9, 10, 4, 5, 6, 8, 9, 10, 12, 13, 14];
    let expected: Vec<Step> = first.map(|a| vec![Some(a), Some(a + 1)]).to_vec();
    assert_eq!(steps, expected);
    let steps = broadcast(4, &tables(&request(figure13())));
    assert_eq!((steps.len(), reads(&steps)), (9, 36));
}

/// Addresses clock by clock, -1 where a row does not read.
fn clocks(steps: &[Step]) -> Vec<Vec<i32>> {
    let shown = |address: &Option<i64>| address.map_or(-1, |address| address as i32);
    steps
        .iter()
        .map(|step| step.iter().map(shown).collect())
        .collect()
}

#[test]
fn traces_of_5_8_2_and_5_8_4() {
    let tables = tables(&request(figure13()));
    let skew: Vec<Step> = rows(4, Spread::Skew).steps(&tables).collect();
    assert_eq!(clocks(&skew), examples::SKEW);
    let stationary = Rows {
        mapping: Mapping::WeightStationary,
        ..rows(4, Spread::Skew)
    };
    let steps: Vec<Step> = stationary.steps(&tables).collect();
    assert_eq!((steps.len(), reads(&steps)), (21, 36));
    assert_eq!(clocks(&steps[7..14]), examples::STATIONARY_TILE_1);
    let first = examples::STATIONARY_TILE_2.map(|address| vec![address as i32, -1, -1, -1]);
    assert_eq!(clocks(&steps[14..18]), first);
    assert_eq!(clocks(&steps[18..]), [[-1; 4]; 3]);
}

#[test]
fn conflicts_of_5_8_3() {
    let tables = tables(&request(figure13()));
    for (count, degree, broadcast, skew, merged) in
        [(2, 2, 18, 28, 18), (4, 2, 18, 22, 12), (8, 1, 9, 22, 12)]
    {
        let banked = banks(count, false);
        let steps = rows(4, Spread::Broadcast);
        for step in steps.steps(&tables) {
            let addresses: Vec<i64> = step.into_iter().flatten().collect();
            assert_eq!(banked.conflict_degree(&addresses), degree, "{count} banks");
        }
        // It follows from the bases alone.
        let of_bases = banked.conflict_degree(&[0, 1, 4, 5]);
        assert_eq!(of_bases, degree, "{count} banks");
        let skewed = rows(4, Spread::Skew);
        let clocks = [
            banked.clocks(steps.steps(&tables)),
            banked.clocks(skewed.steps(&tables)),
            banks(count, true).clocks(skewed.steps(&tables)),
        ];
        assert_eq!(clocks, [broadcast, skew, merged], "{count} banks");
    }
}

#[test]
fn banks_count_elements_and_equal_reads_once() {
    let wide = Banks {
        count: 4,
        element_bytes: 2,
        merge: false,
    };
    assert_eq!(wide.conflict_degree(&[0, 2, 4, 6]), 1);
    assert_eq!(wide.conflict_degree(&[0, 8, 16, 2]), 3);
    assert_eq!(wide.conflict_degree(&[0, 0, 0, 2]), 3);
    let merge = Banks {
        merge: true,
        ..wide
    };
    assert_eq!(merge.conflict_degree(&[0, 0, 0, 2]), 1);
    assert_eq!(merge.conflict_degree(&[]), 0);
    assert_eq!(merge.clocks([vec![None, None]].into_iter()), 1);
}

/// Reads in the order of 4.13, rule 2, and one row after the other.
fn orders(tables: &Tables, tile: usize) -> [Vec<i64>; 2] {
    let together = rows(tile, Spread::Broadcast);
    let distances = tables.distances();
    let rows = (0..tables.bases.len()).flat_map(|row| {
        let distances = &distances;
        (0..distances.len()).filter_map(move |tap| tables.address(distances, row, tap))
    });
    [
        together.steps(tables).flatten().flatten().collect(),
        rows.collect(),
    ]
}

#[proves("SGCR-36")]
#[test]
fn line_fills_of_5_9() {
    let small = tables(&request(figure13()));
    let [together, apart] = orders(&small, 4);
    for (lines, k_outer, row_outer) in [(1, 16, 12), (2, 4, 10), (3, 4, 4)] {
        let fills = [&together, &apart].map(|order| line_fills(order.iter().copied(), 4, lines));
        assert_eq!(fills, [k_outer, row_outer], "{lines} lines");
    }
    assert_eq!(together.len(), 36);
    let four = rows(4, Spread::Broadcast);
    assert_eq!(line_reads(four.steps(&small), 4), 18);
}

#[proves("SGCR-36")]
#[test]
fn line_fills_of_a_larger_case_of_5_9() {
    let shape = Convolution {
        channels: 8,
        ..convolution(34, 34, [3, 3])
    };
    let large = tables(&request(shape));
    let [together, apart] = orders(&large, 16);
    for (lines, k_outer, row_outer) in [
        (4, 3072, 27648),
        (16, 3072, 27648),
        (32, 3072, 1652),
        (64, 584, 584),
    ] {
        let fills = [&together, &apart].map(|order| line_fills(order.iter().copied(), 16, lines));
        assert_eq!(fills, [k_outer, row_outer], "{lines} lines");
    }
    assert_eq!(together.len(), 73_728);
    let sixteen = rows(16, Spread::Broadcast);
    assert_eq!(line_reads(sixteen.steps(&large), 16), 8_832);
    // As many lines as A spans.
    assert_eq!(line_fills(together.iter().copied(), 16, 1000), 578);
}
