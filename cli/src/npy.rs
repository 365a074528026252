//! NumPy's .npy files with elements of one byte.
//!
//! The format is a magic number, a version, the length of a header, the header (a Python dictionary
//! with `descr`, `fortran_order` and `shape`) and the elements. The crates that read it bring a
//! parser generator for that dictionary; three fields do not need one.

const MAGIC: &[u8] = b"\x93NUMPY";

/// The elements, in the order of the file, and whether they are uint8.
///
/// # Errors
/// If it is no .npy file, its elements are not int8 or uint8 in C order, or some are missing.
pub fn values(file: &[u8]) -> Result<(&[u8], bool), String> {
    let unlike = || "is not a .npy file".to_string();
    let rest = file.strip_prefix(MAGIC).ok_or_else(unlike)?;
    let (length_bytes, rest) = match rest {
        [1, _, rest @ ..] => (2, rest),
        [2 | 3, _, rest @ ..] => (4, rest),
        [major, minor, ..] => {
            return Err(format!(
                "is a .npy file of version {major}.{minor}, expected 1.0, 2.0 or 3.0"
            ));
        }
        _ => return Err(unlike()),
    };
    let (length, rest) = rest.split_at_checked(length_bytes).ok_or_else(unlike)?;
    let length = length.iter().rev().fold(0, |n, b| n << 8 | usize::from(*b));
    let (header, values) = rest.split_at_checked(length).ok_or_else(unlike)?;
    let header = String::from_utf8_lossy(header);

    let descr = field(&header, "descr").unwrap_or("missing");
    let descr = descr.trim_matches(['\'', '"']);
    if !matches!(descr, "|i1" | "|u1" | "i1" | "u1") {
        return Err(format!(
            "has elements of type {}, expected int8 or uint8",
            descr.escape_debug()
        ));
    }
    if field(&header, "fortran_order") != Some("False") {
        return Err("is in Fortran order, expected C order".to_string());
    }
    let elements = field(&header, "shape").and_then(elements);
    let elements = elements.ok_or("has no shape, expected a tuple of sizes")?;
    if values.len() != elements {
        return Err(format!(
            "holds {} bytes, expected {elements} by its shape",
            values.len()
        ));
    }
    Ok((values, descr.ends_with("u1")))
}

/// The text of a value of the dictionary: up to the comma, or to the end of a tuple.
fn field<'a>(header: &'a str, name: &str) -> Option<&'a str> {
    let quoted = [format!("'{name}'"), format!("\"{name}\"")];
    let mut found = quoted.iter().filter_map(|key| {
        let at = header.find(key.as_str())?;
        header[at + key.len()..].trim_start().strip_prefix(':')
    });
    let value = found.next()?.trim_start();
    let end = match value.strip_prefix('(') {
        Some(tuple) => tuple.find(')')? + 2,
        None => value.find([',', '}'])?,
    };
    Some(value[..end].trim())
}

/// The product of the sizes of a tuple.
fn elements(shape: &str) -> Option<usize> {
    let sizes = shape.strip_prefix('(')?.strip_suffix(')')?;
    let sizes = sizes.split(',').map(str::trim).filter(|s| !s.is_empty());
    sizes
        .map(|size| size.parse::<usize>().ok())
        .try_fold(1usize, |product, size| product.checked_mul(size?))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(version: &[u8], header: &str, data: &[u8]) -> Vec<u8> {
        let length = (header.len() as u32).to_le_bytes();
        let length = if version[0] == 1 {
            &length[..2]
        } else {
            &length
        };
        [MAGIC, version, length, header.as_bytes(), data].concat()
    }

    #[test]
    fn arrays_of_bytes_are_read() {
        for (version, header) in [
            (
                [1, 0],
                "{'descr': '|i1', 'fortran_order': False, 'shape': (2, 3), }\n",
            ),
            (
                [2, 0],
                "{\"shape\":(6,),\"fortran_order\":False,\"descr\":\"|u1\"}",
            ),
            (
                [3, 0],
                "{'descr': 'u1', 'shape': (1, 2, 3), 'fortran_order': False}",
            ),
        ] {
            let file = file(&version, header, &[1, 2, 3, 4, 5, 6]);
            let expected = (&[1, 2, 3, 4, 5, 6][..], header.contains("u1"));
            assert_eq!(values(&file), Ok(expected), "{header}");
        }
        let scalar = "{'descr': '|i1', 'fortran_order': False, 'shape': ()}";
        assert_eq!(values(&file(&[1, 0], scalar, &[9])), Ok((&[9][..], false)));
    }

    #[test]
    fn everything_else_is_refused() {
        let bytes =
            |shape: &str| format!("{{'descr': '|i1', 'fortran_order': False, 'shape': {shape}}}");
        for (version, header, message) in [
            (
                [4, 0],
                bytes("(2,)"),
                "is a .npy file of version 4.0, expected 1.0, 2.0 or 3.0",
            ),
            (
                [1, 0],
                bytes("(2,)").replace("|i1", "<f4"),
                "has elements of type <f4, expected int8 or uint8",
            ),
            (
                [1, 0],
                bytes("(2,)").replace("False", "True"),
                "is in Fortran order, expected C order",
            ),
            (
                [1, 0],
                bytes("(3,)"),
                "holds 2 bytes, expected 3 by its shape",
            ),
            (
                [1, 0],
                bytes("(4294967296, 4294967296, 2)"),
                "has no shape, expected a tuple of sizes",
            ),
            (
                [1, 0],
                bytes("2"),
                "has no shape, expected a tuple of sizes",
            ),
            (
                [1, 0],
                "{}".to_string(),
                "has elements of type missing, expected int8 or uint8",
            ),
        ] {
            let found =
                values(&file(&version, &header, &[1, 2])).map(|(values, _)| values.to_vec());
            assert_eq!(found, Err(message.to_string()), "{header}");
        }
    }

    #[test]
    fn damaged_files_never_panic() {
        let good = file(
            &[1, 0],
            "{'descr': '|i1', 'fortran_order': False, 'shape': (2,)}",
            &[1, 2],
        );
        for end in 0..good.len() {
            assert!(values(&good[..end]).is_err(), "{end}");
        }
        for at in 0..good.len() {
            for byte in [0, b'\'', b'(', b')', b',', 0xff] {
                let mut damaged = good.clone();
                damaged[at] = byte;
                let _ = values(&damaged);
            }
        }
    }
}
