//! The registers of a DMA as `docs/registers.md` lists them: values by address.

use std::collections::BTreeMap;
use std::ops::RangeInclusive;

use super::dma_counters::{COUNTERS, CountersInputs, CountersModel};

/// What reaches the registers in a clock.
#[derive(Debug, Clone, Default)]
pub struct DmaRegistersInputs {
    /// Reset is not active.
    pub alive: bool,
    /// Address, word, all strobes.
    pub write: Option<(u16, u32, bool)>,
    /// Address.
    pub read: Option<u16>,
    /// A RESET is under way.
    pub resetting: bool,
    /// The queue is on.
    pub queue: bool,
    /// The DMA works.
    pub busy: bool,
    /// Windows are locked.
    pub lock: bool,
    /// ERROR_ADDR, as one number.
    pub error_address: u64,
    /// Q_HEAD.
    pub head: u16,
    /// Q_SEQ.
    pub fences: u32,
    /// The regions.
    pub regions: [u64; 4],
    /// WINDOW_CTRL of each window.
    pub permits: [u8; 4],
    /// Which counters have an event.
    pub events: [bool; COUNTERS],
}

/// A write of something that lies elsewhere: which of them, and the word.
pub type Elsewhere = Option<(usize, u32)>;

/// What the registers say in a clock.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DmaRegistersOutputs {
    /// The write is taken.
    pub takes: bool,
    /// Word of the register that is read, 0 of one whose word comes later; none if it is not here.
    pub word: Option<u32>,
    /// The word of the read of the clock before, if it comes later: at least and at most.
    pub late_word: RangeInclusive<u32>,
    /// Accesses are taken.
    pub ready: bool,
    /// Writes the half of a region.
    pub region: Elsewhere,
    /// Writes a register of a window: 4 x window, and 0 BASE, 1 LIMIT, 2 CTRL.
    pub window: Elsewhere,
    /// Q_BASE.
    pub base: u64,
    /// Q_SIZE.
    pub size: u32,
    /// Q_TAIL.
    pub tail: u32,
    /// AXI_ATTR.
    pub attributes: u32,
    /// TIMEOUT.
    pub timeout: u32,
}

const BASE_LOW: u16 = 0x54;
const BASE_HIGH: u16 = 0x58;
const SIZE: u16 = 0x5c;
const TAIL: u16 = 0x60;
const ATTRIBUTES: u16 = 0x6c;
const TIMEOUT: u16 = 0x70;
/// Registers that keep what is written: their bits, and the value behind a reset.
const KEPT: [(u16, u32, u32); 6] = [
    (BASE_LOW, 0xffff_ffc0, 0),
    (BASE_HIGH, 0xff, 0),
    (SIZE, 0xf, 1),
    (TAIL, 0x3ff, 0),
    (ATTRIBUTES, 0xff7f, 0x2002),
    (TIMEOUT, 0x1f, 20),
];
/// Clocks behind a reset in which the windows are cleared.
const CLEARING: u32 = 8;

/// The registers, clock by clock.
#[derive(Debug, Clone)]
pub struct DmaRegistersModel {
    address_bits: u32,
    /// What was written, pages of windows too.
    kept: BTreeMap<u16, u32>,
    age: u32,
    late_word: RangeInclusive<u32>,
    counters: CountersModel,
}

impl DmaRegistersModel {
    /// Registers of a DMA with addresses of so many bits, after a reset.
    pub fn new(address_bits: u32) -> Self {
        Self {
            address_bits,
            kept: BTreeMap::new(),
            age: 0,
            late_word: 0..=0,
            counters: CountersModel::default(),
        }
    }

    fn kept(&self, address: u16) -> u32 {
        let reset = KEPT.iter().find(|(kept, ..)| *kept == address);
        let reset = reset.map_or(0, |(.., reset)| *reset);
        self.kept.get(&address).copied().unwrap_or(reset)
    }

