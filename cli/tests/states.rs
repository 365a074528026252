//! Networks that keep variables from one image to the next, on the golden machine and on Verilog.

use crate::arrays::{Arrays, archive, npz};
use crate::bench::{Bench, CONFIG};
use crate::import::{DATA, npy};

const FRAMES: usize = 10;
const FRAME: usize = 8;

/// A folder with a network of the importer's tests as `net.tflite`, the tiny preset, and all frames as `in.npy`; the frames, and
/// what the reference kernels made of them.
fn bench(name: &str) -> (Bench, Vec<i8>, Vec<u8>) {
    let mut arrays = npz(std::fs::read(format!("{DATA}/states.npz")).unwrap());
    let mut array = |entry: &str| arrays.remove(&format!("{name}/{entry}")).unwrap().1;
    let bench = Bench::new(&[("c.json", CONFIG)]);
    bench.write("net.tflite", array("model"));
    let frames: Vec<i8> = array("input0").iter().map(|&byte| byte as i8).collect();
    assert_eq!(frames.len(), FRAMES * FRAME);
    bench.write("in.npy", npy("|i1", &frames));
    (bench, frames, array("output0"))
}

/// What a command writes as `out.npz`.
#[track_caller]
fn outputs(bench: &Bench, line: &str) -> Arrays {
    let run = bench.simulate(&format!("{line} --outputs out.npz"));
    assert_eq!(run.code, Some(0), "{line}: {}{}", run.stdout, run.stderr);
    npz(std::fs::read(bench.path().join("out.npz")).unwrap())
}

#[test]
fn ten_frames_are_those_of_the_reference_on_both_machines() {
    for name in ["streaming", "delay", "read_after"] {
        let (bench, _, expected) = bench(name);
        for command in ["sim", "cosim"] {
            let line = format!("{command} -c c.json -m net.tflite --inputs in.npy");
            let made = outputs(&bench, &line);
            let names: Vec<&str> = made.keys().map(String::as_str).collect();
            let (own, of): (&[&str], &str) = match name {
                "streaming" => (&["softmax"], "softmax"),
                "delay" => (&["output"], "output"),
                _ => (&["both", "output"], "output"),
            };
            assert_eq!(names, own, "{name}, {command}");
            assert!(made[of].1 == expected, "{name}, {command}");
        }
    }
}

#[test]
fn tensors_of_variables_are_shown_with_all_others() {
    let (bench, _, _) = bench("streaming");
    let made = outputs(
        &bench,
        "sim -c c.json -m net.tflite --inputs in.npy --tensors",
    );
    let size = |name: &str| made[name].1.len();
    assert_eq!(size("stream1/kept"), FRAMES * 4 * FRAME);
    assert_eq!(size("stream1/before"), FRAMES * 4 * FRAME);
    // What a frame finds is what the one before has left.
    let (before, kept) = (&made["stream1/before"].1, &made["stream1/kept"].1);
    assert!(before[4 * FRAME..] == kept[..before.len() - 4 * FRAME]);
}

#[test]
fn two_calls_of_five_frames_are_one_of_ten() {
    let (bench, frames, expected) = bench("streaming");
    for command in ["sim", "cosim"] {
        let mut made = Vec::new();
        for half in frames.chunks(5 * FRAME) {
            bench.write("half.npy", npy("|i1", half));
            let line = format!("{command} -c c.json -m net.tflite --inputs half.npy --state s.npz");
            made.extend(outputs(&bench, &line)["softmax"].1.clone());
        }
        assert!(made == expected, "{command}");
        let kept = npz(std::fs::read(bench.path().join("s.npz")).unwrap());
        let names: Vec<&str> = kept.keys().map(String::as_str).collect();
        assert_eq!(names, ["stream1/before", "stream2/before"]);
        assert!(
            kept["stream1/before"].0.contains("(1, 4, 1, 8,)"),
            "{kept:?}"
        );
        let last: Vec<u8> = frames[6 * FRAME..].iter().map(|&byte| byte as u8).collect();
        assert!(kept["stream1/before"].1 == last, "{command}");
        std::fs::remove_file(bench.path().join("s.npz")).unwrap();
    }
}

