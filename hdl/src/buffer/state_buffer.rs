//! The whole state buffer.

use super::waves::*;
use super::{BankCount, Partition};
use crate::sliced::SlicedShape;
use heddle_kernel::prelude::*;

/// The state buffer: one partition per row of the array. A wave that enters row 0 in cycle T
/// reaches row r in T+r.
///
/// # Timing
/// Operand slot in cycle T: `x_o` of row r in T+r+9, the slot itself on `op_*_o` in T+rows,
/// `op_fault_o` for it in T+rows+1.
/// Weight slot in T: `w_o` and `shift_o` of row r in T+r+6, or the copy of the word is written in T+r+6, with
/// its destination on `wt_dest_i` in T+6. Host read in T: answer in T+rows+6,
/// whichever partition it is for.
#[module(describe)]
pub struct StateBuffer {
    /// Operand slot.
    pub op_i: OperandSlot<In>,
    /// Weight slot: a word is shifted in or copied.
    pub wt_i: WeightSlot<In>,
    /// Host access.
    pub host_i: HostAccess<In>,
    /// One per row: a word arrives from the drain.
    pub dr_valid_i: [Signal<In, Bit>; rows],
    /// Word addresses.
    pub dr_word_i: [Signal<In, Bits<13>>; rows],
    /// Words of eight bytes.
    pub dr_data_i: [[Signal<In, Bits<8>>; 8]; rows],
    /// One per row: the last operand to the array that was not zero, two's complement.
    pub x_o: [Signal<Out, Bits<9>>; rows],
    /// One per row: the slot holds an operand that is not zero, on `x_o`.
    pub nz_o: [Signal<Out, Bit>; rows],
    /// One per row: the weights are swapped behind this operand.
    pub swap_o: [Signal<Out, Bit>; rows],
    /// Weight words to the array.
    pub w_o: [[Signal<Out, Bits<8>>; 8]; rows],
    /// One per row: the weight word is shifted in.
    pub shift_o: [Signal<Out, Bit>; rows],
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
    pub host_rdata_o: [Signal<Out, Bits<8>>; 8],
    /// Reads of mask slices.
    pub ev_mask_read_o: Signal<Out, Bits<10>>,
    /// Writes of mask slices.
    pub ev_mask_write_o: Signal<Out, Bits<10>>,
    /// Reads of each data slice.
    pub ev_slice_read_o: [Signal<Out, Bits<10>>; slices],
    /// Writes of each data slice.
    pub ev_slice_write_o: [Signal<Out, Bits<10>>; slices],
    /// Zero operands.
    pub ev_zero_o: Signal<Out, Bits<10>>,
    /// Partitions, one per row.
    #[new(Partition::new(count, &shape, offsets))]
    pub partition: [Partition; rows],
    op: [OperandSlot<Local>; rows + 1],
    op_fault: [Signal<Local, Bit>; rows + 1],
    wt: [WeightSlot<Local>; rows + 1],
    host: [HostAccess<Local>; rows + 1],
    host_rvalid: [Signal<Local, Bit>; rows + 1],
    host_rdata: [[Signal<Local, Bits<8>>; 8]; rows + 1],
    ev_mask_read: [Signal<Local, Bits<10>>; rows + 1],
    ev_mask_write: [Signal<Local, Bits<10>>; rows + 1],
    ev_slice_read: [[Signal<Local, Bits<10>>; slices]; rows + 1],
    ev_slice_write: [[Signal<Local, Bits<10>>; slices]; rows + 1],
    ev_zero: [Signal<Local, Bits<10>>; rows + 1],
    /// Rows.
    _rows: Param<'r'>,
    /// Banks of a partition: 2, 4 or 8.
    #[argument]
    _all: impl Into<BankCount>,
    /// Shape of a bank, see [`Banks::new`](super::Banks::new).
    #[argument]
    _bank: &SlicedShape,
    #[new(all.into())]
    _count: BankCount,
    /// Banks in a partition.
    #[new(count.all)]
    _banks: Param<'b'>,
    /// The last banks, which are the input buffer.
    #[new(count.input)]
    _input_banks: Feature<"in">,
    /// The very last banks, which hold the program.
    #[new(count.program)]
    _program_banks: Feature<"pr">,
    #[new(bank.slices())]
    _slices: usize,
    /// Entries of an offset table.
    _offsets: Param<'e'>,
    #[new(bank.clone())]
    _shape: SlicedShape,
}

