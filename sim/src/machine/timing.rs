//! Which unit does what in which clock cycle: weight, stream and drain unit.
//!
//! Everything that can change with the control hardware is here and in the files below, the distances in
//! [`Clocks`]. A unit decides in cycle t from what was true at its beginning; the slot that it
//! sends is on the wave in t + 1.

mod copies;
mod meet;
mod start;
mod units;
mod weights;

use std::collections::VecDeque;

use heddle_arch::Clocks;
use heddle_arch::isa::{
    ErrorCode, OP_COPY, OP_LOAD_WEIGHTS, OP_MATMUL, ROW_PROLOGUE, ROW_TENSOR, is_sparse,
};
use heddle_arch::params::Params;

use super::check::moves;
use super::cluster::Engine;
use super::counters::Tally;
use super::datapath::{Datapath, VectorSlot};
use super::meetings::Meetings;
use super::sequencer::{Idle, Issue, Sequencer};
use super::transfers::Transfers;
use super::walk::Step;
use copies::Copies;
use units::{Loading, Stream, UnitClock};

pub(crate) use units::Trap;

/// The running machine between two clock edges.
#[derive(Debug, Clone)]
pub(crate) struct Clockwork {
    clocks: Clocks,
    params: Params,
    now: u64,
    sequencer: Sequencer,
    weights: UnitClock,
    stream: UnitClock,
    drain: UnitClock,
    loading: Loading,
    copies: Copies,
    streaming: Stream,
    /// A complete tile waits in the shadow weights.
    shadow_full: bool,
    /// The active weights belong to the tile in progress or to the next one.
    armed: bool,
    weights_from: u64,
    drain_idle_from: u64,
    /// Level of an advancing drain.
    advance: Option<u8>,
    /// From this cycle on a K tile may start from stored sums.
    tile_sums_from: u64,
    /// From this cycle on all sums are stored.
    sums_from: u64,
    /// A unit has accepted an address in this cycle.
    progress: bool,
    /// Weights were swapped in this cycle.
    swapped: bool,
    /// A tile of streamed words has become ready: it is swapped in this cycle or lost.
    now_or_lost: bool,
    /// Cycle in which each result on its way to post needs its drain address.
    pending: VecDeque<(u64, Vec<i32>)>,
    /// From this cycle on a slot may go to post.
    post_from: u64,
    /// Cycles in which operands beyond their memory come to light.
    faults: VecDeque<u64>,
    /// What a unit has met in the cycle before stops the program in this one.
    trap: Option<Trap>,
    /// The same of the sparse cluster.
    cluster_error: Option<ErrorCode>,
    /// A slot that the stream unit sends to the sparse cluster in this cycle.
    slot: Option<Vec<u8>>,
    /// None with a bypass in the banks.
    meetings: Option<Meetings>,
    pub tally: Tally,
}

impl Clockwork {
    pub fn new(params: &Params, start_pc: u32) -> Self {
        Self {
            clocks: Clocks::of(params),
            params: params.clone(),
            now: 0,
            sequencer: Sequencer::new(params, start_pc),
            weights: UnitClock::default(),
            stream: UnitClock::default(),
            drain: UnitClock::default(),
            loading: Loading::default(),
            copies: Copies::default(),
            streaming: Stream::default(),
            shadow_full: false,
            armed: false,
            weights_from: 0,
            drain_idle_from: 0,
            advance: None,
            tile_sums_from: 0,
            sums_from: 0,
            progress: false,
            swapped: false,
            now_or_lost: false,
            pending: VecDeque::new(),
            post_from: 0,
            faults: VecDeque::new(),
            trap: None,
            cluster_error: None,
            slot: None,
            meetings: Meetings::of(params),
            tally: Tally::default(),
        }
    }

