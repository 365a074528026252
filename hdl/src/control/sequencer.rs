//! Instruction fetch and decode.

use super::clocks::{ANSWER, FIRST_PAIR, QUIET};
use super::prefetch::ProgramWrite;
use super::shape::SequencerShape;
use super::state::{Phase, State, Unit};
use super::{InstructionCheck, MoveOrder, MoveState, UnitRegisters, code};
use heddle_arch::isa::ErrorCode;
use heddle_arch::isa::fields::{drain, header, matmul, row};
use heddle_kernel::prelude::*;

/// Bits of a header that the sequencer does not keep to itself.
const GIVEN: u64 = !header::WAIT_WEIGHTS.up_to(header::WAIT_DRAIN).mask() as u64;
/// The same with counted waits.
const GIVEN_COUNTED: u64 = !header::WAIT_WEIGHTS.up_to(header::STORES).mask() as u64;

/// Fetches instructions, checks them, sets up and starts the units.
///
/// Words are read ahead: one stands in a register, the next at the output of the memory. A header is checked in Fetch, what is
/// found stands in registers in Issue; a fault of a further word, or of one that does not exist, comes two cycles after it.
///
/// An instruction of n words takes n + 2 cycles and the time it waits in Issue for the units it
/// depends on. Writes to the registers of a unit leave one cycle after the word was read; the
/// start pulse is on `start_o` in the cycle after Start. HALT and errors are followed by
/// {quiet} cycles in which the waves run out and the program still counts as running, so
/// that the host meets a machine at rest. SYNC is a header that waits. A copy and a drain never run at
/// the same time: both write to the state buffer. Index 0 of the vectors is the weight
/// unit, 1 the stream unit, 2 the drain unit.
///
/// # Timing
/// `host_start_i` in cycle t: Fetch in t + 2. `start_pc_i` stands from t - 1 on.
#[module(shape: SequencerShape, describe)]
pub struct Sequencer {
    /// Starts the program at `start_pc_i` (ignored while running).
    pub host_start_i: Signal<In, Bit>,
    /// Word address of the first instruction.
    pub start_pc_i: Signal<In, Bits<16>>,
    /// Write of the program memory.
    pub program_i: ProgramWrite<In>,
    /// The first word of the program stands in the prefetch buffer.
    pub ready_i: [Signal<In, Bit>; banked],
    /// The unit is busy.
    pub busy_i: [Signal<In, Bit>; 3],
    /// The sparse cluster has something under way.
    pub cluster_busy_i: [Signal<In, Bit>; clusters],
    /// It has room for a command.
    pub takes_command_i: [Signal<In, Bit>; clusters],
    /// It is given the word of a command.
    pub command_o: [Signal<Out, Bit>; clusters],
    /// The word.
    pub command_word_o: [Signal<Out, Bits<32>>; clusters],
    /// What it knows of loads and stores.
    pub move_i: [MoveState<In>; moves],
    /// Words of a LOAD or STORE, and when it enters its queue.
    pub move_o: [MoveOrder<Out>; moves],
    /// Some unit accepted an address in this cycle.
    pub progress_i: Signal<In, Bit>,
    /// A unit has failed: the program stops.
    pub unit_error_i: Signal<In, Bit>,
    /// Writes one register of the unit's traversal.
    pub cfg_valid_o: [Signal<Out, Bit>; 3],
    /// Clears the registers of the unit's traversal.
    pub cfg_clear_o: [Signal<Out, Bit>; 3],
    /// 0 initial, 1 step, 2 end, 3 base.
    pub cfg_sel_o: Signal<Out, Bits<2>>,
    /// Row of the record.
    pub cfg_row_o: Signal<Out, Bits<3>>,
    /// Loop, 0 innermost.
    pub cfg_col_o: Signal<Out, Bits<3>>,
    /// Value.
    pub cfg_data_o: Signal<Out, Bits<32>>,
    /// Starts the unit.
    pub start_o: [Signal<Out, Bit>; 3],
    /// First parameter word of the unit's instruction.
    pub param_o: [Signal<Out, Bits<32>>; 3],
    /// Second parameter word of the unit's instruction.
    pub second_param_o: [Signal<Out, Bits<32>>; 3],
    /// The weight unit's instruction is a copy.
    pub copy_o: Signal<Out, Bit>,
    /// Third parameter word of the stream unit's instruction, if it uses row tables.
    pub table_o: Signal<Out, Bits<32>>,
    /// Word of the repetitions of the stream unit's instruction, 0 if it has none.
    pub repeat_o: Signal<Out, Bits<32>>,
    /// Third parameter word of the drain unit's instruction, 0 if it has none.
    pub place_o: Signal<Out, Bits<32>>,
    /// Word of pooling of the drain unit's instruction, 0 if it has none.
    pub pool_o: [Signal<Out, Bits<32>>; pooling],
    /// Word address of the unit's instruction.
    pub unit_pc_o: [Signal<Out, Bits<16>>; 3],
    /// A program runs, or the waves of a stopped one run out.
    pub running_o: Signal<Out, Bit>,
    /// No unit may work.
    pub clear_o: Signal<Out, Bit>,
    /// HALT is complete in this cycle.
    pub halt_o: Signal<Out, Bit>,
    /// The instruction is illegal in this cycle; the program stops.
    pub fault_o: Signal<Out, Bit>,
    /// Word address of the current instruction.
    pub pc_o: Signal<Out, Bits<16>>,
    /// Word address to read next, for who fills the prefetch buffer.
    pub fetch_pc_o: [Signal<Out, Bits<17>>; banked],
    /// A cycle to be counted.
    pub cycle_o: Signal<Out, Bit>,
    /// Issue waits in this cycle.
    pub wait_o: Signal<Out, Bit>,
    /// An instruction leaves Issue in this cycle.
    pub issue_o: Signal<Out, Bit>,
    #[new(Ram1r1w::new(1, shape.fetch_words()).at_rest(!shape.banked))]
    program: Ram1r1w<16, 32>,
    #[new(InstructionCheck::new(shape))]
    check: InstructionCheck,
    #[new(UnitRegisters::new(shape.post.pooling))]
    registers: UnitRegisters,
    state: Reg<State>,
    /// The state is Idle or Stop.
    #[new(Reg::with_init(true))]
    clear: Reg<Bit>,
    phase: Reg<Phase>,
    unit: Reg<Unit>,
    /// Word address to read next, one bit more than the memory needs.
    pc: Reg<Bits<17>>,
    /// Word address of the word at the output of the memory.
    ahead_pc: RegData<Bits<17>>,
    /// The word under way.
    word: RegData<Bits<32>>,
    /// Word address of the current header.
    header_pc: Reg<Bits<16>>,
    /// Words of the instruction that are still to come.
    remaining: Reg<Bits<8>>,
    loops_left: Reg<Bits<4>>,
    /// Columns of the array beside those of the drain under way.
    room: Delay<Bits<10>>,
    row: Reg<Bits<3>>,
    col: Reg<Bits<3>>,
    /// The third parameter word under way is the one of pooling.
    is_pool: [Reg<Bit>; pooling],
    quiet: Reg<Bits<10>>,
    /// Some unit accepted an address in the cycle before.
    progress: Reg<Bit>,
    /// Cycles that Issue has waited without progress.
    stuck: Reg<Bits<12>>,
    /// The header in Issue is a HALT.
    is_halt: Delay<Bit>,
    /// It is a SYNC.
    is_sync: Delay<Bit>,
    /// It is a command of the sparse cluster.
    is_command: [Delay<Bit>; clusters],
    /// It is a LOAD, a STORE.
    is_own: [Delay<Bit>; 2 * moves],
    /// More loads, stores of the program are open than it allows.
    crowded: [Delay<Bit>; 2 * moves],
    /// It waits until this unit is idle.
    needs: [Delay<Bit>; 3],
    /// The word of the cycle before has a field out of range.
    bad_field: Reg<Bit>,
    /// The instruction ended in the cycle before, its record did not.
    bad_length: Reg<Bit>,
    /// The word read in the cycle before lies behind the program memory.
    past_end: Reg<Bit>,
    /// The program stops in this cycle.
    fault: Reg<Bit>,
    /// Error code of the fault.
    pub fault_code: OutDelay<Bits<8>>,
    /// The first word of the program is at the output of the memory, if it comes from banks.
    primed: [Reg<Bit>; banked],
    /// The header is a HALT or SYNC: nothing follows it, and it starts no unit.
    is_alone: Signal<Local, Bit>,
    /// The header is a copy.
    is_copy: Signal<Local, Bit>,
    is_unit: [Signal<Local, Bit>; 3],
    hold: Signal<Local, Bit>,
    /// It waits for loads, for stores.
    lingers: [Signal<Local, Bit>; 2 * moves],
    /// The instruction under way is a LOAD, a STORE.
    is_move: [Signal<Local, Bit>; 2 * moves],
    moving: [Signal<Local, Bit>; moves],
    /// A word is wrong; the last one of a LOAD or STORE tells of all.
    is_wrong: [Signal<Local, Bit>; moves],
    is_short: [Signal<Local, Bit>; moves],
    /// The header starts a unit.
    starts_any: Signal<Local, Bit>,
    /// The header starts this unit.
    starts: [Signal<Local, Bit>; 3],
    /// The header starts a copy.
    starts_copy: Signal<Local, Bit>,
    in_fetch: Signal<Local, Bit>,
    in_issue: Signal<Local, Bit>,
    in_body: Signal<Local, Bit>,
    proceed: Signal<Local, Bit>,
    issue: Signal<Local, Bit>,
    /// The first word of the program is read.
    first_read: Signal<Local, Bit>,
    /// The next word comes, and the one after it is read.
    read: Signal<Local, Bit>,
    last_word: Signal<Local, Bit>,
    /// One of these three faults: the instruction goes no further.
    found: Signal<Local, Bit>,
    last_loop: Signal<Local, Bit>,
    record_end: Signal<Local, Bit>,
    /// Prime has no word yet.
    awaits: [Signal<Local, Bit>; banked],
    /// Rows of the array.
    _rows: Param<'r'>,
    /// Columns of the array.
    _cols: Param<'c'>,
    /// Rows of a record.
    _record_rows: Param<'m'>,
    /// Loops of a record.
    _loops: Param<'n'>,
    /// Bits of an offset.
    _offset_bits: Param<'w'>,
    /// Bits of an address.
    _address_bits: Param<'a'>,
    /// Column tiles.
    _tiles: Param<'t'>,
    /// Bits of a program address.
    #[new(heddle_kernel::address_bits(shape.program_words))]
    _pc_bits: Param<'p'>,
    /// Words of the prefetch buffer.
    #[new(banked * shape.fetch_words())]
    _fetch_words: Feature<'f'>,
    _banked: usize,
    #[new(shape)]
    _sizes: SequencerShape,
    #[new(shape.post.pooling.into())]
    _pooling: usize,
    #[new(shape.post.extra())]
    _extra: usize,
    #[new(shape.cluster.into())]
    _clusters: usize,
    #[new(shape.moves.into())]
    _moves: usize,
    /// The instruction has no record: its words are those of a command.
    is_raw: Signal<Local, Bit>,
}

