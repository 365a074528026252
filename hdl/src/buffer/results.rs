//! The results buffer: where partial sums of several K tiles are added up.

use super::PsumColumn;
use crate::prelude::*;

/// One column of the results buffer: adds the sum that leaves the array to a stored one.
///
/// Two banks share one memory; the bank is the lowest bit of the memory address. Sums that are
/// still on their way into the memory are forwarded, so that the same address may be used
/// again after any number of cycles.
///
/// # Timing
/// Slot (`valid_i`, `bank_i`, `addr_i`, `add_i`, `sum_en_i`, `write_i`) in cycle T: the memory
/// is read in T, `sum_i` is taken in T+1, `acc_o` is (stored sum if `add_i`) + (`sum_i` if
/// `sum_en_i`) in T+2, written at the end of T+2 if `write_i`. `acc_o` holds its value in the
/// cycles of empty slots. The slot is on the outputs for the next column in T+1. Sums wrap at
/// 32 bits.
#[derive(LogicBlock)]
pub struct ResultColumn {
    /// Clock.
    pub clk: Signal<In, Clock>,
    /// Reset, active low.
    pub rst_n: Signal<In, Bit>,
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
    pub valid_o: Signal<Out, Bit>,
    /// Bank for the next column.
    pub bank_o: Signal<Out, Bit>,
    /// Address for the next column.
    pub addr_o: Signal<Out, Bits<12>>,
    /// Add flag for the next column.
    pub add_o: Signal<Out, Bit>,
    /// Sum flag for the next column.
    pub sum_en_o: Signal<Out, Bit>,
    /// Store flag for the next column.
    pub write_o: Signal<Out, Bit>,
    /// Sum leaving the array.
    pub sum_i: Signal<In, Bits<32>>,
    /// Result.
    pub acc_o: Signal<Out, Bits<32>>,
    valid: Reg<Bit>,
    bank: Delay<Bit>,
    addr: Delay<Bits<12>>,
    add: Delay<Bit>,
    sum_en: Delay<Bit>,
    write: Delay<Bit>,
    /// The stored sum is the result of the slot before.
    is_last: Delay<Bit>,
    /// The stored sum is the result of the slot before that one.
    is_second_last: Delay<Bit>,
    /// Result of the slot of two cycles ago.
    acc: RegData<Bits<32>>,
    /// Result of the cycle before.
    old_acc: Delay<Bits<32>>,
    store: Reg<Bit>,
    store_addr: Delay<Bits<13>>,
    ram: Ram1r1w<13, 32>,
    /// Memory address of the slot.
    slot_addr: Signal<Local, Bits<13>>,
    /// Memory address of the slot before.
    last_addr: Signal<Local, Bits<13>>,
    /// The slot before is going to be stored.
    last_store: Signal<Local, Bit>,
    /// The memory is written at the address of the slot in this cycle: not read, forwarded.
    meets_write: Signal<Local, Bit>,
    stored_sum: Signal<Local, Bits<32>>,
    array_sum: Signal<Local, Bits<32>>,
    _depth: usize,
}

impl ResultColumn {
    /// A column with `depth` (16..=4096) sums in each bank.
    pub fn new(depth: usize) -> Self {
        Self {
            clk: Default::default(),
            rst_n: Default::default(),
            valid_i: Default::default(),
            bank_i: Default::default(),
            addr_i: Default::default(),
            add_i: Default::default(),
            sum_en_i: Default::default(),
            write_i: Default::default(),
            valid_o: Default::default(),
            bank_o: Default::default(),
            addr_o: Default::default(),
            add_o: Default::default(),
            sum_en_o: Default::default(),
            write_o: Default::default(),
            sum_i: Default::default(),
            acc_o: Default::default(),
            valid: Default::default(),
            bank: Default::default(),
            addr: Default::default(),
            add: Default::default(),
            sum_en: Default::default(),
            write: Default::default(),
            is_last: Default::default(),
            is_second_last: Default::default(),
            acc: Default::default(),
            old_acc: Default::default(),
            store: Default::default(),
            store_addr: Default::default(),
            ram: Ram1r1w::new(1, 2 * depth),
            slot_addr: Default::default(),
            last_addr: Default::default(),
            last_store: Default::default(),
            meets_write: Default::default(),
            stored_sum: Default::default(),
            array_sum: Default::default(),
            _depth: depth,
        }
    }
}

