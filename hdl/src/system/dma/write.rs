//! The write channels of AXI4: bursts of stores, and the words that wait for them.

use super::OpenBursts;
use super::error::DmaError;
use heddle_kernel::prelude::*;

/// Keeps words until they make a burst, announces it if its page is open, and sends it.
///
/// A burst is announced when all its words are here, so that no beat waits for this side. Its beats follow the announcement, whether or not the
/// address has been taken.
///
/// While `halt_i` is high nothing is announced but what stands; the beats of bursts that were announced go without strobes, and words are
/// dropped.
///
/// # Timing
/// All outputs of the bus are registers. The first beat of a burst comes two cycles after its address, one beat in each cycle, and the next
/// burst behind it without a gap, if its words are here.
#[module(name = "dma_write")]
pub struct WriteChannels<const A: usize, const W: usize> {
    /// Nothing new begins.
    pub halt_i: Signal<In, Bit>,
    /// Words that were asked for do not come any more.
    pub lost_i: Signal<In, Bit>,
    /// There is a burst.
    pub burst_valid_i: Signal<In, Bit>,
    /// Its word address.
    pub burst_addr_i: Signal<In, Bits<W>>,
    /// Its beats, less 1.
    pub burst_len_i: Signal<In, Bits<8>>,
    /// Its page is that of the burst before.
    pub burst_same_i: Signal<In, Bit>,
    /// It is announced.
    pub burst_take_o: Signal<Out, Bit>,
    /// Asks whether a page is open.
    pub ask_o: Signal<Out, Bit>,
    /// Word address in that page.
    pub ask_addr_o: Signal<Out, Bits<W>>,
    /// The answer.
    pub done_i: Signal<In, Bit>,
    /// The page is open.
    pub open_i: Signal<In, Bit>,
    /// There is room for one more word.
    pub room_o: Signal<Out, Bit>,
    /// A word has been asked for: it comes some cycles later.
    pub asked_i: Signal<In, Bit>,
    /// A word comes.
    pub word_valid_i: Signal<In, Bit>,
    /// Its bytes.
    pub word_i: [Signal<In, Bits<8>>; 8],
    /// Address of a burst.
    pub aw_valid: OutReg<Bit>,
    /// It is taken.
    pub aw_ready_i: Signal<In, Bit>,
    /// Byte address.
    pub aw_addr_o: Signal<Out, Bits<A>>,
    /// Beats, less 1.
    pub aw_len: OutRegData<Bits<8>>,
    /// A beat.
    pub w_valid: OutReg<Bit>,
    /// It is taken.
    pub w_ready_i: Signal<In, Bit>,
    /// Its bytes.
    pub w_data: [OutRegData<Bits<8>>; 8],
    /// All bytes are written, else none.
    pub w_whole: OutRegData<Bit>,
    /// The last one of a burst.
    pub w_last: OutRegData<Bit>,
    /// An answer. It is always taken.
    pub b_valid_i: Signal<In, Bit>,
    /// Its response.
    pub b_resp_i: Signal<In, Bits<2>>,
    /// A channel has waited too long: that of addresses, of beats, of answers.
    pub expired_i: [Signal<In, Bit>; 3],
    /// What went wrong in this cycle.
    pub error_o: DmaError<Out, W>,
    /// Each channel waits for the other side.
    pub waits_o: [Signal<Out, Bit>; 3],
    /// A burst is announced.
    pub announces_o: Signal<Out, Bit>,
    /// Nothing is outstanding.
    pub idle_o: Signal<Out, Bit>,
    #[new(OpenBursts::new(outstanding))]
    open: OpenBursts<W>,
    #[new(Ram1r1w::new(8, words))]
    ram: Ram1r1w<10, 8>,
    /// Where the next word comes, and where the next one is read.
    tail: Reg<Bits<10>>,
    head: Reg<Bits<10>>,
    /// Words that were asked for and have not left the memory.
    reserved: Reg<Bits<11>>,
    /// Words that were asked for and have not come.
    asked: Reg<Bits<11>>,
    /// Words that have come for bursts that are not announced.
    spare: Reg<Bits<11>>,
    /// They are enough for the next burst.
    enough: Reg<Bit>,
    asks: Reg<Bit>,
    granted: Reg<Bit>,
    aw_word: RegData<Bits<W>>,
    /// Words of announced bursts that have not left the memory: all of one burst.
    left: Reg<Bits<9>>,
    /// A word is on the outputs of the memory.
    has_word: Reg<Bit>,
    is_last: RegData<Bit>,
    /// Bursts whose last beat is taken and that are not answered.
    sent: Reg<Bits<4>>,
    has_answer: Reg<Bit>,
    resp: RegData<Bits<2>>,
    chooses: Signal<Local, Bit>,
    announces: Signal<Local, Bit>,
    reads: Signal<Local, Bit>,
    ends: Signal<Local, Bit>,
    moves: Signal<Local, Bit>,
    sends: Signal<Local, Bit>,
    is_due: Signal<Local, Bit>,
    idle: Signal<Local, Bit>,
    beats: Signal<Local, Bits<11>>,
    /// Bits of an address.
    _address_bits: Generic<'a', A>,
    /// Bursts that may be open.
    _outstanding: Param<'o'>,
    /// Words that are kept.
    _words: Param<'k'>,
}

#[kernel]
impl<const A: usize, const W: usize> WriteChannels<A, W> {
    fn update(&mut self) {
        self.choose();
        self.announce();
        self.keep();
        self.count();
        self.send();
        self.answers();
        self.watch();
    }

