//! Networks that do not fit at once: cut into segments, runs of consecutive layers that do.
//!
//! Tensors stay where they are as long as they are needed. Between two segments the host replaces weights, column parameters, row offsets, tables and the program, but
//! only those of a memory that is too small for all layers.

use std::ops::Range;

use heddle_network::Network;

use crate::emit::{Program, runs};
use crate::error::{CompileError, Memory, Shortage};
use crate::ir::Constants;
use crate::job::{Found, Job};
use crate::map::{self, Candidate, Candidates, Goal};
use crate::options::Options;
use crate::place::{self, Cut, Needs};
use crate::{engine, schedule};

/// The program of the combination for which array and host take the fewest clocks in all.
pub(crate) fn found(job: &Job, constants: &Constants) -> Result<Found, CompileError> {
    let (network, params) = (job.network, job.params);
    let alone = alone(network, job.options);
    let lack = |candidate: &Candidate| {
        let needs = Needs::of(network, candidate, params, &alone);
        let lacks = (needs.all()).flat_map(|layer| needs.shortages(&(layer..layer + 1)));
        lacks.map(|shortage| shortage.share()).sum()
    };
    // Weights are loaded again for each image, as far as they do not fit.
    let expected = |candidate: &Candidate| {
        let weights = candidate.weights.iter().flatten();
        let words: u64 = weights.map(|plan| plan.bytes() / 8).sum();
        candidate
            .cycles()
            .saturating_add(words * u64::from(params.array.rows))
    };
    let goal = Goal {
        lack: &lack,
        clocks: &expected,
    };
    let candidates = map::candidates(network, constants, params, job.options, goal)?;
    let Candidates { mut all, asked } = candidates;
    let others = all.split_off(asked);
    let (mut refused, mut errors, mut fitting) = (Vec::new(), Vec::new(), Vec::new());
    for candidate in all {
        let made = cut(job, constants, &candidate).and_then(|cut| {
            let program = job.program(constants, &candidate, &cut)?;
            Ok((program, cut))
        });
        match made {
            Ok((program, cut)) => fitting.push((candidate, program, cut)),
            Err(error) => {
                refused.push(candidate);
                errors.push(error);
            }
        }
    }
    fitting.sort_by_key(|(_, program, _)| clocks(program, job));
    let mut fitting = fitting.into_iter();
    let (best, program, cut) = match fitting.next() {
        Some((best, program, cut)) => (Some(best), Some(program), cut),
        None => (None, None, alone),
    };
    let slower = fitting.map(|(candidate, ..)| candidate);
    let mut found = Found {
        candidates: Candidates {
            all: (refused.into_iter().chain(best).chain(slower).chain(others)).collect(),
            asked,
        },
        errors,
        program,
        cut,
    };
    found.name_choices(network);
    Ok(found)
}

/// Clocks for an image: those of all runs, and one for each word that the host loads.
fn clocks(program: &Program, job: &Job) -> u64 {
    let cycles: u64 = program.runs.iter().map(|run| run.cycles).sum();
    let loads = program.segments.iter().map(|segment| &segment.load);
    cycles + loads.map(|load| load.host_words(job.params)).sum::<u64>()
}

/// Each layer is a segment.
pub(crate) fn alone(network: &Network, options: Options) -> Cut {
    let layers = 0..network.layers.len();
    Cut {
        segments: layers.map(|layer| layer..layer + 1).collect(),
        clears: true,
        beside: options.double_buffered,
    }
}

/// The segments of a combination, each with as many layers as fit. Halos are cleared between segments only if it needs that: it takes host words.
fn cut(job: &Job, constants: &Constants, candidate: &Candidate) -> Result<Cut, CompileError> {
    let cut = joined(job, constants, candidate);
    cut.map_err(|error| error.with_two(job.options.double_buffered))
}

