//! The table file: little-endian words of 32 bits, word by word in `docs/offsets.md`.

use super::{Masks, Tables};
use crate::fault::ConfigErrors;

/// First word, "HDOT" as bytes.
const MAGIC: u32 = u32::from_le_bytes(*b"HDOT");
/// Version of the format.
const VERSION: u32 = 1;
/// Offsets are steps.
const RUNNING: u32 = 1;
/// The words of the masks follow the offsets.
const MASKS: u32 = 2;
/// The weight base follows the head.
const WEIGHT_BASE: u32 = 4;
/// All flags.
const FLAGS: u32 = RUNNING | MASKS | WEIGHT_BASE;
/// Words before the weight base and the bases.
const HEAD_WORDS: usize = 8;
/// Bytes of the shortest file: head and checksum.
const BYTES_MIN: usize = (HEAD_WORDS + 1) * 4;

/// Why bytes are no table file. The message is the whole explanation.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TableFileError {
    /// Shorter than the shortest file.
    #[error("holds {found} bytes, expected at least {BYTES_MIN}, a table file without entries")]
    Short {
        /// Bytes that are there.
        found: usize,
    },
    /// A word of the head has a value that is not allowed.
    #[error("word {word}, {name}, is {found}, expected {expected}")]
    Head {
        /// Position of the word.
        word: usize,
        /// What the word is.
        name: &'static str,
        /// Its value, as it is usually written.
        found: String,
        /// What is allowed.
        expected: String,
    },
    /// Too short or too long for the counts of the head.
    #[error(
        "holds {found} bytes, expected {expected}: the head counts {rows} bases and {taps} offsets"
    )]
    Length {
        /// Bytes that are there.
        found: usize,
        /// Bytes that the head asks for.
        expected: u64,
        /// Bases.
        rows: u32,
        /// Offsets.
        taps: u32,
    },
    /// The last word does not belong to the others.
    #[error("the checksum is {found:#010x}, expected {expected:#010x}: the file was changed")]
    Checksum {
        /// The last word.
        found: u32,
        /// Checksum of the bytes before.
        expected: u32,
    },
    /// A tap uses bits that mean nothing.
    #[error("the mask word of tap {tap} is {found:#010x}, expected bits 16 to 31 to be 0")]
    Tap {
        /// The tap.
        tap: usize,
        /// Its word.
        found: u32,
    },
}

impl Tables {
    /// The table file.
    ///
    /// # Errors
    /// What [`Tables::check`] finds: faulty tables cannot be written.
    pub fn to_bytes(&self) -> Result<Vec<u8>, ConfigErrors> {
        self.check()?;
        let mut flags = 0;
        flags |= if self.running { RUNNING } else { 0 };
        flags |= if self.masks.is_some() { MASKS } else { 0 };
        flags |= if self.weight_base.is_some() {
            WEIGHT_BASE
        } else {
            0
        };
        let (rows, taps) = (self.bases.len() as u32, self.offsets.len() as u32);
        let shift = self.unit_shift;
        let mut words = vec![
            MAGIC,
            VERSION,
            flags,
            shift,
            rows,
            taps,
            self.pixels,
            self.outputs,
        ];
        words.extend(self.weight_base);
        words.extend(
            self.bases
                .iter()
                .chain(&self.offsets)
                .map(|entry| *entry as u32),
        );
        if let Some(masks) = &self.masks {
            let rows = masks.rows.iter().zip(&masks.cols);
            words.extend(rows.map(|(v, u)| u32::from(*v) | u32::from(*u) << 16));
            words.extend((masks.taps.iter()).map(|(v, u)| u32::from(*v) | u32::from(*u) << 8));
        }
        let mut bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        bytes.extend(crc32fast::hash(&bytes).to_le_bytes());
        Ok(bytes)
    }

