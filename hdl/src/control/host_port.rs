//! The plain memory-mapped port of the host.

use super::counters::{counters, describe};
use super::shape::SequencerShape;
use heddle_kernel::prelude::*;

/// Decodes host requests: registers, program memory, column parameters, state buffer.
///
/// State-buffer bytes pass through the zero codec: HOST_ZERO is subtracted on the way in and
/// added on the way out, modulo 256. Offset tables of the rows are written past the codec, and not
/// read. Requests to anything but the registers are held off while
/// the machine runs; reads answer in order. Addresses outside a memory are not written and read 0.
///
/// # Timing
/// Register reads answer in the cycle after the request was taken, state-buffer reads
/// Rows + 5 cycles after it, at one request per clock.
#[module(describe)]
pub struct HostPort {
    /// Request.
    pub host_valid_i: Signal<In, Bit>,
    /// The request is taken.
    pub host_ready_o: Signal<Out, Bit>,
    /// Write, else read.
    pub host_write_i: Signal<In, Bit>,
    /// Byte address, a multiple of 8.
    pub host_addr_i: Signal<In, Bits<32>>,
    /// Bytes to write.
    pub host_wdata_i: [Signal<In, Bits<8>>; 8],
    /// Answer to a read.
    pub host_rvalid_o: Signal<Out, Bit>,
    /// Bytes read.
    pub host_rdata_o: [Signal<Out, Bits<8>>; 8],
    /// A program runs.
    pub running_i: Signal<In, Bit>,
    /// Status register.
    pub status_i: Signal<In, Bits<32>>,
    /// Counters in the order of their registers.
    pub count_i: [Signal<In, Bits<32>>; counts],
    /// Counter STALL_SUMS.
    #[new(Vec::new())]
    pub stall_sums_i: Vec<Signal<In, Bits<32>>>,
    /// Starts the program.
    pub start_o: Signal<Out, Bit>,
    /// Word address of the first instruction.
    pub start_pc_o: Signal<Out, Bits<16>>,
    /// Writes the program memory.
    pub program_wen_o: Signal<Out, Bit>,
    /// Word of the program memory.
    pub program_waddr_o: Signal<Out, Bits<16>>,
    /// Instruction word.
    pub program_wdata_o: Signal<Out, Bits<32>>,
    /// Writes a bias.
    pub bias_wen_o: Signal<Out, Bit>,
    /// Writes multiplier and shift.
    pub scale_wen_o: Signal<Out, Bit>,
    /// Writes an entry of the activation tables.
    pub activation_wen_o: [Signal<Out, Bit>; activates],
    /// The entry: table from 0 on, and byte.
    pub activation_entry_o: [Signal<Out, Bits<11>>; activates],
    /// Column of the parameter.
    pub column_o: Signal<Out, Bits<8>>,
    /// Column tile of the parameter.
    pub tile_o: Signal<Out, Bits<8>>,
    /// State-buffer request.
    pub buffer_valid_o: Signal<Out, Bit>,
    /// Write, else read.
    pub buffer_write_o: Signal<Out, Bit>,
    /// The write is for an offset table: the word is its entry.
    pub buffer_table_o: Signal<Out, Bit>,
    /// Partition.
    pub buffer_partition_o: Signal<Out, Bits<8>>,
    /// Word of the partition.
    pub buffer_word_o: Signal<Out, Bits<13>>,
    /// Re-centred bytes to write; bytes as they came for an offset table.
    pub buffer_data_o: [Signal<Out, Bits<8>>; 8],
    /// Bytes of a parameter.
    pub param_data_o: [Signal<Out, Bits<8>>; 8],
    /// Answer of the state buffer.
    pub buffer_rvalid_i: Signal<In, Bit>,
    /// Re-centred bytes read.
    pub buffer_rdata_i: [Signal<In, Bits<8>>; 8],
    start: Reg<Bit>,
    start_pc: RegEn<Bits<16>>,
    zero: RegEn<Bits<8>>,
    /// Cycles until the last state-buffer request has answered and was counted.
    travel: Reg<Bits<9>>,
    program_wen: Reg<Bit>,
    bias_wen: Reg<Bit>,
    scale_wen: Reg<Bit>,
    activation_wen: [Reg<Bit>; activates],
    buffer_valid: Reg<Bit>,
    buffer_write: Delay<Bit>,
    buffer_table: Delay<Bit>,
    addr: Delay<Bits<32>>,
    wdata: [Delay<Bits<8>>; 8],
    coded: [Delay<Bits<8>>; 8],
    rvalid: Reg<Bit>,
    rdata: [Delay<Bits<8>>; 8],
    region: Signal<Local, Bits<2>>,
    index: Signal<Local, Bits<5>>,
    is_buffer: Signal<Local, Bit>,
    is_table: Signal<Local, Bit>,
    /// The request goes to the partitions.
    travels: Signal<Local, Bit>,
    /// Bytes pass the codec.
    codes: Signal<Local, Bit>,
    is_column: Signal<Local, Bit>,
    is_program: Signal<Local, Bit>,
    is_activation: [Signal<Local, Bit>; activates],
    take: Signal<Local, Bit>,
    take_write: Signal<Local, Bit>,
    take_register: Signal<Local, Bit>,
    selected: Signal<Local, Bits<32>>,
    word: Signal<Local, Bits<32>>,
    #[argument]
    _shape: SequencerShape,
    /// Rows of the array.
    #[new(shape.rows)]
    _rows: Param<'r'>,
    /// Columns of the array.
    #[new(shape.cols)]
    _cols: Param<'c'>,
    /// Bits of a column tile.
    #[new(shape.tiles.ilog2() as usize)]
    _tile_bits: Param<'t'>,
    /// Bits of a program address.
    #[new(address_bits(shape.program_words))]
    _pc_bits: Param<'p'>,
    /// Bits of a word address.
    _word_bits: Param<'w'>,
    /// Bits of an entry of the row tables.
    #[new(shape.row_offsets.ilog2() as usize)]
    _entry_bits: Param<'e'>,
    /// Tables of activation functions.
    #[new(shape.post.activations)]
    _activations: Feature<"fn">,
    /// Counts cycles in which a slot waits for stored sums.
    #[new(0)]
    _stall_sums: Feature<"ps">,
    /// Program writes go to the partitions.
    #[new(shape.banked.into())]
    _banked: Feature<"pr">,
    /// Bits of the place of a program write: a word, or a pair of words for banks.
    #[new(pc_bits - banked)]
    _place_bits: usize,
    #[argument]
    _slices: usize,
    #[new(counters(slices))]
    _counts: usize,
    #[new((activations > 0).into())]
    _activates: usize,
}

