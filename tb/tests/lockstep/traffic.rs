//! Clients of an open machine that ask for words of the state buffer in nearly every clock while a program runs: loads, stores,
//! the host. None of them may lose a word or meet another access, and the program must not notice.

use std::collections::{BTreeMap, VecDeque};

use heddle_arch::host::{buffer_address, program_address};
use heddle_arch::isa::{Instruction, Matmul, RowTable};
use heddle_arch::params::{CounterSet, Params, ProgramMemory};
use heddle_arch::word::WordBytes;
use heddle_sim::machine::Machine as Golden;
use heddle_tb::{Model, PortId};
use rand::seq::IndexedRandom;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::{programs, watch};
use crate::machines::build;
use crate::machines::dump::{encode, fill_tables};
use crate::machines::pair::{End, HALT, random_word, row};
use crate::machines::{self, Machine};
use crate::matrix::bench::Bench;
use crate::rtl::{self, Checked};

const CLIENTS: usize = 3;
/// Clients in the order of their pins.
const LOAD: usize = 0;
const STORE: usize = 1;
const HOST: usize = 2;
/// From a read that is taken to its answer, besides rows.
const ANSWER: u64 = 8;
/// Clocks that a request may wait for a program to leave a gap: more than any drain or copy of the programs takes.
const PATIENCE: u64 = 20_000;

/// What a client asks for.
#[derive(Debug, Clone, Copy)]
enum Request {
    Read {
        place: (u32, u32),
        zero: u8,
    },
    Write {
        place: (u32, u32),
        data: WordBytes,
        zero: u8,
    },
    Program {
        word: u32,
        data: u32,
    },
}

struct Pins {
    host: [PortId; 5],
    answers: [[PortId; 2]; 2],
    dma: [PortId; 5],
    /// Operands that are read, words of the drain: valid and word; then accesses from outside.
    inside: [[PortId; 2]; 2],
    outside: PortId,
}

impl Pins {
    fn new(model: &Model) -> Self {
        let port = |name: &str| model.port(name).expect("an open machine has it");
        Self {
            host: ["valid_i", "ready_o", "write_i", "addr_i", "wdata_i"]
                .map(|name| port(&format!("host_{name}"))),
            answers: ["dma", "host"]
                .map(|name| ["rvalid_o", "rdata_o"].map(|pin| port(&format!("{name}_{pin}")))),
            dma: [
                "dma_valid_i",
                "dma_ready_o",
                "dma_addr_i",
                "load_wdata_i",
                "dma_zero_i",
            ]
            .map(port),
            inside: [
                ["op_read_o", "op_word_o"],
                ["place_valid_o", "place_word_o"],
            ]
            .map(|pins| pins.map(port)),
            outside: port("outside_o"),
        }
    }
}

/// What the clients have done, for coverage.
#[derive(Debug, Clone, Copy, Default)]
pub struct Moved {
    pub writes: u64,
    pub reads: u64,
    pub programs: u64,
    /// Clocks in which a write, a read was held.
    pub held: [u64; 2],
    /// Clocks in which all three asked at once.
    pub crowds: u64,
    /// Accesses of a client in a clock in which its partition reads an operand, and the drain writes a word, each in a bank of
    /// its own.
    pub meetings: [u64; CLIENTS],
}

impl Moved {
    pub fn add(&mut self, other: Moved) {
        self.writes += other.writes;
        self.reads += other.reads;
        self.programs += other.programs;
        self.held = [0, 1].map(|k| self.held[k] + other.held[k]);
        self.crowds += other.crowds;
        self.meetings = [0, 1, 2].map(|k| self.meetings[k] + other.meetings[k]);
    }
}

