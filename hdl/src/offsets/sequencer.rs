//! Order of the slots.

use crate::prelude::*;

/// Makes the load slots and steps of a run in their order: reads of the tables, and what is to be
/// done with the entries. It knows three counts and nothing of a shape.
///
/// One list is held by the rows, a tile of it at a time: bases (output stationary) or offsets
/// (weight stationary). The other one streams by, once in each pass. Every count is kept as a
/// distance, so that the end of a loop is a sign that stands in a register.
///
/// Between runs the counters follow the registers of the unit, so that nothing but `active` hangs on
/// `start_i`, which comes late. What a counter does next does not hang on `advance_i`, which also
/// comes late: only whether it does it.
///
/// # Timing
/// The first slot comes one cycle after `start_i`, then one in every cycle with `advance_i`. The
/// table entry of a slot is there one advance later.
#[derive(LogicBlock)]
pub struct OffsetSequencer {
    /// Clock.
    pub clk: Signal<In, Clock>,
    /// Reset, active low.
    pub rst_n: Signal<In, Bit>,

    /// Starts a run; not while one is under way.
    pub start_i: Signal<In, Bit>,
    /// The slot at hand is taken.
    pub advance_i: Signal<In, Bit>,
    /// Weight stationary.
    pub ws_i: Signal<In, Bit>,
    /// Offsets are steps.
    pub steps_i: Signal<In, Bit>,
    /// GEMM rows, T.
    pub t_i: Signal<In, Bits<16>>,
    /// Taps, K.
    pub k_i: Signal<In, Bits<16>>,
    /// Output channels, N.
    pub n_i: Signal<In, Bits<16>>,
    /// First entry of the bases.
    pub base_ptr_i: Signal<In, Bits<16>>,
    /// First entry of the offsets.
    pub offset_ptr_i: Signal<In, Bits<16>>,

    /// There is a slot.
    pub valid_o: Signal<Out, Bit>,
    /// Bit 0 load slot (else step), 1 first one of its group, 2 last step of a pass, 3 load slot: the
    /// row is used, step: last one of the run, 4 first tile of the held list, 5 first column tile, 6
    /// last tile of the held list (in steps).
    pub tag_o: Signal<Out, Bits<7>>,
    /// The origin of A is added to the entry.
    pub origin_o: Signal<Out, Bit>,
    /// The running sum is added to it.
    pub sum_o: Signal<Out, Bit>,
    /// The running sum goes on from there.
    pub keep_o: Signal<Out, Bit>,
    /// Reads a base.
    pub base_ren_o: Signal<Out, Bit>,
    /// Its entry.
    pub base_addr_o: Signal<Out, Bits<16>>,
    /// Reads an offset.
    pub offset_ren_o: Signal<Out, Bit>,
    /// Its entry.
    pub offset_addr_o: Signal<Out, Bits<16>>,

    active: RegEn<Bit>,
    loading: RegEn<Bit>,
    /// First slot of a group.
    first: RegEn<Bit>,
    /// Load slots behind this one, less one.
    rows_left: RegEn<Bits<9>>,
    /// Entries of the held list behind this load slot.
    held_left: RegEn<Bits<17>>,
    held_entry: RegEn<Bits<16>>,
    /// Steps behind this one, less one.
    steps_left: RegEn<Bits<17>>,
    step_entry: RegEn<Bits<16>>,
    /// Channels behind this column tile, less one.
    cols_left: RegEn<Bits<17>>,
    /// First round of the inner and of the outer loop.
    inner_first: RegEn<Bit>,
    outer_first: RegEn<Bit>,

