//! The image of a program: one file that lies in a host's memory as region 0, with everything that a machine needs to run a network,
//! the job lists that move it, and where the host's tensors lie.
//!
//! [`Image::to_bytes`] and [`Image::from_bytes`] are the format of `docs/image.md`; its tables are made from [`layout`].

mod bytes;
mod c_header;
mod check;
pub mod layout;
mod machine;
mod programs;
mod read;
mod write;

use crate::job::Job;
use crate::transfer::BadField;

pub use c_header::c_header;

/// The first eight bytes.
pub const MAGIC: &[u8; 8] = b"HEDLIMG1";
/// Version of the format.
pub const VERSION: u32 = 1;
/// Entries of the largest ring, one of which stays free.
pub const RING_MAX: usize = 1023;
/// Largest file, and largest region.
pub const BYTES_MAX: u64 = 1 << 28;
/// Most words of an entry: no memory of a machine has as many.
pub const WORDS_MAX: u64 = 1 << 24;
/// Loops of a tensor, and its largest rank.
pub const LOOPS: usize = 6;
/// A region that is none: the work bytes of the caller.
pub const WORK: u32 = 4;

/// A section: its number is in the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// Program words.
    Program = 1,
    /// Words of the state buffer.
    Words = 2,
    /// Column parameters, tables of the rows, activation tables.
    Parameters = 3,
    /// Words of the sparse cluster.
    Cluster = 11,
    /// Tensors of the host.
    Tensors = 4,
    /// Jobs that run once.
    Once = 5,
    /// Jobs in front of the runs of an inference.
    Begin = 6,
    /// The runs.
    Runs = 7,
    /// Jobs behind the runs.
    End = 8,
    /// What the host computes.
    Ends = 9,
    /// Texts.
    Strings = 10,
}

impl Kind {
    /// All of them, in the order in which they are written.
    pub const ALL: [Kind; 11] = [
        Kind::Program,
        Kind::Words,
        Kind::Parameters,
        Kind::Cluster,
        Kind::Tensors,
        Kind::Once,
        Kind::Begin,
        Kind::Runs,
        Kind::End,
        Kind::Ends,
        Kind::Strings,
    ];
    /// Those that jobs read, in words of 8 bytes.
    pub const DATA: [Kind; 4] = [Kind::Program, Kind::Words, Kind::Parameters, Kind::Cluster];

    /// Name in documents.
    pub const fn name(self) -> &'static str {
        match self {
            Kind::Program => "program words",
            Kind::Words => "words of the state buffer",
            Kind::Parameters => "parameters and tables",
            Kind::Cluster => "words of the sparse cluster",
            Kind::Tensors => "tensors",
            Kind::Once => "jobs that run once",
            Kind::Begin => "jobs in front of the runs",
            Kind::Runs => "runs",
            Kind::End => "jobs behind the runs",
            Kind::Ends => "what the host computes",
            Kind::Strings => "texts",
        }
    }

    /// Bytes of an entry; texts have any number.
    pub const fn entry_bytes(self) -> Option<usize> {
        match self {
            Kind::Program | Kind::Words | Kind::Parameters | Kind::Cluster => Some(8),
            Kind::Tensors => Some(layout::tensor::BYTES),
            Kind::Once | Kind::Begin | Kind::Runs | Kind::End => Some(crate::job::JOB_BYTES),
            Kind::Ends => Some(layout::end::BYTES),
            Kind::Strings => None,
        }
    }
}

/// Type of the elements of a tensor of the host.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Element {
    /// int8.
    Int8 = 0,
    /// uint8.
    Uint8 = 1,
    /// int32.
    Int32 = 2,
    /// f32.
    Float32 = 3,
}

impl Element {
    /// All of them.
    pub const ALL: [Element; 4] = [
        Element::Int8,
        Element::Uint8,
        Element::Int32,
        Element::Float32,
    ];

    /// Bytes of one.
    pub const fn bytes(self) -> u64 {
        match self {
            Element::Int8 | Element::Uint8 => 1,
            Element::Int32 | Element::Float32 => 4,
        }
    }

