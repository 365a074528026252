//! The second stage: instructions in order, what each of them reads and writes, and which must wait for
//! which.

mod banks;

use std::fmt::Write;
use std::ops::Range;

use heddle_arch::isa::{
    CopyWords, Drain, Instruction, LoadWeights, Loop, Matmul, ROW_EPILOGUE, ROW_TENSOR, Record,
};

/// The unit that an instruction starts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Unit {
    /// LOAD_WEIGHTS, COPY.
    Weights,
    /// MATMUL.
    Stream,
    /// DRAIN.
    Drain,
}

impl Unit {
    /// The unit of an instruction; HALT and SYNC have none.
    #[must_use]
    pub fn of(instruction: &Instruction) -> Option<Unit> {
        match instruction {
            Instruction::LoadWeights(_) | Instruction::Copy(_) => Some(Unit::Weights),
            Instruction::Matmul(_) => Some(Unit::Stream),
            Instruction::Drain(_) => Some(Unit::Drain),
            Instruction::Halt { .. } | Instruction::Sync { .. } => None,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Unit::Weights => "weights",
            Unit::Stream => "stream",
            Unit::Drain => "drain",
        }
    }
}

/// Why a step comes behind another one.
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
    fn name(self) -> &'static str {
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

/// A step comes behind another one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Dependency {
    /// The earlier step.
    pub on: usize,
    /// Why.
    pub reason: Reason,
}

/// An instruction and what it depends on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Step {
    /// The layer that it is part of.
    pub layer: usize,
    /// The unit that it starts.
    pub unit: Unit,
    /// The instruction, without waiting.
    pub instruction: Instruction,
    /// Bytes that it reads or, if it is a drain, writes, the same in all partitions. A copy reads and writes somewhere
    /// in them.
    pub bytes: Range<u32>,
    /// Earlier steps that must be done.
    pub after: Vec<Dependency>,
}

impl Step {
    /// It copies words of the state buffer.
    pub(crate) fn copies(&self) -> bool {
        matches!(self.instruction, Instruction::Copy(_))
    }

    fn writes(&self) -> bool {
        self.unit == Unit::Drain || self.copies()
    }

    fn reads(&self) -> bool {
        self.unit != Unit::Drain
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
        for instruction in instructions {
            let Some(unit) = Unit::of(&instruction) else {
                continue;
            };
            let tensor = table_base(&instruction)
                .and_then(|base| tensors.iter().find(|tensor| tensor.contains(&base)));
            let bytes = match tensor {
                Some(tensor) => tensor.clone(),
                None => bytes(&instruction, unit),
            };
            self.steps.push(Step {
                layer,
                unit,
                instruction,
                bytes,
                after: Vec::new(),
            });
        }
    }

    /// Finds all dependencies.
    pub(crate) fn connect(&mut self) {
        let tiles = self.weight_tiles();
        let drains = self.drains();
        let mut last: [Option<usize>; 3] = [None; 3];
        for (index, loads) in tiles.into_iter().enumerate() {
            let step = &self.steps[index];
            let before = |on: Option<usize>, reason| on.map(|on| Dependency { on, reason });
            let mut after: Vec<Dependency> = self.conflicts(index);
            after.extend(before(last[step.unit as usize], Reason::Unit));
            after.extend(loads.into_iter().map(|on| Dependency {
                on,
                reason: Reason::Weights,
            }));
            after.extend(drains[index].iter().map(|&on| Dependency {
                on,
                reason: Reason::Addresses,
            }));
            last[step.unit as usize] = Some(index);
            after.sort_unstable();
            self.steps[index].after = after;
        }
    }

