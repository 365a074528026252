//! The fields of the instruction words, of the registers and of host addresses: the one table from which words are made and read, here and
//! in the hardware, and from which `docs/isa.md` has its lists. And what other designs have reserved.

mod reserved;

pub use reserved::{RESERVED, Reserved, Space};

/// Some bits of a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Field {
    /// Name.
    pub name: &'static str,
    /// Lowest bit.
    pub lsb: usize,
    /// Number of bits.
    pub width: usize,
    /// Meaning and unit.
    pub doc: &'static str,
}

impl Field {
    /// The field with all bits set.
    pub const fn mask(self) -> u32 {
        (u32::MAX >> (32 - self.width)) << self.lsb
    }

    /// Value of the field in a word.
    pub const fn get(self, word: u32) -> u32 {
        (word & self.mask()) >> self.lsb
    }

    /// Value of a field of one bit, or whether any bit is set.
    pub const fn is_set(self, word: u32) -> bool {
        word & self.mask() != 0
    }

    /// A word with this value in the field and zeros elsewhere; bits beyond the field are lost.
    pub const fn put(self, value: u32) -> u32 {
        value << self.lsb & self.mask()
    }

    /// As [`put`](Self::put) for a flag.
    pub const fn flag(self, value: bool) -> u32 {
        self.put(value as u32)
    }

    /// The bits from this field up to the end of a higher one.
    pub const fn up_to(self, last: Field) -> Field {
        Field {
            width: last.lsb + last.width - self.lsb,
            doc: "",
            ..self
        }
    }

    /// The field as documents write it: `[8:0]`.
    pub fn bits(self) -> String {
        match self.width {
            1 => format!("[{}]", self.lsb),
            width => format!("[{}:{}]", self.lsb + width - 1, self.lsb),
        }
    }
}

/// A word of an instruction, or a register.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Word {
    /// Instruction, or what else the word belongs to.
    pub of: &'static str,
    /// Which word it is, and when it is there.
    pub place: &'static str,
    /// Its fields; other bits are 0.
    pub fields: &'static [Field],
    /// Value after a reset, of a register that keeps something.
    pub reset: Option<u32>,
}

impl Word {
    /// All bits of the fields.
    pub const fn used(&self) -> u32 {
        let (mut mask, mut i) = (0, 0);
        while i < self.fields.len() {
            mask |= self.fields[i].mask();
            i += 1;
        }
        mask
    }

    /// The runs of bits that must be 0, highest first; width 0 behind the last one.
    pub const fn zeros(&self) -> [Field; 4] {
        let mut runs = [Field {
            name: "zero",
            lsb: 0,
            width: 0,
            doc: "",
        }; 4];
        let (mut count, mut bit) = (0, 32);
        while bit > 0 {
            bit -= 1;
            if self.used() >> bit & 1 == 0 {
                runs[count].lsb = bit;
                runs[count].width += 1;
                if bit > 0 && self.used() >> (bit - 1) & 1 != 0 {
                    count += 1;
                }
            }
        }
        runs
    }
}

