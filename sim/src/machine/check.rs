//! Which instruction words are legal, in the order in which the sequencer meets them.

use heddle_arch::isa::Reduction;
use heddle_arch::isa::{
    ErrorCode, Instruction, OP_COPY, OP_DRAIN, OP_HALT, OP_LOAD, OP_LOAD_WEIGHTS, OP_MATMUL,
    OP_STORE, OP_SYNC, ROW_EPILOGUE, SPARSE_WORDS, is_sparse,
};
use heddle_arch::params::{MachineUnit, Params, Post};

/// Code of the error and what is wrong.
pub(crate) type Fault = (ErrorCode, String);

/// Instructions but HALT and SYNC have a header, a parameter word and a record of at least one row.
const LEAST_WORDS: u32 = 4;

/// Words of a LOAD or STORE.
const MOVE_WORDS: u32 = 9;

/// Whether the instruction moves words between the machine and the host's memory.
pub(crate) fn moves(opcode: u32) -> bool {
    matches!(opcode, OP_LOAD | OP_STORE)
}

/// Checks a header; commands of the sparse cluster are legal if there is one.
pub(crate) fn check_header(header: u32, params: &Params) -> Result<(), Fault> {
    // Waits for loads and stores, each with its count.
    let waits = if params.programs_move() {
        0x1ff8_0000
    } else {
        0
    };
    let opcode = header & 0xff;
    let length = header >> 8 & 0xff;
    match opcode {
        OP_HALT | OP_SYNC if length != 1 => {
            return Err((
                ErrorCode::BadLength,
                format!("length is {length}, expected 1"),
            ));
        }
        OP_HALT | OP_SYNC => {}
        OP_LOAD_WEIGHTS | OP_MATMUL | OP_DRAIN | OP_COPY if length < LEAST_WORDS => {
            let message = format!("length is {length}, expected {LEAST_WORDS} or more");
            return Err((ErrorCode::BadLength, message));
        }
        OP_LOAD_WEIGHTS | OP_MATMUL | OP_DRAIN | OP_COPY => {}
        _ if params.programs_move() && moves(opcode) => {
            if length != MOVE_WORDS {
                let message = format!("length is {length}, expected {MOVE_WORDS}");
                return Err((ErrorCode::BadLength, message));
            }
        }
        _ if params.has_cluster() && is_sparse(opcode) => {
            within_words(length)?;
            counts(header, waits)?;
            return reserved("header", header, 0x2007_ffff | waits);
        }
        _ => {
            let message = format!("opcode is {opcode:#04x}");
            return Err((ErrorCode::IllegalOpcode, message));
        }
    }
    counts(header, waits)?;
    reserved("header", header, 0x0007_ffff | waits)
}

/// A count of loads or stores stands behind its flag alone.
fn counts(header: u32, waits: u32) -> Result<(), Fault> {
    for (name, flag) in [("loads", 19), ("stores", 24)] {
        let most = header >> (flag + 1) & 0xf;
        if waits != 0 && header >> flag & 1 == 0 && most != 0 {
            let message = format!("{name} is {most}, expected 0 without a wait");
            return Err((ErrorCode::BadField, message));
        }
    }
    Ok(())
}

/// Checks a LOAD or STORE that is there as a whole.
pub(crate) fn check_move(words: &[u32]) -> Result<(), Fault> {
    match Instruction::decode(words) {
        Ok(_) => Ok(()),
        Err(error) => Err((error.code, error.message)),
    }
}

fn within_words(length: u32) -> Result<(), Fault> {
    if (2..=SPARSE_WORDS as u32).contains(&length) {
        return Ok(());
    }
    let message = format!("length is {length}, expected 2 to {SPARSE_WORDS}");
    Err((ErrorCode::BadLength, message))
}

/// What the next word of an instruction is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    /// First or second parameter word.
    Parameter(u32),
    /// Third parameter word: of a product with row tables, of a drain that is placed.
    Third,
    /// Repetitions of a product.
    Repeat,
    /// Windows of a drain.
    Pooling,
    Row,
    Base,
    /// So many words of loops are still to come, this one included.
    Loops(u32),
}

