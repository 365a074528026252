//! The plain memory-mapped port of the host.

use super::clocks::ANSWER;
use super::counters::{CounterList, describe};
use super::prefetch::ProgramWrite;
use super::shape::ControlShape;
use crate::buffer::{HostAccess, HostAnswer, HostRequest};
use crate::post::TableWrite;
use crate::sparse::{ClusterOrder, ClusterState};
use heddle_arch::host::{self, Counter, Register};
use heddle_arch::isa::fields::{ctrl, host_zero, shape, start_pc};
use heddle_kernel::prelude::*;

const ID: usize = Register::Id as usize;
const CTRL: usize = Register::Ctrl as usize;
const START_PC: usize = Register::StartPc as usize;
const STATUS: usize = Register::Status as usize;
const HOST_ZERO: usize = Register::HostZero as usize;
const SHAPE: usize = Register::Shape as usize;
const STALL_SUMS: usize = Counter::StallSums.index() as usize;
/// Bits 29 to 7 of an address of the sparse cluster.
const CLUSTER: usize = 1 << (29 - 7);

/// Decodes host requests: registers, program memory, column parameters, state buffer.
///
/// State-buffer bytes pass through the zero codec: HOST_ZERO is subtracted on the way in and
/// added on the way out, modulo 256. Offset tables of the rows are written past the codec, and not
/// read. Requests to anything but the registers are held off while
/// the machine runs; reads answer in order. Addresses outside a memory are not written and read 0.
/// In reset nothing is taken. While no request is offered `host_ready_o` does not depend on its address: it is high if a
/// request to any register or memory would be taken.
///
/// # Timing
/// Register reads answer in the cycle after the request was taken, state-buffer reads
/// {answer} cycles after it, at one request per clock.
#[module(shape: ControlShape, describe)]
pub struct HostPort {
    /// Request.
    pub host_i: HostRequest<In>,
    /// The request is taken.
    pub host_ready_o: Signal<Out, Bit>,
    /// Answer to a read.
    pub host_o: HostAnswer<Out>,
    /// A program runs.
    pub running_i: Signal<In, Bit>,
    /// Status register.
    pub status_i: [Signal<In, Bits<32>>; plain],
    /// Counters in the order of their registers.
    pub count_i: [Signal<In, Bits<32>>; plain * counts],
    /// Counter STALL_SUMS.
    pub stall_sums_i: [Signal<In, Bits<32>>; plain * stall_sums],
    /// Zero point of the request, steady until its answer.
    pub zero_i: [Signal<In, Bits<8>>; watched],
    /// Zero point of the answer of the next cycle.
    pub read_zero_i: [Signal<In, Bits<8>>; open],
    /// The sparse cluster takes a command, and a word of weights.
    pub takes_o: [Signal<Out, Bit>; 2 * open * clusters],
    /// What the sparse cluster says.
    #[new(ClusterState::new(cluster_counts))]
    pub cluster_i: [ClusterState<In>; clusters],
    /// What the host asks of it: words of commands and of weights, a counter.
    #[new(ClusterOrder::new(cluster_counts))]
    pub cluster_o: [ClusterOrder<Out>; clusters],
    /// Starts the program.
    pub start_o: [Signal<Out, Bit>; plain],
    /// Word address of the first instruction.
    pub start_pc_o: [Signal<Out, Bits<16>>; plain],
    /// Write of the program memory.
    pub program_o: ProgramWrite<Out>,
    /// Writes a bias.
    pub bias_wen_o: Signal<Out, Bit>,
    /// Writes multiplier and shift.
    pub scale_wen_o: Signal<Out, Bit>,
    /// Writes an entry of the activation tables.
    pub aw_o: [TableWrite<Out>; activates],
    /// Column of the parameter.
    pub column_o: Signal<Out, Bits<8>>,
    /// Column tile of the parameter.
    pub tile_o: Signal<Out, Bits<10>>,
    /// State-buffer request: re-centred bytes to write, bytes as they came for an offset table.
    pub buffer_o: HostAccess<Out>,
    /// Bytes of a parameter.
    pub param_data_o: [Signal<Out, Bits<8>>; 8],
    /// Answer of the state buffer: re-centred bytes.
    pub buffer_i: HostAnswer<In>,
    #[new(StreamContract::new("a host request", 13))]
    host_waits: StreamContract<8>,
    #[new(Contract::new("a host write is taken and lost"))]
    write_arrives: Contract,
    start: [Reg<Bit>; plain],
    start_pc: [RegEn<Bits<16>>; plain],
    zero: [RegEn<Bits<8>>; plain],
    /// Counts until the last state-buffer request has answered and was counted, while its top bit is set.
    travel: Reg<Bits<10>>,
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
    /// A word of a command leaves.
    command_wen: [Reg<Bit>; clusters],
    /// A word of weights waits.
    weight: [Reg<Bit>; clusters],
    weights: [RegData<Bits<16>>; 4 * clusters],
    /// A counter of the cluster was asked for.
    counts: [Reg<Bit>; cluster_counts],
    is_command: [Signal<Local, Bit>; clusters],
    is_weight: [Signal<Local, Bit>; clusters],
    is_count: [Signal<Local, Bit>; cluster_counts],
    region: Signal<Local, Bits<2>>,
    /// A request to a register is offered.
    is_register: [Signal<Local, Bit>; plain],
    index: [Signal<Local, Bits<5>>; plain],
    is_buffer: Signal<Local, Bit>,
    is_table: Signal<Local, Bit>,
    /// A request to the partitions is offered.
    travels: Signal<Local, Bit>,
    /// Bytes pass the codec.
    codes: Signal<Local, Bit>,
    is_column: Signal<Local, Bit>,
    is_program: Signal<Local, Bit>,
    is_activation: [Signal<Local, Bit>; activates],
    take: Signal<Local, Bit>,
    /// Writes a memory of the control half or a column, if the address is theirs.
    take_write: Signal<Local, Bit>,
    /// Writes a register.
    take_register: [Signal<Local, Bit>; plain],
    selected: [Signal<Local, Bits<32>>; selects],
    word: [Signal<Local, Bits<32>>; plain],
    /// A register or a counter answers in the next cycle.
    answers: Signal<Local, Bit>,
    /// Rows of the array.
    #[new(shape.sequencer.rows)]
    _rows: Param<'r'>,
    /// Columns of the array.
    #[new(shape.sequencer.cols)]
    _cols: Param<'c'>,
    /// Bits of a column tile.
    #[new(shape.tile_bits())]
    _tile_bits: Param<'t'>,
    /// Bits of a program address.
    #[new(address_bits(shape.sequencer.program_words))]
    _pc_bits: Param<'p'>,
    /// Bits of a word address.
    #[new(shape.word_bits())]
    _word_bits: Param<'w'>,
    /// Bits of an entry of the row tables.
    #[new(shape.entry_bits())]
    _entry_bits: Param<'e'>,
    /// Tables of activation functions.
    #[new(shape.sequencer.post.activations)]
    _activations: Feature<"fn">,
    /// Counts cycles in which a slot waits for stored sums.
    #[new((shape.sums_at_top && !shape.counters.is_empty()).into())]
    _stall_sums: Feature<"ps">,
    /// Program writes go to the partitions.
    #[new(shape.sequencer.banked.into())]
    _banked: Feature<"pr">,
    /// Bits of the place of a program write: a word, or a pair of words for banks.
    #[new(pc_bits - banked)]
    _place_bits: usize,
    /// Counters.
    #[new(shape.counters)]
    _list: CounterList,
    #[new(list.len())]
    _counts: usize,
    #[new((activations > 0).into())]
    _activates: usize,
    /// There is a sparse cluster.
    #[new(shape.sequencer.cluster.into())]
    _clusters: Feature<"sc">,
    /// It counts.
    #[new((clusters > 0 && counts > 0).into())]
    _cluster_counts: usize,
    /// Registers stand around the engine, in place of those of the port.
    #[new(shape.watched.into())]
    _watched: Feature<"sy">,
    #[new(1 - watched)]
    _plain: usize,
    /// Requests come while the machine runs, when they meet nothing.
    #[new(shape.open.into())]
    _open: Feature<"dm">,
    /// Something else than the state buffer answers.
    #[new(plain.max(cluster_counts))]
    _selects: usize,
}

