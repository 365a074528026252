//! The memory of one row of the state buffer.

use super::{BankCount, READ_CYCLES, WordMux};
use crate::sliced::{SlicedBank, SlicedShape};
use heddle_kernel::prelude::*;

/// Banks of sliced memory with three readers and one writer.
///
/// The bank is the upper part of the word address. Each bank serves one reader per clock: the
/// operand reader before the weights before the host. An address beyond the banks reads 0 and is
/// not written.
///
/// # Timing
/// Read in cycle T: the word is on the reader's data output in T+5, which is 0 in all other
/// cycles and for a reader that was not served. A read in the cycle of a write to the same
/// word, or later, returns the new word.
#[module(build, describe)]
pub struct Banks {
    /// Reads an operand word.
    pub op_read_i: Signal<In, Bit>,
    /// Address of the operand word.
    pub op_word_i: Signal<In, Bits<13>>,
    /// Operand word.
    pub op_data_o: [Signal<Out, Bits<8>>; 8],
    /// Its mask: bit k is 1 if byte k is not zero.
    pub op_mask_o: [Signal<Out, Bit>; 8],
    /// Reads a weight word.
    pub wt_read_i: Signal<In, Bit>,
    /// Address of the weight word.
    pub wt_word_i: Signal<In, Bits<13>>,
    /// Weight word.
    pub wt_data_o: [Signal<Out, Bits<8>>; 8],
    /// Reads a word for the host.
    pub host_read_i: Signal<In, Bit>,
    /// Address of the word for the host.
    pub host_word_i: Signal<In, Bits<13>>,
    /// Word for the host.
    pub host_data_o: [Signal<Out, Bits<8>>; 8],
    /// Writes a word.
    pub write_i: Signal<In, Bit>,
    /// Address of the word to write.
    pub write_word_i: Signal<In, Bits<13>>,
    /// Word to write.
    pub write_data_i: [Signal<In, Bits<8>>; 8],
    /// Writes the word for the host, if it lies in the input buffer or the program.
    pub host_write_i: [Signal<In, Bit>; count.has_host()],
    /// Word to write there.
    pub host_data_i: [[Signal<In, Bits<8>>; 8]; count.has_host()],
    /// One per bank: its mask slice is read.
    pub mask_read_o: [Signal<Out, Bit>; data],
    /// One per bank: its mask slice is written.
    pub mask_write_o: [Signal<Out, Bit>; data],
    /// One per bank: which of its data slices are read.
    pub slice_read_o: [[Signal<Out, Bit>; slices]; data],
    /// One per bank: which of its data slices are written.
    pub slice_write_o: [[Signal<Out, Bit>; slices]; data],
    #[new(SlicedBank::new(shape.clone()))]
    bank: [SlicedBank; banks],
    #[new(WordMux::new(data))]
    op_mux: WordMux,
    #[new(WordMux::new(work))]
    wt_mux: WordMux,
    #[new(WordMux::new(banks))]
    host_mux: WordMux,
    /// For each cycle of the way of a word: the bank has read for the operand reader.
    op_read: [[Delay<Bit>; READ_CYCLES]; data],
    /// The bank has read a weight word.
    wt_read: [[Delay<Bit>; READ_CYCLES]; work],
    /// The bank has read for the host.
    host_read: [[Delay<Bit>; READ_CYCLES]; banks],
    /// One per bank: it serves the operand reader.
    op_take: [Signal<Local, Bit>; data],
    /// One per bank: it serves the weights.
    wt_take: [Signal<Local, Bit>; work],
    /// One per bank: it serves the host.
    host_take: [Signal<Local, Bit>; banks],
    op_bank: Signal<Local, Bits<13>>,
    wt_bank: Signal<Local, Bits<13>>,
    host_bank: Signal<Local, Bits<13>>,
    /// Mask of the operand word in the banks below each bank, last: in all banks.
    op_mask: [[Signal<Local, Bit>; 8]; data + 1],
    write_bank: Signal<Local, Bits<13>>,
    #[argument]
    _count: BankCount,
    /// Banks.
    #[new(count.all)]
    _banks: Param<'b'>,
    /// Banks that operands are read from; the others hold the program.
    #[new(count.data())]
    _data: usize,
    /// Banks that serve everybody; those up to `_data` are the input buffer.
    #[new(count.work())]
    _work: usize,
    /// The last banks, which are the input buffer.
    #[new(count.input)]
    _input_banks: Feature<"in">,
    /// The very last banks, which hold the program.
    #[new(count.program)]
    _program_banks: Feature<"pr">,
    _shape: SlicedShape,
    #[new(shape.slices())]
    _slices: usize,
    #[new(shape.words.trailing_zeros().into())]
    _bank_lsb: u64,
    #[new(shape.words as u64 - 1)]
    _word_mask: u64,
}

