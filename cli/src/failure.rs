//! How a run can fail: lines for the user and an exit code.

use std::fmt::Display;
use std::io::Write;
use std::path::Path;

use heddle_arch::ConfigErrors;

/// Exit code of a check that ran and failed.
pub const CHECK_FAILED: u8 = 1;
/// Exit code of bad input, a missing tool or an output that cannot be written.
pub const BAD_INPUT: u8 = 2;

/// A run that could not be completed.
#[derive(Debug)]
pub struct Failure {
    /// Exit code.
    pub code: u8,
    /// One explanation for each fault.
    pub lines: Vec<String>,
}

impl Failure {
    /// Bad input with one explanation.
    pub fn new(line: impl Display) -> Failure {
        Failure {
            code: BAD_INPUT,
            lines: vec![line.to_string()],
        }
    }

    /// The faults of a file: `path:line: message`.
    pub fn in_file(path: &Path, errors: &ConfigErrors) -> Failure {
        let path = path.display();
        let line = |fault: &heddle_arch::Fault| match fault.line {
            Some(line) => format!("{path}:{line}: {}", fault.message),
            None => format!("{path}: {}", fault.message),
        };
        Failure {
            code: BAD_INPUT,
            lines: errors.faults().iter().map(line).collect(),
        }
    }

    /// Prints the explanations, one line each. A closed stderr is nobody's loss.
    pub fn print(&self) {
        let mut stderr = std::io::stderr().lock();
        for line in &self.lines {
            let _ = writeln!(stderr, "error: {}", one_line(line));
        }
    }
}

impl From<anyhow::Error> for Failure {
    fn from(error: anyhow::Error) -> Failure {
        Failure::new(format!("{error:#}"))
    }
}

/// Names of files may hold anything, line breaks included.
pub fn one_line(text: &str) -> String {
    let mut line = String::with_capacity(text.len());
    for c in text.trim_end().chars() {
        if c.is_control() {
            line.extend(c.escape_default());
        } else {
            line.push(c);
        }
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_are_escaped() {
        assert_eq!(one_line("a\nb\u{1b}[31m c\n"), "a\\nb\\u{1b}[31m c");
    }
}
