//! From the word to the packed word.

use super::route::{half_moves, levels, moves_on};
use super::zeros::{place, stages};
use super::{Network, moves};
use heddle_kernel::prelude::*;

/// Moves the non-zero units of a word, UB bits each, towards position 0, in stages by 1, 2,
/// 4, ... positions as [`Route`](super::Route) says, and fills the rest with zeros.
///
/// # Timing
/// Combinational.
#[module(combinational, describe)]
pub struct Pack<const UB: usize> {
    /// Word, by position.
    pub word_i: [Signal<In, Bits<UB>>; units],
    /// Its non-zero units.
    pub mask_i: [Signal<In, Bits<1>>; units],
    /// Moves of all stages.
    pub move_i: [Signal<In, Bits<1>>; moves(units, network)],
    /// Packed word, by position.
    pub packed_o: [Signal<Out, Bits<UB>>; units],
    /// Positions at which a non-zero unit arrived.
    pub lane_o: [Signal<Out, Bits<1>>; units],
    /// The word before each stage and behind the last one.
    word: [[Signal<Local, Bits<UB>>; units]; levels + 1],
    /// The word before a stage without the units that this stage moves.
    kept: [[Signal<Local, Bits<UB>>; units]; if network == Network::Split {
        stages - 1
    } else {
        stages
    }],
    /// Positions of the non-zero units in `word`.
    lane: [[Signal<Local, Bit>; units]; levels + 1],
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

impl<const UB: usize> Pack<UB> {
    fn describe(&self, meta: Meta) -> Meta {
        meta.named(match self._network {
            Network::Split => "sliced_pack_split",
            _ => "sliced_pack",
        })
    }
}

#[kernel]
impl<const UB: usize> Pack<UB> {
    fn update(&mut self) {
        for p in 0..self._units {
            self.word[0][p] = self.word_i[p];
            self.lane[0][p] = self.mask_i[p].get_bit(0);
        }
        comment!("A unit that moves leaves a zero behind, unless another takes its place");
        if self._network == Network::Split {
            let left = self._units / 2;
            for t in 0..self._stages - 1 {
                for e in 0..2 {
                    self.stage(t, e * left, left, e * self._half_moves);
                }
            }
            comment!("The right half moves on as a whole, to where there is nothing");
            for t in 0..self._stages {
                self.right_half(t, self._stages - 1 + t);
            }
        } else {
            for t in 0..self._stages {
                self.stage(t, 0, self._units, 0);
            }
        }
        for p in 0..self._units {
            self.packed_o[p] = self.word[self._levels][p];
            self.lane_o[p] = self.lane[self._levels][p].into();
        }
    }

    /// Stage t within `width` units from position `from` on, whose moves begin at `moves`.
    fn stage(&mut self, t: usize, from: usize, width: usize, moves: usize) {
        let s = 1 << t;
        for p in 0..width {
            let at = from + p;
            self.kept[t][at] = self.word[t][at];
            if p >= s {
                let leaves = self.move_i[moves + place(width, t, p)];
                if leaves.get_bit(0) {
                    self.kept[t][at] = 0.into();
                }
            }
            self.word[t + 1][at] = self.kept[t][at];
            if p + s < width {
                let arrives = self.move_i[moves + place(width, t, p + s)];
                if arrives.get_bit(0) {
                    self.word[t + 1][at] = self.word[t][at + s];
                }
            }
            let lane = self.lane[t][at];
            if p < s {
                let arrives = self.move_i[moves + place(width, t, p + s)];
                self.lane[t + 1][at] = lane | arrives.get_bit(0);
            } else if p + s < width {
                let leaves = self.move_i[moves + place(width, t, p)];
                let arrives = self.move_i[moves + place(width, t, p + s)];
                self.lane[t + 1][at] = (lane & !leaves.get_bit(0)) | arrives.get_bit(0);
            } else {
                let leaves = self.move_i[moves + place(width, t, p)];
                self.lane[t + 1][at] = lane & !leaves.get_bit(0);
            }
        }
    }

    /// The right half moves on by 2^t, from level `l` to the next one.
    fn right_half(&mut self, t: usize, l: usize) {
        let s = 1 << t;
        let left = self._units / 2;
        let go = self.move_i[2 * self._half_moves + t].get_bit(0);
        for p in 0..self._units {
            let word = self.word[l][p];
            let lane = self.lane[l][p];
            self.word[l + 1][p] = word;
            match (moves_on(left, s, p), moves_on(left, s, p + s)) {
                (true, true) => {
                    if go {
                        self.word[l + 1][p] = self.word[l][p + s];
                    }
                    self.lane[l + 1][p] = (lane & !go) | (self.lane[l][p + s] & go);
                }
                (true, false) => {
                    if go {
                        self.word[l + 1][p] = 0.into();
                    }
                    self.lane[l + 1][p] = lane & !go;
                }
                (false, true) => {
                    if go {
                        self.word[l + 1][p] = word | self.word[l][p + s];
                    }
                    self.lane[l + 1][p] = lane | (self.lane[l][p + s] & go);
                }
                (false, false) => {
                    self.lane[l + 1][p] = lane;
                }
            }
        }
    }
}
