//! Runs a program on both machines, clock by clock.

use std::collections::{BTreeMap, BTreeSet};

use heddle_arch::host::{CTRL_START, Register};
use heddle_arch::params::Params;
use heddle_sim::machine::{DrainedWord, MachineError, WrittenWord};
use heddle_tb::{Model, PortId};

use super::guest::{Guest, Visits};
use super::traffic::{Moved, Traffic};
use crate::machines::pair::End;
use crate::matrix::bench::Bench;
use crate::rtl::Checked;

/// A word on its way into a partition: word address and bytes.
type Word = (u32, [u8; 8]);

/// Cycle in which a word enters its partition: post wave, scaling, byte packer and the registers behind it.
fn arrival(word: &DrainedWord, params: &Params) -> u64 {
    let wave = 1 + u64::from(word.column);
    let lane = 7 + u64::from(params.post.extra_cycles()) + u64::from(word.flushed);
    let place = 1;
    word.cycle + wave + lane + place
}

/// What writes a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Writer {
    Drain,
    Copy,
}

/// Where and when a word is written on the way to its partition: cycle, writer and partition; and the word.
fn expectation(written: WrittenWord, params: &Params) -> ((u64, Writer, u32), Word) {
    match written {
        WrittenWord::Drained(drained) => (
            (arrival(&drained, params), Writer::Drain, drained.partition),
            (drained.word, drained.data),
        ),
        // Three cycles to the weight wave, one for each partition before, six from the read to the write.
        WrittenWord::Copied(copied) => (
            (
                copied.cycle + 9 + u64::from(copied.partition),
                Writer::Copy,
                copied.partition,
            ),
            (copied.word, copied.data),
        ),
    }
}

/// What was seen in a run.
#[derive(Debug, Clone)]
pub struct Seen {
    pub end: End,
    /// Words that drains and copies have written.
    pub words: u64,
    /// Those of copies.
    pub copied: u64,
    pub visits: Visits,
    /// What the clients of an open machine have moved.
    pub moved: Moved,
    /// Words that both sides have written, or the hardware alone.
    touched: BTreeSet<(u32, u32)>,
}

#[derive(Debug, Clone, Copy)]
struct Probes {
    running: PortId,
    writers: [(Writer, [PortId; 3]); 2],
    rows: u32,
}

impl Probes {
    fn new(model: &Model, params: &Params) -> Self {
        let port = |name: &str| model.port(name).expect("the machine has probes");
        Self {
            running: port("running_o"),
            writers: [(Writer::Drain, "place"), (Writer::Copy, "copy")].map(|(writer, name)| {
                let port = |what| port(&format!("{name}_{what}_o"));
                (writer, ["valid", "word", "data"].map(port))
            }),
            rows: params.array.rows,
        }
    }

    /// Partitions and words that are written in this clock.
    fn arriving(self, model: &Model) -> impl Iterator<Item = (Writer, u32, Word)> {
        let writers = self.writers.into_iter();
        writers.flat_map(move |(writer, [valid, word, data])| {
            let valid = model.get(valid);
            let rows = (0..self.rows).filter(move |row| valid >> row & 1 == 1);
            rows.map(move |row| {
                let word = model.get_bits(word, 13 * row, 13) as u32;
                let data = model.get_bits(data, 64 * row, 64);
                (writer, row, (word, data.to_le_bytes()))
            })
        })
    }
}

