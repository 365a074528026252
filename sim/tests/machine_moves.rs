//! Programs with LOAD and STORE: what they move, what waits for them, and each order rule kept and broken.

use heddle_arch::host::Counter;
use heddle_arch::params::Params;
use heddle_arch::requantise::Scale;
use heddle_sim::machine::{HostMemory, Machine, MachineError, Pace};

use crate::machine::{params, programmed};

/// First word of the second bank.
const WEIGHTS: u32 = 16;

/// Word k of the host's memory is a byte k in each place. The image lies at 64, the scratch bytes at 512.
fn memory() -> Vec<u8> {
    (0..1024u32).map(|byte| (byte / 8) as u8).collect()
}

fn machine_params() -> Params {
    let mut value = serde_json::to_value(params()).expect("a configuration");
    value["system"] = serde_json::json!({"registers": "axil", "dma": {"queue": 2}});
    value["state_buffer"]["row_offsets"] = 16.into();
    value["post"]["activations"] = 1.into();
    value["reset"] = serde_json::json!({"level": "low"});
    Params::from_json(&value.to_string()).expect("a machine with a DMA")
}

fn machine(text: &str) -> (Machine, Vec<u32>) {
    let params = machine_params();
    let (mut machine, places) = programmed(&params, text);
    for (column, bias, n) in [(0, 5, 1), (1, -7, 2)] {
        machine.write_bias(column, 1, bias);
        machine.write_scale(column, 1, Scale::reciprocal(n));
    }
    (machine, places)
}

/// How a run ends, and the host's memory behind it.
fn run(machine: &mut Machine, pace: Pace) -> (Result<(u32, u32), MachineError>, Vec<u8>) {
    let mut bytes = memory();
    let host = HostMemory {
        bytes: &mut bytes,
        regions: [Some(64), None, None, Some(512)],
    };
    let counted = machine.run_beside(0, 20_000, (host, pace), |_| {});
    let counters = [Counter::Cycles, Counter::StallWait];
    let counted = counted.map(|all| counters.map(|counter| all.get(counter)).into());
    (counted, bytes)
}

#[test]
fn loads_and_stores_move_words_of_all_memories() {
    let (mut machine, _) = machine(
        "load space=0 offset=8 zero=1 partitions=2 place=4,0 x=2,1 y=2,0,24\n\
         load space=0 place=9,1 x=3,2 fill\n\
         load space=2 offset=64 place=1,0 x=1,0\n\
         store space=0 region=3 offset=16 zero=3 place=4,1 x=2,1 loads=1\n\
         sync stores=0\n\
         load space=0 region=3 offset=16 place=0,0 x=2,1\n\
         halt",
    );
    machine.write_word(1, 9, [7; 8]);
    machine.write_word(1, 10, [7; 8]);
    let (counted, bytes) = run(&mut machine, Pace::Latency(10));
    counted.expect("no rule is broken");
    // The image begins at word 8; one less is stored.
    let stored = [[0, 4], [0, 5], [1, 4], [1, 5]].map(|[partition, word]| {
        let word = machine.read_word(partition, word);
        assert_eq!(word, [word[0]; 8]);
        word[0]
    });
    assert_eq!(stored, [8, 9, 11, 12]);
    assert_eq!(machine.read_word(1, 9), [0; 8]);
    assert_eq!(machine.read_word(1, 10), [7; 8]);
    assert_eq!(bytes[528..544], [[14u8; 8], [15; 8]].concat());
    assert_eq!(machine.read_word(0, 1), [15; 8]);
}

/// Cycles, and those in which ISSUE waits.
fn cycles(text: &str, pace: Pace) -> (u32, u32) {
    let (mut machine, _) = machine(text);
    run(&mut machine, pace).0.expect("a run that ends")
}

#[test]
fn issue_waits_for_as_many_as_a_header_says_and_for_room() {
    let load = |place: u32| format!("load space=0 place={place},0 x=4,1\n");
    let three = [load(0), load(4), load(8)].concat();
    // In turns: clocks in which the loads end.
    let told = |ends: [u64; 3]| Pace::Told(ends.into());
    let (alone, stall) = cycles(&format!("{three}halt"), told([20, 21, 22]));
    assert_eq!(stall, 0, "HALT begins behind all of them");
    for (wait, ends, later) in [
        ("sync", [100, 200, 300], 300),
        ("sync loads=3", [100, 200, 300], 300),
        ("sync loads=2", [100, 200, 300], 300),
        ("sync loads=2", [100, 200, 90], 200),
        ("sync loads=0", [100, 200, 300], 300),
    ] {
        let (cycles, stall) = cycles(&format!("{three}{wait}\nhalt"), told(ends));
        assert_eq!(cycles - stall, alone + 2, "{wait} {ends:?}");
        assert!(cycles.abs_diff(later) < 40, "{wait} {ends:?}: {cycles}");
    }
    // Two wait and one is under way: the fourth one finds no room until the first one ends.
    let four = format!("{three}{}halt", load(12));
    let ends = |first| Pace::Told([first, 2000, 2001, 2002].into());
    let (_, early) = cycles(&four, ends(30));
    let (_, late) = cycles(&four, ends(1000));
    assert!(early.abs_diff(late) < 10, "all end in the same clock");
    // What waits for a bus is not stuck.
    let (cycles, _) = cycles(&format!("{three}halt"), told([10, 20, 15_000]));
    assert!(cycles > 15_000);
}

