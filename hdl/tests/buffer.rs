//! Results buffer and state buffer against plain memories, with the clocks of docs/machine.md.

use heddle_hdl::buffer::{Partition, ResultColumn, ResultsBuffer, StateBuffer};
use heddle_hdl::prelude::*;
use heddle_hdl::sliced::SlicedShape;

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
}

#[derive(Clone, Copy, Default)]
struct Slot {
    valid: bool,
    bank: bool,
    addr: u64,
    add: bool,
    sum_en: bool,
    write: bool,
    sum: u32,
}

/// Presents one slot per cycle and returns `acc_o` two cycles behind each.
fn run_column(depth: usize, slots: &[Slot]) -> Vec<u32> {
    let mut u = ResultColumn::new(depth);
    u.rst_n.next = true;
    let idle = Slot::default();
    let mut acc = Vec::new();
    for t in 0..slots.len() + 2 {
        let slot = slots.get(t).unwrap_or(&idle);
        u.valid_i.next = slot.valid;
        u.bank_i.next = slot.bank;
        u.addr_i.next = slot.addr.into();
        u.add_i.next = slot.add;
        u.sum_en_i.next = slot.sum_en;
        u.write_i.next = slot.write;
        let before = t.checked_sub(1).and_then(|t| slots.get(t));
        u.sum_i.next = u64::from(before.map_or(0xdead_beef, |s| s.sum)).into();
        settle(&mut u);
        if t >= 2 {
            acc.push(u.acc_o.val().to_u32());
        }
        clock_cycle!(u);
    }
    acc
}

/// The same on a plain memory, one slot after the other.
#[track_caller]
fn check_column(depth: usize, slots: &[Slot]) {
    let got = run_column(depth, slots);
    let mut memory = vec![0u32; 2 * depth];
    for (t, slot) in slots.iter().enumerate() {
        if !slot.valid {
            continue;
        }
        let stored = &mut memory[2 * slot.addr as usize + usize::from(slot.bank)];
        let mut want = 0u32;
        if slot.add {
            want = want.wrapping_add(*stored);
        }
        if slot.sum_en {
            want = want.wrapping_add(slot.sum);
        }
        if slot.write {
            *stored = want;
        }
        assert_eq!(got[t], want, "slot {t}");
    }
}

fn accumulate(addr: u64, sum: u32) -> Slot {
    Slot {
        valid: true,
        addr,
        add: true,
        sum_en: true,
        write: true,
        sum,
        ..Slot::default()
    }
}

#[test]
fn sums_are_forwarded_at_every_distance() {
    for distance in 1..6 {
        let mut slots = vec![Slot::default(); 20];
        for (n, slot) in slots.iter_mut().step_by(distance).enumerate() {
            *slot = accumulate(5, 1 << n);
        }
        check_column(16, &slots);
        let last = slots.iter().rposition(|s| s.valid).expect("there are some");
        let count = slots.iter().filter(|s| s.valid).count();
        assert_eq!(run_column(16, &slots)[last], (1 << count) - 1);
    }
}

#[test]
fn other_slots_between_do_not_disturb_forwarding() {
    for distance in 1..5u64 {
        let slots: Vec<_> = (0..24)
            .map(|t| accumulate(t % distance, 1 << t.min(31)))
            .collect();
        check_column(16, &slots);
    }
}

#[test]
fn banks_are_apart_at_every_distance() {
    for distance in 1..4 {
        let mut slots = vec![Slot::default(); 16];
        for (n, slot) in slots.iter_mut().step_by(distance).enumerate() {
            *slot = accumulate(3, 1 << n);
            slot.bank = n % 2 == 1;
        }
        check_column(16, &slots);
    }
}

#[test]
fn a_slot_without_write_is_not_forwarded() {
    for distance in 1..4 {
        let mut slots = vec![Slot::default(); 12];
        slots[0] = accumulate(1, 100);
        slots[distance] = Slot {
            write: false,
            ..accumulate(1, 10)
        };
        slots[2 * distance] = accumulate(1, 1);
        check_column(16, &slots);
        assert_eq!(run_column(16, &slots)[2 * distance], 101);
    }
}

#[test]
fn the_result_holds_in_empty_slots() {
    let acc = run_column(16, &[accumulate(0, 7), Slot::default(), Slot::default()]);
    assert_eq!(acc, [7, 7, 7]);
}

