//! Worked traversals: records and the addresses they must give.

use heddle_arch::traverse::{Command, EndTest, Row, Run, UnitError, UnitShape, parse};

use super::unit::Stop;

/// One worked record.
#[derive(Debug, Clone)]
pub struct UnitVector {
    /// Name as in the specification, followed by a letter where that has several cases; or what it shows.
    pub id: String,
    /// Rows in execution order.
    pub rows: Vec<Row>,
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
        let inside = |address: &u64| address >> shape.address_bits == 0;
        self.addresses.iter().all(inside) && self.rows.iter().all(|row| row_fits(row, shape))
    }
}

fn row_fits(row: &Row, shape: &UnitShape) -> bool {
    let built = match row.test {
        EndTest::AtLeast => true,
        EndTest::Equal => shape.equality,
        EndTest::Trips => shape.trips,
    };
    let mut values = row.loops.iter().flat_map(|l| [l.initial, l.step, l.end]);
    let narrow = |value: u32, bits| u64::from(value) >> bits == 0;
    built
        && u32::from(row.row) < shape.rows
        && row.loops.len() <= shape.loops as usize
        && narrow(row.base, shape.address_bits)
        && values.all(|value| narrow(value, shape.offset_bits))
        && (row.attach.is_none() || shape.attach)
}

