//! The words of the map, and those of the results.

use heddle_arch::word::{BYTE_BITS, WORD_BYTES};

use super::error::{PlanError, check};
use super::maps::Maps;
use super::plan::Plan;
use super::program::Program;

impl Program {
    /// The words of the map stream, of an image: input bytes by row, column and channel.
    ///
    /// # Errors
    /// The input has another number of bytes.
    pub fn map_words(&self, input: &[u8]) -> Result<Vec<u64>, PlanError> {
        let shape = &self.plan.shape;
        self.words_of(&Maps::of_image(shape.input, shape.inputs, input)?)
    }

    /// The words of the map stream, of the map of each channel.
    ///
    /// # Errors
    /// The maps have another size, or there is another number of them.
    pub fn words_of(&self, maps: &Maps) -> Result<Vec<u64>, PlanError> {
        let shape = &self.plan.shape;
        let is = |expected: u32| expected.into()..=expected.into();
        check("rows of the maps", maps.size[0], is(shape.input[0]))?;
        check("columns of the maps", maps.size[1], is(shape.input[1]))?;
        check("number of maps", maps.maps.len() as i64, is(shape.inputs))?;
        let mut words = Vec::new();
        for part in &self.maps {
            for first in part.channels.clone().step_by(part.lanes as usize) {
                let end = (first + part.lanes).min(part.channels.end);
                let own = &maps.maps[first as usize..end as usize];
                for row in part.rows.clone() {
                    for col in part.cols.clone() {
                        let position = row as usize * shape.input[1] as usize + col as usize;
                        self.plan
                            .push_slot(own.iter().map(|map| map[position]), &mut words);
                    }
                }
            }
        }
        Ok(words)
    }

    /// The output bytes by row, column and channel, of the words of results.
    ///
    /// # Errors
    /// There is another number of words.
    pub fn outputs(&self, words: &[u64]) -> Result<Vec<u8>, PlanError> {
        let bytes = |words: &[u64]| words.iter().flat_map(|word| word.to_le_bytes()).collect();
        self.place(words, bytes)
    }

    /// The sums by row, column and channel, of the words of a cluster that does not scale them.
    ///
    /// # Errors
    /// There is another number of words.
    pub fn sums(&self, words: &[u64]) -> Result<Vec<i32>, PlanError> {
        let halves = |words: &[u64]| {
            let halves = words
                .iter()
                .flat_map(|word| [*word as i32, (*word >> 32) as i32]);
            halves.collect()
        };
        self.place(words, halves)
    }

    /// Puts what the words of each position have where it belongs.
    fn place<T: Copy + Default>(
        &self,
        words: &[u64],
        values: impl Fn(&[u64]) -> Vec<T>,
    ) -> Result<Vec<T>, PlanError> {
        let plan = &self.plan;
        let size = plan.result_words();
        let results = self.results.iter();
        let positions = results.map(|part| part.groups.len() * part.rows.len() * part.cols.len());
        let expected = (positions.sum::<usize>() * size) as i64;
        check(
            "number of result words",
            words.len() as i64,
            expected..=expected,
        )?;
        let mut words = words.chunks(size);
        let [_, cols] = plan.shape.output.map(|side| side as usize);
        let outputs = plan.shape.outputs as usize;
        let mut placed = vec![T::default(); plan.shape.output[0] as usize * cols * outputs];
        for part in &self.results {
            for group in part.groups.clone() {
                let lanes = plan.section.channels as usize;
                let first = group as usize * lanes;
                for row in part.rows.clone() {
                    for col in part.cols.clone() {
                        let values = words.next().map(&values).unwrap_or_default();
                        let at = (row as usize * cols + col as usize) * outputs;
                        let own = placed[at..at + outputs].iter_mut().skip(first);
                        own.zip(values)
                            .take(lanes)
                            .for_each(|(place, value)| *place = value);
                    }
                }
            }
        }
        Ok(placed)
    }
}

impl Plan {
    /// A slot of the map: a byte for each lane, in whole words.
    fn push_slot(&self, bytes: impl Iterator<Item = u8>, words: &mut Vec<u64>) {
        let lanes = self.section.load_lanes.unwrap_or(self.lanes) as usize;
        let mut slot = vec![0; lanes.next_multiple_of(WORD_BYTES as usize)];
        slot.iter_mut()
            .zip(bytes)
            .for_each(|(lane, byte)| *lane = byte);
        for word in slot.chunks(WORD_BYTES as usize) {
            let word = word.iter().rev();
            words.push(word.fold(0, |word, byte| word << BYTE_BITS | u64::from(*byte)));
        }
    }

    /// Words of a position of results.
    fn result_words(&self) -> usize {
        let lanes = self.section.channels as usize;
        match self.section.post {
            true => lanes.div_ceil(WORD_BYTES as usize),
            false => lanes.div_ceil(2),
        }
    }
}
