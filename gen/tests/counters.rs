//! Machines with fewer counters, in other people's tools, where they are installed, and what is left of counters in their text.

use crate::linters::printed::{self, of_catalog, text_of};
use heddle_arch::Params;
use heddle_arch::params::{CounterSet, PartialSums, Sparse};
use heddle_gen::Design;

fn params(counters: CounterSet, change: fn(&mut Params)) -> Params {
    let mut params = printed::tiny();
    params.counters = counters;
    change(&mut params);
    params
}

fn with_cluster(params: &mut Params) {
    params.sparse = Some(Sparse {
        engine: true,
        units: 2,
        channels: params.array.cols,
        ..Sparse::default()
    });
}

fn with_sums_at_top(params: &mut Params) {
    params.array.partial_sums = PartialSums::Top;
}

fn with_census(params: &mut Params) {
    with_cluster(params);
    if let Some(sparse) = &mut params.sparse {
        (sparse.engine, sparse.post, sparse.census) = (false, true, true);
    }
}

/// A module, a set of counters, and what else the machine has.
type Case = (&'static str, CounterSet, fn(&mut Params));

#[test]
fn machines_with_fewer_counters_are_clean() {
    use CounterSet::{Basic, None};
    let cases: [Case; 9] = [
        ("top", Basic, with_cluster),
        ("top", None, with_cluster),
        ("control", Basic, with_sums_at_top),
        ("control", None, with_sums_at_top),
        ("partition", Basic, |params| {
            params.state_buffer.slices.plain = true
        }),
        ("top", None, |params| params.array.rows = 1),
        ("sparse_cluster", Basic, with_census),
        ("sparse_cluster", None, with_census),
        ("sparse_cluster", None, with_cluster),
    ];
    for (number, (top, counters, change)) in cases.into_iter().enumerate() {
        let design = of_catalog(top, &params(counters, change));
        printed::clean(&format!("counters_{number}_{top}"), &design);
    }
}

/// Counters of 32 bits in all modules that count: their number in the machine and in the cluster.
fn counters(design: &Design) -> Vec<usize> {
    let modules = design.modules.iter();
    let modules = modules.filter(|module| module.name.starts_with("heddle_counters_"));
    modules
        .map(|module| {
            let declared = |line: &str| {
                let bits = line.trim().strip_prefix("reg [")?;
                let (high, name) = bits.split_once(":0] ")?;
                let high: usize = high.parse().ok()?;
                name.starts_with("count_q;").then_some((high + 1) / 32)
            };
            let counts: Vec<usize> = module.text.lines().filter_map(declared).collect();
            assert_eq!(counts.len(), 1, "{}", module.text);
            counts[0]
        })
        .collect()
}

#[test]
fn a_machine_has_the_counters_that_it_is_asked_for_and_nothing_of_the_others() {
    let text = |counters, change: fn(&mut Params)| of_catalog("top", &params(counters, change));
    let sorted = |design: &Design| {
        let mut counts = counters(design);
        counts.sort_unstable();
        counts
    };
    // With two slices; the sums at the top add STALL_SUMS, the cluster has its own.
    for (counters, alone, with_sums, cluster) in [
        (CounterSet::Full, vec![13], vec![14], vec![9, 13]),
        // The four of the machine and the four of the cluster are one module.
        (CounterSet::Basic, vec![4], vec![5], vec![4]),
        (CounterSet::None, vec![], vec![], vec![]),
    ] {
        assert_eq!(sorted(&text(counters, |_| ())), alone, "{counters:?}");
        let found = sorted(&text(counters, with_sums_at_top));
        assert_eq!(found, with_sums, "{counters:?}");
        let found = sorted(&text(counters, with_cluster));
        assert_eq!(found, cluster, "{counters:?}");
    }
    // Modules, and what a counter leaves in their text: what counts, the events that it counts, its way to the host.
    let traces = [
        ("control", "u_counters"),
        ("control", "counters_increment"),
        ("control", "reg vector_q;"),
        ("control", "reg last_tile_q;"),
        ("control", " event_i"),
        ("host_port", " count_i"),
        ("host_port", "counter_o"),
        ("host_port", "counts_q"),
        ("partition", "u_ev_"),
        ("partition", "ev_mask_read_o"),
        ("state_buffer", "ev_"),
        ("banks", "mask_read_o"),
        ("banks", "slice_write_o"),
        ("operand_reader", "reg zero_q;"),
        ("sparse_counts", "u_counters"),
        ("sparse_counts", "count_q"),
        ("sparse_counts", "holds_q"),
        ("sparse_counts", "drops_q"),
        ("sparse_counts", "entries_q"),
        ("sparse_cluster", " count_o"),
        ("sparse_engine", "counter_i"),
    ];
    let kept = |counters| -> Vec<(&str, &str)> {
        let design = text(counters, with_cluster);
        let left = |(module, word): &(&str, &str)| {
            text_of(&design, &format!("heddle_{module}_")).contains(word)
        };
        traces.into_iter().filter(left).collect()
    };
    assert_eq!(kept(CounterSet::Full), traces);
    let of_full = [
        " event_i",
        "ev_",
        "ev_mask_read_o",
        "u_ev_",
        "mask_read_o",
        "slice_write_o",
    ];
    let of_full = [&of_full[..], &["reg zero_q;", "drops_q", "entries_q"]].concat();
    let basic = traces
        .into_iter()
        .filter(|(_, word)| !of_full.contains(word));
    assert_eq!(kept(CounterSet::Basic), basic.collect::<Vec<_>>());
    assert_eq!(kept(CounterSet::None), []);
}

#[test]
fn the_host_port_finds_the_counters_of_a_basic_set_at_their_registers() {
    let design = of_catalog("host_port", &params(CounterSet::Basic, with_sums_at_top));
    let port = text_of(&design, "heddle_host_port_");
    // STALL_SUMS, CYCLES, MACS, STALL_WEIGHTS, STALL_WAIT.
    for (register, source) in [
        (6, "stall_sums_i"),
        (8, "count_i[31:0]"),
        (10, "count_i[63:32]"),
        (11, "count_i[95:64]"),
        (12, "count_i[127:96]"),
    ] {
        let read = format!("5'd{register}: selected = {source};");
        assert!(port.contains(&read), "{read}\n{port}");
    }
    let read = port.matches(": selected = ").count();
    assert_eq!(
        read,
        5 + 5,
        "ID, START_PC, STATUS, HOST_ZERO, SHAPE and these"
    );
}
