//! The way of a slot from one row to the next.

use crate::prelude::*;

/// Passes a slot on to the next row. A load slot that its row takes goes no further; the one
/// behind it is marked for the next row.
///
/// # Timing
/// One clock; a slot never stops.
#[derive(LogicBlock)]
pub struct OffsetWave<const A: usize> {
    /// Clock.
    pub clk: Signal<In, Clock>,
    /// Reset, active low.
    pub rst_n: Signal<In, Bit>,

    /// The row took the load slot before this one.
    pub took_i: Signal<In, Bit>,
    /// Load slot.
    pub load_i: Signal<In, Bit>,
    /// Step.
    pub step_i: Signal<In, Bit>,
    /// Load slot: it is for this row. Step: it is the first one of a pass.
    pub first_i: Signal<In, Bit>,
    /// Last step of a pass.
    pub last_i: Signal<In, Bit>,
    /// Load slot: its row is used. Step: it is the last one of the run.
    pub mark_i: Signal<In, Bit>,
    /// Value of the entry.
    pub value_i: Signal<In, Bits<A>>,
    /// Its row bits.
    pub row_i: Vec<Signal<In, Bits<1>>>,
    /// Its column bits.
    pub col_i: Vec<Signal<In, Bits<1>>>,

    /// Load slot.
    pub load_o: Signal<Out, Bit>,
    /// Step.
    pub step_o: Signal<Out, Bit>,
    /// Load slot: it is for the next row. Step: it is the first one of a pass.
    pub first_o: Signal<Out, Bit>,
    /// Last step of a pass.
    pub last_o: Signal<Out, Bit>,
    /// Load slot: its row is used. Step: it is the last one of the run.
    pub mark_o: Signal<Out, Bit>,
    /// Value of the entry.
    pub value_o: Signal<Out, Bits<A>>,
    /// Its row bits.
    pub row_o: Vec<Signal<Out, Bits<1>>>,
    /// Its column bits.
    pub col_o: Vec<Signal<Out, Bits<1>>>,

    load: Reg<Bit>,
    step: Reg<Bit>,
    first: RegData<Bit>,
    last: RegData<Bit>,
    mark: RegData<Bit>,
    value: RegData<Bits<A>>,
    row: Vec<RegData<Bits<1>>>,
    col: Vec<RegData<Bits<1>>>,

    passes: Signal<Local, Bit>,
    first_behind: Signal<Local, Bit>,
    _taps: usize,
}

impl<const A: usize> OffsetWave<A> {
    /// Registers of a slot with `taps` mask bits for each axis.
    pub fn new(taps: usize) -> Self {
        Self {
            clk: Default::default(),
            rst_n: Default::default(),
            took_i: Default::default(),
            load_i: Default::default(),
            step_i: Default::default(),
            first_i: Default::default(),
            last_i: Default::default(),
            mark_i: Default::default(),
            value_i: Default::default(),
            row_i: v(taps),
            col_i: v(taps),
            load_o: Default::default(),
            step_o: Default::default(),
            first_o: Default::default(),
            last_o: Default::default(),
            mark_o: Default::default(),
            value_o: Default::default(),
            row_o: v(taps),
            col_o: v(taps),
            load: Default::default(),
            step: Default::default(),
            first: Default::default(),
            last: Default::default(),
            mark: Default::default(),
            value: Default::default(),
            row: v(taps),
            col: v(taps),
            passes: Default::default(),
            first_behind: Default::default(),
            _taps: taps,
        }
    }
}

impl<const A: usize> Logic for OffsetWave<A> {
    #[hdl_gen]
    fn update(&mut self) {
        self.passes.next = self.step_i.val() | (self.load_i.val() & !self.first_i.val());
        self.first_behind.next = self.first_i.val();
        if self.load_i.val() {
            self.first_behind.next = self.took_i.val();
        }
        self.load.clk.next = self.clk.val();
        self.load.rst_n.next = self.rst_n.val();
        self.load.d_i.next = self.load_i.val() & !self.first_i.val();
        self.step.clk.next = self.clk.val();
        self.step.rst_n.next = self.rst_n.val();
        self.step.d_i.next = self.step_i.val();
        self.first.clk.next = self.clk.val();
        self.first.en_i.next = self.passes.val();
        self.first.d_i.next = self.first_behind.val();
        self.last.clk.next = self.clk.val();
        self.last.en_i.next = self.passes.val();
        self.last.d_i.next = self.last_i.val();
        self.mark.clk.next = self.clk.val();
        self.mark.en_i.next = self.passes.val();
        self.mark.d_i.next = self.mark_i.val();
        self.value.clk.next = self.clk.val();
        self.value.en_i.next = self.passes.val();
        self.value.d_i.next = self.value_i.val();
        for i in 0..self._taps {
            self.row[i].clk.next = self.clk.val();
            self.row[i].en_i.next = self.passes.val();
            self.row[i].d_i.next = self.row_i[i].val();
            self.row_o[i].next = self.row[i].q_o.val();
            self.col[i].clk.next = self.clk.val();
            self.col[i].en_i.next = self.passes.val();
            self.col[i].d_i.next = self.col_i[i].val();
            self.col_o[i].next = self.col[i].q_o.val();
        }
        self.load_o.next = self.load.q_o.val();
        self.step_o.next = self.step.q_o.val();
        self.first_o.next = self.first.q_o.val();
        self.last_o.next = self.last.q_o.val();
        self.mark_o.next = self.mark.q_o.val();
        self.value_o.next = self.value.q_o.val();
    }
    module!(|this| Meta::module("offsets_wave")
        .param("A", "a", A, "bits of a value")
        .option(
            "taps",
            "t",
            this._taps,
            "row bits of an entry, and column bits"
        ));
}
