//! What loads take and drains give.

use super::axis::Span;

/// What a load takes of the input.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct MapPart {
    pub(crate) rows: Span,
    pub(crate) cols: Span,
    pub(crate) channels: Span,
    /// Channels of a chunk.
    pub(crate) lanes: u32,
}

/// What a drain gives of the output.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ResultPart {
    pub(crate) groups: Span,
    pub(crate) rows: Span,
    pub(crate) cols: Span,
}
