//! Machines for programs in lockstep: shapes, memories and options.

use heddle_arch::params::{Params, Post, ProgramMemory};
use heddle_tb::verilate::Sources;
use rand::seq::IndexedRandom;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::machines::{self, Machine};

/// Shows the words that reach the partitions.
const PROBE: &str = include_str!("probe.sv");

/// The text of a machine with probes.
pub fn probed(params: &Params) -> Sources {
    let mut sources = machines::verilog(params);
    let generated = |text: &str| text.contains(": gen_partition");
    let generated = sources.files.iter().any(|(_, text)| generated(text));
    let copies = (0..params.array.rows).map(|row| {
        let partition = match generated {
            true => format!("u_machine.u_state_buffer.gen_partition[{row}].u_partition"),
            false => format!("u_machine.u_state_buffer.u_partition_{row}"),
        };
        format!(
            "  assign copy_valid_o[{row}] = {partition}.copy_q[2];\n  \
             assign copy_word_o[{} +: 13] = {partition}.wt_dest_i;\n  \
             assign copy_data_o[{} +: 64] = {partition}.weight_q;\n",
            13 * row,
            64 * row
        )
    });
    let text = PROBE
        .replace("MACHINE ", &format!("{} ", sources.top))
        .replace("ROWS", &params.array.rows.to_string())
        .replace("COPIES\n", &copies.collect::<String>());
    sources.files.push(("probed.sv".into(), text));
    sources.top = "probed".into();
    sources
}

/// A machine with probes.
pub fn machine(params: Params) -> Machine {
    let sources = probed(&params);
    Machine::from_verilog(params, &sources)
}

/// What a machine of this test is made of; the rest is that of `tiny`.
struct Shape {
    name: String,
    rows: u32,
    cols: u32,
    banks: u32,
    words_per_bank: u32,
    loops: u32,
    record_rows: u32,
    bits: (u32, u32),
    depth: u32,
    slices: &'static str,
    post: Post,
}

impl Shape {
    fn params(&self) -> Params {
        let text = format!(
            r#"{{"name": "{}", "array": {{"rows": {}, "cols": {}}},
            "traversal": {{"rows": {}, "loops": {}, "offset_bits": {}, "address_bits": {}}},
            "state_buffer": {{"banks": {}, "words_per_bank": {},
              "slices": {{"word_bytes": 8, {}}}}},
            "results_buffer": {{"depth": {}}}, "column_tiles": 8, "program": {{"words": 2048}}}}"#,
            self.name,
            self.rows,
            self.cols,
            self.record_rows,
            self.loops,
            self.bits.0,
            self.bits.1,
            self.banks,
            self.words_per_bank,
            self.slices,
            self.depth,
        );
        let mut params =
            Params::from_json(&text).unwrap_or_else(|faults| panic!("{text}: {faults}"));
        params.post = self.post;
        params
    }
}

/// As many rows as columns.
fn square() -> Params {
    let mut params = machines::tiny();
    params.name = "step_square".to_string();
    params
}

/// All options of post-processing, a mask in the words, slices of unequal width.
pub fn options() -> Params {
    Shape {
        name: "step_options".to_string(),
        rows: 3,
        cols: 2,
        banks: 2,
        words_per_bank: 128,
        loops: 3,
        record_rows: 3,
        bits: (16, 16),
        depth: 16,
        slices: r#""widths": [2, 2, 4], "mask": "field", "network": "split", "end": "right""#,
        post: Post {
            pooling: true,
            product: true,
            median: 5,
            activations: 2,
        },
    }
    .params()
}

/// More rows than columns, drains in two steps, four banks.
fn tall() -> Params {
    Shape {
        name: "step_tall".to_string(),
        rows: 6,
        cols: 4,
        banks: 4,
        words_per_bank: 128,
        loops: 4,
        record_rows: 3,
        bits: (16, 24),
        depth: 16,
        slices: r#""widths": [5, 3], "mask": "hybrid", "network": "half", "access_threshold": 3"#,
        post: Post::default(),
    }
    .params()
}

