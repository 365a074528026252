//! Sizes of the control half and its sequencer.

use super::clocks::{ANSWER, FIRST_PAIR};
use super::counters::CounterList;
use crate::buffer::BankCount;
use crate::post::PostOptions;
use crate::sliced::SlicedShape;
use crate::traversal::TraversalShape;
use heddle_arch::Params;
use heddle_arch::params::{MachineUnit, PartialSums, common_divisor};
use heddle_kernel::Meta;

/// Sizes that instructions are checked against.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SequencerShape {
    /// Rows of the array.
    pub rows: usize,
    /// Columns of the array.
    pub cols: usize,
    /// Rows of a TRAVERSE record.
    pub record_rows: usize,
    /// Loops of a TRAVERSE record.
    pub loops: usize,
    /// Bits of an offset.
    pub offset_bits: usize,
    /// Bits of an address.
    pub address_bits: usize,
    /// Column tiles.
    pub tiles: usize,
    /// Words of the program memory, a power of two.
    pub program_words: usize,
    /// The program lies in banks of the state buffer, else in a memory of its own.
    pub banked: bool,
    /// Entries of the offset table of a row, a power of two.
    pub row_offsets: usize,
    /// Options of post-processing.
    pub post: PostOptions,
    /// Walks of the weight, stream and drain unit.
    pub units: [TraversalShape; 3],
    /// There is a sparse cluster.
    pub cluster: bool,
    /// Programs have LOAD and STORE.
    pub moves: bool,
}

impl SequencerShape {
    /// The sizes of a configuration.
    pub fn of(params: &Params) -> Self {
        let loops = MachineUnit::ALL.map(|unit| params.traversal.unit_loops(unit));
        let mut units = loops.map(|loops| TraversalShape::of_machine(&loops));
        units[1].repeat = true;
        Self {
            rows: params.array.rows as usize,
            cols: params.array.cols as usize,
            record_rows: params.traversal.rows as usize,
            loops: params.traversal.loops as usize,
            offset_bits: params.traversal.offset_bits as usize,
            address_bits: params.traversal.address_bits as usize,
            tiles: params.column_tiles as usize,
            program_words: params.program.words as usize,
            banked: params.program_banks() > 0,
            row_offsets: params.state_buffer.row_offsets as usize,
            post: PostOptions::of(params),
            units,
            cluster: params.has_cluster(),
            moves: params.programs_move(),
        }
    }

    /// Tells of options that make a difference to a module.
    pub(super) fn describe(&self, meta: Meta) -> Meta {
        let names = [("weight", "uw"), ("stream", "us"), ("drain", "ud")];
        let mut meta = self.post.describe(meta);
        for (walk, (name, letters)) in self.units.iter().zip(names) {
            let digits = walk.digits(self.record_rows, self.loops);
            let doc = format!("rows of the {name} unit, then the loops of each");
            meta = meta.feature(&format!("{name}_loops"), letters, digits, &doc);
        }
        let doc = "there is a sparse cluster";
        let meta = meta.feature("clusters", "sc", self.cluster.into(), doc);
        let doc = "programs have LOAD and STORE";
        meta.feature("moves", "mv", self.moves.into(), doc)
    }

    /// Words of the memory that the sequencer reads: the program, or a prefetch buffer.
    ///
    /// The buffer covers the way from a word read to the one that takes its place, see
    /// [`Prefetch`](super::Prefetch).
    pub fn fetch_words(&self) -> usize {
        match self.banked {
            false => self.program_words,
            true => (FIRST_PAIR + self.rows + ANSWER).next_power_of_two(),
        }
    }

    /// Partitions that column 0 can drain into; 1 for a square array.
    pub fn rotations(&self) -> usize {
        self.rows / common_divisor(self.rows as u32, self.cols as u32) as usize
    }
}

/// Sizes of the control half.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ControlShape {
    /// What instructions are checked against.
    pub sequencer: SequencerShape,
    /// Bits of a byte address of a partition.
    pub byte_bits: usize,
    /// Banks of a partition.
    pub banks: BankCount,
    /// Bits of a word address of a results bank.
    pub result_bits: usize,
    /// What is counted.
    pub counters: CounterList,
    /// Stored sums enter the array at the top.
    pub sums_at_top: bool,
    /// Registers around the engine start and watch it.
    pub watched: bool,
    /// Clients go to the memories while a program runs.
    pub open: bool,
}

impl ControlShape {
    /// The sizes of a configuration.
    pub fn of(params: &Params) -> Self {
        Self {
            sequencer: SequencerShape::of(params),
            byte_bits: params.partition_bytes().ilog2() as usize,
            banks: BankCount::of(params),
            result_bits: params.results_buffer.depth.ilog2() as usize,
            counters: CounterList::new(params.counters, SlicedShape::of_bank(params).slices()),
            sums_at_top: params.array.partial_sums == PartialSums::Top,
            watched: params.system.is_some(),
            open: params.has_dma(),
        }
    }

    /// Bits of a column tile.
    pub fn tile_bits(&self) -> usize {
        self.sequencer.tiles.ilog2() as usize
    }

    /// Bits of an entry of the row tables.
    pub fn entry_bits(&self) -> usize {
        self.sequencer.row_offsets.ilog2() as usize
    }

    /// Bits of a word address of a partition.
    pub fn word_bits(&self) -> usize {
        self.byte_bits - 3
    }

    /// Bits of a word address of a bank.
    pub fn bank_lsb(&self) -> usize {
        self.word_bits() - self.banks.all.ilog2() as usize
    }

    /// Words of a partition that weights and results may lie in, 0 for all.
    pub fn work_words(&self) -> usize {
        self.banks.guard(1 << self.word_bits())
    }
}
