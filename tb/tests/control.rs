//! The control half on the emitted machine: programs that no compiler has written, errors, and the
//! host port, against the golden machine.

mod machines;
mod rtl;

use heddle_arch::host::Counter;
use heddle_arch::isa::{ErrorCode, Instruction, Record, RowBlock, RowTable, Wait};
use heddle_arch::params::Params;
use rand::seq::{IndexedMutRandom, IndexedRandom};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use machines::Machine;
use machines::pair::{End, HALT, Pair, random_word, row};
use machines::programs::{fault_entry, random_program, random_row_offset, wait_of};
use rtl::{Checked, Coverage, Mutant};

fn encode(program: &[Instruction]) -> Vec<u32> {
    program.iter().flat_map(Instruction::encode).collect()
}

/// Sends all results of both banks to the state buffer.
fn dump(rng: &mut ChaCha8Rng, params: &Params) -> Vec<Instruction> {
    let depth = params.results_buffer.depth;
    let epilogue = |bank| Instruction::Matmul {
        wait: Wait::default(),
        rows: 1,
        first: false,
        last: false,
        bank,
        tile_level: 0,
        threshold: 0,
        macs: 0,
        table: None,
        record: Record {
            rows: vec![row(2, 0, &[(depth, 1)])],
        },
    };
    let drain = Instruction::Drain {
        wait: Wait::default(),
        columns: params.lanes(),
        single: rng.random(),
        tile: rng.random_range(0..params.column_tiles) as u8,
        lo: -256,
        hi: 255,
        record: Record {
            rows: vec![row(0, 0, &[(2 * depth, 1)])],
        },
    };
    vec![drain, epilogue(false), epilogue(true), HALT]
}

/// Which situations a program has brought about.
fn count_events(coverage: &mut Coverage, program: &[Instruction], end: &End) {
    let halted = matches!(end, End::Halt(_));
    coverage.event("halted", halted);
    coverage.event("stuck", matches!(end, End::Error(ErrorCode::Stuck, _)));
    let End::Halt(counters) = end else {
        return;
    };
    coverage.event("stall for weights", counters.get(Counter::StallWeights) > 0);
    coverage.event("wait", counters.get(Counter::StallWait) > 0);
    coverage.event(
        "skipped slice",
        counters.get(Counter::SliceReads(1)) < counters.get(Counter::SliceReads(0)),
    );
    for instruction in program {
        let wait = *wait_of(&mut instruction.clone());
        coverage.event("wait for weights", wait.weights);
        coverage.event("wait for stream", wait.stream);
        coverage.event("wait for drain", wait.drain);
        match instruction {
            Instruction::Matmul {
                first,
                last,
                bank,
                record,
                rows,
                table,
                ..
            } => {
                let has = |row| record.rows.iter().any(|block| block.row == row);
                coverage.event("prologue", has(0));
                coverage.event("epilogue behind vectors", has(1) && has(2));
                coverage.event("epilogue alone", !has(1));
                coverage.event("bias kept from an earlier product", *first && !has(0));
                coverage.event("accumulates", has(1) && !first);
                coverage.event("stores", has(1) && !last);
                coverage.event("straight to post", has(1) && *last);
                coverage.event("bank 1", *bank);
                coverage.event("one row", *rows == 1);
                coverage.event("row tables", has(1) && table.is_some());
                let wraps = |block: &RowBlock| block.base > 0x8000;
                coverage.event("base below 0", record.rows.iter().any(wraps));
            }
            Instruction::Drain {
                single,
                record,
                columns,
                ..
            } => {
                coverage.event("single rounding", *single);
                coverage.event("double rounding", !single);
                coverage.event("drain of two rows", record.rows.len() > 1);
                coverage.event("one column", *columns == 1);
            }
            Instruction::LoadWeights { .. } | Instruction::Halt { .. } => {}
        }
    }
}

/// Writes a random offset to every entry of every row.
fn fill_tables(pair: &mut Pair, rng: &mut ChaCha8Rng) {
    let params = pair.params();
    for row in 0..params.array.rows {
        for entry in 0..params.state_buffer.row_offsets {
            pair.write_row_offset(row, entry, random_row_offset(rng, params));
        }
    }
}