const WEIGHTS_LOADED: &str = "load_weights rows=2 level=0 [row 0 base 128]";
const DRAIN: &str = "drain columns=2 tile=1 lo=-100 hi=100 [row 0 base 64]";
const MATMUL: &str =
    "matmul rows=2 bank=0 level=0 threshold=228 macs=4 first last [row 0 base 1] [row 1 base 3]";

/// Programs, and which of their instructions meet where, if they do. W, D, M and C are the instructions above, `!` is the sequencer
/// that reads one. Words of the program read 0 when they come, which is no instruction.
const RULES: &str = "
    # A unit reads what a LOAD writes.
    load 0 place=16,0 x=1,0; W -> 0 1 word 16 of partition 0
    load 0 place=16,0 x=1,0; W loads=0
    load 0 place=16,0 x=1,0; load 0 place=3,0 x=1,0; W loads=1
    load 0 place=3,0 x=1,0; load 0 place=16,0 x=1,0; W loads=1 -> 1 2 word 16 of partition 0
    load 0 place=17,0 x=1,0; W
    load 0 place=0,1 x=1,0; W; D; M -> 0 3 word 0 of partition 1
    load 0 place=0,1 x=1,0; W; D; sync loads=0; M
    load 1 place=1,0 x=2,1; W; D; M -> 0 2 column tile 1 of column 0
    load 1 place=1,1 x=1,1; W; D loads=0; M
    load 1 place=0,0 x=2,1; W; D; M
    # A LOAD overwrites what a unit reads or writes.
    W; D; M; load 0 place=16,1 x=1,0 -> 0 3 word 16 of partition 1
    W; D; M; load 0 place=16,1 x=1,0 wait=weights
    W; D; M; W2; load 0 place=16,1 x=1,0; D wait=drain; M
    W; D; M; load 0 place=0,0 x=1,0 wait=weights -> 2 3 word 0 of partition 0
    W; D; M; load 0 place=8,0 x=1,0 wait=stream -> 1 3 word 8 of partition 0
    W; D; M; load 0 place=8,0 x=1,0 wait=drain
    W; D; M; load 1 place=1,1 x=1,1 wait=stream -> 1 3 column tile 1 of column 1
    W; D; M; load 1 place=1,1 x=1,1 wait=drain -> 2 3 column tile 1 of column 1
    W; D; M; load 1 place=1,1 x=1,1 wait=drain wait=stream
    C; load 0 place=2,0 x=1,0 -> 0 1 word 2 of partition 0
    C; load 0 place=2,0 x=1,0 wait=weights
    W; D; M; C; load 0 place=8,0 x=1,0
    W; C; D; M; load 0 place=2,0 x=1,0
    # A STORE reads what DRAIN or COPY writes.
    W; D; M; store place=8,1 x=1,0 -> 1 3 word 8 of partition 1
    W; D; M; store place=8,1 x=1,0 wait=drain
    W; D; M; store place=16,1 x=1,0
    C; store place=2,0 x=1,0 -> 0 1 word 2 of partition 0
    C; store place=0,0 x=1,0
    # DRAIN or COPY overwrites what a STORE reads.
    store place=8,0 x=1,0; W; D; M -> 0 2 word 8 of partition 0
    store place=8,0 x=1,0; W; D stores=0; M
    store place=2,1 x=1,0; C -> 0 1 word 2 of partition 1
    load 0 place=8,0 x=1,0; W; D; M -> 0 2 word 8 of partition 0
    # LOAD and STORE.
    load 0 place=2,1 x=1,0; store place=2,1 x=1,0 -> 0 1 word 2 of partition 1
    load 0 place=2,1 x=1,0; store place=2,1 x=1,0 loads=0
    store place=2,1 x=1,0; load 0 place=2,1 x=1,0 -> 0 1 word 2 of partition 1
    store place=2,1 x=2,1; load 0 region=3 offset=8 place=4,0 x=1,0 -> 0 1 address 0x208 of the host's memory
    store place=2,1 x=2,1; load 0 region=3 offset=8 place=4,0 x=1,0 stores=0
    store place=2,1 x=2,1; load 0 region=3 offset=16 place=4,0 x=1,0
    load 0 offset=448 place=4,0 x=1,0; store place=2,1 x=1,0 -> 0 1 address 0x200 of the host's memory
    # Words of the program: they read 0 then, which is no instruction.
    load 4 place=4,0 x=1,0; sync -> 0 !1 program word 9
    load 4 place=5,0 x=1,0; sync -> 0 !1 program word 10
    load 4 place=6,0 x=1,0; sync; sync; sync; sync -> 0 !4 program word 12
    load 4 place=6,0 x=1,0; sync; sync loads=0; sync; sync -> 0 !4 program word 12
    load 4 place=30,0 x=1,0; sync
