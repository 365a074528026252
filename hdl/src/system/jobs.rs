//! The job list: a ring of entries in the host's memory, taken in order.

use super::dma::EntryPair;
use heddle_arch::isa::fields::Word;
use heddle_arch::job::{entry, limit, start};
use heddle_arch::transfer::{Space, access};
use heddle_kernel::prelude::*;

const NOP: usize = 0;
const RUN: usize = 1;
const LOAD: usize = 2;
const STORE: usize = 3;
const REGIONS: usize = 4;
const FENCE: usize = 5;
/// Words of an entry that have a meaning.
const WORDS: usize = 9;
/// Entries that have a place in the buffer.
const AHEAD: usize = 2;
/// Spaces from here on are those of the sparse cluster.
const CLUSTER: usize = Space::Weights as usize;

/// Bits of a word that are in none of its fields.
const fn rest(word: &Word) -> u64 {
    !word.used() as u64
}

/// Takes the entries of a ring one after the other: starts programs, gives loads and stores to the DMA, sets regions.
///
/// Entries are fetched ahead while the one before waits. An entry with a fault does nothing and is the last one that is looked at. With `enable_i` low
/// what was fetched is dropped; words of a fetch that is under way are not looked at.
///
/// # Timing
/// An entry is taken 3 cycles after its last word at the earliest, then one in every 11 cycles: its commands and starts are registers. `start_o` is
/// high for one cycle. With a limit of n clocks `late_o` is high from n + 1 cycles behind `start_o` on, as long as the program runs.
#[module(describe)]
pub struct Jobs<const A: usize> {
    /// Forgets everything; nothing is outstanding.
    pub clear_i: Signal<In, Bit>,
    /// Entries are fetched and taken.
    pub enable_i: Signal<In, Bit>,
    /// Byte address of the ring, a multiple of 64.
    pub base_i: Signal<In, Bits<A>>,
    /// Logarithm of its entries, 1 to 10.
    pub size_i: Signal<In, Bits<4>>,
    /// First entry that is not to be taken.
    pub tail_i: Signal<In, Bits<10>>,
    /// Next entry to be taken.
    pub head: OutReg<Bits<10>>,
    /// An entry is to be fetched.
    pub fetch_valid: OutReg<Bit>,
    /// Its byte address: it stays, also if the queue goes off and the ring is moved.
    pub fetch_addr: OutRegData<Bits<A>>,
    /// Its ring index, until its last word has come.
    pub fetch_index: OutReg<Bits<10>>,
    /// The fetch is announced.
    pub fetch_ready_i: Signal<In, Bit>,
    /// A word of the entry: eight come, the first one first.
    pub word_valid_i: Signal<In, Bit>,
    /// Its bytes.
    pub word_i: [Signal<In, Bits<8>>; 8],
    /// Writes half of a region; the queue is off.
    pub region_wen_i: [Signal<In, Bit>; 8],
    /// The half.
    pub region_data_i: Signal<In, Bits<32>>,
    /// Lower halves of the regions.
    pub region_low: [OutRegEn<Bits<32>>; 4],
    /// Upper halves of the regions.
    pub region_high: [OutRegEn<Bits<8>>; 4],
    /// Words of the entry, when they leave the buffer: they may be a command.
    pub entry_o: EntryPair<Out>,
    /// They are one.
    pub ok_i: Signal<In, Bit>,
    /// The entry is a load, a store and is taken: it enters its queue.
    pub enters_o: [Signal<Out, Bit>; 2],
    /// There is room for a load, a store.
    pub ready_i: [Signal<In, Bit>; 2],
    /// Words of an instruction go where those of the entry would.
    pub moving_i: [Signal<In, Bit>; moves],
    /// Words of an entry go there or are about to.
    pub reading_o: [Signal<Out, Bit>; moves],
    /// Loads, stores are open.
    pub loads_i: Signal<In, Bit>,
    /// Stores are open.
    pub stores_i: Signal<In, Bit>,
    /// A program runs or starts.
    pub running_i: Signal<In, Bit>,
    /// Starts a program.
    pub start: OutReg<Bit>,
    /// Word address of its first instruction.
    pub start_pc: OutRegData<Bits<16>>,
    /// The engine's counters keep their values.
    pub keep: OutRegData<Bit>,
    /// Ring index of the entry that has started it.
    pub run_index: OutRegData<Bits<10>>,
    /// The program has run longer than its entry allows, and still runs.
    pub late: OutReg<Bit>,
    /// A fence was passed.
    pub fence: OutReg<Bit>,
    /// It asks for an interrupt.
    pub interrupt: OutReg<Bit>,
    /// An entry waits for loads, for stores.
    pub stall_o: [Signal<Out, Bit>; 2],
    /// An entry is taken.
    pub takes_o: Signal<Out, Bit>,
    /// All entries were taken.
    pub empty_o: Signal<Out, Bit>,
    /// An entry has a fault.
    pub error: OutReg<Bit>,
    /// Its ring index.
    pub error_index: OutRegData<Bits<10>>,
    #[new(Ram1r1w::new(8, 16))]
    buffer: Ram1r1w<4, 8>,
    /// Words of the fetch are on their way.
    coming: Reg<Bit>,
    /// They are not looked at.
    stale: Reg<Bit>,
    /// Next entry to be fetched.
    upcoming: Reg<Bits<10>>,
    /// Entries that have a place in the buffer.
    reserved: Reg<Bits<2>>,
    /// Those that are complete.
    filled: Reg<Bits<2>>,
    write_place: Reg<Bits<4>>,
    read_place: Reg<Bits<4>>,
    /// The buffer is read, and gave a beat.
    reading: Reg<Bit>,
    gives: Reg<Bit>,
    given: Reg<Bits<3>>,
    words: [RegData<Bits<32>>; WORDS],
    /// Another word of the entry is not 0.
    ragged: Reg<Bit>,
    /// The entry is there, and was checked.
    there: Reg<Bit>,
    checked: Reg<Bit>,
    bad: Reg<Bit>,
    /// Loads of the sparse cluster are open.
    cluster: Reg<Bit>,
    /// Clocks that the program may still run.
    left: Reg<Bits<32>>,
    limited: Reg<Bit>,
    kind: [Signal<Local, Bit>; 6],
    /// The last entry of the ring.
    mask: Signal<Local, Bits<10>>,
    asks: Signal<Local, Bit>,
    comes: Signal<Local, Bit>,
    low: Signal<Local, Bits<32>>,
    high: Signal<Local, Bits<32>>,
    fits: Signal<Local, Bit>,
    has_regions: Signal<Local, Bit>,
    /// Loads or stores that the entry waits for are open.
    moving: Signal<Local, Bit>,
    /// What the entry waits for is over.
    goes: Signal<Local, Bit>,
    takes: Signal<Local, Bit>,
    /// The next entry may leave the buffer, and does.
    begins: Signal<Local, Bit>,
    starts: Signal<Local, Bit>,
    stray: Signal<Local, Bit>,
    /// CONFIG of the machine.
    _config: u64,
    /// The program lies in banks: transfers and programs wait for each other.
    _banked: Feature<"pr">,
    /// Programs have LOAD and STORE.
    #[new(1 - banked)]
    _moves: usize,
}

