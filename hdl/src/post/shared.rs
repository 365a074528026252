//! One scaling for several columns.

use super::Requantise;
use heddle_kernel::prelude::*;

/// What a column hands to the scaling.
#[bundle(lefts: usize, duals: usize)]
pub struct ScaleOperand {
    /// A sum of this column is taken; no other column has one in this cycle.
    pub valid: Bit,
    /// Sum, two's complement.
    pub acc: Bits<32>,
    /// Multiplier of the sum of the cycle before, unsigned.
    pub multiplier: Bits<31>,
    /// Highest bits of its factor of the lower part.
    pub factor: [Bits<3>; duals],
    /// Its left shift.
    pub left: [Bits<5>; lefts],
    /// Its right shift.
    pub right: Bits<5>,
}

/// The scaling of columns whose sums come in different clocks: the post wave reaches them one after the other, and
/// has a slot in one of so many clocks as there are columns.
///
/// # Timing
/// `byte_o` belongs to the sum taken eight cycles before; the other numbers are those of the next cycle.
/// `single_i`, `lo_i` and `hi_i` are stable while sums are on their way.
#[module(describe)]
pub struct SharedRequantise {
    /// One per column.
    #[new(ScaleOperand::new(lefts, duals))]
    pub operand_i: [ScaleOperand<In>; columns],
    /// Single rounding, else double.
    pub single_i: Signal<In, Bit>,
    /// The sums have two parts and a factor for each; stable as `single_i`.
    pub dual_i: [Signal<In, Bit>; duals],
    /// Lower bound of the result, two's complement.
    pub lo_i: Signal<In, Bits<9>>,
    /// Upper bound of the result, two's complement.
    pub hi_i: Signal<In, Bits<9>>,
    /// Result.
    pub byte_o: Signal<Out, Bits<8>>,
    /// The column whose sum was taken in the cycle before.
    taken: [Reg<Bit>; columns],
    valid: Reg<Bit>,
    acc: RegData<Bits<32>>,
    multiplier: RegData<Bits<31>>,
    factor: [RegData<Bits<3>>; duals],
    left: [RegData<Bits<5>>; lefts],
    right: RegData<Bits<5>>,
    #[new(Requantise::new(lefts, duals))]
    requantise: Requantise,
    takes: Signal<Local, Bit>,
    acc_now: Signal<Local, Bits<32>>,
    multiplier_now: Signal<Local, Bits<31>>,
    right_now: Signal<Local, Bits<5>>,
    factor_now: [Signal<Local, Bits<3>>; duals],
    left_now: [Signal<Local, Bits<5>>; lefts],
    /// Columns.
    _columns: Param<'c'>,
    /// Sums may be shifted to the left.
    _lefts: Feature<"ls">,
    /// Sums may have two parts and a factor for each.
    _duals: Feature<"ds">,
}

impl SharedRequantise {
    fn describe(&self, meta: Meta) -> Meta {
        meta.doc_if(self._lefts > 0, "The left shift adds two cycles to that.")
    }
}

#[kernel]
impl SharedRequantise {
    fn update(&mut self) {
        // One column at most has a sum: its gates need no order.
        self.takes = false;
        self.acc_now = 0.into();
        self.multiplier_now = 0.into();
        self.right_now = 0.into();
        for c in 0..self._columns {
            self.taken[c] = self.operand_i[c].valid;
            if self.operand_i[c].valid {
                self.takes = true;
                self.acc_now = self.acc_now | self.operand_i[c].acc;
            }
            if self.taken[c] {
                self.multiplier_now = self.multiplier_now | self.operand_i[c].multiplier;
                self.right_now = self.right_now | self.operand_i[c].right;
            }
        }
        self.valid = self.takes;
        self.acc.load(self.takes, self.acc_now);
        self.multiplier.load(self.valid, self.multiplier_now);
        self.right.load(self.valid, self.right_now);
        for i in 0..self._lefts {
            self.left_now[i] = 0.into();
            for c in 0..self._columns {
                if self.taken[c] {
                    self.left_now[i] = self.left_now[i] | self.operand_i[c].left[i];
                }
            }
            self.left[i].load(self.valid, self.left_now[i]);
        }
        for i in 0..self._duals {
            self.factor_now[i] = 0.into();
            for c in 0..self._columns {
                if self.taken[c] {
                    self.factor_now[i] = self.factor_now[i] | self.operand_i[c].factor[i];
                }
            }
            self.factor[i].load(self.valid, self.factor_now[i]);
        }
        self.requantise.valid_i = self.valid;
        self.requantise.acc_i = self.acc;
        self.requantise.multiplier_i = self.multiplier;
        self.requantise.factor_i.follow(&self.factor);
        self.requantise.left_i.follow(&self.left);
        self.requantise.right_i = self.right;
        self.requantise.single_i = self.single_i;
        self.requantise.dual_i.follow(&self.dual_i);
        self.requantise.lo_i = self.lo_i;
        self.requantise.hi_i = self.hi_i;
        self.byte_o = self.requantise.byte_o;
    }
}
