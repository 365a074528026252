//! The whole state buffer.

use super::{BankCount, Partition};
use crate::prelude::*;
use crate::sliced::SlicedShape;

/// The state buffer: one partition per row of the array. A wave that enters row 0 in cycle T
/// reaches row r in T+r.
///
/// # Timing
/// Operand slot in cycle T: `x_o` of row r in T+r+6, the slot itself on `op_*_o` in T+rows,
/// `op_fault_o` for it in T+rows+1.
/// Weight slot in T: `w_o` and `shift_o` of row r in T+r+3, or the copy of the word is written in T+r+3, with
/// its destination on `wt_dest_i` in T+3. Host read in T: answer in T+rows+3,
/// whichever partition it is for.
#[derive(LogicBlock)]
pub struct StateBuffer {
    /// Clock.
    pub clk: Signal<In, Clock>,
    /// Reset, active low.
    pub rst_n: Signal<In, Bit>,
    /// Operand slot with a tensor address.
    pub op_valid_i: Signal<In, Bit>,
    /// Byte address of the operand, or what else the slot carries.
    pub op_addr_i: Signal<In, Bits<16>>,
    /// Rows that are served.
    pub op_rows_i: Signal<In, Bits<9>>,
    /// Largest byte that is not negative.
    pub op_thr_i: Signal<In, Bits<8>>,
    /// The slot must not use a kept word.
    pub op_fresh_i: Signal<In, Bit>,
    /// Swaps the weights behind this slot; also in a slot without operand.
    pub op_swap_i: Signal<In, Bit>,
    /// Carried along for the results end.
    pub op_tag_i: Signal<In, Bits<8>>,
    /// Each row adds an offset of its own to the address.
    pub op_table_i: Signal<In, Bit>,
    /// Entry of the offsets.
    pub op_entry_i: Signal<In, Bits<8>>,
    /// Weight slot: a word is shifted in or copied.
    pub wt_valid_i: Signal<In, Bit>,
    /// Byte address of the weight word.
    pub wt_addr_i: Signal<In, Bits<16>>,
    /// Rows that are served.
    pub wt_rows_i: Signal<In, Bits<9>>,
    /// The word is copied, in each row that is served.
    pub wt_copy_i: Signal<In, Bit>,
    /// Word address of the copy of the slot three cycles before.
    pub wt_dest_i: Signal<In, Bits<13>>,
    /// Host access.
    pub host_valid_i: Signal<In, Bit>,
    /// Write, else read.
    pub host_write_i: Signal<In, Bit>,
    /// The write is for the offset table of the row.
    pub host_table_i: Signal<In, Bit>,
    /// Partition.
    pub host_partition_i: Signal<In, Bits<8>>,
    /// Word address.
    pub host_word_i: Signal<In, Bits<13>>,
    /// Word to write.
    pub host_data_i: Vec<Signal<In, Bits<8>>>,
    /// One per row: a word arrives from the drain.
    pub dr_valid_i: Vec<Signal<In, Bit>>,
    /// Word addresses.
    pub dr_word_i: Vec<Signal<In, Bits<13>>>,
    /// Words of eight bytes.
    pub dr_data_i: Vec<Vec<Signal<In, Bits<8>>>>,
    /// One per row: the last operand to the array that was not zero, two's complement.
    pub x_o: Vec<Signal<Out, Bits<9>>>,
    /// One per row: the slot holds an operand that is not zero, on `x_o`.
    pub nz_o: Vec<Signal<Out, Bit>>,
    /// One per row: the weights are swapped behind this operand.
    pub swap_o: Vec<Signal<Out, Bit>>,
    /// Weight words to the array.
    pub w_o: Vec<Vec<Signal<Out, Bits<8>>>>,
    /// One per row: the weight word is shifted in.
    pub shift_o: Vec<Signal<Out, Bit>>,
    /// Operand slot behind the last row.
    pub op_valid_o: Signal<Out, Bit>,
    /// Address behind the last row.
    pub op_addr_o: Signal<Out, Bits<16>>,
    /// Tag behind the last row.
    pub op_tag_o: Signal<Out, Bits<8>>,
    /// A row had no address for the slot of the cycle before: the sum lay beyond its memory.
    pub op_fault_o: Signal<Out, Bit>,
    /// Answer to a host read.
    pub host_rvalid_o: Signal<Out, Bit>,
    /// Word read.
    pub host_rdata_o: Vec<Signal<Out, Bits<8>>>,
    /// Reads of mask slices.
    pub ev_mask_read_o: Signal<Out, Bits<10>>,
    /// Writes of mask slices.
    pub ev_mask_write_o: Signal<Out, Bits<10>>,
    /// Reads of each data slice.
    pub ev_slice_read_o: Vec<Signal<Out, Bits<10>>>,
    /// Writes of each data slice.
    pub ev_slice_write_o: Vec<Signal<Out, Bits<10>>>,
    /// Zero operands.
    pub ev_zero_o: Signal<Out, Bits<10>>,
    /// Partitions, one per row.
    pub partition: Vec<Partition>,
    op_valid: Vec<Signal<Local, Bit>>,
    op_addr: Vec<Signal<Local, Bits<16>>>,
    op_rows: Vec<Signal<Local, Bits<9>>>,
    op_thr: Vec<Signal<Local, Bits<8>>>,
    op_fresh: Vec<Signal<Local, Bit>>,
    op_swap: Vec<Signal<Local, Bit>>,
    op_tag: Vec<Signal<Local, Bits<8>>>,
    op_table: Vec<Signal<Local, Bit>>,
    op_entry: Vec<Signal<Local, Bits<8>>>,
    op_fault: Vec<Signal<Local, Bit>>,
    wt_valid: Vec<Signal<Local, Bit>>,
    wt_addr: Vec<Signal<Local, Bits<16>>>,
    wt_rows: Vec<Signal<Local, Bits<9>>>,
    wt_copy: Vec<Signal<Local, Bit>>,
    wt_dest: Vec<Signal<Local, Bits<13>>>,
    host_valid: Vec<Signal<Local, Bit>>,
    host_write: Vec<Signal<Local, Bit>>,
    host_table: Vec<Signal<Local, Bit>>,
    host_partition: Vec<Signal<Local, Bits<8>>>,
    host_word: Vec<Signal<Local, Bits<13>>>,
    host_data: Vec<Vec<Signal<Local, Bits<8>>>>,
    host_rvalid: Vec<Signal<Local, Bit>>,
    host_rdata: Vec<Vec<Signal<Local, Bits<8>>>>,
    ev_mask_read: Vec<Signal<Local, Bits<10>>>,
    ev_mask_write: Vec<Signal<Local, Bits<10>>>,
    ev_slice_read: Vec<Vec<Signal<Local, Bits<10>>>>,
    ev_slice_write: Vec<Vec<Signal<Local, Bits<10>>>>,
    ev_zero: Vec<Signal<Local, Bits<10>>>,
    _rows: usize,
    _banks: usize,
    _input_banks: usize,
    _program_banks: usize,
    _slices: usize,
    _offsets: usize,
    _shape: SlicedShape,
}

