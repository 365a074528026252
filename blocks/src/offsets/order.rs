//! The order of the taps: any is as good for the sum, but weights have to follow it.

use heddle_arch::offsets::{Request, Tables};

use super::generate::convolution;
use super::rows::taps;

/// For each tap of a request's tables the position of its weight: weights are stored by output
/// channel, input channel of the group, filter row and filter column.
///
/// # Panics
/// If the request does not pass [`Request::check`].
#[must_use]
pub fn weight_order(request: &Request) -> Vec<u32> {
    if let Some(matrix) = &request.matrix {
        return (0..matrix.depth).collect();
    }
    let Some(convolution) = convolution(request) else {
        return Vec::new();
    };
    let [height, width] = convolution.kernel;
    let taps = taps(&convolution, request.reuse_order);
    let weight = |tap: &super::Tap| (tap.channel * height + tap.v) * width + tap.u;
    taps.iter().map(weight).collect()
}

/// The same tables with their taps in another order: tap x of the result is tap `order[x]` of
/// `tables` (SGCR-17). Steps are computed anew.
///
/// # Panics
/// Unless `order` names each tap once.
#[must_use]
pub fn reorder(tables: &Tables, order: &[u32]) -> Tables {
    let mut sorted = order.to_vec();
    sorted.sort_unstable();
    let each_once = sorted.iter().copied().eq(0..tables.offsets.len() as u32);
    assert!(each_once, "the order names each tap once");
    let offsets = match tables.running {
        true => to_distances(&tables.offsets),
        false => tables.offsets.clone(),
    };
    let offsets: Vec<i32> = order.iter().map(|tap| offsets[*tap as usize]).collect();
    let mut reordered = tables.clone();
    reordered.offsets = match tables.running {
        true => to_steps(&offsets),
        false => offsets,
    };
    if let Some(masks) = &mut reordered.masks {
        let taps = &masks.taps;
        masks.taps = order.iter().map(|tap| taps[*tap as usize]).collect();
    }
    reordered
}

/// Distances from the base as steps from tap to tap, the first one from the base. Steps may be
/// negative (SGCR-51).
///
/// The steps are taken modulo 2^32, as the adders of the unit add them up.
#[must_use]
pub fn to_steps(distances: &[i32]) -> Vec<i32> {
    let mut before = 0;
    let step = |distance: &i32| {
        let step = distance.wrapping_sub(before);
        before = *distance;
        step
    };
    distances.iter().map(step).collect()
}

/// Steps from tap to tap as distances from the base.
#[must_use]
pub fn to_distances(steps: &[i32]) -> Vec<i32> {
    let mut sum = 0i32;
    let distance = |step: &i32| {
        sum = sum.wrapping_add(*step);
        sum
    };
    steps.iter().map(distance).collect()
}
