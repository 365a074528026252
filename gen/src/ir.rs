//! The netlist: nets, expressions whose widths are exact, statements, modules.
//!
//! Every expression is a bit vector of known width without a sign; the operators that read
//! their operands as signed numbers are operators of their own. Printing therefore never has
//! to think about Verilog's context rules.

use heddle_kernel::Meta;
use std::collections::BTreeSet;

/// Number of a net in its module.
pub type NetId = usize;

/// Number of a unique block.
pub type BlockId = usize;

/// What a net is in its module.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum NetKind {
    /// Input port.
    In,
    /// Output port.
    Out,
    /// Internal signal written by the kernel.
    Local,
    /// Input port of a child instance.
    ChildIn,
    /// Output port of a child instance.
    ChildOut,
    /// Stored value of a register.
    Register,
    /// Result of a primitive or intermediate value.
    Wire,
}

/// A vector of `elems` elements of `width` bits, packed, element 0 in the low bits.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Net {
    /// Name in the Verilog text.
    pub name: String,
    /// Name in Rust, for messages; `[]` marks the indices of an array of instances.
    pub rust: String,
    /// Sizes of the array, outermost first; empty for a scalar.
    pub dims: Vec<usize>,
    /// Bits of one element.
    pub width: usize,
    /// The value is a signed number.
    pub signed: bool,
    /// The value is a clock.
    pub clock: bool,
    /// Role.
    pub kind: NetKind,
    /// Comment at the declaration.
    pub doc: String,
    /// Names of the values of an enum.
    pub labels: Vec<String>,
    /// The array that the net was an element of.
    pub part_of: Option<String>,
}

impl Net {
    /// Number of elements.
    pub fn elems(&self) -> usize {
        self.dims.iter().product()
    }

    /// Sizes of nested arrays, outermost first, as in `4 x 8`. An array of one element is not told.
    pub fn layout(&self) -> String {
        let sizes = self.dims.iter().filter(|&&size| size > 1);
        let sizes: Vec<String> = sizes.map(usize::to_string).collect();
        sizes.join(" x ")
    }

    /// The name of the array, of an element that has become a net.
    pub fn title(&self) -> &str {
        self.part_of.as_deref().unwrap_or(&self.name)
    }

    /// Bits of all elements together.
    pub fn bits(&self) -> usize {
        self.elems() * self.width
    }
}

/// A bit position that may depend on loop variables: `base + sum(step * variable)`.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Index {
    /// Position with all variables 0.
    pub base: i64,
    /// Loop depth and step, in order of depth.
    pub terms: Vec<(usize, i64)>,
}

impl From<usize> for Index {
    fn from(base: usize) -> Self {
        Self {
            base: base as i64,
            terms: Vec::new(),
        }
    }
}

impl Index {
    /// The position, if it depends on no loop variable.
    pub fn constant(&self) -> Option<usize> {
        if !self.terms.is_empty() {
            return None;
        }
        usize::try_from(self.base).ok()
    }
}

/// Operators with two operands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum BinOp {
    /// Sum, all of one width.
    Add,
    /// Difference, all of one width.
    Sub,
    /// Bitwise and.
    And,
    /// Bitwise or.
    Or,
    /// Bitwise exclusive or.
    Xor,
    /// Logical and of two bits.
    LogicAnd,
    /// Logical or of two bits.
    LogicOr,
    /// Equal, 1 bit.
    Eq,
    /// Not equal, 1 bit.
    Ne,
    /// Less, unsigned.
    Lt,
    /// Less or equal, unsigned.
    Le,
    /// Greater, unsigned.
    Gt,
    /// Greater or equal, unsigned.
    Ge,
    /// Less, signed.
    LtS,
    /// Less or equal, signed.
    LeS,
    /// Greater, signed.
    GtS,
    /// Greater or equal, signed.
    GeS,
    /// Shift left; the amount has its own width.
    Shl,
    /// Shift right, zeros enter.
    Shr,
    /// Shift right, the sign enters.
    Sar,
    /// Signed product; its width is the sum of the widths.
    MulS,
    /// Unsigned product; its width is the sum of the widths.
    MulU,
}

/// Reductions of a vector to one bit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Reduction {
    /// All bits are 1.
    All,
    /// Some bit is 1.
    Any,
    /// An odd number of bits is 1.
    Odd,
}

/// An expression of exactly known width.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Expr {
    /// A number, possibly with a name (`StateIdle`).
    Const {
        /// Bits.
        width: usize,
        /// Value, zero-extended.
        value: u128,
        /// Name of the localparam.
        name: Option<String>,
    },
    /// Bits of a net.
    Sel {
        /// The net.
        net: NetId,
        /// Lowest bit.
        lsb: Index,
        /// Bits.
        width: usize,
    },
    /// Bitwise inversion.
    Not(Box<Expr>),
    /// Two's complement.
    Neg(Box<Expr>),
    /// Reduction to one bit.
    Reduce(Reduction, Box<Expr>),
    /// Two operands.
    Bin(BinOp, Box<Expr>, Box<Expr>),
    /// One bit selected by a signal whose range is the width of the net, a power of two.
    Pick {
        /// The net.
        net: NetId,
        /// Lowest bit of the range.
        lsb: Index,
        /// Bits in the range.
        width: usize,
        /// The selector.
        index: Box<Expr>,
    },
    /// Most significant part first.
    Concat(Vec<Expr>),
    /// Repetition.
    Repeat(usize, Box<Expr>),
    /// Bits of an expression; replaced by a named net before printing.
    Slice {
        /// The expression.
        of: Box<Expr>,
        /// Lowest bit.
        lsb: usize,
        /// Bits.
        width: usize,
    },
    /// Condition, value if true, value if false.
    Mux(Box<Expr>, Box<Expr>, Box<Expr>),
    /// Bits of a word that have a name; replaced by a net of that name before printing.
    Field(Box<Expr>, FieldName),
}

