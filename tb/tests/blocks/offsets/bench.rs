//! What the tests do with all units of a design.

use super::driven::{Driven, Op};
use crate::beside::bench::Driven as _;
use heddle_sim::blocks::offsets::Write;

/// The units and their models.
pub type Bench = crate::beside::bench::Bench<Driven>;

impl Bench {
    /// One clock with the reset; whatever was under way is forgotten.
    pub fn reset(&mut self) {
        self.dut.set("rst_n", false);
        for side in &mut self.sides {
            side.forget();
            side.drive(self.dut.model());
        }
        self.dut.clock();
        self.dut.set("rst_n", true);
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
}