impl HostPort {
    /// The port of a machine that counts STALL_SUMS.
    pub fn with_stall_sums(self) -> Self {
        Self {
            stall_sums_i: v(1),
            _stall_sums: 1,
            ..self
        }
    }
}

impl HostPort {
    fn describe(&self, meta: Meta) -> Meta {
        let meta = meta.doc_if(self._banked > 0, "The program lies in the partitions: program_waddr_o counts pairs of words, whose bytes are those of \
                 buffer_data_o, past the codec.");
        describe(meta, self._counts)
    }
}

#[kernel]
impl HostPort {
    fn update(&mut self) {
        self.decode();
        self.requests();
        self.answers();
    }

    /// Which memory a request is for, and whether it can be taken.
    fn decode(&mut self) {
        // Which memory the address belongs to; none if it lies outside.
        self.region.next = self.host_addr_i.val().get_bits::<2>(30);
        self.index.next = self.host_addr_i.val().get_bits::<5>(3);
        self.is_program.next = (self.region.val() == 1)
            & ((self.host_addr_i.val().get_bits::<27>(3) >> self._place_bits.to_bits::<5>()) == 0);
        self.is_column.next = (self.region.val() == 2)
            & (self.host_addr_i.val().get_bits::<9>(21) < self._cols.to_bits::<9>())
            & ((self.host_addr_i.val().get_bits::<17>(4) >> self._tile_bits.to_bits::<5>()) == 0);
        self.is_buffer.next = (self.region.val() == 3)
            & (self.host_addr_i.val().get_bits::<9>(21) < self._rows.to_bits::<9>())
            & ((self.host_addr_i.val().get_bits::<18>(3) >> self._word_bits.to_bits::<5>()) == 0);
        self.is_table.next = (self.region.val() == 3)
            & self.host_write_i.val()
            & self.host_addr_i.val().get_bit(29)
            & (self.host_addr_i.val().get_bits::<8>(21).get_bits::<9>(0)
                < self._rows.to_bits::<9>())
            & ((self.host_addr_i.val().get_bits::<18>(3) >> self._entry_bits.to_bits::<5>()) == 0);
        self.travels.next = self.is_buffer.val() | self.is_table.val();

        // Everything but the state buffer waits until its requests have left the last partition:
        // reads answer in order, and a start clears no event that is still on its way.
        // A request behind a start waits until the machine runs and STATUS says so.
        self.host_ready_o.next = !self.start.q_o.val()
            & ((self.region.val() == 0) | !self.running_i.val())
            & (self.travels.val() | (self.travel.q_o.val() == 0));
        self.take.next = self.host_valid_i.val() & self.host_ready_o.val();
        self.take_write.next = self.take.val() & self.host_write_i.val();
        self.take_register.next = self.take_write.val() & (self.region.val() == 0);
        self.travel.d_i.next = self.travel.q_o.val();
        if self.travel.q_o.val() != 0 {
            self.travel.d_i.next = self.travel.q_o.val() - 1;
        }
        if self.take.val() & self.travels.val() {
            self.travel.d_i.next = (self._rows + 6).to_bits::<9>();
        }

        self.word.next = 0.into();
        for i in 0..4 {
            self.word.next =
                (self.word.val() << 8) | self.host_wdata_i[3 - i].val().get_bits::<32>(0);
        }
        self.start.d_i.next = self.take_register.val()
            & (self.index.val() == 1)
            & self.word.val().get_bit(0)
            & !self.running_i.val();
        self.start_pc.en_i.next = self.take_register.val() & (self.index.val() == 2);
        self.start_pc.d_i.next = self.word.val().get_bits::<16>(0);
        self.zero.en_i.next = self.take_register.val() & (self.index.val() == 4);
        self.zero.d_i.next = self.word.val().get_bits::<8>(0);
        self.start_o.next = self.start.q_o.val();
        self.start_pc_o.next = self.start_pc.q_o.val();
    }

