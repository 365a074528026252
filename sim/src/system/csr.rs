//! The registers as `docs/registers.md` lists them: values by address.

use std::collections::BTreeMap;

/// What a machine is, and what its counters say.
#[derive(Debug, Clone, Copy, Default)]
pub struct CsrConstants {
    /// CONFIG, SHAPE, CAPS.
    pub words: [u32; 3],
    /// The program lies in banks of the state buffer.
    pub banked: bool,
}

/// What a DMA and its job list say in a clock.
#[derive(Debug, Clone, Copy, Default)]
pub struct CsrDma {
    /// A register of the DMA takes the write.
    pub takes: bool,
    /// Word of the register of the DMA that is read.
    pub word: Option<u32>,
    /// The queue is on.
    pub queue: bool,
    /// Windows are locked.
    pub lock: bool,
    /// The bus owes answers behind a time-out.
    pub hung: bool,
    /// The DMA works.
    pub busy: bool,
    /// Bits of STATUS, ERROR and ERROR_PC.
    pub bits: [u32; 3],
    /// The events DONE and QUEUE_EMPTY.
    pub events: (bool, bool),
    /// A reset need not wait.
    pub settled: bool,
}

/// What reaches the registers in a clock.
#[derive(Debug, Clone, Default)]
pub struct CsrInputs {
    /// Reset is not active.
    pub alive: bool,
    /// Address, word, all strobes.
    pub write: Option<(u16, u32, bool)>,
    /// Address.
    pub read: Option<u16>,
    /// A program runs.
    pub running: bool,
    /// The last run ended with HALT.
    pub done: bool,
    /// The last run ended with an error.
    pub error: bool,
    /// Code, source, instruction of the error.
    pub cause: (u8, u8, u16),
    /// The cluster works.
    pub cluster_busy: bool,
    /// Values of the counters that there are, by number.
    pub counters: BTreeMap<u16, u32>,
    /// An access of the window port is under way.
    pub port_busy: bool,
    /// A start is on its way.
    pub starting: bool,
    /// An access was taken.
    pub port_next: bool,
    /// The word read.
    pub port_word: u64,
    /// Those of a machine with a DMA.
    pub dma: Option<CsrDma>,
}

/// What the registers say in a clock.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct CsrOutputs {
    /// The word of the read of the clock before.
    pub word: u32,
    /// Interrupt.
    pub irq: bool,
    /// The engine is not reset.
    pub engine_alive: bool,
    /// A reset is under way.
    pub resetting: bool,
    /// A start.
    pub start: bool,
    /// START_PC.
    pub pc: u16,
    /// HOST_ZERO.
    pub zero: u8,
    /// Reads and writes a word.
    pub port: (bool, bool),
    /// Where.
    pub port_addr: u32,
    /// The word to write.
    pub port_data: u64,
    /// CTRL is written: QUEUE, LOCK, RESET.
    pub ctrl: Option<(bool, bool, bool)>,
}

const STATUS: u16 = 0x18;
const IRQ_STATUS: u16 = 0x2c;
const IRQ_ENABLE: u16 = 0x30;
/// Bits of CTRL.
const RESET: u32 = 1 << 1;
const QUEUE: u32 = 1 << 4;
const LOCK: u32 = 1 << 8;
/// Registers that keep what is written, and their bits.
const KEPT: [(u16, u32); 6] = [
    (IRQ_ENABLE, 0b1111),
    (0x34, 0xffff),
    (0x38, 0xff),
    (0x3c, u32::MAX),
    (0x44, u32::MAX),
    (0x48, u32::MAX),
];

/// The registers, clock by clock.
#[derive(Debug, Clone, Default)]
pub struct CsrModel {
    constants: CsrConstants,
    kept: BTreeMap<u16, u32>,
    happened: u32,
    irq: bool,
    word: u32,
    /// Address of the write of the clock before that was taken, and its word.
    last: Option<(u16, u32)>,
    /// Clocks since a reset was asked for.
    reset_age: Option<u32>,
    engine_alive: bool,
    ended: (bool, bool),
}

impl CsrModel {
    /// Registers of a machine after a reset.
    pub fn new(constants: CsrConstants) -> Self {
        Self {
            constants,
            ..Self::default()
        }
    }

    fn kept(&self, address: u16) -> u32 {
        self.kept.get(&address).copied().unwrap_or(0)
    }

    /// Whether the write of the clock before set a bit of this register.
    fn acted(&self, address: u16, bit: u32) -> bool {
        matches!(self.last, Some((at, word)) if at == address && word >> bit & 1 == 1)
    }

    fn wrote(&self, address: u16) -> bool {
        self.last.is_some_and(|(at, _)| at == address)
    }

    fn starts(&self) -> bool {
        self.acted(0x14, 0) && !self.acted(0x14, 1)
    }

    fn resetting(&self) -> bool {
        self.reset_age.is_some()
    }

    fn running(&self, inputs: &CsrInputs) -> bool {
        inputs.running || inputs.starting || self.starts()
    }

    fn port_busy(&self, inputs: &CsrInputs) -> bool {
        inputs.port_busy || self.acted(0x40, 0) || self.wrote(0x48)
    }

    /// One clock cycle: the outputs of this cycle, then the clock edge.
    pub fn step(&mut self, inputs: &CsrInputs) -> CsrOutputs {
        let outputs = CsrOutputs {
            word: self.word,
            irq: self.irq,
            engine_alive: self.engine_alive,
            resetting: self.resetting(),
            start: self.starts(),
            pc: self.kept(0x34) as u16,
            zero: self.kept(0x38) as u8,
            port: (self.acted(0x40, 0), self.wrote(0x48)),
            port_addr: self.kept(0x3c),
            port_data: u64::from(self.kept(0x44)) | u64::from(self.kept(0x48)) << 32,
            ctrl: self.ctrl(inputs),
        };
        match inputs.alive {
            true => self.edge(inputs),
            false => *self = Self::new(self.constants),
        }
        outputs
    }

