//! Faults of an input file: every one names its line, its field, the value and what is allowed.

use std::fmt;

/// One fault of a JSON document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// Line in the document, counted from 1; `None` when the fault belongs to no single place.
    pub line: Option<usize>,
    /// Path of the field, such as `state_buffer.banks` or `layers[1].weights[7]`; empty for the
    /// whole document.
    pub field: String,
    /// The whole explanation, field included.
    pub message: String,
}

/// Adds a fault of a field; the message goes on behind the name of the field.
pub fn push(faults: &mut Vec<Fault>, field: &str, message: String) {
    faults.push(Fault {
        line: None,
        field: field.to_string(),
        message: format!("{field} {message}"),
    });
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            Some(line) => write!(f, "line {line}: {}", self.message),
            None => f.write_str(&self.message),
        }
    }
}

/// All faults of a document, in the order of their lines, at most 20 of them listed; never empty.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}", lines(.0))]
pub struct ConfigErrors(pub Vec<Fault>);

impl ConfigErrors {
    /// The faults.
    pub fn faults(&self) -> &[Fault] {
        &self.0
    }
}

fn lines(faults: &[Fault]) -> String {
    let texts: Vec<String> = faults.iter().map(Fault::to_string).collect();
    texts.join("\n")
}
