//! What the entries of a job list do, one after the other.

use heddle_arch::job::{JOB_WORDS, Job, REGIONS, Work};
use heddle_arch::transfer::Space;

/// What is under way when an entry is looked at.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct UnderWay {
    /// A program runs.
    pub program: bool,
    /// Loads are open.
    pub loads: bool,
    /// Stores are open.
    pub stores: bool,
}

/// The entries that were taken, and what they have set.
#[derive(Debug, Clone)]
pub struct JobsModel {
    config: u32,
    address_bits: u32,
    banked: bool,
    /// Byte addresses of the regions.
    pub regions: [u64; REGIONS],
    /// A load of the sparse cluster has not ended.
    cluster: bool,
}

impl JobsModel {
    /// Nothing was taken. `config` is the machine's CONFIG; with a program in banks transfers and programs wait for each other.
    #[must_use]
    pub fn new(config: u32, address_bits: u32, banked: bool) -> Self {
        Self {
            config,
            address_bits,
            banked,
            regions: [0; REGIONS],
            cluster: false,
        }
    }

    /// The entry, unless it has a fault.
    #[must_use]
    pub fn decode(&self, words: &[u32; JOB_WORDS]) -> Option<Job> {
        let job = Job::decode(words).ok()?;
        let holds = match job.work {
            Work::Run { config, .. } => config == 0 || config == self.config,
            Work::Regions(regions) => {
                let mut set = regions.iter().flatten();
                set.all(|address| address >> self.address_bits == 0)
            }
            _ => true,
        };
        holds.then_some(job)
    }

    /// Whether the entry waits.
    #[must_use]
    pub fn waits(&self, job: &Job, now: UnderWay) -> bool {
        let (program, loads, stores) = match job.work {
            Work::Run { .. } => (true, self.cluster || self.banked, self.banked),
            Work::Fence { .. } => (true, true, true),
            Work::Load(load) => (
                matches!(load.space, Space::Weights | Space::Commands),
                false,
                false,
            ),
            _ => (false, false, false),
        };
        ((program || job.waits.program) && now.program)
            || ((loads || job.waits.loads) && now.loads)
            || ((stores || job.waits.stores) && now.stores)
    }

    /// Whether loads of the sparse cluster are open: no program starts.
    #[must_use]
    pub fn has_cluster(&self) -> bool {
        self.cluster
    }

    /// A cycle goes by.
    pub fn cycle(&mut self, now: UnderWay) {
        self.cluster &= now.loads;
    }

    /// The entry is taken.
    pub fn take(&mut self, job: &Job) {
        match job.work {
            Work::Regions(regions) => {
                for (place, address) in self.regions.iter_mut().zip(regions) {
                    *place = address.unwrap_or(*place);
                }
            }
            Work::Load(load) => {
                self.cluster |= matches!(load.space, Space::Weights | Space::Commands);
            }
            _ => {}
        }
    }
}
