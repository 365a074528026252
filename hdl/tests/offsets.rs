//! The order in which the sequencer of an offset unit reads its tables, for lists of any length.

use heddle_hdl::blocks::offsets::{OffsetSequencer, OffsetShape};
use heddle_kernel::prelude::*;

/// Entries of bases and of offsets in the order in which they are read.
fn table_reads(rows: usize, ws: bool, t: u64, k: u64, n: u64) -> (Vec<u64>, Vec<u64>) {
    let mut u = OffsetSequencer::new(&OffsetShape::new(rows, 1));
    clock_cycle!(u);
    u.rst_n.next = true;
    u.ws_i.next = ws;
    u.t_i.next = t.into();
    u.k_i.next = k.into();
    u.n_i.next = n.into();
    u.base_ptr_i.next = 100.into();
    u.offset_ptr_i.next = 200.into();
    u.advance_i.next = true;
    u.start_i.next = true;
    clock_cycle!(u);
    u.start_i.next = false;
    let (mut bases, mut offsets) = (Vec::new(), Vec::new());
    let mut clock = 0;
    while u.valid_o.val() {
        clock += 1;
        assert!(clock < 5000, "the sequencer never ends");
        // Every third clock is a stall.
        u.advance_i.next = clock % 3 != 0;
        settle(&mut u);
        if u.base_ren_o.val() {
            bases.push(u.base_addr_o.val().to_u64() - 100);
        }
        if u.offset_ren_o.val() {
            offsets.push(u.offset_addr_o.val().to_u64() - 200);
        }
        clock_cycle!(u);
    }
    (bases, offsets)
}

#[proves("SGCR-09", "SGCR-12", "SGCR-24")]
#[test]
fn each_base_is_read_once_and_each_offset_once_in_a_pass() {
    let (bases, offsets) = table_reads(2, false, 4, 9, 1);
    assert_eq!(bases, [0, 1, 2, 3]);
    let pass: Vec<u64> = (0..9).collect();
    assert_eq!(offsets, [&pass[..], &pass[..]].concat(), "9 for each tile");
    // Three tiles with a tail, two column tiles.
    let (bases, offsets) = table_reads(3, false, 7, 4, 2);
    assert_eq!(bases, [0, 1, 2, 3, 4, 5, 6]);
    let pass: Vec<u64> = (0..4).collect();
    assert_eq!(offsets, vec![pass; 6].concat());
}

#[proves("SGCR-54")]
#[test]
fn the_tables_exchange_their_roles() {
    let (bases, offsets) = table_reads(4, true, 4, 9, 1);
    assert_eq!(bases, [[0, 1, 2, 3]; 3].concat(), "12 base reads");
    assert_eq!(offsets, [0, 1, 2, 3, 4, 5, 6, 7, 8], "9 offset reads");
    let (bases, offsets) = table_reads(2, true, 1, 3, 2);
    assert_eq!((bases, offsets), (vec![0; 4], vec![0, 1, 2, 0, 1, 2]));
}

#[test]
fn long_lists_are_counted_to_their_ends() {
    let (bases, offsets) = table_reads(256, false, 257, 3, 1);
    assert_eq!((bases.len(), offsets.len()), (257, 6));
    let (bases, offsets) = table_reads(1, true, 1, 1, 300);
    assert_eq!((bases.len(), offsets.len()), (300, 300));
}
