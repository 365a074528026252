//! Entries of a job list: 64 bytes each, in the host's memory.
//!
//! The tables are those of `docs/image.md`.

use crate::isa::fields::{Field, Word, words};
use crate::transfer::{BadField, Transfer, WORDS_OF_TRANSFER, check_zeros};

/// Words of an entry.
pub const JOB_WORDS: usize = 16;
/// Bytes of an entry.
pub const JOB_BYTES: usize = 4 * JOB_WORDS;
/// Regions of the host's memory.
pub const REGIONS: usize = 4;

words! {
    /// The first word of every entry.
    entry "every entry" "word 0" {
        TYPE 7 0 "0 NOP, 1 RUN, 2 LOAD, 3 STORE, 4 REGIONS, 5 FENCE",
        INTERRUPT 8 8 "FENCE: sets *done*",
        KEEP 9 9 "RUN: the engine's counters keep their values",
        WAIT_PROGRAM 16 16 "waits until no program runs",
        WAIT_LOADS 17 17 "waits until the loads of entries before are done",
        WAIT_STORES 18 18 "waits until the stores of entries before are done",
        REGIONS 23 20 "REGIONS: those that are set",
    }
    /// The machine that a RUN is for.
    config "RUN" "word 1" {
        CONFIG 31 0 "CONFIG of the machine, 0: any",
    }
    /// Where a RUN starts.
    start "RUN" "word 2" {
        PC 15 0 "word address of the first instruction",
    }
    /// How long a RUN may take.
    limit "RUN" "word 3" {
        CLOCKS 31 0 "clocks, 0: no limit",
    }
    /// The lower half of an address.
    address_low "REGIONS" "words 1, 3, 5, 7" {
        LOW 31 0 "region 0, 1, 2, 3: address bits 31..0, a multiple of 8; 0 of a region that is not set",
    }
    /// The upper half of an address.
    address_high "REGIONS" "words 2, 4, 6, 8" {
        HIGH 31 0 "address bits 63..32",
    }
}

/// What an entry waits for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct JobWaits {
    /// Until no program runs.
    pub program: bool,
    /// Until the loads of entries before are done.
    pub loads: bool,
    /// Until the stores of entries before are done.
    pub stores: bool,
}

/// What an entry does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Work {
    /// Nothing.
    Nop,
    /// Starts a program, behind the one before.
    Run {
        /// CONFIG of the machine, 0: any.
        config: u32,
        /// Word address of the first instruction.
        start: u32,
        /// Clocks, 0: no limit.
        limit: u32,
        /// The engine's counters keep their values.
        keep: bool,
    },
    /// Memory to machine.
    Load(Transfer),
    /// Machine to memory.
    Store(Transfer),
    /// Sets regions; none stays as it is.
    Regions([Option<u64>; REGIONS]),
    /// Waits for program, loads and stores.
    Fence {
        /// Then *done* is set.
        interrupt: bool,
    },
}

/// An entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Job {
    /// What it waits for.
    pub waits: JobWaits,
    /// What it does.
    pub work: Work,
}

impl From<Work> for Job {
    fn from(work: Work) -> Self {
        Self {
            waits: JobWaits::default(),
            work,
        }
    }
}

impl Job {
    /// The words.
    ///
    /// # Errors
    /// A value does not fit its field, or is not allowed.
    pub fn encode(&self) -> Result<[u32; JOB_WORDS], BadField> {
        let mut words = [0; JOB_WORDS];
        words[0] = entry::WAIT_PROGRAM.flag(self.waits.program)
            | entry::WAIT_LOADS.flag(self.waits.loads)
            | entry::WAIT_STORES.flag(self.waits.stores);
        let number = match self.work {
            Work::Nop => 0,
            Work::Run {
                config,
                start,
                limit,
                keep,
            } => {
                words[0] |= entry::KEEP.flag(keep);
                words[1..4].copy_from_slice(&[config, start, limit]);
                1
            }
            Work::Load(transfer) | Work::Store(transfer) => {
                words[1..=WORDS_OF_TRANSFER].copy_from_slice(&transfer.encode()?);
                2 + u32::from(matches!(self.work, Work::Store(_)))
            }
            Work::Regions(regions) => {
                for (region, address) in regions.into_iter().enumerate() {
                    let Some(address) = address else { continue };
                    words[0] |= entry::REGIONS.put(1 << region);
                    words[1 + 2 * region] = address as u32;
                    words[2 + 2 * region] = (address >> 32) as u32;
                }
                4
            }
            Work::Fence { interrupt } => {
                words[0] |= entry::INTERRUPT.flag(interrupt);
                5
            }
        };
        words[0] |= entry::TYPE.put(number);
        Job::decode(&words)?;
        Ok(words)
    }

