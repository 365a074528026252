//! The registers of the DMA and its job list.

use super::DmaCounters;
use super::dma::WindowWrite;
use super::supervisor::FirstError;
use heddle_arch::registers::{
    self, ADDRESS_BITS, DMA_COUNTERS, axi_attr, q_base_lo, q_size, q_tail, region_lo, timeout,
};
use heddle_kernel::prelude::*;

/// Places of registers: byte address / 4.
const fn place(register: registers::Register) -> usize {
    register.offset as usize / 4
}

const ERROR_LO: usize = place(registers::error_addr_lo::REGISTER);
const ERROR_HI: usize = place(registers::error_addr_hi::REGISTER);
const Q_BASE_LO: usize = place(q_base_lo::REGISTER);
const Q_BASE_HI: usize = place(registers::q_base_hi::REGISTER);
const Q_SIZE: usize = place(q_size::REGISTER);
const Q_TAIL: usize = place(q_tail::REGISTER);
const Q_HEAD: usize = place(registers::q_head::REGISTER);
const Q_SEQ: usize = place(registers::q_seq::REGISTER);
const AXI_ATTR: usize = place(axi_attr::REGISTER);
const TIMEOUT: usize = place(timeout::REGISTER);
/// The regions, 8 places; the windows, 16 places; the counters, 16 places.
const REGIONS: usize = place(region_lo::REGISTER);
const WINDOWS: usize = place(registers::window_base::REGISTER);
const COUNTERS: usize = place(registers::dma_counter::REGISTER);
/// Registers of a window.
const BASE: u64 = 0;
const LIMIT: u64 = 1;
const CTRL: u64 = 2;
/// Values after a reset.
const ATTR_RESET: u64 = 0x2002;
const TIMEOUT_RESET: u64 = 20;
const SIZE_RESET: u64 = 1;
const COUNTS: usize = DMA_COUNTERS.len();

