//! All rows.

use super::{OffsetRow, OffsetShape, OffsetWave};
use heddle_kernel::prelude::*;

/// All rows of an offset unit. With skew a slot moves from row to row, one in a clock; with
/// broadcast it is in all rows at once.
///
/// # Timing
/// A slot accepted in cycle t shows at the outputs of row r in t + 1 + r (skew) or t + 1
/// (broadcast). `end_o` goes with the last step of a run in the last row.
#[module(name = "offsets_rows")]
pub struct OffsetRows<const A: usize> {
    /// The rows may take a slot; always with skew.
    pub advance_i: Signal<In, Bit>,
    /// A slot is accepted.
    pub accept_i: Signal<In, Bit>,
    /// What it is, see the sequencer.
    pub tag_i: Signal<In, Bits<7>>,
    /// Its value.
    pub value_i: Signal<In, Bits<A>>,
    /// Its row bits.
    pub row_i: [Signal<In, Bits<1>>; taps],
    /// Its column bits.
    pub col_i: [Signal<In, Bits<1>>; taps],
    /// A step is in row r.
    pub row_valid_o: [Signal<Out, Bit>; rows],
    /// Row r reads.
    pub row_ren_o: [Signal<Out, Bit>; rows],
    /// Its byte address.
    pub row_addr_o: [Signal<Out, Bits<A>>; rows],
    /// First step of a pass.
    pub row_first_o: [Signal<Out, Bit>; rows],
    /// Last step of a pass.
    pub row_last_o: [Signal<Out, Bit>; rows],
    /// The last step of the run is in the last row.
    pub end_o: Signal<Out, Bit>,
    #[new(OffsetRow::new(taps, kept))]
    row: [OffsetRow<A>; rows],
    /// Between the rows; only with skew.
    #[new(OffsetWave::new(taps))]
    wave: [OffsetWave<A>; if shape.broadcast { 0 } else { rows - 1 }],
    last_step: RegEn<Bit>,
    /// The slot at each row.
    load: [Signal<Local, Bit>; rows],
    step: [Signal<Local, Bit>; rows],
    first: [Signal<Local, Bit>; rows],
    last: [Signal<Local, Bit>; rows],
    mark: [Signal<Local, Bit>; rows],
    value: [Signal<Local, Bits<A>>; rows],
    row_bit: [[Signal<Local, Bits<1>>; taps]; rows],
    col_bit: [[Signal<Local, Bits<1>>; taps]; rows],
    /// What the unit is built from.
    #[argument]
    _shape: &OffsetShape,
    /// Rows.
    #[new(shape.rows)]
    _rows: Param<'r'>,
    /// Bits of an address.
    _address_bits: Generic<'a', A>,
    /// Row bits of an entry, and column bits.
    #[new(shape.taps)]
    _taps: Optional<'t'>,
    /// 1: a slot is in all rows at once.
    #[new(shape.broadcast)]
    _broadcast: Optional<'b', bool>,
    /// Entries that a row keeps.
    #[new(shape.kept())]
    _kept: Optional<'k'>,
}

#[kernel]
impl<const A: usize> OffsetRows<A> {
    fn update(&mut self) {
        for r in 0..self._rows {
            if r > 0 && !self._broadcast {
                comment!("Skew: what row r - 1 had in the clock before");
                self.wave[r - 1].took_i = self.row[r - 1].took_o;
                self.wave[r - 1].load_i = self.load[r - 1];
                self.wave[r - 1].step_i = self.step[r - 1];
                self.wave[r - 1].first_i = self.first[r - 1];
                self.wave[r - 1].last_i = self.last[r - 1];
                self.wave[r - 1].mark_i = self.mark[r - 1];
                self.wave[r - 1].value_i = self.value[r - 1];
                self.load[r] = self.wave[r - 1].load_o;
                self.step[r] = self.wave[r - 1].step_o;
                self.first[r] = self.wave[r - 1].first_o;
                self.last[r] = self.wave[r - 1].last_o;
                self.mark[r] = self.wave[r - 1].mark_o;
                self.value[r] = self.wave[r - 1].value_o;
                self.wave[r - 1].row_i.follow(&self.row_bit[r - 1]);
                self.wave[r - 1].col_i.follow(&self.col_bit[r - 1]);
                self.row_bit[r].follow(&self.wave[r - 1].row_o);
                self.col_bit[r].follow(&self.wave[r - 1].col_o);
            } else {
                self.load[r] = self.accept_i & self.tag_i.get_bit(0);
                self.step[r] = self.accept_i & !self.tag_i.get_bit(0);
                self.first[r] = self.tag_i.get_bit(1);
                if r > 0 {
                    // Broadcast: the row before took the load slot before.
                    if self.tag_i.get_bit(0) {
                        self.first[r] = self.row[r - 1].took_o;
                    }
                }
                self.last[r] = self.tag_i.get_bit(2);
                self.mark[r] = self.tag_i.get_bit(3);
                self.value[r] = self.value_i;
                self.row_bit[r].follow(&self.row_i);
                self.col_bit[r].follow(&self.col_i);
            }
        }

        for r in 0..self._rows {
            self.row[r].advance_i = self.advance_i;
            self.row[r].load_i = self.load[r];
            self.row[r].step_i = self.step[r];
            self.row[r].first_i = self.first[r];
            self.row[r].last_i = self.last[r];
            self.row[r].enabled_i = self.mark[r];
            self.row[r].value_i = self.value[r];
            self.row[r].row_i.follow(&self.row_bit[r]);
            self.row[r].col_i.follow(&self.col_bit[r]);
            self.row_valid_o[r] = self.row[r].valid_o;
            self.row_ren_o[r] = self.row[r].ren_o;
            self.row_addr_o[r] = self.row[r].addr_o;
            self.row_first_o[r] = self.row[r].first_o;
            self.row_last_o[r] = self.row[r].last_o;
        }

        self.last_step.en_i = self.advance_i;
        self.last_step = self.step[self._rows - 1] & self.mark[self._rows - 1];
        self.end_o = self.last_step;
    }
}
