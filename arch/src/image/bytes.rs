//! Fields of records in bytes.

use super::ImageError;
use super::layout::{Bytes, Record};
use crate::transfer::BadField;

impl Bytes {
    /// Writes a number of at most eight bytes.
    pub(super) fn put(self, record: &mut [u8], value: u64) {
        record[self.at..self.at + self.bytes].copy_from_slice(&value.to_le_bytes()[..self.bytes]);
    }

    /// The number.
    pub(super) fn get(self, record: &[u8]) -> u64 {
        let bytes = record[self.at..self.at + self.bytes].iter().rev();
        bytes.fold(0, |value, &byte| value << 8 | u64::from(byte))
    }

    /// A number of four bytes.
    pub(super) fn word(self, record: &[u8]) -> u32 {
        self.get(record) as u32
    }

    /// Number `index` of a field of several numbers of four bytes.
    pub(super) fn at(self, index: usize) -> Bytes {
        Bytes {
            at: self.at + 4 * index,
            bytes: 4,
            ..self
        }
    }
}

/// Where a fault is, for messages.
pub(super) struct Checker<'a> {
    /// Header, section, or entry of a section.
    pub place: &'a str,
}

impl Checker<'_> {
    /// A fault, unless `holds`.
    pub fn is(
        &self,
        holds: bool,
        field: &str,
        value: u64,
        expected: impl Into<String>,
    ) -> Result<(), ImageError> {
        let field = field.trim_end_matches("_ALL").to_lowercase();
        self.of(BadField::unless(holds, field, value, expected))
    }

    /// A fault of this place.
    pub fn of<T>(&self, found: Result<T, BadField>) -> Result<T, ImageError> {
        found.map_err(|fault| ImageError::Field {
            place: self.place.to_string(),
            fault,
        })
    }

    /// Bytes in no field are 0.
    pub fn zeros(&self, layout: &Record, record: &[u8]) -> Result<(), ImageError> {
        let is_used = |at: usize| {
            let mut fields = layout.fields.iter();
            fields.any(|field| (field.at..field.at + field.bytes).contains(&at))
        };
        for (at, &byte) in record.iter().enumerate() {
            let holds = byte == 0 || is_used(at);
            self.is(holds, &format!("byte {at}"), byte.into(), "0")?;
        }
        Ok(())
    }
}
