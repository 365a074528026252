//! Lanes without options.

use std::sync::LazyLock;

use heddle_hdl::post::{Post, PostOptions};
use heddle_sim::post::PostSettings;
use heddle_tb::verilate::Sources;
use rand::Rng;

use super::bench::{
    Bench, TILES, dual_sum, random_acc, random_dual, random_dual_sum, random_scale,
};
use crate::rtl::{Checked, Coverage, check_mutants, emitted, run_seeds};

const LEFT: PostOptions = PostOptions {
    left_shift: true,
    ..PostOptions::NONE
};

static ONE: LazyLock<Sources> = LazyLock::new(|| emitted(Post::new(1, TILES, LEFT)));
static THREE: LazyLock<Sources> = LazyLock::new(|| emitted(Post::new(3, TILES, PostOptions::NONE)));

const DUAL: PostOptions = PostOptions {
    dual_scale: true,
    ..PostOptions::NONE
};

static THREE_DUAL: LazyLock<Sources> = LazyLock::new(|| emitted(Post::new(3, TILES, DUAL)));

const SHARED: PostOptions = PostOptions {
    columns_per_multiplier: 4,
    ..PostOptions::NONE
};

static EIGHT: LazyLock<Sources> = LazyLock::new(|| emitted(Post::new(8, TILES, SHARED)));

/// One recorded scaling.
#[derive(serde::Deserialize)]
struct Vector {
    acc: i32,
    multiplier: i32,
    shift: i32,
    rounding: String,
    zero_point: i16,
    min: i16,
    max: i16,
    expected: i16,
}

#[test]
fn lane_reproduces_the_recorded_scalings() {
    let text = include_str!("../../../arch/tests/data/requantise.json");
    let vectors: Vec<Vector> = serde_json::from_str(text).expect("the vector file is valid");
    let mut bench = Bench::new(&ONE, 1, LEFT, 1);
    for v in &vectors {
        bench.settings = PostSettings {
            single: v.rounding == "single",
            low: v.min - v.zero_point,
            high: v.max - v.zero_point,
            ..PostSettings::default()
        };
        bench.write_scale(0, 1, v.multiplier, v.shift).unwrap();
        bench.load(1, 0, 1).unwrap();
        bench.drain(0, true, &[v.acc]).unwrap();
        bench.finish().unwrap();
        let word = bench.stored[0].pop().expect("one word per vector");
        assert_eq!(
            word.data,
            (v.expected - v.zero_point) as u64 & 0xff,
            "acc {}, multiplier {}, shift {}, {}",
            v.acc,
            v.multiplier,
            v.shift,
            v.rounding
        );
    }
    assert!(vectors.len() > 2000);
}

#[test]
fn words_leave_when_the_address_leaves_them_or_at_the_flush() {
    let mut bench = Bench::new(&THREE, 3, PostOptions::NONE, 1);
    for column in 0..3 {
        // Scale 1.
        bench.write_scale(column, 2, i32::MAX, 0).unwrap();
    }
    bench.load(2, 0, 2).unwrap();
    bench.drain(8, false, &[1, 2, 3]).unwrap();
    bench.drain(9, false, &[4, 5, 6]).unwrap();
    bench.idle(3).unwrap();
    bench.drain(17, false, &[7, 8, 9]).unwrap();
    bench.drain(30, true, &[10, 11, 12]).unwrap();
    bench.drain(31, true, &[13, 14, 15]).unwrap();
    bench.finish().unwrap();
    let words: Vec<Vec<(u16, u64)>> = bench
        .stored
        .iter()
        .map(|lane| lane.iter().map(|w| (w.word, w.data)).collect())
        .collect();
    // Sums travel with the slots here, so column 1 gets the sums of the slot before.
    assert_eq!(words[0].len(), 4);
    assert_eq!(words[0][0], (1, 0x0401));
    assert_eq!(words[0][1], (2, 0x0700));
    assert_eq!(words[0][2], (3, 10 << 48));
    assert_eq!(words[0][3], (3, 13 << 56));
    assert_eq!(words[1].len(), 4);
    assert_eq!(words[2], []);
}