/// The clients during one run.
pub struct Traffic {
    pins: Pins,
    rng: ChaCha8Rng,
    /// How often an idle client asks.
    rates: [f64; CLIENTS],
    /// Words of the state buffer, and of the program, that the program does not use.
    free: Vec<(u32, u32)>,
    programs: Vec<u32>,
    /// Where the next request of a client goes.
    next: [usize; CLIENTS],
    /// Bytes as they are stored.
    words: BTreeMap<(u32, u32), WordBytes>,
    program: BTreeMap<u32, u32>,
    host_zero: u8,
    pending: [Option<(Request, u64)>; CLIENTS],
    /// Answers to come: clock and bytes; of stores, of the host.
    answers: [VecDeque<(u64, WordBytes)>; 2],
    answer_clocks: u64,
    /// Accesses on their way to their partitions: clock, client and place.
    on_the_way: VecDeque<(u64, usize, (u32, u32))>,
    bank_words: u32,
    rows: u32,
    /// Nothing goes while a program runs.
    rests: bool,
    pub moved: Moved,
}

impl Traffic {
    /// Clients for one run of the program at word `pc`, which the golden machine has run.
    pub fn new(model: &Model, params: &Params, seed: u64, golden: &Golden, pc: u32) -> Self {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let rests = params.program.memory == ProgramMemory::Banks;
        let end = if rests {
            params.work_bytes() / 8
        } else {
            params.partition_words()
        };
        let all = (0..params.array.rows).flat_map(|row| (0..end).map(move |word| (row, word)));
        let free: Vec<_> = all
            .filter(|&(row, word)| !golden.has_used(row, word))
            .collect();
        let programs = 0..if rests { 0 } else { pc };
        let words = free
            .iter()
            .map(|&(row, word)| ((row, word), golden.stored_word(row, word)));
        let rates = [(); CLIENTS].map(|()| *[0.0, 0.1, 1.0, 1.0].choose(&mut rng).expect("some"));
        Self {
            pins: Pins::new(model),
            rates,
            programs: programs.collect(),
            next: [(); CLIENTS].map(|()| rng.random_range(0..free.len().max(1))),
            words: words.collect(),
            program: BTreeMap::new(),
            host_zero: golden.read_word(0, 0)[0].wrapping_sub(golden.stored_word(0, 0)[0]),
            free,
            pending: [None; CLIENTS],
            answers: [VecDeque::new(), VecDeque::new()],
            answer_clocks: ANSWER + u64::from(params.array.rows),
            on_the_way: VecDeque::new(),
            bank_words: params.state_buffer.words_per_bank,
            rows: params.array.rows,
            rests,
            moved: Moved::default(),
            rng,
        }
    }

    fn request(&mut self, client: usize) -> Option<Request> {
        if client == LOAD && self.rng.random_bool(0.1) {
            let word = *self.programs.choose(&mut self.rng)?;
            let data = self.rng.random();
            return Some(Request::Program { word, data });
        }
        if self.rng.random_bool(0.1) {
            self.next[client] = self.rng.random_range(0..self.free.len().max(1));
        }
        let place = *self.free.get(self.next[client])?;
        self.next[client] = (self.next[client] + 1) % self.free.len();
        let zero = if client == HOST {
            self.host_zero
        } else {
            *[0, 128, 3].choose(&mut self.rng)?
        };
        let writes = client == LOAD || (client == HOST && self.rng.random_bool(0.5));
        Some(match writes {
            true => Request::Write {
                place,
                data: random_word(&mut self.rng),
                zero,
            },
            false => Request::Read { place, zero },
        })
    }

