//! The engine of loads.

use super::queue::TransferQueue;
use super::{Bursts, DmaShape, Places, TransferWrite};
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
/// The bursts of a command are formed as fast as words are needed, and go ahead of them. A command is done when its last word has left. Parameters,
/// row and activation tables of a program are not written before the waves of all units that had begun have passed.
///
/// # Timing
/// A command that enters in cycle t to an engine at rest forms its first burst from t + 3 on; a fill has its first write in t + 4. One
/// word in each cycle; a pair of instruction words takes two, where the program has a memory of its own.
#[module(shape: DmaShape)]
pub struct LoadEngine<const W: usize> {
    /// Everything is dropped.
    pub halt_i: Signal<In, Bit>,
    /// Words of a command on their way.
    pub write_i: TransferWrite<In, W>,
    /// They were those of a command of jobs, of the program: it enters.
    pub enters_i: [Signal<In, Bit>; sources],
    /// There is room for one.
    pub ready_o: [Signal<Out, Bit>; sources],
    /// A command is under way.
    pub busy: OutReg<Bit>,
    /// Commands that are open, of jobs and of the program.
    pub open_o: [Signal<Out, Bits<4>>; sources],
    /// The command under way is one of a program.
    pub program_o: Signal<Out, Bit>,
    /// Ring index of its entry, or word address of its instruction.
    pub origin_o: Signal<Out, Bits<16>>,
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
    #[new(TransferQueue::new(queue, moves))]
    queue: TransferQueue<W>,
    #[new(Bursts::new(max_burst))]
    bursts: Bursts<W>,
    #[new(Places::new(shape))]
    places: Places,
    #[argument]
    _shape: DmaShape,
    /// The command begins.
    begins: Reg<Bit>,
    takes: Signal<Local, Bit>,
    ends: Signal<Local, Bit>,
    /// Clocks until a command of the program that is written past the waves may begin: units may still read there.
    settle: [Reg<Bits<10>>; moves],
    /// The command under way has begun, or may.
    free: [Reg<Bit>; moves],
    /// Its first word must wait.
    waits: Signal<Local, Bit>,
    /// The second write of a pair has the high half.
    high: Signal<Local, Bit>,
    /// The beat is needed once more.
    keeps: Signal<Local, Bit>,
    writes: Signal<Local, Bit>,
    is_program: Signal<Local, Bit>,
    #[new(shape.queue)]
    _queue: Param<'d'>,
    /// Programs have LOAD and STORE.
    #[new(shape.moves())]
    _moves: Feature<"mv">,
    #[new(1 + moves)]
    _sources: usize,
    /// Beats of a burst at most.
    #[new(shape.max_burst)]
    _max_burst: Param<'b'>,
    /// Clocks from a command of the program to its first word, if it is written past the waves.
    #[new(moves * shape.settle)]
    _settle_clocks: Feature<"sl">,
    /// The program lies in the partitions.
    #[new(shape.banked.into())]
    _banked: Feature<"pr">,
}

const COLUMNS: usize = Space::Columns as usize;
const PROGRAM: usize = Space::Program as usize;

#[kernel]
impl<const W: usize> LoadEngine<W> {
    fn update(&mut self) {
        self.commands();
        self.walk();
        self.settle();
        self.write();
    }

    fn commands(&mut self) {
        self.queue.clear_i = self.halt_i;
        self.queue.write_i.follow(&self.write_i);
        self.queue.enters_i.follow(&self.enters_i);
        self.ready_o.follow(&self.queue.ready_o);
        self.open_o.follow(&self.queue.open_o);
        self.takes = self.queue.waits_o & !self.busy & !self.halt_i;
        self.queue.take_i = self.takes;
        self.queue.busy_i = self.busy;
        self.begins = self.takes;
        self.ends = self.writes & self.head_ready_i & self.places.last_o;
        self.queue.done_i = self.ends;
        self.busy = (self.takes | (self.busy & !self.ends)) & !self.halt_i;
        self.program_o = self.queue.transfer_o.program;
        self.origin_o = self.queue.transfer_o.origin;
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

    /// What is written past the waves must not meet what is read at their end.
    fn settle(&mut self) {
        self.waits = false;
        for k in 0..self._moves {
            self.settle[k] = mux(self.settle[k].any(), self.settle[k] - 1, self.settle[k]);
            if self.enters_i[1] & self.write_i.past {
                self.settle[k] = (self._settle_clocks - 1).to_bits::<10>();
            }
            self.free[k] = (self.free[k] | !self.settle[k].any()) & !self.takes;
            let is_past = self.queue.transfer_o.space.get_bits::<2>(0).any()
                & !self.queue.transfer_o.space.get_bits::<2>(2).any();
            self.waits =
                self.queue.transfer_o.program & (is_past) & !self.free[k] & self.settle[k].any();
        }
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
        self.writes =
            self.places.valid_o & !self.places.beyond_o & (has_word) & !self.waits & !self.halt_i;
        self.beat_ready_o = self.places.valid_o
            & !self.places.beyond_o
            & self.head_ready_i
            & !self.waits
            & !self.keeps;
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
