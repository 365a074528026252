//! Runs an image on a verilated machine and holds it against the golden machine: every output, and every counter that the
//! hardware has of every run.

use std::time::{Duration, Instant};

use heddle_arch::host::{
    CLUSTER_COUNTERS, ClusterStream, ColumnSelect, Counter, activation_address, buffer_address,
    cluster_address, column_address, row_offset_address,
};
use heddle_arch::image::Tensor;
use heddle_arch::job::{Job, Work};
use heddle_arch::params::{CounterSet, Params};
use heddle_sim::image::{Counted, Device, DeviceError, Runner, RunnerError, Target};
use heddle_sim::machine::HostMemory;
use serde::Serialize;

use crate::host::{Host, HostError};
use crate::network::cluster;
use crate::ring::Ring;

/// Cycles that a run may take.
const LIMIT_CYCLES: u64 = 1 << 32;

/// Clocks from an address on the bus of the DMA to its first beat.
const LATENCY: u64 = 64;

/// A verilated machine.
struct Hardware {
    host: Host,
    /// Its job list, if it has a DMA.
    ring: Option<Ring>,
    /// The counters that the machine has.
    counters: CounterSet,
    has_cluster: bool,
}

fn stopped(error: HostError) -> DeviceError {
    DeviceError::Hardware(error.to_string())
}

impl Hardware {
    /// What the last run, which began there, has counted.
    fn counted(&mut self, start: u32) -> Result<Counted, DeviceError> {
        let mut counters = self.host.counters().map_err(stopped)?;
        counters.retain(|(counter, _)| self.counters.has(*counter));
        let mut of_cluster = Vec::new();
        if self.has_cluster {
            let counts = self.host.cluster_counters(CLUSTER_COUNTERS.len() as u32);
            of_cluster = cluster::numbered(&counts.map_err(stopped)?);
            of_cluster.retain(|(number, _)| self.counters.has_of_cluster(*number));
        }
        Ok(Counted {
            start,
            counters,
            cluster: of_cluster,
        })
    }
}

impl Device for Hardware {
    // The golden machine beside it does.
    const JUDGES: bool = false;

    fn carry_out(
        &mut self,
        memory: &mut Vec<u8>,
        jobs: &[Job],
    ) -> Option<Result<Vec<Counted>, DeviceError>> {
        let ring = self.ring.as_mut()?;
        // The counters are those of all runs together.
        let mut first = None;
        let kept = jobs.iter().map(|job| match job.work {
            Work::Run {
                config,
                start,
                limit,
                ..
            } => {
                let keep = first.is_some();
                first.get_or_insert(start);
                Job {
                    work: Work::Run {
                        config,
                        start,
                        limit,
                        keep,
                    },
                    ..*job
                }
            }
            _ => *job,
        });
        let kept: Vec<Job> = kept.collect();
        let done = ring.carry_out(&mut self.host, memory, &kept);
        if let Err(error) = done {
            return Some(Err(DeviceError::Hardware(error.to_string())));
        }
        Some(first.map(|start| self.counted(start)).into_iter().collect())
    }

    fn set_zero(&mut self, zero: i8) -> Result<(), DeviceError> {
        self.host.set_zero(zero).map_err(stopped)
    }

    fn write(&mut self, target: Target, word: u64) -> Result<(), DeviceError> {
        let address = match target {
            Target::Buffer {
                partition,
                word: place,
            } => buffer_address(partition, place),
            Target::Bias { column, tile } => column_address(column, tile, ColumnSelect::Bias),
            Target::Scale { column, tile } => column_address(column, tile, ColumnSelect::Scale),
            Target::Row { row, entry } => row_offset_address(row, entry),
            Target::Table { table, byte } => activation_address(table, byte.into()),
            Target::Weights => cluster_address(ClusterStream::Weights),
            Target::Command => cluster_address(ClusterStream::Commands),
            Target::Program { first } => {
                let words = [word as u32, (word >> 32) as u32];
                return self.host.write_program(first, &words).map_err(stopped);
            }
        };
        self.host.write(address, word).map_err(stopped)
    }

    fn read(&mut self, places: &[(u32, u32)]) -> Result<Vec<u64>, DeviceError> {
        let words = self.host.read_words(places).map_err(stopped)?;
        Ok(words.into_iter().map(u64::from_le_bytes).collect())
    }

    fn settle(&mut self) -> Result<(), DeviceError> {
        match self.has_cluster {
            true => self.host.write_cluster(&[]).map_err(stopped),
            false => Ok(()),
        }
    }

