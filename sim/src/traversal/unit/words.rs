//! What one word says, and whether it may say that.

use heddle_arch::traverse::{EndTest, RowKind, Run, UnitError};

use super::{Expected, Head, Setup, UnitModel};
use crate::traversal::unit_walk::{UnitLoop, UnitRow};

const TRAVERSE: u32 = 8;
pub(super) const SET_INITIAL: u32 = 9;
pub(super) const SET_STEP: u32 = 10;
pub(super) const SET_END: u32 = 11;
const START: u32 = 12;

impl UnitModel {
    /// Checks the next word and does what it does.
    pub(super) fn accept(&mut self, word: u32) -> Result<(), UnitError> {
        match self.word {
            Expected::Head => self.accept_head(word),
            Expected::WindowStart => {
                self.address(word)?;
                self.head.run.window = Some((word, 0));
                self.word = Expected::WindowEnd;
                Ok(())
            }
            Expected::WindowEnd => self.accept_window_end(word),
            Expected::RowWord => self.accept_row_word(word),
            Expected::Base => {
                self.address(word)?;
                self.tensor_of_attached()?;
                self.rows[self.block.index].base = word.into();
                self.expect_value(0);
                Ok(())
            }
            Expected::Value(index) => self.accept_value(index, word),
        }
    }

    fn accept_head(&mut self, word: u32) -> Result<(), UnitError> {
        let (opcode, length) = (word % 256, (word / 256) % 256);
        let grouped = (SET_INITIAL..=SET_END).contains(&opcode);
        if !(TRAVERSE..=START).contains(&opcode) || (grouped && !self.shape.group_setup) {
            return Err(UnitError::IllegalOpcode);
        }
        let [offset_only, on_demand, window] = [24, 25, 26].map(|b| word & 1 << b != 0);
        let smallest = if window && !grouped { 3 } else { 1 };
        if length < smallest || (opcode == START && length > smallest) {
            return Err(UnitError::BadLength);
        }
        let flags = (u32::from(!grouped) * 7) << 24;
        if word & !(flags | 0xffff) != 0 {
            return Err(UnitError::BadField);
        }
        let nothing_to_walk = if opcode == START {
            self.setup == Setup::Nothing
        } else {
            length == smallest
        };
        if nothing_to_walk {
            return Err(UnitError::Empty);
        }
        let in_order = match opcode {
            SET_STEP => self.setup == Setup::Initial,
            SET_END => self.setup == Setup::Step,
            START => self.setup == Setup::Complete,
            _ => true,
        };
        if !in_order {
            return Err(UnitError::Order);
        }

        if opcode == TRAVERSE || opcode == SET_INITIAL {
            self.rows.clear();
            self.setup = Setup::Nothing;
        }
        self.head = Head {
            opcode,
            length: length as usize,
            run: Run {
                offset_only,
                on_demand,
                window: None,
            },
            seen: 0,
        };
        self.word = if window {
            Expected::WindowStart
        } else {
            Expected::RowWord
        };
        Ok(())
    }

    fn accept_window_end(&mut self, word: u32) -> Result<(), UnitError> {
        let space = 1_u64 << self.shape.address_bits;
        let end = match (word, self.shape.address_bits) {
            (0, 32) => space,
            _ => word.into(),
        };
        let first = self.head.run.window.map_or(0, |w| w.0);
        if end > space || end <= first.into() {
            return Err(UnitError::BadField);
        }
        self.head.run.window = Some((first, end));
        self.word = Expected::RowWord;
        Ok(())
    }

    fn accept_row_word(&mut self, word: u32) -> Result<(), UnitError> {
        let field = |low: u32, bits: u32| (word >> low) % (1 << bits);
        let (number, loops) = (field(0, 3), field(4, 4));
        let block_words = match self.head.opcode {
            TRAVERSE => 2 + 3 * loops,
            SET_INITIAL => 2 + loops,
            _ => 1 + loops,
        };
        if self.position + block_words as usize > self.head.length {
            return Err(UnitError::BadLength);
        }

        let creates = matches!(self.head.opcode, TRAVERSE | SET_INITIAL);
        let reserved = field(3, 1) + field(11, 1) + field(15, 1) + field(18, 14);
        let roles = field(8, 3) + field(12, 3) + field(16, 2);
        let twice = self.head.seen & 1 << number != 0;
        let wrong = reserved > 0
            || (!creates && roles > 0)
            || number >= self.shape.rows
            || loops > self.shape.loops
            || twice;
        if wrong {
            return Err(UnitError::BadField);
        }
        self.head.seen |= 1 << number;
        if creates {
            self.create_row(word)?;
            self.block.index = self.rows.len() - 1;
            self.word = Expected::Base;
        } else {
            let found = self.rows.iter().position(|r| r.number == number as usize);
            self.block.index = found.ok_or(UnitError::BadField)?;
        }
        self.block.values = match self.head.opcode {
            TRAVERSE => 3 * loops as usize,
            _ => loops as usize,
        };
        if !creates {
            self.expect_value(0);
        }
        Ok(())
    }

