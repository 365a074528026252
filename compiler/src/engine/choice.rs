//! The engine of each layer of a network.

use heddle_arch::params::Params;
use heddle_network::Layer;

use super::layer::{Suited, suited, values};
use super::search::{Prefer, search};
use crate::error::CompileError;
use crate::ir::Lowered;
use crate::product::ClusterLayer;
use crate::rule::{Engine, EngineChoice, EngineOptions, EnginePolicy, Rule, Zeros, classify};
use crate::sparse::Resident;
use crate::ways::Candidate;

/// The engines of a network.
#[derive(Debug, Clone)]
pub(crate) struct Engines {
    /// Why each layer of planes has its engine; none if there is no choice.
    pub choices: Vec<Option<EngineChoice>>,
    /// The layers on the cluster.
    pub sparse: Vec<Option<ClusterLayer>>,
}

/// A layer for the cluster.
struct Wanted<'a> {
    index: usize,
    layer: &'a Layer,
    suited: Suited,
    /// Share of its values that are not zero.
    density: f64,
    /// Cycles on the array, and by estimate on a cluster of its own.
    cycles: [u64; 2],
    /// Why it is wanted there.
    reason: String,
}

/// Chooses the engine of each layer.
///
/// # Errors
/// There is no cluster, or it cannot do what it is asked to do: any of the layers, or all of them.
pub(crate) fn choose(
    graph: &Lowered,
    candidate: &Candidate,
    options: EngineOptions,
    params: &Params,
) -> Result<Engines, CompileError> {
    let network = &*graph.network;
    let count = network.layers.len();
    let mut engines = Engines {
        choices: vec![None; count],
        sparse: vec![None; count],
    };
    if options.policy == EnginePolicy::Dense {
        return Ok(engines);
    }
    if !params.has_cluster() {
        let message =
            "sparse.engine is false, layers on the sparse cluster need true; or --engine dense";
        return Err(CompileError::Engine(message.to_string()));
    }
    let (mut wanted, mut unsuited, mut suits) = (Vec::new(), None, false);
    for (index, layer) in network.layers.iter().enumerate() {
        let Some(plan) = &candidate.weights[index] else {
            continue;
        };
        let known = graph.zeros.get(layer.inputs[0].tensor).copied().flatten();
        let density = known.map_or(0.5, |zeros| zeros.density());
        let found = suited(layer, plan, params).and_then(|suited| {
            let alone = (Resident::default(), Prefer::Cycles);
            let found = search(&suited.shapes, params, alone, density);
            found
                .map(|(_, cycles)| (suited, cycles))
                .map_err(|error| error.to_string())
        });
        suits |= found.is_ok();
        if let Err(reason) = &found {
            unsuited.get_or_insert(format!("layer {}: {reason}", layer.name));
        }
        let costs = candidate.cost(index);
        let one = found.and_then(|(suited, cycles)| {
            let reason = by_rule(options, known)?;
            Ok(Wanted {
                index,
                layer,
                suited,
                density,
                cycles: [costs.map_or(u64::MAX, |cost| cost.cycles), cycles],
                reason,
            })
        });
        match one {
            Ok(one) => wanted.push(one),
            Err(reason) => engines.choices[index] = Some(dense(reason)),
        }
    }
    let is_asked = options.policy == EnginePolicy::Sparse && !suits;
    if let Some(reason) = unsuited.filter(|_| is_asked) {
        let message = format!(
            "the sparse cluster can do no layer of {}: {reason}; or --engine dense",
            network.name
        );
        return Err(CompileError::Engine(message));
    }
    match options.policy {
        EnginePolicy::Sparse => engines.take_all(&wanted, params)?,
        _ => engines.take_most(wanted, options.rule, params),
    }
    Ok(engines)
}

/// Why a layer is wanted on the cluster, or why it is not.
fn by_rule(options: EngineOptions, known: Option<Zeros>) -> Result<String, String> {
    if options.policy == EnginePolicy::Sparse {
        return Ok("as asked for".to_string());
    }
    let Some(known) = known else {
        return Err("the zeros of its input are not known: --zeros has none".to_string());
    };
    let share = format!("{:.1} % zeros", 100.0 * (1.0 - known.density()));
    match classify(known, options.rule) {
        Some(Engine::Dense) => Err(share),
        Some(Engine::Sparse) | None => Ok(share),
    }
}

fn dense(reason: String) -> EngineChoice {
    EngineChoice {
        engine: Engine::Dense,
        reason,
    }
}

impl Engines {
    /// Takes a layer to the cluster, if there is room for its weights behind those that are there. Gives what is taken then.
    fn take(
        &mut self,
        wanted: &Wanted,
        (taken, prefer): (Resident, Prefer),
        params: &Params,
    ) -> Result<Resident, String> {
        let shapes = &wanted.suited.shapes;
        let found = search(shapes, params, (taken, prefer), wanted.density);
        let (plan, cycles) = found.map_err(|error| error.to_string())?;
        let program = plan
            .program(&values(wanted.layer))
            .map_err(|error| error.to_string())?;
        self.choices[wanted.index] = Some(EngineChoice {
            engine: Engine::Sparse,
            reason: format!("{}, {}", wanted.reason, told([wanted.cycles[0], cycles])),
        });
        self.sparse[wanted.index] = Some(ClusterLayer {
            parts: program.parts(),
            step: wanted.suited.step,
            cycles,
        });
        Ok(plan.taken())
    }

    /// Takes all layers: each with its best split or, if there is no room, with the one that takes least.
    fn take_all(&mut self, wanted: &[Wanted], params: &Params) -> Result<(), CompileError> {
        let mut error = None;
        for prefer in [Prefer::Cycles, Prefer::Room] {
            let mut layers = wanted.iter();
            let mut taken = Resident::default();
            let failed = layers.find_map(|one| match self.take(one, (taken, prefer), params) {
                Ok(now) => {
                    taken = now;
                    None
                }
                Err(message) => Some((one.layer, message)),
            });
            error = failed.map(|(layer, message)| {
                format!(
                    "layer {} finds no room in the sparse cluster behind the {} lists and {} weight words of the layers before: {message}; or \
                     --engine auto",
                    layer.name, taken.lists, taken.words
                )
            });
            if error.is_none() {
                break;
            }
        }
        error.map_or(Ok(()), |message| Err(CompileError::Engine(message)))
    }

    /// Takes layers as long as there is room, those first that gain most.
    fn take_most(&mut self, mut wanted: Vec<Wanted>, rule: Rule, params: &Params) {
        let gain = |[dense, sparse]: [u64; 2]| i128::from(dense) - i128::from(sparse);
        wanted.sort_by_key(|one| std::cmp::Reverse(gain(one.cycles)));
        let mut taken = Resident::default();
        for one in &wanted {
            let slower = rule == Rule::Cycles && gain(one.cycles) <= 0;
            let found = match slower {
                true => Err(told(one.cycles)),
                false => self.take(one, (taken, Prefer::Cycles), params),
            };
            match found {
                Ok(now) => taken = now,
                Err(reason) => {
                    self.choices[one.index] = Some(dense(format!("{}, {reason}", one.reason)));
                }
            }
        }
    }
}

/// Cycles of both engines.
fn told([dense, sparse]: [u64; 2]) -> String {
    format!("{dense} cycles on the array, about {sparse} on the cluster")
}