impl Sequencer {
    fn describe(&self, meta: Meta) -> Meta {
        let meta = meta.doc_if(self._banked > 0, "The program lies in banks of the state buffer, the memory written and read here is the prefetch \
                 buffer. Prime waits for the first word, {prime} cycles longer than with a memory.");
        let meta = match self._banked {
            0 => meta,
            _ => meta.number("prime", FIRST_PAIR + self._rows + ANSWER),
        };
        let quiet = self._rows + self._cols + self._extra + QUIET;
        self._sizes.describe(meta).number("quiet", quiet)
    }
}

#[kernel]
impl Sequencer {
    fn update(&mut self) {
        self.fetch();
        self.may_issue();
        self.faults();
        self.next_state();
        self.unit_registers();
        self.tell();
    }

    /// The words of the program, and which unit an instruction is for.
    fn fetch(&mut self) {
        self.check.is_pool_i.follow(&self.is_pool);
        self.registers.is_pool_i.follow(&self.is_pool);
        self.pool_o.follow(&self.registers.pool_o);
        self.program.wen_i = self.program_i.wen;
        self.program.waddr_i = self.program_i.waddr;
        self.program.wdata_i[0] = self.program_i.wdata;
        // No word of the prefetch buffer is read before it is written: Prime waits for the first one, and the
        // buffer does not run empty behind it.
        if self._banked > 0 {
            self.awaits[0] = (self.state == State::Prime) & !self.primed[0];
            // A program that begins after the memory finds no word to wait for.
            self.first_read = self.awaits[0]
                & (self.ready_i[0] | ((self.pc >> self._pc_bits.to_bits::<5>()) != 0));
            self.primed[0] = self.first_read;
            self.fetch_pc_o[0] = self.pc;
        } else {
            self.first_read = (self.state == State::Idle) & self.host_start_i;
        }
        self.program.ren_i = self.first_read | self.read;
        self.program.raddr_i = self.pc.get_bits::<16>(0);
        self.ahead_pc.load(self.first_read | self.read, self.pc);
        self.word.load(self.read, self.program.rdata_o[0]);
        self.check.word_i = self.word;
        let columns = field!(self.registers.param_o[2], drain::COLUMNS).get_bits::<10>(0);
        self.room = self._cols.to_bits::<10>() - columns;
        self.check.room_i = self.room;
        self.check.phase_i = self.phase;
        self.check.unit_i = self.unit;

        self.is_halt = self.check.is_halt_o;
        self.is_sync = self.check.is_sync_o;
        self.is_alone = self.is_halt | self.is_sync;
        self.is_copy = self.unit == Unit::Copy;
        self.is_unit[0] = (self.unit == Unit::Weights) | self.is_copy;
        self.is_unit[1] = self.unit == Unit::Stream;
        self.is_unit[2] = self.unit == Unit::Drain;
    }

