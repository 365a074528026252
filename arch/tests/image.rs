//! Images: what is written is read, and what is wrong is refused with field and value.

use heddle_arch::image::layout::{self, end, header, section, table, tensor};
use heddle_arch::image::{
    self, Element, End, Image, Kind, Operation, Tensor, TensorLoop, WORDS_MAX, WORK,
};
use heddle_arch::isa::fields::Word;
use heddle_arch::job::{Job, TABLES, Work};
use heddle_arch::python;
use heddle_arch::transfer::{Space, Transfer, Walk};
use proptest::prelude::*;

use crate::isa_fields::check_tables;
use crate::jobs::job;

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/..");

fn field_table(words: &[Word]) -> String {
    let head = "| word | bits | field | meaning |\n|---|---|---|---|\n";
    let rows = words.iter().flat_map(|word| {
        let row = |field: &heddle_arch::isa::fields::Field| {
            let of = match word.of {
                "LOAD, STORE" => String::new(),
                of => format!("{of}: "),
            };
            let (name, bits) = (field.name.to_lowercase(), field.bits());
            format!(
                "| {of}{} | `{bits}` | {name} | {} |\n",
                word.place, field.doc
            )
        };
        word.fields.iter().map(row)
    });
    head.to_string() + &rows.collect::<String>()
}

#[test]
fn the_lists_of_the_document_are_those_of_the_tables() {
    let [jobs, transfers] = TABLES.map(field_table);
    let kinds = Kind::ALL.map(|kind| {
        let each = kind.entry_bytes();
        let each = each.map_or("a text and a 0".to_string(), |bytes| bytes.to_string());
        format!("| {} | {} | {each} |\n", kind as u32, kind.name())
    });
    let kinds =
        "| kind | what | bytes of an entry |\n|---:|---|---:|\n".to_string() + &kinds.concat();
    let mut tables = vec![("jobs", jobs), ("transfers", transfers), ("kinds", kinds)];
    tables.extend(
        layout::RECORDS
            .iter()
            .map(|record| (record.name, table(record))),
    );
    check_tables(&format!("{ROOT}/docs/image.md"), "image", &tables);
}

#[test]
fn the_constants_of_the_drivers_are_those_of_the_tables() {
    let header = image::c_header();
    let module = python::constants(&header);
    assert_eq!(
        header.matches("#define HEDDLE_").count() - 1,
        module.matches(" = ").count()
    );
    for (path, expected) in [
        ("driver/c/heddle_image.h", header),
        ("driver/python/heddle_image.py", module),
    ] {
        let place = format!("{ROOT}/{path}");
        if std::env::var_os("HEDDLE_BLESS").is_some() {
            std::fs::write(&place, &expected).unwrap();
        }
        let found = std::fs::read_to_string(&place).unwrap();
        assert!(
            found == expected,
            "{path} is not current: HEDDLE_BLESS=1 writes it"
        );
    }
}

proptest! {
    #[test]
    fn images_are_read_as_they_were_written(
        data in prop::array::uniform4(prop::collection::vec(any::<u64>(), 0..20)),
        numbers in any::<[u32; 2]>(), caps in 0..16u32, sides in prop::array::uniform2(1..=256u32),
        once in prop::collection::vec(job(), 0..12),
    ) {
        let mut image = sample();
        image.data = data;
        (image.config, image.caps, image.shape) = (numbers[0], caps, sides);
        // Those that leave their region are for the test of faults.
        let stays = |job: &Job| match job.work {
            Work::Load(transfer) => {
                let counts = transfer.loops.map(|walk| u64::from(walk.count));
                transfer.fill && counts.iter().product::<u64>() <= WORDS_MAX
            }
            Work::Store(_) => false,
            _ => true,
        };
        image.once = once.into_iter().filter(stays).collect();
        let file = image.to_bytes().unwrap();
        prop_assert_eq!(file.len() % 64, 0);
        prop_assert_eq!(Image::from_bytes(&file).unwrap(), image.clone());
        prop_assert_eq!(image.to_bytes().unwrap(), file);
    }
}

/// A LOAD of some words of the state buffer.
pub fn load(region: u32, offset: u32, words: u32) -> Job {
    let walk = |count, step, pitch| Walk { count, step, pitch };
    Work::Load(Transfer {
        space: Space::Buffer,
        region,
        fill: false,
        partitions: 2,
        zero: 0,
        offset,
        place: [3, 0],
        loops: [walk(words, 1, 8), Walk::ONCE, Walk::ONCE],
    })
    .into()
}

