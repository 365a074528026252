//! One core, its model, and the operations it still has to do.

use super::layer::Layer;
use super::pins::{Counters, Inputs, Pins, Status};
use super::reads::{Log, Reads, watch};
use super::shown::Shown;
use super::sides::Side;
use crate::beside::bench;
use crate::rtl::{Checked, Dut};
use heddle_sim::blocks::gemm::{GemmModel, GemmOptions, GemmResult, GemmRun};
use heddle_sim::blocks::offsets::{RegisterKind, Write};
use rand_chacha::ChaCha8Rng;
use std::collections::VecDeque;

/// Something to do.
#[derive(Debug, Clone)]
pub enum Op {
    /// Puts a write at the port until it is taken.
    Write(Write),
    /// Writes an operand.
    Operand(u32, i8),
    /// Writes a weight word.
    Weights(u16, Vec<i8>),
    /// Start for one clock, as soon as nothing is under way.
    Run,
    /// Start for one clock, as soon as `busy_o` is low; results of the run before may still leave.
    Next,
    /// Nothing until `busy_o` is low.
    Free,
    /// Nothing until the run has ended.
    Settled,
    /// Start for one clock.
    Start,
    /// Nothing for so many clocks.
    Clocks(u32),
}

/// A run under way.
struct Running {
    model: GemmRun,
    results: Vec<Vec<GemmResult>>,
    reads: Log,
    clocks: u64,
    before: Counters,
    /// Another run shares some of its clocks.
    overlap: bool,
}

/// One core and its model.
pub struct Driven {
    /// Its name.
    pub name: String,
    /// What is built.
    pub options: GemmOptions,
    /// Registers, tables, memories.
    pub model: GemmModel,
    /// What is left to do.
    pub ops: VecDeque<Op>,
    /// The first disagreement; the core is not looked at any more.
    pub failure: Option<String>,
    /// Runs that have ended since the list was emptied.
    pub runs: Vec<Shown>,
    /// Starts refused, by their code.
    pub refusals: [u64; 6],
    pins: Pins,
    noise: ChaCha8Rng,
    /// The run whose results leave, and the one after it.
    running: VecDeque<Running>,
    busy: bool,
    /// A start was driven in the last clock.
    starting: bool,
    expanding: bool,
    error: u64,
    counters: Counters,
    /// Counters behind the reset.
    base: Counters,
    /// Bytes of all operand memories, weights, table entries written since.
    written: [u32; 3],
    inputs: Inputs,
    /// Clocks since the reset.
    clock: u64,
}

impl bench::Driven for Driven {
    type Options = GemmOptions;

    fn new(side: &Side, dut: &Dut, noise: ChaCha8Rng) -> Self {
        Self {
            name: side.name.clone(),
            options: side.options,
            model: GemmModel::new(&side.options),
            ops: VecDeque::new(),
            failure: None,
            runs: Vec::new(),
            refusals: [0; 6],
            pins: Pins::new(side, dut),
            noise,
            running: VecDeque::new(),
            busy: false,
            starting: false,
            expanding: false,
            error: 0,
            counters: Counters::default(),
            base: Counters::default(),
            written: [0; 3],
            inputs: Inputs::default(),
            clock: 0,
        }
    }

    fn name(&self) -> &str {
        &self.name
    }

    fn failure(&self) -> Option<&str> {
        self.failure.as_deref()
    }

    fn fail(&mut self, failure: String) {
        self.failure = Some(failure);
    }

    fn finished(&self) -> bool {
        self.failure.is_some() || (self.ops.is_empty() && self.resting())
    }

    fn begin(&mut self, model: &heddle_tb::Model) {
        self.base = self.pins.counters(model);
    }

