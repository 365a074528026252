//! What the units' slots do to weights, sums, results and memory, without regard to clocks.

use heddle_arch::isa::Pooling;
use heddle_arch::params::Params;
use heddle_arch::requantise::{Rounding, Scale};
use heddle_arch::word::{COLUMNS_PER_WORD, WORD_BYTES, WordBytes};

use super::cluster::Engine;
use super::memory::{OwnAddress, StateMemory};
use super::{CopiedWord, DrainedWord};
use crate::buffer::raised;
use crate::network::requantise::scale_accumulator;
use crate::post::{self, reduce};
use crate::sliced::SliceLayout;

const WORD: usize = WORD_BYTES as usize;
const COLUMNS: usize = COLUMNS_PER_WORD as usize;

/// A tensor slot.
#[derive(Debug, Clone, Copy)]
pub(crate) struct VectorSlot {
    /// Byte address of the operands, before the rows add their offsets.
    pub address: usize,
    /// Entry of the offset tables, if they are used.
    pub entry: Option<usize>,
    /// Active rows.
    pub rows: usize,
    /// Decode threshold 127 - z.
    pub threshold: u8,
    /// The readers must not use the words they keep.
    pub fresh: bool,
    /// Start from the bias and not from the results buffer.
    pub first_tile: bool,
    /// The sum is raised.
    pub raised: bool,
    /// The sum goes to post and not to the results buffer.
    pub to_post: bool,
    /// Results bank and address.
    pub result: (usize, usize),
}

/// What the operands of a vector meet in the memories.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct OperandReads {
    /// Bit b: some row read bank b.
    pub banks: u32,
    /// The operand of some row lies beyond its memory.
    pub beyond: bool,
}

/// How the results of a drain are scaled.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PostSettings {
    /// First column that writes.
    pub first_column: usize,
    /// Columns that write.
    pub columns: usize,
    /// Partition of column 0.
    pub first_partition: usize,
    /// Column tile of (multiplier, shift).
    pub tile: usize,
    pub rounding: Rounding,
    /// Sums have two parts and a factor for each.
    pub dual: bool,
    /// Clamp bounds without the zero point.
    pub lo: i32,
    pub hi: i32,
    /// Windows of sums; none: every sum is a result.
    pub pooling: Option<Pooling>,
    /// Activation table from 1 on, 0 for none.
    pub activation: usize,
}

/// Bytes on their way to one word, the same word in all columns.
#[derive(Debug, Clone)]
struct BytePacker {
    word: Option<usize>,
    data: Vec<WordBytes>,
}

/// Array, column parameters, results buffer, post and state buffer.
#[derive(Debug, Clone)]
pub(crate) struct Datapath {
    cols: usize,
    tiles: usize,
    depth: usize,
    bank_bytes: usize,
    pub memory: StateMemory,
    shadow: Vec<i8>,
    /// Shadow weights before the first streamed word.
    kept: Vec<i8>,
    active: Vec<i8>,
    bias_memory: Vec<i32>,
    /// Data words of scales.
    scale_memory: Vec<u64>,
    bias: Vec<i32>,
    results: Vec<i32>,
    post: PostSettings,
    byte_packer: BytePacker,
    /// Words that have left the columns; whoever runs the machine takes them, and knows their cycle.
    pub leaving: Vec<DrainedWord>,
    /// Words that will be copied, likewise.
    pub moving: Vec<CopiedWord>,
    /// Sums of the window under way, by slot and column.
    window: Vec<Vec<i32>>,
    /// Bytes to store, by activation table and scaled byte.
    activations: Vec<[u8; 256]>,
    left_shift: bool,
    /// The sparse cluster, if there is one.
    pub cluster: Option<Engine>,
}

impl Datapath {
    pub fn new(params: &Params) -> Self {
        let rows = params.array.rows as usize;
        let cols = params.array.cols as usize;
        let tiles = params.column_tiles as usize;
        let depth = params.results_buffer.depth as usize;
        let buffer = &params.state_buffer;
        Self {
            cols,
            tiles,
            depth,
            bank_bytes: params.bank_bytes() as usize,
            memory: StateMemory::new(
                rows,
                [params.partition_bytes(), params.operand_bytes()]
                    .map(|bytes| bytes as usize / WORD),
                buffer.row_offsets as usize,
                SliceLayout::of_machine(params),
            ),
            shadow: vec![0; rows * cols],
            kept: vec![0; rows * cols],
            active: vec![0; rows * cols],
            bias_memory: vec![0; cols * tiles],
            scale_memory: vec![0; cols * tiles],
            bias: vec![0; cols],
            results: vec![0; 2 * depth * cols],
            post: PostSettings {
                first_column: 0,
                columns: 0,
                first_partition: 0,
                tile: 0,
                rounding: Rounding::Double,
                dual: false,
                lo: 0,
                hi: 0,
                pooling: None,
                activation: 0,
            },
            byte_packer: BytePacker {
                word: None,
                data: vec![WordBytes::default(); cols],
            },
            leaving: Vec::new(),
            moving: Vec::new(),
            window: Vec::new(),
            activations: vec![[0; 256]; params.post.activations as usize],
            left_shift: params.post.left_shift,
            cluster: Engine::of(params),
        }
    }

