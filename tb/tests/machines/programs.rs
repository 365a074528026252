//! Random legal programs, written by hand-set rules and not by the compiler.
//!
//! A program is a list of phases; the first instruction of a phase waits for all units. Within a
//! phase instructions overlap: weights come from one bank, operands from another, both from one
//! half of it, and results go to the other half of any bank. A product may use row tables, whose
//! entries [`random_row_offset`] gives. Between products words are copied to anywhere, from any bank but that of
//! the operands, which may be on their way.

use heddle_arch::isa::{
    CopyWords, Drain, DrainPlace, Instruction, LoadWeights, Loop, Matmul, Pooling, ROW_EPILOGUE,
    ROW_PROLOGUE, ROW_TENSOR, Record, Reduction, Repeat, RowBlock, RowTable, Wait,
};
use heddle_arch::params::{MachineUnit, Params};
use rand::Rng;
use rand::seq::IndexedRandom;
use rand_chacha::ChaCha8Rng;

use super::pair::HALT;

/// Largest offset of a row in a table for random programs: a quarter of the operands' region.
pub fn row_offset_most(params: &Params) -> u32 {
    params.bank_bytes() / 8
}

/// The first of the last four entries: legal programs leave them to programs with faults.
pub fn fault_entry(params: &Params) -> u32 {
    params.state_buffer.row_offsets - 4
}

/// A random entry of a row table: now and then none.
pub fn random_row_offset(rng: &mut ChaCha8Rng, params: &Params) -> Option<u16> {
    let most = row_offset_most(params) as u16;
    match rng.random_range(0..6) {
        0 => None,
        1 => Some(0),
        _ => Some(rng.random_range(0..=most)),
    }
}

/// Byte addresses from `start` on.
#[derive(Debug, Clone, Copy)]
struct Region {
    start: u32,
    size: u32,
}

/// What a phase may use.
struct Phase {
    weights: Region,
    operands: Region,
    results: Region,
    rows: u32,
}

/// A product and what belongs to it.
struct Product {
    matmul: Instruction,
    /// K tiles, of all column tiles.
    tiles: u32,
    /// Slots from the first vector of one tile to that of the next, at most, if no vector waits.
    period: u32,
    /// Sums that go to post.
    results: u32,
}

/// Writes the instructions of one program.
struct Writer<'a> {
    rng: &'a mut ChaCha8Rng,
    params: &'a Params,
}

/// A random program that ends with HALT.
pub fn random_program(rng: &mut ChaCha8Rng, params: &Params) -> Vec<Instruction> {
    let mut writer = Writer { rng, params };
    let mut program = Vec::new();
    let phases = writer.rng.random_range(1..=3);
    for _ in 0..phases {
        let phase = writer.phase();
        let mut list = writer.instructions(&phase);
        if let Some(first) = list.first_mut() {
            *first.wait_mut() = Wait {
                weights: true,
                stream: true,
                drain: true,
                ..Wait::NONE
            };
        }
        program.extend(list);
    }
    program.push(HALT);
    program
}

