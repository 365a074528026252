//! What concerns engine, job list and DMA alike: whether they may work, the first error, events.

use super::dma::DmaFault;
use heddle_arch::isa::{ErrorCode, SystemError};
use heddle_kernel::prelude::*;

const JOB: u64 = SystemError::Job as u64;
const TIMEOUT: u64 = SystemError::TimeOut as u64;
const STUCK: u64 = ErrorCode::Stuck as u64;
const LOAD: u64 = 4;
const JOBS: u64 = 6;

/// What a write of CTRL says beside START.
#[bundle]
pub struct CtrlWrite {
    /// CTRL is written.
    pub valid: Bit,
    /// The queue is to be on.
    pub queue: Bit,
    /// Windows are locked.
    pub lock: Bit,
    /// Everything is reset.
    pub reset: Bit,
}

/// What a run says.
#[bundle]
pub struct EngineState {
    /// A program runs.
    pub running: Bit,
    /// The last run ended with HALT.
    pub done: Bit,
    /// The last run ended with an error.
    pub error: Bit,
    /// Number of the error.
    pub code: Bits<8>,
    /// Where it came from.
    pub source: Bits<4>,
    /// Word address of the instruction concerned.
    pub pc: Bits<16>,
}

/// What the job list says.
#[bundle]
pub struct JobState {
    /// Starts a program.
    pub start: Bit,
    /// Ring index of the entry that has started it.
    pub run_index: Bits<10>,
    /// The program has run longer than its entry allows.
    pub late: Bit,
    /// A fence was passed.
    pub fence: Bit,
    /// It asks for an interrupt.
    pub interrupt: Bit,
    /// An entry has a fault.
    pub error: Bit,
    /// Its ring index.
    pub error_index: Bits<10>,
    /// All entries were taken.
    pub empty: Bit,
}

/// The first error.
#[bundle]
pub struct FirstError<const A: usize> {
    /// Number of the error, 0 without one.
    pub code: Bits<8>,
    /// Where it came from.
    pub source: Bits<4>,
    /// Response of the bus.
    pub resp: Bits<2>,
    /// The command is one of a program.
    pub program: Bit,
    /// Word address of the instruction, 0 of a job.
    pub pc: Bits<16>,
    /// Ring index of the entry.
    pub index: Bits<10>,
    /// Byte address of the burst, or 0.
    pub addr: Bits<A>,
}

/// Keeps the first error of engine, job list and DMA, and stops all three until RESET; says when the queue is on and what has happened.
///
/// A RESET lets nothing begin and waits until the bus owes nothing, or a channel has waited for too long: then `hung_o` is high
/// until the last answer has come, and nothing starts. A load that the sparse cluster does not take for 4,096 clocks is an error.
///
/// # Timing
/// An error of cycle t: `failed_o` and `stop_o` in t + 1. A write of CTRL in t: `queue_o` in t + 1.
#[module]
pub struct Supervisor<const A: usize> {
    /// A write of CTRL that is taken.
    pub ctrl_i: CtrlWrite<In>,
    /// A reset is under way.
    pub resetting_i: Signal<In, Bit>,
    /// START.
    pub start_i: Signal<In, Bit>,
    /// What the engine says.
    pub engine_i: EngineState<In>,
    /// What the job list says.
    pub jobs_i: JobState<In>,
    /// The DMA's first error.
    pub fault_i: DmaFault<In, A>,
    /// The bus owes nothing, and no command is open.
    pub idle_i: Signal<In, Bit>,
    /// A channel has waited for too long.
    pub expired_i: Signal<In, Bit>,
    /// A load or a store is open.
    pub open_i: Signal<In, Bit>,
    /// The sparse cluster does not take a word of a load.
    pub held_i: Signal<In, Bit>,
    /// Entries of the ring are taken.
    pub queue: OutReg<Bit>,
    /// Windows are locked.
    pub lock: OutReg<Bit>,
    /// There is an error.
    pub failed: OutReg<Bit>,
    /// The first error.
    pub error_o: FirstError<Out, A>,
    /// The bus owes answers behind a time-out.
    pub hung: OutReg<Bit>,
    /// Nothing new begins.
    pub stop_o: Signal<Out, Bit>,
    /// The DMA forgets its error.
    pub clear_o: Signal<Out, Bit>,
    /// A reset need not wait.
    pub settled_o: Signal<Out, Bit>,
    /// A program runs, or what an error has stopped is not over.
    pub running_o: Signal<Out, Bit>,
    /// The program was started by START: its counters are cleared.
    pub own: OutReg<Bit>,
    /// A program of START has ended with HALT, or a fence with an interrupt was passed.
    pub done_o: Signal<Out, Bit>,
    /// All entries were taken, and nothing of theirs is open.
    pub empty_o: Signal<Out, Bit>,
    /// That has come about.
    pub emptied_o: Signal<Out, Bit>,
    /// Fences that were passed.
    pub passed: OutReg<Bits<32>>,
    code: Reg<Bits<8>>,
    source: Reg<Bits<4>>,
    resp: Reg<Bits<2>>,
    program: Reg<Bit>,
    pc: Reg<Bits<16>>,
    index: Reg<Bits<10>>,
    addr: Reg<Bits<A>>,
    /// It was done in the cycle before.
    done: Reg<Bit>,
    /// Entries or their commands were open in the cycle before.
    full: Reg<Bit>,
    /// Clocks for which the cluster has taken no word.
    age: Reg<Bits<13>>,
    fails: Signal<Local, Bit>,
    empty: Signal<Local, Bit>,
    stop: Signal<Local, Bit>,
    /// The engine runs or was started by an entry.
    run_index: Signal<Local, Bits<10>>,
    /// Bits of an address.
    _address_bits: Generic<'a', A>,
}

