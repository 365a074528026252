//! Tensors that a network keeps from one image to the next.

use std::borrow::Cow;

use heddle_arch::fault::{Fault, push};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::file::NetworkFile;
use crate::name::name_pattern;
use crate::{Network, Shape, Tensor};

/// A tensor that the network keeps from one image to the next.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct StateFile {
    /// Name of the further input that has what was kept; no image has it.
    #[schemars(length(min = 1, max = 64), extend("pattern" = name_pattern()))]
    pub input: String,
    /// Name of the layer whose output is kept: of the same shape, zero point and scale.
    #[schemars(length(min = 1, max = 64), extend("pattern" = name_pattern()))]
    pub output: String,
    /// What the first image finds, in the order channel, row, column. Default: the zero point everywhere.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub initial: Option<Vec<i8>>,
}

/// A tensor that the network keeps from one image to the next.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct State {
    /// The further input that has what was kept.
    pub input: usize,
    /// The tensor that is kept; the host reads it.
    pub output: usize,
    /// What the first image finds.
    pub initial: Vec<i8>,
    /// What is kept is an output of the network, too.
    pub is_output: bool,
}

/// What is known of a tensor: its name, shape, zero point and scale.
pub(crate) type Known = (String, Option<(Shape, i8)>, Option<f64>);

/// Real values of a step of all tensors, as far as the file says them.
pub(crate) fn scales(file: &NetworkFile) -> Vec<Option<f64>> {
    let further = file.further_inputs.iter();
    let further = further.map(|further| Some(further.input.scale));
    let layers = file.layers.iter().map(|layer| layer.output_scale);
    let first = std::iter::once(Some(file.input.scale));
    first.chain(further).chain(layers).collect()
}

/// Checks the states of a network whose tensors these are, so many further inputs behind the first.
pub(crate) fn build(
    files: Vec<StateFile>,
    tensors: &[Known],
    further: usize,
    outputs: &[usize],
    faults: &mut Vec<Fault>,
) -> Vec<State> {
    let (mut found, mut all): (Vec<State>, usize) = (Vec::new(), 0);
    for (i, file) in files.into_iter().enumerate() {
        let at = format!("states[{i}]");
        let named = |name: &str| tensors.iter().rposition(|tensor| tensor.0 == name);
        let is_input = |index: &usize| {
            (1..=further).contains(index) && found.iter().all(|other| other.input != *index)
        };
        let (input, output) = (named(&file.input), named(&file.output));
        let (input, output) = (
            input.filter(is_input),
            output.filter(|index| *index > further),
        );
        if input.is_none() {
            let message = format!(
                "is {:?}, expected the name of a further input, each once",
                file.input
            );
            push(faults, &format!("{at}.input"), message);
        }
        if output.is_none() {
            let message = format!("is {:?}, expected the name of a layer", file.output);
            push(faults, &format!("{at}.output"), message);
        }
        let (Some(input), Some(output)) = (input, output) else {
            continue;
        };
        let (Some((shape, zero_point)), Some(made)) = (tensors[input].1, tensors[output].1) else {
            continue;
        };
        let scale_differs =
            matches!((tensors[input].2, tensors[output].2), (Some(a), Some(b)) if a != b);
        if (shape, zero_point) != made || scale_differs {
            let shown = |(shape, zero_point): (Shape, i8), scale: Option<f64>| {
                let scale = scale.map_or(String::new(), |scale| format!(", scale {scale}"));
                format!("{shape} with zero point {zero_point}{scale}")
            };
            let message = format!(
                "is {:?}, {}, expected those of {:?}, {}",
                file.output,
                shown(made, tensors[output].2),
                file.input,
                shown((shape, zero_point), tensors[input].2)
            );
            push(faults, &format!("{at}.output"), message);
            continue;
        }
        let (elements, most) = (shape.elements(), Network::STATES_MAX);
        all = all.saturating_add(elements);
        if all > most {
            let message = format!(
                "is {:?}, {shape}, expected at most {most} elements of all states",
                file.input
            );
            push(faults, &format!("{at}.input"), message);
            continue;
        }
        let initial = file.initial;
        if let Some(initial) = initial.as_ref().filter(|list| list.len() != elements) {
            let message = format!("has length {}, expected {elements}: {shape}", initial.len());
            push(faults, &format!("{at}.initial"), message);
            continue;
        }
        found.push(State {
            input,
            output,
            initial: initial.unwrap_or_else(|| vec![zero_point; elements]),
            is_output: outputs.contains(&output),
        });
    }
    found
}

impl Network {
    /// What is kept before the first image, in the order of the states.
    #[must_use]
    pub fn initial_states(&self) -> Vec<Vec<i8>> {
        let states = self.states.iter();
        states.map(|state| state.initial.clone()).collect()
    }

    /// What is kept of what all layers have made, in the order of the states.
    #[must_use]
    pub fn kept(&self, made: &[Tensor]) -> Vec<Vec<i8>> {
        let states = self.states.iter();
        states
            .map(|state| made[state.output - 1].values.clone())
            .collect()
    }

    /// The inputs that an image has: all but those of states.
    pub fn own_inputs(&self) -> impl Iterator<Item = usize> {
        let is_own = |input: &usize| self.states.iter().all(|state| state.input != *input);
        self.inputs().filter(is_own)
    }

    /// The outputs for the user: all but those that are states alone.
    pub fn own_outputs(&self) -> impl Iterator<Item = usize> {
        let outputs = self.outputs.iter().copied();
        outputs.filter(|output| {
            let mut states = self.states.iter();
            states.all(|state| state.output != *output || state.is_output)
        })
    }

    /// Elements of an image without states.
    #[must_use]
    pub fn own_elements(&self) -> usize {
        let shapes = self.own_inputs().map(|input| self.tensor(input).0);
        shapes.map(Shape::elements).sum()
    }

    /// An image with what is kept in its places: the elements of all inputs. One of another length stays as it is.
    #[must_use]
    pub fn with_states<'i>(&self, image: &'i [i8], states: &[Vec<i8>]) -> Cow<'i, [i8]> {
        if self.states.is_empty() || image.len() != self.own_elements() {
            return Cow::Borrowed(image);
        }
        let mut rest = image;
        let mut whole = Vec::with_capacity(self.image_elements());
        for input in self.inputs() {
            let mut states = self.states.iter().zip(states);
            match states.find(|(state, _)| state.input == input) {
                Some((_, values)) => whole.extend_from_slice(values),
                None => {
                    let (own, behind) = rest.split_at(self.tensor(input).0.elements());
                    whole.extend_from_slice(own);
                    rest = behind;
                }
            }
        }
        Cow::Owned(whole)
    }
}
