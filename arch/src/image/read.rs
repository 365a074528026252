//! An image of a file. Everything is checked before anything is kept.

use super::bytes::Checker;
use super::layout::{end, header, section, tensor};
use super::write::ALIGN;
use super::{
    BYTES_MAX, Element, End, Image, ImageError, Kind, LOOPS, MAGIC, Operation, RING_MAX, Tensor,
    TensorLoop, VERSION,
};
use crate::isa::fields::Field;
use crate::job::{JOB_BYTES, Job};
use crate::registers::shape;

impl Image {
    /// Reads a file.
    ///
    /// # Errors
    /// [`ImageError`]: it is torn, foreign or damaged, or a field has a value that no image has.
    pub fn from_bytes(file: &[u8]) -> Result<Image, ImageError> {
        let header = head(file)?;
        let sections = Sections::of(file, header)?;
        let strings = sections.bytes(Kind::Strings);
        check_strings(strings, sections.entries(Kind::Strings))?;
        let words = |kind| {
            let words = sections.bytes(kind).chunks_exact(8);
            words
                .map(|word| u64::from_le_bytes(word.try_into().expect("eight bytes")))
                .collect()
        };
        let tensors = sections.bytes(Kind::Tensors).chunks_exact(tensor::BYTES);
        let tensors = tensors.enumerate().map(|(index, record)| {
            let place = format!("tensor {index}");
            read_tensor(&Checker { place: &place }, record, strings)
        });
        let ends = sections.bytes(Kind::Ends).chunks_exact(end::BYTES);
        let ends = ends.enumerate().map(|(index, record)| {
            let place = format!("end {index}");
            read_end(&Checker { place: &place }, record)
        });
        let size = header::SHAPE.word(header);
        let image = Image {
            config: header::CONFIG.word(header),
            shape: [shape::ROWS.get(size), shape::COLUMNS.get(size)],
            caps: header::CAPS.word(header),
            scratch_bytes: header::SCRATCH_BYTES.get(header),
            work_bytes: header::WORK_BYTES.get(header),
            data: Kind::DATA.map(words),
            tensors: tensors.collect::<Result<_, _>>()?,
            once: read_jobs(Kind::Once, &sections)?,
            begin: read_jobs(Kind::Begin, &sections)?,
            runs: read_jobs(Kind::Runs, &sections)?,
            end: read_jobs(Kind::End, &sections)?,
            ends: ends.collect::<Result<_, _>>()?,
        };
        let place = Checker { place: "header" };
        let found = header::RING_ENTRIES.get(header);
        let expected = image.ring_entries();
        let is_right = found == expected as u64;
        place.is(
            is_right,
            header::RING_ENTRIES.name,
            found,
            expected.to_string(),
        )?;
        image.check_in(file.len() as u64)?;
        Ok(image)
    }
}

/// The header.
fn head(file: &[u8]) -> Result<&[u8], ImageError> {
    let found = file.len() as u64;
    let torn = |expected: u64| ImageError::Torn { found, expected };
    let begins = MAGIC.iter().zip(file).all(|(a, b)| a == b);
    if !begins {
        return Err(ImageError::Foreign);
    }
    let record = file
        .get(..header::BYTES)
        .ok_or(torn(header::BYTES as u64))?;
    let at = Checker { place: "header" };
    let is = |holds: bool, field: super::layout::Bytes, expected: String| {
        at.is(holds, field.name, field.get(record), expected)
    };
    let version = header::VERSION.word(record);
    is(version == VERSION, header::VERSION, VERSION.to_string())?;
    let crc = crc32fast::hash(&record[..header::CRC.at]);
    is(
        header::CRC.word(record) == crc,
        header::CRC,
        crc.to_string(),
    )?;
    at.zeros(&header::RECORD, record)?;
    let bytes = header::FILE_BYTES.get(record);
    if bytes > found {
        return Err(torn(bytes));
    }
    is(
        bytes == found,
        header::FILE_BYTES,
        format!("{found}, the bytes of the file"),
    )?;
    is(
        bytes <= BYTES_MAX,
        header::FILE_BYTES,
        format!("at most {BYTES_MAX}"),
    )?;
    let size = header::SHAPE.word(record);
    let used = shape::ROWS.mask() | shape::COLUMNS.mask();
    let is_side = |field: Field| (1..=256).contains(&field.get(size));
    let is_shape = size & !used == 0 && is_side(shape::ROWS) && is_side(shape::COLUMNS);
    is(
        is_shape,
        header::SHAPE,
        "1 to 256 rows and columns".to_string(),
    )?;
    let ring = header::RING_ENTRIES.get(record);
    is(
        ring <= RING_MAX as u64,
        header::RING_ENTRIES,
        format!("at most {RING_MAX}"),
    )?;
    let sections = header::SECTIONS.get(record);
    let least = Kind::ALL.len() as u64;
    let fits = (bytes - header::BYTES as u64) / section::BYTES as u64;
    let expected = format!("{least} or more that lie in the file");
    is(
        (least..=fits).contains(&sections),
        header::SECTIONS,
        expected,
    )?;
    Ok(record)
}

