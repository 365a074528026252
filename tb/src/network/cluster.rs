//! What the sparse cluster has counted.

use heddle_arch::host::CLUSTER_COUNTERS;
use heddle_arch::params::Params;
use heddle_compiler::{Engine, LayerPlan};
use serde::Serialize;

/// Sums over all images of the layers of a run that are on the sparse cluster.
#[derive(Debug, Clone, Default, Serialize)]
pub struct ClusterReport {
    /// Multiply-accumulates of these layers as the array would make them, one image.
    pub macs: u64,
    /// Multiplications that the cluster has made.
    pub multiplications: u64,
    /// Share of the multiply-accumulates that were not made: 1 - multiplications / macs of all images. Below 0 if words of weights
    /// have more weights without use than there are zeros.
    pub skipped_ratio: f64,
    /// Counters by name; where the hardware has none, those of the golden machine.
    pub counters: Vec<(String, u64)>,
    #[serde(skip)]
    channels: u64,
}

/// Place of SPARSE_PRODUCTS.
const PRODUCTS: usize = 5;

impl ClusterReport {
    /// A report before the first image, if one of the layers is on the cluster.
    pub(super) fn new(layers: &[LayerPlan], params: &Params) -> Option<Self> {
        let macs = layers
            .iter()
            .filter(|layer| !layer.host && layer.engine_of() == Engine::Sparse)
            .map(|layer| layer.macs)
            .reduce(|sum, macs| sum + macs)?;
        Some(Self {
            macs,
            counters: CLUSTER_COUNTERS.map(|name| (name.to_string(), 0)).to_vec(),
            channels: params.sparse_cluster().channels.into(),
            ..Self::default()
        })
    }

    /// Takes up what was counted for an image.
    pub(super) fn add(&mut self, hardware: &[(usize, u32)], golden: &[(usize, u32)]) {
        for &(number, predicted) in golden {
            let found = hardware.iter().find(|(other, _)| *other == number);
            self.counters[number].1 += u64::from(found.map_or(predicted, |(_, count)| *count));
        }
        self.multiplications = self.counters[PRODUCTS].1 * self.channels;
    }

    /// The share of so many images.
    pub(super) fn set_ratio(&mut self, images: u64) {
        let all = (self.macs * images).max(1) as f64;
        self.skipped_ratio = 1.0 - self.multiplications as f64 / all;
    }

    /// Adds another run.
    pub(super) fn join(&mut self, other: &Self) {
        self.macs += other.macs;
        self.multiplications += other.multiplications;
        if self.counters.is_empty() {
            self.counters.clone_from(&other.counters);
            return;
        }
        for (sum, (_, count)) in self.counters.iter_mut().zip(&other.counters) {
            sum.1 += count;
        }
    }
}

/// All counts, with their numbers.
pub(crate) fn numbered(counts: &[u32]) -> Vec<(usize, u32)> {
    counts.iter().copied().enumerate().collect()
}

/// Where the counts of hardware and golden machine differ: name, hardware, prediction. Those that the hardware does not
/// have are not compared.
pub(crate) fn differences(
    hardware: &[(usize, u32)],
    golden: &[(usize, u32)],
) -> Vec<(String, u32, u32)> {
    let pairs = hardware
        .iter()
        .map(|&(number, got)| (number, got, golden[number].1));
    pairs
        .filter(|(_, got, want)| got != want)
        .map(|(number, got, want)| (CLUSTER_COUNTERS[number].to_string(), got, want))
        .collect()
}

/// What counters that wrap have counted between two readings.
pub(super) fn since(before: &[(usize, u32)], now: &[(usize, u32)]) -> Vec<(usize, u32)> {
    let both = now.iter().zip(before);
    both.map(|((number, now), (_, before))| (*number, now.wrapping_sub(*before)))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_of_images_are_summed_wrap_and_are_compared() {
        let passed = since(&[(0, u32::MAX), (2, 3)], &[(0, 4), (2, 10)]);
        assert_eq!(passed, [(0, 5), (2, 7)]);
        let mut report = ClusterReport {
            macs: 1000,
            counters: CLUSTER_COUNTERS.map(|name| (name.to_string(), 0)).to_vec(),
            channels: 8,
            ..ClusterReport::default()
        };
        let counts = numbered(&[100, 9, 0, 20, 0, 25, 1, 2, 3]);
        assert_eq!(differences(&counts, &counts), []);
        let mut other = counts.clone();
        other[3].1 = 21;
        let wrong = ("SPARSE_ENTRIES".to_string(), 20, 21);
        assert_eq!(differences(&counts, &other), [wrong]);
        // Hardware that does not have the counter.
        let some = [counts[0], counts[5]];
        assert_eq!(differences(&some, &other), []);
        report.add(&counts, &counts);
        report.add(&some, &counts);
        report.set_ratio(2);
        assert_eq!(report.multiplications, 2 * 25 * 8);
        assert!((report.skipped_ratio - 0.8).abs() < 1e-12);
        let mut total = ClusterReport::default();
        total.join(&report);
        total.join(&report);
        assert_eq!((total.macs, total.multiplications), (2000, 800));
        assert_eq!(total.counters[3], ("SPARSE_ENTRIES".to_string(), 80));
    }
}
