//! The stand-alone unit against plain loop nests, and its words against the decoder of
//! `heddle_arch`.

use std::collections::BTreeMap;

use heddle_arch::isa::Loop;
use heddle_arch::traverse::{
    Command, Decoder, EndTest, Row, RowKind, Run, UnitError, UnitFault, UnitShape,
};
use heddle_sim::traversal::{Stop, Taken, UnitElement, UnitModel, UnitRow, UnitWalk};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

const SHAPE: UnitShape = UnitShape {
    rows: 8,
    loops: 6,
    offset_bits: 8,
    address_bits: 10,
    equality: true,
    trips: true,
    attach: true,
    group_setup: true,
};

/// Number of iterations by the definition of the end test, `None` if there is no such number.
fn trips(test: EndTest, l: &Loop, offset_bits: u32) -> Option<u64> {
    let modulus = 1_u64 << offset_bits;
    let value = |n: u64| u64::from(l.initial) + n * u64::from(l.step);
    match test {
        EndTest::AtLeast => (1..=modulus).find(|n| value(*n) >= l.end.into()),
        EndTest::Equal => (1..=modulus).find(|n| value(*n) % modulus == u64::from(l.end)),
        EndTest::Trips => (l.end > 0).then_some(l.end.into()),
    }
}

/// A program of nested loops and what it does.
struct Nest<'a> {
    shape: UnitShape,
    rows: &'a [Row],
    elements: Vec<UnitElement>,
}

impl Nest<'_> {
    /// Loops `depth - 1` to 0 of a row, the counters of the outer ones given, outermost last. With
    /// `attached` each loop has the rows that belong to it before and behind it.
    fn descend(&mut self, row: &Row, depth: usize, counters: &mut Vec<u64>, attached: bool) {
        let Some(column) = depth.checked_sub(1) else {
            self.body(row, counters);
            return;
        };
        let limit = row.loops.get(column);
        let limit = limit.map_or(1, |l| {
            trips(row.test, l, self.shape.offset_bits).expect("a loop that ends")
        });
        if attached {
            self.call(RowKind::Prologue, column);
        }
        for n in 0..limit {
            counters.insert(0, n);
            self.descend(row, column, counters, attached);
            counters.remove(0);
        }
        if attached {
            self.call(RowKind::Epilogue, column);
        }
    }

    fn call(&mut self, kind: RowKind, column: usize) {
        for row in self.rows {
            if row.kind == kind && row.attach == Some(column as u8) {
                self.descend(row, self.shape.loops as usize, &mut Vec::new(), false);
            }
        }
    }

    /// One element from the counters of all loops, innermost first.
    fn body(&mut self, row: &Row, counters: &[u64]) {
        let bits = self.shape.offset_bits;
        let offset = |c: usize| {
            let l = row.loops.get(c).copied().unwrap_or_default();
            (u64::from(l.initial) + counters[c] * u64::from(l.step)) % (1 << bits)
        };
        let offsets: Vec<u64> = (0..counters.len()).map(offset).collect();
        let is_final = |c: usize| {
            let l = row.loops.get(c);
            l.is_none_or(|l| Some(counters[c] + 1) == trips(row.test, l, bits))
        };
        let finals: Vec<bool> = (0..counters.len()).map(is_final).collect();
        self.elements.push(UnitElement {
            row: row.row.into(),
            kind: row.kind,
            address: (u64::from(row.base) + offsets.iter().sum::<u64>())
                % (1 << self.shape.address_bits),
            offsets,
            levels: (1..=finals.len())
                .map(|c| finals[..c].iter().all(|f| *f))
                .collect(),
            last: finals.iter().all(|f| *f),
            end: false,
            finals,
        });
    }
}

/// The sequence of a record as loops around loops.
fn nested(rows: &[Row], shape: UnitShape) -> Vec<UnitElement> {
    let mut nest = Nest {
        shape,
        rows,
        elements: Vec::new(),
    };
    for row in rows.iter().filter(|r| r.attach.is_none()) {
        let attached = row.kind == RowKind::Tensor;
        nest.descend(row, shape.loops as usize, &mut Vec::new(), attached);
    }
    let mut elements = nest.elements;
    if let Some(element) = elements.last_mut() {
        element.end = true;
    }
    elements
}

fn random_loop(rng: &mut ChaCha8Rng, test: EndTest) -> Loop {
    let n = rng.random_range(1..=4);
    let (initial, step) = match test {
        EndTest::AtLeast => (rng.random_range(0..60), rng.random_range(1..20)),
        _ => (rng.random_range(0..256), rng.random_range(0..256)),
    };
    let end = match test {
        // Now and then off the grid of the steps, or below the start.
        EndTest::AtLeast => initial + step * n - rng.random_range(0..step),
        EndTest::Equal => (initial + step * n) % 256,
        EndTest::Trips => n,
    };
    let below = test == EndTest::AtLeast && rng.random_ratio(1, 10);
    Loop {
        initial,
        step,
        end: if below { initial / 2 } else { end },
    }
}

