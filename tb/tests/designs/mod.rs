//! The designs that the agreement tests drive.

use heddle_arch::params::{self, Params};
use heddle_hdl::array::{BiasRow, PeArray};
use heddle_hdl::blocks::offsets::{OffsetShape, OffsetUnit};
use heddle_hdl::buffer::{BankCount, ResultsBuffer, StateBuffer};
use heddle_hdl::control::{
    Control, ControlShape, DrainIssue, HostPort, Prefetch, Sequencer, SequencerShape, StreamIssue,
    WeightIssue,
};
use heddle_hdl::post::{Activate, BytePacker, DrainPlace, PoolLane, Post, PostOptions, Requantise};
use heddle_hdl::sliced::{Sliced, SlicedShape};
use heddle_hdl::top::Top;
use heddle_hdl::traversal::{
    Arrangement, OffsetTable, RegisterArray, TraversalEngine, TraversalShape, TraversalUnit,
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
    /// State machine with shifts.
    sample_shifter: samples::Shifter = samples::Shifter::default();
    /// Three rows of four loops, 16-bit offsets and addresses.
    traversal: TraversalEngine<16, 17, 16> = TraversalEngine::new(TraversalShape::plain(3, 4));
    /// Two rows of three loops, 24-bit offsets, 32-bit addresses.
    traversal_wide: TraversalEngine<24, 25, 32> = TraversalEngine::new(TraversalShape::plain(2, 3));
    /// Four rows of eight loops with all options, 12-bit offsets, 16-bit addresses.
    traversal_options: TraversalEngine<12, 13, 16> = TraversalEngine::new(all_options(4, 8));
    /// Two rows of three loops, each row in a row of registers.
    register_array: RegisterArray<6, 7> = RegisterArray::new(2, 3, true, Arrangement::Rows);
    /// The same, the innermost loop on the left, one set of registers.
    register_array_mirrored: RegisterArray<6, 7> =
        RegisterArray::new(2, 3, false, Arrangement::Mirrored);
    /// The same, each row in a column of registers.
    register_array_transposed: RegisterArray<6, 7> =
        RegisterArray::new(2, 3, true, Arrangement::Transposed);
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
    /// Three rows and ten columns: more columns than bytes in a weight word.
    pe_array: PeArray = PeArray::new(3, 10);
    /// Three columns, four column tiles.
    bias_row: BiasRow = BiasRow::new(3, 4);
    /// Three columns, banks of eight sums.
    results_buffer: ResultsBuffer = ResultsBuffer::new(3, 8);
    /// Scaling of one column.
    requantise: Requantise = Requantise::default();
    /// Bytes to words.
    byte_packer: BytePacker = BytePacker::default();
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
    stream_issue: StreamIssue<16> = StreamIssue::new(CONTROL);
    /// Three loops, 1 KiB partitions, four rows and columns.
    weight_issue: WeightIssue<16> = WeightIssue::new(CONTROL);
    /// Three loops, 1 KiB partitions, four column tiles, four columns.
    drain_issue: DrainIssue<16> = DrainIssue::new(CONTROL);
    /// Four rows and columns, 64 program words.
    sequencer: Sequencer = Sequencer::new(SHAPE);
    /// The same, partitions of 128 words.
    host_port: HostPort = HostPort::new(CONTROL);
    /// The same.
    control: Control<16, 17, 16> = Control::new(CONTROL);
    /// The prefetch of that machine.
    prefetch: Prefetch = Prefetch::new(BANKED, PROGRAM_BANK, 7);
    /// The machine of the configuration `tiny` with an input bank and all options of post-processing.
    top: Top<16, 17, 16> = Top::new(&with_options());
}

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

/// The same with an input bank and all options of post-processing.
fn with_options() -> Params {
    let mut params = tiny();
    params.state_buffer.banks = 4;
    params.state_buffer.input_banks = 1;
    params.post = params::Post {
        pooling: true,
        product: true,
        median: 9,
        activations: 3,
    };
    params.validate().expect("two other banks are left");
    params
}
