//! What the register port asks of the engine, as a list of things to do.

/// What reaches the unit in a clock.
#[derive(Debug, Clone, Copy, Default)]
pub struct WindowInputs {
    /// Reset is not active.
    pub alive: bool,
    /// The engine is reset.
    pub clear: bool,
    /// Starts the program.
    pub start: bool,
    /// START_PC, and whether it changes.
    pub pc: (u16, bool),
    /// HOST_ZERO, and whether it changes.
    pub zero: (u8, bool),
    /// Reads a word.
    pub read: bool,
    /// Writes a word.
    pub write: bool,
    /// Where.
    pub addr: u32,
    /// Word to write.
    pub data: u64,
    /// A program runs.
    pub running: bool,
    /// The engine takes the request.
    pub ready: bool,
    /// The engine answers a read.
    pub answer: Option<u64>,
}

/// A request to the engine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Request {
    /// Write, else read.
    pub write: bool,
    /// Address on the host port.
    pub addr: u32,
    /// Low half of the word; the high half counts for accesses alone.
    pub data: u64,
    /// An access of the window port, nothing of its own.
    pub access: bool,
}

/// What the unit says in a clock.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct WindowOutputs {
    /// An access is under way.
    pub busy: bool,
    /// A start is under way.
    pub starting: bool,
    /// An access is taken.
    pub next: bool,
    /// Word of the last read.
    pub word: Option<u64>,
    /// The request.
    pub request: Option<Request>,
}

/// Things to do, most urgent first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Task {
    Read,
    Write,
    Zero,
    Pc,
    Start,
}

/// The unit, clock by clock.
#[derive(Debug, Clone, Default)]
pub struct WindowModel {
    tasks: Vec<Task>,
    request: Option<Request>,
    busy: bool,
    starting: bool,
    word: Option<u64>,
}

impl WindowModel {
    /// One clock cycle: the outputs of this cycle, then the clock edge.
    pub fn step(&mut self, inputs: &WindowInputs) -> WindowOutputs {
        let taken = self.request.filter(|_| inputs.ready);
        let outputs = WindowOutputs {
            busy: self.busy,
            starting: self.starting,
            next: taken.is_some_and(|request| request.access),
            word: self.word,
            request: self.request,
        };
        if !inputs.alive {
            *self = Self::default();
            return outputs;
        }
        let written = taken.is_some_and(|request| request.access && request.write);
        self.busy =
            (self.busy && !written && inputs.answer.is_none()) || inputs.read || inputs.write;
        self.starting = (self.starting && !inputs.running) || inputs.start;
        self.word = inputs.answer.or(self.word);
        if self.request.is_none() || taken.is_some() {
            self.tasks.sort();
            let task = (!self.tasks.is_empty()).then(|| self.tasks.remove(0));
            self.request = task.map(|task| request(task, inputs));
        }
        for (task, comes) in [
            (Task::Read, inputs.read),
            (Task::Write, inputs.write),
            (Task::Zero, inputs.zero.1),
            (Task::Pc, inputs.pc.1),
            (Task::Start, inputs.start),
        ] {
            if comes && !self.tasks.contains(&task) {
                self.tasks.push(task);
            }
        }
        if inputs.clear {
            *self = Self {
                tasks: vec![Task::Zero, Task::Pc],
                word: self.word,
                ..Self::default()
            };
        }
        outputs
    }
}

/// Registers 1, 2 and 4 of the host port are CTRL, START_PC and HOST_ZERO.
fn request(task: Task, inputs: &WindowInputs) -> Request {
    let own = |register: u32, data: u64| Request {
        write: true,
        addr: 8 * register,
        data,
        access: false,
    };
    match task {
        Task::Read | Task::Write => Request {
            write: task == Task::Write,
            addr: inputs.addr,
            data: inputs.data,
            access: true,
        },
        Task::Zero => own(4, inputs.zero.0.into()),
        Task::Pc => own(2, inputs.pc.0.into()),
        Task::Start => own(1, 1),
    }
}
