//! The sums of a unit.

use super::waves::*;
use heddle_kernel::prelude::*;

/// Adds products to stored sums, and gives sums to the drain chain, which may clear them.
///
/// A word has one sum for each lane. Reading a word and writing its sums takes four cycles, one word in each. A product
/// whose word is on its way is held until that word is written; a drain is never held, and holds a product of the
/// same cycle. A drain names no word of products that are here or come in the next cycle, nor one that is on its way.
///
/// # Timing
/// Product (`valid_i`, `addr_i`, `value_i`) in cycle T, taken if `hold_o` is low: the word is read
/// in T and written in T+3; a product for it is held in T+1 to T+3. If it is taken, or there is none, a product of T+1 has its address on `next_addr_i`
/// in T: it is compared a cycle before it may be held, so that `hold_o` follows registers and `valid` alone. Drain (`drain_valid_i`, `drain_addr_i`) in T: its word is on
/// `stored_o` in T+2, and is written 0 in T+3 unless `drain_keep_i`. Sums wrap at 32 bits.
#[module]
pub struct UnitSums {
    /// A word of products.
    pub valid_i: Signal<In, Bit>,
    /// Its address.
    pub addr_i: Signal<In, Bits<16>>,
    /// The address of the products behind them.
    pub next_addr_i: Signal<In, Bits<16>>,
    /// The products, two's complement.
    pub value_i: [Signal<In, Bits<17>>; lanes],
    /// The products are not taken in this cycle.
    pub hold_o: Signal<Out, Bit>,
    /// A word that is drained.
    pub drain_i: SumDrain<In>,
    /// Sums of the word that was read two cycles ago.
    pub stored: [OutDelay<Bits<32>>; lanes],
    #[new(Ram1r1w::new(lanes, depth))]
    ram: Ram1r1w<16, 32>,
    /// Words on their way, the one that is read last first.
    busy: [Reg<Bit>; 3],
    /// Their addresses.
    addr: [Delay<Bits<16>>; 3],
    /// They are drained.
    drains: [Delay<Bit>; 2],
    /// They are written.
    writes: [Delay<Bit>; 3],
    /// Products of the word that was read in the cycle before.
    value: [Delay<Bits<17>>; lanes],
    /// Those of the word before that.
    added: [Delay<Bits<17>>; lanes],
    /// Sums that are written.
    result: [Delay<Bits<32>>; lanes],
    /// It is the word of the products.
    meets: [Delay<Bit>; 3],
    #[new(Contract::new("a sum is drained before its last product"))]
    drains_last: Contract,
    holds: Signal<Local, Bit>,
    reads: Signal<Local, Bit>,
    product_addr: Signal<Local, Bits<16>>,
    next_addr: Signal<Local, Bits<16>>,
    read_addr: Signal<Local, Bits<16>>,
    /// Sums of a word.
    _lanes: Param<'g'>,
    /// Words, a power of two.
    _depth: Param<'d'>,
}

#[kernel]
impl UnitSums {
    fn update(&mut self) {
        comment!(
            "Products wait for a drain, and for their own word; higher bits of addresses are not looked at"
        );
        self.product_addr = self.addr_i & (self._depth - 1).to_bits::<16>();
        self.holds =
            self.valid_i & (self.drain_i.valid | self.meets[0] | self.meets[1] | self.meets[2]);
        self.hold_o = self.holds;

        comment!(
            "Whether those behind them will have to wait; those that wait see their word move on"
        );
        self.next_addr = self.next_addr_i & (self._depth - 1).to_bits::<16>();
        self.meets[0] = !self.holds & self.valid_i & (self.next_addr == self.product_addr);
        for i in 0..2 {
            let is_next = self.busy[i] & (self.addr[i] == self.next_addr);
            self.meets[i + 1] = mux(self.holds, self.meets[i], is_next);
        }

        comment!("The word is read");
        self.reads = self.drain_i.valid | (self.valid_i & !self.holds);
        self.read_addr = mux(
            self.drain_i.valid,
            self.drain_i.addr & (self._depth - 1).to_bits::<16>(),
            self.product_addr,
        );
        self.ram.ren_i = self.reads;
        self.ram.raddr_i = self.read_addr;
        self.busy[0] = self.reads;
        self.addr[0] = self.read_addr;
        self.drains[0] = self.drain_i.valid;
        self.writes[0] = !(self.drain_i.valid & self.drain_i.keep);
        for i in 0..2 {
            self.busy[i + 1] = self.busy[i];
            self.addr[i + 1] = self.addr[i];
            self.writes[i + 1] = self.writes[i];
        }
        self.drains[1] = self.drains[0];

        let first = self.busy[0] & !self.drains[0] & (self.addr[0] == self.read_addr);
        let second = self.busy[1] & !self.drains[1] & (self.addr[1] == self.read_addr);
        self.drains_last.holds_i = !(self.drain_i.valid & (first | second));

        comment!("Its sums are added up, or cleared");
        for i in 0..self._lanes {
            self.value[i] = self.value_i[i];
            self.stored[i] = self.ram.rdata_o[i];
            self.added[i] = self.value[i];
            self.result[i] = self.stored[i]
                + unsigned_cast(bit_cast_signed::<32, 17>(signed_cast(self.added[i])));
            if self.drains[1] {
                self.result[i] = 0.into();
            }
            self.ram.wdata_i[i] = self.result[i];
        }
        self.ram.wen_i = self.busy[2] & self.writes[2];
        self.ram.waddr_i = self.addr[2];
    }
}
