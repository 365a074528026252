//! What the compiler makes of networks of matrices: instructions, dependencies, files, and what it refuses.

use heddle_arch::isa::{
    Instruction, LoadWeights, Matmul, OP_DRAIN, OP_LOAD_WEIGHTS, OP_MATMUL, ROW_EPILOGUE,
    ROW_TENSOR,
};
use heddle_arch::params::Params;
use heddle_compiler::matrix::DrainForm;
use heddle_compiler::{Cuts, FileError, Options, Program, Reason, Unit};
use heddle_network::Network;
use heddle_sim::network as golden;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use serde_json::json;

use crate::support::compile_with;
use crate::support::matrices::{attention, check, network, options, runs, tiny};
use crate::support::{load, random_image};

/// A transpose of a matrix of the input.
fn turned(rows: u32, cols: u32) -> Network {
    network(
        [1, rows, cols],
        3,
        &[json!({"kind": "transpose", "name": "turned"})],
    )
}

fn steps(program: &Program) -> Vec<&Instruction> {
    let steps = program.schedule.steps.iter();
    steps.map(|step| &step.instruction).collect()
}

/// Rows of the record and their first addresses.
fn rows(instruction: &Instruction) -> Vec<(u8, u32)> {
    let record = instruction.record().expect("a record");
    record.rows.iter().map(|row| (row.row, row.base)).collect()
}

#[proves("PET-41", "PET-42", "PET-43")]
#[test]
fn a_transpose_in_a_network_is_load_identity_store_and_drain() {
    let program = runs(&turned(4, 4), &tiny(), Options::default());
    let (source, result) = (program.tensors[0].base, program.tensors[1].base);
    let identity = |word: &&(u32, u32, [u8; 8])| word.0 == 3 && word.2 == [0, 0, 0, 1, 0, 0, 0, 0];
    let identity = 8 * program.once.image.iter().find(identity).expect("stored").1;
    let [drain, load, multiply, send] = steps(&program)[..] else {
        panic!("{} instructions", program.schedule.steps.len());
    };
    assert!(matches!(
        load,
        Instruction::LoadWeights(LoadWeights { rows: 4, .. })
    ));
    assert_eq!(rows(load), [(0, source)]);
    // The sums stay in the results buffer, and are sent from there.
    assert!(matches!(
        multiply,
        Instruction::Matmul(Matmul {
            first: true,
            last: false,
            ..
        })
    ));
    assert_eq!(rows(multiply)[1], (ROW_TENSOR, identity));
    assert_eq!(rows(send), [(ROW_EPILOGUE, 0)]);
    assert_eq!(rows(drain), [(0, result)]);
    // There is no opcode but those of any product.
    let opcodes = [drain, load, multiply, send].map(Instruction::opcode);
    assert_eq!(opcodes, [OP_DRAIN, OP_LOAD_WEIGHTS, OP_MATMUL, OP_MATMUL]);
    // Larger matrices and other permutations: the same four, and nothing else.
    let nhwc = json!({"kind": "transpose", "name": "nhwc", "permutation": [0, 2, 3, 1]});
    for network in [turned(9, 7), network([6, 3, 2], 0, &[nhwc])] {
        let program = runs(&network, &tiny(), Options::default());
        let mut products = 0;
        for instruction in steps(&program) {
            let Instruction::Matmul(_) = instruction else {
                continue;
            };
            let expected = [ROW_TENSOR, ROW_EPILOGUE][products % 2];
            assert!(rows(instruction).iter().any(|row| row.0 == expected));
            products += 1;
        }
        let loads = steps(&program)
            .into_iter()
            .filter(|i| i.opcode() == OP_LOAD_WEIGHTS);
        assert_eq!(2 * loads.count(), products);
    }
}

