//! Commands of the sparse cluster, as the interpreter carries them out.

use heddle_arch::isa::sparse::{
    ChannelScale, SparseCommand, SparseDrain, SparseError, SparseLoad, SparseRun, SparseWeights,
    UnitRegister,
};
use heddle_arch::params::Sparse;
use heddle_sim::sparse::{CommandFault, SparseInterpreter};

const UNITS: u64 = 3;

fn params() -> Sparse {
    Sparse {
        units: 2,
        channels: 2,
        load_lanes: Some(2),
        map_entries: 64,
        weight_words: 64,
        lists: 16,
        sums: 64,
        tiles: 16,
        ..Sparse::default()
    }
}

/// All registers, all sums 0, scales of 1, and for channels 0 and 1 a weight word each: (2, -2) and none.
fn begin() -> Vec<SparseCommand> {
    let one = ChannelScale {
        bias: 10,
        multiplier: 1 << 30,
        shift: 1,
    };
    vec![
        SparseCommand::Set(
            None,
            vec![
                UnitRegister::PartRows(0..64),
                UnitRegister::PartCols(0..64),
                UnitRegister::Share(0),
            ],
        ),
        SparseCommand::Set(
            None,
            vec![
                UnitRegister::WindowRows(false, 0..8),
                UnitRegister::WindowCols(false, 0..8),
                UnitRegister::WindowRows(true, 0..8),
                UnitRegister::WindowCols(true, 0..8),
            ],
        ),
        drain(SparseDrain {
            discard: true,
            size: [8, 8],
            ..SparseDrain::default()
        }),
        SparseCommand::Scale(0, 0, vec![one; 2]),
        weights(),
    ]
}

fn weights() -> SparseCommand {
    SparseCommand::Weights(SparseWeights {
        words: 2,
        units: UNITS,
        ..SparseWeights::default()
    })
}

fn load(load: SparseLoad) -> SparseCommand {
    SparseCommand::Load(SparseLoad {
        lanes: 2,
        threshold: 127,
        chunks: load.chunks.max(1),
        units: UNITS,
        ..load
    })
}

/// One position.
fn position(load: SparseLoad) -> SparseCommand {
    self::load(SparseLoad {
        size: [1, 1],
        ..load
    })
}

fn run(run: SparseRun) -> SparseCommand {
    SparseCommand::Run(SparseRun {
        kernel: [1, 1],
        chunks: run.chunks.max(1),
        pitch: 3,
        area: 6,
        units: UNITS,
        ..run
    })
}

fn drain(drain: SparseDrain) -> SparseCommand {
    SparseCommand::Drain(SparseDrain {
        groups: 1,
        each: 1,
        pitch: 3,
        area: 6,
        bounds: [-128, 127],
        ..drain
    })
}

/// What commands behind the first ones give; each slot of the map has bytes 5 and 9.
#[track_caller]
fn executed(commands: &[SparseCommand]) -> Result<Vec<u64>, CommandFault> {
    let mut interpreter = SparseInterpreter::new(params(), true);
    let mut map = std::iter::repeat(0x0905);
    let mut weights = std::iter::repeat([0x8000_8000, 0xfe02, 0]).flatten();
    let mut results = Vec::new();
    for command in begin().iter().chain(commands) {
        results.extend(interpreter.execute(&command.words(), &mut map, &mut weights)?);
    }
    Ok(results)
}

#[track_caller]
fn stops(commands: &[SparseCommand], error: SparseError) {
    assert_eq!(executed(commands), Err(CommandFault::Stops(error)));
}

/// Sums of both units for a number of positions computed, with the bias.
fn bytes(positions: i32) -> u64 {
    let byte = |weight: i32| (10 + 2 * positions * 5 * weight) as u8;
    u64::from(byte(2)) | u64::from(byte(-2)) << 8
}

#[test]
fn sums_of_all_units_and_bias_leave_and_are_cleared_unless_they_stay() {
    let one = SparseDrain {
        size: [1, 1],
        ..SparseDrain::default()
    };
    let keep = SparseDrain {
        keep: true,
        ..one.clone()
    };
    let commands = [
        position(SparseLoad::default()),
        run(SparseRun::default()),
        drain(keep),
        drain(one.clone()),
        drain(one),
    ];
    assert_eq!(executed(&commands), Ok(vec![bytes(1), bytes(1), bytes(0)]));
}