/// Runs random programs one after another on one machine; state buffer, results and counters are
/// compared after each.
fn run_programs(machine: &Machine, seed: u64, programs: u32) -> Checked<Coverage> {
    let mut coverage = Coverage::default();
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut pair = Pair::new(machine, seed, &mut rng)?;
    fill_tables(&mut pair, &mut rng);
    let place = pair.place.clone();
    for number in 0..programs {
        pair.place = format!("{place}, program {number}");
        pair.set_zero(rng.random());
        for _ in 0..rng.random_range(0..4) {
            let row = rng.random_range(0..machine.params.array.rows);
            let entry = rng.random_range(0..machine.params.state_buffer.row_offsets);
            let offset = random_row_offset(&mut rng, &machine.params);
            pair.write_row_offset(row, entry, offset);
        }
        for _ in 0..rng.random_range(0..4) {
            let partition = rng.random_range(0..machine.params.array.rows);
            let word = rng.random_range(0..machine.params.partition_words());
            pair.write_word(partition, word, random_word(&mut rng));
        }
        let program = random_program(&mut rng, &machine.params);
        let words = encode(&program);
        let room = machine.params.program.words - words.len() as u32;
        let pc = rng.random_range(0..=room);
        pair.write_program(pc, &words);
        let end = pair.run(pc, 500_000)?;
        pair.compare()?;
        count_events(&mut coverage, &program, &end);
        match end {
            End::Halt(_) => {
                let program = dump(&mut rng, &machine.params);
                pair.run_instructions(&program)?;
                pair.compare()?;
            }
            End::Error(ErrorCode::Stuck, _) => pair.prepare()?,
            other => return Err(pair.message(format!("a legal program ends with {other:?}"))),
        }
    }
    Ok(coverage)
}

/// Runs random programs for all seeds; most of them must reach HALT.
#[track_caller]
fn check_programs(params: Params) {
    let machine = Machine::new(params);
    let mut coverage = Coverage::default();
    for seed in rtl::seeds() {
        match run_programs(&machine, seed, 50) {
            Ok(found) => coverage.add(found),
            Err(message) => panic!("{message}"),
        }
    }
    if std::env::var("HEDDLE_SEED").is_err() {
        coverage.assert_complete();
        let (halted, stuck) = (coverage.count("halted"), coverage.count("stuck"));
        assert!(
            halted >= 110,
            "only {halted} programs reached HALT, {stuck} were stuck"
        );
    }
}

#[test]
fn random_programs_agree_on_the_tiny_machine() {
    check_programs(machines::tiny());
}

#[test]
fn random_programs_agree_with_more_rows_than_columns_and_two_loops() {
    check_programs(machines::tall());
}

#[test]
fn random_programs_agree_with_more_columns_than_rows_and_three_loops() {
    check_programs(machines::wide());
}

#[test]
fn random_programs_agree_on_a_single_processing_element() {
    check_programs(machines::single());
}

/// Instruction words that no machine accepts.
fn illegal_words(rng: &mut ChaCha8Rng) -> (Vec<u32>, ErrorCode) {
    let list: [(&[u32], ErrorCode); 10] = [
        (&[0], ErrorCode::IllegalOpcode),
        (&[0x0105], ErrorCode::IllegalOpcode),
        (&[0x0201], ErrorCode::BadLength),
        (&[0x0303, 1, 0], ErrorCode::BadLength),
        (&[0x0502, 1, 0, 0, 0], ErrorCode::BadLength),
        (&[0x0008_0101], ErrorCode::BadField),
        (&[0x0402, 0, 0, 0], ErrorCode::BadField),
        (&[0x0504, 0x1000_0001, 0, 0, 0], ErrorCode::BadField),
        (&[0x0403, 0x8001, 0, 0], ErrorCode::BadLength),
        (&[0x0603, 0x8001, 0, 1 << 17, 0, 0], ErrorCode::BadField),
    ];
    let (words, code) = list.choose(rng).expect("not empty");
    (words.to_vec(), *code)
}

/// Addresses of an instruction leave their memory in one of its rows.
fn lose_address(rng: &mut ChaCha8Rng, instruction: &mut Instruction, params: &Params) -> bool {
    let blocks = match instruction {
        Instruction::LoadWeights { record, .. }
        | Instruction::Matmul { record, .. }
        | Instruction::Drain { record, .. } => &mut record.rows,
        Instruction::Halt { .. } => return false,
    };
    let at = rng.random_range(0..blocks.len());
    let block = &mut blocks[at];
    for values in &mut block.loops {
        values.initial = 0;
        values.end = values.step;
    }
    block.base = params.partition_bytes();
    true
}

