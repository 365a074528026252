//! The worked examples of the specification: literal results and counts of one build.

use super::driven::Op;
use super::examples::{
    SMALL_C, asymmetric, asymmetric_c, bench, bordered, connected, figure_15, layout, layout_c,
    names, padded, product, small, two_threads,
};
use super::layer::{Layer, MASKS, WEIGHTS};
use super::reads::Read;
use super::variants::VARIANTS;
use heddle_sim::blocks::offsets::Write;
use heddle_sim::blocks::offsets::examples;

#[proves("SGCR-31", "SGCR-32", "SGCR-33")]
#[test]
fn one_build_runs_every_example_with_other_tables_and_counts() {
    let mut bench = bench();
    let logical = layout_c();
    for name in names() {
        let mut check = |layer: &Layer, expected: &[i32]| {
            for mode in [0, WEIGHTS] {
                let run = bench.run_one(&name, &layer.with_mode(layer.mode | mode));
                assert_eq!(run.sums(), expected, "{name}, mode {mode}");
            }
        };
        check(&small(), &SMALL_C);
        check(&asymmetric(), &asymmetric_c());
        check(&padded(), &examples::PADDED_C);
        for number in 0..5 {
            check(&layout(number, false), &logical);
            check(&layout(number, true), &logical);
        }
        let connected = connected();
        check(&connected, &product(&connected, 7));
    }
}

#[proves("SGCR-01", "SGCR-02")]
#[test]
fn the_13_entries_of_5_1_are_all_that_is_loaded_and_read() {
    let mut bench = bench();
    for name in names() {
        let before = bench.table_writes(&name);
        let run = bench.run_one(&name, &small());
        // The bench fails if an entry is written while a run is under way.
        assert_eq!(bench.table_writes(&name) - before, 4 + 9, "{name}");
        let tiles = 4_u32.div_ceil(bench.side(&name).options.unit.rows as u32);
        assert_eq!(run.counters["table_reads"], 4 + 9 * tiles, "{name}");
    }
}

#[proves("SGCR-26")]
#[test]
fn sums_after_every_step_are_those_of_5_1_3() {
    let mut bench = bench();
    for name in ["four", "broad", "single", "two_merged"] {
        bench.run_one(name, &small());
        for (k, expected) in examples::SMALL_SUMS.iter().enumerate() {
            let taps = Op::Write(Write::register(3, k as u32 + 1));
            bench.side(name).ops.push_back(taps);
            let run = bench.run_loaded(name);
            assert_eq!(run.sums(), expected, "{name}, {} steps", k + 1);
        }
    }
}

#[proves("SGCR-27", "SGCR-45")]
#[test]
fn only_rows_and_channels_that_exist_give_results() {
    let mut bench = bench();
    // 5.4: 36 reads and 4 results with three rows.
    let run = bench.run_one("flat", &small());
    assert_eq!((run.status.reads, run.stores()), (36, 4));
    let reads: Vec<_> = run.reads.memories.iter().map(Vec::len).collect();
    assert_eq!(reads, [18, 9, 9]);
    assert_eq!(
        run.reads.memories[0][9..],
        [
            (5, 0),
            (6, 4),
            (7, 6),
            (9, 2),
            (10, 1),
            (11, 3),
            (13, 7),
            (14, 5),
            (15, 2)
        ]
    );
    for name in names() {
        let run = bench.run_one(&name, &asymmetric());
        let cols = VARIANTS.sides.iter().find(|side| side.name == name);
        let cols = cols.map_or(1, |side| side.options.unit.cols);
        // 5.4: 48 results; 288 reads for each column tile.
        let tiles = 2_usize.div_ceil(cols);
        assert_eq!(
            (run.status.reads, run.stores()),
            (288 * tiles as u64, 48),
            "{name}"
        );
        assert_eq!(run.sums(), asymmetric_c());
    }
}

