//! Constants that follow from other constants and from known sizes, as networks compute the shapes of their tensors.

mod array;
mod moves;
mod numbers;
mod places;
#[cfg(test)]
mod tests;
mod view;

pub use array::{Array, Number};
pub use places::Part;
pub use view::View;

/// Most elements that all steps of a file together read and make.
const ELEMENTS_MAX: usize = 1 << 21;

/// What two numbers become.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Arithmetic {
    /// Their sum.
    Add,
    /// Their difference.
    Sub,
    /// Their product.
    Mul,
    /// Their quotient, of integers towards 0.
    Div,
    /// Whether they are equal.
    Equal,
}

/// What is computed of constants.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Step {
    /// The elements themselves, in another type.
    Cast(Number),
    /// The elements themselves, in another shape.
    Reshape(Vec<u32>),
    /// One after another along a dimension.
    Concat(i64),
    /// One after another along a new dimension.
    Pack(i64),
    /// The places along a dimension that the second input has.
    Gather(i64),
    /// A part of each dimension.
    Slice(Vec<Part>),
    /// These places of each dimension.
    Places(Vec<Vec<usize>>),
    /// Dimension i is this dimension of the input.
    Transpose(Vec<usize>),
    /// One step after another.
    Series(Vec<Step>),
    /// Pairs of elements of two inputs, whose sides are equal or 1.
    Pairs(Arithmetic),
    /// The first input as often along each dimension as the second one says.
    Tile,
    /// In the shape that the first input has one element, that of the second one.
    Fill,
    /// The first input in the shape of what it and one of the shape that the second one says have in common.
    Expand,
    /// The second input where the first one is true, else the third one.
    Where,
    /// The product over these dimensions, and whether they are kept.
    Product(Vec<usize>, bool),
    /// From the first input to the second one in steps of the third one.
    Range,
}

/// What may still be computed.
#[derive(Debug, Clone)]
pub struct Folder {
    left: usize,
}

impl Default for Folder {
    fn default() -> Folder {
        Folder { left: ELEMENTS_MAX }
    }
}

impl Folder {
    /// Before so many elements are read or made.
    ///
    /// # Errors
    /// If they are too many.
    pub fn spend(&mut self, shape: &[u32]) -> Result<(), String> {
        let sizes: Vec<u64> = shape.iter().map(|&size| size.into()).collect();
        self.spend_on::<Array>(&sizes)
    }

    /// The same of anything with elements.
    fn spend_on<T: Elements>(&mut self, sizes: &[u64]) -> Result<(), String> {
        let left = (self.left as u64).checked_sub(T::cost(sizes));
        let left = left.ok_or_else(|| {
            format!(
                "computes a constant of shape {sizes:?}, expected at most {ELEMENTS_MAX} elements in all that are computed"
            )
        })?;
        self.left = left as usize;
        Ok(())
    }

    /// What a step makes.
    ///
    /// # Errors
    /// If inputs do not fit, or what it makes is too large.
    pub fn evaluate(&mut self, step: &Step, inputs: &[Array]) -> Result<Array, String> {
        let first = inputs.first().ok_or("has no input")?;
        if let Some(moved) = self.moved(step, first, &inputs[1..]) {
            return moved;
        }
        let second = || inputs.get(1).ok_or("has no second input");
        match step {
            Step::Cast(element) => numbers::cast(first, *element),
            Step::Concat(axis) => self.joined(inputs, place(*axis, first.shape.len())?),
            Step::Pack(axis) => {
                let at = place(*axis, first.shape.len() + 1)?;
                let packed = inputs.iter().map(|input| {
                    let mut shape = input.shape.clone();
                    shape.insert(at.min(shape.len()), 1);
                    input.reshaped(&shape)
                });
                self.joined(&packed.collect::<Result<Vec<_>, _>>()?, at)
            }
            Step::Pairs(arithmetic) => self.pairs(*arithmetic, first, second()?),
            Step::Fill => self.filled(first, second()?),
            Step::Where => self.chosen(inputs),
            Step::Product(axes, keeps) => self.product(first, axes, *keeps),
            Step::Range => self.range(inputs),
            _ => unreachable!("it moves elements"),
        }
    }
}

