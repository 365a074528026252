//! The tensors of a network as they lie in the state buffer.

use std::path::Path;

use heddle_arch::Params;
use heddle_blocks::slices::Population;
use heddle_compiler::{Mapping, Options, Program, TensorPlan, compile};
use heddle_network::Network;
use heddle_sim::network as golden;

use super::{Source, Words, populations};
use crate::args::AdviseArgs;
use crate::failure::Failure;
use crate::input;

/// Name of the words of all weights.
const WEIGHTS: &str = "weights";

/// Runs the golden network on its test images and counts the words of its tensors. Bytes are
/// re-centred as in the state buffer: a real zero is a zero byte, and so are the bytes behind the
/// end of a row.
pub(super) fn run(config: &Path, model: &Path, args: &AdviseArgs) -> Result<Source, Failure> {
    let params = input::read_config(config)?;
    let (given, form) = input::read_either(model)?;
    let images = input::images(args.images, &given, model)?;
    // Each word once: copies of the input in several partitions would count as often.
    let options = Options {
        mapping: Some(Mapping::Channel),
        ..Options::default()
    };
    let compiled = compile(&given, &params, &options).map_err(Failure::new)?;
    let (network, program) = (&*compiled.network, compiled.program);
    let rows = program.rows([&given, network], &form.exact, &params);
    if args.weights && program.tensors.iter().any(|t| t.matrices.is_some()) {
        return Err(Failure::new(format!(
            "--weights is given for {}, a network of matrices: their weights lie between tensors, expected a \
             network of planes",
            network.name
        )));
    }
    if args.weights && !program.segments.is_empty() {
        return Err(Failure::new(format!(
            "--weights is given for {}, whose weights do not fit {} at once, expected a larger configuration",
            network.name, params.name
        )));
    }
    let names: Vec<&str> = program.tensors.iter().map(|t| t.name.as_str()).collect();
    if let Some(layer) = args.layer.as_deref().filter(|layer| !names.contains(layer)) {
        return Err(Failure::new(format!(
            "--layer is {layer:?}, expected one of {}",
            names.join(", ")
        )));
    }
    let slices = &params.state_buffer.slices;
    let empty = populations(slices.word_bytes, args)?;
    let mut parts: Vec<Words> = names.iter().map(|name| Words::new(name, &empty)).collect();
    let mut states = network.initial_states();
    for image in &network.images[..images] {
        let image = network.with_states(image, &states);
        states = count_image(network, &program, &image, &mut parts)?;
    }
    if let Some(layer) = &args.layer {
        parts.retain(|part| part.name == *layer);
    }
    if args.weights {
        parts.push(weights(&program, &empty));
    }
    Ok(Source {
        title: title(network, &params, images),
        word_bytes: slices.word_bytes,
        configured: Some(slices.clone()),
        parts,
        rows: Some(rows),
    })
}

fn title(network: &Network, params: &Params, images: usize) -> String {
    let images = match images {
        1 => "1 image".to_string(),
        _ => format!("{images} images"),
    };
    format!("{} on {}, {images}", network.name, params.name)
}

/// Counts what an image makes; gives what the network keeps.
fn count_image(
    network: &Network,
    program: &Program,
    image: &[i8],
    parts: &mut [Words],
) -> Result<Vec<Vec<i8>>, Failure> {
    let outputs = golden::run(network, image).map_err(Failure::new)?;
    let values =
        std::iter::once(network.part(image, 0)).chain(outputs.iter().map(|o| o.values.as_slice()));
    for ((plan, values), part) in program.tensors.iter().zip(values).zip(parts) {
        let packed = plan.pack(values).map_err(Failure::new)?;
        let mut words: Vec<[u8; 8]> = packed.into_iter().map(|(_, _, word)| word).collect();
        if words.is_empty() {
            words = by_rows(values, plan);
        }
        for word in words {
            part.add(&word.map(|byte| byte.wrapping_sub(plan.zero_point as u8)));
        }
    }
    Ok(network.kept(&outputs))
}

/// The words of a tensor that the host alone has, as they would lie: row by row.
fn by_rows(values: &[i8], plan: &TensorPlan) -> Vec<[u8; 8]> {
    let rows = values.chunks(plan.shape.width as usize);
    let words = rows.flat_map(|row| row.chunks(8));
    let words = words.map(|values| {
        let mut word = [plan.zero_point as u8; 8];
        for (byte, &value) in word.iter_mut().zip(values) {
            *byte = value as u8;
        }
        word
    });
    words.collect()
}

/// The words of the weights of all layers, which lie behind those of the tensors.
fn weights(program: &Program, empty: &[Population]) -> Words {
    let ends = program.tensors.iter().map(|t| (t.base + t.bytes) / 8);
    let first = ends.max().unwrap_or(0);
    let mut words = Words::new(WEIGHTS, empty);
    for (_, word, bytes) in &program.once.image {
        if *word >= first {
            words.add(bytes);
        }
    }
    words
}