    fn edge(&mut self, inputs: &CsrInputs) {
        let read = inputs.read.map(|address| self.read(address, inputs));
        let write = inputs.write.filter(|write| self.may_write(*write, inputs));
        let takes = write.is_some() || inputs.dma.is_some_and(|dma| dma.takes);
        let bad = read == Some(None) || (inputs.write.is_some() && !takes);
        self.irq = self.happened & self.kept(IRQ_ENABLE) != 0;
        if let Some((IRQ_STATUS, word, _)) = write {
            self.happened &= !word;
        }
        let (done, emptied) = match inputs.dma {
            Some(dma) => dma.events,
            None => (inputs.done && !self.ended.0, false),
        };
        self.happened |= u32::from(done) | u32::from(emptied) << 2;
        self.happened |= u32::from(inputs.error && !self.ended.1) << 1;
        self.happened |= u32::from(bad) << 3;
        self.ended = (inputs.done, inputs.error);
        if let Some(read) = read {
            self.word = read.unwrap_or(0);
        }
        self.engine_alive = !self.resetting();
        let settled = inputs.dma.is_none_or(|dma| dma.settled);
        self.reset_age =
            { self.reset_age.map(|age| age + u32::from(settled)) }.filter(|age| *age < 7);
        if inputs.port_next {
            *self.kept.entry(0x3c).or_default() = self.kept(0x3c).wrapping_add(8);
        }
        self.last = write.map(|(address, word, _)| (address, word));
        if let Some((address, word, _)) = write {
            if let Some((_, bits)) = KEPT.iter().find(|(kept, _)| *kept == address) {
                let lacks = u32::from(address == IRQ_ENABLE && inputs.dma.is_none()) << 2;
                self.kept.insert(address, word & bits & !lacks);
            }
            if self.acted(0x14, 1) {
                self.reset_age = Some(0);
            }
        }
    }

    /// Whether a write is taken.
    fn may_write(&self, (address, word, whole): (u16, u32, bool), inputs: &CsrInputs) -> bool {
        let exists = KEPT.iter().any(|(kept, _)| *kept == address)
            || [0x14, IRQ_STATUS, 0x40].contains(&address);
        if !exists || !whole {
            return false;
        }
        if [IRQ_STATUS, IRQ_ENABLE].contains(&address) {
            return true;
        }
        if self.resetting() {
            return false;
        }
        let is_port = (0x3c..=0x48).contains(&address);
        if is_port && self.port_busy(inputs) {
            return false;
        }
        let accesses = address == 0x48 || (address == 0x40 && word & 1 == 1);
        let at = self.kept(0x3c);
        let dma = inputs.dma.unwrap_or_default();
        match (accesses, at >> 30, at >> 29 & 1) {
            (true, 0, _) => return false,
            (true, 1 | 2, _) | (true, 3, 1) if self.running(inputs) || dma.busy => return false,
            _ => {}
        }
        if address != 0x14 || word & RESET != 0 {
            return true;
        }
        let (starts, queue) = (word & 1 == 1, inputs.dma.is_some() && word & QUEUE != 0);
        let failed = inputs.error || dma.hung;
        let works = self.running(inputs) || dma.queue || (dma.busy && self.constants.banked);
        !(failed && (starts || queue) || starts && (works || queue))
    }

    fn ctrl(&self, inputs: &CsrInputs) -> Option<(bool, bool, bool)> {
        let write = inputs.write.filter(|write| write.0 == 0x14)?;
        let has = |bit| write.1 & bit != 0;
        self.may_write(write, inputs)
            .then(|| (has(QUEUE), has(LOCK), has(RESET)))
    }

    /// The word of a register, if there is one.
    fn read(&self, address: u16, inputs: &CsrInputs) -> Option<u32> {
        let running = self.running(inputs);
        let (code, source, pc) = inputs.cause;
        let dma = inputs.dma.unwrap_or_default();
        Some(match address {
            0x00 => 0x4845_4402,
            0x04 => 0x0001_0000,
            0x08 | 0x0c | 0x10 => self.constants.words[usize::from(address / 4 - 2)],
            0x14 => (u32::from(dma.queue) * QUEUE) | (u32::from(dma.lock) * LOCK),
            0x40 => 0,
            STATUS => {
                u32::from(running)
                    | u32::from(inputs.done && !running) << 1
                    | u32::from(inputs.error && !running) << 2
                    | u32::from(self.resetting()) << 5
                    | u32::from(inputs.cluster_busy) << 6
                    | u32::from(self.port_busy(inputs)) << 10
                    | dma.bits[0]
            }
            0x1c => u32::from(code) | u32::from(source) << 8 | dma.bits[1],
            0x20 => u32::from(pc) | dma.bits[2],
            IRQ_STATUS => self.happened,
            0x4c => inputs.port_word as u32,
            0x50 => (inputs.port_word >> 32) as u32,
            0x118..=0x17c if address % 4 == 0 => {
                let number = (address - 0x100) / 4;
                inputs.counters.get(&number).copied().unwrap_or(0)
            }
            _ if dma.word.is_some() => return dma.word,
            _ => {
                let (address, _) = KEPT.iter().find(|(kept, _)| *kept == address)?;
                self.kept(*address)
            }
        })
    }
}
