//! Instructions: words and back, and words that are none.

use heddle_arch::isa::{
    CopyWords, Drain, DrainPlace, Instruction, LoadWeights, Loop, MAX_WORDS, Matmul, Move, Pooling,
    ROW_PROLOGUE, ROW_TENSOR, Record, Reduction, Repeat, RowBlock, RowTable, SPARSE_WORDS,
    SparseCommand, Wait, assemble, disassemble,
};
use heddle_arch::params::Params;
use heddle_arch::transfer::{Space, Transfer};
use proptest::prelude::*;

use crate::jobs::transfer;

fn record() -> impl Strategy<Value = Record> {
    let one = (any::<u32>(), any::<u32>(), any::<u32>());
    let one = one.prop_map(|(initial, step, end)| Loop { initial, step, end });
    let block = (0u8..8, any::<u32>(), prop::collection::vec(one, 0..=8));
    let block = block.prop_map(|(row, base, loops)| RowBlock { row, base, loops });
    prop::collection::vec(block, 0..=8).prop_map(|rows| Record { rows })
}

fn wait() -> impl Strategy<Value = Wait> {
    let open = || prop::option::of(0u8..16);
    let all = (any::<[bool; 3]>(), open(), open());
    all.prop_map(|([weights, stream, drain], loads, stores)| Wait {
        weights,
        stream,
        drain,
        loads,
        stores,
    })
}

fn table() -> impl Strategy<Value = Option<RowTable>> {
    let entry = (any::<u8>(), 0u32..=0x1_ffff);
    let table = entry.prop_map(|(first_entry, last_macs)| RowTable {
        first_entry,
        last_macs,
    });
    prop::option::of(table)
}

fn repeat() -> impl Strategy<Value = Option<Repeat>> {
    let repeat = (1u32..=256, 0u32..=0xffff).prop_map(|(times, step)| Repeat { times, step });
    prop::option::of(repeat)
}

prop_compose! {
    fn matmul()(
        wait in wait(), rows in 1u32..=256, flags in any::<[bool; 5]>(), tile_level in 0u32..8,
        threshold in any::<u8>(), macs in 0u32..=0x1_ffff, table in table(), repeat in repeat(),
        record in record()
    ) -> Instruction {
        let [first, last, bank, raised, cluster] = flags;
        Instruction::Matmul(Matmul {
            wait, rows, first, last, bank, raised, cluster, tile_level, threshold, macs, table, repeat, record
        })
    }
}

prop_compose! {
    fn sparse()(
        wait in wait(), opcode in 0x10u32..=0x14, waits in any::<bool>(),
        rest in prop::collection::vec(any::<u32>(), 1..SPARSE_WORDS)
    ) -> Instruction {
        let header = opcode | (rest.len() as u32 + 1) << 8 | u32::from(waits) << 29;
        let words = [&[header], &rest[..]].concat();
        Instruction::Sparse(SparseCommand { wait, words })
    }
}

fn place() -> impl Strategy<Value = Option<DrainPlace>> {
    let place = (0u32..256, 0u32..256).prop_map(|(first_column, rotate)| DrainPlace {
        first_column,
        rotate,
    });
    prop::option::of(place)
}

fn pooling() -> impl Strategy<Value = Option<Pooling>> {
    let pooling = (0u32..5, 1u32..=256).prop_map(|(number, window)| Pooling {
        reduction: Reduction::from_number(number).expect("five reductions"),
        window,
    });
    prop::option::of(pooling)
}

prop_compose! {
    fn drain()(
        wait in wait(), columns in 1u32..=256, flags in any::<[bool; 2]>(), tile in 0u16..1024,
        lo in -256i16..256, hi in -256i16..256, place in place(), activation in 0u8..=8,
        pooling in pooling(), advance in prop::option::of(0u8..8), record in record()
    ) -> Instruction {
        let [single, dual] = flags;
        Instruction::Drain(Drain {
            wait, columns, single, dual, tile, lo, hi, place, activation, pooling, advance, record
        })
    }
}

prop_compose! {
    fn load()(
        wait in wait(), rows in 1u32..=256, tile_level in 0u32..8, flip in 0u32..32,
        streamed in any::<bool>(), record in record()
    ) -> Instruction {
        Instruction::LoadWeights(LoadWeights { wait, rows, tile_level, flip, streamed, record })
    }
}

prop_compose! {
    fn copy()(
        wait in wait(), rows in 1u32..=256, words in 0u32..0x2000, record in record()
    ) -> Instruction {
        Instruction::Copy(CopyWords { wait, rows, distance: 8 * words, record })
    }
}

