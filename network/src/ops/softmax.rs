//! Softmax in fixed point: exponentials in 31 bits, their sum with 12 bits in front of the point. Outputs have zero point -128 and
//! steps of 1/256.

use super::prelude::*;
use crate::requantise::{
    rounding_divide_by_power_of_two as divided, saturating_rounding_doubling_high_mul as times,
};

/// What a file says of a softmax.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SoftmaxFile {
    /// The dimension of a row, whose shares add up to 1.
    pub axis: Axis,
    /// Multiplier of the input, in steps of 2^-26: one, 0 to 2^31 - 1.
    #[schemars(inner(range(min = 0, max = i32::MAX)))]
    pub multiplier: Vec<i32>,
    /// Shift of the input to the left: one, not below 0.
    #[schemars(inner(range(min = -31, max = 30)))]
    pub shift: Vec<i32>,
}

impl OperatorFile for SoftmaxFile {
    const COMMON: Common = Common::MOVED;

    fn read(self, draft: &mut Draft<'_>) -> Option<LayerKind> {
        draft.layer.output_zero_point = i8::MIN;
        let meaning = "one for all outputs";
        let [scale] = draft.own_scales(&self.multiplier, &self.shift, 0..=30, meaning);
        let axis = self.axis;
        Some(LayerKind::Softmax(Softmax { axis, scale }))
    }
}

/// Softmax in fixed point; outputs have zero point -128 and steps of 1/256.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Softmax {
    /// The elements along it make a row, whose shares add up to 1.
    pub axis: Axis,
    /// Scale of the input in steps of 2^-26; never to the right.
    pub scale: Scale,
}

/// What a layer does.
pub(super) struct Op(pub Softmax);

impl Operator for Op {
    fn run(&self, layer: &Layer, inputs: &[&Tensor]) -> Result<Vec<i8>, NetworkError> {
        let Softmax { axis, scale } = self.0;
        let mut values = vec![0; layer.output.elements()];
        for start in layer.output.with(axis, 1).places() {
            let shares = softmax(&inputs[0].row(axis, start), scale);
            for (index, share) in layer.output.row(axis, start).zip(shares) {
                values[index] = share;
            }
        }
        Ok(values)
    }
}

/// Bits behind the point of what is exponentiated, of which 5 bits stand in front of it.
const FRACTION: u32 = 26;
/// Bits in front of the point of the sum.
const SUM_BITS: u32 = 12;
/// e^(-1/8).
const EIGHTH: i32 = 1_895_147_668;
/// 1/3.
const THIRD: i32 = 715_827_883;
/// e^(-1/4), e^(-1/2), and so on to e^(-16).
const POWERS: [i32; 7] = [
    1_672_461_947,
    1_302_514_674,
    790_015_084,
    290_630_308,
    39_332_535,
    720_401,
    242,
];

/// The share of each element's exponential in those of a row, from -128 for 0 to 127 in steps of 1/256.
///
/// `scale` is that of the input in steps of 2^-26, to the left. The sum of a row's exponentials is less than 512 where the
/// reference is defined; beyond, all outputs are -128.
///
/// # Panics
/// If the row is empty.
#[must_use]
pub fn softmax(row: &[i8], scale: Scale) -> Vec<i8> {
    let shift = scale.shift().max(0);
    // Smaller differences have no place in 5 bits: they count as 0.
    let smallest = -((31i32 << FRACTION) >> shift);
    let largest = row.iter().copied().max().expect("a row has an element");
    let power = |&value: &i8| {
        let difference = i32::from(value) - i32::from(largest);
        let fits = difference >= smallest;
        fits.then(|| exponential(times(difference << shift, scale.multiplier())))
    };
    let powers: Vec<Option<i32>> = row.iter().map(power).collect();
    let sum = powers.iter().flatten();
    let sum: i64 = sum.map(|&power| i64::from(divided(power, SUM_BITS))).sum();
    let (share, bits) = reciprocal(sum.min(i32::MAX.into()) as i32);
    let output = |power: i32| divided(times(share, power), 31 - 8 + bits) - 128;
    let outputs = powers.into_iter().map(|power| power.map_or(-128, output));
    outputs.map(|output| output.clamp(-128, 127) as i8).collect()
}

fn saturated(value: i64) -> i32 {
    value.clamp(i32::MIN.into(), i32::MAX.into()) as i32
}

/// e^a in 31 bits, a from -31 to 0 in steps of 2^-26.
fn exponential(a: i32) -> i32 {
    if a == 0 {
        return i32::MAX;
    }
    const QUARTER: i32 = 1 << (FRACTION - 2);
    // a is a part from -1/4 on, less some quarters.
    let part = (a & (QUARTER - 1)) - QUARTER;
    let quarters = (part - a) / QUARTER;
    let factors = POWERS.iter().enumerate();
    factors
        .filter(|(bit, _)| quarters >> bit & 1 == 1)
        .fold(of_a_quarter(part << 5), |found, (_, &power)| {
            times(found, power)
        })
}

/// e^a in 31 bits, a from -1/4 to 0 in 31 bits: four terms of the series around -1/8.
fn of_a_quarter(a: i32) -> i32 {
    let x = a + (1 << 28);
    let square = times(x, x);
    let (cube, fourth) = (times(square, x), times(square, square));
    let rest = divided(times(divided(fourth, 2) + cube, THIRD) + square, 1);
    saturated(i64::from(EIGHTH) + i64::from(times(EIGHTH, x + rest)))
}

/// 1 / sum = share / 2^31 / 2^bits, the sum with 12 bits in front of the point and at least 1.
fn reciprocal(sum: i32) -> (i32, u32) {
    let zeros = sum.leading_zeros();
    let fraction = ((sum as u32) << zeros) - (1 << 31);
    let half = ((i64::from(fraction) + (1i64 << 31)) / 2) as i32;
    // Newton's steps from 48/17 - 32/17 half, with 2 bits in front of the point.
    let first = 1_515_870_810 + times(half, -1_010_580_540);
    let found = (0..3).fold(first, |found, _| {
        let missing = (1 << 29) - times(half, found);
        found + saturated(i64::from(times(found, missing)) << 2)
    });
    (
        saturated(i64::from(found) << 1),
        SUM_BITS.saturating_sub(zeros),
    )
}
