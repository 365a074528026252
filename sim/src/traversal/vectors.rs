//! Worked traversals: register contents and the addresses they must give.

use heddle_arch::traverse::{self, Command, EndTest, RowKind, Run, UnitError, UnitShape};

use super::unit::Stop;
use super::walk::Row;

/// One worked traversal.
#[derive(Debug, Clone)]
pub struct Vector {
    /// Name as in the specification.
    pub id: &'static str,
    /// Rows in execution order.
    pub rows: Vec<Row>,
    /// Expected addresses.
    pub addresses: Vec<u64>,
}

/// (initial, step, end) of one loop.
type Loop = (u64, u64, u64);

const PROLOGUE: &[Loop] = &[(12, 1, 15), (0, 0, 0), (0, 0, 0)];
const TENSOR: &[Loop] = &[(0, 1, 2), (0, 6, 12), (0, 2, 6)];
const TENSOR_SIZE_4: &[Loop] = &[(0, 1, 2), (0, 6, 12), (0, 2, 8)];
const EPILOGUE: &[Loop] = &[(15, 1, 17), (0, 0, 0), (0, 0, 0)];
const PROLOGUE_AND_TENSOR: [u64; 15] = [12, 13, 14, 0, 1, 6, 7, 2, 3, 8, 9, 4, 5, 10, 11];

fn vector(id: &'static str, rows: &[(u64, &[Loop])], addresses: &[u64]) -> Vector {
    Vector {
        id,
        rows: rows.iter().map(|(b, l)| Row::new(*b, l)).collect(),
        addresses: addresses.to_vec(),
    }
}

/// The vectors TV1 to TV9, TV13, TV14 and TV17 of the specification, in which an offset wraps when
/// it reaches or exceeds its end.
pub fn vectors() -> Vec<Vector> {
    let tv1 = PROLOGUE_AND_TENSOR;
    let rows_1 = [(0, PROLOGUE), (0, TENSOR)];
    let rows_2 = [(0, PROLOGUE), (0, TENSOR_SIZE_4)];
    let rows_3 = [(0, PROLOGUE), (0, TENSOR), (0, EPILOGUE)];
    let eight: Vec<Loop> = (0..8).map(|c| (0, 1 << c, 2 << c)).collect();
    let all_256: Vec<u64> = (0..256).collect();
    vec![
        vector("TV1", &rows_1, &tv1),
        vector("TV2", &rows_2, &[&tv1[..], &[6, 7, 12, 13]].concat()),
        vector("TV3", &rows_3, &[&tv1[..], &[15, 16]].concat()),
        vector(
            "TV4",
            &[(4096, TENSOR), (8192, &[(0, 4, 12)])],
            &[
                4096, 4097, 4102, 4103, 4098, 4099, 4104, 4105, 4100, 4101, 4106, 4107, 8192, 8196,
                8200,
            ],
        ),
        vector(
            "TV5",
            &[(0, &[(0, 1, 2), (0, 2, 4), (0, 4, 12)])],
            &[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11],
        ),
        vector(
            "TV6",
            &[(0, &[(20, 1, 23), (0, 3, 6)])],
            &[20, 21, 22, 23, 24, 25],
        ),
        vector(
            "TV7",
            &[(0, &[(2, 1, 5), (5, 5, 15)])],
            &[7, 8, 9, 12, 13, 14],
        ),
        vector("TV8", &[(0, &[(0, 2, 5)])], &[0, 2, 4]),
        vector(
            "TV9",
            &[(100, &[(0, 1, 2), (0, 7, 7), (0, 0, 0), (0, 10, 20)])],
            &[100, 101, 110, 111],
        ),
        vector(
            "TV13",
            &[
                (0, &[(50, 1, 52)]),
                (0, &[(60, 2, 64)]),
                (0, &[(0, 3, 9)]),
                (0, &[(70, 1, 71)]),
                (0, &[(80, 1, 82)]),
            ],
            &[50, 51, 60, 62, 0, 3, 6, 70, 80, 81],
        ),
        vector("TV14", &[(0, &eight)], &all_256),
        vector(
            "TV17",
            &[
                (0, PROLOGUE),
                (0, TENSOR),
                (100, &[(0, 1, 3), (0, 3, 6)]),
                (200, &[(0, 1, 2)]),
            ],
            &[&tv1[..], &[100, 101, 102, 103, 104, 105], &[200, 201]].concat(),
        ),
    ]
}

/// The vector of that name.
///
/// # Panics
/// If there is no such vector.
pub fn named(id: &str) -> Vector {
    vectors()
        .into_iter()
        .find(|v| v.id == id)
        .unwrap_or_else(|| panic!("no traversal vector is called {id}"))
}

/// One worked instruction of the stand-alone unit.
#[derive(Debug, Clone)]
pub struct UnitVector {
    /// Name as in the specification, followed by a letter where that has several cases.
    pub id: &'static str,
    /// Rows in execution order.
    pub rows: Vec<traverse::Row>,
    /// Expected addresses.
    pub addresses: Vec<u64>,
    /// The error with which the unit refuses the instruction.
    pub stop: Option<Stop>,
}

