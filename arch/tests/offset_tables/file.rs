//! The table file, whole, damaged and forged.

use heddle_arch::offsets::{TableFileError, Tables};
use proptest::collection::vec;
use proptest::prelude::*;

use super::{any_tables, example, padded};

/// The words of a file behind those that are changed, with a checksum that fits.
fn file(words: &[u32]) -> Vec<u8> {
    let mut bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    bytes.extend(crc32fast::hash(&bytes).to_le_bytes());
    bytes
}

#[proves("SGCR-02", "SGCR-18")]
#[test]
fn a_file_has_t_bases_k_offsets_and_a_weight_base_if_wanted() {
    let plain = example().to_bytes().expect("bytes");
    let head = [u32::from_le_bytes(*b"HDOT"), 1, 0, 0, 4, 9, 4, 1];
    let entries = [0, 1, 4, 5, 0, 1, 2, 4, 5, 6, 8, 9, 10];
    assert_eq!(plain, file(&[&head[..], &entries].concat()));
    // CRC-32 of IEEE 802.3, computed with another program.
    assert_eq!(plain[84..], CHECKSUM.to_le_bytes());
    // Moving the weights changes one word, and the checksum.
    let at = |weight_base| {
        let tables = Tables {
            weight_base: Some(weight_base),
            ..example()
        };
        tables.to_bytes().expect("bytes")
    };
    let (one, other) = (at(0x123), at(0x345));
    let differing = (0..one.len() - 4).filter(|byte| one[*byte] != other[*byte]);
    assert_eq!(differing.collect::<Vec<_>>(), [32, 33]);
    let read = Tables::from_bytes(&other).expect("tables");
    assert_eq!(read.weight_base, Some(0x345));
    assert_eq!(
        (&read.bases, &read.offsets),
        (&example().bases, &example().offsets)
    );
}

/// Checksum of the file of example 5.1.
const CHECKSUM: u32 = 0xe0a9_73d8;

#[test]
fn masks_follow_the_offsets() {
    let bytes = padded().to_bytes().expect("bytes");
    let word = |at: usize| u32::from_le_bytes(bytes[at * 4..at * 4 + 4].try_into().expect("4"));
    assert_eq!(bytes.len(), (8 + 9 + 9 + 9 + 9 + 1) * 4);
    assert_eq!(word(2), 2);
    assert_eq!(word(8) as i32, -4);
    assert_eq!(word(26), 0b110 | 0b110 << 16);
    assert_eq!(word(28), 0b110 | 0b011 << 16);
    assert_eq!(word(35 + 5), 1 | 2 << 8);
    assert_eq!(Tables::from_bytes(&bytes), Ok(padded()));
}

/// The words of a file without its checksum.
fn words(bytes: &[u8]) -> Vec<u32> {
    let words = bytes[..bytes.len() - 4].chunks(4);
    words
        .map(|four| u32::from_le_bytes(four.try_into().expect("4")))
        .collect()
}

#[track_caller]
fn unreadable(bytes: &[u8], message: &str) {
    let error = Tables::from_bytes(bytes).expect_err("a damaged file");
    assert_eq!(error.to_string(), message);
}

#[test]
fn damaged_files_are_refused() {
    let good = example().to_bytes().expect("bytes");
    unreadable(
        &[],
        "holds 0 bytes, expected at least 36, a table file without entries",
    );
    let short = "holds 35 bytes, expected at least 36, a table file without entries";
    unreadable(&good[..35], short);
    let json = "word 0, magic, is 0x6e6f637b, expected 0x544f4448, a table file";
    unreadable(b"{convolution}", json);
    let counts = "the head counts 4 bases and 9 offsets";
    for length in [36, 84, 87, 89, 92, 200] {
        let mut other = good.clone();
        other.resize(length, 0);
        unreadable(
            &other,
            &format!("holds {length} bytes, expected 88: {counts}"),
        );
    }
    let changed = |word: usize, value: u32| {
        let mut words = words(&good);
        words[word] = value;
        file(&words)
    };
    let long = "the head counts 65535 bases and 9 offsets";
    for (word, value, message) in [
        (1, 2, "word 1, version, is 2, expected 1"),
        (2, 8, "word 2, flags, is 8, expected 0 to 7"),
        (3, 4, "word 3, unit_shift, is 4, expected 0 to 3"),
        (4, 0, "word 4, rows, is 0, expected 1 to 65535"),
        (
            4,
            u32::MAX,
            "word 4, rows, is 4294967295, expected 1 to 65535",
        ),
        (5, 65536, "word 5, taps, is 65536, expected 1 to 65535"),
        (6, 0, "word 6, pixels, is 0, expected 1 to 65535"),
        (7, 0, "word 7, outputs, is 0, expected 1 to 65535"),
    ] {
        unreadable(&changed(word, value), message);
    }
    for (word, value, bytes, counts) in [
        (4, 65535, 262_212, long),
        (2, 2, 140, counts),
        (2, 4, 92, counts),
    ] {
        let message = format!("holds 88 bytes, expected {bytes}: {counts}");
        unreadable(&changed(word, value), &message);
    }
    let mut flipped = good.clone();
    flipped[50] ^= 0x10;
    let error = Tables::from_bytes(&flipped).expect_err("a flipped bit");
    assert!(matches!(error, TableFileError::Checksum { .. }), "{error}");
    let mut words = words(&padded().to_bytes().expect("bytes"));
    words[36] |= 1 << 20;
    let expected = "the mask word of tap 1 is 0x00100100, expected bits 16 to 31 to be 0";
    unreadable(&file(&words), expected);
}

proptest! {
    #[test]
    fn files_give_back_the_tables(tables in any_tables()) {
        let bytes = tables.to_bytes().expect("bytes");
        prop_assert_eq!(Tables::from_bytes(&bytes), Ok(tables));
    }

    #[test]
    fn any_flipped_bit_and_any_other_length_is_refused(
        tables in any_tables(), at in any::<prop::sample::Index>(), bit in 0u8..8, cut in 1usize..64,
    ) {
        let bytes = tables.to_bytes().expect("bytes");
        let mut flipped = bytes.clone();
        flipped[at.index(bytes.len())] ^= 1 << bit;
        prop_assert!(Tables::from_bytes(&flipped).is_err());
        prop_assert!(Tables::from_bytes(&bytes[..bytes.len().saturating_sub(cut)]).is_err());
        let longer = [&bytes[..], &bytes[..cut.min(bytes.len())]].concat();
        prop_assert!(Tables::from_bytes(&longer).is_err());
    }

    #[test]
    fn forged_heads_neither_panic_nor_allocate(
        head in vec(any::<u32>(), 8), small in vec(0u32..8, 8), forged in any::<u8>(),
        rest in vec(any::<u32>(), 0..64), sealed in any::<bool>(),
    ) {
        let mut words = vec![u32::from_le_bytes(*b"HDOT"), 1];
        for word in 2..8 {
            words.push(if forged >> word & 1 == 1 { head[word] } else { small[word] });
        }
        words.extend(rest);
        let mut bytes = file(&words);
        if !sealed {
            bytes.pop();
        }
        if let Ok(tables) = Tables::from_bytes(&bytes) {
            // What can be read can be checked, and written again if it is free of faults.
            if tables.check().is_ok() {
                prop_assert_eq!(tables.to_bytes().expect("bytes"), bytes);
            }
            let _ = tables.check_in(1000);
        }
    }

    #[test]
    fn any_bytes_are_refused_without_panic(bytes in vec(any::<u8>(), 0..300)) {
        prop_assert!(Tables::from_bytes(&bytes).is_err());
    }
}
