//! Words between the memory of the host and the memories of the machine.

use heddle_arch::transfer::{Space, Transfer};

use super::{Device, Runner, RunnerError, Target};
use crate::machine::{Turn, turns};

/// A number that the machine must have.
fn below(what: &'static str, found: u32, expected: u32) -> Result<(), RunnerError> {
    match found < expected {
        true => Ok(()),
        false => Err(RunnerError::Beyond {
            what,
            found,
            expected,
        }),
    }
}

/// What a run finds where a LOAD beside it writes.
const SPOILT: u64 = 0xa93c_57e1_86d2_4bf5;

impl<D: Device> Runner<D> {
    fn word(&self, address: u64) -> Result<u64, RunnerError> {
        let at = address as usize;
        let bytes = self.memory.get(at..at + 8);
        let bytes = bytes.ok_or(RunnerError::Memory(address))?;
        Ok(u64::from_le_bytes(bytes.try_into().expect("eight bytes")))
    }

    pub(super) fn load(&mut self, transfer: &Transfer, base: u64) -> Result<(), RunnerError> {
        self.machine.set_zero(transfer.zero as i8)?;
        for turn in turns(transfer) {
            let address = base + turn.offset;
            let word = match transfer.fill {
                true => 0,
                false => self.word(address)?,
            };
            let target = self.target(transfer.space, turn)?;
            self.machine.write(target, word)?;
            if let Target::Bias { column, tile } = target {
                let scale = self.word(address + 8)?;
                self.machine.write(Target::Scale { column, tile }, scale)?;
            }
        }
        Ok(())
    }

    /// Writes words that are none of those of a LOAD in its places.
    pub(super) fn spoil(&mut self, transfer: &Transfer) -> Result<(), RunnerError> {
        self.machine.set_zero(0)?;
        for turn in turns(transfer) {
            let target = self.target(transfer.space, turn)?;
            self.machine.write(target, SPOILT)?;
            if let Target::Bias { column, tile } = target {
                let target = Target::Scale { column, tile };
                self.machine.write(target, SPOILT)?;
            }
        }
        Ok(())
    }

    /// Whether a run has left words of the state buffer alone.
    pub(super) fn is_spoilt(&mut self, transfer: &Transfer, start: u32) -> Result<(), RunnerError> {
        if transfer.space != Space::Buffer {
            return Ok(());
        }
        let places: Vec<_> = turns(transfer)
            .map(|turn| (turn.partition, turn.place))
            .collect();
        self.machine.set_zero(0)?;
        let words = self.machine.read(&places)?;
        let wrong = places.iter().zip(words).find(|(_, word)| *word != SPOILT);
        match wrong {
            Some((&(partition, word), _)) => Err(RunnerError::Beside {
                start,
                partition,
                word,
            }),
            None => Ok(()),
        }
    }

    /// Where a word of a space goes, which the machine must have.
    fn target(&self, space: Space, turn: Turn) -> Result<Target, RunnerError> {
        let params = &self.params;
        let Turn {
            place, partition, ..
        } = turn;
        Ok(match space {
            Space::Buffer => self.buffer_word(turn)?,
            Space::Columns => {
                below("column", partition, params.array.cols)?;
                below("column tile", place, params.column_tiles)?;
                Target::Bias {
                    column: partition,
                    tile: place,
                }
            }
            Space::Rows => {
                let entries = params.state_buffer.row_offsets;
                below("row", partition, params.array.rows)?;
                below("entry of a row table", place, entries)?;
                Target::Row {
                    row: partition,
                    entry: place,
                }
            }
            Space::Tables => {
                let entries = 256 * params.post.activations;
                below("entry of activation tables", place, entries)?;
                Target::Table {
                    table: place / 256,
                    byte: (place % 256) as u8,
                }
            }
            Space::Program => {
                below("pair of program words", place, params.program.words / 2)?;
                Target::Program { first: 2 * place }
            }
            Space::Weights => Target::Weights,
            Space::Commands => Target::Command,
        })
    }

    fn buffer_word(&self, turn: Turn) -> Result<Target, RunnerError> {
        below("partition", turn.partition, self.params.array.rows)?;
        let words = self.params.partition_words();
        below("word of a partition", turn.place, words)?;
        Ok(Target::Buffer {
            partition: turn.partition,
            word: turn.place,
        })
    }

    pub(super) fn store(&mut self, transfer: &Transfer, base: u64) -> Result<(), RunnerError> {
        let all: Vec<Turn> = turns(transfer).collect();
        for turn in &all {
            self.buffer_word(*turn)?;
        }
        let places = all.iter().map(|turn| (turn.partition, turn.place));
        self.machine.set_zero(transfer.zero as i8)?;
        let words = self.machine.read(&places.collect::<Vec<_>>())?;
        for (turn, word) in all.iter().zip(words) {
            let address = base + turn.offset;
            let at = address as usize;
            let target = self.memory.get_mut(at..at + 8);
            let target = target.ok_or(RunnerError::Memory(address))?;
            target.copy_from_slice(&word.to_le_bytes());
        }
        Ok(())
    }
}