/// Random drains; several of them share their settings and follow one another at once.
fn random_drains(
    sources: &Sources,
    cols: usize,
    options: PostOptions,
    seed: u64,
) -> Checked<Coverage> {
    let mut bench = Bench::new(sources, cols, options, seed);
    let mut rng = bench.dut.rng();
    let mut coverage = Coverage::default();
    for _ in 0..60 {
        for column in 0..cols as u8 + 1 {
            for tile in 0..TILES as u8 {
                let (multiplier, shift) = random_scale(&mut rng);
                bench.write_scale(column, tile, multiplier, shift)?;
                coverage.event("multiplier zero", multiplier == 0);
                coverage.event("left shift", shift > 0);
                coverage.event("longest right shift", shift == -31);
                if options.dual_scale && rng.random_bool(0.7) {
                    let (factors, shift) = random_dual(&mut rng);
                    bench.write_dual(column, tile, factors, shift)?;
                }
            }
        }
        let low = rng.random_range(-256..=0);
        bench.settings = PostSettings {
            single: rng.random(),
            dual: options.dual_scale && rng.random_bool(0.7),
            low,
            high: rng.random_range(low..=255),
            ..PostSettings::default()
        };
        coverage.event("single rounding", bench.settings.single);
        coverage.event("double rounding", !bench.settings.single);
        for part in 0..rng.random_range(1..4) {
            coverage.event("drain right after a drain", part > 0);
            let columns = rng.random_range(0..=cols as u16);
            coverage.event(
                "drain of some columns",
                columns > 0 && columns < cols as u16 || cols == 1,
            );
            coverage.event("drain of no column", columns == 0);
            let skip = rng.random_range(0..=cols as u16 - columns);
            coverage.event("columns before the first one", skip > 0);
            bench.load(rng.random_range(0..TILES as u8), skip, columns)?;
            let mut destination: u16 = rng.random();
            let length = rng.random_range(1..40);
            // The word that is left over never leaves.
            let stops = rng.random_bool(0.1);
            coverage.event("drain stopped without a flush", stops);
            for index in 0..length {
                while rng.random_bool(0.2) {
                    bench.idle(1)?;
                    coverage.event("gap inside a drain", true);
                }
                let random = match bench.settings.dual && rng.random_bool(0.8) {
                    true => random_dual_sum,
                    false => random_acc,
                };
                let accs: Vec<i32> = (0..cols).map(|_| random(&mut rng)).collect();
                let flush = index + 1 == length && !stops || rng.random_bool(0.05);
                bench.drain(destination, flush, &accs)?;
                let next = match rng.random_range(0..6) {
                    0 => rng.random(),
                    1 => destination.wrapping_add(8),
                    _ => destination.wrapping_add(1),
                };
                let moves = next >> 3 != destination >> 3;
                coverage.event("word left by its address", moves && !flush);
                coverage.event("flush within a word", flush && !moves);
                coverage.event("next word behind a flush", flush && moves);
                destination = next;
            }
        }
        bench.finish()?;
    }
    let stored: usize = bench.stored.iter().map(Vec::len).sum();
    coverage.event("many words stored", stored > 100);
    Ok(coverage)
}

#[test]
fn one_lane_follows_its_model() {
    run_seeds(|seed| random_drains(&ONE, 1, LEFT, seed));
}

#[test]
fn three_lanes_follow_their_model() {
    run_seeds(|seed| random_drains(&THREE, 3, PostOptions::NONE, seed));
}

#[test]
fn three_lanes_with_dual_scales_follow_their_model() {
    run_seeds(|seed| random_drains(&THREE_DUAL, 3, DUAL, seed));
}

