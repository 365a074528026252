//! Activation tables of one lane.

use heddle_hdl::post::{ACTIVATE_LATENCY, Activate};
use heddle_kernel::prelude::*;

use super::common::Numbers;

#[test]
fn pet_58_every_byte_of_every_table_and_bypass() {
    for tables in [1, 3, 8] {
        let mut u = Activate::new(tables);
        let entry = |table: usize, byte: usize| (byte * (2 * table + 3) + 17 * table + 5) % 256;
        for table in 0..tables {
            for byte in 0..256 {
                u.wen_i.next = true;
                u.wentry_i.next = ((256 * table + byte) as u64).into();
                u.wdata_i.next = (entry(table, byte) as u64).into();
                clock_cycle!(u);
            }
        }
        u.wen_i.next = false;
        for chosen in 0..=tables {
            u.table_i.next = (chosen as u64).into();
            for t in 0..256 + ACTIVATE_LATENCY {
                u.valid_i.next = t < 256;
                u.byte_i.next = (t as u64 & 0xff).into();
                settle(&mut u);
                if let Some(byte) = t.checked_sub(ACTIVATE_LATENCY) {
                    let expected = match chosen {
                        0 => byte,
                        table => entry(table - 1, byte),
                    };
                    let found = u.byte_o.val().to_u64();
                    assert_eq!(found, expected as u64, "table {chosen} of {tables}, {byte}");
                }
                clock_cycle!(u);
            }
        }
    }
}

#[test]
fn pet_58_bytes_with_gaps_between_them() {
    let mut u = Activate::new(2);
    for entry in 0..512u64 {
        u.wen_i.next = true;
        u.wentry_i.next = entry.into();
        u.wdata_i.next = (!entry & 0xff).into();
        clock_cycle!(u);
    }
    u.wen_i.next = false;
    u.table_i.next = 2.into();
    let mut numbers = Numbers(58);
    let mut sent: Vec<Option<u64>> = Vec::new();
    for t in 0..300usize {
        let byte = (!numbers.one_in(3)).then(|| numbers.next(256));
        u.valid_i.next = byte.is_some();
        u.byte_i.next = byte.unwrap_or(0).into();
        settle(&mut u);
        sent.push(byte);
        let before = t.checked_sub(ACTIVATE_LATENCY).and_then(|at| sent[at]);
        if let Some(byte) = before {
            assert_eq!(u.byte_o.val().to_u64(), !byte & 0xff);
        }
        clock_cycle!(u);
    }
}
