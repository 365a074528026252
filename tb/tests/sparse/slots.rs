//! From a stream of bytes to slots: random loads in lockstep with the clocked model.

use std::sync::LazyLock;

use heddle_arch::isa::fields::sparse::{load, load_chunks, load_first, load_size};
use heddle_hdl::sparse::Slots;
use heddle_sim::sparse::{LoadModel, Slot, SlotsInputs, SlotsModel, SlotsOutputs};
use heddle_tb::verilate::Sources;
use rand::Rng;
use rand_chacha::ChaCha8Rng;

use super::commands::{Head, set_command};
use crate::rtl::{Checked, Coverage, Dut, check_mutants, emitted, faults, run_seeds};

/// Lanes, sets, units.
pub(super) type Size = (usize, usize, usize);

const SMALL: Size = (8, 3, 5);
/// Bytes of a word of the stream, unless slots come whole.
const WORD: usize = 8;
/// Entries of the wave.
pub(super) const ENTRIES: usize = 2;

pub(super) static SLOTS_8: LazyLock<Sources> = LazyLock::new(|| slots(SMALL));

pub(super) fn slots((lanes, sets, units): Size) -> Sources {
    emitted(Slots::new(lanes, sets, units, 0))
}

/// SPARSE_LOAD.
#[derive(Debug, Clone, Default)]
pub(super) struct Command {
    pub set: usize,
    pub append: bool,
    pub more: bool,
    pub alternate: bool,
    /// As a power of two.
    pub stride: u32,
    pub list: usize,
    pub lanes: usize,
    pub threshold: u8,
    pub first: (u32, u32),
    pub size: (u32, u32),
    pub chunks: usize,
    pub step: usize,
    pub mask: u64,
}

impl Command {
    fn random((lanes, sets, _): Size, rng: &mut ChaCha8Rng) -> Self {
        let stride = rng.random_range(0..=2);
        let mut line = || {
            let length = match rng.random_range(0..20) {
                0 => rng.random_range(20..=40),
                1..5 => 1,
                _ => rng.random_range(2..=5),
            };
            let end = 256 << stride;
            let first = [0, 1, end - length, rng.random_range(0..=end - length)];
            (first[rng.random_range(0..4)], length)
        };
        let (rows, cols) = (line(), line());
        let chunks = rng.random_range(1..=4);
        let loaded = [lanes, rng.random_range(1..=lanes)];
        Self {
            set: rng.random_range(0..sets),
            append: rng.random_bool(0.3),
            more: rng.random_bool(0.3),
            alternate: rng.random(),
            stride,
            list: rng.random_range(0..512),
            lanes: loaded[rng.random_range(0..2)],
            threshold: [0, 255, 127, rng.random()][rng.random_range(0..4)],
            first: (rows.0, cols.0),
            size: (rows.1, cols.1),
            chunks,
            step: rng.random_range(0..512),
            mask: rng.random(),
        }
    }

    /// The words behind the header.
    pub fn words(&self) -> Vec<u32> {
        vec![
            load::SET.put(self.set as u32)
                | load::APPEND.flag(self.append)
                | load::MORE.flag(self.more)
                | load::ALTERNATE.flag(self.alternate)
                | load::STRIDE.put(self.stride)
                | load::LIST.put(self.list as u32)
                | load::LANES.put(self.lanes as u32)
                | load::THRESHOLD.put(self.threshold.into()),
            load_first::ROW.put(self.first.0) | load_first::COL.put(self.first.1),
            load_size::ROWS.put(self.size.0) | load_size::COLS.put(self.size.1),
            load_chunks::CHUNKS.put(self.chunks as u32 - 1)
                | load_chunks::STEP.put(self.step as u32),
            self.mask as u32,
            (self.mask >> 32) as u32,
        ]
    }
}

/// What the engine meets.
struct Traffic {
    head: Head,
    command: Command,
    /// A word of the map that is offered until it is taken.
    word: Option<Vec<u8>>,
    /// Its bytes.
    bytes: usize,
    /// What takes the slots; none takes them at random.
    load: Option<LoadModel>,
    /// Share of cycles with a new word, with a free set, and of bytes that are zero.
    offered: f64,
    free: f64,
    zeros: f64,
}

impl Traffic {
    fn new(bytes: usize, with_load: bool) -> Self {
        Self {
            head: Head::new(),
            command: Command::default(),
            word: None,
            bytes,
            load: with_load.then(|| LoadModel::new(ENTRIES)),
            offered: 1.0,
            free: 1.0,
            zeros: 0.5,
        }
    }

