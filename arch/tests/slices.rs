//! The options of the sliced memory: defaults, sizes and the rules between them.

use heddle_arch::Params;
use heddle_arch::params::{
    MaskPlace, PackEnd, PackNetwork, ReadOrder, SliceWrite, SlicedMemory, Slices,
};

const TINY: &str = include_str!("../../configs/tiny.json");
const DOCUMENT: &str = include_str!("../../docs/sliced.md");

/// A configuration whose stand-alone memory has these slices.
fn stand_alone(slices: &Slices) -> Params {
    let mut params = Params::from_json(TINY).expect("a preset");
    params.sliced = Some(SlicedMemory {
        words: 64,
        slices: slices.clone(),
    });
    params
}

#[track_caller]
fn check(slices: &Slices, legal: bool) {
    let result = stand_alone(slices).validate();
    assert_eq!(result.is_ok(), legal, "{slices:?}: {result:?}");
}

fn machine(slices: &str) -> Params {
    let from = "{ \"word_bytes\": 8, \"widths\": [4, 4] }";
    assert!(TINY.contains(from));
    Params::from_json(&TINY.replace(from, slices)).unwrap_or_else(|e| panic!("{slices}: {e}"))
}

#[test]
fn widths_alone_give_the_reference_configuration() {
    let params = machine(r#"{ "widths": [4, 4] }"#);
    assert_eq!(params, Params::from_json(TINY).expect("a preset"));
    let slices = &params.state_buffer.slices;
    assert_eq!(*slices, Slices::new(8, 8, vec![4, 4]));
    assert_eq!((slices.units(), slices.threshold()), (8, 4));
    assert_eq!((slices.latency, slices.read_cycles()), (5, 5));
    assert_eq!(slices.mask, MaskPlace::Slice);
    assert!(!slices.plain);
}

#[proves("SPM-42")]
#[test]
fn thresholds_are_0_unless_given() {
    let slices = Slices::new(8, 8, vec![4, 4]);
    assert_eq!((slices.write_threshold, slices.read_threshold), (0, 0));
    let mut lossy = slices;
    for (write, read, legal) in [(7, 7, true), (7, 0, true), (8, 0, false), (2, 3, false)] {
        (lossy.write_threshold, lossy.read_threshold) = (write, read);
        check(&lossy, legal);
    }
}

#[test]
fn all_options_are_read() {
    let params = machine(
        r#"{ "word_bytes": 8, "unit_bits": 4, "widths": [8, 2, 6], "mask": "hybrid", "network":
           "full", "end": "right", "access_threshold": 3 }"#,
    );
    let mut slices = params.state_buffer.slices;
    assert_eq!(slices.read_cycles(), 5);
    // In the stand-alone memory alone.
    slices.read_order = ReadOrder::InTurn;
    let text = serde_json::to_string(&stand_alone(&slices)).expect("JSON");
    let params = Params::from_json(&text).unwrap_or_else(|e| panic!("{e}"));
    let slices = params.sliced.expect("a section").slices;
    assert_eq!((slices.units(), slices.mask_units()), (16, 4));
    assert_eq!((slices.packed_units(), slices.threshold()), (4, 3));
    assert_eq!(slices.end, PackEnd::Right);
    assert_eq!(slices.read_order, ReadOrder::InTurn);
    assert_eq!(slices.read_cycles(), 7);
    let params = machine(r#"{ "widths": [4, 4], "network": "split", "write": "exact" }"#);
    assert_eq!(params.state_buffer.slices.network, PackNetwork::Split);
    assert_eq!(params.state_buffer.slices.write, SliceWrite::Exact);
    assert!(
        machine(r#"{ "widths": [4, 4], "plain": true }"#)
            .state_buffer
            .slices
            .plain
    );
}

#[test]
fn the_stand_alone_memory_is_a_bank_unless_it_has_a_section() {
    let params = Params::from_json(TINY).expect("a preset");
    let bank = params.sliced_memory();
    assert_eq!(
        (bank.words, &bank.slices),
        (256, &params.state_buffer.slices)
    );
    let slices = Slices {
        write_threshold: 3,
        read_threshold: 2,
        latency: 7,
        ..Slices::new(32, 4, vec![32, 31, 1])
    };
    let params = stand_alone(&slices);
    assert_eq!(params.sliced_memory(), SlicedMemory { words: 64, slices });
    let again = Params::from_json(&params.to_json()).expect("own output is valid");
    assert_eq!(again, params);
}

/// The rule of `docs/sliced.md`, word by word.
fn network_is_legal(
    network: PackNetwork,
    widths: &[u32],
    units: u32,
    mask: MaskPlace,
    m: u32,
) -> bool {
    let hybrid = mask == MaskPlace::Hybrid;
    let holds = if hybrid {
        widths[0] as i64 - i64::from(m)
    } else {
        widths[0].into()
    };
    if hybrid && holds < 1 {
        return false;
    }
    let twice_last_out = 2 * i64::from(units - widths[widths.len() - 1]);
    match network {
        PackNetwork::Full => true,
        PackNetwork::Half => 2 * holds >= i64::from(units),
        PackNetwork::Split => {
            2 * holds <= i64::from(units) && (hybrid || twice_last_out <= i64::from(units))
        }
    }
}

#[test]
fn every_division_of_8_units_follows_the_rules() {
    let mut legal = 0;
    for divisions in 1u32..128 {
        // A 1 in the number ends a slice.
        let mut widths = vec![1];
        for position in 0..7 {
            match divisions >> position & 1 {
                1 => widths.push(1),
                _ => *widths.last_mut().expect("not empty") += 1,
            }
        }
        for mask in [MaskPlace::Slice, MaskPlace::Field, MaskPlace::Hybrid] {
            for network in PackNetwork::ALL {
                let slices = Slices {
                    mask,
                    network,
                    ..Slices::new(8, 8, widths.clone())
                };
                let expected = network_is_legal(network, &widths, 8, mask, 1);
                check(&slices, expected);
                if expected {
                    assert!(slices.allows(network), "{slices:?}");
                    legal += 1;
                } else if slices.widths[0] > slices.mask_units() {
                    assert!(!slices.allows(network), "{slices:?}");
                }
            }
        }
    }
    assert!(
        legal > 400 && legal < 127 * 9,
        "{legal} legal of {}",
        127 * 9
    );
}

#[test]
fn the_mask_of_every_unit_size_takes_its_units() {
    for (word_bytes, unit_bits, mask_units) in [
        (4, 4, 2),
        (4, 8, 1),
        (4, 16, 1),
        (8, 4, 4),
        (8, 8, 1),
        (8, 16, 1),
        (8, 32, 1),
        (16, 4, 8),
        (16, 8, 2),
        (32, 4, 16),
        (32, 8, 4),
        (32, 16, 1),
        (32, 32, 1),
    ] {
        let units = word_bytes * 8 / unit_bits;
        for first in 1..units {
            let slices = Slices {
                mask: MaskPlace::Hybrid,
                ..Slices::new(word_bytes, unit_bits, vec![first, units - first])
            };
            assert_eq!(slices.mask_units(), mask_units);
            check(&slices, first > mask_units);
        }
    }
}

#[test]
fn the_access_threshold_is_at_most_what_slice_0_holds() {
    let with = |mask, threshold| Slices {
        mask,
        access_threshold: Some(threshold),
        ..Slices::new(8, 8, vec![6, 2])
    };
    for threshold in 1..=7 {
        check(&with(MaskPlace::Slice, threshold), threshold <= 6);
        check(&with(MaskPlace::Field, threshold), threshold <= 6);
        check(&with(MaskPlace::Hybrid, threshold), threshold <= 5);
    }
    assert_eq!(with(MaskPlace::Slice, 2).threshold(), 2);
}

#[test]
fn exact_writes_need_a_mask_slice() {
    for mask in [MaskPlace::Slice, MaskPlace::Field, MaskPlace::Hybrid] {
        let slices = Slices {
            mask,
            write: SliceWrite::Exact,
            ..Slices::new(8, 8, vec![4, 4])
        };
        check(&slices, mask == MaskPlace::Slice);
    }
}

#[test]
fn the_document_lists_every_option_with_its_default() {
    let slices = Slices::new(8, 8, vec![4, 4]);
    let json = serde_json::to_value(&slices).expect("JSON");
    let options = json.as_object().expect("an object");
    for (name, default) in options {
        if name == "widths" {
            assert!(DOCUMENT.contains("| `widths` | | "));
            continue;
        }
        let plain = format!("| `{name}` | {default} | ");
        let quoted = format!("| `{name}` | `{default}` | ");
        assert!(
            DOCUMENT.contains(&plain) || DOCUMENT.contains(&quoted),
            "{plain}"
        );
    }
    assert_eq!(options.len(), 12);
    assert!(DOCUMENT.contains("| `access_threshold` | F | "));
}
