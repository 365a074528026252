//! The clocked compute unit of kind `direct`.

use std::collections::VecDeque;
use std::ops::Range;

use super::reference::{Entry, Place, Tap, place};
use super::sums::{SumsInputs, SumsModel, Waits};
use super::weights::{Fill, WeightsModel};

/// The results that a unit keeps, and their places in the memory of sums.
#[derive(Debug, Clone)]
pub struct Window {
    /// Rows and columns of the kernel.
    pub kernel: (i32, i32),
    /// Rows of results.
    pub rows: Range<i32>,
    /// Columns of results.
    pub cols: Range<i32>,
    /// Where they have their words of sums.
    pub layout: Layout,
}

/// Where results have their words of sums.
#[derive(Debug, Clone, Copy)]
pub struct Layout {
    /// Words of a row, as a power of two.
    pub pitch: u32,
    /// Words of a group, as a power of two.
    pub area: u32,
    /// Words of the memory.
    pub words: usize,
}

impl Layout {
    /// The word of sums of a result.
    pub fn word(&self, (group, row, col): Place) -> usize {
        let row = (row as usize) << self.pitch;
        (((group % 16) << self.area) + row + col as usize) % self.words
    }
}

impl Window {
    /// Whether a result lies in it.
    pub fn contains(&self, (_, row, col): Place) -> bool {
        self.rows.contains(&row) && self.cols.contains(&col)
    }

    /// The word of sums of a result, `None` outside the window.
    pub fn word(&self, place: Place) -> Option<usize> {
        self.contains(place).then(|| self.layout.word(place))
    }
}

/// Inputs in one clock cycle.
#[derive(Debug, Clone, Default)]
pub struct UnitInputs {
    /// A value that is offered; its channel is the number of its list of weights.
    pub entry: Option<Entry>,
    /// Word that is drained.
    pub drain: Option<usize>,
    /// The drained word keeps its sums.
    pub keep: bool,
    /// Words of weights.
    pub fill: Fill,
}

/// Outputs in one clock cycle.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnitOutputs {
    /// The value is taken.
    pub ready: bool,
    /// A word of weights is multiplied.
    pub tap: bool,
    /// A word of products lies outside the window.
    pub drop: bool,
    /// Products wait.
    pub hold: bool,
    /// There are values, or products that are not taken by the sums.
    pub busy: bool,
    /// Sums of the word drained two cycles ago.
    pub drained: Option<Vec<i32>>,
}

/// A value with the words of weights that it has not met.
type Meeting = (Entry, VecDeque<Tap>);

/// A word of products on its way, and what becomes of it.
type Work = (Option<usize>, Vec<i32>);

/// Places between a word of weights and the sums.
const STAGES: usize = 5;

/// The unit.
#[derive(Debug, Clone)]
pub struct UnitModel {
    weights: WeightsModel,
    /// The results that it keeps; stays while it is busy.
    pub window: Window,
    sums: SumsModel,
    /// Values whose lists are looked up, the older one first.
    looked_up: [Option<Entry>; 2],
    meeting: Option<Meeting>,
    /// The oldest last.
    work: [Option<Work>; STAGES],
}

impl UnitModel {
    /// A unit with a memory of weights and words of `lanes` sums, all 0.
    pub fn new(weights: WeightsModel, window: Window, lanes: usize) -> Self {
        Self {
            weights,
            sums: SumsModel::new(window.layout.words, lanes),
            window,
            looked_up: [None; 2],
            meeting: None,
            work: Default::default(),
        }
    }

    /// What products have waited for.
    pub fn waits(&self) -> Waits {
        self.sums.waits
    }

    /// One clock cycle: returns the outputs of this cycle, then takes the clock edge.
    ///
    /// # Panics
    /// If a word of sums lies outside the memory, or if a drained one is on its way.
    pub fn step(&mut self, inputs: &UnitInputs) -> UnitOutputs {
        self.weights.fill(&inputs.fill);
        let products = self.work[STAGES - 1].clone();
        let products = products.map(|(word, products)| (word.expect("in the window"), products));
        let sums = self.sums.step(&SumsInputs {
            products,
            drain: inputs.drain,
            keep: inputs.keep,
        });
        let before = &self.work[STAGES - 2];
        let drop = !sums.hold && matches!(before, Some((None, _)));
        let has_tap = self.meeting.iter().any(|(_, taps)| !taps.is_empty());
        let busy = self.meeting.is_some()
            || self.looked_up.iter().any(Option::is_some)
            || self.work.iter().any(Option::is_some);

        let tap = has_tap && !sums.hold;
        if !sums.hold {
            let next = self.next_products();
            self.work.rotate_right(1);
            self.work[0] = next;
            // What lies outside the window goes no further.
            self.work[STAGES - 1].take_if(|(word, _)| word.is_none());
        }
        // A value that has met all its weights makes room for the next one.
        self.meeting.take_if(|(_, taps)| taps.is_empty());
        if self.meeting.is_none() {
            let next = self.looked_up[0].take();
            self.meeting = next.map(|entry| (entry, self.weights.list(entry.channel)));
        }
        if self.looked_up[0].is_none() {
            self.looked_up[0] = self.looked_up[1].take();
        }
        let ready = self.looked_up[1].is_none();
        if ready {
            self.looked_up[1] = inputs.entry;
        }
        UnitOutputs {
            ready,
            tap,
            drop,
            hold: sums.hold,
            busy,
            drained: sums.drained,
        }
    }

    /// The products of the next word of weights.
    fn next_products(&mut self) -> Option<Work> {
        let (entry, taps) = self.meeting.as_mut()?;
        let tap = taps.pop_front()?;
        let word = self.window.word(place(entry, &tap, self.window.kernel));
        let products = tap.weights.iter().map(|weight| entry.value * weight);
        Some((word, products.collect()))
    }
}
