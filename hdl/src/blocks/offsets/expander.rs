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
        let write = self.write_i;
        let index = self.index_i;
        let data = self.data_i;
        self.of_bases.load(write & (index == 0), data == 1);
        self.of_offsets.load(write & (index == 0), data == 2);
        self.start_entry
            .load(write & (index == 1), data.get_bits::<16>(0));
        self.start_value
            .load(write & (index == 2), data.get_bits::<A>(0));
        // A count and a step in turn, from register 3 on.
        self.place = index - 3;
        let is_step = self.place.get_bit(0);
        for i in 0..3 {
            self.of_number[i] = self.place.get_bits::<3>(1) == i.to_bits::<3>();
            let mine = write & self.of_number[i];
            self.count[i].load(mine & !is_step, data.get_bits::<16>(0));
            self.addend[i].load(mine & is_step, data.get_bits::<A>(0));
        }
    }

    fn begin(&mut self) {
        comment!("Begin");
        self.go = self.write_i & (self.index_i == 9);
        self.repeat_wanted = self.data_i.get_bit(0);
        self.nothing = (self.count[0] == 0)
            | (self.count[1] == 0)
            | (!self.repeat_wanted & (self.count[2] == 0));
        self.impossible = (!self.of_bases & !self.of_offsets)
            | (self.repeat_wanted & (self.start_entry < self.count[0]));
        self.goes = self.go & !self.nothing & !self.impossible;
        self.busy.load(self.goes | self.finished, self.goes);
        self.repeats.load(self.goes, self.repeat_wanted);
    }

    fn next_entry(&mut self) {
        comment!("One entry after the other");
        self.phase.load(self.goes | self.repeats, self.phase + 1);
        if self.goes {
            self.phase = mux(self.repeat_wanted, 0.into(), 2.into());
        } else if self.phase == 2 {
            self.phase = 0.into();
        }
        self.writing = self.busy & (self.phase == 2);
        self.in_table = self.entry < self._bases.to_bits::<17>();
        if self.of_offsets {
            self.in_table = self.entry < self._offsets.to_bits::<17>();
        }
        self.ends[0] = true;
        for i in 0..3 {
            self.left[i].en_i = self.goes | (self.writing & self.ends[i]);
            self.left_from[i] = self.left[i];
            if self.goes | self.left[i].get_bit(16) {
                self.left_from[i] = self.count[i].get_bits::<17>(0);
            }
            // Less 1, or at the begin less 2.
            self.left[i] = self.left_from[i]
                + bits::<17>(0x1_ffff).replace_bit(0, !self.goes & !self.left[i].get_bit(16));
            self.ends[i + 1] = self.ends[i] & self.left[i].get_bit(16);
        }
        self.finished =
            self.writing & (self.ends[3] | (self.ends[2] & self.repeats) | !self.in_table);
        self.entry.load(self.goes | self.writing, self.entry + 1);
        self.source.load(self.goes | self.writing, self.source + 1);
        if self.goes {
            self.entry = bit_cast::<17, 16>(self.start_entry);
            self.source = self.start_entry - self.count[0];
        }
    }

    fn value(&mut self) {
        comment!("Value: the one before, or the one a block before, and a step");
        self.added_to = self.value;
        self.added = self.addend[2];
        if !self.ends[1] {
            self.added = self.addend[0];
        } else if !self.ends[2] {
            self.added = self.addend[1];
        }
        if self.repeats {
            self.added_to = self.read_i;
            self.added = self.addend[0];
        }
        self.value.en_i = self.goes | self.writing;
        self.total = self.added_to + self.added;
        self.value = mux(self.goes, self.start_value, self.total);
        self.value_o = mux(self.repeats, self.total, self.value);
        for i in 0..self._taps {
            self.row[i].load(self.goes, self.row_i[i]);
            self.row_o[i] = self.row[i];
            self.col[i].load(self.goes, self.col_i[i]);
            self.col_o[i] = self.col[i];
            if self.repeats {
                self.row_o[i] = self.read_row_i[i];
                self.col_o[i] = self.read_col_i[i];
            }
        }

        self.busy_o = self.busy;
        self.refused_o = (self.go & self.impossible) | (self.writing & !self.in_table);
        self.offset_o = self.of_offsets;
        self.wen_o = self.writing & self.in_table;
        self.waddr_o = self.entry.get_bits::<16>(0);
        self.ren_o = self.busy & (self.phase == 0);
        self.raddr_o = self.source;
    }

    fn update(&mut self) {
        self.registers();
        self.begin();
        self.next_entry();
        self.value();
    }
}
