//! The steps of a scaling and the packing of bytes, each at the corners that a lane and its random sums do not meet.

use heddle_hdl::post::{
    BytePacker, DualMultiply, HighMultiply, PackIssue, PoolLane, PostOptions, RoundingShift,
    SaturatingShift,
};
use heddle_kernel::prelude::*;

const LEAST: i64 = i32::MIN as i64;
const MOST: i64 = i32::MAX as i64;

fn bits<const N: usize>(x: i64) -> Bits<N> {
    (x as u64 & ((1u64 << N) - 1)).into()
}

fn value(x: Bits<32>) -> i64 {
    i64::from(x.to_u32() as i32)
}

#[test]
fn left_shift_saturates_at_every_amount() {
    let mut u = SaturatingShift::default();
    for shift in 0..32i64 {
        // Around the largest number that still fits, too.
        let limit = 1 << (31 - shift);
        for near in [0, 1, -1, 2, -2, 12345, -54321, limit, -limit, MOST, LEAST] {
            for x in near - 2..=near + 2 {
                let x = x.clamp(LEAST, MOST);
                u.value_i.next = bits(x);
                u.coarse_i.next = bits(shift >> 3);
                u.fine_i.next = bits(shift & 7);
                clock_cycle!(u);
                clock_cycle!(u);
                let want = (x << shift).clamp(LEAST, MOST);
                assert_eq!(value(u.value_o.val()), want, "{x} << {shift}");
            }
        }
    }
}

#[test]
fn product_is_exact_at_the_corners() {
    let (mut u, mut dual) = (HighMultiply::default(), DualMultiply::default());
    dual.dual_i.next = false;
    dual.factor_i.next = bits(0);
    dual.negative_i.next = false;
    let ends = [
        0,
        1,
        0x7fff,
        0x8000,
        0xffff,
        0x1_0000,
        0x1_ffff,
        0x2_0000,
        1 << 30,
        (1 << 30) + 0x7fff,
    ];
    let some = (0..20).map(|i| (i * i * 0x0431_9d2b + i * 0x9e37) & MOST);
    let multipliers: Vec<i64> = ends.into_iter().chain(some).chain([MOST]).collect();
    let values = multipliers
        .iter()
        .flat_map(|x| [*x, -x])
        .chain([LEAST, LEAST + 1]);
    for x in values {
        for &q in &multipliers {
            u.value_i.next = bits(x);
            u.multiplier_i.next = bits(q);
            dual.value_i.next = bits(x);
            dual.multiplier_i.next = bits(q);
            for _ in 0..2 {
                clock_cycle!(u);
                clock_cycle!(dual);
            }
            let want = bits((x * q) >> 30);
            assert_eq!(u.product_o.val(), want, "{x} * {q}");
            assert_eq!(dual.product_o.val(), want, "{x} * {q} beside a dual scale");
        }
    }
}

#[test]
fn products_of_both_parts_add_up_at_the_corners() {
    let mut u = DualMultiply::default();
    u.dual_i.next = true;
    let upper = [-0x4000, -0x3fff, -1, 0, 1, 77, 0x3fff];
    let lower = [-0x1_0000, -0xffff, -1, 0, 1, -333, 0xffff];
    let factors = [0, 1, 0x3fff, 0x4000, 0x8000, 0x1_0000, 0x1_5555, 0x1_ffff];
    let sums = upper.into_iter().flat_map(|s| lower.map(|t| (s, t)));
    for (s, t) in sums {
        for (f, g) in factors.into_iter().flat_map(|f| factors.map(|g| (f, g))) {
            let multiplier = g << 17 | f;
            u.value_i.next = bits(s << 17 | t & 0x1_ffff);
            u.negative_i.next = t < 0;
            u.multiplier_i.next = bits(multiplier & MOST);
            u.factor_i.next = bits(multiplier >> 31);
            clock_cycle!(u);
            clock_cycle!(u);
            let want = bits((s * f + t * g) >> 13);
            assert_eq!(u.product_o.val(), want, "{s} * {f} + {t} * {g}");
        }
    }
}

/// Shifts half of `x` right, rounded once or twice, and clamps.
#[track_caller]
fn check(u: &mut RoundingShift, x: i64, shift: i64, once: bool, (lo, hi): (i64, i64)) {
    let x = x.clamp(2 * LEAST, 2 * MOST + 1);
    let twice = !once && shift > 0;
    u.lo_i.next = bits(lo);
    u.hi_i.next = bits(hi);
    u.value_i.next = bits(x);
    u.coarse_i.next = bits(shift >> 3);
    u.fine_i.next = bits(shift & 7);
    u.twice_i.next = twice;
    for _ in 0..4 {
        clock_cycle!(*u);
    }
    let half = (1 << shift) >> 1;
    let product = (x + 1) >> 1;
    let want = match twice {
        false => (x + (1 << shift)) >> (shift + 1),
        true if product >= 0 => (product + half) >> shift,
        true => -((-product + half) >> shift),
    };
    let want = bits::<8>(want.clamp(lo, hi));
    let text = format!("{x} / 2 >> {shift}, once {once}, {lo}..={hi}");
    assert_eq!(u.byte_o.val(), want, "{text}");
}

