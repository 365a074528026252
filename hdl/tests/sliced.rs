//! Sliced memory against its tables and against a plain memory.
//! Words are numbers whose hexadecimal text reads as in the tables: byte 7 first.

use heddle_hdl::prelude::*;
use heddle_hdl::sliced::Sliced;

/// Slice accesses of one cycle: (mask, a, b), each (read, write).
type Accesses = [(bool, bool); 3];

struct Memory {
    u: Sliced,
}

impl Memory {
    fn new(depth: usize, first: usize) -> Self {
        let mut u = Sliced::new(depth, first);
        clock_cycle!(u);
        u.rst_n.next = true;
        Self { u }
    }

    /// One cycle with at most one write and one read. Returns the accesses of the cycle and the
    /// word that is valid in it.
    fn cycle(&mut self, write: Option<(u64, u64)>, read: Option<u64>) -> (Accesses, Option<u64>) {
        let u = &mut self.u;
        // An idle port carries what would do harm: the other port's address, another word.
        let (waddr, word) = write.unwrap_or((read.unwrap_or(1), 0x00a5_0000_5a00_0001));
        u.wen_i.next = write.is_some();
        u.waddr_i.next = waddr.into();
        for k in 0..8 {
            u.wdata_i[k].next = (word >> (8 * k) & 0xff).into();
        }
        u.ren_i.next = read.is_some();
        u.raddr_i.next = read.unwrap_or(waddr).into();
        settle(u);
        let accesses = [
            (u.mask_ren_o.val(), u.mask_wen_o.val()),
            (u.a_ren_o.val(), u.a_wen_o.val()),
            (u.b_ren_o.val(), u.b_wen_o.val()),
        ];
        let mut word = 0;
        for k in 0..8 {
            word |= u.rdata_o[k].val().to_u64() << (8 * k);
        }
        let valid = u.rvalid_o.val();
        clock_cycle!(*u);
        (accesses, valid.then_some(word))
    }

    /// What the write ports of the three slices would store now.
    fn stored(&self) -> [u64; 3] {
        fn number<const N: usize>(data: &[Signal<In, Bits<N>>]) -> u64 {
            let elements = data.iter().rev();
            elements.fold(0, |n, element| n << N | element.val().to_u64())
        }
        let u = &self.u;
        [
            number(&u.mask_slice.wdata_i),
            number(&u.a_slice.wdata_i),
            number(&u.b_slice.wdata_i),
        ]
    }

    /// Writes one word alone; returns the slices written.
    fn write(&mut self, address: u64, word: u64) -> [bool; 3] {
        let first = self.cycle(Some((address, word)), None).0;
        let second = self.cycle(None, None).0;
        assert!(!first[1].1 && !first[2].1 && !second[0].1);
        for accesses in [first, second] {
            assert!(accesses.iter().all(|(read, _)| !read), "read by a write");
        }
        [first[0].1, second[1].1, second[2].1]
    }

    /// Reads one word alone; returns the slices read and the word.
    fn read(&mut self, address: u64) -> ([bool; 3], u64) {
        let first = self.cycle(None, Some(address));
        let second = self.cycle(None, None);
        let third = self.cycle(None, None);
        assert!(!first.0[1].0 && !first.0[2].0 && !second.0[0].0);
        for accesses in [first.0, second.0, third.0] {
            assert!(
                accesses.iter().all(|(_, write)| !write),
                "written by a read"
            );
        }
        assert!(first.1.is_none() && second.1.is_none());
        let word = third.1.expect("valid two cycles after the request");
        ([first.0[0].0, second.0[1].0, second.0[2].0], word)
    }
}

/// Word, mask, slice a and slice b with 4 bytes each.
const TABLE_5_4: [(u64, u64, Option<u64>, Option<u64>); 11] = [
    (0, 0x00, None, None),
    (0x1100_0000_0000_0000, 0x80, Some(0x1100_0000), None),
    (0x0000_0000_0000_0088, 0x01, Some(0x8800_0000), None),
    (0x1100_3300_0066_0000, 0xa4, Some(0x1133_6600), None),
    (0x0000_0000_5566_7788, 0x0f, Some(0x5566_7788), None),
    (0x1100_3300_5500_7700, 0xaa, Some(0x1133_5577), None),
    (
        0x1100_3344_0066_0088,
        0xb5,
        Some(0x1133_4466),
        Some(0x8800_0000),
    ),
    (
        0x0022_3300_5566_7700,
        0x6e,
        Some(0x2233_5566),
        Some(0x7700_0000),
    ),
    (
        0x1122_3344_5566_7788,
        0xff,
        Some(0x1122_3344),
        Some(0x5566_7788),
    ),
    (0x8000_0001_0000_00ff, 0x91, Some(0x8001_ff00), None),
    (0x0000_0001_0000_0000, 0x10, Some(0x0100_0000), None),
];

