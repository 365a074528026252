//! Address sum.

use heddle_kernel::prelude::*;

/// Sum of a base and the offsets of all loops of a row: a tree of adders with registers in it, and
/// nothing else.
///
/// # Timing
/// The sum of the terms of one cycle is at the output as many enabled clock edges later as there
/// are stages. A new sum may begin at every edge. It wraps at A bits.
#[module(name = "traversal_sum", no_reset)]
pub struct AddressSum<const A: usize> {
    /// All stages move on.
    pub enable_i: Signal<In, Bit>,
    /// Base and offsets.
    pub term_i: [Signal<In, Bits<A>>; terms],
    /// Their sum.
    pub sum_o: Signal<Out, Bits<A>>,
    /// Sums of two terms.
    pair: [Signal<Local, Bits<A>>; pairs],
    pair_stage: [RegData<Bits<A>>; pairs * pair_cut],
    pair_sum: [Signal<Local, Bits<A>>; pairs],
    /// Sums of four terms.
    quad: [Signal<Local, Bits<A>>; quads],
    quad_stage: [RegData<Bits<A>>; quads * quad_cut],
    quad_sum: [Signal<Local, Bits<A>>; quads],
    /// Sums of eight terms.
    oct: [Signal<Local, Bits<A>>; octs],
    oct_stage: [RegData<Bits<A>>; octs * oct_cut],
    oct_sum: [Signal<Local, Bits<A>>; octs],
    total: RegData<Bits<A>>,
    /// Terms.
    _terms: Param<'n'>,
    /// Bits of an address.
    _address_bits: Generic<'a', A>,
    #[argument]
    _wanted: usize,
    /// Register stages.
    #[new(Self::stages_of(terms, wanted))]
    _stages: Param<'s'>,
    /// Sums of two terms.
    #[new(terms.div_ceil(2))]
    _pairs: Hidden,
    /// Sums of up to four terms.
    #[new(pairs.div_ceil(2))]
    _quads: Hidden,
    /// Sums of up to eight terms.
    #[new(quads.div_ceil(2))]
    _octs: Hidden,
    /// 1: registers behind sums of two.
    #[new(cut(terms, stages, 1))]
    _pair_cut: Hidden,
    /// 1: registers behind sums of four.
    #[new(cut(terms, stages, 2))]
    _quad_cut: Hidden,
    /// 1: registers behind sums of eight.
    #[new(cut(terms, stages, 3))]
    _oct_cut: Hidden,
}

impl<const A: usize> AddressSum<A> {
    /// Most stages that a sum of `terms` terms can have: the levels of its tree.
    pub fn stages_of(terms: usize, wanted: usize) -> usize {
        wanted.clamp(1, levels(terms).max(1))
    }
}

/// Does a stage end after a level? Stage i ends behind level ceil(i * levels / stages); the last one is
/// `total`.
fn cut(terms: usize, stages: usize, level: usize) -> usize {
    let ends = |i: usize| (i * levels(terms)).div_ceil(stages) == level;
    (1..stages).any(ends).into()
}

/// Levels of a tree of adders.
fn levels(terms: usize) -> usize {
    terms.next_power_of_two().ilog2() as usize
}

#[kernel]
impl<const A: usize> AddressSum<A> {
    fn update(&mut self) {
        for k in 0..self._pairs {
            if 2 * k + 1 < self._terms {
                self.pair[k] = self.term_i[2 * k] + self.term_i[2 * k + 1];
            } else {
                self.pair[k] = self.term_i[2 * k];
            }
        }
        if self._pair_cut > 0 {
            for k in 0..self._pairs {
                self.pair_stage[k].load(self.enable_i, self.pair[k]);
                self.pair_sum[k] = self.pair_stage[k];
            }
        } else {
            self.pair_sum.follow(&self.pair);
        }

        for k in 0..self._quads {
            if 2 * k + 1 < self._pairs {
                self.quad[k] = self.pair_sum[2 * k] + self.pair_sum[2 * k + 1];
            } else {
                self.quad[k] = self.pair_sum[2 * k];
            }
        }
        if self._quad_cut > 0 {
            for k in 0..self._quads {
                self.quad_stage[k].load(self.enable_i, self.quad[k]);
                self.quad_sum[k] = self.quad_stage[k];
            }
        } else {
            self.quad_sum.follow(&self.quad);
        }

        for k in 0..self._octs {
            if 2 * k + 1 < self._quads {
                self.oct[k] = self.quad_sum[2 * k] + self.quad_sum[2 * k + 1];
            } else {
                self.oct[k] = self.quad_sum[2 * k];
            }
        }
        if self._oct_cut > 0 {
            for k in 0..self._octs {
                self.oct_stage[k].load(self.enable_i, self.oct[k]);
                self.oct_sum[k] = self.oct_stage[k];
            }
        } else {
            self.oct_sum.follow(&self.oct);
        }

        self.total.en_i = self.enable_i;
        if self._octs > 1 {
            self.total = self.oct_sum[0] + self.oct_sum[1];
        } else {
            self.total = self.oct_sum[0];
        }
        self.sum_o = self.total;
    }
}
