//! Which words of an instruction are legal.

use super::shape::SequencerShape;
use super::state::{Phase, Unit};
use crate::post::PostOptions;
use heddle_arch::isa;
use heddle_arch::isa::fields::{
    Field, copy, copy_distance, drain, drain_bounds, drain_place, drain_pool, header, load_weights,
    matmul, matmul_macs, matmul_repeat, matmul_table, row, sparse,
};
use heddle_kernel::prelude::*;

const HALT: usize = isa::OP_HALT as usize;
const LOAD_WEIGHTS: usize = isa::OP_LOAD_WEIGHTS as usize;
const MATMUL: usize = isa::OP_MATMUL as usize;
const DRAIN: usize = isa::OP_DRAIN as usize;
const COPY: usize = isa::OP_COPY as usize;
const SYNC: usize = isa::OP_SYNC as usize;
const LOAD: usize = isa::OP_LOAD as usize;
const STORE: usize = isa::OP_STORE as usize;
/// Words of a LOAD or STORE.
const MOVE_WORDS: u64 = 1 + heddle_arch::transfer::WORDS_OF_TRANSFER as u64;
const SPARSE_WORDS: usize = isa::SPARSE_WORDS;
/// Bits of the header of a command of the sparse cluster that are 0.
const NO_HEADER: u64 = (NO_WAIT.mask() & !sparse::header::WAIT_RUNS.mask()) as u64;
/// The same with counted waits.
const NO_COMMAND: u64 = (header::ZEROS[0].mask() & !sparse::header::WAIT_RUNS.mask()) as u64;
/// Its bits behind those of the units.
const NO_WAIT: Field = header::WAIT_LOADS.up_to(header::ZEROS[0]);

/// Checks one word of an instruction.
///
/// # Timing
/// Combinational.
#[module(combinational, shape: SequencerShape, describe = _sizes)]
pub struct InstructionCheck {
    /// Word of the program.
    pub word_i: Signal<In, Bits<32>>,
    /// Columns of the array beside those of a drain, for its third parameter word.
    pub room_i: Signal<In, Bits<10>>,
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
    /// A wait has a count and no flag.
    bad_waits: [Signal<Local, Bit>; moves],
    /// The options that a drain asks for do not exist.
    bad_option: [Signal<Local, Bit>; extended],
    /// The word of pooling is not legal.
    bad_pool: [Signal<Local, Bit>; pooling],
    /// Bits of the word of pooling that mean nothing are set.
    bad_rest: [Signal<Local, Bit>; pooling],
    /// The reduction is none of those without a median.
    bad_kind: [Signal<Local, Bit>; pooling],
    is_median: [Signal<Local, Bit>; pooling],
    /// The unit does not have the row, or not so many loops in it.
    bad_row: [Signal<Local, Bit>; sized],
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
    /// Partitions that column 0 can drain to.
    #[new(shape.rotations())]
    _rotations: Param<'s'>,
    #[new(shape)]
    _sizes: SequencerShape,
    #[new(shape.post)]
    _post: PostOptions,
    #[new(post.pooling.into())]
    _pooling: usize,
    #[new(post.product.into())]
    _product: usize,
    #[new(post.median)]
    _median: usize,
    #[new(post.activations)]
    _activations: usize,
    #[new(post.dual_scale.into())]
    _duals: usize,
    #[new(shape.cluster.into())]
    _clusters: usize,
    #[new(shape.moves.into())]
    _moves: usize,
    #[new((post.pooling || post.activations > 0).into())]
    _extended: usize,
    /// The units do not all have the rows and loops of a record.
    #[new(sizes.units.iter().any(|walk| walk.digits(record_rows, loops) > 0).into())]
    _sized: usize,
}

/// Options of post-processing in word 1 of a DRAIN.
const OPTIONS: Field = drain::ACTIVATION.up_to(drain::POOLED);

/// Bits of word 1 of a DRAIN that are 0 where there are no dual scales.
const DRAIN_UNUSED: Field = drain::DUAL.up_to(drain::ZEROS[0]);

/// Bit of word 1 of a MATMUL that is 0 where there are no dual scales.
const STREAM_UNUSED: Field = matmul::RAISED;