impl HostPort {
    fn describe(&self, meta: Meta) -> Meta {
        let meta = meta.doc_if(self._banked > 0, "The program lies in the partitions: program_waddr_o counts pairs of words, whose bytes are those of \
                 buffer_data_o, past the codec.");
        let meta = meta.doc_if(
            self._watched > 0,
            "Registers stand around the engine, and there are none here: every request waits while the machine runs, and the zero point is that of zero_i.",
        );
        let meta = meta.doc_if(
            self._open > 0,
            "What stands in front of the port lets requests come while the machine runs, if they meet no other access.",
        );
        describe(meta, self._counts).number("answer", self._rows + ANSWER)
    }
}

#[kernel]
impl HostPort {
    fn update(&mut self) {
        self.decode();
        self.requests();
        self.cluster();
        self.answers();
    }

    /// Which memory a request is for, and whether it can be taken.
    fn decode(&mut self) {
        // Which memory the address belongs to; none if it lies outside.
        self.region = self.host_i.addr.get_bits::<2>(30);
        for k in 0..self._plain {
            self.index[k] = self.host_i.addr.get_bits::<5>(3);
        }
        self.is_program = (self.region == 1)
            & ((self.host_i.addr.get_bits::<27>(3) >> self._place_bits.to_bits::<5>()) == 0);
        self.is_column = (self.region == 2)
            & (self.host_i.addr.get_bits::<9>(21) < self._cols.to_bits::<9>())
            & ((self.host_i.addr.get_bits::<17>(4) >> self._tile_bits.to_bits::<5>()) == 0);
        self.is_buffer = (self.region == 3)
            & (self.host_i.addr.get_bits::<9>(21) < self._rows.to_bits::<9>())
            & ((self.host_i.addr.get_bits::<18>(3) >> self._word_bits.to_bits::<5>()) == 0);
        self.is_table = (self.region == 3)
            & self.host_i.write
            & self.host_i.addr.get_bit(29)
            & (self.host_i.addr.get_bits::<8>(21).get_bits::<9>(0) < self._rows.to_bits::<9>())
            & ((self.host_i.addr.get_bits::<18>(3) >> self._entry_bits.to_bits::<5>()) == 0);
        for k in 0..self._plain {
            self.is_register[k] = self.host_i.valid & (self.region == 0);
        }
        self.travels = self.host_i.valid & (self.is_buffer | self.is_table);

        // Everything but the state buffer waits until its requests have left the last partition:
        // reads answer in order, and a start clears no event that is still on its way.
        // A request behind a start waits until the machine runs and STATUS says so.
        if self._open > 0 {
            // Writes need no order; what answers beside the state buffer waits for its answers.
            self.host_ready_o =
                self.rst_n & (self.host_i.write | self.travels | !self.travel.get_bit(9));
        } else if self._watched > 0 {
            self.host_ready_o =
                self.rst_n & !self.running_i & (self.travels | !self.travel.get_bit(9));
        } else {
            self.host_ready_o = self.rst_n
                & !self.start[0]
                & (self.is_register[0] | !self.running_i)
                & (self.travels | !self.travel.get_bit(9));
        }
        for k in 0..self._clusters {
            let is_here = self.host_i.valid
                & (self.region == 1)
                & (self.host_i.addr.get_bits::<23>(7) == CLUSTER.to_bits::<23>());
            let number = self.host_i.addr.get_bits::<4>(3);
            for i in 0..self._cluster_counts {
                self.is_count[i] = (is_here) & !self.host_i.write;
            }
            self.is_command[k] = (is_here) & self.host_i.write & (number == 0);
            self.is_weight[k] = (is_here) & self.host_i.write & (number == 1);
            // A cluster that has stopped takes nothing: what it is sent is lost.
            let stopped = self.cluster_i[k].error.any();
            if (self.is_command[k] & !self.cluster_i[k].takes_command & !stopped)
                | (self.is_weight[k] & self.weight[k])
            {
                self.host_ready_o = false;
            }
        }
        self.take = self.host_i.valid & self.host_ready_o;
        self.contracts();
        // What does not go to the partitions needs no comparison of its address to be taken.
        let write = self.host_i.valid & self.host_i.write & !self.travel.get_bit(9);
        if self._open > 0 {
            self.take_write = self.host_i.valid & self.host_i.write;
        } else if self._watched > 0 {
            self.take_write = write & !self.running_i;
        } else {
            let write =
                self.host_i.valid & self.host_i.write & !self.start[0] & !self.travel.get_bit(9);
            self.take_register[0] = write & (self.region == 0);
            self.take_write = write & !self.running_i;
        }
        self.travel = mux(self.travel.get_bit(9), self.travel - 1, self.travel);
        if self.take & self.travels {
            self.travel = (self._rows + ANSWER + 512).to_bits::<10>();
        }
        for k in 0..self._plain {
            self.write_registers(k);
        }
    }

