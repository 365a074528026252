//! The results buffer: where partial sums of several K tiles are added up.

use super::PsumColumn;
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
    /// The slot holds a result.
    pub valid_i: Signal<In, Bit>,
    /// Bank.
    pub bank_i: Signal<In, Bit>,
    /// Address in the bank.
    pub addr_i: Signal<In, Bits<12>>,
    /// Add the stored sum.
    pub add_i: Signal<In, Bit>,
    /// Add the sum of the array.
    pub sum_en_i: Signal<In, Bit>,
    /// Store the result.
    pub write_i: Signal<In, Bit>,
    /// Slot to the next column: holds a result.
    pub valid: OutReg<Bit>,
    /// Bank for the next column.
    pub bank: OutDelay<Bit>,
    /// Address for the next column.
    pub addr: OutDelay<Bits<12>>,
    /// Add flag for the next column.
    pub add: OutDelay<Bit>,
    /// Sum flag for the next column.
    pub sum_en: OutDelay<Bit>,
    /// Store flag for the next column.
    pub write: OutDelay<Bit>,
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
    /// Its stored sum, unless that is the result of the slot before.
    stored: Delay<Bits<32>>,
    /// Result.
    pub acc: OutRegData<Bits<32>>,
    #[new(Ram1r1w::new(1, 2 * depth))]
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
}

