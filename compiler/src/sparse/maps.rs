//! Maps of an image, or given one by one.

use super::axis::Span;
use super::error::{PlanError, check};

/// Maps of equal size, one for each channel: their bytes row by row, less the zero point, so that a real zero is 0.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Maps {
    pub(super) size: [u32; 2],
    pub(super) maps: Vec<Vec<u8>>,
}

impl Maps {
    /// Maps of these rows and columns that are there one by one (FSA-04).
    ///
    /// # Errors
    /// There is no map, or one has another number of bytes; rows, columns or maps are not 1 to 65535.
    pub fn new(size: [u32; 2], maps: Vec<Vec<u8>>) -> Result<Self, PlanError> {
        let positions = check_size(size, maps.len())?;
        for map in &maps {
            check(
                "number of bytes of a map",
                count(map),
                positions..=positions,
            )?;
        }
        Ok(Self { size, maps })
    }

    /// Slices an image of H x W x C bytes, by row, column and channel, in C maps of H x W (FSA-04).
    ///
    /// # Errors
    /// The image has another number of bytes; rows, columns or channels are not 1 to 65535.
    pub fn of_image(size: [u32; 2], channels: u32, image: &[u8]) -> Result<Self, PlanError> {
        let positions = check_size(size, channels as usize)?;
        let bytes = positions * i64::from(channels);
        check("number of input bytes", count(image), bytes..=bytes)?;
        let map = |channel| image[channel..].iter().step_by(channels as usize).copied();
        let maps = (0..channels as usize).map(|channel| map(channel).collect());
        Ok(Self {
            size,
            maps: maps.collect(),
        })
    }

    /// Rows and columns.
    pub fn size(&self) -> [u32; 2] {
        self.size
    }

    /// The bytes of each map, row by row.
    pub fn maps(&self) -> &[Vec<u8>] {
        &self.maps
    }

    /// How many maps of each position are not zero, row by row: what [`balance`](super::balance()) and
    /// [`Plan::balanced`](super::Plan::balanced) want.
    pub fn counts(&self) -> Vec<u32> {
        let mut counts = vec![0; self.maps[0].len()];
        for map in &self.maps {
            let places = counts.iter_mut().zip(map);
            places.for_each(|(count, byte)| *count += u32::from(*byte != 0));
        }
        counts
    }

    /// Rows and columns of all maps: a partition.
    ///
    /// # Errors
    /// There are no rows or columns, or they do not lie in the maps.
    pub fn part(&self, [rows, cols]: &[Span; 2]) -> Result<Self, PlanError> {
        for (span, side) in [(rows, self.size[0]), (cols, self.size[1])] {
            check("end of a partition", span.end, 1..=side.into())?;
            check(
                "begin of a partition",
                span.start,
                0..=i64::from(span.end) - 1,
            )?;
        }
        let width = self.size[1] as usize;
        let own = |map: &Vec<u8>| {
            let rows = rows.clone().map(|row| row as usize * width);
            let rows = rows.map(|at| &map[at + cols.start as usize..at + cols.end as usize]);
            rows.collect::<Vec<_>>().concat()
        };
        Ok(Self {
            size: [rows, cols].map(|span| span.len() as u32),
            maps: self.maps.iter().map(own).collect(),
        })
    }
}

/// Positions of maps of this size, if there may be so many.
fn check_size(size: [u32; 2], maps: usize) -> Result<i64, PlanError> {
    check("rows of a map", size[0], 1..=65535)?;
    check("columns of a map", size[1], 1..=65535)?;
    check("maps", i64::try_from(maps).unwrap_or(i64::MAX), 1..=65535)?;
    Ok(i64::from(size[0]) * i64::from(size[1]))
}

fn count(bytes: &[u8]) -> i64 {
    i64::try_from(bytes.len()).unwrap_or(i64::MAX)
}