#[kernel]
impl<const A: usize> Supervisor<A> {
    fn update(&mut self) {
        self.control();
        self.error();
        self.first();
        self.rest();
        self.events();
    }

    fn control(&mut self) {
        self.queue = mux(self.ctrl_i.valid, self.ctrl_i.queue, self.queue);
        if self.ctrl_i.reset | self.resetting_i | self.fails | self.failed {
            self.queue = false;
        }
        self.lock = self.lock | (self.ctrl_i.valid & self.ctrl_i.lock);
        self.own = (self.own | self.start_i) & !self.jobs_i.start;
    }

    /// Whether there is one: what comes behind the first, in a reset or while the bus hangs says nothing new.
    fn error(&mut self) {
        self.age = mux(self.held_i & !self.age.get_bit(12), self.age + 1, 0.into());
        self.fails = (self.engine_i.error
            | self.fault_i.valid
            | self.jobs_i.error
            | self.jobs_i.late
            | self.age.get_bit(12))
            & !self.failed
            & !self.resetting_i
            & !self.hung;
        self.failed = (self.failed | self.fails) & !self.resetting_i;
    }

    /// Of several in one cycle that of the engine, the DMA, the entry first.
    fn first(&mut self) {
        self.run_index = mux(self.own, 0.into(), self.jobs_i.run_index);
        self.code = self.code;
        self.source = self.source;
        self.resp = self.resp;
        self.program = self.program;
        self.pc = self.pc;
        self.index = self.index;
        self.addr = self.addr;
        if self.fails {
            self.index = self.run_index;
            self.code = STUCK.to_bits::<8>();
            self.source = LOAD.to_bits::<4>();
            if self.jobs_i.late {
                self.code = TIMEOUT.to_bits::<8>();
                self.source = JOBS.to_bits::<4>();
            }
            if self.jobs_i.error {
                self.code = JOB.to_bits::<8>();
                self.source = JOBS.to_bits::<4>();
                self.index = self.jobs_i.error_index;
            }
            if self.fault_i.valid {
                self.code = bit_cast::<8, 4>(self.fault_i.code);
                self.source = self.fault_i.source;
                self.resp = self.fault_i.resp;
                self.program = self.fault_i.program;
                if self.fault_i.program {
                    self.pc = self.fault_i.origin;
                    self.index = self.run_index;
                } else {
                    self.index = self.fault_i.origin.get_bits::<10>(0);
                }
                self.addr = self.fault_i.addr;
            }
            if self.engine_i.error {
                self.code = self.engine_i.code;
                self.source = self.engine_i.source;
                self.resp = 0.into();
                self.program = false;
                self.pc = self.engine_i.pc;
                self.index = self.run_index;
                self.addr = 0.into();
            }
        }
        if self.resetting_i {
            self.code = 0.into();
            self.source = 0.into();
            self.resp = 0.into();
            self.program = false;
            self.pc = 0.into();
            self.index = 0.into();
            self.addr = 0.into();
        }
        self.error_o.code = self.code;
        self.error_o.source = self.source;
        self.error_o.resp = self.resp;
        self.error_o.program = self.program;
        self.error_o.pc = self.pc;
        self.error_o.index = self.index;
        self.error_o.addr = self.addr;
    }

    /// How all comes to rest.
    fn rest(&mut self) {
        self.stop = self.failed | self.resetting_i | self.hung;
        self.stop_o = self.stop;
        let late = self.fails & self.fault_i.valid & (self.fault_i.code == TIMEOUT.to_bits::<4>());
        self.hung = (self.hung | (self.stop & self.expired_i) | late) & !self.idle_i;
        self.clear_o = (self.resetting_i | self.hung) & self.idle_i;
        self.settled_o = self.idle_i | self.hung;
        self.running_o = self.engine_i.running | (self.failed & !self.idle_i & !self.hung);
    }

    fn events(&mut self) {
        self.done = self.engine_i.done;
        self.done_o = (self.engine_i.done & !self.done & self.own) | self.jobs_i.interrupt;
        self.empty = self.jobs_i.empty & !self.open_i;
        self.empty_o = self.empty;
        self.full = !self.empty & !self.stop;
        self.emptied_o = self.full & self.empty & !self.stop;
        self.passed = mux(self.jobs_i.fence, self.passed + 1, self.passed);
        if self.resetting_i {
            self.passed = 0.into();
        }
    }
}
