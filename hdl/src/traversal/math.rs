//! Adders of the traversal unit.

use crate::prelude::*;

/// Math unit of a traversal unit: adders and nothing else. It forms the address of the active
/// row, base plus the offsets of all loops, and for every loop offset plus step.
///
/// # Timing
/// Combinational. Sums wrap at the width of their output.
#[derive(LogicBlock)]
pub struct MathUnit<const W: usize, const A: usize> {
    /// Base address.
    pub base_i: Signal<In, Bits<A>>,
    /// Offset of every loop.
    pub offset_i: Vec<Signal<In, Bits<W>>>,
    /// Step of every loop.
    pub step_i: Vec<Signal<In, Bits<W>>>,
    /// Base plus all offsets.
    pub addr_o: Signal<Out, Bits<A>>,
    /// Offset plus step of every loop.
    pub next_o: Vec<Signal<Out, Bits<W>>>,
    _loops: usize,
}

impl<const W: usize, const A: usize> MathUnit<W, A> {
    /// The adders for `loops` loops.
    pub fn new(loops: usize) -> Self {
        Self {
            base_i: Default::default(),
            offset_i: v(loops),
            step_i: v(loops),
            addr_o: Default::default(),
            next_o: v(loops),
            _loops: loops,
        }
    }
}

impl<const W: usize, const A: usize> Logic for MathUnit<W, A> {
    #[hdl_gen]
    fn update(&mut self) {
        for c in 0..self._loops {
            self.next_o[c].next = self.offset_i[c].val() + self.step_i[c].val();
        }

        self.addr_o.next = self.base_i.val();
        for c in 0..self._loops {
            self.addr_o.next = self.addr_o.val() + self.offset_i[c].val().get_bits::<A>(0);
        }
    }
    module!(|this| Meta::module("traversal_math")
        .param("loops", "n", this._loops, "loops")
        .param("W", "w", W, "bits of an offset")
        .param("A", "a", A, "bits of an address"));
}
