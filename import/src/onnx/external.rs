//! Constants whose elements lie in a file beside the model.

use std::collections::BTreeMap;

use super::schema::{Model, Tensor};

/// Most bytes that are taken from other files.
const BYTES_MAX: usize = 1 << 30;

/// What reads the file of a name, or says why it cannot be had.
pub type ReadBeside<'a> = &'a mut dyn FnMut(&str) -> Result<Vec<u8>, String>;

/// Takes the elements of constants out of other files.
///
/// # Errors
/// If a file cannot be had, or does not hold them.
pub fn load(model: &mut Model, read: ReadBeside<'_>) -> Result<(), String> {
    let graph = model.graph.as_mut();
    let tensors = graph.map_or(&mut [][..], |graph| &mut graph.initializers);
    let mut files = BTreeMap::new();
    let mut left = BYTES_MAX;
    for tensor in tensors.iter_mut().filter(|tensor| tensor.location == 1) {
        let raw = elements(tensor, &mut files, &mut left, read);
        tensor.raw = raw.map_err(|error| format!("tensor {:?}: {error}", tensor.name))?;
        tensor.location = 0;
    }
    Ok(())
}

/// The bytes of a constant; each file is read once.
fn elements(
    tensor: &Tensor,
    files: &mut BTreeMap<String, Vec<u8>>,
    left: &mut usize,
    read: ReadBeside<'_>,
) -> Result<Vec<u8>, String> {
    let entry = |key: &str| tensor.external.iter().find(|entry| entry.key == key);
    let number = |key| match entry(key).map(|entry| &entry.value) {
        None => Ok(None),
        Some(value) => match value.parse::<usize>() {
            Ok(number) => Ok(Some(number)),
            Err(_) => Err(format!("has {key} {value:?}, expected a number of bytes")),
        },
    };
    let name = &entry("location")
        .ok_or("has no location, expected a file")?
        .value;
    if !files.contains_key(name) {
        files.insert(name.clone(), read(name)?);
    }
    let file = &files[name];
    let (start, length) = (number("offset")?.unwrap_or(0), number("length")?);
    let length = length.unwrap_or(file.len().saturating_sub(start));
    let end = start.checked_add(length);
    let found = end.and_then(|end| file.get(start..end)).ok_or_else(|| {
        format!(
            "has {length} bytes from {start} on of {name:?}, which has {}",
            file.len()
        )
    })?;
    *left = left
        .checked_sub(length)
        .ok_or_else(|| format!("has more than {} MiB with others", BYTES_MAX >> 20))?;
    Ok(found.to_vec())
}
