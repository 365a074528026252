//! One row of the state buffer: ports and parts.

mod logic;

use super::banks::shares;
use super::waves::*;
use super::{BankCount, Banks, EventSum, OperandReader, READ_CYCLES, RowOffset};
use crate::sliced::SlicedShape;
use heddle_kernel::prelude::*;

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
/// T+2, `x_o` and `swap_o` in T+9. Weight slot in T: bank read in T, `w_o` and `shift_o` in T+6,
/// also for an inactive row (with any data). A slot that copies has its destination on `wt_dest_i` in T+6 and writes
/// the word there in T+6, if the row is active. Host read in T: answer in T+7. Events are added in
/// the second cycle after the one in which they happen. What travels is on the outputs in T+1; the fault
/// of a slot is on `op_fault_i` in T+1 and on `op_fault_o` in T+2.
#[module(describe)]
pub struct Partition {
    /// Operand slot.
    pub op_i: OperandSlot<In>,
    /// An earlier row had no address for the slot of the cycle before: the sum lay beyond its memory.
    pub op_fault_i: Signal<In, Bit>,
    /// Operand slot to the next partition.
    pub op_o: OperandSlot<Out>,
    /// This or an earlier row had none for the slot of two cycles before.
    pub op_fault_o: Signal<Out, Bit>,
    op: OperandSlotReg,
    op_fault: Reg<Bit>,
    /// Weight slot: a word is shifted in or copied.
    pub wt: Wave<WeightSlot>,
    /// A word arrives from the drain of the column with the same number.
    pub dr_i: DrainWord<In>,
    /// Host access.
    pub host: Wave<HostAccess>,
    /// Answer to a host read, of the partitions before or 0.
    pub host_ports_i: HostAnswer<In>,
    /// Answer to a host read of this or the partitions before.
    pub host_ports_o: HostAnswer<Out>,
    host_ports: HostAnswerReg,
    /// Events of the partitions before.
    #[new(Events::new(told, slices))]
    pub ev_i: Events<In>,
    /// Events up to this partition.
    #[new(Events::new(told, slices))]
    pub ev_o: Events<Out>,
    /// What the row of the array is given.
    pub ports_o: RowFeed<Out>,
    #[new(RowOffset::new(offsets, (8 * words).ilog2() as usize).with_end(count.operand_guard(words)))]
    row_offset: RowOffset,
    #[new(Contract::new("two writers of a partition at once"))]
    one_writer: Contract,
    #[new(Banks::new(count, &shape))]
    banks: Banks,
    #[new(OperandReader::new(count.events, shares(&shape), shape.right))]
    reader: OperandReader,
    /// Weight word, or word for the host.
    word: [Delay<Bits<8>>; 8],
    /// A word of this row is copied, one cycle ago and more.
    copy: [Reg<Bit>; READ_CYCLES + 1],
    /// A weight slot that shifts, two cycles ago and more.
    shift: [Reg<Bit>; READ_CYCLES],
    /// A host read of this partition, one cycle ago and more.
    answer: [Reg<Bit>; READ_CYCLES + 1],
    /// The same, but not of the program.
    data_answer: [[Reg<Bit>; READ_CYCLES + 1]; has_program],
    /// The word of the second reader is for the host.
    own_answer: Signal<Local, Bit>,
    /// It, or 0.
    answer_word: [Signal<Local, Bits<8>>; 8],
    /// Word of the program for the host, or 0.
    program_word: [[Delay<Bits<8>>; 8]; has_program],
    #[new(EventSum::new(data, most_reads))]
    ev_mask_read: [EventSum; told],
    #[new(EventSum::new(data, rows))]
    ev_mask_write: [EventSum; told],
    #[new(EventSum::new(data, most_reads))]
    ev_slice_read: [EventSum; told * slices],
    #[new(EventSum::new(data, rows))]
    ev_slice_write: [EventSum; told * slices],
    #[new(EventSum::new(1, rows))]
    ev_zero: [EventSum; told],
    /// A bank was read for the host, one cycle ago and more.
    host_took: [[Delay<Bit>; last_access]; quiet * data],
    /// A word of the host was written.
    host_wrote: [Delay<Bit>; quiet * last_access],
    /// For each cycle of the way to the slices: the access is one of the host, which is not told.
    hides_read: [[Signal<Local, Bit>; last_access + 1]; quiet * data],
    hides_write: [Signal<Local, Bit>; quiet * (last_access + 1)],
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
    /// The word that is written: drain words go first.
    write: DrainWord<Local>,
    /// Banks: 2, 4 or 8.
    #[argument]
    _all: impl Into<BankCount>,
    /// Shape of a bank, see [`Banks::new`].
    #[argument]
    _bank: &SlicedShape,
    #[new(all.into())]
    _count: BankCount,
    /// Banks.
    #[new(count.all)]
    _banks: Param<'b'>,
    /// Banks that operands are read from.
    #[new(count.data())]
    _data: usize,
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
    /// Accesses of the host are not told: it has them while a program runs.
    #[new(count.quiet_host.into())]
    _quiet: Feature<"dm">,
    /// Cycles from a request to the last access of a slice.
    #[new(bank.access_cycles(bank.slices() - 1))]
    _last_access: usize,
    #[new((count.program > 0).into())]
    _has_program: usize,
    /// The host alone writes some banks.
    #[new(count.has_host())]
    _has_host: usize,
    #[new(bank.slices())]
    _slices: usize,
    /// Entries of the offset table.
    _offsets: Param<'e'>,
    /// Partitions of the state buffer, whose events are added.
    _rows: Param<'r'>,
    /// Banks that are read in a clock, in all partitions: for an operand, and for a weight or the host.
    #[new(rows * count.data().min(2))]
    _most_reads: usize,
    /// Words of the partition.
    #[new(banks * bank.words)]
    _words: usize,
    /// Words in front of the program.
    #[new(count.operand_guard(words))]
    _operand_words: usize,
    #[new(bank.clone())]
    _shape: SlicedShape,
}

impl Partition {
    fn describe(&self, meta: Meta) -> Meta {
        let input = "Of the input buffer no weights are read; drain words for it are not written.";
        let program = "Nothing but the host path reaches the program.";
        let meta = meta.doc_if(self._input_banks > 0, input);
        self._shape
            .describe_kind(meta.doc_if(self._program_banks > 0, program))
    }
}
