//! Which fields of a network file belong to which kind of layer.

use schemars::Schema;
use serde_json::{Map, Value, json};

use super::file::{KindFile, LayerFile};
use super::{
    Alignment, Axis, LayerKind, Matmul, Mean, Order, Permutation, Prelu, Product, Softmax, Sum,
};
use heddle_arch::fault::{Fault, push};

impl From<KindFile> for LayerKind {
    fn from(kind: KindFile) -> LayerKind {
        match kind {
            KindFile::Conv2d => LayerKind::Conv2d,
            KindFile::FullyConnected => LayerKind::FullyConnected,
            KindFile::AveragePool2d => LayerKind::AveragePool2d,
            KindFile::MaxPool2d => LayerKind::MaxPool2d,
            KindFile::Add => LayerKind::Add(Sum::default()),
            KindFile::WeightedSum => LayerKind::WeightedSum,
            KindFile::Table => LayerKind::Table,
            KindFile::Matmul => LayerKind::Matmul(Matmul::default()),
            KindFile::Transpose => LayerKind::Transpose(Permutation::default()),
            KindFile::Mul => LayerKind::Mul(Product::default()),
            KindFile::Prelu => LayerKind::Prelu(Prelu::default()),
            KindFile::SquaredDifference => LayerKind::SquaredDifference(Sum::default()),
            KindFile::Mean => LayerKind::Mean(Mean::default()),
            KindFile::Softmax => LayerKind::Softmax(Softmax::default()),
            KindFile::ArgMax => LayerKind::ArgMax(Axis::Channels),
            KindFile::Concat => LayerKind::Concat(Axis::Channels),
            KindFile::Slice => LayerKind::Slice([0; 3]),
            KindFile::Pad => LayerKind::Pad([0; 3]),
            KindFile::Resize => LayerKind::Resize([1; 2]),
            KindFile::ResizeBilinear => LayerKind::ResizeBilinear(Alignment::default()),
            KindFile::Reshape => LayerKind::Reshape(Order::default()),
        }
    }
}

/// Adds to the schema of a layer which fields each kind must have, and which it cannot have.
pub(super) fn add_needs(schema: &mut Schema) {
    let fields = schema.get("properties").and_then(Value::as_object);
    let fields: Vec<String> = fields.into_iter().flat_map(Map::keys).cloned().collect();
    let rules = KindFile::ALL.map(|kind| {
        let kind = LayerKind::from(kind);
        let with = |wanted| {
            let mut names = fields
                .iter()
                .filter(|name| !["kind", "name"].contains(&name.as_str()));
            names
                .by_ref()
                .filter(move |name| need(kind, name) == wanted)
                .collect::<Vec<_>>()
        };
        let foreign = with(Need::Foreign)
            .into_iter()
            .map(|name| (name.clone(), json!(false)));
        json!({
            "if": { "properties": { "kind": { "const": kind.name() } } },
            "then": {
                "required": with(Need::Required),
                "properties": foreign.collect::<Map<String, Value>>(),
            },
        })
    });
    schema.insert("allOf".to_string(), json!(rules));
}

/// What a field is to a kind of layer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Need {
    Required,
    Optional,
    Foreign,
}

/// Lists fields that are missing and fields that do not belong to the kind of layer; true if all
/// required ones are there.
pub(super) fn check(file: &LayerFile, at: &str, faults: &mut Vec<Fault>) -> bool {
    let kind = LayerKind::from(file.kind);
    let mut complete = true;
    for (field, present) in present(file) {
        let message = match (need(kind, field), present) {
            (Need::Required, false) => {
                complete = false;
                format!("is missing, required for {}", kind.name())
            }
            (Need::Foreign, true) => format!("is not a field of {}", kind.name()),
            _ => continue,
        };
        push(faults, &format!("{at}.{field}"), message);
    }
    complete
}