/// The registers that only a machine with a DMA has: decodes accesses beside those of [`Csr`](super::Csr), keeps what is written, counts.
///
/// BASE and LIMIT of the windows are cleared in the clocks behind a reset of the machine: `ready_o` is high when that is done.
///
/// # Timing
/// `takes_o`, `known_o` and `word_o` belong to the access of the same cycle, `late_word_o` to the read of the cycle before: 0, unless it was one of BASE
/// or LIMIT that is not written at once, or of a counter. A write in t shows from t + 1 on.
#[module]
pub struct DmaRegisters<const A: usize> {
    /// Writes a register.
    pub write_i: Signal<In, Bit>,
    /// Byte address of the write.
    pub write_addr_i: Signal<In, Bits<ADDRESS_BITS>>,
    /// Word to write.
    pub write_data_i: Signal<In, Bits<32>>,
    /// All bytes are to be written.
    pub write_whole_i: Signal<In, Bit>,
    /// A register here takes the write.
    pub takes_o: Signal<Out, Bit>,
    /// Byte address of the read.
    pub read_addr_i: Signal<In, Bits<ADDRESS_BITS>>,
    /// Reads a register.
    pub read_i: Signal<In, Bit>,
    /// The register of the read is here.
    pub known_o: Signal<Out, Bit>,
    /// Its word.
    pub word_o: Signal<Out, Bits<32>>,
    /// The word of BASE or LIMIT, or of a counter, a cycle later.
    pub late_word_o: Signal<Out, Bits<32>>,
    /// Accesses are taken.
    pub ready_o: Signal<Out, Bit>,
    /// A reset is under way.
    pub resetting_i: Signal<In, Bit>,
    /// The queue is on.
    pub queue_i: Signal<In, Bit>,
    /// The DMA has something under way.
    pub busy_i: Signal<In, Bit>,
    /// Windows and AXI_ATTR are locked.
    pub lock_i: Signal<In, Bit>,
    /// The first error.
    pub error_i: FirstError<In, A>,
    /// Next entry to be taken.
    pub head_i: Signal<In, Bits<10>>,
    /// Fences that were passed.
    pub passed_i: Signal<In, Bits<32>>,
    /// Lower halves of the regions.
    pub region_low_i: [Signal<In, Bits<32>>; 4],
    /// Upper halves of the regions.
    pub region_high_i: [Signal<In, Bits<8>>; 4],
    /// Writes half of a region.
    pub region_wen_o: [Signal<Out, Bit>; 8],
    /// The half.
    pub region_data_o: Signal<Out, Bits<32>>,
    /// Permissions of each window.
    pub permit_i: [Signal<In, Bits<2>>; 4],
    /// Writes a register of a window.
    pub window_o: WindowWrite<Out>,
    /// Byte address of the ring.
    pub base_o: Signal<Out, Bits<A>>,
    /// Logarithm of its entries.
    pub size_o: Signal<Out, Bits<4>>,
    /// First entry that is not to be taken.
    pub tail: OutReg<Bits<10>>,
    /// AXI_ATTR.
    pub attr_o: Signal<Out, Bits<16>>,
    /// TIMEOUT.
    pub timeout_o: Signal<Out, Bits<5>>,
    /// What the counters count, in their order.
    pub event_i: [Signal<In, Bit>; COUNTS],
    #[new(Ram1r1w::new(1, 8).passing())]
    windows: Ram1r1w<3, 28>,
    base_low: RegEn<Bits<26>>,
    base_high: RegEn<Bits<8>>,
    /// Kept with the bits of the value after a reset turned over.
    size: RegEn<Bits<4>>,
    attr: RegEn<Bits<16>>,
    timeout: RegEn<Bits<5>>,
    counters: DmaCounters,
    /// Registers of windows that are cleared: its top bit says that all are.
    cleared: Reg<Bits<4>>,
    /// The read of the cycle before was one of a window.
    reads_window: Reg<Bit>,
    write_place: Signal<Local, Bits<10>>,
    read_place: Signal<Local, Bits<10>>,
    allowed: Signal<Local, Bit>,
    known: Signal<Local, Bit>,
    takes: Signal<Local, Bit>,
    word: Signal<Local, Bits<32>>,
    /// Write and read of a window's register, and which.
    is_window: [Signal<Local, Bit>; 2],
    which: [Signal<Local, Bits<2>>; 2],
    number: [Signal<Local, Bits<2>>; 2],
    clearing: Signal<Local, Bit>,
    /// The read is one of a counter.
    is_counter: Signal<Local, Bit>,
    #[argument]
    _address_bits: usize,
    /// Bits of a page number that the machine has.
    #[new((1 << (address_bits - 12)) - 1)]
    _page_mask: usize,
    _bits: Generic<'a', A>,
}

#[kernel]
impl<const A: usize> DmaRegisters<A> {
    fn update(&mut self) {
        self.places();
        self.allow();
        self.keep();
        self.windows();
        self.count();
        self.select();
    }

    fn places(&mut self) {
        self.write_place = self.write_addr_i.get_bits::<10>(2);
        self.read_place = self.read_addr_i.get_bits::<10>(2);
        self.is_window[0] = self.write_place.get_bits::<6>(4) == (WINDOWS / 16).to_bits::<6>();
        self.is_window[1] = self.read_place.get_bits::<6>(4) == (WINDOWS / 16).to_bits::<6>();
        self.which[0] = self.write_place.get_bits::<2>(0);
        self.which[1] = self.read_place.get_bits::<2>(0);
        self.number[0] = self.write_place.get_bits::<2>(2);
        self.number[1] = self.read_place.get_bits::<2>(2);
    }