#[test]
fn both_parts_of_a_sum_have_their_factor_at_all_ends_and_shifts() {
    let mut bench = Bench::new(&THREE_DUAL, 3, DUAL, 1);
    let upper = [-16384, -1, 0, 1, 16383];
    let lower = [-65536, -1, 0, 1, 65535];
    let sums: Vec<[i32; 2]> = upper.iter().flat_map(|&u| lower.map(|l| [u, l])).collect();
    let factors = [0, 0x1_ffff].map(|f| [0, 0x1_ffff].map(|g| [f, g]));
    let factors = factors.concat().into_iter().chain([[40_000, 98_765]]);
    let (low, high) = (-256, 255);
    bench.settings = PostSettings {
        single: true,
        dual: true,
        low,
        high,
        ..PostSettings::default()
    };
    for (factors, shift) in factors.flat_map(|f| (14..=45).map(move |shift| (f, shift))) {
        bench.write_dual(0, 1, factors, shift).unwrap();
        bench.load(1, 0, 1).unwrap();
        for (at, &[u, l]) in sums.iter().enumerate() {
            let flush = at + 1 == sums.len();
            bench.drain(at as u16, flush, &[dual_sum(u, l); 3]).unwrap();
        }
        bench.finish().unwrap();
        let words = bench.stored[0].drain(..);
        let bytes: Vec<u8> = words.flat_map(|word| word.data.to_le_bytes()).collect();
        for (&[u, l], byte) in sums.iter().zip(bytes) {
            let [f, g] = factors.map(|factor| factor as i64);
            let half = 1 << (shift - 1);
            let result = (i64::from(u) * f + i64::from(l) * g + half) >> shift;
            let expected = result.clamp(low.into(), high.into()) as u8;
            assert_eq!(byte, expected, "({u} * {f} + {l} * {g}) / 2^{shift}");
        }
    }
}

#[test]
fn faults_of_dual_scales_are_noticed() {
    let mutants = [
        // The lower part has no sign, or 2^16 too much; the other products count, the highest bits of its factor do not, or
        // also without a dual scale.
        ("heddle_requantise", "!acc_i[16] & dual_i", "1'b0"),
        ("heddle_requantise", "acc_i[16] ^ dual_i", "acc_i[16]"),
        ("heddle_dual_multiply", "if (!dual_i) begin", "begin"),
        (
            "heddle_dual_multiply",
            "{1'b0, factor_i,",
            "{1'b0, factor_i & 3'd3,",
        ),
        ("heddle_post_lane", "if (dual_q) factor", "factor"),
        ("heddle_post_lane", "dual_q <= dual_i", "dual_q <= single_i"),
    ];
    check_mutants(&THREE_DUAL, &mutants, |sources, seed| {
        random_drains(sources, 3, DUAL, seed)
    });
}

#[test]
fn eight_lanes_with_two_multipliers_follow_their_model() {
    run_seeds(|seed| random_drains(&EIGHT, 8, SHARED, seed));
}

#[test]
fn faults_of_shared_multipliers_are_noticed() {
    let mutants = [
        (
            "heddle_shared_requantise",
            "taken_q <= operand_valid_i",
            "taken_q <= operand_valid_i << 1",
        ),
        (
            "heddle_shared_requantise",
            "valid_q <= takes",
            "valid_q <= operand_valid_i[0]",
        ),
    ];
    check_mutants(&EIGHT, &mutants, |sources, seed| {
        random_drains(sources, 8, SHARED, seed)
    });
}

#[test]
fn faults_are_noticed() {
    let mutants = [
        ("heddle_pack_issue", "valid_i & flush_i", "flush_i"),
        ("heddle_pack_issue", "complete_q | (valid_i", "(valid_i"),
        (
            "heddle_byte_packer",
            "pack_leaves_i & active_q",
            "pack_leaves_i",
        ),
        ("heddle_requantise", "= !single_i", "= 1'b1"),
        (
            "heddle_post_lane",
            "pw_column_q <= pw_column_i - 8'd1",
            "pw_column_q <= pw_column_i",
        ),
        ("heddle_post_lane", "skip_i - 8'd1", "skip_i"),
    ];
    check_mutants(&THREE, &mutants, |sources, seed| {
        random_drains(sources, 3, PostOptions::NONE, seed)
    });
}
