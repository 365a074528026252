//! The array that keeps weights or sums against plain sums, with the clocks its text promises.

use heddle_hdl::array::{DualArray, DualPe};
use heddle_kernel::prelude::*;

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
    /// A byte that is often 0 or an end of the range.
    fn byte(&mut self) -> i64 {
        match self.next(8) {
            0 | 1 => 0,
            2 => -128,
            3 => 127,
            _ => self.next(256) as i64 - 128,
        }
    }
    fn bytes(&mut self, n: usize) -> Vec<i64> {
        (0..n).map(|_| self.byte()).collect()
    }
}

fn bits<const N: usize>(x: i64) -> Bits<N> {
    (x as u64 & ((1u64 << N) - 1)).into()
}

fn sum(x: Bits<32>) -> i64 {
    i64::from(x.to_u32() as i32)
}

#[derive(Clone, Debug)]
enum Kind {
    Empty,
    /// Output stationary.
    Sum {
        first: bool,
    },
    /// Weight stationary.
    Product,
    Load(usize),
    Drain(usize),
}

/// One slot: what it is, the operands of the rows, the weights of the columns.
#[derive(Clone, Debug)]
struct Slot {
    kind: Kind,
    x: Vec<i64>,
    w: Vec<i64>,
    /// A draining slot that also has weights for this row.
    load: Option<usize>,
}

/// Slots by the cycle in which their control enters row 0.
struct Bench {
    rows: usize,
    cols: usize,
    slots: Vec<Slot>,
    numbers: Numbers,
}

impl Bench {
    fn new(rows: usize, cols: usize, seed: u64) -> Self {
        Self {
            rows,
            cols,
            slots: Vec::new(),
            numbers: Numbers(seed),
        }
    }

    /// Adds a slot; what it does not need is filled with noise.
    fn add(&mut self, kind: Kind, x: Option<Vec<i64>>, w: Option<Vec<i64>>) -> usize {
        let x = x.unwrap_or_else(|| self.numbers.bytes(self.rows));
        let w = w.unwrap_or_else(|| self.numbers.bytes(self.cols));
        let load = None;
        self.slots.push(Slot { kind, x, w, load });
        self.slots.len() - 1
    }

    fn empty(&mut self, slots: usize) {
        for _ in 0..slots {
            self.add(Kind::Empty, None, None);
        }
    }

    /// Output stationary steps on `x[step][row]`, `w[step][column]` and the draining behind them.
    /// Gives (slot with which the sum leaves, row, sums of the columns).
    fn sums(&mut self, x: &[Vec<i64>], w: &[Vec<i64>]) -> Vec<(usize, usize, Vec<i64>)> {
        let mut slot = 0;
        for (k, (x, w)) in x.iter().zip(w).enumerate() {
            slot = self.add(
                Kind::Sum { first: k == 0 },
                Some(x.clone()),
                Some(w.clone()),
            );
        }
        for count in (1..self.rows).rev() {
            self.add(Kind::Drain(count), None, None);
        }
        let sum = |row: usize, col: usize| x.iter().zip(w).map(|(x, w)| x[row] * w[col]).sum();
        (0..self.rows)
            .map(|row| {
                let sums = (0..self.cols).map(|col| sum(row, col)).collect();
                (slot + self.rows - 1 - row, row, sums)
            })
            .collect()
    }

    /// Weight stationary: loads `w[row][column]`, then steps on `x[step][row]`. Gives the slot and
    /// the products of each step.
    fn products(&mut self, x: &[Vec<i64>], w: &[Vec<i64>]) -> Vec<(usize, Vec<i64>)> {
        for (row, w) in w.iter().enumerate() {
            self.add(Kind::Load(row), None, Some(w.clone()));
        }
        x.iter()
            .map(|x| {
                let slot = self.add(Kind::Product, Some(x.clone()), None);
                let dot = |col: usize| x.iter().zip(w).map(|(x, w)| x * w[col]).sum();
                (slot, (0..self.cols).map(dot).collect())
            })
            .collect()
    }

