//! Parts from elsewhere on a machine with a register port: the AXI4-Lite master of cocotbext-axi, FuseSoC, LiteX.

use std::process::Command;

use heddle_proves::proves;
use serde_json::Value;

use crate::bench::{Bench, CONFIG, MODEL};
use crate::client::{run, run_on};

/// A machine on AXI4-Lite, small enough for Icarus.
fn tiny() -> Bench {
    with_system("")
}

/// The same with further fields of `system`.
fn with_system(fields: &str) -> Bench {
    let system = format!("{{ \"system\": {{ \"registers\": \"axil\"{fields} }},");
    generated(&CONFIG.replacen('{', &system, 1))
}

fn generated(config: &str) -> Bench {
    let bench = Bench::new(&[("c.json", config)]);
    bench.done("gen -c c.json -o top");
    bench
}

const ACCESSES: &str = "driver/python/tests/accesses.py";

#[proves("PET-65")]
#[test]
fn random_accesses_with_pauses_are_those_of_the_model() {
    let (passed, text) = run(ACCESSES, &["10000"], &tiny().path().join("top"));
    assert!(passed && text.contains("are right"), "{text}");
}

#[test]
fn a_hundred_thousand_accesses_are_those_of_the_model_slow() {
    let (passed, text) = run(ACCESSES, &["100000", "2"], &tiny().path().join("top"));
    assert!(passed && text.contains("are right"), "{text}");
}

#[test]
fn faults_of_the_register_port_are_seen() {
    let bench = tiny();
    let faults = [
        (
            "axil",
            "if (aw_valid_i & !has_address_q)",
            "if (aw_valid_i)",
        ),
        ("axil", "(r_valid_q | answers_q) &", "answers_q &"),
        ("axil", "has_data_q & !b_valid_q", "has_data_q"),
        ("csr", "write_i & write_whole_i &", "write_i &"),
        ("window_port", "zero_q <= host_zero_i", "zero_q <= 8'd0"),
        ("window_port", "waits_q & !taken_o", "waits_q"),
    ];
    are_seen(&bench, ACCESSES, "3000", &faults);
}

/// Faults of the text that a script of so many accesses sees. The first one is planted in every run, of the others only the places are
/// looked at.
fn are_seen(bench: &Bench, script: &str, count: &str, faults: &[(&str, &str, &str)]) {
    let plants_all = std::env::var_os("HEDDLE_SLOW").is_some_and(|value| value == "1");
    for (number, (module, from, to)) in faults.iter().enumerate() {
        let file = bench.module("top", &format!("heddle_{module}")).unwrap();
        let right = bench.read(&file);
        assert_eq!(right.matches(from).count(), 1, "{from} in {right}");
        if number > 0 && !plants_all {
            continue;
        }
        bench.write(&file, right.replace(from, to));
        let (passed, text) = run(script, &[count], &bench.path().join("top"));
        assert!(!passed && text.contains("FAILED"), "{from}: {text}");
        bench.write(&file, right);
    }
}

const BEATS: &str = "driver/python/tests/beats.py";

/// A machine with a DMA, with room for long transfers.
fn moving() -> Bench {
    let system = "{ \"system\": { \"registers\": \"axil\", \"dma\": {} },";
    let large = "\"words_per_bank\": 1024";
    let config = CONFIG.replacen('{', system, 1);
    generated(&config.replace("\"words_per_bank\": 256", large))
}

/// On Verilator, which takes longer to build and a tenth of the time for a beat.
fn beats_arrive(count_and_seed: &[&str]) {
    let bench = moving();
    let (passed, text) = run_on(
        "verilator",
        BEATS,
        count_and_seed,
        &bench.path().join("top"),
    );
    assert!(passed && text.contains("each once"), "{text}");
}

#[proves("PET-62")]
#[test]
fn a_hundred_thousand_beats_arrive_once() {
    beats_arrive(&["100000"]);
}

#[test]
fn a_million_beats_arrive_once_slow() {
    beats_arrive(&["1000000", "2"]);
}

