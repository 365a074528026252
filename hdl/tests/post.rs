//! Scaling and gathering against 64-bit arithmetic, with the clocks of docs/machine.md.

use heddle_hdl::post::{
    Gatherer, HighMultiply, POST_LATENCY, Post, PostLane, REQUANTISE_LATENCY, Requantise,
    RoundingShift, SaturatingShift,
};
use heddle_hdl::prelude::*;

/// A small generator of test data: the same numbers in every run.
struct Numbers(u64);

impl Numbers {
    fn next(&mut self, n: u64) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % n
    }
    fn one_in(&mut self, n: u64) -> bool {
        self.next(n) == 0
    }
    /// A 32-bit number of any size.
    fn acc(&mut self) -> i32 {
        let x = (self.next(1 << 31) << 1 | self.next(2)) as u32 as i32;
        x >> self.next(31)
    }
}

fn bits<const N: usize>(x: i64) -> Bits<N> {
    (x as u64 & ((1u64 << N) - 1)).into()
}

fn value(x: Bits<32>) -> i64 {
    i64::from(x.to_u32() as i32)
}

#[derive(Clone, Copy, Debug)]
struct Scale {
    multiplier: i64,
    shift: i64,
}

/// The two schemes in their textbook form: a left shift that saturates, then either the doubling
/// high multiplication and a division by a power of two, each rounded on its own, or one
/// rounding of the whole product.
fn requantise(acc: i32, scale: Scale, single: bool) -> i64 {
    let left = scale.shift.max(0);
    let right = (-scale.shift).max(0);
    let shifted = (i128::from(acc) << left).clamp(i32::MIN.into(), i32::MAX.into());
    let product = shifted * i128::from(scale.multiplier);
    let rounded_shift = |x: i128, n: i64| if n == 0 { x } else { (x + (1 << (n - 1))) >> n };
    if single {
        return rounded_shift(product, 31 + right) as i64;
    }
    let high = rounded_shift(product, 31);
    // Halves away from zero.
    let magnitude = rounded_shift(high.abs(), right) as i64;
    if high < 0 { -magnitude } else { magnitude }
}

#[test]
fn left_shift_saturates_at_every_amount() {
    let mut u = SaturatingShift::default();
    for shift in 0..32u64 {
        for base in [
            0i64,
            1,
            -1,
            2,
            -2,
            3,
            0x7fff_ffff,
            -0x8000_0000,
            12345,
            -54321,
        ] {
            for near in [0, 1, -1] {
                // Around the largest number that still fits, too.
                for x in [
                    base,
                    (1 << (31 - shift)) + near,
                    -(1 << (31 - shift)) + near,
                ] {
                    let x = (x + near).clamp(i32::MIN.into(), i32::MAX.into());
                    u.value_i.next = bits(x);
                    u.shift_i.next = shift.into();
                    clock_cycle!(u);
                    clock_cycle!(u);
                    let want = (x << shift).clamp(i32::MIN.into(), i32::MAX.into());
                    assert_eq!(value(u.value_o.val()), want, "{x} << {shift}");
                }
            }
        }
    }
}

#[test]
fn product_is_exact_at_the_corners() {
    let mut u = HighMultiply::default();
    let mut n = Numbers(5);
    let multipliers = [
        0,
        1,
        0x7fff,
        0x8000,
        1 << 30,
        (1 << 30) + 0x7fff,
        (1 << 31) - 1,
    ];
    let values = [
        0,
        1,
        -1,
        0xffff,
        0x1_0000,
        -0x1_0000,
        i32::MAX,
        i32::MIN,
        i32::MIN + 1,
    ];
    let corners = multipliers
        .iter()
        .flat_map(|&q| values.iter().map(move |&x| (x, q)));
    let random = (0..500).map(|_| (n.acc(), n.next(1 << 31) as i64));
    for (x, q) in corners.chain(random.collect::<Vec<_>>()) {
        for nearest in [false, true] {
            u.value_i.next = bits(x.into());
            u.multiplier_i.next = bits(q);
            u.nearest_i.next = nearest;
            for _ in 0..3 {
                clock_cycle!(u);
            }
            let want = (i64::from(x) * q + if nearest { 1 << 30 } else { 0 }) >> 31;
            assert_eq!(value(u.product_o.val()), want, "{x} * {q}, {nearest}");
        }
    }
}

