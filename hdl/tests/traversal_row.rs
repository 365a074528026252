//! Registers and counters of one row of a traversal unit.

use heddle_hdl::traversal::{LoopRegisters, RowCounters};
use heddle_kernel::prelude::*;

const LOOPS: usize = 3;

/// Initial offset, step and distance of every loop in use; initial offset and distance waiting.
fn registers(u: &LoopRegisters<16, 17>) -> ([[u64; 3]; LOOPS], [[u64; 2]; LOOPS]) {
    let value = |c: usize| [u.initial_o[c].val().to_u64(), u.step_o[c].val().to_u64()];
    (
        std::array::from_fn(|c| [value(c)[0], value(c)[1], u.distance_o[c].val().to_u64()]),
        std::array::from_fn(|c| {
            let [initial, distance] = [
                u.next_initial_o[c].val(),
                u.next_distance_o[c].val().get_bits::<16>(0),
            ];
            [initial.to_u64(), distance.to_u64()]
        }),
    )
}

fn write(u: &mut LoopRegisters<16, 17>, c: usize, enabled: bool) {
    u.write_initial_i[c].next = enabled;
    u.write_step_i[c].next = enabled;
    u.write_distance_i[c].next = enabled;
}

#[test]
fn ttu_001_ttu_032_registers_of_every_loop_are_separate_and_change_by_writes_only() {
    for double in [false, true] {
        let mut u = LoopRegisters::<16, 17>::new(LOOPS, double);
        let mut expected = [[0; 3]; LOOPS];
        for c in [1, 0, 2] {
            let values = [10 * c as u64 + 1, 10 * c as u64 + 2, 10 * c as u64 + 3];
            u.initial_i.next = values[0].into();
            u.step_i.next = values[1].into();
            u.distance_i.next = values[2].into();
            write(&mut u, c, true);
            clock_cycle!(u);
            write(&mut u, c, false);
            expected[c] = values;
            let next = expected.map(|[v, _, d]| [v, d]);
            if double {
                assert_eq!(registers(&u).1, next);
            } else {
                assert_eq!(registers(&u), (expected, next));
            }
        }
        u.load_i.next = true;
        clock_cycle!(u);
        u.load_i.next = false;
        let loaded = expected;
        for _ in 0..3 {
            assert_eq!(registers(&u).0, loaded);
            clock_cycle!(u);
        }
        // With two sets a write does not reach the loops in use.
        write(&mut u, 1, true);
        u.initial_i.next = 99.into();
        clock_cycle!(u);
        assert_eq!(registers(&u).0[1][0], if double { 11 } else { 99 });
        assert_eq!(registers(&u).1[1][0], 99);
    }
}

#[test]
fn ttu_001_ttu_017_ttu_039_every_loop_has_an_offset_that_begins_at_its_initial_value() {
    let mut u = RowCounters::<16, 17>::new(LOOPS, false, false);
    for c in 0..LOOPS {
        u.initial_i[c].next = (10 * c as u64).into();
        u.step_i[c].next = (c as u64 + 1).into();
        u.count_i[c].next = (c as u64 + 1).into();
        // Two iterations: the distance is -step in the first and 0 in the second.
        u.distance_i[c].next = ((1 << 17) - (c as u64 + 1)).into();
    }
    u.load_i.next = true;
    clock_cycle!(u);
    u.load_i.next = false;
    let offsets = |u: &RowCounters<16, 17>| -> [u64; LOOPS] {
        std::array::from_fn(|c| u.offset_o[c].val().to_u64())
    };
    for round in 0..2 {
        for n in 0..8 {
            let expected = [n & 1, 10 + 2 * (n >> 1 & 1), 20 + 3 * (n >> 2)];
            assert_eq!(offsets(&u), expected, "round {round}, step {n}");
            clock_cycle!(u);
            assert_eq!(offsets(&u), expected, "held without a step");
            for c in 0..LOOPS {
                let inner = (1 << (c + 1)) - 1;
                assert_eq!(u.final_o[c].val(), n >> c & 1 == 1);
                assert_eq!(u.wrap_o[c].val(), n & inner == inner);
            }
            u.advance_i.next = true;
            clock_cycle!(u);
            u.advance_i.next = false;
        }
    }
}

/// Row 2 of the worked trace: its offsets while each address is formed, the innermost loop first.
#[test]
fn ttu_028_ttu_033_an_offset_below_its_end_is_kept_and_no_outer_one_changes() {
    let trace: [[u64; LOOPS]; 12] = [
        [0, 0, 0],
        [1, 0, 0],
        [0, 6, 0],
        [1, 6, 0],
        [0, 0, 2],
        [1, 0, 2],
        [0, 6, 2],
        [1, 6, 2],
        [0, 0, 4],
        [1, 0, 4],
        [0, 6, 4],
        [1, 6, 4],
    ];
    let mut u = RowCounters::<16, 17>::new(LOOPS, false, false);
    let (steps, ends) = ([1u64, 6, 2], [2u64, 12, 6]);
    for c in 0..LOOPS {
        u.step_i[c].next = steps[c].into();
        u.count_i[c].next = steps[c].into();
        u.distance_i[c].next = ((1 << 17) + steps[c] - ends[c]).into();
    }
    u.load_i.next = true;
    clock_cycle!(u);
    u.load_i.next = false;
    for (t, expected) in trace.iter().enumerate() {
        settle(&mut u);
        let found: [u64; LOOPS] = std::array::from_fn(|c| u.offset_o[c].val().to_u64());
        assert_eq!(found, *expected, "address {t}");
        let stays = expected[0] + steps[0] < ends[0];
        assert_eq!(u.wrap_o[0].val(), !stays, "address {t}");
        if let Some(next) = trace.get(t + 1).filter(|_| stays) {
            assert_eq!(expected[1..], next[1..], "the table of the document");
        }
        u.advance_i.next = true;
        clock_cycle!(u);
        u.advance_i.next = false;
    }
}