#[test]
fn sets_take_what_a_part_has_up_to_their_last_entry() {
    let full = |rows| {
        load(SparseLoad {
            size: [rows, 1],
            ..SparseLoad::default()
        })
    };
    assert_eq!(executed(&[full(32)]), Ok(vec![]));
    stops(&[full(33)], SparseError::MapFull);
    let part = SparseCommand::Set(Some(0), vec![UnitRegister::PartRows(1..33)]);
    let other = SparseCommand::Set(Some(1), vec![UnitRegister::PartRows(0..1)]);
    assert_eq!(executed(&[part, other, full(33)]), Ok(vec![]));
}

#[test]
fn chunks_wait_for_their_sets_and_runs_for_chunks() {
    let chunks = SparseLoad {
        alternate: true,
        chunks: 4,
        ..SparseLoad::default()
    };
    let more = position(SparseLoad {
        more: true,
        ..SparseLoad::default()
    });
    let append = position(SparseLoad {
        append: true,
        ..SparseLoad::default()
    });
    let four = SparseRun {
        chunks: 4,
        ..SparseRun::default()
    };
    let one = SparseRun::default();
    let results = drain(SparseDrain {
        size: [1, 1],
        ..SparseDrain::default()
    });
    let commands = [
        position(chunks.clone()),
        run(four.clone()),
        results.clone(),
        // A run waits for a set that is open.
        more.clone(),
        run(one.clone()),
        append.clone(),
        results.clone(),
    ];
    assert_eq!(executed(&commands), Ok(vec![bytes(4), bytes(2)]));

    // What waits for ever.
    let stuck = |commands: &[SparseCommand]| stops(commands, SparseError::Stuck);
    let second = position(SparseLoad::default());
    stuck(&[position(chunks.clone()), second.clone()]);
    stuck(&[
        position(chunks),
        SparseCommand::Set(None, vec![UnitRegister::PartRows(0..1)]),
    ]);
    let waits = [more.clone(), run(one.clone())];
    let then = |command: &SparseCommand| [&waits[..], std::slice::from_ref(command)].concat();
    stuck(&then(&results));
    stuck(&then(&weights()));
    let window = SparseCommand::Set(None, vec![UnitRegister::WindowRows(false, 0..1)]);
    stuck(&then(&window));
    stuck(&[then(&run(one.clone())), vec![run(one.clone())]].concat());
    let other = SparseCommand::Set(None, vec![UnitRegister::WindowRows(true, 0..1)]);
    assert_eq!(executed(&then(&other)), Ok(vec![]));

    let undefined = executed(&[second.clone(), append]);
    assert!(matches!(undefined, Err(CommandFault::Undefined(_))));
    let order = |commands: &[SparseCommand]| stops(commands, SparseError::SparseOrder);
    order(&[run(one.clone())]);
    order(&[second.clone(), run(one.clone()), run(one)]);
    let keep = SparseRun {
        keep: true,
        ..SparseRun::default()
    };
    let commands = [second, run(keep), run(SparseRun::default()), results];
    assert_eq!(executed(&commands), Ok(vec![bytes(2)]));
}

#[test]
fn wrong_words_stop_the_cluster() {
    let set = SparseLoad {
        set: 2,
        ..SparseLoad::default()
    };
    stops(&[position(set)], SparseError::BadField);
    let mut interpreter = SparseInterpreter::new(params(), true);
    let mut execute = |words: &[u32]| {
        let mut none = std::iter::empty();
        interpreter.execute(words, &mut none, &mut std::iter::empty())
    };
    let error = |error| Err(CommandFault::Stops(error));
    assert_eq!(execute(&[0x0302]), error(SparseError::IllegalOpcode));
    assert_eq!(execute(&[0x0310, 0]), error(SparseError::BadLength));
    assert_eq!(
        execute(&[0x0618, 0, 1, 2, 3, 4]),
        error(SparseError::BadLength)
    );
    let ended = execute(&weights().words());
    assert_eq!(ended, Err(CommandFault::Undefined("a stream ends")));
}
