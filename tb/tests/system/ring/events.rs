//! Errors that the bus has no part in, interrupts, and registers of the DMA at the wrong time.

use heddle_arch::isa::{ErrorCode, SystemError};
use heddle_arch::job::{Job, Work};
use heddle_arch::registers::{
    self, Register, axi_attr, ctrl, error_pc, irq_status, q_base_lo, q_head, q_seq, q_size, q_tail,
    region_hi, region_lo, start_pc, status, timeout, window_base, window_ctrl, window_limit,
};

use super::bench::{Bench, LOADS, run};
use crate::system::dma::bus::Manners;

fn bench() -> Bench {
    Bench::tiny(1, Manners::quick(4))
}

/// Carries out entries up to their error: code, source, instruction and ring index.
fn error_of(bench: &mut Bench, jobs: &[Job]) -> (u32, u32, u32, u32) {
    bench.submit(jobs);
    bench.ends(u32::MAX);
    let [code, source] = bench.error();
    let place = bench.get(error_pc::REGISTER);
    let found = (
        code,
        source,
        error_pc::PC.get(place),
        error_pc::INDEX.get(place),
    );
    assert_eq!(
        bench.get(irq_status::REGISTER) & 0b11,
        irq_status::ERROR.mask()
    );
    // The run before may have ended with HALT, and entries may be left.
    let others = status::DONE.mask() | status::QUEUE_EMPTY.mask();
    assert_eq!(bench.status() & !others, status::ERROR.mask());
    assert_eq!(bench.get(ctrl::REGISTER), 0, "the queue is off");
    found
}

#[proves("PET-62")]
#[test]
fn errors_name_code_source_instruction_and_entry() {
    errors(&mut bench());
}

/// Errors and counters that are kept.
pub fn some(bench: &mut Bench) {
    errors(bench);
    bench.reset();
    keeps(bench);
}

fn errors(bench: &mut Bench) {
    let list = bench.list();
    // A program word that is no instruction: the entry is the RUN of the program.
    let mut wrong = list.clone();
    wrong[3] = run(bench, 100, LOADS);
    bench
        .bus
        .memory
        .insert(super::bench::IMAGE + 0x200, 0xffff_ffff);
    if let Work::Load(transfer) = &mut wrong[1].work {
        (transfer.offset, transfer.place[0], transfer.loops[0].count) = (0x200, 50, 1);
    }
    let illegal = u32::from(ErrorCode::IllegalOpcode.number());
    assert_eq!(error_of(bench, &wrong), (illegal, 0, 100, 3));
    bench.reset();
    bench.runs_right();
    bench.reset();
    // A place beyond the memory.
    let mut wrong = list.clone();
    if let Work::Load(transfer) = &mut wrong[2].work {
        transfer.place[0] = 8190;
    }
    let local = u32::from(SystemError::DmaLocal.number());
    assert_eq!(error_of(bench, &wrong), (local, 4, 0, 2));
    bench.reset();
    // Another machine.
    let mut wrong = list.clone();
    if let Work::Run { config, .. } = &mut wrong[7].work {
        *config ^= 1;
    }
    let entry = u32::from(SystemError::Job.number());
    assert_eq!(error_of(bench, &wrong), (entry, 6, 0, 7));
    bench.reset();
    // A limit of the run.
    let mut wrong = list.clone();
    if let Work::Run { limit, .. } = &mut wrong[3].work {
        *limit = 20;
    }
    let late = u32::from(SystemError::TimeOut.number());
    assert_eq!(error_of(bench, &wrong), (late, 6, 0, 3));
    assert!(!status::HUNG.is_set(bench.status()));
    bench.reset();
    // Nothing starts behind an error but by RESET.
    error_of(bench, &wrong);
    for word in [ctrl::START.mask(), ctrl::QUEUE.mask()] {
        refused(bench, ctrl::REGISTER.offset, word);
    }
    bench.reset();
    bench.runs_right();
    // A limit that is not reached.
    if let Work::Run { limit, .. } = &mut wrong[3].work {
        *limit = 5000;
    }
    let before = bench.get(q_seq::REGISTER);
    bench.submit(&wrong);
    bench.ends(before + 1);
    assert_eq!(bench.error(), [0, 0]);
}

/// A write that changes nothing and sets BAD_ACCESS.
fn refused(bench: &mut Bench, address: u32, word: u32) {
    let bad = irq_status::BAD_ACCESS.mask();
    bench.set(irq_status::REGISTER, bad);
    let before = bench.read(address);
    bench.write(address, word);
    assert_eq!(bench.read(address), before, "{address:#x}");
    assert_eq!(bench.get(irq_status::REGISTER) & bad, bad, "{address:#x}");
    bench.set(irq_status::REGISTER, bad);
}

