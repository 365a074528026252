//! Steps that compute with numbers.

use super::{Arithmetic, Array, Elements, Folder, Number, common};

impl Folder {
    pub(super) fn pairs(
        &mut self,
        arithmetic: Arithmetic,
        first: &Array,
        second: &Array,
    ) -> Result<Array, String> {
        let shape = common(&[&first.shape, &second.shape])?;
        if first.element != second.element {
            let (one, other) = (first.element.name(), second.element.name());
            return Err(format!("reads {one} and {other}, expected equal types"));
        }
        self.spend(&shape)?;
        let (left, right) = (first.stretched(&shape)?, second.stretched(&shape)?);
        let pairs = left.values.into_iter().zip(right.values);
        let values = pairs.map(|(a, b)| arithmetic.of(first.element, a, b));
        let element = match arithmetic {
            Arithmetic::Equal => Number::Bool,
            _ => first.element,
        };
        Array::new(element, shape, values.collect::<Result<_, _>>()?)
    }

    /// The product over some dimensions, which have one place then, or go.
    pub(super) fn product(
        &mut self,
        from: &Array,
        axes: &[usize],
        keeps: bool,
    ) -> Result<Array, String> {
        let mut found = from.clone();
        for &axis in axes {
            found = self.product_along(&found, axis)?;
        }
        let mut left = (0..from.shape.len()).map(|axis| keeps || !axes.contains(&axis));
        found.shape.retain(|_| left.next() == Some(true));
        Ok(found)
    }

    fn product_along(&mut self, from: &Array, axis: usize) -> Result<Array, String> {
        let mut shape = from.shape.clone();
        let size = std::mem::replace(&mut shape[axis], 1) as usize;
        self.spend(&shape)?;
        let inner: usize = shape[axis..].iter().map(|&size| size as usize).product();
        let count: usize = shape.iter().map(|&size| size as usize).product();
        let values = (0..count).map(|at| {
            let first = at / inner * size * inner + at % inner;
            let mut along = (0..size).map(|place| from.values[first + place * inner]);
            along.try_fold(from.element.of_real(1.0)?, |product, value| {
                Arithmetic::Mul.of(from.element, product, value)
            })
        });
        Array::new(from.element, shape, values.collect::<Result<_, _>>()?)
    }

    /// Numbers from the first input in steps of the third one, below or above the second one.
    pub(super) fn range(&mut self, inputs: &[Array]) -> Result<Array, String> {
        let ends = inputs.iter().map(|input| &input.values[..]);
        let &[&[start], &[end], &[step]] = &ends.collect::<Vec<_>>()[..] else {
            return Err("counts from lists, expected start, end and step".to_string());
        };
        let element = inputs[0].element;
        if element == Number::Float32 || inputs.iter().any(|input| input.element != element) {
            return Err("counts other numbers than integers of one type".to_string());
        }
        if step == 0 {
            return Err("counts in steps of 0".to_string());
        }
        let way = (i128::from(end) - i128::from(start)) * i128::from(step.signum());
        let count = way
            .max(0)
            .unsigned_abs()
            .div_ceil(step.unsigned_abs().into());
        let count = u32::try_from(count).map_err(|_| "makes a size of more than 32 bits")?;
        self.spend(&[count])?;
        let values = (0..i64::from(count)).map(|place| start + place * step);
        Array::new(element, vec![count], values.collect())
    }
}

impl Arithmetic {
    /// What two elements of a type become.
    fn of(self, element: Number, a: i64, b: i64) -> Result<i64, String> {
        if let (Some(a), Some(b)) = (element.real(a), element.real(b)) {
            return match self {
                Arithmetic::Add => element.of_real(a + b),
                Arithmetic::Sub => element.of_real(a - b),
                Arithmetic::Mul => element.of_real(a * b),
                Arithmetic::Div => element.of_real(a / b),
                Arithmetic::Equal => Ok((a == b).into()),
            };
        }
        let found = match self {
            Arithmetic::Add => a.checked_add(b),
            Arithmetic::Sub => a.checked_sub(b),
            Arithmetic::Mul => a.checked_mul(b),
            Arithmetic::Div => a.checked_div(b),
            Arithmetic::Equal => Some((a == b).into()),
        };
        found.ok_or_else(|| format!("computes {self:?} of {a} and {b}"))
    }
}

/// The elements in another type; of real numbers what is in front of the point.
pub(super) fn cast(from: &Array, element: Number) -> Result<Array, String> {
    let values = from
        .values
        .iter()
        .map(|&value| match from.element.real(value) {
            _ if from.element == element => Ok(value),
            Some(real) if element == Number::Bool => Ok((real != 0.0).into()),
            None if element == Number::Bool => Ok((value != 0).into()),
            Some(real) => element.of_real(real),
            None if element == Number::Float32 => element.of_real(value as f32),
            None => Ok(value),
        });
    let values = values.collect::<Result<_, _>>()?;
    Array::new(element, from.shape.clone(), values)
}
