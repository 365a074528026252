//! What must hold between the parts of an image.

use super::bytes::Checker;
use super::{
    BYTES_MAX, End, Image, ImageError, Kind, Operation, RING_MAX, Tensor, WORDS_MAX, WORK,
};
use crate::job::Work;
use crate::word::WORD_BYTES;

impl Image {
    /// Checks values that are to be written.
    pub(super) fn check(&self) -> Result<(), ImageError> {
        let at = Checker { place: "header" };
        let ring = self.ring_entries();
        let expected = format!("at most {RING_MAX}");
        at.is(ring <= RING_MAX, "ring_entries", ring as u64, expected)?;
        for (kind, jobs) in self.lists() {
            for (index, job) in jobs.iter().enumerate() {
                let place = format!("{}, entry {index}", kind.name());
                Checker { place: &place }.of(job.encode())?;
            }
        }
        let data = Image::data_offsets(self.data.each_ref().map(Vec::len));
        let end = data[3] + u64::from(WORD_BYTES) * self.data[3].len() as u64;
        self.check_in(end)
    }

    /// Checks what is in a file of so many bytes.
    pub(super) fn check_in(&self, bytes: u64) -> Result<(), ImageError> {
        let at = Checker { place: "header" };
        at.is(self.caps < 16, "caps", self.caps.into(), "bits 0 to 3")?;
        for (name, value) in [
            ("scratch_bytes", self.scratch_bytes),
            ("work_bytes", self.work_bytes),
        ] {
            at.is(
                value <= BYTES_MAX,
                name,
                value,
                format!("at most {BYTES_MAX}"),
            )?;
        }
        for (index, tensor) in self.tensors.iter().enumerate() {
            let place = format!("tensor {index}");
            self.check_tensor(&Checker { place: &place }, tensor)?;
        }
        self.check_parts()?;
        for (index, end) in self.ends.iter().enumerate() {
            let place = format!("end {index}");
            let at = Checker { place: &place };
            self.check_end(&at, end)?;
            self.check_made(&at, end, &self.ends[..index])?;
        }
        self.check_outputs()?;
        self.check_jobs(bytes)
    }

    fn check_tensor(&self, at: &Checker<'_>, own: &Tensor) -> Result<(), ImageError> {
        let region = own.region;
        let is_region = matches!(region, 1 | 2 | WORK);
        at.is(is_region, "region", region.into(), "1, 2 or 4")?;
        let has_text = !own.name.is_empty() && !own.name.contains('\0');
        at.is(has_text, "name", own.name.len() as u64, "a text")?;
        let is_scale = own.scale.is_finite() && own.scale >= 0.0;
        let bits = own.scale.to_bits();
        at.is(
            is_scale,
            "scale",
            bits.into(),
            "the bits of a number from 0 on",
        )?;
        let [low, high] = own.element.zero_points();
        let is_zero = (low..=high).contains(&own.zero_point);
        let expected = format!("{low} to {high}");
        at.is(
            is_zero,
            "zero_point",
            (own.zero_point as u32).into(),
            expected,
        )?;
        for (index, &extent) in own.extents.iter().enumerate() {
            let name = format!("extent {index}");
            at.is(extent > 0, &name, extent.into(), "at least 1")?;
        }
        let expected = format!("extents of at most {BYTES_MAX} elements");
        let elements = own.elements();
        at.is(
            elements.is_some(),
            "rank",
            own.extents.len() as u64,
            expected,
        )?;
        let mut last = [0u64, u64::from(own.first)];
        for (index, walk) in own.loops.iter().enumerate() {
            let name = format!("turns of loop {index}");
            at.is(walk.count > 0, &name, walk.count.into(), "at least 1")?;
            for (last, stride) in last.iter_mut().zip([walk.memory, walk.user]) {
                let most = u64::from(walk.count - 1) * u64::from(stride);
                *last = last.saturating_add(most);
            }
        }
        let least = last[0].saturating_add(own.element.bytes());
        let (has_room, expected) = match region == WORK && own.input {
            true => (own.bytes == 0, "0: it lies with the user".to_string()),
            false => (
                own.bytes >= least,
                format!("at least {least}: its loops go so far"),
            ),
        };
        at.is(has_room, "bytes", own.bytes, expected)?;
        let elements = elements.unwrap_or(0);
        let expected = format!("loops that end in the {elements} elements");
        at.is(last[1] < elements, "first", own.first.into(), expected)?;
        let room = match region {
            WORK => self.work_bytes,
            _ => BYTES_MAX,
        };
        let end = own.offset.saturating_add(own.bytes);
        at.is(
            end <= room,
            "offset",
            own.offset,
            format!("an end of at most {room}"),
        )
    }

