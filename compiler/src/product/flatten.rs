//! Taps of a layer laid over the rows of the array.
//!
//! A tap is an input channel and a place of the kernel; a layer has K of them. A K tile gives each
//! row one tap, and each row adds the distance of its tap to the address that all share. The order
//! of taps is free as long as the weights keep it. Every row takes taps that follow each
//! other, so that it needs few channels: these must lie in its partition. If there are rows enough, it takes taps of one channel alone.

use heddle_arch::params::Params;
use heddle_arch::word::WORD_BYTES;
use heddle_network::Layer;

use crate::layout::Distances;

/// An input channel and a place of the kernel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Tap {
    pub channel: u32,
    pub y: u32,
    pub x: u32,
}

/// All places of a kernel, row by row.
pub(super) fn places([height, width]: [u32; 2]) -> impl Iterator<Item = [u32; 2]> {
    (0..height).flat_map(move |y| (0..width).map(move |x| [y, x]))
}

/// Which row serves which tap in which K tile.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Flattening {
    kernel: [u32; 2],
    dilation: [u32; 2],
    /// Rows of each channel with a tap in every K tile, and those without one in the last; none if a row may serve several channels.
    of_channel: Option<[u32; 2]>,
    /// Rows of the array in use.
    pub rows: u32,
    /// K tiles.
    pub k_tiles: u32,
    /// Rows that have a tap in the last K tile: rows 0 to `last_rows` - 1.
    pub last_rows: u32,
}

impl Flattening {
    /// The taps of a layer on an array of `rows` rows.
    pub fn of(layer: &Layer, rows: u32) -> Self {
        Self::new(layer.input.channels, layer.kernel, layer.dilation, rows)
    }

    /// Rows of which as many words are loaded as the array takes clocks, about: each row has its channels in its own partition.
    pub fn balanced_rows(layer: &Layer, params: &Params) -> u32 {
        let plane = layer.input.height * layer.input.width.div_ceil(WORD_BYTES);
        let tiles = layer.output.channels.div_ceil(params.lanes());
        let vectors = tiles * layer.output.height * layer.output.width;
        let clocks = |rows: &u32| {
            let taps = Self::of(layer, *rows);
            let planes: usize = (0..taps.rows).map(|row| taps.channels(row).len()).sum();
            let cycles = u64::from(taps.k_tiles) * u64::from(vectors);
            (cycles.max(planes as u64 * u64::from(plane)), cycles)
        };
        (1..=params.array.rows).min_by_key(clocks).unwrap_or(1)
    }

    fn new(channels: u32, kernel: [u32; 2], dilation: [u32; 2], rows: u32) -> Self {
        let places = kernel[0] * kernel[1];
        let taps = channels * places;
        let k_tiles = taps.div_ceil(rows);
        let of_channel = places.div_ceil(k_tiles);
        // A row may lack a tap in the last K tile, and in no other.
        let short = of_channel * k_tiles - places;
        let apart = channels > 1 && channels * of_channel <= rows && short <= of_channel;
        let rows = match apart {
            true => channels * of_channel,
            false => rows.min(taps),
        };
        Self {
            kernel,
            dilation,
            of_channel: apart.then(|| [of_channel - short, short]),
            rows,
            k_tiles,
            last_rows: taps - (k_tiles - 1) * rows,
        }
    }

    /// The tap of a row in a K tile; none for the last rows of the last K tile.
    pub fn tap(&self, row: u32, k_tile: u32) -> Option<Tap> {
        let has_tap = row < self.rows && (k_tile + 1 < self.k_tiles || row < self.last_rows);
        if !has_tap {
            return None;
        }
        let number = self.first_tap(row) + k_tile;
        let [height, width] = self.kernel;
        Some(Tap {
            channel: number / (height * width),
            y: number / width % height,
            x: number % width,
        })
    }

    /// Number of a row's first tap.
    fn first_tap(&self, row: u32) -> u32 {
        let Some([full, short]) = self.of_channel else {
            return row * (self.k_tiles - 1) + row.min(self.last_rows);
        };
        let places = self.kernel[0] * self.kernel[1];
        match row.checked_sub(self.last_rows) {
            None => row / full * places + row % full * self.k_tiles,
            Some(row) => {
                let behind = full * self.k_tiles + row % short * (self.k_tiles - 1);
                row / short * places + behind
            }
        }
    }

    /// Channels that the taps of a row need, in order.
    pub fn channels(&self, row: u32) -> Vec<u32> {
        let taps = (0..self.k_tiles).filter_map(|k_tile| self.tap(row, k_tile));
        let mut channels: Vec<u32> = taps.map(|tap| tap.channel).collect();
        channels.dedup();
        channels
    }

    /// Distance of a row's tap from the first place of the kernel in the first plane of its
    /// partition, less what the loop over the K tiles has added; it may lie below 0.
    fn distance(&self, row: u32, k_tile: u32, distances: Distances) -> Option<i64> {
        let tap = self.tap(row, k_tile)?;
        let first = self.tap(row, 0)?;
        let plane = i64::from(tap.channel - first.channel) * i64::from(distances.plane);
        let [down, right] = self.dilation;
        let place = i64::from(tap.y * down) * i64::from(distances.pitch) + i64::from(tap.x * right);
        Some(plane + place - i64::from(k_tile))
    }

