//! The emitted PE array and bias row against their golden models, every output in every cycle.

use crate::rtl;
use std::sync::LazyLock;

use crate::rtl::{
    Checked, Coverage, Dut, OrPanic, check_mutants, emitted, emitted_as, faults, run_seeds,
};
use heddle_gen::TextStyle;
use heddle_hdl::array::{BiasRow, Pe, PeArray};
use heddle_sim::array::{
    BiasInputs, BiasRowModel, BiasWrite, PeArrayInputs, PeArrayModel, matrix_product,
};
use heddle_tb::verilate::Sources;
use rand::Rng;
use rand_chacha::ChaCha8Rng;

const TILES: usize = 16;

static PE: LazyLock<Sources> = LazyLock::new(|| emitted(Pe::default()));
static ARRAYS: LazyLock<Vec<Sources>> = LazyLock::new(|| {
    let text = |(rows, cols), style| emitted_as(&PeArray::new(rows, cols), style);
    let styles = [TextStyle::Structural, TextStyle::Loops].into_iter();
    styles
        .flat_map(|style| SIZES.map(|size| text(size, style)))
        .collect()
});
static BIAS_1: LazyLock<Sources> = LazyLock::new(|| emitted(BiasRow::new(1, TILES)));
static BIAS_5: LazyLock<Sources> = LazyLock::new(|| emitted(BiasRow::new(5, TILES)));

/// Rows and columns of the arrays: in one word of weights, in three.
const SIZES: [(usize, usize); 3] = [(1, 1), (4, 4), (3, 19)];

/// Arrays of all sizes in both styles.
fn arrays() -> impl Iterator<Item = (&'static Sources, usize, usize)> {
    let sizes = SIZES.into_iter().cycle();
    ARRAYS
        .iter()
        .zip(sizes)
        .map(|(sources, (rows, cols))| (sources, rows, cols))
}

/// An operand: mostly any 9-bit value, often an extreme one or zero.
fn operand(rng: &mut ChaCha8Rng) -> i16 {
    match rng.random_range(0..8) {
        0 => -256,
        1 => 255,
        2 => 0,
        _ => rng.random_range(-256..=255),
    }
}

/// A weight: mostly any 8-bit value, often an extreme one.
fn weight(rng: &mut ChaCha8Rng) -> i8 {
    match rng.random_range(0..6) {
        0 => -128,
        1 => 127,
        _ => rng.random(),
    }
}

fn weight_word(rng: &mut ChaCha8Rng) -> u64 {
    u64::from_le_bytes(std::array::from_fn(|_| weight(rng) as u8))
}

/// A sum, often near the ends of the range so that additions wrap.
fn sum(rng: &mut ChaCha8Rng) -> i32 {
    match rng.random_range(0..4) {
        0 => i32::MAX - rng.random_range(0..40_000),
        1 => i32::MIN + rng.random_range(0..40_000),
        _ => rng.random(),
    }
}

/// Cycles until registers without reset hold what the model has.
fn settling_cycles(rows: usize, cols: usize) -> usize {
    2 * (rows + cols) + 8
}

/// An array and its model side by side.
struct ArrayBench {
    dut: Dut,
    model: PeArrayModel,
    cols: usize,
}

impl ArrayBench {
    /// The array with all weights, operands and sums zero.
    fn new(sources: &Sources, rows: usize, cols: usize, seed: u64) -> Self {
        let mut bench = Self {
            dut: Dut::new(sources, seed),
            model: PeArrayModel::new(rows, cols),
            cols,
        };
        let mut inputs = PeArrayInputs::idle(rows, cols);
        inputs.nz = vec![true; rows];
        inputs.swap = vec![true; rows];
        inputs.shift = vec![true; rows];
        for _ in 0..settling_cycles(rows, cols) {
            bench.drive(&inputs);
            bench.model.step(&inputs);
            bench.dut.clock();
        }
        bench
    }

