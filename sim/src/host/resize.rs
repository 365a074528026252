//! Planes of another size.

use heddle_network::Alignment;

/// Bits of a share.
const SHARE_BITS: u32 = 10;

/// Two neighbours along an axis, and the share of the second one in steps of 2^-10.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Between {
    /// The first neighbour.
    pub first: u32,
    /// The second, which may be the first.
    pub second: u32,
    /// The share of the second; less than 0 in front of the first element.
    pub share: i64,
}

/// Where `place` of an axis of `output` places lies on one of `input` places.
#[must_use]
pub fn between(place: u32, output: u32, input: u32, alignment: Alignment) -> Between {
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
#[must_use]
pub fn bilinear(rows: Between, columns: Between, value: impl Fn(u32, u32) -> i8) -> i8 {
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
