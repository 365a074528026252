//! Bytes to words.

use heddle_hdl::post::Gatherer;
use heddle_kernel::prelude::*;

use super::common::{Numbers, bits};

#[test]
fn a_dropped_word_never_leaves() {
    for byte_with_drop in [false, true] {
        let mut u = Gatherer::default();
        u.rst_n.next = true;
        u.valid_i.next = true;
        u.dest_i.next = 8u64.into();
        u.byte_i.next = 0x55u64.into();
        clock_cycle!(u);
        // A stopped drain has left a byte of word 1; the next drain begins with word 2.
        u.drop_i.next = true;
        u.valid_i.next = byte_with_drop;
        u.dest_i.next = 17u64.into();
        u.byte_i.next = 0x66u64.into();
        settle(&mut u);
        assert!(!u.valid_o.val());
        clock_cycle!(u);
        u.drop_i.next = false;
        u.valid_i.next = true;
        u.flush_i.next = true;
        settle(&mut u);
        assert!(!u.valid_o.val());
        clock_cycle!(u);
        u.valid_i.next = false;
        settle(&mut u);
        assert!(u.valid_o.val() && u.word_o.val() == bits(2));
        assert_eq!(u.data_o[1].val(), bits(0x66));
        assert_eq!(u.data_o[0].val(), bits(0));
    }
}

/// Address and flush flag of the byte of each cycle; the byte is the number of the cycle + 1
/// modulo 256.
/// Returns cycle, word address and word of everything that leaves.
fn gather(bytes: &[Option<(u64, bool)>]) -> Vec<(usize, u64, u64)> {
    let mut u = Gatherer::default();
    u.rst_n.next = true;
    let mut words = Vec::new();
    for t in 0..bytes.len() + 3 {
        let byte = bytes.get(t).copied().flatten();
        let (dest, flush) = byte.unwrap_or((0x1238, true));
        u.valid_i.next = byte.is_some();
        u.dest_i.next = dest.into();
        u.flush_i.next = flush;
        u.byte_i.next = ((t as u64 + 1) & 0xff).into();
        settle(&mut u);
        if u.valid_o.val() {
            let word = (0..8)
                .rev()
                .fold(0, |w, k| w << 8 | u.data_o[k].val().to_u64());
            words.push((t, u.word_o.val().to_u64(), word));
        }
        clock_cycle!(u);
    }
    words
}

#[test]
fn a_full_word_leaves_with_the_first_byte_of_the_next() {
    let bytes: Vec<_> = (16..33).map(|dest| Some((dest, false))).collect();
    assert_eq!(
        gather(&bytes),
        [
            (8, 2, 0x0807_0605_0403_0201),
            (16, 3, 0x100f_0e0d_0c0b_0a09)
        ]
    );
}

#[test]
fn a_flush_byte_sends_its_word_one_cycle_later_with_zeros_for_missing_bytes() {
    assert_eq!(gather(&[Some((43, true))]), [(1, 5, 0x0100_0000)]);
    let bytes = [Some((40, false)), None, None, Some((47, true)), None];
    assert_eq!(gather(&bytes), [(4, 5, 0x0400_0000_0000_0001)]);
}

#[test]
fn a_flush_byte_for_another_word_sends_both_words_in_turn() {
    let bytes = [Some((0, false)), Some((9, true))];
    assert_eq!(gather(&bytes), [(1, 0, 1), (2, 1, 0x200)]);
}

#[test]
fn the_next_drain_may_follow_a_flush_byte_at_once() {
    // To another word, to the same word, and with a flush byte of its own.
    let bytes = [Some((0, true)), Some((8, false)), Some((8, true))];
    assert_eq!(gather(&bytes), [(1, 0, 1), (3, 1, 3)]);
    let bytes = [Some((0, true)), Some((1, true)), Some((2, true))];
    assert_eq!(gather(&bytes), [(1, 0, 1), (2, 0, 0x200), (3, 0, 0x3_0000)]);
}

#[test]
fn a_word_per_clock_and_a_return_to_an_earlier_word_are_possible() {
    let bytes: Vec<_> = [0, 8, 0, 16].iter().map(|&d| Some((d, d == 16))).collect();
    assert_eq!(gather(&bytes), [(1, 0, 1), (2, 1, 2), (3, 0, 3), (4, 2, 4)]);
}

#[test]
fn a_byte_that_comes_twice_counts_once() {
    assert_eq!(
        gather(&[Some((3, false)), Some((3, true))]),
        [(2, 0, 0x200_0000)]
    );
}

#[test]
fn random_gathering_loses_no_byte() {
    let mut n = Numbers(77);
    for _ in 0..20 {
        let mut bytes = Vec::new();
        let mut dest = 0;
        for _ in 0..300 {
            if n.one_in(3) {
                bytes.push(None);
                continue;
            }
            dest = if n.one_in(6) {
                n.next(32)
            } else {
                (dest + 1) % 32
            };
            bytes.push(Some((dest, n.one_in(9))));
        }
        bytes.push(Some((0, true)));
        // Bytes in runs: a run ends behind a flush byte or in front of another word.
        let mut want: Vec<(u64, u64)> = Vec::new();
        let mut open = false;
        for (t, byte) in bytes.iter().enumerate() {
            let Some((dest, flush)) = *byte else { continue };
            if !open || want.last().is_some_and(|last| last.0 != dest / 8) {
                want.push((dest / 8, 0));
            }
            let lane = 8 * (dest % 8);
            let last = want.last_mut().expect("just pushed");
            last.1 = last.1 & !(0xff << lane) | ((t as u64 + 1) & 0xff) << lane;
            open = !flush;
        }
        let got: Vec<_> = gather(&bytes).iter().map(|w| (w.1, w.2)).collect();
        assert_eq!(got, want);
    }
}
