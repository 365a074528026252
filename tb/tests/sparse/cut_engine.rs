//! Cuts of maps become registers of units: in lockstep with the model, and each product at home in one unit.

use std::sync::LazyLock;

use heddle_arch::isa::fields::sparse::range;
use heddle_arch::isa::sparse::{SparseCommand, SparseCut};
use heddle_hdl::sparse::CutEngine;
use heddle_sim::sparse::{CutInputs, CutModel, CutOutputs};
use heddle_tb::verilate::Sources;
use rand::Rng;
use rand::seq::IndexedRandom;
use rand_chacha::ChaCha8Rng;

use super::commands::{Given, Head, set_command};
use crate::rtl::{Checked, Coverage, Dut, check_mutants, emitted, faults, run_seeds};

const UNITS: usize = 6;

static CUT_6: LazyLock<Sources> = LazyLock::new(|| emitted(CutEngine::new(UNITS)));

/// An engine, its model, and counts.
struct Bench {
    dut: Dut,
    rng: ChaCha8Rng,
    model: CutModel,
    counts: Vec<u32>,
    /// Registers of each unit.
    registers: Vec<[u32; 8]>,
}

impl Bench {
    fn clock(&mut self, given: Given) -> Checked {
        set_command(&mut self.dut, given, &mut self.rng);
        self.dut.settle();
        let inputs = CutInputs {
            word: given.0,
            start: given.1,
        };
        let outputs = self.model.step(&inputs, |at| self.counts[at]);
        self.check(&outputs)?;
        if let Some((unit, number, value)) = outputs.write {
            self.registers[unit][number as usize] = value;
        }
        let asked = self.dut.get("count_addr_o") as usize;
        let is_asked = self.dut.get("count_en_o") == 1;
        self.dut.clock();
        let count = match is_asked {
            true => self.counts[asked],
            false => self.rng.random_range(0..4096),
        };
        self.dut.set("count_i", count);
        Ok(())
    }

    fn check(&self, outputs: &CutOutputs) -> Checked {
        self.dut.check("busy_o", outputs.busy)?;
        self.dut.check("write_valid_o", outputs.write.is_some())?;
        if let Some((unit, number, value)) = outputs.write {
            self.dut.check("write_unit_o", unit as u64)?;
            self.dut.check("write_register_o", number)?;
            self.dut.check("write_data_o", value)?;
        }
        Ok(())
    }

    /// Gives a command, and waits until all registers are written.
    fn cut(&mut self, cut: &SparseCut) -> Checked {
        let words = SparseCommand::Cut(cut.clone()).words();
        for unit in &mut self.registers {
            *unit = [u32::MAX; 8];
        }
        let mut head = Head::new();
        let mut given = (None, false);
        while !given.1 {
            given = head.give(false, &mut self.rng, |_| words[1..].to_vec());
            self.clock(given)?;
        }
        while self.dut.get("busy_o") == 1 {
            self.clock((None, false))?;
        }
        let result = self.model.result.expect("a map was cut");
        self.dut.check("spread_o", result.spread)?;
        self.dut.check("steps_o", result.steps)?;
        self.dut.check("ok_o", result.ok)?;
        // The last register comes behind.
        self.clock((None, false))
    }

    /// Whether a span of a unit holds a place.
    fn holds(&self, unit: usize, register: usize, place: u32) -> bool {
        let word = self.registers[unit][register];
        (range::FIRST.get(word)..range::END.get(word)).contains(&place)
    }

    /// Any product whose result will be drained is made by one unit.
    fn check_product(&mut self, cut: &SparseCut) -> Checked {
        let window = if cut.region { 6 } else { 4 };
        let mut value = [0; 2];
        let mut result = [0; 2];
        for side in 0..2 {
            let at = self.rng.random_range(0..cut.size[side]);
            value[side] = (at + cut.padding[side]) >> cut.stride;
            result[side] = value[side] + self.rng.random_range(0..=cut.tail[side]);
        }
        let drained = (0..2).all(|side| cut.results[side].contains(&result[side]));
        let makes = |unit: &usize| {
            (0..2).all(|side| {
                self.holds(*unit, side, value[side])
                    && self.holds(*unit, window + side, result[side])
            })
        };
        let makers = (0..(cut.cells[0] * cut.cells[1]) as usize).filter(makes);
        let makers: Vec<usize> = makers.collect();
        if makers.len() != usize::from(drained) {
            let text = format!("units {makers:?} make {value:?} {result:?} of {cut:?}");
            return Err(self.dut.message(&text));
        }
        Ok(())
    }
}

