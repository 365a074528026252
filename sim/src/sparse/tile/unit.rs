//! The clocked unit that works tile by tile.

use std::collections::VecDeque;

use heddle_arch::params::TileKind;

use super::results::{ResultModel, Sum, TileResults};
use super::scatter::{ScatterInputs, ScatterModel, TileBeat, TileSettings, TileSizes};

/// Words from row to row of a register bank: a word names row and column.
const BANK_PITCH: usize = 256;

/// What is asked of a unit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TileCommand {
    /// Products are added to the sums of a tile, whose first one lies in this word.
    Tile(usize),
    /// A rectangle becomes 0: its first word, rows and columns.
    Clear(usize, usize, usize),
    /// A rectangle is sent.
    Send(usize, usize, usize),
    /// All sums of a register bank move to a side by so many steps.
    Shift(TileSide, usize),
}

/// A side of a register bank.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TileSide {
    /// Columns grow.
    Right,
    /// Columns fall.
    Left,
    /// Rows grow.
    Down,
    /// Rows fall.
    Up,
}

/// What a unit does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TileState {
    /// It waits for a command.
    Idle,
    /// Words become 0.
    Clear,
    /// Words leave.
    Send,
    /// The sums of a tile are loaded.
    Load,
    /// It waits for values and weights.
    Data,
    /// Rounds are made.
    Round,
    /// The last products find their sums.
    Drain,
    /// The sums of a tile are stored.
    Store,
    /// All sums move.
    Shift,
}

/// Inputs in one clock cycle.
#[derive(Debug, Clone)]
pub struct TileInputs {
    /// A command is offered.
    pub command: Option<TileCommand>,
    /// Words from row to row.
    pub pitch: usize,
    /// How products are formed.
    pub settings: TileSettings,
    /// What sums become when they leave.
    pub results: TileResults,
    /// Values are offered.
    pub values: Option<TileBeat>,
    /// Weights are offered.
    pub weights: Option<TileBeat>,
    /// A sum is taken.
    pub sum_ready: bool,
}

/// Outputs in one clock cycle.
#[derive(Debug, Clone)]
pub struct TileOutputs {
    /// A command would be taken.
    pub command_ready: bool,
    /// Values would be taken.
    pub value_ready: bool,
    /// Weights would be taken.
    pub weight_ready: bool,
    /// A sum or a result is offered.
    pub sum: Option<Sum>,
    /// What is done.
    pub state: TileState,
    /// Products that wait.
    pub queued: usize,
}

/// A unit with its memory.
#[derive(Debug, Clone)]
pub struct TileModel {
    sizes: TileSizes,
    scatter: ScatterModel,
    /// The memory, or the register bank row by row.
    memory: Vec<i32>,
    bank: bool,
    shift: TileSide,
    state: TileState,
    first: usize,
    /// Words of the rectangle that are left.
    words: VecDeque<usize>,
    /// Words that were read one and two cycles ago to be loaded, and those that are to be sent, with the mark of the last one.
    loads: [Option<i32>; 2],
    shown: Option<(Sum, bool)>,
    sent: Option<(Sum, bool)>,
    results: ResultModel,
    done: Option<Sum>,
    sum: Option<Sum>,
}

impl TileModel {
    /// A unit whose memory is 0; in the hardware words are undefined until written.
    pub fn new(sizes: TileSizes) -> Self {
        let bank = sizes.kind == TileKind::Window;
        Self {
            sizes,
            scatter: ScatterModel::new(sizes),
            memory: vec![
                0;
                if bank {
                    sizes.bank.0 * sizes.bank.1
                } else {
                    sizes.words
                }
            ],
            bank,
            shift: TileSide::Right,
            state: TileState::Idle,
            first: 0,
            words: VecDeque::new(),
            loads: [None; 2],
            shown: None,
            sent: None,
            results: ResultModel::default(),
            done: None,
            sum: None,
        }
    }

