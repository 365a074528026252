//! What the programs of an image load.

use super::{Image, Kind};
use crate::isa::{Instruction, Move};
use crate::job::{Job, Work};
use crate::transfer::{Space, Transfer};
use crate::word::WORD_BYTES;

impl Image {
    /// LOADs of the programs of an inference in their order.
    pub fn program_loads(&self) -> Vec<Transfer> {
        let mut memory = Vec::new();
        let mut found = Vec::new();
        for job in self.once.iter().chain(&self.begin).chain(&self.runs) {
            match job.work {
                Work::Load(load) if load.space == Space::Program => self.write(&mut memory, &load),
                Work::Run { start, .. } => found.extend(loads(&memory, start)),
                _ => {}
            }
        }
        found
    }

    /// Words that the jobs of a list load, zeros included.
    pub fn words_of(&self, kind: Kind) -> u64 {
        let jobs = self.lists().into_iter().find(|(own, _)| *own == kind);
        let jobs = jobs.map_or(&[][..], |(_, jobs)| jobs);
        words(jobs.iter().filter_map(|job: &Job| match &job.work {
            Work::Load(load) => Some(load),
            _ => None,
        }))
    }

    /// Words that LOADs of an inference write into memories of the machine, zeros and those of programs included.
    pub fn loaded_words(&self) -> u64 {
        let jobs = [Kind::Begin, Kind::Runs].map(|kind| self.words_of(kind));
        let own = words(self.program_loads().iter());
        jobs.into_iter().fold(own, u64::saturating_add)
    }

    /// A LOAD into the memory of the program.
    fn write(&self, memory: &mut Vec<u32>, load: &Transfer) {
        let [section, ..] = Self::data_offsets(self.data.each_ref().map(Vec::len));
        let pair = |offset: u64| {
            let at = offset.checked_sub(section)? / u64::from(WORD_BYTES);
            self.data[0].get(usize::try_from(at).ok()?).copied()
        };
        let [x, y, z] = load.loops;
        let turns = (0..z.count).flat_map(|k| (0..y.count).map(move |j| (k, j)));
        for (k, j, i) in turns.flat_map(|(k, j)| (0..x.count).map(move |i| (k, j, i))) {
            let sum = |of: [u32; 3]| {
                u64::from(k) * u64::from(of[2])
                    + u64::from(j) * u64::from(of[1])
                    + u64::from(i) * u64::from(of[0])
            };
            let at = u64::from(load.place[0]) + sum([x.step, y.step, z.step]);
            let words = pair(u64::from(load.offset) + sum([x.pitch, y.pitch, z.pitch]));
            let (Some(words), Ok(at)) = (words, usize::try_from(2 * at)) else {
                continue;
            };
            // No machine has more.
            if at < 1 << 16 {
                memory.resize(memory.len().max(at + 2), 0);
                memory[at..at + 2].copy_from_slice(&[words as u32, (words >> 32) as u32]);
            }
        }
    }
}

fn words<'a>(loads: impl Iterator<Item = &'a Transfer>) -> u64 {
    let words = loads.map(|load| load.places().saturating_mul(load.space.words().into()));
    words.fold(0, u64::saturating_add)
}

/// LOADs of a program up to its HALT.
fn loads(memory: &[u32], start: u32) -> Vec<Transfer> {
    let mut words = memory.get(start as usize..).unwrap_or_default();
    let mut found = Vec::new();
    while let Ok((instruction, length)) = Instruction::decode(words) {
        match instruction {
            Instruction::Load(Move { transfer, .. }) => found.push(transfer),
            Instruction::Halt { .. } => break,
            _ => {}
        }
        words = &words[length..];
    }
    found
}