    /// Writes of registers.
    fn write_registers(&mut self, k: usize) {
        self.word[k] = 0.into();
        for i in 0..4 {
            self.word[k] = (self.word[k] << 8) | self.host_i.wdata[3 - i].get_bits::<32>(0);
        }
        self.start[k] = self.take_register[k]
            & (self.index[k] == CTRL.to_bits::<5>())
            & flag!(self.word[k], ctrl::START)
            & !self.running_i;
        self.start_pc[k].en_i = self.take_register[k] & (self.index[k] == START_PC.to_bits::<5>());
        self.start_pc[k] = field!(self.word[k], start_pc::PC);
        self.zero[k].en_i = self.take_register[k] & (self.index[k] == HOST_ZERO.to_bits::<5>());
        self.zero[k] = field!(self.word[k], host_zero::ZERO);
        self.start_o[k] = self.start[k];
        self.start_pc_o[k] = self.start_pc[k];
    }

    /// What the host keeps to, and what it may rely on.
    fn contracts(&mut self) {
        self.host_waits.valid_i = self.host_i.valid;
        self.host_waits.ready_i = self.host_ready_o;
        for i in 0..4 {
            self.host_waits.word_i[i] = self.host_i.addr.get_bits::<8>(8 * i);
        }
        for i in 0..8 {
            self.host_waits.word_i[i + 4] = mux(self.host_i.write, self.host_i.wdata[i], 0.into());
        }
        self.host_waits.word_i[12] = mux(self.host_i.write, 1.into(), 0.into());
        // In an open machine nothing but the cluster asks for rest.
        let writes = self.take & self.host_i.write & self.running_i;
        if self._open > 0 {
            let is_cluster = (self.region == 1) & self.host_i.addr.get_bit(29);
            self.write_arrives.holds_i = !(writes & is_cluster);
        } else {
            self.write_arrives.holds_i = !(writes & (self.region != 0));
        }
    }

