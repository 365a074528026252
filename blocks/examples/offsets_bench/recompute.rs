//! Operations for the address of an operand, counted while every address of a layer is made.

use serde::Serialize;

use crate::workload::Layer;

/// Operations of one kind.
#[derive(Debug, Clone, Copy, Default, Serialize)]
pub struct Operations {
    /// Quotients and remainders.
    pub divisions: u64,
    pub multiplications: u64,
    /// Additions and subtractions.
    pub additions: u64,
}

/// Operations of a layer for R rows that take the same tap together.
#[derive(Debug, Clone, Copy, Default, Serialize)]
pub struct Ways {
    /// Addresses that are made in each way.
    pub addresses: u64,
    /// Base plus offset; the origin is added once to each base.
    pub tables: Operations,
    /// Pixel and tap from the indices of the matrix by division, for each operand.
    pub divide: Operations,
    /// Counters for pixel and tap, the address by multiplication: `im2col` with `Multiply`.
    pub multiply: Operations,
    /// Counters, addresses by steps: `im2col` without `Multiply` and without the test of the padding.
    pub step: Operations,
}

impl Operations {
    fn div(&mut self, a: i64, b: i64) -> i64 {
        self.divisions += 1;
        a / b
    }

    fn rem(&mut self, a: i64, b: i64) -> i64 {
        self.divisions += 1;
        a % b
    }

    fn mul(&mut self, a: i64, b: i64) -> i64 {
        self.multiplications += 1;
        a * b
    }

    fn add(&mut self, a: i64, b: i64) -> i64 {
        self.additions += 1;
        a + b
    }
}

/// The shape as the address needs it.
struct Shape {
    origin: i64,
    height: i64,
    width: i64,
    channels: i64,
    filter: [i64; 2],
    stride: [i64; 2],
    dilation: [i64; 2],
    out: [i64; 2],
}

/// Address or image, and position, of a pixel or tap.
#[derive(Clone, Copy)]
struct Place {
    address: i64,
    y: i64,
    x: i64,
}

impl Ways {
    /// Makes all addresses of one group in each way, those of a tile of `rows` together.
    ///
    /// # Panics
    /// If an address is not that of the tables.
    pub fn count(layer: &Layer, rows: usize) -> Ways {
        let shape = Shape::of(layer);
        let (bases, offsets) = (&layer.tables.bases, &layer.tables.offsets);
        let mut ways = Ways::default();
        for first in (0..bases.len()).step_by(rows) {
            let tile = first..(first + rows).min(bases.len());
            // A row takes its pixel once.
            let mut held = Vec::new();
            for row in tile.clone() {
                let base = ways.tables.add(shape.origin, bases[row].into());
                let before = row.checked_sub(1).map_or(0, |before| bases[before]);
                let step = i64::from(bases[row] - before);
                let walked = ways.step.add(base - step, step);
                let pixel = shape.pixel(&mut ways.multiply, row as i64);
                held.push((base, walked, pixel));
            }
            let mut walked = 0;
            for (tap, offset) in offsets.iter().enumerate() {
                // A tap is the same for all rows.
                let before = tap.checked_sub(1).map_or(0, |before| offsets[before]);
                walked = ways.step.add(walked, i64::from(*offset - before));
                let place = shape.tap(&mut ways.multiply, tap as i64);
                for (row, (base, first, pixel)) in tile.clone().zip(&held) {
                    let address = ways.tables.add(*base, (*offset).into());
                    let others = [
                        ways.step.add(*first, walked),
                        shape.multiply(&mut ways.multiply, pixel, &place),
                        shape.divide(&mut ways.divide, row as i64, tap as i64),
                    ];
                    assert_eq!(others, [address; 3], "row {row}, tap {tap}");
                    ways.addresses += 1;
                }
            }
        }
        ways
    }
}

impl Shape {
    fn of(layer: &Layer) -> Shape {
        let convolution = layer.request.convolution.as_ref();
        let convolution = convolution.expect("layers are convolutions");
        Shape {
            // Any will do.
            origin: 4096,
            height: convolution.height.into(),
            width: convolution.width.into(),
            channels: convolution.channels.into(),
            filter: convolution.kernel.map(i64::from),
            stride: convolution.stride.map(i64::from),
            dilation: convolution.dilation.map(i64::from),
            out: convolution.output().map(i64::from),
        }
    }

    /// From the counters of a pixel. The size of an image is a constant of the layer.
    fn pixel(&self, ops: &mut Operations, m: i64) -> Place {
        let [rows, columns] = self.out;
        let (image, oy, ox) = (m / (rows * columns), m / columns % rows, m % columns);
        let image = ops.mul(image, self.channels * self.height * self.width);
        Place {
            address: ops.add(image, self.origin),
            y: ops.mul(oy, self.stride[0]),
            x: ops.mul(ox, self.stride[1]),
        }
    }

    /// From the counters of a tap. The size of a plane is a constant of the layer.
    fn tap(&self, ops: &mut Operations, k: i64) -> Place {
        let [rows, columns] = self.filter;
        let (c, v, u) = (k / (rows * columns), k / columns % rows, k % columns);
        Place {
            address: ops.mul(c, self.height * self.width),
            y: ops.mul(v, self.dilation[0]),
            x: ops.mul(u, self.dilation[1]),
        }
    }

    fn multiply(&self, ops: &mut Operations, pixel: &Place, tap: &Place) -> i64 {
        let (y, x) = (ops.add(pixel.y, tap.y), ops.add(pixel.x, tap.x));
        let line = ops.mul(y, self.width);
        let plane = ops.add(pixel.address, tap.address);
        let column = ops.add(plane, x);
        ops.add(column, line)
    }

    /// From the indices of the matrix. Products of two sizes are constants of the layer.
    fn divide(&self, ops: &mut Operations, m: i64, k: i64) -> i64 {
        let [filter_rows, filter_columns] = self.filter;
        let [rows, columns] = self.out;
        let (taps, pixels) = (filter_rows * filter_columns, rows * columns);
        let (c, tap) = (ops.div(k, taps), ops.rem(k, taps));
        let (v, u) = (ops.div(tap, filter_columns), ops.rem(tap, filter_columns));
        let (image, pixel) = (ops.div(m, pixels), ops.rem(m, pixels));
        let (oy, ox) = (ops.div(pixel, columns), ops.rem(pixel, columns));
        let y = (ops.mul(oy, self.stride[0]), ops.mul(v, self.dilation[0]));
        let x = (ops.mul(ox, self.stride[1]), ops.mul(u, self.dilation[1]));
        let (y, x) = (ops.add(y.0, y.1), ops.add(x.0, x.1));
        let plane = ops.mul(image, self.channels);
        let plane = ops.add(plane, c);
        let line = ops.mul(plane, self.height);
        let line = ops.add(line, y);
        let element = ops.mul(line, self.width);
        let element = ops.add(element, x);
        ops.add(self.origin, element)
    }
}
