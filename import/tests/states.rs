//! Networks that keep variables: frames one after the other have the bytes that the reference kernels gave.

use heddle_import::{Import, Options, import, planes};
use heddle_network::Network;
use heddle_sim::network::Tensor;

use crate::files::{arrays, bytes, imported, int8, interleaved, models, names, read, table};

const FRAMES: usize = 10;

/// The network of a model, all of which must run.
fn network(found: &Import) -> Network {
    let file = found.network.clone();
    let file = file.unwrap_or_else(|| panic!("{:?}", found.reasons()));
    Network::from_file(file).unwrap()
}

/// What all layers make of frames in their order.
fn run(network: &Network, frames: &[i8]) -> Vec<Vec<Tensor>> {
    let (size, channels) = (network.own_elements(), network.input.channels as usize);
    let mut states = network.initial_states();
    let frames = frames.chunks_exact(size).map(|frame| {
        let frame = planes(frame, channels, size / channels);
        let whole = network.with_states(&frame, &states);
        let made = heddle_sim::network::run(network, &whole).unwrap();
        states = network.kept(&made);
        made
    });
    frames.collect()
}

#[test]
fn ten_frames_are_those_of_the_reference() {
    let mut arrays = arrays("states.npz");
    let names = models(&arrays);
    assert_eq!(names.len(), 6);
    for name in names {
        let found = imported(&bytes(&mut arrays, &format!("{name}/model")), &[]);
        let network = network(&found);
        let made = run(&network, &int8(&mut arrays, &format!("{name}/input0")));
        assert_eq!(made.len(), FRAMES);
        assert_eq!(found.outputs.len(), network.own_outputs().count(), "{name}");
        for (number, output) in found.outputs.iter().enumerate() {
            let mut layers = network.layers.iter();
            let index = layers.position(|layer| layer.name == output.layer).unwrap();
            let frames = made.iter();
            let frames = frames.flat_map(|made| interleaved(&network.layers[index], &made[index]));
            let expected = int8(&mut arrays, &format!("{name}/output{number}"));
            assert_eq!(frames.collect::<Vec<_>>(), expected, "{name}, {number}");
        }
    }
}

#[test]
fn a_stream_has_its_states_and_their_rows() {
    let found = imported(&read("streaming.tflite"), &[]);
    let network = network(&found);
    assert_eq!(network.own_inputs().count(), 1);
    let name = |tensor: usize| network.tensor_name(tensor);
    let states = network.states.iter();
    let states: Vec<_> = states.map(|s| (name(s.input), name(s.output))).collect();
    assert_eq!(
        states,
        [
            ("stream1/before", "stream1/kept"),
            ("stream2/before", "stream2/kept")
        ]
    );
    insta::assert_snapshot!(table(&found.rows));
}

#[test]
fn a_network_that_ends_before_a_state_does_not_keep_it() {
    let kept = |until: &str| {
        let options = Options {
            until: Some(until.to_string()),
            name: "cut".to_string(),
            ..Options::default()
        };
        let found = import(&read("streaming.tflite"), &options).unwrap();
        network(&found).states.len()
    };
    assert_eq!(kept("conv1/Relu"), 1);
    assert_eq!(kept("stream2/joined"), 2);
    // What is kept is the output itself, and what was kept another one.
    assert_eq!(kept("stream1/kept"), 1);
    assert_eq!(kept("stream1/before"), 1);
}

#[test]
fn variables_that_are_no_states_say_why() {
    let mut arrays = arrays("states.npz");
    let reports = names(&arrays, "/refused").into_iter().map(|name| {
        let file = bytes(&mut arrays, &format!("{name}/refused"));
        let found = imported(&file, &[]);
        assert!(found.network.is_none(), "{name}");
        format!("{name}\n{}\n", found.reasons().join("\n"))
    });
    insta::assert_snapshot!(reports.collect::<Vec<_>>().join("\n"));
}
