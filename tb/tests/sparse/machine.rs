//! The sparse cluster as an engine of the machine: random layers whose slots come from the state buffer and whose results go there, in lockstep with
//! the golden machine; results are those of the definition.

use std::sync::LazyLock;

use heddle_arch::Params;
use heddle_arch::host::ClusterStream;
use heddle_arch::isa::sparse::{ChannelScale, SparseCommand, SparseDrain, SparseLoad};
use heddle_arch::isa::{self, Drain, Instruction, Matmul, Record, Wait};
use heddle_arch::params::{Array, Post, Sparse};
use heddle_arch::requantise::Scale;
use heddle_compiler::sparse::{Plan, Program, clear};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::generator::sparse::{Layer, random_shape, random_split};
use crate::machines::pair::{End, HALT, Pair, row};
use crate::machines::{Machine, build};
use crate::rtl::{Checked, is_slow};

/// Bytes of a partition in front of the results.
const RESULTS: u32 = 4096;

fn params(name: &str, (rows, cols): (u32, u32), sparse: Sparse) -> Params {
    let edge = crate::generator::preset("edge");
    let mut params = Params {
        name: name.to_string(),
        array: Array {
            rows,
            cols,
            ..edge.array.clone()
        },
        post: Post {
            left_shift: true,
            ..Post::default()
        },
        sparse: Some(Sparse {
            engine: true,
            channels: cols,
            ..sparse
        }),
        ..edge
    };
    params.program.words = 8192;
    params.validate().expect("a legal configuration");
    params
}

/// Three units beside an array of four columns.
static SMALL: LazyLock<Machine> = LazyLock::new(|| {
    let sparse = Sparse {
        units: 3,
        map_entries: 256,
        sums: 128,
        ..Sparse::default()
    };
    Machine::new(params("small_sparse", (4, 4), sparse))
});

/// Five units, slots of two words.
static TALL: LazyLock<Machine> = LazyLock::new(|| {
    let sparse = Sparse {
        units: 5,
        load_entries: 4,
        map_sets: 4,
        map_entries: 256,
        ..Sparse::default()
    };
    Machine::new(params("tall_sparse", (12, 8), sparse))
});

/// What a machine is given for a layer.
#[derive(Default)]
struct Job {
    /// Words of the host.
    cluster: Vec<(ClusterStream, u64)>,
    program: Vec<Instruction>,
    /// Parameters of the columns: tile, column.
    columns: Vec<(u32, u32, ChannelScale)>,
    /// Slots, and where the results are.
    slots: u32,
    places: Vec<u32>,
}

impl Job {
    /// The commands of a layer as instructions; none if its weights do not stay.
    fn of(
        program: &Program,
        weights: &mut impl Iterator<Item = u64>,
        params: &Params,
    ) -> Option<Self> {
        let mut job = Self::default();
        let lanes = params.array.cols;
        for command in &program.commands {
            match command {
                SparseCommand::Scale(tile, lane, channels) => {
                    for (at, channel) in (*lane..).zip(channels) {
                        job.columns.push((tile + at / lanes, at % lanes, *channel));
                    }
                }
                SparseCommand::Weights(fill) => {
                    job.command(command);
                    let mut left = fill.words;
                    while left > 0 {
                        let block = left.min(4);
                        let words = 1 + u64::from(block) * u64::from(lanes.div_ceil(8));
                        let words = weights.by_ref().take(words as usize);
                        job.cluster
                            .extend(words.map(|word| (ClusterStream::Weights, word)));
                        left -= block;
                    }
                }
                SparseCommand::Load(load) => job.load(load, params),
                SparseCommand::Drain(drain) => job.drain(drain, lanes),
                _ => job.sparse(command),
            }
        }
        let mut places: Vec<_> = job
            .columns
            .iter()
            .map(|(tile, lane, _)| (tile, lane))
            .collect();
        places.sort_unstable();
        let is_once = places.windows(2).all(|pair| pair[0] != pair[1]);
        let fits = job.slots <= RESULTS
            && job.places.last().is_none_or(|last| *last < RESULTS)
            && job.tiles() <= params.column_tiles;
        (is_once && fits).then_some(job)
    }

    fn tiles(&self) -> u32 {
        self.columns
            .iter()
            .map(|(tile, ..)| tile + 1)
            .max()
            .unwrap_or(0)
    }

    fn command(&mut self, command: &SparseCommand) {
        let words = command.words().into_iter();
        self.cluster
            .extend(words.map(|word| (ClusterStream::Commands, word.into())));
    }

    fn sparse(&mut self, command: &SparseCommand) {
        self.program.push(Instruction::Sparse(isa::SparseCommand {
            wait: Wait::default(),
            words: command.words(),
        }));
    }

    /// The slots of a load, one byte behind the other.
    fn load(&mut self, load: &SparseLoad, params: &Params) {
        self.sparse(&SparseCommand::Load(load.clone()));
        let slots = load.size[0] * load.size[1] * load.chunks;
        self.program.push(Instruction::Matmul(Matmul {
            cluster: true,
            threshold: load.threshold as u8,
            ..build::matmul(params.array.rows, vec![row(1, self.slots, &[(slots, 1)])])
        }));
        self.slots += slots;
    }

