//! From the operators of a foreign file to the layers of a network.

mod dimensions;
mod ends;
pub mod layers;
pub mod windows;

use std::collections::{BTreeMap, BTreeSet};

use heddle_network::file::{FurtherInputFile, InputFile, LayerFile, PaddingFile, TableFile};
use heddle_network::{INPUT_NAME, Shape, is_name};

use layers::{Lowered, Made, OTHER_ZERO};

use crate::model::{Element, Format, Kind, Model, Operator, Quantised, Tensor};
use crate::ops::bytes;
use crate::report::{Exact, FileInput, Import, Inexact, Row, Runs};

/// Most weights of a network.
const WEIGHTS_MAX: usize = 1 << 30;

/// Where a tensor of the file is in the network.
#[derive(Debug, Clone)]
pub struct Value {
    /// Name of the network's tensor.
    pub name: String,
    /// Its shape there, whatever shape a reshape gave it.
    pub plane: Shape,
    /// Quantised zero there: the bytes are the same, what they stand for may differ by a constant.
    pub zero_point: i8,
    /// Zeros that its readers see around it.
    pub padding: PaddingFile,
}

/// Makes a network of a model, or rows that say what cannot run.
pub fn lower(model: &Model<'_>, name: &str, accepted: &[Inexact]) -> Import {
    let mut lowering = Lowering {
        model,
        accepted,
        needed: model.needed_or_kept(),
        values: BTreeMap::new(),
        hosted: BTreeMap::new(),
        names: BTreeSet::from([INPUT_NAME.to_string()]),
        layers: Vec::new(),
        weights: 0,
        rows: Vec::new(),
        input: None,
        further_inputs: Vec::new(),
        inputs: Vec::new(),
        reals: BTreeMap::new(),
        unsigned: false,
        faults: Vec::new(),
    };
    lowering.find_inputs();
    for (index, operator) in model.operators.iter().enumerate() {
        if lowering.needed.contains(&index) {
            lowering.operator(operator);
        }
    }
    lowering.finish(name)
}

/// Whether a tensor has elements of float32.
fn is_float(tensor: &Tensor) -> bool {
    tensor.element.name() == "float32"
}

/// A network on its way from a model.
pub struct Lowering<'a> {
    pub model: &'a Model<'a>,
    pub accepted: &'a [Inexact],
    pub needed: BTreeSet<usize>,
    pub values: BTreeMap<usize, Value>,
    /// What the host makes, and the tensor it makes it of.
    hosted: BTreeMap<usize, usize>,
    names: BTreeSet<String>,
    pub layers: Vec<LayerFile>,
    /// Weights of the layers.
    weights: usize,
    pub rows: Vec<Row>,
    input: Option<InputFile>,
    further_inputs: Vec<FurtherInputFile>,
    /// All of them as the file has them.
    inputs: Vec<FileInput>,
    /// What the host makes float32 of at the end, by that float32: scale and zero point of the bytes.
    reals: BTreeMap<usize, Quantised>,
    /// Bytes of an image have no sign in the file.
    unsigned: bool,
    /// What is wrong with the network as a whole.
    faults: Vec<String>,
}

impl<'a> Lowering<'a> {
    /// Where a tensor of the file is.
    fn hold(&mut self, tensor: usize, name: String, plane: Shape, zero_point: i8) {
        let value = Value {
            name,
            plane,
            zero_point,
            padding: PaddingFile::default(),
        };
        self.values.insert(tensor, value);
    }

