//! Issue unit of the sums wave: which stored sums enter the array at the top, and when they are there.

use super::clocks::{RESULTS, STORED};
use heddle_kernel::prelude::*;

/// Sends the result addresses of slots that start from stored sums, and says who has to wait for one.
///
/// A sum is stored {written} cycles after its slot, and read {read} cycles after the slot that starts from
/// it: {between} slots must lie between the two at least. A tile has no gaps and
/// its vectors use addresses 0, 1, 2 and so on, so that all of them are late enough if the first one is. Slots of an
/// epilogue may ask for any address: they wait until the last vector stored is far enough.
///
/// # Timing
/// Slot (`read_i`, `bank_i`, `addr_i`) in the cycle t in which it is accepted: on the outputs in t + 9,
/// which is {read} cycles after the operand wave. A vector stored (`store_i`) in t: `slot_wait_o` is high from t + 1
/// to t + {stored}, `tile_wait_o` if it is the first of its tile (`begin_i`).
#[module(describe)]
pub struct SumsIssue {
    /// A vector is accepted whose sums will be stored.
    pub store_i: Signal<In, Bit>,
    /// A vector that is accepted is the first of its K tile.
    pub begin_i: Signal<In, Bit>,
    /// Cycles until a tile may begin.
    tile_left: Reg<Bits<9>>,
    /// A K tile that starts from stored sums must not begin.
    pub tile_wait: OutReg<Bit>,
    /// Cycles until an epilogue slot may be accepted.
    slot_left: Reg<Bits<9>>,
    /// An epilogue slot must not be accepted.
    pub slot_wait: OutReg<Bit>,
    /// A slot is accepted that starts from stored sums.
    pub read_i: Signal<In, Bit>,
    /// Results bank.
    pub bank_i: Signal<In, Bit>,
    /// Result address.
    pub addr_i: Signal<In, Bits<12>>,
    /// Sums wave: the slot starts from stored sums.
    pub read_o: Signal<Out, Bit>,
    /// Sums wave: results bank.
    pub bank_o: Signal<Out, Bit>,
    /// Sums wave: result address.
    pub addr_o: Signal<Out, Bits<12>>,
    read: [Reg<Bit>; 9],
    bank: [Delay<Bit>; 9],
    addr: [Delay<Bits<12>>; 9],
    /// Rows of the array.
    _rows: Param<'r'>,
}

impl SumsIssue {
    fn describe(&self, meta: Meta) -> Meta {
        let stored = self._rows + STORED;
        meta.number("written", stored + RESULTS)
            .number("read", RESULTS)
            .number("between", stored + 1)
            .number("stored", stored)
    }
}

#[kernel]
impl SumsIssue {
    fn update(&mut self) {
        // The flags are registers beside the counts: they decide about the slot of this cycle.
        self.tile_left = self.tile_left;
        self.tile_wait = (self.tile_left >> 1) != 0;
        if self.tile_left != 0 {
            self.tile_left = self.tile_left - 1;
        }
        if self.store_i & self.begin_i {
            self.tile_left = (self._rows + STORED).to_bits::<9>();
            self.tile_wait = true;
        }
        self.slot_left = self.slot_left;
        self.slot_wait = (self.slot_left >> 1) != 0;
        if self.slot_left != 0 {
            self.slot_left = self.slot_left - 1;
        }
        if self.store_i {
            self.slot_left = (self._rows + STORED).to_bits::<9>();
            self.slot_wait = true;
        }

        self.read.shift_in(self.read_i);
        self.bank.shift_in(self.bank_i);
        self.addr.shift_in(self.addr_i);
        self.read_o = self.read[8];
        self.bank_o = self.bank[8];
        self.addr_o = self.addr[8];
    }
}
