//! How the file of a network has its tensors, and arrays in that form.

use heddle_arch::Network;
use heddle_arch::network::{INPUT_NAME, Shape};
use heddle_import::planes;

use crate::npy::{Array, Element};

/// How the file of a network has its tensors.
#[derive(Debug, Clone, Default)]
pub struct FileForm {
    /// The channels of a pixel are together.
    pub interleaved: bool,
    /// Bytes have no sign, and are 128 more.
    pub unsigned: bool,
    /// Real value of one step of the input.
    pub input_scale: f64,
    /// Names of the tensors in the file: the input, then the output of each layer.
    pub names: Vec<String>,
}

impl FileForm {
    /// A network file has its tensors as the network has them.
    pub fn of_network(network: &Network, input_scale: f64) -> FileForm {
        let names = (0..=network.layers.len()).map(|tensor| network.tensor_name(tensor));
        FileForm {
            input_scale,
            names: names.map(str::to_string).collect(),
            ..FileForm::default()
        }
    }

    /// Whether an array of this name is the input of the network.
    pub fn is_input(&self, name: &str) -> bool {
        name == INPUT_NAME || self.names.first().is_some_and(|input| input == name)
    }

    /// Name of a tensor of the network for an array: that in the file if there is no other tensor of that name.
    pub fn array_name<'a>(&'a self, network: &'a Network, tensor: usize) -> &'a str {
        let own = network.tensor_name(tensor);
        let Some(name) = self.names.get(tensor).filter(|name| !name.is_empty()) else {
            return own;
        };
        let others = self.names.iter().filter(|other| *other == name);
        if others.count() > 1 { own } else { name }
    }

    /// The images of an array, in the order and with the bytes of the network.
    ///
    /// # Errors
    /// If the elements have another type, order or number.
    pub fn images(&self, array: &Array, network: &Network) -> Result<Vec<Vec<i8>>, String> {
        let input = network.input;
        self.check_order(array, input)?;
        let values = self.quantised(array, network.input_zero_point)?;
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

    /// Sizes of an image: an array that has them in the order of other files is refused.
    fn check_order(&self, array: &Array, input: Shape) -> Result<(), String> {
        let (own, other) = (
            self.sizes(input),
            FileForm {
                interleaved: !self.interleaved,
                ..FileForm::default()
            }
            .sizes(input),
        );
        if !array.shape.ends_with(&other) || array.shape.ends_with(&own) {
            return Ok(());
        }
        let (found, [a, b, c]) = (&array.shape, own);
        Err(format!(
            "has the shape {found:?}, expected images of {a} x {b} x {c}"
        ))
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

    /// The elements as bytes of the network.
    fn quantised(&self, array: &Array, zero_point: i8) -> Result<Vec<i8>, String> {
        let bytes = array.bytes.iter();
        match array.element {
            Element::Int8 => Ok(bytes.map(|&byte| byte as i8).collect()),
            Element::Uint8 if self.unsigned => Ok(bytes.map(|&byte| (byte ^ 0x80) as i8).collect()),
            Element::Uint8 => Err(
                "has elements of type uint8, expected int8 or float32: those of the network have a sign"
                    .to_string(),
            ),
            Element::Float32 => self.quantised_floats(&array.bytes, zero_point),
        }
    }

    /// Halves are rounded away from zero.
    fn quantised_floats(&self, bytes: &[u8], zero_point: i8) -> Result<Vec<i8>, String> {
        let scale = self.input_scale as f32;
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
                let byte = f64::from((value / scale).round()) + f64::from(zero_point);
                Ok(byte.clamp(-128.0, 127.0) as i8)
            })
            .collect()
    }

    /// The array of a tensor for some images.
    pub fn array(&self, shape: Shape, images: &[Vec<i8>]) -> Array {
        let channels = shape.channels as usize;
        let moved = if self.unsigned { 0x80 } else { 0 };
        let bytes = images.iter().flat_map(|image| {
            let pixels = image.len() / channels;
            (0..image.len()).map(move |at| {
                let at = match self.interleaved {
                    true => at % channels * pixels + at / channels,
                    false => at,
                };
                image[at] as u8 ^ moved
            })
        });
        let sizes = match self.sizes(shape) {
            _ if (shape.height, shape.width) == (1, 1) => vec![channels],
            sizes => sizes.to_vec(),
        };
        Array {
            element: match self.unsigned {
                true => Element::Uint8,
                false => Element::Int8,
            },
            bytes: bytes.collect(),
            shape: [vec![images.len()], sizes].concat(),
        }
    }
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
        let form = FileForm {
            input_scale: 0.5,
            ..FileForm::default()
        };
        let network = network(1, 1, 8);
        let values = [0.0, 0.25, -0.25, 0.24, 65.0, -62.5, 1e30, f32::NEG_INFINITY];
        let bytes = |values: &[f32]| values.iter().flat_map(|v: &f32| v.to_le_bytes()).collect();
        let images = form.images(&array(Element::Float32, &[8], bytes(&values)), &network);
        assert_eq!(images, Ok(vec![vec![-3, -2, -4, -3, 127, -128, 127, -128]]));
        let wrong = form.images(&array(Element::Float32, &[1], bytes(&[f32::NAN])), &network);
        assert_eq!(wrong, Err("element 0 is not a number".to_string()));
        let unscaled = FileForm::default();
        let wrong = unscaled.images(&array(Element::Float32, &[1], bytes(&[0.0])), &network);
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
            let form = FileForm {
                interleaved,
                unsigned,
                ..FileForm::default()
            };
            let made = form.array(network.input, &images);
            assert_eq!((&made.shape[..], &made.bytes[6..]), (&shape[..], &last[..]));
            assert_eq!(form.images(&made, &network), Ok(images.clone()));
            let other = FileForm {
                interleaved: !interleaved,
                ..form
            };
            let message = other.images(&made, &network).expect_err("another order");
            assert!(message.starts_with("has the shape [2, "), "{message}");
        }
    }

    #[test]
    fn bytes_without_a_sign_are_for_networks_that_have_none() {
        let bytes = array(Element::Uint8, &[1], vec![1]);
        let message = FileForm::default().images(&bytes, &network(1, 1, 1));
        let message = message.expect_err("the network has a sign");
        assert!(
            message.starts_with("has elements of type uint8"),
            "{message}"
        );
    }
}