/// Prologues, tensors, epilogues. With attached rows one tensor, prologues of outer loops and
/// epilogues of inner loops first.
fn random_rows(rng: &mut ChaCha8Rng) -> Vec<Row> {
    let attach = rng.random_ratio(1, 2);
    let (prologues, epilogues) = (rng.random_range(0..=2), rng.random_range(0..=2));
    let tensors = if attach { 1 } else { rng.random_range(1..=3) };
    let mut rows = Vec::new();
    for (kind, count, loops) in [
        (RowKind::Prologue, prologues, 2),
        (RowKind::Tensor, tensors, 6),
        (RowKind::Epilogue, epilogues, 2),
    ] {
        for _ in 0..count {
            let test = [EndTest::AtLeast, EndTest::Equal, EndTest::Trips][rng.random_range(0..3)];
            let inner = attach && kind != RowKind::Tensor && rng.random_ratio(3, 4);
            let loops = 0..rng.random_range(0..=loops);
            rows.push(Row {
                row: rows.len() as u8,
                kind,
                attach: inner.then(|| rng.random_range(0..SHAPE.loops as u8)),
                test,
                base: rng.random_range(0..1024),
                loops: loops.map(|_| random_loop(rng, test)).collect(),
            });
        }
    }
    rows.sort_by_key(|r| {
        let depth = i32::from(r.attach.unwrap_or(u8::MAX));
        match r.kind {
            RowKind::Prologue => (0, -depth),
            RowKind::Tensor => (1, 0),
            RowKind::Epilogue => (2, depth),
        }
    });
    rows
}

#[proves("TTU-042", "TTU-043", "TTU-053", "TTU-062", "TTU-066")]
#[test]
fn sequence_is_that_of_loops_around_loops() {
    let mut seen = BTreeMap::new();
    for seed in 0..3000 {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let rows = random_rows(&mut rng);
        let expected = nested(&rows, SHAPE);
        let command = Command::Traverse {
            run: Run::default(),
            rows: rows.clone(),
        };
        let execution = UnitModel::new(SHAPE).execute(&command.encode());
        assert_eq!(execution.stop, None, "seed {seed}: {command}");
        assert_eq!(execution.elements, expected, "seed {seed}: {command}");
        let events = [
            ("attached", rows.iter().any(|r| r.attach.is_some())),
            ("equal", rows.iter().any(|r| r.test == EndTest::Equal)),
            ("trips", rows.iter().any(|r| r.test == EndTest::Trips)),
            ("no loops", rows.iter().any(|r| r.loops.is_empty())),
            ("long sequence", expected.len() > 100),
        ];
        for (event, _) in events.iter().filter(|e| e.1) {
            *seen.entry(*event).or_insert(0) += 1;
        }
    }
    for event in ["attached", "equal", "trips", "no loops", "long sequence"] {
        assert!(
            seen.get(event).is_some_and(|n| *n > 100),
            "{event}: {seen:?}"
        );
    }
}

#[test]
fn a_loop_is_refused_as_endless_exactly_if_no_number_of_iterations_ends_it() {
    let shape = UnitShape {
        offset_bits: 4,
        address_bits: 4,
        ..SHAPE
    };
    let [mut ended, mut endless] = [0, 0];
    for test in [EndTest::AtLeast, EndTest::Equal, EndTest::Trips] {
        for values in 0..1 << 12 {
            let one = Loop {
                initial: values & 15,
                step: values >> 4 & 15,
                end: values >> 8 & 15,
            };
            let command = Command::Traverse {
                run: Run::default(),
                rows: vec![Row {
                    test,
                    loops: vec![one],
                    ..Row::default()
                }],
            };
            let execution = UnitModel::new(shape).execute(&command.encode());
            let length = execution.elements.len() as u64;
            match trips(test, &one, 4) {
                Some(n) => {
                    assert_eq!((length, execution.stop), (n, None), "{command}");
                    ended += 1;
                }
                None => {
                    let stop = Stop {
                        error: UnitError::Endless,
                        position: 5,
                    };
                    assert_eq!(execution.stop, Some(stop), "{command}");
                    endless += 1;
                }
            }
        }
    }
    println!("{ended} loops end, {endless} are endless");
    assert_eq!(ended + endless, 3 * 16 * 16 * 16);
    assert!(endless > 1000);
}

/// A random unit of few rows and loops.
fn random_shape(rng: &mut ChaCha8Rng) -> UnitShape {
    let offset_bits = [8, 16, 32][rng.random_range(0..3)];
    UnitShape {
        rows: rng.random_range(1..=8),
        loops: rng.random_range(1..=8),
        offset_bits,
        address_bits: [16, 24, 32][rng.random_range(0..3)].max(offset_bits),
        equality: rng.random_ratio(4, 5),
        trips: rng.random_ratio(4, 5),
        attach: rng.random_ratio(4, 5),
        group_setup: rng.random_ratio(4, 5),
    }
}

