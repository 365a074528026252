//! Tables for people.

/// A table: the first row is the heading.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Table {
    /// What it shows.
    pub title: String,
    /// Cells of the rows, as many in each of them.
    pub rows: Vec<Vec<String>>,
}

impl Table {
    /// A table without rows.
    pub(crate) fn new(title: impl Into<String>, heading: &[&str]) -> Self {
        Self {
            title: title.into(),
            rows: vec![heading.iter().map(|&cell| cell.to_string()).collect()],
        }
    }
}
