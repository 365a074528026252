//! Results of the units go out.

use super::{Census, DrainOut, DrainScale, DrainShape, DrainWalk, SparseBiases, waves::*};
use heddle_kernel::prelude::*;

/// SPARSE_DRAIN and SPARSE_SCALE: sends positions to the units, takes their sums, scales them and gives them out. With scaling a position is a
/// byte for each lane, else a sum of 32 bits for each; lane 0 has the lowest bits, and the bits above the last lane of a word are 0.
///
/// # Timing
/// `start_i` in cycle T, the last word of the command in T-1 at the latest: the first position is on `position_o` in T+3, if no command before it
/// has positions left, if there is room, and if bounds and rounding are those of the sums on their way; others wait until all these are scaled.
/// `busy_o` is high from T+1 on until then: the words of the next command may come while positions of this one are sent.
///
/// Position in cycle P: its bias is on `sum_o` in P+4, its sums are on `sum_i` in P + units + 4. `region_busy_o` falls in that
/// cycle, when the last unit has written the word. Its first word is at the output in P + units + 7, 14 with scaling, 16 with left shifts.
/// In the long run there is a position in each clock in which a result may leave, also from one command to the next.
#[module(shape: DrainShape)]
pub struct SparseDrain {
    /// A word of SPARSE_DRAIN.
    pub command_i: CommandWord<In>,
    /// The command starts.
    pub start_i: Signal<In, Bit>,
    /// There may be no words of another command.
    pub busy_o: Signal<Out, Bit>,
    /// Region of the command whose words have come.
    pub region_o: Signal<Out, Bit>,
    /// The sums of a region are drained; else a run may have it.
    pub region_busy_o: [Signal<Out, Bit>; 2],
    /// A parameter of SPARSE_SCALE; only while `scale_busy_o` is low.
    pub scale_i: ScaleValue<In>,
    /// A command has started, and parameters may be in use.
    pub scale_busy_o: Signal<Out, Bit>,
    /// A position, for the units.
    pub position_o: DrainPosition<Out>,
    /// What its sums begin with.
    pub sum_o: [Signal<Out, Bits<32>>; lanes],
    /// Its sums.
    pub sum_i: [Signal<In, Bits<32>>; lanes],
    /// A word of results.
    pub out_valid_o: Signal<Out, Bit>,
    /// It is taken.
    pub out_ready_i: Signal<In, Bit>,
    /// Its bits.
    pub out_data_o: [Signal<Out, Bits<32>>; 2],
    /// It is the last one of its command.
    pub out_last_o: Signal<Out, Bit>,
    /// A count of results is read, see [`Census`]; from the third cycle on in which `scale_busy_o` is low.
    pub count_en_i: [Signal<In, Bit>; census],
    /// Its position.
    pub count_addr_i: [Signal<In, Bits<16>>; census],
    /// The count that was asked for in the cycle before.
    pub count_o: [Signal<Out, Bits<12>>; census],
    /// The sums on `sum_i` leave.
    pub leaves_o: [Signal<Out, Bit>; engines],
    /// No command is here, no position is on its way, and all results have left.
    pub idle_o: Signal<Out, Bit>,
    #[new(DrainWalk::new(units, census))]
    walk: DrainWalk,
    #[new(DrainScale::new(shape))]
    scale: [DrainScale; posts],
    #[new(DrainOut::new(slots, halves, 0))]
    out: [DrainOut; queues],
    #[new(SparseBiases::new(lanes, tiles))]
    biases: [SparseBiases; engines],
    #[new(Census::new(lanes, positions))]
    census: [Census; census],
    /// The position of so many cycles ago has a result, its last one.
    result: [Reg<Bit>; travel],
    last: [Delay<Bit>; travel * queues],
    /// It is counted, and the last one of its group.
    counts: [Delay<Bit>; travel * census],
    group_last: [Delay<Bit>; travel * census],
    half: [Signal<Local, Bits<32>>; halves * queues],
    /// Sums of a position.
    _lanes: Param<'g'>,
    /// Units, at most 64.
    _units: Param<'u'>,
    /// Groups of output channels that have parameters.
    _tiles: Param<'t'>,
    /// Sums are scaled.
    #[new(shape.post.into())]
    _posts: Feature<"ps">,
    /// They may be shifted to the left.
    #[new(usize::from(shape.post && shape.left_shift))]
    _lefts: Feature<"ls">,
    /// Results are counted.
    #[new(usize::from(shape.post && shape.census))]
    _census: Feature<"cs">,
    /// Sums leave as they come, on `sum_i`, and no results.
    #[new(shape.engine.into())]
    _engines: Feature<"en">,
    #[new(1 - engines)]
    _queues: usize,
    /// Counts that are kept.
    #[new(shape.positions * usize::from(shape.post && shape.census))]
    _positions: usize,
    #[new(shape.slots())]
    _slots: usize,
    /// Half words of a result.
    #[new(if shape.post { lanes.div_ceil(4) } else { lanes })]
    _halves: usize,
    /// Cycles from a position to its result.
    #[new(units + 4 + shape.scale_latency())]
    _travel: usize,
}

