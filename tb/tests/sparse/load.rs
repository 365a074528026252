//! From slots to entries: random slots in lockstep with the clocked model.

use std::sync::LazyLock;

use heddle_hdl::sparse::Load;
use heddle_sim::sparse::{LoadModel, Slot};
use heddle_tb::verilate::Sources;
use rand::Rng;
use rand_chacha::ChaCha8Rng;

use crate::rtl::{Checked, Coverage, Dut, check_mutants, emitted, faults, run_seeds};

/// Lanes of a slot, and entries of the wave.
type Size = (usize, usize);

static LOAD_8: LazyLock<Sources> = LazyLock::new(|| emitted(Load::new(8, 2)));

/// Slots of a load, one after the other.
struct Traffic {
    /// The next slot begins a load.
    first: bool,
    /// Share of values that are entries, and of cycles with a slot.
    share: f64,
    offered: f64,
}

impl Traffic {
    fn next(&mut self, lanes: usize, rng: &mut ChaCha8Rng) -> Slot {
        let mut slot = random_slot(lanes, self.share, rng);
        slot.first = self.first;
        slot.last = rng.random_bool(0.2);
        self.first = slot.last;
        if slot.last {
            self.share = f64::from(rng.random_range(0..=10)) / 10.0;
            self.offered = rng.random_range(0.2..=1.0);
        }
        slot
    }
}

fn random_slot(lanes: usize, share: f64, rng: &mut ChaCha8Rng) -> Slot {
    let mut lane = |_| {
        let value = rng.random_range(-256..256);
        Some(value).filter(|_| rng.random_bool(share))
    };
    Slot {
        lanes: (0..lanes).map(&mut lane).collect(),
        row: rng.random_range(0..256),
        col: rng.random_range(0..256),
        list: rng.random_range(0..512),
        first: rng.random(),
        last: rng.random(),
        set: rng.random_range(0..4),
    }
}

/// Offers a slot, or anything that is none.
pub(super) fn drive(dut: &mut Dut, slot: Option<&Slot>, lanes: usize, rng: &mut ChaCha8Rng) {
    dut.set("slot_valid_i", slot.is_some());
    let any = random_slot(lanes, 0.5, rng);
    let slot = slot.unwrap_or(&any);
    dut.set("slot_row_i", slot.row as u64);
    dut.set("slot_col_i", slot.col as u64);
    dut.set("slot_list_i", slot.list as u64);
    dut.set("slot_first_i", slot.first);
    dut.set("slot_last_i", slot.last);
    dut.set("slot_set_i", slot.set as u64);
    let nz = slot.lanes.iter().map(|lane| u64::from(lane.is_some()));
    dut.set_all("slot_nz_i", nz);
    // The value of a lane without an entry does not matter.
    let values: Vec<i32> = slot
        .lanes
        .iter()
        .map(|lane| lane.unwrap_or_else(|| rng.random()))
        .collect();
    dut.set_all("slot_value_i", values.iter().map(|value| *value as u64));
}

fn random_slots(sources: &Sources, seed: u64, (lanes, size): Size) -> Checked<Coverage> {
    let mut dut = Dut::new(sources, seed);
    let mut model = LoadModel::new(size);
    let mut rng = dut.rng();
    let mut coverage = Coverage::default();
    let mut traffic = Traffic {
        first: true,
        share: 0.5,
        offered: 1.0,
    };
    let (mut slot, mut taken_before) = (None, false);
    for _ in 0..6000 {
        if slot.is_none() && rng.random_bool(traffic.offered) {
            slot = Some(traffic.next(lanes, &mut rng));
        }
        drive(&mut dut, slot.as_ref(), lanes, &mut rng);
        dut.settle();
        let outputs = model.step(slot.as_ref());
        dut.check("slot_ready_o", outputs.ready)?;
        dut.check("load_valid_o", outputs.wave.is_some())?;
        if let Some(wave) = &outputs.wave {
            dut.check("load_count_o", wave.entries.len() as u64)?;
            dut.check("load_row_o", wave.row as u64)?;
            dut.check("load_col_o", wave.col as u64)?;
            dut.check("load_set_o", wave.set as u64)?;
            dut.check("load_first_o", wave.first)?;
            dut.check("load_last_o", wave.last)?;
            for (at, entry) in wave.entries.iter().enumerate() {
                dut.check_element("load_value_o", at, size, entry.value as u64)?;
                dut.check_element("load_list_o", at, size, entry.channel as u64)?;
            }
            coverage.event("begins without an entry", {
                wave.first && wave.entries.is_empty()
            });
            coverage.event("ends without an entry", {
                wave.last && wave.entries.is_empty()
            });
            coverage.event("begins and ends in one clock", wave.first && wave.last);
        }
        dut.clock();

        coverage.event("slot that waits", slot.is_some() && !outputs.ready);
        let taken = slot.take_if(|_| outputs.ready);
        if let Some(slot) = &taken {
            let count = slot.lanes.iter().flatten().count();
            coverage.event("no entry, in a load", {
                count == 0 && !slot.first && !slot.last
            });
            coverage.event("as many as the wave carries", count == size);
            coverage.event("one more than the wave carries", count == size + 1);
            coverage.event("entries in all lanes", count == lanes);
            coverage.event("lists that wrap", slot.list + lanes > 512);
            coverage.event("entries of value 0", slot.lanes.contains(&Some(0)));
            coverage.event("slots in a row", taken_before);
        }
        taken_before = taken.is_some();
    }
    Ok(coverage)
}

#[test]
fn slots_become_entries_without_zeros_and_without_a_gap() {
    run_seeds(|seed| random_slots(&LOAD_8, seed, (8, 2)));
    for (lanes, size) in [(16, 4), (5, 1)] {
        let sources = emitted(Load::new(lanes, size));
        run_seeds(|seed| random_slots(&sources, seed, (lanes, size)));
    }
}

#[test]
fn faults_of_load_are_noticed() {
    let mutants = r"
        // The last entry is lost when it is one more than the wave carries.
        heddle_sparse_load_r8: more = counted_3_2_7 => more = counted_3_2_6
        // Entries come in another order.
        heddle_sparse_load_r8: pick_pick[8*i+:8] => pick_pick[8*(1-i)+:8]
        // Entries come again.
        heddle_sparse_load_r8: rest_q[i] & below[i+9] => rest_q[i]
        // A load begins with all entries of its first slot, or ends with all of its last one.
        heddle_sparse_load_r8: first_q <= ends & slot_first_i => if (ends) first_q <= slot_first_i
        heddle_sparse_load_r8: last_q & !more => last_q
        // A load without a last entry does not end.
        heddle_sparse_load_r8: | first_q | last_q => | first_q
        // A slot without entries is seen.
        heddle_sparse_load_r8: busy_q & (below[8] | first_q | last_q) => busy_q
        // Lanes have lists of their own only up to a sum of 255.
        heddle_sparse_load_r8: list_q[8:0] <= picked_list_q => list_q[8:0] <= {1'b0, picked_list_q[7:0]}
        // The value of another lane.
        heddle_load_pick_r8: value_i[44:36] => value_i[53:45]";
    let check = |sources: &Sources, seed| random_slots(sources, seed, (8, 2));
    check_mutants(&LOAD_8, &faults(mutants), check);
}
