//! Runs: the layers that the host starts at once, and their instructions as words.

use std::ops::Range;

use heddle_arch::isa::Instruction;
use heddle_arch::params::Params;

use super::program::{LayerPlan, RunPlan};
use super::sync::{SyncCount, synchronise};
use crate::cost::{cycles, halted};
use crate::error::{CompileError, Memory, Shortage};
use crate::ir::Lowered;
use crate::layout::TensorPlan;
use crate::memory::Parts;
use crate::rule::Engine;
use crate::schedule::{Schedule, reach};

/// Clocks from the end of a run to the first slot of the next one, about.
const START: u64 = 100;

/// The layers of each run: one, or all up to the next one of the host, the next segment or the next tensor that the host reads at the
/// end of a run: an output of the network, or what it keeps.
pub(super) fn runs(graph: &Lowered, whole: bool, segments: &[Range<usize>]) -> Vec<Range<usize>> {
    let begins = |layer| {
        let found = segments.binary_search_by_key(&layer, |layers| layers.start);
        found.is_ok()
    };
    let mut runs: Vec<Range<usize>> = Vec::new();
    for index in graph.layers() {
        match runs.last_mut() {
            Some(last)
                if whole
                    && !graph.is_of_host(index)
                    && !graph.is_of_host(last.start)
                    && !begins(index)
                    && !graph.is_read_behind(last.end) =>
            {
                last.end = index + 1;
            }
            _ => runs.push(index..index + 1),
        }
    }
    runs
}

/// The same with the last run of the machine cut behind the last layer that needs the places of the inputs; none where nothing is behind it,
/// or so little that a start takes longer.
pub(super) fn cut_behind_inputs(runs: &[Range<usize>], made: &Made) -> Option<Vec<Range<usize>>> {
    let is_machine = |run: &Range<usize>| !made.graph.is_of_host(run.start);
    let last = runs.iter().rposition(is_machine)?;
    let Range { start, end } = runs[last].clone();
    let inputs = made.graph.network.inputs();
    let inputs: Vec<_> = inputs.map(|input| made.tensors[input].range()).collect();
    let is_free = |layer: &usize| !made.needs(*layer, &inputs);
    let free = (start..end).rev().take_while(is_free).count();
    let at = end - free;
    let behind = made.layers[at..end].iter();
    let cycles: u64 = behind.map(|layer| layer.choice.cost.cycles).sum();
    if at == start || cycles <= START {
        return None;
    }
    let mut cut = runs.to_vec();
    cut.splice(last..=last, [start..at, at..end]);
    Some(cut)
}

/// What the stages before have made of a network.
pub(super) struct Made<'a> {
    pub graph: &'a Lowered<'a>,
    pub layers: &'a [LayerPlan],
    pub schedule: &'a Schedule,
    pub tensors: &'a [TensorPlan],
    pub whole: bool,
    pub params: &'a Params,
}

