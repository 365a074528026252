//! What becomes of a window of sums.

use heddle_arch::isa::Reduction;

/// The one number that a window gives.
///
/// # Panics
/// If the window is empty.
#[must_use]
pub fn reduce(window: &[i32], reduction: Reduction) -> i32 {
    let sums = window.iter().copied();
    let found = match reduction {
        Reduction::Max => sums.max(),
        Reduction::Min => sums.min(),
        Reduction::Sum => sums.reduce(i32::wrapping_add),
        Reduction::Product => sums.reduce(i32::wrapping_mul),
        Reduction::Median => Some(twice_the_median(window)),
    };
    found.expect("a window holds a sum")
}

/// Half of the sums are not larger than the one middle, half not smaller than the other.
fn twice_the_median(window: &[i32]) -> i32 {
    let mut ordered = window.to_vec();
    ordered.sort_unstable();
    let below = ordered[(ordered.len() - 1) / 2];
    let above = ordered[ordered.len() / 2];
    below.wrapping_add(above)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(window: &[i32], expected: [i32; 5]) {
        for (reduction, expected) in Reduction::ALL.into_iter().zip(expected) {
            assert_eq!(reduce(window, reduction), expected, "{reduction:?}");
        }
    }

    #[proves("PET-59")]
    #[test]
    fn every_reduction_by_hand() {
        check(&[7], [7, 7, 7, 7, 14]);
        check(&[-3, 5], [5, -3, 2, -15, 2]);
        check(&[4, -9, 4], [4, -9, -1, -144, 8]);
        check(&[10, 1, 7, 2], [10, 1, 20, 140, 9]);
        check(&[1, 2, 3, 4, 100], [100, 1, 110, 2400, 6]);
        let (low, high) = (i32::MIN, i32::MAX);
        check(&[low, high], [high, low, -1, low, -1]);
        check(&[high, high], [high, high, -2, 1, -2]);
    }
}
