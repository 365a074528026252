//! The map memory of a unit.

use super::{MapOrder, waves::*};
use heddle_kernel::prelude::*;

/// Keeps the entries of a unit's part of a map, in sets: several are written in a clock, and one is read.
///
/// Entry a of a set lies in bank a mod `entries`. A set is not written while it is read.
///
/// # Timing
/// Entries in cycle T are compared with the rectangle in T, and empty their set if they are its first ones. They are counted in T+1 if
/// they lie in the rectangle, and written in T+2. A set in T (`read_valid_i`, taken if `read_ready_o` is high) may be one whose last entry came
/// in T-2: its first entry is on `entry_o` in T+4, the others follow, one in a cycle, as they are taken.
#[module]
pub struct MapMemory {
    /// Entries on their way.
    #[new(LoadWave::new(entries))]
    pub load_i: LoadWave<In>,
    /// They are also for this unit.
    pub mask_i: Signal<In, Bit>,
    /// What this unit takes of the map; stable while entries come.
    pub part_i: Rectangle<In>,
    /// Event: a set is full, an entry is dropped.
    pub full_o: Signal<Out, Bit>,
    /// A set is to be read.
    pub read_valid_i: Signal<In, Bit>,
    /// It is taken.
    pub read_ready_o: Signal<Out, Bit>,
    /// Its number.
    pub read_set_i: Signal<In, Bits<2>>,
    /// Event: a set has been read.
    pub read_done_o: Signal<Out, Bit>,
    /// Its number.
    pub done_set_o: Signal<Out, Bits<2>>,
    /// An entry.
    pub valid_o: Signal<Out, Bit>,
    /// It is taken.
    pub ready_i: Signal<In, Bit>,
    /// The entry.
    pub entry_o: Entry<Out>,
    /// Number of the list of weights that it meets.
    pub list_o: Signal<Out, Bits<9>>,
    /// A set is read, or there is an entry.
    pub busy_o: Signal<Out, Bit>,
    #[new(MapOrder::new(entry_max))]
    order: MapOrder,
    #[new(Ram1r1w::new(4, sets * entry_max / entries))]
    bank: [Ram1r1w<16, 9>; entries],
    /// Entries that are written.
    value: [Delay<Bits<9>>; entries],
    list: [Delay<Bits<9>>; entries],
    row: Delay<Bits<8>>,
    col: Delay<Bits<8>>,
    load_count: Delay<Bits<4>>,
    set: Delay<Bits<2>>,
    /// They lie in the rectangle.
    takes: Reg<Bit>,
    /// Entries of each set.
    count: [RegEn<Bits<15>>; sets],
    /// A set is empty before the entries that come.
    clears: Signal<Local, Bit>,
    old_count: Signal<Local, Bits<15>>,
    sum: Signal<Local, Bits<15>>,
    new_count: Signal<Local, Bits<15>>,
    is_full: Signal<Local, Bit>,
    /// Bank of the first entry.
    first_bank: Signal<Local, Bits<3>>,
    /// Its row there; those of a set lie behind those of the one before.
    first_row: Signal<Local, Bits<16>>,
    /// Row of what each bank writes.
    bank_row: [Signal<Local, Bits<16>>; entries],
    /// An entry comes to it.
    has: [Signal<Local, Bit>; entries],
    /// Entries that are written, a cycle later: how many, from where on.
    writes: Reg<Bit>,
    at: Delay<Bits<15>>,
    write_count: Delay<Bits<4>>,
    write_set: Delay<Bits<2>>,
    write_row: Delay<Bits<8>>,
    write_col: Delay<Bits<8>>,
    write_value: [Delay<Bits<9>>; entries],
    write_list: [Delay<Bits<9>>; entries],
    /// An entry stands at the memory, in this bank.
    read: RegEn<Bit>,
    read_bank: RegData<Bits<3>>,
    /// Bank and row of the entry that is read next.
    next_bank: Signal<Local, Bits<3>>,
    read_row: Signal<Local, Bits<16>>,
    /// An entry waits after the memory, one stands at the outputs, and their words.
    waits: Reg<Bit>,
    stands: RegEn<Bit>,
    kept_word: [[RegData<Bits<9>>; 4]; 2],
    word: [Signal<Local, Bits<9>>; 4],
    /// What stands at the memory goes on, or nothing does.
    free: Signal<Local, Bit>,
    reads: Signal<Local, Bit>,
    /// The outputs are free, or become so.
    goes: Signal<Local, Bit>,
    /// Entries that are written in a clock, a power of two.
    _entries: Param<'e'>,
    /// Sets.
    _sets: Param<'s'>,
    /// Entries of a set, a power of two from 16 on.
    _entry_max: Param<'d'>,
    #[new(entries.ilog2() as usize)]
    _bank_bits: usize,
    #[new(entry_max.ilog2() as usize)]
    _entry_bits: usize,
}

