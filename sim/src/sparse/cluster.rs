//! The clocked cluster: its parts, put together.

use heddle_arch::Params;
use heddle_arch::isa::sparse::SparseError;
use heddle_arch::params::Sparse;

use super::cell::{SparseUnitInputs, SparseUnitModel, SparseUnitOutputs};
use super::cut_engine::{CutInputs, CutModel};
use super::drain_engine::{DrainInputs, DrainModel, DrainOutputs, DrainSizes, ScaleWord};
use super::fill::{FillInputs, FillModel};
use super::head::{Given, HeadInputs, HeadModel, UnitStatus};
use super::load::{Load, LoadModel};
use super::slots::{SlotsInputs, SlotsModel};
use super::weights::{Fill, WeightsModel};
use crate::delay::DelayLine;

/// Inputs in one clock cycle: what the streams offer, and whether results are taken.
#[derive(Debug, Clone, Copy, Default)]
pub struct ClusterInputs {
    /// A word of a command.
    pub command: Option<u32>,
    /// A word of a map.
    pub map: Option<u64>,
    /// A word of weights.
    pub weight: Option<u64>,
    /// A word of results is taken.
    pub out_ready: bool,
}

/// Outputs in one clock cycle.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClusterOutputs {
    /// The word of a command is taken.
    pub command_ready: bool,
    /// The word of a map is taken.
    pub map_ready: bool,
    /// The word of weights is taken.
    pub weight_ready: bool,
    /// A word of results, and whether it is the last one of a drain.
    pub out: Option<(u64, bool)>,
    /// Nothing is under way.
    pub idle: bool,
    /// What has stopped the cluster.
    pub error: Option<SparseError>,
    /// Words of commands before the one that is looked at, or was wrong.
    pub words: u32,
    /// Something happened in the cycle before.
    pub event: bool,
}

/// What has been counted.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counts {
    /// Cycles in which something was under way.
    pub cycles: u32,
    /// Slots.
    pub slots: u32,
    /// Cycles in which a slot waited.
    pub slot_waits: u32,
    /// Entries.
    pub entries: u32,
    /// Words of weights that were filled.
    pub fills: u32,
    /// Words of weights that were multiplied.
    pub products: u32,
    /// Those of them whose products were dropped.
    pub drops: u32,
    /// Cycles in which products of a unit waited.
    pub holds: u32,
    /// Positions that were drained.
    pub positions: u32,
}

impl Counts {
    /// In the order of their numbers; those of a cut are beside them.
    pub fn all(&self) -> [u32; 9] {
        [
            self.cycles,
            self.slots,
            self.slot_waits,
            self.entries,
            self.fills,
            self.products,
            self.drops,
            self.holds,
            self.positions,
        ]
    }
}

/// The cluster.
#[derive(Debug, Clone)]
pub struct ClusterModel {
    head: HeadModel,
    slots: SlotsModel,
    load: LoadModel,
    fill: FillModel,
    units: Vec<SparseUnitModel>,
    drain: DrainModel,
    /// Cuts of maps.
    pub cut: CutModel,
    lanes: usize,
    /// Something happened one, and two cycles ago.
    happens: DelayLine<bool>,
    progress: DelayLine<bool>,
    /// What has been counted.
    pub counts: Counts,
}

impl ClusterModel {
    /// The cluster of a configuration, on its own.
    pub fn new(params: &Params) -> Self {
        Self::of(params.sparse_cluster(), params.post.left_shift, false)
    }

    /// The cluster as an engine of a machine, which takes its sums as they come.
    pub fn engine(params: &Params) -> Self {
        Self::of(params.sparse_cluster().as_engine(), false, true)
    }

    fn of(section: Sparse, left_shift: bool, direct: bool) -> Self {
        let lanes = section.channels as usize;
        let units = section.units as usize;
        let load_lanes = section.load_lanes.expect("lanes are given") as usize;
        let (sets, entries) = (section.map_sets as usize, section.map_entries as usize);
        let weights = WeightsModel::new(section.weight_words as usize, section.lists as usize);
        let unit = SparseUnitModel::new((sets, entries), weights, section.sums as usize, lanes);
        Self {
            slots: SlotsModel::new(load_lanes, sets, units),
            load: LoadModel::new(section.load_entries as usize),
            fill: FillModel::new(lanes, units),
            units: vec![unit; units],
            drain: DrainModel::new(DrainSizes {
                lanes,
                units,
                tiles: section.tiles as usize,
                post: section.post,
                left_shift,
                positions: section.positions as usize * usize::from(section.census),
                direct,
            }),
            cut: CutModel::new(units),
            head: HeadModel::new(section),
            lanes,
            happens: DelayLine::new(1),
            progress: DelayLine::new(1),
            counts: Counts::default(),
        }
    }

    /// The bias of an output channel: its group, and its lane there.
    pub fn set_bias(&mut self, tile: usize, lane: usize, bias: i32) {
        self.drain.set_bias(tile, lane, bias);
    }

    /// The sums of a position that leave in this cycle.
    pub fn leaving(&self) -> Option<&[i32]> {
        let last = self.units.last().expect("there is a unit");
        self.drain.leaving().then(|| last.sums())
    }

    /// Its units, the first one first.
    pub fn units(&self) -> &[SparseUnitModel] {
        &self.units
    }

    /// One clock cycle: returns the outputs of this cycle, then takes the clock edge.
    pub fn step(&mut self, inputs: &ClusterInputs) -> ClusterOutputs {
        self.step_with(inputs, inputs.map.map(|word| word.to_le_bytes().to_vec()))
    }