/// One product uses entries beyond its table, or one whose sums lie beyond the memory
/// ([`run_faults`] writes it).
fn lose_entry(rng: &mut ChaCha8Rng, program: &mut [Instruction], params: &Params) -> bool {
    let entries = params.state_buffer.row_offsets;
    let products = program
        .iter_mut()
        .filter_map(|instruction| match instruction {
            Instruction::Matmul { table, record, .. } => {
                let vectors = record.rows.iter().any(|block| block.row == 1);
                vectors.then_some(table)
            }
            _ => None,
        });
    let mut products: Vec<_> = products.collect();
    let Some(table) = products.choose_mut(rng) else {
        return false;
    };
    **table = Some(RowTable {
        first_entry: match rng.random_bool(0.3) {
            true => rng.random_range(entries..=255) as u8,
            false => fault_entry(params) as u8,
        },
        last_macs: 1,
    });
    true
}

/// A legal program with one fault; the code that the fault must give, if it is only one.
fn faulty_program(
    rng: &mut ChaCha8Rng,
    params: &Params,
    coverage: &mut Coverage,
) -> (Vec<u32>, Option<ErrorCode>) {
    let mut program = random_program(rng, params);
    let at = rng.random_range(0..program.len());
    let kind = rng.random_range(0..6);
    coverage.event("illegal word", kind == 0);
    match kind {
        0 => {
            let (illegal, code) = illegal_words(rng);
            let mut words = encode(&program[..at]);
            words.extend(illegal);
            return (words, Some(code));
        }
        1 => {
            let lost = lose_address(rng, &mut program[at], params);
            coverage.event("lost address", lost);
        }
        2 => {
            let removed = program.remove(at);
            coverage.event("no drain", matches!(removed, Instruction::Drain { .. }));
        }
        5 => {
            let lost = lose_entry(rng, &mut program, params);
            coverage.event("lost row offset", lost);
        }
        3 => {
            // One address is missing in each drain.
            for instruction in &mut program {
                if let Instruction::Drain { record, .. } = instruction {
                    if let Some(values) = record.rows[0].loops.first_mut() {
                        let shorter = values.end.saturating_sub(values.step);
                        coverage.event("short drain", shorter > 0);
                        values.end = shorter;
                    }
                }
            }
        }
        _ => {
            // HALT is missing: the words behind it are whatever was there before.
            program.pop();
            coverage.event("no HALT", true);
            let mut words = encode(&program);
            words.push(0);
            return (words, None);
        }
    }
    (encode(&program), None)
}

/// Faults in random programs: code, program word and state buffer agree, the host may write at
/// once, and the next program runs as if nothing had happened.
fn run_faults(machine: &Machine, seed: u64, programs: u32) -> Checked<Coverage> {
    let params = &machine.params;
    let mut coverage = Coverage::default();
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut pair = Pair::new(machine, seed, &mut rng)?;
    let place = pair.place.clone();
    for number in 0..programs {
        pair.place = format!("{place}, program {number}");
        fill_tables(&mut pair, &mut rng);
        // An entry of one row, often the first, leads beyond the memory.
        let beyond = Some(rng.random_range(params.partition_bytes() as u16..=u16::MAX));
        let row = match rng.random_bool(0.5) {
            true => 0,
            false => rng.random_range(0..params.array.rows),
        };
        pair.write_row_offset(row, fault_entry(params), beyond);
        let (words, expected) = faulty_program(&mut rng, params, &mut coverage);
        pair.write_program(0, &words);
        let end = pair.run(0, 500_000)?;
        // Writes right behind the error must not get lost, nor be overwritten.
        for _ in 0..8 {
            let partition = rng.random_range(0..params.array.rows);
            let word = rng.random_range(0..params.partition_words());
            pair.write_word(partition, word, random_word(&mut rng));
        }
        pair.compare()?;
        if let (End::Error(code, _), Some(expected)) = (end, expected) {
            if code != expected && code != ErrorCode::Stuck {
                let (code, expected) = (code.name(), expected.name());
                return Err(pair.message(format!("{code}, expected {expected}")));
            }
        }
        for code in [
            ErrorCode::IllegalOpcode,
            ErrorCode::BadLength,
            ErrorCode::BadField,
            ErrorCode::Address,
            ErrorCode::DrainUnderflow,
            ErrorCode::Stuck,
        ] {
            coverage.event(
                code.name(),
                matches!(end, End::Error(found, _) if found == code),
            );
        }
        if let End::Error(..) = end {
            pair.prepare()?;
        }
        fill_tables(&mut pair, &mut rng);
        let program = random_program(&mut rng, params);
        if let End::Error(..) = pair.run_instructions(&program)? {
            pair.prepare()?;
        }
        pair.compare()?;
    }
    Ok(coverage)
}