    /// Whether the register of a write takes it now.
    fn allow(&mut self) {
        let rests = !self.queue_i & !self.busy_i;
        self.allowed = false;
        match self.write_place.index() {
            Q_BASE_LO => {
                self.allowed = !self.queue_i;
            }
            Q_BASE_HI => {
                self.allowed = !self.queue_i;
            }
            Q_SIZE => {
                let log = field!(self.write_data_i, q_size::LOG);
                self.allowed = !self.queue_i & (log != 0) & (log < 11);
            }
            Q_TAIL => {
                let index = field!(self.write_data_i, q_tail::INDEX);
                self.allowed = (index >> self.size_o) == 0;
            }
            AXI_ATTR => {
                self.allowed = rests & !self.lock_i;
            }
            TIMEOUT => {
                self.allowed = rests;
            }
            _ => {
                if self.write_place.get_bits::<7>(3) == (REGIONS / 8).to_bits::<7>() {
                    self.allowed = rests;
                }
                if self.is_window[0] & (self.which[0] != 3) {
                    self.allowed = rests & !self.lock_i;
                }
            }
        }
        let is_aligned = self.write_addr_i.get_bits::<2>(0) == 0;
        self.takes =
            self.write_i & self.write_whole_i & is_aligned & self.allowed & !self.resetting_i;
        self.takes_o = self.takes;
    }

    /// Registers that keep something.
    fn keep(&mut self) {
        let low = self.takes & (self.write_place == Q_BASE_LO.to_bits::<10>());
        let high = self.takes & (self.write_place == Q_BASE_HI.to_bits::<10>());
        let size = self.takes & (self.write_place == Q_SIZE.to_bits::<10>());
        let tail = self.takes & (self.write_place == Q_TAIL.to_bits::<10>());
        let attr = self.takes & (self.write_place == AXI_ATTR.to_bits::<10>());
        let timeout = self.takes & (self.write_place == TIMEOUT.to_bits::<10>());
        self.base_low
            .load(low, field!(self.write_data_i, q_base_lo::ADDRESS));
        self.base_high
            .load(high, self.write_data_i.get_bits::<8>(0));
        self.base_o =
            (bit_cast::<A, 26>(self.base_low) << 6) | (bit_cast::<A, 8>(self.base_high) << 32);
        self.size.load(
            size,
            field!(self.write_data_i, q_size::LOG) ^ SIZE_RESET.to_bits::<4>(),
        );
        self.size_o = self.size ^ SIZE_RESET.to_bits::<4>();
        self.tail = mux(tail, field!(self.write_data_i, q_tail::INDEX), self.tail);
        if self.resetting_i {
            self.tail = 0.into();
        }
        // No attribute has bit 7.
        let word = self.write_data_i.get_bits::<16>(0).replace_bit(7, false);
        self.attr.load(attr, word ^ ATTR_RESET.to_bits::<16>());
        self.attr_o = self.attr ^ ATTR_RESET.to_bits::<16>();
        self.timeout.load(
            timeout,
            field!(self.write_data_i, timeout::LOG) ^ TIMEOUT_RESET.to_bits::<5>(),
        );
        self.timeout_o = self.timeout ^ TIMEOUT_RESET.to_bits::<5>();
        for i in 0..8 {
            self.region_wen_o[i] = self.takes & (self.write_place == (REGIONS + i).to_bits::<10>());
        }
        // A region begins at a word.
        self.region_data_o = self.write_data_i;
        if !self.write_place.get_bit(0) {
            self.region_data_o = self.write_data_i & region_lo::ADDRESS.mask().to_bits::<32>();
        }
    }

    /// Windows: this copy is read by the host, that of the DMA by the DMA.
    fn windows(&mut self) {
        self.clearing = !self.cleared.get_bit(3);
        self.ready_o = self.rst_n & !self.clearing;
        self.cleared = mux(self.clearing, self.cleared + 1, self.cleared);
        let mine = self.takes & self.is_window[0];
        let page = self.write_data_i.get_bits::<28>(0) & self._page_mask.to_bits::<28>();
        self.window_o.base = (mine & (self.which[0] == BASE.to_bits::<2>()))
            | (self.clearing & !self.cleared.get_bit(0));
        self.window_o.limit = (mine & (self.which[0] == LIMIT.to_bits::<2>()))
            | (self.clearing & self.cleared.get_bit(0));
        self.window_o.ctrl = mine & (self.which[0] == CTRL.to_bits::<2>());
        self.window_o.window = mux(self.clearing, self.cleared.get_bits::<2>(1), self.number[0]);
        self.window_o.data = page;
        self.windows.wen_i = self.clearing | (mine & !self.which[0].get_bit(1));
        self.windows.waddr_i =
            (bit_cast::<3, 2>(self.number[0]) << 1) | bit_cast::<3, 2>(self.which[0] & 1);
        if self.clearing {
            self.window_o.data = 0.into();
            self.windows.waddr_i = self.cleared.get_bits::<3>(0);
        }
        self.windows.wdata_i[0] = self.window_o.data;
    }

