//! All units of a design, clock by clock.

use crate::driven::{Driven, Op};
use crate::pins::Pins;
use crate::rtl::Dut;
use crate::sides::Design;
use heddle_sim::offsets::Write;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

/// More clocks than any list of operations takes.
const LIMIT: u64 = 400_000;

/// The units and their models.
pub struct Bench {
    dut: Dut,
    /// The units.
    pub sides: Vec<Driven>,
}

impl Bench {
    /// Builds the units and resets them.
    pub fn new(design: &Design, seed: u64) -> Self {
        let dut = Dut::new(&design.sources, seed);
        let side = |(number, side)| {
            let noise = ChaCha8Rng::seed_from_u64(seed.wrapping_mul(1000) + number);
            Driven::new(side, Pins::new(side, &dut), noise)
        };
        let sides = (0..).zip(&design.sides).map(side).collect();
        let mut bench = Self { dut, sides };
        // What the registers held before the reset moves on, and the cells have counted.
        for _ in 0..8 {
            for side in &mut bench.sides {
                side.drive(bench.dut.model());
                side.forget(bench.dut.model());
            }
            bench.dut.clock();
        }
        for side in &mut bench.sides {
            side.forget(bench.dut.model());
        }
        bench
    }

    /// A random generator for stimulus.
    pub fn rng(&self) -> ChaCha8Rng {
        self.dut.rng()
    }

    /// One clock of all units.
    fn clock(&mut self) {
        let dut = &mut self.dut;
        for side in self.sides.iter_mut().filter(|side| side.failure.is_none()) {
            side.drive(dut.model());
        }
        dut.settle();
        for side in self.sides.iter_mut().filter(|side| side.failure.is_none()) {
            if let Err(text) = side.compare(dut.model()) {
                side.failure = Some(dut.message(&text));
            }
        }
        dut.clock();
        for side in self.sides.iter_mut().filter(|side| side.failure.is_none()) {
            if let Err(text) = side.watch(dut.model()) {
                side.failure = Some(dut.message(&text));
            }
        }
    }

    /// Clocks until all units have nothing left to do. A unit that never ends has failed.
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

    /// One unit.
    #[track_caller]
    pub fn side(&mut self, name: &str) -> &mut Driven {
        let found = self.sides.iter_mut().find(|side| side.name == name);
        found.unwrap_or_else(|| panic!("no side {name}"))
    }

    /// Lets one unit do something, the others rest.
    #[track_caller]
    pub fn play(&mut self, name: &str, ops: impl IntoIterator<Item = Op>) -> &Driven {
        self.side(name).ops.extend(ops);
        self.run();
        self.assert_agreed();
        self.side(name)
    }

    /// Writes, then one run of one unit.
    #[track_caller]
    pub fn run_one(&mut self, name: &str, writes: Vec<Write>) -> &Driven {
        let writes = writes.into_iter().map(Op::Write);
        self.play(name, writes.chain([Op::Start, Op::Wait]))
    }

    /// The first disagreement of each unit that has one.
    pub fn failures(&self) -> impl Iterator<Item = (&str, &str)> {
        let all = self.sides.iter();
        all.filter_map(|side| Some((side.name.as_str(), side.failure.as_deref()?)))
    }

    /// # Panics
    /// Unless all units have agreed with their models in all clocks.
    #[track_caller]
    pub fn assert_agreed(&self) {
        let failures: Vec<_> = self.failures().collect();
        assert!(failures.is_empty(), "{failures:#?}");
    }
}
