//! NumPy's .npz files: zip archives with a .npy file for each array.

use std::io::{Cursor, Read, Write};

use zip::write::SimpleFileOptions;
use zip::{ZipArchive, ZipWriter};

use crate::npy::{self, Array};

/// What an archive begins with, empty ones too.
const MAGIC: [&[u8]; 2] = [b"PK\x03\x04", b"PK\x05\x06"];

/// Whether bytes are those of an archive.
pub fn is_npz(file: &[u8]) -> bool {
    MAGIC.iter().any(|magic| file.starts_with(magic))
}

/// Names of the arrays of an archive, in the order of the archive.
///
/// # Errors
/// If the archive is damaged.
pub fn names(file: &[u8]) -> Result<Vec<String>, String> {
    let archive = open(file)?;
    let names = archive.file_names();
    Ok(names
        .filter_map(|name| name.strip_suffix(".npy"))
        .map(str::to_string)
        .collect())
}

/// Reads the array of a name; it takes at most so many bytes.
///
/// # Errors
/// If the archive or the array is damaged or too large, or there is no such array.
pub fn read(file: &[u8], name: &str, bytes_max: u64) -> Result<Array, String> {
    let mut archive = open(file)?;
    let member = archive.by_name(&format!("{name}.npy"));
    let member = member.map_err(|error| format!("array {name:?}: {error}"))?;
    let mut bytes = Vec::new();
    let read = member.take(bytes_max + 1).read_to_end(&mut bytes);
    read.map_err(|error| format!("array {name:?}: {error}"))?;
    if bytes.len() as u64 > bytes_max {
        let limit = bytes_max >> 20;
        return Err(format!(
            "array {name:?} is too large, expected at most {limit} MiB"
        ));
    }
    npy::read(&bytes).map_err(|error| format!("array {name:?} {error}"))
}

fn open(file: &[u8]) -> Result<ZipArchive<Cursor<&[u8]>>, String> {
    ZipArchive::new(Cursor::new(file)).map_err(|error| format!("is no .npz file: {error}"))
}

/// The archive of some arrays; no two have the same name.
///
/// # Errors
/// If an array is too large for an archive.
pub fn write(arrays: &[(String, Array)]) -> Result<Vec<u8>, String> {
    let mut archive = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, array) in arrays {
        let failed = |error: &dyn std::fmt::Display| format!("array {name:?}: {error}");
        let started = archive.start_file(format!("{name}.npy"), SimpleFileOptions::default());
        started.map_err(|error| failed(&error))?;
        let written = archive.write_all(&npy::write(array));
        written.map_err(|error| failed(&error))?;
    }
    let finished = archive.finish().map_err(|error| error.to_string())?;
    Ok(finished.into_inner())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::npy::Element;

    fn array(bytes: &[u8]) -> Array {
        Array {
            element: Element::Uint8,
            shape: vec![bytes.len()],
            bytes: bytes.to_vec(),
        }
    }

    #[test]
    fn what_was_written_is_read() {
        let arrays = [
            ("/b/out".to_string(), array(&[1, 2, 3])),
            ("a".to_string(), array(&[])),
        ];
        let file = write(&arrays).expect("an archive");
        assert!(is_npz(&file) && is_npz(&write(&[]).expect("an archive")));
        let mut found = names(&file).expect("names");
        found.sort();
        assert_eq!(found, ["/b/out", "a"]);
        for (name, array) in &arrays {
            assert_eq!(read(&file, name, 1000).as_ref(), Ok(array), "{name}");
        }
        assert!(file == write(&arrays).expect("an archive"), "no date");
        let large = read(&file, "a", 10).expect_err("it is larger");
        assert!(large.contains("\"a\" is too large"), "{large}");
        assert!(read(&file, "c", 1000).is_err());
    }

    #[test]
    fn damaged_files_never_panic() {
        let good = write(&[("a".to_string(), array(&[1, 2, 3]))]).expect("an archive");
        for end in 0..good.len() {
            let _ = read(&good[..end], "a", 1000);
        }
        for at in 0..good.len() {
            for byte in [0, 1, 0x7f, 0xff] {
                let mut damaged = good.clone();
                damaged[at] = byte;
                let _ = read(&damaged, "a", 1000);
            }
        }
    }
}