impl UnitVector {
    /// The TRAVERSE instruction.
    pub fn command(&self) -> Command {
        Command::Traverse {
            run: Run::default(),
            rows: self.rows.clone(),
        }
    }

    /// True if a unit has the rows, loops, bits and options for it.
    pub fn fits(&self, shape: &UnitShape) -> bool {
        self.rows.iter().all(|r| {
            let built = match r.test {
                EndTest::AtLeast => true,
                EndTest::Equal => shape.equality,
                EndTest::Trips => shape.trips,
            };
            let mut values = r.loops.iter().flat_map(|l| [l.initial, l.step, l.end]);
            let narrow = |value: u32, bits| u64::from(value) >> bits == 0;
            built
                && u32::from(r.row) < shape.rows
                && r.loops.len() <= shape.loops as usize
                && narrow(r.base, shape.address_bits)
                && values.all(|v| narrow(v, shape.offset_bits))
                && (r.attach.is_none() || shape.attach)
        })
    }
}

/// The vectors TV1 to TV17 of the specification as instructions of a unit with offsets of
/// `offset_bits` bits (1 to 32), to which negative steps are cut. [`UnitVector::fits`] tells which
/// of them a unit can take.
pub fn unit_vectors(offset_bits: u32) -> Vec<UnitVector> {
    use EndTest::{AtLeast, Equal};
    let mut all: Vec<UnitVector> = vectors().iter().map(with_kinds).collect();
    let copy = |id, test, of: &str, all: &[UnitVector]| {
        let mut vector = all.iter().find(|v| v.id == of).expect("a vector").clone();
        vector.id = id;
        vector.rows.iter_mut().for_each(|r| r.test = test);
        vector
    };
    all.push(copy("TV10", Equal, "TV3", &all));
    let minus_2 = u64::from((u32::MAX - 1) & (u32::MAX >> (32 - offset_bits)));
    let single = |id, test, values: Loop, addresses: &[u64]| UnitVector {
        id,
        rows: vec![traverse::Row {
            test,
            ..unit_row(0, RowKind::Tensor, &Row::new(16, &[values]))
        }],
        addresses: addresses.to_vec(),
        stop: addresses.is_empty().then_some(Stop {
            error: UnitError::Endless,
            position: 5,
        }),
    };
    all.push(single("TV11", Equal, (10, minus_2, 4), &[26, 24, 22]));
    all.push(single("TV12", AtLeast, (10, minus_2, 4), &[26]));
    all.push(single("TV15a", AtLeast, (0, 0, 1), &[]));
    all.push(single("TV15b", Equal, (0, 2, 5), &[]));

    let prologue = [12, 13, 14];
    let tensor = &PROLOGUE_AND_TENSOR[3..];
    for (id, attach, run) in [("TV16k", 0, 2), ("TV16j", 1, 4), ("TV16i", 2, 12)] {
        let mut vector = copy(id, AtLeast, "TV1", &all);
        vector.rows[0].attach = Some(attach);
        let runs = tensor.chunks(run).map(|t| [&prologue[..], t].concat());
        vector.addresses = runs.collect::<Vec<_>>().concat();
        all.push(vector);
    }
    all
}

fn with_kinds(vector: &Vector) -> UnitVector {
    use RowKind::{Epilogue, Prologue, Tensor};
    let kinds: &[RowKind] = match vector.id {
        "TV1" | "TV2" => &[Prologue, Tensor],
        "TV3" => &[Prologue, Tensor, Epilogue],
        "TV4" => &[Tensor, Epilogue],
        "TV6" => &[Prologue],
        "TV13" => &[Prologue, Prologue, Tensor, Epilogue, Epilogue],
        "TV17" => &[Prologue, Tensor, Tensor, Epilogue],
        _ => &[Tensor],
    };
    let rows = vector.rows.iter().zip(kinds).enumerate();
    UnitVector {
        id: vector.id,
        rows: rows.map(|(i, (r, kind))| unit_row(i, *kind, r)).collect(),
        addresses: vector.addresses.clone(),
        stop: None,
    }
}

/// A row without its outer loops that hold only zeros.
fn unit_row(number: usize, kind: RowKind, row: &Row) -> traverse::Row {
    let mut loops: Vec<heddle_arch::Loop> = (0..row.initial.len())
        .map(|c| heddle_arch::Loop {
            initial: row.initial[c] as u32,
            step: row.step[c] as u32,
            end: row.end[c] as u32,
        })
        .collect();
    while loops.last() == Some(&heddle_arch::Loop::default()) {
        loops.pop();
    }
    traverse::Row {
        row: number as u8,
        kind,
        base: row.base as u32,
        loops,
        ..traverse::Row::default()
    }
}