#[test]
fn random_slots_behave_like_a_memory() {
    for seed in 0..4 {
        let mut n = Numbers(seed);
        let slots: Vec<_> = (0..2000)
            .map(|_| Slot {
                valid: !n.one_in(4),
                bank: n.one_in(2),
                addr: n.next(3),
                add: !n.one_in(4),
                sum_en: !n.one_in(5),
                write: !n.one_in(4),
                sum: n.next(1 << 31) as u32 ^ (n.next(2) as u32) << 31,
            })
            .collect();
        check_column(16, &slots);
    }
}

#[test]
fn the_whole_depth_is_used() {
    for depth in [16, 64] {
        let all = (0..depth as u64).flat_map(|addr| {
            [false, true].map(|bank| Slot {
                bank,
                add: false,
                ..accumulate(addr, (addr * 2 + u64::from(bank)) as u32 + 1)
            })
        });
        let slots: Vec<_> = all
            .clone()
            .chain(all.map(|s| Slot { add: true, ..s }))
            .collect();
        check_column(depth, &slots);
    }
}

#[test]
fn the_results_wave_reaches_each_column_one_cycle_later() {
    let cols = 4;
    let mut u = ResultsBuffer::new(cols, 16);
    u.rst_n.next = true;
    for t in 0..10u64 {
        u.valid_i.next = t == 0;
        u.sum_en_i.next = t == 0;
        for c in 0..cols {
            u.sum_i[c].next = (100 * t + c as u64).into();
        }
        settle(&mut u);
        for c in 0..cols as u64 {
            let want = if t >= c + 2 { 100 * (c + 1) + c } else { 0 };
            assert_eq!(u.acc_o[c as usize].val(), Bits::<32>::from(want));
        }
        clock_cycle!(u);
    }
}

const BANKS: usize = 4;
const WORDS: usize = 16;

/// One operand slot.
#[derive(Clone, Copy, Default)]
struct Operand {
    addr: u64,
    rows: u64,
    thr: u64,
    fresh: bool,
    swap: bool,
}

/// Everything that enters a partition in one cycle.
#[derive(Clone, Default)]
struct Cycle {
    op: Option<Operand>,
    /// Address and rows.
    wt: Option<(u64, u64)>,
    /// Word and data.
    drain: Option<(u64, u64)>,
    /// Partition, word, data of a write.
    host: Option<(u64, u64, Option<u64>)>,
}

/// What leaves a partition in one cycle.
#[derive(Clone, Debug, PartialEq, Default)]
struct Seen {
    /// Operand of the slot, 0 if there is none.
    x: i64,
    /// What the multipliers see: the last operand that was not zero.
    held: i64,
    swap: bool,
    shift: bool,
    w: u64,
    answer: Option<u64>,
    /// Mask reads and writes, slice a reads and writes, slice b reads and writes, zero operands.
    events: [u64; 7],
}

fn join(bytes: &[Bits<8>]) -> u64 {
    bytes
        .iter()
        .rev()
        .fold(0, |word, byte| word << 8 | byte.to_u64())
}

fn signed_9(x: Bits<9>) -> i64 {
    let x = x.to_u64() as i64;
    if x < 256 { x } else { x - 512 }
}

macro_rules! drive {
    ($u:expr, $cycle:expr) => {{
        let op = $cycle.op.unwrap_or_default();
        $u.op_valid_i.next = $cycle.op.is_some_and(|op| op.rows < 512);
        $u.op_addr_i.next = op.addr.into();
        $u.op_rows_i.next = (op.rows % 512).into();
        $u.op_thr_i.next = op.thr.into();
        $u.op_fresh_i.next = op.fresh;
        $u.op_swap_i.next = op.swap;
        let (addr, rows) = $cycle.wt.unwrap_or_default();
        $u.wt_valid_i.next = $cycle.wt.is_some();
        $u.wt_addr_i.next = addr.into();
        $u.wt_rows_i.next = rows.into();
        let (partition, word, data) = $cycle.host.unwrap_or_default();
        $u.host_valid_i.next = $cycle.host.is_some();
        $u.host_write_i.next = data.is_some();
        $u.host_partition_i.next = partition.into();
        $u.host_word_i.next = word.into();
        for k in 0..8 {
            $u.host_data_i[k].next = (data.unwrap_or(0) >> (8 * k) & 0xff).into();
        }
    }};
}

/// A bank with slices of four bytes.
fn bank() -> SlicedShape {
    SlicedShape::new(WORDS, vec![4, 4])
}