    held_count: Signal<Local, Bits<16>>,
    held_ptr: Signal<Local, Bits<16>>,
    step_count: Signal<Local, Bits<16>>,
    step_ptr: Signal<Local, Bits<16>>,
    issue: Signal<Local, Bit>,
    load_issue: Signal<Local, Bit>,
    step_issue: Signal<Local, Bit>,
    /// No run: the counters are set to its begin.
    idle: Signal<Local, Bit>,
    /// The slot at hand is the last one of its group.
    load_last: Signal<Local, Bit>,
    step_last: Signal<Local, Bit>,
    group_last: Signal<Local, Bit>,
    pass_end: Signal<Local, Bit>,
    used: Signal<Local, Bit>,
    mark: Signal<Local, Bit>,
    more_held: Signal<Local, Bit>,
    more_cols: Signal<Local, Bit>,
    inner_more: Signal<Local, Bit>,
    outer_more: Signal<Local, Bit>,
    /// The inner loop begins again, or the run ends.
    inner_wrap: Signal<Local, Bit>,
    run_end: Signal<Local, Bit>,
    held_rewinds: Signal<Local, Bit>,
    held_restart: Signal<Local, Bit>,
    cols_restart: Signal<Local, Bit>,
    step_restart: Signal<Local, Bit>,
    held_from: Signal<Local, Bits<17>>,
    steps_from: Signal<Local, Bits<17>>,
    cols_from: Signal<Local, Bits<17>>,
    cols_less: Signal<Local, Bits<17>>,
    held_first: Signal<Local, Bit>,
    cols_first: Signal<Local, Bit>,
    /// The slot is an entry of the offsets, and a step; the running sum begins again with it.
    is_offset: Signal<Local, Bit>,
    summed: Signal<Local, Bit>,
    sum_begins: Signal<Local, Bit>,
    _rows: usize,
    _cols: usize,
    _cols_begin: usize,
    _rows_distance: usize,
    _summing: usize,
}

impl OffsetSequencer {
    /// The sequencer of `rows` rows and `cols` columns, with a running sum if `running`.
    pub fn new(rows: usize, cols: usize, running: bool) -> Self {
        Self {
            clk: Default::default(),
            rst_n: Default::default(),
            start_i: Default::default(),
            advance_i: Default::default(),
            ws_i: Default::default(),
            steps_i: Default::default(),
            t_i: Default::default(),
            k_i: Default::default(),
            n_i: Default::default(),
            base_ptr_i: Default::default(),
            offset_ptr_i: Default::default(),
            valid_o: Default::default(),
            tag_o: Default::default(),
            origin_o: Default::default(),
            sum_o: Default::default(),
            keep_o: Default::default(),
            base_ren_o: Default::default(),
            base_addr_o: Default::default(),
            offset_ren_o: Default::default(),
            offset_addr_o: Default::default(),
            active: Default::default(),
            loading: Default::default(),
            first: Default::default(),
            rows_left: Default::default(),
            held_left: Default::default(),
            held_entry: Default::default(),
            steps_left: Default::default(),
            step_entry: Default::default(),
            cols_left: Default::default(),
            inner_first: Default::default(),
            outer_first: Default::default(),
            held_count: Default::default(),
            held_ptr: Default::default(),
            step_count: Default::default(),
            step_ptr: Default::default(),
            issue: Default::default(),
            load_issue: Default::default(),
            step_issue: Default::default(),
            idle: Default::default(),
            load_last: Default::default(),
            step_last: Default::default(),
            group_last: Default::default(),
            pass_end: Default::default(),
            used: Default::default(),
            mark: Default::default(),
            more_held: Default::default(),
            more_cols: Default::default(),
            inner_more: Default::default(),
            outer_more: Default::default(),
            inner_wrap: Default::default(),
            run_end: Default::default(),
            held_rewinds: Default::default(),
            held_restart: Default::default(),
            cols_restart: Default::default(),
            step_restart: Default::default(),
            held_from: Default::default(),
            steps_from: Default::default(),
            cols_from: Default::default(),
            cols_less: Default::default(),
            held_first: Default::default(),
            cols_first: Default::default(),
            is_offset: Default::default(),
            summed: Default::default(),
            sum_begins: Default::default(),
            _rows: rows,
            _cols: cols,
            _cols_begin: cols + 1,
            // R - 2 in 9 bits.
            _rows_distance: (rows + 510) % 512,
            _summing: running.into(),
        }
    }
}

impl Logic for OffsetSequencer {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("Which list is held and which one streams by");
        self.held_count.next = self.t_i.val();
        self.held_ptr.next = self.base_ptr_i.val();
        self.step_count.next = self.k_i.val();
        self.step_ptr.next = self.offset_ptr_i.val();
        if self.ws_i.val() {
            self.held_count.next = self.k_i.val();
            self.held_ptr.next = self.offset_ptr_i.val();
            self.step_count.next = self.t_i.val();
            self.step_ptr.next = self.base_ptr_i.val();
        }