    /// Runs all slots; the sums of slot s leave column c in s + rows + c + 3.
    fn run(mut self) -> Seen {
        let (rows, cols) = (self.rows, self.cols);
        self.empty(rows + cols + 4);
        let mut u = DualArray::new(rows, cols);
        u.rst_n.next = false;
        clock_cycle!(u);
        u.rst_n.next = true;
        let mut seen = Seen {
            sums: Vec::new(),
            tops: Vec::new(),
            rows,
        };
        for t in 0..self.slots.len() {
            let slot = &self.slots[t];
            u.step_i.next = matches!(slot.kind, Kind::Sum { .. } | Kind::Product);
            u.stay_i.next = match slot.kind {
                Kind::Sum { .. } => false,
                Kind::Product => true,
                _ => self.numbers.next(2) == 1,
            };
            u.first_i.next = match slot.kind {
                Kind::Sum { first } => first,
                _ => self.numbers.next(2) == 1,
            };
            u.load_i.next = matches!(slot.kind, Kind::Load(_)) || slot.load.is_some();
            u.drain_i.next = matches!(slot.kind, Kind::Drain(_));
            u.row_i.next = match (&slot.kind, slot.load) {
                (Kind::Load(row), _) => *row as u64,
                (_, Some(row)) => row as u64,
                _ => self.numbers.next(4),
            }
            .into();
            u.wait_i.next = match slot.kind {
                Kind::Drain(rows) => rows as u64,
                _ => self.numbers.next(4),
            }
            .into();
            u.tag_i.next = (t as u64 % 16).into();
            for r in 0..rows {
                let x = t.checked_sub(r + 1).map_or(1, |s| self.slots[s].x[r]);
                u.nz_i[r].next = x != 0;
                // What x_i is beside a zero operand does not matter.
                u.x_i[r].next = bits(if x == 0 { 0x55 } else { x });
            }
            let mut top = Vec::new();
            for c in 0..cols {
                let w = t.checked_sub(c + 1).map_or(1, |s| self.slots[s].w[c]);
                u.w_i[c].next = bits(w);
                top.push(self.numbers.next(1 << 20) as i64 - (1 << 19));
                u.psum_i[c].next = bits(top[c]);
            }
            settle(&mut u);
            if t >= rows {
                let tag = u.tag_o.val().to_u64();
                assert_eq!(tag, (t - rows) as u64 % 16, "tag in cycle {t}");
            }
            seen.sums
                .push(u.psum_o.iter().map(|y| sum(y.val())).collect());
            seen.tops.push(top);
            clock_cycle!(u);
        }
        seen
    }
}

struct Seen {
    sums: Vec<Vec<i64>>,
    tops: Vec<Vec<i64>>,
    rows: usize,
}

impl Seen {
    #[track_caller]
    fn check_sums(&self, wanted: &[(usize, usize, Vec<i64>)]) {
        assert!(!wanted.is_empty());
        for (slot, row, sums) in wanted {
            for (c, want) in sums.iter().enumerate() {
                let got = self.sums[slot + self.rows + c + 3][c];
                assert_eq!(got, *want, "slot {slot}, row {row}, column {c}");
            }
        }
    }

    #[track_caller]
    fn check_products(&self, wanted: &[(usize, Vec<i64>)]) {
        assert!(!wanted.is_empty());
        for (slot, sums) in wanted {
            for (c, want) in sums.iter().enumerate() {
                let top = self.tops[slot + c + 3][c];
                let got = self.sums[slot + self.rows + c + 3][c];
                assert_eq!(got, top + want, "slot {slot}, column {c}");
            }
        }
    }
}

/// Operands of 5.1 in the order of the taps: `OPERANDS[thread][k]`.
const OPERANDS: [[i64; 9]; 4] = [
    [1, 3, 2, 5, 0, 4, 8, 2, 1],
    [3, 2, 7, 0, 4, 6, 2, 1, 3],
    [5, 0, 4, 8, 2, 1, 9, 7, 5],
    [0, 4, 6, 2, 1, 3, 7, 5, 2],
];
const WEIGHTS: [i64; 9] = [0, 1, 2, 10, 11, 12, 20, 21, 22];
/// Table 5.1.3: `SUMS[thread][k]` is the sum behind step k.
const SUMS: [[i64; 9]; 4] = [
    [0, 3, 7, 57, 57, 105, 265, 307, 329],
    [0, 2, 16, 16, 60, 132, 172, 193, 259],
    [0, 0, 8, 88, 110, 122, 302, 449, 559],
    [0, 4, 16, 36, 47, 83, 223, 328, 372],
];

