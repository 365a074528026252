//! The port that writes registers and table entries.

use super::Port;
use heddle_sim::blocks::offsets::Write;
use heddle_tb::{Model, PortId};
use rand::Rng;
use rand_chacha::ChaCha8Rng;

/// The ports of a block with such a port, start and status, among them its `own` ones.
pub fn ports(taps: u32, own: &[Port]) -> Vec<Port> {
    let shared = [
        ("wr_valid_i", 1, false),
        ("wr_ready_o", 1, true),
        ("wr_kind_i", 2, false),
        ("wr_index_i", 16, false),
        ("wr_data_i", 32, false),
        ("refused_o", 1, true),
        ("start_i", 1, false),
        ("busy_o", 1, true),
        ("done_o", 1, true),
        ("error_o", 3, true),
    ];
    let masks = ["wr_row_i", "wr_col_i"].map(|port| (port, taps as usize, false));
    let masks = masks.iter().filter(|_| taps > 0);
    shared.iter().chain(own).chain(masks).copied().collect()
}

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
