//! Order of the slots.

use super::OffsetShape;
use super::shape::{BEFORE, PREFETCH, RUNNING};
use heddle_kernel::prelude::*;

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
/// With `before` an index names the entry read last and is stepped before the next read. With
/// `prefetch` every row keeps its entries: the load slots of all tiles of bases come before the
/// first step (offsets: those of a tile before its steps), and a switch slot before the steps of a
/// tile lets each row take its next entry.
///
/// # Timing
/// The first slot comes one cycle after `start_i`, then one in every cycle with `advance_i`. The
/// table entry of a slot is there one advance later.
#[module(name = "offsets_sequencer", describe)]
pub struct OffsetSequencer {
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
    /// Bit 0 load slot (else step), 1 first one of its group, 2 last step of a pass, with `prefetch`
    /// also: load slot that is a switch slot, 3 load slot: the row is used, step: last one of the run,
    /// 4 first tile of the held list, 5 first column tile, 6 last tile of the held list (in steps).
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
    /// Entries of the held list behind this load slot, or tile.
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
    /// The rows have their entries: the next load slot is a switch slot. Only with `prefetch`.
    fetched: [RegEn<Bit>; shape.prefetch.into()],
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
    /// The entries behind those of the indices; only with `before`.
    held_stepped: [Signal<Local, Bits<16>>; shape.before.into()],
    step_stepped: [Signal<Local, Bits<16>>; shape.before.into()],
    /// The slot is a switch slot. Only with `prefetch`.
    switching: [Signal<Local, Bit>; shape.prefetch.into()],
    /// It begins a tile of bases.
    turn: [Signal<Local, Bit>; shape.prefetch.into()],
    held_less: [Signal<Local, Bits<17>>; shape.prefetch.into()],
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
    /// What the unit is built from.
    #[argument]
    _shape: &OffsetShape,
    #[new(*shape)]
    _of: OffsetShape,
}

#[kernel]
impl OffsetSequencer {
    fn lists(&mut self) {
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
    }

