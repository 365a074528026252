//! A network on the golden machine alone: its values against the golden network, its cycles against the
//! prediction of the compiler, which has none for layers on the sparse cluster: they depend on the values.

use heddle_arch::host::Counter;
use heddle_arch::params::Params;
use heddle_compiler::Program;
use heddle_network::Network;

use super::prediction::Prediction;
use super::{Image, LayerRun, NetworkReport, RunError};

/// Runs images; calls `done` after each of them with what each run of the machine made.
///
/// # Errors
/// `RunError`; differences of values and cycles are in the report instead.
pub fn simulate(
    params: &Params,
    network: &Network,
    program: &Program,
    images: &[Image<'_>],
    mut done: impl FnMut(&[LayerRun]),
) -> Result<NetworkReport, RunError> {
    let mut golden = Prediction::load(params, network, program)?;
    let mut report = NetworkReport::new(&network.name, params, program);
    for &(image, label) in images {
        let (machine, mut expected) = golden.run_both(image)?;
        for (run, plan) in expected.iter_mut().zip(&program.runs) {
            if !plan.estimated {
                predict_cycles(run, plan.cycles);
            }
        }
        for (row, (got, want)) in report.layers.iter_mut().zip(machine.iter().zip(&expected)) {
            row.add(params, report.images, got, want);
        }
        report.add_output(network, machine.last(), label);
        done(&machine);
    }
    let cycles = report.layers.iter().map(|row| row.counter(Counter::Cycles));
    report.simulated_cycles = cycles.sum();
    report.set_total(params);
    Ok(report)
}

/// The cycles that the compiler has predicted take the place of those of the golden machine.
fn predict_cycles(run: &mut LayerRun, cycles: u64) {
    for (counter, value) in &mut run.counters {
        if *counter == Counter::Cycles {
            *value = cycles as u32; // counters wrap
        }
    }
}
