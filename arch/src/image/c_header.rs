//! `heddle_image.h`: images, jobs, transfers and addresses of the window port for a driver in C.

use super::layout::{RECORDS, Record};
use super::{
    BYTES_MAX, Element, Kind, LOOPS, MAGIC, Operation, RING_MAX, VERSION, WORDS_MAX, WORK,
};
use crate::host::{self, ClusterStream, ColumnSelect};
use crate::isa::SystemError;
use crate::isa::fields::Word;
use crate::job::{JOB_BYTES, Job, REGIONS, Work, entry, start};
use crate::registers::header::{add_field, define, hex, put};
use crate::transfer::{Space, Transfer, Walk, access, buffer_place, column_place, outer};
use crate::transfer::{program_place, row_place, stream_place, table_place, x};

/// The header, C99.
pub fn c_header() -> String {
    let mut out = "/* Generated from the tables of arch by arch/tests/image.rs. Do not edit.\n *\n \
         * Images, jobs, transfers (docs/image.md) and addresses of the window port (docs/isa.md).\n */\n\
         #ifndef HEDDLE_IMAGE_H\n#define HEDDLE_IMAGE_H\n"
        .to_string();
    let magic = std::str::from_utf8(MAGIC).expect("letters");
    define(&mut out, "HEDDLE_IMAGE_MAGIC", &format!("\"{magic}\""));
    for (name, value) in [
        ("FORMAT", VERSION),
        ("RING_MAX", RING_MAX as u32),
        ("BYTES_MAX", BYTES_MAX as u32),
        ("WORDS_MAX", WORDS_MAX as u32),
        ("LOOPS", LOOPS as u32),
        ("REGIONS", REGIONS as u32),
        ("WORK", WORK),
    ] {
        number(&mut out, &format!("HEDDLE_IMAGE_{name}"), value);
    }
    RECORDS
        .iter()
        .for_each(|record| add_record(&mut out, record));
    add_kinds(&mut out);
    put(&mut out, "\n/* Jobs */".to_string());
    for (name, word) in [
        ("JOB", entry::WORD),
        ("JOB_START", start::WORD),
        ("TRANSFER", access::WORD),
        ("BUFFER_PLACE", buffer_place::WORD),
        ("COLUMN_PLACE", column_place::WORD),
        ("ROW_PLACE", row_place::WORD),
        ("TABLE_PLACE", table_place::WORD),
        ("PROGRAM_PLACE", program_place::WORD),
        ("STREAM_PLACE", stream_place::WORD),
        ("LOOP_X", x::WORD),
        ("LOOP_OUTER", outer::WORD),
    ] {
        add_word(&mut out, name, &word);
    }
    add_types(&mut out);
    add_errors(&mut out);
    add_window(&mut out);
    out + "\n#endif\n"
}

fn number(out: &mut String, name: &str, value: u32) {
    define(out, name, &format!("{value}u"));
}

fn add_record(out: &mut String, record: &Record) {
    let prefix = format!("HEDDLE_IMAGE_{}", record.name.to_uppercase());
    put(
        out,
        format!("\n/* {}: first bytes of fields */", record.name),
    );
    number(out, &format!("{prefix}_SIZE"), record.bytes as u32);
    for field in record.fields {
        let name = field.name.trim_end_matches("_ALL");
        number(out, &format!("{prefix}_{name}"), field.at as u32);
    }
    // The zeros begin behind the last field, but for the checksum at the end of the header.
    let ends = record.fields.iter().map(|field| field.at + field.bytes);
    let zeros = ends.filter(|end| *end < record.bytes).max();
    number(out, &format!("{prefix}_ZEROS"), zeros.unwrap_or(0) as u32);
}

fn add_kinds(out: &mut String) {
    put(
        out,
        "\n/* Kinds of sections, and bytes of their entries */".to_string(),
    );
    let last = Kind::ALL.iter().map(|kind| *kind as usize).max();
    let mut bytes = vec![0; 1 + last.unwrap_or(0)];
    for kind in Kind::ALL {
        let name = format!("{kind:?}").to_uppercase();
        number(out, &format!("HEDDLE_IMAGE_KIND_{name}"), kind as u32);
        bytes[kind as usize] = kind.entry_bytes().unwrap_or(1);
    }
    number(out, "HEDDLE_IMAGE_KINDS", bytes.len() as u32);
    let bytes: Vec<String> = bytes.iter().map(|bytes| format!("{bytes}u")).collect();
    define(out, "HEDDLE_IMAGE_ENTRY_BYTES", &bytes.join(", "));
    for element in Element::ALL {
        let name = format!("HEDDLE_IMAGE_TYPE_{}", element.name().to_uppercase());
        number(out, &name, element as u32);
    }
    for operation in Operation::ALL {
        let name = format!("HEDDLE_IMAGE_{}", operation.name());
        number(out, &name, operation as u32);
    }
}

