//! One row of the state buffer: ports and parts.

mod logic;

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
    /// Banks that operands are read from.
    _data: usize,
    _input_banks: usize,
    _program_banks: usize,
    /// The host alone writes some banks.
    _has_host: usize,
    _slices: usize,
    _offsets: usize,
    _shape: SlicedShape,
}

impl Partition {
    /// A partition of `banks` (2, 4 or 8) banks of the given shape, see [`Banks::new`], with a
    /// table of `offsets` entries.
    pub fn new(banks: impl Into<BankCount>, shape: &SlicedShape, offsets: usize) -> Self {
        let count = banks.into();
        let (banks, data) = (count.all, count.data());
        let slices = shape.slices();
        let bytes = banks * shape.words * 8;
        let sums = || (0..slices).map(|_| EventSum::new(data)).collect();
        let end = count.operand_guard(bytes / 8);
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
            row_offset: RowOffset::new(offsets, bytes.ilog2() as usize).with_end(end),
            banks: Banks::new(count, shape),
            reader: OperandReader::new(),
            weight: v(8),
            copy: v(3),
            shift: v(2),
            answer: v(3),
            answer_word: v(8),
            host_rvalid: Default::default(),
            host_rdata: v(8),
            ev_mask_read: EventSum::new(data),
            ev_mask_write: EventSum::new(data),
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
            _data: data,
            _input_banks: count.input,
            _program_banks: count.program,
            _has_host: count.has_host(),
            _slices: slices,
            _offsets: offsets,
            _shape: shape.clone(),
        }
    }
}
