//! Activations from a file.

use std::path::Path;

use super::{Source, WORD_BYTES, Words, populations};
use crate::args::AdviseArgs;
use crate::failure::Failure;
use crate::input;
use crate::npy::{self, Array};

/// Largest file with activations.
const BYTES_MAX: u64 = 256 << 20;

/// Reads a file as words of `--word-bytes`, a zero for the bytes that equal `--zero-point`.
pub(super) fn read(path: &Path, args: &AdviseArgs) -> Result<Source, Failure> {
    let word_bytes = args.word_bytes.unwrap_or(8);
    if !WORD_BYTES.contains(&word_bytes) {
        return Err(Failure::new(format!(
            "--word-bytes is {word_bytes}, expected 4, 8, 16 or 32"
        )));
    }
    let zero_point = args.zero_point.unwrap_or(0);
    let zero = byte(zero_point).ok_or_else(|| {
        Failure::new(format!(
            "--zero-point is {zero_point}, expected -128 to 255"
        ))
    })?;
    let empty = populations(word_bytes, args)?;
    let shown = path.display();
    let mut bytes = match path.extension().and_then(|end| end.to_str()) {
        Some("json") => list(path)?,
        Some("npy") => {
            let file = input::read_bytes(path, "data", BYTES_MAX)?;
            npy::read(&file)
                .and_then(Array::into_bytes)
                .map_err(|error| Failure::new(format!("{shown}: {error}")))?
        }
        _ => input::read_bytes(path, "data", BYTES_MAX)?,
    };
    if bytes.is_empty() {
        return Err(Failure::new(format!(
            "{shown}: holds no activations, expected words of {word_bytes} bytes"
        )));
    }
    if bytes.len() % word_bytes as usize != 0 {
        return Err(Failure::new(format!(
            "{shown}: holds {} bytes, expected a multiple of {word_bytes}, the bytes of a word",
            bytes.len()
        )));
    }
    for byte in &mut bytes {
        *byte = byte.wrapping_sub(zero);
    }
    let mut words = Words::new("", &empty);
    for word in bytes.chunks_exact(word_bytes as usize) {
        words.add(word);
    }
    Ok(Source {
        title: shown.to_string(),
        word_bytes,
        configured: None,
        parts: vec![words],
        rows: None,
    })
}

/// An int8 or uint8 value as its byte.
fn byte(value: i64) -> Option<u8> {
    let signed = i8::try_from(value).map(|value| value as u8);
    signed.or_else(|_| u8::try_from(value)).ok()
}

/// The bytes of a JSON list.
fn list(path: &Path) -> Result<Vec<u8>, Failure> {
    let shown = path.display();
    let text = input::read_text(path, "data", BYTES_MAX)?;
    let values: Vec<i64> = serde_json::from_str(&text).map_err(|error| {
        let line = error.line();
        let text = error.to_string();
        let cause = text.split(" at line ").next().unwrap_or_default();
        Failure::new(format!(
            "{shown}:{line}: expected a JSON list of whole numbers from -128 to 255: {cause}"
        ))
    })?;
    let wrong = |(index, value): (usize, &i64)| {
        Failure::new(format!(
            "{shown}: value {index} is {value}, expected a whole number from -128 to 255"
        ))
    };
    (values.iter().enumerate())
        .map(|(index, value)| byte(*value).ok_or_else(|| wrong((index, value))))
        .collect()
}
