//! The memory cluster beside its model: traffic of any kind, layouts of its buffers, planted faults.

use std::sync::LazyLock;

use heddle_arch::params::MapLayout;
use heddle_sim::sparse::memories::{
    Job, MemoriesInputs, MemoriesOutputs, MemoriesSizes, MemoryLayout, Order,
};
use heddle_sim::sparse::net::{NetworkKind, RouteWord, StreamWord};
use heddle_tb::verilate::Sources;
use rand::Rng;

use super::memories_bench::{Bench, list, random_entry, sizes, sources};
use crate::rtl::{Checked, Coverage, check_mutants, faults, mutated, run_seeds};

pub(super) const BENES: Option<NetworkKind> = Some(NetworkKind::Benes);
pub(super) const SWITCH: Option<NetworkKind> = Some(NetworkKind::Switch);

pub(super) const MORE: MemoriesSizes = MemoriesSizes {
    memories: 5,
    units: 3,
    entry_max: 16,
    layout: MemoryLayout::Free,
    networks: [BENES, BENES],
};

fn built(networks: [Option<NetworkKind>; 2]) -> Sources {
    sources(&sizes(4, networks), MapLayout::Both)
}

pub(super) static NONE: LazyLock<Sources> = LazyLock::new(|| built([None, None]));
pub(super) static FULL: LazyLock<Sources> = LazyLock::new(|| built([BENES, BENES]));
pub(super) static NEXT: LazyLock<Sources> = LazyLock::new(|| built([SWITCH, SWITCH]));
pub(super) static UNITS: LazyLock<Sources> = LazyLock::new(|| built([None, BENES]));
pub(super) static FIVE: LazyLock<Sources> = LazyLock::new(|| sources(&MORE, MapLayout::Both));

/// Lists and orders of any kind. The channel of an entry tells where it comes from.
fn random_traffic(sources: &Sources, seed: u64, sizes: MemoriesSizes) -> Checked<Coverage> {
    let mut bench = Bench::new(sources, seed, sizes);
    let mut coverage = Coverage::default();
    for clock in 0..5000 {
        if clock % 500 == 0 {
            bench.offered = bench.rng.random_range(0.3..=1.0);
            bench.taken = bench.rng.random_range(0.3..=1.0);
        }
        next_inputs(&mut bench, clock);
        let (inputs, outputs) = bench.step()?;
        count(&mut coverage, &sizes, &inputs, &outputs);
    }
    Ok(coverage)
}

fn next_inputs(bench: &mut Bench, clock: usize) {
    let sizes = bench.sizes;
    let words = |bench: &mut Bench, source: usize| {
        // Now and then as much as a set holds, or more.
        let count = match bench.rng.random_range(0..8) {
            0 => 0,
            1 => 20,
            2 => sizes.entry_max,
            _ => bench.rng.random_range(1..12),
        };
        let entries: Vec<_> = (0..count)
            .map(|_| random_entry(&mut bench.rng, source))
            .collect();
        list(&entries, bench.rng.random())
    };
    for memory in 0..sizes.memories {
        if bench.load[memory].is_empty() {
            let words = words(bench, memory);
            bench.load[memory].extend(words);
        }
    }
    for unit in 0..sizes.units {
        if bench.results[unit].is_empty() {
            let words = words(bench, 64 + unit);
            bench.results[unit].extend(words);
        }
    }
    bench.orders.clear();
    if bench.rng.random_bool(0.5) {
        let order = random_order(bench);
        bench.orders.push_back(order);
    }
    for network in 0..2 {
        let routes = &bench.routes[network];
        if sizes.networks[network].is_some() && routes.is_empty() && clock % 100 == 99 {
            // Any bits are a route.
            let word = |place| RouteWord {
                place,
                data: bench.rng.random(),
                last: place == 1,
            };
            bench.routes[network] = (0..2).map(word).collect();
        }
    }
}

fn random_order(bench: &mut Bench) -> Order {
    let rng = &mut bench.rng;
    let job = Job::ALL[rng.random_range(0..6)];
    // Now and then it names a memory that is not there.
    let memories = bench.sizes.memories + usize::from(rng.random_bool(0.05));
    Order {
        memory: rng.random_range(0..memories),
        set: rng.random_range(0..2),
        job: Some(job).filter(|_| rng.random_bool(0.98)),
        append: rng.random_bool(0.2),
    }
}

