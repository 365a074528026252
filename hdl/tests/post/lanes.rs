//! Lanes and the chain of them.

use heddle_hdl::post::{POST_LATENCY, Post, PostLane, PostOptions, REQUANTISE_LATENCY};
use heddle_kernel::prelude::*;

use super::common::{Scale, bits, requantise};

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
    let mut u = PostLane::new(tiles, PostOptions::NONE);
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
    let mut u = Post::new(cols, tiles, PostOptions::NONE);
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