    /// Adds a row to the record, if its role is allowed there.
    fn create_row(&mut self, word: u32) -> Result<(), UnitError> {
        let kind = [RowKind::Tensor, RowKind::Prologue, RowKind::Epilogue];
        let kind = *kind
            .get(word as usize >> 8 & 3)
            .ok_or(UnitError::BadField)?;
        let test = match word >> 16 & 3 {
            0 => EndTest::AtLeast,
            1 if self.shape.equality => EndTest::Equal,
            2 if self.shape.trips => EndTest::Trips,
            _ => return Err(UnitError::BadField),
        };
        let column = word >> 12 & 7;
        let attach = match word >> 10 & 1 {
            0 if column == 0 => None,
            1 if self.shape.attach && kind != RowKind::Tensor && column < self.shape.loops => {
                Some(column as usize)
            }
            _ => return Err(UnitError::BadField),
        };
        self.rows.push(UnitRow {
            number: word as usize & 7,
            kind,
            attach,
            test,
            base: 0,
            loops: vec![UnitLoop::default(); self.shape.loops as usize],
        });

        let count = |kind| self.rows.iter().filter(|r| r.kind == kind).count();
        let (prologues, tensors) = (count(RowKind::Prologue), count(RowKind::Tensor));
        let in_order = self.rows.iter().enumerate().all(|(i, r)| match r.kind {
            RowKind::Prologue => i < prologues,
            RowKind::Tensor => (prologues..prologues + tensors).contains(&i),
            RowKind::Epilogue => i >= prologues + tensors,
        });
        let attached = self.rows.iter().any(|r| r.attach.is_some());
        if !in_order || (attached && tensors > 1) {
            return Err(UnitError::BadField);
        }
        Ok(())
    }

    fn accept_value(&mut self, index: usize, word: u32) -> Result<(), UnitError> {
        if u64::from(word) >> self.shape.offset_bits != 0 {
            return Err(UnitError::BadField);
        }
        self.tensor_of_attached()?;
        let row = &mut self.rows[self.block.index];
        let (column, group) = match self.head.opcode {
            TRAVERSE => (index / 3, index % 3),
            opcode => (index, (opcode - SET_INITIAL) as usize),
        };
        let registers = &mut row.loops[column];
        match group {
            0 => registers.initial = word.into(),
            1 => registers.step = word.into(),
            _ => {
                registers.end = Some(word.into());
                if !ends(row.test, *registers, self.shape.offset_bits) {
                    return Err(UnitError::Endless);
                }
            }
        }
        self.expect_value(index + 1);
        Ok(())
    }

    fn expect_value(&mut self, index: usize) {
        self.word = if index < self.block.values {
            Expected::Value(index)
        } else {
            Expected::RowWord
        };
    }

    fn address(&self, word: u32) -> Result<(), UnitError> {
        match u64::from(word) >> self.shape.address_bits {
            0 => Ok(()),
            _ => Err(UnitError::BadField),
        }
    }

    /// At the last word of a record: attached rows have a tensor.
    fn tensor_of_attached(&self) -> Result<(), UnitError> {
        let last = self.position + 1 == self.head.length;
        let attached = self.rows.iter().any(|r| r.attach.is_some());
        let tensor = self.rows.iter().any(|r| r.kind == RowKind::Tensor);
        if last && attached && !tensor {
            return Err(UnitError::Empty);
        }
        Ok(())
    }
}

/// Whether a loop ever reaches its end.
fn ends(test: EndTest, l: UnitLoop, offset_bits: u32) -> bool {
    let end = l.end.unwrap_or(0);
    match test {
        EndTest::AtLeast => l.step != 0 || l.initial >= end,
        EndTest::Equal => {
            let distance = (end.wrapping_sub(l.initial)) % (1 << offset_bits);
            // 0 has more trailing zeros than any offset: it is a multiple of every step.
            distance.trailing_zeros() >= l.step.trailing_zeros()
        }
        EndTest::Trips => end != 0,
    }
}
