//! The clocked sliced memory against the cycle table and the untimed one.

use super::even;
use heddle_sim::sliced::packing;
use heddle_sim::sliced::vectors::{masked_word, word};
use heddle_sim::sliced::{
    Accesses, MaskPlace, Network, SliceLayout, SlicedInputs, SlicedModel, SlicedOutputs,
    SlicedReference, Word,
};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

const IDLE: SlicedInputs = SlicedInputs {
    write: None,
    read: None,
};

fn write(address: u16, word: Word) -> SlicedInputs {
    SlicedInputs {
        write: Some((address, word)),
        read: None,
    }
}

fn read(address: u16) -> SlicedInputs {
    SlicedInputs {
        read: Some(address),
        ..IDLE
    }
}

/// Cycles of a lone request: (mask, data slices, word); none where nothing is accessed.
#[derive(Debug, PartialEq, Eq)]
struct Times {
    mask: Option<usize>,
    slices: Vec<Option<usize>>,
    word: Option<usize>,
}

fn times(layout: &SliceLayout, command: SlicedInputs) -> Times {
    let mut model = SlicedModel::new(layout);
    let dense = masked_word(layout, u64::MAX >> (64 - layout.units), 1);
    model.step(&write(0, dense));
    for _ in 0..20 {
        model.step(&IDLE);
    }
    let commands = std::iter::once(command).chain([IDLE; 20]);
    let seen: Vec<SlicedOutputs> = commands.map(|c| model.step(&c)).collect();
    let first = |access: &dyn Fn(&SlicedOutputs) -> bool| {
        let cycles: Vec<usize> = (0..seen.len()).filter(|t| access(&seen[*t])).collect();
        assert!(cycles.len() < 2, "{cycles:?}");
        cycles.first().copied()
    };
    let slice = |k: usize| first(&|o| o.accesses.reads(k) | o.accesses.writes(k));
    Times {
        mask: first(&|o| o.accesses.mask_read | o.accesses.mask_write),
        slices: (0..layout.slices()).map(slice).collect(),
        word: first(&|o| o.rdata.is_some()),
    }
}

/// Latency, cycle of the mask, cycle of the data slices: the table of the document.
const LATENCIES: [(usize, usize, usize); 6] = [
    (2, 0, 1),
    (3, 0, 2),
    (4, 0, 2),
    (5, 1, 3),
    (6, 1, 4),
    (7, 1, 4),
];

#[proves("SPM-15", "SPM-20", "SPM-21")]
#[test]
fn every_latency_has_its_cycles() {
    for (latency, mask, data) in LATENCIES {
        for (place, plain) in [
            (MaskPlace::Slice, false),
            (MaskPlace::Field, false),
            (MaskPlace::Hybrid, false),
            (MaskPlace::Slice, true),
        ] {
            let layout = SliceLayout {
                latency,
                plain,
                ..SliceLayout::new(16, [3, 2, 3]).with_mask(place)
            };
            let own = place == MaskPlace::Slice && !plain;
            let first = if plain || own { data } else { mask };
            let mut expected = Times {
                mask: own.then_some(mask),
                slices: vec![Some(first), Some(data), Some(data)],
                word: Some(latency),
            };
            if plain {
                expected.slices.truncate(1);
            }
            assert_eq!(times(&layout, read(0)), expected, "{layout:?}");
            expected.word = None;
            let dense = masked_word(&layout, 0xff, 2);
            assert_eq!(times(&layout, write(1, dense)), expected, "{layout:?}");
        }
    }
}

#[proves("SPM-50")]
#[test]
fn slices_in_turn_are_accessed_one_cycle_after_another() {
    for (latency, mask, data) in LATENCIES {
        for place in [MaskPlace::Slice, MaskPlace::Field, MaskPlace::Hybrid] {
            let layout = SliceLayout {
                latency,
                in_turn: true,
                ..SliceLayout::new(16, [3, 2, 3]).with_mask(place)
            };
            let own = place == MaskPlace::Slice;
            let first = if own { data } else { mask };
            let expected = Times {
                mask: own.then_some(mask),
                slices: vec![Some(first), Some(data + 1), Some(data + 2)],
                word: Some(latency + 2),
            };
            assert_eq!(times(&layout, read(0)), expected, "{layout:?}");
        }
    }
}

