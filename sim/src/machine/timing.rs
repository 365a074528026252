//! Which unit does what in which clock cycle: weight, stream and drain unit.
//!
//! Everything that can change with the control hardware is in this file, the distances in
//! [`Delays`]. A unit decides in cycle t from what was true at its beginning; the slot that it
//! sends stands on the wave in t + 1.

use std::collections::VecDeque;
use std::rc::Rc;

use heddle_arch::isa::{
    ErrorCode, Instruction, OP_LOAD_WEIGHTS, OP_MATMUL, ROW_PROLOGUE, ROW_TENSOR, Record,
};
use heddle_arch::params::Params;
use heddle_arch::requantise::Rounding;

use super::counters::Tally;
use super::datapath::{Datapath, PostSettings, VectorSlot};
use super::sequencer::{Idle, Issue, Sequencer};
use super::walk::{Step, Walk};

/// Distances in clock cycles.
#[derive(Debug, Clone, Copy)]
struct Delays {
    /// From START to the unit's first valid address.
    first_address: u64,
    /// From a slot on the operand wave of row 0 to its drain address being taken.
    drain_take: u64,
    /// From a slot on the operand wave of row 0 to its fault being known.
    fault: u64,
    /// From the last drain address to the drain unit being idle.
    drain_quiet: u64,
    /// From a swap to the next weight word.
    swap_gap: u64,
}

impl Delays {
    fn of(params: &Params) -> Self {
        let rows = u64::from(params.array.rows);
        let cols = u64::from(params.array.cols);
        Self {
            first_address: 4,
            drain_take: rows + 7,
            fault: rows + 1,
            drain_quiet: cols + 16 + u64::from(params.post.extra_cycles()),
            swap_gap: cols,
        }
    }
}

/// Streamed words whose addresses are looked at; only a loop that does not end has more.
const MOST_WORDS: usize = 1 << 20;

/// Limits of the addresses, in the unit's own steps.
#[derive(Debug, Clone, Copy)]
struct Limits {
    partition_bytes: u32,
    bank_bytes: u32,
    column_tiles: u32,
    depth: u32,
    row_offsets: u32,
    partition_step: u32,
    offset_bits: u32,
    address_bits: u32,
}

/// A program that stops the machine or that the model refuses to judge.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Trap {
    /// An error of the instruction set.
    Error {
        code: ErrorCode,
        pc: u32,
        message: String,
    },
    /// Operand and weight slot read the same bank in the same cycle.
    BankConflict { pc: u32, bank: u32 },
}

/// A traversal with a unit around it.
#[derive(Debug, Clone, Default)]
struct Unit {
    walk: Option<Walk>,
    valid_from: u64,
    /// Program word of the last instruction that HEAD let pass to this unit.
    pc: u32,
}

impl Unit {
    fn start(&mut self, record: &Record, limits: &Limits, valid_from: u64) {
        self.walk = Walk::start(record, limits.offset_bits, limits.address_bits);
        self.valid_from = valid_from;
    }

    fn busy(&self) -> bool {
        self.walk.is_some()
    }

    fn valid(&self, now: u64) -> Option<Step> {
        let walk = self.walk.as_ref().filter(|_| now >= self.valid_from)?;
        Some(walk.step())
    }

    fn accept(&mut self) {
        if let Some(walk) = &mut self.walk {
            if !walk.advance() {
                self.walk = None;
            }
        }
    }

    fn check_address(&self, address: u32, limit: u32, name: &str) -> Result<usize, Trap> {
        if address < limit {
            return Ok(address as usize);
        }
        Err(Trap::Error {
            code: ErrorCode::Address,
            pc: self.pc,
            message: format!("{name} is {address}, expected at most {}", limit - 1),
        })
    }
}

/// Fields of the MATMUL in progress and its place in the K tiles.
#[derive(Debug, Clone, Copy, Default)]
struct Stream {
    rows: usize,
    first: bool,
    last: bool,
    bank: usize,
    level: u8,
    threshold: u8,
    macs: u32,
    /// Multiply-accumulates of a vector of the last K tile.
    last_macs: u32,
    /// Entry of the offset tables for the K tile in progress, if they are used.
    entry: Option<u32>,
    /// Entry with which each column tile begins.
    first_entry: u32,
    fresh: bool,
    first_tile: bool,
    tile_begins: bool,
    vector: u32,
}