    /// Earlier steps that write what a step reads, or read what it writes.
    fn conflicts(&self, index: usize) -> Vec<Dependency> {
        let step = &self.steps[index];
        let before = (0..index).filter_map(|on| {
            let other = &self.steps[on];
            let common = other.bytes.start < step.bytes.end && step.bytes.start < other.bytes.end;
            let reason = match (
                other.writes() && step.reads(),
                other.reads() && step.writes(),
            ) {
                (true, _) => Reason::Data,
                (false, true) => Reason::Reuse,
                (false, false) => return None,
            };
            common.then_some(Dependency { on, reason })
        });
        before.collect()
    }

    /// For every product the loads whose tiles it uses.
    fn weight_tiles(&self) -> Vec<Vec<usize>> {
        let mut waiting = std::collections::VecDeque::new();
        let mut used = vec![Vec::new(); self.steps.len()];
        for (index, step) in self.steps.iter().enumerate() {
            match &step.instruction {
                Instruction::LoadWeights(LoadWeights {
                    record, tile_level, ..
                }) => {
                    let tiles = k_tiles(record, 0, *tile_level);
                    waiting.push_back((index, tiles));
                }
                Instruction::Matmul(Matmul {
                    record,
                    tile_level,
                    repeat,
                    ..
                }) => {
                    let times = repeat.map_or(1, |repeat| u64::from(repeat.times));
                    let mut needed = match row_loops(record, ROW_TENSOR) {
                        Some(_) => times * k_tiles(record, ROW_TENSOR, *tile_level),
                        None => 0,
                    };
                    while needed > 0 {
                        let Some((load, tiles)) = waiting.front_mut() else {
                            break;
                        };
                        let taken = needed.min(*tiles);
                        used[index].push(*load);
                        (needed, *tiles) = (needed - taken, *tiles - taken);
                        if *tiles == 0 {
                            waiting.pop_front();
                        }
                    }
                }
                _ => {}
            }
        }
        used
    }

    /// For every product that goes to post the drains before it whose addresses its results take. A drain may also
    /// come behind the product, in time for its results.
    fn drains(&self) -> Vec<Vec<usize>> {
        let mut used = vec![Vec::new(); self.steps.len()];
        let numbered = || self.steps.iter().enumerate();
        let mut drains = numbered().filter_map(|(index, step)| {
            let slots = drained_slots(&step.instruction)?;
            Some((index, slots))
        });
        let mut open: Option<(usize, u64)> = None;
        for (index, step) in numbered() {
            let mut needed = posted_slots(&step.instruction);
            while needed > 0 {
                let Some((drain, slots)) = open.take().or_else(|| drains.next()) else {
                    return used;
                };
                if drain < index {
                    used[index].push(drain);
                }
                let taken = needed.min(slots);
                needed -= taken;
                open = (slots > taken).then_some((drain, slots - taken));
            }
        }
        used
    }

    /// A line for each step.
    #[must_use]
    pub fn text(&self) -> String {
        let mut text = String::new();
        let mut layer = None;
        for (index, step) in self.steps.iter().enumerate() {
            if layer != Some(step.layer) {
                layer = Some(step.layer);
                writeln!(text, "layer {}", self.layers[step.layer])
                    .expect("a string takes everything");
            }
            let after: Vec<String> = step
                .after
                .iter()
                .map(|d| format!("{} {}", d.on, d.reason.name()))
                .collect();
            let (unit, Range { start, end }) = (step.unit.name(), &step.bytes);
            let verb = match (step.writes(), step.reads()) {
                (true, true) => "copies in",
                (true, false) => "writes",
                (false, _) => "reads",
            };
            let line = format!("{index:>6}  {unit:<7}  {verb} {start}..{end}");
            let line = match after.is_empty() {
                true => line,
                false => format!("{line}, after {}", after.join(", ")),
            };
            text += &line;
            text.push('\n');
        }
        text
    }

