//! From the packed word to the word.

use super::route::half_moves;
use super::zeros::stages;
use super::{Network, moves};
use crate::prelude::*;

/// Moves packed units, UB bits each, back to their positions in the word and puts zeros between
/// them. Every zero comes from the mask, so that what the packed word holds elsewhere never
/// reaches the word.
///
/// # Timing
/// Combinational.
#[derive(LogicBlock)]
pub struct Unpack<const UB: usize> {
    /// Packed word, by position.
    pub packed_i: Vec<Signal<In, Bits<UB>>>,
    /// Non-zero units of the word, by position.
    pub mask_i: Vec<Signal<In, Bits<1>>>,
    /// Moves that packed the word, of all stages.
    pub move_i: Vec<Signal<In, Bits<1>>>,
    /// Word, by position.
    pub word_o: Vec<Signal<Out, Bits<UB>>>,

    /// The word before each stage of packing and behind the last one.
    word: Vec<Vec<Signal<Local, Bits<UB>>>>,
    _units: usize,
    _stages: usize,
    _levels: usize,
    _left: usize,
    _split: usize,
    _half_moves: usize,
}

impl<const UB: usize> Unpack<UB> {
    /// The unpacker of a word of `units` units.
    ///
    /// # Panics
    /// If `units` is not a power of two from 2 to 64.
    pub fn new(units: usize, network: Network) -> Self {
        let stages = stages(units);
        let split = network == Network::Split;
        let levels = if split { 2 * stages - 1 } else { stages };
        Self {
            packed_i: v(units),
            mask_i: v(units),
            move_i: v(moves(units, network)),
            word_o: v(units),
            word: (0..=levels).map(|_| v(units)).collect(),
            _units: units,
            _stages: stages,
            _levels: levels,
            _left: units / 2,
            _split: split.into(),
            _half_moves: half_moves(units),
        }
    }
}

impl<const UB: usize> Logic for Unpack<UB> {
    #[hdl_gen]
    fn update(&mut self) {
        for p in 0..self._units {
            self.word[self._levels][p].next = self.packed_i[p].val();
        }
        comment!("The moves of packing, backwards");
        if self._split > 0 {
            for b in 0..self._stages {
                for s in 1..self._units {
                    if s == (1 << (self._stages - 1 - b)) {
                        for p in 0..self._units {
                            if (s < self._left && p + s > self._left && p + s < self._units)
                                || (s == self._left && p >= self._left)
                            {
                                self.word[2 * self._stages - 2 - b][p].next =
                                    self.word[2 * self._stages - 1 - b][p].val();
                                if self.move_i[2 * self._half_moves + self._stages - 1 - b]
                                    .val()
                                    .get_bit(0)
                                {
                                    self.word[2 * self._stages - 2 - b][p].next =
                                        self.word[2 * self._stages - 1 - b][p - s].val();
                                }
                            } else {
                                self.word[2 * self._stages - 2 - b][p].next =
                                    self.word[2 * self._stages - 1 - b][p].val();
                            }
                        }
                    }
                }
            }
            for b in 0..(self._stages - 1) {
                for s in 1..self._left {
                    if s == (1 << (self._stages - 2 - b)) {
                        for e in 0..2 {
                            for p in 0..self._left {
                                if p >= s {
                                    self.word[self._stages - 2 - b][e * self._left + p].next =
                                        self.word[self._stages - 1 - b][e * self._left + p].val();
                                    if self.move_i[e * self._half_moves
                                        + (self._stages - 2 - b) * self._left
                                        + 1
                                        + p
                                        - 2 * s]
                                        .val()
                                        .get_bit(0)
                                    {
                                        self.word[self._stages - 2 - b][e * self._left + p].next =
                                            self.word[self._stages - 1 - b][e * self._left + p - s]
                                                .val();
                                    }
                                } else {
                                    self.word[self._stages - 2 - b][e * self._left + p].next =
                                        self.word[self._stages - 1 - b][e * self._left + p].val();
                                }
                            }
                        }
                    }
                }
            }
        } else {
            for b in 0..self._stages {
                for s in 1..self._units {
                    if s == (1 << (self._stages - 1 - b)) {
                        for p in 0..self._units {
                            if p >= s {
                                self.word[self._stages - 1 - b][p].next =
                                    self.word[self._stages - b][p].val();
                                if self.move_i[(self._stages - 1 - b) * self._units + 1 + p - 2 * s]
                                    .val()
                                    .get_bit(0)
                                {
                                    self.word[self._stages - 1 - b][p].next =
                                        self.word[self._stages - b][p - s].val();
                                }
                            } else {
                                self.word[self._stages - 1 - b][p].next =
                                    self.word[self._stages - b][p].val();
                            }
                        }
                    }
                }
            }
        }
        comment!("Zeros come from the mask");
        for p in 0..self._units {
            self.word_o[p].next = 0.into();
            if self.mask_i[p].val().get_bit(0) {
                self.word_o[p].next = self.word[0][p].val();
            }
        }
    }
    module!(|this| Meta::module(match this._split {
        0 => "sliced_unpack",
        _ => "sliced_unpack_split",
    })
    .param("units", "u", this._units, "units of a word")
    .param("UB", "b", UB, "bits of a unit")
    .hidden("stages", this._stages, "stages that reach every position")
    .hidden("levels", this._levels, "all stages")
    .hidden("left", this._left, "units of the left half")
    .hidden("split", this._split, "1: the halves are packed separately")
    .hidden("half_moves", this._half_moves, "move bits within a half"));
}