/// Fields of the LOAD_WEIGHTS in progress.
#[derive(Debug, Clone, Default)]
struct Loading {
    rows: usize,
    level: u8,
    /// Bits of a byte address that are inverted.
    flip: u32,
    /// If the words are streamed, the addresses of all of them.
    streamed: Option<Rc<[usize]>>,
    /// Words taken so far.
    taken: usize,
    /// A word was taken in the cycle before, and whether it ended a tile.
    before: Option<bool>,
    /// Place of the first word of the tile that is ready.
    ready: usize,
}

/// The running machine between two clock edges.
#[derive(Debug, Clone)]
pub(crate) struct Clockwork {
    delays: Delays,
    limits: Limits,
    now: u64,
    sequencer: Sequencer,
    weights: Unit,
    stream: Unit,
    drain: Unit,
    loading: Loading,
    streaming: Stream,
    /// A complete tile waits in the shadow weights.
    shadow_full: bool,
    /// The active weights belong to the tile in progress or to the next one.
    armed: bool,
    weights_from: u64,
    drain_idle_from: u64,
    /// Level of an advancing drain.
    advance: Option<u8>,
    /// A unit has accepted an address in this cycle.
    progress: bool,
    /// Weights were swapped in this cycle.
    swapped: bool,
    /// A tile of streamed words has become ready: it is swapped in this cycle or lost.
    now_or_lost: bool,
    /// Cycle in which each result on its way to post needs its drain address.
    pending: VecDeque<(u64, Vec<i32>)>,
    /// Cycles in which operands beyond their memory come to light.
    faults: VecDeque<u64>,
    pub tally: Tally,
}

impl Clockwork {
    pub fn new(params: &Params, start_pc: u32) -> Self {
        Self {
            delays: Delays::of(params),
            limits: Limits {
                partition_bytes: params.partition_bytes(),
                bank_bytes: params.bank_bytes(),
                column_tiles: params.column_tiles,
                depth: params.results_buffer.depth,
                row_offsets: params.state_buffer.row_offsets,
                partition_step: params.partition_step(),
                offset_bits: params.traversal.offset_bits,
                address_bits: params.traversal.address_bits,
            },
            now: 0,
            sequencer: Sequencer::new(params, start_pc),
            weights: Unit::default(),
            stream: Unit::default(),
            drain: Unit::default(),
            loading: Loading::default(),
            streaming: Stream::default(),
            shadow_full: false,
            armed: false,
            weights_from: 0,
            drain_idle_from: 0,
            advance: None,
            progress: false,
            swapped: false,
            now_or_lost: false,
            pending: VecDeque::new(),
            faults: VecDeque::new(),
            tally: Tally::default(),
        }
    }

    /// One clock cycle; false when HALT and its quiet cycles are over.
    pub fn cycle(&mut self, program: &[u32], data: &mut Datapath) -> Result<bool, Trap> {
        self.progress = false;
        let idle = Idle {
            weights: !self.weights.busy(),
            stream: !self.stream.busy(),
            drain: !self.drain.busy() && self.now >= self.drain_idle_from,
        };
        let units = self.units(data);
        // A fault of the sequencer wins over one of the units.
        let issue = self.sequencer.cycle(program, idle, self.progress)?;
        units?;
        let tally = &mut self.tally;
        if !matches!(issue, Issue::Quiet | Issue::Done) {
            tally.cycles = tally.cycles.wrapping_add(1);
        }
        match &issue {
            Issue::Nothing | Issue::Begin(..) | Issue::Quiet | Issue::Done => {}
            Issue::Waited => tally.stall_wait = tally.stall_wait.wrapping_add(1),
            Issue::Start(..) | Issue::Halted => {
                tally.instructions = tally.instructions.wrapping_add(1);
            }
        }
        match &issue {
            Issue::Begin(header, pc) => self.unit(*header).pc = *pc,
            Issue::Start(instruction) => self.start(instruction, data),
            _ => {}
        }
        self.now += 1;
        Ok(issue != Issue::Done)
    }

    /// The unit that an instruction with this header starts.
    fn unit(&mut self, header: u32) -> &mut Unit {
        match header & 0xff {
            OP_LOAD_WEIGHTS => &mut self.weights,
            OP_MATMUL => &mut self.stream,
            _ => &mut self.drain,
        }
    }