impl Logic for ResultColumn {
    #[hdl_gen]
    fn update(&mut self) {
        // The wave
        self.valid.clk.next = self.clk.val();
        self.valid.rst_n.next = self.rst_n.val();
        self.valid.d_i.next = self.valid_i.val();
        self.valid_o.next = self.valid.q_o.val();
        self.bank.clk.next = self.clk.val();
        self.bank.d_i.next = self.bank_i.val();
        self.bank_o.next = self.bank.q_o.val();
        self.addr.clk.next = self.clk.val();
        self.addr.d_i.next = self.addr_i.val();
        self.addr_o.next = self.addr.q_o.val();
        self.add.clk.next = self.clk.val();
        self.add.d_i.next = self.add_i.val();
        self.add_o.next = self.add.q_o.val();
        self.sum_en.clk.next = self.clk.val();
        self.sum_en.d_i.next = self.sum_en_i.val();
        self.sum_en_o.next = self.sum_en.q_o.val();
        self.write.clk.next = self.clk.val();
        self.write.d_i.next = self.write_i.val();
        self.write_o.next = self.write.q_o.val();

        // Memory read, and the slots whose results are not in the memory yet
        self.slot_addr.next =
            (bit_cast::<13, 12>(self.addr_i.val()) << 1).replace_bit(0, self.bank_i.val());
        self.last_addr.next =
            (bit_cast::<13, 12>(self.addr.q_o.val()) << 1).replace_bit(0, self.bank.q_o.val());
        self.last_store.next = self.valid.q_o.val() & self.write.q_o.val();
        self.meets_write.next =
            self.store.q_o.val() & (self.slot_addr.val() == self.store_addr.q_o.val());
        self.is_last.clk.next = self.clk.val();
        self.is_last.d_i.next =
            self.last_store.val() & (self.slot_addr.val() == self.last_addr.val());
        self.is_second_last.clk.next = self.clk.val();
        self.is_second_last.d_i.next = self.meets_write.val();
        self.ram.clk.next = self.clk.val();
        self.ram.ren_i.next = self.valid_i.val() & self.add_i.val() & !self.meets_write.val();
        self.ram.raddr_i.next = self.slot_addr.val();

        // Sum
        self.stored_sum.next = 0.into();
        if self.add.q_o.val() {
            self.stored_sum.next = self.ram.rdata_o[0].val();
            if self.is_last.q_o.val() {
                self.stored_sum.next = self.acc.q_o.val();
            } else if self.is_second_last.q_o.val() {
                self.stored_sum.next = self.old_acc.q_o.val();
            }
        }
        self.array_sum.next = 0.into();
        if self.sum_en.q_o.val() {
            self.array_sum.next = self.sum_i.val();
        }
        self.acc.clk.next = self.clk.val();
        self.acc.en_i.next = self.valid.q_o.val();
        self.acc.d_i.next = self.stored_sum.val() + self.array_sum.val();
        self.acc_o.next = self.acc.q_o.val();
        self.old_acc.clk.next = self.clk.val();
        self.old_acc.d_i.next = self.acc.q_o.val();

        // Memory write
        self.store.clk.next = self.clk.val();
        self.store.rst_n.next = self.rst_n.val();
        self.store.d_i.next = self.last_store.val();
        self.store_addr.clk.next = self.clk.val();
        self.store_addr.d_i.next = self.last_addr.val();
        self.ram.wen_i.next = self.store.q_o.val();
        self.ram.waddr_i.next = self.store_addr.q_o.val();
        self.ram.wdata_i[0].next = self.acc.q_o.val();
    }
    module!(|this| Meta::module("result_column").param(
        "depth",
        "d",
        this._depth,
        "sums in each bank"
    ));
}

/// The results buffer: one column per column of the array. A wave that enters column 0 in
/// cycle T reaches column c in T+c.
///
/// # Timing
/// Slot in cycle T: column c takes `sum_i` in T+c+1 and shows the result on `acc_o` in T+c+2.
#[derive(LogicBlock)]
pub struct ResultsBuffer {
    /// Clock.
    pub clk: Signal<In, Clock>,
    /// Reset, active low.
    pub rst_n: Signal<In, Bit>,
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
    pub sum_i: Vec<Signal<In, Bits<32>>>,
    /// Results, one per column.
    pub acc_o: Vec<Signal<Out, Bits<32>>>,
    /// With sums at the top: bank of the slot of `add_i`, which is at the top.
    pub add_bank_i: Vec<Signal<In, Bit>>,
    /// With sums at the top: its address in the bank.
    pub add_addr_i: Vec<Signal<In, Bits<12>>>,
    /// Stored sums to the top of the array, one per column: that of a slot two cycles behind `add_i`, else 0.
    pub psum_o: Vec<Signal<Out, Bits<32>>>,
    column: Vec<ResultColumn>,
    psum_column: Vec<PsumColumn>,
    valid: Vec<Signal<Local, Bit>>,
    bank: Vec<Signal<Local, Bit>>,
    addr: Vec<Signal<Local, Bits<12>>>,
    add: Vec<Signal<Local, Bit>>,
    sum_en: Vec<Signal<Local, Bit>>,
    write: Vec<Signal<Local, Bit>>,
    add_bank: Vec<Signal<Local, Bit>>,
    add_addr: Vec<Signal<Local, Bits<12>>>,
    _cols: usize,
    _depth: usize,
    /// Columns that add at the foot: all or none.
    _foot: usize,
    /// Columns whose sums enter the array at the top: none or all.
    _top: usize,
}

