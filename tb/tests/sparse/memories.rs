//! The memory cluster with its variants.

use std::sync::LazyLock;

use heddle_arch::params::MapLayout;
use heddle_sim::sparse::memories::{
    Job, MemoriesInputs, MemoriesOutputs, MemoriesSizes, MemoryLayout, Order,
};
use heddle_sim::sparse::net::{NetworkKind, RouteWord, StreamWord};
use heddle_sim::sparse::reference::Entry;
use heddle_tb::verilate::Sources;
use rand::Rng;

use super::memories_bench::{Bench, list, order, random_entry, sizes, sources};
use crate::rtl::{Checked, Coverage, OrPanic, check_mutants, faults, mutated, run_seeds};

const BENES: Option<NetworkKind> = Some(NetworkKind::Benes);
const SWITCH: Option<NetworkKind> = Some(NetworkKind::Switch);

const MORE: MemoriesSizes = MemoriesSizes {
    memories: 5,
    units: 3,
    entry_max: 16,
    layout: MemoryLayout::Free,
    networks: [BENES, BENES],
};

fn built(networks: [Option<NetworkKind>; 2]) -> Sources {
    sources(&sizes(4, networks), MapLayout::Both)
}

static NONE: LazyLock<Sources> = LazyLock::new(|| built([None, None]));
static FULL: LazyLock<Sources> = LazyLock::new(|| built([BENES, BENES]));
static NEXT: LazyLock<Sources> = LazyLock::new(|| built([SWITCH, SWITCH]));
static UNITS: LazyLock<Sources> = LazyLock::new(|| built([None, BENES]));
static FIVE: LazyLock<Sources> = LazyLock::new(|| sources(&MORE, MapLayout::Both));

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
        // Now and then more than a set holds.
        let count = match bench.rng.random_range(0..8) {
            0 => 0,
            1 => 20,
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
    Order {
        memory: rng.random_range(0..bench.sizes.memories),
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
    let loads = |at: usize| inputs.load[at].is_some() && outputs.load_ready[at];
    let gives = |at: usize| at < sizes.units && outputs.unit[at].is_some();
    if !memories {
        coverage.event("list loaded while another one is computed", {
            (0..sizes.memories).any(|at| loads(at) && gives(at))
        });
    }
    coverage.event(
        "order that waits",
        inputs.order.is_some() && !outputs.order_ready,
    );
    coverage.event("full set", outputs.errors[0]);
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

#[test]
fn fsa_33_fsa_34_fsa_35_memories_bound_to_units_follow_their_model() {
    run_seeds(|seed| random_traffic(&NONE, seed, sizes(4, [None, None])));
}

#[test]
fn memories_with_networks_follow_their_model() {
    run_seeds(|seed| random_traffic(&FULL, seed, sizes(4, [BENES, BENES])));
    run_seeds(|seed| random_traffic(&NEXT, seed, sizes(4, [SWITCH, SWITCH])));
    run_seeds(|seed| random_traffic(&UNITS, seed, sizes(4, [None, BENES])));
}

#[test]
fn fsa_81_more_memories_than_units_follow_their_model() {
    run_seeds(|seed| random_traffic(&FIVE, seed, MORE));
}

/// The design with memories that read or write in a clock: a read in the clock of a write gives other bits.
fn single_port(sources: &Sources) -> Sources {
    let (from, to) = (
        "rdata_o <= mem_q[raddr_i]",
        "rdata_o <= wen_i ? ~mem_q[waddr_i] : mem_q[raddr_i]",
    );
    mutated(sources, "heddle_ram_1r1w", from, to)
}

#[test]
fn fsa_37_buffers_of_a_single_port_are_enough() {
    // Sets of a map memory share banks, so that it does need both ports.
    let both = single_port(&super::map::MAP_1);
    super::map::random_maps(&both, 1, 1).expect_err("a read beside a write");
    let (none, full) = (single_port(&NONE), single_port(&FULL));
    run_seeds(|seed| random_traffic(&none, seed, sizes(4, [None, None])));
    run_seeds(|seed| random_traffic(&full, seed, sizes(4, [BENES, BENES])));
}

fn random_list(bench: &mut Bench, source: usize) -> Vec<Entry> {
    let count = bench.rng.random_range(0..=bench.sizes.entry_max);
    (0..count)
        .map(|_| random_entry(&mut bench.rng, source))
        .collect()
}

/// Loads a list and gives it.
fn loaded(bench: &mut Bench, memory: usize, set: usize) -> Vec<Entry> {
    let entries = random_list(bench, memory);
    bench.load[memory].extend(list(&entries, false));
    bench.orders.push_back(order(memory, set, Job::Load));
    entries
}

/// Runs a directed test with a few seeds.
fn directed(sources: &Sources, sizes: MemoriesSizes, run: impl Fn(&mut Bench) -> Checked) {
    for seed in crate::rtl::seeds() {
        let mut bench = Bench::new(sources, seed, sizes);
        for _ in 0..10 {
            run(&mut bench).or_panic();
        }
    }
}

#[test]
fn fsa_28_fsa_29_a_memory_has_its_unit_and_outside_alone() {
    directed(&NONE, sizes(4, [None, None]), |bench| {
        let loads: Vec<_> = (0..4).map(|memory| loaded(bench, memory, 0)).collect();
        for memory in 0..4 {
            bench.orders.push_back(order(memory, 0, Job::Unit));
        }
        let outputs = bench.run()?;
        for (unit, entries) in loads.iter().enumerate() {
            assert_eq!(bench.unit_entries(unit), *entries);
        }
        // Results return to the memory of the unit.
        let results: Vec<_> = (0..4).map(|unit| random_list(bench, 64 + unit)).collect();
        for (unit, entries) in results.iter().enumerate() {
            bench.results[unit].extend(list(entries, true));
            bench.orders.push_back(order(unit, 1, Job::Store));
            bench.orders.push_back(order(unit, 1, Job::Out));
        }
        assert_eq!(outputs.transfers, [0; 2]);
        let outputs = bench.run()?;
        for (memory, entries) in results.iter().enumerate() {
            assert_eq!(bench.out_entries(memory), *entries);
        }
        assert_eq!((outputs.transfers, outputs.errors), ([0; 2], [false; 3]));
        Ok(())
    });
}

#[test]
fn fsa_36_any_layout_of_the_buffers_gives_the_same() {
    let layouts = [
        (MapLayout::Both, MemoryLayout::Free),
        (MapLayout::Roles, MemoryLayout::Roles),
        (MapLayout::Crossed, MemoryLayout::Shared),
        (MapLayout::Merged, MemoryLayout::Free),
    ];
    for (layout, meaning) in layouts {
        let sizes = MemoriesSizes {
            layout: meaning,
            ..sizes(4, [None, None])
        };
        let sources = sources(&sizes, layout);
        directed(&sources, sizes, |bench| {
            let entries = loaded(bench, 2, 0);
            let results = random_list(bench, 66);
            bench.results[2].extend(list(&results, true));
            let jobs = [
                (0, Job::Unit),
                (1, Job::Store),
                (1, Job::Out),
                (0, Job::Out),
            ];
            bench
                .orders
                .extend(jobs.map(|(set, job)| order(2, set, job)));
            bench.run()?;
            assert_eq!(bench.unit_entries(2), entries);
            assert_eq!(bench.out_entries(2), [results, entries].concat());
            Ok(())
        });
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
    for name in ["order that waits", "full set", "wrong order", "empty list"] {
        all.event(name, coverage.count(name) > 0);
    }
    all
}

#[test]
fn fsa_32_a_copy_in_another_memory_is_the_original() {
    directed(&FULL, sizes(4, [BENES, BENES]), |bench| {
        let entries = loaded(bench, 0, 0);
        let kept = loaded(bench, 1, 1);
        bench.run()?;
        bench.route(0, &[Some(3), Some(2), Some(1), Some(0)]);
        bench.run()?;
        bench.orders.extend([
            order(3, 1, Job::Copy),
            order(2, 0, Job::Copy),
            order(0, 0, Job::Memory),
            order(1, 1, Job::Memory),
        ]);
        bench.run()?;
        let outs = [(3, 1), (2, 0), (0, 0)];
        bench
            .orders
            .extend(outs.map(|(memory, set)| order(memory, set, Job::Out)));
        bench.run()?;
        assert_eq!(bench.out_entries(3), entries);
        assert_eq!(bench.out_entries(2), kept);
        assert_eq!(bench.out_entries(0), entries);
        Ok(())
    });
    directed(&NEXT, sizes(4, [SWITCH, SWITCH]), |bench| {
        let entries = loaded(bench, 1, 0);
        bench.routes[0].push_back(RouteWord {
            place: 0,
            data: 0b010,
            last: true,
        });
        bench.orders.extend([
            order(2, 1, Job::Copy),
            order(1, 0, Job::Memory),
            order(2, 1, Job::Out),
        ]);
        bench.run()?;
        assert_eq!(bench.out_entries(2), entries);
        Ok(())
    });
}

#[test]
fn fsa_30_a_memory_reaches_its_unit_or_the_next_one() {
    directed(&NEXT, sizes(4, [SWITCH, SWITCH]), |bench| {
        for crossed in [0b000, 0b100] {
            let entries = loaded(bench, 2, 0);
            bench.routes[0].push_back(RouteWord {
                place: 0,
                data: crossed,
                last: true,
            });
            bench.run()?;
            bench.orders.push_back(order(2, 0, Job::Unit));
            bench.run()?;
            let unit = if crossed == 0 { 2 } else { 3 };
            assert_eq!(bench.unit_entries(unit), entries);
            assert!(
                bench
                    .unit
                    .iter()
                    .flatten()
                    .all(|word| word.entry.value == 0)
            );
            bench.unit.iter_mut().for_each(Vec::clear);
        }
        Ok(())
    });
}

#[test]
fn fsa_41_units_exchange_results_and_no_memory_is_written() {
    for (sources, networks) in [(&UNITS, [None, BENES]), (&FULL, [BENES, BENES])] {
        directed(sources, sizes(4, networks), |bench| {
            bench.route(1, &[Some(2), Some(0), Some(3), Some(1)]);
            let before = bench.run()?.transfers[1];
            let lists: Vec<_> = (0..4).map(|unit| random_list(bench, 64 + unit)).collect();
            let mut count = 0;
            for (unit, entries) in lists.iter().enumerate() {
                bench.results[unit].extend(list(entries, false));
                count += entries.len().max(1) as u32;
            }
            let outputs = bench.run()?;
            for (unit, to) in [2, 0, 3, 1].into_iter().enumerate() {
                assert_eq!(bench.unit_entries(to), lists[unit]);
            }
            // `run` ends when no set is in use; none was ordered.
            assert_eq!(outputs.transfers[1] - before, count);
            assert_eq!(outputs.transfers[0], 0);
            Ok(())
        });
    }
}

#[test]
fn fsa_42_results_in_a_memory_go_outside_to_another_memory_and_to_another_unit() {
    directed(&FULL, sizes(4, [BENES, BENES]), |bench| {
        bench.route(0, &[Some(1), Some(0), Some(3), Some(2)]);
        bench.route(1, &[Some(0), Some(1), Some(2), Some(3)]);
        bench.run()?;
        let results = random_list(bench, 64);
        bench.results[0].extend(list(&results, true));
        bench.orders.extend([
            order(0, 1, Job::Store),
            order(0, 1, Job::Out),
            order(0, 1, Job::Unit),
            order(1, 0, Job::Copy),
            order(0, 1, Job::Memory),
            order(1, 0, Job::Out),
        ]);
        bench.run()?;
        assert_eq!(bench.out_entries(0), results);
        assert_eq!(bench.unit_entries(1), results);
        assert_eq!(bench.out_entries(1), results);
        Ok(())
    });
}

#[test]
fn fsa_80_a_unit_takes_from_and_gives_to_a_memory_of_a_higher_number() {
    directed(&FULL, sizes(4, [BENES, BENES]), |bench| {
        let entries = loaded(bench, 3, 0);
        bench.route(0, &[Some(1), Some(2), Some(3), Some(0)]);
        bench.route(1, &[Some(2), Some(0), Some(1), Some(3)]);
        bench.run()?;
        bench.orders.push_back(order(3, 0, Job::Unit));
        bench.run()?;
        assert_eq!(bench.unit_entries(0), entries);
        let results = random_list(bench, 64);
        bench.results[0].extend(list(&results, true));
        bench
            .orders
            .extend([order(2, 1, Job::Store), order(2, 1, Job::Out)]);
        bench.run()?;
        assert_eq!(bench.out_entries(2), results);
        Ok(())
    });
}

#[test]
fn fsa_31_fsa_81_three_units_take_the_lists_of_five_memories() {
    directed(&FIVE, MORE, |bench| {
        let loads: Vec<_> = (0..5).map(|memory| loaded(bench, memory, 0)).collect();
        bench.run()?;
        // Ports 3 and 4 have no unit: their memories wait for the second route.
        let routes = [[0, 1, 2, 3, 4], [3, 4, 5, 1, 0]];
        for (turn, to) in routes.into_iter().enumerate() {
            let mut ports: Vec<_> = to.into_iter().map(Some).collect();
            ports.resize(8, None);
            bench.route(0, &ports);
            bench.run()?;
            let reaches = |memory: &usize| to[*memory] < 3;
            for memory in (0..5).filter(reaches) {
                bench.orders.push_back(order(memory, 0, Job::Unit));
            }
            let outputs = bench.run()?;
            for memory in (0..5).filter(reaches) {
                assert_eq!(bench.unit_entries(to[memory]), loads[memory], "turn {turn}");
            }
            assert_eq!(outputs.errors, [false; 3]);
        }
        Ok(())
    });
}

#[test]
fn fsa_39_the_lists_of_a_unit_do_not_depend_on_those_of_others() {
    let sizes = sizes(4, [None, None]);
    // The last one of memory 1 is the same whatever the others do, and in the same clock.
    let clocks = |others: usize| {
        let mut bench = Bench::new(&NONE, 1, sizes);
        (bench.offered, bench.taken) = (1.0, 1.0);
        for memory in 0..4 {
            let count = if memory == 1 { 12 } else { others };
            let entry = |_| Entry {
                value: 7,
                channel: memory,
                row: 1,
                col: 2,
            };
            let entries: Vec<_> = (0..count).map(entry).collect();
            bench.load[memory].extend(list(&entries, false));
            bench.orders.push_back(order(memory, 0, Job::Load));
        }
        let mut together = 0;
        let mut last = 0;
        for clock in 0..100 {
            if clock == 40 {
                bench
                    .orders
                    .extend((0..4).map(|memory| order(memory, 0, Job::Unit)));
            }
            let (_, outputs) = bench.step().or_panic();
            together = together.max(outputs.busy.iter().filter(|sets| sets[0]).count());
            if outputs.unit[1].is_some() {
                last = clock;
            }
        }
        assert_eq!(bench.unit_entries(1).len(), 12);
        assert!(bench.orders.is_empty());
        (last, together)
    };
    let (alone, _) = clocks(0);
    let (beside, together) = clocks(14);
    assert_eq!((alone, together), (beside, 4));
}

#[test]
fn faults_of_memories_are_noticed() {
    let mutants = r"
        // A set that is in use gets another job.
        heddle_feature_memory: !(|own) & (other != order_job_i) => (other != order_job_i)
        // Two sets have the same side of a switch.
        heddle_feature_memory: !(|own) & (other != order_job_i) => !(|own)
        // A set is not emptied.
        heddle_feature_memory: !order_append_i & !order_job_i[2] => 1'b0
        // Results come from outside.
        heddle_feature_memory: stores[i] ? result_word_i => !stores[i] ? result_word_i
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
        heddle_sparse_memories: assign fed[i] = memory_net_valid_out[i] & !copies[i] => assign fed[i] = memory_net_valid_out[i]
        // Results for a unit go to the memory too.
        heddle_sparse_memories: unit_net_valid_out[i] & stored[i] => unit_net_valid_out[i]
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
