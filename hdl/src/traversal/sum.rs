//! Address sum.

use crate::prelude::*;

/// Sum of a base and the offsets of all loops of a row: a tree of adders with registers in it, and
/// nothing else.
///
/// # Timing
/// The sum of the terms of one cycle is at the output as many enabled clock edges later as there
/// are stages. A new sum may begin at every edge. It wraps at A bits.
#[derive(LogicBlock, Default)]
pub struct AddressSum<const A: usize> {
    /// Clock.
    pub clk: Signal<In, Clock>,
    /// All stages move on.
    pub enable_i: Signal<In, Bit>,
    /// Base and offsets.
    pub term_i: Vec<Signal<In, Bits<A>>>,
    /// Their sum.
    pub sum_o: Signal<Out, Bits<A>>,

    /// Sums of two terms.
    pair: Vec<Signal<Local, Bits<A>>>,
    pair_stage: Vec<RegData<Bits<A>>>,
    pair_sum: Vec<Signal<Local, Bits<A>>>,
    /// Sums of four terms.
    quad: Vec<Signal<Local, Bits<A>>>,
    quad_stage: Vec<RegData<Bits<A>>>,
    quad_sum: Vec<Signal<Local, Bits<A>>>,
    /// Sums of eight terms.
    oct: Vec<Signal<Local, Bits<A>>>,
    oct_stage: Vec<RegData<Bits<A>>>,
    oct_sum: Vec<Signal<Local, Bits<A>>>,
    total: RegData<Bits<A>>,
    _terms: usize,
    _pairs: usize,
    _quads: usize,
    _octs: usize,
    _stages: usize,
    _pair_cut: usize,
    _quad_cut: usize,
    _oct_cut: usize,
}

impl<const A: usize> AddressSum<A> {
    /// Most stages that a sum of `terms` terms can have: the levels of its tree.
    pub fn stages_of(terms: usize, wanted: usize) -> usize {
        wanted.clamp(1, levels(terms).max(1))
    }

    /// A sum of 1 to 9 terms in `stages` stages, which are at most the levels of the tree.
    pub fn new(terms: usize, stages: usize) -> Self {
        let stages = Self::stages_of(terms, stages);
        let levels = levels(terms);
        // Stage i ends behind level ceil(i * levels / stages); the last one is `total`.
        let cut = |level: usize| (1..stages).any(|i| (i * levels).div_ceil(stages) == level);
        let halves = |n: usize| n.div_ceil(2);
        let (pairs, quads) = (halves(terms), halves(halves(terms)));
        let octs = halves(quads);
        let registers = |level, n: usize| v(if cut(level) { n } else { 0 });
        Self {
            clk: Default::default(),
            enable_i: Default::default(),
            term_i: v(terms),
            sum_o: Default::default(),
            pair: v(pairs),
            pair_stage: registers(1, pairs),
            pair_sum: v(pairs),
            quad: v(quads),
            quad_stage: registers(2, quads),
            quad_sum: v(quads),
            oct: v(octs),
            oct_stage: registers(3, octs),
            oct_sum: v(octs),
            total: Default::default(),
            _terms: terms,
            _pairs: pairs,
            _quads: quads,
            _octs: octs,
            _stages: stages,
            _pair_cut: cut(1).into(),
            _quad_cut: cut(2).into(),
            _oct_cut: cut(3).into(),
        }
    }
}

/// Levels of a tree of adders.
fn levels(terms: usize) -> usize {
    terms.next_power_of_two().ilog2() as usize
}

impl<const A: usize> Logic for AddressSum<A> {
    #[hdl_gen]
    fn update(&mut self) {
        for k in 0..self._pairs {
            if 2 * k + 1 < self._terms {
                self.pair[k].next = self.term_i[2 * k].val() + self.term_i[2 * k + 1].val();
            } else {
                self.pair[k].next = self.term_i[2 * k].val();
            }
        }
        if self._pair_cut > 0 {
            for k in 0..self._pairs {
                self.pair_stage[k].clk.next = self.clk.val();
                self.pair_stage[k].en_i.next = self.enable_i.val();
                self.pair_stage[k].d_i.next = self.pair[k].val();
                self.pair_sum[k].next = self.pair_stage[k].q_o.val();
            }
        } else {
            for k in 0..self._pairs {
                self.pair_sum[k].next = self.pair[k].val();
            }
        }

        for k in 0..self._quads {
            if 2 * k + 1 < self._pairs {
                self.quad[k].next = self.pair_sum[2 * k].val() + self.pair_sum[2 * k + 1].val();
            } else {
                self.quad[k].next = self.pair_sum[2 * k].val();
            }
        }
        if self._quad_cut > 0 {
            for k in 0..self._quads {
                self.quad_stage[k].clk.next = self.clk.val();
                self.quad_stage[k].en_i.next = self.enable_i.val();
                self.quad_stage[k].d_i.next = self.quad[k].val();
                self.quad_sum[k].next = self.quad_stage[k].q_o.val();
            }
        } else {
            for k in 0..self._quads {
                self.quad_sum[k].next = self.quad[k].val();
            }
        }

        for k in 0..self._octs {
            if 2 * k + 1 < self._quads {
                self.oct[k].next = self.quad_sum[2 * k].val() + self.quad_sum[2 * k + 1].val();
            } else {
                self.oct[k].next = self.quad_sum[2 * k].val();
            }
        }
        if self._oct_cut > 0 {
            for k in 0..self._octs {
                self.oct_stage[k].clk.next = self.clk.val();
                self.oct_stage[k].en_i.next = self.enable_i.val();
                self.oct_stage[k].d_i.next = self.oct[k].val();
                self.oct_sum[k].next = self.oct_stage[k].q_o.val();
            }
        } else {
            for k in 0..self._octs {
                self.oct_sum[k].next = self.oct[k].val();
            }
        }

        self.total.clk.next = self.clk.val();
        self.total.en_i.next = self.enable_i.val();
        if self._octs > 1 {
            self.total.d_i.next = self.oct_sum[0].val() + self.oct_sum[1].val();
        } else {
            self.total.d_i.next = self.oct_sum[0].val();
        }
        self.sum_o.next = self.total.q_o.val();
    }
    module!(|this| Meta::module("traversal_sum")
        .param("terms", "n", this._terms, "terms")
        .param("A", "a", A, "bits of an address")
        .param("stages", "s", this._stages, "register stages")
        .hidden("pairs", this._pairs, "sums of two terms")
        .hidden("quads", this._quads, "sums of up to four terms")
        .hidden("octs", this._octs, "sums of up to eight terms")
        .hidden(
            "pair_cut",
            this._pair_cut,
            "1: registers behind sums of two"
        )
        .hidden(
            "quad_cut",
            this._quad_cut,
            "1: registers behind sums of four"
        )
        .hidden(
            "oct_cut",
            this._oct_cut,
            "1: registers behind sums of eight"
        ));
}