#[test]
fn beats_that_are_lost_or_doubled_are_seen() {
    let faults = [
        (
            "dma_read_a32_o4",
            "r_ready_q <= !next_more",
            "r_ready_q <= 1'b1",
        ),
        (
            "dma_read_a32_o4",
            "refills = !has_beat_q | moves",
            "refills = !has_beat_q | (moves & !has_more_q)",
        ),
        (
            "dma_write_a32_o4_k128",
            "moves = has_word_q & (!w_valid_q | w_ready_i)",
            "moves = has_word_q",
        ),
        (
            "dma_write_a32_o4_k128",
            "if (reads) head_q",
            "if (reads & w_ready_i) head_q",
        ),
    ];
    are_seen(&moving(), BEATS, "3000", &faults);
}

/// Runs a target of the core file in a folder; whether it ends well, and what it says.
fn fusesoc(bench: &Bench, folder: &str, target: &str, core: &str) -> (bool, String) {
    let tool = concat!(env!("CARGO_MANIFEST_DIR"), "/../.venv/bin/fusesoc");
    let result = Command::new(tool)
        .current_dir(bench.path())
        .args(["--cores-root", folder, "run", "--clean", "--target", target])
        .arg(format!("heddle:accelerators:{core}"))
        .output()
        .expect("FuseSoC is missing: run scripts/setup.sh");
    let text = String::from_utf8_lossy(&result.stdout).into_owned();
    let errors = String::from_utf8_lossy(&result.stderr);
    (result.status.success(), text + &errors)
}

#[test]
fn fusesoc_lints_and_simulates_the_core() {
    let axi = include_str!("../../configs/edge_axi.json");
    let wishbone = CONFIG
        .replacen('{', "{ \"system\": { \"registers\": \"wishbone\" },", 1)
        .replace("\"tiny\"", "\"wish\"");
    let bench = Bench::new(&[("a.json", axi), ("w.json", &wishbone), ("c.json", CONFIG)]);
    bench.done("gen -c a.json -c w.json -c c.json -o top");
    for core in ["edge_axi", "wish", "tiny"] {
        let (passed, text) = fusesoc(&bench, "top", "lint", core);
        assert!(passed && text.contains("verilator"), "{text}");
    }
    for core in ["edge_axi", "wish"] {
        let (passed, text) = fusesoc(&bench, "top", "sim", core);
        assert!(passed && text.contains("\nPASS\n"), "{text}");
    }
    // They can fail.
    let top = bench.read("top/heddle_system_edge_axi.v");
    let wrong = top.replacen("assign s_axi_rresp = 2'd0", "assign s_axi_rresp = 2'd2", 1);
    assert_ne!(top, wrong);
    bench.write("top/heddle_system_edge_axi.v", wrong);
    let (passed, text) = fusesoc(&bench, "top", "sim", "edge_axi");
    assert!(!passed && text.contains("\nFAIL: no answer\n"), "{text}");
    let wrong = top.replacen("wire irq_o", "wire irq_o, input wire loose", 1);
    bench.write("top/heddle_system_edge_axi.v", wrong);
    let (passed, text) = fusesoc(&bench, "top", "lint", "edge_axi");
    assert!(!passed && text.contains("loose"), "{text}");
}

#[test]
fn a_litex_system_without_a_processor_runs_a_program() {
    const SIM: &str = "examples/litex/sim.py";
    let bench = tiny();
    let (passed, text) = run(SIM, &[], &bench.path().join("top"));
    assert!(passed && text.contains("PASS\n"), "{text}");
    // It can fail: no interrupt.
    let file = bench.module("top", "heddle_csr").unwrap();
    let wrong = bench
        .read(&file)
        .replacen("assign irq_o = irq_q", "assign irq_o = 1'b0", 1);
    bench.write(&file, wrong);
    let (passed, text) = run(SIM, &[], &bench.path().join("top"));
    assert!(!passed && text.contains("FAIL: step 14"), "{text}");
}

/// Bytes of rows of numbers.
fn bytes(rows: &Value) -> Vec<u8> {
    let rows = rows.as_array().expect("rows").iter();
    let numbers = rows.flat_map(|row| row.as_array().expect("numbers"));
    numbers
        .map(|number| number.as_i64().expect("a number") as u8)
        .collect()
}

