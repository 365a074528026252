//! Shifts, multiplication, clamping, and the pipeline of them.

use heddle_hdl::post::{
    HighMultiply, REQUANTISE_LATENCY, Requantise, RoundingShift, SaturatingShift,
};
use heddle_kernel::prelude::*;

use super::common::{Numbers, Scale, bits, requantise, value};

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
                    u.coarse_i.next = (shift >> 3).into();
                    u.fine_i.next = (shift & 7).into();
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
        // Steps of an eighth, and -1/2 with one bit below it: every bit that is shifted out counts.
        let eighths = (-12..=12i64).map(|eighth| eighth << shift >> 3);
        let bits_below = (0..shift - 1).map(|bit| (1 << bit) - (1 << (shift - 1)));
        for x in eighths.chain(bits_below) {
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
    let mut u = Requantise::default();
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
    let text = include_str!("../../../arch/tests/data/requantise.json");
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
