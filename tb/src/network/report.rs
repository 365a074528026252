//! What a run of a network found.

use heddle_arch::host::{CLUSTER_COUNTERS, Counter};
use heddle_arch::params::Params;
use heddle_compiler::Program;
use heddle_network::Network;
use heddle_sim::network::class_in;
use heddle_sim::sliced::SliceLayout;
use serde::Serialize;

use super::LayerRun;
use super::cluster::{self, ClusterReport};

/// Sums over all images of one layer.
#[derive(Debug, Clone, Default, Serialize)]
pub struct LayerReport {
    /// Name.
    pub name: String,
    /// The host made its output, and nothing here is of the machine.
    pub host: bool,
    /// Its values say something of a machine: those of a layer of the host have the same meaning on both sides, and differ only if the host has
    /// read others.
    pub compared: bool,
    /// Multiply-accumulates, one image, whoever made them; those of layers on the sparse cluster as the array would make them.
    pub macs: u64,
    /// Those of them that the host made.
    pub host_macs: u64,
    /// Clock cycles, one image: the same for every image, but for layers on the sparse cluster, where it is the mean.
    pub cycles: u64,
    /// Multiply-accumulates on the array / (cycles x rows x cols).
    pub utilisation: f64,
    /// Counters by name, summed over the images; where the hardware has none, those of the golden machine.
    pub counters: Vec<(String, u64)>,
    /// The layers on the sparse cluster, if there are any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cluster: Option<ClusterReport>,
    /// Accesses of mask slices.
    pub mask_accesses: u64,
    /// Accesses of each data slice.
    pub slice_accesses: Vec<u64>,
    /// 64-bit accesses that a plain memory would have needed: one for each word read or written.
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
        self.counters[counter.place()].1
    }

    /// Takes up what hardware and golden models made of one image.
    pub(super) fn add(
        &mut self,
        params: &Params,
        image: usize,
        hardware: &LayerRun,
        golden: &LayerRun,
    ) {
        for &(counter, want) in &golden.counters {
            let found = hardware
                .counters
                .iter()
                .find(|(other, _)| *other == counter);
            let got = found.map_or(want, |(_, got)| *got);
            let slot = counter.place();
            self.counters[slot].1 += u64::from(got);
            if got != want {
                self.wrong_counters.push((image, counter.name(), got, want));
            }
            if counter == Counter::Cycles {
                self.cycles = self.counters[slot].1 / (image as u64 + 1);
            }
        }
        let wrong = cluster::differences(&hardware.cluster, &golden.cluster);
        let wrong = wrong.into_iter();
        self.wrong_counters
            .extend(wrong.map(|(name, got, want)| (image, name, got, want)));
        if let Some(cluster) = &mut self.cluster {
            cluster.add(&hardware.cluster, &golden.cluster);
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
        let layout = SliceLayout::of_machine(params);
        self.slice_accesses = (0..layout.slices() as u8)
            .map(|k| self.accesses(Counter::SliceReads(k), Counter::SliceWrites(k)))
            .collect();
        self.plain_accesses = match layout.mask_bits() {
            // Every read and write of a word accesses slice 0.
            0 => self.slice_accesses[0],
            _ => self.mask_accesses,
        };
        self.sliced_bits = layout.mask_bits() as u64 * self.mask_accesses;
        for (slice, accesses) in self.slice_accesses.iter().enumerate() {
            self.sliced_bits += layout.slice_bits(slice) as u64 * accesses;
        }
        self.zero_operands = self.counter(Counter::ZeroOperands);
        self.set_ratios(params, image as u64 + 1);
    }

    fn accesses(&self, reads: Counter, writes: Counter) -> u64 {
        self.counter(reads) + self.counter(writes)
    }

    fn set_ratios(&mut self, params: &Params, images: u64) {
        let pes = u64::from(params.array.rows) * u64::from(params.array.cols);
        let elsewhere = self.cluster.as_ref().map_or(0, |cluster| cluster.macs);
        let macs = self.macs - self.host_macs - elsewhere;
        self.utilisation = macs as f64 / (self.cycles.max(1) * pes) as f64;
        if let Some(cluster) = &mut self.cluster {
            cluster.set_ratio(images);
        }
        self.plain_bits = 64 * self.plain_accesses;
        self.bits_ratio = match self.plain_bits {
            0 => 1.0,
            bits => self.sliced_bits as f64 / bits as f64,
        };
        self.zero_operands_ratio =
            self.zero_operands as f64 / (self.operands * images).max(1) as f64;
    }
}