    /// The steps and their dependencies in the language of Graphviz.
    #[must_use]
    pub fn dot(&self) -> String {
        let mut text = String::from("digraph schedule {\n  node [shape=box];\n");
        for (index, step) in self.steps.iter().enumerate() {
            let unit = step.unit.name();
            writeln!(text, "  s{index} [label=\"{index} {unit}\"];")
                .expect("a string takes everything");
            for dependency in &step.after {
                let (on, reason) = (dependency.on, dependency.reason.name());
                writeln!(text, "  s{on} -> s{index} [label=\"{reason}\"];")
                    .expect("a string takes everything");
            }
        }
        text + "}\n"
    }
}

/// Slots that a drain has addresses for, if it is one.
pub(crate) fn drained_slots(instruction: &Instruction) -> Option<u64> {
    let Instruction::Drain(Drain {
        record, pooling, ..
    }) = instruction
    else {
        return None;
    };
    let window = pooling.map_or(1, |pooling| u64::from(pooling.window));
    let rows = record.rows.iter();
    let addresses = rows.map(|block| block.loops.iter().map(trips).product::<u64>());
    Some(window * addresses.sum::<u64>())
}

/// Slots that a product sends to post: the sums of its last K tile, and sums that were stored before.
pub(crate) fn posted_slots(instruction: &Instruction) -> u64 {
    let Instruction::Matmul(Matmul {
        last,
        tile_level,
        record,
        repeat,
        ..
    }) = instruction
    else {
        return 0;
    };
    let slots = |row: u8, level: usize| {
        let loops = row_loops(record, row);
        loops.map_or(0, |loops| loops.iter().take(level).map(trips).product())
    };
    let sums = match last {
        true => slots(ROW_TENSOR, *tile_level as usize + 1),
        false => 0,
    };
    let times = repeat.map_or(1, |repeat| u64::from(repeat.times));
    times * (sums + slots(ROW_EPILOGUE, usize::MAX))
}

/// Loops of a row, if the record has it. Blocks that say the same again have none.
fn row_loops(record: &Record, row: u8) -> Option<&[Loop]> {
    let mut blocks = record.rows.iter().filter(|block| block.row == row);
    blocks.next().map(|block| &block.loops[..])
}

/// Iterations of a loop.
fn trips(l: &Loop) -> u64 {
    u64::from(l.end.div_ceil(l.step.max(1))).max(1)
}

/// Iterations of the loops outside `level`.
fn k_tiles(record: &Record, row: u8, level: u32) -> u64 {
    let loops = row_loops(record, row).unwrap_or_default();
    let outer = loops.iter().skip(level as usize + 1);
    outer.map(trips).product()
}

/// Bytes of the state buffer between the lowest and the highest address of an instruction.
fn bytes(instruction: &Instruction, unit: Unit) -> Range<u32> {
    let Some(record) = instruction.record() else {
        return 0..0;
    };
    let rows = record.rows.iter();
    let rows = rows.filter(|block| unit != Unit::Stream || block.row == ROW_TENSOR);
    let further = match instruction {
        Instruction::Matmul(Matmul {
            repeat: Some(repeat),
            ..
        }) => (repeat.times - 1) * repeat.step,
        _ => 0,
    };
    let spans = rows.map(|block| {
        let steps = block.loops.iter().map(|l| match l.step {
            0 => 0,
            step => (l.end.max(1) - 1) / step * step,
        });
        let last = block.base.saturating_add(steps.sum());
        block.base..last.saturating_add(further)
    });
    let (low, high) = spans.fold((u32::MAX, 0), |(low, high), span| {
        (low.min(span.start), high.max(span.end))
    });
    if low > high {
        return 0..0;
    }
    // The same words again, some way off; addresses wrap.
    let (low, high) = match instruction {
        Instruction::Copy(CopyWords { distance, .. }) => {
            let first = low.saturating_add(*distance) & 0xffff;
            (low.min(first), high.max(first.saturating_add(high - low)))
        }
        _ => (low, high),
    };
    // Results are written as whole words; weights are words.
    let (low, high) = match unit {
        Unit::Stream => (low, high),
        Unit::Weights | Unit::Drain => (low & !7, high | 7),
    };
    low..high.saturating_add(1)
}
