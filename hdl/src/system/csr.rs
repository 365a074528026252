//! The registers of the register port.

use super::supervisor::CtrlWrite;
use crate::control::{ControlShape, CounterList};
use heddle_arch::Params;
use heddle_arch::registers::{
    self, ADDRESS_BITS, ctrl, error, error_pc, host_zero, irq_enable, irq_status, start_pc, status,
};
use heddle_kernel::prelude::*;

/// Places of registers: byte address / 4.
const fn place(register: registers::Register) -> usize {
    register.offset as usize / 4
}

const ID: usize = place(registers::id::REGISTER);
const VERSION: usize = place(registers::version::REGISTER);
const CONFIG: usize = place(registers::config::REGISTER);
const SHAPE: usize = place(registers::shape::REGISTER);
const CAPS: usize = place(registers::caps::REGISTER);
const CTRL: usize = place(ctrl::REGISTER);
const STATUS: usize = place(status::REGISTER);
const ERROR: usize = place(error::REGISTER);
const ERROR_PC: usize = place(registers::error_pc::REGISTER);
const IRQ_STATUS: usize = place(irq_status::REGISTER);
const IRQ_ENABLE: usize = place(irq_enable::REGISTER);
const START_PC: usize = place(start_pc::REGISTER);
const HOST_ZERO: usize = place(host_zero::REGISTER);
const PORT_ADDR: usize = place(registers::port_addr::REGISTER);
const PORT_CTRL: usize = place(registers::port_ctrl::REGISTER);
const PORT_WLO: usize = place(registers::port_wlo::REGISTER);
const PORT_WHI: usize = place(registers::port_whi::REGISTER);
const PORT_RLO: usize = place(registers::port_rlo::REGISTER);
const PORT_RHI: usize = place(registers::port_rhi::REGISTER);
/// The counters, 32 places from here on.
const COUNTERS: usize = place(registers::counter::REGISTER);
const STALL_SUMS: usize = heddle_arch::Counter::StallSums.index() as usize;
/// Clocks for which the engine is reset.
const RESET_CLOCKS: u64 = 7;

/// What stands beside the registers in a machine with a DMA.
#[bundle]
pub struct DmaState {
    /// A register of the DMA takes the write.
    pub takes: Bit,
    /// A register of the DMA is read.
    pub known: Bit,
    /// Its word.
    pub word: Bits<32>,
    /// The queue is on.
    pub queue: Bit,
    /// Windows are locked.
    pub lock: Bit,
    /// The bus owes answers behind a time-out.
    pub hung: Bit,
    /// The DMA has something under way.
    pub busy: Bit,
    /// Its bits of STATUS.
    pub flags: Bits<32>,
    /// Its bits of ERROR.
    pub error: Bits<32>,
    /// Ring index of the entry of the error.
    pub index: Bits<10>,
    /// A program of START has ended, or a fence with an interrupt was passed.
    pub done: Bit,
    /// All entries were taken, and nothing of theirs is open any more.
    pub emptied: Bit,
    /// A reset need not wait.
    pub settled: Bit,
}

/// Sizes and constants of the registers.
#[derive(Debug, Clone, Copy)]
pub struct CsrShape {
    /// Counters in the order of their registers.
    pub counters: CounterList,
    /// There is a counter STALL_SUMS.
    pub stall_sums: usize,
    /// There is a DMA.
    pub dma: usize,
    /// The program lies in banks of the state buffer.
    pub banked: bool,
    /// CONFIG, SHAPE, CAPS.
    pub constants: [u64; 3],
}

impl CsrShape {
    /// Those of a configuration.
    pub fn of(params: &Params) -> Self {
        let all = [
            registers::config::REGISTER,
            registers::shape::REGISTER,
            registers::caps::REGISTER,
        ];
        let engine = ControlShape::of(params);
        Self {
            counters: engine.counters,
            stall_sums: (engine.sums_at_top && !engine.counters.is_empty()).into(),
            dma: params.has_dma().into(),
            banked: params.program_banks() > 0,
            constants: all.map(|register| register.reset(params).into()),
        }
    }
}

