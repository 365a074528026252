//! Commands of the traversal unit: words, text, and what is neither.

use heddle_arch::isa::Loop;
use heddle_arch::traverse::{
    Command, Decoder, EndTest, MAX_WORDS, Row, RowKind, Run, UnitError, UnitShape, parse,
};
use proptest::prelude::*;

const LARGE: UnitShape = UnitShape {
    rows: 8,
    loops: 8,
    offset_bits: 32,
    address_bits: 32,
    equality: true,
    trips: true,
    attach: true,
    group_setup: true,
};

/// A unit in which every limit can be exceeded.
const SMALL: UnitShape = UnitShape {
    rows: 3,
    loops: 3,
    offset_bits: 8,
    address_bits: 16,
    ..LARGE
};

fn run() -> impl Strategy<Value = Run> {
    let window = (any::<u32>(), 1u64..=1 << 32);
    let window = window.prop_map(|(first, size)| (first, (u64::from(first) + size).min(1 << 32)));
    (any::<[bool; 2]>(), prop::option::of(window)).prop_map(|([offset_only, on_demand], window)| {
        Run {
            offset_only,
            on_demand,
            window,
        }
    })
}

/// A loop that every end test accepts.
fn one_loop() -> impl Strategy<Value = Loop> {
    (any::<u32>(), any::<u32>(), 0u32..=40).prop_map(|(initial, step, n)| {
        let (step, n) = (step | 1, n.max(1));
        Loop {
            initial,
            step,
            end: initial.wrapping_add(step.wrapping_mul(n)).max(1),
        }
    })
}

prop_compose! {
    /// Legal rows: one tensor, at most three prologues and four epilogues.
    fn rows()(
        order in Just([0u8, 1, 2, 3, 4, 5, 6, 7]).prop_shuffle(),
        prologues in 0usize..=3,
        epilogues in 0usize..=4,
        tests in prop::collection::vec(0usize..3, 8),
        attach in prop::collection::vec(prop::option::of(0u8..8), 8),
        bases in prop::collection::vec(any::<u32>(), 8),
        loops in prop::collection::vec(prop::collection::vec(one_loop(), 0..=8), 8),
    ) -> Vec<Row> {
        (0..prologues + 1 + epilogues)
            .map(|i| {
                let kind = match i.cmp(&prologues) {
                    std::cmp::Ordering::Less => RowKind::Prologue,
                    std::cmp::Ordering::Equal => RowKind::Tensor,
                    std::cmp::Ordering::Greater => RowKind::Epilogue,
                };
                Row {
                    row: order[i],
                    kind,
                    attach: attach[i].filter(|_| kind != RowKind::Tensor),
                    test: [EndTest::AtLeast, EndTest::Equal, EndTest::Trips][tests[i]],
                    base: bases[i],
                    loops: loops[i].clone(),
                }
            })
            .collect()
    }
}

/// Commands in an order in which a unit takes them.
fn commands() -> impl Strategy<Value = Vec<Command>> {
    (run(), run(), rows(), rows()).prop_map(|(run, start, rows, group)| {
        let mut all = vec![Command::Traverse { run, rows }];
        all.extend(Command::group_setup(&group));
        all.push(Command::Start { run: start });
        all
    })
}

