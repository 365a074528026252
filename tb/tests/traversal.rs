//! The emitted traversal unit against its golden model, every output in every cycle.

mod rtl;

use std::sync::LazyLock;

use heddle_hdl::traversal::Traversal;
use heddle_sim::traversal::vectors::{named, vectors};
use heddle_sim::traversal::{
    ConfigWrite, Element, Register, Row, TraversalInputs, TraversalModel, TraversalOutputs,
};
use heddle_tb::verilate::Sources;
use rand::Rng;
use rand_chacha::ChaCha8Rng;
use rtl::{Checked, Coverage, Dut, check_mutants, emitted, run_seeds};

/// Sizes of a unit.
#[derive(Debug, Clone, Copy)]
struct Size {
    rows: usize,
    loops: usize,
    offset_bits: u32,
    address_bits: u32,
}

/// Emitted text and sizes of one unit.
struct Unit {
    size: Size,
    sources: Sources,
}

macro_rules! unit {
    ($rows:literal x $loops:literal, $w:literal, $a:literal) => {
        LazyLock::new(|| Unit {
            size: Size {
                rows: $rows,
                loops: $loops,
                offset_bits: $w,
                address_bits: $a,
            },
            sources: emitted(Traversal::<$w, $a>::new($rows, $loops)),
        })
    };
}

static FULL: LazyLock<Unit> = unit!(8 x 8, 16, 16);
static USUAL: LazyLock<Unit> = unit!(3 x 5, 16, 16);
static WIDE: LazyLock<Unit> = unit!(2 x 3, 16, 24);
static THREE: LazyLock<Unit> = unit!(3 x 3, 16, 16);
static SINGLE: LazyLock<Unit> = unit!(1 x 1, 16, 16);

/// Design and model side by side.
struct Bench {
    dut: Dut,
    model: TraversalModel,
    size: Size,
}

impl Bench {
    fn new(unit: &Unit, seed: u64) -> Self {
        let s = unit.size;
        Self {
            dut: Dut::new(&unit.sources, seed),
            model: TraversalModel::new(s.rows, s.loops, s.offset_bits, s.address_bits),
            size: s,
        }
    }

    /// One clock cycle: drives both, compares all outputs.
    fn step(&mut self, inputs: &TraversalInputs) -> Checked<TraversalOutputs> {
        let dut = &mut self.dut;
        dut.set("cfg_clear_i", inputs.clear);
        dut.set("cfg_valid_i", inputs.write.is_some());
        if let Some(write) = inputs.write {
            dut.set("cfg_sel_i", write.register as u64);
            dut.set("cfg_row_i", write.row as u64);
            dut.set("cfg_col_i", write.column as u64);
            dut.set("cfg_data_i", write.data);
        }
        dut.set("start_i", inputs.start);
        dut.set("pause_i", inputs.pause);
        dut.set("ready_i", inputs.ready);
        dut.settle();

        let expected = self.model.step(inputs);
        dut.check("busy_o", expected.busy)?;
        dut.check("valid_o", expected.element.is_some())?;
        if let Some(element) = &expected.element {
            dut.check("addr_o", element.address)?;
            dut.check("row_o", element.row as u64)?;
            for (column, is_final) in element.finals.iter().enumerate() {
                dut.check_element("final_o", column, element.finals.len(), *is_final)?;
            }
            dut.check("last_o", element.last)?;
            dut.check("end_o", element.end)?;
        }
        dut.clock();
        Ok(expected)
    }

    fn write(&mut self, register: Register, row: usize, column: usize, value: u64) -> Checked {
        let write = ConfigWrite {
            register,
            row,
            column,
            data: value as u32,
        };
        let inputs = TraversalInputs {
            write: Some(write),
            ..TraversalInputs::default()
        };
        self.step(&inputs).map(|_| ())
    }

    /// Clears the unit and writes the given rows.
    fn configure(&mut self, rows: &[(usize, Row)]) -> Checked {
        self.step(&TraversalInputs {
            clear: true,
            ..TraversalInputs::default()
        })?;
        for (number, row) in rows {
            self.write(Register::Base, *number, 0, row.base)?;
            for column in 0..row.initial.len() {
                self.write(Register::Initial, *number, column, row.initial[column])?;
                self.write(Register::Step, *number, column, row.step[column])?;
                self.write(Register::End, *number, column, row.end[column])?;
            }
        }
        Ok(())
    }