    /// Requests to the memories leave one cycle later.
    fn requests(&mut self) {
        // Requests to the memories leave one cycle later.
        self.addr.d_i.next = self.host_addr_i.val();
        self.program_wen.d_i.next = self.take_write.val() & self.is_program.val();
        self.program_wen_o.next = self.program_wen.q_o.val();
        self.program_waddr_o.next = self.addr.q_o.val().get_bits::<16>(3);
        self.bias_wen.d_i.next =
            self.take_write.val() & self.is_column.val() & !self.host_addr_i.val().get_bit(3);
        self.scale_wen.d_i.next =
            self.take_write.val() & self.is_column.val() & self.host_addr_i.val().get_bit(3);
        self.bias_wen_o.next = self.bias_wen.q_o.val();
        self.scale_wen_o.next = self.scale_wen.q_o.val();
        for i in 0..self._activates {
            self.is_activation[i].next = (self.region.val() == 2)
                & self.host_addr_i.val().get_bit(29)
                & (self.host_addr_i.val().get_bits::<14>(15) == 0)
                & (self.host_addr_i.val().get_bits::<4>(11) < self._activations.to_bits::<4>());
            self.activation_wen[i].d_i.next = self.take_write.val() & self.is_activation[i].val();
            self.activation_wen_o[i].next = self.activation_wen[i].q_o.val();
            self.activation_entry_o[i].next = self.addr.q_o.val().get_bits::<11>(3);
        }
        self.column_o.next = self.addr.q_o.val().get_bits::<8>(21);
        self.tile_o.next = self.addr.q_o.val().get_bits::<8>(4);
        self.buffer_valid.d_i.next = self.take.val() & self.travels.val();
        self.buffer_table.d_i.next = self.is_table.val();
        self.buffer_table_o.next = self.buffer_table.q_o.val();
        if self._banked > 0 {
            // Nor do programs, which take the way to the partitions too.
            self.codes.next = (self.region.val() == 3) & !self.host_addr_i.val().get_bit(29);
        } else {
            self.codes.next = !self.host_addr_i.val().get_bit(29);
        }
        self.buffer_write.d_i.next = self.host_write_i.val();
        self.buffer_valid_o.next = self.buffer_valid.q_o.val();
        self.buffer_write_o.next = self.buffer_write.q_o.val();
        self.buffer_partition_o.next = self.addr.q_o.val().get_bits::<8>(21);
        self.buffer_word_o.next = self.addr.q_o.val().get_bits::<13>(3);
        self.program_wdata_o.next = 0.into();
        for i in 0..4 {
            self.program_wdata_o.next =
                (self.program_wdata_o.val() << 8) | self.wdata[3 - i].q_o.val().get_bits::<32>(0);
        }
    }