    /// Whether the page of the next burst is open.
    fn choose(&mut self) {
        self.chooses = self.burst_valid_i & !self.asks & !self.granted & !self.halt_i;
        self.ask_o = self.asks;
        self.ask_addr_o = self.burst_addr_i;
        self.asks =
            ((self.chooses & !self.burst_same_i) | (self.asks & !self.done_i)) & !self.halt_i;
        self.granted = ((self.chooses & self.burst_same_i)
            | (self.asks & self.done_i & self.open_i)
            | (self.granted & !self.announces))
            & !self.halt_i;
    }

    fn announce(&mut self) {
        self.beats = bit_cast::<11, 8>(self.burst_len_i) + 1;
        // What is spare grows until the burst is announced.
        self.enough = self.granted & !self.announces & (self.spare >= self.beats);
        self.announces = self.granted
            & self.enough
            & self.open.room_o
            & (!self.aw_valid | self.aw_ready_i)
            & (!self.left.any() | self.ends)
            & !self.halt_i;
        self.announces_o = self.announces;
        self.burst_take_o = self.announces;
        self.aw_valid = self.announces | (self.aw_valid & !self.aw_ready_i);
        self.aw_word.load(self.announces, self.burst_addr_i);
        self.aw_addr_o = bit_cast::<A, W>(self.aw_word) << 3;
        self.aw_len.load(self.announces, self.burst_len_i);
        self.open.enters_i = self.announces;
        self.open.addr_i = self.burst_addr_i;
        self.open.note_i = 0.into();
    }

    /// The memory of words.
    fn keep(&mut self) {
        self.ram.wen_i = self.word_valid_i;
        self.ram.waddr_i = self.tail;
        self.ram.wdata_i.follow(&self.word_i);
        self.tail = mux(self.word_valid_i, self.tail + 1, self.tail);
        self.moves = self.has_word & (!self.w_valid | self.w_ready_i);
        self.reads = self.left.any() & (!self.has_word | self.moves);
        self.ends = self.reads & (self.left == 1);
        self.ram.ren_i = self.reads;
        self.ram.raddr_i = self.head;
        self.head = mux(self.reads, self.head + 1, self.head);
        self.has_word = self.reads | (self.has_word & !self.moves);
        self.is_last.load(self.reads, self.ends);
        self.left = mux(self.reads, self.left - 1, self.left);
        if self.announces {
            self.left = self.beats.get_bits::<9>(0);
        }
    }

    fn count(&mut self) {
        self.room_o = self.reserved != self._words.to_bits::<11>();
        self.reserved = self.reserved;
        if self.asked_i & !self.reads {
            self.reserved = self.reserved + 1;
        }
        if self.reads & !self.asked_i {
            self.reserved = self.reserved - 1;
        }
        self.asked = self.asked;
        if self.asked_i & !self.word_valid_i {
            self.asked = self.asked + 1;
        }
        if self.word_valid_i & !self.asked_i {
            self.asked = self.asked - 1;
        }
        self.spare = mux(self.announces, self.spare - self.beats, self.spare);
        if self.word_valid_i {
            self.spare = mux(
                self.announces,
                self.spare - bit_cast::<11, 8>(self.burst_len_i),
                self.spare + 1,
            );
        }
        if self.lost_i {
            self.asked = 0.into();
        }
        // Words of a command that was dropped.
        if self.halt_i & self.idle {
            self.reserved = 0.into();
            self.spare = 0.into();
            self.tail = 0.into();
            self.head = 0.into();
        }
    }

    fn send(&mut self) {
        self.w_valid = self.has_word | (self.w_valid & !self.w_ready_i);
        for i in 0..8 {
            self.w_data[i].load(self.moves, self.ram.rdata_o[i]);
        }
        self.w_whole.load(self.moves, !self.halt_i);
        self.w_last.load(self.moves, self.is_last);
    }

    fn answers(&mut self) {
        self.has_answer = self.b_valid_i;
        self.resp.load(self.b_valid_i, self.b_resp_i);
        self.sends = self.w_valid & self.w_ready_i & self.w_last;
        // The address of the first open burst may still stand: it has no answer yet.
        let stands = self.aw_valid & (self.open.count_o == 1);
        self.is_due = self.sent.any() & self.open.valid_o & !(stands);
        self.open.leaves_i = self.has_answer & self.is_due;
        self.sent = self.sent;
        if self.sends & !self.open.leaves_i {
            self.sent = self.sent + 1;
        }
        if self.open.leaves_i & !self.sends {
            self.sent = self.sent - 1;
        }
    }

    fn watch(&mut self) {
        let closed = self.asks & self.done_i & !self.open_i;
        let wrong = self.has_answer & (!self.is_due | self.resp.any());
        let expired = self.expired_i[0] | self.expired_i[1] | self.expired_i[2];
        self.error_o.bus = (wrong) & !self.halt_i;
        self.error_o.window = (closed) & !self.halt_i;
        self.error_o.timeout = (expired) & !self.halt_i;
        self.error_o.of_job = false;
        self.error_o.resp = mux(wrong, self.resp, 0.into());
        // The burst whose answer is wrong, that which is not announced, or that which waits.
        self.error_o.addr = mux(self.open.valid_o, self.open.addr_o, 0.into());
        if !(wrong) & self.expired_i[0] {
            self.error_o.addr = self.aw_word;
        }
        if !(wrong) & (closed) {
            self.error_o.addr = self.burst_addr_i;
        }
        self.waits_o[0] = self.aw_valid & !self.aw_ready_i;
        self.waits_o[1] = self.w_valid & !self.w_ready_i;
        self.waits_o[2] = self.sent.any() & !self.b_valid_i;
        self.idle = !self.open.count_o.any() & !self.asked.any() & !self.has_answer;
        self.idle_o = self.idle;
    }
}
