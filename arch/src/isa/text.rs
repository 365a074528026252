//! Instructions as text, one line each, and back.
//!
//! A line is the name of the instruction, its fields as `name=value` in any order, and its record: the
//! blocks `[row ROW base ADDRESS: INITIAL..END step STEP, ...]`, the innermost loop first. `#` begins a comment.

mod fields;

use std::fmt::{self, Write};

use super::{
    CopyWords, Drain, DrainPlace, Instruction, LoadWeights, Loop, Matmul, Move, Pooling, Record,
    Reduction, Repeat, RowBlock, RowTable, SparseCommand, Wait,
};
use fields::Fields;

/// A line that says no instruction.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {message}")]
pub struct AsmError {
    /// Line, counted from 1.
    pub line: usize,
    /// Field, value and what is allowed.
    pub message: String,
}

impl fmt::Display for Instruction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let flag = |set: bool, name: &str| match set {
            true => format!(" {name}"),
            false => String::new(),
        };
        match self {
            Instruction::Halt { .. } => f.write_str("halt")?,
            Instruction::Sync { .. } => f.write_str("sync")?,
            Instruction::Load(Move { transfer, .. }) => write!(f, "load {transfer}")?,
            Instruction::Store(Move { transfer, .. }) => write!(f, "store {transfer}")?,
            Instruction::Sparse(SparseCommand { words, .. }) => {
                let words: Vec<_> = words.iter().map(|word| format!("{word:x}")).collect();
                write!(f, "sparse words={}", words.join(","))?;
            }
            Instruction::Copy(copy) => {
                write!(f, "copy rows={} distance={}", copy.rows, copy.distance)?;
            }
            Instruction::LoadWeights(load) => {
                let streamed = flag(load.streamed, "streamed");
                let (rows, level) = (load.rows, load.tile_level);
                write!(f, "load_weights rows={rows} level={level}{streamed}")?;
                if load.flip != 0 {
                    write!(f, " flip={}", load.flip)?;
                }
            }
            Instruction::Matmul(matmul) => {
                let flags = [
                    flag(matmul.first, "first"),
                    flag(matmul.last, "last"),
                    flag(matmul.raised, "raised"),
                    flag(matmul.cluster, "cluster"),
                ];
                let (rows, flags, bank) = (matmul.rows, flags.concat(), u8::from(matmul.bank));
                write!(f, "matmul rows={rows}{flags} bank={bank}")?;
                let (level, threshold) = (matmul.tile_level, matmul.threshold);
                write!(
                    f,
                    " level={level} threshold={threshold} macs={}",
                    matmul.macs
                )?;
                if let Some(table) = matmul.table {
                    let (entry, macs) = (table.first_entry, table.last_macs);
                    write!(f, " entry={entry} last_macs={macs}")?;
                }
                if let Some(Repeat { times, step }) = matmul.repeat {
                    write!(f, " times={times} step={step}")?;
                }
            }
            Instruction::Drain(drain) => {
                let flags = flag(drain.single, "single") + &flag(drain.dual, "dual");
                write!(f, "drain columns={}{flags}", drain.columns)?;
                write!(f, " tile={} lo={} hi={}", drain.tile, drain.lo, drain.hi)?;
                if let Some(place) = drain.place {
                    let (column, rotate) = (place.first_column, place.rotate);
                    write!(f, " column={column} rotate={rotate}")?;
                }
                if drain.activation != 0 {
                    write!(f, " activation={}", drain.activation)?;
                }
                if let Some(Pooling { reduction, window }) = drain.pooling {
                    write!(f, " pool={} window={window}", reduction.name())?;
                }
                if let Some(level) = drain.advance {
                    write!(f, " advance={level}")?;
                }
            }
        }
        let wait = self.wait();
        for (set, unit) in [
            (wait.weights, "weights"),
            (wait.stream, "stream"),
            (wait.drain, "drain"),
        ] {
            if set {
                write!(f, " wait={unit}")?;
            }
        }
        for (most, name) in [(wait.loads, "loads"), (wait.stores, "stores")] {
            if let Some(most) = most {
                write!(f, " {name}={most}")?;
            }
        }
        for RowBlock { row, base, loops } in self.record().map_or(&[][..], |record| &record.rows) {
            write!(f, " [row {row} base {base}")?;
            let mut separator = ':';
            for Loop { initial, step, end } in loops {
                write!(f, "{separator} {initial}..{end} step {step}")?;
                separator = ',';
            }
            f.write_str("]")?;
        }
        Ok(())
    }
}