    fn drive(&mut self, model: &mut heddle_tb::Model) {
        let mut inputs = Inputs::default();
        let resting = self.resting();
        match self.ops.front_mut() {
            // It leaves the list when it is taken.
            Some(Op::Write(write)) => inputs.write = Some(*write),
            Some(Op::Clocks(clocks)) if *clocks > 0 => *clocks -= 1,
            Some(Op::Run | Op::Settled) if !resting => (),
            Some(Op::Next | Op::Free) if self.starting || self.busy || self.expanding => (),
            Some(_) => match self.ops.pop_front() {
                Some(Op::Operand(address, operand)) => inputs.operand = Some((address, operand)),
                Some(Op::Weights(word, weights)) => inputs.weights = Some((word, weights)),
                Some(Op::Run | Op::Next | Op::Start) => inputs.start = true,
                _ => (),
            },
            None => (),
        }
        self.starting = inputs.start;
        self.pins.drive(model, &inputs, &mut self.noise);
        self.inputs = inputs;
        self.counters = self.pins.counters(model);
    }

    fn compare(&mut self, model: &heddle_tb::Model) -> Checked {
        let status = self.pins.status(model);
        let results = self.pins.results(model);
        let seen = self.pins.reads(model);
        let running = self.running.iter_mut();
        let mut logs: Vec<_> = running.map(|running| &mut running.reads).collect();
        self.clock += 1;
        watch(&mut logs, &seen, self.clock)?;
        if status.error != self.error || status.refused != self.model.state.refused {
            let expected = (self.error, self.model.state.refused);
            return Err(format!("{status:?}, model has {expected:?}"));
        }
        self.check_busy(status)?;
        if let Some(running) = self.running.back().filter(|_| status.busy) {
            let written = self.counters.since(&running.before)["table_writes"];
            if written != 0 {
                return Err(format!("{written} table entries were written during a run"));
            }
        }
        let Some(running) = self.running.front_mut() else {
            if status.done || results.iter().any(Option::is_some) {
                return Err(format!("{status:?} and {results:?} without a run"));
            }
            self.advance(status);
            return Ok(());
        };
        for (list, result) in running.results.iter_mut().zip(&results) {
            list.extend(result);
        }
        self.running
            .iter_mut()
            .for_each(|running| running.clocks += 1);
        if status.done {
            let running = self.running.pop_front().expect("a run is under way");
            self.end(running, status, self.pins.counters(model))?;
        }
        self.advance(status);
        Ok(())
    }
}

impl Driven {
    /// Loads a layer: tables, registers, operands, weights.
    pub fn load(&mut self, layer: &Layer) {
        self.ops.extend(layer.tables().into_iter().map(Op::Write));
        self.load_all_but_tables(layer);
    }

    /// Loads a layer whose tables are there.
    pub fn load_all_but_tables(&mut self, layer: &Layer) {
        self.ops
            .extend(layer.registers().into_iter().map(Op::Write));
        let operands = layer.placed_operands().into_iter();
        self.ops
            .extend(operands.map(|(address, operand)| Op::Operand(address, operand)));
        self.load_weights(layer);
    }

    /// Loads the weights of a layer.
    pub fn load_weights(&mut self, layer: &Layer) {
        let words = layer.words(&self.options).into_iter();
        self.ops
            .extend(words.map(|(word, weights)| Op::Weights(word, weights)));
    }

    fn resting(&self) -> bool {
        self.running.is_empty() && !self.expanding
    }

    /// Counters of the cells.
    pub fn counters(&self) -> Counters {
        self.counters
    }

    /// Busy from the clock after a start on; it falls once, and not behind the end.
    fn check_busy(&mut self, status: Status) -> Checked {
        let last = self.running.back();
        let begins = last.is_some_and(|running| running.clocks == 0);
        let may = last.is_some_and(|running| running.clocks == 0 || self.busy);
        if (begins && !status.busy)
            || (status.busy && !may)
            || (status.busy && status.done && self.running.len() == 1)
        {
            let clocks = last.map(|running| running.clocks);
            return Err(format!("{status:?}, {clocks:?} clocks behind the start"));
        }
        self.busy = status.busy;
        Ok(())
    }

    fn end(&mut self, running: Running, status: Status, now: Counters) -> Checked {
        let Running {
            model,
            results,
            reads,
            clocks,
            before,
            overlap,
        } = running;
        reads.check_complete()?;
        let shown = Shown {
            counters: now.since(&before),
            model,
            results,
            reads: reads.found,
            operand_clocks: reads.clocks,
            clocks,
            status,
            overlap,
        };
        self.check(&shown)?;
        self.runs.push(shown);
        Ok(())
    }

