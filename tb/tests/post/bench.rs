//! Post-processing and its model side by side.

use heddle_hdl::post::PostOptions;
use heddle_sim::buffer::DrainWord;
use heddle_sim::post::{EntryWrite, ParameterWrite, PostInputs, PostModel, PostSettings};
use heddle_tb::verilate::Sources;
use rand::Rng;
use rand_chacha::ChaCha8Rng;

use crate::rtl::{Checked, Dut};

/// Column tiles of all designs.
pub const TILES: usize = 4;

/// Design and model side by side.
pub struct Bench {
    pub dut: Dut,
    model: PostModel,
    cols: usize,
    options: PostOptions,
    /// Sums in a window.
    pub window: u32,
    pub settings: PostSettings,
    /// Words stored by each lane.
    pub stored: Vec<Vec<DrainWord>>,
    noise: ChaCha8Rng,
}

impl Bench {
    pub fn new(sources: &Sources, cols: usize, options: PostOptions, seed: u64) -> Self {
        let dut = Dut::new(sources, seed);
        Self {
            noise: dut.rng(),
            model: PostModel::new(cols, TILES, options.latency()).with_options(
                options.pooling,
                options.activations,
                options.left_shift,
            ),
            cols,
            options,
            window: 1,
            settings: PostSettings {
                single: false,
                low: -128,
                high: 127,
                ..PostSettings::default()
            },
            stored: vec![Vec::new(); cols],
            dut,
        }
    }

    /// One clock cycle: drives both, compares all outputs.
    pub fn step(&mut self, slot: &PostInputs, accs: &[i32]) -> Checked {
        let dut = &mut self.dut;
        dut.set("load_i", slot.load);
        dut.set("tile_i", slot.tile);
        dut.set("skip_i", slot.skip);
        dut.set("cols_i", slot.columns);
        dut.set("valid_i", slot.valid);
        dut.set("dest_i", slot.destination);
        dut.set("flush_i", slot.flush);
        dut.set("single_i", self.settings.single);
        if self.options.dual_scale {
            dut.set("dual_i", self.settings.dual);
        }
        dut.set_signed("lo_i", self.settings.low);
        dut.set_signed("hi_i", self.settings.high);
        dut.set("pw_valid_i", slot.write.valid);
        dut.set("pw_column_i", slot.write.column);
        dut.set("pw_tile_i", slot.write.tile);
        dut.set("pw_data_i", slot.write.data);
        if self.options.pooling {
            dut.set("first_i", slot.first);
            dut.set("last_i", slot.last);
            dut.set("reduction_i", self.settings.reduction.number());
        }
        if self.options.median > 0 {
            dut.set("window_i", self.window - 1);
        }
        if self.options.activations > 0 {
            dut.set("table_i", self.settings.table);
            dut.set("aw_valid_i", slot.entry.valid);
            dut.set("aw_entry_i", slot.entry.entry);
        }
        dut.set_all("acc_i", accs.iter().map(|a| *a as u64));
        dut.settle();

        let expected = self.model.step(slot, self.settings, accs);
        for (lane, word) in expected.into_iter().enumerate() {
            dut.check_element("dr_valid_o", lane, self.cols, word.is_some())?;
            if let Some(word) = word {
                dut.check_element("dr_word_o", lane, self.cols, word.word)?;
                dut.check_element("dr_data_o", lane, self.cols, word.data)?;
                self.stored[lane].push(word);
            }
        }
        dut.clock();
        // Columns that share a multiplier take turns.
        match slot.valid {
            true => self.idle(self.options.columns_per_multiplier - 1),
            false => Ok(()),
        }
    }

    /// Slots and sums without meaning in `cycles` clock cycles.
    pub fn idle(&mut self, cycles: usize) -> Checked {
        for _ in 0..cycles {
            let slot = PostInputs {
                tile: self.noise.random_range(0..TILES as u8),
                skip: self.noise.random_range(0..3),
                columns: self.noise.random_range(0..4),
                destination: self.noise.random(),
                flush: self.noise.random(),
                first: self.noise.random(),
                last: self.noise.random(),
                ..PostInputs::default()
            };
            let accs: Vec<i32> = (0..self.cols).map(|_| self.noise.random()).collect();
            self.step(&slot, &accs)?;
        }
        Ok(())
    }

