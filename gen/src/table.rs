//! What the names of a block stand for.

use crate::ir::NetId;
use crate::passes::naming::Names;
use std::collections::BTreeMap;

/// What a name in the kernel stands for.
#[derive(Debug, Clone)]
pub enum Meaning {
    /// Elements of nets, row-major.
    Nets(Vec<(NetId, usize)>),
    /// Constants with width, signedness, and a localparam name for scalars.
    Constants(Vec<u128>, usize, bool, Option<String>),
}

/// A name with its dimensions.
#[derive(Debug, Clone)]
pub struct Entry {
    /// Sizes, outermost first.
    pub dims: Vec<usize>,
    /// The elements.
    pub meaning: Meaning,
}

/// An enum variant.
#[derive(Debug, Clone)]
pub struct Variant {
    /// Name of the localparam.
    pub name: String,
    /// Value.
    pub value: u128,
    /// Bits.
    pub width: usize,
    /// Number of variants of the enum.
    pub count: usize,
}

/// The port of a memory that has one for reads and writes.
#[derive(Debug)]
pub struct SharedPort {
    /// Write enable and address.
    pub write: (NetId, NetId),
    /// Read enable and address.
    pub read: (NetId, NetId),
    /// Enable and address of the port.
    pub port: (NetId, NetId),
}

/// Names of a block: signals by key (`cell$x_i`), enum variants (`State$Idle`).
#[derive(Debug, Default)]
pub struct Table {
    /// Signals and constants.
    pub entries: BTreeMap<String, Entry>,
    /// Enum variants.
    pub variants: BTreeMap<String, Variant>,
    /// Products: signed factors and result, element by element.
    pub products: Vec<(NetId, NetId, NetId)>,
    /// Ports of memories that read or write, element by element.
    pub shared_ports: Vec<SharedPort>,
    /// Names in use.
    pub names: Names,
}
