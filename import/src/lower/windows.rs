//! Kernels that move over a plane.

use heddle_arch::requantise::Rounding;
use heddle_network::Shape;
use heddle_network::file::{Conv2dFile, PaddingFile, ScaledFile, WindowFile};

use crate::model::{Padding, Window};

/// Kernel, stride, dilation and padding of a layer.
pub struct Windows {
    pub kernel: [u32; 2],
    pub stride: [u32; 2],
    pub dilation: [u32; 2],
    pub padding: PaddingFile,
    pub output: Shape,
}

impl Windows {
    /// How the kernel of a layer moves.
    pub fn file(&self) -> WindowFile {
        WindowFile {
            kernel: self.kernel,
            stride: Some(self.stride),
            padding: Some(self.padding).filter(|&padding| padding != PaddingFile::default()),
        }
    }

    /// A kernel that moves in steps of 1 and does not pass the edges.
    pub fn plain(kernel: [u32; 2], output: Shape) -> Windows {
        Windows {
            kernel,
            stride: [1, 1],
            dilation: [1, 1],
            padding: PaddingFile::default(),
            output,
        }
    }

    /// The convolution of these windows.
    pub fn convolution(
        &self,
        groups: u32,
        weights: Vec<i8>,
        bias: Vec<i32>,
        scaled: ScaledFile,
        rounding: Rounding,
    ) -> Conv2dFile {
        Conv2dFile {
            output_channels: self.output.channels,
            window: self.file(),
            dilation: Some(self.dilation),
            groups: Some(groups).filter(|&groups| groups > 1),
            weights,
            bias,
            scaled,
            rounding,
        }
    }

    /// The convolution of each channel with itself.
    pub fn depthwise(
        &self,
        weights: Vec<i8>,
        bias: Vec<i32>,
        scaled: ScaledFile,
        rounding: Rounding,
    ) -> Conv2dFile {
        self.convolution(self.output.channels, weights, bias, scaled, rounding)
    }

    /// The same with more zeros around the input.
    pub fn padded(mut self, by: PaddingFile) -> Windows {
        let (own, by) = (self.padding.sides(), by.sides());
        self.padding =
            PaddingFile::of([0, 1].map(|i| [own[i][0] + by[i][0], own[i][1] + by[i][1]]));
        self
    }

    pub fn text(&self) -> String {
        let [height, width] = self.kernel;
        let stride = match self.stride {
            [1, 1] => String::new(),
            [y, x] if y == x => format!(", stride {y}"),
            [y, x] => format!(", stride {y}, {x}"),
        };
        format!("{height}x{width}{stride}")
    }
}

/// The windows of an operator, and what they make.
pub fn windows(
    window: Window,
    kernel: [u32; 2],
    input: Shape,
    channels: u32,
) -> Result<Windows, String> {
    let sizes = [input.height, input.width];
    let mut padding = [[0; 2]; 2];
    let mut output = [0; 2];
    for axis in 0..2 {
        let (size, stride) = (sizes[axis], window.stride[axis]);
        let reach = kernel[axis]
            .checked_sub(1)
            .and_then(|places| places.checked_mul(window.dilation[axis]));
        let reach =
            reach.filter(|&reach| stride > 0 && window.dilation[axis] > 0 && reach < 1 << 16);
        let reach = reach.ok_or_else(|| {
            format!(
                "has kernel {}, stride {stride}, dilation {}",
                kernel[axis], window.dilation[axis]
            )
        })?;
        padding[axis] = match window.padding {
            Padding::Same => {
                let last = (size.div_ceil(stride) - 1) * stride;
                let total = (last + reach + 1).saturating_sub(size);
                [total / 2, total - total / 2]
            }
            Padding::Zeros(zeros) => zeros[axis],
        };
        let padded = size + padding[axis][0] + padding[axis][1];
        output[axis] = padded
            .checked_sub(reach)
            .filter(|&rest| rest > 0)
            .map(|rest| rest.div_ceil(stride))
            .ok_or_else(|| format!("has a kernel of {} places on {padded}", reach + 1))?;
    }
    let [height, width] = output;
    Ok(Windows {
        kernel,
        stride: window.stride,
        dilation: window.dilation,
        padding: PaddingFile::of(padding),
        output: Shape::of([channels, height, width]),
    })
}
