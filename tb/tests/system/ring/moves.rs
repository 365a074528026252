//! Programs that load and store, on a whole machine and on the golden one: the host's memory, how a run ends, what was counted.

use std::sync::LazyLock;

use heddle_arch::host::{ColumnScale, Counter};
use heddle_arch::isa::{Instruction, assemble};
use heddle_arch::job::{Job, JobWaits, Work};
use heddle_arch::params::{Params, RegisterBus};
use heddle_arch::registers::{counter, error, error_pc, q_seq, status};
use heddle_arch::requantise::Scale;
use heddle_arch::transfer::{Space, Transfer, Walk};
use heddle_sim::dma::Windows;
use heddle_sim::machine::{HostMemory, Machine as Golden, MachineError, Pace};
use heddle_tb::verilate::Sources;

use super::bench::{self, Bench, IMAGE, LOADS, OUTPUT, PROGRAM, job, run};
use crate::machines;
use crate::rtl::Checked;
use crate::system::dma::bus::Manners;

/// Bytes of memory that are compared.
const MEMORY: u64 = 0xb000;
const WINDOWS: Windows = Windows([
    (1, 1, true, false),
    (2, 4, true, false),
    (6, 10, true, true),
    (0, 0, false, false),
]);
/// In the image: column parameters, row tables, activation table, words of programs that programs load, programs.
const PARAMETERS: u64 = 0x800;
const ROWS: u64 = 0xa00;
const LATER: u64 = 0x1380;
const PROGRAMS: u64 = 0x1400;
/// Words of each bank that are compared behind each program, and their place among the scratch bytes.
const DUMPED: u32 = 192;
const DUMP: u32 = 0x400;
/// What clocks decide is not compared.
const TIMED: [Counter; 4] = [
    Counter::Cycles,
    Counter::StallWait,
    Counter::StallWeights,
    Counter::StallSums,
];

/// A square machine with all tables, and one with more columns than rows.
pub fn params(wide: bool) -> Params {
    let mut params = if wide {
        machines::wide()
    } else {
        machines::tiny()
    };
    params.state_buffer.row_offsets = 16;
    params.post.activations = 1;
    params.name += "_moves";
    let mut params = machines::open(params);
    let dma = params.dma().copied();
    params.system = Some(heddle_arch::params::System {
        registers: RegisterBus::Axil,
        dma,
    });
    params
}

pub static SQUARE: LazyLock<Sources> = LazyLock::new(|| bench::verilog(&params(false)));
pub static WIDE: LazyLock<Sources> = LazyLock::new(|| bench::verilog(&params(true)));

/// Counters of a run of the golden machine.
type Counted = Result<Vec<(Counter, u32)>, MachineError>;

/// Hardware and golden machine side by side.
pub struct Rig {
    pub bench: Bench,
    golden: Golden,
    params: Params,
    /// Programs that were compared.
    pub runs: u32,
}

impl Rig {
    pub fn new(sources: &Sources, wide: bool, seed: u64, manners: Manners) -> Checked<Self> {
        let params = params(wide);
        let mut bench = Bench::new(sources, seed, params.clone(), manners);
        bench.open(WINDOWS);
        for pair in 0..32u64 {
            let scale = Scale::new(
                (1 << 30) + 0x123_4567 * (pair as i32 + 1),
                -4 - pair as i32 % 9,
            );
            let scale = ColumnScale::from(scale.expect("a scale"));
            let at = IMAGE + PARAMETERS + 16 * pair;
            bench.bus.memory.insert(at, (pair * 77) & 0xffff_ffff);
            bench.bus.memory.insert(at + 8, scale.bits());
            let valid = u64::from(pair % 5 != 3) << 16;
            bench
                .bus
                .memory
                .insert(IMAGE + ROWS + 8 * pair, valid | (pair * 3 % 7));
        }
        // HALT, in both halves.
        bench
            .bus
            .memory
            .insert(IMAGE + LATER, 0x0000_0101_0000_0101);
        let golden = Golden::new(&params);
        let mut rig = Self {
            bench,
            golden,
            params,
            runs: 0,
        };
        let words = rig.params.partition_words();
        let [rows, cols] = [rig.params.array.rows, rig.params.array.cols];
        let begin = format!(
            "load space=0 fill partitions=2 place=0,0 x={words},1 y={rows},0\n\
             sync loads=0\n\
             load space=0 zero=7 partitions=2 place=0,0 x={DUMPED},1 y={rows},0,64\n\
             load space=0 zero=9 offset=64 partitions=2 place={},0 x={DUMPED},1 y={rows},0,96\n\
             load space=1 offset={PARAMETERS} place=0,0 x={cols},1 y=3,1,160\n\
             load space=2 offset={ROWS} partitions=2 place=0,0 x=16,1 y={rows},0,32\n\
             load space=3 offset=0 place=0,0 x=256,1",
            rig.bank()
        );
        rig.agrees(&begin)?;
        Ok(rig)
    }

