//! Every read of the memories of a core, one by one: what the model expects, what was seen.

use super::pins::Seen;
use crate::rtl::Checked;
use heddle_sim::blocks::gemm::{GemmModel, GemmRun};
use std::fmt::Debug;

/// One read: the address in the memory, the byte that it gave.
pub type Read = (u32, i8);

/// What one run reads.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Reads {
    /// Of the operand memory of each row, or of each bank: its reads in their order.
    pub memories: Vec<Vec<Read>>,
    /// Of each row: the operands that enter the array, in their order.
    pub rows: Vec<Vec<i8>>,
    /// Of each column: the weights that are read with the addresses of their words.
    pub weights: Vec<Vec<Read>>,
}

impl Reads {
    /// The reads of a run as the documents order them: step by step; a bank serves the lowest row
    /// first, and with `merge` together with it all rows that want the same byte.
    pub fn expected(run: &GemmRun, model: &GemmModel) -> Self {
        let options = &model.options;
        let memories = match options.banks {
            0 => options.unit.rows,
            banks => banks,
        };
        let mut reads = Self {
            memories: vec![Vec::new(); memories],
            rows: run.operands.clone(),
            weights: vec![Vec::new(); options.unit.cols],
        };
        let mut operands: Vec<_> = run.operands.iter().map(|row| row.iter()).collect();
        for slot in run.run.slots.iter().filter(|slot| slot.load.is_none()) {
            let mut served = Vec::new();
            for (row, address) in slot.rows.iter().enumerate() {
                let Some(address) = address else {
                    continue;
                };
                let operand = *operands[row].next().expect("an operand for each read");
                let place = *address % options.operand_bytes as u32;
                if options.banks == 0 {
                    reads.memories[row].push((place, operand));
                } else if !(options.merge && served.contains(&place)) {
                    served.push(place);
                    let banks = options.banks as u32;
                    let bank = &mut reads.memories[(place % banks) as usize];
                    bank.push((place / banks, operand));
                }
            }
        }
        for word in &run.words {
            let place = u32::from(*word) % options.weight_words as u32;
            for (column, weight) in reads.weights.iter_mut().zip(model.word(*word)) {
                column.push((place, *weight));
            }
        }
        reads
    }
}

/// The reads of a run under way.
pub struct Log {
    expected: Reads,
    /// What was seen.
    pub found: Reads,
    /// Of each row the clocks in which its operands came.
    pub clocks: Vec<Vec<u64>>,
}

impl Log {
    /// Nothing was seen yet.
    pub fn new(expected: Reads) -> Self {
        let found = Reads {
            memories: vec![Vec::new(); expected.memories.len()],
            rows: vec![Vec::new(); expected.rows.len()],
            weights: vec![Vec::new(); expected.weights.len()],
        };
        Self {
            clocks: vec![Vec::new(); expected.rows.len()],
            expected,
            found,
        }
    }

    /// The run has ended: nothing is missing.
    pub fn check_complete(&self) -> Checked {
        let (found, expected) = (&self.found, &self.expected);
        match found == expected {
            true => Ok(()),
            false => Err(format!("reads: found {found:?}, model has {expected:?}")),
        }
    }
}

/// Adds what was seen in clock `clock` to the first run that still waits for a read there, and compares.
pub fn watch(logs: &mut [&mut Log], seen: &Seen, clock: u64) -> Checked {
    for (memory, read) in &seen.memories {
        let lists = logs.iter_mut().map(|log| {
            (
                &log.expected.memories[*memory],
                &mut log.found.memories[*memory],
            )
        });
        put(format_args!("operand memory {memory}"), lists, *read)?;
    }
    for (row, operand) in &seen.rows {
        let lists = logs
            .iter_mut()
            .map(|log| (&log.expected.rows[*row], &mut log.found.rows[*row]));
        put(format_args!("row {row}"), lists, *operand)?;
        let mut logs = logs.iter_mut();
        let log = logs.find(|log| log.clocks[*row].len() < log.found.rows[*row].len());
        log.expect("it was put there").clocks[*row].push(clock);
    }
    for (column, read) in &seen.weights {
        let lists = logs.iter_mut().map(|log| {
            (
                &log.expected.weights[*column],
                &mut log.found.weights[*column],
            )
        });
        put(format_args!("weights of column {column}"), lists, *read)?;
    }
    Ok(())
}

fn put<'a, T: Copy + PartialEq + Debug + 'a>(
    place: std::fmt::Arguments,
    mut lists: impl Iterator<Item = (&'a Vec<T>, &'a mut Vec<T>)>,
    read: T,
) -> Checked {
    let Some((expected, found)) = lists.find(|(expected, found)| found.len() < expected.len())
    else {
        return Err(format!("{place}: {read:?} is read, model has nothing"));
    };
    let number = found.len();
    found.push(read);
    match expected[number] == read {
        true => Ok(()),
        false => Err(format!(
            "{place}: read {number} is {read:?}, model has {:?}",
            expected[number]
        )),
    }
}
