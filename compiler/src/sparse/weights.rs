//! The words of the weights of a unit.

use heddle_arch::word::{BYTE_BITS, WORD_BYTES};

use super::axis::Span;
use super::layer::Values;
use super::plan::{Pass, Plan, Stream};

/// A word: its place in the kernel of its phase, its group, and a weight for each output channel of the group.
#[derive(Debug, Clone)]
struct Word {
    index: u16,
    weights: Vec<i8>,
}

/// Bit of the index of the last word of a list.
const LAST: u16 = 1 << 15;

impl Plan {
    /// The stream of the words that a share of the output channels has for some chunks of a stream in a pass, and their number.
    pub(super) fn record(
        &self,
        values: &Values,
        pass: &Pass,
        share: u32,
        channels: &Span,
    ) -> (u32, Vec<u64>) {
        let mut lists =
            vec![Vec::new(); self.list(channels.len() as u32 - 1, self.phases() - 1) + 1];
        for (at, channel) in (0..).zip(channels.clone()) {
            for phase in 0..self.phases() {
                lists[self.list(at, phase)] = self.words(values, pass, share, (channel, phase));
            }
        }
        let mut words = Vec::new();
        for list in &mut lists {
            if list.is_empty() {
                list.push(self.empty());
            }
            if let Some(last) = list.last_mut() {
                last.index |= LAST;
            }
            words.append(list);
        }
        (words.len() as u32, stream(&words))
    }

    fn phases(&self) -> u32 {
        self.shape.phases()
    }

    /// List of a phase of the channel that comes so many behind the first one.
    fn list(&self, channel: u32, phase: u32) -> usize {
        let lanes = self.section.load_lanes.unwrap_or(self.lanes);
        let (chunk, lane) = (channel / self.lanes, channel % self.lanes);
        (chunk * self.portions.step + phase * lanes + lane) as usize
    }

    /// What an empty list has.
    fn empty(&self) -> Word {
        Word {
            index: 0,
            weights: vec![0; self.section.channels as usize],
        }
    }

    /// The words of a list; those without a weight are left out.
    fn words(
        &self,
        values: &Values,
        pass: &Pass,
        share: u32,
        (channel, phase): (u32, u32),
    ) -> Vec<Word> {
        let phases = [phase / self.shape.stride, phase % self.shape.stride];
        let [rows, cols] = [0, 1].map(|side| self.shape.axis(side).places_of(phases[side]));
        let cols: Vec<u32> = cols.collect();
        let places: Vec<[u32; 2]> = rows
            .flat_map(|row| cols.iter().map(move |col| [row, *col]))
            .collect();
        let first = pass.groups.start;
        let mut words = Vec::new();
        for group in self.groups(pass, share) {
            let number = (pass.number + group - first) % 16;
            for place in &places {
                let [row, col] = place.map(|place| place >> self.shape.stride_log2());
                let weights = self.weights(values, group, *place, channel);
                if weights.iter().any(|weight| *weight != 0) {
                    words.push(Word {
                        index: (row | col << 4 | number << 8) as u16,
                        weights,
                    });
                }
            }
        }
        words
    }

    /// The weights of a group.
    fn weights(&self, values: &Values, group: u32, place: [u32; 2], channel: u32) -> Vec<i8> {
        let first = group * self.section.channels;
        let outputs = first..first + self.section.channels;
        let weight = |output: u32| {
            let is_own = !self.shape.depthwise || output == channel;
            match is_own && output < self.shape.outputs {
                true => values.weights[self.shape.weight_index(output, place, channel)],
                false => 0,
            }
        };
        outputs.map(weight).collect()
    }

    /// The channels of some chunks of a stream.
    pub(super) fn channels(&self, stream: &Stream, chunks: &Span) -> Span {
        let Span { start, end } = stream.channels;
        let at = |chunk: u32| (start + chunk * self.lanes).min(end);
        at(chunks.start)..at(chunks.end)
    }
}

/// Words in blocks of four: their indices, then their weights.
fn stream(words: &[Word]) -> Vec<u64> {
    let mut stream = Vec::new();
    for block in words.chunks(4) {
        let indices = block.iter().rev();
        stream.push(indices.fold(0, |indices, word| indices << 16 | u64::from(word.index)));
        for word in block {
            for weights in word.weights.chunks(WORD_BYTES as usize) {
                let weights = weights.iter().rev();
                stream.push(weights.fold(0, |word, weight| {
                    word << BYTE_BITS | u64::from(*weight as u8)
                }));
            }
        }
    }
    stream
}