    /// Whether the instruction in Issue may go on.
    fn may_issue(&mut self) {
        // Issue: HALT waits for all units, the others for the unit they start and those they name; a copy
        // waits for the drain unit too, and a drain for a copy.
        self.in_fetch = self.state == State::Fetch;
        self.in_issue = self.state == State::Issue;
        self.in_body = self.state == State::Body;
        self.starts_any = !self.check.is_halt_o & !self.check.is_sync_o;
        self.starts_copy = self.starts_any & (self.check.target_o == Unit::Copy);
        self.starts[0] =
            (self.starts_any & (self.check.target_o == Unit::Weights)) | self.starts_copy;
        self.starts[1] = self.starts_any & (self.check.target_o == Unit::Stream);
        self.starts[2] = self.starts_any & (self.check.target_o == Unit::Drain);
        self.needs[0] = self.starts[0]
            | self.check.is_halt_o
            | flag!(self.word, header::WAIT_WEIGHTS)
            | (self.starts[2] & self.registers.copy_o);
        self.needs[1] =
            self.starts[1] | self.check.is_halt_o | flag!(self.word, header::WAIT_STREAM);
        self.needs[2] = self.starts[2]
            | self.check.is_halt_o
            | flag!(self.word, header::WAIT_DRAIN)
            | self.starts_copy;
        self.hold = false;
        for i in 0..3 {
            if self.busy_i[i] & self.needs[i] {
                self.hold = true;
            }
        }
        for k in 0..self._clusters {
            self.is_command[k] = self.starts_any & (self.check.target_o == Unit::Cluster);
            if (self.is_command[k] & !self.takes_command_i[k])
                | (self.is_halt & self.cluster_busy_i[k])
            {
                self.hold = true;
            }
        }
        self.progress = self.progress_i;
        self.stuck = mux(!self.in_issue | self.progress, 0.into(), self.stuck + 1);
        for k in 0..self._moves {
            self.counted(k);
        }
    }

