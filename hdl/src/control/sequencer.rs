//! Instruction fetch and decode.

use super::shape::SequencerShape;
use super::state::{Phase, State, Unit};
use super::{InstructionCheck, UnitRegisters, code};
use crate::post::PostOptions;
use heddle_arch::isa::ErrorCode;
use heddle_kernel::prelude::*;

/// Fetches instructions, checks them, sets up and starts the units.
///
/// An instruction of n words takes n + 2 cycles and the time it waits in Head for the units it
/// depends on. Writes to the registers of a unit leave one cycle after the word was read; the
/// start pulse stands on `start_o` in the cycle after Start. HALT and errors are followed by
/// Rows + Cols + 32 cycles in which the waves run out and the program still counts as running, so
/// that the host meets a machine at rest. SYNC is a header that waits. A copy and a drain never run at
/// the same time: both write to the state buffer. Index 0 of the vectors is the weight
/// unit, 1 the stream unit, 2 the drain unit.
///
/// # Timing
/// `host_start_i` in cycle t: Fetch in t + 1.
#[module(shape: SequencerShape, describe)]
pub struct Sequencer {
    /// Starts the program at `start_pc_i` (ignored while running).
    pub host_start_i: Signal<In, Bit>,
    /// Word address of the first instruction.
    pub start_pc_i: Signal<In, Bits<16>>,
    /// Writes one word of the program memory.
    pub program_wen_i: Signal<In, Bit>,
    /// Word address to write.
    pub program_waddr_i: Signal<In, Bits<16>>,
    /// Word to write.
    pub program_wdata_i: Signal<In, Bits<32>>,
    /// The first word of the program stands in the prefetch buffer.
    pub ready_i: [Signal<In, Bit>; banked],
    /// The unit is busy.
    pub busy_i: [Signal<In, Bit>; 3],
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
    /// Error code of the fault.
    pub fault_code_o: Signal<Out, Bits<8>>,
    /// Word address of the current instruction.
    pub pc_o: Signal<Out, Bits<16>>,
    /// Word address to read next, for who fills the prefetch buffer.
    pub fetch_pc_o: [Signal<Out, Bits<17>>; banked],
    /// A cycle to be counted.
    pub cycle_o: Signal<Out, Bit>,
    /// Head waits in this cycle.
    pub wait_o: Signal<Out, Bit>,
    /// An instruction leaves Head in this cycle.
    pub issue_o: Signal<Out, Bit>,
    #[new(Ram1r1w::new(1, shape.fetch_words()))]
    program: Ram1r1w<16, 32>,
    #[new(InstructionCheck::new(shape))]
    check: InstructionCheck,
    #[new(UnitRegisters::new(shape.post.pooling))]
    registers: UnitRegisters,
    state: Reg<State>,
    phase: Reg<Phase>,
    unit: Reg<Unit>,
    /// Word address to read next, one bit more than the memory needs.
    pc: Reg<Bits<17>>,
    /// Word address of the current header.
    header_pc: Reg<Bits<16>>,
    /// Words of the instruction that are still to come.
    remaining: Reg<Bits<8>>,
    loops_left: Reg<Bits<4>>,
    row: Reg<Bits<3>>,
    col: Reg<Bits<3>>,
    /// The third parameter word under way is the one of pooling.
    is_pool: [Reg<Bit>; pooling],
    quiet: Reg<Bits<10>>,
    /// Cycles that Head has waited without progress.
    stuck: Reg<Bits<12>>,
    word: Signal<Local, Bits<32>>,
    is_target: [Signal<Local, Bit>; 3],
    /// The header is a HALT or SYNC: nothing follows it, and it starts no unit.
    is_alone: Signal<Local, Bit>,
    /// The header is a copy.
    is_copy: Signal<Local, Bit>,
    is_unit: [Signal<Local, Bit>; 3],
    hold: Signal<Local, Bit>,
    in_head: Signal<Local, Bit>,
    in_body: Signal<Local, Bit>,
    proceed: Signal<Local, Bit>,
    issue: Signal<Local, Bit>,
    read: Signal<Local, Bit>,
    last_word: Signal<Local, Bit>,
    last_loop: Signal<Local, Bit>,
    record_end: Signal<Local, Bit>,
    /// Fetch has no word yet.
    awaits: [Signal<Local, Bit>; banked],
    clear: Signal<Local, Bit>,
    fault: Signal<Local, Bit>,
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
    _post: PostOptions,
    #[new(shape.post.pooling.into())]
    _pooling: usize,
    #[new(shape.post.extra())]
    _extra: usize,
}

