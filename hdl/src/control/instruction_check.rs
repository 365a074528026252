//! Which words of an instruction are legal.

use super::shape::SequencerShape;
use super::state::{Phase, Unit};
use crate::post::PostOptions;
use heddle_arch::isa;
use heddle_kernel::prelude::*;

const HALT: usize = isa::OP_HALT as usize;
const LOAD_WEIGHTS: usize = isa::OP_LOAD_WEIGHTS as usize;
const MATMUL: usize = isa::OP_MATMUL as usize;
const DRAIN: usize = isa::OP_DRAIN as usize;
const COPY: usize = isa::OP_COPY as usize;
const SYNC: usize = isa::OP_SYNC as usize;

/// Checks one word of an instruction.
///
/// # Timing
/// Combinational.
#[module(combinational, shape: SequencerShape, describe)]
pub struct InstructionCheck {
    /// Word of the program.
    pub word_i: Signal<In, Bits<32>>,
    /// Columns of a drain, once its first parameter word was there.
    pub columns_i: Signal<In, Bits<9>>,
    /// The third parameter word of a drain is the one of pooling.
    pub is_pool_i: [Signal<In, Bit>; pooling],
    /// Its place in the instruction (not for a header).
    pub phase_i: Signal<In, Phase>,
    /// Unit of the instruction (not for a header).
    pub unit_i: Signal<In, Unit>,
    /// The header is a HALT.
    pub is_halt_o: Signal<Out, Bit>,
    /// The header is a SYNC.
    pub is_sync_o: Signal<Out, Bit>,
    /// The header has a known opcode.
    pub is_known_o: Signal<Out, Bit>,
    /// Unit that the header names (not of a HALT or SYNC).
    pub target_o: Signal<Out, Unit>,
    /// The header has reserved bits set.
    pub bad_header_o: Signal<Out, Bit>,
    /// The length of the header cannot hold its instruction.
    pub bad_length_o: Signal<Out, Bit>,
    /// A word behind the header has a field out of range.
    pub bad_field_o: Signal<Out, Bit>,
    /// Largest row or column count.
    limit: Signal<Local, Bits<9>>,
    bad_count: Signal<Local, Bit>,
    bad_level: Signal<Local, Bit>,
    /// Level of an advancing drain out of range, or set without it.
    bad_advance: Signal<Local, Bit>,
    /// Column behind the last one of a drain.
    behind: Signal<Local, Bits<10>>,
    /// The options that a drain asks for do not exist.
    bad_option: [Signal<Local, Bit>; extended],
    /// The word of pooling is not legal.
    bad_pool: [Signal<Local, Bit>; pooling],
    /// Bits of the word of pooling that mean nothing are set.
    bad_rest: [Signal<Local, Bit>; pooling],
    /// The reduction is none of those without a median.
    bad_kind: [Signal<Local, Bit>; pooling],
    is_median: [Signal<Local, Bit>; pooling],
    /// Rows of the array.
    _rows: Param<'r'>,
    /// Columns that have a partition to drain to.
    #[new(shape.rows.min(shape.cols))]
    _lanes: Param<'l'>,
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
    /// Columns of the array.
    _cols: Param<'c'>,
    /// Partitions that column 0 can drain to.
    #[new(shape.turns())]
    _turns: Param<'s'>,
    _post: PostOptions,
    #[new(post.pooling.into())]
    _pooling: usize,
    #[new(post.product.into())]
    _product: usize,
    #[new(post.median)]
    _median: usize,
    #[new(post.activations)]
    _activations: usize,
    #[new((post.pooling || post.activations > 0).into())]
    _extended: usize,
}

impl InstructionCheck {
    fn describe(&self, meta: Meta) -> Meta {
        self._post.describe(meta).silent("extended", self._extended)
    }
}

