//! Traversal unit against its worked vectors and against plain nested loops.

use heddle_hdl::traversal::{TraversalEngine, TraversalShape};
use heddle_kernel::prelude::*;

/// One row: base, and (V, X, Y) of its loops, innermost first.
#[derive(Clone, Debug)]
struct Row {
    base: u64,
    loops: Vec<[u64; 3]>,
}

fn row(base: u64, v: &[u64], x: &[u64], y: &[u64]) -> Row {
    let loops = (0..v.len()).map(|c| [v[c], x[c], y[c]]).collect();
    Row { base, loops }
}

/// One address with everything that belongs to it.
#[derive(Clone, Debug, PartialEq)]
struct Element {
    addr: u64,
    row: u64,
    finals: Vec<bool>,
    last: bool,
    end: bool,
}

/// The elements of a traversal by nested loops: every loop is a list of offsets, the row is
/// their product. `rows` are (number, content) in ascending order.
fn nested_loops(rows: &[(usize, Row)], loops: usize, addr_bits: u32) -> Vec<Element> {
    let mut elements = Vec::new();
    for (number, row) in rows {
        let mut offsets: Vec<Vec<u64>> = Vec::new();
        for c in 0..loops {
            let [v, x, y] = row.loops.get(c).copied().unwrap_or([0; 3]);
            let mut list = vec![v];
            while list[list.len() - 1] + x < y {
                list.push(list[list.len() - 1] + x);
            }
            offsets.push(list);
        }
        let count: usize = offsets.iter().map(Vec::len).product();
        for n in 0..count {
            let (mut rest, mut addr, mut finals) = (n, row.base, Vec::new());
            for list in &offsets {
                let i = rest % list.len();
                rest /= list.len();
                addr += list[i];
                finals.push(i + 1 == list.len());
            }
            elements.push(Element {
                addr: addr & ((1 << addr_bits) - 1),
                row: *number as u64,
                last: finals.iter().all(|f| *f),
                finals,
                end: false,
            });
        }
    }
    if let Some(element) = elements.last_mut() {
        element.end = true;
    }
    elements
}

fn write<const W: usize, const D: usize, const A: usize>(
    u: &mut TraversalEngine<W, D, A>,
    sel: u64,
    row: usize,
    col: usize,
    data: u64,
) {
    u.cfg_valid_i.next = true;
    u.cfg_sel_i.next = sel.into();
    u.cfg_row_i.next = (row as u64).into();
    u.cfg_col_i.next = (col as u64).into();
    u.cfg_data_i.next = data.into();
    clock_cycle!(*u);
    u.cfg_valid_i.next = false;
}

fn clear<const W: usize, const D: usize, const A: usize>(u: &mut TraversalEngine<W, D, A>) {
    u.cfg_clear_i.next = true;
    u.stop_i.next = true;
    clock_cycle!(*u);
    u.cfg_clear_i.next = false;
    u.stop_i.next = false;
}

fn load<const W: usize, const D: usize, const A: usize>(
    u: &mut TraversalEngine<W, D, A>,
    rows: &[(usize, Row)],
) {
    clear(u);
    for (r, row) in rows {
        for (c, registers) in row.loops.iter().enumerate() {
            for (sel, value) in registers.iter().enumerate() {
                write(u, sel as u64, *r, c, *value);
            }
        }
        write(u, 3, *r, 7, row.base);
    }
}

fn observe<const W: usize, const D: usize, const A: usize>(
    u: &TraversalEngine<W, D, A>,
) -> Element {
    Element {
        addr: u.addr_o.val().to_u64(),
        row: u.row_o.val().to_u64(),
        finals: u.final_o.iter().map(|f| f.val()).collect(),
        last: u.last_o.val(),
        end: u.end_o.val(),
    }
}

fn start<const W: usize, const D: usize, const A: usize>(u: &mut TraversalEngine<W, D, A>) {
    u.start_i.next = true;
    clock_cycle!(*u);
    u.start_i.next = false;
}

