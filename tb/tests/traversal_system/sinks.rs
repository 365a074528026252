//! Where addresses go: to a processing unit, to the read port of a memory, onto a bus that others
//! use too. The stream is the same at each of them.

use std::collections::VecDeque;
use std::sync::LazyLock;

use heddle_arch::traverse::Command;
use heddle_hdl::traversal::OffsetTable;
use heddle_sim::traversal::vectors::unit_vectors;
use heddle_tb::verilate::Sources;
use rand::Rng;
use rand_chacha::ChaCha8Rng;

use super::{SHAPE, check_address, elements, reset, system, words};
use crate::rtl::{Checked, Coverage, Dut, check_mutants, emitted, faults, run_seeds};
use crate::traversal_unit::records::random_commands;

static SINKS: LazyLock<Sources> = LazyLock::new(|| {
    // Memory as the emitter prints it, from a design that has one.
    let files = emitted(OffsetTable::<12>::new(1, 16)).files.into_iter();
    let mut memory = files.filter(|(name, _)| name == "heddle_ram_1r1w.v");
    let (name, text) = memory.next().expect("the table has a memory");
    let around = [
        (name.as_str(), text.as_str()),
        ("traversal_sinks.v", include_str!("sinks.v")),
    ];
    system("traversal_sinks", &around)
});

/// Words of the memory: one for each address.
const WORDS: u64 = 1 << 12;