    pub fn set_bias(&mut self, column: usize, tile: usize, bias: i32) {
        self.bias_memory[column * self.tiles + tile] = bias;
        if let Some(cluster) = &mut self.cluster {
            cluster.set_bias(tile, column, bias);
        }
    }

    pub fn set_scale(&mut self, column: usize, tile: usize, word: u64) {
        self.scale_memory[column * self.tiles + tile] = word;
    }

    pub fn set_activation(&mut self, table: usize, byte: u8, stored: u8) {
        self.activations[table][usize::from(byte)] = stored;
    }

    /// Prologue slot: the bias of a column tile becomes the start value of all columns.
    pub fn load_bias(&mut self, tile: usize) {
        for (column, bias) in self.bias.iter_mut().enumerate() {
            *bias = self.bias_memory[column * self.tiles + tile];
        }
    }

    /// Weight slot: every row shifts its shadow weights by one word; rows beyond `rows` get zeros.
    pub fn shift_weights(&mut self, address: usize, rows: usize) {
        for (row, shadow) in self.shadow.chunks_exact_mut(self.cols).enumerate() {
            let data = if row < rows {
                self.memory.read_weights(row, address / WORD)
            } else {
                WordBytes::default()
            };
            for column in (COLUMNS..shadow.len()).rev() {
                shadow[column] = shadow[column - COLUMNS];
            }
            for (weight, byte) in shadow.iter_mut().zip(data) {
                *weight = byte as i8;
            }
        }
    }

    /// Slot of a copy: the first `rows` partitions read a word.
    pub fn read_copy(&mut self, word: usize, rows: usize) -> Vec<WordBytes> {
        let partitions = 0..rows;
        let memory = &mut self.memory;
        partitions
            .map(|row| memory.read_weights(row, word))
            .collect()
    }

    /// Tells where words that were read go.
    pub fn announce_copy(&mut self, word: usize, data: &[WordBytes]) {
        let words = data
            .iter()
            .enumerate()
            .map(|(partition, &data)| CopiedWord {
                cycle: 0,
                partition: partition as u32,
                word: word as u32,
                data,
            });
        self.moving.extend(words);
    }

    /// The partitions write the words that they have read.
    pub fn write_copy(&mut self, word: usize, data: &[WordBytes]) {
        for (partition, &data) in data.iter().enumerate() {
            self.memory.write_result(partition, word, data);
        }
    }

    /// The shadow weights become the active weights.
    pub fn swap_weights(&mut self) {
        self.active.copy_from_slice(&self.shadow);
    }

    /// Streamed words begin.
    pub fn keep_shadow(&mut self) {
        self.kept.copy_from_slice(&self.shadow);
    }

    /// A tile of streamed words becomes active. The swap goes from column to column, one in each clock, while the
    /// words move on by eight columns in each clock: column c, byte j of group g, gets what is there when the swap arrives, a word
    /// 7 g + j + 1 behind the tile's first one. If there is none, the last words have stopped there.
    pub fn swap_streamed(&mut self, words: &[usize], first: usize, rows: usize) {
        for row in 0..self.active.len() / self.cols {
            for column in 0..self.cols {
                let (group, lane) = (column / COLUMNS, column % COLUMNS);
                let newest = (first + 1 + column).min(words.len() - 1);
                self.active[row * self.cols + column] = match newest.checked_sub(group) {
                    Some(_) if row >= rows => 0,
                    Some(word) => self.memory.peek(row, words[word] / WORD)[lane] as i8,
                    None => self.kept[row * self.cols + COLUMNS * (group - newest - 1) + lane],
                };
            }
        }
    }

    /// Column tile of the scaling.
    pub fn column_tile(&self) -> u32 {
        self.post.tile as u32
    }

    /// The next results belong to the next column tile.
    pub fn next_column_tile(&mut self) {
        self.post.tile += 1;
    }

    /// Operands of all rows, a byte for each, and what the rows read. A row without an address has a 0.
    pub fn operands(&mut self, slot: &VectorSlot) -> (Vec<u8>, OperandReads) {
        let mut bytes = vec![0; self.active.len() / self.cols];
        let mut found = OperandReads::default();
        for (row, operand) in bytes.iter_mut().enumerate().take(slot.rows) {
            let address = match self.memory.own_address(row, slot.address, slot.entry) {
                OwnAddress::At(address) => address,
                OwnAddress::None => continue,
                OwnAddress::Beyond => {
                    found.beyond = true;
                    continue;
                }
            };
            let (byte, reads) = self.memory.read_operand(row, address, slot.fresh);
            found.banks |= u32::from(reads) << (address / self.bank_bytes);
            *operand = byte;
        }
        (bytes, found)
    }

