//! Which slices a word needs.

use crate::prelude::*;

/// Counts the non-zero bytes of a word and selects the data slices they need.
///
/// # Timing
/// Combinational.
#[derive(LogicBlock)]
pub struct Count {
    /// Non-zero bytes of the word, one bit per byte.
    pub mask_i: Vec<Signal<In, Bits<1>>>,
    /// The word needs slice a: it has a non-zero byte.
    pub a_o: Signal<Out, Bit>,
    /// The word needs slice b too: it has more non-zero bytes than slice a holds.
    pub b_o: Signal<Out, Bit>,
    /// Number of non-zero bytes.
    count: Signal<Local, Bits<4>>,
    _first: usize,
}

impl Count {
    /// The selection for a slice a of `first` bytes.
    pub fn new(first: usize) -> Self {
        Self {
            mask_i: v(8),
            a_o: Default::default(),
            b_o: Default::default(),
            count: Default::default(),
            _first: first,
        }
    }
}

impl Logic for Count {
    #[hdl_gen]
    fn update(&mut self) {
        self.count.next = 0.into();
        for k in 0..8 {
            self.count.next = self.count.val() + self.mask_i[k].val().get_bits::<4>(0);
        }
        self.a_o.next = self.count.val() != bits::<4>(0);
        self.b_o.next = self.count.val() > self._first.to_bits::<4>();
    }
    module!(|this| Meta::module("sliced_count").param(
        "first",
        "f",
        this._first,
        "bytes in slice a"
    ));
}
