//! The clocked sums of a unit.

use crate::delay::DelayLine;

/// Cycles in which a word is on its way after it was read.
const BUSY: usize = 3;

/// Inputs in one clock cycle.
#[derive(Debug, Clone, Default)]
pub struct SumsInputs {
    /// Word to which products are added, and the products.
    pub products: Option<(usize, Vec<i32>)>,
    /// Word that is drained.
    pub drain: Option<usize>,
    /// The drained word keeps its sums.
    pub keep: bool,
}

/// Outputs in one clock cycle.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SumsOutputs {
    /// The products are not taken.
    pub hold: bool,
    /// Sums of the word drained two cycles ago.
    pub drained: Option<Vec<i32>>,
}

/// In how many cycles products have waited, and for what.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Waits {
    /// Their word was read one, two or three cycles before.
    pub words: [u32; BUSY],
    /// A word is drained.
    pub drains: u32,
}

/// The sums of a unit. Words act one after another, which is what holding must achieve.
#[derive(Debug, Clone)]
pub struct SumsModel {
    words: Vec<Vec<i32>>,
    on_their_way: [Option<usize>; BUSY],
    drained: DelayLine<Option<Vec<i32>>>,
    /// What products have waited for.
    pub waits: Waits,
}

impl SumsModel {
    /// `depth` words of `lanes` sums, all 0; in the hardware they are undefined until written.
    pub fn new(depth: usize, lanes: usize) -> Self {
        Self {
            words: vec![vec![0; lanes]; depth],
            on_their_way: [None; BUSY],
            drained: DelayLine::new(2),
            waits: Waits::default(),
        }
    }

    /// One clock cycle: returns the outputs of this cycle, then takes the clock edge.
    ///
    /// # Panics
    /// If a word lies outside the memory, or if a drained one is on its way.
    pub fn step(&mut self, inputs: &SumsInputs) -> SumsOutputs {
        let is_busy = |word: &usize| self.on_their_way.contains(&Some(*word));
        assert!(!inputs.drain.iter().any(is_busy), "a drain waits for sums");
        let meets = inputs.products.iter().any(|(word, _)| is_busy(word));
        let hold = inputs.products.is_some() && (inputs.drain.is_some() || meets);
        if hold {
            self.count(inputs);
        }

        let drained = inputs.drain.map(|word| self.words[word].clone());
        let taken = inputs.products.as_ref().filter(|_| !hold);
        if let Some((word, products)) = taken {
            for (sum, product) in self.words[*word].iter_mut().zip(products) {
                *sum = sum.wrapping_add(*product);
            }
        }
        if let Some(word) = inputs.drain.filter(|_| !inputs.keep) {
            self.words[word].fill(0);
        }
        self.on_their_way.rotate_right(1);
        self.on_their_way[0] = inputs.drain.or(taken.map(|(word, _)| *word));
        SumsOutputs {
            hold,
            drained: self.drained.shift(drained),
        }
    }

    /// Counts a cycle in which products wait.
    fn count(&mut self, inputs: &SumsInputs) {
        let word = inputs.products.as_ref().map(|(word, _)| *word);
        let meets = self.on_their_way.iter().position(|busy| *busy == word);
        self.waits.drains += u32::from(inputs.drain.is_some());
        if let Some(distance) = meets {
            self.waits.words[distance] += 1;
        }
    }
}
