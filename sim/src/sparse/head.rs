//! The clocked head of the cluster.

use heddle_arch::isa::fields::Word;
use heddle_arch::isa::fields::sparse::{
    cut, cut_cols, cut_limits, cut_place, cut_rows, cut_size, drain, drain_bounds, drain_first,
    drain_group, drain_size, header, load, load_chunks, load_first, load_size, range, run, scale,
    set, share, weights, weights_lists,
};
use heddle_arch::isa::sparse::{
    OP_CUT, OP_DRAIN, OP_LOAD, OP_RUN, OP_SCALE, OP_SET, OP_WEIGHTS, SparseError,
};
use heddle_arch::params::Sparse;

use super::cut_engine::UnitWrite;

/// What a unit says of its runs.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct UnitStatus {
    /// It can take a run.
    pub ready: bool,
    /// It has released a set; changes.
    pub released: Vec<bool>,
    /// Halves of the weights that its runs name.
    pub half_busy: [bool; 2],
    /// Regions of the sums that they name.
    pub region_busy: [bool; 2],
    /// It has a run.
    pub running: bool,
    /// An entry is dropped.
    pub full: bool,
}

/// Inputs in one clock cycle.
#[derive(Debug, Clone, Default)]
pub struct HeadInputs {
    /// A word of a command.
    pub word: Option<u32>,
    /// Loads, weights, drains and cuts are busy.
    pub busy: [bool; 4],
    /// A cut writes a register.
    pub cut: Option<UnitWrite>,
    /// A chunk of a load begins.
    pub begins: bool,
    /// Its set and units.
    pub load: (usize, u64),
    /// The half of the weights that are filled.
    pub fill_half: bool,
    /// The sums of a region are drained.
    pub drains: [bool; 2],
    /// Parameters of output channels may be in use.
    pub scales: bool,
    /// All results have left.
    pub drained: bool,
    /// Units.
    pub units: Vec<UnitStatus>,
    /// Something happens, or a stream is waited for.
    pub progress: bool,
}

/// What the head gives to others in one clock cycle.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Given {
    /// A word for loads, weights, drains or cuts, and its place in the command.
    pub command: [Option<(usize, u32)>; 4],
    /// They start.
    pub start: [bool; 4],
    /// A parameter: tile, lane, number, value.
    pub scale: Option<(u32, u32, u32, u32)>,
    /// Units whose register is written, its number and value.
    pub write: Option<(u64, u32, u32)>,
    /// Units that are given a run, and word 1 of the command.
    pub run: Option<(u64, u32)>,
}

/// Outputs in one clock cycle.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct HeadOutputs {
    /// The word is taken.
    pub ready: bool,
    /// What others are given.
    pub given: Given,
    /// The set of a load is free in all its units.
    pub free: bool,
    /// Nothing is under way.
    pub idle: bool,
    /// What has stopped the cluster.
    pub error: Option<SparseError>,
    /// Words before the one that is looked at, or was wrong.
    pub words: u32,
}

/// Where a command is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Header,
    Body,
    Start,
    Stop,
}

/// What units said in the cycle before.
#[derive(Debug, Clone, Default)]
struct Said {
    half_busy: [bool; 2],
    region_busy: [bool; 2],
    running: bool,
    full: bool,
}

/// The head.
#[derive(Debug, Clone)]
pub struct HeadModel {
    params: Sparse,
    state: State,
    /// The word that is looked at.
    word: Option<u32>,
    /// Those of its command before it.
    command: Vec<u32>,
    /// A set is taken, by unit.
    sent: Vec<Vec<bool>>,
    said: Said,
    /// Cycles since a command was started.
    since_start: u32,
    /// Cycles until entries and their end have reached the last unit.
    tail: u32,
    stuck: u32,
    /// A word has passed in the cycle before, and whether it was wrong.
    passed: Option<bool>,
    next: Given,
    error: Option<SparseError>,
    words: u32,
}

impl HeadModel {
    /// The head of a cluster.
    pub fn new(params: Sparse) -> Self {
        let sets = vec![false; params.map_sets as usize];
        Self {
            sent: vec![sets; params.units as usize],
            params,
            state: State::Header,
            word: None,
            command: Vec::new(),
            said: Said::default(),
            since_start: 9,
            tail: 0,
            stuck: 0,
            passed: None,
            next: Given::default(),
            error: None,
            words: 0,
        }
    }

    /// What others are given in this cycle; it follows no input.
    pub fn given(&self) -> &Given {
        &self.next
    }

    /// Whether a set is free in all these units.
    pub fn free(&self, (set, of): (usize, u64), units: &[UnitStatus]) -> bool {
        !self.any(of, |unit| self.sent[unit][set] != units[unit].released[set])
    }