impl<const A: usize> Jobs<A> {
    fn describe(&self, meta: Meta) -> Meta {
        meta.doc_if(
            self._banked > 0,
            "The program lies in banks of the state buffer: a program waits for loads and stores.",
        )
    }
}

#[kernel]
impl<const A: usize> Jobs<A> {
    fn update(&mut self) {
        self.fetch();
        self.arrive();
        self.read();
        self.check();
        self.wait();
        self.give();
        self.run();
        self.regions();
    }

    /// Asks for the next entry while the buffer has room.
    fn fetch(&mut self) {
        self.mask = ((bits::<11>(1) << self.size_i.get_bits::<4>(0)) - 1).get_bits::<10>(0);
        self.asks = self.enable_i
            & !self.stale
            & !self.fetch_valid
            & !self.coming
            & (self.upcoming != self.tail_i)
            & (self.reserved != AHEAD.to_bits::<2>());
        self.fetch_valid = (self.fetch_valid & !self.fetch_ready_i) | self.asks;
        self.fetch_index = mux(self.asks, self.upcoming, self.fetch_index);
        self.fetch_addr.load(
            self.asks,
            self.base_i + (bit_cast::<A, 10>(self.upcoming) << 6),
        );
        self.upcoming = mux(self.asks, (self.upcoming + 1) & self.mask, self.upcoming);
        let ends = self.word_valid_i & (self.write_place.get_bits::<3>(0) == 7);
        self.coming = (self.coming & !ends) | (self.fetch_valid & self.fetch_ready_i);
        self.stale = (self.stale | !self.enable_i) & (self.coming | self.fetch_valid);
        if !self.enable_i {
            self.upcoming = self.head;
        }
        if self.clear_i {
            self.fetch_valid = false;
            self.coming = false;
            self.stale = false;
            self.upcoming = 0.into();
        }
    }

