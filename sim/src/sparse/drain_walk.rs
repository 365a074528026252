//! What a drain asks for.

use heddle_arch::isa::fields::sparse::{drain, drain_bounds, drain_first, drain_group, drain_size};

use super::Position;

/// A position of a drain and what becomes of its sums.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Drained {
    /// The position.
    pub position: Position,
    /// Parameters of its group.
    pub tile: usize,
    /// Its sums leave.
    pub leaves: bool,
    /// They are the last ones of their command.
    pub last: bool,
    /// They are counted.
    pub counts: bool,
    /// The first ones of their group.
    pub group_first: bool,
    /// The last ones of it.
    pub group_last: bool,
}

/// Bounds of results, and how they are rounded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bounds {
    /// Smallest result.
    pub lo: i64,
    /// Largest result.
    pub hi: i64,
    /// Rounded once.
    pub single: bool,
}

/// The words of SPARSE_DRAIN; the header is word 0.
#[derive(Debug, Clone, Copy, Default)]
pub struct DrainWords(pub [u32; 6]);

impl DrainWords {
    /// Region of the sums.
    pub fn region(&self) -> bool {
        drain::REGION.is_set(self.0[1])
    }

    /// Sums leave.
    pub fn leaves(&self) -> bool {
        !drain::DISCARD.is_set(self.0[1])
    }

    /// Bounds of the results.
    pub fn bounds(&self) -> Bounds {
        let signed = |value: u32| i64::from(value) - i64::from(value & 256) * 2;
        Bounds {
            lo: signed(drain_bounds::LO.get(self.0[5])),
            hi: signed(drain_bounds::HI.get(self.0[5])),
            single: drain_bounds::SINGLE.is_set(self.0[5]),
        }
    }

    /// All positions in their order.
    pub fn positions(&self) -> Vec<Drained> {
        let [_, command, first, size, group, _] = self.0;
        let (pitch, area) = (drain::PITCH.get(command), drain::AREA.get(command));
        let mut positions = Vec::new();
        let [rows, cols] = [drain_size::ROWS.get(size), drain_size::COLS.get(size)];
        for k in 0..drain::GROUPS.get(command) {
            let number = drain_group::GROUP.get(group) + k;
            for at in 0..rows {
                let row = drain_first::ROW.get(first) + at;
                for beside in 0..cols {
                    let col = drain_first::COL.get(first) + beside;
                    let word = ((number % 16) << area) + (row << pitch) + col;
                    let share = drain_group::SHARE.get(group) + k / drain::EACH.get(command);
                    let position = Position {
                        row: row as i32,
                        col: col as i32,
                        share: share as usize,
                        region: self.region(),
                        word: (word % (1 << 16)) as usize,
                        keep: drain::KEEP.is_set(command),
                    };
                    positions.push(Drained {
                        position,
                        tile: (drain_group::TILE.get(group) + k) as usize % 256,
                        leaves: self.leaves(),
                        last: false,
                        counts: drain::COUNT.is_set(command),
                        group_first: at + beside == 0,
                        group_last: at + 1 == rows && beside + 1 == cols,
                    });
                }
            }
        }
        if let Some(last) = positions.last_mut() {
            last.last = true;
        }
        positions
    }
}
