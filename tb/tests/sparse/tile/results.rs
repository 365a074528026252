//! Results: sums below 0 become 0, windows become one, zeros are left out.

use heddle_arch::params::TileKind;
use heddle_hdl::sparse::tile::TileUnit;
use heddle_sim::sparse::tile::{
    TileCommand, TileOutputs, TilePool, TileResults, TileSide, TileState,
};

use super::unit::Bench;
use super::{KINDS, beats, item, shape, sizes};
use crate::rtl::{OrPanic, emitted};

const PITCH: usize = 256;

/// A unit whose first four rows and columns have these sums.
fn filled(kind: TileKind, sums: &[[i32; 4]; 4]) -> Bench {
    let mut sizes = sizes(kind, 4, 2, 1);
    sizes.words = 2048;
    let mut bench = Bench::new(&emitted(TileUnit::new(shape(&sizes))), sizes, PITCH, 1);
    bench.settings.kernel = (1, 1);
    bench.clear().or_panic();
    for (row, col) in [(0, 0), (0, 2), (2, 0), (2, 2)] {
        let places = [(0, 0), (0, 1), (1, 0), (1, 1)];
        let values = places.map(|(r, c)| item((sums[row + r][col + c], r, c)));
        let values: Vec<_> = values.into_iter().filter(|item| item.value != 0).collect();
        bench
            .commands
            .push_back(TileCommand::Tile(PITCH * row + col));
        bench.values.extend(beats(&values, 4, true));
        bench.weights.extend(beats(&[item((1, 0, 0))], 4, true));
    }
    bench.run(1.0, |_| ()).or_panic();
    bench
}

/// Sixteen sums become four: each window of 2 x 2 is sent for itself.
#[proves("FSA-51")]
#[test]
fn sums_below_zero_become_zero_before_windows_become_one() {
    let sums = [
        [-9, -8, 7, 6],
        [-7, -200, 5, -6],
        [100, 0, -1, 0],
        [-3, 255, 0, -2],
    ];
    for kind in KINDS {
        let mut bench = filled(kind, &sums);
        for relu in [false, true] {
            for pool in [TilePool::Max, TilePool::Add] {
                for shift in [0, 2] {
                    bench.results = TileResults {
                        relu,
                        pool,
                        shift,
                        nonzero: false,
                    };
                    check_windows(&mut bench, &sums);
                }
            }
        }
    }
}

#[track_caller]
fn check_windows(bench: &mut Bench, sums: &[[i32; 4]; 4]) {
    let TileResults {
        relu, pool, shift, ..
    } = bench.results;
    let mut expected = Vec::new();
    for (row, col) in [(0, 0), (0, 2), (2, 0), (2, 2)] {
        let word = PITCH * row + col;
        bench.commands.push_back(TileCommand::Send(word, 2, 2));
        let window = [(0, 0), (0, 1), (1, 0), (1, 1)].map(|(r, c)| sums[row + r][col + c]);
        let window = window.map(|sum| if relu && sum < 0 { 0 } else { sum });
        let result = match pool {
            TilePool::Max => *window.iter().max().unwrap(),
            _ => window.iter().sum(),
        };
        expected.push(result.div_euclid(1 << shift));
    }
    bench.run(1.0, |_| ()).or_panic();
    assert_eq!(
        std::mem::take(&mut bench.sums),
        expected,
        "{:?}",
        bench.results
    );
    let firsts = std::mem::take(&mut bench.indices);
    assert_eq!(firsts, [0, 2, 2 * PITCH, 2 * PITCH + 2]);
}

/// What is left of the map of figure 11, step by step from zeros to what is sent, and the same without the last steps.
#[proves("FSA-55")]
#[test]
fn figure_11_from_zeros_to_results() {
    let sizes = sizes(TileKind::Window, 4, 2, 1);
    let mut bench = Bench::new(&emitted(TileUnit::new(shape(&sizes))), sizes, PITCH, 1);
    bench.results = TileResults {
        relu: true,
        nonzero: true,
        ..TileResults::default()
    };
    let weights = [(0, 0, 0), (1, 0, 1), (0, 1, 1), (-1, 1, 0)].map(item);
    bench.commands.extend([
        TileCommand::Clear(0, 7, 7),
        TileCommand::Tile(0),
        TileCommand::Shift(TileSide::Right, 1),
        TileCommand::Send(0, 7, 7),
    ]);
    bench.values.extend(beats(&[item((5, 1, 1))], 4, true));
    bench.weights.extend(beats(&weights, 4, true));
    let mut states = Vec::new();
    let watch = |outputs: &TileOutputs| {
        if outputs.state != TileState::Idle && states.last() != Some(&outputs.state) {
            states.push(outputs.state);
        }
    };
    bench.run(1.0, watch).or_panic();
    let expected = [
        TileState::Clear,
        TileState::Load,
        TileState::Data,
        TileState::Round,
        TileState::Drain,
        TileState::Store,
        TileState::Shift,
        TileState::Send,
    ];
    assert_eq!(states, expected);
    // Of 5 and -5 one is left, with its row and column.
    assert_eq!(bench.sums, [5]);
    assert_eq!(bench.indices, [PITCH * 2 + 2]);
    // Windows of the map, and zeros that are not left out.
    bench.results.pool = TilePool::Max;
    let windows = [(0, 0), (0, 2), (2, 0), (2, 2)];
    let windows = windows.map(|(row, col)| TileCommand::Send(PITCH * row + col, 2, 2));
    bench.commands.extend(windows);
    bench.run(1.0, |_| ()).or_panic();
    assert_eq!(bench.sums, [5, 5]);
    bench.results.nonzero = false;
    bench.commands.extend(windows);
    bench.run(1.0, |_| ()).or_panic();
    assert_eq!(bench.sums, [5, 5, 0, 0, 0, 5]);
}
