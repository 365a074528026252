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
    /// Load slots after this one, less one.
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

    fn lists(&mut self) {
        comment!("Which list is held and which one streams by");
        self.held_count = self.t_i;
        self.held_ptr = self.base_ptr_i;
        self.step_count = self.k_i;
        self.step_ptr = self.offset_ptr_i;
        if self.ws_i {
            self.held_count = self.k_i;
            self.held_ptr = self.offset_ptr_i;
            self.step_count = self.t_i;
            self.step_ptr = self.base_ptr_i;
        }
    }

    fn ends(&mut self) {
        comment!("Ends of the loops");
        self.idle = !self.active;
        self.issue = self.active & self.advance_i;
        if self._of.prefetch {
            self.switching[0] = self.loading
                & (self.fetched[0] | (!self.ws_i & self.first & self.held_left.get_bit(16)));
            self.turn[0] = self.active & self.switching[0] & !self.ws_i;
            self.load_issue = self.issue & self.loading & !self.switching[0];
        } else {
            self.load_issue = self.issue & self.loading;
        }
        self.step_issue = self.issue & !self.loading;
        self.load_last = self.rows_left.get_bit(8);
        self.step_last = self.steps_left.get_bit(16);
        self.group_last = self.step_last;
        if self.loading {
            self.group_last = mux(self._of.prefetch, self.switching[0], self.load_last);
        }
        self.pass_end = self.step_issue & self.step_last;
        self.more_held = !self.held_left.get_bit(16);
        self.more_cols = !self.cols_left.get_bit(16);
        self.inner_more = self.more_cols;
        self.outer_more = self.more_held;
        if self.ws_i {
            self.inner_more = self.more_held;
            self.outer_more = self.more_cols;
        }
        self.inner_wrap = self.pass_end & !self.inner_more;
        self.run_end = self.inner_wrap & !self.outer_more;
    }

    fn order(&mut self) {
        comment!("Load slots and steps in turn");
        self.active.load(self.start_i | self.run_end, self.start_i);
        self.loading.en_i = self.idle | (self.issue & self.group_last);
        self.loading = self.idle | (!self.loading & (self.ws_i | !self.inner_more));
        self.first.en_i = self.idle | self.issue;
        if self._of.prefetch {
            self.first = self.idle | self.group_last | (self.loading & self.load_last);
            self.fetched[0].en_i = self.idle
                | (self.issue & self.switching[0])
                | (self.ws_i & self.load_issue & self.load_last);
            self.fetched[0] = !self.idle & !(self.ws_i & self.switching[0]);
        } else {
            self.first = self.idle | self.group_last;
        }
        self.rows_left.en_i = self.idle | self.load_issue;
        self.rows_left = self.rows_left - 1;
        if self.idle | self.load_last {
            self.rows_left = ((self._of.rows + 510) % 512).to_bits::<9>();
        }
    }

    fn held_list(&mut self) {
        comment!("The held list, a tile at a time");
        self.held_rewinds = self.ws_i & !self.more_held;
        if self._of.prefetch {
            self.held_restart = self.idle
                | (self.turn[0] & !self.fetched[0])
                | (self.held_rewinds & !self.loading & self.step_last);
        } else {
            self.held_restart = self.idle | (self.held_rewinds & !self.loading & self.step_last);
        }
        self.held_from = self.held_left;
        if self.held_restart {
            self.held_from = bit_cast::<17, 16>(self.held_count);
        }
        if self._of.prefetch {
            // Bases are counted to the end, then once more by tiles.
            self.held_left.en_i = self.idle
                | self.load_issue
                | (self.issue & self.turn[0])
                | (self.pass_end & self.held_rewinds);
            self.held_less[0] = 1.into();
            if self.turn[0] {
                self.held_less[0] = (self._of.rows + 1).to_bits::<17>();
                if self.fetched[0] {
                    self.held_less[0] = self._of.rows.to_bits::<17>();
                }
            }
            self.held_left = self.held_from - self.held_less[0];
        } else {
            self.held_left.en_i = self.idle | self.load_issue | (self.pass_end & self.held_rewinds);
            self.held_left = self.held_from - 1;
        }
        self.held_entry.en_i = self.idle | self.load_issue | (self.pass_end & self.held_rewinds);
        if self._of.before {
            self.held_stepped[0] = self.held_entry + 1;
            self.held_entry = mux(self.held_restart, self.held_ptr - 1, self.held_stepped[0]);
        } else {
            self.held_entry = mux(self.held_restart, self.held_ptr, self.held_entry + 1);
        }
    }

    fn streaming_list(&mut self) {
        comment!("The streaming list, all of it in each pass");
        self.step_restart = self.idle | self.step_last;
        self.steps_from = self.steps_left;
        if self.step_restart {
            self.steps_from = bit_cast::<17, 16>(self.step_count);
        }
        self.steps_left.en_i = self.idle | self.step_issue;
        // Less 1 in the list, less 2 at its begin: -2 differs from -1 in its low bit.
        self.steps_left = self.steps_from + bits::<17>(0x1_ffff).replace_bit(0, !self.step_restart);
        self.step_entry.en_i = self.idle | self.step_issue;
        if self._of.before {
            self.step_stepped[0] = self.step_entry + 1;
            self.step_entry = mux(self.step_restart, self.step_ptr - 1, self.step_stepped[0]);
        } else {
            self.step_entry = mux(self.step_restart, self.step_ptr, self.step_entry + 1);
        }
    }

    fn column_tiles(&mut self) {
        comment!("Column tiles");
        self.cols_restart = self.idle | (!self.ws_i & !self.more_cols);
        self.cols_from = self.cols_left;
        self.cols_less = self._of.cols.to_bits::<17>();
        if self.cols_restart {
            self.cols_from = bit_cast::<17, 16>(self.n_i);
            self.cols_less = (self._of.cols + 1).to_bits::<17>();
        }
        self.cols_left.en_i = self.idle | (self.pass_end & (!self.ws_i | !self.inner_more));
        self.cols_left = self.cols_from - self.cols_less;
        self.inner_first.en_i = self.idle | self.pass_end;
        self.inner_first = self.idle | !self.inner_more;
        self.outer_first
            .load(self.idle | self.inner_wrap, self.idle);
        self.held_first = self.outer_first;
        self.cols_first = self.inner_first;
        if self.ws_i {
            self.held_first = self.inner_first;
            self.cols_first = self.outer_first;
        }
    }

    fn slot(&mut self) {
        comment!("The slot");
        if self._of.prefetch {
            self.used = (!self.loading | self.more_held) & !self.switching[0];
        } else {
            self.used = !self.loading | self.more_held;
        }
        self.valid_o = self.active;
        self.mark = self.step_last & !self.more_held & !self.more_cols;
        if self.loading {
            self.mark = self.more_held;
        }
        if self._of.prefetch {
            self.tag_o = bits::<7>(0)
                .replace_bit(0, self.loading)
                .replace_bit(1, self.first & !self.switching[0])
                .replace_bit(2, self.switching[0] | (!self.loading & self.step_last))
                .replace_bit(3, self.mark)
                .replace_bit(4, self.held_first)
                .replace_bit(5, self.cols_first)
                .replace_bit(6, !self.more_held);
        } else {
            self.tag_o = bits::<7>(0)
                .replace_bit(0, self.loading)
                .replace_bit(1, self.first)
                .replace_bit(2, self.step_last)
                .replace_bit(3, self.mark)
                .replace_bit(4, self.held_first)
                .replace_bit(5, self.cols_first)
                .replace_bit(6, !self.more_held);
        }
        self.is_offset = self.loading == self.ws_i;
        self.summed = self.steps_i & self.is_offset;
        self.sum_begins = self.first & (!self.ws_i | self.held_first);
        if self._of.running {
            self.sum_o = self.summed & !self.sum_begins;
            self.keep_o = self.summed & self.used;
            self.origin_o = self.loading & (!self.summed | self.sum_begins);
        } else {
            self.sum_o = false;
            self.keep_o = false;
            self.origin_o = self.loading;
        }
        self.base_ren_o = self.issue & self.used & !self.is_offset;
        self.base_addr_o = mux(self._of.before, self.held_stepped[0], self.held_entry);
        self.offset_ren_o = self.issue & self.used & self.is_offset;
        self.offset_addr_o = mux(self._of.before, self.step_stepped[0], self.step_entry);
        if self.ws_i {
            if self._of.before {
                self.base_addr_o = self.step_stepped[0];
                self.offset_addr_o = self.held_stepped[0];
            } else {
                self.base_addr_o = self.step_entry;
                self.offset_addr_o = self.held_entry;
            }
        }
    }
}
