//! From words to commands, with the checks of the unit in its order.

use super::blocks::Reader;
use super::{Command, EndTest, GroupRow, InitialRow, UnitError, UnitFault, UnitShape, opcode_name};
use super::{OP_SET_END, OP_SET_INITIAL, OP_SET_STEP, OP_START, OP_TRAVERSE};

impl Command {
    /// Decodes the instruction at the start of `words`; also gives its length in words. Makes all
    /// checks that need no knowledge of earlier instructions; [`Decoder`] makes the others too.
    ///
    /// # Errors
    /// What the unit would report. Words that end before the instruction does, and are right so
    /// far, are [`UnitError::BadLength`] at the position of the first missing word, where the unit
    /// would wait.
    pub fn decode(words: &[u32], shape: &UnitShape) -> Result<(Command, usize), UnitFault> {
        decode(words, shape, None)
    }
}

/// Decodes one instruction after another, and remembers what is loaded.
#[derive(Debug, Clone)]
pub struct Decoder {
    shape: UnitShape,
    loaded: Loaded,
}

impl Decoder {
    /// A unit after reset: nothing is loaded.
    pub fn new(shape: UnitShape) -> Decoder {
        Decoder {
            shape,
            loaded: Loaded::Nothing,
        }
    }

    /// Decodes the instruction at the start of `words`; also gives its length in words. The unit
    /// stops at the first fault; after one, only a new decoder describes it again.
    ///
    /// # Errors
    /// What the unit would report, words that end early as in [`Command::decode`].
    pub fn decode(&mut self, words: &[u32]) -> Result<(Command, usize), UnitFault> {
        let (command, length) = decode(words, &self.shape, Some(&self.loaded))?;
        self.loaded = match (&command, std::mem::take(&mut self.loaded)) {
            (Command::Traverse { .. } | Command::SetEnd { .. }, _) => Loaded::Complete,
            (Command::SetInitial { rows }, _) => Loaded::Initial(rows.clone()),
            (Command::SetStep { rows }, Loaded::Initial(initial)) => {
                Loaded::Step(initial, rows.clone())
            }
            (_, loaded) => loaded,
        };
        Ok((command, length))
    }
}

/// What earlier instructions left behind, as far as later ones are judged by it.
#[derive(Debug, Clone, Default)]
pub(super) enum Loaded {
    #[default]
    Nothing,
    Initial(Vec<InitialRow>),
    Step(Vec<InitialRow>, Vec<GroupRow>),
    Complete,
}

impl Loaded {
    pub(super) fn initial(&self) -> &[InitialRow] {
        match self {
            Loaded::Initial(rows) | Loaded::Step(rows, _) => rows,
            Loaded::Nothing | Loaded::Complete => &[],
        }
    }

    /// End test, V and X of a loop whose end is about to be set.
    pub(super) fn values(&self, row: u8, index: usize) -> Option<(EndTest, u32, u32)> {
        let Loaded::Step(initial, steps) = self else {
            return None;
        };
        let loaded = initial.iter().find(|r| r.row == row)?;
        let steps = steps.iter().find(|r| r.row == row);
        let step = steps.and_then(|r| r.values.get(index));
        let initial = loaded.initial.get(index);
        Some((loaded.test, *initial.unwrap_or(&0), *step.unwrap_or(&0)))
    }
}

/// `loaded` is `None` if earlier instructions are not known.
fn decode(
    words: &[u32],
    shape: &UnitShape,
    loaded: Option<&Loaded>,
) -> Result<(Command, usize), UnitFault> {
    let Some(&header) = words.first() else {
        return Err(UnitFault::new(UnitError::BadLength, 0, "no word left"));
    };
    check_header(header, shape, loaded)?;
    let length = (header >> 8 & 0xff) as usize;
    let mut reader = Reader::new(words, length, shape);
    let command = match header & 0xff {
        OP_TRAVERSE => Command::Traverse {
            run: reader.run(header)?,
            rows: reader.rows(Reader::row)?,
        },
        OP_SET_INITIAL => Command::SetInitial {
            rows: reader.rows(Reader::initial_row)?,
        },
        OP_SET_STEP => Command::SetStep {
            rows: reader.rows(|r| r.group_row("step", loaded))?,
        },
        OP_SET_END => Command::SetEnd {
            rows: reader.rows(|r| r.group_row("end", loaded))?,
        },
        _ => Command::Start {
            run: reader.run(header)?,
        },
    };
    Ok((command, length))
}

fn check_header(header: u32, shape: &UnitShape, loaded: Option<&Loaded>) -> Result<(), UnitFault> {
    let fault = |code, message: String| Err(UnitFault::new(code, 0, message));
    let opcode = header & 0xff;
    let length = header >> 8 & 0xff;
    let group = matches!(opcode, OP_SET_INITIAL | OP_SET_STEP | OP_SET_END);
    let Some(name) = opcode_name(opcode) else {
        let message = format!("opcode is {opcode:#04x}, expected 0x08 to 0x0c");
        return fault(UnitError::IllegalOpcode, message);
    };
    if group && !shape.group_setup {
        let message = format!("{name} needs traversal.unit.group_setup");
        return fault(UnitError::IllegalOpcode, message);
    }

    let window = !group && bit(header, 26);
    let fixed = if window { 3 } else { 1 };
    if length < fixed || (opcode == OP_START && length != fixed) {
        let allowed = if opcode == OP_START { "" } else { "at least " };
        let message = format!("length of {name} is {length}, expected {allowed}{fixed}");
        return fault(UnitError::BadLength, message);
    }
    let used = if group { 0x0000_ffff } else { 0x0700_ffff };
    reserved(name, header, used, 0)?;

    if opcode != OP_START && length == fixed {
        return fault(UnitError::Empty, format!("{name} has no rows"));
    }
    match (opcode, loaded) {
        (OP_START, Some(Loaded::Nothing)) => {
            fault(UnitError::Empty, "START with nothing loaded".to_string())
        }
        (OP_START, Some(Loaded::Initial(_) | Loaded::Step(..))) => {
            let message = "START in a group set-up, expected SET_STEP or SET_END first";
            fault(UnitError::Order, message.to_string())
        }
        (OP_SET_STEP, Some(loaded)) if !matches!(loaded, Loaded::Initial(_)) => {
            let message = "SET_STEP, expected SET_INITIAL before it";
            fault(UnitError::Order, message.to_string())
        }
        (OP_SET_END, Some(loaded)) if !matches!(loaded, Loaded::Step(..)) => {
            let message = "SET_END, expected SET_STEP before it";
            fault(UnitError::Order, message.to_string())
        }
        _ => Ok(()),
    }
}

pub(super) fn reserved(name: &str, word: u32, used: u32, position: usize) -> Result<(), UnitFault> {
    if word & !used == 0 {
        return Ok(());
    }
    let message = format!("{name} is {word:#010x}, bits outside {used:#010x} set");
    Err(UnitFault::new(UnitError::BadField, position, message))
}

pub(super) fn bit(word: u32, index: u32) -> bool {
    word >> index & 1 != 0
}
