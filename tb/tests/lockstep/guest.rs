//! A host that does not wait for the end of a run: register accesses, and a request to a memory that the
//! machine must hold off until it has finished.

use std::collections::VecDeque;

use heddle_arch::host::{
    CTRL_START, Counter, ID, Register, Status, buffer_address, program_address,
    program_pair_address, row_offset_address, row_offset_bits,
};
use heddle_arch::isa::ErrorCode;
use heddle_arch::params::{Params, ProgramMemory};
use heddle_sim::machine::{Counters, Machine as Golden, MachineError};
use heddle_tb::{Model, PortId};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::machines::pair::random_word;
use crate::rtl::Checked;

#[derive(Debug, Clone, Copy)]
enum Request {
    Id,
    Shape,
    Status,
    Cycles,
    Start,
    StartPc,
    ReadWord {
        partition: u32,
        word: u32,
    },
    WriteWord {
        partition: u32,
        word: u32,
        data: [u8; 8],
    },
    WriteProgram {
        word: u32,
        data: u32,
    },
    /// The same where the program lies in banks.
    WritePair {
        pair: u32,
        data: [u32; 2],
    },
    WriteOffset {
        row: u32,
        entry: u32,
        offset: u16,
    },
}

impl Request {
    fn random_register(rng: &mut ChaCha8Rng) -> Self {
        match rng.random_range(0..6) {
            0 => Request::Id,
            1 => Request::Shape,
            2 => Request::Status,
            3 => Request::Start,
            4 => Request::StartPc,
            _ => Request::Cycles,
        }
    }

    fn random_memory(rng: &mut ChaCha8Rng, params: &Params) -> Self {
        let partition = rng.random_range(0..params.array.rows);
        let word = rng.random_range(0..params.partition_words());
        match rng.random_range(0..4) {
            0 => Request::ReadWord { partition, word },
            1 => Request::WriteWord {
                partition,
                word,
                data: random_word(rng),
            },
            2 if params.program.memory == ProgramMemory::Banks => Request::WritePair {
                pair: rng.random_range(0..params.program.words / 2),
                data: rng.random(),
            },
            2 => Request::WriteProgram {
                word: rng.random_range(0..params.program.words),
                data: rng.random(),
            },
            _ => Request::WriteOffset {
                row: partition,
                entry: 0,
                offset: rng.random_range(0..8),
            },
        }
    }

    fn is_memory(self) -> bool {
        self.address() >> 30 != 0
    }

    fn address(self) -> u32 {
        match self {
            Request::Id => Register::Id.address(),
            Request::Shape => Register::Shape.address(),
            Request::Status => Register::Status.address(),
            Request::Cycles => Counter::Cycles.address(),
            Request::Start => Register::Ctrl.address(),
            Request::StartPc => Register::StartPc.address(),
            Request::ReadWord { partition, word }
            | Request::WriteWord {
                partition, word, ..
            } => buffer_address(partition, word),
            Request::WriteProgram { word, .. } => program_address(word),
            Request::WritePair { pair, .. } => program_pair_address(pair),
            Request::WriteOffset { row, entry, .. } => row_offset_address(row, entry),
        }
    }

    /// What it writes; none for a read.
    fn data(self) -> Option<u64> {
        match self {
            Request::Start => Some(CTRL_START),
            Request::StartPc => Some(1),
            Request::WriteWord { data, .. } => Some(u64::from_le_bytes(data)),
            Request::WriteProgram { data, .. } => Some(data.into()),
            Request::WritePair { data, .. } => Some(u64::from(data[1]) << 32 | u64::from(data[0])),
            Request::WriteOffset { offset, .. } => Some(row_offset_bits(Some(offset))),
            _ => None,
        }
    }
}

/// Pins of the host port.
#[derive(Debug, Clone, Copy)]
struct Pins {
    valid: PortId,
    ready: PortId,
    write: PortId,
    addr: PortId,
    wdata: PortId,
    rvalid: PortId,
    rdata: PortId,
}

/// What a guest has done, for coverage.
#[derive(Debug, Clone, Copy, Default)]
pub struct Visits {
    pub registers: u32,
    pub counted: u32,
    pub held_clocks: u64,
}

/// One guest during one run.
pub struct Guest {
    pins: Pins,
    rng: ChaCha8Rng,
    shape: u64,
    /// Register accesses are this frequent.
    rate: f64,
    /// Cycle in which the request to a memory comes.
    memory_at: Option<u64>,
    memory: Request,
    pending: Option<Request>,
    /// The machine has CYCLES; else it reads 0.
    counts: bool,
    /// Where CYCLES stands at the end, if that is known.
    cycles: Option<u64>,
    /// The error that is predicted.
    code: Option<ErrorCode>,
    /// The golden machine judges the run.
    judged: bool,
    /// Reads that were taken, with the cycle.
    reads: VecDeque<(Request, u64)>,
    /// Words to look up behind the run.
    answers: Vec<(u32, u32, u64)>,
    written: Option<Request>,
    pub visits: Visits,
}

