//! NumPy's .npy files.
//!
//! The format is a magic number, a version, the length of a header, the header (a Python dictionary
//! with `descr`, `fortran_order` and `shape`) and the elements. The crates that read it (npyz, ndarray-npy) bring a
//! parser generator for that dictionary, which three fields do not need, and npyz 0.8.4 panics where the product of the
//! sizes overflows.

const MAGIC: &[u8] = b"\x93NUMPY";

/// Type of the elements of an array.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Element {
    /// int8.
    Int8,
    /// uint8.
    Uint8,
    /// int32.
    Int32,
    /// float32.
    Float32,
}

impl Element {
    /// All of them.
    const ALL: [Element; 4] = [
        Element::Int8,
        Element::Uint8,
        Element::Int32,
        Element::Float32,
    ];

    /// Its name in the header; one of a byte may stand without the sign of the order of bytes.
    const fn descr(self) -> &'static str {
        match self {
            Element::Int8 => "|i1",
            Element::Uint8 => "|u1",
            Element::Int32 => "<i4",
            Element::Float32 => "<f4",
        }
    }

    /// Its name in messages.
    pub const fn name(self) -> &'static str {
        match self {
            Element::Int8 => "int8",
            Element::Uint8 => "uint8",
            Element::Int32 => "int32",
            Element::Float32 => "float32",
        }
    }

    const fn bytes(self) -> usize {
        match self {
            Element::Int8 | Element::Uint8 => 1,
            Element::Int32 | Element::Float32 => 4,
        }
    }
}

/// An array in C order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Array {
    /// Type of the elements.
    pub element: Element,
    /// Sizes, the outermost first.
    pub shape: Vec<usize>,
    /// The elements, the lowest byte of each first.
    pub bytes: Vec<u8>,
}

impl Array {
    /// The elements if they have one byte.
    ///
    /// # Errors
    /// If they have more.
    pub fn into_bytes(self) -> Result<Vec<u8>, String> {
        match self.element {
            Element::Int8 | Element::Uint8 => Ok(self.bytes),
            Element::Int32 | Element::Float32 => {
                let descr = self.element.descr();
                Err(format!(
                    "has elements of type {descr}, expected int8 or uint8"
                ))
            }
        }
    }
}

/// Reads an array.
///
/// # Errors
/// If it is no .npy file, its elements are of another type or not in C order, or some are missing.
pub fn read(file: &[u8]) -> Result<Array, String> {
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
    let is_named = |element: &Element| {
        let name = element.descr();
        descr == name || Some(descr) == name.strip_prefix('|')
    };
    let element = Element::ALL.into_iter().find(is_named).ok_or_else(|| {
        format!(
            "has elements of type {}, expected int8, uint8 or float32 (lowest byte first)",
            descr.escape_debug()
        )
    })?;
    match field(&header, "fortran_order") {
        Some("False") => {}
        Some("True") => return Err("is in Fortran order, expected C order".to_string()),
        _ => return Err("does not say fortran_order, expected False".to_string()),
    }
    let shape = field(&header, "shape").and_then(shape);
    let shape = shape.ok_or("has no shape, expected a tuple of sizes")?;
    let product = |bytes: usize, &size: &usize| bytes.checked_mul(size);
    let bytes = shape.iter().try_fold(element.bytes(), product);
    let bytes = bytes.ok_or_else(|| {
        format!("has the shape {shape:?}, expected one whose elements fit in memory")
    })?;
    if values.len() != bytes {
        return Err(format!(
            "holds {} bytes, expected {bytes} by its shape",
            values.len()
        ));
    }
    Ok(Array {
        element,
        shape,
        bytes: values.to_vec(),
    })
}

/// The file of an array.
pub fn write(array: &Array) -> Vec<u8> {
    let sizes: String = array.shape.iter().map(|size| format!("{size}, ")).collect();
    let mut header = format!(
        "{{'descr': '{}', 'fortran_order': False, 'shape': ({}), }}",
        array.element.descr(),
        sizes.trim_end()
    );
    // Elements begin at a multiple of 64; magic, version and length take ten bytes.
    let end = (10 + header.len() + 1).next_multiple_of(64) - 11;
    header = format!("{header:end$}\n");
    let length = (header.len() as u16).to_le_bytes();
    [MAGIC, &[1, 0], &length, header.as_bytes(), &array.bytes].concat()
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

/// The sizes of a tuple.
fn shape(text: &str) -> Option<Vec<usize>> {
    let sizes = text.strip_prefix('(')?.strip_suffix(')')?;
    let sizes = sizes.split(',').map(str::trim).filter(|s| !s.is_empty());
    sizes.map(|size| size.parse().ok()).collect()
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
    fn arrays_are_read() {
        for (version, header, element, shape) in [
            (
                [1, 0],
                "{'descr': '|i1', 'fortran_order': False, 'shape': (2, 4), }\n",
                Element::Int8,
                &[2, 4][..],
            ),
            (
                [2, 0],
                "{\"shape\":(8,),\"fortran_order\":False,\"descr\":\"|u1\"}",
                Element::Uint8,
                &[8],
            ),
            (
                [3, 0],
                "{'descr': 'u1', 'shape': (1, 2, 4), 'fortran_order': False}",
                Element::Uint8,
                &[1, 2, 4],
            ),
            (
                [1, 0],
                "{'descr': '<i4', 'fortran_order': False, 'shape': (2, 1)}",
                Element::Int32,
                &[2, 1],
            ),
            (
                [1, 0],
                "{'descr': '<f4', 'fortran_order': False, 'shape': (1, 2)}",
                Element::Float32,
                &[1, 2],
            ),
        ] {
            let bytes = vec![1, 2, 3, 4, 5, 6, 7, 8];
            let expected = Array {
                element,
                shape: shape.to_vec(),
                bytes: bytes.clone(),
            };
            let found = read(&file(&version, header, &bytes)).expect(header);
            assert_eq!(found, expected, "{header}");
            let written = write(&expected);
            assert_eq!((written.len() - 8) % 64, 0, "{header}");
            assert_eq!(read(&written), Ok(expected), "{header}");
        }
        let scalar = "{'descr': '|i1', 'fortran_order': False, 'shape': ()}";
        let found = read(&file(&[1, 0], scalar, &[9])).expect("one element");
        assert_eq!((found.shape, found.bytes), (vec![], vec![9]));
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
                bytes("(2,)").replace("|i1", ">f4"),
                "has elements of type >f4, expected int8, uint8 or float32 (lowest byte first)",
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
                "has the shape [4294967296, 4294967296, 2], expected one whose elements fit in memory",
            ),
            (
                [1, 0],
                bytes("(2,)").replace("fortran", "other"),
                "does not say fortran_order, expected False",
            ),
            (
                [1, 0],
                bytes("2"),
                "has no shape, expected a tuple of sizes",
            ),
            (
                [1, 0],
                "{}".to_string(),
                "has elements of type missing, expected int8, uint8 or float32 (lowest byte first)",
            ),
        ] {
            let found = read(&file(&version, &header, &[1, 2]));
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
            assert!(read(&good[..end]).is_err(), "{end}");
        }
        for at in 0..good.len() {
            for byte in [0, b'\'', b'(', b')', b',', 0xff] {
                let mut damaged = good.clone();
                damaged[at] = byte;
                let _ = read(&damaged);
            }
        }
    }
}
