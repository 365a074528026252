//! The sparse cluster as an engine of the machine: random layers whose slots come from the state buffer and whose results go there, in lockstep with
//! the golden machine; results are those of the definition.

mod faults;
mod job;
mod mutants;

use std::sync::LazyLock;

use heddle_arch::Params;
use heddle_arch::host::ClusterStream;
use heddle_arch::isa::sparse::{SparseCommand, SparseWeights};
use heddle_arch::params::{Array, CounterSet, Post, Sparse};
use heddle_arch::requantise::Scale;
use heddle_compiler::sparse::{Plan, Program, clear};
use heddle_tb::host::HostError;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::generator::sparse::{Layer, random_shape, random_split};
use job::{Job, RESULTS};

use crate::machines::dump::encode;
use crate::machines::pair::{End, Pair};
use crate::machines::{Machine, with_counters};
use crate::rtl::{Checked, is_slow};

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

/// Longer than any of these programs takes, with a wait that ends as STUCK.
const LIMIT: u64 = 200_000;

/// Three units beside an array of four columns.
pub fn small() -> Params {
    let sparse = Sparse {
        units: 3,
        map_entries: 256,
        sums: 128,
        ..Sparse::default()
    };
    params("small_sparse", (4, 4), sparse)
}

static SMALL: LazyLock<Machine> = LazyLock::new(|| Machine::new(small()));

/// Five units, slots of two words, a basic set of counters.
static TALL: LazyLock<Machine> = LazyLock::new(|| {
    let sparse = Sparse {
        units: 5,
        load_entries: 4,
        map_sets: 4,
        map_entries: 256,
        ..Sparse::default()
    };
    let params = params("tall_sparse", (12, 8), sparse);
    Machine::new(with_counters(params, CounterSet::Basic))
});

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

/// Both machines with a cluster whose sums are zero.
fn cleared<'a>(machine: &'a Machine, seed: u64, rng: &mut ChaCha8Rng) -> Checked<Pair<'a>> {
    let mut pair = Pair::new(machine, seed, rng)?;
    let words = clear(&machine.params);
    let words = words.iter().flat_map(SparseCommand::words);
    let words: Vec<_> = words
        .map(|word| (ClusterStream::Commands, word.into()))
        .collect();
    pair.write_cluster(&words)?;
    Ok(pair)
}

/// Words of weights are missing: the cluster is busy until a host gives up.
fn check_status(pair: &mut Pair) -> Checked {
    let fill = SparseCommand::Weights(SparseWeights {
        words: 1,
        units: 1,
        ..SparseWeights::default()
    });
    let words = fill.words().into_iter();
    let words: Vec<_> = words
        .map(|word| (ClusterStream::Commands, word.into()))
        .collect();
    match pair.host.write_cluster(&words) {
        Err(HostError::Timeout { .. }) => Ok(()),
        other => Err(pair.message(format!("{other:?} for weights that do not come"))),
    }
}

/// Both machines get parameters, weights and the map of a layer.
fn give(pair: &mut Pair, (layer, program, job): (&Layer, &Program, &Job)) -> Checked {
    for (tile, column, channel) in &job.columns {
        let scale = Scale::new(channel.multiplier as i32, channel.shift).expect("a legal scale");
        pair.write_column(*column, *tile, channel.bias, scale);
    }
    pair.write_cluster(&job.cluster)?;
    let words = program.map_words(&layer.input).expect("an input that fits");
    let rows = pair.params().array.rows;
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
    Ok(())
}

/// Counters of the cluster, and of the golden one; those that the machine does not have read 0. Their cycles depend on
/// the pace of the host.
fn counts(pair: &mut Pair) -> [Vec<u32>; 2] {
    let golden = pair.golden.cluster_counts().expect("there is a cluster");
    let found = pair.host.cluster_counters(9).expect("counters answer");
    let set = pair.params().counters;
    let expected = golden.all().into_iter().enumerate();
    let expected = expected.map(|(at, count)| if set.has_of_cluster(at) { count } else { 0 });
    [found, expected.collect()]
}

/// Runs a program and compares its end, the memory and what the cluster has counted.
fn run(pair: &mut Pair, words: &[u32], limit: u64) -> Checked<End> {
    let before = counts(pair);
    pair.write_program(0, words);
    let end = pair.run(0, limit)?;
    if matches!(end, End::Endless | End::Conflict | End::Undefined) {
        return Ok(end);
    }
    pair.compare()?;
    let after = counts(pair);
    let [found, expected] = [0, 1].map(|side| {
        let counts = after[side].iter().zip(&before[side]);
        counts
            .map(|(after, before)| after.wrapping_sub(*before))
            .collect::<Vec<u32>>()
    });
    // Behind an error the cluster goes on with what it has.
    match found == expected || !matches!(end, End::Halt(_)) {
        true => Ok(end),
        false => Err(pair.message(format!(
            "the cluster has counted {found:?}, expected {expected:?}"
        ))),
    }
}

/// The results of a layer are those of the definition.
fn check_results(pair: &Pair, (layer, program, job): (&Layer, &Program, &Job)) -> Checked {
    let cols = pair.params().array.cols;
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
    let mut pair = cleared(machine, seed, &mut rng)?;
    let place = pair.place.clone();
    for number in 0..layers {
        let (layer, program, mut job) = next(&machine.params, &mut rng);
        job.mix(&mut rng, &machine.params);
        pair.place = format!("{place}, layer {number}: {:?}", layer.shape);
        let all = (&layer, &program, &job);
        give(&mut pair, all)?;
        match run(&mut pair, &encode(&job.program), LIMIT)? {
            End::Halt(_) => check_results(&pair, all)?,
            end => return Err(pair.message(format!("ends with {end:?}"))),
        }
    }
    check_status(&mut pair)
}

fn check(machine: &Machine, few: u32) {
    let layers = if is_slow() { 20 * few } else { few };
    for seed in 1..=3 {
        random_layers(machine, seed, layers).unwrap_or_else(|message| panic!("{message}"));
    }
}

#[proves("FSA-02")]
#[test]
fn layers_on_both_memories_of_a_small_machine() {
    check(&SMALL, 8);
}

#[proves("FSA-02")]
#[test]
fn layers_on_a_tall_machine_with_slots_of_two_words() {
    check(&TALL, 8);
}
