//! What the stages of the compiler make: graph, schedule, instructions that wait where they must.

use heddle_arch::host::Counter;
use heddle_arch::isa::{Instruction, Wait, disassemble};
use heddle_arch::params::{Params, Post};
use heddle_arch::requantise::Scale;
use heddle_compiler::matrix::{DrainForm, MatrixPlace, MatrixShape, Transpose};
use heddle_compiler::{Graph, Place, Reason, Schedule, Unit};
use heddle_network::LayerKind;
use heddle_sim::machine::Machine;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

use crate::support::{compile, compile_with};
use crate::support::{model, preset, random_network, random_size, refusal, whole};

#[proves("PET-44")]
#[test]
fn the_graph_shows_layers_nodes_connections_and_host_steps() {
    let network = model("mobile");
    let graph = Graph::of(&network);
    let hosts: Vec<&str> = (graph.nodes.iter().filter(|n| n.place == Place::Host))
        .map(|node| node.work.as_str())
        .collect();
    assert_eq!(hosts, ["write input", "read output"]);
    let layers = graph.nodes.iter().filter_map(|node| node.layer);
    assert!(layers.eq(0..network.layers.len()));
    let add = graph.nodes.iter().find(|node| node.name == "add1").unwrap();
    let from = [0, 1].map(|input| graph.nodes[add.inputs[input]].name.as_str());
    assert_eq!((from, add.inputs.len()), (["point1", "conv1"], 2));
    let text = graph.text();
    for line in [
        "   0  host     input: write input -> 1 x 8 x 8",
        "   2  machine  depth1: conv2d 3x3 groups 16 from conv1 -> 16 x 8 x 8",
        "   4  machine  add1: weighted_sum from point1, conv1 -> 16 x 8 x 8",
        "  12  host     output: read output from fc -> 10 x 1 x 1",
    ] {
        assert!(text.lines().any(|found| found == line), "{line}\n{text}");
    }
    let dot = graph.dot();
    assert!(dot.starts_with("digraph \"mobile\" {"), "{dot}");
    for line in [
        "  n0 [label=\"input\\nwrite input\", style=dashed];",
        "  n3 -> n4 [label=\"16 x 8 x 8\"];",
        "  n1 -> n4 [label=\"16 x 8 x 8\"];",
    ] {
        assert!(dot.lines().any(|found| found == line), "{line}\n{dot}");
    }
}