    /// Streams and counters of the sparse cluster.
    fn cluster(&mut self) {
        for k in 0..self._clusters {
            let stopped = self.cluster_i[k].error.any();
            self.command_wen[k] = self.take & self.is_command[k] & !stopped;
            self.weight[k] = ((self.take & self.is_weight[k])
                | (self.weight[k] & !self.cluster_i[k].takes_weight))
                & !stopped;
            for i in 0..4 {
                self.weights[4 * k + i].load(
                    self.take & self.is_weight[k],
                    bit_cast::<16, 8>(self.host_i.wdata[2 * i])
                        | (bit_cast::<16, 8>(self.host_i.wdata[2 * i + 1]) << 8),
                );
                self.cluster_o[k].weights[i] = self.weights[4 * k + i];
            }
            self.cluster_o[k].command = self.command_wen[k];
            for i in 0..self._open {
                self.takes_o[2 * i] = self.cluster_i[k].takes_command | stopped;
                self.takes_o[2 * i + 1] = !self.weight[k];
            }
            self.cluster_o[k].word = self.program_o.wdata;
            self.cluster_o[k].sends = false;
            self.cluster_o[k].weight = self.weight[k];
        }
        for k in 0..self._cluster_counts {
            self.counts[k] = self.take & self.is_count[k];
            self.cluster_o[k].counter[0] = self.host_i.addr.get_bits::<4>(3);
            if self.take & self.is_count[k] {
                self.travel = 513usize.to_bits::<10>();
            }
        }
    }

