//! The job lists of an inference: each LOAD as early as its places are free, and what an entry must wait for.

use std::ops::Range;

use heddle_arch::isa::Instruction;
use heddle_arch::job::{Job, JobWaits, REGIONS, Work};
use heddle_arch::transfer::Transfer;

use super::places::{Places, parts};
use crate::emit::Program;
use crate::memory::{INPUT, OUTPUT};
use crate::schedule::reach;

/// Places of a LOAD that comes during a run: a program's own loads wait for it.
pub(super) const LONG: u32 = 1024;

/// What moves words.
pub(super) struct Moves {
    /// Those of the inputs.
    pub inputs: Vec<Transfer>,
    /// Those of tensors that are read behind the last run.
    pub outputs: Vec<Transfer>,
    /// What is written for each segment.
    pub segments: Vec<Vec<Transfer>>,
}

/// The lists of each inference, and what those that run once end with.
#[derive(Default)]
pub(super) struct Lists {
    pub once: Vec<Job>,
    pub begin: Vec<Job>,
    pub runs: Vec<Job>,
    pub end: Vec<Job>,
}

/// Runs of the machine whose data are there at the same time.
struct Group {
    /// Their numbers among the runs of the program.
    runs: Vec<usize>,
    loads: Vec<Transfer>,
}

/// A run of the machine.
struct Run {
    /// Its number among the runs of the program.
    number: usize,
    /// It is the first one of its group, which has LOADs.
    waits: bool,
    /// Places that it and the runs behind it in its group use.
    uses: Places,
    /// Clocks that LOADs beside it may take without holding up the next run.
    clocks: u64,
    /// LOADs beside it.
    beside: Vec<Transfer>,
    /// LOADs in front of it that meet what runs before use.
    late: Vec<Transfer>,
}

/// The lists of a program for a machine of this hash.
pub(super) fn lists(program: &Program, moves: Moves, config: u32) -> Lists {
    let Moves {
        inputs,
        outputs,
        segments,
    } = moves;
    let groups = groups(program, segments);
    let read = Places::of(&outputs);
    let mut all: Vec<Run> = groups
        .iter()
        .flat_map(|group| group.runs(program))
        .collect();
    let mut end = 0;
    let firsts = groups.iter().map(|group| {
        end += group.runs.len();
        end - group.runs.len()
    });
    let firsts: Vec<usize> = firsts.collect();
    // Those of the first group come last: they are for the next inference.
    for (group, &first) in groups.iter().zip(&firsts).skip(1) {
        place(&mut all, (first, first), &group.loads, |_| true);
    }
    let first = groups.first().map_or(&[][..], |group| &group.loads);
    let end = all.len();
    let is_early = place(&mut all, (end, 0), first, |load| !read.meet(load));
    let mut lists = Lists::default();
    if is_early {
        let loads = first.iter();
        lists.once = loads.map(|&load| Work::Load(load).into()).collect();
    }
    // In front of the runs nothing is under way: the inference before has ended with a FENCE.
    let late = all.first_mut().map(|run| std::mem::take(&mut run.late));
    let late = late.unwrap_or_default();
    let behind = Places::of(&late);
    lists.runs = loads(late.into_iter());
    let is_free = |input: &Transfer| !read.meet(input) && !behind.meet(input);
    // A program that is under way must not see the regions of the next inference.
    let moves = [INPUT, OUTPUT].map(|region| program.host_end(region) > 0);
    lists.begin = vec![regions(INPUT, moves[0])];
    if moves[1] {
        lists.runs.push(regions(OUTPUT, true));
    }
    let last = all.last().map(|run| &run.uses);
    match inputs.iter().all(is_free) {
        true => {
            let is_used = |input: &Transfer| last.is_none_or(|last| last.meet(input));
            lists.begin.extend(match inputs.iter().any(is_used) {
                true => waiting(inputs),
                false => loads(inputs.into_iter().flat_map(|input| parts(input, LONG))),
            });
        }
        false => lists.runs.extend(loads(inputs.into_iter())),
    }
    for (at, run) in all.into_iter().enumerate() {
        lists.runs.extend(waiting(run.late));
        let start = start(program, run.number, config, at == 0 || run.waits);
        lists.runs.push(start);
        lists.runs.extend(loads(run.beside.into_iter()));
    }
    lists.end = vec![regions(OUTPUT, false)];
    let stores = outputs.into_iter().map(|output| Work::Store(output).into());
    lists.end.extend(waiting_first(stores.collect()));
    lists.end.push(Work::Fence { interrupt: true }.into());
    lists
}

/// Segments with those in front of them that have no run of the machine; of those behind the last run nothing is needed.
fn groups(program: &Program, segments: Vec<Vec<Transfer>>) -> Vec<Group> {
    let machine = |runs: Range<usize>| -> Vec<usize> {
        runs.filter(|&run| !program.runs[run].host).collect()
    };
    let mut groups = Vec::new();
    let mut loads = Vec::new();
    for (segment, own) in program.segments.iter().zip(segments) {
        loads.extend(own);
        let runs = machine(segment.runs.clone());
        if !runs.is_empty() {
            let loads = std::mem::take(&mut loads);
            groups.push(Group { runs, loads });
        }
    }
    if groups.is_empty() {
        let runs = machine(0..program.runs.len());
        groups.push(Group {
            runs,
            loads: Vec::new(),
        });
    }
    groups
}