    fn count(&mut self) {
        self.counters.clear_i = self.resetting_i;
        self.counters.event_i.follow(&self.event_i);
        self.counters.place_i = self.read_place.get_bits::<4>(0);
        self.is_counter = (self.read_place.get_bits::<6>(4) == (COUNTERS / 16).to_bits::<6>())
            & (self.read_place.get_bits::<4>(0) < COUNTS.to_bits::<4>());
        self.counters.read_i =
            self.read_i & self.is_counter & (self.read_addr_i.get_bits::<2>(0) == 0);
    }

    /// The word of a read.
    fn select(&mut self) {
        self.known = self.read_addr_i.get_bits::<2>(0) == 0;
        self.word = 0.into();
        match self.read_place.index() {
            ERROR_LO => {
                self.word = bit_cast::<32, A>(self.error_i.addr);
            }
            ERROR_HI => {
                self.word = bit_cast::<32, A>(self.error_i.addr >> 32);
            }
            Q_BASE_LO => {
                self.word = bit_cast::<32, 26>(self.base_low) << 6;
            }
            Q_BASE_HI => {
                self.word = bit_cast::<32, 8>(self.base_high);
            }
            Q_SIZE => {
                self.word = bit_cast::<32, 4>(self.size_o);
            }
            Q_TAIL => {
                self.word = bit_cast::<32, 10>(self.tail);
            }
            Q_HEAD => {
                self.word = bit_cast::<32, 10>(self.head_i);
            }
            Q_SEQ => {
                self.word = self.passed_i;
            }
            AXI_ATTR => {
                self.word = bit_cast::<32, 16>(self.attr_o);
            }
            TIMEOUT => {
                self.word = bit_cast::<32, 5>(self.timeout_o);
            }
            _ => {
                self.known = false;
            }
        }
        self.several();
        self.known_o = self.known;
        self.word_o = mux(self.known, self.word, 0.into());
        let stored = self.is_window[1] & !self.which[1].get_bit(1);
        // No word is read while it is written.
        let meets = self.takes
            & self.is_window[0]
            & (self.number[0] == self.number[1])
            & (self.which[0] == self.which[1]);
        let reads = self.read_i & stored & !meets;
        self.windows.ren_i = reads;
        self.windows.raddr_i =
            (bit_cast::<3, 2>(self.number[1]) << 1) | bit_cast::<3, 2>(self.which[1] & 1);
        self.reads_window = reads & self.known;
        self.late_word_o = mux(
            self.reads_window,
            bit_cast::<32, 28>(self.windows.rdata_o[0]),
            self.counters.count_o,
        );
    }

    /// Registers of which there are several.
    fn several(&mut self) {
        let is_aligned = self.read_addr_i.get_bits::<2>(0) == 0;
        for i in 0..4 {
            if self.read_place == (REGIONS + 2 * i).to_bits::<10>() {
                self.word = self.region_low_i[i];
                self.known = is_aligned;
            }
            if self.read_place == (REGIONS + 2 * i + 1).to_bits::<10>() {
                self.word = bit_cast::<32, 8>(self.region_high_i[i]);
                self.known = is_aligned;
            }
            if self.is_window[1] & (self.number[1] == i.to_bits::<2>()) {
                self.known = (is_aligned) & (self.which[1] != 3);
                if self.which[1] == CTRL.to_bits::<2>() {
                    self.word = bit_cast::<32, 2>(self.permit_i[i]);
                }
            }
        }
        if self.is_counter {
            self.known = is_aligned;
        }
    }
}