/// LOAD of a memory that a program may load, or STORE of the state buffer.
fn moved() -> impl Strategy<Value = Instruction> {
    let all = (wait(), transfer(), any::<bool>());
    let legal = |transfer: &Transfer| transfer.space <= Space::Program;
    let all = all.prop_filter("a stream", move |(_, transfer, _)| legal(transfer));
    all.prop_map(|(wait, transfer, stores)| {
        let moved = Move { wait, transfer };
        let stores = stores && transfer.space == Space::Buffer && !transfer.fill;
        match stores {
            true => Instruction::Store(moved),
            false => Instruction::Load(moved),
        }
    })
}

fn instruction() -> impl Strategy<Value = Instruction> {
    let halt = wait().prop_map(|wait| Instruction::Halt { wait });
    let sync = wait().prop_map(|wait| Instruction::Sync { wait });
    prop_oneof![
        halt,
        load(),
        matmul(),
        drain(),
        copy(),
        sparse(),
        sync,
        moved()
    ]
}

proptest! {
    #[test]
    fn encoded_instructions_decode_to_themselves(
        instruction in instruction(), behind in prop::collection::vec(any::<u32>(), 0..4)
    ) {
        let mut words = instruction.encode();
        let length = words.len();
        prop_assert_eq!(length, instruction.words());
        prop_assert!(length <= MAX_WORDS);
        words.extend(behind);
        prop_assert_eq!(Instruction::decode(&words), Ok((instruction, length)));
    }

    #[test]
    fn printed_instructions_assemble_to_themselves(
        instructions in prop::collection::vec(instruction(), 0..5)
    ) {
        let words: Vec<u32> = instructions.iter().flat_map(Instruction::encode).collect();
        let text = disassemble(&words).expect("legal words");
        prop_assert_eq!(text.lines().count(), instructions.len());
        prop_assert_eq!(assemble(&text), Ok(instructions));
    }

    #[test]
    fn any_text_assembles_without_panic(text in "[a-z0-9=. \\[\\]:,\n]{0,80}") {
        let _ = assemble(&text);
    }

    #[test]
    fn decoded_words_encode_to_themselves(
        opcode in 0u32..10, waits in 0u32..0x4000, words in prop::collection::vec(any::<u32>(), 0..12)
    ) {
        let header = opcode | (words.len() as u32 + 1) << 8 | waits << 16;
        let all: Vec<u32> = std::iter::once(header).chain(words).collect();
        if let Ok((instruction, length)) = Instruction::decode(&all) {
            prop_assert_eq!(instruction.encode(), &all[..length]);
        }
    }

    #[test]
    fn any_words_decode_without_panic(words in prop::collection::vec(any::<u32>(), 0..40)) {
        let _ = Instruction::decode(&words);
    }
}

fn small_matmul() -> Instruction {
    let block = |row, base, loops: &[(u32, u32, u32)]| RowBlock {
        row,
        base,
        loops: loops
            .iter()
            .map(|&(initial, step, end)| Loop { initial, step, end })
            .collect(),
    };
    Instruction::Matmul(Matmul {
        wait: Wait {
            weights: false,
            stream: false,
            drain: true,
            ..Wait::default()
        },
        rows: 3,
        last: false,
        bank: true,
        tile_level: 1,
        threshold: 0xfe,
        macs: 12,
        record: Record {
            rows: vec![
                block(ROW_PROLOGUE, 5, &[]),
                block(ROW_TENSOR, 0x100, &[(0, 1, 4), (2, 16, 64)]),
            ],
        },
        ..Matmul::default()
    })
}

