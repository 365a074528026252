//! A layer of the cluster as instructions and words of the host.

use heddle_arch::Params;
use heddle_arch::host::ClusterStream;
use heddle_arch::isa::sparse::{
    ChannelScale, OP_DRAIN, OP_RUN, OP_SET, SparseCommand, SparseDrain, SparseLoad,
};
use heddle_arch::isa::{self, Drain, Instruction, Matmul, Record, Wait};
use heddle_compiler::sparse::Program;
use rand::Rng;
use rand::seq::IteratorRandom;
use rand_chacha::ChaCha8Rng;

use crate::machines::build;
use crate::machines::pair::{HALT, row};

/// Bytes of a partition in front of the results.
pub const RESULTS: u32 = 4096;
/// Bytes at the end of a partition for the products of the array: results, then weights.
const SPARE: u32 = 512;

/// What a machine is given for a layer.
#[derive(Default)]
pub struct Job {
    /// Words of the host.
    pub cluster: Vec<(ClusterStream, u64)>,
    pub program: Vec<Instruction>,
    /// Parameters of the columns: tile, column.
    pub columns: Vec<(u32, u32, ChannelScale)>,
    /// Slots, and where the results are.
    pub slots: u32,
    pub places: Vec<u32>,
}

/// A command as an instruction.
pub fn instruction(command: &SparseCommand) -> Instruction {
    Instruction::Sparse(isa::SparseCommand {
        wait: Wait::default(),
        words: command.words(),
    })
}

/// Where an instruction of the array may be: sums of the cluster follow their drain, and slots may wait for the run behind them.
fn free_places(program: &[Instruction]) -> Vec<usize> {
    let mut is_free = true;
    let mut places = Vec::new();
    for (at, instruction) in program.iter().enumerate() {
        if is_free {
            places.push(at);
        }
        is_free = match instruction {
            Instruction::Drain(_) => false,
            Instruction::Matmul(matmul) => !matmul.cluster,
            Instruction::Sparse(command) => match command.words[0] & 0xff {
                OP_RUN | OP_DRAIN => true,
                _ => is_free,
            },
            _ => is_free,
        };
    }
    places
}

fn load_weights(params: &Params) -> Instruction {
    let first = params.partition_bytes() - SPARE / 2;
    let words = [(params.weight_words(), 8)];
    Instruction::LoadWeights(build::load(params.array.rows, first, &words))
}

/// A product of the array, with sums that stay or results that leave.
fn product(rng: &mut ChaCha8Rng, params: &Params) -> Vec<Instruction> {
    let vectors = rng.random_range(1..20);
    let first = rng.random_range(0..RESULTS - vectors);
    let operands = vec![row(1, first, &[(vectors, 1)])];
    let matmul = Matmul {
        first: rng.random(),
        last: rng.random(),
        ..build::matmul(params.array.rows, operands)
    };
    let end = params.partition_bytes();
    let drain = build::drain(params.array.cols, end - SPARE, &[(vectors, 1)]);
    let drain = matmul.last.then_some(Instruction::Drain(drain));
    drain
        .into_iter()
        .chain([Instruction::Matmul(matmul)])
        .collect()
}

/// So many slots of so many rows, one byte behind the other.
pub fn send(rows: u32, first: u32, count: u32) -> Matmul {
    Matmul {
        cluster: true,
        ..build::matmul(rows, vec![row(1, first, &[(count, 1)])])
    }
}

impl Job {
    /// The commands of a layer as instructions; none if its weights do not stay.
    pub fn of(
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
        job.program.push(HALT);
        let mut places: Vec<_> = job
            .columns
            .iter()
            .map(|(tile, lane, _)| (tile, lane))
            .collect();
        places.sort_unstable();
        let is_once = places.windows(2).all(|pair| pair[0] != pair[1]);
        let fits = job.slots <= RESULTS
            && job.places.last().is_none_or(|last| *last < RESULTS - SPARE)
            && job.tiles() <= params.column_tiles;
        (is_once && fits).then_some(job)
    }

    /// Products of the array between the commands, the weights of each at any place in front of it.
    pub fn mix(&mut self, rng: &mut ChaCha8Rng, params: &Params) {
        // A command that says again what is so: more than their queue takes.
        let at = rng.random_range(0..self.program.len());
        if let Instruction::Sparse(command) = &self.program[at] {
            if command.words[0] & 0xff == OP_SET {
                let again = vec![self.program[at].clone(); 24];
                self.program.splice(at..at, again);
            }
        }
        let mut places = free_places(&self.program)
            .into_iter()
            .choose_multiple(rng, 6);
        places.truncate(2 * rng.random_range(0..=3).min(places.len() / 2));
        places.sort_unstable();
        for pair in places.chunks(2).rev() {
            self.program.splice(pair[1]..pair[1], product(rng, params));
            self.program.insert(pair[0], load_weights(params));
        }
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
        self.program.push(instruction(command));
    }

    /// The slots of a load, one byte behind the other.
    fn load(&mut self, load: &SparseLoad, params: &Params) {
        self.sparse(&SparseCommand::Load(load.clone()));
        let slots = load.size[0] * load.size[1] * load.chunks;
        let send = send(params.array.rows, self.slots, slots);
        self.program.push(Instruction::Matmul(Matmul {
            threshold: load.threshold as u8,
            ..send
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
                tile: drain.tile as u16,
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
