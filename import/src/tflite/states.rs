//! Variables: what a network keeps from one image to the next.

use std::collections::{BTreeMap, BTreeSet};

use super::{OPERATORS_MAX, TENSORS_MAX, indices, list, read_operator, read_tensor, schema, shown};
use crate::model::{Element, Kind, Model, Operator, State, Tensor};

/// Name of a variable in all graphs of a file.
type Name<'a> = (&'a str, &'a str);

/// What is needed of a file beside its first graph.
pub struct Graphs<'a> {
    pub all: Vec<schema::SubGraph<'a>>,
    pub codes: Vec<schema::OperatorCode<'a>>,
    pub buffers: Vec<schema::Buffer<'a>>,
}

/// Names of the variables of the first graph by the tensors that stand for them, and the graphs that CALL_ONCE runs.
#[derive(Default)]
pub struct Names<'a> {
    handles: BTreeMap<usize, Name<'a>>,
    graphs: Vec<usize>,
}

impl<'a> Names<'a> {
    /// Takes up an operator of this name.
    pub fn add(&mut self, options: schema::Operator<'a>, name: &str, outputs: &[usize]) {
        match (name, outputs) {
            ("VAR_HANDLE", &[output]) => {
                let options = options.options::<schema::VarHandle<'_>>();
                let text = |found: Option<Option<&'a str>>| found.flatten().unwrap_or_default();
                let container = text(options.map(|options| options.container()));
                let name = text(options.map(|options| options.name()));
                self.handles.insert(output, (container, name));
            }
            ("CALL_ONCE", _) => {
                let options = options.options::<schema::CallOnce<'_>>();
                let graph = options.and_then(|options| options.graph()).unwrap_or(0);
                self.graphs
                    .push(usize::try_from(graph).unwrap_or(usize::MAX));
            }
            _ => {}
        }
    }
}

/// A variable while the operators are read in their order.
#[derive(Default)]
struct Variable<'a> {
    /// What CALL_ONCE assigns.
    initial: Option<Tensor<'a>>,
    /// The tensor that has what the image before has left, and the operator that reads it.
    input: Option<(usize, usize)>,
    /// What was assigned last.
    now: Option<usize>,
}

/// Makes of variables tensors that are inputs and outputs of the network at once. What cannot be one says why.
pub fn find<'a>(model: &mut Model<'a>, names: &Names<'a>, file: &Graphs<'a>) {
    let mut variables: BTreeMap<Name<'a>, Variable<'a>> = BTreeMap::new();
    let (mut graphs, mut budget, mut used) = (names.graphs.iter(), OPERATORS_MAX, false);
    let mut seen = BTreeSet::new();
    for index in 0..model.operators.len() {
        let operator = &model.operators[index];
        if !matches!(operator.kind, Kind::State) {
            continue;
        }
        let word = operator.name.split(' ').next().unwrap_or_default();
        let handle = operator.inputs.first().copied().flatten();
        let name = handle.and_then(|handle| names.handles.get(&handle).copied());
        let kind = match (word, name, &operator.inputs[..], &operator.outputs[..]) {
            ("CALL_ONCE", ..) => {
                let graph = graphs.next().copied().unwrap_or(usize::MAX);
                let found = match used {
                    true => Err(
                        "runs behind operators of variables, expected it before them".to_string(),
                    ),
                    false if !seen.insert(graph) => Ok(()),
                    false => initial(file, graph, &mut budget, &mut variables),
                };
                found.map(|()| Kind::State)
            }
            ("VAR_HANDLE", _, [], [_]) => Ok(Kind::State),
            ("READ_VARIABLE", Some(name), [_], &[output]) => {
                used = true;
                let variable = variables.entry(name).or_default();
                match (variable.now, variable.input) {
                    (Some(now), _) | (None, Some((now, _))) => {
                        take_scale(&mut model.tensors, now, output);
                        model.operators[index].inputs = vec![Some(now)];
                        Ok(Kind::Reshape)
                    }
                    (None, None) => {
                        variable.input = Some((output, index));
                        Ok(Kind::State)
                    }
                }
            }
            ("ASSIGN_VARIABLE", Some(name), &[_, Some(value)], []) => {
                used = true;
                variables.entry(name).or_default().now = Some(value);
                Ok(Kind::State)
            }
            _ => Err("reads or makes other tensors, expected a variable of VAR_HANDLE".to_string()),
        };
        model.operators[index].kind = kind.unwrap_or_else(Kind::Refused);
    }
    let mut left = State::ELEMENTS_MAX;
    for ((_, name), variable) in variables {
        let Some((input, index)) = variable.input else {
            continue;
        };
        if let Some(now) = variable.now {
            take_scale(&mut model.tensors, now, input);
            take_scale(&mut model.tensors, input, now);
        }
        let found = match model.states.len() < State::COUNT_MAX {
            true => state(&model.tensors, &variable, input, &mut left),
            false => Err(format!("expected at most {} of them", State::COUNT_MAX)),
        };
        match found {
            Ok(state) => {
                model.inputs.push(state.input);
                model.outputs.push(state.output);
                model.states.push(state);
            }
            Err(reason) => {
                let reason = format!("reads the variable {}, {reason}", shown(name));
                model.operators[index].kind = Kind::Refused(reason);
            }
        }
    }
}

