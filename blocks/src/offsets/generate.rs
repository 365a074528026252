//! The tables of a request.

use heddle_arch::offsets::{
    Convolution, FullyConnected, Masks, Matrix, Pad, Request, Sides, Tables,
};
use heddle_arch::{ConfigErrors, Fault};

use super::layout::Pitches;
use super::order::to_steps;
use super::rows::{GemmRow, Tap, rows, taps};

/// The tables of a request. They pass [`Tables::check`] and, for [`Request::tensor_bytes`] less
/// [`group_origin`], [`Tables::check_in`].
///
/// # Errors
/// The faults of the request, or an entry that 32 bits cannot hold: with masks a base or offset
/// may lie far outside the tensor.
pub fn generate(request: &Request) -> Result<Tables, ConfigErrors> {
    request.check()?;
    let mut lists = if let Some(matrix) = &request.matrix {
        Lists::of_matrix(matrix)
    } else if let Some(convolution) = convolution(request) {
        Lists::of_convolution(&convolution, request.reuse_order)
    } else {
        unreachable!("the check wants one of them")
    };
    // Bytes, in units of the adder.
    let scale = i64::from(request.element_bytes >> request.unit_shift);
    for entry in lists.bases.iter_mut().chain(&mut lists.offsets) {
        *entry *= scale;
    }
    let bases = narrow("bases", &lists.bases)?;
    let mut offsets = narrow("offsets", &lists.offsets)?;
    if request.running {
        offsets = to_steps(&offsets);
    }
    let tables = Tables {
        bases,
        offsets,
        running: request.running,
        unit_shift: request.unit_shift,
        masks: lists.masks,
        pixels: lists.pixels,
        outputs: lists.outputs,
        weight_base: request.weight_base,
    };
    tables.check()?;
    Ok(tables)
}

/// Bytes from the origin of the tensor to that of a group: the unit runs once for each group, with
/// the same tables and this added to the origin of A.
///
/// # Panics
/// If there is no such group, or the request does not pass [`Request::check`].
#[must_use]
pub fn group_origin(request: &Request, group: u32) -> u64 {
    let Some(convolution) = &request.convolution else {
        assert_eq!(group, 0, "only a convolution has groups");
        return 0;
    };
    assert!(group < convolution.groups, "there is no group {group}");
    let first = group * convolution.group_channels();
    let elements = Pitches::of(convolution).channel(first);
    elements as u64 * u64::from(request.element_bytes)
}

/// What a request asks for as a convolution; `None` for a matrix product.
pub(super) fn convolution(request: &Request) -> Option<Convolution> {
    let layer = |layer: &FullyConnected| Convolution {
        channels: layer.inputs,
        height: 1,
        width: 1,
        outputs: layer.outputs,
        images: layer.images,
        kernel: [1, 1],
        stride: [1, 1],
        dilation: [1, 1],
        groups: 1,
        padding: Sides::default(),
        pad: Pad::Border,
        layout: Default::default(),
        vector: 1,
    };
    let convolution = request.convolution.clone();
    convolution.or_else(|| request.fully_connected.as_ref().map(layer))
}

/// Tables in elements.
struct Lists {
    bases: Vec<i64>,
    offsets: Vec<i64>,
    masks: Option<Masks>,
    pixels: u32,
    outputs: u32,
}

impl Lists {
    fn of_convolution(convolution: &Convolution, reuse: bool) -> Lists {
        let rows = rows(convolution);
        let taps = taps(convolution, reuse);
        let pitches = Pitches::of(convolution);
        let [ho, wo] = convolution.output();
        let place = Place::of(convolution);
        let base = |row: &GemmRow| {
            let [y, x] = place.first(row);
            i64::from(row.image) * pitches.image + y * pitches.row + x * pitches.column
        };
        let [dv, du] = convolution.dilation.map(i64::from);
        let offset = |tap: &Tap| {
            let (v, u) = (i64::from(tap.v), i64::from(tap.u));
            pitches.channel(tap.channel) + v * dv * pitches.row + u * du * pitches.column
        };
        Lists {
            bases: rows.iter().map(base).collect(),
            offsets: taps.iter().map(offset).collect(),
            masks: (convolution.pad == Pad::Mask).then(|| place.masks(convolution, &rows, &taps)),
            pixels: ho * wo,
            outputs: convolution.outputs / convolution.groups,
        }
    }

    /// A row or column of A is a line of `leading` elements.
    fn of_matrix(matrix: &Matrix) -> Lists {
        let leading = i64::from(matrix.leading());
        let (row, depth) = match matrix.transposed {
            false => (leading, 1),
            true => (1, leading),
        };
        let list = |count: u32, pitch: i64| (0..i64::from(count)).map(|i| i * pitch).collect();
        Lists {
            bases: list(matrix.rows, row),
            offsets: list(matrix.depth, depth),
            masks: None,
            pixels: matrix.rows,
            outputs: matrix.outputs,
        }
    }
}

/// Where the filter lies for an output pixel.
struct Place {
    stride: [i64; 2],
    /// Zeros above and on the left that are not stored.
    missing: [i64; 2],
}

impl Place {
    fn of(convolution: &Convolution) -> Place {
        let Sides { top, left, .. } = convolution.padding;
        Place {
            stride: convolution.stride.map(i64::from),
            missing: match convolution.pad {
                Pad::Border => [0, 0],
                Pad::Mask => [top.into(), left.into()],
            },
        }
    }

    /// Row and column of the filter's first place in the stored plane.
    fn first(&self, row: &GemmRow) -> [i64; 2] {
        let at =
            |axis: usize, pixel: u32| i64::from(pixel) * self.stride[axis] - self.missing[axis];
        [at(0, row.y), at(1, row.x)]
    }

    fn masks(&self, convolution: &Convolution, rows: &[GemmRow], taps: &[Tap]) -> Masks {
        let mask = |axis: usize, first: i64| {
            let size = i64::from([convolution.height, convolution.width][axis]);
            let dilation = i64::from(convolution.dilation[axis]);
            let inside = |tap: &u32| (0..size).contains(&(first + i64::from(*tap) * dilation));
            let taps = (0..convolution.kernel[axis]).filter(inside);
            taps.fold(0u16, |mask, tap| mask | 1 << tap)
        };
        let masks = |axis: usize| -> Vec<u16> {
            let first = rows.iter().map(|row| self.first(row)[axis]);
            first.map(|first| mask(axis, first)).collect()
        };
        Masks {
            rows: masks(0),
            cols: masks(1),
            // A filter with masks has at most 16 rows and columns.
            taps: taps.iter().map(|tap| (tap.v as u8, tap.u as u8)).collect(),
        }
    }
}

/// Entries of 32 bits.
fn narrow(field: &str, list: &[i64]) -> Result<Vec<i32>, ConfigErrors> {
    let entry = |(index, value): (usize, &i64)| {
        i32::try_from(*value).map_err(|_| {
            let field = format!("{field}[{index}]");
            let (low, high) = (i32::MIN, i32::MAX);
            ConfigErrors(vec![Fault {
                line: None,
                message: format!("{field} is {value}, expected {low} to {high}"),
                field,
            }])
        })
    };
    list.iter().enumerate().map(entry).collect()
}
