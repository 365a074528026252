//! Which instruction words of the stand-alone unit are legal.

use super::{DecodePhase, TraversalShape};
use heddle_kernel::prelude::*;

/// Checks one instruction word, and remembers of the words before what that takes. Whether a window
/// holds an address, and whether a loop ends, is found elsewhere.
///
/// # Timing
/// The fault of a word accepted in cycle t is at the output in t + 1.
#[module(name = "traversal_record_check", build, describe)]
pub struct RecordCheck<const W: usize, const A: usize> {
    /// Forgets everything.
    pub clear_i: Signal<In, Bit>,
    /// The word is accepted.
    pub accept_i: Signal<In, Bit>,
    /// Word.
    pub word_i: Signal<In, Bits<32>>,
    /// Its place in the instruction.
    pub phase_i: Signal<In, DecodePhase>,
    /// Low bits of the opcode: 0 TRAVERSE, 1 to 3 the groups, 4 START.
    pub op_i: Signal<In, Bits<3>>,
    /// Words of the instruction still to come, this one included.
    pub words_i: Signal<In, Bits<8>>,
    /// The word accepted one cycle before is wrong.
    pub fault_o: Signal<Out, Bit>,
    /// Code of the error.
    pub code_o: Signal<Out, Bits<8>>,
    /// 0 nothing is loaded, 1 initial values, 2 steps too, 3 all.
    setup: RegEn<Bits<2>>,
    /// The row belongs to the record.
    listed: [RegEn<Bit>; shape.rows],
    /// The row had its block in this instruction.
    seen: [RegEn<Bit>; shape.rows],
    /// 0 only prologues so far, 1 a tensor, 2 an epilogue.
    rank: RegEn<Bits<2>>,
    tensor: RegEn<Bit>,
    many: RegEn<Bit>,
    attached: RegEn<Bit>,
    /// Faults of the word accepted last.
    taken: Reg<Bit>,
    bad_opcode: Delay<Bit>,
    bad_length: Delay<Bit>,
    bad_head: Delay<Bit>,
    bad_row: Delay<Bit>,
    bad_role: Delay<Bit>,
    bad_value: Delay<Bit>,
    is_empty: Delay<Bit>,
    out_of_order: Delay<Bit>,
    bad_field: Signal<Local, Bit>,
    is_head: Signal<Local, Bit>,
    is_row: Signal<Local, Bit>,
    creates: Signal<Local, Bit>,
    grouped: Signal<Local, Bit>,
    last_word: Signal<Local, Bit>,
    built: Signal<Local, Bit>,
    fixed: Signal<Local, Bits<8>>,
    length: Signal<Local, Bits<8>>,
    row_loops: Signal<Local, Bits<8>>,
    whole_block: Signal<Local, Bits<8>>,
    block_words: Signal<Local, Bits<8>>,
    kind: Signal<Local, Bits<2>>,
    row_rank: Signal<Local, Bits<2>>,
    row_attached: Signal<Local, Bit>,
    attach_loop: Signal<Local, Bits<3>>,
    test: Signal<Local, Bits<2>>,
    next_tensor: Signal<Local, Bit>,
    next_many: Signal<Local, Bit>,
    next_attached: Signal<Local, Bit>,
    was_seen: Signal<Local, Bit>,
    was_listed: Signal<Local, Bit>,
    bad_test: Signal<Local, Bit>,
    bad_attach: Signal<Local, Bit>,
    homeless: Signal<Local, Bit>,
    above: Signal<Local, Bit>,
    whole_space: Signal<Local, Bit>,
    _rows: usize,
    _loops: usize,
    _last_row: usize,
    _above_space: usize,
    _last_loop: usize,
    _offset_bits: usize,
    _address_bits: usize,
    _equality: usize,
    _trips: usize,
    _attach: usize,
    _group: usize,
    _shape: TraversalShape,
}