    /// What the units do in this cycle; the first error counts, the other units act all the same.
    fn units(&mut self, data: &mut Datapath) -> Result<(), Trap> {
        // Weight and stream head both decide from this cycle's flags, before either changes them.
        let weight_bank = self.weight_head();
        let shadow_full = self.shadow_full;
        let now_or_lost = std::mem::take(&mut self.now_or_lost);
        self.swapped = false;
        let operand_banks = self.stream_head(data, shadow_full);
        let fault = self.operand_fault();
        let conflict = match (&weight_bank, &operand_banks) {
            (Ok(Some((bank, _))), Ok(others)) if others >> bank & 1 == 1 => {
                let pc = self.weights.pc;
                Err(Trap::BankConflict { pc, bank: *bank })
            }
            (Ok(Some((_, step))), _) => {
                self.take_weights(data, step);
                Ok(())
            }
            _ => Ok(()),
        };
        let drain = self.drain_head(data);
        weight_bank?;
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

    fn weight_head(&mut self) -> Result<Option<(u32, Step)>, Trap> {
        let Some(step) = self.weights.valid(self.now) else {
            return Ok(None);
        };
        let limit = self.limits.partition_bytes;
        self.weights
            .check_address(step.address, limit, "weight address")?;
        let free = !self.shadow_full && self.now >= self.weights_from;
        let ready = match (&self.loading.streamed, self.loading.before) {
            (None, _) => free,
            (Some(_), Some(_)) => true,
            (Some(_), None) => free && self.stalls(),
        };
        if !ready {
            return Ok(None);
        }
        let address = step.address ^ self.loading.flip;
        Ok(Some((address / self.limits.bank_bytes, step)))
    }

    /// A vector waits for its weights.
    fn stalls(&self) -> bool {
        let step = self.stream.valid(self.now);
        let is_tensor = step.is_some_and(|step| step.row == ROW_TENSOR);
        is_tensor && self.streaming.tile_begins && !self.armed
    }

    fn take_weights(&mut self, data: &mut Datapath, step: &Step) {
        let loading = &mut self.loading;
        let address = step.address ^ loading.flip;
        let tile_end = step.inner_final(loading.level);
        if loading.streamed.is_some() {
            if loading.before.is_none() {
                data.keep_shadow();
            }
            let tile_begins = loading.before.is_none_or(|ended| ended);
            self.now_or_lost = tile_begins && step.row == 0;
            if self.now_or_lost {
                loading.ready = loading.taken;
                self.shadow_full = true;
            }
            loading.before = Some(tile_end);
            loading.taken += 1;
        } else {
            self.shadow_full = tile_end;
        }
        data.shift_weights(address as usize, loading.rows);
        self.weights.accept();
        self.progress = true;
    }

    /// The addresses of all words of a record.
    fn weight_words(&self, record: &Record, flip: u32) -> Rc<[usize]> {
        let mut words = Vec::new();
        let limits = &self.limits;
        let mut walk = Walk::start(record, limits.offset_bits, limits.address_bits);
        while let Some(at) = &mut walk {
            let address = at.step().address;
            // A word beyond the partition is never taken; a loop may never end.
            let taken = address < limits.partition_bytes && words.len() < MOST_WORDS;
            if taken {
                words.push((address ^ flip) as usize);
            }
            if !taken || !at.advance() {
                break;
            }
        }
        words.into()
    }

    fn swap(&mut self, data: &mut Datapath) {
        let loading = &self.loading;
        match &loading.streamed {
            Some(words) if loading.taken > 0 => {
                data.swap_streamed(words, loading.ready, loading.rows);
            }
            _ => data.swap_weights(),
        }
        self.swapped = true;
        self.armed = true;
        self.shadow_full = false;
        self.weights_from = self.now + self.delays.swap_gap;
    }

    /// Sends the slot of this cycle. Gives the banks that the operands were read from, as bits.
    ///
    /// The swap of a complete tile goes with the last vector of the tile before, or in a slot
    /// without a vector.
    fn stream_head(&mut self, data: &mut Datapath, ready: bool) -> Result<u32, Trap> {
        let mut banks = 0;
        let mut vector = false;
        if let Some(step) = self.stream.valid(self.now) {
            let address = self.stream_address(&step)?;
            vector = step.row == ROW_TENSOR && (self.armed || !self.streaming.tile_begins);
            if step.row == ROW_TENSOR && !vector {
                self.tally.stall_weights = self.tally.stall_weights.wrapping_add(1);
            } else {
                match step.row {
                    ROW_PROLOGUE => data.load_bias(address),
                    ROW_TENSOR => banks = self.tensor_slot(data, &step, address, ready),
                    _ => self.send_to_post(data.stored((self.streaming.bank, address))),
                }
                self.stream.accept();
                self.progress = true;
            }
        }
        if !vector && ready && !self.armed {
            self.swap(data);
        }
        Ok(banks)
    }

    fn stream_address(&self, step: &Step) -> Result<usize, Trap> {
        let limits = &self.limits;
        let (limit, name) = match step.row {
            ROW_PROLOGUE => (limits.column_tiles, "column tile"),
            ROW_TENSOR => (limits.partition_bytes, "operand address"),
            _ => (limits.depth, "result address"),
        };
        if step.row == ROW_TENSOR {
            let vector = self.streaming.vector;
            self.stream
                .check_address(vector, limits.depth, "vector of a K tile")?;
            if let Some(entry) = self.streaming.entry {
                self.stream
                    .check_address(entry, limits.row_offsets, "entry of the row tables")?;
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
            to_post: stream.last && last_tile,
            result: (stream.bank, place),
        };
        stream.fresh = false;
        stream.tile_begins = false;
        stream.vector += 1;
        self.tally.vectors = self.tally.vectors.wrapping_add(1);
        let macs = match last_tile && stream.entry.is_some() {
            true => stream.last_macs,
            false => stream.macs,
        };
        self.tally.macs = self.tally.macs.wrapping_add(macs);
        let (sums, reads) = data.multiply(&slot);
        if reads.beyond {
            self.faults.push_back(self.now + 1 + self.delays.fault);
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
        let due = self.now + 1 + self.delays.drain_take;
        self.pending.push_back((due, sums));
    }

    fn drain_head(&mut self, data: &mut Datapath) -> Result<(), Trap> {
        let step = self.drain.valid(self.now);
        let mut address = 0;
        if let Some(step) = &step {
            let limit = self.limits.partition_bytes;
            address = self
                .drain
                .check_address(step.address, limit, "drain address")?;
            let tile = data.column_tile();
            let tiles = self.limits.column_tiles;
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
        self.drain_idle_from = self.now + self.delays.drain_quiet;
        Ok(())
    }

    fn start(&mut self, instruction: &Instruction, data: &mut Datapath) {
        let valid_from = self.now + self.delays.first_address;
        match instruction {
            Instruction::Halt { .. } => {}
            Instruction::LoadWeights {
                rows,
                tile_level,
                flip,
                streamed,
                record,
                ..
            } => {
                self.loading = Loading {
                    rows: *rows as usize,
                    level: *tile_level as u8,
                    flip: flip * 8,
                    streamed: streamed.then(|| self.weight_words(record, flip * 8)),
                    taken: 0,
                    before: None,
                    ready: 0,
                };
                self.weights.start(record, &self.limits, valid_from);
            }
            Instruction::Matmul {
                rows,
                first,
                last,
                bank,
                tile_level,
                threshold,
                macs,
                table,
                repeat,
                record,
                ..
            } => {
                self.streaming = Stream {
                    rows: *rows as usize,
                    first: *first,
                    last: *last,
                    bank: usize::from(*bank),
                    level: *tile_level as u8,
                    threshold: *threshold,
                    macs: *macs,
                    last_macs: table.map_or(0, |table| table.last_macs),
                    entry: table.map(|table| table.first_entry.into()),
                    first_entry: table.map_or(0, |table| table.first_entry.into()),
                    fresh: true,
                    first_tile: true,
                    tile_begins: true,
                    vector: 0,
                };
                self.stream.start(record, &self.limits, valid_from);
                if let (Some(walk), Some(repeat)) = (&mut self.stream.walk, repeat) {
                    walk.repeat(
                        repeat.times,
                        &[(ROW_PROLOGUE, 1), (ROW_TENSOR, repeat.step)],
                    );
                }
            }
            Instruction::Drain {
                columns,
                single,
                tile,
                lo,
                hi,
                place,
                activation,
                pooling,
                advance,
                record,
                ..
            } => {
                let place = place.unwrap_or_default();
                data.begin_drain(PostSettings {
                    first_column: place.first_column as usize,
                    columns: *columns as usize,
                    first_partition: (place.turn * self.limits.partition_step) as usize,
                    tile: usize::from(*tile),
                    rounding: if *single {
                        Rounding::Single
                    } else {
                        Rounding::Double
                    },
                    lo: i32::from(*lo),
                    hi: i32::from(*hi),
                    pooling: *pooling,
                    activation: usize::from(*activation),
                });
                self.advance = *advance;
                self.drain.start(record, &self.limits, valid_from);
            }
        }
    }
}