    /// Drives the pins in a clock and looks at the answers; the clock edge follows.
    pub fn act(&mut self, model: &mut Model, cycle: u64, running: bool) -> Checked {
        for client in 0..CLIENTS {
            if self.pending[client].is_none() && running && self.rng.random_bool(self.rates[client])
            {
                self.pending[client] = self.request(client).map(|request| (request, cycle));
            }
        }
        self.drive(model);
        model.eval();
        for source in 0..2 {
            let [valid, data] = self.pins.answers[source];
            let due = self.answers[source]
                .front()
                .is_some_and(|(due, _)| *due == cycle);
            if (model.get(valid) == 1) != due {
                return Err(format!(
                    "cycle {cycle}: an answer of client {} is {}",
                    source + 1,
                    if due { "missing" } else { "there" }
                ));
            }
            if due {
                let (_, expected) = self.answers[source].pop_front().expect("it is due");
                let found = model.get(data).to_le_bytes();
                if found != expected {
                    return Err(format!(
                        "cycle {cycle}: client {} reads {found:?}, expected {expected:?}",
                        source + 1
                    ));
                }
            }
        }
        self.meet(model, cycle)?;
        let dma = model.get(self.pins.dma[1]);
        let host = model.get(self.pins.host[1]) == 1;
        let ready = [dma & 1 == 1, dma & 2 == 2, host];
        self.moved.crowds += u64::from(self.pending.iter().all(Option::is_some));
        let taken = (0..CLIENTS).filter(|&client| ready[client] && self.pending[client].is_some());
        let taken: Vec<usize> = taken.collect();
        if taken.len() > 1 || (self.rests && running && !taken.is_empty()) {
            return Err(format!(
                "cycle {cycle}: clients {taken:?} go at once or where they must wait"
            ));
        }
        for client in 0..CLIENTS {
            match self.pending[client] {
                Some((request, _)) if taken.contains(&client) => self.take(client, request, cycle),
                Some((request, since)) => {
                    let reads = matches!(request, Request::Read { .. });
                    self.moved.held[usize::from(reads)] += 1;
                    if cycle - since > PATIENCE {
                        return Err(format!("cycle {cycle}: {request:?} waits since {since}"));
                    }
                }
                None => {}
            }
        }
        Ok(())
    }

    /// Looks at what happens in the partitions that clients reach in this clock.
    fn meet(&mut self, model: &Model, cycle: u64) -> Checked {
        let bank = |word: u32| word / self.bank_words;
        let [operands, drained] = self.pins.inside.map(|[valid, word]| {
            let valid = model.get(valid);
            move |row: u32| {
                let found = model.get_bits(word, 13 * row, 13) as u32;
                (valid >> row & 1 == 1).then_some(bank(found))
            }
        });
        let due: Vec<_> = self
            .on_the_way
            .iter()
            .filter(|access| access.0 == cycle)
            .copied()
            .collect();
        self.on_the_way.retain(|access| access.0 != cycle);
        for (_, client, (row, word)) in due {
            if model.get(self.pins.outside) >> row & 1 == 0 {
                return Err(format!(
                    "cycle {cycle}: client {client} does not reach partition {row}"
                ));
            }
            let (own, operand) = (bank(word), operands(row));
            let apart = |drain: u32| {
                drain != own && operand.is_some_and(|operand| operand != own && operand != drain)
            };
            // A write goes when the drain writes another partition.
            let rows = self.rows;
            let drains = (0..rows).filter(|other| client != STORE || *other == row);
            let meets = drains.filter_map(drained).any(apart);
            self.moved.meetings[client] += u64::from(meets);
        }
        Ok(())
    }

    fn drive(&mut self, model: &mut Model) {
        let [valid, _, addr, wdata, zero] = self.pins.dma;
        let [host_valid, _, host_write, host_addr, host_wdata] = self.pins.host;
        let (mut valids, mut addresses, mut zeros) = (0, 0, 0);
        for client in 0..CLIENTS {
            let Some((request, _)) = self.pending[client] else {
                continue;
            };
            let (address, data, point) = match request {
                Request::Read { place, zero } => (buffer_address(place.0, place.1), None, zero),
                Request::Write { place, data, zero } => (
                    buffer_address(place.0, place.1),
                    Some(u64::from_le_bytes(data)),
                    zero,
                ),
                Request::Program { word, data } => (program_address(word), Some(data.into()), 0),
            };
            if client == HOST {
                model.set(host_addr, address.into());
                model.set(host_write, data.is_some().into());
                model.set(host_wdata, data.unwrap_or_default());
                continue;
            }
            valids |= 1 << client;
            addresses |= u64::from(address) << (32 * client);
            zeros |= u64::from(point) << (8 * client);
            if let Some(data) = data {
                model.set(wdata, data);
            }
        }
        model.set(valid, valids);
        model.set(addr, addresses);
        model.set(zero, zeros);
        model.set(host_valid, self.pending[HOST].is_some().into());
    }

