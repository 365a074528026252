//! Tensors of the user: packed, unpacked, and what the host computes of them.

use heddle_arch::image::{Element, End, Operation, Tensor};
use heddle_arch::requantise::Scale;
use heddle_network::ops::softmax::softmax;

use super::{Device, Runner, RunnerError, is_work, moved, user_bytes};

/// Elements of tensors in the order of the user, by the number of their first entry.
type Values = Vec<Option<Vec<u8>>>;

impl<D: Device> Runner<D> {
    /// Puts inputs where LOADs find them.
    pub(super) fn pack(&mut self, inference: usize, inputs: &[Vec<u8>]) -> Result<(), RunnerError> {
        let given = self.inputs().map(Some).chain(std::iter::repeat(None));
        let given = inputs
            .iter()
            .map(Some)
            .chain(std::iter::repeat(None))
            .zip(given);
        let given = given.take(self.inputs().count().max(inputs.len()));
        for (bytes, tensor) in given {
            let found = bytes.map_or(0, Vec::len);
            let expected = tensor.map_or(0, user_bytes);
            if found as u64 != expected {
                let name = tensor.map_or("behind the last one", |tensor| &tensor.name);
                return Err(RunnerError::Input {
                    name: name.to_string(),
                    found,
                    expected,
                });
            }
        }
        let mut values: Values = vec![None; self.image.tensors.len()];
        let firsts = self.first_entries(|tensor| tensor.input);
        for (index, bytes) in firsts.into_iter().zip(inputs) {
            values[index] = Some(bytes.clone());
        }
        self.compute(&mut values, true);
        for (index, bytes) in values.iter().enumerate() {
            let Some(bytes) = bytes else { continue };
            let parts: Vec<usize> = self.image.parts(index).collect();
            let parts = parts
                .into_iter()
                .map(|part| self.image.tensors[part].clone());
            let parts = parts.filter(|part| !is_work(part)).collect::<Vec<_>>();
            for part in &parts {
                self.scatter(inference, part, bytes);
            }
        }
        Ok(())
    }

    /// Takes outputs from where STOREs have put them.
    pub(super) fn unpack(&self, inference: usize) -> Vec<Vec<u8>> {
        let mut values: Values = vec![None; self.image.tensors.len()];
        for index in self.first_entries(|tensor| tensor.region == 2) {
            values[index] = Some(self.gather(inference, index));
        }
        self.compute(&mut values, false);
        let outputs = self.first_entries(|tensor| tensor.output);
        let outputs = outputs.into_iter();
        outputs
            .map(|index| values[index].take().unwrap_or_default())
            .collect()
    }

    fn scatter(&mut self, inference: usize, part: &Tensor, bytes: &[u8]) {
        let begin = (self.buffer(part.region as usize, inference) + part.offset) as usize;
        let own = &mut self.memory[begin..begin + part.bytes as usize];
        own.fill(part.padding);
        let size = part.element.bytes() as usize;
        for (place, element) in part.places() {
            let (place, element) = (place as usize, element as usize * size);
            own[place..place + size].copy_from_slice(&bytes[element..element + size]);
        }
    }

    fn gather(&self, inference: usize, index: usize) -> Vec<u8> {
        let first = &self.image.tensors[index];
        let mut bytes = vec![0; user_bytes(first) as usize];
        let size = first.element.bytes() as usize;
        for part in self
            .image
            .parts(index)
            .map(|part| &self.image.tensors[part])
        {
            let begin = (self.buffer(part.region as usize, inference) + part.offset) as usize;
            for (place, element) in part.places() {
                let (place, element) = (begin + place as usize, element as usize * size);
                bytes[element..element + size].copy_from_slice(&self.memory[place..place + size]);
            }
        }
        bytes
    }

    /// Those ends that make inputs, or the others.
    fn compute(&self, values: &mut Values, of_inputs: bool) {
        let tensor = |index: u32| &self.image.tensors[index as usize];
        for end in &self.image.ends {
            let makes_input = tensor(end.destination).region == 1;
            let Some(source) = &values[end.source as usize] else {
                continue;
            };
            if makes_input == of_inputs {
                let made = made(end, [tensor(end.source), tensor(end.destination)], source);
                values[end.destination as usize] = Some(made);
            }
        }
    }
}

/// What an end makes.
fn made(end: &End, [source, destination]: [&Tensor; 2], bytes: &[u8]) -> Vec<u8> {
    let [moved_source, moved_made] = [source, destination].map(moved);
    let values: Vec<i8> = bytes
        .iter()
        .map(|&byte| (byte ^ moved_source) as i8)
        .collect();
    let [length, stride] = [end.length as usize, end.stride as usize];
    let places = |row: usize| {
        let first = row / stride * length * stride + row % stride;
        (0..length).map(move |at| first + at * stride)
    };
    let rows = 0..end.rows as usize;
    match end.operation {
        Operation::Softmax => {
            let scale = Scale::new(end.multiplier as i32, end.shift).expect("it has been checked");
            let mut made = vec![0; values.len()];
            for row in rows {
                let own: Vec<i8> = places(row).map(|place| values[place]).collect();
                for (place, share) in places(row).zip(softmax(&own, scale)) {
                    made[place] = share as u8 ^ moved_made;
                }
            }
            made
        }
        Operation::ArgMax => {
            let largest = rows.map(|row| {
                let own = places(row).enumerate().rev();
                own.max_by_key(|&(_, place)| values[place])
                    .map_or(0, |(at, _)| at as u32)
            });
            largest.flat_map(u32::to_le_bytes).collect()
        }
        Operation::Quantize | Operation::QuantizeEven => {
            let [low, high] = match destination.element {
                Element::Uint8 => [0.0, 255.0],
                _ => [-128.0, 127.0],
            };
            let words = bytes.chunks_exact(4);
            let steps = words.map(|word| {
                let value = f32::from_le_bytes(word.try_into().expect("four bytes"));
                let quotient = value / destination.scale;
                let step = match end.operation {
                    Operation::QuantizeEven => quotient.round_ties_even(),
                    _ => quotient.round(),
                };
                (f64::from(step) + f64::from(destination.zero_point)).clamp(low, high) as i32 as u8
            });
            steps.collect()
        }
        Operation::Dequantize => {
            let steps = bytes.iter().map(|&byte| match source.element {
                Element::Uint8 => i32::from(byte),
                _ => i32::from(byte as i8),
            });
            let reals = steps.map(|step| (step - source.zero_point) as f32 * source.scale);
            reals.flat_map(f32::to_le_bytes).collect()
        }
    }
}
