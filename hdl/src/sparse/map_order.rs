//! The order in which the entries of a set are read.

use heddle_kernel::prelude::*;

/// Numbers the entries of a set: one from each of four parts in turn, so that entries that lie beside each other are read three
/// others apart, and their products seldom meet in a sum.
///
/// Of n entries every second one is of the first half, which has n / 2 rounded up, and every second one of these of its first half.
/// Numbers go up in each part.
///
/// # Timing
/// Set in cycle T, taken if `ready_o` is high: its first entry is named in T+2 if nothing is before it, and one in each cycle in which
/// `move_i` is high. The next set follows without a gap. An empty set takes one cycle, whatever `move_i` is.
#[module]
pub struct MapOrder {
    /// A set is to be read.
    pub valid_i: Signal<In, Bit>,
    /// It is taken.
    pub ready_o: Signal<Out, Bit>,
    /// Its number.
    pub set_i: Signal<In, Bits<2>>,
    /// Entries of the set `set_i`.
    pub count_i: Signal<In, Bits<15>>,
    /// The entry that is named is read.
    pub move_i: Signal<In, Bit>,
    /// An entry is named.
    pub valid_o: Signal<Out, Bit>,
    /// Its set.
    pub set: OutRegData<Bits<2>>,
    /// Its number in the set.
    pub number_o: Signal<Out, Bits<15>>,
    /// The last entry of a set is read in this cycle, or an empty set passes.
    pub done_o: Signal<Out, Bit>,
    /// There is a set here.
    pub busy_o: Signal<Out, Bit>,
    /// The set that follows, where its parts begin, and its entries.
    follows: RegEn<Bit>,
    next_set: RegData<Bits<2>>,
    next_part: [RegData<Bits<15>>; 4],
    next_left: RegData<Bits<15>>,
    /// The set that is read, next entry of each part, that of the part in turn first, and entries that are left.
    busy: RegEn<Bit>,
    part: [RegData<Bits<15>>; 4],
    left: RegData<Bits<15>>,
    /// Entries of the first half.
    half: Signal<Local, Bits<15>>,
    /// Entries of the first half of it, and of that of the second one.
    quarter: Signal<Local, Bits<15>>,
    quarter_behind: Signal<Local, Bits<15>>,
    /// An entry is named.
    names: Signal<Local, Bit>,
    /// The set ends in this cycle.
    ends: Signal<Local, Bit>,
    /// The next set begins.
    begins: Signal<Local, Bit>,
    takes: Signal<Local, Bit>,
    /// Entries of a set, a power of two.
    _entry_max: Param<'d'>,
}

#[kernel]
impl MapOrder {
    fn update(&mut self) {
        comment!("The set that follows");
        self.takes = !self.follows | self.begins;
        self.ready_o = self.takes;
        self.half = (self.count_i + 1) >> 1;
        self.follows.load(self.takes, self.valid_i);
        self.next_set.load(self.takes, self.set_i);
        self.next_left.load(self.takes, self.count_i);
        self.next_part[0].load(self.takes, 0.into());
        self.next_part[1].load(self.takes, self.half);
        self.quarter = (self.count_i + 3) >> 2;
        self.next_part[2].load(self.takes, self.quarter);
        self.quarter_behind = (self.count_i + 2) >> 2;
        self.next_part[3].load(self.takes, self.half + self.quarter_behind);

        comment!("The set that is read");
        self.names = self.busy & self.left.any();
        self.valid_o = self.names;
        self.number_o = self.part[0];
        self.ends = self.busy & ((self.left == 0) | ((self.left == 1) & self.move_i));
        self.done_o = self.ends;
        self.begins = !self.busy | self.ends;
        self.busy.load(self.begins, self.follows);
        self.set.load(self.begins, self.next_set);
        self.left.load(
            self.begins | self.move_i,
            mux(
                self.begins,
                self.next_left,
                (self.left - 1) & (2 * self._entry_max - 1).to_bits::<15>(),
            ),
        );
        for i in 0..3 {
            self.part[i].load(
                self.begins | self.move_i,
                mux(self.begins, self.next_part[i], self.part[i + 1]),
            );
        }
        self.part[3].load(
            self.begins | self.move_i,
            mux(self.begins, self.next_part[3], self.part[0] + 1),
        );
        self.busy_o = self.busy | self.follows;
    }
}
