//! Random traffic of a state buffer.

use heddle_sim::buffer::{DrainWord, Events, HostRequest, OperandSlot, PartitionShape, WeightSlot};
use heddle_tb::verilate::Sources;
use rand::Rng;
use rand_chacha::ChaCha8Rng;

use super::bench::*;
use crate::rtl::{Checked, Coverage};

/// Events of the partitions before: each reads two banks at most, and writes one.
pub fn random_events(rng: &mut ChaCha8Rng) -> Events {
    let before = PARTITIONS as u16 - 1;
    let mut up_to = |most| match rng.random_bool(0.1) {
        true => most,
        false => rng.random_range(0..=most),
    };
    Events {
        mask_reads: up_to(2 * before),
        mask_writes: up_to(before),
        slice_reads: std::array::from_fn(|_| up_to(2 * before)),
        slice_writes: std::array::from_fn(|_| up_to(before)),
        zero_operands: up_to(before),
    }
}

/// A byte or threshold, often one at an end of a range.
pub fn byte(rng: &mut ChaCha8Rng) -> u8 {
    match rng.random_range(0..3) {
        0 => [0, 1, 127, 128, 255][rng.random_range(0..5)],
        _ => rng.random(),
    }
}

/// A word with any number of zero bytes.
pub fn random_word(rng: &mut ChaCha8Rng) -> u64 {
    let density = rng.random_range(0.0..=1.0);
    let bytes = std::array::from_fn(|_| match rng.random_bool(density) {
        true => byte(rng),
        false => 0,
    });
    u64::from_le_bytes(bytes)
}

/// A machine at work: operands from one bank, weights from another, drains anywhere.
pub fn random_waves(bench: &mut StateBench, rng: &mut ChaCha8Rng, cov: &mut Coverage) -> Checked {
    let (rows, banks) = (bench.rows, bench.shape.banks);
    let mut address: u16 = 0;
    let mut threshold = 127;
    let mut active = rows as u16;
    let mut operand_bank = 0;
    // The slots of the last cycles, the last one first.
    let mut past = [OperandSlot::default(); 3];
    // Words of row 0 to be copied, the last cycle first.
    let mut copied = [false; 6];
    let mut uses_table = false;
    let mut total = Events::default();
    for _ in 0..3000 {
        let mut inputs = bench.idle();
        let mut fresh = false;
        if rng.random_bool(0.03) {
            // Another instruction.
            threshold = byte(rng);
            active = rng.random_range(0..=rows as u16 + 1);
            operand_bank = rng.random_range(0..banks);
            uses_table = rng.random_bool(0.4);
            fresh = true;
        }
        address = match rng.random_range(0..10) {
            0 => bench.random_word_address(operand_bank, rng) << 3 | rng.random_range(0..8),
            1 | 2 => address,
            _ if fresh => bench.random_word_address(operand_bank, rng) << 3,
            _ => {
                // The next byte, within the bank.
                let bank_bytes = (bench.shape.words_per_bank * 8) as u16;
                let base = operand_bank as u16 * bank_bytes;
                base + (address + 1) % bank_bytes
            }
        };
        if bench.bank(address >> 3) != operand_bank {
            address = bench.random_word_address(operand_bank, rng) << 3;
        }
        inputs.operand = OperandSlot {
            valid: rng.random_bool(0.85),
            address,
            rows: active,
            threshold,
            fresh: fresh || rng.random_bool(0.02),
            swap: rng.random_bool(0.1),
            tag: rng.random(),
            table: uses_table,
            entry: rng.random_range(0..OFFSETS as u8),
        };
        if rng.random_bool(0.05) && !uses_table {
            // An entry is not read in the cycle in which it is written.
            let row = rng.random_range(0..=rows as u8);
            let entry = rng.random_range(0..OFFSETS as u8);
            inputs.host = table_write(row, entry, random_offset(bench, rng));
        }
        if rng.random_bool(0.4) {
            let bank = (operand_bank + rng.random_range(1..banks)) % banks;
            inputs.weight = WeightSlot {
                valid: true,
                address: bench.random_word_address(bank, rng) << 3,
                rows: rng.random_range(0..=rows as u16 + 1),
                copy: rng.random_bool(0.4),
            };
        }
        inputs.destination = match rng.random_range(0..3) {
            0 => past[rng.random_range(1..3)].address >> 3,
            _ => bench.random_word_address(rng.random_range(0..banks), rng),
        };
        for drain in &mut inputs.drain {
            if rng.random_bool(0.3) {
                let word = match rng.random_range(0..3) {
                    // The word of a slot that reads in this cycle, or has just read.
                    0 => past[rng.random_range(1..3)].address >> 3,
                    _ => bench.random_word_address(rng.random_range(0..banks), rng),
                };
                *drain = Some(DrainWord {
                    word,
                    data: random_word(rng),
                });
            }
        }
        bench.keep_apart(&mut inputs, rng);
        if rows == 1 {
            inputs.events = random_events(rng);
            inputs.fault = rng.random_bool(0.02);
            inputs.answer = rng.random_bool(0.3).then(|| rng.random());
        }
        let slot = inputs.operand;
        let word = slot.address >> 3;
        let input = bench.host_words();
        if !input.is_empty() {
            let drained = inputs.drain[0].map(|d| d.word);
            let weights = inputs.weight;
            cov.event(
                "operand of an input bank",
                slot.is_active() && input.contains(&word),
            );
            cov.event(
                "drain word for an input bank",
                drained.is_some_and(|w| input.contains(&w)),
            );
            cov.event(
                "weights of an input bank",
                weights.is_active() && input.contains(&(weights.address >> 3)),
            );
        }
        let outputs = bench.step(&inputs)?;
        total = total.plus(outputs.events);

        let written = inputs.drain[0].map(|d| d.word);
        let direct = |slot: &OperandSlot| slot.is_active() && !slot.table;
        let same = direct(&slot) && direct(&past[0]) && past[0].address >> 3 == word;
        cov.event("word may be reused", same && !slot.fresh);
        cov.event("same word in a fresh slot", same && slot.fresh);
        if bench.shape.layout.bypass {
            cov.event("word written in the cycle of its read", {
                direct(&past[1]) && written == Some(past[1].address >> 3)
            });
        }
        cov.event("kept word written", {
            direct(&past[2]) && written == Some(past[2].address >> 3)
        });
        let offset = bench.offsets[0][usize::from(slot.entry)];
        let by_table = slot.is_active() && slot.table;
        cov.event("row offset", by_table && offset.is_some());
        cov.event("entry that is not valid", by_table && offset.is_none());
        cov.event("sum beyond the memory", outputs.fault && !inputs.fault);
        cov.event("row offset written", inputs.host.valid);
        cov.event("empty slot with swap", !slot.valid && slot.swap);
        cov.event(
            "some rows active",
            slot.rows > 0 && slot.rows < rows as u16 || rows == 1,
        );
        let copies = inputs.weight.copy && inputs.weight.is_active();
        cov.event("copy", copies);
        cov.event("copy over the kept word", {
            copied[5]
                && written.is_none()
                && direct(&past[2])
                && inputs.destination == past[2].address >> 3
        });
        cov.event("drain wins over a copy", copied[5] && written.is_some());
        copied.rotate_right(1);
        copied[0] = copies;
        cov.event("weights for some rows", {
            inputs.weight.valid && inputs.weight.rows < rows as u16
        });
        let operands = || outputs.x.iter().zip(&outputs.nz);
        let some = |test: fn(i16) -> bool| operands().any(|(x, nz)| *nz && x.is_some_and(test));
        cov.event("negative operand", some(|x| x < 0));
        cov.event("operand equal to a threshold of 127 or more", {
            threshold >= 127 && outputs.x.contains(&Some(i16::from(threshold)))
        });
        cov.event("operand above 127", some(|x| x > 127));
        cov.event(
            "operand held",
            operands().any(|(x, nz)| !*nz && x.is_some()),
        );
        past = [slot, past[0], past[1]];
    }
    cov.event("mask reads", total.mask_reads > 0);
    cov.event("zero operands", total.zero_operands > 0);
    Ok(())
}

