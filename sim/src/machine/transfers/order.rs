//! Judges whether a program keeps the order rules of LOAD and STORE in `docs/isa.md`: by what it waits for, not by clocks.

use std::fmt;
use std::ops::Range;

use heddle_arch::isa::fields::header;
use heddle_arch::isa::sparse::OP_DRAIN as OP_SPARSE_DRAIN;
use heddle_arch::isa::{Instruction, OP_COPY, OP_DRAIN, OP_HALT, SystemError};
use heddle_arch::params::Params;
use heddle_arch::transfer::{Space, Transfer};

use super::super::datapath::Datapath;
use super::super::meetings::{Access, Client};
use super::super::sequencer::{Issue, most_open};
use super::super::timing::Trap;
use super::footprint::{Footprint, Meets, shared};

/// Two instructions that meet although neither waits for the other.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Disorder {
    /// The one that begins first.
    pub first: Access,
    /// The one that should wait.
    pub second: Access,
    /// Where they meet.
    pub place: String,
}

impl fmt::Display for Disorder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Disorder {
            first,
            second,
            place,
        } = self;
        write!(
            f,
            "{second} does not wait for {first}: they meet in {place}"
        )
    }
}

/// An instruction that may still read or write.
#[derive(Debug, Clone)]
struct Under {
    access: Access,
    instruction: Instruction,
    /// Once it is known.
    footprint: Option<Footprint>,
}

/// A LOAD or STORE that nothing has waited for.
#[derive(Debug, Clone)]
struct Open {
    access: Access,
    footprint: Footprint,
}

/// Weight, stream and drain unit, sparse cluster.
const UNITS: usize = 4;

/// What has begun and may not have ended.
#[derive(Debug, Clone)]
pub(super) struct Orders {
    params: Params,
    under: [Option<Under>; UNITS],
    open: [Vec<Open>; 2],
    /// Program words that were read before a LOAD of them has ended, and the LOAD.
    stale: Vec<(u32, Access)>,
}

impl Orders {
    pub fn new(params: &Params) -> Self {
        Self {
            params: params.clone(),
            under: Default::default(),
            open: Default::default(),
            stale: Vec::new(),
        }
    }

    /// What the sequencer has done with the instruction at this word.
    pub fn follow(
        &mut self,
        issue: &Issue,
        pc: u32,
        program: &[u32],
        data: &Datapath,
    ) -> Result<(), Trap> {
        match issue {
            Issue::Begin(..) | Issue::Synchronised | Issue::Halted => {
                self.waited(program[pc as usize], pc)
            }
            Issue::Start(instruction) => self.start(instruction, pc, data),
            _ => Ok(()),
        }
    }

    /// An instruction has left ISSUE: what it waited for has ended.
    fn waited(&mut self, word: u32, pc: u32) -> Result<(), Trap> {
        let length = header::LENGTH.get(word).max(1);
        self.is_read(pc..pc + length)?;
        let opcode = header::OPCODE.get(word);
        let halts = opcode == OP_HALT;
        let flags = [
            header::WAIT_WEIGHTS,
            header::WAIT_STREAM,
            header::WAIT_DRAIN,
        ];
        let [mut weights, stream, drain] = flags.map(|flag| flag.is_set(word) || halts);
        let copies = |under: &Under| under.access.client == Client::Copy;
        weights |= opcode == OP_DRAIN && self.under[0].as_ref().is_some_and(copies);
        let drain = drain || opcode == OP_COPY;
        for (unit, done) in [weights, stream, drain].into_iter().enumerate() {
            if done && self.under[unit].take().is_some() && unit == 2 {
                // Its sums have come.
                self.under[3] = None;
            }
        }
        for (open, most) in self.open.iter_mut().zip(most_open(word)) {
            let ended = open.len().saturating_sub(most.unwrap_or(open.len()));
            for ended in open.drain(..ended) {
                // The two words behind this instruction have been read.
                let read = [0, 1].map(|ahead| pc + length + ahead);
                let is_loaded = |word: &u32| ended.footprint.writes.has(Space::Program, word / 2);
                let stale = read.into_iter().filter(is_loaded);
                self.stale.extend(stale.map(|word| (word, ended.access)));
            }
        }
        Ok(())
    }