#[test]
fn right_shift_rounds_halves_as_told() {
    let mut u = RoundingShift::default();
    u.lo_i.next = bits(-256);
    u.hi_i.next = bits(255);
    for shift in 0..32i64 {
        for quarter in -12..=12i64 {
            let x = if shift < 2 {
                quarter
            } else {
                quarter << (shift - 2)
            };
            for x in [x - 1, x, x + 1] {
                let x = x.clamp(i32::MIN.into(), i32::MAX.into());
                for up in [false, true] {
                    u.value_i.next = bits(x);
                    u.coarse_i.next = bits(shift >> 3);
                    u.fine_i.next = bits(shift & 7);
                    u.halves_up_i.next = up;
                    for _ in 0..4 {
                        clock_cycle!(u);
                    }
                    let half = if shift == 0 { 0 } else { 1 << (shift - 1) };
                    let want = if up || x >= 0 {
                        (x + half) >> shift
                    } else {
                        -((-x + half) >> shift)
                    };
                    assert_eq!(u.byte_o.val(), bits::<8>(want), "{x} >> {shift}, up {up}");
                }
            }
        }
    }
}

#[test]
fn results_are_clamped_to_signed_bounds() {
    let mut u = RoundingShift::default();
    let values = [
        i64::from(i32::MIN),
        -70000,
        -1024,
        -513,
        -512,
        -511,
        -257,
        -256,
        -255,
        -129,
        -1,
        0,
        1,
        100,
        254,
        255,
        256,
        511,
        512,
        513,
        1023,
        1024,
        70000,
        i32::MAX.into(),
    ];
    for (lo, hi) in [
        (-256, 255),
        (-128, 127),
        (0, 255),
        (-255, 0),
        (3, 3),
        (-7, 90),
    ] {
        u.lo_i.next = bits(lo);
        u.hi_i.next = bits(hi);
        for x in values {
            for shift in [0, 1] {
                u.value_i.next = bits(x);
                u.fine_i.next = bits(shift);
                u.halves_up_i.next = true;
                for _ in 0..4 {
                    clock_cycle!(u);
                }
                let want = ((x + shift) >> shift).clamp(lo, hi);
                assert_eq!(u.byte_o.val(), bits::<8>(want), "{x} in {lo}..={hi}");
            }
        }
    }
}

struct Vector {
    acc: i32,
    scale: Scale,
    single: bool,
    lo: i64,
    hi: i64,
    want: i64,
}

/// Sends a sum in every second cycle, each with its own scale, through the pipeline; all with the
/// same bounds and rounding.
#[track_caller]
fn check_pipeline(vectors: &[Vector]) {
    let mut u = Requantise::new();
    u.single_i.next = vectors[0].single;
    u.lo_i.next = bits(vectors[0].lo);
    u.hi_i.next = bits(vectors[0].hi);
    for t in 0..2 * vectors.len() + REQUANTISE_LATENCY {
        settle(&mut u);
        let done = t.checked_sub(REQUANTISE_LATENCY).filter(|t| t % 2 == 0);
        if let Some(v) = done.map(|t| &vectors[t / 2]) {
            let Vector { acc, scale, .. } = v;
            let want = bits::<8>(v.want);
            assert_eq!(u.byte_o.val(), want, "{acc} with {scale:?}");
        }
        u.valid_i.next = t % 2 == 0;
        u.acc_i.next = bits(vectors.get(t / 2).map_or(0, |v| v.acc.into()));
        if let Some(v) = t.checked_sub(1).and_then(|t| vectors.get(t / 2)) {
            u.multiplier_i.next = bits(v.scale.multiplier);
            u.left_i.next = bits(v.scale.shift.max(0));
            u.right_i.next = bits((-v.scale.shift).max(0));
        }
        clock_cycle!(u);
    }
}

#[test]
fn requantisation_agrees_with_the_shared_vectors() {
    let text = include_str!("../../arch/tests/data/requantise.json");
    let data: serde_json::Value = serde_json::from_str(text).expect("valid JSON");
    let list = data.as_array().expect("a list of vectors");
    assert!(list.len() > 2000);
    for item in list {
        let number = |key: &str| item[key].as_i64().expect("a number");
        let zero_point = number("zero_point");
        check_pipeline(&[Vector {
            acc: number("acc") as i32,
            scale: Scale {
                multiplier: number("multiplier"),
                shift: number("shift"),
            },
            single: item["rounding"] == "single",
            lo: number("min") - zero_point,
            hi: number("max") - zero_point,
            want: number("expected") - zero_point,
        }]);
    }
}

