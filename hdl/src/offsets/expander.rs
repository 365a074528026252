//! Compressed tables.

use super::OffsetShape;
use heddle_kernel::prelude::*;

/// Writes table entries that follow from a few numbers: three nested counts with a step each, or a
/// block of entries repeated with a step. It only adds.
///
/// # Timing
/// Busy from the clock after EX_GO on. A nest writes one entry in a clock, a repeat one in three: it
/// reads, waits for the entry, and writes the sum. It stops before the first entry beyond the table and says so with `refused_o`.
#[module(name = "offsets_expander")]
pub struct OffsetExpander<const A: usize> {
    /// Writes a register.
    pub write_i: Signal<In, Bit>,
    /// EX_TABLE is 0, EX_GO is 9.
    pub index_i: Signal<In, Bits<4>>,
    /// Value.
    pub data_i: Signal<In, Bits<32>>,
    /// With EX_GO: row bits of all entries of a nest.
    pub row_i: [Signal<In, Bits<1>>; taps],
    /// With EX_GO: their column bits.
    pub col_i: [Signal<In, Bits<1>>; taps],
    /// No write is taken.
    pub busy_o: Signal<Out, Bit>,
    /// There is no such table, or no such entry.
    pub refused_o: Signal<Out, Bit>,
    /// The table is that of the offsets.
    pub offset_o: Signal<Out, Bit>,
    /// Writes an entry.
    pub wen_o: Signal<Out, Bit>,
    /// Its number.
    pub waddr_o: Signal<Out, Bits<16>>,
    /// Its value.
    pub value_o: Signal<Out, Bits<A>>,
    /// Its row bits.
    pub row_o: [Signal<Out, Bits<1>>; taps],
    /// Its column bits.
    pub col_o: [Signal<Out, Bits<1>>; taps],
    /// Reads an entry.
    pub ren_o: Signal<Out, Bit>,
    /// Its number.
    pub raddr_o: Signal<Out, Bits<16>>,
    /// The entry read two clocks before.
    pub read_i: Signal<In, Bits<A>>,
    /// Its row bits.
    pub read_row_i: [Signal<In, Bits<1>>; taps],
    /// Its column bits.
    pub read_col_i: [Signal<In, Bits<1>>; taps],
    /// EX_TABLE, 0 if there is no such table.
    of_bases: RegEn<Bit>,
    of_offsets: RegEn<Bit>,
    /// EX_ENTRY, EX_VALUE.
    start_entry: RegEn<Bits<16>>,
    start_value: RegEn<Bits<A>>,
    /// EX_COUNT, EX_STEP.
    count: [RegEn<Bits<16>>; 3],
    addend: [RegEn<Bits<A>>; 3],
    busy: RegEn<Bit>,
    repeats: RegEn<Bit>,
    /// Of an entry of a repeat: 0 read, 1 wait, 2 write.
    phase: RegEn<Bits<2>>,
    /// Entries behind this one in its run, less one; runs, blocks of runs.
    left: [RegEn<Bits<17>>; 3],
    entry: RegEn<Bits<17>>,
    source: RegEn<Bits<16>>,
    value: RegData<Bits<A>>,
    row: [RegData<Bits<1>>; taps],
    col: [RegData<Bits<1>>; taps],
    place: Signal<Local, Bits<4>>,
    of_number: [Signal<Local, Bit>; 3],
    go: Signal<Local, Bit>,
    goes: Signal<Local, Bit>,
    repeat_wanted: Signal<Local, Bit>,
    nothing: Signal<Local, Bit>,
    impossible: Signal<Local, Bit>,
    writing: Signal<Local, Bit>,
    in_table: Signal<Local, Bit>,
    /// Number i and all inside it are at their ends.
    ends: [Signal<Local, Bit>; 4],
    left_from: [Signal<Local, Bits<17>>; 3],
    finished: Signal<Local, Bit>,
    added_to: Signal<Local, Bits<A>>,
    added: Signal<Local, Bits<A>>,
    total: Signal<Local, Bits<A>>,
    /// Bits of a value.
    _address_bits: Generic<'a', A>,
    /// Entries of the bases.
    #[new(shape.bases)]
    _bases: Param<'b'>,
    /// Entries of the offsets.
    #[new(shape.offsets)]
    _offsets: Param<'o'>,
    /// Row bits of an entry, and column bits.
    #[new(shape.taps)]
    _taps: Optional<'t'>,
    /// What the unit is built from.
    #[argument]
    _shape: &OffsetShape,
}

#[kernel]
impl<const A: usize> OffsetExpander<A> {
    fn registers(&mut self) {
        comment!("Registers");
        let write = self.write_i.val();
        let index = self.index_i.val();
        let data = self.data_i.val();
        self.of_bases.load(write & (index == 0), data == 1);
        self.of_offsets.load(write & (index == 0), data == 2);
        self.start_entry
            .load(write & (index == 1), data.get_bits::<16>(0));
        self.start_value
            .load(write & (index == 2), data.get_bits::<A>(0));
        // A count and a step in turn, from register 3 on.
        self.place.next = index - 3;
        let is_step = self.place.val().get_bit(0);
        for i in 0..3 {
            self.of_number[i].next = self.place.val().get_bits::<3>(1) == i.to_bits::<3>();
            let mine = write & self.of_number[i].val();
            self.count[i].load(mine & !is_step, data.get_bits::<16>(0));
            self.addend[i].load(mine & is_step, data.get_bits::<A>(0));
        }
    }

