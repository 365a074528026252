//! `heddle compile --image`, `heddle image` and `heddle sim --image`.

use heddle_arch::image::layout::header;
use serde_json::Value;

use crate::arrays::npz;
use crate::bench::{Bench, CONFIG, MODEL};
use crate::import::{bench, bench_of, npy};

/// What runs files: the preset for them.
pub const TFLITE: &str = include_str!("../../configs/tflite.json");

/// Files with recorded inputs.
const FILES: [&str; 16] = [
    "convolution.tflite",
    "dense.tflite",
    "float_ends.tflite",
    "keyword.tflite",
    "keyword_1d.tflite",
    "padded.tflite",
    "residual.tflite",
    "segmentation.tflite",
    "separable.tflite",
    "onnx/attention.onnx",
    "onnx/dense.onnx",
    "onnx/flattened.onnx",
    "onnx/gated.onnx",
    "onnx/keyword.onnx",
    "onnx/residual.onnx",
    "onnx/separable.onnx",
];

/// The outputs from an image are those that the network gives; or a layer that an image cannot have.
#[track_caller]
pub fn same(bench: &Bench, net: &str, options: &str) -> bool {
    bench.write("tflite.json", TFLITE);
    let compiled = bench.heddle(&format!(
        "compile {net} -c tflite.json --image net.hdi {options}"
    ));
    if compiled.code == Some(2) {
        let told = ["--image: layer ", "--image: input "];
        let told = told.map(|text| format!("error: {text}"));
        assert!(
            told.iter().any(|text| compiled.stderr.starts_with(text)),
            "{}",
            compiled.stderr
        );
        println!("{net}: {}", compiled.stderr.trim());
        return false;
    }
    assert_eq!(compiled.code, Some(0), "{net}: {}", compiled.stderr);
    bench.done("image check net.hdi -c tflite.json");
    quantised_input(bench);
    let inputs = "-c tflite.json --inputs in.npy --outputs";
    bench.done(&format!("sim -m {net} {options} {inputs} net.npz"));
    bench.done(&format!("sim --image net.hdi {inputs} image.npz"));
    let [net, image] = ["net.npz", "image.npz"].map(|name| {
        let path = bench.path().join(name);
        npz(std::fs::read(path).expect("outputs"))
    });
    assert!(!net.is_empty() && net == image, "{net:?}\n{image:?}");
    true
}

/// Where an image quantises its input it gets real numbers in place of steps, every third of them halfway to the next.
fn quantised_input(bench: &Bench) {
    let info = bench.json("image info net.hdi --json");
    let tensors = info["tensors"].as_array().expect("a list");
    let is_real = |tensor: &&Value| tensor["use"] == "input" && tensor["type"] == "float32";
    let given = std::fs::read(bench.path().join("in.npy")).expect("inputs");
    let Some(input) = tensors.iter().find(is_real) else {
        return;
    };
    let extents = input["extents"].as_array().expect("a list");
    let sizes = extents.iter().map(|size| size.as_u64().expect("a size"));
    let size = sizes.product::<u64>() as usize;
    let steps = &given[given.len() - size..];
    if given.windows(3).any(|text| text == b"<f4") {
        return;
    }
    let is_bytes = |tensor: &&Value| tensor["region"] == 1;
    let scale = &tensors.iter().find(is_bytes).expect("bytes")["scale"];
    let scale = scale.as_f64().expect("a number") as f32;
    let real = |(at, &step): (usize, &u8)| {
        let half = if at % 3 == 0 { 0.5 } else { 0.0 };
        (f32::from(step as i8) + half) * scale
    };
    let reals: Vec<f32> = steps.iter().enumerate().map(real).collect();
    bench.write("in.npy", floats(&reals));
}

/// A .npy file of float32.
pub fn floats(values: &[f32]) -> Vec<u8> {
    let header = format!(
        "{{'descr': '<f4', 'fortran_order': False, 'shape': ({},), }}\n",
        values.len()
    );
    let length = (header.len() as u16).to_le_bytes();
    let values: Vec<u8> = values
        .iter()
        .flat_map(|value| value.to_le_bytes())
        .collect();
    [
        b"\x93NUMPY\x01\x00",
        &length[..],
        header.as_bytes(),
        &values,
    ]
    .concat()
}