#[test]
fn requantisation_takes_a_new_scale_with_every_second_sum() {
    for single in [false, true] {
        for (lo, hi) in [(-256, 255), (-128, 127), (0, 200)] {
            let mut n = Numbers(lo as u64 ^ hi as u64);
            let vectors: Vec<_> = (0..700)
                .map(|_| {
                    let acc = n.acc();
                    let scale = Scale {
                        multiplier: match n.next(12) {
                            0 => 0,
                            1 => 1 << 30,
                            _ => (1 << 30) + n.next(1 << 30) as i64,
                        },
                        shift: n.next(62) as i64 - 31,
                    };
                    let want = requantise(acc, scale, single).clamp(lo, hi);
                    Vector {
                        acc,
                        scale,
                        single,
                        lo,
                        hi,
                        want,
                    }
                })
                .collect();
            check_pipeline(&vectors);
        }
    }
}

#[test]
fn a_dropped_word_never_leaves() {
    for byte_with_drop in [false, true] {
        let mut u = Gatherer::new();
        u.rst_n.next = true;
        u.valid_i.next = true;
        u.dest_i.next = 8u64.into();
        u.byte_i.next = 0x55u64.into();
        clock_cycle!(u);
        // A stopped drain has left a byte of word 1; the next drain begins with word 2.
        u.drop_i.next = true;
        u.valid_i.next = byte_with_drop;
        u.dest_i.next = 17u64.into();
        u.byte_i.next = 0x66u64.into();
        settle(&mut u);
        assert!(!u.valid_o.val());
        clock_cycle!(u);
        u.drop_i.next = false;
        u.valid_i.next = true;
        u.flush_i.next = true;
        settle(&mut u);
        assert!(!u.valid_o.val());
        clock_cycle!(u);
        u.valid_i.next = false;
        settle(&mut u);
        assert!(u.valid_o.val() && u.word_o.val() == bits(2));
        assert_eq!(u.data_o[1].val(), bits(0x66));
        assert_eq!(u.data_o[0].val(), bits(0));
    }
}

/// Address and flush flag of the byte of each cycle; the byte is the number of the cycle + 1
/// modulo 256.
/// Returns cycle, word address and word of everything that leaves.
fn gather(bytes: &[Option<(u64, bool)>]) -> Vec<(usize, u64, u64)> {
    let mut u = Gatherer::new();
    u.rst_n.next = true;
    let mut words = Vec::new();
    for t in 0..bytes.len() + 3 {
        let byte = bytes.get(t).copied().flatten();
        let (dest, flush) = byte.unwrap_or((0x1238, true));
        u.valid_i.next = byte.is_some();
        u.dest_i.next = dest.into();
        u.flush_i.next = flush;
        u.byte_i.next = ((t as u64 + 1) & 0xff).into();
        settle(&mut u);
        if u.valid_o.val() {
            let word = (0..8)
                .rev()
                .fold(0, |w, k| w << 8 | u.data_o[k].val().to_u64());
            words.push((t, u.word_o.val().to_u64(), word));
        }
        clock_cycle!(u);
    }
    words
}

#[test]
fn a_full_word_leaves_with_the_first_byte_of_the_next() {
    let bytes: Vec<_> = (16..33).map(|dest| Some((dest, false))).collect();
    assert_eq!(
        gather(&bytes),
        [
            (8, 2, 0x0807_0605_0403_0201),
            (16, 3, 0x100f_0e0d_0c0b_0a09)
        ]
    );
}

#[test]
fn a_flush_byte_sends_its_word_one_cycle_later_with_zeros_for_missing_bytes() {
    assert_eq!(gather(&[Some((43, true))]), [(1, 5, 0x0100_0000)]);
    let bytes = [Some((40, false)), None, None, Some((47, true)), None];
    assert_eq!(gather(&bytes), [(4, 5, 0x0400_0000_0000_0001)]);
}

#[test]
fn a_flush_byte_for_another_word_sends_both_words_in_turn() {
    let bytes = [Some((0, false)), Some((9, true))];
    assert_eq!(gather(&bytes), [(1, 0, 1), (2, 1, 0x200)]);
}

#[test]
fn the_next_drain_may_follow_a_flush_byte_at_once() {
    // To another word, to the same word, and with a flush byte of its own.
    let bytes = [Some((0, true)), Some((8, false)), Some((8, true))];
    assert_eq!(gather(&bytes), [(1, 0, 1), (3, 1, 3)]);
    let bytes = [Some((0, true)), Some((1, true)), Some((2, true))];
    assert_eq!(gather(&bytes), [(1, 0, 1), (2, 0, 0x200), (3, 0, 0x3_0000)]);
}

