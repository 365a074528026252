//! What becomes of each operator.

use heddle_network::file::{LayerFile, NetworkFile};

use crate::exact::Difference;
use crate::model::Quantised;

/// What becomes of an operator.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Runs {
    /// It is this layer.
    Layer(String),
    /// It is this layer, which the host runs on every machine.
    HostLayer(String),
    /// It is part of another layer.
    Folded(String),
    /// It reads or assigns what is kept from one image to the next.
    State,
    /// The host does it, before or behind the network: it is not run.
    Host,
    /// The host does this at an end of the network, between bytes and float32.
    End(&'static str),
    /// It cannot run, for this reason.
    Refused(String),
    /// It reads the output of one that cannot run.
    Unknown,
}

impl Runs {
    /// As this layer.
    #[must_use]
    pub fn layer(layer: &LayerFile, text: String) -> Self {
        match layer.kind.is_for_host() {
            true => Runs::HostLayer(text),
            false => Runs::Layer(text),
        }
    }

    /// Whether it runs.
    #[must_use]
    pub fn is_possible(&self) -> bool {
        !matches!(self, Runs::Refused(_) | Runs::Unknown)
    }

    /// As the report shows it.
    #[must_use]
    pub fn text(&self) -> String {
        match self {
            Runs::Layer(text) => text.clone(),
            Runs::HostLayer(text) => format!("{text}, on the host"),
            Runs::Folded(where_to) => format!("folded {where_to}"),
            Runs::State => "kept from image to image".to_string(),
            Runs::Host => "host".to_string(),
            Runs::End(text) => format!("{text}, on the host"),
            Runs::Refused(reason) => format!("not possible: {reason}"),
            Runs::Unknown => "not looked at: what it reads cannot run".to_string(),
        }
    }
}

/// Whether the outputs of a layer are those of the reference kernel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exact {
    /// They are: it is the same arithmetic.
    Yes,
    /// They were compared for all inputs.
    Compared(Difference),
    /// They are rounded in float32, whose sums and functions depend on the machine in the reference.
    Rounded,
}

/// Kinds of layers that may be asked for although their outputs are not exact.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Inexact {
    /// Sums and differences of two tensors.
    Add,
    /// Fully connected layers, whose reference scales in floating point.
    FullyConnected,
}

impl Inexact {
    /// All of them.
    pub const ALL: [Inexact; 2] = [Inexact::Add, Inexact::FullyConnected];

    /// Name on the command line.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Inexact::Add => "add",
            Inexact::FullyConnected => "fully_connected",
        }
    }
}

/// What becomes of an operator.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row {
    /// Name of the layer that it is.
    pub layer: Option<String>,
    /// Its name and version, as in CONV_2D 3.
    pub operator: String,
    /// Name of the tensor that it makes.
    pub tensor: String,
    /// Number of that tensor in the file, if it has numbers.
    pub index: Option<usize>,
    /// What becomes of it.
    pub runs: Runs,
    /// Whether the outputs are those of the reference kernel.
    pub exact: Exact,
}

/// An input as the file has it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileInput {
    /// Name of its tensor.
    pub name: String,
    /// Its shape.
    pub shape: Vec<u32>,
    /// Its bytes have no sign in the file, and are 128 more there.
    pub unsigned: bool,
    /// It is float32 in the file, which quantises it.
    pub float: bool,
}

/// An output as the file has it.
#[derive(Debug, Clone, PartialEq)]
pub struct FileOutput {
    /// Name of its tensor.
    pub name: String,
    /// The layer that makes its bytes.
    pub layer: String,
    /// Its shape.
    pub shape: Vec<u32>,
    /// It is float32 in the file: what the bytes stand for.
    pub float: bool,
    /// Its bytes have no sign in the file, and are 128 more there.
    pub unsigned: bool,
    /// Scale and zero point of the bytes; none of places.
    pub quantised: Option<Quantised>,
}

/// A network of a foreign file.
#[derive(Debug)]
pub struct Import {
    /// The network, if all of it can run.
    pub network: Option<NetworkFile>,
    /// What the file is given for an image, in the order of the network's inputs.
    pub inputs: Vec<FileInput>,
    /// What the file gives for an image, in its order.
    pub outputs: Vec<FileOutput>,
    /// How many images the file computes at once; the network computes them one after another.
    pub batch: u32,
    /// Bytes of an image have no sign in the file, and are 128 more there.
    pub unsigned: bool,
    /// Its operators in the order in which they run.
    pub rows: Vec<Row>,
    /// What is wrong with the network as a whole.
    pub faults: Vec<String>,
}

impl Import {
    /// The operator that a layer is; none for a layer that is a part of one.
    #[must_use]
    pub fn row(&self, layer: &str) -> Option<&Row> {
        let mut rows = self.rows.iter();
        rows.find(|row| row.layer.as_deref() == Some(layer))
    }

    /// All reasons for which the network cannot run.
    #[must_use]
    pub fn reasons(&self) -> Vec<String> {
        let rows = self.rows.iter().filter_map(|row| match &row.runs {
            Runs::Refused(reason) => Some(format!("{} ({:?}): {reason}", row.operator, row.tensor)),
            _ => None,
        });
        let mut reasons: Vec<String> = self.faults.iter().cloned().chain(rows).collect();
        if self.network.is_none() && reasons.is_empty() {
            reasons.push("an operator reads what no operator makes".to_string());
        }
        reasons
    }
}

impl Exact {
    /// Of constants that were compared where outputs rise.
    #[must_use]
    pub fn of(difference: Difference) -> Exact {
        match difference.wrong {
            0 => Exact::Yes,
            _ => Exact::Compared(difference),
        }
    }

    /// Of an output that needs both.
    #[must_use]
    pub fn and(self, other: Exact) -> Exact {
        match (self, other) {
            (Exact::Yes, found) | (found, Exact::Yes) => found,
            (Exact::Rounded, _) | (_, Exact::Rounded) => Exact::Rounded,
            (Exact::Compared(one), Exact::Compared(other)) => Exact::Compared(one.and(other)),
        }
    }

    /// Inputs that were compared.
    #[must_use]
    pub fn compared(&self) -> Option<u64> {
        match self {
            Exact::Yes | Exact::Rounded => None,
            Exact::Compared(found) => Some(found.cases),
        }
    }

    /// Whether they are.
    #[must_use]
    pub fn is_exact(&self) -> bool {
        match self {
            Exact::Yes => true,
            Exact::Compared(found) => found.wrong == 0,
            Exact::Rounded => false,
        }
    }

    /// As the report shows it.
    #[must_use]
    pub fn text(&self) -> String {
        match self {
            Exact::Yes => "yes".to_string(),
            Exact::Compared(Difference {
                cases, wrong: 0, ..
            }) => format!("yes, all {cases} inputs compared"),
            Exact::Compared(found) => format!("no: {}", found.text()),
            Exact::Rounded => "no: at most 1 away, in float32".to_string(),
        }
    }
}
