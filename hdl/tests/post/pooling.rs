//! Windows of sums in one lane.

use heddle_hdl::post::{PoolLane, PostLane, PostOptions, REQUANTISE_LATENCY};
use heddle_kernel::prelude::*;

use super::common::{Numbers, bits, value};

const ALL: PostOptions = PostOptions {
    pooling: true,
    product: true,
    median: 9,
    activations: 0,
};

/// The definitions: 0 maximum, 1 minimum, 2 sum, 3 product, 4 twice the median.
fn reduced(window: &[i32], reduction: u64) -> i64 {
    let wide = window.iter().map(|&sum| i64::from(sum));
    let mut ordered: Vec<i64> = wide.clone().collect();
    ordered.sort_unstable();
    let found = match reduction {
        0 => ordered[ordered.len() - 1],
        1 => ordered[0],
        2 => wide.sum(),
        3 => wide.fold(1, |product, sum| i64::from((product * sum) as i32)),
        _ => ordered[(ordered.len() - 1) / 2] + ordered[ordered.len() / 2],
    };
    i64::from(found as i32)
}

/// One window through the lane, a gap behind the first of its sums; gives the result.
fn pool(u: &mut PoolLane, window: &[i32], reduction: u64, latency: usize) -> i64 {
    u.reduction_i.next = reduction.into();
    for port in &mut u.window_i {
        port.next = (window.len() as u64 - 1).into();
    }
    for (at, &sum) in window.iter().enumerate() {
        u.valid_i.next = true;
        u.first_i.next = at == 0;
        u.last_i.next = at + 1 == window.len();
        u.acc_i.next = bits(sum.into());
        clock_cycle!(*u);
        u.valid_i.next = false;
        if at == 0 && window.len() > 1 {
            u.first_i.next = false;
            u.last_i.next = true;
            u.acc_i.next = bits(-1);
            clock_cycle!(*u);
            assert!(!u.valid_o.val(), "nothing leaves within a window");
        }
    }
    for _ in 1..latency {
        assert!(!u.valid_o.val(), "the result takes {latency} cycles");
        clock_cycle!(*u);
    }
    assert!(u.valid_o.val());
    value(u.acc_o.val())
}

fn lane(options: PostOptions) -> PoolLane {
    let mut u = PoolLane::new(options);
    u.rst_n.next = true;
    u
}

#[test]
fn pet_59_every_reduction_of_windows_by_hand() {
    let mut u = lane(ALL);
    let latency = ALL.pool_latency();
    for (window, expected) in [
        (&[-5][..], [-5, -5, -5, -5, -10]),
        (&[3, -8], [3, -8, -5, -24, -5]),
        (&[2, 2, 9], [9, 2, 13, 36, 4]),
        (
            &[i32::MIN, i32::MAX, 0, 1],
            [i32::MAX.into(), i32::MIN.into(), 0, 0, 1],
        ),
        (&[9, 8, 7, 6, 5, 4, 3, 2, 1], [9, 1, 45, 362_880, 10]),
    ] {
        for (reduction, expected) in (0..).zip(expected) {
            assert_eq!(reduced(window, reduction), expected, "the definition");
            let found = pool(&mut u, window, reduction, latency);
            assert_eq!(found, expected, "{reduction} of {window:?}");
        }
    }
}

#[test]
fn pet_59_random_windows_of_every_length() {
    let mut numbers = Numbers(59);
    for (options, reductions) in [
        (ALL, &[0, 1, 2, 3, 4][..]),
        (
            PostOptions {
                product: false,
                median: 0,
                ..ALL
            },
            &[0, 1, 2],
        ),
    ] {
        let mut u = lane(options);
        for round in 0..60 {
            let reduction = reductions[round % reductions.len()];
            let length = 1 + numbers.next(if reduction == 4 { 9 } else { 16 });
            let window: Vec<i32> = (0..length)
                .map(|_| match numbers.next(3) {
                    // Equal sums and sums around 0.
                    0 => numbers.next(3) as i32 - 1,
                    _ => numbers.acc(),
                })
                .collect();
            let found = pool(&mut u, &window, reduction, options.pool_latency());
            let expected = reduced(&window, reduction);
            assert_eq!(found, expected, "round {round}: {reduction} of {window:?}");
        }
    }
}

