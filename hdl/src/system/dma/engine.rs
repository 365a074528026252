//! The DMA as a whole.

use super::error::DmaError;
use super::intake::EntryPair;
use super::load::HeadWrite;
use super::store::HeadRead;
use super::{
    DmaShape, LoadEngine, ReadChannels, StoreEngine, TimeOut, TransferIntake, WindowWrite, Windows,
    WriteChannels,
};
use crate::control::MoveOrder;
use heddle_arch::isa::SystemError;
use heddle_kernel::prelude::*;

const BUS: u64 = SystemError::Bus as u64;
const WINDOW: u64 = SystemError::Window as u64;
const LOCAL: u64 = SystemError::DmaLocal as u64;
const TIMEOUT: u64 = SystemError::TimeOut as u64;

/// Sources of an error, as in the register ERROR.
const LOAD: u64 = 4;
const STORE: u64 = 5;
const JOBS: u64 = 6;

/// The first error.
#[bundle]
pub struct DmaFault<const A: usize> {
    /// There was an error.
    pub valid: Bit,
    /// Its code: 9 BUS, 10 WINDOW, 11 DMA_LOCAL, 12 TIMEOUT.
    pub code: Bits<4>,
    /// Its source: 4 load, 5 store, 6 jobs.
    pub source: Bits<4>,
    /// Response of the bus.
    pub resp: Bits<2>,
    /// Byte address of the burst, or 0.
    pub addr: Bits<A>,
    /// The command is one of a program.
    pub program: Bit,
    /// Ring index of the entry, or word address of the instruction.
    pub origin: Bits<16>,
}

/// What the counters count, each in one cycle.
#[bundle]
pub struct DmaEvents {
    /// A word of a load leaves for the machine.
    pub load_word: Bit,
    /// A word of a store is asked for.
    pub store_word: Bit,
    /// A read burst is announced.
    pub read_burst: Bit,
    /// A write burst is announced.
    pub write_burst: Bit,
    /// A write of a load is held at the head.
    pub load_yield: Bit,
    /// A read of a store is held at the head.
    pub store_yield: Bit,
    /// A read is open and no beat comes.
    pub read_idle: Bit,
    /// A beat is not taken.
    pub write_wait: Bit,
}

