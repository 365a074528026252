//! Issue unit of the results and post waves: what happens to a slot that has left the last row.

use super::ControlShape;
use super::clocks::{POST, RESULTS, SETTLE};
use crate::buffer::{ResultSlot, ResultSlotReg};
use crate::post::PostSlot;
use heddle_kernel::prelude::*;

/// Gives every slot that leaves the last row its result address and its drain address.
///
/// Vectors of a K tile use result addresses 0, 1, 2 and so on; epilogue slots bring theirs. A slot
/// for post takes the next address of the drain unit.
///
/// # Timing
/// A slot seen on the operand wave behind the last row in cycle t is on the results wave in
/// t + {results} and, if it goes to post, on the post wave in t + {post}; its drain address is taken
/// in the cycle before. The unit is busy until {settle} cycles after its last address was taken: by then the last
/// word is in the state buffer.
#[module(shape: ControlShape, describe)]
pub struct DrainIssue<const A: usize> {
    /// High while no program runs: drops everything under way.
    pub clear_i: Signal<In, Bit>,
    /// A DRAIN starts: the lanes load their scaling.
    pub start_i: Signal<In, Bit>,
    /// Active columns of the instruction.
    pub columns_i: Signal<In, Bits<9>>,
    /// Columns before the first active one.
    pub skip_i: Signal<In, Bits<8>>,
    /// Column tile of multiplier and shift of the first results.
    pub tile_i: Signal<In, Bits<10>>,
    /// The column tile goes up by one behind addresses whose loops 0..=level are in their last iteration.
    pub advance_i: Signal<In, Bit>,
    /// That level.
    pub level_i: Signal<In, Bits<3>>,
    /// Slots in a window, less one.
    pub window_i: [Signal<In, Bits<8>>; pooling],
    /// Sums of the sparse cluster meet their drain address.
    pub leaves_i: [Signal<In, Bit>; clusters],
    /// A result of the array does too.
    pub meets_o: [Signal<Out, Bit>; clusters],
    /// Tensor slot after the last row.
    pub op_valid_i: Signal<In, Bit>,
    /// Its address (epilogue: result address).
    pub op_addr_i: Signal<In, Bits<16>>,
    /// Its tag, see the stream issue unit.
    pub op_tag_i: Signal<In, Bits<8>>,
    /// Address from the drain traversal.
    pub addr_valid_i: Signal<In, Bit>,
    /// Accepts the address.
    pub addr_ready_o: Signal<Out, Bit>,
    /// Byte address in the destination partitions.
    pub addr_i: Signal<In, Bits<A>>,
    /// Loop c is in its last iteration.
    pub addr_final_i: [Signal<In, Bit>; loops],
    /// The last address of the drain.
    pub addr_end_i: Signal<In, Bit>,
    /// The drain traversal is busy.
    pub addr_busy_i: Signal<In, Bit>,
    valid: [Reg<Bit>; 8 - foot],
    tag: [Reg<Bits<8>>; 8 - foot],
    addr: [Delay<Bits<16>>; 8 - foot],
    /// Result address of the next vector.
    vector: Reg<Bits<12>>,
    /// Slot on the results wave.
    #[new(ResultSlot::new(raises))]
    pub res_o: ResultSlot<Out>,
    #[new(ResultSlotReg::new(raises))]
    res: ResultSlotReg,
    to_post: [Reg<Bit>; 2 + foot],
    /// Slot on the post wave.
    #[new(PostSlot::new(pooling))]
    pub post_wave_o: PostSlot<Out>,
    post_load: Reg<Bit>,
    post_valid: Reg<Bit>,
    /// Column tile, one bit more than the largest needs.
    tile: Reg<Bits<11>>,
    /// Byte address of the result.
    pub post_dest: OutDelay<Bits<16>>,
    /// Last byte of the drain.
    pub post_flush: OutDelay<Bit>,
    /// The drain is not finished.
    pub busy_o: Signal<Out, Bit>,
    /// A slot for post found no address.
    pub underflow_o: Signal<Out, Bit>,
    /// The drain address lies outside the partition, or its column tile does not exist.
    pub dest_error_o: Signal<Out, Bit>,
    /// Slots of the window behind the next one.
    left: [Reg<Bits<8>>; pooling],
    // The next slot is the first of a window.
    begins: [Reg<Bit>; pooling],
    post_first: [Delay<Bit>; pooling],
    post_last: [Delay<Bit>; pooling],
    // Counts until the last word of the drain is stored, while its top bit is set.
    settle: Reg<Bits<10>>,
    slot_vector: Signal<Local, Bit>,
    slot_epilogue: Signal<Local, Bit>,
    slot_tag: Signal<Local, Bits<8>>,
    slot: Signal<Local, Bit>,
    in_range: Signal<Local, Bit>,
    wants: Signal<Local, Bit>,
    /// A slot for post whose result is complete meets its address.
    ends: Signal<Local, Bit>,
    take: Signal<Local, Bit>,
    /// The address is the last one of a column tile.
    tile_end: Signal<Local, Bit>,
    advance: Signal<Local, Bit>,
    /// A slot for post that finds an address.
    pass: [Signal<Local, Bit>; pooling],
    is_last: [Signal<Local, Bit>; pooling],
    /// Bits of an address.
    _address_bits: Generic<'a', A>,
    /// Bits of a partition address.
    _byte_bits: Param<'p'>,
    /// Columns of the array.
    #[new(shape.sequencer.cols)]
    _cols: Param<'c'>,
    /// Bits of a column tile.
    #[new(shape.tile_bits())]
    _tile_bits: Param<'t'>,
    /// Loops of a record.
    #[new(shape.sequencer.units[2].loops)]
    _loops: Param<'n'>,
    /// Windows are reduced.
    #[new(shape.sequencer.post.pooling.into())]
    _pooling: Feature<"pl">,
    /// Cycles that options of post-processing add.
    #[new(shape.sequencer.post.extra())]
    _extra: Feature<'x'>,
    /// Words of a partition that weights and results may lie in.
    #[new(shape.work_words())]
    _work_words: Feature<'u'>,
    /// Stored sums pass the array.
    #[new(shape.sums_at_top.into())]
    _sums: Feature<"ps">,
    /// Sums may be raised.
    #[new(shape.sequencer.post.dual_scale.into())]
    _raises: Feature<"ds">,
    /// There is a sparse cluster.
    #[new(shape.sequencer.cluster.into())]
    _clusters: Feature<"sc">,
    /// Stored sums are read for the foot of the array, a cycle before its sums are there.
    #[new(usize::from(!shape.sums_at_top))]
    _foot: usize,
}