    /// Its name.
    pub const fn name(self) -> &'static str {
        match self {
            Element::Int8 => "int8",
            Element::Uint8 => "uint8",
            Element::Int32 => "int32",
            Element::Float32 => "float32",
        }
    }

    /// Its zero points.
    const fn zero_points(self) -> [i32; 2] {
        match self {
            Element::Int8 => [-128, 127],
            Element::Uint8 => [0, 255],
            Element::Int32 | Element::Float32 => [0, 0],
        }
    }
}

/// A loop over the elements of a tensor.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct TensorLoop {
    /// Turns, at least 1.
    pub count: u32,
    /// Bytes of memory from turn to turn.
    pub memory: u32,
    /// Elements of the user's tensor from turn to turn.
    pub user: u32,
}

/// A tensor of the host, or a part of one: tensors of one name are one.
#[derive(Debug, Clone, PartialEq)]
pub struct Tensor {
    /// Name.
    pub name: String,
    /// The user gives it.
    pub input: bool,
    /// The user gets it.
    pub output: bool,
    /// Type of its elements.
    pub element: Element,
    /// 1 input, 2 output; [`WORK`]: in the order of the user, in the work bytes.
    pub region: u32,
    /// Its first element, in bytes of the region.
    pub offset: u64,
    /// Bytes of the region that are its own.
    pub bytes: u64,
    /// Real value of a step, 0: not known.
    pub scale: f32,
    /// Element that stands for 0.
    pub zero_point: i32,
    /// What lies between its elements.
    pub padding: u8,
    /// Sizes in the order of the user, the outermost first.
    pub extents: Vec<u32>,
    /// Loops over memory and the user's tensor, the outermost first.
    pub loops: Vec<TensorLoop>,
    /// The user's element with which they begin.
    pub first: u32,
}

impl Tensor {
    /// Elements of the user's tensor; none if there are too many.
    pub fn elements(&self) -> Option<u64> {
        let extents = self.extents.iter();
        extents
            .map(|&extent| u64::from(extent))
            .try_fold(1u64, u64::checked_mul)
            .filter(|&elements| elements <= BYTES_MAX)
    }

    /// Offset in memory, in bytes from its first element, and the user's element of each of its elements, in the order of the loops.
    pub fn places(&self) -> impl Iterator<Item = (u64, u64)> + '_ {
        let turns: u64 = self
            .loops
            .iter()
            .map(|walk| u64::from(walk.count))
            .product();
        (0..turns).map(|turn| {
            let inner_first = self.loops.iter().rev();
            let start = (turn, 0, u64::from(self.first));
            let (_, memory, user) = inner_first.fold(start, |(rest, memory, user), walk| {
                let at = rest % u64::from(walk.count);
                (
                    rest / u64::from(walk.count),
                    memory + at * u64::from(walk.memory),
                    user + at * u64::from(walk.user),
                )
            });
            (memory, user)
        })
    }
}

/// What the host computes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Operation {
    /// Real values to steps, halves away from zero.
    Quantize = 1,
    /// Steps to real values.
    Dequantize = 2,
    /// Shares of exponentials.
    Softmax = 3,
    /// Place of the largest.
    ArgMax = 4,
    /// Real values to steps, halves to the even step.
    QuantizeEven = 5,
}

impl Operation {
    /// All of them.
    pub const ALL: [Operation; 5] = [
        Operation::Quantize,
        Operation::Dequantize,
        Operation::Softmax,
        Operation::ArgMax,
        Operation::QuantizeEven,
    ];

