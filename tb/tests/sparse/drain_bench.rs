//! The drain engine beside its model, with the head that commands it and the units that it drains.

use std::collections::VecDeque;

use heddle_arch::isa::fields::sparse::{drain, drain_bounds, drain_first, drain_group, drain_size};
use heddle_arch::requantise::{Rounding, Scale, quantise_output, recentre};
use heddle_sim::sparse::{DrainInputs, DrainModel, DrainOutputs, DrainSizes, ScaleWord};
use heddle_tb::verilate::Sources;
use rand::Rng;
use rand_chacha::ChaCha8Rng;

use crate::rtl::{Checked, Dut};

/// What becomes of sums.
#[derive(Clone, Copy)]
pub struct Results {
    pub rounding: Rounding,
    pub zero_point: i8,
    pub min: i8,
    pub max: i8,
}

impl Results {
    fn word(&self) -> u32 {
        let bound = |bound: i8| (i32::from(bound) - i32::from(self.zero_point)) as u32;
        drain_bounds::LO.put(bound(self.min))
            | drain_bounds::HI.put(bound(self.max))
            | drain_bounds::SINGLE.flag(self.rounding == Rounding::Single)
    }
}

/// SPARSE_DRAIN.
#[derive(Clone, Copy)]
pub struct Command {
    pub region: bool,
    pub discard: bool,
    pub keep: bool,
    pub count: bool,
    pub pitch: u32,
    pub area: u32,
    pub group: u32,
    pub groups: u32,
    pub share: u32,
    /// Groups of a share.
    pub each: u32,
    pub tile: u32,
    /// First row and column, and their number.
    pub first: [u32; 2],
    pub size: [u32; 2],
    pub results: Results,
}

impl Command {
    fn words(&self) -> [u32; 5] {
        [
            drain::REGION.flag(self.region)
                | drain::DISCARD.flag(self.discard)
                | drain::KEEP.flag(self.keep)
                | drain::COUNT.flag(self.count)
                | drain::PITCH.put(self.pitch)
                | drain::AREA.put(self.area)
                | drain::GROUPS.put(self.groups)
                | drain::EACH.put(self.each),
            drain_first::ROW.put(self.first[0]) | drain_first::COL.put(self.first[1]),
            drain_size::ROWS.put(self.size[0]) | drain_size::COLS.put(self.size[1]),
            drain_group::GROUP.put(self.group)
                | drain_group::SHARE.put(self.share)
                | drain_group::TILE.put(self.tile),
            self.results.word(),
        ]
    }
}

/// What is expected of the sums of a position.
#[derive(Clone, Copy)]
struct Wanted {
    tile: usize,
    last: bool,
    results: Results,
}

/// Sums of a position on their way.
struct Sums {
    /// Those of the units, without what they begin with.
    own: Vec<i32>,
    all: Vec<i32>,
    /// `None`: they are discarded.
    wanted: Option<Wanted>,
}

/// Bench of an engine.
pub struct Bench {
    pub dut: Dut,
    pub rng: ChaCha8Rng,
    /// Chances of a clock in which a word is taken, and of one in which the head does nothing.
    pub ready: f64,
    pub pauses: f64,
    model: DrainModel,
    sizes: DrainSizes,
    /// Bias, multiplier and shift of each tile and lane.
    parameters: Vec<Vec<[i32; 3]>>,
    /// What the head has to give: parameters, or words of a command that then starts.
    scale_words: VecDeque<ScaleWord>,
    words: VecDeque<(usize, u32)>,
    command: Option<Command>,
    /// Positions that are to come.
    wanted: VecDeque<Option<Wanted>>,
    /// Positions in the units, the last one first.
    units: VecDeque<Option<Sums>>,
    /// Words of results that are to come.
    results: VecDeque<(u64, bool)>,
    /// Cycles in which no parameters were in use, up to this one.
    quiet: u32,
}

impl Bench {
    pub fn new(sources: &Sources, sizes: DrainSizes, seed: u64) -> Self {
        let dut = Dut::new(sources, seed);
        let mut bench = Self {
            rng: dut.rng(),
            dut,
            ready: 1.0,
            pauses: 0.0,
            model: DrainModel::new(sizes),
            sizes,
            parameters: vec![vec![[0; 3]; sizes.lanes]; sizes.tiles],
            scale_words: VecDeque::new(),
            words: VecDeque::new(),
            command: None,
            wanted: VecDeque::new(),
            units: (0..sizes.units + 4).map(|_| None).collect(),
            results: VecDeque::new(),
            quiet: 0,
        };
        for tile in 0..sizes.tiles {
            bench.write_parameters(tile);
        }
        bench
    }

