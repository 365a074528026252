//! From text to commands; `docs/traversal.md` has the grammar, `print` the inverse.

use super::print::{keyword, kind_keyword};
use super::{Command, EndTest, GroupRow, InitialRow, RowKind, Run, UnitFault};
use crate::isa::Loop;

/// A line that says no command.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {message}")]
pub struct TextError {
    /// Line, counted from 1.
    pub line: usize,
    /// Field, value and what is allowed.
    pub message: String,
}

/// Reads commands. Whether a certain unit takes them, [`Command::decode`] tells.
///
/// # Errors
/// All faulty lines.
pub fn parse(text: &str) -> Result<Vec<Command>, Vec<TextError>> {
    let mut commands: Vec<(usize, Command)> = Vec::new();
    let mut errors = Vec::new();
    for (index, full) in text.lines().enumerate() {
        let line = index + 1;
        let content = full.split('#').next().unwrap_or_default().trim();
        if content.is_empty() {
            continue;
        }
        let mut words = Words::new(content);
        let result = match command(&mut words) {
            Some((head, result)) => {
                // Kept with a faulty option too: its rows are read all the same.
                commands.push((line, head));
                result
            }
            None => match commands.last_mut() {
                Some((_, open)) => row(&mut words, open),
                None => Err(format!(
                    "{:?}, expected an instruction: {INSTRUCTIONS}",
                    words.first
                )),
            },
        };
        if let Err(message) = result {
            errors.push(TextError { line, message });
        }
    }
    for (line, command) in &commands {
        if errors.iter().any(|e: &TextError| e.line == *line) {
            continue;
        }
        if let Err(UnitFault { message, .. }) = command.check() {
            let message = format!("{}: {message}", keyword(command));
            errors.push(TextError {
                line: *line,
                message,
            });
        }
    }
    if errors.is_empty() {
        return Ok(commands.into_iter().map(|(_, command)| command).collect());
    }
    errors.sort_by_key(|e| e.line);
    Err(errors)
}

const INSTRUCTIONS: &str = "traverse, set_initial, set_step, set_end or start";
const KINDS: &str = "prologue, tensor or epilogue";

/// The words of one line.
struct Words<'a> {
    first: &'a str,
    rest: std::iter::Peekable<std::str::SplitWhitespace<'a>>,
}

impl<'a> Words<'a> {
    fn new(content: &'a str) -> Words<'a> {
        let mut words = content.split_whitespace();
        Words {
            first: words.next().unwrap_or_default(),
            rest: words.peekable(),
        }
    }

    fn argument(&mut self, name: &str) -> Result<&'a str, String> {
        let missing = || format!("{name} has no value");
        self.rest.next().ok_or_else(missing)
    }
}

/// The instruction that a line begins, unless it is a row.
fn command(words: &mut Words) -> Option<(Command, Result<(), String>)> {
    let mut run = Run::default();
    let result = if matches!(words.first, "traverse" | "start") {
        read_run(words, &mut run)
    } else {
        match words.rest.peek() {
            None => Ok(()),
            Some(word) => Err(format!("{word:?}, expected the end of line")),
        }
    };
    let command = match words.first {
        "traverse" => Command::Traverse { run, rows: vec![] },
        "start" => Command::Start { run },
        "set_initial" => Command::SetInitial { rows: vec![] },
        "set_step" => Command::SetStep { rows: vec![] },
        "set_end" => Command::SetEnd { rows: vec![] },
        _ => return None,
    };
    Some((command, result))
}

fn read_run(words: &mut Words, run: &mut Run) -> Result<(), String> {
    while let Some(word) = words.rest.next() {
        let given = match word {
            "offset_only" => std::mem::replace(&mut run.offset_only, true),
            "on_demand" => std::mem::replace(&mut run.on_demand, true),
            "window" => {
                let value = words.argument(word)?;
                let (first, end) = value.split_once("..").ok_or_else(|| {
                    format!("window is {value:?}, expected FIRST..END, the end not included")
                })?;
                let first = self::value("start of window", first)?;
                let end = number("end of window", end, 1 << 32)?;
                run.window.replace((first, end)).is_some()
            }
            _ => {
                return Err(format!(
                    "{word:?}, expected offset_only, on_demand or window FIRST..END"
                ));
            }
        };
        if given {
            return Err(format!("{word} for the second time, expected it once"));
        }
    }
    Ok(())
}

