//! Arrangement of the configuration registers.

use super::{LoopRegisters, TraversalShape};
pub use heddle_arch::params::Arrangement;
use heddle_kernel::prelude::*;

/// Configuration registers of all rows and loops in one of three arrangements. The ports know rows
/// and loops only, port r * N + c belongs to loop c of row r.
///
/// # Timing
/// As the registers of one row: a write or load shows in the next cycle.
#[module(name = "traversal_array", no_reset, shape: TraversalShape)]
pub struct RegisterArray<const W: usize, const D: usize> {
    /// Writes the initial offset of the loop.
    pub write_initial_i: [Signal<In, Bit>; cells],
    /// Writes its step.
    pub write_step_i: [Signal<In, Bit>; cells],
    /// Writes its first distance.
    pub write_distance_i: [Signal<In, Bit>; cells],
    /// Initial offset to write.
    pub initial_i: Signal<In, Bits<W>>,
    /// Step to write.
    pub step_i: Signal<In, Bits<W>>,
    /// First distance to write.
    pub distance_i: Signal<In, Bits<D>>,
    /// The waiting set becomes active.
    pub load_i: Signal<In, Bit>,
    /// Initial offset of every loop.
    pub initial_o: [Signal<Out, Bits<W>>; cells],
    /// Step of every loop.
    pub step_o: [Signal<Out, Bits<W>>; cells],
    /// First distance of every loop.
    pub distance_o: [Signal<Out, Bits<D>>; cells],
    /// Initial offset of every loop in the waiting set.
    pub next_initial_o: [Signal<Out, Bits<W>>; cells],
    /// Step of every loop in the waiting set.
    pub next_step_o: [Signal<Out, Bits<W>>; cells],
    /// First distance of every loop in the waiting set.
    pub next_distance_o: [Signal<Out, Bits<D>>; cells],
    #[new(lengths.iter().map(|loops| LoopRegisters::new(*loops, double)).collect())]
    row: Vec<LoopRegisters<W, D>>,
    /// Rows.
    _rows: Param<'m'>,
    /// Loops in a row.
    _loops: Param<'n'>,
    /// Bits of an offset.
    _offset_bits: Generic<'w', W>,
    /// 1: a waiting and an active set.
    _double: Optional<'x'>,
    #[argument]
    _arrangement: Arrangement,
    /// 1: the leftmost column is the innermost loop.
    #[new((arrangement == Arrangement::Mirrored).into())]
    _mirrored: Optional<'l'>,
    /// 1: a column is a variable.
    #[new((arrangement == Arrangement::Transposed).into())]
    _transposed: Optional<'v'>,
    /// Loops in each row of registers.
    #[new(match transposed {
        0 => shape.looped().into_iter().map(|row| shape.loops_of(row)).collect(),
        _ => vec![rows; loops],
    })]
    _lengths: Vec<usize>,
    /// Rows of registers.
    #[new(lengths.len())]
    _array_rows: Hidden,
    #[new(shape.first(rows))]
    _cells: usize,
    _shape: TraversalShape,
    /// Number of rows, then the loops of each: the ports have these alone.
    #[new(shape.digits(rows, loops))]
    _row_loops: Feature<'r'>,
}

#[kernel]
impl<const W: usize, const D: usize> RegisterArray<W, D> {
    fn update(&mut self) {
        for k in 0..self._array_rows {
            self.row[k].initial_i = self.initial_i;
            self.row[k].step_i = self.step_i;
            self.row[k].distance_i = self.distance_i;
            self.row[k].load_i = self.load_i;
        }
        for r in 0..self._rows {
            let at = self._shape.place(r);
            for c in 0..self._shape.loops_of(r) {
                let cell = self._shape.first(r) + c;
                if self._transposed > 0 {
                    self.row[c].write_initial_i[r] = self.write_initial_i[cell];
                    self.row[c].write_step_i[r] = self.write_step_i[cell];
                    self.row[c].write_distance_i[r] = self.write_distance_i[cell];
                    self.initial_o[cell] = self.row[c].initial_o[r];
                    self.step_o[cell] = self.row[c].step_o[r];
                    self.distance_o[cell] = self.row[c].distance_o[r];
                    self.next_initial_o[cell] = self.row[c].next_initial_o[r];
                    self.next_step_o[cell] = self.row[c].next_step_o[r];
                    self.next_distance_o[cell] = self.row[c].next_distance_o[r];
                } else if self._mirrored > 0 {
                    self.row[r].write_initial_i[self._loops - 1 - c] = self.write_initial_i[cell];
                    self.row[r].write_step_i[self._loops - 1 - c] = self.write_step_i[cell];
                    self.row[r].write_distance_i[self._loops - 1 - c] = self.write_distance_i[cell];
                    self.initial_o[cell] = self.row[r].initial_o[self._loops - 1 - c];
                    self.step_o[cell] = self.row[r].step_o[self._loops - 1 - c];
                    self.distance_o[cell] = self.row[r].distance_o[self._loops - 1 - c];
                    self.next_initial_o[cell] = self.row[r].next_initial_o[self._loops - 1 - c];
                    self.next_step_o[cell] = self.row[r].next_step_o[self._loops - 1 - c];
                    self.next_distance_o[cell] = self.row[r].next_distance_o[self._loops - 1 - c];
                } else {
                    self.row[at].write_initial_i[c] = self.write_initial_i[cell];
                    self.row[at].write_step_i[c] = self.write_step_i[cell];
                    self.row[at].write_distance_i[c] = self.write_distance_i[cell];
                    self.initial_o[cell] = self.row[at].initial_o[c];
                    self.step_o[cell] = self.row[at].step_o[c];
                    self.distance_o[cell] = self.row[at].distance_o[c];
                    self.next_initial_o[cell] = self.row[at].next_initial_o[c];
                    self.next_step_o[cell] = self.row[at].next_step_o[c];
                    self.next_distance_o[cell] = self.row[at].next_distance_o[c];
                }
            }
        }
    }
}
