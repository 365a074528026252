//! The emitted sliced memory against its golden model, every output in every cycle.

mod rtl;

use std::sync::LazyLock;

use heddle_hdl::sliced::{Pack, Sliced};
use heddle_sim::sliced::packing::{enables, mask, pack, pop};
use heddle_sim::sliced::vectors::{WORDS, word, word_with_mask};
use heddle_sim::sliced::{
    Accesses, Layout, Network, SlicedInputs, SlicedModel, SlicedOutputs, Word,
};
use heddle_tb::verilate::Sources;
use rand::Rng;
use rtl::{Checked, Coverage, Dut, check_mutants, emitted, run_seeds};

const DEPTH: usize = 256;

/// A memory whose first slice has 4 bytes, as in the reference configuration.
static EVEN: LazyLock<Sources> = LazyLock::new(|| emitted(Sliced::new(DEPTH, 4)));
static TWO: LazyLock<Sources> = LazyLock::new(|| emitted(Sliced::new(DEPTH, 2)));
static THREE: LazyLock<Sources> = LazyLock::new(|| emitted(Sliced::new(DEPTH, 3)));
static PACK: LazyLock<Sources> = LazyLock::new(|| emitted(Pack::new(4)));

const IDLE: SlicedInputs = SlicedInputs {
    write: None,
    read: None,
};

fn write(address: u16, data: u64) -> SlicedInputs {
    SlicedInputs {
        write: Some((address, Word::from(data))),
        read: None,
    }
}

fn read(address: u16) -> SlicedInputs {
    SlicedInputs {
        write: None,
        read: Some(address),
    }
}

/// Design and model side by side. Data and addresses without a request are random.
struct Bench {
    dut: Dut,
    model: SlicedModel,
    noise: rand_chacha::ChaCha8Rng,
}

impl Bench {
    fn new(sources: &Sources, first: usize, seed: u64) -> Self {
        let dut = Dut::new(sources, seed);
        Self {
            noise: dut.rng(),
            model: SlicedModel::new(&Layout::new(DEPTH, [first, 8 - first])),
            dut,
        }
    }

    /// One clock cycle: drives both, compares all outputs.
    fn step(&mut self, inputs: &SlicedInputs) -> Checked<SlicedOutputs> {
        let dut = &mut self.dut;
        let idle_write = (
            self.noise.random_range(0..DEPTH as u16),
            Word::from(self.noise.random::<u64>()),
        );
        let (waddr, wdata) = inputs.write.unwrap_or(idle_write);
        let idle_read = self.noise.random_range(0..DEPTH as u16);
        dut.set("wen_i", inputs.write.is_some());
        dut.set("waddr_i", waddr);
        dut.set("wdata_i", wdata.low());
        dut.set("ren_i", inputs.read.is_some());
        dut.set("raddr_i", inputs.read.unwrap_or(idle_read));
        dut.settle();

        let expected = self.model.step(inputs);
        dut.check("rvalid_o", expected.rdata.is_some())?;
        if let Some(rdata) = expected.rdata {
            dut.check("rdata_o", rdata.low())?;
        }
        let accesses = expected.accesses;
        dut.check("mask_ren_o", accesses.mask_read)?;
        dut.check("mask_wen_o", accesses.mask_write)?;
        dut.check("a_ren_o", accesses.reads(0))?;
        dut.check("a_wen_o", accesses.writes(0))?;
        dut.check("b_ren_o", accesses.reads(1))?;
        dut.check("b_wen_o", accesses.writes(1))?;
        dut.clock();
        Ok(expected)
    }

    /// Steps through the commands and two idle cycles.
    fn run(&mut self, commands: &[SlicedInputs]) -> Checked<Vec<SlicedOutputs>> {
        commands
            .iter()
            .chain(&[IDLE, IDLE])
            .map(|command| self.step(command))
            .collect()
    }
}

/// Accesses of the design itself in the order mask, a, b, written then read.
fn counts(outputs: &[SlicedOutputs]) -> [usize; 6] {
    let count =
        |access: fn(&Accesses) -> bool| outputs.iter().filter(|o| access(&o.accesses)).count();
    [
        count(|a| a.mask_write),
        count(|a| a.writes(0)),
        count(|a| a.writes(1)),
        count(|a| a.mask_read),
        count(|a| a.reads(0)),
        count(|a| a.reads(1)),
    ]
}

#[test]
fn spm_09_spm_10_spm_12_spm_13_spm_14_spm_16_spm_17_spm_23_spm_24_spm_26_table_of_words() {
    let mut bench = Bench::new(&EVEN, 4, 1);
    for row in WORDS {
        let (a, b) = (usize::from(row.a.is_some()), usize::from(row.b.is_some()));
        let written = bench.run(&[write(7, row.word)]).unwrap();
        assert_eq!(counts(&written), [1, a, b, 0, 0, 0], "{:016x}", row.word);
        let seen = bench.run(&[read(7)]).unwrap();
        assert_eq!(counts(&seen), [0, 0, 0, 1, a, b], "{:016x}", row.word);
        assert_eq!(seen[2].rdata, Some(row.word.into()));
    }
}

