//! Instruction decoder.

use super::{DecodePhase, NextPhase, RecordCheck, TraversalShape, WordVerdict};
use heddle_kernel::prelude::*;

/// Instruction decoder of the stand-alone traversal unit: takes instruction words, checks each of
/// them, writes the registers of the engine and starts it. `docs/traversal.md` has the words and
/// the errors.
///
/// # Timing
/// One word per clock. Word 0 of all instructions but START and the row word behind it go ahead while
/// an earlier start is on its way; the word behind them waits until the registers may be written. A
/// word taken in cycle t is looked at in t + 1 if it need not wait, writes its register in t + 2, and
/// proves right or wrong in t + 4: by then its loop is known to end. A start comes five cycles after
/// the last word was taken. The first wrong word stops the decoder until `clear_i`; what it wrote is
/// of no consequence, because nothing is started any more.
#[module(describe)]
pub struct TraversalDecoder<const W: usize, const A: usize> {
    /// Forgets the instruction and the error.
    pub clear_i: Signal<In, Bit>,
    /// An instruction word is offered.
    pub instr_valid_i: Signal<In, Bit>,
    /// It is taken at this clock edge.
    pub instr_ready_o: Signal<Out, Bit>,
    /// Instruction word.
    pub instr_data_i: Signal<In, Bits<32>>,
    /// Registers may be written.
    pub cfg_ready_i: Signal<In, Bit>,
    /// The loop whose end was written two cycles before never ends.
    pub endless_i: Signal<In, Bit>,
    /// Clears the registers.
    pub cfg_clear_o: Signal<Out, Bit>,
    /// Writes a register.
    pub cfg_valid_o: Signal<Out, Bit>,
    /// Register: 0 initial value, 1 step, 2 end, 3 base.
    pub cfg_sel_o: Signal<Out, Bits<2>>,
    /// Row.
    pub cfg_row_o: Signal<Out, Bits<3>>,
    /// Loop.
    pub cfg_col_o: Signal<Out, Bits<3>>,
    /// Value.
    pub cfg_data_o: Signal<Out, Bits<32>>,
    /// Kind of the row.
    pub cfg_kind_o: Signal<Out, Bits<2>>,
    /// The row is attached to a loop of the tensor.
    pub cfg_attached_o: Signal<Out, Bit>,
    /// That loop.
    pub cfg_loop_o: Signal<Out, Bits<3>>,
    /// The end test is equality.
    pub cfg_equal_o: Signal<Out, Bit>,
    /// The end is a number of iterations.
    pub cfg_trips_o: Signal<Out, Bit>,
    /// The values of the instruction are one group.
    pub cfg_group_o: Signal<Out, Bit>,
    /// Starts the engine.
    pub start_o: Signal<Out, Bit>,
    /// The base is not added.
    pub offset_only_o: Signal<Out, Bit>,
    /// Addresses are formed on demand.
    pub on_demand_o: Signal<Out, Bit>,
    /// There is a window.
    pub window_o: Signal<Out, Bit>,
    /// First address of the window.
    pub window_first_o: Signal<Out, Bits<A>>,
    /// Last address of the window.
    pub window_last_o: Signal<Out, Bits<A>>,
    /// A word was wrong, three cycles after it was looked at.
    pub fault_o: Signal<Out, Bit>,
    /// Code of the error.
    pub fault_code_o: Signal<Out, Bits<8>>,
    /// Position of the word in its instruction.
    pub fault_word_o: Signal<Out, Bits<8>>,
    #[new(RecordCheck::new(shape))]
    check: RecordCheck<W, A>,
    following: NextPhase,
    #[new(WordVerdict::default())]
    verdict: WordVerdict,
    full: Reg<Bit>,
    word: RegData<Bits<32>>,
    phase: RegEn<DecodePhase>,
    opcode: RegData<Bits<3>>,
    /// Words of the instruction that are still to come, this one included.
    remaining: RegData<Bits<8>>,
    position: RegEn<Bits<8>>,
    /// The word accepted last was the end of a window.
    window_end: Reg<Bit>,
    window_empty: Signal<Local, Bit>,
    loops_left: RegData<Bits<4>>,
    row: RegData<Bits<3>>,
    col: RegData<Bits<3>>,
    kind: RegData<Bits<2>>,
    attached: RegData<Bit>,
    attach_loop: RegData<Bits<3>>,
    test: RegData<Bits<2>>,
    /// Of the instruction under way.
    flags: RegData<Bits<3>>,
    /// Of the one that starts, stable until it is loaded.
    run_flags: RegData<Bits<3>>,
    window_first: RegData<Bits<A>>,
    window_last: RegData<Bits<A>>,
    /// The registers are to be cleared.
    clearing: Reg<Bit>,
    /// The register that is written.
    cfg_valid: Reg<Bit>,
    cfg_sel: Delay<Bits<2>>,
    cfg_row: Delay<Bits<3>>,
    cfg_col: Delay<Bits<3>>,
    cfg_data: Delay<Bits<32>>,
    cfg_kind: Delay<Bits<2>>,
    cfg_attached: Delay<Bit>,
    cfg_loop: Delay<Bits<3>>,
    cfg_test: Delay<Bits<2>>,
    cfg_group: Delay<Bit>,
    valid: Signal<Local, Bit>,
    /// The word changes what an earlier start may still need.
    disturbs: Signal<Local, Bit>,
    /// No start is on its way.
    free: Signal<Local, Bit>,
    /// A word looked at before is wrong, or the decoder has stopped.
    blocked: Signal<Local, Bit>,
    selected: Signal<Local, Bits<2>>,
    accept: Signal<Local, Bit>,
    /// Low bits of the opcode: 0 TRAVERSE, 1 to 3 the groups, 4 START.
    op: Signal<Local, Bits<3>>,
    words: Signal<Local, Bits<8>>,
    last_word: Signal<Local, Bit>,
    starts: Signal<Local, Bit>,
    is_value: Signal<Local, Bit>,
    _shape: TraversalShape,
}