#[test]
fn words_are_those_of_the_document() {
    let words = small_matmul().encode();
    let rows = [0x0000_0000, 5, 0x0000_0021, 0x100, 0, 1, 4, 2, 16, 64];
    let expected = [&[0x0004_0d03, 0x00fe_1a03, 12], &rows[..]].concat();
    assert_eq!(words, expected);
    let mut with_table = small_matmul();
    if let Instruction::Matmul(Matmul { table, raised, .. }) = &mut with_table {
        *raised = true;
        *table = Some(RowTable {
            first_entry: 0xab,
            last_macs: 0x1_0004,
        });
    }
    let mut expected = expected;
    expected[0] += 0x100;
    expected[1] |= 1 << 15 | 1 << 25;
    expected.insert(3, 0xab01_0004);
    assert_eq!(with_table.encode(), expected);
    let mut drain = Instruction::Drain(Drain {
        columns: 256,
        single: true,
        tile: 0x2ab,
        lo: -256,
        hi: 255,
        record: Record::default(),
        ..Drain::default()
    });
    assert_eq!(drain.encode(), [0x0000_0304, 0x02ab_0300, 0x00ff_0100]);
    assert_eq!(Instruction::decode(&drain.encode()), Ok((drain.clone(), 3)));
    if let Instruction::Drain(Drain { place, .. }) = &mut drain {
        *place = Some(DrainPlace {
            first_column: 0xcd,
            rotate: 0x12,
        });
    }
    assert_eq!(
        drain.encode(),
        [0x0000_0404, 0x02ab_0700, 0x00ff_0100, 0x0012_00cd]
    );
    if let Instruction::Drain(Drain {
        dual,
        activation,
        pooling,
        ..
    }) = &mut drain
    {
        *dual = true;
        *activation = 5;
        *pooling = Some(Pooling {
            reduction: Reduction::Median,
            window: 256,
        });
    }
    assert_eq!(
        drain.encode(),
        [
            0x0000_0504,
            0x42ab_af00,
            0x00ff_0100,
            0x0012_00cd,
            0x0000_ff04
        ]
    );
    let halt = Instruction::Halt {
        wait: Wait::default(),
    };
    assert_eq!(halt.encode(), [0x0000_0101]);
    let wait = Wait {
        stream: true,
        ..Wait::default()
    };
    assert_eq!(Instruction::Sync { wait }.encode(), [0x0002_0107]);
    let block = RowBlock {
        row: 2,
        base: 0x40,
        loops: Vec::new(),
    };
    let copy = Instruction::Copy(CopyWords {
        wait,
        rows: 9,
        distance: 0xffe8,
        record: Record { rows: vec![block] },
    });
    assert_eq!(copy.encode(), [0x0002_0505, 9, 0xffe8, 2, 0x40]);
}

/// Asserts that words are refused; a row is the words, ` -> `, the code and the message.
#[track_caller]
pub fn refused(rows: &[&str]) {
    for row in rows {
        let (list, expected) = row.split_once("-> ").expect("words and a message");
        let words: Vec<u32> = (list.split_whitespace())
            .map(|word| {
                u32::from_str_radix(word.trim_start_matches("0x"), 16).expect("hexadecimal")
            })
            .collect();
        let error = Instruction::decode(&words).expect_err("not an instruction");
        assert_eq!(error.to_string(), expected, "{list}");
    }
}