    fn begin(&mut self) {
        comment!("Begin");
        self.go.next = self.write_i.val() & (self.index_i.val() == 9);
        self.repeat_wanted.next = self.data_i.val().get_bit(0);
        self.nothing.next = (self.count[0].q_o.val() == 0)
            | (self.count[1].q_o.val() == 0)
            | (!self.repeat_wanted.val() & (self.count[2].q_o.val() == 0));
        self.impossible.next = (!self.of_bases.q_o.val() & !self.of_offsets.q_o.val())
            | (self.repeat_wanted.val() & (self.start_entry.q_o.val() < self.count[0].q_o.val()));
        self.goes.next = self.go.val() & !self.nothing.val() & !self.impossible.val();
        self.busy
            .load(self.goes.val() | self.finished.val(), self.goes.val());
        self.repeats.load(self.goes.val(), self.repeat_wanted.val());
    }

    fn next_entry(&mut self) {
        comment!("One entry after the other");
        self.phase.en_i.next = self.goes.val() | self.repeats.q_o.val();
        self.phase.d_i.next = self.phase.q_o.val() + 1;
        if self.goes.val() {
            self.phase.d_i.next = 2.into();
            if self.repeat_wanted.val() {
                self.phase.d_i.next = 0.into();
            }
        } else if self.phase.q_o.val() == 2 {
            self.phase.d_i.next = 0.into();
        }
        self.writing.next = self.busy.q_o.val() & (self.phase.q_o.val() == 2);
        self.in_table.next = self.entry.q_o.val() < self._bases.to_bits::<17>();
        if self.of_offsets.q_o.val() {
            self.in_table.next = self.entry.q_o.val() < self._offsets.to_bits::<17>();
        }
        self.ends[0].next = true;
        for i in 0..3 {
            self.left[i].en_i.next = self.goes.val() | (self.writing.val() & self.ends[i].val());
            self.left_from[i].next = self.left[i].q_o.val();
            if self.goes.val() | self.left[i].q_o.val().get_bit(16) {
                self.left_from[i].next = self.count[i].q_o.val().get_bits::<17>(0);
            }
            // Less 1, or at the begin less 2.
            self.left[i].d_i.next = self.left_from[i].val()
                + bits::<17>(0x1_ffff)
                    .replace_bit(0, !self.goes.val() & !self.left[i].q_o.val().get_bit(16));
            self.ends[i + 1].next = self.ends[i].val() & self.left[i].q_o.val().get_bit(16);
        }
        self.finished.next = self.writing.val()
            & (self.ends[3].val()
                | (self.ends[2].val() & self.repeats.q_o.val())
                | !self.in_table.val());
        self.entry.en_i.next = self.goes.val() | self.writing.val();
        self.entry.d_i.next = self.entry.q_o.val() + 1;
        self.source.en_i.next = self.goes.val() | self.writing.val();
        self.source.d_i.next = self.source.q_o.val() + 1;
        if self.goes.val() {
            self.entry.d_i.next = bit_cast::<17, 16>(self.start_entry.q_o.val());
            self.source.d_i.next = self.start_entry.q_o.val() - self.count[0].q_o.val();
        }
    }

    fn value(&mut self) {
        comment!("Value: the one before, or the one a block before, and a step");
        self.added_to.next = self.value.q_o.val();
        self.added.next = self.addend[2].q_o.val();
        if !self.ends[1].val() {
            self.added.next = self.addend[0].q_o.val();
        } else if !self.ends[2].val() {
            self.added.next = self.addend[1].q_o.val();
        }
        if self.repeats.q_o.val() {
            self.added_to.next = self.read_i.val();
            self.added.next = self.addend[0].q_o.val();
        }
        self.value.en_i.next = self.goes.val() | self.writing.val();
        self.total.next = self.added_to.val() + self.added.val();
        self.value.d_i.next = self.total.val();
        if self.goes.val() {
            self.value.d_i.next = self.start_value.q_o.val();
        }
        self.value_o.next = self.value.q_o.val();
        if self.repeats.q_o.val() {
            self.value_o.next = self.total.val();
        }
        for i in 0..self._taps {
            self.row[i].load(self.goes.val(), self.row_i[i].val());
            self.row_o[i].next = self.row[i].q_o.val();
            self.col[i].load(self.goes.val(), self.col_i[i].val());
            self.col_o[i].next = self.col[i].q_o.val();
            if self.repeats.q_o.val() {
                self.row_o[i].next = self.read_row_i[i].val();
                self.col_o[i].next = self.read_col_i[i].val();
            }
        }

        self.busy_o.next = self.busy.q_o.val();
        self.refused_o.next =
            (self.go.val() & self.impossible.val()) | (self.writing.val() & !self.in_table.val());
        self.offset_o.next = self.of_offsets.q_o.val();
        self.wen_o.next = self.writing.val() & self.in_table.val();
        self.waddr_o.next = self.entry.q_o.val().get_bits::<16>(0);
        self.ren_o.next = self.busy.q_o.val() & (self.phase.q_o.val() == 0);
        self.raddr_o.next = self.source.q_o.val();
    }

    fn update(&mut self) {
        self.registers();
        self.begin();
        self.next_entry();
        self.value();
    }
}
