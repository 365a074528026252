//! The results buffer: where partial sums of several K tiles are added up.

use super::PsumColumn;
use super::waves::*;
use heddle_kernel::prelude::*;

/// One column of the results buffer: adds the sum that leaves the array to a stored one.
///
/// Two banks share one memory; the bank is the lowest bit of the memory address. Sums that are
/// still on their way into the memory are forwarded, so that the same address may be used
/// again after any number of cycles.
///
/// # Timing
/// Slot (`valid_i`, `bank_i`, `addr_i`, `add_i`, `sum_en_i`, `write_i`) in cycle T: the memory
/// is read in T and stands in a register in T+2, `sum_i` is taken in T+2, `acc_o` is (stored sum if `add_i`) +
/// (`sum_i` if `sum_en_i`) in T+3, written at the end of T+2 if `write_i`. `acc_o` holds its value in the
/// cycles of empty slots. The slot is on the outputs for the next column in T+1. Sums wrap at
/// 32 bits.
#[module]
pub struct ResultColumn {
    /// Slot of the results wave.
    #[new(raises)]
    pub wave: Wave<ResultSlot>,
    /// Sum leaving the array.
    pub sum_i: Signal<In, Bits<32>>,
    /// The stored sum is the result of the slot before.
    is_last: [Delay<Bit>; 2],
    /// The stored sum is the result of the slot before that one.
    is_second_last: Delay<Bit>,
    /// The slot that is added up.
    sums: Reg<Bit>,
    sums_addr: Delay<Bits<13>>,
    sums_sum_en: Delay<Bit>,
    sums_write: Delay<Bit>,
    sums_raised: [Delay<Bit>; raises],
    /// Its stored sum, unless that is the result of the slot before.
    stored: Delay<Bits<32>>,
    /// Result.
    pub acc: OutRegData<Bits<32>>,
    #[new(Ram1r1w::new(1, 2 * depth).passing())]
    ram: Ram1r1w<13, 32>,
    /// Memory address of the slot.
    slot_addr: Signal<Local, Bits<13>>,
    /// Memory address of the slot before.
    last_addr: Signal<Local, Bits<13>>,
    /// A result is stored in this cycle.
    store: Signal<Local, Bit>,
    /// The memory is written at the address of the slot in this cycle: not read, forwarded.
    meets_write: Signal<Local, Bit>,
    stored_sum: Signal<Local, Bits<32>>,
    array_sum: Signal<Local, Bits<32>>,
    result: Signal<Local, Bits<32>>,
    /// Sums in each bank.
    _depth: Param<'d'>,
    /// Sums of the array may be raised.
    _raises: Feature<"ds">,
}

#[kernel]
impl ResultColumn {
    fn update(&mut self) {
        self.wave.pass_on();

        // Memory read, and the slots whose results are not in the memory yet
        self.slot_addr =
            (bit_cast::<13, 12>(self.wave_i.addr) << 1).replace_bit(0, self.wave_i.bank);
        self.last_addr = (bit_cast::<13, 12>(self.wave.addr) << 1).replace_bit(0, self.wave.bank);
        self.store = self.sums & self.sums_write;
        self.meets_write = self.store & (self.slot_addr == self.sums_addr);
        self.is_last[0] = self.wave_i.add
            & self.wave.valid
            & self.wave.write
            & (self.slot_addr == self.last_addr);
        self.is_last[1] = self.is_last[0];
        self.is_second_last = self.meets_write;
        self.ram.ren_i = self.wave_i.valid & self.wave_i.add & !self.meets_write;
        self.ram.raddr_i = self.slot_addr;

        // The stored sum; results of the slots between are those of `acc`, a cycle or two later
        self.stored = 0.into();
        if self.wave.add {
            self.stored = mux(self.is_second_last, self.acc, self.ram.rdata_o[0]);
        }
        self.sums = self.wave.valid;
        self.sums_addr = self.last_addr;
        self.sums_sum_en = self.wave.sum_en;
        self.sums_write = self.wave.write;
        self.sums_raised.follow(&self.wave.raised);

        // Sum
        self.stored_sum = mux(self.is_last[1], self.acc, self.stored);
        self.array_sum = mux(self.sums_sum_en, self.sum_i, 0.into());
        for i in 0..self._raises {
            if self.sums_sum_en & self.sums_raised[i] {
                self.array_sum = (self.sum_i << 17).replace_bit(16, true);
            }
        }
        self.result = self.stored_sum + self.array_sum;
        self.acc.load(self.sums, self.result);

        // Memory write
        self.ram.wen_i = self.store;
        self.ram.waddr_i = self.sums_addr;
        self.ram.wdata_i[0] = self.result;
    }
}