/// Rows as `heddle traverse` reads them, and the addresses.
type Text = (&'static str, &'static str, &'static [u64]);

/// The vectors TV1 to TV9, TV13 and TV17 of the specification, in which an offset wraps when it reaches or exceeds its
/// end.
const AT_LEAST: [Text; 11] = [
    (
        "TV1",
        "prologue row 0 base 0 loops 12:1:15\ntensor row 1 base 0 loops 0:1:2, 0:6:12, 0:2:6",
        &[12, 13, 14, 0, 1, 6, 7, 2, 3, 8, 9, 4, 5, 10, 11],
    ),
    (
        "TV2",
        "prologue row 0 base 0 loops 12:1:15\ntensor row 1 base 0 loops 0:1:2, 0:6:12, 0:2:8",
        &[
            12, 13, 14, 0, 1, 6, 7, 2, 3, 8, 9, 4, 5, 10, 11, 6, 7, 12, 13,
        ],
    ),
    (
        "TV3",
        "prologue row 0 base 0 loops 12:1:15\ntensor row 1 base 0 loops 0:1:2, 0:6:12, 0:2:6
         epilogue row 2 base 0 loops 15:1:17",
        &[12, 13, 14, 0, 1, 6, 7, 2, 3, 8, 9, 4, 5, 10, 11, 15, 16],
    ),
    (
        "TV4",
        "tensor row 0 base 4096 loops 0:1:2, 0:6:12, 0:2:6\nepilogue row 1 base 8192 loops 0:4:12",
        &[
            4096, 4097, 4102, 4103, 4098, 4099, 4104, 4105, 4100, 4101, 4106, 4107, 8192, 8196,
            8200,
        ],
    ),
    (
        "TV5",
        "tensor row 0 base 0 loops 0:1:2, 0:2:4, 0:4:12",
        &[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11],
    ),
    (
        "TV6",
        "prologue row 0 base 0 loops 20:1:23, 0:3:6",
        &[20, 21, 22, 23, 24, 25],
    ),
    (
        "TV7",
        "tensor row 0 base 0 loops 2:1:5, 5:5:15",
        &[7, 8, 9, 12, 13, 14],
    ),
    ("TV8", "tensor row 0 base 0 loops 0:2:5", &[0, 2, 4]),
    (
        "TV9",
        "tensor row 0 base 100 loops 0:1:2, 0:7:7, 0:0:0, 0:10:20",
        &[100, 101, 110, 111],
    ),
    (
        "TV13",
        "prologue row 0 base 0 loops 50:1:52\nprologue row 1 base 0 loops 60:2:64
         tensor row 2 base 0 loops 0:3:9
         epilogue row 3 base 0 loops 70:1:71\nepilogue row 4 base 0 loops 80:1:82",
        &[50, 51, 60, 62, 0, 3, 6, 70, 80, 81],
    ),
    (
        "TV17",
        "prologue row 0 base 0 loops 12:1:15\ntensor row 1 base 0 loops 0:1:2, 0:6:12, 0:2:6
         tensor row 2 base 100 loops 0:1:3, 0:3:6\nepilogue row 3 base 200 loops 0:1:2",
        &[
            12, 13, 14, 0, 1, 6, 7, 2, 3, 8, 9, 4, 5, 10, 11, 100, 101, 102, 103, 104, 105, 200,
            201,
        ],
    ),
];

/// What the specification has no vector for.
const FURTHER: [Text; 9] = [
    (
        "candidates beyond the offset",
        "tensor row 0 base 0 loops 65534:1:65535\ntensor row 1 base 1 loops 65535:65535:65535
         tensor row 2 base 2 loops 0:32768:65535\ntensor row 3 base 3 loops 65535:1:0, 1:65535:65535",
        &[0xfffe, 0x1_0000, 2, 0x8002, 0x1_0003],
    ),
    (
        "trips of step 0",
        "tensor row 0 base 40 trips loops 2:0:3",
        &[42, 42, 42],
    ),
    (
        "trips of several loops",
        "tensor row 0 base 100 trips loops 1:0:2, 0:5:2, 7:0:1",
        &[108, 108, 113, 113],
    ),
    // Rows that are due together run in the order of the record, sorted by loops or not.
    (
        "attached to the innermost loop",
        "prologue row 2 attach 0 base 50\ntensor row 1 base 0 loops 0:1:2, 0:10:20
         epilogue row 3 attach 0 base 60",
        &[50, 0, 1, 60, 50, 10, 11, 60],
    ),
    (
        "attached to several loops",
        "prologue row 2 attach 1 base 51\nprologue row 0 attach 0 base 50
         tensor row 1 base 0 loops 0:1:2, 0:10:20
         epilogue row 3 attach 0 base 60\nepilogue row 4 base 69\nepilogue row 5 attach 1 base 61",
        &[51, 50, 0, 1, 60, 50, 10, 11, 60, 69, 61],
    ),
    (
        "attached and not sorted",
        "prologue row 0 attach 0 base 50\nprologue row 2 base 51
         tensor row 1 base 0 loops 0:1:2, 0:10:20
         epilogue row 3 attach 7 base 69\nepilogue row 4 attach 0 base 60",
        &[50, 51, 0, 1, 60, 50, 10, 11, 69, 60],
    ),
    (
        "attached to three loops",
        "prologue row 0 base 0\nprologue row 1 attach 1 base 100\nprologue row 2 attach 0 base 200
         tensor row 3 base 0 loops 0:1:2, 0:2:4, 0:4:8
         epilogue row 4 attach 0 base 400\nepilogue row 5 attach 1 base 500\nepilogue row 6 base 600",
        &[
            0, 100, 200, 0, 1, 400, 200, 2, 3, 400, 500, 100, 200, 4, 5, 400, 200, 6, 7, 400, 500,
            600,
        ],
    ),
    (
        "no loops",
        "prologue row 1 base 9\nepilogue row 0 base 4",
        &[9, 4],
    ),
    (
        "prologues alone",
        "prologue row 1 base 0 loops 3:1:5\nprologue row 0 base 7 loops 0:2:3",
        &[3, 4, 7, 9],
    ),
];

fn read((id, text, addresses): &Text) -> UnitVector {
    let commands = parse(&format!("traverse\n{text}")).expect("text without faults");
    let [Command::Traverse { rows, .. }] = &commands[..] else {
        panic!("{id} is one instruction");
    };
    UnitVector {
        id: (*id).into(),
        rows: rows.clone(),
        addresses: addresses.to_vec(),
        stop: None,
    }
}

/// The vectors TV1 to TV17 of the specification, and further ones, as instructions of a unit with offsets of
/// `offset_bits` bits (1 to 32), to which negative steps are cut. [`UnitVector::fits`] tells which of them a unit can
/// take.
pub fn unit_vectors(offset_bits: u32) -> Vec<UnitVector> {
    let mut all: Vec<UnitVector> = AT_LEAST.iter().map(read).collect();
    all.push(eight_loops());
    for index in 0..all.len() {
        // The end of TV8 is beside the grid of its steps.
        if all[index].id != "TV8" {
            let mut vector = all[index].clone();
            vector.id = format!("TV10 as {}", vector.id);
            let rows = vector.rows.iter_mut();
            rows.for_each(|row| row.test = EndTest::Equal);
            all.push(vector);
        }
    }
    all.extend(FURTHER.iter().map(read));
    let top = u32::MAX >> (32 - offset_bits);
    let single = |id: &str, test, [initial, step, end]: [u32; 3], addresses: &[u64]| UnitVector {
        id: id.into(),
        rows: vec![Row {
            test,
            base: 16,
            loops: vec![heddle_arch::Loop { initial, step, end }],
            ..Row::default()
        }],
        addresses: addresses.to_vec(),
        stop: addresses.is_empty().then_some(Stop {
            error: UnitError::Endless,
            position: 5,
        }),
    };
    let wrapped = u64::from(top) + 16;
    all.extend([
        single("TV11", EndTest::Equal, [10, top - 1, 4], &[26, 24, 22]),
        single("TV12", EndTest::AtLeast, [10, top - 1, 4], &[26]),
        single("TV15a", EndTest::AtLeast, [0, 0, 1], &[]),
        single("TV15b", EndTest::Equal, [0, 2, 5], &[]),
        // Offsets wrap at their own width and enter the address without a sign.
        single(
            "trips backwards",
            EndTest::Trips,
            [1, top, 4],
            &[17, 16, wrapped, wrapped - 1],
        ),
    ]);
    for (id, attach) in [("TV16k", 0), ("TV16j", 1), ("TV16i", 2)] {
        all.push(attached(id, "TV1", 0, attach));
        all.push(attached(&format!("{id}, epilogue"), "TV3", 2, attach));
    }
    all
}

/// The vector of that name, for offsets of 16 bits.
///
/// # Panics
/// If there is no such vector.
pub fn named(id: &str) -> UnitVector {
    let found = unit_vectors(16).into_iter().find(|v| v.id == id);
    found.unwrap_or_else(|| panic!("no traversal vector is called {id}"))
}

/// TV14: all eight loops of a row.
fn eight_loops() -> UnitVector {
    let loops = (0..8).map(|c| heddle_arch::Loop {
        initial: 0,
        step: 1 << c,
        end: 2 << c,
    });
    UnitVector {
        id: "TV14".into(),
        rows: vec![Row {
            loops: loops.collect(),
            ..Row::default()
        }],
        addresses: (0..256).collect(),
        stop: None,
    }
}

/// A vector one of whose rows, a prologue or an epilogue, runs for a loop of the tensor.
fn attached(id: &str, of: &str, row: usize, attach: u8) -> UnitVector {
    let text = AT_LEAST.iter().find(|text| text.0 == of);
    let mut vector = read(text.expect("a vector"));
    vector.id = id.into();
    vector.rows[row].attach = Some(attach);
    let (before, rest) = vector.addresses.split_at(3);
    let (tensor, behind) = rest.split_at(12);
    let parts = tensor.chunks([2, 4, 12][usize::from(attach)]);
    let parts: Vec<u64> = parts
        .flat_map(|part| match row {
            0 => [before, part].concat(),
            _ => [part, behind].concat(),
        })
        .collect();
    if row > 0 {
        vector.addresses = [before, &parts].concat();
    } else {
        vector.addresses = parts;
    }
    vector
}
