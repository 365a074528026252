//! The clocked buffer models: latencies, word reuse, banks and forwarding.

use heddle_sim::buffer::{
    DrainWord, Events, HostRequest, OperandSlot, PartitionInputs, PartitionModel, PartitionOutputs,
    PartitionShape, ResultColumnModel, ResultInputs, ResultSlot, StateBufferInputs,
    StateBufferModel, StateBufferOutputs, WeightSlot,
};
use heddle_sim::sliced::MaskPlace;

fn shape() -> PartitionShape {
    PartitionShape::new(2, 16, &[4, 4])
}

fn store(word: u16, data: u64) -> PartitionInputs {
    PartitionInputs {
        drain: Some(DrainWord { word, data }),
        ..PartitionInputs::default()
    }
}

fn operand(address: u16) -> PartitionInputs {
    PartitionInputs {
        operand: OperandSlot {
            valid: true,
            address,
            rows: 1,
            threshold: 127,
            ..OperandSlot::default()
        },
        ..PartitionInputs::default()
    }
}

fn run(model: &mut PartitionModel, inputs: &[PartitionInputs]) -> Vec<PartitionOutputs> {
    let idle = [PartitionInputs::default(); 12];
    inputs.iter().chain(&idle).map(|i| model.step(i)).collect()
}

#[test]
fn operand_is_decoded_after_nine_cycles() {
    let mut model = PartitionModel::new(shape());
    run(&mut model, &[store(2, 0x80_7f_01)]);
    let seen = run(
        &mut model,
        &[operand(16), operand(17), operand(18), operand(19)],
    );
    let x: Vec<_> = seen[9..14].iter().map(|o| (o.x, o.nz)).collect();
    let zero = (Some(-128), false);
    let expected = [(1, true), (127, true), (-128, true)].map(|(x, nz)| (Some(x), nz));
    assert_eq!(x, [expected.as_slice(), &[zero, zero]].concat());
    // The fourth operand is zero, an empty slot is none.
    let zeros = (0..seen.len()).filter(|&t| seen[t].events.zero_operands == 1);
    assert!(zeros.eq([14]));
    // One access for four bytes of one word.
    let reads: Vec<u16> = seen.iter().map(|o| o.events.mask_reads).collect();
    assert_eq!(reads.iter().sum::<u16>(), 1);
    assert_eq!(
        (seen[5].events.mask_reads, seen[7].events.slice_reads[0]),
        (1, 1)
    );
    assert_eq!((seen[1].operand.address, seen[1].operand.rows), (16, 0));
}

#[test]
fn fresh_slot_and_written_word_are_read_again() {
    let mut model = PartitionModel::new(shape());
    run(&mut model, &[store(2, 5)]);
    let mut fresh = operand(16);
    fresh.operand.fresh = true;
    let written = store(2, 6);
    // Operands are read two cycles behind their slots: the write meets the third.
    let slots = [operand(16), fresh, operand(16), operand(16), written];
    let seen = run(&mut model, &slots);
    let x: Vec<_> = seen[9..13].iter().map(|o| o.x).collect();
    assert_eq!(x, [5, 5, 6, 6].map(Some));
    let reads: u16 = seen.iter().map(|o| o.events.mask_reads).sum();
    assert_eq!(reads, 3);
}

#[test]
fn weights_come_after_six_cycles_and_shift_in_inactive_rows_too() {
    let mut model = PartitionModel::new(shape());
    run(&mut model, &[store(20, 0x0807_0605_0403_0201)]);
    let weight = |rows| PartitionInputs {
        weight: WeightSlot {
            valid: true,
            address: 160,
            rows,
            ..WeightSlot::default()
        },
        ..PartitionInputs::default()
    };
    let seen = run(&mut model, &[weight(1), weight(0)]);
    assert_eq!(
        (seen[6].shift, seen[6].w),
        (true, Some(0x0807_0605_0403_0201))
    );
    assert_eq!((seen[7].shift, seen[7].w), (true, None));
    assert_eq!(seen[1].weight.rows, 0);
    let events = seen
        .iter()
        .map(|o| o.events)
        .reduce(Events::plus)
        .expect("outputs");
    let reads = [
        events.mask_reads,
        events.slice_reads[0],
        events.slice_reads[1],
    ];
    assert_eq!(reads, [1, 1, 1]);
}

