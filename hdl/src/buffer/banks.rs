//! The memory of one row of the state buffer.

use super::{BankCount, READ_CYCLES, WordMux};
use crate::sliced::{MaskPlace, Network, Restore, SlicedBank, SlicedShape, Store, Writer};
use heddle_kernel::prelude::*;

/// Cycles from the read of a bank to the mask of its word, where the banks share a writer.
pub const MASK_CYCLES: usize = 3;

/// Banks of sliced memory with two readers and one writer.
///
/// The bank is the upper part of the word address. The first reader is that of the operands, the second one that of
/// weights, or of the host in cycles without a weight. A bank serves the first one before the second
/// one. An address beyond the banks reads 0 and is not written.
///
/// # Timing
/// Read in cycle T: the word is on the reader's data output in T+5, which is 0 in all other
/// cycles and for a reader that was not served. A read behind the write of its word returns the new word.
#[module(build, describe)]
pub struct Banks {
    /// Reads an operand word.
    pub op_read_i: Signal<In, Bit>,
    /// Address of the operand word.
    pub op_word_i: Signal<In, Bits<13>>,
    /// Operand word.
    pub op_data_o: [Signal<Out, Bits<8>>; 8],
    /// Its mask: bit k is 1 if byte k is not zero.
    pub op_mask_o: [Signal<Out, Bits<1>>; 8],
    /// Reads a weight word.
    pub wt_read_i: Signal<In, Bit>,
    /// Address of the weight word.
    pub wt_word_i: Signal<In, Bits<13>>,
    /// Reads a word for the host.
    pub host_read_i: Signal<In, Bit>,
    /// Address of the word for the host.
    pub host_word_i: Signal<In, Bits<13>>,
    /// Weight word, or word for the host.
    pub data_o: [Signal<Out, Bits<8>>; 8],
    /// Word of the program for the host.
    pub program_data_o: [[Signal<Out, Bits<8>>; 8]; has_program],
    /// Writes a word.
    pub write_i: Signal<In, Bit>,
    /// Address of the word to write.
    pub write_word_i: Signal<In, Bits<13>>,
    /// Word to write.
    pub write_data_i: [Signal<In, Bits<8>>; 8],
    /// The word is the host's, which alone writes the input buffer and the program.
    pub host_write_i: [Signal<In, Bit>; count.has_host()],
    /// One per bank: its mask slice is read.
    pub mask_read_o: [Signal<Out, Bit>; told * data],
    /// One per bank: its mask slice is written.
    pub mask_write_o: [Signal<Out, Bit>; told * data],
    /// One per bank: which of its data slices are read.
    pub slice_read_o: [[Signal<Out, Bit>; slices]; told * data],
    /// One per bank: which of its data slices are written.
    pub slice_write_o: [[Signal<Out, Bit>; slices]; told * data],
    /// One per bank: it is read for the host.
    pub host_take_o: [Signal<Out, Bit>; quiet * data],
    #[new(Contract::new("two readers of one bank at once"))]
    one_reader: [Contract; data],
    #[new(Contract::new("weights and the host read at once"))]
    one_second_reader: Contract,
    #[new(Writer::new(shape.clone()))]
    writer: [Writer<8>; shared],
    #[new(Store::new(shape.clone()))]
    store: [Store<8>; shared * banks],
    #[new(Restore::new(&shape))]
    restore: [Restore<8>; shared],
    #[new(Restore::new(&shape))]
    program_restore: [Restore<8>; shared * has_program],
    #[new(SlicedBank::new(shape.clone()))]
    bank: [SlicedBank; (1 - shared) * banks],
    #[new(WordMux::new(data))]
    op_mux: WordMux<8>,
    #[new(WordMux::new(data))]
    op_mask_mux: WordMux<1>,
    #[new(WordMux::new(data))]
    data_mux: WordMux<8>,
    #[new(WordMux::new(data))]
    data_mask_mux: [WordMux<1>; shared],
    #[new(WordMux::new(program_banks))]
    program_mux: [WordMux<8>; has_program],
    #[new(WordMux::new(program_banks))]
    program_mask_mux: [WordMux<1>; shared * has_program],
    /// For each cycle of the way of a word: the bank has read for the operand reader.
    op_read: [[Delay<Bit>; READ_CYCLES]; data],
    /// The bank has read for the second reader.
    read: [[Delay<Bit>; READ_CYCLES]; banks],
    /// One per bank: it serves the operand reader.
    op_take: [Signal<Local, Bit>; data],
    /// One per bank: the second reader wants it.
    wanted: [Signal<Local, Bit>; banks],
    /// One per bank: it is read.
    ren: [Signal<Local, Bit>; banks],
    /// Address of the word read.
    raddr: [Signal<Local, Bits<13>>; banks],
    op_bank: Signal<Local, Bits<13>>,
    wt_bank: Signal<Local, Bits<13>>,
    host_bank: Signal<Local, Bits<13>>,
    write_bank: Signal<Local, Bits<13>>,
    /// The word may be written.
    write: Signal<Local, Bit>,
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
    /// Nothing is told of accesses.
    #[new((!count.events).into())]
    _untold: Feature<"nc">,
    #[new(count.events.into())]
    _told: usize,
    /// Accesses of the host are not told.
    #[new(count.quiet_host.into())]
    _quiet: Feature<"dm">,
    #[new((count.program > 0).into())]
    _has_program: usize,
    #[new(count.has_host())]
    _has_host: usize,
    _shape: SlicedShape,
    /// The banks share what packs and unpacks words.
    #[new(shares(&shape).into())]
    _shared: usize,
    #[new(shape.slices())]
    _slices: usize,
    #[new(shape.words.trailing_zeros().into())]
    _bank_lsb: u64,
    #[new(shape.words as u64 - 1)]
    _word_mask: u64,
}

