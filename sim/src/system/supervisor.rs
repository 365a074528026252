//! What concerns engine, job list and DMA alike, as `docs/registers.md` and `docs/dma.md` say it: the first error, the queue, RESET, events.

/// A write of CTRL.
#[derive(Debug, Clone, Copy, Default)]
pub struct CtrlWord {
    /// The queue is to be on.
    pub queue: bool,
    /// Windows are to be locked.
    pub lock: bool,
    /// RESET.
    pub reset: bool,
}

/// What ERROR, ERROR_PC and ERROR_ADDR say.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Cause {
    /// Number of the error.
    pub code: u8,
    /// Where it came from.
    pub source: u8,
    /// Response of the bus.
    pub response: u8,
    /// The command is one of a program.
    pub program: bool,
    /// Word address of the instruction.
    pub pc: u16,
    /// Ring index of the entry.
    pub index: u16,
    /// Byte address of the burst.
    pub address: u64,
}

/// What reaches the supervisor in a clock.
#[derive(Debug, Clone, Copy, Default)]
pub struct SupervisorInputs {
    /// Reset is not active.
    pub alive: bool,
    /// CTRL is written.
    pub ctrl: Option<CtrlWord>,
    /// A RESET is under way.
    pub resetting: bool,
    /// A START.
    pub start: bool,
    /// A program runs.
    pub running: bool,
    /// The last one has ended with HALT.
    pub ended: bool,
    /// Code, source, instruction of an error of the engine.
    pub engine_error: Option<(u8, u8, u16)>,
    /// An entry starts a program.
    pub run: bool,
    /// Ring index of the last entry that did.
    pub run_index: u16,
    /// The program has run longer than its entry allows.
    pub late: bool,
    /// A fence was passed.
    pub fence: bool,
    /// It asks for an interrupt.
    pub interrupt: bool,
    /// Ring index of an entry with a fault.
    pub entry_error: Option<u16>,
    /// All entries were taken.
    pub taken: bool,
    /// Error of the DMA.
    pub fault: Option<Cause>,
    /// The bus owes nothing.
    pub idle: bool,
    /// A channel has waited too long.
    pub expired: bool,
    /// A command is open.
    pub open: bool,
    /// The sparse cluster does not take a word.
    pub held: bool,
}

/// What the supervisor says in a clock.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct SupervisorOutputs {
    /// The queue is on.
    pub queue: bool,
    /// Windows are locked.
    pub lock: bool,
    /// The first error.
    pub error: Option<Cause>,
    /// The bus owes answers behind a time-out.
    pub hung: bool,
    /// Nothing new begins.
    pub stop: bool,
    /// The DMA forgets its error.
    pub clear: bool,
    /// RESET need not wait.
    pub settled: bool,
    /// STATUS says that a program runs.
    pub running: bool,
    /// The program is one of START.
    pub own: bool,
    /// The event DONE.
    pub done: bool,
    /// STATUS says that the queue is empty.
    pub empty: bool,
    /// The event QUEUE_EMPTY.
    pub emptied: bool,
    /// Q_SEQ.
    pub fences: u32,
}

const TIMEOUT: u8 = 12;
/// Clocks for which the cluster may take no word.
const PATIENCE: u32 = 4096;

/// The supervisor, clock by clock.
#[derive(Debug, Clone, Default)]
pub struct SupervisorModel {
    queue: bool,
    lock: bool,
    error: Option<Cause>,
    hung: bool,
    own: bool,
    fences: u32,
    /// The program had ended in the clock before.
    ended: bool,
    /// Something was to be done in the clock before.
    works: bool,
    held_clocks: u32,
}

impl SupervisorModel {
    /// One clock cycle: the outputs of this cycle, then the clock edge.
    pub fn step(&mut self, inputs: &SupervisorInputs) -> SupervisorOutputs {
        let stop = self.error.is_some() || inputs.resetting || self.hung;
        let empty = inputs.taken && !inputs.open;
        let owes = !inputs.idle && !self.hung;
        let outputs = SupervisorOutputs {
            queue: self.queue,
            lock: self.lock,
            error: self.error,
            hung: self.hung,
            stop,
            clear: inputs.idle && (inputs.resetting || self.hung),
            settled: !owes,
            running: inputs.running || (self.error.is_some() && owes),
            own: self.own,
            done: inputs.interrupt || (self.own && inputs.ended && !self.ended),
            empty,
            emptied: empty && self.works && !stop,
            fences: self.fences,
        };
        match inputs.alive {
            true => self.edge(inputs, &outputs),
            false => *self = Self::default(),
        }
        outputs
    }

    fn edge(&mut self, inputs: &SupervisorInputs, outputs: &SupervisorOutputs) {
        let first = self.cause(inputs).filter(|_| !outputs.stop);
        let timed_out = match outputs.stop {
            true => inputs.expired,
            false => inputs.fault.is_some_and(|fault| fault.code == TIMEOUT),
        };
        self.hung = (self.hung || timed_out) && !inputs.idle;
        self.error = self.error.or(first).filter(|_| !inputs.resetting);
        let ctrl = inputs.ctrl.unwrap_or(CtrlWord {
            queue: self.queue,
            ..CtrlWord::default()
        });
        self.queue = ctrl.queue && !ctrl.reset && !inputs.resetting && self.error.is_none();
        self.lock |= ctrl.lock;
        self.own = !inputs.run && (self.own || inputs.start);
        self.fences = match inputs.resetting {
            true => 0,
            false => self.fences.wrapping_add(inputs.fence.into()),
        };
        self.ended = inputs.ended;
        self.works = !outputs.empty && !outputs.stop;
        self.held_clocks = match inputs.held && self.held_clocks < PATIENCE {
            true => self.held_clocks + 1,
            false => 0,
        };
    }

    /// What is wrong in this clock: that of the engine, the DMA, an entry, a limit, the cluster first.
    fn cause(&self, inputs: &SupervisorInputs) -> Option<Cause> {
        let run = if self.own { 0 } else { inputs.run_index };
        let of = |code, source, index| Cause {
            code,
            source,
            index,
            ..Cause::default()
        };
        let engine = inputs.engine_error.map(|(code, source, pc)| Cause {
            pc,
            ..of(code, source, run)
        });
        let entry = inputs.entry_error.map(|index| of(14, 6, index));
        let late = inputs.late.then(|| of(TIMEOUT, 6, run));
        let stuck = (self.held_clocks == PATIENCE).then(|| of(6, 4, run));
        // Of the program the instruction is known, and the entry is that of its RUN.
        let fault = inputs.fault.map(|fault| match fault.program {
            true => Cause {
                index: run,
                ..fault
            },
            false => Cause { pc: 0, ..fault },
        });
        engine.or(fault).or(entry).or(late).or(stuck)
    }
}
