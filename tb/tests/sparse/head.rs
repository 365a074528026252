//! The head of the cluster, its surroundings at random.

use std::collections::VecDeque;
use std::sync::LazyLock;

use heddle_arch::isa::sparse::{
    ChannelScale, SparseCommand, SparseCut, SparseDrain, SparseError, SparseLoad, SparseRun,
    SparseWeights, UnitRegister,
};
use heddle_arch::params::Sparse;
use heddle_hdl::sparse::{SparseHead, SparseShape};
use heddle_sim::sparse::{HeadInputs, HeadModel, HeadOutputs, UnitStatus};
use heddle_tb::verilate::Sources;
use rand::Rng;
use rand::seq::IndexedRandom;
use rand_chacha::ChaCha8Rng;

use crate::rtl::{Checked, Coverage, Dut, check_mutants, emitted, faults, run_seeds};

const UNITS: u32 = 3;
const SETS: usize = 2;

fn params() -> Sparse {
    Sparse {
        units: UNITS,
        channels: 4,
        load_lanes: Some(5),
        weight_words: 256,
        lists: 64,
        tiles: 16,
        ..Sparse::default()
    }
}

static HEAD_3: LazyLock<Sources> =
    LazyLock::new(|| emitted(SparseHead::new(SparseShape::of(&super::with(params())))));

/// A command with fields at their limits, or anything between.
fn random_command(rng: &mut ChaCha8Rng) -> SparseCommand {
    let units = rng.random_range(0..1 << UNITS);
    let mut flag = || rng.random::<bool>();
    let [a, b, c, d] = [flag(), flag(), flag(), flag()];
    match rng.random_range(0..14) {
        0 => {
            let channels = (0..rng.random_range(1..8)).map(|_| ChannelScale {
                bias: rng.random(),
                multiplier: rng.random::<u32>() >> 1,
                shift: rng.random_range(-31..=30),
            });
            let channels = channels.collect();
            SparseCommand::Scale(rng.random_range(0..14), rng.random_range(0..4), channels)
        }
        1 | 2 => {
            let mut span = || rng.random_range(0..512)..rng.random_range(0..512);
            let registers = [
                UnitRegister::PartRows(span()),
                UnitRegister::PartCols(span()),
                UnitRegister::Share(rng.random_range(0..64)),
                UnitRegister::WindowRows(a, 3..9),
                UnitRegister::WindowCols(a, 4..7),
            ];
            let (from, to) = [(0, 3), (0, 2), (2, 3), (3, 5), (3, 4)][rng.random_range(0..5)];
            let unit = (!b).then(|| rng.random_range(0..UNITS));
            SparseCommand::Set(unit, registers[from..to].to_vec())
        }
        3..=5 => {
            let stride = rng.random_range(0..3);
            let first = [rng.random_range(0..4), rng.random_range(0..200)];
            let limit = (256 << stride) - first[1];
            SparseCommand::Load(SparseLoad {
                set: rng.random_range(0..SETS as u32),
                append: a,
                more: b,
                alternate: c,
                stride,
                list: rng.random_range(0..64),
                lanes: rng.random_range(1..=5),
                threshold: rng.random_range(0..256),
                first,
                size: [rng.random_range(1..252), *[1, limit].choose(rng).unwrap()],
                chunks: rng.random_range(1..=256),
                step: rng.random_range(0..512),
                units,
            })
        }
        6 | 7 => {
            let first = rng.random_range(0..256);
            SparseCommand::Weights(SparseWeights {
                first,
                words: *[1, 256 - first].choose(rng).unwrap(),
                list: rng.random_range(0..64),
                half: a,
                units,
            })
        }
        8 | 9 => {
            let first = [rng.random_range(0..512), rng.random_range(0..512)];
            let mut size = |first: u32| *[1, 512 - first].choose(rng).unwrap();
            let size = [size(first[0]).min(511), size(first[1]).min(511)];
            SparseCommand::Drain(SparseDrain {
                region: a,
                discard: b,
                keep: c,
                pitch: rng.random_range(0..16),
                area: rng.random_range(0..16),
                count: rng.random(),
                groups: rng.random_range(1..256),
                each: rng.random_range(1..256),
                first,
                size,
                group: rng.random_range(0..256),
                share: rng.random_range(0..64),
                tile: rng.random_range(0..16),
                bounds: [rng.random_range(-256..256), rng.random_range(-256..256)],
                single: d,
            })
        }
        10 | 11 => {
            let mut pair =
                |most: u32| [rng.random_range(1..=most), *[1, most].choose(rng).unwrap()];
            let [from, to] = [pair(511), pair(511)];
            SparseCommand::Cut(SparseCut {
                cells: pair(16),
                region: a,
                halo: pair(15),
                limits: pair(511),
                size: pair(256),
                padding: pair(15),
                tail: pair(15),
                results: [from[0]..to[0], from[1]..to[1]],
                stride: rng.random_range(0..3),
                spread: rng.random(),
            })
        }
        _ => SparseCommand::Run(SparseRun {
            set: rng.random_range(0..SETS as u32),
            keep: a,
            half: b,
            region: c,
            chunks: rng.random_range(1..=256),
            kernel: [rng.random_range(1..=16), rng.random_range(1..=16)],
            pitch: rng.random_range(0..16),
            area: rng.random_range(0..16),
            units,
        }),
    }
}

