//! Faults of tables, of their place in a tensor, and of their room in a unit.

use heddle_arch::ConfigErrors;
use heddle_arch::offsets::{Masks, Tables};
use proptest::prelude::*;

use super::{any_tables, example, padded};

#[track_caller]
fn refused(result: Result<(), ConfigErrors>, messages: &[&str]) {
    let faults = result.expect_err("faulty tables").0;
    let found: Vec<&str> = faults.iter().map(|fault| fault.message.as_str()).collect();
    assert_eq!(found, messages);
}

/// The changed example is refused with these messages.
#[track_caller]
fn faulty(tables: Tables, change: impl Fn(&mut Tables), messages: &[&str]) {
    tables.check().expect("the example is free of faults");
    let mut changed = tables;
    change(&mut changed);
    refused(changed.check(), messages);
    changed
        .to_bytes()
        .expect_err("faulty tables are not written");
}

#[test]
fn counts_are_checked() {
    type Case = (&'static str, fn(&mut Tables));
    let counts: [Case; 6] = [
        ("bases has 0 entries", |t| t.bases.clear()),
        ("offsets has 0 entries", |t| t.offsets.clear()),
        ("bases has 65536 entries", |t| {
            (t.bases, t.pixels) = ((0..65536).collect(), 65536);
        }),
        ("offsets has 65536 entries", |t| t.offsets = vec![0; 65536]),
        ("outputs is 0", |t| t.outputs = 0),
        ("outputs is 65536", |t| t.outputs = 65536),
    ];
    for (found, change) in counts {
        faulty(
            example(),
            change,
            &[&format!("{found}, expected 1 to 65535")],
        );
    }
    for pixels in [3, 0] {
        let message = format!("pixels is {pixels}, expected a divisor of 4, the bases");
        faulty(example(), |t| t.pixels = pixels, &[&message]);
    }
    let shift = ["unit_shift is 4, expected 0 to 3"];
    faulty(example(), |t| t.unit_shift = 4, &shift);
    let base = ["weight_base is 65536, expected 0 to 65535"];
    faulty(example(), |t| t.weight_base = Some(65536), &base);
}

#[test]
fn equal_bases_are_refused_without_masks_only() {
    let expected = "bases[3] is 1, expected a base that differs from bases[1] (no masks)";
    faulty(example(), |t| t.bases[3] = 1, &[expected]);
    let mut masked = padded();
    masked.bases[3] = masked.bases[2];
    masked.check().expect("rows that differ in their masks");
}

#[test]
fn masks_are_checked() {
    let masks = |t: &mut Tables, change: fn(&mut Masks)| change(t.masks.as_mut().expect("masks"));
    faulty(
        padded(),
        |t| {
            masks(t, |m| {
                m.rows.pop();
                m.cols.push(0);
                m.taps.clear();
            })
        },
        &[
            "masks.rows has 8 entries, expected 9, as many as bases",
            "masks.cols has 10 entries, expected 9, as many as bases",
            "masks.taps has 0 entries, expected 9, as many as offsets",
        ],
    );
    faulty(
        padded(),
        |t| masks(t, |m| m.taps[4] = (16, 200)),
        &[
            "masks.taps[4] has row 16, expected 0 to 15",
            "masks.taps[4] has column 200, expected 0 to 15",
        ],
    );
}

#[test]
fn sums_of_steps_stay_in_32_bits() {
    let wide = |t: &mut Tables| {
        t.running = true;
        t.offsets = vec![i32::MAX, 0, 1, 1];
    };
    let expected = "offsets[2] sums to 2147483648, expected -2147483648 to 2147483647";
    faulty(example(), wide, &[expected]);
}

#[test]
fn many_faults_are_counted() {
    let mut tables = example();
    tables.bases = vec![0; 100];
    let faults = tables.check().expect_err("equal bases").0;
    assert_eq!(faults.len(), 21);
    assert_eq!(faults[20].message, "79 more faults");
}

#[test]
fn operands_outside_the_tensor_are_found() {
    example().check_in(16).expect("16 elements");
    let expected =
        "bases[3] is 5: tap 8 at distance 10 reads byte 15, expected 0 to 14, the tensor";
    refused(example().check_in(15), &[expected]);
    let mut negative = example();
    negative.bases[0] = -1;
    let expected =
        "bases[0] is -1: tap 0 at distance 0 reads byte -1, expected 0 to 15, the tensor";
    refused(negative.check_in(16), &[expected]);
    // Elements of 4 bytes, counted in elements.
    let shifted = Tables {
        unit_shift: 2,
        ..example()
    };
    shifted.check_in(64).expect("16 elements of 4 bytes");
    let expected =
        "bases[3] is 5: tap 8 at distance 10 reads byte 60, expected 0 to 62, the tensor";
    refused(shifted.check_in(63), &[expected]);
    // Steps are summed up; one back is no fault.
    let running = Tables {
        running: true,
        offsets: vec![3, -3, 10],
        ..example()
    };
    running.check_in(16).expect("10 is the last");
    assert_eq!(running.check_in(15).expect_err("15 is outside").0.len(), 1);
}

#[test]
fn taps_in_the_padding_need_no_memory() {
    padded()
        .check_in(9)
        .expect("all reads lie in the 9 elements");
    let mut open = padded();
    open.masks.as_mut().expect("masks").rows[0] = 0b111;
    let expected = "bases[0] is -4: tap 1 at distance 1 reads byte -3, expected 0 to 8, the tensor";
    refused(open.check_in(9), &[expected]);
    assert_eq!(padded().check_in(8).expect_err("8 is read").0.len(), 4);
}

#[test]
fn the_room_of_a_unit_is_checked() {
    example().check_fits(4, 9).expect("just enough");
    refused(
        example().check_fits(3, 8),
        &[
            "bases has 4 entries, expected at most 3, its table",
            "offsets has 9 entries, expected at most 8, its table",
        ],
    );
    padded()
        .check_built(16, 4, false)
        .expect("3 of 4 mask bits");
    let expected = "masks are there, expected none: the unit has no mask bits";
    refused(padded().check_built(16, 0, false), &[expected]);
    let expected =
        "masks.taps[2] has row 0 and column 2, expected 0 to 1, the mask bits of the unit";
    refused(padded().check_built(16, 2, false), &[expected]);
    let running = Tables {
        running: true,
        offsets: vec![65536, -32769],
        ..example()
    };
    let edges = Tables {
        bases: vec![65535, -32768, 0, 1],
        ..example()
    };
    edges.check_built(16, 0, false).expect("just 16 bits");
    let wider = |base| {
        let mut wide = edges.clone();
        wide.bases[2] = base;
        let message = format!("bases[2] is {base}, expected -32768 to 65535, entries of 16 bits");
        refused(wide.check_built(16, 0, false), &[&message]);
    };
    wider(65536);
    wider(-32769);
    running
        .check_built(24, 0, true)
        .expect("24 bits are enough");
    refused(
        running.check_built(16, 0, false),
        &[
            "running is true, expected false: the unit has no adder for steps",
            "offsets[0] is 65536, expected -32768 to 65535, entries of 16 bits",
        ],
    );
}

proptest! {
    #[test]
    fn the_check_of_the_tensor_agrees_with_a_look_at_every_operand(
        tables in any_tables(), shrink in 0u32..22, bytes in 1u64..2_000,
    ) {
        let small = |entry: &i32| entry >> (shrink + 9);
        let mut tables = tables;
        tables.offsets = tables.offsets.iter().map(small).collect();
        tables.bases = (0..tables.bases.len() as i32).map(|row| row * 3 - 2).collect();
        let distances = tables.distances();
        let unit = 1i64 << tables.unit_shift;
        let outside = |row: &usize| {
            (0..distances.len()).any(|tap| {
                let address = tables.address(&distances, *row, tap);
                address.is_some_and(|a| a < 0 || a + unit > bytes as i64)
            })
        };
        let rows = (0..tables.bases.len()).filter(outside).count();
        let found = match tables.check_in(bytes) {
            Ok(()) => 0,
            Err(errors) if errors.0.len() <= 20 => errors.0.len(),
            Err(errors) => {
                let last = &errors.0[20].message;
                20 + last.split(' ').next().and_then(|n| n.parse::<usize>().ok()).expect("a number")
            }
        };
        prop_assert_eq!(found, rows);
    }
}