impl StateBuffer {
    /// `rows` partitions of `banks` (2, 4 or 8) banks of the given shape, see
    /// [`Banks::new`](super::Banks::new), each with a table of `offsets` entries.
    pub fn new(
        rows: usize,
        banks: impl Into<BankCount>,
        shape: &SlicedShape,
        offsets: usize,
    ) -> Self {
        let banks = banks.into();
        let slices = shape.slices();
        let per_slice = || (0..rows + 1).map(|_| v(slices)).collect();
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
            wt_valid_i: Default::default(),
            wt_addr_i: Default::default(),
            wt_rows_i: Default::default(),
            wt_copy_i: Default::default(),
            wt_dest_i: Default::default(),
            host_valid_i: Default::default(),
            host_write_i: Default::default(),
            host_table_i: Default::default(),
            host_partition_i: Default::default(),
            host_word_i: Default::default(),
            host_data_i: v(8),
            dr_valid_i: v(rows),
            dr_word_i: v(rows),
            dr_data_i: (0..rows).map(|_| v(8)).collect(),
            x_o: v(rows),
            nz_o: v(rows),
            swap_o: v(rows),
            w_o: (0..rows).map(|_| v(8)).collect(),
            shift_o: v(rows),
            op_valid_o: Default::default(),
            op_addr_o: Default::default(),
            op_tag_o: Default::default(),
            op_fault_o: Default::default(),
            host_rvalid_o: Default::default(),
            host_rdata_o: v(8),
            ev_mask_read_o: Default::default(),
            ev_mask_write_o: Default::default(),
            ev_slice_read_o: v(slices),
            ev_slice_write_o: v(slices),
            ev_zero_o: Default::default(),
            partition: (0..rows)
                .map(|_| Partition::new(banks, shape, offsets))
                .collect(),
            op_valid: v(rows + 1),
            op_addr: v(rows + 1),
            op_rows: v(rows + 1),
            op_thr: v(rows + 1),
            op_fresh: v(rows + 1),
            op_swap: v(rows + 1),
            op_tag: v(rows + 1),
            op_table: v(rows + 1),
            op_entry: v(rows + 1),
            op_fault: v(rows + 1),
            wt_valid: v(rows + 1),
            wt_addr: v(rows + 1),
            wt_rows: v(rows + 1),
            wt_copy: v(rows + 1),
            wt_dest: v(rows + 1),
            host_valid: v(rows + 1),
            host_write: v(rows + 1),
            host_table: v(rows + 1),
            host_partition: v(rows + 1),
            host_word: v(rows + 1),
            host_data: (0..rows + 1).map(|_| v(8)).collect(),
            host_rvalid: v(rows + 1),
            host_rdata: (0..rows + 1).map(|_| v(8)).collect(),
            ev_mask_read: v(rows + 1),
            ev_mask_write: v(rows + 1),
            ev_slice_read: per_slice(),
            ev_slice_write: per_slice(),
            ev_zero: v(rows + 1),
            _rows: rows,
            _banks: banks.all,
            _input_banks: banks.input,
            _program_banks: banks.program,
            _slices: slices,
            _offsets: offsets,
            _shape: shape.clone(),
        }
    }
}

