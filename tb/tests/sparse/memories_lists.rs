//! Lists of the memory cluster: where they go, and that they stay what they are.

use heddle_sim::sparse::memories::{Job, MemoriesSizes};
use heddle_sim::sparse::net::NetworkKind;
use heddle_sim::sparse::reference::Entry;
use heddle_tb::verilate::Sources;
use rand::Rng;

use super::memories::{BENES, FIVE, FULL, LAYOUTS, MORE, NEXT, NONE, SWITCH, UNITS};
use super::memories_bench::{Bench, list, order, random_entry, sizes, sources};
use crate::rtl::{Checked, OrPanic};

/// Runs a test with a few seeds.
fn directed(sources: &Sources, sizes: MemoriesSizes, run: impl Fn(&mut Bench) -> Checked) {
    for seed in crate::rtl::seeds() {
        let mut bench = Bench::new(sources, seed, sizes);
        for _ in 0..3 {
            run(&mut bench).or_panic();
        }
    }
}

fn bound(run: impl Fn(&mut Bench) -> Checked) {
    directed(&NONE, sizes(4, [None, None]), run);
}

/// Pairs of different ports, the first one lower.
fn pairs() -> impl Iterator<Item = (usize, usize)> {
    (0..4).flat_map(|low| (low + 1..4).map(move |high| (low, high)))
}

/// A stream to a port; others go anywhere.
fn one_way(from: usize, to: usize) -> [Option<usize>; 4] {
    let mut ports = [None; 4];
    ports[from] = Some(to);
    ports
}

/// A list whose entries tell their source.
fn random_list(bench: &mut Bench, source: usize) -> Vec<Entry> {
    let count = bench.rng.random_range(0..=bench.sizes.entry_max);
    let mut entry = || random_entry(&mut bench.rng, source);
    (0..count).map(|_| entry()).collect()
}

/// Loads a list, and gives it.
fn load(bench: &mut Bench, memory: usize, set: usize) -> Vec<Entry> {
    let entries = random_list(bench, memory);
    bench.load[memory].extend(list(&entries, false));
    bench.orders.push_back(order(memory, set, Job::Load));
    entries
}

/// Gives results of a unit, for a memory or for a unit.
fn result(bench: &mut Bench, unit: usize, to_memory: bool) -> Vec<Entry> {
    let entries = random_list(bench, 64 + unit);
    bench.results[unit].extend(list(&entries, to_memory));
    entries
}

#[proves("FSA-28", "FSA-29")]
#[test]
fn a_memory_has_its_unit_and_outside_alone() {
    bound(|bench| {
        let loads: Vec<_> = (0..4).map(|memory| load(bench, memory, 0)).collect();
        bench.carry_out((0..4).map(|memory| order(memory, 0, Job::Unit)))?;
        for (unit, entries) in loads.iter().enumerate() {
            assert_eq!(bench.unit_entries(unit), *entries);
        }
        // Results return to the memory of the unit, and go outside from there.
        let results: Vec<_> = (0..4).map(|unit| result(bench, unit, true)).collect();
        bench.carry_out((0..4).map(|memory| order(memory, 1, Job::Store)))?;
        let outputs = bench.carry_out((0..4).map(|memory| order(memory, 1, Job::Out)))?;
        for (memory, entries) in results.iter().enumerate() {
            assert_eq!(bench.out_entries(memory), *entries);
        }
        assert_eq!((outputs.transfers, outputs.errors), ([0; 2], [false; 3]));
        Ok(())
    });
}

/// The clock in which the last of twelve entries of memory 1 comes to its unit, and most memories that were in use at once.
fn last_clock(others: usize) -> (usize, usize) {
    let mut bench = Bench::new(&NONE, 1, sizes(4, [None, None]));
    (bench.offered, bench.taken) = (1.0, 1.0);
    for memory in 0..4 {
        let count = if memory == 1 { 12 } else { others };
        let entries = vec![random_entry(&mut bench.rng, memory); count];
        bench.load[memory].extend(list(&entries, false));
        bench.orders.push_back(order(memory, 0, Job::Load));
    }
    let (mut last, mut together) = (0, 0);
    for clock in 0..100 {
        if clock == 40 {
            let orders = (0..4).map(|memory| order(memory, 0, Job::Unit));
            bench.orders.extend(orders);
        }
        let (_, outputs) = bench.step().or_panic();
        let in_use = outputs.busy.iter().filter(|sets| sets[0]).count();
        together = together.max(in_use);
        if outputs.unit[1].is_some() {
            last = clock;
        }
    }
    assert_eq!(bench.unit_entries(1).len(), 12);
    (last, together)
}

