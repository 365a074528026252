//! Constants that are computed with.

use std::ops::RangeInclusive;

use super::{Elements, check_rank};

/// A type of elements.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Number {
    /// bool: 0 or 1.
    Bool,
    /// int8.
    Int8,
    /// uint8.
    Uint8,
    /// int32.
    Int32,
    /// int64.
    Int64,
    /// float32: the bits of a number stand for it.
    Float32,
}

impl Number {
    /// Each with its name and its bytes.
    const ALL: [(Number, &str, usize); 6] = [
        (Number::Bool, "bool", 1),
        (Number::Int8, "int8", 1),
        (Number::Uint8, "uint8", 1),
        (Number::Int32, "int32", 4),
        (Number::Int64, "int64", 8),
        (Number::Float32, "float32", 4),
    ];

    /// The type of this name.
    pub fn named(name: &str) -> Option<Number> {
        let found = Number::ALL.iter().find(|(_, found, _)| *found == name);
        found.map(|(number, ..)| *number)
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        Number::ALL[self as usize].1
    }

    /// The elements that lie in these bytes, lowest byte first.
    pub fn list(self, bytes: &[u8]) -> Vec<i64> {
        let values = bytes.chunks_exact(self.bytes()).map(|bytes| {
            let mut word = [0; 8];
            word[..bytes.len()].copy_from_slice(bytes);
            let (value, above) = (i64::from_le_bytes(word), 64 - 8 * bytes.len());
            match self {
                Number::Bool => (value != 0).into(),
                Number::Uint8 | Number::Float32 => value,
                // The highest bit is the sign.
                Number::Int8 | Number::Int32 | Number::Int64 => value << above >> above,
            }
        });
        values.collect()
    }

    fn bytes(self) -> usize {
        Number::ALL[self as usize].2
    }

    fn values(self) -> RangeInclusive<i64> {
        match self {
            Number::Bool => 0..=1,
            Number::Int8 => i8::MIN.into()..=i8::MAX.into(),
            Number::Uint8 => 0..=u8::MAX.into(),
            Number::Int32 => i32::MIN.into()..=i32::MAX.into(),
            Number::Int64 => i64::MIN..=i64::MAX,
            Number::Float32 => 0..=u32::MAX.into(),
        }
    }

    /// The real number that an element of float32 is; none of another type.
    pub(super) fn real(self, value: i64) -> Option<f32> {
        (self == Number::Float32).then(|| f32::from_bits(value as u32))
    }

    /// The element that a real number is, of integers without what is behind the point.
    pub(super) fn of_real(self, real: f32) -> Result<i64, String> {
        match self {
            Number::Float32 => Ok(real.to_bits().into()),
            // Bounds that a float32 has; the type has bounds of its own.
            _ if real.abs() < 1e18 => Ok(real as i64),
            _ => Err(format!(
                "computes {real}, expected numbers of {}",
                self.name()
            )),
        }
    }
}

/// A constant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Array {
    /// Type of the elements.
    pub element: Number,
    /// Sizes.
    pub shape: Vec<u32>,
    /// As many elements as these say.
    pub values: Vec<i64>,
}

impl Array {
    /// The elements in the bytes of a constant, lowest byte first.
    pub fn of_bytes(element: Number, shape: &[u32], bytes: &[u8]) -> Array {
        Array {
            element,
            shape: shape.to_vec(),
            values: element.list(bytes),
        }
    }

    /// Its elements as the bytes of a constant.
    pub fn bytes(&self) -> Vec<u8> {
        let words = self.values.iter().map(|value| value.to_le_bytes());
        words
            .flat_map(|word| word.into_iter().take(self.element.bytes()))
            .collect()
    }

    /// Elements that all fit the type.
    pub(super) fn new(element: Number, shape: Vec<u32>, values: Vec<i64>) -> Result<Array, String> {
        let range = element.values();
        match values.iter().find(|value| !range.contains(value)) {
            None => Ok(Array {
                element,
                shape,
                values,
            }),
            Some(value) => Err(format!(
                "computes {value}, expected numbers of {}",
                element.name()
            )),
        }
    }

    /// For each dimension places, and how far apart its elements are.
    fn at<'a>(&self, places: impl Iterator<Item = (&'a Vec<usize>, usize)>) -> Array {
        let (mut at, mut shape) = (vec![0], Vec::new());
        for (places, stride) in places {
            let along = |start: usize| places.iter().map(move |place| start + place * stride);
            at = at.into_iter().flat_map(along).collect();
            shape.push(places.len() as u32);
        }
        Array {
            element: self.element,
            shape,
            values: at.into_iter().map(|at| self.values[at]).collect(),
        }
    }
}

impl Elements for Array {
    fn shape(&self) -> &[u32] {
        &self.shape
    }

    /// Places of one dimension are listed, even if another one has none.
    fn cost(sizes: &[u64]) -> u64 {
        let sizes = sizes.iter().map(|&size| size.max(1));
        sizes.fold(1, u64::saturating_mul)
    }

    fn picked(&self, places: &[Vec<usize>]) -> Array {
        self.at(places.iter().zip(strides(&self.shape)))
    }

    fn transposed(&self, order: &[usize]) -> Array {
        let all = self.shape.iter().map(|&size| (0..size as usize).collect());
        let (all, strides): (Vec<Vec<usize>>, _) = (all.collect(), strides(&self.shape));
        self.at(order.iter().map(|&axis| (&all[axis], strides[axis])))
    }

    fn reshaped(&self, shape: &[u32]) -> Result<Array, String> {
        check_rank(shape)?;
        let sizes = shape.iter().map(|&size| size as usize);
        match sizes.fold(1usize, usize::saturating_mul) == self.values.len() {
            true => Ok(Array {
                shape: shape.to_vec(),
                ..self.clone()
            }),
            false => Err(format!("makes {shape:?} of {:?}", self.shape)),
        }
    }
}

/// Elements between neighbours of each dimension.
fn strides(shape: &[u32]) -> Vec<usize> {
    let mut strides = vec![1; shape.len()];
    for axis in (1..shape.len()).rev() {
        strides[axis - 1] = strides[axis] * shape[axis] as usize;
    }
    strides
}
