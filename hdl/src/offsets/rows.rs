//! All rows.

use super::{OffsetRow, OffsetShape, OffsetWave};
use crate::prelude::*;

/// All rows of an offset unit. With skew a slot moves from row to row, one in a clock; with
/// broadcast it is in all rows at once.
///
/// # Timing
/// A slot accepted in cycle t shows at the outputs of row r in t + 1 + r (skew) or t + 1
/// (broadcast). `end_o` goes with the last step of a run in the last row.
#[derive(LogicBlock)]
pub struct OffsetRows<const A: usize> {
    /// Clock.
    pub clk: Signal<In, Clock>,
    /// Reset, active low.
    pub rst_n: Signal<In, Bit>,

    /// The rows may take a slot; always with skew.
    pub advance_i: Signal<In, Bit>,
    /// A slot is accepted.
    pub accept_i: Signal<In, Bit>,
    /// What it is, see the sequencer.
    pub tag_i: Signal<In, Bits<7>>,
    /// Its value.
    pub value_i: Signal<In, Bits<A>>,
    /// Its row bits.
    pub row_i: Vec<Signal<In, Bits<1>>>,
    /// Its column bits.
    pub col_i: Vec<Signal<In, Bits<1>>>,

    /// A step is in row r.
    pub row_valid_o: Vec<Signal<Out, Bit>>,
    /// Row r reads.
    pub row_ren_o: Vec<Signal<Out, Bit>>,
    /// Its byte address.
    pub row_addr_o: Vec<Signal<Out, Bits<A>>>,
    /// First step of a pass.
    pub row_first_o: Vec<Signal<Out, Bit>>,
    /// Last step of a pass.
    pub row_last_o: Vec<Signal<Out, Bit>>,
    /// The last step of the run is in the last row.
    pub end_o: Signal<Out, Bit>,

    row: Vec<OffsetRow<A>>,
    /// Between the rows; only with skew.
    wave: Vec<OffsetWave<A>>,
    last_step: RegEn<Bit>,

    /// The slot at each row.
    load: Vec<Signal<Local, Bit>>,
    step: Vec<Signal<Local, Bit>>,
    first: Vec<Signal<Local, Bit>>,
    last: Vec<Signal<Local, Bit>>,
    mark: Vec<Signal<Local, Bit>>,
    value: Vec<Signal<Local, Bits<A>>>,
    row_bit: Vec<Vec<Signal<Local, Bits<1>>>>,
    col_bit: Vec<Vec<Signal<Local, Bits<1>>>>,
    _rows: usize,
    _taps: usize,
    _broadcast: usize,
    _kept: usize,
}

impl<const A: usize> OffsetRows<A> {
    /// The rows of a unit of this shape.
    pub fn new(shape: &OffsetShape) -> Self {
        let (rows, taps) = (shape.rows, shape.taps);
        let waves = if shape.broadcast { 0 } else { rows - 1 };
        Self {
            clk: Default::default(),
            rst_n: Default::default(),
            advance_i: Default::default(),
            accept_i: Default::default(),
            tag_i: Default::default(),
            value_i: Default::default(),
            row_i: v(taps),
            col_i: v(taps),
            row_valid_o: v(rows),
            row_ren_o: v(rows),
            row_addr_o: v(rows),
            row_first_o: v(rows),
            row_last_o: v(rows),
            end_o: Default::default(),
            row: (0..rows)
                .map(|_| OffsetRow::new(taps, shape.kept()))
                .collect(),
            wave: (0..waves).map(|_| OffsetWave::new(taps)).collect(),
            last_step: Default::default(),
            load: v(rows),
            step: v(rows),
            first: v(rows),
            last: v(rows),
            mark: v(rows),
            value: v(rows),
            row_bit: (0..rows).map(|_| v(taps)).collect(),
            col_bit: (0..rows).map(|_| v(taps)).collect(),
            _rows: rows,
            _taps: taps,
            _broadcast: shape.broadcast.into(),
            _kept: shape.kept(),
        }
    }
}

