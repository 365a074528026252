//! `--inputs` and `--outputs`: arrays of NumPy.

use std::collections::BTreeMap;
use std::io::{Cursor, Read, Write};

use serde_json::Value;

use crate::bench::{Bench, CONFIG, MODEL};
use heddle_import::planes;

use crate::import::{DATA, bench, bench_of, npy};

/// Header and data of each array of a .npz file.
pub type Arrays = BTreeMap<String, (String, Vec<u8>)>;

/// Reads a .npz file.
pub fn npz(file: Vec<u8>) -> Arrays {
    let mut archive = zip::ZipArchive::new(Cursor::new(file)).expect("an archive");
    let members = 0..archive.len();
    members
        .map(|index| {
            let mut member = archive.by_index(index).expect("a member");
            let name = member.name().strip_suffix(".npy").expect("an array");
            let name = name.to_string();
            let mut bytes = Vec::new();
            member.read_to_end(&mut bytes).expect("its bytes");
            let end = bytes
                .iter()
                .position(|&byte| byte == b'\n')
                .expect("a header");
            let data = bytes.split_off(end + 1);
            (
                name,
                (String::from_utf8_lossy(&bytes[10..]).into_owned(), data),
            )
        })
        .collect()
}

/// A .npz file of .npy files.
pub fn archive(arrays: &[(&str, Vec<u8>)]) -> Vec<u8> {
    let mut archive = zip::ZipWriter::new(Cursor::new(Vec::new()));
    for (name, array) in arrays {
        let options = zip::write::SimpleFileOptions::default();
        archive.start_file(format!("{name}.npy"), options).unwrap();
        archive.write_all(array).unwrap();
    }
    archive.finish().unwrap().into_inner()
}

/// What the reference kernels gave for the network of the importer's tests, by the name of the tensor.
pub fn recorded(bench: &Bench, name: &str) -> BTreeMap<String, Vec<u8>> {
    let arrays = npz(std::fs::read(format!("{DATA}/{name}.npz")).expect("arrays"));
    let rows = bench.json("import net.tflite --json");
    let rows = rows["operators"].as_array().expect("a list");
    let layers = rows.iter().filter(|row| row["layer"].is_string());
    let of = |row: &Value| {
        let (_, data) = &arrays[&format!("tensor/{}", row["tensor_index"])];
        let name = row["tensor"].as_str().expect("a name").to_string();
        (name, data.clone())
    };
    layers.map(of).collect()
}

/// Both machines write the bytes that the reference kernels gave, in their order.
#[test]
fn outputs_are_the_arrays_of_the_reference_kernels() {
    let bench = bench("keyword");
    let expected = recorded(&bench, "keyword");
    assert_eq!(expected.len(), 6);
    for command in ["sim", "cosim"] {
        let run = |options: &str| {
            let line = format!(
                "{command} -c c.json -m net.tflite --inputs in.npy --outputs out.npz {options}"
            );
            let run = bench.simulate(&line);
            assert_eq!(run.code, Some(0), "{}", run.stderr);
            npz(std::fs::read(bench.path().join("out.npz")).expect("a file"))
        };
        let all = run("--tensors");
        let names: Vec<&String> = all.keys().collect();
        assert_eq!(names, expected.keys().collect::<Vec<_>>(), "{command}");
        for (name, (header, data)) in &all {
            assert!(header.contains("'|i1'"), "{header}");
            assert!(*data == expected[name], "{command}: {name}");
        }
        assert!(
            all["conv1/Relu"].0.contains("'shape': (1, 13, 5, 8,)"),
            "{all:?}"
        );
        let last = run("");
        assert_eq!(last.keys().collect::<Vec<_>>(), ["softmax"], "{command}");
        assert_eq!(last["softmax"], all["softmax"]);
        // One run of the machine and one of the host.
        let whole = run("--tensors --whole");
        let names: Vec<&String> = whole.keys().collect();
        assert_eq!(names, ["dense/Linear", "softmax"], "{command}");
        assert!(whole.iter().all(|(name, array)| *array == all[name]));
    }
}

