//! Commands made to meet a border each, and the figure of throughput.

use heddle_arch::transfer::{Space, Transfer, Walk};
use heddle_sim::dma::Windows;

use super::bench::{Bench, Command, row, shape, verilog};
use super::bus::Manners;
use crate::rtl::{Checked, OrPanic, check_mutants, faults};
use heddle_tb::verilate::Sources;

/// Error codes.
pub const WINDOW: u64 = 10;
pub const LOCAL: u64 = 11;

fn walks(space: Space, place: [u32; 2], loops: [(u32, u32, u32); 3]) -> Transfer {
    let mut transfer = row(1, place[0]);
    transfer.space = space;
    transfer.place = place;
    transfer.loops = loops.map(|(count, step, pitch)| Walk { count, step, pitch });
    transfer
}

fn with(mut transfer: Transfer, change: impl Fn(&mut Transfer)) -> Transfer {
    change(&mut transfer);
    transfer
}

/// Transfers with what each is for.
fn transfers() -> Vec<(&'static str, Transfer, u64)> {
    let buffer = |loops| walks(Space::Buffer, [3, 0], loops);
    vec![
        ("one word", row(1, 8191), 0x1000),
        ("most words of X", row(8192, 0), 0x10_0000),
        (
            "most turns of Y",
            buffer([(1, 0, 8), (8192, 1, 8), (1, 0, 0)]).tap(|t| t.place = [0, 0]),
            0x2_0000,
        ),
        ("a page border", row(40, 0), 0x1ff8),
        ("the last word of a page", row(1, 0), 0x1ff8),
        ("a whole page", row(512, 0), 0x3000),
        (
            "joined rows",
            buffer([(5, 1, 8), (9, 5, 40), (1, 0, 0)]),
            0x5010,
        ),
        (
            "joined planes",
            buffer([(3, 1, 8), (4, 3, 24), (6, 12, 96)]),
            0x5010,
        ),
        (
            "planes that join, of rows that do not",
            buffer([(2, 1, 8), (3, 2, 32), (4, 6, 80)]),
            0x5010,
        ),
        (
            "rows with gaps",
            buffer([(5, 1, 8), (7, 8, 4096), (2, 64, 64)]),
            0x6ff0,
        ),
        (
            "rows that overlap",
            buffer([(5, 1, 8), (7, 5, 16), (1, 0, 0)]),
            0x7000,
        ),
        (
            "one word again and again",
            buffer([(1, 0, 8), (30, 1, 0), (2, 40, 0)]),
            0x7008,
        ),
        (
            "partitions on X",
            buffer([(6, 0, 8), (10, 1, 48), (1, 0, 0)]).tap(|t| t.partitions = 1),
            0x8000,
        ),
        (
            "partitions on Y",
            buffer([(10, 1, 8), (6, 0, 80), (3, 100, 800)]).tap(|t| t.partitions = 2),
            0x8000,
        ),
        (
            "partitions on Z",
            buffer([(4, 2, 8), (3, 20, 40), (6, 0, 256)]).tap(|t| t.partitions = 3),
            0x8000,
        ),
        ("a zero point", row(20, 5).tap(|t| t.zero = 0x83), 0x9000),
        (
            "an offset",
            row(20, 5).tap(|t| (t.offset, t.region) = (0x7f8, 2)),
            0x9000,
        ),
    ]
}