    pub fn rows(&self) -> u32 {
        self.params.array.rows
    }

    /// First word of the second bank.
    pub fn bank(&self) -> u32 {
        self.params.state_buffer.words_per_bank
    }

    /// The instructions that most programs have: weights, drain, product of 30 vectors, copy.
    fn written(&self, line: &str) -> String {
        let (name, fields) = line.split_once(' ').unwrap_or((line, ""));
        let [rows, cols] = [self.params.array.rows, self.params.array.cols];
        let lanes = rows.min(cols);
        let groups = cols.div_ceil(8);
        let weights = |word: u32| match groups {
            1 => format!("[row 0 base {}]", 8 * (self.bank() + word)),
            _ => format!(
                "[row 0 base {}: 0..{} step 8]",
                8 * (self.bank() + word),
                8 * groups
            ),
        };
        let macs = rows * cols;
        let product = format!("rows={rows} bank=0 level=0 threshold=228 macs={macs}");
        let operands = "first last [row 0 base 1] [row 1 base 8: 0..30 step 1]";
        let drained = "lo=-100 hi=100";
        match name {
            "W" => format!("load_weights {fields} rows={rows} level=0 {}", weights(0)),
            "W2" => format!("load_weights {fields} rows={rows} level=0 {}", weights(8)),
            "D" => format!(
                "drain {fields} columns={lanes} tile=1 {drained} [row 0 base 320: 0..30 step 1]"
            ),
            "DA" => format!(
                "drain {fields} columns={lanes} tile=1 {drained} activation=1 [row 0 base 320: 0..30 step 1]"
            ),
            // Into the second bank.
            "E" => format!(
                "drain {fields} columns={lanes} tile=1 {drained} [row 0 base {}: 0..30 step 1]",
                8 * (self.bank() + 40)
            ),
            "ROT" => format!(
                "drain {fields} columns={lanes} tile=1 {drained} column=2 rotate=1 [row 0 base {}: 0..30 step 1]",
                8 * (self.bank() + 40)
            ),
            "M" => format!("matmul {fields} {product} {operands}"),
            // With the biases of another column tile.
            "M0" => format!(
                "matmul {fields} {product} {}",
                operands.replace("base 1]", "base 0]")
            ),
            "MT" => format!("matmul {fields} {product} entry=2 last_macs={macs} {operands}"),
            "C" => format!("copy {fields} rows={rows} distance=112 [row 0 base 80: 0..96 step 8]"),
            "load" if !fields.starts_with("space") => format!("load space={fields}"),
            "store" if !fields.starts_with("space") => format!("store space=0 region=3 {fields}"),
            _ => line.to_string(),
        }
    }