    /// Waits for loads and stores.
    fn counted(&mut self, k: usize) {
        self.is_own[0] = self.starts_any & (self.check.target_o == Unit::Load);
        self.is_own[1] = self.starts_any & (self.check.target_o == Unit::Store);
        self.crowded[0] = (flag!(self.word, header::WAIT_LOADS)
            & (self.move_i[k].open[0] > field!(self.word, header::LOADS)))
            | (self.check.is_halt_o & self.move_i[k].open[0].any());
        self.crowded[1] = (flag!(self.word, header::WAIT_STORES)
            & (self.move_i[k].open[1] > field!(self.word, header::STORES)))
            | (self.check.is_halt_o & self.move_i[k].open[1].any());
        for i in 0..2 {
            self.lingers[i] = self.crowded[i] | (self.is_own[i] & !self.move_i[k].ready[i]);
            if self.lingers[i] {
                self.hold = true;
                // The time-out of the bus bounds it.
                self.stuck = 0.into();
            }
        }
    }

    /// What stops the program.
    fn faults(&mut self) {
        // Body: where the words of the record go.
        self.last_word = self.remaining == 1;
        self.last_loop = self.loops_left == 1;
        self.record_end = ((self.phase == Phase::Base) & (self.loops_left == 0))
            | ((self.phase == Phase::End) & self.last_loop);

        // Each fault has a register of its own, so that no check of a word is in front of the choice between them.
        self.is_raw = false;
        for _ in 0..self._clusters {
            self.is_raw = self.unit == Unit::Cluster;
        }
        if self._moves > 0 {
            self.move_faults();
            self.bad_field = self.in_body & self.is_wrong[0];
            self.bad_length = self.in_body & self.is_short[0];
        } else {
            self.bad_field = self.in_body & self.check.bad_field_o & !self.is_raw;
            self.bad_length = self.in_body & self.last_word & !self.record_end & !self.is_raw;
        }
        self.past_end = self.read & ((self.ahead_pc >> self._pc_bits.to_bits::<5>()) != 0);
        self.found = self.bad_field | self.bad_length | self.past_end;

        // The first one in the program is the last one here.
        self.fault = self.found;
        self.fault_code = 0.into();
        if self.in_issue & self.hold & !self.progress & (self.stuck == 4094) {
            self.fault = true;
            self.fault_code = code(ErrorCode::Stuck).into();
        }
        if self.in_fetch & self.check.bad_header_o {
            self.fault = true;
            self.fault_code = code(ErrorCode::BadField).into();
        }
        if self.in_fetch & self.check.bad_length_o {
            self.fault = true;
            self.fault_code = code(ErrorCode::BadLength).into();
        }
        if self.in_fetch & !self.check.is_known_o {
            self.fault = true;
            self.fault_code = code(ErrorCode::IllegalOpcode).into();
        }
        if self.past_end {
            self.fault_code = code(ErrorCode::ProgramEnd).into();
        }
        if self.bad_length {
            self.fault_code = code(ErrorCode::BadLength).into();
        }
        if self.bad_field {
            self.fault_code = code(ErrorCode::BadField).into();
        }
        self.fault_o = self.fault;
    }

