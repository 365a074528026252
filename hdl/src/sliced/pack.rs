//! From the word to the packed word.

use super::route::half_moves;
use super::zeros::stages;
use super::{Network, moves};
use crate::prelude::*;

/// Moves the non-zero units of a word, UB bits each, towards position 0, in stages by 1, 2,
/// 4, ... positions as [`Route`](super::Route) says, and fills the rest with zeros.
///
/// # Timing
/// Combinational.
#[derive(LogicBlock)]
pub struct Pack<const UB: usize> {
    /// Word, by position.
    pub word_i: Vec<Signal<In, Bits<UB>>>,
    /// Its non-zero units.
    pub mask_i: Vec<Signal<In, Bits<1>>>,
    /// Moves of all stages.
    pub move_i: Vec<Signal<In, Bits<1>>>,
    /// Packed word, by position.
    pub packed_o: Vec<Signal<Out, Bits<UB>>>,
    /// Positions at which a non-zero unit arrived.
    pub lane_o: Vec<Signal<Out, Bits<1>>>,

    /// The word before each stage and behind the last one.
    word: Vec<Vec<Signal<Local, Bits<UB>>>>,
    /// The word before a stage without the units that this stage moves.
    kept: Vec<Vec<Signal<Local, Bits<UB>>>>,
    /// Positions of the non-zero units in `word`.
    lane: Vec<Vec<Signal<Local, Bit>>>,
    _units: usize,
    _stages: usize,
    _levels: usize,
    _left: usize,
    _split: usize,
    _half_moves: usize,
}

impl<const UB: usize> Pack<UB> {
    /// The packer of a word of `units` units.
    ///
    /// # Panics
    /// If `units` is not a power of two from 2 to 64.
    pub fn new(units: usize, network: Network) -> Self {
        let stages = stages(units);
        let split = network == Network::Split;
        let levels = if split { 2 * stages - 1 } else { stages };
        Self {
            word_i: v(units),
            mask_i: v(units),
            move_i: v(moves(units, network)),
            packed_o: v(units),
            lane_o: v(units),
            word: (0..=levels).map(|_| v(units)).collect(),
            kept: (0..if split { stages - 1 } else { stages })
                .map(|_| v(units))
                .collect(),
            lane: (0..=levels).map(|_| v(units)).collect(),
            _units: units,
            _stages: stages,
            _levels: levels,
            _left: units / 2,
            _split: split.into(),
            _half_moves: half_moves(units),
        }
    }
}

