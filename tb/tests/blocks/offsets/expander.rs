//! The expander: compressed tables give the plain lists.

use super::bench::Bench;
use super::driven::Op;
use super::variants::VARIANTS;
use super::{MASKS, WEIGHTS, program, registers};
use heddle_sim::blocks::offsets::examples::{self, Lists};
use heddle_sim::blocks::offsets::{RegisterKind, Write};

/// Expander registers and the go.
fn expand(values: [u32; 9], repeat: bool) -> Vec<Write> {
    let values = values.into_iter().chain([repeat.into()]);
    (16..)
        .zip(values)
        .map(|(index, value)| Write::register(index, value))
        .collect()
}

/// Expanding and a run give what the lists give.
#[track_caller]
fn check(name: &str, lists: &Lists, expansions: Vec<Write>, mode: u32) {
    let mut bench = Bench::new(&VARIANTS, 1);
    let plain = bench.run_one(name, program(lists, 2, mode)).trace.clone();
    let mut writes = registers(lists.bases.len(), lists.offsets.len(), 2, mode);
    // Nothing of the lists is left.
    for (kind, entries) in [
        (RegisterKind::Base, lists.bases.len()),
        (RegisterKind::Offset, lists.offsets.len()),
    ] {
        writes.extend((0..entries as u16).map(|index| Write {
            kind,
            index,
            ..Write::register(0, 0x3333)
        }));
    }
    bench.play(name, writes.into_iter().map(Op::Write));
    let unit = bench.run_one(name, expansions);
    assert_eq!(unit.trace.clocks, plain.clocks, "{name}");
    assert_eq!(unit.trace.base_reads, plain.base_reads, "{name}");
}

#[proves("SGCR-50")]
#[test]
fn increments_give_the_lists_of_5_3() {
    let mut writes = expand([1, 0, 0, 3, 4, 4, 6, 2, 118], false);
    writes.extend(expand([2, 0, 0, 3, 2, 2, 24, 2, 52], false));
    for name in ["expand", "every", "every_all", "many"] {
        for mode in [0, WEIGHTS] {
            check(name, &examples::asymmetric(), writes.clone(), mode);
        }
    }
}

#[proves("SGCR-41")]
#[test]
fn the_expander_makes_offsets_before_bases_or_behind_them() {
    let bases = expand([1, 0, 0, 3, 4, 4, 6, 2, 118], false);
    let offsets = expand([2, 0, 0, 3, 2, 2, 24, 2, 52], false);
    for name in ["expand", "every", "every_all", "many"] {
        for order in [[&offsets, &bases], [&bases, &offsets]] {
            check(
                name,
                &examples::asymmetric(),
                order.map(Clone::clone).concat(),
                0,
            );
        }
    }
}

#[proves("SGCR-49")]
#[test]
fn twelve_bases_and_a_step_of_168_give_24_bases() {
    let mut writes = expand([1, 0, 0, 3, 4, 4, 6, 1, 0], false);
    writes.extend(expand([1, 12, 0, 12, 168, 1, 0, 0, 0], true));
    writes.extend(expand([2, 0, 0, 3, 2, 2, 24, 1, 0], false));
    writes.extend(expand([2, 6, 0, 6, 84, 1, 0, 0, 0], true));
    for name in ["expand", "every", "every_all", "many"] {
        check(name, &examples::asymmetric(), writes.clone(), 0);
    }
}

#[test]
fn repeats_keep_the_mask_bits() {
    let first = examples::padded();
    let second = first.bases.iter().map(|base| (base.0 + 40, base.1, base.2));
    let both = Lists {
        bases: first.bases.iter().copied().chain(second).collect(),
        ..first.clone()
    };
    let mut writes = first.writes(0, 0);
    writes.extend(expand([1, 9, 0, 9, 40, 1, 0, 0, 0], true));
    for name in ["every", "every_all", "many"] {
        check(name, &both, writes.clone(), MASKS);
    }
}

