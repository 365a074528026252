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
        self.blocked = (self.phase == DecodePhase::Stop) | self.verdict.suspect_o;
        self.free = self.cfg_ready_i & !self.verdict.starting_o;
        self.valid = self.full & !self.blocked;
        // START, the only opcode with bit 2, has no words behind word 0 that could wait for it. Written
        // with ==, because yosys 0.23 does not encode a state anew that is tested with !=.
        self.disturbs = !((self.phase == DecodePhase::Row)
            | ((self.phase == DecodePhase::Head) & !self.word.get_bit(2)));
        self.accept = self.valid & (self.free | !self.disturbs);
        self.instr_ready_o = (!self.full | self.accept) & !self.blocked & !self.clear_i;
        self.word.load(!self.full | self.accept, self.instr_data_i);
        self.full =
            (self.instr_valid_i | (self.full & !self.accept)) & !self.blocked & !self.clear_i;

        comment!("Opcode and words to come, this one included");
        self.opcode.en_i = self.accept;
        self.op = self.opcode;
        self.words = self.remaining;
        if self.phase == DecodePhase::Head {
            self.op = self.word.get_bits::<3>(0);
            self.words = self.word.get_bits::<8>(8);
        }
        self.opcode = self.op;
        self.remaining.load(self.accept, self.words - 1);
        self.last_word = self.words == 1;
        self.starts = (self.op == 0) | (self.op == 4);
        self.position.en_i = self.accept | self.clear_i;
        self.position = mux(self.last_word | self.clear_i, 0.into(), self.position + 1);

        comment!("Row, loop, and what the head and row word say");
        self.is_value = (self.phase == DecodePhase::Initial)
            | (self.phase == DecodePhase::Step)
            | (self.phase == DecodePhase::End);
        self.loops_left.en_i =
            self.accept & ((self.phase == DecodePhase::Row) | self.following.loop_end_o);
        self.loops_left = self.loops_left - 1;
        self.col.en_i =
            self.accept & ((self.phase == DecodePhase::Row) | self.following.loop_end_o);
        self.col = self.col + 1;
        if self.phase == DecodePhase::Row {
            self.loops_left = self.word.get_bits::<4>(4);
            self.col = 0.into();
        }
        self.row.en_i = self.accept & (self.phase == DecodePhase::Row);
        self.row = self.word.get_bits::<3>(0);
        self.kind.en_i = self.accept & (self.phase == DecodePhase::Row);
        self.kind = self.word.get_bits::<2>(8);
        self.attached.en_i = self.accept & (self.phase == DecodePhase::Row);
        self.attached = self.word.get_bit(10);
        self.attach_loop.en_i = self.accept & (self.phase == DecodePhase::Row);
        self.attach_loop = self.word.get_bits::<3>(12);
        self.test.en_i = self.accept & (self.phase == DecodePhase::Row);
        self.test = self.word.get_bits::<2>(16);
        self.flags.en_i = self.accept & (self.phase == DecodePhase::Head);
        self.flags = self.word.get_bits::<3>(24);
        self.run_flags.load(self.accept & self.disturbs, self.flags);
        if self.phase == DecodePhase::Head {
            self.run_flags = self.word.get_bits::<3>(24);
        }
        self.window_first.en_i = self.accept & (self.phase == DecodePhase::WindowFirst);
        self.window_first = self.word.get_bits::<A>(0);
        self.window_last.en_i = self.accept & (self.phase == DecodePhase::WindowEnd);
        self.window_last = (self.word - 1).get_bits::<A>(0);
    }

    /// What comes next, and the registers of the engine.
    fn next(&mut self) {
        comment!("What comes next");
        self.following.phase_i = self.phase;
        self.following.op_i = self.op;
        self.following.last_word_i = self.last_word;
        self.following.window_i = self.word.get_bit(26);
        self.following.row_loops_i = self.word.get_bits::<4>(4);
        self.following.loops_left_i = self.loops_left;
        self.phase.en_i = self.accept | self.clear_i | self.verdict.verdict_o;
        self.phase = self.following.next_o;
        if self.clear_i {
            self.phase = DecodePhase::Head;
        } else if self.verdict.verdict_o {
            self.phase = DecodePhase::Stop;
        }

        comment!("Registers of the engine");
        self.selected = mux(self.phase == DecodePhase::Initial, 0.into(), 3.into());
        if self.phase == DecodePhase::Step {
            self.selected = 1.into();
        }
        if self.phase == DecodePhase::End {
            self.selected = 2.into();
        }
        self.clearing = !self.clear_i
            & ((self.clearing & !self.free)
                | (self.accept
                    & (self.phase == DecodePhase::Head)
                    & ((self.op == 0) | (self.op == 1))));
        self.cfg_valid =
            self.accept & !self.clear_i & (self.is_value | (self.phase == DecodePhase::Base));
        self.cfg_sel = self.selected;
        self.cfg_row = self.row;
        self.cfg_col = self.col;
        self.cfg_data = self.word;
        self.cfg_kind = self.kind;
        self.cfg_attached = self.attached;
        self.cfg_loop = self.attach_loop;
        self.cfg_test = self.test;
        self.cfg_group = !self.starts;
        self.cfg_clear_o = self.clearing & self.free;
        self.cfg_valid_o = self.cfg_valid;
        self.cfg_sel_o = self.cfg_sel;
        self.cfg_row_o = self.cfg_row;
        self.cfg_col_o = self.cfg_col;
        self.cfg_data_o = self.cfg_data;
        self.cfg_kind_o = self.cfg_kind;
        self.cfg_attached_o = self.cfg_attached;
        self.cfg_loop_o = self.cfg_loop;
        self.cfg_equal_o = self.cfg_test == 1;
        self.cfg_trips_o = self.cfg_test == 2;
        self.cfg_group_o = self.cfg_group;
    }

    /// The verdict on each word, and the start.
    fn verdict(&mut self) {
        comment!("The verdict on each word, and the start");
        self.window_end = self.accept & !self.clear_i & (self.phase == DecodePhase::WindowEnd);
        self.window_empty = self.window_end & (self.window_last < self.window_first);
        self.verdict.clear_i = self.clear_i;
        self.verdict.position_i = self.position;
        self.verdict.ending_i = self.accept & self.last_word & self.starts;
        self.verdict.fault_i = self.check.fault_o;
        self.verdict.code_i = self.check.code_o;
        self.verdict.window_empty_i = self.window_empty;
        self.verdict.endless_i = self.endless_i;
        self.fault_o = self.verdict.verdict_o;
        self.fault_code_o = self.verdict.code_o;
        self.fault_word_o = self.verdict.position_o;
        self.start_o = self.verdict.start_o;

        comment!("What the next start asks for");
        self.offset_only_o = self.run_flags.get_bit(0);
        self.on_demand_o = self.run_flags.get_bit(1);
        self.window_o = self.run_flags.get_bit(2);
        self.window_first_o = self.window_first;
        self.window_last_o = self.window_last;

        comment!("Checks");
        self.check.clear_i = self.clear_i;
        self.check.accept_i = self.accept;
        self.check.word_i = self.word;
        self.check.phase_i = self.phase;
        self.check.op_i = self.op;
        self.check.words_i = self.words;
    }
}
