//! LOAD and STORE: words between a region of a host's memory and the memories of a machine, walked by three loops.
//!
//! The tables are those of `docs/image.md`; the words are the same in an entry of a job list and in an instruction.

use std::fmt;

use crate::isa::fields::{Field, Word, words};
use crate::isa::{ErrorCode, IsaError};
use crate::word::WORD_BYTES;

/// Words of a transfer: those behind the first word of an entry.
pub const WORDS_OF_TRANSFER: usize = 8;

words! {
    /// What is moved.
    access "LOAD, STORE" "word 1" {
        SPACE 3 0 "memory of the machine",
        REGION 5 4 "region of the host's memory",
        FILL 7 7 "LOAD: stores zeros and reads no memory; REGION, ZERO, words 2, 6 and 8 are 0",
        PARTITIONS 9 8 "loop that also goes to the next partition or row: 0 none, 1 X, 2 Y, 3 Z; spaces 0 and 2",
        ZERO 23 16 "zero point of the bytes in the host's memory, space 0: a LOAD subtracts it, a STORE adds it",
    }
    /// Where it begins in the region.
    memory "LOAD, STORE" "word 2" {
        OFFSET 31 0 "bytes from the begin of the region, a multiple of 8",
    }
    /// First place in the state buffer.
    buffer_place "LOAD, STORE" "word 3, space 0" {
        INDEX 12 0 "word of a partition",
        PARTITION 23 16 "partition",
    }
    /// First column parameters.
    column_place "LOAD, STORE" "word 3, space 1" {
        TILE 9 0 "column tile",
        COLUMN 23 16 "column",
    }
    /// First entry of row tables.
    row_place "LOAD, STORE" "word 3, space 2" {
        ENTRY 7 0 "entry",
        ROW 23 16 "row",
    }
    /// First entry of activation tables.
    table_place "LOAD, STORE" "word 3, space 3" {
        ENTRY 10 0 "256 (table - 1) + byte",
    }
    /// First pair of instruction words.
    program_place "LOAD, STORE" "word 3, space 4" {
        PAIR 14 0 "pair of program words",
    }
    /// No place.
    stream_place "LOAD, STORE" "word 3, spaces 8, 9" {}
    /// The inner loop: along it memory has no gap.
    x "LOAD, STORE" "word 4, loop X" {
        COUNT 12 0 "turns, less 1",
        STEP 28 16 "places from turn to turn",
    }
    /// An outer loop.
    outer "LOAD, STORE" "words 5, 7, loops Y, Z" {
        COUNT 15 0 "turns, less 1",
        STEP 28 16 "places from turn to turn",
    }
    /// Its distance in memory.
    pitch "LOAD, STORE" "words 6, 8, loops Y, Z" {
        PITCH 31 0 "bytes of memory from turn to turn, a multiple of 8",
    }
}

/// Numbers of the memories.
pub(crate) const SPACES: &str = "0 to 4, 8 or 9";

/// A memory of the machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Space {
    /// State buffer: words; bytes pass the zero codec.
    Buffer = 0,
    /// Column parameters, two words each: bias, then the word of the scale. X walks columns, Y column tiles.
    Columns = 1,
    /// Tables of the rows: a word for each entry.
    Rows = 2,
    /// Activation tables: a word for each byte.
    Tables = 3,
    /// Program: pairs of instruction words, the first one low.
    Program = 4,
    /// Words of weights of the sparse cluster, in order.
    Weights = 8,
    /// Words of commands of the sparse cluster in the low halves, in order.
    Commands = 9,
}

impl Space {
    /// All of them.
    pub const ALL: [Space; 7] = [
        Space::Buffer,
        Space::Columns,
        Space::Rows,
        Space::Tables,
        Space::Program,
        Space::Weights,
        Space::Commands,
    ];

    /// The memory of this number.
    pub fn of(number: u32) -> Option<Space> {
        Self::ALL.into_iter().find(|space| *space as u32 == number)
    }

    /// The fields of word 3: the place that steps are added to, and the partition, column or row beside it.
    const fn place(self) -> Word {
        match self {
            Space::Buffer => buffer_place::WORD,
            Space::Columns => column_place::WORD,
            Space::Rows => row_place::WORD,
            Space::Tables => table_place::WORD,
            Space::Program => program_place::WORD,
            Space::Weights | Space::Commands => stream_place::WORD,
        }
    }

    /// Whether a loop may go to the next partition or row.
    pub const fn has_partitions(self) -> bool {
        matches!(self, Space::Buffer | Space::Rows)
    }

    /// Words of memory for a place.
    pub const fn words(self) -> u32 {
        match self {
            Space::Columns => 2,
            _ => 1,
        }
    }
}

/// A loop.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Walk {
    /// Turns, at least 1.
    pub count: u32,
    /// Places from turn to turn.
    pub step: u32,
    /// Bytes of memory from turn to turn; of the inner loop what its places take, or 0 of a fill.
    pub pitch: u32,
}