";

/// A line of the table as it is assembled.
fn written(line: &str) -> String {
    let (name, fields) = line.split_once(' ').unwrap_or((line, ""));
    let full = match name {
        "W" => WEIGHTS_LOADED,
        "W2" => "load_weights rows=2 level=0 [row 0 base 136]",
        "D" => DRAIN,
        "M" => MATMUL,
        "C" => "copy rows=2 distance=16 [row 0 base 0]",
        "load" => return format!("load space={fields}\n"),
        "store" => return format!("store space=0 region=3 {fields}\n"),
        _ => return format!("{line}\n"),
    };
    let (name, own) = full.split_once(' ').expect("fields");
    format!("{name} {fields} {own}\n")
}

#[test]
fn each_rule_is_judged_without_clocks() {
    let (mut broken, mut kept) = (0, 0);
    let rows = RULES.lines().map(str::trim);
    for row in rows.filter(|row| !row.is_empty() && !row.starts_with('#')) {
        let (program, expected) = row.split_once(" -> ").unwrap_or((row, ""));
        let lines: Vec<&str> = program.split("; ").collect();
        let text: String = lines.iter().map(|line| written(line)).collect();
        let (mut machine, places) = machine(&(text + "halt"));
        for word in 0..4 {
            machine.write_word(word % 2, WEIGHTS + word / 2, [1; 8]);
        }
        let (found, _) = run(&mut machine, Pace::Latency(0));
        if expected.is_empty() {
            found.expect(row);
            kept += 1;
            continue;
        }
        let words: Vec<&str> = expected.splitn(3, ' ').collect();
        let [first, second, place] = words[..] else {
            panic!("{row}");
        };
        let name = |which: &str| {
            let at: usize = which.trim_start_matches('!').parse().expect("a number");
            let name = match &lines[at][..1] {
                _ if which.starts_with('!') => "the instruction",
                "W" => "LOAD_WEIGHTS",
                "D" => "DRAIN",
                "M" => "MATMUL",
                "C" => "COPY",
                "l" => "LOAD",
                _ => "STORE",
            };
            format!("{name} at program word {}", places[at])
        };
        let [first, second] = [first, second].map(name);
        let message = format!("{second} does not wait for {first}: they meet in {place}");
        assert_eq!(found.expect_err(row).to_string(), message, "{row}");
        broken += 1;
    }
    assert_eq!((broken, kept), (23, 21));
}

#[test]
fn words_of_a_program_that_come_in_time_are_run() {
    // SYNC stands in the words 12 and 13 until the LOAD writes HALT there, which is word 8 + 15 of the host's memory.
    let (mut machine, _) = machine(
        "load space=4 offset=120 place=7,0 x=1,0\nsync loads=0\nsync\nsync\nsync\nsync\nsync\nsync",
    );
    let mut bytes = memory();
    bytes[184..192].copy_from_slice(&0x0000_0101u64.to_le_bytes());
    let host = HostMemory {
        bytes: &mut bytes,
        regions: [Some(64), None, None, None],
    };
    let counted = machine.run_beside(0, 1000, (host, Pace::Latency(3)), |_| {});
    assert_eq!(counted.expect("HALT").get(Counter::Instructions), 7);
}

#[test]
fn places_and_addresses_that_do_not_exist_stop_the_program() {
    for (text, message) in [
        (
            "load space=0 place=31,0 x=2,1",
            "DMA_LOCAL at program word 0: place 32 of partition 0 in space 0 does not exist",
        ),
        (
            "store space=0 region=3 partitions=1 place=0,1 x=2,0",
            "DMA_LOCAL at program word 0: place 0 of partition 2 in space 0 does not exist",
        ),
        (
            "load space=1 place=2,0 x=1,1",
            "DMA_LOCAL at program word 0: place 2 of partition 0 in space 1 does not exist",
        ),
        (
            "load space=2 place=16,0 x=1,0",
            "DMA_LOCAL at program word 0: place 16 of partition 0 in space 2 does not exist",
        ),
        (
            "load space=3 place=256,0 x=1,0",
            "DMA_LOCAL at program word 0: place 256 of partition 0 in space 3 does not exist",
        ),
        (
            "load space=4 place=32,0 x=1,0",
            "DMA_LOCAL at program word 0: place 32 of partition 0 in space 4 does not exist",
        ),
        (
            "load space=0 region=2 place=0,0 x=1,0",
            "WINDOW at program word 0: region 2 is not set",
        ),
        (
            "load space=0 offset=1024 place=0,0 x=1,0",
            "WINDOW at program word 0: address 0x440 lies beyond the host's memory",
        ),
    ] {
        let (mut machine, _) = machine(&format!("{text}\nhalt"));
        let (found, _) = run(&mut machine, Pace::Latency(0));
        assert_eq!(found.expect_err(text).to_string(), message);
    }
}
