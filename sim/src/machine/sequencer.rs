//! Fetches, checks and issues instructions, one step per clock cycle.

use heddle_arch::Clocks;
use heddle_arch::isa::{
    ErrorCode, Instruction, OP_COPY, OP_DRAIN, OP_HALT, OP_LOAD, OP_LOAD_WEIGHTS, OP_MATMUL,
    OP_STORE, OP_SYNC, is_sparse,
};
use heddle_arch::params::Params;

use super::check::{Fault, WordCheck, check_header, check_move, moves};
use super::prefetch::Prefetch;
use super::timing::Trap;

/// Cycles without progress after which a waiting sequencer gives up.
const STUCK_CYCLES: u32 = 4096;
/// Cycles from a word that is wrong, or not there, to the one in which it stops the program.
const FAULT_CYCLES: u32 = 2;

/// Which units are idle in this cycle.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Idle {
    pub weights: bool,
    pub stream: bool,
    pub drain: bool,
    /// Not whether it is idle: the weight unit's instruction is a copy.
    pub copies: bool,
    /// The sparse cluster; idle if there is none.
    pub cluster: bool,
    /// Not whether it is idle: it has room for a command.
    pub takes_command: bool,
    /// Loads and stores of the program that are open.
    pub open: [usize; 2],
    /// There is room for one more of each.
    pub takes_move: [bool; 2],
}

/// What an instruction waits for: weight, stream and drain unit, the cluster, room for a command of it, loads, stores.
pub(crate) type Missing = [bool; 7];

impl Idle {
    /// What an instruction with this header waits for.
    fn missing(self, header: u32) -> Missing {
        let opcode = header & 0xff;
        let named = |wait_bit: u32| opcode == OP_HALT || header >> wait_bit & 1 == 1;
        let starts_weights = matches!(opcode, OP_LOAD_WEIGHTS | OP_COPY);
        // A copy and a drain both write.
        let meets_copy = opcode == OP_DRAIN && self.copies;
        let meets_drain = matches!(opcode, OP_DRAIN | OP_COPY);
        [
            !self.weights && (named(16) || starts_weights || meets_copy),
            !self.stream && (named(17) || opcode == OP_MATMUL),
            !self.drain && (named(18) || meets_drain),
            !self.cluster && opcode == OP_HALT,
            !self.takes_command && is_sparse(opcode),
            self.meets_moves(header, 0),
            self.meets_moves(header, 1),
        ]
    }

    /// Too many loads or stores are open for this header, or there is no room for its own.
    fn meets_moves(self, header: u32, kind: usize) -> bool {
        let opcode = header & 0xff;
        let most = most_open(header)[kind];
        let is_own = opcode == [OP_LOAD, OP_STORE][kind];
        most.is_some_and(|most| self.open[kind] > most) || (is_own && !self.takes_move[kind])
    }
}

/// Loads and stores that an instruction with this header lets be open.
pub(crate) fn most_open(header: u32) -> [Option<usize>; 2] {
    [19, 24].map(|flag| match header >> flag & 1 {
        _ if header & 0xff == OP_HALT => Some(0),
        0 => None,
        _ => Some((header >> (flag + 1) & 0xf) as usize),
    })
}

/// What the sequencer did in a cycle.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Issue {
    /// Nothing that anyone else sees.
    Nothing,
    /// ISSUE waited for these, in the order of [`Idle::missing`].
    Waited(Missing),
    /// ISSUE has let the instruction with this header pass; it stands at this program word.
    Begin(u32, u32),
    /// START of an instruction.
    Start(Instruction),
    /// SYNC has found its units idle.
    Synchronised,
    /// HALT has found all units idle.
    Halted,
    /// The waves run out after HALT.
    Quiet,
    /// The last quiet cycle.
    Done,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    /// The first word of the program comes.
    Prime,
    Fetch,
    Issue,
    /// So many words are still to come; the check of the next one.
    Words(u32, WordCheck),
    Start,
    /// So many quiet cycles are still to come.
    Quiet(u64),
}

/// The sequencer between two clock edges.
#[derive(Debug, Clone)]
pub(crate) struct Sequencer {
    params: Params,
    state: State,
    pc: u32,
    stuck_cycles: u32,
    /// The word that is read next.
    ahead: u32,
    /// What stops the program, and in how many cycles.
    found: Option<(u32, Trap)>,
    /// None for a program memory of its own, which has each word at once.
    prefetch: Option<Prefetch>,
    /// Word of a command that the sparse cluster is given in this cycle.
    given: Option<u32>,
}

/// Bits of a header that the sequencer keeps to itself.
const WAITS: u32 = 0x1fff_0000;

impl Sequencer {
    pub fn new(params: &Params, start_pc: u32) -> Self {
        Self {
            params: params.clone(),
            state: State::Prime,
            pc: start_pc,
            stuck_cycles: 0,
            ahead: start_pc,
            found: None,
            prefetch: Prefetch::of(params, start_pc),
            given: None,
        }
    }

    /// Program word of the instruction under way.
    pub fn pc(&self) -> u32 {
        self.pc
    }

    /// Word of a command that the sparse cluster is given in this cycle.
    pub fn given(&self) -> Option<u32> {
        self.given
    }