/// What has elements that steps move, whatever these are.
pub trait Elements: Sized + Clone {
    /// Sizes.
    fn shape(&self) -> &[u32];

    /// What it costs to have such sizes.
    fn cost(sizes: &[u64]) -> u64;

    /// Of each place in these of each dimension the element.
    fn picked(&self, places: &[Vec<usize>]) -> Self;

    /// Dimension i is this dimension of the input.
    fn transposed(&self, order: &[usize]) -> Self;

    /// The same elements in another shape.
    ///
    /// # Errors
    /// If there are not as many, or they cannot be seen so.
    fn reshaped(&self, shape: &[u32]) -> Result<Self, String>;

    /// As often along each dimension in which it has one place as this shape says, which it fits.
    ///
    /// # Errors
    /// If there are too many dimensions.
    fn stretched(&self, shape: &[u32]) -> Result<Self, String> {
        let more = shape.len() - self.shape().len();
        let seen = [&vec![1; more], self.shape()].concat();
        let sides = seen.iter().zip(shape);
        let places = sides.map(|(&side, &size)| match side {
            1 => vec![0; size as usize],
            _ => (0..size as usize).collect(),
        });
        let places: Vec<Vec<usize>> = places.collect();
        Ok(self.reshaped(&seen)?.picked(&places))
    }
}

/// Numbers as sizes.
fn sizes(values: &[i64]) -> Result<Vec<u32>, String> {
    let sizes = values.iter().map(|&size| {
        u32::try_from(size)
            .map_err(|_| format!("makes a size of {size}, expected 0 to {}", u32::MAX))
    });
    let sizes: Vec<u32> = sizes.collect::<Result<_, _>>()?;
    check_rank(&sizes)?;
    Ok(sizes)
}

fn check_rank(shape: &[u32]) -> Result<(), String> {
    match shape.len() <= 6 {
        true => Ok(()),
        false => Err(format!(
            "makes {} dimensions, expected at most 6",
            shape.len()
        )),
    }
}

/// A dimension that there is, counted from the end if it is negative.
pub fn place(axis: i64, rank: usize) -> Result<usize, String> {
    let from_end = axis.saturating_add(rank as i64);
    let found = if axis < 0 { from_end } else { axis };
    let found = usize::try_from(found).ok().filter(|&found| found < rank);
    found.ok_or_else(|| format!("has dimension {axis} of {rank}"))
}

/// The sides that sides which are equal or 1 have in common.
fn common(shapes: &[&[u32]]) -> Result<Vec<u32>, String> {
    let rank = shapes.iter().map(|shape| shape.len()).max().unwrap_or(0);
    let mut found = vec![1; rank];
    for shape in shapes {
        for (side, &size) in found[rank - shape.len()..].iter_mut().zip(*shape) {
            if *side != size && *side != 1 && size != 1 {
                return Err(format!(
                    "reads shapes {shapes:?}, expected sides that are equal or 1"
                ));
            }
            *side = if *side == 1 { size } else { *side };
        }
    }
    check_rank(&found)?;
    Ok(found)
}

/// The shape of tensors one behind another along a dimension that the first one has.
///
/// # Errors
/// If their other sides differ, or they are too many.
pub fn joined<'a>(
    shapes: impl IntoIterator<Item = &'a [u32]>,
    axis: usize,
) -> Result<Vec<u32>, String> {
    let mut shapes = shapes.into_iter();
    let first = shapes.next().ok_or("joins nothing")?;
    let mut found = first.to_vec();
    for shape in shapes {
        let mut other = shape.to_vec();
        let more = other.get_mut(axis).zip(first.get(axis));
        let more = more.map(|(more, &same)| std::mem::replace(more, same));
        let sum = more.and_then(|more| found[axis].checked_add(more));
        found[axis] = sum
            .filter(|_| other == first)
            .ok_or_else(|| format!("joins {first:?} and {shape:?} along dimension {axis}"))?;
    }
    Ok(found)
}
