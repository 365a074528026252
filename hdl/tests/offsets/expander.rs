//! Compressed tables.

use super::bench::{BASE, Bench, Job, MASKS, OFFSET, OFFSETS, REGISTER, full, plain, reads, steps};

const BASES_TABLE: i64 = 1;
const OFFSETS_TABLE: i64 = 2;

/// Writes the registers of the expander from EX_TABLE on, then EX_GO.
fn expand(bench: &mut Bench<16>, values: &[i64], repeat: bool, bits: (u64, u64)) {
    for (i, value) in values.iter().enumerate() {
        bench.write(REGISTER, 16 + i as u64, *value);
    }
    bench.write_masked(REGISTER, 25, repeat.into(), bits);
}

/// Waits for the expander; returns the clocks after that of EX_GO in which it worked.
fn wait(bench: &mut Bench<16>) -> usize {
    let mut clocks = 0;
    while !bench.unit.wr_ready_o.val() {
        clocks += 1;
        bench.tick();
    }
    clocks
}

/// The first entries of a table, read by a run of one row.
fn entries(bench: &mut Bench<16>, table: i64, count: u64) -> Vec<i64> {
    let (t, k) = if table == BASES_TABLE {
        (count, 1)
    } else {
        (1, count)
    };
    let values = [0, 0, t as i64, k as i64, 1, 0, 0, 0, 0];
    for (index, value) in values.into_iter().enumerate() {
        bench.write(REGISTER, index as u64, value);
    }
    // The other table has 0 in its entry 0.
    let other = if table == BASES_TABLE { OFFSET } else { BASE };
    bench.write(other, 0, 0);
    let clocks = bench.run(|_| true);
    assert_eq!(bench.unit.error_o.val().to_u64(), 0);
    steps(&clocks, 0)
        .iter()
        .map(|slot| slot.address.expect("an enabled row") as i64)
        .collect()
}

const D: [i64; 3] = [4, 6, 118];

fn bases_of_5_3() -> Vec<i64> {
    let image = [0, 4, 8, 14, 18, 22, 28, 32, 36, 42, 46, 50];
    image
        .iter()
        .chain(&image.map(|b| b + 168))
        .copied()
        .collect()
}

/// The hardware makes the tables that the compiler makes, whichever it makes first.
#[test]
fn sgcr_41_sgcr_50_a_nest_makes_both_lists_of_the_asymmetric_case_in_any_order() {
    let offsets = vec![0, 2, 4, 28, 30, 32, 84, 86, 88, 112, 114, 116];
    let nests = [
        (
            [BASES_TABLE, 0, 0, 3, D[0], 4, D[1], 2, D[2]],
            bases_of_5_3(),
        ),
        ([OFFSETS_TABLE, 0, 0, 3, 2, 2, 24, 2, 52], offsets),
    ];
    for order in [[0, 1], [1, 0]] {
        let mut bench = Bench::<16>::new(&full(1, 1, false));
        for at in order {
            let (values, expected) = &nests[at];
            expand(&mut bench, values, false, (0, 0));
            assert_eq!(wait(&mut bench), expected.len(), "one entry in a clock");
        }
        for (values, expected) in &nests {
            let found = entries(&mut bench, values[0], expected.len() as u64);
            assert_eq!(found, *expected, "order {order:?}");
        }
        assert!(!bench.unit.refused_o.val());
    }
}

#[test]
fn sgcr_49_one_image_repeated_gives_the_bases_of_the_batch() {
    let mut bench = Bench::<16>::new(&full(1, 1, false));
    expand(
        &mut bench,
        &[BASES_TABLE, 0, 0, 3, 4, 4, 6, 1, 0],
        false,
        (0, 0),
    );
    let repeat = [BASES_TABLE, 12, 0, 12, 168, 1];
    expand(&mut bench, &repeat, true, (0, 0));
    assert_eq!(wait(&mut bench), 36, "three clocks an entry");
    assert_eq!(entries(&mut bench, BASES_TABLE, 24), bases_of_5_3());
}

#[test]
fn sgcr_49_a_block_of_one_entry_can_be_repeated() {
    let mut bench = Bench::<16>::new(&full(1, 1, false));
    bench.write(OFFSET, 0, 5);
    expand(&mut bench, &[OFFSETS_TABLE, 1, 0, 1, -2, 6], true, (0, 0));
    wait(&mut bench);
    let expected = [5, 3, 1, 0xffff, 0xfffd, 0xfffb, 0xfff9];
    assert_eq!(entries(&mut bench, OFFSETS_TABLE, 7), expected);
}

#[test]
fn a_nest_begins_at_its_entry_with_its_value() {
    let mut bench = Bench::<16>::new(&full(1, 1, false));
    for entry in 0..8 {
        bench.write(OFFSET, entry, 100 + entry as i64);
    }
    let values = [OFFSETS_TABLE, 3, 50, 1, 7, 2, 10, 1, 9];
    expand(&mut bench, &values, false, (0, 0));
    wait(&mut bench);
    let expected = [100, 101, 102, 50, 60, 105, 106, 107];
    assert_eq!(entries(&mut bench, OFFSETS_TABLE, 8), expected);
}