impl<const W: usize, const A: usize> TraversalDecoder<W, A> {
    fn describe(&self, meta: Meta) -> Meta {
        self._shape.describe(meta, W, A, "qtig")
    }
}

#[kernel]
impl<const W: usize, const A: usize> TraversalDecoder<W, A> {
    fn update(&mut self) {
        self.word();
        self.next();
        self.verdict();
    }

    /// The word at hand: its opcode, row and loop.
    fn word(&mut self) {
        comment!("The word at hand");
        self.blocked.next =
            (self.phase.q_o.val() == DecodePhase::Stop) | self.verdict.suspect_o.val();
        self.free.next = self.cfg_ready_i.val() & !self.verdict.starting_o.val();
        self.valid.next = self.full.q_o.val() & !self.blocked.val();
        // START, the only opcode with bit 2, has no words behind word 0 that could wait for it. Written
        // with ==, because yosys 0.23 does not encode a state anew that is tested with !=.
        self.disturbs.next = !((self.phase.q_o.val() == DecodePhase::Row)
            | ((self.phase.q_o.val() == DecodePhase::Head) & !self.word.q_o.val().get_bit(2)));
        self.accept.next = self.valid.val() & (self.free.val() | !self.disturbs.val());
        self.instr_ready_o.next =
            (!self.full.q_o.val() | self.accept.val()) & !self.blocked.val() & !self.clear_i.val();
        self.word.en_i.next = !self.full.q_o.val() | self.accept.val();
        self.word.d_i.next = self.instr_data_i.val();
        self.full.d_i.next = (self.instr_valid_i.val()
            | (self.full.q_o.val() & !self.accept.val()))
            & !self.blocked.val()
            & !self.clear_i.val();

        comment!("Opcode and words to come, this one included");
        self.opcode.en_i.next = self.accept.val();
        self.op.next = self.opcode.q_o.val();
        self.words.next = self.remaining.q_o.val();
        if self.phase.q_o.val() == DecodePhase::Head {
            self.op.next = self.word.q_o.val().get_bits::<3>(0);
            self.words.next = self.word.q_o.val().get_bits::<8>(8);
        }
        self.opcode.d_i.next = self.op.val();
        self.remaining.en_i.next = self.accept.val();
        self.remaining.d_i.next = self.words.val() - 1;
        self.last_word.next = self.words.val() == 1;
        self.starts.next = (self.op.val() == 0) | (self.op.val() == 4);
        self.position.en_i.next = self.accept.val() | self.clear_i.val();
        self.position.d_i.next = self.position.q_o.val() + 1;
        if self.last_word.val() | self.clear_i.val() {
            self.position.d_i.next = 0.into();
        }

        comment!("Row, loop, and what the head and row word say");
        self.is_value.next = (self.phase.q_o.val() == DecodePhase::Initial)
            | (self.phase.q_o.val() == DecodePhase::Step)
            | (self.phase.q_o.val() == DecodePhase::End);
        self.loops_left.en_i.next = self.accept.val()
            & ((self.phase.q_o.val() == DecodePhase::Row) | self.following.loop_end_o.val());
        self.loops_left.d_i.next = self.loops_left.q_o.val() - 1;
        self.col.en_i.next = self.accept.val()
            & ((self.phase.q_o.val() == DecodePhase::Row) | self.following.loop_end_o.val());
        self.col.d_i.next = self.col.q_o.val() + 1;
        if self.phase.q_o.val() == DecodePhase::Row {
            self.loops_left.d_i.next = self.word.q_o.val().get_bits::<4>(4);
            self.col.d_i.next = 0.into();
        }
        self.row.en_i.next = self.accept.val() & (self.phase.q_o.val() == DecodePhase::Row);
        self.row.d_i.next = self.word.q_o.val().get_bits::<3>(0);
        self.kind.en_i.next = self.accept.val() & (self.phase.q_o.val() == DecodePhase::Row);
        self.kind.d_i.next = self.word.q_o.val().get_bits::<2>(8);
        self.attached.en_i.next = self.accept.val() & (self.phase.q_o.val() == DecodePhase::Row);
        self.attached.d_i.next = self.word.q_o.val().get_bit(10);
        self.attach_loop.en_i.next = self.accept.val() & (self.phase.q_o.val() == DecodePhase::Row);
        self.attach_loop.d_i.next = self.word.q_o.val().get_bits::<3>(12);
        self.test.en_i.next = self.accept.val() & (self.phase.q_o.val() == DecodePhase::Row);
        self.test.d_i.next = self.word.q_o.val().get_bits::<2>(16);
        self.flags.en_i.next = self.accept.val() & (self.phase.q_o.val() == DecodePhase::Head);
        self.flags.d_i.next = self.word.q_o.val().get_bits::<3>(24);
        self.run_flags.en_i.next = self.accept.val() & self.disturbs.val();
        self.run_flags.d_i.next = self.flags.q_o.val();
        if self.phase.q_o.val() == DecodePhase::Head {
            self.run_flags.d_i.next = self.word.q_o.val().get_bits::<3>(24);
        }
        self.window_first.en_i.next =
            self.accept.val() & (self.phase.q_o.val() == DecodePhase::WindowFirst);
        self.window_first.d_i.next = self.word.q_o.val().get_bits::<A>(0);
        self.window_last.en_i.next =
            self.accept.val() & (self.phase.q_o.val() == DecodePhase::WindowEnd);
        self.window_last.d_i.next = (self.word.q_o.val() - 1).get_bits::<A>(0);
    }