    /// Words of a LOAD or STORE are looked at elsewhere.
    fn move_faults(&mut self) {
        for k in 0..self._moves {
            self.is_move[0] = self.unit == Unit::Load;
            self.is_move[1] = self.unit == Unit::Store;
            self.moving[k] = self.is_move[0] | self.is_move[1];
            self.is_wrong[k] = self.check.bad_field_o & !self.is_raw;
            self.is_short[k] = self.last_word & !self.record_end & !self.is_raw;
            if self.moving[k] {
                self.is_wrong[k] = self.last_word & !self.move_i[k].ok;
                self.is_short[k] = false;
            }
        }
    }

    /// What the DMA is told.
    fn tell(&mut self) {
        for k in 0..self._moves {
            self.move_o[k].valid = self.in_body & self.moving[k];
            self.move_o[k].left = (self.remaining - 1).get_bits::<3>(0);
            self.move_o[k].word = self.word;
            self.move_o[k].store = self.is_move[1];
            self.move_o[k].pc = self.header_pc;
            for i in 0..2 {
                self.move_o[k].enters[i] =
                    (self.state == State::Start) & self.is_move[i] & !self.found;
                self.move_o[k].waits[i] = self.in_issue & self.lingers[i];
            }
        }
    }

    /// The state of the next cycle.
    fn next_state(&mut self) {
        self.proceed = self.in_issue & !self.hold;
        self.issue = self.proceed & !self.fault;
        self.read = (self.state == State::Prime)
            | (self.proceed & !self.is_halt)
            | (self.in_body & !self.last_word & !self.found)
            | ((self.state == State::Start) & !self.found);
        if self._banked > 0 {
            if self.awaits[0] {
                self.read = false;
            }
        }
        self.pc = mux(self.first_read | self.read, self.pc + 1, self.pc);
        if (self.state == State::Idle) & !self.first_read {
            self.pc = self.start_pc_i.get_bits::<17>(0);
        }

        self.state = self.state;
        self.phase = self.phase;
        self.unit = self.unit;
        self.header_pc = self.header_pc;
        self.remaining = self.remaining;
        self.loops_left = self.loops_left;
        self.row = self.row;
        self.col = self.col;
        for i in 0..self._pooling {
            self.is_pool[i] = self.is_pool[i];
        }
        self.quiet = (self._rows + self._cols + self._extra + QUIET - 1).to_bits::<10>();
        self.halt_o = false;
        match self.state {
            State::Idle => {
                if self.host_start_i {
                    self.state = State::Prime;
                }
            }
            State::Prime => {
                self.header_pc = self.ahead_pc.get_bits::<16>(0);
                self.state = State::Fetch;
                for i in 0..self._banked {
                    if self.awaits[i] {
                        self.state = State::Prime;
                    }
                }
            }
            State::Fetch => {
                self.remaining = field!(self.word, header::LENGTH) - 1;
                self.unit = self.check.target_o;
                self.phase = Phase::Param;
                self.state = State::Issue;
            }
            State::Issue => {
                if self.issue {
                    self.state = mux(self.is_halt, State::Quiet, State::Body);
                    if self.is_sync {
                        self.header_pc = self.ahead_pc.get_bits::<16>(0);
                        self.state = State::Fetch;
                    }
                }
            }
            State::Body => {
                self.remaining = self.remaining - 1;
                if self.last_word {
                    self.state = State::Start;
                }
                self.next_phase();
            }
            State::Start => {
                if !self.found {
                    self.header_pc = self.ahead_pc.get_bits::<16>(0);
                    self.state = State::Fetch;
                }
            }
            _ => {
                self.quiet = self.quiet - 1;
                if self.quiet == 0 {
                    self.state = State::Idle;
                    self.halt_o = self.state == State::Quiet;
                }
            }
        }
        self.clear = (self.clear & !((self.state == State::Idle) & self.host_start_i))
            | self.fault
            | self.unit_error_i
            | ((self.state == State::Quiet) & (self.quiet == 0));
        if (self.fault | self.unit_error_i) & !self.clear {
            self.state = State::Stop;
            self.quiet = (self._rows + self._cols + self._extra + QUIET - 1).to_bits::<10>();
            self.halt_o = false;
        }
    }