impl Guest {
    /// A guest for one run, with its end as predicted.
    pub fn new(
        model: &Model,
        params: &Params,
        seed: u64,
        predicted: &Result<Counters, MachineError>,
    ) -> Self {
        let counters = predicted.as_ref().ok();
        let code = match predicted {
            Err(MachineError::Stopped { code, .. }) => Some(*code),
            _ => None,
        };
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let port = |name: &str| model.port(name).expect("the machine has a host port");
        let rate = [0.0, 0.02, 0.3][rng.random_range(0..3)];
        let memory_at = rng.random_bool(0.7).then(|| rng.random_range(0..400));
        Self {
            pins: Pins {
                valid: port("host_valid_i"),
                ready: port("host_ready_o"),
                write: port("host_write_i"),
                addr: port("host_addr_i"),
                wdata: port("host_wdata_i"),
                rvalid: port("host_rvalid_o"),
                rdata: port("host_rdata_o"),
            },
            shape: u64::from(params.array.cols) << 16 | u64::from(params.array.rows),
            rate,
            memory_at,
            memory: Request::random_memory(&mut rng, params),
            pending: None,
            counts: params.counters.has(Counter::Cycles),
            cycles: counters.map(|counters| counters.get(Counter::Cycles).into()),
            code,
            judged: !predicted.as_ref().is_err_and(MachineError::is_open),
            reads: VecDeque::new(),
            answers: Vec::new(),
            written: None,
            visits: Visits::default(),
            rng,
        }
    }

    /// Drives the port in a cycle and looks at its answers; the clock edge follows.
    pub fn act(&mut self, model: &mut Model, cycle: u64, running: bool) -> Checked {
        if self.pending.is_none() && running {
            if self.memory_at.is_some_and(|at| at <= cycle) {
                self.memory_at = None;
                self.pending = Some(self.memory);
            } else if self.rng.random_bool(self.rate) {
                self.pending = Some(Request::random_register(&mut self.rng));
            }
        }
        let request = self.pending;
        model.set(self.pins.valid, request.is_some().into());
        if let Some(request) = request {
            let data = request.data();
            model.set(self.pins.write, data.is_some().into());
            model.set(self.pins.addr, request.address().into());
            model.set(self.pins.wdata, data.unwrap_or_default());
        }
        model.eval();
        if model.get(self.pins.rvalid) == 1 {
            let data = model.get(self.pins.rdata);
            self.answer(data, running)?;
        }
        if let Some(request) = request {
            match model.get(self.pins.ready) == 1 {
                true => self.take(request, cycle, running)?,
                false if request.is_memory() => self.visits.held_clocks += 1,
                false => return Err(format!("cycle {cycle}: {request:?} is held off")),
            }
        }
        Ok(())
    }

    fn take(&mut self, request: Request, cycle: u64, running: bool) -> Checked {
        if request.is_memory() && running {
            return Err(format!("cycle {cycle}: {request:?} is taken during a run"));
        }
        self.pending = None;
        self.visits.registers += u32::from(!request.is_memory());
        match request.data() {
            None => self.reads.push_back((request, cycle)),
            Some(_) if request.is_memory() => self.written = Some(request),
            Some(_) => {}
        }
        Ok(())
    }

    fn answer(&mut self, data: u64, running: bool) -> Checked {
        let Some((request, cycle)) = self.reads.pop_front() else {
            return Err(format!("an answer {data:#x} to nothing"));
        };
        let expected = match request {
            Request::Id => ID.into(),
            Request::Shape => self.shape,
            Request::Status if running => {
                let status = Status::from_bits(data);
                // The waves run out behind an error, too.
                let code = status.error.then(|| status.error_code()).flatten();
                let known = !status.error || code == self.code;
                let fits = status.running && !status.done && (known || !self.judged);
                return match fits {
                    true => Ok(()),
                    false => Err(format!("cycle {cycle}: {status:?} during a run")),
                };
            }
            Request::Cycles if !self.counts => 0,
            Request::Cycles if running => self.counted(data, cycle),
            Request::ReadWord { partition, word } => {
                self.answers.push((partition, word, data));
                return Ok(());
            }
            _ => return Ok(()),
        };
        match data == expected {
            true => Ok(()),
            false => Err(format!(
                "cycle {cycle}: {request:?} is {data:#x}, expected {expected:#x}"
            )),
        }
    }

    /// CYCLES as it must be read in a cycle: it counts them, the last one is still on its way, and stands behind HALT or an
    /// error.
    fn counted(&mut self, data: u64, cycle: u64) -> u64 {
        self.visits.counted += 1;
        let cycle = cycle.saturating_sub(1);
        if data < cycle && self.cycles.is_none() {
            self.cycles = Some(data);
        }
        self.cycles.map_or(cycle, |cycles| cycles.min(cycle))
    }

    /// Whether every request was taken and answered.
    pub fn has_finished(&self) -> bool {
        self.pending.is_none() && self.reads.is_empty()
    }

    /// The port is left alone again: the golden machine gets what was written after the run, and says
    /// whether the words read are right.
    pub fn leave(self, model: &mut Model, golden: &mut Golden) -> Checked<Visits> {
        model.set(self.pins.valid, 0);
        for (partition, word, data) in self.answers {
            let expected = u64::from_le_bytes(golden.read_word(partition, word));
            if data != expected {
                return Err(format!(
                    "partition {partition}, word {word} is {data:#x} behind the run, golden machine has {expected:#x}"
                ));
            }
        }
        match self.written {
            Some(Request::WriteWord {
                partition,
                word,
                data,
            }) => {
                golden.write_word(partition, word, data);
            }
            Some(Request::WriteProgram { word, data }) => golden.write_program(word, &[data]),
            Some(Request::WritePair { pair, data }) => golden.write_program(2 * pair, &data),
            Some(Request::WriteOffset { row, entry, offset }) => {
                golden.write_row_offset(row, entry, Some(offset));
            }
            _ => {}
        }
        Ok(self.visits)
    }
}
