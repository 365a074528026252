//! Steps in float32 between bytes and bytes: a table where each byte is made of one, else a layer of the host.

use heddle_network::file::{Float32File, LayerFile, PaddingFile};
use heddle_network::ops::float32::{Halves, Operand, Step, Stored};

use super::Kind;
use super::bytes::table_layer;
use crate::exact;
use crate::lower::Lowering;
use crate::lower::layers::{Lowered, OTHER_ZERO, Source, made};
use crate::model::{Operator, Quantised};
use crate::onnx::reader::float;
use crate::report::Exact;

/// Steps as a layer has them, that read the tensors of an operator.
#[derive(Debug, Clone, Default)]
pub struct Steps {
    /// Sizes of the tensors that are read.
    pub operands: Vec<Vec<u32>>,
    /// Stored tensors.
    pub constants: Vec<Stored>,
    /// What is computed.
    pub steps: Vec<Step>,
    /// Where halves go.
    pub halves: Halves,
}

const AS: &str = "float32, by the host, with all that lies between DequantizeLinear and QuantizeLinear; of one byte a table";

rows! {
    tflite &[ "DIV", "FLOOR", "L2_NORMALIZATION", "LOG_SOFTMAX",  "SQUARE", "SUM"] => |_, _| None,
    as "float32, by the host, with all that lies between DEQUANTIZE and QUANTIZE; of one byte a table",
    "one rounding for each operator; sums and functions at most 1 away", "results and constants of float32";

    onnx &["BatchNormalization", "Div", "InstanceNormalization", "LayerNormalization", "LogSoftmax", "Max", "Min", "Pow", "ReduceSum", "Sum"]
        => |_, node| Err(float(&node.outputs[0])),
    as AS, "one rounding for each operator; sums and functions at most 1 away", "results and constants of float32; powers 2, 3 and 0.5";
}

impl Steps {
    /// Whether the order of elements does not matter, as long as all tensors have the same.
    pub fn is_of_any_order(&self) -> bool {
        self.operands.iter().all(|shape| *shape == self.operands[0])
            && self.steps.iter().all(Step::is_of_elements)
            && self.constants.iter().all(|stored| stored.values.len() == 1)
    }

    /// Whether each byte is made of one byte.
    pub fn is_of_bytes(&self) -> bool {
        self.operands.len() == 1 && self.is_of_any_order()
    }

    fn file(&self, scales: &[f32], scale: f32, output_shape: [u32; 3]) -> Float32File {
        let operands = self.operands.iter().zip(scales);
        let operand = |(shape, &scale): (&Vec<u32>, &f32)| Operand {
            shape: shape.clone(),
            scale,
        };
        Float32File {
            operands: operands.map(operand).collect(),
            constants: self.constants.clone(),
            steps: self.steps.clone(),
            scale,
            halves: self.halves,
            output_shape,
        }
    }

    /// What is made of each byte.
    fn table(&self, source: &Source<'_>, output: Quantised) -> Result<Vec<i8>, String> {
        let of_bytes = Steps {
            operands: vec![vec![256]],
            ..self.clone()
        };
        let file = of_bytes.file(&[source.quantised.scale], output.scale, [1, 1, 256]);
        let layer = LayerFile {
            output_zero_point: Some(output.zero_point),
            ..LayerFile::new(vec![], file)
        };
        exact::made(
            layer,
            &[(source.quantised.zero_point, (i8::MIN..=i8::MAX).collect())],
        )
    }
}

/// A table, or a layer with all steps.
pub fn lower(lowering: &mut Lowering<'_>, operator: &Operator, output: usize) -> Lowered {
    let Kind::Float32(steps) = &operator.kind else {
        return Err(None);
    };
    let model = lowering.model;
    let (tensor, quantised) = (&model.tensors[output], model.tensors[output].quantised()?);
    if steps.is_of_bytes() {
        let source = lowering.plane_source(operator, 0)?;
        let table = steps.table(&source, quantised)?;
        let made = table_layer(&source, table, quantised);
        return Ok(lowering.fold_table(operator, made));
    }
    let (mut names, mut scales) = (Vec::new(), Vec::new());
    for &input in operator.inputs.iter().flatten() {
        let value = lowering.values.get(&input).ok_or(None)?;
        let read = model.tensors[input].quantised()?;
        if value.padding != PaddingFile::default() {
            return Err(Some(
                "reads zeros around a tensor, expected QuantizeLinear behind these".to_string(),
            ));
        }
        if value.zero_point != read.zero_point {
            return Err(Some(OTHER_ZERO.to_string()));
        }
        names.push(value.name.clone());
        scales.push(read.scale);
    }
    let plane = model.format.plane(&tensor.shape);
    let plane = plane.ok_or_else(|| {
        format!(
            "makes {:?}, expected a batch of 1 and sides of at most 65536",
            tensor.shape
        )
    })?;
    let layer = LayerFile {
        output_zero_point: Some(quantised.zero_point),
        output_scale: Some(quantised.scale.into()),
        ..LayerFile::new(names, steps.file(&scales, quantised.scale, plane.sides()))
    };
    let count = steps.steps.len();
    let text = format!(
        "float32 of {count} step{}",
        if count == 1 { "" } else { "s" }
    );
    let mut found = made(layer, &text, plane, quantised);
    if !steps.steps.iter().all(Step::is_exact) {
        found.exact = Exact::Rounded;
    }
    Ok(found)
}