    /// Parts of one tensor are alike, have bytes of their own, and all elements together.
    fn check_parts(&self) -> Result<(), ImageError> {
        for (index, own) in self.tensors.iter().enumerate() {
            let place = format!("tensor {index}");
            let at = Checker { place: &place };
            let before = self.tensors[..index].iter().rev();
            let mut before = before.filter(|other| other.region == own.region);
            let end = before.next().map_or(0, |other| other.offset + other.bytes);
            let expected = format!("at least {end}, the end of the one before in its region");
            at.is(own.offset >= end, "offset", own.offset, expected)?;
            let parts = || self.parts(index).map(|index| &self.tensors[index]);
            let first = parts().next().unwrap_or(own);
            let alike = |one: &Tensor| {
                (
                    (one.input, one.output, one.element, one.padding),
                    (one.scale.to_bits(), one.zero_point, one.extents.clone()),
                )
            };
            let expected = "a name of its own, or all fields but places as the first of that name";
            at.is(alike(own) == alike(first), "name", 0, expected)?;
            let turns = |one: &Tensor| {
                let counts = one.loops.iter().map(|walk| u64::from(walk.count));
                counts.fold(1, u64::saturating_mul)
            };
            let all = parts().map(turns).fold(0, u64::saturating_add);
            let elements = own.elements().unwrap_or(0);
            let expected = format!("loops of {elements} turns with those of its other parts");
            at.is(all == elements, "loops", all, expected)?;
        }
        Ok(())
    }

    fn check_end(&self, at: &Checker<'_>, end: &End) -> Result<(), ImageError> {
        let count = self.tensors.len();
        for (name, index) in [("source", end.source), ("destination", end.destination)] {
            let index = index as usize;
            let is_first = index < count && self.parts(index).next() == Some(index);
            let expected = format!("below {count}, the first of its name");
            at.is(is_first, name, index as u64, expected)?;
        }
        let tensor = |index: u32| &self.tensors[index as usize];
        let elements = |index: u32| tensor(index).elements().unwrap_or(0);
        let allowed = end.operation.elements();
        let numbers = [("source", end.source), ("destination", end.destination)];
        for ((name, index), allowed) in numbers.into_iter().zip(allowed) {
            let is_type = allowed.contains(&tensor(index).element);
            let names: Vec<&str> = allowed.iter().map(|element| element.name()).collect();
            let expected = format!("a tensor of {}", names.join(" or "));
            at.is(is_type, name, index.into(), expected)?;
        }
        for (name, value) in [
            ("rows", end.rows),
            ("length", end.length),
            ("stride", end.stride),
        ] {
            at.is(value > 0, name, value.into(), "at least 1")?;
        }
        let is_whole = end.rows % end.stride == 0;
        at.is(is_whole, "stride", end.stride.into(), "a part of the rows")?;
        let found = u64::from(end.rows) * u64::from(end.length);
        let expected = elements(end.source) / u64::from(end.length);
        let is_all = found == elements(end.source);
        let expected = format!("{expected}, the rows of its source");
        at.is(is_all, "rows", end.rows.into(), expected)?;
        let made = match end.operation {
            Operation::ArgMax => end.rows.into(),
            _ => found,
        };
        let expected = format!("a tensor of {made} elements");
        let is_size = elements(end.destination) == made;
        at.is(is_size, "destination", end.destination.into(), expected)?;
        let is_softmax = end.operation == Operation::Softmax;
        let [multiplier, shift] = match is_softmax {
            true => [i32::MAX as u32, 30],
            false => [0, 0],
        };
        let expected = format!("at most {multiplier}");
        let is_in = end.multiplier <= multiplier;
        at.is(is_in, "multiplier", end.multiplier.into(), expected)?;
        let is_in = (0..=shift as i32).contains(&end.shift);
        let value = (end.shift as u32).into();
        at.is(is_in, "shift", value, format!("0 to {shift}"))?;
        // What is gathered from a region, or goes to one, lies at the begin of the work bytes.
        for index in [end.source, end.destination] {
            let needed = match tensor(index).region {
                WORK => 0,
                _ => elements(index) * tensor(index).element.bytes(),
            };
            let tensors = self.tensors.iter();
            let works = tensors.filter(|tensor| tensor.region == WORK);
            let free = works.map(|tensor| tensor.offset).min();
            let free = free.unwrap_or(self.work_bytes);
            let expected =
                format!("a tensor of at most {free} bytes: work bytes in front of others");
            at.is(needed <= free, "source", index.into(), expected)?;
        }
        Ok(())
    }