fn joined(job: &Job, constants: &Constants, candidate: &Candidate) -> Result<Cut, CompileError> {
    let words = Words::of(job, constants, candidate)?;
    let alone = alone(job.network, job.options);
    if alone.beside {
        constants.check_tables(job.network, job.params)?;
    }
    let [kept, cleared] = [false, true].map(|clears| {
        let mut cutter = Cutter {
            job,
            candidate,
            words: &words,
            cut: Cut {
                clears,
                ..alone.clone()
            },
        };
        cutter.join(constants).map(|()| cutter.cut)
    });
    kept.or(cleared)
}

/// Segments of a combination that grow.
struct Cutter<'a> {
    job: &'a Job<'a>,
    candidate: &'a Candidate,
    words: &'a Words<'a>,
    cut: Cut,
}

impl Cutter<'_> {
    /// Joins layers to segments, from the first one on, as long as everything fits.
    fn join(&mut self, constants: &Constants) -> Result<(), CompileError> {
        if let Some((layers, lacks)) = self.lacks(&self.cut) {
            let error = CompileError::does_not_fit(self.job.network, self.job.params, lacks);
            return Err(error.of(&layers, self.job.network));
        }
        let mut number = 0;
        while number + 1 < self.cut.segments.len() {
            let mut joined = self.cut.clone();
            let next = joined.segments.remove(number + 1);
            joined.segments[number].end = next.end;
            // Functions of one byte have other numbers from here on.
            let is_part = constants.tables.iter().any(|part| part.first == next.start);
            match is_part || self.lacks(&joined).is_some() {
                true => number += 1,
                false => self.cut = joined,
            }
        }
        Ok(())
    }

    /// The first segment that does not fit, and the memories that are too small for it.
    fn lacks(&self, cut: &Cut) -> Option<(Range<usize>, Vec<Shortage>)> {
        let needs = Needs::of(self.job.network, self.candidate, self.job.params, cut);
        cut.segments.iter().find_map(|layers| {
            let mut lacks = needs.shortages(layers);
            lacks.extend(self.words.shortage(layers));
            (!lacks.is_empty()).then(|| (layers.clone(), lacks))
        })
    }
}

/// Instruction words of the layers. They do not depend on addresses.
struct Words<'a> {
    network: &'a Network,
    constants: &'a Constants,
    options: Options,
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
        let placement = place::place(
            network,
            candidate,
            &alone(network, options),
            options,
            params,
        )?;
        let engines = engine::choose(network, candidate, options.engines, job.zeros, params)?;
        let chosen = (candidate, &engines);
        let schedule = schedule::schedule(network, chosen, &placement, options, params)?;
        let mut of_layers = vec![0; network.layers.len()];
        for step in &schedule.steps {
            of_layers[step.layer] += step.instruction.encode().len() as u64;
        }
        Ok(Self {
            network,
            constants,
            options,
            of_layers,
            room: params.program.words.into(),
        })
    }

    fn shortage(&self, layers: &Range<usize>) -> Option<Shortage> {
        let Options {
            whole,
            double_buffered,
            ..
        } = self.options;
        let all = 0..self.of_layers.len();
        // Written once if they fit whatever the runs are.
        let copies = match double_buffered && self.needed(&all, false) > self.room {
            true => 2,
            false => 1,
        };
        Shortage::of(
            Memory::Program,
            copies * self.needed(layers, whole),
            self.room,
        )
    }

    fn needed(&self, layers: &Range<usize>, whole: bool) -> u64 {
        let own: u64 = self.of_layers[layers.clone()].iter().sum();
        let hosts = &self.constants.hosts;
        let segments = [layers.clone(), layers.end..hosts.len()];
        let runs = runs(self.network, self.constants, whole, &segments).into_iter();
        // Each run of the machine ends with HALT, a word.
        let halts = runs.filter(|run| layers.contains(&run.start) && hosts[run.start].is_none());
        own + halts.count() as u64
    }
}
