//! Copies from bank to bank and within a bank, and SYNC, on emitted machines against the golden machine.

use heddle_arch::host::Counter;
use heddle_arch::isa::{ErrorCode, Instruction, Matmul, RowBlock, Wait};
use heddle_arch::params::{MaskPlace, Params};
use heddle_arch::requantise::Scale;
use heddle_sim::machine::Counters;
use heddle_tb::verilate::Sources;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

use crate::machines::build;
use crate::machines::pair::{End, HALT, Pair, row};
use crate::machines::{self, Machine};
use crate::rtl::{self, Checked, faults};

fn copy(rows: u32, from: u32, to: u32, loops: &[(u32, u32)]) -> Instruction {
    Instruction::Copy(build::copy(rows, from, to, loops))
}

fn load(params: &Params, base: u32) -> Instruction {
    let words = params.weight_words();
    Instruction::LoadWeights(build::load(params.array.rows, base, &[(words, 8)]))
}

fn matmul(params: &Params, wait: Wait, rows: Vec<RowBlock>) -> Instruction {
    Instruction::Matmul(Matmul {
        wait,
        ..build::matmul(params.array.rows, rows)
    })
}

fn drain(params: &Params, base: u32, count: u32) -> Instruction {
    Instruction::Drain(build::drain(params.lanes(), base, &[(count, 1)]))
}

const WEIGHTS: Wait = Wait {
    weights: true,
    ..Wait::NONE
};

/// Words of all partitions as the golden machine has them.
fn contents(pair: &Pair) -> Vec<Vec<[u8; 8]>> {
    let params = pair.params();
    let words = 0..params.partition_words();
    (0..params.array.rows)
        .map(|partition| {
            let word = |word| pair.golden.read_word(partition, word);
            words.clone().map(word).collect()
        })
        .collect()
}

/// Runs a program that reaches HALT; counters and state buffer agree.
fn run(pair: &mut Pair, program: &[Instruction]) -> Checked<Counters> {
    let end = pair.run_instructions(program)?;
    pair.compare()?;
    match end {
        End::Halt(counters) => Ok(counters),
        end => Err(pair.message(format!("ends with {end:?}"))),
    }
}

/// Copies words and compares with what a copy means: all of them are read, then they are written.
fn check_copy(pair: &mut Pair, rows: u32, from: u32, to: u32, loops: &[(u32, u32)]) -> Checked {
    let params = pair.params();
    let before = contents(pair);
    let counters = run(pair, &[copy(rows, from, to, loops), HALT])?;
    let mut expected = before.clone();
    let mut offsets = vec![0];
    for &(count, step) in loops {
        let all = |n| offsets.iter().map(move |at| at + n * step);
        offsets = (0..count).flat_map(all).collect();
    }
    for (before, after) in before.iter().zip(&mut expected).take(rows as usize) {
        for &offset in &offsets {
            after[((to + offset) / 8) as usize] = before[((from + offset) / 8) as usize];
        }
    }
    if contents(pair) != expected {
        return Err(pair.message(format!("{from} to {to}: other words")));
    }
    // START of n words in n + 2, the first address in START + 4, the last partition R + 8 cycles after the last
    // address; HALT goes on in the cycle after it.
    let words = offsets.len() as u32;
    let start = copy(rows, from, to, loops).words() as u32 + 2;
    let slices = &params.state_buffer.slices;
    let masks = slices.mask == MaskPlace::Slice && !slices.plain;
    let accesses = if masks { rows * words } else { 0 };
    let cycles = start + 4 + (words - 1) + params.array.rows + 9 + 1;
    for (counter, wanted) in [
        (Counter::Cycles, cycles),
        (Counter::Instructions, 2),
        (Counter::Vectors, 0),
        (Counter::MaskReads, accesses),
        (Counter::MaskWrites, accesses),
    ] {
        let found = counters.get(counter);
        if found != wanted {
            let name = counter.name();
            return Err(pair.message(format!("{name} is {found}, expected {wanted}")));
        }
    }
    Ok(())
}

/// Every pair of banks, all partitions and some, several shapes of the record. Gives the number of pairs.
fn copy_between_banks(pair: &mut Pair) -> Checked<u32> {
    let params = pair.params();
    let (banks, bytes) = (params.state_buffer.banks, params.bank_bytes());
    let mut pairs = 0;
    for from in 0..banks {
        for to in 0..banks {
            let (first, second) = (from * bytes, to * bytes + bytes / 2);
            check_copy(pair, params.array.rows, first, second, &[(9, 8)])?;
            check_copy(pair, 1, first + 8, second + 16, &[(3, 8), (2, 64)])?;
            pairs += 1;
        }
    }
    // A whole bank at once, byte addresses within their words, and the last word of the memory.
    let last = params.partition_bytes() - 8;
    check_copy(pair, params.array.rows, 0, bytes, &[(bytes / 8, 8)])?;
    check_copy(pair, params.array.rows, 19, last + 3, &[])?;
    check_copy(pair, params.array.rows, last, 8, &[])?;
    Ok(pairs)
}

