//! Commands that wait for an engine.

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
    /// Ring index of its entry.
    pub index: Bits<10>,
}

/// Keeps commands until the engine takes them, and the one that it took last until it takes the next.
///
/// A command enters with the address at which it begins in memory, base and offset added: a word address with its carry.
///
/// # Timing
/// A command given in cycle t can be taken in t + 1, and is on the outputs a cycle after `take_i`.
#[module]
pub struct TransferQueue<const A: usize, const W: usize> {
    /// Drops what waits.
    pub clear_i: Signal<In, Bit>,
    /// A command is given; its words have passed the check.
    pub valid_i: Signal<In, Bit>,
    /// There is room.
    pub ready_o: Signal<Out, Bit>,
    /// Words 1 to 8.
    pub words_i: [Signal<In, Bits<32>>; 8],
    /// Byte address of its region, a multiple of 8.
    pub base_i: Signal<In, Bits<A>>,
    /// It is one of a program.
    pub program_i: Signal<In, Bit>,
    /// Ring index of its entry.
    pub index_i: Signal<In, Bits<10>>,
    /// Commands that wait.
    pub waiting: OutReg<Bits<4>>,
    /// The first one is taken.
    pub take_i: Signal<In, Bit>,
    /// The command taken last.
    pub transfer_o: Transfer<Out>,
    /// Word address in memory at which it begins; the top bit is the carry.
    pub address_o: Signal<Out, Bits<W>>,
    #[new(Ram1r1w::new(8, depth.next_power_of_two()))]
    ram: Ram1r1w<3, W>,
    tail: Reg<Bits<3>>,
    head: Reg<Bits<3>>,
    enters: Signal<Local, Bit>,
    /// Commands.
    _depth: Param<'d'>,
    /// Bits of an address.
    _address_bits: Generic<'a', A>,
}

#[kernel]
impl<const A: usize, const W: usize> TransferQueue<A, W> {
    fn update(&mut self) {
        self.ready_o = self.rst_n & (self.waiting != self._depth.to_bits::<4>());
        self.enters = self.valid_i & self.ready_o;
        self.waiting = self.waiting;
        if self.enters & !self.take_i {
            self.waiting = self.waiting + 1;
        }
        if self.take_i & !self.enters {
            self.waiting = self.waiting - 1;
        }
        if self.clear_i {
            self.waiting = 0.into();
        }
        self.tail = mux(
            self.clear_i,
            0.into(),
            mux(self.enters, self.tail + 1, self.tail),
        );
        self.head = mux(
            self.clear_i,
            0.into(),
            mux(self.take_i, self.head + 1, self.head),
        );
        self.write();
        self.read();
    }

    fn write(&mut self) {
        self.ram.wen_i = self.enters;
        self.ram.waddr_i = self.tail;
        // The region is known by its base: one of its bits says whose the command is.
        let low = bit_cast::<W, 10>(self.words_i[0].get_bits::<10>(0));
        let zero = bit_cast::<W, 8>(field!(self.words_i[0], access::ZERO)) << 10;
        let index = bit_cast::<W, 10>(self.index_i) << 18;
        self.ram.wdata_i[0] =
            (low.replace_bit(access::REGION.lsb, self.program_i)) | (zero) | (index);
        self.ram.wdata_i[1] = self.words_i[2].get_bits::<24>(0).get_bits::<W>(0);
        self.ram.wdata_i[2] = self.words_i[3].get_bits::<29>(0).get_bits::<W>(0);
        self.ram.wdata_i[3] = self.words_i[4].get_bits::<29>(0).get_bits::<W>(0);
        self.ram.wdata_i[4] = self.words_i[5].get_bits::<29>(3).get_bits::<W>(0);
        self.ram.wdata_i[5] = self.words_i[6].get_bits::<29>(0).get_bits::<W>(0);
        self.ram.wdata_i[6] = self.words_i[7].get_bits::<29>(3).get_bits::<W>(0);
        self.ram.wdata_i[7] = (bit_cast::<W, A>(self.base_i >> 3))
            + self.words_i[1].get_bits::<29>(3).get_bits::<W>(0);
    }

    fn read(&mut self) {
        self.ram.ren_i = self.take_i;
        self.ram.raddr_i = self.head;
        self.transfer_o.space = field!(self.ram.rdata_o[0], access::SPACE);
        self.transfer_o.fill = flag!(self.ram.rdata_o[0], access::FILL);
        self.transfer_o.partitions = field!(self.ram.rdata_o[0], access::PARTITIONS);
        self.transfer_o.program = self.ram.rdata_o[0].get_bit(access::REGION.lsb);
        self.transfer_o.zero = self.ram.rdata_o[0].get_bits::<8>(10);
        self.transfer_o.index = self.ram.rdata_o[0].get_bits::<10>(18);
        self.transfer_o.place = self.ram.rdata_o[1].get_bits::<15>(0);
        self.transfer_o.partition = self.ram.rdata_o[1].get_bits::<8>(16);
        self.transfer_o.count[0] = field!(self.ram.rdata_o[2], x::COUNT).get_bits::<16>(0);
        for i in 0..3 {
            if i > 0 {
                self.transfer_o.count[i] = field!(self.ram.rdata_o[2 * i + 1], outer::COUNT);
                self.transfer_o.pitch[i - 1] = self.ram.rdata_o[2 * i + 2].get_bits::<29>(0);
                self.transfer_o.step[i] = field!(self.ram.rdata_o[2 * i + 1], outer::STEP);
            } else {
                self.transfer_o.step[i] = field!(self.ram.rdata_o[2], x::STEP);
            }
        }
        self.address_o = self.ram.rdata_o[7];
    }
}
