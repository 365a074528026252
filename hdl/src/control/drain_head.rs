//! Head of the results and post waves: what happens to a slot that has left the last row.

use crate::buffer::BankCount;
use crate::post::PostOptions;
use crate::prelude::*;

/// Gives every slot that leaves the last row its result address and its drain address.
///
/// Vectors of a K tile use result addresses 0, 1, 2 and so on; epilogue slots bring theirs. A slot
/// for post takes the next address of the drain unit.
///
/// # Timing
/// A slot seen on the operand wave behind the last row in cycle t stands on the results wave in
/// t + 6 and, if it goes to post, on the post wave in t + 8; its drain address is taken in t + 7.
/// The unit is busy until Cols + 16 cycles after its last address was taken: by then the last
/// word is in the state buffer.
#[derive(LogicBlock, Default)]
pub struct DrainHead<const A: usize> {
    /// Clock.
    pub clk: Signal<In, Clock>,
    /// Reset, active low.
    pub rst_n: Signal<In, Bit>,
    /// High while no program runs: drops everything under way.
    pub clear_i: Signal<In, Bit>,
    /// A DRAIN starts: the lanes load their scaling.
    pub start_i: Signal<In, Bit>,
    /// Active columns of the instruction.
    pub columns_i: Signal<In, Bits<9>>,
    /// Column tile of multiplier and shift of the first results.
    pub tile_i: Signal<In, Bits<8>>,
    /// The column tile goes up by one behind addresses whose loops 0..=level are in their last iteration.
    pub advance_i: Signal<In, Bit>,
    /// That level.
    pub level_i: Signal<In, Bits<3>>,
    /// Slots in a window, less one.
    pub window_i: Vec<Signal<In, Bits<8>>>,
    /// Tensor slot behind the last row.
    pub op_valid_i: Signal<In, Bit>,
    /// Its address (epilogue: result address).
    pub op_addr_i: Signal<In, Bits<16>>,
    /// Its tag, see the stream head.
    pub op_tag_i: Signal<In, Bits<8>>,
    /// Address from the drain traversal.
    pub addr_valid_i: Signal<In, Bit>,
    /// Accepts the address.
    pub addr_ready_o: Signal<Out, Bit>,
    /// Byte address in the destination partitions.
    pub addr_i: Signal<In, Bits<A>>,
    /// Loop c is in its last iteration.
    pub addr_final_i: Vec<Signal<In, Bit>>,
    /// The last address of the drain.
    pub addr_end_i: Signal<In, Bit>,
    /// The drain traversal is busy.
    pub addr_busy_i: Signal<In, Bit>,
    /// Slot on the results wave.
    pub res_valid_o: Signal<Out, Bit>,
    /// Results bank.
    pub res_bank_o: Signal<Out, Bit>,
    /// Result address.
    pub res_addr_o: Signal<Out, Bits<12>>,
    /// Adds the stored value.
    pub res_add_o: Signal<Out, Bit>,
    /// Adds the sum of the array.
    pub res_sum_o: Signal<Out, Bit>,
    /// Stores the result.
    pub res_write_o: Signal<Out, Bit>,
    /// The lanes load their scaling.
    pub post_load_o: Signal<Out, Bit>,
    /// Column tile to load.
    pub post_tile_o: Signal<Out, Bits<8>>,
    /// Columns to be served.
    pub post_cols_o: Signal<Out, Bits<9>>,
    /// Slot on the post wave.
    pub post_valid_o: Signal<Out, Bit>,
    /// Byte address of the result.
    pub post_dest_o: Signal<Out, Bits<16>>,
    /// Last byte of the drain.
    pub post_flush_o: Signal<Out, Bit>,
    /// First slot of a window.
    pub post_first_o: Vec<Signal<Out, Bit>>,
    /// Last slot of a window: it takes the drain address.
    pub post_last_o: Vec<Signal<Out, Bit>>,
    /// The drain is not finished.
    pub busy_o: Signal<Out, Bit>,
    /// A slot for post found no address.
    pub underflow_o: Signal<Out, Bit>,
    /// The drain address lies outside the partition, or its column tile does not exist.
    pub dest_error_o: Signal<Out, Bit>,
    valid: Vec<Reg<Bit>>,
    tag: Vec<Reg<Bits<8>>>,
    addr: Vec<Delay<Bits<16>>>,
    /// Result address of the next vector.
    vector: Reg<Bits<12>>,
    res_valid: Reg<Bit>,
    res_bank: Delay<Bit>,
    res_addr: Delay<Bits<12>>,
    res_add: Delay<Bit>,
    res_sum: Delay<Bit>,
    res_write: Delay<Bit>,
    to_post: Vec<Reg<Bit>>,
    post_load: Reg<Bit>,
    /// Column tile, one bit more than the largest needs.
    tile: Reg<Bits<9>>,
    post_valid: Reg<Bit>,
    post_dest: Delay<Bits<16>>,
    post_flush: Delay<Bit>,
    /// Slots of the window behind the next one.
    left: Vec<Reg<Bits<8>>>,
    // The next slot is the first of a window.
    begins: Vec<Reg<Bit>>,
    post_first: Vec<Delay<Bit>>,
    post_last: Vec<Delay<Bit>>,
    // Cycles until the last word of the drain is stored.
    settle: Reg<Bits<10>>,
    slot_vector: Signal<Local, Bit>,
    slot_epilogue: Signal<Local, Bit>,
    slot_tag: Signal<Local, Bits<8>>,
    slot: Signal<Local, Bit>,
    in_range: Signal<Local, Bit>,
    wants: Signal<Local, Bit>,
    take: Signal<Local, Bit>,
    /// The address is the last one of a column tile.
    tile_end: Signal<Local, Bit>,
    advance: Signal<Local, Bit>,
    /// A slot for post that finds an address.
    pass: Vec<Signal<Local, Bit>>,
    is_last: Vec<Signal<Local, Bit>>,
    _loops: usize,
    _tile_bits: usize,
    _byte_bits: usize,
    _cols: usize,
    _pooling: usize,
    _extra: usize,
    /// Words that weights and results may lie in; 0 for all of a partition.
    _work_words: usize,
    /// Stored sums pass the array, in an epilogue too.
    _sums: usize,
}