/// A network of several outputs runs in as many runs, and each is compared and kept.
#[test]
fn each_output_of_a_network_is_an_array() {
    let bench = bench("keyword");
    bench.done("import net.tflite -o net.json --inputs in.npy");
    let text = std::fs::read_to_string(bench.path().join("net.json")).expect("a network");
    let mut network: Value = serde_json::from_str(&text).expect("JSON");
    let name = |layer: usize| network["layers"][layer]["name"].clone();
    network["outputs"] = vec![name(1), name(5)].into();
    bench.write("net.json", network.to_string().as_bytes());
    for command in ["sim", "cosim"] {
        let line = format!("{command} -c c.json -m net.json --outputs");
        bench.done(&format!("{line} all.npz --tensors"));
        bench.done(&format!("{line} outputs.npz --whole"));
        let read = |name| npz(std::fs::read(bench.path().join(name)).expect("a file"));
        let (all, found) = (read("all.npz"), read("outputs.npz"));
        assert_eq!(found.len(), 2, "{command}: {found:?}");
        assert!(found.iter().all(|(name, array)| *array == all[name]));
    }
}

#[test]
fn bytes_of_an_onnx_file_have_its_type() {
    let bench = bench_of("onnx/flattened", "onnx");
    bench.done("sim -c c.json -m net.onnx --inputs in.npy --outputs out.npz --tensors");
    let found = npz(std::fs::read(bench.path().join("out.npz")).expect("a file"));
    let meant = npz(std::fs::read(format!("{DATA}/onnx/flattened.npz")).expect("arrays"));
    assert_eq!(found.len(), 4);
    for (name, (header, data)) in &found {
        assert!(header.contains("'|u1'"), "{header}");
        let (_, signed) = &meant[&format!("layer/{name}")];
        let moved: Vec<u8> = signed.iter().map(|byte| byte ^ 0x80).collect();
        assert!(*data == moved, "{name}");
    }
}

/// One image in every form that is read.
#[test]
fn inputs_of_every_type_are_the_same_image() {
    let bench = bench("keyword");
    bench.done("import net.tflite -o net.json --inputs in.npy");
    let network: Value = serde_json::from_str(&bench.read("net.json")).expect("JSON");
    let number = |key: &str| network["input"][key].as_f64().expect("a number");
    let image = std::fs::read(bench.path().join("in.npy")).expect("an image");
    let image = image[image.len() - 250..].to_vec();
    let floats = image.iter().flat_map(|&byte| {
        let real = (f64::from(byte as i8) - number("zero_point")) * number("scale");
        (real as f32).to_le_bytes()
    });
    let signed: Vec<i8> = image.iter().map(|&byte| byte as i8).collect();
    let bytes = npy("|i1", &signed);
    let mut floats_file = npy("<f4", &[0; 250]);
    floats_file.truncate(floats_file.len() - 250);
    floats_file.extend(floats);
    bench.write("floats.npy", &floats_file);
    bench.write("only.npz", archive(&[("any", bytes.clone())]));
    bench.write(
        "named.npz",
        archive(&[("other", npy("|i1", &[1])), ("input", floats_file)]),
    );
    let name = "serving_default_input:0";
    bench.write(
        "file.npz",
        archive(&[(name, bytes), ("other", npy("|i1", &[1]))]),
    );
    for file in ["floats.npy", "only.npz", "named.npz"] {
        bench.done(&format!("import net.tflite -o {file}.json --inputs {file}"));
        assert!(
            bench.read(&format!("{file}.json")) == bench.read("net.json"),
            "{file}"
        );
    }
    bench.write(
        "two.npz",
        archive(&[("a", npy("|i1", &[1])), ("b", npy("|i1", &[1]))]),
    );
    bench.write("broken.npz", b"PK\x03\x04");
    bench.write("bytes.npy", npy("|u1", &[0; 250]));
    let file = String::from_utf8(npy("|i1", &[0; 250]).split_off(6)).expect("zeros");
    let reshaped = file.replace("(250,)", "(5,50)");
    bench.write(
        "reshaped.npy",
        [&b"\x93NUMPY"[..], reshaped.as_bytes()].concat(),
    );
    bench.refused_with(&[
        "sim -c c.json -m net.tflite --inputs two.npz | two.npz: holds 2 arrays, expected one, or one named \"",
        "sim -c c.json -m net.tflite --inputs . | .: is a folder, expected a data file",
        "sim -c c.json -m net.tflite --inputs broken.npz | broken.npz: is no .npz file",
        "sim -c c.json -m net.tflite --inputs bytes.npy | bytes.npy: has elements of type uint8, expected int8 or float32",
        "sim -c c.json -m net.tflite --inputs reshaped.npy | reshaped.npy: has the shape [5, 50], expected images of 25 x 10 x 1, or of 250 elements",
    ]);
}