#[test]
fn outputs_from_an_image_are_those_of_the_network() {
    let (mut seen, mut refused) = (0, Vec::new());
    for file in FILES {
        let (name, format) = file.rsplit_once('.').expect("an ending");
        let bench = bench_of(name, format);
        for options in ["--whole", ""] {
            match same(&bench, &format!("net.{format}"), options) {
                true => seen += 1,
                false => refused.push(name.to_string()),
            }
        }
    }
    println!("{seen} seen, refused: {refused:?}");
    assert!(seen >= 18, "{seen}");
}

#[test]
fn several_inputs_come_by_their_names() {
    let sides = r#""channels": 3, "height": 2, "width": 5, "scale": 0.5"#;
    let network = format!(
        r#"{{"format": "heddle-network-2", "name": "two", "input": {{{sides}, "zero_point": 3}},
        "further_inputs": [{{"name": "other", {sides}, "zero_point": -7}}],
        "layers": [{{"kind": "weighted_sum", "name": "sum", "inputs": ["input", "other"], "factors": [3, -2],
        "multiplier": [1073741824, 1073741824, 1073741824], "shift": [-2, -2, -2], "output_zero_point": 1,
        "activation_min": -128, "activation_max": 127, "rounding": "double"}}]}}"#
    );
    let bench = Bench::new(&[("two.json", &network)]);
    let values = |first: i8| npy("|i1", &(0..30).map(|at| first + 4 * at).collect::<Vec<_>>());
    let archive = crate::arrays::archive(&[("other", values(-110)), ("input", values(-3))]);
    bench.write("in.npz", archive);
    bench.write(
        "in.npy",
        std::fs::read(bench.path().join("in.npz")).expect("arrays"),
    );
    assert!(same(&bench, "two.json", "--whole"));
    // Real values have the scale of the image.
    let reals: Vec<f32> = (0..30).map(|at| at as f32 - 15.2).collect();
    let archive = crate::arrays::archive(&[("other", values(-110)), ("input", floats(&reals))]);
    bench.write("in.npy", archive);
    assert!(same(&bench, "two.json", ""));
}

#[test]
fn an_image_is_replaced_and_other_files_are_not() {
    let bench = Bench::new(&[("c.json", CONFIG), ("m.json", MODEL)]);
    let compile = "compile m.json -c c.json --whole --image net.hdi";
    bench.done(compile);
    let first = std::fs::read(bench.path().join("net.hdi")).expect("an image");
    bench.done(compile);
    let again = std::fs::read(bench.path().join("net.hdi")).expect("an image");
    assert!(first == again);
    let message = "m.json: is no image, it is left alone";
    bench.refused("compile m.json -c c.json --image m.json", &[message]);
    assert_eq!(bench.read("m.json"), MODEL);
    let info = bench.json("image info net.hdi --json");
    assert_eq!(info["bytes"], first.len());
    assert_eq!(info["tensors"][0]["use"], "input");
    let text = bench.done("image info net.hdi");
    assert!(
        text.contains("jobs that run once") && text.contains("4 x 4"),
        "{text}"
    );
    assert_eq!(
        bench.json("image check net.hdi -c c.json --json")["config"],
        "tiny"
    );
}

