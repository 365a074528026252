//! Number of non-zero units.

use crate::prelude::*;

/// Counts the non-zero units of a word in a tree of adders. They are written bit by bit: a carry
/// chain of an FPGA is slower than a few LUTs at these widths.
///
/// # Timing
/// Combinational.
#[derive(LogicBlock)]
pub struct Population {
    /// Non-zero units of the word, by position.
    pub mask_i: Vec<Signal<In, Bits<1>>>,
    /// Number of these.
    pub pop_o: Signal<Out, Bits<7>>,
    /// Bits of each node. Node n - 1 is the sum of the nodes 2n - 1 and 2n; the last nodes are the
    /// units.
    sum: Vec<Vec<Signal<Local, Bit>>>,
    /// Carries into each bit of a node.
    carry: Vec<Vec<Signal<Local, Bit>>>,
    /// The number, collected.
    pop: Signal<Local, Bits<7>>,
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
            sum: (0..2 * units - 1).map(|_| v(7)).collect(),
            carry: (0..units - 1).map(|_| v(7)).collect(),
            pop: Default::default(),
            _units: units,
        }
    }
}

impl Logic for Population {
    #[hdl_gen]
    fn update(&mut self) {
        for j in 0..self._units {
            for b in 0..7 {
                self.sum[self._units - 1 + j][b].next = false;
            }
            self.sum[self._units - 1 + j][0].next = self.mask_i[j].val().get_bit(0);
        }
        for i in 0..(self._units - 1) {
            self.carry[self._units - 2 - i][0].next = false;
            for b in 0..7 {
                self.sum[self._units - 2 - i][b].next = self.sum[2 * (self._units - 2 - i) + 1][b]
                    .val()
                    ^ self.sum[2 * (self._units - 2 - i) + 2][b].val()
                    ^ self.carry[self._units - 2 - i][b].val();
                if b < 6 {
                    self.carry[self._units - 2 - i][b + 1].next =
                        (self.sum[2 * (self._units - 2 - i) + 1][b].val()
                            & self.sum[2 * (self._units - 2 - i) + 2][b].val())
                            | (self.carry[self._units - 2 - i][b].val()
                                & (self.sum[2 * (self._units - 2 - i) + 1][b].val()
                                    ^ self.sum[2 * (self._units - 2 - i) + 2][b].val()));
                }
            }
        }
        self.pop.next = 0.into();
        for b in 0..7 {
            self.pop.next = self.pop.val().replace_bit(b, self.sum[0][b].val());
        }
        self.pop_o.next = self.pop.val();
    }
    module!(|this| Meta::module("sliced_population").param(
        "units",
        "u",
        this._units,
        "units of a word"
    ));
}