/// The registers: decodes accesses, keeps what is written, shows what the engine says.
///
/// An access that is not allowed changes nothing, reads 0 and sets BAD_ACCESS.
///
/// # Timing
/// `read_i` in cycle t: its word on `word_o` in t + 1. A write in t shows in the registers from t + 1 on. An event in t, or a
/// bad access: its bit in IRQ_STATUS in t + 1, `irq_o` in t + 2.
#[module(shape: CsrShape)]
pub struct Csr {
    /// Writes a register.
    pub write_i: Signal<In, Bit>,
    /// Byte address of the write.
    pub write_addr_i: Signal<In, Bits<ADDRESS_BITS>>,
    /// Word to write.
    pub write_data_i: Signal<In, Bits<32>>,
    /// All bytes are to be written.
    pub write_whole_i: Signal<In, Bit>,
    /// Reads a register.
    pub read_i: Signal<In, Bit>,
    /// Byte address of the read.
    pub read_addr_i: Signal<In, Bits<ADDRESS_BITS>>,
    /// Word read.
    pub word: OutDelay<Bits<32>>,
    /// Interrupt.
    pub irq: OutReg<Bit>,
    /// A program runs.
    pub running_i: Signal<In, Bit>,
    /// The last run ended with HALT.
    pub done_i: Signal<In, Bit>,
    /// The last run ended with an error.
    pub error_i: Signal<In, Bit>,
    /// Number of the error.
    pub code_i: Signal<In, Bits<8>>,
    /// Where it came from.
    pub source_i: Signal<In, Bits<4>>,
    /// Word address of the instruction concerned.
    pub pc_i: Signal<In, Bits<16>>,
    /// The sparse cluster has something under way.
    pub cluster_busy_i: Signal<In, Bit>,
    /// Counters in the order of their registers.
    pub count_i: [Signal<In, Bits<32>>; counts],
    /// Counter STALL_SUMS.
    pub stall_sums_i: [Signal<In, Bits<32>>; stall_sums],
    /// An access of the window port is under way.
    pub port_busy_i: Signal<In, Bit>,
    /// A start has not reached the engine yet.
    pub starting_i: Signal<In, Bit>,
    /// The engine takes an access.
    pub port_taken_i: Signal<In, Bit>,
    /// Word read by the window port, low half first.
    pub port_word_i: [Signal<In, Bits<32>>; 2],
    /// The engine is not reset.
    pub engine_rst_n: OutReg<Bit>,
    /// A reset of the engine is under way.
    pub resetting_o: Signal<Out, Bit>,
    /// Starts the program.
    pub start: OutReg<Bit>,
    /// START_PC.
    pub start_pc: OutRegEn<Bits<16>>,
    /// HOST_ZERO.
    pub host_zero: OutRegEn<Bits<8>>,
    /// Reads a word through the window port.
    pub port_read: OutReg<Bit>,
    /// Writes a word through it.
    pub port_write: OutReg<Bit>,
    /// Address of the word.
    pub port_addr: OutRegEn<Bits<32>>,
    /// Word to write, low half first.
    pub port_data: [OutRegEn<Bits<32>>; 2],
    /// What stands beside them.
    pub dma_i: [DmaState<In>; dma],
    /// What a write of CTRL says beside START.
    pub ctrl_o: [CtrlWrite<Out>; dma],
    /// Clocks of a reset that are left.
    reset_left: Reg<Bits<3>>,
    done: Reg<Bit>,
    error: Reg<Bit>,
    /// DONE, ERROR, BAD_ACCESS, QUEUE_EMPTY of IRQ_STATUS and IRQ_ENABLE.
    happened: [Reg<Bit>; irqs],
    enabled: [RegEn<Bit>; irqs],
    write_place: Signal<Local, Bits<10>>,
    read_place: Signal<Local, Bits<10>>,
    resetting: Signal<Local, Bit>,
    running: Signal<Local, Bit>,
    /// An access of the window port is under way or about to be.
    port_busy: Signal<Local, Bit>,
    /// The window port must not be used at PORT_ADDR now.
    port_refused: Signal<Local, Bit>,
    /// The register of a write takes it now.
    allowed: Signal<Local, Bit>,
    takes: Signal<Local, Bit>,
    refused: Signal<Local, Bit>,
    /// The register of a read exists.
    known: Signal<Local, Bit>,
    events: [Signal<Local, Bit>; irqs],
    cleared: [Signal<Local, Bit>; irqs],
    flags: Signal<Local, Bits<16>>,
    /// No program may be started; the queue may not be switched on.
    no_start: Signal<Local, Bit>,
    no_queue: [Signal<Local, Bit>; dma],
    /// Memories with ports of their own are not reached through the window port.
    working: Signal<Local, Bit>,
    /// A program starts when the DMA rests.
    rests: Signal<Local, Bit>,
    selected: Signal<Local, Bits<32>>,
    is_counter: Signal<Local, Bit>,
    /// Its number, and its value.
    number: Signal<Local, Bits<5>>,
    count: Signal<Local, Bits<32>>,
    _counters: CounterList,
    #[new(counters.len())]
    _counts: usize,
    _stall_sums: usize,
    /// There is a DMA.
    _dma: Feature<"dm">,
    #[new(3 + dma)]
    _irqs: usize,
    _banked: bool,
    _constants: [u64; 3],
}