    /// Inputs of the next cycle, and whether there are entries on the wave of what takes the slots.
    fn next(
        &mut self,
        size: Size,
        (busy, slot): (bool, Option<&Slot>),
        rng: &mut ChaCha8Rng,
    ) -> (SlotsInputs, bool) {
        let command = &mut self.command;
        let (word, start) = self.head.give(busy, rng, |rng| {
            *command = Command::random(size, rng);
            command.words()
        });
        if start {
            let share = |rng: &mut ChaCha8Rng| [1.0, 1.0, 0.5, 0.2][rng.random_range(0..4)];
            (self.offered, self.free) = (share(rng), share(rng));
            self.zeros = f64::from(rng.random_range(0..=10)) / 10.0;
        }
        if self.word.is_none() && rng.random_bool(self.offered) {
            let byte = |_| match rng.random_bool(self.zeros) {
                true => 0,
                false => [rng.random(), self.command.threshold][rng.random_range(0..2)],
            };
            self.word = Some((0..self.bytes).map(byte).collect());
        }
        let (slot_ready, has_wave) = match &mut self.load {
            Some(load) => {
                let outputs = load.step(slot);
                (outputs.ready, outputs.wave.is_some())
            }
            None => (rng.random(), false),
        };
        let inputs = SlotsInputs {
            command: word,
            start,
            map: self.word.clone(),
            slot_ready,
            free: rng.random_bool(self.free),
        };
        (inputs, has_wave)
    }
}

fn drive(dut: &mut Dut, inputs: &SlotsInputs, bytes: usize, rng: &mut ChaCha8Rng) {
    set_command(dut, (inputs.command, inputs.start), rng);
    dut.set("map_valid_i", inputs.map.is_some());
    let random = || (0..bytes).map(|_| rng.random()).collect();
    let data: Vec<u8> = inputs.map.clone().unwrap_or_else(random);
    dut.set_all("map_data_i", data.into_iter().map(u64::from));
    dut.set("slot_ready_i", inputs.slot_ready);
    dut.set("free_i", inputs.free);
}

/// Compares all outputs but the mask, which begins with any value.
fn check(dut: &Dut, outputs: &SlotsOutputs) -> Checked {
    dut.check("busy_o", outputs.busy)?;
    dut.check("map_ready_o", outputs.map_ready)?;
    dut.check("asks_o", outputs.asks.is_some())?;
    dut.check("begins_o", outputs.begins)?;
    if let Some(set) = outputs.asks {
        dut.check("set_o", set as u64)?;
    }
    dut.check("slot_valid_o", outputs.slot.is_some())?;
    let Some(slot) = &outputs.slot else {
        return Ok(());
    };
    dut.check("slot_row_o", slot.row as u64)?;
    dut.check("slot_col_o", slot.col as u64)?;
    dut.check("slot_list_o", slot.list as u64)?;
    dut.check("slot_first_o", slot.first)?;
    dut.check("slot_last_o", slot.last)?;
    dut.check("slot_set_o", slot.set as u64)?;
    let lanes = slot.lanes.len();
    for (lane, value) in slot.lanes.iter().enumerate() {
        dut.check_element("slot_nz_o", lane, lanes, value.is_some())?;
        if let Some(value) = value {
            dut.check_element("slot_value_o", lane, lanes, *value as u64)?;
        }
    }
    Ok(())
}

fn check_mask(dut: &Dut, mask: &[bool]) -> Checked {
    for (unit, is_in) in mask.iter().enumerate() {
        dut.check_element("mask_o", unit, mask.len(), *is_in)?;
    }
    Ok(())
}

/// What a cycle has shown.
fn watch(
    coverage: &mut Coverage,
    sets: usize,
    command: &Command,
    inputs: &SlotsInputs,
    out: &SlotsOutputs,
) {
    let next = out.slot.as_ref().filter(|_| inputs.slot_ready);
    coverage.event("word of the map that waits for a command", {
        inputs.map.is_some() && !out.busy
    });
    coverage.event("word of the map that waits for a slot", {
        inputs.map.is_some() && out.busy && !out.map_ready
    });
    coverage.event("slot that waits", out.slot.is_some() && !inputs.slot_ready);
    coverage.event("chunk that waits", out.asks.is_some() && !inputs.free);
    coverage.event("word taken before its chunk begins", {
        out.asks.is_some() && out.map_ready && inputs.map.is_some()
    });
    coverage.event("slot and the next word at once", {
        next.is_some() && out.map_ready && inputs.map.is_some()
    });
    let Some(slot) = next else {
        return;
    };
    coverage.event("begins and ends in one slot", slot.first && slot.last);
    coverage.event("last row and column", slot.row == 255 && slot.col == 255);
    coverage.event("stride 4", command.stride == 2);
    coverage.event("set that wraps", {
        command.alternate && (slot.set < command.set || sets == 1)
    });
    coverage.event("values of both signs", {
        let sign = |positive| move |value: &i32| (*value > 0) == positive;
        slot.lanes.iter().flatten().any(sign(true)) && slot.lanes.iter().flatten().any(sign(false))
    });
    coverage.event("value of 255", slot.lanes.contains(&Some(255)));
    coverage.event("value of -255", slot.lanes.contains(&Some(-255)));
    coverage.event("lane that is not loaded", command.lanes < slot.lanes.len());
}