    /// A program of these instructions, which stores what it has left, does the same on both.
    pub fn agrees(&mut self, text: &str) -> Checked {
        let lines = text
            .split([';', '\n'])
            .map(|line| self.written(line.trim()));
        let lines: Vec<String> = lines.collect();
        let rows = self.params.array.rows;
        let behind = DUMP + 8 * rows * DUMPED;
        let text = format!(
            "{}\nsync wait=weights wait=stream wait=drain loads=0 stores=0\n\
             store space=0 region=3 offset={DUMP} partitions=2 place=0,0 x={DUMPED},1 y={rows},0,{}\n\
             store space=0 region=3 offset={behind} partitions=2 place={},0 x={DUMPED},1 y={rows},0,{}\nhalt",
            lines.join("\n"),
            8 * DUMPED,
            self.bank(),
            8 * DUMPED
        );
        let program = assemble(&text).map_err(|faults| format!("{faults:?}\n{text}"))?;
        let words: Vec<u32> = program.iter().flat_map(Instruction::encode).collect();
        let (found, counters) = self.both(&words)?;
        let counters = counters.map_err(|error| format!("{error}\n{text}"))?;
        if found != [0; 4] {
            return Err(format!("ERROR {found:?}\n{text}"));
        }
        for (counter, expected) in counters {
            let place = counter::REGISTER.offset + 4 * counter.index();
            let found = self.bench.read(place);
            if !TIMED.contains(&counter) && found != expected {
                return Err(format!("{counter:?} {found}, model has {expected}\n{text}"));
            }
        }
        self.runs += 1;
        Ok(())
    }

    /// Runs words on both: code, source, word address and PROGRAM of an error, then what the model says. Memory is compared.
    pub fn both(&mut self, words: &[u32]) -> Checked<([u32; 4], Counted)> {
        let mut bytes: Vec<u8> = (0..MEMORY / 8)
            .flat_map(|word| self.bench.bus.word(8 * word).to_le_bytes())
            .collect();
        let mut even = words.to_vec();
        even.resize(words.len().next_multiple_of(2), 0);
        self.golden.write_program(0, &even);
        let host = HostMemory {
            bytes: &mut bytes,
            regions: [Some(IMAGE), None, None, Some(OUTPUT)],
        };
        let counted = self
            .golden
            .run_beside(0, 200_000, (host, Pace::Latency(10)), |_| {});
        let before = self.bench.get(q_seq::REGISTER);
        self.begin(words);
        self.bench.ends(before + 1);
        let [code, source] = self.bench.error();
        let said = self.bench.get(error::REGISTER);
        let place = self.bench.get(error_pc::REGISTER);
        let found = [
            code,
            source,
            error_pc::PC.get(place),
            error::PROGRAM.get(said),
        ];
        // The ring and the program that was written are no results.
        let compared = OUTPUT / 8..MEMORY / 8;
        for word in compared.filter(|_| counted.is_ok()) {
            let at = 8 * word as usize;
            let expected = u64::from_le_bytes(bytes[at..at + 8].try_into().expect("a word"));
            let stored = self.bench.bus.word(8 * word);
            if stored != expected {
                let text = format!("{stored:#x} at {at:#x}, model has {expected:#x}");
                return Err(self.bench.dut.message(&text));
            }
        }
        let counted = counted.map(|counters| counters.iter().collect());
        Ok((found, counted))
    }

    /// The hardware loads and runs a program.
    pub fn begin(&mut self, words: &[u32]) {
        for (pair, at) in words.chunks(2).zip(0..) {
            let high = pair.get(1).copied().unwrap_or(0);
            let word = u64::from(pair[0]) | u64::from(high) << 32;
            let address = IMAGE + PROGRAMS + 8 * at;
            self.bench.bus.memory.insert(address, word);
        }
        let list = self.list(words.len().div_ceil(2) as u32);
        self.bench.submit(&list);
    }

    fn list(&self, pairs: u32) -> Vec<Job> {
        let program = Transfer {
            space: Space::Program,
            region: 0,
            fill: false,
            partitions: 0,
            zero: 0,
            offset: PROGRAMS as u32,
            place: [0, 0],
            loops: [
                Walk {
                    count: pairs,
                    step: 1,
                    pitch: 8,
                },
                Walk::ONCE,
                Walk::ONCE,
            ],
        };
        let waits = JobWaits {
            program: true,
            ..LOADS
        };
        vec![
            job(
                PROGRAM,
                Work::Regions([Some(IMAGE), None, None, Some(OUTPUT)]),
            ),
            Work::Load(program).into(),
            run(&self.bench, 0, waits),
            Work::Fence { interrupt: true }.into(),
        ]
    }
}