/// The second product with the input finds it transposed already.
#[proves("PET-40")]
#[test]
fn a_transposed_copy_serves_the_layers_behind() {
    let program = runs(&attention(), &tiny(), Options::default());
    let loads = |layer: usize| {
        let steps = program.schedule.steps.iter();
        let loads = steps.filter(|step| step.layer == layer && step.unit == Unit::Weights);
        loads.count()
    };
    // 6 x 5 in blocks of 4 x 4, then the product of 5 x 6 and 5 x 4: two groups of two bands.
    assert_eq!((loads(0), loads(1)), (4 + 4, 4));
}

#[proves("PET-73")]
#[test]
fn a_block_is_stored_by_instructions_before_it_is_loaded() {
    let program = run_chain(false, false, true);
    let params = tiny();
    let schedule = &program.schedule;
    let block = &program.tensors[1];
    let transposed = schedule.layers.iter().position(|name| name == "turned");
    let mut loads = 0;
    for (index, step) in schedule.steps.iter().enumerate() {
        let loads_block = step.unit == Unit::Weights
            && Some(step.layer) == transposed
            && step.bytes.start < block.base + block.bytes
            && block.base < step.bytes.end;
        if !loads_block {
            continue;
        }
        loads += 1;
        // Every drain that stores some of it is done before.
        let stores = (0..index).filter(|&on| {
            let drain = &schedule.steps[on];
            let meet = drain.bytes.start < step.bytes.end && step.bytes.start < drain.bytes.end;
            drain.unit == Unit::Drain && drain.layer == 0 && meet
        });
        let stores: Vec<usize> = stores.collect();
        assert!(!stores.is_empty(), "step {index}");
        for on in stores {
            let dependency = step.after.iter().find(|d| d.on == on);
            assert_eq!(
                dependency.map(|d| d.reason),
                Some(Reason::Data),
                "step {index}"
            );
        }
    }
    assert!(loads > 1);
    let matrices = block.matrices.as_ref().expect("matrices").matrices;
    assert!(matrices.cols <= params.partition_bytes());
}

/// A product with weights, its transpose, and the product of that with the input.
fn chain() -> Network {
    network(
        [1, 6, 5],
        0,
        &[
            json!({"kind": "matmul", "name": "first", "output_features": 9,
                "weights": (0..45).map(|i| (i * 31 + 7) % 27 - 13).collect::<Vec<i32>>(),
                "multiplier": [1_300_000_000], "shift": [-4]}),
            json!({"kind": "transpose", "name": "turned"}),
            json!({"kind": "matmul", "name": "second", "inputs": ["turned", "input"],
                "multiplier": [1_200_000_000], "shift": [-5]}),
        ],
    )
}

/// Its program for the machine [`tiny`], which runs.
#[track_caller]
fn run_chain(fold: bool, built: bool, whole: bool) -> Program {
    let options = options(DrainForm::All, fold, built, whole);
    runs(&chain(), &tiny(), options)
}

#[test]
fn a_folded_transpose_takes_no_instruction() {
    for whole in [false, true] {
        let plain = run_chain(false, false, whole);
        let folded = run_chain(true, false, whole);
        assert!(plain.layers[1].instructions > 0);
        assert_eq!(folded.layers[1].instructions, 0);
        // Every factor lies as it is needed: the input, written by the host, but for one of its two readers.
        let cycles = |program: &Program| program.runs.iter().map(|run| run.cycles).sum::<u64>();
        assert!(cycles(&folded) < cycles(&plain));
    }
}

