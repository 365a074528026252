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
    };
    assert_eq!(found.inputs, [input]);
}

#[test]
fn operators_give_the_bytes_of_the_reference_kernels() {
    let mut arrays = arrays("operators.npz");
    let mut report = String::new();
    let mut compared: BTreeMap<String, u32> = BTreeMap::new();
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
        *compared.entry(operator.to_string()).or_default() += 1;
        for (number, &output) in network.outputs.iter().enumerate() {
            let array = match number {
                0 => format!("{name}/output"),
                number => format!("{name}/output{number}"),
            };
            let (made, expected) = (&made[output - 1], int8(&mut arrays, &array));
            match layer.exact {
                Exact::Compared(difference) if difference.wrong > 0 => {
                    let pairs = made.iter().zip(&expected);
                    let most = pairs.map(|(a, b)| a.abs_diff(*b)).max();
                    assert!(most.map(u32::from) <= Some(difference.most), "{array}");
                }
                _ => assert!(
                    *made == expected,
                    "{array}: {made:?}, expected {expected:?}"
                ),
            }
        }
    }
    insta::assert_snapshot!(report);
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
    for (operator, least) in least {
        assert!(compared[operator] >= least, "{operator}: {compared:?}");
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
