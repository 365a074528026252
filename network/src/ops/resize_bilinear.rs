//! A plane of another size: the mean of the four nearest elements, each with its share.

use super::prelude::*;

/// What a file says of a plane of another size.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ResizeBilinearFile {
    /// Channels, height and width.
    #[schemars(inner(range(min = 1, max = 65536)))]
    pub output_shape: [u32; 3],
    /// Which elements of both planes lie upon each other. Default: origin.
    #[serde(default)]
    pub alignment: Alignment,
}

/// Where the elements of a larger plane lie in the smaller one.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Alignment {
    /// The first elements of both lie upon each other.
    #[default]
    Origin,
    /// The middles of both planes do; elements have an extent.
    HalfPixelCenters,
    /// The first and the last elements of both do.
    AlignCorners,
}

impl OperatorFile for ResizeBilinearFile {
    const COMMON: Common = Common::MOVED;

    fn read(self, draft: &mut Draft<'_>) -> Option<LayerKind> {
        let (found, expected) = (self.output_shape[0], draft.shapes[0].channels);
        if found != expected {
            let message = format!("is {found}, expected {expected} as the input has");
            draft.fault("output_shape[0]", message);
            return None;
        }
        draft.layer.output = Shape::of(self.output_shape);
        Some(LayerKind::ResizeBilinear(self.alignment))
    }
}

/// What a layer does.
pub(super) struct Op(pub Alignment);

impl Operator for Op {
    fn moves(&self) -> bool {
        true
    }

    fn run(&self, layer: &Layer, inputs: &[&Tensor]) -> Result<Vec<i8>, NetworkError> {
        let (input, output) = (inputs[0].shape, layer.output);
        Ok(Tensor::values_of(output, |[channel, y, x]| {
            let rows = between(y, output.height, input.height, self.0);
            let columns = between(x, output.width, input.width, self.0);
            bilinear(rows, columns, |y, x| inputs[0].get([channel, y, x]))
        }))
    }
}

/// Bits of a share.
const SHARE_BITS: u32 = 10;

/// Two neighbours along an axis, and the share of the second one in steps of 2^-10.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Between {
    /// The first neighbour.
    first: u32,
    /// The second, which may be the first.
    second: u32,
    /// The share of the second; less than 0 in front of the first element.
    share: i64,
}

/// Where `place` of an axis of `output` places lies on one of `input` places.
fn between(place: u32, output: u32, input: u32, alignment: Alignment) -> Between {
    let one = 1i64 << SHARE_BITS;
    let (to, from) = match alignment {
        Alignment::AlignCorners if output > 1 => (output - 1, input - 1),
        _ => (output, input),
    };
    let (to, from) = (i64::from(to), i64::from(from));
    let step = (one * from + to / 2) / to;
    let middle = match alignment {
        Alignment::HalfPixelCenters => step / 2 - one / 2,
        _ => 0,
    };
    let at = i64::from(place) * step + middle;
    // A step that was rounded up may lead beyond the last element.
    let last = i64::from(input) - 1;
    let first = (at / one).clamp(0, last);
    Between {
        first: first as u32,
        second: ((at + one - 1) / one).clamp(first, last) as u32,
        share: at - first * one,
    }
}

/// The mean of the four elements that two rows and two columns have in common, halves away from 0.
fn bilinear(rows: Between, columns: Between, value: impl Fn(u32, u32) -> i8) -> i8 {
    let shares = |between: Between| {
        let first = (1 << SHARE_BITS) - between.share;
        [(between.first, first), (between.second, between.share)]
    };
    let mut sum = 0;
    for (y, down) in shares(rows) {
        for (x, across) in shares(columns) {
            sum += i64::from(value(y, x)) * down * across;
        }
    }
    let one = 1i64 << (2 * SHARE_BITS);
    let half = if sum > 0 { one / 2 } else { -one / 2 };
    ((sum + half) / one) as i8
}
