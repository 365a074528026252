//! Why a network cannot be compiled for a machine.

use std::fmt;

use heddle_arch::network::Network;
use heddle_arch::params::Params;

/// A memory of the machine that can be too small for a network.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Memory {
    /// Input banks of the state buffer, bytes in each partition.
    Input,
    /// Banks of the state buffer that hold activations, bytes in each partition.
    Activations,
    /// Banks of the state buffer that hold weights, bytes in each partition.
    Weights,
    /// The state buffer when it holds matrices, bytes in each partition.
    Matrices,
    /// Column parameters: column tiles.
    ColumnTiles,
    /// Program memory: instruction words.
    Program,
    /// Offset tables of the rows: entries.
    RowOffsets,
    /// Tables of functions of one byte.
    Tables,
}

impl Memory {
    fn name(self) -> &'static str {
        match self {
            Memory::Input => "input",
            Memory::Activations => "activations",
            Memory::Weights => "weights",
            Memory::Matrices => "matrices",
            Memory::ColumnTiles => "column parameters",
            Memory::Program => "program",
            Memory::RowOffsets => "row offsets",
            Memory::Tables => "functions of one byte",
        }
    }

    fn unit(self) -> &'static str {
        match self {
            Memory::Input => "bytes in the input banks of each partition",
            Memory::Activations | Memory::Weights => "bytes in each partition",
            Memory::Matrices => "bytes in each partition, in whole banks",
            Memory::ColumnTiles => "column tiles",
            Memory::Program => "words",
            Memory::RowOffsets => "entries in each row",
            Memory::Tables => "tables",
        }
    }

    fn field(self) -> &'static str {
        match self {
            Memory::Input => "state_buffer.input_banks or state_buffer.words_per_bank",
            Memory::Activations | Memory::Weights | Memory::Matrices => {
                "state_buffer.words_per_bank or state_buffer.banks"
            }
            Memory::ColumnTiles => "column_tiles",
            Memory::Program => "program.words",
            Memory::RowOffsets => "state_buffer.row_offsets",
            Memory::Tables => "post.activations",
        }
    }
}

/// A memory that is too small.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Shortage {
    /// Which memory.
    pub memory: Memory,
    /// What the network needs, in the unit of the memory.
    pub needed: u64,
    /// What the machine has; less than `needed`.
    pub available: u64,
}

impl Shortage {
    /// How much is missing.
    #[must_use]
    pub fn missing(&self) -> u64 {
        self.needed - self.available
    }

    /// The shortage, if there is one.
    pub(crate) fn of(memory: Memory, needed: u64, available: u64) -> Option<Self> {
        (needed > available).then_some(Self {
            memory,
            needed,
            available,
        })
    }
}

impl fmt::Display for Shortage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} {} {} {}, {} available, {} missing (set by {})",
            self.memory.name(),
            match self.memory {
                Memory::Input | Memory::Program => "needs",
                _ => "need",
            },
            self.needed,
            self.memory.unit(),
            self.available,
            self.missing(),
            self.memory.field()
        )
    }
}

/// Why a network cannot be compiled for a machine. The message is the whole explanation.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CompileError {
    /// The machine is too small; lists every memory that is known to be.
    #[error("network {network} does not fit {configuration}: {}", list(.shortages))]
    DoesNotFit {
        /// Name of the network.
        network: String,
        /// Name of the configuration.
        configuration: String,
        /// At least one.
        shortages: Vec<Shortage>,
    },
    /// A convolution needs more of a traversal unit.
    #[error("{field} is {found}, networks need at least 2")]
    Traversal {
        /// Field of the configuration.
        field: &'static str,
        /// Its value.
        found: u32,
    },
    /// A network needs more rows or loops of a unit.
    #[error("{field} is {loops:?}, networks need at least {needed:?}")]
    Unit {
        /// Field of the configuration.
        field: &'static str,
        /// Its value.
        loops: Vec<u32>,
        /// What every network needs.
        needed: &'static [u32],
    },
    /// A layer asks for what the machine cannot do.
    #[error("layer {layer}: {message}")]
    Layer {
        /// Name of the layer.
        layer: String,
        /// What is missing, and what is allowed.
        message: String,
    },
    /// The sparse cluster cannot do what is asked of it.
    #[error("{0}")]
    Engine(String),
    /// A tensor was given with another number of elements.
    #[error("tensor {tensor} is given {found} {what}, expected {expected}")]
    TensorLength {
        /// Name of the tensor.
        tensor: String,
        /// Values or words.
        what: &'static str,
        /// Number given.
        found: usize,
        /// Number needed.
        expected: usize,
    },
}

impl CompileError {
    /// The machine is too small.
    pub(crate) fn does_not_fit(
        network: &Network,
        params: &Params,
        shortages: Vec<Shortage>,
    ) -> Self {
        CompileError::DoesNotFit {
            network: network.name.clone(),
            configuration: params.name.clone(),
            shortages,
        }
    }
}

fn list(shortages: &[Shortage]) -> String {
    let texts: Vec<String> = shortages.iter().map(Shortage::to_string).collect();
    texts.join("; ")
}
