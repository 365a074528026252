//! Functions of one byte, and the softmax of rows, against what the reference kernels gave.

use heddle_import::{Function, Quantised, host, table};
use heddle_network::ops::softmax::softmax as golden;

use crate::files::{arrays, float32, int8, names};

fn function(name: &str, numbers: &[f32]) -> Function {
    match name {
        "gelu_approximate" => heddle_import::function("GELU", 1.0),
        "prelu" => {
            let quantised = Quantised {
                scale: numbers[0],
                zero_point: numbers[1] as i8,
            };
            Some(Function::Prelu(numbers[2] as i8, quantised))
        }
        "quantize" => Some(Function::Quantize),
        "tanh_narrow" => heddle_import::function("TANH", 0.0),
        "leaky_relu" => heddle_import::function("LEAKY_RELU", numbers[0]),
        name => heddle_import::function(&name.to_uppercase(), 0.0),
    }
    .unwrap_or_else(|| panic!("{name} is no function"))
}

#[test]
fn tables_are_those_of_the_reference_kernels() {
    let mut recorded = arrays("functions.npz");
    let names: Vec<String> = names(&recorded, "/tables");
    let mut wrong = Vec::new();
    for name in &names {
        let mut array = |kind: &str| float32(&mut recorded, &format!("{name}/{kind}"));
        let (scales, numbers) = (array("scales"), array("numbers"));
        let zero_points = int8(&mut recorded, &format!("{name}/zero_points"));
        let tables = int8(&mut recorded, &format!("{name}/tables"));
        for (set, expected) in tables.chunks_exact(256).enumerate() {
            let [input, output] = [2 * set, 2 * set + 1].map(|place| Quantised {
                scale: scales[place],
                zero_point: zero_points[place],
            });
            let function = function(name, &numbers[3 * set..]);
            let found = table(function, input, output).unwrap();
            let differ = found
                .iter()
                .zip(expected)
                .filter(|(one, other)| one != other);
            let differ = differ.count();
            if differ > 0 {
                wrong.push(format!(
                    "{function:?} from {input:?} to {output:?}: {differ} bytes differ"
                ));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert_eq!(names.len(), 20);
}

#[test]
fn rows_of_every_length_have_the_softmax_of_the_reference_kernel() {
    let mut recorded = arrays("softmax.npz");
    let values = int8(&mut recorded, "input");
    let (scales, betas) = (
        float32(&mut recorded, "scales"),
        float32(&mut recorded, "betas"),
    );
    let mut expected = &int8(&mut recorded, "output")[..];
    for (number, (scale, beta)) in scales.into_iter().zip(betas).enumerate() {
        let length = number + 1;
        let (row, rest) = expected.split_at(length);
        let scale = host::softmax(
            Quantised {
                scale,
                zero_point: 0,
            },
            beta,
        )
        .unwrap();
        let found = golden(&values[length..2 * length], scale);
        assert!(found == row, "row of {length}: {found:?}, expected {row:?}");
        expected = rest;
    }
    assert!(expected.is_empty());
}

#[test]
fn short_rows_have_the_softmax_of_the_reference_kernel() {
    let mut recorded = arrays("softmax.npz");
    let (values, expected) = (
        int8(&mut recorded, "short"),
        int8(&mut recorded, "short_output"),
    );
    let scales = float32(&mut recorded, "short_scales");
    let size = values.len() / scales.len();
    let sets = values.chunks_exact(size).zip(expected.chunks_exact(size));
    for ((values, expected), scale) in sets.zip(scales) {
        let zero_point = 0;
        let scale = host::softmax(Quantised { scale, zero_point }, 1.0).unwrap();
        let found: Vec<i8> = values
            .chunks(3)
            .flat_map(|row| golden(row, scale))
            .collect();
        assert!(found == expected, "{scale:?}");
    }
    assert_eq!(values.len(), 60_000);
}

#[test]
fn equal_bytes_have_equal_shares() {
    let quantised = Quantised {
        scale: 0.05,
        zero_point: 0,
    };
    let scale = host::softmax(quantised, 1.0).unwrap();
    let shares = int8(&mut arrays("softmax.npz"), "equal");
    for (number, share) in shares.into_iter().enumerate() {
        let row = vec![7; number + 1];
        let expected = vec![share; row.len()];
        assert_eq!(golden(&row, scale), expected);
    }
    // The reference kernel has no result for these.
    assert_eq!(golden(&[7; 5000], scale), [-128; 5000]);
}