/// Runs whose data are in the machine at the same time, of one image.
#[derive(Debug, Clone, Default, Serialize)]
pub struct SegmentReport {
    /// The first run, and the one after the last.
    pub runs: [usize; 2],
    /// Words that the host writes before the first of them.
    pub host_words: u64,
    /// Cycles of all of them.
    pub cycles: u64,
}

/// Which counters of the hardware are held against the golden machine.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct CountersReport {
    /// Names of those that it has.
    pub compared: Vec<String>,
    /// Names of those that it does not have: figures made of them are those of the golden machine.
    pub absent: Vec<String>,
}

impl CountersReport {
    /// The counters of a machine; those of the sparse cluster, if it is an engine of it.
    pub(super) fn of(params: &Params) -> Self {
        let set = params.counters;
        let all = Counter::ALL.map(|counter| (counter.name(), set.has(counter)));
        let cluster = CLUSTER_COUNTERS.iter().enumerate();
        let cluster = cluster.filter(|_| params.has_cluster());
        let cluster = cluster.map(|(number, name)| (name.to_string(), set.has_of_cluster(number)));
        let (compared, absent): (Vec<_>, Vec<_>) =
            all.into_iter().chain(cluster).partition(|(_, has)| *has);
        let names = |list: Vec<(String, bool)>| list.into_iter().map(|(name, _)| name).collect();
        Self {
            compared: names(compared),
            absent: names(absent),
        }
    }
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
    /// Which counters were compared; nothing for a run of the golden machine alone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub counters: Option<CountersReport>,
    /// Images that have a label.
    pub labelled: usize,
    /// Images whose largest output is their label.
    pub correct: usize,
    /// Runs in order: layers, or the whole network.
    pub layers: Vec<LayerReport>,
    /// Segments, if not everything fits at once.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub segments: Vec<SegmentReport>,
    /// All runs together, as if they were one.
    pub total: LayerReport,
    /// Output of the network for each image, elements in the order channel, row, column.
    pub outputs: Vec<Vec<i8>>,
    /// Clock cycles simulated: loading, host accesses and quiet cycles included.
    pub simulated_cycles: u64,
}

impl NetworkReport {
    /// Takes up the output of an image and what is right.
    pub(super) fn add_output(
        &mut self,
        network: &Network,
        output: Option<&LayerRun>,
        label: Option<usize>,
    ) {
        let values = output.map(|run| run.values.clone()).unwrap_or_default();
        self.labelled += usize::from(label.is_some());
        self.correct += usize::from(label.is_some() && class_in(network, &values) == label);
        self.outputs.push(values);
        self.images += 1;
    }

    /// A report before the first image.
    pub(super) fn new(network: &str, params: &Params, program: &Program) -> Self {
        let counters: Vec<(String, u64)> = Counter::ALL
            .iter()
            .map(|counter| (counter.name(), 0))
            .collect();
        let layers = program.runs.iter().enumerate().map(|(index, run)| {
            let layers = &program.layers[run.layers.clone()];
            let macs = layers.iter().map(|layer| layer.macs).sum();
            LayerReport {
                name: program.run_name(index),
                host: run.host,
                compared: !run.host,
                macs,
                host_macs: if run.host { macs } else { 0 },
                operands: layers.iter().map(|layer| layer.operands).sum(),
                counters: counters.clone(),
                cluster: ClusterReport::new(layers, params),
                ..LayerReport::default()
            }
        });
        Self {
            network: network.to_string(),
            configuration: params.name.clone(),
            layers: layers.collect(),
            segments: (program.segments.iter())
                .map(|segment| SegmentReport {
                    runs: [segment.runs.start, segment.runs.end],
                    host_words: segment.load.host_words(params),
                    cycles: 0,
                })
                .collect(),
            ..Self::default()
        }
    }