/// Gives a tensor without a range that of another one, whose bytes it has.
fn take_scale(tensors: &mut [Tensor<'_>], from: usize, to: usize) {
    if tensors[to].scales.is_empty() {
        let Tensor {
            scales,
            zero_points,
            axis,
            ..
        } = tensors[from].clone();
        let tensor = &mut tensors[to];
        (tensor.scales, tensor.zero_points, tensor.axis) = (scales, zero_points, axis);
    }
}

/// What a variable is for the network.
fn state(
    tensors: &[Tensor<'_>],
    variable: &Variable<'_>,
    input: usize,
    left: &mut usize,
) -> Result<State, String> {
    let output = variable.now.ok_or(
        "which no ASSIGN_VARIABLE of the graph assigns: make it a constant, or assign it for each image",
    )?;
    let initial = variable.initial.as_ref().ok_or(
        "which nothing has assigned for the first image: assign a constant in the graph of a CALL_ONCE",
    )?;
    let read = &tensors[input];
    let what = |tensor: &Tensor<'_>| format!("{} {:?}", tensor.element.name(), tensor.shape);
    for (verb, found) in [("assigned", &tensors[output]), ("made at first", initial)] {
        if (&found.shape, found.element) != (&read.shape, read.element) {
            return Err(format!(
                "{} as it is {verb}, expected {}",
                what(found),
                what(read)
            ));
        }
    }
    if read.element != Element::Int8 {
        return Err(format!("which is {}, expected int8", read.element.name()));
    }
    let range = |tensor: &Tensor<'_>| (tensor.scales.clone(), tensor.zero_points.clone());
    if range(&tensors[output]) != range(read) {
        let shown = |tensor: &Tensor<'_>| {
            format!(
                "scale {:?} and zero point {:?}",
                tensor.scales, tensor.zero_points
            )
        };
        return Err(format!(
            "which is assigned {}, expected {}, as it is read",
            shown(&tensors[output]),
            shown(read)
        ));
    }
    *left = left.checked_sub(read.elements()).ok_or_else(|| {
        format!(
            "with which all of them keep more than {} bytes",
            State::ELEMENTS_MAX
        )
    })?;
    let bytes = initial.int8().unwrap_or_default();
    Ok(State {
        input,
        output,
        initial: bytes,
    })
}

/// Takes up what a graph assigns to variables: constants, and nothing else may be in it.
fn initial<'a>(
    file: &Graphs<'a>,
    graph: usize,
    budget: &mut usize,
    variables: &mut BTreeMap<Name<'a>, Variable<'a>>,
) -> Result<(), String> {
    let count = file.all.len();
    let found = file.all.get(graph).filter(|_| graph > 0);
    let found = found
        .ok_or_else(|| format!("runs graph {graph} of {count}, expected one behind the first"))?;
    let tensors: Vec<_> = list(found.tensors()).collect();
    let operators = list(found.operators());
    *budget = budget
        .checked_sub(operators.len())
        .filter(|_| tensors.len() <= TENSORS_MAX)
        .ok_or_else(|| format!("runs graph {graph}, expected at most {OPERATORS_MAX} operators and {TENSORS_MAX} tensors"))?;
    if !indices(found.inputs(), tensors.len())?.is_empty() {
        return Err(format!(
            "runs graph {graph}, which has inputs, expected none"
        ));
    }
    let mut names = Names::default();
    for operator in operators {
        let (name, read) = read_operator(operator, &file.codes, tensors.len())?;
        match (name, &read) {
            ("VAR_HANDLE", _) => names.add(operator, name, &read.outputs),
            (
                "ASSIGN_VARIABLE",
                Operator {
                    inputs, outputs, ..
                },
            ) if outputs.is_empty() => {
                let &[Some(handle), Some(value)] = &inputs[..] else {
                    return Err(format!(
                        "runs graph {graph}, whose {} reads no variable and a constant",
                        read.name
                    ));
                };
                let handle = names.handles.get(&handle);
                let value = read_tensor(tensors[value], &file.buffers)?;
                let (Some(&name), Some(_)) = (handle, &value.data) else {
                    return Err(format!(
                        "runs graph {graph}, which assigns {}, expected a constant for a variable",
                        shown(value.name)
                    ));
                };
                variables.entry(name).or_default().initial = Some(value);
            }
            _ => {
                return Err(format!(
                    "runs graph {graph} with {}, expected VAR_HANDLE and ASSIGN_VARIABLE of constants alone",
                    read.name
                ));
            }
        }
    }
    Ok(())
}