    /// Which word of the instruction comes next.
    fn next_phase(&mut self) {
        match self.phase {
            Phase::Param => {
                self.phase = mux(self.unit == Unit::Weights, Phase::Row, Phase::SecondParam);
            }
            Phase::SecondParam => {
                self.phase = Phase::Row;
                if self.is_unit[1] & flag!(self.registers.param_o[1], matmul::REPEATED) {
                    self.phase = Phase::Repeat;
                }
                if (self.is_unit[1] & flag!(self.registers.param_o[1], matmul::TABLE))
                    | (self.is_unit[2] & flag!(self.registers.param_o[2], drain::PLACED))
                {
                    self.phase = Phase::ThirdParam;
                }
                // The word of pooling stands behind that of the columns, if there is one.
                for i in 0..self._pooling {
                    self.is_pool[i] =
                        self.is_unit[2] & !flag!(self.registers.param_o[2], drain::PLACED);
                    if self.is_unit[2] & flag!(self.registers.param_o[2], drain::POOLED) {
                        self.phase = Phase::ThirdParam;
                    }
                }
            }
            Phase::ThirdParam => {
                self.phase = Phase::Row;
                if self.is_unit[1] & flag!(self.registers.param_o[1], matmul::REPEATED) {
                    self.phase = Phase::Repeat;
                }
                for i in 0..self._pooling {
                    self.is_pool[i] = true;
                    if self.is_unit[2]
                        & flag!(self.registers.param_o[2], drain::POOLED)
                        & !self.is_pool[i]
                    {
                        self.phase = Phase::ThirdParam;
                    }
                }
            }
            Phase::Repeat => {
                self.phase = Phase::Row;
            }
            Phase::Row => {
                self.row = field!(self.word, row::ROW);
                self.col = 0.into();
                self.loops_left = field!(self.word, row::LOOPS);
                self.phase = Phase::Base;
            }
            Phase::Base => {
                self.phase = mux(self.record_end, Phase::Row, Phase::Initial);
            }
            Phase::Initial => {
                self.phase = Phase::Step;
            }
            Phase::Step => {
                self.phase = Phase::End;
            }
            _ => {
                self.col = self.col + 1;
                self.loops_left = self.loops_left - 1;
                self.phase = mux(self.record_end, Phase::Row, Phase::Initial);
            }
        }
    }

