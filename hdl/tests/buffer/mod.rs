//! Results buffer and state buffer against plain memories, with the clocks of docs/machine.md.

#[macro_use]
mod bench;
mod partition;
mod results;
mod state_buffer;

/// A small generator of test data: the same numbers in every run.
struct Numbers(u64);

impl Numbers {
    fn next(&mut self, n: u64) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % n
    }
    fn one_in(&mut self, n: u64) -> bool {
        self.next(n) == 0
    }
}
