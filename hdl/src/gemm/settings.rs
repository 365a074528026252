//! What the results need to know of the registers of the unit.

use crate::prelude::*;

/// Copies of the registers T, N and of the mode, taken from the write port of the unit; refuses a
/// start with more GEMM rows than the results memory holds.
///
/// # Timing
/// A write in cycle T is seen in T+1. `start_o` follows `start_i` in the same cycle; `refused_o`
/// tells from the next cycle on whether the last start was refused.
#[derive(LogicBlock)]
pub struct GemmSettings {
    /// Clock.
    pub clk: Signal<In, Clock>,
    /// Reset, active low.
    pub rst_n: Signal<In, Bit>,
    /// A write is offered.
    pub write_i: Signal<In, Bit>,
    /// 0: of a register.
    pub kind_i: Signal<In, Bits<2>>,
    /// Register.
    pub index_i: Signal<In, Bits<16>>,
    /// Value.
    pub data_i: Signal<In, Bits<16>>,
    /// A run shall begin.
    pub start_i: Signal<In, Bit>,
    /// A run is under way.
    pub busy_i: Signal<In, Bit>,
    /// The unit takes writes: the expander does not work.
    pub ready_i: Signal<In, Bit>,
    /// The unit shall begin.
    pub start_o: Signal<Out, Bit>,
    /// Too many GEMM rows for weights that stay.
    pub refused_o: Signal<Out, Bit>,
    /// GEMM rows, T.
    pub total_o: Signal<Out, Bits<16>>,
    /// Output channels, N.
    pub channels_o: Signal<Out, Bits<16>>,
    /// Weights stay.
    pub stay_o: Signal<Out, Bit>,
    /// Sums leave behind each step, or K tile; only with `store_each`.
    pub each_o: Vec<Signal<Out, Bit>>,
    total: RegEn<Bits<16>>,
    channels: RegEn<Bits<16>>,
    stay: RegEn<Bit>,
    each: Vec<RegEn<Bit>>,
    refused: RegEn<Bit>,
    stored: Signal<Local, Bit>,
    start: Signal<Local, Bit>,
    beyond: Signal<Local, Bit>,
    accepted: Signal<Local, Bit>,
    _results: usize,
    _store_each: usize,
}

impl GemmSettings {
    /// For a results memory of `results` sums; with `store_each` there is such a mode.
    pub fn new(results: usize, store_each: bool) -> Self {
        let each = usize::from(store_each);
        Self {
            clk: Default::default(),
            rst_n: Default::default(),
            write_i: Default::default(),
            kind_i: Default::default(),
            index_i: Default::default(),
            data_i: Default::default(),
            start_i: Default::default(),
            busy_i: Default::default(),
            ready_i: Default::default(),
            start_o: Default::default(),
            refused_o: Default::default(),
            total_o: Default::default(),
            channels_o: Default::default(),
            stay_o: Default::default(),
            each_o: v(each),
            total: Default::default(),
            channels: Default::default(),
            stay: Default::default(),
            each: v(each),
            refused: Default::default(),
            stored: Default::default(),
            start: Default::default(),
            beyond: Default::default(),
            accepted: Default::default(),
            _results: results,
            _store_each: each,
        }
    }
}

impl Logic for GemmSettings {
    #[hdl_gen]
    fn update(&mut self) {
        // The unit refuses writes of a run and of the clock in which it begins.
        self.start.next = self.start_i.val() & self.ready_i.val() & !self.busy_i.val();
        self.beyond.next =
            self.stay.q_o.val() & (self.total.q_o.val() > self._results.to_bits::<16>());
        self.accepted.next = self.start.val() & !self.beyond.val();
        self.start_o.next = self.accepted.val();
        self.refused.clk.next = self.clk.val();
        self.refused.rst_n.next = self.rst_n.val();
        self.refused.en_i.next = self.start.val();
        self.refused.d_i.next = self.beyond.val();
        self.refused_o.next = self.refused.q_o.val();

        self.stored.next = self.write_i.val()
            & self.ready_i.val()
            & !self.busy_i.val()
            & !self.accepted.val()
            & (self.kind_i.val() == 0);
        self.total.clk.next = self.clk.val();
        self.total.rst_n.next = self.rst_n.val();
        self.total.en_i.next = self.stored.val() & (self.index_i.val() == 2);
        self.total.d_i.next = self.data_i.val();
        self.total_o.next = self.total.q_o.val();
        self.channels.clk.next = self.clk.val();
        self.channels.rst_n.next = self.rst_n.val();
        self.channels.en_i.next = self.stored.val() & (self.index_i.val() == 4);
        self.channels.d_i.next = self.data_i.val();
        self.channels_o.next = self.channels.q_o.val();
        self.stay.clk.next = self.clk.val();
        self.stay.rst_n.next = self.rst_n.val();
        self.stay.en_i.next = self.stored.val() & (self.index_i.val() == 8);
        self.stay.d_i.next = self.data_i.val().get_bit(0);
        self.stay_o.next = self.stay.q_o.val();
        if self._store_each > 0 {
            self.each[0].clk.next = self.clk.val();
            self.each[0].rst_n.next = self.rst_n.val();
            self.each[0].en_i.next = self.stored.val() & (self.index_i.val() == 8);
            self.each[0].d_i.next = self.data_i.val().get_bit(3);
            self.each_o[0].next = self.each[0].q_o.val();
        }
    }
    module!(|this| Meta::module("gemm_settings")
        .param("results", "d", this._results, "sums of each column")
        .option(
            "store_each",
            "k",
            this._store_each,
            "1: sums may leave behind each step"
        ));
}