#[kernel]
impl ResultColumn {
    fn update(&mut self) {
        // The wave
        self.valid = self.valid_i;
        self.bank = self.bank_i;
        self.addr = self.addr_i;
        self.add = self.add_i;
        self.sum_en = self.sum_en_i;
        self.write = self.write_i;

        // Memory read, and the slots whose results are not in the memory yet
        self.slot_addr = (bit_cast::<13, 12>(self.addr_i) << 1).replace_bit(0, self.bank_i);
        self.last_addr = (bit_cast::<13, 12>(self.addr) << 1).replace_bit(0, self.bank);
        self.store = self.sums & self.sums_write;
        self.meets_write = self.store & (self.slot_addr == self.sums_addr);
        self.is_last[0] = self.add_i & self.valid & self.write & (self.slot_addr == self.last_addr);
        self.is_last[1] = self.is_last[0];
        self.is_second_last = self.meets_write;
        self.ram.ren_i = self.valid_i & self.add_i & !self.meets_write;
        self.ram.raddr_i = self.slot_addr;

        // The stored sum; results of the slots between are those of `acc`, a cycle or two later
        self.stored = 0.into();
        if self.add {
            self.stored = mux(self.is_second_last, self.acc, self.ram.rdata_o[0]);
        }
        self.sums = self.valid;
        self.sums_addr = self.last_addr;
        self.sums_sum_en = self.sum_en;
        self.sums_write = self.write;

        // Sum
        self.stored_sum = mux(self.is_last[1], self.acc, self.stored);
        self.array_sum = mux(self.sums_sum_en, self.sum_i, 0.into());
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
    /// The slot holds a result.
    pub valid_i: Signal<In, Bit>,
    /// Bank.
    pub bank_i: Signal<In, Bit>,
    /// Address in the bank.
    pub addr_i: Signal<In, Bits<12>>,
    /// Add the stored sums.
    pub add_i: Signal<In, Bit>,
    /// Add the sums of the array.
    pub sum_en_i: Signal<In, Bit>,
    /// Store the results.
    pub write_i: Signal<In, Bit>,
    /// Sums leaving the array, one per column.
    pub sum_i: [Signal<In, Bits<32>>; cols],
    /// Results, one per column.
    pub acc_o: [Signal<Out, Bits<32>>; cols],
    /// With sums at the top: bank of the slot of `add_i`, which is at the top.
    pub add_bank_i: Vec<Signal<In, Bit>>,
    /// With sums at the top: its address in the bank.
    pub add_addr_i: Vec<Signal<In, Bits<12>>>,
    /// Stored sums to the top of the array, one per column: that of a slot two cycles behind `add_i`, else 0.
    pub psum_o: Vec<Signal<Out, Bits<32>>>,
    #[new(ResultColumn::new(depth))]
    column: [ResultColumn; cols],
    psum_column: Vec<PsumColumn>,
    valid: [Signal<Local, Bit>; cols + 1],
    bank: [Signal<Local, Bit>; cols + 1],
    addr: [Signal<Local, Bits<12>>; cols + 1],
    add: [Signal<Local, Bit>; cols + 1],
    sum_en: [Signal<Local, Bit>; cols + 1],
    write: [Signal<Local, Bit>; cols + 1],
    add_bank: Vec<Signal<Local, Bit>>,
    add_addr: Vec<Signal<Local, Bits<12>>>,
    /// Columns.
    _cols: Param<'c'>,
    /// Sums in each bank.
    _depth: Param<'d'>,
    /// Columns that add at the foot: all or none.
    #[new(cols)]
    _foot: usize,
    /// Columns whose stored sums enter the array at the top.
    #[new(0)]
    _top: Feature<"ps">,
}

impl ResultsBuffer {
    /// The same size, but stored sums enter the array at the top: `add_i` begins a wave of its own.
    pub fn with_sums_at_top(self) -> Self {
        let (cols, depth) = (self._cols, self._depth);
        Self {
            add_bank_i: v(1),
            add_addr_i: v(1),
            psum_o: v(cols),
            column: Vec::new(),
            psum_column: (0..cols).map(|_| PsumColumn::new(depth)).collect(),
            sum_en: Vec::new(),
            add_bank: v(cols + 1),
            add_addr: v(cols + 1),
            _foot: 0,
            _top: cols,
            ..self
        }
    }
}

#[kernel]
impl ResultsBuffer {
    fn update(&mut self) {
        // At the top there is nothing but the sum of the array to be taken.
        self.valid[0] = mux(self._top > 0, self.valid_i & self.sum_en_i, self.valid_i);
        self.bank[0] = self.bank_i;
        self.addr[0] = self.addr_i;
        self.add[0] = self.add_i;
        if self._top > 0 {
            self.add_bank[0] = self.add_bank_i[0];
            self.add_addr[0] = self.add_addr_i[0];
        } else {
            self.sum_en[0] = self.sum_en_i;
        }
        self.write[0] = self.write_i;
        for i in 0..self._foot {
            self.column[i].valid_i = self.valid[i];
            self.column[i].bank_i = self.bank[i];
            self.column[i].addr_i = self.addr[i];
            self.column[i].add_i = self.add[i];
            self.column[i].sum_en_i = self.sum_en[i];
            self.column[i].write_i = self.write[i];
            self.column[i].sum_i = self.sum_i[i];
            self.valid[i + 1] = self.column[i].valid_o;
            self.bank[i + 1] = self.column[i].bank_o;
            self.addr[i + 1] = self.column[i].addr_o;
            self.add[i + 1] = self.column[i].add_o;
            self.sum_en[i + 1] = self.column[i].sum_en_o;
            self.write[i + 1] = self.column[i].write_o;
            self.acc_o[i] = self.column[i].acc_o;
        }
        for i in 0..self._top {
            self.psum_column[i].read_i = self.add[i];
            self.psum_column[i].read_bank_i = self.add_bank[i];
            self.psum_column[i].read_addr_i = self.add_addr[i];
            self.psum_column[i].valid_i = self.valid[i];
            self.psum_column[i].bank_i = self.bank[i];
            self.psum_column[i].addr_i = self.addr[i];
            self.psum_column[i].write_i = self.write[i];
            self.psum_column[i].sum_i = self.sum_i[i];
            self.add[i + 1] = self.psum_column[i].read_o;
            self.add_bank[i + 1] = self.psum_column[i].read_bank_o;
            self.add_addr[i + 1] = self.psum_column[i].read_addr_o;
            self.valid[i + 1] = self.psum_column[i].valid_o;
            self.bank[i + 1] = self.psum_column[i].bank_o;
            self.addr[i + 1] = self.psum_column[i].addr_o;
            self.write[i + 1] = self.psum_column[i].write_o;
            self.psum_o[i] = self.psum_column[i].psum_o;
            self.acc_o[i] = self.psum_column[i].acc_o;
        }
    }
}
