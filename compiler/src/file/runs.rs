//! Whether the runs of a file are what its words and layers say.

use heddle_arch::isa::Instruction;

use super::error::FileError;
use super::form::RunFile;
use super::limit::Limit;
use super::load::Instructions;
use crate::cost::{operand_slots, tensor_slots};
use crate::emit::{LayerPlan, Load, Segment};
use crate::rule::Engine;

/// What the host loads, and the instructions of each load: what is written once comes first.
pub(super) struct Loads<'a> {
    pub once: &'a Load,
    pub segments: &'a [Segment],
    pub instructions: &'a [Instructions],
}

impl Loads<'_> {
    /// The load among whose words a run starts, and their instructions.
    fn of(&self, run: usize) -> (&Load, &Instructions) {
        let mut segments = self.segments.iter().enumerate();
        let own = segments.find(|(_, segment)| segment.runs.contains(&run));
        let own = own.filter(|(_, segment)| !segment.load.words.is_empty());
        match own {
            Some((index, segment)) => (&segment.load, &self.instructions[index + 1]),
            None => (self.once, &self.instructions[0]),
        }
    }
}

/// Checks all runs.
pub(super) fn check(
    runs: &[RunFile],
    layers: &[LayerPlan],
    loads: &Loads,
    limit: &Limit,
) -> Result<(), FileError> {
    let mut next = 0;
    for (index, run) in runs.iter().enumerate() {
        limit.equal("runs.layers", run.layers[0] as u64, next)?;
        limit.below("runs.layers", next, run.layers[1] as u64)?;
        limit.name("runs.name", &run.name)?;
        next = run.layers[1] as u64;
        let count = next - run.layers[0] as u64;
        match run.host {
            true => limit.equal("layers of a run of the host", count, 1)?,
            false => check_steps(run, layers, loads.of(index), limit)?,
        }
    }
    limit.equal("runs.layers", next, layers.len() as u64)
}

/// Checks the instructions of a run.
fn check_steps(
    run: &RunFile,
    layers: &[LayerPlan],
    (load, instructions): (&Load, &Instructions),
    limit: &Limit,
) -> Result<(), FileError> {
    let (pc, first) = (u64::from(run.start_pc), u64::from(load.first_word));
    limit.below("runs.start_pc", pc, first + load.words.len() as u64)?;
    limit.below("segments.first_word", first, pc + 1)?;
    let steps = instructions.range(run.start_pc as usize..);
    let steps = steps.map(|(_, step)| step);
    let own: Vec<&Instruction> = steps.take_while(|step| !is_halt(step)).collect();
    let steps = own.len() as u64 + 1;
    limit.equal("runs.instructions", run.instructions.into(), steps)?;
    let sum = |slots: fn(&Instruction) -> u64| {
        own.iter()
            .fold(0, |sum: u64, step| sum.saturating_add(slots(step)))
    };
    let (vectors, slots) = (sum(tensor_slots), sum(operand_slots));
    let of_layers = layers.get(run.layers[0]..run.layers[1]).unwrap_or_default();
    let found = of_layers
        .iter()
        .fold(0, |sum: u64, layer| sum.saturating_add(layer.vectors));
    limit.equal("vectors of the layers of a run", found, vectors)?;
    of_layers.iter().try_for_each(|layer| {
        let most = match layer.engine_of() {
            Engine::Dense => layer.vectors,
            Engine::Sparse => slots,
        };
        let most = most.saturating_mul(limit.params.array.rows.into());
        limit.below("layers.operands", layer.operands, most.saturating_add(1))
    })
}

fn is_halt(instruction: &Instruction) -> bool {
    matches!(instruction, Instruction::Halt { .. })
}