#[proves("PET-67", "PET-68", "PET-69")]
#[test]
fn the_driver_in_c_runs_on_a_processor_beside_the_machine() {
    let tests = concat!(env!("CARGO_MANIFEST_DIR"), "/../driver/c/tests");
    let bench = Bench::new(&[]);
    let folder = bench.path();
    let told = |command: &mut Command| {
        let result = command.output().expect("a program");
        let text = String::from_utf8_lossy(&result.stdout).into_owned();
        let errors = String::from_utf8_lossy(&result.stderr);
        (result.status.success(), text + &errors)
    };
    let mut script = Command::new(format!("{tests}/picorv32.sh"));
    let script = script.arg(env!("CARGO_BIN_EXE_heddle")).arg(folder);
    let (passed, text) = told(script);
    let right = "3 images exact, 3 interrupts";
    assert!(passed && text.starts_with(right), "{text}");
    // It can fail: another image, another result, another program.
    let files = ["firmware", "digits.hdi", "inputs", "outputs"];
    for (number, place, wrong) in [
        (0, 0, "the processor has stopped"),
        (1, 5000, "the checksum of a section is wrong"),
        (3, 29, "other scores than those of heddle sim"),
    ] {
        let mut bytes = std::fs::read(folder.join(files[number])).expect("a file");
        bytes[place] ^= 1;
        std::fs::write(folder.join("wrong"), bytes).expect("a file");
        let mut soc = Command::new(folder.join("soc/soc"));
        for (own, name) in files.iter().enumerate() {
            soc.arg(folder.join(if own == number { "wrong" } else { name }));
        }
        let (passed, text) = told(&mut soc);
        assert!(!passed && text.contains(wrong), "{wrong}: {text}");
    }
}

#[proves("PET-68", "PET-69", "PET-70")]
#[test]
fn the_driver_in_c_passes_its_list_on_32_and_64_bits_with_a_ring_and_without() {
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/../driver/c/test.sh");
    let result = Command::new(script)
        .arg("--list")
        .env("HEDDLE", env!("CARGO_BIN_EXE_heddle"))
        .output()
        .expect("a script");
    let text = String::from_utf8_lossy(&result.stdout);
    let errors = String::from_utf8_lossy(&result.stderr);
    assert!(result.status.success(), "{text}{errors}");
    let checks = |line: &str| line.split(' ').rev().nth(3)?.parse::<u32>().ok();
    for compiler in ["gcc -O2", "clang -O2", "gcc -m32 -O2", "clang -m32 -O2"] {
        let own = text.lines().find(|line| line.starts_with(compiler));
        assert!(own.and_then(checks) > Some(1_000_000), "{text}");
    }
}

#[proves("PET-68", "PET-70")]
#[test]
fn the_driver_in_python_runs_an_image_on_the_verilog() {
    for (fields, way) in [
        ("", "right over the window port"),
        (", \"dma\": {}", "right through the ring"),
    ] {
        runs_an_image(&with_system(fields), way);
    }
}

fn runs_an_image(bench: &Bench, way: &str) {
    bench.write("m.json", MODEL);
    bench.done("compile m.json -c c.json --whole --image net.hdi");
    let network: Value = serde_json::from_str(MODEL).expect("JSON");
    let report = bench.json("sim -c c.json -m m.json --images 2 --json");
    let images = Value::from(network["test"]["images"].as_array().expect("images")[..2].to_vec());
    let mut outputs = bytes(&report["report"]["outputs"]);
    let run_image = |outputs: &[u8]| {
        bench.write("in", bytes(&images));
        bench.write("out", outputs);
        let path = |name: &str| bench.path().join(name).display().to_string();
        let files = ["net.hdi", "in", "out"].map(path);
        let [image, inputs, outputs] = files.each_ref().map(String::as_str);
        let more = [image, inputs, outputs];
        run(
            "driver/python/tests/digits.py",
            &more,
            &bench.path().join("top"),
        )
    };
    let (passed, text) = run_image(&outputs);
    assert!(
        passed && text.contains("2 inferences are") && text.contains(way),
        "{text}"
    );
    // It can fail: another result, a torn image.
    *outputs.last_mut().expect("outputs") ^= 1;
    let (passed, text) = run_image(&outputs);
    assert!(!passed && text.contains("inference 1 is"), "{text}");
    let mut torn = std::fs::read(bench.path().join("net.hdi")).expect("an image");
    torn[200] ^= 1;
    bench.write("net.hdi", torn);
    let (passed, text) = run_image(&outputs);
    assert!(!passed && text.contains("damaged section"), "{text}");
}