    /// The head gives other parameters to a tile.
    pub fn write_parameters(&mut self, tile: usize) {
        let rng = &mut self.rng;
        for lane in 0..self.sizes.lanes {
            let smallest = [0, 1 << 30][rng.random_range(0..2)];
            let multiplier = rng.random_range(smallest..=i32::MAX);
            let shifts = [-31..=30, -14..=2][rng.random_range(0..2)].clone();
            let shift = rng.random_range(shifts);
            let bias = rng.random::<i32>() >> rng.random_range(0..32);
            let words = [bias, multiplier, shift].into_iter().enumerate();
            self.scale_words
                .extend(words.map(|(number, data)| ScaleWord {
                    tile,
                    lane,
                    number,
                    data: data as u32,
                }));
        }
    }

    /// The head gives a command.
    pub fn order(&mut self, command: Command) {
        self.words = (1..).zip(command.words()).collect();
        self.command = Some(command);
    }

    /// The head has nothing to give.
    pub fn head_is_free(&self) -> bool {
        self.scale_words.is_empty() && self.command.is_none()
    }

    /// All results have come, and the head has nothing to give.
    pub fn is_done(&self) -> bool {
        self.wanted.is_empty() && self.results.is_empty() && self.head_is_free()
    }

    /// One clock: what the engine does is what its model does, and what the reference says.
    pub fn clock(&mut self) -> Checked<(DrainInputs, DrainOutputs)> {
        let inputs = self.inputs();
        self.drive(&inputs);
        self.dut.settle();
        let outputs = self.model.step(&inputs);
        self.check(&outputs)?;
        self.enter_units(&outputs)?;
        if let Some(word) = outputs.out.filter(|_| inputs.ready) {
            let expected = self.results.pop_front();
            if expected != Some(word) {
                let text = format!("result {word:x?}, expected {expected:x?}");
                return Err(self.dut.message(&text));
            }
        }
        self.dut.clock();
        Ok((inputs, outputs))
    }

    fn inputs(&mut self) -> DrainInputs {
        let mut inputs = DrainInputs {
            ready: self.rng.random_bool(self.ready),
            sums: self.leave_units(),
            ..DrainInputs::default()
        };
        self.quiet = match self.dut.get("scale_busy_o") {
            0 => self.quiet + 1,
            _ => 0,
        };
        if self.sizes.positions > 0 && self.quiet > 2 {
            // Few maps are larger.
            inputs.asked = Some(self.rng.random_range(0..8));
        }
        if self.rng.random_bool(self.pauses) {
            return inputs;
        }
        if !self.scale_words.is_empty() {
            if self.dut.get("scale_busy_o") == 0 {
                inputs.scale = self.scale_words.pop_front();
            }
            if let Some(word) = &mut inputs.scale {
                self.parameters[word.tile][word.lane][word.number] = word.data as i32;
                // A shift has six bits.
                if word.number == 2 {
                    word.data &= 63;
                }
            }
        } else if !self.words.is_empty() {
            if self.dut.get("busy_o") == 0 {
                inputs.word = self.words.pop_front();
            }
        } else if let Some(command) = self.command.take() {
            inputs.start = true;
            self.want(&command);
        }
        inputs
    }

    /// What is expected of the positions of a command.
    fn want(&mut self, command: &Command) {
        let count = command.size[0] * command.size[1];
        for at in 0..command.groups * count {
            let wanted = Wanted {
                tile: (command.tile + at / count) as usize % self.sizes.tiles,
                last: at + 1 == command.groups * count,
                results: command.results,
            };
            self.wanted
                .push_back(Some(wanted).filter(|_| !command.discard));
        }
    }

    fn drive(&mut self, inputs: &DrainInputs) {
        let (dut, rng) = (&mut self.dut, &mut self.rng);
        dut.set("start_i", inputs.start);
        dut.set("out_ready_i", inputs.ready);
        dut.set("command_valid_i", inputs.word.is_some());
        // Without valid anything may be there.
        let (index, word) = inputs
            .word
            .unwrap_or((rng.random_range(0..8), rng.random()));
        dut.set("command_index_i", index as u64);
        dut.set("command_data_i", word);
        dut.set("scale_valid_i", inputs.scale.is_some());
        let scale = inputs.scale.unwrap_or(ScaleWord {
            tile: rng.random_range(0..self.sizes.tiles),
            lane: rng.random_range(0..self.sizes.lanes),
            number: rng.random_range(0..3),
            data: rng.random(),
        });
        dut.set("scale_tile_i", scale.tile as u64);
        dut.set("scale_lane_i", scale.lane as u64);
        dut.set("scale_number_i", scale.number as u64);
        dut.set("scale_data_i", scale.data);
        dut.set_all("sum_i", inputs.sums.iter().map(|sum| *sum as u64));
        if self.sizes.positions > 0 {
            dut.set("count_en_i", inputs.asked.is_some());
            let addr = inputs.asked.unwrap_or_else(|| rng.random_range(0..65536));
            dut.set("count_addr_i", addr as u64);
        }
    }