    fn operator(&mut self, operator: &Operator) {
        if matches!(operator.kind, Kind::Constant) {
            let runs = Runs::Folded("into a constant".to_string());
            return self.row(operator, None, runs, Exact::Yes);
        }
        if matches!(operator.kind, Kind::State) {
            let input = operator
                .outputs
                .first()
                .and_then(|output| self.values.get(output));
            let name = input.map(|value| value.name.clone());
            return self.row(operator, name, Runs::State, Exact::Yes);
        }
        let inputs: Vec<usize> = operator.inputs.iter().flatten().copied().collect();
        let made = inputs.iter().find(|input| self.hosted.contains_key(input));
        let hosted = made.is_some();
        if let (Some(&made), false) = (made, operator.kind.is_for_host()) {
            let name = self.model.until(made);
            let message = format!(
                "reads {name:?}, which the host makes; --until {name:?} ends the network with it"
            );
            return self.refuse(operator, message);
        }
        let function = self.function(operator);
        if let (Kind::Refused(reason), None) = (&operator.kind, function) {
            let way_out = self.way_out(&inputs);
            return self.refuse(operator, format!("{reason}{way_out}"));
        }
        if let Some(name) = self.places(&inputs) {
            let message = format!(
                "reads {name:?}, places that only the host reads; --until {name:?} ends the network with them"
            );
            return self.refuse(operator, message);
        }
        let (Some(&first), &[output]) = (inputs.first(), &operator.outputs[..]) else {
            return self.refuse(operator, "expected an input and one output".to_string());
        };
        if self.reads_planes(operator) {
            self.lay_out(&operator.inputs);
        }
        match &operator.kind {
            kind if kind.is_for_host()
                && function.is_none()
                && (hosted || !self.is_of_rows(operator, output)) =>
            {
                self.hosted
                    .insert(output, *self.hosted.get(&first).unwrap_or(&first));
                let runs = match self.end(kind, first, output) {
                    Some(quantised) => {
                        self.reals.insert(output, quantised);
                        Runs::End("dequantize")
                    }
                    None if self.is_unsigned(output) => Runs::End("quantize"),
                    None => Runs::Host,
                };
                return self.row(operator, None, runs, Exact::Yes);
            }
            Kind::Reshape => return self.view(operator, first, output, Self::reshaped),
            Kind::Pad if self.is_padding(operator, output) => {
                self.restore_zeros(&operator.inputs);
                return self.view(operator, first, output, Self::padded);
            }
            _ => {}
        }
        let lower = |lowering: &mut Self| match (function, &operator.kind) {
            (Some(_), _) => bytes::lower(lowering, operator, output),
            (None, Kind::ArgMax) => operator.kind.lower(lowering, operator, output),
            _ => lowering.layer(operator, output),
        };
        let mut made = lower(self);
        if matches!(&made, Err(Some(reason)) if reason == OTHER_ZERO) {
            self.restore_zeros(&operator.inputs);
            made = lower(self);
        }
        match made.and_then(|made| self.counted(made)) {
            Ok(made) => {
                let name = self.layer_name(output, "");
                self.hold(output, name.clone(), made.plane, made.zero_point);
                let runs = Runs::layer(&made.layer, made.text);
                self.layers.push(LayerFile {
                    name: name.clone(),
                    ..made.layer
                });
                self.row(operator, Some(name), runs, made.exact);
            }
            Err(refused) => {
                let way_out = self.way_out(&inputs);
                self.stand_in(output);
                let runs = refused.map_or(Runs::Unknown, |reason| {
                    let has_one = reason.contains("--until");
                    Runs::Refused(reason + if has_one { "" } else { &way_out })
                });
                self.row(operator, None, runs, Exact::Yes);
            }
        }
    }

    /// Whether an operator that the host does at the end of a network is a layer.
    fn is_of_rows(&self, operator: &Operator, output: usize) -> bool {
        matches!(operator.kind, Kind::ArgMax) || self.softmax(operator, output).is_some()
    }

    /// The tensor among these that a layer fills with places: no other value has elements of more than a byte.
    fn places(&self, inputs: &[usize]) -> Option<String> {
        let mut made = inputs
            .iter()
            .filter(|input| self.values.contains_key(input));
        let found = made.find(|&&input| self.model.tensors[input].element != Element::Int8);
        found.map(|&input| self.model.until(input))
    }