impl<const A: usize> DrainHead<A> {
    /// A head for records of `loops` loops, partitions of 2^`byte_bits` bytes, 2^`tile_bits` column tiles and `cols`
    /// columns.
    pub fn new(
        loops: usize,
        byte_bits: usize,
        tile_bits: usize,
        cols: usize,
        options: PostOptions,
    ) -> Self {
        let pooling = usize::from(options.pooling);
        Self {
            addr_final_i: v(loops),
            valid: v(5),
            tag: v(5),
            addr: v(5),
            to_post: v(2),
            window_i: v(pooling),
            post_first_o: v(pooling),
            post_last_o: v(pooling),
            left: v(pooling),
            begins: v(pooling),
            post_first: v(pooling),
            post_last: v(pooling),
            pass: v(pooling),
            is_last: v(pooling),
            _loops: loops,
            _tile_bits: tile_bits,
            _byte_bits: byte_bits,
            _cols: cols,
            _pooling: pooling,
            _extra: options.extra(),
            ..Default::default()
        }
    }

    /// The head of a partition with these banks: an address in the input buffer or the program is an error.
    pub fn with_banks(self, banks: BankCount) -> Self {
        let words = 1 << (self._byte_bits - 3);
        Self {
            _work_words: banks.guard(words),
            ..self
        }
    }

    /// The head of an array that stored sums enter at the top: those of an epilogue come with the array's sums.
    pub fn with_sums_at_top(self) -> Self {
        Self { _sums: 1, ..self }
    }
}

