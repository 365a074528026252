//! The GEMM core of `docs/offsets.md`: offset unit, operand and weight memories, array, results.

mod bank;
mod banks;
mod core;
mod counters;
mod describe;
mod issue;
mod operand_row;
mod passes;
mod results;
mod settings;
mod shape;
mod skew;
mod waves;
mod weights;

pub use self::core::Gemm;
pub use bank::OperandBank;
pub use banks::OperandBanks;
pub use counters::{GemmCounters, ReadCount};
pub use issue::GemmIssue;
pub use operand_row::{OperandRow, OperandRows};
pub use passes::PassQueue;
pub use results::{ResultIssue, ResultName};
pub use settings::GemmSettings;
pub use shape::GemmShape;
pub use skew::OperandSkew;
pub use waves::{Operand, OperandWrite, Pass, ResultTag};
pub use weights::{WeightColumn, WeightMemory};