fn count(
    coverage: &mut Coverage,
    sizes: &MemoriesSizes,
    inputs: &MemoriesInputs,
    outputs: &MemoriesOutputs,
) {
    let taken = inputs.order.filter(|_| outputs.order_ready);
    let [memories, units] = sizes.networks.map(|network| network.is_some());
    for (job, names) in [
        (
            Job::Load,
            ["first set from outside", "second set from outside"],
        ),
        (
            Job::Store,
            ["first set with results", "second set with results"],
        ),
        (Job::Unit, ["first set for a unit", "second set for a unit"]),
        (
            Job::Out,
            ["first set for outside", "second set for outside"],
        ),
    ] {
        for (set, name) in names.into_iter().enumerate() {
            let is_it = |order: Order| order.set == set && order.job == Some(job);
            coverage.event(name, taken.is_some_and(is_it));
        }
    }
    coverage.event(
        "order that waits",
        inputs.order.is_some() && !outputs.order_ready,
    );
    coverage.event("full set", outputs.errors[0]);
    coverage.event("exactly full set", outputs.exactly_full);
    coverage.event("wrong order", outputs.errors[1]);
    let empty = |word: &Option<StreamWord>| word.is_some_and(|word| word.entry.value == 0);
    coverage.event("empty list", outputs.unit.iter().any(empty));
    let results = |word: &Option<StreamWord>| word.is_some_and(|word| word.entry.channel >= 64);
    coverage.event("results computed again", outputs.unit.iter().any(results));
    if memories || units {
        coverage.event("transfer", outputs.transfers != [0; 2]);
    }
    if sizes.memories > sizes.units {
        coverage.event("word without a destination", outputs.errors[2]);
    }
}

#[proves("FSA-35")]
#[test]
fn memories_bound_to_units_follow_their_model() {
    run_seeds(|seed| random_traffic(&NONE, seed, sizes(4, [None, None])));
}

#[test]
fn memories_with_networks_follow_their_model() {
    run_seeds(|seed| random_traffic(&FULL, seed, sizes(4, [BENES, BENES])));
    run_seeds(|seed| random_traffic(&NEXT, seed, sizes(4, [SWITCH, SWITCH])));
    run_seeds(|seed| random_traffic(&UNITS, seed, sizes(4, [None, BENES])));
}

#[proves("FSA-81")]
#[test]
fn more_memories_than_units_follow_their_model() {
    run_seeds(|seed| random_traffic(&FIVE, seed, MORE));
}

/// The design with memories of a single port: once one has been read and written in a clock, it gives inverted bits.
fn single_port(sources: &Sources) -> Sources {
    let storage = "reg [Width-1:0] mem_q[0:Depth-1];";
    let marked = "reg broken_q = 1'b0; always @(posedge clk) if (wen_i & ren_i) broken_q <= 1'b1;";
    let marked = format!("{storage} {marked}");
    let sources = mutated(sources, "heddle_ram_1r1w", storage, &marked);
    let (from, to) = (": mem_q[raddr_i];", ": mem_q[raddr_i] ^ {Width{broken_q}};");
    mutated(&sources, "heddle_ram_1r1w", from, to)
}

#[proves("FSA-37")]
#[test]
fn no_buffer_is_read_and_written_in_a_clock() {
    // Sets of a map memory share banks, so that it does need both ports.
    let both = single_port(&super::map::MAP_1);
    super::map::random_maps(&both, 1, 1).expect_err("a read beside a write");
    let (none, full) = (single_port(&NONE), single_port(&FULL));
    run_seeds(|seed| random_traffic(&none, seed, sizes(4, [None, None])));
    run_seeds(|seed| random_traffic(&full, seed, sizes(4, [BENES, BENES])));
}

/// Layouts, what they mean, and for sets of 16 entries: groups of buffers, and width and depth of the buffers of a group.
type Layout = (MapLayout, MemoryLayout, usize, &'static [[usize; 2]]);
pub(super) const LAYOUTS: [Layout; 4] = [
    (MapLayout::Both, MemoryLayout::Free, 2, &[[9, 16], [27, 16]]),
    (
        MapLayout::Roles,
        MemoryLayout::Roles,
        2,
        &[[9, 16], [27, 16]],
    ),
    (
        MapLayout::Crossed,
        MemoryLayout::Shared,
        1,
        &[[9, 32], [27, 32]],
    ),
    (MapLayout::Merged, MemoryLayout::Free, 2, &[[36, 16]]),
];

/// The text of a module.
pub(super) fn text<'a>(sources: &'a Sources, module: &str) -> &'a str {
    let mut files = sources.files.iter();
    let file = files.find(|(name, _)| name.starts_with(module));
    &file.expect("a file of this module").1
}