    /// What all offsets are raised by, and the shared address lowered by, so that none is below 0.
    pub fn slack(&self, distances: Distances) -> u32 {
        let places = (0..self.rows).flat_map(|row| (0..self.k_tiles).map(move |tile| (row, tile)));
        let lowest = places.filter_map(|(row, k_tile)| self.distance(row, k_tile, distances));
        let lowest = lowest.min().unwrap_or(0).min(0);
        u32::try_from(-lowest).expect("below the number of K tiles")
    }

    /// Offsets of all rows in each K tile; none without a tap. The loop over the K tiles adds 1 to the
    /// shared address, which a loop needs in order to end.
    pub fn offsets(&self, distances: Distances) -> Vec<Vec<Option<u16>>> {
        let slack = i64::from(self.slack(distances));
        let fit = |offset| u16::try_from(offset).expect("the tensor lies inside a partition");
        let offset = |row, k_tile| {
            let distance = self.distance(row, k_tile, distances);
            distance.map(|distance| fit(distance + slack))
        };
        let of_tile = |k_tile| (0..self.rows).map(|row| offset(row, k_tile)).collect();
        (0..self.k_tiles).map(of_tile).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn flattening(channels: u32, kernel: [u32; 2], rows: u32) -> Flattening {
        Flattening::new(channels, kernel, [1, 1], rows)
    }

    #[proves("SGCR-55")]
    #[test]
    fn every_tap_has_a_row_and_only_the_last_k_tile_has_spare_rows() {
        for channels in 1..5 {
            for kernel in [[1, 1], [3, 3], [2, 5], [1, 4]] {
                for rows in 1..40 {
                    let f = flattening(channels, kernel, rows);
                    let taps = channels * kernel[0] * kernel[1];
                    let mut seen = vec![0; taps as usize];
                    for k_tile in 0..f.k_tiles {
                        let used = (0..rows).filter_map(|row| f.tap(row, k_tile));
                        let mut count = 0;
                        for tap in used {
                            let at = (tap.channel * kernel[0] + tap.y) * kernel[1] + tap.x;
                            seen[at as usize] += 1;
                            count += 1;
                        }
                        let last = k_tile + 1 == f.k_tiles;
                        assert_eq!(count, if last { f.last_rows } else { f.rows });
                    }
                    assert!(seen.iter().all(|&n| n == 1), "{channels} {kernel:?} {rows}");
                }
            }
        }
    }

    #[test]
    fn rows_need_few_channels() {
        // 27 taps on 8 rows: rows 0 to 2 have four, the others three.
        let f = flattening(3, [3, 3], 8);
        assert_eq!((f.k_tiles, f.last_rows), (4, 3));
        let channels: Vec<Vec<u32>> = (0..8).map(|row| f.channels(row)).collect();
        let one = |channel| vec![channel];
        // Taps 0-3, 4-7, 8-11, 12-14, 15-17, 18-20, 21-23, 24-26.
        let both = vec![0, 1];
        let expected = [one(0), one(0), both, one(1), one(1), one(2), one(2), one(2)];
        assert_eq!(channels, expected);
    }

    #[test]
    fn a_row_needs_one_channel_if_there_are_rows_enough() {
        // Nine taps: four rows with two of them and one with the last.
        let f = flattening(3, [3, 3], 16);
        assert_eq!((f.rows, f.k_tiles, f.last_rows), (15, 2, 12));
        let first: Vec<Tap> = (0..15).map(|row| f.tap(row, 0).unwrap()).collect();
        let at = |channel, y, x| Tap { channel, y, x };
        assert_eq!(
            first[..5],
            [
                at(0, 0, 0),
                at(0, 0, 2),
                at(0, 1, 1),
                at(0, 2, 0),
                at(1, 0, 0)
            ]
        );
        assert_eq!(first[12..], [at(0, 2, 2), at(1, 2, 2), at(2, 2, 2)]);
        assert!((0..15).all(|row| f.channels(row).len() == 1));
        assert_eq!(f.channels(14), [2]);
    }

    #[test]
    fn offsets_and_the_loop_over_the_k_tiles_lead_to_the_taps() {
        let distances = Distances {
            pitch: 8,
            plane: 24,
        };
        for (channels, kernel, rows) in [(1, [3, 3], 4), (3, [3, 3], 8), (7, [1, 1], 2)] {
            let f = flattening(channels, kernel, rows);
            let slack = f.slack(distances);
            let offsets = f.offsets(distances);
            for row in 0..f.rows {
                for k_tile in 0..f.k_tiles {
                    let offset = offsets[k_tile as usize][row as usize];
                    let Some(tap) = f.tap(row, k_tile) else {
                        assert_eq!(offset, None);
                        continue;
                    };
                    let plane = f.channels(row).iter().position(|&c| c == tap.channel);
                    let at = 24 * plane.unwrap() as u32 + 8 * tap.y + tap.x;
                    assert_eq!(u32::from(offset.unwrap()) + k_tile, at + slack);
                }
            }
        }
    }

    #[test]
    fn addresses_below_the_tensor_are_avoided() {
        // A plane is shorter than the kernel is wide: tap (1, 0, 0) of K tile 9 lies at 8.
        let f = flattening(2, [1, 9], 1);
        let distances = Distances { pitch: 8, plane: 8 };
        assert_eq!(f.slack(distances), 1);
        let offsets = f.offsets(distances);
        assert_eq!((offsets[9][0], offsets[0][0]), (Some(0), Some(1)));
    }
}