impl Logic for StateBuffer {
    #[hdl_gen]
    fn update(&mut self) {
        self.op_valid[0].next = self.op_valid_i.val();
        self.op_addr[0].next = self.op_addr_i.val();
        self.op_rows[0].next = self.op_rows_i.val();
        self.op_thr[0].next = self.op_thr_i.val();
        self.op_fresh[0].next = self.op_fresh_i.val();
        self.op_swap[0].next = self.op_swap_i.val();
        self.op_tag[0].next = self.op_tag_i.val();
        self.op_table[0].next = self.op_table_i.val();
        self.op_entry[0].next = self.op_entry_i.val();
        self.op_fault[0].next = false;
        self.wt_valid[0].next = self.wt_valid_i.val();
        self.wt_addr[0].next = self.wt_addr_i.val();
        self.wt_rows[0].next = self.wt_rows_i.val();
        self.wt_copy[0].next = self.wt_copy_i.val();
        self.wt_dest[0].next = self.wt_dest_i.val();
        self.host_valid[0].next = self.host_valid_i.val();
        self.host_write[0].next = self.host_write_i.val();
        self.host_table[0].next = self.host_table_i.val();
        self.host_partition[0].next = self.host_partition_i.val();
        self.host_word[0].next = self.host_word_i.val();
        self.host_rvalid[0].next = false;
        self.ev_mask_read[0].next = 0.into();
        self.ev_mask_write[0].next = 0.into();
        self.ev_zero[0].next = 0.into();
        for k in 0..self._slices {
            self.ev_slice_read[0][k].next = 0.into();
            self.ev_slice_write[0][k].next = 0.into();
        }
        for k in 0..8 {
            self.host_data[0][k].next = self.host_data_i[k].val();
            self.host_rdata[0][k].next = 0.into();
        }
        for i in 0..self._rows {
            self.partition[i].clk.next = self.clk.val();
            self.partition[i].rst_n.next = self.rst_n.val();
            self.partition[i].op_valid_i.next = self.op_valid[i].val();
            self.partition[i].op_addr_i.next = self.op_addr[i].val();
            self.partition[i].op_rows_i.next = self.op_rows[i].val();
            self.partition[i].op_thr_i.next = self.op_thr[i].val();
            self.partition[i].op_fresh_i.next = self.op_fresh[i].val();
            self.partition[i].op_swap_i.next = self.op_swap[i].val();
            self.partition[i].op_tag_i.next = self.op_tag[i].val();
            self.partition[i].op_table_i.next = self.op_table[i].val();
            self.partition[i].op_entry_i.next = self.op_entry[i].val();
            self.partition[i].op_fault_i.next = self.op_fault[i].val();
            self.partition[i].wt_valid_i.next = self.wt_valid[i].val();
            self.partition[i].wt_addr_i.next = self.wt_addr[i].val();
            self.partition[i].wt_rows_i.next = self.wt_rows[i].val();
            self.partition[i].wt_copy_i.next = self.wt_copy[i].val();
            self.partition[i].wt_dest_i.next = self.wt_dest[i].val();
            self.partition[i].host_valid_i.next = self.host_valid[i].val();
            self.partition[i].host_write_i.next = self.host_write[i].val();
            self.partition[i].host_table_i.next = self.host_table[i].val();
            self.partition[i].host_partition_i.next = self.host_partition[i].val();
            self.partition[i].host_word_i.next = self.host_word[i].val();
            self.partition[i].host_rvalid_i.next = self.host_rvalid[i].val();
            self.partition[i].ev_mask_read_i.next = self.ev_mask_read[i].val();
            self.partition[i].ev_mask_write_i.next = self.ev_mask_write[i].val();
            self.partition[i].ev_zero_i.next = self.ev_zero[i].val();
            self.op_valid[i + 1].next = self.partition[i].op_valid_o.val();
            self.op_addr[i + 1].next = self.partition[i].op_addr_o.val();
            self.op_rows[i + 1].next = self.partition[i].op_rows_o.val();
            self.op_thr[i + 1].next = self.partition[i].op_thr_o.val();
            self.op_fresh[i + 1].next = self.partition[i].op_fresh_o.val();
            self.op_swap[i + 1].next = self.partition[i].op_swap_o.val();
            self.op_tag[i + 1].next = self.partition[i].op_tag_o.val();
            self.op_table[i + 1].next = self.partition[i].op_table_o.val();
            self.op_entry[i + 1].next = self.partition[i].op_entry_o.val();
            self.op_fault[i + 1].next = self.partition[i].op_fault_o.val();
            self.wt_valid[i + 1].next = self.partition[i].wt_valid_o.val();
            self.wt_addr[i + 1].next = self.partition[i].wt_addr_o.val();
            self.wt_rows[i + 1].next = self.partition[i].wt_rows_o.val();
            self.wt_copy[i + 1].next = self.partition[i].wt_copy_o.val();
            self.wt_dest[i + 1].next = self.partition[i].wt_dest_o.val();
            self.host_valid[i + 1].next = self.partition[i].host_valid_o.val();
            self.host_write[i + 1].next = self.partition[i].host_write_o.val();
            self.host_table[i + 1].next = self.partition[i].host_table_o.val();
            self.host_partition[i + 1].next = self.partition[i].host_partition_o.val();
            self.host_word[i + 1].next = self.partition[i].host_word_o.val();
            self.host_rvalid[i + 1].next = self.partition[i].host_rvalid_o.val();
            self.ev_mask_read[i + 1].next = self.partition[i].ev_mask_read_o.val();
            self.ev_mask_write[i + 1].next = self.partition[i].ev_mask_write_o.val();
            self.ev_zero[i + 1].next = self.partition[i].ev_zero_o.val();
            self.partition[i].dr_valid_i.next = self.dr_valid_i[i].val();
            self.partition[i].dr_word_i.next = self.dr_word_i[i].val();
            self.x_o[i].next = self.partition[i].x_o.val();
            self.nz_o[i].next = self.partition[i].nz_o.val();
            self.swap_o[i].next = self.partition[i].swap_o.val();
            self.shift_o[i].next = self.partition[i].shift_o.val();
            for k in 0..self._slices {
                self.partition[i].ev_slice_read_i[k].next = self.ev_slice_read[i][k].val();
                self.ev_slice_read[i + 1][k].next = self.partition[i].ev_slice_read_o[k].val();
                self.partition[i].ev_slice_write_i[k].next = self.ev_slice_write[i][k].val();
                self.ev_slice_write[i + 1][k].next = self.partition[i].ev_slice_write_o[k].val();
            }
            for k in 0..8 {
                self.partition[i].dr_data_i[k].next = self.dr_data_i[i][k].val();
                self.w_o[i][k].next = self.partition[i].w_o[k].val();
                self.partition[i].host_data_i[k].next = self.host_data[i][k].val();
                self.host_data[i + 1][k].next = self.partition[i].host_data_o[k].val();
                self.partition[i].host_rdata_i[k].next = self.host_rdata[i][k].val();
                self.host_rdata[i + 1][k].next = self.partition[i].host_rdata_o[k].val();
            }
        }
        self.op_valid_o.next = self.op_valid[self._rows].val();
        self.op_addr_o.next = self.op_addr[self._rows].val();
        self.op_tag_o.next = self.op_tag[self._rows].val();
        self.op_fault_o.next = self.op_fault[self._rows].val();
        self.host_rvalid_o.next = self.host_rvalid[self._rows].val();
        for k in 0..8 {
            self.host_rdata_o[k].next = self.host_rdata[self._rows][k].val();
        }
        self.ev_mask_read_o.next = self.ev_mask_read[self._rows].val();
        self.ev_mask_write_o.next = self.ev_mask_write[self._rows].val();
        self.ev_zero_o.next = self.ev_zero[self._rows].val();
        for k in 0..self._slices {
            self.ev_slice_read_o[k].next = self.ev_slice_read[self._rows][k].val();
            self.ev_slice_write_o[k].next = self.ev_slice_write[self._rows][k].val();
        }
    }
    module!(|this| {
        let buffer = Meta::module("state_buffer")
            .param("rows", "r", this._rows, "rows")
            .param("banks", "b", this._banks, "banks in a partition")
            .feature(
                "input_banks",
                "in",
                this._input_banks,
                "the last banks, which are the input buffer",
            )
            .feature(
                "program_banks",
                "pr",
                this._program_banks,
                "the very last banks, which hold the program",
            )
            .param("offsets", "e", this._offsets, "entries of an offset table");
        this._shape.describe_kind(buffer)
    });
}