    /// What the words say.
    ///
    /// # Errors
    /// An unknown type, a bit of no field, or a field with a value that it must not have.
    pub fn decode(words: &[u32; JOB_WORDS]) -> Result<Job, BadField> {
        let first = words[0];
        check_zeros(&entry::WORD, first)?;
        let number = entry::TYPE.get(first);
        let of_others = [(entry::INTERRUPT, 5), (entry::KEEP, 1), (entry::REGIONS, 4)];
        for (field, owner) in of_others {
            let value = field.get(first);
            let expected = format!("0 in type {number}");
            BadField::unless(value == 0 || number == owner, field.name, value, expected)?;
        }
        let waits = JobWaits {
            program: entry::WAIT_PROGRAM.is_set(first),
            loads: entry::WAIT_LOADS.is_set(first),
            stores: entry::WAIT_STORES.is_set(first),
        };
        let (used, work) = match number {
            0 => (1, Work::Nop),
            1 => {
                check_zeros(&start::WORD, words[2])?;
                let work = Work::Run {
                    config: words[1],
                    start: words[2],
                    limit: words[3],
                    keep: entry::KEEP.is_set(first),
                };
                (4, work)
            }
            2 | 3 => {
                let own = std::array::from_fn(|word| words[1 + word]);
                let transfer = Transfer::decode(&own)?;
                let work = match number {
                    2 => Work::Load(transfer),
                    _ => {
                        transfer.check_store()?;
                        Work::Store(transfer)
                    }
                };
                (1 + WORDS_OF_TRANSFER, work)
            }
            4 => (1 + 2 * REGIONS, Work::Regions(regions(words, waits)?)),
            5 => {
                let interrupt = entry::INTERRUPT.is_set(first);
                (1, Work::Fence { interrupt })
            }
            _ => {
                return Err(BadField {
                    field: "TYPE".to_string(),
                    value: number.into(),
                    expected: "0 to 5".to_string(),
                });
            }
        };
        for (at, &word) in words.iter().enumerate().skip(used) {
            BadField::unless(word == 0, format!("word {at}"), word, "0")?;
        }
        Ok(Job { waits, work })
    }
}

fn regions(words: &[u32; JOB_WORDS], waits: JobWaits) -> Result<[Option<u64>; REGIONS], BadField> {
    let set = entry::REGIONS.get(words[0]);
    let used_by_programs = set & 0b1001 != 0;
    BadField::unless(
        waits.program || !used_by_programs,
        "WAIT_PROGRAM",
        waits.program,
        "1 where region 0 or 3 is set: programs use them",
    )?;
    let mut regions = [None; REGIONS];
    for (region, place) in regions.iter_mut().enumerate() {
        let address = u64::from(words[1 + 2 * region]) | u64::from(words[2 + 2 * region]) << 32;
        let name = format!("address of region {region}");
        if set >> region & 1 == 0 {
            BadField::unless(address == 0, name, address, "0 of a region that is not set")?;
            continue;
        }
        BadField::unless(address % 8 == 0, name, address, "a multiple of 8")?;
        *place = Some(address);
    }
    Ok(regions)
}

/// The tables of fields, for documents.
pub const TABLES: [&[Word]; 2] = [WORDS, crate::transfer::WORDS];
