//! The host port of the emitted machine: regions, order of answers, hold-off, zero codec, registers.

use crate::machines;
use crate::rtl;
use heddle_arch::Clocks;
use heddle_arch::host::{
    CTRL_START, ColumnSelect, Counter, ID, Register, activation_address, buffer_address,
    column_address, program_address, register_address, row_offset_address,
};
use heddle_arch::isa::ErrorCode;
use heddle_arch::isa::fields::{ctrl, host_zero, start_pc, status};
use heddle_arch::params::{Params, ProgramMemory, Reset, ResetLevel, ResetStyle};
use heddle_arch::requantise::Scale;
use heddle_tb::Model;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::machines::Machine;
use crate::machines::dump::encode;
use crate::machines::pair::{End, HALT, Pair, random_word};
use crate::machines::programs::random_program;
use crate::rtl::{Checked, Coverage, OrPanic};

fn pair_of(machine: &Machine, seed: u64) -> (Pair<'_>, ChaCha8Rng) {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let pair = Pair::new(machine, seed, &mut rng).or_panic();
    (pair, rng)
}

/// Starts the program at word 0.
fn start(pair: &mut Pair) {
    for (register, data) in [(Register::StartPc, 0), (Register::Ctrl, CTRL_START)] {
        pair.host.write(register.address(), data).unwrap();
    }
}

/// Runs a random program on both machines.
fn run_random(pair: &mut Pair, rng: &mut ChaCha8Rng) {
    let (_, program) = pair.defined_program(rng, |_, _| 0);
    if !matches!(pair.run_instructions(&program).or_panic(), End::Halt(_)) {
        pair.prepare().or_panic();
    }
    pair.compare().or_panic();
}

/// Words of a random program that comes to its HALT: some wait for what never comes.
fn ending(pair: &Pair, rng: &mut ChaCha8Rng) -> Vec<u32> {
    loop {
        let words = encode(&random_program(rng, pair.params()));
        let mut golden = pair.golden.clone();
        golden.write_program(0, &words);
        if golden.run(0, 100_000).is_ok() {
            return words;
        }
    }
}

/// A read, with the answer that it must get.
fn random_read(rng: &mut ChaCha8Rng, pair: &Pair, coverage: &mut Coverage) -> (u32, u64) {
    let params = pair.params();
    let kind = rng.random_range(0..7);
    coverage.event("row table", kind == 6);
    coverage.event("state buffer", kind < 3);
    coverage.event("register", kind == 3);
    coverage.event("outside", kind == 4);
    coverage.event("write only", kind == 5);
    match kind {
        0..=2 => {
            let partition = rng.random_range(0..params.array.rows);
            let word = rng.random_range(0..params.partition_words());
            let data = pair.golden.read_word(partition, word);
            (buffer_address(partition, word), u64::from_le_bytes(data))
        }
        3 => match rng.random_range(0..3) {
            0 => (Register::Id.address(), ID.into()),
            1 => {
                let shape = params.array.rows | params.array.cols << 16;
                (Register::Shape.address(), shape.into())
            }
            _ => (register_address(rng.random_range(22..32)), 0),
        },
        4 => (outside(rng, params), 0),
        6 => {
            let row = rng.random_range(0..params.array.rows);
            let entry = rng.random_range(0..params.state_buffer.row_offsets);
            (row_offset_address(row, entry), 0)
        }
        _ => match rng.random_bool(0.5) {
            true => (
                program_address(rng.random_range(0..params.program.words)),
                0,
            ),
            false => (column_address(0, 0, ColumnSelect::Scale), 0),
        },
    }
}

/// An address of the state buffer, program memory or column parameters that does not exist.
fn outside(rng: &mut ChaCha8Rng, params: &Params) -> u32 {
    let bits = params.partition_words().ilog2() + 3;
    match rng.random_range(0..7) {
        6 => {
            let entries = params.state_buffer.row_offsets;
            let row = rng.random_range(0..256);
            match row < params.array.rows {
                true => row_offset_address(row, 0) | entries << rng.random_range(3..15),
                false => row_offset_address(row, rng.random_range(0..entries)),
            }
        }
        0 => buffer_address(rng.random_range(params.array.rows..256), 0),
        1 => buffer_address(0, 0) | 1 << rng.random_range(bits..21),
        2 => row_offset_address(params.array.rows, 0),
        3 => {
            let words = params.program.words;
            program_address(0) | 1 << rng.random_range(words.ilog2() + 3..30)
        }
        4 => column_address(
            rng.random_range(params.array.cols..256),
            0,
            ColumnSelect::Bias,
        ),
        _ => {
            let tiles = params.column_tiles.ilog2();
            column_address(0, 0, ColumnSelect::Bias) | 1 << rng.random_range(tiles + 4..21)
        }
    }
}