/// What orders instructions with LOAD and STORE, each at its smallest distance. Words 256 (512 in the other machine) and more are those of
/// the second bank, written `B`.
const RULES: &str = "
    # A unit reads what a LOAD writes.
    load 0 offset=8 place=B+0,0 partitions=2 x=2,1 y=R,0,16; W loads=0; D; M
    load 0 offset=72 place=1,0 partitions=2 x=4,1 y=R,0,48; W; D; M loads=0
    load 0 offset=24 place=10,0 partitions=2 x=12,1 y=R,0,96; C loads=0
    load 0 offset=88 place=B+0,0 partitions=2 x=2,1 y=R,0,16; load 0 offset=8 place=1,0 partitions=2 x=4,1 y=R,0,48; W loads=1; D; M loads=0
    load 1 offset=2064 place=1,0 x=3,1; W; D loads=0; M
    load 1 offset=2080 place=0,0 x=3,1; W; D; M0 loads=0
    load 2 offset=2568 place=2,0 partitions=2 x=1,1 y=R,0,8; W; D; MT loads=0
    load 3 offset=16 place=0,0 x=256,1; W; DA loads=0; M
    # A LOAD overwrites what a unit reads or writes.
    W; D; M; load 0 offset=48 place=B+0,0 partitions=2 x=2,1 y=R,0,16 wait=weights
    W; D; M; W2; load 0 offset=40 place=B+0,0 partitions=2 x=2,1 y=R,0,16; D wait=drain; M
    W; D; M; load 0 offset=128 place=1,0 partitions=2 x=4,1 y=R,0,48 wait=stream
    W; D; M; W2; D; M; load 0 offset=136 place=40,0 partitions=2 x=4,1 y=R,0,48 wait=drain
    W; D; M; load 0 offset=136 place=40,0 partitions=2 x=4,1 y=R,0,48 wait=drain
    C; load 0 offset=200 place=10,0 partitions=2 x=12,1 y=R,0,96 wait=weights
    C; load 0 offset=208 place=24,0 partitions=2 x=12,1 y=R,0,96 wait=weights
    W; D; M; C; load 0 offset=48 place=1,0 partitions=2 x=4,1 y=R,0,48 wait=stream
    W; D; M; load 1 offset=2112 place=1,0 x=3,1 wait=drain wait=stream
    W; D; MT; load 2 offset=2576 place=2,0 partitions=2 x=1,1 y=R,0,8 wait=stream
    W; DA; M; load 3 offset=24 place=0,0 x=256,1 wait=drain
    # A STORE reads what DRAIN or COPY writes.
    W; D; M; store place=40,0 partitions=2 x=4,1 y=R,0,32 wait=drain
    C; store place=24,0 partitions=2 x=12,1 y=R,0,96 wait=weights
    # DRAIN or COPY overwrites what a STORE reads or a LOAD writes.
    load 0 offset=96 place=40,0 partitions=2 x=4,1 y=R,0,48; store place=40,0 partitions=2 x=4,1 y=R,0,32 loads=0; W; D stores=0; M
    load 0 offset=96 place=24,0 partitions=2 x=12,1 y=R,0,96; store place=24,0 partitions=2 x=12,1 y=R,0,96 loads=0; C stores=0
    load 0 offset=8 place=40,0 partitions=2 x=4,1 y=R,0,48; W; D loads=0; M
    load 0 offset=8 place=24,0 partitions=2 x=12,1 y=R,0,96; C loads=0
    load 0 offset=104 place=24,0 partitions=2 x=12,1 y=R,0,96; store place=24,0 partitions=2 x=12,1 y=R,0,96 loads=0; store offset=512 place=B+24,0 x=12,1; C stores=1
    # LOAD and STORE meet in the state buffer, or in memory.
    load 0 offset=64 place=60,0 partitions=2 x=20,1 y=R,0,160; store place=60,0 partitions=2 x=20,1 y=R,0,160 loads=0
    store place=60,0 partitions=2 x=20,1 y=R,0,160; load 0 offset=72 place=60,0 partitions=2 x=20,1 y=R,0,160 stores=0
    store place=1,0 x=60,1; load 0 region=3 place=100,0 x=60,1 stores=0
    load 0 region=3 place=100,1 x=60,1; store place=20,0 x=60,1 loads=0
    # Fills, and more commands than have room.
    load 0 fill place=60,0 partitions=2 x=20,1 y=R,0; load 0 offset=8 place=90,0 x=5,1; load 0 offset=16 place=96,0 x=5,1; load 0 offset=24 place=102,0 x=5,1; load 0 offset=32 place=108,0 x=5,1; load 0 offset=40 place=114,0 x=5,1; load 0 offset=48 place=120,0 x=5,1; load 0 offset=56 place=126,0 x=5,1; load 0 offset=64 place=132,0 x=5,1; load 0 offset=72 place=138,0 x=5,1; load 0 offset=80 place=144,0 x=5,1; load 0 offset=88 place=150,0 x=5,1; load 0 offset=96 place=156,0 x=5,1; load 0 offset=104 place=162,0 x=5,1; C loads=0