#[proves("SGCR-34", "SGCR-35")]
#[test]
fn each_result_once_with_more_rows_than_the_array_has() {
    let mut bench = bench();
    for name in names() {
        for mode in [0, WEIGHTS] {
            let run = bench.run_one(&name, &asymmetric().with_mode(mode));
            let places: Vec<_> = run.sorted().iter().map(|r| (r.row, r.col)).collect();
            let all = (0..24).flat_map(|row| [(row, 0), (row, 1)]);
            assert_eq!(places, all.collect::<Vec<_>>(), "{name}");
        }
    }
}

#[proves("SGCR-47", "SGCR-48", "SGCR-56")]
#[test]
fn padding_by_mask_and_by_border() {
    let mut bench = bench();
    for name in names() {
        for mode in [0, WEIGHTS] {
            let masked = bench.run_one(&name, &padded().with_mode(mode | MASKS));
            assert_eq!(masked.sums(), examples::PADDED_C, "{name}");
            assert_eq!(masked.status.reads, 49, "{name}");
            let border = bench.run_one(&name, &bordered().with_mode(mode));
            assert_eq!(border.sums(), examples::PADDED_C, "{name}");
            assert_eq!(border.status.reads, 81, "{name}");
        }
    }
}

#[proves("SGCR-52")]
#[test]
fn bank_conflicts_take_the_clocks_of_5_8_3_and_change_nothing() {
    let mut bench = bench();
    let mut clocks = Vec::new();
    for (name, run_clocks) in [("two", 18), ("four_banks", 18), ("eight", 9)] {
        let run = bench.run_one(name, &small());
        assert_eq!(run.sums(), SMALL_C, "{name}");
        assert_eq!(run.status.stalls, run_clocks - 9, "{name}");
        // The degree is the same at every k, and all rows wait for the one that is served last: row r
        // has its operand r clocks behind row 0.
        let steps = &run.operand_clocks[0];
        assert_eq!(steps.len(), 9, "{name}");
        let degree = run_clocks / 9;
        assert!(
            steps.windows(2).all(|pair| pair[1] - pair[0] == degree),
            "{name}"
        );
        for (row, clocks) in (0..).zip(&run.operand_clocks) {
            assert!(
                clocks
                    .iter()
                    .zip(steps)
                    .all(|(clock, first)| *clock == first + row)
            );
        }
        clocks.push(run.clocks);
    }
    assert_eq!((clocks[0] - clocks[2], clocks[1] - clocks[2]), (9, 9));
    let run = bench.run_one("two_merged", &small());
    assert_eq!((run.sums(), run.status.stalls), (SMALL_C.to_vec(), 9));
}

#[proves("SGCR-23", "SGCR-43", "SGCR-57")]
#[test]
fn one_load_of_the_tables_serves_other_operands_and_weights() {
    let mut bench = bench();
    for name in names() {
        for mode in [0, WEIGHTS] {
            let layer = connected().with_mode(mode);
            bench.run_one(&name, &layer);
            let written = bench.table_writes(&name);
            // Another input, then other weights in place, then another layer beside it.
            let mut input = layer.clone();
            input.operands.iter_mut().for_each(|pair| pair.1 = !pair.1);
            let mut trained = input.clone();
            trained
                .weights
                .iter_mut()
                .for_each(|weight| *weight ^= 0x55);
            let mut next = trained.clone();
            (next.a_origin, next.b_origin) = (100, 60);
            next.operands.rotate_left(1);
            for layer in [&input, &trained, &next] {
                bench.side(&name).load_all_but_tables(layer);
                let run = bench.run_loaded(&name);
                let mut sorted = layer.clone();
                sorted.operands.sort_unstable();
                assert_eq!(run.sums(), product(&sorted, 7), "{name}, mode {mode}");
            }
            // Both layers lie in memory: back to back without another write of a table.
            bench.side(&name).load_all_but_tables(&input);
            let side = bench.side(&name);
            side.ops.extend([Op::Run, Op::Settled]);
            let origins = [Write::register(0, 100), Write::register(1, 60)];
            side.ops.extend(origins.map(Op::Write));
            let last = bench.run_loaded(&name).sums();
            let mut sorted = next.clone();
            sorted.operands.sort_unstable();
            assert_eq!(last, product(&sorted, 7), "{name}, mode {mode}");
            let side = bench.side(&name);
            let first = side.runs.pop().map(|run| run.sums());
            assert_eq!(first, Some(product(&input, 7)), "{name}, mode {mode}");
            assert_eq!(bench.table_writes(&name), written, "{name}");
        }
    }
}