impl Made<'_> {
    /// Whether a layer reads or writes any of these bytes.
    fn needs(&self, layer: usize, places: &[Range<u32>]) -> bool {
        let tensors = self.layers[layer].inputs.iter();
        let tensors = tensors.map(|&tensor| self.tensors[tensor].range());
        let tensors: Vec<_> = tensors.collect();
        let meets = |bytes: &Range<u32>| {
            let mut places = places.iter();
            places.any(|place| bytes.start < place.end && place.start < bytes.end)
        };
        let steps = self.schedule.steps.iter();
        let mut reached = steps
            .filter(|step| step.layer == layer)
            .filter_map(|step| reach(&step.instruction, &tensors));
        reached.any(|(_, bytes)| meets(&bytes))
    }

    /// The runs, or those that are cut where their HALT has room too.
    ///
    /// # Errors
    /// Those of a segment do not fit.
    pub fn runs_or_cut(
        &self,
        runs: Vec<Range<usize>>,
        cut: Option<Vec<Range<usize>>>,
        parts: &Parts,
    ) -> Result<(Vec<RunPlan>, Vec<Vec<u32>>), CompileError> {
        let whole = self.runs(runs, parts)?;
        let cut = cut.and_then(|cut| self.runs(cut, parts).ok());
        Ok(match cut {
            Some(cut) if cut.1.len() == whole.1.len() => cut,
            _ => whole,
        })
    }

    /// The runs of these layers, and instruction words: those that are written once if all of them fit, else those of each segment.
    ///
    /// # Errors
    /// Those of a segment do not fit.
    pub fn runs(
        &self,
        runs: Vec<Range<usize>>,
        parts: &Parts,
    ) -> Result<(Vec<RunPlan>, Vec<Vec<u32>>), CompileError> {
        let (plans, words) = self.of_parts(&runs, &Parts::whole(self.graph.layers().len()));
        let lack = |words: &Vec<u32>, copies: u64| {
            let room = self.params.program.words.into();
            Shortage::of(Memory::Program, copies * words.len() as u64, room)
        };
        let Some(shortage) = lack(&words[0], 1) else {
            return Ok((plans, words));
        };
        let network = &*self.graph.network;
        let fail = |shortage, layers: &Range<usize>| {
            let error = CompileError::does_not_fit(network, self.params, vec![shortage]);
            Err(error.of(layers, network))
        };
        if parts.segments.len() == 1 {
            return fail(shortage, &parts.segments[0]);
        }
        let (plans, words) = self.of_parts(&runs, parts);
        for (layers, words) in parts.segments.iter().zip(&words) {
            if let Some(shortage) = lack(words, 1 + u64::from(parts.beside)) {
                return fail(shortage, layers);
            }
        }
        Ok((plans, words))
    }

    /// The runs, and the words of each part of the layers.
    fn of_parts(&self, runs: &[Range<usize>], parts: &Parts) -> (Vec<RunPlan>, Vec<Vec<u32>>) {
        let mut words = vec![Vec::new(); parts.segments.len()];
        let plans = runs.iter().map(|layers| {
            let mut segments = parts.segments.iter();
            let part = segments.position(|part| part.contains(&layers.start));
            let part = part.expect("every layer is in a part");
            let first = parts.first(part, self.params.program.words);
            self.run((&mut words[part], first), layers.clone())
        });
        (plans.collect(), words)
    }

    fn run(&self, words: (&mut Vec<u32>, u32), layers: Range<usize>) -> RunPlan {
        let network = &*self.graph.network;
        let name = match layers.len() {
            1 if !self.whole || network.layers.len() > 1 => &network.layers[layers.start].name,
            _ => &network.name,
        };
        match self.graph.is_of_host(layers.start) {
            true => host_run(name, layers),
            false => self.machine_run(words, name, layers),
        }
    }

    /// Adds the instructions of some layers, and HALT behind them, to words of which the first has this number.
    fn machine_run(
        &self,
        (words, first): (&mut Vec<u32>, u32),
        name: &str,
        layers: Range<usize>,
    ) -> RunPlan {
        let (instructions, sync) = synchronise(self.schedule, layers.clone());
        let instructions = halted(instructions);
        let start_pc = first + words.len() as u32;
        for instruction in &instructions {
            debug_assert_eq!(instruction.check_machine(self.params), Ok(()));
            words.extend(instruction.encode());
        }
        let of_run = &self.layers[layers.clone()];
        let estimated = of_run
            .iter()
            .any(|layer| layer.engine_of() == Engine::Sparse);
        let cycles = match estimated {
            true => of_run.iter().map(|layer| layer.choice.cost.cycles).sum(),
            false => cycles(&instructions, self.params),
        };
        RunPlan {
            name: name.to_string(),
            host: false,
            start_pc,
            instructions: instructions.len() as u32,
            layers,
            cycles: cycles + u64::from(self.params.fetch_cycles()),
            // How long its loads take depends on the memory of the host.
            estimated: estimated
                || instructions
                    .iter()
                    .any(|i| matches!(i, Instruction::Load(_))),
            sync,
        }
    }
}

/// A layer that the host runs.
fn host_run(name: &str, layers: Range<usize>) -> RunPlan {
    RunPlan {
        name: name.to_string(),
        host: true,
        start_pc: 0,
        instructions: 0,
        layers,
        cycles: 0,
        estimated: false,
        sync: SyncCount::default(),
    }
}
