//! Who fills the registers V, X and Y: the unit from an instruction that the compiler made of loops,
//! or somebody else who writes them one by one.

use std::fmt::Write;
use std::sync::LazyLock;

use heddle_arch::isa::Loop;
use heddle_arch::traverse::{Row, RowKind, Run};
use heddle_compiler::nest::Nest;
use heddle_hdl::traversal::{TraversalEngine, TraversalShape};
use heddle_sim::traversal::{UnitRow, UnitWalk};
use heddle_tb::verilate::Sources;
use rand::Rng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;

use super::sinks::{SINKS, Sink, filled, run};
use super::{SHAPE, words};
use crate::rtl::{Checked, Coverage, Dut, check_mutants, emitted, run_seeds};

const ROWS: usize = SHAPE.rows as usize;
const LOOPS: usize = SHAPE.loops as usize;

/// Registers and adders without a decoder: whoever wants may write.
static REGISTERS: LazyLock<Sources> = LazyLock::new(|| {
    emitted(TraversalEngine::<8, 9, 12>::new(TraversalShape {
        double: true,
        trips: true,
        attach: true,
        group: true,
        stages: 2,
        ..TraversalShape::plain(ROWS, LOOPS)
    }))
});

/// One write of one register.
#[derive(Debug, Clone, Copy)]
struct Place {
    row: usize,
    column: usize,
    /// 0 V, 1 X, 2 Y.
    select: u64,
    value: u32,
}

/// The registers of all loops, row by row.
fn places(rows: &[Row]) -> Vec<Place> {
    let mut all = Vec::new();
    for row in rows {
        for (column, l) in row.loops.iter().enumerate() {
            let values = [l.initial, l.step, l.end];
            all.extend(values.into_iter().zip(0..).map(|(value, select)| Place {
                row: row.row.into(),
                column,
                select,
                value,
            }));
        }
    }
    all
}

fn engine(sources: &Sources, seed: u64) -> Dut {
    let mut dut = Dut::new(sources, seed);
    let low = "stop_i cfg_clear_i cfg_valid_i cfg_kind_i cfg_attached_i cfg_loop_i cfg_equal_i \
               cfg_trips_i alone_i start_i offset_only_i pause_i ready_i";
    for input in low.split_whitespace() {
        dut.set(input, false);
    }
    dut.set("cfg_group_i", true);
    dut
}

fn write(dut: &mut Dut, place: Place) {
    dut.set("cfg_valid_i", true);
    dut.set("cfg_row_i", place.row as u64);
    dut.set("cfg_col_i", place.column as u64);
    dut.set("cfg_sel_i", place.select);
    dut.set("cfg_data_i", place.value);
    dut.clock();
    dut.set("cfg_valid_i", false);
}

/// Clears all registers and lists the rows with their bases.
fn list(dut: &mut Dut, rows: &[Row]) {
    dut.set("cfg_clear_i", true);
    dut.clock();
    dut.set("cfg_clear_i", false);
    for row in rows {
        dut.set("cfg_kind_i", u64::from(row.kind.number()));
        write(
            dut,
            Place {
                row: row.row.into(),
                column: 0,
                select: 3,
                value: row.base,
            },
        );
    }
}

/// Starts what the registers hold and takes all addresses.
fn walk(dut: &mut Dut) -> Checked<Vec<u64>> {
    dut.set("ready_i", true);
    dut.set("start_i", true);
    dut.clock();
    dut.set("start_i", false);
    let mut taken = Vec::new();
    for _ in 0..2000 {
        dut.settle();
        if dut.get("busy_o") == 0 {
            return Ok(taken);
        }
        taken.extend((dut.get("valid_o") == 1).then(|| dut.get("addr_o")));
        dut.clock();
    }
    Err(dut.message("still busy"))
}

/// What the golden model walks.
fn expected(rows: &[Row]) -> Vec<u64> {
    let rows = rows.iter().map(|row| UnitRow::of(row, LOOPS)).collect();
    let elements = UnitWalk::new(rows, Run::default(), SHAPE.offset_bits, SHAPE.address_bits);
    elements.map(|e| e.address).collect()
}

