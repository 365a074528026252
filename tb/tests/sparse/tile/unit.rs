//! The unit that works tile by tile, beside its model, pin by pin.

use std::collections::VecDeque;

use heddle_arch::params::TileKind;
use heddle_hdl::sparse::tile::TileUnit;
use heddle_sim::sparse::tile::{
    TileBeat, TileCommand, TileInputs, TileModel, TileOutputs, TilePool, TileResults, TileSettings,
    TileSide, TileSizes, TileState,
};
use heddle_tb::verilate::Sources;
use rand::Rng;

use super::{beats, random_items, set_beat, set_settings, shape};
use crate::rtl::{Checked, Coverage, Dut, emitted, run_seeds};

/// The unit beside its model, and what waits to be taken.
pub(super) struct Bench {
    pub dut: Dut,
    model: TileModel,
    sizes: TileSizes,
    pub pitch: usize,
    pub settings: TileSettings,
    pub commands: VecDeque<TileCommand>,
    pub values: VecDeque<TileBeat>,
    pub weights: VecDeque<TileBeat>,
    pub results: TileResults,
    /// What has left, and the words of it.
    pub sums: Vec<i32>,
    pub indices: Vec<usize>,
}

impl Bench {
    pub fn new(sources: &Sources, sizes: TileSizes, pitch: usize, seed: u64) -> Self {
        Self {
            dut: Dut::new(sources, seed),
            model: TileModel::new(sizes),
            sizes,
            pitch,
            settings: TileSettings {
                kernel: (sizes.kernel, sizes.kernel),
                limit: sizes.weights,
                earlier_waits: false,
            },
            commands: VecDeque::new(),
            values: VecDeque::new(),
            weights: VecDeque::new(),
            results: TileResults::default(),
            sums: Vec::new(),
            indices: Vec::new(),
        }
    }

    /// One clock; of the streams only those are offered, or taken, whose bit is set: commands, values, weights, sums.
    pub fn step(&mut self, moves: [bool; 4]) -> Checked<TileOutputs> {
        let dut = &mut self.dut;
        let command = self.commands.front().copied().filter(|_| moves[0]);
        let values = self.values.front().cloned().filter(|_| moves[1]);
        let weights = self.weights.front().cloned().filter(|_| moves[2]);
        set_command(dut, command, self.pitch);
        set_settings(dut, &self.settings);
        set_results(dut, &self.results);
        set_beat(dut, "value", values.as_ref(), self.sizes.lanes);
        set_beat(dut, "weight", weights.as_ref(), self.sizes.lanes);
        dut.set("sum_ready_i", moves[3]);
        dut.settle();
        let outputs = self.model.step(&TileInputs {
            command,
            pitch: self.pitch,
            settings: self.settings,
            results: self.results,
            values,
            weights,
            sum_ready: moves[3],
        });
        dut.check("cmd_ready_o", outputs.command_ready)?;
        dut.check("value_ready_o", outputs.value_ready)?;
        dut.check("weight_ready_o", outputs.weight_ready)?;
        dut.check("state_o", outputs.state as u64)?;
        dut.check("sum_valid_o", outputs.sum.is_some())?;
        if let Some((sum, index)) = outputs.sum {
            dut.check("sum_data_o", sum as u64)?;
            dut.check("sum_index_o", index as u64)?;
        }
        dut.clock();
        if moves[0] && outputs.command_ready {
            self.commands.pop_front();
        }
        if moves[1] && outputs.value_ready {
            self.values.pop_front();
        }
        if moves[2] && outputs.weight_ready {
            self.weights.pop_front();
        }
        if let Some((sum, index)) = outputs.sum.filter(|_| moves[3]) {
            self.sums.push(sum);
            self.indices.push(index);
        }
        Ok(outputs)
    }

    /// All commands end; streams are offered and taken with this chance.
    pub fn run(&mut self, chance: f64, mut watch: impl FnMut(&TileOutputs)) -> Checked {
        let mut rng = self.dut.rng();
        for _ in 0..200_000 {
            let waits = !self.commands.is_empty();
            let outputs = self.step([0; 4].map(|_| rng.random_bool(chance)))?;
            watch(&outputs);
            if !waits && outputs.state == TileState::Idle {
                return Ok(());
            }
        }
        Err(self.dut.message("commands do not end"))
    }

    /// All words of the memory become 0.
    pub fn clear(&mut self) -> Checked {
        let pitch = std::mem::replace(&mut self.pitch, 64);
        let (rows, cols) = match self.sizes.kind {
            TileKind::Window => self.sizes.bank,
            _ => (self.sizes.words / 64, 64),
        };
        let clear = TileCommand::Clear(0, rows, cols);
        self.commands.push_back(clear);
        self.run(1.0, |_| ())?;
        self.pitch = pitch;
        Ok(())
    }
}

