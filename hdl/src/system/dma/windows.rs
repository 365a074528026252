//! The pages that the DMA may reach.

use heddle_kernel::prelude::*;

/// A write of a register of a window.
#[bundle]
pub struct WindowWrite {
    /// Writes BASE.
    pub base: Bit,
    /// Writes LIMIT.
    pub limit: Bit,
    /// Writes CTRL.
    pub ctrl: Bit,
    /// Number of the window.
    pub window: Bits<2>,
    /// First or last page, or permissions: read in bit 0, write in bit 1.
    pub data: Bits<28>,
}

/// Four windows of pages, and two who ask whether a page lies in one: 0 to read, 1 to write.
///
/// BASE and LIMIT are first and last page, both in the window. A window without permission is as if it was not there; after a reset
/// none has one. BASE and LIMIT are written while nobody asks.
///
/// # Timing
/// The windows are compared one in a cycle: window n answers n + 3 cycles after `ask_i`, a page that is not open six, if the other one does not ask, and at most
/// six cycles later if it does. `ask_i` stays until then.
#[module]
pub struct Windows<const W: usize> {
    /// Forgets who asks.
    pub clear_i: Signal<In, Bit>,
    /// Writes a register.
    pub write_i: WindowWrite<In>,
    /// Permissions to read and to write of each window.
    pub permits: [OutRegEn<Bits<2>>; 4],
    /// Somebody asks.
    pub ask_i: [Signal<In, Bit>; 2],
    /// Word address, of which the page is looked at; with its top bit there is no such page.
    pub addr_i: [Signal<In, Bits<W>>; 2],
    /// The answer.
    pub done: [OutReg<Bit>; 2],
    /// The page is open.
    pub open_o: Signal<Out, Bit>,
    #[new(Ram1r1w::new(1, 4).passing())]
    bases: Ram1r1w<2, 28>,
    #[new(Ram1r1w::new(1, 4).passing())]
    limits: Ram1r1w<2, 28>,
    /// A page is compared.
    works: Reg<Bit>,
    /// Who asked.
    who: RegData<Bit>,
    /// What was asked for.
    word: RegData<Bits<W>>,
    /// The window that is read.
    at: Reg<Bits<3>>,
    /// The window that is compared, and whether there is one.
    compares: Reg<Bit>,
    compared: Delay<Bits<2>>,
    hit: Reg<Bit>,
    page: Signal<Local, Bits<28>>,
    permit: Signal<Local, Bit>,
    hits: Signal<Local, Bit>,
    begins: Signal<Local, Bit>,
    ends: Signal<Local, Bit>,
    /// Bits of a word address with its carry.
    _width: Generic<'n', W>,
}

#[kernel]
impl<const W: usize> Windows<W> {
    fn update(&mut self) {
        self.write();
        self.turn();
        self.compare();
    }

    fn write(&mut self) {
        self.bases.wen_i = self.write_i.base;
        self.bases.waddr_i = self.write_i.window;
        self.bases.wdata_i[0] = self.write_i.data;
        self.limits.wen_i = self.write_i.limit;
        self.limits.waddr_i = self.write_i.window;
        self.limits.wdata_i[0] = self.write_i.data;
        for i in 0..4 {
            self.permits[i].load(
                self.write_i.ctrl & (self.write_i.window == i.to_bits::<2>()),
                self.write_i.data.get_bits::<2>(0),
            );
        }
    }

    /// Whose turn it is: if both ask, that of the one who did not have the last.
    fn turn(&mut self) {
        let first = self.ask_i[0] & !self.done[0];
        let second = self.ask_i[1] & !self.done[1];
        self.begins = !self.works & ((first) | (second)) & !self.clear_i;
        let takes_second = (second) & (!(first) | !self.who);
        self.who.load(self.begins, takes_second);
        self.word.load(
            self.begins,
            mux(takes_second, self.addr_i[1], self.addr_i[0]),
        );
        self.ends = self.works & (self.at.get_bit(2) | self.hits);
        self.works = (self.begins | (self.works & !self.ends)) & !self.clear_i;
        self.at = mux(self.works, self.at + 1, 0.into());
        self.done[0] = self.ends & !self.who & !self.clear_i;
        self.done[1] = self.ends & self.who & !self.clear_i;
    }

    fn compare(&mut self) {
        let reads = self.works & !self.at.get_bit(2);
        self.bases.ren_i = reads;
        self.bases.raddr_i = self.at.get_bits::<2>(0);
        self.limits.ren_i = reads;
        self.limits.raddr_i = self.at.get_bits::<2>(0);
        self.compares = reads;
        self.compared = self.at.get_bits::<2>(0);
        self.page = bit_cast::<28, W>(self.word >> 9);
        self.permit = false;
        for i in 0..4 {
            if self.compared == i.to_bits::<2>() {
                self.permit = mux(
                    self.who,
                    self.permits[i].get_bit(1),
                    self.permits[i].get_bit(0),
                );
            }
        }
        let lies_in = (self.page >= self.bases.rdata_o[0])
            & (self.page <= self.limits.rdata_o[0])
            & !(self.word >> (W - 1).to_bits::<6>()).get_bit(0);
        self.hits = self.compares & self.permit & lies_in;
        self.hit = !self.begins & (self.hit | self.hits);
        self.open_o = self.hit;
    }
}
