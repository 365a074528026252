//! The file of an image.

use super::layout::{end, header, section, tensor};
use super::{End, Image, ImageError, Kind, MAGIC, Tensor, VERSION};
use crate::job::Job;
use crate::registers::shape;
use crate::word::WORD_BYTES;

/// Multiples at which sections begin.
pub(super) const ALIGN: usize = 64;

impl Image {
    /// Bytes in front of each of the sections that jobs read, if the words of the sections of [`Kind::DATA`] are as many.
    pub fn data_offsets(words: [usize; 4]) -> [u64; 4] {
        let mut at = first_section();
        words.map(|words| {
            let offset = at;
            at = (at + words * WORD_BYTES as usize).next_multiple_of(ALIGN);
            offset as u64
        })
    }

    /// The file.
    ///
    /// # Errors
    /// A value that no image can have, as [`Image::from_bytes`] says.
    pub fn to_bytes(&self) -> Result<Vec<u8>, ImageError> {
        self.check()?;
        let (strings, names) = self.strings();
        let mut file = vec![0; first_section()];
        for (index, kind) in Kind::ALL.into_iter().enumerate() {
            file.resize(file.len().next_multiple_of(ALIGN), 0);
            let (entries, bytes) = self.section(kind, &strings, &names);
            let record = &mut file[header::BYTES + index * section::BYTES..][..section::BYTES];
            section::KIND.put(record, kind as u64);
            section::ENTRIES.put(record, entries as u64);
            section::BYTES_ALL.put(record, bytes.len() as u64);
            section::CRC.put(record, crc32fast::hash(&bytes).into());
            let offset = file.len() as u64;
            let record = &mut file[header::BYTES + index * section::BYTES..][..section::BYTES];
            section::OFFSET.put(record, offset);
            file.extend(bytes);
        }
        file.resize(file.len().next_multiple_of(ALIGN), 0);
        let bytes = file.len() as u64;
        self.write_header(&mut file[..header::BYTES], bytes);
        Ok(file)
    }

    fn write_header(&self, record: &mut [u8], bytes: u64) {
        record[..MAGIC.len()].copy_from_slice(MAGIC);
        let [rows, columns] = self.shape;
        let shape = shape::ROWS.put(rows) | shape::COLUMNS.put(columns);
        for (field, value) in [
            (header::FILE_BYTES, bytes),
            (header::VERSION, VERSION.into()),
            (header::CONFIG, self.config.into()),
            (header::SHAPE, shape.into()),
            (header::CAPS, self.caps.into()),
            (header::SECTIONS, Kind::ALL.len() as u64),
            (header::RING_ENTRIES, self.ring_entries() as u64),
            (header::SCRATCH_BYTES, self.scratch_bytes),
            (header::WORK_BYTES, self.work_bytes),
        ] {
            field.put(record, value);
        }
        let crc = crc32fast::hash(&record[..header::CRC.at]);
        header::CRC.put(record, crc.into());
    }

    /// All names once, each with a 0 behind it, and where that of each tensor begins.
    fn strings(&self) -> (Vec<Vec<u8>>, Vec<u32>) {
        let mut texts: Vec<Vec<u8>> = Vec::new();
        let places = self.tensors.iter().map(|tensor| {
            let name = [tensor.name.as_bytes(), &[0]].concat();
            let found = texts.iter().position(|text| *text == name);
            let index = found.unwrap_or_else(|| {
                texts.push(name);
                texts.len() - 1
            });
            texts[..index].iter().map(Vec::len).sum::<usize>() as u32
        });
        let places = places.collect();
        (texts, places)
    }

    /// Number of entries and bytes of a section.
    fn section(&self, kind: Kind, strings: &[Vec<u8>], names: &[u32]) -> (usize, Vec<u8>) {
        let words = |index: usize| {
            let words = &self.data[index];
            (
                words.len(),
                words.iter().flat_map(|word| word.to_le_bytes()).collect(),
            )
        };
        match kind {
            Kind::Program => words(0),
            Kind::Words => words(1),
            Kind::Parameters => words(2),
            Kind::Cluster => words(3),
            Kind::Tensors => {
                let tensors = self.tensors.iter().zip(names);
                let records = tensors.map(|(tensor, &name)| tensor_record(tensor, name));
                (self.tensors.len(), records.flatten().collect())
            }
            Kind::Once => jobs(&self.once),
            Kind::Begin => jobs(&self.begin),
            Kind::Runs => jobs(&self.runs),
            Kind::End => jobs(&self.end),
            Kind::Ends => {
                let records = self.ends.iter().flat_map(end_record);
                (self.ends.len(), records.collect())
            }
            Kind::Strings => (strings.len(), strings.concat()),
        }
    }
}

/// Where the first section begins.
pub(super) fn first_section() -> usize {
    (header::BYTES + Kind::ALL.len() * section::BYTES).next_multiple_of(ALIGN)
}

fn jobs(jobs: &[Job]) -> (usize, Vec<u8>) {
    let words = jobs
        .iter()
        .flat_map(|job| job.encode().expect("it has been checked"));
    (jobs.len(), words.flat_map(u32::to_le_bytes).collect())
}

fn tensor_record(own: &Tensor, name: u32) -> [u8; tensor::BYTES] {
    let mut record = [0; tensor::BYTES];
    let flags = u64::from(own.input) | u64::from(own.output) << 1;
    for (field, value) in [
        (tensor::NAME, name.into()),
        (tensor::FLAGS, flags),
        (tensor::TYPE, own.element as u64),
        (tensor::REGION, own.region.into()),
        (tensor::OFFSET, own.offset),
        (tensor::BYTES_ALL, own.bytes),
        (tensor::SCALE, own.scale.to_bits().into()),
        (tensor::ZERO_POINT, (own.zero_point as u32).into()),
        (tensor::PADDING, own.padding.into()),
        (tensor::RANK, own.extents.len() as u64),
        (tensor::LOOPS, own.loops.len() as u64),
        (tensor::FIRST, own.first.into()),
    ] {
        field.put(&mut record, value);
    }
    for (index, &extent) in own.extents.iter().enumerate() {
        tensor::EXTENTS.at(index).put(&mut record, extent.into());
    }
    let walks = own
        .loops
        .iter()
        .flat_map(|walk| [walk.count, walk.memory, walk.user]);
    for (index, value) in walks.enumerate() {
        tensor::WALKS.at(index).put(&mut record, value.into());
    }
    record
}

fn end_record(own: &End) -> [u8; end::BYTES] {
    let mut record = [0; end::BYTES];
    for (field, value) in [
        (end::OPERATION, own.operation as u32),
        (end::SOURCE, own.source),
        (end::DESTINATION, own.destination),
        (end::ROWS, own.rows),
        (end::LENGTH, own.length),
        (end::STRIDE, own.stride),
        (end::MULTIPLIER, own.multiplier),
        (end::SHIFT, own.shift as u32),
    ] {
        field.put(&mut record, value.into());
    }
    record
}