    fn take(&mut self, client: usize, request: Request, cycle: u64) {
        self.pending[client] = None;
        if let Request::Read { place, .. } | Request::Write { place, .. } = request {
            // One clock to the head, one for each partition before.
            let due = cycle + 1 + u64::from(place.0);
            self.on_the_way.push_back((due, client, place));
        }
        match request {
            Request::Read { place, zero } => {
                self.moved.reads += 1;
                let word = self.words[&place].map(|byte| byte.wrapping_add(zero));
                let due = cycle + self.answer_clocks;
                self.answers[client - STORE].push_back((due, word));
            }
            Request::Write { place, data, zero } => {
                self.moved.writes += 1;
                let stored = data.map(|byte| byte.wrapping_sub(zero));
                self.words.insert(place, stored);
            }
            Request::Program { word, data } => {
                self.moved.programs += 1;
                self.program.insert(word, data);
            }
        }
    }

    /// Whether every request was taken and answered.
    pub fn has_finished(&self) -> bool {
        self.pending.iter().all(Option::is_none) && self.answers.iter().all(VecDeque::is_empty)
    }

    /// The golden machine gets what was written.
    pub fn leave(self, model: &mut Model, golden: &mut Golden) -> Moved {
        model.set(self.pins.dma[0], 0);
        model.set(self.pins.host[0], 0);
        for ((partition, word), data) in self.words {
            golden.store_word(partition, word, data);
        }
        for (word, data) in self.program {
            golden.write_program(word, &[data]);
        }
        self.moved
    }
}

/// Random programs on an open machine with clients beside them: what those have moved, and runs that reached HALT.
fn beside_programs(machine: &Machine, seed: u64, count: u32) -> Checked<(Moved, u64)> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut bench = Bench::new(machine, seed)?;
    fill_tables(&mut bench.pair, &mut rng);
    let place = bench.pair.place.clone();
    let (mut moved, mut halted) = (Moved::default(), 0);
    for number in 0..count {
        bench.pair.place = format!("{place}, program {number}");
        let zero_point = programs::disturb(&mut rng, &mut bench);
        let (pc, program) = bench.pair.defined_program(&mut rng, |rng, words| {
            rng.random_range(0..=machine.params.program.words - words)
        });
        bench.pair.write_program(pc, &encode(&program));
        let seen = watch::run(&mut bench, pc, 500_000, Some(rng.random()))?;
        watch::settle(&mut bench, &seen, zero_point, true)?;
        halted += u64::from(matches!(seen.end, End::Halt(_)));
        moved.add(seen.moved);
    }
    Ok((moved, halted))
}

/// Machines that differ in what the rule of the head looks at: square and not, with sums at the top, other banks, tables.
fn shapes() -> Vec<Params> {
    use crate::machines::{
        banked, buffered, open, pooling, single, tall, tiny, wide, with_counters, with_sums_at_top,
    };
    let basic = with_counters(tiny(), CounterSet::Basic);
    let all = [
        tiny(),
        pooling(),
        tall(),
        wide(),
        single(),
        buffered(),
        banked(),
        with_sums_at_top(tiny()),
        basic,
    ];
    all.map(open).into()
}