/// A nest as text, the registers that its loops stand for, and the addresses they walk.
struct Description {
    text: String,
    rows: Vec<Row>,
    addresses: Vec<u64>,
}

/// Loops over arrays of any pitch that begin and step as they like: a prologue, a tensor, an
/// epilogue. The registers are computed here: V is where a loop begins, X how far it steps, Y one
/// step behind its last iteration.
fn describe(rng: &mut ChaCha8Rng) -> Description {
    let (mut arrays, mut nest) = (String::new(), String::new());
    let (mut rows, mut addresses) = (Vec::new(), Vec::new());
    let kinds = [RowKind::Prologue, RowKind::Tensor, RowKind::Epilogue];
    for (number, kind) in kinds.into_iter().enumerate() {
        let depth = if kind == RowKind::Tensor {
            3
        } else {
            rng.random_range(1..=2)
        };
        let base = rng.random_range(0..2000_u32);
        // Pitch, first index, step, iterations; innermost first.
        let loops: Vec<[u32; 4]> = (0..depth)
            .map(|_| {
                [
                    rng.random_range(1..12),
                    rng.random_range(0..3),
                    rng.random_range(1..4),
                    rng.random_range(1..=3),
                ]
            })
            .collect();
        let array = format!("A{number}");
        let outside_in = || (0..depth).rev();
        let part = |text: &dyn Fn(usize) -> String| outside_in().map(text).collect::<String>();
        let size = |c: usize| loops[c][1] + loops[c][2] * (loops[c][3] - 1) + 1;
        let pitches: Vec<String> = outside_in().map(|c| loops[c][0].to_string()).collect();
        writeln!(
            arrays,
            "array {array}{}: 1 at {base} pitch {}",
            part(&|c| format!("[{}]", size(c))),
            pitches.join(", ")
        )
        .expect("a string takes text");
        let heads = part(&|c| {
            let [_, start, step, trips] = loops[c];
            format!(
                "for i{c} in {start}..{} step {step} {{ ",
                start + step * trips
            )
        });
        let subscripts = part(&|c| format!("[i{c}]"));
        writeln!(nest, "{heads}{array}{subscripts}{}", " }".repeat(depth))
            .expect("a string takes text");

        let total: u32 = loops.iter().map(|l| l[3]).product();
        for count in 0..total {
            let (mut rest, mut address) = (count, base);
            for [pitch, start, step, trips] in &loops {
                address += pitch * (start + step * (rest % trips));
                rest /= trips;
            }
            addresses.push(u64::from(address));
        }
        let registers = loops.iter().map(|[pitch, start, step, trips]| Loop {
            initial: start * pitch,
            step: step * pitch,
            end: start * pitch + trips * step * pitch,
        });
        rows.push(Row {
            row: number as u8,
            kind,
            base,
            loops: registers.collect(),
            ..Row::default()
        });
    }
    Description {
        text: arrays + &nest,
        rows,
        addresses,
    }
}

/// Random nests: compiled and sent as an instruction, and written by hand in any order.
fn written_and_compiled(sources: &Sources, seed: u64) -> Checked<Coverage> {
    let mut unit = filled(&SINKS, seed);
    let mut registers = engine(sources, seed);
    let mut coverage = Coverage::default();
    let mut rng = registers.rng();
    println!("seed {seed}");
    for _ in 0..60 {
        let nest = describe(&mut rng);
        let plan = Nest::parse(&nest.text).and_then(|n| n.compile(&SHAPE));
        let plan = plan.unwrap_or_else(|error| panic!("{error}\n{}", nest.text));
        let found = run(
            &mut unit,
            &words(&plan.record()),
            Sink::Processor,
            8,
            &mut rng,
        )?;
        let place = |what| format!("{what} walks other addresses than\n{}", nest.text);
        if found != nest.addresses {
            return Err(place("the compiled nest"));
        }
        list(&mut registers, &nest.rows);
        // Any order, but an end behind initial offset and step of its loop.
        let mut all = places(&nest.rows);
        all.shuffle(&mut rng);
        all.sort_by_key(|place| place.select == 2);
        for place in all {
            write(&mut registers, place);
        }
        if walk(&mut registers)? != nest.addresses {
            return Err(place("what was written"));
        }
        let loops = || nest.rows.iter().flat_map(|row| &row.loops);
        coverage.event("initial offset", loops().any(|l| l.initial > 0));
        coverage.event(
            "one iteration",
            loops().any(|l| l.end == l.initial + l.step),
        );
        coverage.event("two-dimensional prologue", nest.rows[0].loops.len() == 2);
    }
    Ok(coverage)
}

