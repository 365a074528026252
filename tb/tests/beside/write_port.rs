//! The port that writes registers and table entries.

use heddle_sim::blocks::offsets::Write;
use heddle_tb::{Model, PortId};
use rand::Rng;
use rand_chacha::ChaCha8Rng;

/// Valid, kind, index and data, and the mask bits if there are any.
pub struct WritePort {
    ports: [PortId; 4],
    masks: Option<[PortId; 2]>,
    taps: u32,
}

impl WritePort {
    /// The port of a side whose other ports have these names.
    pub fn new(id: impl Fn(&str) -> PortId, taps: u32) -> Self {
        Self {
            ports: ["wr_valid_i", "wr_kind_i", "wr_index_i", "wr_data_i"].map(&id),
            masks: (taps > 0).then(|| ["wr_row_i", "wr_col_i"].map(&id)),
            taps,
        }
    }

    /// Puts a write at the port, or noise without `valid`.
    pub fn drive(&self, model: &mut Model, write: Option<Write>, noise: &mut ChaCha8Rng) {
        let [valid, kind, index, data] = self.ports;
        model.set(valid, write.is_some().into());
        let [kind_bits, index_bits, data_bits, row, col] = match write {
            Some(write) => [
                write.kind.code(),
                write.index.into(),
                write.data.into(),
                write.row.into(),
                write.col.into(),
            ],
            None => noise.random(),
        };
        model.set(kind, kind_bits);
        model.set(index, index_bits);
        model.set(data, data_bits);
        if let Some(masks) = self.masks {
            for (port, bits) in masks.into_iter().zip([row, col]) {
                model.set(port, bits & ((1 << self.taps) - 1));
            }
        }
    }
}