/// Runs the program at word `pc` on both machines. `guest` is the seed of a host that visits the machine
/// meanwhile; an open machine has clients that move words beside a program that reaches HALT.
///
/// Every word that a drain or copy writes is written in the clock that the golden machine says, and no
/// other is; then the end, the counters behind HALT and the state buffer are compared. Where the golden machine does
/// not judge what the hardware does, or neither has finished within `limit` cycles, the golden machine gets the
/// state buffer of the hardware, in which only words that were drained or copied may differ.
pub fn run(bench: &mut Bench, pc: u32, limit: u64, guest: Option<u64>) -> Checked<Seen> {
    let params = bench.params();
    let mut expected: BTreeMap<(u64, Writer, u32), Word> = BTreeMap::new();
    let predicted = bench.pair.golden.run_watched(pc, limit, |written| {
        let (key, word) = expectation(written, params);
        let other = expected.insert(key, word);
        assert_eq!(other, None, "two words for one partition");
    });
    let total = expected.len() as u64;
    let judged = !predicted.as_ref().is_err_and(MachineError::is_open);
    let endless = matches!(predicted, Err(MachineError::StillRunning { .. }));
    let mut touched: BTreeSet<_> = expected.iter().map(|(key, word)| (key.2, word.0)).collect();

    let host = &mut bench.pair.host;
    host.write(Register::StartPc.address(), pc.into())
        .expect("taken");
    host.write(Register::Ctrl.address(), CTRL_START)
        .expect("taken");
    let model = host.model();
    model.clock();
    let probes = Probes::new(model, params);
    let opens = params.has_dma() && predicted.is_ok();
    let mut traffic = guest.filter(|_| opens).map(|seed| {
        let golden = &bench.pair.golden;
        Traffic::new(model, params, seed, golden, pc)
    });
    let guest = guest.filter(|_| !params.has_dma());
    let mut guest = guest.map(|seed| Guest::new(model, params, seed, &predicted));
    // Nothing may be written once the machine does not run any more: the host may.
    let tail = u64::from(params.array.rows + params.array.cols) + 64;
    let longest = if endless { limit } else { limit + tail };
    let mut left = tail;
    let (mut cycle, mut words, mut copied) = (0, 0, 0);
    let verdict = loop {
        let running = model.get(probes.running) == 1;
        let found: Vec<_> = probes.arriving(model).collect();
        let place = |text: String| format!("cycle {cycle}: {text}");
        for (writer, partition, word) in found {
            if !running {
                return Err(bench.pair.message(place(format!(
                    "partition {partition} gets word {word:?} behind the end"
                ))));
            }
            if writer == Writer::Copy && word.0 >= params.work_bytes() / 8 {
                // An error is on its way; no bank takes the word.
                continue;
            }
            words += 1;
            copied += u64::from(writer == Writer::Copy);
            touched.insert((partition, word.0));
            match expected.remove(&(cycle, writer, partition)) {
                Some(wanted) if wanted == word => {}
                // A word that met the write of it may have been copied since.
                Some(wanted) if !judged && writer == Writer::Copy && wanted.0 == word.0 => {}
                None if !judged && word.0 < params.work_bytes() / 8 => {}
                other => {
                    return Err(bench.pair.message(place(format!(
                        "partition {partition} gets word {word:?} ({writer:?}), golden machine has {other:?}"
                    ))));
                }
            }
        }
        if let Some((&(due, _, partition), word)) = expected.first_key_value() {
            if due <= cycle {
                return Err(bench.pair.message(place(format!(
                    "partition {partition} gets nothing, golden machine has {word:?}"
                ))));
            }
        }
        if let Some(guest) = &mut guest {
            if let Err(error) = guest.act(model, cycle, running) {
                return Err(bench.pair.message(error));
            }
        }
        if let Some(traffic) = &mut traffic {
            if let Err(error) = traffic.act(model, cycle, running) {
                return Err(bench.pair.message(error));
            }
        }
        if !running {
            left -= u64::from(left > 0);
            let finished = guest.as_ref().is_none_or(Guest::has_finished)
                && traffic.as_ref().is_none_or(Traffic::has_finished);
            if left == 0 && finished {
                break true;
            }
        }
        if cycle >= longest + if running { 0 } else { 2 * tail } {
            break false;
        }
        model.clock();
        cycle += 1;
    };
    let visits = match guest {
        Some(guest) => guest.leave(model, &mut bench.pair.golden),
        None => Ok(Visits::default()),
    };
    let moved = traffic.map(|traffic| traffic.leave(model, &mut bench.pair.golden));
    if !judged {
        // What is not defined may break contracts.
        bench.pair.host.model().take_stops();
    }
    let mut seen = Seen {
        end: End::Endless,
        words,
        copied,
        moved: moved.unwrap_or_default(),
        visits: visits.map_err(|error| bench.pair.message(error))?,
        touched,
    };
    if !verdict {
        let allowed = endless || !judged;
        if !allowed {
            return Err(bench.pair.message(format!(
                "still runs after {cycle} cycles, golden machine: {predicted:?}"
            )));
        }
        return Ok(seen);
    }
    if !expected.is_empty() {
        return Err(bench
            .pair
            .message(format!("words that never arrive: {expected:?}")));
    }
    if judged && words != total {
        return Err(bench
            .pair
            .message(format!("{words} words, golden machine has {total}")));
    }
    let status = bench.pair.host.status().expect("STATUS answers");
    seen.end = bench.pair.check_end(predicted, status)?;
    if let End::Halt(counters) = seen.end {
        bench.pair.check_counters(&counters)?;
    }
    Ok(seen)
}

/// Both machines go on from the same state behind a run. The state buffer is compared, `whole` or as far as drains
/// and copies have written.
///
/// # Errors
/// If their state buffers differ otherwise than they may.
pub fn settle(bench: &mut Bench, seen: &Seen, zero_point: i8, whole: bool) -> Checked {
    match seen.end {
        End::Halt(_) | End::Error(..) if whole => bench.pair.compare()?,
        End::Halt(_) | End::Error(..) => {
            let touched: Vec<_> = seen.touched.iter().copied().collect();
            bench.pair.compare_words(&touched)?;
        }
        End::Conflict | End::Undefined => adopt(bench, seen)?,
        End::Endless => {
            let model = bench.pair.host.model();
            let reset = model.port("rst_n").expect("the machine has a reset");
            model.set(reset, 0);
            model.cycles(4);
            model.set(reset, 1);
            model.clock();
            bench.pair.set_zero(zero_point);
            adopt(bench, seen)?;
        }
    }
    match seen.end {
        End::Halt(_) => Ok(()),
        _ => bench.pair.prepare(),
    }
}

/// The golden machine gets the words of the hardware; those that no drain or copy has written are alike.
fn adopt(bench: &mut Bench, seen: &Seen) -> Checked {
    let params = bench.params();
    let words = 0..params.partition_words();
    let places: Vec<_> = (0..params.array.rows)
        .flat_map(|partition| words.clone().map(move |word| (partition, word)))
        .collect();
    let found = bench.pair.host.read_words(&places).expect("words answer");
    for (&(partition, word), data) in places.iter().zip(found) {
        let expected = bench.pair.golden.read_word(partition, word);
        if data != expected && !seen.touched.contains(&(partition, word)) {
            return Err(bench.pair.message(format!(
                "partition {partition}, word {word} is {data:?}, nobody has written {expected:?}"
            )));
        }
        bench.pair.golden.write_word(partition, word, data);
    }
    Ok(())
}