#[test]
fn errors_leave_the_state_buffer_as_predicted() {
    for params in [machines::tiny(), machines::wide()] {
        let machine = Machine::new(params);
        rtl::run_seeds(|seed| run_faults(&machine, seed, 40));
    }
}

/// Loads weights from the bank from which operands are streamed at the same time.
fn conflict() -> Vec<Instruction> {
    let load = |words| Instruction::LoadWeights {
        wait: Wait::default(),
        rows: 1,
        tile_level: 0,
        record: Record {
            rows: vec![row(0, 0, &[(words, 8)])],
        },
    };
    let matmul = Instruction::Matmul {
        wait: Wait::default(),
        rows: 1,
        first: true,
        last: false,
        bank: false,
        tile_level: 0,
        threshold: 0,
        macs: 0,
        table: None,
        record: Record {
            rows: vec![row(1, 0, &[(30, 8)])],
        },
    };
    vec![load(1), matmul, load(8)]
}

/// Mostly headers of instructions with small fields, so that some are legal.
fn garbage(rng: &mut ChaCha8Rng, params: &Params) -> Vec<u32> {
    let mut words = match rng.random_range(0..30) {
        0 => encode(&conflict()),
        1..10 => encode(&random_program(rng, params)),
        _ => Vec::new(),
    };
    while words.len() < 60 {
        if rng.random_bool(0.1) {
            words.push(rng.random());
            continue;
        }
        let opcode = rng.random_range(1..=4);
        let loops = rng.random_range(0..=2);
        let table = opcode == 3 && rng.random_bool(0.3);
        let fixed = match opcode {
            2 => 2,
            _ => 3 + u32::from(table),
        };
        let length = if opcode == 1 {
            1
        } else {
            fixed + 2 + 3 * loops
        };
        words.push(opcode | length << 8 | (rng.random_range(0..8) & rng.random_range(0..8)) << 16);
        if opcode == 1 {
            continue;
        }
        let mut first = rng.random_range(1..=params.lanes());
        if opcode == 3 {
            first |= rng.random_range(0..8) << 9 | rng.random_range(0..256) << 16;
            first |= u32::from(table) << 15;
        }
        words.push(first);
        if opcode != 2 {
            words.push(rng.random_range(0..256));
        }
        if table {
            let entries = params.state_buffer.row_offsets;
            words.push(rng.random_range(0..entries + 4) << 24 | rng.random_range(0..256));
        }
        words.push(rng.random_range(0..3) | loops << 4);
        words.push(rng.random_range(0..params.partition_bytes() + 16));
        for _ in 0..loops {
            words.extend([0, rng.random_range(1..4), rng.random_range(0..12)]);
        }
    }
    for _ in 0..rng.random_range(0..4) {
        let at = rng.random_range(0..words.len());
        words[at] ^= 1 << rng.random_range(0..32);
    }
    words
}

fn run_garbage(machine: &Machine, seed: u64, programs: u32) -> Checked<Coverage> {
    let mut coverage = Coverage::default();
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut pair = Pair::new(machine, seed, &mut rng)?;
    let place = pair.place.clone();
    for number in 0..programs {
        pair.place = format!("{place}, program {number}");
        fill_tables(&mut pair, &mut rng);
        let words = garbage(&mut rng, &machine.params);
        pair.write_program(0, &words);
        let end = pair.run_end(0, 40_000)?;
        coverage.event("halted", matches!(end, End::Halt(_)));
        coverage.event("not judged", matches!(end, End::Conflict));
        for code in &ErrorCode::ALL[..6] {
            coverage.event(
                code.name(),
                matches!(end, End::Error(found, _) if found == *code),
            );
        }
        coverage.event("all", true);
        if end == End::Endless {
            // A loop of step 0: both sides still ran, and the hardware was reset.
            coverage.event("endless", true);
            pair = Pair::new(machine, seed, &mut rng)?;
        }
    }
    Ok(coverage)
}