/// Lists instructions with their word addresses.
///
/// # Errors
/// If a word begins no instruction: its address and what is wrong.
pub fn disassemble(words: &[u32]) -> Result<String, AsmError> {
    let mut text = String::new();
    let mut at = 0;
    while at < words.len() {
        let (instruction, length) =
            Instruction::decode(&words[at..]).map_err(|error| AsmError {
                line: text.lines().count() + 1,
                message: format!("word {at}: {error}"),
            })?;
        writeln!(text, "{instruction}  # {at}").expect("a string takes everything");
        at += length;
    }
    Ok(text)
}

/// Reads instructions.
///
/// # Errors
/// Every faulty line.
pub fn assemble(text: &str) -> Result<Vec<Instruction>, Vec<AsmError>> {
    let mut instructions = Vec::new();
    let mut errors = Vec::new();
    for (line, full) in (1..).zip(text.lines()) {
        let content = full.split('#').next().unwrap_or_default().trim();
        if content.is_empty() {
            continue;
        }
        let read = instruction(content).and_then(|instruction| {
            let checked = instruction.check().map_err(|error| error.to_string());
            checked.map(|()| instruction)
        });
        match read {
            Ok(instruction) => instructions.push(instruction),
            Err(message) => errors.push(AsmError { line, message }),
        }
    }
    match errors.is_empty() {
        true => Ok(instructions),
        false => Err(errors),
    }
}

const NAMES: &str = "halt, load_weights, matmul, drain, copy, sparse, sync, load or store";

fn instruction(content: &str) -> Result<Instruction, String> {
    let (head, blocks) = match content.find('[') {
        Some(at) => content.split_at(at),
        None => (content, ""),
    };
    let mut words = head.split_whitespace();
    let name = words.next().unwrap_or_default();
    let mut fields = Fields::read(words)?;
    let record = Record {
        rows: record(blocks)?,
    };
    let wait = fields.wait()?;
    let instruction = match name {
        "halt" if record.rows.is_empty() => Instruction::Halt { wait },
        "sync" if record.rows.is_empty() => Instruction::Sync { wait },
        "sparse" if record.rows.is_empty() => Instruction::Sparse(SparseCommand {
            wait,
            words: hexadecimal(&fields.value::<String>("words", None)?)?,
        }),
        "load" if record.rows.is_empty() => Instruction::Load(Move {
            wait,
            transfer: fields.transfer()?,
        }),
        "store" if record.rows.is_empty() => Instruction::Store(Move {
            wait,
            transfer: fields.transfer()?,
        }),
        "halt" | "sync" | "sparse" | "load" | "store" => {
            return Err(format!("{name} has no record"));
        }
        "copy" => Instruction::Copy(CopyWords {
            wait,
            rows: fields.value("rows", None)?,
            distance: fields.value("distance", None)?,
            record,
        }),
        "load_weights" => Instruction::LoadWeights(LoadWeights {
            wait,
            rows: fields.value("rows", None)?,
            tile_level: fields.value("level", None)?,
            flip: fields.value("flip", Some(0))?,
            streamed: fields.flag("streamed"),
            record,
        }),
        "matmul" => {
            let table = fields.given(&["entry"], |fields| {
                Ok(RowTable {
                    first_entry: fields.value("entry", None)?,
                    last_macs: fields.value("last_macs", None)?,
                })
            })?;
            Instruction::Matmul(Matmul {
                wait,
                rows: fields.value("rows", None)?,
                first: fields.flag("first"),
                last: fields.flag("last"),
                raised: fields.flag("raised"),
                cluster: fields.flag("cluster"),
                bank: fields
                    .value::<u8>("bank", None)
                    .and_then(|bank| match bank {
                        0 | 1 => Ok(bank == 1),
                        _ => Err(format!("bank is {bank}, expected 0 or 1")),
                    })?,
                tile_level: fields.value("level", None)?,
                threshold: fields.value("threshold", None)?,
                macs: fields.value("macs", None)?,
                table,
                repeat: fields.given(&["times"], |fields| {
                    Ok(Repeat {
                        times: fields.value("times", None)?,
                        step: fields.value("step", Some(0))?,
                    })
                })?,
                record,
            })
        }
        "drain" => {
            let place = fields.given(&["column", "rotate"], |fields| {
                Ok(DrainPlace {
                    first_column: fields.value("column", Some(0))?,
                    rotate: fields.value("rotate", Some(0))?,
                })
            })?;
            Instruction::Drain(Drain {
                wait,
                columns: fields.value("columns", None)?,
                single: fields.flag("single"),
                dual: fields.flag("dual"),
                tile: fields.value("tile", None)?,
                lo: fields.value("lo", None)?,
                hi: fields.value("hi", None)?,
                place,
                activation: fields.value("activation", Some(0))?,
                pooling: fields.given(&["pool"], |fields| {
                    Ok(Pooling {
                        reduction: reduction(&fields.value::<String>("pool", None)?)?,
                        window: fields.value("window", None)?,
                    })
                })?,
                advance: fields.given(&["advance"], |fields| fields.value("advance", None))?,
                record,
            })
        }
        _ => return Err(format!("{name:?}, expected an instruction: {NAMES}")),
    };
    fields.none_left(name)?;
    Ok(instruction)
}