#[proves("FSA-28")]
#[test]
fn a_list_comes_in_the_same_clock_whatever_other_memories_do() {
    let (beside, together) = last_clock(14);
    assert_eq!((last_clock(0).0, together), (beside, 4));
}

#[proves("FSA-33")]
#[test]
fn each_source_writes_the_set_that_is_named_and_no_other() {
    bound(|bench| {
        for (set, job) in [
            (0, Job::Load),
            (1, Job::Load),
            (0, Job::Store),
            (1, Job::Store),
        ] {
            let mut sets = [0, 1].map(|set| load(bench, 2, set));
            bench.run()?;
            sets[set] = match job {
                Job::Load => load(bench, 2, set),
                _ => {
                    bench.orders.push_back(order(2, set, job));
                    result(bench, 2, true)
                }
            };
            bench.carry_out([0, 1].map(|set| order(2, set, Job::Out)))?;
            assert_eq!(bench.out_entries(2), sets.concat(), "{job:?} in set {set}");
        }
        Ok(())
    });
}

#[proves("FSA-34")]
#[test]
fn each_set_goes_to_its_unit_or_outside() {
    bound(|bench| {
        let sets = [0, 1].map(|set| load(bench, 2, set));
        for (set, entries) in sets.into_iter().enumerate() {
            bench.carry_out([order(2, set, Job::Unit)])?;
            assert_eq!(bench.unit_entries(2), entries);
            assert_eq!(bench.out_entries(2), []);
            bench.carry_out([order(2, set, Job::Out)])?;
            assert_eq!(bench.out_entries(2), entries);
            assert_eq!(bench.unit_entries(2), []);
        }
        Ok(())
    });
}

#[proves("FSA-19", "FSA-34")]
#[test]
fn one_order_loads_a_list_while_the_one_before_is_computed() {
    let mut bench = Bench::new(&NONE, 1, sizes(4, [None, None]));
    (bench.offered, bench.taken) = (1.0, 1.0);
    let mut entries = Vec::new();
    for number in 0..10 {
        let more: Vec<_> = (0..16).map(|_| random_entry(&mut bench.rng, 0)).collect();
        bench.load[0].extend(list(&more, false));
        let job = |at: usize, job| order(0, at % 2, job);
        bench.orders.push_back(job(number, Job::Load));
        if number > 0 {
            bench.orders.push_back(job(number - 1, Job::Unit));
        }
        entries.extend(more);
    }
    bench.orders.push_back(order(0, 1, Job::Unit));
    let mut together = 0;
    for _ in 0..240 {
        let (inputs, outputs) = bench.step().or_panic();
        let loads = inputs.load[0].is_some() && outputs.load_ready[0];
        together += usize::from(loads && outputs.unit[0].is_some());
    }
    assert_eq!(bench.unit_entries(0), entries);
    // Of 9 lists of 16 words that are loaded beside another one.
    assert!(together > 100, "{together} words");
}

#[proves("FSA-36")]
#[test]
fn any_layout_of_the_buffers_gives_the_same() {
    for (layout, meaning, ..) in LAYOUTS {
        let sizes = MemoriesSizes {
            layout: meaning,
            ..sizes(4, [None, None])
        };
        directed(&sources(&sizes, layout), sizes, |bench| {
            let entries = load(bench, 2, 0);
            let results = result(bench, 2, true);
            let jobs = [
                (0, Job::Unit),
                (1, Job::Store),
                (1, Job::Out),
                (0, Job::Out),
            ];
            bench.carry_out(jobs.map(|(set, job)| order(2, set, job)))?;
            assert_eq!(bench.unit_entries(2), entries);
            assert_eq!(bench.out_entries(2), [results, entries].concat());
            Ok(())
        });
    }
}

