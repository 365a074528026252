//! The words of a transfer in memory, and the bursts that they make.

use heddle_arch::transfer::Transfer;

/// Bytes of a page, which no burst leaves.
const PAGE: u64 = 4096;

/// Words that follow one another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Burst {
    /// Byte address of the first word.
    pub address: u64,
    /// Words.
    pub beats: u32,
}

impl Burst {
    /// Byte address of each word.
    pub fn words(self) -> impl Iterator<Item = u64> {
        (0..u64::from(self.beats)).map(move |word| self.address + 8 * word)
    }
}

/// The bursts of a transfer that begins at `begin`, of at most `most` words each. What a fill says of memory is nothing.
pub fn bursts(transfer: &Transfer, begin: u64, most: u32) -> Vec<Burst> {
    let mut found: Vec<Burst> = Vec::new();
    if transfer.fill {
        return found;
    }
    let [x, y, z] = transfer.loops;
    for k in 0..u64::from(z.count) {
        for j in 0..u64::from(y.count) {
            let row = begin + k * u64::from(z.pitch) + j * u64::from(y.pitch);
            let words = u64::from(x.count) * u64::from(x.pitch) / 8;
            for address in (0..words).map(|word| row + 8 * word) {
                match found.last_mut() {
                    Some(burst)
                        if address == burst.address + 8 * u64::from(burst.beats)
                            && address % PAGE != 0
                            && burst.beats < most =>
                    {
                        burst.beats += 1;
                    }
                    _ => found.push(Burst { address, beats: 1 }),
                }
            }
        }
    }
    found
}
