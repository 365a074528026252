//! A compute unit: random layers in lockstep with the clocked model, and their sums those of the reference.

use std::collections::VecDeque;
use std::sync::LazyLock;

use heddle_hdl::sparse::DirectUnit;
use heddle_sim::sparse::reference::{Entry, Tap, scatter};
use heddle_sim::sparse::{Fill, Layout, UnitInputs, UnitModel, UnitOutputs, WeightsModel, Window};
use heddle_tb::verilate::Sources;
use rand::Rng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;

use crate::rtl::{Checked, Coverage, Dut, check_mutants, emitted, faults, run_seeds};

const LANES: usize = 3;
const WORDS: usize = 1024;
const LISTS: usize = 24;
const SUMS: usize = 1024;

static UNIT_3: LazyLock<Sources> =
    LazyLock::new(|| emitted(DirectUnit::new(LANES, WORDS, LISTS, SUMS)));

/// What a unit computes.
struct Layer {
    lists: Vec<Vec<Tap>>,
    entries: Vec<Entry>,
    window: Window,
    groups: usize,
}

impl Layer {
    /// Kernels of up to 5 x 5, maps of up to 8 x 8 anywhere, any share of zeros, all results or some of them.
    fn random(rng: &mut ChaCha8Rng) -> Self {
        let kernel = (rng.random_range(1..=5), rng.random_range(1..=5));
        let groups = rng.random_range(1..=3);
        let channels = rng.random_range(1..=12);
        let first = rng.random_range(0..LISTS - channels);
        let share = rng.random_range(0..=10) as f64 / 10.0;
        let list = |_| random_list(rng, kernel, groups, share);
        let lists: Vec<Vec<Tap>> = (0..channels).map(list).collect();
        let lists = [vec![Vec::new(); first], lists].concat();

        let (rows, cols) = (rng.random_range(1..=8), rng.random_range(1..=8));
        let corner = (rng.random_range(0..=248), rng.random_range(0..=248));
        let share = rng.random_range(0..=10) as f64 / 10.0;
        let mut entries = Vec::new();
        for row in corner.0..corner.0 + rows {
            for col in corner.1..corner.1 + cols {
                for channel in first..first + channels {
                    if rng.random_bool(share) && row < 256 && col < 256 {
                        let value = rng.random_range(1..256) * if rng.random() { 1 } else { -1 };
                        entries.push(Entry {
                            value,
                            channel,
                            row,
                            col,
                        });
                    }
                }
            }
        }
        // Any order gives the same sums.
        if rng.random_bool(0.3) {
            entries.shuffle(rng);
        }
        let mut part = |first: i32, results: i32| match rng.random_bool(0.5) {
            true => first..first + results,
            false => {
                let start = first + rng.random_range(0..results);
                start..rng.random_range(start..=first + results)
            }
        };
        let window = Window {
            kernel,
            rows: part(corner.0, rows + kernel.0 - 1),
            cols: part(corner.1, cols + kernel.1 - 1),
            layout: Layout {
                pitch: 4,
                area: 8,
                words: SUMS,
            },
        };
        Self {
            lists,
            entries,
            window,
            groups,
        }
    }

    /// The word of sums of each result that is kept.
    fn words(&self) -> impl Iterator<Item = ((usize, i32, i32), usize)> {
        let Window { rows, cols, .. } = &self.window;
        let places = (0..self.groups).flat_map(move |group| {
            let rows = rows.clone();
            rows.flat_map(move |row| cols.clone().map(move |col| (group, row, col)))
        });
        places.map(|place| (place, self.window.word(place).unwrap()))
    }
}

/// Taps in any order; words of zeros are left out.
pub(super) fn random_list(
    rng: &mut ChaCha8Rng,
    kernel: (i32, i32),
    groups: usize,
    share: f64,
) -> Vec<Tap> {
    let mut list = Vec::new();
    for group in 0..groups {
        for row in 0..kernel.0 {
            for col in 0..kernel.1 {
                let weights = (0..LANES).map(|_| rng.random_range(-128..128));
                let weights: Vec<i32> = weights.collect();
                if rng.random_bool(share) && weights.iter().any(|weight| *weight != 0) {
                    list.push(Tap {
                        row,
                        col,
                        group,
                        weights,
                    });
                }
            }
        }
    }
    list.shuffle(rng);
    list
}

/// The unit beside its model.
struct Pair {
    dut: Dut,
    model: UnitModel,
}

impl Pair {
    fn new(mut dut: Dut, layer: &Layer, rng: &mut ChaCha8Rng) -> Checked<Self> {
        let (rows, cols) = layer.window.kernel;
        dut.set("kernel_rows_i", (rows - 1) as u64);
        dut.set("kernel_cols_i", (cols - 1) as u64);
        // The window of the other region does not matter.
        let region: bool = rng.random();
        dut.set("region_i", region);
        let mut windows = [[0..0, 0..0], [0..0, 0..0]];
        windows[usize::from(region)] = [layer.window.rows.clone(), layer.window.cols.clone()];
        super::set_rectangles(&mut dut, "window", &windows);
        dut.set("position_valid_i", false);
        dut.set("layout_pitch_i", layer.window.layout.pitch);
        dut.set("layout_area_i", layer.window.layout.area);
        let weights = WeightsModel::new(WORDS, LISTS);
        let model = UnitModel::new(weights, layer.window.clone(), LANES);
        let mut pair = Self { dut, model };
        let begin = Fill {
            begin: Some((rng.random_range(0..8), 0)),
            word: None,
        };
        for fill in std::iter::once(begin).chain(super::fills(&layer.lists, LANES)) {
            let inputs = UnitInputs {
                fill,
                ..UnitInputs::default()
            };
            pair.step(&inputs, false)?;
        }
        // Sums begin with any value; two cycles later those that were read have left.
        for word in 0..SUMS + 2 {
            let drain = Some(word).filter(|word| *word < SUMS);
            pair.step(
                &UnitInputs {
                    drain,
                    ..UnitInputs::default()
                },
                false,
            )?;
        }
        Ok(pair)
    }

