//! Issue unit of the weight wave: turns weight addresses into word reads.

use super::ControlShape;
use crate::buffer::{READ_CYCLES, WeightSlot};
use heddle_kernel::prelude::*;

/// Puts weight word addresses on the weight wave, one tile ahead of the operands.
///
/// Streamed words come one in each clock. They begin when a vector waits for weights, and a tile is
/// ready for its swap behind its first word: what later columns need of it follows in time. A swap that is not
/// taken in its cycle has lost its weights.
///
/// Words to be copied come one in each clock too, whatever the shadow weights hold, and make no tile. The
/// address of the copy follows its slot six cycles later, when the partition has the word.
///
/// Else a word is taken while the shadow weights do not hold a complete tile and the last swap has
/// reached the last column, so that no shadow weight changes before it was used.
///
/// # Timing
/// An address accepted in cycle t is on the wave in t + 3: the partitions serve weights two
/// cycles sooner than operands. `full_o` rises in t + 1 when the address was the last of a tile. After a swap decided in cycle t the next address is accepted in
/// t + {swap} at the earliest. A copy accepted in t: `wt_dest_o` in t + 9; `copying_o` is high from t + 1 to
/// t + {copied}, in which the last partition writes it. `error_o` is combinational for the address of a word, and
/// comes in t + 1 for that of its copy.
#[module(shape: ControlShape, describe)]
pub struct WeightIssue<const A: usize> {
    /// High while no program runs: forgets the state of the tile.
    pub clear_i: Signal<In, Bit>,
    /// Active rows of the instruction.
    pub rows_i: Signal<In, Bits<9>>,
    /// A weight tile ends when loops 0..=level are in their last iteration.
    pub level_i: Signal<In, Bits<3>>,
    /// The words of several tiles come one in each clock.
    pub streamed_i: Signal<In, Bit>,
    /// A vector waits for its weights.
    pub stall_i: Signal<In, Bit>,
    /// Bits of the word address that are inverted.
    pub flip_i: Signal<In, Bits<5>>,
    /// The words are copied.
    pub copy_i: Signal<In, Bit>,
    /// From the address of a word to that of its copy, in words.
    pub distance_i: Signal<In, Bits<13>>,
    /// Address from the traversal unit.
    pub addr_valid_i: Signal<In, Bit>,
    /// Accepts the address.
    pub addr_ready_o: Signal<Out, Bit>,
    /// Row of the record: in row 0 tiles begin.
    pub row_i: Signal<In, Bits<3>>,
    /// Byte address of a weight word.
    pub addr_i: Signal<In, Bits<A>>,
    /// Loop c is in its last iteration.
    pub final_i: [Signal<In, Bit>; loops],
    /// The stream issue unit decided a swap in this cycle.
    pub swap_i: Signal<In, Bit>,
    // Streamed words are on their way: one was taken in the cycle before.
    begun: Reg<Bit>,
    // The last of them was the last of its tile.
    ended: Reg<Bit>,
    // The word taken in the cycle before made a tile of streamed words ready.
    fresh: Reg<Bit>,
    /// The shadow weights hold a complete tile.
    pub full: OutReg<Bit>,
    /// Weight slot.
    pub wt_o: WeightSlot<Out>,
    /// Copies are on their way.
    pub copying_o: Signal<Out, Bit>,
    /// A slot is on the wave in the next cycle.
    pub next_o: [Signal<Out, Bit>; open],
    /// The address, or that of the copy accepted in the cycle before, lies outside the partition.
    pub error_o: Signal<Out, Bit>,
    /// A tile of streamed words was not swapped in in its cycle.
    pub lost_o: Signal<Out, Bit>,
    // Cycles until the last swap has reached the last column.
    travel: Reg<Bits<9>>,
    /// A swap was decided in the cycle before: the way to it is long.
    swapped: [Reg<Bit>; crosses],
    wt_valid: [Reg<Bit>; 3],
    wt_addr: [Delay<Bits<16>>; 3],
    wt_rows: [Delay<Bits<9>>; 3],
    wt_copy: [Reg<Bit>; 3],
    dest: [Delay<Bits<13>>; READ_CYCLES + 4],
    // Counts while the last copy is on its way: its top bit is set.
    left: Reg<Bits<10>>,
    in_range: Signal<Local, Bit>,
    tile_end: Signal<Local, Bit>,
    /// The shadow weights are free.
    free: Signal<Local, Bit>,
    ready: Signal<Local, Bit>,
    /// The word makes a tile ready for its swap.
    fills: Signal<Local, Bit>,
    accept: Signal<Local, Bit>,
    /// Bits of an address.
    _address_bits: Generic<'a', A>,
    /// Loops of a record.
    #[new(shape.sequencer.units[0].loops)]
    _loops: Param<'n'>,
    /// Bits of a partition address.
    _byte_bits: Param<'p'>,
    /// Rows of the array.
    #[new(shape.sequencer.rows)]
    _rows: Param<'r'>,
    /// Columns of the array.
    #[new(shape.sequencer.cols)]
    _cols: Param<'c'>,
    /// There are columns that a swap has to cross.
    #[new((cols > 1).into())]
    _crosses: usize,
    /// Bits of a word address.
    #[new(shape.word_bits())]
    _word_bits: Hidden,
    /// Words of a partition that weights and results may lie in.
    #[new(shape.work_words())]
    _work_words: Feature<'u'>,
    /// Clients go to the memories while a program runs.
    #[new(shape.open.into())]
    _open: Feature<"dm">,
}