impl Group {
    fn runs(&self, program: &Program) -> Vec<Run> {
        let mut uses = Places::of(&self.loads);
        let mut all = Vec::new();
        for (at, &number) in self.runs.iter().enumerate().rev() {
            for bytes in bytes_of(program, number) {
                uses.add_bytes(&bytes);
            }
            all.push(Run {
                number,
                waits: at == 0 && !self.loads.is_empty(),
                uses: uses.clone(),
                clocks: program.runs[number].cycles,
                beside: Vec::new(),
                late: Vec::new(),
            });
        }
        all.reverse();
        all
    }
}

/// Bytes of the partitions that the instructions of a run read or write.
fn bytes_of(program: &Program, run: usize) -> Vec<Range<u32>> {
    let layers = program.layers[program.runs[run].layers.clone()].iter();
    let tensors =
        layers.flat_map(|layer| layer.inputs.iter().map(|&input| &program.tensors[input]));
    let tensors = tensors.map(|tensor| tensor.range());
    let tensors: Vec<_> = tensors.collect();
    let mut words = program.words_of(run);
    let mut all = Vec::new();
    while let Ok((instruction, length)) = Instruction::decode(words) {
        all.extend(reach(&instruction, &tensors).map(|(_, bytes)| bytes));
        words = &words[length..];
    }
    all
}

/// Places transfers that are needed `by` a run beside runs in front of `end`: each as early as it is `free` and meets nothing from there on,
/// and the run has clocks left for it. Whether there are such.
fn place(
    runs: &mut [Run],
    (end, by): (usize, usize),
    transfers: &[Transfer],
    free: impl Fn(&Transfer) -> bool,
) -> bool {
    let mut is_early = false;
    for &transfer in transfers {
        let mut late = Vec::new();
        let parts = parts(transfer, LONG);
        for part in &parts {
            let meets_nothing = |run: &&Run| free(part) && !run.uses.meet(part);
            let before = runs[..end].iter().rev();
            let mut found = end - before.take_while(meets_nothing).count()..end;
            let words = part.places() * u64::from(part.space.words());
            let has_clocks = found.clone().find(|&at| runs[at].clocks >= words);
            match has_clocks.or_else(|| found.next_back()) {
                Some(at) => {
                    runs[at].clocks = runs[at].clocks.saturating_sub(words);
                    runs[at].beside.push(*part);
                }
                None => late.push(*part),
            }
        }
        is_early |= late.len() < parts.len();
        // What waits as a whole need not be cut.
        let is_late = late.len() == parts.len();
        runs[by]
            .late
            .extend(if is_late { vec![transfer] } else { late });
    }
    is_early
}

fn loads(transfers: impl Iterator<Item = Transfer>) -> Vec<Job> {
    transfers.map(|load| Work::Load(load).into()).collect()
}

/// LOADs behind the end of a run.
fn waiting(transfers: Vec<Transfer>) -> Vec<Job> {
    waiting_first(loads(transfers.into_iter()))
}

fn waiting_first(mut jobs: Vec<Job>) -> Vec<Job> {
    if let Some(first) = jobs.first_mut() {
        first.waits.program = true;
    }
    jobs
}

/// Sets a region, behind the end of programs if so.
fn regions(region: u32, waits: bool) -> Job {
    let mut regions = [None; REGIONS];
    regions[region as usize] = Some(0);
    let mut job = Job::from(Work::Regions(regions));
    job.waits.program = waits;
    job
}

fn start(program: &Program, run: usize, config: u32, loads: bool) -> Job {
    Job {
        waits: JobWaits {
            loads,
            ..JobWaits::default()
        },
        work: Work::Run {
            config,
            start: program.runs[run].start_pc,
            limit: 0,
            keep: false,
        },
    }
}

#[cfg(test)]
mod tests {
    use heddle_arch::transfer::{Space, Walk};

    use super::*;

    fn words(first: u32, count: u32) -> Transfer {
        Transfer {
            space: Space::Buffer,
            region: 0,
            fill: false,
            partitions: 0,
            zero: 0,
            offset: 0,
            place: [first, 0],
            loops: [
                Walk {
                    count,
                    step: 1,
                    pitch: 8,
                },
                Walk::ONCE,
                Walk::ONCE,
            ],
        }
    }

    fn run(first: u32, clocks: u64) -> Run {
        Run {
            number: 0,
            waits: true,
            uses: Places::of([&words(first, 10)]),
            clocks,
            beside: Vec::new(),
            late: Vec::new(),
        }
    }

    #[test]
    fn loads_come_as_early_as_their_places_are_free_and_there_is_time() {
        // What is loaded for the last of four runs, and behind which of the others it stands.
        for (loads, free, expected) in [
            (vec![words(40, 10)], true, [10, 0, 0, 0]),
            (vec![words(40, 10), words(50, 10)], true, [10, 0, 10, 0]),
            (vec![words(5, 10)], true, [0, 0, 10, 0]),
            (vec![words(25, 10)], true, [0, 0, 0, 10]),
            (vec![words(40, 10)], false, [0, 0, 0, 10]),
            (vec![words(40, 3)], true, [3, 0, 0, 0]),
            (vec![words(5, 3)], true, [0, 3, 0, 0]),
            (vec![words(40, 2048)], true, [0, 0, 2048, 0]),
        ] {
            let mut runs = vec![run(0, 12), run(10, 4), run(20, 6), run(30, 99)];
            let is_early = place(&mut runs, (3, 3), &loads, |_| free);
            let count = |loads: &[Transfer]| loads.iter().map(Transfer::places).sum::<u64>();
            let [a, b, c, _] = [0, 1, 2, 3].map(|at| count(&runs[at].beside));
            assert_eq!([a, b, c, count(&runs[3].late)], expected, "{loads:?}");
            assert_eq!(is_early, expected[3] == 0);
        }
    }
}
