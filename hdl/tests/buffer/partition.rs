//! One partition: operands, weights, drain, host.

use heddle_hdl::buffer::Partition;
use heddle_kernel::prelude::*;

use super::Numbers;
use super::bench::*;

#[test]
fn eight_operands_of_a_word_cost_one_access() {
    let mut cycles = vec![host_write(3, 0x8877_6655_4433_2211)];
    cycles.extend((24..32).map(operand));
    cycles.extend(idle(8));
    let seen = check_partition(&cycles);
    assert_eq!(mask_reads(&seen), 1);
    let x: Vec<_> = seen[7..15].iter().map(|s| s.x).collect();
    assert_eq!(x, [0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x88 - 256]);
}

#[test]
fn reuse_survives_gaps_and_ends_with_another_word() {
    let mut cycles = vec![host_write(0, 0x0102_0304), host_write(1, 0x0506_0708)];
    for addr in [0, 1, 8, 2, 3] {
        cycles.push(operand(addr));
        cycles.extend(idle(2));
    }
    cycles.extend(idle(6));
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
    cycles.extend(idle(8));
    assert_eq!(mask_reads(&check_partition(&cycles)), 2);
}

#[test]
fn a_write_to_the_kept_word_is_seen_by_slots_of_its_cycle_and_later() {
    for distance in 0..5 {
        let mut cycles = vec![host_write(2, 0x11), operand(16)];
        cycles.extend((0..6).map(|_| operand(16)));
        cycles.extend(idle(8));
        // Operands are read two cycles behind their slots.
        cycles[2 + 2 + distance].drain = Some((2, 0x22));
        let seen = check_partition(&cycles);
        assert_eq!(mask_reads(&seen), 2);
        assert_eq!(seen[8 + distance].x, 0x22, "distance {distance}");
        assert_eq!(seen[7 + distance].x, 0x11);
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
    cycles.extend(idle(8));
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
    let held: Vec<_> = seen[7..15].iter().map(|s| s.held).collect();
    assert_eq!(held, [0x11, 0x11, 0x11, 0x11, 0x22, 0x22, 0x22, 0x88 - 256]);
    assert!(seen[15..].iter().all(|s| s.held == 0x88 - 256 && s.x == 0));
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
    cycles.extend(idle(8));
    let seen = check_partition(&cycles);
    assert_eq!(mask_reads(&seen), 1);
    let x: Vec<_> = seen[7..12].iter().map(|s| (s.x, s.swap)).collect();
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
    cycles.extend(idle(8));
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
    cycles.extend(idle(8));
    let answers: Vec<_> = check_partition(&cycles)
        .iter()
        .filter_map(|s| s.answer)
        .collect();
    assert_eq!(answers, [0xaa, 0, 0xbb]);
}

#[test]
fn pet_54_a_word_is_copied_three_cycles_behind_its_slot_and_not_shifted_in() {
    let (from, to) = (2, 3 * WORDS as u64 + 5);
    let copy = |rows| Cycle {
        wt: Some((from * 8, rows)),
        copies: true,
        ..Cycle::default()
    };
    let read = |word| Cycle {
        host: Some((0, word, None)),
        ..Cycle::default()
    };
    let mut cycles = vec![host_write(from, 0x1234), host_write(to, 0x99)];
    cycles.extend([copy(1), read(to), read(to), read(to), copy(0), read(to)]);
    cycles.extend(idle(1));
    cycles.push(host_write(from, 0x5678));
    cycles.extend([read(to), read(from)]);
    cycles.extend(idle(6));
    // The destination has meaning three cycles behind the slot; row 0 of no rows writes nothing.
    cycles[5].dest = to;
    cycles[9].dest = to;
    let seen = check_partition(&cycles);
    let answers: Vec<_> = seen.iter().filter_map(|s| s.answer).collect();
    assert_eq!(answers, [0x99, 0x99, 0x1234, 0x1234, 0x1234, 0x5678]);
    assert!(seen.iter().all(|s| !s.shift));
}

#[test]
fn pet_54_a_copy_over_the_kept_word_is_seen_by_slots_of_its_cycle_and_later() {
    for distance in 0..5 {
        let mut cycles = vec![host_write(2, 0x11), host_write(40, 0x22), operand(16)];
        cycles.extend((0..8).map(|_| operand(16)));
        cycles.extend(idle(8));
        cycles[2 + distance].wt = Some((40 * 8, 1));
        cycles[2 + distance].copies = true;
        cycles[2 + distance + 3].dest = 2;
        // Operands are read two cycles behind their slots.
        let seen = check_partition(&cycles);
        assert_eq!(mask_reads(&seen), 3, "two of the operand, one of the copy");
        assert_eq!(seen[9 + distance].x, 0x22, "distance {distance}");
        assert_eq!(seen[8 + distance].x, 0x11);
    }
}

#[test]
fn random_traffic_behaves_like_a_memory() {
    let (mut reused, mut faults) = (0, 0);
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
        let offset = |n: &mut Numbers| match n.next(8) {
            0 => None,
            1 => Some(n.next(1 << 16)),
            _ => Some(n.next(24)),
        };
        for entry in 0..OFFSETS as u64 {
            cycles.push(table_write(entry, offset(&mut n)));
        }
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
                    entry: n.one_in(4).then(|| n.next(OFFSETS as u64)),
                });
            }
            if n.one_in(3) {
                cycle.wt = Some((n.next(total) * 8, n.next(3)));
                cycle.copies = n.one_in(3);
            }
            cycle.dest = if n.one_in(2) { last } else { n.next(total) };
            if n.one_in(4) {
                let near = if n.one_in(2) { last } else { n.next(total) };
                cycle.drain = Some((near, word(&mut n)));
            }
            // No entry is read in the cycle in which it is written.
            let entry = n.next(OFFSETS as u64);
            if n.one_in(8) && cycle.op.is_none_or(|op| op.entry != Some(entry)) {
                cycle.table = table_write(entry, offset(&mut n)).table;
            } else if n.one_in(3) {
                let data = n.one_in(2).then(|| word(&mut n));
                cycle.host = Some((n.next(2), n.next(total), data));
            }
            cycles.push(cycle);
        }
        cycles.extend(idle(8));
        let seen = check_partition(&cycles);
        faults += seen.iter().filter(|s| s.fault).count();
        reused += model(&cycles).1;
    }
    assert!(faults > 20, "{faults} sums lay beyond the memory");
    assert!(reused > 300, "the kept word was used {reused} times");
}

