//! Number of non-zero units.

use crate::prelude::*;

/// Counts the non-zero units of a word in a tree of adders.
///
/// # Timing
/// Combinational.
#[derive(LogicBlock)]
pub struct Population {
    /// Non-zero units of the word, by position.
    pub mask_i: Vec<Signal<In, Bits<1>>>,
    /// Number of these.
    pub pop_o: Signal<Out, Bits<7>>,
    /// Node n - 1 is the sum of the nodes 2n - 1 and 2n; the last ones are the units.
    sum: Vec<Signal<Local, Bits<7>>>,
    _units: usize,
}

impl Population {
    /// The count of a word of `units` units.
    ///
    /// # Panics
    /// If `units` is not in 1..=64.
    pub fn new(units: usize) -> Self {
        assert!(
            (1..=64).contains(&units),
            "a word has {units} units, allowed 1 to 64"
        );
        Self {
            mask_i: v(units),
            pop_o: Default::default(),
            sum: v(2 * units - 1),
            _units: units,
        }
    }
}

impl Logic for Population {
    #[hdl_gen]
    fn update(&mut self) {
        for j in 0..self._units {
            self.sum[self._units - 1 + j].next = self.mask_i[j].val().get_bits::<7>(0);
        }
        for i in 0..(self._units - 1) {
            self.sum[self._units - 2 - i].next = self.sum[2 * (self._units - 2 - i) + 1].val()
                + self.sum[2 * (self._units - 2 - i) + 2].val();
        }
        self.pop_o.next = self.sum[0].val();
    }
    module!(|this| Meta::module("sliced_population").param(
        "units",
        "u",
        this._units,
        "units of a word"
    ));
}
