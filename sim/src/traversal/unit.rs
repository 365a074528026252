//! The stand-alone unit as seen by its instruction words: what each word does, and which one it
//! refuses.
//!
//! Written from `docs/traversal.md`; shares nothing with the decoder of `heddle_arch` but the names
//! of the errors.

mod words;

use std::collections::VecDeque;

use heddle_arch::traverse::{Run, UnitError, UnitShape};

use super::unit_walk::{UnitElement, UnitRow, UnitWalk};
use words::{SET_END, SET_INITIAL, SET_STEP};

/// Why and where the unit stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stop {
    /// The error.
    pub error: UnitError,
    /// Position of the word in its instruction; 0 for an address outside the window.
    pub position: usize,
}

/// What became of a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Taken {
    /// The instruction goes on.
    More,
    /// It was the last word of a set-up instruction.
    Loaded,
    /// It was the last word of an instruction that starts a traversal.
    Started,
    /// The unit refuses it, or had stopped before.
    Stopped(Stop),
}

/// Everything that instructions did: addresses, and the error if they ended in one.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Execution {
    /// Elements of all traversals.
    pub elements: Vec<UnitElement>,
    /// Why the unit stopped.
    pub stop: Option<Stop>,
}

/// Registers of one row, as a dump shows them.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct RowRegisters {
    /// The row belongs to the record.
    pub valid: bool,
    /// Base address.
    pub base: u64,
    /// V of the N loops, innermost first.
    pub initial: Vec<u64>,
    /// X.
    pub step: Vec<u64>,
    /// Y.
    pub end: Vec<u64>,
    /// Z.
    pub offset: Vec<u64>,
}

/// The unit. Words and addresses are taken in any interleaving; traversals queue up.
#[derive(Debug, Clone)]
pub struct UnitModel {
    shape: UnitShape,
    stop: Option<Stop>,
    setup: Setup,
    /// The record, in its order.
    rows: Vec<UnitRow>,
    walks: VecDeque<UnitWalk>,
    word: Expected,
    position: usize,
    head: Head,
    block: Block,
}

/// How far the registers are loaded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Setup {
    Nothing,
    Initial,
    Step,
    Complete,
}

/// What the next word is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Expected {
    Head,
    WindowStart,
    WindowEnd,
    RowWord,
    Base,
    Value(usize),
}

/// Instruction under way.
#[derive(Debug, Clone, Copy, Default)]
struct Head {
    opcode: u32,
    length: usize,
    run: Run,
    /// Rows that had a block, one bit each.
    seen: u32,
}

/// Row block under way.
#[derive(Debug, Clone, Copy, Default)]
struct Block {
    /// In the record.
    index: usize,
    /// Loop values still to come after the base.
    values: usize,
}

impl UnitModel {
    /// Addresses that [`UnitModel::execute`] collects at most.
    pub const ELEMENTS_MAX: usize = 1 << 20;

    /// A unit after reset.
    pub fn new(shape: UnitShape) -> UnitModel {
        UnitModel {
            shape,
            stop: None,
            setup: Setup::Nothing,
            rows: Vec::new(),
            walks: VecDeque::new(),
            word: Expected::Head,
            position: 0,
            head: Head::default(),
            block: Block::default(),
        }
    }

    /// What `clear_i` does: forgets everything, traversals and errors included.
    pub fn clear(&mut self) {
        *self = UnitModel::new(self.shape);
    }

    /// Why the unit has stopped.
    pub fn stop(&self) -> Option<Stop> {
        self.stop
    }

    /// Takes the next instruction word.
    pub fn take(&mut self, word: u32) -> Taken {
        if let Some(stop) = self.stop {
            return Taken::Stopped(stop);
        }
        if let Err(error) = self.accept(word) {
            let stop = Stop {
                error,
                position: self.position,
            };
            self.stop = Some(stop);
            return Taken::Stopped(stop);
        }
        self.position += 1;
        if self.position < self.head.length {
            return Taken::More;
        }
        self.position = 0;
        self.word = Expected::Head;
        self.finish()
    }

    /// The next address of the traversals started so far; `None` when they are over.
    pub fn next_element(&mut self) -> Option<UnitElement> {
        while let Some(walk) = self.walks.front_mut() {
            if let Some(element) = walk.next() {
                return Some(element);
            }
            if walk.outside() {
                self.walks.clear();
                self.stop.get_or_insert(Stop {
                    error: UnitError::Address,
                    position: 0,
                });
            } else {
                self.walks.pop_front();
            }
        }
        None
    }

    /// Takes words, and all addresses of a traversal before the words behind it. Gives up after
    /// [`UnitModel::ELEMENTS_MAX`] addresses.
    pub fn execute(&mut self, words: &[u32]) -> Execution {
        let mut elements = Vec::new();
        for word in words {
            match self.take(*word) {
                Taken::Stopped(_) => break,
                Taken::Started => {
                    let left = Self::ELEMENTS_MAX - elements.len();
                    elements.extend(std::iter::from_fn(|| self.next_element()).take(left));
                }
                Taken::More | Taken::Loaded => {}
            }
        }
        Execution {
            elements,
            stop: self.stop,
        }
    }

    /// Registers of the rows 0 to M - 1: those of the traversal under way, else those that are
    /// loaded. Offsets are the ones that the next address takes, V where none is due.
    pub fn registers(&self) -> Vec<RowRegisters> {
        let loops = self.shape.loops as usize;
        let mut dump = vec![
            RowRegisters {
                initial: vec![0; loops],
                step: vec![0; loops],
                end: vec![0; loops],
                offset: vec![0; loops],
                ..RowRegisters::default()
            };
            self.shape.rows as usize
        ];
        let walk = self.walks.front();
        let rows = walk.map_or(&self.rows[..], UnitWalk::rows);
        for (index, row) in rows.iter().enumerate() {
            let initial: Vec<u64> = row.loops.iter().map(|l| l.initial).collect();
            dump[row.number] = RowRegisters {
                valid: true,
                base: row.base,
                step: row.loops.iter().map(|l| l.step).collect(),
                end: row.loops.iter().map(|l| l.end.unwrap_or(0)).collect(),
                offset: walk.map_or(&initial, |w| &w.offsets()[index]).clone(),
                initial,
            };
        }
        dump
    }

    /// What the last word of an instruction does.
    fn finish(&mut self) -> Taken {
        match self.head.opcode {
            SET_INITIAL => self.setup = Setup::Initial,
            SET_STEP => self.setup = Setup::Step,
            SET_END => self.setup = Setup::Complete,
            _ => {
                self.setup = Setup::Complete;
                let (w, a) = (self.shape.offset_bits, self.shape.address_bits);
                let walk = UnitWalk::new(self.rows.clone(), self.head.run, w, a);
                self.walks.push_back(walk);
                return Taken::Started;
            }
        }
        Taken::Loaded
    }
}
