//! Address of one row.

use super::OffsetKept;
use heddle_kernel::prelude::*;

/// One row: holds an entry of one table, adds the entries of the other one that stream by.
///
/// A load slot marked as the first one is for this row; it stays here. The next load slot is
/// for the row behind. With `kept` the row stores the entries marked for it, and a switch slot
/// lets it hold the next one.
///
/// # Timing
/// A slot that arrives in cycle t shows at the outputs in t + 1, all of them registers. While
/// `advance_i` is low nothing changes. `addr_o` is only defined with `ren_o`.
#[module(name = "offsets_row")]
pub struct OffsetRow<const A: usize> {
    /// The slot is taken.
    pub advance_i: Signal<In, Bit>,
    /// It is a load slot.
    pub load_i: Signal<In, Bit>,
    /// It is a step.
    pub step_i: Signal<In, Bit>,
    /// Load slot: it is for this row. Step: it is the first one of a pass.
    pub first_i: Signal<In, Bit>,
    /// It is the last step of a pass; with `kept` also: it is a switch slot.
    pub last_i: Signal<In, Bit>,
    /// Load slot: the row is used.
    pub enabled_i: Signal<In, Bit>,
    /// Value of the entry.
    pub value_i: Signal<In, Bits<A>>,
    /// Its row bits.
    pub row_i: [Signal<In, Bits<1>>; taps],
    /// Its column bits.
    pub col_i: [Signal<In, Bits<1>>; taps],
    /// The row took the load slot that passed last.
    pub took_o: Signal<Out, Bit>,
    /// A step is in the row.
    pub valid_o: Signal<Out, Bit>,
    /// The row reads.
    pub ren_o: Signal<Out, Bit>,
    /// Byte address.
    pub addr_o: Signal<Out, Bits<A>>,
    /// First step of a pass.
    pub first_o: Signal<Out, Bit>,
    /// Last step of a pass.
    pub last_o: Signal<Out, Bit>,
    took: RegEn<Bit>,
    /// The entry of this row.
    enabled: [RegEn<Bit>; (kept == 0).into()],
    held: [RegData<Bits<A>>; (kept == 0).into()],
    held_row: [RegData<Bits<1>>; if kept == 0 { taps } else { 0 }],
    held_col: [RegData<Bits<1>>; if kept == 0 { taps } else { 0 }],
    /// Instead of them, with `kept`.
    #[new((1..=kept.min(1)) .map(|_| OffsetKept::new(kept, taps)) .collect())]
    kept: Vec<OffsetKept<A>>,
    valid: RegEn<Bit>,
    ren: RegEn<Bit>,
    first: RegEn<Bit>,
    last: RegEn<Bit>,
    addr: RegData<Bits<A>>,
    /// The slot is for this row.
    mine: Signal<Local, Bit>,
    row_meets: Signal<Local, Bit>,
    col_meets: Signal<Local, Bit>,
    /// The tap lies in the image.
    in_image: Signal<Local, Bit>,
    /// Bits of an address.
    _address_bits: Generic<'a', A>,
    /// Row bits of an entry, and column bits.
    _taps: Optional<'t'>,
    /// Entries that the row keeps.
    _kept: Optional<'k'>,
}

#[kernel]
impl<const A: usize> OffsetRow<A> {
    fn update(&mut self) {
        comment!("Entry of the row");
        self.mine = self.advance_i & self.load_i & self.first_i;
        self.took.load(self.advance_i & self.load_i, self.first_i);
        self.took_o = self.took;
        if self._kept > 0 {
            self.kept[0].store_i = self.mine;
            self.kept[0].take_i = self.advance_i & self.load_i & self.last_i;
            self.kept[0].enabled_i = self.enabled_i;
            self.kept[0].value_i = self.value_i;
        } else {
            self.enabled[0].load(self.mine, self.enabled_i);
            self.held[0].load(self.mine, self.value_i);
        }

        comment!("One of the two entries is one-hot: they meet where the tap lies in the image");
        self.row_meets = false;
        self.col_meets = false;
        for i in 0..self._taps {
            if self._kept > 0 {
                self.kept[0].row_i[i] = self.row_i[i];
                self.kept[0].col_i[i] = self.col_i[i];
                self.row_meets =
                    self.row_meets | (self.kept[0].row_o[i] & self.row_i[i]).get_bit(0);
                self.col_meets =
                    self.col_meets | (self.kept[0].col_o[i] & self.col_i[i]).get_bit(0);
            } else {
                self.held_row[i].load(self.mine, self.row_i[i]);
                self.held_col[i].load(self.mine, self.col_i[i]);
                self.row_meets = self.row_meets | (self.held_row[i] & self.row_i[i]).get_bit(0);
                self.col_meets = self.col_meets | (self.held_col[i] & self.col_i[i]).get_bit(0);
            }
        }
        self.in_image = mux(self._taps > 0, self.row_meets & self.col_meets, true);

        comment!("Address");
        self.valid.load(self.advance_i, self.step_i);
        self.first.load(self.advance_i, self.step_i & self.first_i);
        self.last.load(self.advance_i, self.step_i & self.last_i);
        self.ren.en_i = self.advance_i;
        if self._kept > 0 {
            let enabled = self.kept[0].enabled_o;
            self.ren = self.step_i & enabled & self.in_image;
            self.addr.en_i = self.advance_i & self.step_i & enabled & self.in_image;
            self.addr = self.kept[0].value_o + self.value_i;
        } else {
            let enabled = self.enabled[0];
            self.ren = self.step_i & enabled & self.in_image;
            self.addr.en_i = self.advance_i & self.step_i & enabled & self.in_image;
            self.addr = self.held[0] + self.value_i;
        }

        self.valid_o = self.valid;
        self.ren_o = self.ren;
        self.addr_o = self.addr;
        self.first_o = self.first;
        self.last_o = self.last;
    }
}
