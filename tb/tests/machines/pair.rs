//! A verilated machine and the golden machine that get the same requests.

use heddle_arch::host::{CTRL_START, ClusterStream, Register, Status};
use heddle_arch::isa::{ErrorCode, Instruction, Loop, Matmul, RowBlock, Wait};
use heddle_arch::params::Params;
use heddle_arch::requantise::{DualScale, Scale};
use heddle_sim::machine::{Counters, Machine as Golden, MachineError};
use heddle_tb::host::Host;
use rand::Rng;
use rand_chacha::ChaCha8Rng;

use super::programs::random_program;
use super::{Machine, build};
use crate::rtl::Checked;

/// How a program ended, on both sides alike.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// HALT.
    Halt(Counters),
    /// An error with its program word.
    Error(ErrorCode, u32),
    /// It ran longer than allowed; the hardware was reset.
    Endless,
    /// Operands and weights met in a bank: the golden machine does not judge it; the hardware came to an end.
    Conflict,
    /// The same, where a read met the write of its word.
    Undefined,
}

/// Hardware and golden machine side by side.
pub struct Pair<'a> {
    machine: &'a Machine,
    pub host: Host,
    pub golden: Golden,
    /// Configuration and seed, for messages.
    pub place: String,
    seed: u64,
}

fn words_of(params: &Params) -> Vec<(u32, u32)> {
    let words = params.partition_words();
    (0..params.array.rows)
        .flat_map(|partition| (0..words).map(move |word| (partition, word)))
        .collect()
}

/// A word with some zero bytes.
pub fn random_word(rng: &mut ChaCha8Rng) -> [u8; 8] {
    let mask: u8 = match rng.random_range(0..4) {
        0 => 0,
        1 => 0xff,
        _ => rng.random(),
    };
    std::array::from_fn(|k| if mask >> k & 1 == 1 { rng.random() } else { 0 })
}

fn random_scale(rng: &mut ChaCha8Rng) -> Scale {
    let shift = match rng.random_range(0..6) {
        0 => rng.random_range(-31..=30),
        1 => rng.random_range(-2..=1),
        _ => rng.random_range(-14..=-4),
    };
    Scale::new(rng.random_range(1 << 30..=i32::MAX), shift).expect("a legal scale")
}

fn random_dual_scale(rng: &mut ChaCha8Rng) -> DualScale {
    let factors = [0, 1].map(|_| rng.random_range(0..=DualScale::FACTOR_MAX));
    let shift = match rng.random_range(0..6) {
        0 => rng.random_range(DualScale::SHIFT_MIN..=DualScale::SHIFT_MAX),
        _ => rng.random_range(19..=26),
    };
    DualScale::new(factors, shift).expect("a legal scale")
}

/// A program behind which weights, bias and all results are what programs can know.
pub fn known(params: &Params) -> Vec<Instruction> {
    let (rows, depth) = (params.array.rows, params.results_buffer.depth);
    let mut program = Vec::new();
    for bank in [false, true] {
        let words = [(params.weight_words(), 8)];
        program.push(Instruction::LoadWeights(build::load(rows, 0, &words)));
        let operands = vec![row(0, 0, &[]), row(1, params.bank_bytes(), &[(depth, 1)])];
        program.push(Instruction::Matmul(Matmul {
            last: false,
            bank,
            macs: 0,
            ..build::matmul(rows, operands)
        }));
    }
    program.push(HALT);
    program
}

/// HALT without further ado.
pub const HALT: Instruction = Instruction::Halt { wait: Wait::NONE };

/// One loop from 0 with this many trips.
pub fn trips(count: u32, step: u32) -> Loop {
    Loop {
        initial: 0,
        step,
        end: count * step,
    }
}

/// A row with loops from 0: trips and step.
pub fn row(row: u8, base: u32, loops: &[(u32, u32)]) -> RowBlock {
    let loops = loops.iter().map(|&(count, step)| trips(count, step));
    RowBlock {
        row,
        base,
        loops: loops.collect(),
    }
}

impl<'a> Pair<'a> {
    /// Both machines with the same state buffer, column parameters, weights and results.
    ///
    /// # Errors
    /// If the machine does not even get that far.
    pub fn new(machine: &'a Machine, seed: u64, rng: &mut ChaCha8Rng) -> Checked<Self> {
        let mut pair = Self {
            host: machine.host(seed),
            golden: Golden::new(&machine.params),
            place: format!("{}, seed {seed}", machine.params.name),
            machine,
            seed,
        };
        pair.fill(rng);
        pair.prepare()?;
        Ok(pair)
    }

