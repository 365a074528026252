//! A feature-map memory.

use super::{ListRead, SetBuffers};
use heddle_arch::params::MapLayout;
use heddle_kernel::prelude::*;

/// Keeps lists of entries in two sets. A switch brings two sources to the sets: memory outside, or another feature-map memory, on one side and
/// results of units on the other. Another one brings the sets to two destinations: units, or memories, on one side and memory outside on
/// the other. So a list is loaded while another one is computed.
///
/// An order says what becomes of a set; it is taken when the set is free, and its side of the switch. A set is written until the last word
/// of a list, or read to its end: never both in a clock. A word of value 0 is no entry; it may end a list.
///
/// # Timing
/// Order taken in cycle T: the set takes words from T+1 on, each written in the cycle in which it is taken, or its first entry is at the
/// output in T+3.
#[module]
pub struct FeatureMemory {
    /// There is an order.
    pub order_valid_i: Signal<In, Bit>,
    /// It is taken.
    pub order_ready_o: Signal<Out, Bit>,
    /// The set.
    pub order_set_i: Signal<In, Bit>,
    /// What becomes of it, as in `MemoryOrder`.
    pub order_job_i: Signal<In, Bits<3>>,
    /// It keeps its entries when it is written.
    pub order_append_i: Signal<In, Bit>,
    /// A word from outside.
    pub load_valid_i: Signal<In, Bit>,
    /// It is taken.
    pub load_ready_o: Signal<Out, Bit>,
    /// The word.
    pub load_word_i: [Signal<In, Bits<9>>; 4],
    /// A word from another memory.
    pub copy_valid_i: [Signal<In, Bit>; copies],
    /// It is taken.
    pub copy_ready_o: [Signal<Out, Bit>; copies],
    /// The word.
    pub copy_word_i: [[Signal<In, Bits<9>>; 4]; copies],
    /// A word of results.
    pub result_valid_i: Signal<In, Bit>,
    /// It is taken.
    pub result_ready_o: Signal<Out, Bit>,
    /// The word.
    pub result_word_i: [Signal<In, Bits<9>>; 4],
    /// A word for units, or for memories.
    pub unit_valid_o: Signal<Out, Bit>,
    /// It is taken.
    pub unit_ready_i: Signal<In, Bit>,
    /// The word.
    pub unit_word_o: [Signal<Out, Bits<9>>; 4],
    /// A word for outside.
    pub out_valid_o: Signal<Out, Bit>,
    /// It is taken.
    pub out_ready_i: Signal<In, Bit>,
    /// The word.
    pub out_word_o: [Signal<Out, Bits<9>>; 4],
    /// A set is in use.
    pub busy_o: [Signal<Out, Bit>; 2],
    /// Event: a set is full, an entry is dropped.
    pub full_o: Signal<Out, Bit>,
    /// Event: an order that this memory cannot carry out is dropped.
    pub wrong_o: Signal<Out, Bit>,
    #[new(SetBuffers::new(2 * entry_max / banks, merged))]
    bank: [SetBuffers; banks],
    #[new(ListRead::new(entry_max))]
    unit_read: ListRead,
    #[new(ListRead::new(entry_max))]
    out_read: ListRead,
    /// What becomes of a set: 0 nothing, else as in the order.
    job: [RegEn<Bits<3>>; 2],
    /// Its entries.
    count: [RegEn<Bits<16>>; 2],
    /// It is written from outside, from another memory, with results; it is read for units or memories, for outside.
    loads: [Signal<Local, Bit>; 2],
    copied: [Signal<Local, Bit>; 2],
    stores: [Signal<Local, Bit>; 2],
    gives: [Signal<Local, Bit>; 2],
    sends: [Signal<Local, Bit>; 2],
    /// A word comes to it, and is written if it has a value and if there is room.
    comes: [Signal<Local, Bit>; 2],
    word: [[Signal<Local, Bits<9>>; 4]; 2],
    is_full: [Signal<Local, Bit>; 2],
    writes: [Signal<Local, Bit>; 2],
    /// Its list has come, or has been read.
    ends: [Signal<Local, Bit>; 2],
    /// An order is wrong, may be taken, is taken.
    wrong: Signal<Local, Bit>,
    free: Signal<Local, Bit>,
    takes: [Signal<Local, Bit>; 2],
    clears: [Signal<Local, Bit>; 2],
    /// Jobs of its set and of the other one.
    own: Signal<Local, Bits<3>>,
    other: Signal<Local, Bits<3>>,
    /// Entry that is read, in the bank of both sets.
    read_at: Signal<Local, Bits<16>>,
    /// Entries of a set, a power of two.
    _entry_max: Param<'d'>,
    #[argument]
    _layout: MapLayout,
    /// There is a way to other memories.
    _copies: Feature<"cp">,
    /// Values and indices are one buffer.
    #[new(usize::from(layout == MapLayout::Merged))]
    _merged: Feature<"mg">,
    /// Values of both sets are one buffer, and indices.
    #[new(usize::from(layout == MapLayout::Crossed))]
    _crossed: Feature<"cr">,
    /// The first set is for inputs, the second one for results.
    #[new(usize::from(layout == MapLayout::Roles))]
    _roles: Feature<"ro">,
    #[new(2 - crossed)]
    _banks: usize,
}

