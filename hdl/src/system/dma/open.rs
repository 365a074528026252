//! Bursts that have been announced and not answered.

use heddle_kernel::prelude::*;

/// Keeps the bursts of one direction in the order in which they were announced, which is that of the answers.
///
/// # Timing
/// A burst that enters in cycle t counts in `count_o` from t + 1 on, and is on the outputs from t + 2 on, if it is the first one. With
/// `leaves_i` the next one is there a cycle later, if it entered two cycles before.
#[module]
pub struct OpenBursts<const W: usize> {
    /// A burst is announced; there is room.
    pub enters_i: Signal<In, Bit>,
    /// Its word address.
    pub addr_i: Signal<In, Bits<W>>,
    /// What else is to be known of it.
    pub note_i: Signal<In, Bits<9>>,
    /// The first burst is answered.
    pub leaves_i: Signal<In, Bit>,
    /// Bursts that are open.
    pub count: OutReg<Bits<4>>,
    /// There is room for one more.
    pub room_o: Signal<Out, Bit>,
    /// The first burst is on the outputs.
    pub valid: OutReg<Bit>,
    /// Its word address.
    pub addr_o: Signal<Out, Bits<W>>,
    /// What else is known of it.
    pub note_o: Signal<Out, Bits<9>>,
    #[new(Ram1r1w::new(1, depth.next_power_of_two()))]
    addresses: Ram1r1w<3, W>,
    #[new(Ram1r1w::new(1, depth.next_power_of_two()))]
    notes: Ram1r1w<3, 9>,
    tail: Reg<Bits<3>>,
    head: Reg<Bits<3>>,
    /// The next burst comes to the outputs.
    reads: Signal<Local, Bit>,
    /// Bits of a word address with its carry.
    _width: Generic<'n', W>,
    /// Bursts at most.
    _depth: Param<'d'>,
}

#[kernel]
impl<const W: usize> OpenBursts<W> {
    fn update(&mut self) {
        self.room_o = self.count != self._depth.to_bits::<4>();
        self.count = self.count;
        if self.enters_i & !self.leaves_i {
            self.count = self.count + 1;
        }
        if self.leaves_i & !self.enters_i {
            self.count = self.count - 1;
        }
        self.reads = (self.tail != self.head) & (!self.valid | self.leaves_i);
        self.valid = self.reads | (self.valid & !self.leaves_i);
        self.tail = mux(self.enters_i, self.tail + 1, self.tail);
        self.head = mux(self.reads, self.head + 1, self.head);
        self.addresses.wen_i = self.enters_i;
        self.addresses.waddr_i = self.tail;
        self.addresses.wdata_i[0] = self.addr_i;
        self.addresses.ren_i = self.reads;
        self.addresses.raddr_i = self.head;
        self.addr_o = self.addresses.rdata_o[0];
        self.notes.wen_i = self.enters_i;
        self.notes.waddr_i = self.tail;
        self.notes.wdata_i[0] = self.note_i;
        self.notes.ren_i = self.reads;
        self.notes.raddr_i = self.head;
        self.note_o = self.notes.rdata_o[0];
    }
}
