//! Networks of the sliced memory, by position, against a plain model of packing.

use heddle_hdl::sliced::{Network, Pack, Route, Select, Unpack, moves};
use heddle_kernel::prelude::*;
use std::collections::BTreeSet;

const NETWORKS: [Network; 3] = [Network::Full, Network::Half, Network::Split];

/// The networks of one word, connected as in a memory.
struct Networks {
    route: Route,
    pack: Pack<8>,
    unpack: Unpack<8>,
}

/// What they make of a word.
struct Packed {
    units: Vec<u64>,
    lanes: Vec<bool>,
    /// The word unpacked again, from the packed word with `POISON` in all lanes that no unit reached.
    word: Vec<u64>,
}

const POISON: u64 = 0xee;

impl Networks {
    fn new(units: usize, network: Network) -> Self {
        Self {
            route: Route::new(units, network),
            pack: Pack::new(units, network),
            unpack: Unpack::new(units, network),
        }
    }

    fn run(&mut self, word: &[u64]) -> Packed {
        for (j, unit) in word.iter().enumerate() {
            let mask = u64::from(*unit != 0);
            self.route.mask_i[j].next = mask.into();
            self.pack.mask_i[j].next = mask.into();
            self.unpack.mask_i[j].next = mask.into();
            self.pack.word_i[j].next = (*unit).into();
        }
        settle(&mut self.route);
        for (m, found) in self.route.move_o.iter().enumerate() {
            self.pack.move_i[m].next = found.val();
            self.unpack.move_i[m].next = found.val();
        }
        settle(&mut self.pack);
        let units = values(&self.pack.packed_o);
        let lanes: Vec<bool> = values(&self.pack.lane_o).iter().map(|l| *l != 0).collect();
        for (p, packed) in self.unpack.packed_i.iter_mut().enumerate() {
            packed.next = if lanes[p] { units[p] } else { POISON }.into();
        }
        settle(&mut self.unpack);
        let word = values(&self.unpack.word_o);
        Packed { units, lanes, word }
    }
}

fn values<const N: usize>(signals: &[Signal<Out, Bits<N>>]) -> Vec<u64> {
    signals.iter().map(|s| s.val().to_u64()).collect()
}

/// A word of `units` units whose non-zero units tell their positions.
fn tagged(units: usize, mask: u64) -> Vec<u64> {
    let unit = |j: usize| (mask >> j & 1) * (j as u64 + 1);
    (0..units).map(unit).collect()
}

/// Packing of specification section 4.6, and of 4.4 for the full network.
fn model(word: &[u64], network: Network) -> Vec<u64> {
    let (units, half) = (word.len(), word.len() / 2);
    let padded = |units: &[u64], n: usize| {
        let mut out: Vec<u64> = units.iter().copied().filter(|u| *u != 0).collect();
        out.resize(n, 0);
        out
    };
    match network {
        Network::Full => padded(word, units),
        Network::Half => {
            let (mut out, mut zeros) = (vec![0; units], 0);
            for (j, unit) in word.iter().enumerate() {
                if *unit == 0 {
                    zeros += 1;
                } else {
                    out[j - half.min(zeros)] = *unit;
                }
            }
            out
        }
        Network::Split => {
            if word.iter().filter(|u| **u != 0).count() <= half {
                return padded(word, units);
            }
            let right = padded(&word[half..], half);
            [padded(&word[..half], half), right].concat()
        }
    }
}

/// A small generator of test values (xorshift).
struct Random(u64);

impl Random {
    fn below(&mut self, n: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) % n
    }

    /// A mask with any share of ones, sparse and dense alike.
    fn mask(&mut self, units: usize) -> u64 {
        let ones = self.below(units as u64 + 1);
        (0..units).fold(0, |mask, _| {
            mask << 1 | u64::from(self.below(units as u64) < ones)
        })
    }
}

/// Masks to try: all for up to 16 units, otherwise the corners and random ones.
fn masks(units: usize) -> Vec<u64> {
    if units <= 16 {
        return (0..1 << units).collect();
    }
    let seed = 0x5eed + units as u64;
    println!("{units} units: seed {seed}");
    let mut random = Random(seed);
    let all = u64::MAX >> (64 - units);
    let corners = (0..units).flat_map(|j| [1 << j, all >> j, all << j & all, all ^ 1 << j]);
    let mut found: Vec<u64> = corners.chain([0]).collect();
    found.extend((0..800).map(|_| random.mask(units)));
    found
}

/// A connection from an input to another output position of a step; split has two steps.
type Connection = (usize, usize, usize);

/// The way of a unit through the steps of a network.
fn connections_of(word: &[u64], network: Network, from: usize, to: usize) -> Vec<Connection> {
    let half = word.len() / 2;
    let start = if from < half { 0 } else { half };
    let rank = word[start..from].iter().filter(|u| **u != 0).count();
    let between = match network {
        Network::Split => start + rank,
        Network::Full | Network::Half => to,
    };
    let steps = [(0, from, between), (1, between, to)];
    steps.into_iter().filter(|c| c.1 != c.2).collect()
}

