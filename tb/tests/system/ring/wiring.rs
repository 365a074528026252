//! What joins the parts: each wire is needed.

use super::bench::{Bench, params};
use super::{events, faults, resets};
use crate::rtl::{Checked, check_mutants};
use crate::system::dma::bus::Manners;
use heddle_arch::params::RegisterBus;
use heddle_tb::verilate::Sources;

const TOP: &str = "heddle_system_tiny_open_ring";

/// Some of all tests, on any machine.
fn all(sources: &Sources, seed: u64) -> Checked {
    let run = || {
        let manners = Manners {
            latency: (3, 20),
            pace: 80,
            wrong: None,
        };
        let mut bench = Bench::new(sources, seed, params(RegisterBus::Axil), manners);
        bench.runs_right();
        bench.runs_right();
        resets::some(&mut bench, 7);
        faults::some(&mut bench);
        let quick = Manners::quick(4);
        events::some(&mut Bench::new(
            sources,
            seed,
            params(RegisterBus::Axil),
            quick,
        ));
    };
    let run = std::panic::AssertUnwindSafe(run);
    std::panic::catch_unwind(run).map_err(|told| {
        let text = told.downcast_ref::<String>().cloned();
        text.unwrap_or_else(|| "a test fails".into())
    })
}

#[test]
fn wires_that_are_wrong_are_noticed_slow() {
    let sources = &super::bench::TINY;
    all(sources, 1).expect("the machine is right");
    let faults = [
        (
            TOP,
            ".lost_i              (mover_lost)",
            ".lost_i              (1'b0)",
        ),
        (
            TOP,
            ".stop_i              (supervisor_stop_out)",
            ".stop_i              (1'b0)",
        ),
        (
            TOP,
            ".stop_i       (supervisor_failed)",
            ".stop_i       (1'b0)",
        ),
        (TOP, ".keep_i       (engine_keep)", ".keep_i       (1'b0)"),
        (TOP, "csr_start | jobs_start;", "csr_start;"),
        (
            TOP,
            "engine_running | window_port_starting | csr_start;",
            "engine_running;",
        ),
        (
            TOP,
            ".running_i     (supervisor_running)",
            ".running_i     (engine_running)",
        ),
        (
            TOP,
            ".dma_hung_i    (supervisor_hung)",
            ".dma_hung_i    (1'b0)",
        ),
        (
            TOP,
            ".dma_settled_i (supervisor_settled)",
            ".dma_settled_i (1'b1)",
        ),
        (
            TOP,
            ".clear_i             (supervisor_clear)",
            ".clear_i             (1'b0)",
        ),
    ];
    check_mutants(sources, &faults, all);
}
