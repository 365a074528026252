//! Constants of integers.

/// A type of elements that is computed with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Integer {
    /// int32.
    Int32,
    /// int64.
    Int64,
}

impl Integer {
    /// The type of this name.
    pub fn named(name: &str) -> Option<Integer> {
        match name {
            "int32" => Some(Integer::Int32),
            "int64" => Some(Integer::Int64),
            _ => None,
        }
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Integer::Int32 => "int32",
            Integer::Int64 => "int64",
        }
    }
}

/// A constant of integers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Array {
    /// Type of the elements.
    pub element: Integer,
    /// Sizes.
    pub shape: Vec<u32>,
    /// As many elements as these say.
    pub values: Vec<i64>,
}

impl Array {
    /// The elements in the bytes of a constant, lowest byte first.
    pub fn of_bytes(element: Integer, shape: &[u32], bytes: &[u8]) -> Array {
        let values = match element {
            Integer::Int32 => words(bytes, |word| i64::from(i32::from_le_bytes(word))).collect(),
            Integer::Int64 => words(bytes, i64::from_le_bytes).collect(),
        };
        Array {
            element,
            shape: shape.to_vec(),
            values,
        }
    }

    /// Its elements as the bytes of a constant.
    pub fn bytes(&self) -> Vec<u8> {
        let values = self.values.iter();
        match self.element {
            Integer::Int32 => values
                .flat_map(|&value| (value as i32).to_le_bytes())
                .collect(),
            Integer::Int64 => values.flat_map(|&value| value.to_le_bytes()).collect(),
        }
    }

    /// Elements that all fit the type.
    pub(super) fn new(
        element: Integer,
        shape: Vec<u32>,
        values: Vec<i64>,
    ) -> Result<Array, String> {
        let is_wide = |&&value: &&i64| element == Integer::Int32 && i32::try_from(value).is_err();
        match values.iter().find(is_wide) {
            None => Ok(Array {
                element,
                shape,
                values,
            }),
            Some(value) => Err(format!("computes {value}, expected numbers of int32")),
        }
    }

    /// Of each place in these of each dimension the element.
    pub(super) fn picked(&self, places: &[Vec<usize>]) -> Array {
        let strides = strides(&self.shape);
        let mut at = vec![0];
        for (places, stride) in places.iter().zip(strides) {
            let along = |start: usize| places.iter().map(move |place| start + place * stride);
            at = at.into_iter().flat_map(along).collect();
        }
        Array {
            element: self.element,
            shape: places.iter().map(|places| places.len() as u32).collect(),
            values: at.into_iter().map(|at| self.values[at]).collect(),
        }
    }
}

fn words<'a, const N: usize>(
    bytes: &'a [u8],
    word: impl Fn([u8; N]) -> i64 + 'a,
) -> impl Iterator<Item = i64> + 'a {
    let words = bytes.chunks_exact(N);
    words.map(move |bytes| word(bytes.try_into().expect("N bytes")))
}

/// Elements between neighbours of each dimension.
fn strides(shape: &[u32]) -> Vec<usize> {
    let mut strides = vec![1; shape.len()];
    for axis in (1..shape.len()).rev() {
        strides[axis - 1] = strides[axis] * shape[axis] as usize;
    }
    strides
}
