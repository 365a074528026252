//! The smallest instructions that still fail.

use heddle_arch::traverse::{Command, GroupRow, InitialRow, Row};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

use super::bench::{Bench, Unit};
use super::random::Batch;
use super::traffic::play;

/// Attempts at making instructions smaller.
const ATTEMPTS: usize = 3000;
/// A smaller step may make a traversal very long.
const CYCLES: u64 = 20_000;

/// Message, text form and words of the instructions, reduced as far as they still fail.
pub fn explain(unit: &Unit, batch: &Batch, message: &str) -> String {
    let mut commands = batch.commands.clone();
    let Some(mut message) = failure(unit, batch, &commands) else {
        return report(&format!("{message} (not from reset)"), batch, &commands);
    };
    let mut attempts = 0;
    while let Some((fewer, why)) = smaller(&commands).into_iter().find_map(|candidate| {
        attempts += 1;
        if attempts > ATTEMPTS {
            return None;
        }
        failure(unit, batch, &candidate).map(|why| (candidate, why))
    }) {
        (commands, message) = (fewer, why);
    }
    report(&message, batch, &commands)
}

fn report(message: &str, batch: &Batch, commands: &[Command]) -> String {
    let text: Vec<String> = commands.iter().map(Command::to_string).collect();
    let words = commands.iter().flat_map(Command::encode);
    let words: Vec<String> = words.map(|w| format!("{w:x}")).collect();
    format!(
        "{message}\nbatch {}, {:?}\n{}\nheddle traverse --record \"{}\"",
        batch.seed,
        batch.traffic,
        text.join("\n"),
        words.join(" ")
    )
}

/// Why the instructions fail from reset, if they do.
fn failure(unit: &Unit, batch: &Batch, commands: &[Command]) -> Option<String> {
    if commands.iter().any(|c| c.check().is_err()) {
        return None;
    }
    let mut bench = Bench::new(unit, batch.seed);
    bench.exact = batch.steady;
    bench.deadline = CYCLES;
    let words: Vec<u32> = commands.iter().flat_map(Command::encode).collect();
    let mut rng = ChaCha8Rng::seed_from_u64(!batch.seed);
    play(&mut bench, &words, batch.traffic, &mut rng, |_, _, _| {}).err()
}

/// All instructions that are a little smaller.
fn smaller(commands: &[Command]) -> Vec<Vec<Command>> {
    let mut all = Vec::new();
    for half in [
        &commands[..commands.len() / 2],
        &commands[commands.len() / 2..],
    ] {
        if half.len() < commands.len() {
            all.push(half.to_vec());
        }
    }
    for (index, command) in commands.iter().enumerate() {
        let mut without = commands.to_vec();
        without.remove(index);
        all.push(without);
        for lesser in smaller_command(command) {
            let mut with = commands.to_vec();
            with[index] = lesser;
            all.push(with);
        }
    }
    all.retain(|c| !c.is_empty());
    all
}

fn smaller_command(command: &Command) -> Vec<Command> {
    let mut all = Vec::new();
    match command {
        Command::Traverse { run, rows } => {
            for rows in smaller_list(rows, smaller_row) {
                all.push(Command::Traverse { run: *run, rows });
            }
            for run in smaller_run(run) {
                let rows = rows.clone();
                all.push(Command::Traverse { run, rows });
            }
        }
        Command::Start { run } => all.extend(smaller_run(run).map(|run| Command::Start { run })),
        Command::SetInitial { rows } => {
            let row = |r: &InitialRow| {
                let lists = smaller_list(&r.initial, |v| smaller_value(*v)).into_iter();
                lists
                    .map(|initial| InitialRow {
                        initial,
                        ..r.clone()
                    })
                    .collect()
            };
            let lists = smaller_list(rows, row).into_iter();
            all.extend(lists.map(|rows| Command::SetInitial { rows }));
        }
        Command::SetStep { rows } => {
            let lists = smaller_list(rows, smaller_group).into_iter();
            all.extend(lists.map(|rows| Command::SetStep { rows }));
        }
        Command::SetEnd { rows } => {
            let lists = smaller_list(rows, smaller_group).into_iter();
            all.extend(lists.map(|rows| Command::SetEnd { rows }));
        }
    }
    all
}

fn smaller_run(
    run: &heddle_arch::traverse::Run,
) -> impl Iterator<Item = heddle_arch::traverse::Run> + use<> {
    let (mut a, mut b, mut c) = (*run, *run, *run);
    a.window = None;
    b.on_demand = false;
    c.offset_only = false;
    let run = *run;
    [a, b, c].into_iter().filter(move |r| *r != run)
}

fn smaller_group(row: &GroupRow) -> Vec<GroupRow> {
    let lists = smaller_list(&row.values, |v| smaller_value(*v)).into_iter();
    lists
        .map(|values| GroupRow {
            values,
            ..row.clone()
        })
        .collect()
}

fn smaller_row(row: &Row) -> Vec<Row> {
    let mut all = Vec::new();
    for loops in smaller_list(&row.loops, |l| {
        let mut loops = Vec::new();
        loops.extend(
            smaller_value(l.initial)
                .into_iter()
                .map(|initial| heddle_arch::isa::Loop { initial, ..*l }),
        );
        loops.extend(
            smaller_value(l.step)
                .into_iter()
                .map(|step| heddle_arch::isa::Loop { step, ..*l }),
        );
        loops.extend(
            smaller_value(l.end)
                .into_iter()
                .map(|end| heddle_arch::isa::Loop { end, ..*l }),
        );
        loops
    }) {
        all.push(Row {
            loops,
            ..row.clone()
        });
    }
    if row.attach.is_some() {
        all.push(Row {
            attach: None,
            ..row.clone()
        });
    }
    let bases = smaller_value(row.base).into_iter();
    all.extend(bases.map(|base| Row {
        base,
        ..row.clone()
    }));
    all
}

/// The list without one item, or with one item smaller.
fn smaller_list<T: Clone>(list: &[T], item: impl Fn(&T) -> Vec<T>) -> Vec<Vec<T>> {
    let mut all = Vec::new();
    for index in 0..list.len() {
        let mut without = list.to_vec();
        without.remove(index);
        all.push(without);
    }
    for index in 0..list.len() {
        for lesser in item(&list[index]) {
            let mut with = list.to_vec();
            with[index] = lesser;
            all.push(with);
        }
    }
    all
}

fn smaller_value(value: u32) -> Vec<u32> {
    let mut all = vec![0, value / 2, value.saturating_sub(1)];
    all.retain(|v| *v < value);
    all.dedup();
    all
}