        comment!("Ends of the loops");
        self.idle.next = !self.active.q_o.val();
        self.issue.next = self.active.q_o.val() & self.advance_i.val();
        self.load_issue.next = self.issue.val() & self.loading.q_o.val();
        self.step_issue.next = self.issue.val() & !self.loading.q_o.val();
        self.load_last.next = self.rows_left.q_o.val().get_bit(8);
        self.step_last.next = self.steps_left.q_o.val().get_bit(16);
        self.group_last.next = self.step_last.val();
        if self.loading.q_o.val() {
            self.group_last.next = self.load_last.val();
        }
        self.pass_end.next = self.step_issue.val() & self.step_last.val();
        self.more_held.next = !self.held_left.q_o.val().get_bit(16);
        self.more_cols.next = !self.cols_left.q_o.val().get_bit(16);
        self.inner_more.next = self.more_cols.val();
        self.outer_more.next = self.more_held.val();
        if self.ws_i.val() {
            self.inner_more.next = self.more_held.val();
            self.outer_more.next = self.more_cols.val();
        }
        self.inner_wrap.next = self.pass_end.val() & !self.inner_more.val();
        self.run_end.next = self.inner_wrap.val() & !self.outer_more.val();

        comment!("Load slots and steps in turn");
        self.active.clk.next = self.clk.val();
        self.active.rst_n.next = self.rst_n.val();
        self.active.en_i.next = self.start_i.val() | self.run_end.val();
        self.active.d_i.next = self.start_i.val();
        self.loading.clk.next = self.clk.val();
        self.loading.rst_n.next = self.rst_n.val();
        self.loading.en_i.next = self.idle.val() | (self.issue.val() & self.group_last.val());
        self.loading.d_i.next = self.idle.val()
            | (!self.loading.q_o.val() & (self.ws_i.val() | !self.inner_more.val()));
        self.first.clk.next = self.clk.val();
        self.first.rst_n.next = self.rst_n.val();
        self.first.en_i.next = self.idle.val() | self.issue.val();
        self.first.d_i.next = self.idle.val() | self.group_last.val();
        self.rows_left.clk.next = self.clk.val();
        self.rows_left.rst_n.next = self.rst_n.val();
        self.rows_left.en_i.next = self.idle.val() | self.load_issue.val();
        self.rows_left.d_i.next = self.rows_left.q_o.val() - 1;
        if self.idle.val() | self.load_last.val() {
            self.rows_left.d_i.next = self._rows_distance.to_bits::<9>();
        }

        comment!("The held list, a tile at a time");
        self.held_rewinds.next = self.ws_i.val() & !self.more_held.val();
        self.held_restart.next = self.idle.val()
            | (self.held_rewinds.val() & !self.loading.q_o.val() & self.step_last.val());
        self.held_from.next = self.held_left.q_o.val();
        if self.held_restart.val() {
            self.held_from.next = bit_cast::<17, 16>(self.held_count.val());
        }
        self.held_left.clk.next = self.clk.val();
        self.held_left.rst_n.next = self.rst_n.val();
        self.held_left.en_i.next = self.idle.val()
            | self.load_issue.val()
            | (self.pass_end.val() & self.held_rewinds.val());
        self.held_left.d_i.next = self.held_from.val() - 1;
        self.held_entry.clk.next = self.clk.val();
        self.held_entry.rst_n.next = self.rst_n.val();
        self.held_entry.en_i.next = self.idle.val()
            | self.load_issue.val()
            | (self.pass_end.val() & self.held_rewinds.val());
        self.held_entry.d_i.next = self.held_entry.q_o.val() + 1;
        if self.held_restart.val() {
            self.held_entry.d_i.next = self.held_ptr.val();
        }

        comment!("The streaming list, all of it in each pass");
        self.step_restart.next = self.idle.val() | self.step_last.val();
        self.steps_from.next = self.steps_left.q_o.val();
        if self.step_restart.val() {
            self.steps_from.next = bit_cast::<17, 16>(self.step_count.val());
        }
        self.steps_left.clk.next = self.clk.val();
        self.steps_left.rst_n.next = self.rst_n.val();
        self.steps_left.en_i.next = self.idle.val() | self.step_issue.val();
        // Less 1 in the list, less 2 at its begin: -2 differs from -1 in its low bit.
        self.steps_left.d_i.next =
            self.steps_from.val() + bits::<17>(0x1_ffff).replace_bit(0, !self.step_restart.val());
        self.step_entry.clk.next = self.clk.val();
        self.step_entry.rst_n.next = self.rst_n.val();
        self.step_entry.en_i.next = self.idle.val() | self.step_issue.val();
        self.step_entry.d_i.next = self.step_entry.q_o.val() + 1;
        if self.step_restart.val() {
            self.step_entry.d_i.next = self.step_ptr.val();
        }

