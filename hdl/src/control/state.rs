//! States of the sequencer, words of an instruction, units.

use heddle_kernel::prelude::*;

/// What the sequencer does in a cycle.
#[derive(LogicState, Copy, Clone, PartialEq, Debug)]
pub enum State {
    /// No program runs.
    Idle,
    /// The first word of the program is at the output of the memory, or awaited there.
    Prime,
    /// The header is there, and checked.
    Fetch,
    /// Waits for the units.
    Issue,
    /// One further word of the instruction per cycle.
    Body,
    /// Starts the unit.
    Start,
    /// All units are idle; the waves run out.
    Quiet,
    /// An error has stopped the units; the waves run out.
    Stop,
}

/// Which word of an instruction comes next.
#[derive(LogicState, Copy, Clone, PartialEq, Debug)]
pub enum Phase {
    /// First parameter word.
    Param,
    /// Second parameter word: of all but LOAD_WEIGHTS.
    SecondParam,
    /// Third parameter word, of a product with row tables or a drain that is placed.
    ThirdParam,
    /// Word of the repetitions of a product.
    Repeat,
    /// Row word of the record.
    Row,
    /// Base address of the row.
    Base,
    /// Initial offset of a loop.
    Initial,
    /// Step of a loop.
    Step,
    /// End of a loop.
    End,
}

/// What an instruction is for, and whether the weight unit copies.
#[derive(LogicState, Copy, Clone, PartialEq, Debug)]
pub enum Unit {
    /// Weight unit.
    Weights,
    /// Stream unit.
    Stream,
    /// Drain unit.
    Drain,
    /// Weight unit: it copies words.
    Copy,
    /// The sparse cluster.
    Cluster,
    /// A load of the DMA.
    Load,
    /// A store of the DMA.
    Store,
}
