//! A layer as the cluster computes it.

use heddle_arch::isa::sparse::ChannelScale;
use heddle_arch::requantise::{Rounding, Scale};

use super::axis::Axis;
use super::error::{PlanError, check};

/// Rows, columns and channels of a layer. A fully connected layer is a kernel of one place over one position.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shape {
    /// Rows and columns of the input.
    pub input: [u32; 2],
    /// Input channels.
    pub inputs: u32,
    /// Rows and columns of the kernel.
    pub kernel: [u32; 2],
    /// Distance of outputs in rows and columns: 1, 2 or 4.
    pub stride: u32,
    /// Zeros above and on the left.
    pub padding: [u32; 2],
    /// Rows and columns of the output.
    pub output: [u32; 2],
    /// Output channels.
    pub outputs: u32,
    /// Each output channel is made of the input channel with its number alone.
    pub depthwise: bool,
}

impl Shape {
    /// Rows (0) or columns (1).
    pub(super) fn axis(&self, side: usize) -> Axis {
        Axis {
            kernel: self.kernel[side],
            stride_log2: self.stride_log2(),
            padding: self.padding[side],
            input: self.input[side],
        }
    }

    pub(super) fn stride_log2(&self) -> u32 {
        self.stride.ilog2()
    }

    /// Phases of the stride.
    pub(super) fn phases(&self) -> u32 {
        self.stride * self.stride
    }

    /// Input channels that an output channel is made of.
    fn inputs_each(&self) -> u32 {
        if self.depthwise { 1 } else { self.inputs }
    }

    /// The weight of an output channel at a place of the kernel for an input channel.
    pub(super) fn weight_index(&self, output: u32, [row, col]: [u32; 2], input: u32) -> usize {
        let input = if self.depthwise { 0 } else { input };
        let place = (output as usize * self.kernel[0] as usize + row as usize)
            * self.kernel[1] as usize
            + col as usize;
        place * self.inputs_each() as usize + input as usize
    }

    /// What the fields of the commands hold.
    pub(super) fn check(&self) -> Result<(), PlanError> {
        if ![1, 2, 4].contains(&self.stride) {
            return Err(PlanError::OutOfRange {
                field: "stride",
                found: self.stride.into(),
                expected: "1, 2 or 4".to_string(),
            });
        }
        for side in self.kernel {
            check("kernel rows or columns", side, 1..=16)?;
        }
        for side in self.padding {
            check("padding", side, 0..=65535)?;
        }
        for side in self.input.into_iter().chain(self.output) {
            check("rows or columns", side, 1..=65535)?;
        }
        check("input channels", self.inputs, 1..=65535)?;
        match self.depthwise {
            true => check(
                "output channels of a depthwise layer",
                self.outputs,
                self.inputs.into()..=self.inputs.into(),
            ),
            false => check("output channels", self.outputs, 1..=65535),
        }
    }
}

/// Weights and scales of a layer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Values {
    /// Weights by output channel, kernel row, kernel column and input channel; a depthwise layer has one input channel.
    pub weights: Vec<i8>,
    /// Bias and scale of each output channel.
    pub channels: Vec<ChannelScale>,
    /// Input bytes above it are negative: 127 less the zero point.
    pub threshold: u8,
    /// Bounds of the outputs, less their zero point.
    pub bounds: [i32; 2],
    /// How outputs are rounded.
    pub rounding: Rounding,
}

impl Values {
    pub(super) fn check(&self, shape: &Shape, left_shift: bool) -> Result<(), PlanError> {
        let channels = u64::from(shape.outputs) * u64::from(shape.inputs_each());
        let weights = channels * u64::from(shape.kernel[0] * shape.kernel[1]);
        let is = |expected: u64| expected as i64..=expected as i64;
        check("number of weights", self.weights.len() as i64, is(weights))?;
        check(
            "number of scales",
            self.channels.len() as i64,
            is(shape.outputs.into()),
        )?;
        for bound in self.bounds {
            check("bound", bound, -256..=255)?;
        }
        let left = if left_shift { Scale::SHIFT_MAX } else { 0 };
        for channel in &self.channels {
            check("multiplier", channel.multiplier, 0..=i32::MAX.into())?;
            check(
                "shift",
                channel.shift,
                Scale::SHIFT_MIN.into()..=left.into(),
            )?;
        }
        Ok(())
    }
}
