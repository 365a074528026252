//! Cores whose rows keep their bases give the results of cores that read them tile by tile.

use super::bench::Bench;
use super::examples::{SMALL_C, asymmetric, asymmetric_c, padded, small};
use super::layer::{MASKS, WEIGHTS};
use super::random::{traffic, wrong};
use super::shown::Shown;
use super::sides::{Design, Side, design};
use super::variants::options;
use crate::rtl::seeds;
use heddle_sim::gemm::GemmOptions;
use heddle_sim::offsets::{Stepping, examples};
use std::sync::LazyLock;

/// Random layers of each core with each seed.
const LAYERS: usize = 6;

fn banks(options: &mut GemmOptions) {
    options.unit.broadcast = true;
    options.banks = 4;
}

/// Cores without and with the option.
static PAIRS: LazyLock<Design> = LazyLock::new(|| {
    design(vec![
        Side::new("rows", options(4, 2, |_| {})),
        Side::new("rows_ahead", options(4, 2, |o| o.unit.prefetch = true)),
        Side::new("banks", options(3, 2, banks)),
        Side::new(
            "banks_ahead",
            options(3, 2, |o| {
                banks(o);
                (o.unit.prefetch, o.store_each) = (true, true);
                o.unit.stepping = Stepping::BeforeRead;
            }),
        ),
    ])
});

#[test]
fn sgcr_58_results_are_those_of_bases_that_are_read_on_activation() {
    let mut bench = Bench::new(&PAIRS, 1);
    for (plain, ahead) in [("rows", "rows_ahead"), ("banks", "banks_ahead")] {
        assert!(bench.side(ahead).options.unit.prefetch);
        let rows = bench.side(plain).options.unit.rows;
        for (layer, expected) in [
            (small(), SMALL_C.to_vec()),
            (asymmetric(), asymmetric_c()),
            (padded().with_mode(MASKS), examples::PADDED_C.to_vec()),
        ] {
            for mode in [0, WEIGHTS] {
                let layer = layer.with_mode(layer.mode | mode);
                let before = bench.run_one(plain, &layer);
                let run = bench.run_one(ahead, &layer);
                assert_eq!(run.sums(), expected, "{ahead}, mode {mode}");
                assert_eq!(run.results, before.results, "{ahead}, mode {mode}");
                assert_eq!(run.reads, before.reads, "{ahead}, mode {mode}");
                let counts = |shown: &Shown| {
                    let counters = &shown.counters;
                    (
                        [
                            counters.operand_reads,
                            counters.weight_reads,
                            counters.table_reads,
                        ],
                        (shown.status.reads, shown.status.stalls),
                    )
                };
                assert_eq!(counts(&run), counts(&before), "{ahead}, mode {mode}");
                if plain == "rows" {
                    // A clock more for each row tile, or each pass.
                    let more = match mode {
                        0 => layer.lists.bases.len().div_ceil(rows),
                        _ => layer.outputs.div_ceil(2) * layer.lists.offsets.len().div_ceil(rows),
                    };
                    assert_eq!(
                        run.clocks,
                        before.clocks + more as u64,
                        "{ahead}, mode {mode}"
                    );
                }
            }
        }
    }
}

#[test]
fn sgcr_58_random_layers_give_what_nested_loops_give() {
    for seed in seeds() {
        let (bench, shapes) = traffic(&PAIRS, seed, LAYERS);
        for (side, shapes) in bench.sides.iter().zip(&shapes) {
            let failure = wrong(side, shapes);
            assert_eq!(failure, None, "seed {seed}: {}", side.name);
        }
        let layers = shapes.iter().flatten().flat_map(|shape| &shape.groups);
        let tiled = layers.filter(|layer| layer.lists.bases.len() > 4 && layer.mode & WEIGHTS == 0);
        assert!(tiled.count() > 0, "seed {seed}: no layer has two row tiles");
    }
}