    /// Register reads and answers.
    fn answers(&mut self) {
        // Register reads; the counters follow from index 7 on.
        self.selected.next = 0.into();
        for i in 0..self._counts {
            if self.index.val() == (i + 7).to_bits::<5>() {
                self.selected.next = self.count_i[i].val();
            }
        }
        for i in 0..self._stall_sums {
            if self.index.val() == 6 {
                self.selected.next = self.stall_sums_i[i].val();
            }
        }
        match self.index.val().index() {
            0 => {
                self.selected.next = 0x4845_4401.into();
            }
            2 => {
                self.selected.next = self.start_pc.q_o.val().get_bits::<32>(0);
            }
            3 => {
                self.selected.next = self.status_i.val();
            }
            4 => {
                self.selected.next = self.zero.q_o.val().get_bits::<32>(0);
            }
            5 => {
                self.selected.next =
                    self._rows.to_bits::<32>() | (self._cols.to_bits::<32>() << 16);
            }
            _ => {}
        }
        if self.region.val() != 0 {
            self.selected.next = 0.into();
        }
        self.rvalid.d_i.next = self.buffer_rvalid_i.val()
            | (self.take.val() & !self.host_write_i.val() & !self.is_buffer.val());
        self.host_rvalid_o.next = self.rvalid.q_o.val();
        for k in 0..8 {
            self.wdata[k].d_i.next = self.host_wdata_i[k].val();
            self.param_data_o[k].next = self.wdata[k].q_o.val();
            self.coded[k].d_i.next = self.host_wdata_i[k].val();
            if self.codes.val() {
                self.coded[k].d_i.next = self.host_wdata_i[k].val() - self.zero.q_o.val();
            }
            self.buffer_data_o[k].next = self.coded[k].q_o.val();
            if k < 4 {
                self.rdata[k].d_i.next = self.selected.val().get_bits::<8>(8 * k);
            } else {
                self.rdata[k].d_i.next = 0.into();
            }
            if self.buffer_rvalid_i.val() {
                self.rdata[k].d_i.next = self.buffer_rdata_i[k].val() + self.zero.q_o.val();
            }
            self.host_rdata_o[k].next = self.rdata[k].q_o.val();
        }
    }
}
