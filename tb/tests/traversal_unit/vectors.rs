//! The worked vectors of the specification by their instruction words, and what the unit promises
//! about them: set-up, start, stop, pause, demand, offsets, order of the rows.

use heddle_arch::traverse::{Command, RowKind, Run};
use heddle_sim::traversal::vectors::{UnitVector, unit_vectors};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

use super::bench::{Bench, FLOW, Inputs, Unit};
use super::traffic::{Traffic, play, play_steady};
use super::{FULL, LARGE_SET, NARROW, ONE_SET, PLAIN, SINGLE, WIDE};
use crate::rtl::mutated;

const NOTHING: [u64; 0] = [];

/// All vectors that fit, one instruction each, one after another on one instance.
#[track_caller]
fn check_all(unit: &Unit, expected: usize) {
    let mut bench = Bench::new(unit, 1);
    let vectors = unit_vectors(unit.shape.offset_bits);
    let fitting = vectors.iter().filter(|v| v.fits(&unit.shape));
    let mut passed = 0;
    for vector in fitting {
        let found = play_steady(&mut bench, &vector.command().encode());
        let found = found.unwrap_or_else(|message| panic!("{}: {message}", vector.id));
        assert_eq!(found, vector.addresses, "{}", vector.id);
        assert_eq!(bench.model.stop(), vector.stop, "{}", vector.id);
        if vector.stop.is_some() {
            bench.clear().unwrap();
        }
        passed += 1;
    }
    assert_eq!(passed, expected, "vectors that fit the unit");
}

fn vector(id: &str) -> UnitVector {
    let mut all = unit_vectors(FULL.shape.offset_bits).into_iter();
    all.find(|v| v.id == id).expect("a vector")
}

fn words(commands: &[Command]) -> Vec<u32> {
    commands.iter().flat_map(Command::encode).collect()
}

fn start(run: Run) -> Command {
    Command::Start { run }
}

fn traverse(id: &str, run: Run) -> Command {
    let rows = vector(id).rows;
    Command::Traverse { run, rows }
}

/// Plays instructions on the full unit without stalls.
#[track_caller]
fn check(commands: &[Command], expected: &[u64]) {
    let found = play_steady(&mut Bench::new(&FULL, 1), &words(commands));
    assert_eq!(found.unwrap(), expected);
}

#[test]
fn ttu_004_ttu_065_ttu_067_vectors_on_every_size() {
    check_all(&FULL, 20);
    check_all(&NARROW, 16);
    check_all(&PLAIN, 11);
    check_all(&ONE_SET, 7);
    check_all(&SINGLE, 5);
    check_all(&WIDE, 17);
    check_all(&LARGE_SET, 20);
}

#[test]
fn ttu_014_ttu_015_ttu_017_one_instruction_loads_and_starts_everything() {
    // Prologue and nest, nest and epilogue, prologue and nest and epilogue.
    for id in ["TV1", "TV4", "TV3"] {
        let mut bench = Bench::new(&FULL, 1);
        let one = vector(id).command().encode();
        assert_eq!(one[0] >> 8 & 0xff, one.len() as u32, "one instruction");
        assert_eq!(play_steady(&mut bench, &one).unwrap(), vector(id).addresses);
        let registers = bench.model.registers();
        for row in &vector(id).rows {
            let dump = &registers[usize::from(row.row)];
            for (c, l) in row.loops.iter().enumerate() {
                let found = (dump.initial[c], dump.step[c], dump.end[c], dump.offset[c]);
                let expected = (l.initial, l.step, l.end, l.initial);
                let [v, x, y, z] = [expected.0, expected.1, expected.2, expected.3].map(u64::from);
                assert_eq!(found, (v, x, y, z), "{id} row {} loop {c}", row.row);
            }
        }
    }
}