    fn drive(&mut self, inputs: &PeArrayInputs) {
        let dut = &mut self.dut;
        dut.set_all("x_i", inputs.x.iter().map(|x| *x as u64));
        dut.set_all("nz_i", inputs.nz.iter().map(|nz| u64::from(*nz)));
        dut.set_all("swap_i", inputs.swap.iter().map(|s| u64::from(*s)));
        dut.set_all("shift_i", inputs.shift.iter().map(|s| u64::from(*s)));
        dut.set_all("w_i", inputs.w.iter().copied());
        dut.set_all("psum_i", inputs.psum.iter().map(|p| *p as u64));
        dut.settle();
    }

    fn step(&mut self, inputs: &PeArrayInputs) -> Checked<Vec<i32>> {
        self.drive(inputs);
        let expected = self.model.step(inputs);
        for (c, psum) in expected.iter().enumerate() {
            self.dut
                .check_element("psum_o", c, self.cols, *psum as u64)?;
        }
        self.dut.clock();
        Ok(expected)
    }
}

fn random_array(sources: &Sources, rows: usize, cols: usize, seed: u64) -> Checked<Coverage> {
    let mut bench = ArrayBench::new(sources, rows, cols, seed);
    let mut rng = bench.dut.rng();
    let mut coverage = Coverage::default();
    for _ in 0..3000 {
        let inputs = PeArrayInputs {
            x: (0..rows).map(|_| operand(&mut rng)).collect(),
            nz: (0..rows).map(|_| rng.random_bool(0.7)).collect(),
            swap: (0..rows).map(|_| rng.random_bool(0.1)).collect(),
            shift: (0..rows).map(|_| rng.random_bool(0.3)).collect(),
            w: (0..rows).map(|_| weight_word(&mut rng)).collect(),
            psum: (0..cols).map(|_| sum(&mut rng)).collect(),
        };
        bench.step(&inputs)?;
        let any = |cell: fn(&PeArrayInputs, usize) -> bool| (0..rows).any(|r| cell(&inputs, r));
        coverage.event(
            "swap and shift at once",
            any(|i, r| i.swap[r] && i.shift[r]),
        );
        coverage.event("zero operand in a swap", any(|i, r| i.swap[r] && !i.nz[r]));
        coverage.event(
            "zero that is not flagged",
            any(|i, r| i.nz[r] && i.x[r] == 0),
        );
        coverage.event("swap in the last row", inputs.swap[rows - 1]);
        coverage.event("shift in the last row", inputs.shift[rows - 1]);
        coverage.event("zero operand in the last row", !inputs.nz[rows - 1]);
    }
    Ok(coverage)
}

#[proves("PET-08")]
#[test]
fn cells_and_arrays_follow_their_model() {
    for (sources, rows, cols) in arrays() {
        run_seeds(|seed| random_array(sources, rows, cols, seed));
    }
}

