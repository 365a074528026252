//! Operators in float32 between bytes and bytes: what the reference gives, or one step from it where the row says so.

use heddle_network::Network;

use crate::files::{arrays, bytes, imported, int8, interleaved, models, table};

/// What was compared with the reference.
#[derive(Default)]
struct Compared {
    report: String,
    models: usize,
    /// Models all of whose rows are exact.
    exact: usize,
    values: usize,
    differ: usize,
}

/// Runs all models of a file. Elements are in the order of a network, or the channels of a pixel lie together.
fn compare(file: &str, inputs: &[&str], is_interleaved: bool) -> Compared {
    let mut arrays = arrays(file);
    let mut all = Compared::default();
    for name in models(&arrays) {
        let found = imported(&bytes(&mut arrays, &format!("{name}/model")), &[]);
        all.report += &format!("{name}: {}", table(&found.rows));
        let file = found.network.clone();
        let file =
            file.unwrap_or_else(|| panic!("{name}\n{}{:?}", table(&found.rows), found.faults));
        let network = Network::from_file(file).unwrap_or_else(|errors| panic!("{name} {errors}"));
        let given = inputs.iter().take(network.inputs().count());
        let given: Vec<Vec<i8>> = given
            .map(|input| int8(&mut arrays, &format!("{name}/{input}")))
            .collect();
        let image = match is_interleaved {
            true => crate::files::image(&network, &given),
            false => given.concat(),
        };
        let outputs = heddle_sim::network::run(&network, &image).unwrap();
        let (layer, made) = (network.layers.last().unwrap(), outputs.last().unwrap());
        let made = if is_interleaved {
            interleaved(layer, made)
        } else {
            made.values.clone()
        };
        let expected = int8(&mut arrays, &format!("{name}/output"));
        assert_eq!(made.len(), expected.len(), "{name}");
        let apart = made
            .iter()
            .zip(&expected)
            .map(|(one, other)| one.abs_diff(*other));
        let most = apart.clone().max().unwrap_or(0);
        let count = apart.filter(|&apart| apart > 0).count();
        let is_exact = found.rows.iter().all(|row| row.exact.is_exact());
        println!(
            "{name}: {count} of {} differ, by up to {most}, exact {is_exact}",
            made.len()
        );
        assert!(
            most <= u8::from(!is_exact),
            "{name}: {count} differ, by up to {most}"
        );
        all.models += 1;
        all.exact += usize::from(is_exact);
        all.values += made.len();
        all.differ += count;
    }
    println!(
        "{} of {} bytes are not those of the reference",
        all.differ, all.values
    );
    all
}

#[test]
fn results_in_float32_are_at_most_one_step_from_onnxruntime() {
    let all = compare("onnx/islands.npz", &["input"], false);
    insta::assert_snapshot!(all.report);
    assert_eq!((all.models, all.exact), (112, 75));
    assert!(
        all.differ * 1000 < all.values,
        "{} of {}",
        all.differ,
        all.values
    );
}

#[test]
fn results_in_float32_are_at_most_one_step_from_litert() {
    let all = compare("islands.npz", &["input0", "input1"], true);
    insta::assert_snapshot!(all.report);
    assert_eq!((all.models, all.exact), (47, 37));
    assert!(
        all.differ * 1000 < all.values,
        "{} of {}",
        all.differ,
        all.values
    );
}
