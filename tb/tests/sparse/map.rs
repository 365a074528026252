//! The map memory of a unit.

use std::sync::LazyLock;

use heddle_hdl::sparse::MapMemory;
use heddle_sim::sparse::reference::Entry;
use heddle_sim::sparse::{Load, MapInputs, MapModel, Part};
use heddle_tb::verilate::Sources;
use rand::Rng;
use rand_chacha::ChaCha8Rng;

use crate::rtl::{Checked, Coverage, Dut, check_mutants, emitted, faults, run_seeds};

const SETS: usize = 4;
const ENTRIES: usize = 32;

static MAP_4: LazyLock<Sources> = LazyLock::new(|| emitted(MapMemory::new(4, SETS, ENTRIES)));
pub(super) static MAP_1: LazyLock<Sources> =
    LazyLock::new(|| emitted(MapMemory::new(1, SETS, ENTRIES)));

/// Maps of one set after the other, each read after it was written, while the next ones are written.
struct Traffic {
    /// Entries written in a clock.
    width: usize,
    /// Of each set: slots that are not written yet.
    slots: [usize; SETS],
    /// Cycles since the last one was written.
    since: [usize; SETS],
    /// Reads that wait, or are under way, in order.
    reads: Vec<usize>,
    /// How many of them the memory has taken.
    taken: usize,
    first: bool,
    filling: usize,
    /// The set takes as many values as it has places for, and no more.
    exact: bool,
}

impl Traffic {
    fn new(width: usize) -> Self {
        Self {
            width,
            slots: [0; SETS],
            since: [0; SETS],
            reads: Vec::new(),
            taken: 0,
            first: false,
            filling: SETS - 1,
            exact: false,
        }
    }

    fn next(&mut self, rng: &mut ChaCha8Rng) -> MapInputs {
        for since in &mut self.since {
            *since += 1;
        }
        if self.slots[self.filling] == 0 {
            let next = (self.filling + 1) % SETS;
            if !self.reads.contains(&next) {
                self.filling = next;
                self.first = true;
                self.exact = rng.random_bool(0.5);
                self.slots[next] = rng.random_range(1..=120 / self.width);
                self.reads.push(next);
            }
        }
        let mut load = None;
        if self.slots[self.filling] > 0 && rng.random_bool(0.7) {
            self.slots[self.filling] -= 1;
            self.since[self.filling] = 0;
            load = Some(self.load(rng));
            self.first = false;
        }
        let waits = self.reads.get(self.taken).copied();
        let is_written = |set: &usize| self.slots[*set] == 0 && self.since[*set] >= 2;
        MapInputs {
            load,
            read: waits.filter(is_written),
            ready: rng.random_bool(0.7),
        }
    }

    fn load(&self, rng: &mut ChaCha8Rng) -> Load {
        let (row, col) = (rng.random_range(0..8), rng.random_range(248..256));
        let entry = |_| Entry {
            value: rng.random_range(-255..256),
            channel: rng.random_range(0..512),
            row,
            col,
        };
        let count = (0..self.width + 1).map(entry).collect::<Vec<_>>();
        let count = count[rng.random_range(0..=self.width)..self.width].to_vec();
        Load {
            entries: count,
            set: self.filling,
            first: self.first,
            ..Load::default()
        }
    }
}

fn drive(dut: &mut Dut, inputs: &MapInputs, width: usize, mask: bool) {
    let load = inputs.load.clone().unwrap_or_default();
    let first = load.entries.first();
    dut.set("load_valid_i", inputs.load.is_some());
    dut.set("load_first_i", load.first);
    dut.set("load_set_i", load.set as u64);
    dut.set("load_count_i", load.entries.len() as u64);
    dut.set("load_row_i", first.map_or(0, |entry| entry.row as u64));
    dut.set("load_col_i", first.map_or(0, |entry| entry.col as u64));
    let mut entries = load.entries.iter().map(Some).collect::<Vec<_>>();
    entries.resize(width, None);
    let values = entries.iter();
    let values = values.map(|entry| entry.map_or(0, |entry| entry.value as u64));
    dut.set_all("load_value_i", values);
    let lists = entries.iter();
    let lists = lists.map(|entry| entry.map_or(0, |entry| entry.channel as u64));
    dut.set_all("load_list_i", lists);
    dut.set("mask_i", mask);
    dut.set("read_valid_i", inputs.read.is_some());
    dut.set("read_set_i", inputs.read.unwrap_or(0) as u64);
    dut.set("ready_i", inputs.ready);
    dut.settle();
}

