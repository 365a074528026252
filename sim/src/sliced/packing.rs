//! Mask, count, packing and unpacking of one word. Byte 0 is the leftmost, most significant byte.

/// One flag per byte: the byte has at least one bit set.
pub fn mask(word: &[u8]) -> Vec<bool> {
    word.iter().map(|byte| *byte != 0).collect()
}

/// Number of non-zero bytes that a mask announces.
pub fn pop(mask: &[bool]) -> usize {
    mask.iter().filter(|bit| **bit).count()
}

/// A mask of up to 64 bytes as a number, first byte in the most significant bit.
pub fn mask_number(mask: &[bool]) -> u64 {
    mask.iter().fold(0, |n, bit| n << 1 | u64::from(*bit))
}

/// Non-zero bytes first, in their order, then the zero bytes.
pub fn pack(word: &[u8]) -> Vec<u8> {
    let mut packed: Vec<u8> = word.iter().copied().filter(|byte| *byte != 0).collect();
    packed.resize(word.len(), 0);
    packed
}

/// Puts the k-th packed byte at the place of the k-th set mask bit and zero everywhere else.
///
/// # Panics
/// If `packed` has fewer bytes than the mask announces.
pub fn unpack(packed: &[u8], mask: &[bool]) -> Vec<u8> {
    let mut bytes = packed.iter();
    let mut next = || *bytes.next().expect("a packed byte for every set mask bit");
    mask.iter()
        .map(|bit| if *bit { next() } else { 0 })
        .collect()
}

/// Which data slices an access needs for `pop` non-zero bytes; `widths` are the slices' bytes.
pub fn enables(pop: usize, widths: &[usize]) -> Vec<bool> {
    let mut before = 0;
    widths
        .iter()
        .map(|width| {
            let needed = pop > before;
            before += width;
            needed
        })
        .collect()
}