fn row(words: &mut Words, open: &mut Command) -> Result<(), String> {
    match open {
        Command::Traverse { rows, .. } => {
            let r = attributes(words)?;
            let loops = list(words, |item| {
                let parts: Vec<&str> = item.split(':').collect();
                let [initial, step, end] = parts[..] else {
                    return Err(format!("loop is {item:?}, expected INITIAL:STEP:END"));
                };
                Ok(Loop {
                    initial: value("initial", initial)?,
                    step: value("step", step)?,
                    end: value("end", end)?,
                })
            })?;
            rows.push(r.with(loops));
        }
        Command::SetInitial { rows } => {
            let r = attributes(words)?;
            rows.push(InitialRow {
                initial: list(words, |item| value("initial", item))?,
                ..r
            });
        }
        Command::SetStep { rows } => rows.push(group_row(words, "step")?),
        Command::SetEnd { rows } => rows.push(group_row(words, "end")?),
        Command::Start { .. } => {
            return Err(format!(
                "{:?}, expected an instruction, {INSTRUCTIONS}: start has no rows",
                words.first
            ));
        }
    }
    Ok(())
}

/// Everything of a row up to the word `loops`.
fn attributes(words: &mut Words) -> Result<InitialRow, String> {
    let kind = [RowKind::Prologue, RowKind::Tensor, RowKind::Epilogue]
        .into_iter()
        .find(|k| kind_keyword(*k) == words.first)
        .ok_or_else(|| {
            format!(
                "{:?}, expected a row, {KINDS}, or an instruction, {INSTRUCTIONS}",
                words.first
            )
        })?;
    let (mut row, mut base, mut attach, mut test) = (None, None, None, None);
    while let Some(word) = words.rest.next_if(|w| *w != "loops") {
        let given = match word {
            "row" => row.replace(register(words)?).is_some(),
            "attach" => {
                let text = words.argument("attach")?;
                attach.replace(number("attach", text, 7)? as u8).is_some()
            }
            "base" => base
                .replace(value("base", words.argument("base")?)?)
                .is_some(),
            "at_least" => test.replace(EndTest::AtLeast).is_some(),
            "equal" => test.replace(EndTest::Equal).is_some(),
            "trips" => test.replace(EndTest::Trips).is_some(),
            _ => {
                return Err(format!(
                    "{word:?}, expected row, attach, base, at_least, equal, trips or loops"
                ));
            }
        };
        if given {
            return Err(format!("{word} beside another one, expected one at most"));
        }
    }
    let missing = |name| format!("{} has no {name}, expected {name} VALUE", words.first);
    Ok(InitialRow {
        row: row.ok_or_else(|| missing("row"))?,
        kind,
        attach,
        test: test.unwrap_or_default(),
        base: base.ok_or_else(|| missing("base"))?,
        initial: Vec::new(),
    })
}

fn group_row(words: &mut Words, name: &str) -> Result<GroupRow, String> {
    if words.first != "row" {
        return Err(format!(
            "{:?}, expected row NUMBER, or an instruction, {INSTRUCTIONS}",
            words.first
        ));
    }
    Ok(GroupRow {
        row: register(words)?,
        values: list(words, |item| value(name, item))?,
    })
}

fn register(words: &mut Words) -> Result<u8, String> {
    Ok(number("row", words.argument("row")?, 7)? as u8)
}

/// The loops of a row, if there are any: items with commas between them, with or without space.
fn list<T>(words: &mut Words, item: impl Fn(&str) -> Result<T, String>) -> Result<Vec<T>, String> {
    match words.rest.next() {
        None => return Ok(Vec::new()),
        Some("loops") => {}
        Some(word) => return Err(format!("{word:?}, expected loops or the end of line")),
    }
    let rest: Vec<&str> = words.rest.by_ref().collect();
    if rest.is_empty() {
        return Err("loops has no value".to_string());
    }
    let rest = rest.join(" ");
    let mut items = Vec::new();
    for text in rest.split(',').map(str::trim) {
        if let Some((_, behind)) = text.split_once(' ') {
            return Err(format!(
                "{behind:?} behind the loops, expected a comma or the end of line"
            ));
        }
        if text.is_empty() {
            return Err("loops has no value beside a comma".to_string());
        }
        items.push(item(text)?);
        if items.len() > 8 {
            return Err(format!("{} loops, expected at most 8", items.len()));
        }
    }
    Ok(items)
}

fn value(name: &str, text: &str) -> Result<u32, String> {
    number(name, text, u32::MAX.into()).map(|v| v as u32)
}

fn number(name: &str, text: &str, most: u64) -> Result<u64, String> {
    let digits = |text: &str, radix| {
        let plain = text.chars().all(|c| c.is_ascii_hexdigit());
        plain.then(|| u64::from_str_radix(text, radix).ok())?
    };
    let parsed = match text.strip_prefix("0x") {
        Some(hex) => digits(hex, 16),
        None => digits(text, 10),
    };
    parsed.filter(|v| *v <= most).ok_or_else(|| {
        format!("{name} is {text:?}, expected a number from 0 to {most}, decimal or 0x")
    })
}