    /// One clock cycle; false when HALT and its quiet cycles are over.
    pub fn cycle(
        &mut self,
        program: &mut [u32],
        data: &mut Datapath,
        transfers: &mut Transfers<'_>,
    ) -> Result<bool, Trap> {
        // The sequencer knows it a cycle later.
        let progress = std::mem::take(&mut self.progress);
        let cluster = data.cluster.as_ref();
        let mut idle = Idle {
            weights: !self.weights.busy() && self.now >= self.copies.idle_from,
            stream: !self.stream.busy(),
            drain: !self.drain.busy() && self.now >= self.drain_idle_from,
            copies: self.copies.is_current(),
            cluster: !cluster.is_some_and(Engine::is_busy),
            takes_command: cluster.is_some_and(Engine::takes_command),
            open: [0; 2],
            takes_move: [false; 2],
        };
        transfers.look(self.now, &mut idle);
        let trap = self.trap.take().or(self.cluster_trap());
        self.cluster_sums(data);
        match self.units(data) {
            // What is read now is not what the hardware reads.
            Err(conflict @ Trap::BankConflict { .. }) => return Err(conflict),
            units => self.trap = units.err(),
        }
        // A fault of the sequencer wins over one of the units.
        let pc = self.sequencer.pc();
        transfers.fetches(pc)?;
        let issue = self.sequencer.cycle(program, idle, progress)?;
        self.cluster(data);
        if let Some(trap) = trap {
            return Err(trap);
        }
        let tally = &mut self.tally;
        if !matches!(issue, Issue::Quiet | Issue::Done) {
            tally.cycles = tally.cycles.wrapping_add(1);
        }
        match &issue {
            Issue::Nothing | Issue::Begin(..) | Issue::Quiet | Issue::Done => {}
            Issue::Waited(missing) => {
                tally.stall_wait = tally.stall_wait.wrapping_add(1);
                tally.add_wait(missing);
            }
            Issue::Start(..) | Issue::Synchronised | Issue::Halted => {
                tally.instructions = tally.instructions.wrapping_add(1);
            }
        }
        match &issue {
            Issue::Begin(header, pc) if !is_sparse(header & 0xff) && !moves(header & 0xff) => {
                self.unit(*header).pc = *pc
            }
            Issue::Start(instruction) => self.start(instruction, data),
            _ => {}
        }
        transfers.follow((self.now, &issue, pc), program, data)?;
        self.now += 1;
        Ok(issue != Issue::Done)
    }

    /// What the sparse cluster has met in the cycle before.
    fn cluster_trap(&mut self) -> Option<Trap> {
        self.cluster_error.take().map(|code| Trap::Error {
            code,
            pc: self.sequencer.pc(),
            message: "a command of the sparse cluster".to_string(),
        })
    }

    /// Sums of the sparse cluster meet their drain address.
    fn cluster_sums(&mut self, data: &Datapath) {
        let Some(sums) = data.cluster.as_ref().and_then(Engine::leaving) else {
            return;
        };
        match self.pending.front_mut() {
            // Those of the array are lost.
            Some((due, result)) if *due == self.now => {
                *result = sums.to_vec();
                self.cluster_error = Some(ErrorCode::SparseOrder);
            }
            _ => self.pending.push_front((self.now, sums.to_vec())),
        }
    }

    /// The sparse cluster in this cycle.
    fn cluster(&mut self, data: &mut Datapath) {
        let Some(cluster) = &mut data.cluster else {
            return;
        };
        let done = cluster.step(self.sequencer.given(), self.slot.take(), None);
        self.progress |= done.event;
        if let Some(error) = done.error {
            self.cluster_error = ErrorCode::from_number(error.number());
        }
    }

    /// The unit that an instruction with this header starts.
    fn unit(&mut self, header: u32) -> &mut UnitClock {
        match header & 0xff {
            OP_LOAD_WEIGHTS | OP_COPY => &mut self.weights,
            OP_MATMUL => &mut self.stream,
            _ => &mut self.drain,
        }
    }

    /// What the units do in this cycle; the first error counts, the other units act all the same.
    fn units(&mut self, data: &mut Datapath) -> Result<(), Trap> {
        let copy_fault = self.write_copies(data);
        // Weight and stream issue unit both decide from this cycle's flags, before either changes them.
        let weight_bank = self.weight_issue();
        let shadow_full = self.shadow_full;
        let now_or_lost = std::mem::take(&mut self.now_or_lost);
        self.swapped = false;
        let operand_banks = self.stream_issue(data, shadow_full);
        let fault = self.operand_fault();
        let conflict = match (&weight_bank, &operand_banks) {
            (Ok(Some((bank, _))), Ok(others)) if others >> bank & 1 == 1 => {
                let pc = self.weights.pc;
                Err(Trap::BankConflict { pc, bank: *bank })
            }
            (Ok(Some((_, step))), _) => {
                match self.copies.is_current() {
                    true => self.take_copy(data, step),
                    false => self.take_weights(data, step),
                }
                Ok(())
            }
            _ => Ok(()),
        };
        let drain = self.drain_issue(data);
        weight_bank.and(copy_fault)?;
        if now_or_lost && !self.swapped {
            return Err(Trap::Error {
                code: ErrorCode::LostWeights,
                pc: self.weights.pc,
                message: "no product was ready for a tile of streamed weights".to_string(),
            });
        }
        operand_banks?;
        fault.and(conflict).and(drain)
    }

