//! Sums of the lines of a map.

use heddle_kernel::prelude::*;

/// Reads counts line by line and adds up each line: rows of a map, or columns of some of its rows.
///
/// # Timing
/// `begin_i` in cycle T: the first count is asked for in T+1, and one in each cycle from then on. The sum of a line is on `line_o` three
/// cycles after its last count was asked for. A line of no position takes one cycle, and its sum is 0.
/// Inputs are stable from `begin_i` to the last sum.
#[module]
pub struct CutterSums {
    /// A pass over the counts begins.
    pub begin_i: Signal<In, Bit>,
    /// Address of the first count.
    pub base_i: Signal<In, Bits<16>>,
    /// Lines, at least 1.
    pub lines_i: Signal<In, Bits<9>>,
    /// Positions of a line.
    pub length_i: Signal<In, Bits<9>>,
    /// Addresses from a position of a line to the next.
    pub step_i: Signal<In, Bits<9>>,
    /// Addresses from a line to the next.
    pub line_step_i: Signal<In, Bits<9>>,
    /// Adds up what the counts leave of `full_i`.
    pub zeros_i: Signal<In, Bit>,
    /// Largest count.
    pub full_i: Signal<In, Bits<12>>,
    /// A count is read.
    pub count_en_o: Signal<Out, Bit>,
    /// Its address.
    pub count_addr_o: Signal<Out, Bits<16>>,
    /// The count that was asked for in the cycle before.
    pub count_i: Signal<In, Bits<12>>,
    /// There is a sum.
    pub valid_o: Signal<Out, Bit>,
    /// Sum of a line.
    pub line_o: Signal<Out, Bits<21>>,
    /// Address behind the last count that was read.
    pub next_o: Signal<Out, Bits<16>>,
    /// Counts are asked for.
    asks: Reg<Bit>,
    addr: RegData<Bits<16>>,
    line_addr: RegData<Bits<16>>,
    line: RegData<Bits<9>>,
    place: RegData<Bits<9>>,
    /// Address of the next line.
    next_line: Signal<Local, Bits<16>>,
    /// The position is the last one of its line, or of all.
    line_ends: Signal<Local, Bit>,
    ends: Signal<Local, Bit>,
    behind: RegData<Bits<16>>,
    /// What was asked for: one, two and three cycles ago.
    asked: [Reg<Bit>; 3],
    asked_last: [Delay<Bit>; 3],
    count: Delay<Bits<12>>,
    value: Delay<Bits<12>>,
    sum: RegEn<Bits<21>>,
    line_sum: Signal<Local, Bits<21>>,
}

#[kernel]
impl CutterSums {
    fn update(&mut self) {
        self.ask();
        self.add();
    }

    fn ask(&mut self) {
        self.line_ends = (bit_cast::<10, 9>(self.place) + 1) >= bit_cast::<10, 9>(self.length_i);
        self.ends = self.line_ends & ((self.line + 1) == self.lines_i);
        self.asks = self.begin_i | (self.asks & !self.ends);
        self.next_line = self.line_addr + bit_cast::<16, 9>(self.line_step_i);
        self.addr.load(
            self.begin_i | self.asks,
            mux(
                self.begin_i,
                self.base_i,
                mux(
                    self.line_ends,
                    self.next_line,
                    self.addr + bit_cast::<16, 9>(self.step_i),
                ),
            ),
        );
        self.place.load(
            self.begin_i | self.asks,
            mux(self.begin_i | self.line_ends, 0.into(), self.place + 1),
        );
        self.line_addr.load(
            self.begin_i | (self.asks & self.line_ends),
            mux(self.begin_i, self.base_i, self.next_line),
        );
        self.line.load(
            self.begin_i | (self.asks & self.line_ends),
            mux(self.begin_i, 0.into(), self.line + 1),
        );
        self.count_en_o = self.asks & self.length_i.any();
        self.count_addr_o = self.addr;
        self.behind
            .load(self.asks & self.length_i.any(), self.addr + 1);
        self.next_o = self.behind;
    }

    fn add(&mut self) {
        self.asked.shift_in(self.asks);
        self.asked_last.shift_in(self.line_ends);
        self.count = self.count_i;
        self.value = mux(self.zeros_i, self.full_i - self.count, self.count);
        if !self.length_i.any() {
            self.value = 0.into();
        }
        self.line_sum = self.sum + bit_cast::<21, 12>(self.value);
        self.sum.load(
            self.asked[2],
            mux(self.asked_last[2], 0.into(), self.line_sum),
        );
        self.valid_o = self.asked[2] & self.asked_last[2];
        self.line_o = self.line_sum;
    }
}
