//! Wrap test and carry of the traversal unit.

use crate::prelude::*;

/// Odometer of a traversal unit: finds the loops that are in their last iteration and passes
/// the carry from the inner to the outer loops.
///
/// A loop is in its last iteration if offset + step >= end, with an offset + step of one bit
/// more than an offset. The test does not wait for that sum: offset + step - end is first
/// reduced to two numbers without carry propagation, so one comparison is all that follows.
///
/// # Timing
/// Combinational.
#[derive(LogicBlock)]
pub struct Odometer<const W: usize> {
    /// Offset of every loop.
    pub offset_i: Vec<Signal<In, Bits<W>>>,
    /// Step of every loop.
    pub step_i: Vec<Signal<In, Bits<W>>>,
    /// End of every loop.
    pub limit_i: Vec<Signal<In, Bits<W>>>,
    /// The loop is in its last iteration: a step makes it wrap.
    pub final_o: Vec<Signal<Out, Bit>>,
    /// A step changes the loop: all loops inside it are in their last iteration.
    pub carry_o: Vec<Signal<Out, Bit>>,
    /// All loops are in their last iteration.
    pub last_o: Signal<Out, Bit>,

    half_sum: Vec<Signal<Local, Bits<W>>>,
    half_carry: Vec<Signal<Local, Bits<W>>>,
    carry: Signal<Local, Bit>,
    _loops: usize,
}

impl<const W: usize> Odometer<W> {
    /// The odometer of `loops` loops.
    pub fn new(loops: usize) -> Self {
        Self {
            offset_i: v(loops),
            step_i: v(loops),
            limit_i: v(loops),
            final_o: v(loops),
            carry_o: v(loops),
            last_o: Default::default(),
            half_sum: v(loops),
            half_carry: v(loops),
            carry: Default::default(),
            _loops: loops,
        }
    }
}

impl<const W: usize> Logic for Odometer<W> {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("offset + step + ~end = half_sum + 2 * half_carry");
        for c in 0..self._loops {
            self.half_sum[c].next =
                self.offset_i[c].val() ^ self.step_i[c].val() ^ !self.limit_i[c].val();
            self.half_carry[c].next = (self.offset_i[c].val() & self.step_i[c].val())
                | ((self.offset_i[c].val() | self.step_i[c].val()) & !self.limit_i[c].val());
        }

        comment!("Final if that sum plus 1 reaches 2^W, W being the bits of an offset");
        for c in 0..self._loops {
            self.final_o[c].next = self.half_carry[c].val().get_bit(W - 1)
                | (((self.half_carry[c].val() << 1) | 1) > !self.half_sum[c].val());
        }

        self.carry.next = true;
        for c in 0..self._loops {
            self.carry_o[c].next = self.carry.val();
            self.carry.next = self.carry.val() & self.final_o[c].val();
        }
        self.last_o.next = self.carry.val();
    }
    module!(|this| Meta::module("traversal_odometer")
        .param("loops", "n", this._loops, "loops")
        .param("W", "w", W, "bits of an offset"));
}
