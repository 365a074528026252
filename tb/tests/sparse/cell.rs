//! A unit beside its model, pin by pin.

use heddle_arch::isa::fields::sparse::range;
use heddle_arch::params::Sparse;
use heddle_hdl::sparse::{SparseShape, SparseUnit};
use heddle_sim::sparse::{
    Load, Position, SparseUnitInputs, SparseUnitModel, SparseUnitOutputs, WeightsModel,
};
use heddle_tb::verilate::Sources;

use crate::rtl::{Checked, Dut, emitted};

/// As in [`super::unit`].
pub(super) const LANES: usize = 3;
pub(super) const WORDS: usize = 512;
pub(super) const LISTS: usize = 16;
pub(super) const SUMS: usize = 512;
/// Entries on the wave, and those of a set.
pub(super) const ENTRIES: usize = 2;
const ENTRY_MAX: usize = 16;

/// The Verilog of a unit with so many sets.
pub(super) fn unit(sets: usize) -> Sources {
    emitted(SparseUnit::new(SparseShape::of(&super::with(Sparse {
        units: 2,
        channels: LANES as u32,
        load_entries: ENTRIES as u32,
        map_sets: sets as u32,
        map_entries: ENTRY_MAX as u32,
        weight_words: WORDS as u32,
        lists: LISTS as u32,
        sums: SUMS as u32,
        ..Sparse::default()
    }))))
}

/// Nothing comes.
pub(super) fn quiet() -> SparseUnitInputs {
    SparseUnitInputs {
        sums: vec![0; LANES],
        ..SparseUnitInputs::default()
    }
}

/// The unit beside its model.
pub(super) struct Pair {
    pub dut: Dut,
    pub model: SparseUnitModel,
}

impl Pair {
    pub fn new(sources: &Sources, sets: usize, seed: u64) -> Self {
        let weights = WeightsModel::new(WORDS, LISTS);
        Self {
            dut: Dut::new(sources, seed),
            model: SparseUnitModel::new((sets, ENTRY_MAX), weights, SUMS, LANES),
        }
    }

    /// One clock; sums are compared if `known`.
    pub fn step(&mut self, inputs: &SparseUnitInputs, known: bool) -> Checked<SparseUnitOutputs> {
        let dut = &mut self.dut;
        set_inputs(dut, inputs);
        dut.settle();
        let outputs = self.model.step(inputs);
        check_travel(dut, &outputs)?;
        let orders = &outputs.orders;
        dut.check("run_ready_o", orders.run_ready)?;
        dut.check("half_busy_o", bits(&orders.half_busy))?;
        dut.check("region_busy_o", bits(&orders.region_busy))?;
        dut.check("running_o", orders.running)?;
        dut.check("waits_o", orders.waits)?;
        dut.check("released_o", bits(&orders.released))?;
        dut.check("full_o", outputs.full)?;
        dut.check("tap_o", outputs.tap)?;
        dut.check("drop_o", outputs.drop)?;
        dut.check("hold_o", outputs.hold)?;
        for (lane, sum) in outputs.sums.iter().enumerate() {
            if known {
                dut.check_element("sum_o", lane, LANES, *sum as u64)?;
            }
        }
        dut.clock();
        Ok(outputs)
    }

    /// Sums begin with any value: all are drained.
    pub fn clear(&mut self) -> Checked {
        for register in [4, 5] {
            let word = range::FIRST.put(0) | range::END.put(1);
            let inputs = SparseUnitInputs {
                write: Some((register, word)),
                ..quiet()
            };
            self.step(&inputs, false)?;
        }
        for word in 0..SUMS + 6 {
            let position = Position {
                row: 0,
                col: 0,
                share: 0,
                region: false,
                word,
                keep: false,
            };
            let inputs = SparseUnitInputs {
                position: Some(position).filter(|_| word < SUMS),
                ..quiet()
            };
            self.step(&inputs, false)?;
        }
        Ok(())
    }
}