#[test]
fn addresses_beyond_the_banks_read_zero_and_are_not_written() {
    let mut u = Partition::new(2, &bank(), OFFSETS);
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

/// An operand at `addr` plus the offset of an entry.
fn operand_of(entry: u64, addr: u64) -> Cycle {
    let mut cycle = operand(addr);
    cycle.op.as_mut().expect("just made").entry = Some(entry);
    cycle
}

#[test]
fn sgcr_54_the_row_adds_the_offset_of_the_entry_that_travels_with_the_slot() {
    let mut cycles = vec![
        host_write(0, 0x0807_0605_0403_0201),
        host_write(1, 0x1817_1615_1413_1211),
        table_write(0, Some(0)),
        table_write(3, Some(9)),
        table_write(15, Some(2)),
    ];
    for (entry, addr) in [(0, 4), (3, 4), (15, 4), (15, 5), (3, 0)] {
        cycles.push(operand_of(entry, addr));
    }
    cycles.push(operand(4));
    cycles.extend(idle(8));
    let seen = check_partition(&cycles);
    let x: Vec<_> = seen[11..17].iter().map(|s| s.x).collect();
    assert_eq!(x, [0x05, 0x16, 0x07, 0x08, 0x12, 0x05]);
    // Words 0, 1, 0 (twice), 1, 0.
    assert_eq!(mask_reads(&seen), 5);
}

#[test]
fn sgcr_55_a_row_without_a_valid_entry_reads_nothing_and_has_no_operand() {
    let mut cycles = vec![host_write(0, 0x7777_7777), table_write(1, None)];
    cycles.push(table_write(2, Some(0)));
    cycles.push(operand_of(1, 1));
    cycles.push(operand_of(2, 1));
    cycles.push(operand_of(1, 1));
    cycles.extend(idle(8));
    let seen = check_partition(&cycles);
    assert_eq!(mask_reads(&seen), 1);
    let x: Vec<_> = seen[9..12].iter().map(|s| s.x).collect();
    assert_eq!(x, [0, 0x77, 0]);
    let zeros: u64 = seen.iter().map(|s| s.events[6]).sum();
    assert_eq!(zeros, 0, "no operand is no zero operand");
}

#[test]
fn a_sum_beyond_the_memory_is_a_fault_and_reads_nothing() {
    let bytes = (BANKS * WORDS * 8) as u64;
    for (offset, addr, fault) in [
        (bytes - 2, 1, false),
        (bytes - 1, 1, true),
        (0xffff, 1, true),
        (0xffff, 0xffff, true),
        (0, bytes - 1, false),
    ] {
        let last = bytes / 8 - 1;
        let mut cycles = vec![host_write(last, 0x55 << 56), host_write(0, 0x6666_6666)];
        cycles.push(table_write(5, Some(offset)));
        cycles.push(operand_of(5, addr));
        cycles.extend(idle(8));
        let seen = check_partition(&cycles);
        assert_eq!(seen[5].fault, fault, "{offset:#x} + {addr:#x}");
        assert_eq!(seen.iter().filter(|s| s.fault).count(), usize::from(fault));
        assert_eq!(seen[9].x, if fault { 0 } else { 0x55 });
        assert_eq!(mask_reads(&seen), u64::from(!fault));
    }
}