    /// The fault of an operand that was sent some cycles ago.
    fn operand_fault(&mut self) -> Result<(), Trap> {
        if self.faults.front().is_none_or(|due| *due != self.now) {
            return Ok(());
        }
        Err(Trap::Error {
            code: ErrorCode::Address,
            pc: self.stream.pc,
            message: "the sum of operand address and row offset lies beyond the memory".to_string(),
        })
    }

    /// Sends the slot of this cycle. Gives the banks that the operands were read from, as bits.
    ///
    /// The swap of a complete tile goes with the last vector of the tile before, or in a slot
    /// without a vector.
    fn stream_issue(&mut self, data: &mut Datapath, ready: bool) -> Result<u32, Trap> {
        let mut banks = 0;
        let mut vector = false;
        let step = self.stream.valid(self.now);
        let address = step.map(|step| self.stream_address(&step)).transpose();
        let to_cluster = |step: &Step| self.streaming.cluster && step.row == ROW_TENSOR;
        if let (Some(_), Ok(Some(address))) = (step.filter(to_cluster), &address) {
            banks = self.cluster_slot(data, *address);
        } else if let (Some(step), Ok(Some(address))) = (step, &address) {
            let address = *address;
            let waits = self.waits_for_sums(&step);
            let armed = self.armed || !self.streaming.tile_begins;
            let paced = self.posts(&step) && self.now < self.post_from;
            vector = step.row == ROW_TENSOR && armed && !waits && !paced;
            if waits {
                self.tally.stall_sums = self.tally.stall_sums.wrapping_add(1);
            } else if step.row == ROW_TENSOR && !armed {
                self.tally.stall_weights = self.tally.stall_weights.wrapping_add(1);
            } else if !paced {
                match step.row {
                    ROW_PROLOGUE => data.load_bias(address),
                    ROW_TENSOR => banks = self.tensor_slot(data, &step, address, ready),
                    _ => self.send_to_post(data.stored((self.streaming.bank, address))),
                }
                self.stream.accept();
                self.progress = true;
            }
        }
        // Also in the cycle of an address error: streamed weights that are swapped in are not lost.
        if !vector && ready && !self.armed {
            self.swap(data);
        }
        address.map(|_| banks)
    }

    /// The operands of this address go to the sparse cluster, if it has room for them. Gives the banks that they were read from.
    fn cluster_slot(&mut self, data: &mut Datapath, address: usize) -> u32 {
        if !data.cluster.as_ref().is_some_and(Engine::takes_slot) {
            return 0;
        }
        let stream = &mut self.streaming;
        let slot = VectorSlot {
            address,
            entry: stream.entry.map(|entry| entry as usize),
            rows: stream.rows,
            threshold: stream.threshold,
            fresh: stream.fresh,
            first_tile: false,
            raised: false,
            to_post: false,
            result: (0, 0),
        };
        stream.fresh = false;
        self.accept_operands(&slot);
        let (bytes, reads) = data.operands(&slot);
        if reads.beyond {
            self.faults.push_back(self.now + self.clocks.fault);
        }
        self.slot = Some(bytes);
        self.stream.accept();
        self.progress = true;
        reads.banks
    }

    /// The sums that this slot starts from are not stored yet. A tile has no gaps, so that its first vector
    /// waits for all of them.
    fn waits_for_sums(&self, step: &Step) -> bool {
        let stream = &self.streaming;
        match step.row {
            ROW_PROLOGUE => false,
            ROW_TENSOR => {
                let from_bias = stream.first && stream.first_tile;
                stream.tile_begins && !from_bias && self.now < self.tile_sums_from
            }
            _ => self.now < self.sums_from,
        }
    }

    /// The sums of this slot go to post.
    fn posts(&self, step: &Step) -> bool {
        let stream = &self.streaming;
        match step.row {
            ROW_PROLOGUE => false,
            ROW_TENSOR => stream.last && step.outer_final(stream.level),
            _ => true,
        }
    }

