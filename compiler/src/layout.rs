//! Where the elements of tensors lie in the partitions: as planes of channels, or as matrices.

mod fills;
mod host_planes;
mod matrix_place;
mod matrix_tensor;
mod nest;
mod order;
mod tensor;

pub(crate) use fills::fills;
pub(crate) use host_planes::HostPlanes;
pub(crate) use matrix_place::Run;
pub use matrix_place::{MatrixPlace, MatrixShape};
pub use matrix_tensor::MatrixTensor;
pub(crate) use nest::{Kind, Piece, folded};
pub use order::{Phases, PixelOrder};
pub use tensor::TensorPlan;
pub(crate) use tensor::{Distances, Footprint};