    /// Results and their order.
    fn check(&self, shown: &Shown) -> Checked {
        let run = &shown.model;
        for (col, (found, passes)) in shown.results.iter().zip(&run.results).enumerate() {
            let mut expected = passes.clone();
            if !run.run.weight_stationary {
                // A tile leaves through its last row.
                expected.iter_mut().for_each(|pass| pass.reverse());
            }
            let expected = expected.concat();
            let wrong = |(place, pair): (usize, (&GemmResult, &GemmResult))| {
                (pair.0 != pair.1).then(|| format!("result {place}: {pair:?}"))
            };
            if let Some(text) = found.iter().zip(&expected).enumerate().find_map(wrong) {
                return Err(format!("column {col}, (found, model) of {text}"));
            }
            if found.len() != expected.len() {
                let lengths = (found.len(), expected.len());
                return Err(format!("column {col}, (found, model) results: {lengths:?}"));
            }
        }
        match shown.overlap {
            true => Ok(()),
            false => self.check_counts(shown),
        }
    }

    /// The counts of a run.
    fn check_counts(&self, shown: &Shown) -> Checked {
        let run = &shown.model;
        let cols = self.options.unit.cols;
        let tables = run.run.base_reads.len() + run.run.offset_reads.len();
        let counted = |name| (name, u64::from(shown.counters[name]));
        for ((name, found), expected) in [
            (("stalls", shown.status.stalls), run.stalls),
            (("reads", shown.status.reads), run.run.reads()),
            (counted("operand_reads"), run.memory_reads),
            (counted("weight_reads"), cols * run.words.len()),
            (counted("table_reads"), tables),
            (counted("meets"), 0),
        ] {
            if found != expected as u64 {
                return Err(format!("{name}: found {found}, model has {expected}"));
            }
        }
        // Everything that was ever written, and nothing during the run.
        let found = self.counters.since(&self.base);
        let found = ["operand_writes", "weight_writes", "table_writes"].map(|name| found[name]);
        if found != self.written {
            return Err(format!(
                "operands, weights and entries written: found {found:?}, model has {:?}",
                self.written
            ));
        }
        Ok(())
    }

    /// The clock edge.
    fn advance(&mut self, status: Status) {
        if status.wr_ready {
            self.expanding = false;
        }
        // A write in the clock of a start comes too late.
        let busy = status.busy || self.inputs.start;
        if let Some(write) = self.inputs.write.filter(|_| status.wr_ready) {
            let expanded = self.model.write(&write, busy);
            let entry = !busy && matches!(write.kind, RegisterKind::Base | RegisterKind::Offset);
            self.written[2] += u32::from(entry);
            let entries = expanded.map_or(0, |expanded| expanded.entries);
            self.written[2] += entries as u32;
            self.expanding = entries > 0;
            self.ops.pop_front();
        }
        if let Some((address, operand)) = self.inputs.operand {
            self.model.write_operand(address, operand);
            self.written[0] += match self.options.banks {
                0 => self.options.unit.rows as u32,
                _ => 1,
            };
        }
        if let Some((word, weights)) = &self.inputs.weights {
            self.model.write_weights(*word, weights);
            self.written[1] += weights.len() as u32;
        }
        if self.inputs.start && !status.busy {
            match self.model.start() {
                Ok(run) => {
                    self.error = 0;
                    let overlap = !self.running.is_empty();
                    self.running
                        .iter_mut()
                        .for_each(|before| before.overlap = true);
                    self.running.push_back(Running {
                        overlap,
                        results: vec![Vec::new(); self.options.unit.cols],
                        reads: Log::new(Reads::expected(&run, &self.model)),
                        model: run,
                        clocks: 0,
                        before: self.counters,
                    });
                }
                Err(refusal) => {
                    self.error = refusal.code();
                    self.refusals[refusal.code() as usize] += 1;
                }
            }
        }
    }
}
