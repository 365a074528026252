//! Images on a machine: job lists carried out as `docs/image.md` says, with the host's memory as bytes.
//!
//! [`Runner`] is a driver and a DMA at once. What an entry does not wait for happens after it, if it may, and a run has nothing of use where
//! a LOAD beside it writes: a list that lacks a wait gives wrong bytes.

mod device;
mod ends;
mod jobs;
mod memory;

use heddle_arch::image::{Element, Image, ImageError, Tensor, WORK};
use heddle_arch::job::{Job, REGIONS};
use heddle_arch::params::Params;

use crate::machine::Machine;
pub use device::{Counted, Device, DeviceError, Target};
use jobs::Open;

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
    /// Addresses of two buffers for each region, taken by turns.
    buffers: [[u64; 2]; REGIONS],
    /// Addresses of the regions, as jobs have set them.
    regions: [Option<u64>; REGIONS],
    open: Open,
    inferences: usize,
    /// What the runs of the last inference have counted.
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
        let mut end = file.len() as u64;
        let mut buffers = [[0; 2]; REGIONS];
        for (region, places) in (1u32..).zip(&mut buffers[1..]) {
            let bytes = match region {
                3 => image.scratch_bytes,
                region => image.region_bytes(region),
            };
            for place in places {
                *place = end;
                end += bytes.next_multiple_of(64) + 64;
            }
        }
        let mut memory = file.to_vec();
        memory.resize(end as usize, 0xa5);
        let mut runner = Self {
            machine,
            params: params.clone(),
            memory,
            buffers,
            regions: [Some(0), None, None, None],
            open: Open::default(),
            inferences: 0,
            counted: Vec::new(),
            fences: 0,
            image,
        };
        let once = runner.image.once.clone();
        runner.list(&once)?;
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

    /// What the runs of the last inference have counted.
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
        let mut made = self.run_all(std::slice::from_ref(&inputs.to_vec()))?;
        Ok(made.pop().unwrap_or_default())
    }

    /// Runs inferences, the jobs of each in front of the last ones of that before: bytes of all inputs, and of all outputs.
    ///
    /// # Errors
    /// [`RunnerError`]
    pub fn run_all(&mut self, inputs: &[Vec<Vec<u8>>]) -> Result<Vec<Vec<Vec<u8>>>, RunnerError> {
        let (begin, runs) = (self.image.begin.clone(), self.image.runs.clone());
        let mut made = Vec::new();
        for (number, inputs) in inputs.iter().enumerate() {
            self.pack(inputs)?;
            self.list(&begin)?;
            if number > 0 {
                made.push(self.end()?);
            }
            self.counted.clear();
            self.inferences += 1;
            self.list(&runs)?;
        }
        if !inputs.is_empty() {
            made.push(self.end()?);
        }
        Ok(made)
    }

    /// Jobs behind the runs of the last inference that was begun, and its outputs.
    fn end(&mut self) -> Result<Vec<Vec<u8>>, RunnerError> {
        let begun = self.inferences;
        self.inferences = begun - 1;
        let end = self.image.end.clone();
        let made = self.list(&end).map(|()| self.unpack());
        self.inferences = begun;
        made
    }

    fn list(&mut self, jobs: &[Job]) -> Result<(), RunnerError> {
        jobs.iter().try_for_each(|job| self.job(job))
    }

    /// The buffer of a region for this inference.
    fn buffer(&self, region: usize) -> u64 {
        self.buffers[region][self.inferences % 2]
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
