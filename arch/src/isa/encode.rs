//! From instructions to words.

use super::fields::{
    copy, copy_distance, drain, drain_bounds, drain_place, drain_pool, header, load_weights,
    matmul, matmul_macs, matmul_repeat, matmul_table, row,
};
use super::{Drain, Instruction, Matmul, Record};
use crate::word::WORD_BYTES;

impl Instruction {
    /// The words of the instruction, header first.
    ///
    /// # Panics
    /// If a field does not fit its bits; [`Instruction::check`] tells.
    pub fn encode(&self) -> Vec<u32> {
        if let Err(error) = self.check() {
            panic!("instruction cannot be encoded: {error}");
        }
        let wait = self.wait();
        let mut words = Vec::with_capacity(self.words());
        words.push(
            header::OPCODE.put(self.opcode())
                | header::LENGTH.put(self.words() as u32)
                | header::WAIT_WEIGHTS.flag(wait.weights)
                | header::WAIT_STREAM.flag(wait.stream)
                | header::WAIT_DRAIN.flag(wait.drain)
                | header::WAIT_LOADS.flag(wait.loads.is_some())
                | header::LOADS.put(wait.loads.unwrap_or(0).into())
                | header::WAIT_STORES.flag(wait.stores.is_some())
                | header::STORES.put(wait.stores.unwrap_or(0).into()),
        );
        match self {
            Instruction::Halt { .. } | Instruction::Sync { .. } => {}
            Instruction::Load(moved) | Instruction::Store(moved) => {
                words.extend(moved.transfer.encode().expect("it was checked"));
            }
            Instruction::Copy(c) => {
                words.push(copy::ROWS.put(c.rows));
                words.push(copy_distance::WORDS.put(c.distance / WORD_BYTES));
            }
            Instruction::Sparse(command) => {
                words[0] |= command.words[0];
                words.extend(&command.words[1..]);
            }
            Instruction::LoadWeights(l) => words.push(
                load_weights::ROWS.put(l.rows)
                    | load_weights::LEVEL.put(l.tile_level)
                    | load_weights::FLIP.put(l.flip)
                    | load_weights::STREAMED.flag(l.streamed),
            ),
            Instruction::Matmul(m) => push_matmul(&mut words, m),
            Instruction::Drain(d) => push_drain(&mut words, d),
        }
        if let Some(record) = self.record() {
            push_record(&mut words, record);
        }
        words
    }
}

fn push_matmul(words: &mut Vec<u32>, m: &Matmul) {
    words.push(
        matmul::ROWS.put(m.rows)
            | matmul::FIRST.flag(m.first)
            | matmul::LAST.flag(m.last)
            | matmul::BANK.flag(m.bank)
            | matmul::LEVEL.put(m.tile_level)
            | matmul::TABLE.flag(m.table.is_some())
            | matmul::THRESHOLD.put(m.threshold.into())
            | matmul::REPEATED.flag(m.repeat.is_some())
            | matmul::RAISED.flag(m.raised)
            | matmul::CLUSTER.flag(m.cluster),
    );
    words.push(matmul_macs::MACS.put(m.macs));
    if let Some(table) = m.table {
        let entry = matmul_table::ENTRY.put(table.first_entry.into());
        words.push(matmul_table::LAST_MACS.put(table.last_macs) | entry);
    }
    if let Some(repeat) = m.repeat {
        let step = matmul_repeat::STEP.put(repeat.step);
        words.push(matmul_repeat::TIMES.put(repeat.times - 1) | step);
    }
}

fn push_drain(words: &mut Vec<u32>, d: &Drain) {
    words.push(
        drain::COLUMNS.put(d.columns)
            | drain::SINGLE.flag(d.single)
            | drain::PLACED.flag(d.place.is_some())
            | drain::ACTIVATION.put(d.activation.into())
            | drain::POOLED.flag(d.pooling.is_some())
            | drain::TILE.put(d.tile.into())
            | drain::ADVANCING.flag(d.advance.is_some())
            | drain::LEVEL.put(d.advance.unwrap_or(0).into())
            | drain::DUAL.flag(d.dual),
    );
    // Two's complement.
    words.push(drain_bounds::LO.put(d.lo as u32) | drain_bounds::HI.put(d.hi as u32));
    if let Some(place) = d.place {
        let rotate = drain_place::ROTATE.put(place.rotate);
        words.push(drain_place::COLUMN.put(place.first_column) | rotate);
    }
    if let Some(pooling) = d.pooling {
        let window = drain_pool::WINDOW.put(pooling.window - 1);
        words.push(drain_pool::REDUCTION.put(pooling.reduction.number()) | window);
    }
}

fn push_record(words: &mut Vec<u32>, record: &Record) {
    for block in &record.rows {
        words.push(row::ROW.put(block.row.into()) | row::LOOPS.put(block.loops.len() as u32));
        words.push(block.base);
        for l in &block.loops {
            words.extend([l.initial, l.step, l.end]);
        }
    }
}