fn check_reads(machine: &Machine, seed: u64) -> Checked<Coverage> {
    let (mut pair, mut rng) = pair_of(machine, seed);
    let mut coverage = Coverage::default();
    pair.set_zero(rng.random());
    let (addresses, expected): (Vec<u32>, Vec<u64>) = (0..400)
        .map(|_| random_read(&mut rng, &pair, &mut coverage))
        .unzip();
    let found = pair.host.read_all(&addresses).expect("all reads answer");
    for (at, (found, expected)) in found.iter().zip(&expected).enumerate() {
        if found != expected {
            let address = addresses[at];
            return Err(pair.message(format!(
                "read {at} at {address:#010x} is {found:#x}, expected {expected:#x}"
            )));
        }
    }
    Ok(coverage)
}

#[test]
fn reads_answer_in_order_whatever_their_region() {
    for params in [machines::tiny(), machines::wide(), machines::single()] {
        let machine = Machine::new(params);
        rtl::run_seeds(|seed| check_reads(&machine, seed));
    }
}

#[test]
fn writes_outside_a_memory_change_nothing() {
    for params in [machines::tiny(), machines::wide()] {
        let machine = Machine::new(params);
        let (mut pair, mut rng) = pair_of(&machine, 1);
        let words = ending(&pair, &mut rng);
        pair.write_program(0, &words);
        for _ in 0..400 {
            let address = outside(&mut rng, pair.params());
            pair.host.write(address, rng.random()).expect("taken");
        }
        pair.compare().or_panic();
        let end = pair.run(0, 500_000).or_panic();
        assert!(matches!(end, End::Halt(_)), "{}", pair.message("no HALT"));
        pair.compare().or_panic();
    }
}

#[test]
fn the_zero_codec_is_exact_for_every_zero_point() {
    let machine = Machine::new(machines::tiny());
    let (mut pair, mut rng) = pair_of(&machine, 1);
    let mut compared = 0;
    for zero_point in i8::MIN..=i8::MAX {
        pair.set_zero(zero_point);
        let register = pair.host.read(Register::HostZero.address()).unwrap();
        assert_eq!(register, u64::from(zero_point as u8));
        let data = random_word(&mut rng).map(|byte| byte.wrapping_add(zero_point as u8));
        pair.write_word(1, 5, data);
        assert_eq!(
            pair.host.read_words(&[(1, 5)]).unwrap(),
            [data],
            "z {zero_point}"
        );
        pair.set_zero(0);
        let stored = data.map(|byte| byte.wrapping_sub(zero_point as u8));
        assert_eq!(
            pair.host.read_words(&[(1, 5)]).unwrap(),
            [stored],
            "z {zero_point}"
        );
        compared += 1;
    }
    println!("{compared} zero points");
    assert_eq!(compared, 256);
    pair.compare().or_panic();
}

#[test]
fn a_start_right_behind_buffer_requests_counts_none_of_them() {
    for params in [machines::tiny(), machines::wide(), machines::single()] {
        let machine = Machine::new(params);
        let (mut pair, mut rng) = pair_of(&machine, 1);
        pair.write_program(0, &HALT.encode());
        for _ in 0..20 {
            for _ in 0..rng.random_range(1..12) {
                let partition = rng.random_range(0..pair.params().array.rows);
                if rng.random_bool(0.7) {
                    pair.write_word(partition, 3, random_word(&mut rng));
                } else {
                    pair.host.read(buffer_address(partition, 3)).unwrap();
                }
            }
            let end = pair.run(0, 1000).or_panic();
            let End::Halt(counters) = end else {
                panic!("{}", pair.message("no HALT"));
            };
            assert_eq!(counters.get(Counter::MaskWrites), 0);
            assert_eq!(counters.get(Counter::Cycles), 3, "PRIME, FETCH and ISSUE");
        }
    }
}

/// A program that stays in ISSUE until it is stuck: HALT waits for a product without weights.
fn long_program(params: &Params) -> Vec<u32> {
    let mut words = vec![0x0503, 1, 0, 0x01, params.bank_bytes()];
    words.extend(HALT.encode());
    words
}