impl Sequencer {
    fn describe(&self, meta: Meta) -> Meta {
        let meta = meta.doc_if(self._banked > 0, "The program lies in banks of the state buffer, the memory written and read here is the prefetch \
                 buffer. Fetch waits for the first word, Rows + 6 cycles longer than with a memory.");
        let meta = self._post.describe(meta);
        match self._extra {
            0 => meta,
            cycles => meta.doc(format!(
                "Options of post-processing add {cycles} to the cycles behind HALT and errors."
            )),
        }
    }
}

#[kernel]
impl Sequencer {
    fn update(&mut self) {
        self.fetch();
        self.head();
        self.faults();
        self.next_state();
        self.unit_registers();
    }

    /// The words of the program, and which unit an instruction is for.
    fn fetch(&mut self) {
        self.check.is_pool_i.follow(&self.is_pool);
        self.registers.is_pool_i.follow(&self.is_pool);
        self.pool_o.follow(&self.registers.pool_o);
        self.program.wen_i.next = self.program_wen_i.val();
        self.program.waddr_i.next = self.program_waddr_i.val();
        self.program.wdata_i[0].next = self.program_wdata_i.val();
        // No word of the prefetch buffer is read before it is written: Fetch waits for the first one, and the
        // buffer does not run empty behind it.
        for i in 0..self._banked {
            self.awaits[i].next = (self.state.q_o.val() == State::Fetch) & !self.ready_i[i].val();
            self.fetch_pc_o[i].next = self.pc.q_o.val();
        }
        if self._banked > 0 {
            self.program.ren_i.next = self.read.val() & !self.awaits[0].val();
        } else {
            self.program.ren_i.next = self.read.val();
        }
        self.program.raddr_i.next = self.pc.q_o.val().get_bits::<16>(0);
        self.word.next = self.program.rdata_o[0].val();
        self.check.word_i.next = self.word.val();
        self.check.columns_i.next = self.registers.param_o[2].val().get_bits::<9>(0);
        self.check.phase_i.next = self.phase.q_o.val();
        self.check.unit_i.next = self.unit.q_o.val();

        self.is_alone.next = self.check.is_halt_o.val() | self.check.is_sync_o.val();
        self.is_copy.next = self.check.target_o.val() == Unit::Copy;
        self.is_target[0].next = !self.is_alone.val()
            & ((self.check.target_o.val() == Unit::Weights) | self.is_copy.val());
        self.is_target[1].next = self.check.target_o.val() == Unit::Stream;
        self.is_target[2].next = self.check.target_o.val() == Unit::Drain;
        self.is_unit[0].next =
            (self.unit.q_o.val() == Unit::Weights) | (self.unit.q_o.val() == Unit::Copy);
        self.is_unit[1].next = self.unit.q_o.val() == Unit::Stream;
        self.is_unit[2].next = self.unit.q_o.val() == Unit::Drain;
    }

    /// Whether the instruction in Head may go on.
    fn head(&mut self) {
        // Head: HALT waits for all units, the others for the unit they start and those they name; a copy
        // waits for the drain unit too, and a drain for a copy.
        self.in_head.next = self.state.q_o.val() == State::Head;
        self.in_body.next = self.state.q_o.val() == State::Body;
        self.hold.next = false;
        for i in 0..3 {
            if self.busy_i[i].val()
                & (self.check.is_halt_o.val()
                    | self.is_target[i].val()
                    | self.word.val().get_bit(16 + i))
            {
                self.hold.next = true;
            }
        }
        if (self.busy_i[2].val() & self.is_copy.val())
            | (self.busy_i[0].val() & self.registers.copy_o.val() & self.is_target[2].val())
        {
            self.hold.next = true;
        }
        self.stuck.d_i.next = self.stuck.q_o.val() + 1;
        if !self.in_head.val() | self.progress_i.val() {
            self.stuck.d_i.next = 0.into();
        }
    }

    /// What stops the program.
    fn faults(&mut self) {
        // Body: where the words of the record go.
        self.last_word.next = self.remaining.q_o.val() == 1;
        self.last_loop.next = self.loops_left.q_o.val() == 1;
        self.record_end.next = ((self.phase.q_o.val() == Phase::Base)
            & (self.loops_left.q_o.val() == 0))
            | ((self.phase.q_o.val() == Phase::End) & self.last_loop.val());

        self.fault.next = false;
        self.fault_code_o.next = 0.into();
        if self.in_head.val() & (self.stuck.q_o.val() == 4095) {
            self.fault.next = true;
            self.fault_code_o.next = code(ErrorCode::Stuck).into();
        }
        if self.read.val() & ((self.pc.q_o.val() >> self._pc_bits.to_bits::<5>()) != 0) {
            self.fault.next = true;
            self.fault_code_o.next = code(ErrorCode::ProgramEnd).into();
        }
        if self.in_body.val() & self.last_word.val() & !self.record_end.val() {
            self.fault.next = true;
            self.fault_code_o.next = code(ErrorCode::BadLength).into();
        }
        if (self.in_body.val() & self.check.bad_field_o.val())
            | (self.in_head.val() & self.check.bad_header_o.val())
        {
            self.fault.next = true;
            self.fault_code_o.next = code(ErrorCode::BadField).into();
        }
        if self.in_head.val() & self.check.bad_length_o.val() {
            self.fault.next = true;
            self.fault_code_o.next = code(ErrorCode::BadLength).into();
        }
        if self.in_head.val() & !self.check.is_known_o.val() {
            self.fault.next = true;
            self.fault_code_o.next = code(ErrorCode::IllegalOpcode).into();
        }
        self.fault_o.next = self.fault.val();
    }