/// Streams several weight tiles back to back: the weights of a tile are shifted in while the one
/// before is in use, and every product is compared with the untimed matrix product.
fn stream_tiles(sources: &Sources, rows: usize, cols: usize, seed: u64) -> Checked<Coverage> {
    let mut bench = ArrayBench::new(sources, rows, cols, seed);
    let mut rng = bench.dut.rng();
    let mut coverage = Coverage::default();
    let groups = cols.div_ceil(8);
    let tiles = 40;
    // Vectors of a tile: enough for the swap to pass all columns before new weights arrive.
    let lengths: Vec<usize> = (0..tiles)
        .map(|_| rows + cols + groups + rng.random_range(0..6))
        .collect();
    let weights: Vec<Vec<Vec<i8>>> = (0..tiles)
        .map(|_| {
            (0..rows)
                .map(|_| (0..cols).map(|_| weight(&mut rng)).collect())
                .collect()
        })
        .collect();
    let vectors: Vec<Vec<Vec<i16>>> = lengths
        .iter()
        .map(|n| {
            (0..*n)
                .map(|_| (0..rows).map(|_| operand(&mut rng)).collect())
                .collect()
        })
        .collect();
    let start: Vec<i32> = (0..cols).map(|_| sum(&mut rng)).collect();

    // Slots of row 0: a lead-in in which the first weights are loaded, then all vectors.
    let lead = rows + cols + groups + 2;
    let mut slots: Vec<Option<(usize, usize)>> = vec![None; lead];
    let mut swaps = vec![false; lead];
    swaps[lead - 1] = true;
    let mut loads: Vec<Option<(usize, usize)>> = vec![None; lead];
    for (tile, length) in lengths.iter().enumerate() {
        for m in 0..*length {
            slots.push(Some((tile, m)));
            swaps.push(m + 1 == *length);
            loads.push(None);
        }
    }
    // The words of a tile go in just before the swap, the last column group first.
    let ends: Vec<usize> = (0..swaps.len()).filter(|s| swaps[*s]).collect();
    for (tile, end) in ends.iter().take(tiles).enumerate() {
        for g in 0..groups {
            loads[end - groups + g] = Some((tile, groups - 1 - g));
        }
    }

    let total = slots.len() + rows + cols + 2;
    for t in 0..total {
        let mut inputs = PeArrayInputs::idle(rows, cols);
        for r in 0..rows {
            // Beside a zero operand x_i may be anything.
            inputs.x[r] = operand(&mut rng);
            let Some(slot) = t.checked_sub(r).filter(|s| *s < slots.len()) else {
                continue;
            };
            inputs.swap[r] = swaps[slot];
            if let Some((tile, m)) = slots[slot] {
                let x = vectors[tile][m][r];
                inputs.nz[r] = x != 0;
                if inputs.nz[r] {
                    inputs.x[r] = x;
                }
                coverage.event("zero operand", x == 0);
            }
            if let Some((tile, group)) = loads[slot] {
                let mut bytes = [0; 8];
                for (byte, w) in bytes.iter_mut().zip(&weights[tile][r][8 * group..]) {
                    *byte = *w as u8;
                }
                inputs.shift[r] = true;
                inputs.w[r] = u64::from_le_bytes(bytes);
                coverage.event("weights loaded while streaming", slots[slot].is_some());
            }
        }
        for (c, (psum, start)) in inputs.psum.iter_mut().zip(&start).enumerate() {
            let slot = t.checked_sub(c + 1).and_then(|s| slots.get(s));
            if slot.is_some_and(Option::is_some) {
                *psum = *start;
            }
        }
        let psum = bench.step(&inputs)?;
        for (c, sum) in psum.iter().enumerate() {
            let slot = t.checked_sub(rows + 1 + c).and_then(|s| slots.get(s));
            if let Some(Some((tile, m))) = slot {
                let vector = &vectors[*tile][*m..=*m];
                let expected = matrix_product(vector, &weights[*tile], &start)[0][c];
                assert_eq!(*sum, expected, "tile {tile}, vector {m}, column {c}");
                coverage.event("first vector of a tile", *m == 0);
                coverage.event("last vector of a tile", *m + 1 == lengths[*tile]);
            }
        }
    }
    Ok(coverage)
}

#[test]
fn tiles_follow_one_another_without_a_gap() {
    for (sources, rows, cols) in arrays() {
        run_seeds(|seed| stream_tiles(sources, rows, cols, seed));
    }
}

/// The vector of the specification: w = (3, 5, -1, 7), x = (1, 0, 2, 0). The sum that leaves goes
/// in again; each operand has its own weight.
fn accumulate(sources: &Sources, seed: u64) -> Checked {
    let mut dut = Dut::new(sources, seed);
    let slots = [(3, 1), (5, 0), (-1, 2), (7, 0)];
    let mut sums = Vec::new();
    // Slot n: weight shifted in at n, swapped in behind n + 1, operand at n + 2, sum at n + 4.
    for t in 0..slots.len() + 4 {
        let w = slots.get(t).map_or(0, |slot| slot.0);
        let x = t.checked_sub(2).and_then(|n| slots.get(n));
        let x = x.map_or(0, |slot| slot.1);
        dut.set("shift_i", true);
        dut.set("swap_i", true);
        dut.set_signed("w_i", w);
        // A zero operand leaves what was there.
        if x != 0 {
            dut.set_signed("x_i", x);
        }
        dut.set("nz_i", x != 0);
        let sum = dut.get("psum_o");
        dut.set("psum_i", if t < 4 { 0 } else { sum });
        if t >= 4 {
            sums.push(sum);
        }
        dut.clock();
    }
    match sums == [3, 3, 1, 1] {
        true => Ok(()),
        false => Err(dut.message(&format!("sums are {sums:?}, expected [3, 3, 1, 1]"))),
    }
}

