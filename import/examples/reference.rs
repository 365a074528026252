//! Holds the golden network of a .tflite file against the reference kernels: FILE.tflite FILE.npz, as
//! `models/import/families.py` writes them. Prints how many tensors and bytes are equal; exit code 1 if one is not.

#[allow(
    dead_code,
    clippy::unwrap_used,
    reason = "the tests use the rest, and unwrap"
)]
#[path = "../tests/files.rs"]
mod files;

use std::process::ExitCode;

use heddle_network::Network;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [model, recorded] = &arguments[..] else {
        eprintln!("usage: reference FILE.tflite FILE.npz");
        return ExitCode::from(2);
    };
    let found = files::imported(&files::read(model), &[]);
    let network = Network::from_file(found.network.expect("all operators are possible"));
    let network = network.expect("import makes networks without faults");
    let mut recorded = files::arrays(recorded);
    let outputs = files::run(&network, &[files::int8(&mut recorded, "input0")]);
    let (mut tensors, mut bytes, mut different) = (0, 0, 0);
    for (layer, output) in network.layers.iter().zip(outputs) {
        let mut rows = found.rows.iter();
        let row = rows.find(|row| row.layer.as_ref() == Some(&layer.name));
        let index = row.and_then(|row| row.index).expect("a layer is a tensor");
        let expected = files::int8(&mut recorded, &format!("tensor/{index}"));
        assert_eq!(output.len(), expected.len(), "{}", layer.name);
        let wrong = output.iter().zip(&expected).filter(|(a, b)| a != b).count();
        if wrong > 0 {
            println!("{}: {wrong} of {} bytes differ", layer.name, output.len());
        }
        tensors += 1;
        bytes += output.len();
        different += wrong;
    }
    println!("{tensors} tensors, {bytes} bytes, {different} of them differ");
    ExitCode::from(u8::from(different > 0))
}
