//! From a stream of bytes to slots: what a load brings, clock by clock.

use heddle_hdl::sparse::Load;
use heddle_sim::sparse::Slot;
use heddle_tb::verilate::Sources;
use rand_chacha::ChaCha8Rng;

use super::commands::set_command;
use super::load::drive as drive_slot;
use super::slots::{Command, ENTRIES, SLOTS_8, slots};
use crate::rtl::{Dut, emitted};

/// A load whose stream and slots never wait.
struct Run {
    /// Slots, and the cycle in which each is taken; the start has cycle 0.
    slots: Vec<(usize, Slot)>,
    /// Cycle and set of each chunk that begins.
    begins: Vec<(usize, usize)>,
    /// Words of the stream.
    words: usize,
    /// The first cycle in which it is not busy.
    end: usize,
}

impl Run {
    fn places<T>(&self, of: impl Fn(&Slot) -> T) -> Vec<T> {
        self.slots.iter().map(|(_, slot)| of(slot)).collect()
    }
}

/// Gives a command, a word in each cycle.
fn give(dut: &mut Dut, command: &Command, rng: &mut ChaCha8Rng) {
    for word in (1..).zip(command.words()) {
        set_command(dut, (Some(word), false), rng);
        dut.clock();
    }
}

/// Carries out a command with bytes 1, 2, ...; a set is free from some cycle on.
fn run(sources: &Sources, command: &Command, free: impl Fn(usize, usize) -> bool) -> Run {
    let mut dut = Dut::new(sources, 1);
    let mut rng = dut.rng();
    give(&mut dut, command, &mut rng);
    let mut run = Run {
        slots: Vec::new(),
        begins: Vec::new(),
        words: 0,
        end: 0,
    };
    for cycle in 0..1000 {
        set_command(&mut dut, (None, cycle == 0), &mut rng);
        let first = 8 * run.words as u64 + 1;
        let bytes = [0, 1, 2, 3, 4, 5, 6, 7].map(|byte| (first + byte) as u8);
        dut.set("map_valid_i", true);
        dut.set("map_data_i", u64::from_le_bytes(bytes));
        dut.set("slot_ready_i", true);
        dut.settle();
        let set = dut.get("set_o") as usize;
        dut.set("free_i", free(cycle, set));
        dut.settle();
        run.words += dut.get("map_ready_o") as usize;
        if dut.get("begins_o") == 1 {
            run.begins.push((cycle, set));
        }
        if dut.get("slot_valid_o") == 1 {
            run.slots.push((cycle, offered(&dut, command.lanes)));
        }
        if cycle > 0 && dut.get("busy_o") == 0 {
            run.end = cycle;
            return run;
        }
        dut.clock();
    }
    panic!("{}", dut.message("still busy"));
}

/// The slot at the outputs.
fn offered(dut: &Dut, lanes: usize) -> Slot {
    let lane = |lane| {
        let value = dut.get_element("slot_value_o", lane, lanes) as i32;
        let has = dut.get_element("slot_nz_o", lane, lanes) == 1;
        has.then_some((value ^ 256) - 256)
    };
    Slot {
        row: dut.get("slot_row_o") as i32,
        col: dut.get("slot_col_o") as i32,
        list: dut.get("slot_list_o") as usize,
        first: dut.get("slot_first_o") == 1,
        last: dut.get("slot_last_o") == 1,
        set: dut.get("slot_set_o") as usize,
        lanes: (0..lanes).map(lane).collect(),
    }
}

/// A map of 3 rows and 4 columns with a ring of zeros around it.
fn padded() -> Command {
    Command {
        list: 40,
        lanes: 8,
        threshold: 127,
        first: (1, 1),
        size: (3, 4),
        chunks: 1,
        step: 8,
        ..Command::default()
    }
}

#[proves("FSA-14", "FSA-15")]
#[test]
fn the_ring_of_zeros_has_no_slot() {
    let run = run(&SLOTS_8, &padded(), |_, _| true);
    let places: Vec<(i32, i32)> = (1..=3)
        .flat_map(|row| (1..=4).map(move |col| (row, col)))
        .collect();
    assert_eq!(run.places(|slot| (slot.row, slot.col)), places);
    assert_eq!(run.words, 12);
    // Bytes 1 to 96 are positive, and none is zero.
    let values = run.places(|slot| slot.lanes.clone()).concat();
    assert_eq!(values, (1..=96).map(Some).collect::<Vec<_>>());
    assert!(run.places(|slot| slot.list).iter().all(|list| *list == 40));
}

#[proves("FSA-86")]
#[test]
fn a_stride_makes_a_map_of_each_phase_with_lists_of_its_own() {
    for stride in [1, 2] {
        let command = Command {
            stride,
            list: 500,
            first: (1, 3),
            size: (5, 6),
            ..padded()
        };
        let run = run(&SLOTS_8, &command, |_, _| true);
        let step = 1 << stride;
        let position = |slot: &Slot| {
            let phase = (slot.list as i32 - 500).rem_euclid(512) / 8;
            let within = (phase / step, phase % step);
            (slot.row * step + within.0, slot.col * step + within.1)
        };
        let map: Vec<(i32, i32)> = (1..6)
            .flat_map(|row| (3..9).map(move |col| (row, col)))
            .collect();
        assert_eq!(run.places(position), map);
    }
}

