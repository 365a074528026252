//! Means and maxima of windows.

use heddle_arch::requantise::{Rounding, Scale};
use heddle_network::file::{
    AveragePool2dFile, KindFile, LayerFile, MaxPool2dFile, MeanFile, PaddingFile, ScaledFile,
};

use super::weighted::check_left_shift;
use super::{HELD, Kind};
use crate::exact::{host, mean, single};
use crate::lower::Lowering;
use crate::lower::layers::{Lowered, Made, Refused, Source, layer_of, made};
use crate::lower::windows::{Windows, windows};
use crate::model::{Operator, Quantised, Window};
use crate::onnx::layers::{Terms, average, plain, whole};
use crate::report::Exact;
use crate::scale::{bounds, divided, scale};
use crate::tflite::{number, schema, window};

/// Largest window.
const PLACES_MAX: u32 = 1 << 16;
/// Most weights of a mean.
const WEIGHTS_MAX: u32 = 1 << 26;

rows! {
    tflite &["AVERAGE_POOL_2D"] => pool_2d,
    as "conv2d of equal weights; with windows beyond the edges average_pool2d, by the host", "compared for all sums; by the host same arithmetic",
    "scale and zero point pass unchanged";

    onnx &["AveragePool", "GlobalAveragePool", "QLinearAveragePool", "QLinearGlobalAveragePool", "ReduceMean"] => |reader, node| {
        let mut terms = Terms::one(|reader, node, shape, _| match plain(&node.operator) {
            "AveragePool" => average(node, &shape),
            "GlobalAveragePool" => whole(&shape),
            _ => {
                let keeps = reader.keeps(node, shape.len())?;
                let (kind, mut shape) = whole(&shape)?;
                shape.truncate(if keeps { shape.len() } else { 2 });
                Ok((kind, shape))
            }
        });
        terms.setting = node.operator == "ReduceMean";
        reader.layer(node, &terms)
    },
    as "conv2d of equal weights", "compared where outputs rise", "no padding, or count_include_pad 1; ReduceMean over height and width; others are float32, by the host";

    tflite &["MAX_POOL_2D"] => pool_2d,
    onnx &["MaxPool"] => |reader, node| reader.moved(node),
    as "max_pool2d", "same bytes", "scale and zero point pass unchanged; with windows beyond the edges on the host unless a RELU comes before";

    tflite &["MEAN"] => |_, _| Some((Kind::Mean, None)),
    as "conv2d of equal weights over height and width; else mean, by the host", HELD, "any dimensions but the batch";
}

fn pool_2d(operator: schema::Operator<'_>, name: &str) -> Option<(Kind, Option<i8>)> {
    let options = operator.options::<schema::Pool<'_>>()?;
    let stride = [options.stride_h(), options.stride_w()];
    let window = window(options.padding(), stride, [None; 2]);
    let size = [options.filter_h(), options.filter_w()].map(|size| number(size, 0));
    let kind = match name {
        "MAX_POOL_2D" => Kind::MaxPool(window, size),
        _ => Kind::AveragePool(window, size),
    };
    Some((kind, options.activation()))
}

pub fn lower(lowering: &mut Lowering<'_>, operator: &Operator, output: usize) -> Lowered {
    let quantised = lowering.model.tensors[output].quantised()?;
    match operator.kind {
        Kind::AveragePool(window, size) => lowering.average(operator, window, size, output),
        Kind::ScaledMean(window, size) => lowering.scaled_mean(operator, window, size, quantised),
        Kind::MaxPool(window, size) => lowering.maximum(operator, window, size, output),
        _ => match lowering.mean(operator, quantised) {
            Err(Some(_)) => lowering.mean_over(operator, quantised),
            found => found,
        },
    }
}