#[proves("FSA-37")]
#[test]
fn a_set_holds_as_many_entries_as_it_is_said_to() {
    for (layout, meaning, ..) in LAYOUTS {
        let sizes = MemoriesSizes {
            layout: meaning,
            ..sizes(4, [None, None])
        };
        let sources = sources(&sizes, layout);
        for (count, is_full) in [(16, false), (17, true)] {
            let mut bench = Bench::new(&sources, 1, sizes);
            let entries: Vec<_> = (0..count)
                .map(|_| random_entry(&mut bench.rng, 0))
                .collect();
            bench.load[0].extend(list(&entries, false));
            let jobs = [Job::Load, Job::Out].map(|job| order(0, 0, job));
            let outputs = bench.carry_out(jobs).or_panic();
            assert_eq!(bench.out_entries(0), entries[..16], "{layout:?}");
            assert_eq!(outputs.errors, [is_full, false, false]);
        }
    }
}

#[proves("FSA-30")]
#[test]
fn a_memory_reaches_its_unit_or_the_next_one() {
    directed(&NEXT, sizes(4, [SWITCH, SWITCH]), |bench| {
        for (memory, unit) in (0..4).flat_map(|at| [(at, at), (at, (at + 1).min(3))]) {
            let entries = load(bench, memory, 0);
            bench.route(0, &one_way(memory, unit));
            bench.run()?;
            bench.carry_out([order(memory, 0, Job::Unit)])?;
            let mut units = vec![Vec::new(); 4];
            units[unit] = entries;
            let come: Vec<_> = (0..4).map(|unit| bench.unit_entries(unit)).collect();
            assert_eq!(come, units);
        }
        Ok(())
    });
}

#[proves("FSA-32")]
#[test]
fn a_copy_in_another_memory_is_the_original() {
    let copy = |bench: &mut Bench, from: usize, to: usize| {
        let entries = load(bench, from, 0);
        bench.route(0, &one_way(from, to));
        bench.run()?;
        bench.carry_out([order(to, 1, Job::Copy), order(from, 0, Job::Memory)])?;
        bench.carry_out([order(to, 1, Job::Out), order(from, 0, Job::Out)])?;
        assert_eq!(bench.out_entries(to), entries);
        assert_eq!(bench.out_entries(from), entries);
        Ok(())
    };
    directed(&FULL, sizes(4, [BENES, BENES]), |bench| {
        pairs().try_for_each(|(from, to)| copy(bench, from, to))
    });
    directed(&NEXT, sizes(4, [SWITCH, SWITCH]), |bench| copy(bench, 1, 2));
}

#[proves("FSA-41")]
#[test]
fn units_exchange_results_and_no_memory_is_written() {
    let ring = [Some(2), Some(0), Some(3), Some(1)];
    let next = [Some(0), Some(2), None, Some(3)];
    for (sources, networks, to) in [
        (&UNITS, [None, BENES], ring),
        (&FULL, [BENES, BENES], ring),
        (&NEXT, [SWITCH, SWITCH], next),
    ] {
        directed(sources, sizes(4, networks), |bench| {
            let places = || (0..4).flat_map(|memory| [(memory, 0), (memory, 1)]);
            let kept: Vec<_> = places().map(|(at, set)| load(bench, at, set)).collect();
            bench.route(1, &to);
            let before = bench.run()?.transfers;
            let mut count = 0;
            let mut units = vec![Vec::new(); 4];
            for (from, to) in to.iter().enumerate() {
                if let Some(to) = *to {
                    units[to] = result(bench, from, false);
                    count += units[to].len().max(1) as u32;
                }
            }
            let outputs = bench.run()?;
            assert_eq!(outputs.transfers, [before[0], before[1] + count]);
            for (unit, entries) in units.into_iter().enumerate() {
                assert_eq!(bench.unit_entries(unit), entries);
            }
            bench.carry_out(places().map(|(at, set)| order(at, set, Job::Out)))?;
            for (memory, entries) in kept.chunks(2).enumerate() {
                assert_eq!(bench.out_entries(memory), entries.concat());
            }
            Ok(())
        });
    }
}