#[proves("SPM-47")]
#[test]
fn pe_accumulates_one_product_per_clock() {
    for seed in rtl::seeds() {
        accumulate(&PE, seed).or_panic();
    }
}

/// Bits that change from each operand to the next.
fn toggles(operands: &[i16]) -> u64 {
    let changes = operands.windows(2).map(|pair| (pair[0] ^ pair[1]) & 0x1ff);
    changes.map(|bits| u64::from(bits.count_ones())).sum()
}

/// Streams operands through a row of single cells and counts the toggles of all their operand
/// registers, which are the multiplier inputs of the next cell. Zero operands are flagged if
/// `holds`, else they are passed on as other operands are. The first operand settles the cells.
fn count_toggles(cells: &mut [Dut], operands: &[i16], holds: bool) -> Checked<u64> {
    let mut count = 0;
    let mut seen = vec![None; cells.len()];
    for t in 0..operands.len() + cells.len() {
        let x = operands
            .get(t)
            .copied()
            .unwrap_or(operands[operands.len() - 1]);
        let mut input = (x as u64, u64::from(!holds || x != 0));
        for (c, cell) in cells.iter_mut().enumerate() {
            cell.set("x_i", input.0);
            cell.set("nz_i", input.1);
            for port in ["swap_i", "shift_i", "w_i", "psum_i"] {
                cell.set(port, 0u64);
            }
            input = (cell.get("x_o"), cell.get("nz_o"));
            if t > c {
                let before = seen[c].replace(input.0).unwrap_or(input.0);
                count += u64::from((before ^ input.0).count_ones());
            }
        }
        for cell in cells.iter_mut() {
            cell.clock();
        }
    }
    Ok(count)
}

fn zero_operands_hold(sources: &Sources, seed: u64) -> Checked<Coverage> {
    let mut coverage = Coverage::default();
    let mut cells: Vec<Dut> = (0..4).map(|_| Dut::new(sources, seed)).collect();
    let mut rng = cells[0].rng();
    for zeros in [0.0, 0.25, 0.5, 0.75] {
        let mut operands: Vec<i16> = (0..2000)
            .map(|_| match rng.random_bool(zeros) {
                true => 0,
                false => operand(&mut rng),
            })
            .collect();
        // Known and not zero at both ends: all registers see the same operands.
        operands[0] = 1;
        operands.push(1);
        let not_zero: Vec<i16> = operands.iter().copied().filter(|x| *x != 0).collect();
        let expected = [toggles(&operands), toggles(&not_zero)];
        for (holds, expected) in [false, true].into_iter().zip(expected) {
            let found = count_toggles(&mut cells, &operands, holds)?;
            let expected = expected * cells.len() as u64;
            if found != expected {
                return Err(cells[0].message(&format!(
                    "{found} toggles, expected {expected} (zeros {zeros}, holds {holds})"
                )));
            }
        }
        let saved = 1.0 - expected[1] as f64 / expected[0] as f64;
        println!(
            "{zeros} zeros and more: {:.0} % of the toggles saved",
            100.0 * saved
        );
        coverage.event("more than a third saved", saved > 1.0 / 3.0);
    }
    Ok(coverage)
}

#[test]
fn zero_operands_leave_the_multiplier_inputs_of_all_columns_still() {
    run_seeds(|seed| zero_operands_hold(&PE, seed));
}

