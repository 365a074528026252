//! The places of a transfer, by the words of the specification.

use heddle_arch::transfer::{Space, Transfer};

/// Sizes of the memories of a machine.
#[derive(Debug, Clone, Copy)]
pub struct Memories {
    /// Partitions.
    pub rows: u32,
    /// Columns.
    pub cols: u32,
    /// Words of a partition.
    pub partition_words: u32,
    /// Column tiles.
    pub column_tiles: u32,
    /// Entries of the table of a row.
    pub row_entries: u32,
    /// Tables of activation functions.
    pub activation_tables: u32,
    /// Pairs of instruction words.
    pub program_pairs: u32,
    /// The program lies in the state buffer.
    pub banked: bool,
    /// There is a sparse cluster.
    pub cluster: bool,
}

/// An access of a place on the host port.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Access {
    /// Address on the host port; `None`: the place lies beyond its memory.
    pub address: Option<u32>,
    /// Which word of the transfer it has.
    pub word: usize,
    /// It has the high half of the word, as its low half.
    pub high: bool,
}

/// Region of an address on the host port, and what lies in it.
const fn region(number: u32) -> u32 {
    number << 30
}

/// The accesses of a transfer in their order.
pub fn accesses(transfer: &Transfer, memories: &Memories) -> Vec<Access> {
    let [x, y, z] = transfer.loops;
    let mut found: Vec<Access> = Vec::new();
    let mut word = 0;
    for k in 0..z.count {
        for j in 0..y.count {
            for i in 0..x.count {
                let turns = [i, j, k];
                let walks = match transfer.partitions {
                    0 => 0,
                    walker => turns[walker as usize - 1],
                };
                let place = match transfer.space {
                    // X walks columns.
                    Space::Columns => transfer.place[0] + j * y.step,
                    _ => transfer.place[0] + i * x.step + j * y.step + k * z.step,
                };
                let number = match transfer.space {
                    Space::Columns => transfer.place[1] + i,
                    _ => transfer.place[1] + walks,
                };
                for (address, takes, high) in memories.at(transfer.space, place, number) {
                    found.push(Access {
                        address,
                        word,
                        high,
                    });
                    word += usize::from(takes);
                }
            }
        }
    }
    found
}

impl Memories {
    /// Accesses of one place: address, whether the next one has the next word, whether it has the high half.
    fn at(&self, space: Space, place: u32, number: u32) -> Vec<(Option<u32>, bool, bool)> {
        let one = |address: Option<u32>| vec![(address, true, false)];
        let lies = |holds: bool, address: u32| holds.then_some(address);
        match space {
            Space::Buffer => one(lies(
                place < self.partition_words && number < self.rows,
                region(3) | number << 21 | place << 3,
            )),
            Space::Columns => {
                let holds = place < self.column_tiles && number < self.cols;
                let address = region(2) | number << 21 | place << 4;
                vec![
                    (lies(holds, address), true, false),
                    (lies(holds, address | 8), true, false),
                ]
            }
            Space::Rows => one(lies(
                place < self.row_entries && number < self.rows,
                region(3) | 1 << 29 | number << 21 | place << 3,
            )),
            Space::Tables => one(lies(
                place < 256 * self.activation_tables,
                region(2) | 1 << 29 | place << 3,
            )),
            Space::Program if self.banked => {
                one(lies(place < self.program_pairs, region(1) | place << 3))
            }
            Space::Program => {
                let holds = place < self.program_pairs;
                let address = region(1) | place << 4;
                vec![
                    (lies(holds, address), false, false),
                    (lies(holds, address | 8), true, true),
                ]
            }
            Space::Weights => one(lies(self.cluster, region(1) | 1 << 29 | 8)),
            Space::Commands => one(lies(self.cluster, region(1) | 1 << 29)),
        }
    }
}
