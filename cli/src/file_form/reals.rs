//! What a file has as real numbers: its inputs and outputs of float32, and what bytes of others stand for.

use heddle_arch::image::Operation;
use heddle_compiler::{Range, Real, UserForm};
use heddle_import::{FileOutput, Quantised};
use heddle_network::Network;

use super::{FileForm, InputForm};
use crate::npy::{Array, Element};

impl FileForm {
    /// How the user of an image has the tensors.
    pub fn user(&self, network: &Network) -> UserForm {
        let tensors = 0..=network.layers.len();
        let names = tensors
            .clone()
            .map(|tensor| self.array_name(network, tensor));
        let mut form = UserForm {
            interleaved: self.interleaved,
            names: names.map(str::to_string).collect(),
            unsigned: tensors.filter(|_| self.unsigned).collect(),
            ..UserForm::default()
        };
        for (tensor, input) in network.inputs().zip(&self.inputs) {
            match input.unsigned {
                true => form.unsigned.insert(tensor),
                false => form.unsigned.remove(&tensor),
            };
            let range = Range {
                scale: input.scale as f32,
                zero_point: network.tensor(tensor).1,
            };
            form.ranges.insert(tensor, range);
            if input.float {
                form.quantised.insert(tensor, input.operation());
            }
        }
        for output in &self.outputs {
            let mut layers = network.layers.iter();
            let Some(layer) = layers.position(|layer| layer.name == output.layer) else {
                continue;
            };
            let tensor = layer + 1;
            if let Some(Quantised { scale, zero_point }) = output.quantised {
                form.ranges.insert(tensor, Range { scale, zero_point });
            }
            match output.float {
                true => form.reals.push(Real {
                    tensor,
                    name: self.output_name(network, tensor, output),
                    bytes: self.has_bytes(network, tensor),
                }),
                false => {
                    form.names[tensor] = self.output_name(network, tensor, output);
                    match output.unsigned {
                        true => form.unsigned.insert(tensor),
                        false => form.unsigned.remove(&tensor),
                    };
                }
            }
        }
        form
    }

    /// The arrays of an output: its bytes, what they stand for, or both, as the file says. A tensor that is shown although it is no
    /// output has its bytes.
    pub fn arrays(
        &self,
        network: &Network,
        tensor: usize,
        images: &[Vec<i8>],
        is_shown: bool,
    ) -> Vec<(String, Array)> {
        let mut arrays: Vec<(String, Array)> = Vec::new();
        let own = (
            self.array_name(network, tensor).to_string(),
            self.array(network, tensor, images),
        );
        for output in self.outputs_of(network, tensor) {
            let name = self.output_name(network, tensor, output);
            let array = own.1.clone().in_file(output, self.unsigned);
            arrays.push((name, array));
        }
        let is_there = arrays.iter().any(|(name, _)| *name == own.0);
        if arrays.is_empty() || is_shown && !is_there {
            arrays.insert(0, own);
        }
        arrays
    }

    /// The outputs of the file that are made of a tensor.
    fn outputs_of<'a>(
        &'a self,
        network: &'a Network,
        tensor: usize,
    ) -> impl Iterator<Item = &'a FileOutput> {
        let name = network.tensor_name(tensor);
        let outputs = self.outputs.iter();
        outputs.filter(move |output| output.layer == name)
    }

    /// Whether the bytes of an output are one of the file.
    fn has_bytes(&self, network: &Network, tensor: usize) -> bool {
        let mut outputs = self.outputs_of(network, tensor).peekable();
        outputs.peek().is_none() || outputs.any(|output| !output.float)
    }

    /// Name of the array of an output: that in the file if nothing else has it.
    fn output_name(&self, network: &Network, tensor: usize, output: &FileOutput) -> String {
        let (name, own) = (&output.name, self.array_name(network, tensor));
        let others = self.outputs.iter().filter(|other| other.name == *name);
        let is_usable = !name.is_empty() && !name.contains(char::is_control);
        let is_free = !self.names.contains(name) || !output.float && name == own;
        match is_usable && is_free && others.count() == 1 {
            true => name.clone(),
            false if output.float => format!("{}/float32", network.tensor_name(tensor)),
            false => own.to_string(),
        }
    }
}

impl InputForm {
    /// What makes bytes of real numbers.
    fn operation(&self) -> Operation {
        match self.to_even {
            true => Operation::QuantizeEven,
            false => Operation::Quantize,
        }
    }
}

