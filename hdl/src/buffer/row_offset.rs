//! From the address that all rows share to that of one row.

use heddle_kernel::prelude::*;

/// Adds the row's own offset to the address of an operand slot.
///
/// The offset comes from a small table, read at the entry that travels with the slot: every K tile
/// has an entry. A slot without the table keeps its address and takes as long. An entry that is
/// not valid, or a sum beyond the partition, gives a slot without operand: nothing is read.
///
/// # Timing
/// Slot in cycle T: `active_i`, `table_i` and `entry_i` in T, `addr_i`, `thr_i`, `fresh_i` and
/// `swap_i`, which the partition has registered, in T+1. `beyond_o` in T+1, combinational; the slot
/// on the other outputs in T+2. An entry written in a cycle is read from the next one on.
#[module(describe)]
pub struct RowOffset {
    /// The slot holds an operand for this row.
    pub active_i: Signal<In, Bit>,
    /// The offset is added.
    pub table_i: Signal<In, Bit>,
    /// Entry of the table.
    pub entry_i: Signal<In, Bits<8>>,
    /// Address that all rows share, one cycle later.
    pub addr_i: Signal<In, Bits<16>>,
    /// Decode threshold, one cycle later.
    pub thr_i: Signal<In, Bits<8>>,
    /// Fresh flag, one cycle later.
    pub fresh_i: Signal<In, Bit>,
    /// Swap flag, one cycle later.
    pub swap_i: Signal<In, Bit>,
    /// Writes an entry.
    pub wen_i: Signal<In, Bit>,
    /// Entry to write.
    pub wentry_i: Signal<In, Bits<8>>,
    /// Bit 16: the entry is valid; bits 15..0: the offset.
    pub wdata_i: Signal<In, Bits<17>>,
    #[new(Ram1r1w::new(1, depth).passing().at_rest(true))]
    offsets: Ram1r1w<8, 17>,
    active: Reg<Bit>,
    is_added: Delay<Bit>,
    /// The slot holds an operand for this row, and the row has an address for it.
    pub valid: OutReg<Bit>,
    /// Address in this partition.
    pub addr: OutDelay<Bits<16>>,
    /// Decode threshold of that slot.
    pub thr: OutDelay<Bits<8>>,
    /// Fresh flag of that slot.
    pub fresh: OutDelay<Bit>,
    /// Swap flag of that slot.
    pub swap: OutReg<Bit>,
    /// The sum lies beyond the partition.
    pub beyond_o: Signal<Out, Bit>,
    /// Entry of the slot.
    entry: Signal<Local, Bits<17>>,
    /// Offset to add, 0 without the table.
    offset: Signal<Local, Bits<17>>,
    sum: Signal<Local, Bits<17>>,
    /// The row has an address for the slot.
    has_address: Signal<Local, Bit>,
    beyond: Signal<Local, Bit>,
    /// Entries of the table.
    _depth: Param<'d'>,
    /// Bits of a partition address.
    _byte_bits: Param<'p'>,
    /// Words of the partition that operands may lie in.
    #[new(0)]
    _operand_words: Feature<'u'>,
}

impl RowOffset {
    /// The same for a partition of which operands lie in the first so many words alone; 0 for all of them.
    pub fn with_end(self, words: usize) -> Self {
        Self {
            _operand_words: words,
            ..self
        }
    }
}

impl RowOffset {
    fn describe(&self, meta: Meta) -> Meta {
        meta.doc_if(
            self._operand_words > 0,
            "A sum beyond the words of operands counts as one beyond the partition.",
        )
    }
}

#[kernel]
impl RowOffset {
    fn update(&mut self) {
        // Stage 0: the table
        self.offsets.wen_i = self.wen_i;
        self.offsets.waddr_i = self.wentry_i;
        self.offsets.wdata_i[0] = self.wdata_i;
        self.offsets.ren_i = self.active_i & self.table_i;
        self.offsets.raddr_i = self.entry_i;
        self.active = self.active_i;
        self.is_added = self.table_i;

        // Stage 1: the sum
        self.entry = self.offsets.rdata_o[0];
        self.offset = 0.into();
        self.has_address = true;
        if self.is_added {
            self.offset = self.entry & 0xffff;
            self.has_address = self.entry.get_bit(16);
        }
        self.sum = self.addr_i.get_bits::<17>(0) + self.offset;
        self.beyond = mux(
            self._operand_words > 0,
            self.active
                & self.has_address
                & (((self.sum >> self._byte_bits.to_bits::<5>()) != 0)
                    | (self.sum.get_bits::<13>(3) >= self._operand_words.to_bits::<13>())),
            self.active & self.has_address & ((self.sum >> self._byte_bits.to_bits::<5>()) != 0),
        );
        self.beyond_o = self.beyond;
        self.valid = self.active & self.has_address & !self.beyond;
        self.addr = self.sum.get_bits::<16>(0);
        self.thr = self.thr_i;
        self.fresh = self.fresh_i;
        self.swap = self.swap_i;

        // Stage 2
    }
}
