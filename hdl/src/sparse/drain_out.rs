//! Results on their way out.

use heddle_kernel::prelude::*;

/// Keeps results until they leave, in words of 64 bits or whole. Room for a result is taken when its position is sent, so that what is on its way
/// always finds a place and never waits.
///
/// # Timing
/// Result in cycle T: its first word is at the output in T+3 at the earliest. Results leave one after the other without a gap. All outputs
/// are functions of registers.
#[module]
pub struct DrainOut {
    /// A position is sent whose result will come. Only if there is room.
    pub send_i: Signal<In, Bit>,
    /// There is room for a result.
    pub room_o: Signal<Out, Bit>,
    /// A result comes.
    pub valid_i: Signal<In, Bit>,
    /// It is the last one of a command.
    pub last_i: Signal<In, Bit>,
    /// Its words, lower half first.
    pub data_i: [Signal<In, Bits<32>>; halves],
    /// A word.
    pub out_valid: OutReg<Bit>,
    /// It is taken.
    pub out_ready_i: Signal<In, Bit>,
    /// Its bits, lower half first.
    pub out_data_o: [Signal<Out, Bits<32>>; outs],
    /// It is the last one of a command.
    pub out_last_o: Signal<Out, Bit>,
    /// A result is on its way to here, or was in the cycle before.
    pub waits: OutReg<Bit>,
    /// There is a result here.
    pub busy_o: Signal<Out, Bit>,
    #[new(StreamContract::new("a word of a result", outs))]
    out_waits: StreamContract<32>,
    #[new(Ram1r1w::new(halves, slots))]
    ram: Ram1r1w<8, 32>,
    #[new(Ram1r1w::new(1, slots))]
    lasts: Ram1r1w<8, 1>,
    /// Results sent, that have come, that have been read, modulo twice the places.
    sent: RegEn<Bits<8>>,
    come: RegEn<Bits<8>>,
    read: RegEn<Bits<8>>,
    /// All places are in use.
    full: Reg<Bit>,
    /// The memory shows a result.
    shows: Reg<Bit>,
    /// Halves that are at the output and that follow.
    half: [RegData<Bits<32>>; outs * words],
    last: RegData<Bit>,
    /// Words behind the one at the output.
    left: [RegData<Bits<4>>; several],
    /// The word at the output is the last one of its result.
    ends: Signal<Local, Bit>,
    /// A word leaves.
    leaves: Signal<Local, Bit>,
    /// The next result goes to the output, is read.
    moves: Signal<Local, Bit>,
    reads: Signal<Local, Bit>,
    /// Results that have a place, a power of two.
    _slots: Param<'n'>,
    /// Half words of a result.
    _halves: Param<'h'>,
    /// Results leave whole.
    _whole: Feature<"wh">,
    /// Halves at the output.
    #[new(if whole > 0 { halves } else { 2 })]
    _outs: usize,
    #[new(halves.div_ceil(outs))]
    _words: usize,
    #[new(usize::from(words > 1))]
    _several: usize,
}

#[kernel]
impl DrainOut {
    fn update(&mut self) {
        self.places();
        self.fifo();
        self.words();
    }

    fn places(&mut self) {
        let mask = (2 * self._slots - 1).to_bits::<8>();
        self.sent.load(self.send_i, (self.sent + 1) & mask);
        self.come.load(self.valid_i, (self.come + 1) & mask);
        self.read.load(self.reads, (self.read + 1) & mask);
        let is_last = (((self.sent + 1) & mask) ^ self.read) == self._slots.to_bits::<8>();
        self.full = !self.reads & (self.full | (self.send_i & is_last));
        self.room_o = !self.full;
        self.waits = self.send_i | (self.sent != self.come);
        self.busy_o = (self.come != self.read) | self.shows | self.out_valid;
    }

    /// A result is read as soon as what the memory shows goes on.
    fn fifo(&mut self) {
        self.reads = (self.come != self.read) & (!self.shows | self.moves);
        self.shows = self.reads | (self.shows & !self.moves);
        self.ram.wen_i = self.valid_i;
        self.ram.waddr_i = self.come;
        self.ram.ren_i = self.reads;
        self.ram.raddr_i = self.read;
        for i in 0..self._halves {
            self.ram.wdata_i[i] = self.data_i[i];
        }
        self.lasts.wen_i = self.valid_i;
        self.lasts.waddr_i = self.come;
        self.lasts.wdata_i[0] = self.last_i.into();
        self.lasts.ren_i = self.reads;
        self.lasts.raddr_i = self.read;
    }

    /// Word by word.
    fn words(&mut self) {
        self.ends = true;
        for i in 0..self._several {
            self.ends = !self.left[i].any();
            self.left[i].load(
                self.moves | self.leaves,
                mux(
                    self.moves,
                    (self._words - 1).to_bits::<4>(),
                    self.left[i] - 1,
                ),
            );
        }
        self.leaves = self.out_valid & self.out_ready_i;
        self.moves = self.shows & (!self.out_valid | (self.leaves & self.ends));
        self.out_valid = self.moves | (self.out_valid & !(self.leaves & self.ends));
        self.last.load(self.moves, self.lasts.rdata_o[0].any());
        for i in 0..(self._outs * self._words) {
            self.half[i].en_i = self.moves | self.leaves;
            self.half[i] = 0.into();
            if i + self._outs < self._outs * self._words {
                self.half[i] = self.half[i + self._outs];
            }
            if i < self._halves {
                if self.moves {
                    self.half[i] = self.ram.rdata_o[i];
                }
            }
        }
        for i in 0..self._outs {
            self.out_data_o[i] = self.half[i];
        }
        self.out_last_o = self.last & self.ends;
        self.out_waits.valid_i = self.out_valid;
        self.out_waits.ready_i = self.out_ready_i;
        for i in 0..self._outs {
            self.out_waits.word_i[i] = self.half[i];
        }
    }
}
