//! From drained sums to bytes.

use super::{DrainShape, SparseBiases, waves::*};
use crate::post::Requantise;
use heddle_arch::isa::fields::sparse::drain_bounds;
use heddle_kernel::prelude::*;

/// Biases and scales of the output channels, and the scaling of their sums; all lanes of a position at once.
///
/// Without a left shift one is taken as 0. Bounds and rounding are those of the command that began last: one with others begins when no
/// sums of those before are on their way (`differs_o`). A parameter is written when no position that needs it is.
///
/// # Timing
/// Position in cycle P, tile in P: its bias is on `bias_o` in P+4, its sums are on `sum_i` in S = P + units + 4, its bytes on `byte_o` in
/// S + 7, with the left shift in S + 9. `differs_o` is known in the second cycle behind word 5 of a command.
#[module(shape: DrainShape, no_reset)]
pub struct DrainScale {
    /// A word of SPARSE_DRAIN.
    pub command_i: CommandWord<In>,
    /// The command begins.
    pub begins_i: Signal<In, Bit>,
    /// Its bounds or its rounding are others than those in use.
    pub differs: OutDelay<Bit>,
    /// A parameter.
    pub scale_i: ScaleValue<In>,
    /// Tile of a position.
    pub tile_i: Signal<In, Bits<8>>,
    /// In P+2: the bias is read.
    pub bias_en_i: Signal<In, Bit>,
    /// In S-1: multiplier and shift are read.
    pub scale_en_i: Signal<In, Bit>,
    /// In S: there are sums.
    pub sum_en_i: Signal<In, Bit>,
    /// The sums.
    pub sum_i: [Signal<In, Bits<32>>; lanes],
    /// What they begin with.
    pub bias_o: [Signal<Out, Bits<32>>; lanes],
    /// Scaled sums.
    pub byte_o: [Signal<Out, Bits<8>>; lanes],
    #[new(SparseBiases::new(lanes, tiles))]
    biases: SparseBiases,
    /// Multipliers, and above them shifts to the right.
    #[new(Ram1r1w::new(1, tiles))]
    scales: [Ram1r1w<8, 36>; lanes],
    /// The shift goes to the left.
    #[new(Ram1r1w::new(1, tiles))]
    directions: [Ram1r1w<8, 1>; lanes * lefts],
    #[new(Requantise::new(left_shift, false))]
    requantise: [Requantise; lanes],
    /// The multiplier that came last: it is written with its shift.
    multiplier: RegData<Bits<31>>,
    /// Tile of the positions of the cycles before.
    tile: [Delay<Bits<8>>; units + 3],
    scale: [Delay<Bits<36>>; lanes],
    is_left: [Delay<Bit>; lanes * lefts],
    /// Word 5 of a command, and the bounds in use.
    word: RegData<Bits<32>>,
    lo: RegData<Bits<9>>,
    hi: RegData<Bits<9>>,
    single: RegData<Bit>,
    /// Places of a shift to the right, or to either side.
    places: Signal<Local, Bits<5>>,
    written: Signal<Local, Bits<36>>,
    writes: [Signal<Local, Bit>; 2],
    right: [Signal<Local, Bits<5>>; lanes],
    /// Sums of a position.
    _lanes: Param<'g'>,
    /// Units.
    _units: Param<'u'>,
    /// Groups of output channels that have parameters.
    _tiles: Param<'t'>,
    #[new(left_shift.into())]
    _lefts: Feature<"ls">,
    _left_shift: Hidden<bool>,
}

#[kernel]
impl DrainScale {
    fn update(&mut self) {
        self.bounds();
        self.write();
        self.read();
        self.scale();
    }

    fn bounds(&mut self) {
        self.word.load(
            self.command_i.valid & (self.command_i.index == 5),
            self.command_i.data,
        );
        let lo = field!(self.word, drain_bounds::LO);
        let hi = field!(self.word, drain_bounds::HI);
        let single = flag!(self.word, drain_bounds::SINGLE);
        self.lo.load(self.begins_i, lo);
        self.hi.load(self.begins_i, hi);
        self.single.load(self.begins_i, single);
        self.differs = (self.lo != lo) | (self.hi != hi) | (self.single != single);
    }

    /// Parameters come: bias, multiplier, shift of a lane.
    fn write(&mut self) {
        for i in 1..3 {
            self.writes[i - 1] = self.scale_i.valid & (self.scale_i.number == i.to_bits::<2>());
        }
        self.multiplier
            .load(self.writes[0], self.scale_i.data.get_bits::<31>(0));
        self.places = self.scale_i.data.get_bits::<5>(0);
        let is_right = self.scale_i.data.get_bit(5);
        if is_right {
            self.places = !self.scale_i.data.get_bits::<5>(0) + 1;
        } else if self._lefts == 0 {
            self.places = 0.into();
        }
        self.written = (bit_cast::<36, 5>(self.places) << 31) | bit_cast::<36, 31>(self.multiplier);
        for i in 0..self._lanes {
            let is_lane = self.scale_i.lane == i.to_bits::<5>();
            self.scales[i].wen_i = self.writes[1] & is_lane;
            self.scales[i].waddr_i = self.scale_i.tile;
            self.scales[i].wdata_i[0] = self.written;
            for _ in 0..self._lefts {
                self.directions[i].wen_i = self.writes[1] & is_lane;
                self.directions[i].waddr_i = self.scale_i.tile;
                self.directions[i].wdata_i[0] = (!is_right).into();
            }
        }
    }

    /// The tile meets the memories.
    fn read(&mut self) {
        self.biases.scale_i.follow(&self.scale_i);
        self.biases.tile_i = self.tile_i;
        self.biases.bias_en_i = self.bias_en_i;
        self.bias_o.follow(&self.biases.bias_o);
        self.tile.shift_in(self.tile_i);
        for i in 0..self._lanes {
            self.scales[i].ren_i = self.scale_en_i;
            self.scales[i].raddr_i = self.tile[self._units + 2];
            self.scale[i] = self.scales[i].rdata_o[0];
            for _ in 0..self._lefts {
                self.directions[i].ren_i = self.scale_en_i;
                self.directions[i].raddr_i = self.tile[self._units + 2];
                self.is_left[i] = self.directions[i].rdata_o[0].any();
            }
        }
    }

    fn scale(&mut self) {
        for i in 0..self._lanes {
            self.right[i] = self.scale[i].get_bits::<5>(31);
            for k in 0..self._lefts {
                self.requantise[i].left_i[k] = 0.into();
                if self.is_left[i] {
                    self.requantise[i].left_i[k] = self.right[i];
                }
            }
            self.requantise[i].valid_i = self.sum_en_i;
            self.requantise[i].acc_i = self.sum_i[i];
            self.requantise[i].multiplier_i = self.scale[i].get_bits::<31>(0);
            if self._lefts > 0 {
                self.requantise[i].right_i = mux(self.is_left[i], 0.into(), self.right[i]);
            } else {
                self.requantise[i].right_i = self.right[i];
            }
            self.requantise[i].single_i = self.single;
            self.requantise[i].lo_i = self.lo;
            self.requantise[i].hi_i = self.hi;
            self.byte_o[i] = self.requantise[i].byte_o;
        }
    }
}
