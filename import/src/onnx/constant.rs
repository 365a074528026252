//! Constants of an ONNX file.

use std::borrow::Cow;

use super::schema;
use crate::fold::Number;
use crate::model::Element;

/// Most dimensions of a tensor.
const RANK_MAX: usize = 6;

/// Most elements of a constant that is read as a list: one scale for each of so many outputs.
const LIST_MAX: usize = 65_536;

/// Types of elements by their number: name, and bytes where they are fixed.
const ELEMENTS: [(&str, usize); 17] = [
    ("nothing", 0),
    ("float32", 4),
    ("uint8", 1),
    ("int8", 1),
    ("uint16", 2),
    ("int16", 2),
    ("int32", 4),
    ("int64", 8),
    ("text", 0),
    ("bool", 1),
    ("float16", 2),
    ("float64", 8),
    ("uint32", 4),
    ("uint64", 8),
    ("complex64", 0),
    ("complex128", 0),
    ("bfloat16", 2),
];

/// Name of a type of elements, and its bytes.
pub fn element(number: i32) -> (&'static str, usize) {
    let known = usize::try_from(number).ok();
    let found = known.and_then(|number| ELEMENTS.get(number));
    *found.unwrap_or(&("another type", 0))
}

/// The sizes of a tensor.
///
/// # Errors
/// If there are too many, or one is negative or too large.
pub fn shape(sizes: &[i64]) -> Result<Vec<u32>, String> {
    if sizes.len() > RANK_MAX {
        let found = sizes.len();
        return Err(format!(
            "has {found} dimensions, expected at most {RANK_MAX}"
        ));
    }
    let sizes = sizes.iter().map(|&size| {
        u32::try_from(size).map_err(|_| format!("has a size {size}, expected 0 to {}", u32::MAX))
    });
    sizes.collect()
}

/// Number of elements.
pub fn elements(shape: &[u32]) -> Option<usize> {
    shape
        .iter()
        .try_fold(1usize, |product, &size| product.checked_mul(size as usize))
}

/// A constant.
#[derive(Debug, Clone)]
pub struct Constant<'a> {
    /// Its name.
    pub name: &'a str,
    /// Sizes.
    pub shape: Vec<u32>,
    /// Name of the type of its elements.
    pub element: &'static str,
    /// The elements one after the other, lowest byte first; none of a type that nobody reads.
    pub data: Cow<'a, [u8]>,
}

impl<'a> Constant<'a> {
    /// Reads one.
    ///
    /// # Errors
    /// If it has not as many elements as its shape says, or has them in another file.
    pub fn read(tensor: &'a schema::Tensor, name: &'a str) -> Result<Constant<'a>, String> {
        let shape = shape(&tensor.sizes)?;
        let count = elements(&shape).ok_or_else(|| format!("has shape {shape:?}"))?;
        if tensor.location != 0 {
            return Err(
                "has its elements in another file, expected them in the model: save it with \
                 onnx.save(onnx.load(path), path, save_as_external_data=False)"
                    .to_string(),
            );
        }
        let (element, size) = element(tensor.element);
        let data = match (element, tensor.raw.is_empty()) {
            (_, false) => Cow::Borrowed(&tensor.raw[..]),
            ("float32", _) => listed(&tensor.floats, |value| value.to_le_bytes()),
            ("int64", _) => listed(&tensor.longs, |value| value.to_le_bytes()),
            ("int32", _) => listed(&tensor.ints, |value| value.to_le_bytes()),
            // Numbers that their type does not have are cut, as in other readers.
            ("int8" | "uint8" | "bool", _) => listed(&tensor.ints, |value| [value as u8]),
            _ if count == 0 || size == 0 => Cow::Borrowed(&[][..]),
            _ => return Err(format!("has {element} elements in no raw data")),
        };
        let expected = count.checked_mul(size);
        if size > 0 && Some(data.len()) != expected {
            return Err(format!(
                "has {} bytes, expected {count} {element} by its shape {shape:?}",
                data.len()
            ));
        }
        Ok(Constant {
            name,
            shape,
            element,
            data,
        })
    }

    /// The elements of a constant of float32, if they are not too many for a list.
    pub fn floats(&self) -> Option<Vec<f32>> {
        let bits = self.listed(&[Number::Float32])?.into_iter();
        Some(bits.map(|bits| f32::from_bits(bits as u32)).collect())
    }

    /// The same, however many they are.
    pub fn reals(&self) -> Vec<f32> {
        let words = self.data.chunks_exact(4);
        let real = |word: &[u8]| f32::from_le_bytes(word.try_into().expect("four bytes"));
        words.map(real).collect()
    }

    /// The same of int8, uint8 or int32.
    pub fn integers(&self) -> Option<Vec<i64>> {
        self.listed(&[Number::Int8, Number::Uint8, Number::Int32])
    }

    /// The same of these types.
    pub fn listed(&self, types: &[Number]) -> Option<Vec<i64>> {
        let element = Number::named(self.element).filter(|found| types.contains(found))?;
        let is_short = elements(&self.shape)? <= LIST_MAX;
        is_short.then(|| element.list(&self.data))
    }
}

/// The bytes of a list.
fn listed<T: Copy, const N: usize>(list: &[T], bytes: fn(T) -> [u8; N]) -> Cow<'static, [u8]> {
    list.iter().flat_map(|&value| bytes(value)).collect()
}

/// The type of a tensor of a network: bytes without sign are moved to those with it.
pub fn model_element(name: &'static str) -> Element {
    match name {
        "int8" | "uint8" => Element::Int8,
        "int32" => Element::Int32,
        other => Element::Other(other),
    }
}
