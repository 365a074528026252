//! Files that are not quantised, and the way to int8.

use super::schema::{Graph, Node};

/// Operators that find scales while they run.
const DYNAMIC: [&str; 5] = [
    "DynamicQuantizeLinear",
    "MatMulInteger",
    "ConvInteger",
    "DynamicQuantizeMatMul",
    "MatMulIntegerToFloat",
];
/// Operators whose second input are weights.
const WEIGHTED: [&str; 4] = ["Conv", "ConvTranspose", "Gemm", "MatMul"];

/// Whether a graph is quantised at all, and before it runs.
///
/// # Errors
/// What it is, and the way to int8.
pub fn check(graph: &Graph, name: &str) -> Result<(), String> {
    let way_out = way_out(name);
    if let Some(node) = graph
        .nodes
        .iter()
        .find(|node| DYNAMIC.contains(&&node.operator[..]))
    {
        let label = super::reader::label(node);
        return Err(format!(
            "is quantised dynamically: {label} finds scales while it runs; Heddle runs networks whose scales are constants\n{way_out}"
        ));
    }
    let quantises = |node: &Node| {
        let operator = &node.operator[..];
        matches!(operator, "QuantizeLinear" | "DequantizeLinear" | "QGemm")
            || operator.starts_with("QLinear")
    };
    if graph.nodes.iter().any(quantises) {
        return Ok(());
    }
    let weighted = graph
        .nodes
        .iter()
        .filter(|node| WEIGHTED.contains(&&node.operator[..]))
        .count();
    let found = match weighted {
        0 => "has no scales".to_string(),
        _ => format!("{weighted} of {weighted} layers with weights are float32"),
    };
    Err(format!("{found}; Heddle runs int8 networks\n{way_out}"))
}

/// The commands that quantise a file.
fn way_out(name: &str) -> String {
    format!(
        "quantise it: pip install onnx onnxruntime\n\
         with samples beside it, test_data_set_0/input_0.pb, test_data_set_1/input_0.pb and so on, each a TensorProto:\n\
         python3 -m onnxruntime.quantization.static_quantize_runner -i ./{name}.onnx -o ./{name}.int8.onnx \
         --quant_format qdq --activation_type qint8 --weight_type qint8 --per_channel"
    )
}
