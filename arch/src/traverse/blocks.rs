//! The words behind word 0: window and row blocks.

use super::decode::{Loaded, bit, reserved};
use super::{EndTest, GroupRow, InitialRow, Row, RowKind, Run, UnitError, UnitFault, UnitShape};
use crate::isa::Loop;

/// Bits of the row word that mean something in TRAVERSE and SET_INITIAL.
const ROW_BITS: u32 = 0x0003_77f7;
/// Bits of the row word that mean something in SET_STEP and SET_END.
const GROUP_ROW_BITS: u32 = 0x0000_00f7;

/// Takes the words behind word 0 one by one.
pub(super) struct Reader<'a> {
    words: &'a [u32],
    length: usize,
    /// Of the next word.
    position: usize,
    shape: &'a UnitShape,
    /// One bit for each row that had a block.
    named: u32,
    attached: usize,
    tensors: usize,
    last_kind: RowKind,
}

impl<'a> Reader<'a> {
    /// At word 1 of an instruction of `length` words.
    pub(super) fn new(words: &'a [u32], length: usize, shape: &'a UnitShape) -> Reader<'a> {
        Reader {
            words,
            length,
            position: 1,
            shape,
            named: 0,
            attached: 0,
            tensors: 0,
            last_kind: RowKind::Prologue,
        }
    }

    fn next(&mut self) -> Result<u32, UnitFault> {
        let Some(word) = self.words.get(self.position) else {
            let message = format!(
                "the words end here, expected {} in this instruction",
                self.length
            );
            return Err(UnitFault::new(UnitError::BadLength, self.position, message));
        };
        self.position += 1;
        Ok(*word)
    }

    /// A fault of the word that was taken last.
    fn fault<T>(&self, code: UnitError, message: String) -> Result<T, UnitFault> {
        Err(UnitFault::new(code, self.position - 1, message))
    }

    fn field(&self, name: &str, value: u64, low: u64, high: u64) -> Result<(), UnitFault> {
        if (low..=high).contains(&value) {
            return Ok(());
        }
        let message = format!("{name} is {value}, expected {low} to {high}");
        self.fault(UnitError::BadField, message)
    }

    pub(super) fn run(&mut self, header: u32) -> Result<Run, UnitFault> {
        let mut window = None;
        if bit(header, 26) {
            let addresses = 1 << self.shape.address_bits;
            let first = self.next()?;
            self.field("start of window", first.into(), 0, addresses - 1)?;
            let word = self.next()?;
            let whole = word == 0 && self.shape.address_bits == 32;
            let end = if whole { addresses } else { word.into() };
            self.field("end of window", end, u64::from(first) + 1, addresses)?;
            window = Some((first, end));
        }
        Ok(Run {
            offset_only: bit(header, 24),
            on_demand: bit(header, 25),
            window,
        })
    }

    /// Blocks up to the end of the instruction.
    pub(super) fn rows<T>(
        &mut self,
        mut block: impl FnMut(&mut Self) -> Result<T, UnitFault>,
    ) -> Result<Vec<T>, UnitFault> {
        let mut rows = Vec::new();
        while self.position < self.length {
            rows.push(block(self)?);
        }
        Ok(rows)
    }

    pub(super) fn row(&mut self) -> Result<Row, UnitFault> {
        let (row, count) = self.row_word(ROW_BITS, |loops| 2 + 3 * loops)?;
        let base = self.value("base", self.shape.address_bits)?;
        let mut loops = Vec::with_capacity(count);
        for c in 0..count {
            let initial = self.offset("initial", c)?;
            let step = self.offset("step", c)?;
            let end = self.offset("end", c)?;
            self.endless(c, row.test, initial, step, end)?;
            loops.push(Loop { initial, step, end });
        }
        Ok(InitialRow { base, ..row }.with(loops))
    }

    pub(super) fn initial_row(&mut self) -> Result<InitialRow, UnitFault> {
        let (row, count) = self.row_word(ROW_BITS, |loops| 2 + loops)?;
        let base = self.value("base", self.shape.address_bits)?;
        let initial = (0..count)
            .map(|c| self.offset("initial", c))
            .collect::<Result<_, _>>()?;
        Ok(InitialRow {
            base,
            initial,
            ..row
        })
    }

    pub(super) fn group_row(
        &mut self,
        name: &str,
        loaded: Option<&Loaded>,
    ) -> Result<GroupRow, UnitFault> {
        let (InitialRow { row, .. }, count) = self.row_word(GROUP_ROW_BITS, |loops| 1 + loops)?;
        if loaded.is_some_and(|l| l.initial().iter().all(|r| r.row != row)) {
            let message = format!("row is {row}, expected a row of SET_INITIAL");
            return self.fault(UnitError::BadField, message);
        }
        let mut values = Vec::with_capacity(count);
        for c in 0..count {
            let value = self.offset(name, c)?;
            let loaded = loaded.filter(|_| name == "end");
            if let Some((test, initial, step)) = loaded.and_then(|l| l.values(row, c)) {
                self.endless(c, test, initial, step, value)?;
            }
            values.push(value);
        }
        Ok(GroupRow { row, values })
    }

    /// What a row word says, and how many loops the row has.
    fn row_word(
        &mut self,
        used: u32,
        block_words: fn(usize) -> usize,
    ) -> Result<(InitialRow, usize), UnitFault> {
        let word = self.next()?;
        let row = word & 7;
        let loops = word >> 4 & 15;
        let rest = self.length - (self.position - 1);
        let needed = block_words(loops as usize);
        if needed > rest {
            let message = format!("block has {needed} words, expected at most {rest}");
            return self.fault(UnitError::BadLength, message);
        }
        reserved("row word", word, used, self.position - 1)?;
        self.field("row", row.into(), 0, u64::from(self.shape.rows) - 1)?;
        self.field("loops", loops.into(), 0, self.shape.loops.into())?;
        if self.named >> row & 1 != 0 {
            let message = format!("row is {row} for the second time, expected each row once");
            return self.fault(UnitError::BadField, message);
        }
        self.named |= 1 << row;
        let (kind, attach, test) = if used == ROW_BITS {
            self.roles(word)?
        } else {
            Default::default()
        };
        let row = InitialRow {
            row: row as u8,
            kind,
            attach,
            test,
            ..InitialRow::default()
        };
        Ok((row, loops as usize))
    }

    /// Kind, attachment and end test of a row.
    fn roles(&mut self, word: u32) -> Result<(RowKind, Option<u8>, EndTest), UnitFault> {
        let kind = match word >> 8 & 3 {
            0 => RowKind::Tensor,
            1 => RowKind::Prologue,
            2 => RowKind::Epilogue,
            _ => return self.fault(UnitError::BadField, "kind is 3, expected 0 to 2".into()),
        };
        let test = match word >> 16 & 3 {
            0 => EndTest::AtLeast,
            1 if self.shape.equality => EndTest::Equal,
            2 if self.shape.trips => EndTest::Trips,
            number => {
                let message = format!("end test is {number}, not built in this unit");
                return self.fault(UnitError::BadField, message);
            }
        };
        let attached = bit(word, 10);
        let column = word >> 12 & 7;
        if attached && !self.shape.attach {
            let message = "attached row, needs traversal.unit.attach".to_string();
            return self.fault(UnitError::BadField, message);
        }
        if attached && kind == RowKind::Tensor {
            let message = "attached tensor, expected a prologue or epilogue".to_string();
            return self.fault(UnitError::BadField, message);
        }
        let last_loop = if attached { self.shape.loops - 1 } else { 0 };
        self.field("loop of attachment", column.into(), 0, last_loop.into())?;

        if rank(kind) < rank(self.last_kind) {
            let message = "kinds out of order, expected prologues, tensors, epilogues".to_string();
            return self.fault(UnitError::BadField, message);
        }
        self.last_kind = kind;
        self.attached += usize::from(attached);
        self.tensors += usize::from(kind == RowKind::Tensor);
        if self.attached > 0 && self.tensors > 1 {
            let message = format!("{} tensors beside attached rows, expected 1", self.tensors);
            return self.fault(UnitError::BadField, message);
        }
        Ok((kind, attached.then_some(column as u8), test))
    }

    fn offset(&mut self, name: &str, index: usize) -> Result<u32, UnitFault> {
        self.value(&format!("{name} of loop {index}"), self.shape.offset_bits)
    }

    fn value(&mut self, name: &str, bits: u32) -> Result<u32, UnitFault> {
        let value = self.next()?;
        self.field(name, value.into(), 0, (1 << bits) - 1)?;
        if self.position == self.length && self.attached > 0 && self.tensors == 0 {
            let message = "attached rows without a tensor".to_string();
            return self.fault(UnitError::Empty, message);
        }
        Ok(value)
    }

    /// Checks that a loop reaches its end.
    fn endless(
        &self,
        index: usize,
        test: EndTest,
        initial: u32,
        step: u32,
        end: u32,
    ) -> Result<(), UnitFault> {
        let modulus = 1_u64 << self.shape.offset_bits;
        let (start, step, end) = (u64::from(initial), u64::from(step), u64::from(end));
        let reached = match test {
            EndTest::AtLeast => step > 0 || start >= end,
            EndTest::Equal => {
                // The offsets are V plus all multiples of the largest power of two that divides X.
                let grid = if step == 0 {
                    modulus
                } else {
                    step & step.wrapping_neg()
                };
                (end + modulus - start) % grid == 0
            }
            EndTest::Trips => end > 0,
        };
        if reached {
            return Ok(());
        }
        let message = format!("loop {index} from {start} in steps of {step} never ends at {end}");
        self.fault(UnitError::Endless, message)
    }
}

fn rank(kind: RowKind) -> u8 {
    match kind {
        RowKind::Prologue => 0,
        RowKind::Tensor => 1,
        RowKind::Epilogue => 2,
    }
}