proptest! {
    #[proves("TTU-014", "TTU-016")]
    #[test]
    fn encoded_commands_decode_to_themselves(
        commands in commands(), behind in prop::collection::vec(any::<u32>(), 0..4)
    ) {
        let mut decoder = Decoder::new(LARGE);
        for command in commands {
            let mut words = command.encode();
            let length = words.len();
            prop_assert_eq!(length, command.words());
            prop_assert!(length <= MAX_WORDS);
            words.extend(&behind);
            prop_assert_eq!(Command::decode(&words, &LARGE), Ok((command.clone(), length)));
            prop_assert_eq!(decoder.decode(&words), Ok((command, length)));
            for end in 0..length {
                let fault = Command::decode(&words[..end], &LARGE).expect_err("too short");
                prop_assert_eq!((fault.code, fault.position), (UnitError::BadLength, end));
            }
        }
    }

    #[test]
    fn printed_commands_are_read_as_themselves(commands in commands()) {
        let text: String = commands.iter().map(|c| format!("{c}\n")).collect();
        prop_assert_eq!(parse(&text), Ok(commands));
    }

    #[test]
    fn decoded_words_encode_to_themselves(
        opcode in 8u32..13, flags in 0u32..8, words in prop::collection::vec(any::<u32>(), 0..12)
    ) {
        let header = opcode | (words.len() as u32 + 1) << 8 | flags << 24;
        let mut all: Vec<u32> = std::iter::once(header).chain(words).collect();
        // A row word that has a chance.
        if let Some(word) = all.get_mut(if flags & 4 == 0 { 1 } else { 3 }) {
            *word &= 0x37;
        }
        if let Ok((command, length)) = Command::decode(&all, &LARGE) {
            prop_assert_eq!(command.encode(), &all[..length]);
        }
    }
}

/// `None` if the unit takes all words, else code, position of the instruction in the list of words,
/// and position of the word in its instruction.
type Verdict = Option<(UnitError, usize, usize)>;

/// Decodes all instructions of `words`.
fn verdict(words: &[u32], shape: UnitShape) -> Verdict {
    let mut decoder = Decoder::new(shape);
    let mut start = 0;
    while start < words.len() {
        match decoder.decode(&words[start..]) {
            Ok((_, length)) => start += length,
            Err(fault) => return Some((fault.code, start, fault.position)),
        }
    }
    None
}

#[track_caller]
fn check(words: &[u32], shape: UnitShape, expected: Verdict) {
    assert_eq!(verdict(words, shape), expected, "{words:#010x?}");
}

/// SET_INITIAL, SET_STEP and SET_END of row 0 with one loop 0, 2, 4.
const GROUP: [u32; 10] = [
    0x0409, 0x10, 0, 0, 0x030a, 0x10, 2, 0x030b, 0x10, 4, // 10 words
];

