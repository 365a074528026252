//! Zero units before each unit of a word.

use crate::prelude::*;

/// Number of stages that move by 1, 2, 4, ... and reach every position of the word.
///
/// # Panics
/// If `units` is not a power of two from 2 to 64.
pub(super) fn stages(units: usize) -> usize {
    assert!(
        units.is_power_of_two() && (2..=64).contains(&units),
        "a word has {units} units, allowed a power of two from 2 to 64"
    );
    units.ilog2() as usize
}

/// Bits of the counts of all units: bit t of a count can be 1 from position 2^t on.
///
/// # Panics
/// If `units` is not a power of two from 2 to 64.
pub(super) fn planes(units: usize) -> usize {
    (0..stages(units)).map(|t| units - (1 << t)).sum()
}

/// Counts the zero units before each unit of a word. Bit 0 of a count is 1 if there is an odd
/// number of zero units before the unit; every second zero unit, one that meets a 1 there,
/// carries into bit 1, every second of these into bit 2, and so on.
///
/// # Timing
/// Combinational.
#[derive(LogicBlock)]
pub struct Zeros {
    /// Non-zero units of the word, by position; the last one does not matter.
    pub mask_i: Vec<Signal<In, Bits<1>>>,
    /// Bits 0 of all counts, then bits 1, and so on: bits t are those of the positions from 2^t
    /// on, as those of all others are 0.
    pub zeros_o: Vec<Signal<Out, Bit>>,

    /// Units that carry into bit t, and whether the number of these among the last 2, 4, 8, ...
    /// is odd; of all t.
    odd: Vec<Vec<Signal<Local, Bit>>>,
    _units: usize,
    _bits: usize,
}

impl Zeros {
    /// The counts of a word of `units` units.
    ///
    /// # Panics
    /// If `units` is not a power of two from 2 to 64.
    pub fn new(units: usize) -> Self {
        Self {
            mask_i: v(units - 1),
            zeros_o: v(planes(units)),
            odd: (0..=stages(units)).map(|_| v(planes(units))).collect(),
            _units: units,
            _bits: stages(units),
        }
    }
}

impl Logic for Zeros {
    #[hdl_gen]
    fn update(&mut self) {
        for t in 0..self._bits {
            for s in 1..self._units {
                if s == (1 << t) {
                    comment!("Units that carry into the next bit of the counts");
                    for i in 0..self._units {
                        // Unit i + s - 1 counts for the positions from i + s on.
                        if t == 0 && i + s < self._units {
                            self.odd[0][i].next = !self.mask_i[i].val().get_bit(0);
                        }
                        if t > 0 && i + s < self._units {
                            self.odd[0][t * self._units + 1 + i - s].next =
                                self.odd[0][(t - 1) * self._units + 1 + i].val()
                                    & self.zeros_o[(t - 1) * self._units + i].val();
                        }
                    }
                    comment!("Is the number of these odd, in growing neighbourhoods?");
                    for l in 0..self._bits {
                        for w in 1..self._units {
                            if w == (1 << l) {
                                for i in 0..self._units {
                                    if i + s < self._units && i < w {
                                        self.odd[l + 1][t * self._units + 1 + i - s].next =
                                            self.odd[l][t * self._units + 1 + i - s].val();
                                    }
                                    if i + s < self._units && i >= w {
                                        self.odd[l + 1][t * self._units + 1 + i - s].next = self
                                            .odd[l][t * self._units + 1 + i - s]
                                            .val()
                                            ^ self.odd[l][t * self._units + 1 + i - s - w].val();
                                    }
                                }
                            }
                        }
                    }
                    for i in 0..self._units {
                        if i + s < self._units {
                            self.zeros_o[t * self._units + 1 + i - s].next =
                                self.odd[self._bits][t * self._units + 1 + i - s].val();
                        }
                    }
                }
            }
        }
    }
    module!(|this| Meta::module("sliced_zeros")
        .param("units", "u", this._units, "units of a word")
        .hidden("bits", this._bits, "bits of a count"));
}