";

/// Rows of the table, and how many.
pub fn rules(rig: &mut Rig) -> Checked<u32> {
    let (bank, rows) = (rig.bank(), rig.params.array.rows);
    let before = rig.runs;
    let lines = RULES.lines().map(str::trim);
    for line in lines.filter(|line| !line.is_empty() && !line.starts_with('#')) {
        let mut text = line.replace("y=R", &format!("y={rows}"));
        for word in [24, 0] {
            text = text.replace(&format!("B+{word}"), &(bank + word).to_string());
        }
        rig.agrees(&text)?;
    }
    Ok(rig.runs - before)
}

pub fn manners(latency: u64, pace: u32) -> Manners {
    Manners {
        latency: (latency, latency + 3),
        pace,
        wrong: None,
    }
}

#[proves("PET-62")]
#[test]
fn programs_that_keep_the_order_load_and_store_as_on_the_golden_machine() {
    let mut rows = 0;
    for (wide, latency, pace) in [
        (false, 1, 100),
        (false, 60, 100),
        (false, 9, 40),
        (true, 1, 100),
        (true, 40, 70),
    ] {
        let sources = if wide { &WIDE } else { &SQUARE };
        let rig = Rig::new(sources, wide, latency, manners(latency, pace));
        rows += rig
            .and_then(|mut rig| rules(&mut rig))
            .unwrap_or_else(|text| panic!("{text}"));
    }
    assert_eq!(rows, 5 * 31);
}

/// Words of a program that a program loads, behind two SYNCs.
#[test]
fn words_of_a_program_come_in_time_behind_two_syncs() {
    for latency in [1, 50] {
        let mut rig = Rig::new(&SQUARE, false, latency, manners(latency, 100)).expect("it begins");
        // LOAD takes nine words, then SYNCs: HALT comes to the words 12 and 13, the third one behind the wait.
        let text = format!(
            "load space=4 offset={LATER} place=6,0 x=1,1\nsync loads=0\nsync\nsync\nsync\nsync\nsync\nhalt"
        );
        let program = assemble(&text).expect("a program");
        let words: Vec<u32> = program.iter().flat_map(Instruction::encode).collect();
        let (found, counted) = rig.both(&words).expect("it ends");
        assert_eq!(found, [0; 4]);
        let counted = counted.expect("HALT");
        let instructions = |(counter, count): &(Counter, u32)| {
            (*counter == Counter::Instructions).then_some(*count)
        };
        assert_eq!(counted.iter().find_map(instructions), Some(5));
        let place = counter::REGISTER.offset + 4 * Counter::Instructions.index();
        assert_eq!(rig.bench.read(place), 5);
    }
}