#[test]
fn spm_06_spm_07_spm_08_spm_13_spm_33_packed_slices_of_the_table_of_words() {
    let mut dut = Dut::new(&PACK, 1);
    for row in WORDS {
        drive_pack(&mut dut, row.word, row.a.is_some(), row.b.is_some());
        // Byte 0 of a slice's port is its least significant one; unused slices hold.
        for (port, content) in [("a_data_o", row.a), ("b_data_o", row.b)] {
            if let Some(content) = content {
                dut.check(port, content).unwrap();
            }
        }
    }
}

/// One word through the packer.
fn drive_pack(dut: &mut Dut, word: u64, a: bool, b: bool) {
    let bytes = word.to_le_bytes();
    let mask = (0..8).fold(0_u64, |m, k| m | u64::from(bytes[k] != 0) << k);
    dut.set("word_i", word);
    dut.set("mask_i", mask);
    dut.set("a_en_i", a);
    dut.set("b_en_i", b);
    dut.clock();
}

#[test]
fn spm_06_spm_07_spm_08_every_mask_is_packed_in_order_and_without_gaps() {
    let mut dut = Dut::new(&PACK, 2);
    for m in 0..=255 {
        let bytes = word_with_mask(m, m).to_be_bytes();
        let packed = pack(&bytes, Network::Full);
        let needed = enables(pop(&mask(&bytes)), &[4, 4]);
        drive_pack(&mut dut, u64::from_be_bytes(bytes), needed[0], needed[1]);
        let half = |k: usize| u32::from_be_bytes(packed[k..k + 4].try_into().unwrap());
        if needed[0] {
            dut.check("a_data_o", half(0)).unwrap();
        }
        if needed[1] {
            dut.check("b_data_o", half(4)).unwrap();
        }
    }
}

#[test]
fn packer_output_holds_without_a_word_to_pack() {
    let mut dut = Dut::new(&PACK, 3);
    drive_pack(&mut dut, word(9), true, true);
    for next in [word(1), word(4), word(9) ^ 0x0101_0101_0101_0101] {
        drive_pack(&mut dut, next, false, false);
        dut.check("a_data_o", 0x1122_3344_u32).unwrap();
        dut.check("b_data_o", 0x5566_7788_u32).unwrap();
    }
}

#[test]
fn spm_09_spm_10_spm_11_spm_19_stale_bytes_never_reach_the_read_data() {
    // Slices start with random bits, rows are rewritten dense, sparse, empty, dense.
    for seed in 1..=5 {
        let mut bench = Bench::new(&EVEN, 4, seed);
        for (number, a, b) in [(9, 1, 1), (4, 1, 0), (1, 0, 0), (7, 1, 1)] {
            let written = bench.run(&[write(5, word(number))]).unwrap();
            assert_eq!(counts(&written), [1, a, b, 0, 0, 0], "row {number}");
            let seen = bench.run(&[read(5)]).unwrap();
            assert_eq!(counts(&seen), [0, 0, 0, 1, a, b], "row {number}");
            assert_eq!(seen[2].rdata, Some(word(number).into()));
        }
    }
}

/// Writes and reads one word per mask; returns the accesses.
fn all_masks(sources: &Sources, first: usize, salt: u8) -> [usize; 6] {
    let mut bench = Bench::new(sources, first, 1);
    let words: Vec<u64> = (0..=255).map(|m| word_with_mask(m, salt)).collect();
    let writes: Vec<_> = (0..256).map(|a| write(a, words[usize::from(a)])).collect();
    let reads: Vec<_> = (0..256).map(read).collect();
    let mut outputs = bench.run(&writes).unwrap();
    let seen = bench.run(&reads).unwrap();
    let read_words = seen.iter().filter_map(|o| o.rdata).map(Word::low);
    assert!(read_words.eq(words));
    outputs.extend(seen);
    counts(&outputs)
}

#[test]
fn spm_18_spm_27_all_masks_need_256_255_and_93_accesses() {
    for salt in [1, 77, 200] {
        assert_eq!(all_masks(&EVEN, 4, salt), [256, 255, 93, 256, 255, 93]);
    }
}

#[test]
fn spm_03_byte_is_stored_if_any_one_of_its_bits_is_set() {
    let mut bench = Bench::new(&EVEN, 4, 1);
    for bit in 0..64 {
        let written = bench.run(&[write(9, 1 << bit)]).unwrap();
        assert_eq!(counts(&written), [1, 1, 0, 0, 0, 0], "bit {bit}");
        let seen = bench.run(&[read(9)]).unwrap();
        assert_eq!(counts(&seen), [0, 0, 0, 1, 1, 0], "bit {bit}");
        assert_eq!(seen[2].rdata, Some(Word::from(1_u64 << bit)));
    }
}

