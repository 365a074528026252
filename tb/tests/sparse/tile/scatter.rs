//! From values and weights to the sums of a tile, beside its model.

use std::collections::VecDeque;

use heddle_arch::params::TileKind;
use heddle_hdl::sparse::tile::TileScatter;
use heddle_sim::sparse::tile::{
    ScatterInputs, ScatterModel, ScatterOutputs, TileBeat, TileSettings, TileSizes,
};
use heddle_tb::verilate::Sources;
use rand::Rng;
use rand_chacha::ChaCha8Rng;

use super::{beats, random_items, set_beat, set_settings, shape, sizes};
use crate::rtl::{Checked, Coverage, Dut, OrPanic, check_mutants, emitted, faults, run_seeds};

/// Values and weights that are offered.
type Streams = (Option<TileBeat>, Option<TileBeat>);

/// The hardware beside its model.
pub(super) struct Pair {
    dut: Dut,
    model: ScatterModel,
    sizes: TileSizes,
    known: bool,
}

impl Pair {
    pub fn new(sizes: TileSizes, seed: u64) -> Self {
        Self::of(&emitted(TileScatter::new(shape(&sizes))), sizes, seed)
    }

    fn of(sources: &Sources, sizes: TileSizes, seed: u64) -> Self {
        Self {
            dut: Dut::new(sources, seed),
            model: ScatterModel::new(sizes),
            sizes,
            known: false,
        }
    }

    /// One clock. Sums are compared when they have been loaded.
    pub fn step(
        &mut self,
        settings: TileSettings,
        (values, weights): Streams,
        go: bool,
        shift: Option<i32>,
    ) -> Checked<ScatterOutputs> {
        let (dut, lanes) = (&mut self.dut, self.sizes.lanes);
        set_settings(dut, &settings);
        set_beat(dut, "value", values.as_ref(), lanes);
        set_beat(dut, "weight", weights.as_ref(), lanes);
        dut.set("go_i", go);
        dut.set("shift_i", shift.is_some());
        dut.set("data_i", u64::from(shift.unwrap_or(-1) as u32));
        dut.settle();
        let outputs = self.model.step(&ScatterInputs {
            settings,
            values,
            weights,
            go,
            shift,
        });
        dut.check("value_ready_o", outputs.value_ready)?;
        dut.check("weight_ready_o", outputs.weight_ready)?;
        dut.check("take_o", outputs.take)?;
        dut.check("ends_o", outputs.ends)?;
        dut.check("tile_ends_o", outputs.tile_ends)?;
        dut.check("busy_o", outputs.busy)?;
        for (at, sum) in outputs.sums.iter().enumerate() {
            if self.known {
                dut.check_element("sum_o", at, outputs.sums.len(), *sum as u64)?;
            }
        }
        dut.clock();
        Ok(outputs)
    }

    /// The sums of the hardware.
    pub fn sums(&self) -> Vec<i32> {
        let count = self.sizes.side() * self.sizes.side();
        let sum = |at| self.dut.get_element("sum_o", at, count) as i32;
        (0..count).map(sum).collect()
    }

    /// Loads all sums.
    pub fn load(&mut self, sums: &[i32]) -> Checked {
        for sum in sums {
            self.step(IDLE, (None, None), false, Some(*sum))?;
        }
        self.known = true;
        self.dut.settle();
        Ok(())
    }
}

const IDLE: TileSettings = TileSettings {
    kernel: (1, 1),
    limit: 1,
    earlier_waits: false,
};