/// A product whose rows add a whole bank to their addresses, with reads of words of that bank beside it.
fn beside_row_tables(machine: &Machine, seed: u64) -> Checked<Moved> {
    let params = &machine.params;
    let mut bench = Bench::new(machine, seed)?;
    let bank = params.bank_bytes();
    for row in 0..params.array.rows {
        bench.pair.write_row_offset(row, 1, Some(bank as u16));
    }
    let vectors = params.results_buffer.depth;
    let product = Matmul {
        last: false,
        table: Some(RowTable {
            first_entry: 1,
            last_macs: 1,
        }),
        ..build::matmul(
            params.array.rows,
            vec![row(0, 0, &[]), row(1, 0, &[(vectors, 8)])],
        )
    };
    let weights = build::load(params.array.rows, 0, &[(params.weight_words(), 8)]);
    let program = [
        Instruction::LoadWeights(weights),
        Instruction::Matmul(product),
        HALT,
    ];
    bench.pair.write_program(0, &encode(&program));
    let mut moved = Moved::default();
    for seed in 0..8 {
        let seen = watch::run(&mut bench, 0, 500_000, Some(seed))?;
        if !matches!(seen.end, End::Halt(_)) {
            return Err(bench.pair.message(format!("{:?}", seen.end)));
        }
        watch::settle(&mut bench, &seen, 0, true)?;
        moved.add(seen.moved);
    }
    Ok(moved)
}

#[test]
fn words_move_beside_rows_that_read_another_bank() {
    let moved = beside_row_tables(&Machine::new(machines::open(machines::tiny())), 1);
    let moved = moved.unwrap_or_else(|message| panic!("{message}"));
    println!("{moved:?}");
    assert!(moved.reads > 200 && moved.held[1] > 200, "{moved:?}");
}

#[test]
fn words_move_beside_programs_that_do_not_notice() {
    let count = programs::wanted("HEDDLE_PROGRAMS", 25, 400);
    let seed = programs::first_seed();
    let (mut all, mut halted) = (Moved::default(), 0);
    for params in shapes() {
        let name = params.name.clone();
        let (moved, ends) = beside_programs(&Machine::new(params), seed, count)
            .unwrap_or_else(|message| panic!("{message}"));
        println!("{name}, seed {seed}: {count} programs, {ends} to HALT, {moved:?}");
        all.add(moved);
        halted += ends;
    }
    println!("all: {halted} programs, {all:?}");
    assert!(halted > 5 * u64::from(count), "{halted}");
    assert!(
        all.writes > 1000 * u64::from(count) && all.reads > 500 * u64::from(count),
        "{all:?}"
    );
    assert!(
        all.programs > 0 && all.held.iter().all(|&held| held > 1000) && all.crowds > 1000,
        "{all:?}"
    );
}

/// Each of these leaves something out of what the head looks at, or of what is not told of the clients.
#[test]
fn every_term_of_the_rule_is_needed() {
    let square = r"
        heddle_dma_head: holds_write = leaves_i | copying_i => holds_write = copying_i
        heddle_dma_head: holds_write = leaves_i | copying_i => holds_write = leaves_i
        heddle_dma_head: holds_read = weight_i | => holds_read =
        heddle_dma_head: (op_before_q & op_table_q); => 1'b0;
        heddle_dma_head: (holds_read | (op_before_q & => (holds_read | (1'b0 &
        heddle_dma_head: & !(away_left_q[9] & (dma_zero_i[15:8] != store_zero_q)) =>
        heddle_dma_head: read_zero_o = away_q[10] => read_zero_o = away_q[11]
        heddle_dma_head: is_store_o = away_q[11] => is_store_o = away_q[10]
        heddle_partition: !hides_write[1] => !hides_write[0]
        heddle_partition: banks_slice_write[1] & !hides_write[3] => banks_slice_write[1] & !hides_write[2]
        heddle_partition: banks_mask_read[1] & !hides_read[5] => banks_mask_read[1]
        heddle_partition: banks_slice_read[3] & !hides_read[7] => banks_slice_read[3]
        ";
    let tall = r"
        heddle_dma_head: | post_left_q[10] =>
        heddle_dma_head: post_left_q <= 11'h41c => post_left_q <= 11'h410
        ";
    for (params, mutants) in [
        (shapes().swap_remove(0), square),
        (shapes().swap_remove(2), tall),
    ] {
        rtl::check_mutants(
            &machines::probed(&params),
            &rtl::faults(mutants),
            |sources, _| {
                let machine = Machine::from_verilog(params.clone(), sources);
                beside_programs(&machine, 1, 60)?;
                beside_row_tables(&machine, 1)
            },
        );
    }
}