#[kernel]
impl MapMemory {
    fn update(&mut self) {
        self.cut();
        self.count();
        self.write();
        self.read();
        self.give();
    }

    /// What lies in the rectangle.
    fn cut(&mut self) {
        for i in 0..self._entries {
            self.value[i] = self.load_i.value[i];
            self.list[i] = self.load_i.list[i];
        }
        self.row = self.load_i.row;
        self.col = self.load_i.col;
        self.load_count = self.load_i.count;
        self.set = self.load_i.set;
        self.clears = self.load_i.valid & self.load_i.first & self.mask_i;
        self.takes = self.load_i.valid
            & self.mask_i
            & (bit_cast::<9, 8>(self.load_i.row) >= self.part_i.row0)
            & (bit_cast::<9, 8>(self.load_i.row) < self.part_i.row1)
            & (bit_cast::<9, 8>(self.load_i.col) >= self.part_i.col0)
            & (bit_cast::<9, 8>(self.load_i.col) < self.part_i.col1);
    }

    /// Where they are written: behind those before.
    fn count(&mut self) {
        comment!("Entries of the set so far");
        self.old_count = 0.into();
        for s in 0..self._sets {
            if self.set == s.to_bits::<2>() {
                self.old_count = self.count[s];
            }
        }
        self.sum = self.old_count;
        if self.takes {
            self.sum = self.old_count + bit_cast::<15, 4>(self.load_count);
        }
        comment!("More than a power of two: its bit is set, and a lower one");
        self.is_full = (self.sum >> self._entry_bits.to_bits::<4>()).any()
            & (self.sum & (self._entry_max - 1).to_bits::<15>()).any();
        self.full_o = self.is_full;
        self.new_count = mux(
            self.is_full,
            self._entry_max.to_bits::<15>(),
            self.sum & (2 * self._entry_max - 1).to_bits::<15>(),
        );
        comment!("A set is emptied as its first entries come, not when they are counted");
        for s in 0..self._sets {
            let clears = self.clears & (self.load_i.set == s.to_bits::<2>());
            self.count[s].load(
                clears | (self.takes & (self.set == s.to_bits::<2>())),
                mux(clears, 0.into(), self.new_count),
            );
        }
    }

