//! Words through the golden model of the unit.

use heddle_arch::traverse::{Command, Decoder, UnitError, UnitShape};
use heddle_sim::traversal::{RowRegisters, Taken, UnitModel};

use crate::failure::Failure;

/// Most addresses that are counted, and most that are kept with `--all`.
const ADDRESSES_MAX: usize = 1 << 22;

/// What the unit did with instructions.
#[derive(Debug)]
pub struct Replay {
    /// The instructions that it took.
    pub instructions: Vec<Taking>,
    /// Why it stopped or still waits.
    pub refusal: Option<Refusal>,
}

/// An instruction that the unit took.
#[derive(Debug)]
pub struct Taking {
    /// As decoded.
    pub command: Command,
    /// Position of its first word.
    pub start: usize,
    /// The traversal that it started.
    pub traversal: Option<Traversal>,
}

/// One run of the rows.
#[derive(Debug)]
pub struct Traversal {
    /// Registers of the rows 0 to M - 1 at the start.
    pub registers: Vec<RowRegisters>,
    /// Row and address of the first elements.
    pub addresses: Vec<(usize, u64)>,
    /// There are more addresses than these.
    pub more: bool,
    /// Addresses of each row, as far as they were counted.
    pub counts: Vec<usize>,
    /// All addresses were counted.
    pub complete: bool,
}

/// Which addresses of a traversal are kept and counted.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// Addresses that are kept; `None`: all.
    pub shown: Option<usize>,
    /// The others are counted.
    pub counted: bool,
}

/// Why the unit did not take everything.
#[derive(Debug)]
pub struct Refusal {
    /// The error; `None` if words are missing at the end, for which the unit waits.
    pub error: Option<UnitError>,
    /// Which instruction, counted from 0.
    pub instruction: usize,
    /// Position of the word in the instruction, as the unit tells it.
    pub word: usize,
    /// What was found and what is allowed.
    pub explanation: String,
}

impl Replay {
    /// Runs words.
    ///
    /// # Errors
    /// If there are too many addresses to keep them, or to go on behind them.
    pub fn of(words: &[u32], unit: &UnitShape, limits: Limits) -> Result<Replay, Failure> {
        let mut model = UnitModel::new(*unit);
        let mut decoder = Decoder::new(*unit);
        let mut replay = Replay {
            instructions: Vec::new(),
            refusal: None,
        };
        let mut start = 0;
        for (position, &word) in words.iter().enumerate() {
            let taken = model.take(word);
            let instruction = replay.instructions.len();
            match taken {
                Taken::More => continue,
                Taken::Stopped(stop) => {
                    let told = decoder.decode(&words[start..]).err();
                    let explanation = told.map_or(String::new(), |fault| fault.message);
                    replay.refusal = Some(Refusal {
                        error: Some(stop.error),
                        instruction,
                        word: stop.position,
                        explanation,
                    });
                    return Ok(replay);
                }
                Taken::Loaded | Taken::Started => {}
            }
            let (command, _) = decoder.decode(&words[start..=position]).map_err(|fault| {
                Failure::new(format!(
                    "model and decoder disagree about the words: {fault}"
                ))
            })?;
            let traversal = match taken {
                Taken::Started => Some(traverse(&mut model, unit, limits)?),
                _ => None,
            };
            let unfinished = traversal.as_ref().is_some_and(|t| !t.complete);
            if unfinished && position + 1 < words.len() {
                return Err(Failure::new(format!(
                    "instruction {instruction} has more than {ADDRESSES_MAX} addresses, which only \
                     the last one may have"
                )));
            }
            replay.instructions.push(Taking {
                command,
                start,
                traversal,
            });
            start = position + 1;
            if let Some(stop) = model.stop() {
                replay.refusal = Some(Refusal {
                    error: Some(stop.error),
                    instruction,
                    word: stop.position,
                    explanation: "the next address lies outside the window".to_string(),
                });
                return Ok(replay);
            }
        }
        if start < words.len() {
            let word = words.len() - start;
            let length = words[start] >> 8 & 0xff;
            replay.refusal = Some(Refusal {
                error: None,
                instruction: replay.instructions.len(),
                word,
                explanation: format!("the instruction has {length} words, {word} are given"),
            });
        }
        Ok(replay)
    }
}

fn traverse(model: &mut UnitModel, unit: &UnitShape, limits: Limits) -> Result<Traversal, Failure> {
    let mut traversal = Traversal {
        registers: model.registers(),
        addresses: Vec::new(),
        more: false,
        counts: vec![0; unit.rows as usize],
        complete: true,
    };
    let mut count = 0;
    while let Some(element) = model.next_element() {
        if limits.shown.is_none_or(|shown| count < shown) {
            traversal.addresses.push((element.row, element.address));
        } else {
            traversal.more = true;
        }
        if count == ADDRESSES_MAX && limits.shown.is_none() {
            return Err(Failure::new(format!(
                "--all prints at most {ADDRESSES_MAX} addresses, the traversal has more"
            )));
        }
        if count == ADDRESSES_MAX || (traversal.more && !limits.counted) {
            traversal.complete = false;
            break;
        }
        traversal.counts[element.row] += 1;
        count += 1;
    }
    Ok(traversal)
}