/// Bytes of the word that are not 0, most significant first, and the slices they need.
fn packed(word: u64, first: usize) -> (Vec<u8>, [bool; 3]) {
    let bytes: Vec<u8> = word.to_be_bytes().into_iter().filter(|b| *b != 0).collect();
    let slices = [true, !bytes.is_empty(), bytes.len() > first];
    (bytes, slices)
}

#[test]
fn spm_03_spm_04_spm_06_spm_07_spm_08_spm_33_slices_hold_what_table_5_4_says() {
    for (word, mask, a, b) in TABLE_5_4 {
        let mut m = Memory::new(16, 4);
        let before = m.stored();
        m.u.wen_i.next = true;
        for k in 0..8 {
            m.u.wdata_i[k].next = (word >> (8 * k) & 0xff).into();
        }
        settle(&mut m.u);
        assert_eq!(m.stored()[0], mask, "mask of {word:016x}");
        clock_cycle!(m.u);
        let after = m.stored();
        assert_eq!(after[1], a.unwrap_or(before[1]), "slice a of {word:016x}");
        assert_eq!(after[2], b.unwrap_or(before[2]), "slice b of {word:016x}");
    }
}

#[test]
fn spm_09_spm_10_spm_12_spm_13_spm_14_spm_16_spm_17_spm_26_enables_of_table_5_4() {
    let mut m = Memory::new(16, 4);
    for (word, _, a, b) in TABLE_5_4 {
        let slices = [true, a.is_some(), b.is_some()];
        assert_eq!(m.write(5, word), slices, "write of {word:016x}");
        assert_eq!(m.read(5), (slices, word), "read of {word:016x}");
    }
}

#[test]
fn spm_11_spm_19_stale_bytes_of_table_5_5_are_never_seen() {
    let rows = TABLE_5_4.map(|row| row.0);
    let mut m = Memory::new(16, 4);
    let none = [true, false, false];
    let a = [true, true, false];
    let both = [true, true, true];
    assert_eq!(m.write(5, rows[8]), both);
    assert_eq!(m.write(5, rows[3]), a);
    assert_eq!(m.read(5), (a, rows[3]));
    assert_eq!(m.write(5, rows[0]), none);
    assert_eq!(m.read(5), (none, 0));
    assert_eq!(m.write(5, rows[6]), both);
    assert_eq!(m.read(5), (both, rows[6]));
}

#[test]
fn spm_18_spm_27_all_masks_cost_256_255_and_93_accesses() {
    let mut m = Memory::new(256, 4);
    let word = |mask: u64| {
        let bytes = (0..8).map(|k| ((mask >> k & 1) * 0x11 * (k + 1)) << (8 * k));
        bytes.sum::<u64>()
    };
    let mut written = [0; 3];
    let mut read = [0; 3];
    for mask in 0..256 {
        for (n, used) in written.iter_mut().zip(m.write(mask, word(mask))) {
            *n += u32::from(used);
        }
    }
    for mask in 0..256 {
        let (slices, got) = m.read(mask);
        assert_eq!(got, word(mask));
        for (n, used) in read.iter_mut().zip(slices) {
            *n += u32::from(used);
        }
    }
    assert_eq!(written, [256, 255, 93]);
    assert_eq!(read, [256, 255, 93]);
}

#[test]
fn spm_31_every_division_of_the_word_works_for_all_masks() {
    for first in 1..8 {
        let mut m = Memory::new(4, first);
        for mask in 0..256u64 {
            let bytes = (0..8).map(|k| ((mask >> k & 1) * (0x80 + k)) << (8 * k));
            let word = bytes.sum::<u64>();
            let slices = packed(word, first).1;
            assert_eq!(m.write(mask & 3, word), slices, "{first} {mask:02x}");
            assert_eq!(m.read(mask & 3), (slices, word), "{first} {mask:02x}");
        }
    }
}

