//! What can go wrong on the bus.

use heddle_kernel::prelude::*;

/// What went wrong in a cycle on the channels of one direction.
#[bundle]
pub struct DmaError<const W: usize> {
    /// An answer that says so, or that nothing waits for.
    pub bus: Bit,
    /// A page that is not open.
    pub window: Bit,
    /// An answer that does not come.
    pub timeout: Bit,
    /// The burst is that of a job entry.
    pub of_job: Bit,
    /// The response.
    pub resp: Bits<2>,
    /// Word address of the burst, 0 if there is none.
    pub addr: Bits<W>,
}
