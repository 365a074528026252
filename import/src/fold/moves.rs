//! Steps that move elements, whatever these are.

use super::{
    Array, Folder, Number, Part, check_rank, common, joined, place, places::Places, sizes,
};

impl Folder {
    fn picked(&mut self, from: &Array, places: &[Places]) -> Result<Array, String> {
        let shape: Option<Vec<u32>> = places
            .iter()
            .map(|places| u32::try_from(places.count()).ok())
            .collect();
        self.spend(&shape.ok_or("makes a size of more than 32 bits")?)?;
        let places: Vec<Vec<usize>> = places.iter().map(Places::list).collect();
        Ok(from.picked(&places))
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

    pub(super) fn gathered(
        &mut self,
        from: &Array,
        places: &Array,
        axis: i64,
    ) -> Result<Array, String> {
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

    pub(super) fn sliced(&mut self, from: &Array, parts: &[Part]) -> Result<Array, String> {
        if parts.len() > from.shape.len() {
            return Err(format!(
                "takes parts of {} of {:?}",
                parts.len(),
                from.shape
            ));
        }
        let mut all: Vec<Places> = from.shape.iter().map(|&size| Places::all(size)).collect();
        for ((part, &size), range) in parts.iter().zip(&from.shape).zip(&mut all) {
            let (start, count) = part.of(size)?;
            *range = Places::Strided(start, part.step, count);
        }
        let mut found = self.picked(from, &all)?;
        let drops = |axis: usize| parts.get(axis).is_some_and(|part| part.drops);
        let sizes = found.shape.iter().enumerate();
        let kept = sizes.filter(|&(axis, _)| !drops(axis));
        found.shape = kept.map(|(_, &size)| size).collect();
        Ok(found)
    }

    pub(super) fn tiled(&mut self, from: &Array, times: &Array) -> Result<Array, String> {
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
    pub(super) fn expanded(&mut self, from: &Array, shape: &[u32]) -> Result<Array, String> {
        let shape = common(&[&from.shape, shape])?;
        self.spend(&shape)?;
        Ok(from.stretched(&shape))
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
        let [which, yes, no] = [which, yes, no].map(|input| input.stretched(&shape).values);
        let both = yes.into_iter().zip(no);
        let chosen = which.iter().zip(both);
        let values = chosen.map(|(&which, (yes, no))| if which == 0 { no } else { yes });
        Array::new(inputs[1].element, shape, values.collect())
    }
}
