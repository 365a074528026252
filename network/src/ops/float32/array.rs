//! Tensors of float32 of any number of dimensions, the last of which moves fastest.

/// A tensor.
pub(super) struct Array {
    /// Sizes.
    pub shape: Vec<u32>,
    /// As many elements.
    pub values: Vec<f32>,
}

/// Elements of a shape; a number that is too large stays so.
pub(super) fn elements(shape: &[u32]) -> u64 {
    let sizes = shape.iter().map(|&size| u64::from(size));
    sizes.fold(1, u64::saturating_mul)
}

impl Array {
    pub fn new(shape: &[u32], values: Vec<f32>) -> Array {
        let shape = shape.to_vec();
        Array { shape, values }
    }

    /// Elements between neighbours of each dimension.
    fn strides(&self) -> Vec<usize> {
        let behind = |axis: usize| elements(&self.shape[axis + 1..]) as usize;
        (0..self.shape.len()).map(behind).collect()
    }

    /// The elements whose numbers are the sums of what the places along each dimension say.
    pub fn gathered(&self, sources: &[Vec<u32>]) -> Vec<f32> {
        let along = |starts: Vec<usize>, list: &Vec<u32>| {
            let places = |start: usize| list.iter().map(move |&number| start + number as usize);
            starts.into_iter().flat_map(places).collect()
        };
        let numbers = sources.iter().fold(vec![0], along).into_iter();
        numbers.map(|number| self.values[number]).collect()
    }

    /// The elements of dimensions that are so long and whose neighbours are so far apart.
    fn seen(&self, sides: &[(u32, usize)]) -> Vec<f32> {
        let count: usize = sides.iter().map(|&(size, _)| size as usize).product();
        let at = |number: usize| {
            let (mut at, mut rest) = (0, number);
            for &(size, stride) in sides.iter().rev() {
                at += rest % size as usize * stride;
                rest /= size as usize;
            }
            self.values[at]
        };
        (0..count).map(at).collect()
    }

    /// The elements in a shape whose last dimensions are these, or more where there is one place.
    pub fn broadcast(&self, shape: &[u32]) -> Vec<f32> {
        if self.shape == shape {
            return self.values.clone();
        }
        let more = shape.len() - self.shape.len();
        let strides = self.strides();
        let side = |axis: usize| match axis.checked_sub(more) {
            Some(own) if self.shape[own] != 1 => (shape[axis], strides[own]),
            _ => (shape[axis], 0),
        };
        self.seen(&(0..shape.len()).map(side).collect::<Vec<_>>())
    }

    /// The elements along these dimensions side by side.
    pub fn rows(&self, axes: &[u32]) -> Vec<f32> {
        let strides = self.strides();
        let side = |axis: usize| (self.shape[axis], strides[axis]);
        let is_along = |axis: &usize| axes.contains(&(*axis as u32));
        let (along, mut order): (Vec<usize>, Vec<usize>) =
            (0..self.shape.len()).partition(is_along);
        order.extend(along);
        self.seen(&order.into_iter().map(side).collect::<Vec<_>>())
    }

    /// Tensors one after another along a dimension.
    pub fn joined(parts: &[&Array], axis: usize) -> Vec<f32> {
        let count = elements(&parts[0].shape[..axis]) as usize;
        let row = |row: usize| {
            parts.iter().flat_map(move |part| {
                let length = part.values.len() / count;
                &part.values[row * length..(row + 1) * length]
            })
        };
        (0..count).flat_map(row).copied().collect()
    }

    /// Products of matrices in this shape, added in double precision.
    pub fn times(&self, other: &Array, shape: &[u32]) -> Vec<f32> {
        let (batches, [rows, columns]) = shape.split_last_chunk().expect("two dimensions");
        let terms = self.shape[self.shape.len() - 1];
        let first = self.broadcast(&[batches, &[*rows, terms]].concat());
        let second = other.broadcast(&[batches, &[terms, *columns]].concat());
        let [rows, columns, terms] = [*rows, *columns, terms].map(|size| size as usize);
        let matrices = first
            .chunks(rows * terms)
            .zip(second.chunks(terms * columns));
        let mut values = Vec::with_capacity(elements(shape) as usize);
        for (first, second) in matrices {
            for row in first.chunks(terms) {
                for column in 0..columns {
                    let products = row.iter().enumerate().map(|(term, &value)| {
                        f64::from(value) * f64::from(second[term * columns + column])
                    });
                    values.push(products.sum::<f64>() as f32);
                }
            }
        }
        values
    }
}
