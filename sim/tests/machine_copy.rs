//! The clocks of a copy on the golden machine.

use heddle_arch::host::Counter;
use heddle_sim::machine::WrittenWord;

use crate::machine::{params, programmed};

fn named(partition: u32, word: u32) -> [u8; 8] {
    [partition as u8 + 1, word as u8, 0, 0, 0, 0, 0, 0]
}

#[proves("PET-54")]
#[test]
fn a_copy_takes_the_promised_cycles() {
    let text = "copy rows=1 distance=120 [row 0 base 16: 0..24 step 8]\nsync wait=weights\nhalt";
    let (mut machine, _) = programmed(&params(), text);
    let places = || (0..2).flat_map(|partition| (0..32).map(move |word| (partition, word)));
    for (partition, word) in places() {
        machine.write_word(partition, word, named(partition, word));
    }
    let mut written = Vec::new();
    let counters = machine.run_watched(0, 1000, |word| match word {
        WrittenWord::Copied(copied) => written.push((copied.cycle, copied.partition, copied.word)),
        WrittenWord::Drained(drained) => panic!("{drained:?}"),
    });
    // Eight words: START in 10, addresses accepted in 14, 15, 16; the unit is idle from 16 + 2 + 9 = 27 on. SYNC is in
    // HEAD from 12 on, goes on in 27, HALT in 29.
    assert_eq!(written, [(14, 0, 17), (15, 0, 18), (16, 0, 19)]);
    let counters = counters.unwrap();
    for (counter, expected) in [
        (Counter::Cycles, 30),
        (Counter::StallWait, 15),
        (Counter::Instructions, 3),
        (Counter::MaskReads, 3),
        (Counter::MaskWrites, 3),
        (Counter::SliceWrites(0), 3),
        (Counter::SliceWrites(1), 0),
    ] {
        assert_eq!(counters.get(counter), expected, "{}", counter.name());
    }
    for (partition, word) in places() {
        let copied = partition == 0 && (17..20).contains(&word);
        let from = if copied { word - 15 } else { word };
        assert_eq!(machine.read_word(partition, word), named(partition, from));
    }
}
