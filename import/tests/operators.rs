//! One operator each: what runs gives the bytes that the reference kernels gave.

use std::collections::BTreeMap;

use heddle_import::{Exact, FileInput, Inexact, Runs};
use heddle_network::{Layer, Network};

use crate::files::{arrays, bytes, imported, int8, models, run, table};

/// An array for an input has the shape that the file says, whatever views follow.
#[test]
fn inputs_are_those_of_the_file() {
    let mut arrays = arrays("operators.npz");
    let found = imported(&bytes(&mut arrays, "reshape/model"), &[]);
    let input = FileInput {
        name: "input0".to_string(),
        shape: vec![1, 3, 4, 5],
        unsigned: false,
        float: false,
    };
    assert_eq!(found.inputs, [input]);
}

#[test]
fn operators_give_the_bytes_of_the_reference_kernels() {
    let least = [
        ("ADD", 20),
        ("ARG_MAX", 4),
        ("MEAN", 10),
        ("MUL", 20),
        ("PRELU", 6),
        ("SOFTMAX", 4),
        ("SQUARED_DIFFERENCE", 12),
        ("SUB", 12),
    ];
    insta::assert_snapshot!(compared("operators.npz", &least));
}

/// What is known before a network runs is computed, and files that LiteRT takes are taken.
#[test]
fn networks_in_all_forms_give_the_bytes_of_the_reference_kernels() {
    insta::assert_snapshot!(compared("folded.npz", &[]));
}

/// The int32 of the reference wrap where an output has too small a scale: then a layer is not reported exact, and as many bytes differ.
#[test]
fn operators_are_exact_as_far_as_int32_hold_their_sums() {
    let report = compared("ratios.npz", &[]);
    let kinds = [
        "abs",
        "leaky_relu",
        "mean",
        "mean_of_width",
        "mul",
        "mul_constant",
        "prelu",
        "prelu_constant",
        "quantize",
        "relu",
        "relu6",
        "relu_n1_to_1",
    ];
    for kind in kinds {
        let rows = report.lines().filter(|line| {
            let bits = line
                .strip_prefix(kind)
                .and_then(|rest| rest.strip_prefix('_'));
            bits.is_some_and(|bits| bits.starts_with(|digit: char| digit.is_ascii_digit()))
        });
        let exact = rows.clone().filter(|row| row.contains("| yes")).count();
        let inexact = rows.clone().filter(|row| row.contains("| no: ")).count();
        assert!(exact >= 2 && inexact >= 3, "{kind}: {exact}, {inexact}");
    }
    insta::assert_snapshot!(report);
}

/// The rows of each model of a file, whose outputs are what is said of them, and that so many models begin with each of these operators.
#[track_caller]
fn compared(file: &str, least: &[(&str, u32)]) -> String {
    let mut arrays = arrays(file);
    let mut report = String::new();
    let mut kinds: BTreeMap<String, u32> = BTreeMap::new();
    for name in models(&arrays) {
        let file = bytes(&mut arrays, &format!("{name}/model"));
        let found = imported(&file, &[Inexact::FullyConnected]);
        report += &format!("{name}: {}", table(&found.rows));
        for fault in &found.faults {
            report += &format!("  {fault}\n");
        }
        let Some(network) = found.network else {
            continue;
        };
        let network =
            Network::from_file(network).unwrap_or_else(|errors| panic!("{name}: {errors}"));
        let inputs = (0..network.inputs().count())
            .map(|input| int8(&mut arrays, &format!("{name}/input{input}")));
        let inputs: Vec<Vec<i8>> = inputs.collect();
        let made = run(&network, &inputs);
        let layer = found
            .rows
            .iter()
            .find(|row| matches!(row.runs, Runs::Layer(_) | Runs::HostLayer(_)))
            .unwrap();
        for row in &found.rows {
            let layer = network
                .layers
                .iter()
                .find(|layer| row.layer.as_ref() == Some(&layer.name));
            let told = matches!(row.runs, Runs::HostLayer(_));
            assert_eq!(
                layer.map_or(told, Layer::is_for_host),
                told,
                "{name}: {row:?}"
            );
        }
        let operator = layer.operator.split(' ').next().unwrap();
        *kinds.entry(operator.to_string()).or_default() += 1;
        for (number, &output) in network.outputs.iter().enumerate() {
            let array = match number {
                0 => format!("{name}/output"),
                number => format!("{name}/output{number}"),
            };
            let (made, expected) = (&made[output - 1], int8(&mut arrays, &array));
            match layer.exact {
                Exact::Compared(difference) if difference.wrong > 0 => {
                    let apart = made.iter().zip(&expected).map(|(a, b)| a.abs_diff(*b));
                    let most = apart.clone().max().map(u32::from);
                    assert!(most <= Some(difference.most), "{array}");
                    // All bytes there are, each once.
                    if layer.runs.text() == "table" && expected.len() == 256 {
                        let wrong = apart.filter(|&apart| apart > 0).count() as u64;
                        let found = (most.unwrap_or(0), wrong);
                        assert_eq!(found, (difference.most, difference.wrong), "{array}");
                    }
                }
                _ => assert!(
                    *made == expected,
                    "{array}: {made:?}, expected {expected:?}"
                ),
            }
        }
    }
    for (operator, least) in least {
        let found = kinds.get(*operator).copied().unwrap_or(0);
        assert!(found >= *least, "{operator}: {kinds:?}");
    }
    report
}