/// Loads and stores between a host's memory and the memories of the machine, and fetches of job entries, over one AXI4 manager.
///
/// Bursts are INCR bursts of words of eight bytes with ID 0, inside a page of 4 KiB and of pages that a window opens. An error stops all: commands
/// are dropped and no burst is announced any more; those that were are ended, writes without strobes. So does `stop_i`. What stands on the bus
/// stays until it is taken.
///
/// # Timing
/// All outputs of the bus are registers. With the error in cycle t `error_valid_o` is high from t + 1 on, and no burst is announced from
/// then on.
#[module(shape: DmaShape)]
pub struct Dma<const A: usize, const W: usize> {
    /// Nothing new begins, and commands are dropped, as long as it is high; it stays until `idle_o`.
    pub stop_i: Signal<In, Bit>,
    /// Forgets the error; nothing is outstanding.
    pub clear_i: Signal<In, Bit>,
    /// The machine is reset: no answer to a read comes any more. `stop_i` is high.
    pub lost_i: Signal<In, Bit>,
    /// Logarithm of the clocks that a channel may wait, 0: no end.
    pub timeout_i: Signal<In, Bits<5>>,
    /// Writes a register of a window.
    pub window_i: WindowWrite<In>,
    /// Permissions of each window.
    pub permit_o: [Signal<Out, Bits<2>>; 4],
    /// Words of an entry that may be a command.
    pub entry_i: EntryPair<In>,
    /// A word of an instruction, and whether its command enters.
    pub move_i: [MoveOrder<In>; moves],
    /// Lower halves of the regions.
    pub region_low_i: [Signal<In, Bits<32>>; 4],
    /// Upper halves of the regions.
    pub region_high_i: [Signal<In, Bits<8>>; 4],
    /// The words are a command.
    pub ok_o: Signal<Out, Bit>,
    /// They were those of an entry: the load, the store enters.
    pub enters_i: [Signal<In, Bit>; 2],
    /// There is room for a load, a store of jobs.
    pub ready_o: [Signal<Out, Bit>; 2],
    /// There is room for a load, a store of the program.
    pub move_ready_o: [Signal<Out, Bit>; 2 * moves],
    /// A job entry is to be fetched.
    pub job_valid_i: Signal<In, Bit>,
    /// Its byte address, a multiple of 64.
    pub job_addr_i: Signal<In, Bits<A>>,
    /// Its ring index; it stays until the last word of the entry.
    pub job_index_i: Signal<In, Bits<10>>,
    /// The fetch is announced.
    pub job_ready_o: Signal<Out, Bit>,
    /// A word of the entry: eight come, the first one first.
    pub job_word_valid_o: Signal<Out, Bit>,
    /// Its bytes.
    pub job_word_o: [Signal<Out, Bits<8>>; 8],
    /// A write at the head of the host wave.
    pub write_o: HeadWrite<Out>,
    /// It is taken.
    pub write_ready_i: Signal<In, Bit>,
    /// A read at the head of the host wave.
    pub read_o: HeadRead<Out>,
    /// It is taken.
    pub read_ready_i: Signal<In, Bit>,
    /// An answer to a read, in their order.
    pub answer_valid_i: Signal<In, Bit>,
    /// Its bytes, the zero point added.
    pub answer_i: [Signal<In, Bits<8>>; 8],
    /// A load is under way.
    pub load_busy_o: Signal<Out, Bit>,
    /// A store is under way.
    pub store_busy_o: Signal<Out, Bit>,
    /// Loads and stores of jobs that are open.
    pub open_o: [Signal<Out, Bits<4>>; 2],
    /// Those of the program.
    pub move_open_o: [Signal<Out, Bits<4>>; 2 * moves],
    /// Nothing is outstanding.
    pub idle_o: Signal<Out, Bit>,
    /// The first error.
    pub error_o: DmaFault<Out, A>,
    /// A channel has waited too long: also while all is stopped.
    pub expired_o: Signal<Out, Bit>,
    /// What the counters count.
    pub events_o: DmaEvents<Out>,
    /// Address of a read burst.
    pub ar_valid_o: Signal<Out, Bit>,
    /// It is taken.
    pub ar_ready_i: Signal<In, Bit>,
    /// Byte address.
    pub ar_addr_o: Signal<Out, Bits<A>>,
    /// Beats, less 1.
    pub ar_len_o: Signal<Out, Bits<8>>,
    /// A beat.
    pub r_valid_i: Signal<In, Bit>,
    /// It is taken.
    pub r_ready_o: Signal<Out, Bit>,
    /// Its bytes.
    pub r_data_i: [Signal<In, Bits<8>>; 8],
    /// Its response.
    pub r_resp_i: Signal<In, Bits<2>>,
    /// The last one of a burst.
    pub r_last_i: Signal<In, Bit>,
    /// Address of a write burst.
    pub aw_valid_o: Signal<Out, Bit>,
    /// It is taken.
    pub aw_ready_i: Signal<In, Bit>,
    /// Byte address.
    pub aw_addr_o: Signal<Out, Bits<A>>,
    /// Beats, less 1.
    pub aw_len_o: Signal<Out, Bits<8>>,
    /// A beat.
    pub w_valid_o: Signal<Out, Bit>,
    /// It is taken.
    pub w_ready_i: Signal<In, Bit>,
    /// Its bytes.
    pub w_data_o: [Signal<Out, Bits<8>>; 8],
    /// Its strobes: all or none.
    pub w_strb_o: Signal<Out, Bits<8>>,
    /// The last one of a burst.
    pub w_last_o: Signal<Out, Bit>,
    /// An answer to a write burst.
    pub b_valid_i: Signal<In, Bit>,
    /// It is taken: always.
    pub b_ready_o: Signal<Out, Bit>,
    /// Its response.
    pub b_resp_i: Signal<In, Bits<2>>,
    #[new(TransferIntake::new(moves))]
    intake: TransferIntake<A, W>,
    #[new(LoadEngine::new(shape))]
    load: LoadEngine<W>,
    #[new(StoreEngine::new(shape))]
    store: StoreEngine<W>,
    #[new(ReadChannels::new(shape.outstanding))]
    read: ReadChannels<A, W>,
    #[new(WriteChannels::new(shape.outstanding, shape.fifo_words()))]
    write: WriteChannels<A, W>,
    windows: Windows<W>,
    #[new(TimeOut::new(5))]
    timeout: TimeOut,
    failed: Reg<Bit>,
    code: RegData<Bits<4>>,
    source: RegData<Bits<4>>,
    resp: RegData<Bits<2>>,
    addr: RegData<Bits<W>>,
    program: RegData<Bit>,
    origin: RegData<Bits<16>>,
    halt: Signal<Local, Bit>,
    fails: Signal<Local, Bit>,
    of_read: Signal<Local, Bit>,
    of_write: Signal<Local, Bit>,
    first_code: Signal<Local, Bits<4>>,
    first_source: Signal<Local, Bits<4>>,
    /// What the errors of both directions say.
    read_error: DmaError<Local, W>,
    write_error: DmaError<Local, W>,
    #[argument]
    _shape: DmaShape,
    /// Bits of an address.
    _address_bits: Generic<'a', A>,
    #[new(shape.max_burst)]
    _max_burst: Param<'b'>,
    #[new(shape.queue)]
    _queue: Param<'d'>,
    #[new(shape.outstanding)]
    _outstanding: Param<'o'>,
    /// Programs have LOAD and STORE.
    #[new(shape.moves())]
    _moves: Feature<"mv">,
}