impl<const W: usize, const A: usize> RecordCheck<W, A> {
    /// The checks of a unit.
    pub fn new(shape: TraversalShape) -> Self {
        Self::build(
            shape.rows,
            shape.loops,
            shape.rows - 1,
            (A < 32).into(),
            shape.loops - 1,
            W,
            A,
            shape.equality.into(),
            shape.trips.into(),
            shape.attach.into(),
            shape.group.into(),
            shape,
        )
    }
}

impl<const W: usize, const A: usize> RecordCheck<W, A> {
    fn describe(&self, meta: Meta) -> Meta {
        self._shape
            .describe(meta, W, A, "qtig")
            .hidden("offset_bits", W, "W, for shifts")
            .hidden("address_bits", A, "A, for shifts")
            .hidden("last_row", self._last_row, "highest row")
            .hidden(
                "above_space",
                self._above_space,
                "2^A without its low A bits, in 32 bits",
            )
            .hidden("last_loop", self._last_loop, "outermost loop")
    }
}

#[kernel]
impl<const W: usize, const A: usize> RecordCheck<W, A> {
    fn update(&mut self) {
        self.row_word();
        self.first_word();
        self.faults();
        self.loaded();
    }

    /// What the word at hand is, and the bounds of its offsets.
    fn row_word(&mut self) {
        self.is_head.next = self.phase_i.val() == DecodePhase::Head;
        self.is_row.next = self.phase_i.val() == DecodePhase::Row;
        self.creates.next = (self.op_i.val() == 0) | (self.op_i.val() == 1);
        self.grouped.next =
            (self.op_i.val() == 1) | (self.op_i.val() == 2) | (self.op_i.val() == 3);
        self.last_word.next = self.words_i.val() == 1;

        comment!("Fields of a row word");
        self.row_loops.next = self.word_i.val().get_bits::<4>(4).get_bits::<8>(0);
        self.kind.next = self.word_i.val().get_bits::<2>(8);
        self.row_attached.next = self.word_i.val().get_bit(10);
        self.attach_loop.next = self.word_i.val().get_bits::<3>(12);
        self.test.next = self.word_i.val().get_bits::<2>(16);
        self.row_rank.next = 1.into();
        if self.kind.val() == 1 {
            self.row_rank.next = 0.into();
        } else if self.kind.val() == 2 {
            self.row_rank.next = 2.into();
        }
        comment!("A table, because an adder in front of the comparison takes too long");
        match self.word_i.val().get_bits::<4>(4).index() {
            0 => {
                self.whole_block.next = 2.into();
            }
            1 => {
                self.whole_block.next = 5.into();
            }
            2 => {
                self.whole_block.next = 8.into();
            }
            3 => {
                self.whole_block.next = 11.into();
            }
            4 => {
                self.whole_block.next = 14.into();
            }
            5 => {
                self.whole_block.next = 17.into();
            }
            6 => {
                self.whole_block.next = 20.into();
            }
            7 => {
                self.whole_block.next = 23.into();
            }
            8 => {
                self.whole_block.next = 26.into();
            }
            9 => {
                self.whole_block.next = 29.into();
            }
            10 => {
                self.whole_block.next = 32.into();
            }
            11 => {
                self.whole_block.next = 35.into();
            }
            12 => {
                self.whole_block.next = 38.into();
            }
            13 => {
                self.whole_block.next = 41.into();
            }
            14 => {
                self.whole_block.next = 44.into();
            }
            _ => {
                self.whole_block.next = 47.into();
            }
        }
        self.block_words.next = self.row_loops.val() + 1;
        if self.op_i.val() == 0 {
            self.block_words.next = self.whole_block.val();
        } else if self.op_i.val() == 1 {
            self.block_words.next = self.row_loops.val() + 2;
        }
        self.was_seen.next = false;
        self.was_listed.next = false;
        for r in 0..self._rows {
            if self.word_i.val().get_bits::<3>(0) == r.to_bits::<3>() {
                self.was_seen.next = self.was_seen.val() | self.seen[r].q_o.val();
                self.was_listed.next = self.was_listed.val() | self.listed[r].q_o.val();
            }
        }
        self.next_tensor.next = self.tensor.q_o.val() | (self.kind.val() == 0);
        self.next_many.next =
            self.many.q_o.val() | (self.tensor.q_o.val() & (self.kind.val() == 0));
        self.next_attached.next = self.attached.q_o.val() | self.row_attached.val();
        self.bad_test.next = self.test.val() == 3;
        if self._equality < 1 {
            self.bad_test.next = self.bad_test.val() | (self.test.val() == 1);
        }
        if self._trips < 1 {
            self.bad_test.next = self.bad_test.val() | (self.test.val() == 2);
        }
        if self._attach > 0 {
            self.bad_attach.next = (!self.row_attached.val() & (self.attach_loop.val() != 0))
                | (self.row_attached.val()
                    & ((self.kind.val() == 0)
                        | (self.attach_loop.val() > self._last_loop.to_bits::<3>())));
        } else {
            self.bad_attach.next = self.row_attached.val() | (self.attach_loop.val() != 0);
        }
        self.homeless.next =
            self.last_word.val() & self.attached.q_o.val() & !self.tensor.q_o.val();
    }