#[test]
fn sgcr_26_accumulators_of_5_1_3_in_one_cell_step_by_step() {
    for thread in 0..4 {
        let mut u = DualPe::default();
        u.rst_n.next = true;
        let mut seen = Vec::new();
        for t in 0..12 {
            let x = OPERANDS[thread].get(t).copied().unwrap_or(0);
            u.x_i.next = bits(x);
            u.nz_i.next = x != 0;
            u.take_i.next = x != 0;
            u.w_i.next = bits(WEIGHTS.get(t).copied().unwrap_or(77));
            u.zero_i.next = t == 1;
            u.psum_i.next = bits(-123_456);
            clock_cycle!(u);
            seen.push(sum(u.psum_o.val()));
        }
        // Step k is on the inputs in cycle k; the sum shows three cycles later.
        assert_eq!(seen[2..11], SUMS[thread], "thread {thread}");
    }
}

#[test]
fn sgcr_26_accumulators_of_5_1_3_in_the_array_behind_every_number_of_steps() {
    let mut bench = Bench::new(4, 1, 1);
    let x: Vec<Vec<i64>> = (0..9).map(|k| OPERANDS.map(|x| x[k]).to_vec()).collect();
    let w: Vec<Vec<i64>> = WEIGHTS.iter().map(|&w| vec![w]).collect();
    let mut wanted = Vec::new();
    for k in 0..9 {
        for (slot, row, sums) in bench.sums(&x[..=k], &w[..=k]) {
            assert_eq!(sums, [SUMS[row][k]], "the test's own sum");
            wanted.push((slot, row, sums));
        }
    }
    bench.run().check_sums(&wanted);
}

fn matrix(n: &mut Numbers, rows: usize, cols: usize) -> Vec<Vec<i64>> {
    (0..rows).map(|_| n.bytes(cols)).collect()
}

const SIZES: [(usize, usize); 6] = [(1, 1), (2, 3), (3, 2), (4, 4), (5, 1), (1, 4)];

#[test]
fn sums_that_stay_leave_while_the_next_pass_follows_without_a_gap() {
    for (n, (rows, cols)) in SIZES.into_iter().enumerate() {
        let mut bench = Bench::new(rows, cols, 100 + n as u64);
        let mut wanted = Vec::new();
        for steps in [1, 2, 7, 1, 1, rows] {
            let x = matrix(&mut bench.numbers, steps, rows);
            let w = matrix(&mut bench.numbers, steps, cols);
            wanted.extend(bench.sums(&x, &w));
        }
        bench.run().check_sums(&wanted);
    }
}

#[test]
fn products_with_weights_that_stay_and_the_next_weights_right_behind_them() {
    for (n, (rows, cols)) in SIZES.into_iter().enumerate() {
        let mut bench = Bench::new(rows, cols, 200 + n as u64);
        let mut wanted = Vec::new();
        for steps in [3, 1, 1, 6] {
            let w = matrix(&mut bench.numbers, rows, cols);
            let x = matrix(&mut bench.numbers, steps, rows);
            wanted.extend(bench.products(&x, &w));
        }
        bench.run().check_products(&wanted);
    }
}

#[test]
fn modes_follow_each_other_and_empty_slots_change_nothing() {
    for seed in 300..320 {
        let mut choice = Numbers(seed);
        let (rows, cols) = SIZES[choice.next(6) as usize];
        let mut bench = Bench::new(rows, cols, seed);
        let (mut sums, mut products) = (Vec::new(), Vec::new());
        for _ in 0..4 {
            let steps = 1 + choice.next(5) as usize;
            let x = matrix(&mut bench.numbers, steps, rows);
            if choice.next(2) == 0 {
                let w = matrix(&mut bench.numbers, steps, cols);
                sums.extend(bench.sums(&x, &w));
            } else {
                let w = matrix(&mut bench.numbers, rows, cols);
                products.extend(bench.products(&x, &w));
            }
            bench.empty(choice.next(3) as usize);
        }
        let seen = bench.run();
        println!("seed {seed}: {rows}x{cols}");
        if !sums.is_empty() {
            seen.check_sums(&sums);
        }
        if !products.is_empty() {
            seen.check_products(&products);
        }
    }
}