impl Walk {
    /// A loop of one turn.
    pub const ONCE: Walk = Walk {
        count: 1,
        step: 0,
        pitch: 0,
    };

    /// The inner loop: memory has no gap along it.
    pub const fn inner(space: Space, fill: bool, count: u32, step: u32) -> Walk {
        let pitch = if fill { 0 } else { space.words() * WORD_BYTES };
        Walk { count, step, pitch }
    }
}

/// Words between memory and machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Transfer {
    /// Memory of the machine.
    pub space: Space,
    /// Region of the host's memory.
    pub region: u32,
    /// Zeros in place of what memory has.
    pub fill: bool,
    /// The loop that also goes to the next partition or row: 0 none, 1 X, 2 Y, 3 Z.
    pub partitions: u32,
    /// Zero point of the bytes in memory.
    pub zero: u8,
    /// Where it begins in the region, in bytes.
    pub offset: u32,
    /// First place: the number that steps are added to, and the partition, column or row.
    pub place: [u32; 2],
    /// X, Y, Z.
    pub loops: [Walk; 3],
}

/// A field with a value that it must not have.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{field} is {value}, expected {expected}")]
pub struct BadField {
    /// Name of the field.
    pub field: String,
    /// Its value.
    pub value: u64,
    /// What is allowed.
    pub expected: String,
}

impl BadField {
    /// The same as an error of an instruction.
    pub(crate) fn in_program(&self, name: &str) -> IsaError {
        IsaError::new(ErrorCode::BadField, format!("{name}: {self}"))
    }

    /// A fault, unless `holds`.
    pub(crate) fn unless(
        holds: bool,
        field: impl Into<String>,
        value: impl Into<u64>,
        expected: impl Into<String>,
    ) -> Result<(), BadField> {
        match holds {
            true => Ok(()),
            false => Err(BadField {
                field: field.into(),
                value: value.into(),
                expected: expected.into(),
            }),
        }
    }
}

/// Bits of a word that are in no field are 0.
pub(crate) fn check_zeros(word: &Word, value: u32) -> Result<(), BadField> {
    let other = value & !word.used();
    let field = format!("{}: bits of no field", word.place);
    BadField::unless(other == 0, field, other, "0")
}

impl Transfer {
    /// The eight words.
    ///
    /// # Errors
    /// A value does not fit its field, or is not allowed.
    pub fn encode(&self) -> Result<[u32; WORDS_OF_TRANSFER], BadField> {
        let [inner, y, z] = self.loops;
        let less = |count: u32| count.wrapping_sub(1);
        let place = self.space.place().fields.iter().zip(self.place);
        let words = [
            put(access::SPACE, self.space as u32)?
                | put(access::REGION, self.region)?
                | access::FILL.flag(self.fill)
                | put(access::PARTITIONS, self.partitions)?
                | access::ZERO.put(self.zero.into()),
            self.offset,
            place
                .map(|(&field, value)| put(field, value))
                .try_fold(0, |word, bits| -> Result<u32, BadField> {
                    Ok(word | bits?)
                })?,
            put(x::COUNT, less(inner.count))? | put(x::STEP, inner.step)?,
            put(outer::COUNT, less(y.count))? | put(outer::STEP, y.step)?,
            y.pitch,
            put(outer::COUNT, less(z.count))? | put(outer::STEP, z.step)?,
            z.pitch,
        ];
        match Transfer::decode(&words)? == *self {
            true => Ok(words),
            // A number that has no field in this space, or a wrong distance of the inner loop.
            false => Err(BadField {
                field: "place or pitch of X".to_string(),
                value: self.place[1].into(),
                expected: "what the space has".to_string(),
            }),
        }
    }

    /// What the eight words say.
    ///
    /// # Errors
    /// A value that is reserved, a bit of no field, or fields that do not fit each other.
    pub fn decode(words: &[u32; WORDS_OF_TRANSFER]) -> Result<Transfer, BadField> {
        let [first, offset, place, w4, w5, w6, w7, w8] = *words;
        let number = access::SPACE.get(first);
        let space = Space::of(number).ok_or_else(|| BadField {
            field: "SPACE".to_string(),
            value: number.into(),
            expected: SPACES.to_string(),
        })?;
        let layouts = [
            (access::WORD, first),
            (space.place(), place),
            (x::WORD, w4),
            (outer::WORD, w5),
            (outer::WORD, w7),
        ];
        for (layout, word) in &layouts {
            check_zeros(layout, *word)?;
        }
        let numbers = |index: usize| {
            let field = space.place().fields.get(index).copied();
            field.map_or(0, |field: Field| field.get(place))
        };
        let fill = access::FILL.is_set(first);
        let along = |word: u32, pitch: u32| Walk {
            count: outer::COUNT.get(word) + 1,
            step: outer::STEP.get(word),
            pitch,
        };
        let transfer = Transfer {
            space,
            region: access::REGION.get(first),
            fill,
            partitions: access::PARTITIONS.get(first),
            zero: access::ZERO.get(first) as u8,
            offset,
            place: [numbers(0), numbers(1)],
            loops: [
                Walk::inner(space, fill, x::COUNT.get(w4) + 1, x::STEP.get(w4)),
                along(w5, w6),
                along(w7, w8),
            ],
        };
        transfer.check()?;
        Ok(transfer)
    }

