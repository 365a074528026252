//! The sums of a unit.

use std::sync::LazyLock;

use heddle_hdl::sparse::UnitSums;
use heddle_sim::sparse::{SumsInputs, SumsModel};
use heddle_tb::verilate::Sources;
use rand::Rng;
use rand_chacha::ChaCha8Rng;

use crate::rtl::{Checked, Coverage, Dut, check_mutants, emitted, faults, run_seeds};

const LANES: usize = 3;
const DEPTH: usize = 32;

static SUMS_3: LazyLock<Sources> = LazyLock::new(|| emitted(UnitSums::new(LANES, DEPTH)));

/// Products on few words of the lower half and drains of the upper one, or the other way round.
struct Traffic {
    products: Option<(usize, Vec<i32>)>,
    /// Those behind them.
    next: Option<(usize, Vec<i32>)>,
    half: usize,
    /// Cycles until halves change places, when products have been taken and what is on its way has arrived.
    quiet: usize,
}

impl Traffic {
    fn next(&mut self, rng: &mut ChaCha8Rng, cycle: usize) -> SumsInputs {
        // All words are cleared first: they begin with any value.
        if cycle < DEPTH {
            return SumsInputs {
                drain: Some(cycle),
                ..SumsInputs::default()
            };
        }
        if self.quiet == 0 && rng.random_bool(0.01) {
            self.quiet = 4;
        }
        if self.quiet > 0 && self.products.is_none() && self.next.is_none() {
            self.quiet -= 1;
            if self.quiet == 0 {
                self.half = DEPTH / 2 - self.half;
            }
            return SumsInputs::default();
        }
        if self.quiet == 0 && self.next.is_none() && rng.random_bool(0.9) {
            let word = match rng.random_bool(0.8) {
                true => rng.random_range(0..6),
                false => rng.random_range(0..DEPTH / 2),
            };
            let product = |_| rng.random_range(-65536..65536);
            self.next = Some((self.half + word, (0..LANES).map(product).collect()));
        }
        let drain = DEPTH / 2 - self.half + rng.random_range(0..DEPTH / 2);
        SumsInputs {
            products: self.products.clone(),
            drain: Some(drain).filter(|_| rng.random_bool(0.2)),
            keep: rng.random(),
        }
    }
}

fn random_sums(sources: &Sources, seed: u64) -> Checked<Coverage> {
    let mut dut = Dut::new(sources, seed);
    let mut model = SumsModel::new(DEPTH, LANES);
    let mut rng = dut.rng();
    let mut coverage = Coverage::default();
    let mut traffic = Traffic {
        products: None,
        next: None,
        half: 0,
        quiet: 0,
    };
    // Words that products and drains have named in the cycles before, newest first.
    let mut named: [(Option<usize>, Option<usize>); 4] = Default::default();
    for cycle in 0..6000 {
        let mut inputs = traffic.next(&mut rng, cycle);
        let recent = named[..3].iter().flat_map(|(a, b)| [*a, *b]).flatten();
        let on_their_way: Vec<usize> = recent.collect();
        inputs.drain = inputs.drain.filter(|word| !on_their_way.contains(word));
        let (word, products) = inputs.products.clone().unwrap_or((0, vec![0; LANES]));
        dut.set("valid_i", inputs.products.is_some());
        dut.set("addr_i", word as u64);
        // Where no products follow, the address does not matter.
        let next = traffic.next.as_ref().map_or(word, |(word, _)| *word);
        dut.set("next_addr_i", next as u64);
        dut.set_all("value_i", products.iter().map(|product| *product as u64));
        dut.set("drain_valid_i", inputs.drain.is_some());
        dut.set("drain_addr_i", inputs.drain.unwrap_or(word) as u64);
        dut.set("drain_keep_i", inputs.keep);
        dut.settle();
        let outputs = model.step(&inputs);
        dut.check("hold_o", outputs.hold)?;
        // Words begin with any value.
        for (lane, sum) in outputs.drained.iter().flatten().enumerate() {
            if cycle > DEPTH + 2 {
                dut.check_element("stored_o", lane, LANES, *sum as u64)?;
            }
        }
        dut.clock();

        let products = inputs.products.as_ref().map(|(word, _)| *word);
        let taken = products.filter(|_| !outputs.hold);
        for (distance, event) in [
            (1, "held behind the word before"),
            (2, "held behind the second word before"),
            (3, "held behind the third word before"),
        ] {
            let meets = |at: usize| products.is_some() && named[at - 1].0 == products;
            let first = (1..=3).find(|at| meets(*at));
            coverage.event(event, first == Some(distance) && inputs.drain.is_none());
        }
        coverage.event("same word four cycles later", {
            taken.is_some() && named[3].0 == taken
        });
        coverage.event(
            "held by a drain",
            products.is_some() && inputs.drain.is_some(),
        );
        coverage.event("sums that stay", inputs.drain.is_some() && inputs.keep);
        coverage.event("drain of what was just cleared", {
            inputs.drain.is_some() && named[3].1 == inputs.drain
        });
        if taken.is_some() || products.is_none() {
            traffic.products = traffic.next.take();
        }
        named.rotate_right(1);
        named[0] = (taken, inputs.drain);
    }
    Ok(coverage)
}

#[test]
fn the_sums_of_a_unit_follow_their_model() {
    run_seeds(|seed| random_sums(&SUMS_3, seed));
}

#[test]
fn faults_of_the_sums_are_noticed() {
    let mutants = r"
        // A word may be read a cycle before it is written.
        heddle_unit_sums: meets_q[1] | meets_q[2] => meets_q[1]
        heddle_unit_sums: meets_q[0] | meets_q[1] => meets_q[1]
        // Products that wait are told that their word is written.
        heddle_unit_sums: if (holds) meets_q[1] <= meets_q[0] => if (holds) meets_q[1] <= 1'b0
        // A product is lost behind a drain.
        heddle_unit_sums: drain_valid_i | meets_q => meets_q
        // Sums that should stay are cleared.
        heddle_unit_sums: busy_q[2] & writes_q[2] => busy_q[2]";
    check_mutants(&SUMS_3, &faults(mutants), random_sums);
}