impl<const A: usize> Logic for OffsetRows<A> {
    #[hdl_gen]
    fn update(&mut self) {
        for r in 0..self._rows {
            if (r > 0) & (self._broadcast == 0) {
                comment!("Skew: what row r - 1 had in the clock before");
                self.wave[r - 1].clk.next = self.clk.val();
                self.wave[r - 1].rst_n.next = self.rst_n.val();
                self.wave[r - 1].took_i.next = self.row[r - 1].took_o.val();
                self.wave[r - 1].load_i.next = self.load[r - 1].val();
                self.wave[r - 1].step_i.next = self.step[r - 1].val();
                self.wave[r - 1].first_i.next = self.first[r - 1].val();
                self.wave[r - 1].last_i.next = self.last[r - 1].val();
                self.wave[r - 1].mark_i.next = self.mark[r - 1].val();
                self.wave[r - 1].value_i.next = self.value[r - 1].val();
                self.load[r].next = self.wave[r - 1].load_o.val();
                self.step[r].next = self.wave[r - 1].step_o.val();
                self.first[r].next = self.wave[r - 1].first_o.val();
                self.last[r].next = self.wave[r - 1].last_o.val();
                self.mark[r].next = self.wave[r - 1].mark_o.val();
                self.value[r].next = self.wave[r - 1].value_o.val();
                for i in 0..self._taps {
                    self.wave[r - 1].row_i[i].next = self.row_bit[r - 1][i].val();
                    self.wave[r - 1].col_i[i].next = self.col_bit[r - 1][i].val();
                    self.row_bit[r][i].next = self.wave[r - 1].row_o[i].val();
                    self.col_bit[r][i].next = self.wave[r - 1].col_o[i].val();
                }
            } else {
                self.load[r].next = self.accept_i.val() & self.tag_i.val().get_bit(0);
                self.step[r].next = self.accept_i.val() & !self.tag_i.val().get_bit(0);
                self.first[r].next = self.tag_i.val().get_bit(1);
                if r > 0 {
                    // Broadcast: the row before took the load slot before.
                    if self.tag_i.val().get_bit(0) {
                        self.first[r].next = self.row[r - 1].took_o.val();
                    }
                }
                self.last[r].next = self.tag_i.val().get_bit(2);
                self.mark[r].next = self.tag_i.val().get_bit(3);
                self.value[r].next = self.value_i.val();
                for i in 0..self._taps {
                    self.row_bit[r][i].next = self.row_i[i].val();
                    self.col_bit[r][i].next = self.col_i[i].val();
                }
            }
        }

        for r in 0..self._rows {
            self.row[r].clk.next = self.clk.val();
            self.row[r].rst_n.next = self.rst_n.val();
            self.row[r].advance_i.next = self.advance_i.val();
            self.row[r].load_i.next = self.load[r].val();
            self.row[r].step_i.next = self.step[r].val();
            self.row[r].first_i.next = self.first[r].val();
            self.row[r].last_i.next = self.last[r].val();
            self.row[r].enabled_i.next = self.mark[r].val();
            self.row[r].value_i.next = self.value[r].val();
            for i in 0..self._taps {
                self.row[r].row_i[i].next = self.row_bit[r][i].val();
                self.row[r].col_i[i].next = self.col_bit[r][i].val();
            }
            self.row_valid_o[r].next = self.row[r].valid_o.val();
            self.row_ren_o[r].next = self.row[r].ren_o.val();
            self.row_addr_o[r].next = self.row[r].addr_o.val();
            self.row_first_o[r].next = self.row[r].first_o.val();
            self.row_last_o[r].next = self.row[r].last_o.val();
        }

        self.last_step.clk.next = self.clk.val();
        self.last_step.rst_n.next = self.rst_n.val();
        self.last_step.en_i.next = self.advance_i.val();
        self.last_step.d_i.next = self.step[self._rows - 1].val() & self.mark[self._rows - 1].val();
        self.end_o.next = self.last_step.q_o.val();
    }
    module!(|this| Meta::module("offsets_rows")
        .param("rows", "r", this._rows, "rows")
        .param("A", "a", A, "bits of an address")
        .option(
            "taps",
            "t",
            this._taps,
            "row bits of an entry, and column bits"
        )
        .option(
            "broadcast",
            "b",
            this._broadcast,
            "1: a slot is in all rows at once"
        )
        .option("kept", "k", this._kept, "entries that a row keeps"));
}