/// A network of two inputs and what the reference kernel gave for an image, from the importer's models of one operator.
pub fn bench_of_two(model: &str) -> (Bench, [Vec<u8>; 3]) {
    let (bench, mut take) = bench_of_operator("operators.npz", model, "tflite");
    let [a, b] = ["input0", "input1"].map(|name| file(take(name)));
    (bench, [a, b, take("output").1])
}

/// A model of one operator, and what gives its arrays.
pub fn bench_of_operator(
    archive: &str,
    model: &str,
    format: &str,
) -> (Bench, impl FnMut(&str) -> (String, Vec<u8>)) {
    let mut arrays = npz(std::fs::read(format!("{DATA}/{archive}")).expect("arrays"));
    let model = model.to_string();
    let mut take = move |name: &str| arrays.remove(&format!("{model}/{name}")).expect(name);
    let bench = Bench::new(&[("c.json", CONFIG)]);
    bench.write(&format!("net.{format}"), take("model").1);
    (bench, take)
}

/// A .npy file of a header and its data.
pub fn file((header, data): (String, Vec<u8>)) -> Vec<u8> {
    let length = (header.len() as u16).to_le_bytes();
    [b"\x93NUMPY\x01\x00", &length[..], header.as_bytes(), &data].concat()
}

/// ARG_MAX makes numbers of 4 bytes, which stay together whatever dimension they are places of.
#[test]
fn places_are_int32_in_the_order_of_the_file() {
    for (model, shape) in [
        ("arg_max_ties", "(1, 8,)"),
        ("arg_max_of_planes", "(1, 4, 4,)"),
        ("arg_max_of_height", "(1, 3, 2,)"),
    ] {
        let (bench, mut take) = bench_of_operator("operators.npz", model, "tflite");
        bench.write("in.npy", file(take("input0")));
        let expected = take("output").1;
        for command in ["sim", "cosim"] {
            bench.done(&format!(
                "{command} -c c.json -m net.tflite --inputs in.npy --outputs out.npz"
            ));
            let found = npz(std::fs::read(bench.path().join("out.npz")).expect("a file"));
            let (header, data) = &found["output0"];
            assert!(
                header.contains("'<i4'") && header.contains(shape),
                "{header}"
            );
            assert!(*data == expected, "{command}: {model}: {data:?}");
        }
    }
    // Bytes of this file have no sign, places have one. The recorded bytes are planes.
    let name = "qdq_arg_max_channels_uint8";
    let (bench, mut take) = bench_of_operator("onnx/operators.npz", name, "onnx");
    bench.write("in.npy", file(take("input")));
    bench.done("sim -c c.json -m net.onnx --inputs in.npy --outputs out.npz");
    let found = npz(std::fs::read(bench.path().join("out.npz")).expect("a file"));
    let planes = take("layer/best").1;
    let expected: Vec<u8> = (0..24).map(|at| planes[at % 4 * 6 + at / 4]).collect();
    assert!(found["best"].1 == expected, "{found:?}");
    let (bench, mut take) = bench_of_operator("operators.npz", "arg_max_of_one", "tflite");
    bench.write("places.npy", file(take("output")));
    bench.refused_with(&[
        "sim -c c.json -m net.tflite --inputs places.npy | places.npy: has elements of type int32, expected int8 or float32",
    ]);
}