#[kernel]
impl InstructionCheck {
    fn update(&mut self) {
        self.header();
        self.limits();
        self.rows();
        self.options();
        self.bad_field_o = false;
        match self.phase_i {
            Phase::Param => {
                self.param();
            }
            Phase::SecondParam => {
                self.second_param();
            }
            Phase::ThirdParam => {
                self.third_param();
            }
            Phase::Repeat => {
                self.bad_field_o = field!(self.word_i, matmul_repeat::ZEROS[0]) != 0;
            }
            Phase::Row => {
                // With the bit above it, which is zero.
                let row = self.word_i.get_bits::<4>(row::ROW.lsb);
                if self._sized > 0 {
                    self.bad_field_o = self.bad_row[0] | (field!(self.word_i, row::ZEROS[0]) != 0);
                } else {
                    self.bad_field_o = (row >= self._record_rows.to_bits::<4>())
                        | (field!(self.word_i, row::LOOPS) > self._loops.to_bits::<4>())
                        | (field!(self.word_i, row::ZEROS[0]) != 0)
                        | ((self.unit_i == Unit::Stream) & (row > 2));
                }
            }
            Phase::Base => {
                self.bad_field_o = (self.word_i >> self._address_bits.to_bits::<6>()) != 0;
            }
            _ => {
                self.bad_field_o = (self.word_i >> self._offset_bits.to_bits::<6>()) != 0;
            }
        }
    }

    /// The opcode and the length.
    fn header(&mut self) {
        self.is_halt_o = field!(self.word_i, header::OPCODE) == HALT as u64;
        self.is_sync_o = field!(self.word_i, header::OPCODE) == SYNC as u64;
        self.is_known_o = true;
        self.target_o = Unit::Weights;
        self.bad_length_o = field!(self.word_i, header::LENGTH) < 4;
        match field!(self.word_i, header::OPCODE).index() {
            HALT => {
                self.bad_length_o = field!(self.word_i, header::LENGTH) != 1;
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
                self.bad_length_o = field!(self.word_i, header::LENGTH) != 1;
            }
            _ => {
                self.is_known_o = false;
            }
        }
        if self._moves > 0 {
            // A count stands behind its flag alone.
            self.bad_waits[0] = (!flag!(self.word_i, header::WAIT_LOADS)
                & field!(self.word_i, header::LOADS).any())
                | (!flag!(self.word_i, header::WAIT_STORES)
                    & field!(self.word_i, header::STORES).any());
            self.bad_header_o = self.bad_waits[0] | (field!(self.word_i, header::ZEROS[0]) != 0);
            self.moves();
        } else {
            self.bad_header_o = self.word_i.get_bits::<13>(header::WAIT_LOADS.lsb) != 0;
        }
        for _ in 0..self._clusters {
            // Opcodes 0x10 to 0x14 with two to fifteen words.
            let is_sparse =
                (self.word_i.get_bits::<5>(3) == 2) & (self.word_i.get_bits::<3>(0) < 5);
            if is_sparse {
                self.is_known_o = true;
                self.target_o = Unit::Cluster;
                let length = field!(self.word_i, header::LENGTH);
                self.bad_length_o = (length < 2) | (length > SPARSE_WORDS.to_bits::<8>());
                if self._moves > 0 {
                    self.bad_header_o =
                        self.bad_waits[0] | ((self.word_i & NO_COMMAND.to_bits::<32>()) != 0);
                } else {
                    self.bad_header_o = (self.word_i & NO_HEADER.to_bits::<32>()) != 0;
                }
            }
        }
    }

    /// LOAD and STORE.
    fn moves(&mut self) {
        let number = field!(self.word_i, header::OPCODE);
        let is_load = number == LOAD as u64;
        let is_store = number == STORE as u64;
        if is_load {
            self.target_o = Unit::Load;
        }
        if is_store {
            self.target_o = Unit::Store;
        }
        if is_load | is_store {
            self.is_known_o = true;
            self.bad_length_o = field!(self.word_i, header::LENGTH) != MOVE_WORDS;
        }
    }

    /// Rows, columns and levels that the machine does not have.
    fn limits(&mut self) {
        self.limit = self._rows.to_bits::<9>();
        if self.unit_i == Unit::Drain {
            self.limit = self._lanes.to_bits::<9>();
        }
        let count = field!(self.word_i, load_weights::ROWS);
        self.bad_count = (count == 0) | (count > self.limit);
        let level = field!(self.word_i, load_weights::LEVEL).get_bits::<4>(0);
        self.bad_level = level >= self._sizes.units[0].loops.to_bits::<4>();
        for _ in 0..self._sized {
            if self.unit_i == Unit::Stream {
                self.bad_level = level >= self._sizes.units[1].loops.to_bits::<4>();
            }
        }

        let level = field!(self.word_i, drain::LEVEL);
        self.bad_advance = mux(
            self._duals > 0,
            field!(self.word_i, drain::ZEROS[0]) != 0,
            field!(self.word_i, DRAIN_UNUSED) != 0,
        );
        if flag!(self.word_i, drain::ADVANCING) {
            if level.get_bits::<4>(0) >= self._sizes.units[2].loops.to_bits::<4>() {
                self.bad_advance = true;
            }
        } else if level != 0 {
            self.bad_advance = true;
        }
    }

    /// Rows and loops that a unit with sizes of its own does not have.
    fn rows(&mut self) {
        for i in 0..self._sized {
            self.bad_row[i] = true;
            match self.unit_i {
                Unit::Stream => self.rows_of(1),
                Unit::Drain => self.rows_of(2),
                _ => self.rows_of(0),
            }
        }
    }

