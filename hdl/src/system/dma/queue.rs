//! Commands that wait for an engine.

use super::TransferWrite;
use heddle_arch::transfer::{access, outer, x};
use heddle_kernel::prelude::*;

/// A transfer whose words have been checked.
#[bundle]
pub struct Transfer {
    /// Memory of the machine.
    pub space: Bits<4>,
    /// Zeros are stored.
    pub fill: Bit,
    /// Loop that also goes to the next partition or row.
    pub partitions: Bits<2>,
    /// Zero point.
    pub zero: Bits<8>,
    /// First place.
    pub place: Bits<15>,
    /// First partition, column or row.
    pub partition: Bits<8>,
    /// Turns of X, Y and Z, less 1.
    pub count: [Bits<16>; 3],
    /// Places from turn to turn.
    pub step: [Bits<13>; 3],
    /// Words of memory from turn to turn of Y and Z.
    pub pitch: [Bits<29>; 2],
    /// The command is one of a program.
    pub program: Bit,
    /// Ring index of its entry, or word address of its instruction.
    pub origin: Bits<16>,
}

/// Keeps commands until the engine takes them, and the one that it took last until it takes the next.
///
/// Jobs and the program have a queue each, in one memory; commands of the program go first. A command enters with the address at which it begins in
/// memory, base and offset added: a word address with its carry. Its words stand in the free place of its queue by then, which none that waits has.
///
/// # Timing
/// A command that enters in cycle t can be taken in t + 1, and is on the outputs a cycle after `take_i`.
#[module]
pub struct TransferQueue<const W: usize> {
    /// Drops all.
    pub clear_i: Signal<In, Bit>,
    /// Words of a command on their way.
    pub write_i: TransferWrite<In, W>,
    /// The words were those of a command of jobs, of the program: it enters.
    pub enters_i: [Signal<In, Bit>; sources],
    /// There is room for one.
    pub ready_o: [Signal<Out, Bit>; sources],
    /// Commands that are open: they wait, or one is under way.
    pub open: [OutReg<Bits<4>>; sources],
    /// A command is under way, if it is not done.
    pub busy_i: Signal<In, Bit>,
    /// One waits, if none is under way.
    pub waits_o: Signal<Out, Bit>,
    /// The first one is taken.
    pub take_i: Signal<In, Bit>,
    /// It is done.
    pub done_i: Signal<In, Bit>,
    /// The command taken last.
    pub transfer_o: Transfer<Out>,
    /// Word address in memory at which it begins; the top bit is the carry.
    pub address_o: Signal<Out, Bits<W>>,
    #[new(RamLanes::new(8, sources * slots))]
    ram: RamLanes<5, W>,
    tail: [Reg<Bits<4>>; sources],
    head: [Reg<Bits<4>>; sources],
    /// The command taken last is one of this queue.
    mine: [Reg<Bit>; sources],
    /// The first one of this queue is taken.
    takes: [Signal<Local, Bit>; sources],
    ends: [Signal<Local, Bit>; sources],
    /// Commands that wait in each queue at most.
    _depth: Param<'d'>,
    /// Programs have LOAD and STORE: they have a queue.
    _moves: Feature<"mv">,
    #[new(1 + moves)]
    _sources: usize,
    /// Places of a queue: one is free.
    #[new((depth + 1).next_power_of_two())]
    _slots: usize,
}

#[kernel]
impl<const W: usize> TransferQueue<W> {
    fn update(&mut self) {
        self.turns();
        self.count();
        self.write();
        self.read();
    }

    fn turns(&mut self) {
        self.waits_o = false;
        for s in 0..self._sources {
            if self.open[s].any() {
                self.waits_o = true;
            }
        }
        if self._moves > 0 {
            self.takes[0] = self.take_i & !self.open[1].any();
            self.takes[1] = self.take_i & self.open[1].any();
        } else {
            self.takes[0] = self.take_i;
        }
    }

    fn count(&mut self) {
        for s in 0..self._sources {
            self.mine[s] = mux(self.take_i, self.takes[s], self.mine[s]);
            self.ends[s] = self.done_i & self.mine[s];
            let under_way = self.busy_i & self.mine[s];
            let full = ((self.open[s] == self._depth.to_bits::<4>()) & !(under_way))
                | (self.open[s] == (self._depth + 1).to_bits::<4>());
            self.ready_o[s] = self.rst_n & !(full);
            self.open[s] = self.open[s];
            if self.enters_i[s] & !self.ends[s] {
                self.open[s] = self.open[s] + 1;
            }
            if self.ends[s] & !self.enters_i[s] {
                self.open[s] = self.open[s] - 1;
            }
            self.tail[s] = mux(self.enters_i[s], self.tail[s] + 1, self.tail[s]);
            self.head[s] = mux(self.takes[s], self.head[s] + 1, self.head[s]);
            if self.clear_i {
                self.open[s] = 0.into();
                self.tail[s] = 0.into();
                self.head[s] = 0.into();
            }
        }
    }

    fn write(&mut self) {
        let mask = (self._slots - 1).to_bits::<5>();
        for i in 0..8 {
            self.ram.wen_i[i] = self.write_i.takes[i];
            self.ram.wdata_i[i] = self.write_i.data[i];
        }
        self.ram.waddr_i = bit_cast::<5, 4>(self.tail[0]) & mask;
        self.ram.raddr_i = bit_cast::<5, 4>(self.head[0]) & mask;
        if self._moves > 0 {
            if self.write_i.program {
                self.ram.waddr_i =
                    (bit_cast::<5, 4>(self.tail[1]) & mask) | self._slots.to_bits::<5>();
            }
            if self.takes[1] {
                self.ram.raddr_i =
                    (bit_cast::<5, 4>(self.head[1]) & mask) | self._slots.to_bits::<5>();
            }
        }
        self.ram.ren_i = self.take_i;
    }

    fn read(&mut self) {
        self.transfer_o.space = field!(self.ram.rdata_o[0], access::SPACE);
        self.transfer_o.fill = flag!(self.ram.rdata_o[0], access::FILL);
        self.transfer_o.partitions = field!(self.ram.rdata_o[0], access::PARTITIONS);
        self.transfer_o.program = self.ram.rdata_o[0].get_bit(access::REGION.lsb);
        self.transfer_o.zero = self.ram.rdata_o[0].get_bits::<8>(10);
        self.transfer_o.origin = bit_cast::<16, 10>(self.ram.rdata_o[0].get_bits::<10>(18))
            | (bit_cast::<16, 6>(self.ram.rdata_o[2].get_bits::<6>(24)) << 10);
        self.address_o = self.ram.rdata_o[1];
        self.transfer_o.place = self.ram.rdata_o[2].get_bits::<15>(0);
        self.transfer_o.partition = self.ram.rdata_o[2].get_bits::<8>(16);
        self.transfer_o.count[0] = field!(self.ram.rdata_o[3], x::COUNT).get_bits::<16>(0);
        for i in 0..3 {
            if i > 0 {
                self.transfer_o.count[i] = field!(self.ram.rdata_o[2 * i + 2], outer::COUNT);
                self.transfer_o.pitch[i - 1] = self.ram.rdata_o[2 * i + 3].get_bits::<29>(0);
                self.transfer_o.step[i] = field!(self.ram.rdata_o[2 * i + 2], outer::STEP);
            } else {
                self.transfer_o.step[i] = field!(self.ram.rdata_o[3], x::STEP);
            }
        }
    }
}