#[kernel]
impl Csr {
    fn update(&mut self) {
        self.state();
        self.allow();
        self.write();
        self.port();
        self.interrupt();
        self.select();
    }

    /// What the engine does, as STATUS says it.
    fn state(&mut self) {
        self.resetting = self.reset_left.any();
        self.resetting_o = self.resetting;
        self.running = self.running_i | self.starting_i | self.start;
        self.port_busy = self.port_busy_i | self.port_read | self.port_write;
        self.flags = bits::<16>(0)
            .replace_bit(status::RUNNING.lsb, self.running)
            .replace_bit(status::DONE.lsb, self.done_i & !self.running)
            .replace_bit(status::ERROR.lsb, self.error_i & !self.running)
            .replace_bit(status::RESETTING.lsb, self.resetting)
            .replace_bit(status::CLUSTER_BUSY.lsb, self.cluster_busy_i)
            .replace_bit(status::PORT_BUSY.lsb, self.port_busy);
    }

    /// Whether the register of a write takes it now.
    fn allow(&mut self) {
        self.write_place = self.write_addr_i.get_bits::<10>(2);
        let region = self.port_addr.get_bits::<2>(30);
        let at_rest = (region == 1) | (region == 2) | self.port_addr.get_bit(29);
        if self._dma > 0 {
            let queue = flag!(self.write_data_i, ctrl::QUEUE);
            self.working = self.running | self.dma_i[0].busy;
            self.rests = self._banked;
            self.no_start = self.running
                | self.error_i
                | self.dma_i[0].queue
                | self.dma_i[0].hung
                | (queue)
                | (self.rests & self.dma_i[0].busy);
            self.no_queue[0] = (queue) & (self.error_i | self.dma_i[0].hung);
        } else {
            self.working = self.running;
            self.no_start = self.running | self.error_i;
        }
        self.port_refused = self.port_busy | (region == 0) | (at_rest & self.working);
        let resets = flag!(self.write_data_i, ctrl::RESET);
        let is_late = flag!(self.write_data_i, ctrl::START) & !(resets) & self.no_start;
        self.allowed = !self.resetting;
        match self.write_place.index() {
            IRQ_STATUS => {
                self.allowed = true;
            }
            IRQ_ENABLE => {
                self.allowed = true;
            }
            CTRL => {
                self.allowed = !self.resetting & !is_late;
                for k in 0..self._dma {
                    if self.no_queue[k] & !(resets) {
                        self.allowed = false;
                    }
                }
            }
            START_PC => {}
            HOST_ZERO => {}
            PORT_ADDR => {
                self.allowed = !self.resetting & !self.port_busy;
            }
            PORT_WLO => {
                self.allowed = !self.resetting & !self.port_busy;
            }
            PORT_CTRL => {
                let reads = flag!(self.write_data_i, registers::port_ctrl::READ);
                self.allowed = !self.resetting & !self.port_busy & !(reads & self.port_refused);
            }
            PORT_WHI => {
                self.allowed = !self.resetting & !self.port_refused;
            }
            _ => {
                self.allowed = false;
            }
        }
        let is_aligned = self.write_addr_i.get_bits::<2>(0) == 0;
        self.takes = self.write_i & self.write_whole_i & is_aligned & self.allowed;
        if self._dma > 0 {
            self.refused = self.write_i & !self.takes & !self.dma_i[0].takes;
        } else {
            self.refused = self.write_i & !self.takes;
        }
    }

