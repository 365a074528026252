//! The offset unit of `docs/offsets.md`: addresses `base[m] + offset[k]` from two tables.

mod shape;

pub use shape::OffsetShape;