/// Starts and takes one element per clock; checks start latency, busy and that there is no gap.
#[track_caller]
fn run_freely<const W: usize, const D: usize, const A: usize>(
    u: &mut TraversalEngine<W, D, A>,
) -> Vec<Element> {
    u.ready_i.next = true;
    u.pause_i.next = false;
    settle(u);
    assert!(!u.busy_o.val() && !u.valid_o.val(), "idle before the start");
    start(u);
    for cycle in 1..3 {
        assert!(u.busy_o.val() && !u.valid_o.val(), "cycle t + {cycle}");
        clock_cycle!(*u);
    }
    let mut elements = Vec::new();
    loop {
        assert!(u.busy_o.val() && u.valid_o.val(), "gap after {elements:?}");
        elements.push(observe(u));
        clock_cycle!(*u);
        if elements[elements.len() - 1].end || elements.len() > 1000 {
            break;
        }
    }
    for _ in 0..4 {
        assert!(!u.busy_o.val() && !u.valid_o.val(), "stopped at the end");
        clock_cycle!(*u);
    }
    elements
}

fn unit<const W: usize, const D: usize, const A: usize>(
    rows: usize,
    loops: usize,
) -> TraversalEngine<W, D, A> {
    let mut u = TraversalEngine::new(TraversalShape::plain(rows, loops));
    clock_cycle!(u);
    u.rst_n.next = true;
    u
}

/// Runs rows 0, 1, .. on a unit of the given size and compares the addresses with a list and
/// everything else with nested loops. Runs twice: a second start repeats the sequence.
#[track_caller]
fn check_on(size: (usize, usize), rows: &[Row], addresses: &[u64]) {
    let rows: Vec<_> = rows.iter().cloned().enumerate().collect();
    let mut u = unit::<16, 17, 24>(size.0, size.1);
    load(&mut u, &rows);
    let model = nested_loops(&rows, size.1, 24);
    for _ in 0..2 {
        let elements = run_freely(&mut u);
        let got: Vec<u64> = elements.iter().map(|e| e.addr).collect();
        assert_eq!(got, addresses);
        assert_eq!(elements, model);
    }
}

#[track_caller]
fn check(rows: &[Row], addresses: &[u64]) {
    let loops = rows.iter().map(|r| r.loops.len()).max().unwrap_or(1);
    check_on((rows.len(), loops), rows, addresses);
    check_on((8, 8), rows, addresses);
}

fn prologue() -> Row {
    row(0, &[12, 0, 0], &[1, 0, 0], &[15, 0, 0])
}

fn tensor() -> Row {
    row(0, &[0, 0, 0], &[1, 6, 2], &[2, 12, 6])
}

const TV1: [u64; 15] = [12, 13, 14, 0, 1, 6, 7, 2, 3, 8, 9, 4, 5, 10, 11];

#[test]
fn ttu_022_ttu_023_ttu_026_ttu_030_ttu_031_tv1_prologue_and_tensor() {
    check(&[prologue(), tensor()], &TV1);
}

#[test]
fn tv2_longer_outer_loop_repeats_addresses() {
    let longer = row(0, &[0, 0, 0], &[1, 6, 2], &[2, 12, 8]);
    check(
        &[prologue(), longer],
        &[
            12, 13, 14, 0, 1, 6, 7, 2, 3, 8, 9, 4, 5, 10, 11, 6, 7, 12, 13,
        ],
    );
}

#[test]
fn ttu_037_ttu_038_tv3_prologue_tensor_epilogue() {
    let epilogue = row(0, &[15, 0, 0], &[1, 0, 0], &[17, 0, 0]);
    let mut addresses = TV1.to_vec();
    addresses.extend([15, 16]);
    check(&[prologue(), tensor(), epilogue], &addresses);
}