/// The words of a command, as they are, with one bit wrong, or with one more in a field, which is too much at a limit.
fn random_words(rng: &mut ChaCha8Rng, is_wrong: bool) -> VecDeque<u32> {
    let mut words = random_command(rng).words();
    words[0] |= u32::from(rng.random_bool(0.3)) << 29;
    if is_wrong {
        let word = rng.random_range(0..words.len());
        let more = words[word].wrapping_add([1, 1 << 16][rng.random_range(0..2)]);
        let wrong = words[word] ^ 1 << rng.random_range(0..32);
        words[word] = if rng.random() { more } else { wrong };
    }
    words.into()
}

/// What the head sees of the others: some of it changes in each cycle.
fn surround(inputs: &mut HeadInputs, rng: &mut ChaCha8Rng) {
    let mut change = |flag: &mut bool, share: f64| {
        if rng.random_bool(share) {
            *flag = !*flag;
        }
    };
    for busy in &mut inputs.busy[..3] {
        change(busy, 0.15);
    }
    change(&mut inputs.fill_half, 0.1);
    change(&mut inputs.drained, 0.2);
    change(&mut inputs.scales, 0.2);
    for drains in &mut inputs.drains {
        change(drains, 0.1);
    }
    change(&mut inputs.progress, 0.3);
    for unit in &mut inputs.units {
        change(&mut unit.ready, 0.2);
        change(&mut unit.running, 0.2);
        for flag in unit.half_busy.iter_mut().chain(&mut unit.region_busy) {
            change(flag, 0.1);
        }
        for flag in &mut unit.released {
            change(flag, 0.02);
        }
    }
    inputs.load = (rng.random_range(0..SETS), rng.random_range(0..1 << UNITS));
    inputs.begins = rng.random_bool(0.1);
}

