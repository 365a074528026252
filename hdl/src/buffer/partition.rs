//! One row of the state buffer.

use super::{BankCount, Banks, EventSum, OperandReader, RowOffset};
use crate::prelude::*;
use crate::sliced::SlicedShape;

/// One row of the state buffer: banks of sliced memory that serve one row of the array with
/// operands and weights.
///
/// Addresses travel from partition to partition, one per clock; data do not. A slot may ask each
/// partition to add an offset of its own, from a table that the host has written. The bank is the
/// upper part of the word address. A bank serves an operand, else a weight, else the host; the
/// control unit sees to it that operands and weights meet in different banks. A weight slot may ask for its
/// word to be copied instead of shifted in. Drain words go before copies and host writes. An address beyond the banks reads 0 and is not written.
///
/// # Timing
/// Operand slot on `op_*_i` in cycle T: the offset is read in T and added in T+1, the bank is read in
/// T+2, `x_o` and `swap_o` in T+6. Weight slot in T: bank read in T, `w_o` and `shift_o` in T+3,
/// also for an inactive row (with any data). A slot that copies has its destination on `wt_dest_i` in T+3 and writes
/// the word there in T+3, if the row is active. Host read in T: answer in T+4. Events are added in
/// the cycle behind the one in which they happen. What travels is on the outputs in T+1; the fault
/// of a slot is on `op_fault_i` in T+1 and on `op_fault_o` in T+2.
#[derive(LogicBlock)]
pub struct Partition {
    /// Clock.
    pub clk: Signal<In, Clock>,
    /// Reset, active low.
    pub rst_n: Signal<In, Bit>,
    /// Operand slot with a tensor address.
    pub op_valid_i: Signal<In, Bit>,
    /// Byte address of the operand, or what else the slot carries.
    pub op_addr_i: Signal<In, Bits<16>>,
    /// Rows still to be served, this one included; the row is active if not 0.
    pub op_rows_i: Signal<In, Bits<9>>,
    /// Largest byte that is not negative.
    pub op_thr_i: Signal<In, Bits<8>>,
    /// The slot must not use a kept word.
    pub op_fresh_i: Signal<In, Bit>,
    /// Swaps the weights behind this slot; also in a slot without operand.
    pub op_swap_i: Signal<In, Bit>,
    /// Carried along for the results end.
    pub op_tag_i: Signal<In, Bits<8>>,
    /// Adds the row's offset to the address.
    pub op_table_i: Signal<In, Bit>,
    /// Entry of the offset.
    pub op_entry_i: Signal<In, Bits<8>>,
    /// An earlier row had no address for the slot of the cycle before: the sum lay beyond its memory.
    pub op_fault_i: Signal<In, Bit>,
    /// Operand slot to the next partition.
    pub op_valid_o: Signal<Out, Bit>,
    /// Address to the next partition.
    pub op_addr_o: Signal<Out, Bits<16>>,
    /// Rows still to be served from the next one on.
    pub op_rows_o: Signal<Out, Bits<9>>,
    /// Threshold to the next partition.
    pub op_thr_o: Signal<Out, Bits<8>>,
    /// Fresh flag to the next partition.
    pub op_fresh_o: Signal<Out, Bit>,
    /// Swap flag to the next partition.
    pub op_swap_o: Signal<Out, Bit>,
    /// Tag to the next partition.
    pub op_tag_o: Signal<Out, Bits<8>>,
    /// Offset flag to the next partition.
    pub op_table_o: Signal<Out, Bit>,
    /// Entry to the next partition.
    pub op_entry_o: Signal<Out, Bits<8>>,
    /// This or an earlier row had none for the slot of two cycles before.
    pub op_fault_o: Signal<Out, Bit>,
    /// Weight slot: a word is shifted in or copied.
    pub wt_valid_i: Signal<In, Bit>,
    /// Byte address of the weight word.
    pub wt_addr_i: Signal<In, Bits<16>>,
    /// Rows still to be served, this one included.
    pub wt_rows_i: Signal<In, Bits<9>>,
    /// The word is copied.
    pub wt_copy_i: Signal<In, Bit>,
    /// Word address of the copy of the slot three cycles before.
    pub wt_dest_i: Signal<In, Bits<13>>,
    /// Weight slot to the next partition.
    pub wt_valid_o: Signal<Out, Bit>,
    /// Address to the next partition.
    pub wt_addr_o: Signal<Out, Bits<16>>,
    /// Rows still to be served from the next one on.
    pub wt_rows_o: Signal<Out, Bits<9>>,
    /// Copy flag to the next partition.
    pub wt_copy_o: Signal<Out, Bit>,
    /// Destination to the next partition.
    pub wt_dest_o: Signal<Out, Bits<13>>,
    /// A word arrives from the drain of the column with the same number.
    pub dr_valid_i: Signal<In, Bit>,
    /// Word address.
    pub dr_word_i: Signal<In, Bits<13>>,
    /// The word.
    pub dr_data_i: Vec<Signal<In, Bits<8>>>,
    /// Host access.
    pub host_valid_i: Signal<In, Bit>,
    /// Write, else read.
    pub host_write_i: Signal<In, Bit>,
    /// The write is for the offset table: its entry is the low part of the word address.
    pub host_table_i: Signal<In, Bit>,
    /// Partitions between this one and the one that is meant.
    pub host_partition_i: Signal<In, Bits<8>>,
    /// Word address.
    pub host_word_i: Signal<In, Bits<13>>,
    /// Word to write.
    pub host_data_i: Vec<Signal<In, Bits<8>>>,
    /// Host access to the next partition.
    pub host_valid_o: Signal<Out, Bit>,
    /// Write flag to the next partition.
    pub host_write_o: Signal<Out, Bit>,
    /// Table flag to the next partition.
    pub host_table_o: Signal<Out, Bit>,
    /// Partition number for the next partition.
    pub host_partition_o: Signal<Out, Bits<8>>,
    /// Word address to the next partition.
    pub host_word_o: Signal<Out, Bits<13>>,
    /// Word to the next partition.
    pub host_data_o: Vec<Signal<Out, Bits<8>>>,
    /// Answer to a host read of the partitions before.
    pub host_rvalid_i: Signal<In, Bit>,
    /// Word read; 0 without an answer.
    pub host_rdata_i: Vec<Signal<In, Bits<8>>>,
    /// Answer to a host read of this or the partitions before.
    pub host_rvalid_o: Signal<Out, Bit>,
    /// Word read; 0 without an answer.
    pub host_rdata_o: Vec<Signal<Out, Bits<8>>>,
    /// Reads of mask slices in the partitions before.
    pub ev_mask_read_i: Signal<In, Bits<10>>,
    /// Reads of mask slices up to this partition.
    pub ev_mask_read_o: Signal<Out, Bits<10>>,
    /// Writes of mask slices in the partitions before.
    pub ev_mask_write_i: Signal<In, Bits<10>>,
    /// Writes of mask slices up to this partition.
    pub ev_mask_write_o: Signal<Out, Bits<10>>,
    /// One per data slice: its reads in the partitions before.
    pub ev_slice_read_i: Vec<Signal<In, Bits<10>>>,
    /// One per data slice: its reads up to this partition.
    pub ev_slice_read_o: Vec<Signal<Out, Bits<10>>>,
    /// One per data slice: its writes in the partitions before.
    pub ev_slice_write_i: Vec<Signal<In, Bits<10>>>,
    /// One per data slice: its writes up to this partition.
    pub ev_slice_write_o: Vec<Signal<Out, Bits<10>>>,
    /// Zero operands in the partitions before.
    pub ev_zero_i: Signal<In, Bits<10>>,
    /// Zero operands up to this partition.
    pub ev_zero_o: Signal<Out, Bits<10>>,
    /// The last operand to the row of the array that was not zero, two's complement.
    pub x_o: Signal<Out, Bits<9>>,
    /// The slot holds an operand that is not zero: it is on `x_o`.
    pub nz_o: Signal<Out, Bit>,
    /// The weights are swapped behind this operand.
    pub swap_o: Signal<Out, Bit>,
    /// Weight word to the row of the array.
    pub w_o: Vec<Signal<Out, Bits<8>>>,
    /// The weight word is shifted in.
    pub shift_o: Signal<Out, Bit>,
    op_valid: Reg<Bit>,
    op_addr: Delay<Bits<16>>,
    op_rows: Delay<Bits<9>>,
    op_thr: Delay<Bits<8>>,
    op_fresh: Delay<Bit>,
    op_swap: Reg<Bit>,
    op_tag: Reg<Bits<8>>,
    op_table: Delay<Bit>,
    op_entry: Delay<Bits<8>>,
    op_fault: Reg<Bit>,
    wt_valid: Reg<Bit>,
    wt_addr: Delay<Bits<16>>,
    wt_rows: Delay<Bits<9>>,
    wt_copy: Delay<Bit>,
    wt_dest: Delay<Bits<13>>,
    host_valid: Reg<Bit>,
    host_write: Delay<Bit>,
    host_table: Delay<Bit>,
    host_partition: Delay<Bits<8>>,
    host_word: Delay<Bits<13>>,
    host_data: Vec<Delay<Bits<8>>>,
    row_offset: RowOffset,
    banks: Banks,
    reader: OperandReader,
    /// Weight word.
    weight: Vec<Delay<Bits<8>>>,
    /// A word of this row is copied, one to three cycles ago.
    copy: Vec<Reg<Bit>>,
    /// A weight slot that shifts, two and three cycles ago.
    shift: Vec<Reg<Bit>>,
    /// A host read of this partition, one to three cycles ago.
    answer: Vec<Reg<Bit>>,
    /// Word for the host, or 0.
    answer_word: Vec<Delay<Bits<8>>>,
    host_rvalid: Reg<Bit>,
    host_rdata: Vec<Delay<Bits<8>>>,
    ev_mask_read: EventSum,
    ev_mask_write: EventSum,
    ev_slice_read: Vec<EventSum>,
    ev_slice_write: Vec<EventSum>,
    ev_zero: EventSum,
    op_word: Signal<Local, Bits<13>>,
    wt_word: Signal<Local, Bits<13>>,
    /// The weight slot is for this row.
    wt_is_active: Signal<Local, Bit>,
    /// The host access is for this partition.
    host_is_mine: Signal<Local, Bit>,
    /// The host access is for the memory of this partition.
    host_is_here: Signal<Local, Bit>,
    /// A host read of this partition.
    host_reads: Signal<Local, Bit>,
    /// A word is written.
    write_valid: Signal<Local, Bit>,
    /// Address of the word that is written; drain words go first.
    write_word: Signal<Local, Bits<13>>,
    write_data: Vec<Signal<Local, Bits<8>>>,
    _banks: usize,
    _input_banks: usize,
    _has_input: usize,
    _slices: usize,
    _offsets: usize,
    _shape: SlicedShape,
}

