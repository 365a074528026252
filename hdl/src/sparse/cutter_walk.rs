//! Cuts of a row of lines.

use heddle_kernel::prelude::*;

/// Cuts lines into parts of nearly equal sums. It keeps the sums, and walks over them when the last one has come.
///
/// Part i of n ends at the first line border where n times the sum of all lines before is at least i times the sum of all lines, or at the
/// border before if that one is strictly nearer. No part has more than `limit_i` lines, as far as the parts can
/// hold all lines; if they cannot, the first parts are larger.
///
/// # Timing
/// Last sum in cycle T: the walk begins in T+4 and takes a cycle for each line and for each part. A part
/// is on the outputs one cycle after its own, the last one in T + 4 + lines + parts.
#[module]
pub struct CutterWalk {
    /// New sums will come.
    pub begin_i: Signal<In, Bit>,
    /// There is a sum.
    pub valid_i: Signal<In, Bit>,
    /// Sum of a line.
    pub line_i: Signal<In, Bits<21>>,
    /// Lines, at least 1.
    pub lines_i: Signal<In, Bits<9>>,
    /// Parts - 1.
    pub parts_i: Signal<In, Bits<4>>,
    /// Most lines of a part.
    pub limit_i: Signal<In, Bits<9>>,
    /// There is a part.
    pub valid: OutReg<Bit>,
    /// It is the last one.
    pub last: OutReg<Bit>,
    /// Its first line.
    pub first: OutDelay<Bits<9>>,
    /// The line behind its last one.
    pub end: OutDelay<Bits<9>>,
    /// Sum of its lines.
    pub sum: OutDelay<Bits<32>>,
    #[new(Ram1r1w::new(1, 512))]
    ram: Ram1r1w<9, 21>,
    written: RegData<Bits<9>>,
    total: RegData<Bits<32>>,
    /// All sums are there.
    filled: Signal<Local, Bit>,
    /// Each of the three cycles before a walk, and the last of them.
    starts: [Reg<Bit>; 3],
    begins: Signal<Local, Bit>,
    /// A walk is under way.
    walks: Reg<Bit>,
    /// Everything behind the memory goes on by one line.
    moves: Signal<Local, Bit>,
    read: RegData<Bits<9>>,
    /// The sum of the line after the next. In its place the limit comes before all sums.
    waits: RegData<Bits<21>>,
    /// The sum of the next line, and that times the number of parts.
    line: RegData<Bits<21>>,
    times: RegData<Bits<25>>,
    /// The sum, and what each bit of `parts_i` adds to it.
    wide: Signal<Local, Bits<25>>,
    multiple: [Signal<Local, Bits<25>>; 4],
    /// Lines before this border.
    border: RegData<Bits<9>>,
    part: RegData<Bits<4>>,
    part_first: RegData<Bits<9>>,
    part_sum: RegData<Bits<32>>,
    /// What the sum of the lines before the border, times the number of parts, lacks for a cut, two's complement.
    missing: RegData<Bits<36>>,
    /// The part ends here at the latest.
    latest: RegData<Bits<10>>,
    /// The part ends here at the earliest, two's complement.
    earliest: RegData<Bits<14>>,
    /// Its lower bits. With a bit above them it is more than any line brings.
    near: Signal<Local, Bits<24>>,
    /// The next border is nearer.
    nearer: Signal<Local, Bit>,
    /// The next line belongs to the part.
    takes: Signal<Local, Bit>,
    cuts: Signal<Local, Bit>,
}

#[kernel]
impl CutterWalk {
    fn update(&mut self) {
        self.fill();
        self.lines();
        self.decide();
        self.walk();
        self.tell();
    }

    fn fill(&mut self) {
        self.ram.wen_i = self.valid_i;
        self.ram.waddr_i = self.written;
        self.ram.wdata_i[0] = self.line_i;
        self.written.load(
            self.begin_i | self.valid_i,
            mux(self.begin_i, 0.into(), self.written + 1),
        );
        self.total.load(
            self.begin_i | self.valid_i,
            mux(
                self.begin_i,
                0.into(),
                self.total + bit_cast::<32, 21>(self.line_i),
            ),
        );
        self.filled = self.valid_i & ((self.written + 1) == self.lines_i);
        self.starts.shift_in(self.filled);
        self.begins = self.starts[2];
    }

