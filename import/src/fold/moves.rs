//! Steps that move elements, whatever these are.

use super::{
    Array, Elements, Folder, Number, Part, Step, common, joined, place, places::Places, sizes,
};

impl Folder {
    /// What a step makes of elements that it moves; none if it does something else.
    pub fn moved<T: Elements>(
        &mut self,
        step: &Step,
        from: &T,
        others: &[Array],
    ) -> Option<Result<T, String>> {
        let second = || others.first().ok_or("has no second input");
        let found = match step {
            Step::Reshape(shape) => from.reshaped(shape),
            Step::Slice(parts) => self.sliced(from, parts),
            Step::Places(places) => self.placed(from, places),
            Step::Transpose(order) => self.transposed(from, order),
            Step::Gather(axis) => second()
                .map_err(String::from)
                .and_then(|places| self.gathered(from, places, *axis)),
            Step::Tile => second()
                .map_err(String::from)
                .and_then(|times| self.tiled(from, times)),
            Step::Expand => second()
                .map_err(String::from)
                .and_then(|shape| self.expanded(from, &sizes(&shape.values)?)),
            Step::Series(steps) => steps.iter().try_fold(from.clone(), |from, step| {
                let made = self.moved(step, &from, &[]);
                made.unwrap_or_else(|| Err("is no move".to_string()))
            }),
            _ => return None,
        };
        Some(found)
    }

    fn picked<T: Elements>(&mut self, from: &T, places: &[Places]) -> Result<T, String> {
        let sizes: Vec<u64> = places.iter().map(Places::count).collect();
        if sizes.iter().any(|&size| size > u32::MAX.into()) {
            return Err("makes a size of more than 32 bits".to_string());
        }
        self.spend_on::<T>(&sizes)?;
        let places: Vec<Vec<usize>> = places.iter().map(Places::list).collect();
        Ok(from.picked(&places))
    }

    fn placed<T: Elements>(&mut self, from: &T, places: &[Vec<usize>]) -> Result<T, String> {
        let sides = from.shape().iter().zip(places);
        let fits = |(&size, places): (&u32, &Vec<usize>)| {
            places.iter().all(|&place| place < size as usize)
        };
        if places.len() != from.shape().len() || !sides.clone().all(fits) {
            return Err(format!(
                "takes places that {:?} does not have",
                from.shape()
            ));
        }
        let places = places.iter().map(|places| Places::List(places.clone()));
        self.picked(from, &places.collect::<Vec<_>>())
    }

    fn transposed<T: Elements>(&mut self, from: &T, order: &[usize]) -> Result<T, String> {
        let rank = from.shape().len();
        if order.len() != rank || !(0..rank).all(|axis| order.contains(&axis)) {
            return Err(format!(
                "has the order {order:?}, expected each of {rank} dimensions once"
            ));
        }
        let sizes: Vec<u64> = from.shape().iter().map(|&size| size.into()).collect();
        self.spend_on::<T>(&sizes)?;
        Ok(from.transposed(order))
    }

    pub(super) fn joined(&mut self, inputs: &[Array], axis: usize) -> Result<Array, String> {
        let first = &inputs[0];
        if let Some(other) = inputs.iter().find(|input| input.element != first.element) {
            let (one, other) = (first.element.name(), other.element.name());
            return Err(format!("joins {one} and {other}, expected equal types"));
        }
        let shape = joined(inputs.iter().map(|input| &input.shape[..]), axis)?;
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

    fn gathered<T: Elements>(&mut self, from: &T, places: &Array, axis: i64) -> Result<T, String> {
        let axis = place(axis, from.shape().len())?;
        let size = from.shape()[axis];
        let list = places.values.iter().map(|&at| {
            let found = if at < 0 { at + i64::from(size) } else { at };
            let found = u32::try_from(found).ok().filter(|&found| found < size);
            let found = found.map(|found| found as usize);
            found.ok_or_else(|| format!("takes place {at} of {size}"))
        });
        let list = Places::List(list.collect::<Result<_, _>>()?);
        let mut all: Vec<Places> = from.shape().iter().map(|&size| Places::all(size)).collect();
        all[axis] = list;
        let found = self.picked(from, &all)?;
        let mut shape = found.shape().to_vec();
        shape.splice(axis..=axis, places.shape.iter().copied());
        found.reshaped(&shape)
    }

    fn sliced<T: Elements>(&mut self, from: &T, parts: &[Part]) -> Result<T, String> {
        let shape = from.shape();
        if parts.len() > shape.len() {
            return Err(format!("takes parts of {} of {shape:?}", parts.len()));
        }
        let mut all: Vec<Places> = shape.iter().map(|&size| Places::all(size)).collect();
        for ((part, &size), range) in parts.iter().zip(shape).zip(&mut all) {
            let (start, count) = part.of(size)?;
            *range = Places::Strided(start, part.step, count);
        }
        let found = self.picked(from, &all)?;
        let drops = |axis: usize| parts.get(axis).is_some_and(|part| part.drops);
        let sizes = found.shape().iter().enumerate();
        let kept = sizes.filter(|&(axis, _)| !drops(axis));
        let kept: Vec<u32> = kept.map(|(_, &size)| size).collect();
        found.reshaped(&kept)
    }

    fn tiled<T: Elements>(&mut self, from: &T, times: &Array) -> Result<T, String> {
        let times = sizes(&times.values)?;
        if times.len() != from.shape().len() {
            return Err(format!("repeats {:?} {times:?} times", from.shape()));
        }
        let places = from.shape().iter().zip(times);
        let places: Vec<Places> = places
            .map(|(&size, times)| Places::Repeated(0..size, times))
            .collect();
        self.picked(from, &places)
    }

    /// In the shape that the first input has one element, that of the second one.
    pub(super) fn filled(&mut self, shape: &Array, from: &Array) -> Result<Array, String> {
        let &[value] = &from.values[..] else {
            return Err("fills with several values, expected one".to_string());
        };
        let shape = sizes(&shape.values)?;
        self.spend(&shape)?;
        let count = shape.iter().map(|&size| size as usize).product();
        Array::new(from.element, shape, vec![value; count])
    }

    /// Places of equal elements all along the dimensions in which these have one of several.
    fn expanded<T: Elements>(&mut self, from: &T, shape: &[u32]) -> Result<T, String> {
        let shape = common(&[from.shape(), shape])?;
        let sizes: Vec<u64> = shape.iter().map(|&size| size.into()).collect();
        self.spend_on::<T>(&sizes)?;
        from.stretched(&shape)
    }

    /// Of each place the element of the second input where the first one is true, else that of the third.
    pub(super) fn chosen(&mut self, inputs: &[Array]) -> Result<Array, String> {
        let [which, yes, no] = inputs else {
            return Err(format!("has {} inputs, expected 3", inputs.len()));
        };
        if which.element != Number::Bool || yes.element != no.element {
            let [which, yes, no] = [which, yes, no].map(|input| input.element.name());
            return Err(format!(
                "chooses by {which} of {yes} and {no}, expected bool and equal types"
            ));
        }
        let shape = common(&[&which.shape, &yes.shape, &no.shape])?;
        self.spend(&shape)?;
        let stretched = |input: &Array| Ok::<_, String>(input.stretched(&shape)?.values);
        let (which, yes, no) = (stretched(which)?, stretched(yes)?, stretched(no)?);
        let both = yes.into_iter().zip(no);
        let chosen = which.iter().zip(both);
        let values = chosen.map(|(&which, (yes, no))| if which == 0 { no } else { yes });
        Array::new(inputs[1].element, shape, values.collect())
    }
}