/// Whether banks share what packs and unpacks words: those with a mask slice for bytes and the full network, in
/// which the place of a byte is the number of bytes before it that are not zero.
pub(super) fn shares(shape: &SlicedShape) -> bool {
    !shape.plain
        && shape.mask == MaskPlace::Slice
        && shape.unit_bits == 8
        && shape.network == Network::Full
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
            self._shared > 0,
            "The operand word leaves as it is stored: packed units by position, and their mask by position two cycles \
             before them. The banks share one packing network and one that unpacks.",
        );
        let meta = meta.doc_if(
            self._input_banks > 0,
            "The input buffer serves operands, else the host; the host alone writes it.",
        );
        let meta = meta.doc_if(self._program_banks > 0, "The host path alone reads and writes the program, with a way of its own. Accesses of these banks are not among those told.");
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
        self.write = mux(
            self._has_host > 0,
            self.write_i & (self.host_write_i[0] | (self.write_bank < self._work.to_bits::<13>())),
            self.write_i,
        );
        self.serve();
        if self._shared > 0 {
            self.write_words();
            self.read_stores();
            self.unpack();
        } else {
            self.access_banks();
        }
    }

    /// Who is served by each bank, and where the word goes when it arrives.
    fn serve(&mut self) {
        // Banks of the program have a way of their own.
        let host_reads = self.host_read_i & (self.host_bank < self._data.to_bits::<13>());
        self.one_second_reader.holds_i = !(self.wt_read_i & host_reads);
        for b in 0..self._banks {
            // Weights go before the host: a bank has the address of either.
            let host = self.host_read_i & (self.host_bank == b.to_bits::<13>());
            self.raddr[b] = self.host_word_i & self._word_mask;
            if b < self._work {
                self.wanted[b] = mux(self.wt_read_i, self.wt_bank == b.to_bits::<13>(), host);
                if self.wt_read_i {
                    self.raddr[b] = self.wt_word_i & self._word_mask;
                }
            } else if b < self._data {
                self.wanted[b] = host & !self.wt_read_i;
            } else {
                self.wanted[b] = host;
            }
            if b < self._data {
                self.op_take[b] = self.op_read_i & (self.op_bank == b.to_bits::<13>());
                self.one_reader[b].holds_i = !(self.op_take[b] & self.wanted[b]);
                self.op_read[b].shift_in(self.op_take[b]);
                self.op_mux.select_i[b] = self.op_read[b][READ_CYCLES - 1];
                self.ren[b] = self.op_take[b] | self.wanted[b];
                self.read[b].shift_in(self.wanted[b] & !self.op_take[b]);
                self.data_mux.select_i[b] = self.read[b][READ_CYCLES - 1];
                for i in 0..self._quiet {
                    self.host_take_o[b + i] = host & !self.wt_read_i & !self.op_take[b];
                }
                if self.op_take[b] {
                    self.raddr[b] = self.op_word_i & self._word_mask;
                }
            } else {
                self.ren[b].follow(&self.wanted[b]);
                self.read[b].shift_in(self.wanted[b]);
                self.program_mux[0].select_i[b - self._data] = self.read[b][READ_CYCLES - 1];
            }
        }
    }

    /// One word is packed for all banks.
    fn write_words(&mut self) {
        self.writer[0].wen_i.follow(&self.write);
        self.writer[0].waddr_i.follow(&self.write_word_i);
        self.writer[0].wdata_i.follow(&self.write_data_i);
        for b in 0..self._banks {
            let bank = b.to_bits::<13>();
            let mask_wen = self.writer[0].ports_o.mask_wen;
            let mask_waddr = self.writer[0].ports_o.mask_waddr;
            let slice_waddr = self.writer[0].ports_o.slice_waddr;
            self.store[b].ports_i.mask_wen = mask_wen & ((mask_waddr >> self._bank_lsb) == bank);
            self.store[b].ports_i.mask_waddr = mask_waddr & self._word_mask;
            for k in 0..self._slices {
                let slice_wen = self.writer[0].ports_o.slice_wen[k];
                let written = (slice_waddr >> self._bank_lsb) == bank;
                self.store[b].ports_i.slice_wen[k] = slice_wen & written;
            }
            self.store[b].ports_i.slice_waddr = slice_waddr & self._word_mask;
            for p in 0..8 {
                self.store[b].ports_i.mask[p] = self.writer[0].ports_o.mask[p];
                self.store[b].ports_i.packed[p] = self.writer[0].ports_o.packed[p];
            }
            if self._shape.exact {
                self.store[b].lane_i.follow(&self.writer[0].lane_o);
            }
        }
    }

    /// Reads of the banks, and their masks.
    fn read_stores(&mut self) {
        for b in 0..self._banks {
            self.store[b].ren_i.follow(&self.ren[b]);
            self.store[b].raddr_i.follow(&self.raddr[b]);
            if b < self._data {
                if self._told > 0 {
                    self.mask_read_o[b] = self.store[b].mask_ren_o;
                    self.mask_write_o[b].follow(&self.store[b].ports_i.mask_wen);
                    self.slice_read_o[b].follow(&self.store[b].ports_o.slice_ren);
                    self.slice_write_o[b].follow(&self.store[b].ports_o.slice_wen);
                }
                self.op_mask_mux.select_i[b] = self.op_read[b][MASK_CYCLES - 1];
                self.op_mask_mux.word_i[b].follow(&self.store[b].mask_o);
                self.data_mask_mux[0].select_i[b] = self.read[b][MASK_CYCLES - 1];
                self.data_mask_mux[0].word_i[b].follow(&self.store[b].mask_o);
                self.op_mux.word_i[b].follow(&self.store[b].packed_o);
                self.data_mux.word_i[b].follow(&self.store[b].packed_o);
            }
        }
        self.op_mask_o.follow(&self.op_mask_mux.word_o);
        self.op_data_o.follow(&self.op_mux.word_o);
    }

    /// Words of the second reader.
    fn unpack(&mut self) {
        self.restore[0].valid_i = true;
        self.restore[0].mask_i.follow(&self.data_mask_mux[0].word_o);
        self.restore[0].packed_i.follow(&self.data_mux.word_o);
        for k in 0..8 {
            self.data_o[k].follow(&self.restore[0].ports_o.word[self._shape.place(8, k)]);
        }
        for i in 0..self._has_program {
            for b in self._data..self._banks {
                let at = b - self._data;
                self.program_mask_mux[i].select_i[at] = self.read[b][MASK_CYCLES - 1];
                self.program_mask_mux[i].word_i[at].follow(&self.store[b].mask_o);
                self.program_mux[i].word_i[at].follow(&self.store[b].packed_o);
            }
            self.program_restore[i].valid_i = true;
            self.program_restore[i]
                .mask_i
                .follow(&self.program_mask_mux[i].word_o);
            self.program_restore[i]
                .packed_i
                .follow(&self.program_mux[i].word_o);
            for k in 0..8 {
                let unit = self._shape.place(8, k);
                self.program_data_o[i][k].follow(&self.program_restore[i].ports_o.word[unit]);
            }
        }
    }

    /// Banks that pack and unpack on their own.
    fn access_banks(&mut self) {
        for b in 0..self._banks {
            self.bank[b].ports_i.wen = self.write & (self.write_bank == b.to_bits::<13>());
            self.bank[b].ports_i.waddr = self.write_word_i & self._word_mask;
            self.bank[b].wdata_i.follow(&self.write_data_i);
            self.bank[b].ports_i.ren.follow(&self.ren[b]);
            self.bank[b].ports_i.raddr.follow(&self.raddr[b]);
            if b < self._data {
                if self._told > 0 {
                    self.mask_read_o[b] = self.bank[b].mask_o.ren;
                    self.mask_write_o[b] = self.bank[b].mask_o.wen;
                    self.slice_read_o[b].follow(&self.bank[b].ports_o.slice_ren);
                    self.slice_write_o[b].follow(&self.bank[b].ports_o.slice_wen);
                }
                self.op_mask_mux.select_i[b] = self.op_read[b][READ_CYCLES - 1];
                for k in 0..8 {
                    self.op_mask_mux.word_i[b][k] = self.bank[b].nz_o[k].into();
                }
                self.op_mux.word_i[b].follow(&self.bank[b].wave_o.rdata);
                self.data_mux.word_i[b].follow(&self.bank[b].wave_o.rdata);
            } else {
                self.program_mux[0].word_i[b - self._data].follow(&self.bank[b].wave_o.rdata);
            }
        }
        self.op_mask_o.follow(&self.op_mask_mux.word_o);
        self.op_data_o.follow(&self.op_mux.word_o);
        self.data_o.follow(&self.data_mux.word_o);
        for i in 0..self._has_program {
            self.program_data_o[i].follow(&self.program_mux[i].word_o);
        }
    }
}
