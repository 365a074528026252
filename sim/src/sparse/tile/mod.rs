//! The unit that works tile by tile: what a round does ([`rounds`]), when ([`ScatterModel`]), and with its memory ([`TileModel`]).

mod results;
pub mod rounds;
mod scatter;
mod unit;

pub use results::{TilePool, TileResults};
pub use scatter::{
    Matrix, ScatterInputs, ScatterModel, ScatterOutputs, TileBeat, TileSettings, TileSizes,
};
pub use unit::{TileCommand, TileInputs, TileModel, TileOutputs, TileSide, TileState};
