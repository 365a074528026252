//! The lists that the expander writes.

use super::state::{OffsetState, TableEntry};

/// Values of a nest: `counts[0]` entries are a run, `counts[1]` runs a block, `counts[2]` blocks the
/// list. `steps[0]` lies between entries, `steps[1]` between runs, `steps[2]` between blocks.
pub fn nest(first: i64, counts: [usize; 3], steps: [i64; 3]) -> Vec<i64> {
    let entries = counts.iter().product::<usize>();
    let mut value = first;
    let mut values = Vec::with_capacity(entries);
    for entry in 1..=entries {
        values.push(value);
        value += match entry {
            _ if entry % (counts[0] * counts[1]) == 0 => steps[2],
            _ if entry % counts[0] == 0 => steps[1],
            _ => steps[0],
        };
    }
    values
}

/// What an expansion does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Expanded {
    /// Entries written.
    pub entries: usize,
    /// It stopped at the end of the table.
    pub cut: bool,
    /// Clocks in which the expander takes no write.
    pub clocks: usize,
}

/// Writes a nest with the given mask bits, or repeats a block. `None` if there is no such table or
/// nothing to repeat.
pub fn expand(state: &mut OffsetState, repeat: bool, row: u16, col: u16) -> Option<Expanded> {
    let [
        table,
        entry,
        value,
        count0,
        step0,
        count1,
        step1,
        count2,
        step2,
    ] = state.registers.expander;
    let options = state.options;
    let list = match table {
        1 => &mut state.bases,
        2 => &mut state.offsets,
        _ => return None,
    };
    let number = |register: u32| usize::from(register as u16);
    let [entry, count0, count1, count2] = [entry, count0, count1, count2].map(number);
    let signed = |step: u32| i64::from(step as i32);
    let entries: Vec<Option<TableEntry>> = if repeat {
        let source = entry.checked_sub(count0)?;
        // Entries beyond the table are nowhere written.
        let block = list
            .get(source..entry)
            .map_or(vec![None; count0], <[_]>::to_vec);
        let copy = |number: usize, old: TableEntry| {
            let value = i64::from(old.value) + number as i64 * signed(step0);
            let value = options.address(value);
            TableEntry { value, ..old }
        };
        let blocks = (1..=count1).flat_map(|number| {
            let block = block.iter();
            block.map(move |old| old.map(|old| copy(number, old)))
        });
        blocks.collect()
    } else {
        let steps = [signed(step0), signed(step1), signed(step2)];
        let values = nest(i64::from(value), [count0, count1, count2], steps);
        let value = |value| TableEntry {
            value: options.address(value),
            row: options.mask(row),
            col: options.mask(col),
        };
        values.into_iter().map(|v| Some(value(v))).collect()
    };
    let place = list.get_mut(entry..).unwrap_or_default();
    for (place, entry) in place.iter_mut().zip(&entries) {
        *place = *entry;
    }
    let written = entries.len().min(place.len());
    let cut = entries.len() > place.len();
    Some(Expanded {
        entries: written,
        cut,
        clocks: (written + usize::from(cut)) * if repeat { 3 } else { 1 },
    })
}