fn run_partition(cycles: &[Cycle]) -> Vec<Seen> {
    let mut u = Partition::new(BANKS, &bank());
    u.rst_n.next = true;
    let mut seen = Vec::new();
    for cycle in cycles {
        drive!(u, cycle);
        let (word, data) = cycle.drain.unwrap_or_default();
        u.dr_valid_i.next = cycle.drain.is_some();
        u.dr_word_i.next = word.into();
        for k in 0..8 {
            u.dr_data_i[k].next = (data >> (8 * k) & 0xff).into();
        }
        settle(&mut u);
        let bytes = |port: &[Signal<Out, Bits<8>>]| {
            join(&port.iter().map(|byte| byte.val()).collect::<Vec<_>>())
        };
        seen.push(Seen {
            x: if u.nz_o.val() {
                signed_9(u.x_o.val())
            } else {
                0
            },
            held: signed_9(u.x_o.val()),
            swap: u.swap_o.val(),
            shift: u.shift_o.val(),
            w: if u.shift_o.val() { bytes(&u.w_o) } else { 0 },
            answer: u.host_rvalid_o.val().then(|| bytes(&u.host_rdata_o)),
            events: [
                u.ev_mask_read_o.val().to_u64(),
                u.ev_mask_write_o.val().to_u64(),
                u.ev_slice_read_o[0].val().to_u64(),
                u.ev_slice_write_o[0].val().to_u64(),
                u.ev_slice_read_o[1].val().to_u64(),
                u.ev_slice_write_o[1].val().to_u64(),
                u.ev_zero_o.val().to_u64(),
            ],
        });
        clock_cycle!(u);
    }
    seen
}

/// Slice a, slice b: does the word use them? Slice a holds four packed bytes.
fn slices(word: u64) -> [u64; 2] {
    let count = word.to_le_bytes().iter().filter(|&&byte| byte != 0).count();
    [(count > 0).into(), (count > 4).into()]
}

/// A plain memory with the clocks of the document, and the number of operands that came from
/// the kept word.
fn model(cycles: &[Cycle]) -> (Vec<Seen>, u64) {
    let mut seen = vec![Seen::default(); cycles.len() + 8];
    let mut memory = [0u64; BANKS * WORDS];
    let mut kept = None;
    let mut reused = 0;
    let bank = |word: u64| word as usize / WORDS;
    for (t, cycle) in cycles.iter().enumerate() {
        let here = cycle.host.filter(|host| host.0 == 0);
        let write = cycle
            .drain
            .or(here.and_then(|(_, word, data)| Some((word, data?))));
        if let Some((word, data)) = write {
            memory[word as usize] = data;
            seen[t + 1].events[1] += 1;
            seen[t + 2].events[3] += slices(data)[0];
            seen[t + 2].events[5] += slices(data)[1];
            if kept == Some(word) {
                kept = None;
            }
        }
        let mut busy = vec![];
        let mut read = |word: u64, seen: &mut Vec<Seen>| {
            if busy.contains(&bank(word)) {
                return 0;
            }
            busy.push(bank(word));
            let data = memory[word as usize];
            seen[t + 1].events[0] += 1;
            seen[t + 2].events[2] += slices(data)[0];
            seen[t + 2].events[4] += slices(data)[1];
            data
        };
        if let Some(op) = cycle.op {
            seen[t + 4].swap = op.swap;
            if op.rows > 0 && op.rows < 512 {
                let word = op.addr >> 3;
                if op.fresh || kept != Some(word) {
                    read(word, &mut seen);
                    kept = Some(word);
                } else {
                    reused += 1;
                }
                let byte = (memory[word as usize] >> (8 * (op.addr & 7)) & 0xff) as i64;
                seen[t + 4].x = if byte <= op.thr as i64 {
                    byte
                } else {
                    byte - 256
                };
                seen[t + 5].events[6] += u64::from(byte == 0);
            }
        }
        if let Some((addr, rows)) = cycle.wt {
            seen[t + 3].shift = true;
            if rows > 0 {
                seen[t + 3].w = read(addr >> 3, &mut seen);
            }
        }
        if let Some((_, word, None)) = here {
            seen[t + 4].answer = Some(read(word, &mut seen));
        }
    }
    let mut held = 0;
    for cycle in &mut seen {
        if cycle.x != 0 {
            held = cycle.x;
        }
        cycle.held = held;
    }
    seen.truncate(cycles.len());
    (seen, reused)
}

