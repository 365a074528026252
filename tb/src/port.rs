#![allow(
    clippy::undocumented_unsafe_blocks,
    reason = "each access is what its function asks of its caller"
)]

use std::ffi::c_void;

/// Handle of a port in one model; look it up once with `Model::port`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PortId(pub(crate) u32);

/// Where and how a model stores a port. Verilator keeps bits above the width at 0, and so must
/// every writer.
#[derive(Debug, Clone)]
pub(crate) struct PortSlot {
    pub name: String,
    pub width: u32,
    pub output: bool,
    /// Storage: 1, 2, 4 or 8 bytes up to 8, 16, 32 or 64 bits, else 32-bit words, low word first.
    pub pointer: *mut c_void,
}

impl PortSlot {
    /// Ones in the low `width` bits, at most 64.
    fn mask(width: u32) -> u64 {
        u64::MAX >> (64 - width.clamp(1, 64))
    }

    pub(crate) fn words(&self) -> usize {
        self.width.div_ceil(32) as usize
    }

    /// # Safety
    /// The model that owns the storage is alive and not being evaluated.
    #[inline]
    pub(crate) unsafe fn read(&self) -> u64 {
        match self.width {
            0..=8 => u64::from(unsafe { *self.pointer.cast::<u8>() }),
            9..=16 => u64::from(unsafe { *self.pointer.cast::<u16>() }),
            17..=32 => u64::from(unsafe { *self.pointer.cast::<u32>() }),
            33..=64 => unsafe { *self.pointer.cast::<u64>() },
            width => panic!("{} has {width} bits, expected at most 64", self.name),
        }
    }

    /// # Safety
    /// As `read`, and nobody else refers to the storage.
    #[inline]
    pub(crate) unsafe fn write(&self, value: u64) {
        let value = value & Self::mask(self.width);
        match self.width {
            0..=8 => unsafe { *self.pointer.cast::<u8>() = value as u8 },
            9..=16 => unsafe { *self.pointer.cast::<u16>() = value as u16 },
            17..=32 => unsafe { *self.pointer.cast::<u32>() = value as u32 },
            33..=64 => unsafe { *self.pointer.cast::<u64>() = value },
            width => panic!("{} has {width} bits, expected at most 64", self.name),
        }
    }

    /// # Safety
    /// As `read`; the port is wider than 64 bits.
    unsafe fn wide(&self) -> &[u32] {
        unsafe { std::slice::from_raw_parts(self.pointer.cast::<u32>(), self.words()) }
    }

    /// # Safety
    /// As `write`; the port is wider than 64 bits.
    #[allow(clippy::mut_from_ref)] // the storage belongs to the C++ model, not to this value
    unsafe fn wide_mut(&self) -> &mut [u32] {
        unsafe { std::slice::from_raw_parts_mut(self.pointer.cast::<u32>(), self.words()) }
    }

    /// # Safety
    /// As `read`.
    pub(crate) unsafe fn read_words(&self, to: &mut [u32]) {
        assert_eq!(to.len(), self.words(), "words of {}", self.name);
        if self.width > 64 {
            to.copy_from_slice(unsafe { self.wide() });
            return;
        }
        let value = unsafe { self.read() };
        for (index, word) in to.iter_mut().enumerate() {
            *word = (value >> (32 * index)) as u32;
        }
    }

    /// # Safety
    /// As `write`.
    pub(crate) unsafe fn write_words(&self, from: &[u32]) {
        assert_eq!(from.len(), self.words(), "words of {}", self.name);
        if self.width > 64 {
            let words = unsafe { self.wide_mut() };
            words.copy_from_slice(from);
            let last = words.last_mut().expect("a wide port has words");
            *last &= Self::mask((self.width - 1) % 32 + 1) as u32;
            return;
        }
        let value = from
            .iter()
            .rev()
            .fold(0, |value: u64, word| (value << 32) | u64::from(*word));
        unsafe { self.write(value) };
    }

    fn check_range(&self, lsb: u32, width: u32) {
        let inside = lsb.checked_add(width).is_some_and(|end| end <= self.width);
        assert!(
            inside && (1..=64).contains(&width),
            "{}[{lsb} +: {width}] is out of range, expected 1 to 64 of {} bits",
            self.name,
            self.width
        );
    }

