//! Results stored in each iteration, not once at the end.

use super::driven::Op;
use super::examples::{
    SMALL_C, asymmetric, asymmetric_c, bench, connected, layout, padded, product, small,
};
use super::layer::{EACH, Layer, WEIGHTS};
use super::variants::VARIANTS;
use heddle_sim::blocks::offsets::Write;
use heddle_sim::blocks::offsets::examples::{self, Lists};

/// Cores that can store each iteration, or cannot; their rows and columns.
fn cores(store_each: bool) -> impl Iterator<Item = (&'static str, usize, usize)> {
    let all = VARIANTS.sides.iter();
    let chosen = all.filter(move |side| side.options.store_each == store_each);
    chosen.map(|side| {
        let unit = &side.options.unit;
        (side.name.as_str(), unit.rows, unit.cols)
    })
}

#[proves("SGCR-28")]
#[test]
fn storing_each_iteration_leaves_the_results_of_storing_once() {
    let mut bench = bench();
    for (name, rows, _) in cores(true) {
        for layer in [
            small(),
            asymmetric(),
            padded(),
            layout(2, true),
            connected(),
        ] {
            for mode in [0, WEIGHTS] {
                let layer = layer.with_mode(layer.mode | mode);
                let once = bench.run_one(name, &layer);
                let each = bench.run_one(name, &layer.with_mode(layer.mode | EACH));
                assert_eq!(each.last_sums(), once.sums(), "{name}, mode {mode}");
                let taps = layer.lists.offsets.len();
                let times = match mode {
                    0 => taps,
                    _ => taps.div_ceil(rows),
                };
                let stores = (each.stores(), once.stores());
                assert_eq!(stores.0, times * stores.1, "{name}, mode {mode}");
                // Nothing else is read.
                assert_eq!(each.status.reads, once.status.reads, "{name}, mode {mode}");
            }
        }
    }
}

#[proves("SGCR-14", "SGCR-26", "SGCR-28")]
#[test]
fn every_store_shows_the_sums_so_far() {
    let mut bench = bench();
    for (name, rows, _) in cores(true) {
        for mode in [EACH, EACH | WEIGHTS] {
            let run = bench.run_one(name, &small().with_mode(mode));
            for (m, last) in SMALL_C.into_iter().enumerate() {
                let mine = run.results[0].iter().filter(|r| usize::from(r.row) == m);
                let found: Vec<i32> = mine.map(|result| result.sum).collect();
                // 5.1.3, of the last step of each iteration.
                let taps = if mode == EACH { 1 } else { rows };
                let sums = (taps..9).step_by(taps);
                let expected = sums.map(|k| examples::SMALL_SUMS[k - 1][m]);
                let expected: Vec<i32> = expected.chain([last]).collect();
                assert_eq!(found, expected, "{name}, mode {mode}, row {m}");
            }
        }
    }
}

#[proves("SGCR-28")]
#[test]
fn a_row_of_the_array_needs_one_sum_for_any_number_of_gemm_rows() {
    let mut bench = bench();
    // 40 rows, 32 sums.
    let bases: Vec<i32> = (0..40).map(|m| 3 * m).collect();
    let operands: Vec<i8> = (0..120).map(|i| (i * 37 + 5) as i8).collect();
    let weights: Vec<i8> = (0..12).map(|i| (i * 91 + 7) as i8).collect();
    let layer = Layer::new(Lists::plain(&bases, &[0, 1, 2]), &operands, &weights, EACH);
    for (name, rows, cols) in cores(true) {
        let run = bench.run_one(name, &layer);
        assert_eq!(run.last_sums(), product(&layer, 3), "{name}");
        let tiles = 40_usize.div_ceil(rows) * 4_usize.div_ceil(cols);
        let writes = tiles * rows * cols * (3 - 1);
        assert_eq!(run.counters["sum_writes"], writes as u32, "{name}");
    }
}

#[proves("SGCR-28", "SGCR-43")]
#[test]
fn runs_of_both_kinds_follow_while_results_still_leave() {
    let mut bench = bench();
    for (name, _, _) in cores(true) {
        for stationary in [0, WEIGHTS] {
            let layer = asymmetric().with_mode(stationary);
            bench.run_one(name, &layer);
            let modes = [EACH, EACH, 0, EACH, 0].map(|mode| mode | stationary);
            let write = |mode| Op::Write(Write::register(8, mode));
            let ops = modes
                .iter()
                .flat_map(|mode| [Op::Free, write(*mode), Op::Next]);
            let runs = std::mem::take(&mut bench.play(name, ops).runs);
            assert_eq!(runs.len(), modes.len(), "{name}");
            for (run, mode) in runs.iter().zip(modes) {
                assert!(run.overlap, "{name}, mode {mode}");
                assert_eq!(run.last_sums(), asymmetric_c(), "{name}, mode {mode}");
            }
        }
    }
}

#[test]
fn cores_that_cannot_store_each_iteration_refuse_to() {
    let mut bench = bench();
    let all = cores(false).map(|core| (core.0, EACH));
    // Nor is there any other bit.
    let all = all.chain(cores(true).map(|core| (core.0, EACH | 16)));
    for (name, mode) in all {
        bench.side(name).load(&small().with_mode(mode));
        let side = bench.play(name, [Op::Start, Op::Clocks(40)]);
        assert_eq!(side.refusals[4], 1, "{name}");
        assert_eq!(bench.run_one(name, &small()).sums(), SMALL_C, "{name}");
    }
}
