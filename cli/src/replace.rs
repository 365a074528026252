//! Single files: one appears complete or not at all, and replaces nothing but a file of its kind.

use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use crate::failure::Failure;
use crate::scratch::{Scratch, undivided};

/// A kind of file that heddle writes.
#[derive(Debug, Clone, Copy)]
pub struct FileKind {
    /// Name of such a file.
    pub name: &'static str,
    /// Where the bytes stand that it is known by, which is at the beginning or behind a length.
    pub at: usize,
    /// These bytes.
    pub begins: &'static [u8],
}

/// Tables of the offset unit.
pub const TABLES: FileKind = FileKind {
    name: "table file",
    at: 0,
    begins: b"HDOT",
};

/// Programs.
pub const PROGRAM: FileKind = FileKind {
    name: "program file",
    at: 0,
    begins: b"{\n  \"format\": \"heddle-program-",
};

/// The host's part of programs, in Python: all versions begin alike.
pub const LAYOUT: FileKind = FileKind {
    name: "heddle_layout.py",
    at: 0,
    begins: b"\"\"\"Where a program of `heddle compile` wants its tensors",
};

/// Configurations.
pub const CONFIG: FileKind = FileKind {
    name: "configuration",
    at: 0,
    begins: b"{\n  \"name\": ",
};

/// Networks.
pub const NETWORK: FileKind = FileKind {
    name: "network file",
    at: 0,
    begins: b"{\"format\":\"heddle-network-",
};

/// Weights of a network.
pub const WEIGHTS: FileKind = FileKind {
    name: "file of weights that heddle has written",
    at: 8,
    begins: b"{\"__metadata__\":{\"format\":\"heddle-weights-1\"}",
};

/// Images.
pub const IMAGE: FileKind = FileKind {
    name: "image",
    at: 0,
    begins: heddle_arch::image::MAGIC,
};

/// Arrays.
pub const ARRAYS: FileKind = FileKind {
    name: ".npz file",
    at: 0,
    begins: b"PK\x03\x04",
};

/// Refuses places that must not be written, before any work is done.
pub fn check(target: &Path, kind: FileKind) -> Result<(), Failure> {
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
        return Err(refused(&format!(
            "is no file, expected a {} or none",
            kind.name
        )));
    }
    let mut head = vec![0; kind.at + kind.begins.len()];
    let read = File::open(target).and_then(|mut file| file.read_exact(&mut head));
    match read {
        Ok(()) if head[kind.at..] == *kind.begins => Ok(()),
        _ => Err(refused(&format!("is no {}, it is left alone", kind.name))),
    }
}

/// Writes the file unless it has these bytes already.
pub fn update(target: &Path, kind: FileKind, bytes: &[u8]) -> Result<(), Failure> {
    match fs::read(target) {
        Ok(found) if found == bytes => Ok(()),
        _ => write(target, kind, bytes),
    }
}

/// Writes the file beside its place and moves it there.
pub fn write(target: &Path, kind: FileKind, bytes: &[u8]) -> Result<(), Failure> {
    check(target, kind)?;
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
    let draft = scratch.path().join("file");
    let mut file = File::create(&draft).map_err(failed)?;
    file.write_all(bytes).map_err(failed)?;
    file.sync_all().map_err(failed)?;
    undivided(|| fs::rename(&draft, &place)).map_err(failed)
}