#[test]
fn events_follow_the_place_of_the_mask() {
    // Mask reads, then reads of slices 0 to 2, in the cycles of both after a read of 4 bytes.
    let cases = [
        (MaskPlace::Slice, [[1, 0, 0, 0], [0, 1, 1, 0]]),
        (MaskPlace::Field, [[0, 1, 0, 0], [0, 0, 1, 0]]),
        (MaskPlace::Hybrid, [[0, 1, 0, 0], [0, 0, 1, 1]]),
    ];
    for (place, expected) in cases {
        let mut shape = PartitionShape::new(2, 16, &[3, 2, 3]);
        shape.layout = shape.layout.with_mask(place);
        let mut model = PartitionModel::new(shape);
        let written = run(&mut model, &[store(2, 0x0807_0605)]);
        let seen = run(&mut model, &[operand(16)]);
        let counts = |mask: u16, slices: &[u16]| [mask, slices[0], slices[1], slices[2]];
        for cycle in 0..2 {
            let events = written[3 + 2 * cycle].events;
            let writes = counts(events.mask_writes, &events.slice_writes);
            assert_eq!(writes, expected[cycle], "{place:?}");
            let events = seen[5 + 2 * cycle].events;
            let reads = counts(events.mask_reads, &events.slice_reads);
            assert_eq!(reads, expected[cycle], "{place:?}");
        }
    }
}

#[test]
fn host_answer_leaves_the_last_row_after_rows_plus_six_cycles() {
    for target in 0..3 {
        let mut buffer = StateBufferModel::new(3, shape());
        let mut answers = Vec::new();
        for t in 0..15 {
            let host = HostRequest {
                valid: t < 2,
                write: t == 0,
                table: false,
                partition: target,
                word: 7,
                data: 0xabcd,
            };
            let outputs = buffer.step(&StateBufferInputs {
                host,
                drain: vec![None; 3],
                ..StateBufferInputs::default()
            });
            answers.push(outputs.answer);
        }
        // Read request in cycle 1.
        let expected: Vec<Option<u64>> = (0..15)
            .map(|t| (t == 1 + 3 + 6).then_some(0xabcd))
            .collect();
        assert_eq!(answers, expected, "partition {target}");
        assert_eq!(buffer.word(target.into(), 7), 0xabcd);
    }
}

/// A buffer of four rows, all of which hold these bytes from address 0 on; its tables have the entries (row, entry, offset).
fn filled(bytes: [u8; 32], entries: &[(u8, u16, Option<u16>)]) -> StateBufferModel {
    let mut buffer = StateBufferModel::new(4, shape());
    for (word, data) in bytes.chunks_exact(8).enumerate() {
        let word = DrainWord {
            word: word as u16,
            data: u64::from_le_bytes(data.try_into().expect("eight bytes")),
        };
        let drain = vec![Some(word); 4];
        buffer.step(&StateBufferInputs {
            drain,
            ..StateBufferInputs::default()
        });
    }
    for &(row, entry, offset) in entries {
        let host = HostRequest {
            valid: true,
            write: true,
            table: true,
            partition: row,
            word: entry,
            data: offset.map_or(5, |offset| 1 << 16 | u64::from(offset)),
        };
        buffer.step(&StateBufferInputs {
            host,
            drain: vec![None; 4],
            ..StateBufferInputs::default()
        });
    }
    buffer
}

/// Offers a base in each clock, then none for 16 clocks.
fn offer(buffer: &mut StateBufferModel, bases: &[u16], entry: u8) -> Vec<StateBufferOutputs> {
    let slots = bases.iter().copied().map(Some).chain([None; 16]);
    let slots = slots.map(|base| OperandSlot {
        valid: base.is_some(),
        address: base.unwrap_or_default(),
        rows: 4,
        threshold: 255,
        table: true,
        entry,
        ..OperandSlot::default()
    });
    slots
        .map(|operand| {
            buffer.step(&StateBufferInputs {
                operand,
                drain: vec![None; 4],
                ..StateBufferInputs::default()
            })
        })
        .collect()
}