#[test]
fn a_chunk_that_alternates_waits_for_its_set_with_one_slot_read_ahead() {
    let command = Command {
        set: 1,
        alternate: true,
        chunks: 4,
        size: (1, 2),
        ..padded()
    };
    // Set 2 becomes free in cycle 10, the others are.
    let run = run(&SLOTS_8, &command, |cycle, set| set != 2 || cycle >= 10);
    assert_eq!(run.begins, [(1, 1), (10, 2), (13, 0), (16, 1)]);
    let cycles: Vec<usize> = run.slots.iter().map(|(cycle, _)| *cycle).collect();
    assert_eq!(cycles, [2, 3, 11, 12, 14, 15, 17, 18]);
    assert_eq!(run.places(|slot| slot.set), [1, 1, 2, 2, 0, 0, 1, 1]);
    assert_eq!(
        run.places(|slot| slot.list),
        [40, 40, 48, 48, 56, 56, 64, 64]
    );
    assert_eq!(run.places(|slot| slot.first), [true, false].repeat(4));
    assert_eq!(run.places(|slot| slot.last), [false, true].repeat(4));
}

#[test]
fn append_and_more_leave_the_ends_of_a_load_away() {
    let ends = |append, more, alternate| {
        let command = Command {
            append,
            more,
            alternate,
            chunks: 2,
            size: (1, 2),
            ..padded()
        };
        let run = run(&SLOTS_8, &command, |_, _| true);
        let is = |flags: Vec<bool>| flags.into_iter().map(u8::from).collect::<Vec<u8>>();
        (
            run.begins.len(),
            is(run.places(|slot| slot.first)),
            is(run.places(|slot| slot.last)),
        )
    };
    let (none, both) = (vec![0, 0, 0, 0], vec![0, 1, 0, 1]);
    let (front, back) = (vec![1, 0, 0, 0], vec![0, 0, 0, 1]);
    assert_eq!(ends(false, false, false), (1, front.clone(), back.clone()));
    assert_eq!(ends(true, false, false), (0, none.clone(), back));
    assert_eq!(ends(false, true, false), (1, front, none.clone()));
    assert_eq!(ends(true, true, false), (0, none.clone(), none));
    assert_eq!(
        ends(false, false, true),
        (2, vec![1, 0, 1, 0], both.clone())
    );
    assert_eq!(ends(true, false, true), (1, vec![0, 0, 1, 0], both));
    assert_eq!(
        ends(true, true, true),
        (1, vec![0, 0, 1, 0], vec![0, 1, 0, 0])
    );
}

#[test]
fn a_load_takes_a_cycle_for_each_word_and_for_each_set_but_the_first() {
    for (lanes, alternate, append) in [
        (8, false, false),
        (8, true, false),
        (8, true, true),
        (16, false, false),
        (16, true, false),
    ] {
        let command = Command {
            alternate,
            append,
            lanes,
            chunks: 3,
            ..padded()
        };
        let run = run(&slots((lanes, 3, 5)), &command, |_, _| true);
        let words = lanes / 8;
        let sets = if alternate && words == 1 { 2 } else { 0 };
        let slots = 3 * 12;
        assert_eq!((run.slots.len(), run.words), (slots, slots * words));
        assert_eq!(run.slots[0].0, words + 1);
        let last = slots * words + 1 + sets;
        assert_eq!(run.slots[slots - 1].0, last);
        assert_eq!(run.end, last + 3);
    }
}

/// What comes for the next command may change the mask: a [`Load`] has its last entries on the wave.
#[test]
fn busy_falls_with_the_last_entries_on_the_wave() {
    let sources = emitted(Load::new(8, ENTRIES));
    for entries in 1..=8 {
        let mut dut = Dut::new(&SLOTS_8, 1);
        let mut load = Dut::new(&sources, 1);
        let mut rng = dut.rng();
        let command = Command {
            lanes: entries,
            ..padded()
        };
        give(&mut dut, &command, &mut rng);
        let ends = (0..100).find(|cycle| {
            set_command(&mut dut, (None, *cycle == 0), &mut rng);
            dut.set("map_valid_i", true);
            dut.set("map_data_i", 0x0101_0101_0101_0101_u64);
            dut.set("free_i", true);
            dut.set("slot_ready_i", load.get("slot_ready_o"));
            dut.settle();
            let slot = (dut.get("slot_valid_o") == 1).then(|| offered(&dut, 8));
            drive_slot(&mut load, slot.as_ref(), 8, &mut rng);
            load.settle();
            let is_last = load.get("load_last_o") == 1;
            assert_eq!(is_last, *cycle > 0 && dut.get("busy_o") == 0);
            dut.clock();
            load.clock();
            load.settle();
            is_last
        });
        // The first slot is taken in cycle 2.
        assert_eq!(ends, Some(12 * entries.div_ceil(ENTRIES) + 4));
    }
}