    /// Words of an instruction are read.
    pub fn is_read(&self, words: Range<u32>) -> Result<(), Trap> {
        let second = Access {
            client: Client::Program,
            pc: words.start,
        };
        for word in words {
            let writes = |open: &&Open| open.footprint.writes.has(Space::Program, word / 2);
            let open = self.open[0].iter().find(writes).map(|open| open.access);
            let stale = self.stale.iter().find(|(stale, _)| *stale == word);
            if let Some(first) = open.or(stale.map(|(_, access)| *access)) {
                return Err(disorder(first, second, format!("program word {word}")));
            }
        }
        Ok(())
    }

    fn start(&mut self, instruction: &Instruction, pc: u32, data: &Datapath) -> Result<(), Trap> {
        let (unit, client) = match instruction {
            Instruction::LoadWeights(_) => (0, Client::Weights),
            Instruction::Copy(_) => (0, Client::Copy),
            Instruction::Matmul(_) => (1, Client::Operands),
            Instruction::Drain(_) => (2, Client::Drain),
            Instruction::Sparse(_) if instruction.opcode() == OP_SPARSE_DRAIN => {
                (3, Client::Cluster)
            }
            _ => return Ok(()),
        };
        let access = Access { client, pc };
        let mut footprint = None;
        if self.open.iter().any(|open| !open.is_empty()) {
            let own = Footprint::of(instruction, &self.params, data);
            for open in self.open.iter().flatten() {
                meet(open.access, &open.footprint, access, &own)?;
            }
            footprint = Some(own);
        }
        self.under[unit] = Some(Under {
            access,
            instruction: instruction.clone(),
            footprint,
        });
        Ok(())
    }

    /// A LOAD or STORE begins.
    pub fn moves(
        &mut self,
        (pc, stores): (u32, bool),
        (transfer, base): (&Transfer, u64),
        data: &Datapath,
    ) -> Result<(), Trap> {
        let own = Footprint::of_move(transfer, stores, base, &self.params);
        let trap = |(code, message): (SystemError, String)| Trap::Transfer { pc, code, message };
        let own = own.map_err(trap)?;
        let client = if stores { Client::Store } else { Client::Load };
        let access = Access { client, pc };
        for under in self.under.iter_mut().flatten() {
            let footprint = under
                .footprint
                .get_or_insert_with(|| Footprint::of(&under.instruction, &self.params, data));
            meet(under.access, footprint, access, &own)?;
        }
        for other in &self.open[usize::from(!stores)] {
            meet(other.access, &other.footprint, access, &own)?;
            if let Some(address) = shared(&other.footprint.host, &own.host) {
                let place = format!("address {address:#x} of the host's memory");
                return Err(disorder(other.access, access, place));
            }
        }
        // The two words behind it have been read.
        let behind = pc + 9;
        let is_written = |word: &u32| own.writes.has(Space::Program, word / 2);
        let written = (behind..behind + 2).find(is_written);
        if let (false, Some(word)) = (stores, written) {
            let second = Access {
                client: Client::Program,
                pc: behind,
            };
            return Err(disorder(access, second, format!("program word {word}")));
        }
        self.open[usize::from(stores)].push(Open {
            access,
            footprint: own,
        });
        Ok(())
    }
}

/// Two instructions, of which one writes what the other reads or writes.
fn meet(first: Access, one: &Footprint, second: Access, other: &Footprint) -> Result<(), Trap> {
    let met = one.writes.meeting(&other.reads);
    let met = met.or_else(|| one.writes.meeting(&other.writes));
    let met = met.or_else(|| one.reads.meeting(&other.writes));
    let Some(Meets {
        space,
        partition,
        place,
    }) = met
    else {
        return Ok(());
    };
    let place = match space {
        Space::Buffer => format!("word {place} of partition {partition}"),
        Space::Columns => format!("column tile {place} of column {partition}"),
        Space::Rows => format!("entry {place} of the table of row {partition}"),
        Space::Tables => format!("entry {place} of the activation tables"),
        _ => format!("pair {place} of program words"),
    };
    Err(disorder(first, second, place))
}

fn disorder(first: Access, second: Access, place: String) -> Trap {
    Trap::Order(Box::new(Disorder {
        first,
        second,
        place,
    }))
}