/// What stands in the memory: another value in every word.
fn contents(address: u64) -> u64 {
    (address * 40_503 + 977) & 0xffff
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Sink {
    Processor,
    Memory,
    Bus,
}

/// A unit between its sinks, with the memory filled.
fn filled(sources: &Sources, seed: u64) -> Dut {
    let mut dut = Dut::new(sources, seed);
    let low = "instr_valid_i ready_i free_i grant_i other_valid_i write_i sink_i";
    for input in low.split(' ') {
        dut.set(input, false);
    }
    dut.set("write_i", true);
    for address in 0..WORDS {
        dut.set("write_addr_i", address);
        dut.set("write_data_i", contents(address));
        dut.clock();
    }
    dut.set("write_i", false);
    reset(&mut dut);
    dut
}

/// The other master of the bus: what it still wants to send, and what arrived.
#[derive(Default)]
struct Other {
    waiting: VecDeque<u64>,
    sent: Vec<u64>,
    arrived: Vec<u64>,
}

impl Other {
    fn offer(&mut self, dut: &mut Dut, rng: &mut ChaCha8Rng) {
        if self.waiting.is_empty() && rng.random_ratio(1, 3) {
            self.waiting.push_back(rng.random_range(0..WORDS));
        }
        dut.set("other_valid_i", !self.waiting.is_empty());
        dut.set("other_addr_i", self.waiting.front().copied().unwrap_or(0));
    }

    fn granted(&mut self) {
        self.sent.extend(self.waiting.pop_front());
    }
}

/// Runs instructions; every address must arrive at the sink once and in order. Gives what arrived:
/// addresses, or the words read at them.
fn run(
    dut: &mut Dut,
    program: &[u32],
    sink: Sink,
    density: u32,
    rng: &mut ChaCha8Rng,
) -> Checked<Vec<u64>> {
    let expected = elements(program);
    dut.set("sink_i", sink as u64);
    let mut arrived = Vec::new();
    let mut other = Other::default();
    let (mut next, mut idle) = (0, 0);
    for _ in 0..program.len() * 8 + 60 * (expected.len() + 4) {
        let offered = next < program.len() && rng.random_ratio(7, 8);
        let open = rng.random_ratio(density, 8);
        // All sinks but one are always open: only the chosen one may take an address.
        dut.set("ready_i", open || sink != Sink::Processor);
        dut.set("free_i", open || sink != Sink::Memory);
        let grant = match sink {
            Sink::Bus if open => 1_u32 << rng.random_range(0..2),
            Sink::Bus => 0,
            _ => rng.random_range(0..3),
        };
        dut.set("grant_i", grant);
        other.offer(dut, rng);
        dut.set("instr_valid_i", offered);
        dut.set("instr_data_i", program.get(next).copied().unwrap_or(0));
        dut.settle();
        dut.check("error_o", false)?;
        if sink == Sink::Processor && dut.get("valid_o") == 1 {
            check_address(dut, expected.get(arrived.len()))?;
            arrived.extend(open.then(|| dut.get("addr_o")));
        } else {
            dut.check("valid_o", false)?;
        }
        next += usize::from(offered && dut.get("instr_ready_o") == 1);
        if grant == 2 {
            other.granted();
        }
        dut.clock();

        // What memory and bus took at this clock edge stands at their outputs now.
        if dut.get("data_valid_o") == 1 {
            if sink != Sink::Memory || !open {
                return Err(dut.message("a word nobody asked for"));
            }
            let element = expected.get(arrived.len());
            let element = element.ok_or_else(|| dut.message("a word too many"))?;
            dut.check("data_o", contents(element.address))?;
            arrived.push(dut.get("data_o"));
        }
        if dut.get("bus_valid_o") == 1 {
            dut.check("bus_owner_o", grant == 2)?;
            if grant == 2 {
                other.arrived.push(dut.get("bus_addr_o"));
            } else {
                let element = expected.get(arrived.len());
                let element = element.filter(|_| sink == Sink::Bus && grant == 1);
                let element = element.ok_or_else(|| dut.message("an address too many"))?;
                dut.check("bus_addr_o", element.address)?;
                arrived.push(dut.get("bus_addr_o"));
            }
        }
        let over = arrived.len() == expected.len() && next == program.len();
        idle = if over { idle + 1 } else { 0 };
        if idle == 40 {
            dut.check("busy_o", false)?;
            if other.arrived != other.sent {
                return Err(dut.message("the other master lost an address"));
            }
            return Ok(arrived);
        }
    }
    let (found, all) = (arrived.len(), expected.len());
    Err(dut.message(&format!("{found} of {all} addresses at {sink:?}")))
}

/// The same program at every sink, with stalls of the given density.
fn same_at_each_sink(
    dut: &mut Dut,
    program: &[u32],
    density: u32,
    rng: &mut ChaCha8Rng,
) -> Checked<usize> {
    let place = |message| format!("{message}, {program:x?}");
    let mut stream = |sink| run(dut, program, sink, density, rng).map_err(place);
    let processor = stream(Sink::Processor)?;
    let memory = stream(Sink::Memory)?;
    let bus = stream(Sink::Bus)?;
    let data: Vec<u64> = processor.iter().map(|a| contents(*a)).collect();
    if bus != processor || memory != data {
        return Err(place("the sinks differ".into()));
    }
    Ok(processor.len())
}

fn random_records(sources: &Sources, seed: u64) -> Checked<Coverage> {
    let mut dut = filled(sources, seed);
    let mut coverage = Coverage::default();
    let mut rng = dut.rng();
    println!("seed {seed}");
    for _ in 0..60 {
        let addresses = rng.random_range(1..60);
        let commands = random_commands(&mut rng, &SHAPE, addresses);
        let program: Vec<u32> = commands.iter().flat_map(Command::encode).collect();
        let density = rng.random_range(1..=8);
        let count = same_at_each_sink(&mut dut, &program, density, &mut rng)?;
        coverage.event("always open", density == 8);
        coverage.event("seldom open", density == 1);
        coverage.event("many addresses", count > 30);
        coverage.event("several traversals", commands.len() > 1);
        let runs = || commands.iter().filter_map(Command::run);
        coverage.event("on demand", runs().any(|run| run.on_demand));
        coverage.event("offset only", runs().any(|run| run.offset_only));
    }
    Ok(coverage)
}

#[proves("TTU-053", "TTU-054", "TTU-056")]
#[test]
fn the_worked_vectors_reach_every_sink() {
    let mut dut = filled(&SINKS, 1);
    let mut rng = dut.rng();
    let vectors = unit_vectors(SHAPE.offset_bits).into_iter();
    let mut fitting = 0;
    for vector in vectors.filter(|v| v.fits(&SHAPE) && v.stop.is_none()) {
        for density in [8, 3] {
            let count = same_at_each_sink(&mut dut, &words(&vector.rows), density, &mut rng);
            assert_eq!(count.unwrap(), vector.addresses.len(), "{}", vector.id);
        }
        fitting += 1;
    }
    assert!(fitting >= 8, "only {fitting} vectors fit");
}

#[proves("TTU-054")]
#[test]
fn random_records_are_the_same_at_processor_memory_and_bus() {
    run_seeds(|seed| random_records(&SINKS, seed));
}

#[test]
fn faults_on_the_way_to_a_sink_are_noticed() {
    let mutants = r"
        // Addresses move on although no sink takes them.
        heddle_traversal_m3: room = !valid_q | ready_i => room = 1'b1
        // The last address of a row is wrong.
        heddle_traversal_m3: addr_q <= engine_addr => addr_q <= engine_addr ^ {11'd0, engine_last}";
    check_mutants(&SINKS, &faults(mutants), random_records);
}