/// A plane of up to 256 places is one window of the array, a larger one two.
#[test]
fn maxima_of_planes_run_on_the_array() {
    let mut arrays = arrays("operators.npz");
    for (name, kinds) in [
        ("reduce_max", &["max_pool2d"][..]),
        ("reduce_max_keep_dims", &["max_pool2d"]),
        ("reduce_max_above_256", &["max_pool2d"; 2]),
        ("reduce_max_of_width", &["max_pool2d"]),
        ("reduce_max_long", &["reduce_max"]),
        ("reduce_max_of_long_columns", &["reduce_max"]),
        ("reduce_max_of_channels", &["reduce_max"]),
    ] {
        let found = imported(&bytes(&mut arrays, &format!("{name}/model")), &[]);
        let network = Network::from_file(found.network.unwrap()).unwrap();
        let layers = network.layers.iter();
        let made: Vec<&str> = layers.clone().map(|layer| layer.kind.name()).collect();
        assert_eq!(made, kinds, "{name}");
        let on_host = made.contains(&"reduce_max");
        assert!(
            layers.clone().all(|layer| layer.is_for_host() == on_host),
            "{name}"
        );
    }
}

/// What CONTRIBUTING.md shows of adding an operator is what there is.
#[test]
fn the_worked_example_is_the_source() {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../");
    let read = |name: &str| std::fs::read_to_string(format!("{root}{name}")).unwrap();
    let page = read("CONTRIBUTING.md");
    for crate_name in ["network", "import"] {
        let name = format!("{crate_name}/src/ops/reduce_max.rs");
        assert!(page.contains(&read(&name)), "{name}");
    }
}

/// Each input times a factor: what comes out is at most as far away as the report says.
#[test]
fn sums_that_need_not_be_exact_are_as_far_away_as_the_report_says() {
    let mut arrays = arrays("operators.npz");
    let mut compared = 0;
    for name in models(&arrays) {
        let file = bytes(&mut arrays, &format!("{name}/model"));
        let found = imported(&file, &[Inexact::Add]);
        let (Some(file), [row]) = (found.network, &found.rows[..]) else {
            continue;
        };
        let Exact::Compared(difference) = row.exact else {
            continue;
        };
        if !matches!(&row.runs, Runs::Layer(text) if text.starts_with("weighted_sum")) {
            continue;
        }
        let network = Network::from_file(file).unwrap();
        let inputs = (0..network.inputs().count())
            .map(|input| int8(&mut arrays, &format!("{name}/input{input}")));
        let inputs: Vec<Vec<i8>> = inputs.collect();
        let made = run(&network, &inputs).pop().unwrap();
        let expected = int8(&mut arrays, &format!("{name}/output"));
        let most = made
            .iter()
            .zip(&expected)
            .map(|(a, b)| a.abs_diff(*b))
            .max();
        assert!(
            most.map(u32::from) <= Some(difference.most),
            "{name}: {most:?}, {difference:?}"
        );
        compared += 1;
    }
    assert!(compared >= 10, "{compared} models");
}
