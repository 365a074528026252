//! Words of up to 32 bytes.

use std::fmt;

/// A word as a number of up to 256 bits: byte k is bits 8k+7..8k, and unit k of B bits is bits
/// (k+1)B-1..kB.
#[derive(Clone, Copy, PartialEq, Eq, Default, Hash)]
pub struct Word([u64; 4]);

impl Word {
    /// The word without a bit set.
    pub const ZERO: Self = Self([0; 4]);

    /// The word of 64-bit numbers, bits 63..0 first.
    pub fn from_limbs(limbs: [u64; 4]) -> Self {
        Self(limbs)
    }

    /// Bits 63..0, 127..64, 191..128 and 255..192.
    pub fn limbs(self) -> [u64; 4] {
        self.0
    }

    /// Bits 63..0.
    pub fn low(self) -> u64 {
        self.0[0]
    }

    /// The word whose byte 0 comes first.
    ///
    /// # Panics
    /// If there are more than 32 bytes.
    pub fn from_le_bytes(bytes: &[u8]) -> Self {
        let mut word = Self::ZERO;
        for (k, byte) in bytes.iter().enumerate() {
            word.0[k / 8] |= u64::from(*byte) << (8 * (k % 8));
        }
        word
    }

    /// The word whose most significant byte comes first.
    ///
    /// # Panics
    /// If there are more than 32 bytes.
    pub fn from_be_bytes(bytes: &[u8]) -> Self {
        let reversed: Vec<u8> = bytes.iter().rev().copied().collect();
        Self::from_le_bytes(&reversed)
    }

    /// The low `bytes` bytes, byte 0 first.
    pub fn to_le_bytes(self, bytes: usize) -> Vec<u8> {
        let all = self.0.iter().flat_map(|limb| limb.to_le_bytes());
        all.take(bytes).collect()
    }

    /// The low `bytes` bytes, most significant first.
    pub fn to_be_bytes(self, bytes: usize) -> Vec<u8> {
        let mut list = self.to_le_bytes(bytes);
        list.reverse();
        list
    }

    /// Unit `unit` of `bits` bits (4, 8, 16 or 32).
    pub fn unit(self, unit: usize, bits: usize) -> u32 {
        let lsb = unit * bits;
        (self.0[lsb / 64] >> (lsb % 64) & unit_ones(bits)) as u32
    }

    /// The word with another value in unit `unit` of `bits` bits.
    #[must_use]
    pub fn with_unit(mut self, unit: usize, bits: usize, value: u32) -> Self {
        let lsb = unit * bits;
        let limb = &mut self.0[lsb / 64];
        *limb &= !(unit_ones(bits) << (lsb % 64));
        *limb |= (u64::from(value) & unit_ones(bits)) << (lsb % 64);
        self
    }

    /// One bit for each of `units` units of `bits` bits: bit k is 1 if unit k is not zero.
    pub fn mask(self, units: usize, bits: usize) -> u64 {
        (0..units).fold(0, |mask, k| mask | u64::from(self.unit(k, bits) != 0) << k)
    }
}

fn unit_ones(bits: usize) -> u64 {
    (1 << bits) - 1
}

impl From<u64> for Word {
    fn from(low: u64) -> Self {
        Self([low, 0, 0, 0])
    }
}

impl fmt::LowerHex for Word {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let top = self.0.iter().rposition(|limb| *limb != 0).unwrap_or(0);
        write!(f, "{:x}", self.0[top])?;
        for limb in self.0[..top].iter().rev() {
            write!(f, "{limb:016x}")?;
        }
        Ok(())
    }
}

impl fmt::Debug for Word {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "0x{self:x}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_and_bytes_are_counted_from_the_low_end() {
        let bytes: Vec<u8> = (1..=32).collect();
        let word = Word::from_le_bytes(&bytes);
        assert_eq!(word.low(), 0x0807_0605_0403_0201);
        assert_eq!(word.unit(31, 8), 32);
        assert_eq!(word.unit(5, 32), 0x1817_1615);
        assert_eq!(word.unit(1, 4), 0);
        // Bytes 16 and 32 have a zero low half, bytes 1 to 15 a zero high half.
        assert_eq!(word.mask(64, 4), 0xbfff_ffff_9555_5555);
        assert_eq!(word.with_unit(9, 16, 0).mask(16, 16), 0xfdff);
        assert_eq!(word.to_le_bytes(32), bytes);
        assert_eq!(Word::from_be_bytes(&word.to_be_bytes(32)), word);
        assert_eq!(
            format!("{:?}", Word::from_le_bytes(&[7; 9])),
            "0x70707070707070707"
        );
    }
}
