//! What the units are between two clock edges: instructions in progress.

use std::rc::Rc;

use heddle_arch::isa::{ErrorCode, Record, SystemError};
use heddle_arch::params::Params;

use super::super::transfers::Disorder;
use super::super::walk::{Step, Walk};

/// Streamed words whose addresses are looked at; only a loop that does not end has more.
pub(super) const MOST_WORDS: usize = 1 << 20;

/// A program that stops the machine or that the model refuses to judge.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Trap {
    /// An error of the instruction set.
    Error {
        code: ErrorCode,
        pc: u32,
        message: String,
    },
    /// Operand and weight slot read the same bank in the same cycle.
    BankConflict { pc: u32, bank: u32 },
    /// A LOAD or STORE that the DMA refuses.
    Transfer {
        pc: u32,
        code: SystemError,
        message: String,
    },
    /// A LOAD or STORE meets an instruction that it is not ordered against.
    Order(Box<Disorder>),
}

/// A traversal with a unit around it.
#[derive(Debug, Clone, Default)]
pub(super) struct UnitClock {
    pub(super) walk: Option<Walk>,
    pub(super) valid_from: u64,
    /// Program word of the last instruction that ISSUE let pass to this unit.
    pub(super) pc: u32,
}

impl UnitClock {
    pub(super) fn start(&mut self, record: &Record, params: &Params, valid_from: u64) {
        self.walk = Walk::start(record, params);
        self.valid_from = valid_from;
    }

    pub(super) fn busy(&self) -> bool {
        self.walk.is_some()
    }

    pub(super) fn valid(&self, now: u64) -> Option<Step> {
        let walk = self.walk.as_ref().filter(|_| now >= self.valid_from)?;
        Some(walk.step())
    }

    pub(super) fn accept(&mut self) {
        if let Some(walk) = &mut self.walk {
            if !walk.advance() {
                self.walk = None;
            }
        }
    }

    pub(super) fn check_address(
        &self,
        address: u32,
        limit: u32,
        name: &str,
    ) -> Result<usize, Trap> {
        if address < limit {
            return Ok(address as usize);
        }
        Err(Trap::Error {
            code: ErrorCode::Address,
            pc: self.pc,
            message: format!("{name} is {address}, expected at most {}", limit - 1),
        })
    }
}

/// Fields of the MATMUL in progress and its place in the K tiles.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Stream {
    pub(super) rows: usize,
    pub(super) first: bool,
    pub(super) last: bool,
    pub(super) bank: usize,
    pub(super) raised: bool,
    /// Operands go to the sparse cluster.
    pub(super) cluster: bool,
    pub(super) level: u8,
    pub(super) threshold: u8,
    pub(super) macs: u32,
    /// Multiply-accumulates of a vector of the last K tile.
    pub(super) last_macs: u32,
    /// Entry of the offset tables for the K tile in progress, if they are used.
    pub(super) entry: Option<u32>,
    /// Entry with which each column tile begins.
    pub(super) first_entry: u32,
    pub(super) fresh: bool,
    pub(super) first_tile: bool,
    pub(super) tile_begins: bool,
    pub(super) vector: u32,
}

/// Fields of the LOAD_WEIGHTS in progress.
#[derive(Debug, Clone, Default)]
pub(super) struct Loading {
    pub(super) rows: usize,
    pub(super) level: u8,
    /// Bits of a byte address that are inverted.
    pub(super) flip: u32,
    /// If the words are streamed, the addresses of all of them.
    pub(super) streamed: Option<Rc<[usize]>>,
    /// Words taken so far.
    pub(super) taken: usize,
    /// A word was taken in the cycle before, and whether it ended a tile.
    pub(super) before: Option<bool>,
    /// Place of the first word of the tile that is ready.
    pub(super) ready: usize,
}
