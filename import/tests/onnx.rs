//! .onnx files: layers give the bytes of onnxruntime where the report says so, and all but few of the others.

use heddle_import::Import;
use heddle_network::Network;

use crate::files::{Arrays, ONNX_NETWORKS, arrays, bytes, imported, int8, models, read, table};

/// How many bytes were compared, and how many are not those of onnxruntime.
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
        println!("{differ} of {values} values are not those of onnxruntime");
        assert!(*values >= least, "{values} values");
        assert!(differ * 10_000 <= *values, "{differ} of {values} differ");
    }
}

fn apart<'a>(one: &'a [i8], other: &'a [i8]) -> impl Iterator<Item = u32> {
    assert_eq!(one.len(), other.len());
    one.iter()
        .zip(other)
        .map(|(one, other)| one.abs_diff(*other).into())
}

/// Runs a network and compares every layer with the tensor of its name. `model` begins the names of its arrays.
fn compare(found: Import, arrays: &mut Arrays, model: &str) -> Compared {
    let file = found
        .network
        .clone()
        .unwrap_or_else(|| panic!("{model}\n{}{:?}", table(&found.rows), found.faults));
    let network = Network::from_file(file).unwrap_or_else(|errors| panic!("{model} {errors}"));
    let image = int8(arrays, &format!("{model}input"));
    let outputs = heddle_sim::network::run(&network, &image).unwrap();
    let mut compared = Compared::default();
    let mut parts = 0;
    for (layer, made) in network.layers.iter().zip(&outputs) {
        let (layer, made) = (&layer.name, &made.values);
        // Layers that move matrices are parts of the product; what rescales a tensor to that it is joined to has no name.
        let row = found.row(layer).filter(|row| !row.tensor.is_empty());
        let Some(row) = row else {
            parts += 1;
            continue;
        };
        let given = int8(arrays, &format!("{model}layer/{}", row.tensor));
        let most = u32::from(!row.exact.is_exact());
        assert!(
            apart(made, &given).all(|apart| apart <= most),
            "{model}{layer} is not what onnxruntime gave: {}",
            row.exact.text()
        );
        compared.values += given.len();
        compared.differ += apart(made, &given).filter(|apart| *apart > 0).count();
    }
    let rows = found.rows.iter().filter(|row| row.layer.is_some());
    assert!(
        rows.count() <= network.layers.len() && parts <= 3,
        "{model}"
    );
    compared
}

#[test]
fn operators_of_onnx_files_give_the_bytes_of_onnxruntime_where_the_report_says_so() {
    let mut arrays = arrays("onnx/operators.npz");
    let mut report = String::new();
    let mut all = Compared::default();
    for name in models(&arrays) {
        let file = bytes(&mut arrays, &format!("{name}/model"));
        let found = imported(&file, &[]);
        report += &format!("{name}: {}", table(&found.rows));
        for fault in &found.faults {
            report += &format!("  {fault}\n");
        }
        if !found.rows.iter().all(|row| row.runs.is_possible()) {
            continue;
        }
        let compared = compare(found, &mut arrays, &format!("{name}/"));
        // Halves go away from the zero point here, and to the even byte there.
        if name.starts_with("halves") {
            assert!(
                compared.differ * 32 > compared.values,
                "{name} has no halves"
            );
        } else {
            all.values += compared.values;
            all.differ += compared.differ;
        }
    }
    insta::assert_snapshot!(report);
    all.check(130_000);
}

#[test]
fn networks_of_onnx_files_give_the_bytes_of_onnxruntime_in_every_layer() {
    let mut all = Compared::default();
    let reports = ONNX_NETWORKS.map(|name| {
        let found = imported(&read(&format!("onnx/{name}.onnx")), &[]);
        let report = table(&found.rows);
        let compared = compare(found, &mut arrays(&format!("onnx/{name}.npz")), "");
        all.values += compared.values;
        all.differ += compared.differ;
        format!("{name}\n{report}")
    });
    insta::assert_snapshot!(reports.join("\n"));
    all.check(10_000);
}

/// A row of the table that no model has would be a promise that nothing keeps.
#[test]
fn every_operator_of_the_table_has_a_model() {
    let mut files = Vec::new();
    for mut arrays in ["onnx/operators.npz", "onnx/islands.npz"].map(arrays) {
        for name in models(&arrays) {
            files.push(bytes(&mut arrays, &format!("{name}/model")));
        }
    }
    files.push(read("onnx/keyword.onnx"));
    for operator in heddle_import::supported()
        .into_iter()
        .flat_map(|row| row.onnx)
    {
        // As the messages have it: number and length of a field, then the text.
        let text = [&[4 << 3 | 2, operator.len() as u8], operator.as_bytes()].concat();
        let has = |file: &&Vec<u8>| file.windows(text.len()).any(|part| part == text);
        assert!(files.iter().any(|file| has(&file)), "{operator}");
    }
}
