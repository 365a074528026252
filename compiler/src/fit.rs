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

/// Banks that a partition may have.
const BANKS: [u32; 3] = [2, 4, 8];
/// Percent of the cycles that fewer banks may cost: each bank has a data path of its own.
const BANKS_PERCENT: u64 = 3;

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
    /// Cycles of the fastest one without left shifts, if it has them and the network needs none.
    pub without_left_shift: Option<u64>,
}

/// Finds the memories for a network on a machine that has everything else of `base`: the fewest banks that cost
/// 3 % of the cycles at most, and their words. `try_on` gives the cycles of an image on a configuration with all layers at once.
///
/// # Errors
/// Those of the largest memories there are: the network does not fit them, or lacks something else.
pub fn fit<E>(base: &Params, mut try_on: impl FnMut(&Params) -> Result<u64, E>) -> Result<Fit, E> {
    let largest = fewest_banks(base, &mut try_on)?;
    let cycles = largest.cycles;
    let fastest = shrunk(&largest, |params| {
        try_on(params).ok().filter(|&found| found <= cycles)
    });
    let smallest = shrunk(&fastest, |params| try_on(params).ok());
    let mut plain = fastest.params.clone();
    plain.post.left_shift = false;
    let has_left_shift = fastest.params.post.left_shift;
    let without_left_shift = has_left_shift.then(|| try_on(&plain).ok()).flatten();
    Ok(Fit {
        smallest,
        fastest,
        without_left_shift,
    })
}

/// The largest memories, in the fewest banks that hold the network and cost few cycles.
fn fewest_banks<E>(
    base: &Params,
    mut try_on: impl FnMut(&Params) -> Result<u64, E>,
) -> Result<Fitted, E> {
    let mut found: Vec<Fitted> = Vec::new();
    let mut refused = None;
    for banks in BANKS {
        let mut params = base.clone();
        params.state_buffer.banks = banks;
        for size in SIZES {
            let value = (size.largest)(&params);
            (size.set)(&mut params, value);
        }
        if banks != base.state_buffer.banks && params.validate().is_err() {
            continue;
        }
        match try_on(&params) {
            Ok(cycles) => found.push(Fitted { params, cycles }),
            Err(error) => refused = Some(error),
        }
    }
    let fewest = found.iter().map(|fitted| fitted.cycles).min().unwrap_or(0);
    let allowed = fewest * (100 + BANKS_PERCENT) / 100;
    match found.into_iter().find(|fitted| fitted.cycles <= allowed) {
        Some(fitted) => Ok(fitted),
        None => Err(refused.expect("those of the base are tried")),
    }
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
