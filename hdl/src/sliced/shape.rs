//! Sizes and options of a sliced memory.

/// How far units are moved when a word is packed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Network {
    /// To the first free position.
    Full,
    /// By at most half the word.
    Half,
    /// Within each half of the word, and the right half behind the left one if both fit there.
    Split,
}