    /// Waits until everything has left, so that the settings may change.
    pub fn finish(&mut self) -> Checked {
        self.idle(self.options.latency() + self.cols + 3)
    }

    pub fn write_scale(&mut self, column: u8, tile: u8, multiplier: i32, shift: i32) -> Checked {
        let data = (shift as u64 & 0x3f) << 32 | multiplier as u64;
        self.write_data(column, tile, data)
    }

    /// Factors of both parts of a sum.
    pub fn write_dual(&mut self, column: u8, tile: u8, factors: [u64; 2], shift: i32) -> Checked {
        let [f, g] = factors;
        let low = f | (g & 0x7fff) << 17;
        let code = (14 - shift) as u64 & 0x3f;
        self.write_data(column, tile, low | (g >> 15 << 6 | code) << 32)
    }

    fn write_data(&mut self, column: u8, tile: u8, data: u64) -> Checked {
        let slot = PostInputs {
            write: ParameterWrite {
                valid: true,
                column,
                tile,
                data,
            },
            ..PostInputs::default()
        };
        let accs = vec![0; self.cols];
        self.step(&slot, &accs)
    }

    pub fn load(&mut self, tile: u8, skip: u16, columns: u16) -> Checked {
        let slot = PostInputs {
            load: true,
            tile,
            skip,
            columns,
            ..PostInputs::default()
        };
        let accs = vec![0; self.cols];
        self.step(&slot, &accs)
    }

    pub fn drain(&mut self, destination: u16, flush: bool, accs: &[i32]) -> Checked {
        let slot = PostInputs {
            valid: true,
            destination,
            flush,
            ..PostInputs::default()
        };
        self.step(&slot, accs)
    }

    /// One entry of the activation tables.
    pub fn write_entry(&mut self, entry: u16, byte: u8) -> Checked {
        let slot = PostInputs {
            write: ParameterWrite {
                data: byte.into(),
                ..ParameterWrite::default()
            },
            entry: EntryWrite { valid: true, entry },
            ..PostInputs::default()
        };
        let accs = vec![0; self.cols];
        self.step(&slot, &accs)
    }
}

/// A sum of two parts.
pub fn dual_sum(upper: i32, lower: i32) -> i32 {
    131_072 * upper + 65_536 + lower
}

/// Both parts at an end, small or anything.
pub fn random_dual_sum(rng: &mut ChaCha8Rng) -> i32 {
    let mut part = |bits: u32| {
        let end = 1 << (bits - 1);
        match rng.random_range(0..5) {
            0 => -end,
            1 => end - 1,
            2 => rng.random_range(-3..3),
            _ => rng.random_range(-end..end),
        }
    };
    dual_sum(part(15), part(17))
}

/// Factors and shift.
pub fn random_dual(rng: &mut ChaCha8Rng) -> ([u64; 2], i32) {
    let mut factor = || match rng.random_range(0..5) {
        0 => 0,
        1 => 0x1_ffff,
        _ => rng.random_range(0..1 << 17),
    };
    let factors = [factor(), factor()];
    let shift = match rng.random_range(0..4) {
        0 => rng.random_range(14..=45),
        _ => rng.random_range(19..=28),
    };
    (factors, shift)
}

/// A sum: small, large or anything.
pub fn random_acc(rng: &mut ChaCha8Rng) -> i32 {
    match rng.random_range(0..5) {
        0 => rng.random_range(-300..300),
        1 => i32::MIN + rng.random_range(0..3),
        2 => i32::MAX - rng.random_range(0..3),
        3 => rng.random::<i32>() >> rng.random_range(0..24),
        _ => rng.random(),
    }
}

pub fn random_scale(rng: &mut ChaCha8Rng) -> (i32, i32) {
    let multiplier = match rng.random_range(0..6) {
        0 => 0,
        1 => 1 << 30,
        2 => i32::MAX,
        3 => rng.random_range(1..1 << 30),
        _ => rng.random_range(1 << 30..=i32::MAX),
    };
    let shift = match rng.random_range(0..4) {
        0 => rng.random_range(-31..=30),
        1 => rng.random_range(-31..-20),
        _ => rng.random_range(-16..=1),
    };
    (multiplier, shift)
}