#[test]
fn registers_answer_and_memories_are_held_off_while_a_program_runs() {
    let machine = Machine::new(machines::tiny());
    let (mut pair, _) = pair_of(&machine, 1);
    let words = long_program(pair.params());
    pair.write_program(0, &words);
    let expected = pair.golden.run(0, 100_000);
    start(&mut pair);
    let mut earlier = None;
    for _ in 0..20 {
        let status = pair.host.status().unwrap();
        assert!(
            status.running && !status.done && !status.error,
            "{status:?}"
        );
        assert_eq!((status.code, status.pc), (0, 0));
        let cycles = pair.host.counter(Counter::Cycles).unwrap();
        assert!(Some(cycles) > earlier, "CYCLES counts");
        earlier = Some(cycles);
        // A second start is ignored: the counters go on and the program is not read again.
        pair.host
            .write(Register::Ctrl.address(), CTRL_START)
            .unwrap();
    }
    for address in [
        program_address(0),
        column_address(0, 0, ColumnSelect::Bias),
        buffer_address(0, 0),
        row_offset_address(1, 3),
        activation_address(0, 7),
        // Outside of every memory, but not a register.
        buffer_address(200, 0),
    ] {
        let model = pair.host.model();
        let ports = [
            "host_valid_i",
            "host_write_i",
            "host_addr_i",
            "host_ready_o",
        ];
        let [valid, write, addr, ready] = ports.map(|name| model.port(name).unwrap());
        for (pin, value) in [(valid, 1), (write, 1), (addr, address.into())] {
            model.set(pin, value);
        }
        for _ in 0..50 {
            model.eval();
            assert_eq!(model.get(ready), 0, "{address:#010x} is taken");
            model.clock();
        }
        model.set(valid, 0);
        model.set(write, 0);
    }
    assert!(pair.await_end(10_000), "the program ends");
    // What is held off must stay: a request that is taken back breaks the contract of the port, and does nothing else.
    assert_eq!(pair.host.model().take_stops(), 6);
    let status = pair.host.status().unwrap();
    let end = pair.check_end(expected, status);
    assert_eq!(end.unwrap(), End::Error(ErrorCode::Stuck, 5));
    // PRIME; MATMUL of 5 words takes 7 cycles, HALT its FETCH; then ISSUE waits.
    let cycles = pair.host.counter(Counter::Cycles).unwrap();
    assert_eq!(cycles, 1 + 7 + 1 + 4096);
    pair.compare().or_panic();
}

/// The number in front of these words in the header of a module.
fn printed(params: &Params, module: &str, words: &str) -> u64 {
    let sources = machines::verilog(params);
    let is_file = |name: &str| name.starts_with(&format!("heddle_{module}"));
    let (_, text) = sources
        .files
        .iter()
        .find(|(name, _)| is_file(name))
        .unwrap();
    let (header, _) = text.split_once("module heddle").unwrap();
    let header = header.replace("//", "");
    let header = header.split_whitespace().collect::<Vec<_>>().join(" ");
    let (before, _) = header
        .split_once(words)
        .unwrap_or_else(|| panic!("{module}: {header}"));
    let number = before.trim_end().rsplit(' ').next().unwrap();
    number
        .parse()
        .unwrap_or_else(|_| panic!("{module}: {number}"))
}