#[kernel]
impl<const A: usize, const W: usize> Dma<A, W> {
    fn update(&mut self) {
        self.control();
        self.commands();
        self.loads();
        self.stores();
        self.reads();
        self.writes();
        self.windows();
        self.judge();
        self.tell();
    }

    fn control(&mut self) {
        self.halt = self.stop_i | self.failed;
        self.load.halt_i = self.halt;
        self.store.halt_i = self.halt;
        self.read.halt_i = self.halt;
        self.write.halt_i = self.halt;
        self.write.lost_i = self.lost_i;
        self.timeout.limit_i = self.timeout_i;
        for i in 0..2 {
            self.timeout.waits_i[i] = self.read.waits_o[i];
            self.read.expired_i[i] = self.timeout.expired_o[i];
        }
        for i in 0..3 {
            self.timeout.waits_i[i + 2] = self.write.waits_o[i];
            self.write.expired_i[i] = self.timeout.expired_o[i + 2];
        }
        self.expired_o = false;
        for i in 0..5 {
            self.expired_o = self.expired_o | self.timeout.expired_o[i];
        }
    }

    fn commands(&mut self) {
        self.intake.entry_i.follow(&self.entry_i);
        self.intake.move_i.follow(&self.move_i);
        self.intake.region_low_i.follow(&self.region_low_i);
        self.intake.region_high_i.follow(&self.region_high_i);
        self.ok_o = self.intake.ok_o;
        self.load.write_i.follow(&self.intake.write_o);
        self.store.write_i.follow(&self.intake.write_o);
        self.load.enters_i[0] = self.enters_i[0];
        self.store.enters_i[0] = self.enters_i[1];
        self.ready_o[0] = self.load.ready_o[0];
        self.ready_o[1] = self.store.ready_o[0];
        self.open_o[0] = self.load.open_o[0];
        self.open_o[1] = self.store.open_o[0];
        for k in 0..self._moves {
            self.load.enters_i[k + 1] = self.move_i[k].enters[0];
            self.store.enters_i[k + 1] = self.move_i[k].enters[1];
            self.move_ready_o[2 * k] = self.load.ready_o[k + 1];
            self.move_ready_o[2 * k + 1] = self.store.ready_o[k + 1];
            self.move_open_o[2 * k] = self.load.open_o[k + 1];
            self.move_open_o[2 * k + 1] = self.store.open_o[k + 1];
        }
    }

