//! The sliced-memory models against the worked tables.

use heddle_sim::sliced::packing::{enables, mask, mask_number, pack, pop, unpack};
use heddle_sim::sliced::reference::{NOT_READ, STALE};
use heddle_sim::sliced::vectors::{WORDS, word, word_with_mask};
use heddle_sim::sliced::{Accesses, SlicedInputs, SlicedModel, SlicedReference};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

#[test]
fn four_byte_word_keeps_its_order() {
    let word = [0xa1, 0, 0, 0xa4];
    assert_eq!(mask_number(&mask(&word)), 0b1001);
    assert_eq!(pack(&word), [0xa1, 0xa4, 0, 0]);
}

#[test]
fn fifteen_bytes_fill_two_slices_of_ten() {
    let word = [
        1, 2, 3, 0, 5, 6, 7, 0, 9, 10, 11, 0, 13, 14, 15, 0, 17, 18, 0, 20,
    ];
    let mut memory = SlicedReference::new(&[10, 10]);
    assert_eq!(memory.write(0, &word).slices, [true, true]);
    assert_eq!(mask_number(&mask(&word)), 0xeeeed);
    assert_eq!(memory.slice(0, 0), [1, 2, 3, 5, 6, 7, 9, 10, 11, 13]);
    assert_eq!(memory.slice(1, 0), [14, 15, 17, 18, 20, 0, 0, 0, 0, 0]);
    assert_eq!(memory.read(0).0, word);
}

#[test]
fn reference_reproduces_the_table_of_words() {
    for row in WORDS {
        let mut memory = SlicedReference::new(&[4, 4]);
        let bytes = row.word.to_be_bytes();
        let touched = memory.write(3, &bytes);
        assert_eq!(touched.slices, [row.a.is_some(), row.b.is_some()]);
        assert_eq!(mask_number(&mask(&bytes)), u64::from(row.mask));
        assert_eq!(pop(&mask(&bytes)), row.pop);
        for (slice, content) in [row.a, row.b].into_iter().enumerate() {
            let expected = content.map_or(vec![STALE; 4], |c| c.to_be_bytes().to_vec());
            assert_eq!(memory.slice(slice, 3), expected);
        }
        assert_eq!(memory.read(3), (bytes.to_vec(), touched));
    }
}

#[test]
fn stale_bytes_never_appear() {
    let mut memory = SlicedReference::new(&[4, 4]);
    memory.write(5, &word(9).to_be_bytes());
    memory.write(5, &word(4).to_be_bytes());
    assert_eq!(memory.slice(1, 5), [0x55, 0x66, 0x77, 0x88]);
    assert_eq!(memory.read(5).0, word(4).to_be_bytes());
    memory.write(5, &word(1).to_be_bytes());
    assert_eq!(memory.slice(0, 5), [0x11, 0x33, 0x66, 0]);
    assert_eq!(memory.read(5).0, [0; 8]);
    memory.write(5, &word(7).to_be_bytes());
    assert_eq!(memory.read(5).0, word(7).to_be_bytes());
}

#[test]
fn three_slices_are_enabled_by_the_bytes_before_them() {
    let cases = [
        (1, "000"),
        (2, "100"),
        (4, "110"),
        (5, "110"),
        (7, "111"),
        (9, "111"),
    ];
    for (row, expected) in cases {
        let count = WORDS[row - 1].pop;
        let shown: String = enables(count, &[2, 2, 4])
            .iter()
            .map(|e| if *e { '1' } else { '0' })
            .collect();
        assert_eq!(shown, expected, "row {row}");
    }
}

#[test]
fn every_mask_and_every_division_returns_the_word() {
    for first in 1..=7 {
        for m in 0..=255 {
            let bytes = word_with_mask(m, m).to_be_bytes();
            let mut memory = SlicedReference::new(&[first, 8 - first]);
            memory.write(0, &bytes);
            assert_eq!(memory.read(0).0, bytes);
            let mut packed = pack(&bytes);
            packed[pop(&mask(&bytes))..].fill(NOT_READ);
            assert_eq!(unpack(&packed, &mask(&bytes)), bytes);
        }
    }
}

#[test]
fn all_masks_need_256_255_and_93_accesses() {
    let mut model = SlicedModel::new(256, 4);
    let mut counts = [0; 6];
    let mut run = |inputs: SlicedInputs| {
        let Accesses {
            mask_read,
            mask_write,
            a_read,
            a_write,
            b_read,
            b_write,
        } = model.step(&inputs).accesses;
        let seen = [mask_write, a_write, b_write, mask_read, a_read, b_read];
        for (count, access) in counts.iter_mut().zip(seen) {
            *count += u32::from(access);
        }
    };
    for m in 0..=255_u8 {
        run(SlicedInputs {
            write: Some((m.into(), word_with_mask(m, 1))),
            read: None,
        });
    }
    for m in 0..=255_u8 {
        run(SlicedInputs {
            write: None,
            read: Some(m.into()),
        });
    }
    run(SlicedInputs::default());
    assert_eq!(counts, [256, 255, 93, 256, 255, 93]);
}

#[test]
fn clocked_model_follows_the_cycle_table() {
    let write = |number| SlicedInputs {
        write: Some((5, word(number))),
        read: None,
    };
    let read = SlicedInputs {
        write: None,
        read: Some(5),
    };
    let idle = SlicedInputs::default();
    let commands = [write(9), read, write(4), read, write(1), read, idle, idle];
    // (mask, a, b) accesses of any kind, then the word read.
    let expected = [
        ([true, false, false], None),
        ([true, true, true], None),
        ([true, true, true], None),
        ([true, true, false], Some(word(9))),
        ([true, true, false], None),
        ([true, false, false], Some(word(4))),
        ([false, false, false], None),
        ([false, false, false], Some(0)),
    ];
    let mut model = SlicedModel::new(8, 4);
    for (cycle, (command, (accesses, rdata))) in commands.iter().zip(expected).enumerate() {
        let seen = model.step(command);
        let a = seen.accesses;
        assert_eq!(
            [
                a.mask_read | a.mask_write,
                a.a_read | a.a_write,
                a.b_read | a.b_write
            ],
            accesses,
            "cycle {cycle}"
        );
        assert_eq!(seen.rdata, rdata, "cycle {cycle}");
    }
}

#[test]
fn clocked_model_agrees_with_the_slices() {
    let mut rng = ChaCha8Rng::seed_from_u64(2);
    let mut model = SlicedModel::new(4, 3);
    let mut reference = SlicedReference::new(&[3, 5]);
    for address in 0..4 {
        model.step(&SlicedInputs {
            write: Some((address, 0)),
            read: None,
        });
        reference.write(address.into(), &[0; 8]);
    }
    let mut expected = [None, None];
    for _ in 0..3000 {
        let mut inputs = SlicedInputs::default();
        if rng.random_bool(0.6) {
            let data = word_with_mask(rng.random(), rng.random());
            let address = rng.random_range(0..4);
            inputs.write = Some((address, data));
            reference.write(address.into(), &data.to_be_bytes());
        }
        let mut word = None;
        if rng.random_bool(0.6) {
            let address = rng.random_range(0..4_u16);
            inputs.read = Some(address);
            word = Some(reference.read(address.into()).0);
        }
        let seen = model.step(&inputs).rdata.map(|w| w.to_be_bytes().to_vec());
        assert_eq!(seen, expected[0]);
        expected = [expected[1].take(), word];
    }
}
