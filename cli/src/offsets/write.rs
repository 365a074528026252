//! A table file appears complete or not at all, and replaces nothing but a table file.

use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use crate::failure::Failure;
use crate::scratch::{Scratch, undivided};

/// First bytes of a table file.
const MAGIC: &[u8] = b"HDOT";

/// Refuses places that must not be written, before any work is done.
pub(super) fn check(target: &Path) -> Result<(), Failure> {
    let refused = |what: &str| Failure::new(format!("{}: {what}", target.display()));
    if target.as_os_str().is_empty() {
        return Err(Failure::new("output is empty, expected the name of a file"));
    }
    if target.file_name().is_none() {
        return Err(refused("is not the name of a file"));
    }
    let metadata = match fs::metadata(target) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(refused(&format!("cannot be read: {error}"))),
        Ok(metadata) => metadata,
    };
    if !metadata.is_file() {
        return Err(refused("is no file, expected a table file or none"));
    }
    let mut head = [0; MAGIC.len()];
    let read = File::open(target).and_then(|mut file| file.read_exact(&mut head));
    match read {
        Ok(()) if head == MAGIC => Ok(()),
        _ => Err(refused("is no table file, it is left alone")),
    }
}

/// Writes the file beside its place and moves it there.
pub(super) fn write(target: &Path, bytes: &[u8]) -> Result<(), Failure> {
    check(target)?;
    let failed =
        |error: io::Error| Failure::new(format!("cannot write {}: {error}", target.display()));
    // A link stays what it is.
    let place = match fs::canonicalize(target) {
        Ok(place) => place,
        Err(_) => std::path::absolute(target).map_err(failed)?,
    };
    let parent = place.parent().unwrap_or(Path::new("/"));
    let scratch = Scratch::inside(parent).map_err(|(folder, error): (PathBuf, _)| {
        Failure::new(format!(
            "cannot write {}: {}: {error}",
            target.display(),
            folder.display()
        ))
    })?;
    let draft = scratch.path().join("tables");
    let mut file = File::create(&draft).map_err(failed)?;
    file.write_all(bytes).map_err(failed)?;
    file.sync_all().map_err(failed)?;
    undivided(|| fs::rename(&draft, &place)).map_err(failed)
}
