//! Images: a program as a file that a driver runs without knowing the compiler, with jobs that move all words.

mod ends;
mod form;
mod lists;
mod places;
mod stretches;
mod tensors;
mod words;

use std::collections::BTreeSet;

use heddle_arch::identity::config_hash;
use heddle_arch::image::{Image, ImageError, RING_MAX};
use heddle_arch::job::{Job, Work};
use heddle_arch::params::Params;
use heddle_arch::registers::caps;
use heddle_network::{Layer, Network};

use crate::emit::Program;
use ends::{Ends, is_end};
pub use form::{Range, Real, UserForm};
use lists::{Moves, lists};
use tensors::Tensors;
use words::Sections;

/// Why a program has no image.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum NoImage {
    /// A layer is cut into pieces.
    #[error(
        "layer {layer} of kind {kind} is cut into pieces, which an image cannot join: a larger state buffer holds it in one"
    )]
    Pieces {
        /// Name of the layer.
        layer: String,
        /// Its kind.
        kind: &'static str,
    },
    /// The program is of another network.
    #[error("{0}")]
    Network(String),
    /// The host runs a layer.
    #[error(
        "layer {layer} of kind {kind} runs on the host, expected layers of the machine and, behind its last run, softmax and arg_max"
    )]
    Host {
        /// Name of the layer.
        layer: String,
        /// Its kind.
        kind: &'static str,
    },
    /// An input is written between two runs.
    #[error("input {0} is written between two runs, expected all inputs in front of the first one")]
    LateInput(String),
    /// The host keeps tensors.
    #[error(
        "the host of {0} keeps tensors between runs, which an image cannot: a larger state buffer holds them"
    )]
    Keeps(String),
    /// The network keeps a tensor for the next image.
    #[error(
        "{network} keeps {state} from one image to the next, which an image for drivers cannot: heddle sim and cosim run it, and a \
         host with heddle_layout.py"
    )]
    State {
        /// Name of the network.
        network: String,
        /// Name of the input that has what was kept.
        state: String,
    },
    /// Its lists are too long for a ring.
    #[error(
        "{network} needs {found} entries of a ring, expected at most {RING_MAX}: a larger state buffer, column_tiles, program or tables take fewer"
    )]
    Ring {
        /// Name of the network.
        network: String,
        /// Entries of two inferences.
        found: usize,
    },
    /// What the format cannot hold.
    #[error(transparent)]
    Format(#[from] ImageError),
}

/// The image of a program.
///
/// # Errors
/// [`NoImage`]: it needs a host that does more than an image can say.
pub fn image(
    program: &Program,
    network: &Network,
    params: &Params,
    form: &UserForm,
) -> Result<Image, NoImage> {
    let original = network;
    let network = &*program.network_of(original).map_err(NoImage::Network)?;
    let form = &form.of_pieces(original, network);
    if let Some(state) = network.states.first() {
        return Err(NoImage::State {
            network: network.name.clone(),
            state: network.tensor_name(state.input).to_string(),
        });
    }
    check(program, network)?;
    let config = config_hash(params);
    let mut tensors = Tensors::new(program, network, form);
    let mut ends = Ends::default();
    let mut inputs = Vec::new();
    for input in network.inputs() {
        inputs.extend(ends.input(input, &mut tensors, form));
    }
    let mut outputs = Vec::new();
    for (tensor, is_output) in read_tensors(program, network) {
        outputs.extend(tensors.output(tensor, is_output && form.has_bytes(tensor)));
    }
    for run in program.runs.iter().filter(|run| run.host) {
        ends.add(run.layers.start, &mut tensors, (network, form));
    }
    for real in &form.reals {
        ends.real(real, &mut tensors);
    }
    let mut sections = Sections::of(program);
    let mut once = sections.once(program);
    let segments = program.segments.iter();
    let segments = segments.map(|segment| sections.load(&segment.load, Some(lists::LONG)));
    let mut segments: Vec<_> = segments.collect();
    let all = [&mut once].into_iter().chain(&mut segments);
    all.for_each(|transfers| sections.place(transfers));
    let is_moving = sections.place_moves(program, &form.unsigned);
    let moves = Moves {
        inputs,
        outputs,
        segments,
    };
    let lists = lists(program, moves, config);
    let once = once.into_iter().map(|load| Job::from(Work::Load(load)));
    let image = Image {
        config,
        shape: [params.array.rows, params.array.cols],
        caps: caps::PROGRAM_BANKS.flag(params.program_banks() > 0)
            | caps::CLUSTER.flag(!program.cluster.is_empty())
            | caps::PROGRAM_DMA.flag(is_moving),
        scratch_bytes: program.scratch_bytes().into(),
        work_bytes: ends.work_bytes(&mut tensors),
        once: once.chain(lists.once).collect(),
        data: sections.words,
        begin: lists.begin,
        runs: lists.runs,
        end: lists.end,
        tensors: tensors.entries,
        ends: ends.list,
    };
    match image.ring_entries() {
        0..=RING_MAX => Ok(image),
        found => Err(NoImage::Ring {
            network: network.name.clone(),
            found,
        }),
    }
}

/// Refuses what a host would have to do between runs.
fn check(program: &Program, network: &Network) -> Result<(), NoImage> {
    let machine = |run: &crate::emit::RunPlan| !run.host;
    let first = program.runs.iter().position(machine);
    let last = program.runs.iter().rposition(machine);
    for (number, run) in program.runs.iter().enumerate().filter(|(_, run)| run.host) {
        let layer = &network.layers[run.layers.start];
        if network.inputs().any(|input| input == run.layers.end) {
            if first.is_some_and(|first| first < number) {
                return Err(NoImage::LateInput(layer.name.clone()));
            }
            continue;
        }
        if last.is_none_or(|last| number < last) || !is_end(layer) {
            return Err(between_runs(program, layer));
        }
    }
    match program.keeps {
        true => Err(NoImage::Keeps(network.name.clone())),
        false => Ok(()),
    }
}

/// Why a layer of the host between runs cannot be.
fn between_runs(program: &Program, layer: &Layer) -> NoImage {
    let kind = layer.kind.name();
    match program.pieces.first() {
        Some(pieces) if program.host.is_empty() => NoImage::Pieces {
            layer: pieces.layer.clone(),
            kind,
        },
        _ => NoImage::Host {
            layer: layer.name.clone(),
            kind,
        },
    }
}

/// Tensors of the machine that are read behind the last run, and whether each is an output of the network.
fn read_tensors(program: &Program, network: &Network) -> Vec<(usize, bool)> {
    let is_host = |tensor: usize| {
        let made = tensor.checked_sub(1);
        let is_input = network.inputs().any(|input| input == tensor);
        made.is_some_and(|layer| program.layers[layer].host && !is_input)
    };
    let hosts = (1..=network.layers.len()).filter(|&tensor| is_host(tensor));
    let sources = hosts.flat_map(|tensor| network.layers[tensor - 1].inputs.iter());
    let sources = sources.map(|input| input.tensor);
    let all: BTreeSet<usize> = network.outputs.iter().copied().chain(sources).collect();
    let all = all.into_iter().filter(|&tensor| !is_host(tensor));
    all.map(|tensor| (tensor, network.outputs.contains(&tensor)))
        .collect()
}