#[kernel]
impl FeatureMemory {
    fn update(&mut self) {
        self.order();
        self.jobs();
        self.write();
        self.read();
        if self._crossed > 0 {
            self.one_bank();
        } else {
            self.two_banks();
        }
    }

    fn order(&mut self) {
        comment!("What this memory cannot carry out");
        self.wrong = (self.order_job_i == 0) | (self.order_job_i == 7);
        if self._copies == 0 {
            if (self.order_job_i == 2) | (self.order_job_i == 5) {
                self.wrong = true;
            }
        }
        if self._roles > 0 {
            if self.order_set_i & ((self.order_job_i == 1) | (self.order_job_i == 2)) {
                self.wrong = true;
            }
            if !self.order_set_i & (self.order_job_i == 3) {
                self.wrong = true;
            }
        }
        comment!("The set is free, and its side of the switch, which the other set may have");
        self.own = mux(self.order_set_i, self.job[1], self.job[0]);
        self.other = mux(self.order_set_i, self.job[0], self.job[1]);
        self.free = !self.own.any() & (self.other != self.order_job_i);
        if self._copies > 0 {
            if ((self.order_job_i == 1) & (self.other == 2))
                | ((self.order_job_i == 2) & (self.other == 1))
                | ((self.order_job_i == 4) & (self.other == 5))
                | ((self.order_job_i == 5) & (self.other == 4))
            {
                self.free = false;
            }
        }
        if self._crossed > 0 {
            if self.other.any() {
                self.free = false;
            }
        }
        self.order_ready_o = self.rst_n & (self.wrong | self.free);
        self.wrong_o = self.order_valid_i & self.wrong;
        self.takes[0] = self.order_valid_i & !self.wrong & self.free & !self.order_set_i;
        self.takes[1] = self.order_valid_i & !self.wrong & self.free & self.order_set_i;
    }

    fn jobs(&mut self) {
        for s in 0..2 {
            self.busy_o[s] = self.job[s].any();
            self.loads[s] = self.job[s] == 1;
            self.copied[s] = self.job[s] == 2;
            self.stores[s] = self.job[s] == 3;
            self.gives[s] = (self.job[s] == 4) | (self.job[s] == 5);
            self.sends[s] = self.job[s] == 6;
            self.ends[s] = (self.comes[s] & self.word[s][2].get_bit(8))
                | (self.gives[s] & self.unit_read.done_o)
                | (self.sends[s] & self.out_read.done_o);
            self.job[s].load(
                self.takes[s] | self.ends[s],
                mux(self.takes[s], self.order_job_i, 0.into()),
            );
        }
    }

