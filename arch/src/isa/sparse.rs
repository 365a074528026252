//! The commands of the sparse cluster.

use super::fields::sparse::{
    cut, cut_cols, cut_good, cut_limits, cut_place, cut_rows, cut_size, drain, drain_bounds,
    drain_first, drain_group, drain_size, header, load, load_chunks, load_first, load_size,
    mask_low, range, run, scale, set, share, weights, weights_lists,
};

/// Opcode of SPARSE_SET.
pub const OP_SET: u32 = 0x10;
/// Opcode of SPARSE_LOAD.
pub const OP_LOAD: u32 = 0x11;
/// Opcode of SPARSE_WEIGHTS.
pub const OP_WEIGHTS: u32 = 0x12;
/// Opcode of SPARSE_RUN.
pub const OP_RUN: u32 = 0x13;
/// Opcode of SPARSE_DRAIN.
pub const OP_DRAIN: u32 = 0x14;
/// Opcode of SPARSE_CUT.
pub const OP_CUT: u32 = 0x15;
/// Opcode of SPARSE_SCALE.
pub const OP_SCALE: u32 = 0x18;

numbered! {
    /// Why a cluster stops; the numbers go on those of the machine's errors.
    SparseError: u8 {
        /// The opcode has no meaning.
        IllegalOpcode = 1 "ILLEGAL_OPCODE",
        /// The length is not that of the command.
        BadLength = 2 "BAD_LENGTH",
        /// A field is out of range, or a bit that is not used is set.
        BadField = 3 "BAD_FIELD",
        /// Nothing has made progress for 4096 cycles, and no stream is waited for.
        Stuck = 6 "STUCK",
        /// A unit has more entries than a set holds.
        MapFull = 16 "MAP_FULL",
        /// A run with a set that no load before it fills.
        SparseOrder = 18 "SPARSE_ORDER",
    }
}

/// Rows or columns: the first one, and the one after the last.
pub type Span = std::ops::Range<u32>;

/// A register of a unit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum UnitRegister {
    /// Rows that the unit takes of a map.
    PartRows(Span),
    /// Columns that it takes.
    PartCols(Span),
    /// Whose output channels it has.
    Share(u32),
    /// Rows of results that it keeps, in a region.
    WindowRows(bool, Span),
    /// Columns of results that it keeps, in a region.
    WindowCols(bool, Span),
}

impl UnitRegister {
    /// Number of the register.
    pub fn number(&self) -> u32 {
        match self {
            UnitRegister::PartRows(_) => 0,
            UnitRegister::PartCols(_) => 1,
            UnitRegister::Share(_) => 2,
            UnitRegister::WindowRows(region, _) => 4 + 2 * u32::from(*region),
            UnitRegister::WindowCols(region, _) => 5 + 2 * u32::from(*region),
        }
    }

    /// Its word.
    pub fn word(&self) -> u32 {
        match self {
            UnitRegister::Share(number) => share::SHARE.put(*number),
            UnitRegister::PartRows(span)
            | UnitRegister::PartCols(span)
            | UnitRegister::WindowRows(_, span)
            | UnitRegister::WindowCols(_, span) => {
                range::FIRST.put(span.start) | range::END.put(span.end)
            }
        }
    }
}

/// SPARSE_LOAD: a map, or a part of it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SparseLoad {
    /// Set, of the first chunk.
    pub set: u32,
    /// Goes on with a set that is left open.
    pub append: bool,
    /// Leaves the set open.
    pub more: bool,
    /// Each chunk goes to the next set.
    pub alternate: bool,
    /// log2 of the stride.
    pub stride: u32,
    /// List of weights of lane 0.
    pub list: u32,
    /// Lanes that are loaded.
    pub lanes: u32,
    /// Bytes above it are negative.
    pub threshold: u32,
    /// First row and column.
    pub first: [u32; 2],
    /// Rows and columns.
    pub size: [u32; 2],
    /// Chunks of input channels.
    pub chunks: u32,
    /// Lists from chunk to chunk.
    pub step: u32,
    /// Units that take it.
    pub units: u64,
}

/// SPARSE_WEIGHTS: words of weights.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SparseWeights {
    /// First word of the memory.
    pub first: u32,
    /// Words.
    pub words: u32,
    /// First list.
    pub list: u32,
    /// Half that they belong to.
    pub half: bool,
    /// Units that take them.
    pub units: u64,
}