    /// One clock cycle: returns the outputs of this cycle, then takes the clock edge.
    pub fn step(&mut self, inputs: &TileInputs) -> TileOutputs {
        let state = self.state;
        let scatter = self.scatter.step(&ScatterInputs {
            settings: inputs.settings,
            values: inputs.values.clone(),
            weights: inputs.weights.clone(),
            go: matches!(state, TileState::Data | TileState::Round),
            shift: self.loads[1].or((state == TileState::Store).then_some(0)),
        });
        let outputs = TileOutputs {
            command_ready: state == TileState::Idle,
            value_ready: scatter.value_ready,
            weight_ready: scatter.weight_ready,
            sum: self.sum,
            state,
            queued: scatter.queue.len(),
        };
        let out = self.done.is_some() || self.sum.is_some();
        let sent = self.shown.is_some() || self.sent.is_some();
        let idle_out = self.words.is_empty() && !sent && !out;
        self.next(inputs, (scatter.take, scatter.ends, scatter.tile_ends));
        self.loads = [None, self.loads[0]];
        let results = &inputs.results;
        let leaves = self.sum.is_none() || inputs.sum_ready;
        let goes = self.done.is_none() || leaves;
        let moves = self.sent.is_none() || goes;
        if leaves {
            let done = self.done.take();
            self.sum = done.filter(|sum| sum.0 != 0 || !results.nonzero);
        }
        if goes {
            let sent = self.sent.take();
            self.done = sent.and_then(|(sum, last)| self.results.take(results, sum, last));
        }
        if moves {
            self.sent = self.shown.take();
        }
        match state {
            TileState::Clear => self.write(0),
            TileState::Store => self.write(scatter.sums[0]),
            TileState::Shift => self.shift(),
            TileState::Load => self.loads[0] = self.read().map(|sum| sum.0),
            TileState::Send if idle_out => self.state = TileState::Idle,
            TileState::Send if moves => {
                let last = self.words.len() == 1;
                self.shown = self.read().map(|sum| (sum, last));
            }
            TileState::Drain if !scatter.busy => {
                self.words = self.rectangle(self.first, (self.side(), self.side()), inputs.pitch);
                self.state = TileState::Store;
            }
            _ => (),
        }
        outputs
    }

    /// What follows from commands and channels.
    fn next(&mut self, inputs: &TileInputs, (take, ends, tile_ends): (bool, bool, bool)) {
        match (self.state, inputs.command) {
            (TileState::Idle, Some(command)) => {
                let (state, first, size) = match command {
                    TileCommand::Tile(first) => {
                        (TileState::Load, first, (self.side(), self.side()))
                    }
                    TileCommand::Clear(first, rows, cols) => {
                        (TileState::Clear, first, (rows, cols))
                    }
                    TileCommand::Send(first, rows, cols) => (TileState::Send, first, (rows, cols)),
                    TileCommand::Shift(side, steps) => {
                        self.shift = side;
                        (TileState::Shift, 0, (1, steps))
                    }
                };
                self.words = self.rectangle(first, size, inputs.pitch);
                self.first = first;
                self.state = state;
            }
            (TileState::Data, _) if take => self.state = TileState::Round,
            (TileState::Round, _) if tile_ends => self.state = TileState::Drain,
            (TileState::Round, _) if ends && !take => self.state = TileState::Data,
            _ => (),
        }
    }

    fn side(&self) -> usize {
        self.sizes.side()
    }

    fn rectangle(
        &self,
        first: usize,
        (rows, cols): (usize, usize),
        pitch: usize,
    ) -> VecDeque<usize> {
        let pitch = if self.bank { BANK_PITCH } else { pitch };
        let words = (0..rows).flat_map(|row| (0..cols).map(move |col| first + row * pitch + col));
        words.collect()
    }

    /// Where a word lies; a memory is a ring, and a bank has rows and columns, beyond which there is nothing.
    fn place(&self, word: usize) -> Option<usize> {
        let (rows, cols) = self.sizes.bank;
        if !self.bank {
            return Some(word % self.memory.len());
        }
        let (row, col) = (word / BANK_PITCH, word % BANK_PITCH);
        (row < rows && col < cols).then_some(row * cols + col)
    }

    /// The next word; with the last one the state ends, but words that leave are still on their way.
    fn word(&mut self) -> Option<usize> {
        let word = self.words.pop_front();
        if self.words.is_empty() {
            self.state = match self.state {
                TileState::Load => TileState::Data,
                TileState::Send => TileState::Send,
                _ => TileState::Idle,
            };
        }
        word
    }

    fn read(&mut self) -> Option<Sum> {
        let word = self.word()?;
        let sum = self.place(word).map_or(0, |place| self.memory[place]);
        Some((sum, word))
    }

    fn write(&mut self, sum: i32) {
        let word = self.word().expect("a rectangle has words");
        if let Some(place) = self.place(word) {
            self.memory[place] = sum;
        }
    }

    /// One step: what leaves on one side comes back on the other.
    fn shift(&mut self) {
        self.word();
        let cols = self.sizes.bank.1;
        match self.shift {
            TileSide::Down => self.memory.rotate_right(cols),
            TileSide::Up => self.memory.rotate_left(cols),
            side => self.memory.chunks_mut(cols).for_each(|row| match side {
                TileSide::Right => row.rotate_right(1),
                _ => row.rotate_left(1),
            }),
        }
    }
}
