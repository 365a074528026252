//! Partitions in a chain.

use heddle_hdl::buffer::StateBuffer;
use heddle_kernel::prelude::*;

use super::bench::*;

#[test]
fn the_operand_wave_reaches_each_row_one_cycle_later_and_leaves_behind_the_last() {
    let rows = 3;
    let mut u = StateBuffer::new(rows, 2, &bank(), OFFSETS);
    u.rst_n.next = true;
    // Row r: operand byte 16 + r at address 9, weight word 32 + r in bank 1.
    for r in 0..rows as u64 {
        for (word, data) in [(1, (16 + r) << 8), (WORDS as u64, 32 + r)] {
            let cycle = Cycle {
                host: Some((r, word, Some(data))),
                ..Cycle::default()
            };
            drive!(u, &cycle);
            clock_cycle!(u);
        }
    }
    drive!(u, &Cycle::default());
    for _ in 0..rows {
        clock_cycle!(u);
    }
    // Operand for two of three rows, weights for one, a host read of each partition.
    for t in 0..14usize {
        let mut cycle = Cycle::default();
        if t == 0 {
            cycle = operand(9);
            cycle.op.as_mut().expect("just made").rows = 2;
            cycle.op.as_mut().expect("just made").swap = true;
            cycle.wt = Some((8 * WORDS as u64, 1));
        }
        if (3..3 + rows).contains(&t) {
            cycle.host = Some((t as u64 - 3, 1, None));
        }
        drive!(u, &cycle);
        u.op_i.tag.next = (t as u64 + 40).into();
        settle(&mut u);
        for r in 0..rows {
            let x = if t == r + 6 && r < 2 {
                16 + r as i64
            } else {
                0
            };
            assert_eq!(u.nz_o[r].val(), x != 0, "cycle {t}, row {r}");
            if x != 0 {
                assert_eq!(signed_9(u.x_o[r].val()), x, "cycle {t}, row {r}");
            }
            assert_eq!(u.swap_o[r].val(), t == r + 6);
            assert_eq!(u.shift_o[r].val(), t == r + 3);
        }
        if t == 3 {
            assert_eq!(u.w_o[0][0].val(), Bits::<8>::from(32));
        }
        assert_eq!(u.op_valid_o.val(), t == rows);
        if t >= rows {
            assert_eq!(u.op_tag_o.val().to_u64(), (t - rows) as u64 + 40);
        }
        if t == rows {
            assert_eq!(u.op_addr_o.val(), Bits::<16>::from(9));
        }
        // Requests in 3, 4, 5; answers rows + 3 cycles later.
        let answer = t.checked_sub(3 + rows + 3).filter(|&n| n < rows);
        assert_eq!(u.host_rvalid_o.val(), answer.is_some(), "cycle {t}");
        if let Some(r) = answer {
            assert_eq!(u.host_rdata_o[1].val().to_u64(), 16 + r as u64);
        }
        clock_cycle!(u);
    }
}

#[test]
fn events_of_all_rows_are_added_up() {
    let rows = 3;
    let mut u = StateBuffer::new(rows, 2, &bank(), OFFSETS);
    u.rst_n.next = true;
    for r in 0..rows {
        u.dr_valid_i[r].next = true;
        u.dr_word_i[r].next = 7.into();
        // Row 0 writes nothing but its mask, row 1 slice a, row 2 both slices.
        for k in 0..[0, 4, 5][r] {
            u.dr_data_i[r][k].next = 1.into();
        }
    }
    let mut totals = [0; 7];
    for t in 0..14 {
        if t == 1 {
            for r in 0..rows {
                u.dr_valid_i[r].next = false;
            }
            drive!(u, &operand(0));
            u.op_i.addr.next = (7 * 8).into();
            u.op_i.rows.next = 3.into();
        }
        if t == 2 {
            drive!(u, &Cycle::default());
        }
        settle(&mut u);
        let now = [
            u.ev_mask_read_o.val(),
            u.ev_mask_write_o.val(),
            u.ev_slice_read_o[0].val(),
            u.ev_slice_write_o[0].val(),
            u.ev_slice_read_o[1].val(),
            u.ev_slice_write_o[1].val(),
            u.ev_zero_o.val(),
        ];
        for (total, now) in totals.iter_mut().zip(now) {
            *total += now.to_u64();
        }
        clock_cycle!(u);
    }
    // The operand of row 0 is zero, those of the others are 1.
    assert_eq!(totals, [3, 3, 2, 2, 1, 1, 1]);
}