#[test]
fn a_word_per_clock_and_a_return_to_an_earlier_word_are_possible() {
    let bytes: Vec<_> = [0, 8, 0, 16].iter().map(|&d| Some((d, d == 16))).collect();
    assert_eq!(gather(&bytes), [(1, 0, 1), (2, 1, 2), (3, 0, 3), (4, 2, 4)]);
}

#[test]
fn a_byte_that_comes_twice_counts_once() {
    assert_eq!(
        gather(&[Some((3, false)), Some((3, true))]),
        [(2, 0, 0x200_0000)]
    );
}

/// One cycle of a lane wave.
#[derive(Clone, Copy, Default)]
struct Wave {
    /// Column tile and columns.
    load: Option<(u64, u64)>,
    /// Destination and flush flag.
    slot: Option<(u64, bool)>,
}

macro_rules! drive {
    ($u:expr, $wave:expr) => {{
        let (tile, cols) = $wave.load.unwrap_or((1, 1));
        $u.load_i.next = $wave.load.is_some();
        $u.tile_i.next = tile.into();
        $u.skip_i.next = 0.into();
        $u.cols_i.next = cols.into();
        let (dest, flush) = $wave.slot.unwrap_or((99, true));
        $u.valid_i.next = $wave.slot.is_some();
        $u.dest_i.next = dest.into();
        $u.flush_i.next = flush;
    }};
}

macro_rules! write_scale {
    ($u:expr, $column:expr, $tile:expr, $scale:expr) => {{
        let data = ($scale.multiplier as u64) | (($scale.shift as u64 & 0x3f) << 32);
        $u.pw_valid_i.next = true;
        $u.pw_column_i.next = ($column as u64).into();
        $u.pw_tile_i.next = ($tile as u64).into();
        for k in 0..8 {
            $u.pw_data_i[k].next = (data >> (8 * k) & 0xff).into();
        }
        clock_cycle!($u);
        $u.pw_valid_i.next = false;
    }};
}

fn scale(column: usize, tile: usize) -> Scale {
    Scale {
        multiplier: (1 << 30) + (column * 10_000_000 + tile * 1_000_000) as i64,
        shift: [-7, 3, -31, 0][tile % 4],
    }
}

fn test_acc(t: usize, column: usize) -> i32 {
    [700, -900, 20, -35, 100_000, -3][t % 6] * (column as i32 + 1)
}

#[test]
fn a_drain_directly_behind_another_takes_its_own_parameters() {
    let tiles = 4;
    let mut u = PostLane::new(tiles);
    u.rst_n.next = true;
    u.lo_i.next = bits(-128);
    u.hi_i.next = bits(127);
    for tile in 0..tiles {
        write_scale!(u, 0, tile, scale(0, tile));
    }
    // For another column: must not arrive here.
    write_scale!(u, 1, 0, scale(9, 9));
    assert_eq!(u.pw_column_o.val(), Bits::<8>::from(0));
    // load, slots, load, slot, load without columns, slot, load, slot
    let load = |tile, cols| Wave {
        load: Some((tile, cols)),
        slot: None,
    };
    let slot = |dest, flush| Wave {
        load: None,
        slot: Some((dest, flush)),
    };
    let waves = [
        load(0, 5),
        slot(8, false),
        slot(9, true),
        load(1, 1),
        slot(16, true),
        load(2, 0),
        slot(24, true),
        load(3, 2),
        slot(32, false),
        Wave::default(),
        slot(35, false),
        load(2, 1),
        slot(40, true),
    ];
    let tile_of = [0, 0, 0, 0, 1, 1, 9, 9, 3, 3, 3, 3, 2];
    let mut words = Vec::new();
    for t in 0..waves.len() + REQUANTISE_LATENCY + 4 {
        let wave = waves.get(t).copied().unwrap_or_default();
        drive!(u, wave);
        u.acc_i.next = bits(test_acc(t, 0).into());
        settle(&mut u);
        if u.dr_valid_o.val() {
            let word = (0..8)
                .rev()
                .fold(0, |w, k| w << 8 | u.dr_data_o[k].val().to_u64());
            words.push((t, u.dr_word_o.val().to_u64(), word));
        }
        clock_cycle!(u);
        assert_eq!(u.valid_o.val(), wave.slot.is_some());
        assert_eq!(u.load_o.val(), wave.load.is_some());
        let cols = wave.load.map_or(1, |load| load.1);
        assert_eq!(u.cols_o.val().to_u64(), cols.saturating_sub(1));
    }
    let byte = |t: usize| {
        let y = requantise(test_acc(t, 0), scale(0, tile_of[t]), false).clamp(-128, 127);
        u64::from(y as u8)
    };
    let flushed = |t: usize| t + POST_LATENCY + 1;
    assert_eq!(
        words,
        [
            (flushed(2), 1, byte(1) | byte(2) << 8),
            (flushed(4), 2, byte(4)),
            // The word of slots 8 and 10 was not flushed: the load in slot 11 drops it.
            (flushed(12), 5, byte(12)),
        ]
    );
}

