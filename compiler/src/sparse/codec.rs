//! Maps without their zeros: split again and again, a part of zeros is one bit.
//!
//! | bytes | |
//! |---|---|
//! | 0..2, 2..4, 4..6 | rows, columns, maps |
//! | 6..8, 8..10, 10..12 | levels, rows and columns of the smallest cell |
//! | 12..16 | bytes of the tree |
//! | then | the tree of each map, bit 0 of a byte first |
//! | then | the bytes that are not zero, in the order of the tree |
//! | the last 4 | CRC-32 of all before |
//!
//! All numbers are little-endian. A tree is 0 if nothing of its part is other than zero. Else it is 1, and then the trees of its two or four
//! parts, row by row; or, if it is not split any more, a bit for each position, row by row: whether its byte is one of those that follow. There
//! is one form of each stack of maps for each limit, and no other one is taken.

use super::axis::Span;
use super::bits::{BitReader, BitWriter};
use super::maps::Maps;

/// Levels that the sides of any map can be halved.
const LEVELS: u32 = 16;
/// Bytes in front of the tree.
const HEAD: usize = 16;

/// How far maps are split (FSA-25).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Times that a map is split at most, 0 to 16.
    pub levels: u32,
    /// Rows and columns of a part that is not split in them any more, 1 to 65535.
    pub cell: [u32; 2],
}

/// Why bytes are no compressed maps, or maps cannot be compressed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CodecError {
    /// A limit is out of range.
    #[error("levels {}, cell {} x {}: expected 0 to 16, from 1 x 1 to 65535 x 65535", .0.levels, .0.cell[0], .0.cell[1])]
    Limits(Limits),
    /// The maps have more bytes than the caller takes, or than can be counted.
    #[error("the maps have {found} bytes, at most {most} are taken")]
    TooLarge {
        /// Bytes of the maps.
        found: u64,
        /// How many are taken.
        most: u64,
    },
    /// There is less than the form needs.
    #[error("the bytes end in the {0}")]
    Short(&'static str),
    /// Something is there that compressing never makes.
    #[error("{0}")]
    Damaged(&'static str),
}

impl Limits {
    fn check(self) -> Result<Self, CodecError> {
        let is_side = |side: u32| (1..=65535).contains(&side);
        match self.levels <= LEVELS && self.cell.into_iter().all(is_side) {
            true => Ok(self),
            false => Err(CodecError::Limits(self)),
        }
    }

    /// The parts of a part of a map, if it is split at this level.
    fn parts(&self, [rows, cols]: &[Span; 2], level: u32) -> Option<Vec<[Span; 2]>> {
        let half = |span: &Span, least: u32| match span.len() as u32 > least {
            true => {
                let middle = span.start + (span.len() as u32).div_ceil(2);
                vec![span.start..middle, middle..span.end]
            }
            false => vec![span.clone()],
        };
        let (rows, cols) = (half(rows, self.cell[0]), half(cols, self.cell[1]));
        let count = rows.len() * cols.len();
        let parts = rows.into_iter();
        let parts = parts.flat_map(|row| cols.iter().map(move |col| [row.clone(), col.clone()]));
        (level < self.levels && count > 1).then(|| parts.collect())
    }
}

impl Maps {
    /// The maps without their zeros (FSA-25): maps, partitions, weights as maps of their kernel, or outputs of all units once they are one map
    /// again (FSA-87). No memory of the machine needs it; [`decompress`](Self::decompress) gives the maps back.
    ///
    /// # Errors
    /// A limit is out of range, or the tree has 2^32 bytes or more.
    pub fn compress(&self, limits: &Limits) -> Result<Vec<u8>, CodecError> {
        let limits = limits.check()?;
        let mut encoder = Encoder {
            limits,
            cols: self.size[1],
            tree: BitWriter::default(),
            values: Vec::new(),
        };
        for map in &self.maps {
            encoder.part(map, &self.size.map(|side| 0..side), 0);
        }
        let tree = encoder.tree.into_bytes();
        let length = u32::try_from(tree.len()).map_err(|_| CodecError::TooLarge {
            found: tree.len() as u64,
            most: u32::MAX.into(),
        })?;
        let [rows, cols] = self.size;
        let head = [rows, cols, self.maps.len() as u32, limits.levels];
        let head = head.into_iter().chain(limits.cell);
        let mut bytes: Vec<u8> = head.flat_map(|side| (side as u16).to_le_bytes()).collect();
        bytes.extend(length.to_le_bytes());
        bytes.extend(tree);
        bytes.extend(encoder.values);
        bytes.extend(crc32fast::hash(&bytes).to_le_bytes());
        Ok(bytes)
    }

    /// The maps of what [`compress`](Self::compress) has made. `most` says how many bytes they may have: a few bytes can stand for four
    /// thousand millions.
    ///
    /// # Errors
    /// The bytes are no compressed maps, or the maps have more bytes.
    pub fn decompress(bytes: &[u8], most: u64) -> Result<Self, CodecError> {
        let (head, rest) = bytes
            .split_at_checked(HEAD)
            .ok_or(CodecError::Short("head"))?;
        let content = rest
            .len()
            .checked_sub(4)
            .ok_or(CodecError::Short("checksum"))?;
        let (content, crc) = rest.split_at(content);
        if crc != crc32fast::hash(&bytes[..bytes.len() - 4]).to_le_bytes() {
            return Err(CodecError::Damaged(
                "the checksum is not that of the content",
            ));
        }
        let half = |at: usize| u32::from(u16::from_le_bytes([head[2 * at], head[2 * at + 1]]));
        let (size, maps) = ([half(0), half(1)], half(2));
        let limits = Limits {
            levels: half(3),
            cell: [half(4), half(5)],
        };
        let limits = limits.check()?;
        let found = u64::from(size[0]) * u64::from(size[1]);
        let found = found.saturating_mul(maps.into());
        if found > most || usize::try_from(found).is_err() {
            return Err(CodecError::TooLarge { found, most });
        }
        if found == 0 {
            return Err(CodecError::Damaged(
                "maps without rows, columns or channels",
            ));
        }
        let length = (half(6) | half(7) << 16) as usize;
        let (tree, values) = content
            .split_at_checked(length)
            .ok_or(CodecError::Short("tree"))?;
        let mut decoder = Decoder {
            limits,
            cols: size[1],
            tree: BitReader::new(tree),
            values: values.iter(),
        };
        let maps = (0..maps)
            .map(|_| decoder.map(size))
            .collect::<Result<_, _>>()?;
        decoder.ends()?;
        Ok(Self { size, maps })
    }
}

/// Index of a position of a map.
fn places([rows, cols]: &[Span; 2], width: u32) -> impl Iterator<Item = usize> {
    let cols = cols.clone();
    let row = move |row: u32| cols.clone().map(move |col| (row * width + col) as usize);
    rows.clone().flat_map(row)
}

struct Encoder {
    limits: Limits,
    cols: u32,
    tree: BitWriter,
    values: Vec<u8>,
}

impl Encoder {
    /// A part of a map, and whether it has anything; as deep as there are levels.
    fn part(&mut self, map: &[u8], part: &[Span; 2], level: u32) {
        let has_values = places(part, self.cols).any(|place| map[place] != 0);
        self.tree.push(has_values);
        if !has_values {
            return;
        }
        if let Some(parts) = self.limits.parts(part, level) {
            return parts
                .iter()
                .for_each(|part| self.part(map, part, level + 1));
        }
        for place in places(part, self.cols) {
            self.tree.push(map[place] != 0);
            self.values.extend((map[place] != 0).then_some(map[place]));
        }
    }
}

struct Decoder<'a> {
    limits: Limits,
    cols: u32,
    tree: BitReader<'a>,
    values: std::slice::Iter<'a, u8>,
}

