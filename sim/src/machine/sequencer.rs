//! Fetches, checks and issues instructions, one step per clock cycle.

use heddle_arch::isa::{
    ErrorCode, Instruction, OP_COPY, OP_DRAIN, OP_HALT, OP_LOAD_WEIGHTS, OP_MATMUL, OP_SYNC,
};
use heddle_arch::params::Params;

use super::check::{Fault, WordCheck, check_header};
use super::prefetch::Prefetch;
use super::timing::Trap;

/// Cycles without progress after which a waiting sequencer gives up.
const STUCK_CYCLES: u32 = 4096;
/// Quiet cycles after HALT on top of rows, columns and what options of post-processing add.
const QUIET_CYCLES: u32 = 36;

/// Which units are idle in this cycle.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Idle {
    pub weights: bool,
    pub stream: bool,
    pub drain: bool,
    /// Not whether it is idle: the weight unit's instruction is a copy.
    pub copies: bool,
}

impl Idle {
    /// Whether an instruction with this header may go on.
    fn allows(self, header: u32) -> bool {
        let opcode = header & 0xff;
        let named = |wait_bit: u32| opcode == OP_HALT || header >> wait_bit & 1 == 1;
        let starts_weights = matches!(opcode, OP_LOAD_WEIGHTS | OP_COPY);
        // A copy and a drain both write.
        let meets_copy = opcode == OP_DRAIN && self.copies;
        let meets_drain = matches!(opcode, OP_DRAIN | OP_COPY);
        (self.weights || !(named(16) || starts_weights || meets_copy))
            && (self.stream || !(named(17) || opcode == OP_MATMUL))
            && (self.drain || !(named(18) || meets_drain))
    }
}

/// What the sequencer did in a cycle.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Issue {
    /// Nothing that anyone else sees.
    Nothing,
    /// HEAD waited for a unit.
    Waited,
    /// HEAD has let the instruction with this header pass; it stands at this program word.
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
    Fetch,
    Head,
    /// So many words are still to come; the check of the next one.
    Words(u32, WordCheck),
    Start,
    /// So many quiet cycles are still to come.
    Quiet(u32),
}

/// The sequencer between two clock edges.
#[derive(Debug, Clone)]
pub(crate) struct Sequencer {
    params: Params,
    state: State,
    pc: u32,
    stuck_cycles: u32,
    /// None for a program memory of its own, which has each word at once.
    prefetch: Option<Prefetch>,
}

impl Sequencer {
    pub fn new(params: &Params, start_pc: u32) -> Self {
        Self {
            params: params.clone(),
            state: State::Fetch,
            pc: start_pc,
            stuck_cycles: 0,
            prefetch: Prefetch::of(params, start_pc),
        }
    }

    /// A word of the program is read in this cycle.
    fn read(&mut self, word: u32) {
        if let Some(prefetch) = &mut self.prefetch {
            prefetch.read(word);
        }
    }

    fn trap(&self, (code, message): Fault) -> Trap {
        let pc = self.pc;
        Trap::Error { code, pc, message }
    }

    fn program_end(&self) -> Trap {
        self.trap((ErrorCode::ProgramEnd, "no word left".to_string()))
    }

    /// One cycle; `progress` says that a unit accepts an address in it.
    pub fn cycle(&mut self, program: &[u32], idle: Idle, progress: bool) -> Result<Issue, Trap> {
        if let Some(prefetch) = &mut self.prefetch {
            prefetch.cycle();
        }
        let start = self.pc as usize;
        let Some(&header) = program.get(start) else {
            return Err(self.program_end());
        };
        let length = header >> 8 & 0xff;
        match self.state {
            State::Fetch if self.prefetch.as_ref().is_some_and(|p| !p.is_ready()) => {}
            State::Fetch => {
                self.read(self.pc);
                self.stuck_cycles = 0;
                self.state = State::Head;
            }
            State::Head => return self.head(program, idle, progress),
            State::Words(left, mut check) => {
                let at = start + (length - left) as usize;
                let word = program[at];
                check
                    .next(word, left == 1, &self.params)
                    .map_err(|fault| self.trap(fault))?;
                // The word after this one is being read.
                if left > 1 && at + 1 >= program.len() {
                    return Err(self.program_end());
                }
                if left > 1 {
                    self.read(at as u32 + 1);
                }
                self.state = match left {
                    1 => State::Start,
                    _ => State::Words(left - 1, check),
                };
            }
            State::Start => {
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

    fn head(&mut self, program: &[u32], idle: Idle, progress: bool) -> Result<Issue, Trap> {
        let header = program[self.pc as usize];
        check_header(header).map_err(|fault| self.trap(fault))?;
        let passes = idle.allows(header);
        let halts = header & 0xff == OP_HALT;
        let synchronises = header & 0xff == OP_SYNC;
        if passes && !halts && !synchronises && self.pc as usize + 1 >= program.len() {
            return Err(self.program_end());
        }
        if self.stuck_cycles == STUCK_CYCLES - 1 {
            let message = "no unit makes progress".to_string();
            return Err(self.trap((ErrorCode::Stuck, message)));
        }
        self.stuck_cycles = if progress { 0 } else { self.stuck_cycles + 1 };
        if !passes {
            return Ok(Issue::Waited);
        }
        if halts {
            let (array, post) = (&self.params.array, &self.params.post);
            let quiet = array.rows + array.cols + QUIET_CYCLES + post.extra_cycles();
            self.state = State::Quiet(quiet);
            return Ok(Issue::Halted);
        }
        if synchronises {
            self.pc += 1;
            self.state = State::Fetch;
            return Ok(Issue::Synchronised);
        }
        self.read(self.pc + 1);
        self.state = State::Words((header >> 8 & 0xff) - 1, WordCheck::new(header));
        Ok(Issue::Begin(header, self.pc))
    }
}