/// What the bits of a word are called, and what they mean.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct FieldName {
    /// Name of the net.
    pub name: String,
    /// Comment at its declaration.
    pub doc: String,
}

/// A place that is assigned.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Target {
    /// The net.
    pub net: NetId,
    /// Lowest bit.
    pub lsb: Index,
    /// Bits.
    pub width: usize,
}

/// A statement of a kernel or of a process.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Stmt {
    /// Assignment.
    Assign(Target, Expr),
    /// Conditional.
    If(Expr, Vec<Stmt>, Vec<Stmt>),
    /// Selection; arms without a label are the default and come last.
    Case(Expr, Vec<(Option<Expr>, Vec<Stmt>)>),
    /// `for` over statements: depth of the variable, first value, one past the last.
    For(usize, usize, usize, Vec<Stmt>),
    /// A comment.
    Comment(String),
}

/// An instance, or an array of instances.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Instance {
    /// Name without prefix.
    pub name: String,
    /// Sizes of the array, outermost first; empty for a single instance.
    pub dims: Vec<usize>,
    /// The block.
    pub block: BlockId,
    /// Port name in the child, net here and bits of the port in one instance.
    pub ports: Vec<Port>,
}

/// One port of an instance.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Port {
    /// Name in the child.
    pub name: String,
    /// Net here: elements of all instances.
    pub net: NetId,
    /// Elements of the port in one instance.
    pub elems: usize,
    /// The child drives it.
    pub output: bool,
}

/// A register, or an array of registers, before it is placed in a process.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Register {
    /// Name of the field.
    pub name: String,
    /// Stored value.
    pub q: NetId,
    /// Next value.
    pub d: NetId,
    /// Clock.
    pub clk: NetId,
    /// Reset, active low.
    pub rst: Option<NetId>,
    /// Enable.
    pub en: Option<NetId>,
    /// Value after reset.
    pub init: u128,
}

/// Ports of contracts, before their values are known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ContractPorts {
    /// Name of the field.
    pub name: String,
    /// What must hold.
    pub text: String,
    /// The only port; or of a stream valid, ready and words.
    pub nets: Vec<NetId>,
}

/// What must hold in a module, outside of the logic.
#[derive(Debug, Clone)]
pub struct Contract {
    /// Name of the field.
    pub name: String,
    /// What is said if it does not hold.
    pub text: String,
    /// When it holds.
    pub rule: Rule,
}

/// When a contract holds.
#[derive(Debug, Clone)]
pub enum Rule {
    /// While this is 1.
    Holds(Expr),
    /// If valid and words stay while valid is 1 and ready 0.
    Waits(Expr, Expr, Expr),
}

/// A module ready to print.
#[derive(Debug, Clone)]
pub struct Module {
    /// Name with prefix and parameters.
    pub name: String,
    /// What the block says about itself.
    pub meta: Meta,
    /// All nets; those that no item mentions are not printed.
    pub nets: Vec<Net>,
    /// Contents in printing order.
    pub items: Vec<Item>,
    /// Bits that nothing reads.
    pub unused: Vec<Expr>,
    /// What simulators may check.
    pub contracts: Vec<Contract>,
}

/// A module on its way from kernel to text.
#[derive(Debug)]
pub struct Netlist {
    /// What the block says about itself.
    pub meta: Meta,
    /// All nets.
    pub nets: Vec<Net>,
    /// Instances of modules and memories.
    pub instances: Vec<Instance>,
    /// Registers.
    pub registers: Vec<Register>,
    /// The kernel, loops unrolled, widths exact.
    pub body: Vec<Stmt>,
    /// Ports of contracts.
    pub contracts: Vec<ContractPorts>,
}

/// Things in a module text, in printing order.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Item {
    /// Continuous assignment.
    Assign(Target, Expr),
    /// Instance with its connections.
    Instance(Connected),
    /// `always @*`.
    Comb(Vec<Stmt>),
    /// `always @(posedge clk)`.
    Clocked(Clocked),
    /// A comment above the next item.
    Comment(String),
    /// `generate for`: depth of the variable, first value, one past the last, contents.
    Loop(usize, usize, usize, Vec<Item>),
}

/// An instance with its connections.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Connected {
    /// Name without prefix.
    pub name: String,
    /// Position in the array, empty for a single instance or inside loops.
    pub index: Vec<usize>,
    /// The block.
    pub block: BlockId,
    /// Connections in port order.
    pub ports: Vec<Connection>,
}

/// A port and what it is connected to.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Connection {
    /// Port name in the child.
    pub port: String,
    /// Value, or place if the child drives it.
    pub value: Expr,
    /// The child drives it.
    pub output: bool,
}

/// A clocked process.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Clocked {
    /// Clock net.
    pub clk: NetId,
    /// Condition that is high in normal operation, and the assignments of reset.
    pub reset: Option<(Expr, Vec<Stmt>)>,
    /// Enable.
    pub enable: Option<Expr>,
    /// Next values.
    pub body: Vec<Stmt>,
}

/// The blocks of all instances.
pub fn instances(items: &[Item]) -> BTreeSet<BlockId> {
    let mut out = BTreeSet::new();
    for item in items {
        match item {
            Item::Instance(c) => {
                out.insert(c.block);
            }
            Item::Loop(_, _, _, inner) => out.append(&mut instances(inner)),
            _ => {}
        }
    }
    out
}