/// The start pulse, PRIME, FETCH, ISSUE and R + C + 36 + E quiet cycles, as `docs/isa.md` says, and the header of the sequencer. The
/// other headers say what the golden machine counts, which runs in lockstep.
#[test]
fn halt_ends_and_reads_answer_in_the_clock_of_the_page_and_of_the_headers() {
    for params in [
        machines::tiny(),
        machines::pooling(),
        machines::wide(),
        machines::banked(),
    ] {
        let extra = params.post.extra_cycles();
        let clocks = Clocks::of(&params);
        let quiet = printed(&params, "sequencer", "cycles in which the waves run out");
        let prime = match params.program.memory {
            ProgramMemory::Separate => 0,
            ProgramMemory::Banks => {
                printed(&params, "sequencer", "cycles longer than with a memory")
            }
        };
        assert_eq!(quiet, clocks.quiet);
        let busy = printed(
            &params,
            "drain_issue",
            "cycles after its last address was taken",
        );
        assert_eq!(busy, clocks.drain_idle);
        let copied = printed(&params, "weight_issue", ", in which the last partition");
        assert_eq!(copied, clocks.copy_idle - 1);
        let swap = printed(&params, "weight_issue", "at the earliest");
        assert_eq!(swap, clocks.swap);
        let post = printed(&params, "top", "+ c on");
        assert_eq!(post, clocks.drain_address + 1);
        let machine = Machine::new(params);
        let (mut pair, _) = pair_of(&machine, 1);
        pair.write_program(0, &HALT.encode());
        start(&mut pair);
        let array = &machine.params.array;
        let model = pair.host.model();
        let running = model.port("running_o").unwrap();
        let mut clocks = 0;
        while model.get(running) == 0 {
            model.clock();
        }
        while model.get(running) == 1 && clocks < 1000 {
            model.clock();
            clocks += 1;
        }
        assert_eq!(quiet, u64::from(array.rows + array.cols + 36 + extra));
        assert_eq!(clocks, 4 + quiet + prime);
        let answer = printed(
            &machine.params,
            "host_port",
            "cycles after it, at one request",
        );
        let request = [
            ("host_valid_i", 1),
            ("host_write_i", 0),
            ("host_addr_i", buffer_address(0, 0).into()),
        ];
        for (name, value) in request {
            let port = model.port(name).unwrap();
            model.set(port, value);
        }
        model.clock();
        let [valid, answered] =
            ["host_valid_i", "host_rvalid_o"].map(|name| model.port(name).unwrap());
        model.set(valid, 0);
        let waited = (1..100).find(|_| {
            let there = model.get(answered) == 1;
            model.clock();
            there
        });
        assert_eq!(waited, Some(answer));
    }
}

/// Without a look at STATUS: a host that waits for `running_o` finds nothing of the run before.
#[test]
fn a_start_shows_at_the_pins_in_the_clock_after_it_and_not_before() {
    for params in [machines::tiny(), machines::banked()] {
        let machine = Machine::new(params);
        let (mut pair, _) = pair_of(&machine, 1);
        // A run that ends with HALT, then one that an error stops.
        for (words, ends) in [
            (HALT.encode(), 0b010),
            (vec![0], 0b100),
            (HALT.encode(), 0b010),
        ] {
            pair.write_program(0, &words);
            pair.host.write(Register::StartPc.address(), 0).unwrap();
            let model = pair.host.model();
            let pins = |model: &mut Model, names: [&str; 3]| {
                names.map(|name| model.port(name).map(|port| model.get(port)).unwrap())
            };
            let state = ["running_o", "done_o", "error_o"];
            let before = pins(model, state);
            for (name, value) in [
                ("host_valid_i", 1),
                ("host_write_i", 1),
                ("host_addr_i", Register::Ctrl.address().into()),
                ("host_wdata_i", CTRL_START),
            ] {
                let port = model.port(name).unwrap();
                model.set(port, value);
            }
            model.eval();
            assert_eq!(
                pins(model, state),
                before,
                "no way from the request to these pins"
            );
            assert_eq!(before[0], 0);
            model.clock();
            let valid = model.port("host_valid_i").unwrap();
            model.set(valid, 0);
            model.eval();
            assert_eq!(pins(model, state), [1, 0, 0]);
            let running = model.port("running_o").unwrap();
            let last = model.run_until(running, 0, 1000);
            assert!(last.is_some_and(|clocks| clocks > 30), "{last:?}");
            let [_, done, error] = pins(pair.host.model(), state);
            assert_eq!(done << 1 | error << 2, ends);
            assert!(!pair.host.status().unwrap().running);
        }
    }
}

