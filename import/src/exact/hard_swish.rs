//! HARD_SWISH in 16 bits.

use super::table::each;
use crate::model::Quantised;
use crate::scale::scale;

/// Bits by which the input is shifted to the left.
const SHIFT: u32 = 7;

/// The outputs for -128 to 127.
///
/// # Errors
/// If a scale cannot be had.
pub fn table(input: Quantised, output: Quantised) -> Result<[i8; 256], String> {
    let step = input.scale / f32::from(1u8 << SHIFT);
    let to_output = Short::new(step / output.scale)?;
    // To 3 / 2^15, so that -3 to 3 are all numbers of 16 bits.
    let to_share = Short::new(step / (3.0 / 32768.0))?;
    if to_output.shift > 0 {
        return Err(format!(
            "its results are scaled by {}, expected less than 1",
            step / output.scale
        ));
    }
    Ok(each(input, |x| {
        let x = saturated(x << SHIFT);
        let share = (i32::from(to_share.share(x)) + (1 << 15)) >> 1;
        let product = share * i32::from(times(x, to_output.multiplier)) / (1 << 15);
        let rounded = halves_away(product, -to_output.shift);
        let byte = saturated(rounded + i32::from(output.zero_point));
        byte.clamp(i8::MIN.into(), i8::MAX.into()) as i8
    }))
}

/// A scale with a multiplier of 16 bits.
struct Short {
    multiplier: i16,
    shift: i32,
}

impl Short {
    fn new(real: f32) -> Result<Short, String> {
        let scale = scale(real.into())?;
        let rounded = (i64::from(scale.multiplier()) + (1 << 15)) >> 16;
        Ok(Short {
            multiplier: rounded.min(i16::MAX.into()) as i16,
            shift: scale.shift(),
        })
    }

    /// x in this scale. Of a shift to the left one bit comes last, and each saturates.
    fn share(&self, x: i16) -> i16 {
        // 15 bits saturate all that is not 0, as more would.
        let before = (self.shift - 1).clamp(0, 15);
        let found = times(saturated(i32::from(x) << before), self.multiplier);
        match self.shift {
            1.. => saturated(i32::from(found) << 1),
            shift => saturated(halves_away(found.into(), -shift)),
        }
    }
}

fn saturated(x: i32) -> i16 {
    x.clamp(i16::MIN.into(), i16::MAX.into()) as i16
}

/// The upper half of twice the product, to the nearest.
fn times(a: i16, b: i16) -> i16 {
    let product = i32::from(a) * i32::from(b);
    let nudge = if product >= 0 { 1 << 14 } else { 1 - (1 << 14) };
    saturated((product + nudge) / (1 << 15))
}

/// x / 2^bits, halves away from 0.
fn halves_away(x: i32, bits: i32) -> i32 {
    match bits {
        0 => x,
        _ => {
            let x = i64::from(x);
            ((x + (1i64 << (bits - 1)) - i64::from(x < 0)) >> bits) as i32
        }
    }
}