    /// Words of an entry.
    fn arrive(&mut self) {
        self.comes = self.word_valid_i & !self.stale & self.enable_i;
        self.buffer.wen_i = self.comes;
        self.buffer.waddr_i = self.write_place;
        for i in 0..8 {
            self.buffer.wdata_i[i] = self.word_i[i];
        }
        self.write_place = mux(self.word_valid_i, self.write_place + 1, self.write_place);
        // Whatever was fetched is dropped: the next entry comes first.
        let rests = !self.coming & !self.fetch_valid;
        if ((self.stale | !self.enable_i) & rests) | self.clear_i {
            self.write_place = 0.into();
        }
    }

    /// The next entry does not leave the buffer beside words of an instruction.
    fn begins(&mut self) {
        self.starts = self.begins;
        for k in 0..self._moves {
            if self.moving_i[k] {
                self.starts = false;
            }
        }
    }

    /// An entry leaves the buffer, two words in a cycle, when the one before is gone.
    fn read(&mut self) {
        let fills = self.comes & (self.write_place.get_bits::<3>(0) == 7);
        self.begins = self.filled.any() & !self.reading & !self.gives & !self.there;
        for k in 0..self._moves {
            self.reading_o[k] = self.begins | self.reading | self.gives;
        }
        self.begins();
        let ends = self.reading & (self.read_place.get_bits::<3>(0) == 7);
        self.filled = self.filled;
        if fills & !self.starts {
            self.filled = self.filled + 1;
        }
        if self.starts & !fills {
            self.filled = self.filled - 1;
        }
        self.reserved = self.reserved;
        if self.asks & !ends {
            self.reserved = self.reserved + 1;
        }
        if ends & !self.asks {
            self.reserved = self.reserved - 1;
        }
        self.reading = (self.reading & !ends) | self.starts;
        self.buffer.ren_i = self.reading;
        self.buffer.raddr_i = self.read_place;
        self.gives = self.reading;
        self.given = self.read_place.get_bits::<3>(0);
        self.read_place = mux(self.reading, self.read_place + 1, self.read_place);
        self.there = (self.there & !self.takes) | (self.gives & (self.given == 7));
        self.low = 0.into();
        self.high = 0.into();
        for i in 0..4 {
            self.low = (self.low << 8) | self.buffer.rdata_o[3 - i].get_bits::<32>(0);
            self.high = (self.high << 8) | self.buffer.rdata_o[7 - i].get_bits::<32>(0);
        }
        for i in 0..WORDS {
            let mine = self.gives & (self.given == (i / 2).to_bits::<3>());
            if i % 2 == 0 {
                self.words[i].load(mine, self.low);
            } else {
                self.words[i].load(mine, self.high);
            }
        }
        let other = (self.high.any() & (self.given >= (WORDS / 2).to_bits::<3>()))
            | (self.low.any() & (self.given > (WORDS / 2).to_bits::<3>()));
        self.ragged = (self.ragged | (self.gives & other)) & !self.starts;
        if self.clear_i | !self.enable_i {
            self.filled = 0.into();
            self.reserved = 0.into();
            self.reading = false;
            self.gives = false;
            self.there = false;
            self.read_place = 0.into();
        }
    }

    /// Whether the entry has no fault.
    fn check(&mut self) {
        let number = field!(self.words[0], entry::TYPE);
        for i in 0..6 {
            self.kind[i] = number == i.to_bits::<8>();
        }
        self.has_regions = true;
        for i in 0..4 {
            let pair = self.words[2 * i + 1] | self.words[2 * i + 2];
            let is_set = self.words[0].get_bit(entry::REGIONS.lsb + i);
            let beyond = self.words[2 * i + 2] >> (A - 32).to_bits::<4>();
            let ragged = self.words[2 * i + 1].get_bits::<3>(0);
            if (pair.any() & !is_set) | ragged.any() | beyond.any() {
                self.has_regions = false;
            }
        }
        let of_programs = self.words[0].get_bit(entry::REGIONS.lsb)
            | self.words[0].get_bit(entry::REGIONS.lsb + 3);
        let is_late = of_programs & !flag!(self.words[0], entry::WAIT_PROGRAM);
        let behind_four = self.words[5] | self.words[6] | self.words[7] | self.words[8];
        let behind_one = self.words[2] | self.words[3] | self.words[4] | behind_four;
        self.fits = false;
        if self.kind[NOP] | self.kind[FENCE] {
            self.fits = !(self.words[1] | behind_one).any();
        }
        if self.kind[RUN] {
            let is_mine = (self.words[1] == 0) | (self.words[1] == self._config.to_bits::<32>());
            let pc = !(self.words[2] & rest(&start::WORD).to_bits::<32>()).any();
            self.fits = is_mine & pc & !(self.words[4] | behind_four).any();
        }
        if self.kind[LOAD] | self.kind[STORE] {
            self.fits = self.ok_i;
        }
        if self.kind[REGIONS] {
            self.fits = self.has_regions & !is_late;
        }
        self.stray = (flag!(self.words[0], entry::INTERRUPT) & !self.kind[FENCE])
            | (flag!(self.words[0], entry::KEEP) & !self.kind[RUN])
            | (field!(self.words[0], entry::REGIONS).any() & !self.kind[REGIONS])
            | (self.words[0] & rest(&entry::WORD).to_bits::<32>()).any();
        // The words of a command are judged when they have passed.
        if self.there & !self.checked {
            self.bad = !self.fits | self.stray | self.ragged;
        } else {
            self.bad = self.bad;
        }
        self.checked = self.there & !self.takes;
    }