#[test]
fn words_that_are_no_instruction_are_refused() {
    refused(&[
        "-> PROGRAM_END: no word left",
        "0x100 0 0 -> ILLEGAL_OPCODE: opcode is 0x00",
        "0x106 0 0 -> ILLEGAL_OPCODE: opcode is 0x06",
        "0x10a 0 0 -> ILLEGAL_OPCODE: opcode is 0x0a",
        "0x808 0 0 0 0 0 0 0 -> BAD_LENGTH: length of LOAD is 8, expected 9",
        "0xa09 0 0 0 0 0 0 0 0 0 -> BAD_LENGTH: length of STORE is 10, expected 9",
        "0x908 8 0 0 0 0 0 0 0 -> BAD_FIELD: LOAD: SPACE is 8, expected 0 to 4 in a program",
        "0x909 2 0 0 0 0 0 0 0 -> BAD_FIELD: STORE: SPACE is 2, expected 0 of a STORE",
        "0x908 0 4 0 0 0 0 0 0 -> BAD_FIELD: LOAD: OFFSET is 4, expected a multiple of 8",
        "0x100107 -> BAD_FIELD: SYNC LOADS without WAIT_LOADS is 0x00100107, bits outside 0xff0fffff set",
        "0x2000107 -> BAD_FIELD: SYNC STORES without WAIT_STORES is 0x02000107, bits outside 0xe1ffffff set",
        "0x1ff 0 0 -> ILLEGAL_OPCODE: opcode is 0xff",
        "0x001 -> BAD_LENGTH: length of HALT is 0, expected 1",
        "0x201 0 -> BAD_LENGTH: length of HALT is 2, expected 1",
        "0x102 0 -> BAD_LENGTH: length of LOAD_WEIGHTS is 1, expected at least 2",
        "0x203 0 0 -> BAD_LENGTH: length of MATMUL is 2, expected at least 3",
        "0x004 0 0 -> BAD_LENGTH: length of DRAIN is 0, expected at least 3",
        "0x20000101 -> BAD_FIELD: HALT word 0 is 0x20000101, bits outside 0x1fffffff set",
        "0x202 0x201 -> BAD_FIELD: LOAD_WEIGHTS word 1 is 0x00000201, bits outside 0x001ff1ff set",
        "0x202 0 -> BAD_FIELD: rows is 0, expected 1 to 256",
        "0x202 0x101 -> BAD_FIELD: rows is 257, expected 1 to 256",
        "0x303 1 0x20000 -> BAD_FIELD: MATMUL word 2 is 0x00020000, bits outside 0x0001ffff set",
        "0x303 0x8001 0 -> BAD_LENGTH: length of MATMUL with row tables is 3, expected at least 4",
        "0x403 0x8001 0 0x00020000 -> BAD_FIELD: MATMUL word 3 is 0x00020000, bits outside 0xff01ffff set",
        "0x304 0 0 -> BAD_FIELD: columns is 0, expected 1 to 256",
        "0x304 1 0x200 -> BAD_FIELD: DRAIN word 2 is 0x00000200, bits outside 0x01ff01ff set",
        "0x304 0x401 0 -> BAD_LENGTH: length of DRAIN that is placed is 3, expected at least 4",
        "0x404 0x401 0 0x01000000 -> BAD_FIELD: DRAIN word 3 is 0x01000000, bits outside 0x00ff00ff set",
        "0x402 1 0x8 0 -> BAD_FIELD: LOAD_WEIGHTS row word is 0x00000008, bits outside 0x000000f7 set",
        "0x402 1 0x90 0 -> BAD_FIELD: loops is 9, expected 0 to 8",
        "0x402 1 0x10 0 -> BAD_LENGTH: record of LOAD_WEIGHTS does not end with the instruction",
        "0x302 1 0x00 -> BAD_LENGTH: record of LOAD_WEIGHTS does not end with the instruction",
        "0x207 0 -> BAD_LENGTH: length of SYNC is 2, expected 1",
        "0x205 1 -> BAD_LENGTH: length of COPY is 2, expected at least 3",
        "0x305 0 0 -> BAD_FIELD: rows is 0, expected 1 to 256",
        "0x305 0x201 0 -> BAD_FIELD: COPY word 1 is 0x00000201, bits outside 0x000001ff set",
        "0x305 1 4 -> BAD_FIELD: COPY word 2 is 0x00000004, bits outside 0x0000fff8 set",
        "0x402 1 0 -> PROGRAM_END: LOAD_WEIGHTS needs 4 words, 3 left",
    ]);
}

#[test]
fn a_machine_refuses_what_it_does_not_have() {
    let text = include_str!("../../configs/tiny.json");
    let params = Params::from_json(text).expect("the preset is valid");
    small_matmul().check_machine(&params).expect("fits");
    let refused = |change: fn(&mut Matmul), message: &str| {
        let mut instruction = small_matmul();
        if let Instruction::Matmul(matmul) = &mut instruction {
            change(matmul);
        }
        let error = instruction.check_machine(&params).expect_err(message);
        assert_eq!(error.to_string(), message);
    };
    let wide = "BAD_FIELD: rows is 5, this machine has at most 4";
    refused(|matmul| matmul.rows = 5, wide);
    let raised = "BAD_FIELD: raised is set, this machine does not have post.dual_scale";
    refused(|matmul| matmul.raised = true, raised);
    let deep = "BAD_FIELD: row (traversal.rows) is 3, this machine has at most 2";
    refused(|matmul| matmul.record.rows[1].row = 3, deep);
}

