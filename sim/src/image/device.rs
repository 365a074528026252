//! What jobs move words into and out of: a machine behind its host port.

use heddle_arch::host::Counter;
use heddle_arch::job::Job;

use super::LIMIT_CYCLES;
use crate::machine::{HostMemory, Machine, MachineError, Pace};

/// Clocks from a request to the first word of the host's memory.
const LATENCY: u64 = 64;

/// Place of a word that is written, whose bits are those of the host port.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Target {
    /// A word of a partition.
    Buffer {
        /// Partition.
        partition: u32,
        /// Word of it.
        word: u32,
    },
    /// Bias of a column for a column tile.
    Bias {
        /// Column.
        column: u32,
        /// Column tile.
        tile: u32,
    },
    /// Scale of a column for a column tile.
    Scale {
        /// Column.
        column: u32,
        /// Column tile.
        tile: u32,
    },
    /// An entry of the offset table of a row.
    Row {
        /// Row.
        row: u32,
        /// Entry.
        entry: u32,
    },
    /// An entry of an activation table.
    Table {
        /// Table, from 0 on.
        table: u32,
        /// Byte that is looked up.
        byte: u8,
    },
    /// Two program words, the first of which is even.
    Program {
        /// The first of them.
        first: u32,
    },
    /// The next weights of the sparse cluster.
    Weights,
    /// The next command of the sparse cluster.
    Command,
}

/// What a run has counted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Counted {
    /// Program word at which it began.
    pub start: u32,
    /// The counters that the machine has.
    pub counters: Vec<(Counter, u32)>,
    /// Numbers and counts of the counters of the sparse cluster that there are, since the machine was made.
    pub cluster: Vec<(usize, u32)>,
}

/// Why a machine did not do what a job says.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum DeviceError {
    /// The cluster did not take a word.
    #[error("the sparse cluster does not take its commands and weights")]
    Cluster,
    /// A run of the golden machine did not reach HALT.
    #[error(transparent)]
    Machine(#[from] MachineError),
    /// Hardware did not answer, or stopped.
    #[error("{0}")]
    Hardware(String),
}

/// A machine. Whoever calls it has checked that places are those of its configuration.
pub trait Device {
    /// Words that LOADs beside a run write are spoilt for it, and it must leave them alone.
    const JUDGES: bool;

    /// Carries out entries of a job list itself, if it has a DMA: addresses are places in `memory`, and the last entry is a fence. Gives what is known of
    /// the runs: of the last one at least.
    ///
    /// # Errors
    /// [`DeviceError`]
    fn carry_out(
        &mut self,
        memory: &mut Vec<u8>,
        jobs: &[Job],
    ) -> Option<Result<Vec<Counted>, DeviceError>> {
        let _ = (memory, jobs);
        None
    }

    /// Sets the zero point of bytes of partitions that pass.
    ///
    /// # Errors
    /// [`DeviceError`]
    fn set_zero(&mut self, zero: i8) -> Result<(), DeviceError>;

    /// Writes a word.
    ///
    /// # Errors
    /// [`DeviceError`]
    fn write(&mut self, target: Target, word: u64) -> Result<(), DeviceError>;

    /// Reads words of partitions: partition and word.
    ///
    /// # Errors
    /// [`DeviceError`]
    fn read(&mut self, places: &[(u32, u32)]) -> Result<Vec<u64>, DeviceError>;

    /// Waits until the sparse cluster has nothing under way.
    ///
    /// # Errors
    /// [`DeviceError`]
    fn settle(&mut self) -> Result<(), DeviceError>;

    /// Runs a program to its HALT; it may load and store.
    ///
    /// # Errors
    /// [`DeviceError`]
    fn run(&mut self, start: u32, memory: HostMemory<'_>) -> Result<Counted, DeviceError>;
}

impl Device for Machine {
    const JUDGES: bool = true;

    fn set_zero(&mut self, zero: i8) -> Result<(), DeviceError> {
        self.set_host_zero(zero);
        Ok(())
    }

    fn write(&mut self, target: Target, word: u64) -> Result<(), DeviceError> {
        let low = word as u32;
        let taken = match target {
            Target::Weights => self.write_cluster_weights(word),
            Target::Command => self.write_cluster_command(low),
            _ => true,
        };
        match target {
            Target::Buffer {
                partition,
                word: place,
            } => self.write_word(partition, place, word.to_le_bytes()),
            Target::Bias { column, tile } => self.write_bias(column, tile, low as i32),
            Target::Scale { column, tile } => self.write_scale_word(column, tile, word),
            Target::Row { row, entry } => {
                self.write_row_offset(row, entry, Self::row_offset(word));
            }
            Target::Table { table, byte } => self.write_activation(table, byte, low as u8),
            Target::Program { first } => self.write_program(first, &[low, (word >> 32) as u32]),
            Target::Weights | Target::Command => {}
        }
        if taken {
            Ok(())
        } else {
            Err(DeviceError::Cluster)
        }
    }

    fn read(&mut self, places: &[(u32, u32)]) -> Result<Vec<u64>, DeviceError> {
        let words = places.iter();
        let words = words.map(|&(partition, word)| self.read_word(partition, word));
        Ok(words.map(u64::from_le_bytes).collect())
    }

    fn settle(&mut self) -> Result<(), DeviceError> {
        match self.settle_cluster() {
            true => Ok(()),
            false => Err(DeviceError::Cluster),
        }
    }

    fn run(&mut self, start: u32, memory: HostMemory<'_>) -> Result<Counted, DeviceError> {
        let beside = (memory, Pace::Latency(LATENCY));
        let counters = self.run_beside(start, LIMIT_CYCLES, beside, |_| {})?;
        let cluster = self.cluster_counts();
        let cluster = cluster.map_or(Vec::new(), |counts| counts.all().to_vec());
        Ok(Counted {
            start,
            counters: counters.iter().collect(),
            cluster: cluster.into_iter().enumerate().collect(),
        })
    }
}