    /// Requests to the memories leave one cycle later.
    fn requests(&mut self) {
        // Requests to the memories leave one cycle later.
        self.addr = self.host_i.addr;
        self.program_wen = self.take_write & self.is_program;
        self.program_o.wen = self.program_wen;
        self.program_o.waddr = self.addr.get_bits::<16>(3);
        self.bias_wen = self.take_write & self.is_column & !self.host_i.addr.get_bit(3);
        self.scale_wen = self.take_write & self.is_column & self.host_i.addr.get_bit(3);
        self.bias_wen_o = self.bias_wen;
        self.scale_wen_o = self.scale_wen;
        for i in 0..self._activates {
            self.is_activation[i] = (self.region == 2)
                & self.host_i.addr.get_bit(29)
                & (self.host_i.addr.get_bits::<14>(15) == 0)
                & (self.host_i.addr.get_bits::<4>(11) < self._activations.to_bits::<4>());
            self.activation_wen[i] = self.take_write & self.is_activation[i];
            self.aw_o[i].valid = self.activation_wen[i];
            self.aw_o[i].entry = self.addr.get_bits::<11>(3);
        }
        self.column_o = self.addr.get_bits::<8>(21);
        self.tile_o = self.addr.get_bits::<10>(4);
        self.buffer_valid = self.take & self.travels;
        self.buffer_table = self.is_table;
        self.buffer_o.table = self.buffer_table;
        if self._banked > 0 {
            // Nor do programs, which take the way to the partitions too.
            self.codes = (self.region == 3) & !self.host_i.addr.get_bit(29);
        } else {
            self.codes = !self.host_i.addr.get_bit(29);
        }
        self.buffer_write = self.host_i.write;
        self.buffer_o.valid = self.buffer_valid;
        self.buffer_o.write = self.buffer_write;
        self.buffer_o.partition = self.addr.get_bits::<8>(21);
        self.buffer_o.word = self.addr.get_bits::<13>(3);
        self.program_o.wdata = 0.into();
        for i in 0..4 {
            self.program_o.wdata =
                (self.program_o.wdata << 8) | self.wdata[3 - i].get_bits::<32>(0);
        }
    }

    /// Register reads and answers.
    fn answers(&mut self) {
        for k in 0..self._plain {
            self.read_registers(k);
        }
        for k in self._plain..self._selects {
            self.selected[k] = 0.into();
        }
        self.answers = self.take & !self.host_i.write & !self.is_buffer;
        for k in 0..self._cluster_counts {
            // A counter answers a cycle later.
            if self.is_count[k] {
                self.answers = false;
            }
            if self.counts[k] {
                self.answers = true;
                self.selected[k] = self.cluster_i[k].count[0];
            }
        }
        self.rvalid = self.buffer_i.rvalid | self.answers;
        self.host_o.rvalid = self.rvalid;
        for k in 0..8 {
            self.wdata[k] = self.host_i.wdata[k];
            self.param_data_o[k] = self.wdata[k];
            self.coded[k] = self.host_i.wdata[k];
            if self.codes {
                if self._watched > 0 {
                    self.coded[k] = self.host_i.wdata[k] - self.zero_i[0];
                } else {
                    self.coded[k] = self.host_i.wdata[k] - self.zero[0];
                }
            }
            self.buffer_o.data[k] = self.coded[k];
            if (self._selects > 0) & (k < 4) {
                self.rdata[k] = self.selected[0].get_bits::<8>(8 * k);
            } else {
                self.rdata[k] = 0.into();
            }
            if self.buffer_i.rvalid {
                if self._open > 0 {
                    self.rdata[k] = self.buffer_i.rdata[k] + self.read_zero_i[0];
                } else if self._watched > 0 {
                    self.rdata[k] = self.buffer_i.rdata[k] + self.zero_i[0];
                } else {
                    self.rdata[k] = self.buffer_i.rdata[k] + self.zero[0];
                }
            }
            self.host_o.rdata[k] = self.rdata[k];
        }
    }

    /// The register that is asked for; the counters follow the others.
    fn read_registers(&mut self, k: usize) {
        self.selected[k] = 0.into();
        for i in 0..self._counts {
            if self.index[k] == self._list.register(i).to_bits::<5>() {
                self.selected[k] = self.count_i[i];
            }
        }
        for i in 0..self._stall_sums {
            if self.index[k] == STALL_SUMS.to_bits::<5>() {
                self.selected[k] = self.stall_sums_i[i];
            }
        }
        match self.index[k].index() {
            ID => {
                self.selected[k] = host::ID.to_bits::<32>();
            }
            START_PC => {
                self.selected[k] = self.start_pc[k].get_bits::<32>(0);
            }
            STATUS => {
                self.selected[k] = self.status_i[k];
            }
            HOST_ZERO => {
                self.selected[k] = self.zero[k].get_bits::<32>(0);
            }
            SHAPE => {
                self.selected[k] = self._rows.to_bits::<32>()
                    | (self._cols.to_bits::<32>() << shape::COLUMNS.lsb.to_bits::<5>());
            }
            _ => {}
        }
        // An address without a request may be anything, X included.
        if !self.is_register[k] {
            self.selected[k] = 0.into();
        }
    }
}
