//! The registers and the runs of a unit: everything that comes to it at any time, in lockstep with its model.

use std::collections::VecDeque;
use std::sync::LazyLock;

use heddle_arch::isa::fields::sparse::{range, run, share};
use heddle_sim::sparse::reference::{Entry, Tap};
use heddle_sim::sparse::{
    Fill, Load, OrdersOutputs, Position, SparseUnitInputs, SparseUnitOutputs,
};
use heddle_tb::verilate::Sources;
use rand::Rng;
use rand_chacha::ChaCha8Rng;

use super::cell::{ENTRIES, LANES, Pair, SUMS, WORDS, quiet, unit};
use super::unit::random_list;
use crate::rtl::{Checked, Coverage, OrPanic, check_mutants, faults, run_seeds};

static UNIT_2: LazyLock<Sources> = LazyLock::new(|| unit(2));

/// A load: its set, the half of the weights that its entries meet, and the clocks in which it sends.
#[derive(Clone, Copy)]
struct Chunk {
    set: usize,
    half: bool,
    clocks: usize,
}

/// What comes to the unit. Results of region 0 have columns 0 to 7, those of region 1 columns 8 to 15: bit 3 of their words of sums.
#[derive(Default)]
struct Traffic {
    /// Loads that wait, the one under way first, and whether it has begun.
    loads: VecDeque<Chunk>,
    is_loading: bool,
    /// Sets that are loaded, and not released.
    held: Vec<bool>,
    released: Vec<bool>,
    /// Runs that are not given.
    runs: VecDeque<u32>,
    /// Words that are to come for a half of the weights.
    fills: VecDeque<Fill>,
    filled_half: bool,
    /// A region and positions of it that are to come, from a word on.
    drain: (bool, usize),
    word: usize,
    /// Regions that were free in the cycle before.
    were_free: [bool; 2],
    share: usize,
}

impl Traffic {
    fn new(sets: usize) -> Self {
        Self {
            held: vec![false; sets],
            released: vec![false; sets],
            ..Self::default()
        }
    }

    fn next(&mut self, orders: &OrdersOutputs, rng: &mut ChaCha8Rng) -> SparseUnitInputs {
        for set in 0..self.held.len() {
            self.held[set] &= self.released[set] == orders.released[set];
        }
        self.released.clone_from(&orders.released);
        if self.runs.len() < 2 {
            self.plan(rng);
        }
        let position = self.position(orders, rng);
        let fill = self.fill(orders, rng);
        let run = self.run(orders, rng);
        let load = self.load(rng);
        let write = self.write(orders, rng).filter(|_| run.is_none());
        self.were_free = orders.region_busy.map(|busy| !busy);
        if let Some((2, word)) = write {
            self.share = share::SHARE.get(word) as usize;
        }
        SparseUnitInputs {
            load,
            fill,
            position,
            sums: (0..LANES).map(|_| rng.random()).collect(),
            write,
            run,
        }
    }

    /// A run of some chunks; or two of them, of which the first one keeps the sets.
    fn plan(&mut self, rng: &mut ChaCha8Rng) {
        let sets = self.held.len();
        let keeps = rng.random_bool(0.3);
        let chunks = rng.random_range(1..=sets + 2);
        let (first, half) = (rng.random_range(0..sets), rng.random());
        let loads = if keeps { chunks.min(sets) } else { chunks };
        let clocks = [1, 4, 20][rng.random_range(0..3)];
        self.loads.extend((first..first + loads).map(|set| Chunk {
            set: set % sets,
            half,
            clocks: rng.random_range(0..=clocks),
        }));
        for (chunks, last) in [(chunks, false), (loads, true)] {
            let word = run::SET.put(first as u32)
                | run::KEEP.flag(!last)
                | run::HALF.flag(half)
                | run::REGION.flag(rng.random())
                | run::CHUNKS.put(chunks as u32 - 1)
                | run::KERNEL_ROWS.put(rng.random_range(2..5))
                | run::KERNEL_COLS.put(rng.random_range(2..5))
                | run::PITCH.put(rng.random_range(4..=6))
                | run::AREA.put(rng.random_range(4..=15));
            self.runs.extend(Some(word).filter(|_| keeps || last));
        }
    }

