//! Networks that do not fit at once: cut into segments, runs of consecutive layers that do.
//!
//! Tensors stay where they are. Between two segments the host replaces weights, column parameters, row offsets, tables and the program, but
//! only those of a memory that is too small for all layers.

use std::ops::Range;

use heddle_arch::network::Network;

use crate::emit::{Program, runs};
use crate::error::{CompileError, Memory, Shortage};
use crate::ir::Constants;
use crate::job::{Found, Job};
use crate::map::{self, Candidate, Candidates};
use crate::place::{self, Needs};
use crate::{engine, schedule};

/// The program of the combination for which array and host take the fewest clocks in all.
pub(crate) fn found(job: &Job, constants: &Constants) -> Result<Found, CompileError> {
    let (network, params) = (job.network, job.params);
    let lack = |candidate: &Candidate| {
        let needs = Needs::of(network, candidate, params);
        let alone = (needs.all()).flat_map(|layer| needs.shortages(&(layer..layer + 1)));
        alone.map(|shortage| shortage.share()).sum()
    };
    let candidates = map::candidates(network, constants, params, job.options, &lack)?;
    let Candidates { mut all, asked } = candidates;
    let others = all.split_off(asked);
    let (mut refused, mut errors, mut fitting) = (Vec::new(), Vec::new(), Vec::new());
    for candidate in all {
        let segments = cut(job, constants, &candidate);
        let made = segments.and_then(|segments| {
            let program = job.program(constants, &candidate, &segments)?;
            Ok((program, segments))
        });
        match made {
            Ok((program, segments)) => fitting.push((candidate, program, segments)),
            Err(error) => {
                refused.push(candidate);
                errors.push(error);
            }
        }
    }
    fitting.sort_by_key(|(_, program, _)| clocks(program, job));
    let mut fitting = fitting.into_iter();
    let (best, program, segments) = match fitting.next() {
        Some((best, program, segments)) => (Some(best), Some(program), segments),
        None => (None, None, Vec::new()),
    };
    let slower = fitting.map(|(candidate, ..)| candidate);
    let mut found = Found {
        candidates: Candidates {
            all: (refused.into_iter().chain(best).chain(slower).chain(others)).collect(),
            asked,
        },
        errors,
        program,
        segments,
    };
    found.name_choices(network);
    Ok(found)
}

/// Clocks for an image: those of all runs, and one for each word that the host writes.
fn clocks(program: &Program, job: &Job) -> u64 {
    let cycles: u64 = program.runs.iter().map(|run| run.cycles).sum();
    let loads = program.segments.iter().map(|segment| &segment.load);
    cycles + loads.map(|load| load.host_words(job.params)).sum::<u64>()
}

/// The segments of a combination, each with as many layers as fit.
fn cut(
    job: &Job,
    constants: &Constants,
    candidate: &Candidate,
) -> Result<Vec<Range<usize>>, CompileError> {
    let words = Words::of(job, constants, candidate)?;
    let needs = Needs::of(job.network, candidate, job.params);
    let lacks = |layers: &Range<usize>| {
        let mut lacks = needs.shortages(layers);
        lacks.extend(words.shortage(layers));
        lacks
    };
    let mut segments: Vec<Range<usize>> = Vec::new();
    for layer in needs.all() {
        let begins = |part: &Range<usize>| part.start == layer;
        let has_tables = !constants.tables.iter().any(|part| begins(&part.layers));
        match segments.last_mut() {
            Some(last) if has_tables && lacks(&(last.start..layer + 1)).is_empty() => {
                last.end = layer + 1;
            }
            _ => segments.push(layer..layer + 1),
        }
    }
    for layers in &segments {
        let lacks = lacks(layers);
        if !lacks.is_empty() {
            let error = CompileError::does_not_fit(job.network, job.params, lacks);
            return Err(error.of(layers, job.network));
        }
    }
    Ok(segments)
}

/// Instruction words of the layers. They do not depend on addresses.
struct Words<'a> {
    network: &'a Network,
    hosts: &'a [Option<String>],
    whole: bool,
    of_layers: Vec<u64>,
    room: u64,
}

impl<'a> Words<'a> {
    /// Of layers that are placed each by itself.
    fn of(
        job: &Job<'a>,
        constants: &'a Constants,
        candidate: &Candidate,
    ) -> Result<Self, CompileError> {
        let (network, params, options) = (job.network, job.params, job.options);
        let alone: Vec<Range<usize>> = (0..network.layers.len()).map(|i| i..i + 1).collect();
        let placement = place::place(network, candidate, &alone, options, params)?;
        let engines = engine::choose(network, candidate, options.engines, job.zeros, params)?;
        let chosen = (candidate, &engines);
        let schedule = schedule::schedule(network, chosen, &placement, options, params)?;
        let mut of_layers = vec![0; network.layers.len()];
        for step in &schedule.steps {
            of_layers[step.layer] += step.instruction.encode().len() as u64;
        }
        Ok(Self {
            network,
            hosts: &constants.hosts,
            whole: options.whole,
            of_layers,
            room: params.program.words.into(),
        })
    }

    fn shortage(&self, layers: &Range<usize>) -> Option<Shortage> {
        let own: u64 = self.of_layers[layers.clone()].iter().sum();
        let segments = [layers.clone(), layers.end..self.hosts.len()];
        let runs = runs(self.network, self.hosts, self.whole, &segments).into_iter();
        // Each run of the machine ends with HALT, a word.
        let halts =
            runs.filter(|run| layers.contains(&run.start) && self.hosts[run.start].is_none());
        Shortage::of(Memory::Program, own + halts.count() as u64, self.room)
    }
}
