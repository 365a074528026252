//! A unit that works tile by tile: a small array of sums in registers, the values of a tile and the weights that they meet beside it, and
//! products that find their sums by an index, or as a matrix at a place of the array.

mod add_select;
mod arbiter;
mod bank;
mod control;
mod matrix;
mod out;
mod pairs;
mod pick;
mod scatter;
mod shape;
mod slots;
mod sort;
mod sums;
mod unit;
mod walk;
mod waves;
mod window;

pub use add_select::{TileAdd, TileSelect};
pub use arbiter::TileArbiter;
pub use bank::{TileBank, TileBankRow};
pub use control::{TileControl, TileState};
pub use matrix::TileMatrix;
pub use out::TileOut;
pub use pairs::TilePairs;
pub use pick::TilePick;
pub use scatter::TileScatter;
pub use shape::TileShape;
pub use slots::TileSlots;
pub use sort::TileSort;
pub use sums::TileSums;
pub use unit::TileUnit;
pub use walk::TileWalk;
pub use waves::*;
pub use window::TileWindow;