impl<const A: usize> WeightIssue<A> {
    fn describe(&self, meta: Meta) -> Meta {
        let meta = meta.doc_if(
            self._work_words > 0,
            "An address behind the work banks is an error.",
        );
        meta.number("swap", self._cols)
            .number("copied", self._rows + READ_CYCLES + 3)
    }
}

#[kernel]
impl<const A: usize> WeightIssue<A> {
    fn update(&mut self) {
        self.tile_end = self.final_i[0];
        for c in 1..self._loops {
            self.tile_end = self.tile_end & (self.final_i[c] | (self.level_i < c.to_bits::<3>()));
        }
        if self._work_words > 0 {
            self.in_range = ((self.addr_i >> self._byte_bits.to_bits::<6>()) == 0)
                & ((self.addr_i.get_bits::<13>(3) ^ bit_cast::<13, 5>(self.flip_i))
                    < self._work_words.to_bits::<13>());
        } else {
            self.in_range = (self.addr_i >> self._byte_bits.to_bits::<6>()) == 0;
        }
        self.free = !self.full & (self.travel == 0);
        for i in 0..self._crosses {
            self.free = self.free & !self.swapped[i];
        }
        self.ready = self.free;
        self.fills = self.tile_end;
        if self.streamed_i {
            self.ready = self.begun | (self.free & self.stall_i);
            self.fills = (!self.begun | self.ended) & (self.row_i == 0);
        }
        if self.copy_i {
            self.ready = true;
            self.fills = false;
        }
        self.accept = self.addr_valid_i & self.in_range & self.ready;
        self.begun = self.accept & self.streamed_i & !self.clear_i;
        self.ended = self.tile_end;
        self.fresh = self.accept & self.fills & self.streamed_i & !self.clear_i;
        self.lost_o = self.fresh & !self.swap_i;
        self.addr_ready_o = self.accept;
        if self._work_words > 0 {
            self.error_o = (self.addr_valid_i & !self.in_range)
                | (self.wt_copy[0] & (self.dest[0] >= self._work_words.to_bits::<13>()));
        } else {
            self.error_o = (self.addr_valid_i & !self.in_range)
                | (self.wt_copy[0] & ((self.dest[0] >> self._word_bits.to_bits::<4>()) != 0));
        }

        self.full = ((self.full & !self.swap_i) | (self.accept & self.fills)) & !self.clear_i;

        self.travel = mux(self.travel != 0, self.travel - 1, self.travel);
        for i in 0..self._crosses {
            self.swapped[i] = self.swap_i;
            if self.swapped[i] {
                self.travel = (self._cols - 2).to_bits::<9>();
            }
        }

        self.wt_valid.shift_in(self.accept & !self.clear_i);
        self.wt_addr
            .shift_in(self.addr_i.get_bits::<16>(0) ^ (bit_cast::<16, 5>(self.flip_i) << 3));
        self.wt_rows.shift_in(self.rows_i);
        self.wt_copy
            .shift_in(self.accept & self.copy_i & !self.clear_i);
        self.wt_o.valid = self.wt_valid[2];
        self.wt_o.addr = self.wt_addr[2];
        self.wt_o.rows = self.wt_rows[2];

        // Copies
        self.wt_o.copy = self.wt_copy[2];
        self.dest
            .shift_in(self.addr_i.get_bits::<13>(3) + self.distance_i);
        self.wt_o.dest = self.dest[READ_CYCLES + 3];
        self.left = mux(self.left.get_bit(9), self.left - 1, self.left);
        if self.accept & self.copy_i {
            self.left = (self._rows + READ_CYCLES + 2 + 512).to_bits::<10>();
        }
        if self.clear_i {
            self.left = 0.into();
        }
        self.copying_o = self.left.get_bit(9);
        for i in 0..self._open {
            self.next_o[i] = self.wt_valid[1];
        }
    }
}