impl Writer<'_> {
    fn phase(&mut self) -> Phase {
        let bank_bytes = self.params.bank_bytes();
        let banks = self.params.operand_banks();
        let half = self.rng.random_range(0..2);
        let region = |bank: u32, half: u32| Region {
            start: bank * bank_bytes + half * bank_bytes / 2,
            size: bank_bytes / 2,
        };
        // Input banks hold neither weights nor results.
        let work = self.params.work_banks();
        let weights = self.rng.random_range(0..work);
        let operands = (weights + self.rng.random_range(1..banks)) % banks;
        Phase {
            weights: region(weights, half),
            operands: region(operands, half),
            results: region(self.rng.random_range(0..work), 1 - half),
            rows: self.rng.random_range(1..=self.params.array.rows),
        }
    }

    /// Loops that a row of a unit has.
    fn loops(&self, unit: MachineUnit, row: u8) -> u32 {
        self.params.traversal.row_loops(unit, row)
    }

    /// Loops of the rows that have the most.
    fn most_loops(&self, unit: MachineUnit) -> u32 {
        let loops = self.params.traversal.unit_loops(unit).into_iter();
        loops.max().expect("a unit has a row")
    }

    /// Any row of a unit that has so many loops.
    fn row(&mut self, unit: MachineUnit, least: u32) -> u8 {
        let rows = (0..).zip(self.params.traversal.unit_loops(unit));
        let rows = rows
            .filter(|(_, loops)| *loops >= least)
            .map(|(row, _)| row);
        let rows: Vec<u8> = rows.collect();
        rows[self.rng.random_range(0..rows.len())]
    }

    fn chance(&mut self, p: f64) -> bool {
        self.rng.random_bool(p)
    }

    /// Products with their weights and drains, in an order that the units can follow.
    fn instructions(&mut self, phase: &Phase) -> Vec<Instruction> {
        let mut list: Vec<Instruction> = Vec::new();
        let mut previous_load = None;
        for _ in 0..self.rng.random_range(1..=4) {
            list.extend(self.between(phase));
            let product = self.product(phase);
            let (matmul, tiles) = (product.matmul, product.tiles);
            if product.results > 0 {
                let drain = self.drain(phase, product.results);
                list.push(drain);
            }
            let mut loads = Vec::new();
            if tiles > 0 && self.chance(0.3) {
                // Streamed words wait for the product: no other load may stand between.
                loads.push(self.streamed_load(phase, tiles, product.period));
                let at = list.len() + usize::from(self.chance(0.3));
                list.push(matmul);
                list.splice(at..at, loads);
                previous_load = None;
                continue;
            }
            if tiles > 1 && self.chance(0.3) {
                loads.push(self.load(phase, 1));
                loads.push(self.load(phase, tiles - 1));
            } else if tiles > 0 {
                loads.push(self.load(phase, tiles));
            }
            // Weights before the product, ahead of the product before it, or behind.
            let place = match (previous_load, self.rng.random_range(0..8)) {
                (Some(at), 0) if tiles == 1 => at,
                (_, 1 | 2) => {
                    list.push(matmul);
                    list.extend(loads);
                    previous_load = None;
                    continue;
                }
                _ => list.len(),
            };
            previous_load = (tiles == 1).then_some(place + loads.len());
            list.splice(place..place, loads);
            list.push(matmul);
        }
        list.extend(self.between(phase));
        for instruction in &mut list {
            // Rarely where the unit may depend on an instruction that comes later.
            let is_drain = matches!(instruction, Instruction::Drain(_));
            let usual = if is_drain { 0.2 } else { 0.04 };
            let wait = instruction.wait_mut();
            wait.weights |= self.rng.random_bool(usual);
            wait.stream |= self.rng.random_bool(usual);
            wait.drain |= self.rng.random_bool(0.01);
        }
        list
    }

    /// Copies and a SYNC that may stand between two products.
    fn between(&mut self, phase: &Phase) -> Vec<Instruction> {
        let mut list = Vec::new();
        if self.chance(0.25) {
            list.push(self.copy(phase));
            if self.chance(0.3) {
                list.push(self.copy(phase));
            }
        }
        if self.chance(0.15) {
            let at = self.rng.random_range(0..=list.len());
            let wait = Wait {
                weights: self.chance(0.4),
                stream: self.chance(0.4),
                drain: self.chance(0.4),
                ..Wait::NONE
            };
            list.insert(at, Instruction::Sync { wait });
        }
        list
    }

    /// Copies some words of a bank without operands, often to words near them.
    fn copy(&mut self, phase: &Phase) -> Instruction {
        let params = self.params;
        // Nothing is copied from input banks or to them.
        let (work, bank_bytes) = (params.work_banks(), params.bank_bytes());
        let operands = phase.operands.start / bank_bytes;
        let bank = match operands < work {
            true => (operands + self.rng.random_range(1..work)) % work,
            false => self.rng.random_range(0..work),
        };
        let size = bank_bytes / 4;
        let words = (bank_bytes - size) / 8;
        let start = bank * bank_bytes + 8 * self.rng.random_range(0..=words);
        let region = Region { start, size };
        let most = (params.work_bytes() - size) / 8;
        let to = match self.chance(0.4) {
            true => (start / 8 + self.rng.random_range(0..6)).min(most),
            false => self.rng.random_range(0..=most),
        };
        let count = self.rng.random_range(1..=24);
        let row = self.row(MachineUnit::Weights, 1);
        let loops = self.loops(MachineUnit::Weights, row);
        let trips = self.trips(loops, loops, count, 1);
        Instruction::Copy(CopyWords {
            rows: self.rng.random_range(1..=params.array.rows),
            distance: (8 * to).wrapping_sub(start) & 0xffff,
            record: Record {
                rows: vec![self.block(row, region, &trips)],
            },
            ..CopyWords::default()
        })
    }

    /// How often a product runs, and what each time adds to its operand addresses.
    fn repeat(&mut self, phase: &Phase) -> Option<Repeat> {
        let most = self.params.column_tiles.min(4);
        (most > 1 && self.chance(0.4)).then(|| {
            let times = self.rng.random_range(1..=most);
            let room = phase.operands.size / 4 / times;
            Repeat {
                times,
                step: self.rng.random_range(0..=room),
            }
        })
    }

    /// A product with its K tiles and the results that go to post.
    fn product(&mut self, phase: &Phase) -> Product {
        let unit = MachineUnit::Stream;
        let depth = self.params.results_buffer.depth;
        let level = self.rng.random_range(0..self.most_loops(unit));
        let last = self.chance(0.6);
        let first = self.chance(0.6);
        let loops = self.loops(unit, ROW_TENSOR);
        let tiles = match level + 1 < loops {
            true => self.rng.random_range(1..=4),
            false => 1,
        };
        let most = if self.chance(0.2) { depth } else { 10 };
        let vectors = self.rng.random_range(1..=most);
        let repeat = self.repeat(phase);
        let (times, step) = repeat.map_or((1, 0), |repeat| (repeat.times, repeat.step));
        let mut rows = Vec::new();
        let has_prologue = self.chance(0.6);
        if has_prologue {
            let region = Region {
                start: 0,
                size: self.params.column_tiles + 1 - times,
            };
            let trips = vec![1; self.loops(unit, ROW_PROLOGUE).min(1) as usize];
            rows.push(self.block(ROW_PROLOGUE, region, &trips));
        }
        let has_tensor = self.chance(0.9);
        let table = self.table(tiles);
        if has_tensor {
            let trips = self.trips(loops, level, vectors, tiles);
            let mut region = phase.operands;
            if table.is_some() {
                region.size -= row_offset_most(self.params);
            }
            region.size -= step * (times - 1);
            rows.push(self.block(ROW_TENSOR, region, &trips));
        }
        let epilogues = match !has_tensor || self.chance(0.3) {
            true => self.rng.random_range(1..=depth.min(20)),
            false => 0,
        };
        if epilogues > 0 {
            let region = Region {
                start: 0,
                size: depth,
            };
            let loops = self.loops(unit, ROW_EPILOGUE);
            let trips = self.trips(loops, loops, epilogues, 1);
            rows.push(self.block(ROW_EPILOGUE, region, &trips));
        }
        let matmul = Instruction::Matmul(Matmul {
            rows: self.rng.random_range(1..=phase.rows),
            first,
            last,
            bank: self.chance(0.5),
            raised: self.params.post.dual_scale && self.chance(0.3),
            cluster: false,
            tile_level: level,
            threshold: self.rng.random(),
            macs: self.rng.random_range(0..1 << 17),
            table,
            repeat,
            record: Record { rows },
            ..Matmul::default()
        });
        let direct = if has_tensor && last { vectors } else { 0 };
        let pace = self.params.post.columns_per_multiplier;
        let tiles = if has_tensor { tiles } else { 0 };
        Product {
            matmul,
            tiles: tiles * times,
            // Vectors and epilogues that wait for sums at the top need the more room.
            period: match times {
                1 => pace * vectors + self.params.sum_distance(),
                _ => {
                    pace * (vectors + epilogues)
                        + u32::from(has_prologue)
                        + self.params.sum_distance()
                }
            },
            results: (direct + epilogues) * times,
        }
    }

    /// Words of so many tiles, one in each clock, and some behind them.
    fn streamed_load(&mut self, phase: &Phase, tiles: u32, period: u32) -> Instruction {
        let unit = MachineUnit::Weights;
        let loops = self.loops(unit, 0);
        let level = match tiles {
            1 => self.rng.random_range(0..loops),
            _ => self.rng.random_range(0..loops - 1),
        };
        let words = period + self.rng.random_range(0..3);
        let trips = self.trips(loops, level, words, tiles);
        let mut rows = vec![self.block(0, phase.weights, &trips)];
        let mut behind = self.rng.random_range(0..=self.params.array.cols);
        let count = self.params.traversal.unit_loops(unit).len();
        if behind > 0 && count > 1 {
            let row = self.rng.random_range(1..count) as u8;
            let loops = self.loops(unit, row);
            if loops == 0 {
                behind = 1;
            }
            let trips = self.trips(loops, level, behind, 1);
            rows.push(self.block(row, phase.weights, &trips));
        }
        Instruction::LoadWeights(LoadWeights {
            rows: self.rng.random_range(phase.rows..=self.params.array.rows),
            tile_level: level,
            streamed: true,
            record: Record { rows },
            ..LoadWeights::default()
        })
    }

    /// Row tables with an entry for each of `tiles` K tiles, or none.
    fn table(&mut self, tiles: u32) -> Option<RowTable> {
        let entries = fault_entry(self.params);
        self.chance(0.4).then(|| RowTable {
            first_entry: self.rng.random_range(0..=entries - tiles) as u8,
            last_macs: self.rng.random_range(0..1 << 17),
        })
    }

    fn load(&mut self, phase: &Phase, tiles: u32) -> Instruction {
        let unit = MachineUnit::Weights;
        let loops = self.most_loops(unit);
        let (level, least) = match tiles {
            1 => (self.rng.random_range(0..loops), 1),
            _ => {
                let level = self.rng.random_range(0..loops - 1);
                (level, level + 2)
            }
        };
        let words = self.params.weight_words() + u32::from(self.chance(0.2));
        let row = self.row(unit, least);
        let trips = self.trips(self.loops(unit, row), level, words, tiles);
        // Within the half of the bank that holds the weights.
        let words = self.params.bank_bytes() / 16;
        let flip = match self.chance(0.4) {
            true => self.rng.random_range(0..words.min(32)),
            false => 0,
        };
        Instruction::LoadWeights(LoadWeights {
            rows: self.rng.random_range(phase.rows..=self.params.array.rows),
            tile_level: level,
            flip,
            record: Record {
                rows: vec![self.block(row, phase.weights, &trips)],
            },
            ..LoadWeights::default()
        })
    }

    /// Windows into which so many sums can be cut, or none.
    fn pooling(&mut self, sums: u32) -> Option<Pooling> {
        let post = self.params.post;
        if !post.pooling || self.chance(0.3) {
            return None;
        }
        let reduction = *Reduction::ALL.choose(self.rng).expect("not empty");
        let longest = match reduction {
            Reduction::Product if !post.product => return None,
            Reduction::Median => post.median,
            _ => 256,
        };
        let windows: Vec<u32> = (1..=longest).filter(|n| sums % n == 0).collect();
        let window = *windows.choose(self.rng)?;
        Some(Pooling { reduction, window })
    }

    /// Exactly as many addresses as sums, or as windows of them, in one row of the record or two.
    fn drain(&mut self, phase: &Phase, sums: u32) -> Instruction {
        let pooling = self.pooling(sums);
        let results = sums / pooling.map_or(1, |pooling| pooling.window);
        let activation = match self.params.post.activations {
            0 => 0,
            tables => self.rng.random_range(0..=tables) as u8,
        };
        let unit = MachineUnit::Drain;
        let last_row = self.params.traversal.unit_loops(unit).len() as u8 - 1;
        let part = match last_row > 0 && results > 1 && self.chance(0.3) {
            true => self.rng.random_range(1..results),
            false => results,
        };
        let mut rows = Vec::new();
        for (row, count) in [(0, part), (last_row, results - part)] {
            if count > 0 {
                let loops = self.loops(unit, row);
                let trips = self.trips(loops, loops, count, 1);
                rows.push(self.block(row, phase.results, &trips));
            }
        }
        let (tile, advance) = self.column_tiles(&rows);
        let (a, b) = (
            self.rng.random_range(-256..256),
            self.rng.random_range(-256..256),
        );
        let (lo, hi) = match self.chance(0.5) {
            true => (-128, 127),
            false => (a.min(b), a.max(b)),
        };
        let columns = self.rng.random_range(1..=self.params.lanes());
        let place = self.chance(0.5).then(|| DrainPlace {
            first_column: self.rng.random_range(0..=self.params.array.cols - columns),
            rotate: self.rng.random_range(0..self.params.rotations()),
        });
        Instruction::Drain(Drain {
            columns,
            single: self.chance(0.5),
            dual: self.params.post.dual_scale && self.chance(0.4),
            tile,
            lo,
            hi,
            place,
            activation,
            pooling,
            advance,
            record: Record { rows },
            ..Drain::default()
        })
    }

    /// The first column tile of a drain, and the level at which it goes on to the next one.
    fn column_tiles(&mut self, rows: &[RowBlock]) -> (u16, Option<u8>) {
        let tiles = self.params.column_tiles;
        let level = self
            .rng
            .random_range(0..self.most_loops(MachineUnit::Drain));
        let trips = |l: &Loop| (l.end - l.initial).div_ceil(l.step.max(1)).max(1);
        let ends: u32 = rows
            .iter()
            .map(|row| {
                row.loops
                    .iter()
                    .skip(level as usize + 1)
                    .map(trips)
                    .product::<u32>()
            })
            .sum();
        match ends <= tiles && self.chance(0.5) {
            true => (
                self.rng.random_range(0..=tiles - ends) as u16,
                Some(level as u8),
            ),
            false => (self.rng.random_range(0..tiles) as u16, None),
        }
    }

    /// Trips of so many loops: those up to `level` have `inner` iterations together, the others `outer`.
    fn trips(&mut self, loops: u32, level: u32, inner: u32, outer: u32) -> Vec<u32> {
        let loops = loops as usize;
        let behind = loops.min(level as usize + 1);
        let mut trips = vec![1; loops];
        self.scatter(&mut trips[..behind], inner);
        if outer > 1 {
            self.scatter(&mut trips[behind..], outer);
        }
        let used = trips.iter().rposition(|&n| n > 1).map_or(0, |at| at + 1);
        trips.truncate(self.rng.random_range(used..=loops));
        trips
    }

    /// Distributes the factors of a product over loops.
    fn scatter(&mut self, trips: &mut [u32], mut product: u32) {
        let mut factor = 2;
        while product > 1 {
            while product % factor != 0 {
                factor += 1;
            }
            product /= factor;
            let at = self.rng.random_range(0..trips.len());
            trips[at] *= factor;
        }
    }

    /// A row whose addresses all lie in the region.
    fn block(&mut self, row: u8, region: Region, trips: &[u32]) -> RowBlock {
        let mut room = region.size - 1;
        let mut offset = 0u32;
        let mut loops = Vec::new();
        let mut reserved: u32 = trips.iter().map(|count| count - 1).sum();
        for &count in trips {
            // Every later loop can still take steps of 1.
            reserved -= count - 1;
            let most = (room - reserved) / (count - 1).max(1);
            let usual = *[1, 1, 2, 8].choose(self.rng).expect("not empty");
            let step = match self.rng.random_range(0..5) {
                0 => self.rng.random_range(0..=most),
                _ => most.min(usual),
            };
            // A step of 0 ends at once or never.
            let step = if count > 1 { step.max(1) } else { step };
            room -= step * (count - 1);
            let initial = match self.chance(0.3) {
                true => self.rng.random_range(0..1000),
                false => 0,
            };
            offset += initial;
            // Any end after the last but one iteration and not behind the last gives the count.
            let end = initial + count * step;
            let end = end
                - if step > 1 {
                    self.rng.random_range(0..step)
                } else {
                    0
                };
            loops.push(Loop { initial, step, end });
        }
        // Bases may lie below 0: addresses wrap.
        let first = region.start + self.rng.random_range(0..=room);
        let mask = u32::MAX >> (32 - self.params.traversal.address_bits);
        RowBlock {
            row,
            base: first.wrapping_sub(offset) & mask,
            loops,
        }
    }
}
