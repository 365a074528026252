//! What the tests do with all cores of a design.

use super::driven::{Driven, Op};
use super::layer::Layer;
use super::shown::Shown;

/// The cores and their models.
pub type Bench = crate::beside::bench::Bench<Driven>;

impl Bench {
    /// Lets one core do something, the others rest.
    #[track_caller]
    pub fn play(&mut self, name: &str, ops: impl IntoIterator<Item = Op>) -> &mut Driven {
        self.side(name).ops.extend(ops);
        self.run();
        self.assert_agreed();
        self.side(name)
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
        let run = self.play(name, [Op::Run]).runs.pop();
        run.unwrap_or_else(|| panic!("{name}: the start was refused"))
    }

    /// Table entries written on a core since the start of the simulation.
    #[track_caller]
    pub fn table_writes(&mut self, name: &str) -> u32 {
        self.side(name).counters()["table_writes"]
    }
}