/// The identity is loaded from where it has just been drained to: without waiting it is not there yet. Between
/// layers nothing has to wait, because a drain waits for the one before.
#[proves("PET-46")]
#[test]
fn only_what_has_to_wait_waits() {
    let params = tiny();
    let stored = run_chain(false, false, true);
    let sync = stored.runs[0].sync;
    assert_eq!(sync.waits, 0, "{sync:?}");
    assert!(sync.redundant > 10, "{sync:?}");
    let mut program = run_chain(false, true, true);
    assert!(program.runs[0].sync.waits > 0);
    let mut text = heddle_arch::isa::disassemble(&program.once.words).expect("legal");
    for unit in ["weights", "stream", "drain"] {
        text = text.replace(&format!(" wait={unit}"), "");
    }
    let hasty = heddle_arch::isa::assemble(&text).expect("legal");
    let ends = hasty.last().map(Instruction::opcode);
    assert_eq!(ends, Some(heddle_arch::isa::OP_HALT));
    program.once.words = hasty.iter().flat_map(Instruction::encode).collect();
    let mut machine = load(&program, &params);
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    let image = random_image(&mut rng, &chain());
    for (partition, word, data) in program.tensors[0].pack(&image).unwrap() {
        machine.write_word(partition, word, data);
    }
    let found = machine.run(0, 1_000_000);
    let output = &program.tensors[3];
    let words = output.word_places().into_iter();
    let words: Vec<[u8; 8]> = words.map(|(p, w)| machine.read_word(p, w)).collect();
    let expected = golden::run(&chain(), &image).unwrap();
    let right = output.unpack(&words).unwrap() == expected[2].values;
    assert!(found.is_err() || !right);
}

/// Three matrices, each of which is multiplied with both others as it lies.
fn triangle() -> Network {
    let make = |name: &str, seed: i32| {
        json!({"kind": "matmul", "name": name, "inputs": ["input"], "output_features": 4,
            "weights": (0..16).map(|i| (i * seed) % 17 - 8).collect::<Vec<i32>>(),
            "multiplier": [1_300_000_000], "shift": [-4]})
    };
    let product = |name: &str, a: &str, b: &str| {
        json!({"kind": "matmul", "name": name, "inputs": [a, b], "transposed": [true, false],
            "multiplier": [1_300_000_000], "shift": [-5]})
    };
    network(
        [1, 4, 4],
        0,
        &[
            make("a", 5),
            make("b", 7),
            make("c", 11),
            product("ab", "a", "b"),
            product("bc", "b", "c"),
            product("ac", "a", "c"),
            product("left", "ab", "bc"),
            product("all", "left", "ac"),
        ],
    )
}

/// Why a network does not fit as it is.
#[track_caller]
fn refusal(network: &Network, params: &Params) -> String {
    let options = Options {
        cuts: Cuts::Nothing,
        ..Options::default()
    };
    let refused = compile_with(network, params, options).expect_err("it does not fit");
    refused.to_string()
}

#[track_caller]
fn refused(network: &Network, params: &Params, message: &str) {
    assert_eq!(refusal(network, params), message);
}

#[test]
fn networks_of_matrices_that_cannot_be_compiled_say_why() {
    let params = tiny();
    refused(
        &triangle(),
        &params,
        "layer ac: its factors and those of other products are read in 3 banks at least, \
         state_buffer.banks is 2; a transpose of one of them makes a copy",
    );
    let mut four = tiny();
    (four.state_buffer.banks, four.state_buffer.words_per_bank) = (4, 128);
    runs(&triangle(), &four, Options::default());
    let layers = [
        json!({"kind": "transpose", "name": "nhwc", "permutation": [0, 2, 3, 1]}),
        json!({"kind": "transpose", "name": "other"}),
    ];
    // One matrix of 4 x 3 bytes is not two of 2 x 3.
    let program = runs(&network([3, 2, 2], 0, &layers), &params, Options::default());
    let hosts: Vec<bool> = program.layers.iter().map(|layer| layer.host).collect();
    assert_eq!(hosts, [false, true]);
    refused(
        &turned(512, 64),
        &params,
        "network matrices does not fit tiny: matrices need 32768 bytes in each partition, in whole banks, \
         4096 available, 28672 missing (set by state_buffer.words_per_bank or state_buffer.banks)",
    );
    let mut long = tiny();
    long.program.words = 16384;
    refused(
        &turned(128, 64),
        &long,
        "network matrices does not fit tiny: matrices need 10240 bytes in each partition, in whole banks, \
         4096 available, 6144 missing (set by state_buffer.words_per_bank or state_buffer.banks)",
    );
    // Source and result fit when each of them has a bank.
    let program = runs(&turned(40, 80), &long, Options::default());
    let banks = program
        .tensors
        .iter()
        .map(|tensor| tensor.base / long.bank_bytes());
    assert_eq!(banks.sum::<u32>(), 1);
    let mut few = tiny();
    few.program.words = 40;
    let message = refusal(&turned(9, 9), &few);
    assert!(message.contains("program needs "), "{message}");
    few = tiny();
    few.column_tiles = 1;
    refused(
        &chain(),
        &few,
        "network matrices does not fit tiny: column parameters need 3 column tiles, 1 available, 2 missing \
         (set by column_tiles)",
    );
    let mut shallow = tiny();
    (shallow.array.rows, shallow.results_buffer.depth) = (128, 64);
    refused(
        &turned(4, 4),
        &shallow,
        "layer turned: results_buffer.depth is 64, sums that are stored before they drain need at least \
         array.rows, which is 128; sums that drain at once (--drain direct) need no results buffer",
    );
}

