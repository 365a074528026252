//! Planes that hold some pixels of their channels, for depthwise layers that make several pixels at a time.
//!
//! The pixels of a map have q *phases*: 2 are even and odd rows, 4 the pixels of a block of 2 x 2, row by row. Those of a phase are a
//! plane of their own: of half the height, in blocks also of half the width.
//!
//! With n = P / q, partition n b + l of the P partitions has in its plane q g + j:
//!
//! - *split*: phase j of channel P g + n (b xor j) + l. A layer that makes one phase at a time writes all partitions at one address.
//! - *joined*: phase b xor j of channel P g + n j + l. A layer that makes all phases of n channels at a time writes all partitions
//!   at one address.
//! - *phased*: phase j of channel P g + n b + l. Blocks alone: rows can be interleaved when they are written, bytes of a word cannot.
//!
//! Channels that a tensor does not have keep their planes.

/// The parts in which the pixels of a map are made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Phases {
    /// Even and odd rows.
    Rows,
    /// The pixels of blocks of 2 x 2.
    Blocks,
}

impl Phases {
    /// Both.
    pub const ALL: [Self; 2] = [Self::Rows, Self::Blocks];

    /// How many phases there are.
    #[must_use]
    pub const fn count(self) -> u32 {
        match self {
            Phases::Rows => 2,
            Phases::Blocks => 4,
        }
    }

    /// Rows and columns from one pixel of a phase to the next.
    #[must_use]
    pub const fn steps(self) -> [u32; 2] {
        match self {
            Phases::Rows => [2, 1],
            Phases::Blocks => [2, 2],
        }
    }

    /// The phase of a pixel.
    pub(crate) fn of(self, [y, x]: [u32; 2]) -> u32 {
        match self {
            Phases::Rows => y % 2,
            Phases::Blocks => 2 * (y % 2) + x % 2,
        }
    }

    /// First row and column of a phase.
    pub(crate) fn first(self, phase: u32) -> [u32; 2] {
        match self {
            Phases::Rows => [phase, 0],
            Phases::Blocks => [phase / 2, phase % 2],
        }
    }

    /// Rows and columns of a phase in a map of this size.
    pub(crate) fn extent(self, phase: u32, size: [u32; 2]) -> [u32; 2] {
        let (first, steps) = (self.first(phase), self.steps());
        [0, 1].map(|side| (size[side] + steps[side] - 1 - first[side]) / steps[side])
    }
}

/// Which pixels of its channel a plane of a tensor holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum PixelOrder {
    /// All.
    #[default]
    Plain,
    /// Those of one phase, the same in all partitions, of channels that lie rotated.
    Split(Phases),
    /// Those of one phase, another one in each block of partitions.
    Joined(Phases),
    /// Those of one phase of blocks, of channels in their order.
    Phased,
}

impl PixelOrder {
    /// All of them.
    pub const ALL: [Self; 6] = [
        Self::Plain,
        Self::Split(Phases::Rows),
        Self::Split(Phases::Blocks),
        Self::Joined(Phases::Rows),
        Self::Joined(Phases::Blocks),
        Self::Phased,
    ];

