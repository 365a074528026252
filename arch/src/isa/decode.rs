//! From words to instructions.

use super::fields::{
    Field, copy, copy_distance, drain, drain_bounds, drain_place, drain_pool, header, load_weights,
    matmul, matmul_macs, matmul_repeat, matmul_table, row, sparse,
};
use super::{
    CopyWords, Drain, DrainPlace, ErrorCode, Instruction, IsaError, LoadWeights, Loop, Matmul,
    Move, OP_COPY, OP_DRAIN, OP_HALT, OP_LOAD, OP_LOAD_WEIGHTS, OP_MATMUL, OP_STORE, OP_SYNC,
    Pooling, Record, Reduction, Repeat, RowBlock, RowTable, SparseCommand, Wait, is_sparse,
};
use crate::transfer::{Transfer, WORDS_OF_TRANSFER};
use crate::word::WORD_BYTES;

/// Bits of a header that say what to wait for.
const WAITS: u32 = header::WAIT_WEIGHTS.up_to(header::STORES).mask();

impl Instruction {
    /// Decodes the instruction at the start of `words`; also gives its length in words.
    ///
    /// # Errors
    /// With the code with which a machine of the largest size would stop; [`Instruction::check_machine`]
    /// knows the limits of a smaller one. [`ErrorCode::ProgramEnd`] if the words end too early.
    pub fn decode(words: &[u32]) -> Result<(Instruction, usize), IsaError> {
        let Some(&header) = words.first() else {
            return Err(IsaError::new(ErrorCode::ProgramEnd, "no word left"));
        };
        let opcode = header::OPCODE.get(header);
        let length = header::LENGTH.get(header) as usize;
        let (name, fixed) = match opcode {
            OP_HALT => ("HALT", 1),
            OP_LOAD_WEIGHTS => ("LOAD_WEIGHTS", 2),
            OP_MATMUL => ("MATMUL", 3),
            OP_DRAIN => ("DRAIN", 3),
            OP_COPY => ("COPY", 3),
            OP_SYNC => ("SYNC", 1),
            OP_LOAD => ("LOAD", 1 + WORDS_OF_TRANSFER),
            OP_STORE => ("STORE", 1 + WORDS_OF_TRANSFER),
            _ if is_sparse(opcode) => ("SPARSE", 2),
            _ => {
                let message = format!("opcode is {opcode:#04x}");
                return Err(IsaError::new(ErrorCode::IllegalOpcode, message));
            }
        };
        // The others end with a record or with words of a command.
        let is_whole = matches!(opcode, OP_HALT | OP_SYNC | OP_LOAD | OP_STORE);
        if length < fixed || (is_whole && length != fixed) {
            let allowed = if is_whole { "" } else { "at least " };
            let message = format!("length of {name} is {length}, expected {allowed}{fixed}");
            return Err(IsaError::new(ErrorCode::BadLength, message));
        }
        let mut used = header::WORD.used();
        if is_sparse(opcode) {
            used |= sparse::header::WAIT_RUNS.mask();
        }
        reserved(name, "word 0", header, used)?;
        let Some(words) = words.get(..length) else {
            let message = format!("{name} needs {length} words, {} left", words.len());
            return Err(IsaError::new(ErrorCode::ProgramEnd, message));
        };
        let instruction = decode_body(opcode, name, words)?;
        instruction.check()?;
        Ok((instruction, length))
    }
}

