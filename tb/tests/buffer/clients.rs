//! Several clients of the state buffer at once.

use heddle_sim::buffer::{DrainWord, HostRequest};
use heddle_tb::verilate::Sources;
use rand::Rng;

use super::bench::{PARTITION, STATE_3, StateBench, operand, shape_1, shape_3, weight};
use super::random::random_word;
use crate::rtl::{Checked, check_mutants, faults};

/// Clocks after which a steady stream shows on all outputs.
pub const FILLED: u64 = 18;
const CLOCKS: u64 = 60;

fn read(partition: u8, word: u16) -> HostRequest {
    HostRequest {
        valid: true,
        partition,
        word,
        ..HostRequest::default()
    }
}

/// All words as the host reads them, partition by partition.
pub fn contents(bench: &mut StateBench) -> Checked<Vec<u64>> {
    let words = (bench.shape.banks * bench.shape.words_per_bank) as u16;
    let mut answers = Vec::new();
    for partition in 0..bench.rows as u8 {
        for word in 0..words {
            let mut inputs = bench.idle();
            inputs.host = read(partition, word);
            answers.extend(bench.step(&inputs)?.answer);
        }
    }
    for _ in 0..bench.rows + 12 {
        let idle = bench.idle();
        answers.extend(bench.step(&idle)?.answer);
    }
    assert_eq!(answers.len(), bench.rows * usize::from(words));
    Ok(answers)
}

#[proves("PET-02")]
#[test]
fn a_write_to_one_partition_leaves_all_others_unchanged() {
    let mut bench = StateBench::new(&STATE_3, 3, shape_3(), 1).unwrap();
    let words = bench.shape.banks * bench.shape.words_per_bank;
    let mut rng = bench.dut.rng();
    for partition in 0..3 {
        for over_host in [false, true] {
            let before = contents(&mut bench).unwrap();
            let word = rng.random_range(0..words);
            let data = !before[partition * words + word];
            let mut inputs = bench.idle();
            if over_host {
                inputs.host = HostRequest {
                    write: true,
                    data,
                    ..read(partition as u8, word as u16)
                };
            } else {
                inputs.drain[partition] = Some(DrainWord {
                    word: word as u16,
                    data,
                });
            }
            bench.step(&inputs).unwrap();
            let after = contents(&mut bench).unwrap();
            let changed: Vec<usize> = (0..after.len())
                .filter(|at| after[*at] != before[*at])
                .collect();
            assert_eq!(changed, [partition * words + word]);
            assert_eq!(after[changed[0]], data);
        }
    }
}

/// Operands, and weights or the host, read in two banks, a drain writes to another, in every clock.
#[proves("PET-48", "PET-50")]
#[test]
fn two_readers_and_a_writer_work_in_the_same_clock() {
    let mut bench = StateBench::new(&PARTITION, 1, shape_1(), 1).unwrap();
    let bank = bench.shape.words_per_bank as u16;
    let mut rng = bench.dut.rng();
    let mut answers = 0;
    for clock in 0..CLOCKS {
        let word = (clock % u64::from(bank)) as u16;
        let mut inputs = bench.idle();
        inputs.operand = operand(8 * word, 1);
        match clock % 2 {
            0 => inputs.weight = weight(8 * (bank + word), 1),
            _ => inputs.host = read(0, 2 * bank + word),
        }
        inputs.drain[0] = Some(DrainWord {
            word: 3 * bank + word,
            data: random_word(&mut rng),
        });
        // The bench compares the counts with those of the hardware.
        let outputs = bench.step(&inputs).unwrap();
        if clock >= FILLED {
            let events = outputs.events;
            assert_eq!((events.mask_reads, events.mask_writes), (2, 1), "{clock}");
            let served = [outputs.answer.is_some(), outputs.shift[0]];
            assert_eq!(served, [clock % 2 == 0; 2], "{clock}");
            answers += 1;
        }
    }
    assert_eq!(answers, CLOCKS - FILLED);
}

/// In every clock three partitions read an operand from one bank and take a word into the other; in the
/// next clock the banks change. What was written is there in the end.
fn read_and_write_in_all_partitions(sources: &Sources) -> Checked {
    let mut bench = StateBench::new(sources, 3, shape_3(), 1)?;
    let bank = bench.shape.words_per_bank as u16;
    let mut rng = bench.dut.rng();
    let mut expected = contents(&mut bench)?;
    let words = expected.len() / 3;
    for clock in 0..CLOCKS {
        let place = (clock / 2 % u64::from(bank)) as u16;
        let (reads, writes) = match clock % 2 {
            0 => (place, bank + place),
            _ => (bank + place, place),
        };
        let mut inputs = bench.idle();
        inputs.operand = operand(8 * reads, 3);
        for (partition, drain) in inputs.drain.iter_mut().enumerate() {
            // Row r reads the slot of r + 2 clocks ago: from this bank if r is even.
            let word = match partition % 2 {
                0 => writes,
                _ => reads,
            };
            let data = random_word(&mut rng);
            *drain = Some(DrainWord { word, data });
            expected[partition * words + usize::from(word)] = data;
        }
        let outputs = bench.step(&inputs)?;
        let events = (outputs.events.mask_reads, outputs.events.mask_writes);
        if clock >= FILLED && events != (3, 3) {
            return Err(format!("clock {clock}: reads and writes {events:?}"));
        }
    }
    for _ in 0..FILLED {
        let idle = bench.idle();
        bench.step(&idle)?;
    }
    match contents(&mut bench)? == expected {
        true => Ok(()),
        false => Err("a word was not written".to_string()),
    }
}

#[proves("PET-48", "PET-50")]
#[test]
fn several_banks_read_and_several_written_in_the_same_clock() {
    read_and_write_in_all_partitions(&STATE_3).unwrap();
    // Banks that do not write while another one of the partition reads; banks that do not read then.
    let list = r"
        heddle_banks: writer_mask_wen & (writer_mask_waddr[12:4] == 9'd1) => writer_mask_wen & (writer_mask_waddr[12:4] == 9'd1) & !op_read_i
        heddle_banks: op_read_i & (op_bank == 13'd0) => op_read_i & (op_bank == 13'd0) & !write_i";
    check_mutants(&STATE_3, &faults(list), |sources, _| {
        read_and_write_in_all_partitions(sources)
    });
}