/// Instructions that are mostly right for the unit.
fn random_words(rng: &mut ChaCha8Rng, shape: UnitShape) -> Vec<u32> {
    let rows: Vec<Row> = random_rows(rng)
        .into_iter()
        .map(|mut r| {
            r.loops.truncate(shape.loops as usize);
            r.attach = r.attach.map(|a| a % shape.loops as u8);
            r
        })
        .take(shape.rows as usize)
        .collect();
    let window = rng.random_ratio(1, 4);
    let end = [1, 0x8000, 1 << shape.address_bits, 1 << 32][rng.random_range(0..4)];
    let run = Run {
        offset_only: rng.random(),
        on_demand: rng.random(),
        window: window.then(|| (rng.random_range(0..end.min(1024)) as u32, end)),
    };
    let mut commands = vec![Command::Start { run }];
    if rng.random_ratio(1, 2) {
        commands.insert(0, Command::Traverse { run, rows });
    } else {
        commands.splice(0..0, Command::group_setup(&rows));
    }
    if rng.random_ratio(1, 8) {
        commands.remove(rng.random_range(0..commands.len()));
    }
    if rng.random_ratio(1, 8) {
        let again = commands[rng.random_range(0..commands.len())].clone();
        commands.insert(rng.random_range(0..commands.len()), again);
    }
    commands.iter().flat_map(Command::encode).collect()
}

fn mutate(rng: &mut ChaCha8Rng, words: &mut Vec<u32>) {
    for _ in 0..rng.random_range(0..3) {
        let index = rng.random_range(0..words.len());
        match rng.random_range(0..6) {
            0 => words[index] = rng.random(),
            1 => words[index] ^= 1 << rng.random_range(0..32),
            2 => words[index] ^= 1 << rng.random_range(0..20),
            3 => words[index] = rng.random_range(0..4),
            4 => words.insert(index, rng.random_range(0..0x40)),
            _ if words.len() > 1 => drop(words.remove(index)),
            _ => {}
        }
    }
}

/// Feeds the words to the model: positions of the instructions that it took, and its stop.
fn by_model(words: &[u32], shape: UnitShape) -> (Vec<usize>, Option<Stop>) {
    let mut unit = UnitModel::new(shape);
    let mut ends = Vec::new();
    for (index, word) in words.iter().enumerate() {
        match unit.take(*word) {
            Taken::More => {}
            Taken::Loaded | Taken::Started => ends.push(index + 1),
            Taken::Stopped(_) => break,
        }
    }
    (ends, unit.stop())
}

fn by_decoder(words: &[u32], shape: UnitShape) -> (Vec<usize>, Option<Stop>) {
    let mut decoder = Decoder::new(shape);
    let mut ends = Vec::new();
    let mut start = 0;
    while start < words.len() {
        match decoder.decode(&words[start..]) {
            Ok((command, length)) => {
                let again = command.encode();
                assert_eq!(again, &words[start..start + length], "{command}");
                start += length;
                ends.push(start);
            }
            // Words that end early: the unit waits for more.
            Err(UnitFault { position, .. }) if start + position == words.len() => break,
            Err(fault) => {
                let stop = Stop {
                    error: fault.code,
                    position: fault.position,
                };
                return (ends, Some(stop));
            }
        }
    }
    (ends, None)
}

#[test]
fn model_and_decoder_take_and_refuse_the_same_words() {
    let mut seen: BTreeMap<&str, u32> = BTreeMap::new();
    for seed in 0..100_000 {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let shape = random_shape(&mut rng);
        let mut words = random_words(&mut rng, shape);
        mutate(&mut rng, &mut words);
        let model = by_model(&words, shape);
        let decoder = by_decoder(&words, shape);
        assert_eq!(model, decoder, "seed {seed}: {shape:?} {words:#010x?}");
        let name = model.1.map_or("no error", |stop| stop.error.name());
        *seen.entry(name).or_default() += 1;
    }
    for name in UnitError::ALL
        .map(UnitError::name)
        .into_iter()
        .chain(["no error"])
    {
        let enough = seen.get(name).is_some_and(|n| *n > 1000);
        assert!(enough || name == "ADDRESS", "{name}: {seen:?}");
    }
}

#[test]
fn decoded_rows_walk_as_the_words_do() {
    for seed in 0..500 {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let rows = random_rows(&mut rng);
        let command = Command::Traverse {
            run: Run::default(),
            rows,
        };
        let words = command.encode();
        let Ok((Command::Traverse { run, rows }, _)) = Command::decode(&words, &SHAPE) else {
            panic!("seed {seed}: {command}");
        };
        let rows = rows.iter().map(|r| UnitRow::of(r, 6)).collect();
        let walk = UnitWalk::new(rows, run, SHAPE.offset_bits, SHAPE.address_bits);
        let mut unit = UnitModel::new(SHAPE);
        for word in &words {
            unit.take(*word);
        }
        for element in walk.take(2000) {
            assert_eq!(unit.next_element(), Some(element), "seed {seed}: {command}");
        }
    }
}