impl StateBuffer {
    fn describe(&self, meta: Meta) -> Meta {
        self._shape.describe_kind(meta)
    }
}

#[kernel]
impl StateBuffer {
    fn update(&mut self) {
        self.op[0].follow(&self.op_i);
        self.op_fault[0] = false;
        self.wt[0].follow(&self.wt_i);
        self.host[0].valid = self.host_i.valid;
        self.host[0].write = self.host_i.write;
        self.host[0].table = self.host_i.table;
        self.host[0].partition = self.host_i.partition;
        self.host[0].word = self.host_i.word;
        self.host_rvalid[0] = false;
        self.ev_mask_read[0] = 0.into();
        self.ev_mask_write[0] = 0.into();
        self.ev_zero[0] = 0.into();
        self.ev_slice_read[0].tie_low();
        self.ev_slice_write[0].tie_low();
        self.host[0].data.follow(&self.host_i.data);
        self.host_rdata[0].tie_low();
        for i in 0..self._rows {
            self.partition[i].op_i.follow(&self.op[i]);
            self.partition[i].op_fault_i = self.op_fault[i];
            self.partition[i].wt_i.follow(&self.wt[i]);
            self.partition[i].host_i.follow(&self.host[i]);
            self.partition[i].host_rvalid_i = self.host_rvalid[i];
            self.partition[i].host_rdata_i.follow(&self.host_rdata[i]);
            self.partition[i].ev_mask_read_i = self.ev_mask_read[i];
            self.partition[i].ev_mask_write_i = self.ev_mask_write[i];
            self.partition[i]
                .ev_slice_read_i
                .follow(&self.ev_slice_read[i]);
            self.partition[i]
                .ev_slice_write_i
                .follow(&self.ev_slice_write[i]);
            self.partition[i].ev_zero_i = self.ev_zero[i];
            self.op[i + 1].follow(&self.partition[i].op_o);
            self.op_fault[i + 1] = self.partition[i].op_fault_o;
            self.wt[i + 1].follow(&self.partition[i].wt_o);
            self.host[i + 1].follow(&self.partition[i].host_o);
            self.host_rvalid[i + 1] = self.partition[i].host_rvalid_o;
            self.host_rdata[i + 1].follow(&self.partition[i].host_rdata_o);
            self.ev_mask_read[i + 1] = self.partition[i].ev_mask_read_o;
            self.ev_mask_write[i + 1] = self.partition[i].ev_mask_write_o;
            self.ev_slice_read[i + 1].follow(&self.partition[i].ev_slice_read_o);
            self.ev_slice_write[i + 1].follow(&self.partition[i].ev_slice_write_o);
            self.ev_zero[i + 1] = self.partition[i].ev_zero_o;
            self.partition[i].dr_i.valid = self.dr_valid_i[i];
            self.partition[i].dr_i.word = self.dr_word_i[i];
            self.partition[i].dr_i.data.follow(&self.dr_data_i[i]);
            self.x_o[i] = self.partition[i].x_o;
            self.nz_o[i] = self.partition[i].nz_o;
            self.swap_o[i] = self.partition[i].swap_o;
            self.w_o[i].follow(&self.partition[i].w_o);
            self.shift_o[i] = self.partition[i].shift_o;
        }
        self.op_valid_o = self.op[self._rows].valid;
        self.op_addr_o = self.op[self._rows].addr;
        self.op_tag_o = self.op[self._rows].tag;
        self.op_fault_o = self.op_fault[self._rows];
        self.host_rvalid_o = self.host_rvalid[self._rows];
        self.host_rdata_o.follow(&self.host_rdata[self._rows]);
        self.ev_mask_read_o = self.ev_mask_read[self._rows];
        self.ev_mask_write_o = self.ev_mask_write[self._rows];
        self.ev_zero_o = self.ev_zero[self._rows];
        self.ev_slice_read_o.follow(&self.ev_slice_read[self._rows]);
        self.ev_slice_write_o
            .follow(&self.ev_slice_write[self._rows]);
    }
}
