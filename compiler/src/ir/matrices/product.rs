//! Products: which factor is loaded, which is streamed, and how both come to lie as they must.

use heddle_network::{Layer, Matmul};

use super::{Id, Lowering, Operation, ProductScale, Value, factors, lying};
use crate::ir::lying::makes;
use crate::layout::MatrixShape;

impl Lowering<'_> {
    pub(super) fn product(&mut self, layer: &Layer, matmul: Matmul) -> Value {
        let first = self.matrices_of(layer.inputs[0].tensor);
        let matrices = makes(layer, first.matrices);
        let terms = layer.taps() as u32;
        let zero_points = [
            layer.inputs[0].zero_point,
            layer.inputs.get(1).map_or(0, |input| input.zero_point),
        ];
        // What is loaded as weights has no zero point.
        let wanted = self.turned[self.step];
        let per_column = layer.bias.len() > 1;
        let turned = match zero_points {
            // Columns of the array are columns of the second factor.
            _ if per_column => true,
            [0, 0] => wanted,
            [0, _] => false,
            _ => true,
        };
        let value = self.made(matrices, if self.fold { turned } else { wanted });
        // The result comes out transposed and must not stay so.
        let crossed = value.turned != turned;
        let between = crossed.then(|| self.matrix(lying(matrices, turned)));
        let scale = self.scale(layer, zero_points[usize::from(!turned)]);
        let stored = (layer.inputs.len() == 1).then(|| self.stored(layer, matmul, terms));
        let wants = [!matmul.transposed[0], matmul.transposed[1]];
        let left = self.reader(layer.inputs[0].tensor, wants[0], true);
        let right = layer.inputs.get(1).map(|input| {
            // Both factors of a square are not one copy: they are read at the same time.
            let same = input.tensor == layer.inputs[0].tensor && wants[0] == wants[1];
            self.reader(input.tensor, wants[1], !same)
        });
        let mut double = None;
        for (channel, &output) in value.ids.iter().enumerate() {
            let left = self.read(&left, channel);
            let right = match (&right, stored) {
                (Some(right), _) => self.read(right, channel),
                (None, stored) => stored.expect("one input goes with weights"),
            };
            let (mut weights, moving) = match turned {
                false => (left, right),
                true => (right, left),
            };
            if weights == moving {
                // One bank cannot give both.
                let shape = self.program.items[weights].shape;
                let (between, copy) = *double.get_or_insert_with(|| {
                    let between = self.matrix(shape.transposed());
                    (between, self.matrix(shape))
                });
                self.copy(moving, between, copy);
                weights = copy;
            }
            self.emit(Operation::Product {
                weights,
                moving,
                result: between.unwrap_or(output),
                scale,
            });
            if let Some(between) = between {
                self.emit(Operation::Transpose {
                    source: between,
                    destination: output,
                });
            }
        }
        value
    }

    /// How the matrices of a tensor come to lie as they are needed. A copy that later layers can use as well is kept,
    /// if that is asked for and possible.
    fn reader(&mut self, tensor: usize, turned: bool, keeps: bool) -> Reader {
        let value = self.matrices_of(tensor);
        let shape = lying(value.matrices, turned);
        let mut reader = Reader {
            source: value.ids,
            copies: Vec::new(),
            made: true,
        };
        if value.turned == turned {
            return reader;
        }
        let last = self.last_reader(tensor, turned);
        if !keeps || !self.keep || (last == self.step && !self.kept.contains_key(&tensor)) {
            reader.copies = vec![self.matrix(shape); reader.source.len()];
            reader.made = false;
            return reader;
        }
        if let Some(copies) = self.kept.get(&tensor) {
            reader.copies = copies.clone();
            return reader;
        }
        let steps = self.step..last + 1;
        let copies = reader.source.iter();
        reader.copies = copies
            .map(|_| self.program.push(shape, steps.clone(), None))
            .collect();
        reader.made = false;
        self.kept.insert(tensor, reader.copies.clone());
        reader
    }

    /// The last step in which a product needs a tensor so.
    fn last_reader(&self, tensor: usize, turned: bool) -> usize {
        let needs = |layer: &Layer| {
            let mut factors = factors(layer).into_iter().flatten();
            factors.any(|factor| factor == (tensor, turned))
        };
        let steps = (1..).zip(&self.network.layers);
        let last = steps
            .filter(|(_, layer)| needs(layer))
            .map(|(step, _)| step);
        last.max().unwrap_or(self.step).max(self.step)
    }

    /// A matrix as it is needed.
    fn read(&mut self, reader: &Reader, channel: usize) -> Id {
        let source = reader.source[channel];
        let Some(&destination) = reader.copies.get(channel) else {
            return source;
        };
        if !reader.made {
            self.emit(Operation::Transpose {
                source,
                destination,
            });
        }
        destination
    }

    /// The second factor, terms x columns, from the network file.
    fn stored(&mut self, layer: &Layer, matmul: Matmul, terms: u32) -> Id {
        let cols = layer.output.width;
        let at = |term: u32, col: u32| match matmul.transposed[1] {
            true => col * terms + term,
            false => term * cols + col,
        };
        let places = (0..terms).flat_map(|term| (0..cols).map(move |col| (term, col)));
        let content = places.map(|(term, col)| layer.weights[at(term, col) as usize]);
        let content = content.collect();
        let shape = MatrixShape { rows: terms, cols };
        self.program
            .push(shape, self.step..self.step + 1, Some(content))
    }

    fn scale(&mut self, layer: &Layer, zero_point: i8) -> ProductScale {
        let pairs: Vec<_> = layer
            .bias
            .iter()
            .copied()
            .zip(layer.scales.iter().copied())
            .collect();
        let per_column = pairs.len() > 1;
        let tiles = &mut self.program.tiles;
        let tile = tiles.len();
        let tile = match tiles.iter().position(|other| *other == pairs) {
            Some(same) if !per_column => same,
            _ => {
                tiles.extend(pairs.chunks(self.cols).map(<[_]>::to_vec));
                tile
            }
        };
        let output = i16::from(layer.output_zero_point);
        ProductScale {
            tile,
            tiles: pairs.len().div_ceil(self.cols).max(1),
            zero_point,
            rounding: layer.rounding,
            bounds: (i16::from(layer.min) - output, i16::from(layer.max) - output),
        }
    }
}

/// A tensor whose matrices lie as they are needed, or have copies that do.
struct Reader {
    source: Vec<Id>,
    copies: Vec<Id>,
    /// The copies are there.
    made: bool,
}
