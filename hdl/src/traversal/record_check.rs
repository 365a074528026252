//! Which instruction words of the stand-alone unit are legal.

use super::{DecodePhase, TraversalShape};
use heddle_kernel::prelude::*;

/// Checks one instruction word, and remembers of the words before what that takes. Whether a window
/// holds an address, and whether a loop ends, is found elsewhere.
///
/// # Timing
/// The fault of a word accepted in cycle t is at the output in t + 1.
#[module(name = "traversal_record_check", shape: TraversalShape, describe)]
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
    #[new(rows - 1)]
    _last_row: usize,
    #[new((A < 32).into())]
    _above_space: usize,
    #[new(loops - 1)]
    _last_loop: usize,
    #[new(W)]
    _offset_bits: usize,
    #[new(A)]
    _address_bits: usize,
    _equality: usize,
    _trips: usize,
    _attach: usize,
    _group: usize,
    _shape: TraversalShape,
}

impl<const W: usize, const A: usize> RecordCheck<W, A> {
    fn describe(&self, meta: Meta) -> Meta {
        self._shape.describe(meta, W, A, "qtig")
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
        self.is_head = self.phase_i == DecodePhase::Head;
        self.is_row = self.phase_i == DecodePhase::Row;
        self.creates = (self.op_i == 0) | (self.op_i == 1);
        self.grouped = (self.op_i == 1) | (self.op_i == 2) | (self.op_i == 3);
        self.last_word = self.words_i == 1;

        comment!("Fields of a row word");
        self.row_loops = self.word_i.get_bits::<4>(4).get_bits::<8>(0);
        self.kind = self.word_i.get_bits::<2>(8);
        self.row_attached = self.word_i.get_bit(10);
        self.attach_loop = self.word_i.get_bits::<3>(12);
        self.test = self.word_i.get_bits::<2>(16);
        self.row_rank = 1.into();
        if self.kind == 1 {
            self.row_rank = 0.into();
        } else if self.kind == 2 {
            self.row_rank = 2.into();
        }
        comment!("A table, because an adder in front of the comparison takes too long");
        match self.word_i.get_bits::<4>(4).index() {
            0 => {
                self.whole_block = 2.into();
            }
            1 => {
                self.whole_block = 5.into();
            }
            2 => {
                self.whole_block = 8.into();
            }
            3 => {
                self.whole_block = 11.into();
            }
            4 => {
                self.whole_block = 14.into();
            }
            5 => {
                self.whole_block = 17.into();
            }
            6 => {
                self.whole_block = 20.into();
            }
            7 => {
                self.whole_block = 23.into();
            }
            8 => {
                self.whole_block = 26.into();
            }
            9 => {
                self.whole_block = 29.into();
            }
            10 => {
                self.whole_block = 32.into();
            }
            11 => {
                self.whole_block = 35.into();
            }
            12 => {
                self.whole_block = 38.into();
            }
            13 => {
                self.whole_block = 41.into();
            }
            14 => {
                self.whole_block = 44.into();
            }
            _ => {
                self.whole_block = 47.into();
            }
        }
        self.block_words = self.row_loops + 1;
        if self.op_i == 0 {
            self.block_words = self.whole_block;
        } else if self.op_i == 1 {
            self.block_words = self.row_loops + 2;
        }
        self.was_seen = false;
        self.was_listed = false;
        for r in 0..self._rows {
            if self.word_i.get_bits::<3>(0) == r.to_bits::<3>() {
                self.was_seen = self.was_seen | self.seen[r];
                self.was_listed = self.was_listed | self.listed[r];
            }
        }
        self.next_tensor = self.tensor | (self.kind == 0);
        self.next_many = self.many | (self.tensor & (self.kind == 0));
        self.next_attached = self.attached | self.row_attached;
        self.bad_test = self.test == 3;
        if self._equality < 1 {
            self.bad_test = self.bad_test | (self.test == 1);
        }
        if self._trips < 1 {
            self.bad_test = self.bad_test | (self.test == 2);
        }
        if self._attach > 0 {
            self.bad_attach = (!self.row_attached & (self.attach_loop != 0))
                | (self.row_attached
                    & ((self.kind == 0) | (self.attach_loop > self._last_loop.to_bits::<3>())));
        } else {
            self.bad_attach = self.row_attached | (self.attach_loop != 0);
        }
        self.homeless = self.last_word & self.attached & !self.tensor;
    }

    /// What word 0 asks for.
    fn first_word(&mut self) {
        comment!("Fields of word 0");
        self.length = self.word_i.get_bits::<8>(8);
        self.fixed = mux(self.word_i.get_bit(26) & !self.grouped, 3.into(), 1.into());
        self.built = (self.op_i == 0) | (self.op_i == 4);
        if self._group > 0 {
            self.built = self.built | self.grouped;
        }
        self.above = (self.word_i >> self._address_bits.to_bits::<6>()) != 0;
        // Behind the last address of all: 2^A, which is 0 in a word of 32 bits.
        self.whole_space = (self.word_i.get_bits::<A>(0) == 0)
            & ((self.word_i >> self._address_bits.to_bits::<6>())
                == self._above_space.to_bits::<32>());
    }