#[test]
fn ttu_025_tv4_different_bases() {
    check(
        &[
            row(4096, &[0, 0, 0], &[1, 6, 2], &[2, 12, 6]),
            row(8192, &[0, 0, 0], &[4, 0, 0], &[12, 0, 0]),
        ],
        &[
            4096, 4097, 4102, 4103, 4098, 4099, 4104, 4105, 4100, 4101, 4106, 4107, 8192, 8196,
            8200,
        ],
    );
}

#[test]
fn ttu_044_tv5_contiguous_order() {
    let rows = [row(0, &[0, 0, 0], &[1, 2, 4], &[2, 4, 12])];
    check(&rows, &[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]);
}

#[test]
fn ttu_041_tv6_two_dimensional_prologue() {
    check(
        &[row(0, &[20, 0], &[1, 3], &[23, 6])],
        &[20, 21, 22, 23, 24, 25],
    );
}

#[test]
fn ttu_018_tv7_loops_that_do_not_begin_at_zero() {
    check(
        &[row(0, &[2, 5], &[1, 5], &[5, 15])],
        &[7, 8, 9, 12, 13, 14],
    );
}

#[test]
fn ttu_029_tv8_end_beside_the_step_grid() {
    check(&[row(0, &[0], &[2], &[5])], &[0, 2, 4]);
}

#[test]
fn tv9_single_iteration_and_unused_loop_between_others() {
    let rows = [row(100, &[0; 4], &[1, 7, 0, 10], &[2, 7, 0, 20])];
    check(&rows, &[100, 101, 110, 111]);
}

#[test]
fn ttu_040_tv13_two_prologues_tensor_two_epilogues() {
    check(
        &[
            row(0, &[50], &[1], &[52]),
            row(0, &[60], &[2], &[64]),
            row(0, &[0], &[3], &[9]),
            row(0, &[70], &[1], &[71]),
            row(0, &[80], &[1], &[82]),
        ],
        &[50, 51, 60, 62, 0, 3, 6, 70, 80, 81],
    );
}

#[test]
fn ttu_043_tv14_eight_dimensions() {
    let step: Vec<u64> = (0..8).map(|c| 1 << c).collect();
    let limit: Vec<u64> = (0..8).map(|c| 2 << c).collect();
    let addresses: Vec<u64> = (0..256).collect();
    check(&[row(0, &[0; 8], &step, &limit)], &addresses);
}

#[test]
fn ttu_009_tv17_rows_of_different_dimensions() {
    let mut addresses = TV1.to_vec();
    addresses.extend([100, 101, 102, 103, 104, 105, 200, 201]);
    check(
        &[
            prologue(),
            tensor(),
            row(100, &[0, 0, 0], &[1, 3, 0], &[3, 6, 0]),
            row(200, &[0, 0, 0], &[1, 0, 0], &[2, 0, 0]),
        ],
        &addresses,
    );
}

#[test]
fn candidates_have_one_bit_more_than_offsets() {
    // 0xffff + 0xffff does not wrap to a small number, in any of the three places.
    check(
        &[
            row(0, &[0xfffe], &[1], &[0xffff]),
            row(1, &[0xffff], &[0xffff], &[0xffff]),
            row(2, &[0], &[0x8000], &[0xffff]),
            row(3, &[0xffff, 1], &[1, 0xffff], &[0, 0xffff]),
        ],
        &[0xfffe, 0x1_0000, 2, 0x8002, 0x1_0003],
    );
}

#[test]
fn rows_that_are_not_valid_are_left_out() {
    let mut u = unit::<16, 17, 16>(8, 2);
    for mask in 1..256usize {
        let rows: Vec<_> = (0..8)
            .filter(|r| mask >> r & 1 == 1)
            .map(|r| (r, row(10 * r as u64, &[0], &[1], &[1 + (r as u64 & 1)])))
            .collect();
        load(&mut u, &rows);
        assert_eq!(run_freely(&mut u), nested_loops(&rows, 2, 16));
    }
}