/// Row r holds the bytes 100 r + address; rows 0, 1, 2 add 1, 20 and an offset beyond the memory.
#[test]
fn sgcr_54_the_base_reaches_row_r_at_clock_r_and_each_row_adds_its_own_offset() {
    let rows = 3;
    let mut u = StateBuffer::new(rows, 2, &bank(), OFFSETS);
    u.rst_n.next = true;
    for r in 0..rows as u64 {
        for word in 0..8 {
            let bytes: [u8; 8] = std::array::from_fn(|k| (60 * r + 8 * word + k as u64) as u8);
            let data = u64::from_le_bytes(bytes);
            drive!(
                u,
                &Cycle {
                    host: Some((r, word, Some(data))),
                    ..Cycle::default()
                }
            );
            clock_cycle!(u);
        }
        let offset = [1, 20, 0xff00][r as usize];
        let table = Some((r, 6, 1 << 16 | offset));
        drive!(
            u,
            &Cycle {
                table,
                ..Cycle::default()
            }
        );
        clock_cycle!(u);
    }
    drive!(u, &Cycle::default());
    for _ in 0..rows + 2 {
        clock_cycle!(u);
    }
    let mut faults = Vec::new();
    for t in 0..16usize {
        let mut cycle = Cycle::default();
        if t < 4 {
            cycle = operand(8 * t as u64);
            let op = cycle.op.as_mut().expect("just made");
            (op.rows, op.thr, op.entry) = (3, 255, Some(6));
        }
        drive!(u, &cycle);
        settle(&mut u);
        for r in 0..2usize {
            let m = t.checked_sub(r + 6).filter(|&m| m < 4);
            assert_eq!(u.nz_o[r].val(), m.is_some(), "cycle {t}, row {r}");
            if let Some(m) = m {
                let expected = [1 + 8 * m, 60 + 20 + 8 * m][r] as i64;
                assert_eq!(signed_9(u.x_o[r].val()), expected, "cycle {t}, row {r}");
            }
        }
        assert!(!u.nz_o[2].val(), "no address, no operand");
        if u.op_fault_o.val() {
            faults.push(t);
        }
        clock_cycle!(u);
    }
    // Behind the last row at rows, the fault one cycle later.
    assert_eq!(faults, [4, 5, 6, 7]);
}

/// Example 5.1 on four rows, every partition holding all of A: which element each row reads at each
/// clock of the three K tiles, the second as the specification lists it.
#[test]
fn sgcr_54_sgcr_55_the_weight_stationary_trace_is_that_of_the_specification() {
    const BASES: [u64; 4] = [0, 1, 4, 5];
    const OFFSETS_OF_TAPS: [u64; 9] = [0, 1, 2, 4, 5, 6, 8, 9, 10];
    // Clock by clock from the first base on: rows 0 to 3 of K tile 1.
    const TILE_1: [[Option<u64>; 4]; 7] = [
        [Some(5), None, None, None],
        [Some(6), Some(6), None, None],
        [Some(9), Some(7), Some(8), None],
        [Some(10), Some(10), Some(9), Some(9)],
        [None, Some(11), Some(12), Some(10)],
        [None, None, Some(13), Some(13)],
        [None, None, None, Some(14)],
    ];
    let rows = 4;
    let mut u = StateBuffer::new(rows, 2, &bank(), OFFSETS);
    u.rst_n.next = true;
    for r in 0..rows as u64 {
        for word in 0..2 {
            // Element a is the byte a + 1: no operand is zero.
            let bytes: [u8; 8] = std::array::from_fn(|k| (8 * word + k as u64 + 1) as u8);
            let host = Some((r, word, Some(u64::from_le_bytes(bytes))));
            drive!(
                u,
                &Cycle {
                    host,
                    ..Cycle::default()
                }
            );
            clock_cycle!(u);
        }
        for k_tile in 0..3 {
            let offset = OFFSETS_OF_TAPS.get(4 * k_tile + r as usize);
            let mut cycle = table_write(k_tile as u64, offset.copied());
            cycle.table.as_mut().expect("just made").0 = r;
            drive!(u, &cycle);
            clock_cycle!(u);
        }
    }
    drive!(u, &Cycle::default());
    for _ in 0..rows + 2 {
        clock_cycle!(u);
    }
    let mut operands = 0;
    for k_tile in 0..3 {
        let mut trace = [[None; 4]; 7];
        for t in 0..13usize {
            let mut cycle = Cycle::default();
            if let Some(&base) = BASES.get(t) {
                cycle = operand(base);
                let op = cycle.op.as_mut().expect("just made");
                (op.rows, op.entry) = (4, Some(k_tile));
            }
            drive!(u, &cycle);
            settle(&mut u);
            for (r, x) in u.x_o.iter().enumerate() {
                if u.nz_o[r].val() {
                    trace[t - 6][r] = Some(signed_9(x.val()) as u64 - 1);
                    operands += 1;
                }
            }
            clock_cycle!(u);
        }
        match k_tile {
            1 => assert_eq!(trace, TILE_1),
            2 => {
                let silent = |clock: &[Option<u64>; 4]| clock[1..].iter().all(Option::is_none);
                assert!(trace.iter().all(silent), "rows without a tap");
                let first = [0, 1, 2, 3].map(|clock| trace[clock][0]);
                assert_eq!(first, [10, 11, 14, 15].map(Some));
            }
            _ => {
                let row_3 = [3, 4, 5, 6].map(|clock| trace[clock][3]);
                assert_eq!(row_3, BASES.map(|base| Some(base + 4)));
            }
        }
    }
    assert_eq!(operands, 36);
}