impl<const A: usize> Logic for DrainHead<A> {
    #[hdl_gen]
    fn update(&mut self) {
        for i in 0..5 {
            self.valid[i].clk.next = self.clk.val();
            self.valid[i].rst_n.next = self.rst_n.val();
            self.tag[i].clk.next = self.clk.val();
            self.tag[i].rst_n.next = self.rst_n.val();
            self.addr[i].clk.next = self.clk.val();
        }
        self.vector.clk.next = self.clk.val();
        self.vector.rst_n.next = self.rst_n.val();
        self.res_valid.clk.next = self.clk.val();
        self.res_valid.rst_n.next = self.rst_n.val();
        self.res_bank.clk.next = self.clk.val();
        self.res_addr.clk.next = self.clk.val();
        self.res_add.clk.next = self.clk.val();
        self.res_sum.clk.next = self.clk.val();
        self.res_write.clk.next = self.clk.val();
        for i in 0..2 {
            self.to_post[i].clk.next = self.clk.val();
            self.to_post[i].rst_n.next = self.rst_n.val();
        }
        self.post_load.clk.next = self.clk.val();
        self.post_load.rst_n.next = self.rst_n.val();
        self.tile.clk.next = self.clk.val();
        self.tile.rst_n.next = self.rst_n.val();
        self.post_valid.clk.next = self.clk.val();
        self.post_valid.rst_n.next = self.rst_n.val();
        self.post_dest.clk.next = self.clk.val();
        self.post_flush.clk.next = self.clk.val();
        self.settle.clk.next = self.clk.val();
        self.settle.rst_n.next = self.rst_n.val();

        // Slots wait five cycles for the array to finish their sums.
        self.valid[0].d_i.next = self.op_valid_i.val();
        self.tag[0].d_i.next = self.op_tag_i.val();
        self.addr[0].d_i.next = self.op_addr_i.val();
        for i in 1..5 {
            self.valid[i].d_i.next = self.valid[i - 1].q_o.val();
            self.tag[i].d_i.next = self.tag[i - 1].q_o.val();
            self.addr[i].d_i.next = self.addr[i - 1].q_o.val();
        }

        self.slot_tag.next = self.tag[4].q_o.val();
        self.slot_vector.next = self.valid[4].q_o.val();
        self.slot_epilogue.next = self.slot_tag.val().get_bit(1);

        self.vector.d_i.next = self.vector.q_o.val();
        if self.slot_vector.val() {
            self.vector.d_i.next = self.vector.q_o.val() + 1;
        }
        if self.clear_i.val() | (self.slot_vector.val() & self.slot_tag.val().get_bit(4)) {
            self.vector.d_i.next = 0.into();
        }

        self.slot.next = (self.slot_vector.val() | self.slot_epilogue.val()) & !self.clear_i.val();
        self.res_valid.d_i.next = self.slot.val();
        self.res_bank.d_i.next = self.slot_tag.val().get_bit(5);
        self.res_addr.d_i.next = self.vector.q_o.val();
        if self.slot_epilogue.val() {
            self.res_addr.d_i.next = self.addr[4].q_o.val().get_bits::<12>(0);
        }
        self.res_add.d_i.next = !self.slot_tag.val().get_bit(2);
        if self._sums > 0 {
            self.res_sum.d_i.next = self.slot.val();
        } else {
            self.res_sum.d_i.next = self.slot_vector.val();
        }
        self.res_write.d_i.next = !self.slot_tag.val().get_bit(3);
        self.res_valid_o.next = self.res_valid.q_o.val();
        self.res_bank_o.next = self.res_bank.q_o.val();
        self.res_addr_o.next = self.res_addr.q_o.val();
        self.res_add_o.next = self.res_add.q_o.val();
        self.res_sum_o.next = self.res_sum.q_o.val();
        self.res_write_o.next = self.res_write.q_o.val();

        // Results take two cycles; then the slot meets its drain address.
        self.to_post[0].d_i.next = self.slot.val() & self.slot_tag.val().get_bit(3);
        self.to_post[1].d_i.next = self.to_post[0].q_o.val() & !self.clear_i.val();
        self.wants.next = self.to_post[1].q_o.val();
        if self._work_words > 0 {
            self.in_range.next = ((self.addr_i.val() >> self._byte_bits.to_bits::<6>()) == 0)
                & (self.addr_i.val().get_bits::<13>(3) < self._work_words.to_bits::<13>())
                & ((self.tile.q_o.val() >> self._tile_bits.to_bits::<4>()) == 0);
        } else {
            self.in_range.next = ((self.addr_i.val() >> self._byte_bits.to_bits::<6>()) == 0)
                & ((self.tile.q_o.val() >> self._tile_bits.to_bits::<4>()) == 0);
        }
        // A slot that does not end its window leaves the address for the next one.
        for i in 0..self._pooling {
            self.pass[i].next = self.wants.val()
                & self.addr_valid_i.val()
                & self.in_range.val()
                & !self.clear_i.val();
            self.is_last[i].next = self.left[i].q_o.val() == 0;
            self.left[i].clk.next = self.clk.val();
            self.left[i].rst_n.next = self.rst_n.val();
            self.begins[i].clk.next = self.clk.val();
            self.begins[i].rst_n.next = self.rst_n.val();
            self.left[i].d_i.next = self.left[i].q_o.val();
            self.begins[i].d_i.next = self.begins[i].q_o.val();
            if self.pass[i].val() {
                self.left[i].d_i.next = self.left[i].q_o.val() - 1;
                self.begins[i].d_i.next = self.is_last[i].val();
            }
            if self.start_i.val() | (self.pass[i].val() & self.is_last[i].val()) {
                self.left[i].d_i.next = self.window_i[i].val();
            }
            if self.start_i.val() {
                self.begins[i].d_i.next = true;
            }
            self.post_first[i].clk.next = self.clk.val();
            self.post_first[i].d_i.next = self.begins[i].q_o.val();
            self.post_first_o[i].next = self.post_first[i].q_o.val();
            self.post_last[i].clk.next = self.clk.val();
            self.post_last[i].d_i.next = self.is_last[i].val();
            self.post_last_o[i].next = self.post_last[i].q_o.val();
        }
        if self._pooling > 0 {
            self.take.next = self.pass[0].val() & self.is_last[0].val();
        } else {
            self.take.next = self.wants.val()
                & self.addr_valid_i.val()
                & self.in_range.val()
                & !self.clear_i.val();
        }
        self.addr_ready_o.next = self.take.val();
        self.underflow_o.next = self.wants.val() & !self.addr_valid_i.val();
        self.dest_error_o.next = self.addr_valid_i.val() & !self.in_range.val();
        if self._pooling > 0 {
            self.post_valid.d_i.next = self.pass[0].val();
        } else {
            self.post_valid.d_i.next = self.take.val();
        }
        self.post_dest.d_i.next = self.addr_i.val().get_bits::<16>(0);
        self.post_flush.d_i.next = self.addr_end_i.val();
        self.post_valid_o.next = self.post_valid.q_o.val();
        self.post_dest_o.next = self.post_dest.q_o.val();
        self.post_flush_o.next = self.post_flush.q_o.val();

        // The scaling of the next column tile follows the last result of this one.
        self.tile_end.next = self.addr_final_i[0].val();
        for c in 1..self._loops {
            self.tile_end.next = self.tile_end.val()
                & (self.addr_final_i[c].val() | (self.level_i.val() < c.to_bits::<3>()));
        }
        self.advance.next =
            self.take.val() & self.advance_i.val() & self.tile_end.val() & !self.addr_end_i.val();
        self.tile.d_i.next = self.tile.q_o.val();
        if self.advance.val() {
            self.tile.d_i.next = self.tile.q_o.val() + 1;
        }
        if self.start_i.val() {
            self.tile.d_i.next = self.tile_i.val().get_bits::<9>(0);
        }
        self.post_load.d_i.next = self.start_i.val() | self.advance.val();
        self.post_load_o.next = self.post_load.q_o.val();
        self.post_tile_o.next = self.tile.q_o.val().get_bits::<8>(0);
        self.post_cols_o.next = self.columns_i.val();

        self.settle.d_i.next = self.settle.q_o.val();
        if self.settle.q_o.val() != 0 {
            self.settle.d_i.next = self.settle.q_o.val() - 1;
        }
        if self.take.val() & self.addr_end_i.val() {
            self.settle.d_i.next = (self._cols + self._extra + 15).to_bits::<10>();
        }
        if self.clear_i.val() {
            self.settle.d_i.next = 0.into();
        }
        self.busy_o.next = self.addr_busy_i.val() | (self.settle.q_o.val() != 0);
    }
    module!(|this| {
        let head = Meta::module("drain_head")
            .param("A", "a", A, "bits of an address")
            .param(
                "byte_bits",
                "p",
                this._byte_bits,
                "bits of a partition address",
            )
            .param("cols", "c", this._cols, "columns of the array")
            .param("tile_bits", "t", this._tile_bits, "bits of a column tile")
            .param("loops", "n", this._loops, "loops of a record")
            .feature("pooling", "pl", this._pooling, "windows are reduced")
            .feature(
                "extra",
                "x",
                this._extra,
                "cycles that options of post-processing add",
            )
            .feature(
                "work_words",
                "u",
                this._work_words,
                "words of a partition that weights and results may lie in",
            )
            .feature("sums", "ps", this._sums, "stored sums pass the array");
        let head = match this._work_words {
            0 => head,
            _ => head.doc("An address behind the work banks is an error."),
        };
        let head = match this._extra {
            0 => head,
            cycles => head.doc(format!(
                "Options of post-processing add {cycles} to the cycles that the unit is busy."
            )),
        };
        match this._pooling {
            0 => head,
            _ => head.doc("Of the slots of a window the last one takes the address."),
        }
    });
}