#[test]
fn right_shift_rounds_halves_as_told() {
    let mut u = RoundingShift::default();
    for shift in 0..32i64 {
        // Steps of an eighth, -1/2 with one bit below it, and 1/2 less a bit: every bit that is shifted out counts.
        let eighths = (-12..=12i64).map(|eighth| eighth << shift >> 2);
        let bits_below = (0..shift).map(|bit| (1 << bit) - (1 << shift));
        let bits_missing = (0..shift).map(|bit| (1 << shift) - 1 - (1 << bit));
        for x in eighths.chain(bits_below).chain(bits_missing) {
            for x in x - 1..=x + 1 {
                check(&mut u, x, shift, false, (-256, 255));
                check(&mut u, x, shift, true, (-256, 255));
            }
        }
    }
}

#[test]
fn results_are_clamped_to_signed_bounds() {
    let mut u = RoundingShift::default();
    let ends = [0, 100, 129, 256, 512, 1024, 70_000, 2 * MOST, 2 * LEAST];
    for bounds in [
        (-256, 255),
        (-128, 127),
        (0, 255),
        (-255, 0),
        (3, 3),
        (-7, 90),
    ] {
        for end in ends.into_iter().flat_map(|end| [end, -end]) {
            // Every step of the shift has bits of its own that it does not keep.
            for shift in [0, 1, 2, 3, 7, 11, 15, 16, 23, 31] {
                for x in end - 2..=end + 2 {
                    check(&mut u, x << shift, shift, true, bounds);
                    check(&mut u, x << shift << 1, shift, false, bounds);
                }
            }
        }
    }
}

#[test]
fn a_dropped_word_never_leaves_whether_a_byte_comes_with_the_drop_or_not() {
    for byte_with_drop in [false, true] {
        let (mut issue, mut packer) = (PackIssue::default(), BytePacker::default());
        issue.rst_n.next = true;
        packer.rst_n.next = true;
        packer.active_i.next = true;
        // Drop, byte for an address, flush; what leaves in the cycle behind.
        for (drop, byte, flush, leaves) in [
            (false, Some((8, 0x55)), false, None),
            (true, byte_with_drop.then_some((17, 0x66)), false, None),
            (false, Some((17, 0x66)), true, None),
            (false, None, false, Some((2, 0x6600))),
            (false, None, false, None),
        ] {
            issue.drop_i.next = drop;
            issue.valid_i.next = byte.is_some();
            let (dest, value) = byte.unwrap_or((0, 0));
            issue.dest_i.next = bits(dest);
            issue.flush_i.next = flush;
            clock_cycle!(issue);
            let pack = &issue.pack_o;
            packer.pack_i.valid.next = pack.valid.val();
            packer.pack_i.begins.next = pack.begins.val();
            packer.pack_i.place.next = pack.place.val();
            packer.pack_i.leaves.next = pack.leaves.val();
            packer.byte_i.next = bits(value);
            settle(&mut packer);
            let data = packer.data_o.iter().rev();
            let word = data.fold(0, |word, byte| word << 8 | byte.val().to_u64());
            let found = packer
                .valid_o
                .val()
                .then(|| (pack.word.val().to_u64(), word));
            assert_eq!(found, leaves, "a byte with the drop: {byte_with_drop}");
            clock_cycle!(packer);
        }
    }
}

#[test]
fn a_window_ends_with_a_sum_and_not_between_two() {
    let mut u = PoolLane::new(PostOptions::NONE);
    u.rst_n.next = true;
    // Sum, first and last of its window; the maximum of the window before leaves beside it.
    for (sum, first, last, leaves) in [
        (Some(3), true, false, None),
        (None, false, true, None),
        (Some(2), false, true, None),
        (None, true, true, Some(3)),
        (None, false, false, None),
    ] {
        u.valid_i.next = sum.is_some();
        u.first_i.next = first;
        u.last_i.next = last;
        u.acc_i.next = bits(sum.unwrap_or(9));
        settle(&mut u);
        let found = u.valid_o.val().then(|| value(u.acc_o.val()));
        assert_eq!(found, leaves, "{sum:?}, first {first}, last {last}");
        clock_cycle!(u);
    }
}
