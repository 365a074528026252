//! The whole machine at the level of its instructions: executes a binary program on its own
//! memories and predicts every hardware counter.
//!
//! [`Machine`] is what the host sees. Behind it `sequencer` issues instructions, `walk` gives the
//! addresses of a record, `prefetch` when its words can be read from banks, `timing` decides in which cycle a unit takes one, `datapath` what happens
//! then, `memory` counts slice accesses. Errors stop the machine with the code of `docs/isa.md`; the counters of a run
//! that ends with an error are not a prediction.

mod check;
mod cluster;
mod counters;
mod datapath;
mod meetings;
mod memory;
mod prefetch;
mod sequencer;
mod timing;
mod transfers;
mod walk;

use heddle_arch::host::ColumnScale;
use heddle_arch::isa::fields::row_table_data;
use heddle_arch::isa::{ErrorCode, SystemError};
use heddle_arch::params::Params;
use heddle_arch::word::WordBytes;

pub use counters::Counters;
pub use meetings::{Access, Client, Meeting};
pub use transfers::{Disorder, HostMemory, Pace};

use crate::sparse::Counts;
use cluster::Engine;
use datapath::Datapath;
use prefetch::Places;
use timing::{Clockwork, Trap};
use transfers::Transfers;
pub(crate) use transfers::{Turn, turns};

/// Why a run did not reach HALT.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum MachineError {
    /// The machine stopped with an error of the instruction set.
    #[error("{} at program word {pc}: {message}", .code.name())]
    Stopped {
        /// Code in the status register.
        code: ErrorCode,
        /// Word address of the instruction concerned.
        pc: u32,
        /// Field, value and what is allowed.
        message: String,
    },
    /// Operands and weights of one cycle lie in one bank, which the instruction set forbids.
    #[error("operands and the weights of program word {pc} are read from bank {bank} at once")]
    BankConflict {
        /// Word address of the LOAD_WEIGHTS concerned.
        pc: u32,
        /// Bank of the state buffer.
        bank: u32,
    },
    /// A word is read in the clock in which it is written, which is undefined without a bypass in the banks.
    #[error("{0}")]
    UndefinedRead(Meeting),
    /// A LOAD or STORE meets an instruction, and neither waits for the other: what is read then is undefined.
    #[error("{0}")]
    Disorder(Box<Disorder>),
    /// A LOAD or STORE reaches beyond a memory.
    #[error("{} at program word {pc}: {message}", .code.name())]
    Transfer {
        /// Code in the register ERROR.
        code: SystemError,
        /// Word address of the instruction.
        pc: u32,
        /// What does not exist.
        message: String,
    },
    /// The program still ran.
    #[error("the program still runs after {cycles} cycles")]
    StillRunning {
        /// Cycles that were allowed.
        cycles: u64,
    },
}

impl MachineError {
    /// What the hardware does from then on is not defined.
    #[must_use]
    pub fn is_open(&self) -> bool {
        matches!(
            self,
            Self::BankConflict { .. } | Self::UndefinedRead(_) | Self::Disorder(_)
        )
    }
}

/// A word that a drain gives to a partition.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct DrainedWord {
    /// Cycle of the run in which the last sum on which the word has waited takes its drain address:
    /// that of the flush byte, or that of the first byte of the next word.
    pub cycle: u64,
    /// It leaves behind the flush byte.
    pub flushed: bool,
    /// Column that it comes from.
    pub column: u32,
    /// Partition that it goes to.
    pub partition: u32,
    /// Word of the partition.
    pub word: u32,
    /// Bytes as they are stored, without the zero codec of the host port.
    pub data: WordBytes,
}

/// A word that a partition copies within itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct CopiedWord {
    /// Cycle of the run in which the address of the word is accepted.
    pub cycle: u64,
    /// Partition.
    pub partition: u32,
    /// Word of the partition to which it is copied.
    pub word: u32,
    /// Bytes as they are stored, without the zero codec of the host port.
    pub data: WordBytes,
}

/// A word that a program writes to the state buffer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum WrittenWord {
    /// By a drain.
    Drained(DrainedWord),
    /// By a copy.
    Copied(CopiedWord),
}

/// The machine as its host sees it. Memories start with zeros.
#[derive(Debug, Clone)]
pub struct Machine {
    params: Params,
    /// Words of the program memory; none if the program lies in the state buffer.
    program: Vec<u32>,
    places: Option<Places>,
    host_zero: u8,
    data: Datapath,
}