#[test]
fn a_network_file_keeps_the_same() {
    let (bench, _, expected) = bench("streaming");
    bench.done("import net.tflite -o net.json --inputs in.npy");
    let mut found: serde_json::Value = serde_json::from_str(&bench.read("net.json")).unwrap();
    assert_eq!(found["states"].as_array().map(Vec::len), Some(2));
    let made = outputs(&bench, "sim -c c.json -m net.json");
    assert!(made["softmax"].1 == expected);
    bench.done("compile net.json -c c.json -o p.json --whole");
    let made = outputs(&bench, "cosim -c c.json -m net.json -p p.json");
    assert!(made["softmax"].1 == expected);
    found["states"][0]["output"] = "conv1/Relu".into();
    bench.write("bad.json", found.to_string());
    let run = bench.heddle("sim -c c.json -m bad.json");
    assert_eq!(run.code, Some(2));
    assert!(
        run.stderr.contains("states[0].output is \"conv1/Relu\""),
        "{}",
        run.stderr
    );
}

#[test]
fn what_cannot_be_kept_is_refused() {
    let (bench, _, _) = bench("streaming");
    let line = "sim -c c.json -m net.tflite --inputs in.npy";
    for (file, expected) in [
        (
            archive(&[("stream1/before", npy("|i1", &[0; 32]))]),
            "array \"stream2/before\": ",
        ),
        (
            archive(&[("stream1/before", npy("|i1", &[0; 64]))]),
            "array \"stream1/before\" holds 2 images, expected 1: what was kept last",
        ),
        (
            archive(&[("stream1/before", npy("|i1", &[0; 31]))]),
            "array \"stream1/before\" holds 31 elements, expected a multiple of 32",
        ),
        (b"PK\x03\x04".to_vec(), "is no .npz file: "),
        (b"other".to_vec(), "is no .npz file, it is left alone"),
    ] {
        bench.write("s.npz", file);
        let run = bench.heddle(&format!("{line} --state s.npz"));
        assert_eq!(run.code, Some(2), "{expected}");
        assert!(run.stderr.contains(expected), "{}", run.stderr);
    }
    let run = bench.heddle(&format!("{line} --state o.npz --outputs o.npz"));
    assert_eq!(run.code, Some(2));
    assert!(
        run.stderr.contains("--state is o.npz, as --outputs is"),
        "{}",
        run.stderr
    );
    let run = bench.heddle("compile net.tflite -c c.json --image net.hdi");
    assert_eq!(run.code, Some(2));
    assert!(
        run.stderr
            .contains("--image: net keeps stream1/before from one image to the next"),
        "{}",
        run.stderr
    );
    let keyword = std::fs::read(format!("{DATA}/keyword.tflite")).unwrap();
    bench.write("net.tflite", keyword);
    let run = bench.heddle("sim -c c.json -m net.tflite --state s.npz");
    assert_eq!(run.code, Some(2));
    assert!(
        run.stderr
            .contains("net keeps nothing from one image to the next"),
        "{}",
        run.stderr
    );
}

/// The host's part in Python keeps variables as the golden machine does.
#[test]
fn the_layout_in_python_keeps_what_the_machine_does() {
    let (bench, _, expected) = bench("streaming");
    bench.done("import net.tflite -o net.json --inputs in.npy");
    bench.done("compile net.json -c c.json -o p.json");
    let script = "\
import json, heddle_layout
network, program = (json.load(open(name)) for name in ('net.json', 'p.json'))
host, program = heddle_layout.Host(network, program['program']), program['program']
for image in network['test']['images']:
    made = [host.given(image, 0)]
    for index, layer in enumerate(program['layers']):
        made.append(host.run(index, image, [made[source] for source in layer['inputs']]))
    host.keep(made)
    print(*(byte & 255 for byte in made[-1]))
";
    bench.write("run.py", script);
    let mut command = std::process::Command::new("python3");
    let found = command
        .arg("run.py")
        .current_dir(bench.path())
        .output()
        .unwrap();
    assert!(
        found.status.success(),
        "{}",
        String::from_utf8_lossy(&found.stderr)
    );
    let made = String::from_utf8(found.stdout).unwrap();
    let made: Vec<u8> = made
        .split_whitespace()
        .map(|byte| byte.parse().unwrap())
        .collect();
    assert!(made == expected);
}
