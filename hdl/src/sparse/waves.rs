//! What the parts of a unit tell one another.

use heddle_kernel::prelude::*;

/// A word of a command, for the part that carries it out.
#[bundle]
pub struct CommandWord {
    /// There is one.
    #[reset]
    pub valid: Bit,
    /// Its place in the command; the header is word 0.
    pub index: Bits<3>,
    /// The word.
    pub data: Bits<32>,
}

/// A word for a register of a unit, or a run.
#[bundle]
pub struct UnitOrder {
    /// The register.
    pub register: Bits<3>,
    /// Its value, or word 1 of SPARSE_RUN.
    pub data: Bits<32>,
}

/// A register of a unit is written.
#[bundle]
pub struct UnitWrite {
    /// It is.
    #[reset]
    pub valid: Bit,
    /// The unit.
    pub unit: Bits<6>,
    /// The register.
    pub register: Bits<3>,
    /// Its value.
    pub data: Bits<32>,
}

/// A parameter of an output channel.
#[bundle]
pub struct ScaleValue {
    /// There is one.
    #[reset]
    pub valid: Bit,
    /// Group of output channels.
    pub tile: Bits<8>,
    /// The channel in it.
    pub lane: Bits<5>,
    /// 0 bias, 1 multiplier, 2 shift.
    pub number: Bits<2>,
    /// The parameter.
    pub data: Bits<32>,
}

/// Words of weights that fill the memory of a unit.
#[bundle(lanes: usize)]
pub struct WeightFill {
    /// Words will come from the next cycle on.
    #[reset]
    pub begin: Bit,
    /// Where they begin.
    pub word: Bits<16>,
    /// Number of the list that they begin.
    pub first_list: Bits<9>,
    /// A word.
    #[reset]
    pub valid: Bit,
    /// Its weights, two's complement.
    pub weight: [Bits<8>; lanes],
    /// Its index: kernel row in bits 3..0, column 7..4, group 11..8, last word of a list 15.
    pub index: Bits<16>,
}

/// Values of one position of a map, and which of them are not zero.
#[bundle(lanes: usize)]
pub struct LoadSlot {
    /// There is a slot.
    pub valid: Bit,
    /// Row of its values.
    pub row: Bits<8>,
    /// Their column.
    pub col: Bits<8>,
    /// Number of the list of weights of lane 0; the next lanes have the next ones.
    pub list: Bits<9>,
    /// First slot of a load.
    pub first: Bit,
    /// Last slot of a load.
    pub last: Bit,
    /// Set of the map memory that takes its entries.
    pub set: Bits<2>,
    /// Values, two's complement.
    pub value: [Bits<9>; lanes],
    /// The value of a lane is an entry.
    pub nz: [Bit; lanes],
}

/// Entries on their way through the units: values that are not zero, all of one position.
#[bundle(entries: usize)]
pub struct LoadWave {
    /// There are entries, or a load begins or ends. All else counts only then.
    #[reset]
    pub valid: Bit,
    /// Number of entries; the first ones of `value` and `list` are taken.
    pub count: Bits<4>,
    /// Row of the entries.
    pub row: Bits<8>,
    /// Their column.
    pub col: Bits<8>,
    /// Set of the map memory that takes them.
    pub set: Bits<2>,
    /// A load begins with these entries: its set is empty before.
    pub first: Bit,
    /// A load ends with these entries: its set is full.
    pub last: Bit,
    /// Values, two's complement.
    pub value: [Bits<9>; entries],
    /// Numbers of the lists of weights that they meet.
    pub list: [Bits<9>; entries],
}

/// A value that is not zero, and where it lies.
#[bundle]
pub struct Entry {
    /// Value, two's complement.
    pub value: Bits<9>,
    /// Row of the value.
    pub row: Bits<8>,
    /// Its column.
    pub col: Bits<8>,
}

/// Where results have their words of sums: at (group << `area`) + (row << `pitch`) + column, the group modulo 16 and all
/// modulo the words of a unit. So the results of a unit have different words wherever they lie, if their columns are at most 2^`pitch`, rows of
/// 2^`pitch` words at most 2^`area` words, and as many words for each group all that there are.
#[bundle]
pub struct SumLayout {
    /// Words of a row, as a power of two.
    pub pitch: Bits<4>,
    /// Words of a group, as a power of two.
    pub area: Bits<4>,
}

/// A word of sums that is read, and cleared.
#[bundle]
pub struct SumDrain {
    /// Drains a word.
    #[reset]
    pub valid: Bit,
    /// Its address.
    pub addr: Bits<16>,
    /// Its sums stay as they are.
    pub keep: Bit,
}

/// A position whose sums are drained.
#[bundle]
pub struct DrainPosition {
    /// There is one.
    #[reset]
    pub valid: Bit,
    /// Its row, of results.
    pub row: Bits<9>,
    /// Its column.
    pub col: Bits<9>,
    /// Whose output channels: the units with this share have its sums.
    pub share: Bits<6>,
    /// Region of the sums.
    pub region: Bit,
    /// Its word of sums, in every unit that has one; higher bits than a unit's memory has are not looked at.
    pub addr: Bits<16>,
    /// Its sums stay as they are.
    pub keep: Bit,
}

/// A part of a map, of values or of results.
#[bundle]
pub struct Rectangle {
    /// First row.
    pub row0: Bits<9>,
    /// The row behind the last one.
    pub row1: Bits<9>,
    /// First column.
    pub col0: Bits<9>,
    /// The column behind the last one.
    pub col1: Bits<9>,
}

/// A word of a route: which switches of a network are crossed.
#[bundle]
pub struct RouteWord {
    /// There is one.
    #[reset]
    pub valid: Bit,
    /// Its place in the route.
    pub place: Bits<4>,
    /// A bit for each switch.
    pub data: Bits<32>,
    /// It is the last one of the route.
    pub last: Bit,
}

/// What becomes of a set of a feature-map memory.
#[bundle]
pub struct MemoryOrder {
    /// The memory.
    pub memory: Bits<6>,
    /// The set.
    pub set: Bit,
    /// It is written from outside (1), from another memory (2), with results of a unit (3), or read for a unit (4), for another memory
    /// (5), for outside (6).
    pub job: Bits<3>,
    /// It keeps the entries that it has when it is written.
    pub append: Bit,
}