    fn stream_address(&self, step: &Step) -> Result<usize, Trap> {
        let params = &self.params;
        let (limit, name) = match step.row {
            ROW_PROLOGUE => (params.column_tiles, "column tile"),
            ROW_TENSOR => (params.operand_bytes(), "operand address"),
            _ => (params.results_buffer.depth, "result address"),
        };
        if step.row == ROW_TENSOR {
            let vector = self.streaming.vector;
            self.stream
                .check_address(vector, params.results_buffer.depth, "vector of a K tile")?;
            if let Some(entry) = self.streaming.entry {
                self.stream.check_address(
                    entry,
                    params.state_buffer.row_offsets,
                    "entry of the row tables",
                )?;
            }
        }
        self.stream.check_address(step.address, limit, name)
    }

    fn tensor_slot(
        &mut self,
        data: &mut Datapath,
        step: &Step,
        address: usize,
        ready: bool,
    ) -> u32 {
        let to_post = self.posts(step);
        let stream = &mut self.streaming;
        let last_tile = step.outer_final(stream.level);
        let place = stream.vector as usize;
        let slot = VectorSlot {
            address,
            entry: stream.entry.map(|entry| entry as usize),
            rows: stream.rows,
            threshold: stream.threshold,
            fresh: stream.fresh,
            first_tile: stream.first && stream.first_tile,
            raised: stream.raised && stream.first && stream.first_tile,
            to_post,
            result: (stream.bank, place),
        };
        if !slot.to_post {
            let stored = self.now + self.clocks.sums;
            if stream.tile_begins {
                self.tile_sums_from = stored;
            }
            self.sums_from = stored;
        }
        stream.fresh = false;
        stream.tile_begins = false;
        stream.vector += 1;
        self.tally.vectors = self.tally.vectors.wrapping_add(1);
        let macs = match last_tile && stream.entry.is_some() {
            true => stream.last_macs,
            false => stream.macs,
        };
        self.tally.macs = self.tally.macs.wrapping_add(macs);
        self.accept_operands(&slot);
        let (sums, reads) = data.multiply(&slot);
        if reads.beyond {
            self.faults.push_back(self.now + self.clocks.fault);
        }
        if let Some(sums) = sums {
            self.send_to_post(sums);
        }
        if step.inner_final(self.streaming.level) {
            self.streaming.first_tile = false;
            self.streaming.tile_begins = true;
            self.streaming.vector = 0;
            self.streaming.entry = self.streaming.entry.map(|entry| entry + 1);
            if last_tile {
                // The next column tile of the instruction begins like the first one.
                self.streaming.first_tile = true;
                let first = self.streaming.first_entry;
                self.streaming.entry = self.streaming.entry.map(|_| first);
            }
            self.armed = false;
            if ready {
                self.swap(data);
            }
        }
        reads.banks
    }

    fn send_to_post(&mut self, sums: Vec<i32>) {
        let due = self.now + self.clocks.drain_address;
        self.pending.push_back((due, sums));
        self.post_from = self.now + self.clocks.post;
    }

    fn drain_issue(&mut self, data: &mut Datapath) -> Result<(), Trap> {
        let step = self.drain.valid(self.now);
        let mut address = 0;
        if let Some(step) = &step {
            let limit = self.params.work_bytes();
            address = self
                .drain
                .check_address(step.address, limit, "drain address")?;
            let tile = data.column_tile();
            let tiles = self.params.column_tiles;
            self.drain.check_address(tile, tiles, "column tile")?;
        }
        if self.pending.front().is_none_or(|(due, _)| *due != self.now) {
            return Ok(());
        }
        let (_, sums) = self.pending.pop_front().expect("there is a front");
        let Some(step) = step else {
            return Err(Trap::Error {
                code: ErrorCode::DrainUnderflow,
                pc: self.drain.pc,
                message: "a result found no drain address".to_string(),
            });
        };
        // A sum that does not complete its window leaves the address for the next one.
        let Some(results) = data.pool(sums) else {
            return Ok(());
        };
        data.drain(&results, address, step.end);
        if self.advance.is_some_and(|level| step.inner_final(level)) && !step.end {
            data.next_column_tile();
        }
        self.drain.accept();
        self.progress = true;
        self.drain_idle_from = self.now + self.clocks.drain_idle;
        Ok(())
    }
}
