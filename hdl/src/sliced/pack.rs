//! From the word to the packed word.

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
    /// Positions of the non-zero units in it.
    lane: Vec<Vec<Signal<Local, Bits<1>>>>,
    _units: usize,
    _stages: usize,
}

impl<const UB: usize> Pack<UB> {
    /// The packer of a word of `units` units.
    ///
    /// # Panics
    /// If `units` is not a power of two from 2 to 64.
    pub fn new(units: usize, network: Network) -> Self {
        let stages = stages(units);
        Self {
            word_i: v(units),
            mask_i: v(units),
            move_i: v(moves(units, network)),
            packed_o: v(units),
            lane_o: v(units),
            word: (0..=stages).map(|_| v(units)).collect(),
            lane: (0..=stages).map(|_| v(units)).collect(),
            _units: units,
            _stages: stages,
        }
    }
}

impl<const UB: usize> Logic for Pack<UB> {
    #[hdl_gen]
    fn update(&mut self) {
        for p in 0..self._units {
            self.word[0][p].next = self.word_i[p].val();
            self.lane[0][p].next = self.mask_i[p].val();
        }
        comment!("A unit that moves leaves a zero behind, unless another takes its place");
        for t in 0..self._stages {
            for s in 1..self._units {
                if s == (1 << t) {
                    for p in 0..self._units {
                        self.word[t + 1][p].next = self.word[t][p].val();
                        self.lane[t + 1][p].next = self.lane[t][p].val();
                        if p >= s {
                            if self.move_i[t * self._units + 1 + p - 2 * s]
                                .val()
                                .get_bit(0)
                            {
                                self.word[t + 1][p].next = 0.into();
                                self.lane[t + 1][p].next = 0.into();
                            }
                        }
                        if p + s < self._units {
                            if self.move_i[t * self._units + 1 + p - s].val().get_bit(0) {
                                self.word[t + 1][p].next = self.word[t][p + s].val();
                                self.lane[t + 1][p].next = 1.into();
                            }
                        }
                    }
                }
            }
        }
        for p in 0..self._units {
            self.packed_o[p].next = self.word[self._stages][p].val();
            self.lane_o[p].next = self.lane[self._stages][p].val();
        }
    }
    module!(|this| Meta::module("sliced_pack")
        .param("units", "u", this._units, "units of a word")
        .param("UB", "b", UB, "bits of a unit")
        .hidden("stages", this._stages, "stages"));
}
