//! Lanes with pooling and activation functions.

use heddle_arch::isa::Reduction;
use heddle_blocks::activation::{Function, Quantisation, table};
use heddle_hdl::post::{Post, PostOptions};
use heddle_sim::post::{PostInputs, PostSettings};
use heddle_tb::verilate::Sources;
use rand::Rng;
use rand::seq::IndexedRandom;
use rand_chacha::ChaCha8Rng;

use super::bench::{Bench, TILES, random_acc, random_dual, random_dual_sum, random_scale};
use crate::rtl::{Checked, Coverage, Mutant, check_mutants, emitted, run_seeds};

const COLS: usize = 4;

const POOLING: PostOptions = PostOptions {
    pooling: true,
    ..PostOptions::NONE
};

const ACTIVATIONS: PostOptions = PostOptions {
    activations: 8,
    ..PostOptions::NONE
};

const ALL: PostOptions = PostOptions {
    pooling: true,
    product: true,
    median: 16,
    activations: 3,
    left_shift: true,
    dual_scale: true,
    columns_per_multiplier: 2,
    announces: false,
};

fn design(options: PostOptions) -> Sources {
    emitted(Post::new(COLS, TILES, options))
}

/// What the options allow, with the longest window.
fn reductions(options: PostOptions) -> Vec<(Reduction, u32)> {
    let mut list = vec![
        (Reduction::Max, 16),
        (Reduction::Min, 16),
        (Reduction::Sum, 16),
    ];
    if options.product {
        list.push((Reduction::Product, 16));
    }
    if options.median > 0 {
        list.push((Reduction::Median, options.median as u32));
    }
    list
}

/// Random drains of windows through random tables, with gaps.
fn random_drains(sources: &Sources, options: PostOptions, seed: u64) -> Checked<Coverage> {
    let mut bench = Bench::new(sources, COLS, options, seed);
    let mut rng = bench.dut.rng();
    let mut coverage = Coverage::default();
    for _ in 0..40 {
        for column in 0..COLS as u8 + 1 {
            for tile in 0..TILES as u8 {
                let (multiplier, shift) = random_scale(&mut rng);
                bench.write_scale(column, tile, multiplier, shift)?;
                if options.dual_scale && rng.random() {
                    let (factors, shift) = random_dual(&mut rng);
                    bench.write_dual(column, tile, factors, shift)?;
                }
            }
        }
        if options.activations > 0 {
            for entry in 0..256 * options.activations as u16 {
                bench.write_entry(entry, rng.random())?;
            }
        }
        bench.finish()?;
        for _ in 0..3 {
            let low = rng.random_range(-256..=0);
            bench.settings = PostSettings {
                single: rng.random(),
                dual: options.dual_scale && rng.random(),
                low,
                high: rng.random_range(low..=255),
                reduction: Reduction::Max,
                table: rng.random_range(0..=options.activations as u8),
            };
            bench.window = 1;
            if options.pooling {
                let list = reductions(options);
                let (reduction, most) = *list.choose(&mut rng).expect("not empty");
                bench.settings.reduction = reduction;
                bench.window = rng.random_range(1..=most);
                let name = match reduction {
                    Reduction::Max => "maximum",
                    Reduction::Min => "minimum",
                    Reduction::Sum => "sum",
                    Reduction::Product => "product",
                    Reduction::Median => "median",
                };
                coverage.event(name, true);
                coverage.event("window of one", bench.window == 1);
                coverage.event("longest window", bench.window == most);
            }
            let table = usize::from(bench.settings.table);
            if options.activations > 0 {
                coverage.event("bypass", table == 0);
                coverage.event("first table", table == 1);
                coverage.event("last table", table == options.activations);
            }
            let stopped = one_drain(&mut bench, &mut rng, &mut coverage)?;
            if options.pooling {
                coverage.event("drain stopped within a window", stopped);
            }
            bench.finish()?;
        }
    }
    let stored: usize = bench.stored.iter().map(Vec::len).sum();
    coverage.event("many words stored", stored > 100);
    Ok(coverage)
}

