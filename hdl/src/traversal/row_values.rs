//! Base and end test of the rows in use.

use super::TraversalShape;
use crate::prelude::*;

/// What a traversal uses of the rows beside the values of their loops: base and end test. With two
/// sets of registers they are copied from the waiting set, with one set they are what is written.
///
/// # Timing
/// With two sets a load shows in the next cycle. With one set there are no registers.
#[derive(LogicBlock, Default)]
pub struct RowValues<const A: usize> {
    /// Clock.
    pub clk: Signal<In, Clock>,

    /// The waiting set becomes active.
    pub load_i: Signal<In, Bit>,
    /// With a load (two sets) or always (one set): bases count as 0.
    pub bare_i: Signal<In, Bit>,
    /// Base of every row, as written.
    pub base_i: Vec<Signal<In, Bits<A>>>,
    /// The row counts iterations, as written.
    pub trips_i: Vec<Signal<In, Bit>>,
    /// The end test of the row is equality, as written.
    pub equal_i: Vec<Signal<In, Bit>>,
    /// Base of every row.
    pub base_o: Vec<Signal<Out, Bits<A>>>,
    /// The row counts iterations.
    pub trips_o: Vec<Signal<Out, Bit>>,
    /// The end test of the row is equality.
    pub equal_o: Vec<Signal<Out, Bit>>,

    wanted: Vec<Signal<Local, Bits<A>>>,
    active_base: Vec<RegData<Bits<A>>>,
    active_trips: Vec<RegData<Bit>>,
    active_equal: Vec<RegData<Bit>>,
    _rows: usize,
    _double: usize,
    _equality: usize,
    _trips: usize,
}

impl<const A: usize> RowValues<A> {
    /// The rows of a unit.
    pub fn new(shape: TraversalShape) -> Self {
        let rows = shape.rows;
        let second = |wanted: bool| if shape.double && wanted { rows } else { 0 };
        Self {
            base_i: v(rows),
            trips_i: v(rows),
            equal_i: v(rows),
            base_o: v(rows),
            trips_o: v(rows),
            equal_o: v(rows),
            wanted: v(rows),
            active_base: v(second(true)),
            active_trips: v(second(shape.trips)),
            active_equal: v(second(shape.equality)),
            _rows: rows,
            _double: shape.double.into(),
            _equality: shape.equality.into(),
            _trips: shape.trips.into(),
            ..Self::default()
        }
    }
}

impl<const A: usize> Logic for RowValues<A> {
    #[hdl_gen]
    fn update(&mut self) {
        for r in 0..self._rows {
            self.wanted[r].next = self.base_i[r].val();
            if self.bare_i.val() {
                self.wanted[r].next = 0.into();
            }
        }
        if self._double > 0 {
            for r in 0..self._rows {
                self.active_base[r].clk.next = self.clk.val();
                self.active_base[r].en_i.next = self.load_i.val();
                self.active_base[r].d_i.next = self.wanted[r].val();
                self.base_o[r].next = self.active_base[r].q_o.val();
                if self._trips > 0 {
                    self.active_trips[r].clk.next = self.clk.val();
                    self.active_trips[r].en_i.next = self.load_i.val();
                    self.active_trips[r].d_i.next = self.trips_i[r].val();
                    self.trips_o[r].next = self.active_trips[r].q_o.val();
                } else {
                    self.trips_o[r].next = false;
                }
                if self._equality > 0 {
                    self.active_equal[r].clk.next = self.clk.val();
                    self.active_equal[r].en_i.next = self.load_i.val();
                    self.active_equal[r].d_i.next = self.equal_i[r].val();
                    self.equal_o[r].next = self.active_equal[r].q_o.val();
                } else {
                    self.equal_o[r].next = false;
                }
            }
        } else {
            for r in 0..self._rows {
                self.base_o[r].next = self.wanted[r].val();
                self.trips_o[r].next = self.trips_i[r].val();
                self.equal_o[r].next = self.equal_i[r].val();
            }
        }
    }
    module!(|this| Meta::module("traversal_rows")
        .param("rows", "m", this._rows, "rows")
        .param("A", "a", A, "bits of an address")
        .option("double", "x", this._double, "1: two sets of registers")
        .option(
            "equality",
            "q",
            this._equality,
            "1: the end test may be equality"
        )
        .option("trips", "t", this._trips, "1: a row may count iterations"));
}