    /// Name in program files.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            PixelOrder::Plain => "plain",
            PixelOrder::Split(Phases::Rows) => "split_rows",
            PixelOrder::Split(Phases::Blocks) => "split_blocks",
            PixelOrder::Joined(Phases::Rows) => "joined_rows",
            PixelOrder::Joined(Phases::Blocks) => "joined_blocks",
            PixelOrder::Phased => "phased",
        }
    }

    /// The phases that lie apart.
    #[must_use]
    pub const fn phases(self) -> Option<Phases> {
        match self {
            PixelOrder::Plain => None,
            PixelOrder::Split(phases) | PixelOrder::Joined(phases) => Some(phases),
            PixelOrder::Phased => Some(Phases::Blocks),
        }
    }

    /// Planes of a partition for as many channels as there are partitions.
    pub(crate) fn planes_of_group(self) -> u32 {
        self.phases().map_or(1, Phases::count)
    }

    /// Rows and columns of the map from one pixel of a plane to the next.
    pub(crate) fn steps(self) -> [u32; 2] {
        self.phases().map_or([1, 1], Phases::steps)
    }

    /// Number of a channel in its group of `lanes`, where partition `lane` has plane `plane` of the group.
    pub(crate) fn lane(self, lane: u32, plane: u32, lanes: u32) -> u32 {
        match self {
            PixelOrder::Plain | PixelOrder::Phased => lane,
            PixelOrder::Split(phases) => {
                let own = lanes / phases.count();
                ((lane / own) ^ plane) * own + lane % own
            }
            PixelOrder::Joined(phases) => {
                let own = lanes / phases.count();
                plane * own + lane % own
            }
        }
    }

    /// The phase that plane `plane` of a group has in partition `lane`.
    pub(crate) fn phase(self, lane: u32, plane: u32, lanes: u32) -> u32 {
        match self {
            PixelOrder::Plain => 0,
            PixelOrder::Split(_) | PixelOrder::Phased => plane,
            PixelOrder::Joined(phases) => (lane / (lanes / phases.count())) ^ plane,
        }
    }

    /// The columns of row `y` that a plane of a partition holds: the first one and their distance; none of the row if it has another phase.
    pub(crate) fn columns(
        self,
        y: u32,
        partition: u32,
        plane: u32,
        lanes: u32,
    ) -> Option<[u32; 2]> {
        let [down, right] = self.steps();
        let phase = self.phase(partition, plane % self.planes_of_group(), lanes);
        let [row, column] = self.phases().map_or([0, 0], |phases| phases.first(phase));
        (y % down == row).then_some([column, right])
    }

    /// Rows and columns of the largest plane of a tensor.
    pub(crate) fn plane_size(self, size: [u32; 2]) -> [u32; 2] {
        let steps = self.steps();
        [0, 1].map(|side| size[side].div_ceil(steps[side]))
    }

    /// Rows and columns that are written of the planes of a group.
    pub(crate) fn written(self, size: [u32; 2]) -> Vec<[u32; 2]> {
        match self {
            PixelOrder::Plain | PixelOrder::Joined(_) => {
                vec![self.plane_size(size); self.planes_of_group() as usize]
            }
            PixelOrder::Split(phases) => {
                let phases = (0..phases.count()).map(|phase| (phases, phase));
                phases.map(|(of, phase)| of.extent(phase, size)).collect()
            }
            PixelOrder::Phased => Self::Split(Phases::Blocks).written(size),
        }
    }

    /// Channels of the planes of each partition; of apart phases also of channels from `channels` on, which are none.
    pub(crate) fn planes(self, channels: u32, lanes: u32) -> Vec<Vec<u32>> {
        let apart = self.planes_of_group();
        let of_lane = |lane: u32| match self {
            PixelOrder::Plain => (lane..channels).step_by(lanes as usize).collect(),
            _ => (0..channels.div_ceil(lanes) * apart)
                .map(|plane| plane / apart * lanes + self.lane(lane, plane % apart, lanes))
                .collect(),
        };
        (0..lanes).map(of_lane).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_pixel_of_every_channel_has_one_place() {
        for order in PixelOrder::ALL {
            for (channels, lanes) in [(8, 4), (24, 8), (16, 16), (5, 8), (20, 16)] {
                let planes = order.planes(channels, lanes);
                let pixels = (0..4).flat_map(|y| (0..4).map(move |x| (y, x)));
                for (channel, (y, x)) in
                    (0..channels).flat_map(|c| pixels.clone().map(move |p| (c, p)))
                {
                    let places = (0..).zip(&planes).flat_map(|(partition, planes)| {
                        let planes = (0..).zip(planes);
                        planes.map(move |(plane, &held)| (partition, plane, held))
                    });
                    let places = places.filter(|&(partition, plane, held)| {
                        let columns = order.columns(y, partition, plane, lanes);
                        held == channel && columns.is_some_and(|[first, step]| x % step == first)
                    });
                    assert_eq!(
                        places.count(),
                        1,
                        "{order:?} {channels} {lanes} {channel} {y} {x}"
                    );
                }
            }
        }
    }

    #[test]
    fn places_by_hand() {
        let rows = PixelOrder::Split(Phases::Rows).planes(8, 4);
        assert_eq!(rows[0], [0, 2, 4, 6]);
        assert_eq!(rows[3], [3, 1, 7, 5]);
        let joined = PixelOrder::Joined(Phases::Rows);
        assert_eq!(joined.planes(8, 4)[0], [0, 2, 4, 6]);
        assert_eq!(joined.planes(8, 4)[3], [1, 3, 5, 7]);
        // Channel 2: even rows in the upper half.
        assert_eq!(joined.columns(0, 2, 1, 4), Some([0, 1]));
        assert_eq!(joined.columns(1, 0, 1, 4), Some([0, 1]));
        // Four partitions, a channel each: phase 2 of channel 3 lies in partition 1.
        let split = PixelOrder::Split(Phases::Blocks);
        assert_eq!(split.planes(4, 4)[1], [1, 0, 3, 2]);
        assert_eq!(split.columns(1, 1, 2, 4), Some([0, 2]));
        let joined = PixelOrder::Joined(Phases::Blocks);
        assert_eq!(joined.planes(4, 4)[1], [0, 1, 2, 3]);
        assert_eq!(joined.columns(1, 1, 2, 4), Some([1, 2]));
        assert_eq!(split.written([5, 4]), [[3, 2], [3, 2], [2, 2], [2, 2]]);
        assert_eq!(joined.plane_size([5, 3]), [3, 2]);
    }
}
