//! From the packed word to the word.

use super::route::{half_moves, levels, moves_on};
use super::zeros::{place, stages};
use super::{Network, moves};
use heddle_kernel::prelude::*;

/// Moves packed units, UB bits each, back to their positions in the word and puts zeros between
/// them. Every zero comes from the mask, so that what the packed word holds elsewhere never
/// reaches the word.
///
/// # Timing
/// Combinational.
#[module(combinational, describe)]
pub struct Unpack<const UB: usize> {
    /// Packed word, by position.
    pub packed_i: [Signal<In, Bits<UB>>; units],
    /// Non-zero units of the word, by position.
    pub mask_i: [Signal<In, Bits<1>>; units],
    /// Moves that packed the word, of all stages.
    pub move_i: [Signal<In, Bits<1>>; moves(units, network)],
    /// Word, by position.
    pub word_o: [Signal<Out, Bits<UB>>; units],
    /// The word before each stage of packing and behind the last one.
    word: [[Signal<Local, Bits<UB>>; units]; levels + 1],
    /// Units of a word.
    _units: Param<'u'>,
    /// How far they move.
    _network: Network,
    #[new(stages(units))]
    _stages: usize,
    #[new(levels(units, network))]
    _levels: usize,
    #[new(half_moves(units))]
    _half_moves: usize,
    /// Bits of a unit.
    _unit_bits: Generic<'b', UB>,
}

impl<const UB: usize> Unpack<UB> {
    fn describe(&self, meta: Meta) -> Meta {
        meta.named(match self._network {
            Network::Split => "sliced_unpack_split",
            _ => "sliced_unpack",
        })
    }
}

#[kernel]
impl<const UB: usize> Unpack<UB> {
    fn update(&mut self) {
        self.word[self._levels].follow(&self.packed_i);
        comment!("The moves of packing, backwards");
        if self._network == Network::Split {
            let left = self._units / 2;
            for t in (0..self._stages).rev() {
                self.right_half(t, self._stages - 1 + t);
            }
            for t in (0..self._stages - 1).rev() {
                for e in 0..2 {
                    self.stage(t, e * left, left, e * self._half_moves);
                }
            }
        } else {
            for t in (0..self._stages).rev() {
                self.stage(t, 0, self._units, 0);
            }
        }
        comment!("Zeros come from the mask");
        for p in 0..self._units {
            self.word_o[p] = mux(self.mask_i[p].get_bit(0), self.word[0][p], 0.into());
        }
    }

    /// Stage t within `width` units from position `from` on, whose moves begin at `moves`.
    fn stage(&mut self, t: usize, from: usize, width: usize, moves: usize) {
        for p in 0..width {
            let at = from + p;
            self.word[t][at] = self.word[t + 1][at];
            if p >= 1 << t {
                let moved = self.move_i[moves + place(width, t, p)];
                if moved.get_bit(0) {
                    self.word[t][at] = self.word[t + 1][at - (1 << t)];
                }
            }
        }
    }

    /// The right half was moved on by 2^t, from level `l` to the next one.
    fn right_half(&mut self, t: usize, l: usize) {
        for p in 0..self._units {
            self.word[l][p] = self.word[l + 1][p];
            if moves_on(self._units / 2, 1 << t, p) {
                let moved = self.move_i[2 * self._half_moves + t];
                if moved.get_bit(0) {
                    self.word[l][p] = self.word[l + 1][p - (1 << t)];
                }
            }
        }
    }
}