/// A tile: beats of its values and weights.
fn random_tile(rng: &mut ChaCha8Rng, sizes: &TileSizes) -> (TileSettings, [VecDeque<TileBeat>; 2]) {
    let k = sizes.kernel;
    let settings = TileSettings {
        kernel: (rng.random_range(1..=k), rng.random_range(1..=k)),
        limit: rng.random_range(1..=sizes.weights),
        earlier_waits: rng.random(),
    };
    let mut streams = [VecDeque::new(), VecDeque::new()];
    let channels = rng.random_range(1..4);
    let density = [0.0, 0.3, 0.6, 1.0][rng.random_range(0..4)];
    for channel in 0..channels {
        let values = random_items(rng, (k, k), density, 255);
        streams[0].extend(beats(&values, sizes.lanes, channel + 1 == channels));
        let density = [0.1, 0.8, 1.0][rng.random_range(0..3)];
        let weights = random_items(rng, settings.kernel, density, 127);
        streams[1].extend(beats(&weights, sizes.lanes, false));
    }
    (settings, streams)
}

fn random_tiles(sources: &Sources, sizes: TileSizes, seed: u64) -> Checked<Coverage> {
    let mut pair = Pair::of(sources, sizes, seed);
    let mut rng = pair.dut.rng();
    let mut coverage = Coverage::default();
    for _ in 0..100 {
        let sums: Vec<i32> = (0..sizes.side().pow(2)).map(|_| rng.random()).collect();
        pair.load(&sums)?;
        let (settings, mut streams) = random_tile(&mut rng, &sizes);
        let hurry = [0.3, 1.0][rng.random_range(0..2)];
        let mut ended = false;
        for _ in 0..600 {
            let go = !ended && rng.random_bool(0.9);
            let offered = [0, 1].map(|s| streams[s].front().filter(|_| rng.random_bool(hurry)));
            let [values, weights] = offered.map(Option::<&TileBeat>::cloned);
            let taken = [values.is_some(), weights.is_some()];
            let outputs = pair.step(settings, (values, weights), go, None)?;
            let ready = [outputs.value_ready, outputs.weight_ready];
            for (stream, beats) in streams.iter_mut().enumerate() {
                if taken[stream] && ready[stream] {
                    beats.pop_front();
                }
            }
            watch(&mut coverage, &sizes, &outputs);
            // Products of the last round are seen one cycle later.
            if ended && !outputs.busy {
                break;
            }
            ended |= outputs.tile_ends;
        }
        coverage.event("a tile ends", ended);
        if !ended {
            return Err("a tile does not end".into());
        }
    }
    Ok(coverage)
}

fn watch(coverage: &mut Coverage, sizes: &TileSizes, outputs: &ScatterOutputs) {
    coverage.event(
        "the next channel follows at once",
        outputs.take && outputs.ends,
    );
    let issued = &outputs.issued;
    coverage.event(
        "idle lanes",
        !issued.is_empty() && issued.len() < sizes.lanes,
    );
    if !matches!(sizes.kind, TileKind::Window | TileKind::Indexed) {
        let several = issued.first().map(|first| first.1) != issued.last().map(|last| last.1);
        coverage.event("several weights in a round", several);
    }
    if sizes.weights == sizes.lanes && sizes.lanes == 4 {
        let all = issued.len() == sizes.lanes;
        let alone = all && issued.iter().all(|pair| pair.0 == issued[0].0);
        coverage.event("one value meets as many weights as there are lanes", alone);
    }
    let queue = &outputs.queue;
    assert!(queue.len() < sizes.lanes, "there is no such place");
    if sizes.weights > 2 {
        coverage.event("products wait", !queue.is_empty());
    }
    if sizes.kind == TileKind::Window {
        let adds = outputs.matrix.is_some() && !issued.is_empty();
        coverage.event("a matrix is added while others are multiplied", adds);
    }
    if sizes.kind == TileKind::Arbiter {
        let drained = !queue.is_empty() && issued.is_empty();
        coverage.event("products are drained", drained);
    }
    if sizes.kind == TileKind::Arbiter && sizes.weights > 2 && sizes.lanes > 4 {
        let same = |a: usize| queue.iter().filter(|b| b.place == queue[a].place).count() > 1;
        coverage.event("three products of a sum", (0..queue.len()).any(same));
    }
}

