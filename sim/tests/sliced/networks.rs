//! Packing networks.

use super::{ALL_NETWORKS, even};
use heddle_sim::sliced::packing::{lanes, mask, mask_number, pack, places, pop, unpack};
use heddle_sim::sliced::reference::NOT_READ;
use heddle_sim::sliced::vectors::{FOUR_BYTES, NETWORKS, masked_word, word};
use heddle_sim::sliced::{Network, SliceLayout};
use std::collections::BTreeSet;

#[proves("SPM-07", "SPM-08")]
#[test]
fn four_byte_word_keeps_its_order() {
    let (word, packed) = FOUR_BYTES;
    assert_eq!(mask_number(&mask(&word)), 0b1001);
    assert_eq!(pop(&mask(&word)), 2);
    assert_eq!(pack(&word, Network::Full), packed);
}

#[proves("SPM-34")]
#[test]
fn order_of_the_zero_units_does_not_change_what_is_read() {
    for m in 0..256 {
        let units = even().by_position(masked_word(&even(), m, m));
        let flags = mask(&units);
        for network in ALL_NETWORKS {
            let arrived = places(&flags, network);
            let mut packed = pack(&units, network);
            for (place, unit) in packed.iter_mut().enumerate() {
                // The lanes without a unit hold the zero bytes, in whatever order, or anything.
                if !arrived.contains(&Some(place)) {
                    assert_eq!(*unit, 0, "mask {m:02x}, place {place}");
                    *unit = u32::from(NOT_READ);
                }
            }
            assert_eq!(unpack(&packed, &flags, network), units, "mask {m:02x}");
        }
    }
}

#[proves("SPM-35", "SPM-36")]
#[test]
fn networks_pack_the_words_of_the_table() {
    for (row, packed) in NETWORKS {
        let bytes = word(row).to_be_bytes();
        for (network, expected) in ALL_NETWORKS.into_iter().zip(packed) {
            let seen = pack(&bytes, network);
            assert_eq!(seen, expected.to_be_bytes(), "row {row}, {network:?}");
            let layout = SliceLayout { network, ..even() };
            assert_eq!(
                layout.needed(pop(&mask(&bytes)), true) > 1,
                row == 7 || row == 8
            );
        }
    }
}

/// Connections (stage, from, to) with different ends, over all masks.
fn connections(units: usize, network: Network) -> BTreeSet<(u8, usize, usize)> {
    let half = units / 2;
    let mut all = BTreeSet::new();
    for m in 0_u64..1 << units {
        let flags: Vec<bool> = (0..units).map(|k| m >> k & 1 == 1).collect();
        let mut ranks = [0, half];
        for (unit, place) in places(&flags, network).into_iter().enumerate() {
            let Some(place) = place else { continue };
            let mut add = |stage, from, to| {
                if from != to {
                    all.insert((stage, from, to));
                }
            };
            if network == Network::Split {
                // First within the half, then behind the other half.
                let side = &mut ranks[usize::from(unit >= half)];
                add(0, unit, *side);
                add(1, *side, place);
                *side += 1;
            } else {
                add(0, unit, place);
            }
        }
    }
    all
}

/// Connections to each place.
fn fan_in(all: &BTreeSet<(u8, usize, usize)>, stage: u8, units: usize) -> Vec<usize> {
    let to = |place| all.iter().filter(|c| c.0 == stage && c.2 == place).count();
    (0..units).map(to).collect()
}

#[proves("SPM-35", "SPM-36", "SPM-37")]
#[test]
fn networks_have_the_connections_of_the_formulas() {
    for n in [4, 8, 12, 16] {
        let full = connections(n, Network::Full);
        let half = connections(n, Network::Half);
        let split = connections(n, Network::Split);
        assert_eq!(full.len(), n * (n - 1) / 2);
        assert_eq!(half.len(), 3 * n * n / 8 - n / 4);
        assert_eq!(split.len(), 3 * n * n / 8 - n / 4);
        assert_eq!(fan_in(&full, 0, n).iter().max(), Some(&(n - 1)));
        assert_eq!(fan_in(&half, 0, n).iter().max(), Some(&(n / 2)));
        assert_eq!(fan_in(&split, 1, n).iter().max(), Some(&(n / 2)));
    }
    let [full, half, split] = ALL_NETWORKS.map(|network| connections(8, network));
    assert_eq!(fan_in(&full, 0, 8), [7, 6, 5, 4, 3, 2, 1, 0]);
    assert_eq!(fan_in(&half, 0, 8), [4, 4, 4, 4, 3, 2, 1, 0]);
    assert_eq!(fan_in(&split, 0, 8), [3, 2, 1, 0, 3, 2, 1, 0]);
    assert_eq!(fan_in(&split, 1, 8), [1, 2, 3, 4, 0, 0, 0, 0]);
}

#[proves("SPM-35", "SPM-36", "SPM-37")]
#[test]
fn no_two_units_share_a_place_and_lanes_are_the_places() {
    for units in [2, 4, 6, 8, 12, 16] {
        for m in 0_u64..1 << units {
            let flags: Vec<bool> = (0..units).map(|k| m >> k & 1 == 1).collect();
            for network in ALL_NETWORKS {
                let places: Vec<usize> = places(&flags, network).into_iter().flatten().collect();
                let set: BTreeSet<usize> = places.iter().copied().collect();
                assert_eq!(set.len(), places.len(), "{m:x}, {network:?}");
                assert!(places.is_sorted(), "{m:x}, {network:?}");
                let expected = set.iter().fold(0, |n, place| n | 1 << place);
                assert_eq!(lanes(m, units, network), expected, "{m:x}, {network:?}");
            }
        }
    }
    assert_eq!(lanes(u64::MAX, 64, Network::Full), u64::MAX);
    assert_eq!(lanes(1 << 63, 64, Network::Half), 1 << 31);
    assert_eq!(lanes(u64::MAX << 1, 64, Network::Split), !(1 << 31));
}
