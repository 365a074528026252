//! Agreement of the hardware modules with their Verilog: rust-hdl's simulator against Verilator.
//!
//! Stimulus is random and not always legal: what matters here is that both sides do the same.
//! Closures keep it in the region where something happens; events prove that it did.

mod control;
mod data;

use crate::agreement::Stimulus;

/// Sets all elements to numbers below `count`.
pub fn set_below(s: &mut Stimulus, name: &str, elements: usize, count: u64) {
    for element in 0..elements {
        let value = s.below(count);
        s.set(name, element, value);
    }
}

/// Replaces about half of the elements by 0.
pub fn thin_out(s: &mut Stimulus, name: &str, elements: usize) {
    for element in 0..elements {
        if s.chance(0.5) {
            s.set(name, element, 0);
        }
    }
}