#[test]
fn start_without_a_valid_row_does_nothing() {
    let mut u = unit::<16, 17, 16>(3, 3);
    u.ready_i.next = true;
    start(&mut u);
    for _ in 0..4 {
        assert!(!u.busy_o.val() && !u.valid_o.val());
        clock_cycle!(u);
    }
    load(&mut u, &[(1, row(7, &[0], &[1], &[1]))]);
    assert_eq!(run_freely(&mut u).len(), 1);
}

#[test]
fn writes_beside_the_unit_change_nothing() {
    let rows = [(1, row(7, &[0, 1], &[1, 2], &[2, 5]))];
    let mut u = unit::<16, 17, 16>(3, 2);
    load(&mut u, &rows);
    write(&mut u, 3, 3, 0, 99);
    for (r, c) in [(1, 2), (7, 0), (3, 1)] {
        for sel in 0..3 {
            write(&mut u, sel, r, c, 99);
        }
    }
    assert_eq!(run_freely(&mut u), nested_loops(&rows, 2, 16));
}

#[test]
fn start_while_busy_is_ignored_and_stop_ends_at_once() {
    let rows = [(0, row(0, &[0], &[1], &[5]))];
    let mut u = unit::<16, 17, 16>(3, 2);
    load(&mut u, &rows);
    u.ready_i.next = true;
    u.start_i.next = true;
    for cycle in 0..8u64 {
        // Started in cycle 0, address n in cycle n + 3, the last one in cycle 7.
        settle(&mut u);
        assert_eq!(u.busy_o.val(), cycle > 0, "cycle {cycle}");
        assert_eq!(u.cfg_ready_o.val(), cycle == 0, "cycle {cycle}");
        assert_eq!(u.load_o.val(), cycle == 0, "cycle {cycle}");
        assert_eq!(u.valid_o.val(), cycle > 2, "cycle {cycle}");
        if cycle > 2 {
            assert_eq!(u.addr_o.val().to_u64(), cycle - 3);
        }
        clock_cycle!(u);
    }
    // start_i is still high: taken in cycle 8, so busy from 9.
    assert!(!u.busy_o.val());
    clock_cycle!(u);
    assert!(u.busy_o.val());
    u.start_i.next = false;
    clock_cycle!(u);
    clock_cycle!(u);
    assert!(u.busy_o.val() && u.valid_o.val());
    clear(&mut u);
    assert!(!u.busy_o.val() && !u.valid_o.val());
    start(&mut u);
    assert!(!u.busy_o.val(), "no row is listed");
    load(&mut u, &rows);
    assert_eq!(run_freely(&mut u), nested_loops(&rows, 2, 16));
}

#[test]
fn stop_ends_in_every_phase() {
    let rows = [(0, row(0, &[0], &[1], &[3])), (2, row(9, &[0], &[1], &[2]))];
    for phase in 0..10 {
        for ready in [false, true] {
            let mut u = unit::<16, 17, 16>(3, 2);
            load(&mut u, &rows);
            u.ready_i.next = ready;
            u.start_i.next = true;
            for _ in 0..phase {
                clock_cycle!(u);
                u.start_i.next = false;
            }
            clear(&mut u);
            u.start_i.next = false;
            for _ in 0..3 {
                assert!(!u.busy_o.val() && !u.valid_o.val(), "phase {phase}");
                clock_cycle!(u);
            }
            load(&mut u, &rows);
            assert_eq!(run_freely(&mut u), nested_loops(&rows, 2, 16));
        }
    }
}

/// A small generator of test values (xorshift).
struct Random(u64);

impl Random {
    fn below(&mut self, n: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) % n
    }
}