/// A write that is taken.
fn taken(bench: &mut Bench, address: u32, word: u32, found: u32) {
    bench.write(address, word);
    assert_eq!(bench.read(address), found, "{address:#x}");
    let bad = irq_status::BAD_ACCESS.get(bench.get(irq_status::REGISTER));
    assert_eq!(bad, 0, "{address:#x}");
}

/// Registers that keep what is written while nothing is under way: a word, and what is kept of it.
fn kept() -> Vec<(Register, u32, u32)> {
    vec![
        (q_base_lo::REGISTER, u32::MAX, 0xffff_ffc0),
        (registers::q_base_hi::REGISTER, u32::MAX, 0xff),
        (q_size::REGISTER, 0xfa, 10),
        (axi_attr::REGISTER, u32::MAX, 0xff7f),
        (timeout::REGISTER, u32::MAX, 31),
        (region_lo::REGISTER, u32::MAX, 0xffff_fff8),
        (region_hi::REGISTER, u32::MAX, 0xff),
        (window_base::REGISTER, 0xffff_ff15, 0xf_ff15),
        (window_limit::REGISTER, 0xffff_ff25, 0xf_ff25),
        (window_ctrl::REGISTER, u32::MAX, 3),
    ]
}

#[proves("PET-65")]
#[test]
fn registers_of_the_dma_keep_their_fields_and_have_their_values_after_a_reset() {
    let mut bench = bench();
    for (register, word, found) in kept() {
        for (number, (_, address)) in (0u32..).zip(register.instances()) {
            let word = word ^ (number * 0x100);
            taken(&mut bench, address, word, found & word);
        }
    }
    taken(&mut bench, q_tail::REGISTER.offset, 0xffff_ffff, 0x3ff);
    bench.dut.set("aresetn", 0u64);
    bench.dut.model().cycles(2);
    bench.dut.set("aresetn", 1u64);
    let params = bench.params.clone();
    let mut count = 0;
    // The word read last is no state.
    let of_reads = [
        registers::port_rlo::REGISTER.offset,
        registers::port_rhi::REGISTER.offset,
    ];
    for register in registers::of(&params).filter(|own| !of_reads.contains(&own.offset)) {
        for (_, address) in register.instances() {
            assert_eq!(bench.read(address), register.reset(&params), "{address:#x}");
            count += 1;
        }
    }
    assert_eq!(count, 84);
    assert_eq!(bench.get(irq_status::REGISTER), 0);
}

#[proves("PET-65")]
#[test]
fn registers_of_the_dma_are_refused_at_the_wrong_time() {
    let mut bench = bench();
    // While the queue is on.
    bench.bell();
    for (register, word, _) in kept() {
        refused(&mut bench, register.offset, word);
    }
    refused(&mut bench, ctrl::REGISTER.offset, ctrl::START.mask());
    refused(&mut bench, q_tail::REGISTER.offset, 1 << 4);
    for register in [
        q_head::REGISTER,
        q_seq::REGISTER,
        registers::error_addr_lo::REGISTER,
    ] {
        refused(&mut bench, register.offset, 1);
    }
    bench.set(ctrl::REGISTER, 0);
    // A size that no ring has; partial words.
    for log in [0, 11, 15] {
        refused(&mut bench, q_size::REGISTER.offset, log);
    }
    // Locked until the reset of the machine.
    taken(
        &mut bench,
        ctrl::REGISTER.offset,
        ctrl::LOCK.mask(),
        ctrl::LOCK.mask(),
    );
    taken(&mut bench, ctrl::REGISTER.offset, 0, ctrl::LOCK.mask());
    let locked = [
        axi_attr::REGISTER,
        window_base::REGISTER,
        window_limit::REGISTER,
        window_ctrl::REGISTER,
    ];
    for (register, word, found) in kept() {
        let of_lock = locked.iter().any(|other| other.offset == register.offset);
        match of_lock {
            true => refused(&mut bench, register.offset, word),
            false if register.offset >= 0x80 || register.offset == timeout::REGISTER.offset => {
                taken(&mut bench, register.offset, word, found);
            }
            false => {}
        }
    }
    bench.set(registers::q_base_lo::REGISTER, super::bench::RING as u32);
    bench.set(region_lo::REGISTER, super::bench::IMAGE as u32);
    bench.set(region_hi::REGISTER, 0);
    bench.reset();
    assert_eq!(bench.get(ctrl::REGISTER), ctrl::LOCK.mask());
    bench.runs_right();
}