/// Inputs of 3 x 4 x 2 and 3 x 4 x 5, of which the output is 3 x 4 x 7.
#[test]
fn each_input_of_a_network_is_an_array() {
    let (bench, [a, b, expected]) = bench_of_two("concatenation");
    bench.write(
        "in.npz",
        archive(&[("input1", b.clone()), ("input0", a.clone())]),
    );
    let outputs = |run: &str| {
        bench.done(&format!("{run} --outputs out.npz"));
        let found = npz(std::fs::read(bench.path().join("out.npz")).expect("a file"));
        assert_eq!(found.len(), 1, "{found:?}");
        found.into_values().next().expect("an array").1
    };
    for command in ["sim", "cosim"] {
        let found = outputs(&format!(
            "{command} -c c.json -m net.tflite --inputs in.npz"
        ));
        assert!(found == expected, "{command}");
    }
    // A network file has planes.
    let planes = |bytes: &[u8], channels| {
        let bytes: Vec<i8> = bytes.iter().map(|&byte| byte as i8).collect();
        planes(&bytes, channels, 12)
    };
    let expected: Vec<u8> = planes(&expected, 7)
        .iter()
        .map(|&byte| byte as u8)
        .collect();
    bench.done("import net.tflite -o net.json --inputs in.npz");
    assert!(outputs("sim -c c.json -m net.json") == expected);
    let [c, d] = [(&a, 2), (&b, 5)].map(|(file, channels)| {
        let data = planes(&file[file.len() - 12 * channels..], channels);
        npy("|i1", &data)
    });
    bench.write("planes.npz", archive(&[("input", c), ("input1", d)]));
    assert!(outputs("sim -c c.json -m net.json --inputs planes.npz") == expected);

    bench.write("a.npy", &a);
    bench.write(
        "a.npz",
        archive(&[("input0", a.clone()), ("input", a.clone())]),
    );
    let two = npy("|i1", &[0; 120]);
    bench.write(
        "uneven.npz",
        archive(&[("input0", a.clone()), ("input1", two)]),
    );
    bench.write("swapped.npz", archive(&[("input0", b), ("input1", a)]));
    let rows = [
        "a.npy | a.npy: is one array, expected a .npz file with one for each input: \"input0\", \"input1\"",
        "a.npz | a.npz: holds no array \"input1\", expected one for each input: \"input0\", \"input1\"",
        "uneven.npz | uneven.npz: array \"input1\" holds 2 images, expected 1 as array \"input0\" does",
        "swapped.npz | swapped.npz: array \"input0\" has the shape [1, 3, 4, 5], expected images of 3 x 4 x 2, or of 24 elements",
    ];
    for command in [
        "sim -c c.json -m net.tflite",
        "cosim -c c.json -m net.tflite",
        "import net.tflite -o other.json",
    ] {
        bench.refusals(&format!("{command} --inputs"), &rows);
    }
}

/// Python cuts the name of an array at a NUL.
#[test]
fn names_with_control_characters_are_no_names_of_arrays() {
    let bench = bench("keyword");
    let mut model = std::fs::read(bench.path().join("net.tflite")).expect("a network");
    let name = b"softmax";
    let at = model.windows(name.len()).rposition(|part| part == name);
    model[at.expect("a tensor of that name") + 4] = 0;
    bench.write("net.tflite", model);
    bench.done("sim -c c.json -m net.tflite --inputs in.npy --outputs out.npz");
    let found = npz(std::fs::read(bench.path().join("out.npz")).expect("a file"));
    assert_eq!(found.keys().collect::<Vec<_>>(), ["layer5"]);
}

#[test]
fn files_of_outputs_replace_nothing_else() {
    let bench = Bench::new(&[("c.json", CONFIG), ("m.json", MODEL)]);
    bench.refused_with(&[
        "sim -c c.json -m m.json --tensors | --outputs",
        "sim -c c.json -m m.json --outputs m.json | m.json: is no .npz file, it is left alone",
        "cosim -c c.json -m m.json --outputs m.json | m.json: is no .npz file, it is left alone",
    ]);
    for _ in 0..2 {
        bench.done("sim -c c.json -m m.json --outputs out.npz");
    }
    let found = npz(std::fs::read(bench.path().join("out.npz")).expect("a file"));
    let shapes: Vec<&(String, Vec<u8>)> = found.values().collect();
    assert_eq!((shapes.len(), shapes[0].1.len()), (1, 4 * 3), "{found:?}");
}