macro_rules! words {
    ($($(#[$doc:meta])* $word:ident $of:literal $place:literal $(reset $reset:literal)? { $($field:ident $high:literal $low:literal $text:literal,)* })*) => {
        $(
            $(#[$doc])*
            pub mod $word {
                use super::{Field, Word};
                $(
                    #[doc = $text]
                    pub const $field: Field = Field {
                        name: stringify!($field),
                        lsb: $low,
                        width: $high - $low + 1,
                        doc: $text,
                    };
                )*
                /// The word.
                pub const WORD: Word = Word {
                    of: $of,
                    place: $place,
                    fields: &[$($field),*],
                    reset: [$(Some($reset),)? None][0],
                };
                /// Its runs of zeros, highest first.
                pub const ZEROS: [Field; 4] = WORD.zeros();
            }
        )*
        /// All words.
        pub const WORDS: &[Word] = &[$($word::WORD),*];
    };
}

pub(crate) use words;

pub mod sparse;

words! {
    /// The first word of every instruction. Bits 31 to 29 are those of the sparse cluster.
    header "every instruction" "word 0" {
        OPCODE 7 0 "opcode",
        LENGTH 15 8 "length in words, header included",
        WAIT_WEIGHTS 16 16 "waits until the weight unit is idle",
        WAIT_STREAM 17 17 "waits until the stream unit is idle",
        WAIT_DRAIN 18 18 "waits until the drain unit is idle",
        WAIT_LOADS 19 19 "waits until few enough loads are open",
        LOADS 23 20 "loads that may still be open; 0 without wait_loads",
        WAIT_STORES 24 24 "waits until few enough stores are open",
        STORES 28 25 "stores that may still be open; 0 without wait_stores",
    }
    /// LOAD_WEIGHTS.
    load_weights "LOAD_WEIGHTS" "word 1" {
        ROWS 8 0 "rows, 1..R",
        LEVEL 14 12 "tile level: a tile ends with an address whose loops 0..=level are in their last iteration",
        FLIP 19 15 "bits 7..3 of the address that are inverted",
        STREAMED 20 20 "words serve several tiles",
    }
    /// MATMUL.
    matmul "MATMUL" "word 1" {
        ROWS 8 0 "rows, 1..R",
        FIRST 9 9 "the first K tile starts from the bias, else from stored results",
        LAST 10 10 "the last K tile goes to post, else to the results buffer",
        BANK 11 11 "results bank",
        LEVEL 14 12 "tile level: loops 0..=level walk the vectors of one K tile",
        TABLE 15 15 "row tables: a word for them follows",
        THRESHOLD 23 16 "decode threshold 127 - z",
        REPEATED 24 24 "repeated: a word for it follows",
        RAISED 25 25 "raised: the sums of a K tile that starts from the bias count 2^17 times, plus 2^16",
        CLUSTER 26 26 "operands go to the sparse cluster: no weights, no sums, no vectors",
    }
    /// MATMUL, what a vector counts.
    matmul_macs "MATMUL" "word 2" {
        MACS 16 0 "multiply-accumulates per vector",
    }
    /// MATMUL with row tables.
    matmul_table "MATMUL" "with row tables" {
        LAST_MACS 16 0 "multiply-accumulates per vector of the last K tile",
        ENTRY 31 24 "entry of the first K tile",
    }
    /// MATMUL that is repeated.
    matmul_repeat "MATMUL" "if repeated" {
        TIMES 7 0 "times - 1",
        STEP 23 8 "operand step",
    }
    /// DRAIN.
    drain "DRAIN" "word 1" {
        COLUMNS 8 0 "columns, 1..min(R, C)",
        SINGLE 9 9 "single rounding, else double",
        PLACED 10 10 "placed: a word for it follows",
        ACTIVATION 14 11 "activation table, 1..F; 0 none",
        POOLED 15 15 "pooled: a word for it follows",
        TILE 25 16 "column tile of multiplier and shift",
        ADVANCING 26 26 "the column tile goes up",
        LEVEL 29 27 "after each address whose loops 0..=level are in their last iteration; 0 unless advancing",
        DUAL 30 30 "dual scale: a factor for each part of a sum",
    }
    /// DRAIN, clamp bounds.
    drain_bounds "DRAIN" "word 2" {
        LO 8 0 "lower bound min - z, signed",
        HI 24 16 "upper bound max - z, signed",
    }
    /// DRAIN that is placed.
    drain_place "DRAIN" "if placed" {
        COLUMN 7 0 "first column",
        ROTATE 23 16 "steps by which the columns rotate",
    }
    /// DRAIN that pools.
    drain_pool "DRAIN" "if pooled" {
        REDUCTION 2 0 "0 maximum, 1 minimum, 2 sum, 3 product, 4 median",
        WINDOW 15 8 "sums in a window - 1",
    }
    /// COPY.
    copy "COPY" "word 1" {
        ROWS 8 0 "rows, 1..R",
    }
    /// COPY, where to.
    copy_distance "COPY" "word 2" {
        WORDS 15 3 "distance in words of 8 bytes",
    }
    /// The first word of each row of a record.
    row "record" "row word" {
        ROW 2 0 "row, 0..M-1",
        LOOPS 7 4 "loops, 0..N",
    }
    /// CTRL of the host port.
    ctrl "host port" "CTRL" reset 0 {
        START 0 0 "clear the counters and start at START_PC, ignored while running",
    }
    /// START_PC of the host port.
    start_pc "host port" "START_PC" reset 0 {
        PC 15 0 "word address of the first instruction",
    }
    /// STATUS of the host port.
    status "host port" "STATUS" reset 0 {
        RUNNING 0 0 "a program runs",
        DONE 1 1 "the last run ended with HALT",
        ERROR 2 2 "the last run ended with an error",
        CLUSTER 3 3 "the sparse cluster has something under way",
        CODE 15 8 "number of the error, 0 without one",
        PC 31 16 "word address of the instruction concerned",
    }
    /// HOST_ZERO of the host port.
    host_zero "host port" "HOST_ZERO" reset 0 {
        ZERO 7 0 "zero point of the bytes that pass",
    }
    /// SHAPE of the host port.
    shape "host port" "SHAPE" {
        ROWS 8 0 "rows of the array",
        COLUMNS 24 16 "columns of the array",
    }
    /// Address of a register.
    register_at "host address" "register" {
        INDEX 7 3 "register",
        REGION 31 30 "0",
    }
    /// Address of a word of the program memory.
    program_at "host address" "program memory" {
        INDEX 18 3 "word (write only, 32 bits)",
        REGION 31 30 "1",
    }
    /// Address of two words of a program that lies in banks.
    pair_at "host address" "program in banks" {
        PAIR 17 3 "pair of words (write only, 64 bits: word 2w in bits 31..0; not through the zero codec)",
        REGION 31 30 "1",
    }
    /// Address of a stream of the sparse cluster.
    cluster_at "host address" "sparse cluster" {
        STREAM 3 3 "0 a word of a command (32 bits), 1 a word of weights (write only)",
        CLUSTER 29 29 "1",
        REGION 31 30 "1",
    }
    /// Address of a counter of the sparse cluster.
    cluster_count_at "host address" "counters of the sparse cluster" {
        COUNTER 6 3 "counter (read only)",
        CLUSTER 29 29 "1",
        REGION 31 30 "1",
    }
    /// Address of a parameter of a column.
    column_at "host address" "column parameters" {
        SCALE 3 3 "0 bias (32 bits), 1 multiplier and shift (write only)",
        TILE 13 4 "column tile",
        COLUMN 28 21 "column",
        TABLE 29 29 "0",
        REGION 31 30 "2",
    }
    /// Address of an entry of an activation table.
    activation_at "host address" "activation tables" {
        BYTE 10 3 "byte to be replaced; data `[7:0]` byte to be stored, both less their zero points (write only, all columns at once)",
        NUMBER 13 11 "table less 1",
        TABLE 29 29 "1",
        REGION 31 30 "2",
    }
    /// Address of a word of the state buffer.
    buffer_at "host address" "state buffer" {
        INDEX 15 3 "word",
        PARTITION 28 21 "partition",
        TABLE 29 29 "0",
        REGION 31 30 "3",
    }
    /// Address of an entry of a row table.
    row_table_at "host address" "row tables" {
        ENTRY 10 3 "entry (write only, not through the zero codec)",
        ROW 28 21 "row",
        TABLE 29 29 "1",
        REGION 31 30 "3",
    }
    /// Data of an entry of a row table.
    row_table_data "host data" "row tables" {
        OFFSET 15 0 "offset of the row",
        VALID 16 16 "the row has a tap",
    }
    /// Data of a scale, low half.
    multiplier "host data" "scale, bits 31..0" {
        MULTIPLIER 30 0 "multiplier",
    }
    /// Data of a scale, high half.
    shift "host data" "scale, bits 63..32" {
        SHIFT 5 0 "shift, two's complement",
    }
    /// Data of a dual scale, low half.
    dual_factors "host data" "dual scale, bits 31..0" {
        UPPER 16 0 "factor of the upper part of a sum",
        LOWER 31 17 "factor of the lower part, bits 14..0",
    }
    /// Data of a dual scale, high half.
    dual_shift "host data" "dual scale, bits 63..32" {
        SHIFT 5 0 "14 - shift, two's complement",
        LOWER 7 6 "factor of the lower part, bits 16..15",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_bit_has_two_meanings_and_zeros_are_the_others() {
        for word in WORDS {
            let bits: usize = word.fields.iter().map(|field| field.width).sum();
            assert_eq!(
                bits as u32,
                word.used().count_ones(),
                "{} {}",
                word.of,
                word.place
            );
            let zeros = word.zeros().into_iter().filter(|run| run.width > 0);
            let zeros: u32 = zeros.map(Field::mask).sum();
            assert_eq!(zeros, !word.used(), "{} {}", word.of, word.place);
        }
    }
}
