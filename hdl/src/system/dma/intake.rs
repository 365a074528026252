//! The way of commands into the queues.

use super::TransferCheck;
use crate::control::MoveOrder;
use heddle_arch::transfer::access;
use heddle_kernel::prelude::*;

/// Two words of a job entry on their way.
#[bundle]
pub struct EntryPair {
    /// There are two words.
    pub valid: Bit,
    /// Half the number of the first one.
    pub place: Bits<3>,
    /// The first one.
    pub low: Bits<32>,
    /// The one behind it.
    pub high: Bits<32>,
    /// The entry is a STORE.
    pub store: Bit,
    /// Its ring index.
    pub index: Bits<10>,
}

/// Words of a command on their way into the free place of a queue.
#[bundle]
pub struct TransferWrite<const W: usize> {
    /// This word is there.
    pub takes: [Bit; 8],
    /// What a queue keeps of each.
    pub data: [Bits<W>; 8],
    /// The command is one of the program.
    pub program: Bit,
    /// It is for a memory that is written past the waves: parameters, row or activation tables.
    pub past: Bit,
}

/// Brings the words of commands to the queues, checks them, and makes the address at which they begin in memory.
///
/// Entries of the job list come two words in a cycle, instructions of the program one; they never come together. What the words say
/// stands in the free places of both queues then: who gave them tells one of these that the command enters.
///
/// # Timing
/// Combinational, but for what word 1 says of those behind it.
#[module]
pub struct TransferIntake<const A: usize, const W: usize> {
    /// Words of an entry.
    pub entry_i: EntryPair<In>,
    /// A word of an instruction.
    pub move_i: [MoveOrder<In>; moves],
    /// Lower halves of the regions.
    pub region_low_i: [Signal<In, Bits<32>>; 4],
    /// Upper halves of the regions.
    pub region_high_i: [Signal<In, Bits<8>>; 4],
    /// The words may enter a queue, see [`TransferCheck`].
    pub ok_o: Signal<Out, Bit>,
    /// What the queues take.
    pub write_o: TransferWrite<Out, W>,
    #[new(TransferCheck::new(moves))]
    check: TransferCheck,
    region: RegData<Bits<2>>,
    even: Signal<Local, Bits<32>>,
    odd: Signal<Local, Bits<32>>,
    takes: [Signal<Local, Bit>; 8],
    origin: Signal<Local, Bits<16>>,
    base: Signal<Local, Bits<A>>,
    /// Programs have LOAD and STORE.
    _moves: Feature<"mv">,
    /// Bits of an address.
    _address_bits: Generic<'a', A>,
}

#[kernel]
impl<const A: usize, const W: usize> TransferIntake<A, W> {
    fn update(&mut self) {
        self.words();
        self.base();
        self.write();
    }

    fn words(&mut self) {
        self.even = self.entry_i.low;
        self.odd = self.entry_i.high;
        self.origin = bit_cast::<16, 10>(self.entry_i.index);
        self.check.store_i = self.entry_i.store;
        self.write_o.program = false;
        for i in 0..8 {
            self.takes[i] =
                self.entry_i.valid & (self.entry_i.place == ((i + 1) >> 1).to_bits::<3>());
        }
        for k in 0..self._moves {
            self.check.program_i[k] = self.move_i[k].valid;
            self.write_o.program = self.move_i[k].valid;
            if self.move_i[k].valid {
                self.even = self.move_i[k].word;
                self.odd = self.move_i[k].word;
                self.origin = self.move_i[k].pc;
                self.check.store_i = self.move_i[k].store;
                for i in 0..8 {
                    self.takes[i] = self.move_i[k].left == (7 - i).to_bits::<3>();
                }
            }
        }
        self.check.even_i = self.even;
        self.check.odd_i = self.odd;
        self.check.takes_i.follow(&self.takes);
        self.ok_o = self.check.ok_o;
    }

    /// Word 1 has named the region of word 2.
    fn base(&mut self) {
        self.region
            .load(self.takes[0], field!(self.odd, access::REGION));
        self.base = 0.into();
        for i in 0..4 {
            if self.region == i.to_bits::<2>() {
                self.base = bit_cast::<A, 32>(self.region_low_i[i])
                    | (bit_cast::<A, 8>(self.region_high_i[i]) << 32);
            }
        }
    }

    fn write(&mut self) {
        for i in 0..8 {
            self.write_o.takes[i] = self.takes[i];
        }
        self.write_o.past = self.check.past_o;
        // The region is known by its base: one of its bits says whose the command is.
        let low = bit_cast::<W, 10>(self.odd.get_bits::<10>(0));
        let zero = bit_cast::<W, 8>(field!(self.odd, access::ZERO)) << 10;
        let whose = bit_cast::<W, 10>(self.origin.get_bits::<10>(0)) << 18;
        self.write_o.data[0] =
            (low.replace_bit(access::REGION.lsb, self.write_o.program)) | (zero) | (whose);
        self.write_o.data[1] =
            (bit_cast::<W, A>(self.base >> 3)) + self.even.get_bits::<29>(3).get_bits::<W>(0);
        let place = bit_cast::<W, 24>(self.odd.get_bits::<24>(0));
        let whose = bit_cast::<W, 6>(self.origin.get_bits::<6>(10)) << 24;
        self.write_o.data[2] = (place) | (whose);
        self.write_o.data[3] = self.even.get_bits::<29>(0).get_bits::<W>(0);
        self.write_o.data[4] = self.odd.get_bits::<29>(0).get_bits::<W>(0);
        self.write_o.data[5] = self.even.get_bits::<29>(3).get_bits::<W>(0);
        self.write_o.data[6] = self.odd.get_bits::<29>(0).get_bits::<W>(0);
        self.write_o.data[7] = self.even.get_bits::<29>(3).get_bits::<W>(0);
    }
}
