//! The array against plain matrix products, with the clocks that docs/machine.md promises.

use heddle_hdl::array::{BiasColumn, BiasRow, Pe, PeArray, PeRow};
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
    fn between(&mut self, lo: i64, hi: i64) -> i64 {
        lo + self.next((hi - lo + 1) as u64) as i64
    }
}

fn bits<const N: usize>(x: i64) -> Bits<N> {
    (x as u64 & ((1u64 << N) - 1)).into()
}

fn sum(x: Bits<32>) -> i64 {
    i64::from(x.to_u32() as i32)
}

/// `weights[row][column]`
type Tile = Vec<Vec<i64>>;

/// What the test presents to the array in each cycle, by absolute cycle number.
struct Schedule {
    rows: usize,
    cols: usize,
    /// Slot number -> operand vector; row 0 sees slot n in cycle n.
    vectors: Vec<Option<Vec<i64>>>,
    /// Slots that carry the swap flag.
    swaps: Vec<usize>,
    /// First cycle of the weight words of a tile (row 0; row r is r cycles later).
    loads: Vec<(usize, Tile)>,
}

impl Schedule {
    fn run(&self, cycles: usize, top: impl Fn(usize, usize) -> i64) -> Vec<Vec<i64>> {
        let (rows, cols) = (self.rows, self.cols);
        let words = cols.div_ceil(8);
        let mut u = PeArray::new(rows, cols);
        u.rst_n.next = true;
        let mut seen = Vec::new();
        for t in 0..cycles {
            for r in 0..rows {
                let slot = t.checked_sub(r);
                let vector = slot.and_then(|n| self.vectors.get(n)?.as_ref());
                let x = vector.map_or(0, |x| x[r]);
                // What x_i is beside a zero operand does not matter.
                u.nz_i[r].next = x != 0;
                u.x_i[r].next = bits(if x == 0 { 0x155 } else { x });
                u.swap_i[r].next = slot.is_some_and(|n| self.swaps.contains(&n));
                u.shift_i[r].next = false;
                for k in 0..8 {
                    u.w_i[r][k].next = bits(0x55);
                }
                for (start, tile) in &self.loads {
                    let Some(word) = t.checked_sub(start + r).filter(|&n| n < words) else {
                        continue;
                    };
                    u.shift_i[r].next = true;
                    for k in 0..8 {
                        let column = 8 * (words - 1 - word) + k;
                        u.w_i[r][k].next = bits(tile[r].get(column).copied().unwrap_or(0x2a));
                    }
                }
            }
            for c in 0..cols {
                u.psum_i[c].next = bits(top(t, c));
            }
            settle(&mut u);
            seen.push(u.psum_o.iter().map(|y| sum(y.val())).collect());
            clock_cycle!(u);
        }
        seen
    }
}

fn product(x: &[i64], tile: &Tile, column: usize) -> i64 {
    x.iter().zip(tile).map(|(x, w)| x * w[column]).sum()
}

fn random_tile(n: &mut Numbers, rows: usize, cols: usize) -> Tile {
    (0..rows)
        .map(|_| (0..cols).map(|_| n.between(-128, 127)).collect())
        .collect()
}

/// Streams vectors through two weight tiles; the second is shifted in while the first is used.
#[track_caller]
fn check_two_tiles(rows: usize, cols: usize, vectors: usize, load_delay: usize, gap: usize) {
    let mut n = Numbers((rows * 1000 + cols * 10 + load_delay) as u64);
    let words = cols.div_ceil(8);
    let tiles = [
        random_tile(&mut n, rows, cols),
        random_tile(&mut n, rows, cols),
    ];
    // Tile 0 is in the shadow weights of row r after words + r cycles; row r sees the swap in
    // slot + r, the last column cols cycles later.
    let first_swap = words + 2;
    let first = first_swap + 1;
    let last = first + vectors - 1;
    let second = last + 1 + gap;
    // The shadow weights of the last column are free cols cycles after the swap.
    let second_load = first_swap + cols + load_delay;
    let swap = (last + gap).max(second_load + words);
    let second = second.max(swap + 1);
    let mut slots = vec![None; second + vectors];
    for slot in (first..=last).chain(second..second + vectors) {
        slots[slot] = Some((0..rows).map(|_| n.between(-255, 255)).collect());
    }
    let schedule = Schedule {
        rows,
        cols,
        vectors: slots.clone(),
        swaps: vec![first_swap, swap],
        loads: vec![(0, tiles[0].clone()), (second_load, tiles[1].clone())],
    };
    let top = |t: usize, c: usize| (t * 1000 + c) as i64 - 7000;
    let cycles = second + vectors + rows + cols + 4;
    let seen = schedule.run(cycles, top);
    let mut compared = 0;
    for (slot, x) in slots.iter().enumerate() {
        let Some(x) = x else { continue };
        let tile = &tiles[usize::from(slot > swap)];
        for c in 0..cols {
            // machine.md: row 0 at t + 4, sums leave at t + R + 5 + c, bias enters at t + 5 + c
            let got = seen.get(slot + rows + 1 + c).map(|row| row[c]);
            let want = top(slot + 1 + c, c) + product(x, tile, c);
            assert_eq!(got, Some(want), "{rows}x{cols}, slot {slot}, column {c}");
            compared += 1;
        }
    }
    assert_eq!(compared, 2 * vectors * cols);
}