/// More columns than rows and than bytes in a weight word, two loops.
fn wide() -> Params {
    Shape {
        name: "step_wide".to_string(),
        rows: 3,
        cols: 9,
        banks: 2,
        words_per_bank: 256,
        loops: 2,
        record_rows: 4,
        bits: (24, 32),
        depth: 32,
        slices: r#""unit_bits": 4, "widths": [3, 5, 8], "write": "exact", "network": "split",
            "access_threshold": 1"#,
        post: Post::default(),
    }
    .params()
}

/// Five rows and three columns that stored sums enter at the top.
pub fn at_top() -> Params {
    let shape = Shape {
        name: "step".to_string(),
        rows: 5,
        cols: 3,
        banks: 4,
        words_per_bank: 128,
        loops: 3,
        record_rows: 3,
        bits: (16, 16),
        depth: 32,
        slices: r#""widths": [4, 4]"#,
        post: Post::default(),
    };
    machines::with_sums_at_top(shape.params())
}

/// A single processing element, plain memory.
fn single() -> Params {
    Shape {
        name: "step_single".to_string(),
        rows: 1,
        cols: 1,
        banks: 8,
        words_per_bank: 64,
        loops: 4,
        record_rows: 3,
        bits: (16, 16),
        depth: 16,
        slices: r#""widths": [4, 4], "plain": true"#,
        post: Post::default(),
    }
    .params()
}

/// The program in the last one of four banks, rows that are no power of two.
pub fn banked() -> Params {
    let shape = Shape {
        name: "step_banked".to_string(),
        rows: 3,
        cols: 2,
        banks: 4,
        words_per_bank: 512,
        loops: 3,
        record_rows: 3,
        bits: (16, 16),
        depth: 16,
        slices: r#""widths": [4, 4]"#,
        post: Post::default(),
    };
    let mut params = shape.params();
    params.program.memory = ProgramMemory::Banks;
    params.validate().expect("three other banks are left");
    params
}

/// The machines of a run; each takes half a minute to build.
pub fn all() -> Vec<Params> {
    let mut all = vec![at_top(), options(), wide(), single(), banked()];
    if crate::rtl::is_slow() {
        all.extend([square(), tall()]);
    }
    all
}

const SLICES: [&str; 6] = [
    r#""widths": [4, 4]"#,
    r#""widths": [4, 4], "plain": true"#,
    r#""widths": [3, 5], "network": "half""#,
    r#""unit_bits": 16, "widths": [2, 1, 1], "mask": "hybrid", "end": "right""#,
    r#""widths": [2, 2, 4], "mask": "field""#,
    r#""widths": [1, 1, 1, 1, 1, 1, 1, 1], "write": "exact""#,
];

/// A machine whose sizes and options are random.
pub fn random(seed: u64) -> Params {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut one = |of: &[u32]| *of.choose(&mut rng).expect("not empty");
    let (banks, words_per_bank) = (one(&[2, 4, 8]), one(&[64, 128, 256]));
    let bits = one(&[16, 24]);
    let shape = Shape {
        name: format!("step_random_{seed}"),
        rows: one(&[1, 2, 3, 4, 5, 6, 7, 8]),
        cols: one(&[1, 2, 3, 4, 5, 6, 7, 8, 9, 12]),
        banks,
        words_per_bank,
        loops: one(&[2, 3, 4, 5, 6]),
        record_rows: one(&[3, 4, 8]),
        bits: (bits, one(&[bits, 32])),
        depth: one(&[16, 32.min(words_per_bank / 4)]),
        slices: SLICES[one(&[0, 1, 2, 3, 4, 5]) as usize],
        post: Post {
            pooling: rng.random(),
            ..Post::default()
        },
    };
    let mut shape = shape;
    if shape.post.pooling {
        shape.post.product = rng.random();
        shape.post.median = rng.random_range(0..=9);
    }
    shape.post.activations = rng.random_range(0..=3);
    match rng.random() {
        true => machines::with_sums_at_top(shape.params()),
        false => shape.params(),
    }
}