/// Fields, and all bits of them.
fn add_word(out: &mut String, name: &str, word: &Word) {
    for &field in word.fields {
        add_field(out, &format!("HEDDLE_{name}_{}", field.name), field);
    }
    define(out, &format!("HEDDLE_{name}_USED"), &hex(word.used()));
}

/// Types of jobs as they are written, and spaces.
fn add_types(out: &mut String) {
    put(out, "\n/* Types of jobs and spaces */".to_string());
    number(out, "HEDDLE_JOB_SIZE", JOB_BYTES as u32);
    let transfer = Transfer {
        space: Space::Buffer,
        region: 0,
        fill: false,
        partitions: 0,
        zero: 0,
        offset: 0,
        place: [0; 2],
        loops: [
            Walk {
                pitch: Space::Buffer.words() * crate::word::WORD_BYTES,
                ..Walk::ONCE
            },
            Walk::ONCE,
            Walk::ONCE,
        ],
    };
    let run = Work::Run {
        config: 0,
        start: 0,
        limit: 0,
        keep: false,
    };
    for (name, work) in [
        ("NOP", Work::Nop),
        ("RUN", run),
        ("LOAD", Work::Load(transfer)),
        ("STORE", Work::Store(transfer)),
        ("REGIONS", Work::Regions([None; REGIONS])),
        ("FENCE", Work::Fence { interrupt: false }),
    ] {
        let words = Job::from(work).encode().expect("fields that fit");
        let name = format!("HEDDLE_JOB_IS_{name}");
        number(out, &name, entry::TYPE.get(words[0]));
    }
    for space in Space::ALL {
        let name = format!("HEDDLE_SPACE_{}", format!("{space:?}").to_uppercase());
        number(out, &name, space as u32);
    }
}

/// Errors of a DMA and of its job list, in ERROR.
fn add_errors(out: &mut String) {
    put(
        out,
        "\n/* Errors that only a machine with a DMA has, and the source of those of the job list */".to_string(),
    );
    for code in SystemError::ALL {
        number(
            out,
            &format!("HEDDLE_ERROR_IS_{}", code.name()),
            code as u32,
        );
    }
    number(out, "HEDDLE_SOURCE_IS_JOBS", 6);
}

/// First address of each memory at the window port, bytes from place to place, and from partition, row or column to the next.
fn add_window(out: &mut String) {
    put(
        out,
        "\n/* Window port: first address, bytes from place to place, and to the next partition, row or column */"
            .to_string(),
    );
    let bias = |column, tile| host::column_address(column, tile, ColumnSelect::Bias);
    let scale = host::column_address(0, 0, ColumnSelect::Scale);
    for (name, [first, place, partition]) in [
        (
            "BUFFER",
            [(0, 0), (0, 1), (1, 0)].map(|(a, b)| host::buffer_address(a, b)),
        ),
        ("COLUMNS", [(0, 0), (0, 1), (1, 0)].map(|(a, b)| bias(a, b))),
        (
            "ROWS",
            [(0, 0), (0, 1), (1, 0)].map(|(a, b)| host::row_offset_address(a, b)),
        ),
        (
            "TABLES",
            [0, 1, 0].map(|byte| host::activation_address(0, byte)),
        ),
        ("PROGRAM", [0, 2, 0].map(host::program_address)),
        ("PAIRS", [0, 1, 0].map(host::program_pair_address)),
        (
            "WEIGHTS",
            [host::cluster_address(ClusterStream::Weights); 3],
        ),
        (
            "COMMANDS",
            [host::cluster_address(ClusterStream::Commands); 3],
        ),
    ] {
        let words = [first, place - first, partition - first].map(hex);
        define(out, &format!("HEDDLE_WINDOW_{name}"), &words.join(", "));
    }
    let second = scale - bias(0, 0);
    assert_eq!(second, host::program_address(1) - host::program_address(0));
    number(out, "HEDDLE_WINDOW_SECOND", second);
}