/// Layouts of many kinds.
fn variants() -> Vec<SliceLayout> {
    let even = even();
    let wide = |units: usize, unit_bits| SliceLayout {
        unit_bits,
        ..SliceLayout::new(16, [units / 2, units / 4, units / 4])
    };
    let mut all = vec![
        even.clone(),
        even.clone().with_mask(MaskPlace::Field),
        even.clone().with_mask(MaskPlace::Hybrid),
        wide(64, 4),
        wide(32, 8).with_mask(MaskPlace::Field),
        wide(8, 16).with_mask(MaskPlace::Hybrid),
        wide(4, 32),
        SliceLayout::new(16, [1; 8]),
        SliceLayout {
            plain: true,
            ..even.clone()
        },
        SliceLayout {
            write_threshold: 2,
            read_threshold: 1,
            ..even.clone()
        },
        SliceLayout {
            access_threshold: 2,
            exact: true,
            ..SliceLayout::new(16, [6, 2])
        },
    ];
    for network in [Network::Half, Network::Split] {
        all.push(SliceLayout {
            network,
            exact: true,
            right: true,
            ..even.clone()
        });
    }
    let turns = all.clone().into_iter().map(|layout| SliceLayout {
        in_turn: true,
        ..layout
    });
    all.extend(turns.collect::<Vec<_>>());
    all
}

/// Random traffic on few words: words, masks and totals of model and rows agree.
fn check_traffic(layout: &SliceLayout, seed: u64) {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut model = SlicedModel::new(layout);
    let mut reference = SlicedReference::new(layout);
    let all = u64::MAX >> (64 - layout.units);
    let mut words = Vec::new();
    let mut seen = Vec::new();
    for cycle in 0..600_u16 {
        let mut inputs = IDLE;
        if cycle < 4 || rng.random_bool(0.6) {
            let address = match cycle {
                0..4 => cycle,
                _ => rng.random_range(0..4),
            };
            let mask = match rng.random_range(0..3) {
                0 => rng.random::<u64>() & rng.random::<u64>(),
                1 => rng.random::<u64>() | rng.random::<u64>(),
                _ => rng.random(),
            };
            let data = masked_word(layout, mask & all, rng.random());
            // Address bits above those of the 16 words are ignored.
            inputs.write = Some((address | rng.random_range(0..8) << 4, data));
            reference.write(address.into(), data);
        }
        if cycle >= 4 && rng.random_bool(0.6) {
            let address = rng.random_range(0..4);
            inputs.read = Some(address);
            words.push(reference.read(address.into()).0);
        }
        seen.push(model.step(&inputs));
    }
    seen.extend((0..20).map(|_| model.step(&IDLE)));
    let answers: Vec<Word> = seen.iter().filter_map(|o| o.rdata).collect();
    assert_eq!(answers, words, "seed {seed}, {layout:?}");
    for outputs in &seen {
        let mask = outputs.rdata.map_or(0, |word| layout.mask_of(word));
        assert_eq!(outputs.rmask, mask, "seed {seed}, {layout:?}");
        // Lanes lie in slices that are written.
        let lanes = outputs.accesses.lanes & !layout.positions(outputs.accesses.slice_writes);
        assert_eq!(lanes, 0, "seed {seed}, {layout:?}");
    }
    let counts = [model.counts(), reference.counts()];
    assert_eq!(counts[0], counts[1], "seed {seed}, {layout:?}");
}

#[proves("SPM-18", "SPM-22", "SPM-27", "SPM-50", "SPM-51")]
#[test]
fn model_agrees_with_the_rows_of_the_slices() {
    for layout in variants() {
        for latency in 2..=7 {
            let layout = SliceLayout {
                latency,
                ..layout.clone()
            };
            check_traffic(&layout, 7 + latency as u64);
        }
    }
}

#[proves("SPM-48")]
#[test]
fn write_and_read_of_one_word_in_one_cycle_return_the_new_word() {
    for layout in variants() {
        let mut model = SlicedModel::new(&layout);
        let dense = u64::MAX >> (64 - layout.units);
        let old = masked_word(&layout, dense, 1);
        let new = masked_word(&layout, dense >> 1, 2);
        model.step(&write(3, old));
        let both = SlicedInputs {
            write: Some((3, new)),
            read: Some(3),
        };
        let commands = [read(3), both, read(3)].into_iter().chain([IDLE; 20]);
        let words: Vec<Word> = commands.filter_map(|c| model.step(&c).rdata).collect();
        assert_eq!(words, [old, new, new], "{layout:?}");
    }
}

#[proves("SPM-32")]
#[test]
fn lanes_of_exact_writes_come_with_their_slices() {
    let layout = SliceLayout {
        exact: true,
        in_turn: true,
        network: Network::Split,
        ..even()
    };
    let mut model = SlicedModel::new(&layout);
    let commands = [write(0, Word::from(word(8)))].into_iter().chain([IDLE; 3]);
    let seen: Vec<Accesses> = commands.map(|c| model.step(&c).accesses).collect();
    // Packed by halves: 22 33 00 00 / 55 66 77 00.
    let lanes: Vec<(u8, u64)> = seen.iter().map(|a| (a.slice_writes, a.lanes)).collect();
    assert_eq!(lanes, [(0, 0), (0b01, 0x03), (0b10, 0x70), (0, 0)]);
    assert_eq!(packing::lanes(0b0111_0110, 8, Network::Split), 0x73);
}