#[test]
fn wrong_images_are_refused_with_field_and_value() {
    let bench = Bench::new(&[
        ("c.json", CONFIG),
        ("m.json", MODEL),
        ("tflite.json", TFLITE),
    ]);
    bench.done("compile m.json -c c.json --whole --image net.hdi");
    let good = std::fs::read(bench.path().join("net.hdi")).expect("an image");
    let counters = CONFIG.replacen('{', "{\"column_tiles\": 32,", 1);
    bench.write(
        "other.json",
        counters.replacen("\"column_tiles\": 16,", "", 1),
    );
    bench.write("torn.hdi", &good[..good.len() - 64]);
    bench.write("longer.hdi", [&good[..], &[0; 64]].concat());
    let mut version = good.clone();
    version[header::VERSION.at] = 2;
    bench.write("version.hdi", version);
    let mut damaged = good.clone();
    damaged[500] ^= 1;
    bench.write("damaged.hdi", damaged);
    bench.write("in.npy", npy("|i1", &[0; 7]));
    let size = good.len();
    let torn = format!(
        "image check torn.hdi | torn.hdi: has {} bytes, expected at least {size}: it is torn",
        size - 64
    );
    bench.refused_with(&[
        &torn,
        "image check m.json | m.json: is no image: it does not begin with HEDLIMG1",
        "image info none.hdi | none.hdi: cannot read image: ",
        "image check version.hdi | version.hdi: header: version is 2, expected 1",
        "image check longer.hdi | longer.hdi: header: file_bytes is ",
        "image check damaged.hdi | damaged.hdi: section 0: crc is ",
        "image check net.hdi -c tflite.json | net.hdi: header: shape is ",
        "sim --image net.hdi -c tflite.json --inputs in.npy | net.hdi: header: shape is ",
        "sim --image net.hdi -c c.json --inputs in.npy | in.npy: ",
        "sim --image net.hdi -c c.json | the following required arguments were not provided: --inputs",
        "sim --image net.hdi -m m.json -c c.json --inputs in.npy | the argument '--image <IMAGE>' cannot be used with",
        "sim -c c.json | the following required arguments were not provided: --model",
        "cosim -c c.json | the following required arguments were not provided: --model",
    ]);
}

/// A machine whose weights have no room for all layers of the network.
#[test]
fn programs_of_images_load_where_the_machine_can() {
    let small = include_str!("../../configs/edge_dma.json")
        .replace("\"words_per_bank\": 512", "\"words_per_bank\": 256");
    let without = small.replace(", \"dma\": {}", "");
    let bench = Bench::new(&[
        ("c.json", &small),
        ("port.json", &without),
        ("m.json", include_str!("../../models/digits.json")),
    ]);
    bench.write("in.npy", npy("|i1", &[9; 64]));
    let told = bench.done("compile m.json -c c.json --whole --image net.hdi");
    let why = "the program loads 1728 words for each image, in 4 LOADs: network digits does not fit edge_dma: weights need ";
    assert!(told.contains(why), "{told}");
    let info = bench.json("image info net.hdi --json");
    // Weights of the program, and the 64 bytes of the input in 8 partitions.
    assert_eq!(
        ["loaded_words", "program_loads", "program_loaded_words"].map(|key| info[key].as_u64()),
        [Some(1792), Some(4), Some(1728)]
    );
    assert!(
        bench
            .done("image info net.hdi")
            .contains("1792 words for an inference, 1728 of them by 4 LOADs of programs")
    );
    bench.done("sim -m m.json -c c.json --inputs in.npy --outputs net.npz");
    bench.done("sim --image net.hdi -c c.json --inputs in.npy --outputs image.npz");
    let [net, image] = ["net.npz", "image.npz"]
        .map(|name| npz(std::fs::read(bench.path().join(name)).expect("outputs")));
    assert!(!net.is_empty() && net == image);
    bench.refused_with(&["image check net.hdi -c port.json | net.hdi: header: caps is 2, expected bits that edge_dma has, of 0"]);
    // Nothing moves while an array without a DMA works, and a file of a program has no memory of a host.
    for line in [
        "compile m.json -c port.json --whole --image net.hdi",
        "compile m.json -c c.json --whole -o p.json --image net.hdi",
    ] {
        bench.done(line);
        let info = bench.json("image info net.hdi --json");
        assert_eq!(info["program_loads"], 0, "{line}");
        assert!(info["loaded_words"].as_u64() > Some(1792), "{line}: {info}");
    }
}

#[test]
fn a_layer_of_the_host_is_named_with_its_kind() {
    let bench = bench("segmentation");
    bench.write("tflite.json", TFLITE);
    let run = bench.heddle("compile net.tflite -c tflite.json --whole --image net.hdi");
    assert_eq!(run.code, Some(2), "{}", run.stdout);
    assert!(
        run.stderr.contains(" of kind ") && run.stderr.contains(" runs on the host"),
        "{}",
        run.stderr
    );
    assert!(!bench.path().join("net.hdi").exists());
}
