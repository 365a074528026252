//! The turns of the loops of a transfer.

use heddle_arch::transfer::{Space, Transfer};

/// Where a turn of the loops is.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Turn {
    /// Number of the place.
    pub place: u32,
    /// Partition, row or column.
    pub partition: u32,
    /// Bytes from the begin of the region on.
    pub offset: u64,
}

/// All turns, X inside.
pub(crate) fn turns(transfer: &Transfer) -> impl Iterator<Item = Turn> + use<> {
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