fn drive(dut: &mut Dut, inputs: &HeadInputs) {
    let bits = |flags: &mut dyn Iterator<Item = bool>| {
        flags
            .enumerate()
            .fold(0u64, |bits, (at, flag)| bits | u64::from(flag) << at)
    };
    dut.set("cmd_valid_i", inputs.word.is_some());
    dut.set("cmd_data_i", inputs.word.unwrap_or(0xffff_ffff));
    dut.set("busy_i", bits(&mut inputs.busy.into_iter()));
    dut.set("cut_valid_i", inputs.cut.is_some());
    let (unit, register, value) = inputs.cut.unwrap_or((1, 2, 0x1234));
    dut.set("cut_unit_i", unit as u64);
    dut.set("cut_register_i", register);
    dut.set("cut_data_i", value);
    dut.set("begins_i", inputs.begins);
    dut.set("load_set_i", inputs.load.0 as u64);
    dut.set("load_mask_i", inputs.load.1);
    dut.set("fill_half_i", inputs.fill_half);
    dut.set("drains_i", bits(&mut inputs.drains.into_iter()));
    dut.set("scales_i", inputs.scales);
    dut.set("drained_i", inputs.drained);
    dut.set("progress_i", inputs.progress);
    let units = || inputs.units.iter();
    dut.set("run_ready_i", bits(&mut units().map(|unit| unit.ready)));
    dut.set("running_i", bits(&mut units().map(|unit| unit.running)));
    dut.set("full_i", bits(&mut units().map(|unit| unit.full)));
    let halves = units().flat_map(|unit| unit.half_busy);
    dut.set("half_busy_i", bits(&mut { halves }));
    let regions = units().flat_map(|unit| unit.region_busy);
    dut.set("region_busy_i", bits(&mut { regions }));
    let released = units().flat_map(|unit| unit.released.clone());
    dut.set("released_i", bits(&mut { released }));
}

fn check(dut: &Dut, outputs: &HeadOutputs) -> Checked {
    dut.check("cmd_ready_o", outputs.ready)?;
    for (engine, word) in outputs.given.command.iter().enumerate() {
        dut.check_element("command_valid_o", engine, 4, word.is_some())?;
        if let Some((index, word)) = word {
            dut.check_element("command_index_o", engine, 4, *index as u64)?;
            dut.check_element("command_data_o", engine, 4, *word)?;
        }
        dut.check_element("start_o", engine, 4, outputs.given.start[engine])?;
    }
    dut.check("scale_valid_o", outputs.given.scale.is_some())?;
    if let Some((tile, lane, number, value)) = outputs.given.scale {
        dut.check("scale_tile_o", tile)?;
        dut.check("scale_lane_o", lane)?;
        dut.check("scale_number_o", number)?;
        dut.check("scale_data_o", value)?;
    }
    dut.check(
        "write_o",
        outputs.given.write.map_or(0, |(units, ..)| units),
    )?;
    if let Some((_, register, value)) = outputs.given.write {
        dut.check("order_register_o", register)?;
        dut.check("order_data_o", value)?;
    }
    dut.check("run_o", outputs.given.run.map_or(0, |(units, _)| units))?;
    if let Some((_, first)) = outputs.given.run {
        dut.check("order_data_o", first)?;
    }
    dut.check("free_o", outputs.free)?;
    dut.check("idle_o", outputs.idle)?;
    dut.check("error_o", outputs.error.map_or(0, SparseError::number))?;
    dut.check("words_o", outputs.words)
}