#[proves("SGCR-42")]
#[test]
fn operands_may_lie_anywhere_and_every_address_moves_with_them() {
    let mut bench = bench();
    for name in names() {
        let first = bench.run_one(&name, &asymmetric());
        let written = bench.table_writes(&name);
        for origin in [1, 64, 300, 1024 - 336] {
            let mut layer = asymmetric();
            layer.a_origin = origin;
            // The tables are those of the first run.
            bench.side(&name).load_all_but_tables(&layer);
            let run = bench.run_loaded(&name);
            assert_eq!(run.sums(), asymmetric_c(), "{name}, origin {origin}");
            assert_eq!(run.reads.rows, first.reads.rows, "{name}, origin {origin}");
            if bench.side(&name).options.banks == 0 {
                let moved = |(at, byte): &Read| (at + origin, *byte);
                let moved = |reads: &Vec<Read>| reads.iter().map(moved).collect::<Vec<_>>();
                let moved: Vec<_> = first.reads.memories.iter().map(moved).collect();
                assert_eq!(run.reads.memories, moved, "{name}, origin {origin}");
            }
        }
        assert_eq!(bench.table_writes(&name), written, "{name}");
    }
}

#[proves("SGCR-19")]
#[test]
fn weights_may_lie_anywhere_with_one_load_of_the_tables() {
    let mut bench = bench();
    for name in names() {
        bench.run_one(&name, &asymmetric());
        let written = bench.table_writes(&name);
        for mode in [0, WEIGHTS] {
            for origin in [0, 1, 200] {
                let mut layer = asymmetric().with_mode(mode);
                layer.b_origin = origin;
                bench.side(&name).load_all_but_tables(&layer);
                let run = bench.run_loaded(&name);
                assert_eq!(run.sums(), asymmetric_c(), "{name}");
                let first = run.reads.weights.iter().map(|reads| reads[0].0);
                assert!(first.eq(run.reads.weights.iter().map(|_| u32::from(origin))));
            }
        }
        assert_eq!(bench.table_writes(&name), written, "{name}");
    }
}

#[proves("SGCR-54", "SGCR-55")]
#[test]
fn both_mappings_give_one_result_with_the_counts_of_5_8_4() {
    let mut bench = bench();
    let run = bench.run_one("four", &small().with_mode(WEIGHTS));
    assert_eq!(run.sums(), SMALL_C);
    let counters = &run.counters;
    // 12 base and 9 offset reads, 12 words, 36 operands.
    assert_eq!(
        (counters["table_reads"], counters["weight_reads"]),
        (12 + 9, 12)
    );
    assert_eq!((counters["operand_reads"], run.status.reads), (36, 36));
    for name in names() {
        let weights = bench.run_one(&name, &asymmetric().with_mode(WEIGHTS));
        let outputs = bench.run_one(&name, &asymmetric());
        assert_eq!(weights.sorted(), outputs.sorted(), "{name}");
    }
}