    /// The next run is given when its half is not filled and its region not drained.
    fn run(&mut self, orders: &OrdersOutputs, rng: &mut ChaCha8Rng) -> Option<u32> {
        let is_free = |word: &&u32| {
            let is_filled = !self.fills.is_empty() && self.filled_half == run::HALF.is_set(**word);
            let is_drained = self.drain.1 > 0 && self.drain.0 == run::REGION.is_set(**word);
            !is_filled && !is_drained
        };
        self.runs.front().filter(is_free)?;
        let given = orders.run_ready && rng.random_bool(0.2);
        given.then(|| self.runs.pop_front().expect("a run"))
    }

    /// Entries for this unit when their set is free; others between them.
    fn load(&mut self, rng: &mut ChaCha8Rng) -> (Option<Load>, Vec<bool>) {
        if rng.random_bool(0.1) {
            return (None, vec![rng.random(), rng.random()]);
        }
        let next = self.loads.front_mut();
        let own = next.filter(|chunk| self.is_loading || !self.held[chunk.set]);
        let Some(chunk) = own.filter(|_| rng.random_bool(0.9)) else {
            let any = Chunk {
                set: rng.random_range(0..self.held.len()),
                half: rng.random(),
                clocks: 0,
            };
            let load = random_load(any, rng.random(), rng.random(), rng);
            return (Some(load), vec![false, rng.random()]);
        };
        let load = random_load(*chunk, !self.is_loading, chunk.clocks == 0, rng);
        self.held[chunk.set] = true;
        self.is_loading = !load.last;
        chunk.clocks = chunk.clocks.saturating_sub(1);
        if load.last {
            self.loads.pop_front();
        }
        (Some(load), vec![true, rng.random()])
    }

    /// A half that no run names is filled now and then; words for others between its words.
    fn fill(&mut self, orders: &OrdersOutputs, rng: &mut ChaCha8Rng) -> (Fill, Vec<bool>) {
        let half = rng.random();
        if self.fills.is_empty() && !orders.half_busy[usize::from(half)] && rng.random_bool(0.02) {
            self.filled_half = half;
            self.fills = random_fills(half, rng);
        }
        if self.fills.is_empty() || rng.random_bool(0.1) {
            let fills = random_fills(rng.random(), rng);
            let at = rng.random_range(0..fills.len().min(4));
            return (fills[at].clone(), vec![false, rng.random()]);
        }
        let fill = self.fills.pop_front().expect("a word");
        (fill, vec![true, rng.random()])
    }

    /// Positions of a region that is not computed, of this unit and of others.
    fn position(&mut self, orders: &OrdersOutputs, rng: &mut ChaCha8Rng) -> Option<Position> {
        let region = rng.random();
        let at = usize::from(region);
        let is_free = self.were_free[at] && !orders.region_busy[at];
        if self.drain.1 == 0 && is_free && rng.random_bool(0.05) {
            self.drain = (region, rng.random_range(1..60));
        }
        if self.drain.1 == 0 || rng.random_bool(0.1) {
            return None;
        }
        self.drain.1 -= 1;
        self.word += 1;
        let region = self.drain.0;
        let high = self.word / 8 % (SUMS / 16);
        Some(Position {
            row: rng.random_range(0..16),
            col: rng.random_range(0..8) + if region { 8 } else { 0 },
            // Of this unit, or one bit differs.
            share: self.share ^ [0, 0, 1 << rng.random_range(0..6)][rng.random_range(0..3)],
            region,
            word: high * 16 + usize::from(region) * 8 + self.word % 8,
            keep: rng.random(),
        })
    }