impl Array {
    /// Bytes of a tensor as an output of the file has them.
    fn in_file(self, output: &FileOutput, unsigned: bool) -> Array {
        let sizes = match &output.shape[..] {
            [1, sizes @ ..] => sizes,
            sizes => sizes,
        };
        let images = self.shape[0];
        let mut made = match (output.float, output.quantised) {
            (true, Some(quantised)) => real(&self, quantised),
            _ => self,
        };
        if made.element != Element::Float32
            && made.element != Element::Int32
            && output.unsigned != unsigned
        {
            made.bytes.iter_mut().for_each(|byte| *byte ^= 0x80);
            made.element = match output.unsigned {
                true => Element::Uint8,
                false => Element::Int8,
            };
        }
        let sizes = sizes.iter().map(|&size| size as usize);
        made.shape = std::iter::once(images).chain(sizes).collect();
        made
    }
}

/// What bytes stand for.
fn real(array: &Array, Quantised { scale, zero_point }: Quantised) -> Array {
    let moved = match array.element {
        Element::Uint8 => 0x80,
        _ => 0,
    };
    let steps = array.bytes.iter().map(|&byte| (byte ^ moved) as i8);
    let distances = steps.map(|step| i32::from(step) - i32::from(zero_point));
    let reals = distances.map(|distance| distance as f32 * scale);
    Array {
        element: Element::Float32,
        shape: array.shape.clone(),
        bytes: reals.flat_map(f32::to_le_bytes).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MODEL: &str = include_str!("../../../models/tiny.json");

    fn output(name: &str, layer: &str, float: bool) -> FileOutput {
        FileOutput {
            name: name.to_string(),
            layer: layer.to_string(),
            shape: vec![1, 10],
            float,
            unsigned: false,
            quantised: Some(Quantised {
                scale: 0.1,
                zero_point: -3,
            }),
        }
    }

    /// Names and types of the arrays of the last tensor, if the file has these outputs of it.
    fn arrays(outputs: &[(&str, bool)], is_shown: bool, unsigned: bool) -> Vec<(String, Element)> {
        let network = Network::from_json(MODEL).expect("a legal network");
        let last = network.layers.len();
        let layer = network.tensor_name(last);
        let form = FileForm {
            unsigned,
            outputs: outputs
                .iter()
                .map(|&(name, float)| FileOutput {
                    unsigned,
                    ..output(name, layer, float)
                })
                .collect(),
            ..FileForm::of_network(&network, vec![1.0])
        };
        let images = vec![vec![-3i8; network.output().elements()]; 2];
        let mut arrays = form.arrays(&network, last, &images, is_shown);
        for (_, array) in arrays.iter().filter(|(_, a)| a.element == Element::Float32) {
            assert!(array.bytes.iter().all(|&byte| byte == 0));
            assert_eq!(array.bytes.len(), 4 * 2 * network.output().elements());
        }
        arrays
            .drain(..)
            .map(|(name, array)| (name, array.element))
            .collect()
    }

    #[test]
    fn outputs_are_bytes_or_real_numbers_as_the_file_says() {
        use Element::{Float32, Int8, Uint8};
        let network = Network::from_json(MODEL).expect("a legal network");
        let own = network.tensor_name(network.layers.len());
        let other = format!("{own}/float32");
        for (outputs, is_shown, unsigned, expected) in [
            (&[][..], false, false, &[(own, Int8)][..]),
            (&[(own, false)], false, true, &[(own, Uint8)]),
            (&[("real", true)], false, false, &[("real", Float32)]),
            (
                &[("real", true)],
                true,
                true,
                &[(own, Uint8), ("real", Float32)],
            ),
            (
                &[("real", true), (own, false)],
                false,
                false,
                &[("real", Float32), (own, Int8)],
            ),
            // Names that an array cannot have.
            (&[("", true)], false, false, &[(&other[..], Float32)]),
            (&[("a\0", true)], false, false, &[(&other, Float32)]),
            (
                &[(own, true)],
                true,
                false,
                &[(own, Int8), (&other, Float32)],
            ),
        ] {
            let found = arrays(outputs, is_shown, unsigned);
            let found: Vec<(&str, Element)> = found.iter().map(|(n, e)| (&n[..], *e)).collect();
            assert_eq!(found, expected);
        }
    }

    #[test]
    fn real_numbers_are_steps_from_the_zero_point_in_single_precision() {
        let bytes = Array {
            element: Element::Int8,
            shape: vec![1, 4],
            bytes: vec![0x80, 0, 0xfd, 0x7f],
        };
        let quantised = Quantised {
            scale: 0.1,
            zero_point: -3,
        };
        let expected = [-12.5f32, 0.3, 0.0, 13.0].map(|value| (value / 0.1f32).round() * 0.1f32);
        let expected: Vec<u8> = expected.into_iter().flat_map(f32::to_le_bytes).collect();
        assert_eq!(real(&bytes, quantised).bytes, expected);
        let unsigned = Array {
            element: Element::Uint8,
            bytes: bytes.bytes.iter().map(|byte| byte ^ 0x80).collect(),
            ..bytes
        };
        assert_eq!(real(&unsigned, quantised).bytes, expected);
    }
}