impl Partition {
    /// A partition of `banks` (2, 4 or 8) banks of the given shape, see [`Banks::new`], with a
    /// table of `offsets` entries.
    pub fn new(banks: impl Into<BankCount>, shape: &SlicedShape, offsets: usize) -> Self {
        let count = banks.into();
        let banks = count.all;
        let slices = shape.slices();
        let bytes = banks * shape.words * 8;
        let sums = || (0..slices).map(|_| EventSum::new(banks)).collect();
        Self {
            clk: Default::default(),
            rst_n: Default::default(),
            op_valid_i: Default::default(),
            op_addr_i: Default::default(),
            op_rows_i: Default::default(),
            op_thr_i: Default::default(),
            op_fresh_i: Default::default(),
            op_swap_i: Default::default(),
            op_tag_i: Default::default(),
            op_table_i: Default::default(),
            op_entry_i: Default::default(),
            op_fault_i: Default::default(),
            op_valid_o: Default::default(),
            op_addr_o: Default::default(),
            op_rows_o: Default::default(),
            op_thr_o: Default::default(),
            op_fresh_o: Default::default(),
            op_swap_o: Default::default(),
            op_tag_o: Default::default(),
            op_table_o: Default::default(),
            op_entry_o: Default::default(),
            op_fault_o: Default::default(),
            wt_valid_i: Default::default(),
            wt_addr_i: Default::default(),
            wt_rows_i: Default::default(),
            wt_copy_i: Default::default(),
            wt_dest_i: Default::default(),
            wt_valid_o: Default::default(),
            wt_addr_o: Default::default(),
            wt_rows_o: Default::default(),
            wt_copy_o: Default::default(),
            wt_dest_o: Default::default(),
            dr_valid_i: Default::default(),
            dr_word_i: Default::default(),
            dr_data_i: v(8),
            host_valid_i: Default::default(),
            host_write_i: Default::default(),
            host_table_i: Default::default(),
            host_partition_i: Default::default(),
            host_word_i: Default::default(),
            host_data_i: v(8),
            host_valid_o: Default::default(),
            host_write_o: Default::default(),
            host_table_o: Default::default(),
            host_partition_o: Default::default(),
            host_word_o: Default::default(),
            host_data_o: v(8),
            host_rvalid_i: Default::default(),
            host_rdata_i: v(8),
            host_rvalid_o: Default::default(),
            host_rdata_o: v(8),
            ev_mask_read_i: Default::default(),
            ev_mask_read_o: Default::default(),
            ev_mask_write_i: Default::default(),
            ev_mask_write_o: Default::default(),
            ev_slice_read_i: v(slices),
            ev_slice_read_o: v(slices),
            ev_slice_write_i: v(slices),
            ev_slice_write_o: v(slices),
            ev_zero_i: Default::default(),
            ev_zero_o: Default::default(),
            x_o: Default::default(),
            nz_o: Default::default(),
            swap_o: Default::default(),
            w_o: v(8),
            shift_o: Default::default(),
            op_valid: Default::default(),
            op_addr: Default::default(),
            op_rows: Default::default(),
            op_thr: Default::default(),
            op_fresh: Default::default(),
            op_swap: Default::default(),
            op_tag: Default::default(),
            op_table: Default::default(),
            op_entry: Default::default(),
            op_fault: Default::default(),
            wt_valid: Default::default(),
            wt_addr: Default::default(),
            wt_rows: Default::default(),
            wt_copy: Default::default(),
            wt_dest: Default::default(),
            host_valid: Default::default(),
            host_write: Default::default(),
            host_table: Default::default(),
            host_partition: Default::default(),
            host_word: Default::default(),
            host_data: v(8),
            row_offset: RowOffset::new(offsets, bytes.ilog2() as usize),
            banks: Banks::new(count, shape),
            reader: OperandReader::new(),
            weight: v(8),
            copy: v(3),
            shift: v(2),
            answer: v(3),
            answer_word: v(8),
            host_rvalid: Default::default(),
            host_rdata: v(8),
            ev_mask_read: EventSum::new(banks),
            ev_mask_write: EventSum::new(banks),
            ev_slice_read: sums(),
            ev_slice_write: sums(),
            ev_zero: EventSum::new(1),
            op_word: Default::default(),
            wt_word: Default::default(),
            wt_is_active: Default::default(),
            host_is_mine: Default::default(),
            host_is_here: Default::default(),
            host_reads: Default::default(),
            write_valid: Default::default(),
            write_word: Default::default(),
            write_data: v(8),
            _banks: banks,
            _input_banks: count.input,
            _has_input: count.has_input(),
            _slices: slices,
            _offsets: offsets,
            _shape: shape.clone(),
        }
    }
}

