//! Issue unit of the operand wave: turns operand addresses into slots.

use super::{ControlShape, SumsIssue};
use crate::buffer::OperandSlot;
use heddle_kernel::prelude::*;

/// Puts operand addresses on the operand wave, tile by tile.
///
/// An address of row 0 of the record becomes a prologue slot (bias of a column tile), of row 1 a
/// tensor slot (operand), of row 2 an epilogue slot (stored result to post). The first vector of
/// a K tile waits until its weights were swapped in. The swap travels with the last vector of the
/// tile before if the weights are complete by then, else in a slot of its own. With row tables
/// every slot names the entry of its K tile. Where columns share a multiplier, slots for post leave it a clock for each.
///
/// # Timing
/// An address accepted in cycle t is on the wave in t + 1.
#[module(shape: ControlShape, describe)]
pub struct StreamIssue<const A: usize> {
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
    /// The sums of a K tile that starts from the bias are raised.
    pub raised_i: [Signal<In, Bit>; raises],
    /// Loops 0..=level walk the vectors of one K tile.
    pub level_i: Signal<In, Bits<3>>,
    /// Decode threshold 127 - z.
    pub thr_i: Signal<In, Bits<8>>,
    /// The rows add offsets of their own to operand addresses.
    pub table_i: Signal<In, Bit>,
    /// Entry of the first K tile.
    pub entry_i: Signal<In, Bits<8>>,
    /// Operands go to the sparse cluster.
    pub cluster_i: [Signal<In, Bit>; clusters],
    /// It has room for a slot.
    pub takes_slot_i: [Signal<In, Bit>; clusters],
    /// It is sent a slot in this cycle.
    pub sends_o: [Signal<Out, Bit>; clusters],
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
    /// Swap decided in this cycle; it is on the wave in the next.
    pub swap_o: Signal<Out, Bit>,
    /// Operand slot. Bits of the tag: 0 prologue, 1 epilogue, 2 first K tile, 3 to post, 4 end of tile,
    /// 5 results bank, 7 to the sparse cluster.
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
    pub sums_stall_o: [Signal<Out, Bit>; at_top],
    /// Sums wave, 8 cycles after the operand wave: the slot starts from stored sums.
    pub sums_read_o: [Signal<Out, Bit>; at_top],
    /// Sums wave: results bank.
    pub sums_bank_o: [Signal<Out, Bit>; at_top],
    /// Sums wave: result address.
    pub sums_addr_o: [Signal<Out, Bits<12>>; at_top],
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
    /// Clocks until the next slot may go to post.
    pace: [Reg<Bits<2>>; paced],
    to_post: Signal<Local, Bit>,
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
    /// The address becomes a slot for the sparse cluster.
    sends: [Signal<Local, Bit>; clusters],
    #[new(SumsIssue::new(sum_rows))]
    sums: [SumsIssue; at_top],
    /// The sums that the slot starts from are not stored yet.
    sums_wait: [Signal<Local, Bit>; at_top],
    /// Bits of an address.
    _address_bits: Generic<'a', A>,
    /// Loops of a record.
    #[new(shape.sequencer.units[1].loops)]
    _loops: Param<'n'>,
    /// Bits of a partition address.
    _byte_bits: Param<'p'>,
    /// Bits of a column tile.
    #[new(shape.tile_bits())]
    _tile_bits: Param<'t'>,
    /// Bits of a result address.
    _result_bits: Param<'d'>,
    /// Bits of an entry of the row tables.
    #[new(shape.entry_bits())]
    _entry_bits: Param<'e'>,
    #[new(shape.sums_at_top.into())]
    _at_top: usize,
    /// Rows of the array, whose stored sums enter at the top.
    #[new(at_top * shape.sequencer.rows)]
    _sum_rows: Feature<"ps">,
    /// Columns that share a multiplier.
    #[new(if shape.sequencer.post.shares() { shape.sequencer.post.columns_per_multiplier } else { 0 })]
    _columns_per_multiplier: Feature<"cm">,
    #[new(shape.sequencer.post.shares().into())]
    _paced: usize,
    /// Words of a partition that operands may lie in.
    #[new(shape.banks.operand_guard(1 << shape.word_bits()))]
    _operand_words: Feature<'u'>,
    /// Sums may be raised.
    #[new(shape.sequencer.post.dual_scale.into())]
    _raises: Feature<"ds">,
    /// There is a sparse cluster.
    #[new(shape.sequencer.cluster.into())]
    _clusters: Feature<"sc">,
}