#[test]
fn steps_may_be_negative() {
    let lists = Lists::plain(
        &[100, 98, 96, 107, 105, 103, 40, 38, 36, 47, 45, 43],
        &[0, -5],
    );
    let minus = |n: i32| n as u32;
    let mut writes = expand([1, 0, 100, 3, minus(-2), 2, 11, 2, minus(-63)], false);
    writes.extend(expand([2, 0, 0, 2, minus(-5), 1, 9, 1, 9], false));
    for name in ["expand", "every", "wide", "widest"] {
        check(name, &lists, writes.clone(), 0);
    }
}

#[test]
fn writes_wait_while_the_expander_works() {
    let mut bench = Bench::new(&VARIANTS, 1);
    bench.run_one("expand", program(&examples::small(), 1, 0));
    // The write behind the go changes an entry that the expander writes as well: it comes last.
    let mut writes = expand([1, 0, 0, 3, 4, 4, 6, 2, 118], false);
    writes.push(Write {
        kind: RegisterKind::Base,
        index: 23,
        ..Write::register(0, 0x1234)
    });
    writes.extend(registers(24, 9, 1, 0));
    let unit = bench.run_one("expand", writes);
    assert!(
        unit.tally.waiting_writes >= 8,
        "{}",
        unit.tally.waiting_writes
    );
    let last = unit.trace.clocks.last().and_then(|clock| clock.rows[0]);
    assert_eq!(last.and_then(|step| step.address), Some(0x1234 + 10));
}

#[test]
fn a_nest_takes_the_mask_bits_of_its_go() {
    let lists = Lists {
        bases: (0..6).map(|m| (3 * m, 0b0101, 0b0011)).collect(),
        offsets: vec![(0, 1, 1), (1, 2, 2), (2, 4, 2)],
    };
    let mut writes = expand([1, 0, 0, 6, 3, 1, 0, 1, 0], false);
    let go = writes.last_mut().expect("the go");
    (go.row, go.col) = (0b0101, 0b0011);
    writes.extend(
        Lists {
            bases: Vec::new(),
            ..lists.clone()
        }
        .writes(0, 0),
    );
    for name in ["every", "every_all", "many"] {
        check(name, &lists, writes.clone(), MASKS);
    }
}

#[test]
fn a_list_beyond_its_table_is_cut_and_refused() {
    let mut bench = Bench::new(&VARIANTS, 1);
    for (name, bases) in [("expand", 32), ("every", 32), ("wide", 16)] {
        bench.run_one(name, program(&examples::small(), 1, 0));
        let before = bench.side(name).trace.written[0];
        let writes = expand([1, bases - 3, 5, 4, 1, 2, 1, 1, 1], false);
        let unit = bench.play(name, writes.into_iter().map(Op::Write));
        assert!(unit.state.refused, "{name}");
        let unit = bench.play(name, [Op::Clocks(2)]);
        assert_eq!(unit.trace.written[0] - before, 3, "{name}");
        // What was there is still there.
        let unit = bench.run_one(name, registers(4, 9, 1, 0));
        assert!(!unit.state.refused, "{name}");
    }
}

#[test]
fn no_table_nothing_to_repeat_and_nothing_at_all() {
    let mut bench = Bench::new(&VARIANTS, 1);
    for (values, repeat, refused) in [
        ([0, 0, 5, 4, 1, 2, 1, 1, 1], false, true),
        ([3, 0, 5, 4, 1, 2, 1, 1, 1], false, true),
        ([1, 3, 5, 4, 1, 2, 1, 1, 1], true, true),
        ([1, 0, 5, 0, 1, 2, 1, 1, 1], false, false),
        ([1, 0, 5, 4, 1, 2, 1, 0, 1], false, false),
        ([2, 8, 5, 4, 1, 0, 1, 1, 1], true, false),
    ] {
        let unit = bench.run_one("every", program(&examples::small(), 1, 0));
        let (clocks, written) = (unit.trace.clocks.clone(), unit.trace.written);
        let writes = expand(values, repeat).into_iter().map(Op::Write);
        let unit = bench.play("every", writes.chain([Op::Clocks(9)]));
        assert_eq!(unit.state.refused, refused, "{values:?}");
        assert_eq!(unit.trace.written, written, "{values:?}");
        let unit = bench.play("every", [Op::Start, Op::Wait]);
        assert_eq!(unit.trace.clocks, clocks, "{values:?}");
    }
}