impl Decoder<'_> {
    fn map(&mut self, size: [u32; 2]) -> Result<Vec<u8>, CodecError> {
        let mut map = vec![0; size[0] as usize * size[1] as usize];
        self.part(&mut map, &size.map(|side| 0..side), 0)?;
        Ok(map)
    }

    fn bit(&mut self) -> Result<bool, CodecError> {
        self.tree.read().ok_or(CodecError::Short("tree"))
    }

    /// Fills a part of a map; tells whether it has anything. As deep as there are levels.
    fn part(&mut self, map: &mut [u8], part: &[Span; 2], level: u32) -> Result<bool, CodecError> {
        if !self.bit()? {
            return Ok(false);
        }
        let mut has_values = false;
        match self.limits.parts(part, level) {
            Some(parts) => {
                for part in &parts {
                    has_values |= self.part(map, part, level + 1)?;
                }
            }
            None => {
                for place in places(part, self.cols) {
                    if self.bit()? {
                        map[place] = self.value()?;
                        has_values = true;
                    }
                }
            }
        }
        match has_values {
            true => Ok(true),
            false => Err(CodecError::Damaged("a part of zeros that is split")),
        }
    }

    fn value(&mut self) -> Result<u8, CodecError> {
        match self.values.next() {
            Some(0) => Err(CodecError::Damaged("a zero among the values")),
            Some(value) => Ok(*value),
            None => Err(CodecError::Short("values")),
        }
    }

    fn ends(&self) -> Result<(), CodecError> {
        match self.tree.is_at_end() && self.values.len() == 0 {
            true => Ok(()),
            false => Err(CodecError::Damaged("there is more than the maps need")),
        }
    }
}