    fn write(&mut self) {
        self.load_ready_o = self.rst_n & (self.loads[0] | self.loads[1]);
        self.result_ready_o = self.rst_n & (self.stores[0] | self.stores[1]);
        for k in 0..self._copies {
            self.copy_ready_o[k] = self.copied[0] | self.copied[1];
        }
        for s in 0..2 {
            self.comes[s] = mux(
                self.stores[s],
                self.result_valid_i,
                self.loads[s] & self.load_valid_i,
            );
            for i in 0..4 {
                self.word[s][i] = mux(self.stores[s], self.result_word_i[i], self.load_word_i[i]);
            }
            for k in 0..self._copies {
                if self.copied[s] {
                    self.comes[s] = self.copy_valid_i[k];
                    for i in 0..4 {
                        self.word[s][i] = self.copy_word_i[k][i];
                    }
                }
            }
            self.is_full[s] = self.count[s] == self._entry_max.to_bits::<16>();
            self.writes[s] = self.comes[s] & self.word[s][0].any() & !self.is_full[s];
            comment!("Jobs below 4 write");
            self.clears[s] = self.takes[s] & !self.order_append_i & !self.order_job_i.get_bit(2);
            self.count[s].load(
                self.clears[s] | self.writes[s],
                mux(
                    self.clears[s],
                    0.into(),
                    (self.count[s] + 1) & (2 * self._entry_max - 1).to_bits::<16>(),
                ),
            );
        }
        self.full_o = (self.comes[0] & self.word[0][0].any() & self.is_full[0])
            | (self.comes[1] & self.word[1][0].any() & self.is_full[1]);
    }

    fn read(&mut self) {
        self.unit_read.active_i = self.gives[0] | self.gives[1];
        self.unit_read.count_i = mux(self.gives[1], self.count[1], self.count[0]);
        self.unit_read.to_memory_i = (self.job[0] == 5) | (self.job[1] == 5);
        self.unit_read.ready_i = self.unit_ready_i;
        self.unit_valid_o = self.unit_read.valid_o;
        self.out_read.active_i = self.sends[0] | self.sends[1];
        self.out_read.count_i = mux(self.sends[1], self.count[1], self.count[0]);
        self.out_read.to_memory_i = false;
        self.out_read.ready_i = self.out_ready_i;
        self.out_valid_o = self.out_read.valid_o;
        for i in 0..4 {
            self.unit_word_o[i] = self.unit_read.word_o[i];
            self.out_word_o[i] = self.out_read.word_o[i];
        }
    }

    /// Sets one after the other in the same buffers, which one of them has at a time.
    fn one_bank(&mut self) {
        self.bank[0].write_i = self.writes[0] | self.writes[1];
        self.bank[0].write_at_i = mux(
            self.job[1].any(),
            self.count[1] | self._entry_max.to_bits::<16>(),
            self.count[0],
        );
        self.read_at = mux(
            self.sends[0] | self.sends[1],
            self.out_read.at_o,
            self.unit_read.at_o,
        );
        self.bank[0].read_i = self.unit_read.read_o | self.out_read.read_o;
        self.bank[0].read_at_i = mux(
            self.job[1].any(),
            self.read_at | self._entry_max.to_bits::<16>(),
            self.read_at,
        );
        for i in 0..4 {
            self.bank[0].write_word_i[i] = mux(self.job[1].any(), self.word[1][i], self.word[0][i]);
            self.unit_read.entry_i[i] = self.bank[0].read_word_o[i];
            self.out_read.entry_i[i] = self.bank[0].read_word_o[i];
        }
    }

    /// Each set in its own buffers.
    fn two_banks(&mut self) {
        self.read_at = 0.into();
        for s in 0..2 {
            self.bank[s].write_i = self.writes[s];
            self.bank[s].write_at_i = self.count[s];
            self.bank[s].read_i =
                (self.gives[s] & self.unit_read.read_o) | (self.sends[s] & self.out_read.read_o);
            self.bank[s].read_at_i = mux(self.sends[s], self.out_read.at_o, self.unit_read.at_o);
            for i in 0..4 {
                self.bank[s].write_word_i[i] = self.word[s][i];
            }
        }
        for i in 0..4 {
            self.unit_read.entry_i[i] = mux(
                self.gives[1],
                self.bank[1].read_word_o[i],
                self.bank[0].read_word_o[i],
            );
            self.out_read.entry_i[i] = mux(
                self.sends[1],
                self.bank[1].read_word_o[i],
                self.bank[0].read_word_o[i],
            );
        }
    }
}