    /// Whether an operator reads elements where its shapes say.
    fn reads_planes(&self, operator: &Operator) -> bool {
        match &operator.kind {
            // Of one row the order is that of the weights.
            Kind::FullyConnected => {
                let elements = self.operand(operator, 0).map_or(0, Tensor::elements);
                let weights = self.operand(operator, 1);
                let terms = weights.and_then(|weights| weights.shape.last());
                terms.map(|&terms| terms as usize) != Some(elements)
            }
            Kind::Softmax(_) | Kind::ArgMax => true,
            Kind::Reshape => false,
            // Views of .onnx files keep the order of elements.
            Kind::Float32(steps) => self.model.format == Format::Tflite || steps.is_of_bytes(),
            _ => !operator.kind.is_for_host() || self.function(operator).is_some(),
        }
    }

    /// Adds a layer that no operator is; its name is that of a tensor with this behind it.
    pub fn push(&mut self, tensor: usize, end: &str, layer: LayerFile) -> String {
        let name = self.layer_name(tensor, end);
        self.layers.push(LayerFile {
            name: name.clone(),
            ..layer
        });
        name
    }

    /// The operator that makes a tensor of the same elements is a layer after all.
    fn is_moved(&mut self, tensor: usize, layer: String) {
        let (name, index) = self.shown(tensor);
        let made = |row: &&mut Row| {
            row.tensor == name && row.index == index && matches!(row.runs, Runs::Folded(_))
        };
        if let Some(row) = self.rows.iter_mut().find(made) {
            row.layer = Some(layer);
            row.runs = Runs::HostLayer("reshape".to_string());
        }
    }

    /// A layer, unless all of them together have too many weights: a file may name few of them many times.
    fn counted(&mut self, made: Made) -> Lowered {
        self.weights += made.layer.kind.weights().map_or(0, Vec::len);
        match self.weights <= WEIGHTS_MAX {
            true => Ok(made),
            false => Err(Some(format!(
                "the network has more than {WEIGHTS_MAX} weights with this layer"
            ))),
        }
    }

    fn refuse(&mut self, operator: &Operator, reason: String) {
        for &output in &operator.outputs {
            self.stand_in(output);
        }
        self.row(operator, None, Runs::Refused(reason), Exact::Yes);
    }

    /// Where the network can end instead, if a layer makes what is read.
    pub fn way_out(&self, inputs: &[usize]) -> String {
        let is_made = |input: &&usize| {
            let value = self.values.get(input);
            value.is_some_and(|value| self.layers.iter().any(|layer| layer.name == value.name))
        };
        let input = inputs.iter().find(is_made);
        input.map_or(String::new(), |&input| {
            let name = self.model.until(input);
            format!("; --until {name:?} ends the network in front of it")
        })
    }

    /// Gives what an operator reads the zero point that the file says: the same bytes, by a table.
    fn restore_zeros(&mut self, inputs: &[Option<usize>]) {
        for &input in inputs.iter().flatten() {
            let (Some(value), Ok(quantised)) = (
                self.values.get(&input).cloned(),
                self.model.tensors[input].quantised(),
            ) else {
                continue;
            };
            if value.zero_point == quantised.zero_point || value.name.is_empty() {
                continue;
            }
            let layer = LayerFile {
                table: Some((i8::MIN..=i8::MAX).collect()),
                output_zero_point: Some(quantised.zero_point),
                output_scale: Some(quantised.scale.into()),
                ..LayerFile::new(vec![value.name.clone()], TableFile {})
            };
            let name = self.push(input, "zero", layer);
            let zero_point = quantised.zero_point;
            self.values.insert(
                input,
                Value {
                    name,
                    zero_point,
                    ..value
                },
            );
        }
    }