    /// The state of the next cycle.
    fn next_state(&mut self) {
        self.proceed.next = self.in_head.val() & !self.hold.val();
        self.issue.next = self.proceed.val() & !self.fault.val();
        self.read.next = (self.state.q_o.val() == State::Fetch)
            | (self.proceed.val() & !self.is_alone.val())
            | (self.in_body.val() & !self.last_word.val());
        self.pc.d_i.next = self.pc.q_o.val();
        if self.read.val() {
            self.pc.d_i.next = self.pc.q_o.val() + 1;
        }
        for i in 0..self._banked {
            if self.awaits[i].val() {
                self.pc.d_i.next = self.pc.q_o.val();
            }
        }

        self.state.d_i.next = self.state.q_o.val();
        self.phase.d_i.next = self.phase.q_o.val();
        self.unit.d_i.next = self.unit.q_o.val();
        self.header_pc.d_i.next = self.header_pc.q_o.val();
        self.remaining.d_i.next = self.remaining.q_o.val();
        self.loops_left.d_i.next = self.loops_left.q_o.val();
        self.row.d_i.next = self.row.q_o.val();
        self.col.d_i.next = self.col.q_o.val();
        for i in 0..self._pooling {
            self.is_pool[i].d_i.next = self.is_pool[i].q_o.val();
        }
        self.quiet.d_i.next = (self._rows + self._cols + self._extra + 31).to_bits::<10>();
        self.halt_o.next = false;
        match self.state.q_o.val() {
            State::Idle => {
                if self.host_start_i.val() {
                    self.state.d_i.next = State::Fetch;
                    self.pc.d_i.next = self.start_pc_i.val().get_bits::<17>(0);
                }
            }
            State::Fetch => {
                self.header_pc.d_i.next = self.pc.q_o.val().get_bits::<16>(0);
                self.state.d_i.next = State::Head;
                for i in 0..self._banked {
                    if self.awaits[i].val() {
                        self.state.d_i.next = State::Fetch;
                    }
                }
            }
            State::Head => {
                self.remaining.d_i.next = self.word.val().get_bits::<8>(8) - 1;
                self.unit.d_i.next = self.check.target_o.val();
                self.phase.d_i.next = Phase::Param;
                if self.issue.val() {
                    self.state.d_i.next = State::Body;
                    if self.check.is_halt_o.val() {
                        self.state.d_i.next = State::Quiet;
                    }
                    if self.check.is_sync_o.val() {
                        self.state.d_i.next = State::Fetch;
                    }
                }
            }
            State::Body => {
                self.remaining.d_i.next = self.remaining.q_o.val() - 1;
                if self.last_word.val() {
                    self.state.d_i.next = State::Start;
                }
                self.next_phase();
            }
            State::Start => {
                self.state.d_i.next = State::Fetch;
            }
            _ => {
                self.quiet.d_i.next = self.quiet.q_o.val() - 1;
                if self.quiet.q_o.val() == 0 {
                    self.state.d_i.next = State::Idle;
                    self.halt_o.next = self.state.q_o.val() == State::Quiet;
                }
            }
        }
        self.clear.next =
            (self.state.q_o.val() == State::Idle) | (self.state.q_o.val() == State::Stop);
        if (self.fault.val() | self.unit_error_i.val()) & !self.clear.val() {
            self.state.d_i.next = State::Stop;
            self.quiet.d_i.next = (self._rows + self._cols + self._extra + 31).to_bits::<10>();
            self.halt_o.next = false;
        }
    }

