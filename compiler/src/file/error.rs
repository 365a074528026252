//! Why a file is no program.

/// Why a file is no program for a machine.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum FileError {
    /// It is no JSON, or not of this form.
    #[error("line {line}: {message}")]
    Form {
        /// Line, counted from 1.
        line: usize,
        /// What was found and what is allowed.
        message: String,
    },
    /// The checksum does not belong to the content.
    #[error("crc is {found:08x}, expected {expected:08x}: the file was changed or damaged")]
    Checksum {
        /// In the file.
        found: u32,
        /// Of the content.
        expected: u32,
    },
    /// It was made for another machine.
    #[error("made for {field} {found}, this machine has {expected}")]
    Machine {
        /// Field of the configuration.
        field: &'static str,
        /// In the file.
        found: String,
        /// Of the machine.
        expected: String,
    },
    /// A value is out of range.
    #[error("{field} is {found}, expected {expected}")]
    Value {
        /// Place in the file.
        field: String,
        /// The value.
        found: String,
        /// What is allowed.
        expected: String,
    },
}

/// Bytes of a text of hexadecimal digits, in groups.
pub(super) fn digits(field: &str, text: &str, group: usize) -> Result<Vec<u8>, FileError> {
    let wrong = |found: String| FileError::Value {
        field: field.to_string(),
        found,
        expected: format!("groups of {} hexadecimal digits", 2 * group),
    };
    if !text.is_ascii() || text.len() % (2 * group) != 0 {
        return Err(wrong(format!("a text of {} bytes", text.len())));
    }
    let byte = |at: usize| {
        let pair = &text[at..at + 2];
        u8::from_str_radix(pair, 16).map_err(|_| wrong(format!("{pair:?} at {at}")))
    };
    (0..text.len()).step_by(2).map(byte).collect()
}
