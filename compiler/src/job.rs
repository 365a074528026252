//! The way of a network through the stages.

use heddle_arch::params::Params;
use heddle_network::Network;

use crate::emit::Program;
use crate::error::{CompileError, Shortage};
use crate::ir::Constants;
use crate::map::{Candidate, Candidates, Goal};
use crate::options::Options;
use crate::place::Cut;
use crate::product::Mapping;
use crate::rule::{Engine, EnginePolicy, Zeros};
use crate::{emit, engine, map, place, schedule, segments};

/// What is to be compiled, and how.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Job<'a> {
    pub network: &'a Network,
    pub params: &'a Params,
    pub options: Options,
    pub zeros: &'a [Option<Zeros>],
}

/// Combinations of mappings, and what became of them.
pub(crate) struct Found {
    /// In the order in which they were tried.
    pub candidates: Candidates,
    /// Why the first of them do not fit.
    pub errors: Vec<CompileError>,
    /// The program of the next one, if there is one that fits.
    pub program: Option<Program>,
    /// Its segments.
    pub cut: Cut,
}

impl<'a> Job<'a> {
    pub fn new(
        network: &'a Network,
        params: &'a Params,
        mut options: Options,
        zeros: &'a [Option<Zeros>],
    ) -> Self {
        if options.engines.policy == EnginePolicy::Sparse {
            // The cluster reads planes.
            options.mapping = options.mapping.or(Some(Mapping::Channel));
        }
        Self {
            network,
            params,
            options,
            zeros,
        }
    }

    /// The program of all layers at once or, if that does not fit, in segments; then also why.
    pub fn found(
        &self,
        constants: &Constants,
    ) -> Result<(Found, Option<CompileError>), CompileError> {
        let lacks = match self.at_once(constants) {
            Ok(found) if found.program.is_some() => return Ok((found, None)),
            Ok(found) if !self.can_be_cut(&found) => return Ok((found, None)),
            Ok(found) => found.least_special(),
            Err(error) => error,
        };
        match (&lacks, self.network.layers.len()) {
            (CompileError::DoesNotFit { .. }, 2..) => {
                Ok((segments::found(self, constants)?, Some(lacks)))
            }
            _ => Err(lacks),
        }
    }

    /// Matrices lie in groups of banks for the whole network.
    fn can_be_cut(&self, found: &Found) -> bool {
        let mut all = found.candidates.all.iter();
        all.all(|candidate| candidate.lowered.items.is_empty())
    }

    /// The program of the combination with the fewest cycles that fits with all layers at once.
    pub fn at_once(&self, constants: &Constants) -> Result<Found, CompileError> {
        let Self {
            network,
            params,
            options,
            ..
        } = *self;
        constants.check_tables(network, params)?;
        let cut = Cut::none(network);
        let lack = |candidate: &Candidate| {
            let placed = place::place(network, candidate, &cut, options, params);
            match placed {
                Ok(_) => 0,
                Err(CompileError::DoesNotFit { shortages, .. }) => {
                    shortages.iter().map(Shortage::share).sum()
                }
                Err(_) => u64::MAX,
            }
        };
        let goal = Goal {
            lack: &lack,
            clocks: &Candidate::cycles,
        };
        let mut found = Found {
            candidates: map::candidates(network, constants, params, options, goal)?,
            errors: Vec::new(),
            program: None,
            cut: cut.clone(),
        };
        for candidate in &found.candidates.all[..found.candidates.asked] {
            match self.program(constants, candidate, &cut) {
                Err(error) => found.errors.push(error),
                Ok(program) => {
                    found.program = Some(program);
                    break;
                }
            }
        }
        found.name_choices(network);
        Ok(found)
    }

    /// The program of a combination.
    pub fn program(
        &self,
        constants: &Constants,
        candidate: &Candidate,
        cut: &Cut,
    ) -> Result<Program, CompileError> {
        let (network, params, options) = (self.network, self.params, self.options);
        let placement = place::place(network, candidate, cut, options, params)?;
        let engines = engine::choose(network, candidate, options.engines, self.zeros, params)?;
        let chosen = (candidate, &engines);
        let schedule = schedule::schedule(network, chosen, &placement, options, params)?;
        let chosen = (constants, candidate, &engines);
        emit::emit(network, chosen, placement, schedule, options, params)
    }
}

impl Found {
    /// Says of each layer of the program why it has its mapping.
    pub fn name_choices(&mut self, network: &Network) {
        let Some(program) = &mut self.program else {
            return;
        };
        let choices = map::choices(network, &self.candidates, self.errors.len());
        for (layer, choice) in program.layers.iter_mut().zip(choices) {
            if layer.engine_of() == Engine::Dense {
                layer.choice = choice.unwrap_or_else(|| layer.choice.clone());
            }
        }
    }

    /// What the combination without anything special lacks.
    pub fn least_special(self) -> CompileError {
        let tried = self.candidates.all.iter().zip(self.errors);
        let least = tried.min_by_key(|(candidate, _)| candidate.switches.count());
        least.expect("at least one is asked for").1
    }
}
