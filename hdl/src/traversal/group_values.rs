//! What the registers of one loop hold.

use super::TraversalShape;
use heddle_kernel::prelude::*;

/// Selects the values of one loop and the end test of its row, for values that come group by group.
///
/// # Timing
/// No registers.
#[module(name = "traversal_group", combinational, shape: TraversalShape)]
pub struct GroupValues<const W: usize> {
    /// Row.
    pub row_i: Signal<In, Bits<3>>,
    /// Loop.
    pub col_i: Signal<In, Bits<3>>,
    /// Initial offset of every loop, row by row.
    pub initial_i: [Signal<In, Bits<W>>; cells],
    /// Step of every loop, row by row.
    pub step_i: [Signal<In, Bits<W>>; cells],
    /// The end test of the row is equality.
    pub equal_i: [Signal<In, Bit>; rows],
    /// The row counts iterations.
    pub trips_i: [Signal<In, Bit>; rows],
    /// Initial offset of the loop; 0 of a loop that does not exist.
    pub initial_o: Signal<Out, Bits<W>>,
    /// Step of the loop.
    pub step_o: Signal<Out, Bits<W>>,
    /// The end test of its row is equality.
    pub equal_o: Signal<Out, Bit>,
    /// Its row counts iterations.
    pub trips_o: Signal<Out, Bit>,
    old_initial: Signal<Local, Bits<W>>,
    old_step: Signal<Local, Bits<W>>,
    equal: Signal<Local, Bit>,
    trips: Signal<Local, Bit>,
    /// Rows.
    _rows: Param<'m'>,
    /// Loops in a row.
    _loops: Param<'n'>,
    #[new(rows * loops)]
    _cells: usize,
    /// Bits of an offset.
    _offset_bits: Generic<'w', W>,
}

#[kernel]
impl<const W: usize> GroupValues<W> {
    fn update(&mut self) {
        self.old_initial = 0.into();
        self.old_step = 0.into();
        self.equal = false;
        self.trips = false;
        for r in 0..self._rows {
            if self.row_i == r.to_bits::<3>() {
                self.equal = self.equal | self.equal_i[r];
                self.trips = self.trips | self.trips_i[r];
            }
            for c in 0..self._loops {
                if (self.row_i == r.to_bits::<3>()) & (self.col_i == c.to_bits::<3>()) {
                    self.old_initial = self.old_initial | self.initial_i[r * self._loops + c];
                    self.old_step = self.old_step | self.step_i[r * self._loops + c];
                }
            }
        }
        self.initial_o = self.old_initial;
        self.step_o = self.old_step;
        self.equal_o = self.equal;
        self.trips_o = self.trips;
    }
}
