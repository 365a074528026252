//! Post-processing: scaling of the 32-bit sums to bytes, collecting the bytes to words, and handing the
//! words to their partitions; as options, pooling in front of the scaling and activation functions behind it.

mod activate;
mod byte_packer;
mod dual;
mod lane;
mod median;
mod multiply;
mod options;
mod place;
mod pool;
mod requantise;
mod rotate;
mod round;
mod row;
mod saturate;
mod shared;
mod waves;

pub use activate::{ACTIVATE_LATENCY, Activate};
pub use byte_packer::{BytePacker, PackIssue, PackSlot, PackSlotReg};
pub use dual::DualMultiply;
pub use lane::PostLane;
pub use median::MedianChain;
pub use multiply::HighMultiply;
pub use options::PostOptions;
pub use place::DrainPlace;
pub use pool::PoolLane;
pub use requantise::Requantise;
pub use rotate::DrainRotate;
pub use round::RoundingShift;
pub use row::Post;
pub use saturate::SaturatingShift;
pub use shared::{ScaleOperand, SharedRequantise};
pub use waves::{DrainSettings, PostSlot, ScaleWrite, TableWrite};