/// Words that are wrong: how the hardware and the model say so.
fn wrong_words() -> Vec<(&'static str, Vec<u32>)> {
    let load = |change: &dyn Fn(&mut Vec<u32>)| {
        let program = assemble("sync\nload space=0 offset=8 place=4,0 x=2,1\nhalt").expect("right");
        let mut words: Vec<u32> = program.iter().flat_map(Instruction::encode).collect();
        change(&mut words);
        words
    };
    vec![
        ("length", load(&|words| words[1] ^= 0x100)),
        ("no flag of loads", load(&|words| words[1] |= 3 << 20)),
        ("no flag of stores", load(&|words| words[0] |= 1 << 25)),
        ("bit 29", load(&|words| words[0] |= 1 << 29)),
        ("space 8", load(&|words| (words[2], words[5]) = (8, 1))),
        ("space 5", load(&|words| words[2] = 5)),
        ("a bit of no field", load(&|words| words[2] |= 1 << 6)),
        (
            "a fill with a zero point",
            load(&|words| words[2] = 0x1_0080),
        ),
        ("an odd offset", load(&|words| words[3] |= 4)),
        ("an odd pitch", load(&|words| words[9] |= 2)),
        ("a step of no bits", load(&|words| words[8] |= 1 << 30)),
        (
            "a STORE of space 1",
            load(&|words| (words[1], words[2]) = (words[1] + 1, 1)),
        ),
        (
            "a STORE that fills",
            load(&|words| {
                (words[1], words[2], words[3]) = (words[1] + 1, 0x80, 0);
            }),
        ),
        ("opcode 0x0a", load(&|words| words[1] += 2)),
    ]
}

#[test]
fn words_of_a_load_or_store_that_are_wrong_stop_the_program() {
    let mut rig = Rig::new(&SQUARE, false, 1, manners(5, 100)).expect("it begins");
    let mut cases = 0;
    for (what, words) in wrong_words() {
        let (found, counted) = rig.both(&words).expect("it ends");
        let Err(MachineError::Stopped { code, pc, .. }) = counted else {
            panic!("{what}: {counted:?}");
        };
        assert_eq!(found, [u32::from(code.number()), 0, pc, 0], "{what}");
        rig.bench.reset();
        cases += 1;
    }
    assert_eq!(cases, 14);
}

#[test]
fn errors_of_the_dma_name_the_instruction_and_the_run() {
    let mut rig = Rig::new(&SQUARE, false, 1, manners(5, 100)).expect("it begins");
    let mut cases = 0;
    for (text, code, source, pc, address) in [
        ("sync\nload space=0 place=511,0 x=2,1\nhalt", 11, 4, 1, 0),
        (
            "sync\nsync\nstore space=0 region=3 partitions=1 place=0,3 x=2,0\nhalt",
            11,
            5,
            2,
            0,
        ),
        (
            "load space=0 offset=12288 place=0,0 x=2,1\nsync loads=0\nhalt",
            10,
            4,
            0,
            IMAGE + 12288,
        ),
        (
            "sync\nstore space=0 region=0 place=0,0 x=2,1\nhalt",
            10,
            5,
            1,
            IMAGE,
        ),
    ] {
        let program = assemble(text).expect("a program");
        let words: Vec<u32> = program.iter().flat_map(Instruction::encode).collect();
        let entry = (rig.bench.tail + 2) % 16;
        let (found, _) = rig.both(&words).expect("it ends");
        assert_eq!(found, [code, source, pc, 1], "{text}");
        let place = rig.bench.get(error_pc::REGISTER);
        assert_eq!(error_pc::INDEX.get(place), entry, "{text}");
        let low = rig
            .bench
            .get(heddle_arch::registers::error_addr_lo::REGISTER);
        assert_eq!(u64::from(low), address, "{text}");
        assert!(status::ERROR.is_set(rig.bench.status()));
        rig.bench.reset();
        cases += 1;
    }
    assert_eq!(cases, 4);
    let again = "load 0 zero=7 partitions=2 place=0,0 x=192,1 y=4,0,64; sync loads=0; C";
    rig.agrees(again).expect("what follows is right");
}
