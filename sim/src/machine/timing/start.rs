//! What an instruction leaves in its unit.

use heddle_arch::isa::{Instruction, ROW_PROLOGUE, ROW_TENSOR};
use heddle_arch::requantise::Rounding;
use heddle_arch::word::WORD_BYTES;

use super::super::datapath::{Datapath, PostSettings};
use super::Clockwork;
use super::units::{Loading, Stream};

impl Clockwork {
    pub(super) fn start(&mut self, instruction: &Instruction, data: &mut Datapath) {
        let valid_from = self.now + self.clocks.first_address;
        match instruction {
            Instruction::Halt { .. }
            | Instruction::Sync { .. }
            | Instruction::Sparse(_)
            | Instruction::Load(_)
            | Instruction::Store(_) => {}
            Instruction::Copy(copy) => {
                self.copies.begin(copy.rows, copy.distance);
                self.weights.start(&copy.record, &self.params, valid_from);
            }
            Instruction::LoadWeights(load) => {
                let flip = load.flip * WORD_BYTES;
                let words = || self.weight_words(&load.record, flip);
                self.loading = Loading {
                    rows: load.rows as usize,
                    level: load.tile_level as u8,
                    flip,
                    streamed: load.streamed.then(words),
                    taken: 0,
                    before: None,
                    ready: 0,
                };
                self.copies.end();
                self.weights.start(&load.record, &self.params, valid_from);
            }
            Instruction::Matmul(matmul) => {
                let table = matmul.table;
                let entry = table.map(|table| table.first_entry.into());
                self.streaming = Stream {
                    rows: matmul.rows as usize,
                    first: matmul.first,
                    last: matmul.last,
                    bank: usize::from(matmul.bank),
                    raised: matmul.raised,
                    cluster: matmul.cluster,
                    level: matmul.tile_level as u8,
                    threshold: matmul.threshold,
                    macs: matmul.macs,
                    last_macs: table.map_or(0, |table| table.last_macs),
                    entry,
                    first_entry: entry.unwrap_or(0),
                    fresh: true,
                    first_tile: true,
                    tile_begins: true,
                    vector: 0,
                };
                self.stream.start(&matmul.record, &self.params, valid_from);
                if let (Some(walk), Some(repeat)) = (&mut self.stream.walk, matmul.repeat) {
                    walk.repeat(
                        repeat.times,
                        &[(ROW_PROLOGUE, 1), (ROW_TENSOR, repeat.step)],
                    );
                }
            }
            Instruction::Drain(drain) => {
                let place = drain.place.unwrap_or_default();
                data.begin_drain(PostSettings {
                    first_column: place.first_column as usize,
                    columns: drain.columns as usize,
                    first_partition: (place.rotate * self.params.partition_step()) as usize,
                    tile: usize::from(drain.tile),
                    rounding: match drain.single {
                        true => Rounding::Single,
                        false => Rounding::Double,
                    },
                    dual: drain.dual,
                    lo: i32::from(drain.lo),
                    hi: i32::from(drain.hi),
                    pooling: drain.pooling,
                    activation: usize::from(drain.activation),
                });
                self.advance = drain.advance;
                self.drain.start(&drain.record, &self.params, valid_from);
            }
        }
    }
}
