//! One column of post-processing.

use super::waves::*;
use super::{
    Activate, BytePacker, PackSlot, PackSlotReg, PoolLane, PostOptions, Requantise, ScaleOperand,
};
use crate::buffer::DrainWord;
use heddle_kernel::prelude::*;

/// Post-processing of one column: scales the sums to bytes, collects the bytes to words and hands
/// the words to the state buffer.
///
/// The multiplier and the shift of every column tile are kept in a memory. The shift has six
/// bits, two's complement: positive is left, -31 to 30.
///
/// # Timing
/// `load_i` in cycle T: slots from T+1 on use multiplier and shift of `tile_i`, or write nothing if
/// `cols_i` is 0 or `skip_i` is not. Slot in T: its byte reaches the byte packer in T+7, in the cycle in which `pack_i` says what becomes of it.
/// Everything else that comes from the left is on the right one cycle later. A parameter is
/// written when its column number is 0; the number is decremented modulo 256 from column to
/// column.
#[module(describe)]
pub struct PostLane {
    /// Slot of the post wave.
    #[new(pooling)]
    pub wave: Wave<PostSlot>,
    /// What the drain does with its results.
    #[new(pooling, medians, activates, duals)]
    pub ports: Wave<DrainSettings>,
    /// Sum of the slot, two's complement.
    pub acc_i: Signal<In, Bits<32>>,
    /// Write of multiplier and shift.
    pub pw: Wave<ScaleWrite>,
    /// Write to an activation table.
    pub aw: [Wave<TableWrite>; activates],
    /// What becomes of the byte that reaches the byte packer.
    pub pack: Wave<PackSlot>,
    /// What the shared multiplier works on.
    #[new(ScaleOperand::new(lefts, duals))]
    pub operand_o: [ScaleOperand<Out>; shares],
    /// The byte that it gives.
    pub byte_i: [Signal<In, Bits<8>>; shares],
    /// The word for the state buffer.
    pub dr_o: DrainWord<Out>,
    /// The column takes part in the drain.
    active: RegEn<Bit>,
    multiplier: RegData<Bits<31>>,
    /// Highest bits of the factor of the lower part; 0 without a dual scale.
    factor: [RegData<Bits<3>>; duals],
    left: [RegData<Bits<5>>; lefts],
    right: RegData<Bits<5>>,
    /// Start of a drain on its way to the scaling, behind pooling.
    late_load: [Reg<Bit>; pooled + pooling],
    late_part: [Delay<Bit>; pooled],
    late_tile: [Delay<Bits<10>>; pooled],
    #[new(PoolLane::new(options))]
    pool: [PoolLane; pooling],
    #[new(Activate::new(options.activations))]
    activate: [Activate; activates],
    /// A slot of an active column in each stage of the scaling.
    pipe_valid: [Reg<Bit>; stages],
    #[new(Ram1r1w::new(5, tiles).passing().at_rest(true))]
    ram: Ram1r1w<10, 8>,
    #[new(Requantise::new(lefts, duals))]
    requantise: [Requantise; 1 - shares],
    byte_packer: BytePacker,
    /// A sum for the scaling.
    sum_valid: Signal<Local, Bit>,
    sum: Signal<Local, Bits<32>>,
    /// The scaled byte.
    scaled: Signal<Local, Bits<8>>,
    /// The column takes part in the drain whose start is on the inputs.
    takes_part: Signal<Local, Bit>,
    /// Shift of the tile that is being loaded.
    shift: Signal<Local, Bits<6>>,
    /// Column tiles.
    _tiles: Param<'t'>,
    #[new(options.latency())]
    _stages: usize,
    #[new(options.pool_latency() + options.scale_latency())]
    _scaled: usize,
    #[new(options.pool_latency())]
    _pooled: usize,
    #[new(options.pooling.into())]
    _pooling: usize,
    #[new((options.median > 0).into())]
    _medians: usize,
    #[new((options.activations > 0).into())]
    _activates: usize,
    #[new(options.left_shift.into())]
    _lefts: usize,
    #[new(options.dual_scale.into())]
    _duals: usize,
    #[new(options.shares().into())]
    _shares: usize,
    _options: PostOptions,
}

impl PostLane {
    fn describe(&self, meta: Meta) -> Meta {
        let meta = self._options.describe(meta);
        self._options.describe_clocks(meta)
    }
}

#[kernel]
impl PostLane {
    fn update(&mut self) {
        self.wave();
        self.parameters();
        self.pooling();
        self.scaling();
        self.activation();
        self.words();
    }

    /// What travels on to the next column, parameter writes too.
    fn wave(&mut self) {
        self.wave.pass_on(skip = 0.into());
        self.takes_part = false;
        if self.wave_i.skip.any() {
            self.wave.skip = self.wave_i.skip - 1;
        } else if self.wave_i.cols.any() {
            self.wave.cols = self.wave_i.cols - 1;
            self.takes_part = true;
        }
        self.ports.pass_on();
        self.pack.pass_on();
        self.pw.pass_on(column = self.pw_i.column - 1);
        for i in 0..self._activates {
            self.aw[i].pass_on();
        }
    }

