//! The read channels of AXI4: bursts of loads and of job entries.

use super::OpenBursts;
use super::error::DmaError;
use heddle_kernel::prelude::*;

/// Beats of a job entry, less 1.
const ENTRY: u64 = 7;

/// Announces bursts and takes their beats.
///
/// A job entry is one burst of eight beats; it goes before the next burst of a load. Each burst is announced if its page is open; a burst of
/// a load in the page of the one before has been asked for with that.
///
/// While `halt_i` is high nothing is announced but what stands, and all beats are taken and dropped.
///
/// # Timing
/// All outputs of the bus are registers. A burst whose page has been asked for is announced two cycles after it came, else n + 6 of window n. A beat taken in
/// cycle t is on `beat_o` in t + 1. `ready_o` drops only while beats wait: there is room for two.
#[module(name = "dma_read")]
pub struct ReadChannels<const A: usize, const W: usize> {
    /// Nothing new begins; beats are dropped.
    pub halt_i: Signal<In, Bit>,
    /// There is an entry to be fetched.
    pub job_valid_i: Signal<In, Bit>,
    /// Its byte address, a multiple of 64.
    pub job_addr_i: Signal<In, Bits<A>>,
    /// It is announced.
    pub job_ready_o: Signal<Out, Bit>,
    /// There is a word of it. It must be taken.
    pub job_word_o: Signal<Out, Bit>,
    /// There is a burst of a load.
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
    /// Address of a burst.
    pub ar_valid: OutReg<Bit>,
    /// It is taken.
    pub ar_ready_i: Signal<In, Bit>,
    /// Byte address.
    pub ar_addr_o: Signal<Out, Bits<A>>,
    /// Beats, less 1.
    pub ar_len: OutRegData<Bits<8>>,
    /// A beat.
    pub r_valid_i: Signal<In, Bit>,
    /// It is taken.
    pub r_ready: OutReg<Bit>,
    /// Its bytes.
    pub r_data_i: [Signal<In, Bits<8>>; 8],
    /// Its response.
    pub r_resp_i: Signal<In, Bits<2>>,
    /// The last one of a burst.
    pub r_last_i: Signal<In, Bit>,
    /// A beat of a load.
    pub beat_valid_o: Signal<Out, Bit>,
    /// Bytes of the beat, or of the word of an entry.
    pub beat: [OutRegData<Bits<8>>; 8],
    /// It is taken.
    pub beat_ready_i: Signal<In, Bit>,
    /// A channel has waited too long: that of addresses, or that of beats.
    pub expired_i: [Signal<In, Bit>; 2],
    /// What went wrong in this cycle.
    pub error_o: DmaError<Out, W>,
    /// The channel of addresses, and that of beats, waits for the other side.
    pub waits_o: [Signal<Out, Bit>; 2],
    /// Bursts are open and no beat comes.
    pub gap_o: Signal<Out, Bit>,
    /// A burst is announced.
    pub announces_o: Signal<Out, Bit>,
    /// Nothing is outstanding.
    pub idle_o: Signal<Out, Bit>,
    #[new(OpenBursts::new(outstanding))]
    open: OpenBursts<W>,
    /// It is asked whether the page of a burst is open.
    asks: Reg<Bit>,
    /// It is: the burst goes as soon as there is room.
    granted: Reg<Bit>,
    /// The burst is that of an entry.
    is_job: RegData<Bit>,
    ar_word: RegData<Bits<W>>,
    ar_job: RegData<Bit>,
    has_beat: Reg<Bit>,
    resp: RegData<Bits<2>>,
    ends: RegData<Bit>,
    /// A second beat, if the first one waits.
    has_more: Reg<Bit>,
    more: [RegData<Bits<8>>; 8],
    more_resp: RegData<Bits<2>>,
    more_ends: RegData<Bit>,
    /// Number of the beat in its burst.
    number: Reg<Bits<8>>,
    chooses: Signal<Local, Bit>,
    announces: Signal<Local, Bit>,
    word: Signal<Local, Bits<W>>,
    len: Signal<Local, Bits<8>>,
    comes: Signal<Local, Bit>,
    of_job: Signal<Local, Bit>,
    /// An announced burst waits for the beat.
    is_due: Signal<Local, Bit>,
    is_good: Signal<Local, Bit>,
    /// The beat leaves.
    moves: Signal<Local, Bit>,
    refills: Signal<Local, Bit>,
    next_more: Signal<Local, Bit>,
    /// Bits of an address.
    _address_bits: Generic<'a', A>,
    /// Bursts that may be open.
    _outstanding: Param<'o'>,
}

#[kernel]
impl<const A: usize, const W: usize> ReadChannels<A, W> {
    fn update(&mut self) {
        self.choose();
        self.announce();
        self.take();
        self.judge();
        self.watch();
    }

