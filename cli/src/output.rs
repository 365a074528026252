//! Text for the user on stdout.

use std::io::{self, ErrorKind, Write};

use serde::Serialize;

use crate::failure::Failure;

/// Prints a text. A reader who has seen enough (closed pipe) is no error.
///
/// # Errors
/// If stdout cannot be written, for example because a disk is full.
pub fn print(text: &str) -> Result<(), Failure> {
    let mut stdout = io::stdout().lock();
    match stdout
        .write_all(text.as_bytes())
        .and_then(|()| stdout.flush())
    {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            Err(Failure::new(format!("cannot write to stdout: {error}")))
        }
        _ => Ok(()),
    }
}

/// Prints a value as JSON.
///
/// # Errors
/// As [`print`].
pub fn print_json(value: &impl Serialize) -> Result<(), Failure> {
    let text = serde_json::to_string_pretty(value)
        .map_err(|error| Failure::new(format!("cannot print as JSON: {error}")))?;
    print(&(text + "\n"))
}

/// A table: the first row is the heading, the first column is aligned left, the others right.
pub fn table(rows: &[Vec<String>]) -> String {
    aligned(rows, |column| column == 0)
}

/// A table of words: all columns are aligned left.
pub fn list(rows: &[Vec<String>]) -> String {
    aligned(rows, |_| true)
}

/// Longest line of a table.
pub const LINE_COLUMNS: usize = 120;

/// The name with its middle left out if it has more than `columns` characters.
pub fn shortened(name: &str, columns: usize) -> String {
    let letters: Vec<char> = name.chars().collect();
    if letters.len() <= columns {
        return name.to_string();
    }
    let end = (columns - 2) / 2;
    let start = columns - 2 - end;
    let part = |part: &[char]| part.iter().collect::<String>();
    part(&letters[..start]) + ".." + &part(&letters[letters.len() - end..])
}

/// The sentence without its end if it has more than `columns` characters.
pub fn cut(sentence: &str, columns: usize) -> String {
    match sentence.chars().count() > columns {
        true => sentence.chars().take(columns - 2).collect::<String>() + "..",
        false => sentence.to_string(),
    }
}

/// Characters of the longest line.
pub fn longest(text: &str) -> usize {
    let lines = text.lines().map(|line| line.chars().count());
    lines.max().unwrap_or(0)
}

/// A table: the first row is the heading, columns are aligned left where `left` says so.
pub fn aligned(rows: &[Vec<String>], left: impl Fn(usize) -> bool) -> String {
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let width = |column: usize| {
        let cells = rows.iter().filter_map(|row| row.get(column));
        cells.map(|cell| cell.chars().count()).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..columns).map(width).collect();
    let mut text = String::new();
    for row in rows {
        let mut line = String::new();
        for (column, cell) in row.iter().enumerate() {
            let width = widths[column];
            let gap = if column == 0 { "" } else { "  " };
            line += &match left(column) {
                true => format!("{gap}{cell:<width$}"),
                false => format!("{gap}{cell:>width$}"),
            };
        }
        text += line.trim_end();
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_aligned() {
        let row = |a: &str, b: &str| vec![a.to_string(), b.to_string()];
        let text = table(&[row("module", "ports"), row("a", "12")]);
        assert_eq!(text, "module  ports\na          12\n");
    }
}