#[test]
fn products_leave_in_the_promised_cycle() {
    check_two_tiles(4, 4, 6, 0, 0);
    check_two_tiles(1, 1, 3, 0, 0);
    check_two_tiles(3, 5, 7, 0, 2);
}

#[test]
fn weights_of_more_than_eight_columns_arrive_in_several_words() {
    check_two_tiles(2, 9, 5, 0, 0);
    check_two_tiles(3, 17, 5, 0, 0);
    check_two_tiles(2, 16, 40, 3, 0);
}

#[test]
fn the_next_tile_is_shifted_in_at_any_time_while_the_first_is_used() {
    for load_delay in 0..8 {
        check_two_tiles(4, 4, 16, load_delay, 0);
    }
}

#[test]
fn the_swap_may_take_any_slot_behind_the_last_vector() {
    for gap in 0..5 {
        check_two_tiles(3, 4, 12, 0, gap);
    }
}

#[test]
fn the_vector_with_the_swap_flag_still_uses_the_old_weights() {
    let mut u = Pe::default();
    u.rst_n.next = true;
    u.shift_i.next = true;
    u.w_i.next = bits(-5);
    clock_cycle!(u);
    u.shift_i.next = false;
    u.swap_i.next = true;
    clock_cycle!(u);
    assert!(u.swap_o.val());
    // Active weight -5. A new shadow weight and a swap in one cycle: the old shadow moves on.
    u.swap_i.next = false;
    u.shift_i.next = true;
    u.w_i.next = bits(7);
    clock_cycle!(u);
    let mut sums = Vec::new();
    for (x, swap) in [
        (-256, false),
        (255, true),
        (3, false),
        (0, false),
        (0, false),
    ] {
        u.x_i.next = bits(x);
        u.nz_i.next = x != 0;
        u.swap_i.next = swap;
        u.shift_i.next = swap;
        u.w_i.next = bits(100);
        clock_cycle!(u);
        sums.push(sum(u.psum_o.val()));
    }
    assert_eq!(sums, [0, 1280, -1275, 21, 0]);
    assert_eq!(u.w_o.val(), bits::<8>(100));
}

#[test]
fn sums_wrap_at_32_bits() {
    let mut u = Pe::default();
    u.shift_i.next = true;
    u.w_i.next = bits(-128);
    clock_cycle!(u);
    u.swap_i.next = true;
    clock_cycle!(u);
    u.swap_i.next = false;
    u.x_i.next = bits(-256);
    u.nz_i.next = true;
    clock_cycle!(u);
    u.psum_i.next = bits(i64::from(i32::MAX));
    clock_cycle!(u);
    assert_eq!(sum(u.psum_o.val()), i64::from(i32::MAX) + 32768 - (1 << 32));
}

#[test]
fn a_row_passes_operands_and_swap_flags_on_column_by_column() {
    let mut u = PeRow::new(3);
    u.rst_n.next = true;
    for k in 0..3 {
        u.w_i[k].next = bits(k as i64 + 1);
    }
    u.shift_i.next = true;
    clock_cycle!(u);
    u.shift_i.next = false;
    u.swap_i.next = true;
    clock_cycle!(u);
    u.swap_i.next = false;
    u.x_i.next = bits(10);
    u.nz_i.next = true;
    let mut sums = Vec::new();
    for _ in 0..6 {
        clock_cycle!(u);
        u.nz_i.next = false;
        sums.push([0, 1, 2].map(|c| sum(u.psum_o[c].val())));
    }
    assert_eq!(
        sums,
        [[0; 3], [10, 0, 0], [0, 20, 0], [0, 0, 30], [0; 3], [0; 3]]
    );
}

