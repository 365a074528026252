//! How the file of a network has its tensors, and arrays in that form.

mod reals;

use std::collections::BTreeMap;

use heddle_compiler::Exactness;
use heddle_import::{FileOutput, file_order, planes};
use heddle_network::Network;
use heddle_network::Shape;

use crate::npy::{Array, Element};

/// How the file of a network has its tensors.
#[derive(Debug, Clone, Default)]
pub struct FileForm {
    /// The channels of a pixel are together.
    pub interleaved: bool,
    /// Bytes of tensors that layers make have no sign, and are 128 more.
    pub unsigned: bool,
    /// The file computes several images at once, behind a dimension of their own.
    pub batches: bool,
    /// The inputs, in the order of the network.
    pub inputs: Vec<InputForm>,
    /// The outputs, as far as the file says more of them than the network.
    pub outputs: Vec<FileOutput>,
    /// Names of the tensors in the file, in the order of the network; empty where it has none.
    pub names: Vec<String>,
    /// Whether layers make what the reference makes of the file, by their names.
    pub exact: BTreeMap<String, Exactness>,
}

/// How the file of a network has an input.
#[derive(Debug, Clone, Default)]
pub struct InputForm {
    /// Sizes without the batch.
    pub shape: Vec<usize>,
    /// Bytes have no sign, and are 128 more.
    pub unsigned: bool,
    /// Real value of one step.
    pub scale: f64,
    /// It is float32 in the file, which quantises it.
    pub float: bool,
    /// Halves of steps are rounded to the even step, not away from zero.
    pub to_even: bool,
}

impl FileForm {
    /// A network file has its tensors as the network has them.
    pub fn of_network(network: &Network, input_scales: Vec<f64>) -> FileForm {
        let names = (0..=network.layers.len()).map(|tensor| network.tensor_name(tensor));
        let mut form = FileForm {
            names: names.map(str::to_string).collect(),
            ..FileForm::default()
        };
        let inputs = network.inputs().zip(input_scales);
        let inputs = inputs.map(|(tensor, scale)| InputForm {
            shape: form.sizes(network.tensor(tensor).0).to_vec(),
            scale,
            ..InputForm::default()
        });
        form.inputs = inputs.collect();
        form
    }

    /// The same for a network that has the tensors of the original one, and those of pieces.
    pub fn of_pieces(mut self, original: &Network, network: &Network) -> FileForm {
        let name = |tensor: usize| {
            let own = network.tensor_name(tensor);
            let mut tensors = 0..self.names.len();
            let there = tensors.find(|&other| original.tensor_name(other) == own);
            there.map_or(String::new(), |other| self.names[other].clone())
        };
        self.names = (0..=network.layers.len()).map(name).collect();
        self
    }

    /// The inputs that images have, by their places among all, and the names of their arrays.
    pub fn own_inputs<'a>(&'a self, network: &'a Network) -> (Vec<usize>, Vec<&'a str>) {
        let is_own = |input: usize| network.own_inputs().any(|own| own == input);
        let inputs = network.inputs().enumerate();
        inputs
            .filter(|&(_, input)| is_own(input))
            .map(|(place, input)| (place, self.array_name(network, input)))
            .unzip()
    }

    /// Name of a tensor of the network for an array: that in the file if there is no other tensor of that name. Python cuts the
    /// names of arrays at a NUL.
    pub fn array_name<'a>(&'a self, network: &'a Network, tensor: usize) -> &'a str {
        let own = network.tensor_name(tensor);
        let is_usable = |name: &&String| !name.is_empty() && !name.contains(char::is_control);
        let Some(name) = self.names.get(tensor).filter(is_usable) else {
            return own;
        };
        let others = self.names.iter().filter(|other| *other == name);
        if others.count() > 1 { own } else { name }
    }

    /// What an array has for an input of each image, in the order and with the bytes of the network.
    ///
    /// # Errors
    /// If the elements have another type, order or number.
    pub fn images(
        &self,
        array: &Array,
        network: &Network,
        number: usize,
    ) -> Result<Vec<Vec<i8>>, String> {
        let tensor = network.inputs().nth(number).expect("an input");
        let (input, zero_point) = network.tensor(tensor);
        let form = &self.inputs[number];
        self.check_shape(&array.shape, input, &form.shape)?;
        let values = form.quantised(array, zero_point)?;
        let size = input.elements();
        if values.is_empty() || values.len() % size != 0 {
            return Err(format!(
                "holds {} elements, expected a multiple of {size}: {} x {} pixels of {} channels",
                values.len(),
                input.height,
                input.width,
                input.channels
            ));
        }
        let channels = input.channels as usize;
        let images = values.chunks_exact(size);
        Ok(images
            .map(|image| match self.interleaved {
                true => planes(image, channels, size / channels),
                false => image.to_vec(),
            })
            .collect())
    }

    /// An array has the sizes of an image, in the file or as the network sees it, behind the number of images, or no such
    /// sizes at all.
    fn check_shape(&self, found: &[usize], input: Shape, in_file: &[usize]) -> Result<(), String> {
        // A batch of them is as many images.
        let found = match (found, self.batches) {
            ([_, batch @ ..], true) if batch.len() > in_file.len() => batch,
            _ => found,
        };
        check_sizes(found, &self.sizes(input), in_file)
    }

    /// Sizes of a tensor.
    fn sizes(&self, shape: Shape) -> [usize; 3] {
        let [channels, height, width] =
            [shape.channels, shape.height, shape.width].map(|size| size as usize);
        match self.interleaved {
            true => [height, width, channels],
            false => [channels, height, width],
        }
    }

    /// The array of a tensor for some images.
    pub fn array(&self, network: &Network, tensor: usize, images: &[Vec<i8>]) -> Array {
        let (shape, _) = network.tensor(tensor);
        let places = network.places(tensor);
        let (element, moved) = match (places, self.unsigned) {
            (Some(_), _) => (Element::Int32, 0),
            (None, true) => (Element::Uint8, 0x80),
            (None, false) => (Element::Int8, 0),
        };
        let order = || file_order(shape, self.interleaved, places);
        let bytes = images
            .iter()
            .flat_map(|image| order().map(move |at| image[at] as u8 ^ moved));
        let mut sides = shape.sides();
        if let Some(axis) = places {
            sides[axis.index()] = 1;
        }
        let sizes = match sides {
            [channels, 1, 1] => vec![channels as usize],
            sides => self.sizes(Shape::of(sides)).to_vec(),
        };
        Array {
            element,
            bytes: bytes.collect(),
            shape: [vec![images.len()], sizes].concat(),
        }
    }
}

