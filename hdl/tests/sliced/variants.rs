//! Every variant of the sliced memory: a few words of each shape, and traffic at every latency.
//! All ports are compared in every cycle.

use super::bench::{Bench, Random, shape};
use heddle_hdl::sliced::{MaskPlace, Network, SlicedShape};

/// Words of every number of non-zero units, and traffic.
#[track_caller]
fn check(shape: SlicedShape) {
    let mut bench = Bench::new(shape.clone());
    let mut random = Random(shape.latency as u64 + 7);
    for zeros in 0..=shape.units {
        let first = random.below(shape.units as u64) as usize;
        let mut word: Vec<u64> = (0..shape.units)
            .map(|_| random.unit(shape.unit_bits))
            .collect();
        for k in 0..zeros {
            word[(first + k * 5) % shape.units] = 0;
        }
        bench.round_trip(random.below(shape.words as u64), &word);
    }
    Bench::new(shape).traffic(11, 300);
}

#[test]
fn spm_15_spm_20_spm_21_spm_22_spm_24_spm_48_every_latency_and_distance() {
    for latency in 2..=7 {
        for mask in [MaskPlace::Slice, MaskPlace::Field, MaskPlace::Hybrid] {
            check(shape(8, &[4, 4], |s| {
                s.latency = latency;
                s.mask = mask;
            }));
        }
        check(shape(8, &[8], |s| {
            s.latency = latency;
            s.plain = true;
        }));
    }
}

#[test]
fn spm_50_slices_in_turn_at_every_latency() {
    for latency in 2..=7 {
        for mask in [MaskPlace::Slice, MaskPlace::Field, MaskPlace::Hybrid] {
            check(shape(8, &[3, 3, 2], |s| {
                s.latency = latency;
                s.mask = mask;
                s.in_turn = true;
            }));
        }
        check(shape(8, &[3, 5], |s| {
            s.latency = latency;
            s.exact = true;
            s.in_turn = true;
        }));
    }
}

#[test]
fn spm_32_exact_writes_with_every_network_and_latency() {
    for latency in 2..=7 {
        for network in [Network::Full, Network::Half, Network::Split] {
            check(shape(8, &[4, 4], |s| {
                s.latency = latency;
                s.network = network;
                s.exact = true;
            }));
        }
    }
}

#[test]
fn spm_28_spm_29_units_of_every_size() {
    for mask in [MaskPlace::Slice, MaskPlace::Field, MaskPlace::Hybrid] {
        for (bits, widths) in [
            (4, vec![8, 8]),
            (16, vec![2, 2]),
            (16, vec![6, 2]),
            (32, vec![2, 2]),
            (32, vec![3, 5]),
        ] {
            check(shape(8, &widths, |s| {
                s.unit_bits = bits;
                s.mask = mask;
            }));
        }
    }
}

#[test]
fn spm_30_spm_31_any_slices() {
    for widths in [
        vec![1, 7],
        vec![7, 1],
        vec![2, 6],
        vec![2, 2, 4],
        vec![1; 8],
        vec![1, 2, 3, 2],
    ] {
        check(shape(8, &widths, |_| {}));
        check(shape(8, &widths, |s| s.mask = MaskPlace::Field));
    }
    check(shape(8, &[8, 4, 4], |s| s.mask = MaskPlace::Hybrid));
    check(shape(8, &[2, 2], |s| s.latency = 3));
}

#[test]
fn spm_35_spm_36_every_network_with_every_place_of_the_mask() {
    for mask in [MaskPlace::Slice, MaskPlace::Field, MaskPlace::Hybrid] {
        for latency in [2, 6] {
            check(shape(8, &[5, 3], |s| {
                s.mask = mask;
                s.network = Network::Half;
                s.latency = latency;
            }));
            check(shape(8, &[4, 4], |s| {
                s.mask = mask;
                s.network = Network::Split;
                s.latency = latency;
            }));
        }
    }
}

#[test]
fn spm_42_spm_43_thresholds() {
    for latency in [2, 4, 5] {
        for mask in [MaskPlace::Slice, MaskPlace::Field, MaskPlace::Hybrid] {
            for (write, read, access) in [(0, 0, 1), (2, 0, 3), (3, 3, 2), (6, 1, 3)] {
                check(shape(8, &[4, 2, 2], |s| {
                    s.latency = latency;
                    s.mask = mask;
                    s.write_threshold = write;
                    s.read_threshold = read;
                    s.access_threshold = access;
                }));
            }
        }
    }
    // Slice a of 6 bytes, threshold 2: slice b is enabled although it is empty.
    check(shape(8, &[6, 2], |s| s.access_threshold = 2));
    check(shape(8, &[6, 2], |s| {
        s.access_threshold = 2;
        s.exact = true;
    }));
}

#[test]
fn spm_44_packed_to_the_right() {
    for latency in [2, 7] {
        for mask in [MaskPlace::Slice, MaskPlace::Field, MaskPlace::Hybrid] {
            for network in [Network::Full, Network::Half, Network::Split] {
                let widths: &[usize] = match (mask, network) {
                    (MaskPlace::Hybrid, Network::Half) => &[5, 3],
                    _ => &[4, 4],
                };
                check(shape(8, widths, |s| {
                    s.latency = latency;
                    s.mask = mask;
                    s.network = network;
                    s.right = true;
                }));
            }
        }
        check(shape(8, &[4, 4], |s| {
            s.latency = latency;
            s.exact = true;
            s.right = true;
        }));
        check(shape(8, &[8], |s| {
            s.latency = latency;
            s.plain = true;
            s.right = true;
        }));
    }
}

#[test]
fn spm_45_address_bits_above_the_words_are_ignored() {
    for latency in [2, 7] {
        for plain in [false, true] {
            let mut bench = Bench::new(shape(8, &[4, 4], |s| {
                s.latency = latency;
                s.plain = plain;
            }));
            let word = [0, 2, 0, 4, 5, 6, 7, 8];
            bench.cycle(Some((0x1003, &word)), Some(0x0ffb));
            bench.drain();
        }
    }
}