#[test]
fn spm_20_spm_22_spm_48_cycle_table_5_11() {
    let rows = TABLE_5_4.map(|row| row.0);
    let mut m = Memory::new(16, 4);
    let commands = [
        (Some((5, rows[8])), None),
        (None, Some(5)),
        (Some((5, rows[3])), None),
        (None, Some(5)),
        (Some((5, rows[0])), None),
        (None, Some(5)),
        (None, None),
        (None, None),
    ];
    let (no, r, w) = ((false, false), (true, false), (false, true));
    let table = [
        ([w, no, no], None),
        ([r, w, w], None),
        ([w, r, r], None),
        ([r, w, no], Some(rows[8])),
        ([w, r, no], None),
        ([r, no, no], Some(rows[3])),
        ([no, no, no], None),
        ([no, no, no], Some(0)),
    ];
    for (cycle, (command, expected)) in commands.into_iter().zip(table).enumerate() {
        assert_eq!(m.cycle(command.0, command.1), expected, "cycle {cycle}");
    }
}

#[test]
fn spm_25_write_ports_hold_still_without_data_for_their_slice() {
    let rows = TABLE_5_4.map(|row| row.0);
    let mut m = Memory::new(16, 4);
    m.cycle(Some((3, rows[8])), None);
    let dense = m.stored();
    let addresses = |m: &Memory| (m.u.a_slice.waddr_i.val(), m.u.b_slice.waddr_i.val());
    assert_eq!(addresses(&m), (3.into(), 3.into()));
    m.cycle(Some((4, 0)), None);
    m.cycle(None, None);
    assert_eq!(m.stored()[1..], dense[1..]);
    assert_eq!(addresses(&m), (3.into(), 3.into()));
    m.cycle(Some((7, rows[3])), None);
    assert_eq!(m.stored()[1..], [0x1133_6600, dense[2]]);
    assert_eq!(addresses(&m), (7.into(), 3.into()));
}

/// A small generator of test values (xorshift).
struct Random(u64);

impl Random {
    fn below(&mut self, n: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) % n
    }

    fn word(&mut self) -> u64 {
        let zeros = self.below(10);
        (0..8).fold(0, |word, _| {
            let byte = 1 << self.below(8) | self.below(256);
            word << 8 | if self.below(9) < zeros { 0 } else { byte }
        })
    }
}

#[test]
fn spm_45_spm_51_random_traffic_on_both_ports_behaves_as_a_plain_memory() {
    for (seed, first) in [(1, 4), (2, 3), (3, 6)] {
        let mut random = Random(seed);
        let mut m = Memory::new(64, first);
        let mut plain = [0u64; 64];
        for (address, word) in plain.iter_mut().enumerate() {
            *word = random.word();
            m.cycle(Some((address as u64, *word)), None);
        }
        // Reads, writes and words of the last cycles, newest first.
        let mut read = [None; 3];
        let mut wrote = None;
        let (mut met, mut behind) = (0, 0);
        for cycle in 0..6000 {
            // Few addresses in most cycles, so that reads and writes meet at every distance.
            let span = if random.below(8) == 0 { 64 } else { 3 };
            let write = (random.below(3) > 0).then(|| (random.below(span), random.word()));
            let ask = (random.below(3) > 0).then(|| random.below(span));
            if let Some((address, word)) = write {
                plain[address as usize] = word;
                met += u32::from(ask == Some(address));
            }
            behind += u32::from(ask.is_some() && ask == wrote);
            wrote = write.map(|w| w.0);
            read = [ask.map(|address| plain[address as usize]), read[0], read[1]];
            let (accesses, got) = m.cycle(write, ask);
            assert_eq!(got, read[2], "seed {seed}, cycle {cycle}");
            assert_eq!(accesses[0], (ask.is_some(), write.is_some()));
            if let Some(word) = read[1] {
                let slices = packed(word, first).1;
                assert_eq!([accesses[1].0, accesses[2].0], slices[1..], "cycle {cycle}");
            } else {
                assert!(!accesses[1].0 && !accesses[2].0, "cycle {cycle}");
            }
        }
        assert!(met > 100 && behind > 100);
    }
}