impl InputForm {
    /// The elements as bytes of the network.
    pub fn quantised(&self, array: &Array, zero_point: i8) -> Result<Vec<i8>, String> {
        let bytes = array.bytes.iter();
        match array.element {
            Element::Int8 => Ok(bytes.map(|&byte| byte as i8).collect()),
            Element::Uint8 if self.unsigned => Ok(bytes.map(|&byte| (byte ^ 0x80) as i8).collect()),
            Element::Uint8 => Err(
                "has elements of type uint8, expected int8 or float32: those of the network have a sign"
                    .to_string(),
            ),
            Element::Int32 => {
                Err("has elements of type int32, expected int8 or float32".to_string())
            }
            Element::Float32 => self.quantised_floats(&array.bytes, zero_point),
        }
    }

    fn quantised_floats(&self, bytes: &[u8], zero_point: i8) -> Result<Vec<i8>, String> {
        let scale = self.scale as f32;
        if !(scale.is_finite() && scale > 0.0) {
            return Err(format!(
                "has elements of type float32, and the network has the scale {scale} for its input, expected int8 or \
                 a positive scale"
            ));
        }
        let words = bytes.chunks_exact(4).enumerate();
        words
            .map(|(index, word)| {
                let value = f32::from_le_bytes(word.try_into().expect("four bytes"));
                if value.is_nan() {
                    return Err(format!("element {index} is not a number"));
                }
                let steps = match self.to_even {
                    true => (value / scale).round_ties_even(),
                    false => (value / scale).round(),
                };
                let byte = f64::from(steps) + f64::from(zero_point);
                Ok(byte.clamp(-128.0, 127.0) as i8)
            })
            .collect()
    }
}

/// An array has one of these two shapes of an image behind the number of images, or no such sizes at all.
pub fn check_sizes(found: &[usize], own: &[usize], in_file: &[usize]) -> Result<(), String> {
    let elements: usize = own.iter().product();
    let is_flat = match found {
        [] | [_] => true,
        &[_, size] => size == elements,
        _ => false,
    };
    if is_flat || is_of_images(found, own) || is_of_images(found, in_file) {
        return Ok(());
    }
    let sizes: Vec<String> = in_file.iter().map(usize::to_string).collect();
    Err(format!(
        "has the shape {found:?}, expected images of {}, or of {elements} elements",
        sizes.join(" x "),
    ))
}

/// Whether a shape is that of some images or of one; sides of 1 change nothing.
fn is_of_images(found: &[usize], image: &[usize]) -> bool {
    let sides = |shape: &[usize]| -> Vec<usize> {
        let sides = shape.iter().filter(|&&side| side != 1);
        sides.copied().collect()
    };
    let (found, image) = (sides(found), sides(image));
    found.ends_with(&image) && found.len() <= image.len() + 1
}

#[cfg(test)]
mod tests {
    use super::*;

    const MODEL: &str = include_str!("../../models/tiny.json");

