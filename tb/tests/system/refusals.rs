//! Accesses that the registers refuse, each once, and the same accesses when they are allowed.

use heddle_arch::host::{
    ColumnSelect, buffer_address, column_address, program_address, row_offset_address,
};
use heddle_arch::registers::{
    Access, REGISTERS, Register, ctrl, host_zero, irq_enable, irq_status, port_addr, port_ctrl,
    port_whi, port_wlo, start_pc, status,
};
use heddle_tb::Model;
use heddle_tb::registers::RegisterPort;

use super::machine::TINY;
use crate::machines::pair::HALT;
use crate::rtl::OrPanic;

/// A write: address, word, strobes.
type Write = (u32, u32, u8);

/// A machine behind its registers, and which accesses it has refused.
struct Bench {
    model: Model,
    port: RegisterPort,
    refused: u32,
    allowed: u32,
}

const fn write(register: Register, word: u32) -> Write {
    (register.offset, word, 0b1111)
}

const START: Write = write(ctrl::REGISTER, ctrl::START.mask());
const READ: Write = write(port_ctrl::REGISTER, port_ctrl::READ.mask());
const PUT: Write = write(port_whi::REGISTER, 0);

impl Bench {
    /// Memories hold no program but one that waits until it is stuck, at 0, and a HALT at 16.
    fn new() -> Self {
        let mut model = TINY.model(3);
        let port = RegisterPort::new(&mut model).or_panic();
        let mut bench = Self {
            model,
            port,
            refused: 0,
            allowed: 0,
        };
        let stuck = [0x0503, 1, 0, 0x01, TINY.params.bank_bytes()];
        let places = (0..).zip(stuck).chain((5..).zip(HALT.encode()));
        for (at, word) in places.chain((16..).zip(HALT.encode())) {
            bench
                .port
                .write(&mut bench.model, program_address(at), word.into())
                .or_panic();
        }
        bench
    }

    fn get(&mut self, register: Register) -> u32 {
        self.port.get(&mut self.model, register).or_panic()
    }

    fn put(&mut self, (address, word, strobes): Write) {
        let bus = self.port.bus();
        bus.write(&mut self.model, address, word, strobes)
            .or_panic();
    }

    /// Whether something was refused since the last time.
    fn takes_bad(&mut self) -> bool {
        let found = self.get(irq_status::REGISTER);
        self.put(write(irq_status::REGISTER, irq_status::BAD_ACCESS.mask()));
        irq_status::BAD_ACCESS.is_set(found)
    }

    /// What a host can have set.
    fn settings(&mut self) -> [u32; 6] {
        [
            irq_enable::REGISTER,
            start_pc::REGISTER,
            host_zero::REGISTER,
            port_addr::REGISTER,
            port_wlo::REGISTER,
            port_whi::REGISTER,
        ]
        .map(|register| self.get(register))
    }

    #[track_caller]
    fn refuses(&mut self, what: Write) {
        let before = self.settings();
        self.put(what);
        assert!(self.takes_bad(), "{what:x?} is taken");
        assert_eq!(self.settings(), before, "{what:x?} changes something");
        self.refused += 1;
    }

    #[track_caller]
    fn allows(&mut self, what: Write) {
        self.put(what);
        assert!(!self.takes_bad(), "{what:x?} is refused");
        self.allowed += 1;
    }

    fn rest(&mut self) {
        while status::PORT_BUSY.is_set(self.get(status::REGISTER)) {}
    }

    fn goes_to(&mut self, address: u32) {
        self.rest();
        self.put(write(port_addr::REGISTER, address));
    }

    fn runs_from(&mut self, pc: u32) {
        self.put(write(start_pc::REGISTER, pc));
        self.put(START);
    }

    fn ends(&mut self) -> u32 {
        for _ in 0..3000 {
            let found = self.get(status::REGISTER);
            if !status::RUNNING.is_set(found) {
                return found;
            }
        }
        panic!("still runs")
    }
}

/// Registers of the machine of the bench: it has no DMA.
fn of_bench() -> impl Iterator<Item = &'static Register> {
    REGISTERS.iter().filter(|register| !register.dma)
}

/// Registers that a host writes.
fn written() -> Vec<Register> {
    let is_written = |register: &&Register| {
        let mut fields = register.fields.iter();
        fields.any(|field| field.access != Access::RO)
    };
    of_bench().filter(is_written).copied().collect()
}

/// Words that do nothing: no start, no reset, no read.
fn harmless(register: Register) -> Write {
    write(register, 0)
}

