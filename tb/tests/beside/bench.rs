//! All sides and their models, clock by clock.

use super::{Design, Side};
use crate::rtl::{Checked, Dut};
use heddle_tb::Model;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

/// Clocks behind the reset in which what the registers held before moves on.
const RESET: u64 = 64;
/// More clocks than any list of operations takes.
const LIMIT: u64 = 1_000_000;

/// One side, its model, and what it still has to do.
pub trait Driven {
    /// What is built.
    type Options;
    /// A side with its generator for stimulus.
    fn new(side: &Side<Self::Options>, dut: &Dut, noise: ChaCha8Rng) -> Self;
    /// Its name.
    fn name(&self) -> &str;
    /// The first disagreement; the side is not looked at any more.
    fn failure(&self) -> Option<&str>;
    /// There is one.
    fn fail(&mut self, failure: String);
    /// It has failed, or nothing is left to do and nothing is under way.
    fn finished(&self) -> bool;
    /// The reset is over: counters of the cells count from here.
    fn begin(&mut self, model: &Model);
    /// Drives the inputs of this clock.
    fn drive(&mut self, model: &mut Model);
    /// Compares the outputs of this clock and moves the model on.
    fn compare(&mut self, model: &Model) -> Checked;
    /// Looks at what the clock edge has done.
    fn watch(&mut self, _model: &Model) -> Checked {
        Ok(())
    }
}

/// The sides of a design.
pub struct Bench<D> {
    /// The design.
    pub dut: Dut,
    /// The sides.
    pub sides: Vec<D>,
}

impl<D: Driven> Bench<D> {
    /// Builds the sides and resets them.
    pub fn new(design: &Design<D::Options>, seed: u64) -> Self {
        let dut = Dut::new(&design.sources, seed);
        let side = |(number, side)| {
            let noise = ChaCha8Rng::seed_from_u64(seed.wrapping_mul(1000) + number);
            D::new(side, &dut, noise)
        };
        let sides = (0..).zip(&design.sides).map(side).collect();
        let mut bench = Self { dut, sides };
        for _ in 0..RESET {
            for side in &mut bench.sides {
                side.drive(bench.dut.model());
            }
            bench.dut.clock();
        }
        for side in &mut bench.sides {
            side.begin(bench.dut.model());
        }
        bench
    }

    /// A random generator for stimulus.
    pub fn rng(&self) -> ChaCha8Rng {
        self.dut.rng()
    }

    /// Lets all sides that have not failed do something; the message has seed and cycle.
    fn each(&mut self, step: impl Fn(&mut D, &mut Model) -> Checked) {
        for side in self.sides.iter_mut().filter(|s| s.failure().is_none()) {
            if let Err(text) = step(side, self.dut.model()) {
                side.fail(self.dut.message(&text));
            }
        }
    }

    /// One clock of all sides.
    pub fn clock(&mut self) {
        self.each(|side, model| {
            side.drive(model);
            Ok(())
        });
        self.dut.settle();
        self.each(|side, model| side.compare(model));
        self.dut.clock();
        self.each(|side, model| side.watch(model));
    }

    /// Clocks until all sides have nothing left to do. A side that never ends has failed.
    pub fn run(&mut self) {
        for _ in 0..LIMIT {
            if self.sides.iter().all(D::finished) {
                return;
            }
            self.clock();
        }
        for side in self.sides.iter_mut().filter(|side| !side.finished()) {
            side.fail(self.dut.message("the operations do not end"));
        }
    }

    /// One side.
    #[track_caller]
    pub fn side(&mut self, name: &str) -> &mut D {
        let found = self.sides.iter_mut().find(|side| side.name() == name);
        found.unwrap_or_else(|| panic!("no side {name}"))
    }

    /// The first disagreement of each side that has one, by name.
    pub fn failures(&self) -> Vec<(String, String)> {
        let all = self.sides.iter();
        all.filter_map(|side| Some((side.name().into(), side.failure()?.into())))
            .collect()
    }

    /// # Panics
    /// Unless all sides have agreed with their models in all clocks.
    #[track_caller]
    pub fn assert_agreed(&self) {
        let failures = self.failures();
        assert!(failures.is_empty(), "{failures:#?}");
    }
}
