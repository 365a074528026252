//! Whole networks: every tensor has the bytes that the reference kernels gave.

use heddle_arch::Network;
use heddle_import::Inexact;

use crate::files::{arrays, imported, int8, read, run, table};

/// Every tensor of a network is that of the file.
#[track_caller]
fn check(name: &str, inexact: &[Inexact]) -> String {
    let found = imported(&read(&format!("{name}.tflite")), inexact);
    let network = found
        .network
        .unwrap_or_else(|| panic!("{name}:\n{}{:?}", table(&found.rows), found.faults));
    let network = Network::from_file(network).unwrap();
    let mut arrays = arrays(&format!("{name}.npz"));
    let made = run(&network, &int8(&mut arrays, "input0"));
    let mut compared = 0;
    for row in &found.rows {
        let (Some(layer), Some(index)) = (&row.layer, row.index) else {
            continue;
        };
        let number = network
            .layers
            .iter()
            .position(|other| other.name == *layer)
            .unwrap();
        assert!(
            made[number] == int8(&mut arrays, &format!("tensor/{index}")),
            "{name}: {layer} differs"
        );
        compared += 1;
    }
    assert_eq!(compared, network.layers.len());
    table(&found.rows)
}

#[test]
fn networks_give_the_bytes_of_the_reference_kernels_in_every_tensor() {
    let reports = ["convolution", "separable", "dense", "keyword", "padded"]
        .map(|name| format!("{name}\n{}", check(name, &[])));
    insta::assert_snapshot!(reports.join("\n"));
}