#[test]
fn every_active_column_drains_one_cycle_behind_the_one_before() {
    let (cols, tiles, active) = (5, 4, 3);
    let mut u = Post::new(cols, tiles);
    u.rst_n.next = true;
    for column in 0..cols {
        for tile in 0..tiles {
            write_scale!(u, column, tile, scale(column, tile));
        }
    }
    for _ in 0..cols {
        clock_cycle!(u);
    }
    for (single, tile) in [(false, 0), (true, 2), (true, 0), (false, 3)] {
        u.single_i.next = single;
        u.lo_i.next = bits(-100);
        u.hi_i.next = bits(110);
        let slots = 11;
        let mut words = vec![Vec::new(); cols];
        for t in 0..slots + cols + REQUANTISE_LATENCY + 6 {
            let mut wave = Wave::default();
            if t == 0 {
                wave.load = Some((tile, active as u64));
            } else if t <= slots {
                wave.slot = Some((0x7e0 + t as u64, t == slots));
            }
            drive!(u, wave);
            for c in 0..cols {
                // Slot t passes column c in cycle t + c.
                let acc = t.checked_sub(c).map_or(0, |slot| test_acc(slot, c));
                u.acc_i[c].next = bits(acc.into());
            }
            settle(&mut u);
            for (c, words) in words.iter_mut().enumerate() {
                if u.dr_valid_o[c].val() {
                    let bytes = &u.dr_data_o[c];
                    let word = (0..8)
                        .rev()
                        .fold(0, |w, k| w << 8 | bytes[k].val().to_u64());
                    words.push((t, u.dr_word_o[c].val().to_u64(), word));
                }
            }
            clock_cycle!(u);
        }
        for (c, words) in words.iter().enumerate() {
            if c >= active {
                assert!(words.is_empty());
                continue;
            }
            let mut want = [0u64; 2];
            for t in 1..=slots {
                let y = requantise(test_acc(t, c), scale(c, tile as usize), single);
                let dest = 0x7e0 + t;
                want[dest / 8 - 0xfc] |= u64::from(y.clamp(-100, 110) as u8) << (8 * (dest % 8));
            }
            let pushed = 8 + c + POST_LATENCY;
            let flushed = slots + c + POST_LATENCY + 1;
            assert_eq!(*words, [(pushed, 0xfc, want[0]), (flushed, 0xfd, want[1])]);
        }
    }
}

#[test]
fn random_gathering_loses_no_byte() {
    let mut n = Numbers(77);
    for _ in 0..20 {
        let mut bytes = Vec::new();
        let mut dest = 0;
        for _ in 0..300 {
            if n.one_in(3) {
                bytes.push(None);
                continue;
            }
            dest = if n.one_in(6) {
                n.next(32)
            } else {
                (dest + 1) % 32
            };
            bytes.push(Some((dest, n.one_in(9))));
        }
        bytes.push(Some((0, true)));
        // Bytes in runs: a run ends behind a flush byte or in front of another word.
        let mut want: Vec<(u64, u64)> = Vec::new();
        let mut open = false;
        for (t, byte) in bytes.iter().enumerate() {
            let Some((dest, flush)) = *byte else { continue };
            if !open || want.last().is_some_and(|last| last.0 != dest / 8) {
                want.push((dest / 8, 0));
            }
            let lane = 8 * (dest % 8);
            let last = want.last_mut().expect("just pushed");
            last.1 = last.1 & !(0xff << lane) | ((t as u64 + 1) & 0xff) << lane;
            open = !flush;
        }
        let got: Vec<_> = gather(&bytes).iter().map(|w| (w.1, w.2)).collect();
        assert_eq!(got, want);
    }
}