    /// What the entry waits for.
    fn wait(&mut self) {
        let of_cluster =
            self.kind[LOAD] & (field!(self.words[1], access::SPACE) >= CLUSTER.to_bits::<4>());
        let program = flag!(self.words[0], entry::WAIT_PROGRAM)
            | self.kind[RUN]
            | self.kind[FENCE]
            | of_cluster;
        let loads = flag!(self.words[0], entry::WAIT_LOADS)
            | self.kind[FENCE]
            | (self.kind[RUN] & self.cluster);
        let stores = flag!(self.words[0], entry::WAIT_STORES) | self.kind[FENCE];
        if self._banked > 0 {
            self.moving = ((loads | self.kind[RUN]) & self.loads_i)
                | ((stores | self.kind[RUN]) & self.stores_i);
        } else {
            self.moving = (loads & self.loads_i) | (stores & self.stores_i);
        }
        let waits = self.there & self.checked & !self.bad & self.enable_i;
        self.stall_o[0] = waits & (loads & self.loads_i);
        self.stall_o[1] = waits & (stores & self.stores_i);
        self.goes = !(program & self.running_i)
            & !self.moving
            & !(self.kind[LOAD] & !self.ready_i[0])
            & !(self.kind[STORE] & !self.ready_i[1]);
        self.takes =
            self.there & self.checked & !self.bad & self.goes & self.enable_i & !self.error;
        self.takes_o = self.takes;
        self.head = mux(self.takes, (self.head + 1) & self.mask, self.head);
        let fails = self.there & self.checked & self.bad & self.enable_i & !self.error;
        self.error = self.error | fails;
        self.error_index.load(fails, self.head);
        self.empty_o = self.head == self.tail_i;
        if self.clear_i {
            self.head = 0.into();
            self.error = false;
        }
    }

    /// Commands of the DMA.
    fn give(&mut self) {
        self.entry_o.valid = self.gives;
        self.entry_o.place = self.given;
        self.entry_o.low = self.low;
        self.entry_o.high = self.high;
        self.entry_o.store = self.kind[STORE];
        self.entry_o.index = self.head;
        self.enters_o[0] = self.takes & self.kind[LOAD];
        self.enters_o[1] = self.takes & self.kind[STORE];
        let of_cluster = field!(self.words[1], access::SPACE) >= CLUSTER.to_bits::<4>();
        self.cluster = (self.cluster & self.loads_i) | (self.enters_o[0] & of_cluster);
    }

    /// Programs, and how long they may run.
    fn run(&mut self) {
        let starts = self.takes & self.kind[RUN];
        self.start = starts;
        self.start_pc.load(starts, field!(self.words[2], start::PC));
        self.keep.load(starts, flag!(self.words[0], entry::KEEP));
        self.run_index.load(starts, self.head);
        self.left = mux(self.left.any(), self.left - 1, self.left);
        self.limited = self.limited & (self.running_i | self.start);
        if starts {
            self.left = field!(self.words[3], limit::CLOCKS);
            self.limited = self.words[3].any();
        }
        self.late = (self.limited & self.running_i & (self.left == 0)) & !self.clear_i;
        self.fence = self.takes & self.kind[FENCE];
        self.interrupt = self.takes & self.kind[FENCE] & flag!(self.words[0], entry::INTERRUPT);
    }

    /// Regions, of the registers and of entries.
    fn regions(&mut self) {
        for i in 0..4 {
            let sets =
                self.takes & self.kind[REGIONS] & self.words[0].get_bit(entry::REGIONS.lsb + i);
            self.region_low[i].load(sets | self.region_wen_i[2 * i], self.region_data_i);
            self.region_high[i].load(
                sets | self.region_wen_i[2 * i + 1],
                self.region_data_i.get_bits::<8>(0),
            );
            if sets {
                self.region_low[i] = self.words[2 * i + 1];
                self.region_high[i] = self.words[2 * i + 2].get_bits::<8>(0);
            }
        }
    }
}