#[kernel]
impl InstructionCheck {
    fn update(&mut self) {
        self.is_halt_o = self.word_i.get_bits::<8>(0) == HALT as u64;
        self.is_sync_o = self.word_i.get_bits::<8>(0) == SYNC as u64;
        self.is_known_o = true;
        self.target_o = Unit::Weights;
        self.bad_length_o = self.word_i.get_bits::<8>(8) < 4;
        match self.word_i.get_bits::<8>(0).index() {
            HALT => {
                self.bad_length_o = self.word_i.get_bits::<8>(8) != 1;
            }
            LOAD_WEIGHTS => {}
            MATMUL => {
                self.target_o = Unit::Stream;
            }
            DRAIN => {
                self.target_o = Unit::Drain;
            }
            COPY => {
                self.target_o = Unit::Copy;
            }
            SYNC => {
                self.bad_length_o = self.word_i.get_bits::<8>(8) != 1;
            }
            _ => {
                self.is_known_o = false;
            }
        }
        self.bad_header_o = self.word_i.get_bits::<13>(19) != 0;

        self.limit = self._rows.to_bits::<9>();
        if self.unit_i == Unit::Drain {
            self.limit = self._lanes.to_bits::<9>();
        }
        self.bad_count =
            (self.word_i.get_bits::<9>(0) == 0) | (self.word_i.get_bits::<9>(0) > self.limit);
        self.bad_level =
            self.word_i.get_bits::<3>(12).get_bits::<4>(0) >= self._loops.to_bits::<4>();

        self.bad_advance = self.word_i.get_bits::<4>(28) != 0;
        if self.word_i.get_bit(24) {
            if self.word_i.get_bits::<3>(25).get_bits::<4>(0) >= self._loops.to_bits::<4>() {
                self.bad_advance = true;
            }
        } else if self.word_i.get_bits::<3>(25) != 0 {
            self.bad_advance = true;
        }

        self.behind =
            self.word_i.get_bits::<8>(0).get_bits::<10>(0) + self.columns_i.get_bits::<10>(0);

        // What a drain asks of post-processing
        for i in 0..self._extended {
            self.bad_option[i] = mux(
                self._pooling > 0,
                self.word_i.get_bits::<4>(11) > self._activations.to_bits::<4>(),
                (self.word_i.get_bits::<4>(11) > self._activations.to_bits::<4>())
                    | self.word_i.get_bit(15),
            );
        }
        for i in 0..self._pooling {
            self.bad_rest[i] =
                (self.word_i.get_bits::<5>(3) != 0) | (self.word_i.get_bits::<16>(16) != 0);
            if self._product > 0 {
                self.bad_kind[i] = self.word_i.get_bits::<3>(0) > 3;
            } else {
                self.bad_kind[i] = self.word_i.get_bits::<3>(0) > 2;
            }
            self.is_median[i] = self.word_i.get_bits::<3>(0) == 4;
            self.bad_pool[i] = mux(
                self._median > 0,
                self.bad_rest[i]
                    | (self.bad_kind[i] & !self.is_median[i])
                    | (self.is_median[i]
                        & (self.word_i.get_bits::<8>(8) >= self._median.to_bits::<8>())),
                self.bad_rest[i] | self.bad_kind[i],
            );
        }

        self.bad_field_o = false;
        match self.phase_i {
            Phase::Param => {
                self.bad_field_o = self.bad_count | (self.word_i.get_bits::<8>(24) != 0);
                match self.unit_i {
                    Unit::Weights => {
                        self.bad_field_o = self.bad_count
                            | self.bad_level
                            | (self.word_i.get_bits::<3>(9) != 0)
                            | (self.word_i.get_bits::<11>(21) != 0);
                    }
                    Unit::Stream => {
                        self.bad_field_o =
                            self.bad_count | self.bad_level | (self.word_i.get_bits::<7>(25) != 0);
                    }
                    Unit::Copy => {
                        self.bad_field_o = self.bad_count | (self.word_i.get_bits::<23>(9) != 0);
                    }
                    _ => {
                        self.bad_field_o = mux(
                            self._extended > 0,
                            self.bad_count
                                | self.bad_option[0]
                                | (self.word_i.get_bits::<8>(16).get_bits::<9>(0)
                                    >= self._tiles.to_bits::<9>())
                                | self.bad_advance,
                            self.bad_count
                                | (self.word_i.get_bits::<5>(11) != 0)
                                | (self.word_i.get_bits::<8>(16).get_bits::<9>(0)
                                    >= self._tiles.to_bits::<9>())
                                | self.bad_advance,
                        );
                    }
                }
            }
            Phase::SecondParam => {
                self.bad_field_o = self.word_i.get_bits::<15>(17) != 0;
                if self.unit_i == Unit::Drain {
                    self.bad_field_o =
                        (self.word_i.get_bits::<7>(9) != 0) | (self.word_i.get_bits::<7>(25) != 0);
                }
                if self.unit_i == Unit::Copy {
                    self.bad_field_o =
                        (self.word_i.get_bits::<3>(0) != 0) | (self.word_i.get_bits::<16>(16) != 0);
                }
            }
            Phase::ThirdParam => {
                self.bad_field_o = self.word_i.get_bits::<7>(17) != 0;
                if self.unit_i == Unit::Drain {
                    self.bad_field_o = (self.word_i.get_bits::<8>(8) != 0)
                        | (self.word_i.get_bits::<8>(24) != 0)
                        | (self.behind > self._cols.to_bits::<10>())
                        | (self.word_i.get_bits::<8>(16).get_bits::<9>(0)
                            >= self._turns.to_bits::<9>());
                    for i in 0..self._pooling {
                        if self.is_pool_i[i] {
                            self.bad_field_o = self.bad_pool[i];
                        }
                    }
                }
            }
            Phase::Repeat => {
                self.bad_field_o = self.word_i.get_bits::<8>(24) != 0;
            }
            Phase::Row => {
                self.bad_field_o = (self.word_i.get_bits::<4>(0)
                    >= self._record_rows.to_bits::<4>())
                    | (self.word_i.get_bits::<4>(4) > self._loops.to_bits::<4>())
                    | (self.word_i.get_bits::<24>(8) != 0)
                    | ((self.unit_i == Unit::Stream) & (self.word_i.get_bits::<4>(0) > 2));
            }
            Phase::Base => {
                self.bad_field_o = (self.word_i >> self._address_bits.to_bits::<6>()) != 0;
            }
            _ => {
                self.bad_field_o = (self.word_i >> self._offset_bits.to_bits::<6>()) != 0;
            }
        }
    }
}