/// A machine at rest: the host reads and writes, no waves.
pub fn random_host(bench: &mut StateBench, rng: &mut ChaCha8Rng, cov: &mut Coverage) -> Checked {
    let words = (bench.shape.banks * bench.shape.words_per_bank) as u16;
    for _ in 0..bench.rows + 14 {
        let idle = bench.idle();
        bench.step(&idle)?;
    }
    let mut last_write = None;
    for cycle in 0..1500 {
        let mut inputs = bench.idle();
        if rng.random_bool(0.8) {
            let word = if rng.random_bool(0.5) {
                rng.random_range(0..3)
            } else {
                rng.random_range(0..words)
            };
            inputs.host = HostRequest {
                valid: true,
                write: rng.random(),
                table: rng.random_bool(0.1),
                partition: rng.random_range(0..bench.rows as u8 + 1),
                word,
                data: random_word(rng),
            };
            let place = (inputs.host.partition, word, cycle);
            cov.event("host reads what it wrote a cycle ago", {
                !inputs.host.write
                    && !inputs.host.table
                    && last_write == Some((place.0, place.1, cycle - 1))
            });
            cov.event("host access beyond the last row", {
                usize::from(inputs.host.partition) == bench.rows
            });
            if inputs.host.table {
                // Reads of the table are not answered.
                inputs.host.word &= OFFSETS as u16 - 1;
            } else if inputs.host.write {
                last_write = Some(place);
            }
        }
        if rng.random_bool(0.1) && inputs.host.write {
            // A drain word in the same cycle and bank of row 0 wins.
            let bank = bench.bank(inputs.host.word);
            inputs.drain[0] = Some(DrainWord {
                word: bench.random_word_address(bank, rng),
                data: random_word(rng),
            });
            cov.event("drain wins over the host", inputs.host.partition == 0);
        }
        let host = &inputs.host;
        if host.valid && bench.host_words().contains(&host.word) && host.partition == 0 {
            let drained = inputs.drain[0].is_some();
            cov.event("host reads an input bank", !host.write && !host.table);
            cov.event(
                "host writes an input bank",
                host.write && !host.table && !drained,
            );
            cov.event(
                "drain wins over the host in an input bank",
                host.write && !host.table && drained,
            );
        }
        let outputs = bench.step(&inputs)?;
        cov.event("host answer", outputs.answer.is_some());
    }
    for _ in 0..bench.rows + 14 {
        let idle = bench.idle();
        bench.step(&idle)?;
    }
    Ok(())
}

pub fn random_state(
    sources: &Sources,
    rows: usize,
    shape: PartitionShape,
    seed: u64,
) -> Checked<Coverage> {
    let mut bench = StateBench::new(sources, rows, shape, seed)?;
    let mut rng = bench.dut.rng();
    let mut coverage = Coverage::default();
    random_waves(&mut bench, &mut rng, &mut coverage)?;
    random_host(&mut bench, &mut rng, &mut coverage)?;
    random_waves(&mut bench, &mut rng, &mut coverage)?;
    Ok(coverage)
}