#[proves("SGCR-09", "SGCR-20", "SGCR-29")]
#[test]
fn a_run_reads_tables_from_their_memories_and_copies_nothing() {
    let mut bench = bench();
    for side in &VARIANTS.sides {
        let (name, unit) = (&side.name, &side.options.unit);
        let tiles = 2_usize.div_ceil(unit.cols);
        // Sums of all K tiles but the last wait for more: 24 pixels, all columns.
        let waiting = (12_usize.div_ceil(unit.rows) - 1) * 24 * tiles * unit.cols;
        for (mode, sums) in [(WEIGHTS, waiting), (0, 0)] {
            bench.run_one(name, &asymmetric().with_mode(mode));
            let counters = bench.run_loaded(name).counters;
            let written = [
                "operand_writes",
                "weight_writes",
                "table_writes",
                "sum_writes",
            ];
            let written = written.map(|name| counters[name] as usize);
            assert_eq!(written, [0, 0, 0, sums], "{name}, mode {mode}");
        }
        let run = bench.run_loaded(name);
        // Every base once, every offset once for each row tile and column tile.
        let entries = 24 + 12 * 24_usize.div_ceil(unit.rows) * tiles;
        assert_eq!(run.counters["table_reads"] as usize, entries, "{name}");
        // The memory of the operands is read for operands alone; rows that meet share a read.
        assert_eq!(run.status.reads as usize, 288 * tiles, "{name}");
        let reads = run.counters["operand_reads"] as usize;
        assert!(reads <= 288 * tiles, "{name}");
        assert!(side.options.banks > 0 || reads == 288 * tiles, "{name}");
    }
}

#[proves("SGCR-49", "SGCR-50")]
#[test]
fn tables_of_5_3_by_the_expander_of_a_core() {
    let expand = |values: [u32; 9], repeat: u32| {
        let values = values.into_iter().chain([repeat]);
        (16..)
            .zip(values)
            .map(|(index, value)| Op::Write(Write::register(index, value)))
    };
    let mut bench = bench();
    let layer = asymmetric();
    let before = bench.table_writes("square");
    // Bases of an image by the steps 4 and 6, once more 168 bytes on; offsets by 2, 24, 52.
    let side = bench.side("square");
    side.ops.extend(expand([1, 0, 0, 3, 4, 4, 6, 1, 0], 0));
    side.ops.extend(expand([1, 12, 0, 12, 168, 1, 0, 0, 0], 1));
    side.ops.extend(expand([2, 0, 0, 3, 2, 2, 24, 2, 52], 0));
    for mode in [0, WEIGHTS] {
        bench
            .side("square")
            .load_all_but_tables(&layer.with_mode(mode));
        assert_eq!(bench.run_loaded("square").sums(), asymmetric_c(), "{mode}");
    }
    assert_eq!(bench.table_writes("square") - before, 24 + 12);
}

#[proves("SGCR-17")]
#[test]
fn taps_in_another_order_with_their_weights() {
    let mut bench = bench();
    let order = [7, 2, 11, 0, 5, 9, 1, 10, 3, 8, 6, 4];
    for name in names() {
        let mut layer = asymmetric();
        layer.lists.offsets = order.map(|k| layer.lists.offsets[k]).to_vec();
        layer.order = order.map(|k| k as u32).to_vec();
        let run = bench.run_one(&name, &layer);
        assert_eq!(run.sums(), asymmetric_c(), "{name}");
    }
}

#[proves("SGCR-10")]
#[test]
fn rows_of_5_2_add_their_base_to_every_offset() {
    let mut bench = bench();
    for name in names() {
        for mode in [0, WEIGHTS] {
            let run = bench.run_one(&name, &two_threads().with_mode(mode));
            assert_eq!(run.sums(), [321, 654], "{name}, mode {mode}");
        }
    }
}

#[proves("SGCR-37", "SGCR-38", "SGCR-39")]
#[test]
fn figure_15_gives_the_convolution() {
    let mut bench = bench();
    let (layer, expected) = figure_15();
    // Sums of weight stationary rows would need 50 places in the results memory.
    for name in names() {
        let run = bench.run_one(&name, &layer);
        assert_eq!(run.sums(), expected, "{name}");
        if name == "four" {
            // 5.7: m = 31, k = 8 and m = 49, k = 11, four rows to a tile of 12 steps.
            let at = |m: usize, k: usize| run.reads.memories[m % 4][m / 4 * 12 + k].0;
            assert_eq!((at(31, 8), at(49, 11)), (136, 167));
        }
    }
}