#[proves("PET-65")]
#[test]
fn what_is_not_allowed_is_refused_and_changes_nothing() {
    let mut bench = Bench::new();
    assert!(!bench.takes_bad());
    bench.put(write(irq_enable::REGISTER, 0b11));
    bench.put(write(start_pc::REGISTER, 7));
    bench.put(write(host_zero::REGISTER, 9));
    // At any time: what does not exist, what is read only, what is partial.
    let places: Vec<u32> = of_bench()
        .flat_map(Register::instances)
        .map(|(_, at)| at)
        .collect();
    for address in (0..1 << 12).step_by(4).filter(|at| !places.contains(at)) {
        let found = bench.port.bus().read(&mut bench.model, address).or_panic();
        assert_eq!(found, 0, "{address:#x}");
        if address % 64 == 36 || address > 0xfe0 {
            assert!(bench.takes_bad(), "read of {address:#x}");
            bench.refuses((address, u32::MAX, 0b1111));
        }
    }
    for address in [0x35, 0x36, 0x37] {
        bench.refuses((address, 1, 0b1111));
        let found = bench.port.bus().read(&mut bench.model, address).or_panic();
        assert!(found == 0 && bench.takes_bad());
    }
    for register in of_bench().filter(|one| !written().iter().any(|w| w.offset == one.offset)) {
        for (_, address) in register.instances() {
            bench.refuses((address, u32::MAX, 0b1111));
        }
    }
    for register in written() {
        for strobes in 0..0b1111 {
            bench.refuses((register.offset, u32::MAX, strobes));
        }
        bench.rest();
    }
    assert_eq!(bench.get(status::REGISTER), 0, "nothing was started");
    // The window port has no region 0.
    for address in [0, 8, 0x3fff_fff8] {
        bench.goes_to(address);
        bench.refuses(READ);
        bench.refuses(PUT);
    }
    let idle = bench.refused;
    running(&mut bench);
    failed(&mut bench);
    println!(
        "{idle} refused at rest, {} in all, {} allowed",
        bench.refused, bench.allowed
    );
    assert_eq!((idle, bench.refused - idle, bench.allowed), (248, 29, 30));
}

/// Addresses of memories that are not reached while a program runs.
fn at_rest_only() -> [u32; 3] {
    [
        program_address(40),
        column_address(0, 0, ColumnSelect::Bias),
        row_offset_address(1, 3),
    ]
}

fn running(bench: &mut Bench) {
    for address in at_rest_only() {
        bench.goes_to(address);
        bench.allows(PUT);
        bench.rest();
        bench.goes_to(address);
        bench.runs_from(0);
        bench.refuses(START);
        bench.refuses(READ);
        bench.refuses(PUT);
        // Beside that the registers are written as ever.
        for (register, word) in [
            (start_pc::REGISTER, 16),
            (host_zero::REGISTER, 3),
            (port_addr::REGISTER, buffer_address(1, 2)),
            (port_wlo::REGISTER, 5),
            (irq_enable::REGISTER, 1),
        ] {
            bench.allows(write(register, word));
        }
        // An access that waits for the end of the run.
        bench.allows(PUT);
        for register in [
            port_addr::REGISTER,
            port_ctrl::REGISTER,
            port_wlo::REGISTER,
            port_whi::REGISTER,
        ] {
            bench.refuses(harmless(register));
        }
        let now = bench.get(status::REGISTER);
        assert_eq!(now, status::RUNNING.mask() | status::PORT_BUSY.mask());
        bench.put(write(ctrl::REGISTER, ctrl::RESET.mask()));
        while status::RESETTING.is_set(bench.get(status::REGISTER)) {}
        assert_eq!(bench.get(status::REGISTER), 0, "a reset ends both");
    }
}

fn failed(bench: &mut Bench) {
    bench.runs_from(0);
    assert_eq!(bench.ends(), status::ERROR.mask());
    bench.refuses(START);
    for register in written() {
        bench.allows(harmless(register));
        bench.rest();
        bench.put(write(port_addr::REGISTER, buffer_address(1, 2)));
    }
    // While a reset is under way, but for the interrupts.
    for register in written() {
        bench.put(write(port_addr::REGISTER, buffer_address(1, 2)));
        bench.put(write(ctrl::REGISTER, ctrl::RESET.mask()));
        bench.put(harmless(register));
        let is_free = [irq_status::REGISTER, irq_enable::REGISTER]
            .iter()
            .any(|free| free.offset == register.offset);
        assert_eq!(bench.takes_bad(), !is_free, "{}", register.name);
        bench.refused += u32::from(!is_free);
        while status::RESETTING.is_set(bench.get(status::REGISTER)) {}
    }
    bench.runs_from(16);
    assert_eq!(bench.ends(), status::DONE.mask());
}
