//! Names of networks and layers.

use std::ops::RangeInclusive;

/// Characters that no name may have, because a terminal obeys them or shows nothing: controls, zero widths, directions
/// and breaks of lines.
const HIDDEN: [RangeInclusive<char>; 6] = [
    '\0'..='\u{1f}',
    '\u{7f}'..='\u{9f}',
    '\u{200b}'..='\u{200f}',
    '\u{2028}'..='\u{202e}',
    '\u{2060}'..='\u{206f}',
    '\u{feff}'..='\u{feff}',
];

/// What [`is_name`] allows.
pub const NAME: &str = "1 to 64 characters, all of them visible";

/// Name of the input of a network in lists of inputs.
pub const INPUT_NAME: &str = "input";

/// Whether a text can be the name of a network or a layer.
#[must_use]
pub fn is_name(text: &str) -> bool {
    let hidden = |c: char| HIDDEN.iter().any(|range| range.contains(&c));
    (1..=64).contains(&text.chars().count()) && !text.contains(hidden)
}

/// The visible characters as a pattern of JSON schema.
pub(crate) fn name_pattern() -> String {
    let hidden = HIDDEN.iter().map(|range| {
        let [low, high] = [*range.start(), *range.end()].map(u32::from);
        format!(r"\u{low:04x}-\u{high:04x}")
    });
    format!("^[^{}]*$", hidden.collect::<String>())
}