#[test]
fn names_cannot_break_out_of_the_graph() {
    let mut network = model("tiny");
    network.layers[0].name = "a\"]; \\ \n x".to_string();
    let dot = Graph::of(&network).dot();
    assert!(dot.contains(r#""a\"]; \\ \n x\nconv2d"#), "{dot}");
}

#[proves("PET-45")]
#[test]
fn steps_follow_their_dependencies_and_fit_the_local_memory() {
    let mut checked = 0;
    for seed in 0..60 {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let params = random_size(&mut rng).params();
        let network = random_network(&mut rng, 5, &Post::default());
        let Ok(program) = compile(&network, &params) else {
            continue;
        };
        checked += 1;
        let partition = params.bank_bytes() * params.state_buffer.banks;
        let steps = &program.schedule.steps;
        for (index, step) in steps.iter().enumerate() {
            assert!(step.bytes.end <= partition, "seed {seed}, step {index}");
            assert!(
                step.after.iter().all(|d| d.on < index),
                "seed {seed}, step {index}"
            );
        }
        // Every product that reads a tensor comes after all drains that make it.
        for (index, layer) in program.layers.iter().enumerate() {
            let of = |layer: usize, unit| {
                let steps = steps.iter().enumerate();
                steps.filter(move |(_, step)| step.layer == layer && step.unit == unit)
            };
            for &tensor in layer.inputs.iter().filter(|&&tensor| tensor > 0) {
                for (product, step) in of(index, Unit::Stream) {
                    for (drain, made) in of(tensor - 1, Unit::Drain) {
                        let reads =
                            made.bytes.start < step.bytes.end && step.bytes.start < made.bytes.end;
                        let known = step
                            .after
                            .iter()
                            .any(|d| (d.on, d.reason) == (drain, Reason::Data));
                        assert_eq!(reads, known, "seed {seed}, step {product} after {drain}");
                    }
                }
            }
            // Products use the weights of their own layer.
            for (product, step) in of(index, Unit::Stream) {
                let mut loads = step
                    .after
                    .iter()
                    .filter(|d| d.reason == Reason::Weights)
                    .peekable();
                assert!(loads.peek().is_some(), "seed {seed}, step {product}");
                assert!(
                    loads.all(|d| steps[d.on].layer == index),
                    "seed {seed}, step {product}"
                );
            }
        }
    }
    assert!(checked > 20, "only {checked} networks fit");
}

#[test]
fn the_schedule_of_a_network_is_printed() {
    let network = model("tiny");
    let params = preset("tiny");
    let program = compile(&network, &params).unwrap();
    let text = program.schedule.text();
    let steps = text.lines().filter(|line| !line.starts_with("layer"));
    assert_eq!(steps.count(), program.schedule.steps.len());
    let begin = "layer conv1\n     0  weights  reads ";
    assert!(text.starts_with(begin), "{text}");
    let dot = program.schedule.dot();
    let edge = "  s0 -> s1 [label=\"weights\"];";
    assert!(dot.lines().any(|line| line == edge), "{dot}");
    assert_eq!(Schedule::default().text(), "");
}

#[proves("PET-46")]
#[test]
fn redundant_dependencies_ask_for_no_waiting() {
    let network = model("digits");
    let params = preset("edge");
    let program = compile_with(&network, &params, whole()).unwrap();
    let [run] = &program.runs[..] else {
        panic!("one run");
    };
    // The first product of a layer waits for the last drain of the layer before, unless a drain in front of it has
    // waited already; the other products of the layer find everything there.
    let sync = run.sync;
    let data = program.schedule.steps.iter().flat_map(|step| &step.after);
    let data = data.filter(|d| d.reason == Reason::Data).count();
    assert!(sync.waits < network.layers.len(), "{sync:?}");
    assert!(sync.redundant > 0 && sync.redundant <= data, "{sync:?}");
    assert_eq!(sync.dependencies - sync.kept_by_the_machine, data);
    let steps = program.schedule.steps.iter();
    let all: usize = steps.map(|step| step.after.len()).sum();
    assert_eq!(sync.dependencies, all);
    // The binary is that of the instructions.
    let text = disassemble(&program.once.words).unwrap();
    assert_eq!(text.lines().count(), run.instructions as usize);
}

#[proves("PET-47")]
#[test]
fn the_last_stage_alone_gives_the_same_code() {
    for name in ["tiny", "digits"] {
        let network = model(name);
        let mut params = preset("edge");
        params.post.left_shift = true;
        let program = compile_with(&network, &params, whole()).unwrap();
        // The schedule, taken apart and put together again, without what was known of it.
        let mut parts: Vec<(String, Vec<Instruction>)> = Vec::new();
        for step in &program.schedule.steps {
            let name = &program.schedule.layers[step.layer];
            if parts.last().is_none_or(|(last, _)| last != name) {
                parts.push((name.clone(), Vec::new()));
            }
            let (_, instructions) = parts.last_mut().unwrap();
            instructions.push(step.instruction.clone());
        }
        let (mut instructions, _) = Schedule::of(parts).instructions();
        instructions.push(Instruction::Halt {
            wait: Wait::default(),
        });
        let words: Vec<u32> = instructions.iter().flat_map(Instruction::encode).collect();
        assert_eq!(words, program.once.words, "{name}");
    }
}

/// Runs instructions on a 4 x 4 machine that holds a 4 x 4 matrix at byte 0 and the identity at byte 2048.
fn matrix_at(instructions: &[Instruction], base: u32, params: &Params) -> ([[u8; 4]; 4], u32) {
    let mut machine = Machine::new(params);
    for row in 0..4u32 {
        let mut bytes = [0; 8];
        for (byte, column) in bytes.iter_mut().zip(0..4) {
            *byte = (10 * row + column) as u8;
        }
        machine.write_word(row, 0, bytes);
        let mut bytes = [0; 8];
        bytes[row as usize] = 1;
        machine.write_word(row, 256, bytes);
    }
    for column in 0..4 {
        machine.write_bias(column, 0, 0);
        machine.write_scale(column, 0, Scale::reciprocal(1));
    }
    let halt = Instruction::Halt {
        wait: Wait::default(),
    };
    let words = instructions
        .iter()
        .chain([&halt])
        .flat_map(Instruction::encode);
    machine.write_program(0, &words.collect::<Vec<_>>());
    let counters = machine.run(0, 100_000).unwrap();
    let rows = [0, 1, 2, 3].map(|row| {
        let word = machine.read_word(row, base / 8);
        [word[0], word[1], word[2], word[3]]
    });
    (rows, counters.get(Counter::Cycles))
}

/// Transposes a matrix of 4 x 4; the identity lies at byte 2048.
fn transpose(from: u32, to: u32, params: &Params) -> Vec<Instruction> {
    let place = |base| MatrixPlace::new(MatrixShape { rows: 4, cols: 4 }, base, params);
    let transpose = Transpose {
        source: place(from),
        destination: place(to),
        identity: place(2048),
        tile: 0,
        form: DrainForm::Direct,
    };
    transpose.instructions(params).unwrap()
}

/// Two transposes in a row, the load of the second before its drain: nothing but waiting keeps it from
/// reading what is not there yet.
#[proves("PET-46")]
#[test]
fn a_load_of_results_waits_for_their_drain() {
    let params = preset("tiny");
    let transpose = |from, to| {
        let mut list = transpose(from, to, &params);
        list.swap(0, 1); // the load before the drain
        list
    };
    let parts = vec![
        ("first".to_string(), transpose(0, 64)),
        ("second".to_string(), transpose(64, 128)),
    ];
    let schedule = Schedule::of(parts);
    let (instructions, sync) = schedule.instructions();
    assert_eq!(sync.waits, 1);
    let waits: Vec<bool> = instructions.iter().map(|i| i.wait().drain).collect();
    assert_eq!(waits, [false, false, false, true, false, false]);
    let matrix = [0, 1, 2, 3].map(|row: u8| [0, 1, 2, 3].map(|column: u8| 10 * row + column));
    let (found, cycles) = matrix_at(&instructions, 128, &params);
    assert_eq!(found, matrix);
    // Without the wait the second load reads zeros: the wait is there for a reason.
    let hasty: Vec<Instruction> = (schedule.steps.iter())
        .map(|step| {
            let mut words = step.instruction.encode();
            words[0] &= 0xffff;
            Instruction::decode(&words).unwrap().0
        })
        .collect();
    let (wrong, fewer) = matrix_at(&hasty, 128, &params);
    assert_ne!(wrong, matrix);
    assert!(fewer < cycles);
}

/// Weights that are loaded for a later product lie where an earlier product drains to.
#[proves("PET-46")]
#[test]
fn a_drain_waits_for_a_load_that_it_writes_over() {
    let params = preset("tiny");
    let [first, second] = [0, 64].map(|from| transpose(from, from + 64, &params));
    // drain, load, load of the second, product, drain of the second, product
    let list = [
        &first[1], &second[1], &first[0], &first[2], &second[0], &second[2],
    ];
    let list = list.map(Clone::clone).to_vec();
    let schedule = Schedule::of(vec![("both".to_string(), list)]);
    let (instructions, sync) = schedule.instructions();
    assert_eq!(sync.waits, 1);
    assert!(instructions[2].wait().weights, "{:?}", instructions[2]);
}

#[proves("PET-54")]
#[test]
fn a_product_and_a_copy_that_share_words_wait_for_each_other() {
    let text = "load_weights rows=4 level=0 [row 0 base 2048]\n\
                copy rows=4 distance=1024 [row 0 base 0: 0..64 step 8]\n\
                matmul rows=4 first last bank=0 level=0 threshold=127 macs=16 [row 1 base 1032: 0..8 step 1]\n\
                copy rows=4 distance=65024 [row 0 base 1600: 0..16 step 8]\n\
                copy rows=4 distance=256 [row 0 base 1600: 0..16 step 8]\n";
    let list = heddle_arch::isa::assemble(text).unwrap();
    let schedule = Schedule::of(vec![("all".to_string(), list)]);
    let bytes: Vec<_> = schedule.steps.iter().map(|s| s.bytes.clone()).collect();
    assert_eq!(
        bytes,
        [2048..2056, 0..1088, 1032..1040, 1088..1616, 1600..1872]
    );
    let (instructions, sync) = schedule.instructions();
    let waits = instructions.iter().map(|i| {
        let wait = i.wait();
        (wait.weights, wait.stream, wait.drain)
    });
    let none = (false, false, false);
    let expected = [none, none, (true, false, false), none, none];
    assert_eq!(waits.collect::<Vec<_>>(), expected);
    assert_eq!(sync.waits, 1);
    assert!(schedule.text().contains("weights  copies in 0..1088"));

    // A copy over the operands of a product, then a product that reads it.
    let text = "load_weights rows=4 level=0 [row 0 base 2048]\n\
                matmul rows=4 first last bank=0 level=0 threshold=127 macs=16 [row 1 base 0: 0..8 step 1]\n\
                copy rows=4 distance=64512 [row 0 base 1024]\n\
                drain columns=4 tile=0 lo=0 hi=0 [row 0 base 1024: 0..8 step 1]\n";
    let list = heddle_arch::isa::assemble(text).unwrap();
    let (instructions, sync) = Schedule::of(vec![("all".to_string(), list)]).instructions();
    assert!(instructions[2].wait().stream, "{}", instructions[2]);
    // The drain would wait for the copy by itself.
    assert!(sync.waits <= 2);
}

#[test]
fn pooling_without_the_hardware_is_refused_with_the_name_of_the_layer() {
    let network = model("mobile");
    let mut layers = network.layers.iter();
    assert!(layers.any(|layer| layer.kind == LayerKind::MaxPool2d));
    let message = refusal(&network, &preset("edge"));
    let told = "layer pool1: max_pool2d needs pooling, expected post.pooling";
    assert!(message.starts_with(told), "{message}");
}

/// The folders of the compiler in the order in which each may know those before it.
const FOLDERS: [&str; 21] = [
    "table",
    "error",
    "traversal",
    "exact",
    "loops",
    "layout",
    "sparse",
    "cost",
    "product",
    "rule",
    "options",
    "pieces",
    "ir",
    "ways",
    "engine",
    "memory",
    "schedule",
    "choose",
    "split",
    "emit",
    "file",
];

fn rust_files(folder: &std::path::Path, found: &mut Vec<std::path::PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        match path.is_dir() {
            true => rust_files(&path, found),
            false => found.push(path),
        }
    }
}

#[test]
fn stages_know_only_those_before_them() {
    let source = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = Vec::new();
    rust_files(&source, &mut files);
    let mut uses = 0;
    for file in files {
        let name = file.strip_prefix(&source).unwrap().to_str().unwrap();
        let own = name.split(['/', '.']).next().unwrap();
        let Some(place) = FOLDERS.iter().position(|&folder| folder == own) else {
            continue;
        };
        let text = std::fs::read_to_string(&file).unwrap();
        for used in text.split("crate::").skip(1) {
            let end = used.find(|c: char| !c.is_ascii_lowercase()).unwrap();
            let known = FOLDERS[..=place].contains(&&used[..end]);
            // Documentation may name what the whole crate shows.
            assert!(
                known || end == 0 || used.starts_with("compile"),
                "{name} uses {}",
                &used[..end]
            );
            uses += 1;
        }
    }
    assert!(uses > 60, "{uses}");
}