/// The results buffer: one column per column of the array. A wave that enters column 0 in
/// cycle T reaches column c in T+c.
///
/// # Timing
/// Slot in cycle T: column c takes `sum_i` in T+c+2 and shows the result on `acc_o` in T+c+3; with sums at the top
/// each a cycle earlier.
#[module]
pub struct ResultsBuffer {
    /// Slot of the results wave.
    #[new(ResultSlot::new(raises))]
    pub wave_i: ResultSlot<In>,
    /// Sums leaving the array, one per column.
    pub sum_i: [Signal<In, Bits<32>>; cols],
    /// Results, one per column.
    pub acc_o: [Signal<Out, Bits<32>>; cols],
    /// With sums at the top: bank of the slot of `add_i`, which is at the top.
    pub add_bank_i: [Signal<In, Bit>; has_top],
    /// With sums at the top: its address in the bank.
    pub add_addr_i: [Signal<In, Bits<12>>; has_top],
    /// Stored sums to the top of the array, one per column: that of a slot two cycles behind `add_i`, else 0.
    pub psum_o: [Signal<Out, Bits<32>>; top],
    #[new(ResultColumn::new(depth, raises))]
    column: [ResultColumn; foot],
    #[new(PsumColumn::new(depth, raises))]
    psum_column: [PsumColumn; top],
    #[new(ResultSlot::new(raises))]
    wave: [ResultSlot<Local>; foot + 1 - has_top],
    read: [SumSlot<Local>; top + has_top],
    store: [SumSlot<Local>; top + has_top],
    write: [Signal<Local, Bit>; top + has_top],
    raised: [[Signal<Local, Bit>; raises]; top + has_top],
    /// Columns.
    _cols: Param<'c'>,
    /// Sums in each bank.
    _depth: Param<'d'>,
    /// Stored sums enter the array at the top: `add_i` begins a wave of its own.
    #[argument]
    _at_top: bool,
    #[new(at_top.into())]
    _has_top: usize,
    /// Columns that add at the foot: all or none.
    #[new(cols * (1 - has_top))]
    _foot: usize,
    /// Columns whose stored sums enter the array at the top.
    #[new(cols * has_top)]
    _top: Feature<"ps">,
    /// Sums of the array may be raised.
    _raises: Feature<"ds">,
}

#[kernel]
impl ResultsBuffer {
    fn update(&mut self) {
        if self._has_top > 0 {
            // At the foot there is nothing but the sum of the array to be taken.
            self.store[0].valid = self.wave_i.valid & self.wave_i.sum_en;
            self.store[0].bank = self.wave_i.bank;
            self.store[0].addr = self.wave_i.addr;
            self.write[0] = self.wave_i.write;
            self.raised[0].follow(&self.wave_i.raised);
            self.read[0].valid = self.wave_i.add;
            self.read[0].bank = self.add_bank_i[0];
            self.read[0].addr = self.add_addr_i[0];
        } else {
            self.wave[0].follow(&self.wave_i);
        }
        for i in 0..self._foot {
            self.column[i].wave_i.follow(&self.wave[i]);
            self.column[i].sum_i = self.sum_i[i];
            self.wave[i + 1].follow(&self.column[i].wave_o);
            self.acc_o[i] = self.column[i].acc_o;
        }
        for i in 0..self._top {
            self.psum_column[i].read_i.follow(&self.read[i]);
            self.psum_column[i].wave_i.follow(&self.store[i]);
            self.psum_column[i].write_i = self.write[i];
            self.psum_column[i].raised_i.follow(&self.raised[i]);
            self.psum_column[i].sum_i = self.sum_i[i];
            self.read[i + 1].follow(&self.psum_column[i].read_o);
            self.store[i + 1].follow(&self.psum_column[i].wave_o);
            self.write[i + 1] = self.psum_column[i].write_o;
            self.raised[i + 1].follow(&self.psum_column[i].raised_o);
            self.psum_o[i] = self.psum_column[i].psum_o;
            self.acc_o[i] = self.psum_column[i].acc_o;
        }
    }
}