/// The sums of all tiles are those of the model in every clock, whatever waits, and are complete when the unit is not busy any more.
fn check(sizes: TileSizes) {
    let sources = emitted(TileScatter::new(shape(&sizes)));
    run_seeds(|seed| random_tiles(&sources, sizes, seed));
}

#[test]
fn one_weight_in_a_round_follows_the_model() {
    check(sizes(TileKind::Indexed, 4, 3, 1));
}

/// One kind finds the index of each product behind its multiplier, the other one adds the place of the value and that of the weight
/// at the sums: in every clock these are the same.
#[proves("FSA-59")]
#[test]
fn an_index_of_each_product_or_a_place_of_their_matrix() {
    let units = [TileKind::Indexed, TileKind::Window].map(|kind| sizes(kind, 4, 3, 1));
    let mut pairs = units.map(|sizes| Pair::new(sizes, 1));
    let mut rng = pairs[0].dut.rng();
    let zeros = [0; 25];
    let mut changes = 0;
    for _ in 0..100 {
        let (settings, streams) = random_tile(&mut rng, &units[0]);
        let traces = pairs.each_mut().map(|pair| {
            pair.load(&zeros).or_panic();
            let [mut values, mut weights] = streams.clone();
            let mut trace = Vec::new();
            for _ in 0..90 {
                let offered = (values.front().cloned(), weights.front().cloned());
                let outputs = pair.step(settings, offered, true, None).or_panic();
                if outputs.value_ready {
                    values.pop_front();
                }
                if outputs.weight_ready {
                    weights.pop_front();
                }
                trace.push(pair.sums());
            }
            trace
        });
        assert_eq!(traces[0], traces[1]);
        changes += traces[0]
            .windows(2)
            .filter(|pair| pair[0] != pair[1])
            .count();
    }
    assert!(changes > 500, "{changes} rounds are too few");
}

#[proves("FSA-84")]
#[test]
fn a_matrix_is_added_while_the_next_weight_multiplies() {
    check(sizes(TileKind::Window, 9, 3, 1));
    check(sizes(TileKind::Window, 2, 2, 1));
}

#[proves("FSA-70")]
#[test]
fn of_more_than_two_products_of_a_sum_all_but_one_wait() {
    check(sizes(TileKind::Arbiter, 8, 3, 4));
    // A round may have as many weights as lanes.
    check(sizes(TileKind::Arbiter, 4, 3, 4));
    // Three values meet three weights at once: of a sum two products wait, and one of them again.
    check(sizes(TileKind::Arbiter, 9, 3, 9));
}

#[test]
fn two_products_of_a_sum_are_added_and_more_wait() {
    check(sizes(TileKind::Select, 7, 3, 3));
}

#[test]
fn faults_of_a_tile_are_noticed() {
    let sizes = sizes(TileKind::Arbiter, 4, 2, 2);
    let sources = emitted(TileScatter::new(shape(&sizes)));
    let mutants = r"
        // What waits goes on, too.
        heddle_tile_arbiter: lane_valid & ~waits => lane_valid
        // A new product does not wait for one that has waited.
        heddle_tile_arbiter: (is_old[3] | => (1'b0 |
        // It is never the earlier one that waits.
        heddle_tile_arbiter: & earlier_waits_i => & 1'b0
        // A pair is lost whose lane has a product that has waited.
        heddle_tile_pick: queued_i | ~valid_q => ~valid_q
        // A round has any number of weights.
        heddle_tile_pick: {1'b0, limit_i} => 6'd63
        // A sum does not see the round before.
        heddle_tile_sums: old[32*i+:32] | sum_q => old[32*i+:32] & sum_q
        // Rows are those of a square kernel.
        heddle_tile_pairs: {1'b0, kernel_rows_i} => {1'b0, kernel_cols_i}
        // The last value of a channel is taken for none.
        heddle_tile_slots_b9: place_q + count_i => place_q + (count_i >> 1)";
    check_mutants(&sources, &faults(mutants), |sources, seed| {
        random_tiles(sources, sizes, seed)
    });
}