#[test]
fn pet_59_windows_follow_one_another_in_every_clock() {
    let mut u = lane(ALL);
    for port in &mut u.window_i {
        port.next = 2.into();
    }
    let sums: Vec<i32> = vec![5, 1, 9, -2, -2, -7, 100, 0, 50];
    for reduction in 0..5 {
        u.reduction_i.next = reduction.into();
        let mut found = Vec::new();
        for at in 0..sums.len() + 2 {
            u.valid_i.next = at < sums.len();
            u.first_i.next = at % 3 == 0;
            u.last_i.next = at % 3 == 2;
            u.acc_i.next = bits(sums.get(at).copied().unwrap_or(77).into());
            clock_cycle!(u);
            if u.valid_o.val() {
                found.push(value(u.acc_o.val()));
            }
        }
        let expected: Vec<i64> = sums.chunks(3).map(|w| reduced(w, reduction)).collect();
        assert_eq!(found, expected, "{reduction}");
        u.valid_i.next = false;
        clock_cycle!(u);
        clock_cycle!(u);
    }
}

/// Loads, windows and results of a whole lane: every drain is scaled by its own parameters, the load
/// right behind the last slot of the one before.
#[test]
fn pet_59_a_drain_directly_behind_another_keeps_its_scale() {
    for options in [ALL, PostOptions { median: 0, ..ALL }] {
        let mut u = PostLane::new(4, options);
        u.rst_n.next = true;
        u.lo_i.next = bits(-128);
        u.hi_i.next = bits(127);
        u.cols_i.next = 1.into();
        u.skip_i.next = 0.into();
        u.reduction_i[0].next = 2.into();
        for port in &mut u.window_i {
            port.next = 1.into();
        }
        // Scales 1, 1/2, 1/4 and 1/8.
        for tile in 0..4u64 {
            u.pw_valid_i.next = true;
            u.pw_column_i.next = 0.into();
            u.pw_tile_i.next = tile.into();
            let data = (1u64 << 30) | ((1u64.wrapping_sub(tile)) & 0x3f) << 32;
            for k in 0..8 {
                u.pw_data_i[k].next = (data >> (8 * k) & 0xff).into();
            }
            clock_cycle!(u);
        }
        u.pw_valid_i.next = false;
        // Per tile: load, two slots that together make 80.
        let mut words = Vec::new();
        for t in 0..12 + options.latency() + 3 {
            let (tile, step) = (t as u64 / 3, t % 3);
            u.load_i.next = t < 12 && step == 0;
            u.tile_i.next = (tile & 3).into();
            u.valid_i.next = t < 12 && step > 0;
            u.first_i[0].next = step == 1;
            u.last_i[0].next = step == 2;
            u.flush_i.next = step == 2;
            u.dest_i.next = (8 * tile).into();
            u.acc_i.next = bits([0, 30, 50][step]);
            settle(&mut u);
            if u.dr_valid_o.val() {
                words.push((t, u.dr_word_o.val().to_u64(), u.dr_data_o[0].val().to_u64()));
            }
            clock_cycle!(u);
        }
        let leaves = |tile: usize| 3 * tile + 2 + options.latency() + 1;
        let expected = [
            (leaves(0), 0, 80),
            (leaves(1), 1, 40),
            (leaves(2), 2, 20),
            (leaves(3), 3, 10),
        ];
        assert_eq!(words, expected);
        assert_eq!(options.latency(), REQUANTISE_LATENCY + options.extra());
    }
}