        comment!("Column tiles");
        self.cols_restart.next = self.idle.val() | (!self.ws_i.val() & !self.more_cols.val());
        self.cols_from.next = self.cols_left.q_o.val();
        self.cols_less.next = self._cols.to_bits::<17>();
        if self.cols_restart.val() {
            self.cols_from.next = bit_cast::<17, 16>(self.n_i.val());
            self.cols_less.next = self._cols_begin.to_bits::<17>();
        }
        self.cols_left.clk.next = self.clk.val();
        self.cols_left.rst_n.next = self.rst_n.val();
        self.cols_left.en_i.next =
            self.idle.val() | (self.pass_end.val() & (!self.ws_i.val() | !self.inner_more.val()));
        self.cols_left.d_i.next = self.cols_from.val() - self.cols_less.val();
        self.inner_first.clk.next = self.clk.val();
        self.inner_first.rst_n.next = self.rst_n.val();
        self.inner_first.en_i.next = self.idle.val() | self.pass_end.val();
        self.inner_first.d_i.next = self.idle.val() | !self.inner_more.val();
        self.outer_first.clk.next = self.clk.val();
        self.outer_first.rst_n.next = self.rst_n.val();
        self.outer_first.en_i.next = self.idle.val() | self.inner_wrap.val();
        self.outer_first.d_i.next = self.idle.val();
        self.held_first.next = self.outer_first.q_o.val();
        self.cols_first.next = self.inner_first.q_o.val();
        if self.ws_i.val() {
            self.held_first.next = self.inner_first.q_o.val();
            self.cols_first.next = self.outer_first.q_o.val();
        }

        comment!("The slot");
        self.used.next = !self.loading.q_o.val() | self.more_held.val();
        self.valid_o.next = self.active.q_o.val();
        self.mark.next = self.step_last.val() & !self.more_held.val() & !self.more_cols.val();
        if self.loading.q_o.val() {
            self.mark.next = self.more_held.val();
        }
        self.tag_o.next = bits::<7>(0)
            .replace_bit(0, self.loading.q_o.val())
            .replace_bit(1, self.first.q_o.val())
            .replace_bit(2, self.step_last.val())
            .replace_bit(3, self.mark.val())
            .replace_bit(4, self.held_first.val())
            .replace_bit(5, self.cols_first.val())
            .replace_bit(6, !self.more_held.val());
        self.is_offset.next = self.loading.q_o.val() == self.ws_i.val();
        self.summed.next = self.steps_i.val() & self.is_offset.val();
        self.sum_begins.next = self.first.q_o.val() & (!self.ws_i.val() | self.held_first.val());
        if self._summing > 0 {
            self.sum_o.next = self.summed.val() & !self.sum_begins.val();
            self.keep_o.next = self.summed.val() & self.used.val();
            self.origin_o.next =
                self.loading.q_o.val() & (!self.summed.val() | self.sum_begins.val());
        } else {
            self.sum_o.next = false;
            self.keep_o.next = false;
            self.origin_o.next = self.loading.q_o.val();
        }
        self.base_ren_o.next = self.issue.val() & self.used.val() & !self.is_offset.val();
        self.base_addr_o.next = self.held_entry.q_o.val();
        self.offset_ren_o.next = self.issue.val() & self.used.val() & self.is_offset.val();
        self.offset_addr_o.next = self.step_entry.q_o.val();
        if self.ws_i.val() {
            self.base_addr_o.next = self.step_entry.q_o.val();
            self.offset_addr_o.next = self.held_entry.q_o.val();
        }
    }
    module!(|this| Meta::module("offsets_sequencer")
        .param("rows", "r", this._rows, "rows")
        .param("cols", "q", this._cols, "columns")
        .option("summing", "s", this._summing, "1: offsets may be steps")
        .hidden("cols_begin", this._cols_begin, "columns + 1")
        .hidden("rows_distance", this._rows_distance, "rows - 2 in 9 bits"));
}