#[test]
fn every_error_of_the_table_has_its_word() {
    use UnitError::{BadField, BadLength, Empty, Endless, IllegalOpcode, Order};
    let group = |end: usize, more: &[u32]| [&GROUP[..end], more].concat();
    let plain = UnitShape {
        equality: false,
        trips: false,
        attach: false,
        group_setup: false,
        ..SMALL
    };
    let wide = LARGE;
    let [opcode, length, field, empty, endless, order] =
        [IllegalOpcode, BadLength, BadField, Empty, Endless, Order]
            .map(|code| move |start, position| Some((code, start, position)));
    let cases: Vec<(Vec<u32>, UnitShape, Verdict)> = vec![
        // Right
        (vec![0x0308, 0x00, 7], SMALL, None),
        (vec![0x0608, 0x10, 0, 0, 2, 5], plain, None),
        (vec![0x0400_0508, 0, 0x1_0000, 0, 7], SMALL, None),
        (vec![0x0400_0508, 0xffff_ffff, 0, 0, 7], wide, None),
        (vec![0x0308, 0x00, 7, 0x010c], plain, None),
        (group(10, &[0x0300_010c]), SMALL, None),
        (group(4, &[0x0308, 0x00, 7, 0x010c]), SMALL, None),
        // ILLEGAL_OPCODE
        (vec![0x0107], SMALL, opcode(0, 0)),
        (vec![0x010d], SMALL, opcode(0, 0)),
        (vec![0xff00_0000], SMALL, opcode(0, 0)),
        (GROUP.to_vec(), plain, opcode(0, 0)),
        // BAD_LENGTH
        (vec![0xff00_0008], SMALL, length(0, 0)),
        (vec![0x0400_0208], SMALL, length(0, 0)),
        (vec![0xff00_000c], SMALL, length(0, 0)),
        (vec![0x020c], SMALL, length(0, 0)),
        (vec![0x0400_040c], SMALL, length(0, 0)),
        (vec![0x0508, 0x10, 0, 0, 2], SMALL, length(0, 1)),
        (vec![0x0408, 0x00, 7, 0x00], SMALL, length(0, 3)),
        (vec![0x0508, 0xffff_ffff], SMALL, length(0, 1)),
        (vec![0x0309, 0x10, 0], SMALL, length(0, 1)),
        (group(4, &[0x020a, 0x10]), SMALL, length(4, 1)),
        // BAD_FIELD: word 0 and window
        (vec![0x0001_0108], SMALL, field(0, 0)),
        (vec![0x0800_0108], SMALL, field(0, 0)),
        (vec![0x0100_0109], SMALL, field(0, 0)),
        (vec![0x0400_0109], SMALL, field(0, 0)),
        (vec![0x0400_0508, 0x1_0000], SMALL, field(0, 1)),
        (vec![0x0308, 0, 7, 0x0400_030c, 5, 5], SMALL, field(3, 2)),
        (vec![0x0400_030c, 5, 5], wide, empty(0, 0)),
        (vec![0x0400_0508, 5, 5], SMALL, field(0, 2)),
        (vec![0x0400_0508, 5, 0x1_0001], SMALL, field(0, 2)),
        (vec![0x0400_0508, 0, 0], SMALL, field(0, 2)),
        // BAD_FIELD: row word
        (vec![0x0308, 0x08, 7], SMALL, field(0, 1)),
        (vec![0x0308, 0x4_0000, 7], SMALL, field(0, 1)),
        (vec![0x0308, 0x03, 7], SMALL, field(0, 1)),
        (vec![0x0e08, 0x40, 7], SMALL, length(0, 1)),
        (vec![0x0f08, 0x40, 7], SMALL, field(0, 1)),
        (vec![0x0308, 0x300, 7], SMALL, field(0, 1)),
        (vec![0x0308, 0x3_0000, 7], SMALL, field(0, 1)),
        (vec![0x0308, 0x1_0000, 7], plain, field(0, 1)),
        (vec![0x0308, 0x2_0000, 7], plain, field(0, 1)),
        (vec![0x0308, 0x500, 7], plain, field(0, 1)),
        (vec![0x0308, 0x400, 7], SMALL, field(0, 1)),
        (vec![0x0308, 0x3500, 7], SMALL, field(0, 1)),
        (vec![0x0308, 0x1100, 7], SMALL, field(0, 1)),
        (vec![0x0508, 0, 7, 0, 7], SMALL, field(0, 3)),
        (vec![0x0508, 0, 7, 0x101, 7], SMALL, field(0, 3)),
        (vec![0x0508, 0x200, 7, 1, 7], SMALL, field(0, 3)),
        (vec![0x0708, 0x500, 7, 1, 7, 2, 7], SMALL, field(0, 5)),
        (vec![0x0708, 0, 7, 1, 7, 0x602, 7], SMALL, field(0, 5)),
        (group(4, &[0x020a, 0x01]), SMALL, field(4, 1)),
        (group(4, &[0x020a, 0x100]), SMALL, field(4, 1)),
        (group(7, &[0x020b, 0x02]), SMALL, field(7, 1)),
        (group(4, &[0x030a, 0x00, 0x00]), SMALL, field(4, 2)),
        // BAD_FIELD: values
        (vec![0x0308, 0x00, 0x1_0000], SMALL, field(0, 2)),
        (vec![0x0608, 0x10, 0, 256], SMALL, field(0, 3)),
        (vec![0x0608, 0x10, 0, 0, 256], SMALL, field(0, 4)),
        (vec![0x0608, 0x10, 0, 0, 1, 256], SMALL, field(0, 5)),
        // EMPTY
        (vec![0x0108], SMALL, empty(0, 0)),
        (vec![0x0400_0308], SMALL, empty(0, 0)),
        (vec![0x0109], SMALL, empty(0, 0)),
        (vec![0x010a], SMALL, empty(0, 0)),
        (vec![0x010c], SMALL, empty(0, 0)),
        (vec![0x0308, 0x500, 7], SMALL, empty(0, 2)),
        (vec![0x0608, 0x510, 0, 1, 0, 2], SMALL, empty(0, 5)),
        (vec![0x0608, 0x510, 0, 1, 0, 256], SMALL, field(0, 5)),
        (vec![0x0409, 0x510, 0, 1], SMALL, empty(0, 3)),
        // ENDLESS, TV15 first
        (vec![0x0608, 0x10, 0, 0, 0, 1], SMALL, endless(0, 5)),
        (vec![0x0608, 0x1_0010, 0, 0, 2, 5], SMALL, endless(0, 5)),
        (vec![0x0608, 0x10, 0, 1, 0, 1], SMALL, None),
        (vec![0x0608, 0x1_0010, 0, 10, 254, 4], SMALL, None),
        (vec![0x0608, 0x1_0010, 0, 10, 252, 4], SMALL, endless(0, 5)),
        (vec![0x0608, 0x1_0010, 0, 3, 0, 3], SMALL, None),
        (vec![0x0608, 0x1_0010, 0, 3, 0, 131], SMALL, endless(0, 5)),
        (vec![0x0608, 0x1_0010, 0, 3, 128, 131], SMALL, None),
        (vec![0x0608, 0x2_0010, 0, 3, 0, 0], SMALL, endless(0, 5)),
        (vec![0x0608, 0x2_0010, 0, 3, 0, 9], SMALL, None),
        (group(7, &[0x040b, 0x20, 4, 1]), SMALL, endless(7, 3)),
        (group(7, &[0x040b, 0x20, 4, 0]), SMALL, None),
        // ORDER
        (vec![0x020a, 0x00], SMALL, order(0, 0)),
        (vec![0x020b, 0x00], SMALL, order(0, 0)),
        (group(4, &[0x020b, 0x00]), SMALL, order(4, 0)),
        (group(4, &[0x010c]), SMALL, order(4, 0)),
        (group(7, &[0x010c]), SMALL, order(7, 0)),
        (group(7, &[0x020a, 0x00]), SMALL, order(7, 0)),
        (group(10, &[0x020b, 0x00]), SMALL, order(10, 0)),
        (
            group(4, &[0x0308, 0x00, 7, 0x020a, 0x00]),
            SMALL,
            order(7, 0),
        ),
    ];
    for (words, shape, expected) in cases {
        check(&words, shape, expected);
    }
}