    /// One clock cycle: the outputs of this cycle, then the clock edge.
    pub fn step(&mut self, inputs: &DmaRegistersInputs) -> DmaRegistersOutputs {
        let write = { inputs.write }.filter(|write| write.2 && self.takes(*write, inputs));
        let base = u64::from(self.kept(BASE_HIGH)) << 32 | u64::from(self.kept(BASE_LOW));
        let outputs = DmaRegistersOutputs {
            takes: write.is_some(),
            word: inputs.read.and_then(|address| self.word(address, inputs)),
            late_word: self.late_word.clone(),
            ready: inputs.alive && self.age >= CLEARING,
            region: write.and_then(|(address, word, _)| match address {
                0x80..0xa0 if address % 8 == 0 => {
                    Some((usize::from(address - 0x80) / 4, word & !7))
                }
                0x80..0xa0 => Some((usize::from(address - 0x80) / 4, word & 0xff)),
                _ => None,
            }),
            window: write.and_then(|(address, word, _)| match address {
                0xc0..0x100 => Some((usize::from(address - 0xc0) / 4, word & self.page(address))),
                _ => None,
            }),
            base: base & ((1 << self.address_bits) - 1),
            size: self.kept(SIZE),
            tail: self.kept(TAIL),
            attributes: self.kept(ATTRIBUTES),
            timeout: self.kept(TIMEOUT),
        };
        match inputs.alive {
            true => self.edge(inputs, write.map(|(address, word, _)| (address, word))),
            false => *self = Self::new(self.address_bits),
        }
        outputs
    }

    /// Bits of a register of a window.
    fn page(&self, address: u16) -> u32 {
        match address % 16 {
            8 => 3,
            _ => (1 << (self.address_bits - 12)) - 1,
        }
    }

    fn edge(&mut self, inputs: &DmaRegistersInputs, write: Option<(u16, u32)>) {
        let counter = { inputs.read }
            .filter(|address| (0x180..0x1ac).contains(address) && address % 4 == 0)
            .map(|address| usize::from(address - 0x180) / 4);
        self.late_word = self.counters.step(&CountersInputs {
            alive: true,
            clear: inputs.resetting,
            events: inputs.events,
            read: counter,
        });
        if let Some(address) = inputs.read.filter(|address| is_page(*address)) {
            let meets = write.is_some_and(|(written, _)| written == address);
            let page = if meets { 0 } else { self.kept(address) };
            self.late_word = page..=page;
        }
        if let Some((address, word)) = write {
            let bits = match address {
                _ if is_page(address) => self.page(address),
                _ => { KEPT.iter().find(|(kept, ..)| *kept == address) }.map_or(0, |kept| kept.1),
            };
            self.kept.insert(address, word & bits);
        }
        if inputs.resetting {
            self.kept.remove(&TAIL);
        }
        self.age += 1;
    }

    /// Whether a write of all bytes is taken.
    fn takes(&self, (address, word, _): (u16, u32, bool), inputs: &DmaRegistersInputs) -> bool {
        let at_rest = !inputs.queue && !inputs.busy;
        let allowed = match address {
            BASE_LOW | BASE_HIGH => !inputs.queue,
            SIZE => !inputs.queue && (1..=10).contains(&(word & 0xf)),
            TAIL => word & 0x3ff < 1 << self.kept(SIZE),
            TIMEOUT | 0x80..0xa0 => at_rest,
            ATTRIBUTES => at_rest && !inputs.lock,
            0xc0..0x100 => at_rest && !inputs.lock && address % 16 != 12,
            _ => false,
        };
        allowed && address % 4 == 0 && !inputs.resetting
    }

    /// The word of a register, if it is here.
    fn word(&self, address: u16, inputs: &DmaRegistersInputs) -> Option<u32> {
        let half = |value: u64, upper: bool| (value >> if upper { 32 } else { 0 }) as u32;
        Some(match address {
            _ if address % 4 != 0 => return None,
            0x24 | 0x28 => half(inputs.error_address, address == 0x28),
            0x64 => inputs.head.into(),
            0x68 => inputs.fences,
            0x80..0xa0 => half(
                inputs.regions[usize::from(address / 8 % 4)],
                address % 8 != 0,
            ),
            0xc0..0x100 if address % 16 == 8 => {
                inputs.permits[usize::from(address / 16 % 4)].into()
            }
            0xc0..0x100 if address % 16 == 12 => return None,
            0xc0..0x100 | 0x180..0x1ac => 0,
            _ => {
                let (address, ..) = KEPT.iter().find(|(kept, ..)| *kept == address)?;
                self.kept(*address)
            }
        })
    }
}

/// BASE or LIMIT of a window.
fn is_page(address: u16) -> bool {
    (0xc0..0x100).contains(&address) && matches!(address % 16, 0 | 4)
}