    /// What comes next, and the registers of the engine.
    fn next(&mut self) {
        comment!("What comes next");
        self.following.phase_i.next = self.phase.q_o.val();
        self.following.op_i.next = self.op.val();
        self.following.last_word_i.next = self.last_word.val();
        self.following.window_i.next = self.word.q_o.val().get_bit(26);
        self.following.row_loops_i.next = self.word.q_o.val().get_bits::<4>(4);
        self.following.loops_left_i.next = self.loops_left.q_o.val();
        self.phase.en_i.next =
            self.accept.val() | self.clear_i.val() | self.verdict.verdict_o.val();
        self.phase.d_i.next = self.following.next_o.val();
        if self.clear_i.val() {
            self.phase.d_i.next = DecodePhase::Head;
        } else if self.verdict.verdict_o.val() {
            self.phase.d_i.next = DecodePhase::Stop;
        }

        comment!("Registers of the engine");
        self.selected.next = 3.into();
        if self.phase.q_o.val() == DecodePhase::Initial {
            self.selected.next = 0.into();
        }
        if self.phase.q_o.val() == DecodePhase::Step {
            self.selected.next = 1.into();
        }
        if self.phase.q_o.val() == DecodePhase::End {
            self.selected.next = 2.into();
        }
        self.clearing.d_i.next = !self.clear_i.val()
            & ((self.clearing.q_o.val() & !self.free.val())
                | (self.accept.val()
                    & (self.phase.q_o.val() == DecodePhase::Head)
                    & ((self.op.val() == 0) | (self.op.val() == 1))));
        self.cfg_valid.d_i.next = self.accept.val()
            & !self.clear_i.val()
            & (self.is_value.val() | (self.phase.q_o.val() == DecodePhase::Base));
        self.cfg_sel.d_i.next = self.selected.val();
        self.cfg_row.d_i.next = self.row.q_o.val();
        self.cfg_col.d_i.next = self.col.q_o.val();
        self.cfg_data.d_i.next = self.word.q_o.val();
        self.cfg_kind.d_i.next = self.kind.q_o.val();
        self.cfg_attached.d_i.next = self.attached.q_o.val();
        self.cfg_loop.d_i.next = self.attach_loop.q_o.val();
        self.cfg_test.d_i.next = self.test.q_o.val();
        self.cfg_group.d_i.next = !self.starts.val();
        self.cfg_clear_o.next = self.clearing.q_o.val() & self.free.val();
        self.cfg_valid_o.next = self.cfg_valid.q_o.val();
        self.cfg_sel_o.next = self.cfg_sel.q_o.val();
        self.cfg_row_o.next = self.cfg_row.q_o.val();
        self.cfg_col_o.next = self.cfg_col.q_o.val();
        self.cfg_data_o.next = self.cfg_data.q_o.val();
        self.cfg_kind_o.next = self.cfg_kind.q_o.val();
        self.cfg_attached_o.next = self.cfg_attached.q_o.val();
        self.cfg_loop_o.next = self.cfg_loop.q_o.val();
        self.cfg_equal_o.next = self.cfg_test.q_o.val() == 1;
        self.cfg_trips_o.next = self.cfg_test.q_o.val() == 2;
        self.cfg_group_o.next = self.cfg_group.q_o.val();
    }

