//! The engine of stores.

use super::queue::TransferQueue;
use super::{Bursts, DmaShape, Places, TransferWrite};
use heddle_kernel::prelude::*;

/// A read that goes to the head of the host wave.
#[bundle]
pub struct HeadRead {
    /// There is a read.
    pub valid: Bit,
    /// Address on the host port.
    pub addr: Bits<32>,
    /// Zero point that is added to the bytes of the answer.
    pub zero: Bits<8>,
}

/// Reads the places of the state buffer that a STORE names, and tells the bursts in which they go to memory: one command after the other.
///
/// A word is read if there is room for its answer. A command is done when the last of its bursts is answered.
///
/// # Timing
/// A command that enters in cycle t to an engine at rest reads its first word in t + 4, and forms its first burst from t + 3 on. One word
/// in each cycle.
#[module(shape: DmaShape)]
pub struct StoreEngine<const W: usize> {
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
    /// All bursts that were announced are answered.
    pub idle_i: Signal<In, Bit>,
    /// There is room for one more word.
    pub room_i: Signal<In, Bit>,
    /// A read.
    pub head_o: HeadRead<Out>,
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
    /// All its bursts are announced.
    announced: Reg<Bit>,
    takes: Signal<Local, Bit>,
    reads: Signal<Local, Bit>,
    ends: Signal<Local, Bit>,
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
}

#[kernel]
impl<const W: usize> StoreEngine<W> {
    fn update(&mut self) {
        self.commands();
        self.walk();
        self.read();
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
        self.ends = self.announced & self.idle_i;
        self.queue.done_i = self.ends;
        self.announced = ((self.burst_take_i & self.bursts.last_o) | (self.announced & !self.ends))
            & !self.halt_i;
        self.busy = (self.takes | (self.busy & !self.ends)) & !self.halt_i;
        self.program_o = self.queue.transfer_o.program;
        self.origin_o = self.queue.transfer_o.origin;
    }

    fn walk(&mut self) {
        self.places.clear_i = self.halt_i;
        self.places.start_i = self.begins;
        self.places();
        self.places.next_i = self.reads & self.head_ready_i;
        self.bursts.clear_i = self.halt_i;
        self.bursts.start_i = self.begins;
        self.bursts.transfer_i.follow(&self.queue.transfer_o);
        self.bursts.words_i = self.queue.transfer_o.count[0];
        self.bursts.address_i = self.queue.address_o;
        self.burst_valid_o = self.bursts.valid_o;
        self.burst_addr_o = self.bursts.addr_o;
        self.burst_len_o = self.bursts.len_o;
        self.burst_same_o = self.bursts.same_o;
        self.bursts.take_i = self.burst_take_i;
    }

    /// What a store says of the state buffer, the only memory that it reads.
    fn places(&mut self) {
        self.places.transfer_i.space = 0.into();
        self.places.transfer_i.fill = false;
        self.places.transfer_i.partitions = self.queue.transfer_o.partitions;
        self.places.transfer_i.zero = self.queue.transfer_o.zero;
        self.places.transfer_i.place = self.queue.transfer_o.place;
        self.places.transfer_i.partition = self.queue.transfer_o.partition;
        self.places
            .transfer_i
            .count
            .follow(&self.queue.transfer_o.count);
        self.places
            .transfer_i
            .step
            .follow(&self.queue.transfer_o.step);
        self.places
            .transfer_i
            .pitch
            .follow(&self.queue.transfer_o.pitch);
        self.places.transfer_i.program = self.queue.transfer_o.program;
        self.places.transfer_i.origin = self.queue.transfer_o.origin;
    }

    fn read(&mut self) {
        self.beyond_o = self.places.valid_o & self.places.beyond_o & !self.halt_i;
        self.reads = self.places.valid_o & !self.places.beyond_o & self.room_i & !self.halt_i;
        self.head_o.valid = self.reads;
        self.head_o.addr = self.places.addr_o;
        self.head_o.zero = self.queue.transfer_o.zero;
    }
}
