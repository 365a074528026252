//! Transfers, jobs and images: what is written is read, and what is wrong is refused with field and value.

use heddle_arch::image::layout::{self, Bytes, end, header, section, table, tensor};
use heddle_arch::image::{self, Element, End, Image, Kind, Operation, Tensor, TensorLoop, WORK};
use heddle_arch::isa::fields::Word;
use heddle_arch::job::{JOB_BYTES, Job, JobWaits, TABLES, Work};
use heddle_arch::transfer::{Space, Transfer, Walk};
use proptest::prelude::*;

use crate::isa_fields::check_tables;

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
fn the_header_of_the_driver_is_that_of_the_tables() {
    let (path, expected) = (format!("{ROOT}/driver/c/heddle_image.h"), image::c_header());
    if std::env::var_os("HEDDLE_BLESS").is_some() {
        std::fs::write(&path, &expected).unwrap();
    }
    let found = std::fs::read_to_string(&path).unwrap();
    assert!(
        found == expected,
        "driver/c/heddle_image.h is not current: HEDDLE_BLESS=1 writes it"
    );
}

/// A transfer with fields that fit each other.
fn transfer() -> impl Strategy<Value = Transfer> {
    let walk = |most: u32| (1..=most, 0..=0x1fffu32, 0..=u32::MAX / 8);
    let numbers = (0..7usize, 0..4u32, any::<bool>(), 0..4u32, any::<u8>());
    let places = (any::<u32>(), any::<u32>(), 0..=u32::MAX / 8);
    (numbers, places, walk(8192), walk(65536), walk(65536)).prop_map(|(numbers, place, x, y, z)| {
        let (space, region, fill, partitions, zero) = numbers;
        let space = Space::ALL[space];
        let is_buffer = space == Space::Buffer;
        let fill = fill && is_buffer;
        let streams = matches!(space, Space::Weights | Space::Commands);
        let most: [u32; 2] = match space {
            Space::Buffer => [0x1fff, 255],
            Space::Columns => [1023, 255],
            Space::Rows => [255, 255],
            Space::Tables => [0x7ff, 0],
            Space::Program => [0x7fff, 0],
            Space::Weights | Space::Commands => [0, 0],
        };
        let with = |(count, step, pitch): (u32, u32, u32)| Walk {
            count,
            step: if streams { 0 } else { step },
            pitch: if fill { 0 } else { 8 * pitch },
        };
        let mut loops = [x, y, z].map(with);
        loops[0].pitch = if fill { 0 } else { 8 * space.words() };
        if space == Space::Columns {
            loops[0].step = 1;
            loops[2].count = 1;
        }
        Transfer {
            space,
            region: if fill { 0 } else { region },
            fill,
            partitions: if space.has_partitions() {
                partitions
            } else {
                0
            },
            zero: if is_buffer && !fill { zero } else { 0 },
            offset: if fill { 0 } else { 8 * place.2 },
            place: [place.0 % (most[0] + 1), place.1 % (most[1] + 1)],
            loops,
        }
    })
}

fn job() -> impl Strategy<Value = Job> {
    let waits = any::<[bool; 3]>();
    let work = prop_oneof![
        Just(Work::Nop),
        (any::<u32>(), any::<u16>(), any::<u32>(), any::<bool>()).prop_map(
            |(config, start, limit, keep)| Work::Run {
                config,
                start: start.into(),
                limit,
                keep
            }
        ),
        transfer().prop_map(Work::Load),
        transfer().prop_map(|transfer| match transfer.space {
            Space::Buffer if !transfer.fill => Work::Store(transfer),
            _ => Work::Load(transfer),
        }),
        any::<[Option<u64>; 4]>().prop_map(|regions| {
            Work::Regions(regions.map(|address| address.map(|address| address & !7)))
        }),
        any::<bool>().prop_map(|interrupt| Work::Fence { interrupt }),
    ];
    (waits, work).prop_map(|([program, loads, stores], work)| {
        let sets = matches!(work, Work::Regions([a, _, _, b]) if a.is_some() || b.is_some());
        let program = program || sets;
        Job {
            waits: JobWaits {
                program,
                loads,
                stores,
            },
            work,
        }
    })
}

proptest! {
    #[test]
    fn transfers_are_read_as_they_were_written(transfer in transfer()) {
        let words = transfer.encode().unwrap();
        prop_assert_eq!(Transfer::decode(&words).unwrap(), transfer);
    }

    #[test]
    fn jobs_are_read_as_they_were_written(job in job()) {
        let words = job.encode().unwrap();
        prop_assert_eq!(Job::decode(&words).unwrap(), job);
    }

    #[test]
    fn every_bit_of_a_job_means_something_or_is_refused(job in job(), word in 0..16usize, bit in 0..32u32) {
        let mut words = job.encode().unwrap();
        words[word] ^= 1 << bit;
        if let Ok(other) = Job::decode(&words) {
            prop_assert_ne!(other, job);
            prop_assert_eq!(other.encode().unwrap(), words);
        }
    }

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
        let stays = |job: &Job| !matches!(job.work, Work::Load(t) if !t.fill)
            && !matches!(job.work, Work::Store(_));
        image.once = once.into_iter().filter(stays).collect();
        let file = image.to_bytes().unwrap();
        prop_assert_eq!(file.len() % 64, 0);
        prop_assert_eq!(Image::from_bytes(&file).unwrap(), image.clone());
        prop_assert_eq!(image.to_bytes().unwrap(), file);
    }
}

