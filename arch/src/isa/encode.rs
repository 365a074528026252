//! From instructions to words.

use super::{CopyWords, Drain, Instruction, LoadWeights, Matmul, Record};

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
            self.opcode()
                | (self.words() as u32) << 8
                | u32::from(wait.weights) << 16
                | u32::from(wait.stream) << 17
                | u32::from(wait.drain) << 18,
        );
        match self {
            Instruction::Halt { .. } | Instruction::Sync { .. } => {}
            Instruction::Copy(CopyWords { rows, distance, .. }) => words.extend([*rows, *distance]),
            Instruction::LoadWeights(LoadWeights {
                rows,
                tile_level,
                flip,
                streamed,
                ..
            }) => {
                let streamed = u32::from(*streamed) << 20;
                words.push(rows | tile_level << 12 | flip << 15 | streamed);
            }
            Instruction::Matmul(Matmul {
                rows,
                first,
                last,
                bank,
                tile_level,
                threshold,
                macs,
                table,
                repeat,
                ..
            }) => {
                let flags = u32::from(*first) << 9
                    | u32::from(*last) << 10
                    | u32::from(*bank) << 11
                    | u32::from(table.is_some()) << 15
                    | u32::from(repeat.is_some()) << 24;
                words.push(rows | flags | tile_level << 12 | u32::from(*threshold) << 16);
                words.push(*macs);
                if let Some(table) = table {
                    words.push(u32::from(table.first_entry) << 24 | table.last_macs);
                }
                if let Some(repeat) = repeat {
                    words.push((repeat.times - 1) | repeat.step << 8);
                }
            }
            Instruction::Drain(Drain {
                columns,
                single,
                tile,
                lo,
                hi,
                place,
                activation,
                pooling,
                advance,
                ..
            }) => {
                let flags = u32::from(*single) << 9
                    | u32::from(place.is_some()) << 10
                    | u32::from(*activation) << 11
                    | u32::from(pooling.is_some()) << 15
                    | advance.map_or(0, |level| 1 << 24 | u32::from(level) << 25);
                words.push(columns | flags | u32::from(*tile) << 16);
                words.push(signed9(*lo) | signed9(*hi) << 16);
                if let Some(place) = place {
                    words.push(place.first_column | place.turn << 16);
                }
                if let Some(pooling) = pooling {
                    words.push(pooling.reduction.number() | (pooling.window - 1) << 8);
                }
            }
        }
        if let Some(record) = self.record() {
            push_record(&mut words, record);
        }
        words
    }
}

fn push_record(words: &mut Vec<u32>, record: &Record) {
    for block in &record.rows {
        words.push(u32::from(block.row) | (block.loops.len() as u32) << 4);
        words.push(block.base);
        for l in &block.loops {
            words.extend([l.initial, l.step, l.end]);
        }
    }
}

fn signed9(value: i16) -> u32 {
    u32::from(value as u16 & 0x1ff)
}