impl<const A: usize> StreamIssue<A> {
    fn describe(&self, meta: Meta) -> Meta {
        let raised = "Bit 6 of the tag: the sum is raised.";
        meta.doc_if(self._raises > 0, raised)
    }
}

#[kernel]
impl<const A: usize> StreamIssue<A> {
    fn update(&mut self) {
        self.place();
        self.end();
        self.accept();
        self.swap();
        self.state();
        self.slot();
        self.sums();
    }

    /// What the address is for, and whether it may be there.
    fn place(&mut self) {
        self.is_prologue = self.row_i == 0;
        self.is_tensor = self.row_i == 1;
        self.is_epilogue = self.row_i == 2;
        self.has_entry = !self.table_i | ((self.entry >> self._entry_bits.to_bits::<4>()) == 0);
        let operand = self.is_tensor
            & self.has_entry
            & ((self.addr_i >> self._byte_bits.to_bits::<6>()) == 0);
        let has_room = (self.vectors >> self._result_bits.to_bits::<4>()) == 0;
        let tile = self.is_prologue & ((self.addr_i >> self._tile_bits.to_bits::<6>()) == 0);
        let sum = self.is_epilogue & ((self.addr_i >> self._result_bits.to_bits::<6>()) == 0);
        if self._operand_words > 0 {
            let word = self.addr_i.get_bits::<13>(3);
            self.in_range =
                (operand & (word < self._operand_words.to_bits::<13>()) & has_room) | tile | sum;
        } else {
            self.in_range = (operand & has_room) | tile | sum;
        }
    }

    /// Ends of tiles.
    fn end(&mut self) {
        self.tile_end = self.final_i[0];
        self.last_tile = true;
        for c in 1..self._loops {
            self.tile_end = self.tile_end & (self.final_i[c] | (self.level_i < c.to_bits::<3>()));
            self.last_tile =
                self.last_tile & (self.final_i[c] | (self.level_i >= c.to_bits::<3>()));
        }
    }

    /// Whether the address becomes a slot in this cycle.
    fn accept(&mut self) {
        for i in 0..self._at_top {
            self.sums_wait[i] =
                (self.is_tensor & self.between & !self.first & self.sums[i].tile_wait_o)
                    | (self.is_epilogue & self.sums[i].slot_wait_o);
            self.sums_stall_o[i] = self.addr_valid_i & self.sums_wait[i];
        }
        self.accept = mux(
            self._at_top > 0,
            self.addr_valid_i
                & self.in_range
                & !self.sums_wait[0]
                & (!self.is_tensor | !self.between | self.armed),
            self.addr_valid_i & self.in_range & (!self.is_tensor | !self.between | self.armed),
        );
        self.to_post = self.is_epilogue | (self.is_tensor & self.last_i & self.last_tile);
        for i in 0..self._paced {
            self.pace[i] = mux(self.pace[i] == 0, 0.into(), self.pace[i] - 1);
            if self.to_post {
                self.accept = self.accept & (self.pace[i] == 0);
            }
            if self.accept & self.to_post {
                self.pace[i] = (self._columns_per_multiplier - 1).to_bits::<2>();
            }
        }
        self.vector = self.accept & self.is_tensor;
        // A slot for the cluster waits for its room, and for nothing else.
        for k in 0..self._clusters {
            self.sends[k] = false;
            if self.is_tensor & self.cluster_i[k] {
                self.sends[k] = self.addr_valid_i & self.in_range & self.takes_slot_i[k];
                self.accept = self.sends[k];
                self.vector = false;
            }
            self.sends_o[k] = self.sends[k] & !self.clear_i;
        }
        self.addr_ready_o = self.accept;
        self.vector_o = self.vector;
        self.last_tile_o = self.last_tile;
        // Streamed weights begin with the stall, so that it must not come before the sums are there.
        self.stall_o = mux(
            self._at_top > 0,
            self.addr_valid_i & self.is_tensor & self.between & !self.sums_wait[0] & !self.armed,
            self.addr_valid_i & self.is_tensor & self.between & !self.armed,
        );
        self.error_o = self.addr_valid_i & !self.in_range;
        for k in 0..self._clusters {
            if self.is_tensor & self.cluster_i[k] {
                self.stall_o = false;
            }
        }
    }

