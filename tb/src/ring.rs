//! The job list of a machine with a DMA: entries in a ring, a doorbell, and what they have done.

use std::sync::{Arc, Mutex, MutexGuard};

use heddle_arch::job::{JOB_BYTES, Job, Work};
use heddle_arch::registers::{
    Register, ctrl, error, error_pc, q_base_hi, q_base_lo, q_head, q_seq, q_size, q_tail,
    region_hi, region_lo, status, window_base, window_ctrl, window_limit,
};

use crate::dram::{BASE, Dram};
use crate::error::ModelError;
use crate::host::{Host, HostError};

const PAGE: u64 = 4096;
/// Logarithm of the entries.
const LOG: u32 = 10;
const ENTRIES: u32 = 1 << LOG;
const RING_BYTES: usize = JOB_BYTES << LOG;
/// Clocks in which no entry is taken and no fence passed.
const PATIENCE: u64 = 1 << 28;

/// Why entries were not carried out.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RingError {
    /// The registers did not answer.
    #[error(transparent)]
    Host(#[from] HostError),
    /// The machine stopped.
    #[error("the machine stopped: ERROR {error:#x}, ERROR_PC {pc:#x}")]
    Stopped {
        /// ERROR.
        error: u32,
        /// ERROR_PC.
        pc: u32,
    },
    /// Nothing goes on.
    #[error("the job list stands still at entry {0}")]
    Stands(u32),
    /// An entry cannot be written.
    #[error("entry {0}: {1}")]
    Entry(usize, String),
}

/// A ring in the memory of the host, behind everything else.
pub struct Ring {
    dram: Arc<Mutex<Dram>>,
    tail: u32,
    /// Entries that were taken, and fences passed.
    head: u32,
    fences: u32,
    set_up: bool,
    /// Clocks at which fences were seen to be passed.
    pub passed: Vec<u64>,
}

impl Ring {
    /// Puts a memory beside the machine.
    ///
    /// # Errors
    /// If it has no DMA.
    pub fn new(host: &mut Host, latency: u64) -> Result<Self, ModelError> {
        let model = host.model();
        let dram = Arc::new(Mutex::new(Dram::new(model, latency)?));
        model.attach(dram.clone());
        Ok(Self {
            dram,
            tail: 0,
            head: 0,
            fences: 0,
            set_up: false,
            passed: Vec::new(),
        })
    }

    fn dram(&self) -> MutexGuard<'_, Dram> {
        self.dram.lock().expect("no clock has failed")
    }

    /// Carries out entries whose addresses are places in `memory`, up to a fence behind the last one.
    ///
    /// # Errors
    /// [`RingError`]
    pub fn carry_out(
        &mut self,
        host: &mut Host,
        memory: &mut Vec<u8>,
        jobs: &[Job],
    ) -> Result<(), RingError> {
        let bytes = memory.len().next_multiple_of(PAGE as usize);
        {
            let mut dram = self.dram();
            dram.bytes = std::mem::take(memory);
            dram.bytes.resize(bytes + RING_BYTES, 0);
        }
        let done = self.entries(host, bytes, jobs);
        *memory = std::mem::take(&mut self.dram().bytes);
        memory.truncate(bytes);
        done
    }

    fn entries(&mut self, host: &mut Host, ring: usize, jobs: &[Job]) -> Result<(), RingError> {
        self.set_up(host, ring as u64)?;
        let fence = Job::from(Work::Fence { interrupt: false });
        let is_fence = |job: &Job| matches!(job.work, Work::Fence { .. });
        let behind = jobs
            .last()
            .is_none_or(|job| !is_fence(job))
            .then_some(fence);
        let mut due = self.fences;
        for (number, job) in jobs.iter().chain(&behind).enumerate() {
            let words = { placed(job).encode() }
                .map_err(|wrong| RingError::Entry(number, wrong.to_string()))?;
            due += u32::from(is_fence(job));
            while self.tail.wrapping_sub(self.head) == ENTRIES - 1 {
                self.ring_bell(host)?;
                self.watch(host)?;
            }
            let at = ring + JOB_BYTES * (self.tail % ENTRIES) as usize;
            let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
            self.dram().bytes[at..at + JOB_BYTES].copy_from_slice(&bytes);
            self.tail = self.tail.wrapping_add(1);
        }
        self.ring_bell(host)?;
        while self.fences != due {
            self.watch(host)?;
        }
        Ok(())
    }

    fn ring_bell(&self, host: &mut Host) -> Result<(), RingError> {
        Ok(set(host, q_tail::REGISTER, 0, self.tail % ENTRIES)?)
    }

    /// Windows, ring and region of the image. A queue that is on is switched off for that.
    fn set_up(&mut self, host: &mut Host, ring: u64) -> Result<(), RingError> {
        set(host, ctrl::REGISTER, 0, 0)?;
        let page = |bytes: u64| ((BASE + bytes) / PAGE) as u32;
        let end = ring + RING_BYTES as u64;
        for (window, (first, behind, permits)) in
            [(0, ring, 0b11), (ring, end, 0b01)].into_iter().enumerate()
        {
            let number = window as u32;
            set(host, window_base::REGISTER, number, page(first))?;
            set(host, window_limit::REGISTER, number, page(behind - 1))?;
            set(host, window_ctrl::REGISTER, number, permits)?;
        }
        for (low, high, address) in [
            (q_base_lo::REGISTER, q_base_hi::REGISTER, BASE + ring),
            (region_lo::REGISTER, region_hi::REGISTER, BASE),
        ] {
            set(host, low, 0, address as u32)?;
            set(host, high, 0, (address >> 32) as u32)?;
        }
        if !self.set_up {
            set(host, q_size::REGISTER, 0, LOG)?;
        }
        self.set_up = true;
        Ok(set(host, ctrl::REGISTER, 0, ctrl::QUEUE.mask())?)
    }

    /// Looks until an entry was taken or a fence passed.
    fn watch(&mut self, host: &mut Host) -> Result<(), RingError> {
        let end = host.cycles() + PATIENCE;
        loop {
            let fences = get(host, q_seq::REGISTER)?;
            let head = get(host, q_head::REGISTER)?;
            if fences != self.fences {
                let now = host.cycles();
                self.passed.extend((self.fences..fences).map(|_| now));
            }
            let taken = head.wrapping_sub(self.head) % ENTRIES;
            if fences != self.fences || taken > 0 {
                self.fences = fences;
                self.head = self.head.wrapping_add(taken);
                return Ok(());
            }
            if status::ERROR.is_set(get(host, status::REGISTER)?) {
                return Err(RingError::Stopped {
                    error: get(host, error::REGISTER)?,
                    pc: get(host, error_pc::REGISTER)?,
                });
            }
            if host.cycles() > end {
                return Err(RingError::Stands(head));
            }
        }
    }
}

/// The entry with addresses of the bus.
fn placed(job: &Job) -> Job {
    match job.work {
        Work::Regions(regions) => Job {
            work: Work::Regions(regions.map(|place| place.map(|place| place + BASE))),
            ..*job
        },
        _ => *job,
    }
}

fn set(host: &mut Host, register: Register, number: u32, word: u32) -> Result<(), HostError> {
    let offset = register.offset + register.repeat.map_or(0, |repeat| repeat.stride * number);
    host.set_register(offset, word)
}

fn get(host: &mut Host, register: Register) -> Result<u32, HostError> {
    host.register(register.offset)
}
