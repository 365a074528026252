//! What the sparse cluster has counted.

use heddle_arch::Params;
use heddle_compiler::Program;
use heddle_tb::network::{ClusterReport, NetworkReport};

use crate::output;

/// A line for each run with layers on the cluster.
pub fn counters(found: &NetworkReport, params: &Params, program: &Program) -> String {
    let runs = found.layers.iter().zip(&program.runs);
    let mut rows: Vec<Vec<String>> = runs
        .filter_map(|(run, plan)| {
            let cycles = format!("about {}", plan.cycles);
            Some(row(&run.name, cycles, run.cluster.as_ref()?))
        })
        .collect();
    let Some(total) = &found.total.cluster else {
        return String::new();
    };
    rows.push(row("total", String::new(), total));
    let heading = [
        ["", "run"],
        ["expected", "cycles"],
        ["", "MACs"],
        ["multipli-", "cations"],
        ["", "skipped"],
        ["", "entries"],
        ["dropped", "words"],
        ["waits of", "products"],
        ["", "slots"],
        ["waits of", "slots"],
        ["results", "drained"],
    ];
    let line = |at: usize| heading.map(|name| name[at].to_string()).to_vec();
    rows.splice(0..0, [line(0), line(1)]);
    let section = params.sparse_cluster();
    format!(
        "\nsparse cluster: {} units of {} multipliers; expected cycles, MACs: one image; the other columns: sum over {} images\n\n{}",
        section.units,
        section.channels,
        found.images,
        output::table(&rows)
    )
}

fn row(name: &str, cycles: String, cluster: &ClusterReport) -> Vec<String> {
    let [_, slots, slot_waits, entries, _, _, drops, holds, positions] =
        std::array::from_fn(|number| cluster.counters[number].1.to_string());
    vec![
        name.to_string(),
        cycles,
        cluster.macs.to_string(),
        cluster.multiplications.to_string(),
        format!("{:.1} %", 100.0 * cluster.skipped_ratio),
        entries,
        drops,
        holds,
        slots,
        slot_waits,
        positions,
    ]
}