    /// # Safety
    /// As `read`.
    pub(crate) unsafe fn read_bits(&self, lsb: u32, width: u32) -> u64 {
        self.check_range(lsb, width);
        if self.width <= 64 {
            return (unsafe { self.read() } >> lsb) & Self::mask(width);
        }
        let words = unsafe { self.wide() };
        let first = (lsb / 32) as usize;
        // 64 bits at any offset touch at most three words.
        let mut value = 0u128;
        for (index, word) in words[first..].iter().take(3).enumerate() {
            value |= u128::from(*word) << (32 * index);
        }
        ((value >> (lsb % 32)) as u64) & Self::mask(width)
    }

    /// # Safety
    /// As `write`.
    pub(crate) unsafe fn write_bits(&self, lsb: u32, width: u32, value: u64) {
        self.check_range(lsb, width);
        let value = value & Self::mask(width);
        if self.width <= 64 {
            let kept = unsafe { self.read() } & !(Self::mask(width) << lsb);
            unsafe { self.write(kept | (value << lsb)) };
            return;
        }
        let words = unsafe { self.wide_mut() };
        let mask = u128::from(Self::mask(width)) << (lsb % 32);
        let value = u128::from(value) << (lsb % 32);
        let first = (lsb / 32) as usize;
        for (index, word) in words[first..].iter_mut().take(3).enumerate() {
            let shift = 32 * index;
            *word = (*word & !((mask >> shift) as u32)) | (value >> shift) as u32;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn slot(width: u32, storage: *mut c_void) -> PortSlot {
        PortSlot {
            name: "p".into(),
            width,
            output: false,
            pointer: storage,
        }
    }

    #[test]
    fn narrow_values_are_masked() {
        for width in [1, 7, 8, 9, 16, 17, 31, 32, 33, 63, 64] {
            let mut storage = 0u64;
            let port = slot(width, (&raw mut storage).cast());
            // SAFETY: the storage is larger than any narrow port.
            unsafe {
                port.write(u64::MAX);
                assert_eq!(port.read(), u64::MAX >> (64 - width), "{width}");
            }
            assert_eq!(storage, u64::MAX >> (64 - width), "{width}");
        }
    }

    #[test]
    fn bits_agree_with_a_model_of_single_bits() {
        for width in [5u32, 20, 64, 65, 100, 256] {
            let mut storage = [0u32; 8];
            let port = slot(width, storage.as_mut_ptr().cast());
            let mut bits = vec![false; width as usize];
            let mut state = 1u64;
            for _ in 0..2000 {
                state = state
                    .wrapping_mul(6_364_136_223_846_793_005)
                    .wrapping_add(99);
                let n = 1 + (state >> 33) as u32 % width.min(64);
                let lsb = (state >> 17) as u32 % (width - n + 1);
                let value = state.rotate_left(23);
                for k in 0..n {
                    bits[(lsb + k) as usize] = (value >> k) & 1 == 1;
                }
                // SAFETY: the storage holds 256 bits.
                unsafe {
                    port.write_bits(lsb, n, value);
                    for (k, bit) in bits.iter().enumerate() {
                        assert_eq!(port.read_bits(k as u32, 1), u64::from(*bit));
                    }
                    assert_eq!(port.read_bits(lsb, n), value & PortSlot::mask(n));
                }
            }
        }
    }

    #[test]
    fn top_word_of_a_wide_port_is_masked() {
        let mut storage = [0u32; 4];
        let port = slot(100, storage.as_mut_ptr().cast());
        // SAFETY: the storage holds 128 bits.
        unsafe { port.write_words(&[u32::MAX; 4]) };
        assert_eq!(storage, [u32::MAX, u32::MAX, u32::MAX, 0xf]);
    }

    #[test]
    #[should_panic(expected = "p[60 +: 8] is out of range, expected 1 to 64 of 64 bits")]
    fn range_outside_the_port_is_refused() {
        let mut storage = 0u64;
        // SAFETY: refused before the access.
        unsafe { slot(64, (&raw mut storage).cast()).read_bits(60, 8) };
    }
}