/// Loads that are no stores.
fn loads() -> Vec<(&'static str, Transfer, u64)> {
    let fill = |loops: [(u32, u32, u32); 3]| {
        walks(
            Space::Buffer,
            [1, 2],
            loops.map(|(count, step, _)| (count, step, 0)),
        )
        .tap(|t| t.fill = true)
    };
    vec![
        ("a fill of one", fill([(1, 0, 0), (1, 0, 0), (1, 0, 0)]), 0),
        (
            "a fill of three loops",
            fill([(3, 7, 0), (5, 100, 0), (4, 0, 0)]).tap(|t| t.partitions = 3),
            0,
        ),
        (
            "column parameters",
            walks(Space::Columns, [2, 1], [(4, 1, 16), (5, 3, 64), (1, 0, 0)]),
            0xa000,
        ),
        (
            "all column parameters",
            walks(Space::Columns, [0, 0], [(5, 1, 16), (64, 1, 80), (1, 0, 0)]),
            0xaff8,
        ),
        (
            "row tables",
            walks(Space::Rows, [1, 0], [(31, 1, 8), (6, 0, 248), (1, 0, 0)])
                .tap(|t| t.partitions = 2),
            0xb000,
        ),
        (
            "activation tables",
            walks(Space::Tables, [256, 0], [(512, 1, 8), (1, 0, 0), (1, 0, 0)]),
            0xc000,
        ),
        (
            "a program",
            walks(
                Space::Program,
                [100, 0],
                [(412, 1, 8), (1, 0, 0), (1, 0, 0)],
            ),
            0xd008,
        ),
        (
            "weights of the cluster",
            walks(Space::Weights, [0, 0], [(70, 0, 8), (2, 0, 560), (1, 0, 0)]),
            0xe000,
        ),
        (
            "commands of the cluster",
            walks(Space::Commands, [0, 0], [(9, 0, 8), (1, 0, 0), (1, 0, 0)]),
            0xe000,
        ),
    ]
}

trait Tap: Sized {
    fn tap(self, change: impl Fn(&mut Self)) -> Self;
}

impl Tap for Transfer {
    fn tap(self, change: impl Fn(&mut Self)) -> Self {
        with(self, change)
    }
}

fn runs(max_burst: usize, banked: bool) {
    let mut shape = shape(max_burst, 4);
    shape.banked = banked;
    let sources = verilog(shape);
    let mut bench = Bench::new(&sources, 1, shape, Manners::quick(7));
    let mut words = 0;
    let all = transfers().into_iter().map(|case| (case, true));
    let all = all.chain(loads().into_iter().map(|case| (case, false)));
    for ((what, transfer, base), stores) in all {
        for store in [false, true].into_iter().filter(|store| stores || !store) {
            let before = bench.counts[0] + bench.counts[1];
            bench.give(Command::new(transfer, base), store);
            let named = |message: String| format!("{what}: {message}");
            bench.finish(100_000).map_err(named).or_panic();
            bench.check_all().map_err(named).or_panic();
            bench.forget();
            assert!(
                bench.counts[0] + bench.counts[1] > before,
                "{what} moved nothing"
            );
            words += bench.counts[0] + bench.counts[1] - before;
        }
    }
    assert!(words > 37_000, "{words} words");
}

#[proves("PET-62")]
#[test]
fn transfers_move_their_words() {
    runs(32, false);
}

#[test]
fn transfers_move_their_words_in_short_and_long_bursts() {
    runs(8, true);
    runs(256, false);
}

/// One window, and a transfer at its edge: whether it goes, and else the page.
fn edge(
    windows: [(u32, u32, bool, bool); 4],
    transfer: Transfer,
    base: u64,
    store: bool,
) -> Checked<Option<(u64, u64)>> {
    let shape = shape(32, 4);
    let mut bench = Bench::new(&verilog(shape), 2, shape, Manners::quick(3));
    bench.open(Windows(windows));
    bench.give(Command::new(transfer, base), store);
    bench.finish(100_000)?;
    match bench.failed {
        None => bench.check_all().map(|()| None),
        Some((_, (code, source, _, address, _, _))) => {
            bench.check_memory(false)?;
            assert_eq!(source, 4 + u64::from(store));
            Ok(Some((code, address)))
        }
    }
}

