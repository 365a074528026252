//! Constants for operators whose reference is no single scaled sum, and the proof over all inputs of what they give.

mod channel;
mod hard_swish;
pub mod host;
pub mod int32;
mod inverse_root;
mod mean;
mod meaning;

mod sum;
mod table;

pub use channel::{channel, single};
pub use mean::mean;
pub use meaning::made;
pub use sum::Sum;
pub use table::{Function, table, table_exact};

/// How the outputs of a layer differ from those of the reference kernel, over all inputs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Difference {
    /// Inputs that were tried: all there are.
    pub cases: u64,
    /// Those with another output.
    pub wrong: u64,
    /// Largest distance of an output.
    pub most: u32,
}

impl Difference {
    /// Compares two outputs for each input.
    fn of(pairs: impl Iterator<Item = (i32, i32)>) -> Difference {
        pairs.fold(Difference::default(), |found, (one, other)| Difference {
            cases: found.cases + 1,
            wrong: found.wrong + u64::from(one != other),
            most: found.most.max(one.abs_diff(other)),
        })
    }

    /// As reports show it.
    #[must_use]
    pub fn text(self) -> String {
        let Difference { cases, wrong, most } = self;
        format!("at most {most} away, {wrong} of {cases} inputs")
    }

    /// Those of two sets of inputs.
    pub fn and(self, other: Difference) -> Difference {
        Difference {
            cases: self.cases + other.cases,
            wrong: self.wrong + other.wrong,
            most: self.most.max(other.most),
        }
    }
}