/// A LOAD of some words of the state buffer.
fn load(region: u32, offset: u32, words: u32) -> Job {
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
fn sample() -> Image {
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

#[test]
fn every_field_with_a_wrong_value_is_named_with_it() {
    let (kind, crc) = (section::KIND, section::CRC);
    let part = Some(Kind::Tensors);
    let ends = Some(Kind::Ends);
    let cases: &[(Option<Kind>, usize, Bytes, u64, &str)] = &[
        (
            None,
            0,
            header::FILE_BYTES,
            64,
            "header: file_bytes is 64, expected",
        ),
        (
            None,
            0,
            header::VERSION,
            2,
            "header: version is 2, expected 1",
        ),
        (
            None,
            0,
            header::SHAPE,
            0,
            "header: shape is 0, expected 1 to 256",
        ),
        (
            None,
            0,
            header::CAPS,
            16,
            "header: caps is 16, expected bits 0 to 3",
        ),
        (
            None,
            0,
            header::SECTIONS,
            10,
            "header: sections is 10, expected 11 or more",
        ),
        (
            None,
            0,
            header::SECTIONS,
            1 << 31,
            "header: sections is 2147483648",
        ),
        (
            None,
            0,
            header::RING_ENTRIES,
            1024,
            "header: ring_entries is 1024, expected at most 1023",
        ),
        (
            None,
            0,
            header::RING_ENTRIES,
            9,
            "header: ring_entries is 9, expected 8",
        ),
        (
            None,
            0,
            header::SCRATCH_BYTES,
            u64::MAX,
            "header: scratch_bytes is 18446744073709551615",
        ),
        (
            None,
            0,
            header::WORK_BYTES,
            10,
            "tensor 3: offset is 16, expected an end of at most 10",
        ),
        (
            part,
            0,
            tensor::NAME,
            1,
            "tensor 0: name is 1, expected the first byte of a text",
        ),
        (part, 0, tensor::NAME, 900, "tensor 0: name is 900"),
        (
            part,
            0,
            tensor::FLAGS,
            4,
            "tensor 0: flags is 4, expected 0 to 3",
        ),
        (
            part,
            1,
            tensor::FLAGS,
            0,
            "tensor 1: name is 0, expected a name of its own",
        ),
        (
            part,
            0,
            tensor::TYPE,
            4,
            "tensor 0: type is 4, expected 0 to 3",
        ),
        (
            part,
            0,
            tensor::REGION,
            3,
            "tensor 0: region is 3, expected 1, 2 or 4",
        ),
        (
            part,
            1,
            tensor::OFFSET,
            16,
            "tensor 1: offset is 16, expected at least 24",
        ),
        (
            part,
            0,
            tensor::OFFSET,
            u64::MAX,
            "tensor 0: offset is 18446744073709551615",
        ),
        (
            part,
            0,
            tensor::BYTES_ALL,
            13,
            "tensor 0: bytes is 13, expected at least 14",
        ),
        (
            part,
            0,
            tensor::SCALE,
            0x7fc0_0000,
            "tensor 0: scale is 2143289344",
        ),
        (
            part,
            0,
            tensor::ZERO_POINT,
            128,
            "tensor 0: zero_point is 128, expected -128 to 127",
        ),
        (
            part,
            0,
            tensor::PADDING,
            256,
            "tensor 0: padding is 256, expected at most 255",
        ),
        (
            part,
            0,
            tensor::RANK,
            7,
            "tensor 0: rank is 7, expected 1 to 6",
        ),
        (
            part,
            0,
            tensor::RANK,
            2,
            "tensor 0: extent 2 is 2, expected 0",
        ),
        (
            part,
            0,
            tensor::EXTENTS,
            0,
            "tensor 0: extent 0 is 0, expected at least 1",
        ),
        (
            part,
            2,
            tensor::EXTENTS,
            0xffff_ffff,
            "tensor 2: rank is 1, expected extents of",
        ),
        (
            part,
            0,
            tensor::LOOPS,
            0,
            "tensor 0: loops is 0, expected 1 to 6",
        ),
        (
            part,
            0,
            tensor::LOOPS,
            2,
            "tensor 0: word 6 of the loops is 2, expected 0",
        ),
        (
            part,
            0,
            tensor::WALKS,
            0,
            "tensor 0: turns of loop 0 is 0, expected at least 1",
        ),
        (
            part,
            2,
            tensor::WALKS,
            9,
            "tensor 2: loops is 9, expected loops of 10 turns",
        ),
        (
            part,
            1,
            tensor::FIRST,
            9,
            "tensor 1: first is 9, expected loops that end in the 12",
        ),
        (
            ends,
            0,
            end::OPERATION,
            5,
            "end 0: operation is 5, expected 1 to 4",
        ),
        (
            ends,
            0,
            end::SOURCE,
            4,
            "end 0: source is 4, expected below 4",
        ),
        (
            ends,
            0,
            end::SOURCE,
            1,
            "end 0: source is 1, expected below 4, the first of its name",
        ),
        (ends, 0, end::DESTINATION, 9, "end 0: destination is 9"),
        (
            ends,
            0,
            end::DESTINATION,
            0,
            "end 0: destination is 0, expected a tensor of 10",
        ),
        (ends, 0, end::ROWS, 2, "end 0: rows is 2, expected 1"),
        (
            ends,
            0,
            end::LENGTH,
            0,
            "end 0: length is 0, expected at least 1",
        ),
        (
            ends,
            0,
            end::STRIDE,
            2,
            "end 0: stride is 2, expected a part of the rows",
        ),
        (
            ends,
            0,
            end::MULTIPLIER,
            1 << 31,
            "end 0: multiplier is 2147483648",
        ),
        (
            ends,
            0,
            end::SHIFT,
            31,
            "end 0: shift is 31, expected 0 to 30",
        ),
    ];
    let good = sample().to_bytes().unwrap();
    assert_eq!(sealed(good.clone()), good);
    for &(kind, index, field, value, expected) in cases {
        let mut file = good.clone();
        let width = field
            .bytes
            .min(if field == tensor::EXTENTS || field == tensor::WALKS {
                4
            } else {
                8
            });
        file[place(kind, index) + field.at..][..width]
            .copy_from_slice(&value.to_le_bytes()[..width]);
        let found = message(&sealed(file));
        assert!(found.starts_with(expected), "{found}\nexpected {expected}");
    }
    // Each field of these records is there; MAGIC, CONFIG and CRC have tests of their own.
    for (kind, record) in [
        (None, header::RECORD),
        (part, tensor::RECORD),
        (ends, end::RECORD),
    ] {
        for field in record.fields {
            let is_there = cases.iter().any(|case| case.0 == kind && case.2 == *field);
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
    let early = "jobs that run once, entry 0: region is 1, expected 0 or 3";
    check(|image| image.once[0] = load(1, 0, 1), early);
    let many = "header: ring_entries is 1024, expected at most 1023";
    check(|image| image.once = vec![Work::Nop.into(); 1024], many);
    let unaligned = "jobs that run once, entry 0: OFFSET is 450, expected a multiple of 8";
    check(|image| image.once[0] = load(0, 450, 1), unaligned);
}

#[test]
fn fields_of_transfers_and_jobs_that_do_not_fit_are_refused() {
    let good = load(1, 8, 6).encode().unwrap();
    let run: [u32; 16] = std::array::from_fn(|at| u32::from(at == 0));
    let mut seen = 0;
    for (words, word, bits, expected) in [
        (good, 0, 0xff, "TYPE is 253, expected 0 to 5"),
        (good, 0, 1 << 8, "INTERRUPT is 1, expected 0 in type 2"),
        (good, 0, 1 << 9, "KEEP is 1, expected 0 in type 2"),
        (good, 0, 1 << 20, "REGIONS is 1, expected 0 in type 2"),
        (
            good,
            0,
            1 << 31,
            "word 0: bits of no field is 2147483648, expected 0",
        ),
        (good, 1, 5, "SPACE is 5, expected 0 to 4, 8 or 9"),
        (
            good,
            1,
            1 << 6,
            "word 1: bits of no field is 64, expected 0",
        ),
        (good, 1, 1 << 7, "REGION is 1, expected 0 of a fill"),
        (good, 2, 4, "OFFSET is 12, expected a multiple of 8"),
        (
            good,
            3,
            1 << 13,
            "word 3, space 0: bits of no field is 8192, expected 0",
        ),
        (
            good,
            4,
            1 << 13,
            "word 4, loop X: bits of no field is 8192, expected 0",
        ),
        (good, 6, 4, "PITCH of Y is 4, expected a multiple of 8"),
        (good, 8, 1, "PITCH of Z is 1, expected a multiple of 8"),
        (good, 9, 1, "word 9 is 1, expected 0"),
        (good, 1, 3, "PARTITIONS is 2, expected 0 in space 3"),
        (
            run,
            2,
            1 << 16,
            "word 2: bits of no field is 65536, expected 0",
        ),
        (run, 4, 1, "word 4 is 1, expected 0"),
    ] {
        let mut wrong = words;
        wrong[word] ^= bits;
        let found = Job::decode(&wrong).expect_err(expected).to_string();
        assert_eq!(found, expected);
        seen += 1;
    }
    assert_eq!((seen, JOB_BYTES), (17, 64));
    let regions = Job::from(Work::Regions([Some(8), None, None, None]));
    let found = regions
        .encode()
        .expect_err("programs use region 0")
        .to_string();
    assert!(
        found.starts_with("WAIT_PROGRAM is 0, expected 1 where region 0"),
        "{found}"
    );
}
