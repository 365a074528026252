//! Direct simulation of one block in unit tests: no threads, no checks.

use rust_hdl_core::prelude::*;

/// Sweeps of `update_all` before a block counts as oscillating. Changes move about one level
/// of hierarchy per sweep, so this must exceed the longest chain of blocks.
const MAX_SWEEPS: usize = 10_000;

/// Updates the block until nothing changes any more.
///
/// # Panics
/// If there is no fixed point: a combinational loop.
pub fn settle<B: Block>(u: &mut B) {
    for _ in 0..MAX_SWEEPS {
        u.update_all();
        if !u.has_changed() {
            return;
        }
    }
    panic!("no fixed point after {MAX_SWEEPS} sweeps");
}

/// One clock cycle of a block with an input `clk`: settles the inputs, rising edge, settles,
/// falling edge. Outputs afterwards are those after the rising edge with unchanged inputs.
#[macro_export]
macro_rules! clock_cycle {
    ($u:expr) => {{
        $crate::settle(&mut $u);
        $u.clk.next = true.into();
        $crate::settle(&mut $u);
        $u.clk.next = false.into();
        $crate::settle(&mut $u);
    }};
}
