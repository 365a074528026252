//! The bytes of header, sections, tensors and ends: the one table from which they are written and read, and from which `docs/image.md`
//! has its lists. Numbers are little endian.

/// Some bytes of a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bytes {
    /// Name.
    pub name: &'static str,
    /// First byte.
    pub at: usize,
    /// Number of bytes.
    pub bytes: usize,
    /// Meaning and unit.
    pub doc: &'static str,
}

/// A record.
#[derive(Debug, Clone, Copy)]
pub struct Record {
    /// Name.
    pub name: &'static str,
    /// Its bytes.
    pub bytes: usize,
    /// Its fields; other bytes are 0.
    pub fields: &'static [Bytes],
}

macro_rules! records {
    ($($(#[$doc:meta])* $record:ident $size:literal { $($field:ident $at:literal $bytes:literal $text:literal,)* })*) => {
        $(
            $(#[$doc])*
            pub mod $record {
                use super::{Bytes, Record};
                $(
                    #[doc = $text]
                    pub const $field: Bytes = Bytes {
                        name: stringify!($field),
                        at: $at,
                        bytes: $bytes,
                        doc: $text,
                    };
                )*
                /// Bytes of the record.
                pub const BYTES: usize = $size;
                /// The record.
                pub const RECORD: Record = Record {
                    name: stringify!($record),
                    bytes: $size,
                    fields: &[$($field),*],
                };
            }
        )*
        /// All records.
        pub const RECORDS: &[Record] = &[$($record::RECORD),*];
    };
}

records! {
    /// The first bytes of the file.
    header 64 {
        MAGIC 0 8 "`HEDLIMG1`",
        FILE_BYTES 8 8 "bytes of the file",
        VERSION 16 4 "1",
        CONFIG 20 4 "CONFIG of the machine",
        SHAPE 24 4 "SHAPE of the machine",
        CAPS 28 4 "bits 0 to 3 of CAPS that the machine must have",
        SECTIONS 32 4 "number of sections",
        RING_ENTRIES 36 4 "entries of the ring: the jobs of two inferences or those that run once, at most 1023",
        SCRATCH_BYTES 40 8 "bytes of region 3",
        WORK_BYTES 48 8 "bytes that the host needs for ends",
        CRC 60 4 "CRC-32 of the 60 bytes before",
    }
    /// One of those behind the header.
    section 32 {
        KIND 0 4 "what it has",
        ENTRIES 4 4 "number of entries",
        OFFSET 8 8 "first byte in the file",
        BYTES_ALL 16 8 "bytes of all entries",
        CRC 24 4 "CRC-32 of them",
    }
    /// A tensor, or a part of one.
    tensor 160 {
        NAME 0 4 "first byte of its name in the texts",
        FLAGS 4 4 "`[0]` an input, `[1]` an output of the network",
        TYPE 8 4 "0 int8, 1 uint8, 2 int32, 3 float32",
        REGION 12 4 "1 input, 2 output, 4 work bytes",
        OFFSET 16 8 "its first element, in bytes of the region",
        BYTES_ALL 24 8 "bytes of the region from there on that are its own",
        SCALE 32 4 "float32: real value of a step, 0 not known",
        ZERO_POINT 36 4 "int32: element that stands for 0",
        PADDING 40 4 "byte between its elements",
        RANK 44 4 "number of extents, 1 to 6",
        EXTENTS 48 24 "six sizes of the user's tensor, the outermost first; 0 from the rank on",
        LOOPS 72 4 "number of loops, 1 to 6",
        WALKS 76 72 "six times, the outermost first: turns, bytes of memory from turn to turn, elements of the user's tensor from turn to turn; 0 behind the last",
        FIRST 148 4 "element of the user's tensor with which the loops begin",
    }
    /// An operation of the host.
    end 64 {
        OPERATION 0 4 "1 QUANTIZE, 2 DEQUANTIZE, 3 SOFTMAX, 4 ARG_MAX, 5 QUANTIZE_EVEN",
        SOURCE 4 4 "index of the tensor that it reads, the first of its name",
        DESTINATION 8 4 "index of the tensor that it makes, the first of its name",
        ROWS 12 4 "rows",
        LENGTH 16 4 "elements of a row",
        STRIDE 20 4 "elements from one of them to the next",
        MULTIPLIER 24 4 "SOFTMAX: multiplier of differences, in steps of 2^-26",
        SHIFT 28 4 "int32, SOFTMAX: shift of differences to the left",
    }
}

/// A table of a record.
pub fn table(record: &Record) -> String {
    let head = "| byte | bytes | field | meaning |\n|---:|---:|---|---|\n";
    let row = |field: &Bytes| {
        let name = field.name.trim_end_matches("_ALL").to_lowercase();
        format!(
            "| {} | {} | {name} | {} |\n",
            field.at, field.bytes, field.doc
        )
    };
    head.to_string() + &record.fields.iter().map(row).collect::<String>()
}
