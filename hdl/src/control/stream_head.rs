//! Head of the operand wave: turns operand addresses into slots.

use super::SumsHead;
use crate::buffer::{BankCount, OperandSlot};
use heddle_kernel::prelude::*;

/// Puts operand addresses on the operand wave, tile by tile.
///
/// An address of row 0 of the record becomes a prologue slot (bias of a column tile), of row 1 a
/// tensor slot (operand), of row 2 an epilogue slot (stored result to post). The first vector of
/// a K tile waits until its weights were swapped in. The swap travels with the last vector of the
/// tile before if the weights are complete by then, else in a slot of its own. With row tables
/// every slot names the entry of its K tile.
///
/// # Timing
/// An address accepted in cycle t stands on the wave in t + 1.
#[module]
pub struct StreamHead<const A: usize> {
    /// High while no program runs: forgets the state of the tile.
    pub clear_i: Signal<In, Bit>,
    /// A MATMUL starts: the next tensor slot is the first of a K tile.
    pub start_i: Signal<In, Bit>,
    /// Active rows of the instruction.
    pub rows_i: Signal<In, Bits<9>>,
    /// The first K tile starts from the bias.
    pub first_i: Signal<In, Bit>,
    /// The last K tile goes to post.
    pub last_i: Signal<In, Bit>,
    /// Results bank.
    pub bank_i: Signal<In, Bit>,
    /// Loops 0..=level walk the vectors of one K tile.
    pub level_i: Signal<In, Bits<3>>,
    /// Decode threshold 127 - z.
    pub thr_i: Signal<In, Bits<8>>,
    /// The rows add offsets of their own to operand addresses.
    pub table_i: Signal<In, Bit>,
    /// Entry of the first K tile.
    pub entry_i: Signal<In, Bits<8>>,
    /// Address from the traversal unit.
    pub addr_valid_i: Signal<In, Bit>,
    /// Accepts the address.
    pub addr_ready_o: Signal<Out, Bit>,
    /// Byte address, column tile or result address, by row.
    pub addr_i: Signal<In, Bits<A>>,
    /// Row of the record: 0 prologue, 1 tensor, 2 epilogue.
    pub row_i: Signal<In, Bits<3>>,
    /// Loop c is in its last iteration.
    pub final_i: [Signal<In, Bit>; loops],
    /// The shadow weights hold a complete tile.
    pub full_i: Signal<In, Bit>,
    /// Swap decided in this cycle; it stands on the wave in the next.
    pub swap_o: Signal<Out, Bit>,
    /// Operand slot. Bits of the tag: 0 prologue, 1 epilogue, 2 first K tile, 3 to post, 4 end of tile,
    /// 5 results bank.
    pub op_o: OperandSlot<Out>,
    /// A vector is accepted in this cycle.
    pub vector_o: Signal<Out, Bit>,
    /// The address on the port belongs to the last K tile of the instruction.
    pub last_tile_o: Signal<Out, Bit>,
    /// A vector waits for its weights in this cycle.
    pub stall_o: Signal<Out, Bit>,
    /// The address lies outside its memory, the tile has more vectors than a results bank, or its
    /// entry lies beyond the row tables.
    pub error_o: Signal<Out, Bit>,
    /// A slot waits for stored sums in this cycle.
    pub sums_stall_o: Vec<Signal<Out, Bit>>,
    /// Sums wave, 5 cycles behind the operand wave: the slot starts from stored sums.
    pub sums_read_o: Vec<Signal<Out, Bit>>,
    /// Sums wave: results bank.
    pub sums_bank_o: Vec<Signal<Out, Bit>>,
    /// Sums wave: result address.
    pub sums_addr_o: Vec<Signal<Out, Bits<12>>>,
    // Between tiles: the next tensor slot is the first of one.
    #[new(Reg::with_init(true))]
    between: Reg<Bit>,
    // The weights of the next tile were swapped in.
    armed: Reg<Bit>,
    // The current K tile starts from the bias.
    first: Reg<Bit>,
    /// Vectors of the current tile so far, one bit more than a results bank needs.
    vectors: Reg<Bits<13>>,
    /// Entry of the current K tile, one bit more than a table can need.
    entry: Reg<Bits<9>>,
    // No tensor slot of this instruction was issued yet.
    fresh: Reg<Bit>,
    op_valid: Reg<Bit>,
    op_swap: Reg<Bit>,
    op_fresh: Delay<Bit>,
    op_tag: Reg<Bits<8>>,
    op_addr: Delay<Bits<16>>,
    op_rows: Delay<Bits<9>>,
    op_thr: Delay<Bits<8>>,
    op_table: Delay<Bit>,
    op_entry: Delay<Bits<8>>,
    is_prologue: Signal<Local, Bit>,
    is_tensor: Signal<Local, Bit>,
    is_epilogue: Signal<Local, Bit>,
    in_range: Signal<Local, Bit>,
    has_entry: Signal<Local, Bit>,
    tile_end: Signal<Local, Bit>,
    last_tile: Signal<Local, Bit>,
    accept: Signal<Local, Bit>,
    vector: Signal<Local, Bit>,
    still_armed: Signal<Local, Bit>,
    swap: Signal<Local, Bit>,
    tag: Signal<Local, Bits<8>>,
    sums: Vec<SumsHead>,
    /// The sums that the slot starts from are not stored yet.
    sums_wait: Vec<Signal<Local, Bit>>,
    /// Bits of an address.
    _address_bits: Generic<'a', A>,
    /// Loops of a record.
    _loops: Param<'n'>,
    /// Bits of a partition address.
    _byte_bits: Param<'p'>,
    /// Bits of a column tile.
    _tile_bits: Param<'t'>,
    /// Bits of a result address.
    _result_bits: Param<'d'>,
    /// Bits of an entry of the row tables.
    _entry_bits: Param<'e'>,
    #[new(0)]
    _at_top: usize,
    /// Rows of the array, whose stored sums enter at the top.
    #[new(0)]
    _sum_rows: Feature<"ps">,
    /// Words of a partition that operands may lie in.
    #[new(0)]
    _operand_words: Feature<'u'>,
}

