//! .onnx files: layers give the bytes that onnxruntime gave, but for few that are 1 apart.

use std::io::Read;

use heddle_arch::Network;
use heddle_import::{Exact, Import, Inexact};

use crate::files::{Arrays, arrays, bytes, imported, read, table};

/// Models whose sums have no exact factors of 8 bits: their bytes may be as far apart as the import says.
const INEXACT: [&str; 2] = ["qdq_add_third_int8", "qoperator_add_third_uint8"];

/// How many bytes were compared, and how many differ.
#[derive(Default)]
struct Compared {
    values: usize,
    differ: usize,
}

impl Compared {
    /// At most one byte in 10,000 differs.
    #[track_caller]
    fn check(&self, least: usize) {
        let Compared { values, differ } = self;
        println!("{differ} of {values} values differ");
        assert!(*values >= least, "{values} values");
        assert!(differ * 10_000 <= *values, "{differ} of {values} differ");
    }
}

/// Recorded bytes, those without sign as with it.
fn recorded(arrays: &mut Arrays, name: &str) -> Vec<i8> {
    let mut header = [0; 40];
    let mut member = arrays
        .by_name(&format!("{name}.npy"))
        .unwrap_or_else(|_| panic!("no {name}"));
    member.read_exact(&mut header).unwrap();
    drop(member);
    let without_sign = header.windows(3).any(|text| text == b"|u1");
    let moved = if without_sign { 0x80 } else { 0 };
    let bytes = bytes(arrays, name).into_iter();
    bytes.map(|byte| (byte ^ moved) as i8).collect()
}

/// Runs a network, and compares every layer with the tensor of its name; `most` is how far a byte may be away.
fn compare(found: Import, arrays: &mut Arrays, prefix: &str, compared: &mut Compared) {
    let name = prefix.to_string();
    let file = found
        .network
        .unwrap_or_else(|| panic!("{name}:\n{}{:?}", table(&found.rows), found.faults));
    let network = Network::from_file(file).unwrap_or_else(|errors| panic!("{name}: {errors}"));
    let image = recorded(arrays, &format!("{prefix}input"));
    let made = heddle_sim::network::run(&network, &image).unwrap();
    let mut layers = 0;
    for row in &found.rows {
        let Some(layer) = &row.layer else { continue };
        let number = network
            .layers
            .iter()
            .position(|other| other.name == *layer)
            .unwrap();
        let expected = recorded(arrays, &format!("{prefix}layer/{}", row.tensor));
        let made = &made[number].values;
        assert_eq!(made.len(), expected.len(), "{name}: {layer}");
        let apart = made
            .iter()
            .zip(&expected)
            .map(|(one, other)| one.abs_diff(*other));
        let most = apart.clone().max().unwrap();
        let differ = apart.filter(|apart| *apart > 0).count();
        if differ > 0 {
            println!(
                "{name}{layer}: {differ} of {} differ, by {most} at most",
                made.len()
            );
        }
        match row.exact {
            Exact::Compared(difference) if difference.wrong > 0 => {
                assert!(
                    u32::from(most) <= difference.most + 1,
                    "{name}: {layer}, {most}"
                );
            }
            _ => {
                assert!(most <= 1, "{name}: {layer} is {most} away");
                compared.values += made.len();
                compared.differ += differ;
            }
        }
        layers += 1;
    }
    assert_eq!(layers, network.layers.len(), "{name}");
}

/// Names of the models of one operator.
fn models() -> Vec<String> {
    let found = arrays("onnx/operators.npz");
    let names = found
        .file_names()
        .filter_map(|name| name.strip_suffix("/model.npy"));
    let mut names: Vec<String> = names.map(str::to_string).collect();
    names.sort();
    names
}

#[test]
fn operators_give_the_bytes_of_onnxruntime() {
    let mut arrays = arrays("onnx/operators.npz");
    let mut report = String::new();
    let mut compared = Compared::default();
    for name in models() {
        let file = bytes(&mut arrays, &format!("{name}/model"));
        let inexact: &[Inexact] = if INEXACT.contains(&&name[..]) {
            &[Inexact::Add]
        } else {
            &[]
        };
        let found = imported(&file, inexact);
        report += &format!("{name}: {}", table(&found.rows));
        for fault in &found.faults {
            report += &format!("  {fault}\n");
        }
        // Halves are another matter, and have a test of their own.
        if found.rows.iter().all(|row| row.runs.is_possible()) && !name.contains("halves") {
            compare(found, &mut arrays, &format!("{name}/"), &mut compared);
        }
    }
    insta::assert_snapshot!(report);
    compared.check(130_000);
}

#[test]
fn networks_give_the_bytes_of_onnxruntime_in_every_layer() {
    let mut compared = Compared::default();
    let reports = ["residual", "separable", "dense", "keyword", "flattened"].map(|name| {
        let found = imported(&read(&format!("onnx/{name}.onnx")), &[]);
        let report = table(&found.rows);
        compare(
            found,
            &mut arrays(&format!("onnx/{name}.npz")),
            "",
            &mut compared,
        );
        format!("{name}\n{report}")
    });
    insta::assert_snapshot!(reports.join("\n"));
    compared.check(8_000);
}