#[test]
fn a_zero_operand_leaves_the_operand_register_and_clears_the_product() {
    let mut u = Pe::default();
    u.rst_n.next = true;
    u.shift_i.next = true;
    u.swap_i.next = true;
    u.w_i.next = bits(-3);
    clock_cycle!(u);
    clock_cycle!(u);
    let mut seen = Vec::new();
    // (x, not zero): the zero operand is zero whatever x is.
    for (x, nz) in [(7, true), (99, false), (0, false), (-5, true), (0, true)] {
        u.x_i.next = bits(x);
        u.nz_i.next = nz;
        clock_cycle!(u);
        seen.push((u.x_o.val(), u.nz_o.val(), sum(u.psum_o.val())));
    }
    let x = |x| bits::<9>(x);
    assert_eq!(
        seen,
        [
            (x(7), true, 0),
            (x(7), false, -21),
            (x(7), false, 0),
            (x(-5), true, 0),
            (x(0), true, 15)
        ]
    );
}

fn write_bias(u: &mut BiasRow, column: u64, tile: u64, bias: i64) {
    u.pw_valid_i.next = true;
    u.pw_column_i.next = column.into();
    u.pw_tile_i.next = tile.into();
    u.pw_data_i.next = bits(bias);
    clock_cycle!(*u);
    u.pw_valid_i.next = false;
}

#[test]
fn every_bias_reaches_its_column_and_tile() {
    let (cols, tiles) = (5, 4);
    let mut u = BiasRow::new(cols, tiles);
    u.rst_n.next = true;
    for c in 0..cols as u64 {
        for tile in 0..tiles as u64 {
            write_bias(&mut u, c, tile, -1000 * c as i64 + tile as i64);
        }
    }
    // What nobody has written goes nowhere.
    for c in 0..2 * cols as u64 {
        u.pw_column_i.next = (c % cols as u64).into();
        u.pw_data_i.next = bits(77);
        clock_cycle!(u);
    }
    // Cycle -> (load, first): a load in every second slot and the first directly behind it.
    for tile in 0..tiles {
        u.load_i.next = true;
        u.tile_i.next = (tile as u64).into();
        let mut seen = Vec::new();
        for t in 0..cols + 6 {
            u.load_i.next = t == 0;
            u.tile_i.next = if t == 0 { tile as u64 } else { 3 }.into();
            u.first_i.next = t == 1 || t == 3;
            settle(&mut u);
            let row: Vec<_> = u.psum_o.iter().map(|y| sum(y.val())).collect();
            seen.push(row);
            clock_cycle!(u);
        }
        for (t, row) in seen.iter().enumerate() {
            for (c, &value) in row.iter().enumerate() {
                let bias = -1000 * c as i64 + tile as i64;
                let want = if t == c + 3 || t == c + 5 { bias } else { 0 };
                assert_eq!(value, want, "cycle {t}, column {c}");
            }
        }
    }
}

#[test]
fn a_first_in_front_of_a_load_keeps_the_old_bias() {
    let mut u = BiasColumn::new(2);
    u.rst_n.next = true;
    for (tile, bias) in [(0u64, 11), (1, 22)] {
        u.pw_valid_i.next = true;
        u.pw_tile_i.next = tile.into();
        u.pw_data_i.next = bits(bias);
        clock_cycle!(u);
    }
    u.pw_column_i.next = 3.into();
    u.pw_data_i.next = bits(99);
    clock_cycle!(u);
    assert_eq!(u.pw_column_o.val(), Bits::<8>::from(2));
    u.pw_valid_i.next = false;
    let mut seen = Vec::new();
    // load 0, first, load 1, first, first
    for t in 0..8u64 {
        u.load_i.next = t == 0 || t == 2;
        u.tile_i.next = (t / 2).into();
        u.first_i.next = [1, 3, 4].contains(&t);
        clock_cycle!(u);
        seen.push(sum(u.psum_o.val()));
    }
    assert_eq!(seen, [0, 0, 11, 0, 22, 22, 0, 0]);
}
