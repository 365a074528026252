//! From commands to words.

use super::{Command, EndTest, GroupRow, InitialRow, MAX_WORDS, Row, RowKind, Run};
use super::{UnitError, UnitFault};

/// Largest end of a window: the address behind the last one of 32 bits.
const WINDOW_END_MAX: u64 = 1 << 32;

impl RowKind {
    /// Number in the row word.
    pub const fn number(self) -> u32 {
        match self {
            RowKind::Tensor => 0,
            RowKind::Prologue => 1,
            RowKind::Epilogue => 2,
        }
    }
}

impl EndTest {
    /// Number in the row word.
    pub const fn number(self) -> u32 {
        match self {
            EndTest::AtLeast => 0,
            EndTest::Equal => 1,
            EndTest::Trips => 2,
        }
    }
}

impl Command {
    /// Length in words, word 0 included.
    pub fn words(&self) -> usize {
        let window = if self.run().is_some_and(|r| r.window.is_some()) {
            2
        } else {
            0
        };
        let blocks: usize = match self {
            Command::Traverse { rows, .. } => rows.iter().map(|r| 2 + 3 * r.loops.len()).sum(),
            Command::SetInitial { rows } => rows.iter().map(|r| 2 + r.initial.len()).sum(),
            Command::SetStep { rows } | Command::SetEnd { rows } => {
                rows.iter().map(|r| 1 + r.values.len()).sum()
            }
            Command::Start { .. } => 0,
        };
        1 + window + blocks
    }

    /// Checks that every field fits its bits in the words. What a certain unit takes,
    /// `decode` tells.
    ///
    /// # Errors
    /// [`UnitError::BadField`] or [`UnitError::BadLength`], the position being the word that would
    /// hold the field.
    pub fn check(&self) -> Result<(), UnitFault> {
        if self.words() > MAX_WORDS {
            let message = format!("length is {}, expected at most {MAX_WORDS}", self.words());
            return Err(UnitFault::new(UnitError::BadLength, 0, message));
        }
        let mut position = 1;
        if let Some((first, end)) = self.run().and_then(|r| r.window) {
            field(
                "end of window",
                end,
                u64::from(first) + 1,
                WINDOW_END_MAX,
                2,
            )?;
            position += 2;
        }
        match self {
            Command::Traverse { rows, .. } => {
                for r in rows {
                    check_row(r.row, r.loops.len(), r.attach, position)?;
                    position += 2 + 3 * r.loops.len();
                }
            }
            Command::SetInitial { rows } => {
                for r in rows {
                    check_row(r.row, r.initial.len(), r.attach, position)?;
                    position += 2 + r.initial.len();
                }
            }
            Command::SetStep { rows } | Command::SetEnd { rows } => {
                for r in rows {
                    check_row(r.row, r.values.len(), None, position)?;
                    position += 1 + r.values.len();
                }
            }
            Command::Start { .. } => {}
        }
        Ok(())
    }

    /// The words of the instruction, word 0 first.
    ///
    /// # Panics
    /// If a field does not fit its bits; [`Command::check`] tells.
    pub fn encode(&self) -> Vec<u32> {
        if let Err(fault) = self.check() {
            panic!("command cannot be encoded: {fault}");
        }
        let mut words = Vec::with_capacity(self.words());
        words.push(self.opcode() | (self.words() as u32) << 8);
        if let Some(run) = self.run() {
            push_run(&mut words, run);
        }
        match self {
            Command::Traverse { rows, .. } => rows.iter().for_each(|r| push_row(&mut words, r)),
            Command::SetInitial { rows } => rows.iter().for_each(|r| push_initial(&mut words, r)),
            Command::SetStep { rows } | Command::SetEnd { rows } => {
                rows.iter().for_each(|r| push_group(&mut words, r));
            }
            Command::Start { .. } => {}
        }
        words
    }
}

fn field(name: &str, value: u64, low: u64, high: u64, position: usize) -> Result<(), UnitFault> {
    if (low..=high).contains(&value) {
        return Ok(());
    }
    let message = format!("{name} is {value}, expected {low} to {high}");
    Err(UnitFault::new(UnitError::BadField, position, message))
}

fn check_row(row: u8, loops: usize, attach: Option<u8>, position: usize) -> Result<(), UnitFault> {
    field("row", row.into(), 0, 7, position)?;
    field("loops", loops as u64, 0, 8, position)?;
    field("attach", attach.unwrap_or(0).into(), 0, 7, position)
}

fn push_run(words: &mut Vec<u32>, run: &Run) {
    words[0] |= u32::from(run.offset_only) << 24
        | u32::from(run.on_demand) << 25
        | u32::from(run.window.is_some()) << 26;
    if let Some((first, end)) = run.window {
        // 2^32 has the word 0.
        words.extend([first, end as u32]);
    }
}

fn row_word(row: u8, loops: usize, kind: RowKind, attach: Option<u8>, test: EndTest) -> u32 {
    let attached = attach.map_or(0, |a| 1 << 10 | u32::from(a) << 12);
    u32::from(row) | (loops as u32) << 4 | kind.number() << 8 | attached | test.number() << 16
}

fn push_row(words: &mut Vec<u32>, r: &Row) {
    words.push(row_word(r.row, r.loops.len(), r.kind, r.attach, r.test));
    words.push(r.base);
    for l in &r.loops {
        words.extend([l.initial, l.step, l.end]);
    }
}

fn push_initial(words: &mut Vec<u32>, r: &InitialRow) {
    words.push(row_word(r.row, r.initial.len(), r.kind, r.attach, r.test));
    words.push(r.base);
    words.extend(&r.initial);
}

fn push_group(words: &mut Vec<u32>, r: &GroupRow) {
    words.push(u32::from(r.row) | (r.values.len() as u32) << 4);
    words.extend(&r.values);
}