    /// True if every value and every counter that the hardware has was as predicted.
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
            compared: true,
            ..LayerReport::default()
        };
        for layer in &self.layers {
            total.macs += layer.macs;
            total.host_macs += layer.host_macs;
            total.cycles += layer.cycles;
            total.operands += layer.operands;
            total.zero_operands += layer.zero_operands;
            if let Some(cluster) = &layer.cluster {
                let sum = total.cluster.get_or_insert_default();
                sum.join(cluster);
            }
            total.mask_accesses += layer.mask_accesses;
            total.slice_accesses.resize(layer.slice_accesses.len(), 0);
            for (sum, accesses) in total.slice_accesses.iter_mut().zip(&layer.slice_accesses) {
                *sum += accesses;
            }
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
        for segment in &mut self.segments {
            let [start, end] = segment.runs;
            segment.cycles = self.layers[start..end].iter().map(|run| run.cycles).sum();
        }
        total.set_ratios(params, self.images as u64);
        self.total = total;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use heddle_arch::params::CounterSet;

    const CONFIG: &str = include_str!("../../../configs/tiny.json");

    /// A machine with these slices; the text comes after their widths.
    fn machine(widths: &str, options: &str) -> Params {
        assert!(CONFIG.contains("[4, 4]"));
        let text = CONFIG.replace("[4, 4]", &format!("{widths}{options}"));
        Params::from_json(&text).unwrap_or_else(|faults| panic!("{faults}"))
    }

    /// All counters are 1, except these.
    fn run(counts: &[(Counter, u32)], values: &[i8]) -> LayerRun {
        let mut counters = Counter::ALL.map(|counter| (counter, 1));
        for &(counter, count) in counts {
            counters[counter.place()].1 = count;
        }
        LayerRun {
            counters: counters.to_vec(),
            cluster: Vec::new(),
            values: values.to_vec(),
        }
    }

    fn empty_layer() -> LayerReport {
        LayerReport {
            macs: 320,
            operands: 16,
            counters: Counter::ALL.map(|c| (c.name(), 0)).to_vec(),
            ..LayerReport::default()
        }
    }

    const COUNTS: [(Counter, u32); 8] = [
        (Counter::ZeroOperands, 4),
        (Counter::Cycles, 40),
        (Counter::MaskReads, 60),
        (Counter::MaskWrites, 40),
        (Counter::SliceReads(0), 50),
        (Counter::SliceWrites(0), 30),
        (Counter::SliceReads(1), 5),
        (Counter::SliceWrites(1), 20),
    ];

    #[test]
    fn accesses_of_images_and_layers_are_summed_and_differences_kept() {
        let params = machine("[4, 4]", "");
        let mut report = NetworkReport {
            images: 2,
            layers: vec![empty_layer(), empty_layer()],
            ..NetworkReport::default()
        };
        let mut wrong = COUNTS;
        wrong[6].1 = 6;
        let good = run(&COUNTS, &[1, 2, 3]);
        report.layers[0].add(&params, 0, &good, &good);
        report.layers[0].add(&params, 1, &run(&wrong, &[1, -2, 4]), &good);
        report.layers[1].add(&params, 0, &good, &good);
        report.layers[1].add(&params, 1, &good, &good);
        assert!(!report.is_exact());

        let layer = &report.layers[0];
        assert_eq!(layer.cycles, 40, "of one image");
        assert!((layer.utilisation - 320.0 / (40.0 * 16.0)).abs() < 1e-12);
        assert_eq!(layer.mask_accesses, 200);
        assert_eq!(layer.slice_accesses, [160, 51]);
        assert_eq!(layer.sliced_bits, 200 * 8 + 160 * 32 + 51 * 32);
        assert_eq!((layer.plain_accesses, layer.plain_bits), (200, 64 * 200));
        assert!((layer.zero_operands_ratio - 0.25).abs() < 1e-12);
        assert_eq!(layer.mismatches, 2);
        assert_eq!(layer.first_mismatch, Some((1, 1, -2, 2)));
        let wrong = (1, "SLICE1_READS".to_string(), 6, 5);
        assert_eq!(layer.wrong_counters, [wrong]);

        report.set_total(&params);
        let total = &report.total;
        assert_eq!((total.macs, total.cycles), (640, 80));
        assert_eq!(total.slice_accesses, [320, 101]);
        assert_eq!(total.counter(Counter::SliceReads(1)), 21);
        assert_eq!(total.operands, 32);
        assert!((total.zero_operands_ratio - 0.25).abs() < 1e-12);
        assert_eq!((total.mismatches, total.wrong_counters.len()), (2, 1));
        assert!((total.utilisation - 0.5).abs() < 1e-12);
        let bits = 400 * 8 + 320 * 32 + 101 * 32;
        assert!((total.bits_ratio - f64::from(bits) / 25_600.0).abs() < 1e-12);
    }

    #[test]
    fn counters_that_the_hardware_does_not_have_are_those_of_the_golden_machine() {
        let mut params = machine("[4, 4]", "");
        params.counters = CounterSet::Basic;
        let golden = run(&COUNTS, &[1]);
        let mut hardware = run(&COUNTS, &[1]);
        hardware
            .counters
            .retain(|(counter, _)| params.counters.has(*counter));
        assert_eq!(hardware.counters.len(), 5);
        let mut layer = empty_layer();
        layer.add(&params, 0, &hardware, &golden);
        assert_eq!((layer.cycles, layer.mask_accesses), (40, 100));
        assert_eq!(layer.slice_accesses, [80, 25]);
        assert_eq!(layer.counter(Counter::ZeroOperands), 4);
        assert!(layer.wrong_counters.is_empty());
        hardware.counters[0].1 = 41;
        layer.add(&params, 1, &hardware, &golden);
        assert_eq!(layer.wrong_counters, [(1, "CYCLES".to_string(), 41, 40)]);
        assert_eq!(layer.counter(Counter::Cycles), 81);

        let names = |set: CounterSet| {
            params.counters = set;
            let report = CountersReport::of(&params);
            (report.compared.len(), report.absent.join(" "))
        };
        let mut names = names;
        let all = Counter::ALL.len();
        assert_eq!(names(CounterSet::Full), (all, String::new()));
        let (compared, absent) = names(CounterSet::Basic);
        assert_eq!(compared, 5);
        assert!(absent.starts_with("ZERO_OPERANDS VECTORS INSTRUCTIONS MASK_READS "));
        assert_eq!(absent.split(' ').count(), all - 5);
        assert_eq!(names(CounterSet::None).0, 0);
    }

    /// One image: bits accessed, accesses of a plain memory.
    fn check_bits(widths: &str, options: &str, slices: &[u64], bits: u64, plain: u64) {
        let params = machine(widths, options);
        let mut layer = empty_layer();
        let mut counts = COUNTS;
        if !options.is_empty() {
            // Without a mask slice.
            counts[2].1 = 0;
            counts[3].1 = 0;
        }
        let run = run(&counts, &[]);
        layer.add(&params, 0, &run, &run);
        assert_eq!(layer.slice_accesses, slices, "{widths} {options}");
        assert_eq!(
            (layer.sliced_bits, layer.plain_accesses, layer.plain_bits),
            (bits, plain, 64 * plain),
            "{widths} {options}"
        );
    }

    #[proves("SPM-45")]
    #[test]
    fn bits_of_each_mask_place_are_held_against_a_plain_memory() {
        // The counters of slice 2 are 1 each.
        let three = 100 * 8 + 80 * 16 + 25 * 16 + 2 * 32;
        check_bits("[2, 2, 4]", "", &[80, 25, 2], three, 100);
        let nibbles = r#", "unit_bits": 4, "mask": "field""#;
        let bits = 80 * (16 + 20) + 25 * 44;
        check_bits("[5, 11]", nibbles, &[80, 25], bits, 80);
        let hybrid = r#", "mask": "hybrid""#;
        check_bits("[4, 4]", hybrid, &[80, 25], 80 * 33 + 25 * 32, 80);
        let plain = r#", "plain": true"#;
        check_bits("[4, 4]", plain, &[80], 80 * 64, 80);
    }
}
