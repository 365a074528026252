//! Configuration registers of loops.

use heddle_kernel::prelude::*;

/// Configuration registers of some loops: initial offset (V), step (X) and first distance to the
/// end, offset + step - end. The end (Y) is kept in that form.
///
/// With two sets of registers a write goes to the waiting set, and `load_i` copies the waiting set to
/// the active one. With one set, both are the same.
///
/// # Timing
/// A write or load shows in the next cycle. There is no reset: registers are unknown until they
/// are written.
#[module(name = "traversal_registers", no_reset)]
pub struct LoopRegisters<const W: usize, const D: usize> {
    /// Writes the initial offset of the loop.
    pub write_initial_i: [Signal<In, Bit>; loops],
    /// Writes its step.
    pub write_step_i: [Signal<In, Bit>; loops],
    /// Writes its first distance.
    pub write_distance_i: [Signal<In, Bit>; loops],
    /// Initial offset to write.
    pub initial_i: Signal<In, Bits<W>>,
    /// Step to write.
    pub step_i: Signal<In, Bits<W>>,
    /// First distance to write.
    pub distance_i: Signal<In, Bits<D>>,
    /// The waiting set becomes active.
    pub load_i: Signal<In, Bit>,
    /// Initial offset of every loop.
    pub initial_o: [Signal<Out, Bits<W>>; loops],
    /// Step of every loop.
    pub step_o: [Signal<Out, Bits<W>>; loops],
    /// First distance of every loop.
    pub distance_o: [Signal<Out, Bits<D>>; loops],
    /// Initial offset of every loop in the waiting set.
    pub next_initial_o: [Signal<Out, Bits<W>>; loops],
    /// Step of every loop in the waiting set.
    pub next_step_o: [Signal<Out, Bits<W>>; loops],
    /// First distance of every loop in the waiting set.
    pub next_distance_o: [Signal<Out, Bits<D>>; loops],
    /// V, initial offsets, as written.
    initial: [RegData<Bits<W>>; loops],
    /// X, steps, as written.
    step: [RegData<Bits<W>>; loops],
    /// V + X - Y, first distances, as written.
    distance: [RegData<Bits<D>>; loops],
    /// V in use.
    active_initial: [RegData<Bits<W>>; second],
    /// X in use.
    active_step: [RegData<Bits<W>>; second],
    /// V + X - Y in use.
    active_distance: [RegData<Bits<D>>; second],
    /// Loops.
    _loops: Param<'n'>,
    #[new(double * loops)]
    _second: usize,
    /// Bits of an offset.
    _offset_bits: Generic<'w', W>,
    /// 1: a waiting and an active set.
    _double: Optional<'x'>,
}

#[kernel]
impl<const W: usize, const D: usize> LoopRegisters<W, D> {
    fn update(&mut self) {
        for c in 0..self._loops {
            self.initial[c].load(self.write_initial_i[c], self.initial_i);
            self.step[c].load(self.write_step_i[c], self.step_i);
            self.distance[c].load(self.write_distance_i[c], self.distance_i);
            self.next_initial_o[c] = self.initial[c];
            self.next_step_o[c] = self.step[c];
            self.next_distance_o[c] = self.distance[c];
        }
        if self._double > 0 {
            for c in 0..self._loops {
                self.active_initial[c].load(self.load_i, self.initial[c]);
                self.active_step[c].load(self.load_i, self.step[c]);
                self.active_distance[c].load(self.load_i, self.distance[c]);
                self.initial_o[c] = self.active_initial[c];
                self.step_o[c] = self.active_step[c];
                self.distance_o[c] = self.active_distance[c];
            }
        } else {
            self.initial_o.follow(&self.initial);
            self.step_o.follow(&self.step);
            self.distance_o.follow(&self.distance);
        }
    }
}
