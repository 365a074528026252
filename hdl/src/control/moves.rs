//! LOAD and STORE of a program, between sequencer and DMA.

use heddle_kernel::prelude::*;

/// What the sequencer gives to the DMA.
#[bundle]
pub struct MoveOrder {
    /// There is a word behind the header of a LOAD or STORE.
    pub valid: Bit,
    /// Words behind it, 7 to 0.
    pub left: Bits<3>,
    /// The word.
    pub word: Bits<32>,
    /// The instruction is a STORE.
    pub store: Bit,
    /// Its word address.
    pub pc: Bits<16>,
    /// A LOAD, a STORE is complete: it enters its queue.
    pub enters: [Bit; 2],
    /// Issue waits for loads, for stores in this cycle.
    pub waits: [Bit; 2],
}

/// What it knows of the DMA.
#[bundle]
pub struct MoveState {
    /// Loads, stores of the program that are open.
    pub open: [Bits<4>; 2],
    /// The next LOAD, STORE finds room and the way of its words free.
    pub ready: [Bit; 2],
    /// The words of the instruction are a command of a program, the one on its way included.
    pub ok: Bit,
}
