//! Whole networks: every tensor has the bytes that the reference kernels gave.

use std::collections::BTreeMap;

use heddle_import::{Import, Quantised, planes};
use heddle_network::Layer;
use heddle_network::Network;
use heddle_sim::network::{Tensor, run_layer};

use crate::files::{Arrays, arrays, bytes, float32, imported, int8, interleaved, read, table};

/// A network with what the reference kernels gave: the bytes of tensors in the order of the file.
struct Recorded {
    file: Vec<u8>,
    input: Vec<i8>,
    tensors: BTreeMap<usize, Vec<i8>>,
}

impl Recorded {
    /// The arrays whose names begin with this.
    fn new(file: Vec<u8>, arrays: &mut Arrays, prefix: &str) -> Recorded {
        let names: Vec<String> = arrays.file_names().map(str::to_string).collect();
        let tensor = |name: &String| {
            let name = name.strip_prefix(prefix)?.strip_prefix("tensor/")?;
            name.strip_suffix(".npy")?.parse::<usize>().ok()
        };
        let numbers: Vec<usize> = names.iter().filter_map(tensor).collect();
        let mut bytes = |name: String| int8(arrays, &format!("{prefix}{name}"));
        Recorded {
            file,
            input: bytes("input0".to_string()),
            tensors: numbers
                .into_iter()
                .map(|number| (number, bytes(format!("tensor/{number}"))))
                .collect(),
        }
    }

    /// Every layer, given what the reference made before it, makes what the reference made.
    #[track_caller]
    fn check(&self) -> String {
        let found = imported(&self.file, &[]);
        let Import {
            network,
            rows,
            faults,
            ..
        } = &found;
        let network = network
            .clone()
            .unwrap_or_else(|| panic!("{}{faults:?}", table(rows)));
        let network = Network::from_file(network).unwrap();
        let input = planes(
            &self.input,
            network.input.channels as usize,
            self.input.len() / network.input.channels as usize,
        );
        let mut tensors = vec![Tensor {
            shape: network.input,
            values: input,
        }];
        for layer in &network.layers {
            let row = rows
                .iter()
                .find(|row| row.layer.as_ref() == Some(&layer.name));
            let made = made(layer, &tensors);
            // A layer that no operator is stands between those that are.
            let Some(row) = row else {
                let channels = layer.output.channels as usize;
                tensors.push(Tensor {
                    shape: layer.output,
                    values: planes(&made, channels, made.len() / channels),
                });
                continue;
            };
            let index = row.index.unwrap();
            let expected = &self.tensors[&index];
            assert!(
                made == *expected,
                "{} is not exact:\n{}",
                layer.name,
                table(rows)
            );
            let channels = layer.output.channels as usize;
            tensors.push(Tensor {
                shape: layer.output,
                values: planes(expected, channels, expected.len() / channels),
            });
        }
        table(rows)
    }
}

/// What a layer makes, in the order of the file.
fn made(layer: &Layer, tensors: &[Tensor]) -> Vec<i8> {
    let inputs: Vec<&Tensor> = layer
        .inputs
        .iter()
        .map(|input| &tensors[input.tensor])
        .collect();
    interleaved(layer, &run_layer(layer, &inputs).unwrap())
}

fn network(name: &str) -> Recorded {
    let file = read(&format!("{name}.tflite"));
    Recorded::new(file, &mut arrays(&format!("{name}.npz")), "")
}

#[test]
fn networks_give_the_bytes_of_the_reference_kernels_in_every_tensor() {
    let names = [
        "convolution",
        "separable",
        "dense",
        "keyword",
        "keyword_1d",
        "padded",
        "residual",
        "transformer",
        "segmentation",
    ];
    let reports = names.map(|name| format!("{name}\n{}", network(name).check()));
    insta::assert_snapshot!(reports.join("\n"));
}

/// float32 at both ends: the outputs of the file and what makes them, and layers with the bytes of the reference kernels.
#[test]
fn ends_of_float32_are_those_of_the_file() {
    let file = read("float_ends.tflite");
    let mut arrays = arrays("float_ends.npz");
    let found = imported(&file, &[]);
    assert!(found.inputs.len() == 1 && found.inputs[0].float);
    let outputs = found.outputs.iter().map(|output| {
        let quantised = output.quantised.unwrap();
        (&output.name[..], &output.layer[..], output.float, quantised)
    });
    let outputs: Vec<_> = outputs.collect();
    let of = |name: &str| outputs.iter().find(|(own, ..)| *own == name).unwrap().3;
    let expected = [
        ("dense/Linear", "dense/Linear", false),
        ("means", "pool", true),
        ("scores", "dense/Linear", true),
        ("shares", "softmax", true),
    ];
    let names: Vec<_> = outputs.iter().map(|&(a, b, c, _)| (a, b, c)).collect();
    assert_eq!(names, expected);
    // Scale and zero point are those of the file, whatever the network has.
    for (number, bytes, name) in [(12, 5, "means"), (13, 10, "scores"), (14, 11, "shares")] {
        let reals = float32(&mut arrays, &format!("tensor/{number}"));
        let bytes = int8(&mut arrays, &format!("tensor/{bytes}"));
        let Quantised { scale, zero_point } = of(name);
        let made = bytes.iter().map(|&byte| {
            let steps = i32::from(byte) - i32::from(zero_point);
            (f64::from(steps) * f64::from(scale)) as f32
        });
        assert_eq!(made.collect::<Vec<_>>(), reals, "{name}");
    }
    let mut recorded = Recorded::new(file, &mut arrays, "");
    recorded.input = int8(&mut arrays, "tensor/1");
    insta::assert_snapshot!(recorded.check());
}

#[test]
fn random_graphs_give_the_bytes_of_the_reference_kernels_in_every_tensor() {
    let mut arrays = arrays("graphs.npz");
    let mut names: Vec<String> = arrays
        .file_names()
        .filter_map(|name| name.strip_suffix("/model.npy"))
        .map(str::to_string)
        .collect();
    names.sort();
    assert_eq!(names.len(), 20);
    let mut report = String::new();
    for name in names {
        let file = bytes(&mut arrays, &format!("{name}/model"));
        let graph = Recorded::new(file, &mut arrays, &format!("{name}/"));
        report += &format!("{name}\n{}\n", graph.check());
    }
    insta::assert_snapshot!(report);
}