impl Logic for Partition {
    #[hdl_gen]
    fn update(&mut self) {
        // The waves
        self.op_valid.clk.next = self.clk.val();
        self.op_valid.rst_n.next = self.rst_n.val();
        self.op_valid.d_i.next = self.op_valid_i.val();
        self.op_valid_o.next = self.op_valid.q_o.val();
        self.op_addr.clk.next = self.clk.val();
        self.op_addr.d_i.next = self.op_addr_i.val();
        self.op_addr_o.next = self.op_addr.q_o.val();
        self.op_rows.clk.next = self.clk.val();
        self.op_rows.d_i.next = 0.into();
        if self.op_rows_i.val().any() {
            self.op_rows.d_i.next = self.op_rows_i.val() - 1;
        }
        self.op_rows_o.next = self.op_rows.q_o.val();
        self.op_thr.clk.next = self.clk.val();
        self.op_thr.d_i.next = self.op_thr_i.val();
        self.op_thr_o.next = self.op_thr.q_o.val();
        self.op_fresh.clk.next = self.clk.val();
        self.op_fresh.d_i.next = self.op_fresh_i.val();
        self.op_fresh_o.next = self.op_fresh.q_o.val();
        self.op_swap.clk.next = self.clk.val();
        self.op_swap.rst_n.next = self.rst_n.val();
        self.op_swap.d_i.next = self.op_swap_i.val();
        self.op_swap_o.next = self.op_swap.q_o.val();
        self.op_tag.clk.next = self.clk.val();
        self.op_tag.rst_n.next = self.rst_n.val();
        self.op_tag.d_i.next = self.op_tag_i.val();
        self.op_tag_o.next = self.op_tag.q_o.val();
        self.op_table.clk.next = self.clk.val();
        self.op_table.d_i.next = self.op_table_i.val();
        self.op_table_o.next = self.op_table.q_o.val();
        self.op_entry.clk.next = self.clk.val();
        self.op_entry.d_i.next = self.op_entry_i.val();
        self.op_entry_o.next = self.op_entry.q_o.val();
        self.op_fault.clk.next = self.clk.val();
        self.op_fault.rst_n.next = self.rst_n.val();
        self.op_fault.d_i.next = self.op_fault_i.val() | self.row_offset.beyond_o.val();
        self.op_fault_o.next = self.op_fault.q_o.val();
        self.wt_valid.clk.next = self.clk.val();
        self.wt_valid.rst_n.next = self.rst_n.val();
        self.wt_valid.d_i.next = self.wt_valid_i.val();
        self.wt_valid_o.next = self.wt_valid.q_o.val();
        self.wt_addr.clk.next = self.clk.val();
        self.wt_addr.d_i.next = self.wt_addr_i.val();
        self.wt_addr_o.next = self.wt_addr.q_o.val();
        self.wt_rows.clk.next = self.clk.val();
        self.wt_rows.d_i.next = 0.into();
        if self.wt_rows_i.val().any() {
            self.wt_rows.d_i.next = self.wt_rows_i.val() - 1;
        }
        self.wt_rows_o.next = self.wt_rows.q_o.val();
        self.wt_copy.clk.next = self.clk.val();
        self.wt_copy.d_i.next = self.wt_copy_i.val();
        self.wt_copy_o.next = self.wt_copy.q_o.val();
        self.wt_dest.clk.next = self.clk.val();
        self.wt_dest.d_i.next = self.wt_dest_i.val();
        self.wt_dest_o.next = self.wt_dest.q_o.val();
        self.host_valid.clk.next = self.clk.val();
        self.host_valid.rst_n.next = self.rst_n.val();
        self.host_valid.d_i.next = self.host_valid_i.val();
        self.host_valid_o.next = self.host_valid.q_o.val();
        self.host_write.clk.next = self.clk.val();
        self.host_write.d_i.next = self.host_write_i.val();
        self.host_write_o.next = self.host_write.q_o.val();
        self.host_table.clk.next = self.clk.val();
        self.host_table.d_i.next = self.host_table_i.val();
        self.host_table_o.next = self.host_table.q_o.val();
        self.host_partition.clk.next = self.clk.val();
        self.host_partition.d_i.next = self.host_partition_i.val() - 1;
        self.host_partition_o.next = self.host_partition.q_o.val();
        self.host_word.clk.next = self.clk.val();
        self.host_word.d_i.next = self.host_word_i.val();
        self.host_word_o.next = self.host_word.q_o.val();
        for k in 0..8 {
            self.host_data[k].clk.next = self.clk.val();
            self.host_data[k].d_i.next = self.host_data_i[k].val();
            self.host_data_o[k].next = self.host_data[k].q_o.val();
        }

        // Writes: drain words go first, then copies
        self.host_is_mine.next = self.host_valid_i.val() & (self.host_partition_i.val() == 0);
        self.host_is_here.next = self.host_is_mine.val() & !self.host_table_i.val();
        self.write_valid.next = self.dr_valid_i.val()
            | self.copy[2].q_o.val()
            | (self.host_is_here.val() & self.host_write_i.val());
        self.write_word.next = self.host_word_i.val();
        for k in 0..8 {
            self.write_data[k].next = self.host_data_i[k].val();
        }
        if self.copy[2].q_o.val() {
            self.write_word.next = self.wt_dest_i.val();
            for k in 0..8 {
                self.write_data[k].next = self.weight[k].q_o.val();
            }
        }
        if self.dr_valid_i.val() {
            self.write_word.next = self.dr_word_i.val();
            for k in 0..8 {
                self.write_data[k].next = self.dr_data_i[k].val();
            }
        }

        // The row's own address, two cycles behind the slot
        self.row_offset.clk.next = self.clk.val();
        self.row_offset.rst_n.next = self.rst_n.val();
        self.row_offset.active_i.next = self.op_valid_i.val() & self.op_rows_i.val().any();
        self.row_offset.table_i.next = self.op_table_i.val();
        self.row_offset.entry_i.next = self.op_entry_i.val();
        self.row_offset.addr_i.next = self.op_addr.q_o.val();
        self.row_offset.thr_i.next = self.op_thr.q_o.val();
        self.row_offset.fresh_i.next = self.op_fresh.q_o.val();
        self.row_offset.swap_i.next = self.op_swap.q_o.val();
        self.row_offset.wen_i.next =
            self.host_is_mine.val() & self.host_table_i.val() & self.host_write_i.val();
        self.row_offset.wentry_i.next = self.host_word_i.val().get_bits::<8>(0);
        self.row_offset.wdata_i.next = (self.host_data_i[2].val().get_bits::<17>(0) << 16)
            | (self.host_data_i[1].val().get_bits::<17>(0) << 8)
            | self.host_data_i[0].val().get_bits::<17>(0);

        // Operands
        self.op_word.next = self.row_offset.addr_o.val().get_bits::<13>(3);
        self.reader.clk.next = self.clk.val();
        self.reader.rst_n.next = self.rst_n.val();
        self.reader.valid_i.next = self.row_offset.valid_o.val();
        self.reader.addr_i.next = self.row_offset.addr_o.val();
        self.reader.thr_i.next = self.row_offset.thr_o.val();
        self.reader.fresh_i.next = self.row_offset.fresh_o.val();
        self.reader.swap_i.next = self.row_offset.swap_o.val();
        self.reader.write_valid_i.next = self.write_valid.val();
        self.reader.write_word_i.next = self.write_word.val();
        for k in 0..8 {
            self.reader.word_i[k].next = self.banks.op_data_o[k].val();
            self.reader.mask_i[k].next = self.banks.op_mask_o[k].val();
        }
        self.x_o.next = self.reader.x_o.val();
        self.nz_o.next = self.reader.nz_o.val();
        self.swap_o.next = self.reader.swap_o.val();

        // Memory
        self.wt_word.next = self.wt_addr_i.val().get_bits::<13>(3);
        self.wt_is_active.next = self.wt_valid_i.val() & self.wt_rows_i.val().any();
        self.host_reads.next = self.host_is_here.val() & !self.host_write_i.val();
        self.banks.clk.next = self.clk.val();
        self.banks.rst_n.next = self.rst_n.val();
        self.banks.op_read_i.next = self.reader.read_o.val();
        self.banks.op_word_i.next = self.op_word.val();
        self.banks.wt_read_i.next = self.wt_is_active.val();
        self.banks.wt_word_i.next = self.wt_word.val();
        self.banks.host_read_i.next = self.host_reads.val();
        self.banks.host_word_i.next = self.host_word_i.val();
        self.banks.write_i.next = self.write_valid.val();
        self.banks.write_word_i.next = self.write_word.val();
        for k in 0..8 {
            self.banks.write_data_i[k].next = self.write_data[k].val();
        }
        for i in 0..self._has_input {
            self.banks.input_write_i[i].next = self.host_is_here.val()
                & self.host_write_i.val()
                & !self.dr_valid_i.val()
                & !self.copy[2].q_o.val();
            for k in 0..8 {
                self.banks.input_data_i[i][k].next = self.host_data_i[k].val();
            }
        }

        // Weights
        for k in 0..8 {
            self.weight[k].clk.next = self.clk.val();
            self.weight[k].d_i.next = self.banks.wt_data_o[k].val();
            self.w_o[k].next = self.weight[k].q_o.val();
        }
        self.shift[0].clk.next = self.clk.val();
        self.shift[0].rst_n.next = self.rst_n.val();
        self.shift[0].d_i.next = self.wt_valid.q_o.val() & !self.wt_copy.q_o.val();
        self.shift[1].clk.next = self.clk.val();
        self.shift[1].rst_n.next = self.rst_n.val();
        self.shift[1].d_i.next = self.shift[0].q_o.val();
        self.shift_o.next = self.shift[1].q_o.val();

        self.copy[0].d_i.next = self.wt_is_active.val() & self.wt_copy_i.val();
        for i in 0..3 {
            self.copy[i].clk.next = self.clk.val();
            self.copy[i].rst_n.next = self.rst_n.val();
        }
        for i in 0..2 {
            self.copy[i + 1].d_i.next = self.copy[i].q_o.val();
        }

        // Answers to the host
        self.answer[0].d_i.next = self.host_reads.val();
        for i in 0..3 {
            self.answer[i].clk.next = self.clk.val();
            self.answer[i].rst_n.next = self.rst_n.val();
        }
        for i in 0..2 {
            self.answer[i + 1].d_i.next = self.answer[i].q_o.val();
        }
        self.host_rvalid.clk.next = self.clk.val();
        self.host_rvalid.rst_n.next = self.rst_n.val();
        self.host_rvalid.d_i.next = self.host_rvalid_i.val() | self.answer[2].q_o.val();
        self.host_rvalid_o.next = self.host_rvalid.q_o.val();
        for k in 0..8 {
            self.answer_word[k].clk.next = self.clk.val();
            self.answer_word[k].d_i.next = self.banks.host_data_o[k].val();
            self.host_rdata[k].clk.next = self.clk.val();
            self.host_rdata[k].d_i.next =
                self.host_rdata_i[k].val() | self.answer_word[k].q_o.val();
            self.host_rdata_o[k].next = self.host_rdata[k].q_o.val();
        }

        // Events
        self.ev_mask_read.clk.next = self.clk.val();
        self.ev_mask_read.rst_n.next = self.rst_n.val();
        self.ev_mask_read.total_i.next = self.ev_mask_read_i.val();
        self.ev_mask_read_o.next = self.ev_mask_read.total_o.val();
        self.ev_mask_write.clk.next = self.clk.val();
        self.ev_mask_write.rst_n.next = self.rst_n.val();
        self.ev_mask_write.total_i.next = self.ev_mask_write_i.val();
        self.ev_mask_write_o.next = self.ev_mask_write.total_o.val();
        self.ev_zero.clk.next = self.clk.val();
        self.ev_zero.rst_n.next = self.rst_n.val();
        self.ev_zero.total_i.next = self.ev_zero_i.val();
        self.ev_zero.event_i[0].next = self.reader.zero_o.val();
        self.ev_zero_o.next = self.ev_zero.total_o.val();
        for b in 0..self._banks {
            self.ev_mask_read.event_i[b].next = self.banks.mask_read_o[b].val();
            self.ev_mask_write.event_i[b].next = self.banks.mask_write_o[b].val();
        }
        for k in 0..self._slices {
            self.ev_slice_read[k].clk.next = self.clk.val();
            self.ev_slice_read[k].rst_n.next = self.rst_n.val();
            self.ev_slice_read[k].total_i.next = self.ev_slice_read_i[k].val();
            self.ev_slice_read_o[k].next = self.ev_slice_read[k].total_o.val();
            self.ev_slice_write[k].clk.next = self.clk.val();
            self.ev_slice_write[k].rst_n.next = self.rst_n.val();
            self.ev_slice_write[k].total_i.next = self.ev_slice_write_i[k].val();
            self.ev_slice_write_o[k].next = self.ev_slice_write[k].total_o.val();
            for b in 0..self._banks {
                self.ev_slice_read[k].event_i[b].next = self.banks.slice_read_o[b][k].val();
                self.ev_slice_write[k].event_i[b].next = self.banks.slice_write_o[b][k].val();
            }
        }
    }
    module!(|this| {
        let partition = Meta::module("partition")
            .param("banks", "b", this._banks, "banks")
            .feature(
                "input_banks",
                "in",
                this._input_banks,
                "the last banks, which are the input buffer",
            )
            .silent("has_input", this._has_input)
            .param("offsets", "e", this._offsets, "entries of the offset table");
        let partition = match this._input_banks {
            0 => partition,
            _ => partition.doc(
                "Of the input buffer no weights are read; drain words for it are not written.",
            ),
        };
        this._shape.describe_kind(partition)
    });
}
