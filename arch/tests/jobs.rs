//! Transfers and jobs: what is written is read, and what is wrong is refused with field and value.

use heddle_arch::job::{JOB_BYTES, Job, JobWaits, Work};
use heddle_arch::transfer::{Space, Transfer, Walk};
use proptest::prelude::*;

use crate::image::load;

/// A transfer with fields that fit each other.
pub fn transfer() -> impl Strategy<Value = Transfer> {
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

pub fn job() -> impl Strategy<Value = Job> {
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
