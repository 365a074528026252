//! The words of SPARSE_SCALE.

use super::waves::*;
use heddle_arch::isa::fields::sparse::scale;
use heddle_kernel::prelude::*;

/// Names the parameter that each word is: three of a lane, lane after lane, and tile after tile.
///
/// # Timing
/// Word in cycle T: `tile_o` and `number_o` are those of the word in T, the parameter is on `scale_o` in T+1.
#[module]
pub struct ScaleWords {
    /// A word behind the header.
    pub word_i: Signal<In, Bits<32>>,
    /// There is one.
    pub valid_i: Signal<In, Bit>,
    /// It is the first one.
    pub first_i: Signal<In, Bit>,
    /// Tile of a parameter, with a bit more than tiles have.
    pub tile: OutRegData<Bits<9>>,
    /// Which one it is: 0 bias, 1 multiplier, 2 shift.
    pub number: OutRegData<Bits<2>>,
    /// A parameter.
    pub scale_o: ScaleValue<Out>,
    scale: ScaleValueReg,
    lane: RegData<Bits<5>>,
    next_lane: Signal<Local, Bit>,
    next_tile: Signal<Local, Bit>,
    /// Lanes of a unit.
    _lanes: Param<'g'>,
}

#[kernel]
impl ScaleWords {
    fn update(&mut self) {
        self.next_lane = self.number == 2;
        self.next_tile = self.next_lane & (self.lane == (self._lanes - 1).to_bits::<5>());
        self.number.load(
            self.valid_i,
            mux(self.first_i | self.next_lane, 0.into(), self.number + 1),
        );
        self.lane.load(
            self.valid_i & (self.first_i | self.next_lane),
            mux(
                self.first_i,
                field!(self.word_i, scale::LANE),
                mux(self.next_tile, 0.into(), self.lane + 1),
            ),
        );
        self.tile.load(
            self.valid_i & (self.first_i | self.next_tile),
            mux(
                self.first_i,
                field!(self.word_i, scale::TILE).get_bits::<9>(0),
                self.tile + 1,
            ),
        );
        self.scale.valid = self.valid_i & !self.first_i;
        self.scale.tile = self.tile.get_bits::<8>(0);
        self.scale.lane = self.lane;
        self.scale.number = self.number;
        self.scale.data = self.word_i;
        self.scale_o.follow(&self.scale);
    }
}