#[test]
fn spm_31_unequal_slices_return_every_word() {
    // Masks with more than 2 and more than 3 bytes: 256 - 1 - 8 - 28 = 219, 219 - 56 = 163.
    assert_eq!(all_masks(&TWO, 2, 3), [256, 255, 219, 256, 255, 219]);
    assert_eq!(all_masks(&THREE, 3, 3), [256, 255, 163, 256, 255, 163]);
}

#[test]
fn spm_15_spm_20_spm_22_spm_48_spm_51_back_to_back_commands_follow_the_cycle_table() {
    let commands = [
        write(5, word(9)),
        read(5),
        write(5, word(4)),
        read(5),
        write(5, word(1)),
        read(5),
    ];
    let mut bench = Bench::new(&EVEN, 4, 1);
    let outputs = bench.run(&commands).unwrap();
    let expected = [
        ("mask write", None),
        ("mask read, a write, b write", None),
        ("mask write, a read, b read", None),
        ("mask read, a write", Some(word(9))),
        ("mask write, a read", None),
        ("mask read", Some(word(4))),
        ("", None),
        ("", Some(0)),
    ];
    for (cycle, (seen, (accesses, rdata))) in outputs.iter().zip(expected).enumerate() {
        assert_eq!(names(&seen.accesses), accesses, "cycle {cycle}");
        assert_eq!(seen.rdata, rdata.map(Word::from), "cycle {cycle}");
    }
    assert_eq!(counts(&outputs), [3, 2, 1, 3, 2, 1]);
}

/// Accesses of one cycle in words.
fn names(accesses: &Accesses) -> String {
    let all = [
        (accesses.mask_write, "mask write"),
        (accesses.mask_read, "mask read"),
        (accesses.writes(0), "a write"),
        (accesses.reads(0), "a read"),
        (accesses.writes(1), "b write"),
        (accesses.reads(1), "b read"),
    ];
    let made: Vec<&str> = all.iter().filter(|(m, _)| *m).map(|(_, n)| *n).collect();
    made.join(", ")
}

/// Random reads and writes on few words.
fn random_traffic(sources: &Sources, first: usize, seed: u64) -> Checked<Coverage> {
    let mut bench = Bench::new(sources, first, seed);
    let mut rng = bench.dut.rng();
    let mut coverage = Coverage::default();
    let words = 6;
    for address in 0..words {
        bench.step(&write(address, rng.random()))?;
    }
    let mut writes: [Option<u16>; 4] = [None; 4];
    for _ in 0..5000 {
        let inputs = SlicedInputs {
            write: rng.random_bool(0.6).then(|| {
                let data = word_with_mask(rng.random(), rng.random());
                (rng.random_range(0..words), Word::from(data))
            }),
            read: rng.random_bool(0.7).then(|| rng.random_range(0..words)),
        };
        let outputs = bench.step(&inputs)?;
        writes.rotate_right(1);
        writes[0] = inputs.write.map(|(address, _)| address);
        let same = |distance: usize| inputs.read.is_some() && inputs.read == writes[distance];
        coverage.event("read in the cycle of the write", same(0));
        coverage.event("read one cycle after the write", same(1));
        coverage.event("read two cycles after the write", same(2));
        coverage.event("write one cycle after the read", {
            let a = &outputs.accesses;
            a.reads(0) && a.mask_write
        });
        coverage.event("slice b read and written in one cycle", {
            outputs.accesses.reads(1) && outputs.accesses.writes(1)
        });
        coverage.event("empty word read", outputs.rdata == Some(Word::ZERO));
        coverage.event("only slice a read", {
            outputs.accesses.slice_reads == 0b01
        });
        coverage.event("idle", inputs.read.is_none() && inputs.write.is_none());
    }
    Ok(coverage)
}

#[test]
fn spm_18_spm_22_spm_48_spm_51_random_traffic() {
    run_seeds(|seed| random_traffic(&EVEN, 4, seed));
}

#[test]
fn spm_31_random_traffic_with_unequal_slices() {
    run_seeds(|seed| random_traffic(&TWO, 2, seed));
    run_seeds(|seed| random_traffic(&THREE, 3, seed));
}

#[test]
fn faults_are_noticed() {
    let mutants = [
        ("heddle_sliced_count", "count > 4'd4", "count >= 4'd4"),
        ("heddle_sliced_count", "count != 4'd0", "count > 4'd1"),
        (
            "heddle_sliced_d256",
            "data_meet_q <= meet_q",
            "data_meet_q <= 1'b0",
        ),
        (
            "heddle_sliced_d256",
            "if (ren_i) raddr_q",
            "if (!ren_i) raddr_q",
        ),
        (
            "heddle_sliced_d256",
            "b_wen_q <= write_b",
            "b_wen_q <= write_a",
        ),
    ];
    check_mutants(&EVEN, &mutants, |sources, seed| {
        random_traffic(sources, 4, seed)
    });
}
