//! One column of post-processing.

use super::{Activate, BytePacker, PackSlot, PackSlotReg, PoolLane, PostOptions, Requantise};
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
    /// Head of a drain: loads multiplier and shift of `tile_i`.
    pub load_i: Signal<In, Bit>,
    /// Column tile.
    pub tile_i: Signal<In, Bits<8>>,
    /// With `load_i`: columns from this one on before the first active one.
    pub skip_i: Signal<In, Bits<8>>,
    /// With `load_i`: active columns.
    pub cols_i: Signal<In, Bits<9>>,
    /// Slot with a result.
    pub valid_i: Signal<In, Bit>,
    /// First slot of a window.
    pub first_i: [Signal<In, Bit>; pooling],
    /// Last slot of a window: it brings the address of the result.
    pub last_i: [Signal<In, Bit>; pooling],
    /// Head of a drain to the next column.
    pub load: OutReg<Bit>,
    /// Column tile to the next column.
    pub tile: OutDelay<Bits<8>>,
    /// Columns from the next one on before the first active one.
    pub skip_o: Signal<Out, Bits<8>>,
    /// Active columns from the next one on.
    pub cols_o: Signal<Out, Bits<9>>,
    skip: Delay<Bits<8>>,
    cols: Delay<Bits<9>>,
    /// Slot to the next column.
    pub valid: OutReg<Bit>,
    /// First slot of a window, to the next column.
    pub first: [OutDelay<Bit>; pooling],
    /// Last slot of a window, to the next column.
    pub last: [OutDelay<Bit>; pooling],
    /// Single rounding, else double. Stable while a drain is active.
    pub single_i: Signal<In, Bit>,
    /// Lower bound of the results, two's complement. Stable while a drain is active.
    pub lo_i: Signal<In, Bits<9>>,
    /// Upper bound of the results, two's complement. Stable while a drain is active.
    pub hi_i: Signal<In, Bits<9>>,
    /// What becomes of a window. Stable while a drain is active.
    pub reduction_i: [Signal<In, Bits<3>>; pooling],
    /// Sums in a window, less one. Stable while a drain is active.
    pub window_i: [Signal<In, Bits<8>>; medians],
    /// Activation table from 1 on, 0 for none. Stable while a drain is active.
    pub table_i: [Signal<In, Bits<4>>; activates],
    /// Sum of the slot, two's complement.
    pub acc_i: Signal<In, Bits<32>>,
    /// A multiplier and shift are written.
    pub pw_valid_i: Signal<In, Bit>,
    /// Columns between this one and the one that takes them.
    pub pw_column_i: Signal<In, Bits<8>>,
    /// Column tile they belong to.
    pub pw_tile_i: Signal<In, Bits<8>>,
    /// Bits 30..0 multiplier, bits 37..32 shift.
    pub pw_data_i: [Signal<In, Bits<8>>; 8],
    aw_valid: [Reg<Bit>; activates],
    aw_entry: [Delay<Bits<11>>; activates],
    /// Write to the next column.
    pub pw_valid: OutReg<Bit>,
    /// Column number for the next column.
    pub pw_column: OutDelay<Bits<8>>,
    /// Column tile to the next column.
    pub pw_tile: OutDelay<Bits<8>>,
    /// Parameters to the next column.
    pub pw_data: [OutDelay<Bits<8>>; 8],
    /// An entry of an activation table is written: byte 0 of `pw_data_i`.
    pub aw_valid_i: [Signal<In, Bit>; activates],
    /// The entry: table from 0 on, and byte.
    pub aw_entry_i: [Signal<In, Bits<11>>; activates],
    /// Write of an entry, to the next column.
    pub aw_valid_o: [Signal<Out, Bit>; activates],
    /// The entry, to the next column.
    pub aw_entry_o: [Signal<Out, Bits<11>>; activates],
    /// What becomes of the byte that reaches the byte packer.
    pub pack: Wave<PackSlot>,
    /// A word is written to the state buffer.
    pub dr_valid_o: Signal<Out, Bit>,
    /// Word address.
    pub dr_word_o: Signal<Out, Bits<13>>,
    /// The word.
    pub dr_data_o: [Signal<Out, Bits<8>>; 8],
    /// The column takes part in the drain.
    active: RegEn<Bit>,
    multiplier: RegData<Bits<31>>,
    left: [RegData<Bits<5>>; lefts],
    right: RegData<Bits<5>>,
    /// Head of a drain on its way to the scaling, behind pooling.
    late_load: [Reg<Bit>; pooled + pooling],
    late_part: [Delay<Bit>; pooled],
    late_tile: [Delay<Bits<8>>; pooled],
    #[new(PoolLane::new(options))]
    pool: [PoolLane; pooling],
    #[new(Activate::new(options.activations))]
    activate: [Activate; activates],
    /// A slot of an active column in each stage of the scaling.
    pipe_valid: [Reg<Bit>; stages],
    #[new(Ram1r1w::new(5, tiles))]
    ram: Ram1r1w<8, 8>,
    #[new(Requantise::new(lefts))]
    requantise: Requantise,
    byte_packer: BytePacker,
    /// The column takes part in the drain whose head is on the inputs.
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
        self.writes();
        self.parameters();
        self.pooling();
        self.scaling();
        self.activation();
        self.words();
    }

    /// What travels on to the next column.
    fn wave(&mut self) {
        self.load = self.load_i;
        self.tile = self.tile_i;
        self.skip = 0.into();
        self.cols = self.cols_i;
        self.takes_part = false;
        if self.skip_i.any() {
            self.skip = self.skip_i - 1;
        } else if self.cols_i.any() {
            self.cols = self.cols_i - 1;
            self.takes_part = true;
        }
        self.skip_o = self.skip;
        self.cols_o = self.cols;
        self.valid = self.valid_i;
        self.first.follow(&self.first_i);
        self.last.follow(&self.last_i);
        self.pack.pass_on();
    }

    /// Parameter writes travel on, too.
    fn writes(&mut self) {
        self.pw_valid = self.pw_valid_i;
        self.pw_column = self.pw_column_i - 1;
        self.pw_tile = self.pw_tile_i;
        self.pw_data.follow(&self.pw_data_i);

        self.aw_valid.follow(&self.aw_valid_i);
        self.aw_valid_o.follow(&self.aw_valid);
        self.aw_entry.follow(&self.aw_entry_i);
        self.aw_entry_o.follow(&self.aw_entry);
    }

    /// Parameters of the drain.
    fn parameters(&mut self) {
        self.ram.wen_i = self.pw_valid_i & (self.pw_column_i == 0);
        self.ram.waddr_i = self.pw_tile_i;
        for k in 0..5 {
            self.ram.wdata_i[k] = self.pw_data_i[k];
        }
        for i in 0..self._pooling {
            self.late_load[i] = self.load_i;
            self.late_part[i] = self.takes_part;
            self.late_tile[i] = self.tile_i;
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
            self.ram.ren_i = self.load_i & self.takes_part;
            self.ram.raddr_i = self.tile_i;
        }
        self.active.load(self.load_i, self.takes_part);
        self.multiplier.en_i = mux(self._pooling > 0, self.late_load[self._pooled], self.load);
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
        }
    }

    /// Windows are reduced.
    fn pooling(&mut self) {
        for i in 0..self._pooling {
            self.pool[i].valid_i = self.valid_i & self.active;
            self.pool[i].first_i = self.first_i[i];
            self.pool[i].last_i = self.last_i[i];
            self.pool[i].reduction_i = self.reduction_i[i];
            self.pool[i].acc_i = self.acc_i;
        }
        for i in 0..self._medians {
            self.pool[i].window_i[i] = self.window_i[i];
        }
    }

    /// Sums become bytes.
    fn scaling(&mut self) {
        if self._pooling > 0 {
            self.requantise.valid_i = self.pool[0].valid_o;
            self.requantise.acc_i = self.pool[0].acc_o;
        } else {
            self.requantise.valid_i = self.valid_i & self.active;
            self.requantise.acc_i = self.acc_i;
        }
        self.requantise.multiplier_i = self.multiplier;
        self.requantise.left_i.follow(&self.left);
        self.requantise.right_i = self.right;
        self.requantise.single_i = self.single_i;
        self.requantise.lo_i = self.lo_i;
        self.requantise.hi_i = self.hi_i;

        let slot = self.valid_i & self.active;
        if self._pooling > 0 {
            self.pipe_valid.shift_in(slot & self.last_i[0]);
        } else {
            self.pipe_valid.shift_in(slot);
        }
    }

    /// Bytes may be looked up in a table.
    fn activation(&mut self) {
        for i in 0..self._activates {
            self.activate[i].valid_i = self.pipe_valid[self._scaled - 1];
            self.activate[i].table_i = self.table_i[i];
            self.activate[i].byte_i = self.requantise.byte_o;
            self.activate[i].wen_i = self.aw_valid_i[i];
            self.activate[i].wentry_i = self.aw_entry_i[i];
            self.activate[i].wdata_i = self.pw_data_i[0];
        }
    }

    /// Bytes become words.
    fn words(&mut self) {
        self.byte_packer.pack_i.follow(&self.pack_i);
        self.byte_packer.active_i = self.pipe_valid[self._stages - 1];
        if self._activates > 0 {
            self.byte_packer.byte_i = self.activate[0].byte_o;
        } else {
            self.byte_packer.byte_i = self.requantise.byte_o;
        }
        self.dr_valid_o = self.byte_packer.valid_o;
        self.dr_word_o = self.pack_i.word;
        self.dr_data_o.follow(&self.byte_packer.data_o);
    }
}