    /// Starts and takes every address at once; returns what came and the cycles after the start.
    fn collect(&mut self) -> Checked<(Vec<Element>, u64)> {
        let mut inputs = TraversalInputs {
            start: true,
            ready: true,
            ..TraversalInputs::default()
        };
        self.step(&inputs)?;
        inputs.start = false;
        let mut elements = Vec::new();
        let mut cycles = 0;
        loop {
            let outputs = self.step(&inputs)?;
            elements.extend(outputs.element);
            if !outputs.busy {
                return Ok((elements, cycles));
            }
            cycles += 1;
        }
    }
}

fn numbered(rows: &[Row]) -> Vec<(usize, Row)> {
    rows.iter().cloned().enumerate().collect()
}

fn addresses(elements: &[Element]) -> Vec<u64> {
    elements.iter().map(|e| e.address).collect()
}

/// Loads a vector, runs it twice and checks sequence, row order and one address per clock.
fn run_vector(unit: &Unit, id: &str) -> Checked<Vec<Element>> {
    let vector = named(id);
    let mut bench = Bench::new(unit, 1);
    bench.configure(&numbered(&vector.rows))?;
    let mut elements = Vec::new();
    for _ in 0..2 {
        let (seen, cycles) = bench.collect()?;
        elements = seen;
        if addresses(&elements) != vector.addresses {
            let found = addresses(&elements);
            return Err(bench.dut.message(&format!("{id} gave {found:?}")));
        }
        // One cycle for the start, then one address per clock.
        assert_eq!(cycles, 1 + vector.addresses.len() as u64, "{id}");
    }
    Ok(elements)
}

#[track_caller]
fn check_vector(id: &str) -> Vec<Element> {
    run_vector(&FULL, id).unwrap_or_else(|message| panic!("{message}"))
}

#[test]
fn ttu_007_ttu_008_ttu_019_ttu_022_ttu_023_ttu_026_ttu_027_ttu_028_ttu_030_ttu_031_ttu_033_ttu_045_tv1()
 {
    let elements = check_vector("TV1");
    let offsets: Vec<&[u64]> = elements.iter().map(|e| &e.offsets[..3]).collect();
    assert_eq!(offsets[3..7], [[0, 0, 0], [1, 0, 0], [0, 6, 0], [1, 6, 0]]);
}

#[test]
fn ttu_028_ttu_029_tv2_emits_repeated_addresses_as_they_come() {
    check_vector("TV2");
}

#[test]
fn ttu_006_ttu_036_ttu_037_ttu_038_ttu_039_ttu_047_ttu_063_tv3_prologue_tensor_epilogue() {
    let elements = check_vector("TV3");
    let rows: Vec<usize> = elements.iter().map(|e| e.row).collect();
    assert_eq!(rows, [vec![0; 3], vec![1; 12], vec![2; 2]].concat());
}

#[test]
fn ttu_025_ttu_046_tv4_bases_differ() {
    check_vector("TV4");
}

#[test]
fn ttu_044_tv5_contiguous_order() {
    check_vector("TV5");
}

#[test]
fn ttu_041_tv6_two_dimensional_prologue() {
    check_vector("TV6");
}

#[test]
fn ttu_019_tv7_sub_tile() {
    check_vector("TV7");
}

#[test]
fn ttu_029_tv8_offset_that_exceeds_its_end_is_reset() {
    check_vector("TV8");
}

#[test]
fn ttu_031_tv9_carry_runs_through_zero_and_one_iteration_columns() {
    check_vector("TV9");
}

#[test]
fn ttu_009_ttu_040_tv13_tv17_several_prologues_tensors_and_epilogues() {
    check_vector("TV13");
    check_vector("TV17");
}

#[test]
fn ttu_043_tv14_eight_dimensions() {
    check_vector("TV14");
}

#[test]
fn ttu_004_every_size_passes_the_vectors_that_fit() {
    let mut runs = 0;
    for unit in [&*FULL, &*USUAL, &*WIDE, &*THREE, &*SINGLE] {
        for vector in vectors() {
            let loops = vector.rows.iter().map(|r| r.initial.len()).max();
            if vector.rows.len() <= unit.size.rows && loops <= Some(unit.size.loops) {
                run_vector(unit, vector.id).unwrap_or_else(|message| panic!("{message}"));
                runs += 1;
            }
        }
    }
    assert!(runs > 30, "only {runs} runs");
}

