//! Parts from elsewhere on a machine with a register port: the AXI4-Lite master of cocotbext-axi.

use crate::bench::{Bench, CONFIG};
use crate::client::run;

/// A machine on AXI4-Lite, small enough for Icarus.
fn tiny() -> Bench {
    let config = CONFIG.replacen('{', "{ \"system\": { \"registers\": \"axil\" },", 1);
    let bench = Bench::new(&[("c.json", &config)]);
    bench.done("gen -c c.json -o top");
    bench
}

const ACCESSES: &str = "driver/python/tests/accesses.py";

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
    for (module, from, to) in faults {
        let file = bench.module("top", &format!("heddle_{module}")).unwrap();
        let right = bench.read(&file);
        assert_eq!(right.matches(from).count(), 1, "{from} in {right}");
        bench.write(&file, right.replace(from, to));
        let (passed, text) = run(ACCESSES, &["3000"], &bench.path().join("top"));
        assert!(!passed && text.contains("FAILED"), "{from}: {text}");
        bench.write(&file, right);
    }
}