#[track_caller]
fn check_partition(cycles: &[Cycle]) -> Vec<Seen> {
    let got = run_partition(cycles);
    for (t, (got, want)) in got.iter().zip(model(cycles).0).enumerate() {
        assert_eq!(*got, want, "cycle {t}");
    }
    got
}

fn host_write(word: u64, data: u64) -> Cycle {
    Cycle {
        host: Some((0, word, Some(data))),
        ..Cycle::default()
    }
}

fn operand(addr: u64) -> Cycle {
    Cycle {
        op: Some(Operand {
            addr,
            rows: 1,
            thr: 127,
            ..Operand::default()
        }),
        ..Cycle::default()
    }
}

fn idle(n: usize) -> Vec<Cycle> {
    vec![Cycle::default(); n]
}

fn mask_reads(seen: &[Seen]) -> u64 {
    seen.iter().map(|s| s.events[0]).sum()
}

#[test]
fn eight_operands_of_a_word_cost_one_access() {
    let mut cycles = vec![host_write(3, 0x8877_6655_4433_2211)];
    cycles.extend((24..32).map(operand));
    cycles.extend(idle(6));
    let seen = check_partition(&cycles);
    assert_eq!(mask_reads(&seen), 1);
    let x: Vec<_> = seen[5..13].iter().map(|s| s.x).collect();
    assert_eq!(x, [0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x88 - 256]);
}

#[test]
fn reuse_survives_gaps_and_ends_with_another_word() {
    let mut cycles = vec![host_write(0, 0x0102_0304), host_write(1, 0x0506_0708)];
    for addr in [0, 1, 8, 2, 3] {
        cycles.push(operand(addr));
        cycles.extend(idle(2));
    }
    cycles.extend(idle(4));
    assert_eq!(mask_reads(&check_partition(&cycles)), 3);
}

#[test]
fn a_fresh_slot_reads_the_kept_word_again() {
    let mut cycles = vec![host_write(2, 0xff00_ff00)];
    for fresh in [false, false, true, false] {
        let mut cycle = operand(17);
        cycle.op.as_mut().expect("just made").fresh = fresh;
        cycles.push(cycle);
    }
    cycles.extend(idle(6));
    assert_eq!(mask_reads(&check_partition(&cycles)), 2);
}

#[test]
fn a_write_to_the_kept_word_is_seen_by_slots_of_its_cycle_and_later() {
    for distance in 0..5 {
        let mut cycles = vec![host_write(2, 0x11), operand(16)];
        cycles.extend((0..6).map(|_| operand(16)));
        cycles[2 + distance].drain = Some((2, 0x22));
        cycles.extend(idle(6));
        let seen = check_partition(&cycles);
        assert_eq!(mask_reads(&seen), 2);
        assert_eq!(seen[6 + distance].x, 0x22, "distance {distance}");
        assert_eq!(seen[5 + distance].x, 0x11);
    }
}

#[test]
fn the_threshold_decides_which_bytes_are_negative() {
    let mut cycles = vec![host_write(0, 0xff80_7f01_00fe_8110)];
    for thr in [0, 1, 0x7f, 0x80, 0xfe, 0xff] {
        for addr in 0..8 {
            let mut cycle = operand(addr);
            cycle.op.as_mut().expect("just made").thr = thr;
            cycles.push(cycle);
        }
    }
    cycles.extend(idle(6));
    check_partition(&cycles);
}

#[test]
fn zero_operands_are_counted_and_leave_the_multiplier_inputs_still() {
    let mut cycles = vec![host_write(0, 0x8800_0022_0000_0011)];
    cycles.extend((0..8).map(operand));
    cycles.extend(idle(2));
    cycles.push(operand(1));
    cycles.extend(idle(8));
    let seen = check_partition(&cycles);
    let held: Vec<_> = seen[5..13].iter().map(|s| s.held).collect();
    assert_eq!(held, [0x11, 0x11, 0x11, 0x11, 0x22, 0x22, 0x22, 0x88 - 256]);
    assert!(seen[13..].iter().all(|s| s.held == 0x88 - 256 && s.x == 0));
    // Empty slots are no zero operands.
    assert_eq!(seen.iter().map(|s| s.events[6]).sum::<u64>(), 6);
}