    fn array(element: Element, shape: &[usize], bytes: Vec<u8>) -> Array {
        Array {
            element,
            shape: shape.to_vec(),
            bytes,
        }
    }

    /// A network whose input has this shape, and how its file has it.
    fn network(channels: u32, height: u32, width: u32) -> Network {
        let mut network = Network::from_json(MODEL).expect("a legal network");
        network.input = Shape {
            channels,
            height,
            width,
        };
        network.input_zero_point = -3;
        network
    }

    #[test]
    fn floats_are_quantised_with_halves_away_from_zero_and_cut() {
        let network = network(1, 1, 8);
        let form = FileForm::of_network(&network, vec![0.5]);
        let values = [0.0, 0.25, -0.25, 0.24, 65.0, -62.5, 1e30, f32::NEG_INFINITY];
        let bytes = |values: &[f32]| values.iter().flat_map(|v: &f32| v.to_le_bytes()).collect();
        let images = form.images(&array(Element::Float32, &[8], bytes(&values)), &network, 0);
        assert_eq!(images, Ok(vec![vec![-3, -2, -4, -3, 127, -128, 127, -128]]));
        let wrong = form.images(
            &array(Element::Float32, &[1], bytes(&[f32::NAN])),
            &network,
            0,
        );
        assert_eq!(wrong, Err("element 0 is not a number".to_string()));
        let unscaled = FileForm::of_network(&network, vec![0.0]);
        let wrong = unscaled.images(&array(Element::Float32, &[1], bytes(&[0.0])), &network, 0);
        let message = wrong.expect_err("no scale");
        assert!(
            message.contains("has the scale 0 for its input"),
            "{message}"
        );
    }

    #[test]
    fn arrays_of_each_form_are_those_of_the_images() {
        let network = network(2, 1, 3);
        let images = vec![vec![0, 1, 2, 10, 11, 12], vec![5, 6, 7, -128, 8, 9]];
        for (interleaved, unsigned, shape, last) in [
            (false, false, [2, 2, 1, 3], [5, 6, 7, 128, 8, 9]),
            (true, false, [2, 1, 3, 2], [5, 128, 6, 8, 7, 9]),
            (false, true, [2, 2, 1, 3], [133, 134, 135, 0, 136, 137]),
        ] {
            let mut form = FileForm {
                interleaved,
                unsigned,
                ..FileForm::default()
            };
            form.inputs.push(InputForm {
                shape: form.sizes(network.input).to_vec(),
                unsigned,
                scale: 1.0,
                ..InputForm::default()
            });
            let made = form.array(&network, 0, &images);
            assert_eq!((&made.shape[..], &made.bytes[6..]), (&shape[..], &last[..]));
            assert_eq!(form.images(&made, &network, 0), Ok(images.clone()));
            form.interleaved = !interleaved;
            form.inputs[0].shape = form.sizes(network.input).to_vec();
            let message = form.images(&made, &network, 0).expect_err("another order");
            assert!(message.starts_with("has the shape [2, "), "{message}");
        }
    }

    #[test]
    fn arrays_have_the_sizes_of_an_image_or_none() {
        let network = network(4, 2, 3);
        let mut form = FileForm {
            interleaved: true,
            ..FileForm::of_network(&network, vec![1.0])
        };
        // A RESHAPE follows in the file.
        form.inputs[0].shape = vec![4, 2, 3];
        let fits = |shape: &[usize]| {
            let bytes = vec![0; shape.iter().product()];
            form.images(&array(Element::Int8, shape, bytes), &network, 0)
        };
        for shape in [
            &[24][..],
            &[48],
            &[2, 24],
            &[2, 3, 4],
            &[2, 2, 3, 4],
            &[1, 4, 2, 3],
            &[2, 1, 4, 2, 3],
        ] {
            let images = fits(shape).unwrap_or_else(|message| panic!("{shape:?}: {message}"));
            assert_eq!(images.len(), shape.iter().product::<usize>() / 24);
        }
        for shape in [
            &[1, 6, 4, 1][..],
            &[4, 12],
            &[1, 1, 1, 24],
            &[1, 3, 2, 4],
            &[2, 2, 2, 3, 4],
        ] {
            let message = fits(shape).expect_err("other sizes");
            let told =
                format!("has the shape {shape:?}, expected images of 4 x 2 x 3, or of 24 elements");
            assert_eq!(message, told);
        }
    }

    #[test]
    fn bytes_without_a_sign_are_for_networks_that_have_none() {
        let bytes = array(Element::Uint8, &[1], vec![1]);
        let network = network(1, 1, 1);
        let form = FileForm::of_network(&network, vec![1.0]);
        let message = form.images(&bytes, &network, 0);
        let message = message.expect_err("the network has a sign");
        assert!(
            message.starts_with("has elements of type uint8"),
            "{message}"
        );
    }
}