/// The unit with V, X, V + X - Y and Z of its registers on ports.
fn with_registers_on_ports(unit: &Unit) -> Unit {
    let bits = unit.shape.offset_bits;
    let (mut ports, mut wires) = (String::new(), String::new());
    for row in 0..unit.shape.rows {
        for column in 0..unit.shape.loops {
            let flat = row * unit.shape.loops + column;
            let (array, counters) = ("u_engine.u_registers", "u_engine.u_core.gen_row");
            for (name, bits, place) in [
                (
                    "v",
                    bits,
                    format!("{array}.initial_o[{}+:{bits}]", flat * bits),
                ),
                (
                    "x",
                    bits,
                    format!("{array}.step_o[{}+:{bits}]", flat * bits),
                ),
                (
                    "d",
                    bits + 1,
                    format!("{array}.distance_o[{}+:{}]", flat * (bits + 1), bits + 1),
                ),
                (
                    "z",
                    bits,
                    format!(
                        "{counters}[{row}].u_row.offset_o[{}+:{bits}]",
                        column * bits
                    ),
                ),
            ] {
                ports += &format!("  output wire [{}:0] {name}_{row}_{column}_o,\n", bits - 1);
                wires += &format!("  assign {name}_{row}_{column}_o = {place};\n");
            }
        }
    }
    let reset = "  input wire rst_n,\n";
    let top = &unit.sources.top;
    let sources = mutated(&unit.sources, top, reset, &format!("{reset}{ports}"));
    let sources = mutated(&sources, top, "endmodule", &format!("{wires}endmodule"));
    Unit {
        sources,
        ..unit.clone()
    }
}

#[test]
fn ttu_014_ttu_017_the_registers_of_the_hardware_are_those_of_the_example() {
    let unit = with_registers_on_ports(&PLAIN);
    let mut bench = Bench::new(&unit, 1);
    // Whatever was there before: another instruction with other values in all rows.
    for id in ["TV3", "TV1"] {
        let one = vector(id).command().encode();
        assert_eq!(one[0] >> 8 & 0xff, one.len() as u32, "one instruction");
        assert_eq!(play_steady(&mut bench, &one).unwrap(), vector(id).addresses);
    }
    let mut seen = 0;
    for row in 0..unit.shape.rows {
        let rows = vector("TV1").rows;
        let listed = rows.iter().find(|listed| u32::from(listed.row) == row);
        for column in 0..unit.shape.loops {
            let values = listed.and_then(|listed| listed.loops.get(column as usize));
            let [v, x, y] = values.map_or([0; 3], |l| [l.initial, l.step, l.end].map(u64::from));
            let register = |name: &str| bench.dut.get(&format!("{name}_{row}_{column}_o"));
            let found = ["v", "x", "d", "z"].map(register);
            let distance = (v + x).wrapping_sub(y) & ((2 << unit.shape.offset_bits) - 1);
            // A loop that is not there has one iteration, whatever its distance.
            let expected = [v, x, if values.is_some() { distance } else { found[2] }, v];
            assert_eq!(found, expected, "row {row}, loop {column}");
            seen += usize::from(values.is_some());
        }
    }
    assert_eq!(seen, 4, "loops of the example");
}

#[test]
fn ttu_016_set_up_group_by_group_gives_the_same_sequence() {
    for vector in unit_vectors(32).iter().filter(|v| v.stop.is_none()) {
        let mut commands = Command::group_setup(&vector.rows).to_vec();
        let mut bench = Bench::new(&FULL, 1);
        assert_eq!(play_steady(&mut bench, &words(&commands)).unwrap(), NOTHING);
        commands = vec![start(Run::default())];
        let found = play_steady(&mut bench, &words(&commands)).unwrap();
        assert_eq!(found, vector.addresses, "{}", vector.id);
    }
}

#[test]
fn ttu_040_ttu_046_ttu_059_ttu_062_rows_of_every_kind() {
    for id in [
        "TV1", "TV3", "TV4", "TV13", "TV17", "TV10", "TV11", "TV16k", "TV16j", "TV16i",
    ] {
        check(&[vector(id).command()], &vector(id).addresses);
    }
}

#[test]
fn tv15_endless_loops_are_refused_at_the_word_of_the_end() {
    for id in ["TV15a", "TV15b"] {
        let mut bench = Bench::new(&FULL, 1);
        assert_eq!(
            play_steady(&mut bench, &vector(id).command().encode()).unwrap(),
            NOTHING
        );
        let found = ["error_o", "error_code_o", "error_word_o"].map(|port| bench.dut.get(port));
        assert_eq!(found, [1, 9, 5], "{id}");
        bench.clear().unwrap();
        let again = play_steady(&mut bench, &vector("TV1").command().encode());
        assert_eq!(again.unwrap(), vector("TV1").addresses);
    }
}

#[test]
fn ttu_032_ttu_063_a_second_start_repeats_the_sequence() {
    let tv3 = vector("TV3");
    let twice = [tv3.command(), start(Run::default()), start(Run::default())];
    check(&twice, &tv3.addresses.repeat(3));
}

#[test]
fn ttu_047_ttu_048_ttu_053_every_address_comes_once_and_then_nothing() {
    for unit in [&FULL, &PLAIN] {
        let mut bench = Bench::new(unit, 1);
        let found = play_steady(&mut bench, &vector("TV3").command().encode()).unwrap();
        assert_eq!(found.len(), 17);
        for _ in 0..200 {
            let outputs = bench.step(&FLOW).unwrap();
            assert!(outputs.address.is_none() && !outputs.busy);
        }
    }
}

