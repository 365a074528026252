//! LOAD and STORE of a program: words between the machine and the host's memory.
//!
//! A command does all that it does at its START, in the order of the program. So does the hardware as far as a program keeps
//! the rules of `docs/isa.md`: `order` judges whether it does, without looking at clocks. A [`Pace`] says when a command ends, for those who wait.

mod footprint;
mod order;
mod turns;

use std::collections::VecDeque;

use heddle_arch::isa::{Instruction, SystemError};
use heddle_arch::job::REGIONS;
use heddle_arch::params::Params;
use heddle_arch::transfer::{Space, Transfer};

use super::Machine;
use super::datapath::Datapath;
use super::sequencer::{Idle, Issue};
use super::timing::Trap;
use order::Orders;

pub use order::Disorder;
pub(crate) use turns::{Turn, turns};

/// Clocks from START of a LOAD or STORE to its first request.
const FIRST: u64 = 6;

/// The memory that programs load from and store to.
#[derive(Debug, Default)]
pub struct HostMemory<'a> {
    /// Its bytes from address 0 on.
    pub bytes: &'a mut [u8],
    /// Addresses of the regions.
    pub regions: [Option<u64>; REGIONS],
}

/// When the loads and stores of a program end.
#[derive(Debug, Clone)]
pub enum Pace {
    /// A word in each clock, from so many clocks behind the first request of a command on; commands of a kind one after the other.
    Latency(u64),
    /// Clocks of the run in which the commands have ended, in the order of the program.
    Told(VecDeque<u64>),
}

/// The commands of a program.
#[derive(Debug)]
pub(crate) struct Transfers<'a> {
    host: HostMemory<'a>,
    pace: Pace,
    /// Loads and stores that fit between ISSUE and the bus.
    room: usize,
    /// Clocks in which loads and stores that are open end.
    ends: [VecDeque<u64>; 2],
    orders: Orders,
}

impl<'a> Transfers<'a> {
    pub fn new(params: &Params, host: HostMemory<'a>, pace: Pace) -> Self {
        Self {
            host,
            pace,
            // One is under way.
            room: params.dma().map_or(0, |dma| dma.queue as usize + 1),
            ends: Default::default(),
            orders: Orders::new(params),
        }
    }

    /// What the sequencer sees of them in a clock.
    pub fn look(&mut self, now: u64, idle: &mut Idle) {
        for ends in &mut self.ends {
            while ends.front().is_some_and(|end| *end <= now) {
                ends.pop_front();
            }
        }
        idle.open = self.ends.each_ref().map(VecDeque::len);
        idle.takes_move = idle.open.map(|open| open < self.room);
    }

    /// The header at this word is there.
    pub fn fetches(&self, pc: u32) -> Result<(), Trap> {
        self.orders.is_read(pc..pc + 1)
    }

    /// What the sequencer has done in a clock.
    pub fn follow(
        &mut self,
        (now, issue, pc): (u64, &Issue, u32),
        program: &mut [u32],
        data: &mut Datapath,
    ) -> Result<(), Trap> {
        self.orders.follow(issue, pc, program, data)?;
        let Issue::Start(Instruction::Load(moved) | Instruction::Store(moved)) = issue else {
            return Ok(());
        };
        let transfer = &moved.transfer;
        let stores = matches!(issue, Issue::Start(Instruction::Store(_)));
        let trap = |(code, message)| Trap::Transfer { pc, code, message };
        let base = self.base(transfer).map_err(trap)?;
        self.orders.moves((pc, stores), (transfer, base), data)?;
        let done = self.carry_out(stores, transfer, base, program, data);
        done.map_err(trap)?;
        let end = self.end(now, stores, transfer);
        self.ends[usize::from(stores)].push_back(end);
        Ok(())
    }

    fn end(&mut self, now: u64, stores: bool, transfer: &Transfer) -> u64 {
        match &mut self.pace {
            Pace::Told(ends) => ends.pop_front().unwrap_or(u64::MAX),
            Pace::Latency(latency) => {
                let free = self.ends[usize::from(stores)].back().copied();
                let first = free.unwrap_or(0).max(now + FIRST);
                let latency = if transfer.fill { 0 } else { *latency };
                let clocks = match transfer.space {
                    Space::Columns | Space::Program => 2,
                    _ => 1,
                };
                first + latency + clocks * transfer.places()
            }
        }
    }

    fn carry_out(
        &mut self,
        stores: bool,
        transfer: &Transfer,
        base: u64,
        program: &mut [u32],
        data: &mut Datapath,
    ) -> Result<(), (SystemError, String)> {
        for turn in turns(transfer) {
            let address = base + turn.offset;
            if stores {
                let word = data
                    .memory
                    .peek(turn.partition as usize, turn.place as usize);
                let word = word.map(|byte| byte.wrapping_add(transfer.zero));
                self.word(address)?.copy_from_slice(&word);
                continue;
            }
            let words = match transfer.space {
                _ if transfer.fill => [0; 2],
                Space::Columns => [self.read(address)?, self.read(address + 8)?],
                _ => [self.read(address)?, 0],
            };
            write(transfer, turn, words, program, data);
        }
        Ok(())
    }

    fn base(&self, transfer: &Transfer) -> Result<u64, (SystemError, String)> {
        if transfer.fill {
            return Ok(0);
        }
        let region = transfer.region;
        let base = self.host.regions[region as usize];
        base.ok_or_else(|| (SystemError::Window, format!("region {region} is not set")))
    }

    fn read(&mut self, address: u64) -> Result<u64, (SystemError, String)> {
        let bytes = self.word(address)?;
        Ok(u64::from_le_bytes(
            (&*bytes).try_into().expect("eight bytes"),
        ))
    }

    fn word(&mut self, address: u64) -> Result<&mut [u8], (SystemError, String)> {
        let at = address as usize;
        let word = self.host.bytes.get_mut(at..at.saturating_add(8));
        word.ok_or_else(|| {
            let message = format!("address {address:#x} lies beyond the host's memory");
            (SystemError::Window, message)
        })
    }
}

/// A place of a LOAD, which exists.
fn write(
    transfer: &Transfer,
    turn: Turn,
    [word, second]: [u64; 2],
    program: &mut [u32],
    data: &mut Datapath,
) {
    let [place, partition] = [turn.place, turn.partition].map(|number| number as usize);
    match transfer.space {
        Space::Buffer => {
            let bytes = word.to_le_bytes();
            let stored = bytes.map(|byte| byte.wrapping_sub(transfer.zero));
            data.memory.poke(partition, place, stored);
        }
        Space::Columns => {
            data.set_bias(partition, place, word as u32 as i32);
            data.set_scale(partition, place, second);
        }
        Space::Rows => {
            let offset = Machine::row_offset(word);
            data.memory.set_offset(partition, place, offset);
        }
        Space::Tables => data.set_activation(place / 256, (place % 256) as u8, word as u8),
        Space::Program => {
            program[2 * place] = word as u32;
            program[2 * place + 1] = (word >> 32) as u32;
        }
        Space::Weights | Space::Commands => unreachable!("a program does not load them"),
    }
}
