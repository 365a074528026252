//! A machine of 4 x 4 behind registers and a memory that follows the rules of AXI4, or breaks them.

use std::sync::LazyLock;

use heddle_arch::identity::config_hash;
use heddle_arch::isa::Instruction;
use heddle_arch::job::{JOB_BYTES, Job, JobWaits, Work};
use heddle_arch::params::{Params, RegisterBus, System};
use heddle_arch::registers::{
    self, Register, ctrl, error, irq_enable, irq_status, q_base_lo, q_seq, q_size, q_tail,
    region_lo, status, window_base, window_ctrl, window_limit,
};
use heddle_arch::transfer::{Space, Transfer, Walk};
use heddle_sim::dma::Windows;
use heddle_tb::verilate::Sources;
use rand_chacha::ChaCha8Rng;

use crate::machines::dump::encode;
use crate::machines::pair::HALT;
use crate::machines::{self, build};
use crate::rtl::{self, Dut, OrPanic};
use crate::system::dma::bus::{Bus, Manners};

/// Clocks from an access being taken to its answer.
const ANSWER: u64 = 4;
/// Logarithm of the entries of the ring.
const LOG: u32 = 4;
/// Ring, image, inputs, outputs.
pub const RING: u64 = 0x1000;
pub const IMAGE: u64 = 0x2000;
/// Both cross a page.
pub const INPUT: u64 = 0x3f98;
pub const OUTPUT: u64 = 0x6fa8;
/// Ring and what is read; what is written.
pub const WINDOWS: Windows = Windows([
    (1, 1, true, false),
    (2, 4, true, false),
    (6, 7, true, true),
    (0, 0, false, false),
]);
/// Rows, and words that each gets.
const ROWS: u32 = 4;
const WORDS: u32 = 6;
/// Zero points of what is loaded and stored.
const ZERO: [u8; 2] = [3, 250];
/// Words between input and result in a partition.
const DISTANCE: u32 = 64;

pub fn params(registers: RegisterBus) -> Params {
    let mut params = machines::open(machines::tiny());
    params.name += "_ring";
    let dma = params.dma().copied();
    params.system = Some(System { registers, dma });
    params
}

pub fn verilog(params: &Params) -> Sources {
    rtl::sources(machines::design_of("system", params), rtl::least)
}

pub static TINY: LazyLock<Sources> = LazyLock::new(|| verilog(&params(RegisterBus::Axil)));

pub struct Bench {
    pub dut: Dut,
    pub bus: Bus,
    pub rng: ChaCha8Rng,
    pub params: Params,
    /// Where the ring is.
    pub ring: u64,
    /// Next entry to be written.
    pub tail: u32,
    /// Clocks in which the interrupt was high.
    pub interrupts: u64,
}

pub fn job(waits: JobWaits, work: Work) -> Job {
    Job { waits, work }
}

pub const PROGRAM: JobWaits = JobWaits {
    program: true,
    loads: false,
    stores: false,
};
pub const LOADS: JobWaits = JobWaits {
    program: false,
    loads: true,
    stores: false,
};

/// Words of all rows from a place on, one row after the other in memory.
fn rows(region: u32, offset: u32, place: u32, zero: u8) -> Transfer {
    Transfer {
        space: Space::Buffer,
        region,
        fill: false,
        partitions: 2,
        zero,
        offset,
        place: [place, 0],
        loops: [
            Walk {
                count: WORDS,
                step: 1,
                pitch: 8,
            },
            Walk {
                count: ROWS,
                step: 0,
                pitch: 8 * WORDS,
            },
            Walk::ONCE,
        ],
    }
}

/// A program that copies the words of a place, as a LOAD of it.
fn program(bench: &mut Bench, offset: u32, pair: u32, place: u32) -> Transfer {
    let from = 8 * place;
    let copy = build::copy(ROWS, from, from + 8 * DISTANCE, &[(WORDS, 8)]);
    let mut words = encode(&[Instruction::Copy(copy), HALT]);
    words.resize(words.len().next_multiple_of(2), 0);
    let address = IMAGE + u64::from(offset);
    let pairs = words.chunks(2).zip(0..);
    for (pair, at) in pairs {
        let word = u64::from(pair[0]) | u64::from(pair[1]) << 32;
        bench.bus.memory.insert(address + 8 * at, word);
    }
    let count = words.len() as u32 / 2;
    Transfer {
        space: Space::Program,
        place: [pair, 0],
        zero: 0,
        partitions: 0,
        loops: [
            Walk {
                count,
                step: 1,
                pitch: 8,
            },
            Walk::ONCE,
            Walk::ONCE,
        ],
        ..rows(0, offset, 0, 0)
    }
}