impl<const A: usize> StreamHead<A> {
    /// The head of an array of `rows` rows that stored sums enter at the top: slots wait until theirs are stored.
    pub fn with_sums_at_top(self, rows: usize) -> Self {
        Self {
            sums_stall_o: v(1),
            sums_read_o: v(1),
            sums_bank_o: v(1),
            sums_addr_o: v(1),
            sums: vec![SumsHead::new(rows)],
            sums_wait: v(1),
            _at_top: 1,
            _sum_rows: rows,
            ..self
        }
    }

    /// The head of a partition with these banks: an operand address in a program bank is an error.
    pub fn with_banks(self, banks: BankCount) -> Self {
        Self {
            _operand_words: banks.operand_guard(1 << (self._byte_bits - 3)),
            ..self
        }
    }
}

#[kernel]
impl<const A: usize> StreamHead<A> {
    fn update(&mut self) {
        self.is_prologue.next = self.row_i.val() == 0;
        self.is_tensor.next = self.row_i.val() == 1;
        self.is_epilogue.next = self.row_i.val() == 2;
        self.has_entry.next =
            !self.table_i.val() | ((self.entry.q_o.val() >> self._entry_bits.to_bits::<4>()) == 0);
        let operand = self.is_tensor.val()
            & self.has_entry.val()
            & ((self.addr_i.val() >> self._byte_bits.to_bits::<6>()) == 0);
        let has_room = (self.vectors.q_o.val() >> self._result_bits.to_bits::<4>()) == 0;
        let tile =
            self.is_prologue.val() & ((self.addr_i.val() >> self._tile_bits.to_bits::<6>()) == 0);
        let sum =
            self.is_epilogue.val() & ((self.addr_i.val() >> self._result_bits.to_bits::<6>()) == 0);
        if self._operand_words > 0 {
            let word = self.addr_i.val().get_bits::<13>(3);
            self.in_range.next =
                (operand & (word < self._operand_words.to_bits::<13>()) & has_room) | tile | sum;
        } else {
            self.in_range.next = (operand & has_room) | tile | sum;
        }

        self.tile_end.next = self.final_i[0].val();
        self.last_tile.next = true;
        for c in 1..self._loops {
            self.tile_end.next = self.tile_end.val()
                & (self.final_i[c].val() | (self.level_i.val() < c.to_bits::<3>()));
            self.last_tile.next = self.last_tile.val()
                & (self.final_i[c].val() | (self.level_i.val() >= c.to_bits::<3>()));
        }

        for i in 0..self._at_top {
            self.sums_wait[i].next = (self.is_tensor.val()
                & self.between.q_o.val()
                & !self.first.q_o.val()
                & self.sums[i].tile_wait_o.val())
                | (self.is_epilogue.val() & self.sums[i].slot_wait_o.val());
            self.sums_stall_o[i].next = self.addr_valid_i.val() & self.sums_wait[i].val();
        }
        if self._at_top > 0 {
            self.accept.next = self.addr_valid_i.val()
                & self.in_range.val()
                & !self.sums_wait[0].val()
                & (!self.is_tensor.val() | !self.between.q_o.val() | self.armed.q_o.val());
        } else {
            self.accept.next = self.addr_valid_i.val()
                & self.in_range.val()
                & (!self.is_tensor.val() | !self.between.q_o.val() | self.armed.q_o.val());
        }
        self.vector.next = self.accept.val() & self.is_tensor.val();
        self.addr_ready_o.next = self.accept.val();
        self.vector_o.next = self.vector.val();
        self.last_tile_o.next = self.last_tile.val();
        // Streamed weights begin with the stall, so that it must not come before the sums are there.
        if self._at_top > 0 {
            self.stall_o.next = self.addr_valid_i.val()
                & self.is_tensor.val()
                & self.between.q_o.val()
                & !self.sums_wait[0].val()
                & !self.armed.q_o.val();
        } else {
            self.stall_o.next = self.addr_valid_i.val()
                & self.is_tensor.val()
                & self.between.q_o.val()
                & !self.armed.q_o.val();
        }
        self.error_o.next = self.addr_valid_i.val() & !self.in_range.val();

        // A swap is free behind the last vector of a tile and while no tile is under way.
        self.still_armed.next =
            self.armed.q_o.val() & !(self.vector.val() & self.between.q_o.val());
        self.swap.next = self.full_i.val()
            & !self.still_armed.val()
            & ((self.vector.val() & self.tile_end.val())
                | (!self.vector.val() & self.between.q_o.val()));
        self.swap_o.next = self.swap.val();
        self.armed.d_i.next = (self.still_armed.val() | self.swap.val()) & !self.clear_i.val();

        self.between.d_i.next = self.between.q_o.val();
        self.first.d_i.next = self.first.q_o.val();
        self.vectors.d_i.next = self.vectors.q_o.val();
        self.fresh.d_i.next = self.fresh.q_o.val();
        self.entry.d_i.next = self.entry.q_o.val();
        if self.vector.val() {
            self.between.d_i.next = self.tile_end.val();
            self.fresh.d_i.next = false;
            self.vectors.d_i.next = self.vectors.q_o.val() + 1;
            if self.tile_end.val() {
                self.vectors.d_i.next = 0.into();
                self.first.d_i.next = false;
                self.entry.d_i.next = self.entry.q_o.val() + 1;
                // The next column tile of the instruction begins like the first one.
                if self.last_tile.val() {
                    self.first.d_i.next = self.first_i.val();
                    self.entry.d_i.next = self.entry_i.val().get_bits::<9>(0);
                }
            }
        }
        if self.start_i.val() {
            self.first.d_i.next = self.first_i.val();
            self.fresh.d_i.next = true;
            self.entry.d_i.next = self.entry_i.val().get_bits::<9>(0);
        }
        if self.clear_i.val() | self.start_i.val() {
            self.between.d_i.next = true;
            self.vectors.d_i.next = 0.into();
        }

        self.tag.next = 0.into();
        if self.accept.val() {
            self.tag.next = bits::<8>(0)
                .replace_bit(0, self.is_prologue.val())
                .replace_bit(1, self.is_epilogue.val())
                .replace_bit(2, self.is_tensor.val() & self.first.q_o.val())
                .replace_bit(
                    3,
                    self.is_epilogue.val()
                        | (self.is_tensor.val() & self.last_i.val() & self.last_tile.val()),
                )
                .replace_bit(4, self.is_tensor.val() & self.tile_end.val())
                .replace_bit(5, self.bank_i.val());
        }
        self.op_tag.d_i.next = self.tag.val();
        self.op_valid.d_i.next = self.vector.val() & !self.clear_i.val();
        self.op_swap.d_i.next = self.swap.val() & !self.clear_i.val();
        self.op_fresh.d_i.next = self.fresh.q_o.val();
        self.op_addr.d_i.next = self.addr_i.val().get_bits::<16>(0);
        self.op_rows.d_i.next = self.rows_i.val();
        self.op_thr.d_i.next = self.thr_i.val();
        self.op_table.d_i.next = self.table_i.val();
        self.op_entry.d_i.next = self.entry.q_o.val().get_bits::<8>(0);

        self.op_o.valid.next = self.op_valid.q_o.val();
        self.op_o.addr.next = self.op_addr.q_o.val();
        self.op_o.rows.next = self.op_rows.q_o.val();
        self.op_o.thr.next = self.op_thr.q_o.val();
        self.op_o.fresh.next = self.op_fresh.q_o.val();
        self.op_o.swap.next = self.op_swap.q_o.val();
        self.op_o.tag.next = self.op_tag.q_o.val();
        self.op_o.table.next = self.op_table.q_o.val();
        self.op_o.entry.next = self.op_entry.q_o.val();

        for i in 0..self._at_top {
            self.sums[i].store_i.next =
                self.vector.val() & !(self.last_i.val() & self.last_tile.val());
            self.sums[i].begin_i.next = self.between.q_o.val();
            self.sums[i].read_i.next = self.accept.val()
                & (self.is_epilogue.val() | (self.is_tensor.val() & !self.first.q_o.val()));
            self.sums[i].bank_i.next = self.bank_i.val();
            self.sums[i].addr_i.next = self.vectors.q_o.val().get_bits::<12>(0);
            if self.is_epilogue.val() {
                self.sums[i].addr_i.next = self.addr_i.val().get_bits::<12>(0);
            }
            self.sums_read_o[i].next = self.sums[i].read_o.val();
            self.sums_bank_o[i].next = self.sums[i].bank_o.val();
            self.sums_addr_o[i].next = self.sums[i].addr_o.val();
        }
    }
}
