//! Instructions with what most tests leave as it is. Loops are trips and steps, from 0 on.

use heddle_arch::isa::{CopyWords, Drain, LoadWeights, Matmul, Record, RowBlock};

use super::pair::row;

fn one_row(base: u32, loops: &[(u32, u32)]) -> Record {
    Record {
        rows: vec![row(0, base, loops)],
    }
}

pub fn load(rows: u32, base: u32, loops: &[(u32, u32)]) -> LoadWeights {
    LoadWeights {
        rows,
        record: one_row(base, loops),
        ..LoadWeights::default()
    }
}

/// A product that begins from the bias and goes to post.
pub fn matmul(rows: u32, blocks: Vec<RowBlock>) -> Matmul {
    Matmul {
        rows,
        record: Record { rows: blocks },
        ..Matmul::default()
    }
}

pub fn drain(columns: u32, base: u32, loops: &[(u32, u32)]) -> Drain {
    Drain {
        columns,
        record: one_row(base, loops),
        ..Drain::default()
    }
}

/// A copy from the words at `from` to those at `to`.
pub fn copy(rows: u32, from: u32, to: u32, loops: &[(u32, u32)]) -> CopyWords {
    CopyWords {
        rows,
        distance: to.wrapping_sub(from) & 0xffff,
        record: one_row(from, loops),
        ..CopyWords::default()
    }
}
