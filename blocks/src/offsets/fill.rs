//! Values for the expander of the unit, and what it writes.

/// Number of the first register of the expander.
const EX_TABLE: u16 = 16;
/// Number of the register that starts it.
const EX_GO: u16 = 25;

/// A list of which some entries are written one by one and the others by the expander.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Filled {
    /// The first entries of the list.
    pub written: Vec<i32>,
    /// What the expander is told to write behind them, in this order.
    pub fills: Vec<Fill>,
}

/// One order for the expander.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fill {
    /// Entries by three nested counters.
    Nest(Nest),
    /// Copies of the entries before.
    Repeat(Repeat),
}

/// Entries by three nested counters, the first of them the fastest.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Nest {
    /// First entry that is written, counted from the first of the list.
    pub entry: u32,
    /// Its value.
    pub value: i32,
    /// Entries of a run, runs of a group of runs, groups.
    pub counts: [u32; 3],
    /// What is added within a run, behind a run, behind a group of runs.
    pub steps: [i32; 3],
}

/// Copies of the entries before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Repeat {
    /// First entry that is written, counted from the first of the list.
    pub entry: u32,
    /// Entries before it that are copied.
    pub block: u32,
    /// Copies.
    pub blocks: u32,
    /// What is added from copy to copy.
    pub step: i32,
}

/// Which table the expander writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Table {
    /// Bases.
    Bases,
    /// Offsets.
    Offsets,
}

impl Filled {
    /// The whole list, made by additions as the expander does it (SGCR-49, SGCR-50).
    ///
    /// # Panics
    /// If a fill does not begin where the one before ends, or copies more than there is.
    #[must_use]
    pub fn expand(&self) -> Vec<i32> {
        let mut list = self.written.clone();
        for fill in &self.fills {
            match fill {
                Fill::Nest(nest) => nest.write(&mut list),
                Fill::Repeat(repeat) => repeat.write(&mut list),
            }
        }
        list
    }

    /// Values that have to be loaded: entries, and the values, counts and steps of the fills.
    #[must_use]
    pub fn words(&self) -> usize {
        let words = |fill: &Fill| match fill {
            Fill::Nest(_) => 1 + 3 + 3,
            Fill::Repeat(_) => 2 + 1,
        };
        self.written.len() + self.fills.iter().map(words).sum::<usize>()
    }
}

impl Nest {
    fn write(&self, list: &mut Vec<i32>) {
        assert_eq!(
            self.entry as usize,
            list.len(),
            "a nest follows what is there"
        );
        let mut value = self.value;
        let [run, runs, groups] = self.counts;
        for group in 0..groups {
            for pass in 0..runs {
                for at in 0..run {
                    list.push(value);
                    let step = match (at + 1 < run, pass + 1 < runs, group + 1 < groups) {
                        (true, _, _) => self.steps[0],
                        (_, true, _) => self.steps[1],
                        (_, _, true) => self.steps[2],
                        _ => 0,
                    };
                    value = value.wrapping_add(step);
                }
            }
        }
    }
}

impl Repeat {
    fn write(&self, list: &mut Vec<i32>) {
        assert_eq!(
            self.entry as usize,
            list.len(),
            "copies follow what is there"
        );
        for _ in 0..self.blocks {
            for _ in 0..self.block {
                let before = list[list.len() - self.block as usize];
                list.push(before.wrapping_add(self.step));
            }
        }
    }
}

impl Fill {
    /// Registers of the unit and their values, in the order in which they are written; the last
    /// write starts the expander. `pointer` is the entry at which the list begins.
    #[must_use]
    pub fn registers(&self, table: Table, pointer: u32) -> Vec<(u16, u32)> {
        let table = match table {
            Table::Bases => 1,
            Table::Offsets => 2,
        };
        let (entry, value, counts, steps, go) = match self {
            Fill::Nest(nest) => (nest.entry, nest.value, nest.counts, nest.steps, 0),
            Fill::Repeat(repeat) => {
                let counts = [repeat.block, repeat.blocks, 0];
                (repeat.entry, 0, counts, [repeat.step, 0, 0], 1)
            }
        };
        let [count0, count1, count2] = counts;
        let [step0, step1, step2] = steps.map(|step| step as u32);
        let values = [
            table,
            pointer + entry,
            value as u32,
            count0,
            step0,
            count1,
            step1,
            count2,
            step2,
        ];
        let registers = (EX_TABLE..).zip(values);
        registers.chain([(EX_GO, go)]).collect()
    }
}