/// Packs and unpacks; returns the connections used.
fn check(units: usize, network: Network) -> BTreeSet<Connection> {
    let mut u = Networks::new(units, network);
    let mut connections = BTreeSet::new();
    for mask in masks(units) {
        let word = tagged(units, mask);
        let want = model(&word, network);
        let got = u.run(&word);
        assert_eq!(got.units, want, "{network:?} of {mask:x}");
        assert_eq!(got.word, word, "{network:?} of {mask:x}, unpacked");
        for (p, unit) in want.iter().enumerate() {
            assert_eq!(
                got.lanes[p],
                *unit != 0,
                "{network:?} of {mask:x}, lane {p}"
            );
            if *unit != 0 {
                let from = *unit as usize - 1;
                connections.extend(connections_of(&word, network, from, p));
            }
        }
    }
    connections
}

/// Checks all masks, the number of connections and the number that meet in one output.
fn check_connections(network: Network, expected: [(usize, usize, usize); 4]) {
    for (units, count, fan_in) in expected {
        let connections = check(units, network);
        assert_eq!(connections.len(), count, "{network:?}, {units} units");
        let meeting = |step: usize, to: usize| {
            let met = connections.iter().filter(|c| (c.0, c.2) == (step, to));
            met.count()
        };
        let most = connections.iter().map(|c| meeting(c.0, c.2)).max();
        assert_eq!(most, Some(fan_in), "{network:?}, {units} units");
    }
}

#[test]
fn spm_37_spm_06_spm_18_spm_19_full_network_packs_all_masks_with_n_n_minus_1_over_2_connections() {
    let expected = [(2, 1, 1), (4, 6, 3), (8, 28, 7), (16, 120, 15)];
    check_connections(Network::Full, expected);
}

#[test]
fn spm_35_half_network_packs_all_masks_with_a_fan_in_of_half_the_word() {
    let expected = [(2, 1, 1), (4, 5, 2), (8, 22, 4), (16, 92, 8)];
    check_connections(Network::Half, expected);
}

#[test]
fn spm_36_split_network_packs_all_masks_with_a_fan_in_of_half_the_word() {
    let expected = [(2, 1, 1), (4, 5, 2), (8, 22, 4), (16, 92, 8)];
    check_connections(Network::Split, expected);
}

#[test]
fn spm_29_spm_35_spm_36_spm_37_networks_of_32_and_64_units() {
    for network in NETWORKS {
        for units in [32, 64] {
            let connections = check(units, network);
            assert!(connections.len() > units, "{network:?}, {units} units");
        }
    }
}

#[test]
fn spm_35_spm_36_spm_37_networks_compared_as_in_table_5_9() {
    let table: [(u64, [u64; 3]); 6] = [
        (
            0x0000_0000_0000_0088,
            [
                0x8800_0000_0000_0000,
                0x0000_0088_0000_0000,
                0x8800_0000_0000_0000,
            ],
        ),
        (
            0x0000_0000_5566_7788,
            [
                0x5566_7788_0000_0000,
                0x5566_7788_0000_0000,
                0x5566_7788_0000_0000,
            ],
        ),
        (
            0x1100_3300_5500_7700,
            [
                0x1133_5577_0000_0000,
                0x1133_5577_0000_0000,
                0x1133_5577_0000_0000,
            ],
        ),
        (
            0x1100_3344_0066_0088,
            [
                0x1133_4466_8800_0000,
                0x1133_4466_8800_0000,
                0x1133_4400_6688_0000,
            ],
        ),
        (
            0x0022_3300_5566_7700,
            [
                0x2233_5566_7700_0000,
                0x2233_5566_7700_0000,
                0x2233_0000_5566_7700,
            ],
        ),
        (
            0x8000_0001_0000_00ff,
            [
                0x8001_ff00_0000_0000,
                0x8001_00ff_0000_0000,
                0x8001_ff00_0000_0000,
            ],
        ),
    ];
    for (n, network) in NETWORKS.into_iter().enumerate() {
        let mut u = Networks::new(8, network);
        for (word, packed) in table {
            let units = word.to_be_bytes().map(u64::from);
            let want = packed[n].to_be_bytes().map(u64::from);
            let got = u.run(&units);
            assert_eq!(got.units, want, "{network:?} of {word:016x}");
            assert_eq!(got.word, units, "{network:?} of {word:016x}");
        }
    }
}

#[test]
fn spm_14_spm_30_spm_43_a_slice_is_selected_above_its_threshold() {
    for units in [2, 4, 8, 16, 64] {
        let thresholds: Vec<usize> = vec![0, 1, units / 2, units - 1, units];
        let mut u = Select::new(units, thresholds.clone());
        let found = if units < 16 { masks(units) } else { masks(64) };
        for mask in found {
            let mask = mask & u64::MAX >> (64 - units);
            for (j, bit) in u.mask_i.iter_mut().enumerate() {
                bit.next = (mask >> j & 1).into();
            }
            settle(&mut u);
            let pop = mask.count_ones() as usize;
            assert_eq!(
                u.pop_o.val().to_u64(),
                pop as u64,
                "{units} units, {mask:x}"
            );
            for (slice, threshold) in u.slice_o.iter().zip(&thresholds) {
                assert_eq!(slice.val(), pop > *threshold, "{mask:x} above {threshold}");
            }
        }
    }
}

#[test]
fn spm_36_a_split_network_has_fewer_moves_and_other_sizes_are_refused() {
    let expected = [[1, 5, 17, 49], [1, 5, 17, 49], [1, 4, 13, 38]];
    for (network, expected) in NETWORKS.into_iter().zip(expected) {
        assert_eq!([2, 4, 8, 16].map(|units| moves(units, network)), expected);
        for units in [1, 3, 12, 128] {
            let refused = std::panic::catch_unwind(|| moves(units, network));
            assert!(refused.is_err(), "{units} units");
        }
    }
}
