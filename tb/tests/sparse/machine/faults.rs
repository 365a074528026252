//! Programs of a layer with a fault: each ends with the golden machine's code and instruction, and writes nothing but what the golden
//! machine writes. A cluster that has stopped goes on after a reset: each program has a machine of its own.

use heddle_arch::Params;
use heddle_arch::host::ClusterStream;
use heddle_arch::isa::sparse::{SparseCommand, SparseLoad, SparseWeights, UnitRegister};
use heddle_arch::isa::{Drain, ErrorCode, Instruction, Matmul};
use rand::Rng;
use rand::SeedableRng;
use rand::seq::IteratorRandom;
use rand_chacha::ChaCha8Rng;

use super::job;
use super::{LIMIT, SMALL, TALL, cleared, give, next, run, slot_words};
use crate::machines::Machine;
use crate::machines::build;
use crate::machines::dump::encode;
use crate::machines::pair::End;
use crate::machines::pair::row;
use crate::rtl::{Checked, Coverage, is_slow};

type Fault = fn(&mut ChaCha8Rng, &mut Vec<Instruction>) -> Option<()>;

/// Names of the faults, and what plants them; none if the program has no place for one.
const FAULTS: [(&str, Fault); 11] = [
    ("instruction is missing", |rng, program| {
        program.remove(rng.random_range(0..program.len()));
        Some(())
    }),
    ("instruction comes twice", |rng, program| {
        let at = rng.random_range(0..program.len());
        program.insert(at, program[at].clone());
        Some(())
    }),
    ("instructions in another order", |rng, program| {
        let at = rng.random_range(1..program.len());
        program.swap(at - 1, at);
        Some(())
    }),
    ("word of a command", |rng, program| {
        let words = any_command(rng, program)?;
        let at = rng.random_range(1..words.len());
        words[at] ^= 1 << rng.random_range(0..32);
        Some(())
    }),
    ("word too many", |rng, program| {
        any_command(rng, program)?.push(0);
        Some(())
    }),
    ("word too few", |rng, program| {
        any_command(rng, program)?.pop();
        Some(())
    }),
    ("slots", |rng, program| {
        let all = program.iter_mut().filter_map(|one| match one {
            Instruction::Matmul(Matmul { record, .. }) => Some(record),
            _ => None,
        });
        let row = &mut all.choose(rng)?.rows[0];
        let trips = row.loops.first_mut()?;
        trips.end = match rng.random() {
            true => trips.end + trips.step,
            false => trips.end.saturating_sub(trips.step),
        };
        Some(())
    }),
    ("product within a drain", |rng, program| {
        let drains = (0..program.len() - 1)
            .filter(|at| matches!(program[*at], Instruction::Drain(_)))
            .filter(|at| matches!(program[at + 1], Instruction::Sparse(_)));
        let at = drains.choose(rng)?;
        let product = build::matmul(4, vec![row(1, 0, &[(200, 1)])]);
        program.insert(at + 1, Instruction::Matmul(product));
        program.insert(0, Instruction::LoadWeights(build::load(4, 0, &[(1, 8)])));
        Some(())
    }),
    ("a map for one set", |_, program| {
        // All units take the whole of a map whose values lie where the program has its own.
        let whole = || 0..64;
        let parts = vec![
            UnitRegister::PartRows(whole()),
            UnitRegister::PartCols(whole()),
        ];
        let commands = [
            SparseCommand::Set(None, parts),
            SparseCommand::Load(SparseLoad {
                lanes: 4,
                size: [64; 2],
                chunks: 1,
                units: 1,
                ..SparseLoad::default()
            }),
        ];
        let commands = commands.map(|command| job::instruction(&command));
        program.splice(0..0, commands);
        program.insert(2, Instruction::Matmul(job::send(4, 0, 4096)));
        Some(())
    }),
    ("rows of the operands", |rng, program| {
        let all = program.iter_mut().filter_map(|one| match one {
            Instruction::Matmul(matmul) => Some(matmul),
            _ => None,
        });
        let matmul = all.choose(rng)?;
        matmul.rows = rng.random_range(1..=matmul.rows);
        Some(())
    }),
    ("results", |rng, program| {
        let all = program.iter_mut().filter_map(|one| match one {
            Instruction::Drain(Drain { record, .. }) => Some(record),
            _ => None,
        });
        let trips = all.choose(rng)?.rows[0].loops.first_mut()?;
        trips.end = match rng.random() {
            true => trips.end + trips.step,
            false => trips.end.saturating_sub(trips.step),
        };
        Some(())
    }),
];

