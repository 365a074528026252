//! Fetches, checks and issues instructions, one step per clock cycle.

use heddle_arch::isa::{
    ErrorCode, Instruction, IsaError, OP_DRAIN, OP_HALT, OP_LOAD_WEIGHTS, OP_MATMUL,
};
use heddle_arch::params::Params;

use super::timing::Trap;

/// Cycles without progress after which a waiting sequencer gives up.
const STUCK_CYCLES: u32 = 4096;
/// Quiet cycles after HALT on top of rows and columns.
const QUIET_CYCLES: u32 = 32;

/// Which units are idle in this cycle.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Idle {
    pub weights: bool,
    pub stream: bool,
    pub drain: bool,
}

impl Idle {
    /// Whether an instruction with this header may go on.
    fn allows(self, header: u32) -> bool {
        let opcode = header & 0xff;
        let needs = |starter: u32, wait_bit: u32| {
            opcode == OP_HALT || opcode == starter || header >> wait_bit & 1 == 1
        };
        (self.weights || !needs(OP_LOAD_WEIGHTS, 16))
            && (self.stream || !needs(OP_MATMUL, 17))
            && (self.drain || !needs(OP_DRAIN, 18))
    }
}

/// What the sequencer did in a cycle.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Issue {
    /// Nothing that anyone else sees.
    Nothing,
    /// HEAD waited for a unit.
    Waited,
    /// START of the instruction at this program word.
    Start(Instruction, u32),
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
    /// So many words are still to come.
    Words(u32),
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
}

impl Sequencer {
    pub fn new(params: &Params, start_pc: u32) -> Self {
        Self {
            params: params.clone(),
            state: State::Fetch,
            pc: start_pc,
            stuck_cycles: 0,
        }
    }

    fn trap(&self, code: ErrorCode, message: impl Into<String>) -> Trap {
        Trap::Error {
            code,
            pc: self.pc,
            message: message.into(),
        }
    }

    /// One cycle; `progress` says that a unit accepts an address in it.
    pub fn cycle(&mut self, program: &[u32], idle: Idle, progress: bool) -> Result<Issue, Trap> {
        let Some(&header) = program.get(self.pc as usize) else {
            return Err(self.trap(ErrorCode::ProgramEnd, "no word left"));
        };
        let length = header >> 8 & 0xff;
        match self.state {
            State::Fetch => {
                self.stuck_cycles = 0;
                self.state = State::Head;
            }
            State::Head => {
                self.check_header(header)?;
                if self.stuck_cycles == STUCK_CYCLES - 1 {
                    return Err(self.trap(ErrorCode::Stuck, "no unit makes progress"));
                }
                self.stuck_cycles = if progress { 0 } else { self.stuck_cycles + 1 };
                if !idle.allows(header) {
                    return Ok(Issue::Waited);
                }
                if header & 0xff == OP_HALT {
                    let array = &self.params.array;
                    self.state = State::Quiet(array.rows + array.cols + QUIET_CYCLES);
                    return Ok(Issue::Halted);
                }
                self.state = State::Words(length - 1);
            }
            State::Words(left) => {
                if left == length - 1 {
                    self.decode(program)?;
                }
                self.state = match left {
                    1 => State::Start,
                    _ => State::Words(left - 1),
                };
            }
            State::Start => {
                let issue = Issue::Start(self.decode(program)?, self.pc);
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

    /// What is wrong with the header is known before the instruction waits for its unit.
    fn check_header(&self, header: u32) -> Result<(), Trap> {
        // A record has at least one row of two words.
        let least = match header & 0xff {
            OP_HALT => 1,
            OP_LOAD_WEIGHTS => 4,
            OP_MATMUL | OP_DRAIN => 5,
            opcode => {
                let message = format!("opcode is {opcode:#04x}");
                return Err(self.trap(ErrorCode::IllegalOpcode, message));
            }
        };
        let length = header >> 8 & 0xff;
        if header & 0xff == OP_HALT && length != 1 {
            let message = format!("length is {length}, expected 1");
            return Err(self.trap(ErrorCode::BadLength, message));
        }
        if length < least {
            let message = format!("length is {length}, expected {least} or more");
            return Err(self.trap(ErrorCode::BadLength, message));
        }
        if header >> 19 != 0 {
            let message = format!("header is {header:#010x}, bits 31 to 19 are reserved");
            return Err(self.trap(ErrorCode::BadField, message));
        }
        Ok(())
    }

    fn decode(&self, program: &[u32]) -> Result<Instruction, Trap> {
        let trap = |error: IsaError| self.trap(error.code, error.message);
        let (instruction, _) = Instruction::decode(&program[self.pc as usize..]).map_err(trap)?;
        instruction.check_machine(&self.params).map_err(trap)?;
        Ok(instruction)
    }
}