    /// Which word of the instruction comes next.
    fn next_phase(&mut self) {
        match self.phase.q_o.val() {
            Phase::Param => {
                self.phase.d_i.next = Phase::SecondParam;
                if self.unit.q_o.val() == Unit::Weights {
                    self.phase.d_i.next = Phase::Row;
                }
            }
            Phase::SecondParam => {
                self.phase.d_i.next = Phase::Row;
                if self.is_unit[1].val() & self.registers.param_o[1].val().get_bit(24) {
                    self.phase.d_i.next = Phase::Repeat;
                }
                if (self.is_unit[1].val() & self.registers.param_o[1].val().get_bit(15))
                    | (self.is_unit[2].val() & self.registers.param_o[2].val().get_bit(10))
                {
                    self.phase.d_i.next = Phase::ThirdParam;
                }
                // The word of pooling stands behind that of the columns, if there is one.
                for i in 0..self._pooling {
                    self.is_pool[i].d_i.next =
                        self.is_unit[2].val() & !self.registers.param_o[2].val().get_bit(10);
                    if self.is_unit[2].val() & self.registers.param_o[2].val().get_bit(15) {
                        self.phase.d_i.next = Phase::ThirdParam;
                    }
                }
            }
            Phase::ThirdParam => {
                self.phase.d_i.next = Phase::Row;
                if self.is_unit[1].val() & self.registers.param_o[1].val().get_bit(24) {
                    self.phase.d_i.next = Phase::Repeat;
                }
                for i in 0..self._pooling {
                    self.is_pool[i].d_i.next = true;
                    if self.is_unit[2].val()
                        & self.registers.param_o[2].val().get_bit(15)
                        & !self.is_pool[i].q_o.val()
                    {
                        self.phase.d_i.next = Phase::ThirdParam;
                    }
                }
            }
            Phase::Repeat => {
                self.phase.d_i.next = Phase::Row;
            }
            Phase::Row => {
                self.row.d_i.next = self.word.val().get_bits::<3>(0);
                self.col.d_i.next = 0.into();
                self.loops_left.d_i.next = self.word.val().get_bits::<4>(4);
                self.phase.d_i.next = Phase::Base;
            }
            Phase::Base => {
                self.phase.d_i.next = Phase::Initial;
                if self.record_end.val() {
                    self.phase.d_i.next = Phase::Row;
                }
            }
            Phase::Initial => {
                self.phase.d_i.next = Phase::Step;
            }
            Phase::Step => {
                self.phase.d_i.next = Phase::End;
            }
            _ => {
                self.col.d_i.next = self.col.q_o.val() + 1;
                self.loops_left.d_i.next = self.loops_left.q_o.val() - 1;
                self.phase.d_i.next = Phase::Initial;
                if self.record_end.val() {
                    self.phase.d_i.next = Phase::Row;
                }
            }
        }
    }

    /// Registers of the units.
    fn unit_registers(&mut self) {
        // Registers of the units.
        self.registers.clear_i.next = self.clear.val();
        self.registers.issue_i.next = self.issue.val() & !self.is_alone.val();
        self.registers.is_copy_i.next = self.is_copy.val();
        self.copy_o.next = self.registers.copy_o.val();
        self.registers.header_pc_i.next = self.header_pc.q_o.val();
        self.registers.in_body_i.next = self.in_body.val();
        self.registers.phase_i.next = self.phase.q_o.val();
        self.registers.row_i.next = self.row.q_o.val();
        self.registers.col_i.next = self.col.q_o.val();
        self.registers.word_i.next = self.word.val();
        self.registers.start_i.next = self.state.q_o.val() == State::Start;
        self.registers.is_target_i.follow(&self.is_target);
        self.registers.is_unit_i.follow(&self.is_unit);
        self.cfg_valid_o.follow(&self.registers.cfg_valid_o);
        self.cfg_clear_o.follow(&self.registers.cfg_clear_o);
        self.start_o.follow(&self.registers.start_o);
        self.param_o.follow(&self.registers.param_o);
        self.second_param_o.follow(&self.registers.second_param_o);
        self.unit_pc_o.follow(&self.registers.unit_pc_o);
        self.cfg_sel_o.next = self.registers.cfg_sel_o.val();
        self.cfg_row_o.next = self.registers.cfg_row_o.val();
        self.cfg_col_o.next = self.registers.cfg_col_o.val();
        self.cfg_data_o.next = self.registers.cfg_data_o.val();
        self.table_o.next = self.registers.table_o.val();
        self.repeat_o.next = self.registers.repeat_o.val();
        self.place_o.next = self.registers.place_o.val();

        self.running_o.next = self.state.q_o.val() != State::Idle;
        self.clear_o.next = self.clear.val();
        self.pc_o.next = self.header_pc.q_o.val();
        if self.state.q_o.val() == State::Fetch {
            self.pc_o.next = self.pc.q_o.val().get_bits::<16>(0);
        }
        self.cycle_o.next = !self.clear.val() & (self.state.q_o.val() != State::Quiet);
        self.wait_o.next = self.in_head.val() & self.hold.val();
        self.issue_o.next = self.issue.val();
    }
}