    /// Reads a table file. [`Tables::check`] says whether what it holds can be used.
    ///
    /// # Errors
    /// The first thing that is wrong; nothing is read in part.
    pub fn from_bytes(bytes: &[u8]) -> Result<Tables, TableFileError> {
        let word = |index: usize| {
            let at = index * 4;
            let four = bytes.get(at..at + 4)?;
            Some(u32::from_le_bytes(four.try_into().ok()?))
        };
        // A file of another kind is named as such, however short it is.
        if let Some(found) = word(0).filter(|found| *found != MAGIC) {
            let expected = format!("{MAGIC:#010x}, a table file");
            return Err(head(0, "magic", format!("{found:#010x}"), expected));
        }
        if bytes.len() < BYTES_MIN {
            return Err(TableFileError::Short { found: bytes.len() });
        }
        let words: Vec<u32> = (bytes.chunks_exact(4))
            .map(|four| u32::from_le_bytes([four[0], four[1], four[2], four[3]]))
            .collect();
        let counts = check_head(&words)?;
        if bytes.len() as u64 != counts.bytes() {
            return Err(TableFileError::Length {
                found: bytes.len(),
                expected: counts.bytes(),
                rows: counts.rows as u32,
                taps: counts.taps as u32,
            });
        }
        let (body, last) = bytes.split_at(bytes.len() - 4);
        let found = u32::from_le_bytes([last[0], last[1], last[2], last[3]]);
        let expected = crc32fast::hash(body);
        if found != expected {
            return Err(TableFileError::Checksum { found, expected });
        }
        counts.read(&words)
    }
}

fn head(word: usize, name: &'static str, found: String, expected: String) -> TableFileError {
    TableFileError::Head {
        word,
        name,
        found,
        expected,
    }
}

/// What the head says about the words that follow it.
struct Counts {
    flags: u32,
    rows: usize,
    taps: usize,
}

/// Checks the head; `words` has at least its words.
fn check_head(words: &[u32]) -> Result<Counts, TableFileError> {
    let number = |word, name, expected| Err(head(word, name, words[word].to_string(), expected));
    if words[1] != VERSION {
        return number(1, "version", VERSION.to_string());
    }
    if words[2] & !FLAGS != 0 {
        return number(2, "flags", format!("0 to {FLAGS}"));
    }
    if words[3] > Tables::UNIT_SHIFT_MAX {
        return number(3, "unit_shift", format!("0 to {}", Tables::UNIT_SHIFT_MAX));
    }
    for (word, name) in [(4, "rows"), (5, "taps"), (6, "pixels"), (7, "outputs")] {
        if !(1..=Tables::COUNT_MAX).contains(&words[word]) {
            return number(word, name, format!("1 to {}", Tables::COUNT_MAX));
        }
    }
    Ok(Counts {
        flags: words[2],
        rows: words[4] as usize,
        taps: words[5] as usize,
    })
}

impl Counts {
    fn has(&self, flag: u32) -> bool {
        self.flags & flag != 0
    }

    /// Bytes of the file. Both counts have 16 bits.
    fn bytes(&self) -> u64 {
        let lists = if self.has(MASKS) { 2 } else { 1 };
        let entries = (self.rows + self.taps) * lists;
        let weight_base = usize::from(self.has(WEIGHT_BASE));
        ((HEAD_WORDS + weight_base + entries + 1) * 4) as u64
    }

    /// The tables of a file of the right length.
    fn read(&self, words: &[u32]) -> Result<Tables, TableFileError> {
        let mut rest = words[HEAD_WORDS..].iter().copied();
        let weight_base = if self.has(WEIGHT_BASE) {
            rest.next()
        } else {
            None
        };
        let entries = |word: u32| word as i32;
        let bases = rest.by_ref().take(self.rows).map(entries).collect();
        let offsets = rest.by_ref().take(self.taps).map(entries).collect();
        let masks = match self.has(MASKS) {
            true => Some(self.read_masks(rest)?),
            false => None,
        };
        Ok(Tables {
            bases,
            offsets,
            running: self.has(RUNNING),
            unit_shift: words[3],
            masks,
            pixels: words[6],
            outputs: words[7],
            weight_base,
        })
    }

    fn read_masks(&self, mut rest: impl Iterator<Item = u32>) -> Result<Masks, TableFileError> {
        let (rows, cols) = (rest.by_ref().take(self.rows))
            .map(|word| (word as u16, (word >> 16) as u16))
            .unzip();
        let tap = |(tap, found): (usize, u32)| match found >> 16 {
            0 => Ok((found as u8, (found >> 8) as u8)),
            _ => Err(TableFileError::Tap { tap, found }),
        };
        let taps = rest.take(self.taps).enumerate().map(tap);
        Ok(Masks {
            rows,
            cols,
            taps: taps.collect::<Result<_, _>>()?,
        })
    }
}