#[kernel]
impl SparseDrain {
    fn update(&mut self) {
        self.walk.command_i.follow(&self.command_i);
        self.walk.start_i = self.start_i;
        self.busy_o = self.walk.busy_o;
        self.region_o = self.walk.region_o;
        self.region_busy_o.follow(&self.walk.region_busy_o);
        self.position_o.follow(&self.walk.position_o);
        self.result.shift_in(self.walk.leaves_o);
        for _ in 0..self._queues {
            self.last.shift_in(self.walk.last_o);
        }
        if self._posts > 0 {
            self.scaled();
        } else if self._engines > 0 {
            self.direct();
        } else {
            self.plain();
        }
        self.results();
        self.counts();
    }

    /// Sums become bytes.
    fn scaled(&mut self) {
        for k in 0..self._posts {
            self.scale[k].command_i.follow(&self.command_i);
            self.scale[k].begins_i = self.walk.begins_o;
            self.walk.hold_i = self.scale[k].differs_o & self.out[0].waits_o;
            self.scale[k].scale_i.follow(&self.scale_i);
            self.scale[k].tile_i = self.walk.tile_o;
            self.scale[k].bias_en_i = self.result[1];
            self.scale[k].scale_en_i = self.result[self._units + 2];
            self.scale[k].sum_en_i = self.result[self._units + 3];
            self.scale[k].sum_i.follow(&self.sum_i);
            self.sum_o.follow(&self.scale[k].bias_o);
            for i in 0..self._halves {
                self.half[i] = 0.into();
            }
            for i in 0..self._lanes {
                self.half[i / 4] = self.half[i / 4]
                    | (bit_cast::<32, 8>(self.scale[k].byte_o[i]) << (8 * (i % 4)).to_bits::<5>());
            }
        }
    }

    /// Sums leave as they are.
    fn plain(&mut self) {
        self.walk.hold_i = false;
        for i in 0..self._lanes {
            self.sum_o[i] = 0.into();
            self.half[i] = self.sum_i[i];
        }
    }

    /// Sums leave as they come.
    fn direct(&mut self) {
        self.walk.hold_i = false;
        for k in 0..self._engines {
            self.biases[k].scale_i.follow(&self.scale_i);
            self.biases[k].tile_i = self.walk.tile_o;
            self.biases[k].bias_en_i = self.result[1];
            self.sum_o.follow(&self.biases[k].bias_o);
            self.leaves_o[k] = self.result[self._travel - 1];
        }
    }

    fn counts(&mut self) {
        for k in 0..self._census {
            self.counts.shift_in(self.walk.counts_o[k]);
            self.group_last.shift_in(self.walk.group_last_o[k]);
            self.census[k].valid_i = self.result[self._travel - 1] & self.counts[self._travel - 1];
            self.census[k].group_last_i = self.group_last[self._travel - 1];
            self.census[k].last_i = self.last[self._travel - 1];
            self.census[k].byte_i.follow(&self.scale[k].byte_o);
            self.census[k].count_en_i = self.count_en_i[k];
            self.census[k].count_addr_i = self.count_addr_i[k];
            self.count_o[k] = self.census[k].count_o;
        }
    }

    fn results(&mut self) {
        let busy = self.walk.region_busy_o[0] | self.walk.region_busy_o[1];
        if self._queues == 0 {
            self.scale_busy_o = self.walk.busy_o | self.walk.walks_o;
            self.idle_o = !busy;
            self.walk.room_i = true;
            self.out_valid_o = false;
            self.out_data_o[0] = 0.into();
            self.out_data_o[1] = 0.into();
            self.out_last_o = false;
        }
        for k in 0..self._queues {
            self.out[k].send_i = self.walk.send_o;
            self.out[k].valid_i = self.result[self._travel - 1];
            self.out[k].last_i = self.last[self._travel - 1];
            self.out[k].data_i.follow(&self.half);
            self.out[k].out_ready_i = self.out_ready_i;
            self.walk.room_i = self.out[k].room_o;
            self.scale_busy_o = self.walk.busy_o | self.walk.walks_o | self.out[k].waits_o;
            self.idle_o = !busy & !self.out[k].waits_o & !self.out[k].busy_o;
            self.out_valid_o = self.out[k].out_valid_o;
            self.out_data_o.follow(&self.out[k].out_data_o);
            self.out_last_o = self.out[k].out_last_o;
        }
    }
}