/// Goes through the words behind a header.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct WordCheck {
    opcode: u32,
    place: Place,
    /// A third parameter word follows.
    third: bool,
    /// A word about repetitions follows.
    repeats: bool,
    /// A word about windows follows.
    pools: bool,
    /// Columns of a drain.
    columns: u32,
    loops: u32,
}

impl WordCheck {
    /// The word behind this header is next.
    pub fn new(header: u32) -> Self {
        Self {
            opcode: header & 0xff,
            place: Place::Parameter(1),
            third: false,
            repeats: false,
            pools: false,
            columns: 0,
            loops: 0,
        }
    }

    /// Checks the next word; `last` says that the instruction ends with it.
    pub fn next(&mut self, word: u32, last: bool, params: &Params) -> Result<(), Fault> {
        let traversal = &params.traversal;
        let mut complete = false;
        self.place = match self.place {
            Place::Parameter(1) => {
                self.first_parameter(word, params)?;
                self.third = match self.opcode {
                    OP_MATMUL => word >> 15 & 1 == 1,
                    OP_DRAIN => word >> 10 & 1 == 1,
                    _ => false,
                };
                self.repeats = self.opcode == OP_MATMUL && word >> 24 & 1 == 1;
                self.pools = self.opcode == OP_DRAIN && word >> 15 & 1 == 1;
                self.columns = word & 0x1ff;
                match self.opcode {
                    OP_LOAD_WEIGHTS => Place::Row,
                    _ => Place::Parameter(2),
                }
            }
            Place::Parameter(_) => {
                let used = match self.opcode {
                    OP_DRAIN => 0x01ff_01ff,
                    OP_COPY => 0xfff8,
                    _ => 0x0001_ffff,
                };
                reserved("parameter word 2", word, used)?;
                match self.third {
                    true => Place::Third,
                    false => self.behind_parameters(),
                }
            }
            Place::Third => {
                self.third_parameter(word, params)?;
                self.behind_parameters()
            }
            Place::Repeat => {
                reserved("word of repetitions", word, 0x00ff_ffff)?;
                Place::Row
            }
            Place::Pooling => {
                pooling(word, &params.post)?;
                Place::Row
            }
            Place::Row => {
                reserved("row word", word, 0xf7)?;
                let loops = loops_of_rows(self.opcode, params);
                let mut rows = loops.len() as u32;
                if self.opcode == OP_MATMUL {
                    rows = rows.min(u32::from(ROW_EPILOGUE) + 1);
                }
                let row = word & 7;
                within("row", row, 0, rows - 1)?;
                self.loops = word >> 4;
                within("loops", self.loops, 0, loops[row as usize])?;
                Place::Base
            }
            Place::Base => {
                fits("base", word, traversal.address_bits)?;
                complete = self.loops == 0;
                match complete {
                    true => Place::Row,
                    false => Place::Loops(3 * self.loops),
                }
            }
            Place::Loops(left) => {
                fits("loop value", word, traversal.offset_bits)?;
                complete = left == 1;
                match complete {
                    true => Place::Row,
                    false => Place::Loops(left - 1),
                }
            }
        };
        if last && !complete {
            let message = "the record does not end with the instruction".to_string();
            return Err((ErrorCode::BadLength, message));
        }
        Ok(())
    }

    /// What stands behind the words that all drains and products have.
    fn behind_parameters(self) -> Place {
        match (self.repeats, self.pools) {
            (true, _) => Place::Repeat,
            (_, true) => Place::Pooling,
            (false, false) => Place::Row,
        }
    }