/// The sections that are known, by [`Kind::ALL`].
struct Sections<'a>([(u64, &'a [u8]); Kind::ALL.len()]);

impl<'a> Sections<'a> {
    fn of(file: &'a [u8], header: &[u8]) -> Result<Self, ImageError> {
        let mut found: [Option<(u64, &[u8])>; Kind::ALL.len()] = [None; Kind::ALL.len()];
        let count = header::SECTIONS.get(header) as usize;
        let records = file[header::BYTES..].chunks_exact(section::BYTES);
        let mut next = header::BYTES + count * section::BYTES;
        for (index, record) in records.take(count).enumerate() {
            let place = format!("section {index}");
            let at = Checker { place: &place };
            at.zeros(&section::RECORD, record)?;
            let begin = next.next_multiple_of(ALIGN);
            let offset = section::OFFSET.get(record);
            let expected = format!("{begin}, the next multiple of 64");
            at.is(
                offset == begin as u64,
                section::OFFSET.name,
                offset,
                expected,
            )?;
            let bytes = section::BYTES_ALL.get(record);
            let room = (file.len() as u64).saturating_sub(offset);
            let expected = format!("at most {room}, up to the end of the file");
            at.is(bytes <= room, section::BYTES_ALL.name, bytes, expected)?;
            check_gap(&at, file, next, begin)?;
            next = begin + bytes as usize;
            let content = &file[begin..next];
            let number = section::KIND.get(record);
            let position = Kind::ALL.iter().position(|kind| *kind as u64 == number);
            let Some(position) = position else { continue };
            let expected = "kinds 1 to 11 once each";
            at.is(
                found[position].is_none(),
                section::KIND.name,
                number,
                expected,
            )?;
            let entries = section::ENTRIES.get(record);
            if let Some(each) = Kind::ALL[position].entry_bytes() {
                let expected = format!("{}, bytes by {each}", bytes / each as u64);
                let is_count = entries * each as u64 == bytes;
                at.is(is_count, section::ENTRIES.name, entries, expected)?;
            }
            let crc = u64::from(crc32fast::hash(content));
            let given = section::CRC.get(record);
            at.is(given == crc, section::CRC.name, given, crc.to_string())?;
            found[position] = Some((entries, content));
        }
        let at = Checker { place: "file" };
        let end = next.next_multiple_of(ALIGN);
        let expected = format!("{end}, the end of the last section");
        let bytes = file.len();
        at.is(
            end == bytes,
            header::FILE_BYTES.name,
            bytes as u64,
            expected,
        )?;
        check_gap(&at, file, next, end)?;
        for (kind, section) in Kind::ALL.iter().zip(found) {
            let expected = format!("one of kind {}", *kind as u32);
            at.is(section.is_some(), "sections", count as u64, expected)?;
        }
        Ok(Self(found.map(|section| section.expect("all are there"))))
    }

    fn of_kind(&self, kind: Kind) -> (u64, &'a [u8]) {
        let position = Kind::ALL.iter().position(|other| *other == kind);
        self.0[position.expect("all are listed")]
    }

    fn bytes(&self, kind: Kind) -> &'a [u8] {
        self.of_kind(kind).1
    }

    fn entries(&self, kind: Kind) -> u64 {
        self.of_kind(kind).0
    }
}

/// What lies between two sections is 0.
fn check_gap(at: &Checker<'_>, file: &[u8], from: usize, to: usize) -> Result<(), ImageError> {
    let gap = file.get(from..to).unwrap_or_default();
    let place = gap.iter().position(|byte| *byte != 0);
    let value = place.map_or(0, |place| gap[place]);
    at.is(place.is_none(), "byte between sections", value.into(), "0")
}

/// Texts end with a 0 each.
fn check_strings(strings: &[u8], entries: u64) -> Result<(), ImageError> {
    let at = Checker { place: "texts" };
    let ends = strings.iter().filter(|byte| **byte == 0).count() as u64;
    at.is(
        entries == ends,
        section::ENTRIES.name,
        entries,
        format!("{ends}, the zeros"),
    )?;
    let last = strings.last().copied().unwrap_or(0);
    at.is(last == 0, "last byte", last.into(), "0")
}

