//! What a run of a network found.

use heddle_arch::host::Counter;
use heddle_arch::params::Params;
use heddle_compiler::Program;
use serde::Serialize;

use super::LayerRun;

/// Sums over all images of one layer.
#[derive(Debug, Clone, Default, Serialize)]
pub struct LayerReport {
    /// Name.
    pub name: String,
    /// Multiply-accumulates of the network's layer, one image.
    pub macs: u64,
    /// Clock cycles, one image; the same for every image.
    pub cycles: u64,
    /// macs / (cycles x rows x cols).
    pub utilisation: f64,
    /// Hardware counters by name, summed over the images.
    pub counters: Vec<(String, u64)>,
    /// Accesses of mask slices.
    pub mask_accesses: u64,
    /// Accesses of first data slices.
    pub a_accesses: u64,
    /// Accesses of second data slices.
    pub b_accesses: u64,
    /// 64-bit accesses that a plain memory would have needed: one per mask access.
    pub plain_accesses: u64,
    /// Bits that the sliced memory accessed.
    pub sliced_bits: u64,
    /// Bits that a plain memory would have accessed.
    pub plain_bits: u64,
    /// sliced_bits / plain_bits, 1.0 = equal.
    pub bits_ratio: f64,
    /// Operands that entered the array, one image.
    pub operands: u64,
    /// Operands that are zero: for them the multipliers of a row hold still.
    pub zero_operands: u64,
    /// zero_operands / operands of all images.
    pub zero_operands_ratio: f64,
    /// Output values that differ from the golden network.
    pub mismatches: u64,
    /// Counters that differ from the prediction: image, name, hardware, prediction.
    pub wrong_counters: Vec<(usize, String, u32, u32)>,
    /// The first wrong value: image, index, hardware, golden.
    pub first_mismatch: Option<(usize, usize, i8, i8)>,
}

impl LayerReport {
    /// Sum of a counter over the images.
    #[must_use]
    pub fn counter(&self, counter: Counter) -> u64 {
        self.counters[counter as usize - Counter::Cycles as usize].1
    }

    /// Takes up what hardware and golden models made of one image.
    pub(super) fn add(
        &mut self,
        params: &Params,
        image: usize,
        hardware: &LayerRun,
        golden: &LayerRun,
    ) {
        let counters = hardware.counters.iter().zip(&golden.counters);
        for (slot, (&(counter, got), &(_, want))) in counters.enumerate() {
            self.counters[slot].1 += u64::from(got);
            if got != want {
                let name = counter.name().to_string();
                self.wrong_counters.push((image, name, got, want));
            }
            if counter == Counter::Cycles {
                self.cycles = u64::from(got);
            }
        }
        let missing = golden.values.len().abs_diff(hardware.values.len());
        self.mismatches += missing as u64;
        let values = hardware.values.iter().zip(&golden.values);
        for (at, (&got, &want)) in values.enumerate() {
            if got != want {
                self.mismatches += 1;
                self.first_mismatch.get_or_insert((image, at, got, want));
            }
        }
        self.mask_accesses = self.accesses(Counter::MaskReads, Counter::MaskWrites);
        self.a_accesses = self.accesses(Counter::AReads, Counter::AWrites);
        self.b_accesses = self.accesses(Counter::BReads, Counter::BWrites);
        let [mask, a, b] = slice_bits(params);
        self.sliced_bits = mask * self.mask_accesses + a * self.a_accesses + b * self.b_accesses;
        self.plain_accesses = self.mask_accesses;
        self.zero_operands = self.counter(Counter::ZeroOperands);
        self.set_ratios(params, image as u64 + 1);
    }

    fn accesses(&self, reads: Counter, writes: Counter) -> u64 {
        self.counter(reads) + self.counter(writes)
    }

    fn set_ratios(&mut self, params: &Params, images: u64) {
        let pes = u64::from(params.array.rows) * u64::from(params.array.cols);
        self.utilisation = self.macs as f64 / (self.cycles.max(1) * pes) as f64;
        self.plain_bits = 64 * self.plain_accesses;
        self.bits_ratio = match self.plain_bits {
            0 => 1.0,
            bits => self.sliced_bits as f64 / bits as f64,
        };
        self.zero_operands_ratio =
            self.zero_operands as f64 / (self.operands * images).max(1) as f64;
    }
}

/// Bits of one access of the mask slice and of the two data slices.
fn slice_bits(params: &Params) -> [u64; 3] {
    let widths = &params.state_buffer.slices.widths;
    [8, u64::from(widths[0]) * 8, u64::from(widths[1]) * 8]
}

/// Result of a run.
#[derive(Debug, Clone, Default, Serialize)]
pub struct NetworkReport {
    /// Name of the network.
    pub network: String,
    /// Name of the configuration.
    pub configuration: String,
    /// Images run.
    pub images: usize,
    /// Images whose largest output is their label.
    pub correct: usize,
    /// Layers in order.
    pub layers: Vec<LayerReport>,
    /// All layers together, as if they were one.
    pub total: LayerReport,
    /// Clock cycles simulated: loading, host accesses and quiet cycles included.
    pub simulated_cycles: u64,
}