#[test]
fn garbage_programs_stop_with_the_predicted_error() {
    let machine = Machine::new(machines::tiny());
    rtl::run_seeds(|seed| {
        let coverage = run_garbage(&machine, seed, 400)?;
        let (endless, all) = (coverage.count("endless"), coverage.count("all"));
        match endless * 50 < all {
            true => Ok(coverage),
            false => Err(format!(
                "seed {seed}: {endless} of {all} programs never end"
            )),
        }
    });
}

/// Plants faults in the text of the tiny machine; random programs must find each.
#[track_caller]
fn check_mutants(mutants: &[Mutant], run: impl Fn(&Machine, u64) -> Checked<Coverage>) {
    let params = machines::tiny();
    rtl::check_mutants(&machines::verilog(&params), mutants, |sources, seed| {
        run(&Machine::from_verilog(params.clone(), sources), seed)
    });
}

/// A vector's result is not forwarded to the epilogue right behind it.
const NO_FORWARDING: Mutant = (
    "heddle_result_column",
    "last_store & (slot_addr == last_addr)",
    "last_store & (slot_addr != last_addr)",
);

#[test]
fn random_programs_find_a_fault() {
    check_mutants(&[NO_FORWARDING], |machine, seed| {
        run_programs(machine, seed, 20)
    });
}

#[test]
fn random_programs_find_every_fault() {
    if std::env::var_os("HEDDLE_SLOW").is_none_or(|value| value != "1") {
        eprintln!("mutants are skipped, set HEDDLE_SLOW=1");
        return;
    }
    let mutants = [
        // The swap flag is lost, every K tile starts from the bias, a kept word is reused, the
        // swap does not ride on the last vector.
        (
            "heddle_stream_head",
            "op_swap_q <= swap &",
            "op_swap_q <= op_swap_q & swap &",
        ),
        (
            "heddle_stream_head",
            "is_tensor & first_q",
            "is_tensor & (first_q | first_i)",
        ),
        (
            "heddle_stream_head",
            "op_fresh_q <= fresh_q",
            "op_fresh_q <= 1'b0",
        ),
        ("heddle_stream_head", "(vector & tile_end) |", ""),
        // A word more is taken before a swap has crossed the columns.
        (
            "heddle_weight_head",
            "!full_q & (travel_q == 9'd0)",
            "!full_q",
        ),
        // The last word of a drain stays in the gatherers; HALT does not wait for the waves.
        (
            "heddle_drain_head",
            "post_flush_q <= addr_end_i",
            "post_flush_q <= 1'b0",
        ),
        (
            "heddle_sequencer",
            "quiet_q <= quiet_q - 10'd1",
            "quiet_q <= 10'd0",
        ),
    ];
    check_mutants(&mutants, |machine, seed| run_programs(machine, seed, 50));
    let mutants = [
        // After an error: the host meets results on their way, bytes of the stopped drain come
        // back, a program without DRAIN is blamed on an earlier one.
        (
            "heddle_sequencer",
            "state_q <= StateStop;",
            "state_q <= StateIdle;",
        ),
        (
            "heddle_gatherer",
            "open_q & !leaves & !drop_i",
            "open_q & !leaves",
        ),
        (
            "heddle_sequencer",
            "if (clear) unit_pc_q[16*i+:16] <= 16'd0;",
            "",
        ),
    ];
    check_mutants(&mutants, |machine, seed| run_faults(machine, seed, 60));
}

#[test]
fn random_programs_find_every_fault_of_the_row_tables() {
    if std::env::var_os("HEDDLE_SLOW").is_none_or(|value| value != "1") {
        eprintln!("mutants are skipped, set HEDDLE_SLOW=1");
        return;
    }
    let mutants = [
        // Every K tile takes the first entry; vectors of the last K tile count as the others.
        (
            "heddle_stream_head",
            "entry_q <= entry_q + 9'd1",
            "entry_q <= entry_q",
        ),
        (
            "heddle_control",
            "stream_head_table_i & stream_head_last_tile_o",
            "1'b0",
        ),
    ];
    check_mutants(&mutants, |machine, seed| run_programs(machine, seed, 30));
    let mutants = [
        // Sums beyond the memory and entries beyond the table go unnoticed.
        ("heddle_control", "| end_fault_i", ""),
        ("heddle_stream_head", "& has_entry", ""),
    ];
    check_mutants(&mutants, |machine, seed| run_faults(machine, seed, 60));
}
