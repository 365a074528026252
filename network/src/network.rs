//! A network.

use heddle_arch::fault::ConfigErrors;

use crate::ops::{Reduction, Work};
use crate::{Axis, INPUT_NAME, Layer, Shape, State, build, file, form, stored};

/// A network that has been checked: shapes fit, and no sum can leave 32 bits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Network {
    /// Name.
    pub name: String,
    /// Shape of the first input.
    pub input: Shape,
    /// Zero point of the first input.
    pub input_zero_point: i8,
    /// Layers, at least one; each reads the input of the network or outputs of layers before.
    pub layers: Vec<Layer>,
    /// Tensors that the host reads, at least one: the outputs of the network.
    /// Those of states that are no outputs of the file are last.
    pub outputs: Vec<usize>,
    /// What is kept from one image to the next.
    pub states: Vec<State>,
    /// Quantised test images: the elements of all inputs but those of states, one input behind another, each in the order of [`Shape`].
    pub images: Vec<Vec<i8>>,
    /// Class of each test image, index of the largest output; or none at all.
    pub labels: Vec<u32>,
}

impl Network {
    /// Largest side of a plane, kernel or stride, and number of channels or features.
    pub const SIZE_MAX: u32 = 65_536;

    /// Most elements of a tensor, of a plane with its padding and of a kernel.
    pub const ELEMENTS_MAX: usize = 1 << 28;

    /// Most elements of all states.
    pub const STATES_MAX: usize = 1 << 24;

    /// Reads and checks a network.
    ///
    /// # Errors
    /// All faults, each with its line, field, value and what is allowed.
    pub fn from_json(text: &str) -> Result<Network, ConfigErrors> {
        let message = "lie in another file, which is not read here, expected a list";
        Self::from_json_with(text, &mut |_| Err(message.to_string()))
    }

    /// As [`Network::from_json`], of a network whose weights may lie in other files, which `read` reads.
    ///
    /// # Errors
    /// All faults, each with its line, field, value and what is allowed.
    pub fn from_json_with(
        text: &str,
        read: stored::ReadStored<'_>,
    ) -> Result<Network, ConfigErrors> {
        stored::read(text, read)
    }

    /// Checks the content of a network file.
    ///
    /// # Errors
    /// All faults, each with its field, value and what is allowed.
    pub fn from_file(mut file: file::NetworkFile) -> Result<Network, ConfigErrors> {
        form::check_limits(&mut file).map_err(ConfigErrors)?;
        build::build(file).map_err(ConfigErrors)
    }

    /// The tensors that the host writes: the first input and the further ones.
    pub fn inputs(&self) -> impl Iterator<Item = usize> {
        let layers = self.layers.iter().enumerate();
        let further = layers.filter(|(_, layer)| layer.is_input());
        std::iter::once(0).chain(further.map(|(index, _)| index + 1))
    }

    /// Elements of an image, with those of states.
    pub fn image_elements(&self) -> usize {
        let shapes = self.inputs().map(|input| self.tensor(input).0);
        shapes.map(Shape::elements).sum()
    }

    /// The part of an image that is an input.
    ///
    /// # Panics
    /// If the image is too short.
    pub fn part<'i>(&self, image: &'i [i8], input: usize) -> &'i [i8] {
        let before = self.inputs().take_while(|&other| other < input);
        let start: usize = before.map(|other| self.tensor(other).0.elements()).sum();
        &image[start..start + self.tensor(input).0.elements()]
    }

    /// Shape of the last layer's output.
    pub fn output(&self) -> Shape {
        self.layers.last().map_or(self.input, |layer| layer.output)
    }

    /// Shape and zero point of a tensor: 0 is the input, i + 1 the output of layer i.
    #[must_use]
    pub fn tensor(&self, index: usize) -> (Shape, i8) {
        match index.checked_sub(1).map(|layer| &self.layers[layer]) {
            Some(layer) => (layer.output, layer.output_zero_point),
            None => (self.input, self.input_zero_point),
        }
    }

    /// The dimension along which the bytes of places lie, if a tensor is of places.
    #[must_use]
    pub fn places(&self, index: usize) -> Option<Axis> {
        let layer = index.checked_sub(1).map(|layer| &self.layers[layer]);
        layer.and_then(|layer| layer.kind.places())
    }

    /// No value of a tensor is less than this.
    #[must_use]
    pub fn least(&self, index: usize) -> i8 {
        let Some(layer) = index.checked_sub(1).map(|layer| &self.layers[layer]) else {
            return i8::MIN;
        };
        match (&layer.table, layer.work()) {
            (Some(table), _) => table.values.iter().copied().min().unwrap_or(i8::MIN),
            (None, Work::Window(Reduction::Largest)) => self.least(layer.inputs[0].tensor),
            _ => layer.min,
        }
    }

    /// Name of a tensor: that of the layer that makes it, or "input".
    #[must_use]
    pub fn tensor_name(&self, index: usize) -> &str {
        match index.checked_sub(1) {
            Some(layer) => &self.layers[layer].name,
            None => INPUT_NAME,
        }
    }
}
