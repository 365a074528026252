//! What the registers of one loop hold.

use super::TraversalShape;
use heddle_kernel::prelude::*;

/// Selects the values of one loop and the end test of its row, for values that come group by group.
///
/// # Timing
/// No registers.
#[module(name = "traversal_group", combinational, build)]
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
    #[argument]
    _cells: usize,
    /// Bits of an offset.
    _offset_bits: Generic<'w', W>,
}

impl<const W: usize> GroupValues<W> {
    /// The loops of a unit.
    pub fn new(shape: TraversalShape) -> Self {
        let (rows, cells) = (shape.rows, shape.rows * shape.loops);
        Self::build(rows, shape.loops, cells)
    }
}

#[kernel]
impl<const W: usize> GroupValues<W> {
    fn update(&mut self) {
        self.old_initial.next = 0.into();
        self.old_step.next = 0.into();
        self.equal.next = false;
        self.trips.next = false;
        for r in 0..self._rows {
            if self.row_i.val() == r.to_bits::<3>() {
                self.equal.next = self.equal.val() | self.equal_i[r].val();
                self.trips.next = self.trips.val() | self.trips_i[r].val();
            }
            for c in 0..self._loops {
                if (self.row_i.val() == r.to_bits::<3>()) & (self.col_i.val() == c.to_bits::<3>()) {
                    self.old_initial.next =
                        self.old_initial.val() | self.initial_i[r * self._loops + c].val();
                    self.old_step.next =
                        self.old_step.val() | self.step_i[r * self._loops + c].val();
                }
            }
        }
        self.initial_o.next = self.old_initial.val();
        self.step_o.next = self.old_step.val();
        self.equal_o.next = self.equal.val();
        self.trips_o.next = self.trips.val();
    }
}