#[test]
fn ttu_021_registers_written_directly_walk_what_the_compiled_nest_walks() {
    run_seeds(|seed| written_and_compiled(&REGISTERS, seed));
}

/// Three rows of three loops, each with its own steps, of two or three iterations.
fn full() -> Vec<Row> {
    let kinds = [RowKind::Prologue, RowKind::Tensor, RowKind::Epilogue];
    let rows = kinds.into_iter().enumerate();
    rows.map(|(number, kind)| {
        let n = number as u32;
        let loops = (0..3).map(|c| {
            let (initial, step) = (3 + 2 * c + n, 5 + 7 * c + 3 * n);
            let end = initial + step * (2 + (c + n) % 2);
            Loop { initial, step, end }
        });
        Row {
            row: number as u8,
            kind,
            base: 1000 * n,
            loops: loops.collect(),
            ..Row::default()
        }
    })
    .collect()
}

/// Every register of the array alone: it changes, the sequence becomes that of the changed loops,
/// and goes back.
fn every_register_alone(sources: &Sources, seed: u64) -> Checked<usize> {
    let rows = full();
    let mut dut = engine(sources, seed);
    list(&mut dut, &rows);
    for place in places(&rows) {
        write(&mut dut, place);
    }
    let before = expected(&rows);
    let mut sequences = vec![before.clone()];
    for place in places(&rows) {
        let mut changed = rows.clone();
        let l = &mut changed[place.row].loops[place.column];
        let value = match place.select {
            0 => &mut l.initial,
            1 => &mut l.step,
            _ => &mut l.end,
        };
        *value += 1 + place.column as u32;
        let (value, end) = (*value, l.end);
        for (value, sequence) in [(value, expected(&changed)), (place.value, before.clone())] {
            write(&mut dut, Place { value, ..place });
            if place.select < 2 {
                // The way to the end is taken anew when the end is written.
                let end = Place {
                    select: 2,
                    value: end,
                    ..place
                };
                write(&mut dut, end);
            }
            let found = walk(&mut dut)?;
            if found != sequence {
                let text = format!("{place:?} = {value} gives {found:?}, not {sequence:?}");
                return Err(dut.message(&text));
            }
            sequences.push(sequence);
        }
    }
    sequences.sort();
    sequences.dedup();
    Ok(sequences.len())
}

#[test]
fn ttu_001_ttu_002_ttu_003_ttu_017_ttu_021_every_register_can_be_written_alone() {
    let sequences = every_register_alone(&REGISTERS, 1).unwrap();
    assert_eq!(
        sequences,
        1 + ROWS * LOOPS * 3,
        "each register gives a sequence of its own"
    );
}

#[test]
fn faults_of_the_registers_are_noticed() {
    let mutants = [
        // The steps of the two inner loops are exchanged.
        (
            "heddle_traversal_array",
            "(write_step_i[3*i+:3])",
            "({write_step_i[3*i+2], write_step_i[3*i], write_step_i[3*i+1]})",
        ),
    ];
    check_mutants(&REGISTERS, &mutants, every_register_alone);
    check_mutants(&REGISTERS, &mutants, written_and_compiled);
}