    /// The same for one unit.
    fn rows_of(&mut self, unit: usize) {
        for r in 0..self._sizes.units[unit].rows {
            if self.word_i.get_bits::<4>(row::ROW.lsb) == r.to_bits::<4>() {
                let most = self._sizes.units[unit].loops_of(r);
                self.bad_row[0] = field!(self.word_i, row::LOOPS) > most.to_bits::<4>();
            }
        }
    }

    /// What a drain asks of post-processing.
    fn options(&mut self) {
        for i in 0..self._extended {
            let table = field!(self.word_i, drain::ACTIVATION);
            let bad_table = table > self._activations.to_bits::<4>();
            self.bad_option[i] = mux(
                self._pooling > 0,
                bad_table,
                (bad_table) | flag!(self.word_i, drain::POOLED),
            );
        }
        for i in 0..self._pooling {
            self.bad_rest[i] = (field!(self.word_i, drain_pool::ZEROS[1]) != 0)
                | (field!(self.word_i, drain_pool::ZEROS[0]) != 0);
            let kind = field!(self.word_i, drain_pool::REDUCTION);
            self.bad_kind[i] = mux(self._product > 0, kind > 3, kind > 2);
            self.is_median[i] = kind == 4;
            if self._median > 0 {
                let window = field!(self.word_i, drain_pool::WINDOW);
                self.bad_pool[i] = self.bad_rest[i]
                    | (self.bad_kind[i] & !self.is_median[i])
                    | (self.is_median[i] & (window >= self._median.to_bits::<8>()));
            } else {
                self.bad_pool[i] = self.bad_rest[i] | self.bad_kind[i];
            }
        }
    }

    /// Word 1.
    fn param(&mut self) {
        self.bad_field_o = self.bad_count | (field!(self.word_i, matmul_repeat::ZEROS[0]) != 0);
        match self.unit_i {
            Unit::Weights => {
                self.bad_field_o = self.bad_count
                    | self.bad_level
                    | (field!(self.word_i, load_weights::ZEROS[1]) != 0)
                    | (field!(self.word_i, load_weights::ZEROS[0]) != 0);
            }
            Unit::Stream => {
                self.bad_field_o =
                    self.bad_count | self.bad_level | (field!(self.word_i, matmul::ZEROS[0]) != 0);
                if self._duals == 0 {
                    if flag!(self.word_i, STREAM_UNUSED) {
                        self.bad_field_o = true;
                    }
                }
                if self._clusters == 0 {
                    if flag!(self.word_i, matmul::CLUSTER) {
                        self.bad_field_o = true;
                    }
                }
            }
            Unit::Copy => {
                self.bad_field_o = self.bad_count | (field!(self.word_i, copy::ZEROS[0]) != 0);
            }
            _ => {
                let tile = field!(self.word_i, drain::TILE).get_bits::<11>(0);
                let bad_tile = tile >= self._tiles.to_bits::<11>();
                if self._extended > 0 {
                    self.bad_field_o =
                        self.bad_count | self.bad_option[0] | (bad_tile) | self.bad_advance;
                } else {
                    self.bad_field_o = self.bad_count
                        | (field!(self.word_i, OPTIONS) != 0)
                        | (bad_tile)
                        | self.bad_advance;
                }
            }
        }
    }

    /// Word 2.
    fn second_param(&mut self) {
        self.bad_field_o = field!(self.word_i, matmul_macs::ZEROS[0]) != 0;
        if self.unit_i == Unit::Drain {
            self.bad_field_o = (field!(self.word_i, drain_bounds::ZEROS[1]) != 0)
                | (field!(self.word_i, drain_bounds::ZEROS[0]) != 0);
        }
        if self.unit_i == Unit::Copy {
            self.bad_field_o = (field!(self.word_i, copy_distance::ZEROS[1]) != 0)
                | (field!(self.word_i, copy_distance::ZEROS[0]) != 0);
        }
    }

    /// The words behind it, in front of the record.
    fn third_param(&mut self) {
        self.bad_field_o = field!(self.word_i, matmul_table::ZEROS[0]) != 0;
        if self.unit_i == Unit::Drain {
            let column = field!(self.word_i, drain_place::COLUMN).get_bits::<10>(0);
            let rotate = field!(self.word_i, drain_place::ROTATE).get_bits::<9>(0);
            self.bad_field_o = (field!(self.word_i, drain_place::ZEROS[1]) != 0)
                | (field!(self.word_i, drain_place::ZEROS[0]) != 0)
                | (column > self.room_i)
                | (rotate >= self._rotations.to_bits::<9>());
            for i in 0..self._pooling {
                if self.is_pool_i[i] {
                    self.bad_field_o.follow(&self.bad_pool[i]);
                }
            }
        }
    }
}