impl Banks {
    /// `banks` (1..=8) banks of the given shape: words of eight bytes, a power of two of them, that
    /// arrive after [`READ_CYCLES`].
    ///
    /// # Panics
    /// If the shape does not fit.
    pub fn new(banks: impl Into<BankCount>, shape: &SlicedShape) -> Self {
        let count = banks.into();
        let words = shape.words;
        assert!(
            words.is_power_of_two(),
            "a bank has {words} words, allowed are powers of two"
        );
        let cycles = shape.latency + shape.turns();
        assert_eq!(cycles, READ_CYCLES, "cycles from the read to the word");
        Self::build(count, shape.clone())
    }
}

impl Banks {
    fn describe(&self, meta: Meta) -> Meta {
        let meta = meta.doc_if(
            self._input_banks > 0,
            "The input buffer serves operands, else the host; the host alone writes it.",
        );
        let meta = meta.doc_if(self._program_banks > 0, "The host path alone reads and writes the program. Accesses of these banks are not among those told.");
        self._shape.describe_kind(meta)
    }
}

#[kernel]
impl Banks {
    fn update(&mut self) {
        self.op_bank = self.op_word_i >> self._bank_lsb;
        self.wt_bank = self.wt_word_i >> self._bank_lsb;
        self.host_bank = self.host_word_i >> self._bank_lsb;
        self.write_bank = self.write_word_i >> self._bank_lsb;
        for k in 0..8 {
            self.op_mask[0][k] = false;
        }
        for b in 0..self._banks {
            // Who is served
            if b < self._data {
                self.op_take[b] = self.op_read_i & (self.op_bank == b.to_bits::<13>());
            }
            let host = self.host_read_i & (self.host_bank == b.to_bits::<13>());
            if b < self._work {
                self.wt_take[b] =
                    self.wt_read_i & (self.wt_bank == b.to_bits::<13>()) & !self.op_take[b];
                self.host_take[b] = host & !self.op_take[b] & !self.wt_take[b];
            } else if b < self._data {
                self.host_take[b] = host & !self.op_take[b];
            } else {
                self.host_take[b] = host;
            }

            // The bank
            self.bank[b].raddr_i = self.host_word_i & self._word_mask;
            if b < self._work {
                self.bank[b].wen_i = self.write_i & (self.write_bank == b.to_bits::<13>());
                self.bank[b].waddr_i = self.write_word_i & self._word_mask;
                self.bank[b].ren_i = self.op_take[b] | self.wt_take[b] | self.host_take[b];
                if self.op_take[b] {
                    self.bank[b].raddr_i = self.op_word_i & self._word_mask;
                } else if self.wt_take[b] {
                    self.bank[b].raddr_i = self.wt_word_i & self._word_mask;
                }
            } else {
                self.bank[b].wen_i = self.host_write_i[0] & (self.host_bank == b.to_bits::<13>());
                self.bank[b].waddr_i = self.host_word_i & self._word_mask;
                if b < self._data {
                    self.bank[b].ren_i = self.op_take[b] | self.host_take[b];
                    if self.op_take[b] {
                        self.bank[b].raddr_i = self.op_word_i & self._word_mask;
                    }
                } else {
                    self.bank[b].ren_i = self.host_take[b];
                }
            }
            if b < self._data {
                self.mask_read_o[b] = self.bank[b].mask_ren_o;
                self.mask_write_o[b] = self.bank[b].mask_wen_o;
            }
            for k in 0..self._slices {
                if b < self._data {
                    self.slice_read_o[b][k] = self.bank[b].slice_ren_o[k];
                    self.slice_write_o[b][k] = self.bank[b].slice_wen_o[k];
                }
            }

            // Where the word goes when it arrives
            if b < self._data {
                self.op_read[b].shift_in(self.op_take[b]);
                self.op_mux.select_i[b] = self.op_read[b][READ_CYCLES - 1];
            }
            if b < self._work {
                self.wt_read[b].shift_in(self.wt_take[b]);
                self.wt_mux.select_i[b] = self.wt_read[b][READ_CYCLES - 1];
            }
            self.host_read[b].shift_in(self.host_take[b]);
            self.host_mux.select_i[b] = self.host_read[b][READ_CYCLES - 1];
            for k in 0..8 {
                if b < self._work {
                    self.bank[b].wdata_i[k] = self.write_data_i[k];
                    self.wt_mux.word_i[b][k] = self.bank[b].rdata_o[k];
                } else {
                    self.bank[b].wdata_i[k] = self.host_data_i[0][k];
                }
                if b < self._data {
                    self.op_mux.word_i[b][k] = self.bank[b].rdata_o[k];
                    self.op_mask[b + 1][k] =
                        self.op_mask[b][k] | (self.bank[b].nz_o[k] & self.op_read[b][READ_CYCLES - 1]);
                }
                self.host_mux.word_i[b][k] = self.bank[b].rdata_o[k];
            }
        }
        self.op_data_o.follow(&self.op_mux.word_o);
        self.op_mask_o.follow(&self.op_mask[self._data]);
        self.wt_data_o.follow(&self.wt_mux.word_o);
        self.host_data_o.follow(&self.host_mux.word_o);
    }
}
