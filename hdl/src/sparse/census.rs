//! How many results of each position are not zero.

use heddle_kernel::prelude::*;

/// Counts bytes that are not zero as they leave, for each position of a map: the first group of a command stores its numbers, those
/// behind it add theirs. Positions have their numbers in the order of a group, modulo the counts that are kept; counts are modulo 4096.
///
/// # Timing
/// Bytes in cycle T: their position is read in T and written in T+3, so a position comes back in T+4 at the earliest.
/// A count is asked for in one cycle and on `count_o` in the next, where a register has to take it. Only while none are written.
#[module(name = "sparse_census")]
pub struct Census {
    /// There are bytes that are counted.
    pub valid_i: Signal<In, Bit>,
    /// They are the last ones of a group.
    pub group_last_i: Signal<In, Bit>,
    /// They are the last ones of their command.
    pub last_i: Signal<In, Bit>,
    /// The bytes of a position.
    pub byte_i: [Signal<In, Bits<8>>; lanes],
    /// A count is read.
    pub count_en_i: Signal<In, Bit>,
    /// Its position.
    pub count_addr_i: Signal<In, Bits<16>>,
    /// The count that was asked for in the cycle before.
    pub count_o: Signal<Out, Bits<12>>,
    #[new(Ram1r1w::new(1, positions))]
    counts: Ram1r1w<16, 12>,
    /// Number of the position whose bytes come next.
    position: RegEn<Bits<16>>,
    /// They are of the first group.
    #[new(RegEn::with_init(true))]
    first: RegEn<Bit>,
    /// Bytes came 1, 2, 3 cycles ago: their position, and whether they are of the first group.
    came: [Reg<Bit>; 3],
    addr: [Delay<Bits<16>>; 3],
    stores: [Delay<Bit>; 2],
    nz: [Delay<Bits<1>>; lanes],
    /// Bytes below each one that are not zero.
    below: [Signal<Local, Bits<6>>; lanes + 1],
    number: Delay<Bits<6>>,
    before: Delay<Bits<12>>,
    sum: Delay<Bits<12>>,
    /// Bytes of a position.
    _lanes: Param<'g'>,
    /// Counts that are kept, a power of two.
    _positions: Param<'c'>,
}

#[kernel]
impl Census {
    fn update(&mut self) {
        self.place();
        self.add();
    }

    /// Which position it is.
    fn place(&mut self) {
        self.position.load(
            self.valid_i,
            mux(self.group_last_i, 0.into(), self.position + 1),
        );
        self.first.load(
            self.valid_i,
            self.last_i | (self.first & !self.group_last_i),
        );
        self.came.shift_in(self.valid_i);
        self.addr.shift_in(self.position);
        self.stores.shift_in(self.first);
    }

    fn add(&mut self) {
        self.counts.ren_i = self.count_en_i | (self.valid_i & !self.first);
        self.counts.raddr_i = mux(self.count_en_i, self.count_addr_i, self.position);
        self.count_o = self.counts.rdata_o[0];
        self.before = self.counts.rdata_o[0];

        self.below[0] = 0.into();
        for i in 0..self._lanes {
            self.nz[i] = self.byte_i[i].any().into();
            self.below[i + 1] = self.below[i] + bit_cast::<6, 1>(self.nz[i]);
        }
        self.number = self.below[self._lanes];
        self.sum = bit_cast::<12, 6>(self.number);
        if !self.stores[1] {
            self.sum = self.before + bit_cast::<12, 6>(self.number);
        }

        self.counts.wen_i = self.came[2];
        self.counts.waddr_i = self.addr[2];
        self.counts.wdata_i[0] = self.sum;
    }
}