/// The machine with random contents.
fn fresh<'a>(machine: &'a Machine, seed: u64) -> Checked<Pair<'a>> {
    Pair::new(machine, seed, &mut ChaCha8Rng::seed_from_u64(seed))
}

#[proves("PET-54")]
#[test]
fn words_are_copied_from_bank_to_bank_in_all_partitions() {
    for params in [
        machines::tiny(),
        machines::tall(),
        machines::wide(),
        machines::single(),
    ] {
        let machine = Machine::new(params);
        let pairs = fresh(&machine, 1)
            .and_then(|mut pair| copy_between_banks(&mut pair))
            .unwrap_or_else(|message| panic!("{message}"));
        println!("{}: {pairs} pairs of banks", machine.params.name);
        assert_eq!(pairs, machine.params.state_buffer.banks.pow(2));
    }
}

/// Words that overlap: an address sees what was written six addresses before it.
fn copy_overlapping(pair: &mut Pair) -> Checked {
    let rows = pair.params().array.rows;
    for distance in 1..9 {
        let before = contents(pair);
        let words = 12;
        run(pair, &[copy(rows, 0, 8 * distance, &[(words, 8)]), HALT])?;
        let mut expected = before;
        for partition in &mut expected {
            let mut written = Vec::new();
            for at in 0..words as usize {
                if let Some(at) = at.checked_sub(6) {
                    let (word, data) = written[at];
                    partition[word] = data;
                }
                written.push((at + distance as usize, partition[at]));
            }
            for &(word, data) in &written[words as usize - 6..] {
                partition[word] = data;
            }
        }
        if contents(pair) != expected {
            return Err(pair.message(format!("distance {distance}: other words")));
        }
    }
    Ok(())
}

#[proves("PET-54")]
#[test]
fn a_copy_over_its_source_sees_words_of_six_addresses_before() {
    let machine = Machine::new(machines::with_bypass(machines::tiny()));
    fresh(&machine, 1)
        .and_then(|mut pair| copy_overlapping(&mut pair))
        .unwrap_or_else(|message| panic!("{message}"));
}

/// A copy behind a drain and in front of one, between products, while a tile waits in the shadow weights.
fn copies_beside_products(pair: &mut Pair) -> Checked {
    let params = pair.params();
    let bytes = params.bank_bytes();
    let rows = params.array.rows;
    // Few results reach the ends of their range.
    for column in 0..params.array.cols {
        let scale = Scale::new(1 << 30, -7).expect("a legal scale");
        pair.write_column(column, 0, column as i32, scale);
    }
    let operands = |base| vec![row(0, 0, &[]), row(1, base, &[(8, 1)])];
    let all = |words| [(words, 8)];
    // What the drain writes is copied at once, over the weights of the next product; the drain behind it writes over
    // the words that are copied, and over copies.
    let results = bytes / 2;
    let program = [
        load(params, 0),
        drain(params, results, 8),
        matmul(params, Wait::default(), operands(bytes)),
        copy(rows, results, 0, &all(1)),
        load(params, 0),
        copy(rows, results, bytes, &all(20)),
        drain(params, results, 8),
        matmul(params, WEIGHTS, operands(bytes)),
        copy(rows, results, 8 * 40, &all(20)),
        drain(params, 8 * 59, 8),
        load(params, 8 * 40),
        matmul(params, Wait::default(), operands(bytes)),
        Instruction::Sync {
            wait: Wait {
                weights: true,
                stream: true,
                drain: true,
                ..Wait::NONE
            },
        },
        copy(rows, 8 * 59, results + 8, &all(1)),
        HALT,
    ];
    run(pair, &program)?;
    let words = contents(pair);
    let moved = words
        .iter()
        .all(|partition| partition[59] == partition[results as usize / 8 + 1]);
    if !moved {
        return Err(pair.message("the result is not there"));
    }
    // The first tile is swapped in at once; the second waits in the shadow weights while words are copied.
    let program = [
        load(params, 0),
        load(params, 8 * 16),
        copy(rows, 0, bytes + 8 * 30, &all(30)),
        drain(params, results, 16),
        matmul(params, Wait::default(), operands(bytes)),
        matmul(params, Wait::default(), operands(bytes)),
        HALT,
    ];
    run(pair, &program)?;
    Ok(())
}

#[proves("PET-54")]
#[test]
fn copies_products_and_drains_keep_their_order() {
    for params in [machines::tiny(), machines::tall(), machines::wide()] {
        let machine = Machine::new(params);
        fresh(&machine, 1)
            .and_then(|mut pair| copies_beside_products(&mut pair))
            .unwrap_or_else(|message| panic!("{message}"));
    }
}