/// Commands until the head stops, or a number of cycles.
fn random_commands(sources: &Sources, seed: u64) -> Checked<Coverage> {
    let mut coverage = Coverage::default();
    for part in 0..40 {
        let mut dut = Dut::new(sources, seed << 8 | part);
        let mut rng = dut.rng();
        let mut model = HeadModel::new(params());
        let mut inputs = HeadInputs {
            units: vec![
                UnitStatus {
                    released: vec![false; SETS],
                    ..UnitStatus::default()
                };
                UNITS as usize
            ],
            ..HeadInputs::default()
        };
        let mut words = VecDeque::new();
        // Cycles until a cut ends; its registers come up to one cycle behind.
        let mut cut = 0;
        // Either all sets stay taken, or runs may find one that is free.
        let loads = rng.random_bool(0.7);
        for cycle in 0..400 {
            if words.is_empty() {
                words = random_words(&mut rng, cycle > 200);
            }
            surround(&mut inputs, &mut rng);
            inputs.busy[3] = cut > 1;
            inputs.cut = (1..6).contains(&cut).then(|| {
                let unit = rng.random_range(0..UNITS as usize);
                (unit, rng.random_range(0..8), rng.random())
            });
            cut = u32::saturating_sub(cut, 1);
            if loads {
                inputs.load = (cycle % SETS, (1 << UNITS) - 1);
                inputs.begins = cycle < SETS;
                for unit in &mut inputs.units {
                    unit.released = vec![false; SETS];
                }
            }
            inputs.word = words.front().copied().filter(|_| rng.random_bool(0.8));
            inputs.units[1].full = part % 8 == 0 && cycle == 190;
            drive(&mut dut, &inputs);
            dut.settle();
            let outputs = model.step(&inputs);
            check(&dut, &outputs)?;
            dut.clock();
            if outputs.ready && inputs.word.is_some() {
                words.pop_front();
            }
            if outputs.given.start[3] {
                cut = 12;
            }
            coverage.event("cuts start", outputs.given.start[3]);
            coverage.event("registers of a cut are written", {
                inputs.cut.is_some() && inputs.busy[3] && inputs.word.is_some()
            });
            coverage.event("loads start", outputs.given.start[0]);
            coverage.event("weights start", outputs.given.start[1]);
            coverage.event("drains start", outputs.given.start[2]);
            coverage.event("runs are given", outputs.given.run.is_some());
            coverage.event("registers are written", outputs.given.write.is_some());
            coverage.event("parameters are written", outputs.given.scale.is_some());
            coverage.event("idle", outputs.idle);
            for error in SparseError::ALL {
                // This one needs 4096 cycles.
                if error != SparseError::Stuck {
                    coverage.event(error.name(), outputs.error == Some(error));
                }
            }
        }
    }
    Ok(coverage)
}

#[test]
fn a_head_hands_out_commands_in_their_order_and_stops_at_the_first_wrong_word() {
    run_seeds(|seed| random_commands(&HEAD_3, seed));
}

#[test]
fn a_head_stops_when_nothing_has_made_progress_for_4096_cycles() {
    let mut dut = Dut::new(&HEAD_3, 1);
    let mut model = HeadModel::new(params());
    let unit = UnitStatus {
        released: vec![false; SETS],
        running: true,
        ..UnitStatus::default()
    };
    let mut inputs = HeadInputs {
        units: vec![unit; UNITS as usize],
        ..HeadInputs::default()
    };
    let mut stopped = None;
    for cycle in 0..5000 {
        inputs.progress = cycle == 10;
        drive(&mut dut, &inputs);
        dut.settle();
        let outputs = model.step(&inputs);
        check(&dut, &outputs).unwrap();
        dut.clock();
        stopped = stopped.or(outputs.error.map(|error| (cycle, error)));
    }
    assert_eq!(stopped, Some((11 + 4096, SparseError::Stuck)));
}

#[test]
fn faults_of_a_head_are_noticed() {
    let mutants = r"
        // A run does not wait for the weights of its half.
        heddle_sparse_head: busy_i[1] & (fill_half_i == half_q) => 1'b0
        // A register of a region is written while the sums are drained.
        heddle_sparse_head: board_region_busy_out | drains_i => board_region_busy_out
        // Weights do not wait for the runs of the second half.
        heddle_sparse_head: if (half_q) may_start = !board_half_busy_out[1] => if (half_q) may_start = 1'b1
        // A column behind the largest one is no error.
        heddle_command_check: load_size_cols} - 11'd1 => load_size_cols} - 11'd2
        // A set is free before the last of its units has read it.
        heddle_scoreboard: (sent_q[3] != released_i[3])) free = 1'b0 => (sent_q[3] != released_i[3])) free = free
        // A header passes while a cut is under way.
        heddle_sparse_head: scales_i) & !cuts => scales_i)
        // A cut does not wait for results.
        heddle_sparse_head: free_parts & !scales_i => free_parts
        // The word behind a wrong one is counted.
        heddle_sparse_head: counted_q & !bad_q => counted_q
        // A parameter goes to the lane before.
        heddle_scale_words: scale_lane_q <= lane_q => scale_lane_q <= lane_q - 5'd1";
    check_mutants(&HEAD_3, &faults(mutants), random_commands);
}