    /// What word 0 asks for.
    fn first_word(&mut self) {
        comment!("Fields of word 0");
        self.length.next = self.word_i.val().get_bits::<8>(8);
        self.fixed.next = 1.into();
        if self.word_i.val().get_bit(26) & !self.grouped.val() {
            self.fixed.next = 3.into();
        }
        self.built.next = (self.op_i.val() == 0) | (self.op_i.val() == 4);
        if self._group > 0 {
            self.built.next = self.built.val() | self.grouped.val();
        }
        self.above.next = (self.word_i.val() >> self._address_bits.to_bits::<6>()) != 0;
        // Behind the last address of all: 2^A, which is 0 in a word of 32 bits.
        self.whole_space.next = (self.word_i.val().get_bits::<A>(0) == 0)
            & ((self.word_i.val() >> self._address_bits.to_bits::<6>())
                == self._above_space.to_bits::<32>());
    }

    /// One register for each kind of fault.
    fn faults(&mut self) {
        comment!("One register for each kind of fault");
        self.taken.d_i.next = self.accept_i.val() & !self.clear_i.val();
        self.bad_opcode.d_i.next =
            self.is_head.val() & ((self.word_i.val().get_bits::<5>(3) != 1) | !self.built.val());
        self.bad_length.d_i.next = (self.is_head.val()
            & ((self.length.val() < self.fixed.val())
                | ((self.op_i.val() == 4) & (self.length.val() != self.fixed.val()))))
            | (self.is_row.val() & (self.block_words.val() > self.words_i.val()));
        self.bad_head.d_i.next = self.is_head.val()
            & ((self.word_i.val().get_bits::<8>(16) != 0)
                | (self.word_i.val().get_bits::<5>(27) != 0)
                | (self.grouped.val() & (self.word_i.val().get_bits::<3>(24) != 0)));
        self.bad_row.d_i.next = self.is_row.val()
            & (self.word_i.val().get_bit(3)
                | self.word_i.val().get_bit(11)
                | self.word_i.val().get_bit(15)
                | (self.word_i.val().get_bits::<14>(18) != 0)
                | (self.word_i.val().get_bits::<3>(0) > self._last_row.to_bits::<3>())
                | (self.row_loops.val() > self._loops.to_bits::<8>())
                | self.was_seen.val());
        self.bad_role.d_i.next = self.is_row.val()
            & ((self.creates.val()
                & ((self.kind.val() == 3)
                    | self.bad_test.val()
                    | self.bad_attach.val()
                    | (self.row_rank.val() < self.rank.q_o.val())
                    | (self.next_attached.val() & self.next_many.val())))
                | (!self.creates.val()
                    & (!self.was_listed.val()
                        | (self.word_i.val().get_bits::<3>(8) != 0)
                        | (self.attach_loop.val() != 0)
                        | (self.test.val() != 0))));
        self.bad_value.d_i.next = false;
        if (self.phase_i.val() == DecodePhase::WindowFirst)
            | (self.phase_i.val() == DecodePhase::Base)
        {
            self.bad_value.d_i.next = self.above.val();
        } else if self.phase_i.val() == DecodePhase::WindowEnd {
            self.bad_value.d_i.next =
                (self.above.val() | (self.word_i.val() == 0)) & !self.whole_space.val();
        } else if (self.phase_i.val() == DecodePhase::Initial)
            | (self.phase_i.val() == DecodePhase::Step)
            | (self.phase_i.val() == DecodePhase::End)
        {
            self.bad_value.d_i.next = (self.word_i.val() >> self._offset_bits.to_bits::<6>()) != 0;
        }
        self.is_empty.d_i.next = (self.is_head.val()
            & (((self.op_i.val() == 4) & (self.setup.q_o.val() == 0))
                | ((self.op_i.val() != 4) & (self.length.val() == self.fixed.val()))))
            | (!self.is_head.val() & !self.is_row.val() & self.homeless.val());
        self.out_of_order.d_i.next = self.is_head.val()
            & (((self.op_i.val() == 2) & (self.setup.q_o.val() != 1))
                | ((self.op_i.val() == 3) & (self.setup.q_o.val() != 2))
                | ((self.op_i.val() == 4) & (self.setup.q_o.val() != 3)));
        self.bad_field.next = self.bad_head.q_o.val()
            | self.bad_row.q_o.val()
            | self.bad_role.q_o.val()
            | self.bad_value.q_o.val();
        self.fault_o.next = self.taken.q_o.val()
            & (self.bad_opcode.q_o.val()
                | self.bad_length.q_o.val()
                | self.bad_field.val()
                | self.is_empty.q_o.val()
                | self.out_of_order.q_o.val());
        self.code_o.next = 10.into();
        if self.bad_opcode.q_o.val() {
            self.code_o.next = 1.into();
        } else if self.bad_length.q_o.val() {
            self.code_o.next = 2.into();
        } else if self.bad_field.val() {
            self.code_o.next = 3.into();
        } else if self.is_empty.q_o.val() {
            self.code_o.next = 8.into();
        }
    }

