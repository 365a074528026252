//! From the address that all rows share to that of one row.

use crate::prelude::*;

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
#[derive(LogicBlock)]
pub struct RowOffset {
    /// Clock.
    pub clk: Signal<In, Clock>,
    /// Reset, active low.
    pub rst_n: Signal<In, Bit>,
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
    /// The slot holds an operand for this row, and the row has an address for it.
    pub valid_o: Signal<Out, Bit>,
    /// Address in this partition.
    pub addr_o: Signal<Out, Bits<16>>,
    /// Decode threshold of that slot.
    pub thr_o: Signal<Out, Bits<8>>,
    /// Fresh flag of that slot.
    pub fresh_o: Signal<Out, Bit>,
    /// Swap flag of that slot.
    pub swap_o: Signal<Out, Bit>,
    /// The sum lies beyond the partition.
    pub beyond_o: Signal<Out, Bit>,
    offsets: Ram1r1w<8, 17>,
    active: Reg<Bit>,
    is_added: Delay<Bit>,
    valid: Reg<Bit>,
    addr: Delay<Bits<16>>,
    thr: Delay<Bits<8>>,
    fresh: Delay<Bit>,
    swap: Reg<Bit>,
    /// Entry of the slot.
    entry: Signal<Local, Bits<17>>,
    /// Offset to add, 0 without the table.
    offset: Signal<Local, Bits<17>>,
    sum: Signal<Local, Bits<17>>,
    /// The row has an address for the slot.
    has_address: Signal<Local, Bit>,
    beyond: Signal<Local, Bit>,
    _depth: usize,
    _byte_bits: usize,
    /// Words that operands may lie in; 0 for all of the partition.
    _operand_words: usize,
}

impl RowOffset {
    /// A table of `depth` entries, at most 256, for a partition of 2^`byte_bits` bytes.
    pub fn new(depth: usize, byte_bits: usize) -> Self {
        Self {
            clk: Default::default(),
            rst_n: Default::default(),
            active_i: Default::default(),
            table_i: Default::default(),
            entry_i: Default::default(),
            addr_i: Default::default(),
            thr_i: Default::default(),
            fresh_i: Default::default(),
            swap_i: Default::default(),
            wen_i: Default::default(),
            wentry_i: Default::default(),
            wdata_i: Default::default(),
            valid_o: Default::default(),
            addr_o: Default::default(),
            thr_o: Default::default(),
            fresh_o: Default::default(),
            swap_o: Default::default(),
            beyond_o: Default::default(),
            offsets: Ram1r1w::new(1, depth),
            active: Default::default(),
            is_added: Default::default(),
            valid: Default::default(),
            addr: Default::default(),
            thr: Default::default(),
            fresh: Default::default(),
            swap: Default::default(),
            entry: Default::default(),
            offset: Default::default(),
            sum: Default::default(),
            has_address: Default::default(),
            beyond: Default::default(),
            _depth: depth,
            _byte_bits: byte_bits,
            _operand_words: 0,
        }
    }

    /// The same for a partition of which operands lie in the first so many words alone; 0 for all of them.
    pub fn with_end(self, words: usize) -> Self {
        Self {
            _operand_words: words,
            ..self
        }
    }
}

impl Logic for RowOffset {
    #[hdl_gen]
    fn update(&mut self) {
        // Stage 0: the table
        self.offsets.clk.next = self.clk.val();
        self.offsets.wen_i.next = self.wen_i.val();
        self.offsets.waddr_i.next = self.wentry_i.val();
        self.offsets.wdata_i[0].next = self.wdata_i.val();
        self.offsets.ren_i.next = self.active_i.val() & self.table_i.val();
        self.offsets.raddr_i.next = self.entry_i.val();
        self.active.clk.next = self.clk.val();
        self.active.rst_n.next = self.rst_n.val();
        self.active.d_i.next = self.active_i.val();
        self.is_added.clk.next = self.clk.val();
        self.is_added.d_i.next = self.table_i.val();

        // Stage 1: the sum
        self.entry.next = self.offsets.rdata_o[0].val();
        self.offset.next = 0.into();
        self.has_address.next = true;
        if self.is_added.q_o.val() {
            self.offset.next = self.entry.val() & 0xffff;
            self.has_address.next = self.entry.val().get_bit(16);
        }
        self.sum.next = self.addr_i.val().get_bits::<17>(0) + self.offset.val();
        if self._operand_words > 0 {
            self.beyond.next = self.active.q_o.val()
                & self.has_address.val()
                & (((self.sum.val() >> self._byte_bits.to_bits::<5>()) != 0)
                    | (self.sum.val().get_bits::<13>(3) >= self._operand_words.to_bits::<13>()));
        } else {
            self.beyond.next = self.active.q_o.val()
                & self.has_address.val()
                & ((self.sum.val() >> self._byte_bits.to_bits::<5>()) != 0);
        }
        self.beyond_o.next = self.beyond.val();
        self.valid.clk.next = self.clk.val();
        self.valid.rst_n.next = self.rst_n.val();
        self.valid.d_i.next = self.active.q_o.val() & self.has_address.val() & !self.beyond.val();
        self.addr.clk.next = self.clk.val();
        self.addr.d_i.next = self.sum.val().get_bits::<16>(0);
        self.thr.clk.next = self.clk.val();
        self.thr.d_i.next = self.thr_i.val();
        self.fresh.clk.next = self.clk.val();
        self.fresh.d_i.next = self.fresh_i.val();
        self.swap.clk.next = self.clk.val();
        self.swap.rst_n.next = self.rst_n.val();
        self.swap.d_i.next = self.swap_i.val();

        // Stage 2
        self.valid_o.next = self.valid.q_o.val();
        self.addr_o.next = self.addr.q_o.val();
        self.thr_o.next = self.thr.q_o.val();
        self.fresh_o.next = self.fresh.q_o.val();
        self.swap_o.next = self.swap.q_o.val();
    }
    module!(|this| {
        let offset = Meta::module("row_offset")
            .param("depth", "d", this._depth, "entries of the table")
            .param(
                "byte_bits",
                "p",
                this._byte_bits,
                "bits of a partition address",
            )
            .feature(
                "operand_words",
                "u",
                this._operand_words,
                "words of the partition that operands may lie in",
            );
        match this._operand_words {
            0 => offset,
            _ => {
                offset.doc("A sum beyond the words of operands counts as one beyond the partition.")
            }
        }
    });
}
