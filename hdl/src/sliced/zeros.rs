//! Zero units before each unit of a word.

use heddle_kernel::prelude::*;

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

/// Place, among the bits of [`planes`], of bit t for position p, which is at least 2^t.
pub(super) fn place(units: usize, t: usize, p: usize) -> usize {
    t * units + 1 + p - (2 << t)
}

/// Counts the zero units before each unit of a word. Bit 0 of a count is 1 if there is an odd
/// number of zero units before the unit; every second zero unit, one that meets a 1 there,
/// carries into bit 1, every second of these into bit 2, and so on.
///
/// # Timing
/// Combinational.
#[module(name = "sliced_zeros", combinational)]
pub struct Zeros {
    /// Non-zero units of the word, by position; the last one does not matter.
    pub mask_i: [Signal<In, Bits<1>>; units - 1],
    /// Bits 0 of all counts, then bits 1, and so on: bits t are those of the positions from 2^t
    /// on, as those of all others are 0.
    pub zeros_o: [Signal<Out, Bit>; planes(units)],
    /// Units that carry into bit t, and whether the number of these among the last 2, 4, 8, ...
    /// is odd; of all t.
    odd: [[Signal<Local, Bit>; planes(units)]; bits + 1],
    /// Units of a word.
    _units: Param<'u'>,
    #[new(stages(units))]
    _bits: usize,
}

#[kernel]
impl Zeros {
    fn update(&mut self) {
        for t in 0..self._bits {
            let s = 1 << t;
            comment!("Units that carry into the next bit of the counts");
            for p in s..self._units {
                // Unit p - 1 counts for the positions from p on.
                if t == 0 {
                    self.odd[0][p - 1] = !self.mask_i[p - 1].get_bit(0);
                } else {
                    self.odd[0][place(self._units, t, p)] = self.odd[0]
                        [place(self._units, t - 1, p)]
                        & self.zeros_o[place(self._units, t - 1, p - 1)];
                }
            }
            comment!("Is the number of these odd, in growing neighbourhoods?");
            for l in 0..self._bits {
                for p in s..self._units {
                    let bit = place(self._units, t, p);
                    if p < s + (1 << l) {
                        self.odd[l + 1][bit] = self.odd[l][bit];
                    } else {
                        self.odd[l + 1][bit] = self.odd[l][bit] ^ self.odd[l][bit - (1 << l)];
                    }
                }
            }
            for p in s..self._units {
                let bit = place(self._units, t, p);
                self.zeros_o[bit] = self.odd[self._bits][bit];
            }
        }
    }
}