    /// The results of a drain, one byte behind the other.
    fn drain(&mut self, drain: &SparseDrain, lanes: u32) {
        let positions = drain.size[0] * drain.size[1];
        if !drain.discard {
            // A drain writes whole words.
            let first = self.places.last().map_or(0, |last| last / 8 * 8 + 8);
            self.program.push(Instruction::Drain(Drain {
                tile: drain.tile as u8,
                single: drain.single,
                lo: drain.bounds[0] as i16,
                hi: drain.bounds[1] as i16,
                advance: Some(0),
                record: Record {
                    rows: vec![row(
                        0,
                        RESULTS + first,
                        &[(positions, 1), (drain.groups, positions)],
                    )],
                },
                ..build::drain(lanes, 0, &[])
            }));
            let results = positions * drain.groups;
            self.places.extend(first..first + results);
        }
        self.sparse(&SparseCommand::Drain(SparseDrain {
            bounds: [0, 0],
            single: false,
            ..drain.clone()
        }));
    }
}

/// A layer that fits, and what the machine is given for it.
fn next(params: &Params, rng: &mut ChaCha8Rng) -> (Layer, Program, Job) {
    loop {
        let shape = random_shape(rng);
        let split = random_split(&shape, params, rng);
        let Ok(plan) = Plan::new(&shape, split, params) else {
            continue;
        };
        let layer = Layer::of(shape, [0.7, f64::from(rng.random_range(0..=4)) / 4.0], rng);
        let program = plan.program(&layer.values).expect("values that fit");
        if plan.portions.parts > 1 || plan.passes.len() > 1 {
            continue;
        }
        if let Some(job) = Job::of(&program, &mut program.weights.iter().copied(), params) {
            return (layer, program, job);
        }
    }
}

/// Words of a stream of slots or results: bytes of as many partitions.
fn slot_words(lanes: u32) -> usize {
    lanes.div_ceil(8) as usize
}

/// Counters of the cluster, and of the golden one. Their cycles depend on the pace of the host.
fn counts(pair: &mut Pair) -> [Vec<u32>; 2] {
    let golden = pair.golden.cluster_counts().expect("there is a cluster");
    let found = pair.host.cluster_counters(9).expect("counters answer");
    [found, golden.all().to_vec()]
}

/// Runs a layer on both machines and compares what it leaves.
fn run_layer(pair: &mut Pair, (layer, program, job): (&Layer, &Program, &Job)) -> Checked {
    let params = pair.params();
    let (rows, cols) = (params.array.rows, params.array.cols);
    for (tile, column, channel) in &job.columns {
        let scale = Scale::new(channel.multiplier as i32, channel.shift).expect("a legal scale");
        pair.write_column(*column, *tile, channel.bias, scale);
    }
    pair.write_cluster(&job.cluster)?;
    let words = program.map_words(&layer.input).expect("an input that fits");
    let slots: Vec<_> = words.chunks(slot_words(rows)).collect();
    for partition in 0..rows {
        for (word, slots) in (0..).zip(slots.chunks(8)) {
            let byte =
                |slot: &&[u64]| slot[partition as usize / 8].to_le_bytes()[partition as usize % 8];
            let mut bytes = [0; 8];
            for (to, slot) in bytes.iter_mut().zip(slots) {
                *to = byte(slot);
            }
            pair.write_word(partition, word, bytes);
        }
    }
    let before = counts(pair);
    let instructions = [&job.program[..], &[HALT]].concat();
    let end = pair.run_instructions(&instructions)?;
    if !matches!(end, End::Halt(_)) {
        return Err(pair.message(format!("ends with {end:?}")));
    }
    pair.compare()?;
    let after = counts(pair);
    let during = |side: usize| {
        let counts = after[side].iter().zip(&before[side]);
        counts
            .map(|(after, before)| after.wrapping_sub(*before))
            .collect::<Vec<u32>>()
    };
    let (found, expected) = (during(0), during(1));
    if found != expected {
        return Err(pair.message(format!(
            "the cluster has counted {found:?}, expected {expected:?}"
        )));
    }
    let byte = |partition: u32, at: u32| {
        let at = RESULTS + at;
        pair.golden.read_word(partition, at / 8)[at as usize % 8]
    };
    let result = |at: u32| {
        let words = (0..cols).step_by(8).map(move |first| {
            let lanes = (first..cols.min(first + 8)).rev();
            lanes.fold(0, |word, lane| word << 8 | u64::from(byte(lane, at)))
        });
        words.collect::<Vec<u64>>()
    };
    let results: Vec<u64> = job.places.iter().copied().flat_map(result).collect();
    match program.outputs(&results).ok() == Some(layer.outputs()) {
        true => Ok(()),
        false => Err(pair.message("the results are not those of the definition")),
    }
}

fn random_layers(machine: &Machine, seed: u64, layers: u32) -> Checked {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut pair = Pair::new(machine, seed, &mut rng)?;
    let words = clear(&machine.params);
    let words = words.iter().flat_map(SparseCommand::words);
    let words: Vec<_> = words
        .map(|word| (ClusterStream::Commands, word.into()))
        .collect();
    pair.write_cluster(&words)?;
    for number in 0..layers {
        let (layer, program, job) = next(&machine.params, &mut rng);
        run_layer(&mut pair, (&layer, &program, &job))
            .map_err(|error| format!("{error}, layer {number}: {:?}", layer.shape))?;
    }
    Ok(())
}

fn check(machine: &Machine, few: u32) {
    let layers = if is_slow() { 20 * few } else { few };
    for seed in 1..=3 {
        random_layers(machine, seed, layers).unwrap_or_else(|message| panic!("{message}"));
    }
}

#[test]
fn fsa_27_layers_on_both_memories_of_a_small_machine() {
    check(&SMALL, 8);
}

#[test]
fn fsa_27_layers_on_a_tall_machine_with_slots_of_two_words() {
    check(&TALL, 8);
}