impl ResultsBuffer {
    /// `cols` columns with `depth` (16..=4096) sums in each bank.
    pub fn new(cols: usize, depth: usize) -> Self {
        Self {
            clk: Default::default(),
            rst_n: Default::default(),
            valid_i: Default::default(),
            bank_i: Default::default(),
            addr_i: Default::default(),
            add_i: Default::default(),
            sum_en_i: Default::default(),
            write_i: Default::default(),
            sum_i: v(cols),
            acc_o: v(cols),
            add_bank_i: Vec::new(),
            add_addr_i: Vec::new(),
            psum_o: Vec::new(),
            column: (0..cols).map(|_| ResultColumn::new(depth)).collect(),
            psum_column: Vec::new(),
            valid: v(cols + 1),
            bank: v(cols + 1),
            addr: v(cols + 1),
            add: v(cols + 1),
            sum_en: v(cols + 1),
            write: v(cols + 1),
            add_bank: Vec::new(),
            add_addr: Vec::new(),
            _cols: cols,
            _depth: depth,
            _foot: cols,
            _top: 0,
        }
    }

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

impl Logic for ResultsBuffer {
    #[hdl_gen]
    fn update(&mut self) {
        // At the top there is nothing but the sum of the array to be taken.
        if self._top > 0 {
            self.valid[0].next = self.valid_i.val() & self.sum_en_i.val();
        } else {
            self.valid[0].next = self.valid_i.val();
        }
        self.bank[0].next = self.bank_i.val();
        self.addr[0].next = self.addr_i.val();
        self.add[0].next = self.add_i.val();
        if self._top > 0 {
            self.add_bank[0].next = self.add_bank_i[0].val();
            self.add_addr[0].next = self.add_addr_i[0].val();
        } else {
            self.sum_en[0].next = self.sum_en_i.val();
        }
        self.write[0].next = self.write_i.val();
        for i in 0..self._foot {
            self.column[i].clk.next = self.clk.val();
            self.column[i].rst_n.next = self.rst_n.val();
            self.column[i].valid_i.next = self.valid[i].val();
            self.column[i].bank_i.next = self.bank[i].val();
            self.column[i].addr_i.next = self.addr[i].val();
            self.column[i].add_i.next = self.add[i].val();
            self.column[i].sum_en_i.next = self.sum_en[i].val();
            self.column[i].write_i.next = self.write[i].val();
            self.column[i].sum_i.next = self.sum_i[i].val();
            self.valid[i + 1].next = self.column[i].valid_o.val();
            self.bank[i + 1].next = self.column[i].bank_o.val();
            self.addr[i + 1].next = self.column[i].addr_o.val();
            self.add[i + 1].next = self.column[i].add_o.val();
            self.sum_en[i + 1].next = self.column[i].sum_en_o.val();
            self.write[i + 1].next = self.column[i].write_o.val();
            self.acc_o[i].next = self.column[i].acc_o.val();
        }
        for i in 0..self._top {
            self.psum_column[i].clk.next = self.clk.val();
            self.psum_column[i].rst_n.next = self.rst_n.val();
            self.psum_column[i].read_i.next = self.add[i].val();
            self.psum_column[i].read_bank_i.next = self.add_bank[i].val();
            self.psum_column[i].read_addr_i.next = self.add_addr[i].val();
            self.psum_column[i].valid_i.next = self.valid[i].val();
            self.psum_column[i].bank_i.next = self.bank[i].val();
            self.psum_column[i].addr_i.next = self.addr[i].val();
            self.psum_column[i].write_i.next = self.write[i].val();
            self.psum_column[i].sum_i.next = self.sum_i[i].val();
            self.add[i + 1].next = self.psum_column[i].read_o.val();
            self.add_bank[i + 1].next = self.psum_column[i].read_bank_o.val();
            self.add_addr[i + 1].next = self.psum_column[i].read_addr_o.val();
            self.valid[i + 1].next = self.psum_column[i].valid_o.val();
            self.bank[i + 1].next = self.psum_column[i].bank_o.val();
            self.addr[i + 1].next = self.psum_column[i].addr_o.val();
            self.write[i + 1].next = self.psum_column[i].write_o.val();
            self.psum_o[i].next = self.psum_column[i].psum_o.val();
            self.acc_o[i].next = self.psum_column[i].acc_o.val();
        }
    }
    module!(|this| Meta::module("results_buffer")
        .param("cols", "c", this._cols, "columns")
        .param("depth", "d", this._depth, "sums in each bank")
        .feature(
            "top",
            "ps",
            this._top,
            "columns whose stored sums enter the array at the top"
        )
        .silent("foot", this._foot));
}
