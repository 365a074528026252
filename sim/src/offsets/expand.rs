//! The lists that the expander writes.

use super::state::{Entry, OffsetState};

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

/// Writes a nest or repeats a block. Returns the number of entries written, `None` if there is no
/// such table or entry.
pub fn expand(state: &mut OffsetState, repeat: bool) -> Option<usize> {
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
    let [entry, count0, count1, count2] = [entry, count0, count1, count2].map(|n| n as usize);
    let signed = |step: u32| i64::from(step as i32);
    let entries = if repeat {
        let source = entry.checked_sub(count0)?;
        let blocks = 1..=count1;
        let block = list.get(source..entry)?.to_vec();
        let copies = blocks.flat_map(|number| {
            block.iter().map(move |old| {
                let old = (*old).expect("the block was written");
                let value = i64::from(old.value) + number as i64 * signed(step0);
                let value = options.address(value);
                Entry { value, ..old }
            })
        });
        copies.collect::<Vec<_>>()
    } else {
        let steps = [signed(step0), signed(step1), signed(step2)];
        let values = nest(i64::from(value), [count0, count1, count2], steps);
        let entry = |value| Entry {
            value: options.address(value),
            row: 0,
            col: 0,
        };
        values.into_iter().map(entry).collect()
    };
    let place = list.get_mut(entry..entry + entries.len())?;
    for (place, entry) in place.iter_mut().zip(&entries) {
        *place = Some(*entry);
    }
    Some(entries.len())
}
