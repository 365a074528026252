//! From the packed word to the word.

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
}

impl<const UB: usize> Unpack<UB> {
    /// The unpacker of a word of `units` units.
    ///
    /// # Panics
    /// If `units` is not a power of two from 2 to 64.
    pub fn new(units: usize, network: Network) -> Self {
        let stages = stages(units);
        Self {
            packed_i: v(units),
            mask_i: v(units),
            move_i: v(moves(units, network)),
            word_o: v(units),
            word: (0..=stages).map(|_| v(units)).collect(),
            _units: units,
            _stages: stages,
        }
    }
}

impl<const UB: usize> Logic for Unpack<UB> {
    #[hdl_gen]
    fn update(&mut self) {
        for p in 0..self._units {
            self.word[self._stages][p].next = self.packed_i[p].val();
        }
        comment!("The moves of packing, backwards");
        for b in 0..self._stages {
            for s in 1..self._units {
                if s == (1 << (self._stages - 1 - b)) {
                    for p in 0..self._units {
                        self.word[self._stages - 1 - b][p].next =
                            self.word[self._stages - b][p].val();
                        if p >= s {
                            if self.move_i[(self._stages - 1 - b) * self._units + 1 + p - 2 * s]
                                .val()
                                .get_bit(0)
                            {
                                self.word[self._stages - 1 - b][p].next =
                                    self.word[self._stages - b][p - s].val();
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
    module!(|this| Meta::module("sliced_unpack")
        .param("units", "u", this._units, "units of a word")
        .param("UB", "b", UB, "bits of a unit")
        .hidden("stages", this._stages, "stages"));
}
