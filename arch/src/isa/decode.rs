//! From words to instructions.

use super::{
    CopyWords, Drain, DrainPlace, ErrorCode, Instruction, IsaError, LoadWeights, Loop, Matmul,
    OP_COPY, OP_DRAIN, OP_HALT, OP_LOAD_WEIGHTS, OP_MATMUL, OP_SYNC, Pooling, Record, Reduction,
    Repeat, RowBlock, RowTable, Wait,
};

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
        let opcode = header & 0xff;
        let length = (header >> 8 & 0xff) as usize;
        let (name, fixed) = match opcode {
            OP_HALT => ("HALT", 1),
            OP_LOAD_WEIGHTS => ("LOAD_WEIGHTS", 2),
            OP_MATMUL => ("MATMUL", 3),
            OP_DRAIN => ("DRAIN", 3),
            OP_COPY => ("COPY", 3),
            OP_SYNC => ("SYNC", 1),
            _ => {
                let message = format!("opcode is {opcode:#04x}");
                return Err(IsaError::new(ErrorCode::IllegalOpcode, message));
            }
        };
        // HALT and SYNC are a header alone.
        if length < fixed || (fixed == 1 && length != 1) {
            let allowed = if fixed == 1 { "" } else { "at least " };
            let message = format!("length of {name} is {length}, expected {allowed}{fixed}");
            return Err(IsaError::new(ErrorCode::BadLength, message));
        }
        reserved(name, "word 0", header, 0x0007_ffff)?;
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
    let wait = Wait {
        weights: bit(words[0], 16),
        stream: bit(words[0], 17),
        drain: bit(words[0], 18),
    };
    Ok(match opcode {
        OP_LOAD_WEIGHTS => {
            reserved(name, "word 1", words[1], 0x001f_f1ff)?;
            Instruction::LoadWeights(LoadWeights {
                wait,
                rows: words[1] & 0x1ff,
                tile_level: words[1] >> 12 & 7,
                flip: words[1] >> 15 & 0x1f,
                streamed: bit(words[1], 20),
                record: decode_record(name, &words[2..])?,
            })
        }
        OP_MATMUL => {
            reserved(name, "word 1", words[1], 0x01ff_ffff)?;
            reserved(name, "word 2", words[2], 0x0001_ffff)?;
            let (table, rest) = match bit(words[1], 15) {
                true => decode_table(name, &words[3..])?,
                false => (None, &words[3..]),
            };
            let (repeat, record) = match bit(words[1], 24) {
                true => decode_repeat(name, rest)?,
                false => (None, rest),
            };
            Instruction::Matmul(Matmul {
                wait,
                rows: words[1] & 0x1ff,
                first: bit(words[1], 9),
                last: bit(words[1], 10),
                bank: bit(words[1], 11),
                tile_level: words[1] >> 12 & 7,
                threshold: (words[1] >> 16) as u8,
                macs: words[2],
                table,
                repeat,
                record: decode_record(name, record)?,
            })
        }
        OP_DRAIN => {
            let advances = bit(words[1], 24);
            let levels = if advances { 0x0e00_0000 } else { 0 };
            reserved(name, "word 1", words[1], 0x01ff_ffff | levels)?;
            reserved(name, "word 2", words[2], 0x01ff_01ff)?;
            let (place, rest) = match bit(words[1], 10) {
                true => decode_place(name, &words[3..])?,
                false => (None, &words[3..]),
            };
            let (pooling, record) = match bit(words[1], 15) {
                true => decode_pooling(name, rest)?,
                false => (None, rest),
            };
            Instruction::Drain(Drain {
                wait,
                columns: words[1] & 0x1ff,
                single: bit(words[1], 9),
                tile: (words[1] >> 16) as u8,
                lo: signed9(words[2]),
                hi: signed9(words[2] >> 16),
                place,
                activation: (words[1] >> 11 & 0xf) as u8,
                pooling,
                advance: advances.then_some((words[1] >> 25 & 7) as u8),
                record: decode_record(name, record)?,
            })
        }
        OP_COPY => {
            reserved(name, "word 1", words[1], 0x0000_01ff)?;
            reserved(name, "word 2", words[2], 0x0000_fff8)?;
            Instruction::Copy(CopyWords {
                wait,
                rows: words[1],
                distance: words[2],
                record: decode_record(name, &words[3..])?,
            })
        }
        OP_SYNC => Instruction::Sync { wait },
        _ => Instruction::Halt { wait },
    })
}

/// The word of the row tables, and the words behind it.
fn decode_table<'w>(
    name: &str,
    words: &'w [u32],
) -> Result<(Option<RowTable>, &'w [u32]), IsaError> {
    let Some((&word, record)) = words.split_first() else {
        let message = format!("length of {name} with row tables is 3, expected at least 4");
        return Err(IsaError::new(ErrorCode::BadLength, message));
    };
    reserved(name, "word 3", word, 0xff01_ffff)?;
    let table = RowTable {
        first_entry: (word >> 24) as u8,
        last_macs: word & 0x1_ffff,
    };
    Ok((Some(table), record))
}

/// The word of the repetitions, and the words behind it.
fn decode_repeat<'w>(
    name: &str,
    words: &'w [u32],
) -> Result<(Option<Repeat>, &'w [u32]), IsaError> {
    let Some((&word, record)) = words.split_first() else {
        let message = format!("{name} that repeats ends in front of the word for it");
        return Err(IsaError::new(ErrorCode::BadLength, message));
    };
    reserved(name, "word of repetitions", word, 0x00ff_ffff)?;
    let repeat = Repeat {
        times: (word & 0xff) + 1,
        step: word >> 8,
    };
    Ok((Some(repeat), record))
}

/// The word of a drain's columns and partitions, and the words behind it.
fn decode_place<'w>(
    name: &str,
    words: &'w [u32],
) -> Result<(Option<DrainPlace>, &'w [u32]), IsaError> {
    let Some((&word, record)) = words.split_first() else {
        let message = format!("length of {name} that is placed is 3, expected at least 4");
        return Err(IsaError::new(ErrorCode::BadLength, message));
    };
    reserved(name, "word 3", word, 0x00ff_00ff)?;
    let place = DrainPlace {
        first_column: word & 0xff,
        turn: word >> 16 & 0xff,
    };
    Ok((Some(place), record))
}

/// The word of a drain's windows, and the words behind it.
fn decode_pooling<'w>(
    name: &str,
    words: &'w [u32],
) -> Result<(Option<Pooling>, &'w [u32]), IsaError> {
    let Some((&word, record)) = words.split_first() else {
        let message = format!("{name} that pools ends in front of the word for it");
        return Err(IsaError::new(ErrorCode::BadLength, message));
    };
    reserved(name, "word of pooling", word, 0x0000_ff07)?;
    let Some(reduction) = Reduction::from_number(word & 7) else {
        let message = format!("reduction is {}, expected 0 to 4", word & 7);
        return Err(IsaError::new(ErrorCode::BadField, message));
    };
    let window = (word >> 8 & 0xff) + 1;
    Ok((Some(Pooling { reduction, window }), record))
}

fn decode_record(name: &str, mut words: &[u32]) -> Result<Record, IsaError> {
    let mut rows = Vec::new();
    while let [head, rest @ ..] = words {
        reserved(name, "row word", *head, 0x0000_00f7)?;
        let loops = (head >> 4) as usize;
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
            row: (head & 7) as u8,
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

fn bit(word: u32, index: u32) -> bool {
    word >> index & 1 != 0
}

fn signed9(bits: u32) -> i16 {
    let value = (bits & 0x1ff) as i16;
    if value < 256 { value } else { value - 512 }
}