#[test]
fn empty_slots_between_the_steps_of_a_pass_keep_the_sums() {
    let mut bench = Bench::new(3, 2, 7);
    let x = matrix(&mut bench.numbers, 5, 3);
    let w = matrix(&mut bench.numbers, 5, 2);
    for k in 0..5 {
        let kind = Kind::Sum { first: k == 0 };
        bench.add(kind, Some(x[k].clone()), Some(w[k].clone()));
        bench.empty(k % 3);
    }
    // Sums also wait for the draining: the last row's sum leaves with the slot before it.
    let slot = bench.slots.len() - 1;
    bench.add(Kind::Drain(2), None, None);
    bench.add(Kind::Drain(1), None, None);
    let sum = |row: usize, col: usize| (0..5).map(|k| x[k][row] * w[k][col]).sum();
    let wanted: Vec<_> = (0..3)
        .map(|row| (slot + 2 - row, row, vec![sum(row, 0), sum(row, 1)]))
        .collect();
    bench.run().check_sums(&wanted);
}

#[test]
fn weights_may_come_in_the_slots_that_drain() {
    for rows in [2, 4, 5] {
        let mut bench = Bench::new(rows, 2, rows as u64);
        let x = matrix(&mut bench.numbers, 3, rows);
        let w = matrix(&mut bench.numbers, 3, 2);
        let sums = bench.sums(&x, &w);
        // Rows 0 to rows - 2 get their weights while the sums leave, the last one behind that.
        let weights = matrix(&mut bench.numbers, rows, 2);
        let first = bench.slots.len() - (rows - 1);
        for (row, weights) in weights[..rows - 1].iter().enumerate() {
            let slot = &mut bench.slots[first + row];
            (slot.load, slot.w) = (Some(row), weights.clone());
        }
        let last = weights[rows - 1].clone();
        bench.add(Kind::Load(rows - 1), None, Some(last));
        let x = matrix(&mut bench.numbers, 4, rows);
        let products: Vec<_> = x
            .iter()
            .map(|x| {
                let slot = bench.add(Kind::Product, Some(x.clone()), None);
                let dot = |col: usize| x.iter().zip(&weights).map(|(x, w)| x * w[col]).sum();
                (slot, vec![dot(0), dot(1)])
            })
            .collect();
        let seen = bench.run();
        seen.check_sums(&sums);
        seen.check_products(&products);
    }
}

#[test]
fn sums_wrap_at_32_bits() {
    let mut u = DualPe::default();
    u.rst_n.next = true;
    u.above_i.next = true;
    u.psum_i.next = bits(i64::from(i32::MAX));
    u.x_i.next = bits(-128);
    u.nz_i.next = true;
    u.take_i.next = true;
    u.w_i.next = bits(-128);
    for _ in 0..4 {
        clock_cycle!(u);
    }
    let wrapped = i64::from(i32::MAX.wrapping_add(128 * 128));
    assert_eq!(sum(u.psum_o.val()), wrapped);
}

#[test]
fn a_zero_operand_leaves_both_factors_as_they_are() {
    // A product of the factors as they are is the same again: seen in the sum when the next
    // operand is not zero but takes no weight.
    let mut u = DualPe::default();
    u.rst_n.next = true;
    let mut seen = Vec::new();
    for (x, nz, take, w) in [
        (3, true, true, 5),
        (99, false, false, 77),
        (99, false, false, 76),
        (4, true, false, 75),
        (0, false, false, 74),
        (0, false, false, 73),
    ] {
        u.x_i.next = bits(x);
        u.nz_i.next = nz;
        u.take_i.next = take;
        u.w_i.next = bits(w);
        clock_cycle!(u);
        u.zero_i.next = seen.is_empty();
        seen.push((u.x_o.val().to_u64(), sum(u.psum_o.val())));
    }
    let operands: Vec<u64> = seen.iter().map(|s| s.0).collect();
    assert_eq!(operands, [3, 3, 3, 4, 4, 4], "x_o holds beside zeros");
    let sums: Vec<i64> = seen[2..].iter().map(|s| s.1).collect();
    assert_eq!(sums, [15, 15, 15, 35], "4 times the weight kept, 5");
}
