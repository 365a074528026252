//! Columns of the results buffer.

use heddle_hdl::buffer::{ResultColumn, ResultsBuffer};
use heddle_kernel::prelude::*;

use super::Numbers;

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
