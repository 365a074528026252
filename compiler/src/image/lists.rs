//! The job lists of an inference: each LOAD as early as its places are free, and what an entry must wait for.

use std::ops::Range;

use heddle_arch::isa::Instruction;
use heddle_arch::job::{Job, JobWaits, REGIONS, Work};
use heddle_arch::transfer::Transfer;

use super::form::{INPUT, OUTPUT};
use super::places::{Places, parts};
use crate::emit::Program;
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

/// LOADs of a group.
#[derive(Default)]
struct Placed {
    /// Behind these runs of the group before: they meet nothing that it still uses.
    early: Vec<(usize, Transfer)>,
    /// Behind its end.
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
    let uses: Vec<Vec<Places>> = groups.iter().map(|group| group.uses(program)).collect();
    let read = Places::of(&outputs);
    let before = |number: usize| (number + groups.len() - 1) % groups.len();
    let placed: Vec<Placed> = (0..groups.len())
        .map(|number| {
            let free = |transfer: &Transfer| number > 0 || !read.meet(transfer);
            let mut uses = uses[before(number)].clone();
            // A group is never beside itself.
            if before(number) == number {
                uses.clear();
            }
            Placed::of(&groups[number].loads, &uses, free)
        })
        .collect();
    let mut lists = Lists::default();
    let first = &placed[0];
    if !first.early.is_empty() {
        let loads = groups[0].loads.iter();
        lists.once = loads.map(|&load| Work::Load(load).into()).collect();
    }
    // In front of the runs nothing is under way: the inference before has ended with a FENCE.
    lists.runs = loads(first.late.iter().copied());
    let behind = Places::of(&first.late);
    let is_free = |input: &Transfer| !read.meet(input) && !behind.meet(input);
    lists.begin = vec![regions(INPUT)];
    let last = uses.last().and_then(|uses| uses.last());
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
    for (number, group) in groups.iter().enumerate() {
        if number > 0 {
            lists.runs.extend(waiting(placed[number].late.clone()));
        }
        let next = &placed[(number + 1) % groups.len()].early;
        for (at, &run) in group.runs.iter().enumerate() {
            let waits = at == 0 && (number == 0 || !group.loads.is_empty());
            lists.runs.push(start(program, run, config, waits));
            let behind = next.iter().filter(|(behind, _)| *behind == at);
            lists.runs.extend(loads(behind.map(|&(_, load)| load)));
        }
    }
    lists.end = vec![regions(OUTPUT)];
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
        groups.push(Group { runs, loads });
    }
    groups
}

impl Group {
    /// For each run the places that it and the runs behind it use.
    fn uses(&self, program: &Program) -> Vec<Places> {
        let mut used = Places::of(&self.loads);
        let mut all = Vec::new();
        for &run in self.runs.iter().rev() {
            bytes_of(program, run)
                .iter()
                .for_each(|bytes| used.add_bytes(bytes));
            all.push(used.clone());
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
    let tensors = tensors.map(|tensor| tensor.base..tensor.base + tensor.bytes);
    let tensors: Vec<_> = tensors.collect();
    let mut words = program.words_of(run);
    let mut all = Vec::new();
    while let Ok((instruction, length)) = Instruction::decode(words) {
        all.extend(reach(&instruction, &tensors).map(|(_, bytes)| bytes));
        words = &words[length..];
    }
    all
}

impl Placed {
    /// Transfers behind a group that uses places from each of its runs on. A LOAD that is `free` may come before its end.
    fn of(transfers: &[Transfer], uses: &[Places], free: impl Fn(&Transfer) -> bool) -> Self {
        let mut placed = Self::default();
        for &transfer in transfers {
            let parts = parts(transfer, LONG);
            let found = parts.iter().map(|part| {
                let meets_nothing = |uses: &Places| free(part) && !uses.meet(part);
                uses.iter().position(meets_nothing)
            });
            let found: Vec<Option<usize>> = found.collect();
            if found.iter().all(Option::is_none) {
                placed.late.push(transfer);
                continue;
            }
            for (part, behind) in parts.into_iter().zip(found) {
                match behind {
                    Some(behind) => placed.early.push((behind, part)),
                    None => placed.late.push(part),
                }
            }
        }
        placed
    }
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

fn regions(region: u32) -> Job {
    let mut regions = [None; REGIONS];
    regions[region as usize] = Some(0);
    Work::Regions(regions).into()
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
