//! Networks of matrices through the binary: compiled from a file in storage, dumped, simulated.

use crate::bench::{Bench, CONFIG};
use serde_json::{Value, json};

const ATTENTION: &str = include_str!("../../models/attention.json");

/// A product, its transpose, and the product of that with the input, with two images.
fn chain() -> String {
    let weights: Vec<i32> = (0..20).map(|i| (i * 31 + 7) % 27 - 13).collect();
    let image = |seed: i32| -> Vec<i32> { (0..24).map(|i| (i * seed) % 201 - 100).collect() };
    let network = json!({
        "format": "heddle-network-1", "name": "chain",
        "input": {"channels": 1, "height": 6, "width": 4, "zero_point": 0, "scale": 1.0},
        "layers": [
            {"kind": "matmul", "name": "first", "output_features": 5, "weights": weights,
             "multiplier": [1_300_000_000], "shift": [-4]},
            {"kind": "transpose", "name": "turned"},
            {"kind": "matmul", "name": "second", "inputs": ["turned", "input"],
             "multiplier": [1_200_000_000], "shift": [-5]},
        ],
        "test": {"images": [image(37), image(91)], "labels": [0, 0]},
    });
    network.to_string()
}

/// The preset of 8 x 8 with a larger program memory.
fn edge() -> String {
    let text = include_str!("../../configs/edge.json");
    assert!(text.contains(r#""program": { "words": 1024 }"#));
    text.replace(r#""words": 1024"#, r#""words": 4096"#)
}

fn files() -> Bench {
    let (chain, edge) = (chain(), edge());
    Bench::new(&[
        ("tiny.json", CONFIG),
        ("edge.json", &edge),
        ("chain.json", &chain),
        ("attention.json", ATTENTION),
    ])
}

/// The compiler, started from storage as a process on a network in storage, gives load, identity multiply, store
/// and result; its program file runs.
#[proves("PET-41", "PET-42", "PET-43", "PET-77")]
#[test]
fn the_compiler_started_from_storage() {
    let bench = files();
    let network = json!({
        "format": "heddle-network-1", "name": "turned",
        "input": {"channels": 1, "height": 4, "width": 4, "zero_point": 0, "scale": 1.0},
        "layers": [{"kind": "transpose", "name": "t"}],
        "test": {"images": [(1..17).collect::<Vec<i32>>()], "labels": [15]},
    });
    bench.write("turned.json", network.to_string());
    let compile = "compile turned.json -c tiny.json";
    let asm = bench.done(&format!("{compile} --dump asm"));
    let lines: Vec<&str> = asm.lines().skip(1).collect();
    let [drain, load, multiply, send, halt] = lines[..] else {
        panic!("{asm}");
    };
    // Four columns to four partitions, from the results buffer, in which the products stay.
    for (line, begin, part) in [
        (drain, "drain columns=4 ", ""),
        (load, "load_weights rows=4 ", ""),
        (
            multiply,
            "matmul rows=4 first bank=",
            "[row 1 base 2048: 0..4 step 1]",
        ),
        (send, "matmul rows=4 last bank=", "macs=0 "),
        (send, "matmul", "[row 2 base 0: 0..4 step 1]"),
        (halt, "halt", ""),
    ] {
        assert!(line.starts_with(begin) && line.contains(part), "{line}");
    }
    bench.done(&format!("{compile} -o p.json"));
    let found = bench.json("sim -c tiny.json -m turned.json -p p.json --json");
    assert_eq!(found["exact"], true);
    assert_eq!(found["report"]["correct"], 1);
}

#[proves("PET-42")]
#[test]
fn no_stage_knows_a_transpose_instruction() {
    let bench = files();
    let graph = bench.done("compile attention.json -c edge.json --dump graph");
    let line = "   4  machine  key_turned: transpose 0 1 3 2 from key -> 1 x 8 x 12";
    assert!(graph.lines().any(|found| found == line), "{graph}");
    for options in ["", "--drain direct", "--identity built", "--fold --whole"] {
        let dump = |stage| {
            let compile = "compile attention.json -c edge.json --dump";
            bench.done(&format!("{compile} {stage} {options}"))
        };
        let known = ["load_weights", "matmul", "drain", "halt", "#"];
        for line in dump("asm").lines() {
            let opcode = line.split(' ').next().unwrap_or_default();
            assert!(known.contains(&opcode), "{options}: {line}");
        }
        let schedule = dump("schedule");
        assert!(schedule.starts_with("layer query\n"), "{schedule}");
        let turned = schedule.contains("layer key_turned\n");
        assert_eq!(!turned, options.contains("--fold"), "{schedule}");
    }
}

#[proves("PET-40")]
#[test]
fn the_attention_gives_the_answers_of_plain_loops() {
    let bench = files();
    let mut cycles = Vec::new();
    for options in ["", "--drain direct", "--identity built", "--fold"] {
        let run = "sim -c edge.json -m attention.json --json --whole";
        let found = bench.json(&format!("{run} {options}"));
        assert_eq!(found["exact"], true, "{options}");
        // The labels are those of models/make_attention.py.
        let report = &found["report"];
        assert_eq!(report["correct"], 4, "{options}");
        cycles.push(report["total"]["cycles"].as_u64().expect("a number"));
    }
    assert!(
        cycles[1] < cycles[0] && cycles[0] < cycles[2] && cycles[3] < cycles[1],
        "{cycles:?}"
    );
}

#[proves("PET-41")]
#[test]
fn a_program_of_matrices_runs_on_the_verilog() {
    let bench = files();
    for options in ["", "--whole --drain direct"] {
        let compile = "compile chain.json -c tiny.json -o p.json --json";
        let made = bench.json(&format!("{compile} {options}"));
        let runs = made["runs"].as_array().expect("a list").iter();
        let cycles: u64 = runs.filter_map(|run| run["cycles"].as_u64()).sum();
        let run = bench.simulate("cosim -c tiny.json -m chain.json -p p.json --json");
        assert_eq!(run.code, Some(0), "{}", run.stdout);
        let found: Value = serde_json::from_str(&run.stdout).expect("JSON");
        assert_eq!(found["exact"], true);
        assert_eq!(found["report"]["total"]["cycles"], cycles);
    }
}

#[test]
fn products_whose_words_do_not_fit_are_cut_into_segments() {
    let bench = files();
    let found = bench.json("compile attention.json -c tiny.json -o p.json --json");
    let segments = found["segments"].as_array().expect("segments");
    assert!(segments.len() > 1, "{found}");
    let layers = found["layers"].as_array().expect("layers");
    assert!(
        layers.iter().all(|layer| layer["runs_on"] == "array"),
        "{found}"
    );
}

#[test]
fn bad_input_is_refused_with_code_2() {
    let bench = files();
    let rows = CONFIG.replace("\"rows\": 3", "\"rows\": 2");
    assert_ne!(rows, CONFIG);
    bench.write("rows.json", rows);
    bench.refused_with(&[
        "compile chain.json -c rows.json -o p.json | traversal.rows gives 2 rows, sums that are stored before they \
         drain need 3; sums that drain at once (--drain direct) need 2",
        "compile chain.json -c tiny.json -o p.json --drain later | invalid value 'later' for '--drain <FORM>'",
        "sim -c tiny.json -m chain.json -p p.json --fold | cannot be used with",
        "advise --slices -c tiny.json -m chain.json --weights | --weights is given for chain, a network of matrices",
    ]);
    // A matrix that lies where it cannot.
    bench.done("compile chain.json -c tiny.json -o p.json");
    let text = bench.read("p.json");
    assert!(text.contains("\"turned\": false"), "{text}");
    let other = text.replacen("\"turned\": false", "\"turned\": true", 1);
    bench.write("p.json", other);
    bench.refused_with(&[
        "sim -c tiny.json -m chain.json -p p.json | the file was changed or damaged",
    ]);
}
