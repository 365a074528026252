//! Where the units of a word go.

use super::zeros::{planes, stages};
use super::{Network, Population, Zeros};
use crate::prelude::*;

/// Number of move bits of a network: one for each stage and position from which it moves units.
///
/// # Panics
/// If `units` is not a power of two from 2 to 64.
pub fn moves(units: usize, network: Network) -> usize {
    match network {
        Network::Full | Network::Half | Network::Split => planes(units),
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
#[derive(LogicBlock)]
pub struct Route {
    /// Non-zero units of the word, by position.
    pub mask_i: Vec<Signal<In, Bits<1>>>,
    /// Moves of all stages, that by 1 first. The stage that moves by s has one bit for each
    /// position from s on: 1 if the unit that is there before the stage moves.
    pub move_o: Vec<Signal<Out, Bits<1>>>,

    zeros: Zeros,
    /// Zeros within the right half (split).
    right_zeros: Vec<Zeros>,
    population: Vec<Population>,
    /// All non-zero units fit in the left half (split).
    joined: Vec<Signal<Local, Bit>>,
    /// Bits of the distance of each unit in the word, as `move_o`, were all units non-zero.
    distance: Vec<Signal<Local, Bit>>,
    /// Bits of the distance of the unit that is in a position before each stage, as `move_o`.
    rest: Vec<Vec<Signal<Local, Bit>>>,
    _units: usize,
    _stages: usize,
    _half: usize,
    _left: usize,
    _split: usize,
    _nested: usize,
    _moves: usize,
}

impl Route {
    /// The moves of a word of `units` units.
    ///
    /// # Panics
    /// If `units` is not a power of two from 2 to 64.
    pub fn new(units: usize, network: Network) -> Self {
        let split = network == Network::Split;
        let nested = split && units > 2;
        Self {
            mask_i: v(units),
            move_o: v(moves(units, network)),
            zeros: Zeros::new(units),
            right_zeros: nested.then(|| Zeros::new(units / 2)).into_iter().collect(),
            population: split.then(|| Population::new(units)).into_iter().collect(),
            joined: v(split.into()),
            distance: v(planes(units)),
            rest: (0..stages(units)).map(|_| v(planes(units))).collect(),
            _units: units,
            _stages: stages(units),
            _left: units / 2,
            _half: (network == Network::Half).into(),
            _split: split.into(),
            _nested: nested.into(),
            _moves: moves(units, network),
        }
    }
}

impl Logic for Route {
    #[hdl_gen]
    fn update(&mut self) {
        for j in 0..(self._units - 1) {
            self.zeros.mask_i[j].next = self.mask_i[j].val();
        }
        if self._split > 0 {
            for j in 0..self._units {
                self.population[0].mask_i[j].next = self.mask_i[j].val();
            }
            self.joined[0].next = self.population[0].pop_o.val() <= self._left.to_bits::<7>();
        }
        if self._nested > 0 {
            for j in 0..(self._left - 1) {
                self.right_zeros[0].mask_i[j].next = self.mask_i[self._left + j].val();
            }
        }

        comment!("Distance of each unit, at its position in the word");
        for t in 0..self._stages {
            for s in 1..self._units {
                if s == (1 << t) {
                    for i in 0..self._units {
                        // Bit t of the unit in position s + i.
                        if i + s < self._left
                            || (i + s < self._units && self._half == 0 && self._split == 0)
                            || (i + s < self._units && self._half > 0 && t + 1 == self._stages)
                        {
                            self.distance[t * self._units + 1 + i - s].next =
                                self.zeros.zeros_o[t * self._units + 1 + i - s].val();
                        }
                        if self._half > 0
                            && t + 1 < self._stages
                            && i + s < self._units
                            && i + s >= self._left
                        {
                            self.distance[t * self._units + 1 + i - s].next = self.zeros.zeros_o
                                [t * self._units + 1 + i - s]
                                .val()
                                & !self.zeros.zeros_o[(self._stages - 2) * self._units + 1 + i + s]
                                    .val();
                        }
                        if self._split > 0
                            && i + s < self._units
                            && i + s >= self._left
                            && i < self._left
                        {
                            self.distance[t * self._units + 1 + i - s].next =
                                self.zeros.zeros_o[t * self._units + 1 + i - s].val()
                                    & self.joined[0].val();
                        }
                        if self._split > 0 && i + s < self._units && i >= self._left {
                            self.distance[t * self._units + 1 + i - s].next =
                                (self.zeros.zeros_o[t * self._units + 1 + i - s].val()
                                    & self.joined[0].val())
                                    | (self.right_zeros[0].zeros_o
                                        [t * self._left + 1 + i - self._left - s]
                                        .val()
                                        & !self.joined[0].val());
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
                                        && (t <= v || (self._half > 0 && t + 1 == self._stages))
                                    {
                                        self.rest[v + 1][t * self._units + 1 + i - s].next =
                                            self.rest[v][t * self._units + 1 + i - s].val();
                                    } else if i + s + r < self._units {
                                        self.rest[v + 1][t * self._units + 1 + i - s].next = (self
                                            .rest[v][t * self._units + 1 + i - s]
                                            .val()
                                            & !self.rest[v][v * self._units + 1 + i + s - 2 * r]
                                                .val())
                                            | (self.rest[v][t * self._units + 1 + i + r - s].val()
                                                & self.rest[v][v * self._units + 1 + i + s - r]
                                                    .val());
                                    } else if i + s < self._units {
                                        self.rest[v + 1][t * self._units + 1 + i - s].next = self
                                            .rest[v][t * self._units + 1 + i - s]
                                            .val()
                                            & !self.rest[v][v * self._units + 1 + i + s - 2 * r]
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
    module!(|this| Meta::module(match (this._half, this._split) {
        (0, 0) => "sliced_route",
        (_, 0) => "sliced_route_half",
        _ => "sliced_route_split",
    })
    .param("units", "u", this._units, "units of a word")
    .hidden("stages", this._stages, "stages")
    .hidden("moves", this._moves, "move bits")
    .hidden("left", this._left, "units of the left half")
    .hidden(
        "half",
        this._half,
        "1: no unit moves by more than half the word"
    )
    .hidden(
        "split",
        this._split,
        "1: the halves of the word are packed separately"
    )
    .hidden(
        "nested",
        this._nested,
        "1: units move within the right half"
    ));
}