    /// Which burst is the next one, and whether its page is open.
    fn choose(&mut self) {
        self.chooses = !self.asks & !self.granted & !self.halt_i;
        self.is_job.load(self.chooses, self.job_valid_i);
        let known = self.burst_valid_i & self.burst_same_i & !self.job_valid_i;
        let unknown = self.job_valid_i | (self.burst_valid_i & !self.burst_same_i);
        self.ask_o = self.asks;
        self.asks = ((self.chooses & (unknown)) | (self.asks & !self.done_i)) & !self.halt_i;
        self.granted = ((self.chooses & (known))
            | (self.asks & self.done_i & self.open_i)
            | (self.granted & !self.announces))
            & !self.halt_i;
        self.word = mux(
            self.is_job,
            bit_cast::<W, A>(self.job_addr_i >> 3),
            self.burst_addr_i,
        );
        self.len = mux(self.is_job, ENTRY.to_bits::<8>(), self.burst_len_i);
        self.ask_addr_o = self.word;
    }

    fn announce(&mut self) {
        self.announces =
            self.granted & self.open.room_o & (!self.ar_valid | self.ar_ready_i) & !self.halt_i;
        self.announces_o = self.announces;
        self.job_ready_o = self.announces & self.is_job;
        self.burst_take_o = self.announces & !self.is_job;
        self.ar_valid = self.announces | (self.ar_valid & !self.ar_ready_i);
        self.ar_word.load(self.announces, self.word);
        self.ar_addr_o = bit_cast::<A, W>(self.ar_word) << 3;
        self.ar_job.load(self.announces, self.is_job);
        self.ar_len.load(self.announces, self.len);
        self.open.enters_i = self.announces;
        self.open.addr_i = self.word;
        self.open.note_i = bit_cast::<9, 8>(self.len).replace_bit(8, self.is_job);
    }

    /// Beats come into a register, and into a second one while the first one waits.
    fn take(&mut self) {
        self.comes = self.r_valid_i & self.r_ready;
        self.refills = !self.has_beat | self.moves;
        self.has_beat = (self.has_beat & !self.moves) | self.has_more | self.comes;
        self.next_more = (self.has_more | self.comes) & !self.refills;
        self.has_more = self.next_more;
        self.r_ready = !self.next_more;
        for i in 0..8 {
            self.beat[i].load(
                self.refills,
                mux(self.has_more, self.more[i], self.r_data_i[i]),
            );
            self.more[i].load(self.comes, self.r_data_i[i]);
        }
        self.resp.load(
            self.refills,
            mux(self.has_more, self.more_resp, self.r_resp_i),
        );
        self.more_resp.load(self.comes, self.r_resp_i);
        self.ends.load(
            self.refills,
            mux(self.has_more, self.more_ends, self.r_last_i),
        );
        self.more_ends.load(self.comes, self.r_last_i);
    }

    /// Whose a beat is, and whether it is what was asked for.
    fn judge(&mut self) {
        self.of_job = self.open.note_o.get_bit(8);
        // The address of the first open burst may still stand: it has no answer yet.
        let stands = self.ar_valid & (self.open.count_o == 1);
        self.is_due = self.open.valid_o & !(stands);
        self.is_good = self.is_due & !self.resp.any();
        self.beat_valid_o = self.has_beat & self.is_good & !self.of_job;
        self.moves =
            self.has_beat & (self.beat_ready_i | self.of_job | !self.is_good | self.halt_i);
        self.job_word_o = self.has_beat & self.is_good & self.of_job & !self.halt_i;
        let is_last = self.number == self.open.note_o.get_bits::<8>(0);
        self.open.leaves_i = self.moves & self.is_due & self.ends;
        self.number = mux(
            self.moves,
            mux(self.ends | !self.is_due, 0.into(), self.number + 1),
            self.number,
        );
        let closed = self.asks & self.done_i & !self.open_i;
        let wrong = self.moves & (!self.is_good | (is_last != self.ends));
        self.error_o.bus = (wrong) & !self.halt_i;
        self.error_o.window = (closed) & !self.halt_i;
        self.error_o.timeout = (self.expired_i[0] | self.expired_i[1]) & !self.halt_i;
        self.error_o.resp = mux(wrong, self.resp, 0.into());
        // The burst whose answer is wrong, that which is not announced, or that which waits.
        self.error_o.of_job = self.of_job & self.open.valid_o;
        self.error_o.addr = mux(self.open.valid_o, self.open.addr_o, 0.into());
        if !(wrong) & self.expired_i[0] {
            self.error_o.of_job = self.ar_job;
            self.error_o.addr = self.ar_word;
        }
        if !(wrong) & (closed) {
            self.error_o.of_job = self.is_job;
            self.error_o.addr = self.word;
        }
    }

    fn watch(&mut self) {
        self.waits_o[0] = self.ar_valid & !self.ar_ready_i;
        self.gap_o = self.open.count_o.any() & !self.r_valid_i & self.r_ready;
        self.waits_o[1] = self.gap_o;
        self.idle_o = !self.open.count_o.any() & !self.has_beat;
    }
}