/// SPARSE_RUN: values of sets meet their weights.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SparseRun {
    /// Set, of the first chunk.
    pub set: u32,
    /// The sets stay full.
    pub keep: bool,
    /// Half of the weights.
    pub half: bool,
    /// Region of the sums.
    pub region: bool,
    /// Chunks, each in the next set.
    pub chunks: u32,
    /// Kernel rows and columns.
    pub kernel: [u32; 2],
    /// Words of sums of a row, as a power of two.
    pub pitch: u32,
    /// Words of sums of a group, as a power of two.
    pub area: u32,
    /// Units that run.
    pub units: u64,
}

/// SPARSE_DRAIN: sums leave.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SparseDrain {
    /// Region of the sums.
    pub region: bool,
    /// Nothing leaves.
    pub discard: bool,
    /// The sums stay as they are.
    pub keep: bool,
    /// Words of sums of a row, as a power of two.
    pub pitch: u32,
    /// Words of sums of a group, as a power of two.
    pub area: u32,
    /// Results that are not zero are counted.
    pub count: bool,
    /// Groups of output channels.
    pub groups: u32,
    /// Groups of a share.
    pub each: u32,
    /// First row and column of results.
    pub first: [u32; 2],
    /// Rows and columns.
    pub size: [u32; 2],
    /// First group.
    pub group: u32,
    /// Its share.
    pub share: u32,
    /// Its parameters.
    pub tile: u32,
    /// Bounds of the bytes, less the zero point.
    pub bounds: [i32; 2],
    /// Single rounding.
    pub single: bool,
}

/// SPARSE_CUT: parts and windows of the units, by the counts of a map.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SparseCut {
    /// Bands of rows, and cells of a band.
    pub cells: [u32; 2],
    /// Region whose windows are written.
    pub region: bool,
    /// Rows and columns that a cell takes of its neighbours.
    pub halo: [u32; 2],
    /// Most rows of a band, and columns of a cell.
    pub limits: [u32; 2],
    /// Rows and columns of counts.
    pub size: [u32; 2],
    /// Padding above and on the left.
    pub padding: [u32; 2],
    /// log2 of the stride.
    pub stride: u32,
    /// Kernel rows and columns less 1, of results.
    pub tail: [u32; 2],
    /// Rows and columns of the results that will be drained.
    pub results: [Span; 2],
    /// Largest spread that is good.
    pub spread: u32,
}

/// Parameters of an output channel.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ChannelScale {
    /// What its sums begin with.
    pub bias: i32,
    /// Multiplier, 31 bits.
    pub multiplier: u32,
    /// Shift; positive is left.
    pub shift: i32,
}

/// A command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SparseCommand {
    /// Registers of a unit, or of all; their numbers follow each other.
    Set(Option<u32>, Vec<UnitRegister>),
    /// A map.
    Load(SparseLoad),
    /// Words of weights.
    Weights(SparseWeights),
    /// Products.
    Run(SparseRun),
    /// Results.
    Drain(SparseDrain),
    /// Parts and windows of the units.
    Cut(SparseCut),
    /// Parameters from a tile and lane on.
    Scale(u32, u32, Vec<ChannelScale>),
}

impl SparseCommand {
    /// The words of the command. Values that do not fit their fields lose bits.
    pub fn words(&self) -> Vec<u32> {
        let (opcode, rest) = match self {
            Self::Set(unit, registers) => (OP_SET, set_words(*unit, registers)),
            Self::Load(load) => (OP_LOAD, load_words(load)),
            Self::Weights(weights) => (OP_WEIGHTS, weights_words(weights)),
            Self::Run(run) => (OP_RUN, run_words(run)),
            Self::Drain(drain) => (OP_DRAIN, drain_words(drain)),
            Self::Cut(cut) => (OP_CUT, cut_words(cut)),
            Self::Scale(tile, lane, channels) => (OP_SCALE, scale_words(*tile, *lane, channels)),
        };
        let length = rest.len() as u32 + 1;
        let first = header::OPCODE.put(opcode) | header::LENGTH.put(length);
        std::iter::once(first).chain(rest).collect()
    }
}

fn mask(units: u64) -> [u32; 2] {
    [mask_low::UNITS.put(units as u32), (units >> 32) as u32]
}

fn set_words(unit: Option<u32>, registers: &[UnitRegister]) -> Vec<u32> {
    let first = registers.first().map_or(0, UnitRegister::number);
    let unit = unit.map_or(set::ALL.flag(true), |unit| set::UNIT.put(unit));
    let values = registers.iter().map(UnitRegister::word);
    std::iter::once(set::REGISTER.put(first) | unit)
        .chain(values)
        .collect()
}