pub fn run(bench: &Bench, start: u32, waits: JobWaits) -> Job {
    let config = config_hash(&bench.params);
    job(
        waits,
        Work::Run {
            config,
            start,
            limit: 0,
            keep: false,
        },
    )
}

impl Bench {
    pub fn new(sources: &Sources, seed: u64, params: Params, manners: Manners) -> Self {
        let mut dut = Dut::new(sources, seed);
        let rng = dut.rng();
        let mut bus = Bus::new(manners, WINDOWS, 32, 32);
        bus.of_machine = true;
        for name in [
            "s_axi_awvalid",
            "s_axi_wvalid",
            "s_axi_arvalid",
            "m_axi_rvalid",
            "m_axi_bvalid",
        ] {
            dut.set(name, 0u64);
        }
        for name in ["s_axi_bready", "s_axi_rready"] {
            dut.set(name, 1u64);
        }
        dut.set("aresetn", 0u64);
        dut.model().cycles(2);
        dut.set("aresetn", 1u64);
        let mut bench = Self {
            dut,
            bus,
            rng,
            params,
            ring: RING,
            tail: 0,
            interrupts: 0,
        };
        bench.set(
            irq_enable::REGISTER,
            irq_enable::ERROR.mask() | irq_enable::DONE.mask(),
        );
        bench.open(WINDOWS);
        bench.set(q_base_lo::REGISTER, RING as u32);
        bench.set(q_size::REGISTER, LOG);
        bench.set(region_lo::REGISTER, IMAGE as u32);
        bench
    }

    pub fn tiny(seed: u64, manners: Manners) -> Self {
        Self::new(&TINY, seed, params(RegisterBus::Axil), manners)
    }

    /// Writes the windows.
    pub fn open(&mut self, windows: Windows) {
        self.set(ctrl::REGISTER, 0);
        self.bus.windows = windows;
        for (number, (first, last, reads, writes)) in (0u32..).zip(windows.0) {
            let place = |register: Register| register.offset + 16 * number;
            self.write(place(window_base::REGISTER), first);
            self.write(place(window_limit::REGISTER), last);
            self.write(
                place(window_ctrl::REGISTER),
                u32::from(reads) | u32::from(writes) << 1,
            );
        }
    }

    pub fn clock(&mut self) {
        self.bus.drive(&mut self.dut, &mut self.rng);
        self.dut.settle();
        self.bus.look(&self.dut, &mut self.rng).or_panic();
        self.interrupts += self.dut.get("irq_o");
        self.dut.clock();
    }

    /// Clocks until a pin is high, and what another one says then.
    fn until(&mut self, valid: &str, data: &str, most: u64) -> u64 {
        for _ in 0..=most {
            self.dut.settle();
            let found = (self.dut.get(valid) == 1).then(|| self.dut.get(data));
            self.clock();
            if let Some(found) = found {
                return found;
            }
        }
        panic!(
            "{}",
            self.dut.message(&format!("no {valid} in {most} clocks"))
        );
    }

    pub fn write(&mut self, address: u32, word: u32) {
        for (name, value) in [
            ("awaddr", address),
            ("wdata", word),
            ("wstrb", 15),
            ("awvalid", 1),
            ("wvalid", 1),
        ] {
            self.dut.set(&format!("s_axi_{name}"), u64::from(value));
        }
        // Behind a reset of the machine the windows are cleared.
        self.until("s_axi_awready", "s_axi_wready", 8);
        self.dut.set("s_axi_awvalid", 0u64);
        self.dut.set("s_axi_wvalid", 0u64);
        self.until("s_axi_bvalid", "s_axi_bresp", ANSWER);
    }

    pub fn read(&mut self, address: u32) -> u32 {
        self.dut.set("s_axi_araddr", u64::from(address));
        self.dut.set("s_axi_arvalid", 1u64);
        self.until("s_axi_arready", "s_axi_arready", 8);
        self.dut.set("s_axi_arvalid", 0u64);
        self.until("s_axi_rvalid", "s_axi_rdata", ANSWER) as u32
    }

    pub fn set(&mut self, register: Register, word: u32) {
        self.write(register.offset, word);
    }

    pub fn get(&mut self, register: Register) -> u32 {
        self.read(register.offset)
    }

    pub fn status(&mut self) -> u32 {
        self.get(status::REGISTER)
    }

    /// Puts entries into the ring and rings the bell.
    pub fn submit(&mut self, jobs: &[Job]) {
        for job in jobs {
            let words = job.encode().expect("an entry");
            self.put(&words);
        }
        self.bell();
    }

