//! The machine behind its registers: programs as at the host port, and what the registers refuse.

use std::sync::LazyLock;

use heddle_arch::isa::ErrorCode;
use heddle_arch::params::{self, Params, RegisterBus};
use heddle_arch::registers::{
    Register, ctrl, error, error_pc, irq_enable, irq_status, port_addr, port_whi, port_wlo,
    start_pc, status,
};
use heddle_tb::Model;
use heddle_tb::registers::RegisterPort;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::machines::dump::encode;
use crate::machines::pair::{End, HALT, Pair};
use crate::machines::{self, Machine};
use crate::rtl::{self, OrPanic, seeds};

/// The machine of these parameters behind registers on a bus.
pub fn machine(mut params: Params, registers: RegisterBus) -> Machine {
    params.name += "_system";
    params.system = Some(params::System {
        registers,
        dma: None,
    });
    let sources = rtl::sources(machines::design_of("system", &params), rtl::least);
    Machine::from_verilog(params, &sources)
}

pub static TINY: LazyLock<Machine> = LazyLock::new(|| machine(machines::tiny(), RegisterBus::Axil));

/// Runs random programs on a machine and on the golden one.
fn run_programs(machine: &Machine, rounds: usize) {
    let (mut halts, mut errors) = (0, 0);
    for seed in seeds() {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let mut pair = Pair::new(machine, seed, &mut rng).or_panic();
        for round in 0..rounds {
            pair.set_zero(rng.random());
            let words = pair.params().program.words;
            let (pc, program) =
                pair.defined_program(&mut rng, |rng, n| rng.random_range(0..=words - n));
            pair.write_program(pc, &encode(&program));
            match pair.run(pc, 200_000).or_panic() {
                End::Halt(_) => halts += 1,
                End::Error(..) => {
                    errors += 1;
                    pair.prepare().or_panic();
                }
                _ => pair.prepare().or_panic(),
            }
            if round % 6 == 0 {
                pair.compare().or_panic();
            }
        }
        pair.compare().or_panic();
    }
    println!("{halts} programs with HALT, {errors} with an error");
    assert!(halts > rounds * seeds().len() / 2 && errors > 0);
}

#[proves("PET-65", "PET-78")]
#[test]
fn programs_run_through_the_registers_as_at_the_host_port() {
    run_programs(&TINY, 30);
}

#[test]
fn programs_run_through_wishbone_registers() {
    run_programs(&machine(machines::tiny(), RegisterBus::Wishbone), 10);
}

/// All options of post-processing and an asynchronous reset, more rows than columns, sums at the top.
#[test]
fn programs_run_through_the_registers_of_other_machines() {
    let mut pooling = machines::pooling();
    pooling.reset.style = params::ResetStyle::Async;
    let mut tall = machines::tall();
    tall.array.partial_sums = params::PartialSums::Top;
    for params in [pooling, tall] {
        run_programs(&machine(params, RegisterBus::Axil), 6);
    }
}

/// A model with the registers of a machine, after a reset.
struct Bus {
    model: Model,
    port: RegisterPort,
}

impl Bus {
    fn set(&mut self, register: Register, word: u32) {
        self.port.set(&mut self.model, register, word).or_panic();
    }

    fn get(&mut self, register: Register) -> u32 {
        self.port.get(&mut self.model, register).or_panic()
    }

    fn irq(&mut self) -> bool {
        let irq = self.model.port("irq_o").or_panic();
        self.model.eval();
        self.model.get(irq) == 1
    }

    /// A word of the program memory.
    fn program(&mut self, words: &[u32]) {
        self.set(port_addr::REGISTER, heddle_arch::host::program_address(0));
        for word in words {
            self.set(port_wlo::REGISTER, *word);
            self.set(port_whi::REGISTER, 0);
            while status::PORT_BUSY.is_set(self.get(status::REGISTER)) {}
        }
    }

    fn start(&mut self) {
        self.set(ctrl::REGISTER, ctrl::START.mask());
    }

    /// The first STATUS without RUNNING.
    fn end(&mut self) -> u32 {
        for _ in 0..10_000 {
            let found = self.get(status::REGISTER);
            if !status::RUNNING.is_set(found) {
                return found;
            }
        }
        panic!("still runs")
    }
}

fn bus(seed: u64) -> Bus {
    let mut model = TINY.model(seed);
    let port = RegisterPort::new(&mut model).or_panic();
    Bus { model, port }
}

#[test]
fn interrupts_errors_and_resets_are_those_of_the_document() {
    let mut bus = bus(1);
    let happened = |bus: &mut Bus| bus.get(irq_status::REGISTER);
    bus.set(irq_enable::REGISTER, irq_enable::DONE.mask());
    // HALT behind an opcode that does not exist.
    let mut words = vec![0];
    words.extend(HALT.encode());
    bus.program(&words);
    assert_eq!(happened(&mut bus), 0);
    bus.set(start_pc::REGISTER, 1);
    bus.start();
    assert_eq!(bus.end(), status::DONE.mask());
    assert_eq!(happened(&mut bus), irq_status::DONE.mask());
    assert!(bus.irq());
    bus.set(irq_status::REGISTER, irq_status::DONE.mask());
    assert_eq!(happened(&mut bus), 0);
    assert!(!bus.irq());
    // The error; it raises no line that is not enabled.
    bus.set(start_pc::REGISTER, 0);
    bus.start();
    assert_eq!(bus.end(), status::ERROR.mask());
    assert_eq!(happened(&mut bus), irq_status::ERROR.mask());
    assert!(!bus.irq());
    let code = error::CODE.put(ErrorCode::IllegalOpcode.number().into());
    assert_eq!(bus.get(error::REGISTER), code | error::SOURCE.put(0));
    assert_eq!(bus.get(error_pc::REGISTER), 0);
    // No start before a reset.
    bus.start();
    assert_eq!(
        happened(&mut bus),
        (irq_status::ERROR.mask() | irq_status::BAD_ACCESS.mask())
    );
    assert_eq!(bus.end(), status::ERROR.mask());
    bus.set(irq_status::REGISTER, u32::MAX);
    bus.set(ctrl::REGISTER, ctrl::RESET.mask());
    while status::RESETTING.is_set(bus.get(status::REGISTER)) {}
    assert_eq!(bus.get(status::REGISTER), 0);
    assert_eq!(bus.get(error::REGISTER), 0);
    // The engine gets START_PC again, and the memories are as they were.
    bus.start();
    assert_eq!(bus.end(), status::ERROR.mask());
    bus.set(ctrl::REGISTER, ctrl::RESET.mask());
    while status::RESETTING.is_set(bus.get(status::REGISTER)) {}
    bus.set(start_pc::REGISTER, 1);
    bus.start();
    assert_eq!(bus.end(), status::DONE.mask());
    let expected = irq_status::ERROR.mask() | irq_status::DONE.mask();
    assert_eq!(happened(&mut bus), expected);
}
