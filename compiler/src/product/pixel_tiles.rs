//! Tiles of output pixels whose sums fit one results bank.

use heddle_arch::word::WORD_BYTES;

/// A rectangle of output pixels. Rows and columns are numbers of those of a part of the layer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct PixelTile {
    pub y: u32,
    pub x: u32,
    pub height: u32,
    pub width: u32,
}

impl PixelTile {
    /// All pixels of a part.
    pub fn whole(height: u32, width: u32) -> Self {
        Self {
            y: 0,
            x: 0,
            height,
            width,
        }
    }

    /// How many pixels it has.
    pub fn pixels(&self) -> u32 {
        self.width * self.height
    }
}

/// Cuts a plane into tiles of at most `depth` pixels: whole rows, or parts of a row when a row alone
/// is too long, each of which begins at a whole word.
pub(crate) fn pixel_tiles(height: u32, width: u32, depth: u32) -> Vec<PixelTile> {
    let mut tiles = Vec::new();
    if height * width == 0 {
        return tiles;
    }
    let tile_width = match width <= depth {
        true => width,
        false => depth / WORD_BYTES * WORD_BYTES,
    };
    let tile_height = (depth / tile_width).min(height);
    for y in (0..height).step_by(tile_height as usize) {
        for x in (0..width).step_by(tile_width as usize) {
            tiles.push(PixelTile {
                y,
                x,
                height: tile_height.min(height - y),
                width: tile_width.min(width - x),
            });
        }
    }
    tiles
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pixel_tiles_cover_the_plane_within_the_depth() {
        for (height, width, depth, count) in [
            (8, 8, 64, 1),
            (8, 8, 16, 4),
            (5, 7, 16, 3),
            (1, 1, 16, 1),
            (3, 40, 16, 9),
            (3, 24, 16, 6),
            (2, 20, 20, 2),
            (1, 40, 21, 3),
        ] {
            let tiles = pixel_tiles(height, width, depth);
            assert_eq!(tiles.len(), count, "{height} x {width} by {depth}");
            let mut seen = vec![0; (height * width) as usize];
            for t in &tiles {
                assert!(t.width * t.height <= depth);
                assert!(t.x % 8 == 0);
                for (y, x) in (0..t.height).flat_map(|y| (0..t.width).map(move |x| (y, x))) {
                    seen[((t.y + y) * width + t.x + x) as usize] += 1;
                }
            }
            assert!(seen.iter().all(|&n| n == 1));
        }
    }
}