#[test]
fn ttu_067_one_instance_runs_one_sequence_after_another() {
    let mut bench = Bench::new(&FULL, 1);
    for id in ["TV1", "TV5", "TV3", "TV14", "TV8"] {
        let vector = named(id);
        bench.configure(&numbered(&vector.rows)).unwrap();
        let (elements, _) = bench.collect().unwrap();
        assert_eq!(addresses(&elements), vector.addresses, "{id}");
    }
}

#[test]
fn ttu_024_base_shifts_all_addresses_alike() {
    let rows = named("TV3").rows;
    let mut bench = Bench::new(&USUAL, 1);
    bench.configure(&numbered(&rows)).unwrap();
    let (before, _) = bench.collect().unwrap();
    for row in 0..3 {
        bench.write(Register::Base, row, 0, 1000).unwrap();
    }
    let (after, _) = bench.collect().unwrap();
    for (a, b) in before.iter().zip(&after) {
        assert_eq!(a.address + 1000, b.address);
        assert_eq!(a.offsets, b.offsets);
    }
}

#[test]
fn ttu_017_start_sets_every_offset_to_its_initial_value() {
    let rows = named("TV3").rows;
    let mut bench = Bench::new(&USUAL, 1);
    bench.configure(&numbered(&rows)).unwrap();
    bench.collect().unwrap();
    // New initial values after a run: the offsets still hold the old ones until the start.
    bench.write(Register::Initial, 0, 0, 13).unwrap();
    bench.write(Register::Initial, 1, 1, 6).unwrap();
    bench.write(Register::Initial, 2, 0, 16).unwrap();
    let (elements, _) = bench.collect().unwrap();
    assert_eq!(addresses(&elements), [13, 14, 6, 7, 8, 9, 10, 11, 16]);
}

#[test]
fn ttu_002_ttu_003_register_changes_only_its_own_loop() {
    // A 2 x 2 x 2 tensor between two one-dimensional rows; innermost first.
    let rows = [
        Row::new(1000, &[(0, 1, 3)]),
        Row::new(0, &[(0, 1, 2), (0, 10, 20), (0, 100, 200)]),
        Row::new(2000, &[(0, 1, 2)]),
    ];
    let nest = |inner: &[u64], middle: &[u64], outer: &[u64]| -> Vec<u64> {
        let mut all = vec![1000, 1001, 1002];
        for o in outer {
            for m in middle {
                all.extend(inner.iter().map(|i| o + m + i));
            }
        }
        all.extend([2000, 2001]);
        all
    };
    let (i, m, o): (&[u64], &[u64], &[u64]) = (&[0, 1], &[0, 10], &[0, 100]);
    let cases = [
        (Register::Initial, 0, 1, nest(&[1], m, o)),
        (Register::Initial, 1, 10, nest(i, &[10], o)),
        (Register::Initial, 2, 100, nest(i, m, &[100])),
        (Register::Step, 0, 2, nest(&[0], m, o)),
        (Register::Step, 1, 5, nest(i, &[0, 5, 10, 15], o)),
        (Register::Step, 2, 40, nest(i, m, &[0, 40, 80, 120, 160])),
        (Register::End, 0, 4, nest(&[0, 1, 2, 3], m, o)),
        (Register::End, 1, 30, nest(i, &[0, 10, 20], o)),
        (Register::End, 2, 300, nest(i, m, &[0, 100, 200])),
    ];
    let mut bench = Bench::new(&THREE, 1);
    for (register, column, value, expected) in cases {
        bench.configure(&numbered(&rows)).unwrap();
        bench.write(register, 1, column, value).unwrap();
        let (elements, _) = bench.collect().unwrap();
        assert_eq!(addresses(&elements), expected, "{register:?} {column}");
    }
}