fn random_cut(rng: &mut ChaCha8Rng) -> SparseCut {
    let tail = [rng.random_range(0..=4), rng.random_range(0..=4)];
    let mut side = || *[1, 2, 7, rng.random_range(1..20)].choose(rng).unwrap();
    let size = [side(), side()];
    let padding = [rng.random_range(0..4), rng.random_range(0..4)];
    let cells = *[[1, 1], [2, 3], [3, 1], [1, 5], [16, 16], [2, 4]]
        .choose(rng)
        .unwrap();
    let mut span = |most: u32| rng.random_range(0..3)..rng.random_range(most.max(4) - 3..most + 20);
    let results = size.map(&mut span);
    SparseCut {
        cells,
        region: rng.random(),
        limits: [rng.random_range(1..30), rng.random_range(1..30)],
        results,
        size,
        padding,
        stride: rng.random_range(0..3),
        // A result has one unit, or each value has.
        halo: *[[0, 0], tail].choose(rng).unwrap(),
        tail,
        spread: rng.random_range(0..5000),
    }
}

fn random_cuts(sources: &Sources, seed: u64) -> Checked<Coverage> {
    let dut = Dut::new(sources, seed);
    let mut bench = Bench {
        rng: dut.rng(),
        dut,
        model: CutModel::new(UNITS),
        counts: Vec::new(),
        registers: vec![[0; 8]; UNITS],
    };
    let mut coverage = Coverage::default();
    for _ in 0..60 {
        let cut = random_cut(&mut bench.rng);
        let zeros = f64::from(bench.rng.random_range(0..=4)) / 4.0;
        let rng = &mut bench.rng;
        let count = |_| rng.random_range(0..4096) * u32::from(!rng.random_bool(zeros));
        bench.counts = (0..cut.size[0] * cut.size[1]).map(count).collect();
        bench.cut(&cut)?;
        let cells = (cut.cells[0] * cut.cells[1]) as usize;
        if cells <= UNITS {
            for _ in 0..40 {
                bench.check_product(&cut)?;
            }
        }
        for unit in cells..UNITS {
            if bench.registers[unit] != bench.registers[unit - cells] {
                return Err(bench.dut.message("units with one cell differ"));
            }
        }
        let is_empty = |unit: &[u32; 8]| unit[0] == 0;
        coverage.event("empty cell", bench.registers.iter().any(is_empty));
        coverage.event("all cells in use", !bench.registers.iter().any(is_empty));
        coverage.event("last cell without a position", {
            cells <= UNITS && cells > 1 && is_empty(&bench.registers[cells - 1])
        });
        coverage.event("more cells than units", cells > UNITS);
        coverage.event("fewer cells than units", cells < UNITS);
        coverage.event("halo", cut.halo[0] > 0);
        coverage.event("stride of 4 behind padding", {
            cut.stride == 2 && cut.padding[0] > 0
        });
        let result = bench.model.result.expect("a map was cut");
        coverage.event("good", result.ok);
        coverage.event("not good", !result.ok);
    }
    Ok(coverage)
}

#[proves("FSA-05", "FSA-07", "FSA-10", "FSA-26")]
#[test]
fn each_product_of_a_map_that_is_cut_has_one_unit() {
    run_seeds(|seed| random_cuts(&CUT_6, seed));
}

#[test]
fn faults_of_a_cut_are_noticed() {
    let mutants = r"
        // The first cell does not begin with the padding.
        heddle_sparse_cut_u6: if (!(|lower_q)) => if (1'b0)
        // An empty cell behind all others has the last values again.
        heddle_sparse_cut_u6: if (lower_q == size_q) => if (1'b0)
        // The results behind the last values have no unit.
        heddle_sparse_cut_u6: !side_last_q ? => 1'b1 ?
        // Cells that no unit has are written over others.
        heddle_sparse_cut_u6: cutter_valid & (cutter_cell < 8'd8) => cutter_valid
        // A halo of one less.
        heddle_sparse_cut_u6: side_first_q - {5'd0, halo_q} => side_first_q - {5'd0, halo_q} + 9'd1
        // An empty cell takes a halo.
        heddle_sparse_cut_u6: if (is_empty) => if (1'b0)
        // The second region has the windows of the first.
        heddle_sparse_cut_u6: if (cut_region) write_register_q <= 3'd6 => if (1'b0) write_register_q <= 3'd6";
    check_mutants(&CUT_6, &faults(mutants), random_cuts);
}
