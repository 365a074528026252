//! The clocked unit of a cluster.

use super::drain::{LinkModel, Position};
use super::load::Load;
use super::map::{Loaded, MapInputs, MapModel};
use super::orders::{OrdersInputs, OrdersModel, OrdersOutputs};
use super::sums::Waits;
use super::unit::{Layout, UnitInputs, UnitModel, Window};
use super::weights::{Fill, WeightsModel};
use crate::delay::DelayLine;

/// Inputs in one clock cycle.
#[derive(Debug, Clone, Default)]
pub struct SparseUnitInputs {
    /// Entries on their way, and the units that they are for, this one first.
    pub load: (Option<Load>, Vec<bool>),
    /// Words of weights likewise.
    pub fill: (Fill, Vec<bool>),
    /// A position whose sums are drained.
    pub position: Option<Position>,
    /// Sums of the units before.
    pub sums: Vec<i32>,
    /// A register is written: its number and its value.
    pub write: Option<(usize, u32)>,
    /// A run is given.
    pub run: Option<u32>,
}

/// Outputs in one clock cycle.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SparseUnitOutputs {
    /// What came in the cycle before, for the next unit.
    pub load: (Option<Load>, Vec<bool>),
    /// The same of words of weights.
    pub fill: (Fill, Vec<bool>),
    /// The same of the position.
    pub position: Option<Position>,
    /// Sums with those of this unit.
    pub sums: Vec<i32>,
    /// What its runs do.
    pub orders: OrdersOutputs,
    /// A set is full, an entry is dropped.
    pub full: bool,
    /// A word of weights is multiplied.
    pub tap: bool,
    /// A word of products lies outside the window.
    pub drop: bool,
    /// Products wait.
    pub hold: bool,
}

/// The unit.
#[derive(Debug, Clone)]
pub struct SparseUnitModel {
    orders: OrdersModel,
    map: MapModel,
    unit: UnitModel,
    link: LinkModel,
    lanes: usize,
    /// Words of sums.
    sums: usize,
    load: DelayLine<(Option<Load>, Vec<bool>)>,
    fill: DelayLine<(Fill, Vec<bool>)>,
    position: DelayLine<Option<Position>>,
}

impl SparseUnitModel {
    /// A unit with so many sets of so many entries, this memory of weights and so many words of `lanes` sums.
    pub fn new(
        (sets, entry_max): (usize, usize),
        weights: WeightsModel,
        sums: usize,
        lanes: usize,
    ) -> Self {
        let orders = OrdersModel::new(sets);
        let window = Window {
            kernel: (1, 1),
            rows: 0..0,
            cols: 0..0,
            layout: Layout {
                pitch: 0,
                area: 0,
                words: sums,
            },
        };
        Self {
            map: MapModel::new(orders.part(), sets, entry_max),
            unit: UnitModel::new(weights, window, lanes),
            link: LinkModel::new([false, true].map(|region| orders.window(region)), 0),
            orders,
            lanes,
            sums,
            load: DelayLine::new(1),
            fill: DelayLine::new(1),
            position: DelayLine::new(1),
        }
    }

    /// What its runs do in this cycle.
    pub fn orders(&self) -> OrdersOutputs {
        self.orders.outputs()
    }

    /// What its products have waited for.
    pub fn waits(&self) -> Waits {
        self.unit.waits()
    }

    /// What has been written of maps.
    pub fn loaded(&self) -> Loaded {
        self.map.loaded
    }

    /// The sums that it gives in this cycle.
    pub fn sums(&self) -> &[i32] {
        self.link.sums()
    }

    /// One clock cycle: returns the outputs of this cycle, then takes the clock edge.
    ///
    /// # Panics
    /// If positions of a region come while it is computed, and as its parts.
    pub fn step(&mut self, inputs: &SparseUnitInputs) -> SparseUnitOutputs {
        let position = inputs.position;
        let region = self.orders.region();
        assert!(
            position.is_none_or(|position| region != Some(position.region)),
            "a region is drained when its runs are done"
        );
        self.settings();
        let orders = self.orders.outputs();
        let drain = self.link.drain();
        let fill = match own(&inputs.fill.1) {
            true => inputs.fill.0.clone(),
            false => Fill::default(),
        };
        let unit = self.unit.step(&UnitInputs {
            entry: self.map.entry(),
            drain: drain.map(|(word, _)| word % self.sums),
            keep: drain.is_some_and(|(_, keep)| keep),
            fill,
        });
        let load = inputs.load.0.clone().filter(|_| own(&inputs.load.1));
        let ends = load.as_ref().filter(|load| load.last);
        let filled = ends.map(|load| load.set);
        let map = self.map.step(&MapInputs {
            load,
            read: orders.read,
            ready: unit.ready,
        });
        let stored = unit.drained.unwrap_or(vec![0; self.lanes]);
        let link = self.link.step(position, &stored, &inputs.sums);
        self.orders.step(&OrdersInputs {
            write: inputs.write,
            run: inputs.run,
            filled,
            read_ready: map.read_ready,
            read_done: map.read_done,
            busy: map.busy || unit.busy,
        });
        SparseUnitOutputs {
            load: self
                .load
                .shift((inputs.load.0.clone(), rest(&inputs.load.1))),
            fill: self
                .fill
                .shift((inputs.fill.0.clone(), rest(&inputs.fill.1))),
            position: self.position.shift(position),
            sums: link.sums,
            orders,
            full: map.full,
            tap: unit.tap,
            drop: unit.drop,
            hold: unit.hold,
        }
    }

    /// The parts work with what the registers and the run say.
    fn settings(&mut self) {
        self.map.part = self.orders.part();
        self.link.windows = [false, true].map(|region| self.orders.window(region));
        self.link.share = self.orders.share();
        if let Some(results) = self.orders.results(self.sums) {
            self.unit.window = results;
        }
    }
}

/// Whether this unit is meant.
fn own(mask: &[bool]) -> bool {
    mask.first() == Some(&true)
}

/// The mask as the next unit sees it.
fn rest(mask: &[bool]) -> Vec<bool> {
    mask.iter().skip(1).copied().collect()
}
