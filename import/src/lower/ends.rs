//! The two ends of a network: its inputs, and what is read of it.

use heddle_network::file::{
    FORMAT, FurtherInputFile, InputFile, LayerFile, NetworkFile, ReshapeFile, StateFile, TestFile,
};
use heddle_network::{INPUT_NAME, Order, Shape};

use super::{Lowering, is_float};
use crate::model::{Element, Kind, Quantised};
use crate::planes;
use crate::report::{Exact, FileInput, FileOutput, Import, Runs};

impl Lowering<'_> {
    /// The inputs of the network: those of the file, or what the host quantises them to, in the shapes that reshapes in front of
    /// all others give them.
    pub(super) fn find_inputs(&mut self) {
        let model = self.model;
        let (own, states) = model
            .inputs
            .split_at(model.inputs.len() - model.states.len());
        // An input that no output needs is none.
        let needed = |tensor: &&usize| {
            let reads = |&index: &usize| model.operators[index].inputs.contains(&Some(**tensor));
            own.len() == 1 || self.needed.iter().any(reads)
        };
        let inputs: Vec<usize> = own.iter().filter(needed).copied().collect();
        if inputs.is_empty() && !states.is_empty() {
            self.faults
                .push("the network has no input but what it keeps".to_string());
        }
        let count = inputs.len();
        for (number, &given) in inputs.iter().chain(states).enumerate() {
            let tensor = match number < count {
                true => self.behind_views(given),
                false => given,
            };
            let (found, file) = (&model.tensors[tensor], &model.tensors[given]);
            self.inputs.push(FileInput {
                name: file.name.to_string(),
                shape: file.shape.clone(),
                unsigned: found.unsigned || file.is_unsigned_of(found),
                float: is_float(file),
            });
            let place = model.format.plane(&found.shape).ok_or_else(|| {
                format!(
                    "has shape {:?}, expected a batch of 1 and sides of at most 65536",
                    found.shape
                )
            });
            match place.and_then(|plane| Ok((plane, found.quantised()?))) {
                Ok((plane, quantised)) => self.input(tensor, plane, quantised),
                Err(fault) => self.faults.push(format!("input {:?} {fault}", found.name)),
            }
        }
        if self.input.is_none() && self.faults.is_empty() {
            self.faults.push("the network has no input".to_string());
        }
    }

    /// An input: the first one has a name of its own.
    fn input(&mut self, tensor: usize, plane: Shape, quantised: Quantised) {
        let [channels, height, width] = plane.sides();
        let zero_point = quantised.zero_point;
        let input = InputFile {
            channels,
            height,
            width,
            zero_point,
            scale: quantised.scale.into(),
        };
        let name = match self.input {
            None => INPUT_NAME.to_string(),
            Some(_) => self.layer_name(tensor, ""),
        };
        match self.input {
            None => {
                self.unsigned = self.model.tensors[tensor].unsigned;
                self.input = Some(input);
            }
            Some(_) => self.further_inputs.push(FurtherInputFile {
                name: name.clone(),
                input,
            }),
        }
        self.hold(tensor, name, plane, zero_point);
    }

    /// The tensor that a single reader after the other makes of an input without moving data.
    fn behind_views(&mut self, mut tensor: usize) -> usize {
        let model = self.model;
        loop {
            let mut readers = model
                .operators
                .iter()
                .filter(|operator| operator.inputs.contains(&Some(tensor)));
            let (Some(reader), None) = (readers.next(), readers.next()) else {
                return tensor;
            };
            let quantises =
                reader.kind.is_for_host() && model.tensors[tensor].element != Element::Int8;
            let &[output] = &reader.outputs[..] else {
                return tensor;
            };
            let is_view = matches!(reader.kind, Kind::Reshape)
                && model.format.plane(&model.tensors[output].shape).is_some()
                && self.check_view(reader).is_ok();
            if !quantises && !is_view {
                return tensor;
            }
            let runs = match (quantises, &reader.kind) {
                (true, Kind::Quantize) if self.is_end(tensor, output) => Runs::End("quantize"),
                (true, _) => Runs::Host,
                (false, _) => Runs::Folded("into the input".to_string()),
            };
            self.row(reader, None, runs, Exact::Yes);
            self.needed
                .retain(|&index| !std::ptr::eq(&model.operators[index], reader));
            tensor = output;
        }
    }

    /// Whether the host makes bytes of an input: of float32, or of what is the same without a sign.
    fn is_end(&self, input: usize, output: usize) -> bool {
        let [from, to] = [input, output].map(|tensor| &self.model.tensors[tensor]);
        is_float(from) || from.is_unsigned_of(to)
    }

    /// Scale and zero point of the bytes that an operator of this kind makes an output of float32 of.
    pub(super) fn end(&self, kind: &Kind, input: usize, output: usize) -> Option<Quantised> {
        let is_end = matches!(kind, Kind::Dequantize)
            && self.values.contains_key(&input)
            && self.model.outputs.contains(&output)
            && is_float(&self.model.tensors[output]);
        let found = self.model.tensors[input].quantised();
        found.ok().filter(|_| is_end)
    }

    /// Whether what the host makes at the end are the bytes of a layer without their sign.
    pub(super) fn is_unsigned(&self, output: usize) -> bool {
        let made = self.hosted.get(&output);
        made.is_some_and(|&made| {
            let tensor = |index: usize| &self.model.tensors[index];
            tensor(output).is_unsigned_of(tensor(made))
        })
    }

    /// The layer that makes a tensor: an input is copied.
    fn layer_of(&mut self, tensor: usize) -> Option<String> {
        let value = self.values.get(&tensor)?;
        if value.name.is_empty() || self.layers.iter().any(|layer| layer.name == value.name) {
            return Some(value.name.clone());
        }
        let kind = ReshapeFile {
            output_shape: value.plane.sides(),
            order: Order::default(),
        };
        let layer = LayerFile::new(vec![value.name.clone()], kind);
        let name = self.push(tensor, "", layer);
        self.is_moved(tensor, name.clone());
        Some(name)
    }

    /// What the network keeps: layers make it as it is read for the next image.
    fn states(&mut self) -> Vec<StateFile> {
        let mut found = Vec::new();
        for state in &self.model.states {
            let tensors = [Some(state.output)];
            self.lay_out(&tensors);
            self.restore_zeros(&tensors);
            let input = self.values.get(&state.input).cloned();
            let (Some(input), Some(output)) = (input, self.layer_of(state.output)) else {
                let name = self.model.until(state.output);
                self.faults.push(format!(
                    "{name:?} is kept for the next image, and no layer makes it: expected int8 that a layer or an input has"
                ));
                continue;
            };
            let channels = self.model.format.interleaved(input.plane);
            let initial = planes(&state.initial, channels, state.initial.len() / channels);
            found.push(StateFile {
                input: input.name,
                output,
                initial: Some(initial),
            });
        }
        found
    }

    pub(super) fn finish(mut self, name: &str) -> Import {
        let whole = self.rows.iter().all(|row| row.runs.is_possible());
        let mut names = Vec::new();
        let mut outputs: Vec<FileOutput> = Vec::new();
        let own = self.model.outputs.len() - self.model.states.len();
        for given in &self.model.outputs[..own] {
            let output = self.hosted.get(given).unwrap_or(given);
            if self.model.tensors[*output].data.is_some() {
                let name = self.model.until(*output);
                self.faults.push(format!(
                    "the output {name:?} is a constant, which no layer makes: leave it out, or end the network with --until"
                ));
            }
            let (output, model) = (*output, self.model);
            let Some(layer) = self.layer_of(output).filter(|_| whole) else {
                continue;
            };
            if !names.contains(&layer) {
                names.push(layer.clone());
            }
            let (real, unsigned) = (self.reals.get(given), self.is_unsigned(*given));
            let is_end = real.is_some() || unsigned;
            let file = &model.tensors[if is_end { *given } else { output }];
            let found = FileOutput {
                name: file.name.to_string(),
                layer,
                shape: file.shape.clone(),
                float: real.is_some(),
                unsigned: unsigned || model.tensors[output].unsigned,
                quantised: real
                    .copied()
                    .or_else(|| model.tensors[output].quantised().ok()),
            };
            if !outputs.contains(&found) {
                outputs.push(found);
            }
        }
        let states = if whole { self.states() } else { Vec::new() };
        // A network ends with its last layer if it does not say otherwise.
        let is_last =
            names.len() == 1 && self.layers.last().map(|last| &last.name) == names.first();
        let names = (!is_last).then_some(names);
        let network = self.input.filter(|_| whole && self.faults.is_empty());
        Import {
            network: network.map(|input| NetworkFile {
                outputs: names,
                format: FORMAT.to_string(),
                name: name.to_string(),
                input,
                further_inputs: self.further_inputs,
                layers: self.layers,
                states,
                test: TestFile::default(),
            }),
            inputs: self.inputs,
            outputs,
            batch: self.model.batch,
            unsigned: self.unsigned,
            rows: self.rows,
            faults: self.faults,
        }
    }
}