#[test]
fn ttu_042_ttu_053_ttu_066_random_nests_equal_counted_loops() {
    let mut bench = Bench::new(&USUAL, 5);
    let mut rng = bench.dut.rng();
    for _ in 0..150 {
        let mut rows = Vec::new();
        let mut expected = Vec::new();
        for number in 0..3 {
            // (start, step, trips) per loop; the test counts n itself.
            let depth = rng.random_range(1..=5);
            let loops: Vec<(u64, u64, u64)> = (0..depth)
                .map(|_| {
                    (
                        rng.random_range(0..50),
                        rng.random_range(1..60),
                        rng.random_range(1..=3),
                    )
                })
                .collect();
            let base = rng.random_range(0..60_000);
            let total: u64 = loops.iter().map(|l| l.2).product();
            for count in 0..total {
                let mut rest = count;
                let mut address = base;
                for (start, step, trips) in &loops {
                    address += start + rest % trips * step;
                    rest /= trips;
                }
                expected.push(address & 0xffff);
            }
            let registers: Vec<_> = loops.iter().map(|(v, x, n)| (*v, *x, v + n * x)).collect();
            rows.push((number, Row::new(base, &registers)));
        }
        bench.configure(&rows).unwrap();
        let (elements, _) = bench.collect().unwrap();
        assert_eq!(addresses(&elements), expected);
    }
}

#[test]
fn ttu_049_pauses_and_back_pressure_do_not_change_the_sequence() {
    let vector = named("TV3");
    for seed in 1..20 {
        let mut bench = Bench::new(&USUAL, seed);
        let mut rng = bench.dut.rng();
        bench.configure(&numbered(&vector.rows)).unwrap();
        let mut inputs = TraversalInputs {
            start: true,
            ..TraversalInputs::default()
        };
        let mut taken = Vec::new();
        loop {
            let outputs = bench.step(&inputs).unwrap();
            if inputs.ready {
                taken.extend(outputs.element.map(|e| e.address));
            }
            if !inputs.start && !outputs.busy {
                break;
            }
            inputs = TraversalInputs {
                pause: rng.random_bool(0.4),
                ready: rng.random_bool(0.6),
                ..TraversalInputs::default()
            };
        }
        assert_eq!(taken, vector.addresses, "seed {seed}");
    }
}

#[test]
fn ttu_048_nothing_follows_the_last_address() {
    let mut bench = Bench::new(&USUAL, 1);
    bench.configure(&numbered(&named("TV1").rows)).unwrap();
    bench.collect().unwrap();
    for _ in 0..50 {
        let outputs = bench
            .step(&TraversalInputs {
                ready: true,
                ..TraversalInputs::default()
            })
            .unwrap();
        assert!(outputs.element.is_none() && !outputs.busy);
    }
}

/// A random row; every loop ends. Some ends are off the step grid, some candidates need the
/// extra bit, some addresses wrap.
fn random_row(rng: &mut ChaCha8Rng, size: Size) -> Row {
    let top = (1_u64 << size.offset_bits) - 1;
    let loops: Vec<(u64, u64, u64)> = (0..size.loops)
        .map(|_| match rng.random_range(0..8) {
            0 | 1 => (0, 0, 0),
            2 => {
                let step = rng.random_range(1..top);
                (0, step, step)
            }
            3 => {
                // The second candidate is beyond the offset width.
                let step = top - rng.random_range(0..top / 3);
                (rng.random_range(0..=top - step), step, top)
            }
            4 => {
                let end = rng.random_range(0..=top);
                (
                    rng.random_range(0..=end),
                    rng.random_range(top / 3..=top),
                    end,
                )
            }
            _ => {
                let (start, step) = (rng.random_range(0..100), rng.random_range(1..40));
                (start, step, start + rng.random_range(1..=step * 3))
            }
        })
        .collect();
    let base = match rng.random_range(0..3) {
        0 => (1 << size.address_bits) - rng.random_range(1..=top / 2),
        _ => rng.random_range(0..1 << size.address_bits),
    };
    Row::new(base, &loops)
}