    /// Fields that do not fit each other.
    fn check(&self) -> Result<(), BadField> {
        let [inner, y, z] = self.loops;
        let space = self.space as u32;
        let is = |holds: bool, field: &str, value: u32, expected: &str| {
            BadField::unless(holds, field, value, expected)
        };
        let aligned =
            |name: &str, value: u32| is(value % WORD_BYTES == 0, name, value, "a multiple of 8");
        if self.space != Space::Buffer {
            let expected = format!("0 in space {space}");
            is(!self.fill, "FILL", self.fill.into(), &expected)?;
            is(self.zero == 0, "ZERO", self.zero.into(), &expected)?;
        }
        if !self.space.has_partitions() {
            let expected = format!("0 in space {space}");
            is(
                self.partitions == 0,
                "PARTITIONS",
                self.partitions,
                &expected,
            )?;
        }
        if self.space == Space::Columns {
            is(
                inner.step == 1,
                "STEP of X",
                inner.step,
                "1 in space 1: it walks columns",
            )?;
            is(z.count == 1, "COUNT of Z", z.count - 1, "0 in space 1")?;
        }
        if matches!(self.space, Space::Weights | Space::Commands) {
            for (name, walk) in ["STEP of X", "STEP of Y", "STEP of Z"]
                .iter()
                .zip(self.loops)
            {
                is(walk.step == 0, name, walk.step, "0 in spaces 8 and 9")?;
            }
        }
        if self.fill {
            for (name, value) in [
                ("REGION", self.region),
                ("ZERO", self.zero.into()),
                ("OFFSET", self.offset),
                ("PITCH of Y", y.pitch),
                ("PITCH of Z", z.pitch),
            ] {
                is(value == 0, name, value, "0 of a fill")?;
            }
        }
        aligned("OFFSET", self.offset)?;
        aligned("PITCH of Y", y.pitch)?;
        aligned("PITCH of Z", z.pitch)
    }

    /// A STORE reads the state buffer alone.
    pub(crate) fn check_store(&self) -> Result<(), BadField> {
        let space = self.space as u32;
        BadField::unless(space == 0, "SPACE", space, "0 of a STORE")?;
        BadField::unless(!self.fill, "FILL", self.fill, "0 of a STORE")
    }

    /// The words of the sparse cluster come between programs alone.
    pub(crate) fn check_load_of_program(&self) -> Result<(), BadField> {
        let is_stream = matches!(self.space, Space::Weights | Space::Commands);
        BadField::unless(
            !is_stream,
            "SPACE",
            self.space as u32,
            "0 to 4 in a program",
        )
    }

    /// Places that its loops reach.
    pub fn places(&self) -> u64 {
        let counts = self.loops.iter().map(|walk| u64::from(walk.count));
        counts.fold(1, u64::saturating_mul)
    }

    /// Bytes of its region up to the end of what it reads or writes.
    pub fn end(&self) -> u64 {
        if self.fill {
            return 0;
        }
        let loops = self.loops.iter();
        let last = loops.map(|walk| u64::from(walk.count - 1) * u64::from(walk.pitch));
        u64::from(self.offset) + last.sum::<u64>() + u64::from(self.loops[0].pitch)
    }
}

impl fmt::Display for Transfer {
    /// Its fields as `name=value`, those with their default left out.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [first, second] = self.place;
        let [x, y, z] = self.loops;
        write!(f, "space={}", self.space as u32)?;
        for (name, value) in [
            ("region", self.region),
            ("offset", self.offset),
            ("zero", self.zero.into()),
            ("partitions", self.partitions),
        ] {
            if value != 0 {
                write!(f, " {name}={value}")?;
            }
        }
        write!(f, " place={first},{second} x={},{}", x.count, x.step)?;
        for (name, walk) in [("y", y), ("z", z)] {
            if walk != Walk::ONCE {
                write!(f, " {name}={},{},{}", walk.count, walk.step, walk.pitch)?;
            }
        }
        f.write_str(if self.fill { " fill" } else { "" })
    }
}

/// The bits of a value that fits its field.
fn put(field: Field, value: u32) -> Result<u32, BadField> {
    let most = field.mask() >> field.lsb;
    BadField::unless(value <= most, field.name, value, format!("at most {most}"))?;
    Ok(field.put(value))
}
