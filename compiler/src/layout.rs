//! Where the elements of tensors lie in the partitions: as planes of channels, or as matrices.

mod matrix_place;
mod matrix_tensor;
mod order;
mod tensor;

pub(crate) use matrix_place::Run;
pub use matrix_place::{MatrixPlace, MatrixShape};
pub use matrix_tensor::MatrixTensor;
pub use order::{Phases, PixelOrder};
pub use tensor::TensorPlan;
pub(crate) use tensor::{Distances, Footprint};