    /// One clock cycle: returns the outputs of this cycle, then takes the clock edge.
    pub fn step(&mut self, inputs: &HeadInputs) -> HeadOutputs {
        let runs = self.said.running || self.since_start < 3;
        let idle = self.state == State::Header
            && self.word.is_none()
            && inputs.busy[..2] == [false; 2]
            && self.tail == 0
            && inputs.drained
            && !inputs.busy[3]
            && !runs;
        let quiet = inputs.progress
            || idle
            || inputs.busy[3]
            || matches!(self.state, State::Body | State::Stop);
        let (load_set, load_units) = inputs.load;
        let free = self.free(inputs.load, &inputs.units);

        let passes = self.passes(inputs, runs);
        let failed = self.failed(inputs);
        let starts = failed.is_none() && self.state == State::Start && self.may_start(inputs);
        let opcode = self.opcode();
        let left = self.left();
        let wants = match self.state {
            State::Header => true,
            State::Body => left > usize::from(self.word.is_some()),
            _ => false,
        };
        let ready = wants && (self.word.is_none() || passes);
        let given = std::mem::take(&mut self.next);
        let outputs = HeadOutputs {
            ready,
            given,
            free,
            idle,
            error: self.error,
            words: self.words,
        };

        self.words += u32::from(self.passed == Some(false));
        self.stuck = if quiet { 0 } else { self.stuck + 1 };
        self.tail = self.tail.saturating_sub(1);
        if inputs.busy[0] {
            self.tail = self.params.units + 4;
        }
        self.since_start += 1;
        self.said = said(&inputs.units);
        if starts {
            self.since_start = 0;
            match opcode {
                OP_RUN => self.next.run = Some((self.units(2), self.command[1])),
                _ => self.next.start[engine(opcode).expect("it has an engine")] = true,
            }
            self.state = State::Header;
        }
        self.passed = None;
        if passes {
            self.pass(left);
        }
        if let Some((unit, register, value)) = inputs.cut {
            self.next.write = Some((1 << unit, register, value));
        }
        if ready {
            self.word = inputs.word;
        }
        if inputs.begins {
            for unit in (0..self.sent.len()).filter(|unit| load_units >> unit & 1 != 0) {
                self.sent[unit][load_set] ^= true;
            }
        }
        if let Some(error) = failed {
            self.error.get_or_insert(error);
            self.state = State::Stop;
            self.passed = None;
        }
        outputs
    }

    /// Opcode of the command under way.
    fn opcode(&self) -> u32 {
        let first = self.command.first().copied().or(self.word).unwrap_or(0);
        header::OPCODE.get(first)
    }

    /// Words of the command that have not passed.
    fn left(&self) -> usize {
        let first = self.command.first().copied().or(self.word).unwrap_or(0);
        (header::LENGTH.get(first) as usize).saturating_sub(self.command.len())
    }

    /// Units that a command names in these two words.
    fn units(&self, at: usize) -> u64 {
        u64::from(self.command[at]) | u64::from(self.command[at + 1]) << 32
    }

    fn any(&self, units: u64, found: impl Fn(usize) -> bool) -> bool {
        (0..self.sent.len()).any(|unit| units >> unit & 1 != 0 && found(unit))
    }

    /// Whether the word goes on.
    fn passes(&self, inputs: &HeadInputs, runs: bool) -> bool {
        let Some(word) = self.word else { return false };
        match self.state {
            State::Header => {
                let opcode = header::OPCODE.get(word);
                let is_busy = engine(opcode).is_some_and(|engine| inputs.busy[engine]);
                let waits_for_runs = header::WAIT_RUNS.is_set(word) && runs;
                let waits_for_scales = opcode == OP_SCALE && inputs.scales;
                !(is_busy || inputs.busy[3] || waits_for_runs || waits_for_scales)
            }
            State::Body if self.opcode() == OP_SET && self.command.len() > 1 => {
                // Beyond the registers the number goes on, modulo 16.
                let register = set::REGISTER.get(self.command[1]) + self.command.len() as u32 - 2;
                let region = usize::from(register & 2 != 0);
                match register & 6 {
                    0 => !inputs.busy[0] && self.tail == 0,
                    2 => inputs.drains == [false; 2],
                    _ => !self.said.region_busy[region] && !inputs.drains[region],
                }
            }
            State::Body => true,
            _ => false,
        }
    }

