//! What of a machine is wasted, and that programs bear it out.

use heddle_arch::params::{Array, Params, PartialSums, Sparse};
use heddle_compiler::{Engine, EnginePolicy, Options, Rule, wasted};

use crate::support::engines::options;
use crate::support::{compile_with, model, preset};

/// A preset with another array and room for everything.
fn machine(name: &str, [rows, cols]: [u32; 2]) -> Params {
    let mut params = preset(name);
    params.array = Array {
        rows,
        cols,
        ..params.array
    };
    params.state_buffer.words_per_bank = 1024;
    params.column_tiles = 256;
    params.post.columns_per_multiplier = 1;
    params.validate().unwrap();
    params
}

fn top(mut params: Params) -> Params {
    params.array.partial_sums = PartialSums::Top;
    params
}

/// Clocks of digits, those of all runs.
fn cycles(params: &Params) -> u64 {
    let network = model("digits");
    let program = compile_with(&network, params, Options::default()).unwrap();
    program.runs.iter().map(|run| run.cycles).sum()
}

#[track_caller]
fn check(params: &Params, expected: &[&str]) {
    let found = wasted(params);
    let texts: Vec<&str> = found.iter().map(|waste| &waste.message[..]).collect();
    assert_eq!(texts, expected);
    for waste in &found {
        assert!(waste.message.starts_with(&format!("{} is ", waste.field)));
    }
}

#[test]
fn presets_waste_nothing() {
    for name in [
        "tiny", "edge", "mobile", "tflite", "default", "large", "huge",
    ] {
        check(&preset(name), &[]);
    }
}

#[test]
fn columns_and_rows_that_no_layer_of_planes_reaches_are_wasted() {
    let wide = machine("tflite", [8, 32]);
    check(
        &wide,
        &[
            "array.cols is 32, layers of planes use 8 of them, as many as array.rows; only matrices use more",
        ],
    );
    assert!(cycles(&wide) > cycles(&machine("tflite", [8, 8])));
    let high = machine("tflite", [32, 8]);
    check(
        &high,
        &[
            "array.rows is 32, layers of planes use 8 of them, as many as array.cols; only flattened layers and matrices use more",
        ],
    );
    // The one layer that is flattened.
    let square = cycles(&machine("tflite", [8, 8]));
    assert!((square * 9 / 10..square).contains(&cycles(&high)));
}

#[test]
fn a_machine_that_runs_no_network_is_told_apart() {
    for (rows, expected) in [(1, true), (2, false)] {
        let mut params = preset("edge");
        params.traversal.rows = rows;
        params.traversal.units = None;
        let message = "traversal.rows is 1, networks need at least 2: none runs on this machine";
        check(&params, &[message][..usize::from(expected)]);
        let made = compile_with(&model("digits"), &params, Options::default());
        assert_eq!(made.is_err(), expected);
    }
    let mut params = preset("edge");
    params.traversal.units.as_mut().unwrap().stream = vec![1];
    let expected =
        "traversal.units.stream is [1], networks need at least [0, 2]: none runs on this machine";
    check(&params, &[expected]);
}

#[test]
fn sums_at_the_top_are_told_where_they_cost_more_than_twice() {
    let large = |side| machine("large", [side, side]);
    check(
        &top(large(64)),
        &[
            "array.partial_sums is \"top\", K tiles of up to 33 vectors take more than twice the clocks of \"foot\": a sum can enter again after 67 slots",
        ],
    );
    assert!(cycles(&top(large(64))) > 2 * cycles(&large(64)));
    for side in [8, 16] {
        check(&top(large(side)), &[]);
        assert!(cycles(&top(large(side))) <= 2 * cycles(&large(side)));
    }
}

#[test]
fn a_cluster_that_can_do_no_layer_is_wasted_and_the_array_does_them_all() {
    let mut params = machine("tflite", [5, 8]);
    params.sparse = Some(Sparse {
        engine: true,
        tiles: 256,
        ..Sparse::default()
    });
    params.validate().unwrap();
    let reason = "array.rows is 5, expected array.cols, which is 8";
    check(
        &params,
        &[
            "array.cols is 8, layers of planes use 5 of them, as many as array.rows; only matrices use more",
            &format!("sparse.engine is true, but the cluster can do no layer: {reason}"),
        ],
    );
    let network = model("digits");
    let made = |policy| compile_with(&network, &params, options(policy, Rule::Cycles, false));
    let refused = made(EnginePolicy::Sparse).map(|program| program.network);
    assert!(refused.unwrap_err().to_string().contains(reason));
    let program = made(EnginePolicy::Auto).unwrap();
    let engines = program
        .layers
        .iter()
        .map(|layer| (layer.engine_of(), layer.engine.is_some()));
    assert_eq!(engines.collect::<Vec<_>>(), [(Engine::Dense, true); 4]);
    let dense = made(EnginePolicy::Dense).unwrap();
    assert_eq!(program.words_of(0), dense.words_of(0));
}