impl<const UB: usize> Logic for Pack<UB> {
    #[hdl_gen]
    fn update(&mut self) {
        for p in 0..self._units {
            self.word[0][p].next = self.word_i[p].val();
            self.lane[0][p].next = self.mask_i[p].val().get_bit(0);
        }
        comment!("A unit that moves leaves a zero behind, unless another takes its place");
        if self._split == 0 {
            for t in 0..self._stages {
                for s in 1..self._units {
                    if s == (1 << t) {
                        for p in 0..self._units {
                            if p >= s {
                                self.kept[t][p].next = self.word[t][p].val();
                                if self.move_i[t * self._units + 1 + p - 2 * s]
                                    .val()
                                    .get_bit(0)
                                {
                                    self.kept[t][p].next = 0.into();
                                }
                            } else {
                                self.kept[t][p].next = self.word[t][p].val();
                            }
                            if p + s < self._units {
                                self.word[t + 1][p].next = self.kept[t][p].val();
                                if self.move_i[t * self._units + 1 + p - s].val().get_bit(0) {
                                    self.word[t + 1][p].next = self.word[t][p + s].val();
                                }
                            } else {
                                self.word[t + 1][p].next = self.kept[t][p].val();
                            }
                            if p < s {
                                self.lane[t + 1][p].next = self.lane[t][p].val()
                                    | self.move_i[t * self._units + 1 + p - s].val().get_bit(0);
                            } else if p + s < self._units {
                                self.lane[t + 1][p].next = (self.lane[t][p].val()
                                    & !self.move_i[t * self._units + 1 + p - 2 * s]
                                        .val()
                                        .get_bit(0))
                                    | self.move_i[t * self._units + 1 + p - s].val().get_bit(0);
                            } else {
                                self.lane[t + 1][p].next = self.lane[t][p].val()
                                    & !self.move_i[t * self._units + 1 + p - 2 * s]
                                        .val()
                                        .get_bit(0);
                            }
                        }
                    }
                }
            }
        } else {
            for t in 0..(self._stages - 1) {
                for s in 1..self._left {
                    if s == (1 << t) {
                        for e in 0..2 {
                            for p in 0..self._left {
                                if p >= s {
                                    self.kept[t][e * self._left + p].next =
                                        self.word[t][e * self._left + p].val();
                                    if self.move_i
                                        [e * self._half_moves + t * self._left + 1 + p - 2 * s]
                                        .val()
                                        .get_bit(0)
                                    {
                                        self.kept[t][e * self._left + p].next = 0.into();
                                    }
                                } else {
                                    self.kept[t][e * self._left + p].next =
                                        self.word[t][e * self._left + p].val();
                                }
                                if p + s < self._left {
                                    self.word[t + 1][e * self._left + p].next =
                                        self.kept[t][e * self._left + p].val();
                                    if self.move_i
                                        [e * self._half_moves + t * self._left + 1 + p - s]
                                        .val()
                                        .get_bit(0)
                                    {
                                        self.word[t + 1][e * self._left + p].next =
                                            self.word[t][e * self._left + p + s].val();
                                    }
                                } else {
                                    self.word[t + 1][e * self._left + p].next =
                                        self.kept[t][e * self._left + p].val();
                                }
                                if p < s {
                                    self.lane[t + 1][e * self._left + p].next =
                                        self.lane[t][e * self._left + p].val()
                                            | self.move_i
                                                [e * self._half_moves + t * self._left + 1 + p - s]
                                                .val()
                                                .get_bit(0);
                                } else if p + s < self._left {
                                    self.lane[t + 1][e * self._left + p].next =
                                        (self.lane[t][e * self._left + p].val()
                                            & !self.move_i[e * self._half_moves
                                                + t * self._left
                                                + 1
                                                + p
                                                - 2 * s]
                                                .val()
                                                .get_bit(0))
                                            | self.move_i
                                                [e * self._half_moves + t * self._left + 1 + p - s]
                                                .val()
                                                .get_bit(0);
                                } else {
                                    self.lane[t + 1][e * self._left + p].next = self.lane[t]
                                        [e * self._left + p]
                                        .val()
                                        & !self.move_i
                                            [e * self._half_moves + t * self._left + 1 + p - 2 * s]
                                            .val()
                                            .get_bit(0);
                                }
                            }
                        }
                    }
                }
            }
            comment!("The right half moves on as a whole, to where there is nothing");
            for t in 0..self._stages {
                for s in 1..self._units {
                    if s == (1 << t) {
                        for p in 0..self._units {
                            // The stages before have moved the right half by less than s; only
                            // one of the full length moves by s = left.
                            self.word[self._stages + t][p].next =
                                self.word[self._stages - 1 + t][p].val();
                            if s < self._left && p + s > self._left && p + 2 * s < self._units {
                                if self.move_i[2 * self._half_moves + t].val().get_bit(0) {
                                    self.word[self._stages + t][p].next =
                                        self.word[self._stages - 1 + t][p + s].val();
                                }
                                self.lane[self._stages + t][p].next = (self.lane
                                    [self._stages - 1 + t][p]
                                    .val()
                                    & !self.move_i[2 * self._half_moves + t].val().get_bit(0))
                                    | (self.lane[self._stages - 1 + t][p + s].val()
                                        & self.move_i[2 * self._half_moves + t].val().get_bit(0));
                            } else if (s < self._left && p + s > self._left && p + s < self._units)
                                || (s == self._left && p >= self._left)
                            {
                                if self.move_i[2 * self._half_moves + t].val().get_bit(0) {
                                    self.word[self._stages + t][p].next = 0.into();
                                }
                                self.lane[self._stages + t][p].next =
                                    self.lane[self._stages - 1 + t][p].val()
                                        & !self.move_i[2 * self._half_moves + t].val().get_bit(0);
                            } else if (s < self._left
                                && p + s <= self._left
                                && p + 2 * s > self._left)
                                || (s == self._left && p < self._left)
                            {
                                if self.move_i[2 * self._half_moves + t].val().get_bit(0) {
                                    self.word[self._stages + t][p].next =
                                        self.word[self._stages - 1 + t][p].val()
                                            | self.word[self._stages - 1 + t][p + s].val();
                                }
                                self.lane[self._stages + t][p].next = self.lane
                                    [self._stages - 1 + t][p]
                                    .val()
                                    | (self.lane[self._stages - 1 + t][p + s].val()
                                        & self.move_i[2 * self._half_moves + t].val().get_bit(0));
                            } else {
                                self.lane[self._stages + t][p].next =
                                    self.lane[self._stages - 1 + t][p].val();
                            }
                        }
                    }
                }
            }
        }
        for p in 0..self._units {
            self.packed_o[p].next = self.word[self._levels][p].val();
            self.lane_o[p].next = self.lane[self._levels][p].val().into();
        }
    }
    module!(|this| Meta::module(match this._split {
        0 => "sliced_pack",
        _ => "sliced_pack_split",
    })
    .param("units", "u", this._units, "units of a word")
    .param("UB", "b", UB, "bits of a unit")
    .hidden("stages", this._stages, "stages that reach every position")
    .hidden("levels", this._levels, "all stages")
    .hidden("left", this._left, "units of the left half")
    .hidden("split", this._split, "1: the halves are packed separately")
    .hidden("half_moves", this._half_moves, "move bits within a half"));
}
