//! Products of matrices.

use heddle_arch::network::Shape;
use heddle_arch::network::file::{KindFile, LayerFile, RoundingFile};

use super::Lowering;
use super::layers::{Made, Refused, made};
use crate::model::{Format, Operator};
use crate::scale::scale;

impl Lowering<'_> {
    /// A product of matrices: rows and columns are the last two dimensions of a file, and of a network height and width.
    pub(super) fn product(
        &mut self,
        operator: &Operator,
        adjoint: [bool; 2],
        output: usize,
    ) -> Result<Made, Refused> {
        let quantised = self.model.tensors[output].quantised()?;
        if self.model.format != Format::Tflite {
            return Err(None);
        }
        let mut names = Vec::new();
        let (mut scales, mut planes) = (Vec::new(), Vec::new());
        for number in [0, 1] {
            let source = self.plane_source(operator, number)?;
            source.check_zero()?;
            scales.push(source.quantised.scale);
            planes.push(source.plane);
            names.push(source.value.name.clone());
        }
        // The batches are rows of a plane here.
        let sides = |number: usize| match adjoint[number] {
            false => [planes[number].width, planes[number].channels],
            true => [planes[number].channels, planes[number].width],
        };
        let ([rows, terms], [others, cols]) = (sides(0), sides(1));
        let batches = planes[0].height;
        if terms != others || batches != planes[1].height {
            return Err(Some(format!(
                "multiplies {batches} of {rows} x {terms} and {} of {others} x {cols}, expected as many that fit",
                planes[1].height
            )));
        }
        // Multiplied in single precision, as the reference kernel does.
        let real = f64::from(scales[0] * scales[1]) / f64::from(quantised.scale);
        let scale = scale(real)?;
        let most = 255 * 255 * i64::from(terms);
        if most << scale.shift().max(0) > i32::MAX.into() {
            return Err(Some(format!(
                "a sum of up to {most} is shifted by {} to the left, expected at most 31 bits",
                scale.shift()
            )));
        }
        for (name, end) in names.iter_mut().zip(["first", "second"]) {
            let layer = LayerFile {
                kind: KindFile::Transpose,
                inputs: Some(vec![name.clone()]),
                permutation: Some([0, 2, 3, 1]),
                ..LayerFile::default()
            };
            *name = self.push(output, end, layer);
        }
        let layer = LayerFile {
            kind: KindFile::Matmul,
            inputs: Some(names),
            transposed: Some(adjoint),
            multiplier: Some(vec![scale.multiplier()]),
            shift: Some(vec![scale.shift()]),
            rounding: Some(RoundingFile::Double),
            output_zero_point: Some(quantised.zero_point),
            output_scale: Some(quantised.scale.into()),
            ..LayerFile::default()
        };
        let name = self.push(output, "product", layer);
        let layer = LayerFile {
            kind: KindFile::Transpose,
            inputs: Some(vec![name]),
            permutation: Some([0, 3, 1, 2]),
            ..LayerFile::default()
        };
        let plane = Shape {
            channels: cols,
            height: batches,
            width: rows,
        };
        Ok(made(layer, "matmul between transposes", plane, quantised))
    }
}
