//! What post-processing can do besides scaling.

use super::activate::ACTIVATE_LATENCY;
use super::requantise::{LEFT_SHIFT_LATENCY, REQUANTISE_LATENCY};
use heddle_arch::Params;
use heddle_kernel::prelude::*;

/// Options of post-processing. What is not asked for is not built.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PostOptions {
    /// Windows of sums are reduced in front of the scaling: maximum, minimum, sum.
    pub pooling: bool,
    /// Windows may be multiplied.
    pub product: bool,
    /// Longest window for a median; 0 without one.
    pub median: usize,
    /// Tables of activation functions.
    pub activations: usize,
    /// Sums may be shifted to the left in front of the multiplication.
    pub left_shift: bool,
    /// A sum may have two parts, each with a factor of its own.
    pub dual_scale: bool,
    /// Columns that share a multiplier: 1, 2 or 4. A slot for post comes in one of so many clocks.
    pub columns_per_multiplier: usize,
    /// Says a clock before it that the word of column 0 leaves.
    pub announces: bool,
}

impl PostOptions {
    /// Scaling alone.
    pub const NONE: Self = Self {
        pooling: false,
        product: false,
        median: 0,
        activations: 0,
        left_shift: false,
        dual_scale: false,
        columns_per_multiplier: 1,
        announces: false,
    };

    /// The options of a configuration.
    pub fn of(params: &Params) -> Self {
        let post = &params.post;
        Self {
            pooling: post.pooling,
            product: post.product,
            median: post.median as usize,
            activations: post.activations as usize,
            left_shift: post.left_shift,
            dual_scale: post.dual_scale,
            columns_per_multiplier: post.columns_per_multiplier as usize,
            announces: params.has_dma(),
        }
    }

    /// Cycles from a sum on a lane to the scaling.
    pub fn pool_latency(&self) -> usize {
        usize::from(self.pooling) + usize::from(self.median > 0)
    }

    /// Cycles from a sum in front of the scaling to its byte.
    pub fn scale_latency(&self) -> usize {
        REQUANTISE_LATENCY
            + LEFT_SHIFT_LATENCY * usize::from(self.left_shift)
            + usize::from(self.shares())
    }

    /// Columns share a multiplier.
    pub fn shares(&self) -> bool {
        self.columns_per_multiplier > 1
    }

    /// Cycles from the scaling to the byte packer.
    pub fn activate_latency(&self) -> usize {
        if self.activations > 0 {
            ACTIVATE_LATENCY
        } else {
            0
        }
    }

    /// Cycles from `valid_i` of a lane until its byte reaches the byte packer.
    pub fn latency(&self) -> usize {
        self.pool_latency() + self.scale_latency() + self.activate_latency()
    }

    /// Cycles by which the options lengthen a lane.
    pub fn extra(&self) -> usize {
        self.latency() - REQUANTISE_LATENCY
    }

    /// Adds a line about the clocks of a module, which the options make longer.
    pub fn describe_clocks(&self, meta: Meta) -> Meta {
        match self.extra() {
            0 => meta,
            1 => meta.doc("Options of post-processing add one cycle to that."),
            cycles => meta.doc(format!(
                "Options of post-processing add {cycles} cycles to that."
            )),
        }
    }

    /// Adds the options to what a module says about itself.
    pub fn describe(&self, meta: Meta) -> Meta {
        meta.feature("pooling", "pl", self.pooling.into(), "windows are reduced")
            .feature(
                "product",
                "pm",
                self.product.into(),
                "windows may be multiplied",
            )
            .feature("median", "md", self.median, "longest window for a median")
            .feature(
                "activations",
                "fn",
                self.activations,
                "tables of activation functions",
            )
            .feature(
                "left_shift",
                "ls",
                self.left_shift.into(),
                "sums may be shifted to the left",
            )
            .feature(
                "dual_scale",
                "ds",
                self.dual_scale.into(),
                "sums may have two parts and a factor for each",
            )
            .feature(
                "columns_per_multiplier",
                "cm",
                if self.shares() {
                    self.columns_per_multiplier
                } else {
                    0
                },
                "columns that share a multiplier",
            )
    }
}