    /// The next weights.
    fn swap(&mut self) {
        // A swap is free behind the last vector of a tile and while no tile is under way.
        self.still_armed = self.armed & !(self.vector & self.between);
        self.swap = self.full_i
            & !self.still_armed
            & ((self.vector & self.tile_end) | (!self.vector & self.between));
        self.swap_o = self.swap;
        self.armed = (self.still_armed | self.swap) & !self.clear_i;
    }

    /// Where in its tile the instruction is.
    fn state(&mut self) {
        self.between = self.between;
        self.first = self.first;
        self.vectors = self.vectors;
        self.fresh = self.fresh;
        self.entry = self.entry;
        if self.vector {
            self.between = self.tile_end;
            self.fresh = false;
            self.vectors = self.vectors + 1;
            if self.tile_end {
                self.vectors = 0.into();
                self.first = false;
                self.entry = self.entry + 1;
                // The next column tile of the instruction begins like the first one.
                if self.last_tile {
                    self.first = self.first_i;
                    self.entry = self.entry_i.get_bits::<9>(0);
                }
            }
        }
        for k in 0..self._clusters {
            if self.sends[k] {
                self.fresh = false;
            }
        }
        if self.start_i {
            self.first = self.first_i;
            self.fresh = true;
            self.entry = self.entry_i.get_bits::<9>(0);
        }
        if self.clear_i | self.start_i {
            self.between = true;
            self.vectors = 0.into();
        }
    }

    /// The slot on the wave.
    fn slot(&mut self) {
        let tag = bits::<8>(0)
            .replace_bit(0, self.accept & self.is_prologue)
            .replace_bit(1, self.accept & self.is_epilogue)
            .replace_bit(2, self.vector & self.first)
            .replace_bit(3, self.accept & self.to_post)
            .replace_bit(4, self.vector & self.tile_end)
            .replace_bit(5, self.accept & self.bank_i);
        self.op_tag = mux(
            self._raises > 0,
            tag.replace_bit(6, self.vector & self.first & self.raised_i[0]),
            tag,
        );
        self.op_valid = self.vector & !self.clear_i;
        for k in 0..self._clusters {
            if self.sends[k] {
                self.op_tag = bits::<8>(1 << 7);
                self.op_valid = !self.clear_i;
            }
        }
        self.op_swap = self.swap & !self.clear_i;
        self.op_fresh = self.fresh;
        self.op_addr = self.addr_i.get_bits::<16>(0);
        self.op_rows = self.rows_i;
        self.op_thr = self.thr_i;
        self.op_table = self.table_i;
        self.op_entry = self.entry.get_bits::<8>(0);

        self.op_o.valid = self.op_valid;
        self.op_o.addr = self.op_addr;
        self.op_o.rows = self.op_rows;
        self.op_o.thr = self.op_thr;
        self.op_o.fresh = self.op_fresh;
        self.op_o.swap = self.op_swap;
        self.op_o.tag = self.op_tag;
        self.op_o.table = self.op_table;
        self.op_o.entry = self.op_entry;
    }

    /// Stored sums of the slot.
    fn sums(&mut self) {
        for i in 0..self._at_top {
            self.sums[i].store_i = self.vector & !(self.last_i & self.last_tile);
            self.sums[i].begin_i = self.between;
            self.sums[i].read_i = self.accept & (self.is_epilogue | (self.is_tensor & !self.first));
            self.sums[i].bank_i = self.bank_i;
            self.sums[i].addr_i = self.vectors.get_bits::<12>(0);
            if self.is_epilogue {
                self.sums[i].addr_i = self.addr_i.get_bits::<12>(0);
            }
            self.sums_read_o[i] = self.sums[i].read_o;
            self.sums_bank_o[i] = self.sums[i].bank_o;
            self.sums_addr_o[i] = self.sums[i].addr_o;
        }
    }
}