/// Windows one after another, some of them interrupted. Sometimes the last one is not complete: says so.
fn one_drain(bench: &mut Bench, rng: &mut ChaCha8Rng, coverage: &mut Coverage) -> Checked<bool> {
    let columns = rng.random_range(1..=COLS as u16);
    let skip = rng.random_range(0..=COLS as u16 - columns);
    bench.load(rng.random_range(0..TILES as u8), skip, columns)?;
    let mut destination: u16 = rng.random();
    let windows = rng.random_range(1..12);
    // Sums near one another, so that the order of a window matters.
    let near = rng.random_bool(0.5);
    let stops = rng.random_bool(0.2);
    for window in 0..windows {
        let is_last = window + 1 == windows;
        for place in 0..bench.window {
            while rng.random_bool(0.15) {
                bench.idle(1)?;
                coverage.event("gap", true);
            }
            if is_last && stops && place > 0 && place + 1 == bench.window {
                return Ok(true);
            }
            let accs: Vec<i32> = (0..COLS)
                .map(|_| match near {
                    true => rng.random_range(-4..4),
                    false if bench.settings.dual => random_dual_sum(rng),
                    false => random_acc(rng),
                })
                .collect();
            let slot = PostInputs {
                valid: true,
                destination,
                flush: is_last,
                first: place == 0,
                last: place + 1 == bench.window,
                ..PostInputs::default()
            };
            bench.step(&slot, &accs)?;
        }
        destination = destination.wrapping_add(1);
    }
    Ok(false)
}

#[proves("PET-59")]
#[test]
fn lanes_with_maximum_minimum_and_sum() {
    let sources = design(POOLING);
    run_seeds(|seed| random_drains(&sources, POOLING, seed));
}

#[proves("PET-58")]
#[test]
fn lanes_with_eight_tables() {
    let sources = design(ACTIVATIONS);
    run_seeds(|seed| random_drains(&sources, ACTIVATIONS, seed));
}

#[proves("PET-58", "PET-59")]
#[test]
fn lanes_with_all_options() {
    let sources = design(ALL);
    run_seeds(|seed| random_drains(&sources, ALL, seed));
}

/// All functions on every byte: sums -128..=127 with scale 1 meet the table of the compiler.
#[proves("PET-58")]
#[test]
fn every_function_on_every_byte() {
    let options = ACTIVATIONS;
    let sources = design(options);
    let mut bench = Bench::new(&sources, COLS, options, 1);
    for column in 0..COLS as u8 {
        // Scale 1.
        bench.write_scale(column, 0, i32::MAX, 0).unwrap();
    }
    let functions = [
        Function::Identity,
        Function::Exponential,
        Function::Square,
        Function::SquareRoot,
        Function::BinaryStep,
        Function::BipolarStep,
        Function::Sigmoid,
        Function::Ramp,
        Function::LeakyRamp(0.1),
        Function::Tanh,
    ];
    let input = Quantisation::new(1.0 / 32.0, 0).unwrap();
    let output = Quantisation::new(1.0 / 64.0, -20).unwrap();
    for group in functions.chunks(8) {
        for (place, &function) in (0..).zip(group) {
            let entries = table(function, input, output).unwrap();
            for (byte, &entry) in (0..).zip(&entries) {
                bench.write_entry(256 * place + byte, entry).unwrap();
            }
        }
        bench.finish().unwrap();
        for (number, &function) in (1..).zip(group) {
            bench.settings.table = number;
            bench.load(0, 0, 1).unwrap();
            bench.stored[0].clear();
            for byte in 0..256 {
                let sum = byte - 128;
                bench.drain(byte as u16, byte == 255, &[sum; COLS]).unwrap();
            }
            bench.finish().unwrap();
            let words: Vec<u64> = bench.stored[0].iter().map(|word| word.data).collect();
            assert_eq!(words.len(), 32);
            let mut compared = 0;
            for byte in 0..256usize {
                let stored = (words[byte / 8] >> (8 * (byte % 8))) as u8;
                let x = (byte as f64 - 128.0) / 32.0;
                let units = stored.wrapping_add(-20i8 as u8) as i8;
                let exact = function.at(x) * 64.0 - 20.0;
                let error = (f64::from(units) - exact.clamp(-128.0, 127.0)).abs();
                assert!(error <= 0.5, "{function:?} of {x}: {error} units");
                compared += 1;
            }
            assert_eq!(compared, 256, "{function:?}: all bytes");
        }
    }
}

