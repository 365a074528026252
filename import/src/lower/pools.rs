//! Means and maxima of windows.

use heddle_arch::network::file::{KindFile, LayerFile, PaddingFile};

use super::Lowering;
use super::layers::{Made, Refused, scaled};
use super::windows::{Windows, windows};
use crate::exact::{Mean, mean};
use crate::model::{Kind, Operator, Quantised, Window};
use crate::report::Exact;
use crate::scale::bounds;

/// Largest window.
const PLACES_MAX: u32 = 1 << 16;

impl Lowering<'_> {
    /// The mean of the bytes themselves: a convolution whose bias puts back the zero points. What comes out stands for the
    /// byte, so that the zero point of the layer is 0.
    pub(super) fn average(
        &self,
        operator: &Operator,
        window: Window,
        size: [u32; 2],
        output: usize,
    ) -> Result<Made, Refused> {
        let source = self.plane_source(operator, 0)?;
        let windows = windows(window, size, source.plane, source.plane.channels)?;
        check_inside(&windows)?;
        self.check_same(operator, output)?;
        self.check_readers(output, source.quantised.zero_point)?;
        let [height, width] = size;
        let count = height
            .checked_mul(width)
            .filter(|&count| count <= PLACES_MAX);
        let count = count.ok_or_else(|| {
            format!("has windows of {height} x {width}, expected at most {PLACES_MAX} places")
        })?;
        let (
            Mean {
                weight,
                scale,
                rounding,
            },
            difference,
        ) = mean(count)?;
        let channels = source.plane.channels as usize;
        let bias = i32::from(weight) * count as i32 * i32::from(source.value.zero_point);
        let layer = LayerFile {
            kind: KindFile::Conv2d,
            output_channels: Some(source.plane.channels),
            groups: Some(source.plane.channels),
            weights: Some(vec![weight; channels * count as usize]),
            bias: Some(vec![bias; channels]),
            ..windows.fields()
        };
        let bounds = bounds(operator.activation, source.quantised)?;
        let raw = Quantised {
            zero_point: 0,
            ..source.quantised
        };
        Ok(Made {
            layer: scaled(
                layer,
                &[&source],
                &vec![scale; channels],
                rounding,
                raw,
                bounds,
            ),
            text: format!("mean {}", windows.text()),
            exact: Exact::Compared(difference),
            plane: windows.output,
            zero_point: 0,
        })
    }

    /// Padding and sums know one zero only: that of the network.
    fn check_readers(&self, tensor: usize, zero_point: i8) -> Result<(), String> {
        if zero_point == 0 {
            return Ok(());
        }
        let reads = |operator: &&Operator| operator.inputs.contains(&Some(tensor));
        for operator in self.model.operators.iter().filter(reads) {
            match operator.kind {
                Kind::Reshape => operator
                    .outputs
                    .iter()
                    .try_for_each(|&view| self.check_readers(view, zero_point))?,
                Kind::Convolution(Window { same: true, .. })
                | Kind::Depthwise(Window { same: true, .. })
                | Kind::Add
                | Kind::Sub => {
                    let reader = &operator.name;
                    return Err(format!(
                        "its mean has zero point {zero_point}, expected 0 where {reader} reads it"
                    ));
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// The largest byte of each window.
    pub(super) fn maximum(
        &self,
        operator: &Operator,
        window: Window,
        size: [u32; 2],
        output: usize,
    ) -> Result<Made, Refused> {
        let source = self.plane_source(operator, 0)?;
        let windows = windows(window, size, source.plane, source.plane.channels)?;
        check_inside(&windows)?;
        self.check_same(operator, output)?;
        if bounds(operator.activation, source.quantised)? != (i8::MIN, i8::MAX) {
            return Err(Some(
                "has an activation that cuts, expected NONE: put it into the layer before"
                    .to_string(),
            ));
        }
        Ok(Made {
            layer: LayerFile {
                kind: KindFile::MaxPool2d,
                inputs: Some(vec![source.value.name.clone()]),
                kernel: Some(windows.kernel),
                stride: Some(windows.stride),
                ..LayerFile::default()
            },
            text: format!("max_pool2d {}", windows.text()),
            exact: Exact::Yes,
            plane: windows.output,
            zero_point: source.value.zero_point,
        })
    }
}

/// No window reaches beyond the edges.
fn check_inside(windows: &Windows) -> Result<(), String> {
    match windows.padding == PaddingFile::default() {
        true => Ok(()),
        false => Err("has windows that reach beyond the edges, expected padding VALID, or sizes that need none".to_string()),
    }
}
