//! The index of a list.

/// When the index of a list is stepped (figure 11, step 1104).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Stepping {
    /// Behind the read.
    #[default]
    AfterRead,
    /// In front of it.
    BeforeRead,
}

/// Walks through a list of a table, one entry for each read.
#[derive(Debug, Clone, Copy)]
pub struct ListIndex {
    stepping: Stepping,
    first: u16,
    register: u16,
}

impl ListIndex {
    /// At the begin of the list whose first entry is `first`.
    pub fn new(stepping: Stepping, first: u16) -> Self {
        let mut index = Self {
            stepping,
            first,
            register: 0,
        };
        index.rewind();
        index
    }

    /// Back to the begin: at the first entry, or one below it.
    pub fn rewind(&mut self) {
        self.register = match self.stepping {
            Stepping::AfterRead => self.first,
            Stepping::BeforeRead => self.first.wrapping_sub(1),
        };
    }

    /// Reads: the entry.
    pub fn read(&mut self) -> u16 {
        let before = self.register;
        self.register = before.wrapping_add(1);
        match self.stepping {
            Stepping::AfterRead => before,
            Stepping::BeforeRead => self.register,
        }
    }

    /// What the index register holds.
    pub fn register(&self) -> u16 {
        self.register
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[proves("SGCR-13")]
    #[test]
    fn both_steppings_read_the_same_entries_with_other_registers() {
        for first in [0, 7, 0xfffe] {
            let [mut after, mut before] =
                [Stepping::AfterRead, Stepping::BeforeRead].map(|s| ListIndex::new(s, first));
            for _ in 0..2 {
                assert_eq!(before.register(), first.wrapping_sub(1));
                for place in 0..5 {
                    let entry = first.wrapping_add(place);
                    assert_eq!(after.register(), entry, "the entry that is read next");
                    assert_eq!([after.read(), before.read()], [entry; 2]);
                    assert_eq!(before.register(), entry, "the entry in use");
                }
                after.rewind();
                before.rewind();
            }
        }
    }
}
