//! What a unit does, one state after the other.

use heddle_arch::params::TileKind;
use heddle_hdl::sparse::tile::TileUnit;
use heddle_sim::sparse::tile::{TileCommand, TileOutputs, TileSide, TileState};

use super::unit::Bench;
use super::{KINDS, beats, random_items, shape, sizes};
use crate::rtl::{OrPanic, emitted};

/// The states of a unit of so many rows and columns that clears, adds a tile of two channels, shifts and sends, and the clocks of each;
/// and whether its sums are those of the definition.
#[track_caller]
fn check_states(kind: TileKind, kernel: usize, taps: usize) {
    let sizes = sizes(kind, 2, kernel, 2);
    let (side, windows) = (sizes.side(), kind == TileKind::Window);
    let mut bench = Bench::new(&emitted(TileUnit::new(shape(&sizes))), sizes, 8, 1);
    let mut rng = bench.dut.rng();
    bench.settings.kernel = (taps, taps);
    let mut expected = vec![0; side * side];
    for last in [false, true] {
        let values = random_items(&mut rng, (kernel, kernel), 1.0, 255);
        let weights = random_items(&mut rng, (taps, taps), 1.0, 127);
        bench.values.extend(beats(&values, 2, last));
        bench.weights.extend(beats(&weights, 2, false));
        for (value, weight) in values
            .iter()
            .flat_map(|v| weights.iter().map(move |w| (v, w)))
        {
            let row = value.row + taps - 1 - weight.row;
            let col = value.col + taps - 1 - weight.col;
            expected[row * side + col] += value.value * weight.value;
        }
    }
    let steps = if windows { kernel - 1 } else { 0 };
    bench.commands.push_back(TileCommand::Clear(0, 7, 7));
    bench.commands.push_back(TileCommand::Tile(0));
    if steps > 0 {
        bench
            .commands
            .push_back(TileCommand::Shift(TileSide::Right, steps));
    }
    bench
        .commands
        .push_back(TileCommand::Send(steps, side, side));
    let mut states: Vec<(TileState, usize)> = Vec::new();
    let watch = |outputs: &TileOutputs| match states.last_mut() {
        Some((state, clocks)) if *state == outputs.state => *clocks += 1,
        _ => states.push((outputs.state, 1)),
    };
    bench.run(1.0, watch).or_panic();
    assert_eq!(bench.sums, expected);
    let states = states
        .into_iter()
        .filter(|state| state.0 != TileState::Idle);
    let found: Vec<_> = states.collect();
    // A round has two values of one weight. The second channel comes while the first one is multiplied, and is waited for.
    let rounds = taps * taps * (kernel * kernel).div_ceil(2);
    let comes = 1 + (kernel * kernel).div_ceil(2);
    let waits = comes.saturating_sub(rounds);
    let sums = side * side;
    let before = [(TileState::Clear, 49), (TileState::Load, sums)];
    let behind = [(TileState::Drain, 2), (TileState::Store, sums)];
    let mut expected = before.to_vec();
    expected.push((TileState::Data, 1));
    if waits > 0 {
        expected.push((TileState::Round, rounds));
        expected.push((TileState::Data, waits));
        expected.push((TileState::Round, rounds));
    } else {
        expected.push((TileState::Round, 2 * rounds));
    }
    expected.extend(behind);
    expected.extend((steps > 0).then_some((TileState::Shift, steps)));
    expected.push((TileState::Send, sums + 5));
    if matches!(kind, TileKind::Arbiter | TileKind::Select) {
        // Rounds have several weights, products wait, and are sorted: the states are the same, but not all of their clocks.
        let states = |states: &[(TileState, usize)]| -> Vec<_> {
            states.iter().map(|state| state.0).collect()
        };
        assert_eq!(states(&found), states(&expected));
        return;
    }
    assert_eq!(found, expected, "{kind:?}, {kernel}, {taps}");
}

#[proves("FSA-65")]
#[test]
fn a_tile_is_loaded_made_and_stored_before_sums_leave() {
    for kind in KINDS {
        for (kernel, taps) in [(1, 1), (2, 2), (3, 3), (3, 1)] {
            check_states(kind, kernel, taps);
        }
    }
}
