//! The designs that the agreement tests drive.

use heddle_arch::Params;
use heddle_hdl::array::{BiasRow, PeArray};
use heddle_hdl::buffer::{BankCount, ResultsBuffer, StateBuffer};
use heddle_hdl::control::{
    Control, ControlShape, DrainHead, HostPort, Prefetch, Sequencer, SequencerShape, StreamHead,
    WeightHead,
};
use heddle_hdl::offsets::{OffsetShape, OffsetUnit};
use heddle_hdl::post::{Activate, DrainPlace, Gatherer, PoolLane, Post, PostOptions, Requantise};
use heddle_hdl::sliced::{Sliced, SlicedShape};
use heddle_hdl::top::Top;
use heddle_hdl::traversal::{
    AddressSum, Arrangement, EndlessCheck, LoopRegisters, OffsetTable, RecordCheck, RegisterArray,
    RowAdders, RowCounters, RowOrder, TraversalCore, TraversalDecoder, TraversalEngine,
    TraversalShape, TraversalUnit,
};

mod pins;
pub mod samples;

/// Makes a function for each design.
macro_rules! designs {
    ($($(#[$doc:meta])* $name:ident: $type:ty = $block:expr;)*) => {
        $(
            $(#[$doc])*
            pub fn $name() -> $type {
                $block
            }
        )*
    };
}

designs! {
    /// Chain of four multiply-add cells.
    sample_chain: samples::Chain = samples::Chain::new(4);
    /// Memory of 12 words of 3 bytes.
    sample_memory: samples::Memory = samples::Memory::new(3, 12);
    /// State machine with shifts.
    sample_shifter: samples::Shifter = samples::Shifter::default();
    /// Three rows of four loops, 16-bit offsets and addresses.
    traversal: TraversalEngine<16, 17, 16> = TraversalEngine::new(TraversalShape::plain(3, 4));
    /// Two rows of three loops, 24-bit offsets, 32-bit addresses.
    traversal_wide: TraversalEngine<24, 25, 32> = TraversalEngine::new(TraversalShape::plain(2, 3));
    /// Four rows of eight loops with all options, 12-bit offsets, 16-bit addresses.
    traversal_options: TraversalEngine<12, 13, 16> = TraversalEngine::new(all_options(4, 8));
    /// Two sets of registers of three loops.
    loop_registers: LoopRegisters<12, 13> = LoopRegisters::new(3, true);
    /// Three loops with all options.
    row_counters: RowCounters<6, 7> = RowCounters::new(3, true, true);
    /// Four rows of three loops, two lists, attached rows.
    row_order: RowOrder = RowOrder::new(4, 3, true, true);
    /// Nine terms in four stages.
    address_sum: AddressSum<20> = AddressSum::new(9, 4);
    /// Two rows of three loops, each row in a row of registers.
    register_array: RegisterArray<6, 7> = RegisterArray::new(2, 3, true, Arrangement::Rows);
    /// The same, the innermost loop on the left, one set of registers.
    register_array_mirrored: RegisterArray<6, 7> =
        RegisterArray::new(2, 3, false, Arrangement::Mirrored);
    /// The same, each row in a column of registers.
    register_array_transposed: RegisterArray<6, 7> =
        RegisterArray::new(2, 3, true, Arrangement::Transposed);
    /// Three loops.
    row_adders: RowAdders<6, 7> = RowAdders::new(3);
    /// Loops of 6-bit offsets.
    endless_check: EndlessCheck<6, 7> = EndlessCheck::default();
    /// Three rows of two loops with all options, 10-bit addresses, configuration outside.
    traversal_core: TraversalCore<6, 7, 10> = TraversalCore::new(all_options(3, 2));
    /// Words for three rows of two loops with all options, 6-bit offsets, 10-bit addresses.
    record_check: RecordCheck<6, 10> = RecordCheck::new(unit_options(3, 2));
    /// The same.
    traversal_decoder: TraversalDecoder<6, 10> = TraversalDecoder::new(unit_options(3, 2));
    /// The same sizes and options.
    traversal_unit: TraversalUnit<6, 7, 10> = TraversalUnit::new(unit_options(3, 2));
    /// Two rows of three loops in transposed registers, one set, no options.
    traversal_unit_plain: TraversalUnit<8, 9, 8> = TraversalUnit::new(TraversalShape {
        arrangement: Arrangement::Transposed,
        ..TraversalShape::plain(2, 3)
    });
    /// 16 offsets of three rows.
    offset_table: OffsetTable<10> = OffsetTable::new(3, 16);
    /// Three rows, two columns, masks, running sum, expander; a slot moves from row to row.
    offset_unit: OffsetUnit<16> = OffsetUnit::new(&offset_shape(false));
    /// The same; a slot is in all rows at once, which keep their bases; indices step before a read.
    offset_unit_broadcast: OffsetUnit<16> = OffsetUnit::new(&offset_shape(true));
    /// 16 words; slices of five and three bytes.
    sliced: Sliced<8> = Sliced::new(SlicedShape::new(16, vec![5, 3]));
    /// Three partitions of two banks of 16 words.
    state_buffer: StateBuffer =
        StateBuffer::new(3, 2, &SlicedShape::new(16, vec![4, 4]), 16);
    /// Two partitions of four banks, the last one of which is the input buffer.
    state_buffer_input: StateBuffer =
        StateBuffer::new(2, INPUT_BANK, &SlicedShape::new(16, vec![4, 4]), 16);
    /// Three rows and ten columns: more columns than bytes in a weight word.
    pe_array: PeArray = PeArray::new(3, 10);
    /// Three columns, four column tiles.
    bias_row: BiasRow = BiasRow::new(3, 4);
    /// Three columns, banks of eight sums.
    results_buffer: ResultsBuffer = ResultsBuffer::new(3, 8);
    /// Scaling of one column.
    requantise: Requantise = Requantise::default();
    /// Bytes to words.
    gatherer: Gatherer = Gatherer::default();
    /// Three columns, four column tiles.
    post: Post = Post::new(3, 4, PostOptions::NONE);
    /// Two columns, two column tiles, all options.
    post_options: Post = Post::new(2, 2, POST_OPTIONS);
    /// Windows of up to nine sums, all reductions.
    pool_lane: PoolLane = PoolLane::new(POST_OPTIONS);
    /// Three tables.
    activate: Activate = Activate::new(3);
    /// Six partitions, four columns: turned by two or four places.
    drain_place: DrainPlace = DrainPlace::new(6, 4);
    /// Three loops, 1 KiB partitions, four column tiles, 64 results, row tables of 16 entries.
    stream_head: StreamHead<16> = StreamHead::new(CONTROL);
    /// The same with the program in the last of four banks.
    stream_head_program: StreamHead<16> = StreamHead::new(with_banks(PROGRAM_BANK));
    /// Three loops, 1 KiB partitions, four rows and columns.
    weight_head: WeightHead<16> = WeightHead::new(CONTROL);
    /// The same with an input buffer in the last of four banks.
    weight_head_input: WeightHead<16> = WeightHead::new(with_banks(INPUT_BANK));
    /// Three loops, 1 KiB partitions, four column tiles, four columns.
    drain_head: DrainHead<16> = DrainHead::new(CONTROL);
    /// The same with an input buffer in the last of four banks.
    drain_head_input: DrainHead<16> =
        DrainHead::new(with_banks(INPUT_BANK));
    /// The same with windows.
    drain_head_pooling: DrainHead<16> = DrainHead::new(POOLING);
    /// Four rows and columns, 64 program words.
    sequencer: Sequencer = Sequencer::new(SHAPE);
    /// The same, partitions of 128 words.
    host_port: HostPort = HostPort::new(CONTROL);
    /// The same.
    control: Control<16, 17, 16> = Control::new(CONTROL);
    /// The same with the program in the last of four banks.
    host_port_banked: HostPort = HostPort::new(BANKED_CONTROL);
    /// The prefetch of that machine.
    prefetch: Prefetch = Prefetch::new(BANKED, PROGRAM_BANK, 7);
    /// The machine of the configuration `tiny`.
    top: Top<16, 17, 16> = Top::new(&tiny());
}

/// Four banks, the last one of which is the input buffer.
pub const INPUT_BANK: BankCount = BankCount {
    all: 4,
    input: 1,
    program: 0,
};

/// Four banks, the last one of which holds the program.
pub const PROGRAM_BANK: BankCount = BankCount {
    all: 4,
    input: 0,
    program: 1,
};

/// The shape of [`SHAPE`] with the program in banks.
pub const BANKED: SequencerShape = SequencerShape {
    banked: true,
    ..SHAPE
};

/// An offset unit with tables of 16 entries.
pub fn offset_shape(broadcast: bool) -> OffsetShape {
    OffsetShape {
        bases: 16,
        offsets: 16,
        taps: 4,
        broadcast,
        running: true,
        before: broadcast,
        prefetch: broadcast,
        expand: true,
        ..OffsetShape::new(3, 2)
    }
}

/// A traversal unit with all options and four stages in its address sum.
fn all_options(rows: usize, loops: usize) -> TraversalShape {
    TraversalShape {
        rows,
        loops,
        double: true,
        equality: true,
        trips: true,
        attach: true,
        stages: 4,
        ..TraversalShape::plain(rows, loops)
    }
}

/// A stand-alone unit with all options.
pub fn unit_options(rows: usize, loops: usize) -> TraversalShape {
    TraversalShape {
        group: true,
        check: true,
        ..all_options(rows, loops)
    }
}

/// Four rows and columns, three record rows of three loops, 64 program words.
pub const SHAPE: SequencerShape = SequencerShape {
    rows: 4,
    cols: 4,
    record_rows: 3,
    loops: 3,
    offset_bits: 16,
    address_bits: 16,
    tiles: 4,
    program_words: 64,
    banked: false,
    row_offsets: 16,
    post: PostOptions::NONE,
};

/// Partitions of 1 KiB in two banks, 64 results.
pub const CONTROL: ControlShape = ControlShape {
    sequencer: SHAPE,
    byte_bits: 10,
    banks: BankCount {
        all: 2,
        input: 0,
        program: 0,
    },
    result_bits: 6,
    slices: 2,
    sums_at_top: false,
};

/// The same with windows.
pub const POOLING: ControlShape = ControlShape {
    sequencer: SequencerShape {
        post: POST_OPTIONS,
        ..SHAPE
    },
    ..CONTROL
};

/// The same with the program in banks.
pub const BANKED_CONTROL: ControlShape = ControlShape {
    sequencer: BANKED,
    ..CONTROL
};

/// The same with other banks.
pub const fn with_banks(banks: BankCount) -> ControlShape {
    ControlShape { banks, ..CONTROL }
}

/// All options of post-processing.
pub const POST_OPTIONS: PostOptions = PostOptions {
    pooling: true,
    product: true,
    median: 9,
    activations: 3,
};

/// The configuration `tiny`.
///
/// # Panics
/// If the file in `configs` is no legal configuration.
pub fn tiny() -> Params {
    let text = include_str!("../../../configs/tiny.json");
    Params::from_json(text).expect("configs/tiny.json is legal")
}