    /// Each bank writes the entry that comes to it.
    fn write(&mut self) {
        self.writes = self.takes;
        self.at = self.old_count;
        comment!("What is left of a power of two is the number below it, negated");
        self.write_count = mux(
            self.is_full,
            0 - self.old_count.get_bits::<4>(0),
            self.load_count,
        );
        self.write_set = self.set;
        self.write_row = self.row;
        self.write_col = self.col;
        for i in 0..self._entries {
            self.write_value[i] = self.value[i];
            self.write_list[i] = self.list[i];
        }
        self.first_bank = self.at.get_bits::<3>(0) & (self._entries - 1).to_bits::<3>();
        self.first_row = bit_cast::<16, 15>(self.at >> self._bank_bits.to_bits::<4>());
        for s in 1..self._sets {
            if self.write_set == s.to_bits::<2>() {
                self.first_row = bit_cast::<16, 15>(self.at >> self._bank_bits.to_bits::<4>())
                    + (s * self._entry_max / self._entries).to_bits::<16>();
            }
        }
        comment!(
            "Each bank writes the entry that comes to it; those below the first one begin the next row"
        );
        for b in 0..self._entries {
            self.bank_row[b] = self.first_row;
            self.has[b] = false;
            self.bank[b].wdata_i[0] = 0.into();
            self.bank[b].wdata_i[1] = 0.into();
            for f in 0..self._entries {
                if self.first_bank == f.to_bits::<3>() {
                    if b < f {
                        self.bank_row[b] = self.first_row + 1;
                    }
                    self.has[b] =
                        ((b + self._entries - f) % self._entries).to_bits::<4>() < self.write_count;
                    self.bank[b].wdata_i[0] =
                        self.write_value[(b + self._entries - f) % self._entries];
                    self.bank[b].wdata_i[1] =
                        self.write_list[(b + self._entries - f) % self._entries];
                }
            }
            self.bank[b].wdata_i[2] = bit_cast::<9, 8>(self.write_row);
            self.bank[b].wdata_i[3] = bit_cast::<9, 8>(self.write_col);
            self.bank[b].wen_i = self.writes & self.has[b];
            self.bank[b].waddr_i = self.bank_row[b];
        }
    }

    fn read(&mut self) {
        comment!("A set");
        self.order.valid_i = self.read_valid_i;
        self.read_ready_o = self.order.ready_o;
        self.order.set_i = self.read_set_i;
        self.order.count_i = 0.into();
        for s in 0..self._sets {
            if self.read_set_i == s.to_bits::<2>() {
                self.order.count_i = self.count[s];
            }
        }
        self.read_done_o = self.order.done_o;
        self.done_set_o = self.order.set_o;

        comment!("Its entries, as long as there is room behind the memory");
        self.free = !self.waits | !self.read;
        self.reads = self.order.valid_o & self.free;
        self.order.move_i = self.free;
        self.read.load(self.free, self.order.valid_o);
        self.next_bank = self.order.number_o.get_bits::<3>(0) & (self._entries - 1).to_bits::<3>();
        self.read_bank.load(self.reads, self.next_bank);
        self.read_row = bit_cast::<16, 15>(self.order.number_o >> self._bank_bits.to_bits::<4>());
        for s in 1..self._sets {
            if self.order.set_o == s.to_bits::<2>() {
                self.read_row =
                    bit_cast::<16, 15>(self.order.number_o >> self._bank_bits.to_bits::<4>())
                        + (s * self._entry_max / self._entries).to_bits::<16>();
            }
        }
        for b in 0..self._entries {
            self.bank[b].ren_i = self.reads & (self.next_bank == b.to_bits::<3>());
            self.bank[b].raddr_i = self.read_row;
        }
    }

    /// Two places behind the memory: whether it may be read depends on nothing that happens in the same cycle.
    fn give(&mut self) {
        self.goes = !self.stands | self.ready_i;
        for i in 0..4 {
            self.word[i] = self.bank[0].rdata_o[i];
            for b in 0..self._entries {
                if self.read_bank == b.to_bits::<3>() {
                    self.word[i] = self.bank[b].rdata_o[i];
                }
            }
            self.kept_word[0][i].load(!self.waits, self.word[i]);
            self.kept_word[1][i].load(
                self.goes,
                mux(self.waits, self.kept_word[0][i], self.word[i]),
            );
        }
        self.waits = (self.waits | self.read) & !self.goes;
        self.stands.load(self.goes, self.waits | self.read);
        self.valid_o = self.stands;
        self.entry_o.value = self.kept_word[1][0];
        self.list_o = self.kept_word[1][1];
        self.entry_o.row = self.kept_word[1][2].get_bits::<8>(0);
        self.entry_o.col = self.kept_word[1][3].get_bits::<8>(0);
        self.busy_o = self.order.busy_o | self.read | self.waits | self.stands;
    }
}