#[proves("SGCR-54")]
#[test]
fn rows_add_their_offsets_and_a_sum_beyond_memory_is_a_fault() {
    // Row 2 has no valid entry, row 3 reaches beyond 256 bytes from base 11 on.
    let offsets = [Some(3), Some(7), None, Some(245)];
    let entries = [0, 1, 2, 3].map(|row| (row, 9, offsets[usize::from(row)]));
    let mut buffer = filled(std::array::from_fn(|k| k as u8), &entries);
    let seen = offer(&mut buffer, &[10, 11, 12], 9);
    for (row, offset) in [(0, 3), (1, 7)] {
        let x: Vec<_> = (0..3).map(|m| seen[m + row + 9].x[row]).collect();
        assert_eq!(x, [10, 11, 12].map(|base| Some(base + offset)), "row {row}");
    }
    assert!(seen.iter().all(|o| !o.nz[2]));
    let zeros: u16 = seen.iter().map(|o| o.events.zero_operands).sum();
    assert_eq!(zeros, 1, "byte 255 of row 3 alone");
    let faults: Vec<usize> = (0..seen.len()).filter(|&t| seen[t].fault).collect();
    assert_eq!(faults, [1 + 4 + 1, 2 + 4 + 1], "bases 11 and 12");
}

/// Example 5.1 on four rows, every partition holding all of A: which element each row reads in each clock of the
/// three K tiles, from the first operand on; the second tile as the specification lists it.
#[proves("SGCR-54", "SGCR-55")]
#[test]
fn the_weight_stationary_trace_is_that_of_the_specification() {
    const TAPS: [u16; 9] = [0, 1, 2, 4, 5, 6, 8, 9, 10];
    const TRACES: [&str; 3] = [
        "0 1 4 5 - - - | - 1 2 5 6 - - | - - 2 3 6 7 - | - - - 4 5 8 9",
        "5 6 9 10 - - - | - 6 7 10 11 - - | - - 8 9 12 13 - | - - - 9 10 13 14",
        "10 11 14 15 - - - | - - - - - - - | - - - - - - - | - - - - - - -",
    ];
    let entries: Vec<_> = (0..12)
        .map(|tap| (tap as u8 % 4, tap / 4, TAPS.get(usize::from(tap)).copied()))
        .collect();
    // Element a is the byte a + 1: no operand is zero.
    let mut buffer = filled(std::array::from_fn(|k| k as u8 + 1), &entries);
    for (k_tile, trace) in TRACES.into_iter().enumerate() {
        let seen = offer(&mut buffer, &[0, 1, 4, 5], k_tile as u8);
        for (row, expected) in trace.split(" | ").enumerate() {
            let element = |outputs: &StateBufferOutputs| match outputs.x[row] {
                Some(x) if outputs.nz[row] => (x - 1).to_string(),
                _ => "-".to_string(),
            };
            let found: Vec<_> = seen[9..16].iter().map(element).collect();
            assert_eq!(found.join(" "), expected, "K tile {k_tile}, row {row}");
        }
        assert!(seen[16..].iter().all(|outputs| outputs.nz == [false; 4]));
    }
}

#[test]
fn results_are_forwarded_at_every_distance() {
    let slot = |address, add, write| ResultSlot {
        valid: true,
        bank: false,
        address,
        add,
        sum_enable: true,
        write,
        raised: false,
    };
    let other = slot(1, false, true);
    let slots = [
        slot(0, false, true),
        slot(0, true, true),
        other,
        slot(0, true, true),
        other,
        other,
        slot(0, true, false),
        slot(0, true, true),
    ];
    let mut column = ResultColumnModel::new(4);
    let mut seen = Vec::new();
    for t in 0..slots.len() + 3 {
        let outputs = column.step(&ResultInputs {
            slot: slots.get(t).copied().unwrap_or_default(),
            // The sum of slot t - 2.
            sum: 10_i32.pow(t.saturating_sub(2) as u32 % 9),
        });
        seen.push(outputs.acc);
    }
    let expected = [1, 11, 100, 1011, 10_000, 100_000, 1_001_011, 10_001_011];
    assert_eq!(seen[3..], expected.map(Some));
}