    // A machine whose programs load has a ring.
    fn run(&mut self, start: u32, _: HostMemory<'_>) -> Result<Counted, DeviceError> {
        self.host.run(start, LIMIT_CYCLES).map_err(stopped)?;
        self.counted(start)
    }
}

/// Why an image could not be run to its end.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ImageError {
    /// By the golden machine.
    #[error("golden machine: {0}")]
    Golden(RunnerError),
    /// By the Verilog.
    #[error("Verilog: {0}")]
    Verilog(RunnerError),
}

/// What was found.
#[derive(Debug, Clone, Default, Serialize)]
pub struct ImageReport {
    /// Inferences.
    pub images: usize,
    /// Runs of the machine, in their order.
    pub runs: Vec<RunReport>,
    /// With a DMA: all runs of the inferences that overlapped last, which the hardware counts together.
    pub in_all: Option<RunReport>,
    /// Outputs, in the order of the image.
    pub outputs: Vec<OutputReport>,
    /// Clock cycles simulated, those of loading included.
    pub simulated_cycles: u64,
    /// Programs load: how many cycles and stalls they have depends on the memory, and is not compared.
    pub loading: bool,
    /// With a DMA: clocks of each inference, from the end of the one before on, to the next look at the registers.
    pub stream_cycles: Vec<u64>,
}

/// Sums over the inferences of one run.
#[derive(Debug, Clone, Default, Serialize)]
pub struct RunReport {
    /// Program word at which it begins.
    pub start: u32,
    /// Cycles of the last inference, as the golden machine has them.
    pub cycles: u32,
    /// Cycles that the hardware counted for the same.
    pub counted_cycles: u32,
    /// Counters that were compared, of one inference.
    pub counters: usize,
    /// Counters that differ from those of the golden machine: inference, name, hardware, golden machine.
    pub wrong_counters: Vec<(usize, String, u32, u32)>,
}

/// Sums over the inferences of one output.
#[derive(Debug, Clone, Default, Serialize)]
pub struct OutputReport {
    /// Name.
    pub name: String,
    /// Its bytes in one inference.
    pub bytes: usize,
    /// Bytes that differ from those of the golden machine.
    pub wrong: usize,
    /// The first of them: inference, byte, hardware, golden machine.
    pub first: Option<(usize, usize, u8, u8)>,
}

impl ImageReport {
    /// Whether something ran, and nothing differs.
    #[must_use]
    pub fn is_exact(&self) -> bool {
        let mut outputs = self.outputs.iter();
        let mut runs = self.runs.iter().chain(&self.in_all);
        self.images > 0
            && outputs.all(|output| output.wrong == 0)
            && runs.all(|run| run.wrong_counters.is_empty())
    }

    /// An inference, or several that overlap: then the hardware knows what the last run has counted.
    fn add(&mut self, hardware: &Side<'_>, golden: &Side<'_>) {
        let inferences = golden.made.len();
        let runs = golden.counted.len() / inferences.max(1);
        let last = &golden.counted[golden.counted.len() - runs..];
        self.runs.resize_with(runs, RunReport::default);
        for (run, want) in self.runs.iter_mut().zip(last) {
            run.expect(want);
        }
        match hardware.counted {
            // The golden machine counts each run, a machine with a job list all of them.
            [all] if golden.counted.len() > 1 => {
                let want = total(golden.counted);
                let in_all = self.in_all.get_or_insert_default();
                in_all.expect(&want);
                in_all.add((self.images + inferences - 1, self.loading), all, &want);
            }
            each => {
                assert_eq!(each.len(), golden.counted.len(), "both carry out one list");
                for ((run, got), want) in self.runs.iter_mut().zip(each).zip(last) {
                    run.add((self.images, self.loading), got, want);
                }
            }
        }
        assert_eq!(hardware.made.len(), inferences);
        for (got, want) in hardware.made.iter().zip(golden.made) {
            for ((output, got), want) in self.outputs.iter_mut().zip(got).zip(want) {
                output.add(self.images, got, want);
            }
            self.images += 1;
        }
    }
}

impl RunReport {
    fn expect(&mut self, golden: &Counted) {
        self.start = golden.start;
        self.cycles = cycles(golden);
    }

    fn add(&mut self, (image, loading): (usize, bool), hardware: &Counted, golden: &Counted) {
        self.counted_cycles = cycles(hardware);
        let is_compared = |counter: &Counter| !loading || !of_memory(*counter);
        let compared = || {
            hardware
                .counters
                .iter()
                .filter(|(counter, _)| is_compared(counter))
        };
        self.counters = compared().count() + hardware.cluster.len();
        for (counter, got) in compared() {
            let want = golden.counters.iter().find(|(other, _)| other == counter);
            let want = want.map_or(0, |(_, want)| *want);
            if *got != want {
                let wrong = (image, counter.name(), *got, want);
                self.wrong_counters.push(wrong);
            }
        }
        let wrong = cluster::differences(&hardware.cluster, &golden.cluster);
        let wrong = wrong.into_iter();
        self.wrong_counters
            .extend(wrong.map(|(name, got, want)| (image, name, got, want)));
    }
}