#[proves("PET-62", "PET-70")]
#[test]
fn a_start_and_a_fence_are_done_and_a_run_alone_is_not() {
    let mut bench = bench();
    let list = bench.list();
    // All but the fence.
    bench.submit(&list[..9]);
    for _ in 0..600 {
        bench.clock();
    }
    let found = bench.get(irq_status::REGISTER);
    assert_eq!(
        found,
        irq_status::QUEUE_EMPTY.mask(),
        "a run of a job sets no DONE"
    );
    bench.set(irq_status::REGISTER, u32::MAX);
    bench.submit(&list[9..]);
    bench.ends(1);
    let found = bench.get(irq_status::REGISTER);
    assert_eq!(
        found,
        irq_status::QUEUE_EMPTY.mask() | irq_status::DONE.mask()
    );
    bench.set(irq_status::REGISTER, u32::MAX);
    // The queue is off, and a program starts by hand.
    bench.set(ctrl::REGISTER, 0);
    bench.set(start_pc::REGISTER, 40);
    bench.set(ctrl::REGISTER, ctrl::START.mask());
    for _ in 0..200 {
        bench.clock();
    }
    assert_eq!(bench.get(irq_status::REGISTER), irq_status::DONE.mask());
    assert!(bench.interrupts > 0);
}

#[proves("PET-62")]
#[test]
fn counters_of_the_dma_count_words_bursts_and_entries_until_a_reset() {
    let mut bench = bench();
    bench.runs_right();
    let counter = |name: &str| {
        let at = registers::DMA_COUNTERS.iter().position(|own| *own == name);
        registers::dma_counter::REGISTER.offset + 4 * at.expect("a counter") as u32
    };
    let loads = 2 * 24 + 2 * 2 * 5;
    let words = bench.read(counter("LOAD_WORDS"));
    let (reads, writes) = (bench.bus.reads.len() as u32, bench.bus.writes.len() as u32);
    println!("{words} words, {reads} and {writes} bursts; {loads}");
    assert_eq!(bench.read(counter("READ_BURSTS")), reads);
    assert_eq!(bench.read(counter("WRITE_BURSTS")), writes);
    assert_eq!(bench.read(counter("STORE_WORDS")), 48);
    assert_eq!(bench.read(counter("JOBS")), 10);
    assert!(words > 48 && bench.read(counter("STALL_LOAD")) > 0);
    bench.reset();
    for name in registers::DMA_COUNTERS {
        assert_eq!(bench.read(counter(name)), 0, "{name}");
    }
}

#[proves("PET-62")]
#[test]
fn a_run_that_keeps_the_counters_adds_to_them() {
    keeps(&mut bench());
}

fn keeps(bench: &mut Bench) {
    let counters = |bench: &mut Bench, keep: bool| {
        let mut list = bench.list();
        if let Work::Run { keep: own, .. } = &mut list[7].work {
            *own = keep;
        }
        let before = bench.get(q_seq::REGISTER);
        bench.submit(&list);
        bench.ends(before + 1);
        bench.read(registers::counter::REGISTER.offset + 4 * heddle_arch::Counter::Cycles.index())
    };
    let one = counters(bench, false);
    let both = counters(bench, true);
    assert!(one > 20 && both == 2 * one, "{one} and {both} cycles");
}

/// Clocks until a pin is high.
fn clocks_to(bench: &mut Bench, pin: &str) -> u64 {
    for clocks in 0..2000 {
        bench.dut.settle();
        if bench.dut.get(pin) == 1 {
            return clocks;
        }
        bench.clock();
    }
    panic!("{}", bench.dut.message(pin));
}

#[test]
fn a_doorbell_is_heard_and_an_end_is_told_within_a_few_clocks() {
    let mut bench = bench();
    bench.set(ctrl::REGISTER, ctrl::QUEUE.mask());
    let fence = Job::from(Work::Fence { interrupt: true });
    // The clock in which the word of the doorbell is taken.
    let list = bench.list();
    for job in list.iter().chain([&fence]) {
        bench.put(&job.encode().expect("an entry"));
    }
    for (name, value) in [
        ("awaddr", q_tail::REGISTER.offset),
        ("wdata", 10),
        ("wstrb", 15),
        ("awvalid", 1),
        ("wvalid", 1),
    ] {
        bench.dut.set(&format!("s_axi_{name}"), u64::from(value));
    }
    assert_eq!(clocks_to(&mut bench, "s_axi_wready"), 0);
    bench.clock();
    bench.dut.set("s_axi_awvalid", 0u64);
    bench.dut.set("s_axi_wvalid", 0u64);
    let bell = 1 + clocks_to(&mut bench, "m_axi_arvalid");
    // The answer to the last write burst.
    while bench.bus.answers() < 3 {
        bench.clock();
    }
    let end = 1 + clocks_to(&mut bench, "irq_o");
    println!(
        "{bell} clocks from the doorbell to ARVALID, {end} behind the last answer to the interrupt"
    );
    assert!(bell <= 12 && end <= 6, "{bell} and {end}");
}
