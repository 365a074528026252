//! Why a block tree cannot be printed.

/// A fault in a block: where it is and what it is.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{path}: {fault}")]
pub struct EmitError {
    /// Path of the block from the top, for example `top.row[0].cell[3]`.
    pub path: String,
    /// What is wrong.
    pub fault: Fault,
}

/// What can be wrong with a block.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Fault {
    /// A block that is no module.
    #[error("block is no module, write #[module] above its struct")]
    NoMeta,
    /// A module that says nothing of itself.
    #[error("module has no description, add a doc comment to the struct")]
    NoDescription,
    /// A port that says nothing of itself.
    #[error("port {0} has no description, add a doc comment to its field")]
    NoPortDescription(String),
    /// A primitive that the emitter does not know.
    #[error("primitive {0} is unknown to the emitter")]
    UnknownPrimitive(String),
    /// A construct that cannot be printed.
    #[error("{0} cannot be printed")]
    Unsupported(String),
    /// A name in a kernel that is neither signal, parameter, loop variable nor enum variant.
    #[error("unknown name {0}, expected a signal, loop variable or parameter")]
    UnknownName(String),
    /// A signal that a kernel could not tell from a parameter.
    #[error("signal {0} has the name of a parameter, rename one of them")]
    Shadowed(String),
    /// An index beyond the end of an array.
    #[error("index of {name} is {index}, expected less than {size}")]
    OutOfRange {
        /// The name as written in the kernel.
        name: String,
        /// The index found.
        index: i64,
        /// Elements in this dimension.
        size: usize,
    },
    /// Nothing tells how wide an expression is.
    #[error("width of {0} is unknown, add a cast")]
    UnknownWidth(String),
    /// Operand and context differ in width.
    #[error("{expr} is {found} bits, expected {expected}")]
    Width {
        /// The expression.
        expr: String,
        /// Its width in bits.
        found: usize,
        /// The width of its context in bits.
        expected: usize,
    },
    /// A constant that needs more bits than it has.
    #[error("constant {value} does not fit into {width} bits")]
    Constant {
        /// The value.
        value: String,
        /// Available bits.
        width: usize,
    },
    /// An assignment to an input of the block itself or to an output of a child.
    #[error("{0} is driven, but it is an input here")]
    DrivesInput(String),
    /// A signal with two values at once.
    #[error("{0} has two drivers")]
    TwoDrivers(String),
    /// A signal without a value.
    #[error("{0} is not driven")]
    Undriven(String),
    /// A signal that keeps its value on some path.
    #[error("{0} is not driven on every path (latch), give it a value before the first if")]
    Latch(String),
    /// A signal that is read above its assignments by statements printed in one process.
    #[error("{0} is read before it is written, move its assignments up")]
    Early(String),
    /// A signal that depends on itself within one cycle.
    #[error("combinational loop through {0}")]
    Loop(String),
    /// A name that other tools refuse.
    #[error("name {0} is a reserved word of Verilog, SystemVerilog or VHDL")]
    Reserved(String),
    /// A name with characters that other tools refuse.
    #[error("name {0} is not portable, expected letters, digits and single underscores")]
    BadName(String),
    /// Two different texts that would get one module name.
    #[error(
        "module name {0} stands for two different texts, expected one: another name of the configuration gives others"
    )]
    NameClash(String),
    /// A register whose clock is not an input of its module.
    #[error("clock of register {0} is not an input of the module")]
    Clock(String),
    /// An array with rows of different lengths.
    #[error("array {0} is ragged, expected rows of one length")]
    Ragged(String),
}