/// Addresses beyond the memory stop the machine; what was on its way is written, nothing else.
fn lost_copies(pair: &mut Pair) -> Checked {
    let params = pair.params();
    let (rows, end) = (params.array.rows, params.partition_bytes());
    let sync = Instruction::Sync {
        wait: Wait::default(),
    };
    for (from, to) in [
        // The source runs out of the memory, then the destination.
        (end - 24, 0),
        (0, end - 24),
        // Both at once: the source, a cycle behind, is the second error.
        (end - 24, end - 24),
        (0, end),
    ] {
        let program = [sync.clone(), copy(rows, from, to, &[(8, 8)]), HALT];
        let end = pair.run_instructions(&program)?;
        pair.compare()?;
        if end != End::Error(ErrorCode::Address, 1) {
            return Err(pair.message(format!("{from} to {to}: {end:?}")));
        }
        pair.prepare()?;
    }
    // A copy between a drain and its product waits for ever.
    let program = [
        load(params, 0),
        drain(params, 0, 8),
        copy(rows, 0, 8, &[]),
        HALT,
    ];
    let at = (program[0].words() + program[1].words()) as u32;
    let end = pair.run_instructions(&program)?;
    if end != End::Error(ErrorCode::Stuck, at) {
        return Err(pair.message(format!("{end:?}")));
    }
    pair.prepare()
}

#[proves("PET-54")]
#[test]
fn copies_beyond_memory_or_waiting_for_ever_stop_with_an_error() {
    for params in [machines::tiny(), machines::tall()] {
        let machine = Machine::new(params);
        fresh(&machine, 1)
            .and_then(|mut pair| lost_copies(&mut pair))
            .unwrap_or_else(|message| panic!("{message}"));
    }
}

/// CYCLES and STALL_WAIT of a copy with these instructions behind it.
fn cycles_behind_copy(pair: &mut Pair, behind: &[Instruction]) -> Checked<(u32, u32)> {
    let rows = pair.params().array.rows;
    let mut program = vec![copy(rows, 0, 8 * 64, &[(50, 8)])];
    program.extend(behind.iter().cloned());
    program.push(HALT);
    let counters = run(pair, &program)?;
    let instructions = counters.get(Counter::Instructions);
    if instructions as usize != program.len() {
        return Err(pair.message(format!("{instructions} instructions")));
    }
    Ok((
        counters.get(Counter::Cycles),
        counters.get(Counter::StallWait),
    ))
}

fn syncs(pair: &mut Pair) -> Checked {
    let sync = |weights, stream, drain| Instruction::Sync {
        wait: Wait {
            weights,
            stream,
            drain,
            ..Wait::NONE
        },
    };
    let (alone, waited) = cycles_behind_copy(pair, &[])?;
    // Two cycles each, which HALT would wait; a SYNC that waits itself puts HALT two cycles later.
    for (behind, wanted) in [
        (
            vec![sync(false, false, false), sync(false, true, true)],
            (alone, waited - 4),
        ),
        (vec![sync(true, false, false)], (alone + 2, waited)),
    ] {
        let found = cycles_behind_copy(pair, &behind)?;
        if found != wanted {
            return Err(pair.message(format!("{found:?}, expected {wanted:?}")));
        }
    }
    Ok(())
}

#[proves("PET-54")]
#[test]
fn a_sync_waits_for_the_units_named_and_counts_as_an_instruction() {
    let machine = Machine::new(machines::tiny());
    fresh(&machine, 1)
        .and_then(|mut pair| syncs(&mut pair))
        .unwrap_or_else(|message| panic!("{message}"));
}

/// The programs of this file on a machine with this text.
fn all(params: &Params, sources: &Sources) -> Checked {
    let machine = Machine::from_verilog(params.clone(), sources);
    let mut pair = fresh(&machine, 1)?;
    copy_between_banks(&mut pair)?;
    copy_overlapping(&mut pair)?;
    copies_beside_products(&mut pair)?;
    syncs(&mut pair)?;
    lost_copies(&mut pair)
}

#[proves("PET-54")]
#[test]
fn faults_of_copies_are_noticed() {
    let params = machines::with_bypass(machines::tall());
    let sources = machines::probed(&params);
    let mutants = r"
        // The distance is ignored; a copy shifts weights, makes tiles, waits for swaps like weights.
        heddle_weight_issue: addr_i[15:3] + distance_i => addr_i[15:3]
        heddle_partition: wt_valid_q & !wt_copy_q => wt_valid_q
        heddle_weight_issue: fills = 1'b0 => fills = tile_end
        heddle_weight_issue: if (copy_i) begin\n      ready = 1'b1; => if (copy_i) begin
        // A copy does not wait for the drain, a drain not for the copy; the weight unit is idle too early.
        heddle_sequencer: header_wait_drain | starts_copy => header_wait_drain
        heddle_sequencer: | (starts[2] & registers_copy) =>
        heddle_weight_issue: left_q <= 10'h20c => left_q <= 10'h20b
        heddle_control: weight_walk_busy | weight_issue_copying => weight_walk_busy
        // Every row copies; a kept word outlives the copy over it; a destination beyond the memory goes unnoticed.
        heddle_partition: wt_is_active & wt_copy_i => wt_valid_i & wt_copy_i
        heddle_weight_issue: (dest_q[12:9] != 4'd0) => 1'b0
        // SYNC waits for the weight unit always.
        heddle_sequencer: (starts_any & (check_target == UnitWeights)) => (check_target == UnitWeights)";
    rtl::check_mutants(&sources, &faults(mutants), |sources, _| {
        all(&params, sources)
    });
    all(&params, &sources).unwrap_or_else(|message| panic!("{message}"));
}