fn decode_body(opcode: u32, name: &str, words: &[u32]) -> Result<Instruction, IsaError> {
    let wait = waits(name, words[0])?;
    Ok(match opcode {
        _ if is_sparse(opcode) => Instruction::Sparse(SparseCommand {
            wait,
            words: [&[words[0] & !WAITS], &words[1..]].concat(),
        }),
        OP_LOAD_WEIGHTS => {
            let word = words[1];
            reserved(name, "word 1", word, load_weights::WORD.used())?;
            Instruction::LoadWeights(LoadWeights {
                wait,
                rows: load_weights::ROWS.get(word),
                tile_level: load_weights::LEVEL.get(word),
                flip: load_weights::FLIP.get(word),
                streamed: load_weights::STREAMED.is_set(word),
                record: decode_record(name, &words[2..])?,
            })
        }
        OP_MATMUL => Instruction::Matmul(decode_matmul(wait, name, words)?),
        OP_DRAIN => Instruction::Drain(decode_drain(wait, name, words)?),
        OP_COPY => {
            reserved(name, "word 1", words[1], copy::WORD.used())?;
            reserved(name, "word 2", words[2], copy_distance::WORD.used())?;
            Instruction::Copy(CopyWords {
                wait,
                rows: copy::ROWS.get(words[1]),
                distance: WORD_BYTES * copy_distance::WORDS.get(words[2]),
                record: decode_record(name, &words[3..])?,
            })
        }
        OP_SYNC => Instruction::Sync { wait },
        OP_LOAD | OP_STORE => {
            let words = std::array::from_fn(|word| words[1 + word]);
            let transfer = Transfer::decode(&words).map_err(|fault| fault.in_program(name))?;
            let moved = Move { wait, transfer };
            match opcode {
                OP_LOAD => Instruction::Load(moved),
                _ => Instruction::Store(moved),
            }
        }
        _ => Instruction::Halt { wait },
    })
}

/// What a header waits for.
fn waits(name: &str, header: u32) -> Result<Wait, IsaError> {
    let open = |flag: Field, most: Field| {
        if !flag.is_set(header) {
            let field = format!("{} without {}", most.name, flag.name);
            return reserved(name, &field, header, !most.mask()).map(|()| None);
        }
        Ok(Some(most.get(header) as u8))
    };
    Ok(Wait {
        weights: header::WAIT_WEIGHTS.is_set(header),
        stream: header::WAIT_STREAM.is_set(header),
        drain: header::WAIT_DRAIN.is_set(header),
        loads: open(header::WAIT_LOADS, header::LOADS)?,
        stores: open(header::WAIT_STORES, header::STORES)?,
    })
}

fn decode_matmul(wait: Wait, name: &str, words: &[u32]) -> Result<Matmul, IsaError> {
    let word = words[1];
    reserved(name, "word 1", word, matmul::WORD.used())?;
    reserved(name, "word 2", words[2], matmul_macs::WORD.used())?;
    let mut rest = &words[3..];
    let mut table = None;
    if matmul::TABLE.is_set(word) {
        let short = format!("length of {name} with row tables is 3, expected at least 4");
        let word = next(&mut rest, short)?;
        reserved(name, "word 3", word, matmul_table::WORD.used())?;
        table = Some(RowTable {
            first_entry: matmul_table::ENTRY.get(word) as u8,
            last_macs: matmul_table::LAST_MACS.get(word),
        });
    }
    let mut repeat = None;
    if matmul::REPEATED.is_set(word) {
        let short = format!("{name} that repeats ends in front of the word for it");
        let word = next(&mut rest, short)?;
        reserved(
            name,
            "word of repetitions",
            word,
            matmul_repeat::WORD.used(),
        )?;
        repeat = Some(Repeat {
            times: matmul_repeat::TIMES.get(word) + 1,
            step: matmul_repeat::STEP.get(word),
        });
    }
    Ok(Matmul {
        wait,
        rows: matmul::ROWS.get(word),
        first: matmul::FIRST.is_set(word),
        last: matmul::LAST.is_set(word),
        bank: matmul::BANK.is_set(word),
        raised: matmul::RAISED.is_set(word),
        cluster: matmul::CLUSTER.is_set(word),
        tile_level: matmul::LEVEL.get(word),
        threshold: matmul::THRESHOLD.get(word) as u8,
        macs: words[2],
        table,
        repeat,
        record: decode_record(name, rest)?,
    })
}