impl<const A: usize> DrainIssue<A> {
    fn describe(&self, meta: Meta) -> Meta {
        let meta = meta.doc_if(
            self._work_words > 0,
            "An address behind the work banks is an error.",
        );
        let meta = meta.doc_if(
            self._pooling > 0,
            "Of the slots of a window the last one takes the address.",
        );
        meta.number("results", RESULTS + 1 - self._foot)
            .number("post", POST)
            .number("settle", self._cols + self._extra + SETTLE)
    }
}

#[kernel]
impl<const A: usize> DrainIssue<A> {
    fn update(&mut self) {
        // Slots wait for the array to finish their sums.
        self.valid.shift_in(self.op_valid_i);
        self.tag.shift_in(self.op_tag_i);
        self.addr.shift_in(self.op_addr_i);

        let last = 7 - self._foot;
        self.slot_tag = self.tag[last];
        self.slot_vector = mux(
            self._clusters > 0,
            self.valid[last] & !self.slot_tag.get_bit(7),
            self.valid[last],
        );
        self.slot_epilogue = self.slot_tag.get_bit(1);

        self.vector = mux(self.slot_vector, self.vector + 1, self.vector);
        if self.clear_i | (self.slot_vector & self.slot_tag.get_bit(4)) {
            self.vector = 0.into();
        }

        self.slot = (self.slot_vector | self.slot_epilogue) & !self.clear_i;
        self.res.valid = self.slot;
        self.res.bank = self.slot_tag.get_bit(5);
        self.res.addr = self.vector;
        if self.slot_epilogue {
            self.res.addr = self.addr[last].get_bits::<12>(0);
        }
        self.res.add = !self.slot_tag.get_bit(2);
        self.res.sum_en = mux(self._sums > 0, self.slot, self.slot_vector);
        self.res.write = !self.slot_tag.get_bit(3);
        for i in 0..self._raises {
            self.res.raised[i] = self.slot_tag.get_bit(6);
        }
        self.res_o.follow(&self.res);

        // Results take two cycles, three at the foot; then the slot meets its drain address.
        self.to_post[0] = self.slot & self.slot_tag.get_bit(3);
        for i in 1..2 + self._foot {
            self.to_post[i] = self.to_post[i - 1] & !self.clear_i;
        }
        self.wants = self.to_post[1 + self._foot];
        for k in 0..self._clusters {
            self.meets_o[k] = self.to_post[1 + self._foot] & self.leaves_i[k];
            if self.leaves_i[k] {
                self.wants = true;
            }
        }
        let inside = (self.addr_i >> self._byte_bits.to_bits::<6>()) == 0;
        let has_tile = (self.tile >> self._tile_bits.to_bits::<4>()) == 0;
        if self._work_words > 0 {
            let word = self.addr_i.get_bits::<13>(3);
            self.in_range = inside & (word < self._work_words.to_bits::<13>()) & has_tile;
        } else {
            self.in_range = inside & has_tile;
        }
        let meets = self.wants & self.addr_valid_i & !self.clear_i;
        self.ends = meets;
        // A slot that does not end its window leaves the address for the next one.
        for i in 0..self._pooling {
            self.pass[i] = meets & self.in_range;
            self.is_last[i] = self.left[i] == 0;
            self.ends = self.ends & self.is_last[i];
            self.left[i] = self.left[i];
            self.begins[i] = self.begins[i];
            if self.pass[i] {
                self.left[i] = self.left[i] - 1;
                self.begins[i] = self.is_last[i];
            }
            if self.start_i | (self.pass[i] & self.is_last[i]) {
                self.left[i] = self.window_i[i];
            }
            if self.start_i {
                self.begins[i] = true;
            }
            self.post_first[i] = self.begins[i];
            self.post_wave_o.first[i] = self.post_first[i];
            self.post_last[i] = self.is_last[i];
            self.post_wave_o.last[i] = self.post_last[i];
        }
        self.take = self.ends & self.in_range;
        self.addr_ready_o = self.take;
        self.underflow_o = self.wants & !self.addr_valid_i;
        self.dest_error_o = self.addr_valid_i & !self.in_range;
        self.post_valid = mux(self._pooling > 0, self.pass[0], self.take);
        self.post_dest = self.addr_i.get_bits::<16>(0);
        self.post_flush = self.addr_end_i;

        // The scaling of the next column tile follows the last result of this one.
        self.tile_end = self.addr_final_i[0];
        for c in 1..self._loops {
            self.tile_end =
                self.tile_end & (self.addr_final_i[c] | (self.level_i < c.to_bits::<3>()));
        }
        // That the address is in range comes too late for this: if it is not, the program ends.
        self.advance = self.ends & self.advance_i & self.tile_end & !self.addr_end_i;
        self.tile = mux(self.advance, self.tile + 1, self.tile);
        if self.start_i {
            self.tile = self.tile_i.get_bits::<11>(0);
        }
        self.post_load = self.start_i | self.advance;
        self.post_wave_o.load = self.post_load;
        self.post_wave_o.valid = self.post_valid;
        self.post_wave_o.tile = self.tile.get_bits::<10>(0);
        self.post_wave_o.skip = self.skip_i;
        self.post_wave_o.cols = self.columns_i;

        self.settle = mux(self.settle.get_bit(9), self.settle - 1, self.settle);
        if self.take & self.addr_end_i {
            self.settle = (self._cols + self._extra + SETTLE - 2 + 512).to_bits::<10>();
        }
        if self.clear_i {
            self.settle = 0.into();
        }
        self.busy_o = self.addr_busy_i | self.settle.get_bit(9);
    }
}