impl Machine {
    /// A machine of this configuration.
    #[must_use]
    pub fn new(params: &Params) -> Self {
        let places = Places::of(params);
        let words = match places {
            Some(_) => 0,
            None => params.program.words as usize,
        };
        Self {
            params: params.clone(),
            program: vec![0; words],
            places,
            host_zero: 0,
            data: Datapath::new(params),
        }
    }

    /// Writes instruction words from program word `first` on. In banks words are written in pairs: one beside them that is
    /// not given becomes 0.
    ///
    /// # Panics
    /// If they reach beyond the program memory.
    pub fn write_program(&mut self, first: u32, words: &[u32]) {
        if let Some(places) = self.places {
            return places.write(&mut self.data.memory, first, words);
        }
        let first = first as usize;
        self.program[first..first + words.len()].copy_from_slice(words);
    }

    /// Writes the bias of a column for a column tile.
    ///
    /// # Panics
    /// If the column or tile does not exist.
    pub fn write_bias(&mut self, column: u32, tile: u32, bias: i32) {
        self.data.set_bias(column as usize, tile as usize, bias);
    }

    /// Writes the scale of a column for a column tile.
    ///
    /// # Panics
    /// If the column or tile does not exist.
    pub fn write_scale(&mut self, column: u32, tile: u32, scale: impl Into<ColumnScale>) {
        self.write_scale_word(column, tile, scale.into().bits());
    }

    /// As [`write_scale`](Self::write_scale), of the data word of a scale.
    ///
    /// # Panics
    /// If the column or tile does not exist.
    pub fn write_scale_word(&mut self, column: u32, tile: u32, word: u64) {
        self.data.set_scale(column as usize, tile as usize, word);
    }

    /// Writes an entry of an activation table: what is stored instead of `byte`. Tables count from 0 on.
    ///
    /// # Panics
    /// If the table does not exist.
    pub fn write_activation(&mut self, table: u32, byte: u8, stored: u8) {
        self.data.set_activation(table as usize, byte, stored);
    }

    /// Writes a word of a command of the sparse cluster; false if there is none, or if it takes none any more.
    pub fn write_cluster_command(&mut self, word: u32) -> bool {
        let cluster = self.data.cluster.as_mut();
        cluster.is_some_and(|cluster| cluster.write_command(word))
    }

    /// Writes a word of weights of the sparse cluster; false if there is none, or if none is waited for.
    pub fn write_cluster_weights(&mut self, word: u64) -> bool {
        let cluster = self.data.cluster.as_mut();
        cluster.is_some_and(|cluster| cluster.write_weights(word))
    }

    /// The host waits until the sparse cluster has nothing under way; false if it waits in vain.
    pub fn settle_cluster(&mut self) -> bool {
        self.data.cluster.as_mut().is_none_or(Engine::settle)
    }

    /// What the sparse cluster has counted since the machine was made.
    #[must_use]
    pub fn cluster_counts(&self) -> Option<Counts> {
        self.data.cluster.as_ref().map(Engine::counts)
    }

    /// Sets HOST_ZERO, the zero point of bytes that pass the host port.
    pub fn set_host_zero(&mut self, zero_point: i8) {
        self.host_zero = zero_point as u8;
    }

    /// Writes a state-buffer word through the zero codec; byte k is the byte at address 8 word + k.
    ///
    /// # Panics
    /// If the partition or word does not exist.
    pub fn write_word(&mut self, partition: u32, word: u32, data: WordBytes) {
        let stored = data.map(|byte| byte.wrapping_sub(self.host_zero));
        self.data
            .memory
            .poke(partition as usize, word as usize, stored);
    }

    /// Writes an entry of the offset table of a row; none makes it invalid.
    ///
    /// # Panics
    /// If the row or entry does not exist.
    pub fn write_row_offset(&mut self, row: u32, entry: u32, offset: Option<u16>) {
        let memory = &mut self.data.memory;
        memory.set_offset(row as usize, entry as usize, offset);
    }

    /// What an entry of the offset table of a row is, of a word of the host.
    pub(crate) fn row_offset(word: u64) -> Option<u16> {
        let low = word as u32;
        let valid = row_table_data::VALID.is_set(low);
        valid.then_some(row_table_data::OFFSET.get(low) as u16)
    }

    /// Reads a state-buffer word through the zero codec.
    ///
    /// # Panics
    /// If the partition or word does not exist.
    #[must_use]
    pub fn read_word(&self, partition: u32, word: u32) -> WordBytes {
        let stored = self.data.memory.peek(partition as usize, word as usize);
        stored.map(|byte| byte.wrapping_add(self.host_zero))
    }

