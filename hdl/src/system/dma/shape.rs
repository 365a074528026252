//! Sizes of the DMA.

use crate::control::clocks::QUIET;
use crate::post::PostOptions;
use heddle_arch::Params;

/// Sizes of the DMA, and of the memories that it writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DmaShape {
    /// Rows of the array: partitions of the state buffer.
    pub rows: usize,
    /// Columns of the array.
    pub cols: usize,
    /// Bits of an address of the host's memory, 32 to 40.
    pub address_bits: usize,
    /// Beats of a burst at most: 8, 16, 32, 64, 128 or 256.
    pub max_burst: usize,
    /// Bursts that are open at once, each way, 1 to 8.
    pub outstanding: usize,
    /// Commands that a queue holds, 1 to 8.
    pub queue: usize,
    /// Bits of an AXI ID, 1 to 8.
    pub id_bits: usize,
    /// Words of a partition, a power of two.
    pub partition_words: usize,
    /// Column tiles, a power of two.
    pub column_tiles: usize,
    /// Entries of the table of a row, a power of two, or 0.
    pub row_entries: usize,
    /// Tables of activation functions, at most 7.
    pub activation_tables: usize,
    /// Pairs of instruction words, a power of two.
    pub program_pairs: usize,
    /// The program lies in the banks of the state buffer: a pair is one write.
    pub banked: bool,
    /// There is a sparse cluster.
    pub cluster: bool,
    /// Clocks until the waves of all units have passed.
    pub settle: usize,
}

impl DmaShape {
    /// Those of a machine with a DMA.
    pub fn of(params: &Params) -> Self {
        let dma = params.dma().copied().unwrap_or_default();
        let size = |number: u32| number as usize;
        Self {
            rows: size(params.array.rows),
            cols: size(params.array.cols),
            address_bits: size(dma.address_bits),
            max_burst: size(dma.max_burst),
            outstanding: size(dma.outstanding),
            queue: size(dma.queue),
            id_bits: size(dma.id_bits),
            partition_words: size(params.partition_words()),
            column_tiles: size(params.column_tiles),
            row_entries: size(params.state_buffer.row_offsets),
            activation_tables: size(params.post.activations),
            program_pairs: size(params.program.words / 2),
            banked: params.program_banks() > 0,
            cluster: params.has_cluster(),
            settle: size(params.array.rows)
                + size(params.array.cols)
                + QUIET
                + PostOptions::of(params).extra(),
        }
    }

    /// 1 if programs have LOAD and STORE: there is a way for their words that the program does not need.
    pub fn moves(&self) -> usize {
        usize::from(!self.banked)
    }

    /// Words between the state buffer and the bus: two bursts, and what is on its way through the partitions.
    pub fn fifo_words(&self) -> usize {
        (2 * self.max_burst + self.rows + 16).next_power_of_two()
    }
}