/// An image with something in each section.
pub fn sample() -> Image {
    let walk = |count, memory, user| TensorLoop {
        count,
        memory,
        user,
    };
    let tensor = |name: &str, region, offset, extents: &[u32], loops: Vec<TensorLoop>| Tensor {
        name: name.to_string(),
        input: region == 1,
        output: region == WORK,
        element: Element::Int8,
        region,
        offset,
        bytes: 24,
        scale: 0.5,
        zero_point: -3,
        padding: 0xfd,
        extents: extents.to_vec(),
        loops,
        first: 0,
    };
    let mut odd = tensor(
        "image",
        1,
        24,
        &[2, 3, 2],
        vec![walk(2, 8, 6), walk(2, 1, 1)],
    );
    odd.first = 2;
    Image {
        config: 0x1234_5678,
        shape: [8, 4],
        caps: 8,
        scratch_bytes: 0,
        work_bytes: 64,
        data: [vec![1, 2], vec![3; 9], vec![4], vec![5]],
        tensors: vec![
            tensor(
                "image",
                1,
                0,
                &[2, 3, 2],
                vec![walk(2, 8, 6), walk(2, 4, 4), walk(2, 1, 1)],
            ),
            odd,
            tensor("sums", 2, 0, &[10], vec![walk(10, 1, 1)]),
            tensor("shares", WORK, 16, &[10], vec![walk(10, 1, 1)]),
        ],
        once: vec![load(0, 448, 2), load(0, 512, 9)],
        begin: vec![
            Work::Regions([None, Some(0), None, None]).into(),
            load(1, 0, 6),
        ],
        runs: vec![
            Work::Run {
                config: 0x1234_5678,
                start: 4,
                limit: 0,
                keep: false,
            }
            .into(),
        ],
        end: vec![Work::Fence { interrupt: true }.into()],
        ends: vec![End {
            operation: Operation::Softmax,
            source: 2,
            destination: 3,
            rows: 1,
            length: 10,
            stride: 1,
            multiplier: 1 << 30,
            shift: 4,
        }],
    }
}

/// Where the header or an entry of a section begins.
fn place(kind: Option<Kind>, index: usize) -> usize {
    let file = sample().to_bytes().unwrap();
    let Some(kind) = kind else { return 0 };
    let at = 64 + 32 * Kind::ALL.iter().position(|other| *other == kind).unwrap();
    let offset = &file[at + section::OFFSET.at..][..8];
    let offset = u64::from_le_bytes(offset.try_into().unwrap()) as usize;
    offset + index * kind.entry_bytes().unwrap()
}

/// The file with all checksums as they have to be.
fn sealed(mut file: Vec<u8>) -> Vec<u8> {
    let number =
        |file: &[u8], at: usize| u64::from_le_bytes(file[at..at + 8].try_into().unwrap()) as usize;
    for index in 0..Kind::ALL.len() {
        let at = 64 + 32 * index;
        let (begin, bytes) = (
            number(&file, at + section::OFFSET.at),
            number(&file, at + section::BYTES_ALL.at),
        );
        if let Some(content) = begin
            .checked_add(bytes)
            .and_then(|end| file.get(begin..end))
        {
            let crc = crc32fast::hash(content);
            file[at + section::CRC.at..][..4].copy_from_slice(&crc.to_le_bytes());
        }
    }
    let crc = crc32fast::hash(&file[..60]);
    file[60..64].copy_from_slice(&crc.to_le_bytes());
    file
}

fn message(file: &[u8]) -> String {
    Image::from_bytes(file)
        .expect_err("it is damaged")
        .to_string()
}

