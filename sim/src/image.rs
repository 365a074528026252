//! Images on a machine: job lists carried out as `docs/image.md` says, with the host's memory as bytes.
//!
//! [`Runner`] is a driver and a DMA at once. What an entry does not wait for happens after it, if it may, and a run has nothing of use where
//! a LOAD beside it writes: a list that lacks a wait gives wrong bytes.

mod device;
mod ends;
mod jobs;
mod memory;

use heddle_arch::image::{Element, Image, ImageError, Tensor, WORK};
use heddle_arch::job::{Job, REGIONS, Work};
use heddle_arch::params::Params;

use crate::machine::Machine;
pub use device::{Counted, Device, DeviceError, Target};
use jobs::Open;

/// Region of what programs alone load and store.
const SCRATCH: usize = 3;

/// Cycles that a run may take.
const LIMIT_CYCLES: u64 = 1 << 32;

/// Why an image could not be run.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RunnerError {
    /// The file is no image, or one of another machine.
    #[error(transparent)]
    Image(#[from] ImageError),
    /// A job moves words beyond a memory of the machine.
    #[error("{what} is {found}, expected less than {expected}")]
    Beyond {
        /// What the number counts.
        what: &'static str,
        /// The number.
        found: u32,
        /// Number of those that the machine has.
        expected: u32,
    },
    /// A job moves bytes beyond the memory of the host.
    #[error("a job moves bytes at address {0} of the host's memory, where there is none")]
    Memory(u64),
    /// A region has no address yet.
    #[error("region {0} is used before it is set")]
    Region(u32),
    /// The machine did not take or give a word.
    #[error(transparent)]
    Device(#[from] DeviceError),
    /// A run did not reach HALT.
    #[error("run at program word {start}: {source}")]
    Run {
        /// Where it started.
        start: u32,
        /// Reason.
        source: DeviceError,
    },
    /// A run writes where a LOAD does that it is not ordered against.
    #[error(
        "run at program word {start} writes word {word} of partition {partition}, as a LOAD behind it that does not wait for it does"
    )]
    Beside {
        /// Where it started.
        start: u32,
        /// Partition.
        partition: u32,
        /// Word of it.
        word: u32,
    },
    /// An input is missing or has another size.
    #[error("input {name} has {found} bytes, expected {expected}")]
    Input {
        /// Its name.
        name: String,
        /// Bytes that were given.
        found: usize,
        /// Bytes that it has.
        expected: u64,
    },
}

/// An image in a machine.
#[derive(Debug, Clone)]
pub struct Runner<D = Machine> {
    params: Params,
    image: Image,
    machine: D,
    /// Memory of the host: the file, then the buffers.
    memory: Vec<u8>,
    /// Bytes of the file.
    file: u64,
    /// Addresses of the regions, as jobs have set them.
    regions: [Option<u64>; REGIONS],
    open: Open,
    /// Calls so far.
    turn: u64,
    /// What the runs of the last call have counted.
    counted: Vec<Counted>,
    fences: u64,
}

impl Runner {
    /// Reads a file and carries out the jobs that run once on a golden machine.
    ///
    /// # Errors
    /// [`RunnerError`]
    pub fn new(params: &Params, file: &[u8]) -> Result<Self, RunnerError> {
        Self::on(Machine::new(params), params, file)
    }
}

impl<D: Device> Runner<D> {
    /// Reads a file and carries out the jobs that run once on a machine that was reset.
    ///
    /// # Errors
    /// [`RunnerError`]
    pub fn on(machine: D, params: &Params, file: &[u8]) -> Result<Self, RunnerError> {
        let image = Image::from_bytes(file)?;
        image.check_machine(params)?;
        let mut runner = Self {
            machine,
            params: params.clone(),
            memory: file.to_vec(),
            file: file.len() as u64,
            regions: [Some(0), None, None, None],
            open: Open::default(),
            turn: 0,
            counted: Vec::new(),
            fences: 0,
            image,
        };
        runner.make_room(1);
        let once = runner.resolved(&runner.image.once, 0);
        runner.carry_out(&once)?;
        Ok(runner)
    }

    /// The image.
    #[must_use]
    pub fn image(&self) -> &Image {
        &self.image
    }

    /// The machine.
    pub fn machine(&mut self) -> &mut D {
        &mut self.machine
    }

    /// What the runs of all inferences of the last call have counted.
    #[must_use]
    pub fn counted(&self) -> &[Counted] {
        &self.counted
    }

    /// Fences passed.
    #[must_use]
    pub fn fences(&self) -> u64 {
        self.fences
    }

    /// Tensors that the user gives: the first entry of each.
    pub fn inputs(&self) -> impl Iterator<Item = &Tensor> {
        let firsts = self.first_entries(|tensor| tensor.input).into_iter();
        firsts.map(|index| &self.image.tensors[index])
    }