/// Matrices that a file puts where they cannot lie, with the checksum that belongs to it.
#[test]
fn places_of_matrices_in_a_file_are_checked() {
    let params = tiny();
    let program = compile_with(&turned(5, 7), &params, Options::default()).expect("it fits");
    let text = program.to_json(&params);
    let list = |numbers: &[u32]| {
        let lines: Vec<String> = numbers
            .iter()
            .map(|n| format!("\n            {n}"))
            .collect();
        format!("[{}\n          ]", lines.join(","))
    };
    let shape = |rows, cols| format!("\"shape\": {}", list(&[rows, cols]));
    let bases = |base| format!("\"bases\": {}", list(&[base]));
    let (own, base) = (shape(5, 7), bases(program.tensors[0].base));
    assert!(text.contains(&own), "{text}");
    for (from, to, message) in [
        (&own, shape(5, 6), "elements is 30, expected 35"),
        (&own, shape(0, 7), "shape is "),
        (
            &own,
            shape(u32::MAX, u32::MAX),
            "shape is 4294967294, expected less than",
        ),
        (&base, bases(4), "bases is 4, expected 8"),
        (&base, bases(4088), "end is 4120, expected less than 4097"),
        (
            &base,
            bases(u32::MAX),
            "bases is 4294967295, expected less than 4096",
        ),
    ] {
        let message = format!("tensor input: matrices.{message}");
        let changed = text.replacen(from, &to, 1);
        let crc = match Program::from_json(&changed, &params) {
            Err(FileError::Checksum { expected, .. }) => expected,
            other => panic!("{to}: {other:?}"),
        };
        let at = changed.find("\"crc\": \"").expect("a checksum") + 8;
        let forged = format!("{}{crc:08x}{}", &changed[..at], &changed[at + 8..]);
        let error = Program::from_json(&forged, &params)
            .expect_err("forged")
            .to_string();
        assert!(error.starts_with(&message), "{to}: {error}");
    }
}

/// The file says where the matrices lie.
#[test]
fn a_program_of_matrices_comes_back_from_its_file() {
    let params = tiny();
    for fold in [false, true] {
        let options = options(DrainForm::All, fold, false, true);
        let program = compile_with(&attention(), &params, &options).expect("it fits");
        let text = program.to_json(&params);
        let found = Program::from_json(&text, &params).expect("the same");
        assert_eq!(found.tensors, program.tensors);
        assert_eq!(found.to_json(&params), text);
        found.check_network(&attention()).expect("the network");
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        check(&attention(), &params, &found, &mut rng).unwrap_or_else(|error| panic!("{error}"));
    }
}
