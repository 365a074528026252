//! The clocked sliced memory as seen at its ports.

use super::counts::{Accesses, Counts};
use super::layout::SliceLayout;
use super::word::Word;
use std::collections::VecDeque;

/// Inputs of one clock cycle.
#[derive(Debug, Clone, Copy, Default)]
pub struct SlicedInputs {
    /// Word written: (word address, data).
    pub write: Option<(u16, Word)>,
    /// Word address read.
    pub read: Option<u16>,
}

/// Outputs of one clock cycle.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct SlicedOutputs {
    /// The word of an earlier read, if one was requested in that cycle.
    pub rdata: Option<Word>,
    /// Its mask: bit k is 1 if unit k is not zero. 0 without a word.
    pub rmask: u64,
    /// Accesses made in this cycle.
    pub accesses: Accesses,
}

/// The memory. Requests act in their order, a write before a read of the same cycle; accesses and
/// words appear as many cycles later as the layout says.
#[derive(Debug, Clone)]
pub struct SlicedModel {
    layout: SliceLayout,
    words: Vec<Word>,
    /// Outputs of this cycle and the next ones.
    pending: VecDeque<SlicedOutputs>,
    counts: Counts,
}

impl SlicedModel {
    /// Words start at zero here; in the hardware they are undefined until written.
    pub fn new(layout: &SliceLayout) -> Self {
        let slices = 0..layout.slices();
        let last = slices.map(|slice| layout.slice_cycle(slice)).max();
        let cycles = layout.read_cycle().max(last.unwrap_or(0));
        Self {
            layout: layout.clone(),
            words: vec![Word::ZERO; layout.words],
            pending: vec![SlicedOutputs::default(); cycles + 1].into(),
            counts: Counts::default(),
        }
    }

    /// One clock cycle: returns the outputs of this cycle, then takes the clock edge.
    ///
    /// # Panics
    /// If the number of words is no power of two and an address lies outside the memory, or without a bypass the word
    /// that is written is read.
    pub fn step(&mut self, inputs: &SlicedInputs) -> SlicedOutputs {
        if let (false, Some((written, _)), Some(read)) =
            (self.layout.bypass, inputs.write, inputs.read)
        {
            let [written, read] = [written, read].map(|address| self.index(address));
            assert_ne!(written, read, "the word that is written is read");
        }
        if let Some((address, data)) = inputs.write {
            let mask = self.layout.turned(self.layout.mask_of(data));
            let pop = mask.count_ones() as usize;
            let index = self.index(address);
            self.words[index] = match pop <= self.layout.dropped() {
                true => Word::ZERO,
                false => data,
            };
            self.counts.add_word(&self.layout, pop);
            self.schedule(Accesses::of_write(&self.layout, mask));
        }
        // After the write: a read in the same cycle returns the new word.
        if let Some(address) = inputs.read {
            let word = self.words[self.index(address)];
            let mask = self.layout.mask_of(word);
            let pop = mask.count_ones() as usize;
            self.schedule(Accesses::of_read(&self.layout, pop));
            let answer = &mut self.pending[self.layout.read_cycle()];
            answer.rdata = Some(word);
            answer.rmask = mask;
        }
        self.pending.push_back(SlicedOutputs::default());
        let outputs = self
            .pending
            .pop_front()
            .expect("the line holds at least the cycle just added");
        self.counts.add(&outputs.accesses);
        outputs
    }

    /// Content of a word, for checks.
    pub fn word(&self, address: u16) -> Word {
        self.words[self.index(address)]
    }

    /// Totals of the outputs so far; words written are counted with their request.
    pub fn counts(&self) -> Counts {
        self.counts
    }

    /// Address bits above those of the number of words are ignored.
    fn index(&self, address: u16) -> usize {
        usize::from(address) & (self.layout.words.next_power_of_two() - 1)
    }

    /// Distributes the accesses of a request to their cycles.
    fn schedule(&mut self, request: Accesses) {
        let layout = &self.layout;
        let mask = &mut self.pending[layout.mask_cycle()].accesses;
        mask.mask_read |= request.mask_read;
        mask.mask_write |= request.mask_write;
        for slice in 0..layout.slices() {
            let only = 1 << slice;
            let data = &mut self.pending[layout.slice_cycle(slice)].accesses;
            data.slice_reads |= request.slice_reads & only;
            if request.writes(slice) {
                data.slice_writes |= only;
                data.lanes |= request.lanes & layout.positions(only);
            }
        }
    }
}