fn load_words(command: &SparseLoad) -> Vec<u32> {
    let first = load::SET.put(command.set)
        | load::APPEND.flag(command.append)
        | load::MORE.flag(command.more)
        | load::ALTERNATE.flag(command.alternate)
        | load::STRIDE.put(command.stride)
        | load::LIST.put(command.list)
        | load::LANES.put(command.lanes)
        | load::THRESHOLD.put(command.threshold);
    let [low, high] = mask(command.units);
    vec![
        first,
        load_first::ROW.put(command.first[0]) | load_first::COL.put(command.first[1]),
        load_size::ROWS.put(command.size[0]) | load_size::COLS.put(command.size[1]),
        load_chunks::CHUNKS.put(command.chunks - 1) | load_chunks::STEP.put(command.step),
        low,
        high,
    ]
}

fn weights_words(command: &SparseWeights) -> Vec<u32> {
    let [low, high] = mask(command.units);
    vec![
        weights::FIRST.put(command.first) | weights::WORDS.put(command.words),
        weights_lists::LIST.put(command.list) | weights_lists::HALF.flag(command.half),
        low,
        high,
    ]
}

fn run_words(command: &SparseRun) -> Vec<u32> {
    let first = run::SET.put(command.set)
        | run::KEEP.flag(command.keep)
        | run::HALF.flag(command.half)
        | run::REGION.flag(command.region)
        | run::CHUNKS.put(command.chunks - 1)
        | run::KERNEL_ROWS.put(command.kernel[0] - 1)
        | run::KERNEL_COLS.put(command.kernel[1] - 1)
        | run::PITCH.put(command.pitch)
        | run::AREA.put(command.area);
    let [low, high] = mask(command.units);
    vec![first, low, high]
}

fn drain_words(command: &SparseDrain) -> Vec<u32> {
    let first = drain::REGION.flag(command.region)
        | drain::DISCARD.flag(command.discard)
        | drain::KEEP.flag(command.keep)
        | drain::PITCH.put(command.pitch)
        | drain::AREA.put(command.area)
        | drain::COUNT.flag(command.count)
        | drain::GROUPS.put(command.groups)
        | drain::EACH.put(command.each);
    let [lo, hi] = command.bounds;
    vec![
        first,
        drain_first::ROW.put(command.first[0]) | drain_first::COL.put(command.first[1]),
        drain_size::ROWS.put(command.size[0]) | drain_size::COLS.put(command.size[1]),
        drain_group::GROUP.put(command.group)
            | drain_group::SHARE.put(command.share)
            | drain_group::TILE.put(command.tile),
        drain_bounds::LO.put(lo as u32)
            | drain_bounds::HI.put(hi as u32)
            | drain_bounds::SINGLE.flag(command.single),
    ]
}

fn cut_words(command: &SparseCut) -> Vec<u32> {
    let [rows, cols] = &command.results;
    vec![
        cut::BANDS.put(command.cells[0] - 1)
            | cut::CELLS.put(command.cells[1] - 1)
            | cut::REGION.flag(command.region)
            | cut::HALO_ROWS.put(command.halo[0])
            | cut::HALO_COLS.put(command.halo[1]),
        cut_limits::BAND.put(command.limits[0]) | cut_limits::CELL.put(command.limits[1]),
        cut_size::ROWS.put(command.size[0]) | cut_size::COLS.put(command.size[1]),
        cut_place::ABOVE.put(command.padding[0])
            | cut_place::LEFT.put(command.padding[1])
            | cut_place::STRIDE.put(command.stride)
            | cut_place::TAIL_ROWS.put(command.tail[0])
            | cut_place::TAIL_COLS.put(command.tail[1]),
        cut_rows::FIRST.put(rows.start) | cut_rows::END.put(rows.end),
        cut_cols::FIRST.put(cols.start) | cut_cols::END.put(cols.end),
        cut_good::SPREAD.put(command.spread),
    ]
}

fn scale_words(tile: u32, lane: u32, channels: &[ChannelScale]) -> Vec<u32> {
    let first = scale::TILE.put(tile) | scale::LANE.put(lane);
    let values = channels.iter().flat_map(|channel| {
        [
            channel.bias as u32,
            channel.multiplier,
            channel.shift as u32 & 63,
        ]
    });
    std::iter::once(first).chain(values).collect()
}
