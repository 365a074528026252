//! Where the units of a word go.

use super::zeros::{place, planes, stages};
use super::{Network, Population, Zeros};
use heddle_kernel::prelude::*;

/// Number of move bits of a network: one for each stage and position from which it moves units,
/// but one for all positions where the halves of a word are joined.
///
/// # Panics
/// If `units` is not a power of two from 2 to 64.
pub fn moves(units: usize, network: Network) -> usize {
    match network {
        Network::Full | Network::Half => planes(units),
        Network::Split => 2 * half_moves(units) + stages(units),
    }
}

/// Move bits within a half of the word (split).
pub(super) fn half_moves(units: usize) -> usize {
    if units > 2 { planes(units / 2) } else { 0 }
}

/// Stages of a network; split: those within the halves, then those of the right half.
///
/// # Panics
/// If `units` is not a power of two from 2 to 64.
pub(super) fn levels(units: usize, network: Network) -> usize {
    match network {
        Network::Full | Network::Half => stages(units),
        Network::Split => 2 * stages(units) - 1,
    }
}

/// May a unit of the right half be in position p before the stage that moves it on by s? The
/// stages before have moved the right half by less than s; only one of the full length, `left`
/// units, moves by s = left.
pub(super) fn moves_on(left: usize, s: usize, p: usize) -> bool {
    match s < left {
        true => left < p + s && p + s < 2 * left,
        false => left <= p && p < 2 * left,
    }
}

/// Finds how the non-zero units of a word move towards position 0 when it is packed: unit j by
/// the number of zero units before it (full), by at most half the word (half), or within its
/// half of the word and, if all non-zero units fit in the left half, on behind those of the left
/// half (split). The moves are made in stages, by 1, 2, 4, ... positions, and no two units ever
/// meet. Unpacking makes the same moves backwards.
///
/// # Timing
/// Combinational.
#[module(combinational, describe)]
pub struct Route {
    /// Non-zero units of the word, by position.
    pub mask_i: [Signal<In, Bits<1>>; units],
    /// Moves of all stages, that by 1 first. The stage that moves by s has one bit for each
    /// position from s on: 1 if the unit that is there before the stage moves. Split: those of
    /// the left half, those of the right half, then one bit for each stage that moves the right
    /// half on.
    pub move_o: [Signal<Out, Bits<1>>; moves(units, network)],
    #[new(Zeros::new(units))]
    zeros: [Zeros; 1 - split],
    /// Bits of the distance of each unit in the word, as `move_o`, were all units non-zero.
    distance: [Signal<Local, Bit>; (1 - split) * planes(units)],
    /// Bits of the distance of the unit that is in a position before each stage, as `move_o`.
    rest: [[Signal<Local, Bit>; (1 - split) * planes(units)]; (1 - split) * stages],
    /// Moves within each half (split).
    #[new(Self::new(left, Network::Full))]
    half: [Route; if units > 2 { 2 * split } else { 0 }],
    /// Zero units of each half (split).
    #[new(Population::new(left))]
    half_zeros: [Population; 2 * split],
    /// Zero units of the word (split).
    all_zeros: [Signal<Local, Bits<7>>; split],
    /// Units of a word.
    _units: Param<'u'>,
    /// How far they move.
    _network: Network,
    #[new(stages(units))]
    _stages: usize,
    #[new(units / 2)]
    _left: usize,
    #[new((network == Network::Split).into())]
    _split: usize,
    #[new(half_moves(units))]
    _half_moves: usize,
}

impl Route {
    fn describe(&self, meta: Meta) -> Meta {
        meta.named(match self._network {
            Network::Full => "sliced_route",
            Network::Half => "sliced_route_half",
            Network::Split => "sliced_route_split",
        })
    }
}

#[kernel]
impl Route {
    fn update(&mut self) {
        if self._split > 0 {
            self.move_halves();
        } else {
            self.move_all();
        }
    }

    /// By the number of zero units before, or at most by half the word.
    fn move_all(&mut self) {
        for j in 0..self._units - 1 {
            self.zeros[0].mask_i[j] = self.mask_i[j];
        }
        let capped = self._network == Network::Half;
        let last = self._stages - 1;
        comment!("Distance of each unit, at its position in the word");
        for t in 0..self._stages {
            for p in (1 << t)..self._units {
                let bit = place(self._units, t, p);
                if capped && t < last && p >= self._left {
                    let half_a_word = self.zeros[0].zeros_o[place(self._units, last, p)];
                    self.distance[bit] = self.zeros[0].zeros_o[bit] & !half_a_word;
                } else {
                    self.distance[bit] = self.zeros[0].zeros_o[bit];
                }
                self.rest[0][bit] = self.mask_i[p].get_bit(0) & self.distance[bit];
            }
        }
        comment!("Distance that is left, at the position before each stage");
        for v in 0..last {
            let s = 1 << v;
            for t in 0..self._stages {
                for p in (1 << t)..self._units {
                    let bit = place(self._units, t, p);
                    if t <= v || (capped && t == last) {
                        self.rest[v + 1][bit] = self.rest[v][bit];
                    } else if p + s < self._units {
                        let leaves = self.rest[v][place(self._units, v, p)];
                        let arrives = self.rest[v][place(self._units, v, p + s)];
                        self.rest[v + 1][bit] =
                            (self.rest[v][bit] & !leaves) | (self.rest[v][bit + s] & arrives);
                    } else {
                        let leaves = self.rest[v][place(self._units, v, p)];
                        self.rest[v + 1][bit] = self.rest[v][bit] & !leaves;
                    }
                }
            }
        }
        for m in 0..self.move_o.len() {
            self.move_o[m] = self.rest[last][m].into();
        }
    }

    /// Within the halves, then the right half on.
    fn move_halves(&mut self) {
        for e in 0..2 {
            for j in 0..self._left {
                let non_zero = self.mask_i[e * self._left + j];
                self.half_zeros[e].mask_i[j] = !non_zero;
                if self._half_moves > 0 {
                    self.half[e].mask_i[j] = non_zero;
                }
            }
            for m in 0..self._half_moves {
                self.move_o[e * self._half_moves + m] = self.half[e].move_o[m];
            }
        }
        comment!("All non-zero units fit in the left half");
        self.all_zeros[0] = self.half_zeros[0].pop_o + self.half_zeros[1].pop_o;
        for t in 0..self._stages {
            let bit = 2 * self._half_moves + t;
            self.move_o[bit] = 0.into();
            if self.all_zeros[0] >= self._left.to_bits::<7>() {
                self.move_o[bit] = self.half_zeros[0].pop_o.get_bits::<1>(t);
            }
        }
    }
}