/// Record, its number, field, value and what is said of it.
const WRONG: &str = "\
header 0 FILE_BYTES 64 | header: file_bytes is 64, expected
header 0 VERSION 2 | header: version is 2, expected 1
header 0 SHAPE 0 | header: shape is 0, expected 1 to 256
header 0 CAPS 16 | header: caps is 16, expected bits 0 to 3
header 0 SECTIONS 10 | header: sections is 10, expected 11 or more
header 0 SECTIONS 2147483648 | header: sections is 2147483648
header 0 RING_ENTRIES 1024 | header: ring_entries is 1024, expected at most 1023
header 0 RING_ENTRIES 9 | header: ring_entries is 9, expected 8
header 0 SCRATCH_BYTES 18446744073709551615 | header: scratch_bytes is 18446744073709551615
header 0 WORK_BYTES 10 | tensor 3: offset is 16, expected an end of at most 10
tensor 0 NAME 1 | tensor 0: name is 1, expected the first byte of a text
tensor 0 NAME 900 | tensor 0: name is 900
tensor 0 FLAGS 4 | tensor 0: flags is 4, expected 0 to 3
tensor 1 FLAGS 0 | tensor 1: name is 0, expected a name of its own
tensor 0 TYPE 4 | tensor 0: type is 4, expected 0 to 3
tensor 0 REGION 3 | tensor 0: region is 3, expected 1, 2 or 4
tensor 1 OFFSET 16 | tensor 1: offset is 16, expected at least 24
tensor 0 OFFSET 18446744073709551615 | tensor 0: offset is 18446744073709551615
tensor 0 BYTES_ALL 13 | tensor 0: bytes is 13, expected at least 14
tensor 0 SCALE 2143289344 | tensor 0: scale is 2143289344
tensor 0 ZERO_POINT 128 | tensor 0: zero_point is 128, expected -128 to 127
tensor 0 PADDING 256 | tensor 0: padding is 256, expected at most 255
tensor 0 RANK 7 | tensor 0: rank is 7, expected 1 to 6
tensor 0 RANK 2 | tensor 0: extent 2 is 2, expected 0
tensor 0 EXTENTS 0 | tensor 0: extent 0 is 0, expected at least 1
tensor 2 EXTENTS 4294967295 | tensor 2: rank is 1, expected extents of
tensor 0 LOOPS 0 | tensor 0: loops is 0, expected 1 to 6
tensor 0 LOOPS 2 | tensor 0: word 6 of the loops is 2, expected 0
tensor 0 WALKS 0 | tensor 0: turns of loop 0 is 0, expected at least 1
tensor 2 WALKS 9 | tensor 2: loops is 9, expected loops of 10 turns
tensor 1 FIRST 5 | tensor 1: first is 5, expected loops that end in the 12
end 0 OPERATION 6 | end 0: operation is 6, expected 1 to 5
end 0 SOURCE 4 | end 0: source is 4, expected below 4
end 0 SOURCE 1 | end 0: source is 1, expected below 4, the first of its name
end 0 DESTINATION 9 | end 0: destination is 9
end 0 DESTINATION 0 | end 0: destination is 0, expected a tensor of 10
end 0 ROWS 2 | end 0: rows is 2, expected 1
end 0 LENGTH 0 | end 0: length is 0, expected at least 1
end 0 STRIDE 2 | end 0: stride is 2, expected a part of the rows
end 0 MULTIPLIER 2147483648 | end 0: multiplier is 2147483648
end 0 SHIFT 31 | end 0: shift is 31, expected 0 to 30
";

#[test]
fn every_field_with_a_wrong_value_is_named_with_it() {
    let (kind, crc) = (section::KIND, section::CRC);
    let good = sample().to_bytes().unwrap();
    assert_eq!(sealed(good.clone()), good);
    let records = [
        (None, header::RECORD),
        (Some(Kind::Tensors), tensor::RECORD),
        (Some(Kind::Ends), end::RECORD),
    ];
    for row in WRONG.lines() {
        let (place_of, expected) = row.split_once(" | ").unwrap();
        let [name, index, field, value] = place_of.split(' ').collect::<Vec<_>>()[..] else {
            panic!("{row}");
        };
        let (kind, record) = records.iter().find(|(_, one)| one.name == name).unwrap();
        let field = record.fields.iter().find(|one| one.name == field).unwrap();
        // Of a field of several numbers the first.
        let width = if field.bytes > 8 { 4 } else { field.bytes };
        let value = value.parse::<u64>().unwrap().to_le_bytes();
        let mut file = good.clone();
        let at = place(*kind, index.parse().unwrap()) + field.at;
        file[at..at + width].copy_from_slice(&value[..width]);
        let found = message(&sealed(file));
        assert!(found.starts_with(expected), "{found}\nexpected {expected}");
    }
    // Each field of these records is there; MAGIC, CONFIG and CRC have tests of their own.
    for (_, record) in records {
        for field in record.fields {
            let is_there = WRONG.lines().any(|row| {
                let mut words = row.split(' ');
                words.next() == Some(record.name) && words.nth(1) == Some(field.name)
            });
            let apart = ["MAGIC", "CONFIG", "CRC"].contains(&field.name);
            assert!(is_there || apart, "{} {}", record.name, field.name);
        }
    }
    for (index, field, value, expected) in [
        (0, kind, 12, "file: sections is 11, expected one of kind 1"),
        (
            0,
            kind,
            2,
            "section 1: kind is 2, expected kinds 1 to 11 once each",
        ),
        (
            1,
            section::ENTRIES,
            8,
            "section 1: entries is 8, expected 9, bytes by 8",
        ),
        (2, section::OFFSET, 0, "section 2: offset is 0, expected"),
        (
            2,
            section::OFFSET,
            u64::MAX,
            "section 2: offset is 18446744073709551615, expected",
        ),
        (
            1,
            section::BYTES_ALL,
            64,
            "section 1: entries is 9, expected 8, bytes by 8",
        ),
        (
            1,
            section::BYTES_ALL,
            1 << 40,
            "section 1: bytes is 1099511627776, expected at most",
        ),
        (3, crc, 7, "section 3: crc is 7, expected"),
    ] {
        let mut file = good.clone();
        let at = 64 + 32 * index + field.at;
        file[at..at + field.bytes].copy_from_slice(&value.to_le_bytes()[..field.bytes]);
        let file = if field == crc { file } else { sealed(file) };
        let found = message(&file);
        assert!(found.starts_with(expected), "{found}\nexpected {expected}");
    }
}

