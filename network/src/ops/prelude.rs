//! What the file of an operator is written with.

pub(super) use heddle_arch::requantise::{Rounding, Scale};
pub(super) use schemars::JsonSchema;
pub(super) use serde::{Deserialize, Serialize};

pub(super) use super::{LayerKind, Operator, OperatorFile, Reads, Reduction, Sum, Work};
pub(super) use super::{pairs, sums, windows};
pub(super) use crate::draft::{Draft, WINDOW_MAX};
pub(super) use crate::file::{
    Common, ConstantFile, InputScalesFile, Need, PaddingFile, ScaledFile, WindowFile,
};
pub(super) use crate::{Axis, Constant, Layer, NetworkError, Padding, Shape, Tensor};