    /// A place for what cannot be made, so that its readers are looked at all the same.
    fn stand_in(&mut self, output: usize) {
        let tensor = &self.model.tensors[output];
        let plane = self.model.format.plane(&tensor.shape);
        if let (Some(plane), Ok(quantised)) = (plane, tensor.quantised()) {
            self.hold(output, String::new(), plane, quantised.zero_point);
        }
    }

    /// No data moves: readers see the elements in another way.
    fn view(
        &mut self,
        operator: &Operator,
        input: usize,
        output: usize,
        seen: fn(&Self, &Operator, &Value) -> Result<Value, String>,
    ) {
        let checked = |value: &Value| {
            self.check_same(operator, output)?;
            seen(self, operator, value)
        };
        let runs = match self.values.get(&input).map(checked) {
            None => Runs::Unknown,
            Some(Ok(value)) => {
                self.values.insert(output, value);
                Runs::Folded("into its readers".to_string())
            }
            Some(Err(message)) => {
                self.stand_in(output);
                Runs::Refused(message)
            }
        };
        self.row(operator, None, runs, Exact::Yes);
    }

    /// The shape that a constant asks for must be that of the tensor.
    fn reshaped(&self, operator: &Operator, value: &Value) -> Result<Value, String> {
        self.check_view(operator)?;
        Ok(value.clone())
    }

    /// A view has all elements, in the shape that a constant or the file says.
    fn check_view(&self, operator: &Operator) -> Result<(), String> {
        let tensor = |index: usize| &self.model.tensors[index];
        let (Some(&Some(input)), &[output]) = (operator.inputs.first(), &operator.outputs[..])
        else {
            return Err("expected an input and one output".to_string());
        };
        let (from, to) = (tensor(input), tensor(output));
        if from.elements() != to.elements() {
            return Err(format!(
                "makes {:?} of {:?}, expected as many elements",
                to.shape, from.shape
            ));
        }
        let asked = self.operand(operator, 1).and_then(Tensor::int32);
        let asked = asked
            .filter(|_| operator.name.starts_with("RESHAPE"))
            .unwrap_or_default();
        let differs = asked
            .iter()
            .zip(&to.shape)
            .any(|(&asked, &size)| asked != -1 && i64::from(asked) != i64::from(size));
        match !asked.is_empty() && (differs || asked.len() != to.shape.len()) {
            true => Err(format!(
                "asks for the shape {asked:?}, and the file says {:?}",
                to.shape
            )),
            false => Ok(()),
        }
    }

    fn row(&mut self, operator: &Operator, layer: Option<String>, runs: Runs, exact: Exact) {
        // What assigns a variable makes no tensor.
        let output = operator.outputs.first().copied();
        let output = output.or_else(|| operator.inputs.last().copied().flatten());
        let (tensor, index) = output.map_or(("", None), |output| self.shown(output));
        self.rows.push(Row {
            layer,
            operator: operator.name.clone(),
            tensor: tensor.to_string(),
            index,
            runs,
            exact,
        });
    }

    /// The name of a tensor, and its number if the file has numbers.
    pub fn shown(&self, tensor: usize) -> (&'a str, Option<usize>) {
        let index = (self.model.format == Format::Tflite).then_some(tensor);
        (self.model.tensors[tensor].name, index)
    }

    /// A name for the layer that makes a tensor: the tensor's, cut where several are joined.
    fn layer_name(&mut self, tensor: usize, end: &str) -> String {
        let full = self.model.tensors[tensor].name;
        let last = full.split(';').next().unwrap_or_default();
        let start = last.char_indices().rev().nth(47).map_or(0, |(at, _)| at);
        let base = match is_name(&last[start..]) {
            true => last[start..].to_string(),
            false => format!("layer{}", self.layers.len()),
        };
        let base = match end {
            "" => base,
            end => format!("{base}/{end}"),
        };
        let numbered = (2..).map(|number| format!("{base}_{number}"));
        let mut names = std::iter::once(base.clone()).chain(numbered);
        let name = names.find(|name| self.names.insert(name.clone()));
        name.expect("numbers do not end")
    }
}