/// Sums written by hand through windows of two, in every column.
#[proves("PET-59")]
#[test]
fn windows_of_two_by_hand() {
    let sources = design(ALL);
    for (reduction, expected) in [
        (Reduction::Max, 0x0007_1405u64),
        (Reduction::Min, 0x0007_fefd),
        (Reduction::Sum, 0x000e_1202),
        (Reduction::Product, 0x0031_d8f1),
        (Reduction::Median, 0x000e_1202),
    ] {
        let mut bench = Bench::new(&sources, COLS, ALL, 1);
        for column in 0..COLS as u8 {
            bench.write_scale(column, 0, i32::MAX, 0).unwrap();
        }
        bench.settings.reduction = reduction;
        bench.window = 2;
        bench.load(0, 0, COLS as u16).unwrap();
        let sums = [5, -3, 20, -2, 7, 7];
        for (at, &sum) in sums.iter().enumerate() {
            let slot = PostInputs {
                valid: true,
                destination: at as u16 / 2,
                flush: at + 1 == sums.len(),
                first: at % 2 == 0,
                last: at % 2 == 1,
                ..PostInputs::default()
            };
            bench.step(&slot, &[sum; COLS]).unwrap();
        }
        bench.finish().unwrap();
        let words: Vec<u64> = bench.stored[0].iter().map(|word| word.data).collect();
        assert_eq!(words, [expected], "{reduction:?}");
    }
}

/// A design with few places, for faults.
const SMALL: PostOptions = PostOptions {
    pooling: true,
    product: true,
    median: 5,
    activations: 2,
    left_shift: false,
    dual_scale: false,
    columns_per_multiplier: 1,
    announces: false,
};

#[proves("PET-59")]
#[test]
fn faults_of_pooling_are_noticed() {
    let mutants: [Mutant; 7] = [
        (
            "heddle_pool_lane",
            "(reduction_i == 3'd0) & is_less",
            "(reduction_i == 3'd0) & !is_less",
        ),
        (
            "heddle_pool_lane",
            "(reduction_i == 3'd1) & !is_less",
            "1'b0",
        ),
        ("heddle_pool_lane", "reduced_q + acc_i", "reduced_q - acc_i"),
        (
            "heddle_pool_lane",
            "<= mul_product[31:0]",
            "<= {mul_product[30:0], 1'b0}",
        ),
        ("heddle_pool_lane", "if (!first_i)", "if (!last_i)"),
        (
            "heddle_pool_lane",
            "$signed(acc_i) < $signed(reduced_q)",
            "acc_i < reduced_q",
        ),
        (
            "heddle_pool_lane",
            "if (reduction_i == 3'd4) result_q <= chain_twice;",
            "",
        ),
    ];
    check_mutants(&design(SMALL), &mutants, |sources, seed| {
        random_drains(sources, SMALL, seed)
    });
}

#[proves("PET-59")]
#[test]
fn faults_of_the_median_are_noticed() {
    let mutants: [Mutant; 4] = [
        // Sums of the window before count, or take part in the order.
        (
            "heddle_median_chain",
            "full_q[i] <= full_q[i-1] & !first_i",
            "full_q[i] <= full_q[i-1]",
        ),
        (
            "heddle_median_chain",
            "full_q[i-1] & !first_i & (",
            "full_q[i-1] & (",
        ),
        (
            "heddle_median_chain",
            "lower + {7'd0, window_i[0]}",
            "lower",
        ),
        (
            "heddle_median_chain",
            "$signed(acc_i) >= $signed(sorted_q[32*i-32+:32])",
            "acc_i >= sorted_q[32*i-32+:32]",
        ),
    ];
    check_mutants(&design(SMALL), &mutants, |sources, seed| {
        random_drains(sources, SMALL, seed)
    });
}

#[proves("PET-58", "PET-59")]
#[test]
fn faults_of_the_way_through_the_options_are_noticed() {
    let mutants: [Mutant; 7] = [
        ("heddle_activate", "table_i[2:0] - 3'd1", "table_i[2:0]"),
        ("heddle_activate", "if (|table_i) chosen_q", "chosen_q"),
        (
            "heddle_activate",
            "chosen_q <= passed_q",
            "chosen_q <= byte_i",
        ),
        // Columns without an active tile write too; flags do not reach the next lane; entries reach the first lane only; the
        // scale comes before the window is complete.
        (
            "heddle_post_lane",
            "valid_i & active_q & last_i",
            "valid_i & last_i",
        ),
        ("heddle_post_lane", "last_q <= last_i", "last_q <= first_i"),
        (
            "heddle_post_lane",
            "aw_entry_q <= aw_entry_i",
            "aw_entry_q <= 11'd0",
        ),
        (
            "heddle_post_lane",
            "multiplier_en = late_load_q[2]",
            "multiplier_en = load_q",
        ),
    ];
    check_mutants(&design(SMALL), &mutants, |sources, seed| {
        random_drains(sources, SMALL, seed)
    });
}