    /// Tensors that the user gets: the first entry of each.
    pub fn outputs(&self) -> impl Iterator<Item = &Tensor> {
        let firsts = self.first_entries(|tensor| tensor.output).into_iter();
        firsts.map(|index| &self.image.tensors[index])
    }

    /// Numbers of the first entries of tensors.
    fn first_entries(&self, which: fn(&Tensor) -> bool) -> Vec<usize> {
        let all = self.image.tensors.iter().enumerate();
        let firsts = all.filter(|(index, tensor)| {
            which(tensor) && self.image.parts(*index).next() == Some(*index)
        });
        firsts.map(|(index, _)| index).collect()
    }

    /// Runs an inference: bytes of all inputs, and of all outputs, in the order of the user.
    ///
    /// # Errors
    /// [`RunnerError`]
    pub fn run(&mut self, inputs: &[Vec<u8>]) -> Result<Vec<Vec<u8>>, RunnerError> {
        let mut made = self.stream(std::slice::from_ref(&inputs.to_vec()))?;
        Ok(made.pop().expect("one inference"))
    }

    /// Runs inferences that overlap, as a driver with a ring submits them: the inputs of one are loaded before the outputs of the one before are
    /// stored.
    ///
    /// # Errors
    /// [`RunnerError`]
    pub fn stream(&mut self, inputs: &[Vec<Vec<u8>>]) -> Result<Vec<Vec<Vec<u8>>>, RunnerError> {
        self.make_room(inputs.len());
        for (inference, inputs) in inputs.iter().enumerate() {
            self.pack(inference, inputs)?;
        }
        let image = &self.image;
        let mut jobs = vec![self.scratch()];
        for inference in 0..=inputs.len() {
            if inference < inputs.len() {
                jobs.extend(self.resolved(&image.begin, inference));
            }
            if let Some(before) = inference.checked_sub(1) {
                jobs.extend(self.resolved(&image.end, before));
            }
            if inference < inputs.len() {
                jobs.extend(self.resolved(&image.runs, inference));
            }
        }
        self.counted.clear();
        self.carry_out(&jobs)?;
        let made = (0..inputs.len()).map(|inference| self.unpack(inference));
        let made = made.collect();
        self.turn += 1;
        Ok(made)
    }

    fn carry_out(&mut self, jobs: &[Job]) -> Result<(), RunnerError> {
        match self.machine.carry_out(&mut self.memory, jobs) {
            None => jobs.iter().try_for_each(|job| self.job(job)),
            Some(done) => {
                self.counted.extend(done?);
                Ok(())
            }
        }
    }

    /// Entries with the addresses of the buffers of an inference.
    fn resolved(&self, jobs: &[Job], inference: usize) -> Vec<Job> {
        let resolve = |job: &Job| match job.work {
            Work::Regions(regions) => {
                let places = std::array::from_fn(|region| {
                    regions[region].map(|_| self.buffer(region, inference))
                });
                Job {
                    work: Work::Regions(places),
                    ..*job
                }
            }
            _ => *job,
        };
        jobs.iter().map(resolve).collect()
    }

    /// Where the programs of all inferences load and store what is theirs.
    fn scratch(&self) -> Job {
        let mut regions = [None; REGIONS];
        regions[SCRATCH] = Some(self.buffer(SCRATCH, 0));
        let mut job = Job::from(Work::Regions(regions));
        job.waits.program = true;
        job
    }

    /// Buffers for so many inferences, each with bytes of its own behind it.
    fn make_room(&mut self, inferences: usize) {
        let end = self.file + self.spread() * (inferences as u64 + 1);
        self.memory.truncate(self.file as usize);
        self.memory.resize(end as usize, 0xa5);
    }

    /// Bytes from the buffers of one inference to those of the next.
    fn spread(&self) -> u64 {
        (1..REGIONS).map(|region| self.room(region)).sum()
    }

    fn room(&self, region: usize) -> u64 {
        let bytes = match region {
            SCRATCH => self.image.scratch_bytes,
            region => self.image.region_bytes(region as u32),
        };
        bytes.next_multiple_of(64) + 64
    }

    /// The buffer of a region of an inference. Buffers of calls that follow one another lie at different places.
    fn buffer(&self, region: usize, inference: usize) -> u64 {
        if region == 0 {
            return 0;
        }
        let before: u64 = (1..region).map(|region| self.room(region)).sum();
        self.file + self.spread() * (inference as u64 + self.turn % 2) + before
    }
}

/// Bytes of a tensor of the user.
fn user_bytes(tensor: &Tensor) -> u64 {
    tensor.elements().unwrap_or(0) * tensor.element.bytes()
}

/// Whether elements are bytes without a sign.
fn moved(tensor: &Tensor) -> u8 {
    match tensor.element {
        Element::Uint8 => 0x80,
        _ => 0,
    }
}

/// Whether a tensor lies in the work bytes.
fn is_work(tensor: &Tensor) -> bool {
    tensor.region == WORK
}
