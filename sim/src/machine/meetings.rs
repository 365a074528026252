//! Reads of a word in the clock in which it is written. Without a bypass what is read then is undefined.
//!
//! Addresses travel from partition to partition, one in each clock: a word that is written to partition p meets
//! what the units accepted p clocks before those that it would meet in partition 0. The program is not looked
//! at: nothing that runs writes to its banks.

use std::collections::VecDeque;
use std::fmt;

use heddle_arch::Clocks;
use heddle_arch::params::Params;
use heddle_arch::word::WORD_BYTES;

use super::memory::{OwnAddress, StateMemory};
use super::{CopiedWord, DrainedWord};

/// What reads or writes a word of the state buffer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Client {
    /// Operands of a MATMUL.
    Operands,
    /// Words of a LOAD_WEIGHTS.
    Weights,
    /// A COPY, which reads and writes.
    Copy,
    /// Results of a DRAIN.
    Drain,
    /// A command of the sparse cluster.
    Cluster,
    /// A LOAD.
    Load,
    /// A STORE.
    Store,
    /// The sequencer, which reads an instruction.
    Program,
}

impl Client {
    /// Name of the instruction.
    #[must_use]
    pub fn instruction(self) -> &'static str {
        match self {
            Client::Operands => "MATMUL",
            Client::Weights => "LOAD_WEIGHTS",
            Client::Copy => "COPY",
            Client::Drain => "DRAIN",
            Client::Cluster => "command of the cluster",
            Client::Load => "LOAD",
            Client::Store => "STORE",
            Client::Program => "the instruction",
        }
    }
}

/// An access of a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Access {
    /// Who.
    pub client: Client,
    /// Word address of its instruction.
    pub pc: u32,
}

impl fmt::Display for Access {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} at program word {}",
            self.client.instruction(),
            self.pc
        )
    }
}

/// A read of a word in the clock in which it is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Meeting {
    /// Cycle of the run.
    pub cycle: u64,
    /// Partition of the state buffer.
    pub partition: u32,
    /// Bank of the partition.
    pub bank: u32,
    /// Word of the partition.
    pub word: u32,
    /// Who reads.
    pub reader: Access,
    /// Who writes.
    pub writer: Access,
}

impl fmt::Display for Meeting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Meeting {
            cycle,
            partition,
            bank,
            word,
            reader,
            writer,
        } = self;
        write!(
            f,
            "cycle {cycle}: {reader} reads word {word} of partition {partition}, in bank {bank}, while {writer} \
             writes it"
        )
    }
}

/// A slot on its way through the partitions.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ReadSlot {
    pub access: Access,
    /// Byte address, before the rows add their offsets.
    pub address: usize,
    /// Entry of the offset tables, if they are used.
    pub entry: Option<usize>,
    /// Partitions that read.
    pub rows: usize,
}

/// A word that reaches its partition.
#[derive(Debug, Clone, Copy)]
struct Arrival {
    access: Access,
    partition: usize,
    word: usize,
}

/// What travels towards the words of the partitions.
#[derive(Debug, Clone)]
pub(crate) struct Meetings {
    now: u64,
    clocks: Clocks,
    bank_words: usize,
    /// What was accepted in this cycle and the ones before: operands, and weights or words to be copied.
    slots: VecDeque<[Option<ReadSlot>; 2]>,
    /// Words that are written in this cycle and the ones to come.
    arrivals: VecDeque<Vec<Arrival>>,
}

impl Meetings {
    /// None for a machine whose banks have a bypass.
    pub fn of(params: &Params) -> Option<Self> {
        if params.state_buffer.bypass {
            return None;
        }
        let clocks = Clocks::of(params);
        let rows = params.array.rows as usize;
        let far = clocks.read + clocks.copy + u64::from(params.array.rows);
        let far = far.max(clocks.word + u64::from(params.array.cols) + 1);
        Some(Self {
            now: 0,
            bank_words: params.state_buffer.words_per_bank as usize,
            slots: vec![[None; 2]; rows + clocks.read as usize].into(),
            arrivals: vec![Vec::new(); far as usize + 1].into(),
            clocks,
        })
    }

    /// A unit accepts an address in this cycle.
    pub fn accept(&mut self, slot: ReadSlot) {
        let unit = usize::from(slot.access.client != Client::Operands);
        self.slots[0][unit] = Some(slot);
    }

    /// A word leaves its column in this cycle.
    pub fn drained(&mut self, word: &DrainedWord, pc: u32) {
        let clocks = self.clocks.word + u64::from(word.column) + u64::from(word.flushed);
        self.arrive(clocks, Client::Drain, pc, [word.partition, word.word]);
    }

    /// The address of a word to be copied is accepted in this cycle.
    pub fn copied(&mut self, word: &CopiedWord, pc: u32) {
        let clocks = self.clocks.read + self.clocks.copy + u64::from(word.partition);
        self.arrive(clocks, Client::Copy, pc, [word.partition, word.word]);
    }

    fn arrive(&mut self, clocks: u64, client: Client, pc: u32, place: [u32; 2]) {
        let [partition, word] = place.map(|n| n as usize);
        self.arrivals[clocks as usize].push(Arrival {
            access: Access { client, pc },
            partition,
            word,
        });
    }

    /// One clock cycle: a meeting in it, if there is one.
    pub fn cycle(&mut self, memory: &StateMemory) -> Option<Meeting> {
        let mut arrivals = self.arrivals.pop_front().expect("there is a cycle to come");
        let met = arrivals
            .iter()
            .find_map(|arrival| self.met(arrival, memory));
        arrivals.clear();
        self.arrivals.push_back(arrivals);
        self.slots.pop_back();
        self.slots.push_front([None; 2]);
        self.now += 1;
        met
    }

    /// What is on its way when the program has stopped arrives all the same.
    pub fn finish(&mut self, memory: &StateMemory) -> Option<Meeting> {
        (0..self.arrivals.len()).find_map(|_| self.cycle(memory))
    }

    fn met(&self, arrival: &Arrival, memory: &StateMemory) -> Option<Meeting> {
        let &Arrival {
            access: writer,
            partition,
            word,
        } = arrival;
        let slots = &self.slots[self.clocks.read as usize + partition];
        let reads = |slot: &&ReadSlot| {
            let own = memory.own_address(partition, slot.address, slot.entry);
            let at = OwnAddress::At(slot.address);
            let own = if slot.access.client == Client::Operands {
                own
            } else {
                at
            };
            matches!(own, OwnAddress::At(byte) if byte / WORD_BYTES as usize == word)
        };
        let passing = slots.iter().flatten().filter(|slot| slot.rows > partition);
        let slot = passing.into_iter().find(reads)?;
        Some(Meeting {
            cycle: self.now,
            partition: partition as u32,
            bank: (word / self.bank_words) as u32,
            word: word as u32,
            reader: slot.access,
            writer,
        })
    }
}
