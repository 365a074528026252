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
    pub dr_i: [DrainWord<In>; rows],
    /// What each row of the array is given.
    pub ports_o: [RowFeed<Out>; rows],
    /// Operand slot after the last row.
    pub op_valid_o: Signal<Out, Bit>,
    /// Address behind the last row.
    pub op_addr_o: Signal<Out, Bits<16>>,
    /// Tag behind the last row.
    pub op_tag_o: Signal<Out, Bits<8>>,
    /// A row had no address for the slot of the cycle before: the sum lay beyond its memory.
    pub op_fault_o: Signal<Out, Bit>,
    /// Answer to a host read.
    pub host_o: HostAnswer<Out>,
    /// Events of all rows.
    #[new(Events::new(told, slices))]
    pub ev_o: Events<Out>,
    /// Partitions, one per row.
    #[new(Partition::new(count, &shape, offsets, rows))]
    pub partition: [Partition; rows],
    op: [OperandSlot<Local>; rows + 1],
    op_fault: [Signal<Local, Bit>; rows + 1],
    wt: [WeightSlot<Local>; rows + 1],
    host: [HostAccess<Local>; rows + 1],
    answer: [HostAnswer<Local>; rows + 1],
    #[new(Events::new(told, slices))]
    ev: [Events<Local>; rows + 1],
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
    /// Nothing is told of accesses.
    #[new((!count.events).into())]
    _untold: Feature<"nc">,
    #[new(count.events.into())]
    _told: usize,
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
        self.host[0].follow(&self.host_i);
        self.answer[0].tie_low();
        self.ev[0].tie_low();
        for i in 0..self._rows {
            self.partition[i].op_i.follow(&self.op[i]);
            self.partition[i].op_fault_i = self.op_fault[i];
            self.partition[i].wt_i.follow(&self.wt[i]);
            self.partition[i].host_i.follow(&self.host[i]);
            self.partition[i].host_ports_i.follow(&self.answer[i]);
            self.partition[i].ev_i.follow(&self.ev[i]);
            self.partition[i].dr_i.follow(&self.dr_i[i]);
            self.op[i + 1].follow(&self.partition[i].op_o);
            self.op_fault[i + 1] = self.partition[i].op_fault_o;
            self.wt[i + 1].follow(&self.partition[i].wt_o);
            self.host[i + 1].follow(&self.partition[i].host_o);
            self.answer[i + 1].follow(&self.partition[i].host_ports_o);
            self.ev[i + 1].follow(&self.partition[i].ev_o);
            self.ports_o[i].follow(&self.partition[i].ports_o);
        }
        self.op_valid_o = self.op[self._rows].valid;
        self.op_addr_o = self.op[self._rows].addr;
        self.op_tag_o = self.op[self._rows].tag;
        self.op_fault_o = self.op_fault[self._rows];
        self.host_o.follow(&self.answer[self._rows]);
        self.ev_o.follow(&self.ev[self._rows]);
    }
}
