//! Files that cannot be imported: each reason is given, and nothing panics.

use heddle_import::{Options, import, import_with};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::files::{imported, read};

#[test]
fn all_reasons_are_given_at_once() {
    let names = [
        "float",
        "hybrid",
        "uint8",
        "dynamic",
        "unsupported",
        "residual",
        "reads_itself",
        "reads_later",
        "made_twice",
        "wide",
        "wide_add",
        "other_shape",
        "large_fill",
        "other_graphs",
        "constant_output",
        "recurrent",
        "unnamed",
        "large_sums",
        "ratio",
        "no_options",
        "empty_input",
    ];
    let reports = names.map(|name| {
        let file = read(&format!("{name}.tflite"));
        match import(&file, &Options::default()) {
            Ok(found) => format!("{name}\n{}\n", found.reasons().join("\n")),
            Err(error) => format!("{name}\n{error}\n"),
        }
    });
    insta::assert_snapshot!(reports.join("\n"));
}

#[test]
fn all_reasons_of_an_onnx_file_are_given_at_once() {
    let names = [
        "float",
        "dynamic",
        "island",
        "unsupported",
        "weights_zero",
        "without_sign",
        "other_scale",
        "other_shape",
        "copied",
        "awkward",
        "old",
        "future",
        "external",
        "reads_later",
        "made_twice",
        "no_such_output",
        "short",
        "large",
        "deep",
        "open_size",
        "padded",
        "computed",
    ];
    let reports = names.map(|name| {
        let options = Options {
            name: name.to_string(),
            ..Options::default()
        };
        match import(&read(&format!("onnx/{name}.onnx")), &options) {
            Ok(found) => format!("{name}\n{}\n", found.reasons().join("\n")),
            Err(error) => format!("{name}\n{error}\n"),
        }
    });
    insta::assert_snapshot!(reports.join("\n"));
}

#[test]
fn a_network_ends_where_until_says() {
    let file = read("separable.tflite");
    let whole = imported(&file, &[]);
    let tensor = whole
        .rows
        .iter()
        .find_map(|row| row.layer.as_ref().map(|_| row.tensor.clone()));
    let options = Options {
        until: tensor.clone(),
        name: "cut".to_string(),
        ..Options::default()
    };
    let network = import(&file, &options).unwrap().network.unwrap();
    assert_eq!(network.layers.len(), 1);
    let options = Options {
        until: Some("nowhere".to_string()),
        ..Options::default()
    };
    assert!(
        import(&file, &options)
            .unwrap_err()
            .to_string()
            .contains("nowhere")
    );
}

/// Bytes of a good file are changed, or it is cut.
#[test]
fn damaged_files_never_panic() {
    let is_slow = std::env::var_os("HEDDLE_SLOW").is_some();
    for (name, seed, files) in [
        ("residual.tflite", 1, 500),
        ("separable.tflite", 2, 5000),
        ("convolution.tflite", 3, 10_000),
        ("unsupported.tflite", 4, 5000),
        ("transformer.tflite", 11, 200),
        ("onnx/residual.onnx", 5, 500),
        ("onnx/separable.onnx", 6, 6500),
        ("onnx/keyword.onnx", 7, 5000),
        ("onnx/flattened.onnx", 8, 3000),
        ("onnx/awkward.onnx", 9, 3000),
        ("onnx/unsupported.onnx", 10, 2000),
        ("onnx/outside.onnx", 12, 3000),
        ("onnx/gated.onnx", 13, 2000),
        ("onnx/attention.onnx", 14, 1000),
        ("onnx/computed.onnx", 15, 3000),
        ("folded.tflite", 16, 4000),
        ("streaming.tflite", 17, 4000),
    ] {
        let good = read(name);
        let beside = read("onnx/outside.bin");
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let mut whole = 0;
        let files = if is_slow { files } else { files / 4 };
        for _ in 0..files {
            let mut file = good.clone();
            for _ in 0..rng.random_range(1..=4) {
                let at = rng.random_range(0..file.len());
                file[at] = match rng.random_range(0..3) {
                    0 => rng.random(),
                    1 => file[at] ^ 1 << rng.random_range(0..8),
                    _ => [0, 1, 0x7f, 0x80, 0xff][rng.random_range(0..5)],
                };
            }
            if rng.random_bool(0.1) {
                file.truncate(rng.random_range(0..file.len()));
            }
            let options = Options {
                name: "damaged".to_string(),
                ..Options::default()
            };
            if let Ok(found) = import_with(&file, &options, &mut |_| Ok(beside.clone())) {
                let network = found.network.map(heddle_network::Network::from_file);
                whole += usize::from(matches!(network, Some(Ok(_))));
            }
        }
        // Weights may have any value: many of these files are networks.
        assert!(
            files < 750
                || name.contains("awkward")
                || name.contains("unsupported")
                || name.contains("computed")
                || whole > files / 50,
            "{name}, seed {seed}: {whole}"
        );
    }
}