    fn loads(&mut self) {
        self.load.burst_take_i = self.read.burst_take_o;
        self.load.beat_valid_i = self.read.beat_valid_o;
        self.load.beat_i.follow(&self.read.beat_o);
        self.write_o.follow(&self.load.head_o);
        self.load.head_ready_i = self.write_ready_i;
        self.load_busy_o = self.load.busy_o;
    }

    fn stores(&mut self) {
        self.store.burst_take_i = self.write.burst_take_o;
        self.store.idle_i = self.write.idle_o;
        self.store.room_i = self.write.room_o;
        self.read_o.follow(&self.store.head_o);
        self.store.head_ready_i = self.read_ready_i;
        self.store_busy_o = self.store.busy_o;
    }

    fn reads(&mut self) {
        self.read.job_valid_i = self.job_valid_i;
        self.read.job_addr_i = self.job_addr_i;
        self.job_ready_o = self.read.job_ready_o;
        self.job_word_valid_o = self.read.job_word_o;
        self.job_word_o.follow(&self.read.beat_o);
        self.read.burst_valid_i = self.load.burst_valid_o;
        self.read.burst_addr_i = self.load.burst_addr_o;
        self.read.burst_len_i = self.load.burst_len_o;
        self.read.burst_same_i = self.load.burst_same_o;
        self.read.beat_ready_i = self.load.beat_ready_o;
        self.ar_valid_o = self.read.ar_valid_o;
        self.read.ar_ready_i = self.ar_ready_i;
        self.ar_addr_o = self.read.ar_addr_o;
        self.ar_len_o = self.read.ar_len_o;
        self.read.r_valid_i = self.r_valid_i;
        self.r_ready_o = self.read.r_ready_o;
        self.read.r_data_i.follow(&self.r_data_i);
        self.read.r_resp_i = self.r_resp_i;
        self.read.r_last_i = self.r_last_i;
    }

    fn writes(&mut self) {
        self.write.burst_valid_i = self.store.burst_valid_o;
        self.write.burst_addr_i = self.store.burst_addr_o;
        self.write.burst_len_i = self.store.burst_len_o;
        self.write.burst_same_i = self.store.burst_same_o;
        self.write.asked_i = self.store.head_o.valid & self.read_ready_i;
        self.write.word_valid_i = self.answer_valid_i;
        self.write.word_i.follow(&self.answer_i);
        self.aw_valid_o = self.write.aw_valid_o;
        self.write.aw_ready_i = self.aw_ready_i;
        self.aw_addr_o = self.write.aw_addr_o;
        self.aw_len_o = self.write.aw_len_o;
        self.w_valid_o = self.write.w_valid_o;
        self.write.w_ready_i = self.w_ready_i;
        self.w_data_o.follow(&self.write.w_data_o);
        self.w_strb_o = mux(self.write.w_whole_o, 0xff.into(), 0.into());
        self.w_last_o = self.write.w_last_o;
        self.write.b_valid_i = self.b_valid_i;
        self.b_ready_o = true;
        self.write.b_resp_i = self.b_resp_i;
    }

    fn windows(&mut self) {
        self.windows.clear_i = self.halt;
        self.windows.write_i.follow(&self.window_i);
        self.permit_o.follow(&self.windows.permits_o);
        self.windows.ask_i[0] = self.read.ask_o;
        self.windows.addr_i[0] = self.read.ask_addr_o;
        self.windows.ask_i[1] = self.write.ask_o;
        self.windows.addr_i[1] = self.write.ask_addr_o;
        self.read.done_i = self.windows.done_o[0];
        self.read.open_i = self.windows.open_o;
        self.write.done_i = self.windows.done_o[1];
        self.write.open_i = self.windows.open_o;
    }

