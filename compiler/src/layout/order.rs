//! Planes that are cut into even and odd rows, for depthwise layers that make two rows at a time.
//!
//! With h = half of the partitions, channel ch = h G + l of such a tensor has its even rows in one half of them and its odd
//! rows in the other one, each in a plane of half the height: row 2 i or 2 i + 1 is row i of its plane.
//!
//! *Split* planes come in pairs for 2 h channels: the even rows of channel 2 h g + n lie in partition n, plane 2 g, its odd rows in partition
//! (n + h) mod 2 h, plane 2 g + 1. So a layer that makes one row at a time writes all partitions at one address.
//!
//! *Paired*: plane G has the rows of channels h G to h G + h - 1, the even ones in the lower half of the partitions if G
//! is even, else in the upper half. So a layer that makes rows 2 i and 2 i + 1 of h channels at a time writes all partitions at one address.

/// Which rows of its channel a plane of a tensor holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum RowOrder {
    /// All.
    #[default]
    Plain,
    /// Even rows in even planes, odd rows in odd ones.
    Split,
    /// Even rows in the lower half of the partitions in even planes, and in the upper half in odd ones.
    Paired,
}

impl RowOrder {
    /// Name in program files.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            RowOrder::Plain => "plain",
            RowOrder::Split => "split",
            RowOrder::Paired => "paired",
        }
    }

    /// A plane of a partition holds row `y` of its channel; `half` are half of the partitions.
    pub(crate) fn holds(self, y: u32, partition: u32, plane: u32, half: u32) -> bool {
        match self {
            RowOrder::Plain => true,
            RowOrder::Split => y % 2 == plane % 2,
            RowOrder::Paired => y % 2 == (partition / half + plane) % 2,
        }
    }

    /// The row of a plane that is row `y` of its channel.
    pub(crate) fn row_of_plane(self, y: u32) -> u32 {
        match self {
            RowOrder::Plain => y,
            RowOrder::Split | RowOrder::Paired => y / 2,
        }
    }

    /// Rows of the highest plane of a tensor.
    pub(crate) fn plane_height(self, height: u32) -> u32 {
        match self {
            RowOrder::Plain => height,
            RowOrder::Split | RowOrder::Paired => height.div_ceil(2),
        }
    }

    /// Channels of the planes of each partition.
    pub(crate) fn planes(self, channels: u32, lanes: u32) -> Vec<Vec<u32>> {
        let half = lanes / 2;
        let of_lane = |lane: u32| match self {
            RowOrder::Plain => (lane..channels).step_by(lanes as usize).collect(),
            RowOrder::Split => (0..channels / lanes)
                .flat_map(|g| [lanes * g + lane, lanes * g + (lane + half) % lanes])
                .collect(),
            RowOrder::Paired => (0..channels / half)
                .map(|g| half * g + lane % half)
                .collect(),
        };
        (0..lanes).map(of_lane).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_of_every_channel_has_one_place() {
        for order in [RowOrder::Plain, RowOrder::Split, RowOrder::Paired] {
            for (channels, lanes) in [(8, 4), (24, 8), (16, 16)] {
                let planes = order.planes(channels, lanes);
                for (channel, y) in (0..channels).flat_map(|c| (0..4).map(move |y| (c, y))) {
                    let places = (0..).zip(&planes).flat_map(|(partition, planes)| {
                        let planes = (0..).zip(planes);
                        planes.map(move |(plane, &held)| (partition, plane, held))
                    });
                    let places = places.filter(|&(partition, plane, held)| {
                        held == channel && order.holds(y, partition, plane, lanes / 2)
                    });
                    assert_eq!(
                        places.count(),
                        1,
                        "{order:?} {channels} {lanes} {channel} {y}"
                    );
                }
            }
        }
    }

    #[test]
    fn rows_by_hand() {
        let split = RowOrder::Split.planes(8, 4);
        assert_eq!(split[0], [0, 2, 4, 6]);
        assert_eq!(split[3], [3, 1, 7, 5]);
        let paired = RowOrder::Paired.planes(8, 4);
        assert_eq!(paired[0], [0, 2, 4, 6]);
        assert_eq!(paired[3], [1, 3, 5, 7]);
        // Channel 2 = 2 G + l with G = 1: even rows in the upper half.
        assert!(RowOrder::Paired.holds(0, 2, 1, 2) && RowOrder::Paired.holds(1, 0, 1, 2));
        assert_eq!(RowOrder::Split.plane_height(5), 3);
    }
}