    /// One register for each kind of fault.
    fn faults(&mut self) {
        comment!("One register for each kind of fault");
        self.taken = self.accept_i & !self.clear_i;
        self.bad_opcode = self.is_head & ((self.word_i.get_bits::<5>(3) != 1) | !self.built);
        self.bad_length = (self.is_head
            & ((self.length < self.fixed) | ((self.op_i == 4) & (self.length != self.fixed))))
            | (self.is_row & (self.block_words > self.words_i));
        self.bad_head = self.is_head
            & ((self.word_i.get_bits::<8>(16) != 0)
                | (self.word_i.get_bits::<5>(27) != 0)
                | (self.grouped & (self.word_i.get_bits::<3>(24) != 0)));
        self.bad_row = self.is_row
            & (self.word_i.get_bit(3)
                | self.word_i.get_bit(11)
                | self.word_i.get_bit(15)
                | (self.word_i.get_bits::<14>(18) != 0)
                | (self.word_i.get_bits::<3>(0) > self._last_row.to_bits::<3>())
                | (self.row_loops > self._loops.to_bits::<8>())
                | self.was_seen);
        self.bad_role = self.is_row
            & ((self.creates
                & ((self.kind == 3)
                    | self.bad_test
                    | self.bad_attach
                    | (self.row_rank < self.rank)
                    | (self.next_attached & self.next_many)))
                | (!self.creates
                    & (!self.was_listed
                        | (self.word_i.get_bits::<3>(8) != 0)
                        | (self.attach_loop != 0)
                        | (self.test != 0))));
        self.bad_value = false;
        if (self.phase_i == DecodePhase::WindowFirst) | (self.phase_i == DecodePhase::Base) {
            self.bad_value = self.above;
        } else if self.phase_i == DecodePhase::WindowEnd {
            self.bad_value = (self.above | (self.word_i == 0)) & !self.whole_space;
        } else if (self.phase_i == DecodePhase::Initial)
            | (self.phase_i == DecodePhase::Step)
            | (self.phase_i == DecodePhase::End)
        {
            self.bad_value = (self.word_i >> self._offset_bits.to_bits::<6>()) != 0;
        }
        self.is_empty = (self.is_head
            & (((self.op_i == 4) & (self.setup == 0))
                | ((self.op_i != 4) & (self.length == self.fixed))))
            | (!self.is_head & !self.is_row & self.homeless);
        self.out_of_order = self.is_head
            & (((self.op_i == 2) & (self.setup != 1))
                | ((self.op_i == 3) & (self.setup != 2))
                | ((self.op_i == 4) & (self.setup != 3)));
        self.bad_field = self.bad_head | self.bad_row | self.bad_role | self.bad_value;
        self.fault_o = self.taken
            & (self.bad_opcode
                | self.bad_length
                | self.bad_field
                | self.is_empty
                | self.out_of_order);
        self.code_o = 10.into();
        if self.bad_opcode {
            self.code_o = 1.into();
        } else if self.bad_length {
            self.code_o = 2.into();
        } else if self.bad_field {
            self.code_o = 3.into();
        } else if self.is_empty {
            self.code_o = 8.into();
        }
    }

    /// What is loaded.
    fn loaded(&mut self) {
        comment!("What is loaded");
        self.setup.en_i =
            self.clear_i | (self.accept_i & (self.last_word | (self.is_head & self.creates)));
        self.setup = 3.into();
        if self.op_i == 1 {
            self.setup = 1.into();
        } else if self.op_i == 2 {
            self.setup = 2.into();
        }
        if self.clear_i | !self.last_word {
            self.setup = 0.into();
        }
        self.rank.en_i = self.accept_i & self.creates & (self.is_head | self.is_row);
        self.rank = 0.into();
        self.tensor.en_i = self.accept_i & self.creates & (self.is_head | self.is_row);
        self.tensor = self.is_row & self.next_tensor;
        self.many.en_i = self.accept_i & self.creates & (self.is_head | self.is_row);
        self.many = self.is_row & self.next_many;
        self.attached.en_i = self.accept_i & self.creates & (self.is_head | self.is_row);
        self.attached = self.is_row & self.next_attached;
        if self.is_row {
            self.rank = self.row_rank;
        }
        for r in 0..self._rows {
            self.seen[r].en_i = self.accept_i
                & (self.is_head
                    | (self.is_row & (self.word_i.get_bits::<3>(0) == r.to_bits::<3>())));
            self.seen[r] = self.is_row;
            self.listed[r].en_i = self.accept_i
                & self.creates
                & (self.is_head
                    | (self.is_row & (self.word_i.get_bits::<3>(0) == r.to_bits::<3>())));
            self.listed[r] = self.is_row;
        }
    }
}
