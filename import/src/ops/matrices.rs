//! Products of matrices.

use heddle_arch::requantise::Rounding;
use heddle_network::file::{KindFile, LayerFile, MatmulFile, ReshapeFile};
use heddle_network::{Order, Permutation, Shape};

use super::weighted::matrix;
use super::{Kind, flags};
use crate::exact::int32;
use crate::lower::Lowering;
use crate::lower::layers::{Lowered, made};
use crate::model::{Format, Operator};
use crate::scale::{bounds, scale};

rows! {
    tflite &["BATCH_MATMUL"] => |operator, _| Some((Kind::BatchMatmul(flags(operator)), None)),
    onnx &["MatMul", "QLinearMatMul"] => matrix,
    as "matmul, in .tflite files between transposes", "same arithmetic", "two results, as many matrices in both";
}

/// How the matrices of a file lie in a plane. Those of a layer are its channels.
#[derive(Clone, Copy)]
enum Lying {
    /// As in a layer.
    Planes,
    /// A single one, whose rows are channels.
    Single,
    /// Rows are pixels, of which each row of the plane has a matrix; columns are channels.
    Pixels,
}

impl Lying {
    /// Number, rows and columns of the matrices of a plane.
    fn sides(self, plane: Shape) -> [u32; 3] {
        let [channels, height, width] = plane.sides();
        match self {
            Lying::Planes => [channels, height, width],
            Lying::Single => [1, channels, width],
            Lying::Pixels => [height, width, channels],
        }
    }

    /// The plane of such matrices.
    fn plane(self, [count, rows, cols]: [u32; 3]) -> Shape {
        Shape::of(match self {
            Lying::Planes => [count, rows, cols],
            Lying::Single => [rows, 1, cols],
            Lying::Pixels => [cols, count, rows],
        })
    }

    /// The layer that makes channels of matrices, or of channels what they were, if it takes one.
    fn moved(self, to: Shape, back: bool) -> Option<KindFile> {
        let kind = match self {
            Lying::Planes => return None,
            Lying::Single => ReshapeFile {
                output_shape: to.sides(),
                order: Order::ChannelsFirst,
            }
            .into(),
            Lying::Pixels => Permutation {
                axes: if back { [0, 3, 1, 2] } else { [0, 2, 3, 1] },
                ..Permutation::default()
            }
            .into(),
        };
        Some(kind)
    }
}

/// A product of matrices: rows and columns are the last two dimensions of a file, and of a network height and width.
pub fn lower(lowering: &mut Lowering<'_>, operator: &Operator, output: usize) -> Lowered {
    let Kind::BatchMatmul(adjoint) = operator.kind else {
        return Err(None);
    };
    let quantised = lowering.model.tensors[output].quantised()?;
    let rank = lowering.model.tensors[output].shape.len();
    let lying = match (lowering.model.format, rank) {
        (Format::Tflite, _) => Lying::Pixels,
        (Format::Onnx, 4) => Lying::Planes,
        (Format::Onnx, _) => Lying::Single,
    };
    let mut names = Vec::new();
    let (mut scales, mut matrices) = (Vec::new(), Vec::new());
    for number in [0, 1] {
        let source = lowering.plane_source(operator, number)?;
        source.check_zero()?;
        scales.push(source.quantised.scale);
        matrices.push(lying.sides(source.plane));
        names.push(source.value.name.clone());
    }
    let sides = |number: usize| {
        let [_, rows, cols]: [u32; 3] = matrices[number];
        let turned = adjoint[number];
        if turned { [cols, rows] } else { [rows, cols] }
    };
    let ([rows, terms], [others, cols]) = (sides(0), sides(1));
    let batches = matrices[0][0];
    if terms != others || batches != matrices[1][0] {
        return Err(Some(format!(
            "multiplies {batches} of {rows} x {terms} and {} of {others} x {cols}, expected as many that fit",
            matrices[1][0]
        )));
    }
    let rounding = lowering.model.format.rounding();
    let real = match rounding {
        // The reference kernel multiplies in single precision.
        Rounding::Double => f64::from(scales[0] * scales[1]),
        Rounding::Single => f64::from(scales[0]) * f64::from(scales[1]),
    };
    let scale = scale(real / f64::from(quantised.scale))?;
    let (min, max) = bounds(operator.activation, quantised)?;
    let most = 255 * 255 * i64::from(terms);
    int32::check(most, scale)?;
    for ((name, end), sides) in names.iter_mut().zip(["first", "second"]).zip(matrices) {
        if let Some(kind) = lying.moved(Shape::of(sides), false) {
            *name = lowering.push(output, end, LayerFile::new(vec![name.clone()], kind));
        }
    }
    let kind = MatmulFile {
        transposed: Some(adjoint),
        multiplier: Some(vec![scale.multiplier()]),
        shift: Some(vec![scale.shift()]),
        rounding: Some(rounding),
        activation_min: Some(min),
        activation_max: Some(max),
        ..MatmulFile::default()
    };
    let layer = LayerFile {
        output_zero_point: Some(quantised.zero_point),
        output_scale: Some(quantised.scale.into()),
        ..LayerFile::new(names, kind)
    };
    let plane = lying.plane([batches, rows, cols]);
    let Some(back) = lying.moved(plane, true) else {
        return Ok(made(layer, "matmul", plane, quantised));
    };
    let product = lowering.push(output, "product", layer);
    let text = match lying {
        Lying::Pixels => "matmul between transposes",
        _ => "matmul between reshapes",
    };
    let layer = LayerFile::new(vec![product], back);
    Ok(made(layer, text, plane, quantised))
}