#[proves("FSA-27")]
#[test]
fn counts_of_results_tell_which_unit_another_one_relieves() {
    directed(&UNITS, sizes(4, [None, BENES]), |bench| {
        let before = bench.run()?.result_counts;
        let results: Vec<_> = (0..4).map(|unit| result(bench, unit, true)).collect();
        bench.route(1, &[0, 1, 2, 3].map(Some));
        let outputs = bench.carry_out((0..4).map(|memory| order(memory, 1, Job::Store)))?;
        let counts = outputs.result_counts.iter().zip(&before);
        let counts: Vec<_> = counts
            .map(|(after, before)| (after - before) as usize)
            .collect();
        assert_eq!(counts, results.iter().map(Vec::len).collect::<Vec<_>>());
        bench.carry_out((0..4).map(|memory| order(memory, 1, Job::Out)))?;
        bench.out.iter_mut().for_each(Vec::clear);
        // The next results of the unit with the most go to the one with the fewest.
        let unit_of = |count| counts.iter().position(|found| found == count);
        let busiest = counts.iter().max().and_then(unit_of).expect("four units");
        let idlest = counts.iter().min().and_then(unit_of).expect("four units");
        bench.route(1, &one_way(busiest, idlest));
        bench.run()?;
        let moved = result(bench, busiest, false);
        bench.run()?;
        assert_eq!(bench.unit_entries(idlest), moved);
        Ok(())
    });
}

#[proves("FSA-42")]
#[test]
fn results_in_a_memory_go_outside_and_where_there_is_a_network() {
    let builds: [(&Sources, [Option<NetworkKind>; 2]); 4] = [
        (&NONE, [None, None]),
        (&UNITS, [None, BENES]),
        (&NEXT, [SWITCH, SWITCH]),
        (&FULL, [BENES, BENES]),
    ];
    for (sources, networks) in builds {
        directed(sources, sizes(4, networks), |bench| {
            let results = result(bench, 1, true);
            bench.carry_out([order(1, 1, Job::Store), order(1, 1, Job::Out)])?;
            assert_eq!(bench.out_entries(1), results);
            bench.carry_out([order(1, 1, Job::Unit)])?;
            if networks[0].is_some() {
                assert_eq!(bench.unit_entries(1), results);
                bench.route(0, &one_way(1, 2));
                bench.run()?;
                bench.carry_out([order(1, 1, Job::Unit)])?;
                assert_eq!(bench.unit_entries(2), results);
                bench.carry_out([order(2, 0, Job::Copy), order(1, 1, Job::Memory)])?;
                bench.carry_out([order(2, 0, Job::Out)])?;
                assert_eq!(bench.out_entries(2), results);
                bench.route(0, &one_way(1, 1));
                bench.run()?;
            }
            bench.unit.iter_mut().for_each(Vec::clear);
            Ok(())
        });
    }
}

#[proves("FSA-80")]
#[test]
fn a_unit_takes_from_and_gives_to_a_memory_of_a_higher_number() {
    directed(&FULL, sizes(4, [BENES, BENES]), |bench| {
        for (unit, memory) in pairs() {
            let entries = load(bench, memory, 0);
            bench.route(0, &one_way(memory, unit));
            bench.route(1, &one_way(unit, memory));
            bench.run()?;
            let results = result(bench, unit, true);
            bench.carry_out([order(memory, 0, Job::Unit), order(memory, 1, Job::Store)])?;
            bench.carry_out([order(memory, 1, Job::Out)])?;
            assert_eq!(bench.unit_entries(unit), entries);
            assert_eq!(bench.out_entries(memory), results);
        }
        Ok(())
    });
}

#[proves("FSA-31", "FSA-81")]
#[test]
fn three_units_take_the_lists_of_five_memories() {
    directed(&FIVE, MORE, |bench| {
        let loads: Vec<_> = (0..5).map(|memory| load(bench, memory, 0)).collect();
        bench.run()?;
        // Ports 3 and 4 have no unit: their memories wait for the second route.
        for to in [[0, 1, 2, 3, 4], [3, 4, 5, 1, 0]] {
            let mut ports = to.map(Some).to_vec();
            ports.resize(8, None);
            bench.route(0, &ports);
            bench.run()?;
            let memories = || (0..5).filter(|memory| to[*memory] < 3);
            let outputs = bench.carry_out(memories().map(|at| order(at, 0, Job::Unit)))?;
            for memory in memories() {
                assert_eq!(bench.unit_entries(to[memory]), loads[memory]);
            }
            assert_eq!(outputs.errors, [false; 3]);
        }
        Ok(())
    });
}