fn read_jobs(kind: Kind, sections: &Sections<'_>) -> Result<Vec<Job>, ImageError> {
    let entries = sections.bytes(kind).chunks_exact(JOB_BYTES).enumerate();
    let read = entries.map(|(index, entry)| {
        let place = format!("{}, entry {index}", kind.name());
        let word = |at: usize| entry[4 * at..4 * at + 4].try_into().expect("four bytes");
        let words = std::array::from_fn(|at| u32::from_le_bytes(word(at)));
        Checker { place: &place }.of(Job::decode(&words))
    });
    read.collect()
}

fn read_tensor(at: &Checker<'_>, record: &[u8], strings: &[u8]) -> Result<Tensor, ImageError> {
    at.zeros(&tensor::RECORD, record)?;
    let is = |holds: bool, field: super::layout::Bytes, expected: &str| {
        at.is(holds, field.name, field.get(record), expected)
    };
    let place = tensor::NAME.word(record) as usize;
    let begins = place == 0 || strings.get(place.wrapping_sub(1)) == Some(&0);
    let name = strings
        .get(place..)
        .filter(|text| begins && !text.is_empty());
    let name = name.and_then(|text| text.split(|byte| *byte == 0).next());
    let name = name.and_then(|text| std::str::from_utf8(text).ok());
    is(name.is_some(), tensor::NAME, "the first byte of a text")?;
    let flags = tensor::FLAGS.get(record);
    is(flags <= 3, tensor::FLAGS, "0 to 3")?;
    let number = tensor::TYPE.get(record) as usize;
    is(number < Element::ALL.len(), tensor::TYPE, "0 to 3")?;
    let padding = tensor::PADDING.get(record);
    is(padding <= 255, tensor::PADDING, "at most 255")?;
    let [rank, loops] = [tensor::RANK, tensor::LOOPS].map(|field| field.get(record) as usize);
    is((1..=LOOPS).contains(&rank), tensor::RANK, "1 to 6")?;
    is((1..=LOOPS).contains(&loops), tensor::LOOPS, "1 to 6")?;
    let of = |field: super::layout::Bytes, index: usize| field.at(index).word(record);
    for index in rank..LOOPS {
        let value = of(tensor::EXTENTS, index);
        let name = format!("extent {index}");
        at.is(value == 0, &name, value.into(), "0 from the rank on")?;
    }
    for index in 3 * loops..3 * LOOPS {
        let value = of(tensor::WALKS, index);
        let name = format!("word {index} of the loops");
        at.is(value == 0, &name, value.into(), "0 behind the last loop")?;
    }
    Ok(Tensor {
        name: name.unwrap_or_default().to_string(),
        input: flags & 1 != 0,
        output: flags & 2 != 0,
        element: Element::ALL[number],
        region: tensor::REGION.word(record),
        offset: tensor::OFFSET.get(record),
        bytes: tensor::BYTES_ALL.get(record),
        scale: f32::from_bits(tensor::SCALE.word(record)),
        zero_point: tensor::ZERO_POINT.word(record) as i32,
        padding: padding as u8,
        extents: (0..rank).map(|index| of(tensor::EXTENTS, index)).collect(),
        loops: (0..loops)
            .map(|index| TensorLoop {
                count: of(tensor::WALKS, 3 * index),
                memory: of(tensor::WALKS, 3 * index + 1),
                user: of(tensor::WALKS, 3 * index + 2),
            })
            .collect(),
        first: tensor::FIRST.word(record),
    })
}

fn read_end(at: &Checker<'_>, record: &[u8]) -> Result<End, ImageError> {
    at.zeros(&end::RECORD, record)?;
    let number = end::OPERATION.get(record);
    let mut all = Operation::ALL.into_iter();
    let operation = all.find(|operation| *operation as u64 == number);
    at.is(operation.is_some(), end::OPERATION.name, number, "1 to 5")?;
    Ok(End {
        operation: operation.unwrap_or(Operation::Quantize),
        source: end::SOURCE.word(record),
        destination: end::DESTINATION.word(record),
        rows: end::ROWS.word(record),
        length: end::LENGTH.word(record),
        stride: end::STRIDE.word(record),
        multiplier: end::MULTIPLIER.word(record),
        shift: end::SHIFT.word(record) as i32,
    })
}