impl NetworkReport {
    /// A report before the first image.
    pub(super) fn new(network: &str, params: &Params, program: &Program) -> Self {
        let counters: Vec<(String, u64)> = Counter::ALL
            .iter()
            .map(|counter| (counter.name().to_string(), 0))
            .collect();
        let layers = program.layers.iter().map(|layer| LayerReport {
            name: layer.name.clone(),
            macs: layer.macs,
            operands: layer.operands,
            counters: counters.clone(),
            ..LayerReport::default()
        });
        Self {
            network: network.to_string(),
            configuration: params.name.clone(),
            layers: layers.collect(),
            ..Self::default()
        }
    }

    /// True if every value and every counter was as predicted.
    #[must_use]
    pub fn is_exact(&self) -> bool {
        self.layers
            .iter()
            .all(|layer| layer.mismatches == 0 && layer.wrong_counters.is_empty())
    }

    /// Sums up the layers.
    pub(super) fn set_total(&mut self, params: &Params) {
        let mut total = LayerReport {
            name: "total".into(),
            ..LayerReport::default()
        };
        for layer in &self.layers {
            total.macs += layer.macs;
            total.cycles += layer.cycles;
            total.operands += layer.operands;
            total.zero_operands += layer.zero_operands;
            total.mask_accesses += layer.mask_accesses;
            total.a_accesses += layer.a_accesses;
            total.b_accesses += layer.b_accesses;
            total.plain_accesses += layer.plain_accesses;
            total.sliced_bits += layer.sliced_bits;
            total.mismatches += layer.mismatches;
            let wrong = layer.wrong_counters.iter().cloned();
            total.wrong_counters.extend(wrong);
            total.first_mismatch = total.first_mismatch.or(layer.first_mismatch);
            if total.counters.is_empty() {
                total.counters.clone_from(&layer.counters);
            } else {
                for (sum, (_, count)) in total.counters.iter_mut().zip(&layer.counters) {
                    sum.1 += count;
                }
            }
        }
        total.set_ratios(params, self.images as u64);
        self.total = total;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CONFIG: &str = include_str!("../../../configs/tiny.json");

    fn run(counts: [u32; 13], values: &[i8]) -> LayerRun {
        LayerRun {
            counters: Counter::ALL.into_iter().zip(counts).collect(),
            values: values.to_vec(),
        }
    }

    #[test]
    fn accesses_of_images_and_layers_are_summed_and_differences_kept() {
        let params = Params::from_json(CONFIG).unwrap();
        let zero: Vec<(String, u64)> = Counter::ALL.map(|c| (c.name().into(), 0)).to_vec();
        let layer = LayerReport {
            macs: 320,
            operands: 16,
            counters: zero,
            ..LayerReport::default()
        };
        let mut report = NetworkReport {
            images: 2,
            layers: vec![layer.clone(), layer],
            ..NetworkReport::default()
        };
        let counts = [40, 1, 1, 1, 1, 1, 60, 40, 50, 30, 5, 20, 4];
        let mut wrong = counts;
        wrong[10] = 6;
        let good = run(counts, &[1, 2, 3]);
        report.layers[0].add(&params, 0, &good, &good);
        report.layers[0].add(&params, 1, &run(wrong, &[1, -2, 4]), &good);
        report.layers[1].add(&params, 0, &good, &good);
        report.layers[1].add(&params, 1, &good, &good);
        assert!(!report.is_exact());

        let layer = &report.layers[0];
        assert_eq!(layer.cycles, 40, "of one image");
        assert!((layer.utilisation - 320.0 / (40.0 * 16.0)).abs() < 1e-12);
        assert_eq!(
            [layer.mask_accesses, layer.a_accesses, layer.b_accesses],
            [200, 160, 51]
        );
        let [mask, a, b] = slice_bits(&params);
        assert_eq!(mask + a + b, 72);
        assert_eq!(layer.sliced_bits, 200 * mask + 160 * a + 51 * b);
        assert_eq!((layer.plain_accesses, layer.plain_bits), (200, 64 * 200));
        assert!((layer.zero_operands_ratio - 0.25).abs() < 1e-12);
        assert_eq!(layer.mismatches, 2);
        assert_eq!(layer.first_mismatch, Some((1, 1, -2, 2)));
        assert_eq!(layer.wrong_counters, [(1, "B_READS".to_string(), 6, 5)]);

        report.set_total(&params);
        let total = &report.total;
        assert_eq!((total.macs, total.cycles, total.b_accesses), (640, 80, 101));
        assert_eq!(total.counter(Counter::BReads), 21);
        assert_eq!(total.operands, 32);
        assert!((total.zero_operands_ratio - 0.25).abs() < 1e-12);
        assert_eq!((total.mismatches, total.wrong_counters.len()), (2, 1));
        assert!((total.utilisation - 0.5).abs() < 1e-12);
        let bits = 400 * mask + 320 * a + 101 * b;
        assert!((total.bits_ratio - bits as f64 / 25_600.0).abs() < 1e-12);
    }
}