    /// Whether the command may start.
    fn may_start(&self, inputs: &HeadInputs) -> bool {
        let first = self.command[1];
        match self.opcode() {
            OP_WEIGHTS => {
                let half = weights_lists::HALF.is_set(self.command[2]);
                !self.said.half_busy[usize::from(half)]
            }
            OP_RUN => {
                let fills = inputs.busy[1] && inputs.fill_half == run::HALF.is_set(first);
                let drains = inputs.drains[usize::from(run::REGION.is_set(first))];
                !fills && !drains && !self.any(self.units(2), |unit| !inputs.units[unit].ready)
            }
            OP_CUT => {
                let region = usize::from(cut::REGION.is_set(first));
                let windows = self.said.region_busy[region] || inputs.drains[region];
                !inputs.busy[0] && self.tail == 0 && !windows && !inputs.scales
            }
            OP_DRAIN => !self.said.region_busy[usize::from(drain::REGION.is_set(first))],
            _ => true,
        }
    }

    /// What stops the cluster in this cycle.
    fn failed(&self, inputs: &HeadInputs) -> Option<SparseError> {
        if self.passed == Some(true) {
            return Some(SparseError::BadField);
        }
        if let (State::Header, Some(word)) = (self.state, self.word) {
            if let Some(error) = header_fault(&self.params, word) {
                return Some(error);
            }
        }
        let is_scale = self.opcode() == OP_SCALE && self.state == State::Body;
        if is_scale && self.word.is_some() && self.left() == 1 && self.command.len() % 3 != 1 {
            return Some(SparseError::BadLength);
        }
        if self.state == State::Start && self.opcode() == OP_RUN && !inputs.busy[0] {
            let set = run::SET.get(self.command[1]) as usize;
            let is_free = |unit: usize| self.sent[unit][set] == inputs.units[unit].released[set];
            if self.any(self.units(2), is_free) {
                return Some(SparseError::SparseOrder);
            }
        }
        if self.said.full {
            return Some(SparseError::MapFull);
        }
        (self.stuck == 4095).then_some(SparseError::Stuck)
    }

    /// The word goes on: to an engine, a unit, or the parameters.
    fn pass(&mut self, left: usize) {
        let word = self.word.take().expect("there is a word");
        if self.state == State::Header {
            self.command = vec![word];
            self.state = State::Body;
            self.passed = Some(false);
            return;
        }
        let (opcode, index) = (self.opcode(), self.command.len());
        self.passed = Some(is_bad(&self.params, &self.command, word));
        if let Some(engine) = engine(opcode) {
            self.next.command[engine] = Some((index, word));
        }
        if opcode == OP_SET && index > 1 {
            let first = self.command[1];
            let units = match set::ALL.is_set(first) {
                true => u64::MAX,
                false => 1 << set::UNIT.get(first),
            };
            let register = set::REGISTER.get(first) + index as u32 - 2;
            self.next.write = Some((units, register % 8, word));
        }
        if opcode == OP_SCALE && index > 1 {
            let (tile, lane) = channel(&self.params, self.command[1], (index as u32 - 2) / 3);
            self.next.scale = Some((tile % 256, lane, (index as u32 - 2) % 3, word));
        }
        self.command.push(word);
        if left == 1 {
            self.state = match opcode {
                OP_SET | OP_SCALE => State::Header,
                _ => State::Start,
            };
            if self.state == State::Header {
                self.command.clear();
            }
        }
    }
}

/// What carries a command out: loads 0, weights 1, drains 2, cuts 3.
fn engine(opcode: u32) -> Option<usize> {
    [OP_LOAD, OP_WEIGHTS, OP_DRAIN, OP_CUT]
        .iter()
        .position(|own| *own == opcode)
}

fn said(units: &[UnitStatus]) -> Said {
    let any = |what: &dyn Fn(&UnitStatus) -> bool| units.iter().any(what);
    Said {
        half_busy: [0, 1].map(|half| any(&|unit| unit.half_busy[half])),
        region_busy: [0, 1].map(|region| any(&|unit| unit.region_busy[region])),
        running: any(&|unit| unit.running),
        full: any(&|unit| unit.full),
    }
}

/// Tile and lane of the channel that comes so many behind the first one.
pub(super) fn channel(params: &Sparse, first: u32, behind: u32) -> (u32, u32) {
    let lane = scale::LANE.get(first) + behind;
    let tile = scale::TILE.get(first) + lane / params.channels;
    (tile, lane % params.channels)
}

/// What is wrong with a header.
pub(super) fn header_fault(params: &Sparse, word: u32) -> Option<SparseError> {
    let length = header::LENGTH.get(word);
    let is_right = match header::OPCODE.get(word) {
        OP_SET => (3..=10).contains(&length),
        OP_LOAD => length == 7,
        OP_WEIGHTS => length == 5,
        OP_RUN => length == 4,
        OP_DRAIN => length == 6,
        OP_CUT if params.census => length == 8,
        OP_SCALE if params.post => length >= 5,
        _ => return Some(SparseError::IllegalOpcode),
    };
    if !is_right {
        return Some(SparseError::BadLength);
    }
    has_more(word, header::WORD).then_some(SparseError::BadField)
}