pub(super) fn random_maps(sources: &Sources, width: usize, seed: u64) -> Checked<Coverage> {
    let mut dut = Dut::new(sources, seed);
    let mut rng = dut.rng();
    let mut coverage = Coverage::default();
    let part = Part {
        rows: rng.random_range(0..3)..rng.random_range(3..=8),
        cols: rng.random_range(248..251)..rng.random_range(251..=256),
    };
    dut.set("part_row0_i", part.rows.start as u64);
    dut.set("part_row1_i", part.rows.end as u64);
    dut.set("part_col0_i", part.cols.start as u64);
    dut.set("part_col1_i", part.cols.end as u64);
    let mut model = MapModel::new(part.clone(), SETS, ENTRIES);
    let mut traffic = Traffic::new(width);
    let (mut written, mut overflows, mut held) = (0, [false; SETS], 0);
    for _ in 0..4000 {
        let mut inputs = traffic.next(&mut rng);
        // What is for other units passes.
        let mask = inputs.load.as_ref().is_some_and(|load| load.first) || rng.random_bool(0.9);
        if let Some(load) = inputs.load.as_mut().filter(|_| mask) {
            let inside = |load: &Load| {
                let entries = load.entries.iter();
                entries
                    .filter(|entry| part.contains(entry.row, entry.col))
                    .count()
            };
            held = if load.first { 0 } else { held };
            while traffic.exact && held + inside(load) > ENTRIES {
                load.entries.pop();
            }
            held += inside(load);
        }
        drive(&mut dut, &inputs, width, mask);
        inputs.load = inputs.load.filter(|_| mask);
        let outputs = model.step(&inputs);
        dut.check("full_o", outputs.full)?;
        dut.check("read_ready_o", outputs.read_ready)?;
        dut.check("read_done_o", outputs.read_done.is_some())?;
        if let Some(set) = outputs.read_done {
            dut.check("done_set_o", set as u64)?;
        }
        dut.check("busy_o", outputs.busy)?;
        dut.check("valid_o", outputs.entry.is_some())?;
        if let Some(entry) = outputs.entry {
            dut.check("entry_value_o", entry.value as u64 & 0x1ff)?;
            dut.check("entry_row_o", entry.row as u64)?;
            dut.check("entry_col_o", entry.col as u64)?;
            dut.check("list_o", entry.channel as u64)?;
        }
        dut.clock();
        traffic.taken += usize::from(inputs.read.is_some() && outputs.read_ready);
        if outputs.read_done.is_some() {
            traffic.reads.remove(0);
            traffic.taken -= 1;
        }
        let entries = inputs.load.iter().flat_map(|load| &load.entries);
        let inside = entries.map(|entry| part.contains(entry.row, entry.col));
        coverage.event("entry inside", inside.clone().any(|inside| inside));
        coverage.event("entry outside", inside.clone().any(|inside| !inside));
        coverage.event("full set", outputs.full);
        // An entry without a place is told a clock later.
        overflows[written] |= outputs.full;
        if let Some(load) = &inputs.load {
            written = load.set;
            overflows[written] &= !load.first;
        }
        let begins = inputs.read.filter(|_| outputs.read_ready);
        let is_exact = |set: usize| model.count(set) == ENTRIES && !overflows[set];
        coverage.event("exactly full set", begins.is_some_and(is_exact));
        coverage.event("set read", outputs.read_done.is_some());
        coverage.event(
            "set that waits",
            inputs.read.is_some() && !outputs.read_ready,
        );
        coverage.event("entry that waits", outputs.entry.is_some() && !inputs.ready);
        coverage.event("memory without an entry", !outputs.busy);
    }
    Ok(coverage)
}

#[proves("FSA-20", "FSA-35")]
#[test]
fn a_map_memory_keeps_the_entries_of_its_part() {
    run_seeds(|seed| random_maps(&MAP_4, 4, seed));
    run_seeds(|seed| random_maps(&MAP_1, 1, seed));
}

#[test]
fn faults_of_a_map_memory_are_noticed() {
    let mutants = r"
        // The last entry of a set is not read.
        heddle_map_order: left_q == 15'd1 => left_q == 15'd2
        // The second part begins one entry late, if the number is odd.
        heddle_map_order: count_i + 15'd1 => count_i + 15'd2
        // A set is not emptied.
        heddle_map_memory: load_valid_i & load_first_i & mask_i => 1'b0
        // An entry that finds no room behind the memory is lost.
        heddle_map_memory: (waits_q | read_q) & !goes => 1'b0";
    check_mutants(&MAP_4, &faults(mutants), |sources, seed| {
        random_maps(sources, 4, seed)
    });
}
