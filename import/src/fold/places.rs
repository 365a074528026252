//! Places of a dimension that a step takes.

use std::ops::Range;

/// A part of a dimension: from, to, step; from and to count from the end if they are negative, and are the ends where there is none.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Part {
    /// The first place.
    pub start: Option<i64>,
    /// The place that is no more in it.
    pub end: Option<i64>,
    /// Distance of two places, not 0.
    pub step: i64,
    /// Whether the dimension goes: the first place alone is taken.
    pub drops: bool,
}

/// Places of a dimension, that are counted before they are listed.
pub(super) enum Places {
    /// From, distance, number.
    Strided(i64, i64, u32),
    /// These.
    List(Vec<usize>),
    /// All, several times.
    Repeated(Range<u32>, u32),
}

impl Places {
    pub fn all(size: u32) -> Places {
        Places::Strided(0, 1, size)
    }

    pub fn count(&self) -> u64 {
        match self {
            Places::Strided(_, _, count) => u64::from(*count),
            Places::List(list) => list.len() as u64,
            Places::Repeated(range, times) => u64::from(range.end) * u64::from(*times),
        }
    }

    pub fn list(&self) -> Vec<usize> {
        match self {
            Places::Strided(start, step, count) => (0..i64::from(*count))
                .map(|place| (start + place * step) as usize)
                .collect(),
            Places::List(list) => list.clone(),
            Places::Repeated(range, _) if range.is_empty() => vec![],
            Places::Repeated(range, times) => {
                let all = (0..*times).flat_map(|_| range.clone());
                all.map(|place| place as usize).collect()
            }
        }
    }
}

impl Part {
    /// All of a dimension.
    pub const ALL: Part = Part {
        start: None,
        end: None,
        step: 1,
        drops: false,
    };

    /// From, to and step of a dimension; of the masks, which have a bit for each, the first two say that it begins or ends where the
    /// tensor does, the third one that it goes.
    pub fn masked([start, end, step]: [i64; 3], masks: [i32; 3], axis: usize) -> Part {
        let [begins, ends, drops] = masks.map(|mask| axis < 32 && mask >> axis & 1 != 0);
        Part {
            start: (!begins).then_some(start),
            end: (!ends).then_some(end),
            step,
            drops,
        }
    }

    /// The first of the places of a dimension of this size, and how many there are.
    ///
    /// # Errors
    /// If it is one place that there is not, or all with steps of 0.
    pub fn of(self, size: u32) -> Result<(i64, u32), String> {
        let size = i64::from(size);
        let from_end = |at: i64| if at < 0 { at.saturating_add(size) } else { at };
        if self.drops {
            let at = from_end(self.start.unwrap_or(0));
            return match (0..size).contains(&at) {
                true => Ok((at, 1)),
                false => Err(format!("takes place {at} of {size}")),
            };
        }
        let (first, last) = match self.step {
            0 => return Err("takes a part with steps of 0".to_string()),
            1.. => (0, size),
            _ => (size - 1, -1),
        };
        let (low, high) = (first.min(last), first.max(last));
        let inside = |at: Option<i64>, end: i64| at.map_or(end, from_end).clamp(low, high);
        let (start, end) = (inside(self.start, first), inside(self.end, last));
        let way = ((end - start) * self.step.signum()).max(0).unsigned_abs();
        Ok((start, way.div_ceil(self.step.unsigned_abs()) as u32))
    }
}