fn random_bias(sources: &Sources, cols: usize, seed: u64) -> Checked<Coverage> {
    let mut dut = Dut::new(sources, seed);
    let mut model = BiasRowModel::new(cols, TILES);
    let mut rng = dut.rng();
    let mut coverage = Coverage::default();
    let mut before = BiasInputs::default();
    // All biases, then a load so that every bias register is known.
    let mut written = 0;
    let fill = cols * TILES;
    for cycle in 0..4000 {
        let mut inputs = BiasInputs::default();
        let tile = rng.random_range(0..TILES as u8);
        if written < fill {
            inputs.write = BiasWrite {
                valid: true,
                column: (written / TILES) as u8,
                tile: (written % TILES) as u8,
                data: rng.random(),
            };
            written += 1;
        } else if cycle < fill + 2 * cols + 4 {
            inputs.load = true;
            inputs.tile = tile;
        } else {
            inputs.tile = tile;
            match rng.random_range(0..4) {
                0 => inputs.load = true,
                1 | 2 => inputs.first = true,
                _ => {}
            }
            // A write to a bias that no load of the last cycles asked for.
            if !inputs.load && !before.load && rng.random_bool(0.3) {
                inputs.write = BiasWrite {
                    valid: true,
                    column: rng.random_range(0..8),
                    tile: rng.random_range(0..TILES as u8),
                    data: rng.random(),
                };
                coverage.event("write beyond the last column", {
                    usize::from(inputs.write.column) >= cols
                });
            }
        }
        dut.set("load_i", inputs.load);
        dut.set("tile_i", inputs.tile);
        dut.set("first_i", inputs.first);
        dut.set("pw_valid_i", inputs.write.valid);
        dut.set("pw_column_i", inputs.write.column);
        dut.set("pw_tile_i", inputs.write.tile);
        dut.set_signed("pw_data_i", inputs.write.data);
        dut.settle();
        let expected = model.step(&inputs);
        for (c, psum) in expected.iter().enumerate() {
            dut.check_element("psum_o", c, cols, *psum as u64)?;
        }
        coverage.event("first right after a load", before.load && inputs.first);
        coverage.event("load right after a first", before.first && inputs.load);
        coverage.event("loads in two cycles", before.load && inputs.load);
        before = inputs;
        dut.clock();
    }
    Ok(coverage)
}

#[test]
fn bias_rows_follow_their_model() {
    run_seeds(|seed| random_bias(&BIAS_1, 1, seed));
    run_seeds(|seed| random_bias(&BIAS_5, 5, seed));
}

#[test]
fn faults_are_noticed() {
    let mutants = r"
        heddle_pe.v: $signed(x_i) => $signed({1'b0, x_i[7:0]})
        heddle_pe.v: if (swap_i) => if (swap_q)
        heddle_pe.v: if (shift_i) => if (shift_i & !swap_i)";
    check_mutants(&ARRAYS[1], &faults(mutants), |sources, seed| {
        random_array(sources, 4, 4, seed)
    });
    let mutants = r"
        heddle_pe: if (nz_i) x_q <= => x_q <=";
    check_mutants(&PE, &faults(mutants), zero_operands_hold);
    let mutants = r"
        heddle_pe: if (nz_i) product_q <= => product_q <=";
    check_mutants(&PE, &faults(mutants), accumulate);
    let mutants = r"
        heddle_pe_array: x_q[36*m+9*n+:9] <= x[45*m+9*n+:9] => x_q[36*m+9*n+:9] <= x[45*m+9*n+9+:9]
        heddle_pe_array: if (shift_i[m]) => if (shift_i[n])
        heddle_pe_array: psum[128*m+32*n+:32] + => psum[128*m+32*n+128+:32] +";
    check_mutants(&ARRAYS[4], &faults(mutants), |sources, seed| {
        random_array(sources, 4, 4, seed)
    });
    let mutants = r"
        heddle_bias_column: use_bias_q <= first_q => use_bias_q <= first_i
        heddle_bias_column: pw_column_q <= pw_column_i - 8'd1 => pw_column_q <= pw_column_i
        heddle_bias_column: use_bias_q ? bias_q : 32'd0 => bias_q";
    check_mutants(&BIAS_5, &faults(mutants), |sources, seed| {
        random_bias(sources, 5, seed)
    });
}
