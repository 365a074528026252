//! Numbers and bits that other designs have reserved: nothing that is built may use them.

/// What a number or bit counts in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Space {
    /// Opcodes of instructions.
    Opcode,
    /// Bits of the first word of an instruction.
    HeaderBit,
    /// Numbers of errors.
    ErrorCode,
    /// Values of the register ID.
    Id,
}

/// A number or bits of a design that is not built yet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Reserved {
    /// What it counts in.
    pub space: Space,
    /// The number, or the lowest bit.
    pub first: u32,
    /// The same number, or the highest bit.
    pub last: u32,
    /// The design that has reserved it.
    pub owner: &'static str,
    /// Name or meaning there.
    pub name: &'static str,
}

const HOST: &str = "host system";
const SPARSE: &str = "sparse cluster";

macro_rules! reserved {
    ($($space:ident $first:literal $last:literal $owner:ident $name:literal,)*) => {
        /// Everything that is reserved.
        pub const RESERVED: &[Reserved] = &[$(Reserved {
            space: Space::$space,
            first: $first,
            last: $last,
            owner: $owner,
            name: $name,
        }),*];
    };
}

reserved! {
    Opcode 0x0a 0x0a HOST "EVENT: tells the host a number",
    Opcode 0x0b 0x0b HOST "AWAIT: waits for a number of the host",
    Opcode 0x15 0x15 SPARSE "SPARSE_CUT",
    Opcode 0x16 0x16 SPARSE "SPARSE_COPY",
    Opcode 0x17 0x17 SPARSE "SPARSE_ROUTE",
    Opcode 0x18 0x18 SPARSE "SPARSE_SCALE",
    HeaderBit 29 29 SPARSE "of commands of the cluster alone: waits until the runs of all units are done",
    HeaderBit 30 30 SPARSE "waits until the cutter is idle",
    HeaderBit 31 31 SPARSE "waits until the fill is idle",
    ErrorCode 13 13 HOST "STREAM",
    ErrorCode 15 15 HOST "ABORTED",
    ErrorCode 17 17 SPARSE "SPARSE_INDEX",
    ErrorCode 19 19 SPARSE "STREAM_END",
    Id 0x4845_4402 0x4845_4402 HOST "ID of a machine with a register port",
}

impl Reserved {
    /// The number or the bits, as documents write them.
    pub fn place(&self) -> String {
        match self.space {
            Space::Opcode => format!("opcode {:#04X}", self.first).replace("0X", "0x"),
            Space::HeaderBit => format!("header {}", self.bits()),
            Space::ErrorCode => format!("error code {}", self.first),
            Space::Id => format!("ID {:#010x}", self.first),
        }
    }

    fn bits(&self) -> String {
        match self.last - self.first {
            0 => format!("`[{}]`", self.first),
            _ => format!("`[{}:{}]`", self.last, self.first),
        }
    }

    /// Whether two reservations meet.
    pub fn meets(&self, other: &Reserved) -> bool {
        self.space == other.space && self.first <= other.last && other.first <= self.last
    }

    /// The bits in a word, of a reservation of bits.
    pub const fn mask(&self) -> u32 {
        u32::MAX >> (31 - self.last) & u32::MAX << self.first
    }
}