/// Machines of every reset.
#[test]
fn a_machine_with_any_reset_runs_and_is_reset_and_takes_nothing_meanwhile() {
    for (style, level) in [
        (ResetStyle::Sync, ResetLevel::Low),
        (ResetStyle::Async, ResetLevel::Low),
        (ResetStyle::Sync, ResetLevel::High),
        (ResetStyle::Async, ResetLevel::High),
    ] {
        let mut params = machines::single();
        params.name = format!("{}_{style:?}_{level:?}", params.name).to_lowercase();
        params.reset = Reset { style, level };
        let machine = Machine::new(params);
        let (mut pair, mut rng) = pair_of(&machine, 1);
        for _ in 0..2 {
            for _ in 0..10 {
                run_random(&mut pair, &mut rng);
            }
            // In the middle of a program: at once, or at the next clock.
            let words = long_program(pair.params());
            pair.write_program(0, &words);
            assert!(!pair.run_hardware(0, 50), "waits until it is stuck");
            for (register, data) in [(Register::StartPc, 5), (Register::HostZero, 7)] {
                pair.host.write(register.address(), data).unwrap();
                assert_eq!(pair.host.read(register.address()).unwrap(), data);
            }
            let (name, active) = match level {
                ResetLevel::Low => ("rst_n", 0),
                ResetLevel::High => ("rst", 1),
            };
            let model = pair.host.model();
            let [reset, running] = [name, "running_o"].map(|name| model.port(name).unwrap());
            model.eval();
            assert_eq!(model.get(running), 1);
            model.set(reset, active);
            model.eval();
            let at_once = style == ResetStyle::Async;
            assert_eq!(model.get(running), u64::from(!at_once), "{}", pair.place);
            let model = pair.host.model();
            model.clock();
            assert_eq!(model.get(running), 0);
            // A write offered in reset waits, and is taken in the first clock after it.
            let [valid, write, address, data, ready] =
                ["valid_i", "write_i", "addr_i", "wdata_i", "ready_o"]
                    .map(|name| model.port(&format!("host_{name}")).unwrap());
            let request = [
                (valid, 1),
                (write, 1),
                (address, Register::StartPc.address().into()),
                (data, 9),
            ];
            request
                .into_iter()
                .for_each(|(port, value)| model.set(port, value));
            for level in [active, active, 1 - active] {
                model.set(reset, level);
                model.eval();
                assert_eq!(
                    model.get(ready),
                    u64::from(level != active),
                    "{}",
                    pair.place
                );
                model.clock();
            }
            model.set(valid, 0);
            assert_eq!(pair.host.read(Register::StartPc.address()).unwrap(), 9);
            pair.host.write(Register::StartPc.address(), 0).unwrap();
            let model = pair.host.model();
            model.cycles(10);
            assert_eq!(model.get(running), 0);
            let status = pair.host.status().unwrap();
            assert!(!status.running && !status.done && !status.error);
            for (register, word) in [
                (Register::Ctrl, ctrl::WORD),
                (Register::StartPc, start_pc::WORD),
                (Register::Status, status::WORD),
                (Register::HostZero, host_zero::WORD),
            ] {
                let found = pair.host.read(register.address()).unwrap();
                assert_eq!(Some(found as u32), word.reset, "{}", word.place);
            }
            // ZERO is a register of the host port.
            pair.set_zero(0);
            pair.prepare().or_panic();
        }
    }
}

#[test]
fn a_request_that_waits_for_the_end_of_a_program_finds_its_results() {
    let machine = Machine::new(machines::tiny());
    let (mut pair, mut rng) = pair_of(&machine, 2);
    let words = ending(&pair, &mut rng);
    pair.write_program(0, &words);
    pair.golden.run(0, 100_000).unwrap();
    start(&mut pair);
    // No wait for the end: the port holds the first read until then.
    pair.compare().or_panic();
    assert!(pair.host.status().unwrap().done);
}

#[test]
fn column_parameters_reach_their_column_and_tile_alone() {
    let machine = Machine::new(machines::wide());
    let (mut pair, mut rng) = pair_of(&machine, 3);
    let (cols, tiles) = (pair.params().array.cols, pair.params().column_tiles);
    for _ in 0..4 {
        for _ in 0..20 {
            let scale = Scale::new(rng.random_range(1 << 30..=i32::MAX), -12).unwrap();
            let column = rng.random_range(0..cols);
            pair.write_column(column, rng.random_range(0..tiles), rng.random(), scale);
        }
        run_random(&mut pair, &mut rng);
    }
}

#[proves("PET-58")]
#[test]
fn entries_of_tables_that_do_not_exist_are_not_written() {
    let machine = Machine::new(machines::pooling());
    let (mut pair, mut rng) = pair_of(&machine, 4);
    let tables = pair.params().post.activations;
    for _ in 0..4 {
        for byte in 0..=u8::MAX {
            let table = rng.random_range(tables..8);
            pair.host
                .write_activation(table, byte, rng.random())
                .unwrap();
            let own = activation_address(rng.random_range(0..tables), byte.into());
            let beyond = own | 1 << rng.random_range(14..29);
            pair.host.write(beyond, rng.random()).unwrap();
            assert_eq!(pair.host.read(own).unwrap(), 0, "tables are write only");
        }
        for _ in 0..40 {
            pair.write_activation(rng.random_range(0..tables), rng.random(), rng.random());
        }
        run_random(&mut pair, &mut rng);
    }
}