#[test]
fn inactive_rows_and_empty_slots_give_zero_and_read_nothing() {
    let mut cycles = vec![host_write(0, 0x7777_7777)];
    for rows in [0, 600, 1, 0, 511] {
        let mut cycle = operand(1);
        let op = cycle.op.as_mut().expect("just made");
        (op.rows, op.swap) = (rows, true);
        cycles.push(cycle);
    }
    cycles.push(Cycle {
        wt: Some((0, 0)),
        ..Cycle::default()
    });
    cycles.extend(idle(6));
    let seen = check_partition(&cycles);
    assert_eq!(mask_reads(&seen), 1);
    let x: Vec<_> = seen[5..10].iter().map(|s| (s.x, s.swap)).collect();
    assert_eq!(
        x,
        [(0, true), (0, true), (0x77, true), (0, true), (0x77, true)]
    );
}

#[test]
fn a_bank_serves_operands_before_weights_before_the_host() {
    let words = [1, WORDS as u64 + 1, 2 * WORDS as u64 + 1];
    let mut cycles: Vec<_> = words.iter().map(|&w| host_write(w, 0x1111 * w)).collect();
    for op in words {
        for wt in words {
            for host in words {
                let mut cycle = operand(op * 8 + 1);
                cycle.op.as_mut().expect("just made").fresh = true;
                cycle.wt = Some((wt * 8, 1));
                cycle.host = Some((0, host, None));
                cycles.push(cycle);
            }
        }
    }
    cycles.extend(idle(6));
    check_partition(&cycles);
}

#[test]
fn drain_words_go_before_host_writes() {
    let mut cycles = vec![host_write(5, 0x55)];
    cycles[0].drain = Some((5, 0xaa));
    cycles.push(host_write(6, 0x66));
    cycles[1].drain = Some((40, 0xbb));
    for word in [5, 6, 40] {
        cycles.push(Cycle {
            host: Some((0, word, None)),
            ..Cycle::default()
        });
    }
    cycles.extend(idle(6));
    let answers: Vec<_> = check_partition(&cycles)
        .iter()
        .filter_map(|s| s.answer)
        .collect();
    assert_eq!(answers, [0xaa, 0, 0xbb]);
}

#[test]
fn random_traffic_behaves_like_a_memory() {
    let mut reused = 0;
    for seed in 0..2 {
        let mut n = Numbers(seed + 100);
        let total = (BANKS * WORDS) as u64;
        let mut last = 0;
        let word = |n: &mut Numbers| {
            let mut bytes = [0u8; 8];
            for byte in &mut bytes {
                *byte = if n.one_in(2) { 0 } else { n.next(256) as u8 };
            }
            u64::from_le_bytes(bytes)
        };
        let mut cycles: Vec<_> = (0..total).map(|w| host_write(w, word(&mut n))).collect();
        for _ in 0..1500 {
            let mut cycle = Cycle::default();
            if !n.one_in(4) {
                if n.one_in(3) {
                    last = n.next(total);
                }
                cycle.op = Some(Operand {
                    addr: last * 8 + n.next(8),
                    rows: [0, 1, 2, 9, 600][n.next(5) as usize],
                    thr: n.next(256),
                    fresh: n.one_in(10),
                    swap: n.one_in(5),
                });
            }
            if n.one_in(3) {
                cycle.wt = Some((n.next(total) * 8, n.next(3)));
            }
            if n.one_in(4) {
                let near = if n.one_in(2) { last } else { n.next(total) };
                cycle.drain = Some((near, word(&mut n)));
            }
            if n.one_in(3) {
                let data = n.one_in(2).then(|| word(&mut n));
                cycle.host = Some((n.next(2), n.next(total), data));
            }
            cycles.push(cycle);
        }
        cycles.extend(idle(8));
        check_partition(&cycles);
        reused += model(&cycles).1;
    }
    assert!(reused > 300, "the kept word was used {reused} times");
}

#[test]
fn addresses_beyond_the_banks_read_zero_and_are_not_written() {
    let mut u = Partition::new(2, &bank());
    u.rst_n.next = true;
    let beyond = 2 * WORDS as u64 + 3;
    let read = |word| Cycle {
        host: Some((0, word, None)),
        ..Cycle::default()
    };
    let mut cycles = vec![
        host_write(3, 0x33),
        host_write(beyond, 0x99),
        read(3),
        read(beyond),
    ];
    cycles.extend(idle(5));
    let mut answers = Vec::new();
    for cycle in &cycles {
        drive!(u, cycle);
        settle(&mut u);
        if u.host_rvalid_o.val() {
            answers.push(u.host_rdata_o[0].val().to_u64());
        }
        clock_cycle!(u);
    }
    assert_eq!(answers, [0x33, 0]);
}