    pub fn params(&self) -> &'a Params {
        &self.machine.params
    }

    /// A message with the place.
    pub fn message(&self, text: impl std::fmt::Display) -> String {
        format!("{}: {text}", self.place)
    }

    /// Random state buffer and column parameters, row tables without a valid entry.
    fn fill(&mut self, rng: &mut ChaCha8Rng) {
        self.write_program(0, &vec![0; self.params().program.words as usize]);
        self.set_zero(0);
        for (partition, word) in words_of(self.params()) {
            self.write_word(partition, word, random_word(rng));
        }
        for row in 0..self.params().array.rows {
            for entry in 0..self.params().state_buffer.row_offsets {
                self.write_row_offset(row, entry, None);
            }
        }
        for column in 0..self.params().array.cols {
            for tile in 0..self.params().column_tiles {
                let bias = rng.random_range(-1 << 20..1 << 20);
                self.write_column(column, tile, bias, random_scale(rng));
                if self.params().post.dual_scale && rng.random() {
                    self.write_dual_scale(column, tile, random_dual_scale(rng));
                }
            }
        }
        for table in 0..self.params().post.activations {
            for byte in 0..=u8::MAX {
                self.write_activation(table, byte, rng.random());
            }
        }
    }

    pub fn write_row_offset(&mut self, row: u32, entry: u32, offset: Option<u16>) {
        self.host
            .write_row_offset(row, entry, offset)
            .expect("taken");
        self.golden.write_row_offset(row, entry, offset);
    }

    pub fn write_column(&mut self, column: u32, tile: u32, bias: i32, scale: Scale) {
        self.host
            .write_column(column, tile, bias, scale)
            .expect("taken");
        self.golden.write_bias(column, tile, bias);
        self.golden.write_scale(column, tile, scale);
    }

    pub fn write_dual_scale(&mut self, column: u32, tile: u32, scale: DualScale) {
        self.host.write_scale(column, tile, scale).expect("taken");
        self.golden.write_scale(column, tile, scale);
    }

    /// An entry of an activation table, counted from 0 on.
    pub fn write_activation(&mut self, table: u32, byte: u8, stored: u8) {
        self.host
            .write_activation(table, byte, stored)
            .expect("taken");
        self.golden.write_activation(table, byte, stored);
    }

    pub fn set_zero(&mut self, zero_point: i8) {
        self.host.set_zero(zero_point).expect("taken");
        self.golden.set_host_zero(zero_point);
    }

    /// Words of commands and of weights for the sparse cluster.
    pub fn write_cluster(&mut self, words: &[(ClusterStream, u64)]) -> Checked {
        for &(stream, word) in words {
            let is_taken = match stream {
                ClusterStream::Commands => self.golden.write_cluster_command(word as u32),
                ClusterStream::Weights => self.golden.write_cluster_weights(word),
            };
            if !is_taken {
                return Err(self.message("the golden cluster takes no more words"));
            }
        }
        if !self.golden.settle_cluster() {
            return Err(self.message("the golden cluster does not come to rest"));
        }
        let sent = self.host.write_cluster(words);
        sent.map_err(|error| self.message(error))
    }

    pub fn write_word(&mut self, partition: u32, word: u32, data: [u8; 8]) {
        self.host.write_word(partition, word, data).expect("taken");
        self.golden.write_word(partition, word, data);
    }

    /// Weights, bias and all results become what programs can know.
    ///
    /// # Errors
    /// If the program does not end as it should.
    pub fn prepare(&mut self) -> Checked {
        let program = known(self.params());
        match self.run_instructions(&program)? {
            End::Halt(_) => Ok(()),
            end => Err(self.message(format!("ends with {end:?}, expected HALT"))),
        }
    }

    /// Writes a program from word `pc` on.
    pub fn write_program(&mut self, pc: u32, words: &[u32]) {
        self.host.write_program(pc, words).expect("taken");
        self.golden.write_program(pc, words);
    }

    /// A random program in which no read meets the write of its word, and where `place` puts so many words.
    pub fn defined_program(
        &self,
        rng: &mut ChaCha8Rng,
        mut place: impl FnMut(&mut ChaCha8Rng, u32) -> u32,
    ) -> (u32, Vec<Instruction>) {
        loop {
            let program = random_program(rng, self.params());
            let words: Vec<u32> = program.iter().flat_map(Instruction::encode).collect();
            let pc = place(rng, words.len() as u32);
            let mut golden = self.golden.clone();
            golden.write_program(pc, &words);
            let found = golden.run(pc, 500_000);
            if !matches!(found, Err(MachineError::UndefinedRead(_))) {
                return (pc, program);
            }
        }
    }

    /// Runs instructions from word 0 on.
    pub fn run_instructions(&mut self, program: &[Instruction]) -> Checked<End> {
        let words: Vec<u32> = program.iter().flat_map(Instruction::encode).collect();
        self.write_program(0, &words);
        self.run(0, 200_000)
    }

    /// Starts the hardware; false if it still runs after `limit` cycles.
    pub fn run_hardware(&mut self, pc: u32, limit: u64) -> bool {
        let host = &mut self.host;
        host.write(Register::StartPc.address(), pc.into())
            .expect("taken");
        host.write(Register::Ctrl.address(), CTRL_START)
            .expect("taken");
        self.await_end(limit)
    }

    /// Clocks until the hardware no longer runs; false if it does after `limit` cycles.
    pub fn await_end(&mut self, limit: u64) -> bool {
        let ended = self.host.wait_end(limit).expect("the machine answers");
        ended.is_some()
    }

    /// Runs the program at word `pc` on both sides and compares how it ends, with all counters.
    pub fn run(&mut self, pc: u32, limit: u64) -> Checked<End> {
        let end = self.run_end(pc, limit)?;
        if let End::Halt(expected) = end {
            self.check_counters(&expected)?;
        }
        Ok(end)
    }

    /// As [`run`](Self::run) without the counters.
    pub fn run_end(&mut self, pc: u32, limit: u64) -> Checked<End> {
        let predicted = self.golden.run(pc, limit);
        let ended = self.run_hardware(pc, limit + 1000);
        if predicted.as_ref().is_err_and(MachineError::is_open) {
            // What is not defined may break contracts.
            self.host.model().take_stops();
        }
        if !ended {
            let host = self.machine.host(self.seed);
            self.host = host;
            return match predicted {
                Err(error) if error.is_open() => Ok(End::Endless),
                Err(MachineError::StillRunning { .. }) => Ok(End::Endless),
                other => Err(self.message(format!("still runs, golden machine: {other:?}"))),
            };
        }
        let status = self.host.status().expect("STATUS answers");
        self.check_end(predicted, status)
    }

    /// Compares all counters; those that the machine does not have read 0.
    pub fn check_counters(&mut self, expected: &Counters) -> Checked {
        let found = self.host.counters().expect("counters answer");
        let set = self.params().counters;
        for ((counter, found), (_, count)) in found.into_iter().zip(expected.iter()) {
            let expected = if set.has(counter) { count } else { 0 };
            if found != expected {
                let name = counter.name();
                return Err(
                    self.message(format!("{name} is {found}, golden machine has {expected}"))
                );
            }
        }
        Ok(())
    }

    /// Compares how the hardware has ended with the prediction.
    pub fn check_end(
        &mut self,
        predicted: Result<Counters, MachineError>,
        status: Status,
    ) -> Checked<End> {
        match predicted {
            Ok(counters) => {
                if !status.done || status.error || status.code != 0 || status.pc != 0 {
                    return Err(self.message(format!("{status:?}, golden machine has HALT")));
                }
                Ok(End::Halt(counters))
            }
            Err(MachineError::Stopped { code, pc, message }) => {
                let same = status.error && status.error_code() == Some(code);
                if !same || u32::from(status.pc) != pc || status.done {
                    return Err(self.message(format!(
                        "{status:?}, golden machine has {} at {pc}: {message}",
                        code.name()
                    )));
                }
                Ok(End::Error(code, pc))
            }
            Err(MachineError::BankConflict { .. }) => Ok(End::Conflict),
            Err(MachineError::UndefinedRead(_)) => Ok(End::Undefined),
            Err(error) => Err(self.message(format!("{status:?}, golden machine: {error}"))),
        }
    }

    /// Compares the whole state buffer.
    pub fn compare(&mut self) -> Checked {
        self.compare_words(&words_of(self.params()))
    }

    /// Compares words of partitions.
    pub fn compare_words(&mut self, places: &[(u32, u32)]) -> Checked {
        let found = self.host.read_words(places).expect("words answer");
        for (&(partition, word), found) in places.iter().zip(found) {
            let expected = self.golden.read_word(partition, word);
            if found != expected {
                return Err(self.message(format!(
                    "partition {partition}, word {word} is {found:?}, golden machine has \
                    {expected:?}"
                )));
            }
        }
        Ok(())
    }
}