    /// The next word of the program is read in this cycle, one ahead of the word that is needed.
    fn read(&mut self, program: &[u32]) {
        let is_there = (self.ahead as usize) < program.len();
        if let Some(prefetch) = self.prefetch.as_mut().filter(|_| is_there) {
            prefetch.read(self.ahead);
        }
        self.ahead += 1;
    }

    fn trap(&self, (code, message): Fault) -> Trap {
        let pc = self.pc;
        Trap::Error { code, pc, message }
    }

    fn program_end(&self) -> Trap {
        self.trap((ErrorCode::ProgramEnd, "no word left".to_string()))
    }

    /// One cycle; `progress` says that a unit accepted an address in the one before.
    pub fn cycle(&mut self, program: &[u32], idle: Idle, progress: bool) -> Result<Issue, Trap> {
        self.given = None;
        if let Some(prefetch) = &mut self.prefetch {
            prefetch.cycle();
        }
        match self.found.take() {
            Some((1, fault)) => return Err(fault),
            Some((left, fault)) => {
                self.found = Some((left - 1, fault));
                return Ok(Issue::Nothing);
            }
            None => {}
        }
        let start = self.pc as usize;
        if self.state == State::Prime {
            self.prime(program);
            return Ok(Issue::Nothing);
        }
        let Some(&header) = program.get(start) else {
            self.found = Some((1, self.program_end()));
            return Ok(Issue::Nothing);
        };
        let length = header >> 8 & 0xff;
        match self.state {
            State::Prime => unreachable!("is left above"),
            State::Fetch => {
                self.stuck_cycles = 0;
                self.state = State::Issue;
            }
            State::Issue => return self.may_issue(program, idle, progress),
            State::Words(left, mut check) => {
                let at = start + (length - left) as usize;
                let word = program[at];
                if left > 1 {
                    self.comes(program, at + 1);
                }
                if is_sparse(header & 0xff) {
                    self.given = Some(word);
                } else if moves(header & 0xff) {
                    if left == 1 {
                        let words = &program[start..=at];
                        if let Err(fault) = check_move(words) {
                            self.found = Some((FAULT_CYCLES, self.trap(fault)));
                            return Ok(Issue::Nothing);
                        }
                    }
                } else if let Err(fault) = check.next(word, left == 1, &self.params) {
                    self.found = Some((FAULT_CYCLES, self.trap(fault)));
                    return Ok(Issue::Nothing);
                }
                self.state = match left {
                    1 => State::Start,
                    _ => State::Words(left - 1, check),
                };
            }
            State::Start => {
                self.read(program);
                let (instruction, _) =
                    Instruction::decode(&program[start..]).expect("all words were checked");
                let issue = Issue::Start(instruction);
                self.pc += length;
                self.state = State::Fetch;
                return Ok(issue);
            }
            State::Quiet(1) => return Ok(Issue::Done),
            State::Quiet(left) => {
                self.state = State::Quiet(left - 1);
                return Ok(Issue::Quiet);
            }
        }
        Ok(Issue::Nothing)
    }

    /// The first word is there in the cycle after the one in which it was read.
    fn prime(&mut self, program: &[u32]) {
        let is_read = self.ahead > self.pc;
        match &self.prefetch {
            Some(prefetch)
                if !is_read && !prefetch.is_ready() && (self.pc as usize) < program.len() =>
            {
                return;
            }
            Some(_) if !is_read => {}
            None => {
                // In the cycle of the start.
                self.read(program);
                self.state = State::Fetch;
            }
            Some(_) => self.state = State::Fetch,
        }
        self.read(program);
    }

    /// The word at this place comes next; there may be none.
    fn comes(&mut self, program: &[u32], at: usize) {
        self.read(program);
        if at >= program.len() {
            self.found = Some((FAULT_CYCLES, self.program_end()));
        }
    }

    fn may_issue(&mut self, program: &[u32], idle: Idle, progress: bool) -> Result<Issue, Trap> {
        let header = program[self.pc as usize];
        check_header(header, &self.params).map_err(|fault| self.trap(fault))?;
        let missing = idle.missing(header);
        let halts = header & 0xff == OP_HALT;
        let synchronises = header & 0xff == OP_SYNC;
        if self.stuck_cycles == STUCK_CYCLES - 1 {
            let message = "no unit makes progress".to_string();
            return Err(self.trap((ErrorCode::Stuck, message)));
        }
        // The time-out of the bus bounds what waits for loads and stores.
        let moved = missing[5] || missing[6];
        self.stuck_cycles = if progress || moved {
            0
        } else {
            self.stuck_cycles + 1
        };
        if missing.contains(&true) {
            return Ok(Issue::Waited(missing));
        }
        if halts {
            self.state = State::Quiet(Clocks::of(&self.params).quiet);
            return Ok(Issue::Halted);
        }
        if synchronises {
            self.read(program);
            self.pc += 1;
            self.state = State::Fetch;
            return Ok(Issue::Synchronised);
        }
        if is_sparse(header & 0xff) {
            self.given = Some(header & !WAITS);
        }
        self.comes(program, self.pc as usize + 1);
        self.state = State::Words((header >> 8 & 0xff) - 1, WordCheck::new(header));
        Ok(Issue::Begin(header, self.pc))
    }
}