#[test]
fn sgcr_49_a_repeat_keeps_the_mask_bits_and_a_nest_takes_those_of_its_start() {
    let mut bench = Bench::<16>::new(&full(1, 1, false));
    let mut job = Job::new(&[0, 1], &[0, 10, 20, 30], 1, MASKS);
    job.base_masks = vec![(0b01, 0b11), (0b10, 0b01)];
    job.taps = vec![(0, 0), (0, 1), (1, 0), (1, 1)];
    bench.load(&job);
    expand(
        &mut bench,
        &[BASES_TABLE, 2, 0, 2, 100, 1],
        true,
        (0b1111, 0b1111),
    );
    let nest = [BASES_TABLE, 4, 500, 1, 0, 1, 0, 1, 0];
    expand(&mut bench, &nest, false, (0b11, 0b10));
    wait(&mut bench);
    job.bases = vec![0; 5];
    bench.registers(&job);
    let clocks = bench.run(|_| true);
    let found: Vec<_> = steps(&clocks, 0).iter().map(|slot| slot.address).collect();
    let lines = [
        [Some(0), Some(10), None, None],
        [None, None, Some(21), None],
        [Some(100), Some(110), None, None],
        [None, None, Some(121), None],
        [None, Some(510), None, Some(530)],
    ];
    assert_eq!(found, lines.concat());
    assert_eq!(reads(&clocks), 8);
}

#[test]
fn a_count_of_0_writes_nothing() {
    let mut bench = Bench::<16>::new(&full(1, 1, false));
    bench.write(OFFSET, 0, 9);
    for zero in [3, 5, 7] {
        let mut values = [OFFSETS_TABLE, 0, 1, 1, 1, 1, 1, 1, 1];
        values[zero] = 0;
        expand(&mut bench, &values, false, (0, 0));
        assert_eq!(wait(&mut bench), 0);
    }
    // The third count is none of a repeat.
    expand(&mut bench, &[OFFSETS_TABLE, 1, 0, 1, 1, 0], true, (0, 0));
    assert_eq!(wait(&mut bench), 0);
    assert!(!bench.unit.refused_o.val());
    expand(
        &mut bench,
        &[OFFSETS_TABLE, 1, 0, 1, 1, 1, 0, 0],
        true,
        (0, 0),
    );
    assert_eq!(wait(&mut bench), 3);
    assert_eq!(entries(&mut bench, OFFSETS_TABLE, 2), [9, 10]);
}

#[test]
fn entries_beyond_a_table_are_refused() {
    let mut bench = Bench::<16>::new(&full(1, 1, false));
    // 32 offsets, 64 bases.
    let cases = [
        (OFFSETS_TABLE, 30, 3, true, 3),
        (OFFSETS_TABLE, 30, 2, false, 2),
        (BASES_TABLE, 30, 34, false, 34),
        (BASES_TABLE, 60, 65535, true, 5),
        (BASES_TABLE, 65535, 2, true, 1),
        (0, 0, 1, true, 0),
        (3, 0, 1, true, 0),
    ];
    for (table, entry, count, refused, clocks) in cases {
        let values = [table, entry, 7, count, 1, 1, 0, 1, 0];
        expand(&mut bench, &values, false, (0, 0));
        assert_eq!(wait(&mut bench), clocks, "table {table}, entry {entry}");
        assert_eq!(
            bench.unit.refused_o.val(),
            refused,
            "table {table}, entry {entry}"
        );
        // A start clears it.
        let fresh = Job::new(&[0], &[0], 1, 0);
        bench.do_job(&fresh);
        assert!(!bench.unit.refused_o.val());
    }
    // A block that would begin before entry 0.
    expand(&mut bench, &[OFFSETS_TABLE, 3, 0, 4, 1, 1], true, (0, 0));
    assert_eq!(wait(&mut bench), 0);
    assert!(bench.unit.refused_o.val());
}

#[test]
fn the_unit_neither_writes_nor_starts_while_the_expander_works() {
    let mut bench = Bench::<16>::new(&full(1, 1, false));
    bench.registers(&Job::new(&[0], &[0], 1, 0));
    let values = [BASES_TABLE, 0, 1, 20, 1, 1, 1, 1, 1];
    expand(&mut bench, &values, false, (0, 0));
    bench.start();
    assert!(!bench.unit.busy_o.val());
    // Waits until the expander is ready, then overwrites what it wrote.
    bench.write(BASE, 1, 77);
    assert!(!bench.unit.refused_o.val());
    assert_eq!(entries(&mut bench, BASES_TABLE, 4), [1, 77, 3, 4]);
}

#[test]
fn without_the_option_there_are_no_such_registers() {
    let mut bench = Bench::<16>::new(&plain(1, 1, false));
    bench.load(&Job::new(&[0], &OFFSETS, 1, 0));
    assert!(!bench.unit.refused_o.val());
    bench.write(REGISTER, 25, 0);
    assert!(bench.unit.refused_o.val());
}