#[test]
fn windows_end_with_their_last_page() {
    let shut = (0, 0, false, false);
    let mut cases = 0;
    for store in [false, true] {
        for place in 0..4 {
            let mut windows = [shut; 4];
            windows[place] = (0x10, 0x12, !store, store);
            for (begin, words, expected) in [
                (0x10_000, 3 * 512, None),
                (0x12_ff8, 1, None),
                (0x0f_ff8, 2, Some((WINDOW, 0x0f_ff8))),
                (0x12_ff8, 2, Some((WINDOW, 0x13_000))),
                (0x11_000, 1025, Some((WINDOW, 0x13_000))),
            ] {
                let found = edge(windows, row(words, 0), begin, store).or_panic();
                assert_eq!(found, expected, "window {place}, {begin:#x}");
                cases += 1;
            }
            // The other permission opens nothing, and what no window has written stays shut.
            windows[place] = (0x10, 0x12, store, !store);
            let found = edge(windows, row(1, 0), 0x11_000, store).or_panic();
            assert_eq!(found, Some((WINDOW, 0x11_000)));
        }
    }
    assert_eq!(cases, 40);
}

#[test]
fn the_last_page_can_be_open_and_what_lies_behind_it_is_not() {
    let shut = (0, 0, false, false);
    let windows = |last| [shut, shut, (0xfffff, last, true, true), shut];
    for store in [false, true] {
        for (last, words, offset, expected) in [
            (0xfffff, 512, 0, None),
            (0xfffff, 513, 0, Some((WINDOW, 0))),
            (0xfff_ffff, 513, 0, Some((WINDOW, 0))),
            (0xfff_ffff, 1, 0x1000, Some((WINDOW, 0))),
        ] {
            let transfer = row(words, 0).tap(|t| t.offset = offset);
            let found = edge(windows(last), transfer, 0xffff_f000, store).or_panic();
            assert_eq!(found, expected, "{words} words, {offset:#x}");
        }
        // The distance of rows carries.
        let transfer = walks(
            Space::Buffer,
            [0, 0],
            [(1, 0, 8), (2, 1, 0x8000_0000), (1, 0, 0)],
        );
        let all = [(0, 0xfff_ffff, true, true), shut, shut, shut];
        let found = edge(all, transfer, 0x9000_0000, store).or_panic();
        assert_eq!(found, Some((WINDOW, 0x1000_0000)));
    }
}

#[test]
fn places_beyond_their_memory_are_not_written() {
    let open = [(0, 0xfffff, true, true); 4];
    let x = |count, step| [(count, step, 8), (1, 0, 0), (1, 0, 0)];
    let mut cases = 0;
    for (what, good, bad) in [
        (
            "word",
            walks(Space::Buffer, [8190, 5], x(2, 1)),
            walks(Space::Buffer, [8190, 5], x(3, 1)),
        ),
        (
            "word, step",
            walks(Space::Buffer, [0, 0], x(2, 8191)),
            walks(Space::Buffer, [1, 0], x(2, 8191)),
        ),
        (
            "partition",
            walks(Space::Buffer, [0, 4], x(2, 1)).tap(|t| t.partitions = 1),
            walks(Space::Buffer, [0, 4], x(3, 1)).tap(|t| t.partitions = 1),
        ),
        (
            "first partition",
            walks(Space::Buffer, [0, 5], x(1, 1)),
            walks(Space::Buffer, [0, 255], x(1, 1)),
        ),
        (
            "tile",
            walks(Space::Columns, [63, 0], [(5, 1, 16), (1, 1, 80), (1, 0, 0)]),
            walks(Space::Columns, [63, 0], [(5, 1, 16), (2, 1, 80), (1, 0, 0)]),
        ),
        (
            "column",
            walks(Space::Columns, [0, 3], [(2, 1, 16), (1, 1, 80), (1, 0, 0)]),
            walks(Space::Columns, [0, 3], [(3, 1, 16), (1, 1, 80), (1, 0, 0)]),
        ),
        (
            "entry",
            walks(Space::Rows, [31, 5], x(1, 1)),
            walks(Space::Rows, [31, 5], x(2, 1)),
        ),
        (
            "row",
            walks(Space::Rows, [0, 5], x(1, 1)),
            walks(Space::Rows, [0, 5], x(2, 0)).tap(|t| t.partitions = 1),
        ),
        (
            "table",
            walks(Space::Tables, [767, 0], x(1, 1)),
            walks(Space::Tables, [767, 0], x(2, 1)),
        ),
        (
            "pair",
            walks(Space::Program, [511, 0], x(1, 1)),
            walks(Space::Program, [511, 0], x(2, 1)),
        ),
    ] {
        for store in [false, true] {
            if store && good.space != Space::Buffer {
                continue;
            }
            assert_eq!(edge(open, good, 0x4000, store).or_panic(), None, "{what}");
            assert_eq!(
                edge(open, bad, 0x4000, store).or_panic(),
                Some((LOCAL, 0)),
                "{what}"
            );
            cases += 1;
        }
    }
    assert_eq!(cases, 14);
}

