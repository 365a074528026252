//! Scaling and packing of the post-processing model.

use heddle_sim::buffer::DrainWord;
use heddle_sim::post::{ParameterWrite, PostInputs, PostModel, PostSettings, Scale, requantise};

#[derive(serde::Deserialize)]
struct Vector {
    acc: i32,
    multiplier: i32,
    shift: i32,
    rounding: String,
    zero_point: i32,
    min: i64,
    max: i64,
    expected: i64,
}

#[test]
fn scaling_matches_the_recorded_vectors() {
    let text = include_str!("../../arch/tests/data/requantise.json");
    let vectors: Vec<Vector> = serde_json::from_str(text).expect("the vector file is valid");
    assert!(vectors.len() > 2000);
    for v in vectors {
        let scale = Scale {
            multiplier: v.multiplier,
            shift: v.shift,
        };
        let scaled = requantise(v.acc, scale, v.rounding == "single");
        let output = (scaled + i64::from(v.zero_point)).clamp(v.min, v.max);
        assert_eq!(
            output, v.expected,
            "acc {}, multiplier {}, shift {}, {}",
            v.acc, v.multiplier, v.shift, v.rounding
        );
    }
}

const LATENCY: usize = 3;

/// Loads the scale 1 (2^31 - 1 without a shift) into every lane, then drains `slots` (destination,
/// flush, value); returns (cycle, lane, word) of everything stored. The first slot is cycle 0.
fn drain(columns: u16, slots: &[(u16, bool, i32)]) -> Vec<(usize, usize, DrainWord)> {
    let mut post = PostModel::new(2, 4, LATENCY);
    let settings = PostSettings {
        single: false,
        low: -100,
        high: 100,
        ..PostSettings::default()
    };
    for column in 0..2 {
        let slot = PostInputs {
            write: ParameterWrite {
                valid: true,
                column,
                tile: 2,
                data: (1 << 31) - 1,
            },
            ..PostInputs::default()
        };
        post.step(&slot, settings, &[0, 0]);
    }
    post.step(
        &PostInputs {
            load: true,
            tile: 2,
            columns,
            ..PostInputs::default()
        },
        settings,
        &[0, 0],
    );
    let mut stored = Vec::new();
    for t in 0..slots.len() + LATENCY + 5 {
        let slot = slots.get(t).map_or(PostInputs::default(), |s| PostInputs {
            valid: true,
            destination: s.0,
            flush: s.1,
            ..PostInputs::default()
        });
        let acc = |delay: usize| {
            t.checked_sub(delay)
                .and_then(|i| slots.get(i))
                .map_or(0, |s| s.2)
        };
        let words = post.step(&slot, settings, &[acc(0), acc(1)]);
        for (lane, word) in words.into_iter().enumerate() {
            stored.extend(word.map(|w| (t, lane, w)));
        }
    }
    stored
}

#[test]
fn word_leaves_when_the_address_leaves_it_or_at_the_flush() {
    let slots = [
        (8, false, 1),
        (9, false, -2),
        (17, false, 500),
        (23, true, -500),
    ];
    let word = |word, data| DrainWord { word, data };
    let first = word(1, 0xfe01);
    let second = word(2, 0x9c00_0000_0000_6400);
    assert_eq!(
        drain(2, &slots),
        [
            (2 + LATENCY, 0, first),
            (2 + LATENCY + 1, 1, first),
            (3 + LATENCY + 1, 0, second),
            (3 + LATENCY + 2, 1, second),
        ]
    );
    assert_eq!(drain(1, &slots).len(), 2);
    assert!(drain(0, &slots).is_empty());
}

#[test]
fn words_of_one_lane_leave_in_their_cycles() {
    // Address, flush and sum of each slot; cycle, word address and data of each word.
    type Slots = &'static [(u16, bool, i32)];
    type Words = &'static [(usize, u16, u64)];
    let cases: [(Slots, Words); 6] = [
        // A flush for another word sends both in turn; the next flush adds its byte.
        (
            &[(0, false, 1), (8, true, 2), (9, true, 3)],
            &[(1, 0, 1), (2, 1, 2), (3, 1, 0x300)],
        ),
        // The next drain follows a flush at once: to another word, to the same word.
        (
            &[(0, true, 1), (8, false, 2), (8, true, 3)],
            &[(1, 0, 1), (3, 1, 3)],
        ),
        (
            &[(0, true, 1), (1, true, 2), (2, true, 3)],
            &[(1, 0, 1), (2, 0, 0x200), (3, 0, 0x3_0000)],
        ),
        // A word in every clock, and back to an earlier one.
        (
            &[(0, false, 1), (8, false, 2), (0, false, 3), (16, true, 4)],
            &[(1, 0, 1), (2, 1, 2), (3, 0, 3), (4, 2, 4)],
        ),
        // A byte that comes twice counts once; missing bytes are zero.
        (&[(3, false, 1), (3, true, 2)], &[(2, 0, 0x200_0000)]),
        (&[(43, true, 1)], &[(1, 5, 0x100_0000)]),
    ];
    for (slots, expected) in cases {
        let stored = drain(1, slots);
        let found = stored.iter().map(|(t, _, w)| (*t, w.word, w.data));
        let expected = expected
            .iter()
            .map(|(t, word, data)| (t + LATENCY, *word, *data));
        assert!(found.eq(expected), "{slots:?}: {stored:?}");
    }
}
