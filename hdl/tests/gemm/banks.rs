//! The operand memory in banks.

use super::bench::{Numbers, check};
use super::examples::example_5_1;
use heddle_hdl::gemm::{GemmShape, OperandBanks};
use heddle_kernel::prelude::*;

pub fn banked(rows: usize, cols: usize, banks: usize, merge: bool) -> GemmShape {
    let mut shape = GemmShape::new(rows, cols);
    shape.unit.broadcast = true;
    shape.banks = banks;
    shape.merge = merge;
    shape
}

#[test]
fn sgcr_52_bank_conflicts_of_5_8_3_cost_clocks_and_change_nothing() {
    for (banks, run_clocks) in [(2, 18), (4, 18), (8, 9), (16, 9)] {
        for merge in [false, true] {
            let run = check(banked(4, 1, banks, merge), &example_5_1(false), "5.8.3");
            assert_eq!(9 + run.stalls, run_clocks, "{banks} banks");
        }
    }
}

#[test]
fn rows_that_want_one_operand_are_served_together() {
    let mut job = example_5_1(false);
    job.bases = vec![5, 5, 5, 4, 5, 4];
    for (merge, stalls) in [(true, 0), (false, 9 * 3)] {
        // Rows 0, 1, 2 and 4 want one operand, rows 3 and 5 another one.
        let run = check(banked(6, 1, 2, merge), &job, "six rows");
        assert_eq!(run.stalls, stalls, "merge: {merge}");
    }
}

/// Conflict degree: clocks of the bank that is wanted most.
fn degree(wants: &[Option<usize>], banks: usize, merge: bool) -> usize {
    let in_bank = |bank: usize| {
        let mut all: Vec<usize> = wants.iter().flatten().copied().collect();
        all.retain(|a| a % banks == bank);
        if merge {
            all.sort_unstable();
            all.dedup();
        }
        all.len()
    };
    (0..banks).map(in_bank).max().unwrap_or(0).max(1)
}

/// Offers random steps one after another; every step must take its conflict degree, and its
/// operands must be on the outputs two clocks after the last one is read.
fn check_banks(rows: usize, banks: usize, merge: bool, seed: u64) -> [usize; 3] {
    let bytes = 64;
    let mut n = Numbers(seed);
    let mut u = OperandBanks::<16>::new(rows, bytes, banks, merge);
    u.rst_n.next = false;
    clock_cycle!(u);
    u.rst_n.next = true;
    let memory: Vec<i64> = (0..bytes).map(|_| n.byte()).collect();
    for (a, &x) in memory.iter().enumerate() {
        u.wen_i.next = true;
        u.waddr_i.next = (a as u64 + 64 * n.below(4) as u64).into();
        u.wdata_i.next = (x as u64 & 0xff).into();
        clock_cycle!(u);
    }
    u.wen_i.next = false;
    clock_cycle!(u);
    let mut events = [0; 3];
    // Operands by the clock in which they must show; None: none was read.
    let mut due: Vec<(usize, Vec<Option<i64>>)> = Vec::new();
    let mut clock = 0;
    let mut tick = |u: &mut OperandBanks<16>, due: &mut Vec<(usize, Vec<Option<i64>>)>| {
        settle(u);
        let (now, later): (Vec<_>, _) = std::mem::take(due).into_iter().partition(|d| d.0 == clock);
        *due = later;
        for r in 0..rows {
            let want = now.first().and_then(|d| d.1[r]);
            assert_eq!(u.read_o[r].val(), want.is_some(), "seed {seed}, row {r}");
            let not_zero = want.filter(|&x| x != 0);
            assert_eq!(u.nz_o[r].val(), not_zero.is_some(), "seed {seed}, row {r}");
            if let Some(x) = not_zero {
                let got = i64::from(u.x_o[r].val().to_u64() as u8 as i8);
                assert_eq!(got, x, "seed {seed}, clock {clock}, row {r}");
            }
        }
        let served = u.offer_i.val() && u.served_o.val();
        assert_eq!(u.wait_o.val(), u.offer_i.val() && !u.served_o.val());
        clock_cycle!(*u);
        clock += 1;
        served.then_some(clock - 1)
    };
    for _ in 0..60 {
        let wants: Vec<Option<usize>> = (0..rows)
            .map(|_| {
                let span = [8, bytes][n.below(2)];
                let want = n.below(span);
                (n.below(4) > 0).then_some(want)
            })
            .collect();
        u.offer_i.next = true;
        for (r, want) in wants.iter().enumerate() {
            u.ren_i[r].next = want.is_some();
            u.addr_i[r].next = (want.unwrap_or(3) as u64 + 64 * n.below(4) as u64).into();
        }
        let degree = degree(&wants, banks, merge);
        let mut clocks = 1;
        let served = loop {
            if let Some(at) = tick(&mut u, &mut due) {
                break at;
            }
            clocks += 1;
        };
        assert_eq!(clocks, degree, "seed {seed}, {wants:?}");
        due.push((
            served + 2,
            wants.iter().map(|a| a.map(|a| memory[a])).collect(),
        ));
        events[0] += usize::from(degree == 1);
        events[1] += usize::from(degree > 2);
        if n.below(4) == 0 {
            // What the rows show without an offer does not matter.
            u.offer_i.next = false;
            tick(&mut u, &mut due);
            events[2] += 1;
        }
    }
    events
}

#[test]
fn random_steps_take_their_conflict_degree() {
    let mut events = [0; 3];
    for seed in 0..16 {
        let rows = 1 + seed as usize % 6;
        let banks = 2 << (seed % 4);
        let seen = check_banks(rows, banks, seed % 3 != 0, seed);
        for (all, seen) in events.iter_mut().zip(seen) {
            *all += seen;
        }
    }
    assert!(events.iter().all(|&n| n > 50), "{events:?}");
}