/// Loads of a program and of jobs from a memory that answers at once: those of parameters and tables begin when units have passed, and no later.
fn settles(sources: &Sources, seed: u64) -> Checked {
    let shape = shape(32, 4);
    let mut bench = Bench::new(sources, seed, shape, Manners::quick(1));
    let four = [(4, 1, 8), (1, 0, 0), (1, 0, 0)];
    let columns = walks(Space::Columns, [1, 0], [(2, 1, 16), (1, 0, 0), (1, 0, 0)]);
    let mut expected = 0;
    for (transfer, waits) in [
        (columns, true),
        (walks(Space::Rows, [1, 2], four), true),
        (walks(Space::Tables, [9, 0], four), true),
        (walks(Space::Program, [9, 0], four), false),
        (walks(Space::Buffer, [9, 0], four), false),
    ] {
        for program in [true, false] {
            let begin = bench.dut.cycle();
            let command = Command {
                program,
                ..Command::new(transfer, 0x4000)
            };
            bench.give(command, false);
            // One behind it that need not wait does not make it wait.
            if program {
                let behind = walks(Space::Buffer, [30, 0], four);
                bench.give(
                    Command {
                        program,
                        ..Command::new(behind, 0x5000)
                    },
                    false,
                );
            }
            bench.finish(1000)?;
            bench.check_all()?;
            bench.forget();
            expected += u64::from(program && waits);
            if bench.settled != expected {
                return Err(bench.dut.message("a load waits for too long"));
            }
            let took = bench.dut.cycle() - begin;
            if !(program && waits) && took > 60 {
                return Err(bench.dut.message(&format!("a load takes {took} clocks")));
            }
        }
    }
    Ok(())
}

#[test]
fn parameters_of_a_program_are_written_when_units_have_passed() {
    let sources = verilog(shape(32, 4));
    settles(&sources, 1).or_panic();
    let list = faults(include_str!("mutants/settle.txt"));
    check_mutants(&sources, &list, settles);
}

/// Beats that follow one another in nearly every clock.
fn pace(beats: &[u64]) -> f64 {
    beats.len() as f64 / (beats[beats.len() - 1] - beats[0] + 1) as f64
}

#[test]
fn long_transfers_have_a_beat_in_nearly_every_clock() {
    let shape = shape(32, 4);
    let sources = verilog(shape);
    for (words, base) in [(512, 0x4000), (1024, 0x4ff8), (8192, 0x10_0010)] {
        for latency in [1, 20, 64] {
            let mut bench = Bench::new(&sources, 3, shape, Manners::quick(latency));
            bench.give(Command::new(row(words, 0), base), false);
            bench.give(Command::new(row(words, 0), base + 0x100_0000), true);
            bench.finish(100_000).or_panic();
            bench.check_all().or_panic();
            for (beats, side) in [
                (&bench.bus.read_beats, "load"),
                (&bench.bus.write_beats, "store"),
            ] {
                assert_eq!(beats.len(), words as usize);
                let pace = pace(beats);
                println!(
                    "{side} of {words} words, latency {latency}: {:.1} % of the clocks have a beat",
                    100.0 * pace
                );
                assert!(
                    pace >= 0.95,
                    "{side} of {words} words, latency {latency}: {pace}"
                );
            }
        }
    }
}