    /// Reads lines ahead, and multiplies them by the number of parts.
    fn lines(&mut self) {
        self.moves = self.starts[0] | self.starts[1] | self.begins | self.takes;
        self.ram.ren_i = self.moves;
        self.ram.raddr_i = self.read;
        self.read.load(
            self.filled | self.moves,
            mux(self.filled, 0.into(), self.read + 1),
        );
        self.waits.load(
            self.moves,
            mux(
                self.starts[0],
                bit_cast::<21, 9>(self.limit_i),
                self.ram.rdata_o[0],
            ),
        );
        self.line.load(self.moves, self.waits);
        self.wide = bit_cast::<25, 21>(self.waits);
        for i in 0..4 {
            self.multiple[i] = mux(
                self.parts_i.get_bit(i),
                self.wide << i.to_bits::<2>(),
                0.into(),
            );
        }
        self.times.load(
            self.moves,
            (self.wide + self.multiple[0])
                + ((self.multiple[1] + self.multiple[2]) + self.multiple[3]),
        );
    }

    fn decide(&mut self) {
        comment!("Twice what is missing is at least what the next line brings");
        self.near = self.missing.get_bits::<24>(0);
        self.nearer = !self.missing.get_bit(35)
            & (self.missing.get_bits::<11>(24).any()
                | (self.near.any() & ((bit_cast::<25, 24>(self.near) << 1) >= self.times)));
        self.takes = self.walks
            & ((!self.earliest.get_bit(13) & (bit_cast::<14, 9>(self.border) < self.earliest))
                | ((bit_cast::<10, 9>(self.border) < self.latest) & self.nearer));
        self.cuts = self.walks & !self.takes;
    }

    fn walk(&mut self) {
        self.walks = self.begins | (self.walks & !(self.cuts & (self.part == self.parts_i)));
        self.border.load(
            self.begins | self.takes,
            mux(self.begins, 0.into(), self.border + 1),
        );
        self.part_sum.load(
            self.begins | self.walks,
            mux(
                self.takes,
                self.part_sum + bit_cast::<32, 21>(self.line),
                0.into(),
            ),
        );
        comment!("For cut i of n: i times the whole less n times what is before the border");
        self.missing.load(
            self.begins | self.walks,
            mux(
                self.takes,
                self.missing - bit_cast::<36, 25>(self.times),
                mux(
                    self.begins,
                    bit_cast::<36, 32>(self.total),
                    self.missing + bit_cast::<36, 32>(self.total),
                ),
            ),
        );
        comment!("Where parts begin");
        self.part.load(
            self.begins | self.cuts,
            mux(self.begins, 0.into(), self.part + 1),
        );
        self.part_first.load(
            self.begins | self.cuts,
            mux(self.begins, 0.into(), self.border),
        );
        comment!(
            "Where they end: no part, and none of those after it, may have more lines than the limit"
        );
        self.latest.load(
            self.begins | self.cuts,
            mux(
                self.begins,
                bit_cast::<10, 9>(self.limit_i),
                bit_cast::<10, 9>(self.border) + bit_cast::<10, 9>(self.limit_i),
            ),
        );
        self.earliest.load(
            self.begins | self.cuts,
            mux(
                self.begins,
                bit_cast::<14, 9>(self.lines_i) + bit_cast::<14, 9>(self.limit_i)
                    - self.times.get_bits::<14>(0),
                self.earliest + bit_cast::<14, 9>(self.limit_i),
            ),
        );
    }

    fn tell(&mut self) {
        self.valid = self.cuts;
        self.last = self.cuts & (self.part == self.parts_i);
        self.first = self.part_first;
        self.end = self.border;
        self.sum = self.part_sum;
    }
}
