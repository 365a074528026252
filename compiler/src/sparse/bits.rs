//! Bits in bytes, bit 0 first.

use heddle_arch::word::BYTE_BITS;

const BITS: usize = BYTE_BITS as usize;

/// Bits one after the other.
#[derive(Debug, Default)]
pub(super) struct BitWriter {
    bytes: Vec<u8>,
    /// Bits of the last byte, 1 to 8; 0 if there is none.
    used: u32,
}

impl BitWriter {
    pub(super) fn push(&mut self, bit: bool) {
        match self.bytes.last_mut() {
            Some(last) if self.used < BYTE_BITS => *last |= u8::from(bit) << self.used,
            _ => {
                self.bytes.push(bit.into());
                self.used = 0;
            }
        }
        self.used += 1;
    }

    /// The bytes; bits behind the last one are 0.
    pub(super) fn into_bytes(self) -> Vec<u8> {
        self.bytes
    }
}

/// The same bits.
#[derive(Debug)]
pub(super) struct BitReader<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> BitReader<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, at: 0 }
    }

    pub(super) fn read(&mut self) -> Option<bool> {
        let byte = self.bytes.get(self.at / BITS)?;
        let bit = byte >> (self.at % BITS) & 1;
        self.at += 1;
        Some(bit == 1)
    }

    /// All bytes are read, and bits behind the last one are 0.
    pub(super) fn is_at_end(&self) -> bool {
        let rest = self.bytes.last().filter(|_| self.at % BITS > 0);
        self.at.div_ceil(BITS) == self.bytes.len()
            && rest.is_none_or(|byte| byte >> (self.at % BITS) == 0)
    }
}
