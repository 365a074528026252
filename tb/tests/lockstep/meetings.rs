//! Reads in the clock in which their word is written: machines with and without a bypass in their banks do the same
//! but where the golden machine names such a read.

use std::collections::BTreeMap;

use heddle_arch::isa::assemble;
use heddle_arch::params::Params;
use heddle_sim::machine::{Client, MachineError};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

use crate::machines::dump::{dump, encode};
use crate::machines::pair::{Pair, random_word};
use crate::machines::{Machine, Sizes};
use crate::rtl::Checked;

/// Clocks that nothing happens in, two at a time, between what writes and what reads.
const PAUSES: usize = 32;
/// Words that are written, one in each clock; of them weights that are read, every second one first, and operands of
/// three words again and again.
const WRITTEN: &str = "[row 0 base 128: 0..128 step 8]";
const WEIGHTS: &str = "[row 0 base 128: 0..128 step 16, 0..16 step 8]";
const OPERANDS: &str = "0..24 step 8, 0..5 step 1]";
const LOAD: &str = "load_weights rows=3 level=0 [row 0 base 512]";
const MATMUL: &str = "matmul rows=3 level=1 threshold=127 macs=9 first";

fn params(bypass: bool) -> Params {
    let sizes = Sizes {
        name: "meetings",
        array: (3, 4),
        record_rows: 3,
        loops: 3,
        bits: (16, 24),
        banks: (2, 64),
        slices: r#""widths": [4, 4]"#,
        depth: 16,
        column_tiles: 8,
        program: 1024,
    };
    let mut params = sizes.params();
    params.state_buffer.bypass = bypass;
    params
}

/// Programs in which a unit reads what another one writes, as far apart as so many pauses.
fn racing(pauses: usize) -> [String; 3] {
    let pause = "sync\n".repeat(pauses);
    let product = format!(
        "{LOAD}\ndrain columns=3 tile=1 lo=-128 hi=127 {WRITTEN}
         {MATMUL} last bank=0 [row 0 base 1] [row 1 base 576: 0..8 step 1, 0..16 step 8]\n"
    );
    let copy = "copy rows=3 distance=65152 [row 0 base 512: 0..128 step 8]";
    [
        format!(
            "{product}{LOAD}\n{pause}{MATMUL} bank=1 [row 0 base 1] [row 1 base 232: {OPERANDS}\nhalt"
        ),
        format!("{product}{pause}load_weights rows=3 level=1 {WEIGHTS}\nhalt"),
        format!(
            "{LOAD}\n{copy}\n{pause}{MATMUL} bank=1 [row 0 base 1] [row 1 base 232: {OPERANDS}\nhalt"
        ),
    ]
}

/// All that the host sees behind a program and then behind one that drains the stored sums, and the contracts broken.
fn outcome(pair: &mut Pair<'_>, text: &str) -> Checked<(Vec<u64>, u64)> {
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    let mut seen = Vec::new();
    let program = assemble(text).map_err(|errors| format!("{errors:?}\n{text}"))?;
    let params = pair.params();
    for words in [encode(&program), encode(&dump(&mut rng, params))] {
        pair.write_program(0, &words);
        if !pair.run_hardware(0, 10_000) {
            return Err(pair.message("still runs"));
        }
        let host = &mut pair.host;
        let status = host.status().expect("STATUS answers");
        if !status.done {
            return Err(format!("{status:?}\n{text}"));
        }
        let counters = host.counters().expect("counters answer");
        seen.extend(counters.into_iter().map(|(_, count)| u64::from(count)));
        let rows = 0..params.array.rows;
        let places: Vec<_> = rows
            .flat_map(|row| (0..params.partition_words()).map(move |word| (row, word)))
            .collect();
        let words = host.read_words(&places).expect("words answer");
        seen.extend(words.into_iter().map(u64::from_le_bytes));
    }
    Ok((seen, pair.host.model().take_stops()))
}

#[test]
fn machines_with_and_without_a_bypass_differ_only_where_the_golden_machine_names_a_read() {
    let machines = [false, true].map(|bypass| Machine::new(params(bypass)));
    let mut pairs = machines.each_ref().map(|machine| {
        let mut rng = ChaCha8Rng::seed_from_u64(7);
        Pair::new(machine, 7, &mut rng).expect("both are ready")
    });
    let mut rng = ChaCha8Rng::seed_from_u64(7);
    let copies = (4..9).map(|words| {
        let distance = 8 * words;
        format!("copy rows=3 distance={distance} [row 0 base 0: 0..160 step 8]\nhalt")
    });
    let programs: Vec<String> = copies.chain((0..PAUSES).flat_map(racing)).collect();
    // For each pair of clients: programs in which they met, and in how many that was to be seen.
    let mut met: BTreeMap<(Client, Client), [usize; 2]> = BTreeMap::new();
    let (mut alike, mut skipped) = (0, 0);
    for text in &programs {
        let partitions = 0..3;
        for (partition, word) in partitions.flat_map(|p| (0..128).map(move |word| (p, word))) {
            let data = random_word(&mut rng);
            for pair in &mut pairs {
                pair.write_word(partition, word, data);
            }
        }
        for pair in &mut pairs {
            // What met before may have left other sums.
            pair.prepare().expect("both are ready");
        }
        let words = encode(&assemble(text).expect("legal"));
        let predicted = {
            let golden = &mut pairs[0].golden;
            golden.write_program(0, &words);
            golden.run(0, 10_000)
        };
        let [(open, breaches), (bypassed, none)] = pairs
            .each_mut()
            .map(|pair| outcome(pair, text).unwrap_or_else(|error| panic!("{error}")));
        assert_eq!(
            none, 0,
            "with a bypass no memory is read and written at once"
        );
        let same = open == bypassed;
        match predicted {
            Ok(_) => {
                assert!(same, "nothing meets, and yet the machines differ:\n{text}");
                assert_eq!(breaches, 0, "{text}");
                alike += 1;
            }
            Err(MachineError::UndefinedRead(meeting)) => {
                let key = (meeting.reader.client, meeting.writer.client);
                assert!(breaches > 0, "no memory has seen it: {meeting}\n{text}");
                let [all, seen] = met.entry(key).or_default();
                *all += 1;
                *seen += usize::from(!same);
            }
            Err(MachineError::BankConflict { .. }) => skipped += 1,
            Err(error) => panic!("{error}:\n{text}"),
        }
    }
    println!("{met:?}, {alike} alike, {skipped} with a conflict of banks");
    let kinds = [
        (Client::Operands, Client::Copy),
        (Client::Operands, Client::Drain),
        (Client::Weights, Client::Drain),
        (Client::Copy, Client::Copy),
    ];
    assert_eq!(met.keys().copied().collect::<Vec<_>>(), kinds);
    assert!(met.values().all(|[_, seen]| *seen > 0), "{met:?}");
    assert!(alike > programs.len() / 4, "{alike} of {}", programs.len());
}
