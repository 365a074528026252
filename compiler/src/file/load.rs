//! What a host writes before it starts runs, from a file.

use std::collections::BTreeMap;

use heddle_arch::isa::Instruction;
use heddle_arch::params::Params;
use heddle_arch::word::{WORD_BYTES, WordBytes};
use heddle_network::Table;

use super::error::{FileError, digits};
use super::form::{Content, ImageFile, SegmentFile};
use super::limit::Limit;
use crate::emit::{Load, Segment};

/// Instructions by their first word.
pub(super) type Instructions = BTreeMap<usize, Instruction>;

/// What the host writes once, the segments, and the instructions of each load; everything is in range for the machine.
pub(super) fn loads(
    file: &mut Content,
    limit: &Limit,
) -> Result<(Load, Vec<Segment>, Vec<Instructions>), FileError> {
    let segments = std::mem::take(&mut file.segments);
    let once = SegmentFile {
        runs: [0, file.runs.len()],
        columns: std::mem::take(&mut file.columns),
        row_offsets: std::mem::take(&mut file.row_offsets),
        tables: std::mem::take(&mut file.tables),
        words: std::mem::take(&mut file.words),
        first_word: 0,
        image: std::mem::take(&mut file.image),
    };
    check_runs(&segments, file.runs.len(), limit)?;
    let (once, first) = load(once, limit)?;
    let (mut found, mut instructions) = (Vec::new(), vec![first]);
    for segment in segments {
        let [start, end] = segment.runs;
        let (load, own) = load(segment, limit)?;
        found.push(Segment {
            runs: start..end,
            load,
        });
        instructions.push(own);
    }
    Ok((once, found, instructions))
}

/// Segments follow each other and have all runs.
fn check_runs(segments: &[SegmentFile], runs: usize, limit: &Limit) -> Result<(), FileError> {
    let mut next = 0;
    for segment in segments {
        let [start, end] = segment.runs.map(|run| run as u64);
        limit.equal("segments.runs", start, next)?;
        limit.below("segments.runs", next, end)?;
        next = end;
    }
    match segments.is_empty() {
        true => Ok(()),
        false => limit.equal("segments.runs", next, runs as u64),
    }
}

fn load(file: SegmentFile, limit: &Limit) -> Result<(Load, Instructions), FileError> {
    let params = limit.params;
    let words = digits("words", &file.words, 4)?;
    let words = words.chunks_exact(4);
    let words: Vec<u32> = words
        .map(|b| u32::from_be_bytes([b[0], b[1], b[2], b[3]]))
        .collect();
    let most = u64::from(params.program.words) + 1;
    limit.below("words", words.len() as u64, most)?;
    let room = most - words.len() as u64;
    limit.below("segments.first_word", file.first_word.into(), room)?;
    let instructions = decoded(&words, file.first_word as usize, params)?;
    for (row, entry, _) in &file.row_offsets {
        limit.below("row_offsets row", (*row).into(), params.array.rows.into())?;
        let entries = params.state_buffer.row_offsets;
        limit.below("row_offsets entry", (*entry).into(), entries.into())?;
    }
    let columns = file.columns.into_iter();
    let columns = columns.map(|column| limit.column(column));
    let columns = columns.collect::<Result<_, FileError>>()?;
    let most = u64::from(params.post.activations) + 1;
    limit.below("tables", file.tables.len() as u64, most)?;
    let tables = file.tables.iter();
    let tables = tables.map(|table| digits("tables", table, Table::ENTRIES));
    let load = Load {
        words,
        first_word: file.first_word,
        columns,
        image: image(file.image, limit)?,
        row_offsets: file.row_offsets,
        tables: tables.collect::<Result<_, FileError>>()?,
    };
    Ok((load, instructions))
}

/// Words of the state buffer.
fn image(pieces: Vec<ImageFile>, limit: &Limit) -> Result<Vec<(u32, u32, WordBytes)>, FileError> {
    let mut image = Vec::new();
    for piece in pieces {
        let bytes = digits("image.bytes", &piece.bytes, WORD_BYTES as usize)?;
        let end = u64::from(piece.word) + bytes.len() as u64 / u64::from(WORD_BYTES);
        let rows = limit.params.array.rows;
        limit.below("image.partition", piece.partition.into(), rows.into())?;
        limit.below("image.word", end, limit.words() + 1)?;
        for (word, bytes) in (piece.word..).zip(bytes.chunks_exact(WORD_BYTES as usize)) {
            let bytes = bytes.try_into().expect("a word");
            image.push((piece.partition, word, bytes));
        }
    }
    Ok(image)
}

/// Whether it loads or stores, or waits for that: a file has no memory of a host.
fn moves(instruction: &Instruction) -> bool {
    let wait = instruction.wait();
    matches!(instruction, Instruction::Load(_) | Instruction::Store(_))
        || wait.loads.is_some()
        || wait.stores.is_some()
}

/// The instructions by their program words, all of which are legal for the machine.
fn decoded(words: &[u32], first: usize, params: &Params) -> Result<Instructions, FileError> {
    let mut instructions = BTreeMap::new();
    let mut at = 0;
    while at < words.len() {
        let legal = Instruction::decode(&words[at..]).and_then(|(instruction, length)| {
            instruction.check_machine(params)?;
            Ok((instruction, length))
        });
        let refused = |found: &str, expected| FileError::Value {
            field: "words".to_string(),
            found: found.to_string(),
            expected,
        };
        let (instruction, length) =
            legal.map_err(|error| refused("no program", format!("word {at}: {error}")))?;
        if moves(&instruction) {
            let expected = format!("none at word {at}: only an image has them (--image)");
            return Err(refused("LOAD, STORE or a wait for them", expected));
        }
        instructions.insert(first + at, instruction);
        at += length;
    }
    Ok(instructions)
}
