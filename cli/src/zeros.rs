//! Zeros of the tensors of a network, as `heddle advise --slices --json` has counted them.

use std::path::Path;

use heddle_compiler::Zeros;
use heddle_network::Network;
use serde::Deserialize;

use crate::args::{EngineArg, EngineArgs};
use crate::failure::Failure;
use crate::input;

/// Larger than every such file.
const BYTES_MAX: u64 = 16 << 20;

/// What is needed of the file.
#[derive(Deserialize)]
struct Advice {
    tensors: Vec<Tensor>,
}

#[derive(Deserialize)]
struct Tensor {
    name: String,
    populations: Vec<Population>,
}

#[derive(Deserialize)]
struct Population {
    unit_bits: u32,
    /// Words by how many of their units are not zero.
    words: Vec<u64>,
}

/// The zeros of each tensor that the file tells of; none without a file.
pub fn read(args: &EngineArgs, network: &Network) -> Result<Vec<Option<Zeros>>, Failure> {
    let given = [
        ("--zeros", args.zeros.is_some()),
        ("--sparse-rule", args.sparse_rule.is_some()),
    ];
    if let Some((name, _)) = given
        .iter()
        .find(|(_, is_given)| *is_given && args.engine == EngineArg::Dense)
    {
        return Err(Failure::new(format!(
            "{name} is given with --engine dense, expected --engine auto"
        )));
    }
    let Some(path) = &args.zeros else {
        return Ok(Vec::new());
    };
    let shown = path.display();
    let text = input::read_text(path, "zeros", BYTES_MAX)?;
    let advice: Advice = serde_json::from_str(&text).map_err(|error| {
        let line = error.line();
        Failure::new(format!(
            "{shown}:{line}: expected the output of heddle advise --slices --json: {error}"
        ))
    })?;
    let tensors = 0..network.layers.len() + 1;
    let of = |tensor: usize| {
        let name = network.tensor_name(tensor);
        let found = advice.tensors.iter().find(|found| found.name == name);
        found
            .map(|found| zeros(path, network, tensor, found))
            .transpose()
    };
    let zeros = tensors.map(of).collect::<Result<Vec<_>, Failure>>()?;
    match zeros.iter().flatten().count() {
        0 => Err(Failure::new(format!(
            "{shown}: tells of no tensor of {}",
            network.name
        ))),
        _ => Ok(zeros),
    }
}

/// The zeros of a tensor: bytes behind the end of a row are none of it.
fn zeros(path: &Path, network: &Network, tensor: usize, found: &Tensor) -> Result<Zeros, Failure> {
    let wrong = |message: String| {
        Failure::new(format!(
            "{}: tensor {}: {message}",
            path.display(),
            found.name
        ))
    };
    let bytes = found
        .populations
        .iter()
        .find(|population| population.unit_bits == 8);
    let bytes = bytes.ok_or_else(|| {
        wrong("has no units of 8 bits, expected heddle advise with --unit-bits 8".to_string())
    })?;
    let (shape, _) = network.tensor(tensor);
    let words = u64::from(shape.channels * shape.height) * u64::from(shape.width.div_ceil(8));
    let all = bytes
        .words
        .iter()
        .fold(0, |all: u64, count| all.saturating_add(*count));
    let others = (0..).zip(&bytes.words).fold(0, |sum: u64, (units, count)| {
        sum.saturating_add(count.saturating_mul(units))
    });
    let images = all / words;
    let elements = images.saturating_mul(shape.elements() as u64);
    if all % words != 0 || images == 0 || others > elements {
        return Err(wrong(format!(
            "has {all} words with {others} values, expected images of {words} words: it is of another network"
        )));
    }
    Ok(Zeros {
        zeros: elements - others,
        elements,
        images,
    })
}
