//! Words between the memory of the host and the memories of the machine.

use heddle_arch::isa::fields::row_table_data;
use heddle_arch::transfer::{Space, Transfer};

use super::{Runner, RunnerError};

/// Where a turn of the loops is.
#[derive(Debug, Clone, Copy)]
struct Turn {
    /// Number of the place.
    place: u32,
    /// Partition, row or column.
    partition: u32,
    /// Bytes from the begin of the region on.
    offset: u64,
}

/// All turns, X inside.
fn turns(transfer: &Transfer) -> impl Iterator<Item = Turn> {
    let transfer = *transfer;
    let [x, y, z] = transfer.loops;
    let counts = (0..z.count)
        .flat_map(move |k| (0..y.count).flat_map(move |j| (0..x.count).map(move |i| [i, j, k])));
    counts.map(move |turn| {
        let all = turn.iter().zip([x, y, z]);
        let steps = all
            .clone()
            .map(|(turn, walk)| turn * walk.step)
            .sum::<u32>();
        let bytes = all.map(|(turn, walk)| u64::from(*turn) * u64::from(walk.pitch));
        let walked = match transfer.partitions {
            0 => 0,
            number => turn[number as usize - 1],
        };
        let [place, partition] = transfer.place;
        // X walks columns, the others tiles.
        let inner = match transfer.space {
            Space::Columns => turn[0] * x.step,
            _ => 0,
        };
        Turn {
            place: place + steps - inner,
            partition: partition + walked + inner,
            offset: u64::from(transfer.offset) + bytes.sum::<u64>(),
        }
    })
}

/// A number that the machine must have.
fn below(what: &'static str, found: u32, expected: u32) -> Result<(), RunnerError> {
    match found < expected {
        true => Ok(()),
        false => Err(RunnerError::Beyond {
            what,
            found,
            expected,
        }),
    }
}

impl Runner {
    fn word(&self, address: u64) -> Result<u64, RunnerError> {
        let at = address as usize;
        let bytes = self.memory.get(at..at + 8);
        let bytes = bytes.ok_or(RunnerError::Memory(address))?;
        Ok(u64::from_le_bytes(bytes.try_into().expect("eight bytes")))
    }

    pub(super) fn load(&mut self, transfer: &Transfer, base: u64) -> Result<(), RunnerError> {
        let zero = transfer.zero as i8;
        for turn in turns(transfer) {
            let address = base + turn.offset;
            let word = match transfer.fill {
                true => 0,
                false => self.word(address)?,
            };
            self.machine.set_host_zero(zero);
            self.write(transfer.space, turn, word, address)?;
        }
        Ok(())
    }

    fn write(
        &mut self,
        space: Space,
        Turn {
            place, partition, ..
        }: Turn,
        word: u64,
        address: u64,
    ) -> Result<(), RunnerError> {
        let (params, low) = (&self.params, word as u32);
        match space {
            Space::Buffer => {
                below("partition", partition, params.array.rows)?;
                below("word of a partition", place, params.partition_words())?;
                let bytes = word.to_le_bytes();
                self.machine.write_word(partition, place, bytes);
            }
            Space::Columns => {
                below("column", partition, params.array.cols)?;
                below("column tile", place, params.column_tiles)?;
                let scale = self.word(address + 8)?;
                self.machine.write_bias(partition, place, low as i32);
                self.machine.write_scale_word(partition, place, scale);
            }
            Space::Rows => {
                below("row", partition, params.array.rows)?;
                below(
                    "entry of a row table",
                    place,
                    params.state_buffer.row_offsets,
                )?;
                let valid = row_table_data::VALID.is_set(low);
                let offset = row_table_data::OFFSET.get(low) as u16;
                let offset = valid.then_some(offset);
                self.machine.write_row_offset(partition, place, offset);
            }
            Space::Tables => {
                below(
                    "entry of activation tables",
                    place,
                    256 * params.post.activations,
                )?;
                let (table, byte) = (place / 256, (place % 256) as u8);
                self.machine.write_activation(table, byte, low as u8);
            }
            Space::Program => {
                below("pair of program words", place, params.program.words / 2)?;
                let words = [low, (word >> 32) as u32];
                self.machine.write_program(2 * place, &words);
            }
            Space::Weights => {
                if !self.machine.write_cluster_weights(word) {
                    return Err(RunnerError::Cluster);
                }
            }
            Space::Commands => {
                if !self.machine.write_cluster_command(low) {
                    return Err(RunnerError::Cluster);
                }
            }
        }
        Ok(())
    }

    pub(super) fn store(&mut self, transfer: &Transfer, base: u64) -> Result<(), RunnerError> {
        let zero = transfer.zero as i8;
        self.machine.set_host_zero(zero);
        for Turn {
            place,
            partition,
            offset,
        } in turns(transfer)
        {
            below("partition", partition, self.params.array.rows)?;
            let words = self.params.partition_words();
            below("word of a partition", place, words)?;
            let word = self.machine.read_word(partition, place);
            let address = base + offset;
            let at = address as usize;
            let target = self.memory.get_mut(at..at + 8);
            let target = target.ok_or(RunnerError::Memory(address))?;
            target.copy_from_slice(&word);
        }
        Ok(())
    }
}
