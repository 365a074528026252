//! Constants that follow from other constants and from known sizes, as networks compute the shapes of their tensors.

mod array;
mod places;

pub use array::{Array, Integer};
pub use places::Part;
use places::Places;

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
    /// Their quotient, towards 0.
    Div,
}

/// What is computed of constants.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Step {
    /// The elements themselves, in another type.
    Cast(Integer),
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
    /// Pairs of elements of two inputs, whose sides are equal or 1.
    Pairs(Arithmetic),
    /// The first input as often along each dimension as the second one says.
    Tile,
    /// In the shape that the first input has one element, that of the second one.
    Fill,
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
        // Places of one dimension are listed, even if another one has none.
        let sizes = shape.iter().map(|&size| size.max(1) as usize);
        let count = sizes.fold(1usize, usize::saturating_mul);
        let left = self.left.checked_sub(count);
        self.left = left.ok_or_else(|| {
            format!(
                "computes a constant of shape {shape:?}, expected at most {ELEMENTS_MAX} elements in all that are computed"
            )
        })?;
        Ok(())
    }

    /// What a step makes.
    ///
    /// # Errors
    /// If inputs do not fit, or what it makes is too large.
    pub fn evaluate(&mut self, step: &Step, inputs: &[Array]) -> Result<Array, String> {
        let first = inputs.first().ok_or("has no input")?;
        let second = || inputs.get(1).ok_or("has no second input");
        match step {
            Step::Cast(element) => Array::new(*element, first.shape.clone(), first.values.clone()),
            Step::Reshape(shape) => reshaped(first, shape),
            Step::Concat(axis) => self.joined(inputs, place(*axis, first.shape.len())?),
            Step::Pack(axis) => {
                let at = place(*axis, first.shape.len() + 1)?;
                let packed = inputs.iter().map(|input| {
                    let mut shape = input.shape.clone();
                    shape.insert(at.min(shape.len()), 1);
                    reshaped(input, &shape)
                });
                self.joined(&packed.collect::<Result<Vec<_>, _>>()?, at)
            }
            Step::Gather(axis) => self.gathered(first, second()?, *axis),
            Step::Slice(parts) => self.sliced(first, parts),
            Step::Pairs(arithmetic) => self.pairs(*arithmetic, first, second()?),
            Step::Tile => self.tiled(first, second()?),
            Step::Fill => {
                let &[value] = &second()?.values[..] else {
                    return Err("fills with several values, expected one".to_string());
                };
                let shape = sizes(&first.values)?;
                self.spend(&shape)?;
                let count = shape.iter().map(|&size| size as usize).product();
                Array::new(inputs[1].element, shape, vec![value; count])
            }
        }
    }

    fn picked(&mut self, from: &Array, places: &[Places]) -> Result<Array, String> {
        let shape: Option<Vec<u32>> = places
            .iter()
            .map(|places| u32::try_from(places.count()).ok())
            .collect();
        self.spend(&shape.ok_or("makes a size of more than 32 bits")?)?;
        let places: Vec<Vec<usize>> = places.iter().map(Places::list).collect();
        Ok(from.picked(&places))
    }

    fn joined(&mut self, inputs: &[Array], axis: usize) -> Result<Array, String> {
        let first = &inputs[0];
        let mut shape = first.shape.clone();
        let mut size = 0u32;
        for input in inputs {
            let mut other = input.shape.clone();
            let more = other.get_mut(axis).zip(shape.get(axis));
            let more = more.map(|(more, &same)| std::mem::replace(more, same));
            let sum = more.and_then(|more| size.checked_add(more));
            let same = other == shape && input.element == first.element;
            size = sum.filter(|_| same).ok_or_else(|| {
                format!(
                    "joins {:?} and {:?} along dimension {axis}",
                    first.shape, input.shape
                )
            })?;
        }
        shape[axis] = size;
        self.spend(&shape)?;
        let before: usize = shape[..axis].iter().map(|&size| size as usize).product();
        let rows = (0..before).flat_map(|row| {
            inputs.iter().flat_map(move |input| {
                let length = input.values.len() / before;
                input.values[row * length..(row + 1) * length]
                    .iter()
                    .copied()
            })
        });
        let values = rows.collect();
        Array::new(first.element, shape, values)
    }

    fn gathered(&mut self, from: &Array, places: &Array, axis: i64) -> Result<Array, String> {
        let axis = place(axis, from.shape.len())?;
        let size = from.shape[axis];
        let list = places.values.iter().map(|&at| {
            let found = if at < 0 { at + i64::from(size) } else { at };
            let found = u32::try_from(found).ok().filter(|&found| found < size);
            let found = found.map(|found| found as usize);
            found.ok_or_else(|| format!("takes place {at} of {size}"))
        });
        let list = Places::List(list.collect::<Result<_, _>>()?);
        let mut all: Vec<Places> = from.shape.iter().map(|&size| Places::all(size)).collect();
        all[axis] = list;
        let mut found = self.picked(from, &all)?;
        found
            .shape
            .splice(axis..=axis, places.shape.iter().copied());
        check_rank(&found.shape)?;
        Ok(found)
    }

    fn sliced(&mut self, from: &Array, parts: &[Part]) -> Result<Array, String> {
        if parts.len() > from.shape.len() {
            return Err(format!(
                "takes parts of {} of {:?}",
                parts.len(),
                from.shape
            ));
        }
        let mut all: Vec<Places> = from.shape.iter().map(|&size| Places::all(size)).collect();
        for ((part, &size), range) in parts.iter().zip(&from.shape).zip(&mut all) {
            *range = part.of(size.into())?;
        }
        let mut found = self.picked(from, &all)?;
        let drops = |axis: usize| parts.get(axis).is_some_and(|part| part.drops);
        let sizes = found.shape.iter().enumerate();
        let kept = sizes.filter(|&(axis, _)| !drops(axis));
        found.shape = kept.map(|(_, &size)| size).collect();
        Ok(found)
    }

    fn pairs(
        &mut self,
        arithmetic: Arithmetic,
        first: &Array,
        second: &Array,
    ) -> Result<Array, String> {
        let rank = first.shape.len().max(second.shape.len());
        let full = |array: &Array| {
            let mut shape = vec![1; rank - array.shape.len()];
            shape.extend(&array.shape);
            shape
        };
        let (left, right) = (full(first), full(second));
        let fits = left
            .iter()
            .zip(&right)
            .all(|(&a, &b)| a == b || a == 1 || b == 1);
        if !fits || first.element != second.element {
            return Err(format!(
                "reads {left:?} and {right:?}, expected sides that are equal or 1"
            ));
        }
        let sides = left
            .iter()
            .zip(&right)
            .map(|(&a, &b)| if a == 1 { b } else { a });
        let shape: Vec<u32> = sides.collect();
        self.spend(&shape)?;
        let stretched = |array: &Array, sides: &[u32]| {
            let places = sides.iter().zip(&shape).map(|(&side, &size)| match side {
                1 => vec![0; size as usize],
                _ => (0..size as usize).collect(),
            });
            let places: Vec<Vec<usize>> = places.collect();
            let seen = Array {
                shape: sides.to_vec(),
                ..array.clone()
            };
            seen.picked(&places).values
        };
        let pairs = stretched(first, &left)
            .into_iter()
            .zip(stretched(second, &right));
        let values = pairs.map(|(a, b)| {
            let found = match arithmetic {
                Arithmetic::Add => a.checked_add(b),
                Arithmetic::Sub => a.checked_sub(b),
                Arithmetic::Mul => a.checked_mul(b),
                Arithmetic::Div => a.checked_div(b),
            };
            found.ok_or_else(|| format!("computes {arithmetic:?} of {a} and {b}"))
        });
        Array::new(
            first.element,
            shape.clone(),
            values.collect::<Result<_, _>>()?,
        )
    }

    fn tiled(&mut self, from: &Array, times: &Array) -> Result<Array, String> {
        let times = sizes(&times.values)?;
        if times.len() != from.shape.len() {
            return Err(format!("repeats {:?} {times:?} times", from.shape));
        }
        let places = from.shape.iter().zip(times);
        let places: Vec<Places> = places
            .map(|(&size, times)| Places::Repeated(0..size, times))
            .collect();
        self.picked(from, &places)
    }
}

