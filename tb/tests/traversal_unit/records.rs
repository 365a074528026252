//! Random legal instructions.

use heddle_arch::isa::Loop;
use heddle_arch::traverse::{Command, EndTest, Row, RowKind, Run, UnitShape};
use heddle_sim::traversal::UnitModel;
use rand::Rng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;

/// A number of up to `bits` bits; small and large ones, and the largest.
pub fn number(rng: &mut ChaCha8Rng, bits: u32) -> u64 {
    let most = (1_u64 << bits) - 1;
    match rng.random_range(0..12) {
        0 => most,
        1 => most - rng.random_range(0..=most.min(3)),
        _ => {
            let some = rng.random_range(0..=bits);
            rng.random_range(0..1_u64 << some)
        }
    }
}

/// A loop of `trips` iterations or, with the test *equal*, of fewer.
fn random_loop(rng: &mut ChaCha8Rng, test: EndTest, trips: u64, bits: u32) -> Loop {
    let most = (1_u64 << bits) - 1;
    let (initial, step, end);
    if test == EndTest::AtLeast {
        // Every offset fits its bits, the candidate behind the last one need not.
        let room = match trips {
            1 => most,
            _ => (most - 1) / (trips - 1),
        };
        step = number(rng, bits).clamp((trips > 1).into(), room);
        let last = (trips - 1) * step;
        initial = number(rng, bits).min(most - last - u64::from(trips > 1));
        let lowest = if trips == 1 { 0 } else { initial + last + 1 };
        let highest = (initial + trips * step).min(most);
        end = match rng.random_range(0..3) {
            0 => rng.random_range(lowest..=highest),
            _ => highest,
        };
    } else {
        step = number(rng, bits);
        initial = number(rng, bits);
        end = match test {
            EndTest::Equal => (initial + trips * step) & most,
            _ => trips.min(most),
        };
    }
    let value = |n: u64| u32::try_from(n).expect("at most 32 bits");
    Loop {
        initial: value(initial),
        step: value(step),
        end: value(end),
    }
}

fn random_row(rng: &mut ChaCha8Rng, shape: &UnitShape, mut addresses: u64) -> Row {
    let mut tests = vec![EndTest::AtLeast; 2];
    if shape.equality {
        tests.push(EndTest::Equal);
    }
    if shape.trips {
        tests.push(EndTest::Trips);
    }
    let test = tests[rng.random_range(0..tests.len())];
    let most = shape.loops.min(if rng.random_ratio(1, 4) { 8 } else { 3 });
    let count = rng.random_range(0..=most);
    let mut loops: Vec<Loop> = (0..count)
        .map(|_| {
            let trips = rng.random_range(1..=addresses.min(5));
            let trips = if rng.random_ratio(1, 6) {
                addresses.min(24)
            } else {
                trips
            };
            addresses /= trips;
            random_loop(rng, test, trips, shape.offset_bits)
        })
        .collect();
    loops.shuffle(rng);
    Row {
        test,
        base: number(rng, shape.address_bits) as u32,
        loops,
        ..Row::default()
    }
}

/// Rows of a legal record with about as many addresses.
pub fn random_rows(rng: &mut ChaCha8Rng, shape: &UnitShape, addresses: u64) -> Vec<Row> {
    let most = shape.rows.min(if rng.random_ratio(1, 6) { 8 } else { 4 });
    let count = rng.random_range(1..=most) as usize;
    let attach = shape.attach && rng.random_ratio(1, 2);
    let mut numbers: Vec<u8> = (0..shape.rows as u8).collect();
    numbers.shuffle(rng);
    // Cuts of the list of rows: prologues, tensors, epilogues.
    let first = rng.random_range(0..=count);
    let (first, behind) = match attach {
        true => (first.min(count - 1), first.min(count - 1) + 1),
        false => (first, rng.random_range(first..=count)),
    };
    (0..count)
        .map(|index| {
            let kind = match index {
                _ if index < first => RowKind::Prologue,
                _ if index < behind => RowKind::Tensor,
                _ => RowKind::Epilogue,
            };
            let aside = attach && kind != RowKind::Tensor;
            let share = match (aside, attach) {
                (true, _) => 3,
                (_, true) => addresses / 3,
                _ => addresses / count as u64,
            };
            Row {
                row: numbers[index],
                kind,
                attach: (aside && rng.random_ratio(4, 5))
                    .then(|| rng.random_range(0..shape.loops.min(8) as u8)),
                ..random_row(rng, shape, share.max(1))
            }
        })
        .collect()
}

