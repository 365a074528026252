//! What post-processing can do besides scaling.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Options of post-processing: pooling in front of the scaling, left shifts in it, activation functions behind it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Post {
    /// A drain may reduce windows of sums to one: maximum, minimum or sum.
    pub pooling: bool,
    /// Pooling may multiply the sums of a window.
    pub product: bool,
    /// Longest window whose median pooling finds. 0: no median.
    #[schemars(range(min = 0, max = 32))]
    pub median: u32,
    /// Tables of 256 bytes, each for one activation function. 0: no activation.
    #[schemars(range(min = 0, max = 8))]
    pub activations: u32,
    /// Sums may be shifted to the left in front of the multiplication: scales from 1 on. Without it a left shift is
    /// taken as 0; the compiler refuses networks that need one.
    pub left_shift: bool,
    /// A sum may hold the sums of two inputs, each scaled by a factor of its own: what the exact sum of two quantised tensors needs.
    pub dual_scale: bool,
    /// Columns that share one multiplier with its adders, shifter and clamp. Results then go to post-processing in
    /// one of so many clocks.
    #[schemars(extend("enum" = [1, 2, 4]))]
    pub columns_per_multiplier: u32,
}

impl Default for Post {
    fn default() -> Self {
        Self {
            pooling: false,
            product: false,
            median: 0,
            activations: 0,
            left_shift: false,
            dual_scale: false,
            columns_per_multiplier: 1,
        }
    }
}

impl Post {
    /// Most tables of activation functions.
    pub const ACTIVATIONS_MAX: u32 = 8;

    /// Without any option.
    pub fn is_plain(&self) -> bool {
        *self == Self::default()
    }

    /// Clock cycles by which the options lengthen the way of a result: one for pooling, another one for
    /// the median, two for the left shift, two for activation, one for a multiplier of more than one column.
    pub fn extra_cycles(&self) -> u32 {
        u32::from(self.pooling)
            + u32::from(self.median > 0)
            + 2 * u32::from(self.left_shift)
            + 2 * u32::from(self.activations > 0)
            + u32::from(self.columns_per_multiplier > 1)
    }
}