/// Traffic with clears, restarts, pauses and back-pressure.
fn random_traffic(unit: &Unit, seed: u64) -> Checked<Coverage> {
    let mut bench = Bench::new(unit, seed);
    let mut rng = bench.dut.rng();
    let mut coverage = Coverage::default();
    let size = bench.size;
    let mut cycles = 0;
    while cycles < 6000 {
        let mut rows = Vec::new();
        let share = [0.0, 0.6, 0.9][rng.random_range(0..3)];
        for number in 0..size.rows {
            if rng.random_bool(share) {
                rows.push((number, random_row(&mut rng, size)));
            }
        }
        bench.configure(&rows)?;
        coverage.event("start without valid row", rows.is_empty());
        coverage.event(
            "lowest row not valid",
            rows.first().is_some_and(|(number, _)| *number > 0) || size.rows == 1,
        );
        let (ready, pause) = (rng.random_range(0.2..=1.0), rng.random_range(0.0..0.4));
        let mut before: Option<TraversalOutputs> = None;
        let mut held = false;
        for cycle in 0..rng.random_range(20..300) {
            let busy = before.as_ref().is_some_and(|o| o.busy);
            let inputs = TraversalInputs {
                start: cycle == 0 || rng.random_bool(0.1),
                pause: rng.random_bool(pause),
                ready: rng.random_bool(ready),
                clear: rng.random_bool(0.003),
                write: None,
            };
            let outputs = bench.step(&inputs)?;
            cycles += 1;
            coverage.event("start while busy", inputs.start && busy);
            coverage.event("clear while busy", inputs.clear && outputs.busy);
            if let Some(e) = &outputs.element {
                let row = &rows
                    .iter()
                    .find(|(n, _)| *n == e.row)
                    .expect("a valid row")
                    .1;
                let candidates = || (0..size.loops).map(|c| e.offsets[c] + row.step[c]);
                coverage.event("back-pressure", !inputs.ready);
                coverage.event("held over several cycles", held && !inputs.ready);
                coverage.event("paused while valid", inputs.pause && !inputs.ready);
                coverage.event("taken while paused", inputs.pause && inputs.ready);
                coverage.event(
                    "two columns wrap at once",
                    (e.finals.len() > 1 && e.finals[0] && e.finals[1] && !e.last)
                        || size.loops == 1,
                );
                coverage.event("row change", (e.last && !e.end) || size.rows == 1);
                coverage.event("end taken", e.end && inputs.ready);
                coverage.event(
                    "end exceeded",
                    candidates().zip(&row.end).any(|(z, y)| z > *y && *y > 0),
                );
                coverage.event(
                    "candidate beyond the offset width",
                    candidates().any(|z| z >> size.offset_bits != 0),
                );
                coverage.event(
                    "address wraps",
                    (e.offsets.iter().sum::<u64>() + row.base) >> size.address_bits != 0,
                );
                let shown = |o: &TraversalOutputs| o.element.as_ref().map(|e| e.row);
                let row_before = before.as_ref().and_then(shown);
                coverage.event(
                    "row change without bubble",
                    row_before.is_some_and(|r| r != e.row) || size.rows == 1,
                );
            }
            held = outputs.element.is_some() && !inputs.ready;
            before = Some(outputs);
        }
    }
    Ok(coverage)
}

#[test]
fn random_traffic_on_the_usual_size() {
    run_seeds(|seed| random_traffic(&USUAL, seed));
}

#[test]
fn random_traffic_on_the_full_size() {
    run_seeds(|seed| random_traffic(&FULL, seed));
}

#[test]
fn random_traffic_with_wide_addresses() {
    run_seeds(|seed| random_traffic(&WIDE, seed));
}

#[test]
fn random_traffic_on_one_row_and_loop() {
    run_seeds(|seed| random_traffic(&SINGLE, seed));
}

#[test]
fn faults_are_noticed() {
    let mutants = [
        // The next value reaches the end instead of exceeding end - 1.
        ("heddle_traversal_odometer", "} >", "} >="),
        (
            "heddle_traversal_m3",
            "odometer_last_o & rows_end_o",
            "rows_end_o",
        ),
        ("heddle_traversal_m3", "& !pause_i", "& 1'b1"),
        (
            "heddle_traversal_m3",
            "(step | (valid_q & !ready_i))",
            "step",
        ),
        ("heddle_traversal_m3", "start_i & !busy_q", "start_i"),
    ];
    check_mutants(&USUAL.sources, &mutants, |sources, seed| {
        let unit = Unit {
            size: USUAL.size,
            sources: sources.clone(),
        };
        random_traffic(&unit, seed)
    });
}
