//! Where the units of a word go.

use super::zeros::{planes, stages};
use super::{Network, Population, Zeros};
use crate::prelude::*;

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

/// Finds how the non-zero units of a word move towards position 0 when it is packed: unit j by
/// the number of zero units before it (full), by at most half the word (half), or within its
/// half of the word and, if all non-zero units fit in the left half, on behind those of the left
/// half (split). The moves are made in stages, by 1, 2, 4, ... positions, and no two units ever
/// meet. Unpacking makes the same moves backwards.
///
/// # Timing
/// Combinational.
#[derive(LogicBlock)]
pub struct Route {
    /// Non-zero units of the word, by position.
    pub mask_i: Vec<Signal<In, Bits<1>>>,
    /// Moves of all stages, that by 1 first. The stage that moves by s has one bit for each
    /// position from s on: 1 if the unit that is there before the stage moves. Split: those of
    /// the left half, those of the right half, then one bit for each stage that moves the right
    /// half on.
    pub move_o: Vec<Signal<Out, Bits<1>>>,

    zeros: Vec<Zeros>,
    /// Bits of the distance of each unit in the word, as `move_o`, were all units non-zero.
    distance: Vec<Signal<Local, Bit>>,
    /// Bits of the distance of the unit that is in a position before each stage, as `move_o`.
    rest: Vec<Vec<Signal<Local, Bit>>>,

    /// Moves within each half (split).
    half: Vec<Route>,
    /// Zero units of each half (split).
    half_zeros: Vec<Population>,
    /// Zero units of the word (split).
    all_zeros: Vec<Signal<Local, Bits<7>>>,
    _units: usize,
    _stages: usize,
    _left: usize,
    _capped: usize,
    _split: usize,
    _half_moves: usize,
    _moves: usize,
}

impl Route {
    /// The moves of a word of `units` units.
    ///
    /// # Panics
    /// If `units` is not a power of two from 2 to 64.
    pub fn new(units: usize, network: Network) -> Self {
        let split = network == Network::Split;
        let stages = stages(units);
        let left = units / 2;
        let (whole, halves) = if split { (0, 2) } else { (1, 0) };
        let nested = if units > 2 { halves } else { 0 };
        let rest = || v(whole * planes(units));
        Self {
            mask_i: v(units),
            move_o: v(moves(units, network)),
            zeros: (0..whole).map(|_| Zeros::new(units)).collect(),
            distance: v(whole * planes(units)),
            rest: (0..whole * stages).map(|_| rest()).collect(),
            half: (0..nested)
                .map(|_| Self::new(left, Network::Full))
                .collect(),
            half_zeros: (0..halves).map(|_| Population::new(left)).collect(),
            all_zeros: v(split.into()),
            _units: units,
            _stages: stages,
            _left: left,
            _capped: (network == Network::Half).into(),
            _split: split.into(),
            _half_moves: half_moves(units),
            _moves: moves(units, network),
        }
    }
}

impl Logic for Route {
    #[hdl_gen]
    fn update(&mut self) {
        if self._split > 0 {
            for e in 0..2 {
                for j in 0..self._left {
                    self.half_zeros[e].mask_i[j].next = !self.mask_i[e * self._left + j].val();
                    if self._half_moves > 0 {
                        self.half[e].mask_i[j].next = self.mask_i[e * self._left + j].val();
                    }
                }
                for m in 0..self._half_moves {
                    self.move_o[e * self._half_moves + m].next = self.half[e].move_o[m].val();
                }
            }
            comment!("All non-zero units fit in the left half");
            self.all_zeros[0].next =
                self.half_zeros[0].pop_o.val() + self.half_zeros[1].pop_o.val();
            for t in 0..self._stages {
                self.move_o[2 * self._half_moves + t].next = 0.into();
                if self.all_zeros[0].val() >= self._left.to_bits::<7>() {
                    self.move_o[2 * self._half_moves + t].next =
                        self.half_zeros[0].pop_o.val().get_bits::<1>(t);
                }
            }
        } else {
            for j in 0..(self._units - 1) {
                self.zeros[0].mask_i[j].next = self.mask_i[j].val();
            }
            comment!("Distance of each unit, at its position in the word");
            for t in 0..self._stages {
                for s in 1..self._units {
                    if s == (1 << t) {
                        for i in 0..self._units {
                            // Bit t of the unit in position s + i.
                            if self._capped > 0
                                && t + 1 < self._stages
                                && i + s < self._units
                                && i + s >= self._left
                            {
                                self.distance[t * self._units + 1 + i - s].next =
                                    self.zeros[0].zeros_o[t * self._units + 1 + i - s].val()
                                        & !self.zeros[0].zeros_o
                                            [(self._stages - 2) * self._units + 1 + i + s]
                                            .val();
                            } else if i + s < self._units {
                                self.distance[t * self._units + 1 + i - s].next =
                                    self.zeros[0].zeros_o[t * self._units + 1 + i - s].val();
                            }
                            if i + s < self._units {
                                self.rest[0][t * self._units + 1 + i - s].next =
                                    self.mask_i[i + s].val().get_bit(0)
                                        & self.distance[t * self._units + 1 + i - s].val();
                            }
                        }
                    }
                }
            }
            comment!("Distance that is left, at the position before each stage");
            for v in 0..(self._stages - 1) {
                for r in 1..self._units {
                    if r == (1 << v) {
                        for t in 0..self._stages {
                            for s in 1..self._units {
                                if s == (1 << t) {
                                    for i in 0..self._units {
                                        if i + s < self._units
                                            && (t <= v
                                                || (self._capped > 0 && t + 1 == self._stages))
                                        {
                                            self.rest[v + 1][t * self._units + 1 + i - s].next =
                                                self.rest[v][t * self._units + 1 + i - s].val();
                                        } else if i + s + r < self._units {
                                            self.rest[v + 1][t * self._units + 1 + i - s].next =
                                                (self.rest[v][t * self._units + 1 + i - s].val()
                                                    & !self.rest[v]
                                                        [v * self._units + 1 + i + s - 2 * r]
                                                        .val())
                                                    | (self.rest[v]
                                                        [t * self._units + 1 + i + r - s]
                                                        .val()
                                                        & self.rest[v]
                                                            [v * self._units + 1 + i + s - r]
                                                            .val());
                                        } else if i + s < self._units {
                                            self.rest[v + 1][t * self._units + 1 + i - s].next =
                                                self.rest[v][t * self._units + 1 + i - s].val()
                                                    & !self.rest[v]
                                                        [v * self._units + 1 + i + s - 2 * r]
                                                        .val();
                                        }
                                    }
                                }
                            }
                        }
                    }
                }
            }
            for m in 0..self._moves {
                self.move_o[m].next = self.rest[self._stages - 1][m].val().into();
            }
        }
    }
    module!(|this| Meta::module(match (this._capped, this._split) {
        (0, 0) => "sliced_route",
        (_, 0) => "sliced_route_half",
        _ => "sliced_route_split",
    })
    .param("units", "u", this._units, "units of a word")
    .hidden("stages", this._stages, "stages that reach every position")
    .hidden("moves", this._moves, "move bits")
    .hidden("left", this._left, "units of the left half")
    .hidden("capped", this._capped, "1: by at most half the word")
    .hidden("split", this._split, "1: the halves are packed separately")
    .hidden("half_moves", this._half_moves, "move bits within a half"));
}