    /// Registers that keep something.
    fn write(&mut self) {
        let ctrl = self.takes & (self.write_place == CTRL.to_bits::<10>());
        let resets = ctrl & flag!(self.write_data_i, ctrl::RESET);
        self.start = ctrl & flag!(self.write_data_i, ctrl::START) & !resets;
        self.reset_left = mux(self.resetting, self.reset_left - 1, self.reset_left);
        for k in 0..self._dma {
            if !self.dma_i[k].settled {
                self.reset_left = self.reset_left;
            }
            self.ctrl_o[k].valid = ctrl;
            self.ctrl_o[k].queue = flag!(self.write_data_i, ctrl::QUEUE);
            self.ctrl_o[k].lock = flag!(self.write_data_i, ctrl::LOCK);
            self.ctrl_o[k].reset = resets;
        }
        if resets {
            self.reset_left = RESET_CLOCKS.into();
        }
        self.engine_rst_n = !self.resetting;
        let pc = self.takes & (self.write_place == START_PC.to_bits::<10>());
        self.start_pc
            .load(pc, field!(self.write_data_i, start_pc::PC));
        let zero = self.takes & (self.write_place == HOST_ZERO.to_bits::<10>());
        self.host_zero
            .load(zero, field!(self.write_data_i, host_zero::ZERO));
    }

    /// The window port.
    fn port(&mut self) {
        let at = self.takes & (self.write_place == PORT_ADDR.to_bits::<10>());
        self.port_addr
            .load(at | self.port_taken_i, self.port_addr + 8);
        if at {
            self.port_addr = self.write_data_i;
        }
        let low = self.takes & (self.write_place == PORT_WLO.to_bits::<10>());
        let high = self.takes & (self.write_place == PORT_WHI.to_bits::<10>());
        self.port_data[0].load(low, self.write_data_i);
        self.port_data[1].load(high, self.write_data_i);
        self.port_write = high;
        self.port_read = self.takes
            & (self.write_place == PORT_CTRL.to_bits::<10>())
            & flag!(self.write_data_i, registers::port_ctrl::READ);
    }

    /// Events, their bits and the line.
    fn interrupt(&mut self) {
        self.done = self.done_i;
        self.error = self.error_i;
        if self._dma > 0 {
            self.events[0] = self.dma_i[0].done;
        } else {
            self.events[0] = self.done_i & !self.done;
        }
        self.events[1] = self.error_i & !self.error;
        self.events[2] = self.refused | (self.read_i & !self.known);
        let clears = self.takes & (self.write_place == IRQ_STATUS.to_bits::<10>());
        self.cleared[0] = clears & flag!(self.write_data_i, irq_status::DONE);
        self.cleared[1] = clears & flag!(self.write_data_i, irq_status::ERROR);
        self.cleared[2] = clears & flag!(self.write_data_i, irq_status::BAD_ACCESS);
        let enables = self.takes & (self.write_place == IRQ_ENABLE.to_bits::<10>());
        self.enabled[0].load(enables, flag!(self.write_data_i, irq_enable::DONE));
        self.enabled[1].load(enables, flag!(self.write_data_i, irq_enable::ERROR));
        self.enabled[2].load(enables, flag!(self.write_data_i, irq_enable::BAD_ACCESS));
        for k in 0..self._dma {
            self.events[3] = self.dma_i[k].emptied;
            self.cleared[3] = clears & flag!(self.write_data_i, irq_status::QUEUE_EMPTY);
            self.enabled[3].load(enables, flag!(self.write_data_i, irq_enable::QUEUE_EMPTY));
        }
        self.irq = false;
        for i in 0..self._irqs {
            self.happened[i] = (self.happened[i] & !self.cleared[i]) | self.events[i];
            if self.happened[i] & self.enabled[i] {
                self.irq = true;
            }
        }
    }

