//! Layers on the sparse cluster: which unit does what, in which commands.
//!
//! A [`Plan`] says how a layer of a [`Shape`] is cut by a [`Split`] so that it fits the memories of the cluster, or what would
//! be needed. It is made from sizes alone and is cheap, so that many splits may be compared. A [`Program`] is what the cluster is given
//! for it: commands, the words of the weights, and how input and results are streamed.
//!
//! How a layer is cut, outermost first:
//! - *passes*: the groups of output channels whose sums the units hold at once,
//! - *folds*: parts of the map, one after the other,
//! - *parts*: the input channels whose weights a unit holds at once,
//! - units: cells of the map, shares of the output channels and of the input channels, all at the same time,
//! - *chunks*: the input channels that a set of a map memory holds, one after the other.
//!
//! Rows and columns are counted in three ways. *Padded* ones begin with the padding. Divided by the stride they are those of *entries*, which each
//! phase of the stride counts alone. A *result* is an entry's row with the last place of the kernel, so that output o
//! is result o + places - 1, for the places that the kernel has in a phase.

mod assign;
mod axis;
mod balance;
mod bits;
mod cells;
mod codec;
mod commands;
mod counts;
mod cuts;
mod error;
mod fit;
mod fold;
mod layer;
mod maps;
mod parts;
mod passed;
mod plan;
mod portions;
mod program;
mod route;
mod split;
mod streams;
mod sums;
mod table;
mod weights;
mod writer;

pub use assign::assign;
pub use axis::{Cell, Span, Stretch};
pub use balance::{Balance, Goal, balance};
pub use codec::{CodecError, Limits};
pub use counts::{Counts, Metric};
pub use error::PlanError;
pub use fold::Fold;
pub use layer::{Shape, Values};
pub use maps::Maps;
pub(crate) use parts::{Part, of_groups};
pub(crate) use passed::{MapPart, ResultPart};
pub use plan::{Pass, Plan, Resident, Stream};
pub use portions::Portions;
pub use program::{Program, clear};
pub use route::benes_route;
pub use split::{Halo, Split};
pub use sums::Sums;