fn decode_drain(wait: Wait, name: &str, words: &[u32]) -> Result<Drain, IsaError> {
    let word = words[1];
    let advances = drain::ADVANCING.is_set(word);
    let level = if advances { 0 } else { drain::LEVEL.mask() };
    reserved(name, "word 1", word, drain::WORD.used() & !level)?;
    reserved(name, "word 2", words[2], drain_bounds::WORD.used())?;
    let mut rest = &words[3..];
    let mut place = None;
    if drain::PLACED.is_set(word) {
        let short = format!("length of {name} that is placed is 3, expected at least 4");
        let word = next(&mut rest, short)?;
        reserved(name, "word 3", word, drain_place::WORD.used())?;
        place = Some(DrainPlace {
            first_column: drain_place::COLUMN.get(word),
            rotate: drain_place::ROTATE.get(word),
        });
    }
    let mut pooling = None;
    if drain::POOLED.is_set(word) {
        let short = format!("{name} that pools ends in front of the word for it");
        let word = next(&mut rest, short)?;
        reserved(name, "word of pooling", word, drain_pool::WORD.used())?;
        let number = drain_pool::REDUCTION.get(word);
        let Some(reduction) = Reduction::from_number(number) else {
            let message = format!("reduction is {number}, expected 0 to 4");
            return Err(IsaError::new(ErrorCode::BadField, message));
        };
        let window = drain_pool::WINDOW.get(word) + 1;
        pooling = Some(Pooling { reduction, window });
    }
    Ok(Drain {
        wait,
        columns: drain::COLUMNS.get(word),
        single: drain::SINGLE.is_set(word),
        dual: drain::DUAL.is_set(word),
        tile: drain::TILE.get(word) as u16,
        lo: signed9(drain_bounds::LO.get(words[2])),
        hi: signed9(drain_bounds::HI.get(words[2])),
        place,
        activation: drain::ACTIVATION.get(word) as u8,
        pooling,
        advance: advances.then_some(drain::LEVEL.get(word) as u8),
        record: decode_record(name, rest)?,
    })
}

/// Takes the next word.
fn next(words: &mut &[u32], short: String) -> Result<u32, IsaError> {
    let Some((&word, rest)) = words.split_first() else {
        return Err(IsaError::new(ErrorCode::BadLength, short));
    };
    *words = rest;
    Ok(word)
}

fn decode_record(name: &str, mut words: &[u32]) -> Result<Record, IsaError> {
    let mut rows = Vec::new();
    while let [head, rest @ ..] = words {
        reserved(name, "row word", *head, row::WORD.used())?;
        let loops = row::LOOPS.get(*head) as usize;
        if loops > 8 {
            let message = format!("loops is {loops}, expected 0 to 8");
            return Err(IsaError::new(ErrorCode::BadField, message));
        }
        let needed = 1 + 3 * loops;
        if rest.len() < needed {
            let message = format!("record of {name} does not end with the instruction");
            return Err(IsaError::new(ErrorCode::BadLength, message));
        }
        rows.push(RowBlock {
            row: row::ROW.get(*head) as u8,
            base: rest[0],
            loops: rest[1..needed].chunks_exact(3).map(decode_loop).collect(),
        });
        words = &rest[needed..];
    }
    Ok(Record { rows })
}

fn decode_loop(words: &[u32]) -> Loop {
    Loop {
        initial: words[0],
        step: words[1],
        end: words[2],
    }
}

fn reserved(name: &str, word: &str, value: u32, used: u32) -> Result<(), IsaError> {
    if value & !used == 0 {
        return Ok(());
    }
    let message = format!("{name} {word} is {value:#010x}, bits outside {used:#010x} set");
    Err(IsaError::new(ErrorCode::BadField, message))
}

fn signed9(bits: u32) -> i16 {
    let value = bits as i16;
    if value < 256 { value } else { value - 512 }
}