    /// A state-buffer word as it is stored.
    ///
    /// # Panics
    /// If the partition or word does not exist.
    #[must_use]
    pub fn stored_word(&self, partition: u32, word: u32) -> WordBytes {
        self.data.memory.peek(partition as usize, word as usize)
    }

    /// Stores a state-buffer word past the zero codec.
    ///
    /// # Panics
    /// If the partition or word does not exist.
    pub fn store_word(&mut self, partition: u32, word: u32, data: WordBytes) {
        let memory = &mut self.data.memory;
        memory.poke(partition as usize, word as usize, data);
    }

    /// Whether the last run has read or written a state-buffer word.
    ///
    /// # Panics
    /// If the partition or word does not exist.
    #[must_use]
    pub fn has_used(&self, partition: u32, word: u32) -> bool {
        let memory = &self.data.memory;
        memory.is_used(partition as usize, word as usize)
    }

    /// Clears the counters and runs from program word `start_pc` to HALT, at most `limit` cycles.
    ///
    /// # Errors
    /// [`MachineError`]; the memories keep what was written until then.
    pub fn run(&mut self, start_pc: u32, limit: u64) -> Result<Counters, MachineError> {
        self.run_watched(start_pc, limit, |_| {})
    }

    /// As [`run`](Self::run); `watch` sees every word that is written, in the order of their cycles.
    ///
    /// # Errors
    /// [`MachineError`]; the memories keep what was written until then.
    pub fn run_watched(
        &mut self,
        start_pc: u32,
        limit: u64,
        watch: impl FnMut(WrittenWord),
    ) -> Result<Counters, MachineError> {
        let alone = (HostMemory::default(), Pace::Latency(0));
        self.run_beside(start_pc, limit, alone, watch)
    }

    /// As [`run_watched`](Self::run_watched), beside a memory that the program loads from and stores to.
    ///
    /// # Errors
    /// [`MachineError`]; the memories keep what was written until then.
    pub fn run_beside(
        &mut self,
        start_pc: u32,
        limit: u64,
        (host, pace): (HostMemory<'_>, Pace),
        watch: impl FnMut(WrittenWord),
    ) -> Result<Counters, MachineError> {
        // Nothing that runs can write to the banks of the program.
        let mut program = match self.places {
            Some(places) => places.read(&self.data.memory),
            None => std::mem::take(&mut self.program),
        };
        let mut transfers = Transfers::new(&self.params, host, pace);
        let counted = self.go((start_pc, limit), &mut program, &mut transfers, watch);
        if self.places.is_none() {
            self.program = program;
        }
        counted
    }

    fn go(
        &mut self,
        (start_pc, limit): (u32, u64),
        program: &mut [u32],
        transfers: &mut Transfers<'_>,
        mut watch: impl FnMut(WrittenWord),
    ) -> Result<Counters, MachineError> {
        self.data.memory.start();
        // The host starts no program before.
        self.settle_cluster();
        let mut clockwork = Clockwork::new(&self.params, start_pc);
        for cycle in 0..limit {
            let result = clockwork.cycle(program, &mut self.data, transfers);
            let mut met = clockwork.meeting(&self.data);
            for leaving in self.data.leaving.drain(..) {
                watch(WrittenWord::Drained(DrainedWord { cycle, ..leaving }));
            }
            for moving in self.data.moving.drain(..) {
                watch(WrittenWord::Copied(CopiedWord { cycle, ..moving }));
            }
            if result != Ok(true) || met.is_some() {
                met = met.or(clockwork.finish(&mut self.data));
            }
            if let Some(met) = met {
                return Err(MachineError::UndefinedRead(met));
            }
            match result {
                Ok(true) => {}
                Ok(false) => {
                    return Ok(Counters::new(clockwork.tally, self.data.memory.accesses));
                }
                Err(Trap::Error { code, pc, message }) => {
                    return Err(MachineError::Stopped { code, pc, message });
                }
                Err(Trap::BankConflict { pc, bank }) => {
                    return Err(MachineError::BankConflict { pc, bank });
                }
                Err(Trap::Transfer { code, pc, message }) => {
                    return Err(MachineError::Transfer { code, pc, message });
                }
                Err(Trap::Order(disorder)) => return Err(MachineError::Disorder(disorder)),
            }
        }
        if let Some(met) = clockwork.finish(&mut self.data) {
            return Err(MachineError::UndefinedRead(met));
        }
        Err(MachineError::StillRunning { cycles: limit })
    }
}