    /// One clock; sums are compared if `known`.
    fn step(&mut self, inputs: &UnitInputs, known: bool) -> Checked<UnitOutputs> {
        let dut = &mut self.dut;
        super::set_fill(dut, &inputs.fill);
        dut.set("valid_i", inputs.entry.is_some());
        if let Some(entry) = &inputs.entry {
            dut.set_signed("entry_value_i", entry.value);
            dut.set("entry_row_i", entry.row as u64);
            dut.set("entry_col_i", entry.col as u64);
            dut.set("list_i", entry.channel as u64);
        }
        dut.set("drain_valid_i", inputs.drain.is_some());
        dut.set("drain_addr_i", inputs.drain.unwrap_or(0) as u64);
        dut.set("drain_keep_i", inputs.keep);
        dut.settle();
        let outputs = self.model.step(inputs);
        dut.check("ready_o", outputs.ready)?;
        dut.check("tap_o", outputs.tap)?;
        dut.check("drop_o", outputs.drop)?;
        dut.check("hold_o", outputs.hold)?;
        dut.check("busy_o", outputs.busy)?;
        for (lane, sum) in outputs.drained.iter().flatten().enumerate() {
            if known {
                dut.check_element("stored_o", lane, LANES, *sum as u64)?;
            }
        }
        dut.clock();
        Ok(outputs)
    }
}

/// Words from here on, behind that of the first result, belong to no result of the layer; they are drained meanwhile.
const OTHERS: usize = 800;

fn random_layer(dut: Dut, rng: &mut ChaCha8Rng, coverage: &mut Coverage) -> Checked<Dut> {
    let layer = Layer::random(rng);
    let mut pair = Pair::new(dut, &layer, rng)?;
    let (offered, drained) = (rng.random_range(0.2..=1.0), rng.random_range(0.0..0.5));
    let mut waiting = layer.entries.iter().copied();
    let mut entry = None;
    let mut taps = 0;
    let Window { rows, cols, .. } = &layer.window;
    let first = layer.window.layout.word((0, rows.start, cols.start));
    for cycle in 0.. {
        if entry.is_none() && rng.random_bool(offered) {
            entry = waiting.next();
        }
        let drain = (first + OTHERS + cycle % (SUMS - OTHERS)) % SUMS;
        let inputs = UnitInputs {
            entry,
            drain: Some(drain).filter(|_| rng.random_bool(drained)),
            keep: rng.random(),
            fill: Fill::default(),
        };
        let outputs = pair.step(&inputs, true)?;
        coverage.event("value that waits", entry.is_some() && !outputs.ready);
        coverage.event("word outside the window", outputs.drop);
        coverage.event("products that wait", outputs.hold);
        coverage.event("words of weights in a row", outputs.tap);
        taps += usize::from(outputs.tap);
        if outputs.ready {
            entry = None;
        }
        if !outputs.busy && inputs.entry.is_none() && waiting.len() == 0 {
            break;
        }
    }
    // The last products are written.
    for _ in 0..3 {
        pair.step(&UnitInputs::default(), true)?;
    }
    // Zeros take no part: as many products as there are pairs of a value and a word of weights.
    let lists = layer
        .entries
        .iter()
        .map(|entry| layer.lists[entry.channel].len());
    assert_eq!(taps, lists.sum::<usize>());
    coverage.event("layer without a value", layer.entries.is_empty());
    coverage.event("value without weights", {
        layer
            .entries
            .iter()
            .any(|entry| layer.lists[entry.channel].is_empty())
    });
    coverage.event(
        "list of one word",
        layer.lists.iter().any(|list| list.len() == 1),
    );

    // Results without a product are 0.
    let sums = scatter(&layer.entries, &layer.lists, layer.window.kernel);
    let mut expected = VecDeque::new();
    let mut words = layer.words();
    loop {
        let next = words.next();
        expected.extend(next.map(|(place, _)| sums.get(&place).cloned()));
        let drain = next.map(|(_, word)| word);
        let outputs = pair.step(
            &UnitInputs {
                drain,
                ..UnitInputs::default()
            },
            true,
        )?;
        if let Some(drained) = outputs.drained {
            let sums = expected.pop_front().expect("a word that was drained");
            assert_eq!(drained, sums.unwrap_or(vec![0; LANES]));
        } else if drain.is_none() && expected.is_empty() {
            return Ok(pair.dut);
        }
    }
}

fn random_layers(sources: &Sources, seed: u64) -> Checked<Coverage> {
    let mut dut = Dut::new(sources, seed);
    let mut rng = dut.rng();
    let mut coverage = Coverage::default();
    for _ in 0..40 {
        dut = random_layer(dut, &mut rng, &mut coverage)?;
    }
    Ok(coverage)
}

#[proves("FSA-23", "FSA-43", "FSA-57", "FSA-58")]
#[test]
fn a_unit_adds_the_products_of_what_is_not_zero() {
    run_seeds(|seed| random_layers(&UNIT_3, seed));
}

#[test]
fn faults_of_a_unit_are_noticed() {
    let mutants = r"
        // A product is added while its word is on its way.
        heddle_unit_sums: meets_q[1] <= busy_q[0] & => meets_q[1] <= 1'b0 &
        // A weight is not signed.
        heddle_unit_products: $signed => $unsigned";
    check_mutants(&UNIT_3, &faults(mutants), random_layers);
}
