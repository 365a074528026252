//! The engine of loads.

use super::queue::TransferQueue;
use super::{Bursts, DmaShape, Places};
use heddle_arch::transfer::Space;
use heddle_kernel::prelude::*;

/// A write that goes to the head of the host wave.
#[bundle]
pub struct HeadWrite {
    /// There is a write.
    pub valid: Bit,
    /// Address on the host port.
    pub addr: Bits<32>,
    /// Its bytes, as they are in memory.
    pub data: [Bits<8>; 8],
    /// Zero point that is subtracted from bytes of the state buffer.
    pub zero: Bits<8>,
}

/// Writes words from memory, or zeros, to the places of the machine that a LOAD names: one command after the other.
///
/// The bursts of a command are formed as fast as words are needed, and go ahead of them. A command is done when its last word has left.
///
/// # Timing
/// A command that is given in cycle t to an engine at rest forms its first burst from t + 3 on; a fill has its first write in t + 4. One
/// word in each cycle; a pair of instruction words takes two, where the program has a memory of its own.
#[module(shape: DmaShape)]
pub struct LoadEngine<const A: usize, const W: usize> {
    /// Everything is dropped.
    pub halt_i: Signal<In, Bit>,
    /// A command is given; its words have passed the check.
    pub command_valid_i: Signal<In, Bit>,
    /// There is room for it.
    pub command_ready_o: Signal<Out, Bit>,
    /// Words 1 to 8.
    pub command_words_i: [Signal<In, Bits<32>>; 8],
    /// Byte address of its region, a multiple of 8.
    pub command_base_i: Signal<In, Bits<A>>,
    /// It is one of a program.
    pub command_program_i: Signal<In, Bit>,
    /// Ring index of its entry.
    pub command_index_i: Signal<In, Bits<10>>,
    /// A command is under way.
    pub busy: OutReg<Bit>,
    /// Commands that are open.
    pub open_o: Signal<Out, Bits<4>>,
    /// The command under way is one of a program.
    pub program_o: Signal<Out, Bit>,
    /// Ring index of its entry.
    pub index_o: Signal<Out, Bits<10>>,
    /// A place lies beyond its memory.
    pub beyond_o: Signal<Out, Bit>,
    /// There is a burst.
    pub burst_valid_o: Signal<Out, Bit>,
    /// Its word address; the top bit is a carry.
    pub burst_addr_o: Signal<Out, Bits<W>>,
    /// Its beats, less 1.
    pub burst_len_o: Signal<Out, Bits<8>>,
    /// Its page is that of the burst before.
    pub burst_same_o: Signal<Out, Bit>,
    /// It is announced.
    pub burst_take_i: Signal<In, Bit>,
    /// There is a beat.
    pub beat_valid_i: Signal<In, Bit>,
    /// Its bytes.
    pub beat_i: [Signal<In, Bits<8>>; 8],
    /// It is taken.
    pub beat_ready_o: Signal<Out, Bit>,
    /// A write.
    pub head_o: HeadWrite<Out>,
    /// It is taken.
    pub head_ready_i: Signal<In, Bit>,
    #[new(TransferQueue::new(queue))]
    queue: TransferQueue<A, W>,
    #[new(Bursts::new(max_burst))]
    bursts: Bursts<W>,
    #[new(Places::new(shape))]
    places: Places,
    #[argument]
    _shape: DmaShape,
    /// The command begins.
    begins: Reg<Bit>,
    takes: Signal<Local, Bit>,
    /// The second write of a pair has the high half.
    high: Signal<Local, Bit>,
    /// The beat is needed once more.
    keeps: Signal<Local, Bit>,
    writes: Signal<Local, Bit>,
    is_program: Signal<Local, Bit>,
    /// Bits of an address.
    _address_bits: Generic<'a', A>,
    #[new(shape.queue)]
    _queue: Param<'d'>,
    /// Beats of a burst at most.
    #[new(shape.max_burst)]
    _max_burst: Param<'b'>,
    /// The program lies in the partitions.
    #[new(shape.banked.into())]
    _banked: Feature<"pr">,
}

const COLUMNS: usize = Space::Columns as usize;
const PROGRAM: usize = Space::Program as usize;

#[kernel]
impl<const A: usize, const W: usize> LoadEngine<A, W> {
    fn update(&mut self) {
        self.commands();
        self.walk();
        self.write();
    }

    fn commands(&mut self) {
        self.queue.clear_i = self.halt_i;
        self.queue.valid_i = self.command_valid_i;
        self.command_ready_o = self.queue.ready_o;
        self.queue.words_i.follow(&self.command_words_i);
        self.queue.base_i = self.command_base_i;
        self.queue.program_i = self.command_program_i;
        self.queue.index_i = self.command_index_i;
        self.takes = self.queue.waiting_o.any() & !self.busy & !self.halt_i;
        self.queue.take_i = self.takes;
        self.begins = self.takes;
        let ends = self.writes & self.head_ready_i & self.places.last_o;
        self.busy = (self.takes | (self.busy & !(ends))) & !self.halt_i;
        self.open_o = mux(self.busy, self.queue.waiting_o + 1, self.queue.waiting_o);
        self.program_o = self.queue.transfer_o.program;
        self.index_o = self.queue.transfer_o.index;
    }

    fn walk(&mut self) {
        self.places.clear_i = self.halt_i;
        self.places.start_i = self.begins;
        self.places.transfer_i.follow(&self.queue.transfer_o);
        self.places.next_i = self.writes & self.head_ready_i;
        self.bursts.clear_i = self.halt_i;
        self.bursts.start_i = self.begins & !self.queue.transfer_o.fill;
        self.bursts.transfer_i.follow(&self.queue.transfer_o);
        let is_columns = self.queue.transfer_o.space == COLUMNS.to_bits::<4>();
        // Two words for each column.
        self.bursts.words_i = mux(
            is_columns,
            (self.queue.transfer_o.count[0] << 1) | bits::<16>(1),
            self.queue.transfer_o.count[0],
        );
        self.bursts.address_i = self.queue.address_o;
        self.burst_valid_o = self.bursts.valid_o;
        self.burst_addr_o = self.bursts.addr_o;
        self.burst_len_o = self.bursts.len_o;
        self.burst_same_o = self.bursts.same_o;
        self.bursts.take_i = self.burst_take_i;
    }

    fn write(&mut self) {
        self.is_program = self.queue.transfer_o.space == PROGRAM.to_bits::<4>();
        if self._banked > 0 {
            self.high = false;
            self.keeps = false;
        } else {
            self.high = self.is_program & self.places.second_o;
            self.keeps = self.is_program & !self.places.second_o;
        }
        let has_word = self.beat_valid_i | self.queue.transfer_o.fill;
        self.beyond_o = self.places.valid_o & self.places.beyond_o & !self.halt_i;
        self.writes = self.places.valid_o & !self.places.beyond_o & (has_word) & !self.halt_i;
        self.beat_ready_o =
            self.places.valid_o & !self.places.beyond_o & self.head_ready_i & !self.keeps;
        self.head_o.valid = self.writes;
        self.head_o.addr = self.places.addr_o;
        self.head_o.zero = self.queue.transfer_o.zero;
        for i in 0..4 {
            self.head_o.data[i] = mux(self.high, self.beat_i[i + 4], self.beat_i[i]);
            self.head_o.data[i + 4] = self.beat_i[i + 4];
        }
        for i in 0..8 {
            if self.queue.transfer_o.fill {
                self.head_o.data[i] = 0.into();
            }
        }
    }
}