/// The words of one of the cluster's instructions.
fn any_command<'a>(
    rng: &mut ChaCha8Rng,
    program: &'a mut [Instruction],
) -> Option<&'a mut Vec<u32>> {
    let all = program.iter_mut().filter_map(|one| match one {
        Instruction::Sparse(command) => Some(&mut command.words),
        _ => None,
    });
    all.choose(rng)
}

/// A word of zeros for each list: a value that meets a list which nobody has filled would take as long as the memory happens to tell.
fn fill_lists(params: &Params) -> Vec<(ClusterStream, u64)> {
    let lists = params.sparse_cluster().lists;
    let fill = SparseCommand::Weights(SparseWeights {
        words: lists,
        units: u64::MAX >> (64 - params.sparse_cluster().units),
        ..SparseWeights::default()
    });
    let commands = fill.words().into_iter();
    let commands = commands.map(|word| (ClusterStream::Commands, word.into()));
    let lasts = 0x8000_8000_8000_8000;
    let block = [&[lasts][..], &vec![0; 4 * slot_words(params.array.cols)]].concat();
    let weights = block.repeat(lists as usize / 4).into_iter();
    commands
        .chain(weights.map(|word| (ClusterStream::Weights, word)))
        .collect()
}

/// A layer with a fault on machines that have just been reset.
pub fn run_faulty(machine: &Machine, seed: u64, coverage: &mut Coverage) -> Checked {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut pair = cleared(machine, seed, &mut rng)?;
    let (layer, program, mut job) = next(&machine.params, &mut rng);
    job.mix(&mut rng, &machine.params);
    pair.write_cluster(&fill_lists(&machine.params))?;
    give(&mut pair, (&layer, &program, &job))?;
    let (name, plant) = FAULTS[rng.random_range(0..FAULTS.len())];
    if plant(&mut rng, &mut job.program).is_none() {
        return Ok(());
    }
    pair.place = format!("{}, {name}", pair.place);
    let mut words = encode(&job.program);
    if rng.random_bool(0.2) {
        // The length of any instruction that is one of the cluster.
        let commands =
            (0..job.program.len()).filter(|at| matches!(job.program[*at], Instruction::Sparse(_)));
        if let Some(at) = commands.choose(&mut rng) {
            words[encode(&job.program[..at]).len()] ^= 1 << rng.random_range(8..16);
        }
    }
    let end = run(&mut pair, &words, LIMIT)?;
    coverage.event(name, true);
    match end {
        End::Halt(_) => coverage.event("HALT", true),
        End::Error(code, _) => coverage.event(code.name(), true),
        End::Endless | End::Conflict | End::Undefined => coverage.event("not judged", true),
    }
    Ok(())
}

#[test]
fn programs_with_a_fault_end_as_predicted() {
    let counts = if is_slow() { [2000; 2] } else { [60, 15] };
    let mut coverage = Coverage::default();
    for (machine, count) in [&*SMALL, &*TALL].into_iter().zip(counts) {
        for seed in 1..=count {
            run_faulty(machine, seed, &mut coverage).unwrap_or_else(|message| panic!("{message}"));
        }
    }
    println!("{coverage:?}");
    for code in [
        ErrorCode::BadLength,
        ErrorCode::BadField,
        ErrorCode::DrainUnderflow,
        ErrorCode::Stuck,
        ErrorCode::MapFull,
        ErrorCode::SparseOrder,
    ] {
        assert!(
            coverage.count(code.name()) > 0,
            "{} never happened",
            code.name()
        );
    }
    for (name, _) in FAULTS {
        assert!(coverage.count(name) > 0, "{name} never happened");
    }
}