/// The same elements in another shape.
fn reshaped(from: &Array, shape: &[u32]) -> Result<Array, String> {
    check_rank(shape)?;
    let sizes = shape.iter().map(|&size| size as usize);
    match sizes.fold(1usize, usize::saturating_mul) == from.values.len() {
        true => Ok(Array {
            shape: shape.to_vec(),
            ..from.clone()
        }),
        false => Err(format!("makes {shape:?} of {:?}", from.shape)),
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
fn place(axis: i64, rank: usize) -> Result<usize, String> {
    let from_end = axis.saturating_add(rank as i64);
    let found = if axis < 0 { from_end } else { axis };
    let found = usize::try_from(found).ok().filter(|&found| found < rank);
    found.ok_or_else(|| format!("has dimension {axis} of {rank}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn array(shape: &[u32], values: &[i64]) -> Array {
        Array {
            element: Integer::Int32,
            shape: shape.to_vec(),
            values: values.to_vec(),
        }
    }

    fn list(values: &[i64]) -> Array {
        array(&[values.len() as u32], values)
    }

    fn part(start: i64, end: i64, step: i64) -> Part {
        Part {
            start: Some(start),
            end: Some(end),
            step,
            drops: false,
        }
    }

    #[track_caller]
    fn check(step: Step, inputs: &[Array], expected: Array) {
        assert_eq!(
            Folder::default().evaluate(&step, inputs),
            Ok(expected),
            "{step:?}"
        );
    }

    #[track_caller]
    fn refused(step: Step, inputs: &[Array], expected: &str) {
        let message = Folder::default().evaluate(&step, inputs).unwrap_err();
        assert!(message.contains(expected), "{step:?}: {message}");
    }

    #[test]
    fn steps_compute_what_they_mean() {
        let square = array(&[2, 3], &[0, 1, 2, 3, 4, 5]);
        let two = std::slice::from_ref(&square);
        let wide = |values: &[i64]| Array {
            element: Integer::Int64,
            ..list(values)
        };
        check(
            Step::Cast(Integer::Int64),
            &[list(&[7, -7])],
            wide(&[7, -7]),
        );
        check(
            Step::Reshape(vec![3, 2]),
            two,
            array(&[3, 2], &[0, 1, 2, 3, 4, 5]),
        );
        check(
            Step::Concat(-1),
            &[square.clone(), array(&[2, 1], &[9, 8])],
            array(&[2, 4], &[0, 1, 2, 9, 3, 4, 5, 8]),
        );
        check(
            Step::Pack(0),
            &[array(&[], &[4]), array(&[], &[5])],
            list(&[4, 5]),
        );
        check(
            Step::Pack(1),
            &[list(&[1, 2]), list(&[3, 4])],
            array(&[2, 2], &[1, 3, 2, 4]),
        );
        check(
            Step::Gather(1),
            &[square.clone(), array(&[], &[-1])],
            list(&[2, 5]),
        );
        check(
            Step::Gather(0),
            &[square.clone(), array(&[1, 2], &[1, 0])],
            array(&[1, 2, 3], &[3, 4, 5, 0, 1, 2]),
        );
        check(
            Step::Slice(vec![Part::ALL, part(-2, 99, 1)]),
            two,
            array(&[2, 2], &[1, 2, 4, 5]),
        );
        check(
            Step::Slice(vec![Part {
                drops: true,
                ..part(1, 0, 1)
            }]),
            two,
            list(&[3, 4, 5]),
        );
        let backwards = Part {
            step: -2,
            ..Part::ALL
        };
        check(
            Step::Slice(vec![Part::ALL, backwards]),
            two,
            array(&[2, 2], &[2, 0, 5, 3]),
        );
        check(Step::Slice(vec![part(1, 1, 1)]), two, array(&[0, 3], &[]));
        check(
            Step::Pairs(Arithmetic::Mul),
            &[square.clone(), array(&[2, 1], &[10, -1])],
            array(&[2, 3], &[0, 10, 20, -3, -4, -5]),
        );
        check(
            Step::Pairs(Arithmetic::Sub),
            &[array(&[], &[1]), list(&[5, 7])],
            list(&[-4, -6]),
        );
        check(
            Step::Pairs(Arithmetic::Div),
            &[list(&[-7, 7]), list(&[2, 2])],
            list(&[-3, 3]),
        );
        check(
            Step::Tile,
            &[list(&[1, 2]), list(&[3])],
            list(&[1, 2, 1, 2, 1, 2]),
        );
        check(
            Step::Fill,
            &[list(&[2, 2]), array(&[], &[6])],
            array(&[2, 2], &[6; 4]),
        );
        check(Step::Fill, &[list(&[]), array(&[], &[6])], array(&[], &[6]));
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        let two = [list(&[1, 2]), list(&[3])];
        refused(Step::Reshape(vec![3]), &two, "makes [3] of [2]");
        refused(Step::Concat(1), &two, "dimension 1 of 1");
        refused(Step::Pack(0), &two, "joins");
        refused(Step::Gather(0), &two, "takes place 3 of 2");
        refused(
            Step::Gather(0),
            &[array(&[], &[1]), list(&[0])],
            "dimension 0 of 0",
        );
        refused(Step::Slice(vec![part(0, 1, 0)]), &two, "steps of 0");
        refused(
            Step::Slice(vec![Part {
                drops: true,
                ..part(2, 3, 1)
            }]),
            &two,
            "takes place 2 of 2",
        );
        refused(Step::Slice(vec![Part::ALL; 2]), &two, "parts of 2");
        refused(
            Step::Pairs(Arithmetic::Add),
            &[list(&[1, 2]), list(&[1, 2, 3])],
            "equal or 1",
        );
        refused(
            Step::Pairs(Arithmetic::Div),
            &[list(&[1]), list(&[0])],
            "Div of 1 and 0",
        );
        refused(
            Step::Pairs(Arithmetic::Mul),
            &[list(&[1 << 20]), list(&[1 << 20])],
            "expected numbers of int32",
        );
        refused(
            Step::Cast(Integer::Int32),
            &[list(&[1 << 40])],
            "expected numbers of int32",
        );
        refused(Step::Tile, &[list(&[1]), list(&[-1])], "size of -1");
        refused(Step::Fill, &[list(&[1; 7]), list(&[1])], "7 dimensions");
        refused(Step::Tile, &two[..1], "second input");
    }

    /// More than the memory of a machine: it would not come back if it were made.
    #[test]
    fn nothing_large_is_made() {
        let one = || array(&[], &[1]);
        refused(Step::Fill, &[list(&[1 << 20, 1 << 20]), one()], "in all");
        refused(Step::Fill, &[list(&[u32::MAX.into(); 6]), one()], "in all");
        refused(
            Step::Tile,
            &[list(&[1, 2]), list(&[u32::MAX.into()])],
            "32 bits",
        );
        refused(Step::Tile, &[list(&[1, 2]), list(&[1 << 30])], "in all");
        refused(Step::Fill, &[list(&[0, 1 << 31]), one()], "in all");
        check(
            Step::Tile,
            &[list(&[]), list(&[u32::MAX.into()])],
            list(&[]),
        );
        let side = array(&[1 << 20, 1], &vec![1; 1 << 20]);
        let other = array(&[1, 1 << 20], &vec![1; 1 << 20]);
        refused(Step::Pairs(Arithmetic::Add), &[side, other], "in all");
        // Nor many that are each small enough.
        let mut folder = Folder::default();
        let fill =
            |folder: &mut Folder| folder.evaluate(&Step::Fill, &[list(&[1 << 20]), list(&[1])]);
        assert!(fill(&mut folder).is_ok() && fill(&mut folder).is_ok());
        assert!(fill(&mut folder).is_err());
    }

    #[test]
    fn bytes_are_those_of_the_elements() {
        for element in [Integer::Int32, Integer::Int64] {
            let found = Array {
                element,
                ..list(&[1, -2, 1 << 30])
            };
            assert_eq!(Array::of_bytes(element, &[3], &found.bytes()), found);
        }
    }
}
