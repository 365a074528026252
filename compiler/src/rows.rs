//! Rows: what the compiler made of each layer of a network as it was given, and what an image takes in all.

use std::collections::BTreeMap;
use std::ops::Range;

use heddle_arch::params::Params;
use heddle_network::Network;
use serde::Serialize;

use crate::emit::{LayerPlan, Program, RunPlan};
use crate::rule::Engine;

/// Where a layer runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum RunsOn {
    /// The array.
    Array,
    /// The sparse cluster.
    Cluster,
    /// Nowhere: LOAD and STORE of the program move its tensors.
    Transfers,
    /// The host.
    Host,
}

/// How the cycles of a layer are known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Counted {
    /// They are those of its run.
    Exact,
    /// They would be those of a run of its own: here it shares one with other layers.
    Alone,
    /// They depend on the values.
    Estimated,
}

/// Whether a layer makes what is meant, and how that is known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Exactness {
    /// It is the same arithmetic.
    SameArithmetic,
    /// So many inputs were compared, all there are.
    Compared(u64),
    /// It does not: how far it is off.
    Differs(String),
}

/// A layer of a network.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Row {
    /// Name of the layer.
    pub layer: String,
    /// Where it runs; of a layer in pieces where the machine makes them.
    pub runs_on: RunsOn,
    /// How its taps are laid over the rows of the array.
    pub mapping: Option<&'static str>,
    /// Pieces that the machine makes.
    pub pieces: usize,
    /// Why it runs there, and in that way.
    pub reason: String,
    /// It makes what is meant.
    pub exact: bool,
    /// Inputs that were compared for that, all there are; none if it is the same arithmetic.
    pub compared: Option<u64>,
    /// How it is known, in words.
    pub known: String,
    /// Multiply-accumulates of an image, whoever makes them.
    pub macs: u64,
    /// Cycles of the machine.
    pub cycles: u64,
    /// How these are known.
    pub cycles_are: Counted,
    /// Words of its output that the host writes, with all copies, or reads.
    pub host_words: u64,
    /// Operations that the host does: [`Layer::operations`](heddle_network::Layer::operations).
    pub host_operations: u64,
}

/// Clocks of an image.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Clocks {
    /// All.
    pub all: u64,
    /// Cycles of the machine.
    pub machine: u64,
    /// Words that the host moves, one clock each: loads of segments, inputs, and what its layers and the outputs need.
    pub host: u64,
}

/// All layers of a network.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rows {
    /// In order.
    pub layers: Vec<Row>,
    /// What an image takes.
    pub clocks: Clocks,
}

impl Exactness {
    /// How it is known.
    #[must_use]
    pub fn text(&self) -> String {
        match self {
            Exactness::SameArithmetic => "the same arithmetic".to_string(),
            Exactness::Compared(inputs) => format!("all {inputs} inputs compared"),
            Exactness::Differs(difference) => difference.clone(),
        }
    }
}

impl Program {
    /// Its rows: of the network that was given, where the program runs the same or the one with layers in pieces. What is known of
    /// layers from elsewhere, such as the import of a file, stands by their names.
    #[must_use]
    pub fn rows(
        &self,
        [given, network]: [&Network; 2],
        known: &BTreeMap<String, Exactness>,
        params: &Params,
    ) -> Rows {
        let making = Making {
            program: self,
            network,
            words: self.words_of_tensors(network),
            runs: self
                .runs
                .iter()
                .flat_map(|run| run.layers.clone().map(move |_| run))
                .collect(),
            fetch: params.fetch_cycles().into(),
        };
        let layers = given.layers.iter().zip(pieces(given, network));
        let layers =
            layers.map(|(layer, pieces)| making.row(&layer.name, pieces, known.get(&layer.name)));
        Rows {
            layers: layers.collect(),
            clocks: self.clocks(network, params),
        }
    }

    /// Clocks of an image.
    fn clocks(&self, network: &Network, params: &Params) -> Clocks {
        let loads = self.segments.iter();
        let loads = loads.map(|segment| segment.load.host_words(params));
        let host = loads.sum::<u64>() + self.tensor_words(network).iter().sum::<u64>();
        let machine = self.runs.iter().map(|run| run.cycles).sum();
        Clocks {
            all: machine + host,
            machine,
            host,
        }
    }
}