impl Lowering<'_> {
    /// What a pool reads, and its windows.
    fn pooled(
        &self,
        operator: &Operator,
        window: Window,
        size: [u32; 2],
        output: usize,
    ) -> Result<(Source<'_>, Windows), Refused> {
        let source = self.plane_source(operator, 0)?;
        let windows = windows(window, size, source.plane, source.plane.channels)?;
        self.check_same(operator, output)?;
        Ok((source, windows))
    }

    /// The mean of the bytes: a convolution with equal weights. Where it has halves what comes out stands for the byte itself: the zero point
    /// of the layer is 0, and the bias puts back those of the bytes.
    fn average(
        &self,
        operator: &Operator,
        window: Window,
        size: [u32; 2],
        output: usize,
    ) -> Lowered {
        let (source, windows) = self.pooled(operator, window, size, output)?;
        if windows.padding != PaddingFile::default() {
            let window = windows.file();
            return pool(operator, &source, &windows, AveragePool2dFile { window });
        }
        let count = places(size, source.plane.channels)?;
        let (found, difference) = mean(count, source.quantised.zero_point)?;
        let bounds = bounds(operator.activation, source.quantised)?;
        let counted = Quantised {
            zero_point: found.zero_point,
            ..source.quantised
        };
        let sums = (found.weight, found.scale, found.rounding, found.zero_point);
        Ok(Made {
            exact: Exact::Compared(difference),
            ..equal_weights(&source, &windows, sums, counted, bounds)
        })
    }

    /// The mean over height and width, with the scale of the output.
    fn mean(&self, operator: &Operator, output: Quantised) -> Lowered {
        let source = self.plane_source(operator, 0)?;
        let (over, _, plane) = self.over(operator, source.plane)?;
        let rank = self.dimensions(operator, 0)?.len();
        // Of a row the height is the batch.
        if over != [false, rank != 3, true] {
            return Err(Some(String::new()));
        }
        let [channels, kernel @ ..] = source.plane.sides();
        let count = places(kernel, channels)?;
        let scale = divided(
            scale(f64::from(source.quantised.scale) / f64::from(output.scale))?,
            count,
        )?;
        check_left_shift(&[scale], &[0], &vec![1; count as usize])?;
        let windows = Windows::plain(kernel, plane);
        let bounds = (i8::MIN, i8::MAX);
        let sums = (1, scale, Rounding::Double, source.quantised.zero_point);
        Ok(equal_weights(&source, &windows, sums, output, bounds))
    }

    /// A mean over some of the dimensions.
    fn mean_over(&self, operator: &Operator, output: Quantised) -> Lowered {
        let source = self.plane_source(operator, 0)?;
        source.check_zero()?;
        let (_, axes, plane) = self.over(operator, source.plane)?;
        let count = (source.plane.elements() / plane.elements()) as u32;
        let (scaled, exact) = host::mean(source.quantised, output, count)?;
        if axes.is_empty() {
            let reason = "is the mean over no dimension but the batch";
            return Err(Some(reason.to_string()));
        }
        let layer = layer_of(&[&source], output, MeanFile { axes, scaled });
        Ok(Made {
            exact,
            ..made(layer, "mean", plane, output)
        })
    }

    /// The mean of windows with the scale of the output. Halves go to even in the reference, which no scale does.
    fn scaled_mean(
        &self,
        operator: &Operator,
        window: Window,
        size: [u32; 2],
        output: Quantised,
    ) -> Lowered {
        let source = self.plane_source(operator, 0)?;
        let channels = source.plane.channels;
        let windows = windows(window, size, source.plane, channels)?;
        if windows.padding != PaddingFile::default() {
            source.check_zero()?;
        }
        let count = places(size, channels)?;
        let real = source.quantised.scale / (output.scale * count as f32);
        let (scale, difference) = single(real, 255 * i64::from(count))?;
        check_left_shift(&[scale], &[0], &vec![1; count as usize])?;
        let bounds = bounds(operator.activation, output)?;
        let sums = (1, scale, Rounding::Single, source.quantised.zero_point);
        Ok(Made {
            exact: Exact::of(difference),
            ..equal_weights(&source, &windows, sums, output, bounds)
        })
    }

    /// The largest byte of each window.
    fn maximum(
        &self,
        operator: &Operator,
        window: Window,
        size: [u32; 2],
        output: usize,
    ) -> Lowered {
        let (source, windows) = self.pooled(operator, window, size, output)?;
        if windows.padding != PaddingFile::default() {
            source.check_zero()?;
        }
        let window = windows.file();
        pool(operator, &source, &windows, MaxPool2dFile { window })
    }
}

/// The table of an activation that cuts.
fn cut(operator: &Operator, source: &Source<'_>) -> Result<Option<Vec<i8>>, String> {
    let (low, high) = bounds(operator.activation, source.quantised)?;
    let cut = (i8::MIN..=i8::MAX).map(|byte| byte.clamp(low, high));
    Ok(((low, high) != (i8::MIN, i8::MAX)).then(|| cut.collect()))
}

/// A pool that keeps the scale of its bytes.
fn pool(
    operator: &Operator,
    source: &Source<'_>,
    windows: &Windows,
    kind: impl Into<KindFile>,
) -> Lowered {
    let layer = LayerFile {
        table: cut(operator, source)?,
        ..LayerFile::new(vec![source.value.name.clone()], kind)
    };
    Ok(Made {
        text: format!("{} {}", layer.kind.name(), windows.text()),
        layer,
        exact: Exact::Yes,
        plane: windows.output,
        zero_point: source.value.zero_point,
    })
}

/// A convolution of each channel with itself, all weights of which are equal: its sums are of bytes less a zero point.
fn equal_weights(
    source: &Source<'_>,
    windows: &Windows,
    (weight, scale, rounding, zero_point): (i8, Scale, Rounding, i8),
    output: Quantised,
    bounds: (i8, i8),
) -> Made {
    let channels = windows.output.channels as usize;
    let count = windows.kernel[0] * windows.kernel[1];
    let distance = i32::from(source.value.zero_point) - i32::from(zero_point);
    let bias = i32::from(weight) * count as i32 * distance;
    let kind = windows.depthwise(
        vec![weight; channels * count as usize],
        vec![bias; channels],
        ScaledFile::new(&vec![scale; channels], bounds),
        rounding,
    );
    let layer = layer_of(&[source], output, kind);
    made(
        layer,
        &format!("mean {}", windows.text()),
        windows.output,
        output,
    )
}

/// Places of a window, of which each channel has weights.
fn places([height, width]: [u32; 2], channels: u32) -> Result<u32, String> {
    let count = height
        .checked_mul(width)
        .filter(|&count| count <= PLACES_MAX);
    let weights = count
        .and_then(|count| count.checked_mul(channels))
        .filter(|&weights| weights <= WEIGHTS_MAX);
    count.filter(|_| weights.is_some()).ok_or_else(|| {
        format!("has windows of {height} x {width} in {channels} channels, expected at most {PLACES_MAX} places and {WEIGHTS_MAX} in all")
    })
}