fn random_loads(
    sources: &Sources,
    seed: u64,
    (size, bytes): (Size, usize),
    with_load: bool,
) -> Checked<Coverage> {
    let mut dut = Dut::new(sources, seed);
    let mut rng = dut.rng();
    let mut coverage = Coverage::default();
    let mut model = SlotsModel::new(size.0, size.1, size.2);
    let mut traffic = Traffic::new(bytes, with_load);
    let mut loading = None;
    for _ in 0..8000 {
        let busy = dut.get("busy_o") == 1;
        let slot = model.slot();
        let (inputs, has_wave) = traffic.next(size, (busy, slot.as_ref()), &mut rng);
        drive(&mut dut, &inputs, bytes, &mut rng);
        dut.settle();
        let outputs = model.step(&inputs);
        check(&dut, &outputs)?;
        if loading.is_some() {
            check_mask(&dut, &outputs.mask)?;
        }
        if has_wave && loading.as_ref() != Some(&outputs.mask) {
            return Err(dut.message("entries on the wave with the mask of another command"));
        }
        if with_load {
            coverage.event("entries and a word of the next command", {
                has_wave && inputs.command.is_some()
            });
        }
        if inputs.start {
            loading = Some(outputs.mask.clone());
        }
        watch(&mut coverage, size.1, &traffic.command, &inputs, &outputs);
        dut.clock();
        traffic.word.take_if(|_| outputs.map_ready);
        // Outputs that follow inputs alone are not looked at before the next ones.
        dut.settle();
    }
    Ok(coverage)
}

#[test]
fn loads_are_counted_out_in_lockstep_whatever_waits() {
    run_seeds(|seed| random_loads(&SLOTS_8, seed, (SMALL, WORD), true));
    run_seeds(|seed| random_loads(&SLOTS_8, seed, (SMALL, WORD), false));
    for size in [(16, 4, 40), (5, 1, 1), (20, 2, 33)] {
        let sources = slots(size);
        run_seeds(|seed| random_loads(&sources, seed, (size, WORD), true));
    }
    for size in [(16, 4, 40), (5, 1, 1)] {
        let (lanes, sets, units) = size;
        let sources = emitted(Slots::new(lanes, sets, units, 1));
        run_seeds(|seed| random_loads(&sources, seed, (size, lanes), true));
    }
}

#[test]
fn faults_of_slots_are_noticed() {
    let mutants = r"
        // A set is not waited for.
        heddle_slot_places_r16: begins = asks_q & free_i => begins = asks_q
        // A load that goes on asks for its set.
        heddle_slot_places_r16: (start_i & !load_append) | (asks_q => start_i | (asks_q
        // Chunks of a load begin it again.
        heddle_slot_places_r16: first_q <= next_chunk & load_alternate => first_q <= next_chunk
        // A load that goes on ends.
        heddle_slot_places_r16: ends_chunk & !load_more => ends_chunk
        // A set that does not exist.
        heddle_slot_places_r16: if (set_q == 2'd2) set_q <= 2'd0; =>
        // Rows and columns of a phase are swapped, or one is the other.
        heddle_slot_places_r16: {row_q[1:0], col_q[1:0]} => {col_q[1:0], row_q[1:0]}
        heddle_slot_places_r16: {2'd0, row_q[0], col_q[0]} => {2'd0, col_q[0], col_q[0]}
        // The lists of a phase begin with the last ones of the phase before.
        heddle_slot_places_r16: 4'd9: phase_lists = 9'd144 => 4'd9: phase_lists = 9'd143
        // The second chunk has other rows, columns, lists.
        heddle_slot_places_r16: if (start_i | next_chunk) rows_q => if (start_i) rows_q
        heddle_slot_places_r16: if (start_i | next_row) col_q => if (start_i) col_q
        heddle_slot_places_r16: list_q + load_chunks_step => list_q
        // The first word of the next command is taken.
        heddle_sparse_slots_r16: full_q | (taken & !places_ends) => full_q | taken
        // A cycle between slots.
        heddle_sparse_slots_r16: (!full_q | (taken & !places_ends)) => !full_q
        // A slot whose chunk has not begun.
        heddle_sparse_slots_r16: offers = full_q & places_valid => offers = full_q
        // The second word comes to the first lanes too.
        heddle_sparse_slots_r16: takes_word[0] = takes & !came_q => takes_word[0] = takes
        // The threshold is negative.
        heddle_sparse_slots_r16: > threshold_q => >= threshold_q
        // Lanes that are not loaded have entries.
        heddle_sparse_slots_r16: decoded_nz[i-8] & is_loaded[i] => decoded_nz[i-8]
        heddle_sparse_slots_r16: is_loaded[11] = (loaded_q[2] & => is_loaded[11] = (loaded_q[1] &
        // The mask may change in front of the last entries.
        heddle_sparse_slots_r16: leaves_q[0] | leaves_q[1] => leaves_q[0]
        heddle_sparse_slots_r16: (leaves_q[0] & !slot_ready_i) => 1'b0
        // The mask of other units.
        heddle_sparse_slots_r16: command_data_i[4:0] => command_data_i[5:1]";
    let size = (16, 3, 5);
    let check = |sources: &Sources, seed| random_loads(sources, seed, (size, WORD), true);
    check_mutants(&slots(size), &faults(mutants), check);
}