    /// Its name.
    pub const fn name(self) -> &'static str {
        match self {
            Operation::Quantize => "QUANTIZE",
            Operation::Dequantize => "DEQUANTIZE",
            Operation::Softmax => "SOFTMAX",
            Operation::ArgMax => "ARG_MAX",
            Operation::QuantizeEven => "QUANTIZE_EVEN",
        }
    }

    /// Types of what it reads and of what it makes.
    const fn elements(self) -> [&'static [Element]; 2] {
        const BYTES: &[Element] = &[Element::Int8, Element::Uint8];
        match self {
            Operation::Quantize | Operation::QuantizeEven => [&[Element::Float32], BYTES],
            Operation::Dequantize => [BYTES, &[Element::Float32]],
            Operation::Softmax => [BYTES, BYTES],
            Operation::ArgMax => [BYTES, &[Element::Int32]],
        }
    }
}

/// An operation of the host on elements in the order of the user. Row r begins at element r div stride x length x stride + r mod stride.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct End {
    /// What it does.
    pub operation: Operation,
    /// Index of the first tensor entry that it reads.
    pub source: u32,
    /// Index of the first tensor entry that it makes.
    pub destination: u32,
    /// Rows.
    pub rows: u32,
    /// Elements of a row.
    pub length: u32,
    /// Elements from one of them to the next.
    pub stride: u32,
    /// Multiplier of the input of a softmax.
    pub multiplier: u32,
    /// Its shift to the left.
    pub shift: i32,
}

/// An image.
#[derive(Debug, Clone, PartialEq)]
pub struct Image {
    /// CONFIG of the machine.
    pub config: u32,
    /// Rows and columns of the array.
    pub shape: [u32; 2],
    /// Bits 0 to 3 of CAPS that the machine must have.
    pub caps: u32,
    /// Bytes of region 3.
    pub scratch_bytes: u64,
    /// Bytes that the host needs for [`End`]s.
    pub work_bytes: u64,
    /// Words of the sections of [`Kind::DATA`].
    pub data: [Vec<u64>; 4],
    /// Tensors.
    pub tensors: Vec<Tensor>,
    /// Jobs that run once.
    pub once: Vec<Job>,
    /// Jobs of each inference: in front of the runs.
    pub begin: Vec<Job>,
    /// The runs.
    pub runs: Vec<Job>,
    /// Jobs behind them.
    pub end: Vec<Job>,
    /// What the host computes.
    pub ends: Vec<End>,
}

/// Why a file is no image, or values are none. The message is the whole explanation.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ImageError {
    /// A field has a value that it must not have.
    #[error("{place}: {fault}")]
    Field {
        /// Header, section, or entry of a section.
        place: String,
        /// Field, value and what is allowed.
        fault: BadField,
    },
    /// The file does not begin like one.
    #[error("is no image: it does not begin with HEDLIMG1")]
    Foreign,
    /// It ends in the header or the list of sections.
    #[error("has {found} bytes, expected at least {expected}: it is torn")]
    Torn {
        /// Bytes that there are.
        found: u64,
        /// Bytes that are needed to go on.
        expected: u64,
    },
}

impl Image {
    /// Entries that a ring needs: the jobs of two inferences, or those that run once.
    pub fn ring_entries(&self) -> usize {
        let inference = self.begin.len() + self.runs.len() + self.end.len();
        self.once.len().max(2 * inference)
    }

    /// The four job lists in the order of their sections.
    pub fn lists(&self) -> [(Kind, &Vec<Job>); 4] {
        [
            (Kind::Once, &self.once),
            (Kind::Begin, &self.begin),
            (Kind::Runs, &self.runs),
            (Kind::End, &self.end),
        ]
    }

    /// Bytes of a region that tensors take.
    pub fn region_bytes(&self, region: u32) -> u64 {
        let own = self.tensors.iter().filter(|tensor| tensor.region == region);
        own.map(|tensor| tensor.offset.saturating_add(tensor.bytes))
            .max()
            .unwrap_or(0)
    }

    /// Indices of the tensor entries with the name and region of this one.
    pub fn parts(&self, index: usize) -> impl Iterator<Item = usize> + '_ {
        let own = &self.tensors[index];
        let is_part = move |other: &Tensor| other.name == own.name && other.region == own.region;
        let all = self.tensors.iter().enumerate();
        all.filter(move |(_, other)| is_part(other))
            .map(|(index, _)| index)
    }
}