    /// What an end reads is there: for an input what the user gives, else what the machine or an end before has made.
    fn check_made(&self, at: &Checker<'_>, end: &End, before: &[End]) -> Result<(), ImageError> {
        let [source, made] = [end.source, end.destination].map(|own| &self.tensors[own as usize]);
        let (is_there, expected) = match made.region {
            1 => (source.input, "an input of the network"),
            _ => {
                let is_made = before.iter().any(|one| one.destination == end.source);
                let is_there = source.region == 2 || source.region == WORK && is_made;
                (
                    is_there,
                    "a tensor of region 2, or one of region 4 that an end before makes",
                )
            }
        };
        at.is(is_there, "source", end.source.into(), expected)?;
        let is_new = matches!(made.region, 1 | WORK);
        let expected = "a tensor of region 1 or 4";
        at.is(is_new, "destination", end.destination.into(), expected)
    }

    /// Outputs in the work bytes are made by an end.
    fn check_outputs(&self) -> Result<(), ImageError> {
        let outputs = self.tensors.iter().enumerate();
        let outputs = outputs.filter(|(_, own)| own.region == WORK && own.output);
        for (index, _) in outputs {
            let first = self.parts(index).next().unwrap_or(index);
            let mut ends = self.ends.iter();
            let is_made = ends.any(|end| end.destination as usize == first);
            let place = format!("tensor {index}");
            let at = Checker { place: &place };
            let expected = "no output, or one that an end makes";
            at.is(is_made, "flags", 2, expected)?;
        }
        Ok(())
    }

    /// Jobs stay in their regions.
    fn check_jobs(&self, bytes: u64) -> Result<(), ImageError> {
        for (kind, jobs) in self.lists() {
            for (index, job) in jobs.iter().enumerate() {
                let (Work::Load(transfer) | Work::Store(transfer)) = job.work else {
                    continue;
                };
                let room = match transfer.region {
                    0 => bytes,
                    3 => self.scratch_bytes,
                    region => self.region_bytes(region),
                };
                let place = format!("{}, entry {index}", kind.name());
                let at = Checker { place: &place };
                let words = transfer.places();
                let expected = format!("loops of at most {WORDS_MAX} words");
                at.is(words <= WORDS_MAX, "COUNT", words, expected)?;
                let end = transfer.end();
                let expected = format!("an end of at most {room}, not {end}");
                at.is(end <= room, "OFFSET", transfer.offset.into(), expected)?;
                let into_file = matches!(job.work, Work::Store(_)) && transfer.region == 0;
                at.is(!into_file, "REGION", 0, "1 to 3 of a STORE")?;
                let is_once = kind == Kind::Once && matches!(transfer.region, 1 | 2);
                let region = transfer.region.into();
                at.is(!is_once, "REGION", region, "0 or 3 in jobs that run once")?;
            }
        }
        Ok(())
    }
}