    fn check(&self, outputs: &DrainOutputs) -> Checked {
        let dut = &self.dut;
        dut.check("busy_o", outputs.busy)?;
        dut.check("scale_busy_o", outputs.scale_busy)?;
        dut.check("idle_o", outputs.idle)?;
        for (region, busy) in outputs.region_busy.iter().enumerate() {
            dut.check_element("region_busy_o", region, 2, *busy)?;
        }
        dut.check("position_valid_o", outputs.position.is_some())?;
        if let Some(position) = &outputs.position {
            dut.check("position_row_o", position.row as u64)?;
            dut.check("position_col_o", position.col as u64)?;
            dut.check("position_share_o", position.share as u64)?;
            dut.check("position_region_o", position.region)?;
            dut.check("position_addr_o", position.word as u64)?;
            dut.check("position_keep_o", position.keep)?;
        }
        if outputs.busy {
            dut.check("region_o", outputs.region)?;
        }
        for (lane, bias) in outputs.bias.iter().flatten().enumerate() {
            dut.check_element("sum_o", lane, self.sizes.lanes, *bias as u64)?;
        }
        dut.check("out_valid_o", outputs.out.is_some())?;
        if let Some((word, last)) = outputs.out {
            dut.check("out_data_o", word)?;
            dut.check("out_last_o", last)?;
        }
        if let Some(count) = outputs.count {
            dut.check("count_o", count)?;
        }
        Ok(())
    }

    /// A position reaches the first unit; that of four cycles ago takes what its sums begin with.
    fn enter_units(&mut self, outputs: &DrainOutputs) -> Checked {
        let lanes = self.sizes.lanes;
        let places = self.rng.random_range(0..28);
        let sums = outputs.position.map(|_| {
            let sum = |_| self.rng.random::<i32>() >> places;
            let own: Vec<i32> = (0..lanes).map(sum).collect();
            Sums {
                all: own.clone(),
                own,
                wanted: self.wanted.pop_front().expect("a position of a command"),
            }
        });
        self.units.push_front(sums);
        if let Some(sums) = &mut self.units[4] {
            for (lane, sum) in sums.all.iter_mut().enumerate() {
                let first = self.dut.get_element("sum_o", lane, lanes) as i32;
                *sum = sum.wrapping_add(first);
            }
        }
        Ok(())
    }

    /// The sums behind the last unit; anything if there is no position.
    fn leave_units(&mut self) -> Vec<i32> {
        let Some(sums) = self.units.pop_back().flatten() else {
            return (0..self.sizes.lanes).map(|_| self.rng.random()).collect();
        };
        if let Some(wanted) = sums.wanted {
            self.expect(&sums.own, &wanted);
        }
        sums.all
    }

    /// Words that the sums of a position become.
    fn expect(&mut self, own: &[i32], wanted: &Wanted) {
        let Results {
            rounding,
            zero_point,
            min,
            max,
        } = wanted.results;
        let left_max = if self.sizes.left_shift { 30 } else { 0 };
        let scaled = |(sum, [bias, multiplier, shift]): (&i32, &[i32; 3])| {
            let scale = Scale::new(*multiplier, left_max.min(*shift)).unwrap();
            let sum = sum.wrapping_add(*bias);
            let result = quantise_output(sum, scale, rounding, zero_point, min, max);
            recentre(result, zero_point)
        };
        let parameters = &self.parameters[wanted.tile];
        let bytes: Vec<u8> = match self.sizes.post {
            true => own.iter().zip(parameters).map(scaled).collect(),
            false => own.iter().flat_map(|sum| sum.to_le_bytes()).collect(),
        };
        let words = bytes.len().div_ceil(8);
        for (at, bytes) in bytes.chunks(8).enumerate() {
            let mut word = [0; 8];
            word[..bytes.len()].copy_from_slice(bytes);
            let last = wanted.last && at + 1 == words;
            self.results.push_back((u64::from_le_bytes(word), last));
        }
    }
}