/// Words with commas between them.
fn hexadecimal(words: &str) -> Result<Vec<u32>, String> {
    let read = |word| {
        u32::from_str_radix(word, 16)
            .map_err(|_| format!("word is {word:?}, expected up to 8 hexadecimal digits"))
    };
    words.split(',').map(read).collect()
}

fn reduction(name: &str) -> Result<Reduction, String> {
    let mut all = Reduction::ALL.into_iter();
    let found = all.find(|reduction| reduction.name() == name);
    found.ok_or_else(|| format!("pool is {name:?}, expected max, min, sum, product or median"))
}

/// Blocks `[row R base B: I..E step S, ...]`.
fn record(text: &str) -> Result<Vec<RowBlock>, String> {
    let mut rows = Vec::new();
    let mut rest = text.trim();
    while !rest.is_empty() {
        let (block, behind) = rest
            .strip_prefix('[')
            .and_then(|rest| rest.split_once(']'))
            .ok_or_else(|| format!("{rest:?}, expected a block in brackets"))?;
        rows.push(row(block)?);
        rest = behind.trim();
    }
    Ok(rows)
}

fn row(block: &str) -> Result<RowBlock, String> {
    let form =
        || format!("[{block}], expected [row ROW base ADDRESS: INITIAL..END step STEP, ...]");
    let (head, loops) = block.split_once(':').unwrap_or((block, ""));
    let words: Vec<&str> = head.split_whitespace().collect();
    let ["row", row, "base", base] = words[..] else {
        return Err(form());
    };
    let mut values = Vec::new();
    for text in loops
        .split(',')
        .map(str::trim)
        .filter(|text| !text.is_empty())
    {
        let (range, step) = text.split_once(" step ").ok_or_else(form)?;
        let (initial, end) = range.split_once("..").ok_or_else(form)?;
        let number = |text: &str| text.trim().parse().map_err(|_| form());
        values.push(Loop {
            initial: number(initial)?,
            step: number(step)?,
            end: number(end)?,
        });
    }
    Ok(RowBlock {
        row: row.parse().map_err(|_| form())?,
        base: base.parse().map_err(|_| form())?,
        loops: values,
    })
}