/// Bits beside the fields.
fn has_more(word: u32, of: Word) -> bool {
    word & !of.used() != 0
}

/// Whether a word behind `before`, the words of its command up to it, is wrong.
pub(super) fn is_bad(params: &Sparse, before: &[u32], word: u32) -> bool {
    let index = before.len();
    let units = u64::MAX >> (64 - params.units);
    let mask = |at: usize| word & !((units >> (32 * (index - at))) as u32) != 0;
    match (header::OPCODE.get(before[0]), index) {
        (OP_SET, 1) => {
            let unit = set::UNIT.get(word);
            let limit = if set::ALL.is_set(word) {
                1
            } else {
                params.units
            };
            has_more(word, set::WORD) || unit >= limit
        }
        (OP_SET, _) => match set::REGISTER.get(before[1]) + index as u32 - 2 {
            0 | 1 | 4..=7 => has_more(word, range::WORD),
            2 => has_more(word, share::WORD),
            _ => true,
        },
        (OP_LOAD, 1) => {
            let lanes = load::LANES.get(word);
            has_more(word, load::WORD)
                || load::SET.get(word) >= params.map_sets
                || load::STRIDE.get(word) > 2
                || load::LIST.get(word) >= params.lists
                || !(1..=params.load_lanes.expect("lanes are given")).contains(&lanes)
        }
        (OP_LOAD, 2) => has_more(word, load_first::WORD),
        (OP_LOAD, 3) => {
            let limit = 256 << load::STRIDE.get(before[1]);
            let end = |first: u32, count: u32| count == 0 || first + count > limit;
            has_more(word, load_size::WORD)
                || end(load_first::ROW.get(before[2]), load_size::ROWS.get(word))
                || end(load_first::COL.get(before[2]), load_size::COLS.get(word))
        }
        (OP_LOAD, 4) => has_more(word, load_chunks::WORD),
        (OP_LOAD, _) => mask(5),
        (OP_WEIGHTS, 1) => {
            let (first, words) = (weights::FIRST.get(word), weights::WORDS.get(word));
            words == 0 || first + words > params.weight_words
        }
        (OP_WEIGHTS, 2) => {
            has_more(word, weights_lists::WORD) || weights_lists::LIST.get(word) >= params.lists
        }
        (OP_WEIGHTS, _) => mask(3),
        (OP_RUN, 1) => has_more(word, run::WORD) || run::SET.get(word) >= params.map_sets,
        (OP_RUN, _) => mask(2),
        (OP_DRAIN, 1) => {
            has_more(word, drain::WORD)
                || drain::COUNT.is_set(word) && !params.census
                || drain::GROUPS.get(word) == 0
                || drain::EACH.get(word) == 0
        }
        (OP_DRAIN, 2) => has_more(word, drain_first::WORD),
        (OP_DRAIN, 3) => {
            let end = |first: u32, count: u32| count == 0 || first + count > 512;
            has_more(word, drain_size::WORD)
                || end(drain_first::ROW.get(before[2]), drain_size::ROWS.get(word))
                || end(drain_first::COL.get(before[2]), drain_size::COLS.get(word))
        }
        (OP_DRAIN, 4) => {
            has_more(word, drain_group::WORD) || drain_group::TILE.get(word) >= params.tiles
        }
        (OP_DRAIN, _) => has_more(word, drain_bounds::WORD),
        (OP_CUT, 1) => has_more(word, cut::WORD),
        (OP_CUT, 2) => has_more(word, cut_limits::WORD),
        (OP_CUT, 3) => {
            let is_bad = |size: u32| !(1..=256).contains(&size);
            has_more(word, cut_size::WORD)
                || is_bad(cut_size::ROWS.get(word))
                || is_bad(cut_size::COLS.get(word))
        }
        (OP_CUT, 4) => has_more(word, cut_place::WORD) || cut_place::STRIDE.get(word) > 2,
        (OP_CUT, 5) => has_more(word, cut_rows::WORD),
        (OP_CUT, 6) => has_more(word, cut_cols::WORD),
        (OP_CUT, _) => false,
        (_, 1) => {
            has_more(word, scale::WORD)
                || scale::TILE.get(word) >= params.tiles
                || scale::LANE.get(word) >= params.channels
        }
        (_, index) => {
            let behind = index as u32 - 2;
            let bits = [u32::MAX, u32::MAX >> 1, 63][behind as usize % 3];
            word & !bits != 0 || channel(params, before[1], behind / 3).0 >= params.tiles
        }
    }
}
