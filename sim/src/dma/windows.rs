//! The pages that may be reached.

/// Four windows: first page, last page, may be read, may be written.
#[derive(Debug, Clone, Copy, Default)]
pub struct Windows(pub [(u32, u32, bool, bool); 4]);

impl Windows {
    /// Whether the word at a byte address may be read, or written. Addresses have so many bits.
    pub fn open(&self, address: u64, write: bool, bits: u32) -> bool {
        let page = address / 4096;
        let lies = |&(first, last, reads, writes): &(u32, u32, bool, bool)| {
            let may = if write { writes } else { reads };
            may && (u64::from(first)..=u64::from(last)).contains(&page)
        };
        address >> bits == 0 && self.0.iter().any(lies)
    }
}
