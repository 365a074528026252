//! Why a nest is refused.

use std::fmt;

/// A place in the text of a nest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Place {
    /// Line, counted from 1.
    pub line: usize,
    /// Character of the line, counted from 1.
    pub column: usize,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}, column {}", self.line, self.column)
    }
}

/// Kinds of refusals.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Refusal {
    /// The text does not follow the grammar.
    Syntax,
    /// A number beyond [`NUMBER_MAX`](super::NUMBER_MAX).
    Number,
    /// A declaration that contradicts itself or another one.
    Declaration,
    /// An array that is not declared beside others that are.
    UnknownArray,
    /// A subscript with a name that is no loop around it.
    UnknownIndex,
    /// A number of subscripts other than that of the array's dimensions.
    Subscripts,
    /// A subscript that leaves the array.
    OutOfBounds,
    /// A loop without an iteration.
    NoIteration,
    /// A loop that never ends.
    Endless,
    /// Loops that rows cannot walk one after another.
    Structure,
    /// An attached row whose addresses depend on the loops around it.
    Dependent,
    /// More rows or loops than the unit has, or an option that it lacks.
    Capacity,
    /// An offset, base or address that has too many bits.
    Width,
    /// Two iterations with one address, found by [`Plan::check_unique`](super::Plan::check_unique).
    Duplicate,
    /// More addresses than [`Plan::check_unique`](super::Plan::check_unique) compares.
    TooMany,
}

/// Why a nest is refused. The message is the whole explanation.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}{message}", prefix(.place))]
pub struct NestError {
    /// Where in the text; `None` for a nest that was built in Rust.
    pub place: Option<Place>,
    /// Kind of the refusal.
    pub refusal: Refusal,
    /// What was found and what is allowed.
    pub message: String,
}

impl NestError {
    pub(crate) fn new(place: Option<Place>, refusal: Refusal, message: impl Into<String>) -> Self {
        Self {
            place,
            refusal,
            message: message.into(),
        }
    }
}

fn prefix(place: &Option<Place>) -> String {
    place.map_or(String::new(), |place| format!("{place}: "))
}
