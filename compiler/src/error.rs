//! Why a network cannot be compiled for a machine.

use std::fmt;
use std::ops::Range;

use heddle_arch::params::{Params, Post};
use heddle_network::{Layer, Network};

use crate::table::Table;

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

    fn verb(self) -> &'static str {
        match self {
            Memory::Input | Memory::Program => "needs",
            _ => "need",
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

    /// What else helps if the fields have their largest values, as they have on this machine.
    fn end(self, params: &Params) -> Option<&'static str> {
        let (is_at_end, help) = match self {
            Memory::Input | Memory::Activations | Memory::Weights | Memory::Matrices => (
                params.partition_bytes() >= Params::PARTITION_BYTES_MAX,
                "a partition has at most 65536 bytes: a larger array.rows gives more partitions",
            ),
            Memory::ColumnTiles => (
                params.column_tiles >= 1024,
                "at most 1024: a larger array.cols needs fewer, and so does --mapping channel",
            ),
            Memory::Program => (
                params.program.words >= 65536,
                "at most 65536: a larger results_buffer.depth needs fewer",
            ),
            Memory::RowOffsets => (
                params.state_buffer.row_offsets >= 256,
                "at most 256: --mapping channel needs none",
            ),
            Memory::Tables => (
                params.post.activations >= Post::ACTIVATIONS_MAX,
                "at most 8: fewer different functions",
            ),
        };
        is_at_end.then_some(help)
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
    /// What else helps, if the fields that set it have their largest values.
    pub end: Option<&'static str>,
}

impl Shortage {
    /// How much is missing.
    #[must_use]
    pub fn missing(&self) -> u64 {
        self.needed - self.available
    }

    /// The same in few words.
    pub(crate) fn brief(&self) -> String {
        let Self {
            memory,
            needed,
            available,
            ..
        } = self;
        format!(
            "{} {} {needed}, {available} available",
            memory.name(),
            memory.verb()
        )
    }

    /// How much is missing, in millionths of what there is; never 0.
    pub(crate) fn share(&self) -> u64 {
        let share = u128::from(self.missing()) * 1_000_000 / u128::from(self.available.max(1));
        u64::try_from(share)
            .unwrap_or(u64::MAX)
            .clamp(1, u64::MAX / 16)
    }

    /// The shortage, if there is one.
    pub(crate) fn of(memory: Memory, needed: u64, available: u64) -> Option<Self> {
        (needed > available).then_some(Self {
            memory,
            needed,
            available,
            end: None,
        })
    }
}

impl fmt::Display for Shortage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} {} {} {}, {} available, {} missing ({})",
            self.memory.name(),
            self.memory.verb(),
            self.needed,
            self.memory.unit(),
            self.available,
            self.missing(),
            match self.end {
                Some(end) => end.to_string(),
                None => format!("set by {}", self.memory.field()),
            }
        )
    }
}

/// Why a network cannot be compiled for a machine. The message is the whole explanation.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CompileError {
    /// The machine is too small; lists every memory that is known to be.
    #[error("network {network} does not fit {configuration}{}{}: {}", alone(.layer), two(.beside), list(.shortages))]
    DoesNotFit {
        /// Name of the network.
        network: String,
        /// A layer that does not fit by itself, so that segments do not help; none if it is about all layers at once.
        layer: Option<String>,
        /// It is about two segments beside each other.
        beside: bool,
        /// Name of the configuration.
        configuration: String,
        /// At least one.
        shortages: Vec<Shortage>,
        /// All ways that were tried, if they were asked for.
        ways: Box<[Table]>,
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
        mut shortages: Vec<Shortage>,
    ) -> Self {
        for shortage in &mut shortages {
            shortage.end = shortage.memory.end(params);
        }
        CompileError::DoesNotFit {
            network: network.name.clone(),
            layer: None,
            beside: false,
            configuration: params.name.clone(),
            shortages,
            ways: Box::default(),
        }
    }

    /// The machine cannot do a layer.
    pub(crate) fn of_layer(layer: &Layer, error: &impl fmt::Display) -> Self {
        CompileError::Layer {
            layer: layer.name.clone(),
            message: error.to_string(),
        }
    }

    /// The same with the ways that were tried.
    pub(crate) fn with_ways(mut self, tried: Vec<Table>) -> Self {
        if let CompileError::DoesNotFit { ways, .. } = &mut self {
            *ways = tried.into();
        }
        self
    }

    /// The same about layers with two segments beside each other, if so.
    pub(crate) fn with_two(mut self, two: bool) -> Self {
        if let CompileError::DoesNotFit { beside, .. } = &mut self {
            *beside = two;
        }
        self
    }

    /// The same about some layers: if it is one of several, segments do not help.
    pub(crate) fn of(mut self, layers: &Range<usize>, network: &Network) -> Self {
        if let CompileError::DoesNotFit { layer, .. } = &mut self {
            let alone = layers.len() == 1 && network.layers.len() > 1;
            *layer = alone.then(|| network.layers[layers.start].name.clone());
        }
        self
    }
}

fn alone(layer: &Option<String>) -> String {
    match layer {
        Some(layer) => format!(", not even layer {layer} by itself"),
        None => String::new(),
    }
}

fn two(beside: &bool) -> &'static str {
    match beside {
        true => ", with two segments beside each other",
        false => "",
    }
}

fn list(shortages: &[Shortage]) -> String {
    let texts: Vec<String> = shortages.iter().map(Shortage::to_string).collect();
    texts.join("; ")
}
