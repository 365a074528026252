//! Instructions in order, what each of them reads and writes, and which must wait for which.

use std::ops::Range;

use heddle_arch::isa::{Instruction, Matmul, ROW_TENSOR, Wait};

use super::reach::bytes as bytes_of;
use super::unit::Unit;

/// Why a step comes after another one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Reason {
    /// One unit runs its instructions in order.
    Unit,
    /// A product needs the weights of this load; they are used in the order in which they come.
    Weights,
    /// Results need addresses when they come.
    Addresses,
    /// It reads what the other one writes.
    Data,
    /// It writes over what the other one reads.
    Reuse,
    /// It reads weights and the other one operands of the same bank, or the other way round.
    Bank,
}

impl Reason {
    pub(super) fn name(self) -> &'static str {
        match self {
            Reason::Unit => "unit",
            Reason::Weights => "weights",
            Reason::Addresses => "addresses",
            Reason::Data => "data",
            Reason::Reuse => "reuse",
            Reason::Bank => "bank",
        }
    }
}

/// A step comes after another one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Dependency {
    /// The earlier step.
    pub on: usize,
    /// Why.
    pub reason: Reason,
}

/// A part of a tensor in the host's memory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Part {
    /// The tensor.
    pub whole: usize,
    /// Channels.
    pub channels: Range<u32>,
    /// Rows.
    pub rows: Range<u32>,
}

impl Part {
    /// Two parts have something in common.
    pub(super) fn meets(&self, other: &Self) -> bool {
        let meet = |a: &Range<u32>, b: &Range<u32>| a.start < b.end && b.start < a.end;
        self.whole == other.whole
            && meet(&self.channels, &other.channels)
            && meet(&self.rows, &other.rows)
    }
}

/// An instruction and what it depends on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Step {
    /// The layer that it is part of.
    pub layer: usize,
    /// The unit that it starts.
    pub unit: Unit,
    /// The instruction; it waits only for the drain that a drain behind it would wait for.
    pub instruction: Instruction,
    /// Bytes that it reads or, if it is a drain or a load, writes, the same in all partitions. A copy reads and writes somewhere
    /// in them.
    pub bytes: Range<u32>,
    /// What it loads or stores of a tensor in the host's memory.
    pub part: Option<Part>,
    /// Earlier steps that must be done.
    pub after: Vec<Dependency>,
}

impl Step {
    /// It copies words of the state buffer.
    pub(crate) fn copies(&self) -> bool {
        matches!(self.instruction, Instruction::Copy(_))
    }

    pub(super) fn writes(&self) -> bool {
        matches!(self.unit, Unit::Drain | Unit::Load) || self.copies()
    }

    pub(super) fn reads(&self) -> bool {
        !matches!(self.unit, Unit::Drain | Unit::Cluster | Unit::Load)
    }
}

/// Steps in the order in which the machine gets them.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Schedule {
    /// Names of the layers.
    pub layers: Vec<String>,
    /// The steps.
    pub steps: Vec<Step>,
}

impl Schedule {
    /// The schedule of instructions without row tables: parts of a program and their names.
    #[must_use]
    pub fn of(parts: Vec<(String, Vec<Instruction>)>) -> Self {
        let mut schedule = Self::default();
        for (name, instructions) in parts {
            schedule.push_layer(&name, instructions, &[]);
        }
        schedule.connect();
        schedule
    }

    /// Adds the instructions of a layer. Products with offset tables of rows read somewhere in that of the tensors in
    /// which they begin.
    pub(crate) fn push_layer(
        &mut self,
        name: &str,
        instructions: Vec<Instruction>,
        tensors: &[Range<u32>],
    ) {
        let layer = self.layers.len();
        self.layers.push(name.to_string());
        for mut instruction in instructions {
            let Some((unit, bytes)) = reach(&instruction, tensors) else {
                continue;
            };
            // Those of matrices wait as they must without a schedule.
            if tensors.is_empty() {
                *instruction.wait_mut() = Wait::default();
            }
            self.steps.push(Step {
                layer,
                unit,
                instruction,
                bytes,
                part: None,
                after: Vec::new(),
            });
        }
    }
}

/// The unit that an instruction starts and the bytes that it reads or writes; those of a product with offset tables lie in one of these tensors.
pub(crate) fn reach(
    instruction: &Instruction,
    tensors: &[Range<u32>],
) -> Option<(Unit, Range<u32>)> {
    let unit = Unit::of(instruction)?;
    let tensor = table_base(instruction)
        .and_then(|base| tensors.iter().find(|tensor| tensor.contains(&base)));
    let bytes = tensor.cloned();
    Some((unit, bytes.unwrap_or_else(|| bytes_of(instruction, unit))))
}

/// Address with which a product with offset tables of rows begins.
fn table_base(instruction: &Instruction) -> Option<u32> {
    let Instruction::Matmul(Matmul {
        table: Some(_),
        record,
        ..
    }) = instruction
    else {
        return None;
    };
    let block = record.rows.iter().find(|block| block.row == ROW_TENSOR);
    block.map(|block| block.base)
}
