//! Drains: random commands in lockstep with the clocked model, all results those of the reference.

use std::sync::LazyLock;

use heddle_arch::requantise::Rounding;
use heddle_hdl::sparse::{DrainShape, SparseDrain};
use heddle_sim::sparse::{DrainOutputs, DrainSizes};
use heddle_tb::verilate::Sources;
use rand::Rng;
use rand_chacha::ChaCha8Rng;

use super::drain_bench::{Bench, Command, Results};
use crate::rtl::{Checked, Coverage, check_mutants, emitted, faults, run_seeds, unchecked};

/// Bytes, with and without left shifts, in a word, in two, and in a part of one, few units and many; sums, two in a word and one.
const SIZES: [DrainSizes; 6] = [
    sizes(8, 4, true, true),
    sizes(16, 2, true, false),
    sizes(2, 1, true, false),
    sizes(4, 64, true, false),
    sizes(8, 3, false, false),
    sizes(1, 1, false, false),
];
const TILES: usize = 16;
const POSITIONS: usize = 256;

static DRAIN_8: LazyLock<Sources> = LazyLock::new(|| engine(SIZES[0]));

const fn sizes(lanes: usize, units: usize, post: bool, left_shift: bool) -> DrainSizes {
    DrainSizes {
        lanes,
        units,
        tiles: TILES,
        post,
        left_shift,
        positions: if post { POSITIONS } else { 0 },
        direct: false,
    }
}

fn engine(sizes: DrainSizes) -> Sources {
    // Counts are read while results are counted, as the cutter never does.
    unchecked(emitted(SparseDrain::new(DrainShape {
        lanes: sizes.lanes,
        units: sizes.units,
        tiles: sizes.tiles,
        post: sizes.post,
        left_shift: sizes.left_shift,
        census: sizes.positions > 0,
        positions: sizes.positions,
        engine: sizes.direct,
    })))
}

/// Words of a result.
fn words(sizes: &DrainSizes) -> usize {
    let bytes = if sizes.post { 1 } else { 4 };
    (sizes.lanes * bytes).div_ceil(8)
}

fn random_results(rng: &mut ChaCha8Rng) -> Results {
    let (a, b) = (rng.random::<i8>(), rng.random::<i8>());
    let (min, max) = [(-128, 127), (a.min(b), a.max(b))][rng.random_range(0..2)];
    Results {
        rounding: [Rounding::Double, Rounding::Single][rng.random_range(0..2)],
        zero_point: rng.random(),
        min,
        max,
    }
}

/// The rounding, one of the bounds, or all are others.
fn change(results: &mut Results, rng: &mut ChaCha8Rng) {
    let others = random_results(rng);
    match rng.random_range(0..4) {
        0 => results.rounding = others.rounding,
        1 => results.min = others.min.min(results.max),
        2 => results.max = others.max.max(results.min),
        _ => *results = others,
    }
}

/// So many groups, rows and columns anywhere, with any layout.
fn command([groups, rows, cols]: [u32; 3], results: Results, rng: &mut ChaCha8Rng) -> Command {
    // There are 64 shares.
    let least = groups.div_ceil(64);
    let most = [least + 3, 255][rng.random_range(0..2)];
    let each = rng.random_range(least..=most);
    Command {
        region: rng.random(),
        discard: rng.random_bool(0.2),
        keep: rng.random(),
        count: rng.random(),
        pitch: rng.random_range(0..16),
        area: rng.random_range(0..16),
        group: rng.random_range(0..=256 - groups),
        groups,
        share: rng.random_range(0..=63 - (groups - 1) / each),
        each,
        tile: rng.random_range(0..256),
        first: [rows, cols].map(|size| match rng.random_bool(0.1) {
            true => 512 - size,
            false => rng.random_range(0..=512 - size),
        }),
        size: [rows, cols],
        results,
    }
}