    /// The verdict on each word, and the start.
    fn verdict(&mut self) {
        comment!("The verdict on each word, and the start");
        self.window_end.d_i.next = self.accept.val()
            & !self.clear_i.val()
            & (self.phase.q_o.val() == DecodePhase::WindowEnd);
        self.window_empty.next =
            self.window_end.q_o.val() & (self.window_last.q_o.val() < self.window_first.q_o.val());
        self.verdict.clear_i.next = self.clear_i.val();
        self.verdict.position_i.next = self.position.q_o.val();
        self.verdict.ending_i.next = self.accept.val() & self.last_word.val() & self.starts.val();
        self.verdict.fault_i.next = self.check.fault_o.val();
        self.verdict.code_i.next = self.check.code_o.val();
        self.verdict.window_empty_i.next = self.window_empty.val();
        self.verdict.endless_i.next = self.endless_i.val();
        self.fault_o.next = self.verdict.verdict_o.val();
        self.fault_code_o.next = self.verdict.code_o.val();
        self.fault_word_o.next = self.verdict.position_o.val();
        self.start_o.next = self.verdict.start_o.val();

        comment!("What the next start asks for");
        self.offset_only_o.next = self.run_flags.q_o.val().get_bit(0);
        self.on_demand_o.next = self.run_flags.q_o.val().get_bit(1);
        self.window_o.next = self.run_flags.q_o.val().get_bit(2);
        self.window_first_o.next = self.window_first.q_o.val();
        self.window_last_o.next = self.window_last.q_o.val();

        comment!("Checks");
        self.check.clear_i.next = self.clear_i.val();
        self.check.accept_i.next = self.accept.val();
        self.check.word_i.next = self.word.q_o.val();
        self.check.phase_i.next = self.phase.q_o.val();
        self.check.op_i.next = self.op.val();
        self.check.words_i.next = self.words.val();
    }
}