#[test]
fn the_operand_wave_reaches_each_row_one_cycle_later_and_leaves_behind_the_last() {
    let rows = 3;
    let mut u = StateBuffer::new(rows, 2, &bank());
    u.rst_n.next = true;
    // Row r: operand byte 16 + r at address 9, weight word 32 + r in bank 1.
    for r in 0..rows as u64 {
        for (word, data) in [(1, (16 + r) << 8), (WORDS as u64, 32 + r)] {
            let cycle = Cycle {
                host: Some((r, word, Some(data))),
                ..Cycle::default()
            };
            drive!(u, &cycle);
            clock_cycle!(u);
        }
    }
    drive!(u, &Cycle::default());
    for _ in 0..rows {
        clock_cycle!(u);
    }
    // Operand for two of three rows, weights for one, a host read of each partition.
    for t in 0..12usize {
        let mut cycle = Cycle::default();
        if t == 0 {
            cycle = operand(9);
            cycle.op.as_mut().expect("just made").rows = 2;
            cycle.op.as_mut().expect("just made").swap = true;
            cycle.wt = Some((8 * WORDS as u64, 1));
        }
        if (2..2 + rows).contains(&t) {
            cycle.host = Some((t as u64 - 2, 1, None));
        }
        drive!(u, &cycle);
        u.op_tag_i.next = (t as u64 + 40).into();
        settle(&mut u);
        for r in 0..rows {
            let x = if t == r + 4 && r < 2 {
                16 + r as i64
            } else {
                0
            };
            assert_eq!(u.nz_o[r].val(), x != 0, "cycle {t}, row {r}");
            if x != 0 {
                assert_eq!(signed_9(u.x_o[r].val()), x, "cycle {t}, row {r}");
            }
            assert_eq!(u.swap_o[r].val(), t == r + 4);
            assert_eq!(u.shift_o[r].val(), t == r + 3);
        }
        if t == 3 {
            assert_eq!(u.w_o[0][0].val(), Bits::<8>::from(32));
        }
        assert_eq!(u.op_valid_o.val(), t == rows);
        if t >= rows {
            assert_eq!(u.op_tag_o.val().to_u64(), (t - rows) as u64 + 40);
        }
        if t == rows {
            assert_eq!(u.op_addr_o.val(), Bits::<16>::from(9));
        }
        // Requests in 2, 3, 4; answers rows + 3 cycles later.
        let answer = t.checked_sub(2 + rows + 3).filter(|&n| n < rows);
        assert_eq!(u.host_rvalid_o.val(), answer.is_some(), "cycle {t}");
        if let Some(r) = answer {
            assert_eq!(u.host_rdata_o[1].val().to_u64(), 16 + r as u64);
        }
        clock_cycle!(u);
    }
}

#[test]
fn events_of_all_rows_are_added_up() {
    let rows = 3;
    let mut u = StateBuffer::new(rows, 2, &bank());
    u.rst_n.next = true;
    for r in 0..rows {
        u.dr_valid_i[r].next = true;
        u.dr_word_i[r].next = 7.into();
        // Row 0 writes nothing but its mask, row 1 slice a, row 2 both slices.
        for k in 0..[0, 4, 5][r] {
            u.dr_data_i[r][k].next = 1.into();
        }
    }
    let mut totals = [0; 7];
    for t in 0..12 {
        if t == 1 {
            for r in 0..rows {
                u.dr_valid_i[r].next = false;
            }
            drive!(u, &operand(0));
            u.op_addr_i.next = (7 * 8).into();
            u.op_rows_i.next = 3.into();
        }
        if t == 2 {
            drive!(u, &Cycle::default());
        }
        settle(&mut u);
        let now = [
            u.ev_mask_read_o.val(),
            u.ev_mask_write_o.val(),
            u.ev_slice_read_o[0].val(),
            u.ev_slice_write_o[0].val(),
            u.ev_slice_read_o[1].val(),
            u.ev_slice_write_o[1].val(),
            u.ev_zero_o.val(),
        ];
        for (total, now) in totals.iter_mut().zip(now) {
            *total += now.to_u64();
        }
        clock_cycle!(u);
    }
    // The operand of row 0 is zero, those of the others are 1.
    assert_eq!(totals, [3, 3, 2, 2, 1, 1, 1]);
}