/// The layers of a network that each layer of the given one has become: the last of them has its name.
fn pieces(given: &Network, network: &Network) -> impl Iterator<Item = Range<usize>> {
    let mut start = 0;
    given.layers.iter().map(move |layer| {
        let mut left = network.layers[start..].iter();
        let last = left.position(|piece| piece.name == layer.name);
        let range = start..start + last.map_or(0, |last| last + 1);
        start = range.end;
        range
    })
}

/// What rows are made of.
struct Making<'a> {
    program: &'a Program,
    /// The network that runs.
    network: &'a Network,
    /// Words of its tensors that the host moves.
    words: Vec<[u64; 2]>,
    /// The run of each of its layers.
    runs: Vec<&'a RunPlan>,
    fetch: u64,
}

impl Making<'_> {
    fn row(&self, name: &str, pieces: Range<usize>, known: Option<&Exactness>) -> Row {
        let plans = &self.program.layers[pieces.clone()];
        let on_machine = plans.iter().filter(|plan| !plan.host && !plan.moved);
        let plan = on_machine.clone().next().or(plans.last());
        let plan = plan.expect("a layer becomes a layer");
        let exactness = exactness(plan, known);
        let (cycles, counted) = pieces
            .clone()
            .map(|piece| self.cycles(piece))
            .unzip::<_, _, Vec<_>, Vec<_>>();
        let by_host = pieces
            .clone()
            .filter(|&piece| self.program.layers[piece].host);
        let operations = by_host.map(|piece| self.network.layers[piece].operations());
        Row {
            layer: name.to_string(),
            runs_on: runs_on(plan),
            mapping: (runs_on(plan) == RunsOn::Array).then(|| plan.choice.mapping.name()),
            pieces: on_machine.count().max(1),
            reason: reason(plan),
            exact: !matches!(exactness, Exactness::Differs(_)),
            compared: match exactness {
                Exactness::Compared(inputs) => Some(inputs),
                Exactness::SameArithmetic | Exactness::Differs(_) => None,
            },
            known: exactness.text(),
            macs: plans.iter().map(|plan| plan.macs).sum(),
            cycles: cycles.iter().sum(),
            cycles_are: counted.into_iter().max().unwrap_or(Counted::Exact),
            host_words: self.words[pieces.start + 1..=pieces.end]
                .as_flattened()
                .iter()
                .sum(),
            host_operations: operations.sum(),
        }
    }

    /// Cycles of a layer that runs.
    fn cycles(&self, layer: usize) -> (u64, Counted) {
        let (plan, run) = (&self.program.layers[layer], self.runs[layer]);
        let counted = match (plan.engine_of(), run.layers.len()) {
            _ if plan.host || plan.moved => Counted::Exact,
            (Engine::Sparse, _) => Counted::Estimated,
            (Engine::Dense, 1) => Counted::Exact,
            (Engine::Dense, _) => Counted::Alone,
        };
        match run.layers.len() {
            _ if plan.moved => (0, counted),
            1 => (run.cycles, counted),
            _ => (plan.choice.cost.cycles + self.fetch, counted),
        }
    }
}

fn runs_on(plan: &LayerPlan) -> RunsOn {
    match (plan.host, plan.engine_of()) {
        (true, _) => RunsOn::Host,
        _ if plan.moved => RunsOn::Transfers,
        (false, Engine::Sparse) => RunsOn::Cluster,
        (false, Engine::Dense) => RunsOn::Array,
    }
}

/// Why a layer runs where it does and, on the array, in the way that it does.
fn reason(plan: &LayerPlan) -> String {
    if plan.moved {
        return "LOAD and STORE of the program move its tensors".to_string();
    }
    let engine = plan.engine.as_ref().filter(|_| !plan.host);
    let engine = engine.map(|choice| choice.reason.as_str());
    let way = (runs_on(plan) != RunsOn::Cluster).then_some(plan.choice.reason.as_str());
    let reasons: Vec<&str> = engine.into_iter().chain(way).collect();
    reasons.join("; ")
}

/// What is known of a layer that is made as the plan says.
fn exactness(plan: &LayerPlan, known: Option<&Exactness>) -> Exactness {
    match (known, plan.compared) {
        (Some(Exactness::Differs(difference)), _) => Exactness::Differs(difference.clone()),
        (_, Some(inputs)) => Exactness::Compared(inputs),
        (Some(known), None) => known.clone(),
        (None, None) => Exactness::SameArithmetic,
    }
}