impl OutputReport {
    fn add(&mut self, image: usize, hardware: &[u8], golden: &[u8]) {
        self.bytes = golden.len();
        self.wrong += hardware.len().abs_diff(golden.len());
        for (at, (&got, &want)) in hardware.iter().zip(golden).enumerate() {
            if got != want {
                self.wrong += 1;
                self.first.get_or_insert((image, at, got, want));
            }
        }
    }
}

fn cycles(counted: &Counted) -> u32 {
    let cycles = counted.counters.iter();
    let cycles = cycles.filter(|(counter, _)| *counter == Counter::Cycles);
    cycles.map(|(_, count)| *count).sum()
}

/// Counters of a program that loads which depend on the memory of the host.
fn of_memory(counter: Counter) -> bool {
    matches!(
        counter,
        Counter::Cycles | Counter::StallWait | Counter::StallWeights | Counter::StallSums
    )
}

/// What runs have counted together; the counters of the sparse cluster are never cleared.
fn total(runs: &[Counted]) -> Counted {
    let mut total = runs.last().expect("a run").clone();
    total.start = runs[0].start;
    for (counter, count) in &mut total.counters {
        let all = runs.iter().flat_map(|run| &run.counters);
        let own = all.filter(|(other, _)| other == counter);
        *count = own.fold(0, |sum: u32, (_, count)| sum.wrapping_add(*count));
    }
    total
}

/// What one side made of inferences.
struct Side<'a> {
    counted: &'a [Counted],
    made: &'a [Vec<Vec<u8>>],
}

/// An image in a verilated machine and in a golden one.
pub struct ImageBench {
    golden: Runner,
    hardware: Runner<Hardware>,
    report: ImageReport,
    first_cycle: u64,
    time: Duration,
}

impl ImageBench {
    /// Carries out the jobs that run once on the hardware; the golden machine has done so.
    ///
    /// # Errors
    /// [`ImageError::Verilog`]
    pub fn new(
        mut host: Host,
        golden: Runner,
        params: &Params,
        file: &[u8],
    ) -> Result<Self, ImageError> {
        let (started, first_cycle) = (Instant::now(), host.cycles());
        let ring = params.has_dma().then(|| Ring::new(&mut host, LATENCY));
        let ring = ring.transpose().map_err(|error| {
            ImageError::Verilog(DeviceError::Hardware(error.to_string()).into())
        })?;
        let hardware = Hardware {
            host,
            ring,
            counters: params.counters,
            has_cluster: params.has_cluster(),
        };
        let mut hardware = Runner::on(hardware, params, file).map_err(ImageError::Verilog)?;
        if let Some(ring) = &mut hardware.machine().ring {
            ring.passed.clear();
        }
        let outputs = golden.outputs().map(|tensor| OutputReport {
            name: tensor.name.clone(),
            ..OutputReport::default()
        });
        Ok(Self {
            report: ImageReport {
                outputs: outputs.collect(),
                loading: !golden.image().program_loads().is_empty(),
                ..ImageReport::default()
            },
            golden,
            hardware,
            first_cycle,
            time: started.elapsed(),
        })
    }

    /// Inferences that one call of [`run`](Self::run) should have: with a DMA all, as they overlap.
    pub fn at_once(&mut self) -> usize {
        match self.hardware.machine().ring {
            Some(_) => usize::MAX,
            None => 1,
        }
    }

    /// Runs inferences on both: bytes of all inputs in the order of the user, and all outputs that the hardware made.
    ///
    /// # Errors
    /// [`ImageError`]; differences are in the report instead.
    pub fn run(&mut self, inputs: &[Vec<Vec<u8>>]) -> Result<Vec<Vec<Vec<u8>>>, ImageError> {
        let (started, first) = (Instant::now(), self.host().cycles());
        let made = self.hardware.stream(inputs).map_err(ImageError::Verilog)?;
        self.time += started.elapsed();
        if let Some(ring) = &mut self.hardware.machine().ring {
            let ends = std::mem::take(&mut ring.passed);
            let begins = std::iter::once(first).chain(ends.clone());
            let clocks = ends.iter().zip(begins).map(|(end, begin)| end - begin);
            self.report.stream_cycles.extend(clocks);
        }
        let golden = self.golden.stream(inputs).map_err(ImageError::Golden)?;
        let hardware = Side {
            counted: self.hardware.counted(),
            made: &made,
        };
        let golden = Side {
            counted: self.golden.counted(),
            made: &golden,
        };
        self.report.add(&hardware, &golden);
        let cycles = self.host().cycles();
        self.report.simulated_cycles = cycles - self.first_cycle;
        Ok(made)
    }

