//! Why a layer has no plan.

/// Why a layer cannot be computed as it is split. The message is the whole explanation.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PlanError {
    /// A field of the layer or of the split.
    #[error("{field} is {found}, expected {expected}")]
    OutOfRange {
        /// The field.
        field: &'static str,
        /// Its value.
        found: i64,
        /// What is allowed.
        expected: String,
    },
    /// A field of the configuration.
    #[error("sparse.{field} is {found}, {what} {needed}; or {way}")]
    TooSmall {
        /// The field.
        field: &'static str,
        /// Its value.
        found: u64,
        /// What needs more.
        what: &'static str,
        /// How much it needs.
        needed: u64,
        /// Another way out.
        way: &'static str,
    },
}

impl PlanError {
    /// Names another way out.
    pub(super) fn or(mut self, way: &str) -> Self {
        if let PlanError::OutOfRange { expected, .. } = &mut self {
            *expected += ": ";
            *expected += way;
        }
        self
    }
}

/// Whether a value is one of those allowed.
pub(super) fn check(
    field: &'static str,
    found: impl Into<i64>,
    allowed: std::ops::RangeInclusive<i64>,
) -> Result<(), PlanError> {
    let found = found.into();
    if allowed.contains(&found) {
        return Ok(());
    }
    let (low, high) = allowed.into_inner();
    let expected = match low == high {
        true => low.to_string(),
        false => format!("{low} to {high}"),
    };
    Err(PlanError::OutOfRange {
        field,
        found,
        expected,
    })
}
