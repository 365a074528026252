//! What units alone promise about the worked vectors: registers that one instruction loads, set-up by groups, refusal,
//! demand.

use heddle_arch::traverse::{Command, Run};
use heddle_sim::traversal::vectors::{UnitVector, named, unit_vectors};

use super::bench::{Bench, FLOW, Inputs, Unit};
use super::traffic::{self, Traffic, play_steady};
use super::{FULL, NARROW, PLAIN};
use crate::rtl::{OrPanic, mutated};

/// Plays instructions without stalls; gives the addresses.
fn play(bench: &mut Bench, commands: &[Command]) -> Vec<u64> {
    let words: Vec<u32> = commands.iter().flat_map(Command::encode).collect();
    let elements = play_steady(bench, &words).or_panic();
    elements.iter().map(|e| e.address).collect()
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

#[proves("TTU-014", "TTU-015", "TTU-017")]
#[test]
fn the_registers_of_the_hardware_are_those_of_the_example() {
    let unit = with_registers_on_ports(&PLAIN);
    let mut bench = Bench::new(&unit, 1);
    // Whatever was there before: another instruction with other values in all rows.
    for id in ["TV3", "TV1"] {
        let one = named(id).command();
        let words = one.encode();
        assert_eq!(words[0] >> 8 & 0xff, words.len() as u32, "one instruction");
        assert_eq!(play(&mut bench, &[one]), named(id).addresses);
    }
    let mut seen = 0;
    for row in 0..unit.shape.rows {
        let rows = named("TV1").rows;
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

/// Each address leaves some clocks after the cycle in which its offsets are in the registers Z.
#[proves("TTU-027", "TTU-028")]
#[test]
fn registers_of_the_hardware_hold_the_offsets_of_every_address() {
    let unit = with_registers_on_ports(&PLAIN);
    let mut bench = Bench::new(&unit, 1);
    let behind = unit.sum_stages as usize + 2;
    let registers = |bench: &Bench, row: usize| -> Vec<u64> {
        let names = (0..unit.shape.loops).map(|column| format!("z_{row}_{column}_o"));
        names.map(|name| bench.dut.get(&name)).collect()
    };
    let all_rows = |bench: &Bench| -> Vec<Vec<u64>> {
        let rows = 0..unit.shape.rows as usize;
        rows.map(|row| registers(bench, row)).collect()
    };
    let (mut kept, mut wrapped) = (0, 0);
    let fits = |v: &UnitVector| v.stop.is_none() && v.fits(&unit.shape);
    for vector in unit_vectors(unit.shape.offset_bits)
        .into_iter()
        .filter(fits)
    {
        let mut cycles = vec![all_rows(&bench)];
        let mut found: Vec<(usize, Vec<u64>)> = Vec::new();
        let (words, mut rng) = (vector.command().encode(), bench.dut.rng());
        traffic::play(
            &mut bench,
            &words,
            Traffic::STEADY,
            &mut rng,
            |_, outputs, bench| {
                if outputs.fresh {
                    let row = bench.seen.last().expect("the element of the address").row;
                    found.push((row, cycles[cycles.len() - 1 - behind][row].clone()));
                }
                cycles.push(all_rows(bench));
            },
        )
        .or_panic();
        assert_eq!(found.len(), vector.addresses.len(), "{}", vector.id);
        let loops_of = |number: usize| {
            let mut rows = vector.rows.iter();
            let row = rows.find(|row| usize::from(row.row) == number);
            let loops = &row.expect("a row of the record").loops;
            Vec::from_iter(
                loops
                    .iter()
                    .map(|l| [l.initial, l.step, l.end].map(u64::from)),
            )
        };
        for ((row, offsets), element) in found.iter().zip(&bench.seen) {
            let loops = loops_of(*row).len();
            assert_eq!(offsets[..loops], element.offsets[..loops], "{}", vector.id);
        }
        for pair in found.windows(2).filter(|pair| pair[0].0 == pair[1].0) {
            let loops = loops_of(pair[0].0);
            let [before, after] = [0, 1].map(|at| &pair[at].1[..loops.len()]);
            let Some(&[v, x, y]) = loops.first() else {
                continue;
            };
            let id = &vector.id;
            if before[0] + x < y {
                assert_eq!(
                    (after[0], &after[1..]),
                    (before[0] + x, &before[1..]),
                    "{id}"
                );
                kept += 1;
            } else {
                assert_eq!(after[0], v, "{id}");
                wrapped += 1;
            }
        }
    }
    assert!(kept > 20 && wrapped > 5, "{kept} kept, {wrapped} wrapped");
}

#[proves("TTU-016")]
#[test]
fn set_up_group_by_group_gives_the_same_sequence() {
    let fits = |v: &UnitVector| v.stop.is_none() && v.fits(&FULL.shape);
    for vector in unit_vectors(32).into_iter().filter(fits) {
        let mut bench = Bench::new(&FULL, 1);
        let loaded = play(&mut bench, &Command::group_setup(&vector.rows));
        assert!(loaded.is_empty(), "nothing is started");
        let run = Run::default();
        let found = play(&mut bench, &[Command::Start { run }]);
        assert_eq!(found, vector.addresses, "{}", vector.id);
    }
}

#[test]
fn tv15_endless_loops_are_refused_at_the_word_of_the_end() {
    for unit in super::units() {
        let shape = unit.shape;
        let mut bench = Bench::new(unit, 1);
        let all = unit_vectors(shape.offset_bits).into_iter();
        for vector in all.filter(|v| v.stop.is_some() && v.fits(&shape)) {
            assert!(play(&mut bench, &[vector.command()]).is_empty());
            let found = ["error_o", "error_code_o", "error_word_o"].map(|port| bench.dut.get(port));
            assert_eq!(found, [1, 9, 5], "{}", vector.id);
            assert_eq!(bench.model.stop(), vector.stop);
            bench.clear().unwrap();
        }
        let again = play(&mut bench, &[named("TV8").command()]);
        assert_eq!(again, named("TV8").addresses);
    }
}

#[proves("TTU-051")]
#[test]
fn one_address_for_each_demand_and_none_without() {
    let on_demand = Run {
        on_demand: true,
        ..Run::default()
    };
    for unit in [&FULL, &NARROW, &PLAIN] {
        let mut bench = Bench::new(unit, 1);
        let rows = named("TV1").rows;
        let run = on_demand;
        let one = Command::Traverse { run, rows }.encode();
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
        for expected in &named("TV1").addresses {
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
