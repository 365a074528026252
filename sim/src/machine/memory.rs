//! State-buffer partitions with their operand readers, and the count of slice accesses and of zero
//! operands.

/// Slice accesses and zero operands of all partitions, in the order of the counters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Accesses {
    pub mask_reads: u32,
    pub mask_writes: u32,
    pub a_reads: u32,
    pub a_writes: u32,
    pub b_reads: u32,
    pub b_writes: u32,
    pub zero_operands: u32,
}

/// One partition: plain words, and the word that its operand reader keeps.
#[derive(Debug, Clone)]
struct Partition {
    words: Vec<[u8; 8]>,
    kept: Option<usize>,
}

/// All partitions of the state buffer.
#[derive(Debug, Clone)]
pub(crate) struct StateMemory {
    partitions: Vec<Partition>,
    first_slice: usize,
    pub accesses: Accesses,
}

impl StateMemory {
    /// `first_slice`: bytes of slice a.
    pub fn new(partitions: usize, words: usize, first_slice: usize) -> Self {
        let partition = Partition {
            words: vec![[0; 8]; words],
            kept: None,
        };
        Self {
            partitions: vec![partition; partitions],
            first_slice,
            accesses: Accesses::default(),
        }
    }

    /// A word without counting (host port).
    pub fn peek(&self, partition: usize, word: usize) -> [u8; 8] {
        self.partitions[partition].words[word]
    }

    /// Stores a word without counting (host port).
    pub fn poke(&mut self, partition: usize, word: usize, data: [u8; 8]) {
        let target = &mut self.partitions[partition];
        target.words[word] = data;
        if target.kept == Some(word) {
            target.kept = None;
        }
    }

    fn population(data: [u8; 8]) -> usize {
        data.iter().filter(|&&byte| byte != 0).count()
    }

    fn count_read(&mut self, data: [u8; 8]) {
        let population = Self::population(data);
        self.accesses.mask_reads = self.accesses.mask_reads.wrapping_add(1);
        if population > 0 {
            self.accesses.a_reads = self.accesses.a_reads.wrapping_add(1);
        }
        if population > self.first_slice {
            self.accesses.b_reads = self.accesses.b_reads.wrapping_add(1);
        }
    }

    /// Reads a weight word.
    pub fn read_weights(&mut self, partition: usize, word: usize) -> [u8; 8] {
        let data = self.peek(partition, word);
        self.count_read(data);
        data
    }

    /// Writes a result word.
    pub fn write_result(&mut self, partition: usize, word: usize, data: [u8; 8]) {
        self.poke(partition, word, data);
        let population = Self::population(data);
        self.accesses.mask_writes = self.accesses.mask_writes.wrapping_add(1);
        if population > 0 {
            self.accesses.a_writes = self.accesses.a_writes.wrapping_add(1);
        }
        if population > self.first_slice {
            self.accesses.b_writes = self.accesses.b_writes.wrapping_add(1);
        }
    }

    /// Reads an operand byte: the word is read only if the reader does not hold it, or must not
    /// use it (`fresh`). Also says whether the memory was read.
    pub fn read_operand(&mut self, partition: usize, address: usize, fresh: bool) -> (u8, bool) {
        let word = address / 8;
        let reads = fresh || self.partitions[partition].kept != Some(word);
        let data = self.peek(partition, word);
        if reads {
            self.count_read(data);
            self.partitions[partition].kept = Some(word);
        }
        let byte = data[address % 8];
        if byte == 0 {
            self.accesses.zero_operands = self.accesses.zero_operands.wrapping_add(1);
        }
        (byte, reads)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operand_reader_keeps_its_word() {
        let mut memory = StateMemory::new(1, 4, 4);
        memory.poke(0, 1, [1, 2, 3, 4, 5, 0, 0, 0]);
        memory.poke(0, 2, [9, 0, 0, 0, 0, 0, 0, 0]);
        assert_eq!(memory.read_operand(0, 8, true), (1, true));
        assert_eq!(memory.read_operand(0, 12, false), (5, false));
        assert_eq!(memory.read_operand(0, 16, false), (9, true));
        assert_eq!(memory.read_operand(0, 16, true), (9, true));
        memory.write_result(0, 2, [7; 8]);
        assert_eq!(memory.read_operand(0, 17, false), (7, true));
        assert_eq!(memory.read_operand(0, 15, false), (0, true));
        assert_eq!(memory.read_operand(0, 14, false), (0, false));
        let accesses = Accesses {
            mask_reads: 5,
            a_reads: 5,
            b_reads: 3,
            mask_writes: 1,
            a_writes: 1,
            b_writes: 1,
            zero_operands: 2,
        };
        assert_eq!(memory.accesses, accesses);
    }
}