fn bits(bits: &[bool]) -> u64 {
    let bits = bits.iter().rev();
    bits.fold(0, |word, bit| word << 1 | u64::from(*bit))
}

fn set_inputs(dut: &mut Dut, inputs: &SparseUnitInputs) {
    let (load, mask) = &inputs.load;
    dut.set("load_valid_i", load.is_some());
    dut.set("load_mask_i", bits(mask));
    if let Some(load) = load {
        for (port, value) in load_members(load) {
            dut.set(&format!("{port}_i"), value);
        }
        let mut entries = load.entries.iter().map(Some).collect::<Vec<_>>();
        entries.resize(ENTRIES, None);
        let values = entries.iter();
        let values = values.map(|entry| entry.map_or(0, |entry| entry.value as u64));
        dut.set_all("load_value_i", values);
        let lists = entries.iter();
        let lists = lists.map(|entry| entry.map_or(0, |entry| entry.channel as u64));
        dut.set_all("load_list_i", lists);
    }
    let (fill, mask) = &inputs.fill;
    super::set_fill(dut, fill);
    dut.set("fill_mask_i", bits(mask));
    dut.set("position_valid_i", inputs.position.is_some());
    for (port, value) in inputs.position.iter().flat_map(position_members) {
        dut.set(&format!("{port}_i"), value);
    }
    dut.set_all("sum_i", inputs.sums.iter().map(|sum| *sum as u64));
    dut.set("write_i", inputs.write.is_some());
    dut.set("run_i", inputs.run.is_some());
    let (register, word) = inputs.write.unwrap_or_default();
    dut.set("order_register_i", register as u64);
    dut.set("order_data_i", inputs.run.unwrap_or(word));
}

fn load_members(load: &Load) -> [(&'static str, u64); 6] {
    [
        ("load_count", load.entries.len() as u64),
        ("load_row", load.row as u64),
        ("load_col", load.col as u64),
        ("load_set", load.set as u64),
        ("load_first", u64::from(load.first)),
        ("load_last", u64::from(load.last)),
    ]
}

fn position_members(position: &Position) -> [(&'static str, u64); 6] {
    [
        ("position_row", position.row as u64),
        ("position_col", position.col as u64),
        ("position_share", position.share as u64),
        ("position_region", u64::from(position.region)),
        ("position_addr", position.word as u64),
        ("position_keep", u64::from(position.keep)),
    ]
}

/// What goes on to the next unit.
fn check_travel(dut: &Dut, outputs: &SparseUnitOutputs) -> Checked {
    let (load, mask) = &outputs.load;
    dut.check("load_valid_o", load.is_some())?;
    if let Some(load) = load {
        dut.check("load_mask_o", bits(mask))?;
        for (port, value) in load_members(load) {
            dut.check(&format!("{port}_o"), value)?;
        }
        for (at, entry) in load.entries.iter().enumerate() {
            dut.check_element("load_value_o", at, ENTRIES, entry.value as u64)?;
            dut.check_element("load_list_o", at, ENTRIES, entry.channel as u64)?;
        }
    }
    let (fill, mask) = &outputs.fill;
    dut.check("fill_begin_o", fill.begin.is_some())?;
    dut.check("fill_valid_o", fill.word.is_some())?;
    if fill.begin.is_some() || fill.word.is_some() {
        dut.check("fill_mask_o", bits(mask))?;
    }
    if let Some((word, list)) = fill.begin {
        dut.check("fill_word_o", word as u64)?;
        dut.check("fill_first_list_o", list as u64)?;
    }
    if let Some(word) = &fill.word {
        dut.check("fill_index_o", word.index)?;
        for (lane, weight) in word.weights.iter().enumerate() {
            dut.check_element("fill_weight_o", lane, LANES, *weight as u64)?;
        }
    }
    dut.check("position_valid_o", outputs.position.is_some())?;
    for (port, value) in outputs.position.iter().flat_map(position_members) {
        dut.check(&format!("{port}_o"), value)?;
    }
    Ok(())
}