    fn first_parameter(self, word: u32, params: &Params) -> Result<(), Fault> {
        let used = match self.opcode {
            OP_LOAD_WEIGHTS => 0x001f_f1ff,
            OP_COPY => 0x01ff,
            OP_DRAIN if word >> 26 & 1 == 1 => 0x7fff_ffff,
            OP_DRAIN => 0x43ff_ffff,
            _ => 0x07ff_ffff,
        };
        reserved("parameter word 1", word, used)?;
        let loops = loops_of_rows(self.opcode, params);
        let last_level = loops.into_iter().max().unwrap_or(1) - 1;
        if self.opcode == OP_DRAIN {
            within("dual", word >> 30 & 1, 0, params.post.dual_scale.into())?;
            within("columns", word & 0x1ff, 1, params.lanes())?;
            within("level", word >> 27 & 7, 0, last_level)?;
            within("activation", word >> 11 & 0xf, 0, params.post.activations)?;
            within("pooled", word >> 15 & 1, 0, params.post.pooling.into())?;
            return within(
                "column tile",
                word >> 16 & 0x3ff,
                0,
                params.column_tiles - 1,
            );
        }
        if self.opcode == OP_MATMUL {
            within("raised", word >> 25 & 1, 0, params.post.dual_scale.into())?;
            within("cluster", word >> 26 & 1, 0, params.has_cluster().into())?;
        }
        within("rows", word & 0x1ff, 1, params.array.rows)?;
        within("tile level", word >> 12 & 7, 0, last_level)
    }
}

impl WordCheck {
    fn third_parameter(self, word: u32, params: &Params) -> Result<(), Fault> {
        if self.opcode == OP_MATMUL {
            return reserved("parameter word 3", word, 0xff01_ffff);
        }
        reserved("parameter word 3", word, 0x00ff_00ff)?;
        let behind = (word & 0xff) + self.columns;
        within("first column + columns", behind, 1, params.array.cols)?;
        within("rotate", word >> 16, 0, rotations(params) - 1)
    }
}

/// Loops of each row of the unit that an instruction starts.
fn loops_of_rows(opcode: u32, params: &Params) -> Vec<u32> {
    params.traversal.unit_loops(match opcode {
        OP_MATMUL => MachineUnit::Stream,
        OP_DRAIN => MachineUnit::Drain,
        _ => MachineUnit::Weights,
    })
}

/// The word about windows of a drain.
fn pooling(word: u32, post: &Post) -> Result<(), Fault> {
    reserved("word of pooling", word, 0xff07)?;
    let window = (word >> 8) + 1;
    let built = match Reduction::from_number(word & 7) {
        Some(Reduction::Max | Reduction::Min | Reduction::Sum) => true,
        Some(Reduction::Product) => post.product,
        Some(Reduction::Median) => window <= post.median,
        None => false,
    };
    if built {
        return Ok(());
    }
    let reduction = word & 7;
    let message = format!("reduction is {reduction} of {window}, which does not exist here");
    Err((ErrorCode::BadField, message))
}

/// Partitions that column 0 can drain into: what multiples of C leave modulo R.
fn rotations(params: &Params) -> u32 {
    let (rows, cols) = (params.array.rows, params.array.cols);
    let reached: std::collections::BTreeSet<u32> = (0..rows).map(|n| n * cols % rows).collect();
    reached.len() as u32
}

fn reserved(name: &str, word: u32, used: u32) -> Result<(), Fault> {
    if word & !used == 0 {
        return Ok(());
    }
    let message = format!("{name} is {word:#010x}, bits outside {used:#010x} are reserved");
    Err((ErrorCode::BadField, message))
}

fn within(name: &str, value: u32, low: u32, high: u32) -> Result<(), Fault> {
    if (low..=high).contains(&value) {
        return Ok(());
    }
    let message = format!("{name} is {value}, expected {low} to {high}");
    Err((ErrorCode::BadField, message))
}

fn fits(name: &str, value: u32, bits: u32) -> Result<(), Fault> {
    if u64::from(value) >> bits == 0 {
        return Ok(());
    }
    let message = format!("{name} is {value:#x}, expected at most {bits} bits");
    Err((ErrorCode::BadField, message))
}