#[test]
fn a_machine_refuses_rows_and_loops_that_a_unit_does_not_have() {
    let text = include_str!("../../configs/tiny.json");
    let mut params = Params::from_json(text).expect("the preset is valid");
    let block = |row, loops| RowBlock {
        row,
        base: 0,
        loops: vec![Loop::default(); loops],
    };
    let record = |rows| Record { rows };
    let copy = Instruction::Copy(CopyWords {
        rows: 1,
        record: record(vec![block(0, 2), block(1, 1)]),
        ..CopyWords::default()
    });
    let drain = Instruction::Drain(Drain {
        columns: 1,
        advance: Some(2),
        record: record(vec![block(0, 3)]),
        ..Drain::default()
    });
    let matmul = Instruction::Matmul(Matmul {
        rows: 1,
        tile_level: 3,
        record: record(vec![block(0, 0), block(1, 4)]),
        ..Matmul::default()
    });
    let mut check = |units: [&[u32]; 3], instruction: &Instruction| {
        params.traversal.units = Some(units.into());
        let error = instruction.check_machine(&params).err();
        error.map(|error| error.message)
    };
    let fitting: [&[u32]; 3] = [&[2, 1], &[0, 4], &[3]];
    let [weights, stream, units] = fitting;
    for instruction in [&copy, &drain, &matmul] {
        assert_eq!(check(fitting, instruction), None);
    }
    for (units, instruction, message) in [
        (
            [&[2][..], stream, units],
            &copy,
            "row (traversal.units.weights) is 1, this machine has at most 0",
        ),
        (
            [&[2, 0], stream, units],
            &copy,
            "loops of row 1 (traversal.units.weights) is 1, this machine has at most 0",
        ),
        (
            [weights, stream, &[2]],
            &drain,
            "advance is 2, this machine has at most 1",
        ),
        (
            [weights, stream, &[2, 3]],
            &drain,
            "loops of row 0 (traversal.units.drain) is 3, this machine has at most 2",
        ),
        (
            [weights, &[0, 3, 1], units],
            &matmul,
            "tile_level is 3, this machine has at most 2",
        ),
    ] {
        assert_eq!(check(units, instruction).as_deref(), Some(message));
    }
}

#[test]
#[should_panic(expected = "instruction cannot be encoded: BAD_FIELD: macs is 131072")]
fn fields_that_do_not_fit_are_not_encoded() {
    let mut instruction = small_matmul();
    if let Instruction::Matmul(Matmul { macs, .. }) = &mut instruction {
        *macs = 0x2_0000;
    }
    instruction.encode();
}

/// Text that says the same in another way, and text that says nothing.
#[test]
fn faulty_lines_are_explained() {
    for row in [
        "halte -> \"halte\", expected an instruction",
        "halt [row 0 base 0] -> halt has no record",
        "sync wait=drain [row 0 base 0] -> sync has no record",
        "copy rows=4 -> distance is missing",
        "copy rows=4 distance=12 -> distance is 12, expected a multiple of 8",
        "copy rows=4 distance=65536 -> distance is 65536, expected 0 to 65528",
        "load_weights level=0 -> rows is missing",
        "load_weights rows=0 level=0 -> rows is 0, expected 1 to 256",
        "load_weights rows=4 rows=4 level=0 -> rows is given twice",
        "load_weights rows=x level=0 -> rows is \"x\"",
        "load_weights rows=4 level=0 wait=host -> wait is \"host\"",
        "load_weights rows=4 level=0 first -> \"first\" is no field of load_weights",
        "drain columns=4 tile=1024 lo=0 hi=0 -> tile is 1024, expected 0 to 1023",
        "drain columns=4 tile=0 lo=0 hi=0 turn=1 -> \"turn\" is called \"rotate\"",
        "drain columns=4 tile=0 lo=0 hi=0 [row 0 base 4 -> expected a block in brackets",
        "drain columns=4 tile=0 lo=0 hi=0 [row 0: 0..4 step 1] -> expected [row ROW base",
        "drain columns=4 tile=0 lo=0 hi=0 [row 9 base 0] -> row is 9, expected 0 to 7",
        "drain columns=4 tile=0 lo=0 hi=0 [row 0 base 0: 0-4] -> expected [row ROW base",
    ] {
        let (text, expected) = row.split_once(" -> ").expect("a line and a message");
        let errors = assemble(&format!("# comment\n\n{text}\n")).expect_err(text);
        let [error] = &errors[..] else {
            panic!("{text}: {errors:?}");
        };
        assert_eq!(error.line, 3, "{text}");
        assert!(
            error.message.contains(expected),
            "{text}: {}",
            error.message
        );
    }
    let both = assemble("halt\nhalte\nhalt 1\n").expect_err("two faulty lines");
    assert_eq!(both.iter().map(|e| e.line).collect::<Vec<_>>(), [2, 3]);
    let text = "  drain hi=5 lo=-5 wait=drain single columns=2 wait=weights tile=7 rotate=1 \
                [row 1 base 2: 3..4 step 5, 6..7 step 8] [row 0 base 9] # end";
    let [drain] = &assemble(text).expect("legal")[..] else {
        panic!("one instruction");
    };
    assert_eq!(
        drain.to_string(),
        "drain columns=2 single tile=7 lo=-5 hi=5 column=0 rotate=1 wait=weights wait=drain \
         [row 1 base 2: 3..4 step 5, 6..7 step 8] [row 0 base 9]"
    );
}