/// Width and depth of the memories of a module.
pub(super) fn buffers(sources: &Sources, module: &str) -> Vec<[usize; 2]> {
    let instances = text(sources, module).split("heddle_ram_1r1w #(").skip(1);
    let number = |instance: &str, name: &str| {
        let (_, rest) = instance.split_once(name).expect("a parameter");
        let digits = rest.trim_start().trim_start_matches('(');
        let (digits, _) = digits.split_once(')').expect("its value");
        digits.parse().expect("a number")
    };
    instances
        .map(|instance| [".Width", ".Depth"].map(|name| number(instance, name)))
        .collect()
}

#[proves("FSA-36")]
#[test]
fn memories_of_any_layout_follow_their_model() {
    for (layout, meaning, groups, buffers_of_group) in LAYOUTS {
        let sizes = MemoriesSizes {
            layout: meaning,
            ..sizes(4, [None, None])
        };
        let sources = sources(&sizes, layout);
        let memory = text(&sources, "heddle_feature_memory");
        assert_eq!(memory.contains("wire [1:0] bank_read;"), groups == 2);
        assert_eq!(buffers(&sources, "heddle_set_buffers"), buffers_of_group);
        run_seeds(|seed| {
            random_traffic(&sources, seed, sizes).map(|coverage| match meaning {
                MemoryLayout::Free => coverage,
                // What the layout does not have.
                _ => only(coverage),
            })
        });
    }
}

/// A coverage of what all layouts have.
fn only(coverage: Coverage) -> Coverage {
    let mut all = Coverage::default();
    let names = "order that waits,full set,exactly full set,wrong order,empty list";
    for name in names.split(',') {
        all.event(name, coverage.count(name) > 0);
    }
    all
}

#[test]
fn faults_of_memories_are_noticed() {
    let mutants = r"
        // A set that is in use gets another job.
        heddle_feature_memory: !(|own) & (other != order_job_i) => (other != order_job_i)
        // Two sets have the same side of a switch.
        heddle_feature_memory: !(|own) & (other != order_job_i) => !(|own)
        // A set is not emptied.
        heddle_feature_memory: & {2{!order_append_i}} & {2{!order_job_i[2]}} => & 2'd0
        // Words for one set go to the other one too.
        heddle_feature_memory: (writes[i]) => (|writes)
        // Results come from outside.
        heddle_feature_memory: stores[0] ? result_word_i => !stores[0] ? result_word_i
        // Entries are written beyond the end of the set.
        heddle_feature_memory: (|word[8:0]) & !is_full[0] => (|word[8:0])
        // Zeros are written.
        heddle_feature_memory: & (|word[44:36]) & !is_full[1] => & !is_full[1]
        // A set is read with the entries of the other one.
        heddle_feature_memory: gives[1] ? bank_read_word => gives[0] ? bank_read_word
        // A set is free before its last entry has left it.
        heddle_list_read: read_q & read_last_q & !waits_q => read_q & read_last_q
        // An empty set has an entry.
        heddle_list_read: (count_i == 16'd0) ? 9'd0 : entry_i[8:0] => entry_i[8:0]
        // An entry that finds no room behind the buffer is lost.
        heddle_list_read: (waits_q | read_q) & !goes => 1'b0";
    check_mutants(&NONE, &faults(mutants), |sources, seed| {
        random_traffic(sources, seed, sizes(4, [None, None]))
    });
}

#[test]
fn faults_of_ways_are_noticed() {
    let mutants = r"
        // A word for a memory goes to the unit too.
        heddle_sparse_interconnect: network_valid_out & ~stored => network_valid_out
        // Results for a unit go to the memory too.
        heddle_sparse_interconnect: network_valid_out & stored => network_valid_out
        // A list is torn by one of the other stream.
        heddle_stream_join: list_q ? second_q : !valid_i[0] => !valid_i[0]
        // Memories load and copy at once.
        heddle_feature_memory: (order_job_i == 3'd1) & (other == 3'd2) => 1'b0";
    check_mutants(&FULL, &faults(mutants), |sources, seed| {
        random_traffic(sources, seed, sizes(4, [BENES, BENES]))
    });
}

#[test]
fn faults_of_shared_buffers_are_noticed() {
    let sizes = MemoriesSizes {
        layout: MemoryLayout::Shared,
        ..sizes(4, [None, None])
    };
    let mutants = r"
        // Sets lie in the same place.
        heddle_feature_memory: count_q[31:16] | 16'd16 => count_q[31:16]
        // The second set is read where the first one lies.
        heddle_feature_memory: read_at | 16'd16 => read_at";
    let sources = sources(&sizes, MapLayout::Crossed);
    check_mutants(&sources, &faults(mutants), |sources, seed| {
        random_traffic(sources, seed, sizes)
    });
}