    /// Tensors that the user gets: the first entry of each.
    pub fn outputs(&self) -> impl Iterator<Item = &Tensor> {
        self.golden.outputs()
    }

    /// The machine, for instance to end a wave file.
    pub fn host(&mut self) -> &mut Host {
        &mut self.hardware.machine().host
    }

    /// What was found so far.
    #[must_use]
    pub fn report(&self) -> &ImageReport {
        &self.report
    }

    /// Time that the simulated cycles took, without golden machine and comparison.
    #[must_use]
    pub fn simulation_time(&self) -> Duration {
        self.time
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counted(start: u32, cycles: u32, macs: u32, cluster: &[(usize, u32)]) -> Counted {
        Counted {
            start,
            counters: vec![(Counter::Cycles, cycles), (Counter::Macs, macs)],
            cluster: cluster.to_vec(),
        }
    }

    /// What is found of two inferences, the second of which hardware makes like this.
    fn report(counted_by: &[Counted], made: &[Vec<u8>]) -> ImageReport {
        report_of(false, counted_by, made)
    }

    fn report_of(loading: bool, counted_by: &[Counted], made: &[Vec<u8>]) -> ImageReport {
        let golden = [
            counted(0, 90, 7, &[(0, 5), (1, 6)]),
            counted(40, 20, 3, &[]),
        ];
        let right = [vec![1, 2], vec![3]];
        let mut report = ImageReport {
            outputs: vec![OutputReport::default(); 2],
            loading,
            ..ImageReport::default()
        };
        let (right, made) = ([right.to_vec()], [made.to_vec()]);
        let side = |counted, made| Side { counted, made };
        report.add(&side(&golden, &right), &side(&golden, &right));
        report.add(&side(counted_by, &made), &side(&golden, &right));
        assert_eq!(report.images, 2);
        assert_eq!(
            report.runs.iter().map(|run| run.start).collect::<Vec<_>>(),
            [0, 40]
        );
        assert_eq!(report.runs.iter().map(|run| run.cycles).sum::<u32>(), 110);
        report
    }

    #[test]
    fn each_difference_is_counted_and_named() {
        let good = || {
            [
                counted(0, 90, 7, &[(0, 5), (1, 6)]),
                counted(40, 20, 3, &[]),
            ]
        };
        let right = [vec![1, 2], vec![3]];
        assert!(report(&good(), &right).is_exact());
        assert!(!ImageReport::default().is_exact());
        // A counter that the hardware does not have is not compared.
        let mut fewer = good();
        fewer[0].counters.truncate(1);
        fewer[0].cluster.truncate(1);
        let found = report(&fewer, &right);
        assert!(found.is_exact() && found.runs[0].counters == 2);
        let mut wrong = good();
        wrong[1].counters[1].1 = 4;
        let found = report(&wrong, &right);
        assert_eq!(
            found.runs[1].wrong_counters,
            [(1, "MACS".to_string(), 4, 3)]
        );
        assert!(!found.is_exact());
        assert!(!report_of(true, &wrong, &right).is_exact());
        // How long a program that loads takes depends on the memory.
        let mut longer = good();
        longer[1].counters[0].1 = 25;
        assert!(!report(&longer, &right).is_exact());
        let found = report_of(true, &longer, &right);
        assert!(found.is_exact() && found.runs[1].counters == 1);
        assert_eq!(
            (found.runs[1].cycles, found.runs[1].counted_cycles),
            (20, 25)
        );
        let mut wrong = good();
        wrong[0].cluster[1].1 = 9;
        let name = CLUSTER_COUNTERS[1].to_string();
        let found = report(&wrong, &right);
        assert_eq!(found.runs[0].wrong_counters, [(1, name, 9, 6)]);
        assert!(!found.is_exact());
        let found = report(&good(), &[vec![1, 8], vec![3]]);
        assert_eq!(found.outputs[0].first, Some((1, 1, 8, 2)));
        assert_eq!((found.outputs[0].wrong, found.outputs[1].wrong), (1, 0));
        assert!(!found.is_exact());
        assert!(!report(&good(), &[vec![1, 2], Vec::new()]).is_exact());
    }
}