    pub fn put(&mut self, words: &[u32]) {
        let at = self.ring + JOB_BYTES as u64 * u64::from(self.tail);
        for (pair, number) in words.chunks(2).zip(0..) {
            let word = u64::from(pair[0]) | u64::from(pair[1]) << 32;
            self.bus.memory.insert(at + 8 * number, word);
        }
        self.tail = (self.tail + 1) % (1 << LOG);
    }

    pub fn bell(&mut self) {
        self.set(q_tail::REGISTER, self.tail);
        self.set(ctrl::REGISTER, ctrl::QUEUE.mask());
    }

    /// Copies two maps of the input: program and place of the second come while the first runs.
    pub fn list(&mut self) -> Vec<Job> {
        let first = program(self, 0, 0, 0);
        let second = program(self, 0x100, 20, 2 * DISTANCE);
        let half = 8 * WORDS * ROWS;
        let fence = Work::Fence { interrupt: true };
        vec![
            Work::Regions([None, Some(INPUT), Some(OUTPUT), None]).into(),
            Work::Load(first).into(),
            Work::Load(rows(1, 0, 0, ZERO[0])).into(),
            run(self, 0, LOADS),
            Work::Load(second).into(),
            Work::Load(rows(1, half, 2 * DISTANCE, ZERO[0])).into(),
            job(PROGRAM, Work::Store(rows(2, 0, DISTANCE, ZERO[1]))),
            run(self, 40, LOADS),
            job(PROGRAM, Work::Store(rows(2, half, 3 * DISTANCE, ZERO[1]))),
            fence.into(),
        ]
    }

    /// Words of the output of the list: address and word.
    pub fn expected(&self) -> impl Iterator<Item = (u64, u64)> {
        let words = u64::from(2 * ROWS * WORDS);
        (0..words).map(|number| {
            let word = self.bus.word(INPUT + 8 * number).to_le_bytes();
            let coded = word.map(|byte| byte.wrapping_sub(ZERO[0]).wrapping_add(ZERO[1]));
            (OUTPUT + 8 * number, u64::from_le_bytes(coded))
        })
    }

    /// Waits for a fence, or an error.
    pub fn ends(&mut self, fences: u32) {
        for _ in 0..8000 {
            if self.get(q_seq::REGISTER) == fences || status::ERROR.is_set(self.status()) {
                return;
            }
        }
        let status = self.status();
        panic!(
            "{}",
            self.dut.message(&format!("no end, STATUS {status:#x}"))
        );
    }

    /// Carries the list out and checks every word of memory that was written.
    pub fn runs_right(&mut self) {
        let list = self.list();
        let before = self.get(q_seq::REGISTER);
        self.submit(&list);
        self.ends(before + 1);
        let expected: Vec<_> = self.expected().collect();
        for (address, word) in &expected {
            let found = self.bus.memory.remove(address);
            assert_eq!(
                found,
                Some(*word),
                "{}",
                self.dut.message(&format!("{address:#x}"))
            );
        }
        let others = self.bus.memory.keys().filter(|at| **at >= 0x6000).count();
        assert_eq!((expected.len(), others), (48, 0));
        let end = status::DONE.mask() | status::QUEUE_EMPTY.mask();
        assert_eq!(self.status(), end, "{}", self.dut.message("STATUS"));
    }

    /// ERROR without an error.
    pub fn error(&mut self) -> [u32; 2] {
        let found = self.get(error::REGISTER);
        [error::CODE.get(found), error::SOURCE.get(found)]
    }

    /// RESET, and nothing is outstanding any more. What was stored before is not looked at.
    pub fn reset(&mut self) {
        self.set(ctrl::REGISTER, ctrl::RESET.mask());
        for _ in 0..2000 {
            let found = self.status();
            if found & (status::RESETTING.mask() | status::HUNG.mask()) == 0 {
                self.tail = 0;
                self.bus.memory.retain(|address, _| *address < 0x6000);
                self.set(irq_status::REGISTER, u32::MAX);
                assert_eq!(self.status(), status::QUEUE_EMPTY.mask());
                for register in [
                    q_tail::REGISTER,
                    q_seq::REGISTER,
                    registers::q_head::REGISTER,
                ] {
                    assert_eq!(self.get(register), 0);
                }
                assert_eq!(self.error(), [0, 0]);
                return;
            }
        }
        let status = self.status();
        panic!(
            "{}",
            self.dut.message(&format!(
                "RESET does not end, STATUS {status:#x}, open bursts {:?}",
                self.bus.open()
            ))
        );
    }
}