    fn ends(&mut self) {
        comment!("Ends of the loops");
        self.idle.next = !self.active.q_o.val();
        self.issue.next = self.active.q_o.val() & self.advance_i.val();
        if self._of.prefetch {
            self.switching[0].next = self.loading.q_o.val()
                & (self.fetched[0].q_o.val()
                    | (!self.ws_i.val()
                        & self.first.q_o.val()
                        & self.held_left.q_o.val().get_bit(16)));
            self.turn[0].next = self.active.q_o.val() & self.switching[0].val() & !self.ws_i.val();
            self.load_issue.next =
                self.issue.val() & self.loading.q_o.val() & !self.switching[0].val();
        } else {
            self.load_issue.next = self.issue.val() & self.loading.q_o.val();
        }
        self.step_issue.next = self.issue.val() & !self.loading.q_o.val();
        self.load_last.next = self.rows_left.q_o.val().get_bit(8);
        self.step_last.next = self.steps_left.q_o.val().get_bit(16);
        self.group_last.next = self.step_last.val();
        if self.loading.q_o.val() {
            if self._of.prefetch {
                self.group_last.next = self.switching[0].val();
            } else {
                self.group_last.next = self.load_last.val();
            }
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
    }

    fn order(&mut self) {
        comment!("Load slots and steps in turn");
        self.active
            .load(self.start_i.val() | self.run_end.val(), self.start_i.val());
        self.loading.en_i.next = self.idle.val() | (self.issue.val() & self.group_last.val());
        self.loading.d_i.next = self.idle.val()
            | (!self.loading.q_o.val() & (self.ws_i.val() | !self.inner_more.val()));
        self.first.en_i.next = self.idle.val() | self.issue.val();
        if self._of.prefetch {
            self.first.d_i.next = self.idle.val()
                | self.group_last.val()
                | (self.loading.q_o.val() & self.load_last.val());
            self.fetched[0].en_i.next = self.idle.val()
                | (self.issue.val() & self.switching[0].val())
                | (self.ws_i.val() & self.load_issue.val() & self.load_last.val());
            self.fetched[0].d_i.next =
                !self.idle.val() & !(self.ws_i.val() & self.switching[0].val());
        } else {
            self.first.d_i.next = self.idle.val() | self.group_last.val();
        }
        self.rows_left.en_i.next = self.idle.val() | self.load_issue.val();
        self.rows_left.d_i.next = self.rows_left.q_o.val() - 1;
        if self.idle.val() | self.load_last.val() {
            self.rows_left.d_i.next = ((self._of.rows + 510) % 512).to_bits::<9>();
        }
    }

    fn held_list(&mut self) {
        comment!("The held list, a tile at a time");
        self.held_rewinds.next = self.ws_i.val() & !self.more_held.val();
        if self._of.prefetch {
            self.held_restart.next = self.idle.val()
                | (self.turn[0].val() & !self.fetched[0].q_o.val())
                | (self.held_rewinds.val() & !self.loading.q_o.val() & self.step_last.val());
        } else {
            self.held_restart.next = self.idle.val()
                | (self.held_rewinds.val() & !self.loading.q_o.val() & self.step_last.val());
        }
        self.held_from.next = self.held_left.q_o.val();
        if self.held_restart.val() {
            self.held_from.next = bit_cast::<17, 16>(self.held_count.val());
        }
        if self._of.prefetch {
            // Bases are counted to the end, then once more by tiles.
            self.held_left.en_i.next = self.idle.val()
                | self.load_issue.val()
                | (self.issue.val() & self.turn[0].val())
                | (self.pass_end.val() & self.held_rewinds.val());
            self.held_less[0].next = 1.into();
            if self.turn[0].val() {
                self.held_less[0].next = (self._of.rows + 1).to_bits::<17>();
                if self.fetched[0].q_o.val() {
                    self.held_less[0].next = self._of.rows.to_bits::<17>();
                }
            }
            self.held_left.d_i.next = self.held_from.val() - self.held_less[0].val();
        } else {
            self.held_left.en_i.next = self.idle.val()
                | self.load_issue.val()
                | (self.pass_end.val() & self.held_rewinds.val());
            self.held_left.d_i.next = self.held_from.val() - 1;
        }
        self.held_entry.en_i.next = self.idle.val()
            | self.load_issue.val()
            | (self.pass_end.val() & self.held_rewinds.val());
        if self._of.before {
            self.held_stepped[0].next = self.held_entry.q_o.val() + 1;
            self.held_entry.d_i.next = self.held_stepped[0].val();
            if self.held_restart.val() {
                self.held_entry.d_i.next = self.held_ptr.val() - 1;
            }
        } else {
            self.held_entry.d_i.next = self.held_entry.q_o.val() + 1;
            if self.held_restart.val() {
                self.held_entry.d_i.next = self.held_ptr.val();
            }
        }
    }

    fn streaming_list(&mut self) {
        comment!("The streaming list, all of it in each pass");
        self.step_restart.next = self.idle.val() | self.step_last.val();
        self.steps_from.next = self.steps_left.q_o.val();
        if self.step_restart.val() {
            self.steps_from.next = bit_cast::<17, 16>(self.step_count.val());
        }
        self.steps_left.en_i.next = self.idle.val() | self.step_issue.val();
        // Less 1 in the list, less 2 at its begin: -2 differs from -1 in its low bit.
        self.steps_left.d_i.next =
            self.steps_from.val() + bits::<17>(0x1_ffff).replace_bit(0, !self.step_restart.val());
        self.step_entry.en_i.next = self.idle.val() | self.step_issue.val();
        if self._of.before {
            self.step_stepped[0].next = self.step_entry.q_o.val() + 1;
            self.step_entry.d_i.next = self.step_stepped[0].val();
            if self.step_restart.val() {
                self.step_entry.d_i.next = self.step_ptr.val() - 1;
            }
        } else {
            self.step_entry.d_i.next = self.step_entry.q_o.val() + 1;
            if self.step_restart.val() {
                self.step_entry.d_i.next = self.step_ptr.val();
            }
        }
    }

    fn column_tiles(&mut self) {
        comment!("Column tiles");
        self.cols_restart.next = self.idle.val() | (!self.ws_i.val() & !self.more_cols.val());
        self.cols_from.next = self.cols_left.q_o.val();
        self.cols_less.next = self._of.cols.to_bits::<17>();
        if self.cols_restart.val() {
            self.cols_from.next = bit_cast::<17, 16>(self.n_i.val());
            self.cols_less.next = (self._of.cols + 1).to_bits::<17>();
        }
        self.cols_left.en_i.next =
            self.idle.val() | (self.pass_end.val() & (!self.ws_i.val() | !self.inner_more.val()));
        self.cols_left.d_i.next = self.cols_from.val() - self.cols_less.val();
        self.inner_first.en_i.next = self.idle.val() | self.pass_end.val();
        self.inner_first.d_i.next = self.idle.val() | !self.inner_more.val();
        self.outer_first
            .load(self.idle.val() | self.inner_wrap.val(), self.idle.val());
        self.held_first.next = self.outer_first.q_o.val();
        self.cols_first.next = self.inner_first.q_o.val();
        if self.ws_i.val() {
            self.held_first.next = self.inner_first.q_o.val();
            self.cols_first.next = self.outer_first.q_o.val();
        }
    }

    fn slot(&mut self) {
        comment!("The slot");
        if self._of.prefetch {
            self.used.next =
                (!self.loading.q_o.val() | self.more_held.val()) & !self.switching[0].val();
        } else {
            self.used.next = !self.loading.q_o.val() | self.more_held.val();
        }
        self.valid_o.next = self.active.q_o.val();
        self.mark.next = self.step_last.val() & !self.more_held.val() & !self.more_cols.val();
        if self.loading.q_o.val() {
            self.mark.next = self.more_held.val();
        }
        if self._of.prefetch {
            self.tag_o.next = bits::<7>(0)
                .replace_bit(0, self.loading.q_o.val())
                .replace_bit(1, self.first.q_o.val() & !self.switching[0].val())
                .replace_bit(
                    2,
                    self.switching[0].val() | (!self.loading.q_o.val() & self.step_last.val()),
                )
                .replace_bit(3, self.mark.val())
                .replace_bit(4, self.held_first.val())
                .replace_bit(5, self.cols_first.val())
                .replace_bit(6, !self.more_held.val());
        } else {
            self.tag_o.next = bits::<7>(0)
                .replace_bit(0, self.loading.q_o.val())
                .replace_bit(1, self.first.q_o.val())
                .replace_bit(2, self.step_last.val())
                .replace_bit(3, self.mark.val())
                .replace_bit(4, self.held_first.val())
                .replace_bit(5, self.cols_first.val())
                .replace_bit(6, !self.more_held.val());
        }
        self.is_offset.next = self.loading.q_o.val() == self.ws_i.val();
        self.summed.next = self.steps_i.val() & self.is_offset.val();
        self.sum_begins.next = self.first.q_o.val() & (!self.ws_i.val() | self.held_first.val());
        if self._of.running {
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
        if self._of.before {
            self.base_addr_o.next = self.held_stepped[0].val();
        } else {
            self.base_addr_o.next = self.held_entry.q_o.val();
        }
        self.offset_ren_o.next = self.issue.val() & self.used.val() & self.is_offset.val();
        if self._of.before {
            self.offset_addr_o.next = self.step_stepped[0].val();
        } else {
            self.offset_addr_o.next = self.step_entry.q_o.val();
        }
        if self.ws_i.val() {
            if self._of.before {
                self.base_addr_o.next = self.step_stepped[0].val();
                self.offset_addr_o.next = self.held_stepped[0].val();
            } else {
                self.base_addr_o.next = self.step_entry.q_o.val();
                self.offset_addr_o.next = self.held_entry.q_o.val();
            }
        }
    }
}

impl OffsetSequencer {
    fn describe(&self, meta: Meta) -> Meta {
        let shape = &self._of;
        meta.param("rows", "r", shape.rows, "rows")
            .param("cols", "q", shape.cols, "columns")
            .option("summing", "s", shape.running.into(), RUNNING)
            .option("before", "i", shape.before.into(), BEFORE)
            .option("prefetch", "p", shape.prefetch.into(), PREFETCH)
    }
}

#[kernel]
impl OffsetSequencer {
    fn update(&mut self) {
        self.lists();
        self.ends();
        self.order();
        self.held_list();
        self.streaming_list();
        self.column_tiles();
        self.slot();
    }
}