fn present(file: &LayerFile) -> [(&'static str, bool); 35] {
    [
        ("output_channels", file.output_channels.is_some()),
        ("output_features", file.output_features.is_some()),
        ("kernel", file.kernel.is_some()),
        ("stride", file.stride.is_some()),
        ("dilation", file.dilation.is_some()),
        ("groups", file.groups.is_some()),
        ("padding", file.padding.is_some()),
        ("inputs", file.inputs.is_some()),
        ("weights", file.weights.is_some()),
        ("factors", file.factors.is_some()),
        ("input_multiplier", file.input_multiplier.is_some()),
        ("input_shift", file.input_shift.is_some()),
        ("subtract", file.subtract.is_some()),
        ("constant", file.constant.is_some()),
        ("axis", file.axis.is_some()),
        ("axes", file.axes.is_some()),
        ("start", file.start.is_some()),
        ("output_shape", file.output_shape.is_some()),
        ("scale_factor", file.scale_factor.is_some()),
        ("alignment", file.alignment.is_some()),
        ("order", file.order.is_some()),
        ("transposed", file.transposed.is_some()),
        ("permutation", file.permutation.is_some()),
        ("batch", file.batch.is_some()),
        ("element_bytes", file.element_bytes.is_some()),
        ("bias", file.bias.is_some()),
        ("multiplier", file.multiplier.is_some()),
        ("shift", file.shift.is_some()),
        ("rounding", file.rounding.is_some()),
        ("output_zero_point", file.output_zero_point.is_some()),
        ("activation_min", file.activation_min.is_some()),
        ("activation_max", file.activation_max.is_some()),
        ("table", file.table.is_some()),
        ("table_zero_point", file.table_zero_point.is_some()),
        ("output_scale", file.output_scale.is_some()),
    ]
}

fn need(kind: LayerKind, field: &str) -> Need {
    let convolution = kind == LayerKind::Conv2d;
    let pooling = matches!(kind, LayerKind::AveragePool2d | LayerKind::MaxPool2d);
    let weighted = convolution || kind == LayerKind::FullyConnected;
    let required = |belongs| match belongs {
        true => Need::Required,
        false => Need::Foreign,
    };
    let optional = |belongs| match belongs {
        true => Need::Optional,
        false => Need::Foreign,
    };
    let product = matches!(kind, LayerKind::Matmul(_));
    let transpose = matches!(kind, LayerKind::Transpose(_));
    let add = matches!(kind, LayerKind::Add(_));
    if let Some(need) = host_need(kind, field) {
        return need;
    }
    match field {
        "constant" => optional(add),
        "axis" | "axes" | "start" | "output_shape" | "scale_factor" | "alignment" | "order" => {
            Need::Foreign
        }
        "inputs" if transpose || product => Need::Optional,
        "table" if kind == LayerKind::Table => Need::Required,
        "table" | "table_zero_point" => optional(!transpose && !product),
        "input_multiplier" | "input_shift" => required(add),
        "subtract" => optional(add),
        "transposed" => optional(product),
        "permutation" | "batch" | "element_bytes" => optional(transpose),
        // What a product does not say is 0, 1 or the range of a byte.
        _ if product => optional(!matches!(
            field,
            "output_channels" | "kernel" | "stride" | "dilation" | "groups" | "padding" | "factors"
        )),
        _ if transpose => Need::Foreign,
        "output_channels" => required(convolution),
        "output_features" => required(kind == LayerKind::FullyConnected),
        "kernel" => required(convolution || pooling),
        "stride" => optional(convolution || pooling),
        "padding" => optional(convolution || pooling),
        "dilation" | "groups" => optional(convolution),
        "inputs" if add || kind == LayerKind::WeightedSum => Need::Required,
        "inputs" => Need::Optional,
        "weights" | "bias" => required(weighted),
        "factors" => required(kind == LayerKind::WeightedSum),
        "rounding" if add => Need::Foreign,
        // A table gives the output its own zero point.
        "output_zero_point" | "output_scale" if pooling => Need::Optional,
        "multiplier" | "shift" | "rounding" | "activation_min" | "activation_max"
            if kind == LayerKind::Table =>
        {
            Need::Foreign
        }
        _ => required(!pooling),
    }
}

/// The same for kinds that no machine has; none for others.
fn host_need(kind: LayerKind, field: &str) -> Option<Need> {
    const SCALED: [&str; 5] = [
        "multiplier",
        "shift",
        "output_zero_point",
        "activation_min",
        "activation_max",
    ];
    let required: &[&str] = match kind {
        LayerKind::Mul(_) => &["inputs"],
        LayerKind::SquaredDifference(_) => &["inputs", "input_multiplier", "input_shift"],
        LayerKind::Prelu(_) => &["constant"],
        LayerKind::Mean(_) => &["axes"],
        LayerKind::Softmax(_) => &["axis", "multiplier", "shift"],
        LayerKind::ArgMax(_) => &["axis"],
        LayerKind::Concat(_) => &["inputs", "axis"],
        LayerKind::Slice(_) | LayerKind::Pad(_) => &["start", "output_shape"],
        LayerKind::Resize(_) => &["scale_factor"],
        LayerKind::ResizeBilinear(_) | LayerKind::Reshape(_) => &["output_shape"],
        _ => return None,
    };
    let of_rows = matches!(kind, LayerKind::Softmax(_) | LayerKind::ArgMax(_));
    let scaled = !of_rows && !kind.moves();
    let pair = matches!(kind, LayerKind::Mul(_) | LayerKind::SquaredDifference(_));
    Some(match field {
        _ if required.contains(&field) || scaled && SCALED.contains(&field) => Need::Required,
        "output_scale" if matches!(kind, LayerKind::ArgMax(_)) => Need::Foreign,
        "inputs" | "output_scale" => Need::Optional,
        "table" | "table_zero_point" if scaled => Need::Optional,
        "constant" if pair => Need::Optional,
        "stride" if matches!(kind, LayerKind::Pad(_)) => Need::Optional,
        "rounding" if matches!(kind, LayerKind::Mul(_)) => Need::Optional,
        "alignment" if matches!(kind, LayerKind::ResizeBilinear(_)) => Need::Optional,
        "order" if matches!(kind, LayerKind::Reshape(_)) => Need::Optional,
        _ => Need::Foreign,
    })
}
