//! The DMA: loads and stores that walk memory and the machine with three loops each, and their AXI4 channels.

mod bursts;
mod check;
mod engine;
mod error;
mod intake;
mod load;
mod open;
mod places;
mod queue;
mod read;
mod shape;
mod store;
mod timeout;
mod walker;
mod windows;
mod write;

pub use bursts::Bursts;
pub use check::TransferCheck;
pub use engine::{Dma, DmaEvents, DmaFault};
pub use error::DmaError;
pub use intake::{EntryPair, TransferIntake, TransferWrite};
pub use load::{HeadWrite, LoadEngine};
pub use open::OpenBursts;
pub use places::Places;
pub use queue::{Transfer, TransferQueue};
pub use read::ReadChannels;
pub use shape::DmaShape;
pub use store::{HeadRead, StoreEngine};
pub use timeout::TimeOut;
pub use walker::Walker;
pub use windows::{WindowWrite, Windows};
pub use write::WriteChannels;