#[test]
fn every_damaged_byte_is_seen() {
    let good = sample().to_bytes().unwrap();
    for at in 0..good.len() {
        for flip in [1, 0x80] {
            let mut file = good.clone();
            file[at] ^= flip;
            assert!(Image::from_bytes(&file).is_err(), "byte {at}");
        }
    }
    for end in 0..good.len() {
        let found = message(&good[..end]);
        let expected = ["has ", "is no image"];
        assert!(
            expected.iter().any(|text| found.starts_with(text)),
            "{found}"
        );
    }
    let longer = [&good[..], &[0]].concat();
    assert!(message(&longer).starts_with("header: file_bytes is "));
    assert_eq!(
        message(b"PK\x03\x04"),
        "is no image: it does not begin with HEDLIMG1"
    );
}

#[test]
fn sections_of_unknown_kinds_are_passed_over() {
    let image = sample();
    let file = image.to_bytes().unwrap();
    // A section of kind 99 in front of the others moves them by a record, rounded up, and 64 bytes.
    let count = Kind::ALL.len();
    let (old, new) = (
        (64 + 32 * count).next_multiple_of(64),
        (64 + 32 * (count + 1)).next_multiple_of(64) + 64,
    );
    let mut longer = file[..64].to_vec();
    let record = |kind: u32, entries: u32, offset: u64, bytes: u64| {
        let words = [kind.to_le_bytes(), entries.to_le_bytes()].concat();
        [
            words,
            offset.to_le_bytes().to_vec(),
            bytes.to_le_bytes().to_vec(),
            vec![0; 8],
        ]
        .concat()
    };
    longer.extend(record(99, 77, new as u64 - 64, 5));
    for index in 0..count {
        let mut own = file[64 + 32 * index..][..32].to_vec();
        let offset = u64::from_le_bytes(own[8..16].try_into().unwrap()) + (new - old) as u64;
        own[8..16].copy_from_slice(&offset.to_le_bytes());
        longer.extend(own);
    }
    longer.resize(new, 0);
    longer[new - 64] = 9;
    longer.extend(&file[old..]);
    let bytes = longer.len() as u64;
    longer[8..16].copy_from_slice(&bytes.to_le_bytes());
    longer[32] += 1;
    let crc = crc32fast::hash(&longer[..60]);
    longer[60..64].copy_from_slice(&crc.to_le_bytes());
    assert_eq!(Image::from_bytes(&longer).unwrap(), image);
}

#[test]
fn jobs_that_leave_their_memory_are_refused() {
    let check = |change: fn(&mut Image), expected: &str| {
        let mut image = sample();
        change(&mut image);
        let found = image.to_bytes().expect_err("a job is wrong").to_string();
        assert!(found.starts_with(expected), "{found}");
    };
    let far = "jobs that run once, entry 0: offset is 1600, expected an end of at most";
    check(|image| image.once[0] = load(0, 1600, 9), far);
    let late =
        "jobs in front of the runs, entry 1: offset is 8, expected an end of at most 48, not 56";
    check(|image| image.begin[1] = load(1, 8, 6), late);
    let endless = "jobs that run once, entry 0: count is 34359738368, expected loops of at most";
    check(
        |image| {
            let Work::Load(transfer) = &mut image.once[0].work else {
                panic!("a LOAD");
            };
            transfer.loops = [8192, 65536, 64].map(|count| Walk {
                count,
                step: 0,
                pitch: 0,
            });
            transfer.loops[0].pitch = 8;
        },
        endless,
    );
    let early = "jobs that run once, entry 0: region is 1, expected 0 or 3";
    check(|image| image.once[0] = load(1, 0, 1), early);
    let many = "header: ring_entries is 1024, expected at most 1023";
    check(|image| image.once = vec![Work::Nop.into(); 1024], many);
    let unaligned = "jobs that run once, entry 0: OFFSET is 450, expected a multiple of 8";
    check(|image| image.once[0] = load(0, 450, 1), unaligned);
}