#[test]
fn errors_have_the_numbers_and_names_of_the_document() {
    let document = include_str!("../../docs/traversal.md");
    for error in UnitError::ALL {
        let line = format!("| {} | {} | ", error.number(), error.name());
        assert!(document.contains(&line), "{line}");
        assert_eq!(UnitError::from_number(error.number()), Some(error));
    }
    assert_eq!(UnitError::from_number(0), None);
}

#[proves("TTU-011", "TTU-015")]
#[test]
fn the_example_of_the_document_is_read() {
    let document = include_str!("../../docs/traversal.md");
    let blocks: Vec<&str> = document.split("```").skip(1).step_by(2).collect();
    let text = blocks.iter().find(|b| b.contains("traverse window"));
    let text = text.expect("an example").trim_start_matches("text");
    let commands = parse(text).expect("an example without faults");
    let shape = UnitShape {
        offset_bits: 16,
        address_bits: 16,
        ..LARGE
    };
    let words: Vec<u32> = commands.iter().flat_map(Command::encode).collect();
    assert_eq!(verdict(&words, shape), None);
    let Command::Traverse { rows, .. } = &commands[0] else {
        panic!("{:?}", commands[0]);
    };
    let kinds: Vec<RowKind> = rows.iter().map(|r| r.kind).collect();
    let (prologue, epilogue) = (RowKind::Prologue, RowKind::Epilogue);
    assert_eq!(kinds, [prologue, RowKind::Tensor, epilogue]);
}