    /// What is loaded.
    fn loaded(&mut self) {
        comment!("What is loaded");
        self.setup.en_i.next = self.clear_i.val()
            | (self.accept_i.val()
                & (self.last_word.val() | (self.is_head.val() & self.creates.val())));
        self.setup.d_i.next = 3.into();
        if self.op_i.val() == 1 {
            self.setup.d_i.next = 1.into();
        } else if self.op_i.val() == 2 {
            self.setup.d_i.next = 2.into();
        }
        if self.clear_i.val() | !self.last_word.val() {
            self.setup.d_i.next = 0.into();
        }
        self.rank.en_i.next =
            self.accept_i.val() & self.creates.val() & (self.is_head.val() | self.is_row.val());
        self.rank.d_i.next = 0.into();
        self.tensor.en_i.next =
            self.accept_i.val() & self.creates.val() & (self.is_head.val() | self.is_row.val());
        self.tensor.d_i.next = self.is_row.val() & self.next_tensor.val();
        self.many.en_i.next =
            self.accept_i.val() & self.creates.val() & (self.is_head.val() | self.is_row.val());
        self.many.d_i.next = self.is_row.val() & self.next_many.val();
        self.attached.en_i.next =
            self.accept_i.val() & self.creates.val() & (self.is_head.val() | self.is_row.val());
        self.attached.d_i.next = self.is_row.val() & self.next_attached.val();
        if self.is_row.val() {
            self.rank.d_i.next = self.row_rank.val();
        }
        for r in 0..self._rows {
            self.seen[r].en_i.next = self.accept_i.val()
                & (self.is_head.val()
                    | (self.is_row.val()
                        & (self.word_i.val().get_bits::<3>(0) == r.to_bits::<3>())));
            self.seen[r].d_i.next = self.is_row.val();
            self.listed[r].en_i.next = self.accept_i.val()
                & self.creates.val()
                & (self.is_head.val()
                    | (self.is_row.val()
                        & (self.word_i.val().get_bits::<3>(0) == r.to_bits::<3>())));
            self.listed[r].d_i.next = self.is_row.val();
        }
    }
}
