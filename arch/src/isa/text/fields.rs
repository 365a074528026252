//! The fields of a line.

use super::Wait;
use crate::transfer::{SPACES, Space, Transfer, Walk};

/// Fields of a line that nobody has asked for yet.
pub(super) struct Fields<'a>(Vec<(&'a str, Option<&'a str>)>);

impl<'a> Fields<'a> {
    pub(super) fn read(words: impl Iterator<Item = &'a str>) -> Result<Self, String> {
        let mut fields: Vec<(&str, Option<&str>)> = Vec::new();
        for word in words {
            let field = match word.split_once('=') {
                Some((name, value)) => (name, Some(value)),
                None => (word, None),
            };
            if field.0 != "wait" && fields.iter().any(|(name, _)| *name == field.0) {
                return Err(format!("{} is given twice", field.0));
            }
            fields.push(field);
        }
        Ok(Self(fields))
    }

    /// What is read if one of these has a value.
    pub(super) fn given<T>(
        &mut self,
        names: &[&str],
        read: impl FnOnce(&mut Self) -> Result<T, String>,
    ) -> Result<Option<T>, String> {
        let mut fields = self.0.iter();
        let is_given = fields.any(|(name, value)| names.contains(name) && value.is_some());
        is_given.then(|| read(self)).transpose()
    }

    pub(super) fn flag(&mut self, name: &str) -> bool {
        let before = self.0.len();
        self.0
            .retain(|(other, value)| *other != name || value.is_some());
        self.0.len() < before
    }

    pub(super) fn value<T: std::str::FromStr>(
        &mut self,
        name: &str,
        default: Option<T>,
    ) -> Result<T, String> {
        let at = self
            .0
            .iter()
            .position(|(other, value)| *other == name && value.is_some());
        let Some((_, Some(value))) = at.map(|at| self.0.remove(at)) else {
            return default.ok_or_else(|| format!("{name} is missing, expected {name}=NUMBER"));
        };
        let number = value.parse();
        number.map_err(|_| format!("{name} is {value:?}, expected a number of its range"))
    }

    pub(super) fn wait(&mut self) -> Result<Wait, String> {
        let mut wait = Wait {
            loads: self.given(&["loads"], |fields| fields.value("loads", None))?,
            stores: self.given(&["stores"], |fields| fields.value("stores", None))?,
            ..Wait::default()
        };
        let (waits, others) = self
            .0
            .iter()
            .partition(|(name, value)| *name == "wait" && value.is_some());
        self.0 = others;
        let waits: Vec<(&str, Option<&str>)> = waits;
        for (_, unit) in waits {
            match unit {
                Some("weights") => wait.weights = true,
                Some("stream") => wait.stream = true,
                Some("drain") => wait.drain = true,
                other => {
                    let other = other.unwrap_or_default();
                    return Err(format!(
                        "wait is {other:?}, expected weights, stream or drain"
                    ));
                }
            }
        }
        Ok(wait)
    }

    /// Fields of LOAD and STORE, as [`Transfer`] writes them.
    pub(super) fn transfer(&mut self) -> Result<Transfer, String> {
        let number = self.value("space", None)?;
        let space = Space::of(number).ok_or(format!("space is {number}, expected {SPACES}"))?;
        let fill = self.flag("fill");
        let [y, z] = [self.numbers("y", [1, 0, 0])?, self.numbers("z", [1, 0, 0])?];
        let [count, step] = self.numbers("x", [1, 0])?;
        let along = |[count, step, pitch]: [u32; 3]| Walk { count, step, pitch };
        Ok(Transfer {
            space,
            region: self.value("region", Some(0))?,
            fill,
            partitions: self.value("partitions", Some(0))?,
            zero: self.value("zero", Some(0))?,
            offset: self.value("offset", Some(0))?,
            place: self.numbers("place", [0, 0])?,
            loops: [Walk::inner(space, fill, count, step), along(y), along(z)],
        })
    }

    /// Numbers with commas between them; those that are not given have their default.
    fn numbers<const N: usize>(
        &mut self,
        name: &str,
        default: [u32; N],
    ) -> Result<[u32; N], String> {
        let mut all = default;
        let text = self.value(name, Some(String::new()))?;
        let words: Vec<&str> = text.split(',').filter(|word| !word.is_empty()).collect();
        if words.len() > N {
            return Err(format!("{name} has {} numbers, expected {N}", words.len()));
        }
        for (number, word) in all.iter_mut().zip(words) {
            let read = word.parse();
            *number = read.map_err(|_| format!("{name} has {word:?}, expected a number"))?;
        }
        Ok(all)
    }

    pub(super) fn none_left(&self, instruction: &str) -> Result<(), String> {
        match self.0.first() {
            None => Ok(()),
            Some(("turn", _)) => Err("\"turn\" is called \"rotate\"".into()),
            Some((name, _)) => Err(format!("{name:?} is no field of {instruction}")),
        }
    }
}