    /// Parameters of the drain.
    fn parameters(&mut self) {
        self.ram.wen_i = self.pw_i.valid & (self.pw_i.column == 0);
        self.ram.waddr_i = self.pw_i.tile;
        for k in 0..5 {
            self.ram.wdata_i[k] = self.pw_i.data[k];
        }
        for i in 0..self._pooling {
            self.late_load[i] = self.wave_i.load;
            self.late_part[i] = self.takes_part;
            self.late_tile[i] = self.wave_i.tile;
        }
        for i in 0..(self._pooled + self._pooling) {
            if i > 0 {
                self.late_load[i] = self.late_load[i - 1];
            }
        }
        for i in 0..self._pooled {
            if i > 0 {
                self.late_part[i] = self.late_part[i - 1];
                self.late_tile[i] = self.late_tile[i - 1];
            }
        }
        if self._pooling > 0 {
            self.ram.ren_i = self.late_load[self._pooled - 1] & self.late_part[self._pooled - 1];
            self.ram.raddr_i = self.late_tile[self._pooled - 1];
        } else {
            self.ram.ren_i = self.wave_i.load & self.takes_part;
            self.ram.raddr_i = self.wave_i.tile;
        }
        self.active.load(self.wave_i.load, self.takes_part);
        self.multiplier.en_i = mux(
            self._pooling > 0,
            self.late_load[self._pooled],
            self.wave.load,
        );
        self.right.en_i = self.multiplier.en_i;
        self.multiplier = (bit_cast::<31, 7>(self.ram.rdata_o[3].get_bits::<7>(0)) << 24)
            | (bit_cast::<31, 8>(self.ram.rdata_o[2]) << 16)
            | (bit_cast::<31, 8>(self.ram.rdata_o[1]) << 8)
            | bit_cast::<31, 8>(self.ram.rdata_o[0]);
        self.shift = self.ram.rdata_o[4].get_bits::<6>(0);
        self.right = 0.into();
        if self.shift.get_bit(5) {
            self.right = !self.shift.get_bits::<5>(0) + 1;
        }
        for i in 0..self._lefts {
            self.left[i].en_i = self.multiplier.en_i;
            self.left[i] = self.shift.get_bits::<5>(0);
            if self.shift.get_bit(5) {
                self.left[i] = 0.into();
            }
            for k in 0..self._duals {
                if self.ports.dual[k] {
                    self.left[i] = 0.into();
                }
            }
        }
        for i in 0..self._duals {
            self.factor[i].en_i = self.multiplier.en_i;
            self.factor[i] = 0.into();
            if self.ports.dual[i] {
                self.factor[i] = (bit_cast::<3, 2>(self.ram.rdata_o[4].get_bits::<2>(6)) << 1)
                    .replace_bit(0, self.ram.rdata_o[3].get_bit(7));
            }
        }
    }

    /// Windows are reduced.
    fn pooling(&mut self) {
        for i in 0..self._pooling {
            self.pool[i].valid_i = self.wave_i.valid & self.active;
            self.pool[i].first_i = self.wave_i.first[i];
            self.pool[i].last_i = self.wave_i.last[i];
            self.pool[i].reduction_i = self.ports.reduction[i];
            self.pool[i].acc_i = self.acc_i;
        }
        for i in 0..self._medians {
            self.pool[i].window_i[i] = self.ports.window[i];
        }
    }

    /// Sums become bytes.
    fn scaling(&mut self) {
        if self._pooling > 0 {
            self.sum_valid = self.pool[0].valid_o;
            self.sum = self.pool[0].acc_o;
        } else {
            self.sum_valid = self.wave_i.valid & self.active;
            self.sum = self.acc_i;
        }
        for i in 0..self._shares {
            self.operand_o[i].valid = self.sum_valid;
            self.operand_o[i].acc = self.sum;
            self.operand_o[i].multiplier = self.multiplier;
            self.operand_o[i].factor.follow(&self.factor);
            self.operand_o[i].left.follow(&self.left);
            self.operand_o[i].right = self.right;
            self.scaled = self.byte_i[i];
        }
        for i in 0..(1 - self._shares) {
            self.requantise[i].valid_i = self.sum_valid;
            self.requantise[i].acc_i = self.sum;
            self.requantise[i].multiplier_i = self.multiplier;
            self.requantise[i].factor_i.follow(&self.factor);
            self.requantise[i].left_i.follow(&self.left);
            self.requantise[i].right_i = self.right;
            self.requantise[i].single_i = self.ports.single;
            self.requantise[i].dual_i.follow(&self.ports.dual);
            self.requantise[i].lo_i = self.ports.lo;
            self.requantise[i].hi_i = self.ports.hi;
            self.scaled = self.requantise[i].byte_o;
        }

        let slot = self.wave_i.valid & self.active;
        if self._pooling > 0 {
            self.pipe_valid.shift_in(slot & self.wave_i.last[0]);
        } else {
            self.pipe_valid.shift_in(slot);
        }
    }

    /// Bytes may be looked up in a table.
    fn activation(&mut self) {
        for i in 0..self._activates {
            self.activate[i].valid_i = self.pipe_valid[self._scaled - 1];
            self.activate[i].table_i = self.ports.table[i];
            self.activate[i].byte_i = self.scaled;
            self.activate[i].wen_i = self.aw_i[i].valid;
            self.activate[i].wentry_i = self.aw_i[i].entry;
            self.activate[i].wdata_i = self.pw_i.data[0];
        }
    }

    /// Bytes become words.
    fn words(&mut self) {
        self.byte_packer.pack_i.follow(&self.pack_i);
        self.byte_packer.active_i = self.pipe_valid[self._stages - 1];
        if self._activates > 0 {
            self.byte_packer.byte_i = self.activate[0].byte_o;
        } else {
            self.byte_packer.byte_i = self.scaled;
        }
        self.dr_o.valid = self.byte_packer.valid_o;
        self.dr_o.word = self.pack_i.word;
        self.dr_o.data.follow(&self.byte_packer.data_o);
    }
}