    /// The same with a whole slot of a map in place of a word.
    pub fn step_with(&mut self, inputs: &ClusterInputs, map: Option<Vec<u8>>) -> ClusterOutputs {
        let waits_for_map = map.is_none();
        let given = self.head.given().clone();
        let mut status = self.status();
        let mask = self.slots.mask();
        let load_units = bits(&mask);
        let asks = self.slots.asks();
        let load_to = (asks.unwrap_or(0), load_units);
        let free = asks.is_some() && self.head.free(load_to, &status);

        let slot = self.slots.slot();
        let load = self.load.step(slot.as_ref());
        let slots = self.slots.step(&SlotsInputs {
            command: given.command[0],
            start: given.start[0],
            map,
            slot_ready: load.ready,
            free,
        });
        let fill = self.fill.step(&FillInputs {
            command: given.command[1],
            start: given.start[1],
            weight: inputs.weight,
        });
        let cut = self.cut.step(
            &CutInputs {
                word: given.command[3],
                start: given.start[3],
            },
            |position| self.drain.counted(position),
        );
        let drain = self.drain(&given, inputs.out_ready);
        let fills = Fill {
            begin: fill.begin,
            word: fill.word.clone(),
        };
        // Where nothing comes no unit is meant.
        let load_mask = load.wave.as_ref().map_or(Vec::new(), |_| mask);
        let is_filled = fills.begin.is_some() || fills.word.is_some();
        let fill_mask = if is_filled { fill.mask } else { Vec::new() };
        let units = self.step_units(
            &given,
            (load.wave.clone(), load_mask),
            (fills, fill_mask),
            &drain,
        );
        for (status, unit) in status.iter_mut().zip(&units) {
            status.full = unit.full;
        }
        let waits = slots.map_ready && waits_for_map
            || fill.weight_ready && inputs.weight.is_none()
            || drain.out.is_some() && !inputs.out_ready;
        let is_taken = slot.is_some() && load.ready;
        let happens = is_taken
            || load.wave.is_some()
            || fill.word.is_some()
            || drain.position.is_some()
            || units.iter().any(|unit| unit.tap);
        let happened = self.happens.shift(happens);
        let head = self.head.step(&HeadInputs {
            word: inputs.command,
            busy: [slots.busy, fill.busy, drain.busy, cut.busy],
            cut: cut.write,
            begins: slots.begins,
            load: load_to,
            fill_half: fill.half,
            drains: drain.region_busy,
            scales: drain.scale_busy,
            drained: drain.idle,
            units: status,
            progress: self.progress.shift(waits || happened),
        });

        let sum = |what: fn(&SparseUnitOutputs) -> bool| {
            units.iter().filter(|unit| what(unit)).count() as u32
        };
        let entries = load.wave.map_or(0, |wave| wave.entries.len() as u32);
        self.counts.cycles += u32::from(!head.idle);
        self.counts.slots += u32::from(is_taken);
        self.counts.slot_waits += u32::from(slot.is_some() && !load.ready);
        self.counts.entries += entries;
        self.counts.fills += u32::from(fill.word.is_some());
        self.counts.products += sum(|unit| unit.tap);
        self.counts.drops += sum(|unit| unit.drop);
        self.counts.holds += sum(|unit| unit.hold);
        self.counts.positions += u32::from(drain.position.is_some());
        ClusterOutputs {
            command_ready: head.ready,
            map_ready: slots.map_ready,
            weight_ready: fill.weight_ready,
            out: drain.out,
            idle: head.idle,
            error: head.error,
            words: head.words,
            event: happened,
        }
    }

    /// What units say of their runs; whether a set of theirs is full comes later in the cycle.
    fn status(&self) -> Vec<UnitStatus> {
        let status = |unit: &SparseUnitModel| {
            let orders = unit.orders();
            UnitStatus {
                ready: orders.run_ready,
                released: orders.released,
                half_busy: orders.half_busy,
                region_busy: orders.region_busy,
                running: orders.running,
                full: false,
            }
        };
        self.units.iter().map(status).collect()
    }

    fn drain(&mut self, given: &Given, ready: bool) -> DrainOutputs {
        let scale = given.scale.map(|(tile, lane, number, data)| ScaleWord {
            tile: tile as usize,
            lane: lane as usize,
            number: number as usize,
            data,
        });
        let last = self.units.last().expect("there is a unit");
        self.drain.step(&DrainInputs {
            word: given.command[2],
            start: given.start[2],
            scale,
            sums: last.sums().to_vec(),
            ready,
            asked: None,
        })
    }

    /// What comes to the first unit travels through all of them.
    fn step_units(
        &mut self,
        given: &Given,
        load: (Option<Load>, Vec<bool>),
        fill: (Fill, Vec<bool>),
        drain: &DrainOutputs,
    ) -> Vec<SparseUnitOutputs> {
        let bias = drain.bias.clone().unwrap_or(vec![0; self.lanes]);
        let mut next = (load, fill, drain.position, bias);
        let mut outputs = Vec::new();
        for (number, unit) in self.units.iter_mut().enumerate() {
            let is_own = |units: u64| units >> number & 1 != 0;
            let write = given.write.filter(|(units, ..)| is_own(*units));
            let run = given.run.filter(|(units, _)| is_own(*units));
            let (load, fill, position, sums) = next;
            let output = unit.step(&SparseUnitInputs {
                load,
                fill,
                position,
                sums,
                write: write.map(|(_, register, value)| (register as usize, value)),
                run: run.map(|(_, word)| word),
            });
            next = (
                output.load.clone(),
                output.fill.clone(),
                output.position,
                output.sums.clone(),
            );
            outputs.push(output);
        }
        outputs
    }
}

/// Units as bits.
fn bits(units: &[bool]) -> u64 {
    let bits = units.iter().enumerate();
    bits.fold(0, |bits, (unit, is_in)| bits | u64::from(*is_in) << unit)
}
