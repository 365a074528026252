//! State-buffer partitions with their operand readers, and the count of slice accesses and of zero
//! operands.

use heddle_arch::word::{WORD_BYTES, WordBytes};

use crate::sliced::SliceLayout;
use crate::sliced::layout::SLICES_MAX;

const WORD: usize = WORD_BYTES as usize;

/// Slice accesses and zero operands of all partitions; 32 bits each, they wrap.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Accesses {
    pub mask_reads: u32,
    pub mask_writes: u32,
    pub slice_reads: [u32; SLICES_MAX],
    pub slice_writes: [u32; SLICES_MAX],
    pub zero_operands: u32,
}

/// Where a row finds its operand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum OwnAddress {
    /// At this byte.
    At(usize),
    /// Nowhere: the entry is not valid.
    None,
    /// The sum lies beyond the memory.
    Beyond,
}

/// One partition: plain words, and the word that its operand reader keeps.
#[derive(Debug, Clone)]
struct Partition {
    words: Vec<WordBytes>,
    /// Words that the program has read or written.
    used: Vec<bool>,
    kept: Option<usize>,
    /// Offset table: none for an entry that is not valid.
    offsets: Vec<Option<u16>>,
}

/// All partitions of the state buffer.
#[derive(Debug, Clone)]
pub(crate) struct StateMemory {
    partitions: Vec<Partition>,
    /// Words of a partition that operands may lie in.
    operand_words: usize,
    layout: SliceLayout,
    /// Data slices read and written, by number of non-zero units.
    needed: [Vec<u8>; 2],
    pub accesses: Accesses,
}

impl StateMemory {
    /// Partitions of so many 8-byte words, of which operands may lie in the first ones, and so many `offsets`; `layout` is that of a bank.
    pub fn new(
        partitions: usize,
        [words, operand_words]: [usize; 2],
        offsets: usize,
        layout: SliceLayout,
    ) -> Self {
        let partition = Partition {
            words: vec![WordBytes::default(); words],
            used: vec![false; words],
            kept: None,
            offsets: vec![None; offsets],
        };
        let pops = 0..=layout.units;
        let needed =
            [false, true].map(|write| pops.clone().map(|pop| layout.needed(pop, write)).collect());
        Self {
            partitions: vec![partition; partitions],
            operand_words,
            needed,
            layout,
            accesses: Accesses::default(),
        }
    }

    /// A word without counting (host port).
    pub fn peek(&self, partition: usize, word: usize) -> WordBytes {
        self.partitions[partition].words[word]
    }

    /// Forgets what a program before has done.
    pub fn start(&mut self) {
        self.accesses = Accesses::default();
        for partition in &mut self.partitions {
            partition.used.fill(false);
        }
    }

    /// Whether the program has read or written a word.
    pub fn is_used(&self, partition: usize, word: usize) -> bool {
        self.partitions[partition].used[word]
    }

    /// Stores a word without counting (host port).
    pub fn poke(&mut self, partition: usize, word: usize, data: WordBytes) {
        let target = &mut self.partitions[partition];
        target.words[word] = data;
        if target.kept == Some(word) {
            target.kept = None;
        }
    }

    /// Stores an entry of a partition's offset table.
    pub fn set_offset(&mut self, partition: usize, entry: usize, offset: Option<u16>) {
        self.partitions[partition].offsets[entry] = offset;
    }

    /// The address of a partition for an address that all share, by an entry of its table.
    pub fn own_address(
        &self,
        partition: usize,
        address: usize,
        entry: Option<usize>,
    ) -> OwnAddress {
        let partition = &self.partitions[partition];
        let offset = match entry {
            Some(entry) => partition.offsets[entry],
            None => Some(0),
        };
        match offset.map(|offset| address + usize::from(offset)) {
            Some(sum) if sum < WORD * self.operand_words => OwnAddress::At(sum),
            Some(_) => OwnAddress::Beyond,
            None => OwnAddress::None,
        }
    }

    fn population(&self, data: WordBytes) -> usize {
        let mask = self.layout.mask_of(u64::from_le_bytes(data).into());
        mask.count_ones() as usize
    }

    fn count_read(&mut self, data: WordBytes) {
        let slices = self.needed[0][self.population(data)];
        count(self.layout.mask_bits() > 0, &mut self.accesses.mask_reads);
        count_slices(slices, &mut self.accesses.slice_reads);
    }

    fn count_write(&mut self, data: WordBytes) {
        let slices = self.needed[1][self.population(data)];
        count(self.layout.mask_bits() > 0, &mut self.accesses.mask_writes);
        count_slices(slices, &mut self.accesses.slice_writes);
    }