fn random_command(results: Results, rng: &mut ChaCha8Rng) -> Command {
    let size = match rng.random_range(0..8) {
        0 | 1 => [1, 1, 1],
        2 => [
            [255, rng.random_range(64..255)][rng.random_range(0..2)],
            1,
            1,
        ],
        3 => [1, 1, rng.random_range(1..100)],
        _ => [
            rng.random_range(1..5),
            rng.random_range(1..6),
            rng.random_range(1..6),
        ],
    };
    command(size, results, rng)
}

fn watch_command(command: &Command, coverage: &mut Coverage) {
    let Command {
        first,
        size,
        group,
        groups,
        ..
    } = *command;
    coverage.event("one position", groups * size[0] * size[1] == 1);
    coverage.event("group 15 before group 0", group % 16 + groups > 16);
    coverage.event("255 groups", groups == 255);
    coverage.event("several groups of a share, several shares", {
        command.each > 1 && groups > command.each
    });
    coverage.event("last row of all", first[0] + size[0] == 512);
    coverage.event("last column of all", first[1] + size[1] == 512);
    coverage.event("sums that stay", command.keep);
    coverage.event("sums that are discarded", command.discard);
}

/// What happens in a clock, and did in the one before.
fn watch_clock([before, now]: [&DrainOutputs; 2], ready: bool, coverage: &mut Coverage) {
    let positions = [before, now].map(|outputs| outputs.position.is_some());
    coverage.event("first position right behind the last one", {
        before.busy && !now.busy && positions == [true; 2]
    });
    coverage.event("position while another command waits", {
        positions[1] && now.busy
    });
    let walks = before.scale_busy && now.scale_busy && !before.busy && !now.busy;
    coverage.event("no room", walks && positions == [true, false]);
    coverage.event("both regions", now.region_busy == [true; 2]);
    coverage.event("results when no region is busy", {
        now.region_busy == [false; 2] && !now.idle
    });
    coverage.event("idle", now.idle);
    coverage.event("word that is not taken", now.out.is_some() && !ready);
}

fn random_drains(sources: &Sources, seed: u64, sizes: DrainSizes) -> Checked<Coverage> {
    let mut bench = Bench::new(sources, sizes, seed);
    let mut coverage = Coverage::default();
    let mut results = random_results(&mut bench.rng);
    let mut before = bench.clock()?.1;
    for cycle in 0.. {
        if cycle % 300 == 0 {
            bench.ready = [1.0, 0.9, 0.5, 0.1][bench.rng.random_range(0..4)];
            bench.pauses = [0.0, 0.0, 0.5][bench.rng.random_range(0..3)];
        }
        if bench.head_is_free() && cycle < 12_000 {
            let rng = &mut bench.rng;
            if rng.random_bool(0.1) {
                let tile = rng.random_range(0..sizes.tiles);
                bench.write_parameters(tile);
            } else if rng.random_bool(0.9) {
                if rng.random_bool(0.3) {
                    change(&mut results, rng);
                }
                let mut command = random_command(results, rng);
                command.count &= sizes.positions > 0;
                watch_command(&command, &mut coverage);
                if sizes.positions > 0 {
                    let few = command.groups > 1 && command.size[0] * command.size[1] < 4;
                    coverage.event("groups of few positions are counted", command.count && few);
                }
                bench.order(command);
            }
        }
        let (inputs, outputs) = bench.clock()?;
        watch_clock([&before, &outputs], inputs.ready, &mut coverage);
        before = outputs;
        if bench.is_done() && before.idle && cycle > 12_000 {
            return Ok(coverage);
        }
        if cycle > 30_000 {
            break;
        }
    }
    Err(bench.dut.message("results are missing"))
}