    /// A register with which nothing works at present.
    fn write(&mut self, orders: &OrdersOutputs, rng: &mut ChaCha8Rng) -> Option<(usize, u32)> {
        let register = rng.random_range(0..8);
        let region = register >= 6;
        let is_drained = self.drain.1 > 0 && (register == 2 || self.drain.0 == region);
        let is_used = match register {
            0 | 1 => self.is_loading,
            2 | 3 => is_drained,
            _ => is_drained || orders.region_busy[usize::from(region)],
        };
        if is_used || rng.random_bool(0.8) {
            return None;
        }
        let (from, to) = match register {
            5 => (0, 8),
            7 => (8, 16),
            _ => (0, 20),
        };
        // Mostly a large part of all.
        let cut = rng.random_range(0..=(to - from) / 2);
        let (first, end) = match rng.random_bool(0.2) {
            true => (from + cut, from + cut),
            false => (from + cut / 2, to - cut / 2),
        };
        let word = match register {
            2 | 3 => rng.random::<u32>() & 63,
            _ => range::FIRST.put(first) | range::END.put(end),
        };
        Some((register, word))
    }
}

/// Entries of one place, of lists of a half.
fn random_load(chunk: Chunk, first: bool, last: bool, rng: &mut ChaCha8Rng) -> Load {
    let (row, col) = (rng.random_range(0..16), rng.random_range(0..16));
    let lists = if chunk.half { 8..16 } else { 0..8 };
    let entry = |_| Entry {
        value: rng.random_range(-255..256),
        channel: rng.random_range(lists.clone()),
        row,
        col,
    };
    let entries: Vec<Entry> = (0..ENTRIES).map(entry).collect();
    Load {
        row,
        col,
        set: chunk.set,
        first,
        last,
        entries: entries[rng.random_range(0..=ENTRIES)..].to_vec(),
    }
}

/// Lists of a half of the weights.
fn random_fills(half: bool, rng: &mut ChaCha8Rng) -> VecDeque<Fill> {
    let share = rng.random_range(0..=3) as f64 / 10.0;
    let lists = (0..8).map(|_| random_list(rng, (3, 3), 2, share));
    let lists: Vec<_> = lists.collect();
    let begin = if half { (WORDS / 2, 8) } else { (0, 0) };
    let begin = Fill {
        begin: Some(begin),
        word: None,
    };
    let words = super::fills(&lists, LANES);
    std::iter::once(begin).chain(words).collect()
}

fn random_runs(sources: &Sources, sets: usize, seed: u64) -> Checked<Coverage> {
    let mut pair = Pair::new(sources, sets, seed);
    let mut rng = pair.dut.rng();
    let mut coverage = Coverage::default();
    pair.clear()?;
    let mut traffic = Traffic::new(sets);
    for half in [false, true] {
        for fill in random_fills(half, &mut rng) {
            let inputs = SparseUnitInputs {
                fill: (fill, vec![true, false]),
                ..quiet()
            };
            pair.step(&inputs, true)?;
        }
    }
    for _ in 0..6000 {
        let before = pair.model.orders();
        let inputs = traffic.next(&before, &mut rng);
        let outputs = pair.step(&inputs, true)?;
        cover(&mut coverage, &inputs, &outputs, &pair.model.orders());
    }
    Ok(coverage)
}

fn cover(
    coverage: &mut Coverage,
    inputs: &SparseUnitInputs,
    outputs: &SparseUnitOutputs,
    after: &OrdersOutputs,
) {
    let orders = &outputs.orders;
    let sets = orders.released.len();
    let given = |chosen: &dyn Fn(u32) -> bool| inputs.run.is_some_and(chosen);
    coverage.event(
        "run that keeps its sets",
        given(&|word| run::KEEP.is_set(word)),
    );
    coverage.event(
        "run that reads a set twice",
        given(&|word| run::CHUNKS.get(word) as usize >= sets),
    );
    coverage.event("two runs", orders.running && !orders.run_ready);
    coverage.event("run that waits for a set", orders.waits);
    coverage.event("runs end", orders.running && !after.running);
    coverage.event("next run", !orders.run_ready && after.run_ready);
    let released = orders.released.iter().zip(&after.released);
    coverage.event("set released", released.clone().any(|(a, b)| a != b));
    coverage.event("full set", outputs.full);
    coverage.event("word outside the window", outputs.drop);
    coverage.event("products beside a drain", {
        outputs.tap && inputs.position.is_some()
    });
    coverage.event("products that wait", outputs.hold);
    coverage.event("register beside a run", {
        inputs.write.is_some() && orders.running
    });
    coverage.event("weights beside a run", {
        inputs.fill.0.word.is_some() && inputs.fill.1[0] && orders.running
    });
}