    /// Operands of all rows times the active weights; also says what the rows read.
    fn column_sums(&mut self, slot: &VectorSlot) -> (Vec<i32>, OperandReads) {
        let mut sums = vec![0i32; self.cols];
        let (bytes, found) = self.operands(slot);
        for (byte, weights) in bytes.iter().zip(self.active.chunks(self.cols)) {
            let operand = match *byte <= slot.threshold {
                true => i32::from(*byte),
                false => i32::from(*byte) - 256,
            };
            for (sum, &weight) in sums.iter_mut().zip(weights) {
                *sum = sum.wrapping_add(operand * i32::from(weight));
            }
        }
        (sums, found)
    }

    fn result_range(&self, (bank, address): (usize, usize)) -> std::ops::Range<usize> {
        let start = (bank * self.depth + address) * self.cols;
        start..start + self.cols
    }

    /// Tensor slot. Gives the sums for post, if they go there, and what the rows read.
    pub fn multiply(&mut self, slot: &VectorSlot) -> (Option<Vec<i32>>, OperandReads) {
        let (mut sums, reads) = self.column_sums(slot);
        let range = self.result_range(slot.result);
        let start = if slot.first_tile {
            &self.bias
        } else {
            &self.results[range.clone()]
        };
        for (sum, start) in sums.iter_mut().zip(start) {
            *sum = sum.wrapping_add(*start);
            if slot.raised {
                *sum = raised(*sum);
            }
        }
        if slot.to_post {
            return (Some(sums), reads);
        }
        self.results[range].copy_from_slice(&sums);
        (None, reads)
    }

    /// Epilogue slot: stored sums for post.
    pub fn stored(&self, result: (usize, usize)) -> Vec<i32> {
        self.results[self.result_range(result)].to_vec()
    }

    /// A drain begins.
    pub fn begin_drain(&mut self, settings: PostSettings) {
        self.post = settings;
        self.byte_packer.word = None;
        self.byte_packer.data.fill(WordBytes::default());
        self.window.clear();
    }

    /// One sum per column goes to post. Gives the results if they complete a window.
    pub fn pool(&mut self, sums: Vec<i32>) -> Option<Vec<i32>> {
        let Some(pooling) = self.post.pooling else {
            return Some(sums);
        };
        self.window.push(sums);
        if self.window.len() < pooling.window as usize {
            return None;
        }
        let window = std::mem::take(&mut self.window);
        let column = |c: usize| window.iter().map(|sums| sums[c]).collect::<Vec<i32>>();
        let results = (0..self.cols).map(|c| reduce(&column(c), pooling.reduction));
        Some(results.collect())
    }

    /// One result per column, at its drain address; `flush` with the last one of a drain.
    pub fn drain(&mut self, sums: &[i32], address: usize, flush: bool) {
        let word = address / WORD;
        if self.byte_packer.word != Some(word) {
            self.write_packed(false);
            self.byte_packer.word = Some(word);
        }
        let post = self.post;
        let active = sums.iter().enumerate().skip(post.first_column);
        for (column, &sum) in active.take(post.columns) {
            let word = self.scale_memory[column * self.tiles + post.tile];
            // A legal program has lo <= hi; any other must not stop the model.
            let value = match self.scaled(sum, word) {
                value if value < post.lo => post.lo,
                value => value.min(post.hi),
            };
            let stored = match post.activation {
                0 => value as u8,
                table => self.activations[table - 1][usize::from(value as u8)],
            };
            self.byte_packer.data[column][address % WORD] = stored;
        }
        if flush {
            self.write_packed(true);
        }
    }

    fn scaled(&self, sum: i32, word: u64) -> i32 {
        let rounding = self.post.rounding;
        if self.post.dual {
            let single = rounding == Rounding::Single;
            return post::requantise_dual(sum, post::DualScale::of_word(word), single) as i32;
        }
        // A machine without left shifts takes them as 0.
        let post::Scale { multiplier, shift } = post::Scale::of_word(word, self.left_shift);
        let scale = Scale::new(multiplier, shift).expect("31 and 6 bits");
        scale_accumulator(sum, scale, rounding)
    }

    /// Writes the packed word of every active column to its partition.
    fn write_packed(&mut self, flushed: bool) {
        let Some(word) = self.byte_packer.word.take() else {
            return;
        };
        let partitions = self.active.len() / self.cols;
        let first = self.post.first_column;
        for column in first..first + self.post.columns {
            let data = std::mem::take(&mut self.byte_packer.data[column]);
            let partition = (self.post.first_partition + column) % partitions;
            self.memory.write_result(partition, word, data);
            self.leaving.push(DrainedWord {
                cycle: 0,
                column: column as u32,
                flushed,
                partition: partition as u32,
                word: word as u32,
                data,
            });
        }
    }
}