    /// The first error; of several in one cycle that of the bus, the read side, a window first.
    fn judge(&mut self) {
        self.read_error.follow(&self.read.error_o);
        self.write_error.follow(&self.write.error_o);
        self.of_read = self.read_error.bus | self.read_error.window | self.read_error.timeout;
        self.of_write = self.write_error.bus | self.write_error.window | self.write_error.timeout;
        self.first_code = LOCAL.to_bits::<4>();
        self.first_source = mux(
            self.load.beyond_o,
            LOAD.to_bits::<4>(),
            STORE.to_bits::<4>(),
        );
        if self.of_write {
            self.first_source = STORE.to_bits::<4>();
        }
        if self.of_read {
            self.first_source = mux(
                self.read_error.of_job,
                JOBS.to_bits::<4>(),
                LOAD.to_bits::<4>(),
            );
        }
        if self.of_read | self.of_write {
            self.first_code = TIMEOUT.to_bits::<4>();
        }
        if (self.of_read & self.read_error.window) | (!self.of_read & self.write_error.window) {
            self.first_code = WINDOW.to_bits::<4>();
        }
        if (self.of_read & self.read_error.bus) | (!self.of_read & self.write_error.bus) {
            self.first_code = BUS.to_bits::<4>();
        }
        self.fails = (self.of_read | self.of_write | self.load.beyond_o | self.store.beyond_o)
            & !self.failed;
        self.failed = (self.failed | self.fails) & !self.clear_i;
        self.code.load(self.fails, self.first_code);
        self.source.load(self.fails, self.first_source);
        self.resp.load(
            self.fails,
            mux(
                self.of_read,
                self.read_error.resp,
                mux(self.of_write, self.write_error.resp, 0.into()),
            ),
        );
        self.addr.load(
            self.fails,
            mux(
                self.of_read,
                self.read_error.addr,
                mux(self.of_write, self.write_error.addr, 0.into()),
            ),
        );
        let of_load = self.first_source == LOAD.to_bits::<4>();
        let of_jobs = self.first_source == JOBS.to_bits::<4>();
        self.program.load(
            self.fails,
            !(of_jobs) & ((of_load & self.load.program_o) | (!(of_load) & self.store.program_o)),
        );
        self.origin.load(
            self.fails,
            mux(of_load, self.load.origin_o, self.store.origin_o),
        );
        if of_jobs {
            self.origin = bit_cast::<16, 10>(self.job_index_i);
        }
        self.error_o.valid = self.failed;
        self.error_o.code = self.code;
        self.error_o.source = self.source;
        self.error_o.resp = self.resp;
        self.error_o.addr = bit_cast::<A, W>(self.addr) << 3;
        self.error_o.program = self.program;
        self.error_o.origin = self.origin;
    }

    fn tell(&mut self) {
        self.idle_o = self.read.idle_o & self.write.idle_o;
        for i in 0..1 + self._moves {
            if self.load.open_o[i].any() | self.store.open_o[i].any() {
                self.idle_o = false;
            }
        }
        self.events_o.load_word = self.load.head_o.valid & self.write_ready_i;
        self.events_o.store_word = self.store.head_o.valid & self.read_ready_i;
        self.events_o.read_burst = self.read.announces_o;
        self.events_o.write_burst = self.write.announces_o;
        self.events_o.load_yield = self.load.head_o.valid & !self.write_ready_i;
        self.events_o.store_yield = self.store.head_o.valid & !self.read_ready_i;
        self.events_o.read_idle = self.read.gap_o;
        self.events_o.write_wait = self.write.waits_o[1];
    }
}