fn random_rows(random: &mut Random, rows: usize, loops: usize) -> Vec<(usize, Row)> {
    let mut list = Vec::new();
    for r in 0..rows {
        if random.below(4) == 0 {
            continue;
        }
        let mut row = Row {
            base: random.below(1 << 16),
            loops: Vec::new(),
        };
        let mut count = 1;
        for _ in 0..random.below(loops as u64 + 1) {
            let trips = 1 + random.below(4);
            let used = random.below(5) > 0 && count * trips <= 60;
            row.loops.push(if used {
                count *= trips;
                let (v, x) = (random.below(900), 1 + random.below(900));
                [v, x, v + trips * x - random.below(x)]
            } else {
                [0; 3]
            });
        }
        list.push((r, row));
    }
    if list.is_empty() {
        list.push((0, row(5, &[1], &[1], &[2])));
    }
    list
}

#[test]
fn ttu_042_ttu_049_ttu_066_random_nests_with_pauses_and_back_pressure() {
    let mut random = Random(42);
    let (mut held, mut paused, mut refused) = (0, 0, 0);
    for round in 0..150 {
        let (m, n) = ([1, 3, 8, 5][round % 4], [1, 2, 3, 5, 8][round % 5]);
        let rows = random_rows(&mut random, m, n);
        let model = nested_loops(&rows, n, 16);
        let mut u = unit::<16, 17, 16>(m, n);
        load(&mut u, &rows);
        start(&mut u);
        let (mut taken, mut waiting) = (Vec::new(), None);
        let mut bubble = false;
        let mut idle = 0;
        for _ in 0..20 * model.len() + 20 {
            idle += usize::from(taken.len() == model.len());
            if idle > 8 {
                break;
            }
            let ready = random.below(3) > 0;
            let pause = random.below(4) == 0;
            u.ready_i.next = ready;
            u.pause_i.next = pause;
            settle(&mut u);
            assert_eq!(u.busy_o.val(), taken.len() < model.len(), "round {round}");
            let valid = u.valid_o.val();
            if let Some(element) = waiting.take() {
                held += 1;
                assert!(valid && observe(&u) == element, "round {round}: not held");
            }
            if valid && ready {
                taken.push(observe(&u));
            } else if valid {
                refused += 1;
                waiting = Some(observe(&u));
            }
            paused += u64::from(pause);
            clock_cycle!(u);
            if ready || !valid {
                // What was not formed is missing two moves of the stages later.
                assert!(!(bubble && u.valid_o.val()), "round {round}: not paused");
                bubble = pause;
            }
        }
        assert_eq!(taken, model, "round {round}: {rows:?}");
    }
    assert!(held > 100 && paused > 100 && refused > 100);
}

#[test]
fn other_widths() {
    let rows = [(0, row(0xffff_fff0, &[0, 5], &[0x1_0000, 1], &[0x3_0000, 7]))];
    let mut u = unit::<24, 25, 32>(1, 2);
    load(&mut u, &rows);
    assert_eq!(run_freely(&mut u), nested_loops(&rows, 2, 32));
    let mut u = unit::<32, 33, 32>(1, 2);
    load(&mut u, &rows);
    assert_eq!(run_freely(&mut u), nested_loops(&rows, 2, 32));
}

#[test]
fn ttu_061_rows_run_in_the_order_of_their_bases() {
    let content = |r: usize| row(100 * r as u64, &[0, 7], &[1, 10], &[2, 27]);
    let mut u = unit::<16, 17, 16>(4, 2);
    for order in [[0, 1, 2, 3], [3, 2, 1, 0], [2, 0, 3, 1], [1, 3, 0, 2]] {
        let rows = order.map(|r| (r, content(r)));
        load(&mut u, &rows);
        assert_eq!(run_freely(&mut u), nested_loops(&rows, 2, 16));
        // A second base changes the base and not the place.
        write(&mut u, 3, order[2], 0, 1000);
        let mut moved = rows;
        moved[2].1.base = 1000;
        assert_eq!(run_freely(&mut u), nested_loops(&moved, 2, 16));
    }
}
