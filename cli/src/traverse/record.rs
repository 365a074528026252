//! Instructions that the user gives, as words or as text.

use std::path::Path;

use heddle_arch::traverse::{self, Command};

use crate::failure::{BAD_INPUT, Failure};

/// First words of lines of the text form.
const INSTRUCTIONS: [&str; 5] = ["traverse", "set_initial", "set_step", "set_end", "start"];

/// Reads words in hexadecimal, between white space or commas and with or without `0x`, or the
/// text form of `docs/traversal.md`; `#` begins a comment in both.
pub fn read(text: &str, path: Option<&Path>) -> Result<Vec<u32>, Failure> {
    let content = |line: &str| line.split('#').next().unwrap_or_default().to_string();
    let lines: Vec<String> = text.lines().map(content).collect();
    let first = lines.iter().flat_map(|line| line.split_whitespace()).next();
    let place = |line: usize| match path {
        Some(path) => format!("{}:{line}", path.display()),
        None => format!("line {line}"),
    };
    let Some(first) = first else {
        let place = path.map_or(String::new(), |path| format!("{}: ", path.display()));
        return Err(Failure::new(format!(
            "{place}the record is empty, expected words in hexadecimal or instructions"
        )));
    };
    if INSTRUCTIONS.contains(&first) {
        let commands = traverse::parse(text).map_err(|errors| Failure {
            code: BAD_INPUT,
            lines: errors
                .iter()
                .map(|error| format!("{}: {}", place(error.line), error.message))
                .collect(),
        })?;
        return Ok(commands.iter().flat_map(Command::encode).collect());
    }
    let mut words = Vec::new();
    for (number, line) in lines.iter().enumerate() {
        for item in line
            .split([',', ' ', '\t', '\r'])
            .filter(|item| !item.is_empty())
        {
            words.push(word(item).ok_or_else(|| {
                let place = place(number + 1);
                Failure::new(format!(
                    "{place}: found {item:?}, expected a word of up to 8 hexadecimal digits, or \
                     the text form, which begins with traverse, set_initial or start"
                ))
            })?);
        }
    }
    Ok(words)
}

fn word(item: &str) -> Option<u32> {
    let digits = item.strip_prefix("0x").unwrap_or(item);
    let plain = digits.chars().all(|c| c.is_ascii_hexdigit());
    plain.then(|| u32::from_str_radix(digits, 16).ok())?
}