fn set_command(dut: &mut Dut, command: Option<TileCommand>, pitch: usize) {
    dut.set("cmd_valid_i", command.is_some());
    dut.set("pitch_i", pitch as u64);
    let (op, first, rows, cols) = match command {
        None => (3, 1, 1, 1),
        Some(TileCommand::Tile(first)) => (0, first, 9, 9),
        Some(TileCommand::Clear(first, rows, cols)) => (1, first, rows, cols),
        Some(TileCommand::Send(first, rows, cols)) => (2, first, rows, cols),
        Some(TileCommand::Shift(side, steps)) => (3, side as usize, 1, steps),
    };
    dut.set("cmd_op_i", op as u64);
    dut.set("cmd_first_i", first as u64);
    dut.set("cmd_rows_i", rows as u64);
    dut.set("cmd_cols_i", cols as u64);
}

fn set_results(dut: &mut Dut, results: &TileResults) {
    dut.set("results_relu_i", results.relu);
    dut.set("results_pool_i", results.pool as u64);
    dut.set("results_shift_i", u64::from(results.shift));
    dut.set("results_nonzero_i", results.nonzero);
}

/// Commands of all kinds at any place, also beyond the end of the memory.
pub(super) fn random_commands(sources: &Sources, sizes: TileSizes, seed: u64) -> Checked<Coverage> {
    let mut bench = Bench::new(sources, sizes, 13, seed);
    let mut rng = bench.dut.rng();
    let mut coverage = Coverage::default();
    bench.clear()?;
    for _ in 0..100 {
        let k = sizes.kernel;
        bench.settings = TileSettings {
            kernel: (rng.random_range(1..=k), rng.random_range(1..=k)),
            limit: rng.random_range(1..=sizes.weights),
            earlier_waits: rng.random(),
        };
        bench.results = TileResults {
            relu: rng.random(),
            pool: [TilePool::None, TilePool::Max, TilePool::Add][rng.random_range(0..3)],
            shift: rng.random_range(0..8),
            nonzero: rng.random(),
        };
        for _ in 0..rng.random_range(1..4) {
            let first = match sizes.kind {
                TileKind::Window => 256 * rng.random_range(0..9) + rng.random_range(0..12),
                _ => rng.random_range(0..sizes.words),
            };
            let (rows, cols) = (rng.random_range(1..6), rng.random_range(1..8));
            let command = match rng.random_range(0..5) {
                0 => TileCommand::Clear(first, rows, cols),
                1 => TileCommand::Send(first, rows, cols),
                2 if sizes.kind == TileKind::Window => {
                    TileCommand::Shift(SIDES[rng.random_range(0..4)], cols)
                }
                _ => TileCommand::Tile(first),
            };
            bench.commands.push_back(command);
            if command == TileCommand::Tile(first) {
                let channels = rng.random_range(1..4);
                let density = [0.2, 0.6][rng.random_range(0..2)];
                for channel in 0..channels {
                    let last = channel + 1 == channels;
                    let values = random_items(&mut rng, (k, k), density, 255);
                    bench.values.extend(beats(&values, sizes.lanes, last));
                    let weights = random_items(&mut rng, bench.settings.kernel, 0.8, 127);
                    bench.weights.extend(beats(&weights, sizes.lanes, false));
                }
            }
        }
        let mut before = TileState::Idle;
        bench.run([0.4, 1.0][rng.random_range(0..2)], |outputs| {
            let follows = |a, b| before == a && outputs.state == b;
            coverage.event(
                "a channel waits",
                follows(TileState::Round, TileState::Data),
            );
            coverage.event("a tile", follows(TileState::Store, TileState::Idle));
            coverage.event("clear", follows(TileState::Clear, TileState::Idle));
            if sizes.kind == TileKind::Window {
                let shifts = follows(TileState::Shift, TileState::Idle);
                coverage.event("all sums move", shifts);
            }
            coverage.event("send", follows(TileState::Send, TileState::Idle));
            // What waits when the last new products have come is added before the tile is stored.
            if sizes.kind == TileKind::Arbiter {
                let drained = outputs.state == TileState::Drain && outputs.queued > 0;
                coverage.event("products are drained", drained);
            }
            before = outputs.state;
        })?;
    }
    coverage.event("sums leave", !bench.sums.is_empty());
    Ok(coverage)
}

const SIDES: [TileSide; 4] = [
    TileSide::Right,
    TileSide::Left,
    TileSide::Down,
    TileSide::Up,
];

/// A bank that is smaller than some rectangles.
pub(super) const WINDOW: TileSizes = TileSizes {
    kind: TileKind::Window,
    lanes: 4,
    weights: 1,
    ..UNIT
};

pub(super) const UNIT: TileSizes = TileSizes {
    kind: TileKind::Arbiter,
    lanes: 4,
    kernel: 3,
    weights: 4,
    words: 128,
    bank: (7, 9),
};

#[test]
fn the_unit_follows_its_model() {
    for sizes in [UNIT, WINDOW] {
        let sources = emitted(TileUnit::new(shape(&sizes)));
        run_seeds(|seed| random_commands(&sources, sizes, seed));
    }
}