#[test]
fn ttu_049_pauses_do_not_change_the_sequence() {
    let traffic = Traffic {
        pause: 120,
        ready: 180,
        ..Traffic::STEADY
    };
    for unit in [&FULL, &NARROW, &PLAIN] {
        let mut bench = Bench::new(unit, 1);
        for seed in 0..50 {
            let mut rng = ChaCha8Rng::seed_from_u64(seed);
            let mut found = Vec::new();
            let one = vector("TV3").command().encode();
            let look = |_: &_, o: &super::bench::Outputs, _: &_| {
                found.extend(o.address.filter(|_| o.fresh));
            };
            play(&mut bench, &one, traffic, &mut rng, look).unwrap();
            assert_eq!(found, vector("TV3").addresses, "seed {seed}");
        }
    }
}

#[test]
fn ttu_051_one_address_for_each_demand_and_none_without() {
    let on_demand = Run {
        on_demand: true,
        ..Run::default()
    };
    for unit in [&FULL, &NARROW, &PLAIN] {
        let mut bench = Bench::new(unit, 1);
        let one = traverse("TV1", on_demand).encode();
        let wait = |bench: &mut Bench, word, demand| {
            let inputs = Inputs {
                word,
                demand,
                ..FLOW
            };
            bench.step(&inputs).unwrap()
        };
        let mut next = 0;
        for _ in 0..one.len() + 30 {
            let outputs = wait(&mut bench, one.get(next).copied(), false);
            next += usize::from(outputs.taken.is_some());
            assert_eq!(outputs.address, None);
        }
        for expected in &vector("TV1").addresses {
            assert!(wait(&mut bench, None, true).demand_ready);
            let found: Vec<u64> = (0..20)
                .filter_map(|_| wait(&mut bench, None, false).address)
                .collect();
            assert_eq!(found, [*expected]);
        }
        assert!(!wait(&mut bench, None, true).demand_ready);
        bench.check_done().unwrap();
    }
}

#[test]
fn ttu_024_ttu_052_ttu_055_offsets_plus_bases_are_the_addresses() {
    let offset_only = Run {
        offset_only: true,
        ..Run::default()
    };
    for vector in unit_vectors(32).iter().filter(|v| v.stop.is_none()) {
        let mut bench = Bench::new(&FULL, 1);
        let one = traverse(vector.id, offset_only).encode();
        let mut found = Vec::new();
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        play(
            &mut bench,
            &one,
            Traffic::STEADY,
            &mut rng,
            |_, outputs, _| {
                if let Some(offset) = outputs.address {
                    let mut rows = vector.rows.iter();
                    let row = rows.find(|r| u64::from(r.row) == outputs.row);
                    found.push(u64::from(row.expect("a row").base) + offset);
                }
            },
        )
        .unwrap();
        assert_eq!(found, vector.addresses, "{}", vector.id);
    }
}

#[test]
fn ttu_061_rows_may_lie_in_any_registers() {
    for numbers in [[0_u8, 1, 2], [2, 1, 0], [7, 0, 4], [1, 5, 3]] {
        let mut vector = vector("TV3");
        for (row, number) in vector.rows.iter_mut().zip(numbers) {
            row.row = number;
        }
        let mut bench = Bench::new(&FULL, 1);
        let mut seen = Vec::new();
        let one = vector.command().encode();
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        play(
            &mut bench,
            &one,
            Traffic::STEADY,
            &mut rng,
            |_, outputs, _| {
                if let Some(address) = outputs.address {
                    seen.push((address, outputs.row, outputs.kind));
                }
            },
        )
        .unwrap();
        let kinds = [RowKind::Prologue, RowKind::Tensor, RowKind::Epilogue];
        let phase = |t| usize::from(t >= 3) + usize::from(t >= 15);
        let addresses = vector.addresses.iter().enumerate();
        let expected: Vec<(u64, u64, u64)> = addresses
            .map(|(t, a)| {
                (
                    *a,
                    numbers[phase(t)].into(),
                    kinds[phase(t)].number().into(),
                )
            })
            .collect();
        assert_eq!(seen, expected);
    }
}

#[test]
fn ttu_067_sequences_follow_each_other_on_one_instance() {
    let ids = ["TV1", "TV5", "TV3"];
    let expected = ids.map(|id| vector(id).addresses).concat();
    check(&ids.map(|id| vector(id).command()), &expected);
}