/// The clock of each word of weights that is multiplied, counted from the first of two runs: each has an entry that meets so many of them.
fn taps_of_two_runs(sources: &Sources, words: usize) -> Checked<Vec<usize>> {
    let mut pair = Pair::new(sources, 2, 1);
    let tap = |col| Tap {
        row: 0,
        col,
        group: 0,
        weights: vec![1; LANES],
    };
    let list: Vec<Tap> = (0..words as i32).map(tap).collect();
    let begin = Fill {
        begin: Some((0, 0)),
        word: None,
    };
    let entry = Entry {
        value: 1,
        channel: 0,
        row: 0,
        col: 0,
    };
    let mut inputs = Vec::new();
    for fill in std::iter::once(begin).chain(super::fills(&[list], LANES)) {
        inputs.push(SparseUnitInputs {
            fill: (fill, vec![true, false]),
            ..quiet()
        });
    }
    for register in [0, 1, 4, 5] {
        inputs.push(SparseUnitInputs {
            write: Some((register, range::END.put(16))),
            ..quiet()
        });
    }
    for set in 0..2 {
        let load = Load {
            set,
            first: true,
            last: true,
            entries: vec![entry],
            ..Load::default()
        };
        inputs.push(SparseUnitInputs {
            load: (Some(load), vec![true, false]),
            ..quiet()
        });
    }
    inputs.push(quiet());
    let first = inputs.len();
    for set in 0..2 {
        let word = run::SET.put(set) | run::KERNEL_COLS.put(15) | run::PITCH.put(4);
        inputs.push(SparseUnitInputs {
            run: Some(word),
            ..quiet()
        });
        inputs.push(quiet());
    }
    inputs.resize(first + 60, quiet());
    let mut taps = Vec::new();
    for (cycle, inputs) in inputs.iter().enumerate() {
        if pair.step(inputs, false)?.tap {
            taps.push(cycle - first);
        }
    }
    Ok(taps)
}

#[test]
fn a_run_begins_when_it_is_stated_and_14_clocks_behind_the_one_before() {
    let taps = taps_of_two_runs(&UNIT_2, 3).or_panic();
    assert_eq!(taps, [9, 10, 11, 25, 26, 27]);
}

#[test]
fn the_registers_and_runs_of_a_unit_follow_their_model() {
    run_seeds(|seed| random_runs(&UNIT_2, 2, seed));
    let sources = unit(4);
    run_seeds(|seed| random_runs(&sources, 4, seed));
}

#[test]
fn faults_of_runs_are_noticed() {
    let mutants = r"
        // A set is handed over again before it has been read.
        heddle_unit_orders_s2: is_full & !is_claimed => is_full
        // A set is read while its last entries are written.
        heddle_unit_orders_s2: filled_q & (filled_set_q => filled_i & (filled_set_i
        // Sets that should stay are released.
        heddle_unit_orders_s2: read_done_i & !run_keep => read_done_i
        // The next run begins before the products of the one before have arrived.
        heddle_unit_orders_s2: !has_sets_q & !busy_i => !has_sets_q
        // A run ends a set early.
        heddle_unit_orders_s2: given_q == run_chunks => given_q + 8'd1 == run_chunks
        // Entries of other units fill a set.
        heddle_sparse_unit_g3: load_last_i & load_mask_i[0] => load_last_i
        // The window of the other region.
        heddle_region_windows: position_valid_i & position_region_i => position_region_i
        // A register of the other region.
        heddle_unit_orders_s2: order_register_i == 3'd6 => order_register_i == 3'd4";
    check_mutants(&UNIT_2, &faults(mutants), |sources, seed| {
        random_runs(sources, 2, seed)
    });
}