    /// The word of a read.
    fn select(&mut self) {
        self.read_place = self.read_addr_i.get_bits::<10>(2);
        self.known = self.read_addr_i.get_bits::<2>(0) == 0;
        self.selected = 0.into();
        match self.read_place.index() {
            ID => {
                self.selected = u64::from(registers::ID).into();
            }
            VERSION => {
                self.selected = u64::from(
                    registers::version::MAJOR.put(registers::MAP_VERSION[0])
                        | registers::version::MINOR.put(registers::MAP_VERSION[1]),
                )
                .into();
            }
            CONFIG => {
                self.selected = self._constants[0].into();
            }
            SHAPE => {
                self.selected = self._constants[1].into();
            }
            CAPS => {
                self.selected = self._constants[2].into();
            }
            CTRL => {}
            STATUS => {
                self.selected = self.flags.get_bits::<32>(0);
            }
            ERROR => {
                self.selected = self.code_i.get_bits::<32>(0)
                    | (self.source_i.get_bits::<32>(0) << error::SOURCE.lsb.to_bits::<5>());
            }
            ERROR_PC => {
                self.selected = self.pc_i.get_bits::<32>(0);
            }
            IRQ_STATUS => {
                self.selected = bits::<32>(0)
                    .replace_bit(irq_status::DONE.lsb, self.happened[0])
                    .replace_bit(irq_status::ERROR.lsb, self.happened[1])
                    .replace_bit(irq_status::BAD_ACCESS.lsb, self.happened[2]);
            }
            IRQ_ENABLE => {
                self.selected = bits::<32>(0)
                    .replace_bit(irq_enable::DONE.lsb, self.enabled[0])
                    .replace_bit(irq_enable::ERROR.lsb, self.enabled[1])
                    .replace_bit(irq_enable::BAD_ACCESS.lsb, self.enabled[2]);
            }
            START_PC => {
                self.selected = self.start_pc.get_bits::<32>(0);
            }
            HOST_ZERO => {
                self.selected = self.host_zero.get_bits::<32>(0);
            }
            PORT_ADDR => {
                self.selected = self.port_addr;
            }
            PORT_CTRL => {}
            PORT_WLO => {
                self.selected = self.port_data[0];
            }
            PORT_WHI => {
                self.selected = self.port_data[1];
            }
            PORT_RLO => {
                self.selected = self.port_word_i[0];
            }
            PORT_RHI => {
                self.selected = self.port_word_i[1];
            }
            _ => {
                self.known = false;
            }
        }
        self.counters();
        self.dma();
        self.word = mux(self.known, self.selected, 0.into());
    }

    /// Registers of the DMA, and its bits of others.
    fn dma(&mut self) {
        for k in 0..self._dma {
            match self.read_place.index() {
                CTRL => {
                    self.selected = bits::<32>(0)
                        .replace_bit(ctrl::QUEUE.lsb, self.dma_i[k].queue)
                        .replace_bit(ctrl::LOCK.lsb, self.dma_i[k].lock);
                }
                STATUS => {
                    self.selected = self.selected | self.dma_i[k].flags;
                }
                ERROR => {
                    self.selected = self.selected | self.dma_i[k].error;
                }
                ERROR_PC => {
                    self.selected = self.selected
                        | (bit_cast::<32, 10>(self.dma_i[k].index)
                            << error_pc::INDEX.lsb.to_bits::<5>());
                }
                IRQ_STATUS => {
                    self.selected = self
                        .selected
                        .replace_bit(irq_status::QUEUE_EMPTY.lsb, self.happened[3]);
                }
                IRQ_ENABLE => {
                    self.selected = self
                        .selected
                        .replace_bit(irq_enable::QUEUE_EMPTY.lsb, self.enabled[3]);
                }
                _ => {}
            }
            if self.dma_i[k].known {
                self.known = true;
                self.selected = self.dma_i[k].word;
            }
        }
    }

    /// Those that the machine lacks read 0.
    fn counters(&mut self) {
        self.number = self.read_place.get_bits::<5>(0);
        self.is_counter = (self.read_place.get_bits::<5>(5) == (COUNTERS / 32).to_bits::<5>())
            & (self.number >= STALL_SUMS.to_bits::<5>())
            & (self.read_addr_i.get_bits::<2>(0) == 0);
        self.count = 0.into();
        for i in 0..self._counts {
            if self.number == self._counters.register(i).to_bits::<5>() {
                self.count = self.count_i[i];
            }
        }
        for i in 0..self._stall_sums {
            if self.number == STALL_SUMS.to_bits::<5>() {
                self.count = self.stall_sums_i[i];
            }
        }
        if self.is_counter {
            self.known = true;
            self.selected = self.count;
        }
    }
}
