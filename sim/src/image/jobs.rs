//! Entries of a job list. What an entry does is done when something waits for it, except that STOREs behind a RUN that they do not wait
//! for are done before it. A run finds words in place of which LOADs that nothing has waited for will write others spoilt.

use std::collections::VecDeque;

use heddle_arch::job::{Job, Work};
use heddle_arch::transfer::{Space, Transfer};

use super::{Device, Runner, RunnerError};
use crate::machine::HostMemory;

/// What has not happened yet.
#[derive(Debug, Clone, Default)]
pub(super) struct Open {
    /// Start of a program.
    run: Option<u32>,
    /// Transfers with the address of their region.
    loads: VecDeque<(Transfer, u64)>,
    stores: VecDeque<(Transfer, u64)>,
}

impl<D: Device> Runner<D> {
    pub(super) fn job(&mut self, job: &Job) -> Result<(), RunnerError> {
        if job.waits.program {
            self.end_run()?;
        }
        if job.waits.loads {
            self.end_loads()?;
        }
        if job.waits.stores {
            self.end_stores()?;
        }
        match job.work {
            Work::Nop => {}
            Work::Run { start, .. } => {
                self.end_run()?;
                let for_cluster = |(load, _): &(Transfer, u64)| is_for_cluster(load);
                if self.open.loads.iter().any(for_cluster) {
                    self.end_loads()?;
                }
                self.open.run = Some(start);
            }
            Work::Load(transfer) => {
                if is_for_cluster(&transfer) {
                    self.end_run()?;
                }
                let base = self.base(&transfer)?;
                self.open.loads.push_back((transfer, base));
            }
            Work::Store(transfer) => {
                let base = self.base(&transfer)?;
                self.open.stores.push_back((transfer, base));
                if self.open.run.is_some() {
                    self.end_stores()?;
                }
            }
            Work::Regions(regions) => {
                for (own, set) in self.regions.iter_mut().zip(regions) {
                    *own = set.or(*own);
                }
            }
            Work::Fence { .. } => {
                self.end_run()?;
                self.end_loads()?;
                self.end_stores()?;
                self.fences += 1;
            }
        }
        Ok(())
    }

    fn base(&self, transfer: &Transfer) -> Result<u64, RunnerError> {
        match transfer.fill {
            true => Ok(0),
            false => {
                self.regions[transfer.region as usize].ok_or(RunnerError::Region(transfer.region))
            }
        }
    }

    fn end_run(&mut self) -> Result<(), RunnerError> {
        let Some(start) = self.open.run.take() else {
            return Ok(());
        };
        let open = match D::JUDGES {
            true => self.open.loads.iter().map(|(load, _)| *load).collect(),
            false => Vec::new(),
        };
        open.iter().try_for_each(|load| self.spoil(load))?;
        let memory = HostMemory {
            bytes: &mut self.memory,
            regions: self.regions,
        };
        let counted = self.machine.run(start, memory);
        let counted = counted.map_err(|source| RunnerError::Run { start, source })?;
        open.iter()
            .try_for_each(|load| self.is_spoilt(load, start))?;
        self.counted.push(counted);
        Ok(())
    }

    /// A run that is open may have ended before.
    fn end_loads(&mut self) -> Result<(), RunnerError> {
        if !self.open.loads.is_empty() {
            self.end_run()?;
        }
        while let Some((transfer, base)) = self.open.loads.pop_front() {
            self.load(&transfer, base)?;
        }
        Ok(self.machine.settle()?)
    }

    fn end_stores(&mut self) -> Result<(), RunnerError> {
        while let Some((transfer, base)) = self.open.stores.pop_front() {
            self.store(&transfer, base)?;
        }
        Ok(())
    }
}

fn is_for_cluster(transfer: &Transfer) -> bool {
    matches!(transfer.space, Space::Weights | Space::Commands)
}