/// The same rows group by group: rows in any order, loops without an initial offset, loops without
/// an end.
fn random_groups(rng: &mut ChaCha8Rng, shape: &UnitShape, rows: &[Row]) -> Vec<Command> {
    let [initial, step, end] = Command::group_setup(rows);
    let (Command::SetStep { rows: mut steps }, Command::SetEnd { rows: mut ends }) = (step, end)
    else {
        unreachable!("the order of a group set-up");
    };
    for (index, row) in rows.iter().enumerate() {
        if rng.random_ratio(1, 8) {
            ends[index].values.pop();
        } else if row.loops.len() < shape.loops as usize && rng.random_ratio(1, 8) {
            // One iteration that begins at 0, under every test.
            let step = number(rng, shape.offset_bits) as u32;
            steps[index].values.push(step);
            ends[index].values.push(match row.test {
                EndTest::Trips => 1,
                _ => step,
            });
        }
    }
    steps.shuffle(rng);
    ends.shuffle(rng);
    if ends.len() > 1 && rng.random_ratio(1, 8) {
        ends.pop();
    }
    vec![
        initial,
        Command::SetStep { rows: steps },
        Command::SetEnd { rows: ends },
    ]
}

/// Instructions that load a record and start it once or several times.
pub fn random_commands(rng: &mut ChaCha8Rng, shape: &UnitShape, addresses: u64) -> Vec<Command> {
    let rows = random_rows(rng, shape, addresses);
    let starts = match rng.random_range(0..8) {
        0 => 3,
        1 => 2,
        _ => 1,
    };
    let mut commands = Vec::new();
    if shape.group_setup && rng.random_ratio(1, 4) {
        commands = random_groups(rng, shape, &rows);
    }
    for index in 0..starts {
        let run = Run {
            offset_only: rng.random_ratio(1, 5),
            on_demand: rng.random_ratio(1, 6),
            window: None,
        };
        commands.push(match index {
            0 if commands.is_empty() => Command::Traverse {
                run,
                rows: rows.clone(),
            },
            _ => Command::Start { run },
        });
    }
    if rng.random_ratio(1, 6) {
        add_window(rng, shape, &mut commands, false);
    }
    commands
}

/// Bounds the last traversal to what it walks, or to more; `astray`: to less, if it can be less.
pub fn add_window(rng: &mut ChaCha8Rng, shape: &UnitShape, commands: &mut [Command], astray: bool) {
    let words: Vec<u32> = commands.iter().flat_map(Command::encode).collect();
    let elements = UnitModel::new(*shape).execute(&words).elements;
    let ends: Vec<usize> = (0..elements.len()).filter(|i| elements[*i].end).collect();
    let begin = ends.iter().rev().nth(1).map_or(0, |end| end + 1);
    let addresses = || elements[begin..].iter().map(|e| e.address);
    let (Some(low), Some(high)) = (addresses().min(), addresses().max()) else {
        return;
    };
    let space = 1 << shape.address_bits;
    let (mut first, mut end) = (low, high + 1);
    if rng.random_ratio(1, 3) {
        first = rng.random_range(0..=low);
        end = rng.random_range(end..=space);
    }
    if astray && high > low {
        let cut = rng.random_range(low + 1..=high);
        (first, end) = match rng.random_range(0..2) {
            0 => (cut, space),
            _ => (0, cut),
        };
    } else if astray {
        (first, end) = if low > 0 { (0, low) } else { (1, space) };
    }
    if let Some(Command::Traverse { run, .. } | Command::Start { run }) = commands.last_mut() {
        run.window = Some((first as u32, end));
    }
}
