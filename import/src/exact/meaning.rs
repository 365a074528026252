//! What a layer makes of bytes, by the meaning of its operator.

use heddle_network::file::{FORMAT, FurtherInputFile, InputFile, LayerFile, NetworkFile, TestFile};
use heddle_network::{INPUT_NAME, Network};

/// What a layer of this kind makes of inputs, each a zero point and as many bytes, a multiple of 256.
///
/// # Errors
/// What is wrong with the layer.
pub fn made(layer: LayerFile, inputs: &[(i8, Vec<i8>)]) -> Result<Vec<i8>, String> {
    let file = |(zero_point, bytes): &(i8, Vec<i8>)| InputFile {
        channels: 1,
        height: (bytes.len() / 256) as u32,
        width: 256,
        zero_point: *zero_point,
        scale: 1.0,
    };
    let name = |number: usize| match number {
        0 => INPUT_NAME.to_string(),
        number => format!("{INPUT_NAME}{number}"),
    };
    let further = inputs.iter().enumerate().skip(1);
    let network = Network::from_file(NetworkFile {
        format: FORMAT.to_string(),
        name: "alone".to_string(),
        input: file(&inputs[0]),
        further_inputs: further
            .map(|(number, input)| FurtherInputFile {
                name: name(number),
                input: file(input),
            })
            .collect(),
        layers: vec![LayerFile {
            name: "made".to_string(),
            inputs: Some((0..inputs.len()).map(name).collect()),
            ..layer
        }],
        outputs: None,
        states: Vec::new(),
        test: TestFile::default(),
    });
    let network = network.map_err(|errors| errors.to_string())?;
    let image: Vec<i8> = inputs
        .iter()
        .flat_map(|(_, bytes)| bytes)
        .copied()
        .collect();
    let tensors = network.run(&image).map_err(|error| error.to_string())?;
    Ok(tensors
        .into_iter()
        .next_back()
        .map_or_else(Vec::new, |tensor| tensor.values))
}