    /// Registers of the units.
    fn unit_registers(&mut self) {
        // Registers of the units.
        self.registers.clear_i = self.clear;
        self.registers.issue_i = self.issue & !self.is_alone;
        self.registers.is_copy_i = self.is_copy;
        self.copy_o = self.registers.copy_o;
        self.registers.header_pc_i = self.header_pc;
        self.registers.in_body_i = self.in_body;
        self.registers.phase_i = self.phase;
        self.registers.row_i = self.row;
        self.registers.col_i = self.col;
        self.registers.word_i = self.word;
        self.registers.start_i = (self.state == State::Start) & !self.found;
        self.registers.is_unit_i.follow(&self.is_unit);
        self.cfg_valid_o.follow(&self.registers.cfg_valid_o);
        self.cfg_clear_o.follow(&self.registers.cfg_clear_o);
        self.start_o.follow(&self.registers.start_o);
        self.param_o.follow(&self.registers.param_o);
        self.second_param_o.follow(&self.registers.second_param_o);
        self.unit_pc_o.follow(&self.registers.unit_pc_o);
        self.cfg_sel_o = self.registers.cfg_sel_o;
        self.cfg_row_o = self.registers.cfg_row_o;
        self.cfg_col_o = self.registers.cfg_col_o;
        self.cfg_data_o = self.registers.cfg_data_o;
        self.table_o = self.registers.table_o;
        self.repeat_o = self.registers.repeat_o;
        self.place_o = self.registers.place_o;

        for k in 0..self._clusters {
            self.command_o[k] = (self.issue & self.is_command[k]) | (self.in_body & self.is_raw);
            self.command_word_o[k] = self.word;
            if self.in_issue {
                if self._moves > 0 {
                    self.command_word_o[k] = self.word & GIVEN_COUNTED.to_bits::<32>();
                } else {
                    self.command_word_o[k] = self.word & GIVEN.to_bits::<32>();
                }
            }
        }
        self.running_o = self.state != State::Idle;
        self.clear_o = self.clear;
        self.pc_o = self.header_pc;
        self.cycle_o = !self.clear & (self.state != State::Quiet);
        self.wait_o = self.in_issue & self.hold;
        self.issue_o = self.issue;
    }
}
