//! All cores of a design, clock by clock.

use crate::driven::{Driven, Op, Shown};
use crate::layer::Layer;
use crate::pins::Pins;
use crate::rtl::Dut;
use crate::sides::Design;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

/// More clocks than any list of operations takes.
const LIMIT: u64 = 1_000_000;

/// The cores and their models.
pub struct Bench {
    dut: Dut,
    /// The cores.
    pub sides: Vec<Driven>,
}

impl Bench {
    /// Builds the cores and resets them.
    pub fn new(design: &Design, seed: u64) -> Self {
        let dut = Dut::new(&design.sources, seed);
        let side = |(number, side)| {
            let noise = ChaCha8Rng::seed_from_u64(seed.wrapping_mul(1000) + number);
            Driven::new(side, Pins::new(side, &dut), noise)
        };
        let sides = (0..).zip(&design.sides).map(side).collect();
        let mut bench = Self { dut, sides };
        // What the registers held before the reset moves on, and the cells have counted.
        for _ in 0..64 {
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

    /// One clock of all cores.
    fn clock(&mut self) {
        let dut = &mut self.dut;
        for side in self.sides.iter_mut().filter(|side| side.failure.is_none()) {
            side.drive(dut.model());
            side.forget(dut.model());
        }
        dut.settle();
        for side in self.sides.iter_mut().filter(|side| side.failure.is_none()) {
            if let Err(text) = side.compare(dut.model()) {
                side.failure = Some(dut.message(&text));
            }
        }
        dut.clock();
    }

    /// Clocks until all cores have nothing left to do. A core that never ends has failed.
    pub fn run(&mut self) {
        for _ in 0..LIMIT {
            if self.sides.iter().all(Driven::finished) {
                return;
            }
            self.clock();
        }
        for side in self.sides.iter_mut().filter(|side| !side.finished()) {
            side.failure = Some(self.dut.message("the operations do not end"));
        }
    }

    /// One core.
    #[track_caller]
    pub fn side(&mut self, name: &str) -> &mut Driven {
        let found = self.sides.iter_mut().find(|side| side.name == name);
        found.unwrap_or_else(|| panic!("no side {name}"))
    }

    /// Loads and runs a layer on one core, the others rest.
    #[track_caller]
    pub fn run_one(&mut self, name: &str, layer: &Layer) -> Shown {
        self.side(name).load(layer);
        self.run_loaded(name)
    }

    /// One more run of a core, with what else it has to do before.
    #[track_caller]
    pub fn run_loaded(&mut self, name: &str) -> Shown {
        self.side(name).ops.push_back(Op::Run);
        self.run();
        self.assert_agreed();
        let run = self.side(name).runs.pop();
        run.unwrap_or_else(|| panic!("{name}: the start was refused"))
    }

    /// Table entries written on a core since the start of the simulation.
    #[track_caller]
    pub fn table_writes(&mut self, name: &str) -> u32 {
        self.side(name).counters().table_writes
    }

    /// The first disagreement of each core that has one.
    pub fn failures(&self) -> impl Iterator<Item = (&str, &str)> {
        let all = self.sides.iter();
        all.filter_map(|side| Some((side.name.as_str(), side.failure.as_deref()?)))
    }

    /// # Panics
    /// Unless all cores have agreed with their models in all clocks.
    #[track_caller]
    pub fn assert_agreed(&self) {
        let failures: Vec<_> = self.failures().collect();
        assert!(failures.is_empty(), "{failures:#?}");
    }
}