/// Two commands with a result in each clock in which one may leave, at the stated time.
fn gapless(sources: &Sources, sizes: DrainSizes) -> Checked {
    let mut bench = Bench::new(sources, sizes, 1);
    let results = random_results(&mut bench.rng);
    let mut orders = 0;
    let (mut started, mut found) = (None, Vec::new());
    for cycle in 0..2000 {
        if bench.head_is_free() && orders < 2 {
            let mut command = command([3, 4, 5], results, &mut bench.rng);
            command.discard = false;
            bench.order(command);
            orders += 1;
        }
        let (inputs, outputs) = bench.clock()?;
        if inputs.start {
            started.get_or_insert(cycle);
        }
        if outputs.out.is_some() {
            found.push(cycle);
        }
    }
    assert!(bench.is_done(), "results are missing");
    let scaling = match (sizes.post, sizes.left_shift) {
        (false, _) => 0,
        (true, false) => 7,
        (true, true) => 9,
    };
    let first = started.unwrap() + 3 + sizes.units + 7 + scaling;
    let expected: Vec<usize> = (first..).take(2 * 60 * words(&sizes)).collect();
    assert_eq!(found, expected, "{sizes:?}");
    Ok(())
}

#[test]
fn drained_sums_leave_as_bytes_or_as_they_are() {
    run_seeds(|seed| random_drains(&DRAIN_8, seed, SIZES[0]));
    for sizes in &SIZES[1..] {
        let sources = engine(*sizes);
        run_seeds(|seed| random_drains(&sources, seed, *sizes));
    }
}

#[test]
fn drains_follow_each_other_without_a_gap() {
    for sizes in SIZES {
        gapless(&engine(sizes), sizes).unwrap();
    }
}

#[test]
fn faults_of_drains_are_noticed() {
    let mutants = r"
        // A row or a group of one column does not end, a row ends a column early.
        heddle_drain_walk: last_col_q <= cols_q == 9'd1 => last_col_q <= 1'b0
        heddle_drain_walk: last_row_q <= rows_q == 9'd1 => last_row_q <= 1'b0
        heddle_drain_walk: cols_left_q == 9'd2 => cols_left_q == 9'd3
        // All groups are of the first share, or shares behind it have one group more.
        heddle_drain_walk: position_share_q <= position_share_q + 6'd1 => position_share_q <= position_share_q
        heddle_drain_walk: share_left_q <= each_q => share_left_q <= each_q + 8'd1
        // Group 16 has words of its own, also if it is the second one.
        heddle_drain_walk: if (&group_q) => if (1'b0)
        heddle_drain_walk: if (&new_number) => if (1'b0)
        // The second row of a group is that of the group before.
        heddle_drain_walk: row_start = last_row_q ? group_addr_q : => row_start =
        // A command begins before the words of its first sums are known.
        heddle_drain_walk: waits_q <= started_q | => waits_q <= start_i |
        // A region is free a cycle before the last word of it is written.
        heddle_drain_walk: passes_q[6:0] <= 7'd8 => passes_q[6:0] <= 7'd7
        // Positions are sent without room for their results.
        heddle_drain_walk: (discards_q | room_i) => 1'b1
        heddle_drain_out: == 8'd32 => == 8'd31
        // Sums that are discarded wait for room.
        heddle_drain_walk: (discards_q | room_i) => room_i
        // Bounds change while sums are on their way.
        heddle_drain_walk: room_i & !hold_i => room_i
        heddle_drain_scale: (lo_q != drain_bounds_lo) | => 1'b0 |
        heddle_drain_scale: (single_q !=\n        drain_bounds_single) => 1'b0
        // Scales of the position behind.
        heddle_drain_scale: tile_q[51:48] => tile_q[43:40]
        // Shifts to the left are none.
        heddle_drain_scale: is_left_q[i] ? right => 1'b0 ? right
        // A result is lost while another one leaves.
        heddle_drain_out: shows_q <= reads | (shows_q & !moves) => shows_q <= reads
        // All results are the last ones of their command.
        heddle_sparse_drain: .last_i     (last_q[16]) => .last_i     (1'b1)
        // The next group is counted before the one before is.
        heddle_drain_walk: began_q[2] => 1'b0
        // Results are counted, whatever the command says.
        heddle_sparse_drain: result_q[16] & counts_q[16] => result_q[16]";
    let check = |sources: &Sources, seed| random_drains(sources, seed, SIZES[0]);
    check_mutants(&DRAIN_8, &faults(mutants), check);
}
