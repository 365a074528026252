//! The memories that a network needs: the smallest ones that hold it whole, and those beyond which more buys nothing.

use heddle_arch::params::Params;
use heddle_arch::word::WORD_BYTES;

/// A memory of the configuration that is a power of two.
#[derive(Debug, Clone, Copy)]
struct Size {
    /// Its largest value beside the others.
    largest: fn(&Params) -> u32,
    get: fn(&Params) -> u32,
    set: fn(&mut Params, u32),
}

/// The memories in the order in which they are made smaller.
const SIZES: [Size; 4] = [
    Size {
        largest: |params| {
            let buffer = &params.state_buffer;
            let words = Params::PARTITION_BYTES_MAX / WORD_BYTES / buffer.banks.max(1);
            1 << words.max(1).ilog2()
        },
        get: |params| params.state_buffer.words_per_bank,
        set: |params, words| params.state_buffer.words_per_bank = words,
    },
    Size {
        largest: |_| 256,
        get: |params| params.state_buffer.row_offsets,
        set: |params, entries| params.state_buffer.row_offsets = entries,
    },
    Size {
        largest: |_| 1024,
        get: |params| params.column_tiles,
        set: |params, tiles| params.column_tiles = tiles,
    },
    Size {
        largest: |_| 65536,
        get: |params| params.program.words,
        set: |params, words| params.program.words = words,
    },
];

/// A configuration, and the cycles of an image on it.
#[derive(Debug, Clone, PartialEq)]
pub struct Fitted {
    /// The configuration.
    pub params: Params,
    /// Cycles of all runs.
    pub cycles: u64,
}

/// Configurations for a network.
#[derive(Debug, Clone, PartialEq)]
pub struct Fit {
    /// Each memory is as small as it can be; the state buffer first.
    pub smallest: Fitted,
    /// No larger memory saves cycles, and none can be smaller without costing some.
    pub fastest: Fitted,
}

/// Finds the memories for a network on a machine that has everything else of `base`. `try_on` gives the cycles of an image on a
/// configuration with all layers at once.
///
/// # Errors
/// Those of the largest memories there are: the network does not fit them, or lacks something else.
pub fn fit<E>(base: &Params, mut try_on: impl FnMut(&Params) -> Result<u64, E>) -> Result<Fit, E> {
    let mut largest = base.clone();
    for size in SIZES {
        let value = (size.largest)(&largest);
        (size.set)(&mut largest, value);
    }
    let cycles = try_on(&largest)?;
    let largest = Fitted {
        params: largest,
        cycles,
    };
    let fastest = shrunk(&largest, |params| {
        try_on(params).ok().filter(|&found| found <= cycles)
    });
    let smallest = shrunk(&fastest, |params| try_on(params).ok());
    Ok(Fit { smallest, fastest })
}

/// Halves each memory as long as the configuration is accepted.
fn shrunk(begin: &Fitted, mut accepted: impl FnMut(&Params) -> Option<u64>) -> Fitted {
    let mut best = begin.clone();
    for size in SIZES {
        loop {
            let mut params = best.params.clone();
            (size.set)(&mut params, (size.get)(&best.params) / 2);
            let found = params.validate().ok().and_then(|()| accepted(&params));
            let Some(cycles) = found else {
                break;
            };
            best = Fitted { params, cycles };
        }
    }
    best
}
