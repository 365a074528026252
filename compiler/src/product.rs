//! What the array does for a layer: tiled products. Weights in the order in which they are loaded, walks over the operands,
//! and the instructions of all that, for layers of planes and, in [`matrix`], for matrices.

mod cluster;
mod column_run;
mod drains;
mod flatten;
mod layer;
mod mapping;
pub mod matrix;
mod phased_taps;
mod pixel_blocks;
mod pixel_orders;
mod pixel_tiles;
mod reduction;
mod row_tables;
mod row_weights;
mod streaming;
mod walk;
mod weights;
mod windows;

pub(crate) use cluster::ClusterLayer;
pub(crate) use flatten::Flattening;
pub(crate) use layer::PlacedLayer;
pub use mapping::Mapping;
pub(crate) use pixel_blocks::PixelBlocks;
pub(crate) use pixel_orders::Orders;
pub(crate) use row_tables::{RowEntries, RowTables};
pub(crate) use streaming::tile_clocks;
pub(crate) use weights::WeightPlan;
pub(crate) use windows::{check_windows, pooled, sums_phases};