    /// Reads a weight word, or one to be copied.
    pub fn read_weights(&mut self, partition: usize, word: usize) -> WordBytes {
        let data = self.peek(partition, word);
        self.partitions[partition].used[word] = true;
        self.count_read(data);
        data
    }

    /// Writes a result word, or the copy of a word.
    pub fn write_result(&mut self, partition: usize, word: usize, data: WordBytes) {
        self.poke(partition, word, data);
        self.partitions[partition].used[word] = true;
        self.count_write(data);
    }

    /// Reads an operand byte: the word is read only if the reader does not hold it, or must not
    /// use it (`fresh`). Also says whether the memory was read.
    pub fn read_operand(&mut self, partition: usize, address: usize, fresh: bool) -> (u8, bool) {
        let word = address / WORD;
        let reads = fresh || self.partitions[partition].kept != Some(word);
        let data = self.peek(partition, word);
        self.partitions[partition].used[word] = true;
        if reads {
            self.count_read(data);
            self.partitions[partition].kept = Some(word);
        }
        let byte = data[address % WORD];
        if byte == 0 {
            self.accesses.zero_operands = self.accesses.zero_operands.wrapping_add(1);
        }
        (byte, reads)
    }
}

fn count(happens: bool, counter: &mut u32) {
    *counter = counter.wrapping_add(happens.into());
}

fn count_slices(slices: u8, counters: &mut [u32; SLICES_MAX]) {
    for (slice, counter) in counters.iter_mut().enumerate() {
        count(slices >> slice & 1 == 1, counter);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sliced::MaskPlace;

    /// A partition of four words.
    fn memory(layout: SliceLayout) -> StateMemory {
        StateMemory::new(1, [4; 2], 2, layout)
    }

    fn first(counts: &[u32]) -> [u32; SLICES_MAX] {
        let mut all = [0; SLICES_MAX];
        all[..counts.len()].copy_from_slice(counts);
        all
    }

    #[test]
    fn operand_reader_keeps_its_word() {
        let mut memory = memory(SliceLayout::new(4, [4, 4]));
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
            mask_writes: 1,
            slice_reads: first(&[5, 3]),
            slice_writes: first(&[1, 1]),
            zero_operands: 2,
        };
        assert_eq!(memory.accesses, accesses);
    }

    #[test]
    fn offsets_of_a_partition_are_its_own() {
        let layout = SliceLayout::new(4, [4, 4]);
        let mut memory = StateMemory::new(2, [4; 2], 2, layout);
        memory.set_offset(0, 1, Some(7));
        memory.set_offset(1, 1, Some(0xffff));
        assert_eq!(memory.own_address(0, 24, None), OwnAddress::At(24));
        assert_eq!(memory.own_address(0, 24, Some(1)), OwnAddress::At(31));
        assert_eq!(memory.own_address(0, 25, Some(1)), OwnAddress::Beyond);
        assert_eq!(memory.own_address(1, 0, Some(1)), OwnAddress::Beyond);
        assert_eq!(memory.own_address(1, 0, Some(0)), OwnAddress::None);
    }

    /// Writes and reads words with 0, 1, 3, 4 and 8 bytes.
    fn check_accesses(layout: SliceLayout, mask: u32, slices: &[u32]) {
        let mut memory = memory(layout);
        for bytes in [0, 1, 3, 4, 8] {
            let data = std::array::from_fn(|k| u8::from(k >= 8 - bytes));
            memory.write_result(0, 0, data);
            assert_eq!(memory.read_weights(0, 0), data);
        }
        let accesses = Accesses {
            mask_reads: mask,
            mask_writes: mask,
            slice_reads: first(slices),
            slice_writes: first(slices),
            zero_operands: 0,
        };
        assert_eq!(memory.accesses, accesses);
    }

    #[test]
    fn accesses_follow_the_layout() {
        let even = SliceLayout::new(4, [4, 4]);
        check_accesses(even.clone(), 5, &[4, 1]);
        check_accesses(SliceLayout::new(4, [1; 8]), 5, &[4, 3, 3, 2, 1, 1, 1, 1]);
        check_accesses(even.clone().with_mask(MaskPlace::Field), 0, &[5, 1]);
        check_accesses(even.clone().with_mask(MaskPlace::Hybrid), 0, &[5, 2]);
        let plain = SliceLayout {
            plain: true,
            ..even
        };
        check_accesses(plain, 0, &[5]);
        // One, three and four bytes at the end lie in one, two and two pairs.
        let pairs = SliceLayout {
            unit_bits: 16,
            ..SliceLayout::new(4, [1, 1, 2])
        };
        check_accesses(pairs, 5, &[4, 3, 1]);
    }
}
