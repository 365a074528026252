//! What an instruction leaves in its unit.

use heddle_arch::isa::{
    CopyWords, Drain, Instruction, LoadWeights, Matmul, ROW_PROLOGUE, ROW_TENSOR,
};
use heddle_arch::requantise::Rounding;
use heddle_arch::word::WORD_BYTES;

use super::super::datapath::{Datapath, PostSettings};
use super::Clockwork;
use super::units::{Loading, Stream};

impl Clockwork {
    pub(super) fn start(&mut self, instruction: &Instruction, data: &mut Datapath) {
        let valid_from = self.now + self.clocks.first_address;
        match instruction {
            Instruction::Halt { .. } | Instruction::Sync { .. } | Instruction::Sparse(_) => {}
            Instruction::Copy(CopyWords {
                rows,
                distance,
                record,
                ..
            }) => {
                self.copies.begin(*rows, *distance);
                self.weights.start(record, &self.params, valid_from);
            }
            Instruction::LoadWeights(LoadWeights {
                rows,
                tile_level,
                flip,
                streamed,
                record,
                ..
            }) => {
                self.loading = Loading {
                    rows: *rows as usize,
                    level: *tile_level as u8,
                    flip: flip * WORD_BYTES,
                    streamed: streamed.then(|| self.weight_words(record, flip * WORD_BYTES)),
                    taken: 0,
                    before: None,
                    ready: 0,
                };
                self.copies.end();
                self.weights.start(record, &self.params, valid_from);
            }
            Instruction::Matmul(Matmul {
                rows,
                first,
                last,
                bank,
                raised,
                cluster,
                tile_level,
                threshold,
                macs,
                table,
                repeat,
                record,
                ..
            }) => {
                self.streaming = Stream {
                    rows: *rows as usize,
                    first: *first,
                    last: *last,
                    bank: usize::from(*bank),
                    raised: *raised,
                    cluster: *cluster,
                    level: *tile_level as u8,
                    threshold: *threshold,
                    macs: *macs,
                    last_macs: table.map_or(0, |table| table.last_macs),
                    entry: table.map(|table| table.first_entry.into()),
                    first_entry: table.map_or(0, |table| table.first_entry.into()),
                    fresh: true,
                    first_tile: true,
                    tile_begins: true,
                    vector: 0,
                };
                self.stream.start(record, &self.params, valid_from);
                if let (Some(walk), Some(repeat)) = (&mut self.stream.walk, repeat) {
                    walk.repeat(
                        repeat.times,
                        &[(ROW_PROLOGUE, 1), (ROW_TENSOR, repeat.step)],
                    );
                }
            }
            Instruction::Drain(Drain {
                columns,
                single,
                dual,
                tile,
                lo,
                hi,
                place,
                activation,
                pooling,
                advance,
                record,
                ..
            }) => {
                let place = place.unwrap_or_default();
                data.begin_drain(PostSettings {
                    first_column: place.first_column as usize,
                    columns: *columns as usize,
                    first_partition: (place.rotate * self.params.partition_step()) as usize,
                    tile: usize::from(*tile),
                    rounding: if *single {
                        Rounding::Single
                    } else {
                        Rounding::Double
                    },
                    dual: *dual,
                    lo: i32::from(*lo),
                    hi: i32::from(*hi),
                    pooling: *pooling,
                    activation: usize::from(*activation),
                });
                self.advance = *advance;
                self.drain.start(record, &self.params, valid_from);
            }
        }
    }
}
